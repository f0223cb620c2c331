"""What masks and positions name, where the array lies: found, taken, stored, joined to what is there."""

# ruff: noqa: B023 (each lambda is called at once)
import hypothesis
import hypothesis.extra.numpy as of_numpy
import hypothesis.strategies as st
import numpy as np
import pytest
from alike import agree, ours

import kasoku as ks

rng = np.random.default_rng(11)
dtypes = ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


def stored(np, x, key, value):
    x[key] = value
    return x


lengths = [0, 1, 7, 2048, 2049, 16384, 16385, 70_000]
shares = {"none": -1, "few": 0.01, "half": 0.5, "most": 0.99, "all": 2}


@pytest.mark.parametrize("share", shares)
@pytest.mark.parametrize("n", lengths)
def test_a_mask_chooses_what_numpys_does(n, share, form):
    x = rng.random(n)
    mask = rng.random(n) < shares[share]
    agree(lambda np, x, m: (x[m], np.flatnonzero(m), np.nonzero(m), np.extract(m, x), np.argwhere(m)), x, mask)


@pytest.mark.parametrize("dtype", dtypes)
def test_elements_of_every_dtype_are_chosen_and_stored(dtype, form):
    x = (rng.random(5000) * 3).astype(dtype)
    mask = rng.random(5000) < 0.4
    agree(lambda np, x, m: (x[m], np.nonzero(x), np.compress(m, x)), x, mask)
    agree(stored, x, mask, x[mask][::-1].copy())
    agree(stored, x, mask, x[:1])


def test_masks_beside_slices_and_of_some_axes(form):
    x, rows, columns = rng.random((30, 40, 5)), rng.random(30) < 0.5, rng.random(40) < 0.3
    both = rng.random((30, 40)) < 0.4
    for key in [
        rows,
        (slice(2, 9), columns),
        (rows, slice(None), 2),
        both,
        (both, slice(1, 4)),
        (Ellipsis, columns, 0),
    ]:
        agree(lambda np, x, k: x[k], x, key)
        agree(stored, x, key, 3.0)
        agree(stored, x, key, rng.random(x[key].shape))
    agree(stored, x, rows, rng.random((40, 5)))
    agree(stored, x, both, rng.random((int(both.sum()), 1)))
    agree(lambda np, x, m: x.transpose(2, 0, 1)[:, m], x, both)


@pytest.mark.parametrize("shape", [(3,), (1, 4), (2, 2), (1, 1)])
def test_values_that_a_mask_does_not_take(shape, form):
    x = rng.random((2, 3))
    agree(stored, x, np.array([[1, 0, 1], [1, 1, 0]], bool), np.ones(shape))


def test_a_mask_of_a_wrong_length_is_refused(form):
    for key in [np.ones(4, bool), np.ones(2, bool), (slice(None), np.ones(4, bool)), np.ones((3, 6), bool)]:
        agree(lambda np, x, k: x[k], np.zeros((3, 5)), key)
        agree(stored, np.zeros((3, 5)), key, 1)


def test_a_0d_array_as_index_copies_and_a_number_views(on_device):
    x = ks.arange(12).reshape(3, 4)
    part = x[:2, ks.array(-1)]
    part[...] = 99
    whole = x[np.array(1)]
    whole[...] = 99
    assert (x.numpy() == np.arange(12).reshape(3, 4)).all()
    x[x[:, 0].argmax()][1] = -1
    x[np.int64(0)][0] = -2
    assert x.numpy()[2, 1] == -1 and x.numpy()[0, 0] == -2


@hypothesis.given(st.data())
def test_any_mask_of_any_layout(form, layouts, data):
    shape = data.draw(of_numpy.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=6))
    x = data.draw(of_numpy.arrays("int32", shape, elements=st.integers(-2, 2)))
    mask = data.draw(of_numpy.arrays("bool", shape))
    laid = layouts[data.draw(st.sampled_from(sorted(layouts)))](x)
    assert (laid[ks.array(mask)].numpy() == x[mask]).all()
    assert [axis.tolist() for axis in ks.nonzero(laid)] == [axis.tolist() for axis in np.nonzero(x)]
    copy = laid.copy()
    copy[ks.array(mask)] = 7
    x = x.copy()
    x[mask] = 7
    assert (copy.numpy() == x).all()


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_take_and_put(mode, form):
    x = rng.random((30, 40))
    near, far = rng.integers(-30, 30, (4, 5)), rng.integers(-200, 200, (4, 5))
    at = near if mode == "raise" else far
    for axis in (0, 1, -1, None):
        agree(lambda np, x, i: np.take(x, i, axis, mode=mode), x, at)
    agree(lambda np, x, i: (np.put(x, i, np.arange(7.0), mode=mode), x)[1], x, np.unique(at % 1200))
    agree(lambda np, x, i: (np.put(x.T, i, 5, mode=mode), x)[1], x, np.unique(at % 1200))
    agree(lambda np, x: np.take(x, 3, mode=mode), x)
    agree(lambda np, x: np.take(x, [], 0, mode=mode), x)


def test_take_writes_to_out_and_refuses_what_is_outside(form):
    x = ks.arange(10.0)
    out = ks.zeros(2)
    assert ks.take(x, ks.array([3, -1]), out=out) is out and out.tolist() == [3, 9]
    for at in ([1, 10], [-11], [1 << 40]):
        agree(lambda np, x, i: np.take(x, i), np.arange(10.0), np.array(at))
        agree(lambda np, x, i: np.put(x, i, 1), np.arange(10.0), np.array(at))
        agree(lambda np, x, i: np.take_along_axis(x, i, 0), np.arange(10.0), np.array(at))
    agree(lambda np, x: np.take(x, [0], 0), np.zeros((0, 3)))
    agree(lambda np, x: np.take(x, [0], 2), np.zeros((4, 3)))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_along_an_axis(axis, form):
    x = rng.random((5, 6, 7))
    order = np.argsort(x, axis)
    agree(lambda np, x, i: np.take_along_axis(x, i, axis), x, order)
    agree(lambda np, x, i: (np.put_along_axis(x, i, -x[:1, :1, :1], axis), x)[1], x, np.take(order, [0, 3], axis))
    agree(lambda np, x, i: np.take_along_axis(x, i, axis), x, order[0])


def test_stores_where_conditions_hold(form):
    x, mask = rng.random((30, 40)), rng.random((30, 40)) < 0.5
    agree(lambda np, x, m: (np.place(x, m, np.arange(5.0)), x)[1], x, mask)
    agree(lambda np, x, m: (np.putmask(x, m, np.arange(7.0)), x)[1], x, mask)
    agree(lambda np, x, m: (np.putmask(x, m, -x), x)[1], x, mask)
    agree(lambda np, x, m: (np.putmask(x, m, 1.5), x)[1], np.arange(3), np.array([True, False, True]))
    agree(lambda np, x, y: np.putmask(x, x > 1, y), np.arange(3), np.array([1.5]))
    agree(lambda np, x, i: np.take_along_axis(x, i, None), x, rng.integers(0, 1200, 7))
    agree(lambda np, x, m: (np.copyto(x, np.arange(40.0), where=m), x)[1], x, mask)
    agree(lambda np, x: np.copyto(x, np.ones(3) * 1j), rng.random(3))
    agree(lambda np, x, i: np.choose(i, [x, -x, 7.0 * x]), x, rng.integers(0, 3, (30, 40)))
    agree(lambda np, x, i: np.choose(i, [x, -x]), x, rng.integers(0, 3, (30, 40)))
    agree(lambda np, x, i: np.choose(i, [x, -x], mode="clip"), x, rng.integers(-3, 3, (30, 40)))
    agree(lambda np, x: np.select([x < 0.2, x < 0.7], [x, x * 2], 3), x)


joins = ["add", "subtract", "multiply", "maximum", "minimum", "divide", "bitwise_xor", "logical_or"]


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64", "float32", "float64", "bool"])
@pytest.mark.parametrize("join", joins)
def test_joining_is_numpys_ufunc_at(join, dtype, form):
    x, at = (rng.random(50) * 9).astype(dtype), rng.integers(-50, 50, 3000)
    values = (1 + rng.random(3000)).astype(dtype)
    want, mine = x.copy(), ks.array(x)
    try:
        getattr(np, join).at(want, at, values)  # what it gives is cast to the array's dtype, whatever it is
    except TypeError:
        with pytest.raises(TypeError):
            getattr(ks, join).at(mine, ks.array(at), ks.array(values))
        return
    getattr(np, join).at(mine, ks.array(at), ks.array(values))  # NumPy's own function on our array
    assert (mine.numpy() == want).all()


def test_joining_at_any_index(form):
    for key in [
        (slice(1, 5), rng.integers(0, 8, 300)),
        (rng.integers(0, 6, 90), rng.integers(0, 8, 90)),
        3,
        slice(2),
        rng.random((6, 8)) < 0.5,
    ]:
        x = rng.random((6, 8))
        want, mine, values = x.copy(), ks.array(x), rng.random(x[key].shape)
        np.add.at(want, key, values)
        ks.add.at(mine, ours(key), ks.array(values))
        assert (mine.numpy() == want).all()
    with pytest.raises(IndexError, match="out of bounds"):
        ks.add.at(mine, ks.array([6]), 1)
    with pytest.raises(ValueError, match="broadcast"):
        ks.add.at(mine, ks.array([1, 2]), ks.ones((3, 8)))
    whole = ks.arange(3)
    ks.add.at(whole, ks.array([0]), 1.5)
    assert whole.tolist() == [1, 1, 2]


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_sums_at_indices_have_one_result_with_any_number_of_threads(threads, clean_process):
    clean_process(
        """
import kasoku as ks, numpy as np
rng = np.random.default_rng(2)
at, values = rng.integers(0, 1000, 200_000), rng.random(200_000).astype("float32") - 0.5
want, mine = np.zeros(1000, "float32"), ks.zeros(1000, dtype="float32")
np.add.at(want, at, values)
ks.add.at(mine, ks.array(at), ks.array(values))
assert (mine.numpy() == want).all()
much, new = values, ks.array(values)
for k in range(20):
    much, new = much * np.float32(0.5) + np.float32(k), new * 0.5 + k
np.add.at(want, at, much)
ks.add.at(mine, ks.array(at), new)
assert (mine.numpy() == want).all()
""",
        env={"KASOKU_NUM_THREADS": str(threads)},
    )


calls = {
    "x[mask]": lambda x, i, m: x[m],
    "x[mask] = number": lambda x, i, m: stored(np, x, m, 3),
    "x[mask] = values": lambda x, i, m: stored(np, x, m, x[m]),
    "x[indices]": lambda x, i, m: x[i],
    "nonzero": lambda x, i, m: ks.nonzero(x),
    "argwhere": lambda x, i, m: ks.argwhere(x),
    "compress": lambda x, i, m: ks.compress(m, x),
    "take": lambda x, i, m: ks.take(x, i, mode="clip"),
    "take_along_axis": lambda x, i, m: ks.take_along_axis(x, i, 0),
    "put": lambda x, i, m: ks.put(x, i, x[:5]),
    "place": lambda x, i, m: ks.place(x, m, x[:5]),
    "putmask": lambda x, i, m: ks.putmask(x, m, x[:5]),
    "choose": lambda x, i, m: ks.choose(m.astype("int64"), [x, x + 1]),
    "add.at": lambda x, i, m: ks.add.at(x.astype("int64"), i, 1),
    "maximum.at": lambda x, i, m: ks.maximum.at(x.astype("int64"), i, 1),
}


@pytest.mark.parametrize("name", calls)
def test_nothing_but_a_count_or_a_verdict_passes_to_the_host(name, device):
    if device == "cpu":
        pytest.skip("a CPU's memory is the host's")
    with ks.default_device(device):
        x, at, mask = ks.random.rand(100_000), ks.random.randint(0, 1000, 5000), ks.random.rand(100_000) < 0.5
        ks.eval(x, at, mask)
        calls[name](x, at, mask)  # what is compiled is there
        before = ks.stats()
        result = calls[name](x, at, mask)
        for part in result if isinstance(result, tuple) else [result]:
            if isinstance(part, ks.Array):
                part.eval()
        copied = ks.stats() - before
        assert copied.bytes_from_device <= 64 and copied.bytes_to_device == 0


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("n", [0, 1, 5, 16384, 16385, 200_001])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("part", [0, 0.3, 1])
def test_a_mask_takes_as_many_values_as_it_chooses(n, dtype, part):
    rng = np.random.default_rng(n)
    mask = rng.random(n) < part
    want = rng.integers(0, 2 if dtype == "bool" else 100, n).astype(dtype)
    values = rng.integers(0, 2 if dtype == "bool" else 100, np.count_nonzero(mask)).astype(dtype)
    x = ks.array(want)
    x[ks.array(mask)] = ks.array(values)
    want[mask] = values
    np.testing.assert_array_equal(x.numpy(), want)
    x[ks.array(mask)] += ks.array(1).astype(dtype)
    want[mask] += np.ones((), dtype)
    np.testing.assert_array_equal(x.numpy(), want)
    if len(values) > 1:
        with pytest.raises(ValueError, match="broadcast|assign"):
            x[ks.array(mask)] = ks.array(values[1:].repeat(3)[: len(values) + 1])
        np.testing.assert_array_equal(x.numpy(), want)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("n", [100, 40_000])
def test_a_masks_values_may_be_of_the_array_itself(n):
    want = np.arange(n)
    mask = want % 2 == 0
    x = ks.array(want)
    x[ks.array(mask)] = x[n // 2 :]
    want[mask] = want[n // 2 :].copy()
    np.testing.assert_array_equal(x.numpy(), want)
    flags = np.arange(n) % 3 == 0
    y = ks.array(flags)
    y[y] = ks.arange(np.count_nonzero(flags)) % 2 == 1
    flags[flags.copy()] = np.arange(np.count_nonzero(flags)) % 2 == 1
    np.testing.assert_array_equal(y.numpy(), flags)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 15, 16, 17, 64, 131])
def test_masks_of_runs_and_of_single_flags(n, dtype, device):
    """Flags are looked at eight at a time; runs begin and end anywhere."""
    g = np.random.default_rng(n)
    for share in (0, 0.1, 0.5, 0.9, 1):
        mask = np.repeat(g.random(n // 3 + 1) < share, 3)[:n] ^ (g.random(n) < 0.05)
        host = g.integers(0, 100, n).astype(dtype)
        x, flags = ks.array(host, device=device), ks.array(mask, device=device)
        np.testing.assert_array_equal(x[flags].numpy(), host[mask])
        np.testing.assert_array_equal(ks.flatnonzero(flags).numpy(), np.flatnonzero(mask))
        for value, numpys in ((x[flags][::-1], host[mask][::-1]), (1, 1), (x[:1] if n else 1, host[:1] if n else 1)):
            y, expected = x.copy().eval(), host.copy()
            y[flags], expected[mask] = value, numpys
            np.testing.assert_array_equal(y.numpy(), expected)
        waits = x + x  # reads before the write
        expected = host + host
        x[flags] = 0
        np.testing.assert_array_equal(waits.numpy(), expected)
        if n and mask.sum() != 2:
            with pytest.raises(ValueError):
                x[flags] = ks.ones(2, device=device).astype(dtype)


def test_few_places_of_any_axes(device):
    host = np.arange(3 * 4 * 5 * 2.0).reshape(3, 4, 5, 2)
    i, j = np.array([[2, -1], [0, 2]]), np.array([3, -4])
    for f in (
        lambda x, i, j: x[i], lambda x, i, j: x[:, j], lambda x, i, j: x[:, :, i], lambda x, i, j: x[..., j % 2],
        lambda x, i, j: x[i, j], lambda x, i, j: x[:, i, j], lambda x, i, j: x[i, :, j], lambda x, i, j: x[1, :, i, 0],
        lambda x, i, j: x[::-1, j, ::2], lambda x, i, j: x.T[:, j % 4], lambda x, i, j: x[i[:0]],
        lambda x, i, j: x[j % 3, 1:3, 1:, ::-1],
    ):  # fmt: skip
        x, at = ks.array(host, device=device), [ks.array(a, device=device) for a in (i, j)]
        np.testing.assert_array_equal(f(x, *at).numpy(), f(host, i, j))
        np.testing.assert_array_equal(
            f(x, *(a.astype("uint8") if (a >= 0).all() else a for a in at)).numpy(), f(host, i, j)
        )
    x, expected = ks.array(host, device=device), host.copy()
    x[:, ks.array(j, device=device), 1:3], expected[:, j, 1:3] = 7, 7
    values = np.arange(32.0).reshape(2, 2, 4, 2)  # i names a place twice: the last stays
    x[ks.array(i, device=device), :, 0], expected[i, :, 0] = ks.array(values, device=device), values
    np.testing.assert_array_equal(x.numpy(), expected)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        x[ks.array([0, 3], device=device)]


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000, 30_001])
@pytest.mark.parametrize("share", [0, 0.01, 0.2, 0.3, 0.6, 1])
def test_what_few_and_many_flags_choose(n, share):
    """Flags may hold any byte that is not 0."""
    flags = (np.random.default_rng(n).random(n) < share).astype(np.uint8) * np.arange(1, n + 1).astype(np.uint8)
    mask = ks.asarray(flags.view(bool))
    places = np.flatnonzero(flags)
    np.testing.assert_array_equal(ks.flatnonzero(mask).numpy(), places)
    for dtype in ("int8", "float32", "float64", "complex128"):
        x = np.arange(n).astype(dtype)
        np.testing.assert_array_equal(ks.array(x)[mask].numpy(), x[places])
