"""Python text as a tree, by one thread at a time: CPython before 3.12 counts the depth of all
threads' trees in one place and raises SystemError when two are made at once (gh-106905)."""

import ast
import threading

_one_at_a_time = threading.RLock()  # a collection in the midst may lead here again


def parse(text):
    """ast.parse(text); a SyntaxError as it raises."""
    with _one_at_a_time:
        return ast.parse(text)


def compiled(tree, file, flags=0):
    """The code of a module's tree."""
    with _one_at_a_time:
        return compile(tree, file, "exec", flags, dont_inherit=True)
