/// \file kasoku/compile/clang/passes/region_builder.h
/// Makes the text of an entry from a kernel: its regions, each in a loop over threads. See regions.h.
///   regions.cpp           where values lie, which region follows which
///   region_loops.cpp      the loops around a region
///   region_questions.cpp  what is known of a region before it is made
///   region_partners.cpp   threads that work with the one at `t ^ distance`
///   region_text.cpp       a region's instructions, cloned
///   region_bits.cpp       lanes that a word chooses
///   region_turns.cpp      blocks that stop where they add to a counter
#pragma once

#include "kasoku/compile/clang/passes/aggregates.h"
#include "kasoku/compile/clang/passes/entry_frame.h"
#include "kasoku/compile/clang/passes/exchange.h"
#include "kasoku/compile/clang/passes/split_ranges.h"
#include "kasoku/compile/clang/passes/live_values.h"
#include "kasoku/compile/clang/passes/passes.h"
#include "kasoku/compile/clang/passes/region_driver.h"
#include "kasoku/compile/clang/passes/regions.h"
#include "kasoku/compile/clang/passes/scratch.h"
#include "kasoku/compile/clang/passes/strides.h"
#include "kasoku/compile/clang/passes/thread_nest.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <map>
#include <optional>
#include <set>

namespace kasoku::embedded {

using namespace llvm;

// One region while it is made. Values of the kernel are called by their original
// instruction; `map` leads to what stands for them here.
struct Region {
  unsigned number = 0;
  BasicBlock* start = nullptr;
  BlockSet blocks;  ///< of the kernel
  std::vector<Instruction*> live;
  ValueToValueMapTy map;
  ThreadIndex thread;
  BasicBlock* head = nullptr;  ///< in the innermost loop, before the cloned text
  DenseMap<Instruction*, Value*> loaded;
  std::map<unsigned, BasicBlock*> exits;  ///< by number of the next region
  size_t first_block = 0;                 ///< of the body's blocks that are new
};

class RegionBuilder {
 public:
  RegionBuilder(const PreparedKernel& kernel, const BlockShape& shape, EntryFrame& frame,
                const RegionPlan& plan)
      : kernel_(*kernel.function), prepared_(kernel), shape_(shape), frame_(frame), plan_(plan),
        context_(kernel_.getContext()), scratch_(frame, shape),
        exchange_(frame, shape, plan.granule, plan.syncs, scratch_), live_(kernel_),
        done_(plan.syncs.size() + 1) {}

  RegionBytes run();

 private:
  struct Slot {
    bool per_thread;
    unsigned array;      ///< in scratch; by warp if not per thread and the granule is one
    Value* single;       ///< its place, if uniform for a block or more
    AllocaInst* of_warp; ///< as the warp that runs sees `single`, if others see it too
  };

  bool is_cut() const { return done_ > 1; }
  const Passes& passes() const { return *plan_.passes; }

  void collect_kernel();

  // Places static shared memory, then dynamic memory from the next multiple of 16.
  void place_shared();

 public:
  uint64_t lay_out_shared();

 private:
  // A loop's value and what becomes of it in a pass are kept in one place, if never both
  // at once: nothing is copied from pass to pass. Not so the values that all threads share:
  // they are written after the loop whichever way it went.
  void share_places();
  Instruction* leader(Instruction* value) const;
  std::pair<bool, bool> kind_of(const Instruction& value) const;

  Slot& slot(Instruction& of);

  bool outlives_stretches(const Instruction& value) const;

  bool begins_stretch(unsigned number) const;

  // The address that a slot has for the granule that runs; warps must not see the values of warps before them.
  Value* place_of(const Slot& slot) const;

  Value* load_uniform(IRBuilder<>& build, const Slot& slot, Type* type);

  // The state of blocks that take turns, which each has for itself while others run.
  struct Turns {
    std::optional<GroupLoop> groups;
    std::optional<BlockLoop> blocks;
    Instruction* which = nullptr;  ///< of the group, 64 bits
    AllocaInst *states = nullptr, *goes_on = nullptr;
    Value* state = nullptr;  ///< the place of the block's that runs
    BasicBlock *turn = nullptr, *leave = nullptr;
    std::optional<Aggregates> aggregates;
    std::set<const Instruction*> kept;  ///< over a stop; leaders
  };
  void open_turns();
  void build_turns();
  // Makes room in each block of a group, and returns the address of the one that runs.
  Value* place_in_block(Type* type, uint64_t alignment, const char* name);
  bool is_kept_by_block(Instruction* value) const { return turns_.kept.count(leader(value)); }
  // Whether a value is the same for the lanes of a warp, and kept for each warp.
  bool is_kept_by_warp(const Instruction& value) const;

  // What a region hands on when its loops are done: which region is next, and
  // the uniform values that it made.
  using SlotValues = MapVector<Slot*, Value*>;  // in the order made, so that a text has one code

  struct Outcome {
    Value* next = nullptr;
    SlotValues values;
    std::vector<unsigned> targets;
  };

  // Builds the regions that a group of blocks runs as one row, and around them the rest, block by block.
  void build_ahead();
  void build_rest();

  // Builds everything that warps do from one block barrier to the next.
  void build_stretch(unsigned number);

  // Whether a region has loops through which the lanes of a warp go together, other warps
  // otherwise: `for (w = 0; w < warp; ++w)`.
  bool loops_by_warps(unsigned number);

  const LoopInfo& kernel_loops();

  void find_region(Region& plain, unsigned number);

  void build_region(unsigned number);

  // Where all lanes of a warp or all threads of a block go the same way, that is asked before
  // the loops over them.
  using Ways = std::function<void(Outcome&)>;
  void build_ways(IRBuilder<>& build, const Region& plain, const ThreadIndex& first,
                  const Ways& way, Outcome& outcome);
  void build_block_ways(IRBuilder<>& build, const Region& plain, const Ways& way,
                        Outcome& outcome);

  static constexpr size_t most_decisions = 3;

  std::optional<bool> side_of(const BranchInst* branch) const;

  struct Decision {
    BranchInst* branch = nullptr;
    BlockSet made_in;
  };
  Decision first_decision(const Region& region, const GuardQuestions& ask) const;

  static bool is_known_before(const BlockSet& made_in, const Value* value, const GuardQuestions& ask,
                              const SmallPtrSetImpl<const Instruction*>& loads, int depth = 0);

  // Whether a region only decides, as whether a loop goes on, and for all threads alike; it then runs once.
  bool is_decision(const Region& region) const;

  Index row_index() const { return plan_.y_is_fast ? Index::tid_y : Index::tid_x; }
  uint32_t row_length() const { return plan_.y_is_fast ? shape_.y : shape_.x; }

  bool has_short_rows() const;

  // Whether all threads go through the region's loops alike.
  bool has_uniform_loops(const Region& region);

  void build_rows(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Outcome& outcome);

  // A row of 16 threads is a vector or two, which is too little to go through a loop with:
  // where all threads go the same way, the block is one long row.
  void build_flat_or_rows(IRBuilder<>& build, ThreadNest& nest, const Region& plain,
                          Outcome& outcome);

  Value* all_rows_settled(IRBuilder<>& build, const Region& plain, const RegionGuards& guards,
                          const GuardQuestions& ask);

  void build_lanes(IRBuilder<>& build, ThreadNest& nest, const Region& plain,
                     Outcome& outcome);

  static constexpr size_t largest_split = 100;  // instructions, written several times
  static constexpr uint64_t longest_short_row = 64;

  // Short rows are worth vectors only if their length is known, which most rows'
  // is: those where a guard is settled for all threads.
  template <typename InParts>
  void full_row_or(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Value* low,
                   Value* high, const RegionGuards& guards, const InParts& in_parts,
                   Outcome& outcome);

  // Builds two ways to run the same threads; `condition` chooses at run time.
  template <typename One, typename Other>
  void either(IRBuilder<>& build, Value* condition, const One& one, const Other& other,
              Outcome& outcome);

  static void join(IRBuilder<>& build, Outcome& all, const Outcome& a, BasicBlock* end_of_a,
                   const Outcome& b, BasicBlock* end_of_b);

  static size_t size_of(const Region& region);

  GuardQuestions questions(const Region& region) const;

  std::set<unsigned> next_of(const Region& region) const;

  // Whether only threads that are skipped could have had a value to hand on.
  bool hands_nothing_on(const Region& region) const;

  // Where all lanes but one go one way: whether that one may go it too before it goes its own.
  // It then does nothing but leave values where its own way leaves others.
  bool others_may_come_first(const Region& region, const RegionGuards& guards,
                             const GuardQuestions& ask);

  // Whether threads that do nothing hand on only what they came with, where it lies.
  bool others_keep(const Region& region, const Guard& guard);

  // Computes, before the innermost loop, a value as its first thread has it.
  Value* at_first_thread(IRBuilder<>& build, const BlockSet& made_in, const ThreadIndex& first,
                         Value* value);

  // The bit in which partners differ where threads store to `t ^ 4` or read `t ^ 64`; 0 if it is not one bit.
  uint32_t partner_distance(const Region& region, const ThreadNest& nest) const;

  // Lanes that take part one by one, as a word says: `if (kept >> lane & 1) out[…] = v;`. A loop
  // over the bits that are set has one branch for all that nobody can guess, not one each.
  struct LaneBits {
    Guard guard;
    Value* word;
    bool others_do_nothing;
  };
  std::optional<LaneBits> find_lane_bits(const Region& region);
  bool scatters(const Region& region, const GuardQuestions& ask) const;
  void build_lane_bits(IRBuilder<>& build, ThreadNest& nest, const Region& plain, const LaneBits& bits,
                       Outcome& outcome);

  // Which half of the threads, by that bit, does nothing.
  std::optional<bool> idle_half(const Region& region, uint32_t distance) const;

  // Threads whose index has the bit clear, then those where it is set: in each half partners
  // lie in a row.
  void build_partners(IRBuilder<>& build, const ThreadNest& nest, const Region& plain,
                      uint32_t distance, Outcome& outcome);
  void tell_partners(Region& region, ThreadNest& nest);

  void if_not_empty(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Value* low,
                    Value* high, const RegionGuards* settled, bool vectorizes, Outcome& outcome);

  // Builds a loop over the threads [low, high) of the innermost level.
  void build_range(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Value* low,
                   Value* high, const RegionGuards* settled, bool vectorizes, Outcome& outcome);

  // An index that is known to stay below its limit is the first thread's and the counter:
  // sums of other kinds might pass the largest number, which keeps loads from being vectors.
  void tell_that_indices_do_not_wrap(Region& region, const RegionGuards& settled, ThreadNest& nest,
                                     IRBuilder<>& before);

  // What the lanes of a warp have in common though it is made of their index, as
  // `threadIdx.x / 32` is: the loop over them would not see that.
  void ask_first_lane(Region& region, const ThreadIndex& first, IRBuilder<>& before);

  static bool is_made_of_index(const Region& region, const Value* value, int depth = 0);

  void find_blocks(Region& region);

  bool comes_back_at_once(const Region& region) const;

  void bind_what_is_always_there(Region& region, IRBuilder<>& build);

  static bool is_dropped(const Instruction& instruction);

  std::vector<std::pair<BasicBlock*, BasicBlock*>> clone_blocks(Region& region);

  bool is_cut_edge(BasicBlock*, BasicBlock* to) const { return sync_blocks_.count(to); }

  // Returns and branches to the next place to wait leave the region.
  bool clone_leaving_terminator(Region& region, Instruction& terminator, BasicBlock* clone);

  void load_live_values(Region& region, IRBuilder<>& uniform, IRBuilder<>& per_thread,
                        const std::vector<std::pair<BasicBlock*, BasicBlock*>>& clones);

  void remap(Region& region, const std::vector<std::pair<BasicBlock*, BasicBlock*>>& clones);

  // Stores what later regions need at each exit, and repairs uses of values that
  // come from before the region on one path and from within it on another.
  // Uniform values are handed out of the loops as phis of `join`.
  SlotValues store_live_values(Region& region, IRBuilder<>& join);

  bool is_there_already(const Region& region, Value* there, const Slot& place);

  void replace_exchanges(Region& region,
                         const std::vector<std::pair<BasicBlock*, BasicBlock*>>& clones);

  Value* next_region(Region& region, IRBuilder<>& join);

  // Threads do not depend on each other between two places where they wait. What
  // is not marked: a thread's own arrays that all threads have at one address.
  MDNode* mark_independent(Region& region);

  bool may_be_common_alloca(const Value* pointer) const;

  Function& kernel_;
  const PreparedKernel& prepared_;
  BlockShape shape_;
  EntryFrame& frame_;
  const RegionPlan& plan_;
  LLVMContext& context_;
  Scratch scratch_;
  Exchange exchange_;
  LiveValues live_;
  unsigned done_;  ///< the state of a thread that has returned
  RegionDriver* driver_ = nullptr;
  Turns turns_;
  Value* row_ = nullptr;  ///< threads of the group of blocks that runs as one row
  std::vector<BasicBlock*> labels_;
  std::vector<Instruction*> indices_;
  std::vector<AllocaInst*> allocas_;
  std::map<AllocaInst*, Instruction*> common_allocas_;
  std::map<AllocaInst*, unsigned> alloca_arrays_;
  std::vector<std::pair<GlobalVariable*, uint64_t>> shared_offsets_;
  uint64_t shared_bytes_ = 0;  ///< static
  std::map<GlobalVariable*, Value*> shared_places_;
  DenseMap<BasicBlock*, unsigned> sync_blocks_;
  std::map<Instruction*, Slot> slots_;
  std::vector<std::pair<BranchInst*, bool>> decided_;  ///< while a region is built
  std::map<Instruction*, Instruction*> leader_;  ///< who share a place
  std::optional<LoopInfo> loops_;
  std::optional<Strides> threads_;  ///< what differs between any of them
};

}  // namespace kasoku::embedded
