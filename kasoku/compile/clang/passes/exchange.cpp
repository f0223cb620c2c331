#include "kasoku/compile/clang/passes/exchange.h"

#include "kasoku/compile/clang/passes/entry_frame.h"
#include "kasoku/compile/clang/passes/scratch.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

// A vote is a byte, of which compares make 32 bits in one instruction.
Type* array_type(Sync sync, Type* value) {
  return sync == Sync::ballot ? Type::getInt8Ty(value->getContext()) : value;
}

constexpr uint32_t abstention = 2;  // neither yes nor no: of a thread that is gone

FixedVectorType* warp_of(Type* element) { return FixedVectorType::get(element, 32); }

}  // namespace

uint32_t identity_of(Sync reduction) {
  switch (reduction) {
    case Sync::reduce_and: case Sync::reduce_umin: return 0xffffffffu;
    case Sync::reduce_smin: return 0x7fffffffu;
    case Sync::reduce_smax: return 0x80000000u;
    default: return 0;
  }
}

Exchange::Exchange(const EntryFrame& frame, const BlockShape& shape, Granule granule,
                   const std::vector<SyncPoint>& syncs, Scratch& scratch)
    : frame_(frame), shape_(shape), granule_(granule), syncs_(syncs), scratch_(scratch) {
  LLVMContext& context = frame.body->getContext();
  arrays_.resize(syncs.size() + 1);
  for (const SyncPoint& sync : syncs) has_votes_ |= is_voting_barrier(sync.sync);
  if (granule == Granule::thread) {
    Type* wide = Type::getInt64Ty(context);
    Type* word = Type::getInt32Ty(context);
    shared_ = {scratch.add(wide), scratch.add(wide), scratch.add(word), scratch.add(word)};
    return;
  }
  if (has_votes_) {
    IRBuilder<> build(&*frame.once->begin());
    votes_ = scratch.add(build.getInt32Ty());
    ones_ = build.CreateAlloca(build.getInt32Ty(), nullptr, "ones");
    zeros_ = build.CreateAlloca(build.getInt32Ty(), nullptr, "zeros");
  }
  for (const SyncPoint& sync : syncs) {
    if (!sync.value || is_voting_barrier(sync.sync)) continue;
    arrays_[sync.number].in = scratch.add_lanes(array_type(sync.sync, sync.value));
  }
}

Value* Exchange::lane(IRBuilderBase& build, const ThreadIndex& thread) {
  return thread.lane ? thread.lane : build.CreateAnd(thread.linear, 31, "lane");
}

Value* Exchange::live_lanes(IRBuilderBase& build, Value* warp) {
  if (shape_.is_known() && shape_.threads() % 32 == 0) return build.getInt32(~0u);
  Value* left = build.CreateSub(frame_.threads, build.CreateShl(warp, 5));
  Value* some = build.CreateSub(build.CreateShl(build.getInt32(1), build.CreateAnd(left, 31)),
                                build.getInt32(1));
  return build.CreateSelect(build.CreateICmpUGE(left, build.getInt32(32)), build.getInt32(~0u),
                            some, "live");
}

void Exchange::arrive(CallInst& arrival, const ThreadIndex& thread) {
  IRBuilder<> build(&arrival);
  const unsigned number = cast<ConstantInt>(arrival.getArgOperand(0))->getZExtValue();
  const SyncPoint& sync = syncs_[number - 1];
  Value* value = sync.value ? arrival.getArgOperand(1) : nullptr;
  Value* word = value;
  if (sync.sync == Sync::ballot || is_voting_barrier(sync.sync))
    word = build.CreateZExt(build.CreateICmpNE(value, Constant::getNullValue(value->getType())),
                            sync.sync == Sync::ballot ? build.getInt8Ty() : build.getInt32Ty());
  if (is_voting_barrier(sync.sync) && arrival.arg_size() > 2)
    word = build.CreateSelect(arrival.getArgOperand(2), word, build.getInt32(abstention));
  if (granule_ == Granule::thread) {
    if (word)
      scratch_.store(build, shared_.in, thread.linear,
                     build.CreateZExtOrTrunc(word, build.getInt64Ty()));
    const unsigned mask = sync.value ? 2 : 1;
    Value* lanes = (is_warp_operation(sync.sync) || is_of_part(sync.sync)) && arrival.arg_size() > mask
                       ? arrival.getArgOperand(mask)
                       : build.getInt32(~0u);
    scratch_.store(build, shared_.mask, thread.linear, lanes);
  } else if (is_voting_barrier(sync.sync)) {
    scratch_.store(build, votes_, thread.linear, word);
  } else if (word) {
    const unsigned array = arrays_[number].in;
    scratch_.store(build, array, scratch_.index(array, thread), word);
  }
  arrival.eraseFromParent();
}

// Counts in ones_ and zeros_ how many of the threads that take part said yes and no.
void Exchange::sum_votes(IRBuilderBase& build, unsigned array) {
  BasicBlock* before = build.GetInsertBlock();
  Function* function = before->getParent();
  BasicBlock* loop = BasicBlock::Create(build.getContext(), "votes", function);
  BasicBlock* after = BasicBlock::Create(build.getContext(), "voted", function);
  build.CreateBr(loop);
  build.SetInsertPoint(loop);
  Type* word = build.getInt32Ty();
  PHINode* thread = build.CreatePHI(word, 2);
  PHINode* ones = build.CreatePHI(word, 2);
  PHINode* zeros = build.CreatePHI(word, 2);
  Value* vote = scratch_.load(build, array, thread);
  Value* one = build.CreateZExt(build.CreateICmpEQ(vote, build.getInt32(1)), word);
  Value* zero = build.CreateZExt(build.CreateICmpEQ(vote, build.getInt32(0)), word);
  Value* more_ones = build.CreateAdd(ones, one);
  Value* more_zeros = build.CreateAdd(zeros, zero);
  Value* next = build.CreateNUWAdd(thread, build.getInt32(1));
  build.CreateCondBr(build.CreateICmpULT(next, frame_.threads), loop, after);
  for (PHINode* phi : {thread, ones, zeros}) phi->addIncoming(build.getInt32(0), before);
  thread->addIncoming(next, loop);
  ones->addIncoming(more_ones, loop);
  zeros->addIncoming(more_zeros, loop);
  build.SetInsertPoint(after);
  build.CreateStore(more_ones, ones_);
  build.CreateStore(more_zeros, zeros_);
}

void Exchange::count_votes(IRBuilderBase& build) { sum_votes(build, votes_); }

void Exchange::leave(IRBuilderBase& build, Value* warp) {
  Value* nobody = ConstantVector::getSplat(ElementCount::getFixed(32), build.getInt32(abstention));
  Value* place = scratch_.element(build, votes_, build.CreateShl(warp, 5));
  build.CreateAlignedStore(nobody, place, Align(4));
}

void Exchange::meet(IRBuilderBase& build, const SyncPoint& sync, Value* warp,
                    bool may_come_back_at_once) {
  if (sync.sync == Sync::grid_barrier && granule_ != Granule::thread)
    build.CreateCall(frame_.body->getParent()->getOrInsertFunction(
        "ks_rt_grid_barrier", FunctionType::get(build.getVoidTy(), false)));
  if (granule_ == Granule::thread || !sync.value) return;
  if (is_voting_barrier(sync.sync)) {
    if (granule_ != Granule::turn) sum_votes(build, votes_);
    return;
  }
  Arrays& arrays = arrays_[sync.number];
  const bool is_ballot = sync.sync == Sync::ballot;
  const bool is_reduced = is_reduction(sync.sync);
  if (!is_ballot && !is_reduced && !may_come_back_at_once) return;
  const auto place = [&](unsigned array) {
    Value* linear = build.CreateShl(warp, 5);
    return scratch_.element(build, array, scratch_.index(array, {.linear = linear, .lane = build.getInt32(0)}));
  };
  const Align alignment(scratch_.element_bytes(arrays.in));
  Value* values = build.CreateAlignedLoad(warp_of(scratch_.element_type(arrays.in)),
                                          place(arrays.in), alignment);
  if (is_ballot) {
    Value* votes = build.CreateICmpNE(values, Constant::getNullValue(values->getType()));
    // Lanes beyond the block's end still have the votes of earlier warps there.
    ballot_ = build.CreateAnd(build.CreateBitCast(votes, build.getInt32Ty()),
                              live_lanes(build, warp), "ballot");
    return;
  }
  if (is_reduced) {
    values_ = values;
    return;
  }
  arrays.copied = true;
  if (arrays.out < 0) arrays.out = scratch_.add_lanes(scratch_.element_type(arrays.in));
  build.CreateAlignedStore(values, place(arrays.out), alignment);
}

Value* Exchange::shuffle(IRBuilderBase& build, CallInst& call, const SyncPoint& sync,
                         const ThreadIndex& thread) {
  const Arrays& arrays = arrays_[sync.number];
  const bool by_thread = granule_ == Granule::thread;
  const unsigned array = by_thread ? shared_.out : arrays.copied ? arrays.out : arrays.in;
  Value* amount = call.getArgOperand(2);
  Value* width = call.getArgOperand(3);
  // Widths are powers of two up to 32; anything else must at least stay in the arrays.
  if (auto* constant = dyn_cast<ConstantInt>(width);
      constant && !(isPowerOf2_64(constant->getZExtValue()) && constant->getZExtValue() <= 32))
    width = build.getInt32(32);
  else if (!constant)
    width = build.CreateAdd(
        build.CreateAnd(build.CreateSub(width, build.getInt32(1)), 31), build.getInt32(1));
  Value* inside = build.CreateSub(width, build.getInt32(1));  // mask of lanes in a segment
  Value* own = lane(build, thread);
  Value* here = scratch_.index(array, thread);
  Value* at = build.CreateAnd(own, inside);
  const auto load = [&](Value* from) -> Value* {
    Value* value = scratch_.load(build, array, from);
    return build.CreateZExtOrTrunc(value, call.getType());
  };
  const auto limited = [&](Value* distance) {
    return build.CreateBinaryIntrinsic(Intrinsic::umin, distance, build.getInt32(32));
  };
  switch (sync.sync) {
    case Sync::shfl_down: {
      amount = limited(amount);
      Value* there = build.CreateAdd(here, amount, "", true, true);
      Value* reaches = build.CreateICmpULT(build.CreateAdd(at, amount, "", true, true), width);
      return build.CreateSelect(reaches, load(there), load(here));
    }
    case Sync::shfl_up: {
      amount = limited(amount);
      Value* there = build.CreateSub(here, amount, "", false, true);
      // 32 elements of room below the block keep the load legal; the address is signed.
      Value* index = build.CreateSExt(there, build.getInt64Ty());
      Value* place = build.CreateInBoundsGEP(scratch_.element_type(array), scratch_.base(array),
                                             index);
      Value* value = build.CreateZExtOrTrunc(
          build.CreateLoad(scratch_.element_type(array), place), call.getType());
      return build.CreateSelect(build.CreateICmpUGE(at, amount), value, load(here));
    }
    case Sync::shfl_xor: {
      Value* target = build.CreateXor(own, build.CreateAnd(amount, 31));
      // Segments above the thread's own are out of reach.
      Value* end = build.CreateOr(build.CreateAnd(own, build.CreateNot(inside)), inside);
      Value* reaches = build.CreateICmpULE(target, end);
      auto* constant = dyn_cast<ConstantInt>(amount);
      if (constant && isPowerOf2_64(constant->getZExtValue()) && constant->getZExtValue() < 32) {
        Value* above = load(build.CreateAdd(here, amount, "", true, true));
        Value* below_index = build.CreateSExt(
            build.CreateSub(here, amount, "", false, true), build.getInt64Ty());
        Value* below = build.CreateZExtOrTrunc(
            build.CreateLoad(scratch_.element_type(array),
                             build.CreateInBoundsGEP(scratch_.element_type(array),
                                                     scratch_.base(array), below_index)),
            call.getType());
        Value* up = build.CreateICmpEQ(build.CreateAnd(own, amount), build.getInt32(0));
        return build.CreateSelect(reaches, build.CreateSelect(up, above, below),
                                  load(here));
      }
      Value* warp_begin = build.CreateAnd(here, ~31u);
      Value* from = build.CreateSelect(reaches, build.CreateOr(warp_begin, target), here);
      return load(from);
    }
    default: {
      // In this form LLVM sees that a lane that all threads name is one address.
      const auto* whole = dyn_cast<ConstantInt>(width);
      const bool is_place = thread.lane == here && whole && whole->getZExtValue() == 32;
      Value* from = build.CreateAnd(amount, inside);
      return load(is_place ? from
                           : build.CreateOr(build.CreateAnd(here, build.CreateNot(inside)), from));
    }
  }
}

Value* Exchange::reduce(IRBuilderBase& build, CallInst& call, Sync sync, const ThreadIndex& thread) {
  Value* lanes = build.CreateAnd(call.getArgOperand(0), live_lanes(build, build.CreateLShr(thread.linear, 5)));
  Value* named = build.CreateBitCast(lanes, FixedVectorType::get(build.getInt1Ty(), 32));
  Value* values = build.CreateSelect(named, values_, build.CreateVectorSplat(32, build.getInt32(identity_of(sync))));
  switch (sync) {
    case Sync::reduce_add: return build.CreateAddReduce(values);
    case Sync::reduce_and: return build.CreateAndReduce(values);
    case Sync::reduce_or: return build.CreateOrReduce(values);
    case Sync::reduce_xor: return build.CreateXorReduce(values);
    case Sync::reduce_umin: return build.CreateIntMinReduce(values, /*IsSigned=*/false);
    case Sync::reduce_umax: return build.CreateIntMaxReduce(values, /*IsSigned=*/false);
    case Sync::reduce_smin: return build.CreateIntMinReduce(values, /*IsSigned=*/true);
    default: return build.CreateIntMaxReduce(values, /*IsSigned=*/true);
  }
}

Value* Exchange::match(IRBuilderBase& build, CallInst& call, const SyncPoint& sync,
                       const ThreadIndex& thread) {
  const Arrays& arrays = arrays_[sync.number];
  const unsigned array = arrays.copied ? arrays.out : arrays.in;
  Type* element = scratch_.element_type(array);
  Value* here = scratch_.index(array, thread);
  Value* first = build.CreateAnd(here, ~31u);
  Value* values =
      build.CreateAlignedLoad(warp_of(element), scratch_.element(build, array, first),
                              Align(scratch_.element_bytes(array)));
  Value* own = scratch_.load(build, array, here);
  Value* same = build.CreateICmpEQ(values, build.CreateVectorSplat(32, own));
  Value* lanes = build.CreateBitCast(same, build.getInt32Ty());
  Value* mask = build.CreateAnd(call.getArgOperand(0),
                                live_lanes(build, build.CreateLShr(thread.linear, 5)));
  lanes = build.CreateAnd(lanes, mask);
  if (sync.sync == Sync::match_any) return lanes;
  return build.CreateSelect(build.CreateICmpEQ(lanes, mask), mask, build.getInt32(0));
}

Value* Exchange::vote_total(IRBuilderBase& build, Sync sync) {
  Type* word = build.getInt32Ty();
  if (sync == Sync::barrier_and)
    return build.CreateZExt(
        build.CreateICmpEQ(build.CreateLoad(word, zeros_), build.getInt32(0)), word);
  Value* ones = build.CreateLoad(word, ones_);
  if (sync == Sync::barrier_count) return ones;
  return build.CreateZExt(build.CreateICmpNE(ones, build.getInt32(0)), word);
}

void Exchange::result(CallInst& call, const SyncPoint& sync, const ThreadIndex& thread) {
  IRBuilder<> build(&call);
  Value* value = nullptr;
  if (is_shuffle(sync.sync)) {
    value = shuffle(build, call, sync, thread);
  } else if (call.getType()->isVoidTy()) {
    // a barrier leaves nothing behind
  } else if (granule_ == Granule::thread) {
    if (sync.sync == Sync::activemask)
      value = scratch_.load(build, shared_.active, thread.linear);
    else
      value = build.CreateTrunc(scratch_.load(build, shared_.out, thread.linear), call.getType());
  } else if (is_voting_barrier(sync.sync)) {
    value = vote_total(build, sync.sync);
  } else if (sync.sync == Sync::ballot) {
    value = build.CreateAnd(ballot_, call.getArgOperand(0));
  } else if (is_reduction(sync.sync)) {
    value = reduce(build, call, sync.sync, thread);
  } else if (sync.sync == Sync::activemask) {
    value = live_lanes(build, build.CreateLShr(thread.linear, 5));
  } else {
    value = match(build, call, sync, thread);
  }
  if (value) call.replaceAllUsesWith(value);
  call.eraseFromParent();
}

}  // namespace kasoku::embedded
