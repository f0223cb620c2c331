#include "kasoku/compile/clang/passes/region_builder.h"

#include "kasoku/compile/clang/passes/rematerialize.h"

#include "llvm/Analysis/ValueTracking.h"

namespace kasoku::embedded {

std::optional<bool> RegionBuilder::side_of(const BranchInst* branch) const {
  for (const auto& [decided, side] : decided_)
    if (decided == branch) return side;
  return {};
}

RegionBuilder::Decision RegionBuilder::first_decision(const Region& region,
                                                      const GuardQuestions& ask) const {
  BlockSet way;
  SmallPtrSet<const Instruction*, 16> loads;  // that all lanes do, before anything is written
  bool writes = false;
  for (BasicBlock* block = region.start; way.insert(block);) {
    if (block != region.start && ask.leaves_region(*block)) return {};
    for (Instruction& at : *block) {
      const auto* load = dyn_cast<LoadInst>(&at);
      if (load && load->isSimple() && !writes) loads.insert(load);
      writes |= at.mayWriteToMemory() && sync_of(at) == Sync::none && !is_arrival(at);
    }
    auto* branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch) return {};
    if (branch->isUnconditional()) {
      block = branch->getSuccessor(0);
    } else if (const auto side = side_of(branch)) {
      block = branch->getSuccessor(*side ? 0 : 1);
    } else {
      const auto* condition = dyn_cast<Instruction>(branch->getCondition());
      const BlockSet made_in = made_before(way, ask);
      if (condition && ask.is_uniform(*condition) &&
          is_known_before(made_in, condition, ask, loads))
        return {branch, made_in};
      return {};
    }
  }
  return {};
}

bool RegionBuilder::is_known_before(const BlockSet& made_in, const Value* value,
                                    const GuardQuestions& ask,
                                    const SmallPtrSetImpl<const Instruction*>& loads, int depth) {
  const auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction || index_of(*instruction) != Index::none) return true;
  if (!made_in.contains(const_cast<BasicBlock*>(instruction->getParent())))
    return ask.is_uniform(*instruction);
  if (depth > 12 || !(is_cheap(*instruction) || loads.contains(instruction))) return false;
  return all_of(instruction->operands(), [&](const Use& operand) {
    return isa<Function>(operand) || is_known_before(made_in, operand, ask, loads, depth + 1);
  });
}

bool RegionBuilder::is_decision(const Region& region) const {
  if (!is_cut() || !is_block_or_more(plan_.granule)) return false;
  std::set<const BasicBlock*> next;
  for (const BasicBlock* block : region.blocks) {
    for (const Instruction& instruction : *block)
      if (!instruction.isTerminator() && instruction.mayHaveSideEffects() &&
          sync_of(instruction) != Sync::loop)
        return false;
    for (const BasicBlock* successor : successors(block))
      if (sync_blocks_.count(const_cast<BasicBlock*>(successor))) next.insert(successor);
  }
  for (const BasicBlock* to : next)
    for (const Instruction* value : live_.at(*to))
      if (region.blocks.contains(const_cast<BasicBlock*>(value->getParent())) &&
          !plan_.is_uniform(*value))
        return false;
  return true;
}

bool RegionBuilder::has_short_rows() const {
  const uint32_t row = row_length();
  return is_block_or_more(plan_.granule) && shape_.is_known() && shape_.z == 1 &&
         shape_.x * shape_.y > row && (row == 16 || row == 32);
}

bool RegionBuilder::has_uniform_loops(const Region& region) {
  if (!threads_) {
    DenseMap<const Instruction*, int64_t> counters;
    for (Instruction* index : indices_)
      if (index_of(*index) <= Index::tid_z) counters[index] = 1;
    threads_.emplace(counters, kernel_loops(), [](const Instruction&) { return true; });
  }
  bool has_loops = false;
  for (BasicBlock* block : region.blocks) {
    const Loop* loop = kernel_loops().getLoopFor(block);
    const auto is_inside = [&](BasicBlock* of) { return region.blocks.contains(of); };
    if (!loop || loop->getHeader() == region.start || !all_of(loop->blocks(), is_inside))
      continue;  // cut by what the region ends with
    has_loops = true;
    const auto* branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || (branch->isConditional() && threads_->varies(branch->getCondition())))
      return false;
  }
  return has_loops;
}

size_t RegionBuilder::size_of(const Region& region) {
  size_t size = 0;
  for (const BasicBlock* block : region.blocks) size += block->size();
  return size;
}

GuardQuestions RegionBuilder::questions(const Region& region) const {
  GuardQuestions ask;
  ask.blocks = &region.blocks;
  const bool of_warp = plan_.granule == Granule::warp && driver_->granule();
  ask.is_uniform = of_warp ? plan_.is_uniform_in_warp : plan_.is_uniform;
  ask.leaves_region = [this](const BasicBlock& block) {
    return sync_blocks_.count(const_cast<BasicBlock*>(&block)) != 0;
  };
  ask.decided = [this](const BranchInst& branch) { return side_of(&branch); };
  ask.splits_uniform = !driver_->granule() && size_of(region) <= largest_split / 2;
  ask.y_is_fast = plan_.y_is_fast;
  ask.lanes_are_low_bits = driver_->granule() && shape_.rows_hold_whole_warps();
  return ask;
}

std::set<unsigned> RegionBuilder::next_of(const Region& region) const {
  std::set<unsigned> next;
  for (const BasicBlock* block : region.blocks) {
    if (isa<ReturnInst>(block->getTerminator())) next.insert(done_);
    for (const BasicBlock* successor : successors(block))
      if (const auto found = sync_blocks_.find(const_cast<BasicBlock*>(successor));
          found != sync_blocks_.end())
        next.insert(found->second);
  }
  return next;
}

bool RegionBuilder::hands_nothing_on(const Region& region) const {
  const std::set<unsigned> next = next_of(region);
  if (next.size() != 1) return false;
  if (*next.begin() == done_) return true;
  for (const Instruction* value : live_.at(*plan_.syncs[*next.begin() - 1].block))
    if (region.blocks.contains(const_cast<BasicBlock*>(value->getParent()))) return false;
  return true;
}

bool RegionBuilder::others_may_come_first(const Region& region, const RegionGuards& guards,
                           const GuardQuestions& ask) {
  if (guards.all.size() != 1 || !leaves_one_out(guards.all[0], ask)) return false;
  SmallSetVector<const BasicBlock*, 8> way;
  way.insert(region.start);
  const BasicBlock* branching = guards.all[0].branch->getParent();
  for (size_t i = 0; i < way.size(); ++i) {
    const BasicBlock* block = way[i];
    for (const Instruction& instruction : *block)
      if (!instruction.isTerminator() && !is_arrival(instruction) &&
          sync_of(instruction) == Sync::none &&
          (instruction.mayHaveSideEffects() ||
           (instruction.mayReadFromMemory() && block != region.start)))
        return false;
    if (block == branching) {
      const BasicBlock* next = guards.all[0].branch->getSuccessor(guards.all[0].side ? 0 : 1);
      if (!sync_blocks_.count(const_cast<BasicBlock*>(next))) way.insert(next);
      continue;
    }
    for (const BasicBlock* next : successors(block))
      if (!sync_blocks_.count(const_cast<BasicBlock*>(next))) way.insert(next);
  }
  std::set<const Slot*> read;
  for (Instruction* value : region.live) read.insert(&slot(*value));
  for (const unsigned next : next_of(region)) {
    if (next == done_) continue;
    if (next == region.number) return false;
    for (Instruction* value : live_.at(*plan_.syncs[next - 1].block))
      if (region.blocks.contains(value->getParent()) && read.count(&slot(*value))) return false;
  }
  return true;
}

bool RegionBuilder::others_keep(const Region& region, const Guard& guard) {
  const std::set<unsigned> next = next_of(region);
  if (next.size() != 1 || *next.begin() == done_) return false;
  std::map<const Instruction*, Value*> became;
  const BasicBlock* from = guard.branch->getParent();
  BasicBlock* at = guard.branch->getSuccessor(guard.side ? 1 : 0);
  for (int steps = 0; at && !sync_blocks_.count(at); ++steps) {
    if (steps > 8) return false;
    for (PHINode& phi : at->phis()) became[&phi] = phi.getIncomingValueForBlock(from);
    from = std::exchange(at, at->getSingleSuccessor());
  }
  for (Instruction* value : live_.at(*plan_.syncs[*next.begin() - 1].block)) {
    if (!region.blocks.contains(value->getParent())) continue;
    const auto found = became.find(value);
    auto* kept = found == became.end() ? nullptr : dyn_cast<Instruction>(found->second);
    if (!kept || region.blocks.contains(kept->getParent()) || !is_contained(region.live, kept) ||
        &slot(*kept) != &slot(*value) || !slot(*value).per_thread)
      return false;
  }
  return true;
}

bool RegionBuilder::is_made_of_index(const Region& region, const Value* value, int depth) {
  const auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction || index_of(*instruction) != Index::none) return true;
  if (depth > 12 || !is_cheap(*instruction) ||
      !region.blocks.contains(const_cast<BasicBlock*>(instruction->getParent())))
    return false;
  return all_of(instruction->operands(), [&](const Use& operand) {
    return isa<Function>(operand) || is_made_of_index(region, operand, depth + 1);
  });
}

bool RegionBuilder::may_be_common_alloca(const Value* pointer) const {
  if (common_allocas_.empty()) return false;
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects);
  for (const Value* object : objects)
    if (!isa<Argument>(object) && !isa<GlobalValue>(object)) return true;
  return false;
}
}  // namespace kasoku::embedded
