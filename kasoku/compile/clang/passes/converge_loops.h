/// \file kasoku/compile/clang/passes/converge_loops.h
/// Turns grid-stride loops inside out, so that the loop over threads is innermost.
///
/// `for (i = first + threadIdx.x; i < n; i += step)` run thread by thread strides
/// through memory. Threads are independent, so each pass of the loop may be done
/// by all threads before the next one: the loop is made uniform (thread 0, whose
/// index is the least, decides when it ends; that of block 0 for all blocks if they
/// can be ordered), threads whose index is too large
/// skip the pass, and the passes are cut apart by Sync::loop. The same is done for each
/// warp, whose loops start at a lane: `for (i = begin + lane; i < end; i += 32)`, where
/// the warp's first thread decides and Sync::lane_loop cuts.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/split_at_syncs.h"

#include <vector>

#include "llvm/IR/InstrTypes.h"

#include <utility>

namespace llvm {
class BasicBlock;
class BranchInst;
class Function;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

/// A comparison in the form in which it holds where control goes to `to`: index below bound.
struct Test {
  llvm::CmpInst::Predicate predicate = llvm::CmpInst::BAD_ICMP_PREDICATE;
  llvm::Value* index = nullptr;
  llvm::Value* bound = nullptr;
};
Test test_of(llvm::BranchInst& branch, const llvm::BasicBlock* to);

/// The branch that decides whether a loop is entered, and where it goes then; `outside`
/// is the loop's predecessor. Null if there is none.
std::pair<llvm::BranchInst*, llvm::BasicBlock*> first_test_of(llvm::BasicBlock& outside, llvm::BasicBlock& header);

/// `of_warps` is a block with whole warps in its rows if the loops of its warps are to be cut too, else null.
void add_loop_barriers(llvm::Function& kernel, const BlockShape* of_warps);

/// Takes the cuts of one kind out again where they cannot be used; the loops stay correct without them.
void drop_loop_barriers(std::vector<SyncPoint>& syncs, Sync kind);

}  // namespace kasoku::embedded
