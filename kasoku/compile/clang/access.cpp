#include "kasoku/compile/clang/access.h"

#include "kasoku/compile/clang/child_launches.h"
#include "kasoku/compile/clang/shared_variables.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace kasoku::embedded {

void promote_locals(llvm::Function& function) {
  if (function.isDeclaration()) return;
  llvm::SmallVector<llvm::AllocaInst*> locals;
  for (llvm::Instruction& instruction : function.getEntryBlock())
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (llvm::isAllocaPromotable(local)) locals.push_back(local);
  if (locals.empty()) return;
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(locals, dominators);
}

namespace {

constexpr Access both{true, true};

struct Walk {
  AccessSummary& summary;
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;

  Access uses(const llvm::Value& pointer) {
    Access found;
    if (!seen.insert(&pointer).second) return found;
    for (const llvm::Use& use : pointer.uses()) found |= one(use, pointer);
    return found;
  }

  Access one(const llvm::Use& use, const llvm::Value& pointer) {
    const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (!user) return both;
    if (llvm::isa<llvm::LoadInst>(user)) return {true, false};
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user))
      return store->getPointerOperand() == &pointer && store->getValueOperand() != &pointer
                 ? Access{false, true} : both;
    if (llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::PHINode, llvm::SelectInst,
                  llvm::FreezeInst>(user))
      return llvm::isa<llvm::PtrToIntInst>(user) ? both : uses(*user);
    if (llvm::isa<llvm::ICmpInst>(user)) return {};
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) return through_call(use, *call);
    return both;
  }

  Access through_call(const llvm::Use& use, const llvm::CallBase& call) {
    if (!call.isArgOperand(&use)) return both;
    const unsigned index = call.getArgOperandNo(&use);
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
      if (llvm::isa<llvm::MemTransferInst>(intrinsic))
        return index == 0 ? Access{false, true} : Access{true, false};
      if (llvm::isa<llvm::MemSetInst>(intrinsic)) return {false, true};
      if (intrinsic->isAssumeLikeIntrinsic()) return {};
      return both;
    }
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee || callee->isDeclaration() || index >= callee->arg_size()) return both;
    if (call.paramHasAttr(index, llvm::Attribute::ByVal)) return {true, false};
    return summary.of(*callee->getArg(index));
  }
};

bool is_synchronisation(llvm::StringRef name) {
  if (!name.consume_front("ks_")) return false;
  for (llvm::StringRef prefix : {"barrier", "part_", "warp_barrier", "shfl_", "ballot", "match_",
                                 "activemask", "grid_barrier"})
    if (name.starts_with(prefix)) return true;
  return false;
}

}  // namespace

Access AccessSummary::of(const llvm::Argument& argument) {
  if (const auto found = known_.find(&argument); found != known_.end()) return found->second;
  known_[&argument] = both;  // what a recursive call may assume
  Walk walk{*this, {}};
  return known_[&argument] = walk.uses(argument);
}

Reach reach_of(const llvm::Function& kernel) {
  Reach reach;
  llvm::SmallPtrSet<const llvm::Value*, 32> seen;
  llvm::SmallVector<const llvm::Value*> pending{&kernel};
  const auto visit = [&](const llvm::Value* value) {
    // A kernel that this one launches has shared memory and barriers of its own.
    if (const auto* other = llvm::dyn_cast<llvm::Function>(value); other && is_kernel(*other)) return;
    if (llvm::isa<llvm::Constant>(value) && !llvm::isa<llvm::ConstantData>(value) &&
        seen.insert(value).second)
      pending.push_back(value);
  };
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  while (!pending.empty()) {
    const llvm::Value* value = pending.pop_back_val();
    if (const auto* function = llvm::dyn_cast<llvm::Function>(value)) {
      if (function->isDeclaration() && is_synchronisation(function->getName())) {
        reach.uses_barrier = true;
        if (function->getName() == "ks_grid_barrier") reach.uses_grid_sync = true;
      }
      for (const llvm::BasicBlock& block : *function)
        for (const llvm::Instruction& instruction : block)
          for (const llvm::Use& operand : instruction.operands()) visit(operand.get());
    } else if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
      if (is_shared_variable(global)) {
        const unsigned align = global->getAlign().valueOrOne().value();
        const unsigned at = (reach.static_shared_bytes + align - 1) / align * align;
        reach.static_shared_bytes = at + layout.getTypeAllocSize(global->getValueType());
      } else if (global->hasInitializer()) {
        visit(global->getInitializer());
      }
    } else if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
      for (const llvm::Use& operand : constant->operands()) visit(operand.get());
    }
  }
  return reach;
}

}  // namespace kasoku::embedded
