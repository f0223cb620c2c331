"""dask.callbacks: functions that are called as a graph runs."""

import contextlib

from kasoku import _task

_moments = ("_start", "_start_state", "_pretask", "_posttask", "_finish")


class Callback:
    """Called at a run's start (start, start_state), before and after each task (pretask, posttask) and at the end
    (finish): methods _start and so on of a subclass, or arguments. As a context manager, or by register()."""

    active = _task.observers  # what is called for every run

    def __init__(self, start=None, start_state=None, pretask=None, posttask=None, finish=None):
        for name, function in zip(_moments, (start, start_state, pretask, posttask, finish)):
            if function:
                setattr(self, name, function)

    _callback = property(lambda self: tuple(getattr(self, name, None) for name in _moments))

    def __enter__(self):
        self._entered = add_callbacks(self)
        self._entered.__enter__()
        return self

    def __exit__(self, *error):
        self._entered.__exit__(*error)

    def register(self):
        Callback.active.add(self._callback)

    def unregister(self):
        Callback.active.remove(self._callback)


def normalize_callback(cb):
    if isinstance(cb, Callback):
        return cb._callback
    if isinstance(cb, tuple):
        return cb
    raise TypeError("Callbacks must be either `Callback` or `tuple`")


def unpack_callbacks(cbs):
    """The functions that are called at each of the five moments of a run."""
    return [[function for function in moment if function] for moment in zip(*cbs)] if cbs else [()] * 5


class add_callbacks(contextlib.ContextDecorator):  # noqa: N801 - Dask's name
    """Callbacks for every run within."""

    def __init__(self, *callbacks):
        self.callbacks = [normalize_callback(c) for c in callbacks]

    def __enter__(self):
        Callback.active.update(self.callbacks)

    def __exit__(self, *error):
        for one in self.callbacks:
            Callback.active.discard(one)


@contextlib.contextmanager
def local_callbacks(callbacks=None):
    """The callbacks of a run: those given, or all that are active, which runs inside of its tasks do not call again."""
    is_global = callbacks is None
    if is_global:
        callbacks, kept = set(Callback.active), set(Callback.active)
        Callback.active.clear()
    try:
        yield [normalize_callback(c) for c in callbacks] if callbacks else ()
    finally:
        if is_global:
            Callback.active.update(kept)
