"""Random orders."""

from ._sample import permutation, shuffle  # noqa: F401
