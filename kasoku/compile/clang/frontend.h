/// \file kasoku/compile/clang/frontend.h
/// How Clang is set up for the dialect: CUDA device mode on this machine's own
/// target, files in memory, the prelude in front.
#pragma once

#include "kasoku/compile/clang/parse.h"
#include "kasoku/compile/options.h"
#include "kasoku/compile/host_parts.h"

#include <clang/Frontend/CompilerInstance.h>
#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kasoku::embedded {

/// Where files of ours live in the file system in memory.
inline constexpr const char* system_dir = "/.kasoku/include";
inline constexpr const char* headers_dir = "/.kasoku/headers";
inline constexpr const char* pch_path = "/.kasoku/prelude.pch";
inline constexpr const char* own_names_path = "/.kasoku/include/kasoku/own_names.h";
inline constexpr const char* prelude_path = "/.kasoku/include/kasoku/text.h";

struct Frontend {
  std::shared_ptr<std::set<std::string>> absent;  ///< files that were looked for on disk, in vain
  std::shared_ptr<Faults> faults;
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory;
  std::unique_ptr<clang::DiagnosticConsumer> consumer;  ///< outlives the compiler, also when something is thrown
  std::unique_ptr<clang::CompilerInstance> compiler;
};

/// LLVM's targets, and fatal errors as exceptions; once per process.
void initialize_llvm();

/// Ready to execute an action on a buffer. `pch` is empty while one is made.
Frontend make_frontend(const ParseRequest& request, const CompileOptions& options,
                       std::string_view pch, std::string& diagnostics);

/// The precompiled prelude for a language standard: embedded, or made once.
std::string_view pch_for(const std::string& standard);

}  // namespace kasoku::embedded
