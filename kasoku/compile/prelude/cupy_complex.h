// <cupy/complex.cuh>: thrust::complex without its namespace.
#pragma once
#pragma clang system_header
using thrust::complex;
