"""Linear systems as objects, and what they make of frequencies."""

import numbers as _numbers

import numpy as _np

import kasoku as _ks

from ....cupy._table import _here
from ....cupy._util import in_face as _in_face
from ...._face.table import methods as _methods
from . import _forms, _recursions, _systems
from ._forms import _normal, _row


class _System:
    """A system, of which a subclass says the form and another the time."""

    _is_of_matrices = False
    dt = property(lambda self: self._dt)

    def _more(self):
        return {} if self.dt is None else {"dt": self.dt}

    def _matrices(self):
        return tuple(map(_row, (self.to_ss().A, self.to_ss().B, self.to_ss().C, self.to_ss().D)))

    zeros = property(lambda self: self.to_zpk().zeros)
    poles = property(lambda self: self.to_zpk().poles)
    _as_ss = lambda self: self if isinstance(self, StateSpace) else self.to_ss()
    _as_zpk = lambda self: self if isinstance(self, ZerosPolesGain) else self.to_zpk()
    _as_tf = lambda self: self if isinstance(self, TransferFunction) else self.to_tf()


def _of_parts(parts, dt):
    forms = {2: TransferFunction, 3: ZerosPolesGain, 4: StateSpace}
    if len(parts) not in forms:
        raise ValueError(
            "2 (polynomials), 3 (zeros, poles, gain) or 4 (matrices) arguments are needed, not " + str(len(parts))
        )
    return forms[len(parts)](*parts, dt=dt)


class lti(_System):
    """A system of continuous time, of two polynomials, of zeros, poles and gain, or of four matrices."""

    def __new__(cls, *system):
        return _of_parts(system, None) if cls is lti else object.__new__(cls)


class dlti(_System):
    """A system of discrete time, whose steps are dt long."""

    def __new__(cls, *system, dt=True):
        return _of_parts(system, dt) if cls is dlti else object.__new__(cls)


_methods(lti, {
    "impulse": lambda self, X0=None, T=None, N=None: _systems.impulse(self, X0, T, N),
    "step": lambda self, X0=None, T=None, N=None: _systems.step(self, X0, T, N),
    "output": lambda self, U, T, X0=None: _systems.lsim(self, U, T, X0),
    "bode": lambda self, w=None, n=100: bode(self, w, n),
    "freqresp": lambda self, w=None, n=10000: freqresp(self, w, n),
    "to_discrete": lambda self, dt, method="zoh", alpha=None: type(self)._form(
        *_systems.cont2discrete(self._own(), dt, method, alpha)[:-1], dt=dt),
})  # fmt: skip
_methods(dlti, {
    "impulse": lambda self, x0=None, t=None, n=None: _systems.dimpulse(self, x0, t, n),
    "step": lambda self, x0=None, t=None, n=None: _systems.dstep(self, x0, t, n),
    "output": lambda self, u, t, x0=None: _systems.dlsim(self, u, t, x0),
    "bode": lambda self, w=None, n=100: dbode(self, w, n),
    "freqresp": lambda self, w=None, n=10000, whole=False: dfreqresp(self, w, n, whole),
})  # fmt: skip


class _Form(_System):
    def __new__(cls, *system, dt=None):
        if cls is not cls._form:
            return object.__new__(cls)
        if len(system) == 1 and isinstance(system[0], _System):
            return getattr(system[0], cls._from)()
        return (cls._continuous if dt is None else cls._discrete)(*system, **({} if dt is None else {"dt": dt}))

    def __init__(self, *system, dt=None):
        if hasattr(self, "_dt"):  # Python asks again where __new__ has made the object of a subclass
            return
        self._dt = dt
        self._set(*system)

    def __repr__(self):
        parts = ",\n".join(map(repr, self._own()))
        return f"{type(self).__name__}(\n{parts},\ndt: {self.dt!r}\n)"


class TransferFunction(_Form):
    """A system as two polynomials."""

    _from = "to_tf"

    def _set(self, num, den):
        self.num, self.den = (_ks.array(c) for c in _normal(num, den))

    inputs = property(lambda self: 1)
    outputs = property(lambda self: self.num.shape[0] if self.num.ndim > 1 else 1)
    _own = lambda self: (self.num, self.den)


class ZerosPolesGain(_Form):
    """A system as zeros, poles and gain."""

    _from = "to_zpk"

    def _set(self, zeros, poles, gain):
        self._zeros, self._poles, self.gain = _ks.array(_row(zeros)), _ks.array(_row(poles)), gain

    zeros, poles = property(lambda self: self._zeros), property(lambda self: self._poles)
    inputs = property(lambda self: 1)
    outputs = property(lambda self: self.zeros.shape[0] if self.zeros.ndim > 1 else 1)
    _own = lambda self: (self.zeros, self.poles, self.gain)


class StateSpace(_Form):
    """A system as four matrices: the change of the states is A x + B u, the output C x + D u."""

    _from = "to_ss"
    _is_of_matrices = True
    __array_priority__ = 100.0
    __array_ufunc__ = None

    def _set(self, A, B, C, D):
        self.A, self.B, self.C, self.D = _systems.abcd_normalize(A, B, C, D)

    inputs, outputs = property(lambda self: self.D.shape[-1]), property(lambda self: self.D.shape[0])
    _own = lambda self: (self.A, self.B, self.C, self.D)
    _matrices = lambda self: tuple(map(_row, self._own()))

    def _must_fit(self, other):
        if type(other) is not type(self):
            raise TypeError(f"Cannot operate on {type(self)} and {type(other)}")
        if self.dt != other.dt:
            raise TypeError("Cannot operate on systems with different `dt`.")

    def _with(self, *parts):
        kind = _np.result_type(*(part.dtype for part in parts))
        return StateSpace(*(part.astype(kind) for part in parts), dt=self.dt)

    def __mul__(self, other):
        if isinstance(other, StateSpace):
            self._must_fit(other)
            (A, B, C, D), (E, F, G, H) = self._matrices(), other._matrices()
            after = _np.block([[A, B @ G], [_np.zeros((len(E), len(A))), E]])
            return self._with(after, _np.vstack((B @ H, F)), _np.hstack((C, D @ G)), D @ H)
        if not _is_number(other):
            return NotImplemented
        A, B, C, D = self._matrices()
        return self._with(A, _np.dot(B, _plain_of(other)), C, _np.dot(D, _plain_of(other)))

    def __rmul__(self, other):
        if not _is_number(other) or isinstance(other, StateSpace):
            return NotImplemented
        A, B, C, D = self._matrices()
        return self._with(A, B, _np.dot(_plain_of(other), C), _np.dot(_plain_of(other), D))

    def __neg__(self):
        return StateSpace(self.A, self.B, -self.C, -self.D, dt=self.dt)

    def __add__(self, other):
        A, B, C, D = self._matrices()
        if isinstance(other, StateSpace):
            self._must_fit(other)
            E, F, G, H = other._matrices()
            after = _np.block([[A, _np.zeros((len(A), len(E)))], [_np.zeros((len(E), len(A))), E]])
            return self._with(after, _np.vstack((B, F)), _np.hstack((C, G)), D + H)
        if not _is_number(other):
            return NotImplemented
        other = _np.atleast_2d(_plain_of(other))
        if D.shape != other.shape:
            raise ValueError(f"Cannot add systems with incompatible dimensions ({D.shape} and {other.shape})")
        return self._with(A, B, C, D + other)

    def __sub__(self, other):
        return self + -other if isinstance(other, StateSpace) or _is_number(other) else NotImplemented

    def __radd__(self, other):
        return self + other if _is_number(other) else NotImplemented

    def __rsub__(self, other):
        return -self + other if _is_number(other) else NotImplemented

    def __truediv__(self, other):
        if not _is_number(other) or isinstance(other, StateSpace):
            return NotImplemented
        if _np.ndim(_plain_of(other)) > 1:
            raise ValueError("Cannot divide StateSpace by non-scalar arrays")
        return self * (1 / _plain_of(other))


def _is_number(x):
    return isinstance(x, (_numbers.Number, _np.ndarray, _np.generic, _ks.Array))


def _plain_of(x):
    return x.numpy() if isinstance(x, _ks.Array) else x


_methods(TransferFunction, {
    "to_tf": lambda self: TransferFunction(*self._own(), dt=self.dt),
    "to_zpk": lambda self: ZerosPolesGain(*_forms.tf2zpk(*self._own()), dt=self.dt),
    "to_ss": lambda self: StateSpace(*_systems.tf2ss(*self._own()), dt=self.dt),
})  # fmt: skip
_methods(ZerosPolesGain, {
    "to_tf": lambda self: TransferFunction(*_forms.zpk2tf(*self._own()), dt=self.dt),
    "to_zpk": lambda self: ZerosPolesGain(*self._own(), dt=self.dt),
    "to_ss": lambda self: StateSpace(*_systems.zpk2ss(*self._own()), dt=self.dt),
})  # fmt: skip
_methods(StateSpace, {
    "to_tf": lambda self, **kwargs: TransferFunction(*_systems.ss2tf(*self._own(), **kwargs), dt=self.dt),
    "to_zpk": lambda self, **kwargs: ZerosPolesGain(*_systems.ss2zpk(*self._own(), **kwargs), dt=self.dt),
    "to_ss": lambda self: StateSpace(*self._own(), dt=self.dt),
})  # fmt: skip
for _form in (TransferFunction, ZerosPolesGain, StateSpace):
    _form._form = _form
    for _time, _word in ((lti, "Continuous"), (dlti, "Discrete")):
        _name = f"{_form.__name__}{_word}"
        _made = type(
            _name, (_form, _time), {"__module__": __name__, "__doc__": _form.__doc__, "__new__": _Form.__new__}
        )
        setattr(_form, f"_{_word.lower()}", _made)
        globals()[_name] = _made
for _made in (lti, dlti, TransferFunction, ZerosPolesGain, StateSpace):
    _in_face(_made)


# ── frequencies ───────────────────────────────────────────────────────────────────────────────


def _of_one_input(system, kind, other, name):
    system = _systems._of_kind(system, kind, other, name)
    if system.inputs != 1 or system.outputs != 1:
        raise ValueError(f"{name}() requires a SISO (single input, single output) system.")
    return system


@_here
def freqresp(system, w=None, n=10000):
    """Angular frequencies, and what a system of continuous time makes of them."""
    system = _of_one_input(system, "lti", "dlti", "freqresp")
    at = n if w is None else w
    if isinstance(system, TransferFunction):
        return _forms.freqs(_row(system.num).ravel(), system.den, at)
    system = system._as_zpk()
    return _forms.freqs_zpk(system.zeros, system.poles, system.gain, at)


def _in_decibels(y):
    return 20 * _ks.log10(abs(y)), _ks.rad2deg(_ks.unwrap(_ks.angle(y)))


@_here
def bode(system, w=None, n=100):
    """Angular frequencies, and by how many decibels and degrees a system of continuous time changes them."""
    w, y = freqresp(system, w, n)
    return (w, *_in_decibels(y))


@_here
def dfreqresp(system, w=None, n=10000, whole=False):
    """Frequencies in radians a step, and what a system of discrete time makes of them."""
    system = _of_one_input(system, "dlti", "lti", "dfreqresp")
    at = n if w is None else w
    if isinstance(system, ZerosPolesGain):
        return _forms.freqz_zpk(system.zeros, system.poles, system.gain, at, whole)
    system = system._as_tf()
    b, a = _row(system.num).ravel(), _row(system.den)
    longest = max(len(b), len(a))
    b, a = (_np.concatenate((_np.zeros(longest - len(c)), c)) for c in (b, a))
    return _recursions.freqz(_ks.array(b), _ks.array(a), at, whole)


@_here
def dbode(system, w=None, n=100):
    """Frequencies, and by how many decibels and degrees a system of discrete time changes them."""
    system = _systems._of_kind(system, "dlti", "lti", "dbode")
    w, y = dfreqresp(system, w, n)
    return (w / float(system.dt), *_in_decibels(y))
