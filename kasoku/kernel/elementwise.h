/// \file kasoku/kernel/elementwise.h
/// A kernel from the text of one element, in two spellings.
///
/// Over pointers (PyCUDA's): the operation indexes arrays by `i` itself, nothing is
/// returned.
///   ElementwiseKernel plus_one("int *x, int *y", "y[i] = x[i] + 1");
///   plus_one({x, y});
/// Over elements (CuPy's): inputs broadcast, types may be placeholders, outputs are made.
///   ElementwiseKernel squared("T x, T y", "T z", "z = (x - y) * (x - y)");
///   Array z = squared({x, y})[0];
///
/// In both the text sees `i` (this element), `n` (their number), and compiles at the first
/// call for a combination of dtypes, ranks and contiguity, never for a size.
#pragma once

#include "kasoku/kernel/arguments.h"
#include "kasoku/kernel/locate.h"
#include "kasoku/kernel/signature.h"

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace kasoku {

struct ElementwiseOptions {
  std::string name = "kernel";
  std::string preamble;    ///< before the kernel: functions, includes
  std::string loop_prep;   ///< in the kernel, before the loop over elements
  std::string after_loop;
  std::vector<std::string> options;  ///< for the compiler
  bool reduce_dims = true;    ///< axes may be merged; seen only by _ind
  bool no_return = false;     ///< outputs must be passed
  bool return_tuple = false;  ///< for Python: a tuple also of one output
  Device* device = nullptr;   ///< where no argument says which; nullptr: the default device
  Locator locate;             ///< leads messages to the user's own file
  bool is_checked = false;    ///< accesses are told to check (check/kernel_check.h)
};

/// start, stop, step as in Python's slice(); resolved against the number of elements if
/// `is_slice`, taken as they are if not.
struct ElementRange {
  std::optional<int64_t> start, stop, step;
  bool is_slice = false;
};

struct ElementwiseCall {
  std::optional<ElementRange> range;  ///< over pointers only
  int64_t size = -1;                  ///< over elements, where every array is raw
  int64_t block_size = 0;             ///< threads of a block; 0: ours
  Stream* stream = nullptr;
  Device* device = nullptr;           ///< instead of the options'
};

class ElementwiseKernel {
 public:
  ElementwiseKernel(std::string_view arguments, std::string operation,
                    ElementwiseOptions options = {});
  ElementwiseKernel(std::string_view in_params, std::string_view out_params, std::string operation,
                    ElementwiseOptions options = {});
  /// Over pointers, parsed before.
  ElementwiseKernel(std::vector<Parameter> arguments, std::string operation,
                    ElementwiseOptions options);

  /// Checks the arguments, naming the parameter that is wrong, and launches. Over elements:
  /// `args` are the inputs, or the inputs and all outputs; returns the outputs. Over pointers:
  /// arrays that the operation indexes only by `i` have one length; returns nothing.
  std::vector<Array> operator()(std::span<const Argument> args,
                                const ElementwiseCall& call = {}) const;
  std::vector<Array> operator()(std::initializer_list<Argument> args,
                                const ElementwiseCall& call = {}) const {
    return (*this)(std::span<const Argument>(args.begin(), args.size()), call);
  }

  /// The device for a call: that of its arrays, else the call's, else that of the options, else the default.
  Device& device_for(std::span<const Argument> args, const ElementwiseCall& call = {}) const;

  bool is_over_pointers() const;
  const ElementwiseOptions& options() const;
  const std::vector<Parameter>& in_params() const;   ///< over pointers: all
  const std::vector<Parameter>& out_params() const;
  const std::string& operation() const;
  /// Compiles this kernel for check from now on, for the CPU. Copies made before stay as they are.
  void watch();
  /// Kernel texts generated so far, newest first, to read.
  std::vector<std::string> texts() const;

 private:
  struct State;
  struct Plan;
  std::vector<Array> call_over_elements(std::span<const Argument>, const ElementwiseCall&) const;
  void call_over_pointers(std::span<const Argument>, const ElementwiseCall&) const;
  std::shared_ptr<State> state_;
};

}  // namespace kasoku
