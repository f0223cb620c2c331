"""Assertions that take arrays of cupy and of NumPy."""

import numpy as np

import kasoku.compat.cupy as cupy

from ..._face.table import bound as _bound, plain as _plain


_plain(globals(), {f"assert_{name}": (
    _bound(lambda actual, desired, *args, check, **kwargs: (
        [check(cupy.asnumpy(actual), cupy.asnumpy(desired), *args, **kwargs)] and None), check=getattr(np.testing, f"assert_{name}")),
    f"numpy.testing.assert_{name} of arrays on any device.",
) for name in "allclose array_almost_equal array_almost_equal_nulp array_less array_max_ulp".split()})  # fmt: skip


def assert_array_equal(x, y, err_msg="", verbose=True, strides_check=False, **kwargs):
    np.testing.assert_array_equal(cupy.asnumpy(x), cupy.asnumpy(y), err_msg=err_msg, verbose=verbose, **kwargs)
    if strides_check and x.strides != y.strides:
        raise AssertionError(f"the strides differ: {x.strides} and {y.strides}. {err_msg}")


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    if type(xlist) is not type(ylist) or not isinstance(xlist, (list, tuple)):
        raise AssertionError(f"two lists or two tuples, not {type(xlist)} and {type(ylist)}")
    if len(xlist) != len(ylist):
        raise AssertionError(f"{len(xlist)} arrays and {len(ylist)}")
    for x, y in zip(xlist, ylist):
        assert_array_equal(x, y, err_msg, verbose)


__all__ = [name for name, value in globals().items() if name[0] != "_" and getattr(value, "__module__", "") == __name__]
