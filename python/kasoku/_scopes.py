"""Functions inside a function that is compiled: whose names are whose, and comprehensions as the functions they are."""

import ast
import copy
import enum
import importlib
import inspect
import re
import string
import sys
import types

import numpy as np

from . import _core

_comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def names(function):
    """(names that it binds, names that it reads from around it)."""
    arguments = function.args
    bound = {arg.arg for arg in ast.walk(arguments) if isinstance(arg, ast.arg)}
    read = set()
    body = [function.body] if isinstance(function, ast.Lambda) else function.body

    def visit(node):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.MatchAs):
            bound.update({node.name} - {None})
            if node.pattern:
                visit(node.pattern)
        elif isinstance(node, _functions):
            if not isinstance(node, ast.Lambda):
                bound.add(node.name)
            read.update(names(node)[1])
            for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                visit(default)
        elif isinstance(node, _comprehensions):
            inner = ast.FunctionDef("", _no_arguments(), [ast.Expr(each) for each in ast.iter_child_nodes(node)], [])
            read.update(names(inner)[1])
            visit(node.generators[0].iter)
        else:
            for each in ast.iter_child_nodes(node):
                visit(each)

    for each in body:
        visit(each)
    return bound, read - bound


def inner_functions(function):
    """{name: def or lambda} of the functions that it defines; None for a name that is bound more than once."""
    found = {}
    if isinstance(function, ast.Lambda):
        return found

    def add(name, node):
        found[name] = None if name in found else node

    def visit(node):
        if isinstance(node, ast.FunctionDef):
            return add(node.name, node)
        if isinstance(node, (*_functions, ast.ClassDef)):
            return None
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    add(target.id, node.value if len(node.targets) == 1 else None)
        for each in ast.iter_child_nodes(node):
            visit(each)

    for each in function.body:
        visit(each)
    for node in ast.walk(function) if found else ():
        is_store = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in found
        if is_store and isinstance(found[node.id], ast.FunctionDef):
            found[node.id] = None  # assigned otherwise, too
    for node in ast.walk(function) if found else ():
        if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id in found:
                    found[target.id] = None
    return {name: node for name, node in found.items() if node is not None or _is_only_functions(function, name)}


def _is_only_functions(function, name):
    """Whether all that the name is bound to are functions: one of them is called, which nobody knows when compiling."""
    return any(
        isinstance(node, ast.FunctionDef) and node.name == name for node in ast.walk(function) if node is not function
    )


def _no_arguments():
    return ast.arguments([], [], None, [], [], None, [])


def _made(name, body, like, arguments=()):
    made = ast.FunctionDef(name, _no_arguments(), body, [])
    made.args.args = [ast.arg(each) for each in arguments]
    if "type_params" in ast.FunctionDef._fields:
        made.type_params = []
    return _placed(made, like)


def _placed(made, like):
    """What has no place in the user's text yet is where `like` is."""
    for node in ast.walk(made):
        if not hasattr(node, "lineno"):
            ast.copy_location(node, like)
    return made


def _hidden_source(node):
    """What a comprehension takes: its first iterable, if its variables hide names that are read there."""
    first = node.generators[0]
    targets = {each.id for g in node.generators for each in ast.walk(g.target) if isinstance(each, ast.Name)}
    hides = any(isinstance(each, ast.Name) and each.id in targets for each in ast.walk(first.iter))
    return first.iter if hides else None


def _loops(node, body):
    """The loops of a comprehension around statements."""
    source = _hidden_source(node)
    for generator in reversed(node.generators):
        for condition in reversed(generator.ifs):
            body = [ast.If(condition, body, [])]
        is_given = source is not None and generator is node.generators[0]
        body = [ast.For(generator.target, _load("ks_source") if is_given else generator.iter, body, [])]
    return body, {} if source is None else {"ks_source": source}


def _load(name):
    return ast.Name(name, ast.Load())


def _assigned(name, value):
    return ast.Assign([ast.Name(name, ast.Store())], value)


def comprehension(node):
    """(a function that makes the list, dict or set, what it takes): `[f(x) for x in y if g(x)]` as Python runs it."""
    out = "ks_items"
    made_of = {ast.DictComp: ast.Dict([], []), ast.SetComp: ast.Set([])}.get(type(node), ast.List([], ast.Load()))
    if isinstance(node, ast.DictComp):
        body = ast.Assign([ast.Subscript(_load(out), node.key, ast.Store())], node.value)
    else:
        put = ast.Attribute(_load(out), "add" if isinstance(node, ast.SetComp) else "append", ast.Load())
        body = ast.Expr(ast.Call(put, [node.elt], []))
    body, given = _loops(node, [body])
    made = _made("listcomp", [_assigned(out, made_of), *body, ast.Return(_load(out))], node, given)
    return made, list(given.values())


def folded(name, call):
    """(a function that gives sum, min, max, any or all of a generator, what it takes), without a list; None of another call."""
    source, *rest = call.args
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    known = {"sum": {"start"}, "min": {"key", "default"}, "max": {"key", "default"}}.get(name, set())
    if given.keys() - known or len(rest) > (name == "sum") or (rest and given):
        return None
    if not isinstance(source, ast.GeneratorExp):
        each = ast.comprehension(ast.Name("ks_item", ast.Store()), source, [], 0)
        source = _placed(ast.GeneratorExp(_load("ks_item"), [each]), source)
    if name == "sum":
        given = dict(zip(["ks_start"], [*rest, *given.values()], strict=False))
        start = [_assigned("ks_sum", _load("ks_start") if given else ast.Constant(0))]
        turn = [_assigned("ks_sum", ast.BinOp(_load("ks_sum"), ast.Add(), source.elt))]
        end = [ast.Return(_load("ks_sum"))]
    elif name in ("any", "all"):
        start, end = [], [ast.Return(ast.Constant(name == "all"))]
        test = source.elt if name == "any" else ast.UnaryOp(ast.Not(), source.elt)
        turn = [ast.If(test, [ast.Return(ast.Constant(name == "any"))], [])]
    else:
        key = given.pop("key", ast.Constant(None))
        has_key = not (isinstance(key, ast.Constant) and key.value is None)
        judged = ast.Call(key, [_load("ks_value")], []) if has_key else _load("ks_value")
        is_better = ast.Compare(_load("ks_key"), [ast.Lt() if name == "min" else ast.Gt()], [_load("ks_least")])
        is_first = ast.UnaryOp(ast.Not(), _load("ks_found"))
        start = [_assigned("ks_found", ast.Constant(False))]
        taken = [("ks_best", _load("ks_value")), ("ks_least", _load("ks_key")), ("ks_found", ast.Constant(True))]
        turn = [
            _assigned("ks_value", source.elt),
            _assigned("ks_key", judged),
            ast.If(ast.BoolOp(ast.Or(), [is_first, is_better]), [_assigned(*each) for each in taken], []),
        ]
        message = ast.Constant(f"{name}() iterable argument is empty")
        nothing = ast.Raise(ast.Call(_load("ValueError"), [message], []), None)
        if "default" in given:
            given, nothing = {"ks_default": given["default"]}, ast.Return(_load("ks_default"))
        end = [ast.If(is_first, [nothing], []), ast.Return(_load("ks_best"))]
    body, own = _loops(source, turn)
    given |= own
    return _made(f"{name}_of", [*start, *body, *end], call, given), list(given.values())


def as_list(node):
    """list(x), as a comprehension."""
    item = lambda context: ast.Name("ks_item", context)  # noqa: E731
    return _placed(ast.ListComp(item(ast.Load()), [ast.comprehension(item(ast.Store()), node, [], 0)]), node)


def as_set(node, is_generator):
    """set(x), as a comprehension."""
    if is_generator:
        return _placed(ast.SetComp(node.elt, node.generators), node)
    made = as_list(node)
    return _placed(ast.SetComp(made.elt, made.generators), node)


def as_dict(pairs):
    """dict(pairs), as a comprehension; None of what may be a dict itself."""
    if (
        isinstance(pairs, (ast.ListComp, ast.GeneratorExp))
        and isinstance(pairs.elt, ast.Tuple)
        and len(pairs.elt.elts) == 2
    ):
        return _placed(ast.DictComp(*pairs.elt.elts, pairs.generators), pairs)
    if not isinstance(pairs, (ast.List, ast.Tuple)) and not (
        isinstance(pairs, ast.Call) and isinstance(pairs.func, ast.Name) and pairs.func.id in ("zip", "enumerate")
    ):
        return None
    pair = lambda context: [ast.Name(name, context) for name in ("ks_key", "ks_item")]  # noqa: E731
    each = ast.comprehension(ast.Tuple(pair(ast.Store()), ast.Store()), pairs, [], 0)
    return _placed(ast.DictComp(*pair(ast.Load()), [each]), pairs)


_parts = ("start", "stop", "step")


def _slice_parts(node):
    """What `slice(…)` is given for start, stop and step, None for nothing; None of another expression."""
    is_call = (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "slice" and not node.keywords
    )
    if not is_call or not 1 <= len(node.args) <= 3 or any(isinstance(each, ast.Starred) for each in node.args):
        return None
    given = [None, *node.args] if len(node.args) == 1 else node.args
    given = [None if isinstance(each, ast.Constant) and each.value is None else each for each in given]
    return [*given, None][:3]


class _Slices(ast.NodeTransformer):
    """Writes `x[slice(1, n)]` as `x[1:n]`, and so where a name is the slice: its parts are variables."""

    def __init__(self, known):
        self.known = known  # by name of a slice: which parts it has

    def _part(self, name, part):
        return _load(f"ks_{name}_{part}") if self.known[name][_parts.index(part)] else None

    def _index(self, node):
        parts = _slice_parts(node)
        if isinstance(node, ast.Name) and node.id in self.known:
            parts = [self._part(node.id, part) for part in _parts]
        if parts is None:
            return self.visit(node)
        return _placed(ast.Slice(*(each and self.visit(each) for each in parts)), node)

    def visit_Subscript(self, node):  # noqa: N802
        node.value = self.visit(node.value)
        if isinstance(node.slice, ast.Tuple):
            node.slice.elts = [self._index(each) for each in node.slice.elts]
        else:
            node.slice = self._index(node.slice)
        return node

    def visit_Attribute(self, node):  # noqa: N802
        if isinstance(node.value, ast.Name) and node.value.id in self.known:
            return _placed(self._part(node.value.id, node.attr) or ast.Constant(None), node)
        return self.generic_visit(node)

    def visit_Assign(self, node):  # noqa: N802
        target = node.targets[0]
        if not isinstance(target, ast.Name) or target.id not in self.known:
            return self.generic_visit(node)
        parts = dict(zip(_parts, _slice_parts(node.value), strict=True))
        stores = [ast.Name(f"ks_{target.id}_{part}", ast.Store()) for part in _parts if parts[part]]
        values = [self.visit(each) for each in parts.values() if each]
        return _placed(
            ast.Assign([ast.Tuple(stores, ast.Store())], ast.Tuple(values, ast.Load())) if stores else ast.Pass(), node
        )


def _slice_places(node):
    """Where a slice may stand: indices, and what is asked for its parts."""
    if isinstance(node, ast.Subscript):
        return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [node.value] if isinstance(node, ast.Attribute) and node.attr in _parts else []


def _imported(stmt, alias, function):
    """What a name of an import statement means."""
    if isinstance(stmt, ast.Import):
        module = importlib.import_module(alias.name)
        return module if alias.asname else sys.modules[alias.name.partition(".")[0]]
    package = function.__globals__.get("__package__") if stmt.level else None
    module = importlib.import_module("." * stmt.level + (stmt.module or ""), package)
    if not hasattr(module, alias.name):
        importlib.import_module(f"{module.__name__}.{alias.name}")
    return getattr(module, alias.name)


def imported(function, node):
    """{name: a cell with what it is} of the imports that are statements of the function itself, if nothing else binds the name."""
    found, imports = {}, (ast.Import, ast.ImportFrom)
    own = [] if isinstance(node, ast.Lambda) else [stmt for stmt in node.body if isinstance(stmt, imports)]
    if not own or sum(isinstance(each, imports) for each in ast.walk(node)) != len(own):
        return found
    others = [stmt for stmt in node.body if not isinstance(stmt, imports)]
    bound, _ = names(ast.FunctionDef(node.name, node.args, others, []))
    for stmt in own:
        for alias in stmt.names:
            try:
                name, value = alias.asname or alias.name.partition(".")[0], _imported(stmt, alias, function)
            except (ImportError, AttributeError):  # the interpreter raises it where the statement runs
                continue
            if found.pop(name, None) is None and name not in bound:
                found[name] = types.CellType(value)
            bound.add(name)
    return found


def without_slices(function, node):
    """(the function's tree without calls of slice() where one is an index or a name that is only that, the new names)."""
    code = function.__code__
    if "slice" not in code.co_names or "slice" in function.__globals__:
        return node, []
    known, used, stored = {}, {}, {}
    for each in ast.walk(node):
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name):
            if parts := _slice_parts(each.value):
                known.setdefault(each.targets[0].id, []).append([part is not None for part in parts])
        if isinstance(each, ast.Name):
            counts = used if isinstance(each.ctx, ast.Load) else stored
            counts[each.id] = counts.get(each.id, 0) + 1
        for place in _slice_places(each):
            if isinstance(place, ast.Name):
                used[place.id] = used.get(place.id, 0) - 1
    n_rest = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    own = set(
        code.co_varnames[code.co_argcount + code.co_kwonlyargcount + n_rest :]
    )  # of this function alone, no parameters
    known = {
        name: each[0]
        for name, each in known.items()
        if name in own and used.get(name, 0) == 0 and stored[name] == len(each) and each.count(each[0]) == len(each)
    }
    made = _Slices(known).visit(copy.deepcopy(node))
    return ast.fix_missing_locations(made), [f"ks_{name}_{part}" for name in known for part in _parts]


def as_sorted(call):
    """(a function that gives sorted(x, reverse=…), what it takes)."""
    start = ast.Assign([ast.Name("ks_items", ast.Store())], as_list(call.args[0]))
    sort = ast.Call(ast.Attribute(ast.Name("ks_items", ast.Load()), "sort", ast.Load()), [], call.keywords)
    end = ast.Return(ast.Name("ks_items", ast.Load()))
    return _made("sorted_list", [start, ast.Expr(sort), end], call), []


def as_sort_by_key(call):
    """(a function that sorts as x.sort(key=…, reverse=…) does, what it takes); None of any other call."""
    by_name = {keyword.arg: keyword.value for keyword in call.keywords}
    is_sort = isinstance(call.func, ast.Attribute) and call.func.attr == "sort" and not call.args
    if not is_sort or "key" not in by_name or by_name.keys() - {"key", "reverse"}:
        return None
    key, given, method = by_name["key"], [by_name.get("reverse", ast.Constant(False))], "sort"
    load = lambda name: ast.Name(name, ast.Load())  # noqa: E731
    body = []
    if not isinstance(key, ast.Constant):
        keys = as_items("map", ast.copy_location(ast.Call(load("map"), [key, load("ks_list")], []), call))
        if keys is None:
            return None
        body.append(ast.Assign([ast.Name("ks_keys", ast.Store())], keys))
        given, method = [load("ks_keys"), *given], "ks_sort_by"
    body.append(ast.Expr(ast.Call(ast.Attribute(load("ks_list"), method, ast.Load()), given, [])))
    return _made("sort_by_key", body, call, ["ks_list"]), [call.func.value]


def counted(call):
    """(x, start) of enumerate(x, start); None of any other call."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "enumerate":
        return None
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return (given[0], given[1] if len(given) > 1 else 0) if given else None


def given_by(function, call):
    """{parameter: the node that the call gives, or the default}; a text that says why it cannot be known."""
    if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
        return "*arguments of a generator cannot be compiled"
    signature = inspect.signature(function)
    if any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in signature.parameters.values()):
        return "a generator that takes *arguments cannot be compiled"
    try:
        bound = signature.bind(*call.args, **{each.arg: each.value for each in call.keywords})
    except TypeError as error:
        return str(error)
    bound.apply_defaults()
    return dict(bound.arguments)


def yield_from(node):
    """`yield from x` as the loop that it is."""
    item = ast.Expr(ast.Yield(ast.Name("ks_item", ast.Load())))
    return _placed(ast.For(ast.Name("ks_item", ast.Store()), node.value, [item], []), node)


def _raised(name, message):
    return ast.Raise(ast.Call(_load(name), [message], []), None)


def starred_assignment(node):
    """(the targets of `a, *b = x` without the star, a function that gives their values, what it takes); None of another one.

    A function, because its argument's type decides whether it is a tuple, whose items may have several types.
    """
    target = node.targets[0]
    items = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    at = next((k for k, each in enumerate(items) if isinstance(each, ast.Starred)), None)
    if at is None or len(node.targets) > 1:
        return None
    n_behind = len(items) - at - 1

    def taken(name):
        count = ast.Call(_load("len"), [_load(name)], [])
        message = f"not enough values to unpack (expected at least {len(items) - 1}, got "
        text = ast.JoinedStr([ast.Constant(message), ast.FormattedValue(count, -1, None), ast.Constant(")")])
        yield ast.If(ast.Compare(count, [ast.Lt()], [ast.Constant(len(items) - 1)]), [_raised("ValueError", text)], [])
        end = ast.UnaryOp(ast.USub(), ast.Constant(n_behind)) if n_behind else None
        places = [
            ast.Constant(k) if k < at else ast.UnaryOp(ast.USub(), ast.Constant(len(items) - k))
            for k in range(len(items))
        ]
        places[at] = ast.Slice(ast.Constant(at), end, None)
        values = [ast.Subscript(_load(name), place, ast.Load()) for place in places]
        values[at] = ast.Call(_load("list"), [values[at]], [])
        yield ast.Return(ast.Tuple(values, ast.Load()))

    is_tuple = ast.Call(_load("isinstance"), [_load("ks_given"), _load("tuple")], [])
    whole = _assigned("ks_listed", ast.Call(_load("list"), [_load("ks_given")], []))
    body = [ast.If(is_tuple, [*taken("ks_given")], [whole, *taken("ks_listed")])]
    targets = [each.value if isinstance(each, ast.Starred) else each for each in items]
    made = _made("taken_apart", body, node, ["ks_given"])
    return _placed(ast.Tuple(targets, ast.Store()), target), made, [node.value]


def match_statement(node, number):
    """(a match as `if` statements, names that they add); a text that says which pattern is none for compiled code."""
    values = node.subject.elts if isinstance(node.subject, ast.Tuple) else [node.subject]
    if any(isinstance(each, ast.Starred) for each in values):
        return "a starred expression cannot be compiled yet"
    subjects = [f"ks_subject_{number}_{k}" for k in range(len(values))]
    whole = (
        ast.Tuple([*map(_load, subjects)], ast.Load()) if isinstance(node.subject, ast.Tuple) else _load(subjects[0])
    )
    hit = f"ks_hit_{number}"
    try:
        chain = _cases(node.cases, whole, hit)
    except _NoPattern as reason:
        return str(reason)
    made = [*map(_assigned, subjects, values), *chain]
    return [_placed(each, node) for each in made], [*subjects, hit]


class _NoPattern(Exception):
    pass


def _cases(cases, subject, hit):
    """The statements that run the first of the cases that fits. What a pattern binds is bound before its guard is asked."""
    if not cases:
        return []
    case = cases[0]
    test, bound = _pattern(case.pattern, subject)
    if case.guard is None:
        return [ast.If(test, bound + case.body, _cases(cases[1:], subject, hit))] if test else bound + case.body
    rest = _cases(cases[1:], subject, hit)
    if test is None:
        return [*bound, ast.If(case.guard, case.body, rest)]
    if not bound:
        return [ast.If(ast.BoolOp(ast.And(), [test, case.guard]), case.body, rest)]
    asked = _assigned(hit, ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), case.guard)))
    return [_assigned(hit, ast.Constant(False)), ast.If(test, [*bound, asked], []), ast.If(_load(hit), case.body, rest)]


def _pattern(pattern, subject):
    """(the expression that says whether the subject fits, None if it always does; the assignments if it does)."""
    if isinstance(pattern, ast.MatchValue):
        return ast.Compare(subject, [ast.Eq()], [pattern.value]), []
    if isinstance(pattern, ast.MatchSingleton):
        return ast.Compare(subject, [ast.Is()], [ast.Constant(pattern.value)]), []
    if isinstance(pattern, ast.MatchAs):
        test, bound = _pattern(pattern.pattern, subject) if pattern.pattern else (None, [])
        return test, [*bound, _assigned(pattern.name, subject)] if pattern.name else bound
    if isinstance(pattern, ast.MatchOr):
        parts = [_pattern(each, subject) for each in pattern.patterns]
        if any(bound for _, bound in parts):
            raise _NoPattern("alternatives that bind names cannot be compiled")
        return None if any(test is None for test, _ in parts) else ast.BoolOp(ast.Or(), [test for test, _ in parts]), []
    is_class = isinstance(pattern, ast.MatchClass) and not pattern.patterns and not pattern.kwd_patterns
    if is_class:
        return ast.Call(_load("isinstance"), [subject, pattern.cls], []), []
    is_display = isinstance(pattern, ast.MatchSequence) and isinstance(subject, ast.Tuple)
    if not is_display or any(isinstance(each, ast.MatchStar) for each in pattern.patterns):
        raise _NoPattern("this pattern of match cannot be compiled")
    if len(pattern.patterns) != len(subject.elts):
        return ast.Constant(False), []
    parts = [_pattern(*each) for each in zip(pattern.patterns, subject.elts, strict=True)]
    tests = [test for test, _ in parts if test]
    test = ast.BoolOp(ast.And(), tests) if len(tests) > 1 else tests[0] if tests else None
    return test, [each for _, bound in parts for each in bound]


def stays_a_generator(function):
    """Why a loop over it cannot be its body with the loop's at each yield; None if it can."""
    n_yields, reason = 0, None

    def visit(node, is_tried):
        nonlocal n_yields, reason
        is_statement = isinstance(node, ast.Expr) and isinstance(node.value, (ast.Yield, ast.YieldFrom))
        if is_statement:
            n_yields += 1
            if is_tried:
                reason = "a generator that yields inside of try or with cannot be compiled"
            node = node.value
            if node.value is None:
                reason = "a yield without a value cannot be compiled"
        elif isinstance(node, (ast.Yield, ast.YieldFrom)):
            reason = "what a yield gives back cannot be compiled"
        for each in ast.iter_child_nodes(node):
            if not isinstance(each, _functions):
                visit(each, is_tried or isinstance(node, (ast.Try, ast.With)))

    visit(function, False)
    if n_yields > 8:
        reason = "a generator of more than eight yields cannot be compiled"
    return reason


_integers = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
_floats, _complexes = (np.float16, np.float32, np.float64), (np.complex64, np.complex128)
_kinds = {bool: (np.bool_,), int: _integers, float: _floats, complex: _complexes}
_numbers = [(python, own) for python, all_of in _kinds.items() for own in all_of]
# Each of several classes, which compiled code cannot tell apart.
_both = ("bool", "int64", "float64", "complex128", "ndarray")


def classes(asked):
    """The compiler's names of the kinds of values for which isinstance(value, asked) is true, with "?" in front where it may be.

    A number counts as one of Python's if a class that is asked for has Python's numbers. None if something is no class.
    """
    each = list(asked)
    for one in each:  # it grows
        each.extend(one if isinstance(one, tuple) else one.__args__ if isinstance(one, types.UnionType) else ())
    each = [one for one in each if not isinstance(one, (tuple, types.UnionType))]
    if not all(isinstance(one, type) for one in each):
        return None
    found = []

    def add(name, python, own):
        if issubclass(python, tuple(each)):
            found.append(name)
        elif issubclass(own, tuple(each)):
            found.append("?" + name if name in _both else name)
        elif python is not str and any(issubclass(one, python) and one is not bool for one in each):
            found.append("?" + name)

    for kind in (type(None), str, np.ndarray, tuple, list, dict, set):
        add(kind.__name__, kind, _core.Array if kind is np.ndarray else kind)
    for python, own in _numbers:
        add(np.dtype(own).name, python, own)
    return ",".join(found)


_operators = """add sub mul truediv floordiv mod divmod pow lshift rshift and or xor radd rsub rmul rtruediv rfloordiv rmod rdivmod
rpow rlshift rrshift rand ror rxor neg pos abs invert eq ne lt le gt ge bool int float index round trunc floor ceil""".split()


def members_of(integers):
    """What makes a member of its number, for an Enum of integers of 64 bits that counts as they do; else None."""
    is_flag = issubclass(integers, enum.IntFlag)
    home = enum.IntFlag if is_flag else int
    if any(getattr(integers, f"__{name}__") is not getattr(home, f"__{name}__") for name in _operators):
        return None
    members = {int(member): member for member in integers}
    if is_flag:
        is_plain = integers._boundary_ is enum.KEEP and all(member._value_ == n for n, member in members.items())
        return integers if is_plain else None
    is_plain = len(members) == len(list(integers)) and all(-(2**63) <= n < 2**63 for n in members)
    return members.__getitem__ if is_plain else None


def dtypes_of(asked):
    """Dtypes of compiled code that np.issubdtype says are of this one."""
    return [own for _, own in _numbers if np.issubdtype(own, asked)]


def as_items(name, call):
    """reversed(x), map(f, x), filter(f, x) as a subscript, a range or a comprehension; None if it is none of these."""
    if name == "reversed" and len(call.args) == 1:
        source = call.args[0]
        is_range = isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "range"
        if is_range and len(source.args) < 3 and not source.keywords:
            start = source.args[0] if len(source.args) == 2 else ast.Constant(0)
            bounds = [ast.BinOp(end, ast.Sub(), ast.Constant(1)) for end in (source.args[-1], start)]
            return _placed(ast.Call(source.func, [*bounds, ast.UnaryOp(ast.USub(), ast.Constant(1))], []), call)
        if is_range or isinstance(source, ast.Call):
            return None
        back = ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1)))
        return _placed(ast.Subscript(source, back, ast.Load()), call)
    if len(call.args) != 2:
        return None
    item = lambda context: ast.Name("ks_item", context)  # noqa: E731
    function, source = call.args
    if isinstance(function, ast.Lambda):
        if len(function.args.args) != 1:
            return None
        item = lambda context: ast.Name(function.args.args[0].arg, context)  # noqa: E731
        value = function.body
    else:
        value = ast.Call(function, [item(ast.Load())], [])
    if name == "filter":
        made = ast.ListComp(item(ast.Load()), [ast.comprehension(item(ast.Store()), source, [value], 0)])
    else:
        made = ast.ListComp(value, [ast.comprehension(item(ast.Store()), source, [], 0)])
    return _placed(made, call)


def assertion(node):
    """What an assert statement with a message raises."""
    return _placed(ast.Call(ast.Name("AssertionError", ast.Load()), [node.msg], []), node)


def as_f_string(node):
    """`"…" % values` or `"…".format(values)` as the f-string that it is; None if it is none, or its text is not written there."""
    text, parts = None, None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        text, make = getattr(node.left, "value", None), _of_percents
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        text, make = getattr(node.func.value, "value", None), _of_fields
    if isinstance(text, str):
        parts = make(text, node)
    return parts and _placed(ast.JoinedStr(parts), node)


def _part(value, conversion, spec):
    return ast.FormattedValue(value, conversion, ast.JoinedStr([ast.Constant(spec)]) if spec else None)


def _of_percents(text, node):
    values = list(node.right.elts) if isinstance(node.right, ast.Tuple) else [node.right]
    literal, *rest = re.split(r"%([-+ 0]*)(\d*)((?:\.\d+)?)([diuxXeEfFgGsr%])", text)
    parts = [ast.Constant(literal)]
    for flags, width, precision, kind, literal in zip(*(rest[i::5] for i in range(5)), strict=True):
        is_text, is_whole = kind in "sr", kind in "diu"
        if kind == "%":
            parts.append(ast.Constant("%"))
        elif not values or (is_text and flags.strip("-")) or (precision and kind in "diuxX"):
            return None
        else:
            align = "<" if "-" in flags else ">" if is_text and width else ""
            sign = "+" if "+" in flags else " " if " " in flags else ""
            zero = "0" if "0" in flags and not align else ""
            spec = align + sign + zero + width + precision + ("" if is_text else "d" if is_whole else kind)
            parts.append(_part(values.pop(0), ord("d" if is_whole else kind) if is_text or is_whole else -1, spec))
        parts.append(ast.Constant(literal))
    return None if values or any("%" in part.value for part in parts[::2]) else parts


def _of_fields(text, node):
    given = dict(enumerate(node.args)) | {keyword.arg: keyword.value for keyword in node.keywords}
    parts, used = [], []
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError:
        return None
    for literal, field, spec, conversion in fields:
        parts.append(ast.Constant(literal))
        if field is None:
            continue
        key = len(used) if field == "" else int(field) if field.isdecimal() else field
        if key not in given or "{" in spec or isinstance(given[key], ast.Starred):
            return None
        used.append(key)
        parts.append(_part(given[key], ord(conversion) if conversion else -1, spec))
    return parts if sorted(map(str, used)) == sorted(map(str, given)) else None  # each is computed once
