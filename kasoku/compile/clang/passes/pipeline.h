/// \file kasoku/compile/clang/passes/pipeline.h
/// LLVM's own passes, in the order that suits kernels.
///
/// Clang's default pipelines take twice the time for small kernels and unroll
/// the loop over a block's threads before it can be vectorised.
#pragma once

#include <memory>

namespace llvm {
class Function;
class Module;
class TargetMachine;
}  // namespace llvm

namespace kasoku::embedded {

class Passes;

class Pipeline {
 public:
  /// With `uses_vector_math`, calls of libm may become calls of libmvec.
  Pipeline(llvm::TargetMachine& target, bool uses_vector_math, Passes& passes);
  ~Pipeline();
  Passes& passes();

  /// Drops what nothing uses and inlines what is marked always_inline; if the kernel is one of one thread, keeps one
  /// of equal functions.
  void inline_all(llvm::Module& module, bool is_serial);
  /// Locals become registers, short loops text; every access to other memory stays where the text has it.
  void promote_locals(llvm::Module& module);
  /// Runs SROA and simplification and unrolls short loops, before barriers are looked at.
  void simplify_early(llvm::Module& module);
  /// Makes functions of the loops of a long function; for kernels of one thread.
  void take_loops_apart(llvm::Module& module);
  /// Simplifies a kernel again after passes changed it.
  void clean(llvm::Function& function);
  /// `is_serial`: one thread a block, so that the user's own loops are what counts.
  /// Whether LLVM's loop strength reduction, which the code generator has, gains by what it made.
  bool optimize(llvm::Module& module, bool is_serial);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kasoku::embedded
