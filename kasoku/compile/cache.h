/// \file kasoku/compile/cache.h
/// What is compiled: modules in memory, found without a lock, and the files of
/// the disk cache, as `kasoku cache` shows them.
#pragma once

#include "kasoku/compile/disk_cache.h"
#include "kasoku/device/module.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace kasoku {

/// A file as it was when its content was verified.
struct FileStamp {
  std::string path;
  std::string hash;  ///< hex, of the content; or absent_file
  uint64_t size = 0, inode = 0;
  int64_t modified = 0;  ///< nanoseconds
};

/// Hash to Module. Modules stay; a replaced one lives on with whoever holds it.
class ModuleTable {
 public:
  struct Entry {
    Hash128 hash;
    std::shared_ptr<Module> module;
    std::vector<FileStamp> includes;
  };

  /// Takes no lock and allocates nothing.
  const Entry* find(const Hash128& hash) const;
  void insert(Entry entry);

 private:
  struct Slots {
    explicit Slots(size_t size) : mask(size - 1), entries(new std::atomic<const Entry*>[size]()) {}
    size_t mask;  ///< the size, a power of two, less one
    std::unique_ptr<std::atomic<const Entry*>[]> entries;
  };
  /// What was found there, which a second look may not find: where nothing was, another entry may have come meanwhile.
  struct Place {
    const Entry* entry;
    std::atomic<const Entry*>& slot;
  };
  static Place look(const Slots& slots, const Hash128& hash);

  std::atomic<Slots*> slots_{nullptr};
  std::mutex mutex_;
  size_t size_ = 0;
  std::vector<std::unique_ptr<Slots>> all_slots_;      ///< readers may still look at old ones
  std::vector<std::unique_ptr<const Entry>> entries_;  ///< also replaced ones
};

/// Throws what `error` holds; an Error as a copy, because each thread adds its own line.
[[noreturn]] void rethrow_copy(const std::exception_ptr& error);

/// Runs one piece of work per key at a time: who comes second waits and gets the
/// same result, or a copy of the same Error. Results are not kept.
template <class Result>
class OncePerKey {
 public:
  template <class Work>
  Result run(const Hash128& key, Work&& work) {
    std::shared_ptr<Pending> pending;
    {
      std::lock_guard lock(mutex_);
      const auto found = find(key);
      if (found != pending_.end())
        pending = found->second;
      else
        pending_.emplace_back(key, std::make_shared<Pending>());
    }
    if (pending) return wait(*pending);
    std::exception_ptr error;
    Result result{};
    try {
      result = work();
    } catch (...) {
      error = std::current_exception();
    }
    std::shared_ptr<Pending> own;
    {
      std::lock_guard lock(mutex_);
      const auto found = find(key);
      if (found != pending_.end()) own = std::move(found->second), pending_.erase(found);
    }
    if (own) {
      std::lock_guard lock(own->mutex);
      own->is_done = true;
      own->result = result;
      own->error = error;
      own->done.notify_all();
    }
    if (error) rethrow_copy(error);
    return result;
  }

  std::mutex& mutex() { return mutex_; }
  /// Forgets pending work, in a forked child: the threads that did it are gone.
  void forget() { pending_.clear(); }

 private:
  struct Pending {
    std::mutex mutex;
    std::condition_variable done;
    bool is_done = false;
    Result result{};
    std::exception_ptr error;
  };

  using Row = std::pair<Hash128, std::shared_ptr<Pending>>;

  static Result wait(Pending& pending);
  auto find(const Hash128& key) { return std::ranges::find(pending_, key, &Row::first); }

  std::mutex mutex_;
  std::vector<Row> pending_;  // a few: those that are being worked on
};

template <class Result>
Result OncePerKey<Result>::wait(Pending& pending) {
  std::unique_lock lock(pending.mutex);
  pending.done.wait(lock, [&] { return pending.is_done; });
  if (pending.error) rethrow_copy(pending.error);
  return pending.result;
}

namespace cache {

/// The process's disk cache, by KASOKU_CACHE, KASOKU_CACHE_DIR and KASOKU_CACHE_SIZE.
DiskCache& disk();
/// Code for GPUs that the library brings along: looked into before there is a compiler. Only tests put another in its place.
EntryPack& gpu_pack();

std::string directory();
/// Why nothing is kept on disk; empty if all is well.
std::string problem();

std::vector<DiskCache::Listed> list();

struct Use {
  uint64_t entries = 0, bytes = 0, most_bytes = 0;
};
Use use();

/// Removes all entries from the disk; modules in memory stay. The number of them.
uint64_t clear();

/// The file as it is now; nothing if it cannot be read.
std::optional<FileStamp> stamp(const std::string& path);
/// Whether the file's content is still what it was, or the file still absent; a look at its
/// time mostly does.
bool holds(const FileStamp& stamp);

}  // namespace cache

}  // namespace kasoku
