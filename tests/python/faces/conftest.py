"""Fixtures of the faces' tests."""

import pytest

import kasoku as ks


@pytest.fixture
def cp(device):
    """cupy, whose current device is the one of the test."""
    from kasoku.compat import cupy

    old = cupy.cuda._device._scopes.used
    cupy.cuda._device._scopes.used = ks.Device(device)
    yield cupy
    cupy.cuda._device._scopes.used = old
