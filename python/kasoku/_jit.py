"""`ks.jit`: the decorator, and the source of functions. Everything else is compiled (kasoku/jit)."""

import ast
import functools
import inspect
import linecache
import textwrap
import warnings

from . import _core, errors

__all__ = ["jit", "njit", "prange", "report", "TypingError"]


class TypingError(errors.TypeError):
    """Something in a compiled function has no compiled form; the message has the user's line."""


class InterpretedWarning(errors.Warning):
    """A function of ks.jit that cannot be compiled runs in the interpreter."""


_core._jit_typing_error(TypingError)


def prange(*args):
    """`range` whose iterations are independent: compiled code runs them on all workers."""
    return range(*args)


def _source(function):
    """(ast node of the function, file, first line of the text, its lines)."""
    code = function.__code__
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        linecache.checkcache(code.co_filename)
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise errors.UnsupportedError(
                f"the source of {function.__qualname__} cannot be found\n"
                f"  why  it is not in a file ({code.co_filename})\n"
                "  fix  define it in a file or a notebook cell; text for exec() must be put into linecache.cache"
            ) from None
    text = textwrap.dedent("".join(lines))
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a lambda in the middle of an expression
        tree = _parse_part(text)
    kind = ast.Lambda if function.__name__ == "<lambda>" else ast.FunctionDef
    found = [node for node in ast.walk(tree) if isinstance(node, kind)]
    if kind is ast.FunctionDef:
        found = [node for node in found if node.name == function.__name__][:1]
    if len(found) != 1:
        raise errors.UnsupportedError(
            f"the source of {function.__qualname__} is not clear\n"
            f"  why  {len(found)} functions stand on its line\n"
            "  fix  give it a name with def"
        )
    return found[0], code.co_filename, first, text.splitlines()


def _parse_part(text):
    start = text.find("lambda")
    for end in range(len(text), start, -1):
        try:
            return ast.parse(text[start:end])
        except SyntaxError:
            continue
    return ast.Module([], [])


def _warn_interpreted(function, why):
    text = f"{function.__qualname__} runs in the interpreter: {why}"
    warnings.warn(text, InterpretedWarning, stacklevel=4)
    return text


class _Methods:
    """What a JitFunction answers besides calls; put on the type once."""

    py_func = property(_core._jit_function, doc="The Python function that is compiled.")
    signatures = property(_core._jit_signatures, doc="Types of arguments that it was compiled for.")

    def report(self):
        """What became of each loop and array expression, by line."""
        return _core._jit_report(self)

    def inspect_text(self):
        """{signature: kernel text}."""
        return dict(_core._jit_text(self, "text"))

    def inspect_llvm(self, signature=None):
        """{signature: LLVM IR}."""
        found = dict(_core._jit_text(self, "llvm"))
        return found if signature is None else found[str(signature)]

    def inspect_asm(self, signature=None):
        """{signature: assembly}."""
        found = dict(_core._jit_text(self, "assembly"))
        return found if signature is None else found[str(signature)]

    def inspect_types(self, file=None, **_):
        """Prints the kernel text with its types."""
        for signature, text in self.inspect_text().items():
            print(signature, text, sep="\n", file=file)

    def parallel_diagnostics(self, signature=None, level=1):
        """Prints report()."""
        print(self.report())

    def compile(self, signature):
        """Compiles for a signature ahead of the first call."""
        _core._jit_compile(self, _signature(signature))

    def recompile(self):
        """Nothing to do: a function whose globals changed is compiled again by itself."""

    def __repr__(self):
        return f"<kasoku jit {self.py_func.__qualname__}>"


for _name, _value in vars(_Methods).items():
    if not _name.startswith("__") or _name == "__repr__":
        setattr(_core.JitFunction, _name, _value)


def _one_type(item):
    """A type of a signature as (dtype, ndim, contiguous, read-only); ndim -1 is a number."""
    dtype = getattr(item, "__kasoku_dtype__", None)
    if dtype is not None:
        return str(dtype), getattr(item, "ndim", -1), getattr(item, "layout", "A") == "C", getattr(item, "readonly", False)
    import numpy

    if item in (int, float, bool, complex) or isinstance(item, numpy.dtype) or isinstance(item, type):
        return numpy.dtype(item).name, -1, False
    if isinstance(item, str):
        name, ndim, contiguous = item.strip(), -1, False
        if name.endswith("]"):
            name, axes = name[:-1].split("[")
            ndim, contiguous = axes.count(":") - (2 if "::1" in axes else 0) + (1 if "::1" in axes else 0), "::1" in axes
        names = {"f4": "float32", "f8": "float64", "i4": "int32", "i8": "int64", "u4": "uint32", "u8": "uint64",
                 "i1": "int8", "i2": "int16", "u1": "uint8", "u2": "uint16", "b1": "bool", "boolean": "bool",
                 "c8": "complex64", "c16": "complex128", "float_": "float64", "int_": "int64", "intp": "int64",
                 "double": "float64", "float": "float64", "int": "int64"}  # fmt: skip
        return names.get(name, name), ndim, contiguous
    raise TypingError(f"{item!r} is not a type of a signature")


def _signature(given):
    if isinstance(given, str):
        text = given.strip()
        inside = text[text.index("(") + 1 : text.rindex(")")] if "(" in text else text
        parts, depth, start = [], 0, 0
        for i, c in enumerate(inside + ","):
            depth += (c == "[") - (c == "]")
            if c == "," and depth == 0:
                parts.append(inside[start:i])
                start = i + 1
        return [_one_type(part) for part in parts if part.strip()]
    given = getattr(given, "args", given)
    return [_one_type(item) for item in given]


def jit(signature_or_function=None, *, nopython=True, nogil=True, cache=True, parallel=True, fastmath=False,
        boundscheck=True, error_model="python", inline="never", locals=None, forceobj=False, **ignored):  # fmt: skip
    """Compiles a function at its first call, for the types of its arguments.

    It runs as native code without the GIL; `prange` loops and array expressions use all workers
    (`parallel=False`: one). Indices are checked (`boundscheck=False`: not). `fastmath` lets sums be
    reordered; the result stays the same with any number of workers. Compiled code is always cached.
    """
    if error_model not in ("python", "numpy"):
        raise errors.ValueError(f"error_model is 'python' or 'numpy', not {error_model!r}")

    def decorate(function):
        if isinstance(function, _core.JitFunction):
            function = function.py_func
        if not inspect.isfunction(function):
            raise errors.TypeError(f"ks.jit compiles Python functions, not {type(function).__name__}")
        if forceobj:
            return function
        made = _core._jit_make(function, bool(parallel), bool(fastmath), boundscheck is not False, error_model == "python",
                               bool(nopython), False)  # fmt: skip
        functools.update_wrapper(made, function)
        for signature in signatures:
            made.compile(signature)
        return made

    given, signatures = signature_or_function, []
    if given is None:
        return decorate
    if inspect.isfunction(given) or isinstance(given, _core.JitFunction):
        return decorate(given)
    if isinstance(given, list):
        signatures = given
    elif isinstance(given, (str, tuple)) or hasattr(given, "args"):
        signatures = [given]
    else:
        raise errors.TypeError(f"ks.jit takes a function or a signature, not {type(given).__name__}")
    return decorate


def njit(*args, **options):
    """jit that never falls back to the interpreter."""
    options["nopython"] = True
    return jit(*args, **options)


def report(function):
    """What became of each loop and array expression of a compiled function."""
    return function.report()
