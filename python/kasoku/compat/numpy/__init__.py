"""NumPy as a program under `kasoku run --numpy` sees it: kasoku's arrays under NumPy's names.

A name is kasoku's function where there is one, and else NumPy's own, which reads our arrays' memory (on a GPU: a copy) and
whose results are arrays of ours again. Types, constants and exceptions are NumPy's. What NumPy computed is listed when the
program ends. Libraries that the program imports keep the real NumPy, which gives our arrays to us by its protocols."""

import atexit
import copyreg
import functools
import importlib
import math
import sys
import types

import numpy as _real

import kasoku as _ks
from kasoku import _core

from . import _pcg64

# What gives an array without being given one.
_makers = frozenset(
    "array asarray asanyarray ascontiguousarray asfortranarray zeros ones empty full arange linspace logspace geomspace eye "
    "identity tri tril_indices triu_indices diag_indices meshgrid indices fromfunction frombuffer bartlett blackman hamming "
    "hanning kaiser".split()
)
_ours = {
    "numpy": "kasoku", "numpy.linalg": "kasoku.linalg", "numpy.fft": "kasoku.fft",
    "numpy.lib.stride_tricks": "kasoku.lib.stride_tricks",
}  # fmt: skip
# What we have under the same name and NumPy's programs mean otherwise: what reads files, and what knows the objects of any library.
_numpys = frozenset("load loadtxt genfromtxt result_type can_cast common_type min_scalar_type dtype".split())
_modules = {}


def _wrapped(module, name, value):
    """What the program finds as `module.name`, which is `value` in NumPy."""
    if isinstance(value, types.ModuleType):
        return _module(value)
    if isinstance(value, type):
        return _classes.get(value) or value
    if module == "numpy" and hasattr(type(value), "__getitem__") and not callable(value):
        return _Indexed(name, value) if name in ("r_", "c_", "mgrid", "ogrid") else value
    if not callable(value) or module == "numpy.typing":
        return value
    if module == "numpy" and name in ("shape", "ndim", "size"):  # attributes of an array, which NumPy asks for as well
        return value._implementation
    ours = None
    if module in _ours and name not in _numpys and not name.startswith("_"):
        home = importlib.import_module(_ours[module])
        ours = getattr(home, name) if name in home.__all__ else None
        if not callable(ours) or isinstance(ours, type):
            ours = None
    if ours and name in ("eig", "eigvals"):
        ours = _real_where_it_can_be(ours)
    if module == "numpy" and name == "load":
        value = _with_arrays_of_files(value)
    if ours and name == "linspace":
        ours = _with_a_step(ours)
    return _core._numpy_function(f"{module}.{name}", value, ours, ours is not None and name in _makers)


def _real_where_it_can_be(ours):
    """Eigenvalues of real matrices are real numbers if none has an imaginary part, and so are the vectors."""

    def eigen(a):
        result = ours(a)
        values = result[0] if isinstance(result, tuple) else result
        if _ks.asarray(a).dtype.kind == "c" or (values.imag != 0).any():
            return result
        return type(result)(*(x.real.copy() for x in result)) if isinstance(result, tuple) else result.real.copy()

    return eigen


def _with_a_step(ours):
    """The step of retstep=True is a number, where the ends are."""

    def linspace(*args, **named):
        result = ours(*args, **named)
        return (result[0], result[1][()]) if isinstance(result, tuple) else result

    return linspace


def _with_arrays_of_files(load):
    """What the file of several arrays gives are arrays of ours."""

    class NpzFile(_real.lib.npyio.NpzFile):
        __getitem__ = lambda self, name: _core._call_numpy("numpy.load", super().__getitem__, (name,), {})

    def loaded(*args, **named):
        read = load(*args, **named)
        if type(read) is _real.lib.npyio.NpzFile:
            read.__class__ = NpzFile
        return read

    return functools.wraps(load)(loaded)


_core._devices_are_shown(False)  # NumPy's arrays have none


class _Module(types.ModuleType):
    """A module of NumPy's, whose names are looked up when the program first asks for them."""

    def __init__(self, real):
        super().__init__(real.__name__, real.__doc__)
        # As a module's own function it is asked of names that are not there; as the class's it would slow down all others.
        self.__dict__.update(
            _real=real, __path__=[], __file__=getattr(real, "__file__", None), __getattr__=self._look_up
        )
        self.__dict__.update({name: getattr(real, name) for name in ("__all__", "__version__") if hasattr(real, name)})

    def _look_up(self, name):
        try:
            value = getattr(self._real, name)
        except AttributeError as error:
            try:
                value = importlib.import_module(f"{self._real.__name__}.{name}")
            except ImportError:
                raise error from None
        value = _wrapped(self._real.__name__, name, value)
        setattr(self, name, value)
        return value

    __dir__ = lambda self: dir(self._real)


class _Indexed:
    """np.r_[…] and its like."""

    def __init__(self, name, real):
        self._name, self._real, self._ours = f"numpy.{name}", real, getattr(_ks, name)

    def __getitem__(self, key):
        parts = key if isinstance(key, tuple) else (key,)
        if not any(isinstance(part, _real.ndarray) and type(part) is not _real.ndarray for part in parts):
            try:
                return self._ours[key]
            except (TypeError, ValueError, NotImplementedError):  # texts, matrices, and errors, which NumPy words
                pass
        return _core._call_numpy(self._name, self._real.__getitem__, (key,), {})

    __len__ = lambda self: len(self._real)


class _OfArrays(type):
    """np.ndarray: our arrays and NumPy's own are both of it."""

    __instancecheck__ = _core._is_any_array  # no method: it is asked of the object alone

    __subclasscheck__ = lambda cls, other: issubclass(other, (_ks.Array, _real.ndarray))

    def __call__(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
        made = _real.ndarray(shape, dtype, buffer, offset, strides, order)
        return _core._call_numpy("numpy.ndarray", lambda: made, (), {})

    def __getattribute__(cls, name):
        ours, numpys = getattr(_ks.Array, name, None), getattr(_real.ndarray, name, None)
        if cls is not ndarray or name in _of_the_class:
            return type.__getattribute__(cls, name)
        if not (callable(ours) or callable(numpys)):
            return type.__getattribute__(cls, name) if ours is None or name.startswith("__") else ours
        if isinstance(numpys, types.BuiltinFunctionType):  # __new__, and what else is asked of the class
            return numpys
        if not (callable(ours) and callable(numpys)):
            return ours or numpys

        def method(self, *args, **named):  # a subclass of the program's own calls it by the class
            return (numpys if isinstance(self, _real.ndarray) else ours)(self, *args, **named)

        return functools.wraps(numpys)(method)

    # type(x) == np.ndarray, and dictionaries by it
    __eq__ = lambda cls, other: cls is other or (cls is ndarray and other in (_ks.Array, _real.ndarray))
    __hash__ = lambda cls: hash(_ks.Array) if cls is ndarray else type.__hash__(cls)

    def __new__(meta, name, bases, names, **more):
        if any(type(b) is _OfArrays for b in bases):  # a subclass of the program's own
            return type(name, tuple(_real.ndarray if type(b) is _OfArrays else b for b in bases), names, **more)
        return super().__new__(meta, name, bases, names)


# What Python and NumPy ask of a class themselves.
_of_the_class = frozenset(
    "__array_finalize__ __array_function__ __array_ufunc__ __array_wrap__ __class__ __class_getitem__ __init__ "
    "__init_subclass__ __reduce__ __reduce_ex__ __subclasshook__".split()
)
copyreg.pickle(_OfArrays, lambda cls: (_found, ("numpy.ndarray",)) if cls is ndarray else cls.__qualname__)


class ndarray(_real.ndarray, metaclass=_OfArrays):
    """An array of kasoku's, or one of NumPy's own. One of this class itself is what NumPy makes by `x.view(np.ndarray)` of an
    array of a subclass, of texts or of records."""

    __module__ = "numpy"
    __class_getitem__ = classmethod(types.GenericAlias)
    __repr__ = lambda self: repr(self.view(_real.ndarray))
    # What is computed from one is an array of ours again, or a number.
    __array_wrap__ = lambda self, made, context=None, return_scalar=False: _core._call_numpy(
        "numpy.ndarray", lambda: made[()] if return_scalar else made.view(_real.ndarray), (), {}
    )
    __reduce__ = lambda self: self.view(_real.ndarray).__reduce__()
    __reduce_ex__ = lambda self, protocol: self.view(_real.ndarray).__reduce_ex__(protocol)


class vectorize(_real.vectorize):
    """np.vectorize, whose results are arrays of ours."""

    __call__ = lambda self, *args, **kwargs: _core._call_numpy("numpy.vectorize", super().__call__, args, kwargs)


class errstate(_real.errstate):
    """np.errstate. What is to raise or tell floating-point errors is computed by NumPy, which knows of them."""

    def __enter__(self):
        super().__enter__()
        _ask_who_tells()

    def __exit__(self, *error):
        super().__exit__(*error)
        _ask_who_tells()

    def __call__(self, function):
        inner = super().__call__(lambda *args, **named: (_ask_who_tells(), function(*args, **named))[1])

        def called(*args, **named):
            try:
                return inner(*args, **named)
            finally:
                _ask_who_tells()

        return functools.wraps(function)(called)


def _ask_who_tells():
    _core._numpy_tells_errors(not {"ignore", "warn"}.issuperset(_real.geterr().values()))


def seterr(*args, **named):
    """numpy.seterr."""
    before = _real.seterr(*args, **named)
    _ask_who_tells()
    return before


class _Missing:
    """An attribute that arrays of NumPy's have and ours do not: a __getattr__ for all of them would slow down those that there are."""

    def __init__(self, name):
        self._name, self._numpys = name, getattr(_real.ndarray, name)

    def __get__(self, array, cls):
        if array is None:
            return self._numpys
        full = f"numpy.ndarray.{self._name}"
        if not callable(self._numpys):
            return _core._call_numpy(full, getattr, (array, self._name), {})
        return lambda *args, **kwargs: _core._call_numpy(full, self._numpys, (array, *args), kwargs)


def _module(real):
    if real.__name__ not in _modules:
        made = _modules[real.__name__] = _special[real.__name__](real) if real.__name__ in _special else _Module(real)
        sys.modules[f"kasoku.compat.{real.__name__}"] = made
    return _modules[real.__name__]


def _found(name):
    """The object that pickle finds under a full name."""
    home, _, last = name.rpartition(".")
    value = _modules["numpy"]
    for part in home.split(".")[1:]:
        value = getattr(value, part)
    return getattr(value, last)


# ── random numbers ────────────────────────────────────────────────────────────────────────────────────────────────────


class _Drawn:
    """An attribute of NumPy's generator. A method is looked up once: then the object itself has it, and Python finds it there."""

    def __init__(self, of, name):
        self._of, self._name = of, name

    def __get__(self, drawer, cls):
        value = getattr(drawer._drawer if drawer else self._of, self._name)
        if drawer and callable(value) and not self._name.startswith("_"):
            full = f"numpy.random.{self._of.__name__}.{self._name}"
            value = _core._numpy_function(full, value, _pcg64.drawn(drawer._drawer, self._name), False, _pcg64.least)
            setattr(drawer, self._name, value)
        return value


class _Drawer:
    """Of NumPy's: a seeded program draws the numbers that it draws under NumPy."""

    _has_attributes = False

    def __new__(cls, *args, **named):
        if not cls._has_attributes:  # numpy.random is loaded by programs that draw
            own = next(base for base in cls.__mro__ if base.__base__ is _Drawer)
            of = getattr(_real.random, own.__name__)
            for name in dir(of):
                if not (name.startswith("__") or hasattr(own, name)):
                    setattr(own, name, _Drawn(of, name))
            own._has_attributes = True
        return super().__new__(cls)

    __reduce__ = lambda self: (type(self), (self._drawer,))


class Generator(_Drawer):
    """numpy.random.Generator."""

    def __init__(self, bits):
        self._drawer = bits if isinstance(bits, _real.random.Generator) else _real.random.Generator(bits)

    def spawn(self, n):
        return [Generator(one) for one in self._drawer.spawn(n)]


class RandomState(_Drawer):
    """numpy.random.RandomState."""

    def __init__(self, *seed, **named):
        is_one = seed and isinstance(seed[0], _real.random.RandomState)
        self._drawer = seed[0] if is_one else _real.random.RandomState(*seed, **named)


class _Unseeded(Generator):
    """A generator whose numbers nobody can foretell: kasoku's serve as well."""

    def __init__(self, bits):
        super().__init__(bits)
        for name in _draws:
            if hasattr(self._drawer, name):
                setattr(self, name, _draws_of_ours(f"Generator.{name}", getattr(self._drawer, name)))


# Where the shape of what is drawn stands among the arguments; None: all of them are it.
_draws = {"rand": None, "randn": None, "random": 0, "random_sample": 0, "standard_normal": 0, "normal": 2, "uniform": 2}


def _draws_of_ours(name, numpys, are_foretold=lambda: False):
    """Arrays are kasoku's draws; a number alone is NumPy's, and all where the numbers can be foretold."""
    last = name.rpartition(".")[2]
    ours, at = getattr(_ks.random, last, None), _draws[last]

    def draw(*args, **kwargs):
        if are_foretold():
            raise NotImplementedError("NumPy's numbers, by a name that the program took before it gave the seed")
        is_array = bool(args) if at is None else len(args) > at or kwargs.get("size") is not None
        return ours(*args, **kwargs) if is_array else numpys(*args, **kwargs)

    return _core._numpy_function(f"numpy.random.{name}", numpys, ours and draw, ours is not None)


class _OfSeeds(type):
    """A class of numpy.random's whose seeds may be arrays of ours."""

    __call__ = lambda cls, *args, **named: _core._call_numpy(f"numpy.random.{cls.__name__}", cls._real, args, named)
    __instancecheck__ = lambda cls, object: isinstance(object, cls._real)
    __getattr__ = lambda cls, name: getattr(cls._real, name)


class _Random(_Module):
    """numpy.random."""

    def __init__(self, real):
        super().__init__(real)
        own = {"default_rng": self._default_rng, "_is_foretold": False}
        own |= {name: self._foretelling(getattr(real, name)) for name in ("seed", "get_state", "set_state")}
        for name in ("SeedSequence", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
            own[name] = _OfSeeds(name, (), {"_real": getattr(real, name), "__module__": "numpy.random"})
        self.__dict__.update(own, Generator=Generator, RandomState=RandomState)
        for name in _draws:
            if hasattr(real, name):
                setattr(self, name, _draws_of_ours(name, getattr(real, name), lambda: self._is_foretold))

    def _default_rng(self, seed=None):
        if isinstance(seed, Generator):
            return seed
        seed = seed.numpy() if isinstance(seed, _ks.Array) else seed
        return (_Unseeded if seed is None else Generator)(self._real.default_rng(seed))

    def _foretelling(self, function):
        """A function of the generator's state, after which every draw is NumPy's. A seed of None is none."""

        def called(*args, **named):
            if function.__name__ != "seed" or any(value is not None for value in (*args, *named.values())):
                self._is_foretold = True
                for name in _draws:
                    self.__dict__.pop(name, None)  # found again as NumPy's
            return function(*args, **named)

        return functools.wraps(function)(called)


_special = {"numpy.random": _Random}
_classes = {_real.ndarray: ndarray, _real.vectorize: vectorize, _real.errstate: errstate}


# ── what is said at the end ───────────────────────────────────────────────────────────────────────────────────────────


def _bytes(n):
    for unit in ("bytes", "KB", "MB", "GB"):
        if n < 1000 or unit == "GB":
            return f"{n:.0f} {unit}" if unit == "bytes" else f"{n:.1f} {unit}"
        n /= 1000


def report(stream=None):
    """Writes what NumPy computed because kasoku does not have it; nothing if that was nothing."""
    calls = _core._numpy_calls()
    if not calls:
        return
    rows = sorted(calls.items(), key=lambda row: -sum(row[1][1:3]))
    width = max(len(name) for name, _ in rows)
    lines = ["kasoku: NumPy computed what kasoku does not have:"]
    for name, (count, read, made, moved) in rows:
        line = f"  {name:{width}s}  {count:>7,d} {'call ' if count == 1 else 'calls'}  {_bytes(read):>10s} read  {_bytes(made):>10s} made"
        lines.append(line + (f"  {_bytes(moved):>10s} moved from and to the GPU" if moved else ""))
    print("\n".join(lines), file=stream or sys.stderr)


def _resize(self, *shape, refcheck=True):
    """In place; zeros follow where there are more elements. Whoever has a view keeps the memory that was."""
    shape = shape[0] if len(shape) == 1 and not hasattr(shape[0], "__index__") else shape
    if shape is None or not shape:
        return
    n = math.prod(shape)
    if n == self.size:
        self.shape = shape
        return
    if self.base is not None:
        raise ValueError("cannot resize this array: it does not own its data")
    if any(length < 0 for length in shape):
        raise ValueError("negative dimensions not allowed")
    made = _ks.zeros(n, dtype=self.dtype, device=self.device)
    made[: self.size] = self.ravel()[:n]
    _core._replace(self, made.reshape(shape))


def start():
    """For this process: missing methods of arrays are NumPy's, and what NumPy computed is listed at the end."""
    for name, ours in list(vars(_ks.Array).items()):
        numpys = getattr(_real.ndarray, name, None)
        if not name.startswith("_") and callable(ours) and callable(numpys):
            setattr(_ks.Array, name, _core._method_beside_numpys(ours, numpys))
    for name in dir(_real.ndarray):
        if not name.startswith("__") and not hasattr(_ks.Array, name):
            setattr(_ks.Array, name, _Missing(name))
    _ks.Array.resize = _resize
    _ks.Array.__module__, _ks.Array.__name__, _ks.Array.__qualname__ = "numpy", "ndarray", "ndarray"
    _core._elements_are_numpys(True)
    _core._numpy_may_move(True)
    _ks.eager()  # by statement: a clock of the program's tells the truth
    atexit.register(report)


_modules["numpy"] = sys.modules[__name__] = _Module(_real)
_own = {name: value for name, value in globals().items() if isinstance(value, type)}  # where their full names say
_modules["numpy"].__dict__.update(_own, report=report, seterr=seterr, _found=_found, start=start)
