"""x[arrays]: few elements on a host are copied, others are read where they lie by the kernel that uses them."""

import numpy as np
import pytest

import kasoku as ks

rng = np.random.default_rng(3)
large = 300  # squared, more than a host copies one by one


def indices(length, *shape):
    return rng.integers(-length, length, shape)


sources = {
    "rows in memory": lambda n: (rng.random((n, n)) * 100, lambda x: x),
    "columns in memory": lambda n: (rng.random((n, n)) * 100, lambda x: x.T),
    "backwards": lambda n: (rng.random((n, n)) * 100, lambda x: x[::-1, ::-1]),
    "every other": lambda n: (rng.random((2 * n, 2 * n)) * 100, lambda x: x[::2, 1::2]),
    "computed": lambda n: (rng.random((n, n)) * 100, lambda x: x * 2 + 1),
    "of three axes": lambda n: (rng.random((n, 7, n)) * 100, lambda x: x),
}
forms = {
    "rows": lambda x, m: x[indices_of(m, x, 0, large)],
    "columns": lambda x, m: x[:, indices_of(m, x, 1, large)],
    "elements": lambda x, m: x[indices_of(m, x, 0, large, large), indices_of(m, x, 1, large)],
    "an axis of both": lambda x, m: x[indices_of(m, x, 0, 1, large), indices_of(m, x, 1, large, 1)],
    "apart": lambda x, m: x[indices_of(m, x, 0, large), None, ..., indices_of(m, x, -1, large)],
    "beside a slice": lambda x, m: x[5:1:-1, indices_of(m, x, 1, large)],
    "beside a number": lambda x, m: x[3, indices_of(m, x, 1, large)],
    "none": lambda x, m: x[indices_of(m, x, 0, 0)],
    "one": lambda x, m: x[indices_of(m, x, 0, 1)],
    "of few bits": lambda x, m: x[indices_of(m, x, 0, large).astype("int16")],
    "then used": lambda x, m: x[indices_of(m, x, 0, large)] * 3 - 1,
    "then summed": lambda x, m: x[indices_of(m, x, 0, large)].sum(0),
    "then viewed": lambda x, m: x[indices_of(m, x, 0, large)][::-1, 2:7] + 1,
    "of what was taken": lambda x, m: x[indices_of(m, x, 0, large)][indices_of(m, x, 0, large) // 2],
    "taken": lambda x, m: m.take(x, indices_of(m, x, 1, large), axis=1),
}


def indices_of(module, x, axis, *shape):
    """The same for both, whichever asks first."""
    key = (x.shape[axis], shape)
    if key not in known:
        known[key] = indices(*key[:1], *shape)
    return known[key] if module is np else module.array(known[key])


known = {}


@pytest.mark.parametrize("form", forms)
@pytest.mark.parametrize("source", sources)
def test_elements_are_numpys(source, form, on_device):
    values, view = sources[source](large)
    known.clear()
    want, got = forms[form](view(values), np), forms[form](view(ks.array(values)), ks)
    assert got.shape == want.shape and got.dtype == want.dtype and got.device == ks.array(values).device
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "complex64", "complex128"])
def test_every_dtype(dtype, on_device):
    values, at = (rng.random(70_000) * 100 - 50).astype(dtype), indices(70_000, 50_000)
    assert (ks.array(values)[ks.array(at)].numpy() == values[at]).all()
    assert (ks.array(values)[at].numpy() == values[at]).all()


@pytest.mark.parametrize("n", [10, 50_000])
@pytest.mark.parametrize("bad", [7, -8, 1 << 40, -(1 << 62)])
def test_an_index_out_of_range_is_named(n, bad, on_device):
    at = np.zeros(n, "int64")
    at[n // 2] = bad
    with pytest.raises(IndexError, match=f"index {bad} is out of bounds for axis 1 with size 7"):
        ks.zeros((5, 7))[:, ks.array(at)]
    with pytest.raises(IndexError, match="could not be broadcast"):
        ks.zeros((5, 7))[ks.array(at), ks.zeros(3, dtype="int64")]


def test_what_is_taken_is_what_was_there(on_device):
    values, at = rng.random(100_000), indices(100_000, 100_000)
    x = ks.array(values)
    taken = x[at]
    x += 1
    assert (taken.numpy() == values[at]).all()
    x[:] = x[at]
    assert (x.numpy() == (values + 1)[at]).all()
    x[1:] = x[at[:-1]]
    assert (x.numpy()[1:] == (values + 1)[at][at[:-1]]).all()


def test_it_is_one_kernel_with_what_follows(on_device, no_first_sight):
    x, at = ks.array(rng.random((500, 20))), ks.array(indices(500, 5000))
    before = ks.stats().launches
    total = (x[at] * 2 + 1).sum(1)
    ks.eval(total)
    assert ks.stats().launches - before <= 5  # two looks at the indices, as some count from the end
    assert ks.stats().bytes_between_devices_for_move < 100
