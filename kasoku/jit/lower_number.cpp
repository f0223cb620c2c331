/// Numbers that meet arrays of integers. NumPy's rule: the number takes the array's dtype, and one that does not fit there
/// is an error; compared it is as it is, and a bound of clip that nothing reaches is none.
#include "kasoku/jit/lowering.h"

#include <algorithm>

namespace kasoku::jit {

namespace {

struct Ends {
  int64_t low;
  uint64_t high;
};

Ends ends_of(Dtype dtype) {
  const unsigned bits = static_cast<unsigned>(info(dtype).size) * 8;
  if (info(dtype).kind == DtypeKind::unsigned_) return {0, ~uint64_t{0} >> (64 - bits)};
  return {INT64_MIN >> (64 - bits), static_cast<uint64_t>(INT64_MAX >> (64 - bits))};
}

bool holds(Dtype dtype, int64_t n) {
  const Ends ends = ends_of(dtype);
  return n >= ends.low && (n < 0 || static_cast<uint64_t>(n) <= ends.high);
}

}  // namespace

std::string FunctionLowering::outside_text(const Expr& number, const std::string& value, Dtype to) {
  if (!number.type.is_integer() || !is_integer(to)) return "";
  const Ends given = ends_of(number.type.dtype), wanted = ends_of(to);
  if (const auto known = constant_int(number)) return holds(to, *known) ? "" : "true";
  std::string text;
  if (given.low < wanted.low) text = fmt::format("{} < {}LL", value, wanted.low);
  if (given.high > wanted.high) text += fmt::format("{}{} > {}{}", text.empty() ? "" : " || ", value, wanted.high, given.low ? "LL" : "ULL");
  return text;
}

void FunctionLowering::want_fit(const Expr& number, const std::string& value, Dtype to) {
  if (options_.is_cuda) return;
  const std::string outside = outside_text(number, value, to);
  if (outside.empty()) return;
  fail_if(outside, fmt::format("ks_jit_fail(ks, ks_overflow_error, {}, {}, (ks_i64){}, 0, 0)", number.place.line,
                               quoted(fmt::format("Python integer {{}} out of bounds for {}", info(to).name)), value));
}

void FunctionLowering::want_fit_stored(const Expr& number, const std::string& value, Dtype to) {
  if (number.type == int64_type) want_fit(number, value, to);
}

std::string FunctionLowering::bound_text(const Expr& number, const std::string& value, Dtype to, bool is_low) {
  if (outside_text(number, value, to).empty()) return cast(value, number.type.dtype, to);
  const Ends given = ends_of(number.type.dtype), ends = ends_of(to);
  const std::string name = temp("bound"), type = text_of(number.type);
  if (is_low && given.low < ends.low) line("const {0} {1} = ks_max<{0}>({2}, {3}LL);", type, name, value, ends.low);
  else if (!is_low && given.high > ends.high) line("const {0} {1} = ks_min<{0}>({2}, {3}ULL);", type, name, value, ends.high);
  else line("const {} {} = {};", type, name, value);
  Expr bound;  // what is beyond the other end is an error
  bound.place = number.place;
  bound.type = number.type;
  want_fit(bound, name, to);
  return cast(name, number.type.dtype, to);
}

std::optional<FunctionLowering::Beyond> FunctionLowering::beyond(const Expr& comparison, const std::string& number_text, Dtype both) {
  const size_t at = comparison.items[0]->type.is_array() ? 1 : 0;
  const Expr& number = *comparison.items[at];
  if (number.type.is_array()) return std::nullopt;
  const std::string outside = outside_text(number, number_text, both);
  if (outside.empty()) return std::nullopt;
  // What is outside is on one side of all elements, and of 0.
  const Beyond beyond{temp("beyond"), temp("always")};
  const char* const symbol = str(comparison.ops[0]);
  line("const bool {} = {};", beyond.is_outside, outside);
  line("const bool {} = {} {} {};", beyond.result, at ? "0" : number_text, symbol, at ? number_text : "0");
  return beyond;
}

std::string FunctionLowering::filled_value(const Expr& number, Dtype to) {
  const Val value = pin(expr(number));
  want_fit_stored(number, value.text, to);
  return pin({cast(value.text, value.type.dtype, to), Type::scalar(to)}).text;
}

void FunctionLowering::want_operand(Operator op, const Expr& operand, const Fused& values, Dtype to) {
  if (!operand.type.is_array()) want_fit(operand, values.element({}), to);
  if (op == Operator::power) want_exponents(operand, values, to);
}

Val FunctionLowering::whole(const Val& value, Place place) {
  if (!value.type.is_floating() || options_.is_cuda || is_parallel_ || loop_depth_ > 0) return value;  // loops stay loops of vectors
  const Val number = pin(value);
  const std::string x = number.text;
  fail_if(fmt::format("!({0} >= -9223372036854775808.0 && {0} < 9223372036854775808.0)", x),
          fmt::format("ks_jit_fail(ks, {0} != {0} ? ks_value_error : ks_overflow_error, {1}, {0} != {0} ? \"cannot convert float NaN to integer\" "
                      ": ks_isfinite({0}) ? \"the float does not fit into 64 bits\" : \"cannot convert float infinity to integer\", 0, 0, 0)",
                      x, place.line));
  return number;
}

void FunctionLowering::want_exponents(const Expr& exponent, const Fused& values, Dtype to) {
  if (options_.is_cuda || !is_integer(to) || info(to).kind != DtypeKind::signed_ || exponent.type.is_boolean()) return;
  const auto known = constant_int(exponent);
  if ((known && *known >= 0) || info(exponent.type.dtype).kind != DtypeKind::signed_) return;
  std::string negative = "true";
  if (exponent.type.is_scalar() && !known) negative = values.element({}) + " < 0";
  if (exponent.type.is_array()) {
    negative = temp("negative");
    const std::string s = shape(values, exponent.place);
    line("bool {} = false;", negative);
    elements(values, s, {}, [&](const Index& at) { line("{} |= {} < 0;", negative, values.element(at)); }, false);
  }
  fail_if(negative, fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"Integers to negative integer powers are not allowed.\", 0, 0, 0)",
                                exponent.place.line));
}

}  // namespace kasoku::jit
