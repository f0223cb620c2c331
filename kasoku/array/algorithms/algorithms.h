/// \file kasoku/array/algorithms/algorithms.h
/// The table of algorithms, see algorithms.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace kasoku {

enum class Algorithm : uint8_t {
#define ALGORITHM(name, ...) name,
#include "kasoku/array/algorithms/algorithms.def"
#undef ALGORITHM
};

struct AlgorithmInfo {
  enum Axis : uint8_t { along, over, flat, free };
  enum Result : uint8_t { own, position, quotient, boolean, several, nothing };

  std::string_view name;
  Axis axis;
  Result result;
  const char* doc;
  const char* details = "";  ///< more sentences: arguments, errors, by which method
  const char* call = "";   ///< an example
  const char* shown = "";  ///< what Python shows of it
};

inline constexpr std::string_view algorithm_axes[] = {"along", "over", "flat", "free"};
inline constexpr std::string_view algorithm_results[] = {"own", "position", "quotient", "boolean", "several", "nothing"};

inline constexpr AlgorithmInfo algorithm_table[] = {
#define ALGORITHM(name, axis, result, doc, ...) \
  {#name, AlgorithmInfo::axis, AlgorithmInfo::result, doc __VA_OPT__(, ) __VA_ARGS__},
#include "kasoku/array/algorithms/algorithms.def"
#undef ALGORITHM
};

inline constexpr size_t n_algorithms = std::size(algorithm_table);

constexpr const AlgorithmInfo& info(Algorithm name) { return algorithm_table[static_cast<size_t>(name)]; }

}  // namespace kasoku
