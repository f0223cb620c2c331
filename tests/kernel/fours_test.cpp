/// The form with four elements a thread, which a GPU gets; here it runs on the CPU.
#include "kasoku/kernel/element_text.h"

#include "kasoku/array/array.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/fuse.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace kasoku;

namespace {

Array range(int64_t n, Dtype dtype) {
  const Array x = copy(arange(Scalar::of(1), Scalar::of(1), n, dtype, device("cpu")));
  x.data();
  return x;
}

Array part(const Array& x, int64_t from, int64_t n) {
  const auto size = static_cast<int64_t>(info(x.dtype()).size);
  return x.with_view({{n}, {size}, from * size});
}

struct GpuForm {
  GpuForm() { use_gpu_form = true; }
  ~GpuForm() { use_gpu_form = false; }
};

bool has_fours(const ElementwiseKernel& kernel) {
  for (const std::string& text : kernel.texts())
    if (text.find("ks_four") != text.npos) return true;
  return false;
}

template <class T>
std::vector<T> values(const Array& array) {
  const T* first = static_cast<const T*>(array.data_for_read());
  return std::vector<T>(first, first + array.size());
}

}  // namespace

TEST_CASE("elementwise: four elements a thread give what one gives, aligned or not, full or not") {
  const GpuForm form;
  const ElementwiseKernel f("T x, T y, T k", "T z, bool b", "z = k * x - y + i; b = z > 0;");
  for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::int8, Dtype::int16})
    for (int64_t n : {1, 2, 3, 4, 5, 8, 1023, 1024, 1025, 4099})
      for (int64_t from : {0, 1, 3}) {
        CAPTURE(info(dtype).name);
        CAPTURE(n);
        const Array x = part(range(n + 3, dtype), from, n), y = part(range(n + 3, dtype), 0, n);
        const std::vector<Array> out = f({x, y, 2});
        const auto found = values<double>(copy(astype(out[0], Dtype::float64)));
        const auto flags = values<bool>(out[1]);
        bool is_right = true;
        for (int64_t i = 0; i < n; ++i) {
          double expected = 2.0 * static_cast<double>(i + 1 + from) - static_cast<double>(i + 1) + static_cast<double>(i);
          if (dtype == Dtype::int8) expected = static_cast<int8_t>(2 * static_cast<int8_t>(i + 1 + from) - static_cast<int8_t>(i + 1) + i);
          if (dtype == Dtype::int16) expected = static_cast<int16_t>(expected);
          is_right &= found[static_cast<size_t>(i)] == expected && flags[static_cast<size_t>(i)] == (expected > 0);
        }
        CHECK(is_right);
      }
  CHECK(has_fours(f));
}

TEST_CASE("elementwise: four elements of a row a thread, whatever lies between rows and elements") {
  const GpuForm form;
  const ElementwiseKernel f("T x, T y", "T z", "z = 1000 * x + y + i");
  for (const auto& [rows, columns] : {std::pair{5, 64}, {3, 65}, {7, 131}, {2, 1026}}) {
    const int64_t width = columns + 3;
    const Array memory = range(rows * 2 * width, Dtype::float64), out = range(rows * 2 * width, Dtype::float64);
    for (const auto& [from, step] : {std::pair{0, 1}, {1, 1}, {0, 2}, {2 * columns, -1}}) {
      CAPTURE(columns);
      CAPTURE(step);
      const auto view = [&](const Array& of, int64_t first, int64_t along) {
        return of.with_view({{rows, columns}, {16 * width, 8 * along}, 8 * first});
      };
      const Array row = memory.with_view({{columns}, {8}, 8}), column = memory.with_view({{rows, 1}, {16 * width, 8}, 0});
      for (const Array& y : {view(memory, 3, 1), row, column})
        for (const Array& z : {view(out, 0, 1), view(out, 1, 2)}) {
          f({view(memory, from, step), y, z});
          const auto found = values<double>(copy(z));
          const double* base = static_cast<const double*>(memory.data_for_read());
          bool is_right = true;
          for (int64_t r = 0; r < rows; ++r)
            for (int64_t c = 0; c < columns; ++c) {
              const double x = base[2 * width * r + from + step * c];
              const double y_here = y.ndim() == 1 ? base[1 + c] : y.shape()[1] == 1 ? base[2 * width * r] : base[2 * width * r + 3 + c];
              is_right &= found[static_cast<size_t>(r * columns + c)] == 1000 * x + y_here + static_cast<double>(r * columns + c);
            }
          CHECK(is_right);
        }
    }
  }
  CHECK(has_fours(f));
}

TEST_CASE("elementwise: an output in place, and outputs that are read first") {
  const GpuForm form;
  const ElementwiseKernel twice("T x", "T y", "y = 2 * x");
  const Array x = range(10, Dtype::float32);
  twice({x, x});
  CHECK(values<float>(x) == std::vector<float>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20});
  CHECK(has_fours(twice));
  const ElementwiseKernel add("T x", "T y", "y += x");
  const Array y = range(10, Dtype::float32);
  add({x, y});
  CHECK(values<float>(y) == std::vector<float>{3, 6, 9, 12, 15, 18, 21, 24, 27, 30});
  CHECK_FALSE(has_fours(add));
}

TEST_CASE("elementwise: which operations always assign") {
  const auto always = [](const char* operation) {
    Parameter y;
    y.type = "T";
    y.name = "y";
    const BodyTraits traits = traits_of({}, operation, {y});
    return traits.is_straight && traits.assigns_first;
  };
  CHECK(always("y = x"));
  CHECK(always(" T t = x; y = t * t; y += 1;"));
  CHECK(always("y = x > 0 ? x : -x"));
  CHECK_FALSE(always("y == x"));
  CHECK_FALSE(always("if (x > 0) y = x"));
  CHECK_FALSE(always("x > 0 && (y = x)"));
  CHECK_FALSE(always("{ y = x; }"));
  CHECK_FALSE(always("f(&y); y = x"));
  CHECK_FALSE(always("T t = y; y = t"));
  CHECK_FALSE(always("x > 0 ? y = 1 : y = 2"));
  CHECK_FALSE(always("// y\ny = x"));
  CHECK_FALSE(always("yy = x"));
}
