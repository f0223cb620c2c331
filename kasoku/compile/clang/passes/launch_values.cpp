#include "kasoku/compile/clang/passes/launch_values.h"

#include "kasoku/compile/clang/passes/entry_frame.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr int deepest_value = 12;

}  // namespace

bool is_of_launch(const Value* value, int depth) {
  const auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction) return isa<Argument>(value) || isa<Constant>(value);
  if (depth > deepest_value || isa<PHINode>(instruction) || index_of(*instruction) != Index::none ||
      instruction->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(instruction))
    return false;
  return all_of(instruction->operands(), [&](const Use& operand) {
    return isa<Function>(operand) || is_of_launch(operand, depth + 1);
  });
}

Value* copy_of(const EntryFrame& frame, IRBuilderBase& build, Value* value) {
  if (auto* argument = dyn_cast<Argument>(value)) return frame.arguments[argument->getArgNo()];
  auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction) return value;
  Instruction* copy = instruction->clone();
  copy->dropPoisonGeneratingFlags();
  for (Use& operand : copy->operands())
    if (!isa<Function>(operand)) operand.set(copy_of(frame, build, operand));
  return build.Insert(copy);
}

}  // namespace kasoku::embedded
