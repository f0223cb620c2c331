/// Large arrays that are changed as a whole keep their memory, also while other threads read the value.
#include "kasoku/array/in_place.h"

#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/compile/backends.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

using namespace kasoku;

namespace {

constexpr int64_t n = 1 << 20;

Array ones() {
  Array x = full({n}, Scalar::of(1.0), Dtype::float64, device("cpu"));
  x.data();
  return x;
}

bool are_all(const Array& x, double value) {
  const auto* first = static_cast<const double*>(x.data_for_read());
  return std::all_of(first, first + x.size(), [=](double each) { return each == value; });
}

}  // namespace

TEST_CASE("in place: a sum lies where its operand was, unless somebody else reads that") {
  const Array x = ones();
  const void* const memory = x.data();
  apply_in_place(Op::add, x, 1);
  CHECK(are_all(x, 2));
  CHECK(x.data_for_read() == memory);
  const Array twice = apply(Op::multiply, {x, 2});
  apply_in_place(Op::add, x, 1);
  CHECK(are_all(x, 3));
  CHECK(x.data_for_read() != memory);
  CHECK(are_all(twice, 4));
}

TEST_CASE("in place: threads make the value a part of theirs while it is computed") {
  constexpr int n_readers = 3;
  for (int round = 0; round < 20; ++round) {
    const Array x = ones();
    apply_in_place(Op::add, x, 1);
    std::atomic<int> waiting{0}, right{0};
    const auto together = [&](auto&& read) {
      ++waiting;
      while (waiting.load() <= n_readers) std::this_thread::yield();
      right += read();
    };
    std::vector<std::thread> threads;
    threads.emplace_back([&] { together([&] { return are_all(x, 2); }); });
    for (int i = 0; i < n_readers; ++i) threads.emplace_back([&] { together([&] { return are_all(apply(Op::multiply, {x, 3}), 6); }); });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == n_readers + 1);
  }
}
