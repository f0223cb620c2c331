/// \file kasoku/compile/clang/inline_asm.h
/// PTX in a text: `asm("bfe.u32 %0, %1, %2, %3;" …)`. The common instructions -
/// special registers, integer and bit arithmetic, approximate mathematics, loads and
/// stores, barriers and fences - become what they mean; any other is an error that
/// names it.
#pragma once

#include <clang/Lex/Token.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace llvm {
class Module;
}

namespace kasoku::embedded {

/// Looks at the tokens on their way to Clang's parser and spells PTX's register classes as this machine's, so that Clang lets
/// the statements pass, also those of included files and of macros. What a message shows stays the user's text.
class AsmForClang {
 public:
  void operator()(const clang::Token& token);

 private:
  void replace(const clang::Token& token, std::string text);

  const std::shared_ptr<std::deque<std::string>> texts_ = std::make_shared<std::deque<std::string>>();
  bool is_inside_ = false, has_colon_ = false;
  int depth_ = 0;
};

/// Replaces every asm statement of the module. `report` gets the instruction that
/// is not known and Clang's encoding of its place.
void lower_inline_asm(llvm::Module& module,
                      const std::function<void(const std::string&, unsigned)>& report);

}  // namespace kasoku::embedded
