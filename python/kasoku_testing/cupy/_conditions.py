"""When a test runs, and with which random numbers."""

import contextlib
import functools
import importlib.metadata
import inspect
import unittest
import warnings
from unittest import mock

import numpy as np

import kasoku.compat.cupy as cupy


def installed(*specifiers):
    """Whether each requirement, as "numpy>=1.20", is met."""
    from packaging.requirements import Requirement

    for text in specifiers:
        wanted = Requirement(text)
        try:
            found = cupy.__version__ if wanted.name == "cupy" else importlib.metadata.version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            return False
        if wanted.specifier and not wanted.specifier.contains(found, prereleases=True):
            return False
    return True


def with_requires(*requirements):
    import pytest

    return pytest.mark.skipif(not installed(*requirements), reason="requires: " + ",".join(requirements))


def numpy_satisfies(version_range):
    return installed("numpy" + version_range)


def slow(*args, **kwargs):
    import pytest

    return pytest.mark.slow(*args, **kwargs)


def multi_gpu(gpu_num):
    """The test runs if there are so many devices."""
    import pytest

    few = cupy.cuda.runtime.getDeviceCount() < gpu_num
    return pytest.mark.skipif(few, reason=f"{gpu_num} GPUs required")


@contextlib.contextmanager
def assert_warns(expected):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
    if not any(isinstance(one.message, expected) for one in seen):
        raise AssertionError(f"{getattr(expected, '__name__', expected)} was not warned of")


@contextlib.contextmanager
def assert_function_is_called(target, *args, times_called=1, **kwargs):
    if target.startswith("cupy"):
        target = "kasoku.compat." + target
    with mock.patch(target, *args, **kwargs) as handle:
        yield
    assert handle.call_count == times_called


AssertFunctionIsCalled = assert_function_is_called


class _NumpyAlias(unittest.TestCase):
    cupy_func = property(lambda self: getattr(cupy, self.func))
    numpy_func = property(lambda self: getattr(np, self.func))


class NumpyAliasBasicTestBase(_NumpyAlias):
    def test_argspec(self):
        assert inspect.signature(self.cupy_func) == inspect.signature(self.numpy_func)

    def test_docstring(self):
        assert self.cupy_func.__doc__ and self.cupy_func.__doc__ is not self.numpy_func.__doc__


class NumpyAliasValuesTestBase(_NumpyAlias):
    def test_values(self):
        assert self.cupy_func(*self.args) == self.numpy_func(*self.args)


# ── random numbers ────────────────────────────────────────────────────────────────────────────

_depth = 0


@contextlib.contextmanager
def _fixed():
    """Seeds of NumPy, random and cupy for the outermost of nested uses."""
    import random

    global _depth
    kept = random.getstate(), np.random.get_state()
    if _depth == 0:
        random.seed(99)
        np.random.seed(100)
        cupy.random.seed(101)
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0:
            random.setstate(kept[0])
            np.random.set_state(kept[1])


def fix_random():
    def decorate(what):
        if inspect.isfunction(what):

            @functools.wraps(what)
            def test(*args, **kwargs):
                with _fixed():
                    return what(*args, **kwargs)

            return test
        set_up, tear_down = what.setUp, what.tearDown

        def setUp(self):
            self._cupy_fixed = _fixed()
            self._cupy_fixed.__enter__()
            set_up(self)

        def tearDown(self):
            try:
                tear_down(self)
            finally:
                self._cupy_fixed.__exit__(None, None, None)

        what.setUp, what.tearDown = setUp, tearDown
        return what

    return decorate


def generate_seed():
    assert _depth > 0, "generate_seed() belongs into a test of fix_random()"
    return np.random.randint(0x7FFFFFFF)


# ── repeated ──────────────────────────────────────────────────────────────────────────────────


def repeat_with_success_at_least(times, min_success):
    """The test runs so often and has to pass so often."""
    assert min_success <= times, f"a test that runs {times} times does not pass {min_success} times"

    def decorate(function):
        @functools.wraps(function)
        def test(*args, **kwargs):
            passed, first = 0, None
            for k in range(times):
                try:
                    function(*args, **kwargs)
                except unittest.SkipTest:
                    raise
                except Exception as error:
                    first = first or error
                else:
                    passed += 1
                if passed >= min_success:
                    return
                if passed + times - k - 1 < min_success:
                    break
            raise AssertionError(
                f"passed {passed} times of {times}, not {min_success}; first error message: {first}"
            ) from first

        return test

    return decorate


def repeat(times, intensive_times=None):
    return repeat_with_success_at_least(times, times)


def retry(times):
    return repeat_with_success_at_least(times, 1)
