#include "kasoku/compile/clang/passes/rare_calls.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/VFABIDemangler.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <string>

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr StringRef rare_mark = "ks_rare_", form_mark = "ks_masked_";

bool is_rare(const Function* callee) { return callee && callee->getName().contains(rare_mark); }

std::string form_name(unsigned lanes, StringRef callee) { return (form_mark + Twine(lanes) + "." + callee).str(); }

void declare_forms(CallInst& call) {
  Function& callee = *call.getCalledFunction();
  SmallVector<std::string> forms;
  for (const unsigned lanes : {2u, 4u, 8u, 16u}) {
    const auto wide = [&](Type* type) { return FixedVectorType::get(type, lanes); };
    SmallVector<Type*> types;
    for (const Use& argument : call.args()) types.push_back(wide(argument->getType()));
    types.push_back(wide(Type::getInt1Ty(call.getContext())));
    const std::string name = form_name(lanes, callee.getName());
    FunctionCallee form =
        callee.getParent()->getOrInsertFunction(name, FunctionType::get(wide(call.getType()), types, false));
    auto& declared = *cast<Function>(form.getCallee());
    declared.setDoesNotAccessMemory();
    declared.setDoesNotThrow();
    declared.setWillReturn();
    forms.push_back("_ZGV_LLVM_M" + std::to_string(lanes) + std::string(call.arg_size(), 'v') + "_" +
                    callee.getName().str() + "(" + name + ")");
  }
  VFABI::setVectorVariantNames(&call, forms);
}

/// for each lane: if its mask is set, its element is the function's of its arguments.
void define_form(Function& form, Function& callee, const Function& caller) {
  form.setLinkage(GlobalValue::InternalLinkage);
  form.addFnAttr(Attribute::NoInline);
  for (const char* word : {"target-cpu", "target-features", "prefer-vector-width"})
    form.addFnAttr(caller.getFnAttribute(word));
  LLVMContext& context = form.getContext();
  BasicBlock *entry = BasicBlock::Create(context, "entry", &form), *head = BasicBlock::Create(context, "lane", &form),
             *set = BasicBlock::Create(context, "set", &form), *next = BasicBlock::Create(context, "next", &form),
             *end = BasicBlock::Create(context, "end", &form);
  auto* type = cast<FixedVectorType>(form.getReturnType());
  IRBuilder<> build(entry);
  build.CreateBr(head);
  build.SetInsertPoint(head);
  PHINode *lane = build.CreatePHI(build.getInt32Ty(), 2), *values = build.CreatePHI(type, 2);
  Argument* mask = form.getArg(form.arg_size() - 1);
  build.CreateCondBr(build.CreateExtractElement(mask, lane), set, next);
  build.SetInsertPoint(set);
  SmallVector<Value*> arguments;
  for (unsigned i = 0; i + 1 < form.arg_size(); ++i)
    arguments.push_back(build.CreateExtractElement(form.getArg(i), lane));
  CallInst* value = build.CreateCall(&callee, arguments);
  value->setCallingConv(callee.getCallingConv());
  Value* changed = build.CreateInsertElement(values, value, lane);
  build.CreateBr(next);
  build.SetInsertPoint(next);
  PHINode* out = build.CreatePHI(type, 2);
  out->addIncoming(values, head);
  out->addIncoming(changed, set);
  Value* following = build.CreateAdd(lane, build.getInt32(1));
  build.CreateCondBr(build.CreateICmpEQ(following, build.getInt32(type->getNumElements())), end, head);
  build.SetInsertPoint(end);
  build.CreateRet(out);
  lane->addIncoming(build.getInt32(0), entry);
  lane->addIncoming(following, next);
  values->addIncoming(Constant::getNullValue(type), entry);
  values->addIncoming(out, next);
}

/// select(mask, call, other), if that is all that reads the call: it becomes part of the branch, so that vectors without
/// such a lane do not look at the mask again.
SelectInst* choice_of(CallInst& call, Value* mask) {
  auto* choice = call.hasOneUse() ? dyn_cast<SelectInst>(call.user_back()) : nullptr;
  const bool is_it = choice && choice->getCondition() == mask && choice->getTrueValue() == &call;
  return is_it && choice->getParent() == call.getParent() ? choice : nullptr;
}

void call_if_any(CallInst& call) {
  Value* mask = call.getArgOperand(call.arg_size() - 1);
  SelectInst* choice = choice_of(call, mask);
  Instruction* at = choice ? static_cast<Instruction*>(choice) : &call;
  IRBuilder<> build(at);
  const unsigned lanes = cast<FixedVectorType>(mask->getType())->getNumElements();
  Type* bits = build.getIntNTy(lanes);
  Value* any = build.CreateICmpNE(build.CreateBitCast(build.CreateFreeze(mask), bits), Constant::getNullValue(bits));
  BasicBlock* before = at->getParent();
  Instruction* then = SplitBlockAndInsertIfThen(any, at, false, MDBuilder(call.getContext()).createBranchWeights(1, 1 << 20));
  BasicBlock* behind = at->getParent();
  auto* value = PHINode::Create(at->getType(), 2, "", behind->begin());
  at->replaceAllUsesWith(value);
  call.moveBefore(then);
  if (choice) choice->moveBefore(then);
  value->addIncoming(choice ? choice->getFalseValue() : PoisonValue::get(call.getType()), before);
  value->addIncoming(at, then->getParent());
}

}  // namespace

PreservedAnalyses OfferMaskedFormsPass::run(Function& function, FunctionAnalysisManager&) {
  for (Instruction& instruction : instructions(function))
    if (auto* call = dyn_cast<CallInst>(&instruction); call && is_rare(call->getCalledFunction())) declare_forms(*call);
  return PreservedAnalyses::all();
}

PreservedAnalyses RareCallsPass::run(Function& function, FunctionAnalysisManager&) {
  SmallVector<CallInst*> calls;
  for (Instruction& instruction : instructions(function))
    if (auto* call = dyn_cast<CallInst>(&instruction);
        call && call->getCalledFunction() && call->getCalledFunction()->getName().starts_with(form_mark))
      calls.push_back(call);
  for (CallInst* call : calls) {
    Function& form = *call->getCalledFunction();
    if (form.isDeclaration())
      define_form(form, *function.getParent()->getFunction(form.getName().split('.').second), function);
    call_if_any(*call);
  }
  return calls.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace kasoku::embedded
