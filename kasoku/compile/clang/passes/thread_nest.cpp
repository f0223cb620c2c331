#include "kasoku/compile/clang/passes/thread_nest.h"

#include "kasoku/compile/clang/passes/entry_frame.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Metadata.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

Value* no_wrap_mul(IRBuilderBase& build, Value* a, Value* b) {
  return build.CreateMul(a, b, "", /*HasNUW=*/true, /*HasNSW=*/true);
}
Value* no_wrap_add(IRBuilderBase& build, Value* a, Value* b) {
  return build.CreateAdd(a, b, "", /*HasNUW=*/true, /*HasNSW=*/true);
}

MDNode* loop_attributes(LLVMContext& context, MDNode* group, bool vectorizes) {
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
  // Unrolled before it is vectorised, a loop of 16 or 32 threads is lost; after
  // that it may be unrolled.
  parts.push_back(word("llvm.loop.unroll.disable"));
  if (vectorizes)
    parts.push_back(MDNode::get(
        context, {MDString::get(context, "llvm.loop.vectorize.followup_all"),
                  flag("llvm.loop.isvectorized", 32, 1), word("llvm.loop.unroll.runtime.disable")}));
  else
    parts.push_back(flag("llvm.loop.vectorize.enable", 1, 0));
  MDNode* node = MDNode::getDistinct(context, parts);
  node->replaceOperandWith(0, node);
  return node;
}

}  // namespace

Value* ThreadNest::open(IRBuilderBase& build, Value* extent, const char* name) {
  if (auto* constant = dyn_cast<ConstantInt>(extent); constant && constant->isOne())
    return build.getInt32(0);
  BasicBlock* before = build.GetInsertBlock();
  BasicBlock* head = BasicBlock::Create(build.getContext(), name, before->getParent());
  build.CreateBr(head);
  build.SetInsertPoint(head);
  PHINode* counter = build.CreatePHI(build.getInt32Ty(), 2, name);
  counter->addIncoming(build.getInt32(0), before);
  levels_.push_back({head, counter, extent});
  return counter;
}

ThreadIndex ThreadNest::open_block(IRBuilderBase& build, bool y_is_fast) {
  const auto extent = [&](Index index) { return frame_.index[static_cast<int>(index)]; };
  ThreadIndex thread;
  thread.z = open(build, extent(Index::bdim_z), "thread.z");
  if (y_is_fast) thread.x = open(build, extent(Index::bdim_x), "thread.x");
  thread.y = open(build, extent(Index::bdim_y), "thread.y");
  Value* row = no_wrap_add(build, no_wrap_mul(build, thread.z, extent(Index::bdim_y)), thread.y);
  row = no_wrap_mul(build, row, extent(Index::bdim_x));
  if (!y_is_fast) thread.x = open(build, extent(Index::bdim_x), "thread.x");
  thread.linear = no_wrap_add(build, row, thread.x);
  return thread;
}

ThreadIndex ThreadNest::open_warp(IRBuilderBase& build, Value* warp) {
  Value* first = no_wrap_mul(build, warp, build.getInt32(32));
  Value* lanes = build.getInt32(32);
  if (!shape_.is_known() || shape_.threads() % 32 != 0)
    lanes = build.CreateBinaryIntrinsic(
        Intrinsic::umin, lanes, build.CreateSub(frame_.threads, first, "", true, true));
  if (!shape_.rows_hold_whole_warps() || shape_.y * shape_.z == 1) {
    Value* lane = open(build, lanes, "lane");
    return single(build, no_wrap_add(build, first, lane));
  }
  Value* x = build.getInt32(shape_.x);
  Value* row = build.CreateUDiv(first, x);
  Value* row_begin = build.CreateURem(first, x);
  ThreadIndex thread;
  thread.y = build.CreateURem(row, build.getInt32(shape_.y));
  thread.z = build.CreateUDiv(row, build.getInt32(shape_.y));
  Value* lane = open(build, lanes, "lane");
  thread.x = no_wrap_add(build, row_begin, lane);
  thread.linear = no_wrap_add(build, first, lane);
  return thread;
}

ThreadIndex ThreadNest::single(IRBuilderBase& build, Value* linear) {
  const auto extent = [&](Index index) { return frame_.index[static_cast<int>(index)]; };
  ThreadIndex thread;
  thread.linear = linear;
  if (shape_.is_known() && shape_.y * shape_.z == 1) {
    thread.x = linear;
    thread.y = thread.z = build.getInt32(0);
    return thread;
  }
  Value* row = build.CreateUDiv(linear, extent(Index::bdim_x));
  thread.x = build.CreateURem(linear, extent(Index::bdim_x));
  thread.y = build.CreateURem(row, extent(Index::bdim_y));
  thread.z = build.CreateUDiv(row, extent(Index::bdim_y));
  return thread;
}

void ThreadNest::close(IRBuilderBase& build, MDNode* group, bool vectorizes) {
  bool is_innermost = true;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    BasicBlock* latch = build.GetInsertBlock();
    Value* next = no_wrap_add(build, level->counter, build.getInt32(1));
    level->counter->addIncoming(next, latch);
    BasicBlock* after =
        BasicBlock::Create(build.getContext(), "threads.done", latch->getParent());
    auto* back = build.CreateCondBr(build.CreateICmpULT(next, level->extent), level->head, after);
    if (is_innermost)
      back->setMetadata(LLVMContext::MD_loop,
                        loop_attributes(build.getContext(), group, vectorizes));
    is_innermost = false;
    build.SetInsertPoint(after);
  }
  levels_.clear();
}

}  // namespace kasoku::embedded
