#include "kasoku/jit/element.h"

#include "kasoku/base/error.h"
#include "kasoku/base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kasoku::jit {

namespace {

std::string_view row_text(Op op, Dtype compute) { return info(op).text[text_column(compute)]; }

/// sin($0), $0 + $1: no operand twice, no conversion, no function of ours whose operands must
/// agree in type.
bool stands_alone(std::string_view text) {
  for (const char* operand : {"$0", "$1", "$2"}) {
    const size_t at = text.find(operand);
    if (at != text.npos && text.find(operand, at + 1) != text.npos) return false;
  }
  return text.find("$t") == text.npos && text.find("$u") == text.npos && text.find("ks_") == text.npos;
}

constexpr std::string_view prefix = "ks_op_";

}  // namespace

OpTypes element_types(Op op, Dtype promoted, bool in_floats) {
  if (in_floats) promoted = floating_dtype(promoted);
  if (promoted == Dtype::float16) {  // computed in single precision and rounded once
    OpTypes types = element_types(op, Dtype::float32);
    if (types.result == Dtype::float32) types.result = Dtype::float16;
    return types;
  }
  OpTypes types = op_types(op, promoted);
  if (is_floating(types.compute) && !is_floating(promoted)) {
    if (types.result == types.compute) types.result = Dtype::float64;
    types.compute = Dtype::float64;
  }
  return types;
}

std::string op_text(Op op, Dtype compute, const std::vector<std::string>& operands) {
  const std::string_view text = row_text(op, compute);
  if (stands_alone(text)) {
    const std::string out = filled_text(op, compute, text_of(compute), operands);
    const bool is_call = std::isalpha(static_cast<unsigned char>(text[0]));
    return is_call ? out : "(" + out + ")";
  }
  return fmt::format("{}{}_{}({})", prefix, info(op).name, info(compute).name, fmt::join(operands, ", "));
}

std::string clip_text(bool is_low, bool has_other, Dtype compute, const std::string& x, const std::string& bound) {
  return op_text(is_low ? Op::maximum : Op::minimum, compute, {has_other ? bound : x, has_other ? x : bound});
}

std::string op_functions(std::string_view text) {
  std::set<std::string_view> seen;
  std::string all;
  for (size_t at = text.find(prefix); at != text.npos; at = text.find(prefix, at + 1)) {
    const std::string_view name = text.substr(at, word_end(text, at) - at);
    if (!seen.insert(name).second) continue;
    const size_t last = name.rfind('_');
    const std::string_view op_name = name.substr(prefix.size(), last - prefix.size());
    const auto op = op_from_name(op_name);
    const auto compute = dtype_from_name(name.substr(last + 1));
    if (!op || !compute) throw Error(ErrorKind::internal, "no operation is called " + std::string(name));
    const std::string type = text_of(*compute);
    const std::string names[] = {"a", "b", "c"};
    std::string parameters;
    for (int i = 0; i < info(*op).arity; ++i)
      parameters += fmt::format("{}{} {}", i ? ", " : "", op == Op::where && i == 0 ? "bool" : type, names[i]);
    const OpTypes types = element_types(*op, *compute);
    all += fmt::format("ks_helper {} {}({}) {{ return {}; }}\n", text_of(types.result), name, parameters,
                       filled_text(*op, *compute, type, names));
  }
  return all;
}

Op op_of(Operator op) {
  switch (op) {
    case Operator::add: return Op::add;
    case Operator::subtract: return Op::subtract;
    case Operator::multiply: return Op::multiply;
    case Operator::divide: return Op::divide;
    case Operator::floor_divide: return Op::floor_divide;
    case Operator::modulo: return Op::remainder;
    case Operator::power: return Op::power;
    case Operator::left_shift: return Op::left_shift;
    case Operator::right_shift: return Op::right_shift;
    case Operator::bit_and: return Op::bitwise_and;
    case Operator::bit_or: return Op::bitwise_or;
    case Operator::bit_xor: return Op::bitwise_xor;
    case Operator::negative: return Op::negative;
    case Operator::positive: return Op::positive;
    case Operator::invert: return Op::invert;
    case Operator::less: return Op::less;
    case Operator::less_equal: return Op::less_equal;
    case Operator::greater: return Op::greater;
    case Operator::greater_equal: return Op::greater_equal;
    case Operator::equal:
    case Operator::is: return Op::equal;
    case Operator::not_equal:
    case Operator::is_not: return Op::not_equal;
    default: throw Error(ErrorKind::internal, fmt::format("{} has no row in ops.def", str(op)));
  }
}

}  // namespace kasoku::jit
