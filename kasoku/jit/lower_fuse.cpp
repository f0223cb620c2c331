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

/// The steps of fuse(): each gives the element of one kind of expression, made of the elements of its operands. A function
/// that is returned outlives this, so it captures copies.
class FunctionLowering::Fusion {
 public:
  Fusion(FunctionLowering& function, const Expr& e) : function_(function), e_(e) { fused_.type = e.type; }

  Fused fused() {
    switch (e_.kind) {
      case ExprKind::unary: return of(unary());
      case ExprKind::binary: return of(binary());
      case ExprKind::compare: return of(compared());
      case ExprKind::subscript: return e_.items[1]->type.dtype == Dtype::bool_ ? masked() : of(gathered());
      default: break;
    }
    if (e_.items[0]->binding.kind == Binding::Kind::dtype) return of(converted());
    const Intrinsic& row = *intrinsic_of(e_);
    switch (row.handler) {
      case Handler::elementwise: return of(elementwise(row));
      case Handler::abs: return of(absolute());
      case Handler::round: return of(rounded());
      case Handler::pow: return of(called(Operator::power));
      case Handler::add: return of(called(Operator::add));
      case Handler::subtract: return of(called(Operator::subtract));
      case Handler::multiply:
      case Handler::dot: return of(called(Operator::multiply));
      case Handler::divide: return of(called(Operator::divide));
      case Handler::floor_divide: return of(called(Operator::floor_divide));
      case Handler::modulo: return of(called(Operator::modulo));
      case Handler::where: return of(chosen());
      case Handler::clip: return of(clipped());
      case Handler::astype:
      case Handler::copy: return of(converted());
      case Handler::zeros: return filled("0");
      case Handler::ones: return filled("1");
      case Handler::full: return filled(function_.filled_value(*e_.items[2], e_.type.dtype));
      case Handler::zeros_like: return of(filled_like("0"));
      case Handler::ones_like: return of(filled_like("1"));
      case Handler::full_like: return of(filled_like(function_.filled_value(*e_.items[2], e_.type.dtype)));
      case Handler::arange: return counted();
      case Handler::linspace: return spread();
      default: return drawn(row.handler);
    }
  }

 private:
  using Element = Fused::Element;

  Fused of(Element element) {
    fused_.element = std::move(element);
    return std::move(fused_);
  }

  /// An operand, whose arrays the loop reads too.
  Fused operand(const Expr& e) {
    Fused one = function_.fuse(e);
    if (one.where) one = array_element(function_.masked(one, e.place));  // x[mask] inside an expression is stored first
    fused_.leaves.insert(fused_.leaves.end(), one.leaves.begin(), one.leaves.end());
    fused_.gathered.insert(fused_.gathered.end(), one.gathered.begin(), one.gathered.end());
    fused_.is_random |= one.is_random;
    return one;
  }

  Element element(const Expr& e) { return operand(e).element; }

  /// The same of an operand that has to fit into `dtype` if it is a number.
  Element fitting(const Expr& e, Dtype dtype) {
    Element one = element(e);
    if (!e.type.is_array()) function_.want_fit(e, one({}), dtype);
    return one;
  }

  Element unary() {
    const Expr& operand = *e_.items[0];
    return [x = element(operand), op = op_of(e_.op), from = operand.type.dtype, to = e_.type.dtype](const Index& at) {
      return op_text(op, to, {cast(x(at), from, to)});
    };
  }

  Element arithmetic_of(Operator op, const Expr& left, const Expr& right) {
    const Dtype to = e_.type.dtype, from_a = left.type.dtype, from_b = right.type.dtype;
    const Element a = fitting(left, to);
    const Fused values = operand(right);
    function_.want_operand(op, right, values, to);
    const Element b = values.element;
    return [=](const Index& at) { return arithmetic(op, cast(a(at), from_a, to), cast(b(at), from_b, to), to); };
  }

  Element called(Operator op) { return arithmetic_of(op, *e_.items[1], *e_.items[2]); }

  Element binary() {
    const Expr &left = *e_.items[0], &right = *e_.items[1];
    const Dtype to = e_.type.dtype, from = left.type.dtype;
    const auto exponent = e_.op == Operator::power ? constant_int(right) : std::nullopt;
    if (!exponent || *exponent <= 0 || *exponent > 64 || is_complex(to)) return arithmetic_of(e_.op, left, right);
    const Element x = fitting(left, to);
    function_.want_operand(e_.op, right, operand(right), to);
    return [=](const Index& at) { return fmt::format("ks_power_of<{}>({})", *exponent, cast(x(at), from, to)); };
  }

  Element compared() {
    const Element a = element(*e_.items[0]), b = element(*e_.items[1]);
    const Type &ta = e_.items[0]->type, &tb = e_.items[1]->type;
    const Dtype from_a = ta.dtype, from_b = tb.dtype, both = common_dtype(ta, tb);
    const bool are_arrays = ta.is_array() && tb.is_array();
    const auto outside = are_arrays ? std::nullopt : function_.beyond(e_, ta.is_array() ? b({}) : a({}), both);
    return [=, op = op_of(e_.ops[0]), symbol = std::string(str(e_.ops[0]))](const Index& at) {
      const std::string text = have_two_signs(from_a, from_b) ? ordered(symbol, a(at), b(at))
                               : is_complex(both) ? fmt::format("({} {} {})", cast(a(at), from_a, both), symbol, cast(b(at), from_b, both))
                                                  : op_text(op, both, {cast(a(at), from_a, both), cast(b(at), from_b, both)});
      return outside ? fmt::format("({} ? {} : {})", outside->is_outside, outside->result, text) : text;
    };
  }

  /// x[mask]
  Fused masked() {
    const Fused x = operand(*e_.items[0]), mask = operand(*e_.items[1]);
    if (distinct(fused_.leaves).size() > 1) {
      const std::string of_array = function_.shape(x, e_.place);
      function_.want_mask(of_array, function_.shape(mask, e_.place), e_.place);
    }
    fused_.where = mask.element;
    return of(x.element);
  }

  /// x[indices]
  Element gathered() {
    const Val array = function_.expr(*e_.items[0]);
    const Expr& index = *e_.items[1];
    const Element i = element(index);
    fused_.gathered.push_back(array.text);
    const Dtype from = index.type.dtype;
    const std::string bad = function_.temp("bad");
    if (!function_.options_.is_cuda) want_indices(array.text, index.type, i, bad);
    const std::string stride = array.type.is_contiguous ? "" : fmt::format(" * {}.stride[0]", array.text);
    return [=](const Index& at) {
      return fmt::format("{0}.data[ks_wrap({1}, {0}.shape[0]){2}]", array.text, cast(i(at), from, Dtype::int64), stride);
    };
  }

  /// Looks at all indices before the loop that uses them, and fails with the one that `bad` then holds.
  void want_indices(const std::string& array, const Type& type, const Element& index, const std::string& bad) {
    Fused test = fused_;
    test.element = index;
    test.type = type;
    const std::string shape = function_.shape(test, e_.place);
    function_.line("ks_i64 {} = 0;", bad);
    function_.elements(test, shape, {}, [&](const Index& at) {
      function_.line("if ((ks_u64)ks_wrap({0}, {1}.shape[0]) >= (ks_u64){1}.shape[0]) {2} = {0} < 0 ? {0} : {0} + 1;",
                     cast(index(at), type.dtype, Dtype::int64), array, bad);
    }, false);
    function_.fail_if(bad, fmt::format("ks_jit_fail(ks, ks_index_error, {0}, {1}, {2} < 0 ? {2} : {2} - 1, {3}.shape[0], 0)", e_.place.line,
                                       quoted(array), bad, array));
  }

  Element converted() {
    const Expr& operand = *e_.items[1];
    return [x = element(operand), from = operand.type.dtype, to = e_.type.dtype](const Index& at) { return cast(x(at), from, to); };
  }

  Element elementwise(const Intrinsic& row) {
    const bool is_binary = e_.items.size() == 3;
    const Dtype dtype = is_binary ? common_dtype(e_.items[1]->type, e_.items[2]->type) : e_.items[1]->type.dtype;
    std::vector<Element> operands;
    std::vector<Type> from;
    for (size_t i = 1; i < e_.items.size(); ++i) {
      operands.push_back(fitting(*e_.items[i], dtype));
      from.push_back(Type::scalar(e_.items[i]->type.dtype));
    }
    return [=, &row, &function = function_](const Index& at) {
      std::vector<Val> values;
      for (size_t i = 0; i < operands.size(); ++i) values.push_back({operands[i](at), from[i]});
      return function.elementwise(row, dtype, values);
    };
  }

  Element absolute() {
    const Expr& operand = *e_.items[1];
    return [x = element(operand), from = operand.type.dtype](const Index& at) { return op_text(Op::absolute, from, {x(at)}); };
  }

  Element rounded() {
    const Element x = element(*e_.items[1]);
    const std::string digits = has(e_, 1) ? function_.pin({function_.text_as(*e_.items[2], Dtype::int64), int64_type}).text : "0";
    const Dtype to = e_.type.dtype;
    return [=](const Index& at) {
      return is_floating(to) ? fmt::format("({})ks_round({}, {})", text_of(to), x(at), digits) : x(at);
    };
  }

  /// where(condition, a, b)
  Element chosen() {
    const Dtype to = e_.type.dtype;
    const Element c = element(*e_.items[1]), a = fitting(*e_.items[2], to), b = fitting(*e_.items[3], to);
    const Dtype of_c = e_.items[1]->type.dtype, of_a = e_.items[2]->type.dtype, of_b = e_.items[3]->type.dtype;
    return [=](const Index& at) {
      return fmt::format("({} ? {} : {})", cast(c(at), of_c, Dtype::bool_), cast(a(at), of_a, to), cast(b(at), of_b, to));
    };
  }

  Element clipped() {
    const Element x = element(*e_.items[1]), low = bound(1), high = bound(2);
    const Dtype from = e_.items[1]->type.dtype, to = e_.type.dtype;
    return [=](const Index& at) {
      std::string text = cast(x(at), from, to);
      if (low) text = clip_text(true, high != nullptr, to, text, low(at));
      if (high) text = clip_text(false, low != nullptr, to, text, high(at));
      return text;
    };
  }

  /// clip()'s lower bound (1) or upper one (2); null where there is none.
  Element bound(size_t i) {
    if (!has(e_, i)) return {};
    const Expr& given = *e_.items[i + 1];
    const Dtype from = given.type.dtype, to = e_.type.dtype;
    const Element one = element(given);
    if (given.type.is_array()) return [=](const Index& at) { return cast(one(at), from, to); };
    return [text = function_.bound_text(given, one({}), to, i == 1)](const Index&) { return text; };
  }

  std::string as_element(const std::string& value) const { return fmt::format("({})({})", text_of(e_.type.dtype), value); }

  Fused filled(const std::string& value) {
    return function_.generator(e_, function_.shape_of(*e_.items[1], e_.type.ndim), [text = as_element(value)](const std::string&) { return text; });
  }

  Element filled_like(const std::string& value) {
    operand(*e_.items[1]);
    return [text = as_element(value)](const Index&) { return text; };
  }

  std::string shape_of_length(const std::string& length) {
    const std::string shape = function_.temp("shape");
    function_.line("const ks_shape<1> {} = {{{{{}}}}};", shape, length);
    return shape;
  }

  /// arange()
  Fused counted() {
    const Range range = function_.arange_bounds(e_);
    return function_.generator(e_, shape_of_length(range.length), [range, to = e_.type.dtype](const std::string& number) {
      const std::string scaled = op_text(Op::multiply, range.dtype, {cast(number, Dtype::int64, range.dtype), range.step});
      return cast(op_text(Op::add, range.dtype, {range.start, scaled}), range.dtype, to);
    });
  }

  /// linspace()
  Fused spread() {
    const Spread spread = function_.linspace_bounds(e_);
    return function_.generator(e_, shape_of_length(spread.length), [spread, to = e_.type.dtype](const std::string& number) {
      const std::string stepped = op_text(Op::multiply, to, {cast(number, Dtype::int64, to), spread.step});
      return fmt::format("({0} == {1} - 1 && {1} > 1 ? {2} : {3})", number, spread.length, spread.last, op_text(Op::add, to, {spread.first, stepped}));
    });
  }

  Fused drawn(Handler handler) {
    const Draws draws = function_.array_draws(e_, handler);
    Fused fused = function_.generator(e_, draws.shape, [=](const std::string& number) { return draw_text(handler, draws, number); });
    fused.is_random = true;
    return fused;
  }

  /// Draw `number` of a distribution.
  static std::string draw_text(Handler handler, const Draws& draws, const std::string& number) {
    const std::string &stream = draws.stream, &a = draws.a, &b = draws.b;
    const std::string unit = fmt::format("ks_unit_at({}, {})", stream, number), normal = fmt::format("ks_normal_at({}, {})", stream, number);
    switch (handler) {
      case Handler::random:
      case Handler::rand: return unit;
      case Handler::randn:
      case Handler::standard_normal: return normal;
      case Handler::uniform: return fmt::format("({} + ({} - {}) * {})", a, b, a, unit);
      case Handler::normal: return fmt::format("({} + {} * {})", a, b, normal);
      case Handler::exponential: return fmt::format("(-{} * {})", op_text(Op::log, Dtype::float64, {fmt::format("1.0 - {}", unit)}), a);
      default: return fmt::format("ks_integer_at({}, {}, {}, {})", stream, number, a, b);
    }
  }

  FunctionLowering& function_;
  const Expr& e_;
  Fused fused_;
};

Fused FunctionLowering::fuse(const Expr& e) {
  if (!is_fusible(e)) return e.type.is_array() ? leaf(e) : number_element(pin(expr(e)));
  if (e.kind == ExprKind::name) return deferred(e.variable);
  return Fusion(*this, e).fused();
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
