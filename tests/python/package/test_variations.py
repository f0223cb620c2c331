"""Twenty small programs of the π program's breadth: as array code, a jitted loop, a prange and a
delayed graph of each, on every device, against NumPy."""

import math
import random

import kasoku as ks
import numpy as np
import pytest
from kasoku import prange

N = 4000
X = np.random.default_rng(1).random(N)
Y = np.random.default_rng(2).normal(size=N)
M = np.random.default_rng(3).random((40, 30))

variations = {}


def variation(cls):
    """A class with numpy, array, loop and prange; `tolerance` where the result is a random estimate."""
    variations[cls.__name__] = cls
    return cls


@variation
class integral:
    numpy = lambda x, y, m: np.exp(-x * x).mean()  # noqa: E731
    array = lambda x, y, m: ks.exp(-x * x).mean()  # noqa: E731

    def loop(x, y, m):
        total = 0.0
        for i in range(x.size):
            total += math.exp(-x[i] * x[i])
        return total / x.size

    def prange(x, y, m):
        total = 0.0
        for i in prange(x.size):
            total += math.exp(-x[i] * x[i])
        return total / x.size


@variation
class trapezoid:
    numpy = lambda x, y, m: np.trapezoid(np.sin(np.arange(N) / N), dx=1 / N)  # noqa: E731

    def array(x, y, m):
        f = ks.sin(ks.arange(N, device=x.device) / N)
        return ((f[1:] + f[:-1]) / 2).sum() / N

    def loop(x, y, m):
        n = x.size
        total = 0.0
        for i in range(1, n):
            total += (math.sin(i / n) + math.sin((i - 1) / n)) / 2
        return total / n

    def prange(x, y, m):
        n = x.size
        total = 0.0
        for i in prange(1, n):
            total += (math.sin(i / n) + math.sin((i - 1) / n)) / 2
        return total / n


@variation
class walk:
    """How far a random walk gets; many short ones in parallel."""

    numpy = lambda x, y, m: np.abs(y.reshape(40, 100).cumsum(axis=1)).max()  # noqa: E731

    def array(x, y, m):
        steps = y.reshape(40, 100)
        place, farthest = steps[:, 0], ks.abs(steps[:, 0])
        for k in range(1, 100):
            place = place + steps[:, k]
            farthest = ks.maximum(farthest, ks.abs(place))
        return farthest.max()

    def loop(x, y, m):
        farthest = 0.0
        for walker in range(40):
            place = 0.0
            for k in range(100):
                place += y[walker * 100 + k]
                farthest = max(farthest, abs(place))
        return farthest

    def prange(x, y, m):
        farthest = 0.0
        for walker in prange(40):
            place = 0.0
            reached = 0.0
            for k in range(100):
                place += y[walker * 100 + k]
                reached = max(reached, abs(place))
            farthest = max(farthest, reached)
        return farthest


@variation
class mean_of_squares:
    numpy = lambda x, y, m: (y**2).mean()  # noqa: E731
    array = lambda x, y, m: (y**2).mean()  # noqa: E731

    def loop(x, y, m):
        total = 0.0
        for i in range(y.size):
            total += y[i] ** 2
        return total / y.size

    def prange(x, y, m):
        total = 0.0
        for i in prange(y.size):
            total += y[i] ** 2
        return total / y.size


@variation
class histogram:
    """The fullest of eight bins."""

    numpy = lambda x, y, m: np.histogram(x, 8, (0, 1))[0].max()  # noqa: E731
    array = lambda x, y, m: (ks.floor(x * 8)[None, :] == ks.arange(8, device=x.device)[:, None]).sum(axis=1).max()  # noqa: E731

    def loop(x, y, m):
        bins = np.zeros(8, np.int64)
        for i in range(x.size):
            bins[int(x[i] * 8)] += 1
        return bins.max()

    def prange(x, y, m):
        bins = np.zeros(8, np.int64)
        for b in prange(8):  # each iteration has a bin of its own
            for i in range(x.size):
                if int(x[i] * 8) == b:
                    bins[b] += 1
        return bins.max()


@variation
class sum_2d:
    numpy = lambda x, y, m: (m * np.add.outer(np.arange(40), np.arange(30))).sum()  # noqa: E731
    array = lambda x, y, m: (
        m * (ks.arange(40, device=m.device)[:, None] + ks.arange(30, device=m.device)[None, :])
    ).sum()  # noqa: E731

    def loop(x, y, m):
        total = 0.0
        for i in range(m.shape[0]):
            for j in range(m.shape[1]):
                total += m[i, j] * (i + j)
        return total

    def prange(x, y, m):
        total = 0.0
        for i in prange(m.shape[0]):
            for j in range(m.shape[1]):
                total += m[i, j] * (i + j)
        return total


@variation
class nested:
    """Pairs that are close to each other."""

    numpy = lambda x, y, m: (np.abs(x[:100, None] - x[None, :100]) < 0.1).sum()  # noqa: E731
    array = lambda x, y, m: (ks.abs(x[:100][:, None] - x[:100][None, :]) < 0.1).sum()  # noqa: E731

    def loop(x, y, m):
        count = 0
        for i in range(100):
            for j in range(100):
                if abs(x[i] - x[j]) < 0.1:
                    count += 1
        return count

    def prange(x, y, m):
        count = 0
        for i in prange(100):
            for j in range(100):
                if abs(x[i] - x[j]) < 0.1:
                    count += 1
        return count


@variation
class mask:
    numpy = lambda x, y, m: x[(x < 0.25) | (y > 1)].sum()  # noqa: E731
    array = lambda x, y, m: ks.where((x < 0.25) | (y > 1), x, 0.0).sum()  # noqa: E731

    def loop(x, y, m):
        total = 0.0
        for i in range(x.size):
            if x[i] < 0.25 or y[i] > 1:
                total += x[i]
        return total

    def prange(x, y, m):
        total = 0.0
        for i in prange(x.size):
            if x[i] < 0.25 or y[i] > 1:
                total += x[i]
        return total


@variation
class until_converged:
    """Newton's square roots, each until it stands still."""

    numpy = lambda x, y, m: np.sqrt(x + 2).sum()  # noqa: E731

    def array(x, y, m):
        a = x + 2
        r = a
        while float(ks.abs(r * r - a).max()) > 1e-13:
            r = (r + a / r) / 2
        return r.sum()

    def loop(x, y, m):
        total = 0.0
        for i in range(x.size):
            a = x[i] + 2
            r = a
            while abs(r * r - a) > 1e-13:
                r = (r + a / r) / 2
            total += r
        return total

    def prange(x, y, m):
        total = 0.0
        for i in prange(x.size):
            a = x[i] + 2
            r = a
            while abs(r * r - a) > 1e-13:
                r = (r + a / r) / 2
            total += r
        return total


@variation
class dot:
    numpy = lambda x, y, m: x @ y  # noqa: E731
    array = lambda x, y, m: (x * y).sum()  # noqa: E731

    def loop(x, y, m):
        total = 0.0
        for i in range(x.size):
            total += x[i] * y[i]
        return total

    def prange(x, y, m):
        total = 0.0
        for i in prange(x.size):
            total += x[i] * y[i]
        return total


@variation
class count_in_circle:
    numpy = lambda x, y, m: np.count_nonzero(x * x + y * y < 1)  # noqa: E731
    array = lambda x, y, m: ks.count_nonzero(x * x + y * y < 1)  # noqa: E731

    def loop(x, y, m):
        count = 0
        for i in range(x.size):
            if x[i] * x[i] + y[i] * y[i] < 1.0:
                count += 1
        return count

    def prange(x, y, m):
        count = 0
        for i in prange(x.size):
            if x[i] * x[i] + y[i] * y[i] < 1.0:
                count += 1
        return count


@variation
class best_row:
    numpy = lambda x, y, m: m.mean(axis=1).max()  # noqa: E731
    array = lambda x, y, m: m.mean(axis=1).max()  # noqa: E731

    def loop(x, y, m):
        best = 0.0
        for i in range(m.shape[0]):
            row = 0.0
            for j in range(m.shape[1]):
                row += m[i, j]
            best = max(best, row / m.shape[1])
        return best

    def prange(x, y, m):
        best = 0.0
        for i in prange(m.shape[0]):
            row = 0.0
            for j in range(m.shape[1]):
                row += m[i, j]
            best = max(best, row / m.shape[1])
        return best


@variation
class smallest_column:
    numpy = lambda x, y, m: m.sum(axis=0).min()  # noqa: E731
    array = lambda x, y, m: m.sum(axis=0).min()  # noqa: E731

    def loop(x, y, m):
        sums = np.zeros(m.shape[1])
        for i in range(m.shape[0]):
            for j in range(m.shape[1]):
                sums[j] += m[i, j]
        return sums.min()

    def prange(x, y, m):
        sums = np.zeros(m.shape[1])
        for j in prange(m.shape[1]):
            for i in range(m.shape[0]):
                sums[j] += m[i, j]
        return sums.min()


@variation
class strided_difference:
    numpy = lambda x, y, m: np.abs(x[1::2] - x[::2]).sum()  # noqa: E731
    array = lambda x, y, m: ks.abs(x[1::2] - x[::2]).sum()  # noqa: E731

    def loop(x, y, m):
        total = 0.0
        for i in range(0, x.size, 2):
            total += abs(x[i + 1] - x[i])
        return total

    def prange(x, y, m):
        total = 0.0
        for i in prange(x.size // 2):
            total += abs(x[2 * i + 1] - x[2 * i])
        return total


@variation
class logistic:
    numpy = lambda x, y, m: (1 / (1 + np.exp(-y))).mean()  # noqa: E731
    array = lambda x, y, m: (1 / (1 + ks.exp(-y))).mean()  # noqa: E731

    def loop(x, y, m):
        total = 0.0
        for i in range(y.size):
            total += 1 / (1 + math.exp(-y[i]))
        return total / y.size

    def prange(x, y, m):
        total = 0.0
        for i in prange(y.size):
            total += 1 / (1 + math.exp(-y[i]))
        return total / y.size


@variation
class smoothed:
    """A stencil into an array of the function's own, then its largest value."""

    numpy = lambda x, y, m: ((y[:-2] + y[1:-1] + y[2:]) / 3).max()  # noqa: E731
    array = lambda x, y, m: ((y[:-2] + y[1:-1] + y[2:]) / 3).max()  # noqa: E731

    def loop(x, y, m):
        out = np.zeros(y.size - 2)
        for i in range(1, y.size - 1):
            out[i - 1] = (y[i - 1] + y[i] + y[i + 1]) / 3
        return out.max()

    def prange(x, y, m):
        out = np.zeros(y.size - 2)
        for i in prange(1, y.size - 1):
            out[i - 1] = (y[i - 1] + y[i] + y[i + 1]) / 3
        return out.max()


@variation
class polynomial:
    """Horner's rule with the coefficients in a row of m."""

    numpy = lambda x, y, m: np.polyval(m[0, :8], x).sum()  # noqa: E731

    def array(x, y, m):
        value = x * 0
        for k in range(8):
            value = value * x + m[0, k]
        return value.sum()

    def loop(x, y, m):
        total = 0.0
        for i in range(x.size):
            value = 0.0
            for k in range(8):
                value = value * x[i] + m[0, k]
            total += value
        return total

    def prange(x, y, m):
        total = 0.0
        for i in prange(x.size):
            value = 0.0
            for k in range(8):
                value = value * x[i] + m[0, k]
            total += value
        return total


@variation
class collatz:
    """Integers, a while and a division: the longest way down to 1."""

    def numpy(x, y, m):
        longest = 0
        for n in range(1, 300):
            steps = 0
            while n != 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                steps += 1
            longest = max(longest, steps)
        return longest

    def array(x, y, m):
        n = ks.arange(1, 300, device=x.device)
        steps = n * 0
        while bool((n != 1).any()):
            steps = steps + (n != 1)
            n = ks.where(n == 1, 1, ks.where(n % 2 == 0, n // 2, 3 * n + 1))
        return steps.max()

    def loop(x, y, m):
        longest = 0
        for start in range(1, 300):
            n = start
            steps = 0
            while n != 1:
                if n % 2 == 0:
                    n = n // 2
                else:
                    n = 3 * n + 1
                steps += 1
            longest = max(longest, steps)
        return longest

    def prange(x, y, m):
        longest = 0
        for start in prange(1, 300):
            n = start
            steps = 0
            while n != 1:
                if n % 2 == 0:
                    n = n // 2
                else:
                    n = 3 * n + 1
                steps += 1
            longest = max(longest, steps)
        return longest


@variation
class deviation:
    """Two passes, the second with the first one's result."""

    numpy = lambda x, y, m: y.std()  # noqa: E731
    array = lambda x, y, m: ks.sqrt(((y - y.mean()) ** 2).mean())  # noqa: E731

    def loop(x, y, m):
        mean = 0.0
        for i in range(y.size):
            mean += y[i]
        mean /= y.size
        total = 0.0
        for i in range(y.size):
            total += (y[i] - mean) ** 2
        return math.sqrt(total / y.size)

    def prange(x, y, m):
        mean = 0.0
        for i in prange(y.size):
            mean += y[i]
        mean /= y.size
        total = 0.0
        for i in prange(y.size):
            total += (y[i] - mean) ** 2
        return math.sqrt(total / y.size)


@variation
class volume_of_a_ball:
    """Monte Carlo in three dimensions: draws of its own, so the bound is statistical."""

    samples = 200_000
    tolerance = 6 * 8 * math.sqrt(math.pi / 6 * (1 - math.pi / 6) / samples)
    numpy = lambda x, y, m: 4 / 3 * math.pi  # noqa: E731

    def array(x, y, m):
        a, b, c = (ks.random.rand(200_000, device=x.device) for _ in range(3))
        return 8 * ks.count_nonzero(a * a + b * b + c * c < 1.0) / 200_000

    def loop(x, y, m):
        count = 0
        for _ in range(200_000):
            a, b, c = random.random(), random.random(), random.random()
            if a * a + b * b + c * c < 1.0:
                count += 1
        return 8 * count / 200_000

    def prange(x, y, m):
        count = 0
        for _ in prange(200_000):
            a, b, c = random.random(), random.random(), random.random()
            if a * a + b * b + c * c < 1.0:
                count += 1
        return 8 * count / 200_000


def compare(got, name):
    kind = variations[name]
    if hasattr(kind, "tolerance"):
        assert abs(float(got) - kind.numpy(X, Y, M)) < kind.tolerance
    else:
        np.testing.assert_allclose(float(got), kind.numpy(X, Y, M), rtol=1e-10)


def arguments(device):
    """NumPy's arrays for a CPU, which jitted functions take as they are; arrays there for a GPU."""
    return (X, Y, M) if device == "cpu" else tuple(ks.array(a, device=device) for a in (X, Y, M))


def jitted(function):
    return ks.jit(parallel=True)(function)


def test_there_are_twenty():
    assert len(variations) == 20
    assert all(hasattr(v, form) for v in variations.values() for form in ("numpy", "array", "loop", "prange"))


@pytest.mark.parametrize("name", variations)
def test_as_array_code(name, device):
    compare(variations[name].array(*(ks.array(a, device=device) for a in (X, Y, M))), name)


@pytest.mark.parametrize("name", variations)
def test_as_a_jitted_loop(name, device):
    compare(ks.jit(variations[name].loop)(*arguments(device)), name)


@pytest.mark.parametrize("name", variations)
def test_as_a_prange(name, device):
    compare(jitted(variations[name].prange)(*arguments(device)), name)


@pytest.mark.parametrize("name", variations)
def test_as_a_delayed_graph(name, device):
    kind, args = variations[name], arguments(device)
    arrays = tuple(ks.array(a, device=device) for a in (X, Y, M))
    tasks = [ks.delayed(form)(*args) for form in (ks.jit(kind.loop), jitted(kind.prange))] + [
        ks.delayed(kind.array)(*arrays)
    ]
    for value in ks.delayed(list)(tasks).compute():
        compare(value, name)
