"""Finds the text of a function: the node of the ast whose compiled code is the function's own.

A file may change after its import, several functions may stand on a line, and a decorator gives another function than
the one below it. So a text is believed only if it compiles to the code that Python runs.
"""

import __future__
import ast
import copy
import dis
import functools
import linecache
import sys
import textwrap
import types

from . import _syntax, errors

_futures = functools.reduce(lambda all, name: all | getattr(__future__, name).compiler_flag,
                            __future__.all_feature_names, 0)  # fmt: skip
_seen = {}  # file -> lists of lines that it had, the newest last
_most_seen = 4
_scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def is_async(code):
    return bool(code.co_flags & (0x80 | 0x200))


def of(function, may_await=False):
    """(ast node, file, lines of the function, whole text): the node's lines are the file's, the first of `lines` is its.
    Only for who says so of an async function: nobody compiles them."""
    known = vars(function).get("__kasoku_source__")
    if known:
        return known
    code = function.__code__
    if is_async(code) and not may_await:
        raise errors.UnsupportedError(f"{function.__qualname__} is an async function, which cannot be compiled")
    found = False
    for text in _texts(function):
        found = True
        node = _node(text, code)
        if node:
            return _found(node, code, text)
    if code.co_filename == "<string>" and (node := _node(_command(), code)):
        return _found(node, code, _command())
    if _find_in_callers(function):
        return function.__kasoku_source__
    if found:
        raise errors.UnsupportedError(
            f"the text of {function.__qualname__} is not the one that Python runs\n"
            f"  why  {code.co_filename} has changed since line {code.co_firstlineno} was imported, or something has "
            "rewritten the function\n"
            "  fix  import its module anew"
        )
    raise errors.UnsupportedError(
        f"the source of {function.__qualname__} cannot be found\n"
        f"  why  it is not in a file ({code.co_filename})\n"
        "  fix  define it in a file or a notebook cell; the text of exec() is found while a variable of a "
        "caller holds it, or in linecache.cache"
    )


def remember(function):
    """Keeps the text of a function that is to be compiled later, when its file may have changed."""
    if not _read(function) and "__kasoku_source__" not in vars(function):
        _find_in_callers(function)


def text_of(function):
    """(a piece of the function's text that give() takes, the line at which it begins)."""
    text, code = of(function)[3], function.__code__
    body, imports = _parsed(text)
    near = [each for each in body if _is_near(each, code)]
    first = min(map(_first_line, near))
    piece = _lines(text)[first - 1 : max(each.end_lineno for each in near)]
    piece += [ast.unparse(each) for each in imports if each not in near]
    piece = "\n".join(piece)
    return (piece, first) if _node("\n" * (first - 1) + piece, code) else (text, 1)


def give(function, piece, first):
    """Says what text a function has that was made of its code."""
    code = function.__code__
    text = "\n" * (first - 1) + piece
    node = _node(text, code)
    if node:
        function.__kasoku_source__ = _found(node, code, text)


def _found(node, code, text):
    node = _without_idle_declarations(node)
    return node, code.co_filename, _lines(text)[node.lineno - 1 : node.end_lineno], text


def _without_idle_declarations(node):
    """The node without `global` and `nonlocal` of names that it only reads, which say nothing. The one that it was
    stays as it is: other functions are found by its code."""
    scopes = [each for each in ast.walk(node) if each is not node and isinstance(each, _scopes)]
    inner = {each for scope in scopes for each in ast.walk(scope) if each is not scope}
    own = [each for each in ast.walk(node) if each not in inner]
    written = {each.id for each in own if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    written |= {each.name for each in own if isinstance(each, (*_scopes[:3], ast.ExceptHandler)) and each is not node}
    written |= {(each.asname or each.name).partition(".")[0] for each in own if isinstance(each, ast.alias)}
    idle = [each for each in own if isinstance(each, (ast.Global, ast.Nonlocal)) and written.isdisjoint(each.names)]
    if not idle:
        return node
    places = {(each.lineno, each.col_offset) for each in idle}

    class Pass(ast.NodeTransformer):
        def visit(self, each):
            if isinstance(each, (ast.Global, ast.Nonlocal)) and (each.lineno, each.col_offset) in places:
                return ast.copy_location(ast.Pass(), each)
            return self.generic_visit(each)

    return Pass().visit(copy.deepcopy(node))


def _read(function):
    """The lines of the function's file as they are now."""
    file = function.__code__.co_filename
    linecache.checkcache(file)
    lines = linecache.getlines(file, function.__globals__)
    seen = _seen.setdefault(file, []) if lines else []
    if lines and lines not in seen[-1:]:
        seen.append(lines)
        del seen[:-_most_seen]
    return lines


def _texts(function):
    """Texts that the function's file had when functions of it were decorated, and the one that it has."""
    known = _seen.get(function.__code__.co_filename, ())[::-1]
    yield from map("".join, known)
    lines = _read(function)
    if lines and lines not in known:
        yield "".join(lines)


def _command():
    """The text behind `python -c`, which is a file of no name."""
    for word, following in zip(sys.orig_argv[1:], [*sys.orig_argv[2:], ""]):
        if word.startswith("-c"):
            return word[2:] or following
    return ""


def _find_in_callers(function):
    """Finds the text that exec() made a function of: a caller's variable that compiles to the same code."""
    code = function.__code__
    word = "lambda" if code.co_name == "<lambda>" else f"def {code.co_name}"
    frame = sys._getframe(1)
    while frame:
        for value in (*frame.f_locals.values(), *frame.f_globals.values()):
            if type(value) is str and word in value:
                for text in (value, textwrap.dedent(value)):
                    node = _node(text, code)
                    if node:
                        function.__kasoku_source__ = _found(node, code, text)
                        return True
        frame = frame.f_back
    return False


@functools.lru_cache(16)
def _parsed(text):
    """(statements of a module, its imports: CPython 3.11 compiles the call of an imported module's function otherwise)."""
    try:
        body = _syntax.parse(text).body
    except (SyntaxError, ValueError):
        return [], []
    imports, inside = [], list(body)
    for each in inside:
        if isinstance(each, ast.Import) or (isinstance(each, ast.ImportFrom) and each.module != "__future__"):
            imports.append(each)
        elif not isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            inside += ast.iter_child_nodes(each)
    return body, imports


@functools.lru_cache(16)
def _lines(text):
    return text.split("\n")


def _first_line(node):
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])


def _is_near(statement, code):
    return _first_line(statement) <= code.co_firstlineno <= statement.end_lineno


def _node(text, code):
    """The function of this text whose code it is, or None."""
    body, imports = _parsed(text)
    near = [each for each in body if _is_near(each, code)]
    if not near:
        return None
    near += (each for each in imports if each not in near)
    if not any(_is_same(each, code) for each in _codes(near, code)):
        return _with_rewritten_asserts(near, code)
    found = _candidates(near, code)
    for k in range(len(found) if len(found) > 1 else 0):
        moved = copy.deepcopy(near)  # the one without which its code is not there
        node = _candidates(moved, code)[k]
        node.lineno = node.end_lineno = 1 << 30
        if code not in _codes(moved, code):
            return found[k]
    return found[0] if found else None


def _candidates(statements, code):
    """Functions of that name on that line: several only if they are lambdas."""
    kind = ast.Lambda if code.co_name == "<lambda>" else ast.AsyncFunctionDef if is_async(code) else ast.FunctionDef
    nodes = (each for statement in statements for each in ast.walk(statement) if isinstance(each, kind))
    return [
        each
        for each in nodes
        if _first_line(each) == code.co_firstlineno and getattr(each, "name", "<lambda>") == code.co_name
    ]


def _codes(statements, like):
    """Code of all functions in these statements, compiled as `like` was."""
    try:
        whole = _syntax.compiled(ast.Module(statements, []), like.co_filename, like.co_flags & _futures)
    except (SyntaxError, ValueError):
        return []
    return [each for each in _nested(whole) if each.co_name == like.co_name]


def _nested(code):
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from _nested(each)


def _is_same(a, b):
    """Whether code is equal; columns may be left out of it (-X no_debug_ranges)."""
    return a == b or (_without_places(a) == _without_places(b) and _line_numbers(a) == _line_numbers(b))


def _without_places(code):
    consts = (_without_places(each) if isinstance(each, types.CodeType) else each for each in code.co_consts)
    return code.replace(co_linetable=b"", co_consts=tuple(consts))


def _line_numbers(code):
    return [line for each in _nested(code) for line, *_ in each.co_positions()]


def _with_rewritten_asserts(near, code):
    """The function if all but its assert statements is the same: pytest writes these anew, with names no text has."""
    if not any(name.startswith("@") for each in _nested(code) for name in each.co_names + each.co_varnames):
        return None
    for node in _candidates(near, code):
        spans = [(each.lineno, each.end_lineno) for each in ast.walk(node) if isinstance(each, ast.Assert)]
        own = _instructions(code, spans)
        if any(_instructions(each, spans) == own for each in _codes(near, code)):
            return node
    return None


def _instructions(code, spans):
    """What the code does outside of these lines."""
    found = set()
    for each in dis.get_instructions(code):
        line, end = each.positions[:2]
        if each.opname in ("EXTENDED_ARG", "NOP") or any(a <= (line or 0) and (end or 0) <= b for a, b in spans):
            continue
        is_jump = each.opcode in dis.hasjrel or each.opcode in dis.hasjabs
        value = None if is_jump else each.argval
        if isinstance(value, types.CodeType):
            value = frozenset(_instructions(value, spans))
        found.add((each.opname, value if isinstance(value, frozenset) else repr(value), each.positions))
    return found
