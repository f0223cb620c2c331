"""cupyx.scipy beside SciPy, whose values are in tests/golden/scipy.json: `python tests/python/faces/test_cupyx_scipy.py`
writes them where SciPy is installed."""

import cmath
import importlib
import inspect
import json
import math
import pathlib
import types

import numpy as np
import pytest

golden = next(p for p in pathlib.Path(__file__).parents if (p / "pyproject.toml").exists()) / "tests/golden/scipy.json"
modules = "special linalg stats spatial spatial.distance ndimage signal fft interpolate".split()
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
    "spherical_yn": [[0, 1, 2, 7], [0.5, 3, 25, -2]], "expn": [[0, 1, 2, 2.75, 7, 25, 300], [0, 1e-4, 0.5, 1, 1.5, 30, -1, nan]],
    "poch": [[-5.5, -2, 0.5, 3, 70], [-2.5, -1, 0, 1, 4.25, 30]], "binom": [[-2.5, 0.5, 5, 12, 90.5, 1000], [0, 1, 2.5, 12, 45]],
    **dict.fromkeys("xlogy xlog1py rel_entr kl_div".split(), [[0, 1e-9, 0.5, 2, 300, -1, nan], [0, 1e-9, 0.5001, 2.25, 300, nan]]),
    **dict.fromkeys("huber pseudo_huber".split(), [[-1, 0, 0.5, 3], [-4, 0, 1e-9, 0.25, 7, nan]]),
    **dict.fromkeys("boxcox boxcox1p".split(), [[0, 1e-3, 0.5, 2, 30], [-1.5, 0, 1e-8, 1, 2.5]]),
    **dict.fromkeys("inv_boxcox inv_boxcox1p".split(), [[0, 1e-3, 0.5, 2, 3], [0, 1e-8, 1, 2.5]]),
    "ellipj": [[-3, -0.5, 0, 1e-3, 1.25, 9], [0, 1e-3, 0.5, 0.9, 0.9999, 1, 1.5]], **dict.fromkeys(["sici", "shichi"], [positive]),
    "lpmv": [[-2, 0, 1, 3], [0, 1, 4, 9], [-1, -0.3, 0, 0.75]],
}  # fmt: skip
# what an approximation of CUDA's own, or of ours where numbers are far out, is told apart by
LOOSE = dict.fromkeys("erfcx i0 i1 j0 j1 y0 y1 yn ndtr erfc beta betaln bdtri".split(), 5e-11) | {
    "kl_div": 1e-8,
    "expm large": 1e-11,
    **dict.fromkeys(["czt", "zoom_fft", "zoom_fft up to an end"], 1e-9),  # of values near 0 beside those of thousands
    **dict.fromkeys([f"czt from {b} by {w}" for b in (2, 0.5, 1.1) for w in (None, 0.98534 + 0.17055j)], 1e-9),
    **{
        f"{f} {k}": 1e-8
        for f, k in (
            (f"RBFInterpolator {k}", n)
            for k in "linear thin_plate_spline cubic quintic multiquadric inverse_multiquadric inverse_quadratic gaussian".split()
            for n in (None, 20)
        )
    },
    **{f"make_interp_spline {k}": 1e-10 for k in [*range(6), "natural", "clamped", "first", "periodic"]},
    "make_interp_spline of rows": 1e-8,  # the ends of a row are far from where it is known
    "make_lsq_spline": 1e-10,
    "krogh_interpolate": 1e-11,
    **{f"RegularGridInterpolator {m}": 1e-10 for m in ("slinear", "pchip", "cubic_legacy", "quintic_legacy")},
    **{f"filtfilt gust {k}": 1e-10 for k in (None, 20, 150, "along an axis")},
    **{f"sph_harm_y {n} {m}": 1e-11 for n in (0, 1, 4) for m in range(-n, n + 1)},
    **{f"BPoly.from_derivatives {o}": 1e-10 for o in (None, 5, 6, [1, 2, 3, 4])},
    **dict.fromkeys(["minimum_phase", *(f"symiirorder1 {p}" for p in (-1, 1.0, 0.25, 2e-3))], 1e-9),
}


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
W = np.round(rng.standard_normal((4, 7)), 3)
L = np.tril(M) + 3 * np.eye(5)
CASES |= {
    "linalg.lu": lambda s, a: s.linalg.lu(a(M)), "linalg.lu wide": lambda s, a: s.linalg.lu(a(W)), "linalg.lu high": lambda s, a: s.linalg.lu(a(W.T)),
    "linalg.lu permuted": lambda s, a: s.linalg.lu(a(W.T), permute_l=True), "linalg.lu of integers": lambda s, a: s.linalg.lu(a(np.arange(9).reshape(3, 3) % 5)),
    "linalg.lu complex": lambda s, a: s.linalg.lu(a(M + 1j * M.T)), "linalg.lu of float32": lambda s, a: s.linalg.lu(a(np.float32(M))),
    "linalg.lu_factor": lambda s, a: s.linalg.lu_factor(a(M)), "linalg.lu_factor wide": lambda s, a: s.linalg.lu_factor(a(W)),
    **{f"linalg.lu_solve {t}": lambda s, a, t=t: s.linalg.lu_solve(s.linalg.lu_factor(a(M + 1j * M.T)), a(W.T[:5]), trans=t) for t in range(3)},
    "linalg.lu_solve of a vector": lambda s, a: s.linalg.lu_solve(s.linalg.lu_factor(a(M)), a(V[:5])),
    "linalg.solve_triangular": lambda s, a: s.linalg.solve_triangular(a(L), a(W.T[:5]), lower=True),
    "linalg.solve_triangular transposed": lambda s, a: s.linalg.solve_triangular(a(L), a(V[:5]), trans=1, lower=True, unit_diagonal=True),
    "linalg.expm": lambda s, a: s.linalg.expm(a(M)), "linalg.expm large": lambda s, a: s.linalg.expm(a(M * 20)),
    "linalg.bandwidth": lambda s, a: np.array(s.linalg.bandwidth(a(np.triu(np.tril(M, 1), -3)))), "linalg.bandwidth of zeros": lambda s, a: np.array(s.linalg.bandwidth(a(np.zeros((3, 2))))),
    "linalg.block_diag": lambda s, a: s.linalg.block_diag(a(M), a(V), a([[1]])), "linalg.circulant": lambda s, a: s.linalg.circulant(a(V)),
    "linalg.companion": lambda s, a: s.linalg.companion(a(V)), "linalg.companion of integers": lambda s, a: s.linalg.companion(a([2, 3, 4])),
    **{f"linalg.convolution_matrix {mode} {n}": lambda s, a, mode=mode, n=n: s.linalg.convolution_matrix(a(V), n, mode) for mode in ("full", "same", "valid") for n in (3, 6, 9)},
    "linalg.dft": lambda s, a: s.linalg.dft(5), "linalg.dft scaled": lambda s, a: s.linalg.dft(6, "sqrtn"),
    "linalg.fiedler": lambda s, a: s.linalg.fiedler(a([3, 1, 8])),
    **{f"linalg.fiedler_companion {n}": lambda s, a, n=n: s.linalg.fiedler_companion(a(np.arange(1.0, n + 1) ** 2)) for n in range(2, 8)},
    "linalg.hadamard": lambda s, a: s.linalg.hadamard(8), "linalg.hadamard of floats": lambda s, a: s.linalg.hadamard(4, "float32"),
    "linalg.hankel": lambda s, a: s.linalg.hankel(a(V), a(V[::-1] + 1)), "linalg.helmert": lambda s, a: s.linalg.helmert(5), "linalg.helmert full": lambda s, a: s.linalg.helmert(4, full=True),
    "linalg.hilbert": lambda s, a: s.linalg.hilbert(4), "linalg.khatri_rao": lambda s, a: s.linalg.khatri_rao(a(M), a(W.T[:3, [0, 1, 2, 3, 0]])),
    "linalg.leslie": lambda s, a: s.linalg.leslie(a([0.1, 2, 1, 0.5]), a([0.2, 0.8, 0.7])), "linalg.leslie of integers": lambda s, a: s.linalg.leslie(a([1, 2]), a([3])),
    "linalg.toeplitz": lambda s, a: s.linalg.toeplitz(a(V), a(V[::-1])), "linalg.toeplitz complex": lambda s, a: s.linalg.toeplitz(a([1, 2 + 1j, 3])),
}  # fmt: skip
C = np.array([[1.0, 2, 2, 3, 5], [4, 4, 4, 4, 4], [0.5, nan, 2, 1, 0]])
D = np.abs(M) / np.abs(M).sum()
PAIRS = "canberra chebyshev cityblock correlation cosine euclidean hamming jensenshannon sqeuclidean".split()
CASES |= {
    "stats.zscore": lambda s, a: s.stats.zscore(a(W)), "stats.zscore of all": lambda s, a: s.stats.zscore(a(W), axis=None, ddof=1), "stats.zscore of rows": lambda s, a: s.stats.zscore(a(C), axis=1),
    "stats.zscore omitting": lambda s, a: s.stats.zscore(a(C[::2]), axis=1, nan_policy="omit"), "stats.zmap": lambda s, a: s.stats.zmap(a(W), a(W[:2]), axis=0),
    "stats.entropy": lambda s, a: s.stats.entropy(a(np.abs(W))), "stats.entropy of two": lambda s, a: s.stats.entropy(a(np.abs(W)), a(np.abs(W[::-1]) + 0.5), base=2, axis=1),
    "stats.entropy with zeros": lambda s, a: s.stats.entropy(a([0.0, 1, 3]), a([1.0, 0, 3])), "stats.entropy of integers": lambda s, a: s.stats.entropy(a([0, 1, 3])),
    "stats.trim_mean": lambda s, a: s.stats.trim_mean(a(W), 0.25), "stats.trim_mean of all": lambda s, a: s.stats.trim_mean(a(W), 0.1, axis=None),
    "stats.boxcox_llf": lambda s, a: s.stats.boxcox_llf(0.5, a(np.abs(W))), "stats.boxcox_llf of 0": lambda s, a: s.stats.boxcox_llf(0, a(np.abs(V))),
    **{f"distance.cdist {m}": lambda s, a, m=m: s.distance.cdist(a(np.abs(M)), a(np.abs(W.T[:4, :1] + M[:4])), m) for m in [*PAIRS, "braycurtis", "minkowski"]},
    "distance.cdist of order 3": lambda s, a: s.distance.cdist(a(M), a(M[:2]), "minkowski", p=3),
    **{f"distance.{m}": lambda s, a, m=m: getattr(s.distance, m)(a(D[0]), a(D[1])) for m in PAIRS},
    "distance.minkowski": lambda s, a: s.distance.minkowski(a(M[0]), a(M[1]), p=3), "distance.pdist": lambda s, a: s.distance.pdist(a(M)),
    "distance.squareform": lambda s, a: s.distance.squareform(a(np.arange(6.0))), "distance.squareform back": lambda s, a: s.distance.squareform(a(M @ M.T - np.diag(np.diag(M @ M.T)))),
}  # fmt: skip
IMAGE = np.round(rng.standard_normal((6, 5)), 2)
INTEGERS = rng.integers(0, 50, (6, 5))
BLOBS = rng.random((8, 11)) < 0.45
CUBE = np.round(np.random.default_rng(8).standard_normal((4, 5, 3)), 2)
NEAR = np.random.default_rng(9).standard_normal((30, 2)) * (1, 4)
GIVEN = {"gaussian_filter": (0.8,), "uniform_filter": (3,), "percentile_filter": (30, 2), "rank_filter": (1, 2)}
KERNEL = np.array([[1.0, 2, 0.5], [0, -1, 3]])
MODES = "reflect constant nearest mirror wrap".split()
BOXED = {  # filters with the arguments that they have before the mode
    "correlate": lambda a: (a(KERNEL),), "convolve": lambda a: (a(KERNEL),), "uniform_filter": lambda a: (4,), "gaussian_filter": lambda a: (1.3,),
    "maximum_filter": lambda a: ((3, 4),), "minimum_filter": lambda a: (3,), "median_filter": lambda a: (3,), "laplace": lambda a: (), "sobel": lambda a: (), "prewitt": lambda a: (0,),
    "gaussian_laplace": lambda a: (0.8,), "gaussian_gradient_magnitude": lambda a: (0.8,), "grey_erosion": lambda a: (3,), "grey_dilation": lambda a: ((2, 3),), "grey_opening": lambda a: (3,), "grey_closing": lambda a: (3,),
    "morphological_gradient": lambda a: (3,), "morphological_laplace": lambda a: (3,), "white_tophat": lambda a: (3,), "black_tophat": lambda a: (3,),
}  # fmt: skip
BINARY = "binary_erosion binary_dilation binary_opening binary_closing".split()
MEASURED = "mean variance standard_deviation sum_labels minimum maximum median minimum_position maximum_position center_of_mass extrema".split()
LABELS = rng.integers(0, 4, IMAGE.shape)
FOURIER = "gaussian uniform ellipsoid shift".split()
CASES |= {
    **{f"ndimage.{f} {m}": lambda s, a, f=f, m=m: getattr(s.ndimage, f)(a(IMAGE), *BOXED[f](a), mode=m) for f in BOXED for m in MODES},
    **{f"ndimage.{f} of integers": lambda s, a, f=f: getattr(s.ndimage, f)(a(INTEGERS), *BOXED[f](a)) for f in BOXED},
    **{f"ndimage.{f} moved": lambda s, a, f=f, k=k: getattr(s.ndimage, f)(a(IMAGE), *BOXED[f](a), mode="constant", cval=2.0, origin=k)
       for f, k in {"correlate": (0, -1), "convolve": (0, 1), "uniform_filter": 1, "maximum_filter": -1, "median_filter": 1, "grey_dilation": (0, 1), "grey_erosion": 1}.items()},
    **{f"ndimage.{f} by a footprint": lambda s, a, f=f: getattr(s.ndimage, f)(a(IMAGE), footprint=a(KERNEL > 0)) for f in ("maximum_filter", "minimum_filter", "median_filter", "grey_erosion", "grey_dilation")},
    **{f"ndimage.{f} of heights": lambda s, a, f=f: getattr(s.ndimage, f)(a(IMAGE), structure=a(KERNEL)) for f in ("grey_erosion", "grey_dilation")},
    **{f"ndimage.{f}1d": lambda s, a, f=f: getattr(s.ndimage, f + "1d")(a(IMAGE), a([1.0, 2, 0.5, 3]), axis=0, origin=1) for f in ("correlate", "convolve")},
    **{f"ndimage.{f}1d": lambda s, a, f=f: getattr(s.ndimage, f + "1d")(a(IMAGE), 4, axis=0) for f in ("uniform_filter", "minimum_filter", "maximum_filter")},
    **{f"ndimage.gaussian_filter1d {k}": lambda s, a, k=k: s.ndimage.gaussian_filter1d(a(IMAGE), 1.5, order=k) for k in range(4)},
    "ndimage.gaussian_filter of derivatives": lambda s, a: s.ndimage.gaussian_filter(a(IMAGE), (1, 0.7), order=(0, 2), truncate=3), "ndimage.gaussian_filter of float32": lambda s, a: s.ndimage.gaussian_filter(a(np.float32(IMAGE)), 1),
    "ndimage.rank_filter": lambda s, a: s.ndimage.rank_filter(a(IMAGE), -2, size=(3, 2)), "ndimage.percentile_filter": lambda s, a: s.ndimage.percentile_filter(a(IMAGE), 20, size=3),
    **{f"ndimage.{f} along {k}": lambda s, a, f=f, k=k: getattr(s.ndimage, f)(a(CUBE), *GIVEN.get(f, ()), axes=k, **({} if f in GIVEN else {"size": 2}))
       for f in (*GIVEN, "maximum_filter", "median_filter", "minimum_filter", "grey_erosion", "grey_dilation", "grey_opening", "grey_closing",
                 "white_tophat", "black_tophat", "morphological_gradient", "morphological_laplace") for k in ((0, 2), (1,))},
    **{f"ndimage.{f} of some axes": lambda s, a, f=f: getattr(s.ndimage, f)(a(CUBE), a(KERNEL), mode="nearest", origin=(0, 1), axes=(1, 2)) for f in ("correlate", "convolve")},
    **{f"ndimage.{f} of a footprint of some axes": lambda s, a, f=f: getattr(s.ndimage, f)(a(CUBE), footprint=a(KERNEL > 0), mode="wrap", axes=(0, 1)) for f in ("maximum_filter", "median_filter")},
    **{f"ndimage.{f} of some axes": lambda s, a, f=f: getattr(s.ndimage, f)(a(CUBE > 0), axes=(0, 2)) for f in (*BINARY, "binary_fill_holes", "binary_hit_or_miss", "binary_propagation")},
    "ndimage.laplace of some axes": lambda s, a: s.ndimage.laplace(a(CUBE), mode=("wrap", "nearest"), axes=(2, 0)),
    "ndimage.generate_binary_structure": lambda s, a: s.ndimage.generate_binary_structure(3, 2),
    **{f"ndimage.{f}{n}": lambda s, a, f=f, n=n: getattr(s.ndimage, f)(a(BLOBS), iterations=n) for f in BINARY for n in (1, 2)},
    **{f"ndimage.{f} of a structure": lambda s, a, f=f: getattr(s.ndimage, f)(a(BLOBS), a(KERNEL > 0)) for f in BINARY},
    "ndimage.binary_erosion with a border": lambda s, a: s.ndimage.binary_erosion(a(BLOBS), border_value=1, mask=a(BLOBS[::-1, ::-1])), "ndimage.binary_propagation": lambda s, a: s.ndimage.binary_propagation(a(BLOBS & (np.arange(11) < 2)), mask=a(BLOBS)),
    "ndimage.binary_fill_holes": lambda s, a: s.ndimage.binary_fill_holes(a(BLOBS)),
    "ndimage.label": lambda s, a: [np.asarray(x) if isinstance(x, int) else x for x in s.ndimage.label(a(BLOBS))],
    "ndimage.label by corners": lambda s, a: s.ndimage.label(a(BLOBS), structure=a(np.ones((3, 3))))[0], "ndimage.label of a line": lambda s, a: s.ndimage.label(a([0, 1, 1, 0, 1]))[0],
    **{f"ndimage.{f}": lambda s, a, f=f: getattr(s.ndimage, f)(a(IMAGE)) for f in MEASURED},
    **{f"ndimage.{f} of labels": lambda s, a, f=f: getattr(s.ndimage, f)(a(IMAGE), a(LABELS), a([1, 3, 2])) for f in MEASURED},
    **{f"ndimage.{f} of integers": lambda s, a, f=f: getattr(s.ndimage, f)(a(INTEGERS), a(LABELS), 2) for f in MEASURED},
    "ndimage.histogram": lambda s, a: s.ndimage.histogram(a(IMAGE), -1, 1, 5),
    "ndimage.sum_labels of float16": lambda s, a: s.ndimage.sum_labels(a(np.float16(1234.5 * IMAGE)), a(LABELS), a([1, 3, 2])),
    **{f"ndimage.find_objects of {k}": lambda s, a, k=k: np.array([[-1] * 4 if x is None else [n for one in x for n in (one.start, one.stop)] for x in s.ndimage.find_objects(a(LABELS * 2), k)]) for k in (0, 3, 9)},
    "ndimage.geometric_transform": lambda s, a: s.ndimage.geometric_transform(a(IMAGE), lambda p: (p[0] * 0.5 + 1, p[1] - p[0] * 0.25)),
    "ndimage.geometric_transform by branches": lambda s, a: s.ndimage.geometric_transform(a(IMAGE), lambda p, k, by: (p[0] if p[1] > k else by, max(p[1], 1.5)), (4, 5), order=1, mode="nearest", extra_arguments=(2,), extra_keywords={"by": 0.25}),
    "ndimage.label of a number": lambda s, a: s.ndimage.label(a(3))[0],
    "ndimage.correlate into a class of numbers": lambda s, a: s.ndimage.correlate(a(INTEGERS), a(KERNEL), output=np.float32),
    **{f"ndimage.{f} beyond the dtype": lambda s, a, f=f, c=c: getattr(s.ndimage, f)(a(INTEGERS.astype("u1")), size=3, mode="constant", cval=c)
       for f, c in {"minimum_filter": -1, "median_filter": -1, "minimum_filter1d": -1}.items()},
    **{f"ndimage.fourier_{f}": lambda s, a, f=f: getattr(s.ndimage, f"fourier_{f}")(a(np.fft.fft2(IMAGE)), (1.5, 2.25)) for f in FOURIER},
    **{f"ndimage.fourier_{f} of half": lambda s, a, f=f: getattr(s.ndimage, f"fourier_{f}")(a(np.fft.rfft2(IMAGE, axes=(1, 0))), 1.75, len(IMAGE), 0) for f in FOURIER},
    **{f"ndimage.fourier_{f} of integers": lambda s, a, f=f: getattr(s.ndimage, f"fourier_{f}")(a(INTEGERS), 3) for f in FOURIER},
    **{f"ndimage.fourier_ellipsoid of {k} axes": lambda s, a, k=k: s.ndimage.fourier_ellipsoid(a(IMAGE.ravel()[:24].reshape([2, 3, 4] if k == 3 else -1)), 2.5) for k in (1, 3)},
    **{f"ndimage.shift {m} {k}": lambda s, a, m=m, k=k: s.ndimage.shift(a(IMAGE), (1.3, -2.6), order=k, mode=m) for m in (*MODES, "grid-wrap", "grid-constant") for k in (0, 1, 2, 3) if k < 2 or m != "reflect"},
    **{f"ndimage.spline_filter {m} {k}": lambda s, a, m=m, k=k: s.ndimage.spline_filter(a(IMAGE), k, mode=m) for m in ("mirror", "grid-wrap") for k in (2, 3, 4, 5)},
    "ndimage.spline_filter1d": lambda s, a: s.ndimage.spline_filter1d(a(INTEGERS), axis=0), "ndimage.spline_filter1d of 1": lambda s, a: s.ndimage.spline_filter1d(a(IMAGE), 1),
    **{f"ndimage.zoom of order {k}": lambda s, a, k=k: s.ndimage.zoom(a(INTEGERS), 1.5, order=k) for k in (2, 3, 4, 5)}, "ndimage.rotate by splines": lambda s, a: s.ndimage.rotate(a(IMAGE), 25), "ndimage.zoom of one": lambda s, a: s.ndimage.zoom(a(V[None]), 2),
    **{f"ndimage.zoom {k}": lambda s, a, k=k: s.ndimage.zoom(a(IMAGE), (1.7, 0.5), order=k) for k in (0, 1)}, "ndimage.zoom of a grid": lambda s, a: s.ndimage.zoom(a(IMAGE), 2, order=1, mode="nearest", grid_mode=True),
    **{f"ndimage.rotate {d}": lambda s, a, d=d: s.ndimage.rotate(a(IMAGE), d, order=1) for d in (30, 90, -45)}, "ndimage.rotate as large": lambda s, a: s.ndimage.rotate(a(INTEGERS), 20, reshape=False, order=1, mode="nearest"),
    "ndimage.affine_transform": lambda s, a: s.ndimage.affine_transform(a(IMAGE), a([[0.9, 0.2], [-0.1, 1.1]]), (0.5, -0.25), (6, 7), order=1), "ndimage.map_coordinates": lambda s, a: s.ndimage.map_coordinates(a(IMAGE), a([[0.5, 2.25, 5.5], [1.5, 4, 0]]), order=1, cval=-1),
}  # fmt: skip
X, Y = rng.standard_normal(23), rng.standard_normal(6)
WINDOWS = "barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann nuttall parzen triang tukey lanczos".split()
CASES |= {
    **{f"signal.{f} {m} {k}": lambda s, a, f=f, m=m, k=k: getattr(s.signal, f)(a(X), a(Y), m, **({"method": k} if k else {}))
       for m in ("full", "same", "valid") for f, k in (("convolve", "direct"), ("convolve", "fft"), ("correlate", "auto"), ("fftconvolve", ""), ("oaconvolve", ""))},
    **{f"signal.{f} of a longer one {m}": lambda s, a, f=f, m=m: getattr(s.signal, f)(a(Y), a(X), m) for f in ("convolve", "correlate") for m in ("full", "same", "valid")},
    **{f"signal.{f} of matrices {m}": lambda s, a, f=f, m=m: getattr(s.signal, f)(a(IMAGE), a(KERNEL), m) for f in ("convolve", "correlate", "fftconvolve", "convolve2d", "correlate2d") for m in ("full", "same", "valid")},
    **{f"signal.{f} {b}": lambda s, a, f=f, b=b: getattr(s.signal, f)(a(IMAGE), a(KERNEL), "same", b, *([1.5] if b == "fill" else [])) for f in ("convolve2d", "correlate2d") for b in ("fill", "wrap", "symm")},
    "signal.convolve of integers": lambda s, a: s.signal.convolve(a(INTEGERS), a(INTEGERS[:3, :2])), "signal.convolve by fft of integers": lambda s, a: s.signal.convolve(a([1, 2, 3]), a([0, 1, 5]), method="fft"),
    "signal.convolve complex": lambda s, a: s.signal.correlate(a(X + 1j * X[::-1]), a(Y - 2j)), "signal.fftconvolve along an axis": lambda s, a: s.signal.fftconvolve(a(IMAGE), a(IMAGE[:, :3]), "same", axes=1),
    "signal.convolve crossed": lambda s, a: s.signal.convolve(a(IMAGE[:3]), a(IMAGE[:, :2])),
    **{f"signal.correlation_lags {n} {m} {k}": lambda s, a, n=n, m=m, k=k: s.signal.correlation_lags(n, m, k) for n, m in ((5, 3), (3, 6)) for k in ("full", "same", "valid")},
    "signal.medfilt": lambda s, a: s.signal.medfilt(a(X), 5), "signal.medfilt of a matrix": lambda s, a: s.signal.medfilt(a(IMAGE)), "signal.medfilt2d": lambda s, a: s.signal.medfilt2d(a(IMAGE), (3, 5)),
    "signal.order_filter": lambda s, a: s.signal.order_filter(a(IMAGE), a(np.ones((3, 3))), 2), "signal.wiener": lambda s, a: s.signal.wiener(a(IMAGE), (3, 5)), "signal.wiener of noise": lambda s, a: s.signal.wiener(a(X), 3, 0.4),
    "signal.lfilter": lambda s, a: s.signal.lfilter(a([0.5, 0.2, -0.1]), a([2, -0.6, 0.25, 0.1]), a(IMAGE), axis=0), "signal.lfilter from a state": lambda s, a: s.signal.lfilter(a([1.0, 0.5]), a([2.0, -0.9, 0.2]), a(X), zi=s.signal.lfiltic(a([1.0, 0.5]), a([2.0, -0.9, 0.2]), a([0.7, -0.2]), a([0.4])))[0],
    "signal.lfilter in halves": lambda s, a: _in_halves(s.signal.lfilter, a, s.signal.lfiltic(a([1.0, 0.5, 2]), a([2.0, -0.9]), a([0.7])), a([1.0, 0.5, 2]), a([2.0, -0.9])),
    "signal.fftconvolve of float16": lambda s, a: s.signal.fftconvolve(a(np.float16([1, 2, 4])), a(np.float16([1, 0.5]))).round(4), "signal.wiener complex": lambda s, a: s.signal.wiener(a(np.complex64(INTEGERS + 1j)), 3),
    "signal.fftconvolve with a longer axis": lambda s, a: s.signal.fftconvolve(a(IMAGE[:1]), a(IMAGE[1:3, :2]), "same", axes=1),
    "signal.deconvolve": lambda s, a: s.signal.deconvolve(a(X), a([2, 0.5, 0.2])),
    "signal.lfilter of no recursion": lambda s, a: s.signal.lfilter(a([0.25, 0.5, 0.25]), 1, a(X)), "signal.lfilter of a number": lambda s, a: s.signal.lfilter(a([3.0]), a([2.0]), a(X)), "signal.lfilter complex": lambda s, a: s.signal.lfilter(a([1.0, 1j]), a([1.0, 0.5]), a(X)),
    "signal.hilbert": lambda s, a: s.signal.hilbert(a(X)), "signal.hilbert of rows": lambda s, a: s.signal.hilbert(a(IMAGE), axis=0, N=10),
    "signal.detrend": lambda s, a: s.signal.detrend(a(IMAGE), axis=0), "signal.detrend with breaks": lambda s, a: s.signal.detrend(a(X), bp=[7, 15]), "signal.detrend constant": lambda s, a: s.signal.detrend(a(IMAGE), type="constant"),
    "signal.lfilter_zi": lambda s, a: s.signal.lfilter(a([0.5, 0.2, -0.1]), a([2, -0.6, 0.25, 0.1]), a(X), zi=s.signal.lfilter_zi(a([0.5, 0.2, -0.1]), a([2, -0.6, 0.25, 0.1])))[0],
    **{f"signal.filtfilt {k}": lambda s, a, k=k: s.signal.filtfilt(a([0.5, 0.2]), a([1, -0.6, 0.25]), a(np.stack([X, X[::-1]])), padtype=k) for k in ("odd", "even", "constant", None)},
    "signal.filtfilt along an axis": lambda s, a: s.signal.filtfilt(a([0.5]), a([1, -0.6]), a(IMAGE), axis=0, padlen=4), "signal.sosfilt": lambda s, a: s.signal.sosfilt(a([[1, 0.5, 0.2, 1, -0.4, 0.1], [0.3, 0, 0.1, 1, 0.2, 0]]), a(IMAGE)),
    "signal.sosfilt in halves": lambda s, a: _in_halves(s.signal.sosfilt, a, s.signal.sosfilt_zi(a(SOS)), a(SOS)),
    "signal.sosfilt of columns": lambda s, a: s.signal.sosfilt(a(SOS), a(IMAGE), axis=0, zi=s.signal.sosfilt_zi(a(SOS))[:, :, None] * a(IMAGE[:1]))[0], "signal.freqz": lambda s, a: s.signal.freqz(a([0.5, 0.2, -0.1]), a([1, -0.6]), 9), "signal.freqz whole": lambda s, a: s.signal.freqz(a([0.5, 0.2]), worN=6, whole=True, fs=100),
    **{f"signal.resample {n} to {m}": lambda s, a, n=n, m=m: s.signal.resample(a(X[:n]), m) for n in (9, 10) for m in (5, 6, 9, 10, 15, 16)}, **{f"signal.resample complex {n} to {m}": lambda s, a, n=n, m=m: s.signal.resample(a(X[:n] + 1j * X[-n:]), m) for n in (9, 10) for m in (5, 6, 10, 15, 16)},
    "signal.resample with times": lambda s, a: s.signal.resample(a(IMAGE), 7, a(np.arange(6) * 0.5)), "signal.savgol_coeffs": lambda s, a: s.signal.savgol_coeffs(7, 3, 1, 0.5), "signal.savgol_coeffs even": lambda s, a: s.signal.savgol_coeffs(6, 2, use="dot"), "signal.savgol_coeffs of none": lambda s, a: s.signal.savgol_coeffs(5, 1, 2),
    **{f"signal.savgol_filter {m}": lambda s, a, m=m: s.signal.savgol_filter(a(X), 7, 3, mode=m) for m in ("interp", "mirror", "nearest", "wrap", "constant")}, "signal.savgol_filter of a derivative": lambda s, a: s.signal.savgol_filter(a(IMAGE), 5, 2, deriv=1, delta=0.25, axis=0),
    "signal.argrelmax": lambda s, a: s.signal.argrelmax(a(X)), "signal.argrelmin wrapped": lambda s, a: s.signal.argrelmin(a(IMAGE), axis=1, order=2, mode="wrap"),
    "signal.firwin": lambda s, a: s.signal.firwin(21, 0.3), "signal.firwin band": lambda s, a: s.signal.firwin(15, [100, 200], pass_zero=False, fs=1000), "signal.firwin stop": lambda s, a: s.signal.firwin(15, [0.2, 0.6], window="hann"),
    "signal.firwin kaiser": lambda s, a: s.signal.firwin(17, 0.4, width=0.15, pass_zero="highpass"),
    "signal.sawtooth": lambda s, a: s.signal.sawtooth(a(X * 9), 0.3), "signal.sawtooth full": lambda s, a: s.signal.sawtooth(a(X * 9)), "signal.square": lambda s, a: s.signal.square(a(X * 9), 0.3),
    **{f"signal.chirp {m}": lambda s, a, m=m: s.signal.chirp(a(np.linspace(0, 2, 9)), 1.5, 2, 4, m, phi=30) for m in ("linear", "quadratic", "logarithmic", "hyperbolic")},
    "signal.unit_impulse": lambda s, a: s.signal.unit_impulse((3, 4), "mid"), "signal.unit_impulse at one number": lambda s, a: s.signal.unit_impulse((4, 4), 2), "signal.unit_impulse at": lambda s, a: s.signal.unit_impulse(5, 2, "int32"),
    **{f"interpolate.NearestNDInterpolator {r}": lambda s, a, r=r: s.interpolate.NearestNDInterpolator(a(NEAR), a(NEAR[:, 0] * 3), rescale=r)(a(IMAGE[:, :2] * 3)) for r in (False, True)},
    "interpolate.NearestNDInterpolator of rows": lambda s, a: s.interpolate.NearestNDInterpolator((a(NEAR[:, 0]), a(NEAR[:, 1])), a(NEAR))(a(IMAGE), a(IMAGE[0])),
    "interpolate.NearestNDInterpolator not far": lambda s, a: s.interpolate.NearestNDInterpolator(a(NEAR), a(NEAR[:, 1]))(a(IMAGE[:, :2] * 3), distance_upper_bound=0.5),
    "signal.freqz_sos": lambda s, a: s.signal.freqz_sos(a(np.array([[1.0, 2, 1, 1, -0.5, 0.25], [1, -1, 0.5, 1, 0.1, 0.3]])), 16),
    **{f"windows.kaiser_bessel_derived {n}": lambda s, a, n=n: s.signal.windows.kaiser_bessel_derived(n, 6.5) for n in (2, 8, 20)},
    **{f"windows.{w} {n} {sym}": lambda s, a, w=w, n=n, sym=sym: getattr(s.signal.windows, w)(n, sym=sym) for w in WINDOWS for n in (1, 8, 9) for sym in (True, False)},
    **{f"windows.chebwin {n} {sym}": lambda s, a, n=n, sym=sym: s.signal.windows.chebwin(n, 60, sym) for n in (1, 8, 9) for sym in (True, False)},
    **{f"windows.taylor {n} {sym}": lambda s, a, n=n, sym=sym: s.signal.windows.taylor(n, 5, 40, sym=sym) for n in (1, 8, 9) for sym in (True, False)},
    "windows.taylor as it is": lambda s, a: s.signal.windows.taylor(9, norm=False),
    "windows.gaussian": lambda s, a: s.signal.windows.gaussian(9, 2), "windows.kaiser": lambda s, a: s.signal.windows.kaiser(8, 6.0, False), "windows.exponential": lambda s, a: s.signal.windows.exponential(9, tau=3),
    "windows.general_cosine": lambda s, a: s.signal.windows.general_cosine(9, [0.4, 0.5, 0.1]), "windows.general_gaussian": lambda s, a: s.signal.windows.general_gaussian(9, 1.5, 2), "windows.general_hamming": lambda s, a: s.signal.windows.general_hamming(9, 0.6),
    "windows.tukey of 1": lambda s, a: s.signal.windows.tukey(9, 1), "windows.get_window": lambda s, a: s.signal.get_window(("tukey", 0.3), 10), "windows.get_window of a number": lambda s, a: s.signal.get_window(4.0, 7),
}  # fmt: skip


def _in_halves(filter, a, state, *coefficients):
    """What a filter makes of a line, the second half from the state behind the first."""
    first, state = filter(*coefficients, a(X[:9]), zi=state)
    return first, filter(*coefficients, a(X[9:]), zi=state)[0]


LONG = np.cumsum(rng.standard_normal(300)) + 5 * np.sin(np.arange(300) / 4)
STEPS = np.round(LONG[:120])
DESIGNS = {"butter": (), "cheby1": (0.5,), "cheby2": (40,)}
BANDS = {"low": 0.2, "high": 0.35, "band": (0.2, 0.5), "stop": (0.3, 0.6)}
SOS = np.array([[0.2, 0.4, 0.2, 1, -0.6, 0.2], [1, -0.3, 0, 1, 0.4, 0]])
CASES |= {
    **{f"signal.{f} {n} {b} {o}": lambda s, a, f=f, n=n, b=b, o=o: getattr(s.signal, f)(n, *DESIGNS[f], BANDS[b], b, output=o) for f in DESIGNS for n in (1, 4, 5) for b in BANDS for o in ("ba", "sos")},
    **{f"signal.{f} analog": lambda s, a, f=f: getattr(s.signal, f)(3, *DESIGNS[f], 7.5, analog=True) for f in DESIGNS}, "signal.butter of a rate": lambda s, a: s.signal.butter(2, [50, 90], "bandpass", fs=500), "signal.butter zpk": lambda s, a: s.signal.butter(3, 0.3, output="zpk"),
    "signal.iirfilter": lambda s, a: s.signal.iirfilter(3, [0.2, 0.4]), "signal.iirnotch": lambda s, a: s.signal.iirnotch(60, 30, 300), "signal.iirpeak": lambda s, a: s.signal.iirpeak(0.2, 10),
    "signal.sosfiltfilt complex": lambda s, a: s.signal.sosfiltfilt(a(SOS * [1, 1j, 1, 1, 0.5j, 1]), a(X)), "signal.sosfiltfilt": lambda s, a: s.signal.sosfiltfilt(a(SOS), a(X)), "signal.sosfiltfilt along an axis": lambda s, a: s.signal.sosfiltfilt(a(SOS), a(np.stack([X, X[::-1]], 1)), axis=0, padtype="even", padlen=5),
    "signal.sosfreqz": lambda s, a: s.signal.sosfreqz(a(SOS), 7),
    **{f"ndimage.{f} to another dtype": lambda s, a, f=f, rest=rest: getattr(s.ndimage, f)(a(np.uint8(INTEGERS)), *rest, output="float64") for f, rest in {"gaussian_filter": (1.3,), "uniform_filter": (3,), "sobel": (0,), "laplace": (), "gaussian_gradient_magnitude": (0.8,)}.items()},
    **{f"ndimage.{f} of float32 to float64": lambda s, a, f=f: getattr(s.ndimage, f)(a(np.float32(IMAGE / 3)), structure=a(INTEGERS[:3, :3]), output="float64") for f in ("white_tophat", "black_tophat")},
    **{f"ndimage.{f} by complex weights": lambda s, a, f=f: getattr(s.ndimage, f)(a(np.float32(IMAGE)), a(KERNEL * 1j)) for f in ("convolve", "correlate")},
    "ndimage.correlate by no weights": lambda s, a: s.ndimage.correlate(a(IMAGE), a(np.zeros((0, 3, 2)))),
    "ndimage.binary_hit_or_miss": lambda s, a: s.ndimage.binary_hit_or_miss(a(BLOBS)), "ndimage.binary_hit_or_miss of two": lambda s, a: s.ndimage.binary_hit_or_miss(a(BLOBS), a([[0, 0, 0], [0, 1, 0], [0, 0, 0]]), a([[0, 1, 0], [0, 0, 1]]), origin1=1, origin2=(0, -1)),
    "ndimage.iterate_structure": lambda s, a: s.ndimage.iterate_structure(a(KERNEL > 0), 3), "ndimage.iterate_structure with origins": lambda s, a: list(s.ndimage.iterate_structure(a(np.eye(3)), 2, (1, 0))),
    "ndimage.labeled_comprehension": lambda s, a: s.ndimage.labeled_comprehension(a(IMAGE), a(INTEGERS % 4), a([3, 1, 7]), lambda x: (x * x).sum(), "float32", -1),
    "ndimage.labeled_comprehension with places": lambda s, a: s.ndimage.labeled_comprehension(a(IMAGE), a(INTEGERS % 4), None, lambda x, at: (x * at).sum(), "float64", 0, True),
    "ndimage.value_indices": lambda s, a: [part for _, place in sorted(s.ndimage.value_indices(a(INTEGERS % 5), ignore_value=2).items()) for part in place],
    "signal.find_peaks": lambda s, a: s.signal.find_peaks(a(LONG))[0], "signal.find_peaks of none": lambda s, a: s.signal.find_peaks(a(np.arange(5.0)))[0], "signal.find_peaks of nothing": lambda s, a: s.signal.find_peaks(a(np.zeros(0)))[0],
    "signal.find_peaks by all": lambda s, a: (lambda at, found: [at, *(found[k] for k in sorted(found))])(*s.signal.find_peaks(a(LONG), height=-3, threshold=(0.1, None), distance=4, prominence=0.5, width=(None, 30), wlen=90, rel_height=0.7)),
    "signal.find_peaks of steps": lambda s, a: (lambda at, found: [at, *(found[k] for k in sorted(found))])(*s.signal.find_peaks(a(STEPS), plateau_size=(1, 3), height=(a(np.linspace(-9, 9, 120)), None))),
    "signal.find_peaks far apart": lambda s, a: s.signal.find_peaks(a(LONG), distance=20.5)[0], "signal.peak_prominences": lambda s, a: s.signal.peak_prominences(a(LONG), s.signal.find_peaks(a(LONG))[0], 21), "signal.peak_widths": lambda s, a: s.signal.peak_widths(a(LONG), s.signal.find_peaks(a(LONG))[0], 1.0),
    **{f"signal.periodogram {k}": lambda s, a, k=k: s.signal.periodogram(a(LONG), 10.0, **k) for k in ({}, {"nfft": 200}, {"nfft": 401, "window": "hann"}, {"scaling": "spectrum", "detrend": False})}, "signal.periodogram complex": lambda s, a: s.signal.periodogram(a(X + 1j * X[::-1])),
    "signal.welch": lambda s, a: s.signal.welch(a(LONG), 8.0, nperseg=64), "signal.welch by medians": lambda s, a: s.signal.welch(a(np.stack([LONG, LONG[::-1]], 1)), nperseg=50, noverlap=10, nfft=64, average="median", axis=0, detrend="linear"),
    "signal.welch of float32": lambda s, a: s.signal.welch(a(np.float32(LONG)), nperseg=64),
    "signal.csd": lambda s, a: s.signal.csd(a(LONG), a(LONG[::-1]), nperseg=64), "signal.coherence": lambda s, a: s.signal.coherence(a(LONG), a(LONG[::-1]), nperseg=32),
    **{f"signal.spectrogram {m}": lambda s, a, m=m: s.signal.spectrogram(a(LONG), 20.0, nperseg=32, mode=m) for m in ("psd", "complex", "magnitude", "angle")}, "signal.spectrogram of columns": lambda s, a: s.signal.spectrogram(a(np.stack([LONG, LONG[::-1]], 1)), window=a(np.hanning(16)), axis=0, return_onesided=False),
    **{f"signal.stft {b}": lambda s, a, b=b: s.signal.stft(a(LONG), 4.0, nperseg=32, boundary=b) for b in ("zeros", "even", "odd", "constant", None)}, "signal.stft of columns": lambda s, a: s.signal.stft(a(np.stack([LONG, LONG[::-1]], 1)), nperseg=30, noverlap=20, nfft=31, axis=0, detrend="constant"),
    "signal.istft": lambda s, a: s.signal.istft(s.signal.stft(a(LONG), 4.0, nperseg=32)[2], 4.0), "signal.istft of rows": lambda s, a: s.signal.istft(s.signal.stft(a(np.stack([LONG, LONG[::-1]])), nperseg=20, noverlap=5, window="hamming")[2], nperseg=20, noverlap=5, window="hamming")[1],
    "signal.istft of columns": lambda s, a: s.signal.istft(s.signal.stft(a(np.stack([LONG, LONG[::-1]], 1)), nperseg=20, axis=0)[2], time_axis=2, freq_axis=0)[1],
    "signal.istft of both sides": lambda s, a: s.signal.istft(s.signal.stft(a(LONG + 1j), nperseg=32, return_onesided=False, scaling="psd")[2], input_onesided=False, scaling="psd"),
}  # fmt: skip
CASES |= {
    **{f"fft.{f} {k} {norm}": lambda s, a, f=f, k=k, norm=norm: getattr(s.fft, f)(a(X), k, norm=norm) for f in ("dct", "dst", "idct", "idst") for k in (1, 2, 3, 4) for norm in ("backward", "ortho", "forward")},
    **{f"fft.{f} of a matrix {k}": lambda s, a, f=f, k=k: getattr(s.fft, f)(a(IMAGE), k, norm="ortho") for f in ("dctn", "idctn", "dstn", "idstn") for k in (1, 2)},
    "fft.dct along an axis": lambda s, a: s.fft.dct(a(IMAGE), n=9, axis=0), "fft.dct cut": lambda s, a: s.fft.dct(a(IMAGE), n=3), "fft.dct of float32": lambda s, a: s.fft.dct(a(np.float32(X))),
    "fft.dct complex": lambda s, a: s.fft.dct(a(X + 2j * X[::-1])), "fft.dct of integers": lambda s, a: s.fft.dct(a(INTEGERS)), "fft.dctn of lengths": lambda s, a: s.fft.dctn(a(IMAGE), s=(4, 8), axes=(1, 0)),
    "special.xlogy of complex numbers": lambda s, a: s.special.xlogy(a([0, 1j, 2 - 1j]), a([0, 3 + 1j, -2.5])),
    "fft.dst of one": lambda s, a: s.fft.dst(a([3.0])),
}  # fmt: skip

B_, A_ = [0.5, 0.2, -0.1], [2, -0.6, 0.25, 0.1]
ROOTS = ([0.5 + 0.5j, 0.5 - 0.5j, -1], [0.25 + 0.7j, 0.25 - 0.7j, 0.1], 1.5)
OTHER_SOS = [[1, 0.5, 0.25, 1, -0.6, 0.1], [0.5, 0.2, 0, 1, 0.3, 0]]
CASES |= {
    **{f"signal.upfirdn {up} {down}": lambda s, a, up=up, down=down: s.signal.upfirdn(a([1.0, 2, -0.5, 0.25]), a(X), up, down) for up in (1, 2, 3) for down in (1, 2, 5)},
    "signal.upfirdn along an axis": lambda s, a: s.signal.upfirdn(a([1.0, 2j]), a(IMAGE), 2, 3, axis=0),
    **{f"signal.resample_poly {up} {down}": lambda s, a, up=up, down=down: s.signal.resample_poly(a(LONG), up, down) for up, down in ((1, 2), (3, 1), (4, 6), (3, 7), (2, 2))},
    "signal.resample_poly of a matrix": lambda s, a: s.signal.resample_poly(a(IMAGE), 3, 2, axis=1, padtype="mean"), "signal.resample_poly by coefficients": lambda s, a: s.signal.resample_poly(a(LONG), 2, 3, window=a([0.25, 0.5, 0.25])),
    "signal.decimate": lambda s, a: s.signal.decimate(a(LONG), 3), "signal.decimate once": lambda s, a: s.signal.decimate(a(LONG), 3, 4, zero_phase=False),
    **{f"signal.decimate fir {z}": lambda s, a, z=z: s.signal.decimate(a(LONG), 4, 11, "fir", zero_phase=z) for z in (True, False)},
    "signal.hilbert2 of odd lengths": lambda s, a: s.signal.hilbert2(a(IMAGE), (5, 7)),
    "signal.czt": lambda s, a: s.signal.czt(a(LONG)), "signal.czt of some": lambda s, a: s.signal.czt(a(IMAGE), 9, np.exp(-0.1j), np.exp(0.3j), axis=0),
    "signal.zoom_fft": lambda s, a: s.signal.zoom_fft(a(LONG), [0.2, 0.6], 17), "signal.zoom_fft up to an end": lambda s, a: s.signal.zoom_fft(a(LONG), 3.0, 12, fs=8.0, endpoint=True),
    "signal.vectorstrength": lambda s, a: s.signal.vectorstrength(a([0.1, 1.05, 2.2, 2.9]), a([1.0, 0.7])), "signal.lombscargle": lambda s, a: s.signal.lombscargle(a(np.arange(12.0) ** 1.1), a(np.cos(np.arange(12.0))), a([0.3, 0.8, 1.4])),
    "signal.gausspulse": lambda s, a: s.signal.gausspulse(a([-1e-3, 0, 2e-4]), 500, 0.4, retquad=True, retenv=True), "signal.gausspulse cutoff": lambda s, a: np.float64(s.signal.gausspulse("cutoff", 5)),
    "signal.sweep_poly": lambda s, a: s.signal.sweep_poly(a(X), np.poly1d([0.05, -0.75, 2.5]), 30),
    "signal.tf2zpk": lambda s, a: [np.sort_complex(np.asarray(r)) for r in map(_host, s.signal.tf2zpk(B_, A_)[:2])], "signal.zpk2tf": lambda s, a: s.signal.zpk2tf(*ROOTS), "signal.zpk2sos": lambda s, a: s.signal.zpk2sos(*ROOTS),
    "signal.tf2sos": lambda s, a: s.signal.tf2sos([1.0, 0.5, 0.2, 0.1], [1.0, -0.4, 0.3, 0.05]), "signal.sos2tf": lambda s, a: s.signal.sos2tf(a(OTHER_SOS)), "signal.sos2zpk": lambda s, a: s.signal.sos2zpk(a(OTHER_SOS)),
    "signal.bilinear": lambda s, a: s.signal.bilinear([1.0, 2], [1.0, 3, 2], 4.0), "signal.bilinear_zpk": lambda s, a: s.signal.bilinear_zpk(np.array([-1.0]), np.array([-2.0, -0.5]), 3.0, 8.0)[:2], "signal.normalize": lambda s, a: s.signal.normalize([2.0, 4], [4.0, 1]),
    "signal.freqz_zpk": lambda s, a: s.signal.freqz_zpk(*ROOTS, worN=9), "signal.freqs": lambda s, a: s.signal.freqs([1.0, 2], [1.0, 3, 2], [0.5, 1, 4]), "signal.freqs_zpk": lambda s, a: s.signal.freqs_zpk([-1.0], [-2.0, -0.5], 3.0, [0.5, 1, 4]),
    "signal.group_delay": lambda s, a: s.signal.group_delay((B_, A_), 7), "signal.group_delay at frequencies": lambda s, a: s.signal.group_delay((B_, [1.0]), [0.1, 0.4], fs=2.0),
}  # fmt: skip


AT = np.array([0.0, 0.7, 1.9, 2.0, 4.5])
THROUGH = np.array([[1.0, 0.5, -2], [0.2, 0.5, 3], [2.2, 0.5, 1], [2.0, -1, 1], [1.0, 0.5, -2]])
BETWEEN = np.array([[-0.5, 0, 0.3, 0.7], [1.95, 2.5, 4.5, 6]])
LINES = [np.array([0.0, 1, 3]), np.array([5.0, 2, 1, 0])]
GRID = np.arange(24.0).reshape(3, 4, 2) ** 1.5
WITHIN = np.array([[0.5, 4.5], [3, 0], [1, 1.5], [0.2, nan], [4, 1]])


def _spline(make, nu):
    """Of a spline: values, derivatives, integrals."""

    def of(s, a):
        found = []
        for n in (2, 3, 4, 5):
            y = THROUGH.copy()[:n]
            y[-1] = y[0] if make is PERIODIC else y[-1]
            p = make(s, a(AT[:n]), a(y), 0), make(s, a(AT[:n]), a(y.T), 1)
            found += [
                p[0](a(BETWEEN), nu),
                p[1](a(BETWEEN), nu),
                p[0].antiderivative()(a(BETWEEN)),
                p[1].derivative()(a(BETWEEN)),
            ]
            found += [p[0].integrate(0.25, 5.5), p[0].c]
        return found

    return of


PERIODIC = lambda s, x, y, axis: s.interpolate.CubicSpline(x, y, axis, bc_type="periodic")  # noqa: E731
SPLINES = {
    "PchipInterpolator": lambda s, x, y, axis: s.interpolate.PchipInterpolator(x, y, axis),
    "Akima1DInterpolator": lambda s, x, y, axis: s.interpolate.Akima1DInterpolator(x, y, axis),
    "CubicHermiteSpline": lambda s, x, y, axis: s.interpolate.CubicHermiteSpline(x, y, y[::-1] - 1, axis),
    "CubicSpline periodic": PERIODIC,
    **{f"CubicSpline {kind}": lambda s, x, y, axis, kind=kind: s.interpolate.CubicSpline(x, y, axis, kind) for kind in ("not-a-knot", "natural", "clamped", ((1, [2.0, 1, 0]), (2, [0.5, 0, 1])), ("not-a-knot", "natural"))},
}  # fmt: skip
CASES |= {
    **{f"interpolate.{name} {nu}": _spline(make, nu) for name, make in SPLINES.items() for nu in (0, 1, 2, 4)},
    "interpolate.PPoly that falls": lambda s, a: s.interpolate.PPoly(a(GRID), a([3.0, 2.5, 1, 0, -1]))(a(BETWEEN)),
    "interpolate.PPoly along an axis": lambda s, a: s.interpolate.PPoly(a(GRID), a([0.0, 1, 3]), False, 1)(a(BETWEEN)),
    "interpolate.PPoly of more": lambda s, a: _extended(s.interpolate.PPoly(a(GRID), a(AT)), a)(a(BETWEEN * 2)),
    "interpolate.pchip_interpolate": lambda s, a: s.interpolate.pchip_interpolate(a(AT), a(THROUGH), a(BETWEEN), [0, 1]),
    **{f"interpolate.RegularGridInterpolator {m} {fill}": lambda s, a, m=m, fill=fill: s.interpolate.RegularGridInterpolator([a(x) for x in LINES], a(GRID), m, False, fill)(a(WITHIN)) for m in ("linear", "nearest") for fill in (nan, None, -7.0)},
    "interpolate.interpn": lambda s, a: s.interpolate.interpn([a(AT)], a(THROUGH), a([0.3, 1.9, 4.5])),
    "interpolate.interpn of a tuple": lambda s, a: s.interpolate.interpn([a(x) for x in LINES], a(GRID), (a([[0.5], [2]]), a([1.5, 3.0]))),
}  # fmt: skip


def _extended(polynomials, a):
    polynomials.extend(a(GRID[1:, :1]), a([6.5]))
    return polynomials


def _host(x):
    return x.get() if hasattr(x, "get") else x


EDGES = {"low": (0.2, 0.3), "high": (0.3, 0.2), "band": ([0.2, 0.5], [0.1, 0.6])}
FRACTIONS = [
    ([5, 3, -2, 7], [-4, 0, 8, 3]),
    ([3, 8, 6], [1, 3, 3, 1]),
    ([1, 0, 1], [1, 0, 0, 0, 0, -1]),
    ([0, 0], [1, 6, 8]),
    ([1, 6, 6, 2], [1, -(2 + 1j), 1 + 2j, -1j]),
]
PARTS = [
    ([1 - 1j, 2, 0.5 - 3j], [1, 0.5j, 1 + 1j], []),
    ([-1, 2.0, 1j, 3 - 1j, 4, -2], [-1, 2 - 1j, 2 - 1j, 3, 3, 3], []),
    ([0.5, 1], [1 - 1j, 2 + 2j], [1, 2, 3]),
]
TRANSFERS = [([1.0], [1, 1]), ([1], [1, 0]), ([1, 2], [1, 1.5, 3, 1]), ([1.0], [1.0, 2, 1]), ([1, 3, 3], [1, 2, 1])]
SYSTEM = [
    np.array(m) for m in ([[0.9, 0.1], [-0.2, 0.9]], [[0.4, 0.1, -0.1], [0, 0.05, 0]], [[0.1, 0.3]], [[0, -0.1, 0]])
]
INPUT = np.stack([np.linspace(0, 4, 5), np.full(5, 0.01), np.full(5, -0.002)], 1)


def _parts_of(system):
    return [getattr(system, k) for k in ("A", "B", "C", "D", "num", "den", "zeros", "poles") if hasattr(system, k)]


def _sums_of(s, a):
    one, two = (
        s.signal.StateSpace(1.0, 2, 3, 4),
        s.signal.StateSpace(*map(a, ([[1.0, 2], [3, 4]], [[-1.0], [5]], [[4.0, 5]], [[2.5]]))),
    )
    return [
        _parts_of(made) for made in (one * two, one + two, one - two, -one, 2 * one, two * 2, one / 2, 1 - one, two + 1)
    ]


CASES |= {
    **{f"signal.ellip {b} {n} {o}": lambda s, a, n=n, b=b, o=o: s.signal.ellip(n, 1, 40, BANDS[b], b, output=o) for b in BANDS for n in (1, 2, 5) for o in ("zpk", "ba", "sos")},
    **{f"signal.{f} {k}": lambda s, a, f=f, k=k: getattr(s.signal, f)(*EDGES[k], 1, 40) for f in ("buttord", "cheb1ord", "cheb2ord", "ellipord") for k in EDGES},
    "signal.buttord of a rate": lambda s, a: s.signal.buttord(0.3, 0.5, 1, 30, fs=3.0), "signal.ellipord analog": lambda s, a: s.signal.ellipord([2, 5], [1, 7], 1, 30, analog=True),
    **{f"signal.iirdesign {f} {k}": lambda s, a, f=f, k=k: s.signal.iirdesign(*EDGES[k], 1, 40, ftype=f, output="zpk") for f in ("butter", "cheby1", "cheby2", "ellip") for k in ("low", "high")},
    **{f"signal.iircomb {k} {z}": lambda s, a, k=k, z=z: s.signal.iircomb(60.0, 10, k, fs=600.0, pass_zero=z) for k in ("notch", "peak") for z in (False, True)},
    "signal.buttap": lambda s, a: s.signal.buttap(3), "signal.cheb1ap": lambda s, a: s.signal.cheb1ap(3, 1), "signal.cheb2ap": lambda s, a: s.signal.cheb2ap(3, 1), "signal.ellipap": lambda s, a: s.signal.ellipap(5, 1, 10),
    **{f"signal.{f}": lambda s, a, f=f: getattr(s.signal, f)(*([1, 0.5], [1, 2**0.5, 1, 0.3]), 2.5, *[1.5][: f[3] == "b"]) for f in ("lp2lp", "lp2hp", "lp2bp", "lp2bs")},
    **{f"signal.{f}_zpk": lambda s, a, f=f: getattr(s.signal, f + "_zpk")([-2j, 2j], [-0.75, -0.5 - 0.5j, -0.5 + 0.5j], 3, 15, *[8][: f[3] == "b"]) for f in ("lp2lp", "lp2hp", "lp2bp", "lp2bs")},
    "signal.band_stop_obj": lambda s, a: s.signal.band_stop_obj(2, 0, a([1.0, 4]), a([2.5, 3]), 1, 10, "butter"), "signal.findfreqs": lambda s, a: s.signal.findfreqs([1, 0], [1, 8, 25], 9), "signal.freqs of a count": lambda s, a: s.signal.freqs([1.0, 0], [1, 8, 25], 9),
    "signal.normalize of rows": lambda s, a: s.signal.normalize([[0, 1, 2], [0, 3, 4]], [0, 2, 3, 4.0]),
    **{f"signal.czt from {b} by {w}": lambda s, a, b=b, w=w: s.signal.czt(a(X), 9, w, b) for b in (2, 0.5, 1.1) for w in (None, 0.98534 + 0.17055j)}, "signal.czt_points": lambda s, a: (s.signal.czt_points(5), s.signal.czt_points(11, w=2), s.signal.CZT(12, m=7, w=2.0, a=1).points()),
    **{f"signal.{f} {k}": lambda s, a, f=f, k=k: getattr(s.signal, f)(*map(a, FRACTIONS[k])) for f in ("residue", "residuez") for k in range(len(FRACTIONS))},
    **{f"signal.{f} {k} {r}": lambda s, a, f=f, k=k, r=r: getattr(s.signal, f)(*map(a, PARTS[k]), rtype=r) for f in ("invres", "invresz") for k in range(len(PARTS)) for r in ("avg", "max")},
    "signal.unique_roots": lambda s, a: s.signal.unique_roots(a([-1.0, -1 + 0.05j, -0.95 + 0.15j, -0.9 + 0.15j, 0, 0.5 + 0.5j, 0.45 + 0.55j]), 0.1),
    **{f"signal.symiirorder1 {p}": lambda s, a, p=p: s.signal.symiirorder1(a(LONG[:64]), 2.0, 0.5, p) for p in (-1, 1.0, 0.25, 2e-3)},
    **{f"signal.cspline1d {k}": lambda s, a, k=k: s.signal.cspline1d(a(X), k) for k in (0, 5.0)}, "signal.qspline1d": lambda s, a: s.signal.qspline1d(a(X)), "signal.cspline1d of one": lambda s, a: s.signal.cspline1d(a([3])),
    **{f"signal.{f}_eval": lambda s, a, f=f: getattr(s.signal, f + "_eval")(a(X), a(np.arange(-8, 40, 0.75)), dx=1.5, x0=-3) for f in ("cspline1d", "qspline1d")},
    **{f"signal.sepfir2d {k}": lambda s, a, k=k: s.signal.sepfir2d(a((IMAGE * 10).astype(k)), a(np.array([1, 2, 3], k)), a(np.array([2, 1, 4], k))) for k in ("int8", "int64", "float64", "complex128")}, "signal.gauss_spline": lambda s, a: s.signal.gauss_spline(a([-1.0, 0, -1]), 3),
    **{f"signal.{f} {k}": lambda s, a, f=f, k=k: getattr(s.signal, f)(TRANSFERS[k]) for f in ("impulse", "step", "bode") for k in range(len(TRANSFERS))}, **{f"signal.{f} {k}": lambda s, a, f=f, k=k: getattr(s.signal, f)((*TRANSFERS[k], 0.5), n=9) for f in ("dimpulse", "dstep", "dbode") for k in (0, 2, 4)},
    **{f"signal.lsim {k}": lambda s, a, k=k: s.signal.lsim(TRANSFERS[k], a(np.sin(np.linspace(1, 5, 50))), a(np.linspace(1, 5, 50))) for k in range(len(TRANSFERS))}, "signal.lsim of steps": lambda s, a: s.signal.lsim(TRANSFERS[2], a(X), a(np.arange(23.0)), interp=False),
    **{f"signal.cont2discrete {m}": lambda s, a, m=m: [list(map(a, s.signal.cont2discrete((a(np.eye(2)), a(np.full((2, 1), 0.5)), a([[0.75, 1], [1, 1], [1, 0.25]]), a([[0.0], [0], [0]])), 0.5, m, 1 / 3)[:4])) ] for m in "zoh foh impulse bilinear euler backward_diff gbt".split()},
    "signal.dlsim": lambda s, a: s.signal.dlsim((*map(a, SYSTEM), 0.5), a(INPUT), a(np.linspace(0, 2, 5))), "signal.dlsim between": lambda s, a: s.signal.dlsim((*map(a, SYSTEM), 0.5), a(INPUT[[0, 4]]), a([0, 2.0])), "signal.dstep of three inputs": lambda s, a: s.signal.dstep((*map(a, SYSTEM), 0.5), n=6),
    "signal.StateSpace": _sums_of, **{f"signal.{k}": lambda s, a, k=k, p=p: [_parts_of(x) for x in (lambda o: (o, o.to_tf(), o.to_zpk(), o.to_ss()))(getattr(s.signal, k)(*p))] for k, p in {"TransferFunction": ([1.0, 0], [1, -1.5, 1]), "ZerosPolesGain": ([1.0], [2.0, 3], 1)}.items()},
    "signal.ss2tf of an input": lambda s, a: s.signal.ss2tf(*map(a, SYSTEM), input=1), "signal.ss2zpk": lambda s, a: s.signal.ss2zpk(*map(a, SYSTEM)), "signal.abcd_normalize": lambda s, a: s.signal.abcd_normalize(B=a([[1.0], [2]]), D=a([[3.0]])),
    **{f"signal.firwin2 {n} {w}": lambda s, a, n=n, w=w: s.signal.firwin2(n, a([0, 0.5, 0.5, 1]), a([1.0, 1, 0, 0]), window=w) for n in (20, 21) for w in ("hamming", None)}, "signal.firwin2 antisymmetric": lambda s, a: [s.signal.firwin2(n, a([0.0, 0.5, 1]), a([0.0, 0.5, 0]), window=None, antisymmetric=True) for n in (20, 21)],
    "signal.firls": lambda s, a: s.signal.firls(11, [0, 0.5, 0.6, 1], [1, 1, 0, 0], weight=[1, 2]), **{f"signal.gammatone {k}": lambda s, a, k=k: s.signal.gammatone(1000, k, fs=16000) for k in ("fir", "iir")}, "signal.minimum_phase": lambda s, a: [s.signal.minimum_phase(s.signal.firwin(n, 0.3)) for n in (11, 12)],
    "signal.max_len_seq": lambda s, a: [s.signal.max_len_seq(6), s.signal.max_len_seq(8, state=a([1, 0, 0, 1, 0, 0, 0, 1]), length=40), s.signal.max_len_seq(5, taps=[4, 3, 2])], "signal.check_COLA": lambda s, a: [f(w, 10, o) for f in (s.signal.check_COLA, s.signal.check_NOLA) for w in ("boxcar", "hann", ("tukey", 0.5)) for o in (0, 5, 8)],
}  # fmt: skip


KNOTS = np.sort(rng.random(19) * 10)
COEFFICIENTS = rng.random(15)
PLACES = np.linspace(-2, 12, 30)
ENDS = {"natural": "natural", "clamped": "clamped", "first": ([(1, 3.0)], [(1, 4.0)]), "periodic": "periodic"}
SCATTERED, ASKED = rng.random((40, 2)), rng.random((9, 2))


def _spline(s, a, **options):
    return s.interpolate.BSpline(a(KNOTS), a(COEFFICIENTS), 3, **options)


def _sine(s, a, *args, **options):
    x = np.linspace(0, 2 * np.pi, 11)
    return s.interpolate.make_interp_spline(a(x), a(np.sin(x)), *args, **options)


CASES |= {
    **{f"interpolate.BSpline {e} {nu}": lambda s, a, e=e, nu=nu: _spline(s, a, extrapolate=e)(a(PLACES), nu) for e in (True, False, "periodic") for nu in (0, 1, 3, 4)},
    **{f"interpolate.BSpline.{f}": lambda s, a, f=f: getattr(_spline(s, a), f)(2).tck[:2] for f in ("derivative", "antiderivative")},
    **{f"interpolate.BSpline.integrate {e}": lambda s, a, e=e: [_spline(s, a, extrapolate=e).integrate(*ends) for ends in ((3, 6), (6, 3), (-1, 2), (4, 30))] for e in (True, False, "periodic")},
    "interpolate.BSpline along an axis": lambda s, a: [s.interpolate.BSpline(a(KNOTS), a(np.moveaxis(np.outer(COEFFICIENTS, [1, 2, 5j]), 0, k)), 3, axis=k)(a([[4.0, 5], [6, 7]])) for k in (0, 1)],
    "interpolate.BSpline.basis_element": lambda s, a: s.interpolate.BSpline.basis_element(a([0, 1, 1, 2.0]), False)(a(PLACES)), "interpolate.BSpline.design_matrix": lambda s, a: a(s.interpolate.BSpline.design_matrix(a(np.arange(1.0, 5)), a(np.arange(-1.0, 7)), 2).toarray()),
    **{f"interpolate.make_interp_spline {k}": lambda s, a, k=k: _sine(s, a, k)(a(PLACES)) for k in range(6)}, **{f"interpolate.make_interp_spline {e}": lambda s, a, e=e: _sine(s, a, 3, bc_type=ENDS[e])(a(PLACES)) for e in ENDS},
    "interpolate.make_interp_spline of rows": lambda s, a: s.interpolate.make_interp_spline(a(KNOTS), a(np.outer(KNOTS, [1, 2j]).T), 5, axis=1)(a(PLACES)), "interpolate.make_lsq_spline": lambda s, a: s.interpolate.make_lsq_spline(a(KNOTS), a(np.sin(KNOTS)), a(np.r_[[KNOTS[0]] * 4, 3, 5, [KNOTS[-1]] * 4]), 3, w=a(KNOTS))(a(PLACES)),
    **{f"interpolate.{f} {d}": lambda s, a, f=f, d=d: getattr(s.interpolate, f)(a(np.linspace(-5, 5, 5).astype(d)), a(np.arange(10.0).reshape(5, 2).astype(d) ** 2))(a(PLACES[::4].astype(d))) for f in ("BarycentricInterpolator", "KroghInterpolator") for d in ("int64", "float32", "float64")},
    "interpolate.KroghInterpolator of slopes": lambda s, a: s.interpolate.KroghInterpolator(a([-1, -1, 0, 1, 1]), a([1, 1j, 0, -1, 1j])).derivatives(a([0, 2.5]), 7), "interpolate.krogh_interpolate": lambda s, a: s.interpolate.krogh_interpolate(a([0.0, 1, 3]), a([2.0, 1, 5]), a(PLACES), der=[0, 2]),
    **{f"interpolate.RBFInterpolator {k} {n}": lambda s, a, k=k, n=n: s.interpolate.RBFInterpolator(a(SCATTERED), a(np.sin(5 * SCATTERED) + 1j), n, 0.01, k, 3.0)(a(ASKED)) for k in "linear thin_plate_spline cubic quintic multiquadric inverse_multiquadric inverse_quadratic gaussian".split() for n in (None, 20)},
}  # fmt: skip


CASES |= {
    **{f"fft.{f} {n} {mu} {o} {b}": lambda s, a, f=f, n=n, mu=mu, o=o, b=b: getattr(s.fft, f)(a(np.stack([X[:n], X[-n:]])), 0.7, mu, offset=o, bias=b) for f in ("fht", "ifht") for n in (9, 10) for mu, o, b in ((0.3, 0.0, 0.0), (0.5, 0.1, 0.8), (-1.2, 0.2, -0.5))},
    "fft.fhtoffset": lambda s, a: [s.fft.fhtoffset(d, mu, 0.1, b) for d in (0.2, 1.9) for mu in (0.3, -1.2) for b in (0.0, 0.8)],
}  # fmt: skip


CLOUD, CLOUD_ASKED = rng.random((60, 3)), rng.random((2, 4, 3))


def _tree(s, a, points=CLOUD, **options):
    return s.spatial.KDTree(a(points), leafsize=100, **options)


CASES |= {
    **{f"spatial.KDTree.query {k} {p}": lambda s, a, k=k, p=p: _tree(s, a).query(a(CLOUD_ASKED), k, p=p) for k in (1, 4, 70) for p in (1, 2, 3.0, inf)}, "spatial.KDTree.query of some": lambda s, a: _tree(s, a).query(a(CLOUD_ASKED), [1, 3], distance_upper_bound=0.25),
    **{f"spatial.KDTree in a box {p}": lambda s, a, p=p: _tree(s, a, boxsize=[1.0, 0, 1]).query(a(CLOUD_ASKED + [1, 0, -1]), 3, p=p) for p in (1, 2, inf)},
    "spatial.KDTree.query_ball_point": lambda s, a: [a(np.sort(np.asarray(getattr(x, "get", lambda x=x: x)()))) for x in _tree(s, a).query_ball_point(a(CLOUD[:9]), 0.4)], "spatial.KDTree.query_ball_point how many": lambda s, a: _tree(s, a).query_ball_point(a(CLOUD[:9]), 0.4, return_length=True),
    "spatial.KDTree.query_pairs": lambda s, a: [_tree(s, a).query_pairs(0.3, output_type="ndarray"), a(sorted(_tree(s, a).query_pairs(0.3)))], "spatial.KDTree.query_ball_tree": lambda s, a: [a(x) for x in _tree(s, a).query_ball_tree(_tree(s, a, CLOUD[20:]), 0.4)],
    "spatial.KDTree.count_neighbors": lambda s, a: [_tree(s, a).count_neighbors(_tree(s, a, CLOUD[20:]), r) for r in (0.3, [0.1, 0.5])], "spatial.KDTree.sparse_distance_matrix": lambda s, a: _tree(s, a).sparse_distance_matrix(_tree(s, a, CLOUD[20:]), 0.3, output_type="coo_matrix").toarray(),
}  # fmt: skip


CASES |= {f"special.sph_harm_y {n} {m}": lambda s, a, n=n, m=m: s.special.sph_harm_y(n, m, a(np.linspace(0.1, 3, 9)), a(np.linspace(0.2, 6, 9))) for n in (0, 1, 4) for m in range(-n, n + 1)}  # fmt: skip

CASES |= {
    **{f"signal.filtfilt gust {k}": lambda s, a, k=k: s.signal.filtfilt(a([0.5, 0.2]), a([1, -0.6, 0.25]), a(np.stack([LONG, LONG[::-1]])), method="gust", irlen=k) for k in (None, 20, 150)},
    "signal.filtfilt gust along an axis": lambda s, a: s.signal.filtfilt(a([0.5, 0.1j]), a([1, 0.3j]), a(IMAGE), axis=0, method="gust"), "signal.filtfilt gust of a factor": lambda s, a: s.signal.filtfilt(a([3.0]), a([2.0]), a(X), method="gust"),
}  # fmt: skip

grid_rng = np.random.default_rng(5)
UNEVEN = np.linspace(1, 4, 7), np.sort(grid_rng.random(8)) * 5
ON_THEM = grid_rng.random((7, 8, 2))
INSIDE = np.stack([grid_rng.uniform(line[0], line[-1], 9) for line in UNEVEN], 1)
ROWS_OF_KNOTS = (
    np.r_[0, 0, 0, 0, np.sort(grid_rng.random(7)) * 3, 3, 3, 3, 3],
    np.r_[0, 0, 0, np.sort(grid_rng.random(5)) * 4, 4, 4, 4],
)
OF_PRODUCTS = grid_rng.random((11, 8, 2)) * (1 + 1j)

CASES |= {
    **{f"interpolate.RegularGridInterpolator {m}": lambda s, a, m=m: s.interpolate.RegularGridInterpolator(tuple(map(a, UNEVEN)), a(ON_THEM), method=m)(a(INSIDE)) for m in ("slinear", "pchip", "cubic_legacy", "quintic_legacy")},
    **{f"interpolate.NdBSpline {e} {nu}": lambda s, a, e=e, nu=nu: s.interpolate.NdBSpline(tuple(map(a, ROWS_OF_KNOTS)), a(OF_PRODUCTS), (3, 2), extrapolate=e)(a(INSIDE - 1), nu=nu) for e in (True, False) for nu in (None, (1, 0), (2, 3))},
    "interpolate.NdBSpline.design_matrix": lambda s, a: a(s.interpolate.NdBSpline.design_matrix(a([[1, 2.0], [0.5, 3]]), tuple(map(a, ROWS_OF_KNOTS)), (3, 2)).toarray()),
}  # fmt: skip

BREAKS, PIECES = np.sort(rng.random(7) * 10), rng.random((4, 6, 2)) - 0.5
GIVEN_SLOPES = rng.random((5, 8))


def _pieces(s, a, kind, **options):
    return getattr(s.interpolate, kind)(a(PIECES), a(BREAKS), **options)


CASES |= {
    **{f"interpolate.BPoly {e} {nu}": lambda s, a, e=e, nu=nu: _pieces(s, a, "BPoly", extrapolate=e)(a(PLACES), nu) for e in (True, False, "periodic") for nu in (0, 1, 3)}, "interpolate.BPoly along an axis": lambda s, a: s.interpolate.BPoly(a(np.moveaxis(PIECES, 2, 0)), a(BREAKS), axis=1)(a([[4.0, 5], [6, 7]])),
    **{f"interpolate.BPoly.{f}": lambda s, a, f=f: getattr(_pieces(s, a, "BPoly"), f)(2).c for f in ("derivative", "antiderivative")}, "interpolate.BPoly.integrate": lambda s, a: [_pieces(s, a, "BPoly", extrapolate=e).integrate(*ends) for e in (True, "periodic") for ends in ((3, 6), (6, 3), (-1, 25))],
    "interpolate.BPoly.from_power_basis": lambda s, a: s.interpolate.BPoly.from_power_basis(_pieces(s, a, "PPoly")).c, "interpolate.PPoly.from_bernstein_basis": lambda s, a: s.interpolate.PPoly.from_bernstein_basis(_pieces(s, a, "BPoly")).c,
    "interpolate.PPoly.from_spline": lambda s, a: s.interpolate.PPoly.from_spline(_spline(s, a)).c, **{f"interpolate.BPoly.from_derivatives {o}": lambda s, a, o=o: s.interpolate.BPoly.from_derivatives(a(np.arange(5.0) ** 2), [a(row) for row in GIVEN_SLOPES], orders=o).c for o in (None, 5, 6, [1, 2, 3, 4])},
}  # fmt: skip


def _of_more_pieces(s, a, kind):
    made = _pieces(s, a, kind)
    made.extend(a(np.ones((6, 2, 2))), a([11.0, 12]))
    return made.c, made.x


CASES |= {
    f"interpolate.{kind}.extend": lambda s, a, kind=kind: _of_more_pieces(s, a, kind) for kind in ("PPoly", "BPoly")
}


def _of(package):
    found = types.SimpleNamespace()
    for name in modules:
        setattr(found, name.rpartition(".")[2], importlib.import_module(f"{package}.{name}"))
    return found


def _leaves(result):
    """The arrays of a result, which may be lists of lists of them."""
    return [x for part in result for x in _leaves(part)] if isinstance(result, (tuple, list)) else [result]


def test_a_place_on_the_last_element_is_inside_by_its_own_sum(device):
    from kasoku.compat.cupyx.scipy import ndimage

    matrix, n, m = [[0.9, 0.1], [-0.1, 0.9]], 64, 80
    import kasoku as ks

    got = ndimage.affine_transform(ks.ones((n, m), device=device), ks.array(matrix, device=device), order=1, cval=-1.0)
    at = [[[a * i + b * j for a, b in matrix] for j in range(m)] for i in range(n)]
    inside = [[0 <= x <= n - 1 and 0 <= y <= m - 1 for x, y in row] for row in at]
    np.testing.assert_array_equal(got.numpy() >= 0, inside)


@pytest.mark.parametrize("case", CASES)
def test_values_are_scipys(case, device):
    from kasoku.compat import cupy as cp

    with cp.cuda.Device(0):
        found = [np.asarray(cp.asnumpy(x)) for x in _leaves(CASES[case](_of("kasoku.compat.cupyx.scipy"), cp.asarray))]
    wanted = json.loads(golden.read_text())[case]
    assert len(found) == len(wanted)
    for x, (shape, dtype, values) in zip(found, wanted):
        assert (x.shape, x.dtype) == (tuple(shape), dtype)
        values = [complex(v) for v in values] if "complex" in dtype else values
        wanted_values = np.array(values, dtype).reshape(shape)
        close = 2e-6 if x.dtype == np.float32 else LOOSE.get(case.partition(".")[2], 1e-12)
        np.testing.assert_allclose(x, wanted_values, close, 1e-300 if "special" in case else close)


@pytest.mark.parametrize("name", ["median_filter", "rank_filter", "percentile_filter"])
def test_what_is_chosen_of_windows_lies_by_itself(name):
    cupy, ndimage = (importlib.import_module(f"kasoku.compat.{name}") for name in ("cupy", "cupyx.scipy.ndimage"))
    found = getattr(ndimage, name)(cupy.asarray(IMAGE), *[4] * (name != "median_filter"), size=3)
    assert found.flags.c_contiguous and found.base is None


@pytest.mark.parametrize("mode", ["reflect", "mirror", "wrap", "nearest", "constant"])
def test_a_reduction_of_ones_own_filters(mode):
    """Sums of squares around each element, beside loops over a padded image."""
    cupy, ndimage = (importlib.import_module(f"kasoku.compat.{name}") for name in ("cupy", "cupyx.scipy.ndimage"))
    squares = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
    image, footprint = np.arange(30.0).reshape(5, 6) % 7, np.array([[1, 0, 1], [1, 1, 0]], bool)
    ends = {"reflect": "symmetric", "mirror": "reflect", "wrap": "wrap", "nearest": "edge", "constant": "constant"}[
        mode
    ]
    padded = np.pad(image, [(1, 0), (1, 1)], ends)
    wanted = [[(padded[i : i + 2, j : j + 3][footprint] ** 2).sum() for j in range(6)] for i in range(5)]
    found = ndimage.generic_filter(cupy.asarray(image), squares, footprint=footprint, mode=mode)
    np.testing.assert_array_equal(found.get(), wanted)
    whole = ndimage.generic_filter(cupy.asarray(image.astype("float32")), squares, size=(2, 3), mode=mode)
    full = [[(padded[i : i + 2, j : j + 3] ** 2).sum() for j in range(6)] for i in range(5)]
    assert whole.dtype == np.float32 and np.array_equal(whole.get(), np.float32(full))
    assert ndimage.generic_filter(cupy.zeros((0, 3)), squares, size=3).shape == (0, 3)


def test_results_lie_in_the_order_of_memory():
    cupy, signal = (importlib.import_module(f"kasoku.compat.{name}") for name in ("cupy", "cupyx.scipy.signal"))
    x, w, line = cupy.asarray(IMAGE), cupy.asarray(KERNEL), cupy.ones((1, 6)) * cupy.asarray([0.5])
    for found in (
        signal.convolve(x, w, "same"), signal.fftconvolve(x, w, "valid"), signal.correlate2d(x, w, "same"), signal.detrend(x, axis=0),
        signal.lfilter(w[0], w[1] + 1, x, axis=0), signal.filtfilt([0.5], [1, 0.2], x, axis=0, padlen=2), signal.sosfiltfilt(line + 0.5, x, axis=0, padlen=2),
    ):  # fmt: skip
        assert found.flags.c_contiguous


@pytest.mark.parametrize("footprint", [None, [[0, 1, 1], [1, 0, 1]]])
def test_filters_by_kernels_are_those_of_each_window(footprint, device):
    from kasoku.compat import cupy as cp
    from kasoku.compat.cupyx.scipy import ndimage

    with cp.cuda.Device(0):
        raw = cp.RawKernel(
            'extern "C" __global__ void spread(const double *x, int n, double *y) { double s = 0;'
            "for (int k = 0; k < n; k++) s += fabs(x[k] - x[n / 2]); *y = s; }", "spread",
        )  # fmt: skip
        reduction = cp.ReductionKernel("X x", "Y y", "fabs(x - _raw_x[_in_ind.size() / 2])", "a + b", "y = a", "0")
        places = np.ones((2, 3), bool) if footprint is None else np.array(footprint, bool)
        seen = np.lib.stride_tricks.sliding_window_view(np.pad(IMAGE, [(1, 0), (1, 1)], "symmetric"), (2, 3))[
            ..., places
        ]
        wanted = abs(seen - seen[..., [seen.shape[-1] // 2]]).sum(-1)
        for kernel in (raw, reduction):
            found = ndimage.generic_filter(cp.asarray(IMAGE), kernel, footprint=cp.asarray(places))
            np.testing.assert_allclose(found.get(), wanted, 1e-14)
        with pytest.raises(TypeError, match="identity"):
            ndimage.generic_filter(cp.asarray(IMAGE), np.sum, 3)


@pytest.mark.parametrize("axis", [0, 1])
def test_filters_of_lines_by_kernels_see_what_is_beyond_the_ends(axis, device):
    from kasoku.compat import cupy as cp
    from kasoku.compat.cupyx.scipy import ndimage

    with cp.cuda.Device(0):
        kernel = cp.RawKernel(
            'extern "C" __global__ void turned(const double *x, ptrdiff_t n, double *y, ptrdiff_t m) {'
            "for (int k = 0; k < m; k++) y[k] = x[n - 1 - k]; }", "turned",
        )  # fmt: skip
        found = ndimage.generic_filter1d(cp.asarray(IMAGE), kernel, 4, axis, mode="wrap")
    wanted = np.flip(np.roll(IMAGE, -1, axis), axis)
    np.testing.assert_array_equal(found.get(), wanted)


def test_filters_refuse_outputs_that_do_not_fit_and_axes_that_are_not_there():
    cupy, ndimage = (importlib.import_module(f"kasoku.compat.{name}") for name in ("cupy", "cupyx.scipy.ndimage"))
    x, w = cupy.asarray(IMAGE), cupy.asarray(KERNEL * 1j)
    with pytest.raises(RuntimeError, match="complex"):
        ndimage.correlate(x, w, output=cupy.empty(IMAGE.shape))
    with pytest.warns(UserWarning, match="promoting"):
        assert ndimage.correlate(x, w, output="float32").dtype == "complex64"
    for name in ("maximum_filter1d", "uniform_filter1d"):
        with pytest.raises(np.exceptions.AxisError):
            getattr(ndimage, name)(x, 3, axis=2)
    with pytest.raises(RuntimeError, match="is needed"):
        ndimage.distance_transform_edt(x, distances=cupy.empty(IMAGE.shape, "float32"), float64_distances=True)
    with pytest.raises(RuntimeError, match="not returned"):
        ndimage.distance_transform_edt(x, indices=cupy.empty((2, *IMAGE.shape), "int32"))


def test_functions_of_real_numbers_refuse_complex_ones():
    cupy, special = (importlib.import_module(f"kasoku.compat.{name}") for name in ("cupy", "cupyx.scipy.special"))
    for name in ("gamma", "loggamma", "erf", "xlog1py"):
        with pytest.raises(TypeError, match="real numbers, and these are complex128"):
            getattr(special, name)(*[cupy.array([1 + 2j])] * (1 + (name == "xlog1py")))


@pytest.mark.parametrize("mode", ["reflect", "mirror", "grid-wrap", "nearest", "constant", "grid-constant"])
@pytest.mark.parametrize("order", range(6))
def test_splines_go_through_the_elements(mode, order, device):
    """Where SciPy's do by "reflect" but for 3e-4: it assumes long lines."""
    from kasoku.compat import cupy as cp
    from kasoku.compat.cupyx.scipy import ndimage

    places = np.indices(IMAGE.shape)
    with cp.cuda.Device(0):
        found = ndimage.map_coordinates(cp.asarray(IMAGE), cp.asarray(places), order=order, mode=mode)
        np.testing.assert_allclose(cp.asnumpy(found), IMAGE, 1e-12, 1e-12)


def test_windows_show_and_take_scipys_parameters(device):
    from kasoku.compat.cupyx.scipy.signal import medfilt2d, windows

    shown = {
        name: str(inspect.signature(getattr(windows, name)))
        for name in ("hann", "tukey", "general_gaussian", "exponential")
    }
    assert shown == {
        "hann": "(M, sym=True)", "tukey": "(M, alpha=0.5, sym=True)", "general_gaussian": "(M, p, sig, sym=True)",
        "exponential": "(M, center=None, tau=1.0, sym=True)",
    }  # fmt: skip
    with pytest.raises(TypeError, match="unexpected keyword argument 'name'"):
        windows.boxcar(3, name="hann")
    with pytest.raises(ValueError, match="center must be None"):
        windows.exponential(5, 2)
    assert windows.exponential(5, 2, sym=False).argmax() == 2
    with pytest.raises(ValueError, match="matrices"):
        medfilt2d([1, 2, 3])


def test_the_text_of_special_functions_compiles_as_it_stands(device):
    """A kernel has of it what it calls, each function behind those that it needs."""
    import kasoku as ks
    from kasoku.compat._face import special

    text = pathlib.Path(special.__file__).with_name("special.cuh").read_text()
    kernel = ks.ElementwiseKernel("T a, T x", "T r", "r = gammainc(a, x)", "of_all", preamble=text, device=device)
    x = np.array([0.25, 1.0, 30.0])
    found = kernel(ks.full(3, 2.0, device=device), ks.asarray(x, device=device))
    np.testing.assert_allclose(found.numpy(), 1 - (1 + x) * np.exp(-x), 1e-13)


@pytest.mark.parametrize(
    "shape, sampling", [((40,), None), ((23, 31), None), ((23, 31), (2.0, 0.5)), ((9, 7, 11), (1, 3, 2))]
)
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_distances_to_the_background_are_those_of_all_its_elements(shape, sampling, share, device):
    from kasoku.compat import cupy as cp
    from kasoku.compat.cupyx.scipy import ndimage

    with cp.cuda.Device(0):
        image = np.random.default_rng(3).random(shape) > share
        image.flat[5] = False
        found, where = ndimage.distance_transform_edt(cp.asarray(image), sampling, return_indices=True)
        steps = np.ones(len(shape)) if sampling is None else np.asarray(sampling)
        ways = (np.indices(shape).reshape(len(shape), -1, 1) - np.argwhere(~image).T[:, None]) * steps[:, None, None]
        wanted = np.sqrt((ways**2).sum(0).min(1)).reshape(shape)
        np.testing.assert_allclose(found.get(), wanted, 1e-15)
        where = where.get()
        assert where.dtype == np.int32 and not image[tuple(where)].any()
        way = (where - np.indices(shape)) * steps.reshape(-1, *[1] * len(shape))
        np.testing.assert_allclose(np.sqrt((way**2).sum(0)), wanted, 1e-15)
        own = cp.zeros(shape, "float32")
        assert (
            ndimage.distance_transform_edt(cp.asarray(image), sampling, distances=own, float64_distances=False) is None
        )
        np.testing.assert_allclose(own.get(), wanted, 1e-6)
        assert np.isinf(ndimage.distance_transform_edt(cp.ones(shape)).get()).all()


def test_waves_are_their_formulas():
    cp, signal = (importlib.import_module(f"kasoku.compat.{name}") for name in ("cupy", "cupyx.scipy.signal"))
    for n, s in ((10, 2.0), (15, 3.5)):
        x = [k - (n - 1) / 2 for k in range(n)]
        hat = [2 / (math.sqrt(3 * s) * math.pi**0.25) * (1 - (v / s) ** 2) * math.exp(-((v / s) ** 2) / 2) for v in x]
        np.testing.assert_allclose(signal.ricker(n, s).get(), hat, 1e-12)
        wave = [cmath.exp(5j * v / s) * math.exp(-((v / s) ** 2) / 2) * math.pi**-0.25 / math.sqrt(s) for v in x]
        np.testing.assert_allclose(signal.morlet2(n, s).get(), wave, 1e-12)
        far = np.linspace(-2 * math.pi * s, 2 * math.pi * s, n)
        for is_complete in (True, False):
            less = math.exp(-2) if is_complete else 0
            wanted = [(cmath.exp(2j * v) - less) * math.exp(-v * v / 2) * math.pi**-0.25 for v in far]
            np.testing.assert_allclose(signal.morlet(n, 2.0, s, is_complete).get(), wanted, 1e-12, 1e-15)
    assert signal.qmf(cp.asarray([1.0, 2, 3, 4])).tolist() == [4, -3, 2, -1]
    data = np.random.default_rng(2).standard_normal(40)
    for name in ("ricker", "morlet2"):
        wavelet = getattr(signal, name)
        found = signal.cwt(cp.asarray(data), wavelet, cp.asarray([1, 3, 6])).get()
        wanted = [np.convolve(data, wavelet(min(10 * w, 40), w).get()[::-1].conj(), "same") for w in (1, 3, 6)]
        np.testing.assert_allclose(found, wanted, 1e-10, 1e-12)


def write():
    def rows(result):
        for x in map(np.asarray, _leaves(result)):
            values = x.ravel().tolist()
            yield [
                x.shape,
                str(x.dtype),
                [
                    str(v) if isinstance(v, complex) else float(f"{v:.15g}") if isinstance(v, float) else v
                    for v in values
                ],
            ]

    with np.errstate(all="ignore"):
        made = {case: list(rows(of(_of("scipy"), np.asarray))) for case, of in CASES.items()}
    golden.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in made.items()) + "\n}\n")


if __name__ == "__main__":
    write()


@pytest.mark.parametrize("dtype, result", [("i1", "f8"), ("i8", "f8"), ("f2", "f4"), ("f4", "f4"), ("f8", "f8")])
def test_the_older_module_turns_numbers_of_any_dtype_back(dtype, result):
    cupy, irfft = (
        importlib.import_module("kasoku.compat.cupy"),
        importlib.import_module("kasoku.compat.cupyx.scipy.fftpack").irfft,
    )
    x = np.arange(10, 30).reshape(4, 5).astype(dtype)
    for n, axis in ((None, -1), (3, -1), (6, 0)):
        rows = np.moveaxis(x, axis, -1)
        n_there = rows.shape[-1] if n is None else n
        rows = np.pad(rows, ((0, 0), (0, 8)))[:, :n_there].astype("f8")
        half = np.zeros((len(rows), n_there // 2 + 1), complex)
        half[:, 0] = rows[:, 0]
        for k in range(1, n_there):
            half[:, (k + 1) // 2] += rows[:, k] * (1 if k % 2 else 1j)
        ours = irfft(cupy.array(x), n, axis)
        assert ours.dtype == result
        np.testing.assert_allclose(ours.get(), np.moveaxis(np.fft.irfft(half, n_there), -1, axis), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["bool", "float16"])
def test_direct_convolutions_of_matrices_are_of_the_types_that_scipys_take(dtype):
    signal, a = (
        importlib.import_module("kasoku.compat.cupyx.scipy.signal"),
        importlib.import_module("kasoku.compat.cupy").ones((3, 3), dtype),
    )
    for f in (signal.convolve2d, signal.correlate2d, signal.convolve):
        with pytest.raises(ValueError, match="unsupported type in SciPy"):
            f(a, a)
    np.testing.assert_allclose(signal.convolve(a[0], a[0]).get(), np.convolve(a[0].get(), a[0].get()))


def _response(coefficients, at):
    """A polynomial of 1/z, whose coefficients along the first axis belong to its rising powers."""
    return sum(c * np.exp(-1j * k * at) for k, c in enumerate(coefficients))


@pytest.mark.parametrize("b, a", [((3, 5, 1), (2, 1)), ((3, 5, 1), (1,)), ((3, 16), (1,)), ((4,), (3,))])
@pytest.mark.parametrize("worN", [16, np.int8(16), np.array(16), np.linspace(0, 1, 16), 8.0])
def test_responses_of_several_filters_are_broadcast_with_the_frequencies(b, a, worN):
    signal, rng = importlib.import_module("kasoku.compat.cupyx.scipy.signal"), np.random.default_rng(1)
    b, a = rng.random(b), rng.random(a)
    w, h = signal.freqz(*map(importlib.import_module("kasoku.compat.cupy").asarray, (b, a)), worN=worN)
    is_count = np.ndim(worN) == 0 and not isinstance(worN, float)
    at = np.pi * np.arange(16) / 16 if is_count else np.atleast_1d(worN)
    np.testing.assert_allclose(w.get(), at, rtol=1e-12)
    np.testing.assert_allclose(h.get(), _response(b, at) / _response(a, at), rtol=1e-9, atol=1e-12)


def test_kaisers_parameters_make_the_filter_that_a_width_asks_for():
    signal = importlib.import_module("kasoku.compat.cupyx.scipy.signal")
    count, beta = signal.kaiserord(65, 0.1)
    assert signal.kaiser_atten(count, 0.1) >= 65 > signal.kaiser_atten(count - 1, 0.1) and signal.kaiser_beta(20) == 0
    taps = signal.firwin(count, 0.4, window=("kaiser", beta), scale=False).get()
    far = np.concatenate((np.linspace(0, 0.35, 200), np.linspace(0.45, 1, 200))) * np.pi
    wanted = np.repeat([1.0, 0.0], 200)
    assert abs(abs(_response(taps, far)) - wanted).max() < 10 ** (-60 / 20)
    for options, error, words in (
        ({"pass_zero": "foo"}, ValueError, "pass_zero must be"), ({"pass_zero": 1.0}, TypeError, ""),
        ({"pass_zero": "bandpass"}, ValueError, "at least two"), ({"cutoff": [0.2, 0.4], "pass_zero": "lowpass"}, ValueError, "one element"),
        ({"cutoff": [[0.2, 0.4]]}, ValueError, "one-dimensional"),
    ):  # fmt: skip
        with pytest.raises(error, match=words or None):
            signal.firwin(41, **{"cutoff": 0.5, **options})
    with pytest.raises(ValueError, match="8 decibels"):
        signal.kaiserord(1.0, 1.0)


def test_peaks_that_are_none_are_refused():
    signal = importlib.import_module("kasoku.compat.cupyx.scipy.signal")
    with pytest.raises(ValueError, match="1-D array"):
        signal.peak_widths(np.arange(10), 3)
    with pytest.raises(TypeError, match="None"):
        signal.peak_widths([1, 2, 1], [1], prominence_data=(None, None, None))
    for data, words in (
        (([1.0], [-1], [2]), "invalid"),
        (([1.0], [2], [0]), "invalid"),
        (([1.0, 1.0], [0], [2]), "same shape"),
    ):
        with pytest.raises(ValueError, match=words):
            signal.peak_widths([0, 1, 0], [1], prominence_data=tuple(map(np.array, data)))
    w, h = signal.sosfreqz([1, 0, 0, 1, 0, 0], worN=7)
    assert w.size == 7 and (h == 1).all()


@pytest.mark.parametrize("n", [16, 17])
@pytest.mark.parametrize(
    "window", ["hamming", lambda f: 1 / (1 + abs(f)), "weights"], ids=["name", "function", "array"]
)
def test_resampling_weighs_frequencies(n, window):
    cp, signal = (importlib.import_module(f"kasoku.compat.{name}") for name in ("cupy", "cupyx.scipy.signal"))
    x, weights = np.random.default_rng(2).random((2, 2, n)), np.linspace(1, 2, n)
    if callable(window):
        weights = window(np.fft.fftfreq(n))
    elif window == "hamming":
        weights = np.fft.ifftshift(np.hamming(n + 1)[:n])
    given = cp.asarray(weights) if window == "weights" else window
    for signals in (x[0], x[0] + 1j * x[1]):
        wanted = np.fft.ifft(np.fft.fft(signals) * weights)
        found = signal.resample(cp.asarray(signals), n, axis=1, window=given)
        np.testing.assert_allclose(found.get(), wanted if signals.dtype.kind == "c" else wanted.real, atol=1e-12)
        spectrum = signal.resample(cp.asarray(np.fft.fft(signals)), 2 * n, axis=1, domain="freq")
        np.testing.assert_allclose(
            spectrum.get(), signal.resample(cp.asarray(signals), 2 * n, axis=1).get(), atol=1e-12
        )
    with pytest.raises(ValueError, match="same length"):
        signal.resample(cp.asarray(x[0]), n, axis=1, window=cp.ones(3))
    with pytest.raises(ValueError, match="domain"):
        signal.resample(cp.asarray(x[0]), n, domain="space")


def test_spectra_of_nothing_are_nothing_and_what_is_no_window_is_refused():
    cp, signal = (importlib.import_module(f"kasoku.compat.{name}") for name in ("cupy", "cupyx.scipy.signal"))
    for shape, axis in (((0,), -1), ((3, 0), 1), ((0, 5, 2), 1)):
        for found in (signal.welch(cp.empty(shape), axis=axis), signal.periodogram(cp.empty(shape), axis=axis)):
            assert sorted(found[0].shape) == sorted(found[1].shape) == sorted(shape)
    for window in ("broken", {"hann"}, "gaussian", ("general_gaussian", 1)):
        with pytest.raises(ValueError, match="window"):
            signal.get_window(window, 8)


def test_the_analytic_signal_of_a_matrix_is_that_of_its_rows_and_columns():
    cp, signal = (importlib.import_module(f"kasoku.compat.{name}") for name in ("cupy", "cupyx.scipy.signal"))
    x = np.random.default_rng(3).random((6, 5))
    step = np.fft.fft2(x)
    for axis, n in enumerate(x.shape):
        weights = np.where(np.arange(n) * 2 < n, 2.0, 0.0)
        weights[0] = 1
        if n % 2 == 0:
            weights[n // 2] = 1
        step *= np.expand_dims(weights, 1 - axis)
    np.testing.assert_allclose(signal.hilbert2(cp.asarray(x)).get(), np.fft.ifft2(step), atol=1e-12)
    for f, args in ((signal.upfirdn, ([], x)), (signal.resample_poly, (x, 0, 1)), (signal.czt, (x, 0))):
        with pytest.raises(ValueError, match="h must|up and down|output points"):
            f(*map(cp.asarray, args[:1]), *args[1:])


def test_points_that_no_curve_goes_through_are_refused():
    from kasoku.compat import cupy as cp
    from kasoku.compat.cupyx.scipy import interpolate

    x, y = cp.arange(4.0), cp.arange(8.0).reshape(4, 2)
    for make in (interpolate.PchipInterpolator, interpolate.Akima1DInterpolator, interpolate.CubicSpline):
        for bad in ((x[::-1], y), (x[:1], y[:1]), (x, y[:3]), (x + cp.nan, y), (x + 0j, y)):
            with pytest.raises(ValueError):
                make(*bad)
    with pytest.raises(ValueError, match="identical"):
        interpolate.CubicSpline(x, y, bc_type="periodic")
    with pytest.raises(ValueError, match="not allowed"):
        interpolate.CubicSpline(x, y, bc_type="some")
    with pytest.raises(ValueError, match="breakpoints"):
        interpolate.PPoly(y, x)
    with pytest.raises(ValueError, match="bounds"):
        interpolate.interpn((x,), y, cp.asarray([4.5]))
    with pytest.raises(ValueError, match="ascending"):
        interpolate.RegularGridInterpolator((x * 0,), y)
    with pytest.raises(ValueError, match="Method"):
        interpolate.RegularGridInterpolator((x,), y, "sextic")
    with pytest.raises(ValueError, match="requires at least 6 points"):
        interpolate.RegularGridInterpolator((x,), y, "quintic")


def test_inner_names_that_cupys_tests_import_are_there():
    cp = importlib.import_module("kasoku.compat.cupy")
    inner = lambda name: importlib.import_module(f"kasoku.compat.cupyx.scipy.{name}")
    assert inner("signal._upfirdn")._output_len(4, 11, 3, 5) == 7
    assert inner("signal._savitzky_golay")._polyder(cp.array([[3, 2, 1]]).T, 1).T.tolist() == [[6, 2]]
    x, b = np.arange(1.0, 9), np.array([0.5, -0.25])
    wanted, before = [], [3.0, 2.0]
    for value in x:
        wanted.append(value + sum(share * y for share, y in zip(b, (before + wanted)[::-1])))
    found = inner("signal._iir_utils").apply_iir(cp.asarray(x), cp.asarray(b), zi=cp.array(before))
    np.testing.assert_allclose(found.get(), wanted, 1e-12)
    factors, whole = inner("signal._polyutils")._compute_factors([1, 2], [2, 1], include_powers=True)
    assert [f.tolist() for f in factors] == [[1, -3, 2], [1, -2], [1, -2, 1]] and whole.tolist() == [1, -4, 5, -2]
    complex_ones, real_ones = inner("signal._iir_filter_conversions")._cplxreal(cp.array([2 + 3j, 4, 2 - 3j, 1]))
    assert complex_ones.get().tolist() == [2 + 3j] and real_ones.get().tolist() == [1, 4]
    assert "gaussian" in inner("interpolate._rbfinterp")._AVAILABLE
