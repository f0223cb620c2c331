/// \file kasoku/compile/clang/passes/plan.h
/// Decides how a kernel's block runs: where it is cut, what granule its threads
/// form, which values they share.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/regions.h"

namespace kasoku::embedded {

class Pipeline;
struct PreparedKernel;

RegionPlan make_plan(const PreparedKernel& kernel, const BlockShape& shape, Pipeline& pipeline);

}  // namespace kasoku::embedded
