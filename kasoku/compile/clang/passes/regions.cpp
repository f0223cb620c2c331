#include "kasoku/compile/clang/passes/regions.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/clang/passes/combine_atomics.h"
#include "kasoku/compile/clang/passes/entry_frame.h"
#include "kasoku/compile/clang/passes/exchange.h"
#include "kasoku/compile/clang/passes/guards.h"
#include "kasoku/compile/clang/passes/live_values.h"
#include "kasoku/compile/clang/passes/region_driver.h"
#include "kasoku/compile/clang/passes/rematerialize.h"
#include "kasoku/compile/clang/passes/scratch.h"
#include "kasoku/compile/clang/passes/strides.h"
#include "kasoku/compile/clang/passes/thread_nest.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <map>
#include <optional>
#include <set>

namespace kasoku::embedded {

using namespace llvm;

namespace {

// One region while it is made. Values of the kernel are called by their original
// instruction; `map` leads to what stands for them here.
struct Region {
  unsigned number = 0;
  BasicBlock* start = nullptr;
  SmallSetVector<BasicBlock*, 16> blocks;  ///< of the kernel
  std::vector<Instruction*> live;
  ValueToValueMapTy map;
  ThreadIndex thread;
  BasicBlock* head = nullptr;  ///< in the innermost loop, before the cloned text
  DenseMap<Instruction*, Value*> loaded;
  std::map<unsigned, BasicBlock*> exits;  ///< by number of the next region
  size_t first_block = 0;                 ///< of the body's blocks that are new
};

class Builder {
 public:
  Builder(const PreparedKernel& kernel, const BlockShape& shape, EntryFrame& frame,
          const RegionPlan& plan)
      : kernel_(*kernel.function), prepared_(kernel), shape_(shape), frame_(frame), plan_(plan),
        context_(kernel_.getContext()), scratch_(frame, shape),
        exchange_(frame, shape, plan.granule, plan.syncs, scratch_), live_(kernel_),
        done_(plan.syncs.size() + 1) {}

  RegionBytes run() {
    collect_kernel();
    share_places();
    for (unsigned number = 0; number < done_; ++number)
      labels_.push_back(plan_.granule == Granule::warp && !begins_stretch(number)
                            ? nullptr  // one in each stretch
                            : BasicBlock::Create(context_, "region", frame_.body));
    RegionDriver driver(frame_, shape_, plan_, scratch_, exchange_, labels_);
    driver_ = &driver;
    driver.begin();
    for (unsigned number = 0; number < done_; ++number)
      if (plan_.granule != Granule::warp) build_region(number);
      else if (begins_stretch(number)) build_stretch(number);
    driver.end();
    return {scratch_.bytes(), scratch_.bytes_per_thread()};
  }

 private:
  struct Slot {
    bool per_thread;
    unsigned array;      ///< in scratch; by warp if not per thread and the granule is one
    AllocaInst* single;  ///< uniform, of a block or more
    AllocaInst* of_warp; ///< as the warp that runs sees `single`, if others see it too
  };

  bool is_cut() const { return done_ > 1; }

  void collect_kernel() {
    for (Instruction& instruction : instructions(kernel_)) {
      if (index_of(instruction) != Index::none) indices_.push_back(&instruction);
      if (auto* alloca = dyn_cast<AllocaInst>(&instruction)) {
        if (!alloca->isStaticAlloca())
          throw Error(ErrorKind::compile, "kernel '" + kernel_.getName().str() +
                                              "' has a local array of a size known only at run time")
              .fix("give the array a constant size");
        allocas_.push_back(alloca);
      }
    }
    IRBuilder<> build(&*frame_.once->begin());
    for (AllocaInst* alloca : allocas_) {
      // Threads that wait for each other have their local arrays at the same time.
      const DataLayout& layout = kernel_.getParent()->getDataLayout();
      if (is_cut()) {
        Type* bytes = ArrayType::get(Type::getInt8Ty(context_),
                                     *alloca->getAllocationSize(layout));
        alloca_arrays_[alloca] = scratch_.add(bytes, alloca->getAlign().value());
      } else {
        Instruction* copy = alloca->clone();
        build.Insert(copy, alloca->getName());
        common_allocas_[alloca] = copy;
      }
    }
    place_shared();
  }

  // Static shared memory, then dynamic memory from the next multiple of 16.
  void place_shared() {
    const DataLayout& layout = kernel_.getParent()->getDataLayout();
    IRBuilder<> build(frame_.once->getTerminator());
    for (auto& [variable, offset] : shared_offsets_) {
      convertUsersOfConstantsToInstructions({variable});
      shared_places_[variable] = build.CreateConstInBoundsGEP1_64(
          build.getInt8Ty(), frame_.shared, offset, variable->getName());
    }
    (void)layout;
  }

 public:
  uint64_t lay_out_shared() {
    const DataLayout& layout = kernel_.getParent()->getDataLayout();
    uint64_t bytes = 0;
    for (GlobalVariable* variable : prepared_.shared) {
      if (!variable->hasInitializer()) continue;
      const uint64_t alignment = std::max<uint64_t>(
          variable->getAlign().valueOrOne().value(),
          layout.getABITypeAlign(variable->getValueType()).value());
      bytes = alignTo(bytes, Align(alignment));
      shared_offsets_.push_back({variable, bytes});
      bytes += layout.getTypeAllocSize(variable->getValueType());
    }
    const uint64_t dynamic = alignTo(bytes, 16);
    for (GlobalVariable* variable : prepared_.shared)
      if (!variable->hasInitializer()) shared_offsets_.push_back({variable, dynamic});
    return bytes;
  }

 private:
  // A loop's value and what becomes of it in a pass are kept in one place, if never both
  // at once: nothing is copied from pass to pass. Not so the values that all threads share:
  // they are written after the loop whichever way it went.
  void share_places() {
    std::map<const Instruction*, BitVector> kept;  // by number of the place to wait
    for (const SyncPoint& sync : plan_.syncs)
      for (const Instruction* value : live_.at(*sync.block)) {
        BitVector& at = kept.try_emplace(value, BitVector(done_)).first->second;
        at.set(sync.number);
      }
    for (BasicBlock& block : kernel_)
      for (PHINode& phi : block.phis())
        for (Value* incoming : phi.incoming_values()) {
          Instruction* one = leader(&phi);
          auto* made = dyn_cast<Instruction>(incoming);
          Instruction* other = made ? leader(made) : nullptr;
          if (!other || other == one || !kept.count(one) || !kept.count(other) ||
              kept[one].anyCommon(kept[other]) || kind_of(*one) != kind_of(*other) ||
              !kind_of(*one).second)
            continue;
          kept[one] |= kept[other];
          leader_[other] = one;
        }
  }
  Instruction* leader(Instruction* value) const {
    for (auto at = leader_.find(value); at != leader_.end(); at = leader_.find(value))
      value = at->second;
    return value;
  }
  std::pair<bool, bool> kind_of(const Instruction& value) const {
    const bool by_warp = plan_.granule == Granule::warp && !outlives_stretches(value);
    const bool per_thread = plan_.granule == Granule::thread ||
                            !(by_warp ? plan_.is_uniform_in_warp : plan_.is_uniform)(value);
    return {by_warp, per_thread};
  }

  Slot& slot(Instruction& of) {
    Instruction& value = *leader(&of);
    const auto [found, is_new] = slots_.try_emplace(&value);
    if (!is_new) return found->second;
    const auto [by_warp, per_thread] = kind_of(value);
    Slot made{per_thread, 0, nullptr, nullptr};
    IRBuilder<> build(&*frame_.once->begin());
    const auto place = [&] { return build.CreateAlloca(value.getType(), nullptr, "uniform"); };
    if (per_thread && by_warp) {
      made.array = scratch_.add_lanes(value.getType());
    } else if (per_thread || plan_.granule == Granule::turn) {
      made.array = scratch_.add(value.getType());
    } else {
      made.single = place();
      if (plan_.granule == Granule::warp && !by_warp) made.of_warp = place();
    }
    return found->second = made;
  }

  bool outlives_stretches(const Instruction& value) const {
    for (const SyncPoint& sync : plan_.syncs)
      if (begins_stretch(sync.number) && live_.is_live_at(value, *sync.block)) return true;
    return false;
  }

  bool begins_stretch(unsigned number) const {
    if (number == 0) return true;
    const Sync sync = plan_.syncs[number - 1].sync;
    return is_block_barrier(sync) || sync == Sync::loop;
  }

  // Warps must not see what others before them made of a value.
  AllocaInst* place_of(const Slot& slot) const {
    return slot.of_warp && driver_->granule() ? slot.of_warp : slot.single;
  }

  Value* load_uniform(IRBuilder<>& build, const Slot& slot, Type* type) {
    return slot.single ? build.CreateLoad(type, place_of(slot))
                       : scratch_.load(build, slot.array, driver_->granule());
  }

  // What a region hands on when its loops are done: which region is next, and
  // the uniform values that it made.
  struct Outcome {
    Value* next = nullptr;
    std::map<Slot*, Value*> values;
    std::vector<unsigned> targets;
  };

  // Everything that warps do from one block barrier to the next.
  void build_stretch(unsigned number) {
    std::vector<unsigned> regions{number};
    for (size_t i = 0; i < regions.size(); ++i) {
      Region region;
      find_region(region, regions[i]);
      for (const unsigned next : next_of(region))
        if (next != done_ && !begins_stretch(next) && !is_contained(regions, next))
          regions.push_back(next);
    }
    if (regions.size() == 1 && !loops_by_warps(number)) return build_region(number);

    IRBuilder<> build(labels_[number]);
    std::vector<Slot*> kept;
    if (number) {
      exchange_.meet(build, plan_.syncs[number - 1], nullptr, false);
      for (Instruction* value : live_.at(*plan_.syncs[number - 1].block))
        if (Slot& from = slot(*value); from.of_warp) kept.push_back(&from);
    }
    std::vector<Value*> values;
    for (Slot* from : kept)
      values.push_back(build.CreateLoad(from->single->getAllocatedType(), from->single));
    driver_->open_stretch(build, regions);
    for (size_t i = 0; i < kept.size(); ++i) build.CreateStore(values[i], kept[i]->of_warp);
    build.CreateBr(driver_->label(number));
    for (const unsigned region : regions) build_region(region);
    const RegionDriver::Way way = driver_->close_stretch(build);
    std::set<Slot*> live;
    for (const unsigned next : way.targets)
      if (next != done_)
        for (Instruction* value : live_.at(*plan_.syncs[next - 1].block))
          if (Slot& to = slot(*value); to.of_warp && live.insert(&to).second)
            build.CreateStore(build.CreateLoad(to.single->getAllocatedType(), to.of_warp),
                              to.single);
    driver_->go_on(build, way.next, way.targets);
  }

  // Whether a region has loops through which the lanes of a warp go together, other warps
  // otherwise: `for (w = 0; w < warp; ++w)`.
  bool loops_by_warps(unsigned number) {
    Region region;
    find_region(region, number);
    for (const BasicBlock* block : region.blocks) {
      const auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || branch->isUnconditional() || !kernel_loops().getLoopFor(block)) continue;
      const auto* condition = dyn_cast<Instruction>(branch->getCondition());
      if (condition && !plan_.is_uniform(*condition) && plan_.is_uniform_in_warp(*condition))
        return true;
    }
    return false;
  }

  const LoopInfo& kernel_loops() {
    if (!loops_) loops_.emplace(DominatorTree(kernel_));
    return *loops_;
  }

  void find_region(Region& plain, unsigned number) {
    plain.number = number;
    plain.start = number ? plan_.syncs[number - 1].block : &kernel_.getEntryBlock();
    find_blocks(plain);
    if (number) plain.live = live_.at(*plain.start);
  }

  void build_region(unsigned number) {
    Region plain;
    find_region(plain, number);
    IRBuilder<> build(driver_->label(number));
    if (number && !(driver_->granule() && plan_.granule == Granule::warp && begins_stretch(number)))
      exchange_.meet(build, plan_.syncs[number - 1], driver_->granule(), comes_back_at_once(plain));
    ThreadNest nest(frame_, shape_, plan_.y_is_fast);
    Outcome outcome;
    if (plan_.joins_rows) {
      GroupLoop groups(frame_, build, plan_.blocks_in_row, row_length());
      Value* row = groups.row_of_threads(build);
      driver_->open(build, nest);
      nest.lengthen(row);
      build_lanes(build, nest, plain, outcome);
      nest.close_outer(build);
      groups.close(build);
    } else if (plan_.blocks_in_row > 1) {
      GroupLoop groups(frame_, build, plan_.blocks_in_row, /*row=*/0);
      driver_->open(build, nest);
      BlockLoop blocks(frame_, build, groups.range());
      build_lanes(build, nest, plain, outcome);
      blocks.close(build);
      nest.close_outer(build);
      groups.close(build);
    } else if (is_decision(plain)) {
      nest.open_thread(build, build.getInt32(0));
      build_range(build, nest, plain, build.getInt32(0), nest.extent(), nullptr, false, outcome);
    } else {
      std::optional<BlockLoop> blocks;
      if (plan_.granule == Granule::blocks) blocks.emplace(frame_, build, blocks_of(frame_));
      if (has_short_rows() && has_uniform_loops(plain) && size_of(plain) <= 2 * largest_split)
        build_flat_or_rows(build, nest, plain, outcome);
      else
        build_rows(build, nest, plain, outcome);
      if (blocks) blocks->close(build);
    }
    for (auto& [slot, value] : outcome.values)
      if (slot->single) build.CreateStore(value, place_of(*slot));
      else scratch_.store(build, slot->array, driver_->granule(), value);
    driver_->go_on(build, outcome.next, outcome.targets);
  }

  // Where all lanes of a warp go the same way, that is asked before the loop over them.
  void build_ways(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Outcome& outcome) {
    const bool may_ask = driver_->granule() && plan_.granule == Granule::warp &&
                         decided_.size() < most_decisions &&
                         size_of(plain) << decided_.size() <= largest_split;
    BranchInst* branch = may_ask ? first_decision(plain, questions(plain)) : nullptr;
    if (!branch) return build_lanes(build, nest, plain, outcome);
    Value* condition =
        at_first_thread(build, plain, nest.first(build), branch->getCondition());
    BasicBlock* sides[] = {BasicBlock::Create(context_, "all.yes", frame_.body),
                           BasicBlock::Create(context_, "all.no", frame_.body)};
    BasicBlock* after = BasicBlock::Create(context_, "all.done", frame_.body);
    build.CreateCondBr(condition, sides[0], sides[1]);
    Outcome of[2];
    BasicBlock* ends[2];
    for (const int side : {0, 1}) {
      build.SetInsertPoint(sides[side]);
      decided_.push_back({branch, side == 0});
      build_ways(build, nest, plain, of[side]);
      decided_.pop_back();
      ends[side] = build.GetInsertBlock();
      build.CreateBr(after);
    }
    build.SetInsertPoint(after);
    join(build, outcome, of[0], ends[0], of[1], ends[1]);
  }

  static constexpr size_t most_decisions = 3;

  std::optional<bool> side_of(const BranchInst* branch) const {
    for (const auto& [decided, side] : decided_)
      if (decided == branch) return side;
    return {};
  }

  BranchInst* first_decision(const Region& region, const GuardQuestions& ask) const {
    SmallPtrSet<const BasicBlock*, 8> seen;
    SmallPtrSet<const Instruction*, 16> loads;  // that all lanes do, before anything is written
    bool writes = false;
    for (BasicBlock* block = region.start; seen.insert(block).second;) {
      if (block != region.start && ask.leaves_region(*block)) return nullptr;
      for (Instruction& at : *block) {
        const auto* load = dyn_cast<LoadInst>(&at);
        if (load && load->isSimple() && !writes) loads.insert(load);
        writes |= at.mayWriteToMemory() && sync_of(at) == Sync::none && !is_arrival(at);
      }
      auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch) return nullptr;
      if (branch->isUnconditional()) {
        block = branch->getSuccessor(0);
      } else if (const auto side = side_of(branch)) {
        block = branch->getSuccessor(*side ? 0 : 1);
      } else {
        const auto* condition = dyn_cast<Instruction>(branch->getCondition());
        const bool may_ask = condition && ask.is_uniform(*condition) &&
                             is_known_before(region, condition, ask, loads);
        return may_ask ? branch : nullptr;
      }
    }
    return nullptr;
  }

  static bool is_known_before(const Region& region, const Value* value, const GuardQuestions& ask,
                              const SmallPtrSetImpl<const Instruction*>& loads, int depth = 0) {
    const auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || index_of(*instruction) != Index::none) return true;
    if (!region.blocks.contains(const_cast<BasicBlock*>(instruction->getParent())))
      return ask.is_uniform(*instruction);
    if (depth > 12 || !(is_cheap(*instruction) || loads.contains(instruction))) return false;
    return all_of(instruction->operands(), [&](const Use& operand) {
      return isa<Function>(operand) || is_known_before(region, operand, ask, loads, depth + 1);
    });
  }

  // What all threads do alike and nobody sees is done once: whether a loop goes on.
  bool is_decision(const Region& region) const {
    if (!is_cut() || !is_block_or_more(plan_.granule)) return false;
    std::set<const BasicBlock*> next;
    for (const BasicBlock* block : region.blocks) {
      for (const Instruction& instruction : *block)
        if (!instruction.isTerminator() && instruction.mayHaveSideEffects() &&
            sync_of(instruction) != Sync::loop)
          return false;
      for (const BasicBlock* successor : successors(block))
        if (sync_blocks_.count(const_cast<BasicBlock*>(successor))) next.insert(successor);
    }
    for (const BasicBlock* to : next)
      for (const Instruction* value : live_.at(*to))
        if (region.blocks.contains(const_cast<BasicBlock*>(value->getParent())) &&
            !plan_.is_uniform(*value))
          return false;
    return true;
  }

  uint32_t row_length() const { return plan_.y_is_fast ? shape_.y : shape_.x; }

  bool has_short_rows() const {
    const uint32_t row = row_length();
    return is_block_or_more(plan_.granule) && shape_.is_known() && shape_.z == 1 &&
           shape_.x * shape_.y > row && (row == 16 || row == 32);
  }

  // Loops that all threads go through alike.
  bool has_uniform_loops(const Region& region) {
    if (!threads_) {
      DenseMap<const Instruction*, int64_t> counters;
      for (Instruction* index : indices_)
        if (index_of(*index) <= Index::tid_z) counters[index] = 1;
      threads_.emplace(counters, kernel_loops(), [](const Instruction&) { return true; });
    }
    bool has_loops = false;
    for (BasicBlock* block : region.blocks) {
      const Loop* loop = kernel_loops().getLoopFor(block);
      const auto is_inside = [&](BasicBlock* of) { return region.blocks.contains(of); };
      if (!loop || loop->getHeader() == region.start || !all_of(loop->blocks(), is_inside))
        continue;  // cut by what the region ends with
      has_loops = true;
      const auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || (branch->isConditional() && threads_->varies(branch->getCondition())))
        return false;
    }
    return has_loops;
  }

  void build_rows(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Outcome& outcome) {
    driver_->open(build, nest);
    build_ways(build, nest, plain, outcome);
    nest.close_outer(build);
  }

  // A row of 16 threads is a vector or two, which is too little to go through a loop with:
  // where all threads go the same way, the block is one long row.
  void build_flat_or_rows(IRBuilder<>& build, ThreadNest& nest, const Region& plain,
                          Outcome& outcome) {
    const GuardQuestions ask = questions(plain);
    const RegionGuards guards = find_guards(*plain.start, ask);
    ThreadNest flat(frame_, shape_, plan_.y_is_fast);
    flat.open_flat(build);
    Value* zero = build.getInt32(0);
    if (guards.all.empty())
      return build_range(build, flat, plain, zero, flat.extent(), nullptr, true, outcome);
    Value* all = all_rows_settled(build, plain, guards, ask);
    either(
        build, all,
        [&](Outcome& of_all) {
          build_range(build, flat, plain, zero, flat.extent(), &guards, true, of_all);
        },
        [&](Outcome& of_rows) { build_rows(build, nest, plain, of_rows); }, outcome);
  }

  Value* all_rows_settled(IRBuilder<>& build, const Region& plain, const RegionGuards& guards,
                          const GuardQuestions& ask) {
    const uint32_t length = row_length();
    BasicBlock* before = build.GetInsertBlock();
    BasicBlock* head = BasicBlock::Create(context_, "row", frame_.body);
    BasicBlock* done = BasicBlock::Create(context_, "rows.done", frame_.body);
    build.CreateBr(head);
    build.SetInsertPoint(head);
    PHINode* row = build.CreatePHI(build.getInt32Ty(), 2, "row");
    PHINode* before_all = build.CreatePHI(build.getInt1Ty(), 2, "all");
    Value* zero = build.getInt32(0);
    const ThreadIndex first{plan_.y_is_fast ? row : zero, plan_.y_is_fast ? zero : row, zero,
                            nullptr};
    const auto [low, high] =
        settled_range(build, guards, build.getInt32(length), ask, [&](Value* value) {
          return at_first_thread(build, plain, first, value);
        });
    Value* all = build.CreateAnd(
        before_all,
        build.CreateICmpEQ(build.CreateSub(high, low), build.getInt32(length)));
    Value* next = build.CreateAdd(row, build.getInt32(1));
    row->addIncoming(zero, before);
    before_all->addIncoming(build.getTrue(), before);
    row->addIncoming(next, build.GetInsertBlock());
    before_all->addIncoming(all, build.GetInsertBlock());
    build.CreateCondBr(
        build.CreateICmpULT(next, build.getInt32(shape_.threads() / length)), head, done);
    build.SetInsertPoint(done);
    return all;
  }

  void build_lanes(IRBuilder<>& build, ThreadNest& nest, const Region& plain,
                     Outcome& outcome) {
    const GuardQuestions ask = questions(plain);
    RegionGuards guards;
    // Lanes of a warp over two rows do not grow along one of them.
    const bool is_one_row = !driver_->granule() || shape_.rows_hold_whole_warps();
    if (is_one_row && plan_.granule != Granule::thread) guards = find_guards(*plain.start, ask);
    const bool leaves_others_out = guards.others_do_nothing && (hands_nothing_on(plain) ||
                                                                others_keep(plain, guards.all[0]));
    if (!leaves_others_out && size_of(plain) > largest_split) guards.all.clear();
    Value* zero = build.getInt32(0);
    if (guards.all.empty()) {
      build_range(build, nest, plain, zero, nest.extent(), nullptr, true, outcome);
    } else if (driver_->granule() && others_may_come_first(plain, guards, ask)) {
      build_range(build, nest, plain, zero, nest.extent(), &guards, true, outcome);
      RegionGuards one;
      const Guard& others = guards.all[0];
      one.all = {{others.branch, !others.side, {{others.parts[0].first, !others.parts[0].second}}}};
      const ThreadIndex first = nest.first(build);
      const auto [at, after] = settled_range(
          build, one, nest.extent(), ask,
          [&](Value* value) { return at_first_thread(build, plain, first, value); });
      if_not_empty(build, nest, plain, at, after, &one, false, outcome);
    } else {
      const ThreadIndex first = nest.first(build);
      const auto [low, high] = settled_range(
          build, guards, nest.extent(), ask,
          [&](Value* value) { return at_first_thread(build, plain, first, value); });
      const auto in_parts = [&](bool vectorizes, Outcome& parts) {
        if (leaves_others_out) {
          if_not_empty(build, nest, plain, low, high, &guards, vectorizes, parts);
          return;
        }
        // In the order of threads, which may wait for a flag of an earlier one.
        Value *from = zero, *to = nest.extent(), *begin = low, *end = high;
        const bool has_others = !driver_->granule() && size_of(plain) <= largest_split / 2 &&
                                settles_all(guards.all[0], ask);
        RegionGuards first_only, others;
        if (has_others) {
          first_only.all = {guards.all[0]};
          others.all = {{guards.all[0].branch, !guards.all[0].side, {}}};
          std::tie(from, to) = settled_range(
              build, first_only, nest.extent(), ask,
              [&](Value* value) { return at_first_thread(build, plain, first, value); });
          begin = build.CreateBinaryIntrinsic(Intrinsic::umin, begin, to);
          end = build.CreateBinaryIntrinsic(Intrinsic::umin, end, to);
          if_not_empty(build, nest, plain, zero, from, &others, vectorizes, parts);
        }
        if_not_empty(build, nest, plain, from, begin, nullptr, false, parts);
        if_not_empty(build, nest, plain, begin, end, &guards, vectorizes, parts);
        if_not_empty(build, nest, plain, end, to, nullptr, false, parts);
        if (has_others)
          if_not_empty(build, nest, plain, to, nest.extent(), &others, vectorizes, parts);
      };
      const auto* row = dyn_cast<ConstantInt>(nest.extent());
      if (row && row->getZExtValue() <= longest_short_row && size_of(plain) <= largest_split / 2 &&
          !guards.of_one_thread)
        full_row_or(build, nest, plain, low, high, guards, in_parts, outcome);
      else
        in_parts(true, outcome);
    }
  }

  static constexpr size_t largest_split = 100;  // instructions, written several times
  static constexpr uint64_t longest_short_row = 64;

  // Short rows are worth vectors only if their length is known, which most rows'
  // is: those where a guard is settled for all threads.
  template <typename InParts>
  void full_row_or(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Value* low,
                   Value* high, const RegionGuards& guards, const InParts& in_parts,
                   Outcome& outcome) {
    Value* is_full = build.CreateICmpEQ(build.CreateSub(high, low), nest.extent());
    either(
        build, is_full,
        [&](Outcome& of_full) {
          build_range(build, nest, plain, build.getInt32(0), nest.extent(), &guards, true, of_full);
        },
        [&](Outcome& of_parts) {
          // Lanes that take no part are masked: their number is known, that of the others is not.
          if (driver_->granule())
            build_range(build, nest, plain, build.getInt32(0), nest.extent(), nullptr, true, of_parts);
          else  // the edges of a plane count
            in_parts(plan_.blocks_in_row > 1, of_parts);
        },
        outcome);
  }

  // Two ways to run the same threads.
  template <typename One, typename Other>
  void either(IRBuilder<>& build, Value* condition, const One& one, const Other& other,
              Outcome& outcome) {
    BasicBlock* yes = BasicBlock::Create(context_, "row.full", frame_.body);
    BasicBlock* no = BasicBlock::Create(context_, "row.partly", frame_.body);
    BasicBlock* after = BasicBlock::Create(context_, "row.done", frame_.body);
    build.CreateCondBr(condition, yes, no);
    Outcome of_one, of_other;
    build.SetInsertPoint(yes);
    one(of_one);
    BasicBlock* one_end = build.GetInsertBlock();
    build.CreateBr(after);
    build.SetInsertPoint(no);
    other(of_other);
    BasicBlock* other_end = build.GetInsertBlock();
    build.CreateBr(after);
    build.SetInsertPoint(after);
    join(build, outcome, of_one, one_end, of_other, other_end);
  }

  static void join(IRBuilder<>& build, Outcome& all, const Outcome& a, BasicBlock* end_of_a,
                   const Outcome& b, BasicBlock* end_of_b) {
    const auto either = [&](Value* of_a, Value* of_b) -> Value* {
      if (of_a == of_b) return of_a;
      Type* type = (of_a ? of_a : of_b)->getType();
      PHINode* phi = build.CreatePHI(type, 2);
      phi->addIncoming(of_a ? of_a : PoisonValue::get(type), end_of_a);
      phi->addIncoming(of_b ? of_b : PoisonValue::get(type), end_of_b);
      return phi;
    };
    const auto of = [](const Outcome& part, Slot* slot) -> Value* {
      const auto found = part.values.find(slot);
      return found == part.values.end() ? nullptr : found->second;
    };
    all.next = either(a.next, b.next);
    for (const Outcome* part : {&a, &b}) {
      for (const auto& [slot, value] : part->values)
        if (!all.values.count(slot)) all.values[slot] = either(of(a, slot), of(b, slot));
      for (const unsigned target : part->targets)
        if (!is_contained(all.targets, target)) all.targets.push_back(target);
    }
  }

  static size_t size_of(const Region& region) {
    size_t size = 0;
    for (const BasicBlock* block : region.blocks) size += block->size();
    return size;
  }

  GuardQuestions questions(const Region& region) const {
    GuardQuestions ask;
    ask.blocks = &region.blocks;
    const bool of_warp = plan_.granule == Granule::warp && driver_->granule();
    ask.is_uniform = of_warp ? plan_.is_uniform_in_warp : plan_.is_uniform;
    ask.leaves_region = [this](const BasicBlock& block) {
      return sync_blocks_.count(const_cast<BasicBlock*>(&block)) != 0;
    };
    ask.decided = [this](const BranchInst& branch) { return side_of(&branch); };
    ask.splits_uniform = !driver_->granule() && size_of(region) <= largest_split / 2;
    ask.y_is_fast = plan_.y_is_fast;
    ask.lanes_are_low_bits = driver_->granule() && shape_.rows_hold_whole_warps();
    return ask;
  }

  std::set<unsigned> next_of(const Region& region) const {
    std::set<unsigned> next;
    for (const BasicBlock* block : region.blocks) {
      if (isa<ReturnInst>(block->getTerminator())) next.insert(done_);
      for (const BasicBlock* successor : successors(block))
        if (const auto found = sync_blocks_.find(const_cast<BasicBlock*>(successor));
            found != sync_blocks_.end())
          next.insert(found->second);
    }
    return next;
  }

  // Only threads that are skipped could have had something to keep.
  bool hands_nothing_on(const Region& region) const {
    const std::set<unsigned> next = next_of(region);
    if (next.size() != 1) return false;
    if (*next.begin() == done_) return true;
    for (const Instruction* value : live_.at(*plan_.syncs[*next.begin() - 1].block))
      if (region.blocks.contains(const_cast<BasicBlock*>(value->getParent()))) return false;
    return true;
  }

  // Where all lanes but one go one way: whether that one may go it too before it goes its own.
  // It then does nothing but leave values where its own way leaves others.
  bool others_may_come_first(const Region& region, const RegionGuards& guards,
                             const GuardQuestions& ask) {
    if (guards.all.size() != 1 || !leaves_one_out(guards.all[0], ask)) return false;
    SmallSetVector<const BasicBlock*, 8> way;
    way.insert(region.start);
    const BasicBlock* branching = guards.all[0].branch->getParent();
    for (size_t i = 0; i < way.size(); ++i) {
      const BasicBlock* block = way[i];
      for (const Instruction& instruction : *block)
        if (!instruction.isTerminator() && !is_arrival(instruction) &&
            sync_of(instruction) == Sync::none &&
            (instruction.mayHaveSideEffects() ||
             (instruction.mayReadFromMemory() && block != region.start)))
          return false;
      if (block == branching) {
        const BasicBlock* next = guards.all[0].branch->getSuccessor(guards.all[0].side ? 0 : 1);
        if (!sync_blocks_.count(const_cast<BasicBlock*>(next))) way.insert(next);
        continue;
      }
      for (const BasicBlock* next : successors(block))
        if (!sync_blocks_.count(const_cast<BasicBlock*>(next))) way.insert(next);
    }
    std::set<const Slot*> read;
    for (Instruction* value : region.live) read.insert(&slot(*value));
    for (const unsigned next : next_of(region)) {
      if (next == done_) continue;
      if (next == region.number) return false;
      for (Instruction* value : live_.at(*plan_.syncs[next - 1].block))
        if (region.blocks.contains(value->getParent()) && read.count(&slot(*value))) return false;
    }
    return true;
  }

  // Whether threads that do nothing hand on only what they came with, where it lies.
  bool others_keep(const Region& region, const Guard& guard) {
    const std::set<unsigned> next = next_of(region);
    if (next.size() != 1 || *next.begin() == done_) return false;
    std::map<const Instruction*, Value*> became;
    const BasicBlock* from = guard.branch->getParent();
    BasicBlock* at = guard.branch->getSuccessor(guard.side ? 1 : 0);
    for (int steps = 0; at && !sync_blocks_.count(at); ++steps) {
      if (steps > 8) return false;
      for (PHINode& phi : at->phis()) became[&phi] = phi.getIncomingValueForBlock(from);
      from = std::exchange(at, at->getSingleSuccessor());
    }
    for (Instruction* value : live_.at(*plan_.syncs[*next.begin() - 1].block)) {
      if (!region.blocks.contains(value->getParent())) continue;
      const auto found = became.find(value);
      auto* kept = found == became.end() ? nullptr : dyn_cast<Instruction>(found->second);
      if (!kept || region.blocks.contains(kept->getParent()) || !is_contained(region.live, kept) ||
          &slot(*kept) != &slot(*value) || !slot(*value).per_thread)
        return false;
    }
    return true;
  }

  // A value as it is for the first thread of the innermost loop, made before it.
  Value* at_first_thread(IRBuilder<>& build, const Region& region, const ThreadIndex& first,
                         Value* value) {
    auto* instruction = dyn_cast<Instruction>(value);
    if (auto* argument = dyn_cast<Argument>(value)) return frame_.arguments[argument->getArgNo()];
    if (auto* variable = dyn_cast<GlobalVariable>(value))
      if (const auto place = shared_places_.find(variable); place != shared_places_.end())
        return place->second;
    if (!instruction) return value;
    switch (const Index index = index_of(*instruction)) {
      case Index::tid_x: return first.x;
      case Index::tid_y: return first.y;
      case Index::tid_z: return first.z;
      case Index::none: break;
      default: return frame_.index[static_cast<int>(index)];
    }
    if (!region.blocks.contains(instruction->getParent())) {
      const Slot& from = slot(*instruction);
      return from.per_thread ? scratch_.load(build, from.array, scratch_.index(from.array, first))
                             : load_uniform(build, from, instruction->getType());
    }
    Instruction* copy = instruction->clone();
    copy->dropPoisonGeneratingFlags();
    for (Use& operand : copy->operands())
      if (!isa<Function>(operand)) operand.set(at_first_thread(build, region, first, operand));
    return build.Insert(copy);
  }

  void if_not_empty(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Value* low,
                    Value* high, const RegionGuards* settled, bool vectorizes, Outcome& outcome) {
    BasicBlock* before = build.GetInsertBlock();
    BasicBlock* some = BasicBlock::Create(context_, "range", frame_.body);
    BasicBlock* after = BasicBlock::Create(context_, "range.done", frame_.body);
    build.CreateCondBr(build.CreateICmpULT(low, high), some, after);
    build.SetInsertPoint(some);
    Outcome inside;
    build_range(build, nest, plain, low, high, settled, vectorizes, inside);
    BasicBlock* end = build.GetInsertBlock();
    build.CreateBr(after);
    build.SetInsertPoint(after);
    const auto join = [&](Value* was, Value* is) -> Value* {
      if (was == is || (!was && isa<Constant>(is))) return is;
      PHINode* phi = build.CreatePHI(is->getType(), 2);
      phi->addIncoming(was ? was : PoisonValue::get(is->getType()), before);
      phi->addIncoming(is, end);
      return phi;
    };
    if (inside.next) outcome.next = join(outcome.next, inside.next);
    for (auto& [slot, value] : inside.values)
      outcome.values[slot] = join(outcome.values.count(slot) ? outcome.values[slot] : nullptr, value);
    for (const unsigned target : inside.targets)
      if (!is_contained(outcome.targets, target)) outcome.targets.push_back(target);
  }

  // A loop over the threads [low, high) of the innermost level.
  void build_range(IRBuilder<>& build, ThreadNest& nest, const Region& plain, Value* low,
                   Value* high, const RegionGuards* settled, bool vectorizes, Outcome& outcome) {
    Region region;
    region.number = plain.number;
    region.start = plain.start;
    region.blocks = plain.blocks;
    region.live = plain.live;
    // Loads of uniform values go before the loop, once the region is known.
    BasicBlock* preheader = build.GetInsertBlock();
    IRBuilder<> before(preheader);
    BasicBlock* loops = BasicBlock::Create(context_, "threads", frame_.body);
    build.SetInsertPoint(loops);
    region.thread = nest.open_inner(build, low, high);
    region.head = build.GetInsertBlock();
    region.first_block = frame_.body->size();

    bind_what_is_always_there(region, build);
    std::vector<std::pair<BasicBlock*, BasicBlock*>> clones = clone_blocks(region);
    load_live_values(region, before, build, clones);
    build.CreateBr(cast<BasicBlock>(region.map[region.start]));
    remap(region, clones);
    if (settled)
      for (const Guard& guard : settled->all)
        cast<BranchInst>(region.map[guard.branch])->setCondition(build.getInt1(guard.side));
    if (settled && !nest.is_flat()) tell_that_indices_do_not_wrap(region, *settled, nest, before);
    for (const auto& [branch, side] : decided_)
      cast<BranchInst>(region.map[branch])->setCondition(build.getInt1(side));
    if (driver_->granule() && plan_.granule == Granule::warp && nest.has_inner_loop())
      ask_first_lane(region, nest.first(before), before);

    std::vector<AtomicRMWInst*> combined;
    if (nest.has_inner_loop()) {
      SmallVector<BasicBlock*> text{region.head};
      for (auto& [block, clone] : clones) text.push_back(clone);
      combined = find_combinable_atomics(text);
    }
    build.SetInsertPoint(BasicBlock::Create(context_, "join", frame_.body));
    outcome.values = store_live_values(region, build);
    replace_exchanges(region, clones);
    outcome.next = next_region(region, build);
    MDNode* group = nest.has_inner_loop() ? mark_independent(region) : nullptr;
    nest.close_inner(build, group, vectorizes);
    combine_atomics(combined, *frame_.once, before, build);
    for (const auto& exit : region.exits) outcome.targets.push_back(exit.first);
    before.CreateBr(loops);
  }

  // An index that is known to stay below its limit is the first thread's and the counter:
  // sums of other kinds might pass the largest number, which keeps loads from being vectors.
  void tell_that_indices_do_not_wrap(Region& region, const RegionGuards& settled, ThreadNest& nest,
                                     IRBuilder<>& before) {
    if (!nest.has_inner_loop()) return;
    const GuardQuestions ask = questions(region);
    for (const Guard& guard : settled.all)
      for (const auto& [condition, wanted] : guard.parts) {
        auto* index = limited_index(condition, wanted, ask);
        if (!index || !region.blocks.contains(index->getParent())) continue;
        auto* made = dyn_cast_or_null<Instruction>(region.map.lookup(index));
        if (!made) continue;
        Value* first = at_first_thread(before, region, nest.first(before), index);
        IRBuilder<> build(region.head->getTerminator());
        Value* counter = build.CreateZExtOrTrunc(nest.counter(), index->getType());
        made->replaceAllUsesWith(build.CreateAdd(first, counter, "", false, /*HasNSW=*/true));
      }
  }

  // What the lanes of a warp have in common though it is made of their index, as
  // `threadIdx.x / 32` is: the loop over them would not see that.
  void ask_first_lane(Region& region, const ThreadIndex& first, IRBuilder<>& before) {
    const auto is_common = [&](const Value* value) {
      const auto* instruction = dyn_cast<Instruction>(value);
      return !instruction || plan_.is_uniform_in_warp(*instruction);
    };
    for (BasicBlock* block : region.blocks)
      for (Instruction& instruction : *block) {
        if (!is_cheap(instruction) || !is_common(&instruction) ||
            all_of(instruction.operands(), is_common) || !is_made_of_index(region, &instruction))
          continue;
        auto* made = cast<Instruction>(region.map[&instruction]);
        made->replaceAllUsesWith(at_first_thread(before, region, first, &instruction));
      }
  }

  static bool is_made_of_index(const Region& region, const Value* value, int depth = 0) {
    const auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || index_of(*instruction) != Index::none) return true;
    if (depth > 12 || !is_cheap(*instruction) ||
        !region.blocks.contains(const_cast<BasicBlock*>(instruction->getParent())))
      return false;
    return all_of(instruction->operands(), [&](const Use& operand) {
      return isa<Function>(operand) || is_made_of_index(region, operand, depth + 1);
    });
  }

  void find_blocks(Region& region) {
    if (sync_blocks_.empty())
      for (const SyncPoint& sync : plan_.syncs) sync_blocks_[sync.block] = sync.number;
    region.blocks.insert(region.start);
    for (size_t i = 0; i < region.blocks.size(); ++i)
      for (BasicBlock* next : successors(region.blocks[i]))
        if (!sync_blocks_.count(next)) region.blocks.insert(next);
  }

  bool comes_back_at_once(const Region& region) const {
    for (BasicBlock* block : region.blocks)
      for (BasicBlock* next : successors(block))
        if (next == region.start) return true;
    return false;
  }

  void bind_what_is_always_there(Region& region, IRBuilder<>& build) {
    for (unsigned i = 0; i < kernel_.arg_size(); ++i)
      region.map[kernel_.getArg(i)] = frame_.arguments[i];
    for (Instruction* index : indices_) {
      const Index which = index_of(*index);
      Value* value = which == Index::tid_x   ? region.thread.x
                     : which == Index::tid_y ? region.thread.y
                     : which == Index::tid_z ? region.thread.z
                                             : frame_.index[static_cast<int>(which)];
      region.map[index] = value;
    }
    for (auto& [alloca, copy] : common_allocas_) region.map[alloca] = copy;
    for (auto& [alloca, array] : alloca_arrays_)
      region.map[alloca] = scratch_.element(build, array, region.thread.linear);
    for (auto& [variable, place] : shared_places_) region.map[variable] = place;
  }

  static bool is_dropped(const Instruction& instruction) {
    if (isa<AllocaInst>(instruction) || index_of(instruction) != Index::none) return true;
    const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
    return intrinsic && intrinsic->isLifetimeStartOrEnd();
  }

  std::vector<std::pair<BasicBlock*, BasicBlock*>> clone_blocks(Region& region) {
    std::vector<std::pair<BasicBlock*, BasicBlock*>> clones;
    for (BasicBlock* block : region.blocks) {
      auto* clone = BasicBlock::Create(context_, block->getName(), frame_.body);
      region.map[block] = clone;
      clones.push_back({block, clone});
    }
    for (auto& [block, clone] : clones)
      for (Instruction& instruction : *block) {
        if (is_dropped(instruction)) continue;
        if (instruction.isTerminator() && clone_leaving_terminator(region, instruction, clone))
          continue;
        Instruction* copy = instruction.clone();
        copy->insertInto(clone, clone->end());
        copy->setName(instruction.getName());
        region.map[&instruction] = copy;
        if (auto* phi = dyn_cast<PHINode>(copy))
          for (unsigned i = phi->getNumIncomingValues(); i-- > 0;) {
            BasicBlock* from = phi->getIncomingBlock(i);
            if (!region.blocks.contains(from) || is_cut_edge(from, block))
              phi->removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
          }
      }
    return clones;
  }

  bool is_cut_edge(BasicBlock*, BasicBlock* to) const { return sync_blocks_.count(to); }

  // Returns and branches to the next place to wait leave the region.
  bool clone_leaving_terminator(Region& region, Instruction& terminator, BasicBlock* clone) {
    unsigned next = 0;
    if (isa<ReturnInst>(terminator)) {
      next = done_;
    } else if (auto* branch = dyn_cast<BranchInst>(&terminator);
               branch && branch->isUnconditional()) {
      const auto found = sync_blocks_.find(branch->getSuccessor(0));
      if (found == sync_blocks_.end()) return false;
      next = found->second;
    } else {
      return false;
    }
    BasicBlock*& exit = region.exits[next];
    if (!exit) exit = BasicBlock::Create(context_, "exit", frame_.body);
    BranchInst::Create(exit, clone);
    return true;
  }

  void load_live_values(Region& region, IRBuilder<>& uniform, IRBuilder<>& per_thread,
                        const std::vector<std::pair<BasicBlock*, BasicBlock*>>& clones) {
    SmallPtrSet<const Value*, 32> used;
    for (auto& [block, clone] : clones)
      for (const Instruction& instruction : *clone)
        for (const Use& use : instruction.operands()) used.insert(use);
    for (Instruction* value : region.live) {
      const bool is_made_again = region.blocks.contains(value->getParent());
      if (!used.contains(value) && !is_made_again) continue;
      Slot& from = slot(*value);
      Value* loaded = from.per_thread
                          ? scratch_.load(per_thread, from.array,
                                          scratch_.index(from.array, region.thread))
                          : load_uniform(uniform, from, value->getType());
      region.loaded[value] = loaded;
      if (!is_made_again) region.map[value] = loaded;
    }
  }

  void remap(Region& region, const std::vector<std::pair<BasicBlock*, BasicBlock*>>& clones) {
    const RemapFlags flags = RF_NoModuleLevelChanges | RF_IgnoreMissingLocals;
    for (auto& [block, clone] : clones)
      for (Instruction& instruction : *clone) RemapInstruction(&instruction, region.map, flags);
  }

  // Stores what later regions need at each exit, and repairs uses of values that
  // come from before the region on one path and from within it on another.
  // Uniform values are handed out of the loops as phis of `join`.
  std::map<Slot*, Value*> store_live_values(Region& region, IRBuilder<>& join) {
    std::map<Slot*, PHINode*> outs;
    SetVector<Instruction*> values;
    for (Instruction* value : region.live)
      if (region.blocks.contains(value->getParent())) values.insert(value);
    for (auto& [next, exit] : region.exits)
      if (next != done_)
        for (Instruction* value : live_.at(*plan_.syncs[next - 1].block))
          if (region.blocks.contains(value->getParent())) values.insert(value);

    for (auto& [next, exit] : region.exits)
      if (exit->empty()) BranchInst::Create(join.GetInsertBlock(), exit);
    for (Instruction* value : values) {
      auto* made = cast<Instruction>(region.map[value]);
      Value* loaded = region.loaded.lookup(value);
      SSAUpdater updater;
      if (loaded) {
        updater.Initialize(value->getType(), value->getName());
        updater.AddAvailableValue(region.head, loaded);
        updater.AddAvailableValue(made->getParent(), made);
        SmallVector<Use*> uses;
        for (Use& use : made->uses()) uses.push_back(&use);
        for (Use* use : uses) {
          auto* user = cast<Instruction>(use->getUser());
          auto* phi = dyn_cast<PHINode>(user);
          BasicBlock* where = phi ? phi->getIncomingBlock(*use) : user->getParent();
          if (where != made->getParent()) updater.RewriteUse(*use);
        }
      }
      Slot* to = nullptr;
      for (auto& [next, exit] : region.exits) {
        const bool is_live = next != done_ && live_.is_live_at(*value, *plan_.syncs[next - 1].block);
        if (!is_live) continue;
        if (!to) to = &slot(*value);
        Value* there = loaded ? updater.GetValueAtEndOfBlock(exit) : made;
        if (to->per_thread) {
          if (is_there_already(region, there, *to)) continue;
          IRBuilder<> build(exit->getTerminator());
          scratch_.store(build, to->array, scratch_.index(to->array, region.thread), there);
        } else {
          PHINode*& out = outs[to];
          if (!out) out = join.CreatePHI(value->getType(), region.exits.size());
          out->addIncoming(there, exit);
        }
      }
    }
    std::map<Slot*, Value*> values_out;
    for (auto& [to, out] : outs) {
      for (auto& [next, exit] : region.exits)
        if (out->getBasicBlockIndex(exit) < 0)
          out->addIncoming(PoisonValue::get(out->getType()), exit);
      values_out[to] = out;
    }
    return values_out;
  }

  bool is_there_already(const Region& region, Value* there, const Slot& place) {
    if (auto* phi = dyn_cast<PHINode>(there))
      if (Value* same = phi->hasConstantValue()) there = same;
    for (const auto& [value, loaded] : region.loaded)
      if (loaded == there && &slot(*value) == &place) return true;
    return false;
  }

  void replace_exchanges(Region& region,
                         const std::vector<std::pair<BasicBlock*, BasicBlock*>>& clones) {
    for (auto& [block, clone] : clones)
      for (Instruction& instruction : make_early_inc_range(*clone)) {
        auto* call = dyn_cast<CallInst>(&instruction);
        if (!call) continue;
        if (is_arrival(*call)) exchange_.arrive(*call, region.thread);
        else if (sync_of(*call) != Sync::none)
          exchange_.result(*call, plan_.syncs[region.number - 1], region.thread);
      }
  }

  Value* next_region(Region& region, IRBuilder<>& join) {
    if (region.exits.empty()) return nullptr;  // an endless loop
    if (region.exits.size() == 1) return join.getInt32(region.exits.begin()->first);
    PHINode* next = join.CreatePHI(join.getInt32Ty(), region.exits.size(), "next");
    for (auto& [number, exit] : region.exits) next->addIncoming(join.getInt32(number), exit);
    return next;
  }

  // Threads do not depend on each other between two places where they wait. What
  // is not marked: a thread's own arrays that all threads have at one address.
  MDNode* mark_independent(Region& region) {
    MDNode* group = MDNode::getDistinct(context_, {});
    SmallVector<BasicBlock*> blocks{region.head};
    auto block = frame_.body->begin();
    std::advance(block, region.first_block);
    for (; block != frame_.body->end(); ++block) blocks.push_back(&*block);
    for (BasicBlock* in : blocks)
      for (Instruction& instruction : *in) {
        const Value* pointer = nullptr;
        if (auto* load = dyn_cast<LoadInst>(&instruction)) pointer = load->getPointerOperand();
        else if (auto* store = dyn_cast<StoreInst>(&instruction))
          pointer = store->getPointerOperand();
        if (!pointer || may_be_common_alloca(pointer)) continue;
        instruction.setMetadata(LLVMContext::MD_access_group, group);
      }
    return group;
  }

  bool may_be_common_alloca(const Value* pointer) const {
    if (common_allocas_.empty()) return false;
    SmallVector<const Value*, 4> objects;
    getUnderlyingObjects(pointer, objects);
    for (const Value* object : objects)
      if (!isa<Argument>(object) && !isa<GlobalValue>(object)) return true;
    return false;
  }

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
  std::vector<BasicBlock*> labels_;
  std::vector<Instruction*> indices_;
  std::vector<AllocaInst*> allocas_;
  std::map<AllocaInst*, Instruction*> common_allocas_;
  std::map<AllocaInst*, unsigned> alloca_arrays_;
  std::vector<std::pair<GlobalVariable*, uint64_t>> shared_offsets_;
  std::map<GlobalVariable*, Value*> shared_places_;
  DenseMap<BasicBlock*, unsigned> sync_blocks_;
  std::map<Instruction*, Slot> slots_;
  std::vector<std::pair<BranchInst*, bool>> decided_;  ///< while a region is built
  std::map<Instruction*, Instruction*> leader_;  ///< who share a place
  std::optional<LoopInfo> loops_;
  std::optional<Strides> threads_;  ///< what differs between any of them
};

constexpr const char* of_shared = "ks.shared";

// Asked of the whole kernel: in a region a pointer may come from where it was kept.
void mark_shared_atomics(Function& kernel) {
  for (Instruction& instruction : instructions(kernel)) {
    const auto* update = dyn_cast<AtomicRMWInst>(&instruction);
    const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction);
    if (!update && !exchange) continue;
    SmallVector<const Value*, 4> objects;
    getUnderlyingObjects(update ? update->getPointerOperand() : exchange->getPointerOperand(),
                         objects, nullptr, /*MaxLookup=*/0);
    const bool is_shared = all_of(objects, [](const Value* object) {
      const auto* variable = dyn_cast<GlobalVariable>(object);
      return variable && variable->hasAttribute("ks-shared");
    });
    if (is_shared) instruction.setMetadata(of_shared, MDNode::get(kernel.getContext(), {}));
  }
}

// One worker runs a block's threads, one at a time: what is atomic among them needs
// no locked instruction. It has no access group, so that it stays in order.
void lower_shared_atomics(Function& body) {
  for (Instruction& instruction : make_early_inc_range(instructions(body))) {
    if (!instruction.hasMetadata(of_shared)) continue;
    if (auto* update = dyn_cast<AtomicRMWInst>(&instruction)) lowerAtomicRMWInst(update);
    else lowerAtomicCmpXchgInst(cast<AtomicCmpXchgInst>(&instruction));
  }
}

}  // namespace

RegionBytes build_regions(const PreparedKernel& kernel, const BlockShape& shape,
                           EntryFrame& frame, const RegionPlan& plan) {
  mark_shared_atomics(*kernel.function);
  Builder builder(kernel, shape, frame, plan);
  const uint64_t shared_bytes = builder.lay_out_shared();
  RegionBytes bytes = builder.run();
  lower_shared_atomics(*frame.body);
  bytes.shared = shared_bytes;
  Function* function = kernel.function;
  function->deleteBody();
  function->eraseFromParent();
  return bytes;
}

}  // namespace kasoku::embedded
