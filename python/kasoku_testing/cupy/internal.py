"""Names of CuPy's inner modules that only its tests import: helpers of shapes and numbers."""

import math
import operator
import os
import subprocess

import numpy as np

import kasoku as ks
import kasoku.compat.cupy as cupy


def prod(values):
    return math.prod(values)


prod_sequence = prod


def is_in(sequence, value):
    return any(one is value for one in sequence)


def vector_equal(x, y):
    return list(x) == list(y)


def clp2(x):
    """The power of two that is not below x."""
    return 0 if x == 0 else 1 << (int(x) - 1).bit_length()


def get_c_contiguity(shape, strides, itemsize):
    from kasoku._namespace.memory import is_contiguous

    return is_contiguous(tuple(shape), tuple(strides), itemsize, "C")


def infer_unknown_dimension(shape, size):
    """The shape with -1 replaced by the length that makes it `size` elements."""
    unknown = [axis for axis, length in enumerate(shape) if length == -1]
    if len(unknown) > 1:
        raise ValueError("can only specify only one unknown dimension")
    known = math.prod(length for length in shape if length != -1)
    return [size // known if axis in unknown and known else length for axis, length in enumerate(shape)]


def complete_slice(one, length):
    """The slice without None and negative places."""
    for part in (one.start, one.stop, one.step):
        if part is not None:
            operator.index(part)
    if one.step == 0:
        raise ValueError("slice step cannot be zero")
    start, stop, step = one.indices(length)
    return slice(start, max(start, stop) if step > 0 else min(start, stop), step)


def to_float16(x):
    """The bits of a number as float16."""
    return int(np.float16(x).view(np.uint16))


def from_float16(bits):
    return float(np.uint16(bits).view(np.float16))


@ks._core._in_face
def _scan_for_test(a, out=None):
    """The running sum of the elements."""
    if not isinstance(a, ks.Array):
        raise TypeError("a running sum is of an array")
    if a.ndim != 1:
        raise TypeError(f"a running sum is of an array with one axis, not {a.ndim}")
    return ks.cumsum(a, dtype=a.dtype, out=out)


def _default_fft_func(a, s=None, axes=None, plan=None, value_type="C2C"):
    """Which transforms several axes: always the one of all at once."""
    return ks.fft.fftn


def _size_last_transform_axis(shape, s, axes):
    """The length that the last transformed axis has."""
    if s is not None:
        if s[-1] is not None:
            return s[-1]
    elif axes is None:
        return shape[-1]
    return shape[-1 if axes is None else axes[-1]]


def stacked_identity(batch_shape, n, dtype):
    """An identity for each place of `batch_shape`."""
    return ks.broadcast_to(cupy.eye(n, dtype=dtype), (*batch_shape, n, n)).copy()


def get_cache_dir():
    return os.environ.get("CUPY_CACHE_DIR", os.path.expanduser("~/.cupy/kernel_cache"))


def _run_cc(command, folder, backend, log_stream=None):
    """What a compiler of the toolkit's prints."""
    return subprocess.check_output(command, cwd=folder, text=True)


def _get_bool_env_variable(name, default):
    return bool(int(os.environ.get(name, default)))


def _get_arch():
    return cupy.cuda.Device().compute_capability


_empty_file_preprocess_cache = {}


@ks._core._in_face
def apply_iir(x, a, axis=-1, zi=None, dtype=None, block_sz=1024):
    """y[n] = x[n] + a[0] y[n - 1] + a[1] y[n - 2] + …; `zi`: what came before."""
    from kasoku.compat.cupyx.scipy.signal import lfilter

    dtype = np.dtype(dtype or np.result_type(x.dtype, a.dtype, np.float32))
    ones = ks.ones(1, dtype, device=x.device)
    y = lfilter(
        ones, ks.concatenate((ones, -a.astype(dtype))), x.astype(dtype), axis, zi if zi is None else zi.astype(dtype)
    )
    return y if zi is None else y[0]


@ks._core._in_face
def _cplxreal(z, tol=None):
    """One of each pair of conjugate numbers, and the real ones."""
    from kasoku.compat.cupyx.scipy.signal._designs import _pairs

    z = np.atleast_1d(ks.asarray(z).numpy())
    made = _pairs(z) if z.size else z
    is_real = made.imag == 0
    return ks.array(made[~is_real]), ks.array(made[is_real].real)


def _output_len(taps, n, up, down):
    """How many elements upfirdn() gives."""
    from kasoku.compat.cupyx.scipy.signal._rates import _length

    return _length(taps, n, up, down)


@ks._core._in_face
def _polyder(p, m):
    """The derivative of order m of polynomials, the columns; a row of zeros if none is left."""
    for _ in range(m):
        n = p.shape[0] - 1
        if n == 0:
            return ks.zeros_like(p[:1])
        p = p[:-1] * ks.arange(n, 0, -1, device=p.device).reshape(-1, *(1,) * (p.ndim - 1))
    return p


def _compute_factors(roots, multiplicity, include_powers=False):
    """The products of all roots without each, or without each power of each, and the product of all."""
    from kasoku.compat.cupyx.scipy.signal._fractions import _product, _without

    powers = (
        [(k, n - 1 - p) for k, n in enumerate(multiplicity) for p in range(n)]
        if include_powers
        else [(k, 0) for k in range(len(roots))]
    )
    return [_without(roots, multiplicity, k, n) for k, n in powers], _product(roots, multiplicity)


def __getattr__(name):
    """Names of radial functions, under which CuPy's tests of them know the kinds."""
    from kasoku.compat.cupyx.scipy.interpolate import _radial

    same = {
        "_AVAILABLE": set(_radial._of_distance), "NAME_TO_FUNC": _radial._of_distance, "_SCALE_INVARIANT": _radial._of_any_scale,
        "_NAME_TO_MIN_DEGREE": _radial._least_degree, "_monomial_powers": lambda ndim, degree: ks.array(_radial._powers(ndim, degree)),
    }  # fmt: skip
    if name not in same:
        raise AttributeError(name)
    return same[name]


@ks._core._in_face
def polynomial_matrix(x, powers, out):
    """Products of coordinates with these exponents."""
    from kasoku.compat.cupyx.scipy.interpolate import _radial

    out[...] = _radial._products(x, powers.numpy())


@ks._core._in_face
def kernel_matrix(x, function, out):
    """A function of the distances between points."""
    from kasoku.compat.cupyx.scipy.interpolate import _radial

    out[...] = function(_radial._distances(x, x))
