"""Engines beyond this process that run graphs of delayed calls: a cluster of Dask, and Ray.

Both take the graph as Dask writes it (`_delayed.graph_of`). A process of theirs runs each task's function on its
arguments, which are pickled by content where they are ours (`_content.py`).
"""

import contextlib
import logging
import pickle
import sys
import uuid
import weakref

from . import __version__, errors
from ._core import Array


def get_of(scheduler):
    """The function get(graph, keys) of an engine; None if `scheduler` names none."""
    if isinstance(scheduler, str):
        return _on_ray if scheduler.lower() == "ray" else None
    distributed = sys.modules.get("distributed")
    if distributed is not None and isinstance(scheduler, distributed.Client):
        return lambda graph, keys, **options: _on_cluster(scheduler, graph, keys, **options)
    return None


def _unpicklable(error, where):
    """The error for a task that cannot be pickled."""
    first = error
    while first.__cause__:
        first = first.__cause__
    return errors.TypeError(
        f"compute: a task cannot be sent to {where}: {first}\n"
        "  why  its function and arguments are pickled; what is open in this process (a lock, a file, a thread) cannot be\n"
        "  fix  make it in the task"
    )


def _unpicklable_value(error, where):
    """The error for a task's value that cannot be pickled."""
    return errors.TypeError(
        f"compute: a task's value cannot be sent back from {where}: {str(error).partition(chr(10))[0]}\n"
        "  why  values are pickled; what is open in a process (a lock, a file, a thread) cannot be\n"
        "  fix  use it up in the task, and return what it gave"
    )


# ── a cluster of Dask ─────────────────────────────────────────────────────────────────────


@contextlib.contextmanager
def _asked(client, unpicklable):
    """Inside this context errors of a cluster become kasoku's, and distributed does not log them too."""
    from distributed.client import FutureCancelledError, FuturesCancelledError

    log, nothing = logging.getLogger("distributed.protocol.pickle"), lambda record: False
    log.addFilter(nothing)
    try:
        if client.status != "running":
            raise _gone(client)
        yield
    except (FutureCancelledError, FuturesCancelledError) as error:
        if client.status == "running":
            raise
        raise _gone(client) from error
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        if "Could not serialize" not in str(error):
            raise  # a task's own
        raise unpicklable(error, "the cluster") from error
    finally:
        log.removeFilter(nothing)


def _on_cluster(client, graph, keys, **options):
    from dask.highlevelgraph import HighLevelGraph

    if client.asynchronous:
        raise errors.TypeError(
            "compute: it waits, and this Client is asynchronous\n  fix  await client.compute(value), of Dask's protocol"
        )
    with _asked(client, _unpicklable):
        check_versions(client)
        graph = HighLevelGraph.from_collections(f"kasoku-{uuid.uuid4().hex}", graph)
        futures = client.get(graph, keys, sync=False, **options)
    try:
        with _asked(client, _unpicklable_value), _waiting():
            return client.gather(futures)
    except Exception as error:
        if (failed := _failed_task(client, futures)) is not None:
            error.add_note(f"in the task {failed}")
        raise
    finally:
        for future in futures:
            future.release()


@contextlib.contextmanager
def _waiting():
    """A task that waits for others leaves its thread to them."""
    from distributed import rejoin, secede

    try:
        secede()
        is_in_a_task = True
    except Exception:  # noqa: BLE001 - this is no task
        is_in_a_task = False
    try:
        yield
    finally:
        if is_in_a_task:
            rejoin()


def _failed_task(client, futures):
    """The key of the task whose exception the futures have; None if the scheduler cannot say."""
    failed = [future.key for future in futures if future.status == "error"]
    with contextlib.suppress(Exception):  # the task's own exception goes first
        # A function of a function goes by content: the scheduler may have no kasoku.
        return client.run_on_scheduler(
            lambda key, dask_scheduler: dask_scheduler.tasks[key].exception_blame.key, failed[0]
        )


def persist_on(client, value):
    """A value that stays in the cluster."""
    if client.asynchronous:
        return client.persist(value)
    with _asked(client, _unpicklable):
        check_versions(client)
        return client.persist(value)


def _gone(client):
    address = getattr(client.scheduler, "address", None) or "its address"
    return errors.DeviceError(
        f"compute: the cluster at {address} is gone: its scheduler does not answer\n  fix  start it again, and make a new Client"
    )


_checked = weakref.WeakKeyDictionary()  # the workers of a client that are known to have this version


def check_versions(client):
    """Raises if a worker has no kasoku or another version: it could not read what it is sent."""
    workers = set(client.scheduler_info(n_workers=-1)["workers"])
    if workers <= _checked.get(client, set()):
        return
    found = client.run(
        eval, "__import__('kasoku').__version__", on_error="return"
    )  # text: it may not know our functions
    for address, version in found.items():
        if version != __version__:
            has = f"has kasoku {version}" if isinstance(version, str) else f"has no kasoku ({version})"
            raise errors.DeviceError(
                f"compute: the worker at {address} {has}, this process has {__version__}\n"
                f"  fix  pip install kasoku=={__version__}, in the worker's environment"
            )
    _checked[client] = set(found)


def register_chunks():
    """Tells dask.array, if the process has it, that our arrays may be chunks of its own."""
    module = sys.modules.get("dask.array.chunk_types")
    if module is not None:
        module.register_chunk_type(Array)


# ── Ray ───────────────────────────────────────────────────────────────────────────────────


def _run(node, names, *values):
    try:
        return node(dict(zip(names, values)))
    except Exception as error:
        error.add_note(f"in the task {node.key}")
        raise


def _on_ray(graph, keys, **options):
    """Each task is a task of Ray's, whose inputs are references: values stay where they were computed."""
    try:
        import ray
    except ImportError:
        raise errors.UnsupportedError(
            'compute: scheduler="ray" needs Ray, which is not installed\n  fix  pip install ray'
        ) from None
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    run, references = ray.remote(_run), {}
    try:
        for key, node in graph.items():  # inputs first
            names = tuple(node.dependencies)
            references[key] = run.options(name=str(key)).remote(node, names, *(references[name] for name in names))
        return ray.get([references[key] for key in keys])
    except ray.exceptions.RayTaskError as error:
        if not isinstance(error.cause, Exception):
            raise
        raise error.cause from error  # whose text has the worker's traceback
    except TypeError as error:
        if "Could not serialize" not in str(error):
            raise
        raise _unpicklable(error, "Ray") from error
