#include "kasoku/linalg/cublas.h"

#include "kasoku/base/error.h"
#include "kasoku/device/cuda/device.h"
#include "kasoku/device/cuda/stream.h"
#include "kasoku/linalg/cublas_library.h"
#include "kasoku/linalg/leading.h"
#include "kasoku/linalg/temporary.h"

#include <algorithm>
#include <complex>
#include <map>
#include <mutex>
#include <optional>

namespace kasoku::linalg {
namespace {

struct TypeRow {
  Dtype dtype;
  CublasType type;
  CublasCompute compute;
};
// float32 is summed in float32 proper: the matrix units' shorter format is never used.
constexpr TypeRow type_table[] = {
    {Dtype::float32, type_float32, compute_float32},
    {Dtype::float64, type_float64, compute_float64},
    {Dtype::float16, type_float16, compute_float32},
    {Dtype::bfloat16, type_bfloat16, compute_float32},
    {Dtype::complex64, type_complex64, compute_float32},
    {Dtype::complex128, type_complex128, compute_float64},
};

const TypeRow* find_type(Dtype dtype) {
  for (const TypeRow& row : type_table)
    if (row.dtype == dtype) return &row;
  return nullptr;
}

void check(const Cublas& cublas, int status, const char* what) {
  if (status)
    throw Error(ErrorKind::device, std::string("cuBLAS could not ") + what)
        .why(cublas.status_text(status));
}

bool is_captured(Stream& stream) { return static_cast<cuda::CudaStream&>(stream).is_captured; }

/// A handle and its workspace serve one stream, or all those that become graphs, one after the other; who uses it holds
/// its mutex.
struct Handle {
  std::mutex mutex;
  cublasHandle handle = nullptr;
};

Handle& handle_for(const Cublas& cublas, Stream& stream) {
  constexpr uintptr_t graphs = UINTPTR_MAX;
  static std::mutex& mutex = *new std::mutex;
  static auto& handles = *new std::map<uintptr_t, Handle>;
  std::lock_guard lock(mutex);
  Handle& found = handles[is_captured(stream) ? graphs : stream.handle()];
  if (!found.handle) {
    check(cublas, cublas.create(&found.handle), "start");
    check(cublas, cublas.set_stream(found.handle, reinterpret_cast<void*>(stream.handle())),
          "use a stream");
  }
  return found;
}

/// What cuBLAS asks for on the latest processors.
constexpr size_t graph_workspace = size_t{32} << 20;

enum Op { no_transpose = 0, transposed = 1 };

struct Operand {
  void* data;
  Op op;
  int64_t leading;
};

/// Row-major x is column-major x^T, which is how cuBLAS looks at memory.
bool as_operand(const Matrices& x, int64_t rows, int64_t columns, int64_t size, Operand& out) {
  const std::optional<Leading> found = leading(x, rows, columns, size);
  if (found) out = {x.data, found->is_transposed ? transposed : no_transpose, found->elements};
  return found.has_value();
}

/// Products of one batch axis (or none), whose operands suit cuBLAS or are copied.
void product(const Matmul& p, const TypeRow& type, Device& device, Stream& stream) {
  const auto size = static_cast<int64_t>(info(p.dtype).size);
  const int64_t items = p.items();
  const auto stride = [&](const Matrices& x) {
    return x.batch_strides.empty() ? 0 : x.batch_strides[0];
  };
  Operand a, b, c;
  const bool fits = as_operand(p.a, p.m, p.k, size, a) && as_operand(p.b, p.k, p.n, size, b) &&
                    as_operand(p.c, p.m, p.n, size, c) && c.op == no_transpose &&
                    stride(p.a) % size == 0 && stride(p.b) % size == 0 && stride(p.c) % size == 0 &&
                    std::max({p.m, p.n, p.k, a.leading, b.leading, c.leading, items}) <= INT32_MAX;
  if (!fits) {
    if (items > 1) {
      for (int64_t i = 0; i < items; ++i) {
        Matmul item = p;
        item.batch.clear();
        for (auto [x, from] : {std::pair{&item.a, &p.a}, {&item.b, &p.b}, {&item.c, &p.c}}) {
          x->data = static_cast<char*>(from->data) + i * stride(*from);
          x->batch_strides.clear();
        }
        product(item, type, device, stream);
      }
      return;
    }
    if (std::max({p.m, p.n, p.k}) > INT32_MAX) return kernel_matmul(p, device, stream);
    const auto bytes = [&](int64_t rows, int64_t columns) {
      return static_cast<size_t>(rows * columns * size);
    };
    Matmul q = p;
    Temporary a_copy(device, stream, bytes(p.m, p.k)), b_copy(device, stream, bytes(p.k, p.n)),
        c_copy(device, stream, bytes(p.m, p.n));
    q.a = {a_copy.data, p.k * size, size, {}};
    q.b = {b_copy.data, p.n * size, size, {}};
    q.c = {c_copy.data, p.n * size, size, {}};
    q.batch.clear();
    kernel_copy(q.a, p.a, p.m, p.k, static_cast<size_t>(size), device, stream);
    kernel_copy(q.b, p.b, p.k, p.n, static_cast<size_t>(size), device, stream);
    product(q, type, device, stream);
    kernel_copy(p.c, q.c, p.m, p.n, static_cast<size_t>(size), device, stream);
    return;
  }
  const Cublas& cublas = cublas_library();
  const cuda::ContextScope scope(static_cast<cuda::CudaDevice&>(device));
  const std::complex<double> one_wide(1), zero_wide(0);
  const std::complex<float> one_narrow(1), zero_narrow(0);
  const bool is_wide = type.compute == compute_float64;
  const void* one = is_wide ? static_cast<const void*>(&one_wide) : &one_narrow;
  const void* zero = is_wide ? static_cast<const void*>(&zero_wide) : &zero_narrow;
  const auto as_int = [](int64_t value) { return static_cast<int>(value); };
  Handle& handle = handle_for(cublas, stream);
  std::lock_guard lock(handle.mutex);
  std::optional<Temporary> workspace;  // a graph's own, for two graphs may run at once
  if (is_captured(stream)) {
    workspace.emplace(device, stream, graph_workspace);
    check(cublas, cublas.set_stream(handle.handle, reinterpret_cast<void*>(stream.handle())), "use a stream");
    check(cublas, cublas.set_workspace(handle.handle, workspace->data, graph_workspace), "use a workspace");
  }
  // c^T = b^T a^T in cuBLAS's order of memory.
  const int status =
      items == 1
          ? cublas.gemm(handle.handle, b.op, a.op, as_int(p.n), as_int(p.m), as_int(p.k), one,
                        b.data, type.type, as_int(b.leading), a.data, type.type, as_int(a.leading),
                        zero, c.data, type.type, as_int(c.leading), type.compute, -1)
          : cublas.gemm_strided(handle.handle, b.op, a.op, as_int(p.n), as_int(p.m), as_int(p.k),
                                one, b.data, type.type, as_int(b.leading), stride(p.b) / size,
                                a.data, type.type, as_int(a.leading), stride(p.a) / size, zero,
                                c.data, type.type, as_int(c.leading), stride(p.c) / size,
                                as_int(items), type.compute, -1);
  check(cublas, status, "multiply");
}

/// Splits off all batch axes but the longest, which goes in one call.
void batches(const Matmul& p, const TypeRow& type, Device& device, Stream& stream) {
  if (p.batch.size() <= 1) return product(p, type, device, stream);
  const auto longest = std::max_element(p.batch.begin(), p.batch.end()) - p.batch.begin();
  const size_t axis = longest == 0 ? 1 : 0;
  for (int64_t i = 0; i < p.batch[axis]; ++i) {
    Matmul item = p;
    item.batch.erase(item.batch.begin() + static_cast<int64_t>(axis));
    for (auto [x, from] : {std::pair{&item.a, &p.a}, {&item.b, &p.b}, {&item.c, &p.c}}) {
      x->data = static_cast<char*>(from->data) + i * from->batch_strides[axis];
      x->batch_strides.erase(x->batch_strides.begin() + static_cast<int64_t>(axis));
    }
    batches(item, type, device, stream);
  }
}

}  // namespace

HeldCublas hold_cublas(Stream& stream) {
  Handle& handle = handle_for(cublas_library(), stream);
  return {std::unique_lock(handle.mutex), handle.handle};
}

std::string cublas_missing() {
  return cublas_library_file().empty() ? "cuBLAS is not installed (libcublas.so.13, .12 or .11)"
                                       : "";
}
std::string cublas_file() { return cublas_library_file(); }

void cuda_matmul(const Matmul& p, Device& device, Stream& stream) {
  const TypeRow* type = find_type(p.dtype);
  if (!type || p.k == 0) return kernel_matmul(p, device, stream);
  batches(p, *type, device, stream);
}

}  // namespace kasoku::linalg
