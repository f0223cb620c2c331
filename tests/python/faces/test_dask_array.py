"""Dask's arrays in chunks under their own names: each law is NumPy's result."""

import subprocess
import sys

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from kasoku.compat import dask
from kasoku.compat.dask import array as da

import kasoku as ks
from dask_arrays import a, an, b, rng, setm, v, w, x, xn, y


def _sum3(p, q):
    return np.roll(p, 1) + p + np.roll(p, -1) + q


def _out(function, *args, out, **words):
    assert function(*args, out=out, **words) is out
    return out


def _whole(x, axis, keepdims):
    return x


# What is computed, and NumPy's; a name is a law.
cases = dict(
    add=lambda: (x + 2 * y, a + 2 * b),
    expsum=lambda: (da.exp(x).sum(axis=0), np.exp(a).sum(axis=0)),
    T=lambda: (x.T, a.T),
    matmul=lambda: (x.T @ y, a.T @ b),
    slice=lambda: (x[5:50, ::3], a[5:50, ::3]),
    neg=lambda: (x[::-1, 30:2:-4], a[::-1, 30:2:-4]),
    mean=lambda: (x.mean(), a.mean()),
    std=lambda: (x.std(axis=1), a.std(axis=1)),
    concat=lambda: (da.concatenate([x, y], axis=1), np.concatenate([a, b], axis=1)),
    max=lambda: (x.max(axis=1), a.max(axis=1)),
    var=lambda: (x.var(ddof=1), a.var(ddof=1)),
    rechunk=lambda: (x.rechunk((7, 40)) - y, a - b),
    stack=lambda: (da.stack([x, y]), np.stack([a, b])),
    where=lambda: (da.where(x > 0, x, y), np.where(a > 0, a, b)),
    mb=lambda: (x.map_blocks(lambda block: block * 3), a * 3),
    mbfunction=lambda: (x.map_blocks(lambda block, function: function(block), function=np.abs), np.abs(a)),
    dot=lambda: (da.dot(x, y.T), a @ b.T),
    reshape=lambda: (x.reshape(30, 2, 40), a.reshape(30, 2, 40)),
    reshape2=lambda: (x.reshape(40, 60), a.reshape(40, 60)),
    argmax=lambda: (x.argmax(axis=0), a.argmax(axis=0)),
    argminall=lambda: (x.argmin(), a.argmin()),
    cumsum=lambda: (x.cumsum(axis=0), a.cumsum(axis=0)),
    prod=lambda: (x.prod(axis=0), a.prod(axis=0)),
    anyall=lambda: ((x > 0).any(axis=0), (a > 0).any(axis=0)),
    minimum=lambda: (da.minimum(x, y), np.minimum(a, b)),
    fancy=lambda: (x[[1, 5, 3]], a[[1, 5, 3]]),
    fancy2=lambda: (x[5:, [0, 39, -2]], a[5:, [0, 39, -2]]),
    tensordot=lambda: (da.tensordot(x, y, axes=((0,), (0,))), np.tensordot(a, b, axes=((0,), (0,)))),
    bcast=lambda: (x[:, None, :] + y[None, :1, :], a[:, None, :] + b[None, :1, :]),
    clip=lambda: (x.clip(-1, 1), a.clip(-1, 1)),
    astype=lambda: (x.astype("f4"), a.astype("f4")),
    round=lambda: (x.round(1), a.round(1)),
    nansum=lambda: (da.nansum(xn), np.nansum(an)),
    nanmean=lambda: (da.nanmean(xn, axis=0), np.nanmean(an, axis=0)),
    nanstd=lambda: (da.nanstd(xn), np.nanstd(an)),
    flip=lambda: (da.flip(x, 0), np.flip(a, 0)),
    ravel=lambda: (x.ravel(), a.ravel()),
    overlap=lambda: (
        x.map_overlap(lambda v: np.roll(v, 1, 0) + v + np.roll(v, -1, 0), depth=1, boundary="periodic"),
        np.roll(a, 1, 0) + a + np.roll(a, -1, 0),
    ),
    einsum=lambda: (da.einsum("ij,ij->i", x, y), np.einsum("ij,ij->i", a, b)),
    int=lambda: (x[3], a[3]),
    int2=lambda: (x[3, -1], a[3, -1]),
    mask=lambda: (x[x > 0], a[a > 0]),
    rowmask=lambda: (x[x[:, 0] > 0], a[a[:, 0] > 0]),
    setmask=lambda: (setm(x, x < 0, 0), np.where(a < 0, 0, a)),
    setslice=lambda: (
        setm(x, (slice(2, 30, 3), 4), 7),
        (lambda c: (c.__setitem__((slice(2, 30, 3), 4), 7), c)[1])(a.copy()),
    ),
    arange=lambda: (da.arange(3, 50, 4, chunks=5), np.arange(3, 50, 4)),
    linspace=lambda: (da.linspace(0, 1, 23, chunks=5), np.linspace(0, 1, 23)),
    eye=lambda: (da.eye(13, chunks=5, k=1), np.eye(13, k=1)),
    ones=lambda: (da.ones((7, 9), chunks=(3, 4)).sum(), 63.0),
    full=lambda: (da.full((7, 9), 3, chunks=3), np.full((7, 9), 3)),
    zl=lambda: (da.zeros_like(x), np.zeros_like(a)),
    percentile=lambda: (da.percentile(w, [25, 50]), np.percentile(v, [25, 50])),
    hist=lambda: (da.histogram(w, bins=5, range=(-2, 2))[0], np.histogram(v, bins=5, range=(-2, 2))[0]),
    unique=lambda: (da.unique((w * 2).astype(int)), np.unique((v * 2).astype(int))),
    norm=lambda: (da.linalg.norm(x), np.linalg.norm(a)),
    svd=lambda: (da.linalg.svd(x)[1], np.linalg.svd(a)[1]),
    topk=lambda: (da.topk(w, 3), np.sort(v)[::-1][:3]),
    ufunc=lambda: (np.sin(x), np.sin(a)),
    npsum=lambda: (np.sum(x, axis=0), a.sum(axis=0)),
    outer=lambda: (da.outer(w, w), np.outer(v, v)),
    median=lambda: (da.median(x, axis=0), np.median(a, axis=0)),
    diff=lambda: (da.diff(w), np.diff(v)),
    roll=lambda: (da.roll(x, 3, axis=0), np.roll(a, 3, axis=0)),
    tile=lambda: (da.tile(w, 2), np.tile(v, 2)),
    vstack=lambda: (da.vstack([w, w]), np.vstack([v, v])),
    aaa=lambda: (da.apply_along_axis(np.sum, 1, x), np.apply_along_axis(np.sum, 1, a)),
    scalar=lambda: (x.sum() / 2 + 1, a.sum() / 2 + 1),
    moveaxis=lambda: (da.moveaxis(da.stack([x, y]), 0, 2), np.moveaxis(np.stack([a, b]), 0, 2)),
    matvec=lambda: (x @ da.ones(40, chunks=7), a @ np.ones(40)),
    mm3=lambda: (da.matmul(da.stack([x, y]), x.T), np.matmul(np.stack([a, b]), a.T)),
    coarsen=lambda: (da.coarsen(np.mean, x.rechunk((20, 20)), {0: 2, 1: 4}), a.reshape(30, 2, 10, 4).mean(axis=(1, 3))),
    keep=lambda: (x.sum(axis=1, keepdims=True), a.sum(axis=1, keepdims=True)),
    cmp=lambda: ((x == x).all(), True),
    block=lambda: (da.block([[x, y], [y, x]]), np.block([[a, b], [b, a]])),
    pad=lambda: (da.pad(w, 2), np.pad(v, 2)),
    neg1=lambda: (-x, -a),
    absx=lambda: (abs(x), abs(a)),
    rsub=lambda: (1 - x, 1 - a),
    pw=lambda: (x**2, a**2),
    blocks=lambda: (x.blocks[1], a[20:40]),
    bid=lambda: (
        da.map_blocks(lambda block_id: np.full((2, 3), block_id[0]), chunks=((2, 2), (3,)), dtype=int),
        np.repeat([[0] * 3, [1] * 3], 2, axis=0),
    ),
    dropax=lambda: (x.rechunk((20, -1)).map_blocks(lambda q: q.sum(axis=1), drop_axis=1), a.sum(axis=1)),
    mixed=lambda: (a + x, a + a),
    arr=lambda: (np.asarray(x), a),
    ptp=lambda: (da.ptp(x), np.ptp(a)),
    cov=lambda: (da.cov(x), np.cov(a)),
    empty=lambda: (x[:0].sum(axis=0), a[:0].sum(axis=0)),
    # what is made of others
    append=lambda: (da.append(x, y, axis=0), np.append(a, b, axis=0)),
    appendflat=lambda: (da.append(w, [1.0, 2.0]), np.append(v, [1.0, 2.0])),
    insert=lambda: (da.insert(x, [3, 7, 50], 5, axis=0), np.insert(a, [3, 7, 50], 5, axis=0)),
    insertone=lambda: (da.insert(x, 3, v[:40], axis=0), np.insert(a, 3, v[:40], axis=0)),
    insertcolumn=lambda: (da.insert(x, 3, a[:, 0], axis=1), np.insert(a, 3, a[:, 0], axis=1)),
    delete=lambda: (da.delete(x, [1, -1, 30], axis=0), np.delete(a, [1, -1, 30], axis=0)),
    deleteslice=lambda: (da.delete(x, slice(3, 20, 2), axis=1), np.delete(a, slice(3, 20, 2), axis=1)),
    atleast1=lambda: (da.atleast_1d(w.sum()), np.atleast_1d(v.sum())),
    atleast2=lambda: (da.atleast_2d(w), np.atleast_2d(v)),
    atleast3=lambda: (da.atleast_3d(x), np.atleast_3d(a)),
    atleast3of1=lambda: (da.atleast_3d(w), np.atleast_3d(v)),
    choose=lambda: (da.choose((x > 0).astype(int), [x, y]), np.choose((a > 0).astype(int), [a, b])),
    compress=lambda: (da.compress(a[:, 0] > 0, x, axis=0), np.compress(a[:, 0] > 0, a, axis=0)),
    extract=lambda: (da.extract(w > 0, w), np.extract(v > 0, v)),
    diag=lambda: (da.diag(w), np.diag(v)),
    diagup=lambda: (da.diag(w, 3), np.diag(v, 3)),
    diagdown=lambda: (da.diag(w, -2), np.diag(v, -2)),
    diagof=lambda: (da.diag(x, 5), np.diag(a, 5)),
    diagonal=lambda: (da.diagonal(da.stack([x, y]), -3, 1, 2), np.diagonal(np.stack([a, b]), -3, 1, 2)),
    trace=lambda: (x.trace(2), a.trace(2)),
    ediff1d=lambda: (da.ediff1d(w, to_begin=-9.0, to_end=[7.0, 8.0]), np.ediff1d(v, to_begin=-9.0, to_end=[7.0, 8.0])),
    fliplr=lambda: (da.fliplr(x), np.fliplr(a)),
    flipud=lambda: (da.flipud(x), np.flipud(a)),
    rot1=lambda: (da.rot90(x), np.rot90(a)),
    rot2=lambda: (da.rot90(x, 2), np.rot90(a, 2)),
    rot3=lambda: (da.rot90(x, -1), np.rot90(a, -1)),
    frompyfunc=lambda: (da.frompyfunc(lambda p, q: p + 2 * q, 2, 1)(x, y).astype(float), a + 2 * b),
    gradient=lambda: (da.gradient(x, axis=0), np.gradient(a, axis=0)),
    gradientboth=lambda: (da.stack(da.gradient(x, 2.0, 0.5)), np.stack(np.gradient(a, 2.0, 0.5))),
    gradientplaces=lambda: (
        *da.gradient(w, np.cumsum(np.arange(1, 51.0))),
        np.gradient(v, np.cumsum(np.arange(1, 51.0))),
    ),
    gradientedge=lambda: (
        *da.gradient(w, np.arange(50) ** 1.5, edge_order=2),
        np.gradient(v, np.arange(50) ** 1.5, edge_order=2),
    ),
    gradientedge2=lambda: (da.gradient(x, 3.0, axis=1, edge_order=2), np.gradient(a, 3.0, axis=1, edge_order=2)),
    histogram2d=lambda: (
        da.histogram2d(w, w[::-1], bins=[4, 5], range=[(-2, 2), (-1, 1)])[0],
        np.histogram2d(v, v[::-1], bins=[4, 5], range=[(-2, 2), (-1, 1)])[0],
    ),
    histogramdd=lambda: (
        da.histogramdd(x[:, :3], bins=(3, 4, 2), range=[(-1, 1)] * 3, weights=x[:, 5])[0],
        np.histogramdd(a[:, :3], bins=(3, 4, 2), range=[(-1, 1)] * 3, weights=a[:, 5])[0],
    ),
    indices=lambda: (da.indices((5, 7), chunks=3), np.indices((5, 7))),
    moment=lambda: (da.moment(x, 3, axis=0), ((a - a.mean(axis=0)) ** 3).mean(axis=0)),
    nancumsum=lambda: (da.nancumsum(xn, axis=0), np.nancumsum(an, axis=0)),
    nancumprod=lambda: (da.nancumprod(xn, axis=1), np.nancumprod(an, axis=1)),
    quantile=lambda: (da.quantile(x, [0.25, 0.5], axis=1), np.quantile(a, [0.25, 0.5], axis=1)),
    nanquantile=lambda: (da.nanquantile(xn, 0.3, axis=0), np.nanquantile(an, 0.3, axis=0)),
    nanpercentile=lambda: (da.nanpercentile(xn, [30, 60], axis=0), np.nanpercentile(an, [30, 60], axis=0)),
    notnull=lambda: (da.notnull(xn), ~np.isnan(an)),
    piecewise=lambda: (
        da.piecewise(x, [x < 0, x >= 1], [-1, np.sqrt, 7]),
        np.piecewise(a, [a < 0, a >= 1], [-1, np.sqrt, 7]),
    ),
    select=lambda: (da.select([x < -1, x > 1], [x, 2 * y], 5), np.select([a < -1, a > 1], [a, 2 * b], 5)),
    rollaxis=lambda: (da.rollaxis(da.stack([x, y]), 2), np.rollaxis(np.stack([a, b]), 2)),
    rollaxis2=lambda: (da.rollaxis(da.stack([x, y]), 0, 3), np.rollaxis(np.stack([a, b]), 0, 3)),
    searchsorted=lambda: (
        da.searchsorted(da.arange(9, chunks=2), x, "right"),
        np.searchsorted(np.arange(9), a, "right"),
    ),
    tri=lambda: (da.tri(7, 5, 1, chunks=3), np.tri(7, 5, 1)),
    tril=lambda: (da.tril(x, 2), np.tril(a, 2)),
    triu=lambda: (da.triu(x, -3), np.triu(a, -3)),
    trilindices=lambda: (da.stack(_known(da.tril_indices(5, 1, chunks=2))), np.stack(np.tril_indices(5, 1))),
    triuindices=lambda: (da.stack(_known(da.triu_indices_from(x, -1))), np.stack(np.triu_indices_from(a, -1))),
    union1d=lambda: (da.union1d(w.round(), w[3:].round() + 1), np.union1d(v.round(), v[3:].round() + 1)),
    unravel=lambda: (
        da.stack(da.unravel_index(da.arange(40, chunks=7), (5, 8))),
        np.stack(np.unravel_index(np.arange(40), (5, 8))),
    ),
    ravelmulti=lambda: (
        da.ravel_multi_index(da.from_array(np.array([[1, 2, 4], [3, 0, 7]]), chunks=2), (5, 8)),
        np.ravel_multi_index(np.array([[1, 2, 4], [3, 0, 7]]), (5, 8)),
    ),
    corrcoefofboth=lambda: (da.corrcoef(x[:3], x[3:7]), np.corrcoef(a[:3], a[3:7])),
    corrcoefofone=lambda: (da.corrcoef(x[0]), np.corrcoef(a[0])),
    withtuples=lambda: (
        da.stack([x[:, :3] * (0, 0, 1), (1, 2, 3) - x[:, :3]]),
        np.stack([a[:, :3] * (0, 0, 1), (1, 2, 3) - a[:, :3]]),
    ),
    modf=lambda: (da.stack(da.modf(x)), np.stack(np.modf(a))),
    frexp=lambda: (da.frexp(x)[1], np.frexp(a)[1]),
    modfofnumpys=lambda: (da.stack(da.modf(a[0])), np.stack(np.modf(a[0]))),
    divmod=lambda: (da.stack(divmod(x, 0.3)), np.stack(divmod(a, 0.3))),
    argtopk=lambda: (da.argtopk(x, 3, axis=0), np.argsort(-a, axis=0, kind="stable")[:3]),
    argtopkleast=lambda: (x.argtopk(-4), np.argsort(a, axis=-1, kind="stable")[:, :4]),
    ravelmultiunknown=lambda: (
        da.ravel_multi_index(
            (lambda i: i[i[:, 0] > 1])(da.from_array(np.array([[1, 2, 4], [3, 0, 4], [2, 1, 1]]), chunks=1)), (5, 6)
        ),
        np.ravel_multi_index(np.array([[3, 0, 4], [2, 1, 1]]), (5, 6)),
    ),
    varreal=lambda: (da.var(x + 1j * y, axis=0, dtype="f8"), np.var(a + 1j * b, axis=0, dtype="f8")),
    nanstdreal=lambda: (da.nanstd(x + 1j * y, dtype="f8"), np.nanstd(a + 1j * b, dtype="f8")),
    einsumdtype=lambda: (
        da.einsum("ij,ij->i", (x * 9).astype(int), (y * 9).astype(int), dtype="f4", casting="unsafe", split_every=2),
        np.einsum("ij,ij->i", (a * 9).astype(int), (b * 9).astype(int), dtype="f4", casting="unsafe"),
    ),
    memoryview=lambda: (da.from_array(memoryview(b"bytes"), chunks=2), np.frombuffer(b"bytes", np.uint8)),
    blockwiseclass=lambda: (
        da.blockwise(
            lambda kind: np.ones((2, 3), kind), "ab", np.float32, None, new_axes={"a": 2, "b": (3, 3)}, dtype="f4"
        ),
        np.ones((2, 6), "f4"),
    ),
    vindex=lambda: (x.vindex[[0, 5, 59], [3, 3, 39]], a[[0, 5, 59], [3, 3, 39]]),
    vindexchunks=lambda: (
        x.vindex[da.from_array(np.array([[0, 5], [59, 7]]), chunks=1), 3],
        a[np.array([[0, 5], [59, 7]]), 3],
    ),
    vindexrest=lambda: (da.stack([x, y]).vindex[:, [1, 2], [5, 6]], np.stack([a, b])[:, [1, 2], [5, 6]].T),
    methods=lambda: (x[:1].squeeze().repeat(2), a[:1].squeeze().repeat(2)),
    swapaxes=lambda: (x.swapaxes(0, 1).topk(2, axis=1), np.sort(a.T, axis=1)[:, :-3:-1]),
    # transforms
    fft=lambda: (da.fft.fft(x.rechunk((20, -1))), np.fft.fft(a)),
    ifft=lambda: (
        da.fft.ifft(x.rechunk((-1, 7)), n=50, axis=0, norm="ortho"),
        np.fft.ifft(a, n=50, axis=0, norm="ortho"),
    ),
    rfft=lambda: (da.fft.rfft(w.rechunk(-1)), np.fft.rfft(v)),
    irfft=lambda: (da.fft.irfft(w.rechunk(-1)), np.fft.irfft(v)),
    hfft=lambda: (da.fft.hfft(w.rechunk(-1), n=30), np.fft.hfft(v, n=30)),
    ihfft=lambda: (da.fft.ihfft(w.rechunk(-1)), np.fft.ihfft(v)),
    fft2=lambda: (da.fft.fft2(da.stack([x, y]).rechunk((1, -1, -1))), np.fft.fft2(np.stack([a, b]))),
    rfftn=lambda: (da.fft.rfftn(x.rechunk(-1), s=(50, 30)), np.fft.rfftn(a, s=(50, 30), axes=(0, 1))),
    irfft2=lambda: (da.fft.irfft2(x.rechunk(-1)), np.fft.irfft2(a)),
    ifftn=lambda: (da.fft.ifftn(x.rechunk((-1, 10)), axes=(0,)), np.fft.ifftn(a, axes=(0,))),
    fftfreq=lambda: (da.fft.fftfreq(11, 0.5, chunks=3), np.fft.fftfreq(11, 0.5)),
    fftfreq2=lambda: (da.fft.fftfreq(10), np.fft.fftfreq(10)),
    rfftfreq=lambda: (da.fft.rfftfreq(11, 0.5, chunks=3), np.fft.rfftfreq(11, 0.5)),
    fftshift=lambda: (da.fft.fftshift(x), np.fft.fftshift(a)),
    ifftshift=lambda: (da.fft.ifftshift(w[:13], axes=0), np.fft.ifftshift(v[:13], axes=0)),
    fftwrap=lambda: (da.fft.fft_wrap(np.fft.rfft)(w.rechunk(-1)), np.fft.rfft(v)),
    # linear algebra
    lu=lambda: (_product(*da.linalg.lu(x[:40])), a[:40]),
    triangular=lambda: (
        da.linalg.solve_triangular(da.from_array(square, chunks=9), w[:40]),
        np.linalg.solve(np.triu(square), v[:40]),
    ),
    lower=lambda: (
        da.linalg.solve_triangular(da.from_array(square, chunks=9), x[:40], lower=True),
        np.linalg.solve(np.tril(square), a[:40]),
    ),
    compressed=lambda: (da.linalg.svd_compressed(low_rank, 3, seed=1)[1], np.linalg.svd(a[:, :3] @ b[:3])[1][:3]),
    # functions with a signature
    gufunc=lambda: (da.apply_gufunc(lambda q: q.mean(axis=-1), "(i)->()", x.rechunk((20, -1))), a.mean(axis=1)),
    gufunctwo=lambda: (
        da.stack(
            da.apply_gufunc(lambda q: (q.min(axis=-1), q.max(axis=-1)), "(i)->(),()", x, axis=0, allow_rechunk=True)
        ),
        np.stack([a.min(axis=0), a.max(axis=0)]),
    ),
    gufuncouter=lambda: (
        da.apply_gufunc(
            lambda p, q: np.einsum("...i,...j->...ij", p, q), "(i),(j)->(i,j)", x.rechunk((9, -1)), w.rechunk(-1)
        ),
        np.einsum("ni,j->nij", a, v),
    ),
    gufuncvector=lambda: (
        da.as_gufunc("(i)->()", vectorize=True, output_dtypes=float)(lambda q: q @ q)(x.rechunk((20, -1))),
        (a * a).sum(axis=1),
    ),
    gufuncnew=lambda: (
        da.apply_gufunc(lambda q: np.stack([q, 2 * q], -1), "()->(k)", x, output_sizes={"k": 2}, output_dtypes=float),
        np.stack([a, 2 * a], -1),
    ),
    gufuncshorter=lambda: (
        da.apply_gufunc(
            lambda q: np.diff(q, axis=-1), "(i)->(i)", x, axis=0, output_sizes={"i": 59}, allow_rechunk=True
        ),
        np.diff(a, axis=0),
    ),
    gufuncpair=lambda: (
        da.apply_gufunc(
            lambda p, q: (p * q).sum(axis=-1), "(i),(i)->()", da.stack([x, y]).rechunk((1, 9, -1)), y.rechunk((13, -1))
        ),
        np.einsum("kni,ni->kn", np.stack([a, b]), b),
    ),
)
cases |= dict(
    # assignment: lists, masks and arrays in chunks, along one axis
    setlist=lambda: (setm(x, [50, 2, -1], 7.0), setm(a, [50, 2, -1], 7.0)),
    setlistvalue=lambda: (setm(x, (slice(3, 50, 2), [3, 38, 1]), b[:24, :3]), setm(a, (slice(3, 50, 2), [3, 38, 1]), b[:24, :3])),
    setlistchunks=lambda: (setm(x, ([5, 59, 20], slice(None, None, -1)), y[:3]), setm(a, ([5, 59, 20], slice(None, None, -1)), b[:3])),
    setmaskaxis=lambda: (setm(x, a[:, 0] > 0, -1.0), setm(a, a[:, 0] > 0, -1.0)),
    setmaskchunks=lambda: (setm(x, x[:, 0] > 0, -1.0), setm(a, a[:, 0] > 0, -1.0)),
    setmaskvalues=lambda: (setm(x, a > 1, np.arange((a > 1).sum())), setm(a, a > 1, np.arange((a > 1).sum()))),
    setmaskvalues1=lambda: (setm(w, v > 0, v[v > 0] * 2), setm(v, v > 0, v[v > 0] * 2)),
    setindexchunks=lambda: (setm(x, da.from_array(np.array([4, 30]), chunks=1), 8), setm(a, [4, 30], 8)),
    setnumber=lambda: (setm(x, (3, slice(1, 39, 5)), w[:8]), setm(a, (3, slice(1, 39, 5)), v[:8])),
    setbroadcast=lambda: (setm(x, (Ellipsis, slice(5)), w[:60:10]), setm(a, (Ellipsis, slice(5)), v[:60:10])),
    setcolumn=lambda: (setm(x, (slice(None), [7]), y[:, :1]), setm(a, (slice(None), [7]), b[:, :1])),
    setleading=lambda: (setm(x, slice(2, 4), b[None, :2]), setm(a, slice(2, 4), b[None, :2])),
    setnothing=lambda: (setm(x, [], 5.0), setm(a, [], 5.0)),
    settwice=lambda: (setm(w, [3, 3, 40], [1.0, 2.0, 3.0]), setm(v, [3, 3, 40], [1.0, 2.0, 3.0])),
    setrange=lambda: (setm(x, slice(None, None, 6), range(40)), setm(a, slice(None, None, 6), range(40))),
    # a function of chunks sees the whole of an axis that it drops
    dropped=lambda: (x.map_blocks(lambda q: q.sum(axis=1), drop_axis=1), a.sum(axis=1)),
    droppedboth=lambda: (da.map_blocks(lambda q, r: (q * r).sum(), x, y[:, :1], drop_axis=[0, 1], dtype=float), (a * b[:, :1]).sum()),
    droppedfirst=lambda: (da.map_blocks(lambda q, r: q.max(axis=0) + r, x, w[:40], drop_axis=-2, dtype=float), a.max(axis=0) + v[:40]),
    # chunks of a function belong together by their numbers, whatever their lengths
    bynumber=lambda: (da.map_blocks(np.add, w[:12].rechunk(4), da.from_array(np.arange(3.0), chunks=1), dtype=float), v[:12] + np.repeat(np.arange(3), 4)),
    bynumberwide=lambda: (x.map_blocks(np.add, da.from_array(np.arange(6.0).reshape(3, 2), chunks=1), dtype=float), a + np.repeat(np.repeat(np.arange(6).reshape(3, 2), 20, 0), [25, 15], 1)),
    withdelayed=lambda: (x.map_blocks(lambda q, k, n: q * k + n, dask.delayed(3), n=dask.delayed(1), dtype=float), a * 3 + 1),
    # what is known later
    maskrows=lambda: (x[x[:, 0] > 0] * 2, a[a[:, 0] > 0] * 2),
    maskcolumns=lambda: (x[:, x[0] > 0].mean(axis=1), a[:, a[0] > 0].mean(axis=1)),
    maskedpart=lambda: (x[x[:, 1] > 0][:, 3:20:5], a[a[:, 1] > 0][:, 3:20:5]),
    matmulmixed=lambda: (a.T @ x, a.T @ a),
    matmulufunc=lambda: (np.matmul(x, y.T), a @ b.T),
    asarraydtype=lambda: (da.asarray([[1, 2]], dtype="f4"), np.asarray([[1, 2]], dtype="f4")),
    arrayndmin=lambda: (da.array(w, ndmin=3), np.array(v, ndmin=3)),
    viewsame=lambda: (x.view(), a.view()),
    viewwider=lambda: (da.from_array(np.arange(24, dtype="i4").reshape(3, 8), chunks=(2, 4)).view("i8"), np.arange(24, dtype="i4").reshape(3, 8).view("i8")),
    viewnarrower=lambda: (x.view("i2"), a.view("i2")),
    viewfortran=lambda: (x.view("i4", order="F"), a.T.copy().view("i4").T),
    field=lambda: (da.from_array(records, chunks=2)["b"] * 2, records["b"] * 2),
    windows=lambda: (da.lib.stride_tricks.sliding_window_view(x, (7, 3)), np.lib.stride_tricks.sliding_window_view(a, (7, 3))),
    windowslong=lambda: (da.overlap.sliding_window_view(w, 30), np.lib.stride_tricks.sliding_window_view(v, 30)),
    covtwo=lambda: (da.cov(w, w[::-1]), np.cov(v, v[::-1])),
    covweights=lambda: (da.cov(w, fweights=np.arange(50)), np.cov(v, fweights=np.arange(50))),
    normed=lambda: (da.histogramdd(x[:, :2], bins=3, range=((-1, 1), (-2, 2)), normed=True)[0], np.histogramdd(a[:, :2], bins=3, range=((-1, 1), (-2, 2)), density=True)[0]),
    unknownbeside=lambda: (da.hstack([x[x[:, 0] > 0], x[x[:, 0] > 0]], allow_unknown_chunksizes=True), np.hstack([a[a[:, 0] > 0]] * 2)),
    unknownflat=lambda: (w[w > 0].ravel(), v[v > 0]),
    mesh=lambda: (da.meshgrid(w, w[:3])[0], np.meshgrid(v, v[:3])[0]),
    leastleft=lambda: (x[x > 2].min(), a[a > 2].min()),
    mostleft=lambda: (x[x[:, 0] > 1.2].max(axis=0), a[a[:, 0] > 1.2].max(axis=0)),
    percentileaxis=lambda: (da.percentile(x, [30, 60], axis=0), np.percentile(a, [30, 60], axis=0)),
    quantileweights=lambda: (
        da.quantile(x, [0.3, 0.6], axis=1, weights=np.arange(40), method="inverted_cdf"),
        np.quantile(a, [0.3, 0.6], axis=1, weights=np.arange(40), method="inverted_cdf"),
    ),
    nanquantileweights=lambda: (
        da.nanquantile(xn, 0.4, axis=0, weights=np.arange(1, 61), method="inverted_cdf"),
        np.nanquantile(an, 0.4, axis=0, weights=np.broadcast_to(np.arange(1, 61)[:, None], an.shape), method="inverted_cdf"),
    ),
    quantilesingle=lambda: (da.quantile(x.astype("f4"), 0.5, axis=0), np.quantile(a.astype("f4"), 0.5, axis=0)),
    outsum=lambda: (_out(x.sum, axis=0, out=da.zeros(40, chunks=9)), a.sum(axis=0)),
    outcumsum=lambda: (_out(da.cumsum, x, axis=1, out=da.zeros((60, 40), chunks=9)), a.cumsum(axis=1)),
    conjugate=lambda: (np.conjugate(x + 1j), np.conjugate(a + 1j)),
    texts=lambda: (da.from_array(np.array(["a", "b", "c"]), chunks=2) == "b", np.array([False, True, False])),
    textsless=lambda: (da.from_array(np.array(["a", "b", "c"]), chunks=2) < "b", np.array([True, False, False])),
    notext=lambda: (x != "a", np.ones((60, 40), bool)),
    nonone=lambda: (x == None, np.zeros((60, 40), bool)),  # noqa: E711
    blockwisedelayed=lambda: (da.blockwise(np.add, "ij", x, "ij", dask.delayed(5), None, dtype=float), a + 5),
    # several arrays with their neighbours' elements, in chunks that do not fit
    overlaptwo=lambda: (da.map_overlap(_sum3, w.rechunk(7), w * 2, depth=1, boundary="periodic"), _sum3(v, v * 2)),
    overlapdepths=lambda: (da.map_overlap(lambda p, q: p + q[2:-2], w, w, depth=[0, 2], boundary=["none", "reflect"], trim=False), v * 2),
    overlapranks=lambda: (da.map_overlap(np.add, w[:40].rechunk(9), x, depth=1, boundary="nearest"), v[:40] + a),
    overlapdrop=lambda: (da.map_overlap(lambda q: q.mean(axis=1), x, depth=(2, 0), boundary=(0, "reflect"), drop_axis=1, dtype=float), a.mean(axis=1)),
    overlapadd=lambda: (da.map_overlap(lambda q: q[None], w, depth=3, boundary="reflect", new_axis=0, dtype=float), v[None]),
    overlapsmall=lambda: (da.map_overlap(_sum3, w.rechunk(2), w.rechunk(2), depth=5, boundary="periodic"), _sum3(v, v)),
    # joined along all axes before they are combined
    reductionjoins=lambda: (
        da.reduction(da.stack([x, y]).rechunk((1, 20, 20)), _whole, np.median, combine=_whole, dtype=float),
        np.median(np.stack([a, b])),
    ),
    arangestop=lambda: (da.arange(stop=10, chunks=3), np.arange(10)),
    fromfunctiondtype=lambda: (da.fromfunction(lambda i, j: i / 2 + j, shape=(4, 6), chunks=3, dtype="f4"), np.fromfunction(lambda i, j: i / 2 + j, (4, 6), dtype="f4")),
    meshsparse=lambda: (da.meshgrid(w, w[:3], w[:7], sparse=True, indexing="ij")[1], np.meshgrid(v, v[:3], v[:7], sparse=True, indexing="ij")[1]),
    blelloch=lambda: (da.cumsum(x, axis=1, method="blelloch"), a.cumsum(axis=1)),
    coarsemean=lambda: (da.coarsen(np.mean, da.arange(12, chunks=5), {0: 3}), np.arange(12).reshape(4, 3).mean(axis=1)),
    diffends=lambda: (da.diff(x, n=2, axis=0, prepend=0, append=y[:2]), np.diff(a, n=2, axis=0, prepend=0, append=b[:2])),
    inverse=lambda: (da.unique(da.from_array((a * 3).astype(int), chunks=17), return_inverse=True)[1], np.unique((a * 3).astype(int), return_inverse=True)[1]),
    nanargmax=lambda: (da.nanargmax(xn, axis=0), np.nanargmax(an, axis=0)),
    nanargminall=lambda: (da.nanargmin(xn), np.nanargmin(an)),
    allnan=lambda: (da.nanmin(da.from_array(np.where(np.arange(40) < 3, np.nan, a), chunks=11), axis=0), np.where(np.arange(40) < 3, np.nan, a.min(axis=0))),
    nanandinf=lambda: (da.nanargmin(da.from_array(np.array([np.nan, np.nan, np.inf, np.inf]), chunks=2)), np.nanargmin([np.nan, np.nan, np.inf, np.inf])),
)  # fmt: skip
records = np.array([(k, k / 2) for k in range(5)], [("a", "i4"), ("b", "f8")])
square = a[:40] + 40 * np.eye(40)
low_rank = da.from_array(a[:, :3] @ b[:3], chunks=(20, 25))


def _known(arrays):
    return [array.compute_chunk_sizes() for array in arrays]


def _product(p, lower, u):
    assert (np.tril(lower.compute()) == lower.compute()).all() and (np.triu(u.compute()) == u.compute()).all()
    assert sorted(p.compute().ravel().tolist()) == [0] * (40 * 39) + [1] * 40
    return p @ lower @ u


@pytest.mark.parametrize("name", cases)
def test_as_numpy(name):
    got, want = cases[name]()
    computed = got.compute() if hasattr(got, "compute") else got
    np.testing.assert_allclose(computed, want, rtol=1e-5 if name == "astype" else 1e-9, atol=1e-12)
    assert isinstance(computed, (np.ndarray, np.generic))
    if isinstance(got, da.Array):
        assert got.dtype == np.asarray(want).dtype
        if name not in (
            "mask",
            "unique",
            "union1d",
            "rowmask",
            "maskrows",
            "maskedpart",
            "unknownbeside",
            "unknownflat",
            "extract",
        ):
            assert got.shape == np.shape(want)


slices = st.builds(slice, *[st.one_of(st.none(), st.integers(-15, 15))] * 2, st.sampled_from([None, 1, 2, 3, -1, -2]))
indices = st.one_of(slices, st.integers(-11, 10), st.lists(st.integers(-11, 10), max_size=5))


@hypothesis.given(indices, slices, st.integers(1, 12), st.integers(1, 8))
def test_slices_are_numpy_s_in_any_chunks(i, j, rows, columns):
    numpys = np.arange(77).reshape(11, 7)
    got = da.from_array(numpys, chunks=(rows, columns))[i, j]
    want = numpys[np.asarray(i, int) if isinstance(i, list) else i, j]
    assert got.shape == want.shape and (got.compute() == want).all()


@hypothesis.given(
    st.lists(st.integers(0, 4), min_size=1, max_size=6),
    st.integers(1, 20),
    st.sampled_from(["sum", "mean", "var", "argmax", "cumsum"]),
)
def test_results_do_not_depend_on_chunks(lengths, size, name):
    numpys = np.arange(sum(lengths) or 1) % 7 - 3.0
    first = da.from_array(numpys, chunks=(tuple(lengths),) if sum(lengths) else 1)
    for got in (first, first.rechunk(size)):
        np.testing.assert_allclose(getattr(got, name)(axis=0).compute(), getattr(numpys, name)(axis=0), atol=1e-12)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "complex64", "U3", "M8[s]"])
def test_every_dtype(dtype):
    numpys = np.array([[1, 0, 1], [0, 1, 1]]).astype(dtype)
    got = da.from_array(numpys, chunks=(1, 2))
    assert got.dtype == numpys.dtype and (got.T.compute() == numpys.T).all()
    assert (da.concatenate([got, got])[1:3].compute() == np.concatenate([numpys, numpys])[1:3]).all()
    if np.dtype(dtype).kind in "biufc":
        assert (got + got).compute().dtype == (numpys + numpys).dtype
        assert got.sum().compute() == numpys.sum() and got.sum().dtype == numpys.sum().dtype


def test_chunks_are_our_arrays_and_compute_gives_numpy_s():
    kinds = []
    got = (
        da.ones((4, 4), chunks=2)
        .map_blocks(lambda block: (kinds.append(type(block)), block)[1], dtype=float)
        .sum()
        .compute()
    )
    assert got == 16 and set(kinds) == {np.ndarray}
    twos = da.ones((4, 4), chunks=2) + 1
    assert type(ks.Delayed(twos.__dask_keys__()[0][0], dict(twos.dask)).compute()) is ks.Array
    assert type(twos.to_delayed()[0, 0].compute()) is np.ndarray  # what a program's functions see
    assert type(twos.sum().to_delayed()[()].compute()) is np.float64
    assert type((da.from_array(ks.arange(6.0), chunks=4) * 2).compute()) is ks.Array


def test_random_numbers_repeat_with_their_seed():
    one, same, other = (da.random.RandomState(s).normal(10, 2, size=(300, 300), chunks=100) for s in (3, 3, 4))
    assert (one.compute() == same.compute()).all() and (one != other).any().compute()
    assert abs(one.mean().compute() - 10) < 0.05 and abs(one.std().compute() - 2) < 0.05
    blocks = [one.blocks[i, j].compute() for i in range(3) for j in range(3)]
    assert len({block.tobytes() for block in blocks}) == 9
    drawn = da.random.default_rng(1).integers(0, 10, size=1000, chunks=300).compute()
    assert set(drawn) == set(range(10)) and da.random.random((5, 5), chunks=2).compute().shape == (5, 5)


def test_collections_together():
    total, most = dask.compute(x.sum(), y.max())
    assert total == pytest.approx(a.sum()) and most == b.max()
    (kept,) = dask.persist(x + 1)
    assert isinstance(kept, da.Array) and kept.sum().compute() == pytest.approx((a + 1).sum())
    assert dask.delayed(lambda array: array.shape)(x).compute() == (60, 40)
    assert repr(x) == "dask.array<array, shape=(60, 40), dtype=float64, chunksize=(20, 25), chunktype=numpy.ndarray>"
    assert repr(da.stack([x, y])).startswith("dask.array<stack, shape=(2, 60, 40), dtype=float64")
    assert dask.is_dask_collection(x) and x.npartitions == 6 and x.numblocks == (3, 2) and len(x) == 60
    target = np.zeros((60, 40))
    da.store(x, target)
    assert (target == a).all()


def test_modules_where_dask_keeps_functions():
    from kasoku.compat.dask.array.reductions import reduction
    from kasoku.compat.dask.array.routines import histogram

    assert reduction is da.reduction and histogram is da.histogram


def test_a_program():
    text = """
import dask
import dask.array as da
from dask.array import linalg
x = da.random.random((1000, 1000), chunks=(250, 500))
y = x + x.T
z = y[::2, 500:].mean(axis=1)
assert z.compute().shape == (500,)
assert abs(float(x.mean()) - 0.5) < 0.01
"""
    ran = subprocess.run(
        [sys.executable, "-m", "kasoku", "run", "-c", text], capture_output=True, text=True, timeout=100
    )
    assert ran.returncode == 0, ran.stderr


def test_arrays_are_compared_by_values_shapes_and_dtypes():
    assert da.utils.assert_eq(xn, an) and da.utils.assert_eq(x.sum(), a.sum())
    for other in (a + 1, a[:5], a.astype("f4")):
        with pytest.raises(AssertionError, match="differ"):
            da.utils.assert_eq(x, other)
    with pytest.raises(AssertionError, match="values"):
        da.utils.assert_eq(da.ones(2, dtype=int), np.array([1, 2]))


# ── elementwise functions as ufuncs ───────────────────────────────────────────────────────


def test_an_array_of_chunks_is_of_the_values_that_numpy_s_had():
    source = np.arange(10.0)
    arrays = [da.from_array(source, chunks=c) for c in (3, -1)] + [da.asarray(source)]
    source[:] = -1
    for array in arrays:
        assert array.compute().tolist() == list(range(10))


def test_draws_around_several_values_of_an_argument():
    rng = da.random.default_rng(np.random.PCG64(3))
    means = da.from_array(np.array([0.0, 1000.0, -500.0]), chunks=2)
    assert np.round(rng.normal(means, 0.1, chunks=2).compute(), -1).tolist() == [0, 1000, -500]
    assert np.round(rng.normal(means, 0.1, size=(4, 3), chunks=(3, 2)).compute(), -1).tolist() == [[0, 1000, -500]] * 4
    drawn = rng.multinomial(20, [0.2, 0.3, 0.5], size=(5,), chunks=2)
    assert drawn.shape == (5, 3) and drawn.chunks == ((2, 2, 1), (3,)) and (drawn.sum(axis=1).compute() == 20).all()
    assert sorted(da.random.RandomState(1).choice(6, 6, replace=False).compute().tolist()) == list(range(6))


def refuses():
    raise AssertionError("computed too early")


def test_arrays_in_an_index_are_computed_with_the_result():
    where, mask = da.from_array(np.array([3, -1, 0]), chunks=2), da.from_array(a[0] > 0, chunks=7)
    np.testing.assert_array_equal(x[where, 2:9].compute(), a[[3, -1, 0], 2:9])
    np.testing.assert_array_equal(x[5, where].compute(), a[5, [3, -1, 0]])
    np.testing.assert_array_equal(x[None, 5:9, mask].compute(), a[None, 5:9, a[0] > 0])
    np.testing.assert_array_equal(da.compress(mask, x, axis=1).compute(), np.compress(a[0] > 0, a, axis=1))
    later = da.Array({("later", 0): (refuses,)}, "later", ((2,),), np.int64)
    with pytest.raises(AssertionError, match="too early"):
        x[later].compute()
    with pytest.raises(IndexError):
        x[da.from_array([60], chunks=1)].compute()
    for wrong in (np.array([True]), da.from_array(np.array([True]), chunks=1)):
        with pytest.raises(IndexError):
            w[wrong]  # which would be every element, were it broadcast


def test_a_program_s_reduction_is_called_as_dask_calls_it():
    def root(parts, axis, keepdims):
        assert isinstance(axis, tuple)
        return np.sqrt(np.sum(parts, axis=axis, keepdims=keepdims))

    def squares(block, axis, keepdims):
        return np.sum(block**2, axis=axis, keepdims=keepdims)

    got = da.reduction(x, squares, root, combine=np.sum, dtype=float, split_every=2)
    np.testing.assert_allclose(got.compute(), np.linalg.norm(a))
    np.testing.assert_allclose(da.reduction(w, squares, root, dtype=float, split_every=8).compute(), np.linalg.norm(v))

    def weighed(block, weights, axis, keepdims):
        return np.sum(block * weights, axis=axis, keepdims=keepdims)

    rows = np.linspace(0, 1, 60)[:, None]
    got = da.reduction(x, weighed, np.sum, axis=0, dtype=float, weights=rows)
    np.testing.assert_allclose(got.compute(), (a * rows).sum(axis=0))
    lists = da.reduction(
        w, np.sum, lambda parts, axis, keepdims: len(parts), concatenate=False, dtype=int, split_every=8
    )
    assert lists.compute() == 4
    with pytest.raises(ValueError, match="not broadcastable"):
        da.reduction(x, weighed, np.sum, dtype=float, weights=[1, 2, 3])


def test_what_is_set_and_said_of_arrays():
    seen = []
    with dask.config.set(array_plugins=[seen.append]):
        doubled = da.ones(4, chunks=2) * 2
    assert len(seen) == 2 and seen[1] is doubled
    with pytest.raises(TypeError, match=r"x.rechunk\(3\)"):
        doubled.chunks = 3
    with pytest.warns(da.PerformanceWarning, match="factor of 10"):
        da.ones((100, 1), chunks=(10, 1)) + da.ones((1, 100), chunks=(1, 10))
    with pytest.raises(TypeError, match="according to the rule 'safe'"):
        x.astype(int, casting="safe")
    mine = np.arange(3.0)
    theirs = da.from_array(mine, chunks=3)
    mine[0] = theirs.compute()[1] = 7  # neither is the array in the graph
    assert theirs.compute().tolist() == [0, 1, 2]


def test_histograms_count_by_chunks_between_ends_that_come_later():
    got, edges = da.histogram(w, bins=7, range=[w.min(), w.max()], density=True)
    want, ends = np.histogram(v, bins=7, density=True)
    np.testing.assert_allclose(got.compute(), want)
    np.testing.assert_allclose(edges.compute(), ends)
    got, edges = da.histogram(x, bins=da.from_array(np.linspace(-3, 3, 5), chunks=2), weights=da.ones_like(x))
    np.testing.assert_allclose(got.compute(), np.histogram(a, np.linspace(-3, 3, 5), weights=np.ones_like(a))[0])
    with pytest.raises(ValueError, match="chunked structure"):
        da.histogram(w, bins=3, range=(0, 1), weights=w.rechunk(5))


def test_values_that_lie_in_lists_and_records():
    np.testing.assert_array_equal((w[:2] * [w[0], 2]).compute(), v[:2] * [v[0], 2])
    records = np.array([(1, 1.0, 3), (2, 2.0, 4)], dtype=[("a", "i4"), ("b", "f4"), ("c", "i1")])
    got = da.from_array(records, chunks=1)[["c", "a"]]
    assert got.dtype == got.compute().dtype == records[["c", "a"]].dtype
    marked = setm(w, da.from_array((v > 0).astype(float), chunks=13), 1)
    np.testing.assert_array_equal(marked.compute(), np.where(v > 0, 1, v))
    with pytest.raises(ValueError, match="mask chooses elements in a row"):
        setm(x, x > 1, x)


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmax", "nancumsum", "nancumprod"])
@pytest.mark.parametrize("dtype", [float, object, "f4", int])
def test_functions_without_nan_are_numpys_and_take_out(name, dtype):
    values = rng.integers(1, 4, (6, 7)).astype(dtype)
    if dtype is not int:
        values[1, 2] = values[3] = np.nan
        values[3, 0] = 2
        values[4:, 1] = np.nan  # all of a chunk's column
    given = da.from_array(values, chunks=(4, 3))
    wanted = getattr(np, name)(values, axis=0)
    out = da.zeros_like(da.from_array(wanted, chunks=3))
    assert getattr(da, name)(given, axis=0, out=out) is out
    np.testing.assert_allclose(out.compute().astype(float), wanted.astype(float), rtol=1e-6)


def test_percentiles_of_texts_are_the_nearest():
    texts = np.array(["a", "a", "d", "d", "d", "e"])
    found = da.percentile(da.from_array(texts, chunks=3), [0, 50, 100])
    assert found.dtype == texts.dtype
    assert found.compute().tolist() == np.percentile(texts, [0, 50, 100], method="nearest").tolist()


def test_balls_of_several_colours_are_drawn_without_replacement():
    colours = np.array([3, 0, 4])
    for method in ("marginals", "count"):
        drawn = da.random.default_rng(1).multivariate_hypergeometric(colours, 5, size=(40, 2), method=method, chunks=10)
        assert drawn.shape == (40, 2, 3) and drawn.numblocks[0] == 4
        numbers = drawn.compute()
        assert (numbers.sum(axis=-1) == 5).all() and (numbers <= colours).all() and (numbers >= 0).all()
        assert len(np.unique(numbers[..., 0])) > 1
    assert da.random.default_rng(1).multivariate_hypergeometric(colours, 7).compute().tolist() == colours.tolist()


@pytest.mark.parametrize("axis", [0, -1, 3, (0, -1), (1, 2), (2, 0)])
def test_new_axes_are_where_numpy_has_them(axis):
    z = rng.standard_normal((2, 3, 4))
    np.testing.assert_array_equal(
        da.expand_dims(da.from_array(z, chunks=(1, 2, 3)), axis).compute(), np.expand_dims(z, axis)
    )


def test_random_methods_say_what_they_are():
    assert "numpy.random.Generator.exponential" in da.random.default_rng().exponential.__doc__


def test_arrays_print_the_names_by_which_dask_calls_them():
    x = da.ones((4, 4), chunks=2)
    named = da.from_array(np.ones(3), name="stack")
    for array, name in (
        (named, "stack"), (x - 1, "sub"), (2 * x, "mul"), (x / x, "truediv"), (x.astype(int) & 1, "and_"), (-x, "neg"),
        (abs(x), "abs"), (x == 1, "eq"), (np.add(x, x), "add"), (da.subtract(x, x), "subtract"),
        (x.mean(), "mean_agg-aggregate"), (x.sum(axis=0), "sum-aggregate"),
    ):  # fmt: skip
        assert repr(array).startswith(f"dask.array<{name}, shape={array.shape}"), repr(array)
    masked = da.ma.masked_greater(x, 0)
    assert repr(masked).endswith("chunktype=numpy.MaskedArray>")
