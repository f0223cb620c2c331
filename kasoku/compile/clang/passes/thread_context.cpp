#include "kasoku/compile/clang/passes/thread_context.h"

#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/shared_variables.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

#include <map>

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr const char* place_attribute = "ks-shared-place";
constexpr const char* flag_name = "ks-passes-context";
constexpr const char* has_context = "ks-has-context";
constexpr unsigned words = static_cast<unsigned>(Index::none);
constexpr uint64_t pointers_at = (words * 4 + 7) / 8 * 8;

std::map<unsigned, GlobalVariable*> shared_variables(Module& module) {
  std::map<unsigned, GlobalVariable*> found;
  for (GlobalVariable& variable : module.globals()) {
    unsigned place = 0;
    if (!variable.getAttribute(place_attribute).getValueAsString().getAsInteger(10, place))
      found[place] = &variable;
  }
  return found;
}

const CallInst* pointer_call(const Instruction& instruction) {
  const auto* call = dyn_cast<CallInst>(&instruction);
  return call && call->isIndirectCall() ? call : nullptr;
}

/// Functions that read a context themselves, or call one that does.
SmallPtrSet<Function*, 8> readers(Module& module, bool pointers_may_lead_to_one, bool all_read) {
  SmallPtrSet<Function*, 8> found;
  SmallVector<Function*> work;
  const auto add = [&](Function* function) {
    if (!function->isDeclaration() && found.insert(function).second) work.push_back(function);
  };
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (all_read || index_of(instruction) != Index::none || (pointers_may_lead_to_one && pointer_call(instruction)))
        add(&function);
  for (auto& [place, variable] : shared_variables(module)) {
    convertUsersOfConstantsToInstructions({variable});
    for (User* user : variable->users())
      if (auto* instruction = dyn_cast<Instruction>(user)) add(instruction->getFunction());
  }
  while (!work.empty()) {
    Function* callee = work.pop_back_val();
    for (User* user : callee->users())
      if (auto* call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == callee)
        add(call->getFunction());
  }
  return found;
}

/// Reads of the context in a function that has it as its last argument.
void read_from_context(Function& function, Module& module) {
  Value* context = function.getArg(function.arg_size() - 1);
  Type* word = Type::getInt32Ty(module.getContext());
  const auto field = [&](Type* type, uint64_t offset) {
    IRBuilder<> build(&*function.getEntryBlock().getFirstInsertionPt());
    return build.CreateLoad(type, build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), context, offset));
  };
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    const Index index = index_of(instruction);
    if (index == Index::none) continue;
    instruction.replaceAllUsesWith(field(word, 4 * static_cast<uint64_t>(index)));
    instruction.eraseFromParent();
  }
  for (auto& [place, variable] : shared_variables(module)) {
    const auto is_here = [&](const Use& use) {
      const auto* user = dyn_cast<Instruction>(use.getUser());
      return user && user->getFunction() == &function;
    };
    if (none_of(variable->uses(), is_here)) continue;
    Value* address = field(context->getType(), pointers_at + 8 * place);
    variable->replaceUsesWithIf(address, [&](Use& use) { return is_here(use); });
  }
}

Function* with_context(Function& from, Module& module) {
  SmallVector<Type*> types(from.getFunctionType()->params());
  types.push_back(PointerType::getUnqual(module.getContext()));
  auto* to = Function::Create(FunctionType::get(from.getReturnType(), types, false),
                              from.getLinkage(), "", &module);
  to->copyAttributesFrom(&from);
  to->removeFnAttr(Attribute::Memory);
  to->addFnAttr(has_context);
  to->takeName(&from);
  to->splice(to->begin(), &from);
  for (unsigned i = 0; i < from.arg_size(); ++i) {
    to->getArg(i)->takeName(from.getArg(i));
    from.getArg(i)->replaceAllUsesWith(to->getArg(i));
  }
  from.replaceAllUsesWith(to);
  from.eraseFromParent();
  return to;
}

void add_argument(CallInst& call, Value* context) {
  SmallVector<Value*> arguments(call.args());
  SmallVector<Type*> types(call.getFunctionType()->params());
  arguments.push_back(context);
  types.push_back(context->getType());
  auto* longer = CallInst::Create(FunctionType::get(call.getType(), types, false),
                                  call.getCalledOperand(), arguments, "", call.getIterator());
  longer->setAttributes(call.getAttributes());
  longer->removeFnAttr(Attribute::Memory);
  longer->setCallingConv(call.getCallingConv());
  longer->copyMetadata(call);
  longer->takeName(&call);
  call.replaceAllUsesWith(longer);
  call.eraseFromParent();
}

/// The kernel's threads write their context down before each call that needs it.
Value* write_context(CallInst& call, AllocaInst* context, Module& module) {
  IRBuilder<> build(&call);
  const auto store = [&](Value* value, uint64_t offset) {
    build.CreateStore(value, build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), context, offset));
  };
  for (unsigned i = 0; i < words; ++i) store(index_value(build, static_cast<Index>(i)), 4 * i);
  for (auto& [place, variable] : shared_variables(module)) store(variable, pointers_at + 8 * place);
  return context;
}

}  // namespace

void number_shared_variables(Module& module, bool all_read) {
  unsigned places = 0;
  for (GlobalVariable& variable : module.globals())
    if (is_shared_variable(&variable)) variable.addAttribute(place_attribute, std::to_string(places++));
  for (Function* function : readers(module, /*pointers_may_lead_to_one=*/false, all_read))
    if (function->hasAddressTaken()) module.getOrInsertNamedMetadata(flag_name);
}

void pass_thread_context(Module& module, Function& kernel, bool all_read) {
  const bool pointers = module.getNamedMetadata(flag_name) != nullptr;
  SmallPtrSet<Function*, 8> changed;
  SmallVector<Function*> old;
  for (Function* function : readers(module, pointers, all_read))
    if (function != &kernel) old.push_back(function);
  for (Function* function : old) changed.insert(with_context(*function, module));
  SmallVector<CallInst*> calls;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallInst>(&instruction))
        if ((pointers && call->isIndirectCall()) || changed.contains(dyn_cast<Function>(call->getCalledOperand())))
          calls.push_back(call);
  if (calls.empty()) return;
  uint64_t bytes = pointers_at;
  if (auto shared = shared_variables(module); !shared.empty()) bytes += 8 * (shared.rbegin()->first + 1);
  AllocaInst* own = nullptr;
  for (CallInst* call : calls) {
    Function* caller = call->getFunction();
    if (caller != &kernel) {
      add_argument(*call, caller->getArg(caller->arg_size() - 1));
      continue;
    }
    if (!own) {
      IRBuilder<> build(&*kernel.getEntryBlock().begin());
      own = build.CreateAlloca(ArrayType::get(build.getInt8Ty(), bytes), nullptr, "context");
      own->setAlignment(Align(16));
    }
    add_argument(*call, write_context(*call, own, module));
  }
}

void read_thread_context(Module& module) {
  for (Function& function : module)
    if (function.hasFnAttribute(has_context)) read_from_context(function, module);
}

}  // namespace kasoku::embedded
