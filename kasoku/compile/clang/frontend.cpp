#include "kasoku/compile/clang/frontend.h"

#include "kasoku/compile/clang/diagnostics.h"
#include "kasoku/compile/clang/own_files.h"
#include "kasoku/compile/clang/own_names.h"
#include "kasoku/compile/clang/prelude_files.h"

#include <clang/Basic/TargetInfo.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/Sema.h>
#include <clang/Serialization/ASTWriter.h>
#include <clang/Serialization/InMemoryModuleCache.h>
#include <clang/Serialization/PCHContainerOperations.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>

// clangCodeGen asks for Polly's passes; there are none, but the callback may not be null.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "0", [](llvm::PassBuilder&) {}};
}

namespace kasoku::embedded {
namespace {

// The prelude is written for C++14 and later; C++11 programs are C++14 programs.
std::string language_of(const std::string& standard) {
  return standard == "c++11" ? "c++14" : standard;
}

std::vector<std::string> clang_arguments(const ParseRequest& request, const CompileOptions& options,
                                         bool has_pch, bool has_own_names) {
  std::vector<std::string> args = {
      "-triple", "x86_64-unknown-linux-gnu", "-target-cpu", "x86-64-v3",
      "-x", "cuda", "-fcuda-is-device", "-fcuda-allow-variadic-functions",
      "-std=" + language_of(options.standard), "-fdeclspec", "-fgnuc-version=4.2.1",
      "-nostdsysteminc", "-nobuiltininc", "-O2", "-disable-llvm-passes",
      "-mrelocation-model", "pic", "-pic-level", "2",
      // `int r; if (leader) r = atomicAdd(…); r = __shfl_sync(m, r, 0);` hands on what most
      // lanes never set: to nvcc that is any value, not the end of all reasoning.
      "-no-enable-noundef-analysis",
      // Ends of lifetimes would make each early return a jump through flags. Stack slots are few.
      "-disable-lifetime-markers",
      "-fno-threadsafe-statics", "-fpch-instantiate-templates", "-ferror-limit", "20", "-fmessage-length=0",
      "-fcoverage-compilation-dir=/", "-fdebug-compilation-dir=/",
      "-Wno-unknown-pragmas", "-Wno-pragma-once-outside-header", "-Wno-unused-value",
      // `while (!*flag);` waits, and nvcc says nothing of it.
      "-Wno-empty-body",
      // `int at[] = {i, j}` of 64-bit numbers is what nvcc takes.
      "-Wno-c++11-narrowing", "-Wno-invalid-constexpr", "-Wno-c++20-extensions", "-Wno-c++17-extensions",
      "-emit-llvm", "-o", "-"};
  const bool contract = options.contract && !request.is_generated;
  args.push_back(contract ? "-ffp-contract=fast" : "-ffp-contract=off");
  if (request.with_lines) args.push_back("-debug-info-kind=line-tables-only");
  if (options.no_warnings || request.is_generated) args.push_back("-w");  // nobody wrote that text
  // A null pointer is an address like another, which the processor refuses. Else what follows its use would be taken for
  // what cannot happen: a store is left out, or the other of two pointers is written through.
  if (!request.is_generated) args.push_back("-fno-delete-null-pointer-checks");
  if (options.warnings_are_errors) args.push_back("-Werror");
  if (has_pch) {
    args.insert(args.end(), {"-include-pch", pch_path});
    const int architecture = options.architecture ? options.architecture : 75;
    args.push_back("-D__CUDA_ARCH__=" + std::to_string(architecture * 10));
    if (options.fast_math) args.push_back("-D__USE_FAST_MATH__=1");
    for (const std::string& macro : options.macros) args.push_back(macro);
    args.insert(args.end(), {"-I", headers_dir});
    for (const std::string& dir : options.include_dirs) {
      // What a CUDA toolkit's headers declare is known already: its directory serves for those that are not ours.
      const bool is_toolkit = std::filesystem::exists(std::filesystem::path(dir) / "cuda_runtime_api.h");
      args.insert(args.end(), {is_toolkit ? "-idirafter" : "-I", dir});
    }
    if (options.default_device)
      args.insert(args.end(), {"-include", std::string(system_dir) + "/kasoku/default_device.h"});
    if (has_own_names) args.insert(args.end(), {"-include", own_names_path});
    for (const std::string& file : options.include_files)
      args.insert(args.end(), {"-include", file});
  }
  args.insert(args.end(), {"-isystem", system_dir});
  return args;
}

using CheckedLater = llvm::SmallSetVector<clang::Decl*, 4> clang::Sema::*;
CheckedLater checked_later();
// Clang keeps the member private; an explicit instantiation may name it all the same.
template <CheckedLater member>
struct NameMember {
  friend CheckedLater checked_later() { return member; }
};
template struct NameMember<&clang::Sema::DeclsToCheckForDeferredDiags>;

/// Without the list of functions to check once more: every parse would read all
/// of them, twenty times what a small kernel costs.
class Generator : public clang::PCHGenerator {
 public:
  using clang::PCHGenerator::PCHGenerator;
  void InitializeSema(clang::Sema& sema) override {
    sema_ = &sema;
    clang::PCHGenerator::InitializeSema(sema);
  }
  void HandleTranslationUnit(clang::ASTContext& context) override {
    (sema_->*checked_later()).clear();
    clang::PCHGenerator::HandleTranslationUnit(context);
  }

 private:
  clang::Sema* sema_ = nullptr;
};

class KeepBuffer : public clang::ASTFrontendAction {
 public:
  explicit KeepBuffer(std::string& out) : out_(out) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    buffer_ = std::make_shared<clang::PCHBuffer>();
    return std::make_unique<Generator>(
        compiler.getPreprocessor(), compiler.getModuleCache(), /*OutputFile=*/"", /*isysroot=*/"",
        buffer_, compiler.getFrontendOpts().ModuleFileExtensions,
        /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false);
  }
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

  void EndSourceFileAction() override {
    if (buffer_ && buffer_->IsComplete) out_.assign(buffer_->Data.data(), buffer_->Data.size());
  }

 private:
  std::string& out_;
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

/// The disk, and what was not found there.
class NoteAbsent : public llvm::vfs::ProxyFileSystem {
 public:
  NoteAbsent(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk,
             std::shared_ptr<std::set<std::string>> absent)
      : ProxyFileSystem(std::move(disk)), absent_(std::move(absent)) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    auto found = ProxyFileSystem::status(path);
    if (!found) note(path);
    return found;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override {
    auto found = ProxyFileSystem::openFileForRead(path);
    if (!found) note(path);
    return found;
  }

 private:
  void note(const llvm::Twine& path) {
    std::string name = path.str();
    if (!llvm::StringRef(name).starts_with("/.kasoku/")) absent_->insert(std::move(name));
  }

  const std::shared_ptr<std::set<std::string>> absent_;
};

std::string make_pch_for(const std::string& standard) {
  initialize_llvm();
  ParseRequest request;
  request.text = "#include <kasoku/prelude.h>\n";
  request.file = prelude_path;
  CompileOptions options;
  options.standard = standard;
  std::string diagnostics, out;
  Frontend frontend = make_frontend(request, options, {}, diagnostics);
  KeepBuffer action(out);
  const bool ok = frontend.compiler->ExecuteAction(action);
  frontend.compiler.reset();
  frontend.consumer->finish();
  if (!ok || out.empty())
    throw std::runtime_error("the prelude does not compile as " + standard + ":\n" + diagnostics);
  return out;
}

}  // namespace

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    const auto set = [options = &llvm::cl::getRegisteredOptions()](const char* name, const char* value) {
      if (const auto found = options->find(name); found != options->end())
        found->second->addOccurrence(0, found->first(), value);
    };
    // Interleaved accesses take an index like (3 * t) & 31 for one that never wraps, and lose
    // the test for it: loads from beyond the array, silently. Gathers are right, and passes/whole_rows.h
    // finds those of neighbouring records.
    set("enable-interleaved-mem-accesses", "false");
    // A loop with at most so many passes stays a loop: as a row of exits it is no vector.
    set("unroll-max-upperbound", "0");
    // A loop that a failed check leaves is unrolled as one without checks.
    set("unroll-runtime-multi-exit", "true");
    // LLVM would abort the process; its frames have unwind tables.
    llvm::install_fatal_error_handler(
        [](void*, const char* reason, bool) { throw std::runtime_error(reason); });
    llvm::install_bad_alloc_error_handler(
        [](void*, const char*, bool) { throw std::bad_alloc(); });
  });
}

Frontend make_frontend(const ParseRequest& request, const CompileOptions& options,
                       std::string_view pch, std::string& diagnostics) {
  Frontend result;
  result.memory = new llvm::vfs::InMemoryFileSystem;
  for (const auto& [path, content] : request.instead)
    result.memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(content, path));
  for (const auto& [name, content] : request.headers)  // those above stay
    result.memory->addFile(std::string(headers_dir) + "/" + std::string(name), 0,
                           llvm::MemoryBuffer::getMemBufferCopy(
                               llvm::StringRef(content.data(), content.size()), std::string(name)));
  const std::string own = pch.empty() ? std::string() : own_names(request.text);
  if (!own.empty())
    result.memory->addFile(own_names_path, 0, llvm::MemoryBuffer::getMemBufferCopy(own));

  std::vector<std::string> args = clang_arguments(request, options, !pch.empty(), !own.empty());
  std::vector<const char*> pointers;
  for (const std::string& arg : args) pointers.push_back(arg.c_str());

  auto invocation = std::make_shared<clang::CompilerInvocation>();
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> option_style(new clang::DiagnosticOptions);
  std::string option_errors;
  llvm::raw_string_ostream option_stream(option_errors);
  clang::DiagnosticsEngine option_diagnostics(
      new clang::DiagnosticIDs, option_style,
      new clang::TextDiagnosticPrinter(option_stream, option_style.get()));
  const bool ok = clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, option_diagnostics);
  if (!ok) throw std::runtime_error("Clang refuses its arguments: " + option_errors);

  auto& frontend = invocation->getFrontendOpts();
  frontend.Inputs.clear();
  frontend.DisableFree = false;
  frontend.Inputs.emplace_back(
      llvm::MemoryBufferRef(llvm::StringRef(request.text.data(), request.text.size()),
                            llvm::StringRef(request.file.data(), request.file.size())),
      clang::InputKind(clang::Language::CUDA));
  auto& style = invocation->getDiagnosticOpts();
  style.ShowLineNumbers = false;
  style.ShowColors = false;
  style.ShowCarets = true;
  style.ShowOptionNames = false;
  style.SnippetLineLimit = 1;

  result.compiler = std::make_unique<clang::CompilerInstance>();
  clang::CompilerInstance& compiler = *result.compiler;
  compiler.setInvocation(invocation);
  compiler.setVerboseOutputStream(llvm::nulls());
  result.faults = std::make_shared<Faults>();
  result.consumer = make_diagnostic_printer(diagnostics, style, *result.faults);
  compiler.createDiagnostics(result.consumer.get(), /*ShouldOwnClient=*/false);
  result.absent = std::make_shared<std::set<std::string>>();
  auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::makeIntrusiveRefCnt<NoteAbsent>(llvm::vfs::getRealFileSystem(), result.absent));
  overlay->pushOverlay(own_files(request.for_cuda, pch));
  overlay->pushOverlay(result.memory);
  compiler.createFileManager(overlay);
  return result;
}

std::string_view pch_for(const std::string& named) {
  const std::string standard = language_of(named);
  if (standard == "c++17" && embedded_pch) return embedded_pch();
  static std::mutex mutex;
  static auto* made = new std::map<std::string, std::string>;  // never destroyed: threads may run at exit
  std::lock_guard lock(mutex);
  std::string& pch = (*made)[standard];
  if (pch.empty()) pch = make_pch_for(standard);
  return pch;
}

std::string make_pch() { return make_pch_for("c++17"); }

}  // namespace kasoku::embedded
