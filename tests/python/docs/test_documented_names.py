"""The names of `ks`: every one says what it is and gives, has a signature, and an example that runs."""

import doctest
import importlib
import inspect
import linecache
import operator
import pathlib
import re

import kasoku as ks
import numpy as np
import pytest

modules = sorted(path.stem for path in (pathlib.Path(ks.__file__).parent / "_namespace").glob("*.py"))
public = [name for name in dir(ks) if not name.startswith("_") and not inspect.ismodule(getattr(ks, name))]
ours = [name for name in public if callable(getattr(ks, name)) and name not in ks._of_numpy]
# NumPy's types are documented by NumPy; Sphinx and editors show them under its name.
ours = [name for name in ours if getattr(getattr(ks, name), "__module__", "") != "numpy"]
for module in (ks.distributed, ks.emath, ks.fft, ks.linalg, ks.random):
    inside = {name: getattr(module, name) for name in module.__all__ if not inspect.isclass(getattr(module, name))}
    ours += [f"{module.__name__.removeprefix('kasoku.')}.{name}" for name, value in inside.items() if callable(value)]
# What an example would need is not there in a test: another process, IPython.
without_example = {"frompyfunc", "load_ipython_extension"}


def named(name):
    return operator.attrgetter(name)(ks)


def prose(text):
    """A docstring without its signature, examples and code."""
    text = re.sub(r"^>>> .*?(?:\n\n|\Z)", "", text, flags=re.M | re.S)
    text = re.sub(r"^ {4}.*$", "", text, flags=re.M)
    text = re.sub(r"``.*?``|`[^`]*`", "", text, flags=re.S)
    lines = text.splitlines()
    return "\n".join(line for line in lines if not re.match(r"\w+\(.*\)( -> .*)?$", line)).strip()


def examples(text):
    return doctest.DocTestParser().get_doctest(text, {"ks": ks}, "example", None, None)


def run(test):
    said = []
    for i, example in enumerate(test.examples):  # as a notebook keeps its cells: the compiler of functions reads them
        linecache.cache[f"<doctest example[{i}]>"] = (len(example.source), None, example.source.splitlines(True), "")
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL)
    with np.printoptions(legacy=False):
        runner.run(test, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("name", ours)
def test_the_example_of_a_public_name_runs(name):
    test = examples(inspect.getdoc(named(name)))
    assert test.examples or name in without_example, "no example"
    said = run(test)
    assert not said, said


# Names that are not called.
modules_and_objects = ["c_", "emath", "errors", "fft", "lib", "linalg", "mgrid", "ogrid", "r_", "random"]


@pytest.mark.parametrize("name", modules_and_objects)
def test_the_example_of_a_module_or_an_object_runs(name):
    test = examples(inspect.getdoc(named(name)))
    assert test.examples, "no example"
    assert not run(test)


@pytest.mark.parametrize("name", ours)
def test_a_public_name_says_what_it_gives(name):
    """A sentence that begins so, or a first one that names the result and tells no action."""
    text = prose(inspect.getdoc(named(name)))
    noun = r"(?:An?|The|Each|All|Whether|How|Where|What|One|No|Views?|Products?|Pairs?|Ones?|Zeros?|Positions?) "
    assert (
        inspect.isclass(named(name)) or re.search(r"\b[Rr]eturns\b|Returned|^Refused:", text) or re.match(noun, text)
    ), text


@pytest.mark.parametrize("name", ours)
def test_a_docstring_names_parameters_that_there_are(name):
    value = named(name)
    if inspect.isclass(value):
        pytest.skip("what its constructor takes depends on how it is called")
    parameters = inspect.signature(value).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        pytest.skip("it takes more than it names")
    said = re.findall(r"(?<![\w.=<>!\"'])([a-z_]\w*)=(?!=)", prose(inspect.getdoc(value)))
    assert set(said) <= set(parameters)


def test_an_example_that_says_something_else_is_seen():
    assert "Expected" in run(examples(">>> ks.add(1, 2)\narray(4)\n"))


@pytest.mark.parametrize("module", [name for name in modules if name != "__init__"])
def test_examples_of_a_module_run(module):
    """Also those of what is not public by itself."""
    found = importlib.import_module(f"kasoku._namespace.{module}")
    with np.printoptions(legacy=False):
        result = doctest.testmod(found, extraglobs={"ks": ks}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0 and (result.attempted > 0 or module in ("given", "signatures"))


@pytest.mark.parametrize("name", public)
def test_a_public_name_has_a_signature(name):
    value = getattr(ks, name)
    if callable(value):
        assert inspect.getdoc(value)
    if inspect.isroutine(value) or isinstance(value, type(ks.add)):
        assert inspect.signature(value) is not None


kinds = {"bools": "bool", "integers": "int64", "floats": "float32", "complex numbers": "complex64"}


def refused(text):
    """The kinds of elements that a docstring says to be refused."""
    said = re.search(r"Raises TypeError for ([\w, ]+)\.", " ".join(text.split()))
    return set(re.split(r", | and ", said[1])) if said else set()


@pytest.mark.parametrize(("name", "arity"), [row[:2] for row in ks._core._ops()])
def test_an_operation_refuses_what_it_says(name, arity):
    does = set()
    for kind, dtype in kinds.items():
        x = ks.ones(2, dtype)
        try:
            getattr(ks, name)(*[x] * arity)
        except TypeError:
            does.add(kind)
    assert refused(getattr(ks, name).__doc__) == does


@pytest.mark.parametrize("name", ks._core._reductions())
def test_a_reduction_refuses_what_it_says_and_gives_of_nothing_what_it_says(name):
    reduction, text = getattr(ks, name), " ".join(getattr(ks, name).__doc__.split())
    does = set()
    for kind, dtype in kinds.items():
        try:
            reduction(ks.ones(2, dtype))
        except TypeError:
            does.add(kind)
    assert refused(text) == does
    if "Of no elements it raises ValueError" in text:
        with pytest.raises(ValueError):
            reduction(ks.ones(0))
    else:
        said = re.search(r"Of no elements it is (\w+)\.", text)[1]
        assert reduction(ks.ones(0)).item() == {"0": 0, "1": 1, "False": False, "True": True}[said]


def test_every_name_of_kernels_says_what_it_does():
    own = {name: getattr(ks.cuda, name) for name in dir(ks.cuda) if not name.startswith("_")}
    own |= {f"atomic.{name}": word for name, word in vars(ks.cuda.atomic).items()}
    bare = [name for name, value in own.items() if callable(value) and not inspect.getdoc(value)]
    same = [name for name, value in own.items() if inspect.getdoc(value) == type(value).__doc__ and callable(value)]
    assert not bare and not [name for name in same if not inspect.isclass(own[name])]
