"""Functions of cupy that NumPy computes on the host, on copies of the arrays (on a cpu without a
copy); the results are arrays again."""

import functools

import numpy as np

import kasoku as ks
from kasoku import _core

# What cupy has of NumPy and the engine does not. A name that this NumPy lacks is left out.
names = """
angle append apply_along_axis apply_over_axes argwhere array_equiv array2string array_repr array_str
average bartlett bincount blackman block choose column_stack compress convolve corrcoef correlate
cov cumprod cumsum delete diag diag_indices diag_indices_from diagflat diff digitize divmod dstack
ediff1d extract fill_diagonal fix flatnonzero frexp frombuffer fromfile fromfunction fromiter
fromstring geomspace gradient hamming hanning histogram histogram2d histogramdd i0 in1d indices
inner insert interp isclose ix_ iscomplex isneginf isposinf isreal kaiser kron ldexp loadtxt
logaddexp2 logspace mask_indices mgrid modf msort nan_to_num nancumprod nancumsum nanmean nanstd
nanvar packbits pad piecewise poly polyadd polyfit polymul polysub polyval ptp put putmask
ravel_multi_index real_if_close repeat resize roll roots round_ row_stack savetxt searchsorted
select sinc spacing swapaxes take_along_axis tensordot tile trapz trapezoid tri tril tril_indices
tril_indices_from trim_zeros triu triu_indices triu_indices_from unique_counts unique_inverse
unique_values unpackbits unravel_index unwrap vander vdot
""".split()
# Those that write into their first argument.
_in_place = {"fill_diagonal", "put", "putmask", "place", "copyto"}


def to_host(value):
    if isinstance(value, ks.Array):
        return value.numpy()
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(to_host(v) for v in value)
    if isinstance(value, dict):
        return {k: to_host(v) for k, v in value.items()}
    return value


def to_device(value):
    """Arrays and NumPy scalars as arrays of ours; other things as they are."""
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind not in "?biufc" or value.dtype.itemsize > 8 + 8 * (value.dtype.kind == "c"):
            return value
        from ._arrays import array

        return array(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(to_device, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(to_device, value))
    return value


def on_host(function, writes_first=False):
    """`function` of NumPy, on arrays of ours."""

    @functools.wraps(function, assigned=("__name__", "__module__", "__qualname__"))
    def call(*args, **kwargs):
        outs = kwargs.pop("out", None)
        given = [to_host(a) for a in args]
        if outs is not None:  # NumPy decides what may go there
            hosts = kwargs["out"] = to_host(outs)
        result = function(*given, **{k: to_host(v) for k, v in kwargs.items()})
        if writes_first or kwargs.get("copy") is False:
            args[0][...] = to_device(given[0])
            return args[0] if result is not None else None
        if outs is None:
            return to_device(result)
        several = isinstance(outs, tuple)
        for out, host in zip(outs, hosts) if several else [(outs, hosts)]:
            if isinstance(out, ks.Array):
                out[...] = to_device(host)
        return outs[0] if several and len(outs) == 1 else outs

    call.__doc__ = f"numpy.{function.__name__}, computed on the host."
    return call


def functions():
    """name -> function, of what the engine lacks."""
    found = {}
    for name in names:
        function = getattr(np, name, None)
        if callable(function) and not hasattr(_core, name):
            found[name] = on_host(function, name in _in_place)
    return found


class Joined:
    """cupy.r_ and cupy.c_: NumPy's, whose results are arrays of ours."""

    def __init__(self, numpys):
        self._numpy = numpys

    def __getitem__(self, key):
        return to_device(self._numpy[to_host(key)])

    def __len__(self):
        return 0
