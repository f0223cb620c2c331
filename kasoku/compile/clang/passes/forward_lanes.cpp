#include "kasoku/compile/clang/passes/forward_lanes.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr const char* lanes_mark = "ks.lanes";
constexpr unsigned places = 3 * lanes_of_warp;

/// The value at one place: a lane of a vector, or a scalar; empty if it is not known.
struct LanePlace {
  Value* from = nullptr;
  unsigned lane = 0;
};
using Contents = std::array<LanePlace, places>;

/// A load or store of `count` elements from place `first` on.
struct Access {
  unsigned first, count;
};

class Array {
 public:
  Array(AllocaInst& alloca, const DataLayout& layout) : alloca_(alloca), layout_(layout) {
    bytes_ = layout.getTypeAllocSize(cast<ArrayType>(alloca.getAllocatedType())->getElementType());
    is_simple_ = collect(alloca, 0);
  }

  bool is_simple() const { return is_simple_; }
  const SmallPtrSetImpl<Instruction*>& users() const { return users_; }

  /// Returns nothing for a place that is known at run time only, and for elements of another size.
  std::optional<Access> access(Value* pointer, Type* type) const {
    const auto offset = offsets_.find(pointer);
    Type* element = type->getScalarType();
    if (offset == offsets_.end() || isa<ScalableVectorType>(type) ||
        layout_.getTypeStoreSize(element) != bytes_ || layout_.getTypeAllocSize(element) != bytes_ ||
        offset->second % bytes_ != 0)
      return {};
    const auto* vector = dyn_cast<FixedVectorType>(type);
    const Access at{static_cast<unsigned>(offset->second / bytes_),
                    vector ? vector->getNumElements() : 1};
    if (offset->second < 0 || at.first + at.count > places) return {};
    return at;
  }

  /// Resets the contents to what always holds: zeros on both sides, since only the middle is ever stored to.
  void forget_contents(Contents& contents) const {
    Value* zero = Constant::getNullValue(Type::getIntNTy(alloca_.getContext(), bytes_ * 8));
    for (unsigned i = 0; i < places; ++i)
      contents[i] = {i / lanes_of_warp == 1 ? nullptr : zero, 0};
  }

  void erase_if_unread() {
    for (Instruction* user : users_)
      if (isa<LoadInst>(user)) return;
      else if (auto* call = dyn_cast<IntrinsicInst>(user);
               call && !isa<MemSetInst>(call) && call->getIntrinsicID() != Intrinsic::masked_store)
        return;
    for (Instruction* user : users_) user->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(&alloca_);
    for (Instruction* address : reverse(addresses_))
      if (address->use_empty()) address->eraseFromParent();
    if (alloca_.use_empty()) alloca_.eraseFromParent();
  }
  void add(Instruction& user) { users_.insert(&user); }
  void remove(Instruction& user) { users_.erase(&user); }

 private:
  bool collect(Instruction& pointer, std::optional<int64_t> offset) {
    if (offset) offsets_[&pointer] = *offset;
    for (User* user : pointer.users()) {
      if (auto* address = dyn_cast<GetElementPtrInst>(user)) {
        if (address->getType()->isVectorTy()) return false;
        addresses_.push_back(address);
        APInt more(64, 0);
        std::optional<int64_t> there;
        if (offset && address->accumulateConstantOffset(layout_, more))
          there = *offset + more.getSExtValue();
        if (!collect(*address, there)) return false;
      } else if (auto* load = dyn_cast<LoadInst>(user); load && load->isSimple()) {
        users_.insert(load);
      } else if (auto* store = dyn_cast<StoreInst>(user);
                 store && store->isSimple() && store->getValueOperand() != &pointer) {
        users_.insert(store);
      } else if (auto* call = dyn_cast<IntrinsicInst>(user);
                 call && (isa<MemSetInst>(call) ||
                          call->getIntrinsicID() == Intrinsic::masked_load ||
                          call->getIntrinsicID() == Intrinsic::masked_store)) {
        users_.insert(call);
      } else {
        return false;
      }
    }
    return true;
  }

  AllocaInst& alloca_;
  const DataLayout& layout_;
  uint64_t bytes_ = 0;
  bool is_simple_ = false;
  DenseMap<Value*, int64_t> offsets_;
  SmallPtrSet<Instruction*, 16> users_;
  SmallVector<Instruction*> addresses_;
};

Value* resized(IRBuilder<>& build, Value* value, Type* element) {
  Type* type = value->getType();
  if (auto* vector = dyn_cast<FixedVectorType>(type))
    type = FixedVectorType::get(element, vector->getNumElements());
  else
    type = element;
  if (value->getType() == type) return value;
  const bool to_pointer = element->isPointerTy(), from_pointer = value->getType()->isPtrOrPtrVectorTy();
  if (to_pointer != from_pointer)
    return to_pointer ? build.CreateIntToPtr(value, type) : build.CreatePtrToInt(value, type);
  return build.CreateBitCast(value, type);
}

/// The value of `type` whose elements lie at `at`, all of which are known.
Value* assemble(IRBuilder<>& build, const Contents& contents, Access at, Type* type) {
  Type* element = type->getScalarType();
  auto* vector = dyn_cast<FixedVectorType>(type);
  if (!vector) {
    const LanePlace& place = contents[at.first];
    Value* from = place.from;
    if (from->getType()->isVectorTy()) from = build.CreateExtractElement(from, place.lane);
    return resized(build, from, element);
  }
  SmallVector<Value*, 4> sources;
  for (unsigned i = 0; i < at.count; ++i)
    if (Value* from = contents[at.first + i].from; !is_contained(sources, from)) sources.push_back(from);
  const auto lanes_of = [&](Value* source, int base) {
    SmallVector<int> mask(at.count, PoisonMaskElem);
    for (unsigned i = 0; i < at.count; ++i)
      if (contents[at.first + i].from == source)
        mask[i] = base + static_cast<int>(contents[at.first + i].lane);
    return mask;
  };
  const auto as_vector = [&](Value* source) -> Value* {
    if (auto* constant = dyn_cast<Constant>(source); constant && constant->isNullValue() && !source->getType()->isVectorTy())
      return Constant::getNullValue(vector);
    source = resized(build, source, element);
    if (!source->getType()->isVectorTy())
      source = build.CreateInsertElement(PoisonValue::get(vector), source, uint64_t{0});
    return source;
  };
  const auto length = [](Value* value) {
    return static_cast<int>(cast<FixedVectorType>(value->getType())->getNumElements());
  };
  Value* first = as_vector(sources[0]);
  SmallVector<int> mask = lanes_of(sources[0], 0);
  if (sources.size() == 1) return build.CreateShuffleVector(first, mask);
  if (sources.size() == 2) {
    Value* second = as_vector(sources[1]);
    if (length(first) == length(second)) {
      const SmallVector<int> more = lanes_of(sources[1], length(first));
      for (unsigned i = 0; i < at.count; ++i)
        if (more[i] != PoisonMaskElem) mask[i] = more[i];
      return build.CreateShuffleVector(first, second, mask);
    }
  }
  Value* all = build.CreateShuffleVector(first, mask);
  for (Value* source : drop_begin(sources)) {
    const SmallVector<int> lanes = lanes_of(source, 0);
    Value* placed = build.CreateShuffleVector(as_vector(source), lanes);
    SmallVector<int> merge(at.count);
    for (unsigned i = 0; i < at.count; ++i)
      merge[i] = static_cast<int>(lanes[i] != PoisonMaskElem ? at.count + i : i);
    all = build.CreateShuffleVector(all, placed, merge);
  }
  return all;
}

bool is_known(const Contents& contents, Access at) {
  for (unsigned i = 0; i < at.count; ++i)
    if (!contents[at.first + i].from) return false;
  return true;
}

void put(Contents& contents, Access at, Value* value) {
  for (unsigned i = 0; i < at.count; ++i) contents[at.first + i] = {value, i};
}

/// Walks through the text in order and keeps what lies in the arrays.
class Forwarding {
 public:
  explicit Forwarding(const DataLayout& layout) : layout_(layout) {}

  void add(AllocaInst& alloca) {
    auto array = std::make_unique<Array>(alloca, layout_);
    if (array->is_simple()) arrays_.push_back(std::move(array));
  }
  bool empty() const { return arrays_.empty(); }

  void run(Function& function) {
    auto unknown = std::make_shared<State>(arrays_.size());
    for (size_t i = 0; i < arrays_.size(); ++i) {
      arrays_[i]->forget_contents((*unknown)[i]);
      for (Instruction* user : arrays_[i]->users()) array_of_[user] = i;
    }
    ReversePostOrderTraversal<Function*> order(&function);
    DenseMap<const BasicBlock*, std::shared_ptr<State>> at_end;
    for (BasicBlock* block : order) {
      const auto known = at_end.find(block->getSinglePredecessor());
      state_ = known == at_end.end() ? unknown : known->second;
      for (Instruction& instruction : make_early_inc_range(*block)) {
        const auto array = array_of_.find(&instruction);
        if (array == array_of_.end()) continue;
        if (state_.use_count() > 1) state_ = std::make_shared<State>(*state_);
        visit(*arrays_[array->second], (*state_)[array->second], instruction);
      }
      at_end[block] = state_;
    }
    for (auto& array : arrays_) array->erase_if_unread();
  }

 private:
  using State = std::vector<Contents>;  // by number of the array

  void visit(Array& array, Contents& contents, Instruction& instruction) {
    if (auto* load = dyn_cast<LoadInst>(&instruction)) {
      if (const auto at = array.access(load->getPointerOperand(), load->getType()))
        forward(array, contents, *load, *at, nullptr, nullptr);
      return;
    }
    if (auto* store = dyn_cast<StoreInst>(&instruction)) {
      Value* value = store->getValueOperand();
      if (const auto at = array.access(store->getPointerOperand(), value->getType()))
        return put(contents, *at, value);
    }
    if (auto* call = dyn_cast<IntrinsicInst>(&instruction)) {
      const auto which = call->getIntrinsicID();
      if (which == Intrinsic::masked_load) {
        if (const auto at = array.access(call->getArgOperand(0), call->getType()))
          forward(array, contents, *call, *at, call->getArgOperand(2), call->getArgOperand(3));
        return;
      }
      if (which == Intrinsic::masked_store) {
        Value* value = call->getArgOperand(0);
        const auto at = array.access(call->getArgOperand(1), value->getType());
        if (at && is_known(contents, *at)) {
          IRBuilder<> build(call);
          Value* old = assemble(build, contents, *at, value->getType());
          return put(contents, *at, build.CreateSelect(call->getArgOperand(3), value, old));
        }
      }
    }
    array.forget_contents(contents);
  }

  // Whole vectors are loaded as they were stored: a load across two of them waits
  // until both have reached the cache.
  void load_whole(Array& array, Contents& contents, LoadInst& load, Access at) {
    IRBuilder<> build(&load);
    Type* type = load.getType();
    Type* element = type->getScalarType();
    for (unsigned first = at.first / at.count * at.count; first < at.first + at.count;
         first += at.count) {
      if (first / lanes_of_warp != 1 || is_known(contents, {first, at.count})) continue;
      const int64_t distance = static_cast<int64_t>(first) - at.first;
      Value* place = build.CreateConstInBoundsGEP1_64(element, load.getPointerOperand(), distance);
      auto* whole = build.CreateAlignedLoad(type, place, layout_.getABITypeAlign(element));
      array.add(*whole);
      put(contents, {first, at.count}, whole);
    }
  }

  void forward(Array& array, Contents& contents, Instruction& load, Access at, Value* mask,
               Value* other) {
    const bool is_shifted = at.first % at.count != 0 && lanes_of_warp % at.count == 0;
    if (auto* plain = dyn_cast<LoadInst>(&load);
        plain && is_shifted && !is_known(contents, at))
      load_whole(array, contents, *plain, at);
    if (!is_known(contents, at)) {
      if (!mask) put(contents, at, &load);
      return;
    }
    IRBuilder<> build(&load);
    Value* value = assemble(build, contents, at, load.getType());
    if (mask) value = build.CreateSelect(mask, value, other);
    load.replaceAllUsesWith(value);
    array.remove(load);
    load.eraseFromParent();
  }

  const DataLayout& layout_;
  std::vector<std::unique_ptr<Array>> arrays_;
  DenseMap<Instruction*, size_t> array_of_;
  std::shared_ptr<State> state_;
};

}  // namespace

void mark_lane_memory(AllocaInst& array) {
  array.setMetadata(lanes_mark, MDNode::get(array.getContext(), {}));
}

PreservedAnalyses LaneMemoryPass::run(Function& function, FunctionAnalysisManager&) {
  Forwarding forwarding(function.getParent()->getDataLayout());
  for (Instruction& instruction : function.getEntryBlock())
    if (auto* alloca = dyn_cast<AllocaInst>(&instruction); alloca && alloca->hasMetadata(lanes_mark))
      forwarding.add(*alloca);
  if (forwarding.empty()) return PreservedAnalyses::all();
  forwarding.run(function);
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

}  // namespace kasoku::embedded
