#include "kasoku/compile/clang/passes/interleaved_access.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <map>
#include <set>
#include <vector>

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr size_t most_accesses = 64;

class Rows {
 public:
  Rows(Loop& loop, ScalarEvolution& evolution, const DataLayout& layout)
      : loop_(loop), evolution_(evolution), layout_(layout) {}

  /// Whether the loop is of that kind; nothing is changed.
  bool find() {
    BasicBlock* body = loop_.getHeader();
    if (loop_.getNumBlocks() != 1 || !loop_.getLoopPreheader() || !loop_.getExitBlock()) return false;
    if (!loop_.getExitBlock()->phis().empty()) return false;
    std::vector<StoreInst*> stores;
    for (Instruction& instruction : *body) {
      const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
      if (intrinsic && intrinsic->isAssumeLikeIntrinsic()) continue;
      if (auto* store = dyn_cast<StoreInst>(&instruction)) stores.push_back(store);
      else if (instruction.mayHaveSideEffects() || (isa<LoadInst>(instruction) && !place_of(instruction)))
        return false;
      for (const User* user : instruction.users())
        if (!loop_.contains(cast<Instruction>(user))) return false;
    }
    if (stores.size() < 2 || stores.size() > most_accesses) return false;
    std::map<std::pair<const SCEV*, int64_t>, StoreInst*> at;  // by where they are behind the first
    for (StoreInst* store : stores) {
      if (!place_of(*store)) return false;
      if (!at.insert({{origin(*store), offset(*store)}, store}).second) return false;
    }
    const int64_t step = place_of(*stores[0])->step, bytes = element_bytes(*stores[0]);
    if (!isPowerOf2_64(step) || step <= bytes || step % bytes || step / bytes > 8) return false;
    step_ = step, bytes_ = bytes, count_ = step / bytes;
    while (!at.empty()) {
      std::vector<Value*> parts;
      const auto [from, least] = at.begin()->first;
      for (unsigned i = 0; i < count_; ++i) {
        const auto found = at.find({from, least + i * bytes});
        if (found == at.end()) return false;
        parts.push_back(found->second);
        at.erase(found);
      }
      if (!is_row(parts) || !are_alike(operands(parts, 0), 0)) return false;
      firsts_.push_back(cast<StoreInst>(parts[0]));
    }
    return true;
  }

  void write() {
    BasicBlock *before = loop_.getLoopPreheader(), *body = loop_.getHeader();
    BasicBlock* after = loop_.getExitBlock();
    const SCEV* taken = evolution_.getBackedgeTakenCount(&loop_);
    SCEVExpander expander(evolution_, layout_, "elements");
    Instruction* end = before->getTerminator();
    Type* wide = Type::getInt64Ty(body->getContext());
    Value* threads = IRBuilder<>(end).CreateZExtOrTrunc(
        expander.expandCodeFor(taken, taken->getType(), end), wide);
    IRBuilder<> build(end);
    threads = build.CreateNUWAdd(threads, ConstantInt::get(wide, 1));
    Value* elements = build.CreateNUWMul(threads, ConstantInt::get(wide, count_), "elements");
    std::map<Instruction*, Value*> bases;
    const auto base = [&](Instruction* access) {
      Value*& made = bases[access];
      if (!made) {
        const auto* place = cast<SCEVAddRecExpr>(evolution_.getSCEV(getLoadStorePointerOperand(access)));
        made = expander.expandCodeFor(place->getStart(), build.getPtrTy(), end);
      }
      return made;
    };
    for (Instruction* load : loads_) base(load);
    for (StoreInst* store : firsts_) base(store);

    BasicBlock* row = BasicBlock::Create(body->getContext(), "elements", body->getParent(), after);
    end->replaceSuccessorWith(body, row);
    build.SetInsertPoint(row);
    PHINode* at = build.CreatePHI(wide, 2, "element");
    at->addIncoming(ConstantInt::get(wide, 0), before);
    // The instructions that make the first of a thread's elements, in their order.
    std::map<Value*, Value*> made;
    for (Instruction& instruction : *body) {
      const bool is_access = isa<LoadInst>(instruction) || isa<StoreInst>(instruction);
      if (is_access ? !bases.count(&instruction) : !used_.count(&instruction)) continue;
      Instruction* copy = instruction.clone();
      for (Use& operand : copy->operands())
        if (const auto found = made.find(operand); found != made.end()) operand.set(found->second);
      if (is_access) {
        Type* element = build.getIntNTy(8 * bytes_);
        copy->setOperand(pointer_operand(*copy),
                         build.CreateInBoundsGEP(element, bases[&instruction], at));
        if (auto* load = dyn_cast<LoadInst>(copy)) load->setAlignment(Align(bytes_));
        else cast<StoreInst>(copy)->setAlignment(Align(bytes_));
      }
      made[&instruction] = build.Insert(copy, instruction.getName());
    }
    Value* next = build.CreateAdd(at, ConstantInt::get(wide, 1), "", true, true);
    at->addIncoming(next, row);
    auto* back = build.CreateCondBr(build.CreateICmpULT(next, elements), row, after);
    back->setMetadata(LLVMContext::MD_loop, body->getTerminator()->getMetadata(LLVMContext::MD_loop));
    DeleteDeadBlock(body);
  }

 private:
  struct Place {
    const SCEV* start;
    int64_t step;
  };

  static unsigned pointer_operand(const Instruction& access) {
    return isa<LoadInst>(access) ? LoadInst::getPointerOperandIndex() : StoreInst::getPointerOperandIndex();
  }

  std::optional<Place> place_of(Instruction& access) {
    if (access.isVolatile() || access.isAtomic()) return {};
    const auto* place = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(getLoadStorePointerOperand(&access)));
    if (!place || place->getLoop() != &loop_ || !place->isAffine()) return {};
    const auto* step = dyn_cast<SCEVConstant>(place->getStepRecurrence(evolution_));
    if (!step) return {};
    return Place{place->getStart(), step->getAPInt().getSExtValue()};
  }

  int64_t element_bytes(Instruction& access) const {
    return layout_.getTypeStoreSize(getLoadStoreType(&access)).getFixedValue();
  }

  // Stores into one array have one origin, which is the place of one of them.
  const SCEV* origin(Instruction& access) {
    const SCEV* start = place_of(access)->start;
    for (const SCEV* known : origins_)
      if (distance(start, known)) return known;
    origins_.push_back(start);
    return start;
  }
  int64_t offset(Instruction& access) { return *distance(place_of(access)->start, origin(access)); }
  std::optional<int64_t> distance(const SCEV* to, const SCEV* from) {
    const auto* constant = dyn_cast<SCEVConstant>(evolution_.getMinusSCEV(to, from));
    if (!constant) return {};
    return constant->getAPInt().getSExtValue();
  }

  // Loads or stores of a thread's whole piece, which lies so that pieces of two threads, in
  // whichever arrays, are one or apart.
  bool is_row(const std::vector<Value*>& parts) {
    auto& first = *cast<Instruction>(parts[0]);
    const auto start = place_of(first);
    if (!start || getLoadStoreAlignment(&first).value() < static_cast<uint64_t>(step_)) return false;
    for (unsigned i = 0; i < count_; ++i) {
      auto& part = *cast<Instruction>(parts[i]);
      const auto place = place_of(part);
      if (!place || place->step != step_ || element_bytes(part) != bytes_ ||
          getLoadStoreType(&part) != getLoadStoreType(&first) ||
          distance(place->start, start->start) != std::optional<int64_t>(i * bytes_))
        return false;
    }
    return true;
  }

  std::vector<Value*> operands(const std::vector<Value*>& parts, unsigned number) const {
    std::vector<Value*> of;
    for (Value* part : parts) of.push_back(cast<Instruction>(part)->getOperand(number));
    return of;
  }

  // Whether the values are made alike from a thread's elements and from what is the same for all.
  bool are_alike(const std::vector<Value*>& parts, int depth) {
    auto* first = dyn_cast<Instruction>(parts[0]);
    const bool is_one = all_equal(parts);
    if (!first || !loop_.contains(first)) return is_one;
    if (is_one || depth > 24 || isa<PHINode>(first)) return false;
    for (Value* part : parts) {
      auto* other = dyn_cast<Instruction>(part);
      if (!other || !loop_.contains(other) || !first->isSameOperationAs(other, Instruction::CompareIgnoringAlignment) ||
          first->getRawSubclassOptionalData() != other->getRawSubclassOptionalData())
        return false;
    }
    if (isa<LoadInst>(first)) {
      if (!is_row(parts)) return false;
      loads_.insert(first);
      return true;
    }
    if (first->mayReadOrWriteMemory()) return false;
    for (unsigned i = 0; i < first->getNumOperands(); ++i)
      if (!are_alike(operands(parts, i), depth + 1)) return false;
    used_.insert(first);
    return true;
  }

  Loop& loop_;
  ScalarEvolution& evolution_;
  const DataLayout& layout_;
  int64_t step_ = 0, bytes_ = 0;
  unsigned count_ = 0;
  std::vector<const SCEV*> origins_;
  std::vector<StoreInst*> firsts_;
  SmallSetVector<Instruction*, 8> loads_;
  std::set<Value*> used_;
};

bool is_innermost_of_threads(const Loop& loop) {
  return loop.isInnermost() && findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses") &&
         !findOptionMDForLoop(&loop, "llvm.loop.isvectorized");
}

}  // namespace

PreservedAnalyses SideBySidePass::run(Function& function, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<Loop*> candidates;
  for (Loop* loop : loops.getLoopsInPreorder())
    if (is_innermost_of_threads(*loop)) candidates.push_back(loop);
  if (candidates.empty()) return PreservedAnalyses::all();
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  std::vector<Rows> found;
  for (Loop* loop : candidates) {
    if (isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(loop))) continue;
    Rows rows(*loop, evolution, function.getParent()->getDataLayout());
    if (rows.find()) found.push_back(std::move(rows));
  }
  if (found.empty()) return PreservedAnalyses::all();
  for (Rows& rows : found) rows.write();
  return PreservedAnalyses::none();
}

}  // namespace kasoku::embedded
