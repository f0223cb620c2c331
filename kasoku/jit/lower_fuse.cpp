/// What an element of an array expression is: a tree of operations as text of one element.
#include "kasoku/jit/lowering.h"

#include <algorithm>

namespace kasoku::jit {

bool FunctionLowering::is_fusible(const Expr& e) const {
  if (!e.type.is_array()) return false;
  switch (e.kind) {
    case ExprKind::unary:
    case ExprKind::compare: return true;
    case ExprKind::binary: return e.op != Operator::matmul;
    case ExprKind::name: return deferred_.contains(e.variable);  // see lower_defer.cpp
    case ExprKind::subscript: return e.items[1]->type.is_array();
    case ExprKind::call: break;
    default: return false;
  }
  if (e.callee >= 0) return false;
  if (e.items[0]->binding.kind == Binding::Kind::dtype) return true;
  const Intrinsic* row = intrinsic_of(e);
  if (!row) return false;
  switch (row->handler) {
    case Handler::elementwise: case Handler::abs: case Handler::round: case Handler::pow:
    case Handler::add: case Handler::subtract: case Handler::multiply: case Handler::divide:
    case Handler::floor_divide: case Handler::modulo: case Handler::where: case Handler::clip:
    case Handler::astype: case Handler::random: case Handler::rand: case Handler::randn:
    case Handler::standard_normal: case Handler::uniform: case Handler::normal: case Handler::exponential:
    case Handler::randint: case Handler::zeros: case Handler::ones: case Handler::full: case Handler::arange:
    case Handler::linspace: case Handler::zeros_like: case Handler::ones_like: case Handler::full_like:
    case Handler::copy: return true;
    case Handler::dot: return !(e.items[1]->type.is_array() && e.items[2]->type.is_array());
    default: return false;
  }
}

Fused FunctionLowering::leaf(const Expr& e) { return array_element(expr(e)); }

std::string FunctionLowering::shape_of(const Expr& argument, int ndim) {
  const std::string name = temp("shape");
  std::string text;
  if (argument.type.is_tuple()) {
    const Val tuple = pin(expr(argument));
    for (int k = 0; k < ndim; ++k)
      text += fmt::format("{}(ks_i64){}._{}", k ? ", " : "", tuple.text, k);
  } else {
    text = text_as(argument, Dtype::int64);
  }
  line("const ks_shape<{}> {} = {{{{{}}}}};", ndim, name, text);
  return name;
}

/// The numbers of the elements of an array of this shape, in C order. A ks_array without data stands for them wherever
/// shapes are compared and stepped.
Fused::Leaf FunctionLowering::numbers(const Type& type, const std::string& shape) {
  const std::string name = temp("made");
  line("{} {} = ks_no_array<{}, {}>();", text_of(type), name, element_text(type), type.ndim);
  for (int k = 0; k < type.ndim; ++k) line("{0}.shape[{1}] = {2}.n[{1}];", name, k, shape);
  line("ks_set_strides({});", name);
  return {name, type, Fused::Use::read, true};
}

Fused FunctionLowering::generator(const Expr& e, const std::string& shape, std::function<std::string(const std::string&)> element) {
  if (!options_.is_cuda)
    for (int k = 0; k < e.type.ndim; ++k)
      fail_if(fmt::format("{}.n[{}] < 0", shape, k),
              fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"negative dimensions are not allowed\", 0, 0, 0)", e.place.line));
  Fused fused;
  fused.type = e.type;
  fused.leaves.push_back(numbers(e.type, shape));
  fused.element = [name = fused.leaves[0].name, element](const Index& at) { return element(at[name]); };
  return fused;
}

Fused FunctionLowering::fuse(const Expr& e) {
  if (!is_fusible(e)) {
    if (e.type.is_array()) return leaf(e);
    return number_element(pin(expr(e)));
  }
  if (e.kind == ExprKind::name) return deferred(e.variable);

  Fused all;
  all.type = e.type;
  std::vector<Fused> parts;
  using Element = std::function<std::string(const Index&)>;
  const auto whole_part = [&](const Expr& operand) {
    Fused fused = fuse(operand);
    if (fused.where) fused = array_element(masked(fused, operand.place));  // x[mask] inside an expression is stored first
    all.leaves.insert(all.leaves.end(), fused.leaves.begin(), fused.leaves.end());
    all.gathered.insert(all.gathered.end(), fused.gathered.begin(), fused.gathered.end());
    all.is_random |= fused.is_random;
    return fused;
  };
  const auto part = [&](const Expr& operand) -> Element { return whole_part(operand).element; };
  /// A number among them has to fit into `dtype`.
  const auto fitting = [&](const Expr& operand, Dtype dtype) {
    const Element element = part(operand);
    if (!operand.type.is_array()) want_fit(operand, element({}), dtype);
    return element;
  };
  const Dtype to = e.type.dtype;
  switch (e.kind) {
    case ExprKind::unary: {
      const auto x = part(*e.items[0]);
      const Dtype from = e.items[0]->type.dtype;
      const Operator op = e.op;
      all.element = [=](const Index& at) {
        const std::string value = cast(x(at), from, to);
        return op_text(op_of(op), to, {value});
      };
      return all;
    }
    case ExprKind::binary: {
      const auto a = fitting(*e.items[0], to);
      const Fused right = whole_part(*e.items[1]);
      want_operand(e.op, *e.items[1], right, to);
      const Element b = right.element;
      const Dtype from_a = e.items[0]->type.dtype, from_b = e.items[1]->type.dtype;
      const Operator op = e.op;
      const auto exponent = op == Operator::power ? constant_int(*e.items[1]) : std::nullopt;
      all.element = [=](const Index& at) {
        if (exponent && *exponent > 0 && *exponent <= 64 && !is_complex(to))
          return fmt::format("ks_power_of<{}>({})", *exponent, cast(a(at), from_a, to));
        return arithmetic(op, cast(a(at), from_a, to), cast(b(at), from_b, to), to);
      };
      return all;
    }
    case ExprKind::compare: {
      const auto a = part(*e.items[0]), b = part(*e.items[1]);
      const Type &ta = e.items[0]->type, &tb = e.items[1]->type;
      const Dtype both = ta.is_array() && tb.is_array() ? element_dtype(ta.dtype, tb.dtype)
                         : ta.is_array()                ? weak_dtype(ta.dtype, tb.dtype)
                                                        : weak_dtype(tb.dtype, ta.dtype);
      const Dtype from_a = ta.dtype, from_b = tb.dtype;
      const Op op = op_of(e.ops[0]);
      const auto outside = ta.is_array() && tb.is_array() ? std::nullopt : beyond(e, ta.is_array() ? b({}) : a({}), both);
      all.element = [=, symbol = std::string(str(e.ops[0]))](const Index& at) {
        const std::string text = have_two_signs(from_a, from_b) ? ordered(symbol, a(at), b(at))
                                 : is_complex(both) ? fmt::format("({} {} {})", cast(a(at), from_a, both), symbol, cast(b(at), from_b, both))
                                                    : op_text(op, both, {cast(a(at), from_a, both), cast(b(at), from_b, both)});
        return outside ? fmt::format("({} ? {} : {})", outside->is_outside, outside->result, text) : text;
      };
      return all;
    }
    case ExprKind::subscript: {
      const Expr& index = *e.items[1];
      if (index.type.dtype == Dtype::bool_) {
        const Fused x = whole_part(*e.items[0]), mask = whole_part(index);
        if (distinct(all.leaves).size() > 1) {
          const std::string of_array = shape(x, e.place);
          want_mask(of_array, shape(mask, e.place), e.place);
        }
        all.where = mask.element;
        all.element = x.element;
        return all;
      }
      // x[indices]: tested for each element, on the way.
      const Val array = expr(*e.items[0]);
      const auto i = part(index);
      all.gathered.push_back(array.text);
      const Dtype from = index.type.dtype;
      const std::string bad = temp("bad");
      if (!options_.is_cuda) {
        // All indices are looked at before the loop that uses them.
        Fused test = all;
        test.element = i;
        test.type = index.type;
        const std::string s = shape(test, e.place);
        line("ks_i64 {} = 0;", bad);
        elements(test, s, {}, [&](const Index& at) {
          line("if ((ks_u64)ks_wrap({0}, {1}.shape[0]) >= (ks_u64){1}.shape[0]) {2} = {0} < 0 ? {0} : {0} + 1;",
               cast(i(at), from, Dtype::int64), array.text, bad);
        }, false);
        fail_if(bad, fmt::format("ks_jit_fail(ks, ks_index_error, {0}, {1}, {2} < 0 ? {2} : {2} - 1, {3}.shape[0], 0)", e.place.line,
                                 quoted(array.text), bad, array.text));
      }
      const std::string stride = array.type.is_contiguous ? "" : fmt::format(" * {}.stride[0]", array.text);
      all.element = [=](const Index& at) {
        return fmt::format("{0}.data[ks_wrap({1}, {0}.shape[0]){2}]", array.text, cast(i(at), from, Dtype::int64), stride);
      };
      return all;
    }
    default: break;
  }
  if (e.items[0]->binding.kind == Binding::Kind::dtype) {
    const auto x = part(*e.items[1]);
    const Dtype from = e.items[1]->type.dtype;
    all.element = [=](const Index& at) { return cast(x(at), from, to); };
    return all;
  }
  const Intrinsic& row = *intrinsic_of(e);
  const auto binary = [&](Operator op) {
    const auto a = fitting(*e.items[1], to);
    const Fused right = whole_part(*e.items[2]);
    want_operand(op, *e.items[2], right, to);
    const Element b = right.element;
    const Dtype from_a = e.items[1]->type.dtype, from_b = e.items[2]->type.dtype;
    all.element = [=](const Index& at) { return arithmetic(op, cast(a(at), from_a, to), cast(b(at), from_b, to), to); };
    return all;
  };
  switch (row.handler) {
    case Handler::elementwise: {
      std::vector<Element> operands;
      std::vector<Type> from;
      Dtype dtype = e.items[1]->type.dtype;
      if (e.items.size() == 3) {
        const Type &a = e.items[1]->type, &b = e.items[2]->type;
        dtype = a.is_array() && b.is_array() ? element_dtype(a.dtype, b.dtype)
                : a.is_array() ? weak_dtype(a.dtype, b.dtype) : weak_dtype(b.dtype, a.dtype);
      }
      for (size_t i = 1; i < e.items.size(); ++i) {
        operands.push_back(fitting(*e.items[i], dtype));
        from.push_back(Type::scalar(e.items[i]->type.dtype));
      }
      all.element = [=, this, &row](const Index& at) {
        std::vector<Val> values;
        for (size_t i = 0; i < operands.size(); ++i) values.push_back({operands[i](at), from[i]});
        return elementwise(row, dtype, values);
      };
      return all;
    }
    case Handler::abs: {
      const auto x = part(*e.items[1]);
      const Dtype from = e.items[1]->type.dtype;
      all.element = [=](const Index& at) { return op_text(Op::absolute, from, {x(at)}); };
      return all;
    }
    case Handler::round: {
      const auto x = part(*e.items[1]);
      const std::string digits = has(e, 1) ? pin({text_as(*e.items[2], Dtype::int64), int64_type}).text : "0";
      const bool is_float = is_floating(to);
      all.element = [=](const Index& at) {
        return is_float ? fmt::format("({})ks_round({}, {})", text_of(to), x(at), digits) : x(at);
      };
      return all;
    }
    case Handler::pow: return binary(Operator::power);
    case Handler::add: return binary(Operator::add);
    case Handler::subtract: return binary(Operator::subtract);
    case Handler::multiply:
    case Handler::dot: return binary(Operator::multiply);
    case Handler::divide: return binary(Operator::divide);
    case Handler::floor_divide: return binary(Operator::floor_divide);
    case Handler::modulo: return binary(Operator::modulo);
    case Handler::where: {
      const auto c = part(*e.items[1]), a = fitting(*e.items[2], to), b = fitting(*e.items[3], to);
      const Dtype dc = e.items[1]->type.dtype, da = e.items[2]->type.dtype, db = e.items[3]->type.dtype;
      all.element = [=](const Index& at) {
        return fmt::format("({} ? {} : {})", cast(c(at), dc, Dtype::bool_), cast(a(at), da, to), cast(b(at), db, to));
      };
      return all;
    }
    case Handler::clip: {
      const auto x = part(*e.items[1]);
      const Dtype from = e.items[1]->type.dtype;
      const auto bound = [&](size_t i) -> Element {
        if (!has(e, i)) return {};
        const Expr& given = *e.items[i + 1];
        const Element element = part(given);
        if (!given.type.is_array()) return [text = bound_text(given, element({}), to, i == 1)](const Index&) { return text; };
        return [=, type = given.type.dtype](const Index& at) { return cast(element(at), type, to); };
      };
      const Element low = bound(1), high = bound(2);
      all.element = [=](const Index& at) {
        std::string text = cast(x(at), from, to);
        if (low) text = clip_text(true, high != nullptr, to, text, low(at));
        if (high) text = clip_text(false, low != nullptr, to, text, high(at));
        return text;
      };
      return all;
    }
    case Handler::astype:
    case Handler::copy: {
      const auto x = part(*e.items[1]);
      const Dtype from = e.items[1]->type.dtype;
      all.element = [=](const Index& at) { return cast(x(at), from, to); };
      return all;
    }
    case Handler::zeros: case Handler::ones: case Handler::full: {
      const std::string value = row.handler == Handler::zeros ? "0" : row.handler == Handler::ones ? "1"
                                : filled_value(*e.items[2], to);
      const std::string text = fmt::format("({})({})", text_of(to), value);
      return generator(e, shape_of(*e.items[1], e.type.ndim), [=](const std::string&) { return text; });
    }
    case Handler::zeros_like: case Handler::ones_like: case Handler::full_like: {
      const std::string value = row.handler == Handler::zeros_like ? "0" : row.handler == Handler::ones_like ? "1"
                                : filled_value(*e.items[2], to);
      part(*e.items[1]);
      all.element = [=](const Index&) { return fmt::format("({})({})", text_of(to), value); };
      return all;
    }
    case Handler::arange: {
      const Range range = arange_bounds(e);
      const std::string shape = temp("shape");
      line("const ks_shape<1> {} = {{{{{}}}}};", shape, range.length);
      return generator(e, shape, [=](const std::string& number) {
        const std::string scaled = op_text(Op::multiply, range.dtype, {cast(number, Dtype::int64, range.dtype), range.step});
        return cast(op_text(Op::add, range.dtype, {range.start, scaled}), range.dtype, to);
      });
    }
    case Handler::linspace: {
      const Spread spread = linspace_bounds(e);
      const std::string shape = temp("shape");
      line("const ks_shape<1> {} = {{{{{}}}}};", shape, spread.length);
      return generator(e, shape, [=](const std::string& number) {
        const std::string stepped = op_text(Op::multiply, to, {cast(number, Dtype::int64, to), spread.step});
        return fmt::format("({0} == {1} - 1 && {1} > 1 ? {2} : {3})", number, spread.length, spread.last, op_text(Op::add, to, {spread.first, stepped}));
      });
    }
    default: break;
  }
  const Draws draws = array_draws(e, row.handler);
  const std::string s = draws.stream, low = draws.a, high = draws.b;
  const auto unit = [=](const std::string& number) { return fmt::format("ks_unit_at({}, {})", s, number); };
  const auto normal = [=](const std::string& number) { return fmt::format("ks_normal_at({}, {})", s, number); };
  std::function<std::string(const std::string&)> element;
  switch (row.handler) {
    case Handler::random:
    case Handler::rand: element = unit; break;
    case Handler::randn:
    case Handler::standard_normal: element = normal; break;
    case Handler::uniform:
      element = [=](const std::string& number) { return fmt::format("({} + ({} - {}) * {})", low, high, low, unit(number)); };
      break;
    case Handler::normal:
      element = [=](const std::string& number) { return fmt::format("({} + {} * {})", low, high, normal(number)); };
      break;
    case Handler::exponential:
      element = [=](const std::string& number) {
        return fmt::format("(-{} * {})", op_text(Op::log, Dtype::float64, {fmt::format("1.0 - {}", unit(number))}), low);
      };
      break;
    default:
      element = [=](const std::string& number) { return fmt::format("ks_integer_at({}, {}, {}, {})", s, number, low, high); };
  }
  Fused fused = generator(e, draws.shape, element);
  fused.is_random = true;
  return fused;
}

FunctionLowering::Range FunctionLowering::arange_bounds(const Expr& e) {
  const bool only_stop = !has(e, 1);
  const bool is_float = is_floating(e.items[1]->type.dtype) || (has(e, 1) && e.items[2]->type.is_floating()) ||
                        (has(e, 2) && e.items[3]->type.is_floating());
  Range range{is_float ? Dtype::float64 : Dtype::int64, temp("start"), temp("step"), temp("n")};
  const std::string t = is_float ? "double" : "ks_i64";
  line("const {} {} = {};", t, range.start, only_stop ? "0" : text_as(*e.items[1], range.dtype));
  line("const {} {} = {};", t, range.step, has(e, 2) ? text_as(*e.items[3], range.dtype) : "1");
  const std::string stop = text_as(only_stop ? *e.items[1] : *e.items[2], range.dtype);
  if (is_float) line("const ks_i64 {0} = ks_max<ks_i64>(0, ks_ceil_to_int(({1} - {2}) / {3}));", range.length, stop, range.start, range.step);
  else line("const ks_i64 {} = {} == 0 ? 0 : ks_length(ks_range{{{}, {}, {}}});", range.length, range.step, range.start, stop, range.step);
  return range;
}

FunctionLowering::Spread FunctionLowering::linspace_bounds(const Expr& e) {
  const Dtype t = e.type.dtype;
  const std::string a = pin(scalar(*e.items[1], t)).text, b = pin(scalar(*e.items[2], t)).text;
  const std::string n = temp("n"), step = temp("step");
  line("const ks_i64 {} = {};", n, has(e, 2) ? text_as(*e.items[3], Dtype::int64) : "50");
  const std::string parts = cast(fmt::format("({0} > 1 ? {0} - 1 : 1)", n), Dtype::int64, t);
  line("const {} {} = {};", text_of(t), step, op_text(Op::divide, t, {fmt::format("({} - {})", b, a), parts}));
  return {a, b, step, n};
}

/// Draws: element k of the array is number k of a stream of its own.
FunctionLowering::Draws FunctionLowering::array_draws(const Expr& e, Handler handler) {
  const size_t size_at = handler == Handler::random || handler == Handler::standard_normal ? 0
                         : handler == Handler::exponential ? 1 : 2;
  Draws draws;
  if (handler == Handler::rand || handler == Handler::randn) {
    draws.shape = temp("shape");
    std::string text;
    for (size_t i = 1; i < e.items.size(); ++i) text += (i > 1 ? ", " : "") + text_as(*e.items[i], Dtype::int64);
    line("const ks_shape<{}> {} = {{{{{}}}}};", e.type.ndim, draws.shape, text);
  } else {
    draws.shape = shape_of(*e.items[size_at + 1], e.type.ndim);
  }
  draws.stream = temp("random");
  line("const ks_stream {} = ks_split({}, {}, {} + {});", draws.stream, random_.stream, random_.element, random_.site, random_.n_sites++);
  const auto number = [&](size_t i, const char* otherwise) {
    return has(e, i) ? pin({text_as(*e.items[i + 1], Dtype::float64), float64_type}).text : std::string(otherwise);
  };
  switch (handler) {
    case Handler::uniform:
    case Handler::normal: draws.a = number(0, "0.0"), draws.b = number(1, "1.0"); break;
    case Handler::exponential: draws.a = number(0, "1.0"); break;
    case Handler::randint: {
      const auto bound = [&](size_t i) { return pin({text_as(*e.items[i + 1], Dtype::int64), int64_type}).text; };
      draws.a = has(e, 1) ? bound(0) : "0LL";
      draws.b = bound(has(e, 1) ? 1 : 0);
      break;
    }
    default: break;
  }
  return draws;
}

}  // namespace kasoku::jit
