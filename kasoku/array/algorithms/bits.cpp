#include "kasoku/array/algorithms/bits.h"

#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/algorithms/run_text.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/base/rounding.h"

#include <algorithm>

namespace kasoku {

namespace {

/// Eight elements are a word, the first one its lowest byte. `bytes` are those of a row, `n` its elements, of which the last word has fewer.
/// Bytes that are 0 or 1, times PLACES, have each in the place of its bit in the highest byte. A bit and 127 have the highest bit of
/// their byte: nothing is carried to the next one. On a CPU a block has words that lie side by side; the whole ones of a single row are a
/// loop without a question, which becomes one of vectors.
constexpr const char* bits_text = R"(
typedef unsigned long long word;
#define ONES 0x0101010101010101ull
#if PACKS
#define CONVERT(w) w |= w >> 4 & 0x0f * ONES, w |= w >> 2 & 0x3f * ONES, w |= w >> 1, y[i] = (unsigned char)((w & ONES) * PLACES >> 56)
#define WHOLE(at) memcpy(&w, x + (at), 8); CONVERT(w)
#define PART(at, left) for (int q = 0; q < (int)(left); ++q) w |= (word)x[(at) + q] << 8 * q; CONVERT(w)
#else
#define CONVERT(w) w = (((x[i] * ONES & PLACES) + 127 * ONES) >> 7) & ONES
#define WHOLE(at) CONVERT(w); memcpy(y + (at), &w, 8)
#define PART(at, left) CONVERT(w); for (int q = 0; q < (int)(left); ++q) y[(at) + q] = (unsigned char)(w >> 8 * q)
#endif
extern "C" __global__ void ks_algorithm(unsigned char* y, const unsigned char* x, long long bytes, long long n, long long count) {
#ifdef KS_SIMT
  const long long end = count, step = (long long)gridDim.x * blockDim.x;
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
#else
  const long long end = count * (blockIdx.x + 1) / gridDim.x, step = 1;
  long long i = count * blockIdx.x / gridDim.x;
  for (const long long whole = bytes < count ? i : n / 8 < end ? n / 8 : end; i < whole; ++i) {
    word w = 0;
    WHOLE(i * 8);
  }
#endif
  for (; i < end; i += step) {
    const long long row = i / bytes, first = i % bytes * 8, left = n - first, at = row * n + first;
    word w = 0;
    if (left >= 8) {
      WHOLE(at);
    } else {
      PART(at, left);
    }
  }
}
)";

/// The axis, or the only one of the ravelled array, as the last one.
Array with_last(const Array& array, std::optional<int64_t> axis) {
  return !axis || array.ndim() == 0 ? ravel(array) : array.ndim() == 1 ? (normal_axis(*axis, 1), array) : moveaxis(array, {*axis}, {-1});
}

Array with_axis(const Array& array, std::optional<int64_t> axis) { return array.ndim() == 1 ? array : contiguous(moveaxis(array, {-1}, {*axis})); }

/// `n` elements along the last axis of `array` or of the result, whichever are not bytes.
Array converted(const Array& array, int64_t n, int64_t length, std::string_view head) {
  Device& device = array.device();
  Shape shape = array.shape();
  const int64_t bytes = divide_up<int64_t>(n, 8), count = product(shape) / std::max<int64_t>(shape.back(), 1) * bytes;
  shape.back() = length;
  const Array x = contiguous(array), result = Array::empty(shape, Dtype::uint8, device);
  if (result.size() == 0) return result;
  const bool is_simt = takes_gpu_form(device);
  const TextParameter parameters[] = {result.data(), x.data_for_read(), bytes, n, count};
  run_text(std::string(head) + bits_text, device, is_simt ? std::min<int64_t>(divide_up<int64_t>(count, 256), 1 << 20) : blocks_for(device, count), is_simt ? 256 : 1, parameters);
  return result;
}

}  // namespace

Array pack_bits(const Array& given, std::optional<int64_t> axis, bool lowest_first) {
  if (!is_integer(given.dtype()) && given.dtype() != Dtype::bool_) throw Error(ErrorKind::type, "Expected an input array of integer or boolean data type");
  const Array x = with_last(given.itemsize() == 1 ? given : apply(Op::not_equal, {given, 0}), axis);
  const int64_t n = x.shape().back();
  return with_axis(converted(x, n, divide_up<int64_t>(n, 8), lowest_first ? "#define PACKS 1\n#define PLACES 0x0102040810204080ull" : "#define PACKS 1\n#define PLACES 0x8040201008040201ull"), axis);
}

Array unpack_bits(const Array& given, std::optional<int64_t> axis, std::optional<int64_t> count, bool lowest_first) {
  if (given.dtype() != Dtype::uint8) throw Error(ErrorKind::type, "Expected an input array of unsigned byte data type");
  const Array x = with_last(given, axis);
  const int64_t n = x.shape().back() * 8;
  const Array bits = converted(x, n, n, lowest_first ? "#define PACKS 0\n#define PLACES 0x8040201008040201ull" : "#define PACKS 0\n#define PLACES 0x0102040810204080ull");
  if (!count || *count == n) return with_axis(bits, axis);
  const int64_t wanted = *count < 0 ? std::max<int64_t>(n + *count, 0) : *count;
  Shape more = bits.shape();
  more.back() = wanted - n;
  return with_axis(wanted <= n ? contiguous(sliced(bits, -1, 0, wanted)) : concatenate(std::vector{bits, full(more, Scalar::of(0), Dtype::uint8, bits.device())}, -1), axis);
}

}  // namespace kasoku
