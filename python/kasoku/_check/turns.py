"""Threads that take turns: while a check runs, only one of the program's threads runs at a time.

A thread runs until it ends, must wait (join, an event, a full queue, a lock that another holds) or is about to take a lock
or what a queue has, then the next one goes on: so one does not do the work of all. What orders two threads is kept as vector clocks; the turns themselves order nothing.
If nobody can go on, the program has a deadlock, and that is a finding.
"""

from __future__ import annotations

import _thread
import threading

from .._core import Finding


class Deadlock(BaseException):
    """Ends the threads of a program in which all wait; not for the program's own `except Exception`."""


class _Turn:
    def __init__(self, task):
        self.task = task
        self.go = _thread.allocate_lock()
        self.go.acquire()
        self.is_done = self.may_give_up = False
        self.error, self.pauses = None, 0


class Turns:
    def __init__(self, recorder):
        self.recorder = recorder
        self.mine = threading.local()
        self.mine.turn = _Turn(recorder.current)
        self.alive = [self.mine.turn]
        self.stalled = self.slept = 0  # turns since somebody got on
        self.is_dead = self.is_over = False

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
            if self.is_over:  # all go at once
                return
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

    def pause(self):
        """Others go on first; not while it holds a lock, so that two locks in two orders are told by their places."""
        me = getattr(self.mine, "turn", None)
        if me is None:  # a thread from before the check
            return
        after = self._next(me)
        me.pauses += 1
        is_due = (
            me.pauses < 256 or me.pauses & (me.pauses - 1) == 0
        )  # what thousands of turns show the first ones have shown
        if is_due and after is not me and not self.is_dead and not me.task.held:
            self._hand(after)
            self._got_on()

    def until(self, ready, may_give_up=False):
        """Lets others run until `ready()`; False if it gave up because nobody else could get on."""
        me = self.mine.turn
        while not ready():
            if self.is_dead:
                raise Deadlock
            self.stalled += 1
            if self.stalled > 2 * len(self.alive) + 1:
                if may_give_up:
                    self._got_on()
                    return False
                if not any(turn.may_give_up for turn in self.alive):
                    self._die()
            me.may_give_up = may_give_up
            after = self._next(me)
            try:
                if after is not me:
                    self._hand(after)
            finally:
                me.may_give_up = False
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
        self.is_dead = self.is_over = True
        for turn in self.alive:
            if turn is not self.mine.turn and not turn.is_done:
                turn.go.release()
