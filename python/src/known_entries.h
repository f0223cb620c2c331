/// \file python/src/known_entries.h
/// The entries of compiled functions by which tasks run without Python's lock.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "bindings.h"
#include "jit_state.h"

namespace kasoku {

/// How often Python code has run, and may have changed what compiled functions read from outside.
inline std::atomic<uint64_t> python_ran{0};

/// What compiled tasks ran by last: entries that hold as long as no Python code has run.
struct EntryTable {
  struct Known {
    PyObject* function = nullptr;
    std::shared_ptr<JitEntry> entry;
    uint64_t python_ran = 0;
  };
  std::array<Known, 4> all;
  size_t next = 0;

  const Known* find(PyObject* function) const {
    const uint64_t now = python_ran.load(std::memory_order_acquire);
    const auto known = [&](const Known& known) { return known.function == function && known.python_ran == now; };
    const auto found = std::ranges::find_if(all, known);
    return found == all.end() ? nullptr : &*found;
  }
  Known& place_of(PyObject* function) {
    const auto same = std::ranges::find(all, function, &Known::function);
    return same == all.end() ? all[next++ % all.size()] : *same;
  }
};

/// Each thread remembers its own, and all of them what any found: to find an entry takes Python's lock.
class KnownEntries {
 public:
  /// Of the calling thread. Apart: what a thread holds of a library is scarce.
  static KnownEntries& own() {
    thread_local std::unique_ptr<KnownEntries> own;
    if (!own) own = std::make_unique<KnownEntries>();
    return *own;
  }

  const JitEntry* find(PyObject* function) {
    if (const auto* known = own_.find(function)) return known->entry.get();
    Everyones& everyones = of_all();
    const std::lock_guard lock(everyones.mutex);
    const auto* known = everyones.table.find(function);
    if (!known) return nullptr;
    EntryTable::Known& place = own_.place_of(function);
    everyones.dropped.push_back(std::move(place.entry));
    place = *known;
    return place.entry.get();
  }
  /// With Python's lock.
  void add(PyObject* function, const std::shared_ptr<JitEntry>& entry) {
    const EntryTable::Known known{function, entry, python_ran.load()};
    own_.place_of(function) = known;
    std::vector<std::shared_ptr<JitEntry>> dropped;  // gone when nobody waits for the mutex
    Everyones& everyones = of_all();
    const std::lock_guard lock(everyones.mutex);
    dropped.swap(everyones.dropped);
    EntryTable::Known& place = everyones.table.place_of(function);
    dropped.push_back(std::move(place.entry));
    place = known;
  }
  ~KnownEntries() {
    if (is_python_gone())
      for (EntryTable::Known& known : own_.all) new std::shared_ptr<JitEntry>(std::move(known.entry));  // it may hold objects
    else if (std::ranges::any_of(own_.all, [](const EntryTable::Known& known) { return known.entry != nullptr; })) {
      const GilHeld gil;
      own_ = {};
    }
  }

 private:
  struct Everyones {
    std::mutex mutex;
    EntryTable table;
    std::vector<std::shared_ptr<JitEntry>> dropped;  ///< by threads without Python's lock; they may hold objects
  };
  static Everyones& of_all() {
    static auto* all = new Everyones;  // threads may hold it at the process's end
    return *all;
  }

  EntryTable own_;
};

}  // namespace kasoku
