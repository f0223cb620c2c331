/// Reductions of array expressions, products of matrices, and arrays made from nothing.
#include "kasoku/jit/lowering.h"

#include <algorithm>

namespace kasoku::jit {

void FunctionLowering::accumulate(const Fused& fused, const std::string& s, const Accumulator& accumulator) {
  const std::string i = temp("r");
  const std::string type = text_of(accumulator.type);
  const std::string parts = temp("parts");
  elements(fused, s, {}, [&](const Index& at) { line("{}", accumulator.update(at)); }, true,
           [&](const std::string& n) {
             // Chunks and lanes are fixed by n: the same bits on one worker and on many.
             const bool pool = options_.parallel && !is_parallel_;
             line("{} {}_of[ks_max_chunks];", type, parts);
             line("{}* const {} = {}_of;", type, parts, parts);
             const std::string chunk = temp("chunk");
             line("const ks_i64 {} = ks_element_chunk({});", chunk, n);
             if (pool) line("ks_parallel(ks, {}, {}, 2, [=](ks_i64 ks_c, ks_i64 ks_first, ks_i64 ks_end) {{", n, chunk);
             else line("ks_serial({}, {}, [=](ks_i64 ks_c, ks_i64 ks_first, ks_i64 ks_end) {{", n, chunk);
             ++indent_;
             line("{} {} = {};", type, accumulator.name, accumulator.identity);
             if (accumulator.is_free) line("#pragma clang loop vectorize_width(16) interleave_count(1)");
             open(fmt::format("for (ks_i64 {0} = ks_first; {0} < ks_end; ++{0})", i));
             line("{}", accumulator.update({true, i, {}}));
             close();
             line("{}[ks_c] = {};", parts, accumulator.name);
             --indent_;
             line("}});");
             open(fmt::format("if ({} > 0)", n));
             line("const ks_i64 ks_chunks = ({0} + {1} - 1) / {1};", n, chunk);
             open("for (ks_i64 ks_w = 1; ks_w < ks_chunks; ks_w *= 2)");
             line("for (ks_i64 ks_c = 0; ks_c + ks_w < ks_chunks; ks_c += 2 * ks_w) {}[ks_c] = {};", parts,
                  accumulator.combine(parts + "[ks_c]", parts + "[ks_c + ks_w]"));
             close();
             line("{} = {};", accumulator.name, accumulator.combine(accumulator.name, parts + "[0]"));
             close();
           });
}

Val FunctionLowering::reduction(const Expr& e, Handler handler) {
  const Expr& operand = *e.items[1];
  if (has(e, 1) && e.type.is_array()) {
    int64_t axis = *constant_int(*e.items[2]);
    if (axis < 0) axis += operand.type.ndim;
    return reduction_along(e, handler, static_cast<int>(axis));
  }
  if (operand.type.is_scalar()) {
    const Val value = pin(expr(operand));
    switch (handler) {
      case Handler::any: case Handler::all: return {truth_of(value), e.type};
      case Handler::count_nonzero: return {fmt::format("(ks_i64){}", truth_of(value)), e.type};
      case Handler::argmin: case Handler::argmax: return {"0LL", e.type};
      case Handler::var: case Handler::std: return {"0.0", e.type};
      default: return {cast(value.text, value.type.dtype, e.type.dtype), e.type};
    }
  }
  const Fused fused = fuse(operand);
  if (handler == Handler::count_nonzero) return count(fused, e.place);
  if (handler == Handler::argmin || handler == Handler::argmax) return arg_reduction(fused, handler, e.place);

  const Dtype from = fused.type.dtype;
  const std::string name = temp(handler == Handler::amin ? "min" : handler == Handler::amax ? "max" : "sum");
  // float32 sums keep the low bits in a double.
  Dtype dtype = handler == Handler::mean || handler == Handler::var || handler == Handler::std
                    ? Dtype::float64 : e.type.dtype;
  if (handler == Handler::sum && (dtype == Dtype::float32 || dtype == Dtype::float16)) dtype = Dtype::float64;
  const Type type = Type::scalar(dtype);
  const std::string t = text_of(dtype);
  const std::string s = shape(fused, e.place);
  Accumulator accumulator;
  accumulator.name = name;
  accumulator.type = type;
  const auto guarded = [&](const Index& at, const std::string& statement) {
    return fused.where ? fmt::format("if ({}) {}", fused.where(at), statement) : statement;
  };
  const auto with = [&](const std::string& identity, auto join) {
    accumulator.identity = identity;
    accumulator.combine = join;
    accumulator.update = [&, join](const Index& at) {
      return guarded(at, fmt::format("{} = {};", name, join(name, cast(fused.element(at), from, dtype))));
    };
  };
  std::string counted;  // how many elements, where a mask decides
  const auto size = [&]() -> std::string {
    if (!fused.where) return fmt::format("ks_size({})", s);
    if (counted.empty()) {
      Fused mask = fused;
      mask.element = fused.where;
      mask.where = {};
      mask.type = Type::array(Dtype::bool_, fused.type.ndim, true);
      counted = count(mask, e.place).text;
    }
    return counted;
  };
  using Text = const std::string&;
  switch (handler) {
    case Handler::sum:
    case Handler::mean:
      if (is_floating(dtype)) {
        accumulator.is_free = true;
        with("{}", [](Text a, Text b) { return fmt::format("ks_sum({}, {})", a, b); });
        accumulator.combine = [](Text a, Text b) { return fmt::format("({} + {})", a, b); };
      } else {
        with("{}", [dtype](Text a, Text b) { return arithmetic(Operator::add, a, b, dtype); });
      }
      break;
    case Handler::prod:
      with(t + "(1)", [dtype](Text a, Text b) { return arithmetic(Operator::multiply, a, b, dtype); });
      if (dtype == Dtype::int64 || dtype == Dtype::uint64) accumulator.identity = "1";
      break;
    case Handler::any:
      with("false", [](Text a, Text b) { return fmt::format("({} | {})", a, b); });
      break;
    case Handler::all:
      with("true", [](Text a, Text b) { return fmt::format("({} & {})", a, b); });
      break;
    case Handler::amin:
    case Handler::amax: {
      fail_if(size() + " == 0", fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"{} of an array without elements\", 0, 0, 0)",
                                            e.place.line, handler == Handler::amin ? "min" : "max"));
      const char* function = handler == Handler::amin ? "ks_minimum" : "ks_maximum";
      with(fmt::format("ks_limits<{}>::{}()", t, handler == Handler::amin ? "high" : "low"),
           [function, t](Text a, Text b) { return fmt::format("{}<{}>({}, {})", function, t, a, b); });
      break;
    }
    case Handler::var:
    case Handler::std: {
      const std::string mean = temp("mean");
      Accumulator first;
      first.name = temp("sum");
      first.type = float64_type;
      first.identity = "{}";
      first.is_free = true;
      first.combine = [](Text a, Text b) { return fmt::format("({} + {})", a, b); };
      first.update = [&](const Index& at) {
        return guarded(at, fmt::format("{0} = ks_sum({0}, {1});", first.name, cast(fused.element(at), from, Dtype::float64)));
      };
      line("double {}{{}};", first.name);
      accumulate(fused, s, first);
      const std::string n = size();
      line("const double {} = {} / (double){};", mean, first.name, n);
      accumulator.is_free = true;
      accumulator.identity = "{}";
      accumulator.combine = first.combine;
      accumulator.update = [&](const Index& at) {
        return guarded(at, fmt::format("{0} = ks_sum({0}, ks_square({1} - {2}));", name, cast(fused.element(at), from, Dtype::float64), mean));
      };
      line("double {}{{}};", name);
      accumulate(fused, s, accumulator);
      const std::string text = fmt::format("({} / (double){})", name, n);
      return {cast(handler == Handler::std ? fmt::format("sqrt({})", text) : text, Dtype::float64, e.type.dtype), e.type};
    }
    default: error(e.place, "this reduction cannot be compiled yet");
  }
  line("{} {} = {};", t, name, accumulator.identity);
  accumulate(fused, s, accumulator);
  if (handler == Handler::mean)
    return {cast(fmt::format("({} / (double){})", name, size()), Dtype::float64, e.type.dtype), e.type};
  return {cast(name, dtype, e.type.dtype), e.type};
}

Val FunctionLowering::arg_reduction(const Fused& fused, Handler handler, Place place) {
  const std::string s = shape(fused, place), best = temp("best"), at_best = temp("at"), t = text_of(fused.type.dtype);
  fail_if(fmt::format("ks_size({}) == 0", s),
          fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"argmin or argmax of an array without elements\", 0, 0, 0)", place.line));
  line("{} {}{{}};", t, best);
  line("ks_i64 {} = -1;", at_best);
  elements(fused, s, {}, [&](const Index& at) {
    const std::string value = temp("v");
    line("const {} {} = {};", t, value, fused.element(at));
    line("if ({0} < 0 || {1} {2} {3} || ({1} != {1} && {3} == {3})) {0} = {4}, {3} = {1};", at_best, value,
         handler == Handler::argmin ? "<" : ">", best, at.linear);
  }, false);
  return {at_best, int64_type};
}

Val FunctionLowering::reduction_along(const Expr& e, Handler handler, int axis) {
  // The result's elements outside, the axis inside.
  const Fused fused = fuse(*e.items[1]);
  if (fused.where) error(e.place, "a masked array has one axis");
  const int ndim = e.items[1]->type.ndim;
  const Dtype from = fused.type.dtype, to = e.type.dtype;
  const std::string s = shape(fused, e.place), out = temp("shape");
  std::string text;
  for (int k = 0; k < ndim; ++k)
    if (k != axis) text += fmt::format("{}{}.n[{}]", text.empty() ? "" : ", ", s, k);
  line("const ks_shape<{}> {} = {{{{{}}}}};", ndim - 1, out, text);
  if (handler == Handler::amin || handler == Handler::amax)
    fail_if(fmt::format("{}.n[{}] == 0", s, axis),
            fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"min or max along an axis without elements\", 0, 0, 0)", e.place.line));
  const Val result = new_array(e.type, out, false, e.place);
  open("");
  std::set<std::string> seen;
  for (const Fused::Leaf& leaf : fused.leaves)
    if (seen.insert(leaf.name).second)
      for (int k = ndim - leaf.type.ndim; k < ndim; ++k)
        line("const ks_i64 {0}_step{1} = ks_step<{2}>({0}, {1});", leaf.name, k, ndim);
  Index at;
  at.is_flat = false;
  std::string to_linear = "0", linear = "0";
  const std::string i = temp("e");
  for (int k = 0; k < ndim; ++k) {
    const std::string name = fmt::format("{}_{}", i, k);
    at.at.push_back(name);
    linear = fmt::format("({} * {}.n[{}] + {})", linear, s, k, name);
    if (k == axis) continue;
    open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}.n[{2}]; ++{0})", name, s, k));
    to_linear = fmt::format("({} * {}.n[{}] + {})", to_linear, s, k, name);
  }
  at.linear = linear;
  const Dtype in = handler == Handler::mean || (handler == Handler::sum && to == Dtype::float32) ? Dtype::float64 : to;
  const std::string t = text_of(in), acc = temp("sum");
  const std::string value = handler == Handler::count_nonzero ? cast(cast(fused.element(at), from, Dtype::bool_), Dtype::bool_, Dtype::int64)
                                                              : cast(fused.element(at), from, in);
  std::string identity = "{}", update;
  switch (handler) {
    case Handler::prod: identity = "1"; update = arithmetic(Operator::multiply, acc, value, in); break;
    case Handler::any: update = fmt::format("{} | {}", acc, value); break;
    case Handler::all: identity = "true"; update = fmt::format("{} & {}", acc, value); break;
    case Handler::amin: identity = fmt::format("ks_limits<{}>::high()", t); update = fmt::format("ks_minimum<{}>({}, {})", t, acc, value); break;
    case Handler::amax: identity = fmt::format("ks_limits<{}>::low()", t); update = fmt::format("ks_maximum<{}>({}, {})", t, acc, value); break;
    default: update = arithmetic(Operator::add, acc, value, in); break;
  }
  line("{} {} = {};", t, acc, identity);
  line("for (ks_i64 {0} = 0; {0} < {1}.n[{2}]; ++{0}) {3} = {4};", at.at[static_cast<size_t>(axis)], s, axis, acc, update);
  const std::string final_text = handler == Handler::mean ? fmt::format("({} / (double){}.n[{}])", acc, s, axis) : acc;
  line("{}.data[{}] = {};", result.text, to_linear, cast(final_text, in, to));
  for (int k = 0; k < ndim; ++k)
    if (k != axis) close();
  close();
  return result;
}

Val FunctionLowering::matmul(const Expr& a_expr, const Expr& b_expr, const Type& type, Place place) {
  const Val a = expr(a_expr), b = expr(b_expr);
  const int na = a.type.ndim, nb = b.type.ndim;
  const Dtype dtype = type.dtype;
  const std::string t = text_of(dtype), k = temp("k");
  fail_if(fmt::format("{}.shape[{}] != {}.shape[0]", a.text, na - 1, b.text),
          fmt::format("ks_jit_fail(ks, ks_shape_error, {}, \"\", {}.shape[{}], {}.shape[0], 0)", place.line, a.text, na - 1, b.text));
  const auto product = [&](const std::string& x, const std::string& y) {
    return arithmetic(Operator::multiply, cast(x, a.type.dtype, dtype), cast(y, b.type.dtype, dtype), dtype);
  };
  if (na == 1 && nb == 1) {
    const std::string sum = temp("sum");
    line("{} {}{{}};", t, sum);
    const bool flat = a.type.is_contiguous && b.type.is_contiguous;
    const std::string x = flat ? fmt::format("{}.data[{}]", a.text, k) : fmt::format("{0}.data[{1} * {0}.stride[0]]", a.text, k);
    const std::string y = flat ? fmt::format("{}.data[{}]", b.text, k) : fmt::format("{0}.data[{1} * {0}.stride[0]]", b.text, k);
    if (is_floating(dtype)) line("#pragma clang loop vectorize_width(16) interleave_count(1)");
    open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}.shape[0]; ++{0})", k, a.text));
    if (is_floating(dtype)) line("{0} = ks_sum({0}, {1});", sum, product(x, y));
    else line("{} = {};", sum, arithmetic(Operator::add, sum, product(x, y), dtype));
    close();
    return {sum, type};
  }
  // Rows of the result are sums of rows of b: the inner loop runs along memory.
  const std::string s = temp("shape");
  const std::string rows = na == 2 ? a.text + ".shape[0]" : "1", columns = nb == 2 ? b.text + ".shape[1]" : "1";
  line("const ks_shape<{}> {} = {{{{{}}}}};", type.ndim, s,
       type.ndim == 2 ? rows + ", " + columns : na == 2 ? rows : columns);
  const Val c = new_array(type, s, true, place);
  const std::string i = temp("i"), j = temp("j"), x = temp("x");
  const std::string a_at = fmt::format("{}.data[{}{} * {}.stride[{}]]", a.text,
                                       na == 2 ? fmt::format("{} * {}.stride[0] + ", i, a.text) : "", k, a.text, na - 1);
  const std::string b_at = fmt::format("{0}.data[{1} * {0}.stride[0]{2}]", b.text, k,
                                       nb == 2 ? fmt::format(" + {} * {}.stride[1]", j, b.text) : "");
  open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}; ++{0})", i, rows));
  open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}.shape[0]; ++{0})", k, b.text));
  line("const {} {} = {};", t, x, cast(a_at, a.type.dtype, dtype));
  open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}; ++{0})", j, columns));
  const std::string to = fmt::format("{}.data[{} * {} + {}]", c.text, i, columns, j);
  line("{} = {};", to, arithmetic(Operator::add, to, arithmetic(Operator::multiply, x, cast(b_at, b.type.dtype, dtype), dtype), dtype));
  close();
  close();
  close();
  return c;
}

Val FunctionLowering::creation(const Expr& e, Handler handler) {
  switch (handler) {
    case Handler::zeros: return new_array(e.type, shape_of(*e.items[1], e.type.ndim), true, e.place);
    case Handler::empty: return new_array(e.type, shape_of(*e.items[1], e.type.ndim), false, e.place);
    case Handler::empty_like:
    case Handler::zeros_like: {
      const Val like = expr(*e.items[1]);
      const std::string s = temp("shape");
      std::string text;
      for (int k = 0; k < e.type.ndim; ++k) text += fmt::format("{}{}.shape[{}]", k ? ", " : "", like.text, k);
      line("const ks_shape<{}> {} = {{{{{}}}}};", e.type.ndim, s, text);
      return new_array(e.type, s, handler == Handler::zeros_like, e.place);
    }
    case Handler::asarray: return expr(*e.items[1]);
    case Handler::transpose: {
      Expr attribute;
      attribute.kind = ExprKind::attribute;
      attribute.text = "T";
      attribute.place = e.place;
      attribute.type = e.type;
      attribute.items.push_back(e.items[1]->clone());
      return expr(attribute);
    }
    case Handler::make_array: {
      if (e.items[1]->type.is_array()) return materialise(fuse(*e.items[1]), e.place);
      const Val tuple = pin(expr(*e.items[1]));
      const auto rows = tuple.type.items.size();
      const std::string s = temp("shape");
      const size_t columns = e.type.ndim == 2 ? tuple.type.items[0].items.size() : 0;
      if (e.type.ndim == 2) line("const ks_shape<2> {} = {{{{{}, {}}}}};", s, rows, columns);
      else line("const ks_shape<1> {} = {{{{{}}}}};", s, rows);
      const Val result = new_array(e.type, s, false, e.place);
      for (size_t i = 0; i < rows; ++i) {
        if (e.type.ndim == 1)
          line("{}.data[{}] = {};", result.text, i, cast(fmt::format("{}._{}", tuple.text, i), tuple.type.items[i].dtype, e.type.dtype));
        for (size_t j = 0; j < columns; ++j)
          line("{}.data[{}] = {};", result.text, i * columns + j,
               cast(fmt::format("{}._{}._{}", tuple.text, i, j), tuple.type.items[i].items[j].dtype, e.type.dtype));
      }
      return result;
    }
    case Handler::fill: {
      const Val target = expr(*e.items[1]);
      effects_.writes = true;
      const Val value = pin({text_as(*e.items[2], target.type.dtype), Type::scalar(target.type.dtype)});
      Fused fused;
      fused.type = value.type;
      fused.element = [value](const Index&) { return value.text; };
      store_fused(target, fused, e.place);
      return {"", Type::none()};
    }
    case Handler::ravel:
    case Handler::ascontiguous:
    case Handler::reshape:
    case Handler::flatten: {
      Val array = expr(*e.items[1]);
      const bool copies = handler == Handler::flatten || !array.type.is_contiguous;
      if (copies) {
        Fused copy = leaf(*e.items[1]);
        copy.type = Type::array(array.type.dtype, array.type.ndim, true);
        array = materialise(copy, e.place);
      }
      if (handler == Handler::ascontiguous) return array;
      const std::string view = temp("view");
      line("{} {};", text_of(e.type), view);
      line("{0}.data = {1}.data; {0}.memory = {1}.memory;", view, array.text);
      if (handler != Handler::reshape) {
        line("{}.shape[0] = ks_size({});", view, array.text);
      } else {
        std::vector<std::string> lengths;
        if (e.items.size() == 3 && e.items[2]->type.is_tuple()) {
          const Val tuple = pin(expr(*e.items[2]));
          for (size_t k = 0; k < tuple.type.items.size(); ++k) lengths.push_back(fmt::format("{}._{}", tuple.text, k));
        } else {
          for (size_t k = 2; k < e.items.size(); ++k) lengths.push_back(text_as(*e.items[k], Dtype::int64));
        }
        const std::string known = temp("known"), open_axis = temp("axis");
        line("ks_i64 {} = 1; int {} = -1;", known, open_axis);
        for (size_t k = 0; k < lengths.size(); ++k) {
          line("{}.shape[{}] = {};", view, k, lengths[k]);
          line("if ({0}.shape[{1}] == -1) {2} = {1}; else {3} *= {0}.shape[{1}];", view, k, open_axis, known);
        }
        line("if ({0} >= 0) {1}.shape[{0}] = {2} ? ks_size({3}) / {2} : 0;", open_axis, view, known, array.text);
        fail_if(fmt::format("ks_size({}) != ks_size({})", view, array.text),
                fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"an array of {{}} elements cannot be reshaped into {{}}\", ks_size({}), ks_size({}), 0)",
                            e.place.line, array.text, view));
      }
      line("ks_set_strides({});", view);
      return {view, e.type};
    }
    default: return materialise(fuse(e), e.place);
  }
}

}  // namespace kasoku::jit
