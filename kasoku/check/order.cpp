#include "kasoku/check/order.h"

#include <algorithm>

namespace kasoku {

void FenceOrder::Clock::join(const Clock& other) {
  const auto further = [](Reach& to, const Reach& from) {
    to.data = std::max(to.data, from.data);
    to.atomics = std::max(to.atomics, from.atomics);
    to.interval = std::max(to.interval, from.interval);
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
  return found != blocks.end() && when < found->second.data && interval < found->second.interval;
}

FenceOrder::Thread& FenceOrder::thread(const Agent& agent) {
  if (block_ != agent.block) {
    threads_.clear();
    ready_ = {}, coming_ = {};
    coming_interval_ = 0;
    block_ = agent.block;
  }
  return threads_[agent.thread];
}

void FenceOrder::fence(const Agent& agent, Moment now, uint32_t interval) {
  is_used_ = true;
  Thread& own = thread(agent);
  own.fenced = now;
  own.interval = interval;
}

bool FenceOrder::has_fenced(const Agent& agent) {
  if (!is_used_) return false;
  const Thread& own = thread(agent);
  return own.fenced > own.wrote;
}

void FenceOrder::plain_write(const Agent& agent, Moment now) { thread(agent).wrote = now; }

void FenceOrder::release(const Agent& agent, uint64_t address, Moment now) {
  if (!is_used_) return;
  Thread& own = thread(agent);
  if (!own.fenced) return;
  Clock& clock = locations_[address];
  clock.join(own.past);
  clock.join(ready_);
  if (own.interval > coming_interval_) clock.join(coming_);
  Clock mine;
  mine.agents[agent] = {own.fenced, now, 0};
  mine.blocks[agent.block] = {own.fenced, 0, own.interval};
  clock.join(mine);
}

void FenceOrder::acquire(const Agent& agent, uint64_t address) {
  if (!is_used_) return;
  if (const auto found = locations_.find(address); found != locations_.end()) thread(agent).past.join(found->second);
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
