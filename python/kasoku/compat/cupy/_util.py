"""cupy._util: memoized functions, and warnings."""

import functools
import types

import kasoku as ks
from kasoku import _core

_remembered = []
ENABLE_SLICE_COPY = False
CUDA_ARRAY_INTERFACE_EXPORT_VERSION = 3


class PerformanceWarning(RuntimeWarning):
    """Something works, slower than it could."""


def memoize(for_each_device=False):
    """Remembers results by the arguments, also by the device if asked for."""

    def decorate(function):
        @functools.cache
        def remembered(device, *args, **kwargs):
            return function(*args, **kwargs)

        @functools.wraps(function)
        def call(*args, **kwargs):
            from .cuda import get_device_id

            return remembered(get_device_id() if for_each_device else None, *args, **kwargs)

        _remembered.append(remembered)
        return call

    return decorate


def clear_memo():
    for one in _remembered:
        one.cache_clear()


_functions = (types.FunctionType, type(_core.arange), type(_core.add))


def in_face(space):
    """Has the functions of a module (its globals) or a class give arrays of this package's class, cupy.ndarray."""
    is_class = isinstance(space, type)
    for name, value in list(vars(space).items() if is_class else space.items()):
        if not isinstance(value, _functions) or not (value.__module__ or "").startswith("kasoku"):
            continue
        if is_class and name != "__new__":
            setattr(space, name, _core._in_face(value))
        elif not is_class and not name.startswith("_"):
            space[name] = _core._in_face(value)
    return space


def inherit(cls, properties=()):
    """Has methods that a class inherits from one of ks's, and these properties, give arrays of this package's class."""
    inherited = vars(cls.__base__)
    for name, value in inherited.items():
        if isinstance(value, types.FunctionType) and name not in vars(cls):
            setattr(cls, name, _core._in_face(value))
    for name in properties:
        setattr(cls, name, property_in_face(inherited[name]))
    return cls


def property_in_face(of):
    return property(_core._in_face(of.fget), of.fset and _core._in_face(of.fset), doc=of.__doc__)


def add_method(name, function, is_ours=None):
    """Gives this package's arrays a method. Where the engine's have it, theirs is asked first, and the face's
    only if it does not take the arguments: what the engine refuses stays refused for everybody.
    is_ours(array, arguments…) says of which calls the face is asked first."""
    from ._arrays import ndarray

    engines = getattr(ks.Array, name, None)

    def method(self, *args, **kwargs):
        if kwargs.get("out") is not None or (is_ours and is_ours(self, *args, **kwargs)):
            return function(self, *args, **kwargs)
        try:
            return engines(self, *args, **kwargs)
        except (TypeError, RuntimeError) as error:
            if isinstance(error, ks.errors.Error):
                raise
            return function(self, *args, **kwargs)

    method = function if engines is None else method
    method.__name__, method.__module__, method.__qualname__ = name, ndarray.__module__, f"{ndarray.__qualname__}.{name}"
    method.__doc__ = getattr(engines, "__doc__", None) or function.__doc__ or f"cupy.ndarray.{name}."
    setattr(ndarray, name, _core._in_face(method))
