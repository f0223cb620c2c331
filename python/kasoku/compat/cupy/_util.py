"""cupy._util: memoized functions, and warnings."""

import functools

_remembered = []
ENABLE_SLICE_COPY = False


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
