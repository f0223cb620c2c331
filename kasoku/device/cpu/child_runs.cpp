/// \file kasoku/device/cpu/child_runs.cpp
#include "kasoku/base/error.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/base/text.h"
#include "kasoku/device/cpu/children.h"
#include "kasoku/device/cpu/fault.h"
#include "kasoku/device/cpu/function.h"
#include "kasoku/device/cpu/nudge.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/cpu/stack.h"

#include <fmt/core.h>
#include <x86intrin.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

namespace kasoku::cpu {

namespace {

std::atomic<const GridObserver*> observer{nullptr};

/// Ticks of the time-stamp counter, as in function.cpp: shorter work stays on its thread.
constexpr uint64_t worth_sharing = 40'000;

/// Launches within launches stand on the stack, with whatever compiles their kernels.
void check_stack() {
  if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < stack_of_thread().end())
    throw Error(ErrorKind::device, "kernels launch kernels too deeply: the call stack is full")
        .fix("let a kernel launch the next one as its last, or in cudaStreamTailLaunch");
}

using Work = std::unique_ptr<ChildWork>;

Work run(const Child& child) {
  if (!child.function) {
    const LaunchContext nothing{};
    if (const Fault fault = run_guarded(child.memory_work, child.args, nothing, 0, 1); fault.signal)
      throw Error(ErrorKind::device, "a copy or fill of memory in kernel " + quote(child.parent) + " failed: " + fault.str());
    return nullptr;
  }
  if (const GridObserver* watches = grid_observer()) watches->begins(child.function->info(), child.args);
  try {
    return child.function->run_grid(child.shape, child.args);
  } catch (Error& error) {
    // Each place once, however deep it launches itself.
    const std::string place = fmt::format("kernel {} launched it at {}:{}", quote(child.parent), child.file, child.line);
    if (error.kind != ErrorKind::interrupted && std::string_view(error.what()).find(place) == std::string_view::npos) error.why(place);
    throw;
  }
}

void run_all(std::span<const Child> chain) {
  for (const Child& child : chain)
    if (Work more = run(child)) complete(std::move(more));
}

/// Cuts the children, which it puts in order, into chains.
std::vector<std::span<const Child>> chains_of(ChildWork& work) {
  std::vector<Child>& all = work.children;
  const auto is_before = [](const Child& a, const Child& b) { return a.chain < b.chain; };
  if (!work.in_order && !std::is_sorted(all.begin(), all.end(), is_before))
    std::stable_sort(all.begin(), all.end(), is_before);
  std::vector<std::span<const Child>> chains;
  for (size_t begin = 0, end; begin < all.size(); begin = end) {
    for (end = begin + 1; end < all.size() && (work.in_order || all[end].chain == all[begin].chain);) ++end;
    chains.emplace_back(all.data() + begin, end - begin);
  }
  return chains;
}

/// The first ones here, against the clock; if the rest is worth it, with the pool.
void run_chains(std::span<const std::span<const Child>> chains) {
  const uint64_t start = __rdtsc();
  uint64_t elapsed = 0;
  size_t done = 0;
  for (; done < chains.size() && elapsed < worth_sharing; elapsed = __rdtsc() - start) run_all(chains[done++]);
  if (done == chains.size()) return;
  const std::span rest = chains.subspan(done);
  const uint64_t grain = std::min(suggested_grain(rest.size(), 1), worth_sharing / std::max<uint64_t>(1, elapsed / done) + 1);
  parallel_blocks(rest.size(), grain, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) run_all(rest[i]);
  });
}

}  // namespace

void set_grid_observer(const GridObserver* watches) { observer = watches; }
const GridObserver* grid_observer() { return observer.load(std::memory_order_relaxed); }

/// The last launch of a lone chain is no call within this one: a kernel may launch itself again and
/// again at its end.
void complete(Work work) {
  InterruptCheck interrupt;
  while (work) {
    check_stack();
    if (is_told_to_stop()) throw Error(ErrorKind::interrupted, "interrupted");
    interrupt.look();
    const auto chains = chains_of(*work);
    if (chains.size() == 1 && !work->tails) {
      const std::span<const Child> chain = chains[0];
      run_all(chain.first(chain.size() - 1));
      work = run(chain.back());
    } else {
      if (!chains.empty()) run_chains(chains);
      work = std::exchange(work->tails, nullptr);
    }
  }
}

void* ChildWork::take(size_t bytes, size_t align) {
  const auto fits = [&] {
    const size_t gap = -reinterpret_cast<uintptr_t>(next_) & (align - 1);
    return next_ && gap + bytes <= left_ ? next_ + gap : nullptr;
  };
  char* at = fits();
  if (!at) {
    block_ = std::min<size_t>(2 * block_, 1 << 16);
    left_ = std::max(block_, bytes + align);
    memory_.push_back(std::make_unique_for_overwrite<char[]>(left_));
    next_ = memory_.back().get();
    at = fits();
  }
  left_ -= static_cast<size_t>(at + bytes - next_);
  next_ = at + bytes;
  return at;
}

void ChildWork::append(ChildWork&& later) {
  const auto move_to_end = [](auto& to, auto& from) {
    if (to.empty()) return std::swap(to, from);
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  move_to_end(children, later.children);
  move_to_end(memory_, later.memory_);
  next_ = nullptr;
  in_order |= later.in_order;
  if (later.tails && tails) tails->append(std::move(*later.tails));
  else if (later.tails) tails = std::move(later.tails);
}

}  // namespace kasoku::cpu
