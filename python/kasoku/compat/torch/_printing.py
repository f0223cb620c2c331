"""How tensors are printed."""

import numpy as np

from . import _types


def text_of(t):
    a = t._a.numpy()
    kind = a.dtype.kind
    if kind == "f":
        finite = a[np.isfinite(a)]
        whole = finite.size == 0 or bool((finite == np.rint(finite)).all())
        largest = float(np.abs(finite).max()) if finite.size else 0.0
        nonzero = np.abs(finite[finite != 0])
        smallest = float(nonzero.min()) if nonzero.size else 0.0
        scientific = largest >= 1e8 or (not whole and smallest and (smallest < 1e-4 or largest / smallest > 1e3))
        if scientific:
            show = {"float_kind": lambda x: f"{x:.4e}"}
        elif whole:
            show = {"float_kind": lambda x: f"{x:.0f}." if np.isfinite(x) else str(x)}
        else:
            show = {"float_kind": lambda x: f"{x:.4f}"}
        width = max((len(show["float_kind"](x)) for x in finite.ravel()[:1000]), default=0)
        plain = show["float_kind"]
        pad = {"float_kind": lambda x: plain(x).rjust(width)}
        body = np.array2string(a, separator=", ", prefix="tensor(", formatter=pad if a.ndim else show)
    else:
        body = np.array2string(a, separator=", ", prefix="tensor(")
    implied = t.dtype in (_types.default_float, _types.names["int64"], _types.names["bool"])
    if a.size == 0 and a.ndim == 1:
        body = "[]"
    text = "tensor(" + body
    if t.device.type != "cpu":
        text += f", device='{t.device}'"
    if not implied:
        text += f", dtype={t.dtype!r}"
    return text + ")"
