/// Laws of arrays: views, laziness, writes, reductions.
#include "kasoku/array/array.h"

#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/graph.h"
#include "kasoku/array/random.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/counters.h"

#include <doctest/doctest.h>

#include <cmath>
#include <thread>
#include <vector>

using namespace kasoku;

namespace {

Array range(int64_t n, Dtype dtype = Dtype::float64) {
  return arange(Scalar::of(0), Scalar::of(1), n, dtype, device("cpu"));
}

template <class T>
std::vector<T> values(const Array& array) {
  const Array flat = contiguous(array);
  const T* first = static_cast<const T*>(flat.data_for_read());
  return {first, first + flat.size()};
}

}  // namespace

TEST_CASE("array: an operation is pending until its values are asked for") {
  const Array x = range(5);
  const Array y = apply(Op::add, {apply(Op::multiply, {x, x}), 1});
  CHECK(y.is_pending());
  CHECK(values<double>(y) == std::vector<double>{1, 2, 5, 10, 17});
  CHECK_FALSE(y.is_pending());
}

TEST_CASE("array: a write comes after what still reads the old value") {
  const Array x = copy(range(4));
  x.data();
  const Array view = x.with_view({{2}, {8}, 8});
  const Array y = apply(Op::add, {x, 10});
  view.assign(full({2}, Scalar::of(7.0), Dtype::float64, device("cpu")));
  CHECK(values<double>(y) == std::vector<double>{10, 11, 12, 13});
  CHECK(values<double>(x) == std::vector<double>{0, 7, 7, 3});
}

TEST_CASE("array: who waits for all that is pending is told once what failed, and the others are computed") {
  const Array x = range(5);
  Expression of_records;  // nothing computes with records
  of_records.kind = Expression::cast;
  of_records.inputs = {{make_leaf(Storage::allocate(device("cpu"), 16), {2}, Dtype::opaque, 8), {{2}, {8}, 0}}};
  const Array bad = Array::of(make_node({2}, Dtype::float64, device("cpu"), std::move(of_records)));
  const Array good = apply(Op::add, {x, 1});
  CHECK_THROWS_WITH_AS(run_pending(), doctest::Contains("records"), Error);
  CHECK_FALSE(good.is_pending());
  CHECK_NOTHROW(run_pending());
  CHECK_THROWS_WITH_AS(bad.data_for_read(), doctest::Contains("records"), Error);
}

TEST_CASE("array: what is computed where it is stored is one launch, and whoever else reads there has the old values") {
  few_at_once = false;
  const Array x = copy(range(6)), y = copy(range(6));
  x.data(), y.data();
  const Array front = x.with_view({{5}, {8}, 0}), back = x.with_view({{5}, {8}, 8}), five = y.with_view({{5}, {8}, 0});
  const auto launches_of = [](const auto& work) {
    const auto before = counters().launches.load();
    work();
    return counters().launches.load() - before;
  };
  apply_in_place(Op::add, front, 0.0);  // compiled
  CHECK(launches_of([&] { apply_in_place(Op::add, front, five); }) == 1);
  CHECK(values<double>(x) == std::vector<double>{0, 2, 4, 6, 8, 5});
  apply_in_place(Op::add, front, apply(Op::multiply, {apply(Op::add, {front, 1.0}), five}));
  CHECK(values<double>(x) == std::vector<double>{0, 5, 14, 27, 44, 5});
  apply_in_place(Op::add, back, front);  // other elements of the same memory
  CHECK(values<double>(x) == std::vector<double>{0, 5, 19, 41, 71, 49});
  const Array sum = apply(Op::add, {front, 1.0});  // somebody has it
  apply_in_place(Op::multiply, front, sum);
  CHECK(values<double>(sum) == std::vector<double>{1, 6, 20, 42, 72});
  CHECK(values<double>(x) == std::vector<double>{0, 30, 380, 1722, 5112, 49});
  const Array neighbours = y.with_view({{5, 2}, {8, 8}, 0});  // elements of one place
  apply_in_place(Op::add, neighbours, 1.0);
  CHECK(values<double>(y) == std::vector<double>{1, 2, 3, 4, 5, 6});
  const Array twice = apply(Op::multiply, {front, 2.0}), reader = apply(Op::subtract, {twice, front});
  front.assign(apply(Op::negative, {front}));
  CHECK(values<double>(reader) == std::vector<double>{0, 30, 380, 1722, 5112});
  CHECK(values<double>(front) == std::vector<double>{0, -30, -380, -1722, -5112});
  const Array first = y.with_view({{3}, {8}, 0}), last = y.with_view({{3}, {8}, 24}), middle = y.with_view({{3}, {8}, 16});
  CHECK(launches_of([&] { last.assign(apply(Op::add, {first, 1.0})); }) == 1);  // of another part
  CHECK(values<double>(y) == std::vector<double>{1, 2, 3, 2, 3, 4});
  const Array held = apply(Op::add, {first, 1.0});
  last.assign(apply(Op::negative, {held}));
  first.assign(apply(Op::negative, {middle}));  // which overlaps
  CHECK(values<double>(held) == std::vector<double>{2, 3, 4});
  CHECK(values<double>(y) == std::vector<double>{-3, 2, 3, -2, -3, -4});
  few_at_once = true;
}

TEST_CASE("array: overlapping parts of one array move as if copied first") {
  const Array x = copy(range(6));
  x.data();
  x.with_view({{5}, {8}, 8}).assign(x.with_view({{5}, {8}, 0}));
  CHECK(values<double>(x) == std::vector<double>{0, 0, 1, 2, 3, 4});
}

TEST_CASE("array: views of pending values compose") {
  const Array x = reshape(range(12), {3, 4});
  const Array y = apply(Op::multiply, {x, 2});
  CHECK(values<double>(transpose(y)) == std::vector<double>{0, 8, 16, 2, 10, 18, 4, 12, 20, 6, 14, 22});
  CHECK(values<double>(apply(Op::add, {flip(y), 1})) ==
        std::vector<double>{23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1});
  CHECK(values<double>(reduce(ReduceOp::sum, y, {{{0}}, false})) == std::vector<double>{24, 30, 36, 42});
  CHECK(values<double>(reduce(ReduceOp::sum, y, {{{1}}, false})) == std::vector<double>{12, 44, 76});
}

TEST_CASE("reduce: exact for integers at sizes around the chunk") {
  for (int64_t n : {1, 2, 1023, 1024, 1025, 8191, 8192, 8193, 100000, 8192 * 9 + 5})
    CHECK(values<int64_t>(reduce(ReduceOp::sum, range(n, Dtype::int64)))[0] == n * (n - 1) / 2);
}

TEST_CASE("random: a leaf has the same numbers stored, sliced and fused") {
  Generator generator(7);
  for (Dtype dtype : {Dtype::float32, Dtype::float64}) {
    const Array x = generator.uniform({10000}, dtype, device("cpu"));
    const Array total = reduce(ReduceOp::sum, x, {}, Dtype::float64);
    const Array part = x.with_view({{100}, {3 * static_cast<int64_t>(x.itemsize())}, static_cast<int64_t>(x.itemsize())});
    const auto sliced = values<double>(astype(part, Dtype::float64));
    const auto all = values<double>(astype(x, Dtype::float64));
    for (int i = 0; i < 100; ++i) CHECK(sliced[static_cast<size_t>(i)] == all[static_cast<size_t>(1 + 3 * i)]);
    double sum = 0;
    for (double v : all) sum += v;
    CHECK(values<double>(total)[0] == doctest::Approx(sum).epsilon(1e-12));
    CHECK(sum / 10000 == doctest::Approx(0.5).epsilon(0.02));
  }
}

TEST_CASE("random: pi without memory") {
  Generator generator(1);
  const int64_t n = 20'000'000;
  const Array x = generator.uniform({n}, Dtype::float64, device("cpu"));
  const Array y = generator.uniform({n}, Dtype::float64, device("cpu"));
  const Array inside = apply(Op::less, {apply(Op::add, {apply(Op::multiply, {x, x}), apply(Op::multiply, {y, y})}), 1.0});
  const double pi = 4 * static_cast<double>(values<int64_t>(reduce(ReduceOp::count_nonzero, inside))[0]) / n;
  CHECK(std::abs(pi - M_PI) < 6 * 1.64 / std::sqrt(n));
  CHECK(x.is_pending());
}

TEST_CASE("array: threads may share pending arrays") {
  const Array x = range(5000);
  const Array y = apply(Op::sqrt, {apply(Op::add, {x, 1})});
  const Array z = apply(Op::multiply, {y, y});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      const auto got = values<double>(t % 2 ? y : z);
      for (size_t i = 0; i < got.size(); ++i) {
        const double expected = std::sqrt(static_cast<double>(i) + 1);
        wrong += got[i] != (t % 2 ? expected : expected * expected);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}
