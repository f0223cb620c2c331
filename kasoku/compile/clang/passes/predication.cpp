#include "kasoku/compile/clang/passes/predication.h"

#include "kasoku/compile/clang/passes/exchange.h"
#include "kasoku/compile/clang/passes/kernel_body.h"
#include "kasoku/compile/clang/passes/uniformity.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

using BlockSet = SmallSetVector<BasicBlock*, 32>;

constexpr int most_branches = 16;

/// A branch that parts threads of which some must wait for others.
struct Parting {
  BranchInst* branch = nullptr;
  BasicBlock* join = nullptr;  ///< null: the ways part for good
  BasicBlock *through = nullptr, *past = nullptr;  ///< where threads wait; where none does
  BlockSet waiting, idle;                            ///< the blocks of the two sides
};

BlockSet between(BasicBlock* from, const BasicBlock* join) {
  BlockSet found;
  if (from != join) found.insert(from);
  for (size_t i = 0; i < found.size(); ++i)
    for (BasicBlock* next : successors(found[i]))
      if (next != join) found.insert(next);
  return found;
}

class Masker {
 public:
  Masker(Function& kernel, std::vector<SyncPoint>& syncs, const BlockShape& shape)
      : kernel_(kernel), syncs_(syncs), shape_(shape) {
    index_syncs();
  }

  bool run() {
    for (int i = 0; i < most_branches; ++i) {
      const Uniformity block(kernel_, shape_, Granule::block), warp(kernel_, shape_, Granule::warp);
      const PostDominatorTree joins(kernel_);
      Parting parting;
      switch (next(parting, block, warp, joins)) {
        case Found::none: return i > 0;
        case Found::not_possible: return false;
        case Found::one: break;
      }
      joins_ = &joins;
      DominatorTree dominators(kernel_);
      LoopInfo loops(dominators);
      AssumptionCache assumptions(kernel_);
      TargetLibraryInfoImpl no_library;
      TargetLibraryInfo library(no_library);
      ScalarEvolution scev(kernel_, library, assumptions, dominators, loops);
      loops_ = &loops, scev_ = &scev;
      if (!plan(parting)) return false;
      apply(parting);
    }
    return false;
  }

 private:
  void index_syncs() {
    sync_at_.clear();
    for (SyncPoint& sync : syncs_) sync_at_[sync.block] = &sync;
  }

  enum class Found { none, one, not_possible };

  bool waits(const BlockSet& blocks, bool (*is)(Sync)) const {
    for (BasicBlock* block : blocks)
      if (const auto sync = sync_at_.find(block); sync != sync_at_.end() && is(sync->second->sync))
        return true;
    return false;
  }
  static bool is_any(Sync sync) { return sync != Sync::loop; }

  // Finds the innermost divergent branch: no other lies between it and its join.
  Found next(Parting& found, const Uniformity& block, const Uniformity& warp,
             const PostDominatorTree& joins) {
    std::vector<std::pair<BasicBlock*, BlockSet>> all;
    for (BasicBlock& from : kernel_) {
      const bool parts_block = block.parts_at(from), parts_warp = warp.parts_at(from);
      if (!parts_block && !parts_warp) continue;
      const BasicBlock* join = join_of(joins, from);
      BlockSet ways;
      for (BasicBlock* side : successors(&from))
        for (BasicBlock* at : between(side, join)) ways.insert(at);
      if ((parts_block && waits(ways, is_block_barrier)) ||
          (parts_warp && waits(ways, is_warp_operation)))
        all.push_back({&from, std::move(ways)});
    }
    if (all.empty()) return Found::none;
    for (auto& [from, ways] : all) {
      const bool is_innermost = none_of(all, [&, at = from, &of = ways](const auto& other) {
        return other.first != at && of.contains(other.first);
      });
      if (!is_innermost) continue;
      found.branch = dyn_cast<BranchInst>(from->getTerminator());
      found.join = join_of(joins, *from);
      // Where a loop begins again, its threads are not all there.
      if (!found.branch || ways.contains(from)) return Found::not_possible;
      return sides(found) ? Found::one : Found::not_possible;
    }
    return Found::not_possible;
  }

  static BasicBlock* join_of(const PostDominatorTree& joins, const BasicBlock& block) {
    const auto* node = joins.getNode(&block);
    return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  }

  bool sides(Parting& at) const {
    BasicBlock* side[] = {at.branch->getSuccessor(0), at.branch->getSuccessor(1)};
    BlockSet ways[] = {between(side[0], at.join), between(side[1], at.join)};
    const bool wait[] = {waits(ways[0], is_any), waits(ways[1], is_any)};
    if (wait[0] == wait[1]) return false;
    const int through = wait[0] ? 0 : 1;
    at.through = side[through], at.past = side[1 - through];
    at.waiting = std::move(ways[through]), at.idle = std::move(ways[1 - through]);
    for (BasicBlock* block : at.idle) {
      if (at.waiting.contains(block)) return false;
      for (BasicBlock* from : predecessors(block))
        if (!at.idle.contains(from) && from != at.branch->getParent()) return false;
    }
    for (BasicBlock* block : at.waiting)
      for (BasicBlock* from : predecessors(block))
        if (!at.waiting.contains(from) && from != at.branch->getParent()) return false;
    // Past a barrier that only some reach, the others would be one ahead.
    if (waits(at.waiting, is_block_barrier) && at.join && !only_returns(*at.join)) return false;
    // Which lanes are equal is not asked of those that are not there.
    return !waits(at.waiting, [](Sync s) { return s == Sync::match_any || s == Sync::match_all; });
  }

  static bool only_returns(const BasicBlock& block) {
    return isa<ReturnInst>(block.front());
  }

  // A piece of text that all threads run or none, from `head` to where its ways join.
  struct Piece {
    BasicBlock* head;
    bool has_branches;  ///< then it ends where these join, not at the end of its head
    BlockSet inner;       ///< blocks of branches in it
    BasicBlock* next;   ///< where it goes on, if it has branches; null: nowhere
  };

  // Cuts the waiting side into pieces and finds what all threads compute.
  bool plan(const Parting& at) {
    pieces_.clear();
    common_.clear();
    if (!find_vote(at)) return false;
    BlockSet heads;
    if (at.through != at.join) heads.insert(at.through);
    BlockSet inside;
    for (size_t i = 0; i < heads.size(); ++i) {
      BasicBlock* head = heads[i];
      Piece piece{head, false, {}, nullptr};
      Instruction* end = head->getTerminator();
      if (end->getNumSuccessors() > 1) {
        // A loop in which nobody waits is one piece: it may end only for those whom its branch let in.
        BasicBlock* join = join_of(*joins_, *head);
        if (const Loop* loop = loops_->getLoopFor(head); loop && loop->getHeader() == head)
          while (join && loop->contains(join)) join = join_of(*joins_, *join);
        BlockSet ways;
        for (BasicBlock* side : successors(head))
          for (BasicBlock* block : between(side, join)) ways.insert(block);
        if (!waits(ways, is_any)) {
          if (ways.remove(head) && !loops_->isLoopHeader(head)) return false;
          for (BasicBlock* block : ways)
            for (BasicBlock* from : predecessors(block))
              if (from != head && !ways.contains(from)) return false;
          piece.has_branches = true;
          piece.inner = ways;
          piece.next = join;
          for (BasicBlock* block : ways) inside.insert(block);
          if (join && join != at.join) heads.insert(join);
          pieces_.push_back(piece);
          continue;
        }
        if (!isa<BranchInst>(end) && !isa<SwitchInst>(end)) return false;
      }
      for (BasicBlock* next : successors(head))
        if (next != at.join) heads.insert(next);
      pieces_.push_back(piece);
    }
    for (BasicBlock* head : heads)
      if (inside.contains(head)) return false;
    heads_ = heads;
    waiting_ = at.waiting;
    find_common();
    for (const Piece& piece : pieces_) {
      Instruction* end = piece.head->getTerminator();
      if (!piece.has_branches && end->getNumSuccessors() > 1 && !is_common(end->getOperand(0)))
        return false;
    }
    return true;
  }

  // All threads run a loop in which some wait. It ends if some take part; if none does, its numbers may
  // be such that it never ends, so that a vote is needed before it.
  bool find_vote(const Parting& at) {
    vote_ = Sync::none;
    bool has_warp_loop = false;
    for (Loop* loop : loops_->getLoopsInPreorder()) {
      if (!at.waiting.contains(loop->getHeader()) || scev_->getSmallConstantTripCount(loop)) continue;
      BlockSet blocks;
      blocks.insert(loop->block_begin(), loop->block_end());
      if (!waits(blocks, is_any)) continue;
      vote_ = Sync::ballot;
      has_warp_loop |= !waits(blocks, is_block_barrier);
    }
    if (vote_ == Sync::none || !waits(at.waiting, is_block_barrier)) return true;
    vote_ = Sync::barrier_or;
    return !has_warp_loop;  // warps of which no thread takes part would run it
  }

  // Ends `before` with a branch past the waiting side, if no thread takes part in it.
  BasicBlock* vote(BasicBlock* before, const Parting& at) {
    LLVMContext& context = kernel_.getContext();
    auto* voted = BasicBlock::Create(context, "voted", &kernel_, at.through);
    IRBuilder<> build(before);
    Module& module = *kernel_.getParent();
    Type* word = build.getInt32Ty();
    const unsigned number = syncs_.size() + 1;
    SmallVector<Value*> brought{build.getInt32(number), build.CreateZExt(takes_part_, word)};
    if (vote_ == Sync::ballot) brought.push_back(build.getInt32(~0u));
    build.CreateCall(module.getFunction("ks_arrive"), brought);
    build.CreateBr(voted);
    build.SetInsertPoint(voted);
    CallInst* call =
        vote_ == Sync::ballot
            ? ballot(build)
            : build.CreateCall(module.getOrInsertFunction("ks_barrier_or", FunctionType::get(word, {word}, false)), {build.getInt32(0)});
    call->setConvergent();
    BasicBlock* past = at.join;
    if (!past) {
      past = BasicBlock::Create(context, "nobody", &kernel_);
      ReturnInst::Create(context, past);
    }
    build.CreateCondBr(build.CreateICmpNE(call, build.getInt32(0)), at.through, past);
    syncs_.push_back({vote_, call, voted, word, number});
    index_syncs();
    return voted;
  }

  bool is_common(const Value* value) const {
    const auto* instruction = dyn_cast<Instruction>(value);
    return !instruction || !waiting_.contains(const_cast<BasicBlock*>(instruction->getParent())) ||
           common_.contains(instruction);
  }

  // Finds what all threads compute alike. A phi counts as common until the opposite is found, since loops count by
  // them.
  void find_common() {
    for (BasicBlock* head : heads_)
      for (Instruction& instruction : *head)
        if (is_met(instruction) || isa<PHINode>(instruction) || may_be_common(instruction))
          common_.insert(&instruction);
    bool changed = true;
    while (changed) {
      changed = false;
      for (BasicBlock* head : heads_)
        for (Instruction& instruction : *head) {
          if (!common_.contains(&instruction) || is_met(instruction)) continue;
          if (auto* phi = dyn_cast<PHINode>(&instruction); phi && has_inner_edge(*phi)) {
            common_.erase(&instruction), changed = true;
            continue;
          }
          for (const Use& operand : instruction.operands())
            if (!is_common(operand)) {
              common_.erase(&instruction), changed = true;
              break;
            }
        }
    }
  }
  static bool may_be_common(const Instruction& instruction) {
    return !instruction.isTerminator() && !instruction.mayReadOrWriteMemory() &&
           !isa<AllocaInst>(instruction) && !is_arrival(instruction) &&
           isSafeToSpeculativelyExecute(&instruction);
  }
  static bool is_met(const Instruction& instruction) {
    return sync_of(instruction) != Sync::none;
  }
  bool has_inner_edge(const PHINode& phi) const {
    for (const Piece& piece : pieces_)
      for (const BasicBlock* from : phi.blocks())
        if (piece.inner.contains(const_cast<BasicBlock*>(from)) ||
            (piece.head == from && piece.has_branches))
          return true;
    return false;
  }

  void apply(Parting& at) {
    LLVMContext& context = kernel_.getContext();
    BasicBlock* from = at.branch->getParent();
    IRBuilder<> build(at.branch);
    const bool through_if = at.branch->getSuccessor(0) == at.through;
    Value* condition = at.branch->getCondition();
    takes_part_ = through_if ? condition : build.CreateNot(condition);

    // The side on which nobody waits runs first, then the other side for all threads.
    std::vector<std::pair<PHINode*, Value*>> past;  // of the join's phis
    BasicBlock* begin = from;
    if (at.idle.empty()) {
      for (PHINode& phi : at.join->phis()) {
        past.push_back({&phi, phi.getIncomingValueForBlock(from)});
        phi.removeIncomingValue(from, /*DeletePHIIfEmpty=*/false);
      }
      at.branch->eraseFromParent();
    } else {
      begin = BasicBlock::Create(context, "past", &kernel_, at.through);
      SmallVector<BasicBlock*> ends;
      for (BasicBlock* block : at.idle) {
        Instruction* end = block->getTerminator();
        if (isa<ReturnInst>(end)) {
          end->eraseFromParent();
          BranchInst::Create(begin, block);
          ends.push_back(block);
        } else if (at.join && is_contained(successors(block), at.join)) {
          ends.push_back(block);
        }
      }
      if (at.join)
        for (PHINode& phi : at.join->phis()) {
          auto* merged = PHINode::Create(phi.getType(), ends.size() + 1, "", begin);
          merged->addIncoming(Constant::getNullValue(phi.getType()), from);
          for (BasicBlock* end : ends)
            for (unsigned i = phi.getNumIncomingValues(); i-- > 0;)
              if (phi.getIncomingBlock(i) == end) {
                merged->addIncoming(phi.getIncomingValue(i), end);
                phi.removeIncomingValue(i, false);
              }
          past.push_back({&phi, merged});
        }
      if (at.join)
        for (BasicBlock* end : ends) end->getTerminator()->replaceSuccessorWith(at.join, begin);
      at.branch->setSuccessor(through_if ? 0 : 1, begin);
    }
    BasicBlock* voted = vote_ == Sync::none ? nullptr : vote(begin, at);
    if (!voted) BranchInst::Create(at.through, begin);
    at.through->replacePhiUsesWith(from, voted ? voted : begin);
    BlockSet others;  // that come to the join from elsewhere
    if (at.join)
      for (BasicBlock* before : predecessors(at.join))
        if (!at.waiting.contains(before)) others.insert(before);
    if (voted)
      for (auto& [phi, value] : past) phi->addIncoming(value, voted);
    made_.clear();
    for (Piece& piece : pieces_) mask(piece);
    repair();
    for (auto& [phi, value] : past) {
      DenseMap<BasicBlock*, Value*> chosen;  // a switch comes from one block in several cases
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        BasicBlock* before = phi->getIncomingBlock(i);
        if (others.contains(before)) continue;
        Value*& choice = chosen[before];
        build.SetInsertPoint(before->getTerminator());
        if (!choice) choice = build.CreateSelect(takes_part_, phi->getIncomingValue(i), value);
        phi->setIncomingValue(i, choice);
      }
    }
  }

  // Cuts a piece in three: the head has phis, the meeting and what all compute, the body the rest, and the tail the
  // arrival and the way on.
  void mask(Piece& piece) {
    LLVMContext& context = kernel_.getContext();
    BasicBlock* head = piece.head;
    SmallVector<Instruction*> masked;
    Instruction* arrival = nullptr;
    for (Instruction& instruction : *head) {
      if (isa<PHINode>(instruction) || instruction.isTerminator() || is_met(instruction)) continue;
      if (is_arrival(instruction)) arrival = &instruction;
      else if (!common_.contains(&instruction)) masked.push_back(&instruction);
    }
    if (masked.empty() && !piece.has_branches) {
      if (arrival) let_stay_away(*cast<CallInst>(arrival));
      return;
    }
    auto* body = BasicBlock::Create(context, "takes.part", &kernel_, head->getNextNode());
    auto* tail = BasicBlock::Create(context, "goes.on", &kernel_, body->getNextNode());
    for (Instruction* instruction : masked) instruction->moveBefore(*body, body->end());
    Instruction* end = head->getTerminator();
    if (!piece.has_branches) {
      if (arrival) arrival->moveBefore(*tail, tail->end());
      end->moveBefore(*tail, tail->end());
      BranchInst::Create(tail, body);
      for (BasicBlock* next : successors(tail)) next->replacePhiUsesWith(head, tail);
    } else {
      end->moveBefore(*body, body->end());
      for (BasicBlock* next : successors(body)) next->replacePhiUsesWith(head, body);
      BlockSet ways = piece.inner;
      ways.insert(body);
      SmallVector<BasicBlock*> ends;
      for (BasicBlock* block : ways) {
        Instruction* last = block->getTerminator();
        if (isa<ReturnInst>(last)) {
          last->eraseFromParent();
          BranchInst::Create(tail, block);
        } else if (piece.next && is_contained(successors(block), piece.next)) {
          ends.push_back(block);
        }
      }
      if (piece.next) {
        for (PHINode& phi : piece.next->phis()) {
          auto* merged = PHINode::Create(phi.getType(), ends.size() + 1, "", tail);
          merged->addIncoming(Constant::getNullValue(phi.getType()), head);
          for (unsigned i = phi.getNumIncomingValues(); i-- > 0;)
            if (ways.contains(phi.getIncomingBlock(i))) {
              merged->addIncoming(phi.getIncomingValue(i), phi.getIncomingBlock(i));
              phi.removeIncomingValue(i, false);
            }
          phi.addIncoming(merged, tail);
        }
        for (BasicBlock* block : ends) block->getTerminator()->replaceSuccessorWith(piece.next, tail);
        BranchInst::Create(piece.next, tail);
      } else {
        ReturnInst::Create(context, tail);
      }
    }
    BranchInst::Create(body, tail, takes_part_, head);
    for (Instruction* instruction : masked)
      if (!instruction->getType()->isVoidTy()) made_.push_back({instruction, head});
    for (BasicBlock* block : piece.inner)
      for (Instruction& instruction : *block)
        if (!instruction.getType()->isVoidTy()) made_.push_back({&instruction, head});
    if (arrival) let_stay_away(*cast<CallInst>(arrival));
  }

  // A thread that takes no part votes for nothing.
  void let_stay_away(CallInst& arrival) {
    const unsigned number = cast<ConstantInt>(arrival.getArgOperand(0))->getZExtValue();
    SyncPoint& sync = syncs_[number - 1];
    IRBuilder<> build(&arrival);
    if (sync.sync == Sync::activemask) return become_ballot(sync, arrival);
    SmallVector<Value*> brought(arrival.args());
    if (sync.sync == Sync::ballot) {
      brought[1] = build.CreateSelect(takes_part_, brought[1],
                                      Constant::getNullValue(brought[1]->getType()));
    } else if (is_reduction(sync.sync)) {
      brought[1] = build.CreateSelect(takes_part_, brought[1], build.getInt32(identity_of(sync.sync)));
    } else if (is_voting_barrier(sync.sync)) {
      if (brought.size() > 2) brought[2] = build.CreateLogicalAnd(takes_part_, brought[2]);
      else brought.push_back(takes_part_);
    } else {
      return;
    }
    build.CreateCall(arrival.getFunctionType(), arrival.getCalledOperand(), brought);
    arrival.eraseFromParent();
  }

  /// The votes of all lanes, which they brought with their arrival.
  CallInst* ballot(IRBuilder<>& build) {
    Type* word = build.getInt32Ty();
    FunctionCallee call = kernel_.getParent()->getOrInsertFunction("ks_ballot", FunctionType::get(word, {word, word}, false));
    return build.CreateCall(call, {build.getInt32(~0u), build.getInt32(0)});
  }

  void become_ballot(SyncPoint& sync, CallInst& arrival) {
    IRBuilder<> build(&arrival);
    Type* word = build.getInt32Ty();
    build.CreateCall(arrival.getFunctionType(), arrival.getCalledOperand(),
                     {arrival.getArgOperand(0), build.CreateZExt(takes_part_, word), build.getInt32(~0u)});
    arrival.eraseFromParent();
    build.SetInsertPoint(sync.call);
    CallInst* call = ballot(build);
    sync.call->replaceAllUsesWith(call);
    sync.call->eraseFromParent();
    sync.call = call;
    sync.sync = Sync::ballot;
    sync.value = word;
  }

  // Threads that did not run a piece must not see its values: their uses get phis.
  void repair() {
    for (auto& [made, head] : made_) {
      SSAUpdater updater;
      updater.Initialize(made->getType(), made->getName());
      SmallVector<Use*> uses;
      for (Use& use : made->uses()) uses.push_back(&use);
      bool is_ready = false;
      for (Use* use : uses) {
        auto* user = cast<Instruction>(use->getUser());
        auto* phi = dyn_cast<PHINode>(user);
        const BasicBlock* where = phi ? phi->getIncomingBlock(*use) : user->getParent();
        if (where == made->getParent()) continue;
        if (!is_ready) {
          updater.AddAvailableValue(made->getParent(), made);
          updater.AddAvailableValue(head, Constant::getNullValue(made->getType()));
          is_ready = true;
        }
        updater.RewriteUse(*use);
      }
    }
  }

  Function& kernel_;
  std::vector<SyncPoint>& syncs_;
  BlockShape shape_;
  DenseMap<const BasicBlock*, SyncPoint*> sync_at_;
  const PostDominatorTree* joins_ = nullptr;
  const LoopInfo* loops_ = nullptr;
  ScalarEvolution* scev_ = nullptr;
  Sync vote_ = Sync::none;  ///< what asks whether anybody takes part; none: nobody needs to know
  std::vector<Piece> pieces_;
  BlockSet heads_, waiting_;
  SmallPtrSet<const Instruction*, 32> common_;
  Value* takes_part_ = nullptr;
  std::vector<std::pair<Instruction*, BasicBlock*>> made_;
};

}  // namespace

bool mask_divergence(Function& kernel, std::vector<SyncPoint>& syncs, const BlockShape& shape) {
  ValueToValueMapTy map;
  Function* changed = CloneFunction(&kernel, map);
  std::vector<SyncPoint> points = syncs;
  for (SyncPoint& sync : points) {
    sync.block = cast<BasicBlock>(map[sync.block]);
    sync.call = cast<CallInst>(map[sync.call]);
  }
  if (!Masker(*changed, points, shape).run()) {
    changed->eraseFromParent();
    return false;
  }
  take_body(kernel, *changed);
  syncs = std::move(points);
  return true;
}

}  // namespace kasoku::embedded
