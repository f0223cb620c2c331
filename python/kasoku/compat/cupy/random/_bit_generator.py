"""Seeds of generators. Whatever the name, the numbers are those of one counter generator (Philox4x32-10)."""

import numpy as np

import kasoku as ks

from .. import _arrays, _util, cuda


def whole_seed(seed):
    """A seed as an integer, of an integer or an array of integers; None stays."""
    if seed is None:
        return None
    if isinstance(seed, np.random.SeedSequence):
        return int(seed.generate_state(1, np.uint64)[0])
    values = np.asarray(_arrays.asnumpy(seed) if isinstance(seed, ks.Array) else seed)
    if values.dtype.kind not in "biu":
        raise TypeError(f"a seed is an integer or integers, not {seed!r}")
    if values.ndim == 0:
        return int(values)
    return int(np.random.SeedSequence(values.astype(np.uint64).ravel()).generate_state(1, np.uint64)[0])


@_util.in_face
class BitGenerator:
    """A seed; the generator behind it is the engine's."""

    def __init__(self, seed=None, *, size=-1):
        self._g = ks.random.default_rng(whole_seed(seed))

    def random_raw(self, size=None, output=True):
        """Integers of 32 bits."""
        result = self._g.integers(0, 2**32 - 1, size, dtype=np.uint32, endpoint=True, device=cuda._device.current())
        return result if output else None


XORWOW, MRG32k3a, Philox4x3210 = (
    type(name, (BitGenerator,), {"__module__": __name__}) for name in ("XORWOW", "MRG32k3a", "Philox4x3210")
)
