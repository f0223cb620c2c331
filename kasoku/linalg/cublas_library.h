/// \file kasoku/linalg/cublas_library.h
/// cuBLAS's functions, found at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

struct cublasContext;

namespace kasoku::linalg {

using cublasHandle = cublasContext*;

/// cudaDataType_t and cublasComputeType_t.
enum CublasType : int {
  type_float32 = 0,
  type_float64 = 1,
  type_float16 = 2,
  type_complex64 = 4,
  type_complex128 = 5,
  type_bfloat16 = 14,
};
enum CublasCompute : int { compute_float32 = 68, compute_float64 = 70 };

struct Cublas {
  int (*create)(cublasHandle*);
  int (*set_stream)(cublasHandle, void* stream);
  int (*set_workspace)(cublasHandle, void* memory, size_t bytes);
  int (*gemm)(cublasHandle, int op_a, int op_b, int m, int n, int k, const void* alpha,
              const void* a, int a_type, int lda, const void* b, int b_type, int ldb,
              const void* beta, void* c, int c_type, int ldc, int compute, int algorithm);
  int (*gemm_strided)(cublasHandle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                      const void* a, int a_type, int lda, long long stride_a, const void* b,
                      int b_type, int ldb, long long stride_b, const void* beta, void* c,
                      int c_type, int ldc, long long stride_c, int items, int compute,
                      int algorithm);
  const char* (*status_text)(int status);
  void* library;  ///< of dlopen, for functions that are looked up by name
};

const std::string& cublas_library_file();
/// ErrorKind::unsupported says what to install.
const Cublas& cublas_library();

}  // namespace kasoku::linalg
