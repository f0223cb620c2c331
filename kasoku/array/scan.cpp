#include "kasoku/array/scan.h"

#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/shape.h"

namespace kasoku {

Array scan(ScanOp op, const Array& array, std::optional<int64_t> axis, std::optional<Dtype> dtype) {
  if (!axis || (array.ndim() == 0 && (*axis == 0 || *axis == -1))) return scan(op, ravel(array), 0, dtype);
  const ScanInfo& row = info(op);
  const OpTypes types = scan_types(op, array.dtype(), dtype);
  Array elements = array;
  if (row.takes == ReductionInfo::numbers && (is_floating(array.dtype()) || is_complex(array.dtype()))) {
    const Array neutral = full({}, Scalar::of(row.join == Op::multiply ? 1 : 0), array.dtype(), array.device());
    elements = apply(Op::where, {apply(Op::equal, {array, array}), array, neutral});
  }
  const size_t along = normal_axis(*axis, array.ndim());
  if (std::optional<Array> few = scan_directly(row.join, types, elements, along)) return *std::move(few);
  Expression expression;
  expression.kind = Expression::scan;
  expression.op = row.join;
  expression.compute = types.compute;
  expression.is_reduced.resize(static_cast<size_t>(array.ndim()));
  expression.is_reduced[along] = 1;
  expression.inputs.push_back(elements.input());
  return Array::of(make_node(array.shape(), types.result, array.device(), std::move(expression)));
}

}  // namespace kasoku
