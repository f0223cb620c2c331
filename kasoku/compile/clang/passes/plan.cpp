#include "kasoku/compile/clang/passes/plan.h"

#include "kasoku/compile/clang/passes/pipeline.h"
#include "kasoku/compile/clang/passes/prepare.h"

#include "llvm/IR/Function.h"

namespace kasoku::embedded {

using namespace llvm;

RegionPlan make_plan(const PreparedKernel& kernel, const BlockShape& shape, Pipeline& pipeline) {
  RegionPlan plan;
  plan.syncs = split_at_syncs(*kernel.function);
  plan.granule = plan.syncs.empty() ? Granule::block : Granule::thread;
  plan.is_uniform = [](const Instruction&) { return false; };
  return plan;
}

}  // namespace kasoku::embedded
