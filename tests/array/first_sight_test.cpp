/// Beside the host a new group runs operation by operation if their kernels are there. The kernel language is one, so this
/// way runs here on the CPU, whose groups take the form that they have on a GPU.
#include "kasoku/array/array.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/first_sight.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/random.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/compile/background.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/stats.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

using namespace kasoku;

namespace {

struct GpuForm {
  GpuForm() { use_gpu_form = true; }
  ~GpuForm() {
    use_gpu_form = false;
    first_sight = FirstSight::without_kernel;
  }
};

std::string bits(const Array& array) {
  const Array flat = contiguous(array);
  return {static_cast<const char*>(flat.data_for_read()), static_cast<size_t>(flat.nbytes())};
}

uint64_t by_operations() { return stats().groups_by_operations.load(); }

Array numbers(const Shape& shape, Dtype dtype) {
  const Array x = astype(apply(Op::multiply, {default_generator().normal(shape, Dtype::float64, device("cpu")), 10.0}), dtype);
  x.data();
  return x;
}

/// Operation by operation, then by one kernel.
void check_both(const std::function<Array()>& work) {
  {
    const EagerScope alone(true);  // compiles the operations' kernels
    default_generator().seed(3);
    bits(work());
  }
  first_sight = FirstSight::always;  // whatever ran before
  bits(work());                      // asks for the kernels of operations that are not there yet
  finish_background();
  default_generator().seed(3);
  const uint64_t before = by_operations();
  const std::string found = bits(work());
  CHECK(by_operations() == before + 1);
  first_sight = FirstSight::never;
  default_generator().seed(3);
  const std::string expected = bits(work());
  first_sight = FirstSight::without_kernel;
  CHECK(found == expected);
}

}  // namespace

TEST_CASE("first sight: beside the host, operations have the bits of their group") {
  const GpuForm form;
  for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::int32}) {
    CAPTURE(info(dtype).name);
    const Array x = numbers({60, 50}, dtype), y = numbers({60, 50}, dtype), row = numbers({50}, dtype);
    check_both([&] { return apply(Op::add, {apply(Op::multiply, {x, 2}), y}); });
    check_both([&] { return apply(Op::maximum, {apply(Op::subtract, {x, row}), apply(Op::multiply, {y, row})}); });
    check_both([&] { return reduce(ReduceOp::sum, apply(Op::multiply, {x, y}), {}); });
    check_both([&] { return reduce(ReduceOp::max, apply(Op::subtract, {x, y}), Over{.axes = Extents{0}}); });
    check_both([&] { return astype(apply(Op::add, {apply(Op::multiply, {x, 3}), 1}), Dtype::int64); });
  }
}

TEST_CASE("first sight: beside the host, results that are computed in memory's order lie in theirs") {
  const GpuForm form;
  const Array x = transpose(numbers({40, 50, 60}, Dtype::int16), Extents{0, 2, 1});
  check_both([&] { return reduce(ReduceOp::sum, x, Over{.axes = Extents{0}}); });
  check_both([&] { return reduce(ReduceOp::max, apply(Op::subtract, {apply(Op::multiply, {x, 3}), x}), Over{.axes = Extents{0}}); });
}

TEST_CASE("first sight: beside the host, what lacks an operation's kernel has its own, and the operation's is compiled") {
  const GpuForm form;
  const Array x = numbers({3000}, Dtype::int16), y = numbers({3000}, Dtype::int16);
  const auto first = [&] { return apply(Op::bitwise_xor, {apply(Op::bitwise_and, {x, y}), x}); };
  const auto second = [&] { return apply(Op::bitwise_and, {apply(Op::bitwise_xor, {x, y}), y}); };
  const auto run = [](const Array& pending) {  // how many groups ran by operations, and kernels were compiled
    const uint64_t operations = by_operations(), compiles = stats().compiles.load();
    pending.data_for_read();
    finish_background();
    return std::pair(by_operations() - operations, stats().compiles.load() - compiles);
  };
  const auto [operations, compiles] = run(first());
  CHECK((operations == 1) == (compiles == 0));  // none where an earlier run left them in the cache
  run(apply(Op::invert, {apply(Op::bitwise_xor, {x, y})}));
  run(apply(Op::invert, {apply(Op::bitwise_xor, {x, y})}));
  CHECK(run(second()).first == 1);
}
