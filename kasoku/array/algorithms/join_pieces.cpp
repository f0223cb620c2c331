#include "kasoku/array/algorithms/join_pieces.h"

#include "kasoku/array/algorithms/run_text.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/rounding.h"
#include "kasoku/codegen/emit.h"
#include "kasoku/codegen/reductions.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

namespace {

/// The array lies as (outer, n, inner), the result as (outer, pieces, inner). STORED is an element's type in memory, LOAD and STORE lead to
/// COMPUTE and back. Pieces of at least 64 elements have 32 LANES, if brackets may be moved: of one thread, or (WIDTH) those of a warp, with
/// the same bits. INNER is inner, or 1, with which a compiler knows that lanes lie side by side. ALL: there is one piece, and what is joined
/// up to each of its elements is stored, so that the result lies as the array.
constexpr const char* pieces_text = R"(
#define LANES 32
extern "C" __global__ void ks_algorithm(STORED* y, const STORED* x, const long long* starts, long long n, long long pieces, long long inner, long long count) {
  for (long long i = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / WIDTH; i < count; i += (long long)gridDim.x * blockDim.x / WIDTH) {
    const long long piece = i / INNER % pieces, begin = starts[piece], next = piece + 1 < pieces ? starts[piece + 1] : n;
    const long long end = next > begin ? next : begin + 1;
    const STORED* const of = x + i / INNER / pieces * n * INNER + i % INNER;
    COMPUTE there = LOAD(of[begin * INNER]);
    long long k = begin + 1;
#if ALL
    STORED* const to = y + (of - x);
    to[0] = STORE(there);
#elif HAS_LANES
    if (end - begin >= 2 * LANES) {
      k = begin + LANES;
#if WIDTH == 1
      COMPUTE part[LANES];
      for (int q = 0; q < LANES; ++q) part[q] = LOAD(of[(begin + q) * INNER]);
      for (; k + LANES <= end; k += LANES) {
        for (int q = 0; q < LANES; ++q) {
          const COMPUTE a = part[q], b = LOAD(of[(k + q) * INNER]);
          part[q] = JOIN(a, b);
        }
      }
      for (int half = LANES / 2; half > 0; half /= 2) {
        for (int q = 0; q < half; ++q) {
          const COMPUTE a = part[q], b = part[q + half];
          part[q] = JOIN(a, b);
        }
      }
      there = part[0];
#else
      const int lane = threadIdx.x & (LANES - 1);
      there = LOAD(of[(begin + lane) * INNER]);
      for (; k + LANES <= end; k += LANES) {
        const COMPUTE a = there, b = LOAD(of[(k + lane) * INNER]);
        there = JOIN(a, b);
      }
      for (int half = LANES / 2; half > 0; half /= 2) {
        const COMPUTE a = there, b = __shfl_down_sync(0xffffffffu, there, half);
        there = JOIN(a, b);
      }
#endif
    }
#endif
    for (; k < end; ++k) {
      const COMPUTE a = there, b = LOAD(of[k * INNER]);
      there = JOIN(a, b);
#if ALL
      to[k * INNER] = STORE(there);
#endif
    }
#if !ALL
    if (WIDTH == 1 || (threadIdx.x & (WIDTH - 1)) == 0) y[i] = STORE(there);
#endif
  }
}
)";

/// The dtype in which elements are joined: sums and products have their reductions' rules, others that of the operation.
Dtype joined_dtype(Dtype given, Op join, std::optional<Dtype> wanted) {
  if (join == Op::add || join == Op::multiply) return wanted ? *wanted : reduction_types(join == Op::add ? ReduceOp::sum : ReduceOp::prod, given).result;
  const Dtype dtype = op_types(join, wanted.value_or(given)).result;
  if (op_types(join, dtype).result != dtype) throw Error(ErrorKind::type, std::string(info(join).name) + ".reduceat: what joins elements gives their dtype, not that of " + std::string(info(dtype).name));
  return dtype;
}

/// The greatest start as an unsigned number, of which negative ones are the greatest.
uint64_t last_start(const Array& starts) {
  if (!starts.device().is_host() || starts.size() > 1024) return greatest_unsigned(starts);
  const auto* const first = static_cast<const uint64_t*>(starts.data_for_read());
  return *std::max_element(first, first + starts.size());
}

}  // namespace

Array join_pieces(const Array& array, const Array& given_starts, int64_t axis, Op join, Pieces which, std::optional<Dtype> wanted) {
  const bool may_move_brackets = which == Pieces::in_any_brackets, keeps_all = which == Pieces::with_each_step;
  if (array.ndim() == 0) throw Error(ErrorKind::type, "cannot reduceat on a scalar");
  const size_t along = normal_axis(axis, array.ndim());
  const int64_t n = array.shape()[along], pieces = given_starts.size();
  if (given_starts.ndim() != 1) throw Error(ErrorKind::value, std::string(info(join).name) + ".reduceat: the starts of pieces are a row");
  const Array starts = contiguous(as_dtype(given_starts, Dtype::int64));
  if (pieces > 0 && last_start(starts) >= static_cast<uint64_t>(n))
    throw Error(ErrorKind::index, "index out-of-bounds in " + std::string(info(join).name) + ".reduceat [0, " + std::to_string(n) + ")");
  Device& device = array.device();
  const Dtype dtype = joined_dtype(array.dtype(), join, wanted), compute = op_types(join, dtype).compute;
  Shape shape = array.shape();
  if (!keeps_all) shape[along] = pieces;
  const Array x = contiguous(as_dtype(array, dtype)), result = Array::empty(shape, dtype, device);
  const int64_t rows = keeps_all ? product(shape) / std::max<int64_t>(n, 1) : product(shape), count = n == 0 ? 0 : rows;
  if (count == 0) return result;
  const int64_t inner = product(Shape(shape.begin() + static_cast<std::ptrdiff_t>(along) + 1, shape.end()));
  // Long pieces of a row are read by warps, whose shuffles take no complex numbers.
  constexpr int64_t many = 64, threads = 128;
  const bool is_simt = takes_gpu_form(device);
  const int64_t width = is_simt && may_move_brackets && inner == 1 && n >= many * pieces && !is_complex(compute) ? 32 : 1;
  const std::string operands[] = {"a", "b"};
  const std::string_view type = codegen::register_text(compute);
  const std::string text = fmt::format("#define WIDTH {}\n#define INNER {}\n#define ALL {}\n#define HAS_LANES {}\n#define STORED {}\n#define COMPUTE {}\n#define LOAD(x) ({})\n#define STORE(x) ({})\n#define JOIN(a, b) (({})({}))", width, inner == 1 ? "1" : "inner", static_cast<int>(keeps_all), static_cast<int>(may_move_brackets),
                                       codegen::memory_text(dtype), type, codegen::cast_text(dtype, compute, codegen::load_text(dtype, "(x)")), codegen::store_text(dtype, codegen::cast_text(compute, dtype, "(x)")), type, filled_text(join, compute, type, operands)) +
                           pieces_text;
  const TextParameter parameters[] = {result.data(), x.data_for_read(), starts.data_for_read(), n, pieces, inner, count};
  const int64_t blocks = is_simt ? std::min<int64_t>(divide_up(count * width, threads), 1 << 20) : std::min(count, blocks_for(device, x.size()));
  run_text(text, device, blocks, is_simt ? threads : 1, parameters);
  return result;
}

}  // namespace kasoku
