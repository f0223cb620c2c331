/// What is common to all products, and THE table of libraries.
#include "kasoku/base/error.h"
#include "kasoku/linalg/blas.h"
#include "kasoku/linalg/cpu.h"
#include "kasoku/linalg/cublas.h"
#include "kasoku/linalg/provider.h"

#include <algorithm>

namespace kasoku::linalg {
namespace {

struct Provider {
  DeviceKind kind;
  void (*matmul)(const Matmul&, Device&, Stream&);
};

// clang-format off
constexpr Provider table[] = {
    // device            product
    {DeviceKind::cpu,    cpu_matmul},
    {DeviceKind::cuda,   cuda_matmul},
};
// clang-format on

/// Axes of length 1 go; neighbours that are one axis in all three become one.
void collapse(Matmul& p) {
  Matmul out = p;
  out.batch.clear();
  for (Matrices* x : {&out.a, &out.b, &out.c}) x->batch_strides.clear();
  for (size_t d = 0; d < p.batch.size(); ++d) {
    if (p.batch[d] == 1) continue;
    const bool joins = !out.batch.empty() &&
                       out.a.batch_strides.back() == p.a.batch_strides[d] * p.batch[d] &&
                       out.b.batch_strides.back() == p.b.batch_strides[d] * p.batch[d] &&
                       out.c.batch_strides.back() == p.c.batch_strides[d] * p.batch[d];
    if (joins) {
      out.batch.back() *= p.batch[d];
    } else {
      out.batch.push_back(p.batch[d]);
      for (Matrices* x : {&out.a, &out.b, &out.c}) x->batch_strides.push_back(0);
    }
    out.a.batch_strides.back() = p.a.batch_strides[d];
    out.b.batch_strides.back() = p.b.batch_strides[d];
    out.c.batch_strides.back() = p.c.batch_strides[d];
  }
  // Many matrices times the same one are one tall matrix.
  if (out.batch.size() == 1 && out.b.batch_strides[0] == 0 && out.m > 0 &&
      out.a.batch_strides[0] == out.a.row_stride * out.m &&
      out.c.batch_strides[0] == out.c.row_stride * out.m) {
    out.m *= out.batch[0];
    out.batch.clear();
    for (Matrices* x : {&out.a, &out.b, &out.c}) x->batch_strides.clear();
  }
  p = std::move(out);
}

/// Strides of axes of length 1 become such that an axis has unit stride.
void settle(Matrices& x, int64_t rows, int64_t columns, int64_t size) {
  if (columns == 1) x.column_stride = size;
  // A single row with gaps is a column to the libraries, which take any distance there.
  if (rows == 1)
    x.row_stride = x.column_stride == size ? std::max(columns, int64_t{1}) * size : size;
}

void transpose(Matrices& x) { std::swap(x.row_stride, x.column_stride); }

}  // namespace

void matmul(const Matmul& problem, Device& device, Stream& stream) {
  if (problem.m == 0 || problem.n == 0 || problem.items() == 0) return;
  const auto size = static_cast<int64_t>(info(problem.dtype).size);
  if (size == 0) throw Error(ErrorKind::type, "matrices of records have no product");
  Matmul p = problem;
  if (!p.batch.empty()) collapse(p);
  settle(p.a, p.m, p.k, size);
  settle(p.b, p.k, p.n, size);
  settle(p.c, p.m, p.n, size);
  // A result in column order is the transposed product in row order; a single row is
  // turned into a single column, for which there are functions of their own.
  if ((p.c.column_stride != size && p.c.row_stride == size) || (p.m == 1 && p.n > 1)) {
    std::swap(p.a, p.b);
    std::swap(p.m, p.n);
    for (Matrices* x : {&p.a, &p.b, &p.c}) transpose(*x);
    settle(p.a, p.m, p.k, size);
    settle(p.b, p.k, p.n, size);
    settle(p.c, p.m, p.n, size);
  }
  for (const Provider& provider : table)
    if (provider.kind == device.kind) return provider.matmul(p, device, stream);
  throw Error(ErrorKind::unsupported, "there is no product of matrices on " + device.str());
}

std::vector<ProviderStatus> providers() {
  std::vector<ProviderStatus> all;
  const Blas* used = blas();
  all.push_back({used ? used->name : "openblas", "cpu", used ? used->file : "", blas_missing()});
  const std::string why = cublas_missing();
  all.push_back({"cublas", "cuda", why.empty() ? cublas_file() : "", why});
  return all;
}

}  // namespace kasoku::linalg
