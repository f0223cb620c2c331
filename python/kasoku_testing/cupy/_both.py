"""Decorators that run a test with `xp` as cupy and as NumPy, and compare what it returns."""

import traceback

import numpy as np

import kasoku.compat.cupy as cupy

from . import _arrays
from ._cases import _contains_signed_and_unsigned, _skips, _unsigned, without

# Errors that programs catch: both sides must agree on each of them.
_caught = (
    AttributeError, IndexError, TypeError, ValueError, NotImplementedError, np.linalg.LinAlgError,
    getattr(np, "exceptions", np).AxisError,
)  # fmt: skip


def _run(function, args, kwargs):
    try:
        return function(*args, **kwargs), None
    except (Exception, *_skips()) as error:
        return None, error


def _text(error):
    return "".join(traceback.TracebackException.from_exception(error).format()) if error else "no error"


def _run_both(function, args, kwargs, name, scipy_name):
    """((result, error) of cupy, of NumPy)."""
    modules = [(cupy, "kasoku.compat.cupyx.scipy"), (np, "scipy")]
    results = []
    for module, scipy in modules:
        given = {**kwargs, name: module}
        if scipy_name:
            import importlib

            given[scipy_name] = importlib.import_module(scipy)
        results.append(_run(function, args, given))
    return results


def _check_errors(ours, numpys, accept_error):
    skips = _skips()
    if isinstance(ours, skips) and isinstance(numpys, skips):
        raise numpys
    said = f"\n\ncupy\n{_text(ours)}\n\nnumpy\n{_text(numpys)}"
    if ours is None and numpys is None:
        raise AssertionError("an error was expected of both, and there was none")
    if ours is None or numpys is None:
        raise AssertionError("only one of them raises an error" + said)
    if any(isinstance(ours, kind) != isinstance(numpys, kind) for kind in _caught):
        raise AssertionError("the errors are of different kinds" + said)
    accepted = Exception if accept_error is True else accept_error or ()
    if not (isinstance(ours, accepted) and isinstance(numpys, accepted)):
        raise AssertionError("both raise errors" + said)


def _results(function, args, kwargs, name, scipy_name, accept_error):
    """The results of cupy and of NumPy; None where both raise errors that the test accepts."""
    (ours, our_error), (numpys, numpys_error) = _run_both(function, args, kwargs, name, scipy_name)
    if our_error or numpys_error:
        _check_errors(our_error, numpys_error, accept_error)
        return None
    return ours, numpys


def _as_pair(ours, numpys):
    """The two as arrays that can be compared; a wrong kind of result is an error."""
    if isinstance(ours, cupy.ndarray) and isinstance(numpys, (np.ndarray, np.generic)):
        return ours, numpys
    if isinstance(ours, cupy.poly1d) and isinstance(numpys, np.poly1d):
        return ours.coeffs, numpys.coeffs
    if isinstance(ours, np.generic) and isinstance(numpys, np.generic):
        return ours, numpys
    if np.isscalar(ours) and np.isscalar(numpys):
        return np.asarray(ours), np.asarray(numpys)
    raise AssertionError(f"different kinds of results: {type(ours)} of cupy, {type(numpys)} of numpy")


def _nonnegative(function, args, kwargs, name, scipy_name):
    """Where the result is not negative if every dtype has a sign."""
    signed = {
        k: np.dtype(np.dtype(v).char.lower()).type if isinstance(v, type) and v in _unsigned else v
        for k, v in kwargs.items()
    }
    result, error = _run_both(function, args, signed, name, scipy_name)[0]
    assert error is None, _text(error)
    results = result if isinstance(result, (tuple, list)) else [result]
    return [cupy.asnumpy(r) >= 0 for r in results]


def _both(check, name, contiguous_check, accept_error, scipy_name=None):
    def decorate(function):
        @without(function, name, scipy_name)
        def test(*args, **kwargs):
            results = _results(function, args, kwargs, name, scipy_name, accept_error)
            if results is None:
                return
            ours, numpys = results
            assert ours is not None and numpys is not None, "the test returns nothing to compare"
            ours = ours if isinstance(ours, (tuple, list)) else [ours]
            numpys = numpys if isinstance(numpys, (tuple, list)) else [numpys]
            assert len(ours) == len(numpys)
            pairs = [_as_pair(a, b) for a, b in zip(ours, numpys)]
            for a, b in pairs if contiguous_check else ():
                if isinstance(b, np.ndarray) and isinstance(a, cupy.ndarray):
                    for flag in ("c_contiguous", "f_contiguous"):
                        if getattr(b.flags, flag) and not getattr(a.flags, flag):
                            raise AssertionError(f"{flag} is true of numpy's result and false of cupy's")
            masks = None
            if _contains_signed_and_unsigned(kwargs) and any(a.dtype.type in _unsigned for a, _ in pairs):
                masks = _nonnegative(function, args, kwargs, name, scipy_name)
            for k, (a, b) in enumerate(pairs):
                assert a.shape == b.shape, f"the shapes differ: {a.shape} of cupy, {b.shape} of numpy"
                if masks is not None and a.dtype.type in _unsigned:
                    a, b = np.atleast_1d(cupy.asnumpy(a)), np.atleast_1d(b)
                    a, b = a[np.atleast_1d(masks[k])], b[np.atleast_1d(masks[k])]
                check(a, b)

        return test

    return decorate


def _tolerance(given, dtype):
    if not isinstance(given, dict):
        return given
    found = given.get(dtype.type, given.get("default"))
    if found is None:
        raise TypeError(f"no tolerance is given for {dtype}, and no default")
    return found


def numpy_cupy_allclose(rtol=1e-7, atol=0, err_msg="", verbose=True, name="xp", type_check=True,
                        accept_error=False, sp_name=None, scipy_name=None, contiguous_check=True,
                        *, _check_sparse_format=True):  # fmt: skip
    for given in (rtol, atol):
        for key in given if isinstance(given, dict) else ():
            if not isinstance(key, type) and key != "default":
                raise TypeError("a tolerance is looked up by a type, as numpy.float32, or 'default'")
        if isinstance(given, dict) and not type_check:
            raise TypeError("without type_check, rtol and atol are numbers")

    def check(a, b):
        limits = _tolerance(rtol, a.dtype), _tolerance(atol, a.dtype)
        _arrays.assert_allclose(a, b, *limits, err_msg=err_msg, verbose=verbose)

    return _both(check, name, contiguous_check, accept_error, scipy_name)


def _comparing(check_name, contiguous=False, **defaults):
    """A decorator for one assertion; `defaults` are the assertion's own arguments."""

    def decorator(*args, name="xp", type_check=True, accept_error=False, sp_name=None,
                  scipy_name=None, strides_check=False, contiguous_check=contiguous, **kwargs):  # fmt: skip
        own = {**defaults, **dict(zip(defaults, args))}
        own.update({k: kwargs.pop(k) for k in list(kwargs) if k in own})
        if kwargs:
            raise TypeError(f"numpy_cupy_{check_name[7:]} has no argument {next(iter(kwargs))!r}")
        if strides_check:
            own["strides_check"] = True
        check = getattr(_arrays, check_name)
        return _both(lambda a, b: check(a, b, **own), name, contiguous_check, accept_error, scipy_name)

    decorator.__name__ = "numpy_cupy_" + check_name.removeprefix("assert_")
    return decorator


_said = {"err_msg": "", "verbose": True}
numpy_cupy_array_equal = _comparing("assert_array_equal", True, **_said)
numpy_cupy_array_list_equal = _comparing("assert_array_equal", **_said)
numpy_cupy_array_less = _comparing("assert_array_less", **_said)
numpy_cupy_array_almost_equal = _comparing("assert_array_almost_equal", decimal=6, **_said)
numpy_cupy_array_almost_equal_nulp = _comparing("assert_array_almost_equal_nulp", nulp=1)
numpy_cupy_array_max_ulp = _comparing("assert_array_max_ulp", maxulp=1, dtype=None)


def numpy_cupy_equal(name="xp", sp_name=None, scipy_name=None):
    """The test returns something that compares with ==."""

    def decorate(function):
        @without(function, name, scipy_name)
        def test(*args, **kwargs):
            results = _results(function, args, kwargs, name, scipy_name, False)
            if results is not None and results[0] != results[1]:
                raise AssertionError(f"the results differ\ncupy: {results[0]}\nnumpy: {results[1]}")

        return test

    return decorate


def numpy_cupy_raises(name="xp", sp_name=None, scipy_name=None, accept_error=Exception):
    """The test raises an error of one kind with both. CuPy says `pytest.raises` is to be used instead."""
    import warnings

    warnings.warn("numpy_cupy_raises is deprecated: use pytest.raises", DeprecationWarning, stacklevel=2)

    def decorate(function):
        @without(function, name, scipy_name)
        def test(*args, **kwargs):
            (_, ours), (_, numpys) = _run_both(function, args, kwargs, name, scipy_name)
            _check_errors(ours, numpys, accept_error)

        return test

    return decorate
