/// \file kasoku/compile/clang/passes/widener.h
/// Writes a loop over threads once more, for vectors of threads at a time; for widen.cpp.
#pragma once

#include "kasoku/compile/clang/passes/widen_facts.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class CallInst;
class LoadInst;
class StoreInst;
}  // namespace llvm

namespace kasoku::embedded {

/// Writes the loop for `parts` vectors of `lanes` threads at a time.
class Widener {
 public:
  Widener(llvm::Loop& loop, llvm::LoopInfo& loops, WidenFacts& facts, unsigned lanes, unsigned parts)
      : loop_(loop), loops_(loops), facts_(facts), lanes_(lanes), parts_(parts),
        function_(*loop.getHeader()->getParent()), context_(function_.getContext()),
        build_(context_) {}

  /// Writes the loop; `count` is the number of threads, computed before it.
  void run(llvm::Value* count);

 private:
  using Parts = llvm::SmallVector<llvm::Value*, 8>;

  llvm::BasicBlock* block(const llvm::Twine& name) { return llvm::BasicBlock::Create(context_, name, &function_); }
  void write_block(llvm::BasicBlock& in, llvm::PHINode* done, llvm::Value* in_vectors, llvm::BasicBlock* first,
                   llvm::BasicBlock* middle);

  /// Branches into a triangle: all vectors go into it if one of their threads does.
  void write_question(llvm::BasicBlock& in, const WidenFacts::Triangle& triangle);

  /// The value of a phi behind a triangle: a thread that did not go through it keeps what it had before.
  llvm::Value* for_some(llvm::PHINode& phi, unsigned i, unsigned part);

  /// The value of a part's first thread, which is the value of all if they share it.
  llvm::Value* scalar(llvm::Value* value, unsigned part = 0) const;
  bool has_scalar(llvm::Value* value) { return facts_.strides().of(value).has_value(); }
  /// Whether a value is the same for the threads of each part.
  bool is_flat(llvm::Value* value);
  llvm::FixedVectorType* vector_of(llvm::Type* type) const { return llvm::FixedVectorType::get(type, lanes_); }
  llvm::Value* vector(llvm::Value* value, unsigned part);
  llvm::Value* of_last_thread(llvm::Value* value);
  void write(llvm::Instruction& instruction);
  llvm::Value* copy_scalar(llvm::Instruction& instruction, unsigned part);

  /// What is said of a number, as that it is not negative, holds for the threads that take part. The
  /// first one may be none of them: their numbers still follow from its own, one by one.
  llvm::Value* copy_of_some(llvm::Instruction& instruction, unsigned part);
  llvm::Value* make(llvm::Instruction& instruction, unsigned part);
  llvm::Value* make_call(llvm::CallInst& call, unsigned part);
  void write_phi(llvm::PHINode& phi);
  void close_phi(llvm::PHINode& phi);
  bool is_contiguous(llvm::Value* address, llvm::Type* type);

  /// Where an unsigned index passes zero within these threads, their elements are not in a row.
  llvm::Value* wraps(llvm::Value* address);

  /// Runs `in_row` or, where `apart` holds at run time, `each`.
  void in_row_or(llvm::Value* apart, llvm::function_ref<void()> in_row, llvm::function_ref<void()> each);
  void write_load(llvm::LoadInst& load);
  llvm::Value* load_row(llvm::LoadInst& load, unsigned part);
  void write_store(llvm::StoreInst& store);

  llvm::Loop& loop_;
  llvm::LoopInfo& loops_;
  WidenFacts& facts_;
  unsigned lanes_, parts_;
  llvm::Function& function_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> build_;
  llvm::DenseMap<llvm::BasicBlock*, llvm::BasicBlock*> starts_, ends_;  ///< of what stands for each block
  llvm::DenseMap<llvm::Value*, Parts> scalar_;
  llvm::DenseMap<llvm::Value*, Parts> vectors_;
  llvm::SmallVector<llvm::PHINode*> open_phis_;
  llvm::DenseMap<llvm::BasicBlock*, Parts> masks_;  ///< of a triangle's body: which threads it is for
  llvm::DenseMap<llvm::BasicBlock*, llvm::BasicBlock*> heads_;
  Parts mask_;  ///< of what is being written; empty: for all
};

}  // namespace kasoku::embedded
