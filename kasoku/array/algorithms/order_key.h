/// \file kasoku/array/algorithms/order_key.h
/// Bits of an element as an unsigned number that is greater where the element comes later. Kernels have this text too.
#pragma once

#ifndef KS_BOTH
#define KS_BOTH inline
#endif

enum KsOrderKind { ks_truth, ks_unsigned, ks_signed, ks_floating };

/// `U` has the element's width; `infinity` are the bits of a float's infinity.
template <class U, int kind, U infinity, bool is_descending>
struct KsOrder {
  static constexpr U sign = (U)((U)1 << (8 * sizeof(U) - 1));
  /// How many ordered bits lie below -infinity's: those of NaNs with a sign. Subtracted, these come behind the NaNs
  /// without.
  static constexpr U below = (U)~(U)(sign | infinity);

  /// Different for different bits, but those of a bool that is true; -0 comes before 0.
  static KS_BOTH U key(U bits) {
    U result = kind == ks_truth ? (U)(bits != 0) : bits;
    if (kind == ks_signed) result = (U)(bits ^ sign);
    if (kind == ks_floating) result = (U)((bits & sign ? (U)~bits : (U)(bits | sign)) - below);
    return is_descending ? (U)~result : result;
  }
  static KS_BOTH U bits(U key) {
    const U up = is_descending ? (U)~key : key;
    if (kind == ks_signed) return (U)(up ^ sign);
    if (kind != ks_floating) return up;
    const U ordered = (U)(up + below);
    return ordered & sign ? (U)(ordered ^ sign) : (U)~ordered;
  }
  /// key(), with one key for elements of which neither comes first: both zeros, all NaNs.
  static KS_BOTH U class_key(U bits) {
    if (kind != ks_floating) return key(bits);
    const U magnitude = (U)(bits & (U)~sign);
    return key(magnitude > infinity ? (U)~sign : magnitude == 0 ? (U)0 : bits);
  }
};
