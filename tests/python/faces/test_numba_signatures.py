"""Signatures given ahead: arguments and results convert as Numba's do, and nothing else is compiled."""

import collections
import heapq

import numpy as np
import pytest
from kasoku.compat import numba
from kasoku.compat.numba import complex64, float32, float64, int32, int64, jit, njit, types, void


def add(a, b):
    return a + b


def same(got, wanted):
    assert type(got) is type(wanted) and got == wanted


@pytest.mark.parametrize("argument", [3, True, np.int8(3), np.float32(3), np.uint64(3)])
def test_an_argument_becomes_a_float(argument):
    @njit("float64(float64)")
    def square(x):
        return x * x

    same(square(argument), float(argument) ** 2)
    assert len(square.signatures) == 1


def test_unsafe_conversions_are_taken_where_nothing_better_is_declared():
    f = jit("(int32, int32)")(add)
    same(f(12.3, 45.6), 57)
    same(f(2**32 + 1, 1), 2)  # as C converts
    with pytest.raises(TypeError, match=r"No matching definition for argument type\(s\) float64, complex128"):
        f(12.3, 45.6j)


@pytest.mark.parametrize("kind", ["uint8", "uint32", "uint64"])
def test_a_negative_integer_is_no_unsigned_one(kind):
    one, two = jit(f"{kind}({kind})")(lambda x: x), jit(f"(UniTuple({kind}, 2),)")(lambda x: x[1])
    for value in (-1, np.int8(-5), np.int64(-(2**40))):
        for function, argument in ((one, value), (two, (1, value))):
            with pytest.raises(OverflowError, match=f"negative, and the signature says {kind}"):
                function(argument)
    for value in (0, 7, np.int8(7), True):
        assert one(value) == two((1, value)) == value


def test_an_unsigned_integer_beyond_a_half_is_infinite_and_positive():
    assert jit("float64(float16)")(lambda x: x * 1.0)(np.uint64(2**63)) == float("inf")


def test_the_best_of_several_is_chosen():
    f = jit(["(int64,int64)", "(float64,float64)"])(add)
    same(f(1, 2), 3)
    same(f(1.5, 2.5), 4.0)
    same(f(np.int32(1), 2.5), 3.5)
    f = jit([(float32, float32), (float64, float64)])(add)
    assert f(np.float32(1), np.float32(2**-25)) == 1.0
    assert f(1, 2**-25) == 1.0000000298023224
    f = jit([float64(float32, float64), float64(float64, float32), int64(int64, int64)])(add)
    with pytest.raises(TypeError, match="Ambiguous overloading for <function add .*> .float64, float64.:"):
        f(1.0, 2.0)
    same(f(1, 2), 3)


def test_results_convert_too():
    @njit(int32(int64, int64))
    def half(a, b):
        return a / b

    same(half(7, 2), 3)

    @njit(complex64(float32))
    def promote(x):
        return x

    same(promote(2), 2 + 0j)
    with pytest.raises(TypeError, match="returns complex128, and its signature says float64"):

        @njit("float64(float64)")
        def impossible(x):
            return x * 1j


def test_arrays_convert_to_what_promises_less():
    f = njit("float64(float64[:])")(lambda x: x.sum())
    assert f(np.arange(6.0)[::2]) == 6 and f(np.arange(3.0)) == 3
    contiguous = njit("float64(float64[::1])")(lambda x: x.sum())
    assert contiguous(np.arange(3.0)) == 3
    with pytest.raises(TypeError, match="No matching definition"):
        contiguous(np.arange(6.0)[::2])
    with pytest.raises(TypeError, match="No matching definition"):
        f(np.arange(3))
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    with pytest.raises(TypeError, match="No matching definition"):
        f(fixed)
    assert njit(float64(types.Array(float64, 1, "C", readonly=True)))(lambda x: x[1])(np.arange(3.0)) == 1


def test_tuples_and_none_in_signatures():
    swap = njit("Tuple((int64, float64))(UniTuple(float64, 2))")(lambda p: (p[1], p[0]))
    assert swap((1, 2.9)) == (2, 1.0)
    assert [type(x) for x in swap((1, 2.9))] == [int, float]

    @njit(void(float64[:]))
    def clear(x):
        x[:] = 0

    x = np.ones(3)
    assert clear(x) is None and not x.any()


def test_declared_functions_convert_inside_others():
    @njit("int64(int64)")
    def whole(x):
        return x

    @njit
    def f(x):
        return whole(x) * 2

    same(f(2.9), 4)

    @njit
    def g(x):
        return whole(x)

    with pytest.raises(numba.core.errors.TypingError, match="Invalid use of type whole with parameters .array"):
        g(np.ones(1))


@pytest.mark.parametrize("signature", ["()", "(intc,)", "(intc,intc,intc)"])
def test_the_number_of_types_is_checked(signature):
    with pytest.raises(TypeError, match="Signature mismatch: . argument types given, but function takes 2 arguments"):
        jit(signature)(add)


@pytest.mark.parametrize("signature", ["float64", "nonsense(int64)", "int64(", 3])
def test_what_is_no_signature_is_an_error(signature):
    with pytest.raises(TypeError):
        jit(signature)(add)


def test_defaults_need_no_type():
    f = njit("int64(int64)")(lambda a, b=5: a + b)
    same(f(1), 6)
    same(f(1, 2), 3)


def test_a_closed_function_compiles_nothing_more():
    f = jit(["(float32,)", "(int32,)"])(lambda a: a)
    with pytest.raises(RuntimeError, match="compilation disabled"):
        f.compile("(complex64,)")
    assert f.signatures == [(float32,), (int32,)]
    g = jit(lambda a: a)
    g(1)
    g.disable_compile()
    same(g(2.7), 2)
    assert g.signatures == [(int64,)]


def test_compile_gives_what_it_compiled():
    f = jit(lambda a: a * 2)
    one = f.compile("(int64,)")
    same(one(2), 4)
    same(one(2.7), 4)
    assert f.signatures == [(int64,)] and f.compile((int64,)) is one
    same(f.compile("float64(float64)")(1), 2.0)
    assert f.signatures == [(int64,), (float64,)]
    same(f(2.5), 5.0)


def test_what_was_compiled_is_listed_by_types():
    f = jit(add)
    f(1, 2)
    f(1, 2.5)
    f(np.ones(2), 1.0)
    assert f.signatures == [(int64, int64), (int64, float64), (float64[::1], float64)]
    assert f.overloads[(int64, float64)].return_type == float64
    assert set(f.inspect_asm()) == set(f.signatures) and "define" in f.inspect_llvm(f.signatures[0])


@pytest.mark.filterwarnings("ignore:[^$]*runs in the interpreter")
@pytest.mark.parametrize("value", [b"abc", bytearray(b"abc"), memoryview(b"abc")], ids=lambda v: type(v).__name__)
def test_what_is_declared_with_a_type_that_has_no_compiled_form_runs(value):
    kind = {bytes: "Bytes", bytearray: "ByteArray", memoryview: "MemoryView"}[type(value)]
    declared = int64(getattr(types, kind)(numba.uint8, 1, "C"))
    for signature in (declared, [declared], f'int64({kind}(uint8, 1, "C"))', (types.Tuple((declared.args[0],)),)):

        @jit(signature, nopython=True)
        def length(s):
            return len(s)

        assert length(value) == 3

    @jit("int64(int32)")
    def closed(x):
        return x

    assert closed(2.9) == 2  # others stay closed


def test_typed_containers_hold_numbers_of_python():
    made = numba.typed.List([np.float64(1.5)])
    made.append(np.float64(2.5))
    made.insert(0, np.int64(1))
    made.extend(np.array([True]))
    made[0] = np.float64(0.5)
    made[1:2] = [np.float64(7)]
    assert [*map(type, made)] == [float, float, float, bool] and made == [0.5, 7.0, 2.5, True]
    assert type(made.copy()) is numba.typed.List and made.copy() == made
    small = numba.typed.List([np.float32(1.5)])
    assert type(small[0]) is np.float32  # whose type is another
    assert made._typed and not numba.typed.List()._typed and numba.typed.List.empty_list(float64)._typed
    assert not numba.typed.Dict()._typed and numba.typed.Dict.empty(int64, float64)._typed


def test_a_text_may_say_optional():
    @jit("float64(optional(float64))")
    def f(x):
        return 0.0 if x is None else x + 1

    assert f(None) == 0 and f(2) == 3


def test_a_signature_may_have_named_tuples():
    """The functions of a queue, which take and give them, in a typed list; what they give is of the program's class."""
    node = collections.namedtuple("node", "distance child")
    kind = types.NamedTuple([float32, int32], node)
    assert kind == types.NamedTuple([float32, int32], node) != types.NamedUniTuple(int32, 2, node)

    @njit(types.ListType(kind)())
    def make():
        return numba.typed.List.empty_list(kind)

    @njit((types.ListType(kind), float64, int32))
    def push(queue, distance, child):
        heapq.heappush(queue, node(distance, child))

    @njit(kind(types.ListType(kind)))
    def pop(queue):
        return heapq.heappop(queue)

    queue = make()
    for k in (5, 3, 9, 1):
        push(queue, k / 2, k)
    assert [pop(queue), pop(queue).child, pop(queue)[0]] == [node(0.5, 1), 3, 2.5] and type(queue[0]) is node


def test_integer_types_know_their_bounds():
    for of in (numba.int8, numba.uint16, numba.int64, numba.uint64):
        bounds = np.iinfo(repr(of))
        assert (of.minval, of.maxval, of.bitwidth) == (bounds.min, bounds.max, bounds.bits)
        assert of.signed == (bounds.min < 0)
