"""The public names: written out, those of the golden file, and all that help and completion show."""

import importlib.util
import pathlib
import pydoc
import types

import kasoku as ks
import pytest

root = pathlib.Path(__file__).resolve().parents[3]
spec = importlib.util.spec_from_file_location("public_names", root / "tools/public_names.py")
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)


def test_the_public_names_are_those_of_the_golden_file(clean_process):
    # In a process of its own: importing cupy's face gives arrays more methods.
    text = f"import sys; sys.path.insert(0, {str(root / 'tools')!r}); import public_names; print(public_names.public_names())"
    names, known = clean_process(text).stdout.split(), tool.golden.read_text().split()
    assert sorted(set(known) - set(names)) == [], "public names are gone"
    assert sorted(set(names) - set(known)) == [], "python3 tools/public_names.py writes new ones down"


def test_completion_shows_public_names_alone():
    assert [name for name in dir(ks) if not name.startswith("__") and name not in ks.__all__] == []
    assert [name for name in ks.__all__ if name.startswith("_")] == []
    assert set(ks.__all__) <= set(dir(ks))


def test_help_shows_public_names_alone():
    text = pydoc.render_doc(ks, renderer=pydoc.plaintext)
    assert "\n    add = " in text or "add(" in text
    assert "_native" not in text and "_copyreg" not in text and "_import_module" not in text


def test_a_star_import_brings_nothing_of_pythons():
    names = {}
    exec("from kasoku import *", names)
    import builtins

    ours = {name for name in names if hasattr(builtins, name) and not name.startswith("__")}
    assert {"ValueError", "TypeError", "MemoryError", "OSError"} & ours == set()


@pytest.mark.parametrize("name", ["settle", "unsettled", "add_at", "passes", "_few_at_once"])
def test_what_the_extension_has_for_itself_is_not_public(name):
    assert name not in ks.__all__ and not hasattr(ks, name)


def test_names_of_the_extension_are_listed_once():
    assert len(ks._native) == len(set(ks._native))
    tables = [set(ks._native), set(ks._lazy), set(ks._of_numpy), set(ks._modules)]
    assert sum(map(len, tables)) == len(set.union(*tables))
    assert all(isinstance(getattr(ks, name), types.ModuleType) for name in ks._modules)


def test_help_shows_a_function_with_its_signature_and_documentation():
    for function, signature in {ks.var: "var(x, axis=None", ks.take: "take(", ks.linalg.svd: "svd("}.items():
        shown = pydoc.render_doc(function, renderer=pydoc.plaintext)
        assert signature in shown and function.__doc__.strip().splitlines()[-1] in shown and "__reduce__" not in shown
    assert "add(" in (shown := pydoc.render_doc(ks.add, renderer=pydoc.plaintext)) and "accumulate" not in shown
