"""Locks, flags, tickets, queues and look-backs between blocks, and barriers of the grid: each right, and with one part
missing. An order that the text gives is taken at its word; CUDA's own atomics order by fences."""

from check_cases import kernel

device = "cuda::thread_scope_device"
ref = f"template <class T> using ref = cuda::atomic_ref<T, {device}>;"
head = f"#include <cuda/atomic>\n{ref}\nusing namespace cuda;\n"
in_block = head.replace(device, "cuda::thread_scope_block")
relaxed, acquire, release, acq_rel, seq_cst = (
    f"memory_order_{order}" for order in ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
)

# ── a flag ────────────────────────────────────────────────────────────────────────────────

message = """  ref<int> flag(is_ready);
  if (blockIdx.x == 0 && t == 0) {{ out[3] = 7; {0} flag.store(1, {1}); }}
  if (blockIdx.x == 1 && t == 0) {{ while (!flag.load({2})) {{}} {3} d[0] = out[3]; }}"""
is_ready = "__device__ int is_ready;"
for name, first, store, load, second, kinds in [
    ("released_and_acquired", "", release, acquire, "", ()),
    ("in_one_order_for_all", "", seq_cst, seq_cst, "", ()),
    ("stored_relaxed", "", relaxed, acquire, "", ("race",)),
    ("read_relaxed", "", release, relaxed, "", ("race",)),
    ("relaxed_with_fences", "atomic_thread_fence(memory_order_release);", relaxed, relaxed, "atomic_thread_fence(memory_order_acquire);", ()),
    ("relaxed_with_the_first_fence", "__threadfence();", relaxed, relaxed, "", ("race",)),
    ("relaxed_with_the_second_fence", "", relaxed, relaxed, "__threadfence();", ("race",)),
    ("relaxed_with_relaxed_fences", "atomic_thread_fence(memory_order_relaxed);", relaxed, relaxed, "atomic_thread_fence(memory_order_relaxed);", ("race",)),
]:  # fmt: skip
    kernel(f"a_flag_{name}", *kinds, grid=2, before=head + is_ready, body=message.format(first, store, load, second))
kernel("a_flag_of_the_blocks_scope", "race", grid=2, before=in_block + is_ready, body=message.format("", release, acquire, ""))  # fmt: skip
kernel("a_flag_behind_what_it_tells", "race", grid=2, before=head + is_ready, body="  ref<int> flag(is_ready);\n  if (blockIdx.x == 0 && t == 0) { flag.store(1, memory_order_release); out[3] = 7; }\n  if (blockIdx.x == 1 && t == 0) { while (!flag.load(memory_order_acquire)) {} d[0] = out[3]; }")  # fmt: skip
kernel("an_acquire_is_no_release", "race", grid=2, before=head + is_ready + "__device__ int other;", body="  ref<int> flag(is_ready), elsewhere(other);\n  if (blockIdx.x == 0 && t == 0) { out[3] = 7; elsewhere.load(memory_order_acquire); flag.store(1, memory_order_relaxed); }\n  if (blockIdx.x == 1 && t == 0) { while (!flag.load(memory_order_acquire)) {} d[0] = out[3]; }")  # fmt: skip
within = """  __shared__ int s[64], ready; if (t == 0) ready = 0; __syncthreads(); ref<int> flag(ready);
  if (t == 0) {{ s[3] = 7; flag.store(1, {0}); }}
  if (t == 40) {{ while (!flag.load({1})) __nanosleep(10); d[0] = s[3]; }}"""
kernel("a_flag_within_the_block", before=in_block, body=within.format(release, acquire))
kernel("a_relaxed_flag_within_the_block", "race", before=in_block, body=within.format(relaxed, acquire))

# ── locks and tickets ─────────────────────────────────────────────────────────────────────

lock = """  ref<int> lock(taken); int free = 0;
  if (t == 0) {{ {0} out[0] += 1; {1} }}"""
exchange = "while (lock.exchange(1, memory_order_{})) {{}}"
swap = "while (!lock.compare_exchange_weak(free, 1, memory_order_{}, memory_order_relaxed)) free = 0;"
unlock = "lock.store(0, memory_order_{});"
taken = head + "__device__ int taken;"
for name, take, leave, kinds in [
    ("exchanged", exchange.format("acquire"), unlock.format("release"), ()),
    ("swapped", swap.format("acquire"), unlock.format("release"), ()),
    ("taken_relaxed", exchange.format("relaxed"), unlock.format("release"), ("race",)),
    ("swapped_relaxed", swap.format("relaxed"), unlock.format("release"), ("race",)),
    ("left_relaxed", exchange.format("acquire"), unlock.format("relaxed"), ("race",)),
    ("left_by_a_subtraction", exchange.format("acquire"), "lock.fetch_sub(1, memory_order_release);", ()),
    ("left_by_a_relaxed_subtraction", exchange.format("acquire"), "lock.fetch_sub(1, memory_order_relaxed);", ("race",)),
]:  # fmt: skip
    kernel(f"a_lock_{name}", *kinds, grid=3, before=taken, body=lock.format(take, leave))
kernel("a_lock_of_the_blocks_scope", "race", grid=3, before=taken.replace(device, "cuda::thread_scope_block"), body=lock.format(exchange.format("acquire"), unlock.format("release")))  # fmt: skip

# A whole warp works under a lock that one lane takes: the barriers of the warp carry what the lane knows to the others,
# and what they did to the lane.
warp_lock = """  if (t < 32) {{
    if (t == 0) {{ while (atomicCAS(&taken, 0, 1)) {{}} {0} }} {1}
    out[31 - t] += t; {2}
    if (t == 0) {{ {3} atomicExch(&taken, 0); }} }}"""
fence, meets = "__threadfence();", "__syncwarp();"
for name, parts, kinds in [
    ("", (fence, meets, meets, fence), ()),
    ("_where_each_lane_fences", (fence, meets, fence + meets, ""), ()),
    ("_twice", (fence, meets + meets, meets + meets, fence), ()),
    ("_entered_too_early", (fence, "", meets, fence), ("race",)),
    ("_left_too_early", (fence, meets, "", fence), ("race",)),
    ("_left_without_a_fence", (fence, meets, meets, ""), ("race",)),
    ("_where_lanes_fence_too_early", (fence, meets + fence, meets, ""), ("race",)),
    ("_of_which_half_waits", (fence, meets, "if (t < 16) __syncwarp(0xffffu);", fence), ("race",)),
    ("_with_fences_of_the_block", ("__threadfence_block();", meets, meets, "__threadfence_block();"), ("race",)),
]:  # fmt: skip
    kernel(f"a_lock_of_a_warp{name}", *kinds, grid=3, before="__device__ int taken;", body=warp_lock.format(*parts))
kernel("a_lock_of_warps_in_a_block", before="", body="  __shared__ int taken; if (t == 0) taken = 0; __syncthreads();\n" + warp_lock.replace("t < 32", "true").replace("t == 0", "t % 32 == 0").replace("31 - t", "31 - t % 32").format("__threadfence_block();", meets, meets, "__threadfence_block();"))  # fmt: skip

ticket = """  ref<unsigned> next(tickets), serving(served);
  if (t == 0) {{ unsigned own = next.fetch_add(1, memory_order_relaxed);
    while (serving.load({0}) != own) {{}}
    out[0] += 1; serving.store(own + 1, {1}); }}"""
tickets = head + "__device__ unsigned tickets, served;"
kernel("tickets", grid=4, before=tickets, body=ticket.format(acquire, release))
kernel("tickets_called_relaxed", "race", grid=4, before=tickets, body=ticket.format(acquire, relaxed))
kernel("tickets_awaited_relaxed", "race", grid=4, before=tickets, body=ticket.format(relaxed, release))
old_ticket = """  if (t == 0) {{ unsigned own = atomicAdd(&tickets, 1u);
    while (atomicAdd(&served, 0u) != own) {{}} {0} out[0] += 1; {0} atomicAdd(&served, 1u); }}"""
kernel("tickets_with_fences", grid=4, before=tickets, body=old_ticket.format("__threadfence();"))
kernel("tickets_without_fences", "race", grid=4, before=tickets, body=old_ticket.format(""))
kernel("tickets_for_another_word", "race", grid=4, before=tickets, body=old_ticket.format("__threadfence();").replace("{ unsigned", "{ out[0] += 2; unsigned"))  # fmt: skip

# ── queues, and the last block ────────────────────────────────────────────────────────────

queue = """  ref<int> tail(filled);
  if (t == 0 && blockIdx.x == 0) for (int k = 0; k < 4; ++k) {{ out[k] = k * k; tail.store(k + 1, {0}); }}
  if (t == 0 && blockIdx.x == 1) for (int k = 0; k < 4; ++k) {{ while (tail.load({1}) <= k) {{}} d[k] = out[k {2}]; }}"""
filled = head + "__device__ int filled;"
kernel("a_queue", grid=2, before=filled, body=queue.format(release, acquire, ""))
kernel("a_queue_filled_relaxed", "race", grid=2, before=filled, body=queue.format(relaxed, acquire, ""))
kernel("a_queue_that_is_refilled", "race", grid=2, before=filled, body=queue.format(release, acquire, "") + "\n  if (t == 0 && blockIdx.x == 0) out[0] = 9;")  # fmt: skip

last = """  __shared__ bool is_last; ref<int> done(ended);
  out[blockIdx.x * 64 + t] = t; {0}
  if (t == 0) is_last = done.fetch_add(1, {1}) == gridDim.x - 1;
  __syncthreads();
  if (is_last) d[t] = out[(t * 3) % n];"""
ended = head + "__device__ int ended;"
kernel("the_last_block", grid=3, before=ended, body=last.format("__syncthreads();", acq_rel))
kernel("the_last_block_relaxed", "race", grid=3, before=ended, body=last.format("__syncthreads();", relaxed))
kernel("the_last_block_without_a_barrier", "race", grid=3, before=ended, body=last.format("", acq_rel))
kernel("the_last_block_only_acquires", "race", grid=3, before=ended, body=last.format("__syncthreads();", acquire))
kernel("the_last_block_only_releases", "race", grid=3, before=ended, body=last.format("__syncthreads();", release))

# ── look-back: each block adds what the blocks before it found ────────────────────────────

look_back = """  __shared__ int before; ref<int> own(states[blockIdx.x]);
  if (t == 0) {{
    out[blockIdx.x] = d[blockIdx.x * 64]; {0} own.store(1, {1}); before = 0;
    for (int b = (int)blockIdx.x - 1; b >= 0; --b) {{ ref<int> state(states[b]); int seen;
      while (!(seen = state.load({2}))) {{}} {3}
      if (seen == 2) {{ before += sums[b]; break; }} before += out[b]; }}
    sums[blockIdx.x] = before + out[blockIdx.x]; {0} own.store(2, {4});
  }}
  __syncthreads(); d[blockIdx.x * 64 + t] += before;"""
states = head + "__device__ int states[8], sums[8];"
fence = "__threadfence();"
kernel("a_look_back", grid=4, before=states, body=look_back.format("", release, acquire, "", release))
kernel("a_look_back_with_fences", grid=4, before=states, body=look_back.format(fence, relaxed, relaxed, fence, relaxed))
kernel("a_look_back_relaxed", "race", grid=4, before=states, body=look_back.format("", relaxed, acquire, "", relaxed))
kernel("a_look_back_whose_sum_is_relaxed", "race", grid=4, before=states, body=look_back.format("", release, acquire, "", relaxed))  # fmt: skip
kernel("a_look_back_without_the_second_fence", "race", grid=4, before=states, body=look_back.format(fence, relaxed, relaxed, "", relaxed))  # fmt: skip
one_word = """  __shared__ int before;
  if (t == 0) {{ before = 0;
    if (blockIdx.x) {{ ref<unsigned long long> state(words[blockIdx.x - 1]); unsigned long long seen;
      while (!((seen = state.load(memory_order_relaxed)) >> 32)) {{}} before = (int)seen; {0} }}
    ref<unsigned long long>(words[blockIdx.x]).store(1ull << 32 | (unsigned)(before + 5), memory_order_relaxed);
    {1} }}
  __syncthreads(); out[blockIdx.x * 64 + t] = before;"""
words = head + "__device__ unsigned long long words[8]; __device__ int plain;"
kernel("a_look_back_in_one_word", grid=4, before=words, body=one_word.format("", ""))
kernel("a_look_back_beside_its_word", "race", grid=4, before=words, body=one_word.format("before += plain;", "plain = before;"))  # fmt: skip

# ── barriers of the grid ──────────────────────────────────────────────────────────────────

groups = "#include <cooperative_groups.h>\n"
grid = "cooperative_groups::this_grid()"
all_sums = """  out[blockIdx.x * 64 + t] = t; {0}
  int sum = 0; for (int b = 0; b < gridDim.x; ++b) sum += out[b * 64 + (t + b) % 64];
  d[blockIdx.x * 64 + t] = sum;"""
kernel("sums_behind_a_barrier_of_the_grid", grid=3, before=groups, body=all_sums.format(f"{grid}.sync();"))
kernel("sums_behind_a_barrier_of_the_block", "race", grid=3, before=groups, body=all_sums.format("__syncthreads();"))
kernel("sums_behind_a_fence", "race", grid=3, before=groups, body=all_sums.format("__threadfence();"))
steps = """  for (int k = 0; k < 3; ++k) {{
    int left = out[(blockIdx.x * 64 + t + 1) % n]; {0} out[blockIdx.x * 64 + t] = left + k; {1} }}"""
kernel("steps_with_two_barriers_of_the_grid", grid=3, before=groups, body=steps.format(f"{grid}.sync();", f"{grid}.sync();"))  # fmt: skip
kernel("steps_with_the_first_barrier_alone", "race", grid=3, before=groups, body=steps.format(f"{grid}.sync();", ""))
kernel("steps_with_the_second_barrier_alone", "race", grid=3, before=groups, body=steps.format("", f"{grid}.sync();"))
kept = "  __shared__ int s[64]; s[t] = d[t]; {0}; out[blockIdx.x * 64 + t] = s[63 - t]; {1}; s[t] = 0;"
kernel("shared_memory_stays_behind_a_barrier_of_the_grid", grid=3, before=groups, body=kept.format(f"{grid}.sync()", "__syncthreads()"))  # fmt: skip
kernel("shared_memory_changed_behind_it", "race", grid=3, before=groups, body=kept.format(f"{grid}.sync()", ""))
kernel("unwritten_shared_memory_behind_it", "uninitialised", grid=2, before=groups, body=f"  __shared__ int s[64]; if (blockIdx.x) s[t] = t; {grid}.sync(); out[blockIdx.x * 64 + t] = s[t];")  # fmt: skip
kernel("one_writes_behind_a_barrier_of_the_grid", grid=3, before=groups, body=f"  atomicAdd(&out[0], 1); {grid}.sync(); if (blockIdx.x == 0 && t == 0) out[0] += 1; {grid}.sync(); d[blockIdx.x * 64 + t] = out[0];")  # fmt: skip
kernel("each_block_writes_behind_a_barrier_of_the_grid", "race", grid=3, before=groups, body=f"  atomicAdd(&out[0], 1); {grid}.sync(); if (t == 0) out[0] += 1;")  # fmt: skip
kernel("a_loop_of_different_lengths_ends_together", grid=3, before=groups, body=f"  for (int k = 0; k < 4; ++k) {{ if (k <= blockIdx.x) out[blockIdx.x * 64 + t] += k; __syncthreads(); {grid}.sync(); }}\n  d[blockIdx.x * 64 + t] = out[((blockIdx.x + 1) % gridDim.x) * 64 + t];")  # fmt: skip
