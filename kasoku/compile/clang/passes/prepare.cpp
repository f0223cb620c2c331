#include "kasoku/compile/clang/passes/prepare.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/clang/passes/instrument.h"
#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/passes/parameters.h"
#include "kasoku/compile/clang/passes/passes.h"
#include "kasoku/compile/clang/passes/pipeline.h"
#include "kasoku/compile/clang/passes/thread_context.h"
#include "kasoku/compile/clang/shared_variables.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

#include <string>

namespace kasoku::embedded {

using namespace llvm;

namespace {

// Clang's annotations: an array of {value, text, file, line, arguments}.
SmallPtrSet<GlobalVariable*, 8> annotated_shared(Module& module) {
  SmallPtrSet<GlobalVariable*, 8> shared;
  for (GlobalVariable& variable : module.globals()) {
    // Clang annotates definitions only; an undefined array of no length is what
    // `extern __shared__` leaves.
    auto* array = dyn_cast<ArrayType>(variable.getValueType());
    const bool is_dynamic = variable.isDeclaration() && array && array->getNumElements() == 0;
    if (is_dynamic || is_shared_variable(&variable)) shared.insert(&variable);
  }
  GlobalVariable* list = module.getNamedGlobal("llvm.global.annotations");
  if (!list || !list->hasInitializer()) return shared;
  for (const Use& row : list->getInitializer()->operands()) {
    auto* fields = dyn_cast<ConstantStruct>(row);
    if (!fields || fields->getNumOperands() < 2) continue;
    auto* variable = dyn_cast<GlobalVariable>(fields->getOperand(0)->stripPointerCasts());
    auto* text = dyn_cast<GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    if (!variable || !text || !text->hasInitializer()) continue;
    auto* characters = dyn_cast<ConstantDataSequential>(text->getInitializer());
    if (characters && characters->isCString() && characters->getAsCString() == "ks_shared")
      shared.insert(variable);
  }
  return shared;
}

void drop_module_lists(Module& module) {
  for (const char* name : {"llvm.global.annotations", "llvm.used", "llvm.compiler.used",
                           "llvm.global_ctors", "llvm.global_dtors"})
    if (GlobalVariable* list = module.getNamedGlobal(name)) list->eraseFromParent();
}

// __device__ and __constant__ variables belong to the module, which outlives any
// one kernel's code: here they are only referred to.
void refer_to_globals(Module& module, const SmallPtrSetImpl<GlobalVariable*>& shared) {
  for (GlobalVariable& variable : module.globals()) {
    variable.setComdat(nullptr);
    if (shared.contains(&variable) || variable.hasLocalLinkage()) continue;
    if (variable.isConstant() && variable.hasInitializer() &&
        !variable.isExternallyInitialized()) {
      variable.setLinkage(GlobalValue::InternalLinkage);  // nobody can write to it
      continue;
    }
    variable.setInitializer(nullptr);
    variable.setLinkage(GlobalValue::ExternalLinkage);
    variable.setVisibility(GlobalValue::DefaultVisibility);
    variable.setDSOLocal(false);
  }
}

// In a serial kernel (`is_serial`) nothing runs per thread, so functions that the text marks noinline stay calls.
void mark_for_inlining(Module& module, Function& kernel, bool is_serial) {
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    function.setComdat(nullptr);
    const bool stays = is_serial && function.hasFnAttribute(Attribute::NoInline);
    if (!stays) function.removeFnAttr(Attribute::NoInline);
    if (is_serial) function.setUnnamedAddr(GlobalValue::UnnamedAddr::Global);  // so that equal ones can be one
    function.removeFnAttr(Attribute::OptimizeNone);
    function.setLinkage(&function == &kernel ? GlobalValue::ExternalLinkage
                                             : GlobalValue::InternalLinkage);
    function.setVisibility(GlobalValue::DefaultVisibility);
    if (&function != &kernel && !stays) function.addFnAttr(Attribute::AlwaysInline);
  }
  CallGraph graph(module);
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component) {
    if (!component.hasCycle()) continue;
    for (CallGraphNode* node : *component)
      if (Function* function = node->getFunction(); function && !function->isDeclaration()) {
        function->removeFnAttr(Attribute::AlwaysInline);
        function->addFnAttr(Attribute::NoInline);
      }
  }
}

// Replaces indices by constants where the block shape is known, and gives all others their ranges.
void specialise_indices(Module& module, const BlockShape& shape) {
  LLVMContext& context = module.getContext();
  Type* word = Type::getInt32Ty(context);
  const uint32_t extents[3] = {shape.x, shape.y, shape.z};
  const uint32_t limits[3] = {1024, 1024, 64};
  for (Function& function : module) {
    if (!function.isDeclaration() || !function.getName().starts_with("ks_")) continue;
    SmallVector<CallInst*> calls;
    for (User* user : function.users())
      if (auto* call = dyn_cast<CallInst>(user)) calls.push_back(call);
    if (calls.empty()) continue;
    const Index index = index_of(*calls.front());
    if (index == Index::none) continue;
    function.removeFnAttr(Attribute::Convergent);
    function.setMemoryEffects(MemoryEffects::none());
    for (auto kind : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::Speculatable,
                      Attribute::NoSync})
      function.addFnAttr(kind);
    const int group = static_cast<int>(index) / 3, axis = static_cast<int>(index) % 3;
    for (CallInst* call : calls) {
      call->setAttributes({});
      call->setCallingConv(function.getCallingConv());
      Value* constant = nullptr;
      uint32_t low = 0, high = 0;  // [low, high)
      if (group == 0) {
        if (shape.is_known() && extents[axis] == 1) constant = ConstantInt::get(word, 0);
        high = shape.is_known() ? extents[axis] : limits[axis];
      } else if (group == 2) {
        if (shape.is_known()) constant = ConstantInt::get(word, extents[axis]);
        low = 1, high = limits[axis] + 1;
      } else if (group == 1 || group == 3) {
        const uint32_t limit = axis == 0 ? 0x7fffffffu : 65535u;
        low = group == 3, high = limit + group / 3;
      }
      if (constant) {
        call->replaceAllUsesWith(constant);
        call->eraseFromParent();
      } else if (high) {
        call->setMetadata(LLVMContext::MD_range,
                          MDBuilder(context).createRange(APInt(32, low), APInt(32, high)));
      }
    }
  }
}

// assert and trap do not come back to the thread, but the block's other threads
// go on: what follows is the end of the thread, not undefined behaviour.
void end_threads_after_traps(Module& module) {
  for (Function& function : module) {
    if (function.isDeclaration()) {
      if (function.getName().starts_with("ks_rt_")) function.removeFnAttr(Attribute::NoReturn);
      continue;
    }
    for (BasicBlock& block : function) {
      auto* dead = dyn_cast<UnreachableInst>(block.getTerminator());
      auto* call = dead ? dyn_cast_or_null<CallInst>(dead->getPrevNode()) : nullptr;
      if (!call || !ends_thread(*call)) continue;
      call->removeFnAttr(Attribute::NoReturn);
      Type* type = function.getReturnType();
      ReturnInst::Create(module.getContext(),
                         type->isVoidTy() ? nullptr : Constant::getNullValue(type),
                         dead->getIterator());
      dead->eraseFromParent();
    }
  }
}

// Refuses syncs that are left outside of the kernel, where no thread is known.
void refuse_what_cannot_be_inlined(const Module& module, const Function& kernel) {
  for (const Function& function : module) {
    if (&function == &kernel || function.isDeclaration()) continue;
    for (const Instruction& instruction : instructions(function)) {
      const Sync sync = sync_of(instruction);
      if (sync == Sync::none) continue;
      throw Error(ErrorKind::compile,
                  "kernel '" + demangle(kernel.getName()) + "' cannot be compiled for a CPU")
          .why("the device function '" + demangle(function.getName()) +
               "' calls itself or is called through a pointer, and it waits for other threads")
          .fix("call __syncthreads, __syncwarp or the shuffle in a function that is called directly");
    }
  }
}

}  // namespace

// A barrier of PTX that asks for as many threads as the block has is one of the block, unless some only arrive there.
void find_whole_barriers(Module& module, const BlockShape& shape) {
  Function* barrier = module.getFunction("ks_part_barrier");
  const Function* arrival = module.getFunction("ks_part_arrive");
  if (!barrier || !shape.is_known() || (arrival && !arrival->use_empty())) return;
  for (User* user : make_early_inc_range(barrier->users())) {
    auto* call = dyn_cast<CallInst>(user);
    const auto* threads = call ? dyn_cast<ConstantInt>(call->getArgOperand(1)) : nullptr;
    if (!threads || threads->getZExtValue() != shape.threads()) continue;
    IRBuilder<> build(call);
    auto whole = module.getOrInsertFunction("ks_barrier", build.getVoidTy());
    cast<Function>(whole.getCallee())->setConvergent();
    build.CreateCall(whole)->setConvergent();
    call->eraseFromParent();
  }
}

PreparedKernel prepare(Module& module, std::string_view symbol, const BlockShape& shape,
                       bool is_generated, bool is_checked, Pipeline& pipeline) {
  PreparedKernel kernel;
  kernel.function = module.getFunction(StringRef(symbol.data(), symbol.size()));
  if (!kernel.function || kernel.function->isDeclaration())
    throw Error(ErrorKind::internal, "the module has no kernel '" + std::string(symbol) + "'");
  if (!kernel.function->getReturnType()->isVoidTy() || kernel.function->isVarArg())
    throw Error(ErrorKind::compile, "'" + std::string(symbol) + "' is not a kernel");
  kernel.parameter_sizes = parameter_sizes(*kernel.function);

  auto shared = annotated_shared(module);
  for (GlobalVariable* variable : shared) mark_as_shared(*variable);
  drop_module_lists(module);
  refer_to_globals(module, shared);
  // The checker asks in every function which thread runs, and reads shared variables by their names.
  const bool all_read = is_checked && !is_generated;
  number_shared_variables(module, all_read);
  const bool is_serial = is_generated && shape.is_single_thread();
  mark_for_inlining(module, *kernel.function, is_serial);
  pipeline.inline_all(module, is_serial);
  pipeline.passes().ran(PassId::inline_all, module);
  pass_thread_context(module, *kernel.function, all_read);
  if (!all_read) read_thread_context(module);
  pipeline.passes().ran(PassId::thread_context, module);
  specialise_indices(module, shape);
  pipeline.passes().ran(PassId::specialise_indices, module);
  end_threads_after_traps(module);
  refuse_what_cannot_be_inlined(module, *kernel.function);
  for (GlobalVariable& variable : module.globals())
    if (is_shared_variable(&variable)) kernel.shared.push_back(&variable);
  if (is_checked) {
    pipeline.promote_locals(module);
    find_whole_barriers(module, shape);
    instrument(module, kernel, is_generated);
    if (all_read) read_thread_context(module);
    pipeline.passes().ran(PassId::instrument, module);
  }
  pipeline.simplify_early(module);
  find_whole_barriers(module, shape);
  if (is_serial) pipeline.take_loops_apart(module);
  return kernel;
}

}  // namespace kasoku::embedded
