/// \file kasoku/kernel/arguments.h
/// What a caller passes to a kernel, and the check against what the kernel declares.
///
/// An argument becomes bytes only after it was checked: count, dtype, device,
/// layout, whether it may be written. A wrong one is one sentence that names
/// kernel and parameter. The check of a good call allocates nothing.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/base/error.h"
#include "kasoku/device/code.h"
#include "kasoku/kernel/signature.h"

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kasoku {

/// Elements in memory: of an Array, or of the host (NumPy). Does not own.
struct ArrayRef {
  void* data = nullptr;
  const int64_t* shape = nullptr;
  const int64_t* strides = nullptr;  ///< bytes
  int ndim = 0;
  Dtype dtype = Dtype::opaque;
  bool is_read_only = false;
  bool is_host = false;  ///< plain host memory, which only a CPU kernel can use
  bool is_bits = false;  ///< a pointer to anything of the elements' size may read them
  uint32_t itemsize = 0;
  Device* device = nullptr;  ///< nullptr if is_host; of a pointer where it is known
  Buffer* buffer = nullptr;  ///< nullptr if nobody keeps a history of it; of a pointer where it is known

  int64_t size() const;
  bool is_c_contiguous() const;
  bool is_f_contiguous() const;
};

/// Runs what is pending in `array`. The array must outlive the reference.
ArrayRef array_ref(const Array& array);

struct Argument {
  enum class Kind : uint8_t {
    nothing,   ///< None, nullptr: a null pointer
    array,
    pointer,   ///< an address on the kernel's device
    bytes,     ///< a struct by value
    boolean,   ///< scalars: of no particular dtype (Python's), or typed
    integer,   ///< value in i, or in u if is_big
    floating,  ///< value in z[0]
    complex,   ///< value in z
  };

  Kind kind = Kind::nothing;
  bool is_typed = false;  ///< a scalar with a dtype of its own (NumPy's)
  bool is_big = false;    ///< an integer above int64's range
  Dtype dtype = Dtype::opaque;
  union {
    int64_t i;
    uint64_t u;
    double z[2];
    const void* pointer = nullptr;  ///< also of bytes
  };
  size_t size = 0;  ///< of bytes
  ArrayRef array;
  const Array* pending = nullptr;  ///< an array whose memory is not there yet, which must outlive this; `array` shows its shape

  Argument() {}
  Argument(std::nullptr_t) {}
  Argument(const Array& a) : kind(Kind::array), dtype(a.dtype()), array(array_ref(a)) {}
  Argument(const ArrayRef& a) : kind(Kind::array), dtype(a.dtype), array(a) {}
  Argument(bool value) : kind(Kind::boolean), is_typed(true), dtype(Dtype::bool_) { i = value; }
  template <class T>
    requires std::is_integral_v<T>
  Argument(T value)
      : kind(Kind::integer), is_typed(true), is_big(std::is_unsigned_v<T> && int64_t(value) < 0),
        dtype(integer_dtype(std::is_signed_v<T>, sizeof(T))) {
    i = static_cast<int64_t>(value);
  }
  template <class T>
    requires std::is_floating_point_v<T>
  Argument(T value)
      : kind(Kind::floating), is_typed(true),
        dtype(sizeof(T) == 4 ? Dtype::float32 : Dtype::float64) {
    z[0] = value, z[1] = 0;
  }
  template <class T>
  Argument(std::complex<T> value)
      : kind(Kind::complex), is_typed(true),
        dtype(sizeof(T) == 4 ? Dtype::complex64 : Dtype::complex128) {
    z[0] = value.real(), z[1] = value.imag();
  }
  template <class T>
  Argument(T* address) : kind(Kind::pointer) { pointer = address; }

  /// An array that a kernel over elements only reads. It may stay pending, and so may others that read its memory; if it has to be
  /// computed, it is here.
  static Argument to_read(const Array& array, bool has_to_be_computed = false);

  static Argument of_bytes(const void* data, size_t size) {
    Argument argument;
    argument.kind = Kind::bytes;
    argument.pointer = data;
    argument.size = size;
    return argument;
  }

  bool is_scalar() const { return kind >= Kind::boolean; }
  /// "a float64 array of shape (3, 4)", "float 2.5", "None": for messages.
  std::string str() const;

 private:
  static constexpr Dtype integer_dtype(bool is_signed, size_t size) {
    const int step = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    return static_cast<Dtype>(static_cast<int>(is_signed ? Dtype::int8 : Dtype::uint8) + step);
  }
};

/// How a scalar that does not fit an integer type is taken.
enum class Overflow : uint8_t { error, wrap };

/// Writes `argument` as a `dtype` to `to` (at most 16 bytes). nullptr, or why it cannot be
/// ("is out of range", "is no integer").
const char* convert_scalar(const Argument& argument, Dtype dtype, void* to,
                           Overflow overflow = Overflow::error);

/// Whether memory of `have` elements may be read through a pointer to `want`: the same, or
/// the same bits with another name (int32 through unsigned *, complex64 through float *).
bool same_representation(Dtype have, Dtype want);

/// Values in call order, and their addresses as a launch takes them.
class PackedArguments {
 public:
  /// Space for one more value of `size` bytes.
  void* add(size_t size, size_t align);
  /// A value that lives elsewhere until the launch returns.
  void add_outside(const void* value);
  template <class T>
  void add_value(const T& value) {
    *static_cast<T*>(add(sizeof(T), alignof(T))) = value;
  }
  void* const* pointers() const { return pointers_; }
  size_t count() const { return count_; }
  PackedArguments() = default;
  PackedArguments(const PackedArguments&) = delete;
  PackedArguments& operator=(const PackedArguments&) = delete;

 private:
  void grow();

  static constexpr size_t inline_count = 48, inline_bytes = 1024;
  alignas(16) std::byte bytes_[inline_bytes];
  void* inline_pointers_[inline_count];
  void** pointers_ = inline_pointers_;
  size_t count_ = 0, capacity_ = inline_count, used_ = 0;
  std::vector<void*> more_pointers_;
  std::vector<std::unique_ptr<std::byte[]>> more_bytes_;
};

/// Throws ErrorKind::type if a kernel that declares these parameters is called with another number of arguments.
void check_count(std::string_view kernel, const std::vector<Parameter>& declared, size_t given);

/// The same for a kernel over elements, which takes its inputs, or these and its outputs. Of more than max_parameters
/// it is ErrorKind::unsupported.
void check_count(std::string_view kernel, size_t inputs, size_t outputs, size_t given);

inline constexpr size_t max_parameters = 64;  ///< of a kernel over elements

/// Checks `args` against the kernel's own declaration and packs them.
void pack_arguments(const KernelInfo& kernel, std::span<const Argument> args, Device& device,
                    PackedArguments& packed);

/// Packs the first args.size() parameters; the caller appends the rest itself.
void pack_values(const KernelInfo& kernel, std::span<const Argument> args, Device& device,
                 PackedArguments& packed);

/// After a launch: throws if the kernel wrote past the end of the memory of one of `args`.
void check_ends(const KernelInfo& kernel, std::span<const Argument> args);

/// Where a launch goes: to the device of the arrays among `args`, else of the stream, else to the first of `wanted`
/// that is not null, else to the default device. Arrays of two devices are an error that names both.
Device& device_for(std::string_view kernel, std::span<const Argument> args, Stream* stream,
                   std::initializer_list<Device*> wanted = {});

}  // namespace kasoku
