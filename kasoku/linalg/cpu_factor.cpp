/// Factors on a CPU: LAPACK's functions, called by one thread each where there are many matrices.
#include "kasoku/base/error.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/linalg/blas.h"
#include "kasoku/linalg/cpu.h"
#include "kasoku/linalg/lapack.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace kasoku::linalg {
namespace {

/// So small a matrix is turned round sooner than another call of the library is made. Elimination goes by its rows then, as
/// NumPy's does, and gives the same bits.
constexpr int64_t few_columns = 32;

/// Items of a problem, one after the other.
class Items {
 public:
  Items(const Factors& p, bool are_threads_chosen) : p_(p), are_threads_chosen_(are_threads_chosen), pivots_(static_cast<size_t>(p.n)) {}

  int64_t run(int64_t index) {
    index_ = index;
    const int64_t m = p_.m, n = p_.n, k = p_.k, least = std::min(m, n);
    switch (p_.factor) {
      case Factor::lu: {
        const int64_t info = call(Routine::getrf, {rows(0, n, n), {pivots_.data(), 1, n}});
        std::copy(pivots_.begin(), pivots_.end(), static_cast<int32_t*>(p_.operands[1]) + index_ * n);
        return info;
      }
      case Factor::det:
      case Factor::slogdet: {
        if (n <= few_columns) turn();
        const int64_t info = call(Routine::getrf, {rows(0, n, n), {pivots_.data(), 1, n}});
        if (info >= 0) of_dtype([&]<class T>(T) { p_.factor == Factor::det ? det<T>() : slogdet<T>(); });
        return info;
      }
      case Factor::solve:
      case Factor::inverse: {
        const Rows a = rows(0, n, n), order{pivots_.data(), 1, n};
        if (p_.factor == Factor::solve && n <= few_columns) {
          turn();
          return call(Routine::gesv, {a, order, rows(1, k, n)});
        }
        if (n <= few_columns) return invert_few(a, order);
        if (const int64_t info = call(Routine::getrf, {a, order})) return info;
        return p_.factor == Factor::inverse ? call(Routine::getri, {a, order}) : call(Routine::getrs, {a, order, rows(1, k, n)});
      }
      case Factor::cholesky:
        of_dtype([&]<class T>(T) {
          for (int64_t i = 0; i < n; ++i) std::fill_n(elements<T>(0, n * n) + i * n + i + 1, n - i - 1, T(0));
        });
        return call(Routine::potrf, {rows(0, n, n)});
      case Factor::qr: {
        const Rows a = rows(0, n, m), q = rows(1, k, m), tau = rows(2, 1, least);
        const int64_t info = call(Routine::geqrf, {a, tau});
        if (info || k == 0) return info;
        std::memcpy(q.data, a.data, static_cast<size_t>(std::min(k, n) * m) * size());
        return call(Routine::orgqr, {q, tau});
      }
      case Factor::eigh:
        return call(Routine::heevd, {rows(0, n, n), real(1, n)});
      case Factor::eigvalsh:
        return call(Routine::heevd_values, {rows(0, n, n), real(1, n)});
      case Factor::svd:
        return call(Routine::gesdd, {rows(0, m, n), real(1, least), rows(2, m, std::min(m, k)), rows(3, std::min(n, k), n)});
      case Factor::svdvals:
        return call(Routine::gesdd_values, {rows(0, m, n), real(1, least)});
      case Factor::eig:
      case Factor::eigvals:
        return p_.dtype == Dtype::float32 ? eig<float>() : p_.dtype == Dtype::float64 ? eig<double>() : eig_complex();
      case Factor::lstsq: {
        float narrow = static_cast<float>(p_.limit);
        double wide = p_.limit;
        int64_t rank = 0;
        const Rows limit{real_size() == sizeof(float) ? static_cast<void*>(&narrow) : &wide, 1, 1};
        const int64_t info = call(Routine::gelsd, {rows(0, n, m), rows(1, k, std::max(m, n)), real(2, least), limit, {&rank, 1, 1}});
        static_cast<int32_t*>(p_.operands[3])[index_] = static_cast<int32_t>(rank);
        return info;
      }
    }
    return 0;
  }

 private:
  int64_t call(Routine routine, std::initializer_list<Rows> operands) const { return lapack(routine, p_.dtype, {operands.begin(), operands.size()}, are_threads_chosen_); }

  Rows rows(int i, int64_t count, int64_t length, size_t bytes = 0) const {
    return {static_cast<char*>(p_.operands[i]) + static_cast<size_t>(index_ * count * length) * (bytes ? bytes : size()), count, length};
  }
  template <class F>
  void of_dtype(const F& f) const {
    if (p_.dtype == Dtype::float32) f(float{});
    else if (p_.dtype == Dtype::float64) f(double{});
    else if (p_.dtype == Dtype::complex64) f(std::complex<float>{});
    else f(std::complex<double>{});
  }
  template <class T>
  T* elements(int i, int64_t count) const { return static_cast<T*>(p_.operands[i]) + index_ * count; }

  /// The transpose in its place.
  void turn() const {
    const int64_t n = p_.n;
    of_dtype([&]<class T>(T) {
      T* const a = elements<T>(0, n * n);
      for (int64_t i = 1; i < n; ++i)
        for (int64_t j = 0; j < i; ++j) std::swap(a[i * n + j], a[j * n + i]);
    });
  }

  /// The inverse as the solution for the unit matrix.
  int64_t invert_few(const Rows& a, const Rows& order) {
    const int64_t n = p_.n;
    int64_t info = 0;
    turn();
    of_dtype([&]<class T>(T) {
      thread_local std::vector<T> unit;
      unit.assign(static_cast<size_t>(n * n), T(0));
      for (int64_t i = 0; i < n; ++i) unit[static_cast<size_t>(i * n + i)] = T(1);
      info = call(Routine::gesv, {a, order, {unit.data(), n, n}});
      std::copy(unit.begin(), unit.end(), elements<T>(0, n * n));
    });
    turn();
    return info;
  }

  /// Whether an odd number of rows changed places.
  bool is_odd() const {
    bool odd = false;
    for (int64_t i = 0; i < p_.n; ++i) odd ^= pivots_[static_cast<size_t>(i)] != i + 1;
    return odd;
  }
  template <class T>
  void det() const {
    const int64_t n = p_.n;
    const T* const a = elements<T>(0, n * n);
    T product = is_odd() ? T(-1) : T(1);
    for (int64_t i = 0; i < n; ++i) product *= a[i * n + i];
    *elements<T>(1, 1) = product + T(0);  // a 0 has no sign
  }
  template <class T>
  void slogdet() const {
    using Real = decltype(std::abs(T{}));
    const int64_t n = p_.n;
    const T* const a = elements<T>(0, n * n);
    T sign = is_odd() ? T(-1) : T(1);
    Real sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const T element = a[i * n + i];
      const Real size = std::abs(element);
      sign *= size == 0 ? element : element / size;
      sum += std::log(size);
    }
    *elements<T>(1, 1) = sign + T(0);
    *elements<Real>(2, 1) = sum;
  }

  Rows real(int i, int64_t length) const { return rows(i, 1, length, real_size()); }
  size_t size() const { return info(p_.dtype).size; }
  size_t real_size() const { return p_.dtype == Dtype::float64 || p_.dtype == Dtype::complex128 ? sizeof(double) : sizeof(float); }

  int64_t eig_complex() const {
    const int64_t n = p_.n;
    return call(Routine::geev, {rows(0, n, n), rows(1, 1, n), {}, p_.factor == Factor::eig ? rows(2, n, n) : Rows{nullptr, 0, n}});
  }

  /// Of a real matrix LAPACK gives parts: of a pair of vectors the real part, then the imaginary one.
  template <class T>
  int64_t eig() const {
    const int64_t n = p_.n;
    const auto side = static_cast<size_t>(n);
    const bool has_vectors = p_.factor == Factor::eig;
    std::vector<T> real(side), imaginary(side), parts(has_vectors ? side * side : 0);
    const int64_t info = call(Routine::geev, {rows(0, n, n), {real.data(), 1, n}, {imaginary.data(), 1, n}, {parts.data(), has_vectors ? n : 0, n}});
    auto* const w = static_cast<std::complex<T>*>(p_.operands[1]) + index_ * n;
    for (size_t i = 0; i < side; ++i) w[i] = {real[i], imaginary[i]};
    if (!has_vectors) return info;
    auto* const v = static_cast<std::complex<T>*>(p_.operands[2]) + index_ * n * n;
    for (size_t i = 0; i < side; ++i) {
      const bool is_pair = imaginary[i] > 0 && i + 1 < side;
      for (size_t j = 0; j < side; ++j) {
        v[i * side + j] = {parts[i * side + j], is_pair ? parts[(i + 1) * side + j] : T(0)};
        if (is_pair) v[(i + 1) * side + j] = std::conj(v[i * side + j]);
      }
      i += is_pair;
    }
    return info;
  }

  const Factors& p_;
  const bool are_threads_chosen_;
  int64_t index_ = 0;
  std::vector<int64_t> pivots_;
};

}  // namespace

bool cpu_has(Factor, std::string* why) {
  if (has_lapack()) return true;
  if (why) *why = blas_missing().empty() ? "the BLAS library that was found has no LAPACK: pip install scipy-openblas64" : blas_missing();
  return false;
}

void cpu_factor(const Factors& p, Device&, Stream&) {
  const auto run_items = [&](uint64_t begin, uint64_t end, bool are_threads_chosen) {
    Items items(p, are_threads_chosen);
    for (auto i = static_cast<int64_t>(begin); i < static_cast<int64_t>(end); ++i) {
      const int64_t info = items.run(i);
      if (info == absent) throw Error(ErrorKind::unsupported, "the library's LAPACK does not take these matrices").why("its lengths have 32 bits, or it lacks the routine").fix("pip install scipy-openblas64");
      p.status[i] = static_cast<int32_t>(info);
    }
  };
  const auto items = static_cast<uint64_t>(p.items);
  // A few large ones have the library's own threads, one after the other.
  if (items < cpu::thread_limit()) return run_items(0, items, false);
  const double side = static_cast<double>(std::max(p.m, p.n)), work = side * side * side;
  cpu::parallel_blocks(items, cpu::suggested_grain(items, static_cast<uint64_t>(2e5 / (work + 500)) + 1), [&](uint64_t begin, uint64_t end) {
    const Blas* const library = blas();
    std::optional<LibraryThreads> one;
    if (library) one.emplace(*library, 1);
    run_items(begin, end, true);
  });
}

}  // namespace kasoku::linalg
