#include "kasoku/compile/clang/inline_asm.h"

#include "kasoku/base/words.h"
#include "kasoku/compile/clang/ptx.h"

#include <cctype>
#include <vector>

namespace kasoku::embedded {
namespace {

using namespace llvm;

/// What PTX calls a register class, in x86's letters.
char known_class(char c) {
  switch (c) {
    case 'f': case 'd': return 'x';
    case 'l': case 'h': case 'c': case 'q': return 'r';
    default: return c;
  }
}

unsigned place_of(const CallInst& call) {
  const MDNode* node = call.getMetadata("srcloc");
  if (!node || node->getNumOperands() == 0) return 0;
  const auto* number = mdconst::dyn_extract<ConstantInt>(node->getOperand(0));
  return number ? static_cast<unsigned>(number->getZExtValue()) : 0;
}

}  // namespace

std::string with_known_constraints(std::string_view text) {
  std::string out(text);
  std::vector<size_t> lone;  // "%laneid", which nvcc takes for "%%laneid"
  for (size_t at = text.find("asm"); at != std::string_view::npos; at = text.find("asm", at + 3)) {
    size_t i = at + 3;
    i = word_end(text, i);  // __asm__
    const auto skip = [&] { while (i < text.size() && std::isspace(static_cast<unsigned char>(text[i]))) ++i; };
    skip();
    for (std::string_view word : {"volatile", "__volatile__"})
      if (text.substr(i, word.size()) == word) i += word.size();
    skip();
    if (i >= text.size() || text[i] != '(') continue;
    bool after_colon = false;
    for (int depth = 0; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')' && --depth == 0) break;
      if (text[i] == ':') after_colon = true;
      if (text[i] != '"') continue;
      const size_t begin = ++i;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      if (after_colon && depth == 1 && i - begin <= 2)
        for (size_t k = begin; k < i; ++k) out[k] = known_class(out[k]);
      // Braces mean alternatives to Clang; a blank means the same to us.
      if (after_colon) continue;
      for (size_t k = begin; k < i && k < out.size(); ++k) {
        const bool names_register = out[k] == '%' && k + 1 < i && out[k - 1] != '%' &&
                                    std::isalpha(static_cast<unsigned char>(out[k + 1]));
        if (out[k] == '{' || out[k] == '}') out[k] = ' ';
        if (names_register) lone.push_back(k);
      }
    }
  }
  for (size_t k = lone.size(); k-- > 0;) out.insert(lone[k], "%");
  return out;
}

void lower_inline_asm(Module& module, const std::function<void(const std::string&, unsigned)>& report) {
  SmallVector<CallInst*> calls;
  for (Function& function : module)
    for (BasicBlock& block : function)
      for (Instruction& instruction : block)
        if (auto* call = dyn_cast<CallInst>(&instruction); call && call->isInlineAsm()) calls.push_back(call);
  for (CallInst* call : calls) {
    auto& text = *cast<InlineAsm>(call->getCalledOperand());
    // An empty one only keeps the compiler from moving memory operations.
    if (StringRef(text.getAsmString()).trim().empty() && call->getType()->isVoidTy()) {
      IRBuilder<>(call).CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
      call->eraseFromParent();
      continue;
    }
    try {
      ptx::Lower(*call, text).run();
    } catch (const ptx::Unknown& unknown) {
      report(unknown.text, place_of(*call));
    }
  }
}

}  // namespace kasoku::embedded
