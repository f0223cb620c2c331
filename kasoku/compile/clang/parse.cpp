#include "kasoku/compile/clang/parse.h"

#include "kasoku/compile/clang/child_launches.h"
#include "kasoku/compile/clang/frontend.h"
#include "kasoku/compile/clang/info.h"
#include "kasoku/compile/clang/inline_asm.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace kasoku::embedded {
namespace {

constexpr const char* expression_prefix = "ks_name_expression_";

/// Name expressions become host functions behind the user's text: a host may name
/// any kernel or variable, which instantiates it, and leaves no code.
std::string with_name_expressions(const ParseRequest& request) {
  std::string text(request.text);
  for (size_t i = 0; i < request.name_expressions.size(); ++i) {
    const std::string number = std::to_string(i);
    text += "\n#line 1 \"name_expression\"\nextern \"C++\" inline __host__ void " + std::string(expression_prefix) +
            number + "() { (void)(" + request.name_expressions[i] + "); }";
  }
  return text;
}

/// The function or variable that the body of a ks_name_expression_N names. Like the next walk without
/// clang::RecursiveASTVisitor, whose two thousand functions take a compiler six seconds for each use.
clang::ValueDecl* find_named(clang::Stmt* statement) {
  if (!statement) return nullptr;
  if (auto* expression = llvm::dyn_cast<clang::DeclRefExpr>(statement)) return expression->getDecl();
  for (clang::Stmt* child : statement->children())
    if (clang::ValueDecl* found = find_named(child)) return found;
  return nullptr;
}

class CollectExpressions : public clang::ASTConsumer {
 public:
  CollectExpressions(const ParseRequest& request, std::vector<clang::ValueDecl*>& named)
      : named_(named) {
    named_.assign(request.name_expressions.size(), nullptr);
  }

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    if (named_.empty()) return true;
    for (clang::Decl* decl : group) collect(decl);
    return true;
  }

 private:
  void collect(clang::Decl* decl) {
    if (auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(decl))
      for (clang::Decl* inner : linkage->decls()) collect(inner);
    auto* function = llvm::dyn_cast<clang::FunctionDecl>(decl);
    if (!function || !function->getIdentifier() || !function->hasBody()) return;
    llvm::StringRef name = function->getName();
    size_t index = 0;
    if (!name.consume_front(expression_prefix) || name.getAsInteger(10, index)) return;
    if (index >= named_.size()) return;
    named_[index] = find_named(function->getBody());
  }

  std::vector<clang::ValueDecl*>& named_;
};

/// Shows each declaration of a text where it is complete: of its namespaces, classes and functions too. Variables of a function
/// stand in it as functions of a class stand in that.
class EachDeclaration : public clang::ASTConsumer {
 public:
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* decl : group) visit(decl);
    return true;
  }

 private:
  virtual void look_at(clang::Decl* decl) = 0;

  void visit(clang::Decl* decl) {
    if (auto* of_a_class = llvm::dyn_cast<clang::FriendDecl>(decl)) decl = of_a_class->getFriendDecl();
    if (auto* of_any_types = llvm::dyn_cast_or_null<clang::TemplateDecl>(decl)) decl = of_any_types->getTemplatedDecl();
    if (!decl) return;
    look_at(decl);
    if (auto* outer = llvm::dyn_cast<clang::DeclContext>(decl))
      for (clang::Decl* inner : outer->decls()) visit(inner);
  }
};

/// `extern __shared__ float s[];` stands in functions of C++ and in kernels of extern "C", and is one memory. To C++
/// these are variables of two languages, which is an error where the second is C's; that they are all C's is none.
class ExternSharedOfC : public EachDeclaration {
  void look_at(clang::Decl* decl) override {
    auto* variable = llvm::dyn_cast<clang::VarDecl>(decl);
    if (!variable || !variable->hasExternalStorage() || !variable->hasAttr<clang::CUDASharedAttr>() ||
        variable->isInExternCContext())
      return;
    clang::ASTContext& context = variable->getASTContext();
    const clang::SourceLocation place = variable->getLocation();
    variable->setLexicalDeclContext(clang::LinkageSpecDecl::Create(context, context.getTranslationUnitDecl(), place,
                                                                   place, clang::LinkageSpecLanguageIDs::C, true));
  }
};

/// Deduction guides have no text that would run: to nvcc they are nobody's, to Clang functions of the host, which a kernel may not use.
class GuidesForAll : public EachDeclaration {
  void look_at(clang::Decl* decl) override {
    auto* guide = llvm::dyn_cast<clang::CXXDeductionGuideDecl>(decl);
    if (!guide || guide->hasAttr<clang::CUDADeviceAttr>()) return;
    guide->addAttr(clang::CUDAHostAttr::CreateImplicit(guide->getASTContext()));
    guide->addAttr(clang::CUDADeviceAttr::CreateImplicit(guide->getASTContext()));
  }
};

/// Kernel text may be a whole program. What its host functions do is nobody's business here:
/// they call a runtime and libraries that are not there, so their bodies are not read.
class SkipHostBodies : public clang::ASTConsumer {
 public:
  bool shouldSkipFunctionBody(clang::Decl* decl) override {
    if (decl->hasAttr<clang::CUDAGlobalAttr>() || decl->hasAttr<clang::CUDADeviceAttr>()) return false;
    const clang::FunctionDecl* function = decl->getAsFunction();
    if (!function) return false;
    if (function->hasAttr<clang::CUDAGlobalAttr>() || function->hasAttr<clang::CUDADeviceAttr>()) return false;
    const clang::IdentifierInfo* name = function->getIdentifier();
    return !name || !name->getName().starts_with(expression_prefix);
  }
};

/// `__shared__ alignas(16) float x[4];` is what nvcc takes. Clang has __shared__ for an attribute,
/// behind which it wants no alignas; C's word for the same may stand anywhere.
class AlignasBehindAttributes {
 public:
  void operator()(const clang::Token& token) {
    // The preprocessor shows the token that it is about to hand out, which is not a constant.
    if (token.is(clang::tok::kw_alignas) && behind_) const_cast<clang::Token&>(token).setKind(clang::tok::kw__Alignas);
    if (token.is(clang::tok::kw___attribute)) depth_ = 0, inside_ = true;
    if (inside_) depth_ += token.is(clang::tok::l_paren) ? 1 : token.is(clang::tok::r_paren) ? -1 : 0;
    behind_ = inside_ && depth_ == 0 && token.is(clang::tok::r_paren);
    if (behind_) inside_ = false;
  }

 private:
  int depth_ = 0;
  bool inside_ = false, behind_ = false;
};

/// Text for another compiler includes what that one knows.
class SkipUnknownFiles : public clang::PPCallbacks {
 public:
  bool FileNotFound(llvm::StringRef) override { return true; }
};

/// The precompiled prelude brings its own floating-point mode along, so the option alone
/// leaves the permission to contract on instructions.
void forbid_contraction(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : block)
        if (llvm::isa<llvm::FPMathOperator>(instruction)) instruction.setHasAllowContract(false);
}

/// A shift by as many bits as there are, or more, gives 0 or the sign on a GPU; programs
/// make masks that way ((1 << warps) - 1). LLVM calls it poison, and x86 shifts by less.
void define_wide_shifts(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
        if (!instruction.isShift() || llvm::isa<llvm::Constant>(instruction.getOperand(1))) continue;
        llvm::Type* type = instruction.getType();
        if (!type->isIntegerTy()) continue;
        const unsigned bits = type->getIntegerBitWidth();
        llvm::IRBuilder<> build(&instruction);
        llvm::Value* amount = instruction.getOperand(1);
        llvm::Value* fits = build.CreateICmpULT(amount, llvm::ConstantInt::get(type, bits));
        if (instruction.getOpcode() == llvm::Instruction::AShr) {
          instruction.setOperand(1, build.CreateSelect(fits, amount, llvm::ConstantInt::get(type, bits - 1)));
          continue;
        }
        build.SetInsertPoint(instruction.getNextNode());
        auto* chosen = llvm::cast<llvm::Instruction>(build.Insert(llvm::SelectInst::Create(
            fits, &instruction, llvm::Constant::getNullValue(type))));
        instruction.replaceUsesWithIf(chosen, [&](llvm::Use& use) { return use.getUser() != chosen; });
      }
}

/// A number that the integer type does not hold becomes the nearest one that it does: a GPU's conversion, of which C says
/// nothing. NaN becomes 0, or the highest bit alone where one of both types has 64 bits. What has fewer than 32 bits is a part
/// of an integer that has them. Written out, because LLVM makes no vectors of its own saturating conversions.
llvm::Value* nearest_integer(llvm::IRBuilder<>& build, llvm::Value* number, llvm::Type* type, bool is_signed) {
  llvm::Type* const from = number->getType();
  const unsigned bits = type->getIntegerBitWidth();
  const llvm::APInt least = is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits);
  const llvm::APInt most = is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  const auto as_float = [&](const llvm::APInt& value, llvm::APFloat::roundingMode mode) {
    llvm::APFloat made(from->getFltSemantics());
    const bool is_exact = made.convertFromAPInt(value, is_signed, mode) == llvm::APFloat::opOK;
    return std::make_pair(llvm::ConstantFP::get(from, made), is_exact);
  };
  llvm::Value* const low = as_float(least, llvm::APFloat::rmTowardZero).first;
  const auto [high, is_exact] = as_float(most, llvm::APFloat::rmTowardZero);
  llvm::Value* inside = build.CreateSelect(build.CreateFCmpOGT(number, low), number, low);  // NaN is the least here
  inside = build.CreateSelect(build.CreateFCmpOLT(inside, high), inside, high);
  llvm::Value* made = is_signed ? build.CreateFPToSI(inside, type) : build.CreateFPToUI(inside, type);
  if (!is_exact)
    made = build.CreateSelect(build.CreateFCmpOGT(number, high), llvm::ConstantInt::get(type, most), made);
  const bool is_wide = bits == 64 || from->isDoubleTy();
  const llvm::APInt of_nan = is_wide ? llvm::APInt::getSignMask(bits) : llvm::APInt::getZero(bits);
  if (of_nan != least) made = build.CreateSelect(build.CreateFCmpUNO(number, number), llvm::ConstantInt::get(type, of_nan), made);
  return made;
}

void define_conversions(llvm::Module& module) {
  std::vector<llvm::Instruction*> all;
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : block)
        if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(instruction) && instruction.getType()->isIntegerTy()) all.push_back(&instruction);
  for (llvm::Instruction* instruction : all) {
    llvm::IRBuilder<> build(instruction);
    llvm::Value* number = instruction->getOperand(0);
    if (!number->getType()->isDoubleTy()) number = build.CreateFPExt(number, build.getFloatTy());
    llvm::Type* const type = instruction->getType();
    llvm::Type* const whole = type->getIntegerBitWidth() < 32 ? build.getInt32Ty() : type;
    llvm::Value* const made = nearest_integer(build, number, whole, llvm::isa<llvm::FPToSIInst>(instruction));
    instruction->replaceAllUsesWith(build.CreateTrunc(made, type));
    instruction->eraseFromParent();
  }
}

class ParseAction : public clang::ASTFrontendAction {
 public:
  ParseAction(const ParseRequest& request, llvm::LLVMContext& context,
              const std::set<std::string>& absent, ParseResult& result)
      : request_(request), context_(context), absent_(absent), result_(result) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    generator_ = clang::CreateLLVMCodeGen(
        compiler.getDiagnostics(), "kernel", &compiler.getVirtualFileSystem(),
        compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(), compiler.getCodeGenOpts(),
        context_);
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    if (request_.text.find("extern") != std::string_view::npos)
      consumers.push_back(std::make_unique<ExternSharedOfC>());
    if (request_.text.find("->") != std::string_view::npos) consumers.push_back(std::make_unique<GuidesForAll>());
    consumers.push_back(std::make_unique<CollectExpressions>(request_, named_));
    consumers.emplace_back(generator_);
    consumers.push_back(std::make_unique<SkipHostBodies>());
    consumers.push_back(std::make_unique<Last>(*this));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    compiler.getPreprocessor().setTokenWatcher([alignas_words = AlignasBehindAttributes(), asm_texts = AsmForClang()](
                                                   const clang::Token& token) mutable {
      alignas_words(token);
      asm_texts(token);
    });
    if (request_.for_cuda)
      compiler.getPreprocessor().addPPCallbacks(std::make_unique<SkipUnknownFiles>());
    return true;
  }

 private:
  /// Runs when the module is complete and messages can still be given.
  class Last : public clang::ASTConsumer {
   public:
    explicit Last(ParseAction& action) : action_(action) {}
    void HandleTranslationUnit(clang::ASTContext&) override { action_.finish(); }

   private:
    ParseAction& action_;
  };

  void finish() {
    clang::CompilerInstance& compiler = getCompilerInstance();
    if (compiler.getDiagnostics().hasErrorOccurred()) return;
    std::unique_ptr<llvm::Module> module(generator_->ReleaseModule());
    if (!module) return;
    lower_inline_asm(*module, [&](const std::string& instruction, unsigned place) {
      auto& diagnostics = compiler.getDiagnostics();
      const unsigned id = diagnostics.getCustomDiagID(
          clang::DiagnosticsEngine::Error, "the PTX instruction '%0' cannot be used on a CPU");
      diagnostics.Report(clang::SourceLocation::getFromRawEncoding(place), id) << instruction;
    });
    if (compiler.getDiagnostics().hasErrorOccurred()) return;
    if (request_.is_generated) forbid_contraction(*module);
    else
      define_wide_shifts(*module), define_conversions(*module);
    finish_module(*module);
    std::vector<NamedSymbol> symbols;
    for (size_t i = 0; i < named_.size(); ++i)
      if (named_[i]) symbols.push_back({request_.name_expressions[i], symbol_of(named_[i])});
    result_.info = describe_module(compiler, *generator_, *module, symbols, absent_);
    lower_child_launches(*generator_, *module, [&](const std::string& sentence, clang::SourceLocation place) {
      auto& diagnostics = compiler.getDiagnostics();
      diagnostics.Report(place, diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")) << sentence;
    });
    if (compiler.getDiagnostics().hasErrorOccurred()) return;
    llvm::raw_string_ostream stream(result_.bitcode);
    llvm::WriteBitcodeToFile(*module, stream);
    result_.ok = true;
  }

  std::string symbol_of(clang::ValueDecl* decl) {
    if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(decl))
      return generator_->GetMangledName(clang::GlobalDecl(function)).str();
    return generator_->GetMangledName(clang::GlobalDecl(llvm::cast<clang::VarDecl>(decl))).str();
  }

  const ParseRequest& request_;
  llvm::LLVMContext& context_;
  const std::set<std::string>& absent_;
  ParseResult& result_;
  clang::CodeGenerator* generator_ = nullptr;
  std::vector<clang::ValueDecl*> named_;
};

ParseResult parse_once(const ParseRequest& request, const CompileOptions& options, Faults& faults) {
  ParseResult result;
  auto context = std::make_unique<llvm::LLVMContext>();
  Frontend frontend =
      make_frontend(request, options, pch_for(options.standard), result.diagnostics);
  frontend.compiler->getFrontendOpts().SkipFunctionBodies = true;
  auto action = std::make_unique<ParseAction>(request, *context, *frontend.absent, result);
  try {
    frontend.compiler->ExecuteAction(*action);
  } catch (...) {
    // A compile that was left midway cannot be taken down: its pieces stay.
    static_cast<void>(action.release()), static_cast<void>(frontend.compiler.release());
    static_cast<void>(frontend.consumer.release()), static_cast<void>(context.release());
    throw;
  }
  frontend.compiler.reset();
  frontend.consumer->finish();
  frontend.consumer.reset();
  faults = std::move(*frontend.faults);
  return result;
}

/// "a.cuh:3, 17": where there was something to leave out.
void note_lines(std::string_view path, const Faults::File& file, std::string& out) {
  if (!out.empty()) out += "; ";
  out += path;
  size_t last = 0;
  for (const size_t offset : file.offsets) {
    const size_t line = 1 + std::count(file.text.begin(), file.text.begin() + offset, '\n');
    if (line != last) out += (last ? ", " : ":") + std::to_string(line);
    last = line;
  }
}

/// Leaves out of the text and of what it includes the host's declarations that have faults; false
/// if a fault is somewhere else. `text` holds what request.text shows.
bool leave_out(const Faults& faults, ParseRequest& request, std::string& text, std::string& left_out) {
  if (faults.is_elsewhere || faults.files.empty()) return false;
  std::map<std::string, std::string> rests;
  for (const auto& [path, file] : faults.files) {
    std::optional<std::string> rest = without_host_parts(file.text, file.offsets);
    if (!rest) return false;
    rests[path] = std::move(*rest);
  }
  for (auto& [path, rest] : rests) {
    note_lines(path.empty() ? request.file : path, faults.files.at(path), left_out);
    (path.empty() ? text : request.instead[path]) = std::move(rest);
  }
  request.text = text;
  return true;
}

}  // namespace

ParseResult parse_text(const ParseRequest& original) {
  initialize_llvm();
  const CompileOptions options = read_options(original.options);
  ParseRequest request = original;
  std::string text = with_name_expressions(original);
  request.text = text;
  Faults faults;
  ParseResult result = parse_once(request, options, faults);
  // A header that is missing ends a parse, so each takes one.
  constexpr int most_parses = 40;
  const bool has_kernels = original.text.find("__global__") != std::string_view::npos;
  if (result.ok || original.is_generated || !has_kernels) return result;
  // Told is what comes of the text as it is: a header that is missing, and what else there is then.
  std::string left_out, told;
  bool is_told = false;
  for (int i = 0; i < most_parses && leave_out(faults, request, text, left_out); ++i) {
    if (!is_told) told += result.diagnostics;
    is_told |= result.diagnostics.find("file not found") == std::string::npos;
    result = parse_once(request, options, faults);
    if (!result.ok) continue;
    result.diagnostics += std::string(original.file) +
                          ": warning: compiled without lines of the host that cannot be read here: " + left_out + '\n';
    return result;
  }
  result.diagnostics = is_told ? told : told + result.diagnostics;
  return result;
}

}  // namespace kasoku::embedded
