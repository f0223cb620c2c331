/// Products of matrices against the definition, on every device: all dtypes, any
/// strides, batches, empty axes.
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/stream.h"
#include "kasoku/base/half.h"
#include "kasoku/linalg/provider.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>

using namespace kasoku;
using linalg::Matmul;
using linalg::Matrices;

namespace {

std::vector<Device*> all_devices() {
  std::vector<Device*> found{&device("cpu")};
  if (has_device("cuda"))
    found.push_back(&device("cuda"));
  else
    MESSAGE("no GPU here: products are tested on the CPU only");
  return found;
}

using Value = std::complex<double>;

Value get(Dtype dtype, const char* at) {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (dtype) {
    case Dtype::bool_:
    case Dtype::uint8:
      return double(read(uint8_t{}));
    case Dtype::int8:
      return double(read(int8_t{}));
    case Dtype::int16:
      return double(read(int16_t{}));
    case Dtype::uint16:
      return double(read(uint16_t{}));
    case Dtype::int32:
      return double(read(int32_t{}));
    case Dtype::uint32:
      return double(read(uint32_t{}));
    case Dtype::int64:
      return double(read(int64_t{}));
    case Dtype::uint64:
      return double(read(uint64_t{}));
    case Dtype::float16:
      return double(half_to_float(read(uint16_t{})));
    case Dtype::bfloat16:
      return double(bfloat16_to_float(read(uint16_t{})));
    case Dtype::float32:
      return double(read(float{}));
    case Dtype::float64:
      return read(double{});
    case Dtype::complex64:
      return Value(read(std::complex<float>{}));
    default:
      return read(std::complex<double>{});
  }
}

void put(Dtype dtype, char* at, Value v) {
  const auto write = [&](auto value) { std::memcpy(at, &value, sizeof value); };
  const double x = v.real();
  switch (dtype) {
    case Dtype::bool_:
      return write(uint8_t(x != 0));
    case Dtype::int8:
    case Dtype::uint8:
      return write(uint8_t(int64_t(x)));
    case Dtype::int16:
    case Dtype::uint16:
      return write(uint16_t(int64_t(x)));
    case Dtype::int32:
    case Dtype::uint32:
      return write(uint32_t(int64_t(x)));
    case Dtype::int64:
    case Dtype::uint64:
      return write(int64_t(x));
    case Dtype::float16:
      return write(float_to_half(float(x)));
    case Dtype::bfloat16:
      return write(float_to_bfloat16(float(x)));
    case Dtype::float32:
      return write(float(x));
    case Dtype::float64:
      return write(x);
    case Dtype::complex64:
      return write(std::complex<float>(v));
    default:
      return write(v);
  }
}

/// How a matrix lies in memory.
enum class Layout { rows, columns, gaps, reversed, repeated };

struct Host {
  std::vector<char> bytes;
  int64_t first = 0;  ///< offset of element (0, 0)
  Matrices matrix;
};

Host make(Dtype dtype, int64_t items, int64_t rows, int64_t columns, Layout layout,
          std::mt19937& random) {
  const auto size = int64_t(info(dtype).size);
  Host host;
  Matrices& x = host.matrix;
  switch (layout) {
    case Layout::rows:
      x.row_stride = columns * size, x.column_stride = size;
      break;
    case Layout::columns:
      x.row_stride = size, x.column_stride = rows * size;
      break;
    case Layout::gaps:
      x.row_stride = (3 * columns + 2) * size, x.column_stride = 3 * size;
      break;
    case Layout::reversed:
      x.row_stride = -columns * size, x.column_stride = size;
      host.first = std::max<int64_t>(rows - 1, 0) * columns * size;
      break;
    case Layout::repeated:
      x.row_stride = 0, x.column_stride = size;
      break;
  }
  const int64_t one = std::max<int64_t>((3 * columns + 2) * (rows + 1) * size, size);
  x.batch_strides = {one};
  host.bytes.resize(size_t(one * std::max<int64_t>(items, 1)));
  const DtypeKind kind = info(dtype).kind;
  const bool is_signed = kind != DtypeKind::boolean && kind != DtypeKind::unsigned_;
  std::uniform_int_distribution<int> small(is_signed ? -4 : 0, kind == DtypeKind::boolean ? 1 : 4);
  for (size_t i = 0; i + size_t(size) <= host.bytes.size(); i += size_t(size))
    put(dtype, host.bytes.data() + i,
        Value(small(random), kind == DtypeKind::complex_ ? small(random) : 0));
  return host;
}

Value at(Dtype dtype, const Host& host, int64_t item, int64_t i, int64_t j) {
  const Matrices& x = host.matrix;
  return get(dtype, host.bytes.data() + host.first + item * x.batch_strides[0] + i * x.row_stride +
                        j * x.column_stride);
}

/// Small integers, so that every dtype's sum is exact.
void check_product(Device& device, Dtype dtype, int64_t items, int64_t m, int64_t n, int64_t k,
                   Layout la, Layout lb, Layout lc, bool share_b = false) {
  std::mt19937 random(unsigned(m * 100 + n * 10 + k));
  Host a = make(dtype, items, m, k, la, random), b = make(dtype, items, k, n, lb, random),
       c = make(dtype, items, m, n, lc, random);
  if (share_b) b.matrix.batch_strides = {0};
  const Host before = c;
  Stream& stream = device.current_stream();
  Matmul p;
  p.dtype = dtype;
  p.m = m, p.n = n, p.k = k;
  p.batch = {items};
  p.a = a.matrix, p.b = b.matrix, p.c = c.matrix;
  std::vector<void*> held;
  for (auto [host, x] : {std::pair{&a, &p.a}, {&b, &p.b}, {&c, &p.c}}) {
    void* memory = device.allocate(host->bytes.size(), stream);
    device.copy(memory, host->bytes.data(), host->bytes.size(), stream);
    held.push_back(memory);
    x->data = static_cast<char*>(memory) + host->first;
  }
  linalg::matmul(p, device, stream);
  device.copy(c.bytes.data(), held[2], c.bytes.size(), stream);
  stream.synchronize();
  for (size_t i = 0; i < 3; ++i)
    device.deallocate(held[i],
                      i == 0   ? a.bytes.size()
                      : i == 1 ? b.bytes.size()
                               : c.bytes.size(),
                      stream);

  std::vector<char> want = before.bytes;
  for (int64_t item = 0; item < items; ++item)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        Value sum = 0;
        for (int64_t q = 0; q < k; ++q) sum += at(dtype, a, item, i, q) * at(dtype, b, item, q, j);
        put(dtype,
            want.data() + c.first + item * c.matrix.batch_strides[0] + i * c.matrix.row_stride +
                j * c.matrix.column_stride,
            dtype == Dtype::bool_ ? Value(sum != 0.0) : sum);
      }
  bool is_same = true;
  // Compared as values: a zero may have either sign.
  for (size_t i = 0; i + info(dtype).size <= want.size(); i += info(dtype).size)
    is_same &= get(dtype, want.data() + i) == get(dtype, c.bytes.data() + i);
  CAPTURE(device.str());
  CAPTURE(info(dtype).name);
  CAPTURE(items);
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  CAPTURE(int(la));
  CAPTURE(int(lb));
  CAPTURE(int(lc));
  CHECK(is_same);
}

constexpr Dtype all_dtypes[] = {Dtype::bool_,   Dtype::int8,      Dtype::int16,     Dtype::int32,
                                Dtype::int64,   Dtype::uint8,     Dtype::uint16,    Dtype::uint32,
                                Dtype::uint64,  Dtype::float16,   Dtype::bfloat16,  Dtype::float32,
                                Dtype::float64, Dtype::complex64, Dtype::complex128};

}  // namespace

TEST_CASE("matmul: every dtype, also with axes of length 0 and 1") {
  for (Device* device : all_devices())
    for (const Dtype dtype : all_dtypes)
      for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{{3, 4, 5},
                                                                       {1, 1, 1},
                                                                       {17, 19, 18},
                                                                       {1, 7, 3},
                                                                       {7, 1, 3},
                                                                       {5, 6, 1},
                                                                       {1, 1, 9},
                                                                       {4, 5, 0},
                                                                       {0, 3, 2},
                                                                       {3, 0, 2}})
        check_product(*device, dtype, 1, m, n, k, Layout::rows, Layout::rows, Layout::rows);
}

TEST_CASE("matmul: operands and results with any strides") {
  const Layout layouts[] = {Layout::rows, Layout::columns, Layout::gaps, Layout::reversed};
  for (Device* device : all_devices())
    for (const Dtype dtype : {Dtype::int32, Dtype::float16, Dtype::float32, Dtype::complex128})
      for (const Layout a :
           {Layout::rows, Layout::columns, Layout::gaps, Layout::reversed, Layout::repeated})
        for (const Layout b : layouts)
          for (const Layout c : layouts) {
            check_product(*device, dtype, 1, 5, 7, 6, a, b, c);
            check_product(*device, dtype, 1, 1, 7, 6, a, b, c);
            check_product(*device, dtype, 1, 5, 1, 6, a, b, c);
          }
}

TEST_CASE("matmul: batches, one matrix shared by all, many small ones") {
  for (Device* device : all_devices())
    for (const Dtype dtype :
         {Dtype::int64, Dtype::bfloat16, Dtype::float32, Dtype::float64, Dtype::complex64}) {
      check_product(*device, dtype, 3, 5, 7, 6, Layout::rows, Layout::columns, Layout::rows);
      check_product(*device, dtype, 3, 5, 7, 6, Layout::gaps, Layout::rows, Layout::rows, true);
      check_product(*device, dtype, 4, 2, 3, 2, Layout::reversed, Layout::gaps, Layout::columns);
      check_product(*device, dtype, 200, 16, 16, 16, Layout::rows, Layout::rows, Layout::rows);
      check_product(*device, dtype, 0, 5, 7, 6, Layout::rows, Layout::rows, Layout::rows);
    }
}

TEST_CASE("matmul: two batch axes that are not one") {
  // a[2, 3, 1, 4] @ b[3, 4, 1]: b is broadcast along the first axis.
  for (Device* device : all_devices()) {
    std::vector<float> a(24), b(12), c(6, -1);
    for (size_t i = 0; i < a.size(); ++i) a[i] = float(i);
    for (size_t i = 0; i < b.size(); ++i) b[i] = float(i % 5);
    Stream& stream = device->current_stream();
    void* memory[3] = {device->allocate(96, stream), device->allocate(48, stream),
                       device->allocate(24, stream)};
    device->copy(memory[0], a.data(), 96, stream);
    device->copy(memory[1], b.data(), 48, stream);
    Matmul p;
    p.m = 1, p.n = 1, p.k = 4;
    p.batch = {2, 3};
    p.a = {memory[0], 16, 4, {48, 16}};
    p.b = {memory[1], 4, 4, {0, 16}};
    p.c = {memory[2], 4, 4, {12, 4}};
    linalg::matmul(p, *device, stream);
    device->copy(c.data(), memory[2], 24, stream);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j) {
        float want = 0;
        for (int q = 0; q < 4; ++q) want += a[size_t(i * 12 + j * 4 + q)] * b[size_t(j * 4 + q)];
        CHECK(c[size_t(i * 3 + j)] == want);
      }
    for (int i = 0; i < 3; ++i)
      device->deallocate(memory[i], i == 0 ? 96 : i == 1 ? 48 : 24, stream);
  }
}

TEST_CASE("matmul: a matrix times a vector and a vector times a matrix, in one piece and in many") {
  for (Device* device : all_devices())
    for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::complex64})
      for (const Layout layout : {Layout::rows, Layout::columns})
        for (const auto& [m, k] : std::vector<std::array<int64_t, 2>>{
                 {64, 64}, {71, 67}, {517, 331}, {4113, 67}, {67, 4113}, {3, 70'001}, {70'001, 3}, {1, 70'001}}) {
          check_product(*device, dtype, 1, m, 1, k, layout, Layout::rows, Layout::rows);
          check_product(*device, dtype, 1, 1, m, k, Layout::rows, layout, Layout::rows);
        }
}

TEST_CASE("matmul: a product with a vector has the same bits on any number of threads") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const auto& [m, k] : std::vector<std::array<int64_t, 2>>{{800, 900}, {3, 300'000}, {300'000, 3}})
    for (const bool is_transposed : {false, true}) {
      std::vector<double> a(size_t(m * k)), b(static_cast<size_t>(k)), c[2];
      for (std::vector<double>* x : {&a, &b})
        for (double& value : *x) value = uniform(random);
      for (const uint32_t limit : {0u, 1u}) {
        cpu::set_thread_limit(limit);
        c[limit].resize(static_cast<size_t>(m));
        Matmul p;
        p.dtype = Dtype::float64;
        p.m = m, p.n = 1, p.k = k;
        p.a = is_transposed ? Matrices{a.data(), 8, m * 8, {}} : Matrices{a.data(), k * 8, 8, {}};
        p.b = {b.data(), 8, 8, {}}, p.c = {c[limit].data(), 8, 8, {}};
        linalg::matmul(p, device("cpu"), device("cpu").current_stream());
      }
      cpu::set_thread_limit(0);
      CHECK(c[0] == c[1]);
    }
}

TEST_CASE("matmul: integers wrap") {
  for (Device* device : all_devices()) {
    int8_t a[] = {100, 100}, b[] = {100, 100}, c = 0;
    Stream& stream = device->current_stream();
    void* memory[3];
    for (auto& m : memory) m = device->allocate(2, stream);
    device->copy(memory[0], a, 2, stream);
    device->copy(memory[1], b, 2, stream);
    Matmul p;
    p.dtype = Dtype::int8;
    p.m = 1, p.n = 1, p.k = 2;
    p.a = {memory[0], 2, 1, {}};
    p.b = {memory[1], 1, 1, {}};
    p.c = {memory[2], 1, 1, {}};
    linalg::matmul(p, *device, stream);
    device->copy(&c, memory[2], 1, stream);
    CHECK(c == int8_t(20000));
    for (void* m : memory) device->deallocate(m, 2, stream);
  }
}

TEST_CASE("matmul: float32 is as exact as float32 can be") {
  for (Device* device : all_devices()) {
    const int64_t n = 300;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (auto& x : a) x = uniform(random);
    for (auto& x : b) x = uniform(random);
    Stream& stream = device->current_stream();
    const size_t bytes = a.size() * 4;
    void* memory[3];
    for (auto& m : memory) m = device->allocate(bytes, stream);
    device->copy(memory[0], a.data(), bytes, stream);
    device->copy(memory[1], b.data(), bytes, stream);
    Matmul p;
    p.m = p.n = p.k = n;
    p.a = {memory[0], n * 4, 4, {}};
    p.b = {memory[1], n * 4, 4, {}};
    p.c = {memory[2], n * 4, 4, {}};
    linalg::matmul(p, *device, stream);
    device->copy(c.data(), memory[2], bytes, stream);
    double error = 0, norm = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double want = 0;
        for (int64_t q = 0; q < n; ++q) want += double(a[size_t(i * n + q)]) * b[size_t(q * n + j)];
        error += std::pow(c[size_t(i * n + j)] - want, 2);
        norm += want * want;
      }
    CHECK(std::sqrt(error / norm) < 2e-6);  // ten mantissa bits would give 3e-4
    for (void* m : memory) device->deallocate(m, bytes, stream);
  }
}

TEST_CASE("matmul: products inside a parallel loop") {
  Device& host = device("cpu");
  const int64_t n = 64;
  std::vector<double> a(n * n, 1), b(n * n, 2);
  std::atomic<int> wrong{0};
  cpu::parallel_blocks(50, 1, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      std::vector<double> c(n * n);
      Matmul p;
      p.dtype = Dtype::float64;
      p.m = p.n = p.k = n;
      p.a = {a.data(), n * 8, 8, {}};
      p.b = {b.data(), n * 8, 8, {}};
      p.c = {c.data(), n * 8, 8, {}};
      linalg::matmul(p, host, host.current_stream());
      for (const double x : c) wrong += x != 128;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("matmul: half floats round to nearest even, both ways and at the ends") {
  using namespace linalg;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = half_to_float(uint16_t(bits));
    if (value == value) REQUIRE(float_to_half(value) == bits);
  }
  CHECK(half_to_float(0x0001) == std::ldexp(1.0f, -24));
  CHECK(half_to_float(0x7bff) == 65504.0f);
  CHECK(float_to_half(65519.99f) == 0x7bff);
  CHECK(float_to_half(65520.0f) == 0x7c00);
  CHECK(float_to_half(std::ldexp(1.0f, -25)) == 0);
  CHECK(float_to_half(std::ldexp(1.5f, -25)) == 1);
  CHECK(float_to_half(1.0f + std::ldexp(1.0f, -11)) == 0x3c00);
  CHECK(float_to_half(1.0f + std::ldexp(3.0f, -11)) == 0x3c02);
  CHECK(float_to_bfloat16(1.0f + std::ldexp(1.0f, -8)) == 0x3f80);
  CHECK(float_to_bfloat16(1.0f + std::ldexp(3.0f, -8)) == 0x3f82);
}

TEST_CASE("linalg: every row of the table says where its library is or why not") {
  for (const linalg::ProviderStatus& row : linalg::providers())
    CHECK(row.library.empty() != row.why.empty());
}
