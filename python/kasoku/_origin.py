"""Finds a kernel's text in the user's file, for messages about it.

A kernel remembers only the statement that made it. The file is read when a message is to be
shown: the string that holds the text is looked for in the file's own ast.
"""

import ast
import difflib
import linecache
import os
import sys

from . import _syntax


def where(file, line, text, number):
    """File and line of the `number`th line of `text`, of a kernel made at file:line, or None."""
    for one in _candidates(file):
        found = _lines_of(one, line if one == file else 0, text)
        if found:
            return _shown(one), found[min(max(number, 1), len(found)) - 1]
    return None


def _shown(file):
    """The file as the user would type it, if it is below the current folder."""
    try:
        relative = os.path.relpath(file)
    except (ValueError, OSError):
        return file
    return file if relative.startswith("..") or not os.path.exists(file) else relative


def _candidates(file):
    """The file of the statement, then modules that stand beside it: a text may be imported."""
    if not file:
        return
    yield file
    folder = os.path.dirname(file)
    for module in list(sys.modules.values()):
        other = getattr(module, "__file__", None)
        if other and other != file and other.endswith(".py") and os.path.dirname(other) == folder:
            yield other


def _lines_of(file, near, text):
    """For each line of `text` its line in `file`; None if the text does not stand there."""
    linecache.checkcache(file)
    source = linecache.getlines(file)
    wanted = text.splitlines()
    try:
        tree = _syntax.parse("".join(source))
    except (SyntaxError, ValueError):
        return None
    best = None
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if not is_text and not isinstance(node, ast.JoinedStr):
            continue
        is_same = is_text and node.value == text
        same, lines = _aligned(wanted, source, node.lineno, node.end_lineno)
        if not is_same and same < max(2, len(wanted) / 3):
            continue
        # The very text before one that it was made from, then the nearest that is not below.
        rank = (is_same, same, node.lineno <= near, -abs(node.lineno - near))
        if best is None or rank > best[0]:
            best = rank, lines
    return best and best[1]


def _aligned(wanted, source, first, last):
    """How many lines of `wanted` stand at source[first…last], and where each of them is: a literal
    may be put together of pieces, formatted or filled in before it becomes the text."""

    def bare(line):
        return line.replace("\\n", "").strip(" \t\r\n\"'\\()+,;")

    have = [bare(line) for line in source[first - 1 : last]]
    want = [bare(line) for line in wanted]
    places = [None] * len(want)
    same = 0
    for block in difflib.SequenceMatcher(None, want, have, autojunk=False).get_matching_blocks():
        for k in range(block.size):
            places[block.a + k] = first + block.b + k
            same += bool(want[block.a + k])
    known = next(((k, place) for k, place in enumerate(places) if place is not None), (0, first))
    at = known[1] - known[0] - 1
    for k, place in enumerate(places):
        at = at + 1 if place is None else place
        places[k] = min(max(at, first), last)
    return same, places
