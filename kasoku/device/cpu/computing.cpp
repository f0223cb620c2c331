#include "kasoku/device/cpu/computing.h"

#include "kasoku/device/cpu/pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>

namespace kasoku::cpu {

namespace {
std::atomic<int> computing{0};
}

Computing::Computing() {
  [[maybe_unused]] static const int forgets = pthread_atfork(nullptr, nullptr, [] { computing = 0; });
  computing.fetch_add(1, std::memory_order_relaxed);
}
Computing::~Computing() { computing.fetch_sub(1, std::memory_order_relaxed); }
Waiting::Waiting() { computing.fetch_sub(1, std::memory_order_relaxed); }
Waiting::~Waiting() { computing.fetch_add(1, std::memory_order_relaxed); }

uint32_t thread_share() {
  if (is_inside_parallel()) return 1;
  return std::max(1u, thread_limit() / static_cast<uint32_t>(std::max(1, computing.load(std::memory_order_relaxed))));
}

}  // namespace kasoku::cpu
