"""Barriers of PTX to which a number of threads comes: who names it waits for so many, and nobody else for them."""

import numpy as np
import pytest

import kasoku as ks

HEAD = """
__device__ void meet(int barrier, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory"); }
__device__ void come(int barrier, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory"); }
"""
T = np.arange(128)


def run(body, blocks=3, threads=128):
    x = ks.zeros((blocks, threads), dtype="int32")
    start = (
        "__global__ void k(int *x) { __shared__ int s[128]; const int t = threadIdx.x; x += blockIdx.x * blockDim.x;"
    )
    kernel = ks.RawKernel(f"{HEAD}{start}\n{body} }}", "k")
    kernel((blocks,), (threads,), (x,))
    found = ks.check(kernel, ks.zeros((blocks, threads), dtype="int32"), grid=blocks, block=threads)
    return x.numpy(), [finding.kind for finding in found]


CASES = {
    "a_part_alone": ("s[t] = t; if (t < 64) { meet(1, 64); x[t] = s[63 - t]; }", np.where(T < 64, 63 - T, 0)),
    "parts_of_other_lengths": (
        """int v, w = t / 64; s[t] = t;
           for (int i = 0; i < 2 + w; i++) { meet(1 + w, 64); v = s[64 * w + (t + 1) % 64]; meet(1 + w, 64); s[t] = v; }
           x[t] = s[t];""",
        T // 64 * 64 + (T % 64 + 2 + T // 64) % 64,
    ),
    "a_part_that_is_late_for_all": (
        "int v = 7; if (t < 32) for (int i = 0; i < 3; i++) { v = i; meet(1, 32); } s[t] = v; __syncthreads(); x[t] = s[127 - t];",
        np.where(127 - T < 32, 2, 7),
    ),
    "all_of_the_block": ("s[t] = t; meet(1, blockDim.x); x[t] = s[127 - t];", 127 - T),
    "who_makes_and_who_takes": (
        """if (t < 64) {
             for (int i = 0; i < 5; i++) { meet(3, 128); s[t] = t * 10 + i; come(2, 128); }
           } else {
             int sum = 0;
             come(3, 128);
             for (int i = 0; i < 5; i++) { meet(2, 128); sum += s[127 - t] * (i + 1); if (i < 4) come(3, 128); }
             x[t] = sum;
           }""",
        np.where(T < 64, 0, sum(((127 - T) * 10 + i) * (i + 1) for i in range(5))),
    ),
    "from_warp_to_warp": (
        """if (t < 32) { s[t] = t + 1; come(1, 64); }
           else if (t < 64) { meet(1, 64); s[t] = 2 * s[t - 32]; come(2, 64); }
           else if (t < 96) { meet(2, 64); s[t] = s[t - 64] + s[t - 32]; come(3, 64); }
           else { meet(3, 64); s[t] = s[t - 32] + s[t - 96]; }
           x[t] = s[t];""",
        (T // 32 + 1) * (T % 32 + 1),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_threads_meet_at_the_barrier_that_they_name(name):
    body, want = CASES[name]
    got, found = run(body)
    np.testing.assert_array_equal(got, np.broadcast_to(want, got.shape))
    assert found == []


@pytest.mark.parametrize(
    "body",
    [
        "s[t] = t; if (t < 64) meet(1, 64); x[t] = s[(t + 64) % 128];",
        "s[t] = t; if (t < 64) come(1, 128); else meet(1, 128); x[t] = s[127 - t];",
        "if (t < 32) { s[t] = t; meet(1, 64); } else if (t < 64) { meet(1, 64); x[t] = s[t - 32]; } else x[t] = s[t % 32];",
    ],
)
def test_a_barrier_orders_nobody_who_does_not_wait_there(body):
    assert "race" in run(body)[1]


@pytest.mark.parametrize("seed", range(6))
def test_rings_of_warps_turn_each_at_their_own_pace(seed):
    rng = np.random.default_rng(seed)
    bounds = np.sort(rng.choice(np.arange(1, 4), rng.integers(1, 4), replace=False)) * 32
    group = np.searchsorted(bounds, T, side="right")
    first = np.append(0, bounds)[group]
    length = np.bincount(group)[group]
    turns = rng.integers(1, 9, 4)[group]
    tables = "".join(
        f"const int {name}_[] = {{{', '.join(map(str, values[::32]))}}}, {name} = {name}_[t / 32];\n"
        for name, values in {"group": group, "first": first, "length": length, "turns": turns}.items()
    )
    got, found = run(
        tables
        + """s[t] = t;
        for (int i = 0; i < turns; i++) {
          meet(group + 1, length);
          int v = s[first + (t - first + 1) % length];
          meet(group + 1, length);
          s[t] = v;
        }
        __syncthreads();
        x[t] = s[127 - t];"""
    )
    after = first + (T - first + turns) % length
    np.testing.assert_array_equal(got, np.broadcast_to(after[::-1], got.shape))
    assert found == []


def test_votes_at_a_barrier():
    got, found = run(
        """int count, all, any;
        asm volatile("{ .reg .pred p, q, r; setp.lt.s32 p, %3, 40; bar.red.popc.u32 %0, 0, p; bar.red.and.pred q, 0, p; "
                     "bar.red.or.pred r, 0, !p; selp.s32 %1, 1, 0, q; selp.s32 %2, 1, 0, r; }"
                     : "=r"(count), "=r"(all), "=r"(any) : "r"(t));
        x[t] = count + 1000 * all + 10000 * any;"""
    )
    assert (got == 10040).all() and found == []
