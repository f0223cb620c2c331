#include "kasoku/array/algorithms/join_in_order.h"

#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/algorithms/run_text.h"
#include "kasoku/array/algorithms/sort.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/rounding.h"
#include "kasoku/codegen/emit.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

namespace {

/// STORED is an element's type in memory, LOAD and STORE lead to what is computed in and back. The values lie as (outer, n, inner),
/// sorted by place; what each place holds as (outer, places, inner).
constexpr const char* join_text = R"(
extern "C" __global__ void ks_algorithm(STORED* held, const VALUE* values, const long long* begins, long long n, long long places, long long inner, long long count) {
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (long long)gridDim.x * blockDim.x) {
    const long long at = i % inner, place = i / inner % places, outer = i / inner / places;
    const long long end = place + 1 < places ? begins[place + 1] : n;
    STORED there = held[i];
    for (long long k = begins[place]; k < end; ++k) {
      const COMPUTE a = LOAD(there), b = values[(outer * n + k) * inner + at];
      there = STORE(JOIN(a, b));
    }
    held[i] = there;
  }
}
)";

/// The number of each index's place, one axis.
Array numbers_of_places(const Places& places) {
  std::optional<Array> number;
  for (const Places::Along& x : places.along) number = number ? apply(Op::add, {apply(Op::multiply, {*number, x.length}), x.position}) : x.position;
  return ravel(broadcast_to(*number, places.together));
}

}  // namespace

void join_in_order(const Array& array, const Places& places, const Array& value, Op join) {
  Device& device = array.device();
  const Typed operands[] = {{array.dtype()}, {value.dtype()}};
  const Dtype compute = op_types(join, operands).compute, stored = array.dtype();
  const Array number = numbers_of_places(places);
  const int64_t n = number.size();
  const Array order = argsort(number, 0), sorted = copy(gather_along(number, 0, order));
  const Array before = roll(sorted, std::vector<int64_t>{1}, Extents{0}), is_first = apply(Op::equal, {arange(Scalar::of(0), Scalar::of(1), n, Dtype::int64, device), 0});
  const Array begins = flatnonzero(apply(Op::logical_or, {is_first, apply(Op::not_equal, {sorted, before})}));
  const Array firsts = gather_along(order, 0, begins);
  // Each place once.
  Places once = places;
  once.are_different = true;
  once.together = {begins.size()};
  for (Places::Along& x : once.along) x.position = copy(gather_along(ravel(broadcast_to(x.position, places.together)), 0, firsts));
  const auto in_shape = [&](int64_t length) {
    View view{{}, {}, places.view.offset};
    const auto add = [&](size_t from, size_t to) {
      for (size_t d = from; d < to; ++d) {
        view.shape.push_back(places.view.shape[d]);
        view.strides.push_back(places.view.strides[d]);
      }
    };
    add(0, places.front);
    view.shape.push_back(length);
    view.strides.push_back(0);
    add(places.front + places.together.size(), places.view.shape.size());
    return view;
  };
  once.view = in_shape(begins.size());
  int64_t outer = 1, inner = 1;
  for (size_t d = 0; d < places.front; ++d) outer *= places.view.shape[d];
  for (size_t d = places.front + places.together.size(); d < places.view.shape.size(); ++d) inner *= places.view.shape[d];
  const Array held = copy(gather(array, once));
  const Dtype text_dtype = register_dtype(compute);
  const Array values = contiguous(gather_along(reshape(astype(value, text_dtype), {outer, n, inner}), 1, order));
  const std::string operands_text[] = {"a", "b"};
  const std::string_view type = codegen::register_text(compute);
  const std::string stored_text(codegen::memory_text(stored));
  const std::string text =
      fmt::format("#define STORED {}\n#define VALUE {}\n#define COMPUTE {}\n#define LOAD(x) ({})\n#define STORE(x) ({})\n#define JOIN(a, b) (({})({}))", stored_text, codegen::register_text(text_dtype), type,
                  codegen::cast_text(stored, compute, codegen::load_text(stored, "(x)")), codegen::store_text(stored, codegen::cast_text(compute, stored, "(x)")), type,
                  filled_text(join, compute, type, operands_text)) +
      join_text;
  const int64_t count = outer * begins.size() * inner;
  const TextParameter parameters[] = {held.data(), values.data_for_read(), begins.data_for_read(), n, begins.size(), inner, count};
  run_text(text, device, std::min<int64_t>(divide_up<int64_t>(count, 128), 1 << 20), 128, parameters);
  scatter(array, once, reshape(held, once.view.shape));
}

}  // namespace kasoku
