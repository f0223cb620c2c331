"""Graphs as dictionaries of (function, argument, ...) tuples, as Dask's specification has them."""

from kasoku._delayed import _scheduler


def get_sync(dsk, keys, **options):
    """The values of `keys` (a key or nested lists of keys) in `dsk`, one task after another."""
    options["scheduler"] = "synchronous"
    return _scheduler(dsk, keys, **options)


def get_async(submit, num_workers, dsk, result, **options):
    return _scheduler(dsk, result, num_workers=num_workers, **options)


get_sync.is_kasokus = "synchronous"
get = get_sync
