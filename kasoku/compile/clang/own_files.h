/// \file kasoku/compile/clang/own_files.h
/// The files that a parse finds in memory, whatever its text.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

#include <string_view>

namespace kasoku::embedded {

/// The prelude, the headers of ours and the precompiled prelude `pch`, which stays where it is
/// until the process ends; empty while one is made.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> own_files(bool for_cuda, std::string_view pch);

}  // namespace kasoku::embedded
