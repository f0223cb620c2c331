/// \file kasoku/compile/clang/passes/first_lane_stores.h
/// Lets the first lane's value stay where all lanes of a warp store to one address.
///
/// `y[warp] = sum;` behind shuffles down is right on GPUs, whose first lane stays and has the
/// whole sum. CUDA promises that some lane's value stays; a loop over threads would keep the last one's.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"

namespace llvm {
class Function;
}

namespace kasoku::embedded {

void keep_first_lane_stores(llvm::Function& kernel, const BlockShape& shape);

}  // namespace kasoku::embedded
