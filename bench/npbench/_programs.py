"""NPBench's 54 programs in words of our own, at its sizes S: functions of the module that is `np` in them, and of their inputs.

`python -P bench/npbench/_programs.py [PROGRAM…]` prints of each whether kasoku leaves what NumPy leaves, and how much faster it is.
"""

import functools
import math
import os
import sys
import time

import numpy

sys.path += [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import _algebra
import _learning
import _others
import _stencils
from timing import warm


def definite(g, n):
    a = g.random((n, n))
    return a @ a.T + n * numpy.eye(n)


def single(g, *shape):
    return g.random(shape, dtype=numpy.float32)


def flow(n):
    return [numpy.zeros((n, n)), numpy.zeros((n, n)), numpy.ones((n, n)), 0.1 / (n - 1) ** 2, 1.0, 0.1]


def fully_connected(g, *widths):
    """Weights and biases."""
    for n, m in zip(widths, widths[1:], strict=False):
        yield from (single(g, n, m) - 0.5, single(g, m))


def mlp(g, n, *widths):
    return [single(g, n, widths[0]) - 0.5, *fully_connected(g, *widths)]


def lenet(g, n, width):
    left = (((width - 4) // 2 - 4) // 2) ** 2 * 16
    filters = [single(g, 5, 5, 1, 6), single(g, 6), single(g, 5, 5, 6, 16), single(g, 16)]
    return [single(g, n, width, width, 1), *filters, *fully_connected(g, left, 120, 84, 10)]


def resnet(g, n, width, c1, c2):
    filters = [single(g, 1, 1, c1, c2), single(g, 3, 3, c2, c2), single(g, 1, 1, c2, c1)]
    return [single(g, n, width, width, c1), *filters]


def spmv(g, n, filled):
    row, column = g.integers(0, n, filled), g.integers(0, n, filled)
    starts = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(row, minlength=n))])
    return [starts.astype("u4"), column.astype("u4"), g.random(filled), g.random(n)]


def of_complex(g, *shape):
    return g.random(shape) + 1j * g.random(shape)


def contour(g, size, n, slabs, points):
    hamiltonian = of_complex(g, slabs + 1, size, size)
    return [slabs, hamiltonian, of_complex(g, points), of_complex(g, size, n)]


def scattering(g, n_k, n_e, n_q, n_w, n_3d, n_a, n_b, orbits):
    near = (numpy.arange(n_a)[:, None] + numpy.arange(n_b) - n_b // 2) % n_a
    dh, green = of_complex(g, n_a, n_b, n_3d, orbits, orbits), of_complex(g, n_k, n_e, n_a, orbits, orbits)
    return [near.astype("i4"), dh, green, of_complex(g, n_q, n_w, n_a, n_b, n_3d, n_3d), numpy.zeros_like(green)]


def of(*shapes):
    """Inputs of these shapes, in letters of the lengths."""
    return lambda g, **n: [g.random([n[length] for length in shape]) for shape in shapes]


def numbers(*first, then):
    return lambda g, **n: [*(n.get(one, one) for one in first), *then(g, **n)]


AB = (1.5, 1.2)  # alpha and beta
# name: function, inputs, NPBench's sizes, tiny ones
PROGRAMS = {
    "adi": (_stencils.adi, numbers("t", then=of("nn")), dict(t=5, n=100), dict(t=2, n=8)),
    "arc_distance": (_others.arc_distance, of("n", "n", "n", "n"), dict(n=100_000), dict(n=10)),
    "atax": (_algebra.atax, of("mn", "n"), dict(m=4000, n=5000), dict(m=6, n=7)),
    "azimint_hist": (
        _others.azimint_hist,
        lambda g, n, bins: [g.random(n), g.random(n), bins],
        dict(n=400_000, bins=1000),
        dict(n=300, bins=7),
    ),
    "azimint_naive": (
        _others.azimint_naive,
        lambda g, n, bins: [g.random(n), g.random(n), bins],
        dict(n=400_000, bins=1000),
        dict(n=300, bins=7),
    ),
    "bicg": (_algebra.bicg, of("nm", "m", "n"), dict(m=4000, n=5000), dict(m=6, n=7)),
    "cavity_flow": (
        _stencils.cavity_flow,
        lambda g, n, steps, rounds: [steps, rounds, *flow(n)],
        dict(n=61, steps=25, rounds=5),
        dict(n=8, steps=2, rounds=2),
    ),
    "channel_flow": (
        _stencils.channel_flow,
        lambda g, n, rounds: [rounds, *flow(n), 1.0],
        dict(n=61, rounds=5),
        dict(n=7, rounds=2),
    ),
    "cholesky": (_algebra.cholesky, lambda g, n: [definite(g, n)], dict(n=100), dict(n=8)),
    "cholesky2": (_algebra.cholesky2, lambda g, n: [definite(g, n)], dict(n=1000), dict(n=8)),
    "compute": (
        _others.compute,
        lambda g, m, n: [g.integers(0, 1000, (m, n)), g.integers(0, 1000, (m, n)), 4, 3, 9],
        dict(m=2000, n=2000),
        dict(m=5, n=6),
    ),
    "contour_integral": (
        _algebra.contour_integral,
        contour,
        dict(size=50, n=150, slabs=2, points=32),
        dict(size=4, n=6, slabs=2, points=4),
    ),
    "conv2d_bias": (
        _learning.conv2d_bias,
        lambda g, n, ci, co, k, h: [single(g, n, h, h, ci), single(g, k, k, ci, co), single(g, co)],
        dict(n=8, ci=3, co=16, k=2, h=32),
        dict(n=2, ci=3, co=4, k=2, h=5),
    ),
    "correlation": (_algebra.correlation, of("nm"), dict(m=500, n=600), dict(m=6, n=7)),
    "covariance": (_algebra.covariance, of("nm"), dict(m=500, n=600), dict(m=6, n=7)),
    "covariance2": (_algebra.covariance2, of("nm"), dict(m=500, n=600), dict(m=6, n=7)),
    "crc16": (_others.crc16, lambda g, n: [g.integers(0, 256, n).astype("u1")], dict(n=1600), dict(n=20)),
    "deriche": (_stencils.deriche, numbers(0.25, then=of("wh")), dict(w=400, h=200), dict(w=6, h=5)),
    "doitgen": (_algebra.doitgen, of("rqp", "pp"), dict(r=60, q=60, p=128), dict(r=3, q=4, p=5)),
    "durbin": (_algebra.durbin, lambda g, n: [g.random(n) / n], dict(n=1000), dict(n=10)),
    "fdtd_2d": (_stencils.fdtd_2d, of("xy", "xy", "xy", "t"), dict(t=20, x=200, y=220), dict(t=3, x=6, y=7)),
    "floyd_warshall": (
        _others.floyd_warshall,
        lambda g, n: [g.integers(1, 1000, (n, n)).astype("i4")],
        dict(n=200),
        dict(n=10),
    ),
    "gemm": (_algebra.gemm, numbers(*AB, then=of("ij", "ik", "kj")), dict(i=1000, j=1100, k=1200), dict(i=4, j=5, k=6)),
    "gemver": (_algebra.gemver, numbers(*AB, then=of("nn", *"nnnnnnnn")), dict(n=1000), dict(n=7)),
    "gesummv": (_algebra.gesummv, numbers(*AB, then=of("nn", "nn", "n")), dict(n=2000), dict(n=7)),
    "go_fast": (_others.go_fast, of("nn"), dict(n=2000), dict(n=10)),
    "gramschmidt": (_algebra.gramschmidt, of("mn"), dict(m=70, n=60), dict(m=7, n=6)),
    "hdiff": (
        _stencils.hdiff,
        lambda g, n, k: [g.random((n + 4, n + 4, k)), numpy.zeros((n, n, k)), g.random((n, n, k))],
        dict(n=64, k=60),
        dict(n=5, k=3),
    ),
    "heat_3d": (_stencils.heat_3d, numbers("t", then=of("nnn", "nnn")), dict(t=25, n=25), dict(t=3, n=6)),
    "jacobi_1d": (_stencils.jacobi_1d, numbers("t", then=of("n", "n")), dict(t=800, n=3200), dict(t=3, n=9)),
    "jacobi_2d": (_stencils.jacobi_2d, numbers("t", then=of("nn", "nn")), dict(t=50, n=150), dict(t=3, n=9)),
    "k2mm": (
        _algebra.k2mm,
        numbers(*AB, then=of("ik", "kj", "jl", "il")),
        dict(i=800, j=850, k=900, l=950),
        dict(i=3, j=4, k=5, l=6),
    ),
    "k3mm": (
        _algebra.k3mm,
        of("ik", "kj", "jm", "ml"),
        dict(i=800, j=850, k=900, l=950, m=1000),
        dict(i=3, j=4, k=5, l=6, m=7),
    ),
    "lenet": (_learning.lenet, lenet, dict(n=4, width=28), dict(n=1, width=16)),
    "lu": (_algebra.lu, lambda g, n: [definite(g, n)], dict(n=60), dict(n=8)),
    "ludcmp": (_algebra.ludcmp, lambda g, n: [definite(g, n), g.random(n)], dict(n=60), dict(n=8)),
    "mandelbrot1": (
        _others.mandelbrot1,
        lambda g, n, rounds: [-1.75, 0.25, -1.0, 1.0, n, n, rounds, 2.0],
        dict(n=125, rounds=60),
        dict(n=8, rounds=8),
    ),
    "mandelbrot2": (
        _others.mandelbrot2,
        lambda g, n, rounds: [-2.0, 0.5, -1.25, 1.25, n, n, rounds, 2.0],
        dict(n=200, rounds=40),
        dict(n=8, rounds=8),
    ),
    "mlp": (
        _learning.mlp,
        lambda g, n, ci, s0, s1, s2: mlp(g, n, ci, s0, s1, s2),
        dict(n=8, ci=3, s0=30000, s1=2000, s2=2000),
        dict(n=2, ci=3, s0=7, s1=6, s2=5),
    ),
    "mvt": (_algebra.mvt, of("n", "n", "n", "n", "nn"), dict(n=5500), dict(n=7)),
    "nbody": (
        _others.nbody,
        lambda g, n, steps: [
            20 * numpy.ones((n, 1)) / n,
            g.normal(size=(n, 3)),
            g.normal(size=(n, 3)),
            steps,
            0.05,
            1.0,
            0.1,
        ],
        dict(n=25, steps=40),
        dict(n=5, steps=3),
    ),
    "nussinov": (_others.nussinov, lambda g, n: [g.integers(0, 4, n).astype("i4")], dict(n=40), dict(n=9)),
    "resnet": (_learning.resnet, resnet, dict(n=8, width=14, c1=32, c2=8), dict(n=2, width=4, c1=3, c2=2)),
    "scattering_self_energies": (
        _algebra.scattering_self_energies,
        scattering,
        dict(n_k=2, n_e=4, n_q=2, n_w=2, n_3d=2, n_a=6, n_b=2, orbits=3),
        dict(n_k=1, n_e=2, n_q=1, n_w=2, n_3d=1, n_a=3, n_b=2, orbits=3),
    ),
    "seidel_2d": (_stencils.seidel_2d, numbers("t", then=of("nn")), dict(t=8, n=50), dict(t=3, n=7)),
    "softmax": (
        _learning.softmax,
        lambda g, n, h, m: [single(g, n, h, m, m)],
        dict(n=16, h=16, m=128),
        dict(n=2, h=3, m=8),
    ),
    "spmv": (_algebra.spmv, spmv, dict(n=4096, filled=8192), dict(n=12, filled=20)),
    "stockham_fft": (
        _others.stockham_fft,
        lambda g, r, k: [r, k, of_complex(g, r**k), numpy.zeros(r**k, complex)],
        dict(r=2, k=15),
        dict(r=2, k=4),
    ),
    "symm": (_algebra.symm, numbers(*AB, then=of("mn", "mm", "mn")), dict(m=40, n=50), dict(m=5, n=6)),
    "syr2k": (_algebra.syr2k, numbers(*AB, then=of("nn", "nm", "nm")), dict(m=35, n=50), dict(m=5, n=6)),
    "syrk": (_algebra.syrk, numbers(*AB, then=of("nn", "nm")), dict(m=50, n=70), dict(m=5, n=6)),
    "trisolv": (
        _algebra.trisolv,
        lambda g, n: [numpy.tril(g.random((n, n))) / n + numpy.eye(n), numpy.zeros(n), g.random(n)],
        dict(n=2000),
        dict(n=9),
    ),
    "trmm": (_algebra.trmm, numbers(1.5, then=of("mm", "mn")), dict(m=65, n=80), dict(m=5, n=6)),
    "vadv": (
        _stencils.vadv,
        lambda g, n, k: [*g.random((2, n, n, k)), g.random((n + 1, n, k)), *g.random((2, n, n, k)), 3.0 / 20.0],
        dict(n=60, k=40),
        dict(n=4, k=5),
    ),
}


def program(name, tiny=False):
    """The function, and its inputs as NumPy has them."""
    function, inputs, *sizes = PROGRAMS[name]
    return function, inputs(numpy.random.default_rng(0), **sizes[tiny])


def settle(result):
    """Waits for what is still to be computed."""
    for one in result if isinstance(result, tuple) else (result,):
        getattr(one, "eval", lambda: None)()
    return result


def run(np, function, inputs):
    """(result, seconds) on copies, because programs write to their inputs."""
    inputs = [np.array(x) if isinstance(x, numpy.ndarray) else x for x in inputs]
    start = time.perf_counter()
    with numpy.errstate(all="ignore"):
        result = settle(function(np, *inputs))
    return result, time.perf_counter() - start


def differences(ours, numpys):
    """What of the result is not NumPy's, as a sentence; empty if nothing is."""
    ours, numpys = ([numpy.asarray(x) for x in (r if isinstance(r, tuple) else (r,))] for r in (ours, numpys))
    for x, y in zip(ours, numpys, strict=True):
        if (x.shape, x.dtype) != (y.shape, y.dtype):
            return f"{x.dtype} {x.shape} and not {y.dtype} {y.shape}"
        relative = 1e-3 if y.dtype == numpy.float32 else 1e-6
        scale = numpy.max(numpy.abs(y), initial=0, where=numpy.isfinite(y))
        if not numpy.allclose(x, y, relative, relative * 1e-3 * scale, equal_nan=True):
            return f"{numpy.sum(~numpy.isclose(x, y, relative, relative * 1e-3 * scale, equal_nan=True))} values differ"
    return ""


def times(np, finish_compiling=lambda: None):
    """Milliseconds of each program, once what it needs is compiled, and their geometric mean."""
    figures = {}
    for name in PROGRAMS:
        function, inputs = program(name)
        for _ in range(2):  # what is computed of others' results is met in the second
            warm(functools.partial(run, np, function, inputs), 0.03)
            finish_compiling()
        figures[name] = min(run(np, function, inputs)[1] for _ in range(5)) * 1e3
    figures["geometric mean"] = math.exp(sum(map(math.log, figures.values())) / len(figures))
    return figures


def count_of_right(np):
    """How many programs leave what they leave in NumPy's arrays."""
    results = ((run(np, *program(name))[0], run(numpy, *program(name))[0]) for name in PROGRAMS)
    return sum(not differences(ours, numpys) for ours, numpys in results)


def main(names):
    import kasoku as ks

    ratios = []
    for name in names or PROGRAMS:
        function, inputs = program(name)
        try:
            said = differences(run(ks, function, inputs)[0], run(numpy, function, inputs)[0]) or "right"
        except Exception as error:  # shown, others go on
            print(f"{name:26} {type(error).__name__}: {str(error).splitlines()[0]}", flush=True)
            continue
        turns = {numpy: [], ks: []}
        for xp in (numpy, ks) * 4:
            time.sleep(0.05)  # threads of the other's libraries go on looking for work for a while
            end = time.perf_counter() + 0.1
            turns[xp] += [run(xp, function, inputs)[1] for _ in range(2)]
            while time.perf_counter() < end:
                turns[xp].append(run(xp, function, inputs)[1])
        theirs, ours = (min(seconds) * 1e3 for seconds in turns.values())
        ratios.append(theirs / ours)
        print(f"{name:26} {said:20} numpy {theirs:9.3f} ms  kasoku {ours:9.3f} ms  {ratios[-1]:6.2f} x", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(ratios)} of {len(names or PROGRAMS)} ran, geometric mean {mean:.3f} x, lowest {min(ratios):.2f} x")


if __name__ == "__main__":
    main(sys.argv[1:])
