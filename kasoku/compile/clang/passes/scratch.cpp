#include "kasoku/compile/clang/passes/scratch.h"

#include "kasoku/compile/clang/passes/entry_frame.h"
#include "kasoku/compile/clang/passes/forward_lanes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr uint64_t warp = 32;
constexpr uint64_t most_padding = 3 * warp;  // either side, and rounding up to whole warps
constexpr uint64_t most_on_stack = 64 << 10;

}  // namespace

Scratch::Scratch(const EntryFrame& frame, const BlockShape& shape) : frame_(frame), shape_(shape) {
  if (shape.is_known()) {
    known_length_ = (shape.threads() + warp - 1) / warp * warp + 2 * warp;
    return;
  }
  IRBuilder<> build(frame.once->getTerminator());
  Value* rounded = build.CreateAnd(build.CreateAdd(frame.threads, build.getInt32(warp - 1)),
                                   build.getInt32(~31u));
  length_ = build.CreateZExt(build.CreateAdd(rounded, build.getInt32(2 * warp)),
                             build.getInt64Ty(), "padded");
}

unsigned Scratch::add(Type* type, uint64_t alignment, bool of_all_blocks) {
  const DataLayout& layout = frame_.body->getParent()->getDataLayout();
  Type* memory_type = type->isIntegerTy(1) ? Type::getInt8Ty(type->getContext()) : type;
  uint64_t bytes = layout.getTypeAllocSize(memory_type);
  // A length is a multiple of 32, so that element sizes keep the alignment up to that.
  alignment = std::max<uint64_t>(alignment, layout.getABITypeAlign(memory_type).value());
  bytes = (std::max<uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  IRBuilder<> build(frame_.once->getTerminator());
  Value* base = nullptr;
  if (length_) {
    Value* offset = build.CreateNUWMul(length_, build.getInt64(sum_));
    base = build.CreateInBoundsGEP(build.getInt8Ty(), frame_.scratch,
                                   build.CreateAdd(offset, build.getInt64(warp * bytes)), "array");
  } else {
    base = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), frame_.scratch,
                                            known_length_ * sum_ + warp * bytes, "array");
  }
  if (of_all_blocks && turns_ > 1) {
    IRBuilder<> part(which_->getNextNode());
    Value* offset = part.CreateNUWMul(which_, part.getInt64(bytes * known_length_));
    base = part.CreateInBoundsGEP(part.getInt8Ty(), base, offset, "part");
    sum_ += bytes * (turns_ - 1);
  }
  sum_ += bytes * row_;
  arrays_.push_back({type, memory_type, bytes, base, /*is_by_lane=*/false, row_ > 1});
  return arrays_.size() - 1;
}

unsigned Scratch::add_lanes(Type* type) {
  const DataLayout& layout = frame_.body->getParent()->getDataLayout();
  Type* memory_type = type->isIntegerTy(1) ? Type::getInt8Ty(type->getContext()) : type;
  const uint64_t bytes = layout.getTypeAllocSize(memory_type);
  if (on_stack_ + 3 * warp * bytes > most_on_stack) return add(type);
  on_stack_ += 3 * warp * bytes;
  IRBuilder<> build(&*frame_.once->begin());
  AllocaInst* place = build.CreateAlloca(ArrayType::get(memory_type, 3 * warp), nullptr, "lanes");
  place->setAlignment(Align(64));
  mark_lane_memory(*place);
  // Lanes that are not there are read too, so their places hold zeros, which nobody uses.
  IRBuilder<>(frame_.once->getTerminator())
      .CreateMemSet(place, build.getInt8(0), 3 * warp * bytes, Align(64));
  Value* base = build.CreateConstInBoundsGEP1_64(memory_type, place, warp);
  arrays_.push_back({type, memory_type, bytes, base, /*is_by_lane=*/true});
  return arrays_.size() - 1;
}

void Scratch::narrow(IRBuilderBase& build, Value* which) {
  row_ = 1;
  for (Array& array : arrays_) {
    if (!array.is_of_row) continue;
    Value* bytes = build.CreateNUWMul(which, build.getInt64(array.bytes * shape_.threads()));
    array.base = build.CreateInBoundsGEP(build.getInt8Ty(), array.base, bytes, "part");
  }
}

Value* Scratch::element(IRBuilderBase& build, unsigned array, Value* thread) const {
  const Array& from = arrays_[array];
  Value* index = build.CreateZExt(thread, build.getInt64Ty());
  const DataLayout& layout = frame_.body->getParent()->getDataLayout();
  if (layout.getTypeAllocSize(from.memory_type) == from.bytes)
    return build.CreateInBoundsGEP(from.memory_type, from.base, index);
  return build.CreateInBoundsGEP(build.getInt8Ty(), from.base,
                                 build.CreateNUWMul(index, build.getInt64(from.bytes)));
}

Value* Scratch::load(IRBuilderBase& build, unsigned array, Value* thread) const {
  const Array& from = arrays_[array];
  Value* loaded = build.CreateLoad(from.memory_type, element(build, array, thread));
  return from.type == from.memory_type ? loaded : build.CreateTrunc(loaded, from.type);
}

void Scratch::store(IRBuilderBase& build, unsigned array, Value* thread, Value* value) const {
  const Array& to = arrays_[array];
  if (to.type != to.memory_type) value = build.CreateZExt(value, to.memory_type);
  build.CreateStore(value, element(build, array, thread));
}

uint64_t Scratch::bytes() const { return sum_ * (length_ ? most_padding : known_length_); }
uint64_t Scratch::bytes_per_thread() const { return length_ ? sum_ : 0; }

}  // namespace kasoku::embedded
