/// \file kasoku/jit/algorithms.h
/// What compiled functions have of kasoku/array: sorts, sets, counts, transforms, factors …, by the code that arrays
/// have, on the device where the operands lie.
#pragma once

#include "kasoku/device/device.h"
#include "kasoku/jit/runtime.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kasoku::jit {

/// ks_given of the kernels' text: an operand. Strides are in elements.
struct Given {
  enum Kind : int32_t { number = -1, none = -2, text = -3, integers = -4 };  ///< where ndim is negative
  const void* data;
  Memory* memory;  ///< of an array on a device
  const int64_t *shape, *strides;
  int32_t dtype;  ///< of integers: how many
  int32_t ndim;
};

/// ks_made: where a result goes. An array gets memory of its own; a number (ndim is -1) is stored at `data`.
struct Made {
  void* data;  ///< of an array: where the address goes
  Memory** memory;
  int64_t* shape;
  int32_t dtype, ndim;
};

/// Whether there is an algorithm of this name.
bool has_algorithm(std::string_view name);
/// Throws what the algorithm throws.
void run_algorithm(std::string_view name, std::span<const Given> given, std::span<const Made> made, Device& device);

}  // namespace kasoku::jit
