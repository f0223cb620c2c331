"""dask.utils: small helpers that programs use."""

import contextlib
import inspect
import os
import re
import shutil
import tempfile
import threading
import uuid
import weakref

from kasoku._token import apply, funcname, key_split, methodcaller  # noqa: F401

from .._face.table import forwarding

_units = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "k": 10**3, "m": 10**6, "g": 10**9,
          "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}  # fmt: skip


def parse_bytes(s):
    """Bytes of "128MiB"."""
    if isinstance(s, (int, float)):
        return int(s)
    number, unit = _parted(s)
    if unit.lower() not in _units:
        raise ValueError(f"Could not interpret {unit!r} as a byte unit")
    return int(float(number or 1) * _units[unit.lower()])


def _parted(s):
    """The number and the unit of "128 MiB"."""
    text = str(s).replace(" ", "")
    number = re.match(r"[-+]?[0-9.]*(e[-+]?[0-9]+)?", text, re.I)[0]
    return number, text[len(number) :]


def format_bytes(n):
    for prefix, size in (("Pi", 2**50), ("Ti", 2**40), ("Gi", 2**30), ("Mi", 2**20), ("ki", 2**10)):
        if n >= size * 0.9:
            return f"{n / size:.2f} {prefix}B"
    return f"{n} B"


def format_time(n):
    if n > 60:
        return f"{int(n // 60)}m {int(n % 60)}s"
    return f"{n:.2f} s" if n >= 1 else f"{n * 1e3:.2f} ms" if n >= 1e-3 else f"{n * 1e6:.2f} us"


def ensure_dict(d, copy=False):
    """A plain dictionary of a mapping, or of a graph in layers."""
    if type(d) is dict:
        return dict(d) if copy else d
    layers = getattr(d, "layers", None)
    return dict(d) if layers is None else {key: task for layer in layers.values() for key, task in layer.items()}


def is_namedtuple_instance(obj):
    return isinstance(obj, tuple) and type(obj) is not tuple and hasattr(obj, "_fields")


def typename(typ, short=False):
    """The name of a type, with its package's or its module's."""
    if not isinstance(typ, type):
        return typename(type(typ), short)
    module = (typ.__module__ or "").partition(".")[0] if short else typ.__module__
    return typ.__name__ if not module or module == "builtins" else f"{module}.{typ.__name__}"


_seconds = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hr": 3600, "hour": 3600,
            "d": 86400, "day": 86400, "w": 604800, "week": 604800, "ms": 1e-3, "millisecond": 1e-3, "us": 1e-6,
            "microsecond": 1e-6, "ns": 1e-9, "nanosecond": 1e-9}  # fmt: skip


def parse_timedelta(s, default="seconds"):
    """Seconds of "3 ms"."""
    if s is None:
        return None
    if hasattr(s, "total_seconds"):
        s, default = s.total_seconds(), "s"
    number, unit = (s, "") if isinstance(s, (int, float)) else _parted(s)
    unit = (unit or default or "").lower()
    if not unit:
        raise ValueError(f"Missing time unit: {s!r}")
    unit = unit if unit in _seconds else unit.removesuffix("s")
    if unit not in _seconds:
        raise KeyError(f"Invalid time unit: {unit}. Valid units are: {', '.join(_seconds)}")
    seconds = float(1 if number == "" else number) * _seconds[unit]
    return int(seconds) if int(seconds) == seconds else seconds


def is_arraylike(x):
    """Whether `x` has what an array has."""
    is_a_type = isinstance(x, type)
    has_shape = hasattr(x, "shape") and (is_a_type or isinstance(x.shape, tuple))
    return bool(
        has_shape and hasattr(x, "dtype") and (is_a_type or not any(hasattr(x, n) for n in ("to_frame", "iloc")))
    )


def has_keyword(func, keyword):
    try:
        return keyword in inspect.signature(func).parameters
    except (TypeError, ValueError):
        return False


class _Methods:
    """M.upper is methodcaller("upper")."""

    __getattr__, __dir__ = (lambda self, name: methodcaller(name)), (lambda self: [])


M = _Methods()


@contextlib.contextmanager
def tmpfile(extension="", dir=None):  # noqa: A002
    """The name of a file that is gone afterwards."""
    handle, name = tempfile.mkstemp("." + extension.lstrip(".") if extension else "", dir=dir)
    os.close(handle)
    os.remove(name)
    try:
        yield name
    finally:
        if os.path.isdir(name):
            shutil.rmtree(name, ignore_errors=True)
        elif os.path.exists(name):
            os.remove(name)


@contextlib.contextmanager
def tmpdir(dir=None):  # noqa: A002
    with tempfile.TemporaryDirectory(dir=dir) as name:
        yield name


_locks = weakref.WeakValueDictionary()


class SerializableLock:
    """A lock that a pickle names: the same one in a process."""

    def __init__(self, token=None):
        self.token = token or str(uuid.uuid4())
        self.lock = _locks.setdefault(self.token, threading.Lock())

    acquire, release, locked = map(forwarding, ("lock.acquire", "lock.release", "lock.locked"))
    __enter__ = acquire
    __exit__ = lambda self, *error: self.release()
    __reduce__ = lambda self: (type(self), (self.token,))
    __str__ = __repr__ = lambda self: f"<SerializableLock: {self.token}>"
