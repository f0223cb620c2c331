#include "kasoku/device/cpu/overrun.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"

#include <atomic>
#include <string>

namespace kasoku::cpu {

namespace {

std::atomic<const char*> kernel{nullptr};
std::atomic<size_t> overrun{0};  ///< bytes of the memory, and one more

}  // namespace

void note_kernel(const char* name) {
  if (kernel.load(std::memory_order_relaxed) != name) kernel.store(name, std::memory_order_relaxed);
}

const char* last_kernel() { return kernel.load(std::memory_order_relaxed); }

void note_overrun(size_t bytes) noexcept { overrun.store(bytes + 1, std::memory_order_relaxed); }

void throw_overruns() {
  if (!overrun.load(std::memory_order_relaxed)) return;
  const size_t found = overrun.exchange(0);
  if (!found) return;
  const char* const name = last_kernel();
  throw Error(ErrorKind::device, "memory of " + std::to_string(found - 1) + " bytes was written past its end")
      .why(name ? "found when it was freed; the last kernel that ran is " + quote(name) : "found when it was freed")
      .fix("KASOKU_CHECK=bounds names the kernel, the array and the line");
}

}  // namespace kasoku::cpu
