/// \file kasoku/device/cpu/function.cpp
#include "kasoku/device/cpu/function.h"

#include "kasoku/base/error.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/base/text.h"
#include "kasoku/base/timeline.h"
#include "kasoku/base/trace.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/cpu/device.h"
#include "kasoku/device/cpu/fault.h"
#include "kasoku/device/cpu/grid_barrier.h"
#include "kasoku/device/cpu/nudge.h"
#include "kasoku/device/cpu/overrun.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/cpu/processor.h"
#include "kasoku/device/cpu/worker_memory.h"
#include "kasoku/device/device.h"
#include "kasoku/device/replay.h"

#include <fmt/core.h>
#include <x86intrin.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>

namespace kasoku::cpu {

namespace {

/// In ticks of the time-stamp counter, which runs at two to four a nanosecond.
/// Waking the pool costs about this much, so shorter work stays on its thread.
constexpr uint64_t worth_sharing = 40'000;
/// A chunk of blocks takes about this long: the counter is no bottleneck, the
/// last chunk no tail.
constexpr uint64_t chunk_ticks = 40'000;
/// A worker's share of a launch comes in this many chunks at least; in fewer where
/// neighbouring blocks touch neighbouring memory in each pass of a loop. It is not in more
/// than the most: each chunk begins somewhere else in memory.
constexpr uint64_t least_chunks = 4, long_chunks = 2, most_chunks = 32;

/// The control word under which generated code gives the same bits everywhere:
/// round to nearest, denormals kept, exceptions masked.
constexpr unsigned float_control = 0x1f80;

class FloatControl {
 public:
  FloatControl() : before_(_mm_getcsr()) {
    if ((before_ & ~flags) != float_control) _mm_setcsr(float_control);
  }
  ~FloatControl() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned flags = 0x3f;  // what happened before, which decides nothing
  unsigned before_;
};

constexpr std::chrono::microseconds nudge_pause{20'000};
/// Blocks that wait for each other have so many threads at most.
constexpr uint64_t most_threads = 1024;

std::string triple(const uint32_t v[3]) { return fmt::format("({}, {}, {})", v[0], v[1], v[2]); }

bool same(const uint32_t a[3], const uint32_t b[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

}  // namespace

/// What all chunks of a launch need.
struct CpuFunction::Work {
  CpuFunction& function;
  const LaunchShape& shape;
  const Variant& variant;
  void* const* args;
  LaunchState state;

  void run(uint64_t first, uint64_t last) {
    if (state.status) return;
    const uint64_t scratch =
        variant.scratch_bytes + variant.scratch_bytes_per_thread * shape.threads();
    const size_t dynamic_at = (variant.static_shared_bytes + 15) / 16 * 16;
    const WorkerMemory memory(dynamic_at + shape.shared_bytes, scratch);
    LaunchContext context{};
    std::memcpy(context.grid, shape.grid, sizeof context.grid);
    std::memcpy(context.block, shape.block, sizeof context.block);
    context.shared_bytes = shape.shared_bytes;
    context.shared = memory.shared();
    context.scratch = memory.scratch();
    context.status = &state.status;
    context.runtime = &state;
    LaunchState* const before = set_current_launch(&state);
    ChildRecorder children(function, state);
    Fault fault;
    {
      const FloatControl control;
      fault = run_guarded(variant.entry, args, context, first, last);
    }
    set_current_launch(before);
    const bool is_left = fault.signal == nudge_signal();
    if (fault.signal && !is_left) state.fail(fault.str());
    children.finish();
    if (is_left) throw_interruption();
  }
};

CpuFunction::CpuFunction(Module& module, const Globals& globals, const KernelInfo& info, const VariantMaker& make_variant)
    : module_(module),
      globals_(globals),
      info_(info),
      make_variant_(make_variant),
      last_name_(info.is_ours() ? nullptr : lasting(info.name)),
      max_dynamic_shared_(launch_limits().max_shared_bytes_per_block) {}

const Variant& CpuFunction::variant(const uint32_t block[3]) {
  for (const auto& slot : variants_) {
    const Variant* variant = slot.load(std::memory_order_acquire);
    if (!variant) return add_variant(block);
    if (same(variant->block, block)) return *variant;
  }
  if (const Variant* variant = any_shape_.load(std::memory_order_acquire)) return *variant;
  return add_variant(block);
}

const Variant& CpuFunction::add_variant(const uint32_t block[3]) {
  constexpr uint32_t any[3] = {0, 0, 0};
  const auto find = [&]() -> std::atomic<const Variant*>* {
    for (auto& slot : variants_)
      if (!slot.load() || same(slot.load()->block, block)) return &slot;
    return &any_shape_;
  };
  const bool is_any = find() == &any_shape_;
  // Not under the mutex: threads that need other shapes compile at the same time.
  auto made = std::make_unique<const Variant>(make_variant_(info_, is_any ? any : block));
  std::lock_guard lock(mutex_);
  std::atomic<const Variant*>* slot = find();
  if (slot == &any_shape_ && !is_any) {  // others were faster and there is no slot left
    owned_.push_back(std::move(made));   // good for this launch
    return *owned_.back();
  }
  if (const Variant* present = slot->load()) return *present;
  owned_.push_back(std::move(made));
  slot->store(owned_.back().get(), std::memory_order_release);
  return *owned_.back();
}

void CpuFunction::launch(const LaunchShape& shape, void* const* args, Stream&) {
  if (!shape.blocks()) return;
  check(shape);
  if (compiles_only) return void(variant(shape.block));
  if (!note(module_.device(), [&](Recorder& recorder) { recorder.launch(*this, shape, args); })) return;
  const LaunchWatch watch;
  if (last_name_) note_kernel(last_name_);
  if (const GridObserver* const watches = grid_observer()) watches->launches(info_, args);
  if (auto children = run_grid(shape, args)) complete(std::move(children));
  globals_.check_ends(info_.name);
}

/// What launches of one thread run by; null as long as that is not known, or somebody watches launches.
KernelEntry CpuFunction::entry_alone() const {
  const KernelEntry entry = one_thread_.load(std::memory_order_relaxed);
  return entry && !grid_observer() && !is_traced(Station::launch) && !timeline::is_on() && !Recorder::current() ? entry : nullptr;
}

void CpuFunction::launch_watched(void* const* args, Stream& stream) {
  launch({}, args, stream);
  const Variant& used = variant(LaunchShape{}.block);
  const bool needs_memory = used.scratch_bytes || used.scratch_bytes_per_thread || used.static_shared_bytes;
  if (!needs_memory && !compiles_only) one_thread_ = used.entry;
}

/// Nobody helps with it, looks for an interrupt in it or is asked for memory.
void CpuFunction::run_alone(KernelEntry entry, void* const* args, uint64_t n) {
  counters().launches.add(n);
  if (last_name_) note_kernel(last_name_);
  static volatile int goes_on = 0;
  static const LaunchContext one{.grid = {1, 1, 1},
                                 .block = {1, 1, 1},
                                 .shared_bytes = 0,
                                 .reserved = 0,
                                 .shared = nullptr,
                                 .scratch = nullptr,
                                 .status = &goes_on,
                                 .runtime = nullptr};
  const FloatControl control;
  const Fault fault = run_guarded(entry, args, one, 0, n);
  if (fault.signal == nudge_signal()) throw_interruption();
  if (fault.signal) fail(fault.str());
  globals_.check_ends(info_.name);
}

void CpuFunction::launch_one(void* const* args, Stream& stream) {
  if (const KernelEntry entry = entry_alone()) return run_alone(entry, args, 1);
  launch_watched(args, stream);
}

/// One guard around all of them, which costs more than what they run.
void CpuFunction::launch_each(void* const* args, size_t n, NextArgs next, Stream& stream) {
  struct Each {
    KernelEntry entry;
    void* const* args;
    NextArgs next;
  };
  constexpr KernelEntry run_each = [](void* const* own, const LaunchContext* launch, uint64_t first, uint64_t last) {
    const Each& each = *static_cast<const Each*>(own[0]);
    for (uint64_t i = first; i < last && each.next(each.args, i); ++i) each.entry(each.args, launch, 0, 1);
  };
  const KernelEntry entry = entry_alone();
  if (!entry) return Function::launch_each(args, n, next, stream);
  Each each{entry, args, next};
  void* own[] = {&each};
  run_alone(run_each, own, n);
}

void CpuFunction::check(const LaunchShape& shape) const {
  check_launch(info_, shape, launch_limits(), info_.max_threads, "__launch_bounds__ of the kernel says so",
               info_.static_shared_bytes);
}

std::unique_ptr<ChildWork> CpuFunction::run_grid(const LaunchShape& shape, void* const* args) {
  const uint64_t blocks = shape.blocks();
  Work work{*this, shape, variant(shape.block), args, {}};
  work.state.kernel = info_.name.c_str();
  counters().launches.add(1);
  const Recorded recorded(EventKind::launch, info_.name);
  if (is_traced(Station::launch))
    trace(Station::launch, fmt::format("{} on cpu: grid {} block {} shared {} bytes", info_.name,
                                       triple(shape.grid), triple(shape.block), shape.shared_bytes));
  if (info_.uses_grid_sync)
    run_cooperative(work, blocks);
  else if (work.variant.waits_in_memory && blocks > 1 && is_serial())
    for (uint64_t block = 0; block < blocks; ++block) work.run(block, block + 1);
  else if (work.variant.waits_in_memory && blocks > 1)
    run_on_threads(work, blocks, std::min<uint64_t>(blocks, worker_count()));
  else
    run(work, blocks);
  if (work.state.status) fail(work.state.failure);
  return std::move(work.state.children);
}

/// The first blocks run here against the clock. When they have shown that the rest
/// is worth it (or earlier launches have), the pool shares that.
void CpuFunction::run(Work& work, uint64_t blocks) {
  uint64_t ticks = ticks_per_block_.load(std::memory_order_relaxed);
  uint64_t done = 0;
  const bool is_known_to_be_large = ticks && ticks * blocks > 2 * worth_sharing && blocks > 1;
  if (!is_known_to_be_large) {
    if (!ticks) work.run(0, done = 1);  // code that is touched first says nothing of its speed
    const uint64_t start = __rdtsc(), first = done;
    uint64_t chunk = std::max<uint64_t>(1, ticks ? worth_sharing / 4 / ticks : 1);
    uint64_t elapsed = 0;
    while (done < blocks && elapsed < worth_sharing / 2) {
      const uint64_t end = done + std::min(chunk, blocks - done);
      work.run(done, end);
      done = end;
      chunk *= 2;
      elapsed = __rdtsc() - start;
    }
    if (done > first) {
      const uint64_t now = elapsed / (done - first);
      ticks = std::max<uint64_t>(1, ticks && done == blocks ? (3 * ticks + now) / 4 : now);
      ticks_per_block_.store(ticks, std::memory_order_relaxed);
    }
    if (done == blocks) return;
  }
  const uint64_t rest = blocks - done;
  const uint64_t workers = worker_count();
  const uint64_t chunks = (work.variant.spans_blocks ? long_chunks : least_chunks) * workers;
  const uint64_t most = std::max<uint64_t>(1, rest / chunks);
  uint64_t grain = most;
  if (!work.variant.spans_blocks) {
    grain = std::clamp<uint64_t>(
        std::max(chunk_ticks / ticks, rest / (most_chunks * workers)), 1, most);
    // Rows of two-dimensional grids are mostly rows in memory.
    if (const uint64_t row = work.shape.grid[0]; grain > row) grain -= grain % row;
  }
  std::atomic<uint64_t> spent{0}, timed{0};
  parallel_blocks(rest, grain, [&](uint64_t first, uint64_t last) {
    const uint64_t start = __rdtsc();
    work.run(done + first, done + last);
    spent.fetch_add(__rdtsc() - start, std::memory_order_relaxed);
    timed.fetch_add(last - first, std::memory_order_relaxed);
  });
  if (timed) ticks_per_block_.store(std::max<uint64_t>(1, spent / timed), std::memory_order_relaxed);
}

void CpuFunction::run_cooperative(Work& work, uint64_t blocks) {
  if (blocks > most_threads)
    throw Error(ErrorKind::value,
                fmt::format("kernel {} synchronises its grid of {} blocks, and {} is the most on cpu",
                            quote(info_.name), blocks, most_threads))
        .fix("use fewer blocks and a loop over the elements");
  GridBarrier barrier(blocks, SerialScope::current());
  work.state.grid_barrier = &barrier;
  run_on_threads(work, blocks, blocks);
}

/// Blocks that wait for each other have threads of their own. Those that meet at the grid's
/// barrier all begin `at_once`; of others a thread takes one after another, and where none
/// ends for a while, they may be waiting for blocks that have not begun: more threads do that.
void CpuFunction::run_on_threads(Work& work, uint64_t blocks, uint64_t at_once) {
  GridBarrier* const barrier = work.state.grid_barrier;
  const SerialScope* const serial = SerialScope::current();
  std::atomic<bool> is_stopped{false};
  std::exception_ptr error;  // guarded by the state's mutex
  std::atomic<uint64_t> begun{0}, ended{0}, running{0};
  const auto stop = [&] {
    std::lock_guard lock(work.state.mutex);
    if (!error) error = std::current_exception();
    is_stopped = true;
  };
  const auto run_blocks = [&] {
    for (uint64_t block = begun++; block < blocks; block = begun++) {
      if (barrier) barrier->begin(block);
      try {
        const StopScope scope(is_stopped);
        if (!is_stopped) work.run(block, block + 1);
      } catch (...) {
        stop();
      }
      if (barrier) barrier->arrive_and_drop(block);  // those that go on do not wait for it
      ended++;
    }
    running--;
  };
  std::vector<std::thread> threads;
  // Not on this thread, which asks about interrupts: in a barrier nobody does.
  const auto add_threads = [&](uint64_t count) {
    try {
      for (uint64_t i = 0; i < count; ++i) {
        running++;
        if (serial && serial->around) threads.emplace_back([&] { serial->around(run_blocks); });
        else threads.emplace_back(run_blocks);
      }
    } catch (const std::system_error&) {
      running--;
      work.state.fail(fmt::format("the system gave no thread for each of its {} blocks", blocks));
      for (uint64_t block = begun.exchange(blocks); barrier && block < blocks; ++block) barrier->arrive_and_drop(block);
    }
  };
  add_threads(at_once);
  InterruptCheck interrupt;
  uint64_t seen = 0;
  auto last_end = std::chrono::steady_clock::now();
  for (auto pause = std::chrono::microseconds(50); running; pause = std::min(2 * pause, nudge_pause)) {
    std::this_thread::sleep_for(pause);
    try {
      if (!is_stopped) interrupt.look();
    } catch (...) {
      stop();
    }
    if (is_stopped && pause == nudge_pause)
      for (std::thread& thread : threads) nudge(thread.native_handle());
    const auto now = std::chrono::steady_clock::now();
    if (const uint64_t count = ended; count != seen) {
      seen = count;
      last_end = now;
    } else if (const uint64_t next = begun; !is_stopped && next < blocks && now - last_end > nudge_pause) {
      add_threads(std::min<uint64_t>({threads.size(), most_threads - threads.size(), blocks - next}));
      last_end = now;
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

void CpuFunction::fail(const std::string& failure) const {
  Error error(ErrorKind::device, "kernel " + quote(info_.name) + " failed: " + failure);
  if (failure.find("memory that is not its own") != std::string::npos)
    error.fix("KASOKU_CHECK=bounds names the array and the line");
  throw error;
}

int64_t CpuFunction::attribute(std::string_view name) {
  if (name == "max_threads_per_block") return info_.max_threads;
  if (name == "shared_size_bytes") return info_.static_shared_bytes;
  if (name == "max_dynamic_shared_size_bytes") return max_dynamic_shared_;
  if (name == "const_size_bytes") {
    int64_t bytes = 0;
    for (const GlobalInfo& global : module_.info().globals)
      if (global.is_constant) bytes += static_cast<int64_t>(global.size);
    return bytes;
  }
  const std::vector<std::string> others = {  // of a GPU's code; nothing here has them
      "num_regs", "local_size_bytes", "ptx_version", "binary_version", "cache_mode_ca",
      "preferred_shared_memory_carveout"};
  for (const std::string& other : others)
    if (name == other) return 0;
  throw Error(ErrorKind::value, "functions have no attribute " + quote(name))
      .why(known_names(name,
                       {"num_regs", "shared_size_bytes", "max_threads_per_block",
                        "local_size_bytes", "const_size_bytes", "max_dynamic_shared_size_bytes",
                        "ptx_version", "binary_version", "cache_mode_ca",
                        "preferred_shared_memory_carveout"},
                       "attributes"));
}

void CpuFunction::set_attribute(std::string_view name, int64_t value) {
  if (name == "preferred_shared_memory_carveout" || name == "cache_mode_ca") return;  // hints
  if (name != "max_dynamic_shared_size_bytes") {
    attribute(name);  // an unknown one
    throw Error(ErrorKind::value, "the attribute " + quote(name) + " of a function cannot be set")
        .why("max_dynamic_shared_size_bytes and preferred_shared_memory_carveout can");
  }
  const uint32_t most = launch_limits().max_shared_bytes_opt_in;
  if (value < 0 || value > most)
    throw Error(ErrorKind::value,
                fmt::format("max_dynamic_shared_size_bytes cannot be {}: a block has at most {} bytes",
                            value, most));
  max_dynamic_shared_ = static_cast<uint32_t>(value);
}

uint64_t CpuFunction::blocks_at_once(uint64_t, uint32_t) { return most_threads; }

uint32_t CpuFunction::suggested_block() {
  return std::min<uint32_t>(256, std::max<uint32_t>(1, info_.max_threads));
}

}  // namespace kasoku::cpu
