"""Generator functions that Python calls: their steps, from one yield to the next, as compiled functions.

The iterator that runs them is python/src/jit_steps.cpp. Where numbers alone decide the values, it computes some ahead.
"""

import ast
import copy
import inspect
import types

from . import _core, _interpreted, _jit, _source, errors
from ._generators import _assigned, _at, _Generator, _load, _stored, _Unfit


def called(made, given, named):
    """The iterator of a generator function of ks.jit, whose steps are compiled. Without a compiled form None, or why as an error if
    the function may not be interpreted."""
    steps = vars(made).get("_steps")
    if steps is None or (isinstance(steps, _Steps) and steps.is_old()):
        try:
            steps = _Steps(made)
        except (_Unfit, errors.UnsupportedError) as reason:
            steps = str(reason)
        made._steps = steps
    begun = steps if isinstance(steps, str) else steps.begun(given, named)
    if not isinstance(begun, str):
        return begun
    if _core._jit_options(made)[4]:
        code = made.py_func.__code__
        what = f"the generator {made.py_func.__name__} has no compiled steps for a call from Python: {begun}"
        raise _jit.TypingError(f"{what}\n  at   {code.co_filename}:{code.co_firstlineno}, in {made.py_func.__name__}")
    return None


class _Steps:
    """Compiled functions that run a generator: to its first yield, and from one to the next.

    Each gives the number of the piece that comes next, what was yielded, and the variables that change, which the next one takes;
    and what `return` gives, if there is one: the number is -2 then, and -1 at another end.
    """

    def __init__(self, made):
        function = made.py_func
        code = function.__code__
        if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
            raise _Unfit("a generator with *arguments has no steps")
        self.signature = inspect.signature(function)
        self.generator = generator = _Generator("g", function, (), keeps_result=True)
        parameters = [generator.prefix + name for name in self.signature.parameters]
        if _may_lack_a_value(generator, parameters):
            raise _Unfit("a name of the generator may have no value")
        own = (generator.at, generator.piece, generator.value, generator.result)
        state = sorted(set().union(*map(_stored, _statements(generator))) - set(own))
        options = (*_core._jit_options(made)[:4], True, False)
        around = dict(zip(code.co_freevars, function.__closure__ or (), strict=True)) | generator.cells
        around["ks_as_it_is"] = types.CellType(_as_it_is)
        self.node = node = _source.of(function)[0]

        def compiled(name, given, body):
            tree = ast.FunctionDef(f"{name}_of_{function.__name__}", _parameters(given), _at(body, node.body[0]), [])
            if "type_params" in ast.FunctionDef._fields:
                tree.type_params = []
            ast.copy_location(tree, node)
            source = _source.of(function)[1:]
            return _core._jit_make(
                _interpreted.function_of(ast.fix_missing_locations(tree), source, function, around), *options
            )

        kept = ast.Tuple([_as_it_is(name) for name in state], ast.Load())
        taken = [
            ast.Assign([ast.Tuple([ast.Name(name, ast.Store()) for name in state], ast.Store())], _load("ks_state"))
        ]
        taken = taken if state else []
        gives = [_load(generator.at), _as_it_is(generator.value), kept]
        gives += [_as_it_is(generator.result)] if generator.has_result else []
        end = ast.Return(ast.Tuple(gives, ast.Load()))
        step = generator.step(node.body[0])
        again = [*parameters, generator.at, "ks_state"]
        self.begin = compiled("begin", parameters, [_assigned(generator.at, 0), *step, end])
        self.resume = compiled("resume", again, [*taken, *copy.deepcopy([*step, end])])
        self.is_pure = generator.is_pure and _yields_in_every_circle(generator)

    def is_old(self):
        """Whether a name outside means another thing by now."""
        outside = self.generator.function.__globals__
        return any(outside.get(name) is not value for name, value in self.generator.read.items())

    def begun(self, given, named):
        if named or len(given) != len(self.signature.parameters):
            bound = self.signature.bind(*given, **named)
            bound.apply_defaults()
            given = bound.arguments.values()
        return _core._jit_steps(self.begin, self.resume, tuple(given), self.is_pure)


def _parameters(names):
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])


def _as_it_is(name):
    """The name's value, whether it has one or not: the call, which compiled code knows (python/src/jit_syntax.cpp)."""
    return ast.Call(_load("ks_as_it_is"), [_load(name)], [])


def _statements(generator):
    return [stmt for piece in generator.pieces.values() for stmt in piece]


def _leads(generator):
    """{piece: [(the piece that it leads to, names that have a value then, whether it yields before)]}, of no value before; and
    the names that each piece reads, with those that have a value where it does."""
    ways, reads = {}, {}

    def flow(number, statements, have):
        for stmt in statements:
            if isinstance(stmt, ast.Assign) and getattr(stmt.targets[0], "id", "") in (generator.piece, generator.at):
                ways[number].append((stmt.value.value, frozenset(have), stmt.targets[0].id == generator.at))
                continue
            parts = {"If": ("body", "orelse"), "For": ("body", "orelse"), "While": ("body", "orelse")}.get(
                type(stmt).__name__
            )
            bound = _stored(stmt.target) if isinstance(stmt, ast.For) else set()
            bodies = [flow(number, getattr(stmt, part), have | bound) for part in parts] if parts else []
            heads = (
                [getattr(stmt, part) for part in ("test", "iter") if parts and hasattr(stmt, part)] if parts else [stmt]
            )
            for head in heads:
                inner = {
                    name
                    for each in ast.walk(head)
                    if isinstance(each, ast.comprehension)
                    for name in _stored(each.target)
                }
                for each in ast.walk(head):
                    if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id not in inner:
                        reads[number].append((each.id, frozenset(have)))
            if isinstance(stmt, ast.AugAssign) and isinstance(stmt.target, ast.Name):
                reads[number].append((stmt.target.id, frozenset(have)))
            if isinstance(stmt, ast.If):
                have = bodies[0] & bodies[1]
            elif isinstance(stmt, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                have = have | _stored(stmt)
        return have

    for number, piece in generator.pieces.items():
        ways[number], reads[number] = [], []
        flow(number, piece, set())
    return ways, reads


def _may_lack_a_value(generator, parameters):
    """Whether a name may be read that has no value: the steps do not tell which have one."""
    ways, reads = _leads(generator)
    before, ahead = {0: frozenset(parameters)}, [0]
    while ahead:
        number = ahead.pop()
        for to, have, _ in ways[number]:
            known = (before[number] | have) & before.get(to, before[number] | have)
            if to >= 0 and known != before.get(to):
                before[to] = known
                ahead.append(to)
    own = set().union(*map(_stored, _statements(generator))) | set(parameters)
    own -= {generator.at, generator.piece}
    return any(name in own and name not in before[number] | have for number in before for name, have in reads[number])


def _yields_in_every_circle(generator):
    """Whether there is an end to what happens between two yields."""
    if any(isinstance(each, ast.While) for stmt in _statements(generator) for each in ast.walk(stmt)):
        return False
    ways, _ = _leads(generator)
    after = {number: {to for to, _, is_yield in each if to >= 0 and not is_yield} for number, each in ways.items()}
    while True:
        ends = [number for number, each in after.items() if not each]
        if not ends:
            return not after
        for number in ends:
            del after[number]
        for each in after.values():
            each.difference_update(ends)
