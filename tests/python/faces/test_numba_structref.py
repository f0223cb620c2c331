"""numba.experimental.structref: objects whose fields compiled code and Python share."""

import collections

import numpy as np
import pytest
from kasoku.compat.numba import njit, types
from kasoku.compat.numba.experimental import structref
from kasoku.compat.numba.extending import overload_method

pytestmark = pytest.mark.filterwarnings("ignore::kasoku._jit.InterpretedWarning")


@structref.register
class PointType(types.StructRef):
    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(of)) for name, of in fields)


class Point(structref.StructRefProxy):
    def __new__(cls, tag, place):
        return structref.StructRefProxy.__new__(cls, tag, place)

    @property
    def tag(self):
        return tag_of(self)

    @property
    def place(self):
        return place_of(self)


@njit
def tag_of(self):
    return self.tag


@njit
def place_of(self):
    return self.place


structref.define_proxy(Point, PointType, ["tag", "place"])


@overload_method(PointType, "moved")
def _moved(self, by):
    if isinstance(by, types.Number):

        def impl(self, by):
            return Point(self.tag + 1, self.place + by)

        return impl


@njit
def distance(a, b):
    return np.linalg.norm(a.place - b.place)


@njit
def rename(a, tag):
    a.tag = tag


@njit
def move(a, by):
    return a.moved(by), a


def test_fields_are_read_by_properties_and_compiled_functions():
    a, b = Point(3, np.array([1.0, 2.0])), Point(4, np.array([4.0, 6.0]))
    assert a.tag == 3 and distance(a, b) == 5.0
    assert isinstance(a, Point) and isinstance(a._numba_type_, PointType)


def test_an_assignment_in_compiled_code_is_seen_outside_and_keeps_the_type():
    a = Point(3, np.zeros(2))
    rename(a, 7.9)
    assert a.tag == 7 and type(a.tag) is int


def test_methods_are_overloads_and_results_are_proxies():
    a = Point(3, np.zeros(2))
    moved, same = move(a, 2.0)
    assert isinstance(moved, Point) and moved.tag == 4 and same.tag == 3
    np.testing.assert_array_equal(moved.place, [2.0, 2.0])


Pair = collections.namedtuple("Pair", "x y")


def test_named_tuples_keep_their_names():
    @njit
    def swap(pair):
        return Pair(pair.y, pair.x), (pair, 1)

    assert swap(Pair(1, 2)) == ((2, 1), ((1, 2), 1)) and swap(Pair(1, 2))[0].x == 2


def test_what_is_no_field_is_an_error():
    @njit
    def f(a):
        a.other = 1

    with pytest.raises(AttributeError, match="Point has no field 'other'"):
        f(Point(1, np.zeros(1)))
    with pytest.raises(TypeError, match="2 fields"):
        structref.StructRefProxy.__new__(Point, 1)
