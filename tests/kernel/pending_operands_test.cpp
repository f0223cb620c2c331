/// Pending operands of users' kernels over elements are computed where the kernel reads them.
#include "kasoku/array/array.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/first_sight.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/stats.h"
#include "kasoku/kernel/elementwise.h"
#include "kasoku/kernel/reduction.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace kasoku;

namespace {

struct NothingIsFew {
  NothingIsFew() { first_sight = FirstSight::never; }
  ~NothingIsFew() { first_sight = FirstSight::without_kernel; }
};

uint64_t fused() { return stats().operands_fused.load(); }

}  // namespace

TEST_CASE("elementwise and reduction kernels compute what is pending, and settle it where they would write what it reads") {
  const NothingIsFew nothing;
  constexpr int64_t n = 5000;
  const Array x = copy(arange(Scalar::of(0), Scalar::of(1), n, Dtype::float64, device("cpu")));
  x.data();
  const ElementwiseKernel f("T a, T b", "T z", "z = a * b + 1");
  const auto twice = [&] { return apply(Op::multiply, {x, 2.0}); };

  uint64_t before = fused();
  const Array pending = twice();
  const Array z = f({Argument::to_read(pending), Argument::to_read(x)})[0];
  CHECK(fused() == before + 1);
  CHECK(pending.is_pending());
  const auto* values = static_cast<const double*>(z.data_for_read());
  bool is_right = true;
  for (int64_t i = 0; i < n; ++i) is_right &= values[i] == std::fma(2.0 * static_cast<double>(i), static_cast<double>(i), 1.0);
  CHECK(is_right);

  before = fused();
  const ReductionKernel total("T a", "T z", "a", "a + b", "z = a", "0");
  const Array doubled = twice();
  const Array sum = total({Argument::to_read(doubled)})[0];
  CHECK(fused() == before + 1);
  CHECK(*static_cast<const double*>(sum.data_for_read()) == static_cast<double>(n) * (n - 1));

  // The output is what the operand is made of.
  before = fused();
  const Array again = twice();
  f({Argument::to_read(again), Argument::to_read(again), Argument(x)});
  CHECK(fused() == before);
  const auto* after = static_cast<const double*>(x.data_for_read());
  for (int64_t i : {int64_t{0}, int64_t{1}, n - 1}) CHECK(after[i] == 4.0 * static_cast<double>(i) * static_cast<double>(i) + 1);
}
