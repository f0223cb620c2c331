/// \file kasoku/compile/clang/diagnostics.h
/// Messages in the user's own lines: "kernel.cu:3:10: error: …", the source line,
/// a caret. The prelude never shows: what goes wrong inside it is told at the
/// user's line that led there. Where the errors are is kept beside the text.
#pragma once

#include "kasoku/compile/host_parts.h"

#include <clang/Basic/Diagnostic.h>

#include <memory>
#include <string>

namespace kasoku::embedded {

std::unique_ptr<clang::DiagnosticConsumer> make_diagnostic_printer(
    std::string& out, clang::DiagnosticOptions& options, Faults& faults);

}  // namespace kasoku::embedded
