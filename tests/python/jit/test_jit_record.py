"""Structured arrays in compiled code and kernels, named tuples, and the text of exec: plain Python is the reference."""

import collections
import subprocess
import sys

import numpy as np
import pytest

import kasoku as ks
from kasoku.compat import numba
from kasoku.compat.numba import cuda

aligned = np.dtype([("a", np.float64), ("b", np.int16), ("c", np.complex64), ("flag", np.bool_)], align=True)
packed = np.dtype([("b", np.int8), ("a", np.float64), ("c", np.complex64), ("flag", np.bool_)])
inner = np.dtype([("x", np.float32), ("y", np.int64)])
nested = np.dtype([("id", np.uint8), ("at", inner), ("grid", np.float64, (2, 3)), ("line", np.int32, (4,))])


def filled(dtype, n):
    data = np.zeros(n, dtype)
    raw = data.view(np.uint8).reshape(-1)
    raw[:] = np.arange(raw.size) % 64
    if "flag" in (dtype.names or ()):
        data["flag"] = np.arange(n) % 2
    return data


def agrees(function, *arguments):
    ours = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
    theirs = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
    wanted, got = function(*theirs), ks.njit(function)(*ours)
    np.testing.assert_equal(got, wanted)
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(b, np.ndarray):
            assert repr(a) == repr(b)


def reads(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i]["a"] * x[i]["b"] + x[i]["c"].real - x[i]["c"].imag
        if x[i]["flag"]:
            total += 0.5
    for r in x:
        total += r["a"]
    return total, x.size, x.shape, x.itemsize, x.nbytes, x[-1]["b"]


def writes(x):
    for i in range(len(x)):
        x[i]["a"] = i * 0.5
        x[i]["b"] = -i
        x[i]["c"] = complex(i, -i)
        x[i]["a"] += 2
        x[i]["b"] *= 3
        r = x[i]
        r["flag"] = i % 3 == 0
        r["a"] -= 0.25
    if len(x) > 1:
        x[0] = x[len(x) - 1]


@pytest.mark.parametrize("dtype", [aligned, packed], ids=["aligned", "packed"])
@pytest.mark.parametrize("n", [1, 2, 17])
def test_fields_of_elements(dtype, n):
    agrees(reads, filled(dtype, n))
    agrees(writes, filled(dtype, n))
    agrees(writes, filled(dtype, 0))


def test_strided_and_reversed_arrays():
    x = filled(aligned, 20)
    compiled = ks.njit(reads)
    for view in (x[::3], x[::-2]):
        np.testing.assert_equal(compiled(view), reads(view))
    y = filled(aligned, 20)
    ks.njit(writes)(x[::3])
    writes(y[::3])
    assert repr(x) == repr(y)


def test_attributes_of_recarrays():
    def f(x):
        total = 0.0
        for i in range(x.size):
            x[i].a += x[i].b
            total += x[i].a
        return total

    x, y = filled(aligned, 5).view(np.recarray), filled(aligned, 5).view(np.recarray)
    assert ks.njit(f)(x) == f(y) and repr(x) == repr(y)


def test_nested_records_and_arrays_in_records():
    def f(x):
        total = 0.0
        for i in range(len(x)):
            r = x[i]["at"]
            r["x"] = i
            x[i]["at"]["y"] += 5
            g = x[i]["grid"]
            for j in range(2):
                for k in range(3):
                    g[j, k] = j * 10 + k + i
                    total += x[i]["grid"][j, k]
            x[i]["line"][1] = 7
            x[i]["line"][-1] += 1
            total += r["x"] + x[i]["at"]["y"] + x[i]["line"].sum() + x[i]["id"]
        x[0]["grid"] = x[1]["grid"] * 2
        x[1]["line"] = 3
        x[0]["at"] = x[1]["at"]
        return total

    for dtype in (np.dtype(nested.descr, align=True), np.dtype([("pad", np.int64), *aligned_fields()], align=True)):
        x = np.zeros(3, dtype)
        x["line"] = np.arange(12).reshape(3, 4)
        agrees(f, x)


def aligned_fields():
    return [
        ("id", np.uint8),
        ("at", np.dtype(inner, align=True)),
        ("grid", np.float64, (2, 3)),
        ("line", np.int32, (4,)),
    ]


def test_all_fields_at_once():
    def f(x):
        a, b = x["a"], x["b"]
        a[0] = 100.0
        return a.sum() + (b * 2).sum() + np.sqrt(x["a"]).max(), a.shape, len(b)

    agrees(f, filled(aligned, 9))
    with pytest.raises(TypeError, match="packed records are no array"):
        ks.njit(lambda x: x["a"].sum())(filled(packed, 3))


def test_single_records():
    def f(r):
        r["a"] = 5.0
        r["b"] += 1
        return r["a"] + r["b"]

    for dtype in (aligned, packed):
        x, y = filled(dtype, 2), filled(dtype, 2)
        assert ks.njit(f)(x[1]) == f(y[1])
        assert repr(x) == repr(y)


def test_functions_and_parallel_loops():
    @ks.njit
    def energy(p):
        return p["a"] ** 2 + p["b"]

    def f(x, out):
        for i in ks.prange(len(x)):
            out[i] = energy(x[i])
            x[i]["b"] = i

    x = filled(aligned, 1000)
    wanted = x["a"] ** 2 + x["b"]
    out = np.zeros(1000)
    ks.njit(f)(x, out)
    np.testing.assert_array_equal(out, wanted)
    np.testing.assert_array_equal(x["b"], np.arange(1000, dtype=np.int16))


def test_signatures():
    import kasoku.compat.numba as numba

    record = numba.from_dtype(aligned)
    f = numba.njit(numba.void(record[:]))(writes)
    x, y = filled(aligned, 4), filled(aligned, 4)
    f(x), writes(y)
    assert repr(x) == repr(y)
    with pytest.raises(TypeError, match="No matching definition"):
        f(filled(packed, 4))


def test_refusals():
    x = filled(aligned, 3)
    for function, words in [
        (lambda x: x["nothing"][0], "no field 'nothing'"),
        (lambda x: x + 1, "has no meaning"),
        (lambda x: x[0], "cannot be returned"),
        (lambda x: x[x["a"] > 0].size, "cannot be chosen"),
        (lambda x: x.copy().size, "use its fields"),
    ]:
        with pytest.raises(TypeError, match=words):
            ks.njit(function)(x)

    def stores(x):
        x[0]["a"] = 1.0

    x.flags.writeable = False
    with pytest.raises(TypeError, match="read-only"):
        ks.njit(stores)(x)
    with pytest.raises(TypeError, match="read-only"):
        ks.njit(lambda r: stores_one(r))(x[0])
    with pytest.raises(IndexError):
        ks.njit(lambda x: x[5]["a"])(x)
    text = np.zeros(2, [("name", "S4"), ("n", np.int64)])
    assert ks.njit(lambda x: x[1]["n"])(text) == 0
    with pytest.raises(TypeError, match="of a dtype that compiled code does not have"):
        ks.njit(lambda x: x[1]["name"])(text)


def stores_one(r):
    r["a"] = 1.0


@pytest.mark.parametrize("dtype", [aligned, packed], ids=["aligned", "packed"])
def test_kernels(dtype):
    if cuda.is_available():
        pytest.skip("structured arrays are taken by kernels on a CPU alone")

    @cuda.jit
    def kernel(x, out, one):
        i = cuda.grid(1)
        if i < x.size:
            x[i].b = i
            x[i].a += 1
            out[i] = x[i].a + one.a
            one.flag = True

    x, out, one = filled(dtype, 100).view(np.recarray), np.zeros(100), filled(dtype, 1)
    wanted = x.a + 1 + one["a"][0]
    kernel[4, 32](x, out, one[0])
    np.testing.assert_array_equal(out, wanted)
    np.testing.assert_array_equal(x.b, np.arange(100, dtype=dtype["b"]))
    assert one["flag"][0]


Point = collections.namedtuple("Point", "x y")


def test_named_tuples():
    def f(p):
        x, y = p
        return p.x * 10 + p.y + p[0] + x + y

    assert ks.njit(f)(Point(1, 2.5)) == f(Point(1, 2.5))
    assert ks.njit(lambda p: p.x.sum() + len(p))(Point(np.ones(3), 2)) == 5
    with pytest.raises(TypeError, match="has no field 'z'"):
        ks.njit(lambda p: p.z)(Point(1, 2))
    assert type(ks.njit(lambda p: p)(Point(1, 2))) is Point
    assert type(ks.njit(lambda p: p)((1, 2))) is tuple

    @ks.njit
    def moved(p, by):
        return Point(p.x + by, p.y)

    assert ks.njit(lambda x: moved(moved(Point(x, 2.5), 1), 1).x)(4) == 6
    assert list(ks.njit(lambda x: moved(Point(x, 2), 1).x)(np.arange(3.0))) == [1, 2, 3]

    @cuda.jit
    def kernel(p, out):
        out[0] = p.x[0] + p.y

    out = np.zeros(1)
    kernel[1, 1](Point(np.array([2.0]), 3), out)
    assert out[0] == 5


def test_the_text_of_exec_is_kept_for_programs(tmp_path):
    (tmp_path / "program.py").write_text(
        "from numba import njit\n"
        "def make(name, k):\n"
        "    space = {}\n"
        "    exec(f'def {name}(x):\\n    return x * {k}', globals(), space)\n"
        "    return njit(space[name])\n"
        "print(make('f', 3)(14), make('g', 5).py_func(2))\n"
        "def local():\n"
        "    y = 2\n"
        "    exec('print(y + 1)')\n"
        "local()\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "kasoku", "run", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "42 10\n3\n", done.stderr


def test_the_text_of_a_tree_that_a_program_compiles_is_kept(tmp_path):
    (tmp_path / "program.py").write_text(
        "import ast\n"
        "from numba import njit, vectorize\n"
        "def make(name, k):\n"
        "    tree = ast.parse(f'\\n\\ndef {name}(x):\\n    return x * 2')\n"
        "    tree.body[0].body[0].value.right = ast.Constant(k)\n"
        "    space = {}\n"
        "    exec(compile(ast.fix_missing_locations(tree), filename='<ast>', mode='exec'), globals(), space)\n"
        "    return space[name]\n"
        "print(njit(make('f', 3))(14), vectorize(['f8(f8)'])(make('g', 0.5))([1, 2]).tolist())\n"
        "print(eval(compile('1 + 1', '<text>', 'eval')), type(compile('x = 1', 'f', 'exec', ast.PyCF_ONLY_AST)).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "kasoku", "run", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "42 [0.5, 1.0]\n2 Module\n", done.stderr


def test_what_is_no_type_in_a_signature():
    import kasoku.compat.numba as numba

    class Odd:
        def _describe(self):
            return self

    with pytest.raises(TypeError, match="is not a type of a signature"):
        numba.njit((numba.types.TupleType((Odd(), Odd())),))(lambda x: None)


def test_fields_are_attributes_also_where_the_interpreter_runs_a_function():
    @ks.jit
    def f(x, k):
        str(type(x))  # has no compiled form
        r = x[k]
        r.a = 2.5
        x.b[1] = 7
        x[2].flag = x[2].a < x.a.max() + r["a"]
        return x.a.sum() + r.a, x

    dtype = packed
    x = filled(dtype, 4)
    wanted = x.copy()
    wanted["a"][3], wanted["b"][1] = 2.5, 7
    wanted["flag"][2] = wanted["a"][2] < wanted["a"].max() + 2.5
    with pytest.warns(ks._jit.InterpretedWarning):
        total, same = f(x, 3)
    assert total == wanted["a"].sum() + 2.5
    assert (x == wanted).all() and type(same) is np.ndarray and same.dtype == dtype and np.shares_memory(same, x)


def test_a_kernel_assigns_arrays_in_records():
    @cuda.jit
    def kernel(to, data, rows):
        to[0].line = data[1].line
        to[0]["grid"] = rows
        to[1]["grid"] = data[0]["grid"]

    data, to, rows = filled(nested, 2), np.zeros(2, nested), np.arange(6.0).reshape(2, 3)
    kernel[1, 1](to, data, rows)
    np.testing.assert_array_equal(to["line"][0], data["line"][1])
    np.testing.assert_array_equal(to["grid"], [rows, data["grid"][0]])


def test_a_device_function_returns_a_record_and_a_named_tuple():
    Point = collections.namedtuple("Point", "x y")

    @cuda.jit(device=True)
    def of(data, i):
        return data[i]

    @cuda.jit(device=True)
    def point(record):
        return Point(record.a, record.b)

    @cuda.jit
    def kernel(data, out):
        p = point(of(data, 1))
        out[0], out[1] = p.x, p.y

    data, out = filled(aligned, 3), np.zeros(2)
    kernel[1, 1](data, out)
    assert out.tolist() == [data["a"][1], data["b"][1]]


@pytest.mark.skipif(cuda.is_available(), reason="kernels take structured arrays on a CPU")
@pytest.mark.parametrize("dtype", [aligned, packed, nested])
@pytest.mark.parametrize("memory", ["shared", "local", "dynamic"])
def test_records_in_shared_and_local_arrays(dtype, memory):
    make = cuda.local.array if memory == "local" else cuda.shared.array
    n, given = (0 if memory == "dynamic" else 4), dtype if memory == "local" else numba.from_dtype(dtype)

    @cuda.jit
    def kernel(x, out):
        i = cuda.threadIdx.x
        part = make(n, given)
        for k in range(4):
            if memory == "local" or k == i:
                part[k] = x[k]
        cuda.syncthreads()
        out[i] = part[3 - i]

    x = filled(dtype, 4)
    out = np.zeros_like(x)
    kernel[1, 4, 0, 4 * dtype.itemsize if memory == "dynamic" else 0](x, out)
    np.testing.assert_array_equal(out, x[::-1])


@pytest.mark.skipif(cuda.is_available(), reason="kernels take structured arrays on a CPU")
def test_records_outside_a_kernel_are_constants():
    table = filled(aligned, 3)

    @cuda.jit
    def kernel(out):
        rows = cuda.const.array_like(table)
        out[cuda.threadIdx.x] = rows[cuda.threadIdx.x].a + table[2].b

    out = np.zeros(3)
    kernel[1, 3](out)
    np.testing.assert_array_equal(out, table["a"] + table["b"][2])


class Counted(np.ndarray):
    def __array_function__(self, function, types, args, kwargs):
        raise AssertionError("compiled code knows no methods of an array's class")


def test_an_array_of_a_programs_own_class_is_an_array_also_in_the_interpreter():
    @ks.jit
    def interpreted(x):
        x[0] = len({"a": str})
        return np.convolve(x, x)

    x = np.arange(3.0)
    with pytest.warns(UserWarning, match="runs in the interpreter"):
        made = interpreted(x.view(Counted))
    assert type(made) is np.ndarray and list(made) == list(np.convolve([1, 1, 2], [1, 1, 2])) and x[0] == 1


def test_fields_of_packed_records_that_are_arrays_of_ours_are_read_and_written_where_they_lie():
    records = np.zeros(5, dtype=[("flag", "i1"), ("v", "f8"), ("n", "i4")])
    records["v"], records["n"] = [1, 2, 3, 4, 5], [5, 4, 3, 2, 1]
    v, n = ks.asarray(records["v"]), ks.asarray(records["n"])

    @ks.jit
    def doubled(x):
        total = 0.0
        for i in range(len(x)):
            total += x[i]
            x[i] *= 2
        return total

    assert doubled(ks.arange(10.0)[::2]) == 20 and doubled(v) == 15 and doubled(n) == 15
    assert records["v"].tolist() == [2, 4, 6, 8, 10] and records["n"].tolist() == [10, 8, 6, 4, 2]
    assert np.asarray(v).tolist() == v.tolist() == records["v"].tolist()

    @ks.cuda.jit
    def add(x):
        i = ks.cuda.grid(1)
        if i < x.size:
            x[i] += i

    add[1, 8](v)
    assert records["v"].tolist() == [2, 5, 8, 11, 14]


@pytest.mark.parametrize("dtype", [aligned, packed])
def test_arrays_of_records_come_back(dtype):
    def changed(x, n):
        for i in range(n):
            x[i]["a"] += 1
            x[i]["b"] = i
        return x

    def part(x):
        return x[1::2], x[::-1]

    data = filled(dtype, 6)
    agrees(changed, data, 4)
    agrees(part, data)
    compiled = ks.njit(changed)
    assert compiled(data, 2) is data
    view, back = ks.njit(part)(data)
    view["a"][0] = 99.0
    assert data["a"][1] == 99.0 and back.dtype == dtype and back[-1] == data[0]
    frozen = data.copy()
    frozen.flags.writeable = False
    assert not ks.njit(lambda x: x[1:])(frozen).flags.writeable
    del data  # what comes back keeps its memory
    assert view["a"][0] == 99.0


def test_arrays_of_records_are_made():
    def zeros(n):
        made = np.zeros(n, dtype=aligned)
        for i in range(n):
            made[i]["a"] = i
            made[i]["b"] += 2
        return made, made[::-2]

    def of_two_axes(n):
        made = np.empty((n, 2), packed)
        for i in range(n):
            for j in range(2):
                made[i, j]["b"] = i + j
                made[i, j]["a"] = i * 0.5
                made[i, j]["c"] = 1j
                made[i, j]["flag"] = j > 0
        return made

    def like(x):
        a, b = np.zeros_like(x), np.empty_like(x)
        for i in range(len(x)):
            a[i]["at"]["x"] = i
            b[i] = x[i]
        return a, b[1:]

    def kept(n):
        total = 0.0
        made = np.zeros(n, aligned)
        for _ in range(3):
            made["a"][1] += 2
            total += made["a"].sum()
            made = np.zeros(n, aligned) if n > 5 else made
        return total

    for function, given in [(zeros, 5), (zeros, 0), (of_two_axes, 3), (like, filled(nested, 4)), (kept, 4), (kept, 7)]:
        agrees(function, given)
    first = ks.njit(zeros)(3)[0]
    assert first.dtype == aligned and first.flags.writeable
    first["a"] = 1.5
    again = ks.njit(zeros)(3)[0]
    assert first["a"].tolist() == [1.5] * 3 and again["a"].tolist() == [0.0, 1.0, 2.0]
