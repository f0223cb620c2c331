/// \file kasoku/jit/lower.h
/// TypedFunction -> kernel text. What the text looks like is told on top of lower.cpp.
#pragma once

#include "kasoku/compile/program.h"
#include "kasoku/jit/typed_function.h"

#include <string>
#include <vector>

namespace kasoku::jit {

/// A sentence for f.report(): how a loop or an array expression was compiled.
struct Remark {
  std::string function;
  int line = 0;
  std::string text;
  std::string carried = {};  ///< the variable that keeps a prange from running in parallel
};

struct Lowered {
  Program program;
  Program device_program;            ///< if it offloads: the kernels that `program` launches
  std::vector<std::string> kernels;  ///< their names, by number
  bool device_words = false;         ///< kernels read the call's words: arrays outside
  std::string entry;            ///< the kernel's name
  std::vector<Type> arguments;  ///< in the order of their words, hidden ones last
  Type result;
  bool raises = false;  ///< a kernel: its last parameter is the record of a failure
  bool uses_random = false;
  bool has_loops = false;       ///< or recursion
  bool has_arrays = false;      ///< as a whole; with neither a call is over in nanoseconds
  bool recurses = false;
  std::vector<Remark> remarks;
};

/// The text of a unit whose entry is a host function (ks.jit), run as one thread of
/// one block: arguments and results are 64-bit words, see words_of. `offloads`: its arrays lie on
/// a device, where its parallel loops and array expressions run.
Lowered lower(const TypedUnit& unit, bool offloads = false);

/// The text of a ks.cuda.jit kernel: parameters are scalars and ks_array structs.
Lowered lower_kernel(const TypedUnit& unit);

/// 64-bit words that a value takes among a call's words: a scalar one (complex two), an
/// array 1 (data) + ndim (shape) + ndim (strides, elements) + 1 (memory), a tuple its items',
/// optional a flag and its item's.
int words_of(const Type& type);

}  // namespace kasoku::jit
