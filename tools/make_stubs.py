#!/usr/bin/env python3
"""Writes the stubs of the package beside it, for editors and type checkers: _core.pyi, random.pyi, linalg.pyi and fft.pyi
from their own signatures, __init__.pyi from what `dir(kasoku)` shows."""

import inspect
import pathlib
import re
import sys

package = pathlib.Path(__file__).resolve().parent.parent / "python/kasoku"


def show_signatures(scope):
    """Puts nanobind's own functions in the place of those that hand calls on to them (python/src/function.cpp), and Python's properties in that
    of quicker ones (attribute.cpp)."""
    for name, value in list(vars(scope).items()):
        if name in ("_Function", "_Method", "ufunc"):
            delattr(scope, name)
        elif isinstance(value, type) and value.__module__.startswith("kasoku"):
            show_signatures(value)
        elif hasattr(value, "__wrapped_function__"):
            setattr(scope, name, value.__wrapped_function__)
        elif isinstance(value, property) and type(value) is not property:
            setattr(scope, name, property(value.fget, value.fset, doc=value.__doc__))


def of_extension(module, name):
    from nanobind.stubgen import StubGen

    show_signatures(module)
    stubs = StubGen(module, recursive=False)
    stubs.put(module)
    text = stubs.get().replace(module.__name__, name)
    # The last overload of a constructor is what says that no other fits (python/src/function.cpp).
    text = re.sub(r" +@overload\n +def __init__\(self, \*args, last: .*\n\n", "", text)
    return re.sub(r" +@overload\n( +def __init__)", r"\1", text)


# What functions and methods of arrays give whose bindings say only that it is an object; others of them give arrays. Where
# it depends on the arguments, it is Any.
RETURNS = {
    "histogram": "tuple[Array, Array]", "meshgrid": "tuple[Array, ...]", "nonzero": "tuple[Array, ...]",
    "asnumpy": "numpy.ndarray", "numpy": "numpy.ndarray", "to_numpy": "numpy.ndarray", "get": "numpy.ndarray",
    "default_device": "Device", "device": "Device", "dtype": "numpy.dtype", "result_type": "numpy.dtype",
    "promote_types": "numpy.dtype", "tobytes": "bytes", "astype": "Array", "item": "Any", "tolist": "Any",
    "__int__": "int", "__index__": "int", "__trunc__": "int", "__float__": "float", "__complex__": "complex",
}  # fmt: skip
DEPENDS = set("gradient unique intersect1d indices from_arrow".split())
OPERATORS = {
    f"__{side}{name}__"
    for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
    for side in ("", "r", "i")
} | {f"__{name}__" for name in "lt le eq ne gt ge neg pos abs invert getitem".split()}


def with_arrays(text, kasoku):
    """The stub of the extension, in which functions of arrays, and their operators, give arrays."""

    def returned(match):
        name = match["name"]
        result = RETURNS.get(name) or ("Any" if name in DEPENDS else "Array" if name in kasoku._native else "object")
        return f"{match['head']} -> {result}:"

    text = re.sub(r"(?P<head>^ *def (?P<name>\w+)\(.*\)) -> object:", returned, text, flags=re.M)
    start = text.index("class Array:")
    end = text.index("\nclass ", start)
    array = text[start:end]
    for name in OPERATORS:
        note = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
        array = array.replace(f"def {name}(self, value, /):\n", f"def {name}(self, value: object, /) -> Array:{note}\n")
        array = array.replace(f"def {name}(self, key, /):\n", f"def {name}(self, key: object, /) -> Array:\n")
    array = array.replace("def __iter__(self) -> object:", "def __iter__(self) -> Iterator[Array]:")
    for name in ("int", "index", "float", "complex"):
        array = array.replace(f"def __{name}__(self, /):\n", f"def __{name}__(self, /) -> {RETURNS[f'__{name}__']}:\n")
    # What Python adds to the class is no method in the eyes of nanobind's generator.
    shown = re.search(r"from kasoku\._namespace\.memory import \((?:.|\n)*?\)\n", text)
    head = (
        text[:start].replace(shown[0], "from kasoku._namespace.memory import Flags, Flat\n") if shown else text[:start]
    )
    attributes = "\n    flags: Flags\n    flat: Flat\n    base: Array | None\n"
    first = array.index("\n", array.index('"""', array.index('"""') + 3))
    return (
        "from collections.abc import Iterator\nfrom typing import Any\n\nimport numpy\n"
        + head
        + array[:first]
        + "\n"
        + attributes
        + array[first:]
        + text[end:]
    )


def of_linalg(kasoku):
    """The extension's functions, and what the module defines itself."""
    own = [value for value in vars(kasoku.linalg).values() if getattr(value, "__module__", "") == "kasoku.linalg"]
    classes = "\n\n".join(inspect.getsource(value) for value in own if inspect.isclass(value))
    head = "from typing import NamedTuple\n\nfrom kasoku._core import Array\nfrom kasoku.errors import LinAlgError as LinAlgError\n\n"
    return head + of_extension(kasoku._core._linalg, "kasoku.linalg") + "\n\n" + classes


def of_random(kasoku):
    """The methods of generators, and the module's functions, which are those of the process's."""
    results = {"bytes": "bytes", "shuffle": "None", "spawn": "list[Generator]"}

    def definition(name, function, indent):
        parameters = inspect.signature(function).parameters.values()
        words = [str(p) if p.name == "self" or p.kind is p.VAR_POSITIONAL else annotated(p) for p in parameters]
        stars = [i for i, p in enumerate(parameters) if p.kind is p.KEYWORD_ONLY]
        if stars and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
            words.insert(stars[0], "*")
        result = results.get(name, "Array")
        return f"{indent}def {name}({', '.join(words)}) -> {result}:\n{indent}    {inspect.getdoc(function)!r}\n"

    def annotated(p):
        return f"{p.name}: object" + ("" if p.default is p.empty else f" = {p.default!r}")

    generator = kasoku.random.Generator
    text = "from kasoku._core import Array\n\n\nclass Generator:\n    @property\n    def seed(self) -> int: ...\n"
    for name in sorted(name for name in dir(generator) if not name.startswith("_") and name != "seed"):
        text += "\n" + definition(name, getattr(generator, name), "    ")
    text += "\n\ndef default_rng(seed: object = None) -> Generator: ...\ndef seed(seed: object = None) -> None: ...\n"
    for name in sorted(set(kasoku.random.__all__) - {"Generator", "default_rng", "seed"}):
        text += "\n" + definition(name, getattr(kasoku.random, name), "")
    return text


def of_package(kasoku):
    lines = ["# Public names; tools/make_stubs.py wrote this.", ""]
    lines += [
        f"from . import {name} as {name}"
        for name in ("cuda", "distributed", "emath", "errors", "fft", "lib", "linalg", "random")
    ]
    for name in sorted(dir(kasoku)):
        value = getattr(kasoku, name)
        if name.startswith("_") or inspect.ismodule(value) or name == "load_ipython_extension":
            continue
        home = kasoku._lazy.get(name) or ("errors" if hasattr(kasoku.errors, name) else "_core")
        is_numpys = home == "_core" and not hasattr(kasoku._core, name)
        lines.append(f"from {'numpy' if is_numpys else '.' + home} import {name} as {name}")
    lines += ["", "__version__: str", "", "def load_ipython_extension(shell: object) -> None: ..."]
    return "\n".join(lines) + "\n"


def main():
    sys.path.insert(0, str(package.parent))
    import kasoku
    import kasoku.linalg
    import kasoku.random  # noqa: F401

    of_generators = of_random(kasoku)  # before signatures are taken away
    texts = {
        "_core.pyi": with_arrays(of_extension(kasoku._core, "kasoku._core"), kasoku),
        "random.pyi": of_generators,
        "linalg.pyi": of_linalg(kasoku),
        "fft.pyi": of_extension(kasoku._core._fft, "kasoku.fft"),
        "__init__.pyi": of_package(kasoku),
    }
    for name, text in texts.items():
        path = package / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


main()
