"""cupyx.jit: kernels written in Python, by the compiler of kasoku.cuda.jit."""

from kasoku import cuda as _cuda

from .._face.table import names_of as _names_of

globals().update(_names_of(_cuda, """
    threadIdx blockIdx blockDim gridDim grid gridsize syncthreads syncwarp threadfence warpsize cg
"""))  # fmt: skip
for _name in "add sub max min exch inc dec cas and_ or_ xor".split():
    globals()["atomic_" + _name.rstrip("_")] = getattr(_cuda.atomic, _name)
shared_memory = _cuda._shared_memory
range = range  # in kernels `unroll=` means nothing: it is the compiler's


def _shuffle(word, place):
    """A word of a warp's, with `width`: lanes of so many see each other alone. place(lane, given, width) is whose value."""
    place = _cuda.jit(place, device=True)

    def shuffle(mask, var, val_id, width=None):
        if width is None:
            return word(mask, var, val_id)
        return _cuda.shfl_sync(mask, var, place(_cuda.laneid, val_id, width))

    return _cuda.jit(shuffle, device=True)


shfl_sync = _shuffle(_cuda.shfl_sync, lambda lane, at, width: lane // width * width + at % width)
shfl_up_sync = _shuffle(_cuda.shfl_up_sync, lambda lane, by, width: lane - by if lane % width >= by else lane)
shfl_down_sync = _shuffle(
    _cuda.shfl_down_sync, lambda lane, by, width: lane + by if lane % width + by < width else lane
)
shfl_xor_sync = _shuffle(
    _cuda.shfl_xor_sync, lambda lane, bits, width: lane ^ bits if (lane ^ bits) // width <= lane // width else lane
)


def laneid():
    """In a kernel: the thread's place in its warp."""
    return _cuda.laneid


class _Kernel:
    """kernel[grid, block](args) or kernel(grid, block, args)."""

    def __init__(self, function):
        self._kernel = _cuda.jit(function)
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __getitem__(self, shape):
        return lambda *args, **kwargs: self(*shape, args, **kwargs)

    cached_codes = property(
        lambda self: self._kernel.inspect_text(), doc="The generated texts by their arguments' types."
    )
    cached_code = property(
        lambda self: next(reversed(self.cached_codes.values()), ""), doc="The text that was generated last."
    )

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        self._kernel[grid, block, 0, shared_mem](*args)


def rawkernel(*, mode="cuda", device=False):
    """Compiles the function where it is launched."""
    return (lambda function: _cuda.jit(function, device=True)) if device else _Kernel
