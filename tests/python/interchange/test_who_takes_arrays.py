"""What users of other libraries call with our arrays, on a CPU; docs/guides/other-libraries.md counts these. A library that
is not installed is skipped."""

import copy
import functools
import io
import itertools
import math
import os
import pickle
import statistics

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # read when scipy is imported

import kasoku as ks
import numpy as np
import pytest

X = np.random.default_rng(0).normal(size=(40, 3))
V = X[:, 0].copy()
LABELS = (X[:, 0] > 0).astype(np.int64)


def close(got, want, **rules):
    np.testing.assert_allclose(ks.asnumpy(got), want, **{"rtol": 1e-9, "atol": 1e-12, **rules})
    return True


def ours(x, want=None):
    assert type(x) is ks.Array, type(x)
    return want is None or close(x, want)


@pytest.fixture
def x():
    return ks.array(X)


@pytest.fixture
def v():
    return ks.array(V)


# ── Matplotlib ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def axes():
    plt = pytest.importorskip("matplotlib").use("Agg") or pytest.importorskip("matplotlib.pyplot")
    figure, axes = plt.subplots()
    yield axes
    figure.savefig(io.BytesIO())
    plt.close(figure)


def test_matplotlib_plot(axes, v):
    (line,) = axes.plot(v, v * 2)
    close(line.get_ydata(), V * 2)


def test_matplotlib_scatter(axes, v):
    close(axes.scatter(v, v, c=v, s=ks.abs(v)).get_offsets()[:, 1], V)


def test_matplotlib_imshow(axes, x):
    close(axes.imshow(x).get_array(), X)


def test_matplotlib_hist(axes, v):
    close(axes.hist(v, bins=7)[0], np.histogram(V, 7)[0])


def test_matplotlib_contourf(axes, x):
    of_ours = axes.contourf(ks.arange(3), ks.arange(40), x).get_paths()
    of_numpys = axes.contourf(np.arange(3), np.arange(40), X).get_paths()
    for path, expected in zip(of_ours, of_numpys, strict=True):
        close(path.vertices, expected.vertices)


def test_matplotlib_fill_between_and_errorbar(axes, v):
    at = ks.arange(40)
    of_ours = axes.fill_between(at, v - 1, v + 1, where=v > 0).get_paths()
    of_numpys = axes.fill_between(np.arange(40), V - 1, V + 1, where=V > 0).get_paths()
    for path, expected in zip(of_ours, of_numpys, strict=True):
        close(path.vertices, expected.vertices)
    (bars,) = axes.errorbar(at, v, yerr=ks.abs(v))[2]
    close(np.array(bars.get_segments())[:, :, 1], np.stack([V - np.abs(V), V + np.abs(V)], 1))


def test_matplotlib_bar(axes, v):
    assert len(axes.bar(ks.arange(40), v)) == 40


def test_matplotlib_boxplot(axes, x):
    assert len(axes.boxplot(x)["medians"]) == 3


# ── pandas ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def pd():
    return pytest.importorskip("pandas")


def test_pandas_series(pd, v):
    series = pd.Series(v)
    assert series.dtype == np.float64
    close(series.to_numpy(), V)


def test_pandas_frame_of_a_matrix(pd, x):
    close(pd.DataFrame(x, columns=list("abc"))["b"].to_numpy(), X[:, 1])


def test_pandas_frame_of_columns(pd, v):
    frame = pd.DataFrame({"a": v, "b": v * 2})
    assert frame["b"].dtype == np.float64
    close(frame["b"].to_numpy(), V * 2)


def test_pandas_a_new_column(pd, v):
    frame = pd.DataFrame({"a": V})
    frame["b"] = v * 2
    close(frame["b"].to_numpy(), V * 2)


def test_pandas_arithmetic_with_a_series(pd, v):
    close((pd.Series(V) + v).to_numpy(), V * 2)


def test_pandas_rows_by_a_mask(pd, v):
    assert len(pd.DataFrame({"a": V})[ks.asnumpy(v > 0)]) == (V > 0).sum()


@pytest.mark.xfail(reason="pandas takes NumPy's own arrays for masks, and lists", strict=True)
def test_pandas_rows_by_a_mask_of_ours(pd, v):
    assert len(pd.DataFrame({"a": V}).loc[v > 0]) == (V > 0).sum()


def test_pandas_cut(pd, v):
    assert pd.cut(v, 3).value_counts().sum() == 40


def test_pandas_a_column_to_us(pd):
    ours(ks.asarray(pd.Series(V)), V)
    ours(ks.asarray(pd.DataFrame(X)), X)


# ── Polars ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def pl():
    return pytest.importorskip("polars")


def test_polars_series(pl, v):
    assert pl.Series("a", v).dtype == pl.Float64
    close(pl.Series("a", v).to_numpy(), V)


def test_polars_frame_of_columns(pl, v):
    close(pl.DataFrame({"a": v, "b": v + 1})["b"].to_numpy(), V + 1)


def test_polars_frame_of_a_matrix(pl, x):
    close(pl.DataFrame(x).to_numpy(), X)


def test_polars_a_column_to_us(pl):
    ours(ks.asarray(pl.Series(V)), V)
    ours(ks.asarray(pl.concat([pl.Series(V), pl.Series(V)], rechunk=False)), np.concatenate([V, V]))


# ── pyarrow ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def pa():
    return pytest.importorskip("pyarrow")


def test_pyarrow_array(pa, v):
    assert pa.array(v).type == pa.float64()
    close(pa.array(v).to_numpy(), V)


def test_pyarrow_table(pa, v):
    table = pa.table({"a": v, "b": v > 0})
    close(table["a"].to_numpy(), V)
    assert table["b"].to_pylist() == (V > 0).tolist()


def test_pyarrow_array_to_us(pa):
    ours(ks.asarray(pa.array(V)), V)


def test_pyarrow_chunks_to_us(pa):
    ours(ks.asarray(pa.chunked_array([V[:3], V[3:]])), V)


# ── xarray ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def xr():
    return pytest.importorskip("xarray")


@pytest.fixture
def data(xr, x):
    made = xr.DataArray(x, dims=("t", "c"), coords={"t": np.arange(40), "c": list("abc")})
    ours(made.data)
    return made


def test_xarray_arithmetic(data):
    ours(((data * 2 + 1) / data).data, (X * 2 + 1) / X)


def test_xarray_mean_skips_nan(data):
    ours(data.where(data > 0).mean("t").data, np.nanmean(np.where(X > 0, X, np.nan), 0))


def test_xarray_reductions(data):
    for name in ("sum", "max", "min", "std", "var", "prod", "median"):
        close(getattr(data, name)("t").data, getattr(np, name)(X, 0))


def test_xarray_select(data):
    ours(data.sel(c="b").data, X[:, 1])
    ours(data.isel(t=slice(3, 9)).data, X[3:9])


def test_xarray_concat(xr, data):
    ours(xr.concat([data, data], "t").data, np.concatenate([X, X]))


def test_xarray_dot_and_transpose(xr, data):
    close(xr.dot(data, data, dim="t").data, (X * X).sum(0))
    ours(data.transpose("c", "t").data, X.T)


def test_xarray_cumsum_diff_shift(data):
    close(data.cumsum("t").data, X.cumsum(0))
    close(data.diff("t").data, np.diff(X, axis=0))
    close(data.fillna(0).data, X)


def test_xarray_groupby(data):
    close(data.groupby(data.t % 2).mean().data.sum(), X[::2].mean(0).sum() + X[1::2].mean(0).sum())


def test_xarray_quantile(data):
    close(data.quantile(0.25, "t").data, np.quantile(X, 0.25, 0))


def test_xarray_repr_and_equals(data):
    assert "<xarray.DataArray" in repr(data)
    assert data.identical(data.copy())


def test_xarray_rolling_windows(x):
    xr = pytest.importorskip("xarray")
    got = xr.DataArray(x, dims=("row", "column")).rolling(row=3).mean().data
    close(got[2:], (X[2:] + X[1:-1] + X[:-2]) / 3)


# ── SciPy ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def scipy(name):
    return pytest.importorskip(f"scipy.{name}")


def test_scipy_zscore(x):
    ours(scipy("stats").zscore(x), (X - X.mean(0)) / X.std(0))


def test_scipy_skew_and_kurtosis(v):
    stats = scipy("stats")
    close(stats.skew(v), stats.skew(V))
    close(stats.kurtosis(v), stats.kurtosis(V))


def test_scipy_ttest(x):
    stats = scipy("stats")
    close(stats.ttest_ind(x[:, 0], x[:, 1]).pvalue, stats.ttest_ind(X[:, 0], X[:, 1]).pvalue)


def test_scipy_special(v):
    special = scipy("special")
    close(special.expit(v), special.expit(V))
    close(special.logsumexp(v), special.logsumexp(V))


def test_scipy_fft(v):
    ours(scipy("fft").fft(v), np.fft.fft(V))


def test_scipy_linalg_solve():
    a = np.eye(3) + X[:3]
    close(scipy("linalg").solve(ks.array(a), ks.array(X[3:6])), np.linalg.solve(a, X[3:6]))


def test_scipy_trapezoid(v):
    integrate = scipy("integrate")
    close(integrate.trapezoid(v, dx=0.5), integrate.trapezoid(V, dx=0.5))


def test_scipy_minimize():
    # The objective computes with our arrays; its result is one number.
    found = scipy("optimize").minimize(lambda p: ks.sum((ks.asarray(p) - 3) ** 2), ks.zeros(2))
    close(found.x, [3, 3], rtol=1e-5)


def test_scipy_gaussian_filter(x):
    ndimage = scipy("ndimage")
    close(ndimage.gaussian_filter(x, 1.0), ndimage.gaussian_filter(X, 1.0))


def test_scipy_signal(v):
    signal = scipy("signal")
    close(signal.fftconvolve(v, v), signal.fftconvolve(V, V))
    close(signal.detrend(v), signal.detrend(V))


def test_scipy_cdist(x):
    distance = scipy("spatial.distance")
    close(distance.cdist(ks.asnumpy(x), x), distance.cdist(X, X))


def test_scipy_interpolate(v):
    close(scipy("interpolate").CubicSpline(ks.arange(40.0), v)(ks.array([2.0, 3.0])), V[2:4])


def test_scipy_sparse(x):
    sparse = scipy("sparse")
    close(sparse.csr_array(x) @ ks.ones(3), X.sum(1))


# ── scikit-learn ──────────────────────────────────────────────────────────────────────────────────────────────────────


def sklearn(name):
    return pytest.importorskip(f"sklearn.{name}")


@pytest.fixture
def dispatch():
    config = pytest.importorskip("sklearn")
    with config.config_context(array_api_dispatch=True):
        yield


def test_sklearn_scaler(x):
    close(sklearn("preprocessing").StandardScaler().fit_transform(x), (X - X.mean(0)) / X.std(0))


def test_sklearn_kmeans(x):
    kmeans = sklearn("cluster").KMeans(2, n_init=1, random_state=0)
    assert (kmeans.fit_predict(x) == kmeans.fit_predict(X)).all()


def test_sklearn_pca(x):
    decomposition = sklearn("decomposition")
    close(np.abs(decomposition.PCA(2).fit_transform(x)), np.abs(decomposition.PCA(2).fit_transform(X)))


def test_sklearn_regression(x, v):
    linear_model = sklearn("linear_model")
    close(linear_model.LinearRegression().fit(x, v).coef_, [1, 0, 0], atol=1e-9)


def test_sklearn_classifier(x):
    labels = ks.array(LABELS)
    assert sklearn("linear_model").LogisticRegression().fit(x, labels).score(x, labels) > 0.9
    assert sklearn("ensemble").RandomForestClassifier(5, random_state=0).fit(x, labels).score(x, labels) > 0.9


def test_sklearn_split(x):
    a, b = sklearn("model_selection").train_test_split(x, test_size=0.25, random_state=0)
    assert a.shape == (30, 3) and b.shape == (10, 3)


def test_sklearn_metrics(v):
    metrics = sklearn("metrics")
    close(metrics.r2_score(v, v * 1.1), metrics.r2_score(V, V * 1.1))
    assert metrics.accuracy_score(ks.array(LABELS), ks.array(LABELS)) == 1


def test_sklearn_dispatched_scaler(dispatch, x):
    ours(sklearn("preprocessing").StandardScaler().fit_transform(x), (X - X.mean(0)) / X.std(0))


def test_sklearn_dispatched_min_max(dispatch, x):
    ours(sklearn("preprocessing").MinMaxScaler().fit_transform(x), (X - X.min(0)) / (X.max(0) - X.min(0)))


def test_sklearn_dispatched_pca(dispatch, x):
    decomposition = sklearn("decomposition")
    got = decomposition.PCA(2, svd_solver="full").fit_transform(x)
    ours(got)
    close(ks.abs(got), np.abs(decomposition.PCA(2, svd_solver="full").fit_transform(X)))


def test_sklearn_dispatched_metrics(dispatch, v):
    metrics = sklearn("metrics")
    close(metrics.r2_score(v, v * 1.1), metrics.r2_score(V, V * 1.1))
    assert metrics.accuracy_score(ks.array(LABELS), ks.array(LABELS)) == 1


# ── einops ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def einops():
    return pytest.importorskip("einops")


def test_einops_rearrange(einops, x):
    ours(einops.rearrange(x, "(a b) c -> c a b", a=5), X.reshape(5, 8, 3).transpose(2, 0, 1))


def test_einops_reduce(einops, x):
    ours(einops.reduce(x, "(a b) c -> a c", "mean", a=5), X.reshape(5, 8, 3).mean(1))


def test_einops_einsum_and_repeat(einops, x):
    ours(einops.einsum(x, x, "i a, i b -> a b"), X.T @ X)
    ours(einops.repeat(x, "a b -> a (r b)", r=2), np.concatenate([X, X], 1))


# ── the array API's helpers ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def compat():
    return pytest.importorskip("array_api_compat")


@pytest.fixture
def extra():
    return pytest.importorskip("array_api_extra")


def test_array_api_compat_namespace(compat, x):
    assert compat.array_namespace(x) is ks
    assert compat.is_array_api_obj(x)


def test_array_api_compat_device(compat, x):
    close(compat.to_device(x, compat.device(x)), X)
    assert compat.size(x) == 120


def test_array_api_extra_at(extra, v):
    got = extra.at(v)[2].set(7.0, copy=True)
    ours(got)
    assert got[2] == 7 and v[2] == V[2]


def test_array_api_extra_cov(extra, x):
    close(extra.cov(x.T), np.cov(X.T))


def test_array_api_extra_shapes(extra, v):
    assert extra.atleast_nd(v, ndim=3).shape == (1, 1, 40)
    close(extra.kron(v, v), np.kron(V, V))


def test_array_api_extra_sets(extra):
    assert int(extra.nunique(ks.array([3, 1, 3]))) == 2
    close(extra.sinc(ks.array([0.0, 0.5])), np.sinc([0.0, 0.5]))


# ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_h5py(tmp_path, x):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = x
        file.create_dataset("y", data=x)
        file["y"][2:4] = x[:2]
        ours(ks.asarray(file["x"]), X)
        ours(ks.asarray(file["y"][2:4]), X[:2])


def test_zarr(tmp_path, x):
    zarr = pytest.importorskip("zarr")
    made = zarr.create_array(str(tmp_path / "a.zarr"), shape=(40, 3), dtype="f8")
    made[:] = x
    made[2:4] = x[:2]
    close(made[:4], X[[0, 1, 0, 1]])
    ours(ks.asarray(made), np.concatenate([X[[0, 1, 0, 1]], X[4:]]))


def test_zarr_array(x):
    close(pytest.importorskip("zarr").array(x)[:], X)


def test_scipy_wave_files_of_the_memory(v):
    wavfile = pytest.importorskip("scipy.io.wavfile")
    stream = io.BytesIO()
    wavfile.write(stream, 8000, v)
    close(wavfile.read(io.BytesIO(stream.getvalue()))[1], V)


def test_pillow_to_image(x):
    image = pytest.importorskip("PIL.Image")
    pixels = ks.array((X * 50 % 256).astype("uint8"))
    assert np.asarray(image.fromarray(pixels)).tolist() == ks.asnumpy(pixels).tolist()


def test_pillow_to_us():
    image = pytest.importorskip("PIL.Image").new("RGB", (4, 3), (1, 2, 3))
    assert ks.asarray(image).shape == (3, 4, 3)


def test_numexpr(v):
    close(pytest.importorskip("numexpr").evaluate("v * 2 + 1"), V * 2 + 1)


# ── NumPy ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_numpy_ufuncs(v):
    ours(np.sin(v), np.sin(V))
    ours(np.add(V, v), V * 2)
    ours(np.add.outer(v, v), np.add.outer(V, V))
    ours(np.maximum.accumulate(v), np.maximum.accumulate(V))


def test_numpy_ufuncs_into_out_and_where(v):
    host = np.zeros(40)
    assert np.multiply(v, 2, out=host) is host
    close(host, V * 2)
    result = ks.zeros(40)
    np.multiply(v, 2, out=result, where=v > 0)
    close(result, np.where(V > 0, V * 2, 0))
    host += v
    close(host, V * 3)


def test_numpy_sort_family(v):
    ours(np.sort(v), np.sort(V))
    ours(np.argsort(v), np.argsort(V))
    ours(np.unique(v), np.unique(V))
    ours(np.searchsorted(np.sort(v), v), np.searchsorted(np.sort(V), V))


def test_numpy_norm(x):
    close(np.linalg.norm(x), np.linalg.norm(X))
    close(np.linalg.norm(x, axis=0), np.linalg.norm(X, axis=0))


def test_numpy_save(tmp_path, x):
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "x.npz", x=x)
    np.savetxt(tmp_path / "x.txt", x)
    close(np.load(tmp_path / "x.npy"), X)
    close(np.load(tmp_path / "x.npz")["x"], X)
    close(np.loadtxt(tmp_path / "x.txt"), X)


def test_numpy_statistics(x, v):
    ours(np.nanmean(x, axis=0), X.mean(0))
    close(np.percentile(x, 30, axis=0), np.percentile(X, 30, axis=0))
    close(np.cov(x.T), np.cov(X.T))
    close(np.histogram(v, 5)[0], np.histogram(V, 5)[0])


def test_numpy_joins(x, v):
    ours(np.concatenate([x, x]), np.concatenate([X, X]))
    ours(np.vstack([v, v]), np.vstack([V, V]))
    ours(np.column_stack([v, V]), np.column_stack([V, V]))
    ours(np.where(v > 0, v, 0), np.where(V > 0, V, 0))


def test_numpy_products(x):
    ours(np.dot(x.T, x), X.T @ X)
    ours(np.einsum("ij,ik->jk", x, x), X.T @ X)
    ours(np.linalg.inv(x.T @ x), np.linalg.inv(X.T @ X))
    ours(np.fft.rfft(x, axis=0), np.fft.rfft(X, axis=0))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_numpys_matrices_and_masked_arrays_keep_their_arithmetic():
    numbers = np.arange(4.0).reshape(2, 2) + 1
    x, matrix = ks.array(numbers), np.matrix(numbers)
    masked = np.ma.array(numbers, mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(np.asarray(matrix * x), numbers @ numbers)
    np.testing.assert_array_equal(np.asarray(x * matrix), numbers @ numbers)
    np.testing.assert_array_equal(np.asarray(matrix + x), numbers + numbers)
    np.testing.assert_array_equal(np.asarray(x - matrix), numbers - numbers)
    for mine, numpys in [
        (x * masked, numbers * masked),
        (masked * x, masked * numbers),
        (x < masked, numbers < masked),
        (x**masked, numbers**masked),
        (masked - x, masked - numbers),
    ]:
        np.testing.assert_array_equal(np.ma.getmaskarray(mine), np.ma.getmaskarray(numpys))
        np.testing.assert_array_equal(np.ma.filled(mine, 0), np.ma.filled(numpys, 0))
    memory = np.arange(3.0).view(np.recarray)
    np.testing.assert_array_equal((x[0, 0] + memory).numpy(), 1 + np.arange(3.0))


def test_numpy_questions(x):
    assert np.shape(x) == (40, 3) and np.ndim(x) == 2 and np.size(x) == 120
    assert np.result_type(x, np.float32) == np.float64
    assert np.may_share_memory(x, x) and not np.shares_memory(x, ks.zeros(3))
    assert np.array_equal(x, X) and np.allclose(x, X) and np.isscalar(x) is False
    assert np.can_cast(x.dtype, np.float64) and np.iscomplexobj(x) is False


def test_numpy_testing(x):
    np.testing.assert_allclose(x, X)
    np.testing.assert_array_equal(x, x)
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(x, x + 1)


def test_numpy_copyto_and_stores(x):
    host = np.empty((40, 3))
    np.copyto(host, x)
    host[3:] = x[3:]
    host[0] = x[1]
    close(host[0], X[1])
    close(X[ks.asnumpy(x[:, 0] > 0)], X[x[:, 0] > 0])


def test_numpy_rarer_functions(v):
    ours(np.interp(v, ks.arange(3.0), ks.arange(3.0)), np.interp(V, np.arange(3.0), np.arange(3.0)))
    ours(np.gradient(v), np.gradient(V))
    ours(np.pad(v, 2), np.pad(V, 2))
    close(np.polyfit(ks.arange(40.0), v, 1), np.polyfit(np.arange(40.0), V, 1))
    ours(np.apply_along_axis(np.sum, 0, v), V.sum())


# ── Python ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_python_iteration(x, v):
    assert [float(e) for e in v] == V.tolist()
    assert [row.shape for row in x] == [(3,)] * 40
    a, b, c = ks.arange(3)
    assert (int(a), int(b), int(c)) == (0, 1, 2)
    assert [int(i) for i, _ in zip(ks.arange(3), itertools.count())] == [0, 1, 2]


def test_python_len_and_in(x, v):
    assert len(x) == 40 and V[3] in v and 1e9 not in v


def test_python_bool(v):
    assert ks.array(1.0) and not ks.array([0])
    with pytest.raises(ValueError, match="ambiguous"):
        bool(v)


def test_python_numbers(v):
    assert int(ks.array(3.7)) == 3 and float(v[0]) == V[0] and complex(v[0]) == V[0]
    assert math.sqrt(ks.array(4.0)) == 2 and math.floor(ks.array(2.5)) == 2 and math.ceil(ks.array(2.5)) == 3
    assert math.trunc(ks.array(2.5)) == 2


def test_python_index():
    assert [10, 11, 12][ks.array(1)] == 11 and list(range(ks.array(3))) == [0, 1, 2] and hex(ks.array(255)) == "0xff"
    assert "ab" * ks.array(2) == "abab"


def test_python_format(v):
    assert f"{ks.array(1.5):.2f}" == "1.50" and f"{v[0]:8.3e}" == f"{V[0]:8.3e}" and "%.3f" % v[0] == "%.3f" % V[0]
    assert "{:d}".format(ks.array(3)) == "3"


def test_python_round_and_abs(v):
    ours(round(v, 2), np.round(V, 2))
    ours(abs(v), abs(V))
    ours(-v, -V)
    ours(+v, V)


def test_python_divmod(v):
    for got, want in zip(divmod(v, 0.3), divmod(V, 0.3)):
        ours(got, want)
    for got, want in zip(divmod(3, ks.array([2, -2])), divmod(3, np.array([2, -2]))):
        ours(got, want)


def test_python_operators(x, v):
    ours(x.T @ x, X.T @ X)
    ours(V @ x, V @ X)
    ours(2**v, 2**V)
    x @= ks.eye(3) * 2
    ours(x, X * 2)


def test_python_buffer(v):
    assert memoryview(v).format == "d" and memoryview(v).shape == (40,)
    assert bytes(v) == V.tobytes() and bytearray(v) == V.tobytes()


def test_python_copy(x):
    for twin in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), copy.deepcopy({"a": [x]})["a"][0]):
        twin[0] = 0
        close(twin[1:], X[1:])
    close(x, X)


def test_python_hash(v):
    with pytest.raises(TypeError, match="unhashable"):
        hash(v)


def test_python_reversed_and_sorted(v):
    assert [float(e) for e in reversed(v)] == V[::-1].tolist()
    assert [float(e) for e in sorted(v)] == sorted(V.tolist())


def test_python_sum_max_min(x, v):
    assert math.isclose(sum(v), sum(V)) and max(v) == max(V) and min(v) == min(V)
    ours(sum(x), sum(X))
    ours(functools.reduce(lambda a, b: a * b, x[:3]), X[0] * X[1] * X[2])
    assert any(v > 0) and not all(v > 0)


def test_python_statistics(v):
    assert math.isclose(statistics.fmean(v), V.mean()) and math.isclose(math.fsum(v), math.fsum(V))
    assert math.isclose(math.dist(v, v * 2), math.dist(V, V * 2))


def test_a_file_of_arrays_that_is_closed_says_so():
    file = io.BytesIO()
    ks.savez(file, x=ks.ones(2))
    file.seek(0)
    with ks.load(file) as arrays:
        assert arrays["x"].sum() == 2
    with pytest.raises(ValueError, match="closed"):
        arrays["x"]
