#include "kasoku/array/matmul.h"

#include "kasoku/array/checked_bytes.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/graph.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/device/replay.h"
#include "kasoku/linalg/provider.h"

namespace kasoku {

namespace {

/// Axes of an operand; one without rows is a row on the left, a column on the right.
linalg::Matrices matrices(const Array& array, size_t n_batch, bool is_row) {
  linalg::Matrices result;
  const Shape& shape = array.shape();
  const Strides& strides = array.strides();
  const size_t n = shape.size();
  result.batch_strides.resize(n_batch);
  if (n == 1) {
    (is_row ? result.column_stride : result.row_stride) = strides[0];
    return result;
  }
  result.row_stride = strides[n - 2];
  result.column_stride = strides[n - 1];
  const size_t own = n - 2;
  for (size_t d = 0; d < own; ++d)
    if (shape[d] != 1) result.batch_strides[n_batch - own + d] = strides[d];
  return result;
}

/// What the library does, once or in each replay.
struct Product {
  linalg::Matmul problem;
  Device& device;
  void operator()(Stream& stream) const { linalg::matmul(problem, device, stream); }
};

}  // namespace

Array matmul(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0)
    throw Error(ErrorKind::value, "matmul: an operand has no axes").fix("multiply by a number with *");
  must_be_together("matmul", a.device(), b.device());
  const Dtype dtype = a.dtype() == b.dtype() ? a.dtype() : promote(a.dtype(), b.dtype());
  std::optional<Array> of_a, of_b;
  const Array &x = a.dtype() == dtype ? a : of_a.emplace(astype(a, dtype)), &y = b.dtype() == dtype ? b : of_b.emplace(astype(b, dtype));
  const bool has_rows = x.ndim() > 1, has_columns = y.ndim() > 1;
  const Shape &p = x.shape(), &q = y.shape();
  Product work{{}, a.device()};
  linalg::Matmul& problem = work.problem;
  problem.dtype = dtype;
  problem.m = has_rows ? p[p.size() - 2] : 1;
  problem.n = has_columns ? q.back() : 1;
  problem.k = p.back();
  if (const int64_t rows = has_columns ? q[q.size() - 2] : q[0]; rows != problem.k)
    throw Error(ErrorKind::value, "matmul: shapes " + str(a.shape()) + " and " + str(b.shape()) + " do not match")
        .why("the last axis of the first is " + std::to_string(problem.k) + ", the second has " + std::to_string(rows) +
             " rows");
  if (p.size() > 2 || q.size() > 2) problem.batch = broadcast(batch_of(x), batch_of(y));
  const size_t n_batch = problem.batch.size();
  Shape shape = problem.batch;
  if (has_rows) shape.push_back(problem.m);
  if (has_columns) shape.push_back(problem.n);
  const size_t itemsize = info(dtype).size;
  auto memory = Storage::allocate(a.device(), checked_bytes(shape, itemsize));
  void* const first = memory->buffer->memory();
  const Array result = Array::of(std::move(memory), shape, dtype, itemsize);
  if (product(shape) == 0) return result;
  problem.a = matrices(x, n_batch, true);
  problem.a.data = const_cast<void*>(x.data_for_call());
  problem.b = matrices(y, n_batch, false);
  problem.b.data = const_cast<void*>(y.data_for_call());
  problem.c.data = first;
  problem.c.batch_strides.resize(n_batch);
  for (size_t d = 0; d < n_batch; ++d)
    if (shape[d] != 1) problem.c.batch_strides[d] = result.strides()[d];
  if (has_rows) problem.c.row_stride = result.strides()[n_batch];
  if (has_columns) problem.c.column_stride = result.strides().back();
  call_library(a.device(), {problem.a.data, problem.b.data, problem.c.data}, work);
  return result;
}

Array dot(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return apply(Op::multiply, {a, b});
  if (b.ndim() <= 2) return matmul(a, b);
  // Every row of a with every column of b: the axes of a first.
  const Array columns = moveaxis(b, {-2}, {0});
  const Shape of_rows(a.shape().begin(), a.shape().end() - 1), of_columns(columns.shape().begin() + 1, columns.shape().end());
  Shape shape = of_rows;
  shape.insert(shape.end(), of_columns.begin(), of_columns.end());
  const Array rows = reshape(a, {product(of_rows), a.shape().back()});
  return reshape(matmul(rows, reshape(columns, {columns.shape()[0], product(of_columns)})), shape);
}

}  // namespace kasoku
