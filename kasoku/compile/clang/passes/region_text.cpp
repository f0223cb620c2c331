#include "kasoku/compile/clang/passes/region_builder.h"

#include "kasoku/compile/clang/passes/aggregate_atomics.h"
#include "kasoku/compile/clang/passes/rematerialize.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

namespace kasoku::embedded {

void RegionBuilder::bind_what_is_always_there(Region& region, IRBuilder<>& build) {
  for (unsigned i = 0; i < kernel_.arg_size(); ++i)
    region.map[kernel_.getArg(i)] = frame_.arguments[i];
  for (Instruction* index : indices_) {
    const Index which = index_of(*index);
    Value* value = which == Index::tid_x   ? region.thread.x
                   : which == Index::tid_y ? region.thread.y
                   : which == Index::tid_z ? region.thread.z
                                           : frame_.index[static_cast<int>(which)];
    region.map[index] = value;
  }
  for (auto& [alloca, copy] : common_allocas_) region.map[alloca] = copy;
  for (auto& [alloca, array] : alloca_arrays_)
    region.map[alloca] = scratch_.element(build, array, region.thread.linear);
  for (auto& [variable, place] : shared_places_) region.map[variable] = place;
}

bool RegionBuilder::is_dropped(const Instruction& instruction) {
  if (isa<AllocaInst>(instruction) || index_of(instruction) != Index::none) return true;
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->isLifetimeStartOrEnd();
}

std::vector<std::pair<BasicBlock*, BasicBlock*>> RegionBuilder::clone_blocks(Region& region) {
  std::vector<std::pair<BasicBlock*, BasicBlock*>> clones;
  for (BasicBlock* block : region.blocks) {
    auto* clone = BasicBlock::Create(context_, block->getName(), frame_.body);
    region.map[block] = clone;
    clones.push_back({block, clone});
  }
  for (auto& [block, clone] : clones)
    for (Instruction& instruction : *block) {
      if (is_dropped(instruction)) continue;
      if (instruction.isTerminator() && clone_leaving_terminator(region, instruction, clone))
        continue;
      Instruction* copy = instruction.clone();
      copy->insertInto(clone, clone->end());
      copy->setName(instruction.getName());
      region.map[&instruction] = copy;
      if (auto* phi = dyn_cast<PHINode>(copy))
        for (unsigned i = phi->getNumIncomingValues(); i-- > 0;) {
          BasicBlock* from = phi->getIncomingBlock(i);
          if (!region.blocks.contains(from) || is_cut_edge(from, block))
            phi->removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
        }
    }
  return clones;
}

bool RegionBuilder::clone_leaving_terminator(Region& region, Instruction& terminator, BasicBlock* clone) {
  unsigned next = 0;
  if (isa<ReturnInst>(terminator)) {
    next = done_;
  } else if (auto* branch = dyn_cast<BranchInst>(&terminator);
             branch && branch->isUnconditional()) {
    const auto found = sync_blocks_.find(branch->getSuccessor(0));
    if (found == sync_blocks_.end()) return false;
    next = found->second;
  } else {
    return false;
  }
  BasicBlock*& exit = region.exits[next];
  if (!exit) exit = BasicBlock::Create(context_, "exit", frame_.body);
  BranchInst::Create(exit, clone);
  return true;
}

void RegionBuilder::load_live_values(Region& region, IRBuilder<>& uniform, IRBuilder<>& per_thread,
                      const std::vector<std::pair<BasicBlock*, BasicBlock*>>& clones) {
  SmallPtrSet<const Value*, 32> used;
  for (auto& [block, clone] : clones)
    for (const Instruction& instruction : *clone)
      for (const Use& use : instruction.operands()) used.insert(use);
  for (Instruction* value : region.live) {
    const bool is_made_again = region.blocks.contains(value->getParent());
    if (!used.contains(value) && !is_made_again) continue;
    Slot& from = slot(*value);
    Value* loaded = from.per_thread
                        ? scratch_.load(per_thread, from.array,
                                        scratch_.index(from.array, region.thread))
                        : load_uniform(uniform, from, value->getType());
    region.loaded[value] = loaded;
    if (!is_made_again) region.map[value] = loaded;
  }
}

void RegionBuilder::remap(Region& region, const std::vector<std::pair<BasicBlock*, BasicBlock*>>& clones) {
  const RemapFlags flags = RF_NoModuleLevelChanges | RF_IgnoreMissingLocals;
  for (auto& [block, clone] : clones)
    for (Instruction& instruction : *clone) RemapInstruction(&instruction, region.map, flags);
}

RegionBuilder::SlotValues RegionBuilder::store_live_values(Region& region, IRBuilder<>& join) {
  MapVector<Slot*, PHINode*> outs;
  SetVector<Instruction*> values;
  for (Instruction* value : region.live)
    if (region.blocks.contains(value->getParent())) values.insert(value);
  for (auto& [next, exit] : region.exits)
    if (next != done_)
      for (Instruction* value : live_.at(*plan_.syncs[next - 1].block))
        if (region.blocks.contains(value->getParent())) values.insert(value);

  for (auto& [next, exit] : region.exits)
    if (exit->empty()) BranchInst::Create(join.GetInsertBlock(), exit);
  for (Instruction* value : values) {
    auto* made = cast<Instruction>(region.map[value]);
    Value* loaded = region.loaded.lookup(value);
    SSAUpdater updater;
    if (loaded) {
      updater.Initialize(value->getType(), value->getName());
      updater.AddAvailableValue(region.head, loaded);
      updater.AddAvailableValue(made->getParent(), made);
      SmallVector<Use*> uses;
      for (Use& use : made->uses()) uses.push_back(&use);
      for (Use* use : uses) {
        auto* user = cast<Instruction>(use->getUser());
        auto* phi = dyn_cast<PHINode>(user);
        BasicBlock* where = phi ? phi->getIncomingBlock(*use) : user->getParent();
        if (where != made->getParent()) updater.RewriteUse(*use);
      }
    }
    Slot* to = nullptr;
    for (auto& [next, exit] : region.exits) {
      const bool is_live = next != done_ && live_.is_live_at(*value, *plan_.syncs[next - 1].block);
      if (!is_live) continue;
      if (!to) to = &slot(*value);
      Value* there = loaded ? updater.GetValueAtEndOfBlock(exit) : made;
      if (to->per_thread) {
        if (is_there_already(region, there, *to)) continue;
        IRBuilder<> build(exit->getTerminator());
        scratch_.store(build, to->array, scratch_.index(to->array, region.thread), there);
      } else {
        PHINode*& out = outs[to];
        if (!out) out = join.CreatePHI(value->getType(), region.exits.size());
        out->addIncoming(there, exit);
      }
    }
  }
  SlotValues values_out;
  for (auto& [to, out] : outs) {
    for (auto& [next, exit] : region.exits)
      if (out->getBasicBlockIndex(exit) < 0)
        out->addIncoming(PoisonValue::get(out->getType()), exit);
    values_out[to] = out;
  }
  return values_out;
}

bool RegionBuilder::is_there_already(const Region& region, Value* there, const Slot& place) {
  if (auto* phi = dyn_cast<PHINode>(there))
    if (Value* same = phi->hasConstantValue()) there = same;
  for (const auto& [value, loaded] : region.loaded)
    if (loaded == there && &slot(*value) == &place) return true;
  return false;
}

void RegionBuilder::replace_exchanges(Region& region,
                       const std::vector<std::pair<BasicBlock*, BasicBlock*>>& clones) {
  for (auto& [block, clone] : clones)
    for (Instruction& instruction : make_early_inc_range(*clone)) {
      auto* call = dyn_cast<CallInst>(&instruction);
      if (!call) continue;
      if (is_arrival(*call)) exchange_.arrive(*call, region.thread);
      else if (is_contribution(*call)) turns_.aggregates->contribute(*call, region.thread);
      else if (sync_of(*call) == Sync::aggregate) turns_.aggregates->result(*call, region.thread);
      else if (sync_of(*call) != Sync::none)
        exchange_.result(*call, plan_.syncs[region.number - 1], region.thread);
    }
}

Value* RegionBuilder::next_region(Region& region, IRBuilder<>& join) {
  if (region.exits.empty()) return nullptr;  // an endless loop
  if (region.exits.size() == 1) return join.getInt32(region.exits.begin()->first);
  PHINode* next = join.CreatePHI(join.getInt32Ty(), region.exits.size(), "next");
  for (auto& [number, exit] : region.exits) next->addIncoming(join.getInt32(number), exit);
  return next;
}

MDNode* RegionBuilder::mark_independent(Region& region) {
  MDNode* group = MDNode::getDistinct(context_, {});
  SmallVector<BasicBlock*> blocks{region.head};
  auto block = frame_.body->begin();
  std::advance(block, region.first_block);
  for (; block != frame_.body->end(); ++block) blocks.push_back(&*block);
  for (BasicBlock* in : blocks)
    for (Instruction& instruction : *in) {
      const Value* pointer = nullptr;
      if (auto* load = dyn_cast<LoadInst>(&instruction)) pointer = load->getPointerOperand();
      else if (auto* store = dyn_cast<StoreInst>(&instruction))
        pointer = store->getPointerOperand();
      if (!pointer || may_be_common_alloca(pointer)) continue;
      instruction.setMetadata(LLVMContext::MD_access_group, group);
    }
  return group;
}
}  // namespace kasoku::embedded
