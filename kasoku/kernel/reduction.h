/// \file kasoku/kernel/reduction.h
/// A reduction from the text of its map and of how two values become one.
///
/// Over pointers (PyCUDA's): all elements of flat arrays; a 0-d array comes back.
///   ReductionKernel dot({"float", Dtype::float32}, "0", "a + b", "x[i] * y[i]", "float *x, float *y");
/// Over elements (CuPy's): inputs broadcast, some or all axes go.
///   ReductionKernel norm("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0");
///
/// The result depends on the shapes and values alone, not on workers, device or memory order: it is joined by the fixed tree
/// of codegen/reduce_tree.cpp, as reductions of arrays are. The identity is what reducing nothing gives, and joined with nothing.
#pragma once

#include "kasoku/kernel/elementwise.h"

#include <memory>

namespace kasoku {

/// A type of kernel text; the dtype is missing for a struct that the preamble defines, whose
/// size is then told.
struct KernelType {
  std::string text;
  Dtype dtype = Dtype::opaque;
  size_t size = 0;
};

struct ReductionOptions {
  std::string name = "reduce_kernel";
  std::string preamble;
  std::vector<std::string> options = {};
  Device* device = nullptr;  ///< where no argument says which; nullptr: the default device
  Locator locate = {};       ///< leads messages to the user's own file
  bool is_checked = false;   ///< as in ElementwiseOptions
};

struct ReductionCall {
  std::optional<ElementRange> range;      ///< over pointers
  std::optional<std::vector<int>> axes;   ///< over elements; nothing: all
  bool keepdims = false;
  std::optional<Array> out;               ///< over elements and pointers
  Stream* stream = nullptr;
  Device* device = nullptr;
};

class ReductionKernel {
 public:
  /// `map_expr` empty: the first array's element.
  ReductionKernel(KernelType out, std::string neutral, std::string reduce_expr,
                  std::string map_expr, std::vector<Parameter> arguments,
                  ReductionOptions options = {});
  /// `identity` empty: there is none, and reducing nothing is an error. `reduce_type` empty: the
  /// type of the first output.
  ReductionKernel(std::string_view in_params, std::string_view out_params, std::string map_expr,
                  std::string reduce_expr, std::string post_map_expr, std::string identity,
                  std::string reduce_type = "", ReductionOptions options = {});

  /// The outputs; over pointers one.
  std::vector<Array> operator()(std::span<const Argument> args, const ReductionCall& call = {}) const;
  std::vector<Array> operator()(std::initializer_list<Argument> args,
                                const ReductionCall& call = {}) const {
    return (*this)(std::span<const Argument>(args.begin(), args.size()), call);
  }

  bool is_over_pointers() const;
  const std::string& name() const;
  const ReductionOptions& options() const;
  const std::vector<Parameter>& in_params() const;
  const std::vector<Parameter>& out_params() const;
  /// Compiles this kernel for check from now on, as ElementwiseKernel::watch() does.
  void watch();
  size_t inputs() const;
  std::vector<std::string> texts() const;

 private:
  struct State;
  std::vector<Array> reduce_pointers(std::span<const Argument>, const ReductionCall&) const;
  std::vector<Array> reduce_elements(std::span<const Argument>, const ReductionCall&) const;
  std::shared_ptr<State> state_;
};

}  // namespace kasoku
