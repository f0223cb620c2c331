#include "kasoku/compile/clang/passes/kernel_body.h"

#include "llvm/IR/Function.h"

namespace kasoku::embedded {

using namespace llvm;

void take_body(Function& kernel, Function& copy) {
  for (BasicBlock& block : kernel) block.dropAllReferences();
  while (!kernel.empty()) kernel.front().eraseFromParent();
  kernel.splice(kernel.begin(), &copy);
  for (unsigned i = 0; i < kernel.arg_size(); ++i) copy.getArg(i)->replaceAllUsesWith(kernel.getArg(i));
  copy.eraseFromParent();
}

}  // namespace kasoku::embedded
