"""Special functions that NumPy lacks, as element kernels of CUDA's functions of those names, or of our own texts: on the
device where the arrays are. Half floats and integers are computed in float32 and float64."""

import functools

import kasoku as ks

from .special_text import arguments, text_of

# package-independent name -> the expression for one element, of CUDA's functions
_text = {
    "erf": "erf(x)", "erfc": "erfc(x)", "erfinv": "erfinv(x)", "erfcinv": "erfcinv(x)", "erfcx": "erfcx(x)",
    "lgamma": "lgamma(x)", "gamma": "tgamma(x)", "ndtr": "normcdf(x)", "ndtri": "normcdfinv(x)",
    "i0": "cyl_bessel_i0(x)", "i1": "cyl_bessel_i1(x)", "j0": "j0(x)", "j1": "j1(x)", "y0": "y0(x)", "y1": "y1(x)",
}  # fmt: skip


@functools.cache
def _kernel(name, device):
    names = arguments.get(name, ["x"])
    return ks.ElementwiseKernel(
        ", ".join(f"T {x}" for x in names),
        "T result",
        "result = " + (_text.get(name) or f"{name}({', '.join(names)})"),
        f"{name}_of_each",
        preamble="" if name in _text else text_of(name),
        device=device,
    )


def special_of(name):
    """special() of that name, as a function of arrays."""

    def of(*arrays):
        return special(name, *arrays)

    of.__doc__ = f"The function {name} of each element."
    return of


def special(name, a, *others, floating="float64"):
    """The function of every element of engine's arrays of one dtype; integers become `floating` first."""
    d = str(a.dtype)
    if d in ("float32", "float64"):
        return _kernel(name, a.device)(a, *others)
    half = d in ("float16", "bfloat16")
    result = _kernel(name, a.device)(*(x.astype("float32" if half else floating) for x in (a, *others)))
    return result.astype(d) if half else result
