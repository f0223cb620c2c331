/// \file kasoku/compile/clang/passes/instrument.h
/// Tells the checker every access to memory that threads can share, and every
/// barrier (kasoku/check/shadow.h has the functions that are called).
///
/// Runs after everything is inlined and locals are registers, and before any pass that
/// reads ahead of a test or makes one access of two: each is told with its line, where the
/// text has it. What comes of it is cut into regions and run like any other kernel, which
/// makes the order of accesses the order of the language.
#pragma once

namespace llvm {
class Module;
}

namespace kasoku::embedded {

struct BlockShape;
struct PreparedKernel;

/// `is_generated`: a compiled function, whose loops say themselves which iteration runs
/// (ks_check_iteration); all its functions are watched then, and no thread is asked for.
void instrument(llvm::Module& module, const PreparedKernel& kernel, bool is_generated);

}  // namespace kasoku::embedded
