"""Special functions that NumPy lacks, as element kernels of CUDA's functions of those names, or of our own in special.cuh: on
the device where the arrays are. Half floats and integers are computed in float32 and float64."""

import functools
import os
import re

import kasoku as ks

# package-independent name -> the expression for one element, of CUDA's functions
_text = {
    "erf": "erf(x)", "erfc": "erfc(x)", "erfinv": "erfinv(x)", "erfcinv": "erfcinv(x)", "erfcx": "erfcx(x)",
    "lgamma": "lgamma(x)", "gamma": "tgamma(x)", "ndtr": "normcdf(x)", "ndtri": "normcdfinv(x)",
    "i0": "cyl_bessel_i0(x)", "i1": "cyl_bessel_i1(x)", "j0": "j0(x)", "j1": "j1(x)", "y0": "y0(x)", "y1": "y1(x)",
}  # fmt: skip


@functools.cache
def _own():
    """Our own functions' texts by their names."""
    with open(os.path.join(os.path.dirname(__file__), "special.cuh"), encoding="utf-8") as file:
        parts = re.split(r"\n\n(?=__device__|template)", file.read().rstrip())
    return {re.search(r"(?:double|void) (\w+)\(", part)[1]: part for part in parts[1:]}


def _with_what_it_calls(name, found):
    """The function's text by its name in `found`, behind those that it calls."""
    for word in re.findall(r"(\w+)\(", _own()[name].partition("{")[2]):
        if word != name and word in _own() and word not in found:
            _with_what_it_calls(word, found)
    found[name] = _own()[name]
    return found


@functools.cache
def _kernel(name, device):
    names, text, preamble = ["x"], _text.get(name), ""
    if text is None:
        names = re.findall(r"double (\w+)[,)]", _own()[name].partition("{")[0])
        text, preamble = f"{name}({', '.join(names)})", "\n\n".join(_with_what_it_calls(name, {}).values())
    inputs = ", ".join(f"T {x}" for x in names)
    return ks.ElementwiseKernel(
        inputs, "T result", f"result = {text}", f"{name}_of_each", preamble=preamble, device=device
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
    if d.startswith("complex"):
        raise ks.errors.TypeError(f"{name} is of real numbers, and these are {d}")
    half = d in ("float16", "bfloat16")
    result = _kernel(name, a.device)(*(x.astype("float32" if half else floating) for x in (a, *others)))
    return result.astype(d) if half else result
