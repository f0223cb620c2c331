"""The standard library's threads while a check runs: they take turns (turns.py)."""

from __future__ import annotations

import contextlib
from unittest import mock

from .turns import Deadlock, Turns, make_patches


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
