"""DLPack, Arrow, buffers and pickles: what goes from one library to another, and what is said where it cannot go."""

import ctypes
import gc
import pickle
import types

import hypothesis
import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import kasoku as ks
import numpy as np
import pytest

DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
]
shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5)
on_gpu = pytest.mark.skipif(not ks.has_device("cuda"), reason="needs an NVIDIA GPU")
everywhere = pytest.mark.usefixtures("on_device")


def numbers(shape, dtype):
    return (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3).astype(dtype)


def name(capsule):
    get = ctypes.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get(capsule).decode()


def producer(x, **more):
    """An object that has DLPack alone."""
    return types.SimpleNamespace(
        __dlpack__=lambda **asked: x.__dlpack__(**{**asked, **more}), __dlpack_device__=x.__dlpack_device__
    )


# ── DLPack ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64", "complex128"])
@pytest.mark.parametrize("layout", ["rows", "columns", "backwards", "every second", "pending", "shown"])
def test_dlpack_keeps_values_and_memory(dtype, layout, layouts):
    want = numbers((3, 4), dtype)
    x = layouts[layout](want)
    for y in (ks.from_dlpack(x), np.from_dlpack(x), ks.from_dlpack(x.__dlpack__())):
        np.testing.assert_array_equal(ks.asnumpy(y), want)
        assert y.dtype == want.dtype
    x[1, 2] = 1
    y[1, 1] = 0
    assert ks.asnumpy(y)[1, 2] == 1 and ks.asnumpy(x)[1, 1] == 0


@everywhere
def test_dlpack_has_bfloat16_and_no_axes(device):
    x = ks.array([1.5, 2.5]).astype("bfloat16")
    assert ks.from_dlpack(x).dtype == "bfloat16" and ks.from_dlpack(x).astype("float32").tolist() == [1.5, 2.5]
    assert ks.from_dlpack(ks.array(3.0)).shape == () and ks.from_dlpack(ks.zeros((0, 3))).shape == (0, 3)


@everywhere
def test_a_capsule_is_versioned_if_the_consumer_knows_versions(device):
    x = ks.arange(3)
    assert name(x.__dlpack__()) == name(x.__dlpack__(max_version=(0, 8))) == "dltensor"
    assert name(x.__dlpack__(max_version=(1, 0))) == name(x.__dlpack__(max_version=(2, 3))) == "dltensor_versioned"


def test_read_only_memory_is_shown_where_a_flag_says_so():
    host = np.arange(3.0)
    host.flags.writeable = False
    x = ks.asarray(host)
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()
    assert not np.from_dlpack(x).flags.writeable
    y = ks.from_dlpack(x)
    with pytest.raises(ValueError, match="read-only"):
        y[0] = 1
    assert np.from_dlpack(producer(x, copy=True)).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        ks.from_dlpack(host)[0] = 1


@everywhere
def test_copies_are_made_when_asked_for(device):
    x = ks.arange(3)
    y = ks.from_dlpack(x, copy=True)
    y[0] = 7
    assert x.tolist() == [0, 1, 2] and y.tolist() == [7, 1, 2]
    z = ks.from_dlpack(producer(x, copy=True))
    z[0] = 7
    assert x.tolist() == [0, 1, 2]
    assert ks.from_dlpack(x, device="cpu").device.kind == "cpu"
    if device != "cpu":
        with pytest.raises(ValueError, match="only in a copy"):
            ks.from_dlpack(x, device="cpu", copy=False)
        with pytest.raises(BufferError, match="only in a copy"):
            x.__dlpack__(dl_device=(1, 0), copy=False)
        assert np.from_dlpack(x, device="cpu").tolist() == [0, 1, 2]


def test_what_dlpack_cannot_say_is_refused():
    x = ks.arange(3)
    with pytest.raises(BufferError, match="host alone"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(ValueError, match="no streams"):
        x.__dlpack__(stream=3)
    with pytest.raises(BufferError, match="whole numbers"):
        _odd().__dlpack__()
    with pytest.raises(TypeError, match="no __dlpack__"):
        ks.from_dlpack([1, 2])
    with pytest.raises(TypeError, match="no capsule"):
        ks.from_dlpack(types.SimpleNamespace(__dlpack__=lambda **asked: 3, __dlpack_device__=lambda: (1, 0)))


def _odd():
    """Floats six bytes apart."""
    host = np.zeros(4, np.dtype([("a", "f4"), ("b", "i2")]))
    return ks.asarray(host["a"])


@everywhere
@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_capsule_is_used_once(version, device):
    capsule = ks.arange(4).__dlpack__(max_version=version)
    y = ks.from_dlpack(capsule)
    with pytest.raises(ValueError, match="not consumed multiple times"):
        ks.from_dlpack(capsule)
    del capsule
    gc.collect()
    assert y.tolist() == [0, 1, 2, 3]  # and the program goes on


def test_memory_lives_as_long_as_a_consumer_has_it():
    host = np.ones(10)
    held = ks.from_dlpack(host)
    import sys

    count = sys.getrefcount(host)
    del held
    gc.collect()
    assert sys.getrefcount(host) < count
    capsules = [ks.ones(1000).__dlpack__(max_version=(1, 0)) for _ in range(100)]  # nobody uses them
    shown = np.from_dlpack(ks.full(5, 3.0))
    del capsules
    gc.collect()
    assert shown.tolist() == [3.0] * 5


@on_gpu
def test_the_interface_of_cuda_shows_shape_and_strides():
    x = ks.arange(6, device="cuda").reshape(2, 3).T
    face = x.__cuda_array_interface__
    assert (face["shape"], face["strides"], face["typestr"], face["version"]) == ((3, 2), (8, 24), "<i8", 3)
    assert face["data"] == (x.ptr, False)


@on_gpu
def test_functions_of_several_arrays_run_where_another_librarys_lies():
    x = ks.arange(6.0, device="cuda")
    shown = types.SimpleNamespace(__cuda_array_interface__=x.__cuda_array_interface__)
    at = ks.searchsorted(shown, [1.5, 4.0])
    assert at.device == x.device and at.tolist() == [2, 4]


def test_interfaces_are_there_where_the_memory_is():
    x = ks.arange(6).reshape(2, 3)
    assert not hasattr(x, "__cuda_array_interface__")
    face = x.__array_interface__
    assert face["shape"] == (2, 3) and face["data"] == (x.ptr, False)


# ── buffers ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_buffer_is_the_memory_itself():
    x = ks.arange(6.0).reshape(2, 3)
    shown = memoryview(x)
    assert (shown.format, shown.shape, shown.strides, shown.readonly) == ("d", (2, 3), (24, 8), False)
    np.asarray(x)[1, 1] = 9
    assert x[1, 1] == 9 and shown[1, 1] == 9
    x += 1
    assert shown[1, 1] == 10
    assert bytes(x.T) == x.numpy().T.tobytes()
    with pytest.raises(BufferError, match="bfloat16|dtype"):
        memoryview(x.astype("bfloat16"))


def test_numpys_protocol_copies_when_asked_or_when_it_must():
    x = ks.arange(3.0)
    assert np.shares_memory(x.__array__(), x.__array__(copy=False)) and not np.shares_memory(
        x.__array__(copy=True), x.__array__()
    )
    assert x.__array__(np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="only in a copy"):
        x.__array__(np.float32, copy=False)
    with pytest.raises(ValueError, match="without a copy"):
        x.astype("bfloat16").__array__(copy=False)


@everywhere
@pytest.mark.parametrize("dtype", DTYPES)
def test_pickles_go_with_their_bytes_out_of_band(dtype, device):
    x = ks.array(numbers((40, 50), dtype))
    buffers = []
    text = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(text) < 1000 and sum(len(b.raw()) for b in buffers) == x.nbytes
    y = pickle.loads(text, buffers=buffers)
    assert y.dtype == x.dtype and y.device == x.device and (y == x).all()
    y[0, 0] = 1  # its own
    for protocol in range(2, 6):
        assert (pickle.loads(pickle.dumps(x.T, protocol)) == x.T).all()


# ── Arrow ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def pa():
    return pytest.importorskip("pyarrow")


@pytest.mark.parametrize("dtype", DTYPES)
@hypothesis.given(shape=shapes, data=st.data())
def test_columns_go_to_arrow_and_come_back(dtype, shape, data):
    pa = pytest.importorskip("pyarrow")
    want = numbers(shape, dtype)
    x = ks.array(want)
    column = pa.array(x)
    if want.ndim == 2:  # a table
        assert [list(row.values()) for row in column.to_pylist()] == want.tolist()
        assert [c.name for c in column.type] == [f"column_{i}" for i in range(shape[1])] and column.null_count == 0
        if shape[1]:
            y = ks.asarray(column)
            assert y.dtype == x.dtype and y.shape == x.shape and y.tolist() == want.tolist()
        return
    assert column.to_pylist() == want.tolist() and column.null_count == 0
    y = ks.asarray(column)
    assert y.dtype == x.dtype and y.shape == x.shape and y.tolist() == want.tolist()
    cut = data.draw(st.integers(0, shape[0]))
    assert ks.asarray(column[cut:]).tolist() == want[cut:].tolist()
    chunks = pa.chunked_array([column[:cut], column[cut:]])
    assert ks.asarray(chunks).tolist() == want.tolist()
    assert pa.chunked_array(x).to_pylist() == want.tolist()


def test_columns_are_the_memory_itself(pa):
    x = ks.arange(5.0)
    column = pa.array(x)
    x[2] = 9
    assert column[2].as_py() == 9 and column.buffers()[1].address == x.ptr
    y = ks.asarray(column)
    assert y.ptr == x.ptr
    with pytest.raises(ValueError, match="read-only"):
        y[0] = 1
    assert ks.array(column).ptr != x.ptr
    del x, column
    gc.collect()
    assert y.tolist() == [0, 1, 9, 3, 4]


def test_a_matrix_is_a_table_of_its_columns(pa):
    x = ks.asarray(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    table = pa.table(x)
    assert table.column_names == ["column_0", "column_1", "column_2"] and table["column_1"].to_pylist() == [1, 4]
    assert table["column_1"].chunk(0).buffers()[1].address == x.ptr + 16  # columns lie one after the other: no copy
    assert pa.record_batch(x > 2)["column_0"].to_pylist() == [False, True]
    batch = pa.record_batch({"a": [1, 2], "b": [3, 4]})
    assert ks.asarray(batch).tolist() == [[1, 3], [2, 4]]
    del x, table
    gc.collect()
    with pytest.raises(TypeError, match="no column of Arrow"):
        ks.from_arrow(pa.record_batch({"a": [1, 2], "b": [3.0, 4]}))


def test_nulls_are_a_mask_or_a_sentence(pa):
    column = pa.array([1, None, 3, None])
    with pytest.raises(ValueError, match="2 nulls"):
        ks.asarray(column)
    with pytest.raises(ValueError, match="1 null,"):
        ks.from_arrow(column[:2])
    values, is_null = ks.from_arrow(column, mask=True)
    assert is_null.tolist() == [False, True, False, True] and ks.where(is_null, 0, values).tolist() == [1, 0, 3, 0]
    values, is_null = ks.from_arrow(column[1:2], mask=True)
    assert is_null.tolist() == [True]
    assert ks.asarray(column[2:3]).tolist() == [3]  # none in this part
    values, is_null = ks.from_arrow(pa.chunked_array([[True, None], [False]]), mask=True)
    assert is_null.tolist() == [False, True, False] and values[0] and not values[2]
    assert ks.from_arrow(pa.array([1.5]), mask=True)[1].tolist() == [False]
    with pytest.raises(ValueError, match="whole lists"):
        ks.asarray(pa.array([[1, 2], None], pa.list_(pa.int32(), 2)))


def test_columns_of_no_numbers_are_refused(pa):
    for column in (
        pa.array(["a"]),
        pa.array(["a", "a"]).dictionary_encode(),
        pa.array([[1], [2, 3]]),
        pa.array([None]),
    ):
        with pytest.raises(TypeError, match="no kasoku array can hold"):
            ks.asarray(column)
    with pytest.raises(TypeError, match="no column of Arrow"):
        ks.from_arrow([1, 2])
    with pytest.raises(TypeError, match="Arrow has no type"):
        pa.array(ks.array([1j]))
    with pytest.raises(ValueError, match="no axes"):
        ks.array(1.0).__arrow_c_array__()
    with pytest.raises(TypeError, match="no kasoku array can hold"):
        ks.asarray(np.array([object()]))


@on_gpu
def test_arrow_shows_no_memory_of_a_gpu():
    with pytest.raises(TypeError, match="memory of the host"):
        ks.ones(3, device="cuda").__arrow_c_array__()


def test_a_capsule_of_arrow_is_used_once(pa):
    schema, array = pa.array([1, 2]).__arrow_c_array__()
    once = types.SimpleNamespace
    holder = type("Holder", (once,), {"__arrow_c_array__": lambda self: (schema, array)})()
    assert ks.asarray(holder).tolist() == [1, 2]
    with pytest.raises(ValueError, match="used before"):
        ks.asarray(holder)


def test_columns_of_pandas():
    pd = pytest.importorskip("pandas")
    assert ks.asarray(pd.Series([1.0, np.nan])).tolist()[0] == 1 and np.isnan(ks.asarray(pd.Series([1.0, np.nan]))[1])
    assert ks.asarray(pd.DataFrame({"a": [1, 2], "b": [3, 4]})).tolist() == [[1, 3], [2, 4]]
    nullable = pd.Series([1, None, 3], dtype="Int64")
    if hasattr(nullable, "__arrow_c_stream__"):
        pytest.importorskip("pyarrow")
        with pytest.raises(ValueError, match="1 null,"):
            ks.asarray(nullable)
        values, is_null = ks.from_arrow(nullable, mask=True)
        assert values.dtype == np.int64 and is_null.tolist() == [False, True, False]


def test_columns_of_polars():
    pl = pytest.importorskip("polars")
    assert ks.asarray(pl.Series([1, 2])).tolist() == [1, 2]
    assert (ks.array([1, 2]) + pl.Series([1, 2])).tolist() == [2, 4]
    with pytest.raises(ValueError, match="1 null,"):
        ks.asarray(pl.Series([1, None]))
    assert ks.from_arrow(pl.Series([1, None]), mask=True)[1].tolist() == [False, True]
    assert pl.Series(ks.arange(3) > 1).to_list() == [False, False, True]
    assert ks.asarray(pl.DataFrame({"a": [1, 2], "b": [3, 4]})).tolist() == [[1, 3], [2, 4]]


# ── NumPy's functions ─────────────────────────────────────────────────────────────────────────────────────────────────


@on_gpu
def test_what_only_numpy_has_does_not_move_what_lies_on_a_gpu():
    x = ks.arange(5.0, device="cuda")
    with pytest.raises(TypeError, match=r"kasoku has no such function, and NumPy cannot read what lies on cuda:0"):
        np.emath.sqrt(x)


def test_what_only_numpy_has_is_counted():
    from kasoku import _core

    name = "numpy.lib.scimath.sqrt"
    before = _core._numpy_calls().get(name, (0, 0, 0, 0))
    y = np.emath.sqrt(ks.array([0.0, 1.0, 4.0]))
    assert type(y) is ks.Array and y.tolist() == [0, 1, 2]
    calls, read, made, moved = _core._numpy_calls()[name]
    assert (calls - before[0], read - before[1], made - before[2], moved) == (1, 24, 24, 0)


def test_numpys_writes_reach_our_memory():
    x = ks.zeros(4)
    view = x[1:3]
    np.put(view, [0], 5)
    np.copyto(x[3:], 7)
    np.add.at(x, [0, 0], 1)
    np.clip(x, 0, 6, out=x)
    assert x.tolist() == [2, 5, 0, 6]
    out = ks.zeros(4)
    assert np.hypot(x, x, out=out) is out
    np.testing.assert_allclose(out, np.hypot(x.numpy(), x.numpy()))


def test_arguments_that_only_numpy_has_are_its():
    x = ks.array([3.0, 1.0, 2.0])
    assert np.add(x, x, order="C", subok=False).tolist() == [6, 2, 4]
    assert np.add.reduceat(x, [0, 1]).tolist() == [3, 3]
    fraction, whole = np.modf(x)
    assert type(whole) is ks.Array and whole.tolist() == [3, 1, 2]
    with pytest.raises(TypeError):
        np.sum(x, no_such_argument=1)


def test_questions_about_dtypes_and_shapes_compute_nothing():
    x = ks.arange(5000.0) * 2
    assert (
        np.shape(x) == (5000,) and np.result_type(x, np.int8) == np.float64 and np.ndim(x) == 1 and np.size(x) == 5000
    )
    assert not np.iscomplexobj(x) and x.is_pending


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_numpys_view_has_numpys_integers(dtype):
    x, want = ks.arange(3, dtype=dtype), np.arange(3, dtype=dtype)
    for shown in (np.asarray(x), np.array(x), x.numpy(), np.asarray(memoryview(x))):
        assert repr(shown) == repr(want) and shown.dtype.char == want.dtype.char

    @ks.njit
    def pair(a):
        return a + a, a[1:]

    for got, wanted in zip(pair(want), (want + want, want[1:]), strict=True):
        assert repr(got) == repr(wanted) and got.dtype.char == want.dtype.char
