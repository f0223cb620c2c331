"""Special functions that NumPy lacks, as element kernels of CUDA's functions of those names: on the
device where the array is. Half floats and integers are computed in float32 and float64."""

import functools

import kasoku as ks

# package-independent name -> the expression for one element
_text = {
    "erf": "erf(x)", "erfc": "erfc(x)", "erfinv": "erfinv(x)", "erfcinv": "erfcinv(x)", "erfcx": "erfcx(x)",
    "lgamma": "lgamma(x)", "gamma": "tgamma(x)", "ndtr": "normcdf(x)", "ndtri": "normcdfinv(x)",
    "i0": "cyl_bessel_i0(x)", "i1": "cyl_bessel_i1(x)", "j0": "j0(x)", "j1": "j1(x)", "y0": "y0(x)", "y1": "y1(x)",
    "digamma": "digamma(x)",
}  # fmt: skip

# What CUDA has no function for: from where the asymptotic series holds, down by psi(x) = psi(x + 1) - 1 / x,
# and by reflection for negative numbers.
_preamble = {
    "digamma": """
__device__ double digamma(double x) {
  if (x == 0) return copysign(INFINITY, -x);
  double reflected = 0;
  if (x < 0) {
    if (x == floor(x)) return NAN;
    reflected = -M_PI / tan(M_PI * (x - floor(x)));
    x = 1 - x;
  }
  double below = 0;
  for (; x < 12; x += 1) below += 1 / x;
  const double z = 1 / (x * x);
  const double series = z * (1. / 12 - z * (1. / 120 - z * (1. / 252 - z * (1. / 240 - z * (1. / 132 - z * 691. / 32760)))));
  return log(x) - 0.5 / x - series - below + reflected;
}
"""
}


@functools.cache
def _kernel(name, device):
    return ks.ElementwiseKernel(
        "T x", "T y", f"y = {_text[name]}", f"{name}_of_each", preamble=_preamble.get(name, ""), device=device
    )


def special_of(name):
    """special() of that name, as a function of an array."""
    return lambda a: special(name, a)


def special(name, a, floating="float64"):
    """The function of every element of an engine's array; integers become `floating` first."""
    d = str(a.dtype)
    if d in ("float32", "float64"):
        return _kernel(name, a.device)(a)
    if d in ("float16", "bfloat16"):
        return _kernel(name, a.device)(a.astype("float32")).astype(d)
    return _kernel(name, a.device)(a.astype(floating))
