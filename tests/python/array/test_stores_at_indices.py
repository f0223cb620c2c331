"""x[arrays] = values: one kernel where the array lies; few elements of a host are written without one."""

import hypothesis
import hypothesis.extra.numpy as of_numpy
import hypothesis.strategies as st
import numpy as np
import pytest

import kasoku as ks
from kasoku import _core

rng = np.random.default_rng(5)


@pytest.fixture(params=["as it is", "text for GPUs"])
def form(request, on_device):
    """The text for GPUs runs on CPUs too."""
    if request.param == "as it is":
        yield
        return
    before = _core._gpu_form(True), _core._few_at_once(False)
    yield
    _core._gpu_form(before[0])
    _core._few_at_once(before[1])


def at(length, *shape):
    return rng.integers(-length, length, shape)


large = 300
targets = {
    "rows in memory": lambda x: x,
    "columns in memory": lambda x: x.T,
    "backwards": lambda x: x[::-1, ::-1],
    "every other": lambda x: x[::2, 1::2],
}
keys = {
    "rows": lambda n, m: at(n, 200),
    "columns": lambda n, m: (slice(None), at(m, 400)),
    "elements": lambda n, m: (at(n, 40_000), at(m, 40_000)),
    "an axis of both": lambda n, m: (at(n, 1, 150), at(m, 150, 1)),
    "apart": lambda n, m: (at(n, 100), None, Ellipsis, at(m, 100)),
    "beside a slice": lambda n, m: (slice(5, 1, -1), at(m, 9000)),
    "beside a number": lambda n, m: (3, at(m, 20_000)),
    "none": lambda n, m: at(n, 0),
    "one": lambda n, m: at(n, 1),
    "all the same": lambda n, m: np.full(500, 2),
    "of few bits": lambda n, m: at(100, 300).astype("int8"),
    "of two axes": lambda n, m: at(n, 20, 10),
    "a mask of rows": lambda n, m: rng.random(n) < 0.5,
    "a mask": lambda n, m: rng.random((n, m)) < 0.3,
    "a mask and indices": lambda n, m: (np.arange(n) % 15 == 0, at(m, len(range(0, n, 15)))),
}


def ours(key):
    if isinstance(key, tuple):
        return tuple(ks.array(k) if isinstance(k, np.ndarray) else k for k in key)
    return ks.array(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("key", keys)
@pytest.mark.parametrize("target", targets)
def test_what_is_stored_is_numpys(target, key, form):
    values = rng.random((large, large + 4))
    want, mine = values.copy(), ks.array(values)
    whole, part = targets[target](want), targets[target](mine)
    index = keys[key](*whole.shape)
    new = rng.random(whole[index].shape)
    for value in [new, new[..., :1] if new.ndim else new, 7, new.astype("float32")]:
        whole[index] = value
        part[ours(index)] = ks.array(value) if isinstance(value, np.ndarray) else value
        assert (mine.numpy() == want).all()


@pytest.mark.parametrize("n", [10, 40_000])
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
)
def test_every_dtype(dtype, n, form):
    want, new, index = (rng.random(n) * 100).astype(dtype), (rng.random(n) * 100 - 50).astype(dtype), at(n, n)
    x = ks.array(want)
    want[index] = new
    x[ks.array(index)] = ks.array(new)
    assert x.numpy().tobytes() == want.tobytes()


@pytest.mark.parametrize("n", [10, 50_000])
@pytest.mark.parametrize("bad", [7, -8, 1 << 40, -(1 << 62)])
def test_nothing_is_written_where_an_index_is_out_of_range(n, bad, form):
    index = np.zeros(n, "int64")
    index[n // 2] = bad
    x = ks.zeros((5, 7))
    with pytest.raises(IndexError, match=f"index {bad} is out of bounds for axis 1 with size 7"):
        x[:, ks.array(index)] = 1
    assert (x.numpy() == 0).all()


@pytest.mark.parametrize("n", [10, 50_000])
def test_values_that_do_not_fit_are_refused(n, form):
    x = ks.zeros((n, 3))
    with pytest.raises(ValueError, match="broadcast"):
        x[ks.arange(n)] = ks.zeros((n, 2))
    with pytest.raises(ValueError, match="read-only"):
        ks.broadcast_to(x, (2, n, 3))[ks.array([0])] = 1
    with pytest.raises(OverflowError):
        ks.zeros(n, dtype="int8")[ks.arange(n)] = 300
    assert (x.numpy() == 0).all()


def test_what_is_stored_may_read_the_same_array(form):
    values, index = rng.random(50_000), rng.permutation(50_000)
    want, x = values.copy(), ks.array(values)
    before = x + 1
    want[index] = want[::-1] * 2
    x[ks.array(index)] = x[::-1] * 2
    assert (x.numpy() == want).all() and (before.numpy() == values + 1).all()
    want[index] = want.copy()
    x[ks.array(index)] = x
    assert (x.numpy() == want).all()
    numbers = np.argsort(rng.random(50_000))
    mine = ks.array(numbers)
    numbers[numbers] = np.arange(50_000)
    mine[mine] = ks.arange(50_000)
    assert (mine.numpy() == numbers).all()


shapes = of_numpy.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=6)


@hypothesis.given(st.data())
def test_any_index_of_numpys(form, data):
    shape = data.draw(shapes)
    values = np.arange(np.prod(shape)).reshape(shape)
    key = data.draw(
        of_numpy.integer_array_indices(shape, result_shape=of_numpy.array_shapes(max_dims=2, max_side=8))
        | of_numpy.basic_indices(shape)
        | of_numpy.arrays(bool, shape)
    )
    new = data.draw(of_numpy.arrays("int64", np.shape(values[key]), elements=st.integers(-9, 9)))
    x = ks.array(values)
    values[key] = new
    x[ours(key)] = ks.array(new)
    assert (x.numpy() == values).all()


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_the_last_value_stays_with_any_number_of_threads(threads, clean_process):
    clean_process(
        """if True:
        import numpy as np, kasoku as ks
        rng = np.random.default_rng(1)
        index, new, want = rng.integers(0, 5000, 300_000), rng.random(300_000), np.zeros(5000)
        want[index] = new
        x = ks.zeros(5000)
        x[ks.array(index)] = ks.array(new)
        assert (x.numpy() == want).all()
        want = np.zeros((3, 700))
        want[:, index % 700] = new
        x = ks.zeros((3, 700))
        x[:, ks.array(index % 700)] = ks.array(new)
        assert (x.numpy() == want).all()
        """,
        env={"KASOKU_NUM_THREADS": str(threads)},
    )


def test_it_is_one_kernel_and_nothing_goes_to_the_host(on_device, device, no_first_sight):
    x, index, new = ks.zeros((500, 100)), ks.array(at(500, 5000)), ks.array(rng.random((5000, 100)))
    ks.eval(x, index, new)
    before = ks.stats()
    x[index] = new * 2 + 1
    ks.eval(x)
    after = ks.stats()
    assert after.bytes_between_devices_for_move - before.bytes_between_devices_for_move < 100
    if device == "cpu":
        assert after.launches - before.launches <= 5  # the check has two, its few elements and the distances one each


@pytest.mark.parametrize(
    "dtype", ["int32", "int64", "uint32", "uint64", "float32", "float64", "int8", "complex64", "float16"]
)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum", "bitwise_xor"])
def test_few_elements_are_joined_as_many_are(name, dtype, device):
    """Without a kernel on a host; with one index array, several, slices before them, gaps, a number, and what is not a number."""
    if np.dtype(dtype).kind in {"bitwise_xor": "fc", "maximum": "c", "minimum": "c"}.get(name, ""):
        return
    g = np.random.default_rng(3)
    some = lambda *shape: g.integers(0, 9, shape).astype(dtype)  # noqa: E731
    i, j = g.integers(-6, 6, 40), g.integers(-5, 5, (3, 1))
    forms = [
        (some(6), i, some(40)),
        (some(6), i, some(1)[0]),
        (some(12)[::-2], i, some(40)),
        (some(6, 5), (slice(None, None, 2), j), some(3, 3, 1)),
        (some(5, 5), (j, g.integers(-5, 5, 4)), some(3, 4)),
        (some(6, 3), i, some(40, 3)),
        (some(6), g.integers(0, 2, 6).astype(bool), some(1)),
        (some(6), np.zeros(0, int), some(0)),
    ]
    if np.dtype(dtype).kind == "f":
        forms.append(
            (np.array([np.nan, 1, -0.0, 0], dtype), np.array([0, 1, 1, 2, 3]), np.array([1, np.nan, 1, 0, -0.0], dtype))
        )
    for a, index, values in forms:
        base = a.base if a.base is not None else a
        with np.errstate(all="ignore"):
            want = base.copy()
            view = want[::-2] if a.base is not None and a.strides[0] < 0 else want
            getattr(np, name).at(view, index, values)
        to = lambda x: ks.array(x, device=device) if isinstance(x, np.ndarray) else x  # noqa: E731
        results = []
        for few_at_once in (True, False):
            before = _core._few_at_once(few_at_once)
            got = to(base)
            part = got[::-2] if a.base is not None and a.strides[0] < 0 else got
            getattr(np, name).at(part, tuple(map(to, index)) if isinstance(index, tuple) else to(index), to(values))
            results.append(got.numpy())
            _core._few_at_once(before)
            np.testing.assert_array_equal(results[-1], want)
        assert (
            np.where(results[0] != results[0], 0, results[0]).tobytes()
            == np.where(results[1] != results[1], 0, results[1]).tobytes()
        )


def test_an_array_joined_to_its_own_elements(device):
    a, i = np.arange(5.0), np.array([1, 1, 0, 4, 2])
    x = ks.array(a, device=device)
    np.add.at(x, ks.array(i, device=device), x)
    np.add.at(a, i, a.copy())
    np.testing.assert_array_equal(x.numpy(), a)


@pytest.mark.parametrize("outside", [5, -6, 2**63 - 1, -(2**63)])
def test_an_index_outside_changes_nothing(device, outside):
    x = ks.zeros(5, device=device)
    index = ks.array(np.array([0, 1, outside, 2]), device=device)
    for change in (lambda: np.add.at(x, index, 1), lambda: x.__setitem__(index, 1), lambda: x[index].numpy()):
        with pytest.raises(IndexError, match=f"index {outside} is out of bounds for axis 0 with size 5"):
            change()
    assert not x.numpy().any()


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("name", ["add", "subtract"])
def test_many_whole_numbers_are_added_up_at_few_places(name, dtype, form):
    """Sums of 64 bits have carries from lower halves; places lie in rows, apart, and along two axes."""
    n = 100_003
    info, target = np.iinfo(dtype), rng.integers(0, 50, (6, 20)).astype(dtype)
    places, values = rng.integers(0, 60, n), rng.integers(info.min, info.max, n, dtype, endpoint=True)
    ours, theirs = getattr(ks, name), getattr(np, name)
    for choose in (lambda x: x[:3].reshape(60), lambda x: x.reshape(-1)[::2]):
        want = target.copy()
        got = ks.array(want)
        theirs.at(choose(want), places, values)
        ours.at(choose(got), ks.array(places), ks.array(values))
        np.testing.assert_array_equal(got.numpy(), want)
    want = target.copy()
    got = ks.array(want)
    theirs.at(want, (places // 10, places % 10), values)
    ours.at(got, (ks.array(places // 10), ks.array(places % 10)), ks.array(values))
    np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("n", [1, 2047, 2048, 2049, 100_003])
def test_what_flags_choose_at_ends_of_chunks(n, form):
    x = rng.random(n)
    for mask in (x > 0.5, x > 2, x < 2, np.arange(n) % 32 == 31):
        got, chosen = ks.array(x), ks.array(mask)
        np.testing.assert_array_equal(got[chosen].numpy(), x[mask])
        np.testing.assert_array_equal(ks.nonzero(chosen)[0].numpy(), np.nonzero(mask)[0])
        want, given = x.copy(), np.arange(mask.sum(), dtype=float)
        want[mask], got[chosen] = given, ks.array(given)
        np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64", "bool"])
@pytest.mark.parametrize("value", [None, "2.5", b"3", {}, len], ids=repr)
@pytest.mark.parametrize("store", [lambda a, v: a.__setitem__(1, v), lambda a, v: a.__setitem__([0, 2], v)])
def test_what_is_no_number_is_stored_as_numpy_stores_it(store, value, dtype, device):
    def outcome(array):
        try:
            store(array, value)
        except Exception as error:
            return next(c for c in type(error).__mro__ if c.__module__ == "builtins")
        return np.asarray(array)

    want, got = outcome(np.ones(3, dtype)), outcome(ks.ones(3, dtype=dtype, device=device))
    assert (
        np.array_equal(got, want, equal_nan=dtype in ("float64", "float32", "complex128"))
        if isinstance(want, np.ndarray)
        else got is want
    )
