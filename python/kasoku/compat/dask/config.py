"""dask.config where Dask is not installed: `set` takes scheduler=, num_workers= and delayed_pure=, which delayed() and
compute() then use; other settings are kept and mean nothing."""

from __future__ import annotations

import threading

_lock = threading.RLock()
_none = object()
config = {}


def canonical_name(key, _config=None):
    return key.replace("-", "_")


def _replace(settings):
    config.clear()
    config.update(settings)


class set:
    """Sets options, as a call or as a context manager: dask.config.set(scheduler="threads", num_workers=4)."""

    def __init__(self, arg=None, config=None, lock=_lock, **settings):
        named = {**(arg or {}), **{name.replace("__", "."): value for name, value in settings.items()}}
        with _lock:
            self._before = globals()["config"].copy()
            _replace({**self._before, **{canonical_name(key): value for key, value in named.items()}})

    __enter__ = lambda self: config

    def __exit__(self, *error):
        _replace(self._before)


def get(key, default=_none, config=None, override_with=None):
    """A setting; "a.b" as well as "a" for all that begin so."""
    if override_with is not None:
        return override_with
    key, settings = canonical_name(key), globals()["config"] if config is None else config
    if key in settings:
        return settings[key]
    below = {name[len(key) + 1 :]: value for name, value in settings.items() if name.startswith(key + ".")}
    if below:
        return below
    if default is _none:
        raise KeyError(key)
    return default


def refresh(config=None, **options):
    """Forgets every setting."""
    _replace({})


def update_defaults(new, **options):
    _replace({**{canonical_name(key): value for key, value in new.items()}, **globals()["config"]})
