/// \file kasoku/codegen/reductions.h
/// The table of reductions, see reductions.def, and what they compute in.
#pragma once

#include "kasoku/codegen/ops.h"

namespace kasoku {

enum class ReduceOp : uint8_t {
#define REDUCTION(name, ...) name,
#include "kasoku/codegen/reductions.def"
#undef REDUCTION
};

struct ReductionInfo {
  enum Identity : uint8_t { zero, one, lowest, highest, nan };
  enum Result : uint8_t { own, wide, position, moments };
  enum Takes : uint8_t { all, truth, numbers };

  std::string_view name;
  Op join;
  Identity identity[2];  ///< of integers, of floats
  Result result;
  Takes takes;
  const char* doc;
  const char* call = "";   ///< an example
  const char* shown = "";  ///< what Python shows of it

  constexpr bool keeps_position() const { return result == position; }
  /// Numbers of a result, each of the dtype that it is computed in; where there are several, they lie along a last axis.
  constexpr int n_numbers() const { return result == moments ? 3 : 1; }
  /// Whether no elements have a result.
  constexpr bool has_identity() const { return identity[0] == zero || identity[0] == one; }
};

inline constexpr ReductionInfo reduction_table[] = {
#define REDUCTION(name, join, of_integers, of_floats, result, takes, doc, ...) \
  {#name, Op::join, {ReductionInfo::of_integers, ReductionInfo::of_floats}, ReductionInfo::result, ReductionInfo::takes, doc __VA_OPT__(, ) __VA_ARGS__},
#include "kasoku/codegen/reductions.def"
#undef REDUCTION
};

inline constexpr size_t n_reductions = std::size(reduction_table);

constexpr const ReductionInfo& info(ReduceOp op) { return reduction_table[static_cast<size_t>(op)]; }

struct ReductionAlias {
  std::string_view name;
  ReduceOp op;
};
std::span<const ReductionAlias> reduction_aliases();

/// The error message for a reduction of no elements that has no identity.
std::string said_of_nothing(ReduceOp op);

/// Elements of a reduction that one lane tree combines, and its lanes. They define
/// what a sum is, and never change.
inline constexpr int64_t chunk_elements = 8192;
inline constexpr int64_t chunk_lanes = 1024;

/// Whether elements of `compute` have one result in whichever order they are joined; of floats' extremes any zero, and any NaN.
bool joins_in_any_order(ReduceOp op, Dtype compute);

/// The dtype in which a reduction joins its elements, and that of its result; `wanted` is the dtype that the caller
/// asks for, if any. Throws ErrorKind::type where the reduction does not take the dtype.
OpTypes reduction_types(ReduceOp op, Dtype dtype, std::optional<Dtype> wanted = std::nullopt);

/// The bytes of what lanes of `compute` hold, without positions.
size_t lane_bytes(ReduceOp op, Dtype compute);

/// The type of a lane's value, as kernel text; `type` is the type of one number.
std::string lane_text(ReduceOp op, std::string_view type);

/// The value that lanes of `compute` start from; `type` is its kernel text. Sums of floats start from -0.0, which keeps
/// the sign of a zero.
std::string identity_text(ReduceOp op, Dtype compute, std::string_view type);

}  // namespace kasoku
