#include "kasoku/linalg/vector.h"

#include "kasoku/base/elements.h"
#include "kasoku/base/rounding.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/cpu/processor.h"
#include "kasoku/linalg/leading.h"

#include <algorithm>
#include <complex>
#include <memory>
#include <optional>

namespace kasoku::linalg {
namespace {

#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace avx2 {
constexpr size_t register_bytes = 32;
#include "kasoku/linalg/vector_lines.inc"
}  // namespace avx2
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f")
namespace avx512 {
constexpr size_t register_bytes = 64;
#include "kasoku/linalg/vector_lines.inc"
}  // namespace avx512
#pragma GCC pop_options

/// The result is made in pieces, and where those are few, so are its sums: they are added in the end.
template <class T>
void product(const Matmul& p, const T* matrix, const Leading& a, const T* vector) {
  const bool is_along_sum = !a.is_transposed, is_wide = cpu::target_architecture() == "x86-64-v4";
  const auto dots = is_wide ? avx512::dots<T, 8> : avx2::dots<T, 8>, add_lines = is_wide ? avx512::add_lines<T, 8> : avx2::add_lines<T, 8>;
  // A piece is worth a thread's time; one that is added to line by line stays in the first-level cache.
  const int64_t worth = std::max<int64_t>(65536, p.m * p.k / 32), few = 64, most = 2048, lines = 8, line = 16;
  const bool has_whole_sums = is_along_sum && p.m >= few;
  const int64_t results = has_whole_sums ? round_up(divide_up(worth, p.k), lines) : is_along_sum ? p.m : round_up(divide_up(p.m, divide_up(p.m, most)), line);
  const int64_t terms = has_whole_sums ? p.k : round_up(divide_up(worth, results), line);
  const int64_t across = divide_up(p.m, results), deep = divide_up(p.k, terms);
  T* const c = static_cast<T*>(p.c.data);
  const std::unique_ptr<T[]> sums(deep > 1 ? new T[static_cast<size_t>(deep * p.m)] : nullptr);
  cpu::parallel_blocks(static_cast<uint64_t>(across * deep), 1, [&](uint64_t begin, uint64_t end) {
    for (auto piece = static_cast<int64_t>(begin); piece < static_cast<int64_t>(end); ++piece) {
      const int64_t i = piece % across * results, k = piece / across * terms, n = std::min(results, p.m - i), length = std::min(terms, p.k - k);
      const T *const from = matrix + (is_along_sum ? i * a.elements + k : k * a.elements + i), *const x = vector + k;
      T* const to = (deep > 1 ? sums.get() + piece / across * p.m : c) + i;
      if (is_along_sum) dots(from, n, length, a.elements, x, to);
      else add_lines(from, length, n, a.elements, x, std::fill_n(to, n, T{}) - n);
    }
  });
  for (int64_t d = 0; d < (deep > 1 ? deep : 0); ++d)
    for (int64_t i = 0; i < p.m; ++i) c[i] = (d ? c[i] : T{}) + sums[static_cast<size_t>(d * p.m + i)];
}

/// Elements one behind the other: those of a vector, or a copy.
template <class T>
class Line {
 public:
  Line(const void* first, int64_t stride, int64_t length) : begin_(static_cast<const T*>(first)) {
    if (stride == sizeof(T)) return;
    if (length > most) apart_.reset(new T[static_cast<size_t>(length)]);
    T* const to = apart_ ? apart_.get() : near_;
    const auto step = static_cast<int64_t>(sizeof(T));
    Elements{&length, 1, sizeof(T)}.copy(reinterpret_cast<char*>(to), &step, static_cast<const char*>(first), &stride);
    begin_ = to;
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  const T* begin() const { return begin_; }

 private:
  static constexpr int64_t most = 512;
  T near_[most];
  std::unique_ptr<T[]> apart_;
  const T* begin_;
};

template <class T>
bool product_of(const Matmul& p, const std::optional<Leading>& a) {
  const Line<T> x(p.b.data, p.b.row_stride, p.k);
  if (p.m > 1) return product<T>(p, static_cast<const T*>(p.a.data), *a, x.begin()), true;
  const Line<T> line(p.a.data, p.a.column_stride, p.k);
  return product<T>(p, line.begin(), {false, p.k}, x.begin()), true;
}

/// A row times a column of complex numbers, in pieces whose sums are added in the end.
template <class T>
bool complex_product(const Matmul& p) {
  using Number = std::complex<T>;
  const auto dot = cpu::target_architecture() == "x86-64-v4" ? avx512::complex_dot<T> : avx2::complex_dot<T>;
  const Line<Number> a(p.a.data, p.a.column_stride, p.k), b(p.b.data, p.b.row_stride, p.k);
  constexpr int64_t terms = 32768;  // worth a thread's time
  const int64_t pieces = std::max<int64_t>(1, divide_up(p.k, terms));
  Number few[16];
  const std::unique_ptr<Number[]> many(pieces > 16 ? new Number[static_cast<size_t>(pieces)] : nullptr);
  Number* const sums = many ? many.get() : few;
  cpu::parallel_blocks(static_cast<uint64_t>(pieces), 1, [&](uint64_t begin, uint64_t end) {
    for (auto piece = static_cast<int64_t>(begin); piece < static_cast<int64_t>(end); ++piece)
      sums[piece] = dot(a.begin() + piece * terms, b.begin() + piece * terms, std::min(terms, p.k - piece * terms));
  });
  for (int64_t piece = 1; piece < pieces; ++piece) sums[0] += sums[piece];
  *static_cast<Number*>(p.c.data) = sums[0];
  return true;
}

}  // namespace

bool vector_product(const Matmul& p) {
  const auto size = static_cast<int64_t>(info(p.dtype).size);
  if (p.n != 1 || cpu::processor_level() < 3) return false;
  if (p.m == 1 && p.dtype == Dtype::complex64) return complex_product<float>(p);
  if (p.m == 1 && p.dtype == Dtype::complex128) return complex_product<double>(p);
  if (p.dtype != Dtype::float32 && p.dtype != Dtype::float64) return false;
  std::optional<Leading> a;
  if (p.m > 1) {
    constexpr int64_t least = 64;  // of a shorter line the sum in the end is what takes time
    a = leading(p.a, p.m, p.k, size);
    if (p.c.row_stride != size || !a || (a->is_transposed ? p.m : p.k) < least) return false;
  }
  return p.dtype == Dtype::float32 ? product_of<float>(p, a) : product_of<double>(p, a);
}

}  // namespace kasoku::linalg
