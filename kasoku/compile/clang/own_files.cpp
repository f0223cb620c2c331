#include "kasoku/compile/clang/own_files.h"

#include "kasoku/compile/clang/frontend.h"
#include "kasoku/compile/clang/includes.h"
#include "kasoku/compile/clang/prelude_files.h"

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <map>
#include <mutex>

namespace kasoku::embedded {
namespace {

namespace vfs = llvm::vfs;

/// LLVM's own file system in memory reads all files once, to know them by their content: 3 MB
/// that the first compile of a process would wait for. These have numbers. Looked into by
/// several threads at once, and so never changed.
class OwnFiles : public vfs::FileSystem {
 public:
  void add(const std::string& path, std::string_view text) {
    files_[path] = text;
    for (size_t end = path.rfind('/'); end && files_.try_emplace(path.substr(0, end)).second;) end = path.rfind('/', end - 1);
  }

  llvm::ErrorOr<vfs::Status> status(const llvm::Twine& path) override {
    const auto found = find(path);
    if (found == files_.end()) return std::make_error_code(std::errc::no_such_file_or_directory);
    const auto type = found->second.data() ? llvm::sys::fs::file_type::regular_file : llvm::sys::fs::file_type::directory_file;
    // Names of the map stay where they are.
    const llvm::sys::fs::UniqueID number(reinterpret_cast<uintptr_t>(this), reinterpret_cast<uintptr_t>(&found->first));
    return vfs::Status(path, number, {}, 0, 0, found->second.size(), type, llvm::sys::fs::perms::all_read);
  }

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine& path) override {
    const auto found = find(path);
    if (found == files_.end() || !found->second.data())
      return std::make_error_code(std::errc::no_such_file_or_directory);
    return std::make_unique<Open>(*status(path), found->second);
  }

  vfs::directory_iterator dir_begin(const llvm::Twine&, std::error_code& error) override {
    error = std::make_error_code(std::errc::no_such_file_or_directory);
    return {};
  }
  std::error_code setCurrentWorkingDirectory(const llvm::Twine&) override { return {}; }
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override { return "/"; }

 private:
  class Open : public vfs::File {
   public:
    Open(vfs::Status status, std::string_view text) : status_(std::move(status)), text_(text) {}
    llvm::ErrorOr<vfs::Status> status() override { return status_; }
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, int64_t, bool, bool) override {
      llvm::SmallString<128> buffer;
      return llvm::MemoryBuffer::getMemBuffer({text_.data(), text_.size()}, name.toStringRef(buffer),
                                              /*RequiresNullTerminator=*/false);
    }
    std::error_code close() override { return {}; }

   private:
    vfs::Status status_;
    std::string_view text_;
  };

  using Files = std::map<std::string, std::string_view, std::less<>>;  // a folder has no text
  Files::const_iterator find(const llvm::Twine& path) const {
    llvm::SmallString<128> name;
    path.toVector(name);
    llvm::sys::path::remove_dots(name, /*remove_dot_dot=*/true);
    return files_.find(std::string_view(name.data(), name.size()));
  }
  Files files_;
};

llvm::IntrusiveRefCntPtr<vfs::FileSystem> make(bool for_cuda, std::string_view pch) {
  auto own = llvm::makeIntrusiveRefCnt<OwnFiles>();
  for (const PreludeFile& file : prelude_files()) own->add(std::string(system_dir) + "/kasoku/" + file.name, file.text);
  for (const Include& include : includes())
    if (!(for_cuda && include.text.starts_with("#error")))
      own->add(std::string(system_dir) + "/" + include.name, include.text);
  if (!pch.empty()) own->add(pch_path, pch);
  return own;
}

}  // namespace

llvm::IntrusiveRefCntPtr<vfs::FileSystem> own_files(bool for_cuda, std::string_view pch) {
  using Key = std::pair<bool, const char*>;
  static std::mutex mutex;
  static auto* made = new std::map<Key, llvm::IntrusiveRefCntPtr<vfs::FileSystem>>;
  std::lock_guard lock(mutex);
  auto& files = (*made)[{for_cuda, pch.data()}];
  if (!files) files = make(for_cuda, pch);
  return files;
}

}  // namespace kasoku::embedded
