"""Which loops of a program wait for something that others write under a lock, and the names of what they wait for.

A loop that asks for a condition's `wait`, that only sleeps, or that takes a lock and leaves when a test there is true.
"""

from __future__ import annotations

import ast

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_wait(loop):
    """Whether the test of a `while` is asked until others have made it false."""
    return _waits(loop.body) or all(map(_is_idle, loop.body))


def ways_out(loop):
    """The `if`s of a `while` that leave it while a lock is held."""
    for held in loop.body:
        if isinstance(held, ast.With):
            yield from (each for each in held.body if isinstance(each, ast.If) and _leaves(each.body[-1]))


def ways_around(block):
    """(`if`, what its test is then) of those in a list of statements that lead around a wait (the last of those who meet
    waits for nobody), or around what is done once (`if not self.is_made: ...; self.is_made = True`)."""
    for place, each in enumerate(block):
        if isinstance(each, ast.If):
            is_left = _leaves(each.body[-1])
            there, beside = _waits(each.body), _waits([*each.orelse, *(block[place + 1 :] if is_left else ())])
            if there != beside:
                yield each, beside
            elif not each.orelse and _names([each.test], ast.Load) & _names(each.body, ast.Store):
                yield each, False


def decided(block):
    """Calls of `acquire` that an `if` decides on by what the statements before it have changed: the first of many takes a lock
    for all of them."""
    for place, each in enumerate(block):
        if isinstance(each, ast.If) and _names([each.test], ast.Load) & _names(block[:place], ast.Store):
            yield from (
                part for part in _parts(each.body) if isinstance(part, ast.Call) and _name(part.func) == "acquire"
            )


def awaited(tree):
    """Names of variables, attributes and containers that a module's loops wait for, by its own functions too."""
    functions = {part.name: part for part in ast.walk(tree) if isinstance(part, _FUNCTIONS[:2])}
    found, seen = set(), set()

    def add(node):
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute):
                found.add(part.attr)
            elif isinstance(part, ast.Name):
                found.add(part.id)
            name = _name(part)
            if name in functions and name not in seen:
                seen.add(name)
                add(functions[name])

    for part in ast.walk(tree):
        if isinstance(part, ast.While):
            for test in ([part.test] if is_wait(part) else []) + [way.test for way in ways_out(part)]:
                add(test)
        elif isinstance(part, ast.With):
            for way, _ in ways_around(part.body):
                add(way.test)
        elif isinstance(part, ast.Call) and _name(part.func) == "wait_for":
            for given in part.args:
                add(given)
    return found - {"self", "cls"}


def _parts(body):
    """All nodes of some statements but those of functions in them."""
    parts = list(body)
    while parts:
        part = parts.pop()
        yield part
        if not isinstance(part, _FUNCTIONS):
            parts += ast.iter_child_nodes(part)


def _names(body, context):
    """Names of variables, attributes and containers that are loaded, or stored."""
    found = set()
    for part in _parts(body):
        if isinstance(getattr(part, "ctx", None), context):
            found.add(_name(part.value if isinstance(part, ast.Subscript) else part))
    return found - {"self", "cls", None}


def _waits(body):
    return any(isinstance(part, ast.Call) and _name(part.func) in ("wait", "wait_for") for part in _parts(body))


def _name(node):
    return getattr(node, "attr", None) or getattr(node, "id", None)


def _is_idle(statement):
    call = getattr(statement, "value", None)
    return isinstance(statement, (ast.Pass, ast.Continue)) or (
        isinstance(call, ast.Call) and _name(call.func) == "sleep"
    )


def _leaves(statement):
    return isinstance(statement, (ast.Break, ast.Return))
