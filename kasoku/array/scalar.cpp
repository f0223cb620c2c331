#include "kasoku/array/scalar.h"

#include "kasoku/base/half.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace kasoku {

namespace {

/// As ks_to_integer of the kernels' texts.
template <class T>
T to_integer(double value) {
  using Whole = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  constexpr Whole least = std::numeric_limits<Whole>::min();
  constexpr double limit = -static_cast<double>(least);
  const bool is_high = sizeof(T) == sizeof(Whole) && std::is_unsigned_v<T> && value >= limit;
  const double part = is_high ? value - limit : value;
  const Whole whole = std::abs(part) < limit ? static_cast<Whole>(part) : least;
  return static_cast<T>(is_high ? whole ^ least : whole);
}

template <class T>
void put(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

template <class T>
T get(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
T integer(const Scalar& s) {
  switch (s.kind) {
    case DtypeKind::boolean: return s.b;
    case DtypeKind::unsigned_: return static_cast<T>(s.u);
    case DtypeKind::signed_: return static_cast<T>(s.i);
    default: return to_integer<T>(s.f);
  }
}

}  // namespace

double Scalar::as_double() const {
  switch (kind) {
    case DtypeKind::boolean: return b;
    case DtypeKind::unsigned_: return static_cast<double>(u);
    case DtypeKind::signed_: return static_cast<double>(i);
    default: return f;
  }
}

int64_t Scalar::as_int() const { return integer<int64_t>(*this); }

bool Scalar::as_bool() const {
  switch (kind) {
    case DtypeKind::boolean: return b;
    case DtypeKind::unsigned_:
    case DtypeKind::signed_: return i != 0;
    default: return f != 0 || imaginary != 0;
  }
}

void Scalar::store(Dtype dtype, void* to) const {
  switch (dtype) {
    case Dtype::bool_: put(to, as_bool()); break;
    case Dtype::int8: put(to, integer<int8_t>(*this)); break;
    case Dtype::int16: put(to, integer<int16_t>(*this)); break;
    case Dtype::int32: put(to, integer<int32_t>(*this)); break;
    case Dtype::int64: put(to, integer<int64_t>(*this)); break;
    case Dtype::uint8: put(to, integer<uint8_t>(*this)); break;
    case Dtype::uint16: put(to, integer<uint16_t>(*this)); break;
    case Dtype::uint32: put(to, integer<uint32_t>(*this)); break;
    case Dtype::uint64: put(to, integer<uint64_t>(*this)); break;
    case Dtype::float16: put(to, float_to_half(to_odd(as_double()))); break;
    case Dtype::bfloat16: put(to, float_to_bfloat16(kind == DtypeKind::signed_ ? to_odd(i) : kind == DtypeKind::unsigned_ ? to_odd(u) : to_odd(as_double()))); break;
    case Dtype::float32: put(to, static_cast<float>(as_double())); break;
    case Dtype::float64: put(to, as_double()); break;
    case Dtype::complex64:
      put(to, std::complex<float>(static_cast<float>(as_double()), static_cast<float>(imaginary)));
      break;
    case Dtype::complex128: put(to, std::complex<double>(as_double(), imaginary)); break;
    case Dtype::opaque: break;
  }
}

Scalar Scalar::load(Dtype dtype, const void* from) {
  switch (dtype) {
    case Dtype::bool_: return of(get<uint8_t>(from) != 0);
    case Dtype::int8: return of(int64_t{get<int8_t>(from)});
    case Dtype::int16: return of(int64_t{get<int16_t>(from)});
    case Dtype::int32: return of(int64_t{get<int32_t>(from)});
    case Dtype::int64: return of(get<int64_t>(from));
    case Dtype::uint8: return of(uint64_t{get<uint8_t>(from)});
    case Dtype::uint16: return of(uint64_t{get<uint16_t>(from)});
    case Dtype::uint32: return of(uint64_t{get<uint32_t>(from)});
    case Dtype::uint64: return of(get<uint64_t>(from));
    case Dtype::float16: return of(double{half_to_float(get<uint16_t>(from))});
    case Dtype::bfloat16: return of(double{bfloat16_to_float(get<uint16_t>(from))});
    case Dtype::float32: return of(double{get<float>(from)});
    case Dtype::float64: return of(get<double>(from));
    case Dtype::complex64: return of(std::complex<double>(get<std::complex<float>>(from)));
    case Dtype::complex128: return of(get<std::complex<double>>(from));
    case Dtype::opaque: break;
  }
  return {};
}

bool Scalar::operator==(const Scalar& other) const {
  return kind == other.kind && u == other.u &&
         std::bit_cast<uint64_t>(imaginary) == std::bit_cast<uint64_t>(other.imaginary);
}

}  // namespace kasoku
