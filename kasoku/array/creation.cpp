#include "kasoku/array/creation.h"

#include "kasoku/array/direct.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/promote.h"
#include "kasoku/base/error.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/stream.h"

#include <utility>

namespace kasoku {

namespace {

NodePtr constant(const Shape& shape, Scalar value, Dtype dtype, Device& device) {
  Expression expression;
  expression.kind = Expression::constant;
  expression.start = value;
  expression.n_pending = 0;
  return make_node(shape, dtype, device, std::move(expression));
}

}  // namespace

Array full(const Shape& shape, Scalar value, Dtype dtype, Device& device) {
  if (is_eager() && !shape.empty())
    if (std::optional<Array> few = count_directly(shape, value, Scalar::of(0), dtype, device)) return *std::move(few);
  return Array::of(constant(shape, value, dtype, device));
}

Array value(Scalar number, Dtype dtype, Device& device) { return Array::of(number, dtype, device); }

Array arange(Scalar start, Scalar step, int64_t n, Dtype dtype, Device& device) {
  // Kernels count in integers and floats.
  const Dtype counted = dtype == Dtype::bool_ ? Dtype::int64 : real_part(dtype);
  if (counted != dtype) return astype(arange(start, step, n, counted, device), dtype);
  if (is_eager())
    if (std::optional<Array> few = count_directly({n}, start, step, dtype, device)) return *std::move(few);
  Expression expression;
  expression.kind = Expression::arange;
  expression.start = start;
  expression.step = step;
  return Array::of(make_node({n}, dtype, device, std::move(expression)));
}

Array astype(const Array& array, Dtype dtype) {
  if (array.dtype() == Dtype::opaque || dtype == Dtype::opaque) {
    if (array.dtype() == dtype) return copy(array);
    throw Error(ErrorKind::type, "records convert to no other dtype");
  }
  if (std::optional<Array> converted = convert_directly(array, dtype)) return *std::move(converted);
  Expression expression;
  expression.kind = Expression::cast;
  expression.inputs.push_back(array.input());
  return Array::of(make_node(array.shape(), dtype, array.device(), std::move(expression)));
}

Array as_dtype(const Array& array, Dtype dtype) { return array.dtype() == dtype ? array : astype(array, dtype); }

Array copy(const Array& array) {
  if (array.dtype() != Dtype::opaque) return astype(array, array.dtype());
  Array result = Array::empty(array.shape(), array.dtype(), array.device(), array.itemsize());
  if (!array.is_contiguous())
    throw Error(ErrorKind::unsupported, "an array of records is copied only as a whole");
  if (array.nbytes()) {
    const void* from = array.data_for_read();
    array.device().copy(result.data(), from, array.nbytes(), array.device().current_stream());
  }
  return result;
}

Array contiguous(const Array& array) { return array.is_contiguous() ? array : copy(array); }

Array to_device(const Array& array, Device& device) {
  Device& from = array.device();
  if (&from == &device) return array;
  const Array source = contiguous(array);
  const void* memory = source.data_for_read();
  Array result = Array::empty(source.shape(), source.dtype(), device, source.itemsize());
  if (source.nbytes()) {
    const CopyScope reason(CopyReason::move);
    // One side's host memory is what the other side's copy takes.
    Device& worker = device.is_host() ? from : device;
    Stream& stream = worker.current_stream();
    if (&worker != &from && !from.is_host()) source.buffer()->use_on(stream);
    worker.copy(result.data(), memory, source.nbytes(), stream);
  }
  return result;
}

}  // namespace kasoku
