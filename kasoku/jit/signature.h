/// \file kasoku/jit/signature.h
/// Signatures given ahead: a function that has some is compiled for these alone, and the
/// arguments of a call convert to those of the one that suits them best.
#pragma once

#include "kasoku/base/error.h"
#include "kasoku/jit/tree.h"

#include <string>
#include <vector>

namespace kasoku::jit {

/// A signature does not hold: an error however the function runs, compiled or not.
struct SignatureError : Error {
  explicit SignatureError(const Error& error) : Error(error) {}
};

/// How much a value changes on its way to another type; Numba's ranks.
enum class Conversion : uint8_t {
  exact,
  promote,  ///< within a kind: int32 -> int64, float32 -> float64
  safe,     ///< int32 -> float64, bool -> int8, an array that may be written -> one that may not
  unsafe,   ///< float64 -> int64
  none,
};
Conversion conversion(const Type& from, const Type& to);

/// The signatures that take these arguments with the fewest unsafe conversions, then the fewest safe ones, then the
/// fewest promotions. Several if they are equally good; empty if no signature takes the arguments.
std::vector<const Signature*> best(const std::vector<Signature>& declared, const std::vector<Type>& given);

/// "(int64, float64)".
std::string str(const std::vector<Type>& arguments);
std::string str(const Signature& signature);

/// The one of best() for a call of `name`; throws SignatureError in Numba's words.
const Signature& choose(const std::vector<Signature>& declared, const std::vector<Type>& given, const std::string& name);

}  // namespace kasoku::jit
