#include "kasoku/compile/clang/passes/region_driver.h"

#include "kasoku/compile/clang/passes/entry_frame.h"
#include "kasoku/compile/clang/passes/exchange.h"
#include "kasoku/compile/clang/passes/scratch.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace kasoku::embedded {

using namespace llvm;

RegionDriver::RegionDriver(EntryFrame& frame, const BlockShape& shape, const RegionPlan& plan,
                           Scratch& scratch, Exchange& exchange,
                           const std::vector<BasicBlock*>& labels)
    : frame_(frame), shape_(shape), plan_(plan), scratch_(scratch), exchange_(exchange),
      labels_(labels), done_(labels.size()) {}

Value* RegionDriver::granule() const { return which_; }

BasicBlock* RegionDriver::label(unsigned number) const {
  const auto found = stretch_.find(number);
  return found == stretch_.end() ? labels_[number] : found->second;
}

void RegionDriver::lead(unsigned number, BasicBlock* to) {
  if (to)
    stretch_[number] = to;
  else
    stretch_.erase(number);
}

void RegionDriver::begin() {
  if (plan_.granule >= Granule::turn) return begin_turns();
  IRBuilder<>(frame_.block_begin).CreateBr(labels_[0]);
}

// Each turn goes over all granules; each runs until it must wait for others.
void RegionDriver::begin_turns() {
  LLVMContext& context = frame_.body->getContext();
  const bool by_warp = plan_.granule == Granule::turn;
  IRBuilder<> once(frame_.once->getTerminator());
  granules_ = by_warp ? once.CreateLShr(once.CreateAdd(frame_.threads, once.getInt32(31)), 5)
                      : frame_.threads;
  states_ = scratch_.add(once.getInt32Ty());
  if (!by_warp) runs_ = scratch_.add(once.getInt8Ty());

  const auto block = [&](const char* name) {
    return BasicBlock::Create(context, name, frame_.body);
  };
  turn_ = block("turn");
  BasicBlock* head = block("granule");
  stop_ = block("granule.stops");

  IRBuilder<> build(frame_.block_begin);
  Value* count = build.CreateZExt(granules_, build.getInt64Ty());
  build.CreateMemSet(scratch_.base(states_), build.getInt8(0),
                     build.CreateNUWMul(count, build.getInt64(4)), Align(4));
  if (!by_warp) build.CreateMemSet(scratch_.base(runs_), build.getInt8(1), count, Align(1));
  build.CreateBr(turn_);

  build.SetInsertPoint(turn_);
  if (by_warp && has_turns()) {
    holds_ = build.CreatePHI(build.getInt1Ty(), 2, "holds");
    holds_->addIncoming(build.getFalse(), frame_.block_begin);
  }
  build.CreateBr(head);
  build.SetInsertPoint(head);
  which_ = build.CreatePHI(build.getInt32Ty(), 2, by_warp ? "warp" : "thread");
  waiting_ = build.CreatePHI(build.getInt32Ty(), 2, "waiting");
  which_->addIncoming(build.getInt32(0), turn_);
  waiting_->addIncoming(build.getInt32(0), turn_);
  if (holds_) {
    looking_ = build.CreatePHI(build.getInt32Ty(), 2, "looking");
    looking_->addIncoming(build.getInt32(0), turn_);
  }
  Value* state = scratch_.load(build, states_, which_);

  IRBuilder<> stop(stop_);
  state_ = stop.CreatePHI(build.getInt32Ty(), labels_.size(), "state");
  BasicBlock* from = head;
  if (!by_warp) {
    from = block("granule.runs");
    state_->addIncoming(state, head);
    Value* runs = build.CreateICmpNE(scratch_.load(build, runs_, which_), build.getInt8(0));
    build.CreateCondBr(runs, from, stop_);
    build.SetInsertPoint(from);
  }
  // A warp that is done stays so.
  const auto dispatch = [&](auto goes_on) {
    state_->addIncoming(state, build.GetInsertBlock());
    auto* ways = build.CreateSwitch(state, stop_, labels_.size());
    for (const SyncPoint& sync : plan_.syncs)
      if (goes_on(sync.sync)) ways->addCase(build.getInt32(sync.number), labels_[sync.number]);
    return ways;
  };
  if (holds_) {
    BasicBlock* all = block("all.go.on");
    BasicBlock* some = block("some.go.on");
    build.CreateCondBr(holds_, some, all);
    build.SetInsertPoint(some);
    dispatch([](Sync sync) { return sync == Sync::turn; });
    build.SetInsertPoint(all);
  }
  dispatch([&](Sync sync) { return !by_warp || is_block_barrier(sync) || sync == Sync::turn; })
      ->addCase(build.getInt32(0), labels_[0]);
}

bool RegionDriver::has_turns() const {
  return any_of(plan_.syncs, [](const SyncPoint& at) { return at.sync == Sync::turn; });
}

void RegionDriver::open(IRBuilderBase& build, ThreadNest& nest) {
  if (plan_.granule == Granule::thread) return nest.open_thread(build, which_);
  if (which_) return nest.open_warp(build, which_);
  nest.open_block(build);
}

void RegionDriver::open_stretch(IRBuilderBase& build, ArrayRef<unsigned> regions) {
  const auto block = [&](const char* name) {
    return BasicBlock::Create(build.getContext(), name, frame_.body);
  };
  if (!granules_) {
    IRBuilder<> once(frame_.once->getTerminator());
    granules_ = once.CreateLShr(once.CreateAdd(frame_.threads, once.getInt32(31)), 5, "warps");
  }
  for (const unsigned number : regions) stretch_[number] = block("lanes");
  BasicBlock* before = build.GetInsertBlock();
  BasicBlock* head = block("warp");
  stop_ = block("warp.stops");
  build.CreateBr(head);
  build.SetInsertPoint(head);
  which_ = build.CreatePHI(build.getInt32Ty(), 2, "warp");
  which_->addIncoming(build.getInt32(0), before);
  state_ = IRBuilder<>(stop_).CreatePHI(build.getInt32Ty(), 2, "next");
}

RegionDriver::Way RegionDriver::close_stretch(IRBuilderBase& build) {
  build.SetInsertPoint(stop_);
  Value* next = build.CreateNUWAdd(which_, build.getInt32(1));
  which_->addIncoming(next, stop_);
  BasicBlock* after = BasicBlock::Create(build.getContext(), "warps.done", frame_.body);
  auto* back = build.CreateCondBr(build.CreateICmpULT(next, granules_), which_->getParent(), after);
  if (plan_.blocks_in_turn) back->setMetadata(LLVMContext::MD_loop, no_unrolling(build.getContext()));
  build.SetInsertPoint(after);
  Way way{state_, std::move(ways_out_)};
  if (way.targets.empty()) {  // no warp comes here
    state_->eraseFromParent();
    way.next = nullptr;
  }
  stretch_.clear();
  ways_out_.clear();
  which_ = nullptr;
  stop_ = nullptr;
  return way;
}

// Whether the granule that runs goes there at once.
bool RegionDriver::is_local(unsigned number) const {
  if (number == done_) return false;
  const Sync sync = plan_.syncs[number - 1].sync;
  return !is_block_barrier(sync) && sync != Sync::loop && sync != Sync::turn;
}

void RegionDriver::go_on(IRBuilderBase& build, Value* next, const std::vector<unsigned>& targets) {
  if (!next) {
    build.CreateUnreachable();
    return;
  }
  BasicBlock* from = build.GetInsertBlock();
  const auto destination = [&](unsigned number) {
    if (which_) {
      if (plan_.granule != Granule::thread && is_local(number)) return label(number);
      if (plan_.granule == Granule::warp && !is_contained(ways_out_, number))
        ways_out_.push_back(number);
      return stop_;
    }
    if (const auto stop = stops_.find(number); stop != stops_.end()) return stop->second;
    return number == done_ ? frame_.block_end : label(number);
  };
  SwitchInst* dispatch = nullptr;
  if (targets.size() == 1) {
    build.CreateBr(destination(targets[0]));
  } else {
    dispatch = build.CreateSwitch(next, destination(targets.back()), targets.size());
    for (size_t i = 0; i + 1 < targets.size(); ++i)
      dispatch->addCase(build.getInt32(targets[i]), destination(targets[i]));
  }
  if (stop_)
    for (BasicBlock* successor : successors(from))
      if (successor == stop_) state_->addIncoming(next, from);
}

void RegionDriver::end() {
  if (plan_.granule == Granule::turn) end_warps();
  if (plan_.granule == Granule::thread) end_threads();
}

void RegionDriver::end_warps() {
  LLVMContext& context = frame_.body->getContext();
  IRBuilder<> build(stop_);
  scratch_.store(build, states_, which_, state_);
  Value* is_done = build.CreateICmpEQ(state_, build.getInt32(done_));
  if (exchange_.has_votes()) {
    BasicBlock* leave = BasicBlock::Create(context, "warp.leaves", frame_.body);
    BasicBlock* after = BasicBlock::Create(context, "warp.after", frame_.body);
    build.CreateCondBr(is_done, leave, after);
    build.SetInsertPoint(leave);
    exchange_.leave(build, which_);
    build.CreateBr(after);
    build.SetInsertPoint(after);
  }
  Value* waiting = build.CreateAdd(
      waiting_, build.CreateSelect(is_done, build.getInt32(0), build.getInt32(1)));
  Value* next = build.CreateNUWAdd(which_, build.getInt32(1));
  BasicBlock* all = BasicBlock::Create(context, "turn.ends", frame_.body);
  Value* still_looking = nullptr;
  if (holds_) {
    Value* looks = build.getFalse();
    for (const SyncPoint& at : plan_.syncs)
      if (at.sync == Sync::turn) looks = build.CreateOr(looks, build.CreateICmpEQ(state_, build.getInt32(at.number)));
    Value* looking = build.CreateAdd(looking_, build.CreateZExt(looks, build.getInt32Ty()));
    looking_->addIncoming(looking, build.GetInsertBlock());
    still_looking = IRBuilder<>(all).CreateICmpNE(looking, build.getInt32(0));
  }
  which_->addIncoming(next, build.GetInsertBlock());
  waiting_->addIncoming(waiting, build.GetInsertBlock());
  build.CreateCondBr(build.CreateICmpULT(next, granules_), which_->getParent(), all);
  build.SetInsertPoint(all);
  if (exchange_.has_votes()) exchange_.count_votes(build);
  if (holds_) holds_->addIncoming(still_looking, build.GetInsertBlock());
  build.CreateCondBr(build.CreateICmpNE(waiting, build.getInt32(0)), turn_, frame_.block_end);
}

void RegionDriver::end_threads() {
  LLVMContext& context = frame_.body->getContext();
  Module& module = *frame_.body->getParent();
  IRBuilder<> build(stop_);
  scratch_.store(build, states_, which_, state_);
  Value* next = build.CreateNUWAdd(which_, build.getInt32(1));
  BasicBlock* all = BasicBlock::Create(context, "turn.ends", frame_.body);
  which_->addIncoming(next, stop_);
  waiting_->addIncoming(waiting_, stop_);
  build.CreateCondBr(build.CreateICmpULT(next, granules_), which_->getParent(), all);

  // These are the fields of ks_schedule in abi.h.
  Type* pointer = build.getPtrTy();
  Type* word = build.getInt32Ty();
  auto* record = StructType::get(
      context, {word, word, pointer, pointer, pointer, pointer, pointer, pointer, pointer, ArrayType::get(word, 16)});
  SmallVector<uint8_t> kinds{static_cast<uint8_t>(Sync::loop)};
  for (const SyncPoint& sync : plan_.syncs) kinds.push_back(static_cast<uint8_t>(sync.sync));
  Constant* kinds_data = ConstantDataArray::get(context, kinds);
  auto* kinds_table = new GlobalVariable(module, kinds_data->getType(), true,
                                         GlobalValue::InternalLinkage, kinds_data, "kinds");
  IRBuilder<> top(&*frame_.once->begin());
  AllocaInst* place = top.CreateAlloca(record, nullptr, "schedule");
  const auto& shared = exchange_.shared();
  Value* fields[] = {frame_.threads,
                     build.getInt32(done_),
                     kinds_table,
                     scratch_.base(states_),
                     scratch_.base(runs_),
                     scratch_.base(shared.mask),
                     scratch_.base(shared.in),
                     scratch_.base(shared.out),
                     scratch_.base(shared.active)};
  IRBuilder<> once(frame_.once->getTerminator());
  for (unsigned i = 0; i < std::size(fields); ++i)
    once.CreateStore(fields[i], once.CreateStructGEP(record, place, i));
  once.CreateMemSet(once.CreateStructGEP(record, place, std::size(fields)), once.getInt8(0), 16 * 4, Align(4));

  build.SetInsertPoint(all);
  FunctionCallee schedule =
      module.getOrInsertFunction("ks_rt_schedule", FunctionType::get(word, {pointer}, false));
  Value* released = build.CreateCall(schedule, {place});
  build.CreateCondBr(build.CreateICmpNE(released, build.getInt32(0)), turn_, frame_.block_end);
}

}  // namespace kasoku::embedded
