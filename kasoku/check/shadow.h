/// \file kasoku/check/shadow.h
/// Memory that knows who touched it: the dynamic half of check.
///
/// The instrumented program runs one agent (a thread of a block, an iteration of
/// a loop) after another and tells each access. Two accesses conflict if and only
/// if they touch one element from different agents, one of them writes, not both
/// are atomic, and no barrier orders them; since every pair meets in the shadow
/// of its element, no schedule can hide one and none is invented.
#pragma once

#include "kasoku/base/extents.h"
#include "kasoku/check/finding.h"
#include "kasoku/check/order.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

extern "C" {

/// The place of an access in the source. Instrumented code holds these as constants.
struct ks_check_site {
  const char* array;  ///< the name in the user's source
  const char* file;
  int32_t line;
  int32_t parameter;  ///< of the kernel that the pointer comes from; -1: another memory, -2: whatever a function was given
};

enum {
  ks_access_read = 1,
  ks_access_write = 2,
  ks_access_atomic = 4,
  ks_access_shared = 8,  ///< __shared__ memory: fresh for every block
  ks_access_volatile = 16,
  ks_access_exchange = 32,  ///< compare and exchange: what was read before is tested
  ks_access_ordered = 64,   ///< an atomic that a fence stands before
  ks_access_block = 128,    ///< an atomic that only threads of its block may meet
  ks_access_relaxed = 256,  ///< an atomic that says that nothing is ordered behind its read
  ks_access_bits = 512,     ///< a read whose value nobody asks for: bits around those that are written next, a swap's result
};

/// Records an access of `bytes` at `address` and returns the address to use: the
/// same, or harmless memory if it is out of bounds.
void* ks_check_access(void* address, uint64_t bytes, uint32_t flags, const ks_check_site* site,
                      uint64_t block, uint64_t thread);
/// Reports an access that leaves the variable of `size` bytes at `variable`; returns the address, or harmless memory.
void* ks_check_within(void* address, uint64_t bytes, uint32_t flags, const ks_check_site* site, uint64_t block,
                      uint64_t thread, void* variable, uint64_t size);
/// A loop of a compiled function: iteration `i` runs from here on; a parallel loop
/// begins or ends.
void ks_check_iteration(int64_t i);
void ks_check_interval(void);
/// The number of the thread that runs the iteration, of `n`.
int64_t ks_check_thread(int64_t n);
/// The thread of the block passes a barrier of the block (lanes 0), or of these lanes of its warp.
void ks_check_barrier(uint64_t block, uint64_t thread, uint32_t lanes, const ks_check_site* site);
/// The thread comes to a numbered barrier at which so many meet; whether it goes on without waiting.
void ks_check_part(uint64_t block, uint64_t thread, uint32_t barrier, uint32_t threads, uint32_t only_arrives);
/// The thread comes where paths with a barrier of the block, at `site`, and paths without it meet again.
void ks_check_join(uint64_t block, uint64_t thread, uint32_t join, const ks_check_site* site);
/// The thread of the block ends; said where warps have barriers.
void ks_check_exit(uint64_t block, uint64_t thread);
void ks_check_fence(uint64_t block, uint64_t thread, uint32_t is_of_block);
/// Here lies a variable of the block at hand, which functions may be given the address of.
void ks_check_shared(void* variable, uint64_t bytes);
/// A variable of the thread's own begins, unwritten; an access that may be to one, and which bits of a word it is to.
void ks_check_local(void* variable, uint64_t bytes);
void ks_check_local_access(void* address, uint64_t bytes, uint32_t flags, const ks_check_site* site, uint64_t block,
                           uint64_t thread, uint64_t bits);
/// Memory that the program itself takes and gives back; unwritten as long as nobody wrote it.
void ks_check_allocated(void* memory, uint64_t bytes, uint32_t is_unwritten);
void ks_check_freed(void* memory);
/// The address in a compiled function's record of memory; null for null.
void* ks_check_memory_of(const void* record);
/// An array of a compiled function has this name from here on; strides in elements.
void ks_check_array(const void* data, const char* name, uint64_t element_bytes, int32_t ndim, const int64_t* shape,
                    const int64_t* strides);
/// A list that a parallel loop is about to use; ks_check_freed() says that the loop has ended.
void ks_check_list(void* items, const char* name, uint64_t element_bytes, int64_t size);
/// The index itself, or one inside of the axis after a finding.
int64_t ks_check_index(int64_t index, int64_t length, int32_t axis, const char* array, const char* file, int32_t line,
                       uint64_t block, uint64_t thread);
}

namespace kasoku {

struct KernelInfo;

/// An array that the checked call was given.
struct KnownArray {
  const char* begin;
  uint64_t bytes;
  std::string name;
  uint64_t element_bytes;
  const char* first = nullptr;    ///< element 0, where shape and strides (in elements) are known
  Extents shape = {}, strides = {};
  bool is_unwritten = false;      ///< it had no values at first

  /// "x[3]" or "x[1, 2]".
  std::string element(const char* address) const;
};

/// Makes the functions above known to generated code; any number of times.
void register_check_functions();
/// Makes grids that kernels launch known to the Shadow of their thread.
void observe_grids();

class Shadow {
 public:
  /// How a sentence names agents: "thread 3 of block 0" or "iteration 3".
  enum class Agents : uint8_t { threads, iterations };

  /// `arrays` are parameters, found by their names.
  Shadow(std::vector<KnownArray> arrays, Agents agents);
  ~Shadow();

  void* access(char* address, uint64_t bytes, uint32_t flags, const ks_check_site& site,
               uint64_t block, uint64_t thread);
  void* within(char* address, uint64_t bytes, uint32_t flags, const ks_check_site& site, uint64_t block,
               uint64_t thread, char* variable, uint64_t size);
  /// Whether the block at hand has only looked at flags for so long that it waits for a later one.
  bool is_stuck() const { return looks_ > most_looks; }
  /// The kernel ended by a fault: the last access is told as the one that led to it.
  void faulted(const std::string& why);
  void barrier(uint64_t block, uint64_t thread, uint32_t lanes, const ks_check_site* site = nullptr);
  void part(uint64_t block, uint64_t thread, uint32_t barrier, uint32_t threads, bool only_arrives);
  void rejoin(uint64_t block, uint64_t thread, uint32_t join, const ks_check_site& site);
  void exit(uint64_t block, uint64_t thread);
  void fence(uint64_t block, uint64_t thread, bool is_of_block = false);
  void shared(const char* variable, uint64_t bytes) { shared_[variable] = bytes; }
  void local(const char* variable, uint64_t bytes);
  void local_access(const char* address, uint64_t bytes, uint32_t flags, const ks_check_site& site, uint64_t block,
                    uint64_t thread, uint64_t bits);
  void allocated(char* memory, uint64_t bytes, bool is_unwritten);
  void freed(char* memory);
  /// An array in memory that was allocated, by its name; nothing if it is a part of another.
  void named(KnownArray array);
  int64_t index(int64_t index, int64_t length, int axis, const char* array, const char* file, int line, uint64_t block,
                uint64_t thread);
  /// A parallel loop begins or ends: what went before is ordered with what follows.
  void next_interval() { ++epoch_, iteration_ = ~0ull, n_threads_ = 0; }
  /// In every grid, parameters are what they lead to; of one launch alone their names are known.
  void find_arrays() { finds_arrays_ = true; }
  bool finds_arrays() const { return finds_arrays_; }
  /// A kernel launched this one: its parameters are what they lead to, whatever their names.
  void begin_grid(const KernelInfo& kernel, void* const* args);
  /// Such grids run in the middle of another one, or have.
  void be_within(bool enters);
  void iteration(uint64_t i) { iteration_ = n_threads_ ? i % n_threads_ : i; }
  /// The iterations of a thread have an order among themselves: they are one agent as soon as one asks which thread it is.
  uint64_t thread_of_iteration(uint64_t n) {
    if (iteration_ == ~0ull) return 0;
    n_threads_ = n;
    return iteration_ %= n;
  }
  void report(Finding finding);

  std::vector<Finding> findings();

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
    Moment when = 0;
    uint32_t interval = 0, epoch = 0;
    bool is_atomic = false;
    bool is_volatile = false;
    bool is_flag = false;  ///< a volatile write behind a fence: others may wait for it
    bool is_of_block = false;  ///< an atomic for its block alone
    const ks_check_site* site = nullptr;  ///< null: nobody yet
  };
  struct Cell {
    Touch writer, reader, other_reader;
  };
  struct Page {
    uint32_t granule = 8;  ///< bytes of a cell
    std::vector<Cell> cells;
  };
  /// What threads of a block did before these moments is known: a vector clock, shared by those who have heard the same.
  using BlockClock = std::shared_ptr<const std::vector<Moment>>;
  static BlockClock later(const BlockClock& a, const BlockClock& b);
  /// Lanes at a barrier of their warp: all come before one goes on.
  struct Meeting {
    WarpClock known{};
    uint32_t here = 0;
    uint32_t came = 0;  ///< the lanes that ever were
    BlockClock heard = {};
    FenceOrder::Meeting of_all{}, in_block{};  ///< what order_ and order_in_block_ know
  };
  /// Threads at a numbered barrier: as many come as it asks for before those who wait go on.
  struct Part {
    std::vector<Moment> known = {};
    BlockClock of_those_who_wait = {};  ///< what is known, once it is complete
    uint32_t came = 0;
    FenceOrder::Meeting of_all{}, in_block{};
  };
  struct Intervals {
    uint32_t block = 0;
    WarpClock known{};  ///< the last barriers of its warp's lanes, as far as it has heard of them
    std::vector<std::pair<uint32_t, uint32_t>> barriers = {};  ///< lanes, and how often it met with them
    BlockClock heard = {};               ///< at numbered barriers, of the block's threads
    std::shared_ptr<Part> part = {};     ///< the last of those, until it goes on
    Meeting* met = nullptr;  ///< at its last barrier, until it goes on
    std::map<uint32_t, uint32_t> joins = {};  ///< how often it came to each
  };
  /// A plain read beside atomic writes: right if a compare and exchange tests what was read.
  struct Untested {
    Touch reader;
    uint64_t address;
    Finding finding;
  };

  /// The thread's intervals in this block; it has gone on from its last barrier.
  Intervals& intervals_of(uint64_t block, uint64_t thread);
  void* outside(const std::string& name, int64_t index, uint64_t count, uint64_t bytes, bool writes,
                const ks_check_site& site, uint64_t block, uint64_t thread, void* inside);
  /// Who waits looks at the same memory again and again, and it stays as it is.
  void count_look(const Touch& touch, const char* address, uint64_t bytes);
  Cell* cells(uint64_t address, uint32_t bytes, uint32_t* count, Page** page);
  bool is_ordered(const Touch& a, const Touch& b);
  /// Both atomic, or a flag and who waits for it.
  static bool is_synchronised(const Touch& a, const Touch& b);
  void tested(Cell& cell, const Touch& touch, uint64_t address);
  void forget(const char* memory, uint64_t bytes);
  void keep_moments(const Touch& touch, uint32_t flags, uint64_t address, const WarpClock& known);
  void conflict(const Touch& earlier, bool earlier_writes, const Touch& later, bool later_writes,
                const char* address);
  void note_reader(Cell& cell, const Touch& touch);
  /// The array that the site means, or that the address is in, or nullptr.
  const KnownArray* array_of(const ks_check_site& site, const char* address);
  std::string name_of(const ks_check_site& site, const char* address);
  std::string element(const ks_check_site& site, const char* address);
  std::string agent(const Touch& touch) const;

  std::vector<KnownArray> arrays_;
  /// Of the grid at hand: for one that a kernel launched, the arrays of its parameters.
  struct Grid {
    bool is_child = false;
    std::vector<std::pair<std::string, const KnownArray*>> parameters;
  };
  Grid grid_;
  bool finds_arrays_ = false;
  std::vector<Grid> outer_grids_;
  std::unordered_map<const ks_check_site*, const KnownArray*> array_of_site_;  ///< in this grid
  std::map<const char*, uint64_t> shared_;  ///< variables of blocks that functions may be given, bytes by first byte
  std::map<const char*, KnownArray> allocated_;  ///< by the program itself, by first byte
  Agents agents_;
  uint32_t epoch_ = 0;
  uint64_t iteration_ = ~0ull, n_threads_ = 0;
  std::unordered_map<uint64_t, Page> pages_;
  std::unordered_map<uint64_t, Intervals> intervals_;
  std::map<std::tuple<uint64_t, uint32_t, uint32_t>, Meeting> meetings_;  ///< by warp, lanes and how often they met
  std::array<std::shared_ptr<Part>, 16> parts_;  ///< numbered barriers of the block that some have come to
  std::unordered_map<uint64_t, WarpClock> exits_;  ///< by warp: lanes do not wait for those that have ended
  std::vector<std::pair<uint64_t, const ks_check_site*>> waiters_;  ///< who came first to each barrier of the block, and where
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, uint32_t>> joined_;  ///< by join and times: who came first, behind how many barriers
  uint64_t interval_block_ = ~0ull;
  static constexpr uint64_t most_looks = uint64_t{1} << 22;
  uint64_t looks_ = 0;  ///< atomic and volatile accesses of a block since it last did or saw something new
  std::span<const char> look_;  ///< the last of them
  std::unordered_map<const char*, uint64_t> seen_;  ///< what they found or left, by address
  Touch last_;
  FenceOrder order_, order_in_block_;  ///< fences of all; those of a block too, for its own threads
  std::map<const char*, std::vector<uint8_t>> locals_;  ///< which bits of threads' variables are written, by first byte
  Moment now_ = 0;
  std::vector<Untested> untested_;
  /// Reads before a write, and sites whose reads race with a write: those are no matter of order alone.
  std::vector<std::pair<const ks_check_site*, Finding>> unwritten_;
  std::set<const ks_check_site*> raced_sites_;
  std::set<const ks_check_site*> tested_sites_;  ///< reads whose values a compare and exchange tests when it is worth one
  std::vector<Finding> findings_;
  std::set<std::tuple<std::string, int, int>> said_;
  alignas(64) char harmless_[256] = {};
};

}  // namespace kasoku
