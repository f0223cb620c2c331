/// \file kasoku/compile/clang/passes/forward_lanes.h
/// Moves what lanes of a warp hand each other from memory to vector registers.
///
/// A region stores what its lanes bring to an array on the stack, and the next one
/// loads it, shifted by a shuffle's distance (Scratch::add_lanes). Once the loops over
/// 32 lanes are vectors without a loop, every place in the array is known: a load is
/// what was stored there before, mostly two vectors shuffled, and the array is gone.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class AllocaInst;
}

namespace kasoku::embedded {

constexpr unsigned lanes_of_warp = 32;

/// An array of 3 x 32 elements of which only the middle third is ever stored to after
/// the zeros that it begins with.
void mark_lane_memory(llvm::AllocaInst& array);

struct LaneMemoryPass : llvm::PassInfoMixin<LaneMemoryPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace kasoku::embedded
