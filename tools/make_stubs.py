#!/usr/bin/env python3
"""Writes the stubs of the package beside it, for editors and type checkers: _core.pyi, random.pyi, linalg.pyi and fft.pyi
from the extension's own signatures, __init__.pyi from what `dir(kasoku)` shows."""

import inspect
import pathlib
import sys

package = pathlib.Path(__file__).resolve().parent.parent / "python/kasoku"


def show_signatures(scope):
    """Puts nanobind's own functions in the place of those that hand calls on to them (python/src/function.cpp)."""
    for name, value in list(vars(scope).items()):
        if name in ("_Function", "_Method", "ufunc"):
            delattr(scope, name)
        elif isinstance(value, type) and value.__module__.startswith("kasoku"):
            show_signatures(value)
        elif hasattr(value, "__wrapped_function__"):
            setattr(scope, name, value.__wrapped_function__)


def of_extension(module, name):
    from nanobind.stubgen import StubGen

    show_signatures(module)
    stubs = StubGen(module, recursive=False)
    stubs.put(module)
    return stubs.get().replace(module.__name__, name)


def of_linalg(kasoku):
    """The extension's functions, and what the module defines itself."""
    own = [value for value in vars(kasoku.linalg).values() if getattr(value, "__module__", "") == "kasoku.linalg"]
    classes = "\n\n".join(inspect.getsource(value) for value in own if inspect.isclass(value))
    head = "from typing import NamedTuple\n\nfrom kasoku._core import Array\nfrom kasoku.errors import LinAlgError as LinAlgError\n\n"
    return head + of_extension(kasoku._core._linalg, "kasoku.linalg") + "\n\n" + classes


def of_package(kasoku):
    lines = ["# Public names; tools/make_stubs.py wrote this.", ""]
    lines += [
        f"from . import {name} as {name}" for name in ("cuda", "distributed", "errors", "fft", "linalg", "random")
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
    import kasoku.linalg  # noqa: F401

    texts = {
        "_core.pyi": of_extension(kasoku._core, "kasoku._core"),
        "random.pyi": of_extension(kasoku._core._random, "kasoku.random"),
        "linalg.pyi": of_linalg(kasoku),
        "fft.pyi": of_extension(kasoku._core._fft, "kasoku.fft"),
        "__init__.pyi": of_package(kasoku),
    }
    for name, text in texts.items():
        path = package / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


main()
