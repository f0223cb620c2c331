#include "kasoku/check/shadow.h"

#include "kasoku/device/cpu/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>

namespace kasoku {

namespace {

constexpr uint64_t page_bytes = 1024;
thread_local Shadow* current_shadow = nullptr;

}  // namespace

void register_check_functions() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto add = [](const char* name, auto* function) {
      cpu::register_runtime_function(name, reinterpret_cast<void*>(function));
    };
    add("ks_check_access", &ks_check_access);
    add("ks_check_barrier", &ks_check_barrier);
    add("ks_check_iteration", &ks_check_iteration);
    add("ks_check_interval", &ks_check_interval);
  });
}

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

bool Shadow::is_ordered(const Touch& a, const Touch& b) const {
  if (a.epoch != b.epoch) return true;
  if (a.block == b.block && a.thread == b.thread) return true;
  if (a.block != b.block || agents_ == Agents::iterations) return false;
  if (a.interval != b.interval) return true;
  return a.thread / 32 == b.thread / 32 && a.warp_interval != b.warp_interval;
}

void* Shadow::access(char* address, uint64_t bytes, uint32_t flags, const ks_check_site& site,
                     uint64_t block, uint64_t thread) {
  const bool writes = flags & ks_access_write;
  const KnownArray* array = array_of(site, address);
  if (agents_ == Agents::iterations) {  // only the caller's arrays are looked at
    if (!array) return address;
    thread = iteration_;
  }
  if (array && (address < array->begin || address + bytes > array->begin + array->bytes)) {
    const auto size = static_cast<int64_t>(std::max<uint64_t>(array->element_bytes, 1));
    const int64_t offset = address - array->begin;
    const int64_t index = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
    const Touch touch{block, thread, 0, 0, 0, false, &site};
    report({"bounds", site.array, site.file, site.line, 0,
            fmt::format("{} {} {}[{}], which has {} elements; guard the access, or give a larger array",
                        agent(touch), writes ? "writes" : "reads", site.array, index,
                        array->bytes / size)});
    return bytes <= sizeof harmless_ ? harmless_ : const_cast<char*>(array->begin);
  }
  if (interval_block_ != block) {
    intervals_.clear();
    interval_block_ = block;
  }
  const Intervals& now = intervals_[thread];
  const Touch touch{block, thread, now.block, now.warp, epoch_, (flags & ks_access_atomic) != 0, &site};
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
        if (!writes && !cell->writer.site)
          report({"uninitialised", site.array, site.file, site.line, 0,
                  fmt::format("{} reads {} before any thread of its block has written there",
                              agent(touch), element(site, address))});
      }
      if (cell->writer.site && !(cell->writer.is_atomic && touch.is_atomic) &&
          !is_ordered(cell->writer, touch))
        conflict(cell->writer, true, touch, writes, address);
      if (writes) {
        for (const Touch& old : {cell->reader, cell->other_reader})
          if (old.site && !(old.is_atomic && touch.is_atomic) && !is_ordered(old, touch))
            conflict(old, false, touch, true, address);
        cell->writer = touch;
      } else {
        note_reader(*cell, touch);
      }
    }
    done += step;
  }
  return address;
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

void Shadow::barrier(uint64_t block, uint64_t thread, bool is_warp) {
  if (interval_block_ != block) {
    intervals_.clear();
    interval_block_ = block;
  }
  Intervals& now = intervals_[thread];
  ++(is_warp ? now.warp : now.block);
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
    return nullptr;
  }
  if (site.parameter < 0) return nullptr;
  auto [found, is_new] = array_of_site_.try_emplace(&site, nullptr);
  if (is_new)
    for (const KnownArray& array : arrays_)
      if (array.begin && array.name == site.array) found->second = &array;
  return found->second;
}

std::string Shadow::name_of(const ks_check_site& site, const char* address) {
  const KnownArray* array = array_of(site, address);
  return array ? array->name : site.array;
}

std::string Shadow::element(const ks_check_site& site, const char* address) {
  const KnownArray* array = array_of(site, address);
  if (!array || !array->element_bytes) return site.array;
  return fmt::format("{}[{}]", array->name,
                     (address - array->begin) / static_cast<int64_t>(array->element_bytes));
}

void Shadow::conflict(const Touch& earlier, bool earlier_writes, const Touch& later, bool later_writes,
                      const char* address) {
  const char* cure = agents_ == Agents::iterations
                         ? "give each iteration an element of its own, or use a reduction"
                     : earlier.block == later.block ? "put __syncthreads() between them, or use an atomic"
                                                    : "blocks run in any order: use an atomic";
  report({"race", name_of(*later.site, address), later.site->file, later.site->line, earlier.site->line,
          fmt::format("{} {} {} (line {}) and {} {} it (line {}) with nothing to order them; {}",
                      agent(later), later_writes ? "writes" : "reads", element(*later.site, address),
                      later.site->line, agent(earlier), earlier_writes ? "writes" : "reads",
                      earlier.site->line, cure)});
}

void Shadow::report(Finding finding) {
  if (!said_.emplace(finding.kind + finding.array, finding.line, finding.other_line).second) return;
  findings_.push_back(std::move(finding));
}

}  // namespace kasoku

extern "C" void* ks_check_access(void* address, uint64_t bytes, uint32_t flags,
                                 const ks_check_site* site, uint64_t block, uint64_t thread) {
  kasoku::Shadow* shadow = kasoku::Shadow::current();
  return shadow ? shadow->access(static_cast<char*>(address), bytes, flags, *site, block, thread) : address;
}

extern "C" void ks_check_barrier(uint64_t block, uint64_t thread, uint32_t is_warp) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->barrier(block, thread, is_warp != 0);
}

extern "C" void ks_check_iteration(int64_t i) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->iteration(static_cast<uint64_t>(i));
}

extern "C" void ks_check_interval() {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->next_interval();
}
