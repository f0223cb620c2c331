/// The text that a group has on a GPU gives the bits that it gives on a CPU. The kernel
/// language is one, so the text runs here on the CPU; tests/python repeats it on a GPU.
#include "kasoku/array/array.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/random.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/run.h"
#include "kasoku/array/shape.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/nvrtc.h"
#include "kasoku/kernel/headers.h"
#include "kasoku/kernel/reduction.h"
#include "kasoku/kernel/scan.h"
#include "kasoku/kernel/signature.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>

using namespace kasoku;

namespace {

std::string bits(const Array& array) {
  const Array flat = contiguous(array);
  return {static_cast<const char*>(flat.data_for_read()), static_cast<size_t>(flat.size()) * info(flat.dtype()).size};
}

/// The same work in both forms.
void check_equal(const std::function<Array()>& work) {
  default_generator().seed(7);
  const std::string expected = bits(work());
  use_gpu_form = true;
  default_generator().seed(7);
  std::string found;
  try {
    found = bits(work());
  } catch (...) {
    use_gpu_form = false;
    throw;
  }
  use_gpu_form = false;
  CHECK(found.size() == expected.size());
  CHECK(found == expected);
}

Array stored(int64_t n, Dtype dtype) {
  const Array x = copy(astype(default_generator().normal({n}, Dtype::float64, device("cpu")), Dtype::float64));
  const Array scaled = copy(astype(apply(Op::multiply, {x, 100.0}), dtype));
  scaled.data();
  return scaled;
}

constexpr int64_t lengths[] = {1, 3, 4, 1023, 1024, 8191, 8192, 8193, 16384 * 3 + 5, 100'000};

}  // namespace

TEST_CASE("array: elementwise text for a GPU gives the same bits, aligned or not, full or not") {
  for (Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::int32, Dtype::int64, Dtype::int8, Dtype::float16}) {
    CAPTURE(info(dtype).name);
    for (int64_t n : lengths) {
      CAPTURE(n);
      const Array x = stored(n + 3, dtype), y = stored(n + 3, dtype);
      const auto step = static_cast<int64_t>(info(dtype).size);
      const auto part = [&](const Array& of, int64_t from) { return of.with_view({{n}, {step}, from * step}); };
      check_equal([&] { return apply(Op::add, {apply(Op::multiply, {part(x, 0), part(y, 0)}), part(x, 0)}); });
      check_equal([&] { return apply(Op::subtract, {part(x, 1), part(y, 3)}); });
    }
  }
}

TEST_CASE("array: threads that take four neighbours twice give the same bits, and write nothing beside") {
  constexpr int64_t many = 1 << 20, of_block = 8 * 256;
  for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::float16})
    for (int64_t n : {many, many + 1, many + of_block / 2 + 3, many + of_block - 4}) {
      CAPTURE(n);
      const Array x = stored(n + 2, dtype);
      const auto step = static_cast<int64_t>(info(dtype).size);
      for (int64_t from : {0, 1}) {
        const View view{{n}, {step}, from * step};
        const auto wave = [&] { return apply(Op::add, {apply(Op::sin, {x.with_view(view)}), 1}); };
        check_equal(wave);
        check_equal([&] {
          const Array to = copy(x);
          to.data();
          to.with_view(view).assign(wave());
          return to;
        });
      }
    }
}

TEST_CASE("array: rows in memory of any layout give the same bits in the text for a GPU") {
  for (Dtype dtype : {Dtype::float32, Dtype::int16, Dtype::float64})
    for (const auto& [rows, columns] : {std::pair{6, 64}, {5, 67}, {40, 3}, {3, 1030}, {70, 70}}) {
      CAPTURE(rows);
      CAPTURE(columns);
      const auto step = static_cast<int64_t>(info(dtype).size);
      const Array memory = stored(4 * (rows + 1) * (columns + 1), dtype);
      const auto view = [&](int64_t from, int64_t along) {
        return memory.with_view({{rows, columns}, {2 * (columns + 1) * step, along * step}, from * step});
      };
      const Array turned = memory.with_view({{rows, columns}, {step, rows * step}, 0}), row = memory.with_view({{columns}, {step}, step});
      for (const Array& x : {view(0, 1), view(1, 1), view(0, 2), turned})
        for (const Array& y : {view(2, 1), row, turned}) check_equal([&] { return apply(Op::subtract, {apply(Op::add, {x, x}), y}); });
      check_equal([&] { return apply(Op::add, {view(0, 1), default_generator().uniform({rows, columns}, Dtype::float64, device("cpu"))}); });
    }
}

TEST_CASE("array: a reduction's text for a GPU gives the same bits") {
  for (Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::int32, Dtype::int8, Dtype::float16}) {
    CAPTURE(info(dtype).name);
    for (int64_t n : lengths) {
      CAPTURE(n);
      const Array x = stored(n + 1, dtype);
      const auto step = static_cast<int64_t>(info(dtype).size);
      for (int64_t from : {int64_t{0}, step}) {
        const Array part = x.with_view({{n}, {step}, from});
        check_equal([&] { return reduce(ReduceOp::sum, part); });
        check_equal([&] { return reduce(ReduceOp::argmin, part); });
        check_equal([&] { return reduce(ReduceOp::var, part); });
        check_equal([&] { return var(apply(Op::multiply, {part, part})); });
        check_equal([&] { return reduce(ReduceOp::max, apply(Op::multiply, {part, part})); });
        check_equal([&] { return reduce(ReduceOp::count_nonzero, apply(Op::greater, {part, 0})); });
        for (const Dtype wanted : {Dtype::float32, Dtype::float64}) check_equal([&] { return mean(apply(Op::greater, {part, 0}), {}, wanted); });
      }
    }
  }
}

TEST_CASE("array: blocks of a GPU have room for the lanes of every reduction") {
  constexpr int64_t room = 48 << 10;
  few_at_once = false;
  int looked_at = 0;
  for (Dtype dtype : {Dtype::bool_, Dtype::int8, Dtype::float16, Dtype::float32, Dtype::float64, Dtype::complex64, Dtype::complex128})
    for (ReduceOp op : {ReduceOp::sum, ReduceOp::max, ReduceOp::argmin})
      for (const auto& [rows, columns] : {std::pair{int64_t{2}, int64_t{20'000}}, {9000, 300}}) {
        CAPTURE(info(dtype).name);
        CAPTURE(static_cast<int>(op));
        CAPTURE(columns);
        const Array x = full({rows, columns}, Scalar::of(1), dtype, device("cpu"));
        x.data();
        for (int axis : {0, 1}) {
          const Array result = reduce(op, x, {.axes = {{axis}}});
          const auto expression = result.input().node->expression.load();
          if (!expression || expression->kind != Expression::reduce) continue;  // of half floats a cast stands behind it
          use_gpu_form = true;
          CHECK(group_kernel(fuse_reduce(*expression), device("cpu")).attribute("shared_size_bytes") <= room);
          use_gpu_form = false;
          ++looked_at;
        }
      }
  few_at_once = true;
  CHECK(looked_at >= 60);
}

TEST_CASE("array: four columns of a thread reduce to the same bits") {
  // So many columns that a thread has four; the outer axis stays where it is, so that they take little memory.
  const int64_t step = 4, columns = 132;
  const Array memory = stored(8195 * columns + 1, Dtype::float32);
  // Blocks have parts of the lanes of long columns.
  for (const auto& [from, rows] : {std::pair{int64_t{0}, int64_t{8192}}, {0, 8195}, {step, 4099}, {step, 64}, {0, 8195 - 8192}}) {
    CAPTURE(rows);
    const Array x = memory.with_view({{250, rows, columns}, {0, columns * step, step}, from});
    for (ReduceOp op : {ReduceOp::sum, ReduceOp::max, ReduceOp::var}) check_equal([&] { return reduce(op, x, {.axes = {{1}}}); });
  }
}

TEST_CASE("kernel: users' scans have the same bits in the text for a GPU") {
  const KernelType type{"float", Dtype::float32, 4};
  const ScanKernel inclusive(ScanKind::inclusive, type, "a + b"), exclusive(ScanKind::exclusive, type, "a + b", "3");
  for (const int64_t length : {1, 31, 1024, 1025, 35000, 360000}) {
    CAPTURE(length);
    const Array x = stored(length, Dtype::float32);
    for (const ScanKernel* kernel : {&inclusive, &exclusive})
      check_equal([&] {
        const Array to = Array::empty({length}, Dtype::float32, device("cpu"));
        (*kernel)(x, to);
        return to;
      });
  }
}

TEST_CASE("kernel: users' reductions have the same bits in the text for a GPU, and those of arrays") {
  const ReductionKernel sum("T x", "T y", "x", "a + b", "y = a", "0"), largest("T x", "T y", "x", "max(a, b)", "y = a", ""),
      called("T x", "T y", "twice(x)", "a + b", "y = a", "0", "", {.preamble = "__device__ float twice(float x) { return 2 * x; }"}),
      dot({"float", Dtype::float32, 4}, "0", "a + b", "x[i] * x[i]", parse_pointer_parameters("float *x"));
  for (const auto& [rows, columns] : {std::pair{300, 120}, {1000, 3}, {3, 1000}, {5000, 7}, {7, 9000}, {9000, 40}, {700, 33}, {1, 1}}) {
    CAPTURE(rows);
    CAPTURE(columns);
    const Array x = reshape(stored(int64_t{rows} * columns, Dtype::float32), {rows, columns});
    for (int axis : {0, 1})
      for (const ReductionKernel* kernel : {&sum, &largest, &called}) {
        ReductionCall call;
        call.axes = {axis};
        check_equal([&] { return (*kernel)({x}, call)[0]; });
        if (kernel == &sum) CHECK(bits(sum({x}, call)[0]) == bits(reduce(ReduceOp::sum, x, {.axes = {{axis}}})));
      }
    check_equal([&] { return dot({x})[0]; });
  }
}

TEST_CASE("kernel: users' reductions to types that have no value to begin with are kernels for both devices") {
  const ReductionKernel product("T x", "T y", "x * x", "a + b", "y = a", ""),
      range("T x", "T y", "own(x)", "join(a, b)", "y = a.high - a.low", "own(0, 0)", "own",
            {.preamble = "struct own { float low, high; __device__ own(float x) : low(x), high(x) {} __device__ own(float l, float h) : low(l), high(h) {} };"
                         "__device__ own join(own a, own b) { return own(min(a.low, b.low), max(a.high, b.high)); }"});
  for (const auto& [kernel, dtype] : {std::pair{&product, Dtype::complex64}, {&range, Dtype::float32}}) {
    for (const auto& [rows, columns] : {std::pair{300, 40}, {3, 9000}}) {
      const Array x = reshape(stored(int64_t{rows} * columns, dtype), {rows, columns});
      for (int axis : {0, 1}) {
        ReductionCall call;
        call.axes = {axis};
        check_equal([&] { return (*kernel)({x}, call)[0]; });
      }
    }
    if (!nvrtc_missing().empty()) continue;
    for (const std::string& text : kernel->texts()) {
      if (text.find("threadIdx") == text.npos) continue;
      Program program;
      program.text = text;
      add_headers(program);
      CHECK_NOTHROW(nvrtc_compile(program, "sm_90"));
    }
  }
}

TEST_CASE("array: rows and columns reduce to the same bits in the text for a GPU") {
  for (const auto& [rows, columns] : {std::pair{300, 120}, {120, 300}, {1000, 3}, {3, 1000}, {64, 256}, {257, 65}, {5, 1}}) {
    CAPTURE(rows);
    CAPTURE(columns);
    const Array x = reshape(stored(rows * columns, Dtype::float32), {rows, columns});
    for (int64_t axis : {0, 1})
      for (ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::argmax, ReduceOp::var})
        check_equal([&] { return reduce(op, x, {.axes = {{axis}}}); });
  }
  const Array cube = reshape(stored(20 * 30 * 10, Dtype::float64), {20, 30, 10});
  for (const std::vector<int64_t>& axes : {std::vector<int64_t>{0}, {1}, {2}, {0, 2}, {1, 2}})
    for (ReduceOp op : {ReduceOp::sum, ReduceOp::var}) check_equal([&] { return reduce(op, cube, {.axes = axes}); });
  const Array wide = reshape(stored(3 * 20'000, Dtype::float64), {3, 20'000});
  check_equal([&] { return reduce(ReduceOp::sum, wide, {.axes = {{1}}}); });
}

TEST_CASE("array: many short rows reduce to the same bits in the text for a GPU") {
  for (int64_t length : {1, 2, 3, 5, 8, 15, 16, 17})
    for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::int8}) {
      CAPTURE(length);
      const Array x = reshape(stored(5000 * length, dtype), {5000, length});
      for (ReduceOp op : {ReduceOp::sum, ReduceOp::max, ReduceOp::argmin, ReduceOp::var}) {
        check_equal([&] { return reduce(op, x, {.axes = {{1}}}); });
        check_equal([&] { return reduce(op, apply(Op::multiply, {x, x}), {.axes = {{1}}}); });
      }
    }
}

TEST_CASE("array: columns reduce to the bits of rows with the same elements, in both forms") {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{2, 4}, {3, 33}, {7, 9}, {8, 64}, {9, 1100}, {100, 40}, {1023, 8}, {1024, 31}, {1025, 65},
                                      {5000, 12}, {8191, 5}, {8192, 37}, {8200, 33}, {16'390, 10}})
    for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::int8, Dtype::float16}) {
      CAPTURE(rows);
      CAPTURE(columns);
      CAPTURE(info(dtype).name);
      const Array x = reshape(stored(rows * columns, dtype), {rows, columns}), turned = contiguous(copy(transpose(x)));
      for (ReduceOp op : {ReduceOp::sum, ReduceOp::max, ReduceOp::argmin, ReduceOp::var}) {
        const Array of_columns = reduce(op, x, {.axes = {{0}}}), of_rows = reduce(op, turned, {.axes = {{1}}});
        CHECK(bits(of_columns) == bits(of_rows));
        check_equal([&] { return reduce(op, x, {.axes = {{0}}}); });
        const Operand scale = op == ReduceOp::var ? Operand(apply(Op::multiply, {x, 0.01})) : x;  // squares of halves are infinite, and a NaN's bits free
        check_equal([&] { return reduce(op, apply(Op::multiply, {x, scale}), {.axes = {{0}}}); });
      }
    }
  // Rows of two chunks, whose results with their positions are many rows of two: each row begins an element further.
  const Array memory = stored(4100 + 8200, Dtype::float32), rows = memory.with_view({{4100, 8200}, {4, 4}, 0});
  for (ReduceOp op : {ReduceOp::sum, ReduceOp::argmax}) check_equal([&] { return reduce(op, rows, {.axes = {{1}}}); });
  // A position counts among equal elements, and a NaN goes first.
  Array equal = reshape(stored(3000 * 9, Dtype::float32), {3000, 9});
  equal = copy(apply(Op::where, {apply(Op::greater, {equal, 50.0}), 1.0, 0.0}));
  const Array with_nan = copy(apply(Op::where, {apply(Op::greater, {equal, 0.5}), std::nan(""), 2.0}));
  for (const Array& x : {equal, with_nan})
    for (ReduceOp op : {ReduceOp::argmax, ReduceOp::argmin}) {
      check_equal([&] { return reduce(op, x, {.axes = {{0}}}); });
      CHECK(bits(reduce(op, x, {.axes = {{0}}})) == bits(reduce(op, contiguous(copy(transpose(x))), {.axes = {{1}}})));
    }
}

TEST_CASE("array: elements taken by arrays are the same in the text for a GPU") {
  for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::int8, Dtype::float16})
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{300, 70}, {70, 301}, {5000, 5}, {40'000, 1}}) {
      CAPTURE(rows);
      CAPTURE(columns);
      const Array x = reshape(stored(rows * columns, dtype), {rows, columns});
      Index at, all;
      at.kind = Index::array, all.kind = Index::slice;
      at.array_value = copy(apply(Op::floor_divide, {astype(stored(700, Dtype::int32), Dtype::int64), 10}));  // some count from the end
      at.array_value = copy(apply(Op::remainder, {*at.array_value, rows}));
      check_equal([&] { return get_view(x, {at}); });
      check_equal([&] { return apply(Op::add, {get_view(x, {at}), get_view(x, {at})}); });
      check_equal([&] { return reduce(ReduceOp::sum, get_view(x, {at}), {.axes = {{0}}}); });
      check_equal([&] { return reduce(ReduceOp::max, get_view(x, {at}), {.axes = {{1}}}); });
      check_equal([&] { return reduce(ReduceOp::sum, get_view(x, {at})); });
      at.array_value = copy(apply(Op::remainder, {*at.array_value, columns}));
      check_equal([&] { return get_view(x, {all, at}); });
      check_equal([&] { return apply(Op::multiply, {get_view(transpose(x), {at}), 2}); });
    }
}

TEST_CASE("array: random leaves give the same bits in the text for a GPU") {
  Device& cpu = device("cpu");
  for (Dtype dtype : {Dtype::float64, Dtype::float32})
    for (int64_t n : lengths) {
      CAPTURE(n);
      check_equal([&] { return default_generator().uniform({n}, dtype, cpu); });
      check_equal([&] {
        const Array x = default_generator().uniform({n}, dtype, cpu), y = default_generator().uniform({n}, dtype, cpu);
        const Array r2 = apply(Op::add, {apply(Op::multiply, {x, x}), apply(Op::multiply, {y, y})});
        return reduce(ReduceOp::count_nonzero, apply(Op::less, {r2, 1.0}));
      });
      const Array stored_x = stored(n, dtype);
      check_equal([&] { return reduce(ReduceOp::sum, apply(Op::multiply, {stored_x, default_generator().normal({n}, dtype, cpu)})); });
    }
}
