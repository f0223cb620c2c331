"""cupy.cuda.cufft: plans of transforms. The engine plans its own: a plan here remembers what it was made for."""

import threading

import kasoku as ks

CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D = 0x29, 0x2A, 0x2C, 0x69, 0x6A, 0x6C
CUFFT_FORWARD, CUFFT_INVERSE = -1, 1
_current = threading.local()


class Plan:
    """What a transform may be given, or what may be current (`with plan`); it changes nothing of what is computed."""

    def __init__(self, shape, axes, value_type):
        self.shape, self.axes, self.value_type = shape, axes, value_type

    def __enter__(self):
        if get_current_plan() is not None:
            raise RuntimeError("a plan is current already")
        _current.plan = self
        return self

    def __exit__(self, *_):
        _current.plan = None


class Plan1d(Plan):
    """Transforms of `batch` rows of `nx` elements, as cuFFT scales them: not at all."""

    def __init__(self, nx, fft_type, batch, *, devices=None, out=None):
        if devices is not None:
            raise ks.errors.UnsupportedError("cupy.cuda.cufft.Plan1d: a plan is of one device")
        self.nx, self.fft_type, self.batch = int(nx), fft_type, int(batch)
        super().__init__((self.batch, self.nx), (-1,), fft_type)

    def fft(self, a, out, direction):
        """The transform of `a` into `out`; of real numbers a plan has one direction."""
        rows = a.reshape(self.batch, -1)
        if self.fft_type in (CUFFT_R2C, CUFFT_D2Z):
            result = ks.fft.rfft(rows, self.nx)
        elif self.fft_type in (CUFFT_C2R, CUFFT_Z2D):
            result = ks.fft.irfft(rows, self.nx, norm="forward")
        elif direction == CUFFT_FORWARD:
            result = ks.fft.fft(rows, self.nx)
        else:
            result = ks.fft.ifft(rows, self.nx, norm="forward")
        out[...] = result.reshape(out.shape)

    def get_output_array(self, a):
        """Memory for what becomes of `a`."""
        n = self.nx // 2 + 1 if self.fft_type in (CUFFT_R2C, CUFFT_D2Z) else self.nx
        dtypes = {CUFFT_C2R: "float32", CUFFT_Z2D: "float64", CUFFT_C2C: "complex64", CUFFT_R2C: "complex64"}
        from .. import empty

        return empty((*a.shape[:-1], n), dtypes.get(self.fft_type, "complex128"))


def get_current_plan():
    """The plan of the innermost `with`, or None."""
    return getattr(_current, "plan", None)
