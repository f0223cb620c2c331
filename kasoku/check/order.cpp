#include "kasoku/check/order.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace kasoku {

namespace {

Agent warp_of(const Agent& agent) { return {agent.block, agent.thread / 32}; }
size_t lane_of(const Agent& agent) { return agent.thread % 32; }

}  // namespace

void join(WarpClock& to, const WarpClock& from) {
  std::ranges::transform(to, from, to.begin(), std::ranges::max);
}

void FenceOrder::Clock::join(const Clock& other) {
  const auto further = [](Reach& to, const Reach& from) {
    to.data = std::max(to.data, from.data);
    to.atomics = std::max(to.atomics, from.atomics);
    to.interval = std::max(to.interval, from.interval);
    if (from.fences && (!to.fences || to.fences->interval < from.fences->interval)) to.fences = from.fences;
  };
  for (const auto& [agent, reach] : other.agents) further(agents[agent], reach);
  for (const auto& [block, reach] : other.blocks) further(blocks[block], reach);
  for (const auto& [warp, reach] : other.warps) kasoku::join(warps[warp], reach);
}

bool FenceOrder::Clock::covers(const Agent& agent, Moment when, uint32_t interval, bool is_atomic) const {
  if (const auto found = agents.find(agent); found != agents.end()) {
    const Reach& reach = found->second;
    if (when < reach.data || (is_atomic && when <= reach.atomics)) return true;
  }
  if (const auto warp = warps.find(warp_of(agent)); warp != warps.end() && when < warp->second[lane_of(agent)]) return true;
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

void FenceOrder::Thread::add_past(Clock& to) const {
  to.join(past);
  if (past_of_warp) to.join(*past_of_warp);
}

void FenceOrder::fence(const Agent& agent, Moment now, uint32_t interval, const WarpClock& known) {
  is_used_ = true;
  Thread& own = thread(agent);
  if (interval > own.interval) own.fenced_before = own.fenced;
  own.fenced = now;
  own.interval = interval;
  join(own.warp_fenced, known);
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
  const bool warp_has_fenced = std::ranges::any_of(own.warp_fenced, std::identity());
  if (!own.fenced && !fences && !warp_has_fenced) return;
  Clock& clock = locations_[address];
  own.add_past(clock);
  clock.join(ready_);
  if (own.interval > coming_interval_) clock.join(coming_);
  Clock mine;
  if (own.fenced) mine.agents[agent] = {own.fenced, now, 0};
  if (warp_has_fenced) mine.warps[warp_of(agent)] = own.warp_fenced;
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
  own.add_past(coming_);
}

void FenceOrder::arrive(const Agent& agent, Meeting& meeting) {
  if (!is_used_) return;
  Thread& own = thread(agent);
  own.warp_fenced[lane_of(agent)] = own.fenced;
  join(meeting.fenced, own.warp_fenced);
  arrive_in_part(agent, meeting);
}

void FenceOrder::arrive_in_part(const Agent& agent, Meeting& meeting) {
  if (!is_used_) return;
  Thread& own = thread(agent);
  // Most lanes bring what all had from the last barrier.
  if (!own.past.is_empty()) {
    Clock whole;
    own.add_past(whole);
    own.past_of_warp = std::make_shared<const Clock>(std::move(whole));
    own.past = {};
  }
  if (!own.past_of_warp || own.past_of_warp == meeting.past) return;
  if (meeting.past) {
    Clock both = *meeting.past;
    both.join(*own.past_of_warp);
    meeting.past = std::make_shared<const Clock>(std::move(both));
  } else {
    meeting.past = own.past_of_warp;
  }
}

void FenceOrder::leave(const Agent& agent, const Meeting& meeting) {
  if (!is_used_) return;
  Thread& own = thread(agent);
  join(own.warp_fenced, meeting.fenced);
  leave_part(agent, meeting);
}

void FenceOrder::leave_part(const Agent& agent, const Meeting& meeting) {
  if (!is_used_) return;
  Thread& own = thread(agent);
  own.past_of_warp = meeting.past;
}

bool FenceOrder::covers(const Agent& earlier, Moment when, uint32_t interval, bool is_atomic, const Agent& later,
                        uint32_t now) {
  if (!is_used_) return false;
  const Thread& own = thread(later);
  return own.past.covers(earlier, when, interval, is_atomic) ||
         (own.past_of_warp && own.past_of_warp->covers(earlier, when, interval, is_atomic)) ||
         ready_.covers(earlier, when, interval, is_atomic) ||
         (now > coming_interval_ && coming_.covers(earlier, when, interval, is_atomic));
}

}  // namespace kasoku
