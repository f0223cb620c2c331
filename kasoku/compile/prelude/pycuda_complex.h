// <pycuda-complex.hpp>: complex numbers under PyCUDA's namespace.
#pragma once
#pragma clang system_header
namespace pycuda {
template <class T> using complex = ks_complex<T>;
using namespace ks_complex_functions;
}  // namespace pycuda
