/// \file kasoku/kernel/header_text.h
/// The text of the headers in headers.h. CUDA C++ for every compiler, C++11 and later.
#pragma once

namespace kasoku {

/// complex<float> and complex<double>, also as pycuda::complex and thrust::complex.
extern const char complex_header[];
/// CArray and the indexer of element kernels.
extern const char carray_header[];
/// Atomics that CuPy adds to CUDA's.
extern const char atomics_header[];

}  // namespace kasoku
