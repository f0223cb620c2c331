/// Laws of kasoku/kernel/element_loop.cpp.
#include "kasoku/kernel/element_loop.h"

#include <doctest/doctest.h>

using namespace kasoku;

namespace {

struct Host {
  std::vector<int64_t> shape, strides;
  ArrayRef ref;
  Host(std::vector<int64_t> s, std::vector<int64_t> t) : shape(std::move(s)), strides(std::move(t)) {
    ref.shape = shape.data();
    ref.strides = strides.data();
    ref.ndim = static_cast<int>(shape.size());
    ref.itemsize = 4;
    ref.dtype = Dtype::float32;
    ref.is_host = true;
  }
};

ElementLoop loop_of(std::vector<int64_t> shape, std::initializer_list<const Host*> hosts,
                    bool reorder = true) {
  std::vector<const ArrayRef*> refs;
  for (const Host* host : hosts) refs.push_back(&host->ref);
  return make_loop(shape, refs, true, reorder);
}

}  // namespace

TEST_CASE("loop: contiguous arrays of any rank are one axis") {
  const Host a({2, 3, 4}, {48, 16, 4}), b({2, 3, 4}, {48, 16, 4});
  const ElementLoop loop = loop_of({2, 3, 4}, {&a, &b});
  CHECK(loop.ndim == 1);
  CHECK(loop.shape[0] == 24);
  CHECK(loop.step[0] == Step::contiguous);
}

TEST_CASE("loop: Fortran order is one axis too where the order is free") {
  const Host a({3, 4}, {4, 12}), b({3, 4}, {4, 12});
  CHECK(loop_of({3, 4}, {&a, &b}).ndim == 1);
  CHECK(loop_of({3, 4}, {&a, &b}, false).ndim == 2);
}

TEST_CASE("loop: a broadcast row keeps two axes") {
  const Host a({5, 4}, {16, 4}), b({4}, {4});
  const ElementLoop loop = loop_of({5, 4}, {&a, &b});
  CHECK(loop.ndim == 2);
  CHECK(loop.strides[1][0] == 0);
  CHECK(loop.step[1] == Step::contiguous);
}

TEST_CASE("loop: a column broadcast along the innermost axis is a broadcast step") {
  const Host a({5, 4}, {16, 4}), b({5, 1}, {4, 4});
  const ElementLoop loop = loop_of({5, 4}, {&a, &b});
  CHECK(loop.step[1] == Step::broadcast);
}

TEST_CASE("loop: axes of length 1 vanish, zero axes are one element, none are none") {
  const Host a({1, 7, 1}, {28, 4, 4});
  CHECK(loop_of({1, 7, 1}, {&a}).ndim == 1);
  const Host scalar({}, {});
  CHECK(loop_of({}, {&scalar}).size == 1);
  const Host nothing({0, 4}, {16, 4});
  CHECK(loop_of({0, 4}, {&nothing}).size == 0);
}

TEST_CASE("loop: a strided vector is strided, in either direction") {
  const Host a({10}, {8}), b({10}, {-4});
  const ElementLoop loop = loop_of({10}, {&a, &b});
  CHECK(loop.step[0] == Step::strided);
  CHECK(loop.step[1] == Step::strided);
}

TEST_CASE("loop: more than 2^31 elements or reach need wide positions") {
  const Host a({1, 4}, {int64_t{1} << 40, 4});
  CHECK(loop_of({1, 4}, {&a}).is_narrow);
  const Host b({2, 4}, {int64_t{1} << 40, 4});
  CHECK_FALSE(loop_of({2, 4}, {&b}).is_narrow);
}

TEST_CASE("broadcast: lengths of 1 stretch, also to 0; the error names array and axis") {
  const Host a({3, 1}, {4, 4}), b({4}, {4}), c({0}, {4}), d({5}, {4});
  const auto shape_of = [](const Host& x, const Host& y) {
    const ArrayRef* arrays[] = {&x.ref, &y.ref};
    const std::string_view names[] = {"x", "y"};
    return broadcast_shape("f", arrays, names);
  };
  CHECK(shape_of(a, b) == Shape{3, 4});
  CHECK(shape_of(a, c) == Shape{3, 0});
  CHECK_THROWS_WITH_AS(shape_of(b, d),
                       "f: the shapes of its arguments do not broadcast\n"
                       "  why  axis -1 of 'y' is 5, of those before it 4",
                       Error);
}
