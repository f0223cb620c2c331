"""The names of `ks`: every one is documented, has a signature, and an example that runs."""

import doctest
import importlib
import inspect
import pathlib

import kasoku as ks
import numpy as np
import pytest

modules = sorted(path.stem for path in (pathlib.Path(ks.__file__).parent / "_namespace").glob("*.py"))
public = [name for name in ks.__all__ if not inspect.ismodule(getattr(ks, name))]


@pytest.mark.parametrize("module", [name for name in modules if name != "__init__"])
def test_examples_of_functions_run(module):
    found = importlib.import_module(f"kasoku._namespace.{module}")
    with np.printoptions(legacy=False):
        result = doctest.testmod(found, extraglobs={"ks": ks}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0 and (result.attempted > 0 or module in ("given", "signatures"))


def test_every_function_of_the_namespace_has_an_example():
    lazy = [name for name, module in ks._lazy.items() if module.startswith("_namespace")]
    functions = [name for name in lazy if inspect.isfunction(getattr(ks, name)) and name != "frompyfunc"]
    assert len(functions) > 100
    assert [name for name in functions if ">>>" not in (getattr(ks, name).__doc__ or "")] == []


@pytest.mark.parametrize("name", public)
def test_a_public_name_says_what_it_is(name):
    value = getattr(ks, name)
    if callable(value):
        assert inspect.getdoc(value)
    if inspect.isroutine(value) or isinstance(value, type(ks.add)):
        assert inspect.signature(value) is not None
