"""Arrays of two devices in one call: indices and masks come to the array that they select of, all else is refused by a
sentence, before a kernel meets memory that its device cannot reach. The second device runs nothing, so that every
machine has it."""

import numpy as np
import pytest

import kasoku as ks


def row(device):
    return ks.arange(6.0, device=device)


def places(device):
    return ks.arange(6, device=device) % 3


def square(device):
    return ks.ones((3, 3), "float64", device)


refused = {
    "add": lambda p, q: row(p) + row(q),
    "where": lambda p, q: ks.where(row(p) > 1, row(q), 0.0),
    "clip": lambda p, q: ks.clip(row(p), row(q), None),
    "sum of places": lambda p, q: ks.sum(row(p), where=row(q) > 1),
    "matmul": lambda p, q: square(p) @ square(q),
    "einsum": lambda p, q: ks.einsum("ij,jk->ik", square(p), square(q)),
    "solve": lambda p, q: ks.linalg.solve(square(p), square(q)),
    "convolve": lambda p, q: ks.convolve(row(p), row(q)),
    "correlate": lambda p, q: ks.correlate(row(p), row(q), "full"),
    "searchsorted": lambda p, q: ks.searchsorted(row(p), row(q)),
    "bincount": lambda p, q: ks.bincount(places(p), row(q)),
    "histogram": lambda p, q: ks.histogram(row(p), 3, (0, 1), weights=row(q)),
    "interp": lambda p, q: ks.interp(row(p), row(p), row(q)),
    "repeat": lambda p, q: ks.repeat(row(p), places(q)),
    "union1d": lambda p, q: ks.union1d(row(p), row(q)),
    "isin": lambda p, q: ks.isin(row(p), row(q)),
    "polymul": lambda p, q: ks.polymul(row(p), row(q)),
    "average": lambda p, q: ks.average(row(p), weights=row(q)),
}


@pytest.mark.parametrize("name", refused)
@pytest.mark.parametrize("devices", [("cpu", "null"), ("null", "cpu")], ids="-".join)
def test_arrays_of_two_devices_are_refused(name, devices):
    with pytest.raises(ValueError, match="of arrays on"):
        result = refused[name](*devices)
        for each in result if isinstance(result, tuple) else [result]:
            each.eval()


def test_places_and_values_come_to_the_array_that_they_are_for():
    there = ks.zeros(6, "int64", "null")
    x = row("cpu")
    for result in (x[there], ks.take(x, there), ks.take_along_axis(x, there, 0), x[there == 0]):
        assert result.device == x.device and result.dtype == x.dtype
    x[there] = ks.zeros(6, device="null")
    assert x.device == row("cpu").device and x[1:].tolist() == [1, 2, 3, 4, 5]


def test_a_number_comes_to_the_polynomial_that_it_meets():
    p = ks.poly1d(ks.ones(3, device="null"))
    for result in (p + np.float64(2), p - 2, 2 - p, p * np.float32(2), [1, 2] + p):
        assert result.coeffs.device == p.coeffs.device
