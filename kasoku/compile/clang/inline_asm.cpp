#include "kasoku/compile/clang/inline_asm.h"

#include "kasoku/compile/clang/ptx.h"

#include <llvm/ADT/StringExtras.h>

namespace kasoku::embedded {
namespace {

using namespace llvm;

StringRef text_of(const clang::Token& token) { return {token.getLiteralData(), token.getLength()}; }

/// "=f" in x86's letters.
std::string with_known_classes(StringRef text) {
  std::string out = text.str();
  if (out == "\"cc\"") return out;  // what a statement changes besides: flags, which there are none of
  for (char& c : out) c = StringRef("fd").contains(c) ? 'x' : StringRef("lhcq").contains(c) ? 'r' : c;
  return out;
}

/// `%laneid`, which nvcc takes for `%%laneid`.
std::string with_doubled_signs(StringRef text) {
  std::string out;
  for (size_t k = 0; k < text.size(); ++k) {
    out += text[k];
    if (text[k] == '%' && k && text[k - 1] != '%' && k + 1 < text.size() && isAlpha(text[k + 1])) out += '%';
  }
  return out;
}

unsigned place_of(const CallInst& call) {
  const MDNode* node = call.getMetadata("srcloc");
  if (!node || node->getNumOperands() == 0) return 0;
  const auto* number = mdconst::dyn_extract<ConstantInt>(node->getOperand(0));
  return number ? static_cast<unsigned>(number->getZExtValue()) : 0;
}

}  // namespace

void AsmForClang::operator()(const clang::Token& token) {
  using namespace clang::tok;
  if (token.is(kw_asm)) {
    is_inside_ = true, has_colon_ = false, depth_ = 0;
  } else if (is_inside_) {
    if (token.is(l_paren)) ++depth_;
    else if (token.is(r_paren) && --depth_ <= 0) is_inside_ = false;
    else if (depth_ == 0 && token.is(semi)) is_inside_ = false;
    else if (depth_ == 1 && token.isOneOf(colon, coloncolon)) has_colon_ = true;
    else if (token.is(string_literal) && !has_colon_) replace(token, with_doubled_signs(text_of(token)));
    else if (token.is(string_literal) && depth_ == 1) replace(token, with_known_classes(text_of(token)));
  }
}

void AsmForClang::replace(const clang::Token& token, std::string text) {
  if (text == text_of(token)) return;
  texts_->push_back(std::move(text));
  // The preprocessor shows the token that it is about to hand out, which is not a constant.
  auto& changed = const_cast<clang::Token&>(token);
  changed.setLength(texts_->back().size());
  changed.setLiteralData(texts_->back().data());
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
