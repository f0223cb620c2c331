/// \file kasoku/compile/clang/passes/aggregate_atomics.h
/// Many threads take places in an array from one counter: `out[atomicAdd(count, 1)] = v;`,
/// or a warp's first lane for all of them. The counter's cache line then goes from core to
/// core once for each warp, which is all that such a kernel does.
///
/// Threads may be at any point when others add, so blocks may as well all come up to the
/// addition before the first goes past it: what they add up to is added once (aggregates.h)
/// and each gets its part of that. The order of the additions is one that a GPU could have
/// taken as well, whatever else the kernel reads and writes; only waiting for other blocks
/// is not allowed in it. This file puts the place where blocks stop into the text:
///   ks_contribute(number, amount, takes part)   in one thread of a warp or block at most
///   ks_aggregate(number, counter, is of block)  in all: what was there before the warp's or
///                                               the block's amount
/// Threads that add a constant each are counted by a ballot first.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"

#include <optional>

namespace llvm {
class Function;
class Instruction;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

/// Marks the additions that may be aggregated, none if the kernel may wait for other blocks;
/// whether there are any.
bool mark_aggregates(llvm::Function& kernel, const BlockShape& shape);
bool is_marked_aggregate(const llvm::Instruction& instruction);
/// Takes one mark away, or all of them, and returns whether others are left.
bool unmark_aggregate(llvm::Function& kernel, std::optional<unsigned> number);

/// Cuts the text at those that are marked. If threads do not come to one of them together, that
/// one's number; the kernel is then of no use.
std::optional<unsigned> aggregate_atomics(llvm::Function& kernel, const BlockShape& shape);

bool is_contribution(const llvm::Instruction& instruction);

/// The word of `word >> lane & 1`, or of `word & 1 << lane`; null if that is not what `bit` is.
llvm::Value* chosen_by(llvm::Value* bit);

}  // namespace kasoku::embedded
