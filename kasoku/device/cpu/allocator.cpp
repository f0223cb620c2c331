/// \file kasoku/device/cpu/allocator.cpp
#include "kasoku/device/cpu/allocator.h"

#include "kasoku/base/error.h"
#include "kasoku/base/rounding.h"
#include "kasoku/base/spin_lock.h"
#include "kasoku/base/text.h"
#include "kasoku/device/cpu/processor.h"
#include "kasoku/device/memory_limit.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <vector>

namespace kasoku::cpu {

namespace {

/// Classes are 64, 128 and 256 · {4, 5, 6, 7}/4 · 2^k: at most a quarter of much is wasted.
constexpr size_t n_classes = 2 + 4 * 50;
/// From here on pages come from the system one request at a time, in huge pages.
constexpr size_t mapped_bytes = size_t{1} << 20;
constexpr size_t page = 4096, huge_page = size_t{2} << 20;
/// Below this a request is not worth a look at what the machine has left.
constexpr size_t checked_bytes = size_t{64} << 20;

size_t class_of(size_t bytes) {
  if (bytes <= 128) return bytes <= 64 ? 0 : 1;
  const size_t units = bytes - 1;
  if (units < 4 * memory_alignment) return 2 + units / memory_alignment;  // 256, 512, 768, 1024
  const size_t power = std::bit_width(units) - 1;       // units in [2^power, 2^(power+1))
  const size_t quarter = (units >> (power - 2)) & 3;
  return 2 + (power - 10) * 4 + 4 + quarter;
}

size_t bytes_of(size_t size_class) {
  if (size_class < 2) return size_t{64} << size_class;
  size_class -= 2;
  if (size_class < 4) return (size_class + 1) * memory_alignment;
  const size_t power = (size_class - 4) / 4 + 10, quarter = (size_class - 4) % 4;
  return (size_t{1} << power) + ((quarter + 1) << (power - 2));
}

/// What stands behind every piece of memory that is given out. No number that programs count
/// with has these bits.
constexpr auto canary = [] {
  std::array<uint64_t, 8> words{};
  for (size_t i = 0; i < words.size(); ++i) words[i] = 0xd1b5'4a32'd192'ed03 * (i + 1);
  return words;
}();
/// Behind the last piece of what the system gave, so that 1,024 threads that each write eight
/// bytes too far do not reach what is not ours, malloc's lists above all.
constexpr size_t slack = 8192;
/// Small pieces come in chunks, side by side.
constexpr size_t chunk_bytes = size_t{64} << 10;
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t most_in_chunk = 0;  // the sanitizer sees what is malloc's
#else
constexpr size_t most_in_chunk = 8192;
#endif

/// The memory that a piece of so many bytes takes, up to where the next one may begin.
size_t piece_bytes(size_t rounded) { return rounded + std::min(rounded, memory_alignment); }
static_assert(sizeof canary <= 64);

size_t pieces_in_chunk(size_t rounded) {
  return rounded <= most_in_chunk ? chunk_bytes / piece_bytes(rounded) : 1;
}

/// Memory of one size class. Nothing that we need is written into free memory: a kernel may.
struct Class {
  std::vector<char*> free;
  std::vector<char*> chunks;  ///< of those that come in chunks, the first piece
  size_t pieces = 0;          ///< free or given out

  /// That giving back needs no memory.
  void expect(size_t more) {
    if (free.capacity() < pieces + more) free.reserve(std::max(pieces + more, 2 * free.capacity()));
  }
};

struct Pool {
  SpinLock mutex;  ///< of all that follows; but for trim_memory() it is held for some twenty instructions
  Class classes[n_classes];
  uint64_t cached = 0;  ///< bytes in free pieces
  uint64_t used = 0;    ///< bytes that are given out

  /// The system is asked only when there is much.
  bool may_keep(uint64_t bytes) const {
    return cached + bytes <= checked_bytes || cached + bytes <= total_memory() / 8;
  }
};

Pool* the_pool = nullptr;

Pool& pool() {
  static Pool& pool = []() -> Pool& {
    the_pool = new Pool;  // never destroyed: buffers may be freed after our statics
    pthread_atfork([] { the_pool->mutex.lock(); }, [] { the_pool->mutex.unlock(); },
                   [] { the_pool->mutex.unlock(); });
    return *the_pool;
  }();
  return pool;
}

/// How far into a page large arrays begin. Processors take addresses that agree in their last
/// 12 bits for one another's: arrays that all begin with a page, of which a kernel writes the
/// one and reads its place in the other, wait for each other at every element.
class Starts {
 public:
  /// The place that fewest arrays have; of those the one that was not given for longest.
  size_t take() {
    const unsigned turn = turn_.fetch_add(1, std::memory_order_relaxed);
    unsigned best = turn % n;
    for (unsigned i = 1; i < n; ++i)
      if (const unsigned other = (turn + i) % n; taken_[other].load(std::memory_order_relaxed) <
                                                 taken_[best].load(std::memory_order_relaxed))
        best = other;
    taken_[best].fetch_add(1, std::memory_order_relaxed);
    return places[best];
  }
  void give_back(size_t start) {
    const auto place = std::find(std::begin(places), std::end(places), start);
    taken_[place - std::begin(places)].fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  static constexpr size_t places[] = {0,   2048, 1024, 3072, 512, 2560, 1536, 3584,
                                      256, 2304, 1280, 3328, 768, 2816, 1792, 3840};
  static constexpr unsigned n = std::size(places);
  std::atomic<unsigned> turn_{0};
  std::atomic<uint32_t> taken_[n] = {};
};
Starts starts;

/// Of `bytes` of memory that begin somewhere in a page.
size_t mapping_bytes(size_t bytes) { return bytes + page + slack; }

/// Room for pieces of `rounded` bytes, as many as come together.
char* from_system(size_t rounded) {
  if (rounded < mapped_bytes) {
    // Before the first piece too nothing is malloc's.
    const size_t bytes = memory_alignment + pieces_in_chunk(rounded) * piece_bytes(rounded) + slack;
    // aligned_alloc takes whole alignments; small pieces are parts of one.
    char* memory = static_cast<char*>(std::aligned_alloc(memory_alignment, round_up<size_t>(bytes, memory_alignment)));
    return memory ? memory + memory_alignment : nullptr;
  }
  const size_t bytes = mapping_bytes(rounded);
  // A little more, to cut a piece that starts on a huge page.
  const size_t more = bytes >= 2 * huge_page ? huge_page : 0;
  void* memory = ::mmap(nullptr, bytes + more, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* start = static_cast<char*>(memory);
  if (more) {
    const size_t before = (huge_page - reinterpret_cast<uintptr_t>(start) % huge_page) % huge_page;
    if (before) ::munmap(start, before);
    if (more > before) ::munmap(start + before + bytes, more - before);
    start += before;
    ::madvise(start, bytes, MADV_HUGEPAGE);
  }
  return start + starts.take();
}

void to_system(char* memory, size_t rounded) noexcept {
  if (rounded < mapped_bytes) return std::free(memory - memory_alignment);
  const size_t start = reinterpret_cast<uintptr_t>(memory) % page;
  starts.give_back(start);
  ::munmap(memory - start, mapping_bytes(rounded));
}

/// Gives back the chunks whose pieces are all free.
void trim_chunks(Class& of, size_t rounded) noexcept {
  const size_t n = pieces_in_chunk(rounded), bytes = n * piece_bytes(rounded);
  std::sort(of.free.begin(), of.free.end());
  std::sort(of.chunks.begin(), of.chunks.end());
  auto kept = of.free.begin(), next = of.free.begin();
  std::erase_if(of.chunks, [&](char* chunk) {
    const auto end = std::find_if(next, of.free.end(), [&](char* piece) { return piece >= chunk + bytes; });
    const bool is_free = static_cast<size_t>(end - next) == n;
    if (is_free) to_system(chunk, rounded);
    else kept = std::copy(next, end, kept);
    next = end;
    return is_free;
  });
  of.free.erase(kept, of.free.end());
}

[[noreturn]] void refuse(size_t bytes) {
  throw Error(ErrorKind::memory, "cannot allocate " + bytes_text(bytes) + " on cpu")
      .why(bytes_text(available_memory()) + " of " + bytes_text(total_memory()) +
           " are available, and arrays hold " + bytes_text(allocator_use().used));
}

}  // namespace

size_t class_bytes(size_t bytes) {
  size_t rounded = bytes_of(class_of(bytes));
  return rounded >= mapped_bytes ? (rounded + page - 1) / page * page : rounded;
}

void* allocate(size_t bytes) {
  if (bytes > size_t{1} << 56) refuse(bytes);
  Pool& all = pool();
  const size_t size_class = class_of(bytes), rounded = class_bytes(bytes);
  Class& of = all.classes[size_class];
  const auto give = [&](char* memory) {
    std::memcpy(memory + bytes, canary.data(), sizeof canary);
    return memory;
  };
  const auto take = [&]() -> char* {
    std::lock_guard lock(all.mutex);
    if (of.free.empty()) return nullptr;
    char* const memory = of.free.back();
    of.free.pop_back();
    all.cached -= rounded;
    all.used += rounded;
    return memory;
  };
  if (char* const memory = take()) return give(memory);
  if (const uint64_t limit = memory_limit(DeviceKind::cpu)) {
    const uint64_t more = pieces_in_chunk(rounded) * rounded;
    const auto fits = [&](const AllocatorUse& use) { return use.used + use.cached + more <= limit; };
    if (!fits(allocator_use())) trim_memory();
    if (const AllocatorUse use = allocator_use(); !fits(use)) throw beyond_memory_limit(bytes, "cpu", limit, use.used);
  }
  // Linux promises memory that it may not have, and kills whoever touches it.
  if (rounded >= checked_bytes && rounded > available_memory()) {
    trim_memory();
    if (rounded > available_memory()) refuse(bytes);
  }
  char* memory = from_system(rounded);
  if (!memory) {
    trim_memory();
    memory = from_system(rounded);
  }
  if (!memory) refuse(bytes);
  const size_t n = pieces_in_chunk(rounded);
  {
    std::lock_guard lock(all.mutex);
    of.expect(n);
    if (rounded <= most_in_chunk) of.chunks.push_back(memory);
    of.pieces += n;
    all.used += rounded;
    all.cached += (n - 1) * rounded;
    for (size_t i = n - 1; i > 0; --i) of.free.push_back(memory + i * piece_bytes(rounded));
  }
  return give(memory);
}

void deallocate(void* memory, size_t bytes) noexcept {
  if (!memory) return;
  Pool& all = pool();
  const size_t size_class = class_of(bytes), rounded = class_bytes(bytes);
  Class& of = all.classes[size_class];
  {
    std::lock_guard lock(all.mutex);
    all.used -= rounded;
    // A piece of a chunk goes with its chunk.
    if (rounded <= most_in_chunk || all.may_keep(rounded)) {
      all.cached += rounded;
      of.free.push_back(static_cast<char*>(memory));
      return;
    }
    --of.pieces;
  }
  to_system(static_cast<char*>(memory), rounded);
}

bool was_overrun(void* memory, size_t bytes) noexcept {
  char* const end = static_cast<char*>(memory) + bytes;
  if (std::memcmp(end, canary.data(), sizeof canary) == 0) return false;
  std::memcpy(end, canary.data(), sizeof canary);
  return true;
}

void trim_memory() noexcept {
  Pool& all = pool();
  std::lock_guard lock(all.mutex);
  for (size_t size_class = 0; size_class < n_classes; ++size_class) {
    Class& of = all.classes[size_class];
    const size_t rounded = class_bytes(bytes_of(size_class)), before = of.free.size();
    if (rounded <= most_in_chunk) {
      trim_chunks(of, rounded);
    } else {
      for (char* memory : of.free) to_system(memory, rounded);
      of.free.clear();
    }
    of.pieces -= before - of.free.size();
    all.cached -= (before - of.free.size()) * rounded;
  }
}

AllocatorUse allocator_use() {
  Pool& all = pool();
  std::lock_guard lock(all.mutex);
  return {all.used, all.cached};
}

}  // namespace kasoku::cpu
