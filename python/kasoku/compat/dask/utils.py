"""dask.utils: small helpers that programs use."""

from kasoku._token import apply, methodcaller

_units = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "k": 10**3, "m": 10**6, "g": 10**9,
          "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}  # fmt: skip


def funcname(func):
    """A short name of a function."""
    while hasattr(func, "func"):
        func = func.func
    if isinstance(func, methodcaller):
        return func.method[:50]
    return getattr(func, "__name__", type(func).__name__)[:50]


def parse_bytes(s):
    """Bytes of "128MiB"."""
    if isinstance(s, (int, float)):
        return int(s)
    text = s.replace(" ", "")
    split = next((i for i in range(len(text), 0, -1) if not text[i - 1].isalpha()), 0)
    unit = text[split:].lower()
    if unit not in _units:
        raise ValueError(f"Could not interpret {text[split:]!r} as a byte unit")
    return int(float(text[:split] or 1) * _units[unit])


def format_bytes(n):
    for prefix, size in (("Pi", 2**50), ("Ti", 2**40), ("Gi", 2**30), ("Mi", 2**20), ("ki", 2**10)):
        if n >= size * 0.9:
            return f"{n / size:.2f} {prefix}B"
    return f"{n} B"


def format_time(n):
    if n > 60:
        return f"{int(n // 60)}m {int(n % 60)}s"
    return f"{n:.2f} s" if n >= 1 else f"{n * 1e3:.2f} ms" if n >= 1e-3 else f"{n * 1e6:.2f} us"


def ensure_list(x):
    return x if isinstance(x, list) else [x]


__all__ = ["apply", "ensure_list", "format_bytes", "format_time", "funcname", "methodcaller", "parse_bytes"]
