"""Rows of few elements, and what a call comes to, for tests of the shorter way that operations on few elements take."""

import numpy as np

from kasoku import _core

NUMBERS_OF_PROCESSORS = ["bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64"]
ROWS = [(name, arity) for name, arity, *_ in _core._ops() if arity < 3]


def values(dtype, seed):
    x = np.random.default_rng(seed).integers(1, 9, 10).astype(dtype)
    return x / 8 if x.dtype.kind in "fc" else x


def outcome(call):
    """Dtype and bytes, or the error."""
    try:
        with np.errstate(all="ignore"):
            x = call()
    except Exception as error:
        return type(error), str(error)
    return str(x.dtype), x.shape, np.asarray(x.numpy()).tobytes()
