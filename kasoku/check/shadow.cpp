#include "kasoku/check/shadow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

namespace kasoku {

namespace {

constexpr uint64_t page_bytes = 1024;
constexpr const char* for_all = "all threads of a block must come to the same barriers";
thread_local Shadow* current_shadow = nullptr;

}  // namespace

Shadow::Shadow(std::vector<KnownArray> arrays, Agents agents)
    : arrays_(std::move(arrays)), agents_(agents) {}

Shadow::~Shadow() = default;

Shadow* Shadow::current() { return current_shadow; }

Shadow::Scope::Scope(Shadow& shadow) : previous_(current_shadow) { current_shadow = &shadow; }
Shadow::Scope::~Scope() { current_shadow = previous_; }

/// The cells that [address, address + bytes) covers in one page. A page's cells
/// are as fine as its finest access so far: a coarse one is split when needed.
Shadow::Cell* Shadow::cells(uint64_t address, uint32_t bytes, uint32_t* count, Page** found) {
  Page& page = pages_[address / page_bytes];
  if (page.cells.empty()) page.cells.resize(page_bytes / page.granule);
  const uint64_t bits = address | bytes;
  const uint32_t wanted = std::min<uint32_t>(8, 1u << std::countr_zero(bits));
  while (page.granule > wanted) {
    std::vector<Cell> finer;
    finer.reserve(page.cells.size() * 2);
    for (const Cell& cell : page.cells) {
      finer.push_back(cell);
      finer.push_back(cell);
    }
    page.cells = std::move(finer);
    page.granule /= 2;
  }
  const uint32_t first = static_cast<uint32_t>(address % page_bytes) / page.granule;
  *count = std::max<uint32_t>(1, bytes / page.granule);
  *found = &page;
  return &page.cells[first];
}

bool Shadow::is_ordered(const Touch& a, const Touch& b) {
  if (a.epoch != b.epoch) return true;
  if (a.block == b.block && a.thread == b.thread) return true;
  if (agents_ == Agents::iterations) return false;
  const Intervals& now = intervals_[b.thread];
  if (a.block == b.block) {
    if (a.interval != b.interval) return true;
    if (a.thread / 32 == b.thread / 32 && now.known[a.thread % 32] > a.when) return true;
    if (now.heard && a.thread < now.heard->size() && (*now.heard)[a.thread] > a.when) return true;
  }
  const auto covers = [&](FenceOrder& order) {
    return order.covers({a.block, a.thread}, a.when, a.interval, a.is_atomic || a.is_flag, {b.block, b.thread}, now.block);
  };
  return covers(order_) || (a.block == b.block && covers(order_in_block_));
}

bool Shadow::is_synchronised(const Touch& a, const Touch& b) {
  if (a.block != b.block && (a.is_of_block || b.is_of_block)) return false;
  if (a.is_atomic && b.is_atomic) return true;
  const auto waits = [](const Touch& touch) { return touch.is_volatile || touch.is_atomic; };
  return (a.is_flag && waits(b)) || (b.is_flag && waits(a));
}

/// The agent compares and exchanges here: what it read here before was no race.
void Shadow::tested(Cell& cell, const Touch& touch, uint64_t address) {
  const auto is_own = [&](const Touch& old) { return old.site && old.block == touch.block && old.thread == touch.thread; };
  for (Touch* old : {&cell.reader, &cell.other_reader})
    if (is_own(*old)) {
      if (!old->is_atomic) tested_sites_.insert(old->site);
      old->is_atomic = true;
    }
  std::erase_if(untested_, [&](const Untested& each) { return each.address == address && is_own(each.reader); });
}

void* Shadow::access(char* address, uint64_t bytes, uint32_t flags, const ks_check_site& site,
                     uint64_t block, uint64_t thread) {
  if (address >= harmless_ && address < harmless_ + sizeof harmless_) return address;  // within() has said why
  const bool writes = flags & ks_access_write;
  const KnownArray* array = array_of(site, address);
  if (agents_ == Agents::iterations) {  // only arrays are looked at
    if (!array) return address;
    thread = iteration_;
  } else if (site.parameter == -2 && !array) {  // what else a function is given may be its caller's own
    const auto after = shared_.upper_bound(address);
    if (after == shared_.begin() || address >= std::prev(after)->first + std::prev(after)->second) return address;
    flags |= ks_access_shared;
  }
  if (array && (address < array->begin || address + bytes > array->begin + array->bytes)) {
    const auto size = static_cast<int64_t>(std::max<uint64_t>(array->element_bytes, 1));
    const int64_t offset = address - array->begin;
    return outside(array->name, offset >= 0 ? offset / size : -((-offset + size - 1) / size), array->bytes / size, bytes,
                   writes, site, block, thread, const_cast<char*>(array->begin));
  }
  if (interval_block_ != block) {
    looks_ = 0;
    look_ = {};
    seen_.clear();
  }
  const Intervals& now = intervals_of(block, thread);
  Touch touch{block, thread, ++now_, now.block, epoch_, (flags & ks_access_atomic) != 0,
              (flags & ks_access_volatile) != 0, false, (flags & ks_access_block) != 0, &site};
  last_ = touch;
  count_look(touch, address, bytes);
  if (agents_ == Agents::threads) {
    touch.is_flag = touch.is_volatile && writes && order_.has_fenced({block, thread});
    keep_moments(touch, flags, reinterpret_cast<uint64_t>(address), now.known);
  }
  bool is_unwritten = true;
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t at = reinterpret_cast<uint64_t>(address) + done;
    const uint64_t step = std::min(bytes - done, page_bytes - at % page_bytes);
    uint32_t count;
    Page* page;
    Cell* cell = cells(at, static_cast<uint32_t>(step), &count, &page);
    for (uint32_t i = 0; i < count; ++i, ++cell) {
      if (flags & ks_access_shared) {  // a new block finds its shared memory untouched
        for (Touch* old : {&cell->writer, &cell->reader, &cell->other_reader})
          if (old->site && old->block != block) old->site = nullptr;
      }
      is_unwritten &= !cell->writer.site;
      if (flags & ks_access_exchange) tested(*cell, touch, reinterpret_cast<uint64_t>(address));
      if (cell->writer.site && !is_synchronised(cell->writer, touch) && !is_ordered(cell->writer, touch))
        conflict(cell->writer, true, touch, writes, address);
      if (writes) {
        for (const Touch& old : {cell->reader, cell->other_reader})
          if (old.site && !is_synchronised(old, touch) && !is_ordered(old, touch))
            conflict(old, false, touch, true, address);
        // An atomic hides no plain write of the same agent that others have not seen.
        const Touch& old = cell->writer;
        const bool is_again = old.site && old.block == block && old.thread == thread && old.epoch == epoch_ &&
                              old.interval == touch.interval && old.when > now.known[thread % 32];
        if (!is_again || old.is_atomic || old.is_flag || !(touch.is_atomic || touch.is_flag)) cell->writer = touch;
      } else {
        note_reader(*cell, touch);
      }
    }
    done += step;
  }
  // Between the members of a structure that is copied is what nobody writes or asks for.
  if (flags & ks_access_read && is_unwritten && !(flags & ks_access_bits)) {
    if (flags & ks_access_shared)
      unwritten_.emplace_back(&site, Finding{"uninitialised", site.array, site.file, site.line, 0,
              fmt::format("{} reads {} before any thread of its block has written there",
                          agent(touch), element(site, address))});
    else if (array && array->is_unwritten)
      unwritten_.emplace_back(&site, Finding{"uninitialised", array->name, site.file, site.line, 0,
              fmt::format("{} reads {}, which nobody has written", agent(touch), element(site, address))});
  }
  return address;
}

/// The value is read at the next access: the kernel has been there then, so that memory can be read.
void Shadow::count_look(const Touch& touch, const char* address, uint64_t bytes) {
  const bool looks = touch.is_atomic || touch.is_volatile;
  looks_ = looks ? looks_ + 1 : 0;
  if (looks && !look_.empty()) {
    uint64_t value = 0;
    std::memcpy(&value, look_.data(), look_.size());
    const auto [seen, is_new] = seen_.try_emplace(look_.data(), value);
    if (is_new || std::exchange(seen->second, value) != value) looks_ = 0;
  }
  look_ = looks ? std::span(address, std::min<uint64_t>(bytes, sizeof(uint64_t))) : std::span<const char>();
}

void* Shadow::outside(const std::string& name, int64_t index, uint64_t count, uint64_t bytes, bool writes,
                      const ks_check_site& site, uint64_t block, uint64_t thread, void* inside) {
  report({"bounds", name, site.file, site.line, 0,
          fmt::format("{} {} {}[{}], which has {} elements; guard the access, or give a larger array",
                      agent(Touch{block, thread}), writes ? "writes" : "reads", name, index, count)});
  return bytes <= sizeof harmless_ ? harmless_ : inside;
}

void* Shadow::within(char* address, uint64_t bytes, uint32_t flags, const ks_check_site& site, uint64_t block,
                     uint64_t thread, char* variable, uint64_t size) {
  const auto offset = static_cast<int64_t>(address - variable), length = static_cast<int64_t>(bytes);
  if (offset >= 0 && offset + length <= static_cast<int64_t>(size)) return address;
  const int64_t index = offset >= 0 ? offset / length : -((-offset + length - 1) / length);
  return outside(site.array, index, size / bytes, bytes, flags & ks_access_write, site, block, thread, variable);
}

void Shadow::faulted(const std::string& why) {
  if (last_.site)
    report({"bounds", last_.site->array, last_.site->file, last_.site->line, 0,
            fmt::format("{} failed at line {}: {}", agent(last_), last_.site->line, why)});
}

/// Two readers are enough: the latest, and one that a writer of the latest's
/// block or thread could still conflict with.
void Shadow::note_reader(Cell& cell, const Touch& touch) {
  Touch& latest = cell.reader;
  Touch& other = cell.other_reader;
  const bool is_same = latest.site && latest.block == touch.block && latest.thread == touch.thread;
  if (latest.site && !is_same) {
    const bool other_is_foreign = other.site && other.epoch == touch.epoch && other.block != touch.block;
    if (!other_is_foreign) other = latest;
  }
  latest = touch;
}

/// What fences and atomics release and acquire by this access.
void Shadow::keep_moments(const Touch& touch, uint32_t flags, uint64_t address, const WarpClock& known) {
  const Agent own{touch.block, touch.thread};
  const bool writes = flags & ks_access_write, reads = flags & ks_access_read;
  for (FenceOrder* order : {&order_, &order_in_block_}) {
    if (touch.is_of_block && order == &order_) continue;
    if (flags & ks_access_ordered) order->fence(own, touch.when, touch.interval, known);
    if (reads && (touch.is_atomic || touch.is_volatile)) order->acquire(own, address, flags & ks_access_relaxed);
    if (writes && (touch.is_atomic || touch.is_flag)) order->release(own, address, touch.when, touch.interval);
  }
  if (writes && !touch.is_atomic && !touch.is_flag) order_.plain_write(own, touch.when);
}

Shadow::Intervals& Shadow::intervals_of(uint64_t block, uint64_t thread) {
  if (interval_block_ != block) {
    intervals_.clear();
    meetings_.clear();
    exits_.clear();
    parts_ = {};
    waiters_.clear();
    joined_.clear();
    interval_block_ = block;
  }
  Intervals& now = intervals_[thread];
  if (const std::shared_ptr<Part> part = std::exchange(now.part, nullptr)) {
    // Who goes on has met all who came, so that nobody adds to what they know.
    if (!part->of_those_who_wait) part->of_those_who_wait = std::make_shared<const std::vector<Moment>>(std::move(part->known));
    now.heard = later(now.heard, part->of_those_who_wait);
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (const uint64_t other = thread / 32 * 32 + lane; other < now.heard->size())
        now.known[lane] = std::max(now.known[lane], (*now.heard)[other]);
    order_.leave_part({block, thread}, part->of_all);
    order_in_block_.leave_part({block, thread}, part->in_block);
  }
  if (Meeting* met = std::exchange(now.met, nullptr)) {
    now.known = met->known;
    now.heard = later(now.heard, met->heard);
    order_.leave({block, thread}, met->of_all);
    order_in_block_.leave({block, thread}, met->in_block);
    const auto& [lanes, times] = now.barriers.back();
    if (const auto ended = exits_.find(thread / 32); ended != exits_.end())
      for (uint32_t lane = 0; lane < 32; ++lane)
        if ((lanes & ~met->came) >> lane & 1)  // who has met here may have run to its end since
          now.known[lane] = std::max(now.known[lane], ended->second[lane]);
    if (--met->here == 0) meetings_.erase({thread / 32, lanes, times});
  }
  return now;
}

void Shadow::barrier(uint64_t block, uint64_t thread, uint32_t lanes, const ks_check_site* site) {
  Intervals& now = intervals_of(block, thread);
  if (!lanes) {
    if (site && now.block == waiters_.size()) waiters_.emplace_back(thread, site);
    if (site && now.block < waiters_.size()) {
      const auto& [first, there] = waiters_[now.block];
      if (there->line != site->line)
        report({"divergence", site->array, site->file, site->line, there->line,
                fmt::format("{} waits here (line {}) while {} waits at another barrier (line {}); {}", agent(Touch{block, thread}),
                            site->line, agent(Touch{block, first}), there->line, for_all)});
    }
    order_.barrier({block, thread}, now.block);
    order_in_block_.barrier({block, thread}, now.block);
    ++now.block;
    return;
  }
  now.known[thread % 32] = ++now_;
  auto same = std::ranges::find(now.barriers, lanes, &std::pair<uint32_t, uint32_t>::first);
  if (same == now.barriers.end()) same = now.barriers.insert(same, {lanes, 0});
  std::iter_swap(same, now.barriers.end() - 1);  // the last one is the one at which it stands
  now.met = &meetings_[{thread / 32, lanes, ++now.barriers.back().second}];
  ++now.met->here;
  now.met->came |= 1u << thread % 32;
  join(now.met->known, now.known);
  now.met->heard = later(now.met->heard, now.heard);
  order_.arrive({block, thread}, now.met->of_all);
  order_in_block_.arrive({block, thread}, now.met->in_block);
}

Shadow::BlockClock Shadow::later(const BlockClock& a, const BlockClock& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  const auto is_behind = [](const BlockClock& one, const BlockClock& other) {
    return one->size() <= other->size() && std::equal(one->begin(), one->end(), other->begin(), std::less_equal<>());
  };
  if (is_behind(a, b)) return b;
  if (is_behind(b, a)) return a;
  std::vector<Moment> both = a->size() < b->size() ? *b : *a;
  const std::vector<Moment>& other = a->size() < b->size() ? *a : *b;
  std::transform(other.begin(), other.end(), both.begin(), both.begin(), [](Moment x, Moment y) { return std::max(x, y); });
  return std::make_shared<const std::vector<Moment>>(std::move(both));
}

void Shadow::part(uint64_t block, uint64_t thread, uint32_t barrier, uint32_t threads, bool only_arrives) {
  Intervals& now = intervals_of(block, thread);
  std::shared_ptr<Part>& here = parts_[barrier];
  if (!here) here = std::make_shared<Part>();
  std::vector<Moment>& known = here->known;
  const auto hear = [&](uint64_t of, Moment when) {
    if (known.size() <= of) known.resize(of + 1);
    known[of] = std::max(known[of], when);
  };
  now.known[thread % 32] = ++now_;
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (now.known[lane]) hear(thread / 32 * 32 + lane, now.known[lane]);
  for (uint64_t of = 0; now.heard && of < now.heard->size(); ++of)
    if ((*now.heard)[of]) hear(of, (*now.heard)[of]);
  order_.arrive_in_part({block, thread}, here->of_all);
  order_in_block_.arrive_in_part({block, thread}, here->in_block);
  if (!only_arrives) now.part = here;
  if (++here->came >= threads) here = nullptr;
}

/// Threads that come for the same time have passed as many barriers, or some went around one.
void Shadow::rejoin(uint64_t block, uint64_t thread, uint32_t join, const ks_check_site& site) {
  Intervals& now = intervals_of(block, thread);
  const auto& [first, barriers] = joined_.try_emplace({join, now.joins[join]++}, thread, now.block).first->second;
  if (barriers == now.block) return;
  const bool is_around = now.block < barriers;
  report({"divergence", site.array, site.file, site.line, 0,
          fmt::format("{} goes around the barrier (line {}) at which {} waits; {}", agent(Touch{block, is_around ? thread : first}),
                      site.line, agent(Touch{block, is_around ? first : thread}), for_all)});
}

void Shadow::exit(uint64_t block, uint64_t thread) {
  intervals_of(block, thread);  // of this block
  exits_[thread / 32][thread % 32] = ++now_;
}

void Shadow::fence(uint64_t block, uint64_t thread, bool is_of_block) {
  const Intervals& own = intervals_of(block, thread);
  order_in_block_.fence({block, thread}, ++now_, own.block, own.known);
  if (is_of_block) order_.fence_of_block({block, thread}, now_);
  else order_.fence({block, thread}, now_, own.block, own.known);
}

/// Threads run one after another in the same stack: a variable takes the place of those that were there.
void Shadow::local(const char* variable, uint64_t bytes) {
  auto at = locals_.lower_bound(variable);
  if (at != locals_.begin())
    if (const auto before = std::prev(at); before->first + before->second.size() > variable) at = before;
  while (at != locals_.end() && at->first < variable + bytes) at = locals_.erase(at);
  locals_[variable].resize(bytes);
  forget(variable, bytes);
}

void Shadow::local_access(const char* address, uint64_t bytes, uint32_t flags, const ks_check_site& site, uint64_t block,
                          uint64_t thread, uint64_t bits) {
  const auto after = locals_.upper_bound(address);
  if (after == locals_.begin()) return;
  auto& [variable, written] = *std::prev(after);
  const auto first = static_cast<uint64_t>(address - variable);
  if (first >= written.size() || flags & ks_access_bits) return;
  const std::span touched = std::span(written).subspan(first, std::min<uint64_t>(bytes, written.size() - first));
  // A bitfield has some bits of a word; what is longer is touched as a whole.
  const auto bits_of = [bits](uint64_t byte) { return static_cast<uint8_t>(byte < 8 ? bits >> 8 * byte : 0xff); };
  bool is_unwritten = true;  // where only a part is, what is left out lies between members
  for (uint64_t i = 0; i < touched.size(); ++i) {
    is_unwritten &= !(touched[i] & bits_of(i));
    if (flags & ks_access_write) touched[i] |= bits_of(i);
  }
  if (flags & ks_access_write || !is_unwritten) return;
  report({"uninitialised", site.array, site.file, site.line, 0,
          fmt::format("{} reads {}[{}], its own, before it has written there", agent(Touch{block, thread}), site.array,
                      first / bytes)});
}

void Shadow::forget(const char* memory, uint64_t bytes) {
  const uint64_t begin = reinterpret_cast<uint64_t>(memory), end = begin + bytes;
  for (uint64_t page = begin / page_bytes; page * page_bytes < end; ++page) {
    const auto found = pages_.find(page);
    if (found == pages_.end()) continue;
    const uint32_t granule = found->second.granule;
    for (size_t i = 0; i < found->second.cells.size(); ++i) {
      const uint64_t at = page * page_bytes + i * granule;
      if (at + granule > begin && at < end) found->second.cells[i] = {};
    }
  }
}

void Shadow::allocated(char* memory, uint64_t bytes, bool is_unwritten) {
  if (!memory) return;
  freed(memory);
  forget(memory, bytes);
  allocated_[memory] = {memory, bytes, "an array", 0, nullptr, {}, {}, is_unwritten};
}

void Shadow::freed(char* memory) {
  const auto found = allocated_.find(memory);
  if (found == allocated_.end()) return;
  forget(memory, found->second.bytes);
  allocated_.erase(found);
  look_ = {};
}

void Shadow::named(KnownArray array) {
  const auto found = allocated_.find(array.begin);
  if (found == allocated_.end() || found->second.element_bytes) return;
  array.bytes = found->second.bytes;
  array.is_unwritten = found->second.is_unwritten;
  found->second = std::move(array);
}

int64_t Shadow::index(int64_t index, int64_t length, int axis, const char* array, const char* file, int line,
                      uint64_t block, uint64_t thread) {
  if (index >= 0 && index < length) return index;
  Touch touch{block, thread};
  report({"bounds", array, file, line, 0,
          fmt::format("{} uses index {} of {}, which has {} elements along axis {}; guard the access, or give a larger array",
                      agent(touch), index, array, length, axis)});
  // Far outside of a parameter, where access() gives harmless memory; others have none to give.
  const bool is_parameter = std::ranges::any_of(arrays_, [&](const KnownArray& known) { return known.name == array; });
  return is_parameter ? int64_t{1} << 31 : 0;
}

std::string Shadow::agent(const Touch& touch) const {
  if (agents_ == Agents::iterations)
    return touch.thread == ~0ull ? "the code outside the loop" : fmt::format("iteration {}", touch.thread);
  return fmt::format("thread {} of block {}", touch.thread, touch.block);
}

const KnownArray* Shadow::array_of(const ks_check_site& site, const char* address) {
  if (agents_ == Agents::iterations) {
    for (const KnownArray& array : arrays_)
      if (address >= array.begin && address < array.begin + array.bytes) return &array;
    auto after = allocated_.upper_bound(address);
    if (after == allocated_.begin()) return nullptr;
    const KnownArray& array = (--after)->second;
    return address < array.begin + array.bytes ? &array : nullptr;
  }
  if (site.parameter == -2) {
    const auto holds = [&](const KnownArray& array) { return address >= array.begin && address < array.begin + array.bytes; };
    const auto found = std::ranges::find_if(arrays_, holds);
    return found == arrays_.end() ? nullptr : &*found;
  }
  if (site.parameter < 0) return nullptr;
  auto [found, is_new] = array_of_site_.try_emplace(&site, nullptr);
  if (!is_new) return found->second;
  for (const KnownArray& array : arrays_)
    if (!grid_.is_child && array.begin && array.name == site.array) found->second = &array;
  for (const auto& [name, array] : grid_.parameters)
    if (name == site.array) found->second = array;
  return found->second;
}

std::string Shadow::name_of(const ks_check_site& site, const char* address) {
  const KnownArray* array = array_of(site, address);
  return array ? array->name : site.array;
}

std::string Shadow::element(const ks_check_site& site, const char* address) {
  const KnownArray* array = array_of(site, address);
  return array && array->element_bytes ? array->element(address) : name_of(site, address);
}

std::string KnownArray::element(const char* address) const {
  const auto size = static_cast<int64_t>(element_bytes);
  const bool is_plain = shape.size() > 1 && std::ranges::all_of(strides, [](int64_t s) { return s > 0; });
  if (!is_plain) return fmt::format("{}[{}]", name, (address - (shape.size() == 1 && first ? first : begin)) / size /
                                                        (shape.size() == 1 && strides[0] ? strides[0] : 1));
  std::vector<size_t> axes(shape.size());
  for (size_t k = 0; k < axes.size(); ++k) axes[k] = k;
  std::ranges::sort(axes, [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  Extents at(shape.size());
  int64_t rest = (address - first) / size;
  for (const size_t k : axes) at[k] = rest / strides[k], rest %= strides[k];
  return fmt::format("{}[{}]", name, fmt::join(at, ", "));
}

void Shadow::conflict(const Touch& earlier, bool earlier_writes, const Touch& later, bool later_writes,
                      const char* address) {
  const char* cure = agents_ == Agents::iterations
                         ? "give each iteration an element of its own, or use a reduction"
                     : earlier.block == later.block ? "put __syncthreads() between them, or use an atomic"
                                                    : "blocks run in any order: use an atomic";
  Finding finding{"race", name_of(*later.site, address), later.site->file, later.site->line, earlier.site->line,
          fmt::format("{} {} {} (line {}) and {} {} it (line {}) with nothing to order them; {}",
                      agent(later), later_writes ? "writes" : "reads", element(*later.site, address),
                      later.site->line, agent(earlier), earlier_writes ? "writes" : "reads",
                      earlier.site->line, cure)};
  const Touch& reader = later_writes ? earlier : later;
  if (!earlier_writes) raced_sites_.insert(earlier.site);
  const bool may_be_tested = earlier_writes != later_writes && (later_writes ? later : earlier).is_atomic && !reader.is_atomic;
  if (may_be_tested)
    untested_.push_back({reader, reinterpret_cast<uint64_t>(address), std::move(finding)});
  else
    report(std::move(finding));
}

std::vector<Finding> Shadow::findings() {
  for (Untested& each : untested_)
    if (!tested_sites_.contains(each.reader.site)) report(std::move(each.finding));
  for (auto& [site, finding] : unwritten_)
    if (!raced_sites_.contains(site)) report(std::move(finding));
  untested_.clear(), unwritten_.clear();
  return findings_;
}

void Shadow::report(Finding finding) {
  if (!said_.emplace(finding.kind + finding.array, finding.line, finding.other_line).second) return;
  findings_.push_back(std::move(finding));
}

}  // namespace kasoku
