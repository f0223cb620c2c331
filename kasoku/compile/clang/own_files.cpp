#include "kasoku/compile/clang/own_files.h"

#include "kasoku/compile/clang/frontend.h"
#include "kasoku/compile/clang/includes.h"
#include "kasoku/compile/clang/prelude_files.h"

#include <llvm/Support/MemoryBuffer.h>

#include <map>
#include <mutex>

namespace kasoku::embedded {
namespace {

/// Looked into by several threads at once, and so never changed: all paths in it are absolute.
class Shared : public llvm::vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;
  std::error_code setCurrentWorkingDirectory(const llvm::Twine&) override { return {}; }
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> make(bool for_cuda, std::string_view pch) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory(new llvm::vfs::InMemoryFileSystem);
  const auto add = [&](const std::string& path, std::string_view text) {
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(
                                 llvm::StringRef(text.data(), text.size()), path,
                                 /*RequiresNullTerminator=*/false));
  };
  for (const PreludeFile& file : prelude_files())
    add(std::string(system_dir) + "/kasoku/" + file.name, file.text);
  for (const Include& include : includes())
    if (!(for_cuda && include.text.starts_with("#error")))
      add(std::string(system_dir) + "/" + include.name, include.text);
  if (!pch.empty()) add(pch_path, pch);
  return llvm::makeIntrusiveRefCnt<Shared>(std::move(memory));
}

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> own_files(bool for_cuda, std::string_view pch) {
  using Key = std::pair<bool, const char*>;
  static std::mutex mutex;
  static auto* made = new std::map<Key, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>>;
  std::lock_guard lock(mutex);
  auto& files = (*made)[{for_cuda, pch.data()}];
  if (!files) files = make(for_cuda, pch);
  return files;
}

}  // namespace kasoku::embedded
