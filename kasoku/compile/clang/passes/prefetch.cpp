#include "kasoku/compile/clang/passes/prefetch.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr uint64_t line = 64;
constexpr uint64_t most_lines = 16;  // a longer row has the processor's own look-ahead
constexpr uint64_t passes_ahead = 2;
constexpr unsigned most_prefetched = 4;
constexpr unsigned longest_address = 24;  // instructions

/// The address that a row of threads begins at, in a later pass of the loop around it.
class LaterRow {
 public:
  LaterRow(const Loop& passes, const Loop& row) : passes_(passes), row_(row) {}

  /// Whether `address` moves from pass to pass by what is known at run time only.
  bool depends_on(Value& address) { return visit(address) && jumps_; }

  Value* build(Value& address, IRBuilderBase& build) {
    ValueToValueMapTy later;
    for (Instruction* instruction : order_) {
      if (auto* phi = dyn_cast<PHINode>(instruction)) {
        if (phi->getParent() == row_.getHeader()) {
          Value* first = phi->getIncomingValueForBlock(row_.getLoopPreheader());
          later[phi] = later.count(first) ? static_cast<Value*>(later[first]) : first;
        } else {
          Value* step = build.CreateMul(step_of(*phi), ConstantInt::get(phi->getType(), passes_ahead));
          later[phi] = build.CreateAdd(phi, step);
        }
        continue;
      }
      Instruction* copy = instruction->clone();
      copy->dropPoisonGeneratingFlags();
      copy->dropUnknownNonDebugMetadata();
      build.Insert(copy);
      RemapInstruction(copy, later, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      later[instruction] = copy;
    }
    return later.count(&address) ? static_cast<Value*>(later[&address]) : &address;
  }

 private:
  /// The step of the loop's variable; null unless it is the same in all passes.
  Value* step_of(const PHINode& phi) const {
    const BasicBlock* latch = passes_.getLoopLatch();
    auto* next = latch ? dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(latch)) : nullptr;
    if (!next || next->getOpcode() != Instruction::Add) return nullptr;
    Value* step = next->getOperand(0) == &phi ? next->getOperand(1) : next->getOperand(0);
    const bool grows = next->getOperand(0) == &phi || next->getOperand(1) == &phi;
    return grows && passes_.isLoopInvariant(step) ? step : nullptr;
  }

  bool visit(Value& value) {
    auto* instruction = dyn_cast<Instruction>(&value);
    if (!instruction || !passes_.contains(instruction) || !seen_.insert(instruction).second) return true;
    if (order_.size() >= longest_address) return false;
    if (auto* phi = dyn_cast<PHINode>(instruction)) {
      if (phi->getParent() == row_.getHeader()) {
        if (!visit(*phi->getIncomingValueForBlock(row_.getLoopPreheader()))) return false;
      } else {
        if (phi->getParent() != passes_.getHeader()) return false;
        const Value* step = step_of(*phi);
        if (!step) return false;
        jumps_ |= !isa<Constant>(step);
      }
    } else {
      if (instruction->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(instruction)) return false;
      for (Value* operand : instruction->operand_values())
        if (!visit(*operand)) return false;
    }
    order_.push_back(instruction);
    return true;
  }

  const Loop& passes_;
  const Loop& row_;
  SmallPtrSet<Instruction*, 16> seen_;
  SmallVector<Instruction*, 16> order_;  // operands before users
  bool jumps_ = false;
};

/// The bytes that a row of threads loads if they load side by side and the row is short, else 0.
uint64_t row_bytes(LoadInst& load, const Loop& row, ScalarEvolution& evolution) {
  const auto* address = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(load.getPointerOperand()));
  if (!address || address->getLoop() != &row) return 0;
  const auto* step = dyn_cast<SCEVConstant>(address->getStepRecurrence(evolution));
  const uint64_t bytes = load.getModule()->getDataLayout().getTypeStoreSize(load.getType());
  if (!step || step->getAPInt() != bytes) return 0;
  const SCEV* taken = evolution.getBackedgeTakenCount(&row);
  if (isa<SCEVCouldNotCompute>(taken)) return 0;
  const SCEV* threads = evolution.getAddExpr(taken, evolution.getOne(taken->getType()));
  uint64_t most = evolution.getUnsignedRangeMax(threads).getLimitedValue(most_lines * line + 1);
  if (const auto* widened = dyn_cast<SCEVZeroExtendExpr>(threads)) threads = widened->getOperand();
  if (const auto* value = dyn_cast<SCEVUnknown>(threads))  // a select, of which only bits are known there
    most = computeConstantRange(value->getValue(), /*ForSigned=*/false).getUnsignedMax().getLimitedValue(most);
  return bytes * most <= most_lines * line ? bytes * most : 0;
}

bool fetch_rows(const Loop& row, const Loop& passes, ScalarEvolution& evolution) {
  if (!row.getLoopPreheader()) return false;
  SmallPtrSet<const SCEV*, 4> asked;
  for (BasicBlock* block : row.blocks())
    for (Instruction& instruction : *block) {
      auto* load = dyn_cast<LoadInst>(&instruction);
      if (!load || !load->isSimple() || asked.size() == most_prefetched) continue;
      const uint64_t bytes = row_bytes(*load, row, evolution);
      LaterRow later(passes, row);
      if (!bytes || !later.depends_on(*load->getPointerOperand())) continue;
      if (!asked.insert(evolution.getSCEV(load->getPointerOperand())).second) continue;
      IRBuilder<> build(row.getLoopPreheader()->getTerminator());
      Value* address = later.build(*load->getPointerOperand(), build);
      for (uint64_t at = 0; at < bytes; at += line)
        build.CreateIntrinsic(Intrinsic::prefetch, {address->getType()},
                              {build.CreateConstGEP1_64(build.getInt8Ty(), address, at), build.getInt32(0),
                               build.getInt32(3), build.getInt32(1)});
    }
  return !asked.empty();
}

}  // namespace

PreservedAnalyses FetchAheadPass::run(Function& function, FunctionAnalysisManager& analyses) {
  const LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = false;
  for (const Loop* row : loops.getLoopsInPreorder())
    if (row->isInnermost() && row->getParentLoop())
      changed |= fetch_rows(*row, *row->getParentLoop(), analyses.getResult<ScalarEvolutionAnalysis>(function));
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

}  // namespace kasoku::embedded
