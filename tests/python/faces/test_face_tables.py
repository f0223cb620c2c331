"""The data behind the faces: what is refused is not there and says why; the reference lists what is there."""

import importlib
import inspect
import pathlib
import pickle
import sys

import kasoku as ks
import pytest

from kasoku.compat._face.refusals import reason_of, reasons
from kasoku.compat._face.table import Table, bound, each, modules, names_of, plain

root = next(folder for folder in pathlib.Path(__file__).parents if (folder / "pyproject.toml").exists())
REFUSED = [(package, name) for package, rows in reasons.items() for words in rows for name in words.split()]


@pytest.mark.parametrize("package, name", REFUSED, ids=lambda x: x)
def test_what_is_refused_says_why(package, name):
    found = importlib.import_module(f"kasoku.compat.{package}.{name}".rpartition(".")[0])
    try:
        found = getattr(found, name.rpartition(".")[2])
    except AttributeError as error:
        why = str(error)
    else:  # it is there to be refused when it is used
        with pytest.raises(NotImplementedError) as refused:
            found()
        why = str(refused.value)
    assert reason_of(f"{package}.{name}") in why
    assert reason_of(f"{package}.{name}.more") == reason_of(f"{package}.{name}") and reason_of(f"{package}.no") is None


@pytest.mark.parametrize(
    "module", ["torch.nn.functional", "cupy.cuda.nvtx", "numba.core.errors", "cupy.polynomial.polyutils", "tensorflow.experimental", "numba.typed",
               "dask.array", "pycuda.driver", "cupyx.scipy.special"],
)  # fmt: skip
def test_a_module_of_a_face_says_what_it_lacks_whoever_imports_it(module):
    found = importlib.import_module(f"kasoku.compat.{module}")
    with pytest.raises(AttributeError, match=f"kasoku does not have {module}.nothing yet"):
        found.nothing  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute '__nothing__'"):
        found.__nothing__  # noqa: B018


@pytest.mark.parametrize(
    "name, near",
    [("cupy.zeross", "zeros"), ("cupy.hannin", "hanning"), ("cupy.cuda.Strem", "Stream"), ("cupyx.scipy.special.gamain", "gammainc"),
     ("cupyx.jit.syncthread", "syncthreads"), ("numba.njitt", "njit"), ("numba.cuda.syncthread", "syncthreads"), ("torch.zeross", "zeros"),
     ("pycuda.driver.mem_aloc", "mem_alloc"), ("dask.array.zeross", "zeros")],
)  # fmt: skip
def test_a_name_that_is_not_there_is_answered_with_the_nearest(name, near):
    module, _, last = name.rpartition(".")
    with pytest.raises(AttributeError) as caught:
        getattr(importlib.import_module(f"kasoku.compat.{module}"), last)
    assert str(caught.value).split("\n")[0] == f"kasoku does not have {name} yet; did you mean {near!r}?"


def test_rows_that_are_alike_have_the_documentation_of_their_functions():
    table = Table()
    table.rows("plain", each(ks, "sqrt root=sqrt", lambda of: lambda x: of(x)))
    assert (
        "square root" in table.root.__doc__ == table.sqrt.__doc__
        and table.root.__name__ == "root"
        and float(table.root(4.0)) == 2
    )
    table.rows("plain", each(lambda name: lambda x: f"{name} {x}", "one two=deux", lambda of: lambda y: of(y)))
    assert (table.one(1), table.two(y=2)) == ("one 1", "deux 2")


def test_rows_that_are_alike_may_be_their_parameters():
    rows = each(ks, "sum most=max", "input, dim=(0, 1), *, keepdims=False | out=None, **ignored")
    of, said = rows["most"]
    assert str(inspect.signature(of)) == "(input, dim=(0, 1), *, keepdims=False, out=None, **ignored)"
    assert of.__module__ == __name__ and said == each(ks, "max", "a")["max"][1]
    x = ks.arange(6).reshape(2, 3)
    assert (int(of(x)), rows["sum"][0](x, 1, keepdims=True, plan=None).tolist()) == (5, [[3], [12]])
    assert of(x, dim=0, out="anything").tolist() == [3, 4, 5]
    with pytest.raises(TypeError, match="unexpected keyword argument 'axis'"):
        each(ks, "sum", "input, dim=0")["sum"][0](x, axis=0)


def test_functions_of_a_module_are_rows_with_other_names():
    space = {"__name__": "some.module"}
    table = plain(space, {"one": (lambda: 1, "One."), "two": lambda x, y=2: y}, deux="two")
    assert space["deux"] is space["two"] is table.two and space["one"].__doc__ == "One." and space["two"](0) == 2
    assert {f.__module__ for f in table.values()} == {"some.module"} and space["two"].__name__ == "two"


def test_modules_are_rows_that_can_be_imported_by_name():
    package = "kasoku.compat.cupy"
    modules(package, {
        "of_rows": ("what a test makes.", {"one": (lambda: 1, "One."), "two": 2}),
        "of_rows.inner": ("what is in it.", names_of(ks, "sum mean")),
        "of_rows.same": pathlib,
    })  # fmt: skip
    try:
        inner = importlib.import_module(f"{package}.of_rows.inner")
        outer = importlib.import_module(f"{package}.of_rows")
        assert (inner.sum, inner.mean, outer.inner, outer.same, outer.two) == (ks.sum, ks.mean, inner, pathlib, 2)
        assert outer.__doc__ == "cupy.of_rows: what a test makes." and inner.__package__ == f"{package}.of_rows"
        assert (outer.one(), outer.one.__name__, outer.one.__module__) == (1, "one", f"{package}.of_rows")
        assert outer.one.__doc__ == "One." and pickle.loads(pickle.dumps(outer.one)) is outer.one
    finally:
        for name in [name for name in sys.modules if name.startswith(f"{package}.of_rows")]:
            del sys.modules[name]
        del sys.modules[package].of_rows


def test_rows_are_functions_with_a_name_a_signature_and_documentation():
    table = Table({"doubled": lambda f: lambda *args, **kwargs: 2 * f(*args, **kwargs)})
    table.rows("plain", {"one": lambda: 1, "sum": (lambda x, axis=None: ks.sum(x, axis), "What there is in all.")})
    table.rows("doubled", {"two": lambda a, b=1: a + b, "three": (lambda: ks.exp(0), "Said.")})
    table.alias(deux="two")
    assert table.one() == 1 and table.two(2, b=3) == 10 and table.deux is table["two"]
    assert table["sum"].__doc__ == "What there is in all." and table.three.__doc__ == "Said."
    assert {f.__name__ for f in table.values()} == {"one", "sum", "two", "three"}
    assert str(inspect.signature(table.two)) == "(a, b=1)" and str(inspect.signature(table["sum"])) == "(x, axis=None)"
    with pytest.raises(AttributeError):
        table.nothing  # noqa: B018


@pytest.mark.parametrize("name", ["dask.array.flip", "dask.array.nansum", "dask.array.sum", "tensorflow.zeros", "tensorflow.tile",
                                  "torch.zeros", "torch.compile", "torch.cuda.device_count", "pycuda.gpuarray.zeros_like"])  # fmt: skip
def test_functions_of_rows_are_pickled_by_their_names(name):
    module, _, last = f"kasoku.compat.{name}".rpartition(".")
    function = getattr(importlib.import_module(module), last)
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("package", reasons)
def test_the_reference_lists_what_is_there(package):
    sys.path.insert(0, str(root / "docs/_extension"))
    try:
        import made
    finally:
        sys.path.pop(0)
    text = made.face(package)
    assert f"@@face {package}@@" in (root / "docs/reference/faces.md").read_text()
    for words, why in reasons[package].items():
        assert f"`{package}.{words.split()[0]}`" in text and why in text
    expected = {
        "torch": "cumsum",
        "tensorflow": "tensor_scatter_nd_add",
        "cupy": "hanning",
        "pycuda": "GPUArray",
        "cupyx": "scatter_add",
    }
    assert f"`{expected[package]}`" in text


def test_a_row_is_a_function_with_the_rows_signature_and_kasokus_words():
    table = Table({"as it is": lambda f: lambda *args, **kwargs: f(*args, **kwargs)})
    table.rows("as it is", {"turned": lambda input, k=1: ks.rot90(input, k)})

    @table.row("as it is")
    def sum_(input):
        """The sum."""
        return input.sum()

    table.alias(total="sum")
    assert str(inspect.signature(table.turned)) == "(input, k=1)" and "right angles" in table.turned.__doc__
    assert table["sum"].__doc__ == "The sum." and table.total is table.sum and table.sum(ks.ones(3)) == 3
    with pytest.raises(AttributeError):
        table.nothing
    itself = Table({"itself": lambda f: f})
    itself.rows("itself", {"twice": lambda x, y=2: x * y})
    assert str(inspect.signature(itself.twice)) == "(x, y=2)"


def test_what_is_bound_is_seen_by_nobody():
    def scaled(x, by=2, *, sign, **more):
        return sign * x * by, more

    minus, plus = (bound(scaled, sign=sign) for sign in (-1, 1))
    assert minus(3) == (-6, {}) and plus(3, by=4, other=5) == (12, {"other": 5})
    assert minus(3, sign=5) == (-6, {"sign": 5})
    with pytest.raises(TypeError, match="sign"):
        bound(lambda x, *, sign: [x for _ in range(sign)], sign=2)(1, sign=3)
    shown = inspect.signature(minus)
    assert str(shown) == "(x, by=2, **more)" and shown.bind(1).arguments == {"x": 1}
    assert str(inspect.signature(type("Kind", (), {"method": minus})().method)) == "(by=2, **more)"
    assert shown.replace(parameters=[]) == inspect.Signature()


@pytest.mark.parametrize("module, function", [("cupyx.scipy.stats", "zscore"), ("cupyx.scipy.spatial.distance", "cdist"),
    ("cupyx.cusolver", "gesv"), ("cupy.linalg", "inv"), ("cupy.fft", "fft"), ("cupy.polynomial.polyutils", "trimseq")])  # fmt: skip
def test_modules_of_cupy_s_give_its_arrays(module, function):
    import kasoku.compat.cupy as cp

    given = ks.eye(3, dtype="float64") if module != "cupy.polynomial.polyutils" else ks.ones(3)
    of = getattr(importlib.import_module(f"kasoku.compat.{module}"), function)
    assert (
        type(
            of(given, given)
            if function in ("cdist", "gesv")
            else of(given[:2])  # fmt: skip
            if function == "trimseq"
            else of(given)
        )
        is cp.ndarray
    )
