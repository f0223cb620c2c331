"""numba.cuda.testing: what tests of kernels are written with."""

import pathlib
import unittest

from .testing import SerialMixin, TestCase, captured_stdout  # noqa: F401

test_data_dir = pathlib.Path(__file__).parent


class CUDATestCase(TestCase):
    def skip_if_lto(self, reason):
        """Nothing is linked late here."""


ContextResettingTestCase = CUDATestCase


class ForeignArray:
    """An array of somebody else: nothing but its interface."""

    def __init__(self, array):
        self._arr = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def _as_it_is(reason):
    """Kernels run here, by a simulator or not: nothing is skipped."""
    return lambda test: test


skip_on_cudasim = skip_unless_cudasim = skip_if_external_memmgr = skip_under_cuda_memcheck = _as_it_is
skip_on_arm = skip_with_cuda_python = skip_unless_conda_cudatoolkit = skip_if_cuda_includes_missing = _as_it_is


def xfail_unless_cudasim(test):
    return unittest.skip("the driver's own failures are not there")(test)


def skip_if_cudadevrt_missing(test):
    return test


skip_if_mvc_enabled = skip_if_mvc_libraries_unavailable = skip_with_nvdisasm = skip_without_nvdisasm = _as_it_is


def cc_X_or_above(major, minor):  # noqa: N802
    return True


def skip_unless_cc_50(test):
    return test


skip_unless_cc_53 = skip_unless_cc_60 = skip_unless_cc_75 = skip_unless_cc_50
__all__ = [name for name in globals() if not name.startswith("_")]
