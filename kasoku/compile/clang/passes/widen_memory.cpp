// Loads and stores of vectors of threads.
#include "kasoku/compile/clang/passes/widener.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

namespace kasoku::embedded {

using namespace llvm;

bool Widener::is_contiguous(Value* address, Type* type) {
  const auto grows = facts_.strides().of(address);
  const auto bytes = function_.getParent()->getDataLayout().getTypeStoreSize(type);
  return grows == std::optional<int64_t>(bytes) && facts_.strides().may_wrap(address);
}

Value* Widener::wraps(Value* address) {
  Value* any = nullptr;
  const auto list = facts_.strides().may_wrap(address);
  for (auto& [narrow, grows] : *list) {
    const uint64_t reach = uint64_t(std::abs(grows)) * lanes_;
    const unsigned bits = narrow->getType()->getIntegerBitWidth();
    const APInt limit = grows > 0 ? APInt::getMaxValue(bits) - APInt(bits, reach)
                                  : APInt(bits, reach);
    Value* bound = ConstantInt::get(narrow->getType(), limit);
    for (unsigned part = 0; part < parts_; ++part) {
      Value* here = grows > 0 ? build_.CreateICmpUGT(scalar(narrow, part), bound)
                              : build_.CreateICmpULT(scalar(narrow, part), bound);
      any = any ? build_.CreateOr(any, here) : here;
    }
  }
  return any;
}

void Widener::in_row_or(Value* apart, function_ref<void()> in_row, function_ref<void()> each) {
  if (!apart) return in_row();
  BasicBlock* straight = block("in.row");
  BasicBlock* strange = block("apart");
  BasicBlock* after = block("access.done");
  build_.CreateCondBr(apart, strange, straight,
                      MDBuilder(context_).createBranchWeights(1, 1 << 20));
  build_.SetInsertPoint(straight);
  in_row();
  build_.CreateBr(after);
  build_.SetInsertPoint(strange);
  each();
  build_.CreateBr(after);
  build_.SetInsertPoint(after);
}

void Widener::write_load(LoadInst& load) {
  Value* address = load.getPointerOperand();
  Type* type = load.getType();
  Parts parts(parts_), apart_parts(parts_);
  const auto gather = [&](Parts& to) {
    for (unsigned part = 0; part < parts_; ++part)
      to[part] = build_.CreateMaskedGather(vector_of(type), vector(address, part), load.getAlign(),
                                           mask_.empty() ? nullptr : mask_[part]);
  };
  const bool is_one = mask_.empty() && facts_.strides().of(address) == std::optional<int64_t>(0) && facts_.strides().may_wrap(address);
  if (!is_one && !is_contiguous(address, type)) {
    gather(parts);
    vectors_[&load] = parts;
    return;
  }
  Value* apart = wraps(address);
  BasicBlock *straight = nullptr, *strange = nullptr;
  in_row_or(
      apart,
      [&] {
        for (unsigned part = 0; part < parts_; ++part)
          parts[part] = is_one ? build_.CreateVectorSplat(
                                     lanes_, build_.CreateAlignedLoad(
                                                 type, scalar(address, part), load.getAlign()))
                               : load_row(load, part);
        straight = build_.GetInsertBlock();
      },
      [&] {
        gather(apart_parts);
        strange = build_.GetInsertBlock();
      });
  if (apart)
    for (unsigned part = 0; part < parts_; ++part) {
      PHINode* joined = build_.CreatePHI(vector_of(type), 2);
      joined->addIncoming(parts[part], straight);
      joined->addIncoming(apart_parts[part], strange);
      parts[part] = joined;
    }
  vectors_[&load] = parts;
}

Value* Widener::load_row(LoadInst& load, unsigned part) {
  Value* address = scalar(load.getPointerOperand(), part);
  FixedVectorType* type = vector_of(load.getType());
  if (mask_.empty()) return build_.CreateAlignedLoad(type, address, load.getAlign());
  return build_.CreateMaskedLoad(type, address, load.getAlign(), mask_[part]);
}

void Widener::write_store(StoreInst& store) {
  Value* address = store.getPointerOperand();
  Value* value = store.getValueOperand();
  Type* type = value->getType();
  const auto scatter = [&] {
    for (unsigned part = 0; part < parts_; ++part)
      build_.CreateMaskedScatter(vector(value, part), vector(address, part), store.getAlign());
  };
  if (!is_contiguous(address, type)) return scatter();
  in_row_or(
      wraps(address),
      [&] {
        for (unsigned part = 0; part < parts_; ++part)
          build_.CreateAlignedStore(vector(value, part), scalar(address, part),
                                    store.getAlign());
      },
      scatter);
}

}  // namespace kasoku::embedded
