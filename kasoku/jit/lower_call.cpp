/// Calls: other compiled functions, and the rows of intrinsics.def on scalars.
#include "kasoku/jit/lowering.h"
#include "kasoku/jit/walk.h"

#include <algorithm>

namespace kasoku::jit {

Val FunctionLowering::call(const Expr& e) {
  if (e.callee >= 0) return call_function(e);
  const Binding& binding = e.items[0]->binding;
  if (binding.kind == Binding::Kind::dtype) {
    if (e.type.is_array()) return computed(e);
    if (is_float_draw(e)) return {uniform_float(), e.type};
    return scalar(*e.items[1], e.type.dtype);
  }
  return call_intrinsic(e, *find_intrinsic(binding.name));
}

Val FunctionLowering::call_function(const Expr& e) {
  const TypedFunction& callee = *unit_.unit.functions[e.callee];
  if (on_device_) unit_.function(e.callee, true);
  const Effects& effects = unit_.side(on_device_).effects[e.callee];
  const bool may_fail = (effects.may_fail || !effects.is_done) && raises_;
  std::vector<std::string> arguments;
  if (raises_) arguments.push_back("ks");
  if (effects.uses_random) {
    // A stream of its own for each call: (this iteration, this place).
    const std::string stream = temp("random");
    line("const ks_stream {} = ks_split({}, {}, {} + {});", stream, random_.stream, random_.element, random_.site,
         random_.n_sites++);
    arguments.push_back(stream);
    arguments.push_back("0");
    arguments.push_back("0");
  }
  for (size_t i = 1; i < e.items.size(); ++i) {
    const Val value = expr(*e.items[i]);
    if (callee.parameters[i - 1].is_symbol()) continue;
    if (value.type.is_container() && effects.grows) want_own(*e.items[i], e.place), effects_.grows = true;
    const Type& wanted = callee.parameters[i - 1];
    arguments.push_back(pin(value.type == wanted ? value : Val{convert(value, wanted), wanted}).text);
  }
  effects_.writes = true;
  if (!effects.is_apart && !effects.is_recursive) effects_.length += effects.length;
  check_zero();
  if (effects.is_recursive && !options_.is_cuda && !on_device_) fail_if("ks_is_deep(ks)", fmt::format("ks_jit_fail(ks, ks_recursion_error, {}, \"\", 0, 0, 0)", e.place.line));
  const std::string text = fmt::format("ks_fn_{}({})", callee.symbol, fmt::join(arguments, ", "));
  const auto test = [&] {
    if (may_fail) leave_if_failed();
  };
  if (callee.result.is_symbol()) {
    line("{};", text);
    test();
    return {callee.result.kind == TypeKind::text ? quoted(callee.result.text) : "", callee.result};
  }
  const std::string name = temp("result");
  line("{} {} = {};", text_of(callee.result), name, text);
  keep(name, callee.result);
  test();
  return {name, callee.result};
}

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

Val FunctionLowering::call_intrinsic(const Expr& e, const Intrinsic& intrinsic) {
  const Handler handler = intrinsic.handler;
  if (handler >= Handler::cuda_grid) return call_cuda(e, handler);
  if (is_dict_method(handler)) return dict_call(e, handler);
  if (handler == Handler::text_method) return string_method(e, intrinsic);
  if (is_set_method(handler)) return set_call(e, handler);
  const bool has_list = e.items.size() > 1 && e.items[1] && e.items[1]->type.is_container();
  if (has_list && handler != Handler::len && handler != Handler::print) return handler == Handler::make_array || handler == Handler::asarray ? array_of_list(e) : list_call(e, handler);
  switch (handler) {
    case Handler::reduce:
      if (e.items[1]->type.is_tuple()) {
        const Val tuple = pin(argument(e, 0));
        if (intrinsic.reduction != ReduceOp::sum) {
          const bool is_any = intrinsic.reduction == ReduceOp::any;
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
      [[fallthrough]];
    case Handler::mean: case Handler::var: case Handler::std: return reduction(e, intrinsic);
    case Handler::zeros: case Handler::ones: case Handler::empty: case Handler::full:
    case Handler::zeros_like: case Handler::ones_like: case Handler::empty_like: case Handler::full_like:
    case Handler::arange: case Handler::linspace: case Handler::copy: case Handler::flatten:
    case Handler::ascontiguous: case Handler::broadcast_to: case Handler::asarray: case Handler::make_array: case Handler::astype:
    case Handler::view: case Handler::fill: case Handler::reshape: case Handler::ravel: case Handler::transpose:
      return creation(e, handler);
    case Handler::random: case Handler::rand: case Handler::randn: case Handler::standard_normal:
    case Handler::uniform: case Handler::normal: case Handler::expovariate: case Handler::exponential:
    case Handler::randint: case Handler::randint_inclusive:
      return call_random(e, handler);
    case Handler::word: return {fmt::format("({})({})", text_of(intrinsic.dtype), intrinsic.text), e.type};
    case Handler::print: return print(e);
    case Handler::lapack: return lapack(e);
    case Handler::thread_limit:
    case Handler::thread_number:
      if (on_device_)
        error(e.place, "the threads of a CPU have no numbers on a device",
              "an array with an element for each iteration");
      return pin({handler == Handler::thread_limit ? "ks_jit_thread_limit()"
                  : options_.is_checked            ? "ks_check_thread(ks_jit_thread_limit())"
                                                   : "ks_jit_thread_number()",
                  int64_type});
    case Handler::reaches: return {uses_graph() ? "true" : on_device_ || options_.is_checked ? "false" : truth(*e.items[1]), bool_type};
    case Handler::algorithm: return algorithm(e);
    case Handler::drawn: return drawn(e);
    case Handler::dot:
      if (e.items[1]->type.is_array() && e.items[2]->type.is_array())
        return matmul(*e.items[1], *e.items[2], e.type, e.place);
      break;
    default: break;
  }
  if (e.type.is_array()) return computed(e);

  const auto first = [&] { return argument(e, 0); };
  switch (handler) {
    case Handler::elementwise: {
      std::vector<Val> values;
      Dtype dtype = e.items[1]->type.dtype;
      if (e.items.size() == 3) dtype = scalar_dtype(dtype, e.items[2]->type.dtype);
      for (size_t i = 1; i < e.items.size(); ++i) values.push_back(pin(expr(*e.items[i])));
      if (intrinsic.result == Result::integer) values[0] = whole(values[0], e.place);
      return {elementwise(intrinsic, dtype, values), e.type};
    }
    case Handler::to_str: case Handler::formatted: case Handler::ord: case Handler::chr: return e.type.kind == TypeKind::text ? first() : string_call(e, handler);
    case Handler::isinstance: return {is_of(e.items[1]->type, e.items[2]->type.text).value_or(false) ? "true" : "false", bool_type};
    case Handler::result_type: return {"", e.type};
    case Handler::len: {
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
    case Handler::range:
    case Handler::prange: return {range_value(e), e.type};
    case Handler::to_int:
    case Handler::to_float:
    case Handler::to_bool: {
      if (e.items.size() < 2 || !e.items[1]) return {cast("0", Dtype::int64, e.type.dtype), e.type};
      if (const Type& given = e.items[1]->type; given.kind == TypeKind::text && handler == Handler::to_float) return {number_text(std::strtod(given.text.c_str(), nullptr)), e.type};
      else if (given.kind == TypeKind::text && handler == Handler::to_int) return constant(static_cast<int64_t>(std::stoll(given.text)), e.type, e.place);
      Val value = first();
      if (value.type.is_words()) return handler == Handler::to_bool ? Val{truth_of(value), bool_type} : number_of(value, e.type, e.place);
      if (value.type.is_array()) value = {loaded(value.text + ".data[0]", value.type.dtype), Type::scalar(value.type.dtype)};
      if (handler == Handler::to_int) value = whole(value, e.place);
      return {cast(value.text, value.type.dtype, e.type.dtype), e.type};
    }
    case Handler::to_complex: {
      if (!has(e, 0)) return {"ks_cx<double>()", e.type};
      const Val a = first();
      if (!has(e, 1)) return {cast(a.text, a.type.dtype, Dtype::complex128), e.type};
      const std::string b = text_as(*e.items[2], Dtype::float64);
      return {fmt::format("ks_cx<double>({}, {})", cast(a.text, a.type.dtype, Dtype::float64), b), e.type};
    }
    case Handler::abs: {
      const Val value = pin(first());
      const Dtype dtype = value.type.is_complex() ? value.type.dtype : e.type.dtype;
      return {op_text(Op::absolute, dtype, {cast(value.text, value.type.dtype, dtype)}), e.type};
    }
    case Handler::round: {
      const Val value = pin(e.type.is_integer() ? whole(first(), e.place) : first());
      if (!value.type.is_floating()) return {cast(value.text, value.type.dtype, e.type.dtype), e.type};
      if (e.type.is_integer()) return {fmt::format("ks_round_to_int({})", value.text), e.type};
      const std::string digits = has(e, 1) ? text_as(*e.items[2], Dtype::int64) : "0";
      return {fmt::format("({})ks_round({}, {})", text_of(e.type), value.text, digits), e.type};
    }
    case Handler::min:
    case Handler::max: {
      if (e.items.size() == 2 && e.items[1]->type.is_array())
        return reduction(e, intrinsic);
      const char* function = handler == Handler::min ? "ks_min" : "ks_max";
      std::vector<std::string> values;
      if (e.items.size() == 2) {
        const Val tuple = pin(first());
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
    case Handler::pow: case Handler::add: case Handler::subtract: case Handler::multiply:
    case Handler::divide: case Handler::floor_divide: case Handler::modulo: case Handler::dot: {
      const Val a = pin(first()), b = expr(*e.items[2]);
      return combine(handler == Handler::dot ? Operator::multiply : operator_of(handler), a, b, e.type,
                     e.items[2].get(), e.place, !intrinsic.name.starts_with("numpy."));
    }
    case Handler::log: {
      const std::string x = text_as(*e.items[1], e.type.dtype);
      if (!has(e, 1)) return {fmt::format("log({})", x), e.type};
      const Val base = pin({fmt::format("log({})", text_as(*e.items[2], e.type.dtype)), e.type});
      if (options_.python_errors && !options_.is_cuda) test_zero(base.text, e.place);
      return {fmt::format("(log({}) / {})", x, base.text), e.type};
    }
    case Handler::ldexp:
      return {fmt::format("ldexp({}, (int)({}))", text_as(*e.items[1], e.type.dtype), text_as(*e.items[2], Dtype::int64)), e.type};
    case Handler::frexp: {
      const Dtype dtype = e.type.items[0].dtype;
      const std::string exponent = temp("exponent"), part = temp("part");
      const std::string x = text_as(*e.items[1], dtype);
      line("int {} = 0;", exponent);
      line("const {} {} = frexp({}, &{});", text_of(dtype), part, x, exponent);
      return {fmt::format("{}{{{}, {}}}", text_of(e.type), part, exponent), e.type};
    }
    case Handler::hypot: {
      std::string text = text_as(*e.items[1], e.type.dtype);
      if (e.items.size() == 2) return {op_text(Op::absolute, e.type.dtype, {text}), e.type};
      for (size_t i = 2; i < e.items.size(); ++i) text = fmt::format("hypot({}, {})", text, text_as(*e.items[i], e.type.dtype));
      return {text, e.type};
    }
    case Handler::where: {
      const std::string condition = truth(*e.items[1]);
      const std::string a = text_as(*e.items[2], e.type.dtype), b = text_as(*e.items[3], e.type.dtype);
      return {fmt::format("({} ? {} : {})", condition, a, b), e.type};
    }
    case Handler::clip: {
      std::string text = text_as(*e.items[1], e.type.dtype);
      for (size_t i : {1, 2})
        if (has(e, i)) text = clip_text(i == 1, has(e, 3 - i), e.type.dtype, text, text_as(*e.items[i + 1], e.type.dtype));
      return {text, e.type};
    }
    case Handler::item: {
      const Val value = first();
      if (value.type.is_scalar()) return value;
      if (!options_.is_cuda)
        fail_if(fmt::format("ks_size({}) != 1", value.text),
                fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"item() needs an array of one element, not of {{}}\", ks_size({}), 0, 0)",
                            e.place.line, value.text));
      return {loaded(value.text + ".data[0]", e.type.dtype), e.type};
    }
    case Handler::seed: {
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
    default: break;
  }
  error(e.place, fmt::format("{} cannot be compiled here yet", intrinsic.name));
}

std::string FunctionLowering::uniform() {
  if (!random_.half.empty() && random_.half_epoch == epoch_) return std::exchange(random_.half, "");
  const std::string pair = temp("u");
  line("const ks_two {} = ks_units({}, {}, {} + {});", pair, random_.stream, random_.element, random_.site,
       random_.n_sites++);
  random_.half = pair + ".b";
  random_.half_epoch = epoch_;
  return pair + ".a";
}

std::string FunctionLowering::uniform_float() {
  if (!random_.shared.empty()) {
    const std::string text = random_.shared.front();
    random_.shared.erase(random_.shared.begin());
    return text;
  }
  if (random_.words_epoch != epoch_ || random_.n_taken == 4) {
    random_.words = temp("w");
    random_.words_epoch = epoch_, random_.n_taken = 0;
    line("const ks_words {} = ks_words_of({}, {}, {} + {});", random_.words, random_.stream, random_.element, random_.site, random_.n_sites++);
  }
  return fmt::format("ks_uniform_f32({}.{})", random_.words, "abcd"[random_.n_taken++]);
}

void FunctionLowering::share_call(const std::string& words, const std::string& is_second) {
  random_.shared.clear();
  for (const auto& [first, second] : {std::pair("a", "c"), std::pair("b", "d")})
    random_.shared.push_back(fmt::format("ks_uniform_f32({0} ? {1}.{3} : {1}.{2})", is_second, words, first, second));
}

bool FunctionLowering::is_float_draw(const Expr& e) const {
  const bool is_cast = e.kind == ExprKind::call && e.callee < 0 && e.items[0]->binding.kind == Binding::Kind::dtype;
  if (!is_cast || e.type != Type::scalar(Dtype::float32) || options_.is_cuda) return false;
  const Intrinsic* drawn = intrinsic_of(*e.items[1]);
  return drawn && (drawn->handler == Handler::random || drawn->handler == Handler::rand) && e.items[1]->type.is_scalar();
}

bool FunctionLowering::shares_calls(const Block& body) const {
  int n = 0;
  bool is_plain = true;
  const auto draws_nothing = [&](const Expr& e) {
    bool nothing = true;
    each_expr(e, [&](const Expr& part) { nothing &= !draws_here(part); });
    return nothing;
  };
  const std::function<void(const Expr&)> look = [&](const Expr& e) {
    if (is_float_draw(e)) return void(++n);
    const bool may_skip = e.kind == ExprKind::logic || e.kind == ExprKind::conditional || e.kind == ExprKind::compare || e.kind == ExprKind::comprehension;
    if (may_skip && (e.kind != ExprKind::compare || e.items.size() > 2)) return void(is_plain &= draws_nothing(e));
    is_plain &= !draws_here(e);
    for (const ExprPtr& item : e.items)
      if (item) look(*item);
  };
  const auto nothing_in = [&](const Block& block) {
    each_expr(block, [&](const Expr& e) { is_plain &= !draws_here(e); });
  };
  for (const StmtPtr& stmt : body) {
    const bool is_loop = stmt->kind == StmtKind::for_ || stmt->kind == StmtKind::while_;
    if (stmt->expr && is_loop) is_plain &= draws_nothing(*stmt->expr);
    else if (stmt->expr) look(*stmt->expr);
    for (const ExprPtr& target : stmt->targets) is_plain &= draws_nothing(*target);
    if (stmt->message) is_plain &= draws_nothing(*stmt->message);
    nothing_in(stmt->body), nothing_in(stmt->orelse);
  }
  return is_plain && (n == 1 || n == 2);
}

std::string FunctionLowering::draw(const Expr& e, Handler handler) {
  const auto number = [&](size_t i, const char* otherwise) {
    return has(e, i) ? pin({text_as(*e.items[i + 1], Dtype::float64), float64_type}).text : std::string(otherwise);
  };
  const auto normal = [&] {
    return fmt::format("ks_normal({}, {}, {} + {})", random_.stream, random_.element, random_.site, random_.n_sites++);
  };
  switch (handler) {
    case Handler::random:
    case Handler::rand: return uniform();
    case Handler::uniform: {
      const std::string low = number(0, "0.0"), high = number(1, "1.0");
      return fmt::format("({} + ({} - {}) * {})", low, high, low, uniform());
    }
    case Handler::randn:
    case Handler::standard_normal: return normal();
    case Handler::normal: {
      const std::string mean = number(0, "0.0"), scale = number(1, "1.0");
      return fmt::format("({} + {} * {})", mean, scale, normal());
    }
    case Handler::expovariate: return fmt::format("(-log(1.0 - {}) / {})", uniform(), number(0, "1.0"));
    case Handler::exponential: return fmt::format("(-log(1.0 - {}) * {})", uniform(), number(0, "1.0"));
    default: break;
  }
  std::string low = "0LL", high;
  if (has(e, 1)) {
    low = pin({text_as(*e.items[1], Dtype::int64), int64_type}).text;
    high = text_as(*e.items[2], Dtype::int64);
  } else {
    high = text_as(*e.items[1], Dtype::int64);
  }
  if (handler == Handler::randint_inclusive) high = op_text(Op::add, Dtype::int64, {high, "1"});
  return fmt::format("ks_integer_of({}, {}, {} + {}, {}, {})", random_.stream, random_.element, random_.site,
                     random_.n_sites++, low, high);
}

Val FunctionLowering::call_random(const Expr& e, Handler handler) {
  if (e.type.is_array()) return computed(e);
  if (options_.is_cuda) error(e.place, "random draws in a kernel come from cuda.random states");
  return {draw(e, handler), e.type};
}

}  // namespace kasoku::jit
