/// \file kasoku/compile/disk_cache.h
/// Compiled code in files, one entry each, safe for many threads and processes.
///
/// An entry is written beside its place and renamed, carries its key's material
/// and a checksum over everything, and is used only if both are right: whatever
/// happens to a file, it is an entry or a miss. The folder belongs to the user
/// alone; if it cannot be made so, or nothing can be written, there is one
/// warning and everything stays in memory.
#pragma once

#include "kasoku/compile/entry_pack.h"
#include "kasoku/compile/key.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kasoku {

/// An entry as it was read; the payload points into it.
struct DiskEntry {
  std::string bytes;
  size_t payload_at = 0;
  std::string_view payload() const { return std::string_view(bytes).substr(payload_at); }
};

class DiskCache {
 public:
  /// An empty folder turns it off. Nothing is touched before the first use. `brought` is the file of
  /// a pack (entry_pack.h), which is looked into first; it may be absent.
  DiskCache(std::string folder, uint64_t most_bytes, const std::string& brought = {});

  const std::string& folder() const { return folder_; }
  uint64_t most_bytes() const { return most_bytes_; }
  /// Makes and checks the folder at the first call.
  bool is_usable();
  /// Why not; empty if it is.
  std::string problem();

  std::optional<DiskEntry> read(const Key& key);
  /// An entry of `pack`, without looking into the cache's files. A cache that is turned off has none.
  std::optional<DiskEntry> read(const Key& key, const EntryPack& pack) const;
  /// An entry of the pack for this processor, without looking into the cache's files.
  std::optional<DiskEntry> read_brought(const Key& key) const { return read(key, brought_); }
  /// `title` is for people: "kernel.cu: add, sub".
  void write(const Key& key, std::string_view title, std::string_view payload);

  /// Keeps others, also other processes, from compiling the same key. Its holder
  /// looks again for the entry before it compiles. A holder that dies lets go.
  class Lock {
   public:
    Lock() = default;
    Lock(Lock&& other) noexcept;
    Lock& operator=(Lock&&) = delete;
    ~Lock();

   private:
    friend class DiskCache;
    std::string path_;
    int file_ = -1;
  };
  /// Waits until the lock is free, the entry is there, or too long a time has
  /// passed (the holder hangs): then the caller goes on without.
  Lock lock(const Key& key);

  struct Listed {
    std::string key;    ///< hex
    std::string title;
    uint64_t bytes = 0;
    int64_t last_used = 0;  ///< seconds since 1970
  };
  /// Newest use first.
  std::vector<Listed> list();
  struct Use {
    uint64_t entries = 0, bytes = 0;
  };
  Use use();
  /// Removes all entries; the number of them.
  uint64_t clear();
  /// Writes all entries into a pack; what went wrong, or nothing.
  std::string pack(const std::string& path);

 private:
  struct File;
  std::vector<File> files();
  std::string path(const Key& key) const;
  void warn_once(const std::string& problem);
  void evict();

  const std::string folder_;
  const uint64_t most_bytes_;
  const EntryPack brought_;
  std::once_flag checked_;
  std::atomic<bool> is_usable_{false};
  std::mutex mutex_;  ///< problem_ and the count of written bytes
  std::string problem_;
  bool is_warned_ = false;
  uint64_t written_ = 0;  ///< bytes since the last look at the folder's size
  bool has_looked_ = false;
};

}  // namespace kasoku
