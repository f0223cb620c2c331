"""numba.testing, numba.cuda.testing and numba.tests."""
