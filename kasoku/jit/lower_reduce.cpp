/// Reductions of array expressions, and products of matrices.
#include "kasoku/codegen/group.h"
#include "kasoku/jit/lowering.h"
#include "kasoku/linalg/lapack.h"

#include <algorithm>

namespace kasoku::jit {

/// What the fixed tree starts from and how it joins, as codegen/reduce_tree.cpp has it.
Fold fold_of(ReduceOp op, Dtype dtype) {
  const Dtype held = register_dtype(dtype);
  const std::string type = lane_text(op, text_of(dtype)), identity = identity_text(op, held, text_of(held));
  Fold fold{op, dtype, type, type == text_of(dtype) ? cast(identity, held, dtype) : identity, "", {}};
  if (!info(op).keeps_position()) fold.joined = op_text(info(op).join, element_types(info(op).join, dtype).compute, {"a", "b"});
  return fold;
}

/// An element in place of what a mask leaves out: of a sum 0 and not -0, so that nothing sums up to 0.
static std::string left_out(const Fold& fold) {
  if (fold.type != text_of(fold.dtype)) return fold.identity;
  return fmt::format("({0})({1} + ({0})0)", fold.type, fold.identity);
}

/// An element as the reduction takes it in.
static std::string taken(const Fold& fold, const std::string& element, Dtype from) {
  const auto takes = info(fold.op).takes;
  if (takes == ReductionInfo::truth) return cast(cast(element, from, Dtype::bool_), Dtype::bool_, fold.dtype);
  const std::string value = cast(element, from, fold.dtype);
  if (takes != ReductionInfo::numbers || !(is_floating(from) || is_complex(from))) return value;
  return fmt::format("ks_number_or({}, {})", value, left_out(fold));
}

std::string FunctionLowering::fold(const Fused& fused, const std::string& shape, const Fold& how) {
  const std::string& t = how.type;
  const std::string name = temp("folded");
  line("{} {} = {};", t, name, how.identity);
  apart(name, [&] { by_layout(distinct(fused.leaves), shape, [&](const Loop& loop) {
    const bool has_moments = info(how.op).result == ReductionInfo::moments;
    const std::string numbers = temp("values"), values = has_moments ? temp("values") : numbers, join = temp("join");
    const std::string n = loop.rank == 1 ? "1" : fmt::format("ks_rows({})", shape);
    line("const auto {} = [=](ks_i64 _row) {{", numbers);
    lines(row_positions(loop, "    "));
    line("  return [=](ks_i64 _j) -> {} {{ {} }};", text_of(how.dtype), returned([&] { return how.value({&loop, "_j"}); }));
    line("}};");
    if (has_moments) {  // of distances from the first one
      const std::string first = temp("first");
      line("const {} {} = {} * {} > 0 ? {}(0)(0) : 0;", text_of(how.dtype), first, n, row_length(loop), numbers);
      line("const auto {} = [=](ks_i64 _row) {{ return [=, _of_row = {}(_row)](ks_i64 _j) -> {} {{ return {{1, _of_row(_j) - {}, 0}}; }}; }};", values, numbers, t, first);
    }
    line("const auto {} = []({} a, {} b) -> {} {{ return {}; }};", join, t, t, t, how.joined);
    line("{} = ks_fold<{}>(ks, {}, {}, {}, {}, {}, {});", name, t, n, row_length(loop),
         how.identity, values, join, options_.parallel && !is_parallel_);
  }); });
  if (!on_device_) leave_if_failed();
  return name;
}

void FunctionLowering::want_elements(ReduceOp op, const std::string& n, Place place) {
  if (info(op).has_identity()) return;
  fail_if(n + " == 0", fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"{}\", 0, 0, 0)", place.line, said_of_nothing(op)));
}

Val FunctionLowering::reduction(const Expr& e, const Intrinsic& row) {
  const Expr& operand = *e.items[1];
  const ReduceOp op = row.reduction;
  const bool is_spread = op == ReduceOp::var, divides = row.handler == Handler::mean || is_spread;
  if (uses_graph() && operand.type.is_array()) return graph_reduction(e, row);
  if (has(e, 1) && e.type.is_array()) {
    int64_t axis = *constant_int(*e.items[2]);
    if (axis < 0) axis += operand.type.ndim;
    return reduction_along(e, row, static_cast<int>(axis));
  }
  if (operand.type.is_scalar()) {
    const Val value = pin(expr(operand));
    if (is_spread) return {"0.0", e.type};
    if (info(op).keeps_position()) return {"0LL", e.type};
    return {taken(fold_of(op, e.type.dtype), value.text, value.type.dtype), e.type};
  }
  const Fused fused = fuse(operand);
  if (info(op).keeps_position()) return position(fused, op, e.place);

  const Dtype from = fused.type.dtype;
  const std::string s = shape(fused, e.place);
  Fold how = fold_of(op, is_spread ? e.type.dtype : divides ? floating_dtype(from) : e.type.dtype);
  // What a mask leaves out is the identity.
  const auto of = [&](const std::function<std::string(const Index&)>& value) {
    how.value = [&, value](const Index& at) {
      return fused.where ? fmt::format("({} ? {} : {})", fused.where(at), value(at), left_out(how)) : value(at);
    };
  };
  const auto size = [&]() -> std::string {
    if (!fused.where) return fmt::format("ks_size({})", s);
    Fused mask = fused;
    mask.element = fused.where;
    mask.where = {};
    mask.type = Type::array(Dtype::bool_, fused.type.ndim, true);
    return count(mask, e.place).text;
  };
  if (is_spread) {
    const bool has_parts = is_complex(from);
    std::string squares;
    for (const char* part : {".re", ".im"}) {
      if (!squares.empty() && !has_parts) break;
      of([&](const Index& at) { return has_parts ? taken(how, fused.element(at) + part, how.dtype) : taken(how, fused.element(at), from); });
      squares += fmt::format("{}{}.squares", squares.empty() ? "" : " + ", fold(fused, s, how));
    }
    const std::string variance = fmt::format("(({}) / {})", squares, cast(size(), Dtype::int64, how.dtype));
    return {row.handler == Handler::std ? op_text(Op::sqrt, how.dtype, {variance}) : variance, e.type};
  }
  of([&](const Index& at) { return taken(how, fused.element(at), from); });
  if (!info(op).has_identity()) want_elements(op, size(), e.place);
  const std::string total = fold(fused, s, how);
  if (!divides) return {total, e.type};
  const Dtype own = how.dtype, real = real_dtype(own);
  const std::string n = temp("n"), mean = temp("mean");
  line("const {} {} = {};", text_of(real), n, cast(size(), Dtype::int64, real));
  line("const {} {} = {};", text_of(own), mean, op_text(Op::divide, own, {total, cast(n, real, own)}));
  return {mean, e.type};
}

/// How many elements of a mask are true.
Val FunctionLowering::counted(const Expr& mask, Place place) {
  if (!uses_graph()) return count(fuse(mask), place);
  Val result{"", int64_type};
  with_graph(place, [&] {
    result.text = graph_value(node(fmt::format("ks_jit_reduce({}, {}, -1, {}, -1)", static_cast<int>(ReduceOp::count_nonzero), graph(mask),
                                               static_cast<int>(Dtype::int64))), Dtype::int64);
  });
  return result;
}

Val FunctionLowering::count(const Fused& fused, Place place) {
  Fold how = fold_of(ReduceOp::count_nonzero, Dtype::int64);
  how.value = [&](const Index& at) {
    const std::string test = cast(fused.element(at), fused.type.dtype, Dtype::bool_);
    return fused.where ? fmt::format("(ks_i64)({} && {})", fused.where(at), test) : fmt::format("(ks_i64)({})", test);
  };
  return {fold(fused, shape(fused, place), how), int64_type};
}

/// Where the first element is that comes before all others.
Val FunctionLowering::position(const Fused& fused, ReduceOp op, Place place) {
  if (fused.where) return position(array_element(masked(fused, place)), op, place);
  const Dtype dtype = fused.type.dtype;
  const std::string s = shape(fused, place), best = temp("best"), at_best = temp("at"), is_found = temp("found"), t = text_of(dtype);
  want_elements(op, fmt::format("ks_size({})", s), place);
  line("{} {}{{}};", t, best);
  line("ks_i64 {} = -1;", at_best);
  const bool of_numbers = info(op).takes == ReductionInfo::numbers;
  if (of_numbers) line("bool {} = false;", is_found);
  Fused::Leaf number = numbers(Type::array(Dtype::bool_, fused.type.ndim, true), s);
  number.use = Fused::Use::fresh;
  elements(fused, s, {number}, [&](const Index& at) {
    const std::string value = temp("v"), element = of_numbers ? temp("v") : value;
    line("const {} {} = {};", t, element, fused.element(at));
    if (of_numbers) line("{0} |= {1} == {1};\n  const {2} {3} = {4};", is_found, element, t, value, taken(fold_of(op, dtype), element, dtype));
    line("if ({0} < 0 || {1} || ({2} != {2} && {3} == {3})) {0} = {4}, {3} = {2};", at_best, op_text(info(op).join, dtype, {value, best}),
         value, best, at[number.name]);
  }, false);
  if (of_numbers) fail_if("!" + is_found, fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"All-NaN slice encountered\", 0, 0, 0)", place.line));
  return {at_best, int64_type};
}

Val FunctionLowering::reduction_along(const Expr& e, const Intrinsic& row, int axis) {
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
  want_elements(row.reduction, fmt::format("{}.n[{}]", s, axis), e.place);
  const Val result = new_array(e.type, out, false, e.place);
  const Fold how = fold_of(row.reduction, to);
  open("");
  const Loop loop = loop_over(distinct(fused.leaves), s, false, axis);
  const std::string n = temp("n"), width = row_length(loop);
  line("const ks_i64 {} = ks_size({});", n, out);
  const bool pool = options_.parallel && !is_parallel_;
  if (pool) line("ks_parallel(ks, {0}, ks_row_chunk({0}, {1}), 2 * {1}, [=](ks_i64, ks_i64 ks_first, ks_i64 ks_end) {{", n, width), ++indent_;
  open(fmt::format("for (ks_i64 _row = {}; _row < {}; ++_row)", pool ? "ks_first" : "0", pool ? "ks_end" : n));
  lines(row_positions(loop, "  "));
  const std::string t = text_of(to), values = temp("values"), join = temp("join");
  const std::string value = returned([&] { return taken(how, fused.element({&loop, "_j"}), from); });
  line("const auto {} = [=](ks_i64) {{ return [=](ks_i64 _j) -> {} {{ {} }}; }};", values, t, value);
  line("const auto {} = []({} a, {} b) -> {} {{ return {}; }};", join, t, t, t, how.joined);
  const std::string total = fmt::format("ks_fold<{}>(ks, 1, {}, {}, {}, {}, false)", t, width, how.identity, values, join);
  line("{}.data[_row] = {};", result.text, row.handler == Handler::mean ? op_text(Op::divide, to, {total, cast(width, Dtype::int64, to)}) : total);
  close();
  if (pool) --indent_, line("}});");
  close();
  if (!on_device_) leave_if_failed();
  return result;
}

/// A product of matrices of fewer multiplications is over before a library has begun.
constexpr int64_t worth_a_library = 1000;

Val FunctionLowering::matmul(const Expr& a_expr, const Expr& b_expr, const Type& type, Place place) {
  if (uses_graph()) return graph_matmul(a_expr, b_expr, type, place);
  const Val a = expr(a_expr), b = expr(b_expr);
  const int na = a.type.ndim, nb = b.type.ndim;
  const Dtype dtype = type.dtype;
  const std::string t = text_of(dtype), k = temp("k");
  fail_if(fmt::format("{}.shape[{}] != {}.shape[0]", a.text, na - 1, b.text),
          fmt::format("ks_jit_fail(ks, ks_shape_error, {}, \"\", {}.shape[{}], {}.shape[0], 0)", place.line, a.text, na - 1, b.text));
  const std::string length = fmt::format("{}.shape[0]", b.text);
  const auto at = [](const Val& x, const std::string& i, const std::string& j) {
    return fmt::format("{0}.data[{1}{2} * {0}.stride[{3}]]", x.text, i, j, x.type.ndim - 1);
  };
  const auto row = [&](const std::string& i) { return na == 2 ? fmt::format("{} * {}.stride[0] + ", i, a.text) : std::string(); };
  // The sum of what stands at x and y for each k.
  const auto sum_of = [&](const std::string& x, const std::string& y) {
    const std::string sum = temp("sum"), product = arithmetic(Operator::multiply, cast(x, a.type.dtype, dtype), cast(y, b.type.dtype, dtype), dtype);
    line("{} {}{{}};", t, sum);
    if (is_floating(dtype)) line("KS_SIXTEEN_LANES");
    open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}; ++{0})", k, length));
    if (is_floating(dtype)) line("{0} = ks_sum({0}, {1});", sum, product);
    else line("{} = {};", sum, arithmetic(Operator::add, sum, product, dtype));
    close();
    return sum;
  };
  if (na == 1 && nb == 1) {
    const bool flat = a.type.is_contiguous && b.type.is_contiguous;
    return {flat ? sum_of(fmt::format("{}.data[{}]", a.text, k), fmt::format("{}.data[{}]", b.text, k)) : sum_of(at(a, "", k), at(b, "", k)), type};
  }
  const std::string rows = na == 2 ? a.text + ".shape[0]" : "1", columns = nb == 2 ? b.text + ".shape[1]" : "1", s = temp("shape");
  line("const ks_shape<{}> {} = {{{{{}}}}};", type.ndim, s, type.ndim == 2 ? rows + ", " + columns : na == 2 ? rows : columns);
  const Val c = new_array(type, s, false, place);
  const bool asks_library = !options_.is_cuda && !on_device_ && !options_.is_checked;
  if (asks_library) {
    open(fmt::format("if ({} * {} * {} > {})", rows, columns, length, worth_a_library));
    const Val x = in_dtype(a, dtype, place), y = in_dtype(b, dtype, place);
    const std::string n = temp("n");
    line("const ks_i64 {}[] = {{{}, {}, {}, {}, {}, {}, {}}};", n, rows, columns, length, na == 2 ? x.text + ".stride[0]" : "0",
         fmt::format("{}.stride[{}]", x.text, na - 1), y.text + ".stride[0]", nb == 2 ? y.text + ".stride[1]" : "1");
    line("ks_jit_product(ks, {}, {}, {}.data, {}.data, {}.data);", static_cast<int>(dtype), n, x.text, y.text, c.text);
    leave_if_failed();
    close();
    open("else");
  }
  const std::string i = temp("i"), j = temp("j"), x = temp("x");
  if (nb == 1) {
    open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}; ++{0})", i, rows));
    if (!asks_library) leave_if_asked();
    line("{}.data[{}] = {};", c.text, i, sum_of(at(a, row(i), k), at(b, "", k)));
    close();
  } else {
    // Rows of the result are sums of rows of b: the inner loop runs along memory.
    const std::string to = fmt::format("{}.data[{} * {} + {}]", c.text, i, columns, j), b_at = at(b, fmt::format("{} * {}.stride[0] + ", k, b.text), j);
    open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}; ++{0})", i, rows));
    if (!asks_library) leave_if_asked();
    line("for (ks_i64 {0} = 0; {0} < {1}; ++{0}) {2} = {3};", j, columns, to, cast("0", Dtype::int64, dtype));
    open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}; ++{0})", k, length));
    line("const {} {} = {};", t, x, cast(at(a, row(i), k), a.type.dtype, dtype));
    open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}; ++{0})", j, columns));
    line("{} = {};", to, arithmetic(Operator::add, to, arithmetic(Operator::multiply, x, cast(b_at, b.type.dtype, dtype), dtype), dtype));
    close();
    close();
    close();
  }
  if (asks_library) close();
  return c;
}

/// A routine of kasoku/linalg/lapack.h, by its name, on arrays of our own library: what it says. Where it could not
/// reach them, or the checker could not see what it does, there is none.
Val FunctionLowering::lapack(const Expr& e) {
  if (uses_graph() || on_device_ || options_.is_checked) return {fmt::format("({}LL)", linalg::absent), int64_type};
  std::string rows;
  for (size_t i = 2; i < e.items.size(); ++i) {
    const Val x = expr(*e.items[i]);
    rows += fmt::format("{}{{(void*){}.data, {}, {}.shape[{}]}}", i > 2 ? ", " : "", x.text, x.type.ndim == 2 ? x.text + ".shape[0]" : "1", x.text, x.type.ndim - 1);
  }
  const std::string operands = temp("rows"), said = temp("said");
  line("const ks_rows_of {}[] = {{{}}};", operands, rows);
  line("const ks_i64 {} = ks_jit_lapack(ks, {}, {}, {}, {});", said, static_cast<int>(*linalg::routine(e.items[1]->type.text)),
       static_cast<int>(e.items[2]->type.dtype), operands, e.items.size() - 2);
  effects_.writes = true;
  leave_if_failed();
  return {said, int64_type};
}

}  // namespace kasoku::jit
