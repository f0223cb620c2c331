#include "kasoku/compile/clang/passes/region_builder.h"

namespace kasoku::embedded {

// turn:   for each block of the group: on from where it stopped, to where it stops again;
//         what they contributed is added up; the next turn, until all have returned.
void RegionBuilder::open_turns() {
  const unsigned blocks = plan_.blocks_in_turn;
  IRBuilder<> top(&*frame_.once->begin());
  turns_.states = top.CreateAlloca(ArrayType::get(top.getInt32Ty(), blocks), nullptr, "states");
  turns_.goes_on = top.CreateAlloca(top.getInt8Ty(), nullptr, "goes.on");

  IRBuilder<> build(frame_.block_begin);
  turns_.leave = frame_.block_end;
  turns_.groups.emplace(frame_, build, blocks, /*row=*/0);
  build.CreateMemSet(turns_.states, build.getInt8(0), 4 * uint64_t{blocks}, Align(4));
  turns_.turn = BasicBlock::Create(context_, "turn", frame_.body);
  build.CreateBr(turns_.turn);
  build.SetInsertPoint(turns_.turn);
  build.CreateStore(build.getInt8(0), turns_.goes_on);
  const BlockRange& range = turns_.groups->range();
  turns_.blocks.emplace(frame_, build, range);
  turns_.which = BinaryOperator::CreateNUWSub(turns_.blocks->number(), range.first, "which", build.GetInsertBlock());
  turns_.state = build.CreateInBoundsGEP(build.getInt32Ty(), turns_.states, turns_.which, "state");
  frame_.block_begin = build.GetInsertBlock();

  turns_.aggregates.emplace(frame_, shape_, plan_.syncs, blocks);
  turns_.aggregates->set_block(turns_.which);
  scratch_.set_turns(blocks, turns_.which);
  for (const SyncPoint& sync : plan_.syncs)
    if (sync.sync == Sync::aggregate)
      for (Instruction* value : live_.at(*sync.block)) turns_.kept.insert(leader(value));
}

Value* RegionBuilder::place_in_block(Type* type, uint64_t alignment, const char* name) {
  AllocaInst* all = IRBuilder<>(&*frame_.once->begin())
                        .CreateAlloca(ArrayType::get(type, plan_.blocks_in_turn), nullptr, name);
  if (alignment > 1) all->setAlignment(Align(alignment));
  IRBuilder<> build(turns_.which->getNextNode());
  return build.CreateInBoundsGEP(type, all, turns_.which, name);
}

bool RegionBuilder::is_kept_by_warp(const Instruction& value) const {
  return plan_.blocks_in_turn && plan_.granule == Granule::warp && outlives_stretches(value) &&
         !plan_.is_uniform(value) && plan_.is_uniform_in_warp(value);
}

void RegionBuilder::build_turns() {
  const auto block = [&](const char* name) { return BasicBlock::Create(context_, name, frame_.body); };
  IRBuilder<> build(frame_.block_begin);
  Type* word = build.getInt32Ty();
  BasicBlock *end = block("block.end"), *done = block("block.done");
  auto* ways = build.CreateSwitch(build.CreateLoad(word, turns_.state), end);
  ways->addCase(build.getInt32(0), labels_[0]);
  for (const SyncPoint& sync : plan_.syncs) {
    if (sync.sync != Sync::aggregate) continue;
    BasicBlock* stop = block("block.stops");
    build.SetInsertPoint(stop);
    build.CreateStore(build.getInt32(sync.number), turns_.state);
    build.CreateStore(build.getInt8(1), turns_.goes_on);
    build.CreateBr(end);
    ways->addCase(build.getInt32(sync.number), labels_[sync.number]);
    driver_->stop_at(sync.number, stop);
  }
  build.SetInsertPoint(done);
  build.CreateStore(build.getInt32(done_), turns_.state);
  build.CreateBr(end);
  frame_.block_end = done;
  build_rest();

  build.SetInsertPoint(end);
  turns_.blocks->close(build);
  const BlockRange& range = turns_.groups->range();
  turns_.aggregates->add_up(build, build.CreateSub(range.last, range.first));
  BasicBlock* after = block("turns.done");
  Value* goes_on = build.CreateLoad(build.getInt8Ty(), turns_.goes_on);
  build.CreateCondBr(build.CreateICmpNE(goes_on, build.getInt8(0)), turns_.turn, after);
  build.SetInsertPoint(after);
  turns_.groups->close(build);
  build.CreateBr(turns_.leave);
}

}  // namespace kasoku::embedded
