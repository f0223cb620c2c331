/// \file kasoku/compile/clang/passes/volatile_barriers.h
/// Text from before Volta reduces a warp's last values through volatile shared
/// memory without saying that the lanes wait for each other: the hardware ran
/// them in step. This pass says it, with a warp barrier around each such store.
#pragma once

namespace llvm {
class Function;
}

namespace kasoku::embedded {

void add_warp_barriers_for_volatile(llvm::Function& kernel);

/// Whether a loop goes on until it reads what another block may have written: its way out hangs
/// on a volatile or atomic read of global memory.
bool waits_in_memory(const llvm::Function& kernel);

/// Whether a loop may go on until another block gives back a lock, or tries to take one: atomic
/// operations on global memory decide when it ends, or exchange something in it.
bool waits_for_locks(const llvm::Function& kernel);

/// A loop that reads global memory as volatile or atomic may wait for what another thread of the block
/// writes there: a GPU's threads all get on. Each turn of such a loop lets the others run;
/// without that the first thread would wait for good.
void let_waiting_loops_turn(llvm::Function& kernel);

}  // namespace kasoku::embedded
