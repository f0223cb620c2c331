/// \file kasoku/linalg/provider.h
/// Products of matrices on raw memory, computed by the best library of the machine.
#pragma once

#include "kasoku/base/dtype.h"
#include "kasoku/base/extents.h"
#include "kasoku/device/device.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kasoku::linalg {

/// A stack of matrices: element (i, j) of item b is at
/// data + i * row_stride + j * column_stride + sum(b[d] * batch_strides[d]), all in bytes.
/// Strides may be 0 or negative; those of axes of length 1 do not matter.
struct Matrices {
  void* data = nullptr;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  Extents batch_strides;  ///< as many as batch axes; 0 where it is broadcast
};

/// c[m, n] = a[m, k] @ b[k, n] for every item of the batch. All of one dtype; the
/// memory of c overlaps neither a's nor b's.
struct Matmul {
  Dtype dtype = Dtype::float32;
  int64_t m = 0, n = 0, k = 0;
  Extents batch;  ///< lengths of the batch axes
  Matrices a, b, c;

  int64_t items() const {
    int64_t count = 1;
    for (const int64_t length : batch) count *= length;
    return count;
  }
};

/// Integers wrap and booleans are or-ed, as NumPy has them; float16 and bfloat16
/// are summed in float32; float32 is never computed in a lower precision. k = 0
/// gives zeros. In the order of `stream`; on a CPU done on return.
void matmul(const Matmul& problem, Device& device, Stream& stream);

/// Another folder to look for BLAS libraries in, such as Python's site-packages
/// (`scipy_openblas64/lib` below it) or a folder with the library itself. To be
/// called before the first product.
void add_search_folder(const std::string& folder);

struct ProviderStatus {
  std::string name;     ///< "openblas", "mkl", "cublas"
  std::string device;   ///< "cpu", "cuda"
  std::string library;  ///< its file; empty if it is not there
  std::string why;      ///< it is not there
};

/// For `kasoku doctor`: all rows of the table, the one that is used first for its device.
std::vector<ProviderStatus> providers();

}  // namespace kasoku::linalg
