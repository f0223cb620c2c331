"""Places taken from a counter that a whole grid adds to (tests/kernels/counters.cu): nothing is lost, nothing comes
twice, whatever the shape of blocks."""

import pathlib

import kasoku as ks
import numpy as np
import pytest

TEXT = (pathlib.Path(__file__).parents[2] / "kernels" / "counters.cu").read_text()
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not ks.has_device("cuda"), reason="no GPU"))]
BLOCKS = [256, 32, 64, 100, 33, 7, 1, 1024, (32, 1, 1)]
SIZES = [0, 1, 31, 1000, 4096, 70_001]
i32, u32 = np.int32, np.uint32


@pytest.fixture(params=DEVICES)
def launch(request):
    with ks.default_device(request.param):
        module = ks.RawModule(code=TEXT)

        def run(name, args, n, block=256, grid=None, shared=0):
            """The arrays among the arguments as they are afterwards."""
            block = block if isinstance(block, tuple) else (block,)
            placed = [ks.array(a) if isinstance(a, np.ndarray) else a for a in args]
            grid = (max(1, -(-n // block[0])),) if grid is None else grid
            module.get_function(name)(grid, block, tuple(placed), shared_mem=shared)
            return [p.numpy() for p, a in zip(placed, args, strict=True) if isinstance(a, np.ndarray)]

        yield run


def numbers(n, seed=1):
    return np.random.default_rng(seed).integers(0, 1000, n).astype(i32)


def kept(x):
    return x[x % 3 == 0]


def check_list(out, x, start, count):
    """Wanted elements of x lie in out[start:], in any order, and nothing else was written."""
    want = kept(x)
    assert count == start + want.size
    np.testing.assert_array_equal(np.sort(out[start : start + want.size]), np.sort(want))
    assert (out[:start] == -1).all() and (out[start + want.size :] == -1).all()


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("name", ["each", "each_returns", "ballots", "first_of_warp", "blocks", "lists", "ways"])
def test_a_list_holds_what_is_wanted(launch, name, block):
    threads = block if isinstance(block, int) else block[0]
    for n in SIZES:
        for start in (0, 5):
            x = numbers(n)
            _, out, count = launch(
                name, (x, np.full(n + 9, -1, i32), np.array([start], u32), i32(n)), n, block, shared=4 * threads
            )
            check_list(out, x, start, count[0])


@pytest.mark.parametrize("block", [256, 96, 512])
@pytest.mark.parametrize("grid", [1, 3, 40])
@pytest.mark.parametrize("name", ["strides", "strides_of_ballots", "strides_of_blocks"])
def test_loops_over_a_grid_hold_it_too(launch, name, grid, block):
    for n in [0, 1, 777, 60_000]:
        x = numbers(n)
        _, out, count = launch(name, (x, np.full(n + 9, -1, i32), np.array([2], u32), i32(n)), n, block, (grid,))
        check_list(out, x, 2, count[0])


@pytest.mark.parametrize("shape", [(32, 8), (64, 2), (16, 16), (8, 4, 4)])
@pytest.mark.parametrize("name", ["each", "ballots"])
def test_threads_of_other_rows_ask_for_the_same_elements(launch, name, shape):
    x = numbers(shape[0] * 5)
    times = int(np.prod(shape[1:]))
    if name == "ballots" and shape[0] % 32:
        pytest.skip("a warp is more than a row")
    args = (x, np.full(times * x.size, -1, i32), np.zeros(1, u32), i32(x.size))
    _, out, count = launch(name, args, x.size, shape)
    check_list(out, np.repeat(x, times), 0, count[0])


def test_a_full_list_takes_no_more(launch):
    x = numbers(50_000)
    _, out, count = launch("limited", (x, np.full(6000, -1, i32), np.zeros(1, u32), i32(x.size), u32(5000)), x.size)
    assert count[0] == kept(x).size > 5000
    assert np.isin(out[:5000], kept(x)).all() and (out[5000:] == -1).all()


def test_a_counter_passes_zero(launch):
    x = numbers(20_000)
    start = 2**32 - 4000
    args = (x, np.full(1 << 15, -1, i32), np.array([start], u32), i32(x.size), u32((1 << 15) - 1))
    _, out, count = launch("pairs", args, x.size)
    want = kept(x)
    assert count[0] == (start + 2 * want.size) % 2**32
    places = (start + np.arange(2 * want.size)) % (1 << 15)
    np.testing.assert_array_equal(np.sort(out[places[::2]]), np.sort(want))
    np.testing.assert_array_equal(out[places[1::2]], -out[places[::2]] - 1)


def test_a_counter_of_64_bits(launch):
    x = numbers(30_000)
    _, out, count = launch("wide", (x, np.full(x.size, -1, i32), np.array([1 << 40], np.uint64), i32(x.size)), x.size)
    check_list(out, x, 0, int(count[0]) - (1 << 40))


@pytest.mark.parametrize("block", [256, 96, 1024])
@pytest.mark.parametrize("name", ["sides", "sides_each"])
def test_two_counters_part_an_array(launch, name, block):
    for n in [1, 33, 10_001]:
        x = numbers(n)
        _, out, counts = launch(name, (x, np.full(n, -1, i32), np.zeros(2, u32), i32(n)), n, block)
        left = kept(x).size
        np.testing.assert_array_equal(counts, [left, n - left])
        np.testing.assert_array_equal(np.sort(out[:left]), np.sort(kept(x)))
        np.testing.assert_array_equal(np.sort(out[left:]), np.sort(x[x % 3 != 0]))


def test_numbers_are_handed_out_once(launch):
    for n, block in [(1, 256), (5000, 256), (4097, 64)]:
        number, count = launch("numbers", (np.zeros(n, u32), np.array([7], u32), i32(n)), n, block)
        np.testing.assert_array_equal(np.sort(number), 7 + 3 * np.arange(n))
        assert count[0] == 7 + 3 * n


def test_threads_that_are_all_alike(launch):
    for blocks, block in [(37, 256), (5, 100), (3, 7)]:
        number, count = launch("alike", (np.zeros(blocks * block, u32), np.zeros(1, u32)), 1, block, (blocks,))
        np.testing.assert_array_equal(np.bincount(number), np.full(blocks, block))
        assert count[0] == blocks * block


def test_what_is_seen_was_there_at_some_time(launch):
    x = numbers(40_000)
    _, seen, count = launch("looks", (x, np.zeros(x.size, u32), np.array([11], u32), i32(x.size)), x.size)
    assert count[0] == 11 + kept(x).size
    assert seen.min() >= 11 and seen.max() <= count[0]
    assert (seen[x % 3 == 0] > 11).all()  # its own at least


def test_elements_may_be_overwritten_once_read(launch):
    x = numbers(12_345)
    after, out, count = launch("moves", (x, np.full(x.size, -1, i32), np.zeros(1, u32), i32(x.size)), x.size)
    check_list(out, x, 0, count[0])
    np.testing.assert_array_equal(after, np.where(x % 3 == 0, -1, x + 1))


def test_the_list_may_lie_in_the_same_array(launch):
    """Each wanted element is read before its place, or one behind, is written: blocks of one thread, one at a time."""
    x = numbers(3000)
    both = np.concatenate([x, np.full(x.size, -1, i32)])
    with ks.default_device("cpu"):
        array, count = ks.array(both), ks.zeros(1, dtype=u32)
        for name in ["each", "ballots", "blocks"]:
            count[:] = 0
            array[:] = ks.array(both)
            ks.RawModule(code=TEXT).get_function(name)((12,), (256,), (array, array[x.size :], count, i32(x.size)))
            got = array.numpy()
            check_list(got[x.size :], x, 0, count.numpy()[0])
            np.testing.assert_array_equal(got[: x.size], x)


def test_memory_of_a_thread_outlives_the_addition(launch):
    rng = np.random.default_rng(3)
    x = np.where(rng.random(20_000) < 0.7, 3 * rng.integers(0, 99, 20_000), 1).astype(i32)
    _, out, count = launch("own_memory", (x, np.full(x.size, -1, i32), np.zeros(1, u32), i32(x.size)), x.size // 4)
    rows = x.reshape(-1, 4)
    want = rows[(rows % 3 == 0).all(1)][:, ::-1]
    got = out[: count[0]].reshape(-1, 4)
    np.testing.assert_array_equal(got[np.lexsort(got.T)], want[np.lexsort(want.T)])


def test_amounts_that_differ(launch):
    x = numbers(9000)
    _, out, count = launch("amounts", (x, np.full(4 * x.size, -1, i32), np.zeros(1, u32), i32(x.size)), x.size)
    want = np.repeat(x, x % 4)
    assert count[0] == want.size
    np.testing.assert_array_equal(np.sort(out[: want.size]), np.sort(want))
    assert (out[want.size :] == -1).all()


def test_each_place_is_entered_once(launch):
    to = np.random.default_rng(4).integers(0, 3000, 20_000).astype(i32)
    reached = np.unique(to)
    for name, more in [("enters", ()), ("enters_neighbours", (np.arange(0, 20_001, 5, dtype=i32),))]:
        n = 4000 if more else to.size
        args = (*more, to, np.zeros(3000, i32), np.full(3000, -1, i32), np.zeros(1, u32), i32(n))
        *_, visited, out, count = launch(name, args, n)
        assert count[0] == reached.size and visited.sum() == reached.size
        np.testing.assert_array_equal(np.sort(out[: reached.size]), reached)


@pytest.mark.parametrize("name", ["takes_work", "block_takes_work"])
def test_work_is_taken_from_a_queue(launch, name):
    x = numbers(10_000)
    _, out, head = launch(name, (x, np.full(x.size, -1, i32), np.zeros(1, u32), i32(x.size)), x.size, 128, (6,))
    np.testing.assert_array_equal(out, x + 1)
    assert head[0] >= x.size


def test_the_last_block_is_the_last(launch):
    x = numbers(30_000)
    for block in (256, 64):
        blocks = -(-x.size // block)
        args = (x, np.zeros(blocks, i32), np.zeros(1, u32), np.zeros(1, i32), i32(x.size))
        *_, done, total = launch("last_block", args, x.size, block)
        assert done[0] == blocks and total[0] == x.sum()


def test_a_lock_that_is_held_meanwhile_is_given_back(launch):
    x = numbers(20_000)
    blocks = -(-x.size // 64)
    args = (x, np.zeros(blocks, i32), np.zeros(1, u32), np.zeros(1, i32), np.zeros(1, i32), i32(x.size))
    _, bases, count, lock, total = launch("locked", args, x.size, 64)
    assert count[0] == total[0] == kept(x).size and lock[0] == 0
    of_block = np.add.reduceat(x % 3 == 0, np.arange(0, x.size, 64), dtype=i32)
    order = np.lexsort((of_block, bases))
    np.testing.assert_array_equal(bases[order], np.cumsum(of_block[order]) - of_block[order])


@pytest.mark.parametrize("block", [32, 96, 256])
def test_two_counters_on_one_way(launch, block):
    x = numbers(20 * block)
    _, out, counts = launch(
        "two_on_one_way", (x, np.zeros(2 * x.size, i32), np.zeros(2, u32), i32(x.size)), x.size, block
    )
    first = np.arange(0, x.size, block)
    k = x[first] % 4
    np.testing.assert_array_equal(counts, [k.sum(), 2 * first.size])
    np.testing.assert_array_equal(np.sort(out[: counts[0]]), np.repeat(first + 1, k))
    np.testing.assert_array_equal(np.sort(out[x.size - counts[1] : x.size]), np.repeat(first + 1, 2))
    assert (out[counts[0] : x.size - counts[1]] == 0).all()
    np.testing.assert_array_equal(out[x.size :], x % 4 + 2 * np.isin(np.arange(x.size), first))


@pytest.mark.parametrize("block", [32, 64, 256])
@pytest.mark.parametrize("grid", [1, 7, 40])
def test_what_one_lane_keeps_is_not_what_others_lack(launch, block, grid):
    n = block * grid
    out, count, added = launch("first_lane_twice", (np.zeros(n, u32), np.zeros(1, u32), np.ones(n, u32)), n, block)
    i = np.arange(0, n, 32)
    assert count[0] == 3 * i.size
    np.testing.assert_array_equal(np.sort(out[: 3 * i.size]), np.sort([4 * i + 1, 4 * i + 1, 4 * i + 2], axis=None))
    np.testing.assert_array_equal(added, 3 * (np.arange(n) % 32 == 0))


@pytest.mark.parametrize("block", [32, 64, 100, 256])
def test_places_in_the_block_are_used_after_a_barrier(launch, block):
    seen, counts = launch("all_of_block", (np.full(7 * block, -1, i32), np.zeros(2, u32)), 7 * block, block)
    np.testing.assert_array_equal(np.sort(seen), np.repeat(np.arange(7), block))
    assert counts.tolist() == [0, 7 * block]


@pytest.mark.parametrize("is_own", [True, False])
def test_a_counter_of_the_block_is_not_one_of_the_grid(launch, is_own):
    seen, count = launch("own_or_all", (np.full(2560, -1, i32), np.zeros(1, u32), np.bool_(is_own)), 2560)
    parts = seen.reshape(10, 256) if is_own else seen[None]
    np.testing.assert_array_equal(np.sort(parts), np.tile(np.arange(parts.shape[1]), (parts.shape[0], 1)))
    assert count[0] == (0 if is_own else 2560)


def test_a_counter_that_nobody_adds_to_need_not_be_there(launch):
    x = numbers(5000)
    _, kept = launch("perhaps", (x, np.full(x.size, -1, i32), np.uint64(0), i32(x.size), np.bool_(False)), x.size)
    assert (kept == -1).all()
