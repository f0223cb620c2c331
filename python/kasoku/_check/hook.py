"""The functions that rewritten code calls: they tell the recorder each load and store of something shared.

Calls of other Python functions of the user's program go through their own rewritten forms. What C code does
with an array argument shows by its content before and after.
"""

from __future__ import annotations

import array
import ast
import contextlib
import functools
import operator
import queue
import sys
import threading
import time
import types

import numpy as np

from .recorder import _LOCKS, is_array, view_of

_sleep = time.sleep
_MUTATING = {
    list: {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"},
    dict: {"update", "pop", "popitem", "setdefault", "clear"},
    array.array: {"append", "extend", "insert", "pop", "remove", "reverse", "byteswap", "fromlist", "frombytes"},
    set: {"add", "discard", "remove", "pop", "clear", "update"},
    np.ndarray: {"fill", "sort", "partition", "put", "resize", "itemset", "setfield", "byteswap"},
}


class _HeldLock:
    def __init__(self, recorder, lock):
        self.recorder, self.lock = recorder, lock

    def __enter__(self):
        return self.recorder.acquire(self.lock)

    def __exit__(self, *error):
        self.recorder.release(self.lock)


class _Entered:
    """A context manager of the user's, by its watched methods."""

    def __init__(self, enter, leave):
        self.enter, self.leave = enter, leave

    def __enter__(self):
        return self.enter()

    def __exit__(self, *error):
        return self.leave(*error)


class Hook:
    """The calls of one rewritten function; the last argument of each is the line."""

    def __init__(self, recorder, watcher, file, namespace):
        self.recorder, self.watcher, self.file, self.namespace = recorder, watcher, file, namespace

    def _place(self, line):
        return (self.file, line)

    def load_name(self, name, value, line):
        self.recorder.touch(("global", id(self.namespace), name), False, name, self._place(line), self.namespace)
        return value

    def _sources(self, lines):
        """Places: `lines` of this function's file, and for 0 what the arguments of this call were made of."""
        places = {(self.file, line) for line in lines if line}
        calls = self.recorder.current.calls
        return places | calls[-1][1] if 0 in lines and calls else places

    def store_name(self, name, lines, line):
        key, sources = ("global", id(self.namespace), name), self._sources(lines)
        self.recorder.touch(key, True, name, self._place(line), self.namespace, sources=sources)

    def made(self, value, line):
        """A variable that nobody else sees is given `value`: what was just made belongs to the task until it is shown."""
        if type(value) in _CONTAINERS and sys.getrefcount(value) <= _REFERENCES:
            self.recorder.own(value)
        return value

    def shown(self, value, line):
        self.recorder.disown(value)
        return value

    def load_cell(self, name, probe, value, line):
        cell = probe.__closure__[0]
        self.recorder.touch(("cell", id(cell)), False, name, self._place(line), cell)
        return value

    def store_cell(self, name, probe, lines, line):
        cell = probe.__closure__[0]
        self.recorder.touch(("cell", id(cell)), True, name, self._place(line), cell, sources=self._sources(lines))

    def load_attribute(self, thing, attribute, text, line):
        found = getattr(type(thing), attribute, None)
        if isinstance(found, property) and (watched := self.watcher.replacement(found.fget)):
            return watched(thing)
        if not isinstance(thing, types.ModuleType) and not is_array(thing) and not _is_own(thing):
            self.recorder.touch(("attribute", id(thing), attribute), False, text, self._place(line), thing)
        return getattr(thing, attribute)

    def store_attribute(self, thing, attribute, value, text, lines, line):
        found = getattr(type(thing), attribute, None)
        if isinstance(found, property) and (watched := self.watcher.replacement(found.fset)):
            return watched(thing, value)
        if not _is_own(thing):
            key, sources = ("attribute", id(thing), attribute), self._sources(lines)
            self.recorder.touch(key, True, text, self._place(line), thing, sources=sources)
        setattr(thing, attribute, value)

    def _item(self, thing, index, writes, text, line, sources=()):
        if is_array(thing):
            whole, thing = thing, view_of(thing)
            if thing is None:
                return
            try:
                part = thing[index]
            except Exception:  # the user's own statement will raise it
                return
            basic = isinstance(part, np.ndarray) and np.may_share_memory(part, thing)
            if not basic and not isinstance(part, np.ndarray):
                window = tuple(
                    slice(i, i + 1 or None)
                    for i in (index if isinstance(index, tuple) else (index,))
                    if isinstance(i, (int, np.integer))
                )
                part, basic = thing[window], True
            for each in [part] if basic else _runs(thing, index):
                self.recorder.array(each, writes, text, self._place(line), whole is not thing, sources)
        elif isinstance(thing, (dict, list, bytearray, array.array)):
            whole = isinstance(index, slice)
            name = text if whole else f"{text}[{index!r}]"
            index = None if whole else index
            self.recorder.content(thing, writes, name, self._place(line), index, sources=sources)

    def load_item(self, thing, index, text, line):
        if watched := self.watcher.special(thing, "__getitem__"):
            return watched(index)
        value = thing[index]
        self._item(thing, index, False, text, line)
        if isinstance(value, np.ndarray):  # may show the thing
            self.recorder.disown(thing)
        return value

    def store_item(self, thing, index, value, text, lines, line):
        if watched := self.watcher.special(thing, "__setitem__"):
            return watched(index, value)
        self._item(thing, index, True, text, line, self._sources(lines))
        thing[index] = value

    def container_to_change(self, thing, text, line):
        self.recorder.content(thing, True, text, self._place(line))
        return thing

    def owner_to_change(self, thing, attribute, text, line):
        if not _is_own(thing):
            self.recorder.touch(("attribute", id(thing), attribute), True, text, self._place(line), thing)
        return thing

    def in_place(self, operation, current, value, text, line):
        """`current OP= value` as Python does it: in place where the type can."""
        name = _IN_PLACE[operation]
        if isinstance(current, (list, dict, set, bytearray)) or (is_array(current) and hasattr(current, f"__{name}__")):
            self.recorder.content(current, True, text, self._place(line))
            if is_array(value):
                self.recorder.content(value, False, text, self._place(line))
        return getattr(operator, name)(current, value)

    def is_in(self, key, container, text, line):
        index = key if isinstance(container, dict) else None
        name = text if index is None else f"{text}[{index!r}]"
        self.recorder.content(container, False, name, self._place(line), index)
        return key in container

    def truth(self, value, text, line):
        self.recorder.content(value, False, text, self._place(line), only_builtin=True)
        return value

    def read(self, value, text, line):
        if type(value) not in _NUMBERS:
            self.recorder.content(value, False, text, self._place(line))
        return value

    def begin_test(self, line):
        return self.recorder.begin_test()

    def end_test(self, test, value, ends_when, line):
        self.recorder.end_test(test, bool(value) is ends_when)
        return value

    def iterate(self, iterable, text, line):
        self.recorder.content(iterable, False, text, self._place(line))
        self._advance(iterable, text, line)
        return iterable

    def _advance(self, thing, text, line):
        """A generator that is asked for its next value changes; to ask one that is running is an error."""
        if isinstance(thing, types.GeneratorType):
            self.recorder.touch(("generator", id(thing)), True, text, self._place(line), thing)

    def enter(self, context, line):
        self.recorder.last_place = self._place(line)
        if isinstance(context, _LOCKS):
            return _HeldLock(self.recorder, context)
        enter, leave = (self.watcher.special(context, name) for name in ("__enter__", "__exit__"))
        return _Entered(enter, leave) if enter and leave else context

    def function(self, function, line):
        return function

    def decided(self, thing, name, text, line):
        """A lock's `acquire` by the first of many, who hold another lock while they decide who it is."""
        method = self.method(thing, name, text, line)
        return functools.partial(method, is_decided=True) if isinstance(thing, _LOCKS) else method

    def method(self, thing, name, text, line):
        if not isinstance(thing, np.ndarray) and is_array(thing):  # of ours: torch's end in _
            writes = name in _MUTATING[np.ndarray] or (name.endswith("_") and not name.startswith("_"))
            self.recorder.content(thing, writes, text, self._place(line))
            return getattr(thing, name)
        for kind, mutating in _MUTATING.items():
            if isinstance(thing, kind) and not (kind is np.ndarray and name in _VIEWS):
                self.recorder.content(thing, name in mutating, text, self._place(line))
        if isinstance(thing, np.ndarray) and name not in _MUTATING[np.ndarray]:
            self.recorder.disown(thing)
        if isinstance(thing, _LOCKS) and name in ("acquire", "release"):
            return functools.partial(getattr(self.recorder, name), thing)
        if isinstance(thing, types.GeneratorType):
            self._advance(thing, text, line)
        if isinstance(thing, contextlib.ExitStack) and name == "enter_context":
            return lambda context: thing.enter_context(self.enter(context, line))
        if isinstance(thing, queue.SimpleQueue) and name in ("put", "get"):
            return functools.partial(self._simple_queue, thing, name)
        if (
            not isinstance(thing, (types.ModuleType, type))
            and not isinstance(thing, tuple(_MUTATING))
            and not _is_own(thing)
        ):
            if name in getattr(thing, "__dict__", ()):
                self.recorder.touch(("attribute", id(thing), name), False, f"{text}.{name}", self._place(line), thing)
        return getattr(thing, name)

    def _simple_queue(self, thing, name, *args, **kwargs):
        if name == "put":
            self.recorder.sync_out(thing)
            return thing.put(*args, **kwargs)
        if self.recorder.turns is not None:
            self.recorder.turns.pause()
        if self.recorder.turns is not None and (args[0] if args else kwargs.get("block", True)):
            self.recorder.turns.until(lambda: not thing.empty(), len(args) > 1 or "timeout" in kwargs)
        item = thing.get(False)
        self.recorder.sync_in(thing)
        return item

    def spin(self, count, line):
        """Lets other threads run now and then in a while loop, since they may end it."""
        if self.recorder.turns is not None and count >= 256 and count & (count - 1) == 0:
            self.recorder.last_place = self._place(line)
            self.recorder.turns.sleep()
        return count + 1

    def call(self, function, name, texts, lines, line, /, *args, **kwargs):
        self.recorder.last_place = self._place(line)
        if function is _sleep and self.recorder.turns is not None:
            return self.recorder.turns.sleep()
        if any(function is each for each in _BY_NAME) and len(args) > 1 and isinstance(args[1], str):
            return self._by_name(function, texts[0], line, *args, **kwargs)
        replaced = self.watcher.replacement(function) or self.watcher.special(function, "__call__")
        if replaced is not None:
            with self.recorder.inside(self._place(line), self._sources(lines)):
                return replaced(*args, **kwargs)
        if (getattr(function, "__module__", None) or "").startswith(__package__):
            return function(*args, **kwargs)
        for text, arg in zip(texts, args):
            self._advance(arg, text, line)
        if isinstance(owner := getattr(function, "__self__", None), np.ndarray) and function.__name__ in _VIEWS:
            result = function(*args, **kwargs)
            if not np.may_share_memory(result, owner):
                self.recorder.array(owner, False, name.rpartition(".")[0], self._place(line))
            return result
        if any(function is each for each in _OF_SHAPE) and is_array(args[0]):
            return function(*args, **kwargs)
        given = [*zip(texts, args), *kwargs.items()]
        given += [part for text, arg in given if isinstance(arg, tuple) for part in _parts(text, arg)]
        arrays = [(text, arg) for text, arg in given if is_array(arg)]
        if is_array(owner):
            arrays.append((name.rpartition(".")[0], owner))
        containers = [(text, arg) for text, arg in zip(texts, args) if not is_array(arg)]
        return self.recorder.call_of_others(function, args, kwargs, arrays + containers, self._place(line))

    def _by_name(self, function, text, line, thing, attribute, *rest):
        """getattr() and its kind, whose attribute is a text: as if it stood behind a dot."""
        text = f"{text}.{attribute}"
        if function is setattr:
            return self.store_attribute(thing, attribute, *rest, text, (), line)
        if function is delattr:
            return delattr(self.owner_to_change(thing, attribute, text, line), attribute)
        try:
            value = self.load_attribute(thing, attribute, text, line)
        except AttributeError:
            return function(thing, attribute, *rest)
        return True if function is hasattr else value


class _Probe:
    def count(self, value, line):
        return sys.getrefcount(value)


_NUMBERS = {int, float, complex, bool, str, bytes, type(None), np.float64, np.int64}
_CONTAINERS = (list, dict, set, bytearray, np.ndarray)
_REFERENCES = _Probe().count([], 0)  # of what an expression has just made, as `made` is given it
_OF_SHAPE = (len, type, id, isinstance, np.shape, np.size, np.ndim, np.empty_like, np.zeros_like, np.ones_like)
_BY_NAME = (getattr, hasattr, setattr, delattr)
_VIEWS = {"reshape", "transpose", "swapaxes", "view", "ravel", "squeeze", "diagonal"}
_IN_PLACE = {
    "Add": "iadd", "Sub": "isub", "Mult": "imul", "Div": "itruediv", "FloorDiv": "ifloordiv", "Mod": "imod",
    "Pow": "ipow", "MatMult": "imatmul", "LShift": "ilshift", "RShift": "irshift", "BitOr": "ior",
    "BitAnd": "iand", "BitXor": "ixor",
}  # fmt: skip


def _runs(array, index):
    """Views of the elements that a mask or a list of positions names; all of `array` where those are many."""
    if array.flags.c_contiguous and array.size <= 1 << 16:
        named = np.unique(np.arange(array.size).reshape(array.shape)[index])
        runs = np.split(named, np.flatnonzero(np.diff(named) != 1) + 1)
        if len(runs) <= 64:
            flat = array.reshape(-1)
            return [flat[run[0] : run[-1] + 1] for run in runs if run.size]
    return [array]


def _parts(text, values):
    """The values of a tuple, as the arguments of a launch are given, with their names."""
    written = ast.parse(text, mode="eval").body if text.startswith("(") else None
    if isinstance(written, ast.Tuple) and len(written.elts) == len(values):
        return zip(map(ast.unparse, written.elts), values)
    return ((f"{text}[{i}]", value) for i, value in enumerate(values))


def _is_own(thing):
    """Things that no two tasks share, whatever name leads to them."""
    return isinstance(thing, threading.local)
