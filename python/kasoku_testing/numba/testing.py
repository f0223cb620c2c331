"""numba.testing: a test case that compares values with their types, and small helpers of tests."""

import contextlib
import importlib.util
import io
import sys
import tempfile
import unittest

import numpy as np


class TestCase(unittest.TestCase):
    """unittest's, with a comparison that also looks at types."""

    longMessage = True
    random = np.random.RandomState(42)

    def assertPreciseEqual(  # noqa: N802
        self, first, second, prec="exact", ulps=1, msg=None, ignore_sign_on_zero=False, abs_tol=None
    ):
        if isinstance(first, (tuple, list)):
            self.assertEqual(len(first), len(second), msg)
            for one, other in zip(first, second, strict=True):
                self.assertPreciseEqual(one, other, prec, ulps, msg, ignore_sign_on_zero, abs_tol)
            return
        if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
            first, second = np.asarray(first), np.asarray(second)
            self.assertEqual((first.shape, first.dtype), (second.shape, second.dtype), msg)
        elif isinstance(first, (bool, np.bool_)) != isinstance(second, (bool, np.bool_)):
            self.fail(msg or f"{first!r} and {second!r} are of different types")
        if prec == "exact" and abs_tol is None:
            np.testing.assert_array_equal(first, second, msg or "")
        else:
            dtype = np.result_type(np.asarray(first), np.float32)
            eps = np.finfo(np.float32 if prec == "single" else dtype).eps * ulps
            np.testing.assert_allclose(first, second, rtol=4 * eps, atol=abs_tol if isinstance(abs_tol, float) else eps)

    @contextlib.contextmanager
    def assertTypingError(self):  # noqa: N802
        from kasoku.compat.numba.core.errors import TypingError

        with self.assertRaises(TypingError) as caught:
            yield caught

    def assertStridesEqual(self, first, second):  # noqa: N802
        """Of axes of one element, or of arrays of none, strides mean nothing."""
        self.assertEqual((first.ndim, first.itemsize), (second.ndim, second.itemsize))
        for one, other, length in zip(first.strides, second.strides, first.shape, strict=True):
            if length > 1 and first.size:
                self.assertEqual(one, other)

    @contextlib.contextmanager
    def assertRefCount(self, *objects):  # noqa: N802
        """Nobody holds more of them afterwards."""
        before = [sys.getrefcount(one) for one in objects]
        yield
        self.assertEqual(before, [sys.getrefcount(one) for one in objects])

    def assertRefCountEqual(self, *objects):  # noqa: N802
        self.assertEqual(len({sys.getrefcount(one) for one in objects}), 1)

    def assertNoNRTLeak(self):  # noqa: N802
        """Memory is not counted here."""
        return contextlib.nullcontext()

    def reset_module_warnings(self, module):
        """What a module has warned of it will warn of again."""
        vars(sys.modules[module] if isinstance(module, str) else module).pop("__warningregistry__", None)

    def make_dummy_type(self):
        """A class that nobody knows."""
        return type("Dummy", (), {})

    @staticmethod
    def run_test_in_subprocess(maybefunc=None, timeout=60, envvars=None):
        """The test runs in this process, unless it needs variables of an environment of its own."""

        def mark(test):
            return unittest.skip("needs an environment of its own")(test) if envvars else test

        return mark(maybefunc) if callable(maybefunc) else mark

    def disable_leak_check(self):
        """Memory is not counted here."""


class MemoryLeakMixin:
    def disable_leak_check(self):
        """Memory is not counted here."""

    memory_leak_setup = memory_leak_teardown = disable_leak_check

    def assert_no_memory_leak(self):
        return contextlib.nullcontext()


class SerialMixin:
    """Of tests that run alone."""


def captured_stdout():
    """What is printed meanwhile."""
    return captured_output("stdout")


def captured_stderr():
    return captured_output("stderr")


@contextlib.contextmanager
def captured_output(name):
    before, text = getattr(sys, name), io.StringIO()
    setattr(sys, name, text)
    try:
        yield text
    finally:
        setattr(sys, name, before)


@contextlib.contextmanager
def override_config(name, value):
    """Another value of numba.config for a while."""
    from kasoku.compat.numba.core.config import config

    before = getattr(config, name)
    setattr(config, name, value)
    try:
        yield
    finally:
        setattr(config, name, before)


def tag(*tags):
    return lambda test: test


def _as_it_is(test):
    return test


skip_parfors_unsupported = skip_if_32bit = skip_if_typeguard = skip_unless_py312 = needs_subprocess = needs_blas = (
    _as_it_is
)
skip_unless_scipy = unittest.skipUnless(importlib.util.find_spec("scipy"), "needs SciPy")
needs_lapack = expected_failure_py311 = expected_failure_py312 = expected_failure_py313 = expected_failure_np2 = (
    _as_it_is
)
_32bit, IS_NUMPY_2 = False, int(np.__version__.split(".")[0]) >= 2
MemoryLeak = EnableNRTStatsMixin = MemoryLeakMixin
always_test = skip_unless_py10_or_later = skip_unless_py10 = skip_if_py313_on_windows = _as_it_is
skip_if_numpy_2 = unittest.skipIf(IS_NUMPY_2, "of NumPy before 2")
no_pyobj_flags, enable_pyobj_flags, force_pyobj_flags = {"nopython": True}, {}, {"forceobj": True}


@contextlib.contextmanager
def temp_directory(prefix):
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        yield folder
