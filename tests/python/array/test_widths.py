"""Elements of every width in rows of every length: a thread takes several of them, by how many bytes they have."""

import kasoku as ks
import numpy as np
import pytest

DTYPES = ["bool", "int8", "int16", "float16", "int32", "float32", "int64", "float64", "complex64", "complex128"]
SHAPES = [(127,), (128,), (129,), (1 << 20,), ((1 << 20) + 13,), (3, 511), (3, 512), (3, 700), (5, 1025), (2, 3, 600)]

CASES = {
    "neighbours": lambda x, y: x + y,
    "a row for all": lambda x, y: x + y[..., :1],
    "one place off": lambda x, y: x[..., 1:] + y[..., :-1],
    "every second": lambda x, y: x[..., ::2] + y[..., ::2],
    "wider": lambda x, y: x.astype("complex128"),
    "narrower": lambda x, y: (x > y) & (y != x),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_all_elements_are_numpys(form, no_first_sight, dtype, shape):
    rng = np.random.default_rng(len(shape) * shape[-1])
    a, b = ((rng.random(shape) * 100).astype(dtype) for _ in range(2))
    x, y = ks.array(a), ks.array(b)
    for name, case in CASES.items():
        got, wanted = np.asarray(case(x, y)), case(a, b)
        assert got.dtype == wanted.dtype and np.array_equal(got, wanted), name
    x[..., 1:] = y[..., :-1]
    a[..., 1:] = b[..., :-1]
    assert np.array_equal(np.asarray(x), a)


def test_every_float16_and_what_is_rounded_to_one(form, no_first_sight):
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    wanted = halves.astype(np.float32)
    got = np.asarray(ks.array(halves).astype("float32"))
    numbers = ~np.isnan(wanted)
    assert np.array_equal(got[numbers].view(np.uint32), wanted[numbers].view(np.uint32))
    assert np.isnan(got[~numbers]).all()
    # All that lies at, or beside, the middle between two, with both signs.
    finite = np.sort(wanted[numbers & np.isfinite(wanted)].astype(np.float64))
    middles = ((finite[1:] + finite[:-1]) / 2).astype(np.float32)
    near = np.concatenate(
        [middles, np.nextafter(middles, np.float32(np.inf)), np.nextafter(middles, np.float32(-np.inf))]
    )
    near = np.concatenate(
        [near, np.float32([65519.99, 65520, 1e30, -1e30, np.inf, -np.inf, 1e-45, 2**-25, -(2**-25), 0.0, -0.0])]
    )
    with np.errstate(over="ignore"):
        rounded = near.astype(np.float16)
    assert np.array_equal(np.asarray(ks.array(near).astype("float16")).view(np.uint16), rounded.view(np.uint16))
    assert np.isnan(np.asarray(ks.array(np.float32([np.nan, -np.nan])).astype("float16"))).all()
