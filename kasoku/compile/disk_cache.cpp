/// \file kasoku/compile/disk_cache.cpp
#include "kasoku/compile/disk_cache.h"

#include "kasoku/base/file.h"
#include "kasoku/base/text.h"
#include "kasoku/base/warning.h"
#include "kasoku/compile/clang/abi.h"
#include "kasoku/compile/stats.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

namespace kasoku {

namespace {

/// The start of an entry; title, material and payload follow. The checksum is
/// that of the whole file with this field zero.
struct Header {
  char magic[8];
  uint32_t format;
  uint32_t abi;
  uint64_t title_bytes;
  uint64_t material_bytes;
  uint64_t payload_bytes;
  uint64_t checksum[2];
};
static_assert(sizeof(Header) == 56);

constexpr char magic[8] = {'k', 'a', 's', 'o', 'k', 'u', '\r', '\n'};
constexpr uint32_t format = 1;
constexpr std::string_view suffix = ".entry";
/// A use is noted in the file's time; more often than this would only cost writes.
constexpr int64_t touch_seconds = 60;
/// Locks and temporary files of processes that died go after this.
constexpr int64_t litter_seconds = 3600;
constexpr auto lock_patience = std::chrono::seconds(60);

/// Sizes as they should be for a file of `bytes`.
bool is_plausible(const Header& header, uint64_t bytes) {
  if (std::memcmp(header.magic, magic, sizeof magic) != 0) return false;
  if (header.format != format || header.abi != ks_abi_version) return false;
  uint64_t rest = bytes - sizeof header;
  for (const uint64_t part : {header.title_bytes, header.material_bytes, header.payload_bytes}) {
    if (part > rest) return false;
    rest -= part;
  }
  return rest == 0;
}

std::string make_entry(const Key& key, std::string_view title, std::string_view payload) {
  Header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.format = format;
  header.abi = ks_abi_version;
  header.title_bytes = title.size();
  header.material_bytes = key.material.size();
  header.payload_bytes = payload.size();
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.reserve(sizeof header + title.size() + key.material.size() + payload.size());
  bytes.append(title).append(key.material).append(payload);
  const Hash128 checksum = hash128(bytes);
  header.checksum[0] = checksum.high;
  header.checksum[1] = checksum.low;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

enum class Verdict { good, damaged, other };

Verdict verify(std::string& bytes, const Key& key, size_t& payload_at) {
  Header header;
  if (bytes.size() < sizeof header) return Verdict::damaged;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (!is_plausible(header, bytes.size())) return Verdict::damaged;
  std::memset(bytes.data() + offsetof(Header, checksum), 0, sizeof header.checksum);
  if (hash128(bytes) != Hash128{header.checksum[0], header.checksum[1]}) return Verdict::damaged;
  const std::string_view material =
      std::string_view(bytes).substr(sizeof header + header.title_bytes, header.material_bytes);
  payload_at = sizeof header + header.title_bytes + header.material_bytes;
  return material == key.material ? Verdict::good : Verdict::other;
}

int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

struct DiskCache::File {
  std::string path;
  std::string name;
  uint64_t bytes = 0;
  int64_t seconds = 0, nanoseconds = 0;

  bool is_entry() const { return name.ends_with(suffix); }
};

DiskCache::DiskCache(std::string folder, uint64_t most_bytes, const std::string& brought)
    : folder_(std::move(folder)), most_bytes_(most_bytes), brought_(brought) {}

std::string DiskCache::path(const Key& key) const {
  const std::string hex = key.hash.hex();
  return folder_ + "/" + hex.substr(0, 2) + "/" + hex + std::string(suffix);
}

bool DiskCache::is_usable() {
  if (folder_.empty()) return false;
  std::call_once(checked_, [&] {
    std::string problem;
    if (::access(folder_.c_str(), F_OK) == 0 || make_folders(folder_, &problem))
      problem = why_not_private(folder_);
    if (problem.empty())
      is_usable_ = true;
    else
      warn_once(problem);
  });
  return is_usable_.load(std::memory_order_relaxed);
}

std::string DiskCache::problem() {
  if (is_usable()) return {};
  std::lock_guard lock(mutex_);
  return folder_.empty() && problem_.empty() ? "it is turned off" : problem_;
}

void DiskCache::warn_once(const std::string& problem) {
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(is_warned_, true)) return;
    problem_ = problem;
  }
  warn(WarningKind::cache, "compiled kernels are kept in memory only: " + problem +
                               "\n  fix  export KASOKU_CACHE_DIR=/a/folder/of/your/own");
}

std::optional<DiskEntry> DiskCache::read_brought(const Key& key) {
  const auto brought = folder_.empty() ? std::nullopt : brought_.find(key.hash);
  if (!brought) return std::nullopt;
  DiskEntry entry{std::string(*brought)};
  if (verify(entry.bytes, key, entry.payload_at) != Verdict::good) return std::nullopt;
  return entry;
}

std::optional<DiskEntry> DiskCache::read(const Key& key) {
  if (auto brought = read_brought(key)) return brought;
  DiskEntry entry;
  if (!is_usable()) return std::nullopt;
  const std::string file = path(key);
  if (auto bytes = read_file(file))
    entry.bytes = std::move(*bytes);
  else
    return std::nullopt;
  switch (verify(entry.bytes, key, entry.payload_at)) {
    case Verdict::good: break;
    case Verdict::other: return std::nullopt;
    case Verdict::damaged:
      stats().damaged_entries.fetch_add(1, std::memory_order_relaxed);
      return std::nullopt;  // it is overwritten when the key has been compiled
  }
  struct stat status;
  if (::stat(file.c_str(), &status) == 0 && status.st_mtime + touch_seconds < seconds_now())
    ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return entry;
}

void DiskCache::write(const Key& key, std::string_view title, std::string_view payload) {
  if (!is_usable()) return;
  const std::string bytes = make_entry(key, title, payload);
  if (bytes.size() > most_bytes_) return;
  const std::string file = path(key);
  std::string reason;
  ::mkdir(file.substr(0, file.rfind('/')).c_str(), 0700);
  if (!write_file_atomically(file, bytes, &reason)) return warn_once(reason);
  bool is_time;
  {
    std::lock_guard lock(mutex_);
    written_ += bytes.size();
    // A process sees only what it wrote itself, and many write little: one in
    // sixteen looks at once.
    const bool looks_at_once = !std::exchange(has_looked_, true) && key.hash.low % 16 == 0;
    is_time = looks_at_once || written_ > most_bytes_ / 64;
    if (is_time) written_ = 0;
  }
  if (is_time) evict();
}

std::vector<DiskCache::File> DiskCache::files() {
  std::vector<File> found;
  constexpr char digits[] = "0123456789abcdef";
  for (int i = 0; i < 256; ++i) {
    const std::string folder = folder_ + "/" + digits[i >> 4] + digits[i & 15];
    DIR* listing = ::opendir(folder.c_str());
    if (!listing) continue;
    while (const dirent* row = ::readdir(listing)) {
      File file;
      file.name = row->d_name;
      if (file.name == "." || file.name == "..") continue;
      file.path = folder + "/" + file.name;
      struct stat status;
      if (::lstat(file.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
      file.bytes = static_cast<uint64_t>(status.st_size);
      file.seconds = status.st_mtim.tv_sec;
      file.nanoseconds = status.st_mtim.tv_nsec;
      found.push_back(std::move(file));
    }
    ::closedir(listing);
  }
  return found;
}

void DiskCache::evict() {
  std::vector<File> entries;
  uint64_t total = 0;
  for (File& file : files()) {
    if (file.is_entry()) {
      total += file.bytes;
      entries.push_back(std::move(file));
    } else if (file.seconds + litter_seconds < seconds_now()) {
      ::unlink(file.path.c_str());
    }
  }
  if (total <= most_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const File& a, const File& b) {
    return std::pair(a.seconds, a.nanoseconds) < std::pair(b.seconds, b.nanoseconds);
  });
  for (const File& file : entries) {  // a tenth below, so that this does not happen at every write
    if (total <= most_bytes_ - most_bytes_ / 10) break;
    if (::unlink(file.path.c_str()) == 0)
      stats().evicted_entries.fetch_add(1, std::memory_order_relaxed);
    total -= file.bytes;
  }
}

std::vector<DiskCache::Listed> DiskCache::list() {
  std::vector<Listed> rows;
  if (!is_usable()) return rows;
  for (const File& file : files()) {
    if (!file.is_entry()) continue;
    Listed& row = rows.emplace_back();
    row.key = file.name.substr(0, file.name.size() - suffix.size());
    row.bytes = file.bytes;
    row.last_used = file.seconds;
    char start[1024];
    const int descriptor = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) continue;
    const ssize_t size = ::read(descriptor, start, sizeof start);
    ::close(descriptor);
    Header header;
    if (size < static_cast<ssize_t>(sizeof header)) continue;
    std::memcpy(&header, start, sizeof header);
    if (!is_plausible(header, file.bytes)) continue;
    row.title.assign(start + sizeof header,
                     std::min<size_t>(header.title_bytes, static_cast<size_t>(size) - sizeof header));
  }
  std::sort(rows.begin(), rows.end(), [](const Listed& a, const Listed& b) {
    return std::pair(-a.last_used, a.key) < std::pair(-b.last_used, b.key);
  });
  return rows;
}

DiskCache::Use DiskCache::use() {
  Use use;
  if (!is_usable()) return use;
  for (const File& file : files())
    if (file.is_entry()) ++use.entries, use.bytes += file.bytes;
  return use;
}

uint64_t DiskCache::clear() {
  uint64_t removed = 0;
  if (!is_usable()) return removed;
  for (const File& file : files()) {
    const bool is_litter = !file.is_entry() && file.seconds + litter_seconds < seconds_now();
    if ((file.is_entry() || is_litter) && ::unlink(file.path.c_str()) == 0)
      removed += file.is_entry();
  }
  return removed;
}

std::string DiskCache::pack(const std::string& path) {
  if (!is_usable()) return problem();
  std::vector<std::pair<Hash128, std::string>> entries;
  for (const File& file : files()) {
    uint64_t high, low;
    if (!file.is_entry() || std::sscanf(file.name.c_str(), "%16" SCNx64 "%16" SCNx64, &high, &low) != 2) continue;
    if (std::optional<std::string> bytes = read_file(file.path)) entries.emplace_back(Hash128{high, low}, std::move(*bytes));
  }
  return EntryPack::write(path, std::move(entries));
}

DiskCache::Lock::Lock(Lock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

DiskCache::Lock::~Lock() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());  // while it is held: who gets it next sees that it is another file
  ::flock(file_, LOCK_UN);  // also for a forked child that inherited the descriptor
  ::close(file_);
}

DiskCache::Lock DiskCache::lock(const Key& key) {
  Lock lock;
  if (!is_usable()) return lock;
  const std::string entry = path(key);
  lock.path_ = entry.substr(0, entry.size() - suffix.size()) + ".lock";
  ::mkdir(entry.substr(0, entry.rfind('/')).c_str(), 0700);
  const auto file_number = [&] {  // of the entry that is there now; each write makes another
    struct stat status;
    return ::stat(entry.c_str(), &status) == 0 ? status.st_ino : ino_t{0};
  };
  const ino_t before = file_number();
  const auto end = std::chrono::steady_clock::now() + lock_patience;
  auto pause = std::chrono::microseconds(200);
  while (std::chrono::steady_clock::now() < end) {
    const int file = ::open(lock.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return lock;  // no space or no right: go on without
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
      struct stat held, named;
      if (::fstat(file, &held) == 0 && ::stat(lock.path_.c_str(), &named) == 0 &&
          held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
        lock.file_ = file;
        return lock;
      }
      ::close(file);  // its last holder has removed it in the meantime
      continue;
    }
    const int error = errno;
    ::close(file);
    if (error != EWOULDBLOCK && error != EINTR) return lock;  // a file system without locks
    if (const ino_t now = file_number(); now && now != before) return lock;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10000));
  }
  return lock;
}

}  // namespace kasoku
