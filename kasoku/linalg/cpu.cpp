#include "kasoku/linalg/cpu.h"

#include "kasoku/base/elements.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/linalg/blas.h"
#include "kasoku/base/half.h"
#include "kasoku/linalg/leading.h"
#include "kasoku/linalg/vector.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace kasoku::linalg {
namespace {

enum Order { row_major = 101 };
enum Transpose { no_transpose = 111, transposed = 112 };

/// How BLAS sees an operand: unit stride along one axis.
struct Operand {
  const void* data;
  Transpose transpose;
  int64_t leading;  ///< elements
};

bool as_operand(const Matrices& x, int64_t rows, int64_t columns, int64_t size, Operand& out) {
  const std::optional<Leading> found = leading(x, rows, columns, size);
  if (found) out = {x.data, found->is_transposed ? transposed : no_transpose, found->elements};
  return found.has_value();
}

using Bytes = std::unique_ptr<char[]>;

/// A row-major copy of a matrix with any strides.
Bytes packed(const Matrices& x, int64_t rows, int64_t columns, int64_t size) {
  Bytes out(new char[static_cast<size_t>(std::max<int64_t>(rows * columns * size, 1))]);
  const auto copy = [&](uint64_t begin, uint64_t end) {
    const auto first = static_cast<int64_t>(begin);
    const int64_t lengths[] = {static_cast<int64_t>(end - begin), columns}, to[] = {columns * size, size}, from[] = {x.row_stride, x.column_stride};
    Elements{lengths, 2, static_cast<size_t>(size)}.copy(out.get() + first * to[0], to, static_cast<const char*>(x.data) + first * from[0], from);
  };
  cpu::parallel_blocks(
      static_cast<uint64_t>(rows),
      cpu::suggested_grain(static_cast<uint64_t>(rows),
                           static_cast<uint64_t>(65536 / std::max<int64_t>(columns, 1) + 1)),
      copy);
  return out;
}

template <class Int, class Scalar>
void call_real(const Blas& blas, int type, const Matmul& p, const Operand& a, const Operand& b) {
  const auto m = static_cast<Int>(p.m), n = static_cast<Int>(p.n), k = static_cast<Int>(p.k);
  const auto ldc = static_cast<Int>(p.c.row_stride / static_cast<int64_t>(sizeof(Scalar)));
  using Gemm = void (*)(Order, Transpose, Transpose, Int, Int, Int, Scalar, const void*, Int,
                        const void*, Int, Scalar, void*, Int);
  reinterpret_cast<Gemm>(blas.gemm[type])(row_major, a.transpose, b.transpose, m, n, k, Scalar(1),
                                          a.data, static_cast<Int>(a.leading), b.data,
                                          static_cast<Int>(b.leading), Scalar(0), p.c.data, ldc);
}

template <class Int, class Scalar>
void call_complex(const Blas& blas, int type, const Matmul& p, const Operand& a, const Operand& b) {
  const auto m = static_cast<Int>(p.m), n = static_cast<Int>(p.n), k = static_cast<Int>(p.k);
  const auto ldc = static_cast<Int>(p.c.row_stride / static_cast<int64_t>(sizeof(Scalar)));
  const Scalar one(1), zero(0);
  using Gemm = void (*)(Order, Transpose, Transpose, Int, Int, Int, const void*, const void*, Int,
                        const void*, Int, const void*, void*, Int);
  reinterpret_cast<Gemm>(blas.gemm[type])(row_major, a.transpose, b.transpose, m, n, k, &one,
                                          a.data, static_cast<Int>(a.leading), b.data,
                                          static_cast<Int>(b.leading), &zero, p.c.data, ldc);
}

/// y = x @ v for a single column v with any positive stride, as NumPy does it.
template <class Int, class Scalar>
void call_gemv(const Blas& blas, int type, const Matmul& p, const Operand& a, int64_t b_step,
               int64_t c_step) {
  const auto rows = static_cast<Int>(a.transpose == no_transpose ? p.m : p.k);
  const auto columns = static_cast<Int>(a.transpose == no_transpose ? p.k : p.m);
  const auto lda = static_cast<Int>(a.leading), incx = static_cast<Int>(b_step),
             incy = static_cast<Int>(c_step);
  if constexpr (std::is_floating_point_v<Scalar>) {
    using Gemv = void (*)(Order, Transpose, Int, Int, Scalar, const void*, Int, const void*, Int,
                          Scalar, void*, Int);
    reinterpret_cast<Gemv>(blas.gemv[type])(row_major, a.transpose, rows, columns, Scalar(1),
                                            a.data, lda, p.b.data, incx, Scalar(0), p.c.data, incy);
  } else {
    const Scalar one(1), zero(0);
    using Gemv = void (*)(Order, Transpose, Int, Int, const void*, const void*, Int, const void*,
                          Int, const void*, void*, Int);
    reinterpret_cast<Gemv>(blas.gemv[type])(row_major, a.transpose, rows, columns, &one, a.data,
                                            lda, p.b.data, incx, &zero, p.c.data, incy);
  }
}

int type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32:
      return 0;
    case Dtype::float64:
      return 1;
    case Dtype::complex64:
      return 2;
    case Dtype::complex128:
      return 3;
    default:
      return -1;
  }
}

template <class Int>
void call(const Blas& blas, const Matmul& p, const Operand& a, const Operand& b) {
  const auto size = static_cast<int64_t>(info(p.dtype).size);
  // A vector on the right: BLAS has a faster function. Steps are those of its rows.
  const bool is_vector = p.n == 1 && p.m > 1 && p.b.row_stride > 0 && p.b.row_stride % size == 0 &&
                         p.c.row_stride > 0 && p.c.row_stride % size == 0;
  const int64_t x = p.b.row_stride / size, y = p.c.row_stride / size;
  switch (type_of(p.dtype)) {
    case 0:
      return is_vector ? call_gemv<Int, float>(blas, 0, p, a, x, y)
                       : call_real<Int, float>(blas, 0, p, a, b);
    case 1:
      return is_vector ? call_gemv<Int, double>(blas, 1, p, a, x, y)
                       : call_real<Int, double>(blas, 1, p, a, b);
    case 2:
      return is_vector ? call_gemv<Int, std::complex<float>>(blas, 2, p, a, x, y)
                       : call_complex<Int, std::complex<float>>(blas, 2, p, a, b);
    default:
      return is_vector ? call_gemv<Int, std::complex<double>>(blas, 3, p, a, x, y)
                       : call_complex<Int, std::complex<double>>(blas, 3, p, a, b);
  }
}

/// Copies a row-major m x n result to where it belongs.
void scatter(const char* from, const Matrices& c, int64_t m, int64_t n, int64_t size) {
  const int64_t lengths[] = {m, n}, to[] = {c.row_stride, c.column_stride}, steps[] = {n * size, size};
  Elements{lengths, 2, static_cast<size_t>(size)}.copy(static_cast<char*>(c.data), to, from, steps);
}

void zero(const Matmul& p, int64_t size) {
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t j = 0; j < p.n; ++j)
      std::memset(static_cast<char*>(p.c.data) + i * p.c.row_stride + j * p.c.column_stride, 0,
                  static_cast<size_t>(size));
}

/// The tiles of a result: `rows` by `columns` each, smaller at the edges.
struct Tiles {
  int64_t rows, columns, down, across;
  Tiles(const Matmul& p, int64_t rows, int64_t columns)
      : rows(rows), columns(columns), down((p.m + rows - 1) / rows), across((p.n + columns - 1) / columns) {}
  int64_t count() const { return down * across; }
};

/// A tile of few columns costs a library less than one of few rows: it copies what it multiplies in that order.
Tiles cut(const Matmul& p, double wanted) {
  Tiles tiles(p, p.m, p.n);
  const auto whole_registers = [](int64_t length) { return (length + 15) / 16 * 16; };
  while (static_cast<double>(tiles.count()) < wanted && std::max(tiles.rows, tiles.columns) > 32) {
    const bool cuts_rows = tiles.columns < 256 && tiles.rows >= tiles.columns;
    tiles = Tiles(p, cuts_rows ? whole_registers(tiles.rows / 2) : tiles.rows, cuts_rows ? tiles.columns : whole_registers(tiles.columns / 2));
  }
  return tiles;
}

/// a @ a.T: what is above the diagonal of the result stands below it too.
bool is_symmetric(const Matmul& p, const Operand& a, const Operand& b) {
  return p.m == p.n && a.data == b.data && a.leading == b.leading && a.transpose != b.transpose;
}

/// The tile at (row, column) of c becomes that at (column, row), mirrored.
template <class Element>
void mirror(const Matrices& c, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  const auto at = [&](int64_t i) { return reinterpret_cast<Element*>(static_cast<char*>(c.data) + i * c.row_stride); };
  for (int64_t i = row; i < row + rows; ++i)
    for (int64_t j = column; j < column + columns; ++j) at(j)[i] = at(i)[j];
}

void mirror(const Matrices& c, int64_t row, int64_t column, int64_t rows, int64_t columns, int64_t size) {
  if (size == 4) mirror<float>(c, row, column, rows, columns);
  else if (size == 8) mirror<double>(c, row, column, rows, columns);
  else mirror<std::complex<double>>(c, row, column, rows, columns);
}

std::atomic<bool> is_deterministic{false};

/// A product that is worth it is cut into tiles of the result, which the pool shares out; none takes longer than a
/// tenth of a second, because a call cannot be interrupted.
template <class F>
void in_tiles(const Blas& blas, const Matmul& p, const Operand& a, const Operand& b, const F& product) {
  const auto size = static_cast<int64_t>(info(p.dtype).size);
  // A product with a vector takes as long as the matrix takes to come.
  const double work = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k), least = p.n == 1 ? 5e4 : 4e6, most = 4e9;
  // Where the bits are to be the same, tiles are those of the lengths, whatever number of threads there is: a tenth slower.
  const double parts = is_deterministic ? 16 : cpu::is_inside_parallel() ? 1 : 4.0 * cpu::thread_limit();
  const double shared_out = blas.is_on_callers ? std::min(parts, work / least) : 1;
  Tiles tiles = cut(p, std::max(shared_out, work / most));
  const bool is_mirrored = size <= 16 && work > 2 * least && is_symmetric(p, a, b);
  if (is_mirrored) {
    const int64_t parts = 2 + static_cast<int64_t>(std::sqrt(static_cast<double>(tiles.count()))), edge = ((p.m + parts - 1) / parts + 15) / 16 * 16;
    tiles = Tiles(p, edge, edge);
  }
  const auto run = [&](uint64_t begin, uint64_t end) {
    const LibraryThreads one(blas, 1);
    for (auto t = static_cast<int64_t>(begin); t < static_cast<int64_t>(end); ++t) {
      const int64_t i = t / tiles.across * tiles.rows, j = t % tiles.across * tiles.columns;
      if (is_mirrored && i > j) continue;
      Matmul tile = p;
      tile.m = std::min(tiles.rows, p.m - i), tile.n = std::min(tiles.columns, p.n - j);
      tile.c.data = static_cast<char*>(p.c.data) + i * p.c.row_stride + j * p.c.column_stride;
      tile.b.data = static_cast<char*>(p.b.data) + j * p.b.column_stride;
      Operand x = a, y = b;
      x.data = static_cast<const char*>(a.data) + i * (a.transpose == no_transpose ? a.leading * size : size);
      y.data = static_cast<const char*>(b.data) + j * (b.transpose == no_transpose ? size : b.leading * size);
      product(tile, x, y);
      if (!is_mirrored) continue;
      mirror(p.c, i, j, tile.m, tile.n, size);
    }
  };
  if (tiles.count() == 1) {
    const LibraryThreads one(blas, 1);
    return product(p, a, b);
  }
  std::optional<cpu::SerialScope> in_order;
  if (!blas.is_on_callers) in_order.emplace();
  cpu::parallel_blocks(static_cast<uint64_t>(tiles.count()), 1, run);
}

constexpr int64_t length_of_part = 4096;

/// Whether many products of few elements are added up, which tiles of the result would leave to one thread.
bool is_long(const Matmul& p) { return std::max(p.m, p.n) <= 64 && p.k >= 4 * length_of_part; }

template <class Real>
void add_parts(const Matmul& p, int64_t reals, const std::vector<char>& parts) {
  const auto* from = reinterpret_cast<const Real*>(parts.data());
  const auto* const end = from + parts.size() / sizeof(Real);
  for (int64_t i = 0; i < p.m; ++i) std::memset(static_cast<char*>(p.c.data) + i * p.c.row_stride, 0, static_cast<size_t>(reals) * sizeof(Real));
  while (from != end)
    for (int64_t i = 0; i < p.m; ++i, from += reals) {
      auto* const to = reinterpret_cast<Real*>(static_cast<char*>(p.c.data) + i * p.c.row_stride);
      for (int64_t j = 0; j < reals; ++j) to[j] += from[j];
    }
}

/// Such a product is cut into parts of one length, whatever number of threads there is, whose results are added in their order.
template <class F>
void in_lengths(const Blas& blas, const Matmul& p, const Operand& a, const Operand& b, const F& product) {
  const auto size = static_cast<int64_t>(info(p.dtype).size);
  const int64_t count = (p.k + length_of_part - 1) / length_of_part;
  std::vector<char> parts(static_cast<size_t>(count * p.m * p.n * size));
  std::optional<cpu::SerialScope> in_order;
  if (!blas.is_on_callers) in_order.emplace();
  cpu::parallel_blocks(static_cast<uint64_t>(count), 1, [&](uint64_t begin, uint64_t end) {
    const LibraryThreads one(blas, 1);
    for (auto t = static_cast<int64_t>(begin); t < static_cast<int64_t>(end); ++t) {
      const int64_t first = t * length_of_part;
      Matmul part = p;
      part.k = std::min(length_of_part, p.k - first);
      part.b.data = static_cast<char*>(p.b.data) + first * p.b.row_stride;
      part.c.data = parts.data() + t * p.m * p.n * size, part.c.row_stride = p.n * size;
      Operand x = a, y = b;
      x.data = static_cast<const char*>(a.data) + first * (a.transpose == no_transpose ? size : a.leading * size);
      y.data = static_cast<const char*>(b.data) + first * (b.transpose == no_transpose ? b.leading * size : size);
      product(part, x, y);
    }
  });
  if (type_of(p.dtype) % 2) add_parts<double>(p, p.n * size / 8, parts);
  else add_parts<float>(p, p.n * size / 4, parts);
  if (is_symmetric(p, a, b)) mirror(p.c, 0, 0, p.m, p.n, size);
}

void blas_product(const Blas& blas, Matmul& p) {
  const auto size = static_cast<int64_t>(info(p.dtype).size);
  Operand a, b;
  Bytes a_copy, b_copy, c_copy;
  const auto settle = [&](Matrices& x, int64_t rows, int64_t columns, Operand& out, Bytes& copy) {
    if (as_operand(x, rows, columns, size, out)) return;
    copy = packed(x, rows, columns, size);
    x.data = copy.get();
    x.row_stride = columns * size;
    x.column_stride = size;
    out = {copy.get(), no_transpose, std::max<int64_t>(columns, 1)};
  };
  settle(p.a, p.m, p.k, a, a_copy);
  settle(p.b, p.k, p.n, b, b_copy);
  Matrices target = p.c;
  const bool is_direct =
      p.c.column_stride == size && p.c.row_stride % size == 0 && p.c.row_stride >= p.n * size;
  if (!is_direct) {
    c_copy.reset(new char[static_cast<size_t>(p.m * p.n * size)]);
    p.c.data = c_copy.get();
    p.c.row_stride = p.n * size;
    p.c.column_stride = size;
  }
  const auto product = [&](const Matmul& part, const Operand& x, const Operand& y) {
    if (blas.has_64_bit_integers) call<int64_t>(blas, part, x, y);
    else call<int32_t>(blas, part, x, y);
  };
  if (is_long(p)) in_lengths(blas, p, a, b, product);
  else in_tiles(blas, p, a, b, product);
  if (!is_direct) scatter(c_copy.get(), target, p.m, p.n, size);
}

/// float16 and bfloat16: operands become float32, so does the sum.
void half_product(const Matmul& p) {
  const auto widen = [&](const Matrices& x, int64_t rows, int64_t columns) {
    std::unique_ptr<float[]> out(
        new float[static_cast<size_t>(std::max<int64_t>(rows * columns, 1))]);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        uint16_t bits;
        std::memcpy(&bits,
                    static_cast<const char*>(x.data) + i * x.row_stride + j * x.column_stride, 2);
        out[static_cast<size_t>(i * columns + j)] =
            p.dtype == Dtype::float16 ? half_to_float(bits) : bfloat16_to_float(bits);
      }
    return out;
  };
  const auto a = widen(p.a, p.m, p.k), b = widen(p.b, p.k, p.n);
  std::unique_ptr<float[]> c(new float[static_cast<size_t>(p.m * p.n)]);
  Matmul wide;
  wide.dtype = Dtype::float32;
  wide.m = p.m, wide.n = p.n, wide.k = p.k;
  wide.a = {a.get(), p.k * 4, 4, {}};
  wide.b = {b.get(), p.n * 4, 4, {}};
  wide.c = {c.get(), p.n * 4, 4, {}};
  const Blas* library = blas();
  if (library && library->takes(std::max({p.m, p.n, p.k})))
    blas_product(*library, wide);
  else
    loop_matmul(wide);
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t j = 0; j < p.n; ++j) {
      const float value = c[static_cast<size_t>(i * p.n + j)];
      const uint16_t bits =
          p.dtype == Dtype::float16 ? float_to_half(value) : float_to_bfloat16(value);
      std::memcpy(static_cast<char*>(p.c.data) + i * p.c.row_stride + j * p.c.column_stride, &bits,
                  2);
    }
}

/// A row times a matrix is the transposed matrix times a column.
void make_column(Matmul& p) {
  if (p.m == 1 && p.n > 1) {
    std::swap(p.m, p.n), std::swap(p.a, p.b);
    for (Matrices* x : {&p.a, &p.b, &p.c}) std::swap(x->row_stride, x->column_stride);
  }
  if (p.n == 1) p.b.column_stride = p.c.column_stride = static_cast<int64_t>(info(p.dtype).size);
}

void one_product(const Matmul& problem) {
  if (problem.k == 0) return zero(problem, static_cast<int64_t>(info(problem.dtype).size));
  if (vector_product(problem)) return;
  Matmul p = problem;
  make_column(p);
  if (problem.n > 1 && vector_product(p)) return;
  if (p.dtype == Dtype::float16 || p.dtype == Dtype::bfloat16) return half_product(p);
  const Blas* library = type_of(p.dtype) >= 0 ? blas() : nullptr;
  if (library &&
      library->takes(std::max({p.m, p.n, p.k, p.a.row_stride, p.b.row_stride, p.c.row_stride})))
    return blas_product(*library, p);
  loop_matmul(p);
}

/// Items of a stack, one after the other.
class Items {
 public:
  explicit Items(const Matmul& p) : item_(p), p_(p) {}
  const Matmul& at(uint64_t index) {
    int64_t a = 0, b = 0, c = 0;
    for (size_t d = p_.batch.size(); d-- > 0;) {
      const auto length = static_cast<uint64_t>(p_.batch[d]);
      const auto i = static_cast<int64_t>(d ? index % length : index);
      if (d) index /= length;
      a += i * p_.a.batch_strides[d], b += i * p_.b.batch_strides[d], c += i * p_.c.batch_strides[d];
    }
    item_.a.data = static_cast<char*>(p_.a.data) + a, item_.b.data = static_cast<char*>(p_.b.data) + b, item_.c.data = static_cast<char*>(p_.c.data) + c;
    return item_;
  }

 private:
  Matmul item_;
  const Matmul& p_;
};

/// Of a stack of small products: what is the same for each is found out once.
void products(const Matmul& p, uint64_t begin, uint64_t end) {
  const auto size = static_cast<int64_t>(info(p.dtype).size);
  const Blas* const library = type_of(p.dtype) >= 0 ? blas() : nullptr;
  const bool is_small = std::max({p.m, p.n, p.k}) <= 128, is_direct = p.c.column_stride == size && p.c.row_stride % size == 0 && p.c.row_stride >= p.n * size;
  Operand a, b;
  Items items(p);
  if (!library || !is_small || !is_direct || p.m == 1 || p.n == 1 || p.k == 0 || p.c.row_stride > INT32_MAX || !as_operand(p.a, p.m, p.k, size, a) || !as_operand(p.b, p.k, p.n, size, b)) {
    for (uint64_t i = begin; i < end; ++i) one_product(items.at(i));
    return;
  }
  const LibraryThreads one(*library, 1);
  for (uint64_t i = begin; i < end; ++i) {
    const Matmul& item = items.at(i);
    a.data = item.a.data, b.data = item.b.data;
    if (library->has_64_bit_integers) call<int64_t>(*library, item, a, b);
    else call<int32_t>(*library, item, a, b);
  }
}

}  // namespace

bool set_deterministic(bool value) { return is_deterministic.exchange(value); }

void cpu_matmul(const Matmul& problem, Device&, Stream&) {
  const double work = 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k);
  if (problem.batch.empty()) return one_product(problem);
  const auto items = static_cast<uint64_t>(problem.items());
  const uint32_t workers = cpu::worker_count();
  // Many products are shared out whole, a large one in tiles.
  const bool is_shared_out = items >= 2 * uint64_t{workers} && work < 1e9 &&
                             work * static_cast<double>(items) > 1e6 && workers > 1 &&
                             !cpu::is_inside_parallel();
  if (is_shared_out) {
    cpu::parallel_blocks(items,
                         cpu::suggested_grain(items, static_cast<uint64_t>(1e5 / (work + 1)) + 1),
                         [&](uint64_t begin, uint64_t end) {
                           products(problem, begin, end);
                         });
    return;
  }
  products(problem, 0, items);
}

}  // namespace kasoku::linalg
