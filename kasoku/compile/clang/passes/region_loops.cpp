#include "kasoku/compile/clang/passes/region_builder.h"

#include "kasoku/compile/clang/passes/combine_atomics.h"
#include "kasoku/compile/clang/passes/rematerialize.h"

namespace kasoku::embedded {

void RegionBuilder::build_ways(IRBuilder<>& build, const Region& plain, const ThreadIndex& first,
                               const Ways& way, Outcome& outcome) {
  Decision decision;
  if (passes().runs(PassId::split_uniform) && decided_.size() < most_decisions && size_of(plain) << decided_.size() <= largest_split)
    decision = first_decision(plain, questions(plain));
  if (!decision.branch) return way(outcome);
  const auto go = [&](bool side) {
    return [&, side](Outcome& of_side) {
      decided_.push_back({decision.branch, side});
      build_ways(build, plain, first, way, of_side);
      decided_.pop_back();
    };
  };
  Value* condition =
      at_first_thread(build, decision.made_in, first, decision.branch->getCondition());
  either(build, condition, go(true), go(false), outcome);
}

void RegionBuilder::build_block_ways(IRBuilder<>& build, const Region& plain, const Ways& way,
                                     Outcome& outcome) {
  if (plan_.granule != Granule::block || !is_cut()) return way(outcome);
  Value* zero = build.getInt32(0);
  build_ways(build, plain, {zero, zero, zero, zero}, way, outcome);
}

void RegionBuilder::build_rows(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Outcome& outcome) {
  driver_->open(build, nest);
  const auto lanes = [&](Outcome& of_lanes) { build_lanes(build, nest, plain, of_lanes); };
  if (driver_->granule() && plan_.granule == Granule::warp)
    build_ways(build, plain, nest.first(build), lanes, outcome);
  else
    lanes(outcome);
  nest.close_outer(build);
}

void RegionBuilder::build_flat_or_rows(IRBuilder<>& build, ThreadNest& nest, const Region& plain,
                        Outcome& outcome) {
  const GuardQuestions ask = questions(plain);
  const RegionGuards guards = passes().runs(PassId::split_ranges) ? find_guards(*plain.start, ask) : RegionGuards();
  ThreadNest flat(frame_, shape_, plan_.y_is_fast, passes().lanes());
  flat.open_flat(build);
  Value* zero = build.getInt32(0);
  if (guards.all.empty())
    return build_range(build, flat, plain, zero, flat.extent(), nullptr, true, outcome);
  Value* all = all_rows_settled(build, plain, guards, ask);
  either(
      build, all,
      [&](Outcome& of_all) {
        build_range(build, flat, plain, zero, flat.extent(), &guards, true, of_all);
      },
      [&](Outcome& of_rows) { build_rows(build, nest, plain, of_rows); }, outcome);
}

Value* RegionBuilder::all_rows_settled(IRBuilder<>& build, const Region& plain, const RegionGuards& guards,
                        const GuardQuestions& ask) {
  const uint32_t length = row_length();
  BasicBlock* before = build.GetInsertBlock();
  BasicBlock* head = BasicBlock::Create(context_, "row", frame_.body);
  BasicBlock* done = BasicBlock::Create(context_, "rows.done", frame_.body);
  build.CreateBr(head);
  build.SetInsertPoint(head);
  PHINode* row = build.CreatePHI(build.getInt32Ty(), 2, "row");
  PHINode* before_all = build.CreatePHI(build.getInt1Ty(), 2, "all");
  Value* zero = build.getInt32(0);
  const ThreadIndex first{plan_.y_is_fast ? row : zero, plan_.y_is_fast ? zero : row, zero,
                          nullptr};
  const auto [low, high] =
      settled_range(build, guards, build.getInt32(length), ask, [&](const BlockSet& made_in, Value* value) {
        return at_first_thread(build, made_in, first, value);
      });
  Value* all = build.CreateAnd(
      before_all,
      build.CreateICmpEQ(build.CreateSub(high, low), build.getInt32(length)));
  Value* next = build.CreateAdd(row, build.getInt32(1));
  row->addIncoming(zero, before);
  before_all->addIncoming(build.getTrue(), before);
  row->addIncoming(next, build.GetInsertBlock());
  before_all->addIncoming(all, build.GetInsertBlock());
  build.CreateCondBr(
      build.CreateICmpULT(next, build.getInt32(shape_.threads() / length)), head, done);
  build.SetInsertPoint(done);
  return all;
}

void RegionBuilder::build_lanes(IRBuilder<>& build, ThreadNest& nest, const Region& plain,
                   Outcome& outcome) {
  if (const auto bits = find_lane_bits(plain)) return build_lane_bits(build, nest, plain, *bits, outcome);
  const GuardQuestions ask = questions(plain);
  RegionGuards guards;
  // Lanes of a warp over two rows do not grow along one of them.
  const bool is_one_row = !driver_->granule() || shape_.rows_hold_whole_warps();
  if (passes().runs(PassId::split_ranges) && is_one_row && plan_.granule != Granule::thread) guards = find_guards(*plain.start, ask);
  const bool leaves_others_out =
      guards.others_do_nothing &&
      (hands_nothing_on(plain) || all_of(guards.all, [&](const Guard& guard) { return others_keep(plain, guard); }));
  if (!leaves_others_out && size_of(plain) > largest_split) guards.all.clear();
  Value* zero = build.getInt32(0);
  const auto at_first = [&](const BlockSet& made_in, Value* value) {
    return at_first_thread(build, made_in, nest.first(build), value);
  };
  if (const uint32_t distance = guards.all.empty() ? partner_distance(plain, nest) : 0) {
    build_partners(build, nest, plain, distance, outcome);
  } else if (guards.all.empty()) {
    build_range(build, nest, plain, zero, nest.extent(), nullptr, true, outcome);
  } else if (driver_->granule() && others_may_come_first(plain, guards, ask)) {
    build_range(build, nest, plain, zero, nest.extent(), &guards, true, outcome);
    RegionGuards one;
    const Guard& others = guards.all[0];
    one.all = {{others.branch,
                !others.side,
                {{others.parts[0].first, !others.parts[0].second}},
                others.made_in}};
    const auto [at, after] = settled_range(build, one, nest.extent(), ask, at_first);
    if_not_empty(build, nest, plain, at, after, &one, false, outcome);
  } else {
    const auto [low, high] = settled_range(build, guards, nest.extent(), ask, at_first);
    const auto in_parts = [&](bool vectorizes, Outcome& parts) {
      if (leaves_others_out) {
        if_not_empty(build, nest, plain, low, high, &guards, vectorizes, parts);
        return;
      }
      // Threads run in their order, since one may wait for the flag of an earlier one.
      Value *from = zero, *to = nest.extent(), *begin = low, *end = high;
      const bool has_others = !driver_->granule() && size_of(plain) <= largest_split / 2 &&
                              settles_all(guards.all[0], ask);
      RegionGuards first_only, others;
      if (has_others) {
        first_only.all = {guards.all[0]};
        others.all = {{guards.all[0].branch, !guards.all[0].side, {}, {}}};
        std::tie(from, to) = settled_range(build, first_only, nest.extent(), ask, at_first);
        begin = build.CreateBinaryIntrinsic(Intrinsic::umin, begin, to);
        end = build.CreateBinaryIntrinsic(Intrinsic::umin, end, to);
        if_not_empty(build, nest, plain, zero, from, &others, vectorizes, parts);
      }
      if_not_empty(build, nest, plain, from, begin, nullptr, false, parts);
      if_not_empty(build, nest, plain, begin, end, &guards, vectorizes, parts);
      if_not_empty(build, nest, plain, end, to, nullptr, false, parts);
      if (has_others)
        if_not_empty(build, nest, plain, to, nest.extent(), &others, vectorizes, parts);
    };
    const auto* row = dyn_cast<ConstantInt>(nest.extent());
    if (row && row->getZExtValue() <= longest_short_row && size_of(plain) <= largest_split / 2 &&
        !guards.of_one_thread)
      full_row_or(build, nest, plain, low, high, guards, in_parts, outcome);
    else
      in_parts(true, outcome);
  }
}

template <typename InParts>
void RegionBuilder::full_row_or(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Value* low,
                 Value* high, const RegionGuards& guards, const InParts& in_parts,
                 Outcome& outcome) {
  Value* is_full = build.CreateICmpEQ(build.CreateSub(high, low), nest.extent());
  either(
      build, is_full,
      [&](Outcome& of_full) {
        build_range(build, nest, plain, build.getInt32(0), nest.extent(), &guards, true, of_full);
      },
      [&](Outcome& of_parts) {
        // Lanes that take no part are masked: their number is known, that of the others is not.
        if (driver_->granule())
          build_range(build, nest, plain, build.getInt32(0), nest.extent(), nullptr, true, of_parts);
        else  // the edges of a plane count
          in_parts(plan_.blocks_in_row > 1, of_parts);
      },
      outcome);
}

template <typename One, typename Other>
void RegionBuilder::either(IRBuilder<>& build, Value* condition, const One& one, const Other& other,
            Outcome& outcome) {
  BasicBlock* yes = BasicBlock::Create(context_, "row.full", frame_.body);
  BasicBlock* no = BasicBlock::Create(context_, "row.partly", frame_.body);
  BasicBlock* after = BasicBlock::Create(context_, "row.done", frame_.body);
  build.CreateCondBr(condition, yes, no);
  Outcome of_one, of_other;
  build.SetInsertPoint(yes);
  one(of_one);
  BasicBlock* one_end = build.GetInsertBlock();
  build.CreateBr(after);
  build.SetInsertPoint(no);
  other(of_other);
  BasicBlock* other_end = build.GetInsertBlock();
  build.CreateBr(after);
  build.SetInsertPoint(after);
  join(build, outcome, of_one, one_end, of_other, other_end);
}

void RegionBuilder::join(IRBuilder<>& build, Outcome& all, const Outcome& a, BasicBlock* end_of_a,
                 const Outcome& b, BasicBlock* end_of_b) {
  const auto either = [&](Value* of_a, Value* of_b) -> Value* {
    if (of_a == of_b) return of_a;
    Type* type = (of_a ? of_a : of_b)->getType();
    PHINode* phi = build.CreatePHI(type, 2);
    phi->addIncoming(of_a ? of_a : PoisonValue::get(type), end_of_a);
    phi->addIncoming(of_b ? of_b : PoisonValue::get(type), end_of_b);
    return phi;
  };
  const auto of = [](const Outcome& part, Slot* slot) -> Value* {
    const auto found = part.values.find(slot);
    return found == part.values.end() ? nullptr : found->second;
  };
  all.next = either(a.next, b.next);
  for (const Outcome* part : {&a, &b}) {
    for (const auto& [slot, value] : part->values)
      if (!all.values.count(slot)) all.values[slot] = either(of(a, slot), of(b, slot));
    for (const unsigned target : part->targets)
      if (!is_contained(all.targets, target)) all.targets.push_back(target);
  }
}

Value* RegionBuilder::at_first_thread(IRBuilder<>& build, const BlockSet& made_in,
                                      const ThreadIndex& first, Value* value) {
  auto* instruction = dyn_cast<Instruction>(value);
  if (auto* argument = dyn_cast<Argument>(value)) return frame_.arguments[argument->getArgNo()];
  if (auto* variable = dyn_cast<GlobalVariable>(value))
    if (const auto place = shared_places_.find(variable); place != shared_places_.end())
      return place->second;
  if (!instruction) return value;
  switch (const Index index = index_of(*instruction)) {
    case Index::tid_x: return first.x;
    case Index::tid_y: return first.y;
    case Index::tid_z: return first.z;
    case Index::none: break;
    default: return frame_.index[static_cast<int>(index)];
  }
  if (!made_in.contains(instruction->getParent())) {
    const Slot& from = slot(*instruction);
    return from.per_thread ? scratch_.load(build, from.array, scratch_.index(from.array, first))
                           : load_uniform(build, from, instruction->getType());
  }
  Instruction* copy = instruction->clone();
  copy->dropPoisonGeneratingFlags();
  for (Use& operand : copy->operands())
    if (!isa<Function>(operand)) operand.set(at_first_thread(build, made_in, first, operand));
  return build.Insert(copy);
}

void RegionBuilder::if_not_empty(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Value* low,
                  Value* high, const RegionGuards* settled, bool vectorizes, Outcome& outcome) {
  BasicBlock* before = build.GetInsertBlock();
  BasicBlock* some = BasicBlock::Create(context_, "range", frame_.body);
  BasicBlock* after = BasicBlock::Create(context_, "range.done", frame_.body);
  build.CreateCondBr(build.CreateICmpULT(low, high), some, after);
  build.SetInsertPoint(some);
  Outcome inside;
  build_range(build, nest, plain, low, high, settled, vectorizes, inside);
  BasicBlock* end = build.GetInsertBlock();
  build.CreateBr(after);
  build.SetInsertPoint(after);
  const auto join = [&](Value* was, Value* is) -> Value* {
    if (was == is || (!was && isa<Constant>(is))) return is;
    PHINode* phi = build.CreatePHI(is->getType(), 2);
    phi->addIncoming(was ? was : PoisonValue::get(is->getType()), before);
    phi->addIncoming(is, end);
    return phi;
  };
  if (inside.next) outcome.next = join(outcome.next, inside.next);
  for (auto& [slot, value] : inside.values)
    outcome.values[slot] = join(outcome.values.count(slot) ? outcome.values[slot] : nullptr, value);
  for (const unsigned target : inside.targets)
    if (!is_contained(outcome.targets, target)) outcome.targets.push_back(target);
}

void RegionBuilder::build_range(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Value* low,
                 Value* high, const RegionGuards* settled, bool vectorizes, Outcome& outcome) {
  Region region;
  region.number = plain.number;
  region.start = plain.start;
  region.blocks = plain.blocks;
  region.live = plain.live;
  // Loads of uniform values go before the loop, once the region is known.
  BasicBlock* preheader = build.GetInsertBlock();
  IRBuilder<> before(preheader);
  BasicBlock* loops = BasicBlock::Create(context_, "threads", frame_.body);
  build.SetInsertPoint(loops);
  region.thread = nest.open_inner(build, low, high);
  region.head = build.GetInsertBlock();
  region.first_block = frame_.body->size();

  bind_what_is_always_there(region, build);
  std::vector<std::pair<BasicBlock*, BasicBlock*>> clones = clone_blocks(region);
  load_live_values(region, before, build, clones);
  build.CreateBr(cast<BasicBlock>(region.map[region.start]));
  remap(region, clones);
  if (settled)
    for (const Guard& guard : settled->all)
      cast<BranchInst>(region.map[guard.branch])->setCondition(build.getInt1(guard.side));
  if (settled && !nest.is_flat()) tell_that_indices_do_not_wrap(region, *settled, nest, before);
  if (nest.distance()) tell_partners(region, nest);
  for (const auto& [branch, side] : decided_)
    cast<BranchInst>(region.map[branch])->setCondition(build.getInt1(side));
  if (passes().runs(PassId::first_lane) && driver_->granule() && plan_.granule == Granule::warp && nest.has_inner_loop())
    ask_first_lane(region, nest.first(before), before);

  std::vector<AtomicRMWInst*> combined;
  if (passes().runs(PassId::combine_atomics) && nest.has_inner_loop()) {
    SmallVector<BasicBlock*> text{region.head};
    for (auto& [block, clone] : clones) text.push_back(clone);
    combined = find_combinable_atomics(text);
  }
  build.SetInsertPoint(BasicBlock::Create(context_, "join", frame_.body));
  outcome.values = store_live_values(region, build);
  erase_if(combined, [](const AtomicRMWInst* atomic) { return !atomic->use_empty(); });  // what it held is wanted later
  replace_exchanges(region, clones);
  outcome.next = next_region(region, build);
  MDNode* group = passes().runs(PassId::parallel_accesses) && nest.has_inner_loop() ? mark_independent(region) : nullptr;
  nest.close_inner(build, group, vectorizes);
  combine_atomics(combined, *frame_.once, before, build);
  for (const auto& exit : region.exits) outcome.targets.push_back(exit.first);
  before.CreateBr(loops);
}

void RegionBuilder::tell_that_indices_do_not_wrap(Region& region, const RegionGuards& settled, ThreadNest& nest,
                                   IRBuilder<>& before) {
  if (!nest.has_inner_loop()) return;
  const GuardQuestions ask = questions(region);
  for (const Guard& guard : settled.all)
    for (const auto& [condition, wanted] : guard.parts) {
      auto* index = limited_index(condition, wanted, ask.at(guard));
      if (!index || !region.blocks.contains(index->getParent())) continue;
      auto* made = dyn_cast_or_null<Instruction>(region.map.lookup(index));
      if (!made) continue;
      Value* first = at_first_thread(before, guard.made_in, nest.first(before), index);
      IRBuilder<> build(region.head->getTerminator());
      Value* counter = build.CreateZExtOrTrunc(nest.counter(), index->getType());
      made->replaceAllUsesWith(build.CreateAdd(first, counter, "", false, /*HasNSW=*/true));
    }
}

void RegionBuilder::ask_first_lane(Region& region, const ThreadIndex& first, IRBuilder<>& before) {
  const auto is_common = [&](const Value* value) {
    const auto* instruction = dyn_cast<Instruction>(value);
    return !instruction || plan_.is_uniform_in_warp(*instruction);
  };
  for (BasicBlock* block : region.blocks)
    for (Instruction& instruction : *block) {
      if (!is_cheap(instruction) || !is_common(&instruction) ||
          all_of(instruction.operands(), is_common) || !is_made_of_index(region, &instruction))
        continue;
      auto* made = cast<Instruction>(region.map[&instruction]);
      made->replaceAllUsesWith(at_first_thread(before, region.blocks, first, &instruction));
    }
}
}  // namespace kasoku::embedded
