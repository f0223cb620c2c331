"""check(f, ...): which checker looks at which kind of f."""

from __future__ import annotations

import copy
import types

import numpy as np

from .. import _core
from .recorder import Recorder
from .rewrite import Watcher


def check(f, *args, threads=None, block=None, grid=None, **kwargs):
    """Runs `f(*args)` watched and returns a list of findings, empty when the program is clean.

    f: a jitted function, a CUDA kernel (with block= and grid= as at a launch), a Delayed value, or a plain
    Python function: with threads=n its n concurrent calls, without it the threads that it starts itself.
    The run is on copies of the arguments. A Finding has kind ('race', 'bounds', 'mutation', ...), array
    (the name in the source), line, and prints as one sentence. Exact for these arguments, whatever the
    timing; what the checker cannot see (C code that keeps references, processes), it does not report.
    """
    if isinstance(f, _core.Delayed):
        return _check_graph([f])
    kernel = getattr(f, "__kasoku_kernel__", f)
    if isinstance(kernel, _core.RawKernel):
        return _core._check_kernel(kernel, args, block=block, grid=grid, shared=kwargs.pop("shared", 0))
    if isinstance(f, _core.JitFunction):
        return _core._check_jit(f, tuple(_copied(args)))
    if not callable(f):
        raise TypeError(
            f"check: cannot look inside a {type(f).__name__}\n  fix  give a function, a jitted function, a kernel or a Delayed value"
        )
    return _check_threads(f, args, kwargs, threads)


def _copied(values):
    """Copies that keep what is shared among the arguments shared."""
    memo = {}

    def one(value):
        if isinstance(value, (np.ndarray, list, dict, set, bytearray)):
            try:
                return copy.deepcopy(value, memo)
            except Exception:
                return value
        return value

    return [one(value) for value in values]


def _check_threads(f, args, kwargs, threads):
    from .threads import patched_threads

    recorder = Recorder()
    watcher = Watcher(recorder)
    call = watcher.replacement(f)
    if call is None:
        if not isinstance(f, (types.FunctionType, types.MethodType)):
            raise TypeError(f"check: {getattr(f, '__name__', f)!r} has no Python source to look at")
        call = f
    args = _copied(args)
    kwargs = dict(zip(kwargs, _copied(kwargs.values())))
    with patched_threads(recorder, watcher):
        if threads is None:
            call(*args, **kwargs)
        else:
            tasks = [recorder.new_task(f"{f.__name__} in thread {k + 1}", recorder.current) for k in range(threads)]
            for task in tasks:
                recorder.run_as(task, lambda: call(*args, **kwargs))
                recorder.join(task)
    return recorder.findings()


def _check_graph(roots):
    """Tasks of a delayed graph, ordered by their inputs alone."""
    recorder = Recorder()
    watcher = Watcher(recorder)
    entries = _core._describe_tasks(roots)
    tasks = {}

    def around(index, function, args, kwargs):
        label = f"task {entries[index][0]}"
        task = recorder.new_task(label, None)
        for before in entries[index][2]:
            if before in tasks:
                recorder.join(tasks[before], task)
        tasks[index] = task
        target = getattr(function, "py_func", function)
        watched = watcher.replacement(target)

        def call():
            if watched is not None:
                return watched(*args, **kwargs)
            for position, value in enumerate(args):
                if isinstance(value, np.ndarray):
                    recorder.array(value, False, f"argument {position}", ("", 0))
            before = [a.tobytes() if isinstance(a, np.ndarray) else None for a in args]
            result = function(*args, **kwargs)
            for position, (value, old) in enumerate(zip(args, before)):
                if old is not None and value.tobytes() != old:
                    recorder.array(value, True, f"argument {position}", ("", 0))
            return result

        return recorder.run_as(task, call)

    kept = {}  # arrays that the graph holds are changed by the run: put them back

    def remember(index, function, args, kwargs):
        for value in args:
            if isinstance(value, np.ndarray) and id(value) not in kept and value.flags.writeable:
                kept[id(value)] = (value, value.copy())
        return around(index, function, args, kwargs)

    try:
        _core._compute_watched(roots, remember)
    finally:
        for value, old in kept.values():
            value[...] = old
    return recorder.findings(kind_of_array="mutation")
