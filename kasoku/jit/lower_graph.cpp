/// Array expressions of a host program whose arrays lie on a device: calls that make a graph of
/// kasoku/array and run it, so that the array planner fuses them and knows the device. The numbers
/// are those of the loops of lower_array.cpp: the same rows of ops.def, in the same order, the same
/// tree of reductions, the same draws.
#include "kasoku/jit/lowering.h"

#include "kasoku/codegen/group.h"

namespace kasoku::jit {

namespace {

int number(Dtype dtype) { return static_cast<int>(dtype); }
int number(Op op) { return static_cast<int>(op); }

}  // namespace

std::string FunctionLowering::node(const std::string& call) {
  const std::string name = temp("node");
  line("const int {} = {};", name, call);
  return name;
}

std::string FunctionLowering::cast_node(const std::string& x, Dtype from, Dtype to) {
  return from == to ? x : node(fmt::format("ks_jit_cast({}, {})", x, number(to)));
}

std::string FunctionLowering::apply_node(Op op, Dtype result, const std::vector<std::string>& x) {
  return node(fmt::format("ks_jit_apply({}, {}, {}, {}, {})  /* {} */", number(op), number(result), x[0],
                          x.size() > 1 ? x[1] : "-1", x.size() > 2 ? x[2] : "-1", info(op).name));
}

std::string FunctionLowering::number_node(const std::string& value, Dtype dtype) {
  return node(fmt::format("ks_number<{}>({}, {})", text_of(dtype), value, number(dtype)));
}

std::string FunctionLowering::leaf_node(const Val& array) {
  return node(fmt::format("ks_leaf({}, {})", array.text, number(array.type.dtype)));
}

/// An operand of an array expression, converted.
std::string FunctionLowering::graph_as(const Expr& e, Dtype to, bool is_stored) {
  if (e.type.is_array()) return cast_node(graph(e), e.type.dtype, to);
  const Val value = pin(expr(e));
  is_stored ? want_fit_stored(e, value.text, to) : want_fit(e, value.text, to);
  return number_node(cast(value.text, value.type.dtype, to), to);
}

std::string FunctionLowering::power_node(std::string base, int64_t exponent, Dtype dtype) {
  std::string result;  // the products of ks_power_of, in its order
  for (int64_t k = exponent; k > 0; k >>= 1) {
    if (k & 1) result = result.empty() ? base : apply_node(Op::multiply, dtype, {result, base});
    if (k > 1) base = apply_node(Op::multiply, dtype, {base, base});
  }
  return result;
}

std::string FunctionLowering::graph(const Expr& e) {
  if (!e.type.is_array()) return number_node(expr(e).text, e.type.dtype);
  if (!is_fusible(e)) return leaf_node(expr(e));
  const Dtype to = e.type.dtype;
  const auto binary_node = [&](Operator op, const Expr& a, const Expr& b) {
    const auto exponent = op == Operator::power ? constant_int(b) : std::nullopt;
    if (exponent && *exponent > 0 && *exponent <= 64 && !is_complex(to)) return power_node(graph_as(a, to), *exponent, to);
    const std::string x = graph_as(a, to), y = graph_as(b, to);
    if (op == Operator::power && (exponent || b.kind == ExprKind::name) && !b.type.is_array()) want_exponents(b, number_element(expr(b)), to);
    return apply_node(op_of(op), to, {x, y});
  };
  switch (e.kind) {
    case ExprKind::name: {
      const auto made = deferred_nodes_.find(e.variable);
      if (made != deferred_nodes_.end()) return made->second;
      const std::string x = graph(*deferred_.at(e.variable));
      return deferred_nodes_[e.variable] = x;
    }
    case ExprKind::unary: return apply_node(op_of(e.op), to, {graph_as(*e.items[0], to)});
    case ExprKind::binary: return binary_node(e.op, *e.items[0], *e.items[1]);
    case ExprKind::compare: {
      const Dtype both = common_dtype(e.items[0]->type, e.items[1]->type);
      std::string sides[2], number;
      for (size_t i : {0, 1}) {
        const Expr& side = *e.items[i];
        if (side.type.is_array()) {
          sides[i] = graph_as(side, both);
          continue;
        }
        number = pin(expr(side)).text;
        sides[i] = number_node(cast(number, side.type.dtype, both), both);
      }
      const std::string within = apply_node(op_of(e.ops[0]), Dtype::bool_, {sides[0], sides[1]});
      const auto outside = beyond(e, number, both);
      if (!outside) return within;
      return apply_node(Op::where, Dtype::bool_, {number_node(outside->is_outside, Dtype::bool_), number_node(outside->result, Dtype::bool_), within});
    }
    case ExprKind::subscript: {
      const std::string x = graph(*e.items[0]), index = graph(*e.items[1]);
      return node(fmt::format("ks_jit_select({}, {})", x, index));
    }
    default: break;
  }
  if (e.items[0]->binding.kind == Binding::Kind::dtype) return graph_as(*e.items[1], to);
  return graph_call(e, *find_intrinsic(e.items[0]->binding.name), binary_node);
}

std::string FunctionLowering::graph_call(const Expr& e, const Intrinsic& row,
                                         const std::function<std::string(Operator, const Expr&, const Expr&)>& binary_node) {
  const Dtype to = e.type.dtype;
  const Expr& first = *e.items[e.items.size() > 1 ? 1 : 0];
  switch (row.handler) {
    case Handler::elementwise: {
      if (!row.op) error(e.place, fmt::format("{} of an array has no form on a device", row.name), "loop over it with prange");
      const Dtype promoted = e.items.size() == 3 ? common_dtype(first.type, e.items[2]->type) : first.type.dtype;
      const Dtype compute = element_types(*row.op, promoted, row.in_floats).compute;
      std::vector<std::string> operands;
      for (size_t i = 1; i < e.items.size(); ++i) operands.push_back(graph_as(*e.items[i], compute));
      return apply_node(*row.op, to, operands);
    }
    case Handler::abs: return apply_node(Op::absolute, to, {graph_as(first, first.type.dtype)});
    case Handler::round: {
      const std::string x = graph_as(first, to);
      if (!is_floating(to)) return x;
      if (!has(e, 1)) return apply_node(Op::rint, to, {x});
      const std::string scale = number_node(fmt::format("pow(10.0, (double){})", text_as(*e.items[2], Dtype::int64)), to);
      return apply_node(Op::divide, to, {apply_node(Op::rint, to, {apply_node(Op::multiply, to, {x, scale})}), scale});
    }
    case Handler::pow: return binary_node(Operator::power, first, *e.items[2]);
    case Handler::add: return binary_node(Operator::add, first, *e.items[2]);
    case Handler::subtract: return binary_node(Operator::subtract, first, *e.items[2]);
    case Handler::multiply:
    case Handler::dot: return binary_node(Operator::multiply, first, *e.items[2]);
    case Handler::divide: return binary_node(Operator::divide, first, *e.items[2]);
    case Handler::floor_divide: return binary_node(Operator::floor_divide, first, *e.items[2]);
    case Handler::modulo: return binary_node(Operator::modulo, first, *e.items[2]);
    case Handler::where: {
      const std::string c = graph_as(first, Dtype::bool_), a = graph_as(*e.items[2], to), b = graph_as(*e.items[3], to);
      return apply_node(Op::where, to, {c, a, b});
    }
    case Handler::clip: {
      std::string x = graph_as(first, to);
      const auto bound = [&](const Expr& given, bool is_low) {
        return given.type.is_array() ? graph_as(given, to) : number_node(bound_text(given, pin(expr(given)).text, to, is_low), to);
      };
      if (has(e, 1) && has(e, 2)) return apply_node(Op::clip, to, {x, bound(*e.items[2], true), bound(*e.items[3], false)});
      if (has(e, 1)) x = apply_node(Op::maximum, to, {x, bound(*e.items[2], true)});
      if (has(e, 2)) x = apply_node(Op::minimum, to, {x, bound(*e.items[3], false)});
      return x;
    }
    case Handler::astype:
    case Handler::copy: return graph_as(first, to);
    case Handler::zeros: case Handler::ones: case Handler::full: {
      const std::string value = row.handler == Handler::zeros ? "0" : row.handler == Handler::ones ? "1" : text_as(*e.items[2], to);
      const std::string s = shape_of(first, e.type.ndim);
      return full_node(value, to, e.type.ndim, s, e.place);
    }
    case Handler::zeros_like: case Handler::ones_like: case Handler::full_like: {
      const std::string value = row.handler == Handler::zeros_like ? "0" : row.handler == Handler::ones_like ? "1" : text_as(*e.items[2], to);
      return node(fmt::format("ks_jit_full({}, {}, {}, {}.shape)", number_node(value, to), number(to), e.type.ndim, pin(expr(first)).text));
    }
    case Handler::arange: {
      const Range range = arange_bounds(e);
      const std::string count = node(fmt::format("ks_jit_counted({}, {})", number(range.dtype), range.length));
      const std::string scaled = apply_node(Op::multiply, range.dtype, {count, number_node(range.step, range.dtype)});
      return cast_node(apply_node(Op::add, range.dtype, {number_node(range.start, range.dtype), scaled}), range.dtype, to);
    }
    case Handler::linspace: {
      const Spread spread = linspace_bounds(e);
      const std::string count = node(fmt::format("ks_jit_counted({}, {})", number(Dtype::int64), spread.length));
      const std::string stepped = apply_node(Op::add, to, {number_node(spread.first, to),
                                                           apply_node(Op::multiply, to, {cast_node(count, Dtype::int64, to), number_node(spread.step, to)})});
      const std::string is_last = apply_node(Op::equal, Dtype::bool_, {count, number_node(fmt::format("({0} > 1 ? {0} - 1 : -1)", spread.length), Dtype::int64)});
      return apply_node(Op::where, to, {is_last, number_node(spread.last, to), stepped});
    }
    default: break;
  }
  return random_node(e, row.handler);
}

std::string FunctionLowering::full_node(const std::string& value, Dtype dtype, int ndim, const std::string& shape, Place place) {
  for (int k = 0; k < ndim; ++k)
    fail_if(fmt::format("{}.n[{}] < 0", shape, k),
            fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"negative dimensions are not allowed\", 0, 0, 0)", place.line));
  return node(fmt::format("ks_jit_full({}, {}, {}, {}.n)", number_node(value, dtype), number(dtype), ndim, shape));
}

std::string FunctionLowering::random_node(const Expr& e, Handler handler) {
  const Draws draws = array_draws(e, handler);
  const auto leaf = [&](Distribution distribution) {
    for (int k = 0; k < e.type.ndim; ++k)
      fail_if(fmt::format("{}.n[{}] < 0", draws.shape, k),
              fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"negative dimensions are not allowed\", 0, 0, 0)", e.place.line));
    const bool is_integers = distribution == Distribution::integers;
    return node(fmt::format("ks_jit_random({0}, {1}.key0, {1}.key1, {1}.draw, {2}, {3}, {4}, {5}.n)", static_cast<int>(distribution),
                            draws.stream, is_integers ? draws.a : "0", is_integers ? fmt::format("(ks_u64){} - (ks_u64){}", draws.b, draws.a) : "0",
                            e.type.ndim, draws.shape));
  };
  const Dtype t = Dtype::float64;
  const auto value = [&](const std::string& text) { return number_node(text, t); };
  switch (handler) {
    case Handler::random:
    case Handler::rand: return leaf(Distribution::uniform);
    case Handler::randn:
    case Handler::standard_normal: return leaf(Distribution::normal);
    case Handler::uniform:
      return apply_node(Op::add, t, {value(draws.a), apply_node(Op::multiply, t, {value(fmt::format("{} - {}", draws.b, draws.a)), leaf(Distribution::uniform)})});
    case Handler::normal:
      return apply_node(Op::add, t, {value(draws.a), apply_node(Op::multiply, t, {value(draws.b), leaf(Distribution::normal)})});
    case Handler::exponential: {
      const std::string log = apply_node(Op::log, t, {apply_node(Op::subtract, t, {value("1.0"), leaf(Distribution::uniform)})});
      return apply_node(Op::multiply, t, {apply_node(Op::negative, t, {log}), value(draws.a)});
    }
    default: return leaf(Distribution::integers);
  }
}

// --- what is done with a graph ----------------------------------------------------------------------

void FunctionLowering::with_graph(Place place, const std::function<void()>& make) {
  const std::string mark = temp("mark");
  const auto made = deferred_nodes_;
  line("const int {} = ks_jit_graph_at(ks_function, {});", mark, place.line);
  make();
  line("ks_jit_graph_end({});", mark);
  deferred_nodes_ = made;
  leave_if_failed();
}

Val FunctionLowering::graph_array(const Expr& e) {
  const std::string name = temp("array");
  with_graph(e.place, [&] {
    const std::string x = graph(e);
    line("{0} {1} = ks_graph_run<{2}, {3}>({4}, {5});", text_of(e.type), name, element_text(e.type), e.type.ndim, x, number(e.type.dtype));
    keep(name, e.type);
  });
  remark(e.place, "array expression: a kernel of its own, by the array planner");
  return {name, e.type};
}

std::string FunctionLowering::graph_value(const std::string& x, Dtype dtype) {
  const std::string name = temp("value");
  line("const {0} {1} = ks_graph_value<{0}>({2}, {3});", text_of(dtype), name, x, number(dtype));
  return name;
}

void FunctionLowering::graph_store(const Val& target, const Expr& value, Place place) {
  effects_.writes = true;
  with_graph(place, [&] {
    const std::string x = graph_as(value, target.type.dtype, true);
    line("ks_jit_assign({}, {});", leaf_node(target), x);
  });
}

/// target op= value, where the mask holds if there is one.
void FunctionLowering::graph_update(Operator op, const Val& target, const Expr* mask, const Expr& value, Place place) {
  effects_.writes = true;
  const auto type = binary_type(op, target.type, value.type, &value);
  const Dtype dtype = op == Operator::divide ? floating_dtype(type->dtype) : type->dtype, own = target.type.dtype;
  with_graph(place, [&] {
    const std::string to = leaf_node(target), where = mask ? graph(*mask) : "", y = graph_as(value, dtype);
    const std::string result = cast_node(apply_node(op_of(op), dtype, {cast_node(to, own, dtype), y}), dtype, own);
    line("ks_jit_assign({}, {});", to, mask ? apply_node(Op::where, own, {where, result, to}) : result);
  });
}

void FunctionLowering::graph_masked_store(const Val& target, const Expr& mask, const Expr& value, Place place) {
  effects_.writes = true;
  with_graph(place, [&] {
    const std::string to = leaf_node(target), where = graph(mask), y = graph_as(value, target.type.dtype, true);
    line("ks_jit_assign({}, {});", to, apply_node(Op::where, target.type.dtype, {where, y, to}));
  });
}

Val FunctionLowering::graph_matmul(const Expr& a, const Expr& b, const Type& type, Place place) {
  Val result{temp("product"), type};
  with_graph(place, [&] {
    const std::string x = graph_as(a, type.dtype), y = graph_as(b, type.dtype);
    const std::string product = node(fmt::format("ks_jit_matmul({}, {})", x, y));
    if (type.is_scalar()) {
      result.text = graph_value(product, type.dtype);
    } else {
      line("{0} {1} = ks_graph_run<{2}, {3}>({4}, {5});", text_of(type), result.text, element_text(type), type.ndim, product, number(type.dtype));
      keep(result.text, type);
    }
  });
  return result;
}

Val FunctionLowering::graph_reduction(const Expr& e, const Intrinsic& row) {
  const Expr& operand = *e.items[1];
  const ReductionInfo& rule = info(row.reduction);
  const bool is_masked = operand.kind == ExprKind::subscript && operand.items[1]->type.is_array() && operand.items[1]->type.dtype == Dtype::bool_ &&
                         !rule.keeps_position();
  const bool has_axis = has(e, 1) && e.type.is_array();
  const int axis = has_axis ? static_cast<int>(*constant_int(*e.items[2])) : 0, ndim = operand.type.ndim;
  const std::string along = has_axis ? std::to_string(axis < 0 ? axis + ndim : axis) : "-1";
  const bool is_spread = row.reduction == ReduceOp::var, divides = row.handler == Handler::mean || is_spread;
  const Dtype from = operand.type.dtype, dtype = divides ? floating_dtype(from) : e.type.dtype, real = real_dtype(dtype);
  Val result{temp("result"), e.type};
  with_graph(e.place, [&] {
    const std::string mask = is_masked ? graph(*operand.items[1]) : "-1";
    std::string x = graph(is_masked ? *operand.items[0] : operand);
    if (divides) x = cast_node(x, from, dtype);
    const auto reduced = [&](ReduceOp op, const std::string& values, const std::string& where, Dtype in) {
      return node(fmt::format("ks_jit_reduce({}, {}, {}, {}, {})", static_cast<int>(op), values, along, number(in), where));
    };
    const std::string n = temp("n");
    if (is_masked)
      line("const ks_i64 {} = ks_graph_value<ks_i64>({}, {});", n, reduced(ReduceOp::count_nonzero, mask, "-1", Dtype::int64), number(Dtype::int64));
    else
      line("const ks_i64 {} = ks_jit_length({}, {});", n, x, along);
    want_elements(row.reduction, n, e.place);
    if (is_spread) {
      const std::string variance = fmt::format("({} / {})", graph_value(reduced(row.reduction, x, mask, real), real), cast(n, Dtype::int64, real));
      result.text = row.handler == Handler::std ? op_text(Op::sqrt, real, {variance}) : variance;
      return;
    }
    const std::string total = reduced(row.reduction, x, mask, dtype);
    if (has_axis) {
      const std::string given = divides ? apply_node(Op::divide, dtype, {total, number_node(n, dtype)}) : total;
      line("{0} {1} = ks_graph_run<{2}, {3}>({4}, {5});", text_of(e.type), result.text, element_text(e.type), e.type.ndim, given, number(dtype));
      keep(result.text, e.type);
      return;
    }
    result.text = graph_value(total, dtype);
    if (!divides) return;
    const std::string mean = temp("mean");
    line("const {} {} = {};", text_of(dtype), mean, op_text(Op::divide, dtype, {result.text, cast(n, Dtype::int64, dtype)}));
    result.text = mean;
  });
  remark(e.place, "reduction: a kernel of its own, by the array planner");
  return result;
}

}  // namespace kasoku::jit
