"""A compiled function beside the same function in Python."""

import copy

import numpy as np
import pytest

import kasoku as ks


def agrees(function, *arguments):
    """The function gives, raises and leaves in its arguments when compiled what it does in Python, at the second call too."""
    compiled = ks.njit(function)
    for _ in range(2):
        theirs, ours = copy.deepcopy(arguments), copy.deepcopy(arguments)
        try:
            wanted = function(*theirs)
        except Exception as error:
            with pytest.raises(type(error)) as raised:
                compiled(*ours)
            if isinstance(error, KeyError) and not isinstance(error.args[0], str):
                assert repr(raised.value.args) == repr(error.args)
        else:
            same(compiled(*ours), wanted)
        same(ours, theirs)


def same(got, wanted, has_own_type=True):
    """Equal values of one type, in containers too; a number of NumPy's is as good as Python's. Items of a compiled list have one
    type, so an integer beside floats is a float there."""
    if isinstance(wanted, np.ndarray):
        np.testing.assert_array_equal(got, wanted, strict=True)
    elif isinstance(wanted, dict):
        assert type(got) is type(wanted)
        same(list(got.items()), list(wanted.items()))
    elif isinstance(wanted, (list, tuple)):
        assert type(got) is type(wanted) and len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            same(one, other, not isinstance(wanted, list))
    else:
        got, wanted = (x.item() if isinstance(x, np.generic) else x for x in (got, wanted))
        assert type(got) is type(wanted) or not has_own_type
        np.testing.assert_equal(got, wanted)
