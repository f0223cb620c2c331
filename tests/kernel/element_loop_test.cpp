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

}  // namespace

TEST_CASE("loop: arrays of fewer axes and of length 1 are stretched") {
  const Host a({5, 4}, {16, 4}), row({4}, {4}), column({5, 1}, {4, 4}), number({}, {});
  const ArrayRef* arrays[] = {&a.ref, &row.ref, &column.ref, &number.ref};
  const IterationSpace space = space_over({5, 4}, arrays);
  CHECK(space.lengths == Extents{5, 4});
  CHECK(space.walks[0].strides == Extents{16, 4});
  CHECK(space.walks[1].strides == Extents{0, 4});
  CHECK(space.walks[2].strides == Extents{4, 0});
  CHECK(space.walks[3].strides == Extents{0, 0});
  CHECK(space.walks[0].unit == 4);
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
