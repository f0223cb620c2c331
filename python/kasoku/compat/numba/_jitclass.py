"""Classes with typed fields. A method that uses its instance by fields and other methods alone is compiled as a function
that takes the fields it reads and gives back those that it assigns; any other one runs in the interpreter.
"""

import ast
import copy
import inspect
from collections import namedtuple as _namedtuple

import numpy as np

from ... import _source, errors
from ..._signature import Optional, Type, as_type
from ._loops import compiled, names_outside

_fields = "__kasoku_fields__"


def jitclass(cls_or_spec=None, spec=None):
    """@jitclass, @jitclass(spec), jitclass(cls, spec): `spec` has (name, type) of fields; annotations say more of them."""
    if inspect.isclass(cls_or_spec):
        return _made(cls_or_spec, spec)
    given = spec if cls_or_spec is None else cls_or_spec
    return lambda cls: _made(cls, given)


def _made(cls, spec):
    fields = dict(spec.items() if hasattr(spec, "items") else spec or ())
    for base in reversed(cls.__mro__[:-1]):
        for name, annotation in inspect.get_annotations(base, eval_str=True).items():
            if name not in fields:
                fields[name] = annotation if isinstance(annotation, Type) else _as_type(annotation)
    for name in fields:
        if not isinstance(name, str):
            raise TypeError(f"spec keys should be strings, got {name!r}")
    fields = {_mangled(name, cls): of for name, of in fields.items()}
    body = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__", "__annotations__", *fields)}
    if any(k in vars(cls) for k in fields):
        raise NameError(f"name shadowing: {', '.join(k for k in fields if k in vars(cls))}")
    plain = {k: v for k, v in body.items() if inspect.isfunction(v) and k != "__init__"}
    getters = {k: v.fget for k, v in body.items() if isinstance(v, property) and v.fset is None}
    forms = _Forms(cls, fields, {**plain, **getters})
    body |= {name: _method(forms, name, function) for name, function in plain.items()}
    body |= {name: property(_method(forms, name, f), doc=f.__doc__) for name, f in getters.items()}
    body.update(__setattr__=_set, __qualname__=cls.__qualname__, __module__=cls.__module__)
    made = type(cls.__name__, cls.__bases__, body)
    setattr(made, _fields, {name: _conversion(of) for name, of in fields.items()})
    made.class_type = made.instance_type = made  # numba.types.ClassType, whose instance_type is the class's own
    return made


def _mangled(name, cls):
    """What Python makes of a private name in the body of a class."""
    is_private = name.startswith("__") and not name.endswith("__")
    return f"_{cls.__name__.lstrip('_')}{name}" if is_private else name


def _as_type(annotation):
    try:
        return as_type(annotation)
    except Exception:
        return annotation


def _set(self, name, value):
    try:
        convert = getattr(type(self), _fields)[name]
    except KeyError:
        if isinstance(getattr(type(self), name, None), property):
            return object.__setattr__(self, name, value)
        raise AttributeError(f"{type(self).__name__!r} has no field {name!r}") from None
    self.__dict__[name] = convert(value, name)


def _conversion(of):
    """What a value assigned to a field of this type becomes."""
    if isinstance(of, Optional):
        convert = _conversion(of.type)
        return lambda value, name: None if value is None else convert(value, name)
    if not isinstance(of, Type) or of.__kasoku_dtype__ in ("void", "none"):
        return lambda value, name: value
    if not hasattr(of, "ndim"):
        if of.__kasoku_dtype__ == "unicode_type":
            return lambda value, name: str(value)
        scalar = np.dtype(of.__kasoku_dtype__).type
        return lambda value, name: np.asarray(value).astype(scalar).item()
    dtype, ndim = np.dtype(of.__kasoku_dtype__), of.ndim

    def array(value, name):
        if getattr(value, "dtype", None) != dtype or value.ndim != ndim:
            raise TypeError(f"the field {name!r} is {of!r}, not {type(value).__name__} {value!r}")
        return value

    return array


def _method(forms, name, function):
    def method(self, *args, **kwargs):
        form = forms.of(name)
        if form is None:
            return function(self, *args, **kwargs)
        values = self.__dict__
        try:
            own = [values[field] for field in form.reads]
        except KeyError:  # a field without a value: Python says so where it is read
            return function(self, *args, **kwargs)
        result = form.run(*own, *args, **kwargs)
        if not form.writes:
            return result
        for field, value in zip(form.writes, result[len(result) - len(form.writes) :], strict=True):
            setattr(self, field, value)
        return result[0] if form.has_value else None

    method.__name__, method.__qualname__, method.__doc__ = name, function.__qualname__, function.__doc__
    method.__defaults_of__ = function
    return method


# A method as a function of fields.
_Form = _namedtuple("_Form", "reads writes has_value run")


class _Unfit(Exception):
    pass


class _Forms:
    """Methods of one class as functions of its fields, made when they are first called."""

    def __init__(self, cls, fields, functions):
        self.cls, self.fields, self.functions = cls, fields, functions
        self.known, self.busy = {}, set()

    def of(self, name):
        if name not in self.known:
            if name in self.busy:
                raise _Unfit
            self.busy.add(name)
            try:
                self.known[name] = _Writer(self, self.functions[name]).form()
            except (_Unfit, errors.UnsupportedError):
                self.known[name] = None
            self.busy.discard(name)
        return self.known[name]


class _Writer(ast.NodeTransformer):
    """Rewrites one method: `self.x` becomes a variable, a call of another method passes its fields."""

    def __init__(self, forms, function):
        self.forms, self.function = forms, function
        node = copy.deepcopy(_source.of(function)[0])
        arguments = node.args
        if not isinstance(node, ast.FunctionDef) or not arguments.args or arguments.vararg or arguments.kwarg:
            raise _Unfit
        for each in ast.walk(node):
            if isinstance(each, ast.Attribute):
                each.attr = _mangled(each.attr, forms.cls)
        self.node, self.self = node, arguments.args[0].arg
        self.reads, self.writes, self.names = [], [], {}

    def form(self):
        node = self.node
        values = [each for each in ast.walk(node) if isinstance(each, ast.Return) and each.value is not None]
        unfit = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)
        if any(isinstance(each, unfit) for each in ast.walk(node)):
            raise _Unfit
        self.generic_visit(ast.Module(node.body, []))
        if any(isinstance(each, ast.Name) and each.id == self.self for stmt in node.body for each in ast.walk(stmt)):
            raise _Unfit
        if self.writes:
            for each in ast.walk(node):
                if isinstance(each, ast.Return):
                    each.value = self._result(each.value if values else None)
            if not isinstance(node.body[-1], ast.Return):
                if values:
                    raise _Unfit  # a value here and none there
                node.body.append(ast.Return(self._result(None)))
        taken = list(dict.fromkeys([*self.reads, *self.writes]))
        node.args.args = [ast.arg(self._variable(field)) for field in taken] + node.args.args[1:]
        node.decorator_list, node.returns = [], None
        for arg in ast.walk(node.args):
            if isinstance(arg, ast.arg):
                arg.annotation = None
        name = node.name = f"{self.function.__name__}_of_fields"
        text = ast.unparse(ast.fix_missing_locations(node)) + "\n"
        run = compiled(text, name, False, **{**names_outside(self.function), **self.names})
        run.py_func.__kasoku_serial__ = True
        return _Form(taken, self.writes, bool(values), run)

    _variable = staticmethod(lambda field: f"self_{field}")

    def _result(self, value):
        written = [ast.Name(self._variable(field), ast.Load()) for field in self.writes]
        return ast.Tuple([*([value] if value is not None else []), *written], ast.Load())

    def visit(self, node):
        """A call of a method that assigns fields stands alone, or is all of an assignment's right side."""
        call = getattr(node, "value", None) if isinstance(node, (ast.Expr, ast.Assign, ast.Return)) else None
        form = self._called(call)
        if form is None or not form.writes:
            return super().visit(node)
        results = [ast.Name(self._write(field), ast.Store()) for field in form.writes]
        value = [ast.Name("self_value", ast.Store())] if form.has_value else []
        made = [ast.Assign([ast.Tuple([*value, *results], ast.Store())], self._passed(call, form))]
        if not isinstance(node, ast.Expr):
            if not form.has_value:
                raise _Unfit
            node.value = ast.Name("self_value", ast.Load())
            made.append(super().visit(node))
        return made

    def _called(self, call):
        """The form of the method that is called."""
        target = getattr(call, "func", None) if isinstance(call, ast.Call) else None
        if not self._is_own(target) or target.attr in self.forms.fields:
            return None
        form = self.forms.of(target.attr) if target.attr in self.forms.functions else None
        if form is None:
            raise _Unfit
        return form

    def _passed(self, call, form):
        name = f"{call.func.attr}_of_fields"
        self.names[name] = form.run
        fields = [ast.Name(self._read(field), ast.Load()) for field in form.reads]
        for field in form.writes:
            self._read(field)
        return ast.Call(
            ast.Name(name, ast.Load()),
            [*fields, *map(self.visit, call.args)],
            [ast.keyword(k.arg, self.visit(k.value)) for k in call.keywords],
        )

    def _read(self, field):
        if field not in self.reads:
            self.reads.append(field)
        return self._variable(field)

    def _write(self, field):
        self._read(field)
        if field not in self.writes:
            self.writes.append(field)
        return self._variable(field)

    def _typed(self, field, value):
        """The value as the field's type has it."""
        of = self.forms.fields[field]
        if not isinstance(of, Type) or hasattr(of, "ndim") or of.__kasoku_dtype__ in ("void", "none", "unicode_type"):
            return value
        name = f"type_of_{field}"
        self.names[name] = of
        return ast.Call(ast.Name(name, ast.Load()), [value], [])

    def _is_own(self, node):
        """Whether it is an attribute of the instance."""
        return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.self

    def _is_field(self, node):
        if not self._is_own(node) or node.attr in self.forms.fields:
            return self._is_own(node)
        if node.attr not in self.forms.functions or not isinstance(node.ctx, ast.Load):
            raise _Unfit
        return False

    def visit_Attribute(self, node):  # noqa: N802
        if self._is_field(node):
            if isinstance(node.ctx, ast.Load):
                return ast.Name(self._read(node.attr), ast.Load())
            return ast.Name(self._write(node.attr), node.ctx)
        if self._is_own(node):  # a property
            form = self.forms.of(node.attr)
            if form is None or form.writes:
                raise _Unfit
            return self._passed(ast.Call(node, [], []), form)
        return self.generic_visit(node)

    def visit_Assign(self, node):  # noqa: N802
        node.value = self.visit(node.value)
        if len(node.targets) == 1 and self._is_field(node.targets[0]):
            node.value = self._typed(node.targets[0].attr, node.value)
        node.targets = [self.visit(target) for target in node.targets]
        return node

    def visit_AugAssign(self, node):  # noqa: N802
        if not self._is_field(node.target):
            return self.generic_visit(node)
        field = node.target.attr
        old = ast.Name(self._read(field), ast.Load())
        value = self._typed(field, ast.BinOp(old, node.op, self.visit(node.value)))
        return ast.Assign([ast.Name(self._write(field), ast.Store())], value)

    def visit_Call(self, node):  # noqa: N802
        form = self._called(node)
        if form is None:
            return self.generic_visit(node)
        if form.writes:
            raise _Unfit  # in the middle of an expression
        return self._passed(node, form)
