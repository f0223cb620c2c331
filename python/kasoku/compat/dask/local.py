"""dask.local: graphs that are run task by task where somebody looks on: callbacks, a cache, a pool of the program's. Without
these the engine runs them."""

import concurrent.futures
import functools
import os
import pickle
import queue
import threading

from kasoku import _task
from kasoku._delayed import _scheduler

from ._futures import give
from ._installed import rest_of
from ._task_spec import DataNode, convert_legacy_graph, cull
from .callbacks import Callback, local_callbacks, unpack_callbacks
from .core import flatten, getcycle, reverse_dict
from .order import order

__getattr__ = rest_of("local")


def nested_get(ind, coll):
    """The values of keys, tuples for lists of them."""
    return tuple(nested_get(i, coll) for i in ind) if isinstance(ind, list) else coll[ind]


def start_state_from_dask(dsk, cache=None, sortkey=None, keys=None):
    """The state before a run: tasks that are ready, tasks that wait, and values that are there."""
    values = {} if cache is None else cache
    graph = convert_legacy_graph(dsk, all_keys=set(dsk) | set(values))
    for key, node in graph.items():
        if isinstance(node, DataNode):
            values[key] = node()
    sortkey = sortkey or order(graph).get
    dependencies = {key: set(node.dependencies) for key, node in graph.items()}
    dependents = reverse_dict({key: needs & graph.keys() for key, needs in dependencies.items()})
    waiting = {key: needs - values.keys() for key, needs in dependencies.items() if key not in values}
    ready = sorted((key for key, needs in waiting.items() if not needs), key=sortkey, reverse=True)
    return {
        "dependencies": dependencies,
        "dependents": dependents,
        "waiting": {key: needs for key, needs in waiting.items() if needs},
        "waiting_data": {key: set(readers) for key, readers in dependents.items()},
        "cache": values,
        "ready": ready,
        "running": set(),
        "finished": set(),
        "released": set(),
    }


def release_data(key, state, delete=True):
    """Nobody waits for the value of `key` any longer."""
    state["waiting_data"].pop(key, None)
    state["released"].add(key)
    if delete:
        state["cache"].pop(key, None)


def finish_task(dsk, key, state, results, sortkey, delete=True, release_data=release_data):
    """Brings the state up to date when the task `key` has ended."""
    for reader in sorted(state["dependents"][key], key=sortkey, reverse=True):
        needs = state["waiting"][reader]
        needs.discard(key)
        if not needs:
            del state["waiting"][reader]
            state["ready"].append(reader)
    for need in state["dependencies"][key]:
        readers = state["waiting_data"].get(need)
        if readers is None:
            continue
        readers.discard(key)
        if not readers and need not in results:
            release_data(need, state, delete)
    state["finished"].add(key)
    state["running"].discard(key)
    return state


def _submit_at_once(fn, *args):
    future = concurrent.futures.Future()
    give(future, functools.partial(fn, *args))
    return future


class MultiprocessingPoolExecutor(concurrent.futures.Executor):
    """A pool of the module multiprocessing as an executor."""

    def __init__(self, pool):
        self.pool, self._max_workers = pool, len(pool._pool)

    submit = lambda self, fn, *args, **kwargs: submit_apply_async(self.pool.apply_async, fn, *args, **kwargs)


def submit_apply_async(apply_async, fn, *args, **kwargs):
    future = concurrent.futures.Future()
    apply_async(fn, args, kwargs, future.set_result, future.set_exception)
    return future


def _called(node, values):
    """The value of one task, and who computed it."""
    return node(values), (os.getpid(), threading.get_ident())


def _called_from(text):
    return _called(*pickle.loads(text))


def _sent(submit, node, values):
    """_called() in another process. cloudpickle also sends functions that have no importable name."""
    try:
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    return submit(_called_from, dumps((node, values)))


def _submit_of(pool):
    """How one task is given to an executor."""
    if isinstance(pool, (concurrent.futures.ProcessPoolExecutor, MultiprocessingPoolExecutor)):
        return functools.partial(_sent, pool.submit)
    return functools.partial(pool.submit, _called)


def get_async(submit, num_workers, dsk, result, cache=None, callbacks=None, **options):
    """Runs the graph by submit(function, *arguments), at most num_workers tasks at once; lists of keys give tuples."""
    wanted = set(flatten([result])) if isinstance(result, list) else {result}
    with local_callbacks(callbacks) as calls:
        _, start_states, pretasks, posttasks, _ = unpack_callbacks(calls)
        started, state, is_well = [], {}, False
        try:
            for one in calls:
                if one[0]:
                    one[0](dsk)
                started.append(one)
            graph = convert_legacy_graph(dsk, all_keys=set(dsk) | set(cache or ()))
            graph = cull(graph, [key for key in wanted if key in graph])
            place = order(graph).get
            state = start_state_from_dask(graph, cache, place)
            for call in start_states:
                call(graph, state)
            _check(graph, state, wanted)
            _run(submit, num_workers, graph, state, wanted, pretasks, posttasks, place)
            is_well = True
        finally:
            for one in started:
                if one[4]:
                    one[4](dsk, state, not is_well)
    return nested_get(result, state["cache"])


def _check(graph, state, wanted):
    for key in wanted:
        if key not in graph and key not in state["cache"]:
            raise KeyError(f"the graph has no key {key!r}")
    if state["waiting"] and not state["ready"]:
        raise ValueError("Found no accessible jobs in dask")


def _run(submit, num_workers, graph, state, wanted, pretasks, posttasks, place):
    done = queue.SimpleQueue()
    call_of = submit if isinstance(submit, functools.partial) else functools.partial(submit, _called)

    def fire():
        key = state["ready"].pop()
        state["running"].add(key)
        for call in pretasks:
            call(key, graph, state)
        node = graph[key]
        future = call_of(node, {need: state["cache"][need] for need in node.dependencies})
        future.add_done_callback(lambda future: done.put((key, future)))

    while state["ready"] or state["running"]:
        while state["ready"] and len(state["running"]) < num_workers:
            fire()
        key, future = done.get()
        value, worker = future.result()
        state["cache"][key] = value
        finish_task(graph, key, state, wanted, place)
        for call in posttasks:
            call(key, value, graph, state, worker)


def tuples(value, keys):
    """Lists of values, of lists of keys, as tuples."""
    return tuple(tuples(v, k) for v, k in zip(value, keys)) if isinstance(keys, list) else value


def _run_by_engine(dsk, keys, **options):
    try:
        return tuples(_scheduler(dsk, keys, **options), keys)
    except ValueError as error:
        if "cycle" not in str(error):
            raise
        cycle = getcycle(dsk, list(flatten([keys])))
        raise RuntimeError(f"Cycle detected in Dask: {'->'.join(map(str, cycle))}") from error
    except KeyError:
        missing = [(key, need) for key in dsk for need in getattr(dsk[key], "dependencies", ()) if need not in dsk]
        if not missing or any(key not in dsk for key in flatten([keys])):
            raise  # a task's own, or it says which key is not there
        key, need = missing[0]
        raise ValueError(f"Missing dependency {need} for dependents {{{key!r}}}") from None


def is_observed(options):
    has_cache = options.get("cache") or _task.defaults.get("cache") is not None
    return bool(has_cache or options.get("callbacks") or any(not hasattr(one, "bar") for one in Callback.active))


def get_sync(dsk, keys, **options):
    """The values of `keys` (a key, or nested lists of keys, which give tuples), one task after another."""
    if is_observed(options):
        options.pop("num_workers", None), options.pop("pool", None), options.pop("scheduler", None)
        options.setdefault("cache", _task.defaults.get("cache"))
        return get_async(_submit_at_once, 1, dsk, keys, **options)
    options["scheduler"] = "synchronous"
    return _run_by_engine(dsk, keys, **options)


def get_threaded(dsk, keys, cache=None, num_workers=None, pool=None, **options):
    """get_sync() on several threads: the engine's, or those of `pool`."""
    pool = pool or _task.defaults.get("pool")
    if pool is None and not is_observed({**options, "cache": cache}):
        if _task.defaults.get("scheduler") is not None:
            options["scheduler"] = "threads"  # that one may be what calls this
        return _run_by_engine(dsk, keys, num_workers=num_workers or _task.defaults.get("num_workers"), **options)
    if pool is not None and not isinstance(pool, concurrent.futures.Executor):
        if isinstance(pool, int):
            num_workers, pool = pool, None
        else:
            pool = MultiprocessingPoolExecutor(pool)
    options = {name: options[name] for name in ("callbacks",) if name in options}
    cache = cache if cache is not None else _task.defaults.get("cache")
    if pool is not None:
        return get_async(_submit_of(pool), pool._max_workers, dsk, keys, cache, **options)
    with _task.Pool(num_workers or _task.defaults.get("num_workers")) as own:
        return get_async(own.submit, own._max_workers, dsk, keys, cache, **options)


def _observed(graph, keys, scheduler=None, **options):
    """Runs graphs for compute() while callbacks observe it."""
    if isinstance(scheduler, concurrent.futures.Executor):
        options.setdefault("pool", scheduler)
    one = isinstance(scheduler, str) and scheduler.lower() in ("sync", "synchronous", "single-threaded")
    return (get_sync if one else get_threaded)(graph, keys, **options)


_task.get_observed = _observed
get_sync.is_kasokus = "synchronous"
get_threaded.is_kasokus = "threads"
_task.named_schedulers.update(dict.fromkeys(("sync", "synchronous", "single-threaded"), get_sync))
_task.named_schedulers.update(dict.fromkeys(("threads", "threading", "processes", "multiprocessing"), get_threaded))
get = get_sync
