"""The names of the Python array API standard, 2024.12, under signatures that take what the standard's take."""

import inspect
import warnings

import array_api_strict
import kasoku as ks
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    array_api_strict.set_array_api_strict_flags(api_version="2024.12")

own = {
    name for name in array_api_strict.__all__ if "strict" in name.lower()
}  # names of that package and of nobody else
# What that package has of a later version of the standard.
later = {"broadcast_shapes", "isin"}


def names_of(module, prefix=""):
    names = sorted({*module.__all__} - own - later)
    return [prefix + name for name in names if not name.startswith("__")]


all_names = [
    *names_of(array_api_strict),
    *names_of(array_api_strict.linalg, "linalg."),
    *names_of(array_api_strict.fft, "fft."),
]


def found(root, name):
    for part in name.split("."):
        root = getattr(root, part)
    return root


functions = [name for name in all_names if inspect.isfunction(found(array_api_strict, name))]
methods = [name for name, value in vars(type(array_api_strict.asarray(1))).items() if inspect.isfunction(value)]
public = [name for name in methods if name.startswith("__") or not name.startswith("_")]
# Of Python and of NumPy, not of the standard.
public = [name for name in public if name not in ("__new__", "__init__", "__array__", "__buffer__", "__iter__")]


def lacks(wanted, given):
    """What calls that the signature `wanted` allows, `given` does not take."""
    theirs, ours = list(wanted.parameters.values()), list(given.parameters.values())
    takes_all = any(p.kind is p.VAR_POSITIONAL for p in ours)
    problems = []
    at = 0
    for parameter in theirs:
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            mine = ours[at] if at < len(ours) else None
            if mine is None or mine.kind not in (mine.POSITIONAL_ONLY, mine.POSITIONAL_OR_KEYWORD):
                if not takes_all:
                    problems.append(f"no place {at} for {parameter.name}")
            elif parameter.kind is parameter.POSITIONAL_OR_KEYWORD and (
                mine.name != parameter.name or (mine.kind is mine.POSITIONAL_ONLY and at > 0)
            ):
                problems.append(f"{parameter.name} is called {mine.name}")
            elif parameter.default is not parameter.empty and mine.default is mine.empty:
                problems.append(f"{parameter.name} must be given")
            at += 1
        elif parameter.kind is parameter.VAR_POSITIONAL:
            if not takes_all:
                problems.append(f"no *{parameter.name}")
        elif parameter.kind is parameter.KEYWORD_ONLY:
            mine = given.parameters.get(parameter.name)
            if mine is None or mine.kind is mine.POSITIONAL_ONLY:
                problems.append(f"no {parameter.name}=")
    named = {p.name for p in theirs}
    required = [
        p.name for i, p in enumerate(ours) if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    n_required = len(
        [p for p in theirs if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    )
    if len(required) > n_required and not set(required) <= named:
        problems.append(f"{required} must be given")
    return problems


@pytest.mark.parametrize("name", all_names)
def test_a_name_of_the_standard_is_there(name):
    assert found(ks, name) is not None or name == "newaxis"


@pytest.mark.parametrize("name", functions)
def test_a_function_takes_what_the_standard_says(name):
    assert lacks(inspect.signature(found(array_api_strict, name)), inspect.signature(found(ks, name))) == []


@pytest.mark.parametrize("name", public)
def test_a_method_takes_what_the_standard_says(name):
    theirs = getattr(type(array_api_strict.asarray(1)), name)
    assert lacks(inspect.signature(theirs), inspect.signature(getattr(ks.Array, name))) == []


@pytest.mark.parametrize("name", ["T", "mT", "device", "dtype", "ndim", "shape", "size"])
def test_an_attribute_of_the_standard_is_there(name):
    assert hasattr(ks.ones((2, 2)), name)
