#include "kasoku/compile/clang/passes/thread_nest.h"

#include "kasoku/compile/clang/passes/entry_frame.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/MathExtras.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

Value* no_wrap_mul(IRBuilderBase& build, Value* a, Value* b) {
  return build.CreateMul(a, b, "", /*HasNUW=*/true, /*HasNSW=*/true);
}
Value* no_wrap_add(IRBuilderBase& build, Value* a, Value* b) {
  return build.CreateAdd(a, b, "", /*HasNUW=*/true, /*HasNSW=*/true);
}

MDNode* loop_attributes(LLVMContext& context, MDNode* group, bool vectorizes,
                        uint32_t width = 0, bool unrolls = true) {
  const auto word = [&](const char* name) {
    return MDNode::get(context, {MDString::get(context, name)});
  };
  const auto flag = [&](const char* name, unsigned bits, uint64_t value) {
    Constant* constant = ConstantInt::get(IntegerType::get(context, bits), value);
    return MDNode::get(context,
                       {MDString::get(context, name), ConstantAsMetadata::get(constant)});
  };
  SmallVector<Metadata*> parts{nullptr};
  if (group)
    parts.push_back(MDNode::get(
        context, {MDString::get(context, "llvm.loop.parallel_accesses"), group}));
  if (width) {
    parts.push_back(flag("llvm.loop.vectorize.width", 32, width));
    parts.push_back(flag("llvm.loop.interleave.count", 32, 1));
  }
  // Unrolled before it is vectorised, a loop of 16 or 32 threads is lost; after
  // that it may be unrolled.
  parts.push_back(word("llvm.loop.unroll.disable"));
  if (vectorizes)
    parts.push_back(MDNode::get(
        context, {MDString::get(context, "llvm.loop.vectorize.followup_all"),
                  flag("llvm.loop.isvectorized", 32, 1),
                  word(unrolls ? "llvm.loop.unroll.runtime.disable" : "llvm.loop.unroll.disable")}));
  else
    parts.push_back(flag("llvm.loop.vectorize.enable", 1, 0));
  MDNode* node = MDNode::getDistinct(context, parts);
  node->replaceOperandWith(0, node);
  return node;
}

}  // namespace

MDNode* no_unrolling(LLVMContext& context) { return loop_attributes(context, nullptr, /*vectorizes=*/false); }

ThreadNest::Level ThreadNest::open(IRBuilderBase& build, Value* low, Value* high,
                                   const char* name) {
  BasicBlock* before = build.GetInsertBlock();
  BasicBlock* head = BasicBlock::Create(build.getContext(), name, before->getParent());
  build.CreateBr(head);
  build.SetInsertPoint(head);
  PHINode* counter = build.CreatePHI(build.getInt32Ty(), 2, name);
  counter->addIncoming(low, before);
  return {head, counter, high};
}

Instruction* ThreadNest::close(IRBuilderBase& build, Level& level) {
  BasicBlock* latch = build.GetInsertBlock();
  Value *next = nullptr, *goes_on = nullptr;
  if (level.end) {
    next = no_wrap_add(build, level.counter, build.getInt32(1));
    goes_on = build.CreateICmpULT(next, level.end);
  } else {  // without its lowest bit
    next = build.CreateAnd(level.counter, build.CreateSub(level.counter, build.getInt32(1)));
    goes_on = build.CreateICmpNE(next, build.getInt32(0));
  }
  level.counter->addIncoming(next, latch);
  BasicBlock* after = BasicBlock::Create(build.getContext(), "threads.done", latch->getParent());
  auto* back = build.CreateCondBr(goes_on, level.head, after);
  build.SetInsertPoint(after);
  return back;
}

Value* ThreadNest::open_outer(IRBuilderBase& build, Value* extent, const char* name) {
  if (auto* constant = dyn_cast<ConstantInt>(extent); constant && constant->isOne())
    return build.getInt32(0);
  outer_.push_back(open(build, build.getInt32(0), extent, name));
  return outer_.back().counter;
}

void ThreadNest::open_block(IRBuilderBase& build) {
  const auto of = [&](Index index) { return frame_.index[static_cast<int>(index)]; };
  z_ = open_outer(build, of(Index::bdim_z), "thread.z");
  const Index slow = y_is_fast_ ? Index::bdim_x : Index::bdim_y;
  const Index fast = y_is_fast_ ? Index::bdim_y : Index::bdim_x;
  Value* outer = open_outer(build, of(slow), y_is_fast_ ? "thread.x" : "thread.y");
  Value* row = no_wrap_add(build, no_wrap_mul(build, z_, of(slow)), outer);
  linear_ = no_wrap_mul(build, row, of(fast));
  x_ = y_is_fast_ ? outer : build.getInt32(0);
  y_ = y_is_fast_ ? build.getInt32(0) : outer;
  extent_ = of(fast);
}

void ThreadNest::open_warp(IRBuilderBase& build, Value* warp) {
  is_warp_ = true;
  linear_ = no_wrap_mul(build, warp, build.getInt32(32));
  extent_ = build.getInt32(32);
  if (!shape_.is_known() || shape_.threads() % 32 != 0)
    extent_ = build.CreateBinaryIntrinsic(
        Intrinsic::umin, extent_, build.CreateSub(frame_.threads, linear_, "", true, true));
  if (shape_.is_known() && shape_.y * shape_.z == 1) {
    x_ = linear_;
    y_ = z_ = build.getInt32(0);
  } else if (shape_.rows_hold_whole_warps()) {
    Value* row = build.CreateUDiv(linear_, build.getInt32(shape_.x));
    x_ = build.CreateURem(linear_, build.getInt32(shape_.x));
    y_ = build.CreateURem(row, build.getInt32(shape_.y));
    z_ = build.CreateUDiv(row, build.getInt32(shape_.y));
  } else {
    divides_ = true;
  }
}

void ThreadNest::open_flat(IRBuilderBase& build) {
  is_flat_ = true;
  linear_ = z_ = build.getInt32(0);
  extent_ = build.getInt32(shape_.threads());
}

void ThreadNest::open_stretches(IRBuilderBase& build, uint32_t distance, bool is_upper) {
  distance_ = distance, is_upper_ = is_upper;
  const uint32_t row = cast<ConstantInt>(extent_)->getZExtValue();
  Value* begin = build.getInt32(is_upper ? distance : 0);
  if (row > 2 * distance) {
    stretches_ = open(build, build.getInt32(0), build.getInt32(row / (2 * distance)), "stretch");
    begin = no_wrap_add(
        build, no_wrap_mul(build, stretches_.counter, build.getInt32(2 * distance)), begin);
  }
  (y_is_fast_ ? y_ : x_) = begin;
  linear_ = no_wrap_add(build, linear_, begin);
  extent_ = build.getInt32(distance);
}

void ThreadNest::open_thread(IRBuilderBase& build, Value* linear) {
  linear_ = linear;
  extent_ = build.getInt32(1);
  divides_ = true;
}

Value* ThreadNest::counter() const { return inner_.counter; }

ThreadIndex ThreadNest::at(IRBuilderBase& build, Value* counter) {
  const auto plus = [&](Value* base) {
    auto* constant = dyn_cast<ConstantInt>(base);
    if (!counter) return base;
    return constant && constant->isZero() ? counter : no_wrap_add(build, base, counter);
  };
  ThreadIndex thread;
  thread.linear = plus(linear_);
  if (is_warp_) thread.lane = counter ? counter : build.getInt32(0);
  if (is_flat_) {
    const uint32_t row = y_is_fast_ ? shape_.y : shape_.x;
    Value* fast = build.CreateAnd(thread.linear, build.getInt32(row - 1));
    Value* slow = build.CreateLShr(thread.linear, build.getInt32(Log2_32(row)));
    thread.x = y_is_fast_ ? slow : fast;
    thread.y = y_is_fast_ ? fast : slow;
    thread.z = z_;
  } else if (!divides_) {
    thread.x = y_is_fast_ ? x_ : plus(x_);
    thread.y = y_is_fast_ ? plus(y_) : y_;
    thread.z = z_;
  } else if (shape_.is_known() && shape_.y * shape_.z == 1) {
    thread.x = thread.linear;
    thread.y = thread.z = build.getInt32(0);
  } else {
    const auto of = [&](Index index) { return frame_.index[static_cast<int>(index)]; };
    Value* row = build.CreateUDiv(thread.linear, of(Index::bdim_x));
    thread.x = build.CreateURem(thread.linear, of(Index::bdim_x));
    thread.y = build.CreateURem(row, of(Index::bdim_y));
    thread.z = build.CreateUDiv(row, of(Index::bdim_y));
  }
  return thread;
}

ThreadIndex ThreadNest::open_inner(IRBuilderBase& build, Value* low, Value* high) {
  inner_ = {};
  if (is_by_bits_) {
    inner_ = open(build, high, nullptr, "lanes.left");
    return at(build, build.CreateBinaryIntrinsic(Intrinsic::cttz, inner_.counter, build.getTrue()));
  }
  auto* from = dyn_cast<ConstantInt>(low);
  auto* to = dyn_cast<ConstantInt>(high);
  if (from && to && from->isZero() && to->isOne()) return at(build, nullptr);
  inner_ = open(build, low, high, "thread");
  return at(build, inner_.counter);
}

void ThreadNest::close_inner(IRBuilderBase& build, MDNode* group, bool vectorizes) {
  const auto attributes = [&](uint32_t width) {
    return loop_attributes(build.getContext(), group, vectorizes, width, !stretches_.counter);
  };
  // In that case a vector spans several stretches, with one place of each.
  const bool is_unrolled = stretches_.counter && distance_ < least_vector;
  if (inner_.counter) {
    Instruction* back = close(build, inner_);
    if (!is_unrolled) back->setMetadata(LLVMContext::MD_loop, attributes(vectorizes ? lanes_ : 0));
  }
  if (stretches_.counter)
    close(build, stretches_)
        ->setMetadata(LLVMContext::MD_loop, attributes(is_unrolled ? least_vector : vectorizes ? lanes_ : 0));
}

void ThreadNest::close_outer(IRBuilderBase& build) {
  for (; !outer_.empty(); outer_.pop_back())
    close(build, outer_.back())
        ->setMetadata(LLVMContext::MD_loop, no_unrolling(build.getContext()));
}

}  // namespace kasoku::embedded
