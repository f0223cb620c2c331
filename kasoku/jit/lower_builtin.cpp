/// Rows of intrinsics.def whose result is a scalar or a tuple: Python's built-ins, functions of math and NumPy.
#include "kasoku/jit/lowering.h"

#include <algorithm>

namespace kasoku::jit {

namespace {

Operator operator_of(Handler handler) {
  switch (handler) {
    case Handler::add: return Operator::add;
    case Handler::subtract: return Operator::subtract;
    case Handler::multiply: return Operator::multiply;
    case Handler::divide: return Operator::divide;
    case Handler::floor_divide: return Operator::floor_divide;
    case Handler::modulo: return Operator::modulo;
    default: return Operator::power;
  }
}

}  // namespace

/// The call's text for operands that have `promoted` in common.
std::string FunctionLowering::elementwise(const Intrinsic& intrinsic, Dtype promoted, const std::vector<Val>& operands) {
  if (intrinsic.op && operands.size() == 2 && have_two_signs(operands[0].type.dtype, operands[1].type.dtype))
    for (const Operator op : {Operator::less, Operator::less_equal, Operator::greater, Operator::greater_equal, Operator::equal, Operator::not_equal})
      if (op_of(op) == *intrinsic.op) return ordered(str(op), operands[0].text, operands[1].text);
  const Dtype compute = intrinsic.op                             ? element_types(*intrinsic.op, promoted, intrinsic.in_floats).compute
                        : intrinsic.result == Result::part ? promoted : floating_dtype(promoted);
  std::vector<std::string> texts;
  for (const Val& operand : operands) texts.push_back(cast(operand.text, operand.type.dtype, compute));
  if (intrinsic.op) return op_text(*intrinsic.op, compute, texts);
  return fmt::format("{}({})", intrinsic.text, fmt::join(texts, ", "));
}

std::string FunctionLowering::range_value(const Expr& e) {
  const bool only_stop = !has(e, 1);
  const std::string start = only_stop ? "0" : text_as(*e.items[1], Dtype::int64);
  const std::string stop = text_as(only_stop ? *e.items[1] : *e.items[2], Dtype::int64);
  const std::string step = has(e, 2) ? text_as(*e.items[3], Dtype::int64) : "1";
  const std::string name = temp("range");
  line("const ks_range {} = {{{}, {}, {}}};", name, start, stop, step);
  return name;
}

Val FunctionLowering::length(const Expr& e) {
  const Expr& object = *e.items[1];
  if (object.type.kind == TypeKind::text)
    return {fmt::format("{}LL", std::ranges::count_if(object.type.text, [](unsigned char c) { return (c & 0xc0) != 0x80; })), int64_type};
  if (object.type.is_tuple()) return {fmt::format("{}LL", object.type.items.size()), int64_type};
  if (object.type.is_array() && object.kind == ExprKind::subscript && object.items[1]->type.is_array() &&
      object.items[1]->type.dtype == Dtype::bool_)
    return counted(*object.items[1], e.place);
  const Val value = expr(object);
  if (object.type.is_string()) return {value.text + ".size", int64_type};
  if (object.type.is_container()) return pin({fmt::format("ks_length({})", value.text), int64_type});  // what follows may change it
  if (object.type.kind == TypeKind::range) return {fmt::format("ks_length({})", value.text), int64_type};
  return {value.text + ".shape[0]", int64_type};
}

Val FunctionLowering::to_number(const Expr& e, Handler handler) {
  if (e.items.size() < 2 || !e.items[1]) return {cast("0", Dtype::int64, e.type.dtype), e.type};
  if (const Type& given = e.items[1]->type; given.kind == TypeKind::text && handler == Handler::to_float) return {number_text(std::strtod(given.text.c_str(), nullptr)), e.type};
  else if (given.kind == TypeKind::text && handler == Handler::to_int) return constant(static_cast<int64_t>(std::stoll(given.text)), e.type, e.place);
  Val value = argument(e, 0);
  if (value.type.is_words()) return handler == Handler::to_bool ? Val{truth_of(value), bool_type} : number_of(value, e.type, e.place);
  if (value.type.is_array()) value = {loaded(value.text + ".data[0]", value.type.dtype), Type::scalar(value.type.dtype)};
  if (handler == Handler::to_int) value = whole(value, e.place);
  return {cast(value.text, value.type.dtype, e.type.dtype), e.type};
}

Val FunctionLowering::complex_number(const Expr& e) {
  if (!has(e, 0)) return {"ks_cx<double>()", e.type};
  const Val a = argument(e, 0);
  if (!has(e, 1)) return {cast(a.text, a.type.dtype, Dtype::complex128), e.type};
  const std::string b = text_as(*e.items[2], Dtype::float64);
  return {fmt::format("ks_cx<double>({}, {})", cast(a.text, a.type.dtype, Dtype::float64), b), e.type};
}

Val FunctionLowering::absolute(const Expr& e) {
  const Val value = pin(argument(e, 0));
  const Dtype dtype = value.type.is_complex() ? value.type.dtype : e.type.dtype;
  return {op_text(Op::absolute, dtype, {cast(value.text, value.type.dtype, dtype)}), e.type};
}

Val FunctionLowering::rounded(const Expr& e) {
  const Val value = pin(e.type.is_integer() ? whole(argument(e, 0), e.place) : argument(e, 0));
  if (!value.type.is_floating()) return {cast(value.text, value.type.dtype, e.type.dtype), e.type};
  if (e.type.is_integer()) return {fmt::format("ks_round_to_int({})", value.text), e.type};
  const std::string digits = has(e, 1) ? text_as(*e.items[2], Dtype::int64) : "0";
  return {fmt::format("({})ks_round({}, {})", text_of(e.type), value.text, digits), e.type};
}

/// min() and max(): of an array, of a tuple or of their arguments.
Val FunctionLowering::extreme(const Expr& e, const Intrinsic& intrinsic) {
  if (e.items.size() == 2 && e.items[1]->type.is_array())
    return reduction(e, intrinsic);
  const char* function = intrinsic.handler == Handler::min ? "ks_min" : "ks_max";
  std::vector<std::string> values;
  if (e.items.size() == 2) {
    const Val tuple = pin(argument(e, 0));
    for (size_t k = 0; k < tuple.type.items.size(); ++k)
      values.push_back(cast(fmt::format("{}._{}", tuple.text, k), tuple.type.items[k].dtype, e.type.dtype));
  } else {
    for (size_t i = 1; i < e.items.size(); ++i) values.push_back(text_as(*e.items[i], e.type.dtype));
  }
  std::string text = values[0];
  for (size_t i = 1; i < values.size(); ++i)
    text = fmt::format("{}<{}>({}, {})", function, text_of(e.type), text, values[i]);
  return {text, e.type};
}

/// An operator under a function's name: pow(), operator.add, numpy.multiply.
Val FunctionLowering::operator_call(const Expr& e, const Intrinsic& intrinsic) {
  const Val a = pin(argument(e, 0)), b = expr(*e.items[2]);
  return combine(intrinsic.handler == Handler::dot ? Operator::multiply : operator_of(intrinsic.handler), a, b, e.type,
                 e.items[2].get(), e.place, !intrinsic.name.starts_with("numpy."));
}

Val FunctionLowering::logarithm(const Expr& e) {
  const std::string x = text_as(*e.items[1], e.type.dtype);
  if (!has(e, 1)) return {fmt::format("log({})", x), e.type};
  const Val base = pin({fmt::format("log({})", text_as(*e.items[2], e.type.dtype)), e.type});
  if (options_.python_errors && !options_.is_cuda) test_zero(base.text, e.place);
  return {fmt::format("(log({}) / {})", x, base.text), e.type};
}

Val FunctionLowering::mantissa_and_exponent(const Expr& e) {
  const Dtype dtype = e.type.items[0].dtype;
  const std::string exponent = temp("exponent"), part = temp("part");
  const std::string x = text_as(*e.items[1], dtype);
  line("int {} = 0;", exponent);
  line("const {} {} = frexp({}, &{});", text_of(dtype), part, x, exponent);
  return {fmt::format("{}{{{}, {}}}", text_of(e.type), part, exponent), e.type};
}

Val FunctionLowering::hypotenuse(const Expr& e) {
  std::string text = text_as(*e.items[1], e.type.dtype);
  if (e.items.size() == 2) return {op_text(Op::absolute, e.type.dtype, {text}), e.type};
  for (size_t i = 2; i < e.items.size(); ++i) text = fmt::format("hypot({}, {})", text, text_as(*e.items[i], e.type.dtype));
  return {text, e.type};
}

Val FunctionLowering::selected(const Expr& e) {
  const std::string condition = truth(*e.items[1]);
  const std::string a = text_as(*e.items[2], e.type.dtype), b = text_as(*e.items[3], e.type.dtype);
  return {fmt::format("({} ? {} : {})", condition, a, b), e.type};
}

Val FunctionLowering::clipped(const Expr& e) {
  std::string text = text_as(*e.items[1], e.type.dtype);
  for (size_t i : {1, 2})
    if (has(e, i)) text = clip_text(i == 1, has(e, 3 - i), e.type.dtype, text, text_as(*e.items[i + 1], e.type.dtype));
  return {text, e.type};
}

Val FunctionLowering::only_element(const Expr& e) {
  const Val value = argument(e, 0);
  if (value.type.is_scalar()) return value;
  if (!options_.is_cuda)
    fail_if(fmt::format("ks_size({}) != 1", value.text),
            fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"item() needs an array of one element, not of {{}}\", ks_size({}), 0, 0)",
                        e.place.line, value.text));
  return {loaded(value.text + ".data[0]", e.type.dtype), e.type};
}

Val FunctionLowering::seed(const Expr& e) {
  if (on_device_) error(e.place, "a seed cannot be set inside a loop that runs on a device", "set it before the loop");
  const std::string seed = text_as(*e.items[1], Dtype::int64);
  effects_.writes = true;
  line("ks_jit_seed(ks, {});", seed);
  // The draws that follow in this function are of the new seed.
  if (loop_depth_ == 0 && !is_parallel_ && index_ == 0) {
    const std::string stream = temp("random");
    line("const ks_stream {} = ks_stream_of(ks);", stream);
    random_ = {.stream = stream, .element = "0", .site = "0"};
  }
  return {"", Type::none()};
}

Val FunctionLowering::reduce_tuple(const Expr& e, ReduceOp op) {
  const Val tuple = pin(argument(e, 0));
  if (op != ReduceOp::sum) {
    const bool is_any = op == ReduceOp::any;
    std::string text = is_any ? "(false" : "(true";
    for (size_t k = 0; k < tuple.type.items.size(); ++k)
      text += (is_any ? " || " : " && ") + truth_of({fmt::format("{}._{}", tuple.text, k), tuple.type.items[k]});
    return {text + ")", e.type};
  }
  std::string text = cast("0", Dtype::int64, e.type.dtype);
  for (size_t k = 0; k < tuple.type.items.size(); ++k)
    text = arithmetic(Operator::add, text,
                      cast(fmt::format("{}._{}", tuple.text, k), tuple.type.items[k].dtype, e.type.dtype), e.type.dtype);
  return {text, e.type};
}

Val FunctionLowering::thread_count_or_number(const Expr& e, Handler handler) {
  if (on_device_)
    error(e.place, "the threads of a CPU have no numbers on a device", "an array with an element for each iteration");
  return pin({handler == Handler::thread_limit ? "ks_jit_thread_limit()"
              : options_.is_checked            ? "ks_check_thread(ks_jit_thread_limit())"
                                               : "ks_jit_thread_number()",
              int64_type});
}

Val FunctionLowering::elementwise_call(const Expr& e, const Intrinsic& intrinsic) {
  std::vector<Val> values;
  Dtype dtype = e.items[1]->type.dtype;
  if (e.items.size() == 3) dtype = scalar_dtype(dtype, e.items[2]->type.dtype);
  for (size_t i = 1; i < e.items.size(); ++i) values.push_back(pin(expr(*e.items[i])));
  if (intrinsic.result == Result::integer) values[0] = whole(values[0], e.place);
  return {elementwise(intrinsic, dtype, values), e.type};
}

}  // namespace kasoku::jit
