#include "kasoku/device/cpu/schedule.h"

#include <algorithm>

/// Of runtime.cpp: waits for the grid's other blocks.
extern "C" void ks_rt_grid_barrier();

namespace {

constexpr uint32_t warp_size = 32;

bool is_block_barrier(uint8_t kind) { return kind <= ks_sync_grid_barrier; }

struct Lanes {
  ks_schedule& all;
  uint32_t first;  ///< thread number of lane 0
  uint32_t count;

  uint32_t state(uint32_t lane) const { return all.state[first + lane]; }
  bool is_done(uint32_t lane) const { return state(lane) == all.done; }
  uint8_t kind(uint32_t lane) const { return all.kinds[state(lane)]; }
  bool is_at_warp_operation(uint32_t lane) const {
    return !is_done(lane) && !is_block_barrier(kind(lane));
  }
  uint32_t mask(uint32_t lane) const {
    return kind(lane) == ks_sync_activemask ? 0 : all.mask[first + lane];
  }

  uint32_t alive() const {
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < count; ++lane) lanes |= uint32_t{!is_done(lane)} << lane;
    return lanes;
  }

  /// Lanes that wait where `leader` waits, for the same company.
  uint32_t group_of(uint32_t leader) const {
    uint32_t group = 0;
    for (uint32_t lane = leader; lane < count; ++lane)
      if (state(lane) == state(leader) && mask(lane) == mask(leader)) group |= 1u << lane;
    return group;
  }

  uint64_t result(uint32_t group, uint32_t lane) const {
    const uint64_t own = all.in[first + lane];
    uint32_t same = 0, yes = 0;
    for (uint32_t rest = group; rest; rest &= rest - 1) {
      const uint32_t other = static_cast<uint32_t>(__builtin_ctz(rest));
      const uint64_t value = all.in[first + other];
      same |= uint32_t{value == own} << other;
      yes |= uint32_t{value != 0} << other;
    }
    switch (kind(lane)) {
      case ks_sync_ballot: return yes & mask(lane);
      case ks_sync_match_any: return same & mask(lane);
      case ks_sync_match_all: return same == group ? group & mask(lane) : 0;
      default: return own;
    }
  }

  uint32_t release(uint32_t group) {
    uint32_t released = 0;
    for (uint32_t rest = group; rest; rest &= rest - 1, ++released) {
      const uint32_t lane = static_cast<uint32_t>(__builtin_ctz(rest));
      all.out[first + lane] = result(group, lane);
      all.active[first + lane] = group;
      all.run[first + lane] = 1;
    }
    return released;
  }

  /// Releases each group of which `is_ready(leader, group)`.
  template <class Ready>
  uint32_t release_if(Ready is_ready) {
    uint32_t released = 0, seen = 0;
    for (uint32_t lane = 0; lane < count; ++lane) {
      if (seen >> lane & 1 || !is_at_warp_operation(lane)) continue;
      const uint32_t group = group_of(lane);
      seen |= group;
      if (is_ready(lane, group)) released += release(group);
    }
    return released;
  }

  /// Of those lanes for which `takes_part` the ones at the earliest place in the text.
  template <class TakesPart>
  uint32_t release_least_far(TakesPart takes_part) {
    uint32_t least = all.done;
    for (uint32_t lane = 0; lane < count; ++lane)
      if (is_at_warp_operation(lane) && takes_part(lane)) least = std::min(least, state(lane));
    return least == all.done ? 0 : release_if([&](uint32_t leader, uint32_t) {
      return state(leader) == least && takes_part(leader);
    });
  }

  /// Lanes go on when those that they name have come. Those that name none wait for whoever may
  /// still come, so for nobody who waits in vain, or looks at memory (and names only itself).
  /// If nothing else helps, a warp's barriers are taken for narrower than they say.
  uint32_t release_some() {
    const uint32_t living = alive();
    uint32_t moved = 0;
    const uint32_t released = release_if([&](uint32_t leader, uint32_t group) {
      const uint32_t named = mask(leader) ? mask(leader) : ~0u;
      if (named & living & ~group) return false;
      if (named != group || (group & (group - 1))) moved |= group;
      return true;
    });
    if (moved) return released;
    const uint32_t waiting = release_least_far([&](uint32_t lane) { return !mask(lane) && !all.run[first + lane]; });
    if (released + waiting) return released + waiting;
    return release_least_far([](uint32_t) { return true; });
  }
};

template <class Release>
uint32_t each_warp(ks_schedule& all, Release release) {
  uint32_t released = 0;
  for (uint32_t first = 0; first < all.threads; first += warp_size) {
    Lanes lanes{all, first, std::min(warp_size, all.threads - first)};
    released += release(lanes);
  }
  return released;
}

uint32_t release_barrier(ks_schedule& all) {
  uint32_t yes = 0, no = 0, released = 0;
  bool meets_grid = false;
  for (uint32_t thread = 0; thread < all.threads; ++thread) {
    const uint32_t state = all.state[thread];
    if (state == all.done) continue;
    const uint8_t kind = all.kinds[state];
    if (!is_block_barrier(kind)) return 0;
    meets_grid |= kind == ks_sync_grid_barrier;
    if (kind == ks_sync_barrier || kind == ks_sync_grid_barrier) continue;
    (all.in[thread] ? yes : no) += 1;
  }
  if (meets_grid) ks_rt_grid_barrier();
  for (uint32_t thread = 0; thread < all.threads; ++thread) {
    const uint32_t state = all.state[thread];
    if (state == all.done) continue;
    const uint8_t kind = all.kinds[state];
    all.out[thread] = kind == ks_sync_barrier_count ? yes
                      : kind == ks_sync_barrier_and ? no == 0
                                                    : yes > 0;
    all.run[thread] = 1;
    ++released;
  }
  return released;
}

}  // namespace

extern "C" uint32_t ks_rt_schedule(ks_schedule* schedule) {
  ks_schedule& all = *schedule;
  std::fill_n(all.run, all.threads, uint8_t{0});
  // Only its own lanes can help a warp that is stuck; other warps may go on for good, looking for what it writes.
  const uint32_t released = each_warp(all, [](Lanes& lanes) { return lanes.release_some(); });
  return released ? released : release_barrier(all);
}
