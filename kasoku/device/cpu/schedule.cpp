#include "kasoku/device/cpu/schedule.h"

#include <immintrin.h>

#include <algorithm>

// Kernels call it, and those need as much.
#pragma GCC target("avx2,bmi,popcnt")

/// Of runtime.cpp: waits for the grid's other blocks.
extern "C" void ks_rt_grid_barrier();

namespace {

constexpr uint32_t warp_size = 32;

bool is_block_barrier(uint8_t kind) { return kind <= ks_sync_grid_barrier; }
bool is_of_part(uint8_t kind) { return kind == ks_sync_part_barrier || kind == ks_sync_part_arrive; }
bool is_vote(uint8_t kind) { return kind > ks_sync_barrier && kind < ks_sync_grid_barrier; }

/// Bit by bit which of 32 words are `value`.
uint32_t equal(const uint32_t* words, uint32_t value) {
  const __m256i wanted = _mm256_set1_epi32(static_cast<int>(value));
  uint32_t found = 0;
  for (uint32_t eight = 0; eight < warp_size; eight += 8) {
    const __m256i words8 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + eight));
    const int bits = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(words8, wanted)));
    found |= static_cast<uint32_t>(bits) << eight;
  }
  return found;
}

/// Those of four lanes from `lane` whose bit is set, as all ones.
__m256i four(uint32_t lanes, uint32_t lane) {
  alignas(32) static constexpr int64_t masks[16][4] = {
      {0, 0, 0, 0},  {-1, 0, 0, 0},  {0, -1, 0, 0},  {-1, -1, 0, 0},  {0, 0, -1, 0},  {-1, 0, -1, 0},
      {0, -1, -1, 0}, {-1, -1, -1, 0}, {0, 0, 0, -1}, {-1, 0, 0, -1}, {0, -1, 0, -1}, {-1, -1, 0, -1},
      {0, 0, -1, -1}, {-1, 0, -1, -1}, {0, -1, -1, -1}, {-1, -1, -1, -1}};
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(masks[lanes >> lane & 15]));
}

/// What 32 lanes brought; only the named ones are touched.
struct Values {
  __m256i fours[8];

  Values(const uint64_t* from, uint32_t lanes) {
    for (uint32_t i = 0; i < 8; ++i)
      fours[i] = _mm256_maskload_epi64(reinterpret_cast<const long long*>(from + 4 * i), four(lanes, 4 * i));
  }
  uint32_t equal_to(uint64_t value) const {
    const __m256i wanted = _mm256_set1_epi64x(static_cast<long long>(value));
    uint32_t found = 0;
    for (uint32_t i = 0; i < 8; ++i)
      found |= static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(fours[i], wanted))))
               << (4 * i);
    return found;
  }
  void store(uint64_t* to, uint32_t lanes) const {
    for (uint32_t i = 0; i < 8; ++i)
      _mm256_maskstore_epi64(reinterpret_cast<long long*>(to + 4 * i), four(lanes, 4 * i), fours[i]);
  }
};

uint32_t reduced(uint8_t kind, uint32_t a, uint32_t b) {
  const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (kind) {
    case ks_sync_reduce_add: return a + b;
    case ks_sync_reduce_and: return a & b;
    case ks_sync_reduce_or: return a | b;
    case ks_sync_reduce_xor: return a ^ b;
    case ks_sync_reduce_umin: return b < a ? b : a;
    case ks_sync_reduce_umax: return b > a ? b : a;
    case ks_sync_reduce_smin: return static_cast<uint32_t>(y < x ? y : x);
    default: return static_cast<uint32_t>(y > x ? y : x);
  }
}

void store_alike(uint64_t* to, uint32_t lanes, uint64_t value) {
  for (uint32_t lane = 0; lane < warp_size; lane += 4)
    if (lanes >> lane & 15)
      _mm256_maskstore_epi64(reinterpret_cast<long long*>(to + lane), four(lanes, lane),
                             _mm256_set1_epi64x(static_cast<long long>(value)));
}

/// Lanes that wait at one place for the same company.
struct Group {
  uint32_t lanes, state, mask;
  uint8_t kind;
};

class Warp {
 public:
  Warp(ks_schedule& all, uint32_t first) : all_(all), first_(first) {
    const uint32_t count = all.threads - first < warp_size ? all.threads - first : warp_size;
    const uint32_t *state = all.state + first, *mask = all.mask + first;
    if (count < warp_size) {  // lanes that there are not have returned
      for (uint32_t lane = 0; lane < warp_size; ++lane) {
        few_states_[lane] = lane < count ? state[lane] : all.done;
        few_masks_[lane] = lane < count ? mask[lane] : 0;
      }
      state = few_states_, mask = few_masks_;
    }
    living_ = ~equal(state, all.done);
    for (uint32_t rest = living_; rest;) {
      const auto leader = static_cast<uint32_t>(__builtin_ctz(rest));
      Group group{equal(state, state[leader]), state[leader], 0, all.kinds[state[leader]]};
      if (is_block_barrier(group.kind) || is_of_part(group.kind)) {
        barriers_ |= 1u << group.kind;
      } else {
        if (group.kind != ks_sync_activemask) {
          group.mask = mask[leader];
          group.lanes &= equal(mask, group.mask);
        }
        groups_[size_++] = group;
      }
      rest &= ~group.lanes;
    }
  }

  /// Lanes go on when those that they name have come. Those that name none wait for whoever may
  /// still come, so for nobody who waits in vain, or looks at memory (and names only itself).
  /// If nothing else helps, a warp's barriers are taken for narrower than they say.
  uint32_t release_some(uint32_t& barriers) {
    barriers |= barriers_;
    bool moves = false;
    for (uint32_t i = 0; i < size_; ++i) {
      const Group& group = groups_[i];
      if ((group.mask ? group.mask : ~0u) & living_ & ~group.lanes) continue;
      moves |= group.mask != group.lanes || (group.lanes & (group.lanes - 1));
      release(group);
    }
    if (!moves) {
      release_least_far(/*names_none=*/true);
      if (!released_) release_least_far(/*names_none=*/false);
    }
    return let_run(released_);
  }

  uint32_t release_all() { return let_run(living_); }

 private:
  void release_least_far(bool names_none) {
    const auto takes_part = [&](const Group& group) {
      return !(group.lanes & released_) && (!names_none || !group.mask);
    };
    uint32_t least = all_.done;
    for (uint32_t i = 0; i < size_; ++i)
      if (takes_part(groups_[i]) && groups_[i].state < least) least = groups_[i].state;
    for (uint32_t i = 0; i < size_; ++i)
      if (takes_part(groups_[i]) && groups_[i].state == least) release(groups_[i]);
  }

  void release(const Group& group) {
    released_ |= group.lanes;
    uint64_t* out = all_.out + first_;
    switch (group.kind) {
      case ks_sync_warp_barrier: return;
      case ks_sync_activemask:
        for (uint32_t rest = group.lanes; rest; rest &= rest - 1) all_.active[first_ + __builtin_ctz(rest)] = group.lanes;
        return;
      default: break;
    }
    if (group.kind >= ks_sync_reduce_add && group.kind <= ks_sync_reduce_smax) {
      const uint64_t* in = all_.in + first_;
      uint32_t rest = group.lanes & group.mask ? group.lanes & group.mask : group.lanes;
      auto result = static_cast<uint32_t>(in[__builtin_ctz(rest)]);
      for (rest &= rest - 1; rest; rest &= rest - 1)
        result = reduced(group.kind, result, static_cast<uint32_t>(in[__builtin_ctz(rest)]));
      return store_alike(out, group.lanes, result);
    }
    const Values brought(all_.in + first_, group.lanes);
    switch (group.kind) {
      case ks_sync_ballot:
        return store_alike(out, group.lanes, group.lanes & ~brought.equal_to(0) & group.mask);
      case ks_sync_match_any:
        for (uint32_t rest = group.lanes; rest;) {
          const uint32_t same = group.lanes & brought.equal_to(all_.in[first_ + __builtin_ctz(rest)]);
          store_alike(out, same, same & group.mask);
          rest &= ~same;
        }
        return;
      case ks_sync_match_all: {
        const uint32_t same = brought.equal_to(all_.in[first_ + __builtin_ctz(group.lanes)]);
        return store_alike(out, group.lanes, group.lanes & ~same ? 0 : group.lanes & group.mask);
      }
      default: return brought.store(out, group.lanes);
    }
  }

  uint32_t let_run(uint32_t lanes) {
    uint8_t* run = all_.run + first_;
    if (lanes == ~0u) {
      __builtin_memset(run, 1, warp_size);
    } else {
      for (uint32_t rest = lanes; rest; rest &= rest - 1) run[__builtin_ctz(rest)] = 1;
    }
    return static_cast<uint32_t>(__builtin_popcount(lanes));
  }

  ks_schedule& all_;
  uint32_t first_, living_ = 0, released_ = 0, barriers_ = 0, size_ = 0;
  Group groups_[warp_size];
  uint32_t few_states_[warp_size], few_masks_[warp_size];
};

/// Who comes to a numbered barrier is counted; at the last one they go on, in the order of threads. `came`: by thread,
/// whether it has come since the last time.
uint32_t release_parts(ks_schedule& all, const uint8_t* came) {
  uint32_t released = 0;
  const auto go_on = [&](uint32_t thread) { all.run[thread] = 1, ++released; };
  for (uint32_t thread = 0; thread < all.threads; ++thread) {
    if (all.state[thread] == all.done || !came[thread]) continue;
    const uint8_t kind = all.kinds[all.state[thread]];
    if (!is_of_part(kind)) continue;
    const uint32_t barrier = all.mask[thread] & 15;
    if (kind == ks_sync_part_arrive) go_on(thread);
    if (++all.come[barrier] < all.mask[thread] >> 4) continue;
    all.come[barrier] = 0;
    for (uint32_t other = 0; other < all.threads; ++other)
      if (all.state[other] != all.done && all.kinds[all.state[other]] == ks_sync_part_barrier && !all.run[other] &&
          (all.mask[other] & 15) == barrier && (other <= thread || !came[other]))
        go_on(other);
  }
  return released;
}

/// Nobody comes who is waited for.
uint32_t give_up_parts(ks_schedule& all) {
  uint32_t released = 0;
  __builtin_memset(all.come, 0, sizeof all.come);
  for (uint32_t thread = 0; thread < all.threads; ++thread)
    if (all.state[thread] != all.done && is_of_part(all.kinds[all.state[thread]])) all.run[thread] = 1, ++released;
  return released;
}

/// All threads that have not returned wait at barriers of the block.
void count_votes(ks_schedule& all) {
  uint32_t yes = 0, no = 0;
  const auto each = [&](auto act) {
    for (uint32_t thread = 0; thread < all.threads; ++thread)
      if (all.state[thread] != all.done) act(thread, all.kinds[all.state[thread]]);
  };
  each([&](uint32_t thread, uint8_t kind) {
    if (is_vote(kind)) (all.in[thread] ? yes : no) += 1;
  });
  each([&](uint32_t thread, uint8_t kind) {
    all.out[thread] = kind == ks_sync_barrier_count ? yes : kind == ks_sync_barrier_and ? no == 0 : yes > 0;
  });
}

}  // namespace

extern "C" uint32_t ks_rt_schedule(ks_schedule* schedule) {
  ks_schedule& all = *schedule;
  constexpr uint32_t most_threads = 1024;
  uint8_t came[most_threads];
  if (std::any_of(all.kinds, all.kinds + all.done, is_of_part))  // nobody else asks who came
    __builtin_memcpy(came, all.run, all.threads < most_threads ? all.threads : most_threads);
  __builtin_memset(all.run, 0, all.threads);
  // Only its own lanes can help a warp that is stuck; other warps may go on for good, looking for what it writes.
  uint32_t released = 0, barriers = 0;
  const auto each_warp = [&](auto act) {
    for (uint32_t first = 0; first < all.threads; first += warp_size) act(Warp(all, first));
  };
  each_warp([&](Warp warp) { released += warp.release_some(barriers); });
  const bool has_parts = barriers >> ks_sync_part_barrier & 3;
  if (has_parts) released += release_parts(all, came);
  if (!released && has_parts) released = give_up_parts(all);
  if (released) return released;
  if (barriers >> ks_sync_grid_barrier & 1) ks_rt_grid_barrier();
  if (barriers & ~(1u << ks_sync_barrier | 1u << ks_sync_grid_barrier)) count_votes(all);
  each_warp([&](Warp warp) { released += warp.release_all(); });
  if (!released) __builtin_memset(all.come, 0, sizeof all.come);  // the next block begins
  return released;
}
