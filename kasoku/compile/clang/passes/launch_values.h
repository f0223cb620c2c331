/// \file kasoku/compile/clang/passes/launch_values.h
/// Values that are made of a launch's arguments alone, so that they can be made before any thread runs.
#pragma once

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

struct EntryFrame;

/// Whether the kernel's value is made of arguments, at any place.
bool is_of_launch(const llvm::Value* value, int depth = 0);

/// Computes such a value once more, where `build` stands in `frame`.
llvm::Value* copy_of(const EntryFrame& frame, llvm::IRBuilderBase& build, llvm::Value* value);

}  // namespace kasoku::embedded
