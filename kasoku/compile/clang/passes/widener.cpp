#include "kasoku/compile/clang/passes/widener.h"

#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace kasoku::embedded {

using namespace llvm;

void Widener::run(Value* count) {
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

void Widener::write_block(BasicBlock& in, PHINode* done, Value* in_vectors, BasicBlock* first,
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

void Widener::write_question(BasicBlock& in, const WidenFacts::Triangle& triangle) {
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

Value* Widener::for_some(PHINode& phi, unsigned i, unsigned part) {
  Value* value = vector(phi.getIncomingValue(i), part);
  const auto masked = masks_.find(phi.getIncomingBlock(i));
  if (masked == masks_.end()) return value;
  return build_.CreateSelect(masked->second[part], value,
                             vector(phi.getIncomingValueForBlock(heads_[phi.getIncomingBlock(i)]), part));
}

Value* Widener::scalar(Value* value, unsigned part) const {
  const auto found = scalar_.find(value);
  if (found == scalar_.end()) return value;
  return found->second[found->second.size() == 1 ? 0 : part];
}

bool Widener::is_flat(Value* value) {
  if (facts_.strides().of(value) != std::optional<int64_t>(0)) return false;
  const auto wraps = facts_.strides().may_wrap(value);
  return wraps && wraps->empty();
}

Value* Widener::vector(Value* value, unsigned part) {
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

Value* Widener::of_last_thread(Value* value) {
  if (!facts_.varies(value)) return scalar(value);
  return build_.CreateExtractElement(vector(value, parts_ - 1), lanes_ - 1);
}

void Widener::write(Instruction& instruction) {
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

Value* Widener::copy_scalar(Instruction& instruction, unsigned part) {
  if (!mask_.empty() && facts_.varies(&instruction))
    if (Value* first = copy_of_some(instruction, part)) return first;
  Instruction* copy = instruction.clone();
  for (Use& operand : copy->operands())
    if (!isa<Function>(operand)) operand.set(scalar(operand, part));
  if (!mask_.empty()) copy->dropPoisonGeneratingFlags();
  return build_.Insert(copy, instruction.getName());
}

Value* Widener::copy_of_some(Instruction& instruction, unsigned part) {
  const auto operand = [&](unsigned i) { return scalar(instruction.getOperand(i), part); };
  if (auto* wide = dyn_cast<ZExtInst>(&instruction); wide && wide->hasNonNeg())
    return build_.CreateSExt(operand(0), wide->getType());
  if (auto* sum = dyn_cast<PossiblyDisjointInst>(&instruction); sum && sum->isDisjoint())
    return build_.CreateAdd(operand(0), operand(1));
  return nullptr;
}

Value* Widener::make(Instruction& instruction, unsigned part) {
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

Value* Widener::make_call(CallInst& call, unsigned part) {
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

void Widener::write_phi(PHINode& phi) {
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

void Widener::close_phi(PHINode& phi) {
  const auto firsts = scalar_.find(&phi);
  const auto all = vectors_.find(&phi);
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    BasicBlock* from = ends_[phi.getIncomingBlock(i)];
    Value* value = phi.getIncomingValue(i);
    build_.SetInsertPoint(from->getTerminator());
    // Two cases of a switch that come here bring one value, not two that are equal.
    const auto close = [&](Value* joined, const auto& brought) {
      auto* to = cast<PHINode>(joined);
      const int same = to->getBasicBlockIndex(from);
      to->addIncoming(same < 0 ? brought() : to->getIncomingValue(same), from);
    };
    if (firsts != scalar_.end())
      for (unsigned part = 0; part < firsts->second.size(); ++part)
        close(firsts->second[part], [&] { return scalar(value, part); });
    if (all == vectors_.end()) continue;
    for (unsigned part = 0; part < parts_; ++part)
      close(all->second[part], [&] { return for_some(phi, i, part); });
  }
}

}  // namespace kasoku::embedded
