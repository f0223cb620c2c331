"""Generators that a compiled function keeps in variables: their bodies as steps, one of which each turn or next() runs.

The variables of a generator are variables of the function that keeps it. Its body is cut where it yields and where loops and
conditions around a yield begin; a number says which piece comes next, and -1 that the generator has ended.
"""

import ast
import builtins
import copy
import inspect
import types

from . import _interpreted, _library, _scopes, _source, errors

_functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_most_pieces = 160  # of all places of a generator together: its body is written at each
_plain = ("range", "len", "abs", "min", "max", "int", "float", "bool", "round")  # change nothing


class _Unfit(Exception):
    """Says why a generator has no such form."""


def _load(name):
    return ast.Name(name, ast.Load())


def _assigned(name, value):
    return ast.Assign([ast.Name(name, ast.Store())], value if isinstance(value, ast.AST) else ast.Constant(value))


def _is(name, number):
    return ast.Compare(_load(name), [ast.Eq()], [ast.Constant(number)])


def _inside(node, unless):
    """The node and all that is in it, but what is in nodes of these classes."""
    yield node
    for each in ast.iter_child_nodes(node):
        if not isinstance(each, unless):
            yield from _inside(each, unless)


def _stored(stmt):
    """Names that the statement binds, but those of comprehensions."""
    return {
        each.id
        for each in _inside(stmt, _comprehensions)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    }


def _is_cut(stmt):
    """Whether a yield, or what leaves the statement, is in it."""

    def leaves(node, in_loop):
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Return)):
            return True
        if isinstance(node, (ast.Break, ast.Continue)):
            return not in_loop
        if isinstance(node, (ast.For, ast.While)):
            return any(leaves(each, True) for each in node.body) or any(leaves(each, in_loop) for each in node.orelse)
        return any(leaves(each, in_loop) for each in ast.iter_child_nodes(node))

    return leaves(stmt, False)


def _has_result(stmt):
    is_none = isinstance(stmt, ast.Return) and isinstance(stmt.value, ast.Constant) and stmt.value.value is None
    return isinstance(stmt, ast.Return) and stmt.value is not None and not is_none


class _Renamed(ast.NodeTransformer):
    """Gives the generator's variables, and what it reads around it, names of their own."""

    def __init__(self, prefix, names):
        self.prefix, self.names = prefix, names

    def visit_Name(self, node):  # noqa: N802
        return ast.Name(self.prefix + node.id, node.ctx) if node.id in self.names else node

    def visit_ExceptHandler(self, node):  # noqa: N802
        node.name = node.name and self.prefix + node.name
        return self.generic_visit(node)


class _Generator:
    """A generator function as pieces of a function that keeps it under one name."""

    def __init__(self, name, function, taken, keeps_result=False):
        self.prefix, self.function, self.cells, self.read = f"ks_{name}_", function, {}, {}
        names = "ks_at", "ks_piece", "ks_value", "ks_result"
        self.at, self.piece, self.value, self.result = (self.prefix + each for each in names)
        node = copy.deepcopy(_source.of(function)[0])
        if reason := _scopes.stays_a_generator(node):
            raise _Unfit(reason)
        unfit = (*_functions, ast.Match, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.Await, ast.AsyncFor)
        if any(isinstance(each, unfit) for stmt in node.body for each in ast.walk(stmt)):
            raise _Unfit("a generator with functions, imports or match inside is not kept in a variable")
        self.has_result = keeps_result and any(map(_has_result, _inside(node, ())))
        self.is_pure = self._read(node, taken)
        self.pieces, self.n_names = [[]], 0
        self.now = self.pieces[0]
        self._block(node.body, None)
        self._go(-1)
        self.pieces = self._reached()

    def _read(self, node, taken):
        """Renames what the body reads and binds. Whether it changes nothing but its variables."""
        inside = [each for stmt in node.body for each in ast.walk(stmt)]
        own, read = _scopes.names(node)
        own |= {each.name for each in inside if isinstance(each, ast.ExceptHandler) and each.name}
        around = dict(
            zip(self.function.__code__.co_freevars, (c for c in self.function.__closure__ or ()), strict=True)
        )
        for name in {each.id for each in inside if isinstance(each, ast.Name)} - own:
            if name == "StopIteration":
                raise _Unfit("a generator that names StopIteration is not kept in a variable")
            if name in around:
                self.cells[self.prefix + name] = around[name]
            elif name in self.function.__globals__:
                self.read[name] = self.function.__globals__[name]
                self.cells[self.prefix + name] = types.CellType(self.read[name])
            elif name in taken or not hasattr(builtins, name):
                raise _Unfit(f"the generator's name '{name}' means something else here")
        self.renamed = own | {name.removeprefix(self.prefix) for name in self.cells}
        rename = _Renamed(self.prefix, own | {name.removeprefix(self.prefix) for name in self.cells})
        node.body = [rename.visit(stmt) for stmt in node.body]
        parameters = {self.prefix + name for name in inspect.signature(self.function).parameters}
        self.same = parameters.difference(*map(_stored, node.body))
        stores = (ast.Subscript, ast.Attribute)
        changes = (
            isinstance(each, stores)
            and not isinstance(each.ctx, ast.Load)
            or isinstance(each, ast.Call)
            and not (isinstance(each.func, ast.Name) and each.func.id in _plain)
            for stmt in node.body
            for each in ast.walk(stmt)
        )
        return not any(changes)

    def created(self, call, like):
        """The statements of `g = f(…)`."""
        given = _scopes.given_by(self.function, call)
        if isinstance(given, str):
            raise _Unfit(given)
        made = []
        for name, value in given.items():
            if not isinstance(value, ast.AST):
                self.cells[f"{self.prefix}ks_of_{name}"] = types.CellType(value)
                value = _load(f"{self.prefix}ks_of_{name}")
            made.append(_assigned(self.prefix + name, value))
        return _at([*made, _assigned(self.at, 0)], like)

    def step(self, like):
        """The statements that run it to its next yield. One that raises has ended, as in Python."""
        chosen = [ast.Break()]
        for number, piece in reversed(self.pieces.items()):
            chosen = [ast.If(_is(self.piece, number), copy.deepcopy(piece), chosen)]
        start = [_assigned(self.piece, _load(self.at)), _assigned(self.at, -1)]
        return _at([*start, ast.While(ast.Constant(True), chosen, [])], like)

    def _reached(self):
        """{number: piece} of the pieces that something leads to and that do more than lead to another one."""

        def behind(number, is_yield):
            for _ in self.pieces:  # pieces may lead to one another in a circle
                if number < 0 or len(self.pieces[number]) > 1 or not next_of(self.pieces[number][0]):
                    break
                if is_yield and self.pieces[number][0].value.value < 0:
                    break  # -1 would say that it has ended instead of yielding
                number = self.pieces[number][0].value.value
            return number

        def next_of(node):
            is_name = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
            return is_name and node.targets[0].id in (self.piece, self.at)

        found, ahead = {}, [0]
        while ahead:
            number = ahead.pop()
            if number < 0 or number in found:
                continue
            found[number] = self.pieces[number]
            for node in (node for stmt in self.pieces[number] for node in ast.walk(stmt) if next_of(node)):
                node.value = ast.Constant(behind(node.value.value, node.targets[0].id == self.at))
                ahead.append(node.value.value)
        return found

    def _new(self):
        self.pieces.append([])
        return len(self.pieces) - 1

    def _begin(self, number):
        self.now = self.pieces[number]

    def _go(self, number):
        self.now.append(_assigned(self.piece, number))

    def _branch(self, test, yes, no, first=()):
        self.now.append(ast.If(test, [*first, _assigned(self.piece, yes)], [_assigned(self.piece, no)]))

    def _variable(self):
        self.n_names += 1
        return f"{self.prefix}ks_{self.n_names}"

    def _block(self, statements, loop):
        for stmt in statements:
            self._statement(stmt, loop)

    def _statement(self, stmt, loop):
        if self.has_result and _has_result(stmt):
            self.now += [_assigned(self.result, stmt.value), _assigned(self.at, -2), ast.Break()]
            self._begin(self._new())  # what nothing leads to
        elif isinstance(stmt, ast.Return):
            if stmt.value is not None and not isinstance(stmt.value, ast.Constant):
                self.now.append(ast.Expr(stmt.value))
            self._leave(-1)
        elif isinstance(stmt, (ast.Break, ast.Continue)):
            self._leave(loop[isinstance(stmt, ast.Break)])
        elif not _is_cut(stmt):
            self.now.append(stmt)
        elif isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Yield):
            behind = self._new()
            self.now += [_assigned(self.value, stmt.value.value), _assigned(self.at, behind), ast.Break()]
            self._begin(behind)
        elif isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.YieldFrom):
            item = self._variable()
            loop = ast.For(ast.Name(item, ast.Store()), stmt.value.value, [ast.Expr(ast.Yield(_load(item)))], [])
            self._statement(loop, None)
        elif isinstance(stmt, ast.If):
            yes, no, behind = self._new(), self._new(), self._new()
            self._branch(stmt.test, yes, no)
            for number, body in ((yes, stmt.body), (no, stmt.orelse)):
                self._begin(number)
                self._block(body, loop)
                self._go(behind)
            self._begin(behind)
        elif isinstance(stmt, (ast.For, ast.While)):
            self._loop(stmt, loop)
        else:
            raise _Unfit("a generator that is left inside of try or with is not kept in a variable")

    def _leave(self, number):
        self._go(number)
        self._begin(self._new())  # what nothing leads to

    def _loop(self, stmt, around):
        test, first = (stmt.test, []) if isinstance(stmt, ast.While) else self._counted(stmt)
        head, body, otherwise, behind = self._new(), self._new(), self._new(), self._new()
        self._go(head)
        self._begin(head)
        self._branch(test, body, otherwise, first)
        self._begin(body)
        self._block(stmt.body, (head, behind))
        self._go(head)
        self._begin(otherwise)
        self._block(stmt.orelse, around)
        self._go(behind)
        self._begin(behind)

    def _counted(self, stmt):
        """(whether there is another turn, what begins one) of a for loop over numbers or over what has an order."""
        source, place = stmt.iter, self._variable()
        if self._called(source) != "range":
            self.now.append(_assigned(place, 0))
            lengths, item = self._item(source, place)
            tests = [ast.Compare(_load(place), [ast.Lt()], [length]) for length in lengths]
            test, step = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests), 1
        else:
            given, end = source.args, self._variable()
            if source.keywords or any(isinstance(each, ast.Starred) for each in given):
                raise _Unfit("a range in a generator that is kept in a variable has its numbers one by one")
            step = ast.literal_eval(given[2]) if len(given) == 3 and _is_number(given[2]) else len(given) < 3
            if not step or isinstance(step, float):
                raise _Unfit("the step of a range in a generator that is kept in a variable is written as a number")
            start, stop = given[:2] if len(given) > 1 else (ast.Constant(0), given[0])
            self.now += [_assigned(place, start), _assigned(end, stop)]
            test = ast.Compare(_load(place), [ast.Lt() if step > 0 else ast.Gt()], [_load(end)])
            item = _load(place)
        moved = _assigned(place, ast.BinOp(_load(place), ast.Add(), ast.Constant(int(step))))
        return test, [ast.Assign([stmt.target], item), moved]

    def _called(self, node):
        """The name of Python's own function that is called; None if it is another's."""
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
        return None if name in self.renamed else name

    def _item(self, source, place):
        """(what ends a loop over it, its item) at a place, of what has an order, or of enumerate() and zip() of such."""
        called, end = self._called(source), self._variable()
        plain = not any(isinstance(each, ast.Starred) for each in getattr(source, "args", ()))
        if called == "enumerate" and plain and 0 < len(source.args) + len(source.keywords) < 3:
            lengths, item = self._item(source.args[0], place)
            start = [*source.args[1:], *(each.value for each in source.keywords)] or [ast.Constant(0)]
            self.now.append(_assigned(end, start[0]))
            return lengths, ast.Tuple([ast.BinOp(_load(place), ast.Add(), _load(end)), item], ast.Load())
        if called == "zip" and plain and source.args and not source.keywords:
            parts = [self._item(each, place) for each in source.args]
            return [each for lengths, _ in parts for each in lengths], ast.Tuple(
                [item for _, item in parts], ast.Load()
            )
        if called in ("range", "zip", "enumerate"):
            raise _Unfit(
                "a generator in a variable yields in loops over range, and over sequences, by zip and enumerate too"
            )
        if isinstance(source, ast.Name) and source.id in self.same:
            end = source.id  # as it is given: nothing is kept of it from step to step
        else:
            self.now.append(_assigned(end, source))
        # what has no order has no slice
        self.now.append(ast.Expr(ast.Subscript(_load(end), ast.Slice(ast.Constant(0), ast.Constant(0)), ast.Load())))
        return [ast.Call(_load("len"), [_load(end)], [])], ast.Subscript(_load(end), _load(place), ast.Load())


def _is_number(node):
    node = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _at(statements, like):
    """The statements, at the place of another one: a generator's lines may be of another file."""
    for stmt in statements:
        for node in ast.walk(stmt):
            if hasattr(like, "lineno"):
                ast.copy_location(node, like)
    return statements


def _kept(function, node, generator_of):
    """{name: (the generator function, how often its body is written)} of the variables that hold a generator and nothing else."""
    code = function.__code__
    n_rest = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    own = code.co_varnames[code.co_argcount + code.co_kwonlyargcount + n_rest :]
    made, uses, mentioned = {}, {}, {}
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id in own:
            mentioned[each.id] = mentioned.get(each.id, 0) + 1
    for each in (each for stmt in node.body for each in _inside(stmt, (*_functions, *_comprehensions))):
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call):
            if len(each.targets) == 1 and isinstance(each.targets[0], ast.Name):
                made.setdefault(each.targets[0].id, []).append(each.value)
        elif isinstance(each, ast.For) and isinstance(each.iter, ast.Name):
            uses[each.iter.id] = uses.get(each.iter.id, 0) + 1
        elif _next_of(each):
            uses[_next_of(each)] = uses.get(_next_of(each), 0) + 1
    found = {}
    for name, calls in made.items():
        if name in own and uses.get(name) and mentioned[name] == len(calls) + uses[name]:
            called = [generator_of(call) for call in calls]
            if called[0] is not None and all(each is called[0] for each in called):
                found[name] = called[0], uses[name]
    return found


def _means_another(name, function):
    """Whether a builtin's name has another meaning in a function."""
    code = function.__code__
    return name in function.__globals__ or name in code.co_varnames + code.co_freevars + code.co_cellvars


def _zipped(function, node, generator_of):
    """(the tree in which variables keep what `for … in zip(…)` runs over, if a generator is among it, those as _kept() gives them)."""
    found = {}
    if "zip" not in function.__code__.co_names or _means_another("zip", function):
        return node, found

    def of(source):
        made = ast.copy_location(ast.Call(_load("iter"), [source], []), source)
        return _library.generator(iter, made), made

    class Zips(ast.NodeTransformer):
        def visit_For(self, loop):  # noqa: N802
            self.generic_visit(loop)
            source = loop.iter
            is_zip = isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "zip"
            if not is_zip or source.keywords or any(isinstance(each, ast.Starred) for each in source.args):
                return loop
            called = [generator_of(each) for each in source.args]
            if not any(called):
                return loop
            names = [f"ks_zip_{len(found) + k}" for k in range(len(called))]
            made = [(each, source) if each else of(source) for each, source in zip(called, source.args, strict=True)]
            found.update({name: (each, 1) for name, (each, _) in zip(names, made, strict=True)})
            assigned = [_assigned(name, call) for name, (_, call) in zip(names, made, strict=True)]
            source.args = [ast.copy_location(_load(name), loop) for name in names]
            return [*(_placed(each, loop) for each in assigned), loop]

    return Zips().visit(copy.deepcopy(node)), found


def _placed(made, like):
    """Where `like` is, but for what has a place."""
    for node in ast.walk(made):
        if not hasattr(node, "lineno"):
            ast.copy_location(node, like)
    return made


def _next_of(node):
    """The name of the generator that is asked for its next value here; None of another node."""
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "next"
    is_plain = is_call and len(node.args) in (1, 2) and not node.keywords and isinstance(node.args[0], ast.Name)
    return node.args[0].id if is_plain else None


def _zip_of(node):
    """The names of zip(a, b, …); None of another expression."""
    is_zip = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip" and node.args
    return [each.id for each in node.args] if is_zip and all(isinstance(each, ast.Name) for each in node.args) else None


def _is_evaluated(node, field, number):
    """Whether this part of a node is evaluated whenever the node is, and once."""
    if isinstance(node, (*_comprehensions, ast.Lambda, ast.While)) or field in ("targets", "target"):
        return False
    if isinstance(node, ast.IfExp):
        return field == "test"
    return number == 0 or not (
        isinstance(node, ast.BoolOp) or (isinstance(node, ast.Compare) and field == "comparators")
    )


class _Writer:
    """Writes the steps of generators where a function uses them."""

    def __init__(self, known):
        self.known, self.n_names = known, 0

    def block(self, statements):
        return [made for stmt in statements for made in self.statement(stmt)]

    def statement(self, stmt):
        if isinstance(stmt, _functions):
            return [stmt]
        ahead = self._taken_ahead(stmt)
        if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name) and stmt.targets[0].id in self.known:
            return [*ahead, *self.known[stmt.targets[0].id].created(stmt.value, stmt)]
        for part in [stmt, *getattr(stmt, "handlers", []), *getattr(stmt, "cases", [])]:
            for field in ("body", "orelse", "finalbody"):
                if isinstance(getattr(part, field, None), list):
                    setattr(part, field, self.block(getattr(part, field)))
        if isinstance(stmt, ast.For) and isinstance(stmt.iter, ast.Name) and stmt.iter.id in self.known:
            return self._loop(stmt, [self.known[stmt.iter.id]])
        if isinstance(stmt, ast.For) and (names := _zip_of(stmt.iter)) and names[0] in self.known:
            return self._loop(stmt, [self.known[name] for name in names])
        return [*ahead, stmt]

    def _name(self):
        self.n_names += 1
        return f"ks_next_{self.n_names}"

    def _loop(self, stmt, generators):
        """A loop over a generator, or over what several give side by side: the first that ends, ends it."""
        more, values = self._name(), [_load(each.value) for each in generators]
        value = values[0] if isinstance(stmt.iter, ast.Name) else ast.Tuple(values, ast.Load())
        turn = [*_at([ast.Assign([stmt.target], value)], stmt), *stmt.body]
        for generator in reversed(generators):
            turn = [*generator.step(stmt), ast.If(_is(generator.at, -1), [_assigned(more, False)], turn)]
        loop = ast.While(_load(more), turn, stmt.orelse)
        return [ast.copy_location(each, stmt) for each in (_assigned(more, True), loop)]

    def _taken_ahead(self, stmt):
        """Each next(g) of a statement's own expressions becomes a variable, which statements before it assign."""
        ahead, others, generators, asking = [], [], [], []

        def visit(node, is_sure):
            """Gives what stands for the node. `is_sure`: whether it is evaluated, and once."""
            name = _next_of(node)
            if name in self.known:
                if not is_sure:
                    raise _Unfit(
                        "a next(…) that may not be evaluated, or more than once, is not compiled: assign it first"
                    )
                return taken(node, self.known[name])
            before = len(asking)
            for field, value in ast.iter_fields(node):
                is_list = isinstance(value, list)
                made = []
                for k, each in enumerate(value if is_list else [value]):
                    is_here = isinstance(each, (ast.expr, ast.keyword))
                    sure = is_sure and _is_evaluated(node, field, k)
                    made.append(visit(each, sure) if is_here else each)
                if made != (value if is_list else [value]):
                    setattr(node, field, made if is_list else made[0])
            if isinstance(node, (ast.Call, ast.Subscript, ast.Attribute)) and len(asking) == before:
                others.append(node)
            return node

        def taken(node, generator):
            name = self._name()
            ended = ast.Raise(_load("StopIteration"), None)
            if len(node.args) == 2:
                if not isinstance(node.args[1], (ast.Constant, ast.Name)) and not _is_number(node.args[1]):
                    raise _Unfit("the value that next(…) gives at the end is a number or a name: assign it first")
                ended = _assigned(name, node.args[1])
            value = _assigned(name, _load(generator.value))
            ahead.extend(generator.step(stmt))
            ahead.extend(_at([ast.If(_is(generator.at, -1), [ended], [value])], stmt))
            generators.append(generator)
            asking.append(node)
            return ast.copy_location(_load(name), node)

        visit(stmt, True)
        if generators:
            self._expect_order(stmt, others, generators)
        return ahead

    def _expect_order(self, stmt, others, generators):
        """What is evaluated before next(g) in the same statement must not be able to tell."""
        is_pure = all(each.is_pure for each in generators)
        methods = {id(each.func) for each in ast.walk(stmt) if isinstance(each, ast.Call)}
        if isinstance(stmt, ast.AugAssign) and not isinstance(stmt.target, ast.Name):
            others = [*others, ast.Subscript(stmt.target, stmt.target, ast.Load())]
        for each in others:
            is_read = isinstance(each, (ast.Subscript, ast.Attribute)) and isinstance(each.ctx, ast.Load)
            if isinstance(each, ast.Call) or (is_read and not is_pure and id(each) not in methods):
                raise _Unfit("next(…) beside another call or an item is not compiled: assign it first")


def written(function, node, generator_of):
    """(the function's tree with the steps of the generators that it keeps, new names, {name: cell} of what those read, and of
    it what is global, as a module's names, the name and its value).

    None if it keeps none; a text that says why it cannot be compiled. `generator_of` gives the generator function of a call.
    """
    code = function.__code__
    if isinstance(node, ast.Lambda) or code.co_flags & inspect.CO_GENERATOR:
        return None
    node, found = _zipped(function, node, generator_of)
    found |= _kept(function, node, generator_of)
    if not found:
        return None
    if _means_another("next", function):
        return None
    try:
        known = {name: _Generator(name, of, code.co_varnames) for name, (of, _) in found.items()}
        if any(len(known[name].pieces) * n > _most_pieces for name, (_, n) in found.items()):
            raise _Unfit("a generator with so many yields and loops is not kept in a variable that so many places use")
        made = copy.deepcopy(node)
        made.body = _Writer(known).block(made.body)
    except _Unfit as reason:
        return str(reason)
    made = ast.fix_missing_locations(made)
    stored = {each.id for each in ast.walk(made) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    cells = {name: cell for each in known.values() for name, cell in each.cells.items()}
    outside = [(each.function.__globals__, *read) for each in known.values() for read in each.read.items()]
    return made, [name for name in stored if name.startswith("ks_")], cells, outside


def given_to(function, call, generators):
    """(the function that makes in its variables the generators it is given, what it takes), or None if it has no such form.

    `generators` are the generator functions that arguments of the call call, by place.
    """
    kept = vars(function).setdefault("__kasoku_of_generators__", {})
    parts = {k: _scopes.given_by(each, call.args[k]) for k, each in generators.items()}
    if any(isinstance(each, str) for each in parts.values()):
        return None
    nodes = {k: [v for v in given.values() if isinstance(v, ast.AST)] for k, given in parts.items()}
    arguments = [one for k, each in enumerate(call.args) for one in nodes.get(k, [each])]
    names = {k: tuple(n for n, v in given.items() if isinstance(v, ast.AST)) for k, given in parts.items()}
    key = tuple(generators.items()), tuple(names.items())
    if key not in kept:
        kept[key] = None  # a function that calls itself so
        kept[key] = _with_generators(function, generators, names)
    if kept[key] is None or call.keywords or any(isinstance(each, ast.Starred) for each in arguments):
        return None
    return kept[key], arguments


def _with_generators(function, generators, names):
    try:
        node, file, lines, text = _source.of(function)
    except errors.UnsupportedError:
        return None
    if isinstance(node, ast.Lambda) or function.__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_GENERATOR):
        return None
    made = copy.deepcopy(node)
    parameters = [*made.args.posonlyargs, *made.args.args]
    if made.args.defaults or made.args.kwonlyargs or max(generators) >= len(parameters):
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    given, begin = [], []
    for k, parameter in enumerate(parameters):
        if k not in generators:
            given.append(parameter)
            continue
        cells[f"ks_generator_{k}"] = types.CellType(generators[k])
        own = [f"ks_{parameter.arg}_of_{name}" for name in names[k]]
        given += [ast.copy_location(ast.arg(each), parameter) for each in own]
        named = [ast.keyword(name, _load(each)) for name, each in zip(names[k], own, strict=True)]
        begin.append(_assigned(parameter.arg, ast.Call(_load(f"ks_generator_{k}"), [], named)))
    made.args = ast.arguments([], given, None, [], [], None, [])
    made.body[:0] = _at(begin, made.body[0])
    made.decorator_list, made.returns = [], None
    return _interpreted.function_of(ast.fix_missing_locations(made), (file, lines, text), function, cells)
