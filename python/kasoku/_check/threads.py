"""Threads and executors that run their work at once, as tasks of the recorder.

While a check runs, Thread.start and Executor.submit run their target where they are called, as a task of
its own that nothing orders with the others; join() and result() are the orders that the program makes.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import threading
from unittest import mock


@contextlib.contextmanager
def patched_threads(recorder, watcher):
    tasks = {}

    def start(thread):
        task = recorder.new_task(f"thread {thread.name}", recorder.current)
        tasks[thread] = task
        target = thread._target
        if target is not None:
            call = watcher.replacement(target) or target
            recorder.run_as(task, lambda: call(*thread._args, **thread._kwargs))
        else:
            run = watcher.replacement(thread.run) or thread.run
            recorder.run_as(task, run)

    def join(thread, timeout=None):
        if thread in tasks:
            recorder.join(tasks[thread])

    class Future(concurrent.futures.Future):
        def result(self, timeout=None):
            recorder.join(self.task)
            return super().result(0)

    def submit(executor, fn, /, *args, **kwargs):
        future = Future()
        future.task = recorder.new_task(f"call of {getattr(fn, '__name__', 'function')}", recorder.current)
        call = watcher.replacement(fn) or fn
        try:
            future.set_result(recorder.run_as(future.task, lambda: call(*args, **kwargs)))
        except Exception as error:
            future.set_exception(error)
        return future

    def run_map(executor, fn, *iterables, timeout=None, chunksize=1):
        futures = [submit(executor, fn, *args) for args in zip(*iterables)]
        return (future.result() for future in futures)

    def shutdown(executor, wait=True, *, cancel_futures=False):
        for task in list(recorder.tasks):
            if task is not recorder.current and wait:
                recorder.join(task)

    pool = concurrent.futures.ThreadPoolExecutor
    with (
        mock.patch.object(threading.Thread, "start", start),
        mock.patch.object(threading.Thread, "join", join),
        mock.patch.object(threading.Thread, "is_alive", lambda thread: False),
        mock.patch.object(pool, "submit", submit),
        mock.patch.object(pool, "map", run_map),
        mock.patch.object(pool, "shutdown", shutdown),
    ):
        yield
