"""numba.experimental.jitclass: classes whose methods are compiled, compared with the same class uncompiled."""

import kasoku.compat.numba as numba
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
    with pytest.warns(Warning):
        assert drive(p, 8) == 3.0
    assert p.n == 8


@pytest.mark.filterwarnings("ignore:[^$]*runs in the interpreter")
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

    assert chain(2) == (1, None, None)
    assert Checked(2.9).value == 2
    assert numba.optional(numba.int64) == numba.types.Optional(numba.int64) != numba.optional(numba.int32)
    assert repr(numba.types.Optional(numba.float64)) == "OptionalType(float64)"


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

    with pytest.warns(UserWarning, match="runs in the interpreter"):
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
