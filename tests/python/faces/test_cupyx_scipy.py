"""cupyx.scipy beside SciPy, whose values are in tests/golden/scipy.json: `python tests/python/faces/test_cupyx_scipy.py`
writes them where SciPy is installed."""

import importlib
import json
import pathlib
import types

import numpy as np
import pytest

golden = next(p for p in pathlib.Path(__file__).parents if (p / "pyproject.toml").exists()) / "tests/golden/scipy.json"
modules = "special linalg".split()
nan, inf = np.nan, np.inf

reals = [-7.25, -3.5, -1.25, -1, -0.5, -1e-3, 0, 1e-9, 1e-3, 0.25, 0.5, 1, 1.5, 2, 3.75, 10, 35.5, 150, nan]
positive = [0, 1e-12, 1e-3, 0.25, 0.3725, 0.9, 1, 1.0625, 2, 3.75, 10, 29, 31, 39, 41, 150, 600, nan]
unit = [0, 1e-12, 1e-3, 0.25, 0.5, 0.7, 0.999, 1, -0.5, nan]
shapes = [1e-8, 1e-3, 0.25, 1, 2.5, 9.5, 40, 1500, 2e5]
few = [0, 1, 2, 5, 20]
# name -> arguments, which broadcast as in an outer product
SPECIAL = {
    **dict.fromkeys("erf erfc erfcx gamma rgamma digamma psi gammaln gammasgn ndtr log_ndtr i0e i1e dawsn erfi entr log_expit "
                    "expit exprel cosm1 exp2 expm1 log1p cbrt sinc".split(), [reals]),
    **dict.fromkeys("i0 i1 j0 j1".split(), [reals]), "exp10": [[-300.5, -3, 0, 0.5, 2, 20.25, nan]],
    **dict.fromkeys("k0 k0e k1 k1e y0 y1 exp1 expi loggamma".split(), [positive]),
    **dict.fromkeys("sindg cosdg tandg cotdg".split(), [[-1080, -270.5, -90, -45, -30, 0, 7.25, 45, 60, 90, 135, 180, 270, 359, 1e6, nan]]),
    **dict.fromkeys("erfinv ndtri logit ellipk ellipkm1 zetac".split(), [unit]), "erfcinv": [[0, 1e-12, 0.3, 1, 1.75, 2, nan]],
    "beta": [[-2.5, -2, -0.25, 1e-8, 0.5, 2, 10, 80, 4000, nan], [-1.5, 0.75, 1, 3, 12.5, 300]],
    "betaln": [[-2.5, -0.25, 1e-8, 0.5, 2, 10, 80, 4000, nan], [-1.5, 0.75, 1, 3, 12.5, 300, 1e5]],
    **dict.fromkeys(["betainc", "betaincc"], [[0.01, 0.5, 2, 30, 900, nan], [0.05, 1, 4.5, 25, 2000], [0, 1e-5, 0.1, 0.4, 0.7, 0.99, 1]]),
    **dict.fromkeys(["betaincinv", "betainccinv"], [[0.1, 1, 2.5, 60], [0.2, 1, 7, 400], [0, 1e-9, 0.05, 0.5, 0.8, 1]]),
    **dict.fromkeys(["gammainc", "gammaincc"], [[0, *shapes, nan], [0, 1e-6, 0.5, 1.05, 3, 20, 45, 1400, 199100, 200900, inf]]),
    **dict.fromkeys(["gammaincinv", "gammainccinv"], [[0.02, *shapes[2:]], [0, 1e-12, 0.1, 0.5, 0.9, 0.9999, 1]]),
    **dict.fromkeys(["bdtr", "bdtrc"], [[0, 1.5, 4], [5, 12, 90], [0, 0.1, 0.5, 0.95, 1, nan]]),
    "bdtri": [[0, 1, 4], [5, 12, 90], [1e-6, 0.1, 0.5, 0.95]],
    **dict.fromkeys(["nbdtr", "nbdtrc", "nbdtri"], [few, [1, 3, 40], [1e-6, 0.1, 0.5, 0.95]]),
    **dict.fromkeys(["fdtr", "fdtrc"], [[0.5, 1, 6, 200], [1, 7.5, 60], [0, 0.25, 1, 3, 40, -1]]),
    "fdtri": [[0.5, 1, 6, 200], [1, 7.5, 60], [1e-3, 0.25, 0.5, 0.99]],
    **dict.fromkeys(["gdtr", "gdtrc"], [[0.5, 2], [0.25, 3, 40], [0, 0.1, 2, 30, -1]]),
    **dict.fromkeys(["chdtr", "chdtrc"], [[1, 2.5, 40], [0, 0.5, 3, 60]]), "chdtri": [[1, 2.5, 40], [1e-6, 0.3, 0.9, 1]],
    **dict.fromkeys(["pdtr", "pdtrc"], [[0, 1.7, 8, 60], [0, 0.5, 4, 70]]), "pdtri": [[0, 1.7, 8, 60], [1e-6, 0.3, 0.9]],
    "zeta": [[1, 1.001, 2, 3.5, 12, 66.25, 400, 0.5, nan], [0.01, 0.5, 1, 7, 2e4]],
    "polygamma": [few, [0.01, 0.5, 1, 7.25, 2e4]], "yn": [[0, 1, 2, 7], [0, 0.5, 3, 25, nan]],
    "spherical_yn": [[0, 1, 2, 7], [0.5, 3, 25, -2]], "expn": [[0, 1, 2, 7, 25, 300], [0, 1e-4, 0.5, 1, 1.5, 30, -1, nan]],
    "poch": [[-5.5, -2, 0.5, 3, 70], [-2.5, -1, 0, 1, 4.25, 30]], "binom": [[-2.5, 0.5, 5, 12, 90.5, 1000], [0, 1, 2.5, 12, 45]],
    **dict.fromkeys("xlogy xlog1py rel_entr kl_div".split(), [[0, 1e-9, 0.5, 2, 300, -1, nan], [0, 1e-9, 0.5001, 2.25, 300, nan]]),
    **dict.fromkeys("huber pseudo_huber".split(), [[-1, 0, 0.5, 3], [-4, 0, 1e-9, 0.25, 7, nan]]),
    **dict.fromkeys("boxcox boxcox1p".split(), [[0, 1e-3, 0.5, 2, 30], [-1.5, 0, 1e-8, 1, 2.5]]),
    **dict.fromkeys("inv_boxcox inv_boxcox1p".split(), [[0, 1e-3, 0.5, 2, 3], [0, 1e-8, 1, 2.5]]),
    "lpmv": [[-2, 0, 1, 3], [0, 1, 4, 9], [-1, -0.3, 0, 0.75]],
}  # fmt: skip
# what an approximation of CUDA's own, or of ours where numbers are far out, is told apart by
LOOSE = dict.fromkeys("erfcx i0 i1 j0 j1 y0 y1 yn ndtr erfc beta betaln bdtri".split(), 5e-11) | {"kl_div": 1e-8}


def _outer(args):
    return [np.reshape(x, (-1,) + (1,) * (len(args) - 1 - k)).astype("f8") for k, x in enumerate(args)]


rng = np.random.default_rng(7)
M, V = np.round(rng.standard_normal((5, 5)), 3), np.round(rng.standard_normal(6), 3)
CASES = {
    **{f"special.{name}": lambda s, a, name=name, args=args: getattr(s.special, name)(*map(a, _outer(args)))
       for name, args in SPECIAL.items()},
    "special.logsumexp of weights": lambda s, a: s.special.logsumexp(a(M), axis=1, b=a(np.abs(M) * (M > -1))),
    "special.logsumexp with a sign": lambda s, a: s.special.logsumexp(a(M), axis=0, b=a(M.T), return_sign=True, keepdims=True),
    "special.logsumexp of none": lambda s, a: s.special.logsumexp(a([-inf, -inf])),
    "special.softmax": lambda s, a: s.special.softmax(a(M * 300), axis=1), "special.log_softmax": lambda s, a: s.special.log_softmax(a(M * 300), axis=0),
    "special.multigammaln": lambda s, a: s.special.multigammaln(a([3.5, 4, 9]), 3),
    "special.beta of float32": lambda s, a: s.special.beta(a(np.float32([0.5, 2])), a(np.float32([3, 4]))),
    "special.gammainc of no elements": lambda s, a: s.special.gammainc(a(np.empty((0, 3))), 2.0),
    "special.gammainc of a number": lambda s, a: s.special.gammainc(np.float32(2.5), a(np.float32([1, 2, 3]))),
}  # fmt: skip


def _of(package):
    found = types.SimpleNamespace()
    for name in modules:
        setattr(found, name, importlib.import_module(f"{package}.{name}"))
    return found


def _parts(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


@pytest.mark.parametrize("case", CASES)
def test_values_are_scipys(case, device):
    from kasoku.compat import cupy as cp

    with cp.cuda.Device(0):
        found = [np.asarray(cp.asnumpy(x)) for x in _parts(CASES[case](_of("kasoku.compat.cupyx.scipy"), cp.asarray))]
    wanted = json.loads(golden.read_text())[case]
    assert len(found) == len(wanted)
    for x, (shape, dtype, values) in zip(found, wanted):
        assert (x.shape, x.dtype) == (tuple(shape), dtype)
        wanted_values = np.array(values, object).astype(dtype).reshape(shape) if values else np.empty(shape, dtype)
        close = 1e-6 if x.dtype == np.float32 else LOOSE.get(case.partition(".")[2], 1e-12)
        np.testing.assert_allclose(x, wanted_values, close, 1e-300 if "special" in case else close)


def write():
    def rows(result):
        for x in map(np.asarray, _parts(result)):
            values = x.ravel().tolist()
            yield [x.shape, str(x.dtype), [str(v) if isinstance(v, complex) else v for v in values]]

    with np.errstate(all="ignore"):
        made = {case: list(rows(of(_of("scipy"), np.asarray))) for case, of in CASES.items()}
    golden.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in made.items()) + "\n}\n")


if __name__ == "__main__":
    write()
