"""More cases for test_check_cases: what services and numerical programs do with threads every day, right and wrong."""

import asyncio
import collections
import queue
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np
from check_cases import kernel, loop, run, threads
from kasoku import prange


def sent(item):
    """What a producer hands to a consumer: `item` of the buffer that it fills again."""
    items, sums = queue.Queue(), []

    def produce():
        buffer = np.zeros(4)
        for i in range(3):
            buffer[:] = i
            items.put(item(buffer))
        items.put(None)

    def consume():
        while (buffer := items.get()) is not None:
            sums.append(float(buffer.sum()))

    run(produce, consume)


@threads("race")
def a_producer_that_fills_what_it_sent():
    sent(lambda buffer: buffer)


@threads()
def a_producer_that_sends_copies():
    sent(np.copy)


def gathered(call):
    total = [0]

    def work():
        for _ in range(5):
            total[0] += 1

    async def both():
        await asyncio.gather(call(work), call(work))

    asyncio.run(both())


@threads("race")
def coroutines_that_wait_for_threads():
    gathered(asyncio.to_thread)


@threads()
def coroutines_on_one_thread():
    async def call(work):
        await asyncio.sleep(0)
        work()

    gathered(call)


@threads("race")
def a_list_that_is_a_default():
    def add(x, seen=[0]):  # noqa: B006  what colleagues write
        seen[0] += x

    run(lambda: add(1), lambda: add(2))


@threads("race")
def words_counted_by_all():
    groups = collections.defaultdict(int)

    def count(words):
        for word in words:
            groups[word] += 1

    run(lambda: count("abca"), lambda: count("abcd"))


@threads()
def words_counted_by_each_and_added():
    with ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(collections.Counter, ["abca", "abcd"]))
    assert sum(parts, collections.Counter())["a"] == 3


@threads("race")
def the_best_is_kept_by_the_workers():
    best = {"score": -1}

    def score(n):
        if n * 7 % 5 > best["score"]:
            best["score"] = n * 7 % 5

    with ThreadPoolExecutor(3) as pool:
        for call in as_completed([pool.submit(score, n) for n in range(6)]):
            call.result()


@threads("race")
def slices_that_share_their_ends():
    x = np.zeros(100)

    def add(first, last):
        x[first : last + 1] += 1

    run(lambda: add(0, 50), lambda: add(50, 99))


@loop("race", args=lambda: (np.random.default_rng(1).random((6, 2)), np.zeros((6, 2))))
def forces_of_pairs_on_both(p, f):
    for i in prange(p.shape[0]):
        for j in range(i + 1, p.shape[0]):
            for k in range(2):
                f[i, k] += p[i, k] - p[j, k]
                f[j, k] -= p[i, k] - p[j, k]


scan = "__shared__ int s[2][64]; int p = 0; s[0][t] = d[t]; __syncthreads();\n  for (int e = 1; e < 64; e *= 2) {{ {} __syncthreads(); }}\n  out[t] = s[p][t];"
kernel("a_scan_in_one_buffer", "race", body=scan.format("if (t >= e) s[0][t] += s[0][t - e];"))
kernel("a_scan_in_two_buffers", body=scan.format("s[1 - p][t] = s[p][t] + (t >= e ? s[p][t - e] : 0); p = 1 - p;"))
halo = "__shared__ int s[66]; s[t + 1] = d[t]; {} __syncthreads(); out[t] = s[t] + s[t + 1] + s[t + 2];"
kernel("a_halo_of_both_ends", body=halo.format("if (t == 0) s[0] = 0; if (t == 63) s[65] = 0;"))
kernel("a_halo_that_lacks_an_end", "uninitialised", body=halo.format("if (t == 0) s[0] = 0;"))
