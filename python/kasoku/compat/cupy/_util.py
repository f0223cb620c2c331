"""cupy._util: memoized functions, and warnings."""

import functools

import kasoku as ks

_remembered = []
ENABLE_SLICE_COPY = False
CUDA_ARRAY_INTERFACE_EXPORT_VERSION = 3


class PerformanceWarning(RuntimeWarning):
    """Something works, slower than it could."""


def memoize(for_each_device=False):
    """Remembers results by the arguments, also by the device if asked for."""

    def decorate(function):
        results = {}
        _remembered.append(results)

        @functools.wraps(function)
        def call(*args, **kwargs):
            key = (args, frozenset(kwargs.items()))
            if for_each_device:
                from .cuda import get_device_id

                key = (get_device_id(), *key)
            if key not in results:
                results[key] = function(*args, **kwargs)
            return results[key]

        return call

    return decorate


def clear_memo():
    for results in _remembered:
        results.clear()


def add_method(name, function, is_ours=None):
    """Gives the engine's arrays a method. Where they have it, theirs is asked first, and the face's
    only if it does not take the arguments: what the engine refuses stays refused for everybody.
    is_ours(array, arguments…) says of which calls the face is asked first."""
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
    method.__name__ = name
    # Pickles name it as they name the engine's, which is what another process finds there.
    method.__module__, method.__qualname__ = ks.Array.__module__, f"{ks.Array.__qualname__}.{name}"
    method.__doc__ = getattr(engines, "__doc__", None) or function.__doc__ or f"cupy.ndarray.{name}."
    setattr(ks.Array, name, method)
