#include "kasoku/compile/clang/passes/aggregate_atomics.h"
#include "kasoku/compile/clang/passes/region_builder.h"

#include "llvm/IR/PatternMatch.h"

namespace kasoku::embedded {

using namespace llvm::PatternMatch;

std::optional<RegionBuilder::LaneBits> RegionBuilder::find_lane_bits(const Region& region) {
  constexpr size_t largest = 48;
  if (!passes().runs(PassId::lane_bits) || !plan_.blocks_in_turn || plan_.granule != Granule::warp || !driver_->granule() || size_of(region) > largest)
    return {};
  const GuardQuestions ask = questions(region);
  BlockSet way;
  for (BasicBlock* block = region.start; block && way.insert(block);) {
    if (block != region.start && ask.leaves_region(*block)) return {};
    for (const Instruction& at : *block)
      if (at.mayHaveSideEffects() && !at.isTerminator() && sync_of(at) == Sync::none) return {};
    auto* branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch) return {};
    if (branch->isUnconditional()) {
      block = branch->getSuccessor(0);
      continue;
    }
    ICmpInst::Predicate predicate;
    Value* bit = nullptr;
    if (!match(branch->getCondition(), m_ICmp(predicate, m_Value(bit), m_Zero())) || !ICmpInst::isEquality(predicate)) return {};
    Value* word = chosen_by(bit);
    const bool side = predicate == ICmpInst::ICMP_NE;
    const BlockSet made_in = made_before(way, ask);
    if (!word || !hands_nothing_on(region) || !is_known_before(made_in, word, ask, SmallPtrSet<const Instruction*, 1>()) || !scatters(region, ask))
      return {};
    const auto* made = dyn_cast<Instruction>(word);
    if (made && !plan_.is_uniform_in_warp(*made)) return {};
    return LaneBits{{branch, side, {}, made_in}, word, does_nothing(branch->getSuccessor(side ? 1 : 0), ask)};
  }
  return {};
}

// Whether stores go to places that do not follow each other, which a vector writes lane by lane.
bool RegionBuilder::scatters(const Region& region, const GuardQuestions& ask) const {
  bool any = false;
  for (const BasicBlock* block : region.blocks)
    for (const Instruction& at : *block) {
      const auto* store = dyn_cast<StoreInst>(&at);
      if (!store) continue;
      any = true;
      bool is_known = true;
      const auto* place = dyn_cast<GetElementPtrInst>(store->getPointerOperand());
      for (; place; place = dyn_cast<GetElementPtrInst>(place->getPointerOperand()))
        is_known &= all_of(place->indices(), [&](const Use& index) { return growth(index, ask).has_value(); });
      if (is_known) return false;
    }
  return any;
}

void RegionBuilder::build_lane_bits(IRBuilder<>& build, ThreadNest& nest, const Region& plain, const LaneBits& bits,
                                    Outcome& outcome) {
  Value* word = at_first_thread(build, bits.guard.made_in, nest.first(build), bits.word);
  Value* there = build.getInt32(~0u);
  if (auto* extent = dyn_cast<ConstantInt>(nest.extent()); !extent || extent->getZExtValue() != 32)
    there = build.CreateLShr(there, build.CreateSub(build.getInt32(32), nest.extent()));
  nest.choose_by_bits();
  RegionGuards guards;
  guards.all = {bits.guard};
  const auto lanes = [&](Value* chosen) {
    if_not_empty(build, nest, plain, build.getInt32(0), build.CreateAnd(chosen, there), &guards, /*vectorizes=*/false, outcome);
  };
  lanes(word);
  if (bits.others_do_nothing) return;
  guards.all[0].side = !guards.all[0].side;
  lanes(build.CreateNot(word));
}

}  // namespace kasoku::embedded
