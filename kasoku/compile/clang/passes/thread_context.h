/// \file kasoku/compile/clang/passes/thread_context.h
/// The context of a thread: what a function that is not inlined knows of its caller.
#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace kasoku::embedded {

/// Before inlining: gives each shared variable its place in a context, and notes whether a
/// function that a pointer may lead to reads one. `all_read`: each function asks for its thread.
void number_shared_variables(llvm::Module& module, bool all_read);

/// After inlining: a function that is left calls itself or is called through a pointer. It
/// gets its thread's indices and the places of shared variables as one more argument, the
/// last: a callee that does not know of it is none the worse.
void pass_thread_context(llvm::Module& module, llvm::Function& kernel, bool all_read);

/// Makes these functions read what they ask of their thread from that argument.
void read_thread_context(llvm::Module& module);

}  // namespace kasoku::embedded
