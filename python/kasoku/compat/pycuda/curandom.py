"""pycuda.curandom: random numbers, from a counter generator (Philox4x32-10).

The generators of cuRAND are known by their names; all are the same generator here, with a stream of
its own each, so the numbers are not cuRAND's. They do not depend on the device or the grid."""

import itertools
import os

import numpy as np

from . import _kernels
from .gpuarray import GPUArray

_philox = """
struct ks_words { unsigned v[4]; };
__device__ inline ks_words ks_philox(unsigned long long counter, unsigned draw, unsigned key0,
                                     unsigned key1) {
  unsigned c0 = (unsigned)counter, c1 = (unsigned)(counter >> 32), c2 = draw, c3 = 0;
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p0 = 0xD2511F53ull * c0, p1 = 0xCD9E8D57ull * c2;
    const unsigned n0 = (unsigned)(p1 >> 32) ^ c1 ^ key0, n2 = (unsigned)(p0 >> 32) ^ c3 ^ key1;
    c1 = (unsigned)p1; c3 = (unsigned)p0; c0 = n0; c2 = n2;
    key0 += 0x9E3779B9u; key1 += 0xBB67AE85u;
  }
  ks_words w; w.v[0] = c0; w.v[1] = c1; w.v[2] = c2; w.v[3] = c3;
  return w;
}
__device__ inline double ks_uniform64(unsigned a, unsigned b) {
  return ((((unsigned long long)a << 32 | b) >> 11) + 0.5) * 1.1102230246251565e-16;
}
"""
_head = "const ks_words w = ks_philox(i, draw, key0, key1);"
_gauss = "sqrt(-2.0 * log(ks_uniform64(w.v[0], w.v[1]))) * cospi(2.0 * ks_uniform64(w.v[2], w.v[3]))"
_texts = {
    "bits": f"{_head} z = (T)((unsigned long long)w.v[0] << 32 | w.v[1]);",
    "bits32": f"{_head} z = (T)w.v[0];",
    "uniform32": f"{_head} z = (T)((w.v[0] >> 8) * 5.9604644775390625e-8f);",
    "uniform": f"{_head} z = (T)((((unsigned long long)w.v[0] << 32 | w.v[1]) >> 11) * 1.1102230246251565e-16);",
    "normal": f"{_head} z = (T)({_gauss} * b + a);",
    "log_normal": f"{_head} z = (T)exp({_gauss} * b + a);",
    "poisson": f"""{_head}
      if (a < 64.0) {{
        double p = exp(-a), sum = p, u = ks_uniform64(w.v[0], w.v[1]); int k = 0;
        while (u > sum && k < 1000) {{ ++k; p *= a / k; sum += p; }}
        z = (T)k;
      }} else {{
        const double x = floor(a + sqrt(a) * ({_gauss}) + 0.5);
        z = (T)(x < 0.0 ? 0.0 : x);
      }}""",
}
_streams = itertools.count()


class _State:
    """A key (seed and stream) and how many draws were made."""

    def __init__(self, seed=None):
        seed = int.from_bytes(os.urandom(8), "little") if seed is None else int(seed)
        self.key0, self.key1 = seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF
        self.draw = 0

    def fill(self, kind, array, a=0.0, b=1.0, stream=None):
        if array.size == 0:
            return array
        _kernels.element_kernel(
            "uint32 draw, uint32 key0, uint32 key1, float64 a, float64 b", "T z", _texts[kind],
            f"curandom_{kind}", _philox,
        )(self.draw, self.key0, self.key1, float(a), float(b), array, stream=stream)  # fmt: skip
        self.draw = (self.draw + 1) & 0xFFFFFFFF
        return array


_default = None


def rand(shape, dtype=np.float32, stream=None):
    """Uniform numbers in [0, 1); integers of all bits for integer dtypes."""
    global _default
    _default = _default or _State()
    array = GPUArray(shape, dtype)
    _default.fill(_uniform_kind(array.dtype), array, stream=stream)
    return array


def _uniform_kind(dtype):
    if dtype.kind in "iu":
        return "bits" if dtype.itemsize == 8 else "bits32"
    if dtype.kind != "f":
        raise NotImplementedError(f"there are no uniform numbers of dtype {dtype}")
    return "uniform32" if dtype.itemsize < 8 else "uniform"


def seed_getter_uniform(count):
    return GPUArray(count, np.int32).fill(np.random.randint(0, 2**31 - 1))


def seed_getter_unique(count):
    from .gpuarray import to_gpu

    return to_gpu(np.random.randint(0, 2**31 - 1, count).astype(np.int32))


def get_curand_version():
    return (10, 4, 0)


class _Generator:
    """fill_ and gen_ of uniform, normal, log_normal, poisson."""

    def __init__(self, seed_getter=None, offset=0, dir_vector=None, scramble_vector=None, **kwargs):
        seed = None
        if seed_getter is not None:
            seed = int.from_bytes(seed_getter(256).get().tobytes()[:8], "little")
        self._state = _State(seed)
        self._state.draw = int(offset)
        self.generators_per_block, self.block_count = 256, 1

    def fill_uniform(self, data, stream=None):
        self._state.fill(_uniform_kind(data.dtype), data, stream=stream)

    def fill_normal(self, data, stream=None):
        self._state.fill("normal", data, stream=stream)

    def fill_log_normal(self, data, mean, stddev, stream=None):
        self._state.fill("log_normal", data, mean, stddev, stream)

    def fill_poisson(self, data, lambda_value=None, stream=None):
        if lambda_value is None:
            # As PyCUDA has it: each element says its own mean.
            self._own_means(data, stream)
        else:
            self._state.fill("poisson", data, lambda_value, stream=stream)

    def _own_means(self, data, stream):
        _kernels.element_kernel(
            "uint32 draw, uint32 key0, uint32 key1", "T z",
            "const double a = (double)z; " + _texts["poisson"], "curandom_own_poisson", _philox,
        )(self._state.draw, self._state.key0, self._state.key1, data, stream=stream)  # fmt: skip
        self._state.draw += 1

    def _new(self, fill, shape, dtype, *parameters):
        result = GPUArray(shape, dtype)
        fill(result, *parameters)
        return result

    def gen_uniform(self, shape, dtype, stream=None):
        return self._new(self.fill_uniform, shape, dtype, stream)

    def gen_normal(self, shape, dtype, stream=None):
        return self._new(self.fill_normal, shape, dtype, stream)

    def gen_log_normal(self, shape, dtype, mean, stddev, stream=None):
        return self._new(self.fill_log_normal, shape, dtype, mean, stddev, stream)

    def gen_poisson(self, shape, dtype, lambda_value, stream=None):
        return self._new(self.fill_poisson, shape, dtype, lambda_value, stream)

    def call_skip_ahead(self, count, stream=None):
        self._state.draw = (self._state.draw + int(count)) & 0xFFFFFFFF

    call_skip_ahead_sequence = call_skip_ahead

    def call_skip_ahead_array(self, counts, stream=None):
        self.call_skip_ahead(int(counts.get().max()))

    call_skip_ahead_sequence_array = call_skip_ahead_array


for _name in "XORWOW MRG32k3a Sobol32 ScrambledSobol32 Sobol64 ScrambledSobol64".split():
    globals()[f"{_name}RandomNumberGenerator"] = type(f"{_name}RandomNumberGenerator", (_Generator,), {})
