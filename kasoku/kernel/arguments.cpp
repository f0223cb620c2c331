#include "kasoku/kernel/arguments.h"

#include "kasoku/array/state.h"
#include "kasoku/base/half.h"
#include "kasoku/base/text.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/stream.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace kasoku {
namespace {

std::string shape_text(const ArrayRef& array) {
  std::string text = "(";
  for (int i = 0; i < array.ndim; ++i) text += (i ? ", " : "") + std::to_string(array.shape[i]);
  return text + (array.ndim == 1 ? ",)" : ")");
}

std::string a_or_an(std::string_view word) {
  const bool vowel = word.starts_with('i') || word.starts_with('o');
  return (vowel ? "an " : "a ") + std::string(word);
}

Error wrong_argument(const KernelInfo& kernel, const ParamInfo& param, const Argument& argument) {
  return Error(ErrorKind::type,
               fmt::format("{}: parameter '{}' is {}, got {}", kernel.name, param.name,
                           strip(param.type), argument.str()));
}

template <class T>
const char* store_integer(const Argument& argument, void* to, Overflow overflow) {
  using Limits = std::numeric_limits<T>;
  if (overflow == Overflow::error) {
    bool fits;
    if (argument.is_big)
      fits = std::is_unsigned_v<T> && sizeof(T) == 8;
    else if constexpr (std::is_unsigned_v<T>)
      fits = argument.i >= 0 && static_cast<uint64_t>(argument.i) <= Limits::max();
    else
      fits = argument.i >= Limits::min() && argument.i <= Limits::max();
    if (!fits) return "is out of its range";
  }
  const T value = static_cast<T>(argument.u);
  std::memcpy(to, &value, sizeof value);
  return nullptr;
}

double real_of(const Argument& argument) {
  if (argument.kind == Argument::Kind::floating || argument.kind == Argument::Kind::complex)
    return argument.z[0];
  return argument.is_big ? static_cast<double>(argument.u) : static_cast<double>(argument.i);
}

uint16_t bfloat16_of(const Argument& argument) {
  using Kind = Argument::Kind;
  const bool is_whole = argument.kind == Kind::integer || argument.kind == Kind::boolean;
  return float_to_bfloat16(!is_whole ? to_odd(real_of(argument)) : argument.is_big ? to_odd(argument.u) : to_odd(argument.i));
}

/// The dtype of a real and an imaginary part, or the dtype itself.
Dtype component(Dtype dtype) {
  if (dtype == Dtype::complex64) return Dtype::float32;
  if (dtype == Dtype::complex128) return Dtype::float64;
  return dtype;
}

bool is_whole(Dtype dtype) { return is_integer(dtype) || info(dtype).kind == DtypeKind::boolean; }

void check_pointer(const KernelInfo& kernel, const ParamInfo& param, const Argument& argument,
                   Device& device) {
  const ArrayRef& array = argument.array;
  const bool dtype_fits = param.dtype != Dtype::opaque
                              ? same_representation(array.dtype, param.dtype) ||
                                    (array.is_bits && array.itemsize == info(param.dtype).size)
                              : param.element_size <= 1 || array.itemsize == param.element_size ||
                                    param.element_size % array.itemsize == 0;
  if (!dtype_fits) {
    Error error = wrong_argument(kernel, param, argument);
    if (param.dtype != Dtype::opaque)
      error.fix(fmt::format("pass {}.astype('{}')", param.name.empty() ? "x" : param.name,
                            info(param.dtype).name));
    throw error;
  }
  if (array.is_host ? !device.is_host() : array.device != &device) {
    const std::string where = array.is_host ? "in host memory" : "on " + array.device->str();
    throw Error(ErrorKind::type, fmt::format("{}: parameter '{}' is {}, the kernel runs on {}",
                                             kernel.name, param.name, where, device.str()))
        .fix(array.is_host ? "copy it there first: ks.array(x, device='" + device.str() + "')"
                           : "move it there: x.to_device('" + device.str() + "')");
  }
  if (param.is_written && array.is_read_only && !param.is_const)
    throw Error(ErrorKind::value,
                fmt::format("{}: parameter '{}' is written, but its array is read-only",
                            kernel.name, param.name))
        .fix("pass a copy");
  if (!array.is_c_contiguous() && !array.is_f_contiguous())
    throw Error(ErrorKind::value,
                fmt::format("{}: parameter '{}' is not contiguous: {} with strides {}", kernel.name,
                            param.name, argument.str(),
                            [&] {
                              ArrayRef strides = array;
                              strides.shape = array.strides;
                              return shape_text(strides);
                            }()))
        .why("a kernel gets a pointer and knows nothing of strides")
        .fix("pass x.copy()");
}

void pack_one(const KernelInfo& kernel, const ParamInfo& param, const Argument& argument,
              Device& device, PackedArguments& packed) {
  using Kind = Argument::Kind;
  switch (param.kind) {
    case ParamKind::pointer: {
      const void* address = nullptr;
      if (argument.kind == Kind::array) {
        check_pointer(kernel, param, argument, device);
        address = argument.array.data;
      } else if (argument.kind == Kind::pointer) {
        address = argument.pointer;
      } else if (argument.kind == Kind::integer) {
        address = reinterpret_cast<const void*>(argument.u);
      } else if (argument.kind != Kind::nothing) {
        throw wrong_argument(kernel, param, argument);
      }
      packed.add_value(address);
      return;
    }
    case ParamKind::scalar: {
      if (argument.kind == Kind::bytes && argument.size == param.size) {
        packed.add_outside(argument.pointer);
        return;
      }
      if (!argument.is_scalar()) {
        // An address for size_t and the like; a 0-d host array is a scalar.
        if (argument.kind == Kind::pointer && param.size == 8 && is_whole(param.dtype)) {
          packed.add_value(argument.pointer);
          return;
        }
        if (argument.kind == Kind::array && argument.array.is_host && argument.array.ndim == 0 &&
            argument.array.dtype == param.dtype) {
          packed.add_outside(argument.array.data);
          return;
        }
        throw wrong_argument(kernel, param, argument);
      }
      void* to = packed.add(param.size, param.align ? param.align : param.size);
      if (const char* why = convert_scalar(argument, param.dtype, to))
        throw wrong_argument(kernel, param, argument).why(std::string("the value ") + why);
      return;
    }
    case ParamKind::record: {
      if (argument.kind == Kind::bytes && argument.size == param.size) {
        packed.add_outside(argument.pointer);
        return;
      }
      if (argument.kind == Kind::array && argument.array.is_host &&
          argument.array.size() * argument.array.itemsize == param.size &&
          argument.array.is_c_contiguous()) {
        packed.add_outside(argument.array.data);
        return;
      }
      const bool is_pair = param.type.find("omplex") != std::string::npos;
      if (argument.is_scalar() && is_pair && (param.size == 8 || param.size == 16)) {
        convert_scalar(argument, param.size == 8 ? Dtype::complex64 : Dtype::complex128,
                       packed.add(param.size, 16));
        return;
      }
      if (argument.is_scalar() && argument.is_typed && info(argument.dtype).size == param.size) {
        convert_scalar(argument, argument.dtype, packed.add(param.size, 16));
        return;
      }
      throw wrong_argument(kernel, param, argument)
          .why(fmt::format("it is a struct of {} bytes", param.size))
          .fix("pass a NumPy record of that size, or its bytes");
    }
  }
}

/// Only PTX was there to look at: sizes are all that is known.
void pack_by_size(const KernelInfo& kernel, size_t index, const Argument& argument,
                  PackedArguments& packed) {
  const ParamInfo& param = kernel.params[index];
  using Kind = Argument::Kind;
  if (argument.kind == Kind::bytes && argument.size == param.size) {
    packed.add_outside(argument.pointer);
  } else if (param.size == 8 && (argument.kind == Kind::array || argument.kind == Kind::pointer ||
                                 argument.kind == Kind::nothing)) {
    packed.add_value(argument.kind == Kind::array     ? static_cast<const void*>(argument.array.data)
                     : argument.kind == Kind::pointer ? argument.pointer
                                                      : nullptr);
  } else if (argument.is_scalar() && argument.is_typed && info(argument.dtype).size == param.size) {
    convert_scalar(argument, argument.dtype, packed.add(param.size, param.size));
  } else if (argument.is_scalar() && !argument.is_typed && param.size <= 8) {
    const bool is_real = argument.kind == Kind::floating;
    const Dtype dtype = is_real ? (param.size == 4 ? Dtype::float32 : Dtype::float64)
                        : param.size == 1 ? Dtype::int8
                        : param.size == 2 ? Dtype::int16
                        : param.size == 4 ? Dtype::int32
                                          : Dtype::int64;
    convert_scalar(argument, dtype, packed.add(param.size, param.size), Overflow::wrap);
  } else {
    throw Error(ErrorKind::type, fmt::format("{}: parameter {} has {} bytes, got {}", kernel.name,
                                             index, param.size, argument.str()));
  }
}

}  // namespace

int64_t ArrayRef::size() const {
  int64_t n = 1;
  for (int i = 0; i < ndim; ++i) n *= shape[i];
  return n;
}

bool ArrayRef::is_c_contiguous() const {
  int64_t expected = itemsize;
  for (int i = ndim - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected) return size() == 0;
    expected *= shape[i];
  }
  return true;
}

bool ArrayRef::is_f_contiguous() const {
  int64_t expected = itemsize;
  for (int i = 0; i < ndim; ++i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected) return size() == 0;
    expected *= shape[i];
  }
  return true;
}

namespace {

void show_shape(ArrayRef& ref, const Array& array) {
  ref.shape = array.shape().data();
  ref.strides = array.strides().data();
  ref.ndim = array.ndim();
  ref.dtype = array.dtype();
  ref.is_read_only = array.is_read_only();
  ref.itemsize = static_cast<uint32_t>(array.itemsize());
  ref.device = &array.device();
}

}  // namespace

ArrayRef array_ref(const Array& array) {
  ArrayRef ref;
  show_shape(ref, array);
  {
    const Held held(array);  // to its end nobody else may look at the array
    if (held.may_be_written()) {
      ref.data = held.memory();
      ref.buffer = &held.buffer();
      return ref;
    }
  }
  ref.data = array.address();  // a launch orders itself: its stream may be another
  ref.buffer = array.buffer().get();
  return ref;
}

Argument Argument::to_read(const Array& array, bool has_to_be_computed) {
  Argument argument;
  argument.kind = Kind::array;
  argument.dtype = array.dtype();
  ArrayRef& ref = argument.array;
  if (array.is_pending() && !has_to_be_computed) {
    argument.pending = &array;
  } else {
    ref.buffer = array.buffer().get();
    ref.data = static_cast<char*>(ref.buffer->memory()) + array.offset();
  }
  show_shape(ref, array);
  return argument;
}

std::string Argument::str() const {
  switch (kind) {
    case Kind::nothing: return "None";
    case Kind::pointer: return "a pointer";
    case Kind::bytes: return fmt::format("a struct of {} bytes", size);
    case Kind::array: {
      const std::string name = dtype == Dtype::opaque
                                   ? fmt::format("{}-byte record", array.itemsize)
                                   : std::string(info(dtype).name);
      return fmt::format("{} array of shape {}", a_or_an(name), shape_text(array));
    }
    case Kind::boolean: return i ? "True" : "False";
    case Kind::integer: {
      const std::string value = is_big ? std::to_string(u) : std::to_string(i);
      return (is_typed ? std::string(info(dtype).name) : "int") + " " + value;
    }
    case Kind::floating:
      return fmt::format("{} {}", is_typed ? info(dtype).name : "float", z[0]);
    case Kind::complex:
      return fmt::format("{} ({}{:+}j)", is_typed ? info(dtype).name : "complex", z[0], z[1]);
  }
  return "?";
}

const char* convert_scalar(const Argument& argument, Dtype dtype, void* to, Overflow overflow) {
  using Kind = Argument::Kind;
  const DtypeKind kind = info(dtype).kind;
  if (kind == DtypeKind::signed_ || kind == DtypeKind::unsigned_) {
    if (argument.kind != Kind::integer && argument.kind != Kind::boolean) return "is no integer";
    switch (dtype) {
      case Dtype::int8: return store_integer<int8_t>(argument, to, overflow);
      case Dtype::int16: return store_integer<int16_t>(argument, to, overflow);
      case Dtype::int32: return store_integer<int32_t>(argument, to, overflow);
      case Dtype::int64: return store_integer<int64_t>(argument, to, overflow);
      case Dtype::uint8: return store_integer<uint8_t>(argument, to, overflow);
      case Dtype::uint16: return store_integer<uint16_t>(argument, to, overflow);
      case Dtype::uint32: return store_integer<uint32_t>(argument, to, overflow);
      default: return store_integer<uint64_t>(argument, to, overflow);
    }
  }
  if (kind == DtypeKind::opaque) return "has no such type";
  if (argument.kind == Kind::complex && kind != DtypeKind::complex_) return "is complex";
  const double real = real_of(argument);
  const double imaginary = argument.kind == Kind::complex ? argument.z[1] : 0.0;
  const auto store = [to](auto value) { std::memcpy(to, &value, sizeof value); };
  switch (dtype) {
    case Dtype::bool_: store(real != 0.0); break;
    case Dtype::float16: store(static_cast<_Float16>(real)); break;
    case Dtype::bfloat16: store(bfloat16_of(argument)); break;
    case Dtype::float32: store(static_cast<float>(real)); break;
    case Dtype::float64: store(real); break;
    case Dtype::complex64: store(std::complex<float>(float(real), float(imaginary))); break;
    default: store(std::complex<double>(real, imaginary)); break;
  }
  return nullptr;
}

bool same_representation(Dtype have, Dtype want) {
  if (have == want) return true;
  if (have == Dtype::opaque) return want == Dtype::uint8 || want == Dtype::int8;
  if (component(have) == want) return true;
  const size_t size = info(have).size;
  if (size != info(want).size) return false;
  if (is_whole(have) && is_whole(want)) return true;
  // 16-bit floats have no type of their own in many programs.
  return size == 2 && (is_whole(have) || is_whole(want));
}

void* PackedArguments::add(size_t size, size_t align) {
  used_ = (used_ + align - 1) / align * align;
  void* place;
  if (used_ + size <= inline_bytes) {
    place = bytes_ + used_;
    used_ += size;
  } else {
    more_bytes_.push_back(std::make_unique<std::byte[]>(size));
    place = more_bytes_.back().get();
  }
  if (count_ == capacity_) grow();
  return pointers_[count_++] = place;
}

void PackedArguments::add_outside(const void* value) {
  if (count_ == capacity_) grow();
  pointers_[count_++] = const_cast<void*>(value);
}

void PackedArguments::grow() {
  std::vector<void*> larger(capacity_ * 2);
  std::copy(pointers_, pointers_ + count_, larger.begin());
  more_pointers_ = std::move(larger);
  pointers_ = more_pointers_.data();
  capacity_ *= 2;
}

static Error wrong_count(std::string_view kernel, const std::vector<std::string>& declared, size_t given) {
  return Error(ErrorKind::type, fmt::format("{} takes {} arguments, got {}", kernel, declared.size(), given))
      .why("its parameters are (" + join(declared) + ")");
}

void check_count(std::string_view kernel, const std::vector<Parameter>& declared, size_t given) {
  if (given == declared.size()) return;
  std::vector<std::string> texts;
  for (const Parameter& param : declared) texts.push_back(declaration(param));
  throw wrong_count(kernel, texts, given);
}

void check_count(std::string_view kernel, size_t inputs, size_t outputs, size_t given) {
  const size_t all = inputs + outputs;
  if (given != inputs && given != all)
    throw Error(ErrorKind::type, "Wrong number of arguments for " + quote(kernel))
        .why(fmt::format("it takes {} inputs{}, got {}", inputs,
                         outputs ? fmt::format(", or these and {} outputs", outputs) : "", given));
  if (all > max_parameters)
    throw Error(ErrorKind::unsupported,
                fmt::format("{} has {} parameters; at most {} are possible", kernel, all, max_parameters));
}

void pack_arguments(const KernelInfo& kernel, std::span<const Argument> args, Device& device,
                    PackedArguments& packed) {
  if (args.size() != kernel.params.size()) {
    std::vector<std::string> declared;
    for (const ParamInfo& param : kernel.params)
      declared.push_back(param.name.empty() ? std::string(strip(param.type))
                                            : std::string(strip(param.type)) + " " + param.name);
    throw wrong_count(kernel.name, declared, args.size());
  }
  pack_values(kernel, args, device, packed);
}

void pack_values(const KernelInfo& kernel, std::span<const Argument> args, Device& device,
                 PackedArguments& packed) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (kernel.params_known) pack_one(kernel, kernel.params[i], args[i], device, packed);
    else pack_by_size(kernel, i, args[i], packed);
  }
}

void check_ends(const KernelInfo& kernel, std::span<const Argument> args) {
  for (size_t i = 0; i < args.size(); ++i)
    if (const Buffer* buffer = args[i].array.buffer)
      buffer->check_end(kernel.name, i < kernel.params.size() ? kernel.params[i].name : "an argument");
}

/// The device of the arrays among `args`, or null.
static Device* device_of(std::string_view kernel, std::span<const Argument> args) {
  Device* device = nullptr;
  for (const Argument& argument : args) {
    const bool is_somewhere =
        argument.kind == Argument::Kind::array || argument.kind == Argument::Kind::pointer;
    if (!is_somewhere || !argument.array.device) continue;
    if (device && device != argument.array.device)
      throw Error(ErrorKind::type, fmt::format("{}: its arrays are on two devices, {} and {}",
                                               kernel, device->str(), argument.array.device->str()))
          .fix("move one: x.to_device('" + device->str() + "')");
    device = argument.array.device;
  }
  return device;
}

Device& device_for(std::string_view kernel, std::span<const Argument> args, Stream* stream,
                   std::initializer_list<Device*> wanted) {
  if (Device* device = device_of(kernel, args)) return *device;
  if (stream) return stream->device();
  for (Device* device : wanted)
    if (device) return *device;
  return default_device();
}

}  // namespace kasoku
