/// \file kasoku/array/scalar.h
/// A number in the widest type of its kind, and its conversion to any dtype.
#pragma once

#include "kasoku/base/dtype.h"

#include <complex>
#include <cstdint>

namespace kasoku {

struct Scalar {
  DtypeKind kind = DtypeKind::signed_;
  union {
    bool b;
    int64_t i = 0;
    uint64_t u;
    double f;
  };
  double imaginary = 0;  ///< complex only; `f` is the real part

  Scalar() = default;
  /// Field by field: what a compiler copies as one vector is not there while a field of it is still on its way to memory, and
  /// most numbers are copied when they have just been read.
  Scalar(const Scalar& x) : kind(x.kind), i(x.i), imaginary(x.imaginary) {}
  Scalar& operator=(const Scalar& x) {
    kind = x.kind;
    i = x.i;
    imaginary = x.imaginary;
    return *this;
  }

  static Scalar of(bool value) { Scalar s; s.kind = DtypeKind::boolean; s.i = value; return s; }
  static Scalar of(int64_t value) { Scalar s; s.i = value; return s; }
  static Scalar of(int value) { return of(int64_t{value}); }
  static Scalar of(uint64_t value) { Scalar s; s.kind = DtypeKind::unsigned_; s.u = value; return s; }
  static Scalar of(double value) { Scalar s; s.kind = DtypeKind::floating; s.f = value; return s; }
  static Scalar of(std::complex<double> value) {
    Scalar s = of(value.real());
    s.kind = DtypeKind::complex_;
    s.imaginary = value.imag();
    return s;
  }

  double as_double() const;
  int64_t as_int() const;  ///< a floating number as kernels convert it
  bool as_bool() const;

  /// Bytes of the element of `dtype` that this number is.
  void store(Dtype dtype, void* to) const;
  static Scalar load(Dtype dtype, const void* from);

  bool operator==(const Scalar&) const;
};


}  // namespace kasoku
