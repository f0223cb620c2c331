"""`ks.jit`: the decorator. Everything else is compiled (kasoku/jit)."""

import ast
import dis
import functools
import inspect
import os
import sys
import warnings
from typing import Any

import numpy as np

from . import _content, _core, _interpreted, _signature, _source, errors
from ._hints import check_options

__all__ = ["jit", "njit", "prange", "report", "TypingError"]


class TypingError(errors.TypeError):
    """Something in a compiled function has no compiled form; the message has the user's line."""


class InterpretedWarning(errors.Warning):
    """A function of ks.jit, or a part of it, that cannot be compiled runs in the interpreter."""


_core._jit_typing_error(TypingError)


def prange(*args) -> range:
    """`range` whose iterations are independent: compiled code runs them on all workers. Returns a range elsewhere.

    >>> @ks.jit
    ... def total(n):
    ...     s = 0
    ...     for i in ks.prange(n):
    ...         s += i
    ...     return s
    >>> total(1000)
    499500
    """
    return range(*args)


def run_interpreted(function, args, named):
    """Calls it; a face puts a function in this one's place that changes what is given and what comes back."""
    return function(*args, **named)


class _Interpreted:
    """Stands in for a compiled function whose arguments have no compiled form."""

    def __init__(self, function, why, *options):
        def make(loop):
            return _core._jit_make(loop, *options, False, False)

        self.why = f"{function.__qualname__} runs in the interpreter: {why}\n"
        parallel = options[0]
        if parallel and hasattr(function, "__kasoku_part__") and not function.__kasoku_serial__:
            _refuse_prange(function, why)
        if "kasoku._overloads" in sys.modules and sys.modules["kasoku._overloads"].are_called_by(function):
            raise TypingError(why)  # what Python would call in their place is for nobody
        self._is_numbas = getattr(function, "__kasoku_serial__", False)
        try:
            self._written, self.loops = _interpreted.form(function, _source.of(function), make)
        except errors.UnsupportedError:
            self._written, self.loops = function, []
        if not hasattr(function, "__kasoku_part__"):  # its loops are its own matter
            warnings.warn(self.why, InterpretedWarning, stacklevel=2)

    def run(self, *args, **named):
        try:
            given = (
                map(_interpreted.argument, args),
                {name: _interpreted.argument(value) for name, value in named.items()},
            )
            return _interpreted.result(run_interpreted(self._written, *given))
        except (TypeError, AttributeError, NameError, IndexError) as error:
            if self._is_numbas and not isinstance(error, TypingError) and _is_of_types(error, self._written):
                raise TypingError(f"{error}\n  why  {self.why.rstrip()}") from error
            raise

    def report(self):
        return self.why + "".join(loop.report() for loop in self.loops)


_numpy = os.path.dirname(np.__file__)


def _is_of_types(error, function):
    """Whether an exception is what Python says in a function itself of types that do not go together: Numba says it when
    it compiles, as a TypingError."""
    at = error.__traceback__
    while at and at.tb_frame.f_code is not function.__code__:
        at = at.tb_next
    if not at or (isinstance(error, IndexError) and "out of" in str(error)):
        return False
    inner = at.tb_next and at.tb_next.tb_frame.f_code.co_filename
    if inner and inner != _interpreted.__file__ and not (isinstance(error, TypeError) and inner.startswith(_numpy)):
        return False  # in what it calls
    return at.tb_frame.f_code.co_code[at.tb_lasti] != dis.opmap["RAISE_VARARGS"]


def _refuse_prange(function, why):
    """A prange loop runs in parallel or not at all: its iterations may rely on nothing less."""
    loop = _source.of(function)[0].body[0]
    called = loop.iter.func if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) else None
    if getattr(called, "attr", getattr(called, "id", "")) != "prange":
        return
    raise TypingError(
        f"the prange loop has a part without a compiled form: {why}\n"
        "  fix  take that part out of the loop, or write range: the loop then runs in the interpreter, one iteration "
        "after another"
    )


class Inspected:
    """What was compiled, as text, of a function or kernel that has `signatures` and _all_texts(form), in their order."""

    def _texts(self, form, signature):
        found = dict(zip(self.signatures, self._all_texts(form), strict=True))
        return found if signature is None else found[tuple(signature)]

    def inspect_text(self, signature=None):
        """{signature: kernel text}."""
        return self._texts("text", signature)

    def inspect_llvm(self, signature=None):
        """{signature: LLVM IR}."""
        return self._texts("llvm", signature)

    def inspect_asm(self, signature=None):
        """{signature: assembly}."""
        return self._texts("assembly", signature)

    def inspect_types(self, file=None, signature=None, **_):
        """Prints the kernel text with its types."""
        for key, text in self.inspect_text().items():
            if signature is None or key == tuple(signature):
                print(key, text, sep="\n", file=file)


class _Methods:
    """The methods of a JitFunction beside its call; they are put on the type once."""

    _is_cuda = _is_closed = False
    py_func = property(_core._jit_function, doc="The Python function that is compiled.")

    @property
    def signatures(self):
        """Types of arguments that it was compiled for, the oldest first."""
        return [tuple(map(_signature.of_description, args)) for args, _ in _core._jit_signatures(self)]

    @property
    def nopython_signatures(self):
        """Signatures that it was compiled for, with the types of results."""
        return [
            _signature.Signature(_signature.of_description(result), map(_signature.of_description, args))
            for args, result in _core._jit_signatures(self)
        ]

    @property
    def overloads(self):
        """{types of arguments: signature}."""
        return {s.args: s for s in self.nopython_signatures}

    def report(self):
        """What became of each loop and array expression, by line."""
        return _core._jit_report(self)

    def _all_texts(self, form):
        return [text for _, text in reversed(_core._jit_text(self, form))]

    def parallel_diagnostics(self, signature=None, level=1):
        """Prints report()."""
        print(self.report())

    def compile(self, signature):
        """What a call with arguments of this signature runs, compiled now: a function whose arguments convert to it.

        The signature is one of those that it has from then on. RuntimeError after disable_compile(), TypeError for a
        signature that is none or does not fit.
        """
        if self._is_closed:
            raise RuntimeError("compilation disabled")
        args, _ = _signature.signature(signature)
        made = vars(self).setdefault("_of_signatures", {})
        if args not in made:
            described, result = _signature.describe(signature)
            described = _all_arguments(self.py_func, described)
            _core._jit_compile(self, described)
            one = functools.update_wrapper(_core._jit_make(self.py_func, *_core._jit_options(self)), self.py_func)
            _core._jit_declare(one, [(described, result)])
            made[args] = one
        return made[args]

    def disable_compile(self, value=True):
        """From now on it is compiled for no other types: arguments convert to those it has."""
        self._is_closed = value
        _declare(self, self.nopython_signatures if value else [])

    def recompile(self):
        """Nothing to do: a function whose globals changed is compiled again by itself."""

    def __repr__(self):
        return f"<kasoku jit {self.py_func.__qualname__}>"

    __reduce__ = _content.reduce

    def __kasoku_parts__(self):
        return _again, (
            self.py_func,
            _core._jit_options(self),
            _core._jit_declared(self),
            self._is_cuda,
            self._is_closed,
        )


def _again(function, options, declared, is_cuda, is_closed):
    """A function of ks.jit as it was pickled."""
    made = functools.update_wrapper(_core._jit_make(function, *options), function)
    _core._jit_declare(made, declared)
    made._is_cuda, made._is_closed = is_cuda, is_closed
    return made


_most_given = 64  # functions that one is kept with


def _are_functions(value):
    return type(value) is tuple and len(value) > 0 and all(type(each) is _core.JitFunction for each in value)


def _parts_of_slice(of):
    """Which of its parts there are."""
    return "slice", of.start is not None, of.stop is not None, of.step is not None


def _given_functions(made, arguments):
    """The function in which parameters that are given compiled functions, or tuples of them, are names from outside that mean
    these, and a slice's parts are parameters in its place.

    None if a function cannot be written so: its text is not there, it has no body of statements, assigns such a parameter.
    """
    kinds = (_core.JitFunction, slice)
    given = {k: value for k, value in enumerate(arguments) if type(value) in kinds or _are_functions(value)}
    kept = vars(made).setdefault("_given", {})
    key = tuple((k, _parts_of_slice(value) if type(value) is slice else value) for k, value in given.items())
    if key not in kept:
        if len(kept) == _most_given:
            del kept[next(iter(kept))]
        function = _interpreted.with_names(made.py_func, given)
        kept[key] = function and _core._jit_make(function, *_core._jit_options(made))
    return kept[key]


def _given_instances(made, arguments):
    """(what the call gives,) where instances of a face's classes are given by their fields; None if the function has no such form."""
    classes = (type(value) for value in arguments)
    return next(of.__kasoku_of_fields__ for of in classes if hasattr(of, "__kasoku_of_fields__"))(made, arguments)


def _all_arguments(function, args):
    """The types of a signature, with those of the defaults that it leaves out."""
    code = function.__code__
    if code.co_flags & inspect.CO_VARARGS:  # the types of what else is given are those of a tuple
        named, rest = args[: code.co_argcount], args[code.co_argcount :]
        return [*named, ("tuple", list(rest))]
    most = code.co_argcount + code.co_kwonlyargcount
    least = most - len(function.__defaults__ or ()) - len(function.__kwdefaults__ or ())
    if not least <= len(args) <= most:
        raise errors.TypeError(
            f"Signature mismatch: {len(args)} argument types given, but function takes {most} arguments"
        )
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    missing = defaults[len(defaults) - (most - len(args)) :]
    return [*args, *(_signature.of_value(value)._describe() for value in missing)]


def _declare(made, signatures):
    """Compiles for these signatures alone."""
    described = [_signature.describe(s) for s in signatures]
    if any(arg[0] in ("unicode_type", "object") for args, _ in described for arg in args):
        return  # it is compiled for each text that it is given, and what gets an instance of a class runs in the interpreter
    described = [(_all_arguments(made.py_func, args), result) for args, result in described]
    _core._jit_declare(made, described)
    made._is_closed = bool(signatures)
    if made._is_cuda:
        return
    for args, _ in described:
        _core._jit_compile(made, args)


for _name, _value in (vars(Inspected) | vars(_Methods)).items():
    if not _name.startswith("__") or _name in ("__repr__", "__reduce__", "__kasoku_parts__"):
        setattr(_core.JitFunction, _name, _value)


# Numba has these options too; nothing depends on them here.
_numbas_options = {
    "debug", "forceinline", "looplift", "no_cfunc_wrapper", "no_cpython_wrapper", "no_rewrites", "pipeline_class",
    "target_backend", "writable_args", "_dbg_extend_lifetimes", "_dbg_optnone", "_nrt", "_target",
}  # fmt: skip


def jit(signature_or_function=None, *, nopython=False, nogil=True, cache=True, parallel=True, fastmath=False,
        boundscheck=True, error_model="python", inline="never", locals=None, forceobj=False, **options) -> Any:  # fmt: skip
    """Compiles a function at its first call, for the types of its arguments.

    It runs as native code without the GIL; `prange` loops and array expressions use all workers
    (`parallel=False`: one). Indices are checked (`boundscheck=False`: not). `fastmath` lets sums be
    reordered; the result stays the same with any number of workers. `locals` are variables of the function by name and the
    types of numbers that they have. Compiled code is always cached.
    What has no compiled form runs in the interpreter, with a warning, but for the loops that have one
    (`nopython=True`: it is an error). Numba's other options are taken and change nothing; any other name raises TypeError.
    Returns a JitFunction, or without a function the decorator that makes one.

    >>> @ks.jit
    ... def count(x, limit):
    ...     n = 0
    ...     for i in range(len(x)):
    ...         if x[i] < limit:
    ...             n += 1
    ...     return n
    >>> count(ks.array([0.5, 1.5, 2.5]), 2.0)
    2
    """
    check_options(options, _numbas_options | jit.__kwdefaults__.keys(), "jit")
    if error_model not in ("python", "numpy"):
        raise errors.ValueError(f"error_model is 'python' or 'numpy', not {error_model!r}")

    def decorate(function):
        if isinstance(function, _core.JitFunction):
            function = function.py_func
        if not inspect.isfunction(function):
            raise errors.TypeError(f"ks.jit compiles Python functions, not {type(function).__name__}")
        if forceobj:
            return function
        _source.remember(function)
        if locals:
            function = _interpreted.with_types(function, locals)
        made = _core._jit_make(function, bool(parallel), bool(fastmath), boundscheck is not False, error_model == "python",
                               bool(nopython), False)  # fmt: skip
        functools.update_wrapper(made, function)
        if signatures:
            _declare(made, signatures)
        return made

    given, signatures = signature_or_function, []
    if given is None:
        return decorate
    if inspect.isfunction(given) or isinstance(given, _core.JitFunction):
        return decorate(given)
    if isinstance(given, list):
        signatures = given
    elif _signature.is_signature(given):
        signatures = [given]
    else:
        raise errors.TypeError(f"ks.jit takes a function or a signature, not {type(given).__name__}")
    return decorate


def njit(*args, **options) -> Any:
    """The decorator jit() with `nopython=True`: it never falls back to the interpreter.

    Takes jit's arguments. Raises CompileError, at the first call, for what has no compiled form.

    >>> @ks.njit
    ... def square(x):
    ...     return x * x
    >>> square(3)
    9
    """
    options["nopython"] = True
    return jit(*args, **options)


def report(function):
    """How each loop and array expression of the function was compiled, by line."""
    return function.report()
