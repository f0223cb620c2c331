/// \file kasoku/compile/clang/passes/volatile_shared.h
/// Text from before Volta reduces a warp's last values through volatile shared
/// memory without saying that the lanes wait for each other: the hardware ran
/// them in step. This pass says it, with a warp barrier around each such store.
#pragma once

namespace llvm {
class Function;
}

namespace kasoku::embedded {

void add_warp_barriers_for_volatile(llvm::Function& kernel);

}  // namespace kasoku::embedded
