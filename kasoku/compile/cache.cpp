/// \file kasoku/compile/cache.cpp
#include "kasoku/compile/cache.h"

#include "kasoku/base/env.h"
#include "kasoku/base/error.h"
#include "kasoku/base/file.h"
#include "kasoku/compile/absent.h"
#include "kasoku/compile/clang.h"
#include "kasoku/device/cpu/processor.h"

#include <sys/stat.h>

#include <utility>

namespace kasoku {

ModuleTable::Place ModuleTable::look(const Slots& slots, const Hash128& hash) {
  for (size_t i = hash.low & slots.mask;; i = (i + 1) & slots.mask) {
    const Entry* entry = slots.entries[i].load(std::memory_order_acquire);
    if (!entry || entry->hash == hash) return {entry, slots.entries[i]};
  }
}

const ModuleTable::Entry* ModuleTable::find(const Hash128& hash) const {
  const Slots* slots = slots_.load(std::memory_order_acquire);
  return slots ? look(*slots, hash).entry : nullptr;
}

void ModuleTable::insert(Entry entry) {
  std::lock_guard lock(mutex_);
  Slots* slots = slots_.load(std::memory_order_relaxed);
  if (!slots || 2 * (size_ + 1) > slots->mask + 1) {
    auto larger = std::make_unique<Slots>(slots ? 2 * (slots->mask + 1) : 256);
    for (size_t i = 0; slots && i <= slots->mask; ++i)
      if (const Entry* old = slots->entries[i].load(std::memory_order_relaxed))
        look(*larger, old->hash).slot.store(old, std::memory_order_relaxed);
    slots = larger.get();
    all_slots_.push_back(std::move(larger));
    slots_.store(slots, std::memory_order_release);
  }
  const Place place = look(*slots, entry.hash);
  if (!place.entry) ++size_;
  entries_.push_back(std::make_unique<const Entry>(std::move(entry)));
  place.slot.store(entries_.back().get(), std::memory_order_release);
}

void rethrow_copy(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& shared) {
    throw Error(shared);
  }
}

namespace cache {

namespace {

/// Of this processor; "" if there is no code for it at all.
std::string processor_pack() {
  try {
    return operations_file(cpu::target_architecture());
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

DiskCache& disk() {
  static DiskCache* disk = [] {
    std::string folder;
    if (env_flag(Env::KASOKU_CACHE)) {
      folder = env(Env::KASOKU_CACHE_DIR);
      if (folder.empty()) folder = platform_cache_folder();
    }
    return new DiskCache(folder, env_number(Env::KASOKU_CACHE_SIZE).value_or(1 << 30), processor_pack());
  }();
  return *disk;
}

EntryPack& gpu_pack() {
  static EntryPack& pack = *new EntryPack(operations_file("cuda"));
  return pack;
}

std::string directory() { return disk().folder(); }
std::string problem() { return disk().problem(); }
std::vector<DiskCache::Listed> list() { return disk().list(); }
uint64_t clear() { return disk().clear(); }

Use use() {
  const DiskCache::Use use = disk().use();
  return {use.entries, use.bytes, disk().most_bytes()};
}

namespace {

bool look(const std::string& path, FileStamp& now) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return false;
  now.size = static_cast<uint64_t>(status.st_size);
  now.inode = status.st_ino;
  now.modified = status.st_mtim.tv_sec * int64_t{1000000000} + status.st_mtim.tv_nsec;
  return true;
}

}  // namespace

std::optional<FileStamp> stamp(const std::string& path) {
  FileStamp now;
  now.path = path;
  if (!look(path, now)) return std::nullopt;  // before reading: a later write is then seen
  const auto content = read_file(path);
  if (!content) return std::nullopt;
  now.hash = hash128(*content).hex();
  return now;
}

bool holds(const FileStamp& stamp) {
  FileStamp now;
  if (!look(stamp.path, now)) return stamp.hash == absent_file;
  if (now.size == stamp.size && now.inode == stamp.inode && now.modified == stamp.modified)
    return true;
  const auto content = read_file(stamp.path);
  return content && hash128(*content).hex() == stamp.hash;
}

}  // namespace cache

}  // namespace kasoku
