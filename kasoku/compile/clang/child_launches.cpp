#include "kasoku/compile/clang/child_launches.h"

#include "kasoku/compile/clang/passes/parameters.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace kasoku::embedded {
namespace {

constexpr const char* mark = "ks-kernel";

const clang::FunctionDecl* declaration_of(clang::CodeGenerator& generator, const llvm::Function& function) {
  return llvm::dyn_cast_or_null<clang::FunctionDecl>(generator.GetDeclForMangledName(function.getName()));
}

/// Puts the values of a launch where the kernel's entry looks for them, parameter by parameter.
class Lower {
 public:
  explicit Lower(llvm::Module& module)
      : module_(module),
        pointer_(llvm::PointerType::getUnqual(module.getContext())),
        launch_(module.getOrInsertFunction("ks_rt_launch", llvm::Type::getVoidTy(module.getContext()), pointer_, pointer_,
                                           llvm::Type::getInt64Ty(module.getContext()),
                                           llvm::Type::getInt32Ty(module.getContext()))) {}

  void call(llvm::CallInst& call, const llvm::Function& kernel) {
    const std::vector<uint32_t> sizes = parameter_sizes(kernel);
    llvm::IRBuilder<> build(&call);
    auto* list = llvm::ArrayType::get(pointer_, std::max<size_t>(1, sizes.size()));
    llvm::Value* values = local(call, list);
    std::vector<llvm::Value*> memory(sizes.size());
    unsigned argument = 0;
    for (const SourcePlace& place : argument_places(kernel, sizes)) {
      llvm::Value* value = call.getArgOperand(argument);
      llvm::Value*& at = memory[place.parameter];
      if (kernel.getArg(argument++)->hasByValAttr()) {
        at = value;
        continue;
      }
      if (!at) at = local(call, llvm::ArrayType::get(build.getInt8Ty(), (sizes[place.parameter] + 15) / 16 * 16));
      build.CreateAlignedStore(value, build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), at, place.offset),
                               llvm::Align(1));
    }
    for (size_t i = 0; i < memory.size(); ++i)
      build.CreateStore(memory[i] ? memory[i] : llvm::ConstantPointerNull::get(pointer_),
                        build.CreateConstInBoundsGEP2_64(list, values, 0, i));
    build.CreateCall(launch_, {symbol(build, kernel), values, build.CreateCall(module_.getFunction("ks_block_number")),
                               build.CreateCall(module_.getFunction("ks_thread_number"))});
    call.eraseFromParent();
  }

 private:
  llvm::AllocaInst* local(const llvm::CallInst& call, llvm::Type* type) {
    llvm::BasicBlock& entry = const_cast<llvm::Function*>(call.getFunction())->getEntryBlock();
    auto* made = new llvm::AllocaInst(type, 0, "launch", entry.getFirstInsertionPt());
    made->setAlignment(llvm::Align(16));
    return made;
  }

  /// One text for each kernel: the run time looks it up by its address first.
  llvm::Constant* symbol(llvm::IRBuilder<>& build, const llvm::Function& kernel) {
    const std::string name = ("ks_symbol_of_" + kernel.getName()).str();
    if (auto* known = module_.getGlobalVariable(name, /*AllowInternal=*/true)) return known;
    llvm::GlobalVariable* text = build.CreateGlobalString(kernel.getName(), name, 0, &module_);
    text->setLinkage(llvm::GlobalValue::InternalLinkage);
    return text;
  }

  llvm::Module& module_;
  llvm::PointerType* pointer_;
  llvm::FunctionCallee launch_;
};

/// Lists that Clang keeps of functions mean no use of them.
bool is_in_list_of_module(const llvm::User& user) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&user)) return variable->getName().starts_with("llvm.");
  return llvm::isa<llvm::Constant>(user) &&
         llvm::all_of(user.users(), [](const llvm::User* other) { return is_in_list_of_module(*other); });
}

}  // namespace

void mark_kernels(clang::CodeGenerator& generator, llvm::Module& module) {
  for (llvm::Function& function : module)
    if (const auto* decl = declaration_of(generator, function); decl && decl->hasAttr<clang::CUDAGlobalAttr>())
      function.addFnAttr(mark);
}

bool is_kernel(const llvm::Function& function) { return function.hasFnAttribute(mark); }

void lower_child_launches(clang::CodeGenerator& generator, llvm::Module& module,
                          const std::function<void(const std::string&, clang::SourceLocation)>& report) {
  Lower lower(module);
  for (llvm::Function& kernel : module) {
    if (!is_kernel(kernel)) continue;
    const clang::FunctionDecl& decl = *declaration_of(generator, kernel);
    for (llvm::User* user : llvm::make_early_inc_range(kernel.users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call && call->getCalledOperand() == &kernel) {
        if (!kernel.isDeclaration()) lower.call(*call, kernel);
        else report("kernel '" + decl.getNameAsString() + "' is launched, and has no body", decl.getLocation());
      } else if (!is_in_list_of_module(*user)) {
        report("device code cannot take the address of kernel '" + decl.getNameAsString() +
                   "' on a CPU: launch it by its name", decl.getLocation());
      }
    }
  }
  if (llvm::Function* unused = module.getFunction("ks_rt_launch"); unused && unused->use_empty())
    unused->eraseFromParent();
}

}  // namespace kasoku::embedded
