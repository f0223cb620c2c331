"""More cases for test_check_cases: kernels and loops that are one word away from their racy or clean twin."""

import numpy as np
from check_cases import X, kernel, loop
from kasoku import njit, prange

# ── kernels: memory of a block ────────────────────────────────────────────────────────────

buffers = """  __shared__ int s[2][64]; int p = 0; s[0][t] = d[t]; __syncthreads();
  for (int k = 1; k < 6; ++k) {{ s[{}][t] = s[p][(t + k) % 64] + 1; __syncthreads(); p ^= {}; }}
  out[t] = s[p][t];"""
kernel("two_buffers_in_turn", body=buffers.format("p ^ 1", 1))
kernel("one_buffer_in_its_own_turn", "race", body=buffers.format("p", 0))

diagonals = """  __shared__ int s[17][17]; if (t < 17) s[t][0] = s[0][t] = t; __syncthreads();
  for (int k = 0; k < 31; ++k) {{ int x = t + 1, y = k - t + 1;
    if (t < 16 && y >= 1 && y <= 16) s[y][x] = max(s[y - 1][x], s[y][x - 1]) + s[y - 1][x - 1];
    {} }}
  {} if (t < 16) out[t] = s[16][t + 1];"""
kernel("diagonals_behind_barriers", body=diagonals.format("__syncthreads();", ""))
kernel("diagonals_within_a_warp", body=diagonals.format("__syncwarp();", ""))
kernel("diagonals_without_barriers", "race", body=diagonals.format("", "__syncthreads();"))

spread = "  __shared__ int s; for (int k = 0; k < 4; ++k) {{ if (t == 0) s = d[k]; __syncthreads(); out[t] += s; {} }}"
kernel("a_word_spread_in_a_loop", "race", body=spread.format(""))
kernel("a_word_spread_in_a_loop_of_two_barriers", body=spread.format("__syncthreads();"))

tail = """  __shared__ {0} int s[64]; s[t] = d[t]; __syncthreads();
  if (t < 32) {{ int v = s[t];
    for (int k = 32; k; k /= 2) {{ {1} }}
    if (t == 0) out[0] = s[0]; }}"""
kernel("tail_of_a_tree_that_trusts_the_warp", "race", body=tail.format("volatile", "s[t] += s[t + k];"))
kernel("tail_of_a_tree_that_reads_late", "race", body=tail.format("", "s[t] += s[t + k]; __syncwarp();"))
kernel(
    "tail_of_a_tree_with_both_barriers", body=tail.format("", "v += s[t + k]; __syncwarp(); s[t] = v; __syncwarp();")
)
kernel("a_tree_of_shuffles", body="  int v = d[t]; for (int k = 16; k; k /= 2) v += __shfl_down_sync(~0u, v, k);\n  __shared__ int s[2]; if (t % 32 == 0) s[t / 32] = v; __syncthreads(); if (t == 0) out[0] = s[0] + s[1];")  # fmt: skip

# A barrier that some threads go around. Those that have returned early are not waited for.
waits = "d[t] = 1; __syncthreads(); d[t] = 2;"
kernel("a_branch_around_a_barrier", "divergence", body="  if (t < 32) __syncthreads();\n  out[t] = 1;")
kernel("a_barrier_in_a_branch_that_all_take", body="  if (n > 32) __syncthreads();\n  out[t] = 1;")
kernel("a_branch_around_all_there_is", "divergence", n=60, body=f"  if (t < n) {{ {waits} }}")
kernel(
    "a_branch_that_ends_beside_a_barrier",
    "divergence",
    body="  if (t < 32) { d[t] = 1; __syncthreads(); d[t] = 2; } else { d[t] = 3; }",
)
kernel(
    "a_case_that_waits",
    "divergence",
    body="  switch (t & 3) { case 0: d[t] = 1; __syncthreads(); break; case 1: d[t] = 2; break; default: d[t] = 3; }",
)
kernel(
    "a_branch_of_blocks_beside_a_barrier",
    grid=2,
    body="  if (blockIdx.x) { d[t] = 1; __syncthreads(); d[t] = 2; } else { d[t + 64] = 3; }",
)
kernel("an_early_return", n=60, body=f"  if (t >= n) return;\n  {waits}")
kernel("an_early_return_behind_a_store", n=60, body=f"  if (t >= n) {{ out[t] = 7; return; }}\n  {waits}")
kernel(
    "a_return_out_of_a_loop",
    n=6,
    body=f"  for (int i = 0; i < n; ++i) {{ if (i == t) return; {waits} }}\n  out[t] = 1;",
)
kernel("a_loop_left_before_the_others", "divergence", n=6, body=f"  for (int i = 0; i < n; ++i) {{ if (i == t) break; {waits} }}\n  out[t] = 1;")  # fmt: skip
kernel("a_turn_that_goes_on_before_its_barrier", "divergence", n=6, body=f"  for (int i = 0; i < n; ++i) {{ if (i == t) continue; {waits} }}\n  out[t] = 1;")  # fmt: skip
kernel("turns_for_some_threads_more", "divergence", n=100, body=f"  for (int i = t; i < n; i += 64) {{ {waits} }}")
kernel("turns_for_all_threads", n=128, body=f"  for (int i = t; i < n; i += 64) {{ {waits} }}")
kernel(
    "a_vote_on_going_on",
    n=60,
    body="  bool done = false;\n  while (!__syncthreads_and(done)) if (!done && ++out[t] > t) done = true;",
)
kernel("a_vote_of_some", "divergence", body="  if (t & 1) out[t] = __syncthreads_count(1);\n  out[t] += 1;")
kernel(
    "two_barriers_at_once",
    "divergence",
    body="  if (t < 32)\n    __syncthreads();\n  else\n    __syncthreads();\n  out[t] = 1;",
)
kernel(
    "two_barriers_of_which_all_take_one",
    body="  if (n > 32)\n    __syncthreads();\n  else\n    __syncthreads();\n  out[t] = 1;",
)

ranks = "  __shared__ int s[64]; s[t] = 0; __syncthreads(); unsigned m = __ballot_sync(~0u, d[t] % 3 == 0);\n  if (d[t] % 3 == 0) s[{} + __popc(m & ((1u << t % 32) - 1))] = d[t]; __syncthreads(); out[t] = s[t];"  # fmt: skip
kernel("ranks_within_each_warp", body=ranks.format("t / 32 * 32"))
kernel("ranks_of_two_warps_in_one_place", "race", body=ranks.format("0"))

bins = "  __shared__ int h[2][8]; if (t < 16) h[t / 8][t % 8] = 0; __syncthreads();\n  atomicAdd(&h[t / 32][d[t] % 8], 1); {} if (t < 8) out[t] = h[0][t] + h[1][t];"  # fmt: skip
kernel("bins_of_each_warp_joined", body=bins.format("__syncthreads();"))
kernel("bins_of_each_warp_joined_too_soon", "race", body=bins.format("__syncwarp();"))

groups = """  auto g = cooperative_groups::tiled_partition<{}>(cooperative_groups::this_thread_block());
  __shared__ int s[64]; s[t] = d[t]; g.sync(); out[t] = s[t ^ 16];"""
kernel("a_group_of_32_meets", before="#include <cooperative_groups.h>", body=groups.format(32))
kernel("groups_of_16_do_not", "race", before="#include <cooperative_groups.h>", body=groups.format(16))

kernel("a_vote_is_a_barrier", body="  __shared__ int s[64]; s[t] = d[t]; if (__syncthreads_or(d[t] > 5)) out[t] = s[63 - t];")  # fmt: skip
kernel("barriers_counted_by_the_block", grid=3, body="  __shared__ int s[64]; s[t] = 0; __syncthreads();\n  for (int k = 0; k <= blockIdx.x; ++k) { int v = s[63 - t]; __syncthreads(); s[t] = v + k; __syncthreads(); if (k == 1) break; }\n  out[blockIdx.x * 64 + t] = s[t];")  # fmt: skip

fours = "  int* x = out; if (t < 8) {{ ((int4*)x)[t] = make_int4(1, 2, 3, 4); x[4 * t + {}] = 5; }}"
kernel("a_word_of_its_own_four", body=fours.format(3))
kernel("a_word_of_the_next_four", "race", body=fours.format(4))

kernel("members_beside_each_other", before="struct P { char a, b; };", body="  P* p = (P*)out; if (t % 2) p[t / 2].a = t; else p[t / 2].b = t;")  # fmt: skip
kernel("bits_of_one_word", "race", body="  out[t / 32] |= 1 << t % 32;")
kernel("bits_of_one_word_by_atomics", body="  atomicOr(&out[t / 32], 1 << t % 32);")

# ── kernels: memory of the grid ───────────────────────────────────────────────────────────

flagged = """  if (blockIdx.x == 0 && t == 0) {{ out[3] = 7; {0} flag = 1; }}
  if (blockIdx.x == 1) {{ if (t == 0) {{ while (flag == 0) {{}} {0} }} __syncthreads(); d[t] = out[3]; }}"""
flag = "__device__ volatile int flag;"
kernel("a_flag_behind_a_fence", grid=2, before=flag, body=flagged.format("__threadfence();"))
kernel("a_flag_behind_a_fence_of_the_block", "race", grid=2, before=flag, body=flagged.format("__threadfence_block();"))
kernel("a_flag_behind_no_fence", "race", grid=2, before=flag, body=flagged.format(""))

slots = "  if (d[blockIdx.x * 64 + t] % 2) out[{}] = t;"
kernel("a_slot_by_an_atomic", grid=2, before="__device__ int n_taken;", body=slots.format("atomicAdd(&n_taken, 1)"))
kernel("a_slot_by_an_increment", "race", grid=2, before="__device__ int n_taken;", body=slots.format("n_taken++"))
kernel("a_slot_by_an_atomic_of_the_block", "race", grid=2, before="__device__ int n_taken;", body=slots.format("atomicAdd_block(&n_taken, 1)"))  # fmt: skip
kernel("atomics_of_the_block_in_its_own_word", grid=2, body="  atomicAdd_block(&out[blockIdx.x], 1);")
kernel("atomics_of_the_block_and_of_all", "race", grid=2, body="  if (blockIdx.x) atomicAdd(&out[0], 1); else atomicMax_block(&out[0], 1);")  # fmt: skip
kernel("slots_taken_by_a_leader", grid=2, before="__device__ int n_taken;", body="  int base = 0; if (t % 32 == 0) base = atomicAdd(&n_taken, 32);\n  out[__shfl_sync(~0u, base, 0) + t % 32] = t;")  # fmt: skip

locks = """  if (t % 32 == 0) {{ int b = blockIdx.x % 4; while (atomicCAS(&locks[b], 0, 1)) {{}}
    __threadfence(); out[{}] += 1; __threadfence(); atomicExch(&locks[b], 0); }}"""
kernel("a_lock_for_each_word", grid=8, before="__device__ int locks[4];", body=locks.format("b"))
kernel("a_lock_for_half_a_word", "race", grid=8, before="__device__ int locks[4];", body=locks.format("b / 2"))

joined = """  __shared__ bool is_last; out[blockIdx.x * 64 + t] = t; __threadfence(); {0}
  if (t == 0) is_last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1; __syncthreads();
  if (is_last) {{ int sum = 0; for (int k = t; k < n; k += 64) sum += out[k]; d[t] = sum; }}"""
counted = "__device__ unsigned done;"
kernel("last_block_of_all_threads", grid=4, before=counted, body=joined.format("__syncthreads();"))
kernel("last_block_of_some_threads", "race", grid=4, before=counted, body=joined.format(""))

# ── memory of a thread ────────────────────────────────────────────────────────────────────

kernel("a_local_array_written_in_part", "uninitialised", body="  int own[4]; for (int k = 0; k < n / 32; ++k) own[k] = d[t];\n  int sum = 0; for (int k = 0; k < n / 16; ++k) sum += own[k]; out[t] = sum;")  # fmt: skip
kernel("a_local_array_written_backwards", body="  int own[4]; for (int k = n / 16; k-- > 0;) own[(k * 3) % 4] = d[t];\n  int sum = 0; for (int k = 0; k < n / 16; ++k) sum += own[k]; out[t] = sum;")  # fmt: skip
kernel("a_fixed_place_of_a_local_array", "uninitialised", body="  int own[4]; own[t % 3] = d[t]; if (d[t] > 5) out[t] = own[3];")  # fmt: skip
kernel("a_fixed_place_written_behind_the_same_test", body="  int own[4]; if (d[t] > 5) own[3] = d[t]; own[t % 3] = 1; if (d[t] > 5) out[t] = own[3];")  # fmt: skip

gaps = """  struct S {{ int key; unsigned char tag; int v[2]; }}; __shared__ S s[64], q[64]; {}
  s[t].tag = 3; s[t].v[0] = 1; s[t].v[1] = 2; __syncthreads(); {} out[t] = mine.key + mine.tag + mine.v[1];"""
for name, copied in (
    ("its_own", "const S& o = s[63 - t]; S mine = o; mine.key ^= mine.v[0];"),
    ("shared_memory", "q[t] = s[63 - t]; __syncthreads(); const S& mine = q[63 - t];"),
):
    kernel(f"a_structure_with_gaps_copied_to_{name}", body=gaps.format("s[t].key = t;", copied))
kernel("a_member_that_nobody_writes_beside_gaps", "uninitialised", body=gaps.format("", "S mine = s[63 - t];"))

# ── kernels: what a compiler would read ahead, or make one of two ─────────────────────────

own_place = "  __shared__ int s[8]; if (t < 8) s[t] = t;\n  int sum = 0; for (int i = 0; i < n; ++i) if (t == {}) sum += s[5];\n  out[t] = sum;"  # fmt: skip
kernel("a_place_read_by_its_writer_alone", body=own_place.format(5))
kernel("a_place_read_by_another_alone", "race", body=own_place.format(6))
kernel("a_place_behind_a_test", body="  __shared__ int s[8]; if (t == 5) s[5] = 4;\n  if (t == 5) out[t] = s[5];")
kernel(
    "a_loop_that_writes_one_place", "race", body="  for (int i = t; i < n; i += 32)\n    out[0] = max(out[0], d[i]);"
)
kernel("one_place_written_on_both_ways", "race", body="  if (t % 2)\n    out[t / 4] = 3;\n  else\n    out[t / 4] = 4;")
kernel("one_place_read_on_both_ways", "race", body="  int v;\n  if (t % 2)\n    v = out[0];\n  else\n    v = out[0] + 1;\n  out[t / 32] = v;")  # fmt: skip

# ── jitted loops ──────────────────────────────────────────────────────────────────────────


def halves():
    return (np.arange(129.0),)


@loop(args=halves)
def offset_by_half(x):
    h = x.size // 2
    for i in prange(h):
        x[i] = x[i + h]


@loop("race", args=halves)
def offset_by_half_and_one_more(x):
    h = x.size // 2
    for i in prange(h + 1):
        x[i] = x[i + h]


@loop(args=lambda: (X.copy(),))
def odd_from_even(x):
    for i in prange(x.size // 2):
        x[2 * i] = x[2 * i + 1]


@loop("race", args=lambda: (X.copy(),))
def every_second_from_every_third(x):
    for i in prange(x.size // 3):
        x[2 * i] = x[3 * i]


@loop(args=lambda: (X.copy(), 10))
def two_colours(x, n):
    for step in range(n):
        for i in prange(x.size // 2 - 1):
            j = 2 * i + 1 + step % 2
            x[j] = (x[j - 1] + x[j + 1]) / 2


@loop("race", args=lambda: (X.copy(), 10))
def three_colours_of_two(x, n):
    for _ in range(n):
        for i in prange(x.size // 2 - 1):
            j = 2 * i + 1 - (i % 3 == 2)
            x[j] = (x[j - 1] + x[j + 1]) / 2


@loop(args=lambda: (X.copy(), np.zeros(256), 5))
def arrays_that_swap(x, y, n):
    for _ in range(n):
        for i in prange(1, x.size - 1):
            y[i] = (x[i - 1] + x[i + 1]) / 2
        x, y = y, x


@loop("race", args=lambda: (X.copy(), np.zeros(256), 5))
def arrays_that_become_one(x, y, n):
    for _ in range(n):
        for i in prange(1, x.size - 1):
            y[i] = (x[i - 1] + x[i + 1]) / 2
        x = y


@loop(args=lambda: (np.zeros(256),))
def a_step_that_is_coprime(y):
    for i in prange(y.size):
        y[i * 7 % y.size] = i


@loop("race", args=lambda: (np.zeros(256),))
def a_step_that_is_not(y):
    for i in prange(y.size):
        y[i * 6 % y.size] = i


@loop(args=lambda: (np.zeros(136), 16))
def a_triangle_packed(y, n):
    for i in prange(n):
        for j in range(i + 1):
            y[i * (i + 1) // 2 + j] = j


@loop("race", args=lambda: (np.zeros(136), 16))
def a_triangle_packed_too_tight(y, n):
    for i in prange(n):
        for j in range(i + 1):
            y[i * i // 2 + j] = j


@loop(args=lambda: (X.reshape(16, 16).copy(), np.zeros((16, 16))))
def columns_through_views(a, b):
    for i in prange(a.shape[0]):
        to = b[:, i]
        to[:] = a[i]


@loop("race", args=lambda: (X.reshape(16, 16).copy(),))
def columns_from_rows_through_a_view(a):
    b = a.T
    for i in prange(a.shape[0]):
        b[i] = a[i]


@loop(args=lambda: (X, np.zeros(256)))
def a_sum_of_the_other(x, y):
    for i in prange(x.size):
        y[i] = x[: i + 1].sum()


@loop("race", args=lambda: (X.copy(),))
def a_sum_of_itself(x):
    for i in prange(x.size):
        x[i] = x.sum()


@njit
def fill_row(a, i, value):
    for j in range(a.shape[1]):
        a[i, j] = value


@loop(args=lambda: (np.zeros((8, 8)),))
def rows_by_a_function(a):
    for i in prange(a.shape[0]):
        fill_row(a, i, i)


@loop("race", args=lambda: (np.zeros((8, 8)),))
def shared_rows_by_a_function(a):
    for i in prange(a.shape[0]):
        fill_row(a, i // 2, i)


@loop(args=lambda: (X.reshape(32, 8),))
def rows_into_an_array(x):
    total = np.zeros(8)
    for i in prange(x.shape[0]):
        total += x[i]
    return total


@loop(args=lambda: (X.reshape(32, 8), np.ones(8)))
def rows_times_an_argument(x, product):
    for i in prange(x.shape[0]):
        product *= x[i]
    return product


@loop("race", args=lambda: (X.reshape(32, 8),))
def rows_into_a_slice(x):
    total = np.zeros(8)
    for i in prange(x.shape[0]):
        total[:] += x[i]
    return total


@loop("race", args=lambda: (X.reshape(32, 8), np.zeros(32)))
def rows_into_an_array_that_is_read(x, y):
    total = np.zeros(8)
    for i in prange(x.shape[0]):
        total += x[i]
        y[i] = total[0]
    return total
