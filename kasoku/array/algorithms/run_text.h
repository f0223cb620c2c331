/// \file kasoku/array/algorithms/run_text.h
/// Kernels whose text is written by hand: what algorithms need that is no map, reduction, scan or store of a group.
#pragma once

#include "kasoku/array/array.h"

#include <cstdint>
#include <span>
#include <string>

namespace kasoku {

class Function;

/// A parameter of 8 bytes: an address or a number.
struct TextParameter {
  uint64_t bits;

  TextParameter(const void* address) : bits(reinterpret_cast<uintptr_t>(address)) {}
  TextParameter(int64_t number) : bits(static_cast<uint64_t>(number)) {}
};

/// Runs the kernel ks_algorithm of `text`, which may call what codegen/helpers.def defines, on `blocks` blocks of `threads`. KS_SIMT
/// is defined where threads are cheap and run side by side.
void run_text(const std::string& text, Device& device, int64_t blocks, uint32_t threads, std::span<const TextParameter> parameters);

/// The kernel of a text. A caller that does not know yet whether it has to run can compile it while the device is busy.
Function& text_function(const std::string& text, Device& device);
void run_text(Function& function, Device& device, int64_t blocks, uint32_t threads, std::span<const TextParameter> parameters);

/// Kernel text of an unsigned integer, or of two, of so many bytes: what elements are that are only moved.
std::string_view moved_text(size_t itemsize);

/// Elements that a worker of the CPU's should have at least, and how many blocks that gives for `n` of them.
int64_t blocks_for(Device& device, int64_t n, int64_t elements_of_worker = 16384);

}  // namespace kasoku
