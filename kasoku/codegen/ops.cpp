#include "kasoku/codegen/ops.h"

#include "kasoku/base/error.h"

#include <fmt/format.h>

#include <string>

namespace kasoku {

namespace {

constexpr OpAlias alias_table[] = {
#define OP(...)
#define ALIAS(name, of) {#name, Op::of},
#include "kasoku/codegen/ops.def"
#undef OP
};

[[noreturn]] void refuse(Op op, Dtype dtype) {
  throw Error(ErrorKind::type, std::string(info(op).name) + " is not defined for " +
                                   std::string(info(dtype).name) + " arrays");
}

/// The float that holds every value of a small integer, as NumPy chooses it.
Dtype floating_for(Dtype dtype) {
  switch (info(dtype).size) {
    case 1: return Dtype::float16;
    case 2: return Dtype::float32;
    default: return Dtype::float64;
  }
}

}  // namespace

std::span<const OpAlias> op_aliases() { return alias_table; }

std::optional<Op> op_from_name(std::string_view name) {
  for (size_t i = 0; i < n_ops; ++i)
    if (op_table[i].name == name) return static_cast<Op>(i);
  for (const OpAlias& alias : alias_table)
    if (alias.name == name) return alias.op;
  return std::nullopt;
}

int text_column(Dtype dtype) {
  switch (info(dtype).kind) {
    case DtypeKind::boolean: return 0;
    case DtypeKind::signed_:
    case DtypeKind::unsigned_: return 1;
    case DtypeKind::floating: return 2;
    case DtypeKind::complex_: return 3;
    default: return 4;
  }
}

std::string_view unsigned_text(Dtype dtype) {
  return info(dtype).size == 8 ? "unsigned long long" : "unsigned int";
}

std::string filled_text(Op op, Dtype compute, std::string_view type, std::span<const std::string> operands) {
  const std::string_view text = info(op).text[text_column(compute)];
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c == 't') out += type;
    else if (c == 'u') out += unsigned_text(compute);
    else out += operands[static_cast<size_t>(c - '0')];
  }
  return out;
}

OpTypes op_types(Op op, Dtype promoted) {
  const OpInfo& row = info(op);
  if (promoted == Dtype::opaque) refuse(op, promoted);
  if (row.result == ResultRule::logical) return {Dtype::bool_, Dtype::bool_};
  Dtype compute = promoted;
  if (row.result == ResultRule::double_) compute = text_column(promoted) < 3 ? Dtype::float64 : Dtype::complex128;
  if (row.result == ResultRule::quotient && text_column(promoted) < 2) compute = Dtype::float64;
  for (int column = text_column(compute); row.text[column].empty(); column = text_column(compute)) {
    const bool has_integer = !row.text[1].empty(), has_floating = !row.text[2].empty();
    if (column == 0 && has_integer) compute = Dtype::int8;
    else if (column <= 1 && has_floating) compute = floating_for(compute);
    else refuse(op, promoted);
  }
  // It is a float in a register: the next float rounds back to what it was.
  if (row.domain == Domain::no_half && info(compute).kind == DtypeKind::floating && info(compute).size == 2) {
    Error error(ErrorKind::type, fmt::format("{} is not defined for {} arrays", row.name, info(compute).name));
    throw error.fix("convert to float32 first: x.astype('float32')");
  }
  if (row.text[text_column(compute)] == "refused") {
    Error error(ErrorKind::type, std::string(row.name) + " is not defined for bool arrays");
    if (op == Op::subtract) error.fix("use bitwise_xor (^) or logical_xor");
    if (op == Op::negative) error.fix("use invert (~) or logical_not");
    throw error;
  }
  Dtype result = compute;
  if (row.result == ResultRule::boolean) result = Dtype::bool_;
  if (row.result == ResultRule::count) result = Dtype::uint8;
  if (row.result == ResultRule::exponent) result = Dtype::int32;
  if (row.result == ResultRule::real && compute == Dtype::complex64) result = Dtype::float32;
  if (row.result == ResultRule::real && compute == Dtype::complex128) result = Dtype::float64;
  return {compute, result};
}

}  // namespace kasoku
