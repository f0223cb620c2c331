#include "kasoku/compile/clang/passes/x86_idioms.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#include <map>

namespace kasoku::embedded {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// x * (c << 32) of 64-bit lanes, to which (x * c) << 32 was folded. As a product it takes three
/// multiplications; as a shift it is one, and in counter-based generators x * c is there already.
Value* shifted_product(Instruction& instruction) {
  Value* x;
  const APInt* factor;
  if (!instruction.getType()->isVectorTy() || instruction.getType()->getScalarSizeInBits() != 64 ||
      !match(&instruction, m_Mul(m_Value(x), m_APInt(factor))) || factor->countr_zero() < 32 ||
      factor->isPowerOf2())
    return nullptr;
  IRBuilder<> build(&instruction);
  Type* type = instruction.getType();
  Value* low = build.CreateAnd(x, ConstantInt::get(type, 0xffffffff));
  return build.CreateShl(build.CreateMul(low, ConstantInt::get(type, factor->lshr(32))), 32);
}

/// sum + zext(mask) counts with the mask made a vector; a masked addition takes it as it is.
Value* masked_count(Instruction& instruction) {
  Value *sum, *mask;
  if (!instruction.getType()->isVectorTy() ||
      !(match(&instruction, m_c_Add(m_OneUse(m_ZExt(m_Value(mask))), m_Value(sum))) ||
        match(&instruction, m_Sub(m_Value(sum), m_OneUse(m_SExt(m_Value(mask)))))) ||
      !mask->getType()->isIntOrIntVectorTy(1))
    return nullptr;
  IRBuilder<> build(&instruction);
  return build.CreateSelect(mask, build.CreateAdd(sum, ConstantInt::get(instruction.getType(), 1)), sum);
}

/// A constant array that two registers hold, read at a vector of indices: a permutation of them takes a
/// cycle or two, a gather one for each lane. AVX2 permutes one register of numbers of 32 bits, so two are chosen from.
Value* permuted_table(Instruction& instruction, bool has_masks) {
  Value *addresses, *mask;
  if (!match(&instruction, m_Intrinsic<Intrinsic::masked_gather>(m_Value(addresses), m_Value(), m_Value(mask))) ||
      !match(mask, m_AllOnes()))
    return nullptr;
  auto* address = dyn_cast<GetElementPtrInst>(addresses);
  auto* table = address ? dyn_cast<GlobalVariable>(address->getPointerOperand()) : nullptr;
  if (!table || !table->isConstant() || !table->hasDefinitiveInitializer() || address->getNumIndices() != 2 ||
      address->getSourceElementType() != table->getValueType() || !match(address->getOperand(1), m_Zero()))
    return nullptr;
  auto* elements = dyn_cast<ConstantDataSequential>(table->getInitializer());
  auto* type = cast<FixedVectorType>(instruction.getType());
  const unsigned bits = type->getScalarSizeInBits(), all = type->getNumElements();
  if (!elements || elements->getElementType() != type->getElementType() || (bits != 32 && bits != 64)) return nullptr;
  const bool is_wide = has_masks && all % (512 / bits) == 0;
  const unsigned lanes = is_wide ? 512 / bits : 8, size = elements->getNumElements();
  if (size > 2 * lanes || all % lanes || (!is_wide && bits != 32)) return nullptr;

  IRBuilder<> build(&instruction);
  Type* lane = bits == 64 ? build.getDoubleTy() : build.getFloatTy();
  const auto half = [&](unsigned first) {
    SmallVector<Constant*, 16> values;
    for (unsigned i = first; i < first + lanes; ++i)
      values.push_back(i < size ? elements->getElementAsConstant(i) : Constant::getNullValue(type->getElementType()));
    return build.CreateBitCast(ConstantVector::get(values), FixedVectorType::get(lane, lanes));
  };
  const bool is_short = size <= lanes;
  Value *low = half(0), *high = half(lanes), *index = address->getOperand(2), *inner;
  const APInt* kept;
  if (bits == 32 && match(index, m_ZExtOrSExt(m_Value(inner))) && inner->getType()->getScalarSizeInBits() == 32) index = inner;
  const bool is_masked = match(index, m_And(m_Value(inner), m_APInt(kept))) || match(index, m_ZExt(m_And(m_Value(inner), m_APInt(kept))));
  if (is_masked && kept->countr_one() >= Log2_32(is_short ? lanes : 2 * lanes)) index = inner;  // no more of it is read
  index = build.CreateZExtOrTrunc(index, FixedVectorType::get(build.getIntNTy(bits), all));
  const Intrinsic::ID of_one = bits == 64 ? Intrinsic::x86_avx512_permvar_df_512 : Intrinsic::x86_avx512_permvar_sf_512;
  const Intrinsic::ID of_two = bits == 64 ? Intrinsic::x86_avx512_vpermi2var_pd_512 : Intrinsic::x86_avx512_vpermi2var_ps_512;
  const auto permuted = [&](Value* at) -> Value* {
    if (is_wide) return is_short ? build.CreateIntrinsic(of_one, {}, {low, at}) : build.CreateIntrinsic(of_two, {}, {low, at, high});
    Value* of_low = build.CreateIntrinsic(Intrinsic::x86_avx2_permps, {}, {low, at});
    if (is_short) return of_low;
    Value* above = build.CreateICmpSLT(build.CreateShl(at, 28), Constant::getNullValue(at->getType()));
    return build.CreateSelect(above, build.CreateIntrinsic(Intrinsic::x86_avx2_permps, {}, {high, at}), of_low);
  };
  SmallVector<Value*, 4> parts;
  for (unsigned first = 0; first < all; first += lanes) {
    Value* part = build.CreateShuffleVector(index, createSequentialMask(first, lanes, 0));
    parts.push_back(permuted(part));
  }
  return build.CreateBitCast(concatenateVectors(build, parts), type);
}

unsigned widest_vector(const Loop& loop) {
  unsigned widest = 0;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (auto* type = dyn_cast<FixedVectorType>(instruction.getType()))
        widest = std::max(widest, unsigned(type->getPrimitiveSizeInBits().getFixedValue()));
  return widest;
}

/// What the vectoriser left of a loop behind its vectors runs a few times at most. Else its constants have registers, for it comes
/// first, and those of the vectors are loaded in each turn.
void mark_remainders(const LoopInfo& loops) {
  std::map<const Loop*, unsigned> widest;
  SmallVector<std::pair<Loop*, unsigned>> vectorised;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !getBooleanLoopAttribute(loop, "llvm.loop.isvectorized")) continue;
    const unsigned width = widest_vector(*loop);
    vectorised.emplace_back(loop, width);
    widest[loop->getParentLoop()] = std::max(widest[loop->getParentLoop()], width);
  }
  for (const auto& [loop, width] : vectorised) {
    BasicBlock* latch = loop->getLoopLatch();
    auto* branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
    if (width < widest[loop->getParentLoop()] && branch && branch->isConditional())
      branch->setMetadata(LLVMContext::MD_prof, MDBuilder(branch->getContext()).createBranchWeights(1, 1));
  }
}

/// A vectoriser that shifts some elements of a vector and does something else to the others gives all of them the same
/// constants, so that the others are shifted by more than they have bits. Nobody reads those, but LLVM's x86 code
/// generator takes what an arithmetic shift leaves there for zeros and combines it with what is read.
bool shift_within_bits(Instruction& instruction) {
  auto* type = dyn_cast<FixedVectorType>(instruction.getType());
  auto* amounts = instruction.isShift() ? dyn_cast<Constant>(instruction.getOperand(1)) : nullptr;
  if (!type || !amounts) return false;
  SmallVector<Constant*> within(type->getNumElements());
  Constant* usual = nullptr;
  for (unsigned i = 0; i < within.size(); ++i) {
    auto* amount = dyn_cast_or_null<ConstantInt>(amounts->getAggregateElement(i));
    if (!amount || amount->getValue().uge(type->getScalarSizeInBits())) continue;
    within[i] = amount;
    if (!usual) usual = amount;
  }
  if (!usual || !is_contained(within, nullptr)) return false;
  for (Constant*& amount : within)
    if (!amount) amount = usual;
  instruction.setOperand(1, ConstantVector::get(within));
  instruction.dropPoisonGeneratingFlags();
  return true;
}

}  // namespace

PreservedAnalyses IdiomsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  bool changed = false;
  mark_remainders(analyses.getResult<LoopAnalysis>(function));
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    changed |= shift_within_bits(instruction);
    Value* better = shifted_product(instruction);
    if (!better && has_masks_) better = masked_count(instruction);
    if (!better) better = permuted_table(instruction, has_masks_);
    if (!better) continue;
    instruction.replaceAllUsesWith(better);
    instruction.eraseFromParent();
    changed = true;
  }
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

}  // namespace kasoku::embedded
