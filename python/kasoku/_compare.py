"""kasoku.compare: the same work in several ways, timed fairly, with its error and its use of the machine."""

from __future__ import annotations

import math
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from . import _core


@dataclass
class Row:
    """One approach: times in seconds, rates in samples per second."""

    name: str
    samples: int
    first: float = math.nan  # the first call, with what it compiles
    best: float = math.nan
    times: list = field(default_factory=list)
    value: float = math.nan
    cores: float = math.nan  # processor time over wall time
    gil: float = math.nan  # share of the time that somebody held the GIL
    error: float = math.nan  # |value - reference|
    bound: float = math.nan  # six standard errors
    ratio: float = math.nan  # rate over the first approach's
    threads: dict = field(default_factory=dict)  # threads -> seconds for the same work
    sizes: dict = field(default_factory=dict)  # samples -> (seconds, value)
    failure: str | None = None

    @property
    def rate(self):
        return self.samples / self.best

    @property
    def is_right(self):
        return self.failure is None and not self.error > self.bound

    @property
    def launch(self):
        """Seconds that a call of no work would take: where the line through time over size meets 0."""
        return self._line()[0]

    @property
    def slope(self):
        """Seconds per sample, without the launch."""
        return self._line()[1]

    def _line(self):
        if len(self.sizes) < 2:
            return math.nan, math.nan
        fit = statistics.linear_regression(list(self.sizes), [t for t, _ in self.sizes.values()])
        return max(fit.intercept, 0.0), fit.slope


class Comparison:
    """The rows of one comparison; prints as a table, draws with plot()."""

    def __init__(self, rows, reference):
        self.rows, self.reference = rows, reference

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, name):
        return next(row for row in self.rows if row.name == name)

    def as_dict(self):
        """The result for JSON, with numbers and strings only."""
        keys = "name samples first best value cores gil error bound ratio launch slope failure".split()
        return [
            {key: (None if isinstance(v := getattr(row, key), float) and math.isnan(v) else v) for key in keys}
            | {"threads": row.threads}
            for row in self.rows
        ]

    def __str__(self):
        threads = sorted({t for row in self.rows for t in row.threads})
        head = ["approach", "samples", "Msamples/s", "ratio", "first call", "cores", "GIL", "|error|", "6 sigma"]
        head += [f"{t} thr" for t in threads]
        lines = [head]
        for row in self.rows:
            if row.failure:
                lines.append([row.name, f"{row.samples:,}", "failed: " + row.failure] + [""] * (len(head) - 3))
                continue
            ok = "" if row.is_right else " WRONG"
            line = [row.name, f"{row.samples:,}", f"{row.rate / 1e6:,.1f}", f"{row.ratio:,.1f}", f"{row.first:.3f} s",
                    f"{row.cores:.1f}", f"{row.gil:.0%}", f"{row.error:.1e}{ok}", f"{row.bound:.1e}"]  # fmt: skip
            one = row.threads.get(1)
            line += [f"{one / row.threads[t]:.2f}x" if one and t in row.threads else "" for t in threads]
            lines.append(line)
        widths = [
            max(len(line[k]) for line in lines if not line[2].startswith("failed") or k < 2) for k in range(len(head))
        ]
        text = []
        for number, line in enumerate(lines):
            cells = [line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
            text.append("  ".join(cells).rstrip())
            if number == 0:
                text.append("-" * len(text[0]))
        return "\n".join(text)

    __repr__ = __str__

    def plot(self, filename):
        """Writes the talk's pictures into one file: rates, time against size, error against samples.

        filename: ending .png, .svg or .pdf. Raises ImportError if matplotlib is not installed.
        """
        try:
            import matplotlib
        except ImportError as error:
            raise ImportError("compare.plot: matplotlib is not installed\n  fix  pip install matplotlib") from error
        matplotlib.use("Agg", force=False)
        import matplotlib.pyplot as plt

        rows = [row for row in self.rows if not row.failure]
        sized = [row for row in rows if len(row.sizes) > 1]
        figure, axes = plt.subplots(1, 3 if sized else 1, figsize=(16 if sized else 7, 1.5 + 0.42 * max(len(rows), 9)))
        bars = axes[0] if sized else axes
        colours = plt.get_cmap("tab20")
        bars.barh(
            [row.name for row in rows], [row.ratio for row in rows], color=[colours(k % 20) for k in range(len(rows))]
        )
        bars.set_xscale("log")
        bars.invert_yaxis()
        bars.set_xlabel(f"times {rows[0].name}")
        bars.set_title("speed")
        for k, row in enumerate(rows):
            bars.text(row.ratio, k, f" {row.ratio:,.0f}", va="center", fontsize=8)
        bars.margins(x=0.15)
        for row in sized:
            n, t = zip(*((n, t) for n, (t, _) in row.sizes.items()))
            axes[1].loglog(n, t, "o-", ms=3, color=colours(rows.index(row) % 20), label=row.name)
            errors = [abs(v - self.reference) / abs(self.reference) for _, v in row.sizes.values()]
            axes[2].loglog(n, [max(e, 1e-12) for e in errors], "o", ms=3, color=colours(rows.index(row) % 20))
        if sized:
            axes[1].set_title("seconds against samples: launch and slope")
            axes[1].set_xlabel("samples")
            axes[1].legend(fontsize=7)
            n = sorted({n for row in sized for n in row.sizes})
            sigma = [row_bound(k) / abs(self.reference) for k in n] if (row_bound := self.bound_of) else None
            if sigma:
                axes[2].loglog(n, sigma, "k--", lw=1, label="six sigma")
                axes[2].legend(fontsize=7)
            axes[2].set_title("relative error against samples")
            axes[2].set_xlabel("samples")
        figure.tight_layout()
        figure.savefig(filename, dpi=110)
        plt.close(figure)
        return filename

    bound_of = None


def _synchronize():
    getattr(_core, "synchronize", lambda: None)()


def _once(f, n):
    begin = time.perf_counter()
    value = f(n)
    value = float(value) if value is not None else math.nan
    _synchronize()
    return time.perf_counter() - begin, value


def _together(pool, f, parts):
    begin = time.perf_counter()
    list(pool.map(f, parts))
    _synchronize()
    return time.perf_counter() - begin


def _first_call(f, n, limit):
    """(seconds of the first call, samples for the others so that one takes about `limit` seconds).

    The first call does next to no work, so its time is what compiling and loading cost.
    """
    now = min(n, 1000)
    first, _ = _once(f, now)
    seconds, _ = _once(f, now)
    first = max(first - seconds, 0.0)
    while now < n:
        if seconds > limit / 20:
            return first, max(now, min(n, int(now * limit / seconds)))
        now = min(n, now * 10)
        seconds, _ = _once(f, now)
    return first, n


def compare(
    approaches, samples=1_000_000, *, reference=None, sigma=None, repeat=3, threads=(), sizes=(), scale=None, limit=None
) -> Any:
    """Times the same work done in several ways and says what each costs and whether it is right.

    approaches: name -> function of the number of samples that returns the result; the first is what the
    others are compared with. samples: how many each gets; scale: name -> factor on it, for slow ones.
    reference: the right result; sigma: one sample's standard deviation, whose six-fold standard error is
    the bound of an honest result (without it, any error passes). repeat: timed calls after the first,
    the best counts. threads: for each number, the work is split over so many threads. sizes: numbers of
    samples for the plots of time and error. limit: seconds for one call; what is slower gets fewer samples.
    Returns a Comparison.

    The first call is timed apart (it compiles); every call ends with a synchronisation; cores busy is
    processor time over wall time; the GIL's share is sampled every 2 ms.

    >>> import numpy as np
    >>> ways = {"numpy": lambda n: np.arange(n).sum(), "kasoku": lambda n: ks.arange(n).sum().item()}
    >>> result = ks.compare(ways, samples=1000, reference=499500)
    >>> [row.name for row in result.rows]
    ['numpy', 'kasoku']
    """
    rows = measured(
        approaches, samples, reference=reference, sigma=sigma, repeat=repeat, threads=threads, sizes=sizes, scale=scale,
        limit=limit,
    )  # fmt: skip
    return compared(list(rows), reference, sigma)


def measured(
    approaches, samples, *, reference=None, sigma=None, repeat=3, threads=(), sizes=(), scale=None, limit=None,
    on_start=lambda name: None,
):  # fmt: skip
    """The rows of compare(), one after the other as they are measured; on_start is told each name before."""
    for name, f in approaches.items():
        on_start(name)
        n = max(1, int(samples * (scale or {}).get(name, 1)))
        row = Row(name, n)
        try:
            if limit is None:
                row.first, _ = _once(f, n)
            else:
                row.first, n = _first_call(f, n, limit)
                row.samples = n
            watch = _core._GilWatch()
            watch.start()
            cpu, wall = time.process_time(), time.perf_counter()
            for _ in range(repeat):
                seconds, row.value = _once(f, n)
                row.times.append(seconds)
            row.cores = (time.process_time() - cpu) / (time.perf_counter() - wall)
            row.gil = watch.stop()
            row.best = min(row.times)
            if limit is None:
                row.first = max(row.first - row.best, 0.0)
            if reference is not None:
                row.error = abs(row.value - reference)
                row.bound = 6 * sigma / math.sqrt(n) if sigma else math.inf
            for count in threads:
                with ThreadPoolExecutor(count) as pool:
                    part = [max(n // count, 1)] * count
                    _together(pool, f, part)  # warm, as the others are
                    row.threads[count] = min(_together(pool, f, part) for _ in range(repeat))
            for size in sizes:  # in the same proportion as this approach's share of the samples
                size = max(1, int(size * n / max(samples, 1)))
                row.sizes[size] = min((_once(f, size) for _ in range(repeat)), key=lambda pair: pair[0])
        except Exception as error:  # one approach that fails does not end the others
            row.failure = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        yield row


def compared(rows, reference=None, sigma=None):
    """The Comparison of rows that were measured."""
    base = next((row.rate for row in rows if not row.failure), math.nan)
    for row in rows:
        row.ratio = row.rate / base
    result = Comparison(rows, reference)
    if sigma:
        result.bound_of = lambda n: 6 * sigma / math.sqrt(n)
    return result
