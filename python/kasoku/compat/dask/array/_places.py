"""The modules where Dask keeps what dask.array has, by its names: each gives all of it. What the face lacks there, helpers
that plan and hold no engine, is of the installed Dask's module of that name, executed on the face."""

import importlib
import sys
import types

import kasoku as ks

from .. import _installed

_package = __package__
_names = (
    "_reductions_generic _shuffle backends blockwise creation einsumfuncs gufunc optimization overlap percentile rechunk reductions reshape routines "
    "slicing stats ufunc wrap"
).split()


def getter(name):
    rest = _installed.rest_of(f"array.{name}")

    def get(attribute):
        found = getattr(sys.modules[_package], attribute, None) if not attribute.startswith("__") else None
        if found is not None and not isinstance(found, types.ModuleType):
            return found
        _register()
        return rest(attribute)

    return get


def _register():
    """Dask's helpers find what joins and multiplies arrays by their class: NumPy's, and ours."""
    if not _is_registered and _installed.module("array.backends"):
        _is_registered.append(True)
        dispatch = importlib.import_module(f"{_package}.dispatch")
        for name in ("concatenate", "tensordot", "einsum", "take", "empty"):
            getattr(dispatch, f"{name}_lookup").register(ks.Array, getattr(ks, name))


_is_registered = []


for _name in _names:
    _module = types.ModuleType(f"{_package}.{_name}", "What dask.array has, by the module where Dask keeps it.")
    _module.__getattr__ = getter(_name)
    sys.modules[_module.__name__] = _module
    if _name not in vars(sys.modules[_package]):
        setattr(sys.modules[_package], _name, _module)
