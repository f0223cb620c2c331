"""A face's functions as rows of tables.

A row is a name, the arguments under the face's names and with its defaults, and what is computed of them: Python's own
`lambda`, so a signature is read where it is written. By which rule the operands become the engine's arrays and the results
the face's tensors belongs to the group of rows; documentation is that of the function of kasoku's that a row calls.
"""

import ast
import inspect
import operator
import sys
import types
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec

import kasoku as ks
from kasoku._hints import did_you_mean

_functions = vars(ks)


def _said_of(function, name):
    """A function's documentation, without its own signature."""
    text = getattr(function, "__doc__", None) or ""
    return text.partition("\n\n")[2] if text.startswith(name + "(") else text


def described(f):
    """The documentation of the function of kasoku's that a row calls."""
    names = f.__code__.co_names
    name = names[names.index("ks") + 1] if "ks" in names[:-1] else None
    return name and (_said_of(_functions.get(name), name) or f"kasoku.{name} of tensors.")


def _passing(parameters, module):
    """What makes of a function one that has these parameters, and passes on those before the bar."""
    passed, _, ignored = parameters.partition(" | ")
    given = ast.parse(f"lambda {passed}: 0", mode="eval").body.args
    names = [a.arg for a in given.args] + [f"{a.arg}={a.arg}" for a in given.kwonlyargs]
    code = compile(f"lambda {passed}{ignored and ', '}{ignored}: of({', '.join(names)})", f"<rows of {module}>", "eval")
    return lambda function: eval(code, {"__name__": module, "of": function})


def each(space, names, make):
    """Rows that are alike: make(function) of each of a space's functions, which has the name, or in "name=other" the other;
    a space that is no module or class is asked, space(other). In place of `make` the parameters may stand, as text, in the
    order in which the function takes them, and after a bar those that are taken and mean nothing."""
    make = _passing(make, sys._getframe(1).f_globals["__name__"]) if isinstance(make, str) else make
    rows = {}
    for word in names.split():
        name, _, other = word.partition("=")
        function = space(other or name) if isinstance(space, types.FunctionType) else getattr(space, other or name)
        rows[name] = make(function), _said_of(function, other or name)
    return rows


class _Shown(inspect.Signature):
    """A function's signature without the arguments that are given, made when somebody asks for it."""

    __slots__ = ("_of",)
    _return_annotation = inspect.Signature.empty
    _parameters = property(lambda self: types.MappingProxyType(
        {name: one for name, one in inspect.signature(self._of[0]).parameters.items() if name not in self._of[1]}))  # fmt: skip

    def __init__(self, f, given):
        self._of = f, given

    replace = lambda self, **changes: inspect.Signature([*self.parameters.values()]).replace(**changes)


def bound(f, **given):
    """The function with some of the arguments that go by keyword alone given: who calls it neither sees them nor reaches them,
    for no keyword has a dot."""

    def hidden(name):
        return "." + name if name in given else name

    code = f.__code__
    names = {part: tuple(map(hidden, getattr(code, part))) for part in ("co_varnames", "co_cellvars")}
    made = types.FunctionType(code.replace(**names), f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    made.__kwdefaults__ = {hidden(name): value for name, value in {**(f.__kwdefaults__ or {}), **given}.items()}
    made.__doc__, made.__signature__ = f.__doc__, _Shown(f, given)
    return made


def refused(f, error):
    """The error of a call of a row: Python's sentence about the row's arguments with the nearest that there is, any other as
    it is."""
    text = str(error)
    if "argument" not in text or f.__name__ + "()" not in text:
        return error
    _, unexpected, rest = text.partition("unexpected keyword argument '")
    hint = did_you_mean(rest.partition("'")[0], inspect.signature(f).parameters) if unexpected else ""
    return TypeError(text + hint)


def _named(f, name, module, said=None):
    inner = getattr(f, "__func__", f)
    inner.__name__ = inner.__qualname__ = name
    inner.__module__, inner.__doc__ = module, said or inner.__doc__


def forwarding(path, said=None):
    """A method that is a call of what an object holds: "_event.synchronize"."""
    of = operator.attrgetter(path)

    def method(self, *args, **kwargs):
        return of(self)(*args, **kwargs)

    method.__doc__ = said
    return method


def methods(cls, rows):
    """Gives a class methods that are rows: a function, the path of a call that is forwarded, or either with what is said of it."""
    for name, f in rows.items():
        f, said = f if isinstance(f, tuple) else (f, None)
        f = forwarding(f) if isinstance(f, str) else f
        _named(f, name, cls.__module__, said)
        getattr(f, "__func__", f).__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, f)
    return cls


def names_of(space, names=None):
    """Some names of a module or class, or all that it shows, by name."""
    shown = names.split() if names else getattr(space, "__all__", None) or [n for n in vars(space) if n[0] != "_"]
    return {name: getattr(space, name) for name in shown}


def modules(package, rows):
    """Small modules of a package as rows: a name below the package's, what is said of it, and its names. A row that is
    a module stands for that one."""
    for name, row in rows.items():
        full = f"{package}.{name}"
        parent, _, last = full.rpartition(".")
        if isinstance(row, tuple):
            said, names = row
            is_package = any(other.startswith(name + ".") for other in rows)
            row = module_from_spec(ModuleSpec(full, None, is_package=is_package))
            row.__doc__ = f"{full.removeprefix('kasoku.compat.')}: {said}"
            for key, value in names.items():
                value, more = value if isinstance(value, tuple) and callable(value[0]) else (value, None)
                if isinstance(value, types.FunctionType) and value.__name__ == "<lambda>":
                    _named(value, key, full, more)
                setattr(row, key, value)
        sys.modules[full] = row
        setattr(sys.modules[parent], last, row)


def enumerations(kind, rows, module):
    """Classes of numbers by name: "A B C" counts from 0, "A=4 B" says where it goes on."""
    made = {}
    for name, words in rows.items():
        members, at = {}, 0
        for word in words.split():
            key, given, number = word.partition("=")
            at = int(number) if given else at
            members[key] = at
            at += 1
        made[name] = kind(name, members, module=module, qualname=name)
    return made


class Table(dict):
    """Functions by name; `rules` makes the function of a row: rule -> maker of a function of the row's. Plain rows are
    functions as they stand."""

    def __init__(self, rules=()):
        self._rules = {"plain": lambda f: f, **dict(rules)}

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def rows(self, rule, rows):
        """A row is a function, or one with what is said of it."""
        make = self._rules[rule]
        for name, f in rows.items():
            f, said = f if isinstance(f, tuple) else (f, None)
            f.__name__ = f.__qualname__ = name
            self[name] = function = make(f)
            function.__name__ = function.__qualname__ = name
            if function is not f:
                function.__module__, function.__wrapped__ = f.__module__, f
            function.__doc__ = said or f.__doc__ or described(f)

    def row(self, rule):
        """A decorator: a row of several lines. A trailing underscore keeps Python's own name free."""

        def add(f):
            self.rows(rule, {f.__name__.rstrip("_"): f})
            return f

        return add

    def into(self, space):
        """Makes them a module's, whose names they are pickled by."""
        for function in self.values():
            function.__module__ = space["__name__"]
        space.update(self)

    def alias(self, **names):
        """Other names of rows."""
        for name, of in names.items():
            self[name] = self[of]


def plain(space, rows, **aliases):
    """Functions of a module (its globals) that are rows as they stand, and other names of them."""
    table = Table()
    table.rows("plain", rows)
    table.alias(**aliases)
    table.into(space)
    return table
