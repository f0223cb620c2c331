"""cupy.linalg._util: helpers of shapes that tests import."""

import kasoku as ks

from .. import _arrays


def stacked_identity(batch_shape, n, dtype):
    """An identity for each place of `batch_shape`."""
    return ks.broadcast_to(_arrays.eye(n, dtype=dtype), (*batch_shape, n, n)).copy()
