"""Classes with typed fields. A method, or a compiled function, that uses its instances by fields and methods alone is compiled as
a function that takes the fields it reads and gives back those that it assigns; any other one runs in the interpreter.
"""

import ast
import copy
import inspect
from collections import namedtuple as _namedtuple

import numpy as np

from ... import _core, _source, errors
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
    forms.made = made
    made.__kasoku_forms__, made.__kasoku_of_fields__ = forms, staticmethod(_with_fields)
    made.class_type = made.instance_type = made  # numba.types.ClassType, whose instance_type is the class's own
    return made


def _mangled(name, cls):
    """The name that Python makes of a private name in the body of a class."""
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
    """The conversion of a value that is assigned to a field of this type."""
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
        at = _instances((self, *args))
        form = forms.of(name, {k: type(value).__kasoku_forms__ for k, value in at.items()})
        given = _given_fields(form, at, (self, *args), kwargs)
        return given[0] if given else function(self, *args, **kwargs)

    method.__name__, method.__qualname__, method.__doc__ = name, function.__qualname__, function.__doc__
    method.__defaults_of__ = function
    return method


def _with_fields(made, arguments):
    """(what a compiled function gives,) called with the fields of the instances among its arguments; None if it has no such form."""
    at = _instances(arguments)
    return _given_fields(
        _form_of(made, {k: type(value).__kasoku_forms__ for k, value in at.items()}), at, arguments, {}
    )


def _instances(arguments):
    return {k: value for k, value in enumerate(arguments) if hasattr(type(value), _fields)}


def _given_fields(form, at, arguments, by_name):
    """(what the form gives,) for the instances at these places; None if it is not for them."""
    if form is None or len({id(value) for value in at.values()}) < len(at):  # one by two names
        return None
    try:
        own = [vars(at[k])[field] for k, field in form.reads]
    except KeyError:  # a field without a value: Python says so where it is read
        return None
    if any(hasattr(type(value), _fields) for value in own):  # an instance that others may have
        return None
    result = form.run(*own, *(value for k, value in enumerate(arguments) if k not in at), **by_name)
    if not form.writes:
        return (result,)
    for (k, field), value in zip(form.writes, result[len(result) - len(form.writes) :], strict=True):
        setattr(at[k], field, value)
    return (result[0] if form.has_value else None,)


def _form_of(made, instances):
    """The form of a compiled function for instances of these classes (by their places); None if there is none."""
    known = vars(made).setdefault("_forms", {})
    key = tuple(instances.items())
    if key not in known:
        known[key] = None  # of a function that calls itself
        try:
            known[key] = (
                None if hasattr(made.py_func, "__kasoku_of_fields__") else _Writer(made.py_func, instances).form(made)
            )
        except (_Unfit, errors.UnsupportedError):
            pass
    return known[key]


# A method or a function as one of fields; `reads` and `writes` are (place of the instance among the parameters, field).
_Form = _namedtuple("_Form", "reads writes has_value run")


class _Unfit(Exception):
    pass


class _New:
    """What a new instance is to compiled code."""

    def __init__(self, made):
        self.__kasoku_new__ = made


class _Forms:
    """Methods of one class as functions of its fields, made when they are first called."""

    def __init__(self, cls, fields, functions):
        self.cls, self.fields, self.functions = cls, fields, functions
        self.known, self.busy, self.made, self._parts = {}, set(), None, None

    def parts(self):
        """(function that makes an instance, methods, functions of properties), as compiled code calls them; None if it cannot."""
        if self._parts is None and self.made is not None:
            self._parts = self._written()
        return self._parts

    def _written(self):
        init = self.cls.__init__
        code = getattr(init, "__code__", None)
        body, given, names = "", "", {}
        if code:
            if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) or code.co_kwonlyargcount:
                return None
            given = ", ".join(code.co_varnames[1 : code.co_argcount])
            body, names = f"    ks_init(ks_self, {given})\n", {"ks_init": init}
        name = self.cls.__name__
        text = f"def {name}({given}):\n    ks_self = ks_new\n{body}    return ks_self\n"
        make = compiled(text, name, False, ks_new=_New(self.made), **names).py_func
        make.__defaults__ = getattr(init, "__defaults__", None)
        of_class = vars(self.cls)
        methods = {k: f for k, f in self.functions.items() if not isinstance(of_class[k], property)}
        return make, methods, {k: f for k, f in self.functions.items() if k not in methods}

    def of(self, name, instances=None):
        """The form of a method for instances of these classes (by their places, itself at 0)."""
        instances = instances or {0: self}
        key = name, *instances.items()
        if key not in self.known:
            if key in self.busy:
                raise _Unfit
            self.busy.add(key)
            try:
                self.known[key] = _Writer(self.functions[name], instances, self.cls).form()
            except (_Unfit, errors.UnsupportedError):
                self.known[key] = None
            self.busy.discard(key)
        return self.known[key]


class _Writer(ast.NodeTransformer):
    """Rewrites a function: `x.field` of an instance becomes a variable, a call of a method passes its fields."""

    def __init__(self, function, instances, cls=None):
        self.function = function
        node = copy.deepcopy(_source.of(function)[0])
        arguments = node.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        is_plain = isinstance(node, ast.FunctionDef) and not arguments.vararg and not arguments.kwarg
        if not is_plain or len(parameters) <= max(instances) or (cls and arguments.posonlyargs):
            raise _Unfit
        for each in ast.walk(node):
            if isinstance(each, ast.Attribute) and cls:
                each.attr = _mangled(each.attr, cls)
        self.node, self.outside = node, names_outside(function)
        self.taken = {each.arg if isinstance(each, ast.arg) else getattr(each, "id", "") for each in ast.walk(node)}
        self.others = [each for k, each in enumerate(parameters) if k not in instances]
        self.forms = {parameters[k].arg: forms for k, forms in instances.items()}
        self.places = {parameters[k].arg: k for k in instances}
        self.reads, self.writes, self.names = [], [], {}

    def form(self, made=None):
        """`made`: the compiled function whose options it has, and which is given all of its arguments."""
        node = self.node
        inside = [each for stmt in node.body for each in ast.walk(stmt)]
        values = [each for each in inside if isinstance(each, ast.Return) and each.value is not None]
        unfit = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.FunctionDef, ast.ClassDef)
        if any(isinstance(each, unfit) for each in inside):
            raise _Unfit
        self.generic_visit(ast.Module(node.body, []))
        if any(isinstance(each, ast.Name) and each.id in self.forms for stmt in node.body for each in ast.walk(stmt)):
            raise _Unfit
        if self.writes:
            for each in ast.walk(node):
                if isinstance(each, ast.Return):
                    each.value = self._result(each.value if values else None)
            if not isinstance(node.body[-1], ast.Return):
                if values:
                    raise _Unfit  # a value here and none there
                node.body.append(ast.Return(self._result(None)))
        fields = [ast.arg(self._variable(*each)) for each in self.reads]
        if made is None:
            node.args.args = fields + [each for each in node.args.args if each in self.others]
            if len(node.args.defaults) > len(node.args.args):
                raise _Unfit
        else:
            node.args = ast.arguments([], fields + self.others, None, [], [], None, [])
        node.decorator_list, node.returns = [], None
        for arg in ast.walk(node.args):
            if isinstance(arg, ast.arg):
                arg.annotation = None
        name = node.name = f"{self.function.__name__}_of_fields"
        text = ast.unparse(ast.fix_missing_locations(node)) + "\n"
        run = compiled(text, name, False, **{**self.outside, **self.names})
        run.py_func.__kasoku_serial__ = run.py_func.__kasoku_of_fields__ = True
        if made is not None:
            run = _core._jit_make(run.py_func, *_core._jit_options(made))
        by_place = lambda pairs: [(self.places[name], field) for name, field in pairs]  # noqa: E731
        return _Form(by_place(self.reads), by_place(self.writes), bool(values), run)

    def _variable(self, instance, field):
        name = f"{instance}_{field}"
        while name in self.taken:
            name += "_"
        return name

    def _result(self, value):
        written = [ast.Name(self._variable(*each), ast.Load()) for each in self.writes]
        return ast.Tuple([*([value] if value is not None else []), *written], ast.Load())

    def visit(self, node):
        """A call that assigns fields stands alone, or is all of an assignment's right side."""
        is_name = isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
        stands = isinstance(node, (ast.Expr, ast.Assign, ast.Return)) or is_name
        called = self._called(node.value) if stands else None
        if called is None or not called[0].writes:
            return super().visit(node)
        form, given, _ = called
        results = [ast.Name(self._write(given[k], field), ast.Store()) for k, field in form.writes]
        value = [ast.Name("ks_value", ast.Store())] if form.has_value else []
        made = [ast.Assign([ast.Tuple([*value, *results], ast.Store())], self._passed(node.value, called))]
        if not isinstance(node, ast.Expr):
            if not form.has_value:
                raise _Unfit
            node.value = ast.Name("ks_value", ast.Load())
            made.append(super().visit(node))
        return made

    def _called(self, call):
        """(form, {place: instance}, other arguments) of a method, or of a compiled function that is given instances."""
        target = getattr(call, "func", None) if isinstance(call, ast.Call) else None
        if self._is_own(target) and target.attr not in self.forms[target.value.id].fields:
            forms, arguments = self.forms[target.value.id], [target.value, *call.args]
            find = lambda at: forms.of(target.attr, at) if target.attr in forms.functions else None  # noqa: E731
        elif isinstance(target, ast.Name) and type(made := self.outside.get(target.id)) is _core.JitFunction:
            arguments = call.args
            is_whole = not call.keywords and len(arguments) == made.py_func.__code__.co_argcount
            find = lambda at: _form_of(made, at) if is_whole else None  # noqa: E731
        else:
            return None
        given = {k: each.id for k, each in enumerate(arguments) if isinstance(each, ast.Name) and each.id in self.forms}
        if not given:
            return None
        is_plain = not any(isinstance(each, ast.Starred) for each in arguments)
        is_fit = is_plain and len(set(given.values())) == len(given)
        form = find({k: self.forms[name] for k, name in given.items()}) if is_fit else None
        if form is None:
            raise _Unfit
        return form, given, [each for k, each in enumerate(arguments) if k not in given]

    def _passed(self, call, called):
        form, given, others = called
        name = f"{getattr(call.func, 'attr', getattr(call.func, 'id', ''))}_of_fields_{len(self.names)}"
        self.names[name] = form.run
        fields = [ast.Name(self._read(given[k], field), ast.Load()) for k, field in form.reads]
        return ast.Call(
            ast.Name(name, ast.Load()),
            [*fields, *map(self.visit, others)],
            [ast.keyword(k.arg, self.visit(k.value)) for k in call.keywords],
        )

    def _read(self, instance, field):
        if (instance, field) not in self.reads:
            self.reads.append((instance, field))
        return self._variable(instance, field)

    def _write(self, instance, field):
        self._read(instance, field)
        if (instance, field) not in self.writes:
            self.writes.append((instance, field))
        return self._variable(instance, field)

    def _typed(self, target, value):
        """The value as the field's type has it."""
        of = self.forms[target.value.id].fields[target.attr]
        if not isinstance(of, Type) or hasattr(of, "ndim") or of.__kasoku_dtype__ in ("void", "none", "unicode_type"):
            return value
        name = f"type_of_{target.value.id}_{target.attr}"
        self.names[name] = of
        return ast.Call(ast.Name(name, ast.Load()), [value], [])

    def _is_own(self, node):
        """Whether it is an attribute of an instance."""
        return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.forms

    def _is_field(self, node):
        if not self._is_own(node):
            return False
        forms = self.forms[node.value.id]
        if node.attr in forms.fields:
            return True
        if node.attr not in forms.functions or not isinstance(node.ctx, ast.Load):
            raise _Unfit
        return False

    def visit_Attribute(self, node):  # noqa: N802
        if self._is_field(node):
            name = (self._read if isinstance(node.ctx, ast.Load) else self._write)(node.value.id, node.attr)
            return ast.Name(name, node.ctx)
        if self._is_own(node):  # a property
            called = self._called(ast.Call(node, [], []))
            if called[0].writes:
                raise _Unfit
            return self._passed(ast.Call(node, [], []), called)
        return self.generic_visit(node)

    def visit_Assign(self, node):  # noqa: N802
        node.value = self.visit(node.value)
        if len(node.targets) == 1 and self._is_field(node.targets[0]):
            node.value = self._typed(node.targets[0], node.value)
        node.targets = [self.visit(target) for target in node.targets]
        return node

    def visit_AugAssign(self, node):  # noqa: N802
        if not self._is_field(node.target):
            return self.generic_visit(node)
        target = node.target.value.id, node.target.attr
        value = self._typed(
            node.target, ast.BinOp(ast.Name(self._read(*target), ast.Load()), node.op, self.visit(node.value))
        )
        return ast.Assign([ast.Name(self._write(*target), ast.Store())], value)

    def visit_Call(self, node):  # noqa: N802
        called = self._called(node)
        if called is None:
            return self.generic_visit(node)
        if called[0].writes:
            raise _Unfit  # in the middle of an expression
        return self._passed(node, called)
