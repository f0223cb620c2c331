#include "kasoku/array/run.h"

#include "kasoku/base/hash.h"
#include "kasoku/base/rounding.h"
#include "kasoku/base/trace.h"
#include "kasoku/codegen/scan_text.h"
#include "kasoku/codegen/scans.h"
#include "kasoku/compile/background.h"
#include "kasoku/compile/compile.h"
#include "kasoku/compile/stats.h"
#include "kasoku/device/module.h"
#include "kasoku/device/stream.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

namespace kasoku {

namespace {

/// Groups by hash: readers take no lock; an entry stays for good.
class Kernels {
 public:
  struct Entry {
    explicit Entry(const Hash128& key) : key(key) {}
    const Hash128 key;
    std::atomic<Function*> function{nullptr};
    std::atomic<KernelState> state{KernelState::unknown};
    std::shared_ptr<Module> module;
  };

  Entry* find(const Hash128& key) const {
    const Table* table = table_.load(std::memory_order_acquire);
    for (size_t i = key.low;; ++i) {
      Entry* entry = table->slots[i & table->mask].load(std::memory_order_acquire);
      if (!entry || entry->key == key) return entry;
    }
  }

  Entry& get(const Hash128& key) {
    if (Entry* known = find(key)) return *known;
    std::lock_guard lock(mutex_);
    if (Entry* known = find(key)) return *known;
    if (2 * entries_.size() >= table_.load()->mask) grow();
    Entry& entry = entries_.emplace_back(key);
    place(*table_.load(), entry);
    return entry;
  }

  /// Its first kernel stays; two threads may have compiled it.
  void set(Entry& entry, std::shared_ptr<Module> module, Function& function) {
    std::lock_guard lock(mutex_);
    if (entry.module) return;
    entry.module = std::move(module);
    entry.function.store(&function, std::memory_order_release);
    entry.state = KernelState::ready;
  }

 private:
  struct Table {
    explicit Table(size_t size) : mask(size - 1), slots(std::make_unique<std::atomic<Entry*>[]>(size)) {}
    size_t mask;
    std::unique_ptr<std::atomic<Entry*>[]> slots;
  };

  static void place(Table& table, Entry& entry) {
    size_t i = entry.key.low;
    while (table.slots[i & table.mask].load(std::memory_order_relaxed)) ++i;
    table.slots[i & table.mask].store(&entry, std::memory_order_release);
  }

  void grow() {
    Table& larger = tables_.emplace_back(2 * (table_.load()->mask + 1));
    for (Entry& entry : entries_) place(larger, entry);
    table_.store(&larger, std::memory_order_release);  // readers may still walk the old one
  }

  std::mutex mutex_;
  std::deque<Entry> entries_;
  std::deque<Table> tables_;
  std::atomic<Table*> table_{&tables_.emplace_back(256)};
};

Kernels& kernel_table() {
  static auto* all = new Kernels;
  return *all;
}

}  // namespace

std::atomic<bool> keeps_groups{false};

namespace {

/// What decides its text, until the thread asks for another's.
std::string_view structure_of(const Group& group) {
  static_assert(std::has_unique_object_representations_v<Instruction>);  // so all of them are hashed as they lie
  thread_local std::vector<char> bytes;
  constexpr size_t others = 128, of_scalar = sizeof(Dtype) + sizeof(int64_t), of_random = 2;
  bytes.resize(others + group.values.size() * sizeof(Instruction) + group.loads.size() + group.aranges.size() +
               group.inner.size() + group.scalars.size() * of_scalar + group.randoms.size() * of_random);
  char* to = bytes.data();
  const auto put = [&](const auto&... parts) { ((std::memcpy(to, &parts, sizeof parts), to += sizeof parts), ...); };
  const auto put_all = [&](const auto& row) {
    const size_t size = row.size() * sizeof row[0];
    if (size) std::memcpy(to, row.data(), size);
    to += size;
  };
  const auto count = [&](size_t n) { put(static_cast<uint16_t>(n)); };
  put(group.kept_rank, group.reduced_rank, group.store_dtype, group.schedule, group.is_reduce, group.reduce_op,
      group.accumulate, group.joins_results, group.form, group.along, group.walks_numbers, group.by_fours, group.has_one_block, group.by_chains, group.wide_index, group.is_simt);
  count(group.values.size());
  put_all(group.values);
  count(group.loads.size());
  put_all(group.loads);
  count(group.scalars.size());
  for (const ScalarSpec& x : group.scalars) put(x.dtype, x.fixed);
  count(group.aranges.size());
  put_all(group.aranges);
  for (const RandomSpec& x : group.randoms) put(x.dtype, x.distribution);
  put_all(group.inner);
  put(group.scan.has_value());
  if (const auto& x = group.scan) put(x->join, x->gives_totals);
  put(group.scatter.has_value());
  if (const auto& x = group.scatter) put(x->distance, x->condition.has_value(), x->condition.value_or(0), x->join.has_value(), x->join.value_or(Op{}), x->is_in_shared);
  return {bytes.data(), static_cast<size_t>(to - bytes.data())};
}

}  // namespace

Hash128 structure(const Group& group, const Device& device) {
  Hash128 hash = hash128(structure_of(group));
  hash.high ^= reinterpret_cast<uintptr_t>(&device) * 0x9e3779b97f4a7c15u;
  return hash;
}

namespace {

Kernels::Entry& entry_of(const Fused& fused, const Device& device) {
  if (!fused.kernel) fused.kernel = &kernel_table().get(structure(fused.group, device));
  return *static_cast<Kernels::Entry*>(fused.kernel);
}

/// Threads of a block where they are cheap. Those that compute long elements end at different times: the fewer wait for each
/// other, the better (sin exp sqrt of 2^28 float32 on an H200: 4.31 TB/s by 256, 4.35 by 128).
constexpr uint32_t simt_block = 256, long_block = 128;
uint32_t block_of(const Group& group) {
  return group.scan ? threads_of_scan : group.schedule == Schedule::eights ? long_block : simt_block;
}

/// The structure, and what its numbers stand for: the pack may be older than the tables.
std::string name_of(const Group& group) {
  static const std::string tables = [] {
    std::string names;
    const auto add = [&](const auto& table) {
      for (const auto& row : table) (names += row.name) += ' ';
    };
    add(dtype_table), add(op_table), add(reduction_table);
    return hash128(names).hex();
  }();
  return tables + std::string(structure_of(group));
}

void compile_group(Kernels::Entry& entry, const Group& group, Device& device) {
  const bool is_brought = device.is_host() && !group.is_simt;
  std::shared_ptr<Module> module = is_brought && !is_traced(Station::text) ? brought_module(name_of(group), device) : nullptr;
  LaunchShape shape;
  if (group.is_simt) shape.block[0] = block_of(group);
  if (!module) {
    const Program program = group_program(group);
    if (is_traced(Station::text)) trace(Station::text, program.text);
    module = compile(program, device);
    if (is_brought && keeps_groups) keep_by_name(name_of(group), program, shape.block, device);
  }
  Function& function = module->function(group_entry);
  function.prepare(shape);
  kernel_table().set(entry, std::move(module), function);
}

/// Its kernel will be there after some time; if it fails, who needs it is told why.
void compile_in_background(Kernels::Entry& entry, const Group& group, Device& device) {
  auto state = entry.state.load();
  if (state == KernelState::wanted) return go_on_in_background();
  if (state == KernelState::ready || state == KernelState::failed || !entry.state.compare_exchange_strong(state, KernelState::wanted)) return;
  in_background([&entry, &device, group] {
    try {
      compile_group(entry, group, device);
    } catch (...) {
      entry.state = KernelState::failed;
    }
  });
}

}  // namespace

Program group_program(const Group& group) {
  Program program;
  program.text = emit(group);
  program.file = "array.cu";
  program.is_generated = true;
  return program;
}

std::string summary(const Fused& fused, const Device& device) {
  std::string text = fused.group.is_reduce ? "reduce" : fused.group.scan ? "scan" : fused.group.scatter ? "scatter" : "map";
  for (const Instruction& x : fused.group.values) {
    text += ' ';
    switch (x.kind) {
      case Instruction::load: text += "load:"; break;
      case Instruction::scalar: text += "number:"; break;
      case Instruction::arange: text += "arange:"; break;
      case Instruction::random: text += "random:"; break;
      case Instruction::apply: text.append(info(x.op).name).append(":"); break;
      case Instruction::cast: text += "as:"; break;
      case Instruction::gather: text += "gather:"; break;
    }
    text += info(x.dtype).name;
  }
  text += " over (";
  for (size_t d = 0; d < fused.space.lengths.size(); ++d) text += (d ? ", " : "") + std::to_string(fused.space.lengths[d]);
  return text + ") on " + device.str();
}

namespace {

/// Parameters in slots of 16 bytes; the low bytes are the value of a narrower one.
class Parameters {
 public:
  void add(int64_t value) { slots_.push_back({{static_cast<uint64_t>(value)}}); }
  void add(const void* pointer) { slots_.push_back({{reinterpret_cast<uintptr_t>(pointer)}}); }
  void add(const Scalar& value, Dtype dtype) {
    Slot slot{};
    value.store(register_dtype(dtype), &slot);
    slots_.push_back(slot);
  }
  void add_rounded(const Scalar& value, Dtype dtype) {
    Slot slot{};
    store_rounded(value, dtype, &slot);
    slots_.push_back(slot);
  }
  void* const* pointers() {
    pointers_.resize(slots_.size());
    for (size_t i = 0; i < slots_.size(); ++i) pointers_[i] = &slots_[i];
    return pointers_.data();
  }
  void clear() { slots_.clear(); }

 private:
  /// As wide as the widest number, a complex128.
  struct alignas(16) Slot {
    uint64_t words[2];
  };
  std::vector<Slot> slots_;
  std::vector<void*> pointers_;
};

Parameters& parameters() {
  thread_local Parameters all;
  all.clear();
  return all;
}

void add_all(Parameters& p, const Fused& fused, Device& device) {
  add_operands(p, fused, device.current_stream());
  add_numbers(fused.space, [&](int64_t number) { p.add(number); });
}

}  // namespace

Function& group_kernel(const Fused& fused, Device& device) {
  if (is_traced(Station::plan)) trace(Station::plan, summary(fused, device));
  Kernels::Entry& entry = entry_of(fused, device);
  if (!entry.function.load(std::memory_order_acquire)) compile_group(entry, fused.group, device);
  return *entry.function.load(std::memory_order_acquire);
}

KernelState kernel_state(const Fused& fused, Device& device) {
  const Kernels::Entry* entry = kernel_table().find(structure(fused.group, device));
  return entry ? entry->state.load() : KernelState::unknown;
}

namespace {

enum class Launches : uint8_t { all, of_kernels_there, none };
thread_local Launches launches = Launches::all;

/// Null: it is not to be launched.
Function* kernel_to_launch(const Fused& fused, Device& device) {
  if (launches != Launches::all) {
    Kernels::Entry& entry = entry_of(fused, device);
    if (entry.state != KernelState::ready && !is_compiled(group_program(fused.group), device)) {
      launches = Launches::none;
      if (is_traced(Station::plan)) trace(Station::plan, summary(fused, device) + ", whose kernel is not there yet");
      compile_in_background(entry, fused.group, device);
    }
    if (launches == Launches::none) return nullptr;
  }
  return &group_kernel(fused, device);
}

}  // namespace

KernelsThatAreThere::KernelsThatAreThere() { launches = Launches::of_kernels_there; }
KernelsThatAreThere::~KernelsThatAreThere() { launches = Launches::all; }
bool KernelsThatAreThere::were_enough() const { return launches != Launches::none; }
bool KernelsThatAreThere::stand() { return launches != Launches::all; }

bool does_without_kernel(const Fused& fused, Device& device) {
  Kernels::Entry& entry = entry_of(fused, device);
  switch (auto state = entry.state.load(std::memory_order_acquire)) {
    case KernelState::unknown:
      entry.state.compare_exchange_strong(state, KernelState::seen);
      break;
    case KernelState::seen:
    case KernelState::wanted: compile_in_background(entry, fused.group, device); break;
    default: return false;
  }
  if (is_traced(Station::plan)) trace(Station::plan, summary(fused, device) + ", operation by operation");
  return true;
}

void store_rounded(const Scalar& value, Dtype dtype, void* to) {
  const Dtype held = register_dtype(dtype);
  if (held == dtype) return value.store(dtype, to);
  uint16_t bits;
  value.store(dtype, &bits);
  Scalar::load(dtype, &bits).store(held, to);
}

RandomKey random_key(uint64_t seed, uint32_t stream) {
  // A seed below 2^32 is the first half of the key as it stands.
  const uint32_t low = static_cast<uint32_t>(seed), high = static_cast<uint32_t>(seed >> 32);
  return {low, stream ^ (high * 0x9E3779B1u)};
}

int64_t outputs(const Fused& fused) {
  int64_t n = 1;
  for (int d = 0; d < fused.group.kept_rank; ++d) n *= fused.space.lengths[static_cast<size_t>(d)];
  return n;
}

int64_t reduced_length(const Fused& fused) {
  int64_t n = 1;
  for (size_t d = fused.group.kept_rank; d < fused.space.lengths.size(); ++d) n *= fused.space.lengths[d];
  return n;
}

void run_map(const Fused& fused, Buffer& buffer) {
  Device& device = buffer.device();
  Function* const function = kernel_to_launch(fused, device);
  if (!function) return;
  buffer.use_here();
  Parameters& p = parameters();
  p.add(static_cast<char*>(buffer.memory()) + fused.space.walks[0].offset);
  add_all(p, fused, device);
  const LaunchShape shape = add_launch(fused.space, fused.group.schedule, block_of(fused.group), 4, [&](int64_t number) { p.add(number); });
  stats().groups_by_kernel.fetch_add(1, std::memory_order_relaxed);
  function->launch(shape, p.pointers(), device.current_stream());
}

void run_scatter(const Fused& fused, const Placed& to, Buffer& buffer) {
  Device& device = buffer.device();
  Function& function = group_kernel(fused, device);
  const IterationSpace& space = fused.space;
  buffer.use_here();
  Parameters& p = parameters();
  p.add(static_cast<char*>(buffer.memory()) + space.walks[0].offset);
  add_all(p, fused, device);
  LaunchShape shape = add_launch(space, fused.group.schedule, simt_block, 1, [&](int64_t number) { p.add(number); });
  if (!fused.group.is_simt) {
    // Few elements are not worth a second thread. Owners each go over all places, and guess half of the time wrong whether one is
    // theirs, which costs ten stores: that is worth it only where much is computed of what is stored.
    constexpr int64_t elements_of_worker = 16384, most_owners = 16;
    constexpr size_t much_work = 16;
    const int64_t useful = std::min<int64_t>(device.properties().multiprocessors, divide_up(space.size(), elements_of_worker));
    const bool is_much = fused.group.values.size() - fused.group.scatter->distance > much_work;
    const bool has_own_places = to.are_different || (space.lengths.size() > 1 && space.walks[0].strides[0] != 0);
    const int64_t outermost = space.lengths[0], rows = space.size() / (space.lengths.size() > 1 ? space.lengths.back() : 1);
    const int64_t together = has_own_places ? divide_up(outermost, std::min(outermost, 4 * useful)) : outermost;
    const int64_t parts = divide_up(outermost, together), owners = has_own_places || !is_much ? 1 : std::min(useful, most_owners);
    for (int64_t number : {rows, together * (rows / outermost), owners, to.least, divide_up(to.most - to.least + 1, owners)}) p.add(number);
    shape = {};
    shape.grid[0] = static_cast<uint32_t>(parts * owners);
  } else if (fused.group.scatter->is_in_shared) {
    constexpr int64_t blocks_of_multiprocessor = 6;  // as many as have room there at once
    const int64_t places = (to.most - to.least) / static_cast<int64_t>(info(to.dtype).size) + 1;
    for (int64_t number : {to.least, places}) p.add(number);
    shape.grid[0] = static_cast<uint32_t>(std::min<int64_t>(shape.grid[0], blocks_of_multiprocessor * device.properties().multiprocessors));
  }
  stats().groups_by_kernel.fetch_add(1, std::memory_order_relaxed);
  function.launch(shape, p.pointers(), device.current_stream());
}

void run_reduce(const Fused& fused, const Chunks& part, void* results, void* positions, Device& device) {
  Function* const function = kernel_to_launch(fused, device);
  if (!function) return;
  const Group& group = fused.group;
  ReduceLaunch launch = reduce_launch(fused.space, group.kept_rank, group.form, group.is_simt, lane_bytes(group.reduce_op, group.accumulate), part,
                                      device.properties().multiprocessors);
  launch.shape.begins_early = group.is_simt;  // as emit() has it
  Parameters& p = parameters();
  p.add(results);
  if (positions) p.add(positions);
  add_all(p, fused, device);
  for (int k = 0; k < launch.count; ++k) p.add(launch.numbers[k]);
  stats().groups_by_kernel.fetch_add(1, std::memory_order_relaxed);
  function->launch(launch.shape, p.pointers(), device.current_stream());
}

namespace {

/// A number of 64 bits that no memory has yet but by a chance of 2^-63, and that is not zero.
int64_t next_launch() {
  static std::atomic<uint64_t> last = (uint64_t{std::random_device{}()} << 32) ^ std::random_device{}();
  return static_cast<int64_t>(last.fetch_add(2, std::memory_order_relaxed) | 1);
}

}  // namespace

void run_scan(const Fused& fused, Buffer& to, const Buffer* before) {
  Device& device = to.device();
  Function& function = group_kernel(fused, device);
  const Group& group = fused.group;
  const ReduceLaunch launch = scan_launch(fused.space, group.form, group.is_simt, info(group.accumulate).size, device.properties().multiprocessors);
  to.use_here();
  Parameters& p = parameters();
  p.add(static_cast<char*>(to.memory()) + (group.walks_result() ? fused.space.walks[0].offset : 0));
  add_all(p, fused, device);
  for (int k = 0; k < launch.count; ++k) p.add(launch.numbers[k]);
  if (group.walks_result()) p.add(before ? before->memory() : nullptr);
  if (group.form == ReduceForm::one_trip) p.add(next_launch());
  stats().groups_by_kernel.fetch_add(1, std::memory_order_relaxed);
  function.launch(launch.shape, p.pointers(), device.current_stream());
}

}  // namespace kasoku
