"""dask.order: a number for each key, in which tasks run that keep few values at a time."""

from ._task_spec import convert_legacy_graph, in_order


def order(dsk, dependencies=None, *, return_stats=False):
    """{key: number}: what is needed comes first, one output after another."""
    return {key: number for number, key in enumerate(in_order(convert_legacy_graph(dsk)))}
