#include "kasoku/compile/clang/passes/join_rows.h"

#include "kasoku/compile/clang/passes/intrinsics.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace kasoku::embedded {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// The index and its conversions to 64 bits, which are the same number as long as it is small.
SmallVector<Value*> widths(Instruction& index) {
  SmallVector<Value*> found{&index};
  for (User* user : index.users())
    if (isa<ZExtInst>(user) || isa<SExtInst>(user)) found.push_back(user);
  return found;
}

bool is_times(Value* value, const Value* block, uint32_t row) {
  return match(value, m_c_Mul(m_Specific(block), m_SpecificInt(row))) ||
         (isPowerOf2_32(row) && match(value, m_Shl(m_Specific(block), m_SpecificInt(Log2_32(row)))));
}

bool is_sum(const Instruction& instruction) {
  const auto* either = dyn_cast<PossiblyDisjointInst>(&instruction);
  return instruction.getOpcode() == Instruction::Add || (either && either->isDisjoint());
}

// All users of each of `values` but their other widths are among `allowed`; those of an index
// itself, which is there for all, only where one looks.
bool only_users(ArrayRef<Value*> values, const SmallSetVector<Instruction*, 8>& allowed,
                const SmallPtrSetImpl<const BasicBlock*>* where) {
  const auto looks_at = [&](const Value* of) { return !where || where->contains(cast<Instruction>(of)->getParent()); };
  for (Value* value : values) {
    const bool is_index = index_of(*cast<Instruction>(value)) != Index::none;
    if (!is_index && !looks_at(value)) continue;
    for (User* user : value->users())
      if (!is_contained(values, user) && !allowed.contains(cast<Instruction>(user)) && !(is_index && !looks_at(user)))
        return false;
    if (!is_index)
      for (User* user : value->users())
        if (!looks_at(user)) return false;
  }
  return true;
}

}  // namespace

bool join_rows(Function& kernel, bool along_y, uint32_t row, const SmallPtrSetImpl<const BasicBlock*>* where) {
  if (!isPowerOf2_32(row)) return false;  // or an index passes 2^31 within a block
  const Index of_thread = along_y ? Index::tid_y : Index::tid_x;
  const Index of_block = along_y ? Index::bid_y : Index::bid_x;
  SmallVector<Instruction*> threads, blocks;
  for (Instruction& instruction : instructions(kernel)) {
    if (index_of(instruction) == of_thread) threads.push_back(&instruction);
    if (index_of(instruction) == of_block) blocks.push_back(&instruction);
  }
  SmallSetVector<Instruction*, 8> products, sums;
  SmallVector<Value*> thread_widths, block_widths, product_values;
  for (Instruction* block : blocks)
    for (Value* width : widths(*block)) {
      block_widths.push_back(width);
      for (User* user : width->users())
        if (is_times(user, width, row)) products.insert(cast<Instruction>(user));
    }
  product_values.assign(products.begin(), products.end());
  for (Instruction* thread : threads)
    for (Value* width : widths(*thread)) {
      thread_widths.push_back(width);
      for (User* user : width->users()) {
        auto* sum = cast<Instruction>(user);
        if (is_sum(*sum) && (products.contains(dyn_cast<Instruction>(sum->getOperand(0))) ||
                             products.contains(dyn_cast<Instruction>(sum->getOperand(1)))))
          sums.insert(sum);
      }
    }
  if (sums.empty() || !only_users(block_widths, products, where) || !only_users(product_values, sums, where) ||
      !only_users(thread_widths, sums, where))
    return false;
  for (Instruction* thread : threads) thread->setMetadata(LLVMContext::MD_range, nullptr);
  for (Value* width : thread_widths)
    if (auto* wide = dyn_cast<ZExtInst>(width)) wide->setNonNeg();
  for (Instruction* sum : sums) {
    Value* added = IRBuilder<>(sum).CreateAdd(sum->getOperand(0), sum->getOperand(1),
                                              sum->getName(), /*HasNUW=*/true, /*HasNSW=*/true);
    sum->replaceAllUsesWith(added);
    sum->eraseFromParent();
  }
  return true;
}

}  // namespace kasoku::embedded
