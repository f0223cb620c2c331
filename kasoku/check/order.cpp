#include "kasoku/check/order.h"

#include <algorithm>
#include <utility>

namespace kasoku {

void FenceOrder::Clock::join(const Clock& other) {
  const auto further = [](Reach& to, const Reach& from) {
    to.data = std::max(to.data, from.data);
    to.atomics = std::max(to.atomics, from.atomics);
    to.interval = std::max(to.interval, from.interval);
    if (from.fences && (!to.fences || to.fences->interval < from.fences->interval)) to.fences = from.fences;
  };
  for (const auto& [agent, reach] : other.agents) further(agents[agent], reach);
  for (const auto& [block, reach] : other.blocks) further(blocks[block], reach);
}

bool FenceOrder::Clock::covers(const Agent& agent, Moment when, uint32_t interval, bool is_atomic) const {
  if (const auto found = agents.find(agent); found != agents.end()) {
    const Reach& reach = found->second;
    if (when < reach.data || (is_atomic && when <= reach.atomics)) return true;
  }
  const auto found = blocks.find(agent.block);
  if (found == blocks.end()) return false;
  const Reach& reach = found->second;
  if (when < reach.data && interval < reach.interval) return true;
  if (!reach.fences) return false;
  const auto fence = reach.fences->of.find(agent.thread);
  return fence != reach.fences->of.end() && when < fence->second;
}

FenceOrder::Thread& FenceOrder::thread(const Agent& agent) {
  if (block_ != agent.block) {
    threads_.clear();
    ready_ = {}, coming_ = {};
    coming_interval_ = 0;
    fences_ = nullptr;
    block_ = agent.block;
  }
  return threads_[agent.thread];
}

void FenceOrder::fence(const Agent& agent, Moment now, uint32_t interval) {
  is_used_ = true;
  Thread& own = thread(agent);
  if (interval > own.interval) own.fenced_before = own.fenced;
  own.fenced = now;
  own.interval = interval;
  own.past.join(std::exchange(own.seen, {}));
}

void FenceOrder::fence_of_block(const Agent& agent, Moment now) {
  is_used_ = true;
  thread(agent).fenced_block = now;
}

bool FenceOrder::has_fenced(const Agent& agent) {
  if (!is_used_) return false;
  const Thread& own = thread(agent);
  return std::max(own.fenced, own.fenced_block) > own.wrote;
}

void FenceOrder::plain_write(const Agent& agent, Moment now) { thread(agent).wrote = now; }

/// Threads reach an interval only when all have left the one before: what is found first stays so.
std::shared_ptr<const FenceOrder::Fences> FenceOrder::fences_before(uint32_t interval) {
  if (!fences_ || fences_->interval != interval) {
    Fences found{interval, {}};
    for (const auto& [number, thread] : threads_)
      if (const Moment when = thread.interval < interval ? thread.fenced : thread.fenced_before) found.of[number] = when;
    fences_ = std::make_shared<const Fences>(std::move(found));
  }
  return fences_->of.empty() ? nullptr : fences_;
}

void FenceOrder::release(const Agent& agent, uint64_t address, Moment now, uint32_t interval) {
  if (!is_used_) return;
  Thread& own = thread(agent);
  const std::shared_ptr<const Fences> fences = fences_before(interval);
  if (!own.fenced && !fences) return;
  Clock& clock = locations_[address];
  clock.join(own.past);
  clock.join(ready_);
  if (own.interval > coming_interval_) clock.join(coming_);
  Clock mine;
  if (own.fenced) mine.agents[agent] = {own.fenced, now, 0};
  mine.blocks[agent.block] = {own.fenced, 0, own.interval, fences};
  clock.join(mine);
}

void FenceOrder::acquire(const Agent& agent, uint64_t address, bool is_relaxed) {
  if (!is_used_) return;
  const auto found = locations_.find(address);
  if (found == locations_.end()) return;
  Thread& own = thread(agent);
  (is_relaxed ? own.seen : own.past).join(found->second);
}

void FenceOrder::barrier(const Agent& agent, uint32_t interval) {
  if (!is_used_) return;
  Thread& own = thread(agent);
  if (coming_interval_ != interval) {
    ready_.join(coming_);
    coming_ = {};
    coming_interval_ = interval;
  }
  coming_.join(own.past);
}

bool FenceOrder::covers(const Agent& earlier, Moment when, uint32_t interval, bool is_atomic, const Agent& later,
                        uint32_t now) {
  if (!is_used_) return false;
  const Thread& own = thread(later);
  return own.past.covers(earlier, when, interval, is_atomic) || ready_.covers(earlier, when, interval, is_atomic) ||
         (now > coming_interval_ && coming_.covers(earlier, when, interval, is_atomic));
}

}  // namespace kasoku
