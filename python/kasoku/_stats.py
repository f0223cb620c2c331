"""ks.stats(): what was compiled, launched and copied since the process began."""

from . import _core


class Stats(dict):
    """Counters by name; also as attributes. `later - earlier` is what happened between.

    >>> before = ks.stats()
    >>> values = ks.ones(3).numpy()
    >>> copied = ks.stats() - before
    >>> copied.bytes_from_device + copied.bytes_within_device
    24
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no counter {name!r}; there are: {', '.join(self)}") from None

    def __sub__(self, earlier):
        return Stats({name: value - earlier.get(name, 0) for name, value in self.items()})

    @property
    def hits(self):
        """Compiled code that was there already, in memory or on disk."""
        return self["memory_hits"] + self["disk_hits"]

    def __repr__(self):
        # Reasons that never happened would hide those that did.
        shown = {name: value for name, value in self.items() if value or "_for_" not in name}
        width = max(map(len, shown))
        rows = (
            f"  {name:{width}s}  {value:,.6f}" if isinstance(value, float) else f"  {name:{width}s}  {value:,}"
            for name, value in shown.items()
        )
        return "kasoku.stats()\n" + "\n".join(rows)


def stats() -> "Stats":
    """The numbers of compiles, cache hits, seconds, launches, and bytes copied each way and why, as a `Stats`.

    `bytes_to_device`, `bytes_from_device`, `bytes_within_device` and `bytes_between_devices` (GPUs) are totals (on a CPU
    all copies are within); `bytes_to_device_for_argument` and the like say why. The reasons:

    {reasons}

    >>> ks.stats().launches >= 0
    True
    """
    return Stats(_core._counters())


# A row of kasoku/device/copies.def each; pydoc must show it, python -OO has no text to fill.
if stats.__doc__:
    _width = max(map(len, _core._copy_reasons()))
    stats.__doc__ = stats.__doc__.replace(
        "{reasons}", "\n    ".join(f"{name:{_width}s}  {text}" for name, text in _core._copy_reasons().items())
    )
