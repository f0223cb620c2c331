#include "kasoku/array/matmul.h"

#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/device/replay.h"
#include "kasoku/linalg/provider.h"

namespace kasoku {

namespace {

linalg::Matrices matrices(const Array& array, const Shape& batch) {
  linalg::Matrices result;
  const Shape& shape = array.shape();
  const Strides& strides = array.strides();
  const size_t n = shape.size();
  result.row_stride = strides[n - 2];
  result.column_stride = strides[n - 1];
  result.batch_strides.resize(batch.size());
  const size_t own = n - 2;
  for (size_t d = 0; d < own; ++d)
    if (shape[d] != 1) result.batch_strides[batch.size() - own + d] = strides[d];
  return result;
}

}  // namespace

Array matmul(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0)
    throw Error(ErrorKind::value, "matmul: an operand has no axes").fix("multiply by a number with *");
  if (&a.device() != &b.device())
    throw Error(ErrorKind::value, "matmul of arrays on " + a.device().str() + " and " + b.device().str())
        .fix("move one: x.to_device(\"" + a.device().str() + "\")");
  const Dtype dtype = promote(a.dtype(), b.dtype());
  Array x = a.dtype() == dtype ? a : astype(a, dtype), y = b.dtype() == dtype ? b : astype(b, dtype);
  if (a.ndim() == 1) x = expand_dims(x, {0});
  if (b.ndim() == 1) y = expand_dims(y, {1});
  const Shape &p = x.shape(), &q = y.shape();
  if (p.back() != q[q.size() - 2])
    throw Error(ErrorKind::value, "matmul: shapes " + str(a.shape()) + " and " + str(b.shape()) + " do not match")
        .why("the last axis of the first is " + std::to_string(p.back()) + ", the second has " + std::to_string(q[q.size() - 2]) + " rows");
  const Shape batch = broadcast({p.begin(), p.end() - 2}, {q.begin(), q.end() - 2});
  linalg::Matmul problem;
  problem.dtype = dtype;
  problem.m = p[p.size() - 2];
  problem.n = q.back();
  problem.k = p.back();
  problem.batch = batch;
  Shape shape = batch;
  shape.push_back(problem.m);
  shape.push_back(problem.n);
  Array result = Array::empty(shape, dtype, a.device());
  if (result.size() > 0) {
    refuse_to_record("a product of matrices");
    problem.a = matrices(x, batch);
    problem.a.data = const_cast<void*>(x.data_for_read());
    problem.b = matrices(y, batch);
    problem.b.data = const_cast<void*>(y.data_for_read());
    problem.c = matrices(result, batch);
    problem.c.data = result.data();
    linalg::matmul(problem, a.device(), a.device().current_stream());
  }
  if (a.ndim() == 1) result = squeeze(result, Extents{b.ndim() == 1 ? -2 : result.ndim() - 2});
  if (b.ndim() == 1) result = squeeze(result, Extents{-1});
  return result;
}

Array dot(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return apply(Op::multiply, {a, b});
  if (b.ndim() <= 2) return matmul(a, b);
  // Every row of a with every column of b: the axes of a first.
  const Array rows = reshape(a, {a.size() / std::max<int64_t>(1, a.shape().back()), a.shape().back()});
  const Array columns = moveaxis(b, {-2}, {0});
  Shape shape(a.shape().begin(), a.shape().end() - 1);
  shape.insert(shape.end(), columns.shape().begin() + 1, columns.shape().end());
  return reshape(matmul(rows, reshape(columns, {columns.shape()[0], columns.size() / std::max<int64_t>(1, columns.shape()[0])})), shape);
}

}  // namespace kasoku
