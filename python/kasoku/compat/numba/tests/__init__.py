"""numba.tests: the helpers that other projects' tests import."""
