/// \file kasoku/device/cpu/allocator.cpp
#include "kasoku/device/cpu/allocator.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"
#include "kasoku/device/cpu/processor.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <mutex>

namespace kasoku::cpu {

namespace {

/// Classes are 256 · {4, 5, 6, 7}/4 · 2^k: at most a quarter is wasted.
constexpr size_t n_classes = 4 * 50;
/// From here on pages come from the system one request at a time, in huge pages.
constexpr size_t mapped_bytes = size_t{1} << 20;
constexpr size_t page = 4096, huge_page = size_t{2} << 20;
/// Below this a request is not worth a look at what the machine has left.
constexpr size_t checked_bytes = size_t{64} << 20;

size_t class_of(size_t bytes) {
  const size_t units = std::max<size_t>(bytes, 1) - 1;
  if (units < 4 * memory_alignment) return units / memory_alignment;  // 256, 512, 768, 1024
  const size_t power = std::bit_width(units) - 1;       // units in [2^power, 2^(power+1))
  const size_t quarter = (units >> (power - 2)) & 3;
  return (power - 10) * 4 + 4 + quarter;
}

size_t bytes_of(size_t size_class) {
  if (size_class < 4) return (size_class + 1) * memory_alignment;
  const size_t power = (size_class - 4) / 4 + 10, quarter = (size_class - 4) % 4;
  return (size_t{1} << power) + ((quarter + 1) << (power - 2));
}

struct Free {
  Free* next;
};

struct Pool {
  std::mutex mutex;
  Free* kept[n_classes] = {};
  uint64_t cached = 0;  ///< bytes in `kept`
  std::atomic<uint64_t> used{0};

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
size_t mapping_bytes(size_t bytes) { return bytes + page; }

void* from_system(size_t bytes) {
  if (bytes < mapped_bytes) return std::aligned_alloc(memory_alignment, bytes);
  bytes = mapping_bytes(bytes);
  // A little more, to cut a piece that starts on a huge page.
  const size_t slack = bytes >= 2 * huge_page ? huge_page : 0;
  void* memory = ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* start = static_cast<char*>(memory);
  if (slack) {
    const size_t before = (huge_page - reinterpret_cast<uintptr_t>(start) % huge_page) % huge_page;
    if (before) ::munmap(start, before);
    if (slack > before) ::munmap(start + before + bytes, slack - before);
    start += before;
    ::madvise(start, bytes, MADV_HUGEPAGE);
  }
  return start + starts.take();
}

void to_system(void* memory, size_t bytes) noexcept {
  if (bytes < mapped_bytes) return std::free(memory);
  char* place = static_cast<char*>(memory);
  const size_t start = reinterpret_cast<uintptr_t>(place) % page;
  starts.give_back(start);
  ::munmap(place - start, mapping_bytes(bytes));
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
  {
    std::lock_guard lock(all.mutex);
    if (Free* first = all.kept[size_class]) {
      all.kept[size_class] = first->next;
      all.cached -= rounded;
      all.used.fetch_add(rounded, std::memory_order_relaxed);
      return first;
    }
  }
  // Linux promises memory that it may not have, and kills whoever touches it.
  if (rounded >= checked_bytes && rounded > available_memory()) {
    trim_memory();
    if (rounded > available_memory()) refuse(bytes);
  }
  void* memory = from_system(rounded);
  if (!memory) {
    trim_memory();
    memory = from_system(rounded);
  }
  if (!memory) refuse(bytes);
  all.used.fetch_add(rounded, std::memory_order_relaxed);
  return memory;
}

void deallocate(void* memory, size_t bytes) noexcept {
  if (!memory) return;
  Pool& all = pool();
  const size_t size_class = class_of(bytes), rounded = class_bytes(bytes);
  all.used.fetch_sub(rounded, std::memory_order_relaxed);
  {
    std::lock_guard lock(all.mutex);
    if (all.may_keep(rounded)) {
      all.cached += rounded;
      all.kept[size_class] = new (memory) Free{all.kept[size_class]};
      return;
    }
  }
  to_system(memory, rounded);
}

void trim_memory() noexcept {
  Pool& all = pool();
  std::lock_guard lock(all.mutex);
  for (size_t size_class = 0; size_class < n_classes; ++size_class) {
    const size_t bytes = class_bytes(bytes_of(size_class));
    while (Free* first = all.kept[size_class]) {
      all.kept[size_class] = first->next;
      to_system(first, bytes);
    }
  }
  all.cached = 0;
}

AllocatorUse allocator_use() {
  Pool& all = pool();
  std::lock_guard lock(all.mutex);
  return {all.used.load(std::memory_order_relaxed), all.cached};
}

}  // namespace kasoku::cpu
