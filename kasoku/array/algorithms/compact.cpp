#include "kasoku/array/algorithms/compact.h"

#include "kasoku/array/algorithms/run_text.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/scan.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/elements.h"
#include "kasoku/base/rounding.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <immintrin.h>
#include <optional>

namespace kasoku {

namespace {

/// A chunk is what a block of a GPU has at once: 256 threads with eight flags each. A CPU's block is one thread and has more.
constexpr int64_t simt_chunk = 2048, serial_chunk = 16384;
constexpr uint32_t simt_threads = 256;
/// On a host so few elements are chosen by the time that a kernel needs to be found.
constexpr int64_t few_flags = 65536;

/// What a GPU's block has in eight rounds: each warp 32 neighbours a round, and of these a bit for each flag.
constexpr const char* flags_text = R"(
#ifdef KS_SIMT
struct ks_rounds { unsigned int set[8]; };
ks_helper ks_rounds ks_flags(const unsigned char* flags, long long begin, long long end) {
  ks_rounds of;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const long long i = begin + 256 * k + threadIdx.x;
    of.set[k] = __ballot_sync(0xffffffffu, i < end && flags[i]);
  }
  return of;
}
#endif
)";

constexpr const char* count_text = R"(
extern "C" __global__ void ks_algorithm(long long* counts, const unsigned char* flags, long long n, long long chunk) {
  const long long begin = blockIdx.x * chunk, end = begin + chunk < n ? begin + chunk : n;
#ifdef KS_SIMT
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const ks_rounds of = ks_flags(flags, begin, end);
  int own = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) own += __popc(of.set[k]);
  if ((threadIdx.x & 31) == 0) atomicAdd(&total, own);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
#else
  unsigned int total = 0;
  for (long long i = begin; i < end; ++i) total += flags[i] != 0;
  counts[blockIdx.x] = total;
#endif
}
)";

/// Of a GPU's counts sums up to each, by one block: its threads have neighbouring counts. Several kernels would take longer.
constexpr const char* until_text = R"(
extern "C" __global__ void ks_algorithm(long long* counts, long long n) {
  __shared__ long long sums[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const long long each = (n + blockDim.x - 1) / blockDim.x, first = threadIdx.x * each, last = first + each < n ? first + each : n;
  long long own = 0;
#pragma unroll 4
  for (long long i = first; i < last; ++i) own += counts[i];
  long long sum = own;
  for (int step = 1; step < 32; step <<= 1) {
    const long long other = __shfl_up_sync(0xffffffffu, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  long long before = sum - own;
  for (int w = 0; w < warp; ++w) before += sums[w];
#pragma unroll 4
  for (long long i = first; i < last; ++i) {
    before += counts[i];
    counts[i] = before;
  }
}
)";

/// TYPE is an element's; STORE(at, i) moves between element i and the chosen one of number `at`. On a CPU each element
/// is stored where the next chosen one goes, and the last one that was stored there stays: a branch that depends on
/// flags would be guessed wrong half of the time. Eight flags of which none is set are passed over, and their elements not read.
constexpr const char* store_text = R"(
struct ks_sixteen { unsigned long long a, b; };
extern "C" __global__ void ks_algorithm(TYPE* y, const TYPE* x, const unsigned char* flags, const long long* until, long long n, long long chunk) {
  const long long begin = blockIdx.x * chunk, end = begin + chunk < n ? begin + chunk : n;
  long long at = blockIdx.x == 0 ? 0 : until[blockIdx.x - 1];
  const long long stop = until[blockIdx.x];
#ifdef KS_SIMT
  __shared__ int before[64];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const ks_rounds of = ks_flags(flags, begin, end);
#pragma unroll
  for (int k = 0; k < 8; ++k)
    if (lane == 0) before[8 * k + warp] = __popc(of.set[k]);
  __syncthreads();
  if (warp == 0) {
    const int a = before[2 * lane], own = a + before[2 * lane + 1];
    int sum = own;
    for (int step = 1; step < 32; step <<= 1) {
      const int other = __shfl_up_sync(0xffffffffu, sum, step);
      if (lane >= step) sum += other;
    }
    before[2 * lane] = sum - own;
    before[2 * lane + 1] = sum - own + a;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const long long to = at + before[8 * k + warp] + __popc(of.set[k] & ((1u << lane) - 1));
    if (of.set[k] >> lane & 1) STORE(to, begin + 256 * k + threadIdx.x);
  }
#else
  if (stop - at == end - begin)
    for (long long i = begin; i < end; ++i) STORE(at + (i - begin), i);
  else
    for (long long i = begin; at < stop;) {
      unsigned long long eight = 1;
      if (i + 8 <= end) __builtin_memcpy(&eight, flags + i, 8);
      const long long until_here = i + 8 <= end ? i + 8 : end;
      if (eight)
        for (; i < until_here && at < stop; ++i) {
          STORE(at, i);
          at += flags[i] != 0;
        }
      i = until_here;
    }
#endif
}
)";

Array flags_of(const Array& array) { return contiguous(array.dtype() == Dtype::bool_ ? array : astype(array, Dtype::bool_)); }

int64_t number_at(const Array& array, int64_t at) { return array.with_view({{}, {}, 8 * at}).item().i; }

bool is_few(const Array& flags) { return flags.device().is_host() && flags.size() <= few_flags && few_at_once.load(std::memory_order_relaxed); }

constexpr uint64_t each = 0x0101010101010101;

/// 1 in each byte that is not 0: others may have written more than one bit into a bool.
constexpr uint64_t ones(uint64_t word) { return ((((word & ~(each << 7)) + (each << 7) - each) | word) >> 7) & each; }

/// Eight flags at a time, because most masks have long runs: none(i), all(i) or mixed(i, word, how many there are).
template <class None, class All, class Mixed>
void by_eights(const uint8_t* flags, int64_t n, None&& none, All&& all, Mixed&& mixed) {
  int64_t i = 0;
  for (uint64_t word; i + 8 <= n; i += 8) {
    std::memcpy(&word, flags + i, 8);
    word = ones(word);
    word == 0 ? none(i) : word == each ? all(i) : mixed(i, word, 8);
  }
  if (uint64_t word = 0; i < n) {
    std::memcpy(&word, flags + i, static_cast<size_t>(n - i));
    mixed(i, ones(word), n - i);
  }
}

/// A bit for each of 64 flags.
[[gnu::target("avx2")]] uint64_t bits_of(const uint8_t* flags) {
  const auto* const words = reinterpret_cast<const __m256i*>(flags);
  const __m256i none = _mm256_setzero_si256();
  const auto low = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(words), none)));
  const auto high = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(words + 1), none)));
  return ~(uint64_t{high} << 32 | low);
}

[[gnu::target("avx2,popcnt")]] int64_t count_of(const uint8_t* flags, int64_t n) {
  int64_t count = 0, i = 0;
  for (; i + 64 <= n; i += 64) count += __builtin_popcountll(bits_of(flags + i));
  for (; i < n; ++i) count += flags[i] != 0;
  return count;
}

/// Elements of `size` bytes, or the positions themselves, one behind the other; `count` flags are set.
template <size_t size>
void take_few(const uint8_t* flags, int64_t n, int64_t count, const char* from, char* to) {
  const auto move = [&](int64_t i, char* where) {
    if (from) std::memcpy(where, from + i * static_cast<int64_t>(size), size);
    else std::memcpy(where, &i, std::min<size_t>(size, sizeof i));
  };
  if (4 * count < n) {  // from bit to bit, past those between
    int64_t i = 0;
    const auto take = [&](int64_t at) {
      move(at, to);
      to += size;
    };
    for (; i + 64 <= n; i += 64)
      for (uint64_t bits = bits_of(flags + i); bits; bits &= bits - 1) take(i + std::countr_zero(bits));
    for (; i < n; ++i)
      if (flags[i]) take(i);
    return;
  }
  char* const end = to + count * static_cast<int64_t>(size);
  by_eights(
      flags, n, [](int64_t) {},
      [&](int64_t i) {
        if (from) std::memcpy(to, from + i * static_cast<int64_t>(size), 8 * size);
        for (int64_t k = 0; k < 8 && !from; ++k) move(i + k, to + k * static_cast<int64_t>(size));
        to += 8 * size;
      },
      [&](int64_t i, uint64_t word, int64_t length) {
        // A branch that depends on flags would be guessed wrong half of the time.
        const auto take = [&](int64_t k) {
          move(i + k, to);
          to += size * (word >> 8 * k & 1);
        };
        if (length == 8 && end - to >= static_cast<int64_t>(8 * size))
          for (int64_t k = 0; k < 8; ++k) take(k);
        else
          for (int64_t k = 0; k < length && to < end; ++k) take(k);
      });
}

/// The other way: chosen elements of `to` become those of `from`, one after the other.
template <size_t size>
void put_few(const uint8_t* flags, int64_t n, const char* from, char* to) {
  const auto move = [&](int64_t i) {
    std::memcpy(to + i * static_cast<int64_t>(size), from, size);
    from += size;
  };
  by_eights(
      flags, n, [](int64_t) {},
      [&](int64_t i) {
        std::memcpy(to + i * static_cast<int64_t>(size), from, 8 * size);
        from += 8 * size;
      },
      [&](int64_t i, uint64_t word, int64_t) {
        for (; word; word &= word - 1) move(i + std::countr_zero(word) / 8);
      });
}

/// How many flags are set up to the end of each chunk; `store` says what becomes of element `i`, which is number `at` of those that are.
struct FlagChunks {
  FlagChunks(const Array& of, size_t itemsize, const char* store)
      : flags(of),
        device(of.device()),
        is_simt(takes_gpu_form(device)),
        size(is_simt ? simt_chunk : serial_chunk),
        n(divide_up(of.size(), size)) {
    until = Array::empty({n}, Dtype::int64, device);
    const TextParameter counting[] = {until.data(), flags.data_for_read(), flags.size(), size};
    run_text(std::string(flags_text) + count_text, device, n, threads(), counting);
    if (n > 1) sum_up();
    // Compiled while flags are counted.
    storing = &text_function(fmt::format("#define TYPE {}\n#define STORE(at, i) {}\n", moved_text(itemsize), store) + flags_text + store_text, device);
    count = number_at(until, n - 1);
  }
  uint32_t threads() const { return is_simt ? simt_threads : 1; }
  void sum_up() {
    if (!is_simt) return void(until = scan(ScanOp::cumsum, until, 0));
    const TextParameter summing[] = {until.data(), n};
    run_text(until_text, device, 1, 4 * simt_threads, summing);
  }
  void move(void* y, const void* x) const {
    const TextParameter parameters[] = {y, x, flags.data_for_read(), until.data_for_read(), flags.size(), size};
    run_text(*storing, device, n, threads(), parameters);
  }

  const Array& flags;
  Device& device;
  const bool is_simt;
  const int64_t size, n;
  Array until;
  Function* storing = nullptr;
  int64_t count = 0;
};

/// Of elements that lie in C order `from` there, or of the positions themselves.
Array chosen_of_few(const uint8_t* flag, int64_t n, const void* from, Dtype dtype, size_t itemsize, Device& device) {
  const int64_t count = count_of(flag, n);
  auto result = Storage::allocate(device, static_cast<size_t>(count) * itemsize);
  const char* const first = static_cast<const char*>(from);
  char* to = static_cast<char*>(result->buffer->memory());
  if (!with_size(itemsize, [&]<size_t size>() { take_few<size>(flag, n, count, first, to); }))
    for (int64_t i = 0; i < n; ++i)
      if (flag[i]) std::memcpy(to, first + static_cast<size_t>(i) * itemsize, itemsize), to += itemsize;
  return Array::of(std::move(result), {count}, dtype, itemsize);
}

/// Of `values`, which lie in C order, or of the positions themselves.
Array chosen(const Array& flags, const std::optional<Array>& values) {
  Device& device = flags.device();
  const int64_t n = flags.size();
  const Dtype dtype = values ? values->dtype() : Dtype::int64;
  const size_t itemsize = values ? values->itemsize() : 8;
  const auto* const flag = static_cast<const uint8_t*>(flags.data_for_read());
  const void* const from = values ? values->data_for_read() : nullptr;
  if (is_few(flags) || (n > 0 && dtype == Dtype::opaque)) return chosen_of_few(flag, n, from, dtype, itemsize, device);
  if (n == 0) return Array::empty({0}, dtype, device, itemsize);
  const FlagChunks chunks(flags, itemsize, values ? "y[at] = x[i]" : "y[at] = (unsigned long long)(i)");
  Array result = Array::empty({chunks.count}, dtype, device, itemsize);
  if (result.size() > 0) chunks.move(result.data(), from);
  return result;
}

}  // namespace

Array flatnonzero(const Array& array) {
  const bool is_bool = array.dtype() == Dtype::bool_;
  uint8_t flags[few_elements];
  if (!is_bool && convert_into(flags, array, Dtype::bool_)) return chosen_of_few(flags, array.size(), nullptr, Dtype::int64, sizeof(int64_t), array.device());
  if (is_bool && array.is_contiguous() && is_few(array) && !Recorder::current())
    if (const Held held(array); held)
      return chosen_of_few(reinterpret_cast<const uint8_t*>(held.memory()), array.size(), nullptr, Dtype::int64, sizeof(int64_t), array.device());
  return chosen(flags_of(array), std::nullopt);
}

std::vector<Array> nonzero(const Array& array) {
  Array at = flatnonzero(array);
  std::vector<Array> result;
  if (array.ndim() == 1) {
    result.push_back(std::move(at));
    return result;
  }
  int64_t step = array.size();
  for (int64_t length : array.shape()) {
    step = length ? step / length : 0;
    Array along = at;
    if (step != 1) along = apply(Op::floor_divide, {along, step});
    if (!result.empty()) along = apply(Op::remainder, {along, length});
    result.push_back(along);
  }
  return result;
}

Array argwhere(const Array& array) {
  const std::vector<Array> axes = nonzero(array);
  if (axes.empty()) return Array::empty({flatnonzero(array).size(), 0}, Dtype::int64, array.device());
  return transpose(stack(axes, 0));  // in memory as nonzero() has them, and NumPy
}

bool place(const Array& array, const Array& mask, const Array& values) {
  const auto apart = [&](Array x) {
    return !x.is_pending() && x.buffer() == array.buffer() ? copy(x) : x;
  };  // it is read while the array is written
  const Array flags = apart(flags_of(mask)), given = apart(contiguous(values));
  if (flags.size() == 0) return given.size() == 0;
  const void* const from = given.size() > 0 ? given.data_for_read() : nullptr;
  if (is_few(flags)) {
    const auto* const flag = static_cast<const uint8_t*>(flags.data_for_read());
    const int64_t n = flags.size();
    if (count_of(flag, n) != given.size()) return false;
    char* const to = static_cast<char*>(array.data());
    with_size(array.itemsize(), [&]<size_t size>() { put_few<size>(flag, n, static_cast<const char*>(from), to); });
    return true;
  }
  if (given.size() == 0) return !is_true(reduce(ReduceOp::any, flags));
  const FlagChunks chunks(flags, array.itemsize(), "y[i] = flags[i] ? x[at] : y[i]");
  if (chunks.count != given.size()) return false;
  chunks.move(array.data(), from);
  return true;
}

namespace {

/// Whether a mask of few flags says of each element of the array, both in C order, whether it is chosen.
bool suits_few(const Array& array, const Array& mask) {
  const Array::State &x = array.state(), &flags = mask.state();
  return flags.dtype == Dtype::bool_ && x.is_contiguous && flags.is_contiguous && !x.view.shape.empty() && flags.view.shape == x.view.shape &&
         x.dtype != Dtype::opaque && is_few(mask) && !Recorder::current();
}

}  // namespace

bool fill_few(const Array& array, const Array& mask, const Scalar& value) {
  if (!suits_few(array, mask)) return false;
  const Held held(array), flags(mask);
  if (!flags || !held.may_be_written() || held.buffer().overlaps(flags.buffer())) return false;
  alignas(16) char from[16];
  value.store(array.dtype(), from);
  char* const to = held.memory();
  return with_size(array.itemsize(), [&]<size_t size>() {
    char bytes[8 * size];
    for (size_t k = 0; k < 8; ++k) std::memcpy(bytes + k * size, from, size);
    by_eights(
        reinterpret_cast<const uint8_t*>(flags.memory()), mask.size(), [](int64_t) {},
        [&](int64_t i) { std::memcpy(to + i * static_cast<int64_t>(size), bytes, 8 * size); },
        [&](int64_t i, uint64_t word, int64_t) {
          for (; word; word &= word - 1)
            std::memcpy(to + (i + std::countr_zero(word) / 8) * static_cast<int64_t>(size), bytes, size);
        });
  });
}

Array compress_few(const Array& mask, const Array& array) {
  if (!suits_few(array, mask)) return {};
  const Held held(array), flags(mask);
  if (!held || !flags) return {};
  return chosen_of_few(reinterpret_cast<const uint8_t*>(flags.memory()), mask.size(), held.memory(), array.dtype(), array.itemsize(), array.device());
}

Array compress(const Array& mask, const Array& array) {
  must_be_together("compress", mask.device(), array.device());
  return chosen(flags_of(mask), contiguous(array));
}

}  // namespace kasoku
