#include "kasoku/array/places.h"

#include "kasoku/array/algorithms/join_in_order.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"

#include <limits>

namespace kasoku {

namespace {

Array sum_of(const std::vector<Places::Along>& along, const auto& stride_of) {
  std::optional<Array> sum;
  for (const Places::Along& x : along) {
    const Array part = apply(Op::multiply, {x.position, int64_t{stride_of(x)}});
    sum = sum ? apply(Op::add, {*sum, part}) : part;
  }
  return *sum;
}

/// In a shape that stretches to the view's.
Array spread(const Array& of_indices, const Places& places) {
  Shape shape = places.together;
  shape.resize(shape.size() + places.behind(), 1);
  return reshape(broadcast_to(of_indices, places.together), shape);
}

/// Which indices are the last that name their place.
Array is_last(const Places& places, Device& device) {
  int64_t n_places = 1;
  for (const Places::Along& x : places.along) n_places *= x.length;
  int64_t step = n_places;
  const Array place = ravel(broadcast_to(sum_of(places.along, [&](const Places::Along& x) { return step /= x.length; }), places.together));
  const int64_t n = place.size();
  const Array number = arange(Scalar::of(0), Scalar::of(1), n, Dtype::int32, device);
  constexpr int64_t few = 1024;
  if (n <= few) {
    const auto as_rows = [](const Array& x) { return expand_dims(x, {1}); };
    const Array is_later = apply(Op::logical_and, {apply(Op::equal, {as_rows(place), place}), apply(Op::less, {as_rows(number), number})});
    return reshape(apply(Op::logical_not, {reduce(ReduceOp::any, is_later, {Extents{1}})}), places.together);
  }
  if (n > std::numeric_limits<int32_t>::max()) throw Error(ErrorKind::value, "more than 2^31 indices").fix("store in parts");
  const Array last = full({n_places}, Scalar::of(-1), Dtype::int32, device);
  const Places of_last{{{place, n_places, 4}}, false, {n}, 0, {{n}, {0}, 0}};
  scatter(last, of_last, number, Op::maximum);
  return reshape(apply(Op::equal, {gather(last, of_last), number}), places.together);
}

}  // namespace

Array Places::distance() const {
  return spread(sum_of(along, [](const Along& x) { return x.stride; }), *this);
}

Array gather(const Array& array, const Places& places) {
  Expression expression;
  expression.kind = Expression::gather;
  expression.inputs = {{array.input().node, places.view}, broadcast_to(places.distance(), places.view.shape).input()};
  return Array::of(make_node(places.view.shape, array.dtype(), array.device(), std::move(expression)));
}

void scatter(const Array& array, const Places& places, const Array& value, std::optional<Op> join) {
  if (product(places.view.shape) == 0) return;
  if (join && takes_gpu_form(array.device())) {
    const Typed operands[] = {{array.dtype()}, {value.dtype()}};
    if (places.are_different) return scatter(array, places, astype(apply(*join, {gather(array, places), value}), array.dtype()));
    if (!joins_in_any_order(*join, op_types(*join, operands).compute, array.dtype())) return join_in_order(array, places, value, *join);
  }
  const Shape& shape = places.view.shape;
  Placed to{.target = places.view, .dtype = array.dtype(), .distance = {}, .least = 0, .most = 0, .join = join, .are_different = places.are_different};
  for (const Places::Along& x : places.along) (x.stride < 0 ? to.least : to.most) += x.stride * (x.length - 1);
  to.are_in_elements = std::ranges::all_of(places.along, [&](const Places::Along& x) { return x.stride % static_cast<int64_t>(array.itemsize()) == 0; });
  if (join) {
    const Typed operands[] = {{array.dtype()}, {value.dtype()}};
    const OpTypes types = op_types(*join, operands);
    to.compute = types.compute;
  }
  const Array distance = broadcast_to(places.distance(), shape);
  std::optional<Array> condition;
  if (takes_gpu_form(array.device()) && !join && !places.are_different) condition = broadcast_to(spread(is_last(places, array.device()), places), shape);
  array.address();  // what reads the memory runs first
  to.distance = read_first(distance.input(), array);
  if (condition) to.condition = condition->input();
  scatter_into(read_first(value.input(), array), to, *array.buffer());
}

void store_at(const Array& array, const Array& positions, const Array& values) {
  const int64_t n = values.size();
  scatter(array, {{{positions, array.size(), static_cast<int64_t>(array.itemsize())}}, true, {n}, 0, {{n}, {0}, 0}}, values);
}

}  // namespace kasoku
