"""check(f, ...): which checker looks at which kind of f."""

from __future__ import annotations

import copy
import types
from typing import Any

import numpy as np

from .. import _core
from .recorder import Recorder, is_array, unwrapped, view_of
from .watch import Watcher


class Findings(list):
    """The findings of one check, and what it could not look into; prints as a summary."""

    def __init__(self, findings=(), unseen=()):
        super().__init__(findings)
        self.unseen = sorted(unseen)  # names of functions whose inside was not watched

    def __str__(self):
        lines = [str(finding) for finding in self] or ["nothing found"]
        if self.unseen:
            lines.append(f"not watched inside: {', '.join(self.unseen)}")
        return "\n".join(lines)

    __repr__ = __str__


def check(f, *args, threads=None, block=None, grid=None, **kwargs) -> Any:
    """Runs `f(*args)` watched and returns a list of findings, empty when the program is clean.

    f: a jitted function, a CUDA kernel (with block= and grid= as at a launch, or kernel[grid, block]), an
    elementwise, reduction or scan kernel, a Delayed value, or a plain Python function: with threads=n its n
    concurrent calls, without it the threads that it starts itself. The run is on copies of the arguments. A Finding has kind ('race', 'bounds',
    'mutation', ...), array (the name in the source), line, and prints as one sentence. Exact for these
    arguments, whatever the timing; functions that the checker could not look into (C code that
    is handed a shared object) are named in `.unseen`, and in the list's own text.

    >>> shift = ks.ElementwiseKernel("float *x, float *y", "y[i] = x[i + 1]", "shift")
    >>> [finding.kind for finding in ks.check(shift, ks.ones(4, "float32"), ks.ones(4, "float32"))]
    ['bounds']
    """
    if isinstance(f, _core.Delayed):
        return _check_graph([f])
    launch = getattr(f, "_check", None)  # a kernel of cuda.jit, with or without its shape
    if launch is not None and not isinstance(f, type):
        return Findings(launch(args, grid, block, _shared(kwargs)))
    kernel = getattr(f, "__kasoku_kernel__", f)
    if isinstance(kernel, _core.RawKernel):
        return Findings(_core._check_kernel(kernel, args, block=block, grid=grid, shared=_shared(kwargs)))
    if isinstance(f, _MADE_OF_EXPRESSIONS):
        return Findings(
            f._check_call(tuple(_on_cpu(_copied(args))), dict(zip(kwargs, _on_cpu(_copied(kwargs.values())))))
        )
    if isinstance(f, _core.JitFunction):
        return Findings(_core._check_jit(f, tuple(_copied(args))))
    if not callable(f):
        raise TypeError(
            f"check: cannot look inside an object of type {type(f).__name__}\n  fix  give a function, a jitted function, a kernel or a Delayed value"
        )
    return _check_threads(f, args, kwargs, threads)


def _shared(options):
    """The bytes of dynamic shared memory that a launch is given, under either name; all else has no meaning there."""
    given = [options.pop(name) for name in ("shared", "shared_mem") if name in options]
    if options:
        raise TypeError(
            f"check: the launch of a kernel has no argument {next(iter(options))!r}\n  fix  block=, grid= and shared= (bytes)"
        )
    return given[0] if given else 0


_MADE_OF_EXPRESSIONS = (
    _core.ElementwiseKernel, _core.ReductionKernel, _core.InclusiveScanKernel, _core.ExclusiveScanKernel,
)  # fmt: skip


def _on_cpu(values):
    return [
        _core.array(value.numpy(), device="cpu")
        if isinstance(value, _core.Array) and value.device.kind != "cpu"
        else value
        for value in values
    ]


def _owner(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _copied(values):
    """Copies that keep what is shared among the arguments shared, overlapping views of an array too."""
    memo = {}
    owners = {}
    for value in values:
        if type(value) in (np.ndarray, np.memmap):
            owners.setdefault(id(_owner(value)), []).append(value)
    for views in owners.values():
        owner = _owner(views[0])
        if len(views) > 1 and owner.size and owner.flags.forc and not owner.dtype.hasobject:
            whole = owner.view(np.ndarray).copy(order="K").ravel(order="K").view(np.uint8)
            for view in views:
                start = view.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
                memo[id(view)] = np.ndarray(view.shape, view.dtype, whole, start, view.strides)
                memo[id(view)].flags.writeable = view.flags.writeable

    def one(value):
        if not isinstance(value, np.ndarray) and is_array(value):
            if id(value) not in memo:
                memo[id(value)] = (
                    value.copy() if hasattr(value, "copy") else value.clone() if hasattr(value, "clone") else value
                )
            return memo[id(value)]
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
    with patched_threads(recorder, watcher) as turns:
        if threads is None:
            call(*args, **kwargs)
        else:
            tasks = [recorder.new_task(f"{f.__name__} in thread {k + 1}", recorder.current) for k in range(threads)]
            started = [turns.run(task, lambda: call(*args, **kwargs)) for task in tasks]
            turns.until(lambda: all(turn.is_done for turn in started))
            for turn in started:
                if turn.error is not None:
                    raise turn.error
    return Findings(recorder.findings(), recorder.unseen)


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
            given = [(f"argument {position}", value) for position, value in enumerate(args)]
            return recorder.call_of_others(function, args, kwargs, given, ("", 0))

        return recorder.run_as(task, call)

    kept = {}  # arrays that the graph holds are changed by the run: put them back

    def remember(index, function, args, kwargs):
        for value in args:
            if (
                is_array(value)
                and id(value) not in kept
                and (old := view_of(value)) is not None
                and old.flags.writeable
            ):
                kept[id(value)] = (value, old.copy())
        return around(index, function, args, kwargs)

    try:
        _core._compute_watched(roots, remember)
    finally:
        for value, old in kept.values():
            unwrapped(value)[...] = old
    return Findings(recorder.findings(kind_of_array="mutation"), recorder.unseen)
