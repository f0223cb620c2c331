/// \file kasoku/compile/clang/memory.cpp
/// What LLVM's `new` gives: a compile of a small kernel asks 16000 times for 50 bytes, and the C
/// library's malloc took a twelfth of its instructions. Here each thread has lists of free blocks
/// by size, without locks. Blocks go to the lists of the thread that frees them, lists of a thread
/// that ends to the next one, and memory never back to the system. Large blocks are malloc's.
#include <pthread.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>

// The leak checker's, where it runs: what hangs on this memory is reached by it.
extern "C" __attribute__((weak)) void __lsan_register_root_region(const void* memory, size_t size);

namespace {

// Up to small every 16 bytes, then four sizes a doubling. Of larger ones each would keep pages for itself.
constexpr size_t small = 256, largest = 4096;
constexpr size_t n_small = small / 16, n_classes = n_small + 4 * 4;
constexpr size_t span = 65536, reserved = size_t{1} << 30;  // addresses; pages come when they are touched

size_t class_of(size_t size) {
  if (size <= small) return size ? (size - 1) / 16 : 0;
  const size_t doubling = std::bit_width(size - 1) - 9;  // 0: up to 512
  return n_small + 4 * doubling + ((size - 1) >> (doubling + 6)) - 4;
}

constexpr std::array<uint32_t, n_classes> sizes = [] {
  std::array<uint32_t, n_classes> sizes{};
  for (size_t i = 0; i < n_small; ++i) sizes[i] = static_cast<uint32_t>(16 * (i + 1));
  for (size_t i = n_small; i < n_classes; ++i)
    sizes[i] = static_cast<uint32_t>(((i - n_small) % 4 + 5) << ((i - n_small) / 4 + 6));
  return sizes;
}();

struct Block {
  Block* next;
};

struct Heap {
  Heap* next = nullptr;
  std::array<Block*, n_classes> free{};
  std::array<char*, n_classes> fresh{}, end{};  // of a span that is not used up
};

// Never given back. Before, and if the system gives no such range: where no address is.
constexpr uintptr_t not_yet = uintptr_t{1} << 63, never = not_yet + 1;
std::atomic<uintptr_t> region{not_yet};
std::atomic<size_t> spans_used{0};
uint8_t span_class[reserved / span];
std::atomic<Heap*> idle{nullptr};  // of threads that have ended
thread_local Heap* mine = nullptr;

uintptr_t region_begin() {
  uintptr_t begin = region.load(std::memory_order_acquire);
  if (begin != not_yet) return begin;
  void* made = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const uintptr_t own = made == MAP_FAILED ? never : reinterpret_cast<uintptr_t>(made);
  if (region.compare_exchange_strong(begin, own)) return own;
  if (made != MAP_FAILED) ::munmap(made, reserved);
  return begin;
}

void leave(void* heap) {
  auto* last = static_cast<Heap*>(heap);
  mine = nullptr;
  last->next = idle.load();
  while (!idle.compare_exchange_weak(last->next, last)) {
  }
}

__attribute__((noinline)) Heap* my_heap() {
  struct Key {
    pthread_key_t key{};
    bool is_made = ::pthread_key_create(&key, leave) == 0;
  };
  static const Key key;
  if (!key.is_made) return nullptr;  // malloc does
  // All of them are taken and the rest put back: nobody's next pointer changes under a reader.
  Heap* taken = idle.exchange(nullptr);
  for (Heap* rest = taken ? taken->next : nullptr; rest;) {
    Heap* other = rest;
    rest = rest->next;
    other->next = idle.load();
    while (!idle.compare_exchange_weak(other->next, other)) {
    }
  }
  if (!taken) {
    void* memory = std::malloc(sizeof(Heap));
    if (!memory) return nullptr;
    taken = new (memory) Heap;
  }
  ::pthread_setspecific(key.key, taken);
  return mine = taken;
}

/// The first block of a new span; null if there is none.
__attribute__((noinline)) void* from_new_span(Heap& heap, size_t kind) {
  const uintptr_t begin = region_begin();
  if (begin == never) return nullptr;
  const size_t number = spans_used.fetch_add(1, std::memory_order_relaxed);
  if (number >= reserved / span) return nullptr;
  char* memory = reinterpret_cast<char*>(begin + number * span);
  span_class[number] = static_cast<uint8_t>(kind);
  if (__lsan_register_root_region) __lsan_register_root_region(memory, span);
  heap.fresh[kind] = memory + sizes[kind];
  heap.end[kind] = memory + span;
  return memory;
}

void* from_system(size_t size, size_t alignment) {
  void* memory = nullptr;
  if (alignment <= 16) memory = std::malloc(size);
  else if (::posix_memalign(&memory, alignment, size) != 0) memory = nullptr;
  if (!memory) throw std::bad_alloc();
  return memory;
}

inline void* allocate(size_t size) {
  if (size > largest) [[unlikely]] return from_system(size, 16);
  Heap* heap = mine;
  if (!heap) [[unlikely]] {
    heap = my_heap();
    if (!heap) return from_system(size, 16);
  }
  const size_t kind = class_of(size);
  if (Block* block = heap->free[kind]) {
    heap->free[kind] = block->next;
    return block;
  }
  if (heap->fresh[kind] != nullptr && heap->fresh[kind] + sizes[kind] <= heap->end[kind]) {
    char* memory = heap->fresh[kind];
    heap->fresh[kind] += sizes[kind];
    return memory;
  }
  void* memory = from_new_span(*heap, kind);
  return memory ? memory : from_system(size, 16);
}

inline void release(void* memory) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(memory) - region.load(std::memory_order_relaxed);
  if (at >= reserved) {  // malloc's, or null
    std::free(memory);
    return;
  }
  Heap* heap = mine;
  if (!heap) [[unlikely]] {
    heap = my_heap();
    if (!heap) return;
  }
  auto* block = static_cast<Block*>(memory);
  Block*& first = heap->free[span_class[at / span]];
  block->next = first;
  first = block;
}

}  // namespace

void* operator new(size_t size) { return allocate(size); }
void* operator new(size_t size, std::align_val_t alignment) {
  return static_cast<size_t>(alignment) > 16 ? from_system(size, static_cast<size_t>(alignment)) : allocate(size);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { release(memory); }
