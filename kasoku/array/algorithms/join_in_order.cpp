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
/// sorted by place; what each place holds as (outer, places, inner). WIDTH threads have a place: one, or those of a warp, which read
/// its values side by side, AHEAD of each at once, and join them one after the other.
constexpr const char* join_text = R"(
#define AHEAD 4
extern "C" __global__ void ks_algorithm(STORED* held, const VALUE* values, const long long* begins, long long n, long long places, long long inner, long long count) {
  const int lane = threadIdx.x & (WIDTH - 1);
  for (long long i = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / WIDTH; i < count; i += (long long)gridDim.x * blockDim.x / WIDTH) {
    const long long at = i % inner, place = i / inner % places, outer = i / inner / places;
    const long long begin = begins[place], end = place + 1 < places ? begins[place + 1] : n;
    const VALUE* const of = values + outer * n * inner + at;
    STORED there = held[i];
#if WIDTH == 1
    for (long long k = begin; k < end; ++k) {
      const COMPUTE a = LOAD(there), b = of[k * inner];
      there = STORE(JOIN(a, b));
    }
#else
    VALUE next[AHEAD];
    for (int q = 0; q < AHEAD; ++q) next[q] = of[(begin + WIDTH * q + lane < end ? begin + WIDTH * q + lane : begin) * inner];
    for (long long k = begin; k < end; k += AHEAD * WIDTH) {
#pragma unroll
      for (int q = 0; q < AHEAD; ++q) {
        const VALUE own = next[q];
        const long long first = k + WIDTH * q, later = first + AHEAD * WIDTH + lane;
        if (later < end) next[q] = of[later * inner];
        const int left = end - first < WIDTH ? (int)(end - first) : WIDTH;
#pragma unroll 8
        for (int j = 0; j < left; ++j) {
          const COMPUTE a = LOAD(there), b = __shfl_sync(0xffffffffu, own, j);
          there = STORE(JOIN(a, b));
        }
      }
    }
#endif
    if (lane == 0) held[i] = there;
  }
}
)";

/// A dtype that holds the numbers of so many places: the sorting of wide ones takes longer.
Dtype dtype_of_numbers(int64_t places) {
  return places <= 1 << 8 ? Dtype::uint8 : places <= 1 << 16 ? Dtype::uint16 : places <= int64_t{1} << 32 ? Dtype::uint32 : Dtype::int64;
}

/// The number of each index's place, one axis.
Array numbers_of_places(const Places& places) {
  std::optional<Array> number;
  int64_t all = 1;
  for (const Places::Along& x : places.along) {
    number = number ? apply(Op::add, {apply(Op::multiply, {*number, x.length}), x.position}) : x.position;
    all *= x.length;
  }
  return contiguous(astype(ravel(broadcast_to(*number, places.together)), dtype_of_numbers(all)));
}

}  // namespace

void join_in_order(const Array& array, const Places& places, const Array& value, Op join) {
  Device& device = array.device();
  const Typed operands[] = {{array.dtype()}, {value.dtype()}};
  const Dtype compute = op_types(join, operands).compute, stored = array.dtype();
  const Array number = numbers_of_places(places);
  const int64_t n = number.size();
  const Array order = argsort(number, 0), sorted = contiguous(gather_along(number, 0, order));
  const Array later = apply(Op::add, {flatnonzero(apply(Op::not_equal, {sliced(sorted, 0, 1, n), sliced(sorted, 0, 0, n - 1)})), 1});
  const Array begins = concatenate(std::vector{full({1}, Scalar::of(int64_t{0}), Dtype::int64, device), later}, 0);
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
  // A thread alone takes long for many values, which lie apart from its neighbours'.
  constexpr int64_t many = 64, threads = 128;
  const bool has_warps = takes_gpu_form(device) && inner == 1 && n >= many * begins.size() && !is_complex(text_dtype);
  const int64_t width = has_warps ? 32 : 1;
  const std::string text =
      fmt::format("#define WIDTH {}\n#define STORED {}\n#define VALUE {}\n#define COMPUTE {}\n#define LOAD(x) ({})\n#define STORE(x) ({})\n#define JOIN(a, b) (({})({}))", width, stored_text, codegen::register_text(text_dtype), type,
                  codegen::cast_text(stored, compute, codegen::load_text(stored, "(x)")), codegen::store_text(stored, codegen::cast_text(compute, stored, "(x)")), type,
                  filled_text(join, compute, type, operands_text)) +
      join_text;
  const int64_t count = outer * begins.size() * inner;
  const TextParameter parameters[] = {held.data(), values.data_for_read(), begins.data_for_read(), n, begins.size(), inner, count};
  run_text(text, device, std::min<int64_t>(divide_up<int64_t>(count * width, threads), 1 << 20), threads, parameters);
  scatter(array, once, reshape(held, once.view.shape));
}

}  // namespace kasoku
