/// \file kasoku/check/shadow.h
/// Memory that knows who touched it: the dynamic half of check.
///
/// The instrumented program runs one agent (a thread of a block, an iteration of
/// a loop) after another and tells each access. Two accesses conflict if and only
/// if they touch one element from different agents, one of them writes, not both
/// are atomic, and no barrier orders them; since every pair meets in the shadow
/// of its element, no schedule can hide one and none is invented.
#pragma once

#include "kasoku/check/finding.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

extern "C" {

/// Where an access stands in the source; constants of instrumented code.
struct ks_check_site {
  const char* array;  ///< the name in the user's source
  const char* file;
  int32_t line;
  int32_t parameter;  ///< of the kernel that the pointer comes from; -1: another memory
};

enum {
  ks_access_read = 1,
  ks_access_write = 2,
  ks_access_atomic = 4,
  ks_access_shared = 8,  ///< __shared__ memory: fresh for every block
};

/// Records an access of `bytes` at `address` and returns the address to use: the
/// same, or harmless memory if it is out of bounds.
void* ks_check_access(void* address, uint64_t bytes, uint32_t flags, const ks_check_site* site,
                      uint64_t block, uint64_t thread);
/// A loop of a compiled function: iteration `i` runs from here on; a parallel loop
/// begins or ends.
void ks_check_iteration(int64_t i);
void ks_check_interval(void);
/// The thread of the block passes a barrier of the block, or of its warp.
void ks_check_barrier(uint64_t block, uint64_t thread, uint32_t is_warp);
}

namespace kasoku {

/// An array that the checked call was given.
struct KnownArray {
  const char* begin;
  uint64_t bytes;
  std::string name;
  uint64_t element_bytes;
};

/// Makes the functions above known to generated code; any number of times.
void register_check_functions();

class Shadow {
 public:
  /// How a sentence names agents: "thread 3 of block 0" or "iteration 3".
  enum class Agents : uint8_t { threads, iterations };

  /// `arrays` are parameters, found by their names.
  Shadow(std::vector<KnownArray> arrays, Agents agents);
  ~Shadow();

  void* access(char* address, uint64_t bytes, uint32_t flags, const ks_check_site& site,
               uint64_t block, uint64_t thread);
  void barrier(uint64_t block, uint64_t thread, bool is_warp);
  /// A parallel loop begins or ends: what went before is ordered with what follows.
  void next_interval() { ++epoch_, iteration_ = ~0ull; }
  void iteration(uint64_t i) { iteration_ = i; }
  void report(Finding finding);

  std::vector<Finding> findings() const { return findings_; }

  /// The one that runs on this thread, for the functions above.
  static Shadow* current();

  /// Makes a Shadow current while alive.
  class Scope {
   public:
    explicit Scope(Shadow& shadow);
    ~Scope();

   private:
    Shadow* previous_;
  };

 private:
  struct Touch {
    uint64_t block = 0;
    uint64_t thread = 0;
    uint32_t interval = 0, warp_interval = 0, epoch = 0;
    bool is_atomic = false;
    const ks_check_site* site = nullptr;  ///< null: nobody yet
  };
  struct Cell {
    Touch writer, reader, other_reader;
  };
  struct Page {
    uint32_t granule = 8;  ///< bytes of a cell
    std::vector<Cell> cells;
  };
  struct Intervals {
    uint32_t block = 0, warp = 0;
  };

  Cell* cells(uint64_t address, uint32_t bytes, uint32_t* count, Page** page);
  bool is_ordered(const Touch& a, const Touch& b) const;
  void conflict(const Touch& earlier, bool earlier_writes, const Touch& later, bool later_writes,
                const char* address);
  void note_reader(Cell& cell, const Touch& touch);
  /// The array that the site means, or that the address is in, or nullptr.
  const KnownArray* array_of(const ks_check_site& site, const char* address);
  std::string name_of(const ks_check_site& site, const char* address);
  std::string element(const ks_check_site& site, const char* address);
  std::string agent(const Touch& touch) const;

  std::vector<KnownArray> arrays_;
  std::unordered_map<const ks_check_site*, const KnownArray*> array_of_site_;
  Agents agents_;
  uint32_t epoch_ = 0;
  uint64_t iteration_ = ~0ull;
  std::unordered_map<uint64_t, Page> pages_;
  std::unordered_map<uint64_t, Intervals> intervals_;
  uint64_t interval_block_ = ~0ull;
  std::vector<Finding> findings_;
  std::set<std::tuple<std::string, int, int>> said_;
  alignas(64) char harmless_[256] = {};
};

}  // namespace kasoku
