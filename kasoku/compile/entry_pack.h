/// \file kasoku/compile/entry_pack.h
/// Entries of the disk cache that the library brings along: one file beside it, which nobody writes.
///
/// Keys are those of the cache, so a pack of another compiler is a pack without what is asked for.
#pragma once

#include "kasoku/base/hash.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kasoku {

class EntryPack {
 public:
  /// Shows the file's memory; without entries if there is no such file or it is another kind of file.
  explicit EntryPack(const std::string& path);
  ~EntryPack();
  EntryPack(EntryPack&& other) noexcept : file_(std::exchange(other.file_, {})), size_(std::exchange(other.size_, 0)) {}
  EntryPack& operator=(EntryPack&& other) noexcept {
    std::swap(file_, other.file_), std::swap(size_, other.size_);
    return *this;
  }

  size_t size() const { return size_; }
  /// The whole entry, as its file in the cache would be; it is there as long as the pack.
  std::optional<std::string_view> find(const Hash128& key) const;

  /// Writes a pack of these entries; what went wrong, or nothing.
  static std::string write(const std::string& path, std::vector<std::pair<Hash128, std::string>> entries);

 private:
  struct Row {
    Hash128 key;
    uint64_t at, bytes;
  };
  Row row(size_t i) const;

  std::string_view file_;
  size_t size_ = 0;
};

}  // namespace kasoku
