"""Threads that take turns: while a check runs, only one of the program's threads runs at a time.

A thread runs until it ends or must wait (join, an event, a full queue, a lock that another holds), then
the next one goes on. What orders two threads is kept as vector clocks; the turns themselves order nothing.
If nobody can go on, the program has a deadlock, and that is a finding.
"""

from __future__ import annotations

import _thread
import collections
import threading
import time

from .._core import Finding


class Deadlock(BaseException):
    """Ends the threads of a program in which all wait; not for the program's own `except Exception`."""


class _Turn:
    def __init__(self, task):
        self.task = task
        self.go = _thread.allocate_lock()
        self.go.acquire()
        self.is_done = False
        self.error = None


class Turns:
    def __init__(self, recorder):
        self.recorder = recorder
        self.mine = threading.local()
        self.mine.turn = _Turn(recorder.current)
        self.alive = [self.mine.turn]
        self.stalled = self.slept = 0  # turns since somebody got on
        self.is_dead = False

    def run(self, task, call):
        """`call` in a thread of its own, at once; returns when it ends or waits."""
        turn = _Turn(task)

        def body():
            turn.go.acquire()
            self.mine.turn = turn
            self.recorder.current = task
            self._got_on()
            try:
                call()
            except Deadlock:
                pass
            except BaseException as error:  # noqa: BLE001 - the caller's to judge
                turn.error = error
            turn.is_done = True
            self._got_on()
            after = self._next(turn)
            self.alive.remove(turn)
            if after is not turn:
                after.go.release()

        me = self.mine.turn
        self.alive.insert(self.alive.index(me), turn)  # after it, its starter goes on
        _thread.start_new_thread(body, ())
        self._hand(turn)
        self._got_on()
        return turn

    def _got_on(self):
        self.stalled = self.slept = 0

    def sleep(self):
        """Others go on; nobody waits for a clock."""
        self.slept += 1
        if self.slept > 100_000:
            self._die()
        after = self._next(self.mine.turn)
        if after is not self.mine.turn:
            self._hand(after)

    def until(self, ready, may_give_up=False):
        """Lets others run until `ready()`; False if it gave up because nobody else could get on."""
        while not ready():
            if self.is_dead:
                raise Deadlock
            self.stalled += 1
            if self.stalled > 2 * len(self.alive) + 1:
                if may_give_up:
                    self._got_on()
                    return False
                self._die()
            after = self._next(self.mine.turn)
            if after is not self.mine.turn:
                self._hand(after)
        self._got_on()
        return True

    def _next(self, turn):
        return self.alive[(self.alive.index(turn) + 1) % len(self.alive)]

    def _hand(self, turn):
        me = self.mine.turn
        turn.go.release()
        me.go.acquire()
        self.recorder.current = me.task
        if self.is_dead:
            raise Deadlock

    def _die(self):
        self.is_dead = True
        labels = ", ".join(turn.task.label for turn in self.alive)
        file, line = self.recorder.last_place
        self.recorder.extra.append(
            Finding("deadlock", "threads", file, line, 0, f"{labels} wait for each other, and nobody can go on")
        )
        raise Deadlock

    def finish(self):
        """At the end of the check: whoever still waits is let go."""
        self.is_dead = True
        for turn in [t for t in self.alive if t is not self.mine.turn]:
            if not turn.is_done:
                self.alive.remove(turn)
                self.alive.append(turn)
                turn.go.release()


def make_patches(recorder, watcher, turns):
    """(object, name, replacement) of what threads start with and wait in."""
    import concurrent.futures
    import queue

    tasks = {}

    def start(thread):
        if thread in tasks:
            raise RuntimeError("threads can only be started once")
        task = recorder.new_task(f"thread {thread.name}", recorder.current)

        def call():
            thread._ident = _thread.get_ident()
            threading._active[thread._ident] = thread
            try:
                target = thread._target
                if type(thread).run is threading.Thread.run:
                    if target is not None:
                        (watcher.replacement(target) or target)(*thread._args, **thread._kwargs)
                else:
                    (watcher.replacement(thread.run) or thread.run)()
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

    class Future(concurrent.futures.Future):
        def result(self, timeout=None):
            turns.until(self.done, timeout is not None)
            recorder.join(self.task)
            return super().result(0)

        def exception(self, timeout=None):
            turns.until(self.done, timeout is not None)
            recorder.join(self.task)
            return super().exception(0)

    def submit(executor, fn, /, *args, **kwargs):
        future = Future()
        future.task = recorder.new_task(f"call of {getattr(fn, '__name__', 'function')}", recorder.current)

        def call():
            try:
                future.set_result((watcher.replacement(fn) or fn)(*args, **kwargs))
            except Exception as error:
                future.set_exception(error)

        futures.setdefault(id(executor), []).append((executor, future))
        turns.run(future.task, call)
        return future

    futures = {}

    def run_map(executor, fn, *iterables, timeout=None, chunksize=1):
        made = [submit(executor, fn, *args) for args in zip(*iterables)]
        return (future.result() for future in made)

    def shutdown(executor, wait=True, *, cancel_futures=False):
        for _, future in futures.get(id(executor), []):
            if wait:
                turns.until(future.done)
                recorder.join(future.task)

    set_event, waiters = threading.Event.set, {}

    def event_set(event):
        recorder.sync_out(event)
        set_event(event)

    def event_wait(event, timeout=None):
        if turns.until(event.is_set, timeout is not None):
            recorder.sync_in(event)
        return event.is_set()

    def condition_wait(condition, timeout=None):
        if not condition._is_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        mark = [False]
        waiters.setdefault(id(condition), []).append((condition, mark))
        recorder.drop(condition)
        saved = condition._release_save()
        told = turns.until(lambda: mark[0], timeout is not None)
        turns.until(lambda: condition._lock.acquire(False))
        condition._lock.release()
        condition._acquire_restore(saved)
        recorder.hold(condition)
        if told:
            recorder.sync_in(condition)
        else:
            waiters[id(condition)].remove((condition, mark))
        return told

    def condition_notify(condition, n=1):
        if not condition._is_owned():
            raise RuntimeError("cannot notify on un-acquired lock")
        recorder.sync_out(condition)
        waiting = waiters.get(id(condition), [])
        for _, mark in waiting[:n]:
            mark[0] = True
        del waiting[:n]

    def condition_notify_all(condition):
        condition_notify(condition, len(waiters.get(id(condition), [])))

    arrived = {}

    def barrier_wait(barrier, timeout=None):
        place = arrived.setdefault(id(barrier), [barrier, 0, 0])  # kept alive, how many, generation
        mine, index = place[2], place[1]
        recorder.sync_out(barrier)
        place[1] += 1
        if place[1] == barrier.parties:
            place[1:] = [0, mine + 1]
            if barrier._action:
                barrier._action()
        turns.until(lambda: place[2] != mine)
        recorder.sync_in(barrier)
        return index

    put, get = queue.Queue.put, queue.Queue.get
    done, wait_done = queue.Queue.task_done, queue.Queue.join

    def queue_put(self, item, block=True, timeout=None):
        recorder.sync_out(self)
        put(self, item, block, timeout)

    def queue_get(self, block=True, timeout=None):
        item = get(self, block, timeout)
        recorder.sync_in(self)
        return item

    def queue_done(self):
        recorder.sync_out((self, "done"))
        done(self)

    def queue_join(self):
        wait_done(self)
        recorder.sync_in((self, "done"))

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

        if not blocking:
            return take()
        permits = permits_of(semaphore)
        if not turns.until(take, timeout is not None):
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

    pool = concurrent.futures.ThreadPoolExecutor
    return [
        (threading.Thread, "start", start), (threading.Thread, "join", join), (threading.Thread, "is_alive", is_alive),
        (time, "sleep", lambda seconds: turns.sleep()), (pool, "submit", submit), (pool, "map", run_map), (pool, "shutdown", shutdown),
        (threading.Event, "set", event_set), (threading.Event, "wait", event_wait),
        (threading.Condition, "wait", condition_wait), (threading.Condition, "notify", condition_notify),
        (threading.Condition, "notify_all", condition_notify_all), (threading.Barrier, "wait", barrier_wait),
        (queue.Queue, "put", queue_put), (queue.Queue, "get", queue_get),
        (queue.Queue, "task_done", queue_done), (queue.Queue, "join", queue_join),
        (threading.Semaphore, "acquire", semaphore_acquire), (threading.Semaphore, "__enter__", semaphore_acquire),
        (threading.Semaphore, "release", semaphore_release), (threading.BoundedSemaphore, "release", semaphore_release),
    ]  # fmt: skip
