/// Laws of kasoku/codegen/space.cpp.
#include "kasoku/codegen/loop.h"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace kasoku;

namespace {

/// Of operands with elements of four bytes.
IterationSpace space_of(Extents lengths, std::initializer_list<Extents> strides, AxisOrder order = AxisOrder::free, size_t kept = IterationSpace::all) {
  IterationSpace space;
  space.lengths = std::move(lengths);
  space.kept = kept;
  for (const Extents& each : strides) space.walks.push_back({0, each, 4});
  space.arrange(order);
  return space;
}

}  // namespace

TEST_CASE("space: contiguous operands of any rank are one axis") {
  const IterationSpace space = space_of({2, 3, 4}, {{48, 16, 4}, {48, 16, 4}});
  CHECK(space.lengths == Extents{24});
  CHECK(space.walks[0].strides == Extents{4});
  CHECK(space.walks[1].inner == Inner::unit);
}

TEST_CASE("space: Fortran order is one axis too where the order is free") {
  CHECK(space_of({3, 4}, {{4, 12}, {4, 12}}).lengths == Extents{12});
  CHECK(space_of({3, 4}, {{4, 12}, {4, 12}}, AxisOrder::merged).lengths == Extents{3, 4});
}

TEST_CASE("space: operands that do not agree keep the order that was given") {
  const IterationSpace space = space_of({30, 40}, {{160, 4}, {4, 120}});
  CHECK(space.lengths == Extents{30, 40});
  CHECK(space.walks[0].inner == Inner::unit);
  CHECK(space.walks[1].inner == Inner::strided);
}

TEST_CASE("space: what does not move along an axis has no opinion of it") {
  const IterationSpace space = space_of({30, 40}, {{4, 120}, {4, 0}});
  CHECK(space.lengths == Extents{40, 30});
  CHECK(space.walks[0].strides == Extents{120, 4});
  CHECK(space.walks[1].strides == Extents{0, 4});
}

TEST_CASE("space: a broadcast row keeps two axes, a column does not move along the innermost") {
  CHECK(space_of({50, 40}, {{160, 4}, {0, 4}}).lengths == Extents{50, 40});
  CHECK(space_of({50, 40}, {{160, 4}, {4, 0}}).walks[1].inner == Inner::broadcast);
}

TEST_CASE("space: a short innermost axis changes places with a longer one") {
  const IterationSpace space = space_of({1000, 3}, {{12, 4}, {0, 4}});
  CHECK(space.lengths == Extents{3, 1000});
  CHECK(space.walks[0].inner == Inner::strided);
  CHECK(space.walks[1].inner == Inner::broadcast);
  CHECK(space_of({1000, 3}, {{12, 4}, {0, 4}}, AxisOrder::merged).lengths == Extents{1000, 3});
  CHECK(space_of({11, 3}, {{12, 4}, {0, 4}}).lengths == Extents{11, 3});
}

TEST_CASE("space: axes of length 1 vanish, unless all are to be seen; one axis stays") {
  CHECK(space_of({1, 7, 1}, {{28, 4, 4}}).lengths == Extents{7});
  CHECK(space_of({1, 7, 1}, {{28, 4, 4}}, AxisOrder::given).lengths == Extents{1, 7, 1});
  const IterationSpace number = space_of({}, {{}});
  CHECK(number.lengths == Extents{1});
  CHECK(number.walks[0].strides == Extents{0});
  CHECK(number.walks[0].inner == Inner::unit);
  CHECK(space_of({0, 4}, {{16, 4}}).size() == 0);
}

TEST_CASE("space: a vector with steps is strided, in either direction") {
  const IterationSpace space = space_of({10}, {{8}, {-4}});
  CHECK(space.walks[0].inner == Inner::strided);
  CHECK(space.walks[1].inner == Inner::strided);
}

TEST_CASE("space: kept axes and reduced ones do not merge, each have one axis at least") {
  const IterationSpace rows = space_of({2, 3, 4, 5}, {{240, 80, 20, 4}}, AxisOrder::merged, 2);
  CHECK(rows.lengths == Extents{6, 20});
  CHECK(rows.kept == 1);
  const IterationSpace all = space_of({2, 3}, {{12, 4}}, AxisOrder::merged, 0);
  CHECK(all.lengths == Extents{6});
  CHECK(all.kept == 0);
  const IterationSpace single = space_of({4, 1}, {{4, 4}}, AxisOrder::merged, 1);
  CHECK(single.lengths == Extents{4, 1});
  CHECK(single.kept == 1);
}

TEST_CASE("space: many elements, or a long way in memory, need wide numbers; neighbours are counted") {
  const int64_t far = int64_t{1} << 40, giga = int64_t{1} << 30;
  CHECK(space_of({1, 4}, {{far, 4}}).is_narrow);
  CHECK_FALSE(space_of({2, 4}, {{far, 4}}).is_narrow);
  CHECK(space_of({giga}, {{4}}).is_narrow);
  CHECK_FALSE(space_of({giga}, {{8}}).is_narrow);
  CHECK_FALSE(space_of({2 * giga}, {{4}}).is_narrow);
  IterationSpace numbers;
  numbers.lengths = {4};
  numbers.walks.push_back({2 * giga, {1}, 1, Walk::numbers});
  numbers.arrange(AxisOrder::free);
  CHECK_FALSE(numbers.is_narrow);
}
