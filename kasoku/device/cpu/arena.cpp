/// \file kasoku/device/cpu/arena.cpp
#include "kasoku/device/cpu/arena.h"

#include "kasoku/base/error.h"
#include "kasoku/base/rounding.h"
#include "kasoku/base/text.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

namespace kasoku::cpu {

namespace {

constexpr size_t page = 4096;
constexpr size_t half_bytes = size_t{64} << 20;  ///< of code, and of data, in one arena

struct Arena {
  char* code = nullptr;
  char* code_writable = nullptr;
  char* data = nullptr;
  size_t half = 0, code_used = 0, data_used = 0;
  bool has_views = false;
};

std::mutex mutex;
Arena arena;  ///< the one that is being filled; full ones stay mapped

[[noreturn]] void refuse(size_t bytes) {
  throw Error(ErrorKind::memory,
              "cannot map " + bytes_text(bytes) + " for compiled code on cpu")
      .why(std::strerror(errno));
}

/// One run of addresses: code, then data, so that they reach each other.
Arena make_arena(size_t half) {
  Arena made;
  made.half = half;
  char* base = static_cast<char*>(::mmap(nullptr, 2 * half, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (base == MAP_FAILED) refuse(2 * half);
  made.code = made.code_writable = base;
  made.data = base + half;
  const int file = ::memfd_create("kasoku code", MFD_CLOEXEC);
  if (file < 0) return made;
  void* writable = MAP_FAILED;
  if (::ftruncate(file, static_cast<off_t>(half)) == 0)
    writable = ::mmap(nullptr, half, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (writable != MAP_FAILED) {
    if (::mmap(base, half, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED) {
      made.code_writable = static_cast<char*>(writable);
      made.has_views = true;
    } else {  // a system that forbids executable files in memory
      ::munmap(writable, half);
      if (::mmap(base, half, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
        ::close(file);
        refuse(half);
      }
    }
  }
  ::close(file);
  return made;
}

void watch_forks() {
  static const int registered = pthread_atfork(
      [] { mutex.lock(); }, [] { mutex.unlock(); },
      [] {
        arena = {};
        mutex.unlock();
      });
  (void)registered;
}

}  // namespace

void reserve_code() {
  watch_forks();
  std::lock_guard lock(mutex);
  if (!arena.half) arena = make_arena(half_bytes);
}

ArenaBlock allocate_code(size_t code_bytes, size_t data_bytes) {
  watch_forks();
  std::lock_guard lock(mutex);
  const auto unit = [](size_t bytes) { return bytes > page ? page : size_t{64}; };
  for (int attempt = 0;; ++attempt) {
    // Without views protection changes page by page, so blocks do not share pages.
    const size_t code_unit = arena.has_views ? unit(code_bytes) : page;
    const size_t code_at = round_up(arena.code_used, code_unit);
    const size_t data_at = round_up(arena.data_used, unit(data_bytes));
    if (arena.half && code_at + code_bytes <= arena.half && data_at + data_bytes <= arena.half) {
      arena.code_used = code_at + code_bytes;
      arena.data_used = data_at + data_bytes;
      return {arena.code + code_at, arena.code_writable + code_at, arena.data + data_at};
    }
    if (attempt) throw Error(ErrorKind::internal, "an arena for code came out too small");
    const size_t needed = round_up(std::max(code_bytes, data_bytes), page) + page;
    if (needed > size_t{512} << 20)
      throw Error(ErrorKind::memory, "compiled code of " + bytes_text(needed) + " is too large");
    arena = make_arena(std::max(half_bytes, needed));
  }
}

void finish_code(const ArenaBlock& block, size_t code_bytes) {
  if (block.code != block.code_writable) return;
  if (::mprotect(block.code, round_up(code_bytes, page), PROT_READ | PROT_EXEC) != 0)
    throw Error(ErrorKind::device, "the system does not let compiled code run")
        .why(std::strerror(errno));
}

}  // namespace kasoku::cpu
