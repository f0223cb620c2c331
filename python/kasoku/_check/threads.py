"""The standard library's threads while a check runs: they take turns (turns.py)."""

from __future__ import annotations

import _thread
import collections
import concurrent.futures
import contextlib
import multiprocessing.pool
import queue
import selectors
import sys
import threading
import time
import types
from unittest import mock

from .hook import Hook
from .launches import is_finding
from .turns import Deadlock, Turns


@contextlib.contextmanager
def patched_threads(recorder, watcher):
    """Yields the Turns of the program's threads; a deadlock ends the block and is among the findings."""
    turns = recorder.turns = Turns(recorder)
    try:
        with contextlib.ExitStack() as stack:
            for owner, name, replacement in make_patches(recorder, watcher, turns):
                stack.enter_context(mock.patch.object(owner, name, replacement))
            with contextlib.suppress(Deadlock):
                yield turns
    finally:
        turns.finish()


def make_patches(recorder, watcher, turns):
    """(object, name, replacement) of what threads start with and wait in."""
    makers = (_of_threads, _of_pools, _of_events, _of_conditions, _of_barriers, _of_queues, _of_semaphores)
    return [patch for make in makers for patch in make(recorder, watcher, turns)]


def _watched(function, recorder, watcher):
    """What a thread calls; a method of a container, which has no text, as if it were called where the thread starts."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if not isinstance(function, types.BuiltinMethodType) or isinstance(owner, (types.ModuleType, type(None))):
        return watcher.replacement(function) or function
    file, line = recorder.last_place
    hook, text = Hook(recorder, watcher, file, {}), type(owner).__name__
    return lambda *args, **kwargs: hook.call(
        hook.method(owner, name, text, line), f"{text}.{name}", (), (), line, *args, **kwargs
    )


def _of_threads(recorder, watcher, turns):
    tasks = {}

    def start(thread):
        if thread in tasks:
            raise RuntimeError("threads can only be started once")
        task = recorder.new_task(f"thread {thread.name}", recorder.current)
        target = thread._target and _watched(thread._target, recorder, watcher)

        def call():
            thread._ident = _thread.get_ident()
            threading._active[thread._ident] = thread
            try:
                if isinstance(thread, threading.Timer):  # its run() is the library's, what it calls the user's
                    thread.function = watcher.replacement(thread.function) or thread.function
                if type(thread).run is threading.Thread.run:
                    if target is not None:
                        target(*thread._args, **thread._kwargs)
                else:
                    (watcher.replacement(thread.run) or thread.run)()
            except Exception as error:  # as where nobody watches
                if not turns.is_dead and not is_finding(error):
                    threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), thread)))
            finally:
                threading._active.pop(thread._ident, None)

        tasks[thread] = (task, None)
        turn = turns.run(task, call)
        tasks[thread] = (task, turn)

    def is_alive(thread):
        return thread in tasks and (tasks[thread][1] is None or not tasks[thread][1].is_done)

    def join(thread, timeout=None):
        if thread not in tasks:
            raise RuntimeError("cannot join thread before it is started")
        if turns.until(lambda: not is_alive(thread), timeout is not None):
            recorder.join(tasks[thread][0])

    return [
        (threading.Thread, "start", start), (threading.Thread, "join", join), (threading.Thread, "is_alive", is_alive),
        (time, "sleep", lambda seconds: turns.sleep()), (selectors.DefaultSelector, "select", _select_of(turns)),
    ]  # fmt: skip


def _select_of(turns):
    """How the loop of asyncio waits: others take their turns until one of them, or the world outside, calls it."""
    select = selectors.DefaultSelector.select

    def waiting(selector, timeout=None):
        if getattr(turns.mine, "turn", None) is None or (timeout is not None and timeout <= 0):
            return select(selector, timeout)
        found, end = [], None if timeout is None else time.monotonic() + timeout

        def ready():
            found[:] = select(selector, 0)
            return found or (end is not None and time.monotonic() >= end)

        while not turns.until(ready, may_give_up=True):
            found[:] = select(selector, 0.001)
            if found:
                break
        return found

    return waiting


def _of_pools(recorder, watcher, turns):
    from .._task import Pool

    futures = {}

    class Future(concurrent.futures.Future):
        def seen(self, timeout=None):
            if turns.until(self.done, timeout is not None):
                recorder.join(self.task)
            return self

        def result(self, timeout=None):
            return concurrent.futures.Future.result(self.seen(timeout), 0)

        def exception(self, timeout=None):
            return concurrent.futures.Future.exception(self.seen(timeout), 0)

        def add_done_callback(self, fn):
            """Some thread runs it, after the call; only the end of the pool comes after it."""
            task = recorder.new_task(f"callback of {self.task.label}", recorder.current)
            self.followers = [*getattr(self, "followers", ()), task]

            def follow(done):
                recorder.join(self.task, task)
                recorder.run_as(task, lambda: (watcher.replacement(fn) or fn)(done))

            super().add_done_callback(follow)

    def submit(executor, fn, /, *args, **kwargs):
        future = Future()
        future.task = recorder.new_task(f"call of {getattr(fn, '__name__', 'function')}", recorder.current)
        others = futures.setdefault(id(executor), [])
        call_it = _watched(fn, recorder, watcher)
        before = others[-1][1] if others and executor._max_workers == 1 else None  # one worker: one after the other

        def call():
            if before is not None:
                before.seen()
            try:
                if executor._initializer is not None:  # as if each call had a worker of its own
                    (watcher.replacement(executor._initializer) or executor._initializer)(*executor._initargs)
                future.set_result(call_it(*args, **kwargs))
            except Exception as error:
                future.set_exception(error)

        others.append((executor, future))
        turns.run(future.task, call)
        return future

    def run_map(executor, fn, *iterables, timeout=None, chunksize=1):
        made = [submit(executor, fn, *args) for args in zip(*iterables)]
        return (future.result() for future in made)

    def shutdown(executor, wait=True, *, cancel_futures=False):
        for _, future in futures.get(id(executor), []):
            if wait:
                for task in getattr(future.seen(), "followers", ()):
                    recorder.join(task)

    def wait_for(fs, timeout=None, return_when=concurrent.futures.ALL_COMPLETED):
        result = concurrent.futures.wait(fs, timeout, return_when)
        # Which one is the first is a matter of timing: who asks it for its result knows.
        if return_when != concurrent.futures.FIRST_COMPLETED or len(result.done | result.not_done) == 1:
            for future in result.done:
                future.seen()
        return result

    def as_completed(fs, timeout=None):
        return (future.seen() for future in concurrent.futures.as_completed(fs, timeout))

    watcher.patches.update({concurrent.futures.wait: wait_for, concurrent.futures.as_completed: as_completed})
    pools = (concurrent.futures.ThreadPoolExecutor, Pool)
    replaced = {"submit": submit, "map": run_map, "shutdown": shutdown}
    ours = [(pool, name, replacement) for pool in pools for name, replacement in replaced.items()]
    methods = _thread_pool_methods(watcher, submit, shutdown)
    return ours + [(multiprocessing.pool.ThreadPool, *method) for method in methods.items()]


class _PoolResult:
    """What multiprocessing's pool of threads gives at once for one call, or for many."""

    def __init__(self, futures, is_one):
        self.futures, self.is_one = futures, is_one

    def get(self, timeout=None):
        values = [future.result(timeout) for future in self.futures]
        return values[0] if self.is_one else values

    def wait(self, timeout=None):
        for future in self.futures:
            future.seen(timeout)

    def ready(self):
        return all(future.done() for future in self.futures)

    def successful(self):
        return all(future.exception() is None for future in self.futures)


def _thread_pool_methods(watcher, submit, shutdown):
    """Methods of multiprocessing's pool of threads, by an executor's submit(pool, function, ...) and shutdown(pool)."""

    def pool_init(pool, processes=None, initializer=None, initargs=()):
        pool._max_workers, pool._initializer, pool._initargs = processes or 2, initializer, initargs
        pool._state = multiprocessing.pool.CLOSE  # nothing to end

    def apply_async(pool, func, args=(), kwds=None, callback=None, error_callback=None):
        future = submit(pool, func, *args, **(kwds or {}))

        def follow(done):
            error = done.exception()
            call, what = (error_callback, error) if error else (callback, done.result())
            if call is not None:
                (watcher.replacement(call) or call)(what)

        future.add_done_callback(follow)
        return _PoolResult([future], True)

    def map_async(pool, func, iterable, chunksize=None, callback=None, error_callback=None):
        return _PoolResult([submit(pool, func, item) for item in iterable], False)

    def starmap_async(pool, func, iterable, chunksize=None, callback=None, error_callback=None):
        return _PoolResult([submit(pool, func, *items) for items in iterable], False)

    return {
        "__init__": pool_init, "apply_async": apply_async, "map_async": map_async, "starmap_async": starmap_async,
        "apply": lambda pool, func, args=(), kwds=None: apply_async(pool, func, args, kwds).get(),
        "map": lambda *args, **kwargs: map_async(*args, **kwargs).get(),
        "starmap": lambda *args, **kwargs: starmap_async(*args, **kwargs).get(),
        "imap": lambda *args, **kwargs: iter(map_async(*args, **kwargs).get()),
        "imap_unordered": lambda *args, **kwargs: iter(map_async(*args, **kwargs).get()),
        "close": lambda pool: None, "terminate": shutdown, "join": shutdown,
        "__enter__": lambda pool: pool, "__exit__": lambda pool, *error: shutdown(pool),
    }  # fmt: skip


def _of_events(recorder, watcher, turns):
    set_event, is_set = threading.Event.set, threading.Event.is_set

    def event_set(event):
        recorder.sync_out(event)
        set_event(event)

    def event_is_set(event):
        if is_set(event):
            recorder.sync_in(event)
        return is_set(event)

    def event_wait(event, timeout=None):
        turns.until(lambda: is_set(event), timeout is not None)
        return event_is_set(event)

    return [
        (threading.Event, "set", event_set), (threading.Event, "wait", event_wait),
        (threading.Event, "is_set", event_is_set), (threading.Event, "isSet", event_is_set),
    ]  # fmt: skip


def _of_conditions(recorder, watcher, turns):
    waiters, wait_for = {}, threading.Condition.wait_for

    def condition_wait(condition, timeout=None):
        if not condition._is_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        mark = [None]  # what the one that tells it had done
        waiters.setdefault(id(condition), []).append((condition, mark))
        recorder.drop(condition)
        saved = condition._release_save()
        told = turns.until(lambda: mark[0] is not None, timeout is not None)
        turns.until(lambda: condition._lock.acquire(False))
        condition._lock.release()
        condition._acquire_restore(saved)
        recorder.hold(condition)
        if told:
            recorder.follow(mark[0])
        else:
            waiters[id(condition)].remove((condition, mark))
        return told

    def condition_notify(condition, n=1):
        if not condition._is_owned():
            raise RuntimeError("cannot notify on un-acquired lock")
        waiting, clock = waiters.get(id(condition), []), recorder.signal()
        for _, mark in waiting[:n]:
            mark[0] = clock
        del waiting[:n]

    def condition_notify_all(condition):
        condition_notify(condition, len(waiters.get(id(condition), [])))

    def condition_wait_for(condition, predicate, timeout=None):
        predicate = watcher.replacement(predicate) or predicate

        def test():
            mark, value = recorder.begin_test(), False
            try:
                value = predicate()
            finally:
                recorder.end_test(mark, bool(value))
            return value

        return wait_for(condition, test, timeout)

    return [
        (threading.Condition, "wait_for", condition_wait_for),
        (threading.Condition, "wait", condition_wait), (threading.Condition, "notify", condition_notify),
        (threading.Condition, "notify_all", condition_notify_all),
    ]  # fmt: skip


def _of_barriers(recorder, watcher, turns):
    arrived = {}

    def barrier_wait(barrier, timeout=None):
        place = arrived.setdefault(id(barrier), [barrier, 0, 0])  # kept alive, how many, generation
        mine, index = place[2], place[1]
        recorder.sync_out((barrier, mine))  # who is there for the next time already orders nothing here
        place[1] += 1
        if place[1] == barrier.parties:
            place[1:] = [0, mine + 1]
            if barrier._action:
                recorder.sync_in((barrier, mine))
                (watcher.replacement(barrier._action) or barrier._action)()
                recorder.sync_out((barrier, mine))
        turns.until(lambda: place[2] != mine)
        recorder.sync_in((barrier, mine))
        return index

    return [(threading.Barrier, "wait", barrier_wait)]


def _of_queues(recorder, watcher, turns):
    handed = {}  # what the giver of an item had done: later items order nothing
    put, get = queue.Queue.put, queue.Queue.get
    done, wait_done = queue.Queue.task_done, queue.Queue.join

    def queue_put(self, item, block=True, timeout=None):
        handed.setdefault((id(self), id(item)), collections.deque()).append((item, recorder.signal()))
        put(self, item, block, timeout)

    def queue_get(self, block=True, timeout=None):
        turns.pause()
        item = get(self, block, timeout)
        if clocks := handed.get((id(self), id(item))):
            recorder.follow(clocks.popleft()[1])
        return item

    def queue_done(self):
        recorder.sync_out((self, "done"))
        done(self)

    def queue_join(self):
        wait_done(self)
        recorder.sync_in((self, "done"))

    return [
        (queue.Queue, "put", queue_put), (queue.Queue, "get", queue_get),
        (queue.Queue, "task_done", queue_done), (queue.Queue, "join", queue_join),
    ]  # fmt: skip


def _of_semaphores(recorder, watcher, turns):
    semaphores = {}

    def permits_of(semaphore):
        """None of one that began with 1, which is a lock; else what each permit's giver had done."""
        if id(semaphore) not in semaphores:
            first = collections.deque({} for _ in range(semaphore._value))
            semaphores[id(semaphore)] = (semaphore, None if semaphore._value == 1 else first)
        return semaphores[id(semaphore)][1]

    def semaphore_acquire(semaphore, blocking=True, timeout=None):
        def take():
            if semaphore._value > 0:
                semaphore._value -= 1
                return True
            return False

        turns.pause()
        permits = permits_of(semaphore)
        if not (turns.until(take, timeout is not None) if blocking else take()):
            return False
        if permits is None:
            recorder.hold(semaphore)
        elif permits:
            recorder.follow(permits.popleft())
        return True

    def semaphore_release(semaphore, n=1):
        permits = permits_of(semaphore)
        if permits is None:
            recorder.drop(semaphore)
        else:
            permits.extend(recorder.signal() for _ in range(n))
        if isinstance(semaphore, threading.BoundedSemaphore) and semaphore._value + n > semaphore._initial_value:
            raise ValueError("Semaphore released too many times")
        semaphore._value += n

    return [
        (threading.Semaphore, "acquire", semaphore_acquire), (threading.Semaphore, "__enter__", semaphore_acquire),
        (threading.Semaphore, "release", semaphore_release), (threading.BoundedSemaphore, "release", semaphore_release),
    ]  # fmt: skip
