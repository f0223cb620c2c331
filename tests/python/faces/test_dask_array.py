"""Dask's arrays in chunks under their own names: each law is NumPy's result."""

import functools
import importlib.util
import pickle
import subprocess
import sys

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from kasoku.compat import dask
from kasoku.compat.dask import array as da

import kasoku as ks

rng = np.random.default_rng(1)
a, b = rng.standard_normal((60, 40)), rng.standard_normal((60, 40))
x, y = da.from_array(a, chunks=(20, 25)), da.from_array(b, chunks=(30, 20))
an = np.where(a > 1, np.nan, a)
xn = da.from_array(an, chunks=(20, 25))
v = rng.standard_normal(50)
w = da.from_array(v, chunks=13)


def _sum3(p, q):
    return np.roll(p, 1) + p + np.roll(p, -1) + q


def _out(function, *args, out, **words):
    assert function(*args, out=out, **words) is out
    return out


def _whole(x, axis, keepdims):
    return x


def setm(x, i, val):
    x = x.copy()
    x[i] = val
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


@pytest.mark.parametrize(
    "wrong, error, says",
    [
        (lambda: x + da.ones(7, chunks=7), ValueError, "broadcast"),
        (lambda: x[100], IndexError, "out of bounds"),
        (lambda: x[1, 2, 3], IndexError, "Too many indices"),
        (lambda: x.reshape(7, 7), ValueError, "cannot reshape"),
        (lambda: x @ y, ValueError, "do not match"),
        (lambda: da.from_array(a, chunks=(7, 7, 7)), ValueError, "same length/dimension"),
        (lambda: da.from_array(a, chunks=((1, 2), (40,))), ValueError, "do not add up"),
        (lambda: da.concatenate([x, w]), ValueError, "different shapes"),
        (lambda: da.stack([x, x[1:]]), ValueError, "same shape"),
        (lambda: x[x > 0][3:5], ValueError, "compute_chunk_sizes"),
        (lambda: bool(x > 0), ValueError, "ambiguous"),
        (lambda: x[:0].max().compute(), ValueError, "zero-size"),
        (lambda: x.sum(axis=5), ValueError, "axis 5"),
        (lambda: da.fft.fft(x), ValueError, r"2 chunks.*\n  fix  x.rechunk\(\{1: -1\}\)"),
        (lambda: da.apply_gufunc(np.sum, "(i)->()", x), ValueError, "allow_rechunk=True"),
        (lambda: da.apply_gufunc(np.sum, "i->()", x), ValueError, "Not a valid gufunc signature"),
        (lambda: da.apply_gufunc(np.sum, "(i)->(k)", w.rechunk(-1)), ValueError, "fix  output_sizes="),
        (lambda: da.apply_gufunc(np.dot, "(i),(i)->()", w.rechunk(-1), x.rechunk(-1)), ValueError, "different lengths"),
        (lambda: da.gradient(w[:2], edge_order=2), ValueError, "too small to calculate a numerical gradient"),
        (lambda: da.gradient(x, 1.0, 2.0, 3.0), TypeError, "Spacing"),
        (lambda: da.select([w], [w]), ValueError, "should be boolean"),
        (lambda: setm(x, 60, 1.0), IndexError, "Index 60 is out of bounds for axis 0 with size 60"),
        (lambda: setm(x, [0, -61], 1.0), IndexError, "out of bounds for axis 0"),
        (lambda: setm(x, np.ones(59, bool), 1.0), IndexError, "Boolean array with size 59 is not long enough"),
        (lambda: setm(x, (0, 0, 0), 1.0), IndexError, "Too many indices"),
        (lambda: setm(x, (None, 0), 1.0), IndexError, "no new axes"),
        (lambda: setm(x, ([0], [0]), 1.0), NotImplementedError, "along one axis"),
        (
            lambda: setm(x, slice(3), b[:2]),
            ValueError,
            r"could not broadcast input array from shape \(2, 40\) into shape \(3, 40\)",
        ),
        (lambda: x.map_blocks(np.sum, drop_axis=2), ValueError, "drop_axis out of range"),
        (lambda: da.tile(x, -1), ValueError, "Negative"),
        (lambda: da.meshgrid(w, indexing="ji"), ValueError, "indexing"),
        (lambda: da.cumsum(x, axis=0, method="other"), ValueError, "Invalid method"),
        (lambda: da.diff(w, n=-1), ValueError, "non-negative"),
        (lambda: da.roll(x, (1, 2)), TypeError, "Integral"),
        (
            lambda: da.nanargmin(da.from_array(np.array([[np.nan, 1]] * 3), chunks=2), axis=0).compute(),
            ValueError,
            "All-NaN slice",
        ),
        (lambda: setm(x, np.ones((60, 39), bool), 1.0), IndexError, "does not match"),
        (lambda: da.ma.masked_array(x, fill_value=w), ValueError, "non-scalar fill_value"),
        (lambda: da.ma.masked_array(x, mask=w), np.ma.MaskError, "mask shape is"),
        (lambda: da.ma.masked_where(x[0] > 0, x), IndexError, "Inconsistent shape"),
        (lambda: da.ma.masked_equal(x, w), ValueError, "doesn't support array"),
        (lambda: da.ma.where(x > 0, x), ValueError, "either both or neither"),
        (lambda: x.map_blocks(lambda block: block + "a"), ValueError, "specify the dtype explicitly"),
        (lambda: x.rechunk({2: 1}), np.exceptions.AxisError, "out of bounds"),
        (lambda: x[x[:, 0] > 0].rechunk((5, 5)), ValueError, "compute_chunk_sizes"),
        (lambda: da.from_array(np.array([None]), chunks="auto"), NotImplementedError, "object dtype"),
        (lambda: da.ones(3, chunks=None), ValueError, "chunks="),
        (lambda: da.ones(0, chunks=((),)), ValueError, "Empty tuples"),
        (lambda: da.ones((4, 4), chunks=("8B", "16B")), ValueError, "Only one consistent value"),
        (lambda: da.hstack(x), NotImplementedError, "expects a sequence of arrays"),
        (lambda: da.fft.fftn(x.rechunk(-1), axes=(0, 0)), ValueError, "Duplicate axes"),
        (
            lambda: da.map_overlap(abs, w, depth=51, boundary="none"),
            ValueError,
            "overlapping depth 51 is larger than your array 50",
        ),
        (lambda: da.hstack([x[x[:, 0] > 0]] * 2), ValueError, "allow_unknown_chunksizes"),
        (lambda: da.histogram(x, bins=3, range=(0, 1), normed=True), ValueError, "normed"),
        (lambda: da.histogramdd(w, bins=3, range=((0, 1),)), ValueError, "columnar"),
        (lambda: x[1.5], IndexError, "integer-like"),
        (lambda: x[[True, False]], IndexError, "Boolean array with size 2 is not long enough for axis with size 60"),
        (lambda: x.argmin(axis=(0, 1)), TypeError, "axis must be either `None` or int"),
        (lambda: x[x > 100].min().compute(), ValueError, "zero-size array"),
        (lambda: x.sum(axis=0, out=np.zeros(40)), NotImplementedError, "expected Dask Array"),
        (lambda: x.sum(axis=0, out=da.zeros(41)), ValueError, "Mismatched shapes"),
        (lambda: x["a"], KeyError, "no fields"),
        (lambda: x[x[:40, 0] > 0], IndexError, "not long enough"),
        (lambda: x[x > 0].argmax(), ValueError, "unknown chunksizes"),
        (lambda: len(x[x > 0]), ValueError, "unknown chunk size"),
        (lambda: x[x[:, 0] > 0][:3], ValueError, "chunk sizes are unknown"),
        (lambda: x.transpose([0]), ValueError, "axes don't match"),
        (lambda: x.view("i2").view("V3"), ValueError, "divisor"),
        (lambda: da.concatenate([x, y], axis=2), np.exceptions.AxisError, "out of bounds"),
        (lambda: da.block([x, (y, y)]), TypeError, "tuple"),
        (lambda: da.overlap.sliding_window_view(w, 51), ValueError, "cannot be larger"),
        (lambda: da.random.choice(10, 4, replace=False, chunks=2), NotImplementedError, "multi-chunk"),
        (lambda: da.store(a, a), ValueError, "dask array objects|different number|Different number"),
        (lambda: da.push(x, 1, 0), AttributeError, "kasoku does not have dask.array.push"),
        (lambda: x.to_tiledb("file"), AttributeError, "kasoku does not have dask.array.Array.to_tiledb"),
    ],
)
def test_bad_input(wrong, error, says):
    with pytest.raises(error, match=says):
        wrong()


am, bm = np.ma.masked_greater(a, 1), np.ma.masked_where(np.arange(40) % 3 == 0 * a, b)
xm, ym = da.ma.masked_greater(x, 1), da.from_array(bm, chunks=(30, 20))
masked = dict(
    **{f"{name}{axis}": (lambda name=name, axis=axis: (getattr(da, name)(xm, axis), getattr(np, name)(am, axis)))
       for name in "sum prod mean var std min max any all argmin argmax".split() for axis in (None, 0, 1)},
    add=lambda: (xm * 2 + y, am * 2 + b),
    both=lambda: (xm + ym, am + bm),
    cumsum=lambda: (da.cumsum(xm, 0), np.cumsum(am, 0)),
    cumprod=lambda: (da.cumprod(xm, 1), np.cumprod(am, 1)),
    concatenate=lambda: (da.concatenate([x, xm]), np.ma.concatenate([a, am])),
    T=lambda: (xm.T[3:, ::2], am.T[3:, ::2]),
    take=lambda: (xm[[3, 1, 59]], am[[3, 1, 59]]),
    dot=lambda: (da.dot(xm.T, ym), np.ma.dot(am.T, bm)),
    where=lambda: (da.ma.where(x > 0, xm, y), np.ma.where(a > 0, am, b)),
    equal=lambda: (da.ma.masked_equal(x, a[0, 0]), np.ma.masked_equal(a, a[0, 0])),
    less=lambda: (da.ma.masked_less(x, w[0]), np.ma.masked_less(a, v[0])),
    invalid=lambda: (da.ma.masked_invalid(xn), np.ma.masked_invalid(an)),
    masked_array=lambda: (da.ma.masked_array(x, mask=x > 1, fill_value=7), np.ma.masked_array(a, mask=a > 1, fill_value=7)),
    filled=lambda: (da.ma.filled(xm, -1), am.filled(-1)),
    getmaskarray=lambda: (da.ma.getmaskarray(xm), np.ma.getmaskarray(am)),
    count=lambda: (da.ma.count(ym, 0), np.ma.count(bm, 0)),
    average=lambda: (da.ma.average(ym, axis=0, weights=x), np.ma.average(bm, axis=0, weights=a)),
    ones_like=lambda: (da.ma.ones_like(xm), np.ma.ones_like(am)),
    set_one=lambda: (setm(x, 0, np.ma.masked), setm(np.ma.array(a), 0, np.ma.masked)),
    set_mask=lambda: (setm(x, x > 1, np.ma.masked), am),
    nothing=lambda: (setm(xm, slice(20), np.ma.masked)[:20].sum(), np.ma.masked_all((20, 40)).sum()),
)  # fmt: skip


@pytest.mark.parametrize("name", masked)
def test_masked_arrays_are_numpy_s(name):
    got, want = masked[name]()
    assert (
        got.dtype == want.dtype
        and isinstance(got._meta, np.ma.MaskedArray) == isinstance(want, np.ma.MaskedArray)
        or np.ndim(want) == 0
    )
    computed = got.compute()
    assert type(computed) is type(want)
    np.testing.assert_array_equal(np.ma.getmaskarray(computed), np.ma.getmaskarray(want))
    np.testing.assert_allclose(np.ma.filled(computed, 0.5), np.ma.filled(want, 0.5), rtol=1e-9, atol=1e-12)


class Marked(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of another package: what is computed of it is one, too."""

    def __init__(self, array):
        self.array = array

    shape, ndim, dtype = (
        property(lambda self, name=name: getattr(self.array, name)) for name in ("shape", "ndim", "dtype")
    )

    def __getitem__(self, index):
        return Marked(self.array[index])

    def astype(self, dtype):
        return Marked(self.array.astype(dtype))

    def reshape(self, *shape):
        return Marked(self.array.reshape(*shape))

    def __array_ufunc__(self, ufunc, method, *args, **words):
        return Marked(getattr(ufunc, method)(*(x.array if isinstance(x, Marked) else x for x in args), **words))

    def __array_function__(self, function, types, args, words):
        args = [
            [x.array for x in arg] if isinstance(arg, list) else arg.array if isinstance(arg, Marked) else arg
            for arg in args
        ]
        return Marked(function(*args, **words))


def test_arrays_of_another_package_stay_what_they_are():
    marked = da.from_array(Marked(a), chunks=(20, 25))
    assert isinstance(marked._meta, Marked) and "Marked" in repr(marked)
    for got, want in ((marked + 1, a + 1), (marked.sum(axis=0), a.sum(axis=0)), (marked.T[:5], a.T[:5])):
        assert isinstance(got._meta, Marked)
        np.testing.assert_allclose(got.compute().array, want)
    assert type(da.from_array(Marked(a), asarray=False).compute()) is Marked
    assert type(x + Marked(a)) is Marked  # which takes Dask's arrays in, until somebody says that they take it
    da.register_chunk_type(Marked)
    np.testing.assert_allclose((x + Marked(a)).compute().array, 2 * a)


def test_chunks_that_nobody_says_are_of_the_size_that_is_wanted():
    assert da.ones((1000, 1000), chunks="80kB").chunks == ((100,) * 10,) * 2
    assert da.ones((10, 10**6), chunks="8MB").chunks == ((10,), (100_000,) * 10)
    before = da.ones((100, 100), chunks=(10, 20))
    assert before.rechunk({0: "auto"}, block_size_limit=8 * 20 * 30).chunks == ((30, 30, 30, 10), (20,) * 5)
    assert before.rechunk("auto", block_size_limit=8 * 50).chunksize == (5, 10)
    assert da.ones(220, chunks=100).rechunk(100, balance=True).chunks == ((110, 110),)
    with pytest.warns(UserWarning, match="balancing not possible"):
        assert da.ones(9, chunks=3).rechunk((8,), balance=True).shape == (9,)
    rows = da.ones((8, 8), chunks=4)
    rows = rows[rows[:, 0] > 0].rechunk({1: 3})
    assert rows.chunks[1] == (3, 3, 2) and rows.compute().shape == (8, 8)


def test_numpy_s_functions_that_are_not_there_are_told_of():
    with pytest.warns(FutureWarning, match="numpy.linalg.det"):
        assert np.linalg.det(da.eye(3)) == 1
    assert isinstance(np.linalg.norm(x), da.Array) and isinstance(np.fft.fft(w.rechunk(-1)), da.Array)


def test_modules_where_dask_keeps_functions():
    from kasoku.compat.dask.array.reductions import reduction
    from kasoku.compat.dask.array.routines import histogram

    assert reduction is da.reduction and histogram is da.histogram


def test_data_frames_are_refused_by_name():
    text = "import dask.dataframe as dd"
    ran = subprocess.run(
        [sys.executable, "-m", "kasoku", "run", "-c", text], capture_output=True, text=True, timeout=100
    )
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-2:] == [
        "ImportError: kasoku has no dask.dataframe: data frames stay with Dask and pandas",
        "  fix  `kasoku run --real dask …` uses the installed dask for the whole program",
    ]


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


def test_blockwise_calls_a_function_of_chunks_by_the_names_of_their_axes():
    a, b, v = np.arange(12.0).reshape(3, 4), np.arange(20.0).reshape(4, 5), np.arange(4.0)
    x, y, w = da.from_array(a, chunks=(2, 2)), da.from_array(b, chunks=(3, 2)), da.from_array(v, chunks=1)
    outer = da.blockwise(np.multiply.outer, "ij", w, "i", w, "j", dtype=float)
    np.testing.assert_array_equal(outer.compute(), np.multiply.outer(v, v))
    turned = da.blockwise(np.transpose, "ji", x, "ij")
    assert turned.chunks == ((2, 2), (2, 1)) and turned.dtype == float
    np.testing.assert_array_equal(turned.compute(), a.T)
    np.testing.assert_array_equal(
        da.blockwise(np.add, "ij", x, "ij", w, "j").compute(), a + v
    )  # chunks are made to fit
    product = da.blockwise(np.dot, "ik", x, "ij", y, "jk", concatenate=True, dtype=float)
    np.testing.assert_array_equal(product.compute(), a @ b)
    sums = da.blockwise(lambda parts: sum(p.sum(axis=1) for p in parts), "i", x, "ij", dtype=float)
    np.testing.assert_array_equal(sums.compute(), a.sum(axis=1))
    twice = da.blockwise(lambda p, n, k: np.repeat(p, n) + k, "i", w, "i", 2, None, k=dask.delayed(10), adjust_chunks={"i": lambda n: 2 * n}, dtype=float)  # fmt: skip
    assert twice.chunks == ((2,) * 4,)
    np.testing.assert_array_equal(twice.compute(), np.repeat(v, 2) + 10)
    new = da.blockwise(lambda p: p[:, None] * np.ones(3), "iz", w, "i", new_axes={"z": 3}, dtype=float)
    assert new.shape == (4, 3) and new.compute().sum() == 3 * v.sum()
    with pytest.raises(ValueError, match="lengths"):
        da.blockwise(np.add, "i", w, "i", da.ones(3, chunks=1), "i")
    with pytest.raises(ValueError, match="no array has the axis 'z'"):
        da.blockwise(np.add, "iz", w, "i", 1, None, dtype=float)
    with pytest.raises(ValueError, match="explicitly using the `dtype` kwarg"):
        da.blockwise(lambda p: 1 / 0, "i", w, "i")


def test_arrays_are_compared_by_values_shapes_and_dtypes():
    assert da.utils.assert_eq(xn, an) and da.utils.assert_eq(x.sum(), a.sum())
    for other in (a + 1, a[:5], a.astype("f4")):
        with pytest.raises(AssertionError, match="differ"):
            da.utils.assert_eq(x, other)
    with pytest.raises(AssertionError, match="values"):
        da.utils.assert_eq(da.ones(2, dtype=int), np.array([1, 2]))


def test_a_folder_of_chunks_is_read_by_dask_and_by_us(tmp_path):
    da.to_npy_stack(tmp_path / "stack", x, axis=1)
    assert sorted(file.name for file in (tmp_path / "stack").iterdir()) == ["0.npy", "1.npy", "info"]
    assert (da.from_npy_stack(tmp_path / "stack").compute() == a).all()
    real = pytest.importorskip("dask.array")
    assert (real.from_npy_stack(str(tmp_path / "stack")).compute() == a).all()


def test_pictures_are_read_when_they_are_needed(tmp_path):
    for k in range(3):
        np.save(tmp_path / f"{k}.npy", a + k)
    pictures = da.image.imread(str(tmp_path / "*.npy"), imread=np.load, preprocess=lambda picture: picture[:5])
    assert pictures.shape == (3, 5, 40) and pictures.chunks[0] == (1, 1, 1)
    assert (pictures.compute() == np.stack([a[:5], a[:5] + 1, a[:5] + 2])).all()
    with pytest.raises(ValueError, match="No files found"):
        da.image.imread(str(tmp_path / "*.png"), imread=np.load)


def test_chunks_that_are_auto_fill_short_axes_first():
    assert da.ones((2, 1 << 26)).chunks == ((2,), (1 << 23,) * 8)
    assert da.ones((10, 10)).numblocks == (1, 1) and da.ones((100_000, 100_000)).chunksize == (4096, 4096)
    assert da.ones((50_000, 3, 50_000), chunks=("auto", -1, "auto")).chunksize == (2364, 3, 2364)


def test_a_numba_gufunc_of_an_array_in_chunks_is_computed_chunk_by_chunk():
    from kasoku.compat import numba

    @numba.guvectorize([(numba.float64[:], numba.float64[:])], "(n)->(n)")
    def running(x, out):
        total = 0.0
        for i in range(len(x)):
            total += x[i]
            out[i] = total

    got = running(x.rechunk((20, -1)))
    assert isinstance(got, da.Array) and got.numblocks == (3, 1)
    np.testing.assert_allclose(got.compute(), np.cumsum(a, axis=1))


@pytest.mark.parametrize("rows, columns", [(60, 40), (60, 5), (7, 5), (40, 60), (0, 3)])
@pytest.mark.parametrize("dtype", [float, complex])
def test_tall_matrices_are_factored_chunk_by_chunk(rows, columns, dtype):
    tall = rng.standard_normal((rows, columns)).astype(dtype)
    if dtype is complex:
        tall = tall + 1j * rng.standard_normal((rows, columns))
    for chunks in ((20, -1), (3, -1), (-1, -1), (20, 2)):
        q, r = da.linalg.qr(da.from_array(tall, chunks=chunks))
        k = min(rows, columns)
        assert q.shape == (rows, k) and r.shape == (k, columns) and q.dtype == r.dtype == tall.dtype
        q, r = dask.compute(q, r)
        np.testing.assert_allclose(q @ r, tall, atol=1e-12)
        np.testing.assert_allclose(q.conj().T @ q, np.eye(k), atol=1e-12)
        np.testing.assert_allclose(r, np.triu(r))
        if rows:
            u, s, v = dask.compute(*da.linalg.svd(da.from_array(tall, chunks=chunks)))
            np.testing.assert_allclose((u * s) @ v, tall, atol=1e-12)
            np.testing.assert_allclose(s, np.linalg.svd(tall)[1])
            np.testing.assert_allclose(u.conj().T @ u, np.eye(k), atol=1e-12)
            assert s.dtype == float and (v.sum(axis=1).real >= 0).all()


@pytest.mark.parametrize("rows, columns", [(60, 40), (60, 5), (7, 5), (40, 60)])
@pytest.mark.parametrize("right", [(), (3,)])
@pytest.mark.parametrize("rank", [1, 2, None])
def test_least_squares(rows, columns, right, rank):
    a, b = rng.standard_normal((rows, columns)), rng.standard_normal((rows, *right))
    if rank:  # of many solutions, the shortest
        a = a[:, :rank] @ rng.standard_normal((rank, columns))
    want = np.linalg.lstsq(a, b)
    x, residuals, found, s = da.linalg.lstsq(da.from_array(a, chunks=(20, 7)), da.from_array(b, chunks=(20, *right)))
    assert (x.shape, s.shape) == (want[0].shape, want[3].shape)
    np.testing.assert_allclose(x.compute(), want[0], atol=1e-10)
    np.testing.assert_allclose(
        residuals.compute(), ((b - a @ want[0]) ** 2).sum(axis=0, keepdims=not right), atol=1e-10
    )
    assert found.compute() == want[2]
    np.testing.assert_allclose(s.compute(), want[3], atol=1e-10)


# ── elementwise functions as ufuncs ───────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["add", "maximum", "less", "multiply"])
def test_outer_products_of_ufuncs(name):
    of_numpy, ours = getattr(np, name), getattr(da, name)
    want = of_numpy.outer(a[:4], v)
    for got in (ours.outer(x[:4], w), of_numpy.outer(x[:4], w), ours.outer(a[:4], w)):
        assert isinstance(got, da.Array) and got.dtype == want.dtype
        np.testing.assert_array_equal(got.compute(), want)
    assert ours.outer(da.from_array(np.float64(2.0)), w).shape == (50,)
    assert (ours.nin, ours.nout, ours.types) == (of_numpy.nin, of_numpy.nout, of_numpy.types)
    with pytest.raises(ValueError):
        da.sin.outer(x, x)


@pytest.mark.parametrize("chunks", [(20, 25), (7, 40)])
def test_where_and_out_of_ufuncs(chunks):
    mask = a > 0
    out = da.from_array(b.copy(), chunks=chunks)
    assert da.sqrt(x, where=da.from_array(mask, chunks=9), out=out) is out
    want = b.copy()
    np.testing.assert_array_equal(out.compute(), np.sqrt(a, where=mask, out=want))
    np.testing.assert_array_equal(da.add(x, 1, where=mask).compute()[mask], (a + 1)[mask])
    np.testing.assert_array_equal(da.add(x, 1, where=False, out=da.from_array(b, chunks=chunks)).compute(), b)
    out = da.zeros((60, 40), chunks=chunks)
    assert np.floor(x, out=out) is out
    np.testing.assert_array_equal(out.compute(), np.floor(a))
    with pytest.raises(ValueError, match="Mismatched shapes"):
        da.sin(x, out=da.zeros(3))
    with pytest.raises(NotImplementedError):
        da.sin(x, out=np.zeros((60, 40)))


def test_ufuncs_of_what_is_there_compute_at_once():
    for got, want in ((da.sin(a), np.sin(a)), (da.add(2, 3), 5), (da.exp([0, 1]), np.exp([0, 1]))):
        assert not isinstance(got, da.Array)
        np.testing.assert_array_equal(got, want)


def test_several_results_by_numpys_functions():
    for got, want in zip(
        (*np.modf(x), *np.frexp(x), *np.divmod(x, 0.3)), (*np.modf(a), *np.frexp(a), *np.divmod(a, 0.3))
    ):
        assert isinstance(got, da.Array) and got.dtype == want.dtype
        np.testing.assert_array_equal(got.compute(), want)


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "full"])
@pytest.mark.parametrize("cast", [tuple, list, np.asarray])
def test_names_shapes_and_chunks_of_filled_arrays(name, cast):
    value = (5,) if name == "full" else ()
    made = getattr(da, name)(cast((10, 6)), *value, chunks=cast((4, 3)), name="my-name", dtype="i4")
    assert (made.name, made.chunks, made.dtype, made.compute().shape) == ("my-name", ((4, 4, 2), (3, 3)), "i4", (10, 6))
    like = getattr(da, name + "_like")
    assert like(made, *value, name="his", chunks=cast((5, 6))).chunks == ((5, 5), (6,))
    unknown = w[w > 0]
    got = like(unknown, *value, name="his")
    assert got.name == "his" and got.compute().shape == unknown.compute().shape
    if name != "empty":
        assert (got.compute() == (5 if value else float(name == "ones"))).all()


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "i4"])
def test_factors_have_numpys_dtype(dtype):
    tall = (a[:, :3] * 5).astype(dtype)
    chunked = da.from_array(tall, chunks=(20, 3))
    for got, want in zip((*da.linalg.qr(chunked), *da.linalg.svd(chunked), *da.linalg.tsqr(chunked, compute_svd=True), da.linalg.inv(chunked[:3])),
                         (*np.linalg.qr(tall), *2 * np.linalg.svd(tall), np.linalg.inv(tall[:3]))):  # fmt: skip
        assert got.dtype == want.dtype == got.compute().dtype


@pytest.mark.parametrize("chunks", [(20, 25), (7, 3), (60, 40), (1, 1)])
@pytest.mark.parametrize("function", [np.mean, np.max])
def test_coarse_arrays_are_of_neighbours_across_chunks(chunks, function):
    got = da.coarsen(function, da.from_array(a, chunks=chunks), {0: 12, 1: 8})
    want = function(a.reshape(5, 12, 5, 8), axis=(1, 3))
    assert got.shape == want.shape
    np.testing.assert_allclose(got.compute(), want)
    trimmed = da.coarsen(function, da.from_array(a, chunks=chunks), {0: 13}, trim_excess=True)
    np.testing.assert_allclose(trimmed.compute(), function(a[:52].reshape(4, 13, 40), axis=1))
    with pytest.raises(ValueError, match="do not align"):
        da.coarsen(function, x, {0: 13})


def test_the_size_of_chunks_is_a_setting():
    with dask.config.set({"array.chunk-size": "1MiB"}):
        assert da.ones((1000, 1000)).chunks == ((362, 362, 276), (362, 362, 276))
    with dask.config.set({"array.chunk-size": 8000}):
        assert da.ones(2500).chunks == ((1000, 1000, 500),)
    assert da.ones((1000, 1000)).chunks == ((1000,), (1000,))


def test_arrays_are_stored_chunk_by_chunk():
    target, other = np.zeros((60, 40)), np.zeros((200, 90))
    pieces = []

    class Watched:
        shape, dtype = target.shape, target.dtype

        def __setitem__(self, place, values):
            pieces.append(np.shape(values))
            target[place] = values

    waits = da.store(x, Watched(), compute=False)
    assert not pieces and not target.any()
    waits.compute()
    assert sorted(pieces) == sorted([(20, 25), (20, 15)] * 3) and (target == a).all()
    region = (slice(10, 70), slice(5, 85, 2))
    assert da.store([x, x + 1], [other, target], regions=[region, (slice(None),)]) is None
    assert (other[region] == a).all() and np.count_nonzero(other) == np.count_nonzero(a) and (target == a + 1).all()
    plane = np.zeros((3, 50))
    da.store(w, plane, regions=(1, slice(None)), lock=False)
    assert (plane[1] == v).all() and not plane[[0, 2]].any()
    one = np.zeros(())
    da.store(x.sum(), one)
    assert one == pytest.approx(a.sum())
    back = da.store(x, target, return_stored=True)
    assert isinstance(back, da.Array) and back.chunks == x.chunks and (back.compute() == a).all()
    with pytest.raises(ValueError, match="Different number"):
        da.store([x, y], [target])
    with pytest.raises(ZeroDivisionError):
        da.store(x.map_blocks(lambda block: 1 // 0, dtype=float), target)


def test_arrays_go_into_zarr_and_come_back(tmp_path):
    zarr = pytest.importorskip("zarr")
    place = str(tmp_path / "x.zarr")
    x.to_zarr(place)
    back = da.from_zarr(place)
    assert back.chunks == x.chunks and (back.compute() == a).all()
    assert da.from_zarr(place, chunks=(60, -1)).numblocks == (1, 1)
    da.to_zarr(x.rechunk(((7, 53), (40,))), str(tmp_path / "group.zarr"), component="one/two")
    assert (da.from_zarr(str(tmp_path / "group.zarr"), component="one/two").compute() == a).all()
    opened = zarr.open_array(place, mode="r+")
    da.to_zarr(da.zeros((20, 40), chunks=(20, 25)), opened, region=(slice(0, 20), slice(None)))
    assert not opened[:20].any() and (opened[20:] == a[20:]).all()
    waits = da.to_zarr(y, place, overwrite=True, compute=False)
    waits.compute()
    assert (da.from_zarr(zarr.open_array(place)).compute() == b).all()


def test_arrays_go_into_hdf5_and_come_back(tmp_path):
    h5py = pytest.importorskip("h5py")
    file = str(tmp_path / "x.h5")
    da.to_hdf5(file, "/one", x, compression="gzip")
    da.to_hdf5(file, {"/deep/two": y, "/three": w.sum()}, chunks=None)
    x[:5].to_hdf5(file, "/part", chunks=(1, 40))
    with h5py.File(file) as opened:
        assert opened["/one"].chunks == (20, 25) and (opened["/one"][:] == a).all()
        assert opened["/deep/two"].chunks is None and (opened["/deep/two"][:] == b).all()
        assert opened["/three"][()] == pytest.approx(v.sum()) and opened["/part"].chunks == (1, 40)
        assert (da.from_array(opened["/one"], chunks=(30, 40), lock=True) * 2).sum().compute() == pytest.approx(
            2 * a.sum()
        )
    with pytest.raises(ValueError, match="dictionary"):
        da.to_hdf5(file, x)


@pytest.mark.parametrize("vectorize", [False, True])
def test_a_gufunc_s_own_arguments_by_name(vectorize):
    def power_mean(values, power=1, *, scale=1.0):
        return scale * (abs(values) ** power).mean(axis=-1) ** (1 / power)

    for options in ({}, {"power": 2}, {"power": 2, "scale": 3.0}):
        got = da.apply_gufunc(power_mean, "(i)->()", x, allow_rechunk=True, vectorize=vectorize, **options)
        np.testing.assert_allclose(got.compute(), power_mean(a, **options))


def test_an_array_of_chunks_is_of_the_values_that_numpy_s_had():
    source = np.arange(10.0)
    arrays = [da.from_array(source, chunks=c) for c in (3, -1)] + [da.asarray(source)]
    source[:] = -1
    for array in arrays:
        assert array.compute().tolist() == list(range(10))


def test_a_lock_is_held_while_a_chunk_is_read_or_written():
    class Lock:
        taken = given = 0

        def acquire(self):
            self.taken += 1

        def release(self):
            self.given += 1

    class File:
        shape, dtype, ndim = (6,), np.dtype("f8"), 1

        def __getitem__(self, index):
            assert lock.taken == lock.given + 1
            return np.arange(6.0)[index]

    lock = Lock()
    assert da.from_array(File(), chunks=2, lock=lock, name="file").sum().compute(scheduler="sync") == 15
    assert lock.taken == lock.given == 3
    target = np.zeros(6)
    da.store(da.arange(6, chunks=3), target, lock=lock, scheduler="sync")
    assert lock.taken == lock.given == 5 and target.tolist() == list(range(6))


def test_what_store_gives():
    targets = np.zeros((60, 40)), np.zeros((60, 40))
    assert da.store([x, y], targets) is None and (targets[0] == a).all() and (targets[1] == b).all()
    later = np.zeros((60, 40))
    one = x.store(later, compute=False)
    assert isinstance(one, da.Array) and not later.any()
    assert one.compute().size == 0 and (later == a).all()
    two = da.store([x, x], [np.zeros((60, 40)), np.zeros((60, 40))], compute=False, return_stored=True)
    assert isinstance(two, tuple) and all((t == a).all() for t in dask.compute(*two))  # equal targets are two
    kept = np.zeros((60, 40))
    assert (da.store(x, dask.delayed(kept), return_stored=True).compute() == a).all() and (kept == a).all()
    wide = np.zeros((62, 80))
    da.store(x, wide, regions=(slice(1, 61), slice(0, 80, 2)))
    assert (wide[1:61, ::2] == a).all() and wide.sum() == pytest.approx(a.sum())
    rows = np.zeros((4, 50))
    da.store([w, w + 1], [rows, rows], regions=[(2,), (0, slice(None))])
    assert (rows[2] == v).all() and (rows[0] == v + 1).all() and not rows[1].any()


def test_lengths_that_are_not_known_are_numpys_nan():
    assert x[x[:, 0] > 0].chunks == ((np.nan,) * 3, (25, 15)) and w[w > 0].chunks == ((np.nan,) * 4,)
    assert da.nonzero(w)[0].chunks == ((np.nan,),)


def test_an_axis_that_chunks_alone_name_is_in_front():
    got = x.map_blocks(lambda q: q[None], chunks=((1,), *x.chunks))
    assert got.chunks == ((1,), *x.chunks) and (got.compute() == a[None]).all()


def test_draws_around_several_values_of_an_argument():
    rng = da.random.default_rng(np.random.PCG64(3))
    means = da.from_array(np.array([0.0, 1000.0, -500.0]), chunks=2)
    assert np.round(rng.normal(means, 0.1, chunks=2).compute(), -1).tolist() == [0, 1000, -500]
    assert np.round(rng.normal(means, 0.1, size=(4, 3), chunks=(3, 2)).compute(), -1).tolist() == [[0, 1000, -500]] * 4
    drawn = rng.multinomial(20, [0.2, 0.3, 0.5], size=(5,), chunks=2)
    assert drawn.shape == (5, 3) and drawn.chunks == ((2, 2, 1), (3,)) and (drawn.sum(axis=1).compute() == 20).all()
    assert sorted(da.random.RandomState(1).choice(6, 6, replace=False).compute().tolist()) == list(range(6))


def test_an_array_s_page_shows_its_size_and_chunks():
    page = x._repr_html_()
    assert page.startswith("<table>") and "(60, 40)" in page and "(20, 25)" in page and "18.75 kiB" in page
    assert ("<svg" in page) == (__import__("importlib").util.find_spec("dask") is not None)


def factors(n):
    """Shapes of n elements."""

    def grown(parts):
        return st.permutations(parts).map(lambda order: tuple(order))

    primes, k = [], 2
    while n > 1:
        while n % k == 0:
            primes.append(k)
            n //= k
        k += 1

    @st.composite
    def shape(draw):
        order, made = draw(grown(primes)), [1]
        for p in order:
            if draw(st.booleans()):
                made.append(1)
            made[-1] *= p
        return tuple(made)

    return shape()


@hypothesis.given(st.data())
def test_reshape_is_numpy_s_in_any_chunks(data):
    n = data.draw(st.sampled_from([1, 24, 60, 64, 210]))
    old, new = data.draw(factors(n)), data.draw(factors(n))
    chunks = tuple(data.draw(st.integers(1, k)) for k in old)
    numpys, merges = np.arange(n).reshape(old), data.draw(st.booleans())
    got = da.from_array(numpys, chunks=chunks).reshape(new, merge_chunks=merges)
    assert got.shape == new
    np.testing.assert_array_equal(got.compute(), numpys.reshape(new))


def test_chunks_that_are_reshaped_do_not_grow():
    assert da.ones((2, 3, 4), chunks=(1, 1, 2)).reshape(24).chunks == ((2,) * 12,)
    small = da.ones((9, 90), chunks=3).ravel()  # a row is as many as fit, not cut where the small chunks were
    assert small.chunks == ((9,) * 90,)
    assert da.ones((100, 100), chunks=(10, 100)).reshape(-1).chunks == ((1000,) * 10,)
    assert da.ones((100, 100), chunks=50).reshape(-1).chunksize == (2500,)
    assert da.ones(24, chunks=8).reshape(6, 4).chunks == ((2, 2, 2), (4,))
    assert da.ones((6, 4), chunks=(2, 2)).reshape(2, 3, 4).chunks[2] == (2, 2)
    assert da.ones((2, 3, 4), chunks=2).reshape((6, 4), merge_chunks=False).chunks == ((2, 1, 2, 1), (2, 2))
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        x[x > 0].reshape(2, 3)


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


def test_shuffle_keeps_groups_together():
    groups = [[1, 5, 6], [0, 3], [4, 2, 7], list(range(8, 60))]
    got = x.shuffle(groups, axis=0)
    order = [i for group in groups for i in group]
    np.testing.assert_array_equal(got.compute(), a[order])
    ends = np.cumsum(got.chunks[0])
    assert {3 + 2 + 3, 60} <= set(ends.tolist()) and max(got.chunks[1]) < 25
    assert da.ones(6, chunks=3).shuffle([[0, 1, 2], [3, 4, 5]], axis=0).numblocks == (2,)
    for wrong, error in (("s", ValueError), ([1], ValueError), ([[60]], IndexError)):
        with pytest.raises(error):
            x.shuffle(wrong, axis=0)


def test_functions_of_chunks_that_differ_are_different_arrays():
    f = functools.partial(np.sum, axis=0)
    one, other = x.map_blocks(f, drop_axis=0, dtype=float), x.map_blocks(f, drop_axis=0, dtype="f4")
    assert one.name != other.name != x.map_blocks(f, dtype="f4", enforce_ndim=True, drop_axis=0).name
    with pytest.raises(ValueError, match="Dimension mismatch"):
        x.map_blocks(lambda block: block[0], dtype=float, enforce_ndim=True).compute()
    assert w.map_blocks(lambda block: np.array(5), chunks=((1,) * 4,), dtype=int).compute().tolist() == [5] * 4


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


def test_what_would_be_overlooked_is_refused():
    order = da.random.default_rng(3)
    assert (order.permutation(50).compute() != order.permutation(50).compute()).any()
    for wrong, error, says in (
        (lambda: da.arange(3, chunkz=2), TypeError, "chunkz"),
        (lambda: da.arange(), TypeError, "requires stop"),
        (lambda: da.random.standard_cauchy(size=3, dtype="f4"), TypeError, "dtype"),
        (lambda: da.random.choice(np.ones((2, 2)), 3), ValueError, "one axis"),
        (lambda: da.indices((1,), chunks=()), ValueError, "same number of chunks"),
        (lambda: da.overlap.overlap(w, 13, "reflect", allow_rechunk=False), ValueError, "smallest chunk size 11"),
        (lambda: da.apply_gufunc(np.sum, "(i)->()", x.rechunk(-1), axes=0), ValueError, "list"),
    ):
        with pytest.raises(error, match=says):
            wrong()


def test_values_that_lie_in_lists_and_records():
    np.testing.assert_array_equal((w[:2] * [w[0], 2]).compute(), v[:2] * [v[0], 2])
    records = np.array([(1, 1.0, 3), (2, 2.0, 4)], dtype=[("a", "i4"), ("b", "f4"), ("c", "i1")])
    got = da.from_array(records, chunks=1)[["c", "a"]]
    assert got.dtype == got.compute().dtype == records[["c", "a"]].dtype
    marked = setm(w, da.from_array((v > 0).astype(float), chunks=13), 1)
    np.testing.assert_array_equal(marked.compute(), np.where(v > 0, 1, v))
    with pytest.raises(ValueError, match="mask chooses elements in a row"):
        setm(x, x > 1, x)


@pytest.mark.skipif(importlib.util.find_spec("dask") is None, reason="the plan is the installed Dask's")
def test_rows_become_columns_by_way_of_chunks_in_between():
    tall = da.ones((1000, 8_000_000), chunks=(1, 8_000_000)).rechunk((1000, 8000))
    assert tall.chunks == ((1000,), (8000,) * 1000) and len(tall.dask) < 20_000
    numpys = np.arange(400.0 * 400).reshape(400, 400)
    columns = da.from_array(numpys, chunks=(1, 400)).rechunk((400, 1))
    np.testing.assert_array_equal(columns.compute(), numpys)


def _anything(*args):
    return args


def test_tasks_of_a_grid_are_those_that_python_would_make():
    from kasoku.compat.dask._task_spec import List, Task, TaskRef
    from kasoku.compat.dask.array._array import At, Each, made

    p, q = da.ones((4, 6), chunks=(2, 3)), da.ones((1, 6), chunks=(1, 3))
    both, shapes = [[0, 1]], Each([["a", "b"], ["c", "d"]])
    turned, flat = At(p, [0, 1], [[1, 0], [[1, 0], [0]]]), At(p, [-1, -1], [both, both], is_flat=True)
    found = made("z", p.chunks, float, (_anything, p, q, 7, Each([10, 20], 0), shapes, turned, At(p, [0, -1]), flat))

    def ref(array, *place):
        return TaskRef((array.name, *place))

    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        columns = [1, 0] if j == 0 else [0]
        want = Task(
            (found.name, i, j), _anything, ref(p, i, j), ref(q, 0, j), 7, (10, 20)[i], ("ab"[i], "cd"[j]),
            List(*(ref(p, 1 - i, k) for k in columns)), ref(p, i, 0), List(*(ref(p, m, n) for m in (0, 1) for n in (0, 1))),
        )  # fmt: skip
        task = found.dask[found.name, i, j]
        assert task == want and task.dependencies == want.dependencies and task.key == want.key
        assert [getattr(part, "dependencies", None) for part in task.args] == [
            getattr(part, "dependencies", None) for part in want.args
        ]
        assert task.substitute({}, key="other").key == "other" and repr(task) == repr(want)
    assert set(found.dask.layers) == {found.name, p.name, q.name}


@pytest.mark.parametrize("subscripts", ["ij,kj->ik", "...ij,jk", "ii->i", "ij,ij", "aij->ja"])
def test_einsum_has_the_axes_that_numpys_has(subscripts):
    of_axes = {
        "ii->i": (np.eye(5),),
        "aij->ja": (np.ones((2, 300, 4)),),
        "...ij,jk": (np.ones((3, 1, 4, 5)), np.ones((5, 4))),
    }
    arrays = of_axes.get(subscripts, (np.ones((400, 500)), np.ones((400, 500))))
    found = da.einsum(
        subscripts, *(da.from_array(one, chunks=3) if one.size < 100 else da.from_array(one) for one in arrays)
    )
    want = np.einsum(subscripts, *arrays)
    assert found.shape == want.shape and found.dtype == want.dtype and np.allclose(found.compute(), want)


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


def test_lu_exchanges_rows_for_the_greatest_element():
    for values in (
        rng.random((7, 7)),
        np.zeros((3, 3)),
        np.eye(4)[[2, 0, 3, 1]],
        rng.random((5, 5)) + 1j,
        np.arange(9).reshape(3, 3),
    ):
        p, lower, upper = (part.compute() for part in da.linalg.lu(da.from_array(values, chunks=2)))
        np.testing.assert_allclose(p @ lower @ upper, values, atol=1e-14)
        most = 2**0.5 if values.dtype.kind == "c" else 1  # as LAPACK: the greatest |real| + |imaginary|
        assert (abs(lower) <= most + 1e-12).all() and (np.triu(lower, 1) == 0).all() and (np.tril(upper, -1) == 0).all()


def test_percentiles_of_texts_are_the_nearest():
    texts = np.array(["a", "a", "d", "d", "d", "e"])
    found = da.percentile(da.from_array(texts, chunks=3), [0, 50, 100])
    assert found.dtype == texts.dtype
    assert found.compute().tolist() == np.percentile(texts, [0, 50, 100], method="nearest").tolist()


def test_a_program_s_ufunc_is_called_as_numpy_s():
    numbers = np.arange(6).reshape(2, 3)
    theirs, ours_ = np.frompyfunc(max, 2, 1), da.frompyfunc(max, 2, 1)
    assert (ours_.nin, ours_.nout, ours_.ntypes, ours_.__name__) == (theirs.nin, theirs.nout, theirs.ntypes, "max")
    copied = pickle.loads(pickle.dumps(ours_))
    for numbers_ in (numbers, da.from_array(numbers, chunks=2)):
        for got, want in (
            (ours_(numbers_, 3), theirs(numbers, 3)),
            (copied(2, numbers_), theirs(2, numbers)),
            (ours_.outer(numbers_, numbers_[0]), theirs.outer(numbers, numbers[0])),
            (da.add.outer(numbers_, numbers_), np.add.outer(numbers, numbers)),
        ):
            assert isinstance(got, type(numbers_)) and got.dtype == want.dtype
            assert np.asarray(got).tolist() == want.tolist()


def test_balls_of_several_colours_are_drawn_without_replacement():
    colours = np.array([3, 0, 4])
    for method in ("marginals", "count"):
        drawn = da.random.default_rng(1).multivariate_hypergeometric(colours, 5, size=(40, 2), method=method, chunks=10)
        assert drawn.shape == (40, 2, 3) and drawn.numblocks[0] == 4
        numbers = drawn.compute()
        assert (numbers.sum(axis=-1) == 5).all() and (numbers <= colours).all() and (numbers >= 0).all()
        assert len(np.unique(numbers[..., 0])) > 1
    assert da.random.default_rng(1).multivariate_hypergeometric(colours, 7).compute().tolist() == colours.tolist()


def test_chunks_of_more_axes_than_there_are_say_nothing():
    one = da.ones(8, chunks=2)
    assert one.rechunk((None, 8)).chunks == one.chunks and one.rechunk((4, 8)).chunks == ((4, 4),)
    with pytest.raises(ValueError, match="same length/dimension"):
        da.ones((4, 6), chunks=2).rechunk((2,))


def test_what_dask_refuses_at_once_is_refused_at_once():
    whole = da.ones((3, 3), dtype=int, chunks=2)
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        with pytest.raises(ValueError, match=f"cannot convert float {word} to integer"):
            whole[:, 1] = value
    with pytest.raises(TypeError, match="v must be a dask array"):
        da.diag(1)
    for name in ("min", "nanmin", "max", "nanmax"):
        with pytest.raises(ValueError) as numpys:
            getattr(np, name)(np.zeros(0))
        with pytest.raises(ValueError) as ours:
            getattr(da, name)(da.zeros(0))
        assert str(ours.value) == str(numpys.value)


def test_arrays_like_others_are_named_so():
    assert [f(whole).name.partition("-")[0] for whole in [da.arange(4)] for f in (da.ones_like, da.zeros_like)] == [
        "ones_like", "zeros_like"]  # fmt: skip


@pytest.mark.parametrize("axis", [0, -1, 3, (0, -1), (1, 2), (2, 0)])
def test_new_axes_are_where_numpy_has_them(axis):
    z = rng.standard_normal((2, 3, 4))
    np.testing.assert_array_equal(
        da.expand_dims(da.from_array(z, chunks=(1, 2, 3)), axis).compute(), np.expand_dims(z, axis)
    )


def test_random_methods_say_what_they_are():
    assert "numpy.random.Generator.exponential" in da.random.default_rng().exponential.__doc__


@pytest.mark.parametrize("call", [
    lambda **words: da.ones((2, 2), **words), lambda **words: da.full((2, 2), 1, **words),
    lambda **words: da.zeros_like(x, **words), lambda **words: da.tri(3, **words), lambda **words: da.matmul(x.T, y, **words),
    lambda **words: da.gradient(x, **words), lambda **words: da.broadcast_arrays(x, y, **words),
    lambda **words: da.linalg.solve(x.T @ x, x.T @ y, **words), lambda **words: da.linalg.tsqr(x, **words),
])  # fmt: skip
def test_a_misspelled_option_is_an_error_as_it_is_to_dask(call):
    with pytest.raises(TypeError, match="unexpected keyword argument 'chunk'"):
        call(chunk=2)


def test_options_that_dask_takes_of_numpys_are_taken():
    made = [da.ones(3, order="F", meta=None), da.full(3, 1.0, like=None), da.ones_like(da.zeros(3), order="F")]
    assert all((one.compute() == 1).all() for one in made)
