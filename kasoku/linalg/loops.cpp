/// Products by own loops: integers and booleans, which no library has, and all
/// dtypes on a machine without a library.
#include "kasoku/base/elements.h"
#include "kasoku/base/error.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/linalg/cpu.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

namespace kasoku::linalg {
namespace {

/// Integers are multiplied without sign: the bits are the same and wrapping is defined.
/// Narrow ones would be promoted to int, whose overflow is not.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T> && sizeof(T) < 4, uint32_t, T>;

/// The elements row by row: where they lie, or gathered.
template <class T>
class Rows {
 public:
  Rows(const Matrices& x, int64_t rows, int64_t columns) : data_(static_cast<const T*>(x.data)) {
    constexpr auto size = static_cast<int64_t>(sizeof(T));
    const bool are_in_order = (columns == 1 || x.column_stride == size) && (rows == 1 || x.row_stride == columns * size);
    if (are_in_order && reinterpret_cast<uintptr_t>(x.data) % alignof(T) == 0) return;
    apart_.resize(static_cast<size_t>(rows * columns));
    const int64_t lengths[] = {rows, columns}, to[] = {columns * size, size}, from[] = {x.row_stride, x.column_stride};
    Elements{lengths, 2, sizeof(T)}.copy(reinterpret_cast<char*>(apart_.data()), to, static_cast<const char*>(x.data), from);
    data_ = apart_.data();
  }
  const T* data() const { return data_; }

 private:
  const T* data_;
  std::vector<T> apart_;
};

/// A row of a and the only column of b, where they lie.
struct Line {
  const char *a, *b;
  int64_t a_step, b_step, length;

  template <class T>
  bool are_neighbours() const { return a_step == sizeof(T) && b_step == sizeof(T); }
};

template <class T>
T element(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// The sum of products of two lines, added as product() adds it to a row of sums.
template <class T>
T line_product(const Line& x) {
  T sum{};
  const auto add = [&](int64_t a, int64_t b) { sum = static_cast<T>(Wide<T>(sum) + Wide<T>(element<T>(x.a + a)) * Wide<T>(element<T>(x.b + b))); };
  constexpr auto size = static_cast<int64_t>(sizeof(T));
  if (x.are_neighbours<T>())
    for (int64_t k = 0; k < x.length; ++k) add(k * size, k * size);
  else
    for (int64_t k = 0; k < x.length; ++k) add(k * x.a_step, k * x.b_step);
  return sum;
}

/// Whether somewhere both are true; that is often soon known.
bool line_meets(const Line& x) {
  for (int64_t k = 0; k < x.length; ++k)
    if (x.a[k * x.a_step] && x.b[k * x.b_step]) return true;
  return false;
}

/// c = a @ b for one column b, of which `join` makes an element. The column is put in order where more than one row meets it.
template <class T, class Join>
void column_product(const Matmul& p, Join&& join) {
  std::optional<Rows<T>> column;
  if (p.m > 1) column.emplace(p.b, p.k, 1);
  const auto* const b = column ? reinterpret_cast<const char*>(column->data()) : static_cast<const char*>(p.b.data);
  const int64_t b_step = column ? static_cast<int64_t>(sizeof(T)) : p.b.row_stride;
  const auto rows = [&](uint64_t begin, uint64_t end) {
    for (auto i = static_cast<int64_t>(begin); i < static_cast<int64_t>(end); ++i) {
      const T joined = join(Line{static_cast<const char*>(p.a.data) + i * p.a.row_stride, b, p.a.column_stride, b_step, p.k});
      std::memcpy(static_cast<char*>(p.c.data) + i * p.c.row_stride, &joined, sizeof(T));
    }
  };
  constexpr int64_t worth = 50000;
  cpu::parallel_blocks(static_cast<uint64_t>(p.m), cpu::suggested_grain(static_cast<uint64_t>(p.m), static_cast<uint64_t>(worth / std::max<int64_t>(p.k, 1) + 1)), rows);
}

template <class T>
void product(const Matmul& p) {
  if (p.n == 1) return column_product<T>(p, line_product<T>);
  // Rows of b and of the sum stay in the first-level cache.
  constexpr int64_t columns = 2048 / static_cast<int64_t>(sizeof(T)), depth = 64;
  const Rows<T> a(p.a, p.m, p.k), b(p.b, p.k, p.n);
  const auto rows = [&](uint64_t begin, uint64_t end) {
    std::vector<T> sums(static_cast<size_t>(p.n));
    for (auto i = static_cast<int64_t>(begin); i < static_cast<int64_t>(end); ++i) {
      std::fill(sums.begin(), sums.end(), T{});
      for (int64_t j0 = 0; j0 < p.n; j0 += columns) {
        const int64_t j1 = std::min(p.n, j0 + columns);
        for (int64_t k0 = 0; k0 < p.k; k0 += depth)
          for (int64_t k = k0; k < std::min(p.k, k0 + depth); ++k) {
            const T factor = a.data()[i * p.k + k];
            const T* row = b.data() + k * p.n;
            T* sum = sums.data();
            for (int64_t j = j0; j < j1; ++j)
              sum[j] = static_cast<T>(Wide<T>(sum[j]) + Wide<T>(factor) * Wide<T>(row[j]));
          }
      }
      for (int64_t j = 0; j < p.n; ++j)
        std::memcpy(static_cast<char*>(p.c.data) + i * p.c.row_stride + j * p.c.column_stride,
                    &sums[static_cast<size_t>(j)], sizeof(T));
    }
  };
  const int64_t row_work = std::max<int64_t>(p.n * p.k, 1);
  cpu::parallel_blocks(
      static_cast<uint64_t>(p.m),
      cpu::suggested_grain(static_cast<uint64_t>(p.m), static_cast<uint64_t>(50000 / row_work + 1)),
      rows);
}

void boolean_product(const Matmul& p) {
  if (p.n == 1) return column_product<uint8_t>(p, line_meets);
  const Rows<uint8_t> a(p.a, p.m, p.k), b(p.b, p.k, p.n);
  std::vector<uint8_t> sums(static_cast<size_t>(p.n));
  uint8_t* const any = sums.data();
  for (int64_t i = 0; i < p.m; ++i) {
    std::fill(sums.begin(), sums.end(), uint8_t{0});
    for (int64_t k = 0; k < p.k; ++k) {
      const uint8_t* const row = b.data() + k * p.n;
      if (a.data()[i * p.k + k])
        for (int64_t j = 0; j < p.n; ++j) any[j] |= row[j] != 0;
    }
    for (int64_t j = 0; j < p.n; ++j)
      static_cast<char*>(p.c.data)[i * p.c.row_stride + j * p.c.column_stride] =
          static_cast<char>(any[j]);
  }
}

}  // namespace

void loop_matmul(const Matmul& p) {
  switch (p.dtype) {
    case Dtype::bool_:
      return boolean_product(p);
    case Dtype::int8:
    case Dtype::uint8:
      return product<uint8_t>(p);
    case Dtype::int16:
    case Dtype::uint16:
      return product<uint16_t>(p);
    case Dtype::int32:
    case Dtype::uint32:
      return product<uint32_t>(p);
    case Dtype::int64:
    case Dtype::uint64:
      return product<uint64_t>(p);
    case Dtype::float32:
      return product<float>(p);
    case Dtype::float64:
      return product<double>(p);
    case Dtype::complex64:
      return product<std::complex<float>>(p);
    case Dtype::complex128:
      return product<std::complex<double>>(p);
    default:
      throw Error(ErrorKind::internal,
                  "loop_matmul: no loop for " + std::string(info(p.dtype).name));
  }
}

}  // namespace kasoku::linalg
