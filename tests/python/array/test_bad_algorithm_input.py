"""What an algorithm cannot do is one sentence on every device, and nothing is written; what has no elements, or NaN, has an answer."""

import kasoku as ks
import numpy as np
import pytest

LinAlgError = np.linalg.LinAlgError

# x has shape (3, 4), v five floats, i five integers; `out` is what may be written to.
WRONG = [
    ("x[[0, 3]]", IndexError, "index 3 is out of bounds for axis 0 with size 3"),
    ("x[:, [-5]]", IndexError, "index -5 is out of bounds for axis 1 with size 4"),
    ("x[[0, 3]] = 1", IndexError, "index 3 is out of bounds for axis 0 with size 3"),
    ("x[[0, 3]] += 1", IndexError, "index 3 is out of bounds for axis 0 with size 3"),
    ("ks.take(v, [5])", IndexError, "index 5 is out of bounds for axis 0 with size 5"),
    ("ks.put(v, [0, -6], 1)", IndexError, "index -6 is out of bounds for axis 0 with size 5"),
    ("ks.take_along_axis(x, ks.array([[4]]), 1)", IndexError, "index 4 is out of bounds for axis 1 with size 4"),
    ("ks.put_along_axis(x, ks.array([[4]]), 0, 1)", IndexError, "index 4 is out of bounds for axis 1 with size 4"),
    ("ks.intersect1d(i[:1] * 0 + [7, 7, 7], i[:1], assume_unique=True, return_indices=True)", IndexError, "index -2 is out of bounds for axis 0 with size 1"),
    ("ks.cumulative_sum(v, axis=(0,))", TypeError, "'tuple' object cannot be interpreted as an integer"),
    ("ks.add.at(v, [0, 5], 1)", IndexError, "index 5 is out of bounds for axis 0 with size 5"),
    ("v[ks.ones(4, dtype=bool)]", IndexError, "boolean index did not match indexed array along axis 0; size of axis is 5 but"),
    ("v[ks.ones(6, dtype=bool)] = 0", IndexError, "boolean index did not match indexed array along axis 0; size of axis is 5 but"),
    ("x[:, ks.ones(3, dtype=bool)]", IndexError, "boolean index did not match indexed array along axis 1; size of axis is 4 but"),
    ("ks.linalg.inv(ks.ones((2, 2)))", LinAlgError, "Singular matrix"),
    ("ks.linalg.solve(ks.zeros((2, 2)), ks.ones(2))", LinAlgError, "Singular matrix"),
    ("ks.linalg.inv(x)", LinAlgError, "Last 2 dimensions of the array must be square"),
    ("ks.linalg.det(x)", LinAlgError, "Last 2 dimensions of the array must be square"),
    ("ks.linalg.eigh(x)", LinAlgError, "Last 2 dimensions of the array must be square"),
    ("ks.linalg.cholesky(-ks.eye(2))", LinAlgError, "not positive definite"),
    ("ks.fft.fft(v[:0])", ValueError, r"Invalid number of FFT data points \(0\)"),
    ("ks.fft.rfft(x, 0)", ValueError, r"Invalid number of FFT data points \(0\)"),
    ("ks.bincount(i - 3)", ValueError, "no negative elements"),
    ("ks.bincount(v)", TypeError, "float64"),
    ("ks.digitize(v, ks.array([0.0, 2.0, 1.0]))", ValueError, "bins must be monotonically increasing or decreasing"),
    ("ks.histogram(v, ks.array([0.0, 2.0, 1.0]))", ValueError, "bins. must increase monotonically"),
    ("ks.histogram(v, 0)", ValueError, "bins. must be positive"),
    ("ks.histogram(v / 0, 3)", ValueError, "range of the values is not finite"),
    ("ks.sort(x, axis=2)", IndexError, "axis 2 is out of bounds for array of dimension 2"),
    ("ks.cumsum(x, axis=-3)", IndexError, "axis -3 is out of bounds for array of dimension 2"),
    ("ks.unique(x, axis=5)", IndexError, "axis 5 is out of bounds for array of dimension 2"),
    ("ks.partition(v, 5)", ValueError, r"kth\(=5\) out of bounds \(5\)"),
    ("ks.quantile(v, 1.5)", ValueError, r"Quantiles must be in the range \[0, 1\]"),
    ("ks.repeat(v, -1)", ValueError, "may not contain negative values"),
    ("ks.argmax(v[:0])", ValueError, "argmax of an empty sequence"),
    ("ks.correlate(v[0], v)", ValueError, "object of too small depth for desired array"),
    ("ks.correlate(x, v)", ValueError, "object too deep for desired array"),
    ("ks.nan_to_num(v, nan=ks.zeros((2, 5)))", ValueError, r"has not the array's shape \(5,\)"),
    ("ks.nan_to_num(v, nan=1j)", TypeError, "is real, as parts of numbers are, not complex128"),
    ("ks.nan_to_num(v, posinf=ks.array(1j))", TypeError, "not complex128"),
    ("ks.matvec(v, v)", ValueError, "the matrices have 1 axes, and need at least 2"),
    ("ks.vecmat(v, v)", ValueError, "the matrices have 1 axes, and need at least 2"),
    ("ks.indices((1, 3), dtype=bool)", TypeError, "bools count to 2"),
    ("ks.r_['r', v]", NotImplementedError, "no matrices of NumPy's old class"),
    ("ks.linalg.lstsq(x, ks.ones((3, 2, 1)))", LinAlgError, "3-dimensional array given"),
    ("v.flat[None]", IndexError, "unsupported iterator index"),
    ("v.flat[True] = 1", IndexError, "unsupported iterator index"),
    ("ks.convolve(v, v[:0])", ValueError, "cannot be empty"),
    ("ks.interp(v, v[:0], v[:0])", ValueError, "sample points is empty"),
    ("ks.einsum('ij,jk', x, x)", ValueError, "the label 'j' stands for axes of lengths 4 and 3"),
]  # fmt: skip


@pytest.mark.parametrize("text, kind, said", WRONG, ids=[text for text, *_ in WRONG])
def test_it_is_one_sentence_and_nothing_is_written(text, kind, said, device):
    with ks.default_device(device):
        names = {"ks": ks, "x": ks.arange(12.0).reshape(3, 4), "v": ks.arange(5.0), "i": ks.arange(5)}
        before = {name: names[name].numpy() for name in "xvi"}
        with pytest.raises(kind, match=said) as raised:
            exec(text, names)
        first = str(raised.value).split("\n")[0]
        assert first and len(first) < 200 and all(line.startswith("  ") for line in str(raised.value).split("\n")[1:])
        for name in "xvi":
            assert np.array_equal(names[name].numpy(), before[name])


def test_records_have_no_order():
    records = np.zeros(3, [("a", "i4"), ("b", "i4")])
    with pytest.raises(TypeError):
        ks.sort(records)


@pytest.mark.parametrize(
    "name", ["sort", "argsort", "unique", "cumsum", "flatnonzero", "nonzero", "argwhere", "bincount", "median"]
)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)], ids=str)
def test_what_is_empty_has_numpys_answer(name, shape, device):
    if name == "bincount":
        shape, dtype = (0,), "int64"
    else:
        dtype = "float64"
    host = np.zeros(shape, dtype)
    with np.errstate(all="ignore"), pytest.warns() if name == "median" else np.errstate():
        want = getattr(np, name)(host)
    got = getattr(ks, name)(ks.array(host, device=device))
    for g, w in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, np.asarray(want))]:
        assert g.shape == w.shape and g.dtype == w.dtype
        np.testing.assert_array_equal(g.numpy(), w)


def test_nan_among_keys(device):
    host = np.array([2.0, np.nan, 1.0, np.nan, -np.inf, 3.0])
    x = ks.array(host, device=device)
    np.testing.assert_array_equal(ks.sort(x).numpy(), np.sort(host))
    np.testing.assert_array_equal(ks.argsort(x).numpy(), np.argsort(host, kind="stable"))
    np.testing.assert_array_equal(ks.unique(x).numpy(), np.unique(host))
    np.testing.assert_array_equal(ks.isin(x, x).numpy(), np.isin(host, host))
    np.testing.assert_array_equal(ks.searchsorted(ks.sort(x), x).numpy(), np.searchsorted(np.sort(host), host))
    assert np.isnan(ks.median(x).numpy()) and ks.nanmedian(x).item() == np.nanmedian(host)
