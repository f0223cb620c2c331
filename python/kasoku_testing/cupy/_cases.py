"""Decorators that run a test for every dtype, order or set of attributes."""

import functools
import inspect
import itertools
import sys
import unittest

import numpy as np


def without(function, *names):
    """functools.wraps for a wrapper that gives these arguments itself."""

    def decorate(wrapper):
        functools.update_wrapper(wrapper, function)
        signature = inspect.signature(function)
        kept = [p for n, p in signature.parameters.items() if n not in names]
        wrapper.__signature__ = signature.replace(parameters=kept)
        return wrapper

    return decorate


_wraps_partial = without  # its name in CuPy


def _skips():
    pytest = sys.modules.get("pytest")
    return (unittest.SkipTest, pytest.skip.Exception) if pytest else (unittest.SkipTest,)


def _for_each(names, values):
    """Runs the test with each of `values`, tuples for `names`."""

    def decorate(function):
        @without(function, *names)
        def test(*args, **kwargs):
            for value in values:
                chosen = dict(zip(names, value))
                try:
                    function(*args, **kwargs, **chosen)
                except _skips() as skip:
                    print("skipped with", chosen, skip)
                except Exception:
                    print("with", chosen)
                    raise

        return test

    return decorate


_complex = (np.complex64, np.complex128)
_float = (np.float64, np.float32, np.float16)
_signed = tuple(np.dtype(c).type for c in "bhilq")
_unsigned = tuple(np.dtype(c).type for c in "BHILQ")


def _contains_signed_and_unsigned(arguments):
    """Whether dtypes with and without a sign meet: negative numbers in unsigned ones are nobody's to define."""
    given = [v for v in arguments.values() if isinstance(v, type) and issubclass(v, np.number)]
    return any(v in _unsigned for v in given) and any(v in _signed + _float for v in given)


def _types(dtypes):
    return [np.dtype(dtype).type for dtype in dtypes]


def _all(no_float16=False, no_bool=False, no_complex=False):
    dtypes = _float[: 2 if no_float16 else 3] + _signed + _unsigned
    return dtypes + (() if no_bool else (np.bool_,)) + (() if no_complex else _complex)


def _ints(no_bool=False):
    return _signed + _unsigned + (() if no_bool else (np.bool_,))


def for_dtypes(dtypes, name="dtype"):
    return _for_each([name], [(dtype,) for dtype in _types(dtypes)])


def for_all_dtypes(name="dtype", no_float16=False, no_bool=False, no_complex=False):
    return for_dtypes(_all(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name="dtype", no_float16=False):
    return for_dtypes(_float[: 2 if no_float16 else 3], name)


def for_signed_dtypes(name="dtype"):
    return for_dtypes(_signed, name)


def for_unsigned_dtypes(name="dtype"):
    return for_dtypes(_unsigned, name)


def for_int_dtypes(name="dtype", no_bool=False):
    return for_dtypes(_ints(no_bool), name)


def for_complex_dtypes(name="dtype"):
    return for_dtypes(_complex, name)


def for_dtypes_combination(types, names=("dtype",), full=None):
    """Every combination if `full`; else each dtype stands at each place once or more."""
    types, names = _types(types), list(names)
    if full:
        values = list(itertools.product(types, repeat=len(names)))
    else:
        # The k-th name goes through the types in steps of its own.
        count = len(types)
        steps = [k + 1 for k in range(len(names))]
        values = [tuple(types[(i * s) % count] for s in steps) for i in range(count)]
        values += [tuple(types[(i + s - 1) % count] for s in steps) for i in range(count)]
        values = list(dict.fromkeys(values))
    return _for_each(names, values)


def for_all_dtypes_combination(names=("dtyes",), no_float16=False, no_bool=False, full=None, no_complex=False):
    return for_dtypes_combination(_all(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(names=("dtype",), full=None):
    return for_dtypes_combination(_signed, names, full)


def for_unsigned_dtypes_combination(names=("dtype",), full=None):
    return for_dtypes_combination(_unsigned, names, full)


def for_int_dtypes_combination(names=("dtype",), no_bool=False, full=None):
    return for_dtypes_combination(_ints(no_bool), names, full)


def for_orders(orders, name="order"):
    return _for_each([name], [(order,) for order in orders])


def for_CF_orders(name="order"):
    return for_orders([None, "C", "F", "c", "f"], name)


def for_contiguous_axes(name="axis"):
    """The axes that are contiguous for the test's self.shape and self.order."""

    def decorate(function):
        @without(function, name)
        def test(self, *args, **kwargs):
            ndim = len(self.shape)
            order = self.order if isinstance(self.order, str) else "C"
            for k in range(ndim):
                axis = tuple(range(k + 1)) if order in ("f", "F") else tuple(range(k, ndim))
                function(self, *args, **kwargs, **{name: axis})

        return test

    return decorate


# ── classes with attributes ───────────────────────────────────────────────────────────────────


def product(parameter):
    """Dictionaries of every combination of the values."""
    keys = sorted(parameter)
    return [dict(zip(keys, values)) for values in itertools.product(*(parameter[k] for k in keys))]


def product_dict(*parameters):
    return [{k: v for one in chosen for k, v in one.items()} for chosen in itertools.product(*parameters)]


def parameterize(*params, _ids=True):
    """The class once for each dictionary, whose items become attributes."""

    def of_unittest(cls):
        module = sys.modules[cls.__module__]
        for k, given in enumerate(params):
            members = {n: staticmethod(v) if inspect.isfunction(v) else v for n, v in given.items()}
            for name, value in inspect.getmembers(cls, inspect.isfunction):
                if name.startswith("test_"):
                    members[name] = value
            name = f"{cls.__name__}_param_{k}"
            setattr(module, name, type(name, (cls,), {**members, "__module__": cls.__module__}))

    def decorate(cls):
        if issubclass(cls, unittest.TestCase):
            return of_unittest(cls)
        import pytest

        ids = [str(k) for k in range(len(params))] if _ids else None

        @pytest.fixture(autouse=True, params=params, ids=ids)
        def _attributes(self, request):
            for name, value in request.param.items():
                setattr(self, name, value)

        cls._cupy_testing_attributes = _attributes
        return cls

    return decorate
