/// Text of expressions. What must happen before an expression's value (checks, calls, views) is
/// written as statements at once; the value itself is a piece of text.
#include "kasoku/jit/lowering.h"

#include <algorithm>
#include <bit>

namespace kasoku::jit {

namespace {

bool is_name(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c >= 128;
  });
}

/// Whether writing the expression emits statements of its own or reads what a
/// sibling may change; such ones need care under and, or, if-else.
bool needs_statements(const Expr& expr) {
  if (expr.kind == ExprKind::name) return !expr.items.empty();
  if (expr.kind == ExprKind::call || expr.kind == ExprKind::subscript || expr.kind == ExprKind::walrus ||
      expr.kind == ExprKind::logic || expr.kind == ExprKind::conditional || expr.kind == ExprKind::present)
    return true;
  if (expr.kind == ExprKind::attribute && expr.items[0]->type.is_instance()) return true;
  if (expr.kind == ExprKind::binary && (expr.type.is_string() || expr.op == Operator::divide || expr.op == Operator::floor_divide ||
                                        expr.op == Operator::modulo || expr.op == Operator::power))
    return true;
  return std::ranges::any_of(expr.items, [](const ExprPtr& item) { return item && needs_statements(*item); });
}

/// k if it is 2^k and fits into 31 bits, else -1.
int bits_of_power(std::optional<int64_t> number) {
  const bool is_power = number && *number > 0 && *number <= int64_t{1} << 31 && std::has_single_bit(static_cast<uint64_t>(*number));
  return is_power ? std::countr_zero(static_cast<uint64_t>(*number)) : -1;
}

/// Whether another function is called: it may write what is read before it.
bool calls(const Expr& expr) {
  return expr.callee >= 0 || std::ranges::any_of(expr.items, [](const ExprPtr& item) { return item && calls(*item); });
}

}  // namespace

Val FunctionLowering::pin(const Val& value) {
  if (is_name(value.text) || value.text.empty() || !(value.type.is_scalar() || value.type.is_string() || value.type.is_tuple() || value.type.is_record() || value.type.kind == TypeKind::optional)) return value;
  const std::string name = temp();
  line("{}{} {} = {};", value.type.is_record() ? "" : "const ", text_of(value.type), name, value.text);
  return {name, value.type};
}

void FunctionLowering::want_value(const Expr& e) {
  if (e.kind != ExprKind::name || e.items.empty()) return;
  fail_if("!" + name_of(e.items[0]->variable), fmt::format("ks_jit_fail(ks, ks_unbound_local, {}, {}, 0, 0, 0)", e.place.line, quoted(e.text)));
}

Val FunctionLowering::scalar(const Expr& e, Dtype dtype) {
  const Val value = expr(e);
  return {cast(value.text, value.type.dtype, dtype), Type::scalar(dtype)};
}

std::string FunctionLowering::truth_of(const Val& value) {
  if (value.type.is_scalar()) return cast(value.text, value.type.dtype, Dtype::bool_);
  if (value.type.is_tuple()) return value.type.items.empty() ? "false" : "true";
  if (value.type.is_container() || value.type.is_string()) return fmt::format("(ks_length({}) > 0)", value.text);
  if (value.type.kind == TypeKind::none) return "false";
  if (value.type.kind == TypeKind::optional) {
    const Val pinned = pin(value);
    return fmt::format("({}.is_some && {})", pinned.text, truth_of({pinned.text + ".value", value.type.items[0]}));
  }
  if (value.type.kind == TypeKind::text) return value.type.text.empty() ? "false" : "true";
  return "true";
}

std::string FunctionLowering::truth(const Expr& e) { return truth_of(expr(e)); }

Val FunctionLowering::constant(const Value& value, const Type& type, Place place) {
  if (const bool* b = std::get_if<bool>(&value)) return {*b ? "true" : "false", type};
  if (const int64_t* n = std::get_if<int64_t>(&value)) {
    if (*n == INT64_MIN) return {"(-9223372036854775807LL - 1)", type};
    return {*n < 0 ? fmt::format("({}LL)", *n) : fmt::format("{}LL", *n), type};
  }
  if (const uint64_t* n = std::get_if<uint64_t>(&value)) return {fmt::format("{}ULL", *n), type};
  if (const double* x = std::get_if<double>(&value)) {
    const std::string text = number_text(*x);
    return {type.dtype == Dtype::float32 ? "(float)" + text : text, type};
  }
  if (const auto* z = std::get_if<std::complex<double>>(&value))
    return {fmt::format("ks_cx<double>({}, {})", number_text(z->real()), number_text(z->imag())), type};
  if (const auto* text = std::get_if<std::string>(&value)) return {quoted(*text), type};
  return {"", type};
}

Val FunctionLowering::binding(const Binding& what, const Type& type, Place place) {
  switch (what.kind) {
    case Binding::Kind::value: {
      const Val value = constant(what.value, type, place);
      if (what.dtype != Dtype::opaque && type.is_scalar() && !is_complex(what.dtype))
        return {fmt::format("({})({})", text_of(what.dtype), value.text), type};
      return value;
    }
    case Binding::Kind::tuple: {
      std::string text = text_of(type) + "{";
      for (size_t i = 0; i < what.items.size(); ++i)
        text += (i ? ", " : "") + (type.items[i].is_symbol() ? "ks_none{}" : binding(what.items[i], type.items[i], place).text);
      return {text + "}", type};
    }
    case Binding::Kind::array: {
      if (options_.is_cuda) {
        if (index_ != 0) error(place, "an array outside can be read by the kernel itself alone", "pass it to the device function");
        return {fmt::format("ks_outside{}", what.hidden), type};
      }
      // Behind the arguments' words stand those of the arrays outside.
      int at = 0;
      for (const Type& parameter : unit_.unit.functions[0]->parameters) at += words_of(parameter);
      for (int i = 0; i < what.hidden; ++i) at += words_of(unit_.unit.hidden[static_cast<size_t>(i)]);
      const std::string name = temp("outside");
      line("{} {};", text_of(type), name);
      line("{}.data = ({}*)ks->words[{}];", name, text_of(type.dtype), at++);
      for (const char* field : {"shape", "stride"})
        for (int k = 0; k < type.ndim; ++k) line("{}.{}[{}] = (ks_i64)ks->words[{}];", name, field, k, at++);
      if (uses_graph()) line("{}.memory = (ks_memory*)ks->words[{}];", name, at);
      else line("{}.memory = nullptr;", name);
      return {name, type};
    }
    case Binding::Kind::intrinsic: {
      const Intrinsic* row = find_intrinsic(what.name);
      if (row && row->handler == Handler::word)
        return {fmt::format("({})({})", text_of(row->dtype), row->text), type};
      return {"", type};
    }
    case Binding::Kind::instance: {
      if (on_device_ || uses_graph()) error(place, "an instance of a class has no form on a device", "use an array");
      const std::string name = temp("object");
      line("{0} {1} = ks_new_object({0}{{}});", text_of(type), name);
      keep(name, type);
      fail_if(fmt::format("!{}.body", name),
              fmt::format("ks_jit_fail(ks, ks_memory_error, {}, \"\", 0, 0, 0)", place.line));
      return {name, type};
    }
    default: return {"", type};
  }
}

Val FunctionLowering::expr(const Expr& e) {
  if (e.type.is_string() && (options_.is_cuda || unit_.offloads)) error(e.place, "a text that is not known when compiling has no form on a device");
  switch (e.kind) {
    case ExprKind::constant: return constant(e.value, e.type, e.place);
    case ExprKind::global: return binding(e.binding, e.type, e.place);
    case ExprKind::name: {
      want_value(e);
      const auto deferred = deferred_.find(e.variable);
      if (deferred != deferred_.end()) return expr(*deferred->second);
      const Type& type = fn_.variables[e.variable].type;
      return {type.kind == TypeKind::text ? quoted(type.text) : name_of(e.variable), type};
    }
    case ExprKind::attribute: return attribute(e);
    case ExprKind::subscript: return subscript(e);
    case ExprKind::call: return call(e);
    case ExprKind::tuple:
    case ExprKind::list: {
      if (e.type.is_list()) return list_display(e);
      if (e.items.size() > most_items)
        error(e.place, fmt::format("a tuple of {} items cannot be compiled", e.items.size()),
              fmt::format("{} is the most", most_items));
      std::string text = text_of(e.type) + "{";
      std::vector<Val> values;
      for (const ExprPtr& item : e.items) values.push_back(pin(expr(*item)));
      for (size_t i = 0; i < values.size(); ++i)
        text += (i ? ", " : "") + (e.type.items[i].is_symbol() ? "ks_none{}" : convert(values[i], e.type.items[i]));
      return {text + "}", e.type};
    }
    case ExprKind::dict:
    case ExprKind::set: return dict_display(e);
    case ExprKind::unary: {
      if (e.type.is_array()) return computed(e);
      if (e.op == Operator::not_ || e.type.is_boolean()) return {"!" + truth(*e.items[0]), bool_type};
      const std::string value = text_as(*e.items[0], e.type.dtype);
      if (e.op == Operator::positive) return {value, e.type};
      if (is_integer(e.type.dtype) && !constant_int(*e.items[0])) return {op_text(op_of(e.op), e.type.dtype, {value}), e.type};
      return {fmt::format("({}{})", e.op == Operator::invert ? "~" : "-", value), e.type};
    }
    case ExprKind::binary: return binary(e);
    case ExprKind::compare: return compare(e);
    case ExprKind::logic: return logic(e);
    case ExprKind::conditional: return conditional(e);
    case ExprKind::walrus: {
      store(*e.items[0], expr(*e.items[1]));
      if (e.items.size() > 2) line("{} = true;", name_of(e.items[2]->variable));
      return expr(*e.items[0]);
    }
    case ExprKind::present: {
      const Val value = pin(expr(*e.items[0]));
      const std::string name = e.items[0]->text.empty() ? "this" : e.items[0]->text;
      fail_if(fmt::format("!{}.is_some", value.text),
              fmt::format("ks_jit_fail(ks, ks_raised, {}, {}, 0, 0, 0)", e.place.line, quoted(fmt::format("TypeError\n{} is None", name))));
      return {value.text + ".value", e.type};
    }
    default: break;
  }
  error(e.place, "this expression cannot be compiled");
}

Val FunctionLowering::binary(const Expr& e) {
  if (e.op == Operator::matmul) return matmul(*e.items[0], *e.items[1], e.type, e.place);
  if (e.type.is_array()) return computed(e);
  if (e.type.is_list()) return list_binary(e);
  if (e.type.kind == TypeKind::text) return {quoted(e.type.text), e.type};
  if (e.type.is_set()) {
    const Val a = expr(*e.items[0]), b = expr(*e.items[1]);
    return set_binary(e.type, e.op, a, b, e.place);
  }
  if (e.type.is_tuple()) {
    const Val a = pin(expr(*e.items[0])), b = pin(expr(*e.items[1]));
    std::string text = text_of(e.type) + "{";
    for (size_t i = 0; i < a.type.items.size(); ++i) text += fmt::format("{}{}._{}", i ? ", " : "", a.text, i);
    for (size_t i = 0; i < b.type.items.size(); ++i)
      text += fmt::format("{}{}._{}", a.type.items.size() + i ? ", " : "", b.text, i);
    return {text + "}", e.type};
  }
  Val a = expr(*e.items[0]);
  // A call on the right may write what the left reads.
  if (calls(*e.items[1])) a = pin(a);
  const Val b = expr(*e.items[1]);
  return combine(e.op, a, b, e.type, e.items[1].get(), e.place);
}

Val FunctionLowering::combine(Operator op, const Val& a, const Val& b, const Type& type,
                              const Expr* right, Place place, bool may_raise) {
  if (type.is_string()) return string_combined(op, a, b, place);
  const Dtype dtype = type.dtype;
  // The // of two numbers goes with their %, as Python's does, also where one is infinite.
  const bool is_pythons = op == Operator::floor_divide && (dtype == Dtype::float32 || dtype == Dtype::float64);
  const int bits = right && is_integer(dtype) ? bits_of_power(constant_int(*right)) : -1;
  const auto computed = [&](const std::string& left, const std::string& right_text) {
    const std::string x = cast(left, a.type.dtype, dtype), y = cast(right_text, b.type.dtype, dtype);
    // Python rounds down, as a shift does: C's quotient would have to be corrected, which no branch is turned into a choice for.
    if (bits >= 0 && op == Operator::floor_divide) return fmt::format("(({}) >> {})", x, bits);
    if (bits >= 0 && op == Operator::modulo) return fmt::format("(({}) & {}LL)", x, (int64_t{1} << bits) - 1);
    return is_pythons ? fmt::format("ks_floor_divide({}, {})", x, y) : arithmetic(op, x, y, dtype);
  };
  const bool divides = op == Operator::divide || op == Operator::floor_divide || op == Operator::modulo;
  if (divides && may_raise && options_.python_errors) {
    // A divisor that is a nonzero constant needs no test.
    const Value* value = right && right->kind == ExprKind::constant ? &right->value
                         : right && right->kind == ExprKind::global && right->binding.kind == Binding::Kind::value
                             ? &right->binding.value
                             : nullptr;
    const bool is_safe = value && ((std::holds_alternative<int64_t>(*value) && std::get<int64_t>(*value) != 0) ||
                                   (std::holds_alternative<double>(*value) && std::get<double>(*value) != 0));
    const auto folded = right ? constant_int(*right) : std::nullopt;
    if (!is_safe && !(folded && *folded != 0)) {
      const Val divisor = pin(b), dividend = pin(a);
      test_zero(is_complex(divisor.type.dtype) ? "(" + truth_of(divisor) + ")" : divisor.text, place);
      return {computed(dividend.text, divisor.text), type};
    }
  }
  const bool shifts = op == Operator::left_shift || op == Operator::right_shift;
  if (shifts && right && !options_.is_cuda && !is_nonnegative(*right, nonnegative_)) {
    const Val count = pin(b);
    fail_if(count.text + " < 0", fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"negative shift count\", 0, 0, 0)", place.line));
    return {arithmetic(op, cast(a.text, a.type.dtype, dtype), cast(count.text, b.type.dtype, dtype), dtype), type};
  }
  if (op == Operator::power) {
    const auto exponent = right ? constant_int(*right) : std::nullopt;
    if (exponent && *exponent >= 0 && *exponent <= 64) {
      if (*exponent == 0) return {cast("1", Dtype::int64, dtype), type};
      const std::string base = cast(a.text, a.type.dtype, dtype);
      if (dtype == Dtype::int64)
        return {fmt::format("(ks_i64)ks_power_of<{}>((ks_u64)({}))", *exponent, base), type};
      return {fmt::format("ks_power_of<{}>({})", *exponent, base), type};
    }
    if (exponent && *exponent < 0 && *exponent >= -64 && is_floating(dtype)) {
      if (options_.python_errors) {
        const Val base = pin(a);
        test_zero(base.text, place);
        return {fmt::format("(1 / ks_power_of<{}>({}))", -*exponent, cast(base.text, a.type.dtype, dtype)), type};
      }
      return {fmt::format("(1 / ks_power_of<{}>({}))", -*exponent, cast(a.text, a.type.dtype, dtype)), type};
    }
    if (is_integer(dtype) && info(dtype).kind == DtypeKind::signed_ && raises_) {
      const Val power = pin(b);
      fail_if(power.text + " < 0",
              fmt::format("ks_jit_fail(ks, ks_value_error, {}, {}, {}, 0, 0)", place.line,
                          quoted("an integer to the negative power {}: write float(x) ** n"), power.text));
      return {arithmetic(op, cast(a.text, a.type.dtype, dtype), cast(power.text, b.type.dtype, dtype), dtype), type};
    }
  }
  return {computed(a.text, b.text), type};
}

Val FunctionLowering::compare(const Expr& e) {
  if (e.type.is_array()) return computed(e);
  std::string text;
  Val left = expr(*e.items[0]);
  for (size_t i = 0; i < e.ops.size(); ++i) {
    if ((left.type.is_scalar() || left.type.is_string()) && calls(*e.items[i + 1])) left = pin(left);
    Val right = expr(*e.items[i + 1]);
    if (i + 1 < e.ops.size()) right = pin(right);
    const Operator op = e.ops[i];
    std::string part;
    const bool asks_in = op == Operator::in || op == Operator::not_in;
    if (left.type.kind == TypeKind::optional || right.type.kind == TypeKind::optional) {
      const Val& asked = left.type.kind == TypeKind::optional ? left : right;
      part = fmt::format("{}{}.is_some", op == Operator::is || op == Operator::equal ? "!" : "", pin(asked).text);
    } else if (left.type.is_instance() && right.type == left.type && (op == Operator::is || op == Operator::is_not)) {
      part = fmt::format("({}.body {} {}.body)", left.text, op == Operator::is ? "==" : "!=", right.text);
    } else if (!asks_in &&
               ((left.type.is_words() && right.type.is_scalar()) || (left.type.is_scalar() && right.type.is_words()))) {
      part = op == Operator::not_equal || op == Operator::is_not ? "true" : "false";
    } else if (left.type.is_words() && right.type.is_words() && (left.type.is_string() || right.type.is_string())) {
      part = string_compared(op, left, right);
    } else if (asks_in && left.type.kind == TypeKind::text && right.type.kind == TypeKind::text) {
      part = (right.type.text.find(left.type.text) != std::string::npos) == (op == Operator::in) ? "true" : "false";
    } else if ((op == Operator::in || op == Operator::not_in) && right.type.is_list()) {
      part = pin({fmt::format("(ks_find({}, {}) {} 0)", right.text, pin(right.type.items[0].is_string() ? string_of(left) : left).text, op == Operator::in ? ">=" : "<"), bool_type}).text;
    } else if ((op == Operator::in || op == Operator::not_in) && right.type.is_hashed()) {
      const std::string at = found_key(right, pin(left));
      part = fmt::format("({} {} 0)", at, op == Operator::in ? ">=" : "<");
    } else if (left.type.is_container() && right.type.kind == left.type.kind) {
      part = pin({container_compared(op, left, right), bool_type}).text;
    } else if (op == Operator::in || op == Operator::not_in) {
      const Val value = pin(left), items = pin(right);
      part = "(false";
      for (size_t k = 0; k < right.type.items.size(); ++k) {
        const Type& item = right.type.items[k];
        if (item.is_words() && value.type.is_words() && (item.is_string() || value.type.is_string())) {
          part += " || " + string_compared(Operator::equal, value, {fmt::format("{}._{}", items.text, k), item});
          continue;
        }
        if (!item.is_scalar() || !value.type.is_scalar()) {
          if (item.is_tuple() || value.type.is_tuple()) error(e.place, "'in' a tuple of tuples cannot be compiled");
          part += item == value.type ? " || true" : "";
          continue;
        }
        const Dtype dtype = scalar_dtype(value.type.dtype, item.dtype);
        part += fmt::format(" || {} == {}", cast(value.text, value.type.dtype, dtype),
                            cast(fmt::format("{}._{}", items.text, k), right.type.items[k].dtype, dtype));
      }
      part += ")";
      if (op == Operator::not_in) part = "!" + part;
    } else if (!left.type.is_scalar() || !right.type.is_scalar()) {
      bool equal = false;
      if (left.type.kind == TypeKind::text && right.type.kind == TypeKind::text) {
        equal = left.type.text == right.type.text;
        const bool is_less = left.type.text < right.type.text;  // UTF-8 has the order of its code points
        if (op == Operator::less || op == Operator::less_equal) part = is_less || (equal && op == Operator::less_equal) ? "true" : "false";
        if (op == Operator::greater || op == Operator::greater_equal) part = !is_less && (!equal || op == Operator::greater_equal) ? "true" : "false";
      }
      else if (left.type.is_tuple() && right.type.is_tuple()) {
        const Val a = pin(left), b = pin(right);
        if (op == Operator::equal || op == Operator::not_equal) part = (op == Operator::equal ? "" : "!") + tuple_equality(a, b, e.place);
        else part = tuple_order(op, a, b, e.place);
      } else if (left.type.kind == TypeKind::dtype && right.type.kind == TypeKind::dtype) {
        equal = left.type == right.type;
      } else if (left.type.kind == TypeKind::member && right.type.kind == TypeKind::member) {
        equal = left.type.text == right.type.text;
      } else {
        equal = left.type.kind == right.type.kind;
      }
      if (part.empty())
        part = (op == Operator::equal || op == Operator::is) == equal ? "true" : "false";
    } else {
      // Mixed signs compare as numbers, not as bits.
      Dtype dtype = scalar_dtype(left.type.dtype, right.type.dtype);
      if (left.type.dtype == right.type.dtype) dtype = left.type.dtype;
      const bool asks_identity = op == Operator::is || op == Operator::is_not;
      const char* symbol = op == Operator::is ? "==" : op == Operator::is_not ? "!=" : str(op);
      const auto kind = [](const Type& type) { return type.is_boolean() ? 'b' : type.is_integer() ? 'i' : type.is_complex() ? 'c' : 'f'; };
      part = asks_identity && (kind(left.type) != kind(right.type) || left.type.enumeration != right.type.enumeration)  // 1 is no True, and not 1.0
                 ? fmt::format("((void)({}), (void)({}), {})", left.text, right.text, op == Operator::is_not)
             : have_two_signs(left.type.dtype, right.type.dtype)
                 ? ordered(symbol, left.text, right.text)
                 : fmt::format("({} {} {})", cast(left.text, left.type.dtype, dtype), symbol, cast(right.text, right.type.dtype, dtype));
    }
    text += (text.empty() ? "" : " && ") + part;
    left = right;
  }
  return {e.ops.size() > 1 ? "(" + text + ")" : text, bool_type};
}

Val FunctionLowering::logic(const Expr& e) {
  if (e.type.kind == TypeKind::text) return {quoted(e.type.text), e.type};  // whichever it is
  const bool is_and = e.op == Operator::and_;
  bool simple = e.type.is_boolean();
  for (size_t i = 1; i < e.items.size(); ++i) simple &= !needs_statements(*e.items[i]);
  if (simple) {
    std::string text;
    for (const ExprPtr& item : e.items) text += (text.empty() ? "" : is_and ? " && " : " || ") + truth(*item);
    return {"(" + text + ")", bool_type};
  }
  const std::string name = temp("logic");
  const Val first = expr(*e.items[0]);
  line("{} {} = {};", text_of(e.type), name, convert(first, e.type));
  int depth = 0;
  for (size_t i = 1; i < e.items.size(); ++i, ++depth) {
    const std::string test = truth_of({name, e.type});
    open(fmt::format("if ({}{})", is_and ? "" : "!", test));
    line("{} = {};", name, convert(expr(*e.items[i]), e.type));
  }
  while (depth--) close();
  return {name, e.type};
}

Val FunctionLowering::conditional(const Expr& e) {
  if (e.type.is_scalar() && !needs_statements(*e.items[1]) && !needs_statements(*e.items[2])) {
    const std::string condition = truth(*e.items[0]);
    const std::string yes = convert(expr(*e.items[1]), e.type), no = convert(expr(*e.items[2]), e.type);
    return {fmt::format("({} ? {} : {})", condition, yes, no), e.type};
  }
  const std::string name = temp("choice");
  declare(name, e.type);
  const std::string condition = truth(*e.items[0]);
  if (e.type.kind == TypeKind::text) return {quoted(e.type.text), e.type};
  open(fmt::format("if ({})", condition));
  assign(name, e.type, expr(*e.items[1]));
  --indent_;
  line("}} else {{");
  ++indent_;
  assign(name, e.type, expr(*e.items[2]));
  close();
  return {name, e.type};
}

std::string FunctionLowering::attribute_place(const Expr& e) {
  const Val object = expr(*e.items[0]);
  return fmt::format("{}.body->fields._{}", object.text, *field_index(object.type, e.text));
}

/// An array or a list that an instance has is held while its item is read only if something else could give the field
/// another one.
Val FunctionLowering::object_of(const Expr& subscript) {
  const Expr& object = *subscript.items[0];
  const bool is_field = object.kind == ExprKind::attribute && object.items[0]->type.is_instance();
  if (!is_field || !object.type.is_array() || calls(*subscript.items[1])) return expr(object);
  const std::string name = temp("field");
  line("const {} {} = {};", text_of(object.type), name, attribute_place(object));
  return {name, object.type};
}

Val FunctionLowering::attribute(const Expr& e) {
  const std::string& name = e.text;
  const Expr& object = *e.items[0];
  if (e.type.is_symbol()) return {"", e.type};
  if (object.type.is_record()) return field(e, name);
  if (object.type.kind == TypeKind::range) return {fmt::format("{}.{}", expr(object).text, name), int64_type};
  if (object.type.is_instance()) return pin(owned_item(attribute_place(e), e.type));
  if (object.type.is_array()) {
    if (name == "ndim") return {fmt::format("{}LL", object.type.ndim), int64_type};
    const int64_t itemsize = object.type.has_records() ? record_size(object.type.items[0]) : static_cast<int64_t>(info(object.type.dtype).size);
    if (name == "itemsize") return {fmt::format("{}LL", itemsize), int64_type};
    if (name == "dtype") return {"", e.type};
    if (name == "size" && object.kind == ExprKind::subscript && object.items[1]->type.is_array() &&
        object.items[1]->type.dtype == Dtype::bool_)
      return counted(*object.items[1], e.place);  // x[mask].size needs no x[mask]
    const Val array = expr(object);
    if (name == "size" || name == "nbytes") {
      std::string text = object.type.ndim == 1 ? array.text + ".shape[0]" : fmt::format("ks_size({})", array.text);
      if (name == "nbytes") text = fmt::format("({} * {})", text, itemsize);
      return {text, int64_type};
    }
    if (name == "shape" || name == "strides") {
      std::string text = text_of(e.type) + "{";
      for (int k = 0; k < object.type.ndim; ++k)
        text += name == "shape" ? fmt::format("{}{}.shape[{}]", k ? ", " : "", array.text, k)
                                : fmt::format("{}{}.stride[{}] * {}", k ? ", " : "", array.text, k, itemsize);
      return {text + "}", e.type};
    }
    if (name == "T") {
      if (object.type.ndim < 2) return array;
      const std::string view = temp("view");
      line("{} {} = {};", text_of(e.type), view, array.text);
      for (int k = 0; k < object.type.ndim; ++k)
        line("{0}.shape[{1}] = {2}.shape[{3}]; {0}.stride[{1}] = {2}.stride[{3}];", view, k, array.text,
             object.type.ndim - 1 - k);
      return {view, e.type};
    }
    if (name == "flat") {
      if (uses_graph()) error(e.place, "elements in a row have no form on a device yet", "ravel()");
      const std::string view = temp("flat");  // what is written there is the array's
      line("{} {};", text_of(e.type), view);
      line("{0}.data = {1}.data; {0}.shape[0] = ks_size({1}); {0}.stride[0] = 1;", view, array.text);
      if (!options_.is_cuda) line("{}.memory = {}.memory;", view, array.text);
      return {view, e.type};
    }
    if (object.type.has_records()) return field(e, name);
    if (name == "real" && !is_complex(object.type.dtype)) return array;
    if (name == "real" || name == "imag") {
      if (uses_graph()) error(e.place, "parts of complex arrays have no form on a device yet", "take them of elements, in a prange loop");
      const std::string view = temp("part");  // what is written there is the array's
      line("{} {};", text_of(e.type), view);
      line("{}.data = ({}*)({}*){}.data{};", view, text_of(e.type.dtype), text_of(object.type.dtype), array.text, name == "real" ? "" : " + 1");
      for (int k = 0; k < object.type.ndim; ++k)
        line("{0}.shape[{1}] = {2}.shape[{1}]; {0}.stride[{1}] = 2 * {2}.stride[{1}];", view, k, array.text);
      if (!options_.is_cuda) line("{}.memory = {}.memory;", view, array.text);
      return {view, e.type};
    }
  }
  if (name == "ndim") return {"0LL", int64_type};
  const Val value = expr(object);
  if (value.type.is_complex()) return {fmt::format("{}.{}", pin(value).text, name == "real" ? "re" : "im"), e.type};
  return name == "real" ? value : Val{cast("0", Dtype::int64, e.type.dtype), e.type};
}

std::string FunctionLowering::index_text(const Expr& e) {
  if (e.kind == ExprKind::binary && e.type == int64_type &&
      (e.op == Operator::add || e.op == Operator::subtract || e.op == Operator::multiply))
    return fmt::format("({} {} {})", index_text(*e.items[0]), str(e.op), index_text(*e.items[1]));
  return text_as(e, Dtype::int64);
}

}  // namespace kasoku::jit
