"""Sums of products over axes that arrays share: einsum, tensordot and their neighbours are NumPy's."""

import numpy as np
import pytest
from alike import agree

import kasoku as ks

rng = np.random.default_rng(19)
sums = {
    "ij,jk->ik": ((3, 4), (4, 5)),
    "ij,jk": ((3, 4), (4, 5)),
    "ij,kj->ik": ((3, 1), (2, 5)),
    "ii": ((4, 4),),
    "ii->i": ((4, 4),),
    "ij->ji": ((3, 4),),
    "ijk->kj": ((2, 3, 4),),
    "ij->": ((3, 4),),
    "i,j": ((3,), (4,)),
    "i,i": ((4,), (4,)),
    "ij,j": ((3, 4), (4,)),
    "ij,ij->": ((3, 4), (3, 4)),
    "ij,ij->i": ((3, 4), (3, 4)),
    "iij,j->i": ((3, 3, 4), (4,)),
    "...ij,...jk->...ik": ((2, 3, 4), (4, 5)),
    "b...,b...->...": ((2, 3, 4), (2, 4)),
    "...i->...": ((3, 4, 5),),
    "...": ((3, 4),),
    "bij,bjk->bik": ((2, 3, 4), (2, 4, 5)),
    "bhqd,bhkd->bhqk": ((2, 3, 4, 5), (2, 3, 6, 5)),
    "ij,jk,kl->il": ((3, 4), (4, 5), (5, 6)),
    "ij,jk,kl,lm->im": ((3, 4), (4, 5), (5, 6), (6, 2)),
    "abc,cd,bd->a": ((2, 3, 4), (4, 5), (3, 5)),
    "i,i,i->i": ((4,), (4,), (4,)),
    ",i->i": ((), (4,)),
    "ij,jk->ik ": ((0, 4), (4, 5)),
    "ij, jk -> ik": ((3, 0), (0, 5)),
}


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32", "float64", "complex64"])
@pytest.mark.parametrize("subscripts", sums)
def test_einsum(subscripts, dtype, on_device):
    operands = [(rng.random(shape) * 3).astype(dtype) for shape in sums[subscripts]]
    agree(lambda np, *arrays: np.einsum(subscripts, *arrays), *operands, close=True)


def test_how_einsum_is_called(on_device):
    a, b = rng.random((3, 4)), rng.random((4, 5))
    agree(lambda np, a, b: np.einsum(a, [0, 1], b, [1, 2], [0, 2]), a, b, close=True)
    agree(lambda np, a, b: np.einsum(a, [0, 1], b, [1, 2]), a, b, close=True)
    agree(lambda np, a, b: np.einsum("ij,jk,kl->il", a, b, b.T, optimize="optimal"), a, b, close=True)
    agree(lambda np, a, b: np.einsum("ij,jk", a, b, out=np.zeros((3, 5))), a, b, close=True)
    for bad in ["ij,jk", "ijk->i", "ij->ii", "ij->k", "i1->i", "...ij->j", "ii"]:
        agree(lambda np, a, bad: np.einsum(bad, a), a, bad, close=True)
    agree(lambda np, a: np.einsum("ij,jk", a, a), a)
    agree(lambda np, a: np.einsum("ij"), a)


def test_tensordot_and_its_neighbours(on_device):
    a, b = rng.random((3, 4, 5)), rng.random((4, 3, 2))
    agree(lambda np, a, b: np.tensordot(a, b, ([1, 0], [0, 1])), a, b, close=True)
    agree(lambda np, a, b: np.tensordot(a, b, (-1, 1)), a, rng.random((2, 5)), close=True)
    agree(lambda np, a: (np.tensordot(a, a, 0), np.tensordot(a, a, 3), np.tensordot(a, a[0].T, 1)), a, close=True)
    agree(lambda np, a, b: np.tensordot(a, b, 1), a, b)
    agree(lambda np, a, b: np.tensordot(a, b, ([1], [0, 1])), a, b)
    agree(
        lambda np, a, b: (np.inner(a, a), np.inner(a, 3.0), np.outer(a, b), np.kron(a, b[0]), np.kron(a[0], b)),
        a,
        b,
        close=True,
    )
    agree(lambda np, a, b: np.inner(a, b), a, b)
    agree(lambda np, a: (np.vdot(a, a * 1j), np.vdot(a * 1j, a)), a, close=True)
    agree(lambda np, a: np.vdot(a, a[0]), a)
    x, y = rng.random((5, 3)), rng.random((5, 3))
    agree(
        lambda np, x, y: (np.cross(x, y), np.cross(x.T, y.T, axis=0), np.cross(x, y.T, axisb=0, axisc=0)),
        x,
        y,
        close=True,
    )
    agree(lambda np, x, y: np.cross(x, y), rng.random((5, 4)), rng.random((5, 4)))


def test_integers_have_numpys_bits(on_device):
    a, b = rng.integers(-(2**40), 2**40, (30, 40)), rng.integers(-(2**40), 2**40, (40, 20))
    agree(
        lambda np, a, b: (np.einsum("ij,jk", a, b), np.tensordot(a, b, 1), np.inner(a, b.T), np.kron(a[:2, :2], b)),
        a,
        b,
    )


def test_operands_stay_where_they_are(device):
    if device == "cpu":
        pytest.skip("a CPU's memory is the host's")
    with ks.default_device(device):
        a = ks.random.rand(64, 64)
        for call in [
            lambda: ks.einsum("ij,jk,kl->il", a, a, a),
            lambda: ks.tensordot(a, a, 1),
            lambda: ks.kron(a, a),
            lambda: ks.outer(a, a),
        ]:
            call().eval()
            before = ks.stats()
            call().eval()
            copied = ks.stats() - before
            assert copied.bytes_from_device == 0 and copied.bytes_to_device == 0
