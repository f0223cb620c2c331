"""ks.stats(): what was compiled, launched and copied since the process began."""

from . import _core


class Stats(dict):
    """Counters by name; also as attributes. `later - earlier` is what happened between."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no counter {name!r}; there are: {', '.join(self)}") from None

    def __sub__(self, earlier):
        return Stats({name: value - earlier.get(name, 0) for name, value in self.items()})

    @property
    def hits(self):
        return self["memory_hits"] + self["disk_hits"]

    def __repr__(self):
        width = max(map(len, self))
        rows = (
            f"  {name:{width}s}  {value:,.6f}" if isinstance(value, float) else f"  {name:{width}s}  {value:,}"
            for name, value in self.items()
        )
        return "kasoku.stats()\n" + "\n".join(rows)


def stats():
    """Compiles, cache hits, seconds, launches, and bytes copied each way, as a `Stats`."""
    return Stats(_core._counters())
