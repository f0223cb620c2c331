"""dask.config: `set` takes scheduler= and num_workers=, which compute() then uses."""

from __future__ import annotations

from kasoku._task import defaults as _settings


class set:  # noqa: A001 - Dask's own name
    """As a call or a context manager: dask.config.set(scheduler="threads", num_workers=4)."""

    def __init__(self, arg=None, **settings):
        self._token = _settings.set({**_settings.get(), **(arg or {}), **settings})

    def __enter__(self):
        return self

    def __exit__(self, *error):
        _settings.reset(self._token)


def get(key, default=None):
    return _settings.get().get(key, default)
