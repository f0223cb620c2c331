/// Products and copies of matrices as kernels of our own, for what the GPU's library
/// does not take: integers, booleans, no terms at all, strides of any kind.
#include "kasoku/base/error.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/module.h"
#include "kasoku/linalg/cublas.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace kasoku::linalg {
namespace {

// ELEMENT: as it is stored. WIDE: what it is computed in. Strides are in bytes.
constexpr const char* product_text = R"(
extern "C" __global__ void product(char* c, const char* a, const char* b, long long m, long long n, long long k,
                                   long long a_row, long long a_column, long long b_row, long long b_column,
                                   long long c_row, long long c_column) {
  __shared__ WIDE a_tile[16][17], b_tile[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  const long long column = 16ll * blockIdx.x + x;
  for (long long first = 16ll * blockIdx.y; first < m; first += 16ll * gridDim.y) {
    const long long row = first + y;
    WIDE sum = 0;
    for (long long begin = 0; begin < k; begin += 16) {
      a_tile[y][x] = row < m && begin + x < k ? (WIDE)*(const ELEMENT*)(a + row * a_row + (begin + x) * a_column) : (WIDE)0;
      b_tile[y][x] = begin + y < k && column < n ? (WIDE)*(const ELEMENT*)(b + (begin + y) * b_row + column * b_column) : (WIDE)0;
      __syncthreads();
      for (int i = 0; i < 16; ++i) sum = ADD(sum, a_tile[y][i] * b_tile[i][x]);
      __syncthreads();
    }
    if (row < m && column < n) *(ELEMENT*)(c + row * c_row + column * c_column) = (ELEMENT)sum;
  }
}
)";

constexpr const char* copy_text = R"(
extern "C" __global__ void copy(char* to, const char* from, long long rows, long long columns,
                                long long to_row, long long to_column, long long from_row, long long from_column) {
  const long long step = (long long)gridDim.x * blockDim.x, count = rows * columns;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const long long row = i / columns, column = i % columns;
    *(ELEMENT*)(to + row * to_row + column * to_column) = *(const ELEMENT*)(from + row * from_row + column * from_column);
  }
}
)";

constexpr const char* pointers_text = R"(
extern "C" __global__ void pointers(char** pointers, char* first, long long items, long long bytes) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < items) pointers[i] = first + i * bytes;
}
)";

// An element is PARTS numbers, of which the second changes its sign.
constexpr const char* adjoint_text = R"(
extern "C" __global__ void adjoint(NUMBER* to, const NUMBER* from, long long items, long long rows, long long columns, long long to_next, long long from_next) {
  const long long step = (long long)gridDim.x * blockDim.x, count = items * rows * columns;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const long long item = i / (rows * columns), row = i % rows, column = i / rows % columns;
    NUMBER* const at = to + PARTS * (item * to_next + column * rows + row);
    const NUMBER* const of = from + PARTS * (item * from_next + row * columns + column);
    at[0] = of[0];
    if (PARTS > 1) at[PARTS - 1] = -of[PARTS - 1];
  }
}
)";

// Of a pair the vector with the positive imaginary part comes first.
constexpr const char* pairs_text = R"(
extern "C" __global__ void pairs(NUMBER* to, const NUMBER* from, const NUMBER* values, long long items, long long n) {
  const long long step = (long long)gridDim.x * blockDim.x, count = items * n * n;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const NUMBER sign = values[2 * (i / n) + 1];
    to[2 * i] = from[sign < 0 ? i - n : i];
    to[2 * i + 1] = sign > 0 ? from[i + n] : sign < 0 ? -from[i] : (NUMBER)0;
  }
}
)";

// A thread has a column of Q: that of the identity, to which it applies the reflectors I - tau v v^H, the last one first. Those whose
// vectors begin behind the column's one leave it as it is. An element is PARTS numbers; a vector's first, 1, is not stored.
constexpr const char* reflect_text = R"(
extern "C" __global__ void reflect(NUMBER* q, const NUMBER* vectors, const NUMBER* taus, long long items, long long m, long long n, long long k, long long least) {
  const long long step = (long long)gridDim.x * blockDim.x, count = items * k;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const long long item = i / k, column = i % k;
    NUMBER* const x = q + PARTS * i * m;
    for (long long r = 0; r < PARTS * m; ++r) x[r] = r == PARTS * column ? (NUMBER)1 : (NUMBER)0;
    for (long long j = column < least ? column : least - 1; j >= 0; --j) {
      const NUMBER *const v = vectors + PARTS * (item * n + j) * m, *const tau = taus + PARTS * (item * least + j);
      NUMBER re = x[PARTS * j], im = x[PARTS * j + PARTS - 1];
      for (long long r = j + 1; r < m; ++r) {
        const NUMBER* const a = v + PARTS * r;
        const NUMBER* const b = x + PARTS * r;
        re += PARTS > 1 ? a[0] * b[0] + a[PARTS - 1] * b[PARTS - 1] : a[0] * b[0];
        im += PARTS > 1 ? a[0] * b[PARTS - 1] - a[PARTS - 1] * b[0] : (NUMBER)0;
      }
      const NUMBER by_re = PARTS > 1 ? tau[0] * re - tau[PARTS - 1] * im : tau[0] * re, by_im = PARTS > 1 ? tau[0] * im + tau[PARTS - 1] * re : (NUMBER)0;
      x[PARTS * j] -= by_re;
      if (PARTS > 1) x[PARTS * j + PARTS - 1] -= by_im;
      for (long long r = j + 1; r < m; ++r) {
        const NUMBER* const a = v + PARTS * r;
        x[PARTS * r] -= PARTS > 1 ? a[0] * by_re - a[PARTS - 1] * by_im : a[0] * by_re;
        if (PARTS > 1) x[PARTS * r + PARTS - 1] -= a[0] * by_im + a[PARTS - 1] * by_re;
      }
    }
  }
}
)";

// Rows of n elements as a factor's exchanges leave them: one thread of each block takes the exchanges one after the other.
constexpr const char* exchange_text = R"(
extern "C" __global__ void exchange(ELEMENT* to, const ELEMENT* from, const int* pivots, int n, long long rows) {
  __shared__ int place[MOST], other[MOST];
  for (int i = threadIdx.x; i < n; i += blockDim.x) place[i] = i, other[i] = pivots[i] - 1;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < n; ++i) {
      const int first = place[i];
      place[i] = place[other[i]], place[other[i]] = first;
    }
  __syncthreads();
  for (long long row = blockIdx.x; row < rows; row += gridDim.x)
    for (int i = threadIdx.x; i < n; i += blockDim.x) to[row * n + i] = from[row * n + place[i]];
}
)";

const char* type_of_size(size_t size) {
  return size == 1 ? "unsigned char" : size == 2 ? "unsigned short" : size == 4 ? "unsigned int" : size == 8 ? "unsigned long long" : "ulonglong2";
}

Function& kernel(Device& device, const char* name, const char* text,
                 std::vector<std::string> options) {
  static std::mutex& mutex = *new std::mutex;
  static auto& kernels = *new std::map<std::pair<Device*, std::string>, std::shared_ptr<Module>>;
  std::string key = name;
  for (const std::string& option : options) key += option;
  std::lock_guard lock(mutex);
  auto& module = kernels[{&device, key}];
  if (!module) {
    Program program;
    program.text = text;
    program.file = "kasoku/linalg/kernels.cpp";
    program.options = std::move(options);
    program.is_generated = true;
    module = compile(program, device);
  }
  return module->function(name);
}

/// How texts of real numbers and of complex ones see an element.
std::vector<std::string> parts_of(Dtype dtype) {
  const bool is_wide = dtype == Dtype::float64 || dtype == Dtype::complex128, has_parts = info(dtype).kind == DtypeKind::complex_;
  return {is_wide ? "-DNUMBER=double" : "-DNUMBER=float", has_parts ? "-DPARTS=2" : "-DPARTS=1"};
}

uint32_t blocks(int64_t n, int64_t block, int64_t most) {
  return static_cast<uint32_t>(std::clamp<int64_t>((n + block - 1) / block, 1, most));
}

}  // namespace

void kernel_copy(const Matrices& to, const Matrices& from, int64_t rows, int64_t columns,
                 size_t size, Device& device, Stream& stream) {
  if (rows == 0 || columns == 0) return;
  Function& function = kernel(device, "copy", copy_text, {std::string("-DELEMENT=") + type_of_size(size)});
  void* to_data = to.data;
  void* from_data = from.data;
  int64_t strides[] = {to.row_stride, to.column_stride, from.row_stride, from.column_stride};
  void* args[] = {&to_data,    &from_data,  &rows,       &columns,
                  &strides[0], &strides[1], &strides[2], &strides[3]};
  function.launch({{blocks(rows * columns, 256, 1 << 20), 1, 1}, {256, 1, 1}}, args, stream);
}

void kernel_pointers(void** pointers, void* first, int64_t items, int64_t bytes, Device& device, Stream& stream) {
  void* args[] = {&pointers, &first, &items, &bytes};
  kernel(device, "pointers", pointers_text, {}).launch({{blocks(items, 256, INT32_MAX), 1, 1}, {256, 1, 1}}, args, stream);
}

void kernel_adjoint(void* to, const void* from, int64_t items, int64_t rows, int64_t columns, int64_t to_next, int64_t from_next, Dtype dtype, Device& device,
                    Stream& stream) {
  Function& function = kernel(device, "adjoint", adjoint_text, parts_of(dtype));
  void* args[] = {&to, &from, &items, &rows, &columns, &to_next, &from_next};
  function.launch({{blocks(items * rows * columns, 256, 1 << 20), 1, 1}, {256, 1, 1}}, args, stream);
}

void kernel_pairs(void* to, const void* from, const void* values, int64_t items, int64_t n, Dtype dtype, Device& device, Stream& stream) {
  void* args[] = {&to, &from, &values, &items, &n};
  kernel(device, "pairs", pairs_text, parts_of(dtype)).launch({{blocks(items * n * n, 256, 1 << 20), 1, 1}, {256, 1, 1}}, args, stream);
}

void kernel_reflect(void* q, const void* vectors, const void* taus, int64_t items, int64_t m, int64_t n, int64_t k, Dtype dtype, Device& device, Stream& stream) {
  int64_t least = std::min(m, n);
  void* args[] = {&q, &vectors, &taus, &items, &m, &n, &k, &least};
  kernel(device, "reflect", reflect_text, parts_of(dtype)).launch({{blocks(items * k, 128, INT32_MAX), 1, 1}, {128, 1, 1}}, args, stream);
}

void kernel_exchange(void* to, const void* from, const int32_t* pivots, int n, int64_t rows, size_t size, Device& device, Stream& stream) {
  constexpr int64_t most_blocks = 1024;
  const std::vector<std::string> options = {std::string("-DELEMENT=") + type_of_size(size), "-DMOST=" + std::to_string(most_exchanged)};
  void* args[] = {&to, &from, &pivots, &n, &rows};
  kernel(device, "exchange", exchange_text, options).launch({{blocks(rows, 1, most_blocks), 1, 1}, {256, 1, 1}}, args, stream);
}

void kernel_matmul(const Matmul& p, Device& device, Stream& stream) {
  const DtypeInfo& dtype = info(p.dtype);
  const size_t size = dtype.size;
  std::vector<std::string> options;
  if (p.k == 0) {
    // All zeros, whatever the dtype: bytes of that size.
    options = {std::string("-DELEMENT=") + (size == 16 ? "double" : type_of_size(size)),
               "-DWIDE=unsigned int", "-DADD(s,t)=((s)+(t))"};
  } else if (p.dtype == Dtype::bool_) {
    options = {"-DELEMENT=bool", "-DWIDE=unsigned int", "-DADD(s,t)=((s)|(t))"};
  } else if (dtype.kind == DtypeKind::signed_ || dtype.kind == DtypeKind::unsigned_) {
    options = {std::string("-DELEMENT=") + type_of_size(size),
               size == 8 ? "-DWIDE=unsigned long long" : "-DWIDE=unsigned int",
               "-DADD(s,t)=((s)+(t))"};
  } else if (p.dtype == Dtype::float32) {
    options = {"-DELEMENT=float", "-DWIDE=float", "-DADD(s,t)=((s)+(t))"};
  } else if (p.dtype == Dtype::float64) {
    options = {"-DELEMENT=double", "-DWIDE=double", "-DADD(s,t)=((s)+(t))"};
  } else {
    throw Error(ErrorKind::unsupported,
                "matrices of " + std::string(dtype.name) +
                    " with more than 2^31 rows or columns have no product on " + device.str());
  }
  Function& function = kernel(device, "product", product_text, std::move(options));
  const int64_t items = p.items();
  for (int64_t item = 0; item < items; ++item) {
    char *a = static_cast<char*>(p.a.data), *b = static_cast<char*>(p.b.data),
         *c = static_cast<char*>(p.c.data);
    int64_t rest = item;
    for (size_t d = p.batch.size(); d-- > 0; rest /= p.batch[d]) {
      const int64_t i = rest % p.batch[d];
      a += i * p.a.batch_strides[d];
      b += i * p.b.batch_strides[d];
      c += i * p.c.batch_strides[d];
    }
    int64_t lengths[] = {p.m, p.n, p.k};
    int64_t strides[] = {p.a.row_stride,    p.a.column_stride, p.b.row_stride,
                         p.b.column_stride, p.c.row_stride,    p.c.column_stride};
    void* args[] = {&c,          &a,          &b,          &lengths[0], &lengths[1], &lengths[2],
                    &strides[0], &strides[1], &strides[2], &strides[3], &strides[4], &strides[5]};
    if (p.k == 0 && size == 16) {
      // Two halves of every element.
      for (int half = 0; half < 2; ++half, c += 8)
        function.launch({{blocks(p.n, 16, INT32_MAX), blocks(p.m, 16, 65535), 1}, {16, 16, 1}},
                        args, stream);
      continue;
    }
    function.launch({{blocks(p.n, 16, INT32_MAX), blocks(p.m, 16, 65535), 1}, {16, 16, 1}}, args,
                    stream);
  }
}

}  // namespace kasoku::linalg
