"""cupy.cuda.cufft: plans of transforms. The engine plans its own: a plan here remembers what it was made for."""

import threading

import kasoku as ks

from ..._layout import must_fit

CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D = 0x29, 0x2A, 0x2C, 0x69, 0x6A, 0x6C
CUFFT_FORWARD, CUFFT_INVERSE = -1, 1
_dtypes = {CUFFT_C2R: "float32", CUFFT_Z2D: "float64", CUFFT_C2C: "complex64", CUFFT_R2C: "complex64"}
_current = threading.local()


def get_current_plan():
    """The plan of the innermost `with`, or None."""
    return getattr(_current, "plan", None)


class _Plan:
    """A plan that a transform may be given, or that may be current (`with plan`). It changes no result."""

    def __enter__(self):
        if get_current_plan() is not None:
            raise RuntimeError("a plan is current already")
        _current.plan = self
        return self

    def __exit__(self, *_):
        _current.plan = None

    def _transformed(self, a, direction, lengths, axes):
        """As cuFFT scales them: not at all."""
        if self.fft_type in (CUFFT_R2C, CUFFT_D2Z):
            return ks.fft.rfftn(a, lengths, axes)
        if self.fft_type in (CUFFT_C2R, CUFFT_Z2D):
            return ks.fft.irfftn(a, lengths, axes, norm="forward")
        return (
            ks.fft.fftn(a, lengths, axes)
            if direction == CUFFT_FORWARD
            else ks.fft.ifftn(a, lengths, axes, norm="forward")
        )

    def _empty(self, shape, axis, n, order="C"):
        """An array for results, whose axis is half as long if these are half a spectrum."""
        from .. import empty

        shape = list(shape)
        shape[axis] = n // 2 + 1 if self.fft_type in (CUFFT_R2C, CUFFT_D2Z) else n
        return empty(shape, _dtypes.get(self.fft_type, "complex128"), order)

    def check_output_array(self, a, out):
        """That `out` is what get_output_array(a) would be."""
        wanted = self.get_output_array(a)
        must_fit(out, wanted.shape, wanted.dtype, f"cupy.cuda.cufft.{type(self).__name__}: the output", ValueError)


class Plan1d(_Plan):
    """Transforms of `batch` rows of `nx` elements."""

    def __init__(self, nx, fft_type, batch, *, devices=None, out=None):
        if devices is not None:
            raise ks.errors.UnsupportedError("cupy.cuda.cufft.Plan1d: a plan is of one device")
        self.nx, self.fft_type, self.batch = int(nx), fft_type, int(batch)

    def fft(self, a, out, direction):
        """The transform of `a` into `out`; of real numbers a plan has one direction."""
        out[...] = self._transformed(a.reshape(self.batch, -1), direction, (self.nx,), (-1,)).reshape(out.shape)

    def get_output_array(self, a):
        """Memory for what becomes of `a`."""
        return self._empty(a.shape, -1, self.nx)


class PlanNd(_Plan):
    """Transforms of `batch` arrays of a shape. The strides of what is embedded are those of the arrays that it gets."""

    def __init__(
        self, shape, inembed, istride, idist, onembed, ostride, odist, fft_type, batch, order, last_axis, last_size
    ):
        self.shape, self.fft_type, self.batch, self.order = tuple(map(int, shape)), fft_type, int(batch), order
        self.last_axis, self.last_size, n = last_axis, last_size, len(shape)
        self._axes = tuple(range(n) if order == "F" else range(-n, 0))

    def fft(self, a, out, direction):
        """The transform of `a` into `out`: over its last axes, or in Fortran's order its first ones, if get_fft_plan() was not told others."""
        lengths = list(self.shape)
        if self.last_size is not None:
            lengths[-1] = self.last_size
        out[...] = self._transformed(a, direction, lengths, self._axes)

    def get_output_array(self, a, order="C"):
        """Memory for what becomes of `a`."""
        axis = -1 if self.last_axis is None else self.last_axis
        return self._empty(a.shape, axis, a.shape[axis] if self.last_size is None else self.last_size, order)
