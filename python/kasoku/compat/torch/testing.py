"""torch.testing: tensors that should be alike."""

import numpy as _np

from ._tensor import Tensor as _Tensor

_tolerances = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
               "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7)}  # fmt: skip


def _tensor(x):
    from . import as_tensor, float64

    return x if isinstance(x, _Tensor) else as_tensor(x, dtype=float64) if isinstance(x, float) else as_tensor(x)


def assert_close(actual, expected, *, rtol=None, atol=None, equal_nan=False, check_device=True, check_dtype=True, msg=None,
                 **_):  # fmt: skip
    """AssertionError unless shapes, dtypes and values are alike, within the dtype's tolerance or the one given."""
    if isinstance(expected, dict):
        actual, expected = ([x[key] for key in sorted(expected)] for x in (actual, expected))
    if isinstance(expected, (list, tuple)):
        if len(actual) != len(expected):
            raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        for one, other in zip(actual, expected):
            assert_close(one, other, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=check_device,
                         check_dtype=check_dtype, msg=msg)  # fmt: skip
        return
    a, b = _tensor(actual), _tensor(expected)
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")
    for what, one, other, counts in (
        ("shape", a.shape, b.shape, True), ("device", a.device, b.device, check_device), ("dtype", a.dtype, b.dtype, check_dtype)
    ):  # fmt: skip
        if counts and one != other:
            raise AssertionError(msg or f"The values for attribute '{what}' do not match: {one} != {other}.")
    if rtol is None:
        rtol, atol = map(max, zip(*(_tolerances.get(x.dtype.name, (0.0, 0.0)) for x in (a, b))))
    x, y = (v.cpu()._a.numpy() for v in (a, b))
    wide = _np.complex128 if x.dtype.kind == "c" or y.dtype.kind == "c" else _np.float64
    wrong = x != y if x.dtype.kind in "iub" and y.dtype.kind in "iub" and not (rtol or atol) else ~_np.isclose(
        x.astype(wide), y.astype(wide), rtol, atol, equal_nan)  # fmt: skip
    if wrong.any():
        n = int(wrong.sum())
        said = f"Tensor-likes are not {'close' if rtol or atol else 'equal'}!\n\nMismatched elements: {n} / {x.size} ({100 * n / x.size:.1f}%)"
        apart = _np.abs(x.astype(wide) - y.astype(wide))
        said += f"\nGreatest absolute difference: {apart[apart == apart].max(initial=0)} (up to {atol} allowed)"
        raise AssertionError(msg or said)
