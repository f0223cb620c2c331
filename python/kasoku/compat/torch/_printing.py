"""How tensors are printed: four decimals, or powers of ten where numbers are far apart; long ones by their ends."""

import numpy as np

from . import _types

_line, _ends, _many = 80, 3, 1000


def _format(a):
    """A function of a number that gives its text, all of one width, and the width."""
    if a.dtype.kind != "f":
        show = str
        width = max((len(str(x)) for x in a.flat), default=1)
    else:
        sizes = np.abs(a[np.isfinite(a) & (a != 0)].astype(np.float64))
        least, most = (sizes.min(), sizes.max()) if sizes.size else (1.0, 1.0)
        is_whole = bool((sizes == np.ceil(sizes)).all())
        if most / least > 1000 or most > 1e8 or (not is_whole and least < 1e-4):
            show = "{:.4e}".format
        elif is_whole:
            show = lambda x: f"{x:.0f}." if np.isfinite(x) else str(x)
        else:
            show = "{:.4f}".format
        width = max((len(show(x)) for x in a.flat if np.isfinite(x) and x != 0), default=1)
    return lambda x: show(x).rjust(width), width


def _formats(a):
    if a.dtype.kind != "c":
        return _format(a)
    (real, first), (imaginary, second) = _format(a.real), _format(a.imag)
    sign = lambda x: "" if x < 0 else "+"
    return lambda x: real(x.real) + sign(x.imag) + imaginary(x.imag).lstrip() + "j", first + second + 1


def _shortened(a, long):
    """The elements that are shown."""
    for axis, n in enumerate(a.shape):
        if long and n > 2 * _ends:
            a = np.take(a, [*range(_ends), *range(n - _ends, n)], axis)
    return a


def _body(a, show, width, indent, long):
    if a.ndim == 0:
        return show(a[()])
    cut = long and len(a) > 2 * _ends
    rows = [*a[:_ends], *a[-_ends:]] if cut else list(a)
    if a.ndim > 1:
        parts = [_body(row, show, width, indent + 1, long) for row in rows]
        joint = "," + "\n" * (a.ndim - 1) + " " * (indent + 1)
        return "[" + joint.join(parts[:_ends] + ["..."] + parts[_ends:] if cut else parts) + "]"
    parts = [show(x) for x in rows]
    parts = parts[:_ends] + [" ..."] + parts[_ends:] if cut else parts
    per_line = max(1, (_line - indent) // (width + 2))
    lines = [", ".join(parts[at : at + per_line]) for at in range(0, len(parts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def text_of(t):
    a, long, indent = t._a.numpy(), t._a.size > _many, len("tensor(")
    implied = [_types.default_float, _types.default_complex(), _types.names["int64"], _types.names["bool"]]
    more = [f"device='{t.device}'"] if t.device.type != "cpu" else []
    if not a.size:
        text, implied = "[]", implied[:1]
        more += [f"size={tuple(a.shape)}"] if a.ndim != 1 else []
    else:
        show, width = _formats(_shortened(a, long))
        text = _body(a, show, width, indent, long).lstrip() if a.ndim == 0 else _body(a, show, width, indent, long)
    more += [f"dtype={t.dtype!r}"] if t.dtype not in implied else []
    text = "tensor(" + text
    for suffix in more:
        at = len(text) - text.rfind("\n") - 1
        text += f",\n{' ' * indent}{suffix}" if at + len(suffix) + 2 > _line else f", {suffix}"
    return text + ")"
