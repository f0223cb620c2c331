"""Where compiled functions run whose arrays lie on a device."""

import numpy as np
import pytest

import kasoku as ks
from kasoku import _core

PLACES = [
    "as_device",
    pytest.param("cuda", marks=[pytest.mark.cuda, pytest.mark.skipif(not ks.has_device("cuda"), reason="no GPU")]),
]


@pytest.fixture(params=PLACES)
def place(request):
    """put(array) -> what is passed, get(result) -> NumPy, on one place."""

    class Place:
        name = request.param

        def put(self, x):
            return ks.asarray(x, device="cuda") if self.name == "cuda" and isinstance(x, np.ndarray) else x

        def get(self, x):
            if isinstance(x, tuple):
                return tuple(self.get(item) for item in x)
            return np.asarray(x.numpy()) if isinstance(x, ks.Array) else x

        def __enter__(self):
            self.before = _core._jit_offload_to_cpu(self.name == "as_device")

        def __exit__(self, *_):
            _core._jit_offload_to_cpu(self.before)

    return Place()
