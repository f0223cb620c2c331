#include "kasoku/compile/clang/passes/instrument.h"

#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/passes/prepare.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <map>

namespace kasoku::embedded {

using namespace llvm;

namespace {

// These bits are those of check/shadow.h.
constexpr uint32_t reads = 1, writes = 2, atomic = 4, shared_memory = 8, is_volatile = 16, exchange = 32, ordered = 64,
                   of_block = 128, relaxed = 256, bits = 512;
constexpr int any_parameter = -2;

/// What a pointer leads to, as far as the text shows it.
struct Target {
  bool is_private = false;  ///< the thread's own
  bool is_shared = false;
  int parameter = -1;
  std::string name = "memory";
  Value* object = nullptr;  ///< the variable that it lies in, if that is one and has a size
  uint64_t bytes = 0;       ///< of the variable
  SmallVector<Value*, 2> others;  ///< the thread's own variables that it may lead to instead
};

class Instrumenter {
 public:
  Instrumenter(Module& module, const PreparedKernel& kernel, bool is_generated)
      : module_(module),
        kernel_(kernel),
        is_generated_(is_generated),
        context_(module.getContext()),
        pointer_(PointerType::getUnqual(context_)),
        word_(Type::getInt32Ty(context_)),
        wide_(Type::getInt64Ty(context_)) {
    access_ = module.getOrInsertFunction("ks_check_access", pointer_, pointer_, wide_, word_,
                                         pointer_, wide_, wide_);
    Type* const nothing = Type::getVoidTy(context_);
    within_ = module.getOrInsertFunction("ks_check_within", pointer_, pointer_, wide_, word_, pointer_, wide_, wide_,
                                         pointer_, wide_);
    barrier_ = module.getOrInsertFunction("ks_check_barrier", nothing, wide_, wide_, word_, pointer_);
    part_ = module.getOrInsertFunction("ks_check_part", nothing, wide_, wide_, word_, word_, word_);
    join_ = module.getOrInsertFunction("ks_check_join", nothing, wide_, wide_, word_, pointer_);
    exit_ = module.getOrInsertFunction("ks_check_exit", nothing, wide_, wide_);
    fence_ = module.getOrInsertFunction("ks_check_fence", nothing, wide_, wide_, word_);
    local_ = module.getOrInsertFunction("ks_check_local", nothing, pointer_, wide_);
    local_access_ = module.getOrInsertFunction("ks_check_local_access", nothing, pointer_, wide_, word_, pointer_, wide_, wide_, wide_);
    allocated_ = module.getOrInsertFunction("ks_check_allocated", nothing, pointer_, wide_, word_);
    freed_ = module.getOrInsertFunction("ks_check_freed", nothing, pointer_);
    shared_ = module.getOrInsertFunction("ks_check_shared", nothing, pointer_, wide_);
  }

  void run() {
    SmallVector<Instruction*> work;
    bool calls_others = false;  // functions that call themselves, or are called through a pointer
    for (Function& function : module_)
      if (&function == kernel_.function || is_generated_ || is_of_user(function)) {
        calls_others |= &function != kernel_.function;
        for (Instruction& instruction : instructions(function)) work.push_back(&instruction);
      }
    const Joins joins = is_generated_ ? Joins() : find_joins();
    if (!is_generated_) find_locals();
    if (!is_generated_ && calls_others) tell_shared_variables();
    // Only barriers of warps ask who has left: of those of the block, exits end an interval like any other.
    meets_in_warps_ = any_of(instructions(*kernel_.function), [](const Instruction& at) { return sync_of(at) == Sync::warp_barrier; });
    for (Instruction* instruction : work) visit(*instruction);
    tell_joins(joins);
    StripDebugInfo(module_);
  }

 private:
  using Joins = MapVector<BasicBlock*, const Instruction*>;

  /// Where threads that come by a barrier of the block and threads that do not go on together, with such a barrier.
  Joins find_joins() {
    Function& kernel = *kernel_.function;
    const PostDominatorTree after(kernel);
    const bool has_returns = !kernel.hasFnAttribute("ks-no-return");
    Joins joins;
    for (const Instruction& at : instructions(kernel)) {
      if (const Sync sync = sync_of(at); sync == Sync::none || sync == Sync::loop || is_warp_operation(sync) || is_of_part(sync)) continue;
      // The branches on which it depends whether a thread comes here are found first, then those on which they
      // depend.
      SmallSetVector<const BasicBlock*, 16> reached;
      reached.insert(at.getParent());
      for (size_t i = 0; i < reached.size(); ++i)
        for (BasicBlock& from : kernel) {
          const auto leads = [&](const BasicBlock* to) { return after.dominates(reached[i], to); };
          if (from.getTerminator()->getNumSuccessors() < 2 || none_of(successors(&from), leads)) continue;
          if (from.getUniqueSuccessor() || after.properlyDominates(reached[i], &from)) continue;
          reached.insert(&from);
          const auto* join = after.getNode(&from)->getIDom();
          if (join && join->getBlock() && (!has_returns || goes_on(*join->getBlock(), from))) joins.insert({join->getBlock(), &at});
        }
    }
    return joins;
  }

  /// A thread that returns early is missed by no barrier; one that `from` leads around a barrier, to the end or to
  /// something to do, is.
  static bool goes_on(const BasicBlock& join, const BasicBlock& from) {
    if (is_contained(successors(&from), &join)) return true;
    for (const BasicBlock* at = &join; at; at = at->getUniqueSuccessor()) {
      if (at->getFirstNonPHIOrDbg() != at->getTerminator() || at->getTerminator()->getNumSuccessors() > 1) return true;
      if (at->getUniqueSuccessor() == at) return false;
    }
    return false;
  }

  void tell_joins(const Joins& joins) {
    uint32_t number = 0;
    for (const auto& [join, barrier] : joins) {
      IRBuilder<> build(join, join->getFirstInsertionPt());
      auto [block, thread] = agent(build);
      build.CreateCall(join_, {block, thread, build.getInt32(number++), barrier_site(*barrier)});
    }
  }

  Constant* barrier_site(const Instruction& at) {
    Target target;
    target.name = "barrier";
    return site(at, target);
  }

  void visit(Instruction& at) {
    if (const Sync sync = sync_of(at); sync != Sync::none && sync != Sync::loop) {
      // Shuffles and votes exchange values and order no memory.
      if (is_warp_operation(sync) && sync != Sync::warp_barrier) return;
      IRBuilder<> build(&at);
      auto [block, thread] = agent(build);
      if (is_of_part(sync)) {
        const auto& call = cast<CallInst>(at);
        build.CreateCall(part_, {block, thread, call.getArgOperand(0), call.getArgOperand(1), build.getInt32(sync == Sync::part_arrive)});
        return;
      }
      Value* lanes = sync == Sync::warp_barrier ? cast<CallInst>(at).getArgOperand(0) : build.getInt32(0);
      build.CreateCall(barrier_, {block, thread, lanes, barrier_site(at)});
    } else if (isa<ReturnInst>(at)) {
      if (!meets_in_warps_ || at.getFunction() != kernel_.function) return;
      IRBuilder<> build(&at);
      auto [block, thread] = agent(build);
      build.CreateCall(exit_, {block, thread});
    } else if (isa<FenceInst>(at)) {
      IRBuilder<> build(&at);
      auto [block, thread] = agent(build);
      build.CreateCall(fence_, {block, thread, build.getInt32(scope_of(at) != 0)});
    } else if (auto* load = dyn_cast<LoadInst>(&at)) {
      watch(at, LoadInst::getPointerOperandIndex(), size_of(load->getType()),
            reads | kind_of(*load, reads) | (bits_of(*load) == 0 || is_between_members(*load) ? bits : 0));
    } else if (auto* store = dyn_cast<StoreInst>(&at)) {
      watch(at, StoreInst::getPointerOperandIndex(), size_of(store->getValueOperand()->getType()),
            writes | kind_of(*store, writes));
    } else if (auto* update = dyn_cast<AtomicRMWInst>(&at)) {
      watch(at, AtomicRMWInst::getPointerOperandIndex(), size_of(update->getValOperand()->getType()),
            reads | writes | atomic | order_of(at, update->getOrdering(), reads | writes) | scope_of(at) |
                (update->getOperation() == AtomicRMWInst::Xchg && update->use_empty() ? bits : 0));
    } else if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&at)) {
      watch(at, AtomicCmpXchgInst::getPointerOperandIndex(), size_of(swap->getNewValOperand()->getType()),
            reads | writes | atomic | exchange | scope_of(at) |
                order_of(at, says_order(at) ? swap->getSuccessOrdering() : swap->getFailureOrdering(), reads | writes));
    } else if (auto* copy = dyn_cast<AnyMemTransferInst>(&at)) {
      if (is_read(*getUnderlyingObject(copy->getRawDest()))) watch(at, 1, copy->getLength(), reads);
      watch(at, 0, copy->getLength(), writes);
    } else if (auto* fill = dyn_cast<AnyMemSetInst>(&at)) {
      watch(at, 0, fill->getLength(), writes);
    } else if (auto* call = dyn_cast<CallInst>(&at)) {
      if (const Function* callee = call->getCalledFunction()) memory_call(*call, callee->getName());
    }
  }

  /// Which bits of a word are asked for by what reads it, or belong to the bitfields that are written; all of them where
  /// there are no bitfields. The front end's names say so: a program that clears bits of a number asks for the others.
  static uint64_t bits_of(const Instruction& at) {
    const auto* store = dyn_cast<StoreInst>(&at);
    const Value& word = store ? *store->getValueOperand() : static_cast<const Value&>(at);
    if (!word.getType()->isIntegerTy() || word.getType()->getIntegerBitWidth() > 64) return ~uint64_t{0};
    const APInt bits = store ? bits_written(word) : is_named(word, "bf.load") ? bits_read(word, cast<LoadInst>(at)) : all_of_word(word);
    return bits.isAllOnes() ? ~uint64_t{0} : bits.getZExtValue();
  }

  /// A copy of a structure in parts reads what lies between its members and behind the last one, too.
  bool is_between_members(const LoadInst& load) {
    const DataLayout& layout = module_.getDataLayout();
    APInt offset(layout.getIndexTypeSizeInBits(load.getPointerOperandType()), 0);
    const auto* local = dyn_cast<AllocaInst>(load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true));
    return local && !local->isArrayAllocation() && !offset.isNegative() &&
           !has_member(*local->getAllocatedType(), local->getAlign(), offset.getZExtValue(), layout.getTypeStoreSize(load.getType()));
  }

  bool has_member(Type& type, Align align, uint64_t begin, uint64_t bytes) {
    const DataLayout& layout = module_.getDataLayout();
    const auto overlaps = [&](Type& part, uint64_t at) {
      const uint64_t size = layout.getTypeStoreSize(&part);
      return at < begin + bytes && begin < at + size && has_member(part, align, begin > at ? begin - at : 0, begin + bytes - std::max(begin, at));
    };
    if (auto* structure = dyn_cast<StructType>(&type)) {
      const StructLayout& members = *layout.getStructLayout(structure);
      unsigned n = structure->getNumElements();
      // What fills up a structure that is aligned by a word of the program is a member to the front end.
      const auto* last = n ? dyn_cast<ArrayType>(structure->getElementType(n - 1)) : nullptr;
      if (last && last->getElementType()->isIntegerTy(8) && last->getNumElements() < align.value() &&
          align > layout.getABITypeAlign(structure))
        --n;
      for (unsigned i = 0; i < n; ++i)
        if (overlaps(*structure->getElementType(i), members.getElementOffset(i))) return true;
      return false;
    }
    if (auto* array = dyn_cast<ArrayType>(&type)) {
      const uint64_t step = layout.getTypeAllocSize(array->getElementType());
      for (uint64_t i = step ? begin / step : 0; step && i < array->getNumElements() && i * step < begin + bytes; ++i)
        if (overlaps(*array->getElementType(), i * step)) return true;
      return false;
    }
    return begin < layout.getTypeStoreSize(&type);
  }

  /// Other fields go back to where they were, and fields that are read are shifted and cut off.
  static APInt bits_read(const Value& word, const LoadInst& load) {
    APInt bits = APInt::getZero(all_of_word(word).getBitWidth());
    for (const User* user : word.users()) {
      const auto* store = dyn_cast<StoreInst>(user);
      if (store && store->getValueOperand() == &word && store->getPointerOperand() == load.getPointerOperand()) continue;
      const auto* step = dyn_cast<BinaryOperator>(user);
      const auto* by = step ? dyn_cast<ConstantInt>(step->getOperand(1)) : nullptr;
      if (step && step->getOperand(0) == &word && is_named(*step, "bf.set")) bits |= bits_read(*step, load);
      else if (by && is_named(*step, "bf.clear")) bits |= bits_read(*step, load) & by->getValue();
      else if (by && is_named(*step, "bf.shl")) bits |= bits_read(*step, load).lshr(by->getValue());
      else if (by && (is_named(*step, "bf.lshr") || is_named(*step, "bf.ashr"))) bits |= bits_read(*step, load).shl(by->getValue());
      else return all_of_word(word);
    }
    return bits;
  }

  static APInt bits_written(const Value& word) {
    APInt around = all_of_word(word);
    for (const Value* value = &word; !is_named(*value, "bf.load");) {
      const auto* step = dyn_cast<BinaryOperator>(value);
      const auto* others = step && is_named(*step, "bf.clear") ? dyn_cast<ConstantInt>(step->getOperand(1)) : nullptr;
      if (!others && !(step && is_named(*step, "bf.set"))) return all_of_word(word);
      if (others) around &= others->getValue();
      value = step->getOperand(0);
    }
    return ~around;
  }

  static APInt all_of_word(const Value& word) { return APInt::getAllOnes(word.getType()->getIntegerBitWidth()); }

  /// Names of the front end have a number behind them where there are several, and an ending in copies.
  static bool is_named(const Value& value, StringRef name) {
    StringRef rest = value.getName();
    return rest.consume_front(name) && (rest.empty() || isDigit(rest[0]) || rest[0] == '.');
  }

  template <class Access>
  static uint32_t kind_of(const Access& access, uint32_t does) {
    return (access.isVolatile() ? is_volatile : 0) |
           (access.isAtomic() ? atomic | order_of(access, access.getOrdering(), does) | scope_of(access) : 0);
  }

  /// CUDA's own atomics are relaxed, and programs read behind them what they should read behind a fence.
  static uint32_t order_of(const Instruction& at, AtomicOrdering ordering, uint32_t does) {
    return (does & writes && isReleaseOrStronger(ordering) ? ordered : 0) |
           (does & reads && !isAcquireOrStronger(ordering) && says_order(at) ? relaxed : 0);
  }

  /// Whether the text itself gives the memory order, as cuda::atomic does.
  static bool says_order(const Instruction& at) {
    return comes_from(at, [](StringRef function) { return function.starts_with("ks_in_order"); });
  }

  /// The scope stands in the name of the function that the user called: atomicAdd_block, __threadfence_block.
  static uint32_t scope_of(const Instruction& at) {
    return comes_from(at, [](StringRef function) { return function.ends_with("_block"); }) ? of_block : 0;
  }

  /// Whether the instruction comes from a function of the prelude whose name is so.
  template <class Test>
  static bool comes_from(const Instruction& at, Test is_so) {
    for (const DILocation* location = at.getDebugLoc(); location && location->getFilename().contains(".kasoku/include");
         location = location->getInlinedAt())
      if (const DISubprogram* function = location->getScope()->getSubprogram();
          function && is_so(function->getName().split('<').first))
        return true;
    return false;
  }

  bool is_of_user(const Function& function) const {
    return any_of(instructions(function), [&](const Instruction& at) { return place(at).second != 0; });
  }

  /// Functions are given addresses, and what lies there is asked at run time.
  void tell_shared_variables() {
    IRBuilder<> build(&*kernel_.function->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    for (GlobalVariable* variable : kernel_.shared) build.CreateCall(shared_, {variable, extent_of(build, *variable)});
  }

  /// Dynamic shared memory is as large as the launch says.
  Value* extent_of(IRBuilder<>& build, const GlobalVariable& variable) {
    const uint64_t bytes = module_.getDataLayout().getTypeAllocSize(variable.getValueType());
    if (bytes) return build.getInt64(bytes);
    return build.CreateZExt(build.CreateCall(module_.getOrInsertFunction("ks_dynamic_shared_bytes", word_)), wide_);
  }

  /// Arrays and structs of the thread's own that nothing reads or writes but what is seen here; and variables that are
  /// reached through pointers in memory, which begin anew with each thread.
  void find_locals() {
    IRBuilder<> build(&*kernel_.function->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    for (Instruction& instruction : kernel_.function->getEntryBlock()) {
      auto* local = dyn_cast<AllocaInst>(&instruction);
      if (!local) continue;
      const bool is_all_seen = is_seen(*local);
      const std::optional<TypeSize> size = local->getAllocationSize(module_.getDataLayout());
      if (!size || (is_all_seen && !local->getAllocatedType()->isAggregateType())) continue;
      if (is_all_seen) locals_.insert(local);
      build.CreateCall(local_, {local, build.getInt64(size->getFixedValue())});
    }
  }

  static bool is_seen(const Value& pointer) {
    return all_of(pointer.uses(), [](const Use& use) {
      const User* const user = use.getUser();
      if (isa<GetElementPtrInst>(user)) return is_seen(*user);
      if (isa<StoreInst>(user)) return use.getOperandNo() == StoreInst::getPointerOperandIndex();
      return isa<LoadInst>(user) || isa<AnyMemIntrinsic>(user);
    });
  }

  /// Whether an object is read at all. If a thread's variable was split into values, only the bytes between its
  /// members are left, which nobody reads.
  bool is_read(const Value& object) {
    return !isa<AllocaInst>(object) || any_of(object.uses(), [&](const Use& use) {
      const auto* call = dyn_cast<CallInst>(use.getUser());
      const bool is_ours = call && is_contained({local_.getCallee(), local_access_.getCallee()}, call->getCalledOperand());
      return !is_ours && !(isa_and_nonnull<AnyMemTransferInst>(call) && use.getOperandNo() == 0);
    });
  }

  /// A copy of a whole variable may copy parts that nobody asks for.
  void watch_local(Instruction& at, Value* address, Value* bytes, uint32_t flags, const Target& target) {
    const auto* local = target.object ? dyn_cast<AllocaInst>(target.object) : nullptr;
    if (!local || !locals_.contains(local)) return;
    if (!(flags & writes) && isa<AnyMemTransferInst>(at)) return;
    IRBuilder<> build(&at);
    auto [block, thread] = agent(build);
    build.CreateCall(local_access_, {address, build.CreateZExtOrTrunc(bytes, wide_), build.getInt32(flags), site(at, target), block, thread,
                                     build.getInt64(bits_of(at))});
  }

  /// Memory that the program takes starts anew: what its last owner did there is no concern of the next.
  void memory_call(CallInst& call, StringRef name) {
    if (name == "ks_rt_malloc") {
      IRBuilder<> build(call.getNextNode());
      build.CreateCall(allocated_, {&call, build.CreateZExtOrTrunc(call.getArgOperand(0), wide_), build.getInt32(0)});
    } else if (name == "ks_jit_allocate") {  // kasoku/jit/runtime.h: the memory stands in the third word
      IRBuilder<> build(call.getNextNode());
      Value* isolated = build.CreateCall(memory_of(), {&call});
      Value* is_unwritten = build.CreateZExt(build.CreateIsNull(call.getArgOperand(1)), word_);
      build.CreateCall(allocated_, {isolated, build.CreateZExtOrTrunc(call.getArgOperand(0), wide_), is_unwritten});
    } else if (name == "ks_rt_free") {
      IRBuilder<>(&call).CreateCall(freed_, {call.getArgOperand(0)});
    } else if (name == "ks_jit_free") {
      IRBuilder<> build(&call);
      build.CreateCall(freed_, {build.CreateCall(memory_of(), {call.getArgOperand(0)})});
    }
  }

  /// The address that a block of a compiled function's memory describes; null for null.
  FunctionCallee memory_of() { return module_.getOrInsertFunction("ks_check_memory_of", pointer_, pointer_); }

  Value* size_of(Type* type) {
    return ConstantInt::get(wide_, module_.getDataLayout().getTypeStoreSize(type));
  }

  void watch(Instruction& at, unsigned operand, Value* bytes, uint32_t flags) {
    Value* address = at.getOperand(operand);
    const Target target = target_of(address);
    const bool may_leave = target.object && !is_inside(address, bytes, target);
    watch_local(at, address, bytes, flags, target);
    if (target.is_private && !may_leave) return;
    if (target.is_shared) flags |= shared_memory;
    IRBuilder<> build(&at);
    auto [block, thread] = agent(build);
    bytes = build.CreateZExtOrTrunc(bytes, wide_);
    for (Value* own : target.others) {  // `(c ? shared[t] : own) += 1`
      Value* distance = build.CreateSub(build.CreatePtrToInt(address, wide_), build.CreatePtrToInt(own, wide_));
      Value* size = size_of(cast<AllocaInst>(own)->getAllocatedType());
      bytes = build.CreateSelect(build.CreateICmpULT(distance, size), build.getInt64(0), bytes);
    }
    Constant* const where = site(at, target);
    if (may_leave)
      address = build.CreateCall(within_, {address, bytes, build.getInt32(flags), where, block, thread, target.object,
                                           target.bytes ? build.getInt64(target.bytes)
                                                        : extent_of(build, *cast<GlobalVariable>(target.object))});
    if (!target.is_private)
      address = build.CreateCall(access_, {address, bytes, build.getInt32(flags), where, block, thread});
    at.setOperand(operand, address);
  }

  /// Whether the text shows that the access stays in its variable.
  bool is_inside(const Value* address, const Value* bytes, const Target& target) const {
    APInt offset(64, 0);
    const auto* length = dyn_cast<ConstantInt>(bytes);
    if (!length || !target.bytes || address->stripAndAccumulateConstantOffsets(module_.getDataLayout(), offset, true) != target.object)
      return false;
    return !offset.isNegative() && offset.getZExtValue() + length->getZExtValue() <= target.bytes;
  }

  Target target_of(Value* address) {
    SmallVector<const Value*> objects;
    getUnderlyingObjects(address, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
    Target target;
    bool all_private = true;
    if (objects.size() == 1) find_extent(*objects[0], target);
    for (const Value* object : objects) {
      if (isa<AllocaInst>(object)) continue;
      if (const auto* argument = dyn_cast<Argument>(object); argument && argument->hasByValAttr()) continue;
      all_private = false;
      if (const auto* argument = dyn_cast<Argument>(object); argument && argument->getParent() != kernel_.function && !is_generated_) {
        target.parameter = any_parameter;
        if (argument->hasName()) target.name = argument->getName();
      } else if (argument) {
        target.parameter = objects.size() == 1 ? static_cast<int>(argument->getArgNo()) : -1;
        if (argument->hasName()) target.name = argument->getName();
        if (StringRef(target.name).starts_with("_data_")) target.name.erase(0, 6);  // kernel/element_text.cpp
      } else if (const auto* global = dyn_cast<GlobalVariable>(object)) {
        target.is_shared = is_contained(kernel_.shared, global);
        target.name = source_name(global->getName().str());
        if (global->isConstant() && !target.is_shared) all_private = true;
      } else if (!is_generated_ && is_in_function(*object)) {
        target.parameter = any_parameter;
      } else if (const auto* load = dyn_cast<LoadInst>(object)) {
        // A pointer in a parameter that is a struct: the array of a compiled Python kernel.
        const auto* in = dyn_cast<Argument>(getUnderlyingObject(load->getPointerOperand()));
        if (in && in->hasName()) {
          target.parameter = objects.size() == 1 ? static_cast<int>(in->getArgNo()) : -1;
          target.name = in->getName();
        }
      }
    }
    target.is_private = all_private;
    if (!all_private)
      for (const Value* object : objects)
        if (isa<AllocaInst>(object)) target.others.push_back(const_cast<Value*>(object));
    return target;
  }

  bool is_in_function(const Value& value) const {
    const auto* at = dyn_cast<Instruction>(&value);
    return at && at->getFunction() != kernel_.function;
  }

  /// A variable whose size is known: now, or of dynamic shared memory when it is launched.
  void find_extent(const Value& object, Target& target) const {
    const DataLayout& layout = module_.getDataLayout();
    if (const auto* local = dyn_cast<AllocaInst>(&object)) {
      const std::optional<TypeSize> size = local->getAllocationSize(layout);
      if (!size || is_generated_) return;
      target.bytes = size->getFixedValue();
      if (local->hasName()) target.name = source_name(local->getName().split('.').first.str());
    } else if (const auto* global = dyn_cast<GlobalVariable>(&object); global && global->getValueType()->isSized()) {
      target.bytes = layout.getTypeAllocSize(global->getValueType());
      target.name = source_name(global->getName().str());
    }
    // The prelude's own variable is where addresses of shared memory begin, and no array.
    const bool is_dynamic = is_contained(kernel_.shared, &object) && !object.getName().starts_with("ks_");
    if (target.bytes || is_dynamic) target.object = const_cast<Value*>(&object);
  }

  /// "reverse(int*, int)::s" -> "s"
  static std::string source_name(const std::string& symbol) {
    std::string name = demangle(symbol);
    if (const size_t colon = name.rfind("::"); colon != name.npos) name = name.substr(colon + 2);
    if (const size_t dot = name.rfind('.'); dot != name.npos && dot > 0 &&
        name.find_first_not_of("0123456789", dot + 1) != name.npos)
      name = name.substr(dot + 1);
    return name;
  }

  /// The user's line, through everything that was inlined from the prelude and from headers of generated text.
  std::pair<std::string, int> place(const Instruction& at) const {
    const StringRef ours = is_generated_ ? ".kasoku/" : ".kasoku/include";
    for (const DILocation* location = at.getDebugLoc(); location; location = location->getInlinedAt())
      if (!location->getFilename().contains(ours))
        return {location->getFilename().str(), static_cast<int>(location->getLine())};
    return {"", 0};
  }

  Constant* text(const std::string& value) {
    Constant*& kept = texts_[value];
    if (!kept) {
      Constant* bytes = ConstantDataArray::getString(context_, value);
      kept = new GlobalVariable(module_, bytes->getType(), true, GlobalValue::PrivateLinkage, bytes, "ks_check_text");
    }
    return kept;
  }

  Constant* site(const Instruction& at, const Target& target) {
    auto [file, line] = place(at);
    Constant*& kept = sites_[{target.name, file, line, target.parameter}];
    if (!kept) {
      auto* type = StructType::get(context_, {pointer_, pointer_, word_, word_});
      auto* value = ConstantStruct::get(type, {text(target.name), text(file), ConstantInt::get(word_, line),
                                               ConstantInt::get(word_, target.parameter, true)});
      kept = new GlobalVariable(module_, type, true, GlobalValue::PrivateLinkage, value, "ks_check_site");
    }
    return kept;
  }

  /// The linear numbers of block and thread.
  std::pair<Value*, Value*> agent(IRBuilder<>& build) {
    if (is_generated_) return {build.getInt64(0), build.getInt64(0)};
    return {linear(build, "bid", "gdim"), linear(build, "tid", "bdim")};
  }

  Value* linear(IRBuilder<>& build, const std::string& index, const std::string& extent) {
    auto word = [&](const std::string& name, char axis) {
      auto callee = module_.getOrInsertFunction("ks_" + name + "_" + axis, word_);
      return build.CreateZExt(build.CreateCall(callee), wide_);
    };
    Value* z = build.CreateMul(word(index, 'z'), word(extent, 'y'));
    Value* y = build.CreateAdd(z, word(index, 'y'));
    return build.CreateAdd(build.CreateMul(y, word(extent, 'x')), word(index, 'x'));
  }

  Module& module_;
  const PreparedKernel& kernel_;
  const bool is_generated_;
  bool meets_in_warps_ = false;
  LLVMContext& context_;
  PointerType* pointer_;
  Type *word_, *wide_;
  FunctionCallee access_, within_, barrier_, part_, join_, exit_, fence_, local_, local_access_, allocated_, freed_, shared_;
  SmallPtrSet<const AllocaInst*, 8> locals_;
  std::map<std::string, Constant*> texts_;
  std::map<std::tuple<std::string, std::string, int, int>, Constant*> sites_;
};

}  // namespace

void instrument(Module& module, const PreparedKernel& kernel, bool is_generated) {
  Instrumenter(module, kernel, is_generated).run();
}

}  // namespace kasoku::embedded
