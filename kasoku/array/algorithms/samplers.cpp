#include "kasoku/array/algorithms/run_text.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/random.h"
#include "kasoku/array/run.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/base/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace kasoku {

namespace {

struct SamplerRow {
  std::string_view name;
  size_t n_parameters;
};

constexpr SamplerRow rows[] = {
#define SAMPLER(name, parameters, ...) {#name, parameters},
#include "kasoku/codegen/samplers.def"
#undef SAMPLER
};

/// A parameter is an array, or a number where its address is null.
constexpr const char* text = R"(
ks_helper double ks_parameter(const double* p, long long number, long long i) { return p ? p[i] : ks_f64_bits((unsigned long long)number); }
extern "C" __global__ void ks_algorithm(double* y, const double* p0, const double* p1, const double* p2, long long n0, long long n1,
                                        long long n2, long long n, long long k0, long long k1, long long draw, long long chunk) {
#ifdef KS_SIMT
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
#else
  const long long end = (blockIdx.x + 1) * chunk < n ? (blockIdx.x + 1) * chunk : n;
  for (long long i = blockIdx.x * chunk; i < end; ++i) {
#endif
    ks_source s = {(unsigned long long)i, 0, (unsigned int)draw, (unsigned int)k0, (unsigned int)k1, 0, false};
    y[i] = SAMPLE(s, ks_parameter(p0, n0, i), ks_parameter(p1, n1, i), ks_parameter(p2, n2, i));
  }
}
)";

}  // namespace

Array Generator::sampled(std::string_view sampler, std::span<const Operand> parameters, const Shape& shape,
                         Device& device) {
  const auto row =
      std::find_if(std::begin(rows), std::end(rows), [&](const SamplerRow& r) { return r.name == sampler; });
  if (row == std::end(rows) || row->n_parameters != parameters.size())
    throw Error(ErrorKind::internal, fmt::format("no sampler {} of {} parameters", sampler, parameters.size()));
  for (int64_t length : shape)
    if (length < 0) throw Error(ErrorKind::value, "negative dimensions are not allowed");
  const Draw draw = draws_.next();
  const RandomKey key = random_key(draw.key, draw.stream);
  const Array result = Array::empty(shape, Dtype::float64, device);
  const int64_t n = result.size();
  std::vector<Array> held;
  std::vector<TextParameter> given{result.data()};
  std::vector<int64_t> numbers(3, 0);
  for (size_t k = 0; k < 3; ++k) {
    const bool is_array = k < parameters.size() && parameters[k].array;
    if (is_array) {
      held.push_back(contiguous(broadcast_to(astype(*parameters[k].array, Dtype::float64), shape)));
      given.push_back(held.back().data_for_read());
    } else {
      given.push_back(static_cast<const void*>(nullptr));
      if (k < parameters.size()) numbers[k] = std::bit_cast<int64_t>(parameters[k].scalar.as_double());
    }
  }
  const bool is_simt = takes_gpu_form(device);
  const int64_t blocks = n == 0    ? 0
                         : is_simt ? std::min<int64_t>(divide_up<int64_t>(n, 128), 1 << 16)
                                   : blocks_for(device, n, 1024);
  for (int64_t number : numbers) given.push_back(number);
  for (int64_t number : {n, int64_t{key.k0}, int64_t{key.k1}, static_cast<int64_t>(draw.number),
                         divide_up<int64_t>(n, std::max<int64_t>(blocks, 1))})
    given.push_back(number);
  run_text(fmt::format("#define SAMPLE ks_sample_{}\n", sampler) + text, device, blocks, is_simt ? 128 : 1, given);
  return result;
}

}  // namespace kasoku
