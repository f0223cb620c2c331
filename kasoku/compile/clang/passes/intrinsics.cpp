#include "kasoku/compile/clang/passes/intrinsics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

StringRef callee_name(const Instruction& instruction) {
  const auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? callee->getName() : StringRef();
}

Sync sync_named(StringRef name) {
  if (!name.consume_front("ks_")) return Sync::none;
  for (StringRef width : {"_i32", "_i64"})
    if (name.consume_back(width)) break;
  return StringSwitch<Sync>(name)
      .Case("barrier", Sync::barrier)
      .Case("barrier_count", Sync::barrier_count)
      .Case("barrier_and", Sync::barrier_and)
      .Case("barrier_or", Sync::barrier_or)
      .Case("grid_barrier", Sync::grid_barrier)
      .Case("part_barrier", Sync::part_barrier)
      .Case("part_arrive", Sync::part_arrive)
      .Case("warp_barrier", Sync::warp_barrier)
      .Case("shfl_idx", Sync::shfl_idx)
      .Case("shfl_up", Sync::shfl_up)
      .Case("shfl_down", Sync::shfl_down)
      .Case("shfl_xor", Sync::shfl_xor)
      .Case("ballot", Sync::ballot)
      .Case("activemask", Sync::activemask)
      .Case("match_any", Sync::match_any)
      .Case("match_all", Sync::match_all)
      .Case("reduce_add", Sync::reduce_add)
      .Case("reduce_and", Sync::reduce_and)
      .Case("reduce_or", Sync::reduce_or)
      .Case("reduce_xor", Sync::reduce_xor)
      .Case("reduce_umin", Sync::reduce_umin)
      .Case("reduce_umax", Sync::reduce_umax)
      .Case("reduce_smin", Sync::reduce_smin)
      .Case("reduce_smax", Sync::reduce_smax)
      .Case("loop_barrier", Sync::loop)
      .Case("lane_loop_barrier", Sync::lane_loop)
      .Case("turn", Sync::turn)
      .Case("aggregate", Sync::aggregate)
      .Default(Sync::none);
}

// These names stand in the order of Index.
constexpr StringLiteral index_names[] = {"tid_x", "tid_y", "tid_z", "bid_x", "bid_y", "bid_z", "bdim_x", "bdim_y",
                                         "bdim_z", "gdim_x", "gdim_y", "gdim_z", "dynamic_shared_bytes"};
static_assert(std::size(index_names) == static_cast<size_t>(Index::none));

}  // namespace

Index index_of(const Instruction& instruction) {
  StringRef name = callee_name(instruction);
  if (!name.consume_front("ks_")) return Index::none;
  const auto* found = find(index_names, name);
  return static_cast<Index>(found - std::begin(index_names));
}

Value* index_value(IRBuilderBase& build, Index index) {
  Module& module = *build.GetInsertBlock()->getModule();
  FunctionCallee callee = module.getOrInsertFunction(("ks_" + index_names[static_cast<size_t>(index)]).str(), build.getInt32Ty());
  auto* function = cast<Function>(callee.getCallee());
  function->setMemoryEffects(MemoryEffects::none());
  for (auto kind : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::Speculatable}) function->addFnAttr(kind);
  return build.CreateCall(callee);
}

Sync sync_of(const Instruction& instruction) { return sync_named(callee_name(instruction)); }
Sync sync_of(const Function& function) { return sync_named(function.getName()); }

Function* loop_barrier(Module& module, Sync kind) {
  auto callee = module.getOrInsertFunction(
      kind == Sync::loop ? "ks_loop_barrier" : kind == Sync::turn ? "ks_turn" : "ks_lane_loop_barrier",
      Type::getVoidTy(module.getContext()));
  auto* function = cast<Function>(callee.getCallee());
  function->setConvergent();
  return function;
}

bool ends_thread(const Instruction& instruction) {
  const StringRef name = callee_name(instruction);
  return name == "ks_rt_trap" || name == "ks_rt_assert_fail";
}

}  // namespace kasoku::embedded
