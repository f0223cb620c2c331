#include "kasoku/base/tally.h"

#include <array>
#include <atomic>
#include <stdexcept>

namespace kasoku {

namespace {

constexpr size_t most_tallies = 8;

/// A thread's counts. A thread that ends leaves them to one that begins.
struct Part {
  std::array<std::atomic<uint64_t>, most_tallies> counts{};
  std::atomic<bool> is_taken{true};
  Part* next = nullptr;
};

std::atomic<Part*> parts{nullptr};
std::atomic<size_t> n_tallies{0};
thread_local Part* part_now __attribute__((tls_model("initial-exec"))) = nullptr;

Part& take_part() {
  struct Taken {
    Part* part = nullptr;
    ~Taken() {
      part_now = nullptr;
      if (part) part->is_taken.store(false, std::memory_order_release);
    }
  };
  thread_local Taken taken;
  Part* part = parts.load(std::memory_order_acquire);
  for (; part; part = part->next)
    if (!part->is_taken.load(std::memory_order_relaxed) && !part->is_taken.exchange(true, std::memory_order_acquire))
      break;
  if (!part) {
    part = new Part;
    part->next = parts.load(std::memory_order_relaxed);
    while (!parts.compare_exchange_weak(part->next, part, std::memory_order_release)) {
    }
  }
  taken.part = part;
  return *(part_now = part);
}

}  // namespace

Tally::Tally() : place_(n_tallies.fetch_add(1)) {
  if (place_ >= most_tallies) throw std::logic_error("more tallies than tally.cpp has places for");
}

void Tally::add(uint64_t n) const {
  std::atomic<uint64_t>& count = (part_now ? *part_now : take_part()).counts[place_];
  count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

uint64_t Tally::load() const {
  uint64_t sum = 0;
  for (const Part* part = parts.load(std::memory_order_acquire); part; part = part->next)
    sum += part->counts[place_].load(std::memory_order_relaxed);
  return sum;
}

}  // namespace kasoku
