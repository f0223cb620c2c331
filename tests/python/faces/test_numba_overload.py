"""numba.extending: what a program writes for compiled code in the place of a function, a method, an attribute; and the
errors of types that a program catches."""

import collections
import ctypes
import math

import numpy as np
import pytest
from kasoku.compat import numba
from kasoku.compat.numba import cuda, njit, types
from kasoku.compat.numba.core.errors import NumbaError, TypingError
from kasoku.compat.numba.extending import intrinsic, overload, overload_attribute, overload_method


def scaled(x, by=None, plus=0):
    raise NotImplementedError("for compiled code")


@overload(scaled)
def _scaled(x, by=None, plus=0):
    if isinstance(x, types.Array):
        if x.ndim == 1:
            return lambda x, by=None, plus=0: x.sum() + plus
        return None
    if isinstance(x, types.Integer) and (by is None or isinstance(by, types.NoneType)):
        return lambda x, by=None, plus=0: x + 1000 + plus
    if isinstance(x, types.Number):

        def impl(x, by=None, plus=0):
            return x * by + plus

        return impl


@njit
def call(x):
    return scaled(x)


@njit
def call_with(x, by):
    return scaled(x, by), scaled(x, plus=2, by=by)


def test_types_choose_the_function():
    assert call(1) == 1001 and call(np.arange(5)) == 10
    assert call_with(1.5, 2) == (3.0, 5.0) and call_with(2, 4) == (8, 10)


def test_what_no_overload_takes_is_a_typing_error_and_never_the_stub():
    with pytest.raises(TypingError, match="no overload of scaled"):
        call(np.ones((2, 2)))
    with pytest.raises(TypingError):
        call("a")


@njit
def grows(n):
    s = 0
    for _ in range(n):
        s = scaled(s, 0.5)  # an integer first, then a float
    return s + scaled(1.0, 3)


def test_types_that_grow_are_asked_again():
    assert grows(3) == 3.0


@overload_method(types.Array, "doubled_sum")
def _doubled(array, times=2):
    return lambda array, times=2: times * array.sum()


@overload_attribute(types.Array, "first")
def _first(array):
    return lambda array: array[0]


@njit
def methods(x):
    return x.doubled_sum(), x.doubled_sum(times=3), x.first


def test_methods_and_attributes():
    assert methods(np.array([2.0, 3.0])) == (10.0, 15.0, 2.0)


@overload(np.nan_to_num)
def _nan_to_num(x, nan=0.0):
    if x == types.float16:  # which no other test gives: what is overloaded stays so
        return lambda x, nan=0.0: nan if np.isnan(x) else x + 100


def test_what_numpy_has_stays_for_types_without_overload():
    @njit
    def f(x):
        return np.nan_to_num(x)

    assert f(np.float16(2.5)) == 102.5 and f(np.float16(math.nan)) == 0
    assert f(2.5) == 2.5 and f(math.nan) == 0
    np.testing.assert_array_equal(f(np.array([1.0, np.nan])), [1, 0])

    @njit
    def named(x):
        return np.nan_to_num(x, copy=True)  # a name that the overload does not take

    assert named(np.float16(2.5)) == 2.5


def by_value(mode):
    raise NotImplementedError


@overload(by_value)
def _by_value(mode):
    if not isinstance(mode, types.Literal):
        raise TypingError("mode has to be a literal")
    if mode.literal_value in ("fast", 3):
        return lambda mode: 1.0
    return lambda mode: 2


def test_a_value_known_when_compiling_is_asked_for():
    @njit
    def f():
        return by_value("fast"), by_value("slow"), by_value(3), by_value(4)

    assert f() == (1.0, 2, 1.0, 2)


def test_intrinsic_says_what_it_would_need():
    with pytest.raises(Exception, match=r"numba\.extending\.intrinsic is not there\n  why  it writes LLVM"):

        @intrinsic
        def f(context):
            return None


@njit
def add(a, b):
    return a + b


@njit
def attribute(x):
    return x.there_is_none


@njit
def raises(x):
    if x == "a":
        raise TypeError("its own")


@pytest.mark.parametrize(
    "call", [lambda: add("a", 3), lambda: add(object(), 1), lambda: attribute(np.ones(2)), lambda: add(None, 1)]
)
def test_types_that_do_not_go_together_are_typing_errors(call):
    with pytest.raises(numba.errors.TypingError) as caught:
        call()
    assert isinstance(caught.value, NumbaError)


def test_what_numpy_says_of_types_is_a_typing_error():
    @njit
    def f(x, axis):
        return np.expand_dims(x, axis).sum(axis="no axis")

    with pytest.raises(TypingError):
        f(np.ones(2), 1.5)


class Cosine(types.WrapperAddressProtocol):
    def __wrapper_address__(self):
        return ctypes.cast(ctypes.CDLL("libm.so.6").cos, ctypes.c_void_p).value

    def signature(self):
        return numba.float64(numba.float64)


cosine = Cosine()


def test_a_function_at_an_address_is_called():
    @njit
    def f(x):
        return cosine(x) + 1

    assert f(0.5) == math.cos(0.5) + 1


def test_the_class_of_compiled_functions_has_numbas_names():
    from kasoku.compat.numba.core.dispatcher import Dispatcher
    from kasoku.compat.numba.core.registry import CPUDispatcher

    assert isinstance(add, CPUDispatcher) and isinstance(add, Dispatcher) and not isinstance(abs, Dispatcher)


def test_errors_that_a_program_raises_stay():
    with pytest.raises(TypeError, match="its own") as caught:
        raises("a")
    assert not isinstance(caught.value, TypingError)


def where(x):
    raise NotImplementedError("for compiled code")


overload(where, target="generic")(lambda x: lambda x: 1)
overload(where, target="cuda")(lambda x: lambda x: 2)


def only_in_kernels(x):
    raise NotImplementedError("for compiled code")


overload(only_in_kernels, target="cuda")(lambda x: lambda x: where(x) + 10)


def test_kernels_take_overloads_and_those_for_kernels_first():
    @cuda.jit
    def kernel(out):
        out[0] = where(out[0])
        out[1] = only_in_kernels(out[1])
        out[2] = scaled(3)

    out = np.zeros(3)
    kernel[1, 1](out)
    assert out.tolist() == [2, 12, 1003]
    assert njit(lambda x: where(x))(1.0) == 1
    with pytest.raises(TypingError):
        njit(lambda x: only_in_kernels(x))(1.0)


Curve = collections.namedtuple("Curve", "slope height")


def at(curve, x):
    raise NotImplementedError("for compiled code")


@overload(at)
def _at(curve, x):
    if isinstance(curve, types.NamedTuple) and curve.fields == Curve._fields:
        return lambda curve, x: curve.slope * x + curve.height
    return (lambda curve, x: curve[0] - x) if isinstance(curve, types.BaseTuple) else None


def test_overloads_see_whether_a_tuple_has_names():
    assert njit(lambda c, x: at(c, x))(Curve(2, 0.5), 3) == 6.5
    assert njit(lambda c, x: at(c, x))((2, 0.5), 3) == -1
