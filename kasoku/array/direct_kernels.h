/// \file kasoku/array/direct_kernels.h
/// What operations on few elements (direct.h) have in common: kernels that are found once for an operation and its dtypes,
/// the parameters of a launch, and operands that are there.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/array/run.h"
#include "kasoku/base/blocking.h"
#include "kasoku/codegen/scan_text.h"
#include "kasoku/device/module.h"
#include "kasoku/device/stream.h"

#include <atomic>
#include <memory>

namespace kasoku::at_once {

inline constexpr size_t n_dtypes = std::size(dtype_table), most_operands = 3;

struct alignas(16) Number {
  uint64_t words[2];
};

/// Whether operations on arrays of so many elements of that dtype run at once there.
bool is_for_now(int64_t n, Dtype dtype, const Device& device);

/// A group whose elements lie in a row.
Fused on_a_row(Group group, Dtype store, Device& device);

/// The function in `place`, which is found once.
template <class Make>
Function& found(std::atomic<Function*>& place, Device& device, Make&& make) {
  if (Function* function = place.load(std::memory_order_acquire)) return *function;
  const Blocking others_go_on;
  Function& function = group_kernel(make(), device);
  place.store(&function, std::memory_order_release);
  return function;
}

/// The parameters of codegen/group.h: y (and positions), loads, numbers; then total and chunk, or lengths, strides in
/// bytes but for the innermost axis, pairs, per_block, chunks, first_chunk, length, and of columns how many are taken at once.
class Arguments {
 public:
  Arguments(void*& y, int64_t& length) : length_(&length) { add(&y); }
  void add(void* value) { pointers_[count_++] = value; }
  void launch(Function& function, Device& device) {
    for (int64_t* each : {length_, length_}) add(each);
    function.launch_one(pointers_, device.current_stream());
  }
  void launch_reduction(Function& function, int64_t pairs, int64_t width, Device& device) {
    for (int64_t* each : {&pairs, &pairs, &one_, &zero_, length_, &width}) add(each);
    function.launch_one(pointers_, device.current_stream());
  }
  void launch_scan(Function& function, int64_t rows, int64_t chunk, void* before, Device& device) {
    for (int64_t* each : {&rows, &rows, &one_, length_, &chunk}) add(each);
    add(&before);
    function.launch_one(pointers_, device.current_stream());
  }

 private:
  static constexpr size_t most = 9 + 2 * most_operands;
  void* pointers_[most];
  size_t count_ = 0;
  int64_t* length_;
  int64_t one_ = 1, zero_ = 0;
};

/// The kernel of cast(), to be found before memory is held: while it is compiled other threads go on, and may wait for what is held.
Function& cast_function(Dtype from, Dtype to, Device& device);
/// n elements in C order as another dtype.
void cast(void* y, const char* memory, Dtype from, Dtype to, int64_t n, Device& device);

/// More are put in order or stretched by a graph's kernel, which reads them where they are.
inline constexpr int64_t few_to_spread = 1024;

/// An operand's elements, of the dtype that the operation takes and one behind the other.
struct Source {
  std::shared_ptr<Buffer> keep;  ///< another thread may give the array another buffer
  const char* memory = nullptr;
  bool is_constant = false;  ///< the same number everywhere, which needs no memory of its own
  alignas(16) char number[16];

  /// False: it is pending, or many elements would have to be put in order first for `shape`. One number everywhere takes no
  /// kernel to be there.
  bool find(const Array& array, const Shape& shape);
  /// In C order, stretched to `shape`.
  void spread(const Array& array, const Shape& shape, Device& device);
  void spread_into(void* y, const Array& array, const Shape& shape) const;
  void convert(Dtype from, Dtype to, int64_t n, Device& device);
  void convert_into(void* y, Dtype from, Dtype to, int64_t n, Device& device) { cast(y, memory, from, to, n, device); }

 private:
  void take(std::shared_ptr<Buffer> apart);
};

}  // namespace kasoku::at_once
