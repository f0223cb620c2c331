#include "kasoku/compile/clang/passes/entry_frame.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/clang/abi.h"
#include "kasoku/compile/clang/passes/grid_stride.h"
#include "kasoku/compile/clang/passes/parameters.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <cstddef>

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr unsigned own_parameters = 5;  // launch, first, last, scratch, shared

Value* launch_field(IRBuilder<>& build, Value* launch, size_t offset, Type* type,
                    const char* name) {
  Value* place = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), launch, offset);
  auto* load = build.CreateLoad(type, place, name);
  return load;
}

// blockIdx of a block by its number. A quotient of floats, right below 2^52: LLVM makes a branch of a division of 64 bits, and
// the loop after it then has two ways in and no place where its constants could be loaded once.
std::array<Value*, 3> index_of_block(const EntryFrame& frame, IRBuilderBase& build, Value* number) {
  std::array<Value*, 3> index;
  for (const int axis : frame.axes) {
    if (axis == 2) {
      index[axis] = build.CreateTrunc(number, build.getInt32Ty());
      continue;
    }
    Value* grid = frame.index[static_cast<int>(Index::gdim_x) + axis];
    Value* length = build.CreateZExt(grid, build.getInt64Ty());
    const auto as_float = [&](Value* x) { return build.CreateSIToFP(x, build.getDoubleTy()); };
    Value* rows = build.CreateFPToSI(build.CreateFDiv(as_float(number), as_float(length)), build.getInt64Ty());
    index[axis] = build.CreateTrunc(build.CreateSub(number, build.CreateMul(rows, length)), build.getInt32Ty());
    number = rows;
  }
  return index;
}

// Leaves the loop over blocks whose head this is if the launch has been stopped.
BasicBlock* unless_stopped(const EntryFrame& frame, IRBuilderBase& build) {
  BasicBlock* block = BasicBlock::Create(build.getContext(), "block", frame.body);
  Value* status = build.CreateLoad(build.getInt32Ty(), frame.status, /*isVolatile=*/true);
  build.CreateCondBr(build.CreateICmpNE(status, build.getInt32(0)), frame.leave, block);
  build.SetInsertPoint(block);
  return block;
}

Function* make_body(const PreparedKernel& kernel, const std::vector<SourcePlace>&) {
  Function& from = *kernel.function;
  LLVMContext& context = from.getContext();
  Type* pointer = PointerType::getUnqual(context);
  Type* wide = Type::getInt64Ty(context);
  SmallVector<Type*> types;
  for (const Argument& argument : from.args()) types.push_back(argument.getType());
  types.append({pointer, wide, wide, pointer, pointer});
  auto* body = Function::Create(FunctionType::get(Type::getVoidTy(context), types, false),
                                GlobalValue::InternalLinkage, "ks_blocks", from.getParent());
  body->addFnAttr(Attribute::NoInline);
  body->addFnAttr(Attribute::NoUnwind);
  if (from.hasFnAttribute(Attribute::NullPointerIsValid)) body->addFnAttr(Attribute::NullPointerIsValid);
  for (unsigned i = 0; i < from.arg_size(); ++i) {
    Argument& to = *body->getArg(i);
    to.setName(from.getArg(i)->getName());
    if (from.getArg(i)->hasByValAttr()) {
      to.addAttr(Attribute::NoAlias);
      to.addAttr(Attribute::ReadOnly);
    } else {
      for (const Attribute attribute : from.getAttributes().getParamAttrs(i))
        to.addAttr(attribute);
    }
  }
  const char* names[own_parameters] = {"launch", "first", "last", "scratch", "shared"};
  for (unsigned i = 0; i < own_parameters; ++i) {
    Argument& own = *body->getArg(from.arg_size() + i);
    own.setName(names[i]);
    if (i >= 3) {
      own.addAttr(Attribute::NoAlias);
      own.addAttr(Attribute::getWithAlignment(context, Align(64)));
    }
  }
  return body;
}

Function* make_entry(const PreparedKernel& kernel, Function& body,
                     const std::vector<SourcePlace>& places) {
  LLVMContext& context = body.getContext();
  Type* pointer = PointerType::getUnqual(context);
  Type* wide = Type::getInt64Ty(context);
  auto* entry = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {pointer, pointer, wide, wide}, false),
      GlobalValue::ExternalLinkage, entry_symbol, body.getParent());
  IRBuilder<> build(BasicBlock::Create(context, "", entry));
  Value* args = entry->getArg(0);
  Value* launch = entry->getArg(1);
  SmallVector<Value*> passed;
  for (unsigned i = 0; i < places.size(); ++i) {
    Value* slot = build.CreateConstInBoundsGEP1_64(pointer, args, places[i].parameter);
    Value* place = build.CreateLoad(pointer, slot);
    place = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), place, places[i].offset);
    const Argument& argument = *kernel.function->getArg(i);
    passed.push_back(argument.hasByValAttr()
                         ? place
                         : build.CreateAlignedLoad(argument.getType(), place, Align(1)));
  }
  passed.append({launch, entry->getArg(2), entry->getArg(3),
                 launch_field(build, launch, offsetof(ks_launch, scratch), pointer, "scratch"),
                 launch_field(build, launch, offsetof(ks_launch, shared), pointer, "shared")});
  build.CreateCall(&body, passed);
  build.CreateRetVoid();
  return entry;
}

}  // namespace

EntryFrame build_entry_frame(const PreparedKernel& kernel, const BlockShape& shape, bool loops, bool y_is_fast,
                             const GridStride* grid_stride) {
  const auto places = argument_places(*kernel.function, kernel.parameter_sizes);
  EntryFrame frame;
  if (y_is_fast) frame.axes = {1, 0, 2};
  frame.body = make_body(kernel, places);
  frame.entry = make_entry(kernel, *frame.body, places);
  const unsigned own = kernel.function->arg_size();
  for (unsigned i = 0; i < own; ++i) frame.arguments.push_back(frame.body->getArg(i));
  frame.launch = frame.body->getArg(own);
  frame.first = frame.body->getArg(own + 1);
  frame.last = frame.body->getArg(own + 2);
  frame.scratch = frame.body->getArg(own + 3);
  frame.shared = frame.body->getArg(own + 4);

  LLVMContext& context = frame.body->getContext();
  frame.once = BasicBlock::Create(context, "once", frame.body);
  BasicBlock* some = BasicBlock::Create(context, "some", frame.body);
  frame.leave = BasicBlock::Create(context, "leave", frame.body);
  IRBuilder<>(frame.leave).CreateRetVoid();

  IRBuilder<> build(frame.once);
  Type* word = build.getInt32Ty();
  const char* axes[3] = {"x", "y", "z"};
  for (unsigned axis = 0; axis < 3; ++axis) {
    frame.index[static_cast<int>(Index::gdim_x) + axis] = launch_field(
        build, frame.launch, offsetof(ks_launch, grid) + 4 * axis, word, "grid");
    frame.index[static_cast<int>(Index::bid_x) + axis] = build.getInt32(0);
    const uint32_t known[3] = {shape.x, shape.y, shape.z};
    frame.index[static_cast<int>(Index::bdim_x) + axis] =
        shape.is_known() ? static_cast<Value*>(build.getInt32(known[axis]))
                         : launch_field(build, frame.launch,
                                        offsetof(ks_launch, block) + 4 * axis, word, axes[axis]);
  }
  frame.index[static_cast<int>(Index::dynamic_shared_bytes)] = launch_field(
      build, frame.launch, offsetof(ks_launch, shared_bytes), word, "dynamic_shared_bytes");
  const auto dimension = [&](int axis) {
    return frame.index[static_cast<int>(Index::bdim_x) + axis];
  };
  frame.threads = build.CreateNUWMul(build.CreateNUWMul(dimension(0), dimension(1)), dimension(2),
                                     "threads");
  frame.status = launch_field(build, frame.launch, offsetof(ks_launch, status),
                              build.getPtrTy(), "status");
  if (grid_stride) spread_grid(frame, build, *grid_stride);
  frame.first_index = index_of_block(frame, build, frame.first);
  build.CreateCondBr(build.CreateICmpULT(frame.first, frame.last), some, frame.leave);

  build.SetInsertPoint(some);
  if (!loops) {
    frame.block_begin = some;
    frame.block_end = frame.leave;
    return frame;
  }
  BlockLoop blocks(frame, build, blocks_of(frame));
  frame.block_begin = build.GetInsertBlock();
  frame.block_end = BasicBlock::Create(context, "block.end", frame.body);
  build.SetInsertPoint(frame.block_end);
  blocks.close(build);
  build.CreateBr(frame.leave);
  return frame;
}

BlockRange blocks_of(const EntryFrame& frame) {
  return {frame.first, frame.last, frame.first_index};
}

BlockLoop::BlockLoop(EntryFrame& frame, IRBuilderBase& build, const BlockRange& range)
    : frame_(frame), last_(range.last) {
  BasicBlock* before = build.GetInsertBlock();
  head_ = BasicBlock::Create(build.getContext(), "blocks", frame.body);
  build.CreateBr(head_);
  build.SetInsertPoint(head_);
  number_ = build.CreatePHI(build.getInt64Ty(), 2, "block");
  number_->addIncoming(range.first, before);
  const char* names[3] = {"block.x", "block.y", "block.z"};
  for (int axis = 0; axis < 3; ++axis) {
    at_[axis] = build.CreatePHI(build.getInt32Ty(), 2, names[axis]);
    at_[axis]->addIncoming(range.index[axis], before);
    frame.index[static_cast<int>(Index::bid_x) + axis] = at_[axis];
  }
  if (range.first == frame.first) unless_stopped(frame, build);
}

Value* BlockLoop::number() const { return number_; }

void BlockLoop::close(IRBuilderBase& build) {
  const auto grid = [&](int axis) {
    return frame_.index[static_cast<int>(Index::gdim_x) + axis];
  };
  BasicBlock* latch = build.GetInsertBlock();
  Value* next = build.CreateAdd(number_, build.getInt64(1), "", /*HasNUW=*/true);
  Value* one = build.getInt32(1);
  Value* zero = build.getInt32(0);
  const auto after = [&](int axis) { return build.CreateAdd(at_[axis], one, "", /*HasNUW=*/true); };
  const auto [fast, slow, slowest] = frame_.axes;
  Value* x = after(fast);
  Value* x_wraps = build.CreateICmpEQ(x, grid(fast));
  Value* y = build.CreateSelect(x_wraps, after(slow), at_[slow]);
  Value* y_wraps = build.CreateICmpEQ(y, grid(slow));
  Value* z = build.CreateSelect(y_wraps, after(slowest), at_[slowest]);
  number_->addIncoming(next, latch);
  at_[fast]->addIncoming(build.CreateSelect(x_wraps, zero, x), latch);
  at_[slow]->addIncoming(build.CreateSelect(y_wraps, zero, y), latch);
  at_[slowest]->addIncoming(z, latch);
  BasicBlock* done = BasicBlock::Create(build.getContext(), "blocks.done", frame_.body);
  build.CreateCondBr(build.CreateICmpULT(next, last_), head_, done);
  build.SetInsertPoint(done);
}

GroupLoop::GroupLoop(EntryFrame& frame, IRBuilderBase& build, unsigned blocks, unsigned row)
    : frame_(frame), row_(row) {
  BasicBlock* before = build.GetInsertBlock();
  head_ = BasicBlock::Create(build.getContext(), "groups", frame.body);
  build.CreateBr(head_);
  build.SetInsertPoint(head_);
  number_ = build.CreatePHI(build.getInt64Ty(), 2, "group");
  number_->addIncoming(frame.first, before);
  unless_stopped(frame, build);
  const auto index = index_of_block(frame, build, number_);
  Value* most = build.getInt64(blocks);
  if (row) {
    const auto smaller = [&](Value* other) {
      other = build.CreateZExt(other, build.getInt64Ty());
      most = build.CreateBinaryIntrinsic(Intrinsic::umin, most, other);
    };
    const int fast = frame.axes[0];
    smaller(build.CreateSub(frame.index[static_cast<int>(Index::gdim_x) + fast], index[fast]));
    // Indices of threads do not pass 2^31 within a row.
    const uint32_t period = (1u << 31) / row;
    smaller(build.CreateSub(build.getInt32(period),
                            build.CreateAnd(index[fast], build.getInt32(period - 1))));
  }
  Value* end = build.CreateAdd(number_, most, "", /*HasNUW=*/true);
  range_ = {number_, build.CreateBinaryIntrinsic(Intrinsic::umin, end, frame.last), index};
}

Value* GroupLoop::row_of_threads(IRBuilderBase& build) {
  for (int axis = 0; axis < 3; ++axis)
    frame_.index[static_cast<int>(Index::bid_x) + axis] = range_.index[axis];
  Value* blocks = build.CreateTrunc(build.CreateSub(range_.last, range_.first), build.getInt32Ty());
  return build.CreateMul(blocks, build.getInt32(row_), "row", /*HasNUW=*/true, /*HasNSW=*/true);
}

void GroupLoop::close(IRBuilderBase& build) {
  number_->addIncoming(range_.last, build.GetInsertBlock());
  BasicBlock* done = BasicBlock::Create(build.getContext(), "groups.done", frame_.body);
  build.CreateCondBr(build.CreateICmpULT(range_.last, frame_.last), head_, done);
  build.SetInsertPoint(done);
}

}  // namespace kasoku::embedded
