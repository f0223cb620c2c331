/// \file kasoku/compile/clang/child_launches.h
/// `k<<<…>>>(args)` in device code: a call of the kernel k, which becomes one of the run-time function
///   void ks_rt_launch(const char* symbol, void* const* args, uint64_t from_block, uint32_t from_thread)
/// with the parameters as the kernel's entry takes them. What shape the launch has, its thread has told
/// ks_rt_configure before (prelude/launch.h); others may have said theirs since, where threads meet in
/// the arguments.
#pragma once

#include <functional>
#include <string>

namespace clang {
class CodeGenerator;
class SourceLocation;
}  // namespace clang
namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace kasoku::embedded {

/// Kernels are known by an attribute from here on.
void mark_kernels(clang::CodeGenerator& generator, llvm::Module& module);
bool is_kernel(const llvm::Function& function);

/// Call when the kernels' parameters are described. `report` gets a sentence and the place of the kernel that it is about.
void lower_child_launches(clang::CodeGenerator& generator, llvm::Module& module,
                          const std::function<void(const std::string&, clang::SourceLocation)>& report);

}  // namespace kasoku::embedded
