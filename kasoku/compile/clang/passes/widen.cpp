#include "kasoku/compile/clang/passes/widen.h"

#include "kasoku/compile/clang/passes/widen_facts.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

// Writes the loop once more, for `parts_` vectors of `lanes_` threads at a time.
class Widener {
 public:
  Widener(Loop& loop, LoopInfo& loops, WidenFacts& facts, unsigned lanes, unsigned parts)
      : loop_(loop), loops_(loops), facts_(facts), lanes_(lanes), parts_(parts),
        function_(*loop.getHeader()->getParent()), context_(function_.getContext()),
        build_(context_) {}

  /// `count`: how many threads there are, made before the loop.
  void run(Value* count) {
    BasicBlock* before = loop_.getLoopPreheader();
    BasicBlock* header = loop_.getHeader();
    BasicBlock* exit = loop_.getExitBlock();
    BasicBlock* vectors = block("vectors");
    BasicBlock* middle = block("vectors.done");
    BasicBlock* rest = block("rest");

    build_.SetInsertPoint(before->getTerminator());
    Type* word = count->getType();
    const uint64_t step = uint64_t{lanes_} * parts_;
    Value* in_vectors = build_.CreateAnd(count, ConstantInt::get(word, -step), "in.vectors");
    Value* none = build_.CreateICmpEQ(in_vectors, ConstantInt::get(word, 0));
    build_.CreateCondBr(none, rest, vectors);
    before->getTerminator()->eraseFromParent();

    build_.SetInsertPoint(vectors);
    BasicBlock* first = block("vector");
    build_.CreateBr(first);
    build_.SetInsertPoint(first);
    PHINode* done = build_.CreatePHI(word, 2, "threads.done");
    done->addIncoming(ConstantInt::get(word, 0), vectors);
    for (BasicBlock* in : loop_.blocks()) starts_[in] = in == header ? first : block(in->getName());
    for (PHINode& counter : header->phis()) {
      PHINode* lane = build_.CreatePHI(counter.getType(), 2, counter.getName());
      lane->addIncoming(counter.getIncomingValueForBlock(before), vectors);
      scalar_[&counter] = {lane};
    }
    for (PHINode& counter : header->phis())
      for (unsigned part = 1; part < parts_; ++part)
        scalar_[&counter].push_back(build_.CreateAdd(
            scalar_[&counter][0],
            ConstantInt::get(counter.getType(), facts_.step(&counter) * part * lanes_)));
    LoopBlocksRPO order(&loop_);
    order.perform(&loops_);
    for (BasicBlock* in : order) write_block(*in, done, in_vectors, first, middle);
    for (PHINode* phi : open_phis_) close_phi(*phi);

    // What leaves the loop is what the last thread has.
    build_.SetInsertPoint(middle);
    for (PHINode& phi : exit->phis())
      phi.addIncoming(of_last_thread(phi.getIncomingValueForBlock(loop_.getLoopLatch())), middle);
    SmallVector<std::pair<PHINode*, Value*>> nexts;
    for (PHINode& counter : header->phis()) {
      Value* start = counter.getIncomingValueForBlock(before);
      Value* passed = build_.CreateMul(build_.CreateZExtOrTrunc(in_vectors, counter.getType()),
                                       ConstantInt::get(counter.getType(), facts_.step(&counter)));
      nexts.push_back({&counter, build_.CreateAdd(start, passed)});
    }
    build_.CreateCondBr(build_.CreateICmpEQ(in_vectors, count), exit, rest);

    build_.SetInsertPoint(rest);
    for (auto& [counter, next] : nexts) {
      PHINode* start = build_.CreatePHI(counter->getType(), 2);
      start->addIncoming(counter->getIncomingValueForBlock(before), before);
      start->addIncoming(next, middle);
      const int from = counter->getBasicBlockIndex(before);
      counter->setIncomingValue(from, start);
      counter->setIncomingBlock(from, rest);
    }
    build_.CreateBr(header);
  }

 private:
  using Parts = SmallVector<Value*, 8>;

  BasicBlock* block(const Twine& name) { return BasicBlock::Create(context_, name, &function_); }

  void write_block(BasicBlock& in, PHINode* done, Value* in_vectors, BasicBlock* first,
                   BasicBlock* middle) {
    build_.SetInsertPoint(starts_[&in]);
    const bool is_header = &in == loop_.getHeader();
    const auto masked = masks_.find(&in);
    mask_ = masked == masks_.end() ? Parts() : masked->second;
    for (Instruction& instruction : in) {
      if (is_header && isa<PHINode>(instruction)) continue;
      if (instruction.isTerminator()) break;
      write(instruction);
    }
    ends_[&in] = build_.GetInsertBlock();
    if (const auto* triangle = facts_.triangle_at(&in)) return write_question(in, *triangle);
    if (&in != loop_.getLoopLatch()) {
      Instruction* copy = in.getTerminator()->clone();
      for (Use& operand : copy->operands()) {
        if (auto* to = dyn_cast<BasicBlock>(operand)) operand.set(starts_[to]);
        else operand.set(scalar(operand));
      }
      copy->setMetadata(LLVMContext::MD_loop, nullptr);
      build_.Insert(copy);
      return;
    }
    const uint64_t step = uint64_t{lanes_} * parts_;
    Value* next = build_.CreateAdd(done, ConstantInt::get(done->getType(), step), "", true, false);
    done->addIncoming(next, build_.GetInsertBlock());
    for (PHINode& counter : loop_.getHeader()->phis()) {
      auto* lane = cast<PHINode>(scalar_[&counter][0]);
      const uint64_t grows = facts_.step(&counter) * step;
      lane->addIncoming(build_.CreateAdd(lane, ConstantInt::get(lane->getType(), grows)),
                        build_.GetInsertBlock());
    }
    build_.CreateCondBr(build_.CreateICmpEQ(next, in_vectors), middle, first);
  }

  // All of the vectors go where a thread of theirs goes.
  void write_question(BasicBlock& in, const WidenFacts::Triangle& triangle) {
    auto* branch = cast<BranchInst>(in.getTerminator());
    Parts parts;
    Value* any = nullptr;
    for (unsigned part = 0; part < parts_; ++part) {
      Value* holds = vector(branch->getCondition(), part);
      parts.push_back(branch->getSuccessor(0) == triangle.body ? holds : build_.CreateNot(holds));
      any = any ? build_.CreateOr(any, parts[part]) : parts[part];
    }
    build_.CreateCondBr(build_.CreateOrReduce(any), starts_[triangle.body], starts_[triangle.join]);
    masks_[triangle.body] = parts;
    heads_[triangle.body] = &in;
  }

  // What a thread has behind a triangle that it did not go through is what it had before.
  Value* for_some(PHINode& phi, unsigned i, unsigned part) {
    Value* value = vector(phi.getIncomingValue(i), part);
    const auto masked = masks_.find(phi.getIncomingBlock(i));
    if (masked == masks_.end()) return value;
    return build_.CreateSelect(masked->second[part], value,
                               vector(phi.getIncomingValueForBlock(heads_[phi.getIncomingBlock(i)]), part));
  }

  // The value of a part's first thread; of what is the same for all, the value.
  Value* scalar(Value* value, unsigned part = 0) const {
    const auto found = scalar_.find(value);
    if (found == scalar_.end()) return value;
    return found->second[found->second.size() == 1 ? 0 : part];
  }
  bool has_scalar(Value* value) { return facts_.strides().of(value).has_value(); }
  // The same for the threads of each part.
  bool is_flat(Value* value) {
    if (facts_.strides().of(value) != std::optional<int64_t>(0)) return false;
    const auto wraps = facts_.strides().may_wrap(value);
    return wraps && wraps->empty();
  }

  FixedVectorType* vector_of(Type* type) const { return FixedVectorType::get(type, lanes_); }

  Value* vector(Value* value, unsigned part) {
    if (const auto found = vectors_.find(value); found != vectors_.end()) return found->second[part];
    Value* first = build_.CreateVectorSplat(lanes_, scalar(value, part));
    auto* counter = dyn_cast<PHINode>(value);
    const int64_t step = counter ? facts_.step(counter) : 0;
    if (!step) return first;
    SmallVector<Constant*> steps;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      steps.push_back(ConstantInt::get(counter->getType(), step * lane));
    return build_.CreateAdd(first, ConstantVector::get(steps));
  }

  Value* of_last_thread(Value* value) {
    if (!facts_.varies(value)) return scalar(value);
    return build_.CreateExtractElement(vector(value, parts_ - 1), lanes_ - 1);
  }

  void write(Instruction& instruction) {
    if (auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
        intrinsic && intrinsic->isAssumeLikeIntrinsic())
      return;
    if (auto* store = dyn_cast<StoreInst>(&instruction);
        store && facts_.varies(store->getPointerOperand()))
      return write_store(*store);
    if (auto* phi = dyn_cast<PHINode>(&instruction)) return write_phi(*phi);
    if (!facts_.varies(&instruction)) {
      scalar_[&instruction] = {copy_scalar(instruction, 0)};
      return;
    }
    if (auto* load = dyn_cast<LoadInst>(&instruction)) return write_load(*load);
    if (has_scalar(&instruction)) {
      Parts firsts;
      for (unsigned part = 0; part < parts_; ++part)
        firsts.push_back(copy_scalar(instruction, part));
      scalar_[&instruction] = firsts;
      if (is_flat(&instruction)) return;
    }
    Parts parts;
    for (unsigned part = 0; part < parts_; ++part) parts.push_back(make(instruction, part));
    vectors_[&instruction] = parts;
  }

  Value* copy_scalar(Instruction& instruction, unsigned part) {
    if (!mask_.empty() && facts_.varies(&instruction))
      if (Value* first = copy_of_some(instruction, part)) return first;
    Instruction* copy = instruction.clone();
    for (Use& operand : copy->operands())
      if (!isa<Function>(operand)) operand.set(scalar(operand, part));
    if (!mask_.empty()) copy->dropPoisonGeneratingFlags();
    return build_.Insert(copy, instruction.getName());
  }

  // What is said of a number, as that it is not negative, holds for the threads that take part. The
  // first one may be none of them: their numbers still follow from its own, one by one.
  Value* copy_of_some(Instruction& instruction, unsigned part) {
    const auto operand = [&](unsigned i) { return scalar(instruction.getOperand(i), part); };
    if (auto* wide = dyn_cast<ZExtInst>(&instruction); wide && wide->hasNonNeg())
      return build_.CreateSExt(operand(0), wide->getType());
    if (auto* sum = dyn_cast<PossiblyDisjointInst>(&instruction); sum && sum->isDisjoint())
      return build_.CreateAdd(operand(0), operand(1));
    return nullptr;
  }

  Value* make(Instruction& instruction, unsigned part) {
    if (auto* call = dyn_cast<CallInst>(&instruction)) return make_call(*call, part);
    SmallVector<Value*, 4> operands;
    if (auto* address = dyn_cast<GetElementPtrInst>(&instruction)) {
      for (Value* operand : address->operands())
        operands.push_back(facts_.varies(operand) && !is_flat(operand) ? vector(operand, part)
                                                                       : scalar(operand, part));
      return build_.CreateGEP(address->getSourceElementType(), operands[0],
                              ArrayRef(operands).drop_front());
    }
    const bool keeps_condition =
        isa<SelectInst>(instruction) && !facts_.varies(instruction.getOperand(0));
    for (Value* operand : instruction.operands())
      operands.push_back(keeps_condition && operands.empty() ? scalar(operand)
                                                             : vector(operand, part));
    Value* made = nullptr;
    if (auto* binary = dyn_cast<BinaryOperator>(&instruction))
      made = build_.CreateBinOp(binary->getOpcode(), operands[0], operands[1]);
    else if (auto* unary = dyn_cast<UnaryOperator>(&instruction))
      made = build_.CreateUnOp(unary->getOpcode(), operands[0]);
    else if (auto* cast = dyn_cast<CastInst>(&instruction))
      made = build_.CreateCast(cast->getOpcode(), operands[0], vector_of(cast->getType()));
    else if (auto* compare = dyn_cast<CmpInst>(&instruction))
      made = build_.CreateCmp(compare->getPredicate(), operands[0], operands[1]);
    else if (isa<SelectInst>(instruction))
      made = build_.CreateSelect(operands[0], operands[1], operands[2]);
    else
      made = build_.CreateFreeze(operands[0]);
    if (auto* written = dyn_cast<Instruction>(made)) written->copyIRFlags(&instruction);
    return made;
  }

  Value* make_call(CallInst& call, unsigned part) {
    const auto id = getVectorIntrinsicIDForCall(&call, nullptr);
    const VFShape shape =
        VFShape::get(call.getFunctionType(), ElementCount::getFixed(lanes_), /*HasGlobalPred=*/false);
    Function* library = VFDatabase(call).getVectorizedFunction(shape);
    SmallVector<Value*, 4> arguments;
    if (library) {
      for (Value* argument : call.args()) arguments.push_back(vector(argument, part));
      return build_.CreateCall(library, arguments);
    }
    if (id != Intrinsic::not_intrinsic) {
      SmallVector<Type*, 2> types;
      if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1)) types.push_back(vector_of(call.getType()));
      for (unsigned i = 0; i < call.arg_size(); ++i) {
        const bool is_scalar = isVectorIntrinsicWithScalarOpAtArg(id, i);
        Value* argument = call.getArgOperand(i);
        arguments.push_back(is_scalar ? scalar(argument) : vector(argument, part));
        if (isVectorIntrinsicWithOverloadTypeAtArg(id, i))
          types.push_back(arguments.back()->getType());
      }
      auto* made = build_.CreateIntrinsic(id, types, arguments);
      made->copyIRFlags(&call);
      return made;
    }
    Value* all = PoisonValue::get(vector_of(call.getType()));
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      auto* one = cast<CallInst>(call.clone());
      for (unsigned i = 0; i < call.arg_size(); ++i)
        one->setArgOperand(i, build_.CreateExtractElement(vector(call.getArgOperand(i), part), lane));
      all = build_.CreateInsertElement(all, build_.Insert(one), lane);
    }
    return all;
  }

  void write_phi(PHINode& phi) {
    open_phis_.push_back(&phi);
    const unsigned n = phi.getNumIncomingValues();
    const unsigned firsts = !facts_.varies(&phi) ? 1 : has_scalar(&phi) ? parts_ : 0;
    for (unsigned part = 0; part < firsts; ++part)
      scalar_[&phi].push_back(build_.CreatePHI(phi.getType(), n, phi.getName()));
    if (!facts_.varies(&phi) || is_flat(&phi)) return;
    Parts parts;
    for (unsigned part = 0; part < parts_; ++part)
      parts.push_back(build_.CreatePHI(vector_of(phi.getType()), n, phi.getName()));
    vectors_[&phi] = parts;
  }

  void close_phi(PHINode& phi) {
    const auto firsts = scalar_.find(&phi);
    const auto all = vectors_.find(&phi);
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      BasicBlock* from = ends_[phi.getIncomingBlock(i)];
      Value* value = phi.getIncomingValue(i);
      build_.SetInsertPoint(from->getTerminator());
      if (firsts != scalar_.end())
        for (unsigned part = 0; part < firsts->second.size(); ++part)
          cast<PHINode>(firsts->second[part])->addIncoming(scalar(value, part), from);
      if (all == vectors_.end()) continue;
      for (unsigned part = 0; part < parts_; ++part)
        cast<PHINode>(all->second[part])->addIncoming(for_some(phi, i, part), from);
    }
  }

  bool is_contiguous(Value* address, Type* type) {
    const auto grows = facts_.strides().of(address);
    const auto bytes = function_.getParent()->getDataLayout().getTypeStoreSize(type);
    return grows == std::optional<int64_t>(bytes) && facts_.strides().may_wrap(address);
  }

  // Where an unsigned index passes zero within these threads, their elements are not in a row.
  Value* wraps(Value* address) {
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

  // Runs `in_row` or, where `apart` holds at run time, `each`.
  template <typename InRow, typename Each>
  void in_row_or(Value* apart, InRow in_row, Each each) {
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

  void write_load(LoadInst& load) {
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

  Value* load_row(LoadInst& load, unsigned part) {
    Value* address = scalar(load.getPointerOperand(), part);
    FixedVectorType* type = vector_of(load.getType());
    if (mask_.empty()) return build_.CreateAlignedLoad(type, address, load.getAlign());
    return build_.CreateMaskedLoad(type, address, load.getAlign(), mask_[part]);
  }

  void write_store(StoreInst& store) {
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

  Loop& loop_;
  LoopInfo& loops_;
  WidenFacts& facts_;
  unsigned lanes_, parts_;
  Function& function_;
  LLVMContext& context_;
  IRBuilder<> build_;
  DenseMap<BasicBlock*, BasicBlock*> starts_, ends_;  ///< of what stands for each block
  DenseMap<Value*, Parts> scalar_;
  DenseMap<Value*, Parts> vectors_;
  SmallVector<PHINode*> open_phis_;
  DenseMap<BasicBlock*, Parts> masks_;  ///< of a triangle's body: which threads it is for
  DenseMap<BasicBlock*, BasicBlock*> heads_;
  Parts mask_;  ///< of what is being written; empty: for all
};

bool is_of_threads(const Loop& loop) {
  return !loop.isInnermost() && findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses") &&
         !findOptionMDForLoop(&loop, "llvm.loop.vectorize.enable") &&
         !findOptionMDForLoop(&loop, "llvm.loop.isvectorized");
}

// As many vectors as hide the latency of what they carry, and no more than registers hold.
unsigned parts_for(const WidenFacts& facts, unsigned lanes, uint64_t threads, bool is_512) {
  if (facts.has_rows() && !facts.gathers() && facts.carried() == 1) return 8;
  unsigned parts = facts.gathers() || facts.carried() > (is_512 ? 8 : 4) ? 1
                   : facts.carried() > (is_512 ? 4 : 2)                 ? 2
                                                                        : 4;
  while (parts > 1 && uint64_t{lanes} * parts > threads) parts /= 2;
  return parts;
}

}  // namespace

PreservedAnalyses WidenThreadsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  bool changed = false;
  SmallPtrSet<BasicBlock*, 8> seen;
  while (true) {
    auto& loops = analyses.getResult<LoopAnalysis>(function);
    Loop* next = nullptr;
    for (Loop* loop : loops.getLoopsInPreorder())
      if (!next && is_of_threads(*loop) && seen.insert(loop->getHeader()).second) next = loop;
    if (!next) break;
    auto& tree = analyses.getResult<DominatorTreeAnalysis>(function);
    auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    auto& assumptions = analyses.getResult<AssumptionAnalysis>(function);
    simplifyLoop(next, &tree, &loops, &evolution, &assumptions, nullptr, false);
    formLCSSARecursively(*next, tree, &loops, &evolution);
    if (!next->getLoopPreheader() || !next->hasDedicatedExits()) continue;
    const SCEV* taken = evolution.getBackedgeTakenCount(next);
    if (isa<SCEVCouldNotCompute>(taken) || !taken->getType()->isIntegerTy()) continue;
    const auto& target = analyses.getResult<TargetIRAnalysis>(function);
    const uint64_t bits =
        target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    WidenFacts facts(*next, loops, evolution, bits / 32);
    if (!facts.can_widen()) continue;
    unsigned lanes = bits / 8 / facts.widest_bytes();
    uint64_t threads = 1024;
    if (const unsigned most = evolution.getSmallConstantMaxTripCount(next)) threads = std::min<uint64_t>(threads, most);
    while (lanes > 4 && lanes > threads) lanes /= 2;
    if (lanes < 2 || lanes > threads) continue;
    SCEVExpander expander(evolution, function.getParent()->getDataLayout(), "threads");
    Instruction* before = next->getLoopPreheader()->getTerminator();
    if (!expander.isSafeToExpandAt(taken, before)) continue;
    Value* count = expander.expandCodeFor(taken, taken->getType(), before);
    count = IRBuilder<>(before).CreateAdd(count, ConstantInt::get(count->getType(), 1), "threads");
    Widener(*next, loops, facts, lanes, parts_for(facts, lanes, threads, bits >= 512)).run(count);
    addStringMetadataToLoop(next, "llvm.loop.isvectorized", 1);
    changed = true;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  if (!changed) return PreservedAnalyses::all();
  FunctionPassManager passes;
  passes.addPass(SimplifyCFGPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  LoopPassManager hoist;
  hoist.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(hoist), /*UseMemorySSA=*/true));
  passes.run(function, analyses);
  return PreservedAnalyses::none();
}

}  // namespace kasoku::embedded
