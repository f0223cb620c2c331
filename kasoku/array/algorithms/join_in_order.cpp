#include "kasoku/array/algorithms/join_in_order.h"

#include "kasoku/array/algorithms/bins.h"
#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/algorithms/run_text.h"
#include "kasoku/array/algorithms/sort.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/scan.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/rounding.h"
#include "kasoku/codegen/emit.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

namespace {

/// STORED is an element's type in memory, LOAD and STORE lead to what is computed in and back. The values lie as (outer, n, inner), what
/// each place holds as (outer, places, inner). Where values are few, at most FEW, each thread looks at all of them for those of its place,
/// whose number an index has; STAGED says that they are the same for all threads of a block, which are then together in its memory. Else `order` has the indices sorted by place, and `ends` where each place's end in it. WIDTH threads have a place: one,
/// or those of a warp, which read its values side by side, AHEAD of each at once, and join them one after the other.
constexpr const char* join_text = R"(
#define AHEAD 8
extern "C" __global__ void ks_algorithm(STORED* held, const VALUE* values, const NUMBER* numbers, const long long* order, const long long* ends, long long n, long long places, long long inner, long long count) {
  const int lane = threadIdx.x & (WIDTH - 1);
#if FEW
  __shared__ __align__(16) NUMBER near[FEW + AHEAD];
  __shared__ __align__(16) VALUE staged[STAGED ? FEW : 1];
  for (int k = threadIdx.x; k < (int)n; k += blockDim.x) {
    near[k] = numbers[k];
    if (STAGED) staged[k] = values[k];
  }
  __syncthreads();
#endif
  for (long long i = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / WIDTH; i < count; i += (long long)gridDim.x * blockDim.x / WIDTH) {
    const long long at = i % inner, place = i / inner % places, outer = i / inner / places;
    const VALUE* const of = values + outer * n * inner + at;
#if FEW
    STORED there = held[i];
    bool has_values = false;
    for (int k = 0; k < (int)n; k += AHEAD) {
      VALUE own[AHEAD];  // all threads load the same: what each loads for itself they wait for one after the other
#pragma unroll
      for (int q = 0; q < AHEAD; ++q) own[q] = STAGED ? staged[k + q < (int)n ? k + q : 0] : of[(k + q < (int)n ? k + q : 0) * inner];
#pragma unroll
      for (int q = 0; q < AHEAD; ++q) {
        if ((k + q >= (int)n) | (near[k + q] != (NUMBER)place)) continue;
        const COMPUTE a = LOAD(there), b = own[q];
        there = STORE(JOIN(a, b));
        has_values = true;
      }
    }
    if (has_values) held[i] = there;
#else
    const long long begin = place == 0 ? 0 : ends[place - 1], end = ends[place];
    if (begin == end) continue;
    STORED there = held[i];
#if WIDTH == 1
    for (long long k = begin; k < end; ++k) {
      const COMPUTE a = LOAD(there), b = of[order[k] * inner];
      there = STORE(JOIN(a, b));
    }
#else
    VALUE next[AHEAD];
    for (int q = 0; q < AHEAD; ++q) next[q] = of[order[begin + WIDTH * q + lane < end ? begin + WIDTH * q + lane : begin] * inner];
    for (long long k = begin; k < end; k += AHEAD * WIDTH) {
#pragma unroll
      for (int q = 0; q < AHEAD; ++q) {
        const VALUE own = next[q];
        const long long first = k + WIDTH * q, later = first + AHEAD * WIDTH + lane;
        if (later < end) next[q] = of[order[later] * inner];
        const int left = end - first < WIDTH ? (int)(end - first) : WIDTH;
        if (left == WIDTH) {
#pragma unroll
          for (int j = 0; j < WIDTH; ++j) {
            const COMPUTE a = LOAD(there), b = __shfl_sync(0xffffffffu, own, j);
            there = STORE(JOIN(a, b));
          }
        } else {
          for (int j = 0; j < left; ++j) {
            const COMPUTE a = LOAD(there), b = __shfl_sync(0xffffffffu, own, j);
            there = STORE(JOIN(a, b));
          }
        }
      }
    }
#endif
    if (lane == 0) held[i] = there;
#endif
  }
}
)";

/// A dtype that holds the numbers of so many places: the sorting of wide ones takes longer.
Dtype dtype_of_numbers(int64_t places) {
  return places <= 1 << 8 ? Dtype::uint8 : places <= 1 << 16 ? Dtype::uint16 : places <= int64_t{1} << 32 ? Dtype::uint32 : Dtype::int64;
}

int64_t number_of_places(const Places& places) {
  int64_t all = 1;
  for (const Places::Along& x : places.along) all *= x.length;
  return all;
}

/// The number of each index's place, one axis, computed.
Array numbers_of_places(const Places& places) {
  std::optional<Array> number;
  for (const Places::Along& x : places.along) number = number ? apply(Op::add, {apply(Op::multiply, {*number, x.length}), x.position}) : x.position;
  const Array numbers = contiguous(astype(ravel(broadcast_to(*number, places.together)), dtype_of_numbers(number_of_places(places))));
  numbers.data_for_read();
  return numbers;
}

/// Places, and which values belong to each.
struct Indices {
  Places once;       ///< each place that has values, and maybe others, once
  Array order, ends;  ///< as join_text has them; none where values are few
};

/// The places' geometry for so many of them, one behind the other.
Places in_a_row(const Places& places, int64_t length) {
  Places row = places;
  row.are_different = true;
  row.together = {length};
  row.view = {{}, {}, places.view.offset};
  const auto add = [&](size_t from, size_t to) {
    for (size_t d = from; d < to; ++d) {
      row.view.shape.push_back(places.view.shape[d]);
      row.view.strides.push_back(places.view.strides[d]);
    }
  };
  add(0, places.front);
  row.view.shape.push_back(length);
  row.view.strides.push_back(0);
  add(places.front + places.together.size(), places.view.shape.size());
  return row;
}

Places all_places(const Places& places, Device& device) {
  const int64_t all = number_of_places(places);
  Places row = in_a_row(places, all);
  const Array number = arange(Scalar::of(0), Scalar::of(1), all, Dtype::int64, device);
  int64_t step = all;
  for (Places::Along& x : row.along) {
    step /= x.length;
    x.position = apply(Op::remainder, {apply(Op::floor_divide, {number, step}), x.length});
  }
  return row;
}

/// Whether the places are all of an array that lies in C order, and nothing between them.
bool are_whole(const Places& places, const Array& array) {
  int64_t expected = static_cast<int64_t>(array.itemsize());
  const auto follows = [&](int64_t length, int64_t stride) { return length == 1 || stride == expected ? (expected *= length, true) : false; };
  const View& view = places.view;
  bool are = view.offset == array.offset();
  for (size_t d = view.shape.size(); d-- > places.front + places.together.size();) are = are && follows(view.shape[d], view.strides[d]);
  for (size_t d = places.along.size(); d-- > 0;) are = are && follows(places.along[d].length, places.along[d].stride);
  for (size_t d = places.front; d-- > 0;) are = are && follows(view.shape[d], view.strides[d]);
  return are;
}

/// Where places are few beside the values all of them are taken, else those that have values.
Indices sorted_by_place(const Places& places, const Array& numbers) {
  Device& device = numbers.device();
  const int64_t n = numbers.size(), all = number_of_places(places);
  const Array order = argsort(numbers, 0);
  if (all <= n) return {all_places(places, device), order, contiguous(scan(ScanOp::cumsum, count_bins(astype(numbers, Dtype::int64), std::nullopt, all), 0))};
  const Array sorted = contiguous(gather_along(numbers, 0, order));
  const Array later = apply(Op::add, {flatnonzero(apply(Op::not_equal, {sliced(sorted, 0, 1, n), sliced(sorted, 0, 0, n - 1)})), 1});
  const Array first = full({1}, Scalar::of(int64_t{0}), Dtype::int64, device), end = full({1}, Scalar::of(n), Dtype::int64, device);
  const Array firsts = gather_along(order, 0, concatenate(std::vector{first, later}, 0));
  Places once = in_a_row(places, firsts.size());
  for (Places::Along& x : once.along) x.position = copy(gather_along(ravel(broadcast_to(x.position, places.together)), 0, firsts));
  return {once, order, concatenate(std::vector{later, end}, 0)};
}

}  // namespace

void join_in_order(const Array& array, const Places& places, const Array& value, Op join) {
  Device& device = array.device();
  const Typed operands[] = {{array.dtype()}, {value.dtype()}};
  const Dtype compute = op_types(join, operands).compute, stored = array.dtype(), text_dtype = register_dtype(compute);
  const Array numbers = numbers_of_places(places);
  constexpr int64_t few_values = 1024, some_places = 1 << 18;
  const int64_t n = numbers.size(), all = number_of_places(places);
  const bool are_few = n <= few_values && all <= some_places;
  const Indices indices = are_few ? Indices{all_places(places, device), {}, {}} : sorted_by_place(places, numbers);
  const Places& once = indices.once;
  const int64_t n_places = once.together[0];
  int64_t outer = 1, inner = 1;
  for (size_t d = 0; d < once.front; ++d) outer *= once.view.shape[d];
  for (size_t d = once.front + 1; d < once.view.shape.size(); ++d) inner *= once.view.shape[d];
  const Array converted = contiguous(value.dtype() == text_dtype ? value : astype(value, text_dtype));
  const Array values = converted.buffer() == array.buffer() ? copy(converted) : converted;  // which is read while the array is written
  const void* const from = values.data_for_read();
  const bool are_all = n_places == all && are_whole(places, array);
  const Array held = are_all ? array : copy(gather(array, once));
  // A thread alone takes long for many values, which lie apart from its neighbours'.
  constexpr int64_t many = 64, threads = 128;
  const bool has_warps = takes_gpu_form(device) && inner == 1 && !are_few && n >= many * n_places && !is_complex(text_dtype);
  const int64_t width = has_warps ? 32 : 1;
  const std::string operands_text[] = {"a", "b"};
  const std::string_view type = codegen::register_text(compute);
  const std::string text =
      fmt::format("#define FEW {}\n#define STAGED {}\n#define WIDTH {}\n#define NUMBER {}\n#define STORED {}\n#define VALUE {}\n#define COMPUTE {}\n#define LOAD(x) ({})\n#define STORE(x) ({})\n#define JOIN(a, b) (({})({}))", are_few ? few_values : 0, static_cast<int>(outer * inner == 1), width,
                  codegen::memory_text(numbers.dtype()), codegen::memory_text(stored), codegen::register_text(text_dtype), type, codegen::cast_text(stored, compute, codegen::load_text(stored, "(x)")),
                  codegen::store_text(stored, codegen::cast_text(compute, stored, "(x)")), type, filled_text(join, compute, type, operands_text)) +
      join_text;
  const int64_t count = outer * n_places * inner;
  const auto memory = [](const Array& x) { return x.is_null() ? nullptr : x.data_for_read(); };
  const TextParameter parameters[] = {held.data(), from, memory(numbers), memory(indices.order), memory(indices.ends), n, n_places, inner, count};
  run_text(text, device, std::min<int64_t>(divide_up<int64_t>(count * width, threads), 1 << 20), threads, parameters);
  if (!are_all) scatter(array, once, reshape(held, once.view.shape));
}

}  // namespace kasoku
