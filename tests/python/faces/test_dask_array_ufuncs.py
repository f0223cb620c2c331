"""NumPy's ufuncs, gufuncs and protocols over arrays in chunks."""

import pickle

import numpy as np
import pytest
from dask_arrays import a, an, b, setm, v, w, x, xn, y
from kasoku.compat import dask
from kasoku.compat.dask import array as da

am, bm = np.ma.masked_greater(a, 1), np.ma.masked_where(np.arange(40) % 3 == 0 * a, b)


xm, ym = da.ma.masked_greater(x, 1), da.from_array(bm, chunks=(30, 20))


masked = dict(
    **{f"{name}{axis}": (lambda name=name, axis=axis: (getattr(da, name)(xm, axis), getattr(np, name)(am, axis)))
       for name in "sum prod mean var std min max any all argmin argmax".split() for axis in (None, 0, 1)},
    add=lambda: (xm * 2 + y, am * 2 + b),
    both=lambda: (xm + ym, am + bm),
    cumsum=lambda: (da.cumsum(xm, 0), np.cumsum(am, 0)),
    cumprod=lambda: (da.cumprod(xm, 1), np.cumprod(am, 1)),
    concatenate=lambda: (da.concatenate([x, xm]), np.ma.concatenate([a, am])),
    T=lambda: (xm.T[3:, ::2], am.T[3:, ::2]),
    take=lambda: (xm[[3, 1, 59]], am[[3, 1, 59]]),
    dot=lambda: (da.dot(xm.T, ym), np.ma.dot(am.T, bm)),
    where=lambda: (da.ma.where(x > 0, xm, y), np.ma.where(a > 0, am, b)),
    equal=lambda: (da.ma.masked_equal(x, a[0, 0]), np.ma.masked_equal(a, a[0, 0])),
    less=lambda: (da.ma.masked_less(x, w[0]), np.ma.masked_less(a, v[0])),
    invalid=lambda: (da.ma.masked_invalid(xn), np.ma.masked_invalid(an)),
    masked_array=lambda: (da.ma.masked_array(x, mask=x > 1, fill_value=7), np.ma.masked_array(a, mask=a > 1, fill_value=7)),
    filled=lambda: (da.ma.filled(xm, -1), am.filled(-1)),
    getmaskarray=lambda: (da.ma.getmaskarray(xm), np.ma.getmaskarray(am)),
    count=lambda: (da.ma.count(ym, 0), np.ma.count(bm, 0)),
    average=lambda: (da.ma.average(ym, axis=0, weights=x), np.ma.average(bm, axis=0, weights=a)),
    ones_like=lambda: (da.ma.ones_like(xm), np.ma.ones_like(am)),
    set_one=lambda: (setm(x, 0, np.ma.masked), setm(np.ma.array(a), 0, np.ma.masked)),
    set_mask=lambda: (setm(x, x > 1, np.ma.masked), am),
    nothing=lambda: (setm(xm, slice(20), np.ma.masked)[:20].sum(), np.ma.masked_all((20, 40)).sum()),
)  # fmt: skip


@pytest.mark.parametrize("name", masked)
def test_masked_arrays_are_numpy_s(name):
    got, want = masked[name]()
    assert (
        got.dtype == want.dtype
        and isinstance(got._meta, np.ma.MaskedArray) == isinstance(want, np.ma.MaskedArray)
        or np.ndim(want) == 0
    )
    computed = got.compute()
    assert type(computed) is type(want)
    np.testing.assert_array_equal(np.ma.getmaskarray(computed), np.ma.getmaskarray(want))
    np.testing.assert_allclose(np.ma.filled(computed, 0.5), np.ma.filled(want, 0.5), rtol=1e-9, atol=1e-12)


class Marked(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of another package: what is computed of it is one, too."""

    def __init__(self, array):
        self.array = array

    shape, ndim, dtype = (
        property(lambda self, name=name: getattr(self.array, name)) for name in ("shape", "ndim", "dtype")
    )

    def __getitem__(self, index):
        return Marked(self.array[index])

    def astype(self, dtype):
        return Marked(self.array.astype(dtype))

    def reshape(self, *shape):
        return Marked(self.array.reshape(*shape))

    def __array_ufunc__(self, ufunc, method, *args, **words):
        return Marked(getattr(ufunc, method)(*(x.array if isinstance(x, Marked) else x for x in args), **words))

    def __array_function__(self, function, types, args, words):
        args = [
            [x.array for x in arg] if isinstance(arg, list) else arg.array if isinstance(arg, Marked) else arg
            for arg in args
        ]
        return Marked(function(*args, **words))


def test_arrays_of_another_package_stay_what_they_are():
    marked = da.from_array(Marked(a), chunks=(20, 25))
    assert isinstance(marked._meta, Marked) and "Marked" in repr(marked)
    for got, want in ((marked + 1, a + 1), (marked.sum(axis=0), a.sum(axis=0)), (marked.T[:5], a.T[:5])):
        assert isinstance(got._meta, Marked)
        np.testing.assert_allclose(got.compute().array, want)
    assert type(da.from_array(Marked(a), asarray=False).compute()) is Marked
    assert type(x + Marked(a)) is Marked  # which takes Dask's arrays in, until somebody says that they take it
    da.register_chunk_type(Marked)
    np.testing.assert_allclose((x + Marked(a)).compute().array, 2 * a)


def test_numpy_s_functions_that_are_not_there_are_told_of():
    with pytest.warns(FutureWarning, match="numpy.linalg.det"):
        assert np.linalg.det(da.eye(3)) == 1
    assert isinstance(np.linalg.norm(x), da.Array) and isinstance(np.fft.fft(w.rechunk(-1)), da.Array)


def test_blockwise_calls_a_function_of_chunks_by_the_names_of_their_axes():
    a, b, v = np.arange(12.0).reshape(3, 4), np.arange(20.0).reshape(4, 5), np.arange(4.0)
    x, y, w = da.from_array(a, chunks=(2, 2)), da.from_array(b, chunks=(3, 2)), da.from_array(v, chunks=1)
    outer = da.blockwise(np.multiply.outer, "ij", w, "i", w, "j", dtype=float)
    np.testing.assert_array_equal(outer.compute(), np.multiply.outer(v, v))
    turned = da.blockwise(np.transpose, "ji", x, "ij")
    assert turned.chunks == ((2, 2), (2, 1)) and turned.dtype == float
    np.testing.assert_array_equal(turned.compute(), a.T)
    np.testing.assert_array_equal(
        da.blockwise(np.add, "ij", x, "ij", w, "j").compute(), a + v
    )  # chunks are made to fit
    product = da.blockwise(np.dot, "ik", x, "ij", y, "jk", concatenate=True, dtype=float)
    np.testing.assert_array_equal(product.compute(), a @ b)
    sums = da.blockwise(lambda parts: sum(p.sum(axis=1) for p in parts), "i", x, "ij", dtype=float)
    np.testing.assert_array_equal(sums.compute(), a.sum(axis=1))
    twice = da.blockwise(lambda p, n, k: np.repeat(p, n) + k, "i", w, "i", 2, None, k=dask.delayed(10), adjust_chunks={"i": lambda n: 2 * n}, dtype=float)  # fmt: skip
    assert twice.chunks == ((2,) * 4,)
    np.testing.assert_array_equal(twice.compute(), np.repeat(v, 2) + 10)
    new = da.blockwise(lambda p: p[:, None] * np.ones(3), "iz", w, "i", new_axes={"z": 3}, dtype=float)
    assert new.shape == (4, 3) and new.compute().sum() == 3 * v.sum()
    with pytest.raises(ValueError, match="lengths"):
        da.blockwise(np.add, "i", w, "i", da.ones(3, chunks=1), "i")
    with pytest.raises(ValueError, match="no array has the axis 'z'"):
        da.blockwise(np.add, "iz", w, "i", 1, None, dtype=float)
    with pytest.raises(ValueError, match="explicitly using the `dtype` kwarg"):
        da.blockwise(lambda p: 1 / 0, "i", w, "i")


def test_a_numba_gufunc_of_an_array_in_chunks_is_computed_chunk_by_chunk():
    from kasoku.compat import numba

    @numba.guvectorize([(numba.float64[:], numba.float64[:])], "(n)->(n)")
    def running(x, out):
        total = 0.0
        for i in range(len(x)):
            total += x[i]
            out[i] = total

    got = running(x.rechunk((20, -1)))
    assert isinstance(got, da.Array) and got.numblocks == (3, 1)
    np.testing.assert_allclose(got.compute(), np.cumsum(a, axis=1))


@pytest.mark.parametrize("name", ["add", "maximum", "less", "multiply"])
def test_outer_products_of_ufuncs(name):
    of_numpy, ours = getattr(np, name), getattr(da, name)
    want = of_numpy.outer(a[:4], v)
    for got in (ours.outer(x[:4], w), of_numpy.outer(x[:4], w), ours.outer(a[:4], w)):
        assert isinstance(got, da.Array) and got.dtype == want.dtype
        np.testing.assert_array_equal(got.compute(), want)
    assert ours.outer(da.from_array(np.float64(2.0)), w).shape == (50,)
    assert (ours.nin, ours.nout, ours.types) == (of_numpy.nin, of_numpy.nout, of_numpy.types)
    with pytest.raises(ValueError):
        da.sin.outer(x, x)


@pytest.mark.parametrize("chunks", [(20, 25), (7, 40)])
def test_where_and_out_of_ufuncs(chunks):
    mask = a > 0
    out = da.from_array(b.copy(), chunks=chunks)
    assert da.sqrt(x, where=da.from_array(mask, chunks=9), out=out) is out
    want = b.copy()
    np.testing.assert_array_equal(out.compute(), np.sqrt(a, where=mask, out=want))
    np.testing.assert_array_equal(da.add(x, 1, where=mask).compute()[mask], (a + 1)[mask])
    np.testing.assert_array_equal(da.add(x, 1, where=False, out=da.from_array(b, chunks=chunks)).compute(), b)
    out = da.zeros((60, 40), chunks=chunks)
    assert np.floor(x, out=out) is out
    np.testing.assert_array_equal(out.compute(), np.floor(a))
    with pytest.raises(ValueError, match="Mismatched shapes"):
        da.sin(x, out=da.zeros(3))
    with pytest.raises(NotImplementedError):
        da.sin(x, out=np.zeros((60, 40)))


def test_ufuncs_of_what_is_there_compute_at_once():
    for got, want in ((da.sin(a), np.sin(a)), (da.add(2, 3), 5), (da.exp([0, 1]), np.exp([0, 1]))):
        assert not isinstance(got, da.Array)
        np.testing.assert_array_equal(got, want)


def test_several_results_by_numpys_functions():
    for got, want in zip(
        (*np.modf(x), *np.frexp(x), *np.divmod(x, 0.3)), (*np.modf(a), *np.frexp(a), *np.divmod(a, 0.3))
    ):
        assert isinstance(got, da.Array) and got.dtype == want.dtype
        np.testing.assert_array_equal(got.compute(), want)


@pytest.mark.parametrize("vectorize", [False, True])
def test_a_gufunc_s_own_arguments_by_name(vectorize):
    def power_mean(values, power=1, *, scale=1.0):
        return scale * (abs(values) ** power).mean(axis=-1) ** (1 / power)

    for options in ({}, {"power": 2}, {"power": 2, "scale": 3.0}):
        got = da.apply_gufunc(power_mean, "(i)->()", x, allow_rechunk=True, vectorize=vectorize, **options)
        np.testing.assert_allclose(got.compute(), power_mean(a, **options))


def test_a_program_s_ufunc_is_called_as_numpy_s():
    numbers = np.arange(6).reshape(2, 3)
    theirs, ours_ = np.frompyfunc(max, 2, 1), da.frompyfunc(max, 2, 1)
    assert (ours_.nin, ours_.nout, ours_.ntypes, ours_.__name__) == (theirs.nin, theirs.nout, theirs.ntypes, "max")
    copied = pickle.loads(pickle.dumps(ours_))
    for numbers_ in (numbers, da.from_array(numbers, chunks=2)):
        for got, want in (
            (ours_(numbers_, 3), theirs(numbers, 3)),
            (copied(2, numbers_), theirs(2, numbers)),
            (ours_.outer(numbers_, numbers_[0]), theirs.outer(numbers, numbers[0])),
            (da.add.outer(numbers_, numbers_), np.add.outer(numbers, numbers)),
        ):
            assert isinstance(got, type(numbers_)) and got.dtype == want.dtype
            assert np.asarray(got).tolist() == want.tolist()
