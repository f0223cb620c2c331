"""numba.cuda.testing: what tests of kernels are written with."""

import unittest


class CUDATestCase(unittest.TestCase):
    def assertPreciseEqual(self, first, second, **options):  # noqa: N802
        import numpy as np

        np.testing.assert_array_equal(first, second)


ContextResettingTestCase = CUDATestCase


def _as_it_is(reason):
    """Kernels run here, by a simulator or not: nothing is skipped."""
    return lambda test: test


skip_on_cudasim = skip_unless_cudasim = skip_if_external_memmgr = _as_it_is


def cc_X_or_above(major, minor):  # noqa: N802
    return True


def skip_unless_cc_50(test):
    return test


skip_unless_cc_53 = skip_unless_cc_60 = skip_unless_cc_75 = skip_unless_cc_50
