#include "kasoku/compile/clang/diagnostics.h"

#include "kasoku/compile/clang/frontend.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

namespace kasoku::embedded {
namespace {

bool is_ours(const clang::SourceManager& sources, clang::SourceLocation location) {
  const clang::PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location));
  return place.isValid() && llvm::StringRef(place.getFilename()).starts_with("/.kasoku/include");
}

class Printer : public clang::DiagnosticConsumer {
 public:
  Printer(std::string& out, clang::DiagnosticOptions& options, Faults& faults)
      : stream_(out), text_(stream_, &options), faults_(faults) {}

  void BeginSourceFile(const clang::LangOptions& language, const clang::Preprocessor* pp) override {
    text_.BeginSourceFile(language, pp);
  }
  void EndSourceFile() override { text_.EndSourceFile(); }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    const bool has_place = diagnostic.hasSourceManager() && diagnostic.getLocation().isValid();
    const bool ours = has_place && is_ours(diagnostic.getSourceManager(), diagnostic.getLocation());
    if (level == clang::DiagnosticsEngine::Note) {
      if (!last_shown_ && !pending_) return;
      if (ours) return;
      if (pending_) return show_pending_at(diagnostic);
      return text_.HandleDiagnostic(level, diagnostic);
    }
    flush();
    last_shown_ = true;
    if (level >= clang::DiagnosticsEngine::Error) keep_place(level, diagnostic, has_place && !ours);
    if (!ours) return text_.HandleDiagnostic(level, diagnostic);
    last_shown_ = false;
    if (level < clang::DiagnosticsEngine::Error) return;
    llvm::SmallString<256> message;
    diagnostic.FormatDiagnostic(message);
    pending_text_ = std::string(message);
    pending_ = true;
  }

  void finish() override { flush(); }
  ~Printer() override { flush(); }

 private:
  void keep_place(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic, bool has_place) {
    if (!has_place) {
      // Too many errors is none in itself.
      faults_.is_elsewhere |= level != clang::DiagnosticsEngine::Fatal || diagnostic.getLocation().isValid();
      return;
    }
    const clang::SourceManager& sources = diagnostic.getSourceManager();
    const auto [file, offset] = sources.getDecomposedExpansionLoc(diagnostic.getLocation());
    std::string path;
    if (file != sources.getMainFileID()) {
      const auto entry = sources.getFileEntryRefForID(file);
      if (!entry) faults_.is_elsewhere = true;
      if (!entry) return;
      path = entry->getName().str();
    }
    Faults::File& faulty = faults_.files[path];
    if (faulty.text.empty()) faulty.text = sources.getBufferData(file).str();
    faulty.offsets.insert(offset);
  }

  /// An error inside the prelude, told at the first of the user's lines that its
  /// notes name.
  void show_pending_at(const clang::Diagnostic& note) {
    pending_ = false;
    last_shown_ = true;
    const clang::SourceManager& sources = note.getSourceManager();
    const clang::PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(note.getLocation()));
    stream_ << place.getFilename() << ':' << place.getLine() << ':' << place.getColumn()
            << ": error: " << pending_text_ << '\n';
    text_.HandleDiagnostic(clang::DiagnosticsEngine::Note, note);
  }

  void flush() {
    if (pending_) stream_ << "error: " << pending_text_ << '\n';
    pending_ = false;
    stream_.flush();
  }

  llvm::raw_string_ostream stream_;
  clang::TextDiagnosticPrinter text_;
  Faults& faults_;
  bool last_shown_ = false;
  bool pending_ = false;
  std::string pending_text_;
};

}  // namespace

std::unique_ptr<clang::DiagnosticConsumer> make_diagnostic_printer(
    std::string& out, clang::DiagnosticOptions& options, Faults& faults) {
  return std::make_unique<Printer>(out, options, faults);
}

}  // namespace kasoku::embedded
