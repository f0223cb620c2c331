#include "kasoku/compile/clang/passes/region_builder.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/clang/shared_variables.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace kasoku::embedded {

RegionBytes RegionBuilder::run() {
  share_places();
  if (plan_.blocks_in_turn) open_turns();
  collect_kernel();
  for (unsigned number = 0; number < done_; ++number)
    labels_.push_back(plan_.granule == Granule::warp && !begins_stretch(number)
                          ? nullptr  // one in each stretch
                          : BasicBlock::Create(context_, "region", frame_.body));
  RegionDriver driver(frame_, shape_, plan_, scratch_, exchange_, labels_);
  driver_ = &driver;
  if (plan_.blocks_in_turn) {
    build_turns();
  } else if (!plan_.ahead.regions.empty()) {
    build_ahead();
  } else {
    driver.begin();
    build_rest();
  }
  driver.end();
  return {scratch_.bytes(), scratch_.bytes_per_thread()};
}

void RegionBuilder::build_rest() {
  for (unsigned number = 0; number < done_; ++number)
    if (plan_.ahead.regions.count(number))
      continue;
    else if (plan_.granule != Granule::warp)
      build_region(number);
    else if (begins_stretch(number))
      build_stretch(number);
}

void RegionBuilder::build_ahead() {
  const auto block = [&](const char* name) { return BasicBlock::Create(context_, name, frame_.body); };
  BasicBlock *apart = block("blocks.apart"), *end = block("block.end");
  IRBuilder<> build(frame_.block_begin);
  GroupLoop groups(frame_, build, plan_.blocks_in_row, row_length());
  row_ = groups.row_of_threads(build);
  scratch_.set_row(plan_.blocks_in_row);
  build.CreateBr(labels_[0]);
  driver_->lead(plan_.ahead.behind, apart);
  for (const unsigned number : plan_.ahead.regions) build_region(number);
  driver_->lead(plan_.ahead.behind, nullptr);
  row_ = nullptr;
  BasicBlock* leave = std::exchange(frame_.block_end, end);
  build.SetInsertPoint(apart);
  BlockLoop blocks(frame_, build, groups.range());
  scratch_.narrow(build, build.CreateSub(blocks.number(), groups.range().first));
  build.CreateBr(labels_[plan_.ahead.behind]);
  build_rest();
  build.SetInsertPoint(end);
  blocks.close(build);
  groups.close(build);
  build.CreateBr(leave);
}

void RegionBuilder::collect_kernel() {
  for (Instruction& instruction : instructions(kernel_)) {
    if (index_of(instruction) != Index::none) indices_.push_back(&instruction);
    if (auto* alloca = dyn_cast<AllocaInst>(&instruction)) {
      if (!alloca->isStaticAlloca())
        throw Error(ErrorKind::compile, "kernel '" + demangle(kernel_.getName()) +
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
      alloca_arrays_[alloca] = scratch_.add(bytes, alloca->getAlign().value(), /*of_all_blocks=*/true);
    } else {
      Instruction* copy = alloca->clone();
      build.Insert(copy, alloca->getName());
      common_allocas_[alloca] = copy;
    }
  }
  place_shared();
}

void RegionBuilder::place_shared() {
  IRBuilder<> build(frame_.once->getTerminator());
  Value* shared = frame_.shared;
  if (plan_.blocks_in_turn > 1 && shared_bytes_) {
    shared = place_in_block(ArrayType::get(build.getInt8Ty(), alignTo(shared_bytes_, 64)), 64, "shared");
    build.SetInsertPoint(cast<Instruction>(shared)->getNextNode());
  }
  for (auto& [variable, offset] : shared_offsets_) {
    convertUsersOfConstantsToInstructions({variable});
    shared_places_[variable] =
        build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), shared, offset, variable->getName());
  }
}

uint64_t RegionBuilder::lay_out_shared() {
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
    if (!variable->hasInitializer())
      shared_offsets_.push_back({variable, variable->getName() == "ks_shared_begin" ? 0 : dynamic});
  return shared_bytes_ = bytes;
}

void RegionBuilder::share_places() {
  if (!passes().runs(PassId::share_slots)) return;
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

Instruction* RegionBuilder::leader(Instruction* value) const {
  for (auto at = leader_.find(value); at != leader_.end(); at = leader_.find(value))
    value = at->second;
  return value;
}

std::pair<bool, bool> RegionBuilder::kind_of(const Instruction& value) const {
  const bool by_warp = plan_.granule == Granule::warp && !outlives_stretches(value);
  const bool per_thread = plan_.granule == Granule::thread ||
                          !(by_warp ? plan_.is_uniform_in_warp : plan_.is_uniform)(value);
  if (is_kept_by_warp(value)) return {false, false};
  return {by_warp, per_thread};
}

RegionBuilder::Slot& RegionBuilder::slot(Instruction& of) {
  Instruction& value = *leader(&of);
  const auto [found, is_new] = slots_.try_emplace(&value);
  if (!is_new) return found->second;
  const auto [by_warp, per_thread] = kind_of(value);
  Slot made{per_thread, 0, nullptr, nullptr};
  IRBuilder<> build(&*frame_.once->begin());
  const auto place = [&] { return build.CreateAlloca(value.getType(), nullptr, "uniform"); };
  const bool by_block = is_kept_by_block(&value);
  if (is_kept_by_warp(value)) {
    made.array = scratch_.add(value.getType(), 1, by_block);
  } else if (per_thread && by_warp) {
    made.array = scratch_.add_lanes(value.getType());
  } else if (per_thread || plan_.granule == Granule::turn) {
    made.array = scratch_.add(value.getType(), 1, by_block);
  } else {
    made.single = by_block ? place_in_block(value.getType(), 1, "uniform") : place();
    if (plan_.granule == Granule::warp && !by_warp) made.of_warp = place();
  }
  return found->second = made;
}

bool RegionBuilder::outlives_stretches(const Instruction& value) const {
  for (const SyncPoint& sync : plan_.syncs)
    if (begins_stretch(sync.number) && live_.is_live_at(value, *sync.block)) return true;
  return false;
}

bool RegionBuilder::begins_stretch(unsigned number) const {
  if (number == 0) return true;
  const Sync sync = plan_.syncs[number - 1].sync;
  return is_block_barrier(sync) || sync == Sync::loop;
}

Value* RegionBuilder::place_of(const Slot& slot) const {
  return slot.of_warp && driver_->granule() ? slot.of_warp : slot.single;
}

Value* RegionBuilder::load_uniform(IRBuilder<>& build, const Slot& slot, Type* type) {
  return slot.single ? build.CreateLoad(type, place_of(slot))
                     : scratch_.load(build, slot.array, driver_->granule());
}

void RegionBuilder::build_stretch(unsigned number) {
  std::vector<unsigned> regions{number};
  for (size_t i = 0; i < regions.size(); ++i) {
    Region region;
    find_region(region, regions[i]);
    for (const unsigned next : next_of(region))
      if (next != done_ && !begins_stretch(next) && !is_contained(regions, next))
        regions.push_back(next);
  }
  if (regions.size() == 1 && !loops_by_warps(number) && !plan_.blocks_in_turn) return build_region(number);

  IRBuilder<> build(labels_[number]);
  std::vector<Slot*> kept;
  if (number) {
    exchange_.meet(build, plan_.syncs[number - 1], nullptr, false);
    for (Instruction* value : live_.at(*plan_.syncs[number - 1].block))
      if (Slot& from = slot(*value); from.of_warp) kept.push_back(&from);
  }
  std::vector<Value*> values;
  for (Slot* from : kept)
    values.push_back(build.CreateLoad(from->of_warp->getAllocatedType(), from->single));
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
          build.CreateStore(build.CreateLoad(to.of_warp->getAllocatedType(), to.of_warp),
                            to.single);
  driver_->go_on(build, way.next, way.targets);
}

bool RegionBuilder::loops_by_warps(unsigned number) {
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

const LoopInfo& RegionBuilder::kernel_loops() {
  if (!loops_) loops_.emplace(DominatorTree(kernel_));
  return *loops_;
}

void RegionBuilder::find_region(Region& plain, unsigned number) {
  plain.number = number;
  plain.start = number ? plan_.syncs[number - 1].block : &kernel_.getEntryBlock();
  find_blocks(plain);
  if (number) plain.live = live_.at(*plain.start);
}

void RegionBuilder::build_region(unsigned number) {
  Region plain;
  find_region(plain, number);
  IRBuilder<> build(driver_->label(number));
  if (number && !(driver_->granule() && plan_.granule == Granule::warp && begins_stretch(number)))
    exchange_.meet(build, plan_.syncs[number - 1], driver_->granule(), comes_back_at_once(plain));
  ThreadNest nest(frame_, shape_, plan_.y_is_fast, passes().lanes());
  Outcome outcome;
  if (is_decision(plain)) {
    nest.open_thread(build, build.getInt32(0));
    build_range(build, nest, plain, build.getInt32(0), nest.extent(), nullptr, false, outcome);
  } else if (row_) {
    driver_->open(build, nest);
    nest.lengthen(row_);
    build_lanes(build, nest, plain, outcome);
    nest.close_outer(build);
  } else if (plan_.joins_rows) {
    GroupLoop groups(frame_, build, plan_.blocks_in_row, row_length());
    Value* row = groups.row_of_threads(build);
    driver_->open(build, nest);
    nest.lengthen(row);
    build_lanes(build, nest, plain, outcome);
    nest.close_outer(build);
    groups.close(build);
  } else if (plan_.blocks_in_row > 1 && plan_.ahead.regions.empty()) {
    GroupLoop groups(frame_, build, plan_.blocks_in_row, /*row=*/0);
    driver_->open(build, nest);
    BlockLoop blocks(frame_, build, groups.range());
    build_lanes(build, nest, plain, outcome);
    blocks.close(build);
    nest.close_outer(build);
    groups.close(build);
  } else {
    std::optional<BlockLoop> blocks;
    if (plan_.granule == Granule::blocks) blocks.emplace(frame_, build, blocks_of(frame_));
    const auto rows = [&](Outcome& of_rows) {
      if (passes().runs(PassId::flatten_rows) && has_short_rows() && has_uniform_loops(plain) && size_of(plain) <= 2 * largest_split)
        build_flat_or_rows(build, nest, plain, of_rows);
      else
        build_rows(build, nest, plain, of_rows);
    };
    build_block_ways(build, plain, rows, outcome);
    if (blocks) blocks->close(build);
  }
  for (auto& [slot, value] : outcome.values)
    if (slot->single) build.CreateStore(value, place_of(*slot));
    else scratch_.store(build, slot->array, driver_->granule(), value);
  driver_->go_on(build, outcome.next, outcome.targets);
}

void RegionBuilder::find_blocks(Region& region) {
  if (sync_blocks_.empty())
    for (const SyncPoint& sync : plan_.syncs) sync_blocks_[sync.block] = sync.number;
  region.blocks.insert(region.start);
  for (size_t i = 0; i < region.blocks.size(); ++i)
    for (BasicBlock* next : successors(region.blocks[i]))
      if (!sync_blocks_.count(next)) region.blocks.insert(next);
}

bool RegionBuilder::comes_back_at_once(const Region& region) const {
  for (BasicBlock* block : region.blocks)
    for (BasicBlock* next : successors(block))
      if (next == region.start) return true;
  return false;
}
namespace {

constexpr const char* of_shared = "ks.shared";

// This is asked of the whole kernel, since within a region a pointer may be loaded from where it was kept.
void mark_shared_atomics(Function& kernel) {
  for (Instruction& instruction : instructions(kernel)) {
    const auto* update = dyn_cast<AtomicRMWInst>(&instruction);
    const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction);
    if (!update && !exchange) continue;
    SmallVector<const Value*, 4> objects;
    getUnderlyingObjects(update ? update->getPointerOperand() : exchange->getPointerOperand(),
                         objects, nullptr, /*MaxLookup=*/0);
    if (all_of(objects, is_shared_variable)) instruction.setMetadata(of_shared, MDNode::get(kernel.getContext(), {}));
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

bool orders_memory(Sync sync) { return (is_block_barrier(sync) && sync != Sync::aggregate) || sync == Sync::warp_barrier; }

// A barrier orders accesses of all types, and nothing of it is left where LLVM sees the regions one after the other, or a loop
// of them: there types say nothing of whether two addresses differ.
void forget_types(Function& kernel) {
  for (Instruction& instruction : instructions(kernel)) {
    instruction.setMetadata(LLVMContext::MD_tbaa, nullptr);
    instruction.setMetadata(LLVMContext::MD_tbaa_struct, nullptr);
  }
}

}  // namespace

RegionBytes build_regions(const PreparedKernel& kernel, const BlockShape& shape,
                           EntryFrame& frame, const RegionPlan& plan) {
  mark_shared_atomics(*kernel.function);
  if (any_of(plan.syncs, [](const SyncPoint& point) { return orders_memory(point.sync); })) forget_types(*kernel.function);
  RegionBuilder builder(kernel, shape, frame, plan);
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
