"""numba.experimental.jitclass: classes whose methods are compiled, compared with the same class uncompiled."""

import warnings

import kasoku.compat.numba as numba
from kasoku import _core
import numpy as np
import pytest
from kasoku.compat.numba import float64, int32
from kasoku.compat.numba.experimental import jitclass


class Bag:
    def __init__(self, n):
        self.value = n
        self.total = 0.0
        self.array = np.zeros(n, dtype=np.float64)

    @property
    def size(self):
        return self.array.size

    def increment(self, by):
        for i in range(self.size):
            self.array[i] += by
        return self.array

    def add(self, x):
        self.total += x
        self.value = self.value + 1

    def run(self, steps):
        for i in range(steps):
            if i % 2 == 0:
                self.add(i * 0.5)
            else:
                self.add(1.0)
        return self.total

    def grow(self):
        self.array = np.append(self.array, self.total)

    def scaled(self, factor=2.0):
        return self.mean() * factor

    def mean(self):
        return self.array.sum() / self.size

    def check(self):
        if self.value > 3:
            raise ValueError(f"{self.value} is too much")

    def myself(self):
        return self

    @staticmethod
    def twice(x):
        return 2 * x


spec = [("value", int32), ("array", float64[:]), ("total", float64)]


def test_methods_properties_and_fields():
    fast, plain = jitclass(spec)(Bag)(3), Bag(3)
    for bag in (fast, plain):
        bag.increment(2.0)
        bag.add(1.5)
        bag.grow()
    for name in ("value", "total", "size"):
        assert getattr(fast, name) == getattr(plain, name)
    np.testing.assert_array_equal(fast.array, plain.array)
    assert fast.run(7) == plain.run(7) and fast.value == plain.value
    assert fast.scaled() == plain.scaled() and fast.scaled(factor=3.0) == plain.scaled(3.0)
    assert fast.myself() is fast and fast.twice(4) == 8
    with pytest.raises(ValueError, match="11 is too much"):
        fast.check()


def test_its_methods_are_compiled():
    made = jitclass(Bag, spec)
    for name in ("increment", "add", "run", "grow", "scaled", "mean", "check"):
        method = made.__dict__[name]
        forms = method.__closure__[0].cell_contents
        assert forms.of(name) is not None, name
    bag = made(3)
    bag.run(4)
    assert forms.of("run").run.nopython_signatures


def test_fields_have_their_types():
    bag = jitclass(spec)(Bag)(3)
    bag.value = 3.7
    assert bag.value == 3 and type(bag.value) is int
    with pytest.raises(AttributeError, match="no field 'other'"):
        bag.other = 1
    with pytest.raises(TypeError, match="array"):
        bag.array = np.zeros((2, 2))
    with pytest.raises(NameError, match="shadowing"):

        @jitclass([("x", int32)])
        class Shadow:
            x = 3


def test_annotations_and_use_in_functions():
    @jitclass
    class Particle:
        x: float64
        n: int

        def __init__(self, x):
            self.x = x
            self.n = 0

        def step(self, dt):
            self.x += dt
            self.n += 1

    @numba.njit
    def drive(p, steps):
        for _ in range(steps):
            p.step(0.25)
        return p.x

    p = Particle(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert drive(p, 8) == 3.0
    assert p.n == 8


def test_a_field_may_be_a_value_or_none():
    @jitclass([("value", numba.optional(numba.int64))])
    class Checked:
        def __init__(self, value):
            self.value = value

        def over(self, other):
            if self.value is None or other.value is None or other.value == 0:
                return Checked(None)
            return Checked(self.value // other.value)

    @numba.njit
    def chain(given):
        x, zero = Checked(given), Checked(0)
        a, b = x.over(x), x.over(zero)
        return a.value, b.value, b.over(x).value

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert chain(2) == (1, None, None)
    assert Checked(2.9).value == 2
    assert numba.optional(numba.int64) == numba.types.Optional(numba.int64) != numba.optional(numba.int32)
    assert repr(numba.types.Optional(numba.float64)) == "OptionalType(float64)"


@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int32", "int64", "float32", "float64", "complex64", "complex128", "boolean"]
)
def test_fields_that_may_be_none_of_any_number_type(dtype):
    class Plain:
        def __init__(self, x):
            self.before, self.x, self.behind = 7, None, 2.5
            self.x = x
            self.n_set = 0

        def set(self, x):
            self.x = x
            self.n_set += 1

        def is_set(self):
            return self.x is not None

    of = numba.optional(getattr(numba.types, dtype))
    fields = [("before", numba.int8), ("x", of), ("behind", numba.float64), ("n_set", numba.optional(numba.int32))]
    Made = jitclass(fields)(Plain)  # noqa: N806

    with warnings.catch_warnings():
        warnings.simplefilter("error")

        @numba.njit
        def f(x):
            one, two = Made(x), Made(x)
            two.set(None)
            found = one.is_set(), two.is_set()
            same = one.x == x
            two.set(one.x)
            one.set(None)
            return one, two, found, same, two.x, one.x, two.n_set

        x = dtype == "boolean" or 3
        one, two, *got = f(x)
        with pytest.raises(TypeError):
            numba.njit(lambda: Made(None).x + x)()
    Made = Plain  # noqa: N806
    first, second, *wanted = f.py_func(x)
    assert got == wanted
    assert vars(one) == vars(first) and vars(two) == vars(second)


@pytest.mark.filterwarnings("ignore:[^$]*runs in the interpreter")
def test_a_class_has_fields_of_its_own_type():
    node = numba.deferred_type()
    with pytest.raises(RuntimeError, match="not defined"):
        node.get()

    @jitclass([("data", numba.int32), ("next", numba.optional(node))])
    class Node:
        def __init__(self, data, next):
            self.data, self.next = data, next

        def prepend(self, data):
            return Node(data, self)

    node.define(Node.class_type.instance_type)
    with pytest.raises(TypeError, match="already defined"):
        node.define(Node)

    @numba.njit
    def fill(out):
        head = Node(0, None)
        for i in range(1, out.size):
            head = head.prepend(i)
        at = 0
        while head is not None:
            out[at] = head.data
            head, at = head.next, at + 1

    out = np.zeros(7, dtype=np.int32)
    fill(out)
    assert out.tolist() == [6, 5, 4, 3, 2, 1, 0]


@pytest.mark.filterwarnings("ignore:[^$]*runs in the interpreter")
def test_sets_in_fields():
    @jitclass([("seen", numba.types.Set(numba.int64, reflected=True))])
    class Holder:
        def __init__(self, seen):
            self.seen = seen

        def add(self, value):
            self.seen.add(value)

    given = {1, 2}
    Holder(given).add(3)
    assert given == {1, 2, 3}


def test_a_class_in_a_signature():
    @jitclass([("rate", float64)])
    class Rate:
        def __init__(self, rate):
            self.rate = rate

    @numba.njit(float64(Rate.class_type.instance_type, numba.int64))
    def times(r, k):
        return r.rate * k

    assert times(Rate(0.5), 3) == 1.5


def test_a_property_that_is_set():
    @jitclass([("x", float64)])
    class Half:
        def __init__(self, x):
            self.x = x

        @property
        def twice(self):
            return 2 * self.x

        @twice.setter
        def twice(self, value):
            self.x = value / 2

        @property
        def fixed(self):
            return 1

    half = Half(3.0)
    half.twice = 10.0
    assert (half.x, half.twice) == (5.0, 10.0)
    with pytest.raises(AttributeError):
        half.fixed = 2
    with pytest.raises(AttributeError, match="no field 'other'"):
        half.other = 2


def test_private_fields_have_the_names_that_python_gives_them():
    @jitclass({"value": int32, "__value": int32})
    class Pair:
        def __init__(self, value):
            self.value = value
            self.__value = 2 * value

        @property
        def hidden(self):
            return self.__value

        def swap(self, new):
            old = self.__value
            self.__value = new
            return old

    pair = Pair(3)
    assert (pair.value, pair.hidden, pair.swap(7), pair.hidden) == (3, 6, 6, 7)


def test_annotations_of_a_base_class_are_fields():
    class Base:
        x: int

        def __init__(self, x):
            self.x = x

    @jitclass
    class Derived(Base):
        def twice(self):
            return 2 * self.x

    assert Derived(4).twice() == 8


class Walker:
    def __init__(self, x):
        self.x = x
        self.steps = 0
        self.path = np.zeros(4)

    @property
    def double(self):
        return self.x * 2

    def step(self, by):
        self.x += by
        self.path[self.steps % 4] = self.x
        self.steps += 1
        return self.steps

    def far(self, limit):
        return abs(self.x) > limit

    def join(self, other, by=1.0):
        self.x += other.x * by
        other.steps -= 1
        return self.x


def walk(w, by, n):
    seen = 0
    for _ in range(n):
        seen += w.step(by)
        w.x -= 0.25
        if w.far(10.0):
            return -1
    w.path[0] = w.double
    return seen


def meet(a, b, steps=3):
    count = walk_compiled(a, 1.0, steps)
    w_x = b.join(a)
    w_x += a.join(b, 0.5)
    b.x = a.x + b.x
    return count + b.steps + w_x


def named_alike(w):
    w_x = 100.0
    return w.x + w_x


WalkerClass = jitclass([("x", float64), ("steps", numba.int64), ("path", float64[:])])(Walker)
walk_compiled = numba.njit(walk)
state = lambda w: (w.x, w.steps, w.path.tolist())  # noqa: E731


@pytest.mark.filterwarnings("ignore:walk runs in the interpreter")
def test_functions_of_instances_are_compiled():
    theirs = [Walker(1.0), Walker(2.0)]
    wanted = meet(*theirs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for by, n in ((1.0, 5), (4.0, 9), (0.5, 0)):
            one, other = WalkerClass(1.5), Walker(1.5)
            assert walk_compiled(one, by, n) == walk(other, by, n)
            assert state(one) == state(other)
        ours = [WalkerClass(1.0), WalkerClass(2.0)]
        assert numba.njit(meet)(*ours) == wanted
        assert numba.njit(named_alike)(ours[0]) == named_alike(theirs[0])
        assert ours[0].join(ours[1]) == theirs[0].join(theirs[1])
    assert list(map(state, ours)) == list(map(state, theirs))
    assert ours[0].join(ours[0]) == theirs[0].join(theirs[0])


@pytest.mark.filterwarnings("ignore:[^$]*runs in the interpreter")
def test_instances_under_two_names_are_one():
    def both(a, b):
        a.x += 1
        b.x += 1
        return a.x

    @jitclass([("inner", WalkerClass.class_type.instance_type)])
    class Outer:
        def __init__(self, inner):
            self.inner = inner

    def through(outer, w):
        outer.inner.x += 1
        return w.x

    one = WalkerClass(1.0)
    assert numba.njit(both)(one, one) == 3.0
    assert numba.njit(through)(Outer(one), one) == 4.0


@pytest.mark.filterwarnings("ignore:[^$]*runs in the interpreter")
def test_functions_that_keep_or_give_an_instance_are_python():
    def given(w):
        w.x = 5.0
        return w

    def other(w, n):
        if n:
            w = WalkerClass(0.0)
        return w.x

    w = WalkerClass(1.0)
    assert numba.njit(given)(w) is w and w.x == 5.0
    assert numba.njit(other)(w, 0) == 5.0 and numba.njit(other)(w, 1) == 0.0


class PlainVec:
    def __init__(self, x, y=2.0):
        self.x = x
        self.y = y

    @property
    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5

    def add(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __add__(self, other):
        return self.add(other)

    def __lt__(self, other):
        return self.x < other.x

    def __getitem__(self, i):
        return self.x if i == 0 else self.y

    def __len__(self):
        return 2

    def scale(self, k):
        self.x *= k
        self.y *= k
        return self


class PlainStack:
    def __init__(self, n):
        self.data = np.zeros(n)
        self.m = np.ones((n, 2))
        self.n = 0
        self.name = "stack"

    def push(self, x):
        if self.n == self.data.size:
            data = np.zeros(2 * self.n)
            data[: self.n] = self.data
            self.data = data
        self.data[self.n] = x
        self.n += 1

    def pop(self):
        self.n -= 1
        return self.data[self.n]


class PlainPair:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.asked = 0

    def total(self):
        self.asked += 1
        return self.a.norm + self.b.norm


Vec, Stack, Pair = PlainVec, PlainStack, PlainPair
CompiledVec = jitclass([("x", float64), ("y", float64)])(PlainVec)
stack_spec = [("data", float64[:]), ("m", float64[:, :]), ("n", int32), ("name", numba.types.unicode_type)]
CompiledStack = jitclass(stack_spec)(PlainStack)
vec_type = CompiledVec.class_type.instance_type
CompiledPair = jitclass([("a", vec_type), ("b", vec_type), ("asked", int32)])(PlainPair)


def instance_of_two_names():
    a = Vec(1.0)
    b = a
    b.x = 5.0
    a, c = Vec(7.0, 8.0), a
    a.x += 1
    return a.x, b.x, c.x, c.y


def instance_in_a_loop(n):
    a = Vec(0.0, 1.0)
    for i in range(n):
        b = Vec(1.0 * i, y=2.0)
        a = a.add(b)
        while a.x > 50 and a.y > 1:
            a.scale(0.5)
    return a.x, a.y, Vec(1.0, 2.0).scale(2).scale(3).norm


def instance_with_arrays(n):
    s = Stack(2)
    for i in range(n):
        s.push(i * 1.5)
    s.data += 1
    s.m[1] *= 3
    s.m[:, 0] = 5
    before = s.data
    s.push(s.data[1] + s.data[:3].sum())
    return s.pop() + s.pop(), s.n, before.sum(), s.data.size, s.m.sum(), s.name


def instances_in_instances():
    p = Pair(Vec(3.0, 4.0), Vec(5.0, 12.0))
    q = p.a
    q.x = 0.0
    total = p.total() + p.total()
    p.a = Vec(6.0, 8.0)
    return total, p.asked, p.a.norm, q.y


def instances_in_a_list(n):
    all = [Vec(1.0 * i, 1.0) for i in range(n)]
    for v in all:
        v.x += 1
    all.append(Vec(100.0, 0.0))
    first = all[0]
    first.y = 7.0
    total = 0.0
    for v in all:
        total += v.x * v.y
    return total, all.pop().x, len(all), all[0].y


def instance_that_another_function_has(n):
    def twice(v, n):
        return v if n == 0 else twice(v.add(v), n - 1)

    v = Vec(1.0, 1.0)
    return twice(v, n).x, v.x


def instances_in_parallel(n):
    out = np.zeros(n)
    for i in numba.prange(n):
        v = Vec(1.0 * i, 1.0)
        out[i] = v.add(v).norm
    return out.sum()


def instances_have_their_operators():
    a, b = Vec(1.0, 5.0), Vec(2.0)
    c = a + b + a
    return c[0], c[1], len(c), a < b, b < a


def instances_are_told_apart():
    a, b = Vec(1.0), Vec(1.0)
    c = a
    return a is c, a is b, a is not b, a is not c


@pytest.mark.parametrize(
    "function, arguments",
    [
        (instance_of_two_names, ()),
        (instances_have_their_operators, ()),
        (instances_are_told_apart, ()),
        (instance_in_a_loop, (40,)),
        (instance_with_arrays, (9,)),
        (instances_in_instances, ()),
        (instances_in_a_list, (6,)),
        (instance_that_another_function_has, (5,)),
        (instances_in_parallel, (100,)),
    ],
)
def test_instances_made_in_compiled_code_are_those_of_python(function, arguments, monkeypatch):
    want = function(*arguments)
    for name, made in (("Vec", CompiledVec), ("Stack", CompiledStack), ("Pair", CompiledPair)):
        monkeypatch.setitem(globals(), name, made)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = numba.njit(parallel=function is instances_in_parallel)(function)(*arguments)
    np.testing.assert_allclose(got, want) if not isinstance(want, tuple) else None
    assert isinstance(want, float) or all(
        g == w if isinstance(w, str) else np.isclose(g, w) for g, w in zip(got, want, strict=True)
    )


@pytest.mark.filterwarnings("ignore:[^$]*runs in the interpreter")
def test_what_only_the_class_can_compare_is_left_to_python(monkeypatch):
    monkeypatch.setitem(globals(), "Vec", CompiledVec)

    def within():
        a, b = Vec(1.0), Vec(1.0)
        return a in (b, b), a == b, a != b, a in [a, b], bool(a)

    assert numba.njit(within)() == (False, False, True, True, True)


def test_an_instance_comes_back_from_compiled_code(monkeypatch):
    monkeypatch.setitem(globals(), "Vec", CompiledVec)

    def two():
        return Vec(1.5), 3

    vec, three = numba.njit(two)()
    assert type(vec) is CompiledVec and (vec.x, vec.y, three) == (1.5, 2.0, 3)
    assert vec.add(vec).scale(2).x == 6.0

    def same():
        vec = Vec(1.0)
        return vec, vec, Vec(1.0)

    one, other, third = numba.njit(same)()
    assert one is other and one is not third

    def too_far():
        stack = CompiledStack(2)
        stack.data[5] = 1.0
        return stack.n

    with pytest.raises(IndexError):
        numba.njit(too_far)()


@pytest.mark.filterwarnings("ignore:[^$]*runs in the interpreter")
def test_where_arrays_lie_on_a_device_instances_are_pythons(monkeypatch):
    for name, made in (("Stack", CompiledStack), ("Vec", CompiledVec)):
        monkeypatch.setitem(globals(), name, made)
    want = numba.njit(instance_with_arrays)(9)
    before = _core._jit_offload_to_cpu(True)
    try:
        assert numba.njit(instance_with_arrays)(9) == want
    finally:
        _core._jit_offload_to_cpu(before)
