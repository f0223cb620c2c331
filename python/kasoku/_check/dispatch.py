"""check(f, ...): which checker looks at which kind of f."""

from __future__ import annotations

import types
from typing import Any

from .. import _core
from .compiled import check_compiled, copied
from .launches import Ended, watched
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
    concurrent calls, without it the threads that it starts itself; kernels that it launches and compiled loops
    that it calls are checked too. The run is on copies of the arguments. A Finding has kind ('race', 'bounds',
    'mutation', ...), array (the name in the source), line, and prints as one sentence. Exact for these
    arguments, whatever the timing; functions that the checker could not look into (C code that
    is handed a shared object) are named in `.unseen`, and in the list's own text.

    >>> shift = ks.ElementwiseKernel("float *x, float *y", "y[i] = x[i + 1]", "shift")
    >>> [finding.kind for finding in ks.check(shift, ks.ones(4, "float32"), ks.ones(4, "float32"))]
    ['bounds']
    """
    if isinstance(f, _core.Delayed):
        return _check_graph([f])
    found = check_compiled(f, args, kwargs, block, grid)
    if found is not None:
        return Findings(found)
    if not callable(f):
        raise TypeError(
            f"check: cannot look inside an object of type {type(f).__name__}\n  fix  give a function, a jitted function, a kernel or a Delayed value"
        )
    return _check_threads(f, args, kwargs, threads)


def _check_threads(f, args, kwargs, threads):
    from .threads import patched_threads

    recorder = Recorder()
    watcher = Watcher(recorder)
    call = watcher.replacement(f)
    if call is None:
        if not isinstance(f, (types.FunctionType, types.MethodType)):
            raise TypeError(f"check: {getattr(f, '__name__', f)!r} has no Python source to look at")
        call = f
    args = copied(args)
    kwargs = dict(zip(kwargs, copied(kwargs.values())))
    with watched() as launches, Ended(), patched_threads(recorder, watcher) as turns:
        if threads is None:
            call(*args, **kwargs)
        else:
            tasks = [recorder.new_task(f"{f.__name__} in thread {k + 1}", recorder.current) for k in range(threads)]
            started = [turns.run(task, lambda: call(*args, **kwargs)) for task in tasks]
            turns.until(lambda: all(turn.is_done for turn in started))
            for turn in started:
                if turn.error is not None:
                    raise turn.error
    return _all_of(recorder.findings(), recorder, launches)


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

    with watched() as launches, Ended():
        try:
            _core._compute_watched(roots, remember)
        finally:
            for value, old in kept.values():
                unwrapped(value)[...] = old
    return _all_of(recorder.findings(kind_of_array="mutation"), recorder, launches)


def _all_of(findings, recorder, launches):
    """What a run in Python showed, and what its launches of kernels and its compiled loops did."""
    unchecked = {f"{name} ({why})" for name, why in launches.unchecked.items()}
    return Findings([*findings, *launches.all_findings()], recorder.unseen | unchecked)
