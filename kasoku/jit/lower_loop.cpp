/// Loops. A range loop whose subscripts can be proved inside their arrays is written twice: once
/// without tests, once with (lower_bounds.cpp). A parallel loop is a lambda over a chunk.
#include "kasoku/jit/lowering.h"
#include "kasoku/jit/walk.h"

#include <algorithm>
#include <cstdlib>

namespace kasoku::jit {

namespace {

/// Nothing leaves the loop early and nothing loops in it: LLVM may vectorise it.
bool is_innermost(const Block& body) {
  bool plain = true;
  each_stmt(body, [&](const Stmt& stmt) {
    plain &= stmt.kind != StmtKind::for_ && stmt.kind != StmtKind::while_ && stmt.kind != StmtKind::break_ &&
             stmt.kind != StmtKind::return_ && stmt.kind != StmtKind::raise && stmt.kind != StmtKind::assert_ &&
             stmt.kind != StmtKind::try_ && stmt.kind != StmtKind::finally_ && stmt.kind != StmtKind::leave;
  });
  return plain;
}

/// LLVM unrolls it, and may then vectorise what is around.
bool is_short(const Stmt& stmt) {
  constexpr int64_t most_unrolled = 32;
  const Intrinsic* row = stmt.kind == StmtKind::for_ ? intrinsic_of(*stmt.expr) : nullptr;
  if (!row || row->handler != Handler::range) return false;
  for (size_t i = 1; i < stmt.expr->items.size(); ++i)
    if (stmt.expr->items[i] && std::abs(constant_int(*stmt.expr->items[i]).value_or(most_unrolled + 1)) > most_unrolled)
      return false;
  return true;
}

bool has_break(const Block& body) {
  return std::ranges::any_of(body, [](const StmtPtr& stmt) {
    if (stmt->kind == StmtKind::break_) return true;
    if (stmt->kind == StmtKind::for_ || stmt->kind == StmtKind::while_) return has_break(stmt->orelse);
    return has_break(stmt->body) || has_break(stmt->orelse);
  });
}

}  // namespace

std::string FunctionLowering::whole_number(const std::string& counter) { return "(ks_u64)" + counter; }

void FunctionLowering::share_upper_half(const std::string& first, const std::string& counter) {
  const std::string upper = temp("upper");
  line("const ks_u64 {} = (ks_u64){} >> 32 << 32;", upper, first);
  random_.element = fmt::format("({} | (unsigned){})", upper, counter);
}

bool FunctionLowering::draws_here(const Expr& e) const { return draws(e) || (e.callee >= 0 && uses_random(unit_.unit, e.callee)); }

FunctionLowering::Random FunctionLowering::enter_random(const Block& body, const std::string& counter, const Expr* condition) {
  bool used = false;
  const auto look = [&](const Expr& e) { used = used || draws_here(e); };
  each_expr(body, look);
  if (condition) each_expr(*condition, look);
  if (!used) return {};
  const std::string stream = temp("random");
  line("const ks_stream {} = ks_split({}, {}, {} + {});", stream, random_.stream, random_.element, random_.site,
       random_.n_sites++);
  return {.stream = stream, .element = whole_number(counter), .site = "0", .shares_calls = !condition && shares_calls(body)};
}

void FunctionLowering::draw_from(const Random& inner) {
  if (!inner.stream.empty()) random_ = inner;
  else random_.shares_calls = false;
}

void FunctionLowering::begin_draws() {
  if (!random_.shares_calls || !random_.shared.empty()) return;
  const std::string words = temp("w");
  line("const ks_words {} = ks_words_of({}, ks_shared_call({}), 0);", words, random_.stream, random_.element);
  share_call(words, fmt::format("ks_is_second({})", random_.element));
}

void FunctionLowering::loop_body(const Stmt& stmt, const std::function<void()>& head) {
  ++indent_, ++loop_depth_;
  ++epoch_;
  head();
  block(stmt.body);
  ++epoch_;
  --indent_, --loop_depth_;
}

/// LLVM turns `(i + 1) % n` into a comparison where it knows that i runs from 0 to n, which strips hide.
static bool divides_by_number_of_run_time(const Expr& e) {
  return e.kind == ExprKind::binary && e.op == Operator::modulo && e.items[1]->kind != ExprKind::constant;
}

bool FunctionLowering::is_quick(const Block& body, std::set<int>& seen) const {
  bool quick = true;
  each_stmt(body, [&](const Stmt& stmt) {
    quick &= stmt.kind != StmtKind::while_ && stmt.kind != StmtKind::try_ && stmt.kind != StmtKind::finally_ &&
             (stmt.kind != StmtKind::for_ || is_short(stmt));
  });
  each_expr(body, [&](const Expr& e) {
    quick &= !prints_or_computes_arrays(e) && !divides_by_number_of_run_time(e);
    if (quick && e.callee >= 0 && seen.insert(e.callee).second)
      quick = is_quick(unit_.unit.functions[e.callee]->body, seen);
  });
  return quick;
}

bool FunctionLowering::is_quick(const Block& body) const {
  std::set<int> seen;
  return is_quick(body, seen);
}

FunctionLowering::Leaves FunctionLowering::leaves(const Stmt& loop) const {
  if (options_.is_cuda || on_device_ || is_short(loop)) return Leaves::never;
  return loop.kind == StmtKind::for_ && is_quick(loop.body) && !options_.is_checked ? Leaves::between_strips
                                                                                    : Leaves::at_each_turn;
}

void FunctionLowering::leave_if_asked() {
  if (options_.is_cuda || on_device_) return;
  effects_.may_fail = true;
  line("if (KS_LEAVES) {}", fail_return());
}

void FunctionLowering::leave_if_failed() {
  if (!raises_) return;
  effects_.may_fail = true;
  line("if (KS_RARELY(ks->status)) {}", fail_return());
}

void FunctionLowering::for_loop(const Stmt& stmt) {
  if (suits_one_thread(stmt)) return one_thread(stmt);
  const Expr& iterable = *stmt.expr;
  const Intrinsic* row = intrinsic_of(iterable);
  if (row && (row->handler == Handler::range || row->handler == Handler::prange)) {
    range_loop(stmt, iterable);
    return;
  }
  array_loop(stmt);
}

void FunctionLowering::range_loop(const Stmt& stmt, const Expr& range) {
  const bool only_stop = !has(range, 1);
  const auto bound = [&](const Expr& e) -> Val {
    const std::string text = text_as(e, Dtype::int64);
    if (constant_int(e)) return {text, int64_type};
    const std::string name = temp("n");
    line("const ks_i64 {} = {};", name, text);
    return {name, int64_type};
  };
  Val bounds[3] = {{"0LL", int64_type}, {"", int64_type}, {"1LL", int64_type}};
  if (only_stop) {
    bounds[1] = bound(*range.items[1]);
  } else {
    bounds[0] = bound(*range.items[1]);
    bounds[1] = bound(*range.items[2]);
  }
  std::optional<int64_t> step = 1;
  if (has(range, 2)) {
    step = constant_int(*range.items[3]);
    bounds[2] = bound(*range.items[3]);
    if (step == 0) error(range.place, "range() step must not be zero");
    if (!step && raises_)
      fail_if(bounds[2].text + " == 0",
              fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"range() step must not be zero\", 0, 0, 0)",
                          range.place.line));
  }
  check_zero();
  const Intrinsic* row = intrinsic_of(range);
  const bool wants_parallel = row->handler == Handler::prange && options_.parallel && !options_.is_cuda;
  if (!options_.is_cuda && loop_depth_ == 0 && !is_parallel_) {
    if (row->handler == Handler::range && options_.parallel)
      remark(stmt.place, "range runs serially, in order; prange shares its iterations among the workers");
    else if (row->handler == Handler::prange && !options_.parallel)
      remark(stmt.place, "prange runs serially: the function is compiled with parallel=False");
  }

  if (row->handler == Handler::prange && !options_.parallel && suits_one_thread(stmt, true)) return one_thread(stmt);
  const auto write = [&] {
    if (wants_parallel && !is_parallel_) parallel_loop(stmt, bounds, step);
    else range_loop_body(stmt, bounds, step);
  };
  std::set<const Expr*> proven;
  std::string test;
  if (!no_versions_ && options_.boundscheck && !options_.is_cuda) test = prove(stmt, bounds, step, proven);
  if (proven.empty()) {
    write();
  } else {
    const std::set<const Expr*> before = proven_;
    const size_t n_remarks = unit_.remarks.size();
    proven_.insert(proven.begin(), proven.end());
    const int sites = random_.n_sites;
    open(fmt::format("if ({})", test));
    write();
    proven_ = before;
    const size_t n_after = unit_.remarks.size();
    --indent_;
    line("}} else {{  // some index may be outside: test each");
    ++indent_;
    no_versions_ = true;
    random_.n_sites = sites;
    write();
    no_versions_ = false;
    close();
    unit_.remarks.resize(n_after);
    (void)n_remarks;
    remark(stmt.place, fmt::format("{} {} checked once, before the loop", proven.size(),
                                   proven.size() == 1 ? "index is" : "indices are"));
  }
}

void FunctionLowering::begin_loop(const Stmt& stmt) {
  mark(stmt.place);  // its second version stands behind the body of the first
  const bool needs_flag = !stmt.orelse.empty() && has_break(stmt.body);
  breaks_.push_back(needs_flag ? temp("broke") : "");
  if (needs_flag) line("bool {} = false;", breaks_.back());
}

void FunctionLowering::end_loop(const Stmt& stmt, const Random& outer, int used_sites) {
  random_ = outer;
  random_.n_sites = used_sites;
  const std::string flag = std::move(breaks_.back());
  breaks_.pop_back();
  if (stmt.orelse.empty()) return;
  open(flag.empty() ? "" : fmt::format("if (!{})", flag));
  block(stmt.orelse);
  close();
}

void FunctionLowering::range_loop_body(const Stmt& stmt, const Val bounds[3], std::optional<int64_t> step) {
  begin_loop(stmt);
  const bool defers = is_innermost(stmt.body) && defer_zero_ == 0 && may_defer();

  // Beyond one the last step may pass the end of 64 bits: such a loop counts its turns. In a kernel, where a division by an unknown
  // step is dear, it stops there.
  const bool by_one = step == 1 || step == -1, stops = !step && options_.is_cuda, counts_turns = !by_one && !stops;
  const std::string i = temp(counts_turns ? "k" : "i");
  std::string from = bounds[0].text, to = bounds[1].text, by = bounds[2].text;
  const std::string number = counts_turns ? temp("i") : i, first = from, apart = by;
  if (counts_turns) {
    line("const ks_i64 {}_of = ks_length(ks_range{{{}, {}, {}}});", i, from, to, by);
    from = "0LL", to = i + "_of", by = "1LL";
  }
  const bool from_zero = from == "0LL" && by == "1LL";
  const std::string trip = from_zero ? i : temp("k");
  const Random outer = random_;
  const Random inner = enter_random(stmt.body, trip);
  const int used_sites = random_.n_sites;
  draw_from(inner);
  const bool counts = !inner.stream.empty() && !from_zero;
  const auto is_before = [&](const std::string& at, const std::string& stop) {
    if (stops) return fmt::format("({0} > 0 ? {1} < {2} : {1} > {2})", by, at, stop);
    return fmt::format("{} {} {}", at, step == -1 ? '>' : '<', stop);
  };
  const std::string advance = stops ? fmt::format("{0} = ks_next({0}, {1}, {2})", i, to, by) : (step == -1 ? "--" : "++") + i;
  if (counts) line("ks_i64 {} = 0;", trip);
  const Leaves how = leaves(stmt);
  const bool has_strips = how == Leaves::between_strips;
  const std::string strip = has_strips ? temp("strip") : from, end = has_strips ? temp("end") : to;
  if (has_strips) {
    open(fmt::format("for (ks_i64 {} = {}; {};)", strip, from, is_before(strip, to)));
    line("const ks_i64 {} = ks_strip_end({}, {}, {});", end, strip, to, by);
    if (!inner.stream.empty()) share_upper_half(counts ? trip : strip, trip);
  }
  const bool may_break = has_strips && has_break(stmt.body);
  if (may_break) line("ks_i64 {};", i);  // above: what follows is said of the loop
  if (counts_turns) line("ks_u64 {} = {} + (ks_u64){} * {};", number, first, strip, apart);
  if (options_.fastmath && is_innermost(stmt.body)) line("KS_SIXTEEN_LANES");
  else if (has_strips && !inner.stream.empty() && cost_of(stmt.body) <= few_draws) line("KS_DRAWS");
  line("for ({}{} = {}; {}; {}{}) {{", may_break ? "" : "ks_i64 ", i, strip,
       has_strips && step != -1 ? i + " != " + end : is_before(i, end), advance,
       (counts ? ", ++" + trip : "") + (counts_turns ? fmt::format(", {} += {}", number, apart) : ""));
  if (defers) ++defer_zero_;
  loop_body(stmt, [&] {
    begin_draws();
    if (how == Leaves::at_each_turn) leave_if_asked();
    store(*stmt.targets[0], {counts_turns ? "(ks_i64)" + number : number, int64_type});
  });
  if (defers) --defer_zero_;
  line("}}");
  if (may_break) line("if ({}) break;", is_before(i, end));
  if (has_strips) {
    effects_.may_fail = true;
    line("{} = {};", strip, end);
    line("if ({} && KS_LEAVES) {}", is_before(strip, to), fail_return());
    close();
  }
  check_zero();
  end_loop(stmt, outer, used_sites);
}

void FunctionLowering::while_loop(const Stmt& stmt) {
  if (suits_one_thread(stmt)) return one_thread(stmt);
  begin_loop(stmt);
  const Random outer = random_;
  const std::string k = temp("k");
  const Random inner = enter_random(stmt.body, k, stmt.expr.get());
  const int used_sites = random_.n_sites;
  draw_from(inner);
  if (inner.stream.empty()) line("for (;;) {{");
  else line("for (ks_i64 {} = 0;; ++{}) {{", k, k);
  const int deferred = std::exchange(defer_zero_, 0);
  loop_body(stmt, [&] {
    leave_if_asked();
    const std::string condition = truth(*stmt.expr);
    check_zero();
    if (condition != "true") line("if (!({})) break;", condition);
  });
  defer_zero_ = deferred;
  line("}}");
  end_loop(stmt, outer, used_sites);
}

void FunctionLowering::array_loop(const Stmt& stmt) {
  const Iterable over = iterable(*stmt.expr);
  check_zero();
  begin_loop(stmt);
  const std::string n = temp("n"), i = temp("i");
  if (!over.changes) line("const ks_i64 {} = {};", n, over.length);
  const Random outer = random_;
  const Random inner = enter_random(stmt.body, i);
  const int used_sites = random_.n_sites;
  draw_from(inner);
  const bool has_strips = !over.changes && leaves(stmt) == Leaves::between_strips;
  const std::string strip = has_strips ? temp("strip") : "0", end = has_strips     ? temp("end")
                                                                    : over.changes ? over.length
                                                                                   : n;
  if (has_strips) {
    open(fmt::format("for (ks_i64 {0} = 0; {0} < {1};)", strip, n));
    line("const ks_i64 {} = ks_strip_end({}, {}, 1);", end, strip, n);
  }
  const bool may_break = has_strips && has_break(stmt.body);
  if (may_break) line("ks_i64 {};", i);
  line("for ({0}{1} = {2}; {1} < {3}; ++{1}) {{", may_break ? "" : "ks_i64 ", i, strip, end);
  const bool defers = is_innermost(stmt.body) && defer_zero_ == 0 && may_defer();
  if (defers) ++defer_zero_;
  loop_body(stmt, [&] {
    begin_draws();
    if (!has_strips && leaves(stmt) != Leaves::never) leave_if_asked();
    const Val item = over.item(i);
    store(*stmt.targets[0], item);
  });
  if (defers) --defer_zero_;
  line("}}");
  if (may_break) line("if ({} < {}) break;", i, end);
  if (has_strips) {
    effects_.may_fail = true;
    line("{} = {};", strip, end);
    line("if ({} < {} && KS_LEAVES) {}", strip, n, fail_return());
    close();
  }
  check_zero();
  end_loop(stmt, outer, used_sites);
}

}  // namespace kasoku::jit
