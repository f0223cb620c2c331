"""One expression over NumPy and over the engine: the same values, shapes and dtypes, or the same kind of error."""

import numpy as np

import kasoku as ks


def ours(x):
    if isinstance(x, np.ndarray):
        return ks.array(x)
    if isinstance(x, (tuple, list)):
        return type(x)(map(ours, x))
    return x


def compare(got, want, close):
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            compare(g, w, close)
        return
    host = got.numpy() if isinstance(got, ks.Array) else np.asarray(got)
    want = np.asarray(want)
    assert host.shape == want.shape and host.dtype == want.dtype
    if close:
        exact = np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0
        np.testing.assert_allclose(
            host,
            want,
            rtol=1e3 * exact,
            atol=1e3 * exact * (1 + np.abs(want, where=want == want, out=np.zeros(want.shape)).max(initial=0)),
        )
    else:
        np.testing.assert_array_equal(host, want)


def agree(expression, *arrays, close=False):
    """`expression(module, *arrays)` of NumPy and of the engine, which is given arrays of its own."""
    try:
        with np.errstate(all="ignore"):
            want = expression(np, *(x.copy() if isinstance(x, np.ndarray) else x for x in arrays))
    except Exception as error:
        expected = next((kind for kind in (IndexError, ValueError, TypeError) if isinstance(error, kind)), None)
        assert expected is not None, error
    else:
        return compare(expression(ks, *map(ours, arrays)), want, close)
    try:
        got = expression(ks, *map(ours, arrays))
    except expected as mine:
        assert str(mine)
        return None
    raise AssertionError(f"NumPy refuses this, and here it is {got}")
