/// \file kasoku/device/cpu/children.cpp
/// Recording, which runs inside of kernels; child_runs.cpp runs what was recorded.
#include "kasoku/device/cpu/children.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"
#include "kasoku/device/cpu/fault.h"
#include "kasoku/device/cpu/function.h"
#include "kasoku/device/cpu/nudge.h"
#include "kasoku/device/cpu/runtime.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace kasoku::cpu {

namespace {

/// CUDA's numbers, as in compile/prelude/launch.h.
enum CudaError { no_error = 0, invalid_configuration = 9, not_supported = 801 };
enum : uint64_t { stream_per_thread = 2, stream_tail = 3, stream_fire_and_forget = 4, first_own_stream = 16 };

/// A thread that asks for more runs them itself: what is recorded does not grow without end.
constexpr size_t most_pending = 4096, most_pending_of_grid = 65536;

std::atomic<uint64_t> next_stream{first_own_stream};
// Every launch touches it.
thread_local ChildRecorder* recorder __attribute__((tls_model("initial-exec"))) = nullptr;

/// A launch that could not be, as its thread may ask by cudaGetLastError.
struct Refusal {
  uint64_t block;
  uint32_t thread;
  int code;
  bool is_open;      ///< nobody has asked yet: it is the launch's error in the end
  std::string text;
};

}  // namespace

struct ChildRecorder::Record {
  ChildWork work;
  std::vector<ChildShape> configured;  ///< a launch may stand in another's arguments, and threads meet there
  std::vector<std::pair<const char*, CpuFunction*>> known;  ///< kernels by their symbols' addresses
  std::vector<Refusal> refusals;
  std::exception_ptr error;
};

namespace {

/// Runs `act` with the current record; nothing may be thrown into generated code.
template <class Act>
void record(Act act) {
  const OutsideKernel outside;
  if (!recorder) return;
  try {
    act(*recorder, recorder->record());
  } catch (const std::exception& error) {
    recorder->state().fail(std::string("a launch in it could not be recorded: ") + error.what());
  }
}

/// Runs what is recorded; false if that threw, and the kernel must be left.
bool run_now() {
  const OutsideKernel outside;
  if (!recorder) return true;
  ChildRecorder::Record& own = recorder->record();
  if (recorder->state().status) own.work = {};  // the launch has failed: nothing more begins
  if (own.work.children.empty()) return true;
  try {
    auto work = std::make_unique<ChildWork>();
    std::swap(*work, own.work);
    own.work.tails = std::move(work->tails);
    own.work.in_order = work->in_order;
    const GridObserver* const watches = grid_observer();
    if (watches) watches->is_within(true);
    complete(std::move(work));
    if (watches) watches->is_within(false);
    return true;
  } catch (...) {
    own.error = std::current_exception();
    return false;
  }
}

/// Records one more, and runs them if they are many.
template <class Act>
void add(Act act) {
  bool is_full = false;
  record([&](ChildRecorder& from, ChildRecorder::Record& own) {
    act(from, own);
    is_full = own.work.children.size() >= most_pending;
  });
  if (is_full && !run_now()) leave_kernel(nudge_signal());
}

CpuFunction& find_kernel(ChildRecorder& from, ChildRecorder::Record& own, const char* symbol) {
  for (const auto& [text, function] : own.known)
    if (text == symbol) return *function;
  auto& found = static_cast<CpuFunction&>(from.parent().module().function(symbol));
  own.known.emplace_back(symbol, &found);
  return found;
}

ChildWork& work_for(ChildRecorder::Record& own, uint64_t stream) {
  if (stream != stream_tail) return own.work;
  if (!own.work.tails) {
    own.work.tails = std::make_unique<ChildWork>();
    own.work.tails->in_order = true;
  }
  return *own.work.tails;
}

uint64_t chain_of(uint64_t stream, uint64_t block) {
  if (stream == stream_fire_and_forget) stream = next_stream++;
  return stream <= stream_per_thread ? 2 * block + 1 : 2 * stream;
}

/// What this thread has configured last.
std::optional<ChildShape> take_configured(ChildRecorder::Record& own, uint64_t block, uint32_t thread) {
  std::vector<ChildShape>& all = own.configured;
  for (size_t i = all.size(); i-- > 0;)
    if (all[i].from_block == block && all[i].from_thread == thread) {
      const ChildShape found = all[i];
      all.erase(all.begin() + static_cast<ptrdiff_t>(i));
      return found;
    }
  return std::nullopt;
}

void refuse(ChildRecorder::Record& own, const ChildShape& asked, int code, bool is_open, std::string_view text) {
  own.refusals.push_back({asked.from_block, asked.from_thread, code, is_open,
                          fmt::format("{} (launched at {}:{})", text.substr(0, text.find('\n')), asked.file, asked.line)});
}

void add_launch(ChildRecorder& from, ChildRecorder::Record& own, const ChildShape& asked, const char* symbol,
                void* const* values) {
  CpuFunction& function = find_kernel(from, own, symbol);
  LaunchShape shape;
  std::copy(asked.grid, asked.grid + 3, shape.grid);
  std::copy(asked.block, asked.block + 3, shape.block);
  shape.shared_bytes = static_cast<uint32_t>(std::min<uint64_t>(asked.shared_bytes, UINT32_MAX / 2));
  if (function.info().uses_grid_sync)
    return refuse(own, asked, not_supported, true,
                  fmt::format("kernel {} synchronises its grid, which a kernel that is launched by another cannot",
                              quote(function.info().name)));
  try {
    function.check(shape);
  } catch (const Error& error) {
    return refuse(own, asked, invalid_configuration, true, error.what());
  }
  // Nothing was to be computed, so nothing is wrong: as for launches of the host.
  if (!shape.blocks()) return refuse(own, asked, invalid_configuration, false, "");
  const std::vector<ParamInfo>& params = function.info().params;
  ChildWork& work = work_for(own, asked.stream);
  auto** args = static_cast<void**>(work.take(sizeof(void*) * (params.size() + 1), alignof(void*)));
  for (size_t i = 0; i < params.size(); ++i) {
    args[i] = values[i] ? work.take(params[i].size, std::clamp<size_t>(params[i].align, 1, 128)) : nullptr;
    if (values[i]) std::memcpy(args[i], values[i], params[i].size);
  }
  work.children.push_back({&function, nullptr, shape, args, chain_of(asked.stream, asked.from_block),
                           from.state().kernel, asked.file, asked.line});
}

/// The three words of a copy or fill, as arguments of an entry.
void add_memory_work(ChildRecorder& from, ChildRecorder::Record& own, KernelEntry entry, const uint64_t (&words)[3],
                     uint64_t stream, uint64_t block) {
  ChildWork& work = work_for(own, stream);
  auto** args = static_cast<void**>(work.take(sizeof words, alignof(void*)));
  std::memcpy(args, words, sizeof words);
  work.children.push_back({nullptr, entry, {}, args, chain_of(stream, block), from.state().kernel, "", 0});
}

uint64_t word(void* const* args, int i) { return reinterpret_cast<uint64_t>(args[i]); }

void copy_entry(void* const* args, const LaunchContext*, uint64_t, uint64_t) {
  std::memmove(args[0], args[1], word(args, 2));
}
void fill_entry(void* const* args, const LaunchContext*, uint64_t, uint64_t) {
  std::memset(args[0], static_cast<int>(word(args, 1)), word(args, 2));
}

}  // namespace

ChildRecorder::ChildRecorder(CpuFunction& parent, LaunchState& state)
    : parent_(parent), state_(state), before_(std::exchange(recorder, this)) {}

ChildRecorder::~ChildRecorder() {
  recorder = before_;
  delete record_;
}

ChildRecorder::Record& ChildRecorder::record() {
  if (!record_) record_ = new Record;
  return *record_;
}

void ChildRecorder::hand_over() {
  Record& own = *record_;
  if (own.error) std::rethrow_exception(own.error);
  for (const Refusal& refusal : own.refusals)
    if (refusal.is_open) return state_.fail(refusal.text);
  if (state_.status || own.work.is_empty()) return;
  std::unique_lock lock(state_.mutex);
  if (!state_.children) state_.children = std::make_unique<ChildWork>();
  if (!own.work.tails && state_.children->children.size() > most_pending_of_grid) {
    lock.unlock();
    return complete(std::make_unique<ChildWork>(std::move(own.work)));
  }
  state_.children->append(std::move(own.work));
}

}  // namespace kasoku::cpu

using namespace kasoku::cpu;

void ks_rt_configure(const ChildShape* shape) {
  record([&](ChildRecorder&, ChildRecorder::Record& own) { own.configured.push_back(*shape); });
}

void ks_rt_launch(const char* symbol, void* const* values, uint64_t from_block, uint32_t from_thread) {
  add([&](ChildRecorder& from, ChildRecorder::Record& own) {
    if (const auto asked = take_configured(own, from_block, from_thread)) add_launch(from, own, *asked, symbol, values);
  });
}

int ks_rt_last_error(uint64_t block, uint32_t thread, int forgets) {
  int code = no_error;
  record([&](ChildRecorder&, ChildRecorder::Record& own) {
    for (size_t i = own.refusals.size(); i-- > 0;) {
      Refusal& refusal = own.refusals[i];
      if (refusal.block != block || refusal.thread != thread) continue;
      if (!code) code = refusal.code;
      refusal.is_open = false;
      if (forgets) own.refusals.erase(own.refusals.begin() + static_cast<ptrdiff_t>(i));
    }
  });
  return code;
}

int ks_rt_wait_for_children() {
  if (!run_now()) leave_kernel(nudge_signal());
  return no_error;
}

uint64_t ks_rt_new_stream() { return next_stream++; }

void ks_rt_keep_order() {
  record([](ChildRecorder&, ChildRecorder::Record& own) { own.work.in_order = true; });
}

void ks_rt_child_copy(void* to, const void* from, uint64_t bytes, uint64_t stream, uint64_t block) {
  add([&](ChildRecorder& by, ChildRecorder::Record& own) {
    add_memory_work(by, own, copy_entry, {reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from), bytes},
                    stream, block);
  });
}

void ks_rt_child_fill(void* to, int value, uint64_t bytes, uint64_t stream, uint64_t block) {
  add([&](ChildRecorder& by, ChildRecorder::Record& own) {
    add_memory_work(by, own, fill_entry, {reinterpret_cast<uint64_t>(to), static_cast<uint64_t>(value), bytes},
                    stream, block);
  });
}
