#include "kasoku/codegen/reductions.h"

#include "kasoku/base/error.h"
#include "kasoku/codegen/group.h"

#include <fmt/format.h>

namespace kasoku {

namespace {

constexpr ReductionAlias alias_table[] = {
#define REDUCTION(...)
#define ALIAS(name, of) {#name, ReduceOp::of},
#include "kasoku/codegen/reductions.def"
#undef REDUCTION
};

bool has_short_floats(Dtype dtype) { return info(dtype).size <= (is_complex(dtype) ? 8 : 4); }

/// A float, or a complex number both of whose parts it is.
std::string of_parts(Dtype dtype, std::string_view type, const std::string& part) {
  return is_complex(dtype) ? fmt::format("{0}({1}, {1})", type, part) : part;
}

std::string extreme_text(Dtype dtype, std::string_view type, bool is_highest) {
  switch (info(dtype).kind) {
    case DtypeKind::boolean: return is_highest ? "true" : "false";
    case DtypeKind::unsigned_: return fmt::format("({}){}", type, is_highest ? "-1" : "0");
    case DtypeKind::signed_: {
      const std::string bit = fmt::format("(1ull << {})", 8 * info(dtype).size - 1);
      return is_highest ? fmt::format("({})({} - 1)", type, bit) : fmt::format("({}){}", type, bit);
    }
    default: return of_parts(dtype, type, fmt::format("{}{}", is_highest ? "" : "-", has_short_floats(dtype) ? "ks_f32_bits(0x7f800000u)" : "ks_f64_bits(0x7ff0000000000000ull)"));
  }
}

}  // namespace

std::span<const ReductionAlias> reduction_aliases() { return alias_table; }

OpTypes reduction_types(ReduceOp op, Dtype dtype, std::optional<Dtype> wanted) {
  const ReductionInfo& row = info(op);
  if (dtype == Dtype::opaque) throw Error(ErrorKind::type, "records have no " + std::string(row.name));
  if (row.takes == ReductionInfo::truth) dtype = Dtype::bool_;
  Dtype compute = dtype;
  if (row.result == ReductionInfo::moments) {
    if (wanted) compute = *wanted;
    if (text_column(compute) < 2) compute = Dtype::float64;
    if (is_complex(compute)) throw Error(ErrorKind::type, std::string(row.name) + " of complex numbers is that of their parts");
    return {register_dtype(compute), register_dtype(compute)};
  }
  if (row.result == ReductionInfo::wide) {
    if (wanted) compute = *wanted;
    else if (text_column(dtype) < 2) compute = info(dtype).kind == DtypeKind::unsigned_ ? Dtype::uint64 : Dtype::int64;
  }
  if (info(compute).kind == DtypeKind::complex_ && info(row.join).text[text_column(compute)].empty())
    throw Error(ErrorKind::type, std::string(row.name) + " is not defined for complex arrays");
  const Dtype result = row.keeps_position() ? Dtype::int64 : wanted ? *wanted : compute;
  return {register_dtype(compute), result};
}

std::string said_of_nothing(ReduceOp op) {
  const ReductionInfo& row = info(op);
  if (row.keeps_position()) return fmt::format("attempt to get {} of an empty sequence", row.name);
  return fmt::format("zero-size array to reduction operation {} which has no identity", info(row.join).name);
}

bool joins_in_any_order(ReduceOp op, Dtype compute) {
  const ReductionInfo& row = info(op);
  if (row.keeps_position()) return false;
  if (row.join != Op::add && row.join != Op::multiply) return true;
  const DtypeKind kind = info(compute).kind;
  return kind == DtypeKind::boolean || kind == DtypeKind::signed_ || kind == DtypeKind::unsigned_;
}

size_t lane_bytes(ReduceOp op, Dtype compute) { return info(op).n_numbers() * info(register_dtype(compute)).size; }

std::string lane_text(ReduceOp op, std::string_view type) { return info(op).result == ReductionInfo::moments ? fmt::format("ks_moments<{}>", type) : std::string(type); }

std::string identity_text(ReduceOp op, Dtype compute, std::string_view type) {
  if (info(op).result == ReductionInfo::moments) return lane_text(op, type) + "{0, 0, 0}";
  const bool is_bool = compute == Dtype::bool_, is_floating = info(compute).kind == DtypeKind::floating;
  switch (info(op).identity[is_floating || is_complex(compute)]) {
    case ReductionInfo::zero: return is_bool ? "false" : fmt::format("({}){}", type, is_floating ? "-0.0" : "0");
    case ReductionInfo::one: return is_bool ? "true" : fmt::format("({})1", type);
    case ReductionInfo::lowest: return extreme_text(compute, type, false);
    case ReductionInfo::highest: return extreme_text(compute, type, true);
    case ReductionInfo::nan: return of_parts(compute, type, has_short_floats(compute) ? "ks_f32_bits(0x7fc00000u)" : "ks_f64_bits(0x7ff8000000000000ull)");
  }
  throw Error(ErrorKind::internal, "a reduction without an identity");
}

}  // namespace kasoku
