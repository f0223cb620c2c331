"""How tensors are printed: four decimals, or powers of ten where numbers are far apart; long ones by their ends."""

import numpy as np

from . import _types

_profiles = {
    "default": dict(precision=4, threshold=1000, edgeitems=3, linewidth=80),
    "short": dict(precision=2, threshold=1000, edgeitems=2, linewidth=80),
    "full": dict(precision=4, threshold=float("inf"), edgeitems=3, linewidth=80),
}
_options = dict(_profiles["default"], sci_mode=None)


def set_options(profile=None, *, sci_mode=None, **given):
    """How tensors are printed from now on; what is None stays as it is, but powers of ten, which are chosen by the numbers."""
    if profile is not None and profile not in _profiles:
        raise ValueError(f"the profile is default, short or full, not {profile!r}")
    _options.update(_profiles.get(profile, {}), sci_mode=sci_mode)
    _options.update((name, value) for name, value in given.items() if value is not None)


def _format(a):
    """A function of a number that gives its text, all of one width, and the width."""
    if a.dtype.kind != "f":
        show = str
        width = max((len(str(x)) for x in a.flat), default=1)
    else:
        sizes = np.abs(a[np.isfinite(a) & (a != 0)].astype(np.float64))
        least, most = (sizes.min(), sizes.max()) if sizes.size else (1.0, 1.0)
        is_whole = bool((sizes == np.ceil(sizes)).all())
        digits, in_powers = _options["precision"], _options["sci_mode"]
        if in_powers is None:
            in_powers = most / least > 1000 or most > 1e8 or (not is_whole and least < 1e-4)
        if in_powers:
            show = f"{{:.{digits}e}}".format
        elif is_whole:
            show = lambda x: f"{x:.0f}." if np.isfinite(x) else str(x)
        else:
            show = f"{{:.{digits}f}}".format
        width = max((len(show(x)) for x in a.flat if np.isfinite(x) and x != 0), default=1)
    return lambda x: show(x).rjust(width), width


def _formats(a):
    if a.dtype.kind != "c":
        return _format(a)
    (real, first), (imaginary, second) = _format(a.real), _format(a.imag)
    signed = lambda text: text if text[0] == "-" else "+" + text
    return lambda x: real(x.real) + signed(imaginary(x.imag).lstrip()) + "j", first + second + 1


def _shortened(a, long):
    """The elements that are shown."""
    ends = _options["edgeitems"]
    for axis, n in enumerate(a.shape):
        if long and n > 2 * ends:
            a = np.take(a, [*range(ends), *range(n - ends, n)], axis)
    return a


def _body(a, show, width, indent, long):
    if a.ndim == 0:
        return show(a[()])
    ends = _options["edgeitems"]
    cut = long and len(a) > 2 * ends
    rows = [*a[:ends], *a[-ends:]] if cut else list(a)
    if a.ndim > 1:
        parts = [_body(row, show, width, indent + 1, long) for row in rows]
        joint = "," + "\n" * (a.ndim - 1) + " " * (indent + 1)
        return "[" + joint.join(parts[:ends] + ["..."] + parts[ends:] if cut else parts) + "]"
    parts = [show(x) for x in rows]
    parts = parts[:ends] + [" ..."] + parts[ends:] if cut else parts
    per_line = max(1, (_options["linewidth"] - indent) // (width + 2))
    lines = [", ".join(parts[at : at + per_line]) for at in range(0, len(parts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def text_of(t):
    a, long, indent = t._a.numpy(), t._a.size > _options["threshold"], len("tensor(")
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
        text += f",\n{' ' * indent}{suffix}" if at + len(suffix) + 2 > _options["linewidth"] else f", {suffix}"
    return text + ")"
