/// prange: the loop as a lambda that the pool runs chunk by chunk, or as a kernel. Chunks are cut by the trip count and partial
/// results meet in a tree, so the result has the same bits with any number of workers.
#include "kasoku/jit/parallel.h"
#include "kasoku/jit/walk.h"

namespace kasoku::jit {

namespace {

std::string identity(Update::Kind kind, const Type& type) {
  const std::string t = text_of(type);
  switch (kind) {
    case Update::product: return fmt::format("({})1", t);
    case Update::bit_and: return type.is_boolean() ? "true" : fmt::format("({})-1", t);
    default: return type.is_floating() ? fmt::format("({})-0.0", t) : fmt::format("{}()", t == "long long" ? "ks_i64" : t);
  }
}

std::string combined(Update::Kind kind, const std::string& a, const std::string& b, const Type& type) {
  constexpr Op rows[] = {Op::add, Op::add, Op::multiply, Op::bitwise_and, Op::bitwise_or, Op::bitwise_xor, Op::maximum, Op::minimum};
  return op_text(rows[kind], element_types(rows[kind], type.dtype).compute, {a, b});
}

const char* name_of_kind(Update::Kind kind) {
  constexpr const char* names[] = {"", "sum", "product", "and", "or", "xor", "max", "min"};
  return names[kind];
}

}  // namespace

int cost_of(const Block& body) {
  int64_t n = 0;
  each_expr(body, [&](const Expr& e) { n += e.kind == ExprKind::call ? 20 : 1; });
  each_stmt(body, [&](const Stmt& stmt) {
    if (stmt.kind == StmtKind::for_ || stmt.kind == StmtKind::while_) n += 2000;
  });
  return static_cast<int>(std::min<int64_t>(n, 1000000));
}

/// The loop's body, in whatever loop over iteration numbers `k` stands around it.
void FunctionLowering::iteration(const Stmt& stmt, const Val bounds[3], std::optional<int64_t> step, const std::string& k,
                                 const Parallel& loop) {
  if (loop.is_plain && may_defer()) ++defer_zero_;
  const bool was_parallel = std::exchange(is_parallel_, true);
  const std::vector<int> outer_own = std::exchange(own_lists_, loop.own);
  breaks_.push_back("!");
  loop_body(stmt, [&] {
    begin_draws();
    if (!is_quick(stmt.body)) leave_if_asked();
    if (options_.is_checked) line("ks_check_iteration({});", k);
    const std::string value = bounds[0].text == "0LL" && step == 1 ? k
                              : fmt::format("({} + {} * {})", bounds[0].text, k, bounds[2].text);
    store(*stmt.targets[0], {value, int64_type});
  });
  breaks_.pop_back();
  own_lists_ = outer_own;
  is_parallel_ = was_parallel;
  if (loop.is_plain && may_defer()) --defer_zero_;
}

/// Lists that the loop uses and all its iterations share.
std::set<int> FunctionLowering::outer_lists(const Stmt& stmt, const Parallel& loop) const {
  std::set<int> lists;
  each_expr(stmt.body, [&](const Expr& expr) {
    if (expr.kind == ExprKind::name && expr.variable >= 0 && fn_.variables[expr.variable].type.kind == TypeKind::list &&
        std::ranges::find(loop.own, expr.variable) == loop.own.end())
      lists.insert(expr.variable);
  });
  return lists;
}

/// Declares what is a chunk's own; min and max start from the value outside, as `name_`.
std::map<int, std::string> FunctionLowering::declare_own(const Parallel& loop) {
  for (int variable : loop.own) declare(names_[variable], fn_.variables[variable].type);
  std::map<int, std::string> renamed;
  for (const Reduction& reduction : loop.reductions) {
    const Type& type = fn_.variables[reduction.variable].type;
    std::string& name = names_[reduction.variable];
    if (reduction.starts_outside()) {
      line("{} {}_ = {};", text_of(type), name, name);
      renamed[reduction.variable] = name;
      name += "_";
    } else if (!reduction.has_order) {
      line("{} {} = {};", text_of(type), name, identity(reduction.kind, type));
    }
  }
  return renamed;
}

std::string FunctionLowering::join_text(const Reduction& reduction, const std::string& a, const std::string& b) const {
  return combined(reduction.kind, a, b, fn_.variables[reduction.variable].type);
}

/// The loop on the pool: a lambda that takes a chunk.
void FunctionLowering::pool_loop(const Stmt& stmt, const Val bounds[3], std::optional<int64_t> step, const Parallel& loop,
                                 const std::string& n, const std::string& chunk, const std::string& k) {
  for (const Reduction& reduction : loop.reductions) {
    const std::string type = text_of(fn_.variables[reduction.variable].type);
    line("{} {}_of[ks_max_chunks];", type, reduction.parts);
    line("{}* const {} = {}_of;", type, reduction.parts, reduction.parts);
  }
  for (int variable : loop.last)
    line("{}* const ks_last_{} = &{};", text_of(fn_.variables[variable].type), names_[variable], names_[variable]);
  const std::string outer_fail = std::exchange(fail_, "return;");
  const bool outer_may_fail = std::exchange(effects_.may_fail, false);
  const bool outer_zero = std::exchange(has_zero_, false);
  const int outer_defer = std::exchange(defer_zero_, 0);
  const std::set<int> lists = options_.is_checked ? outer_lists(stmt, loop) : std::set<int>();
  for (int variable : lists)  // what they hold moves as they grow, but not in the loop
    line("if ({0}.body) ks_check_list({0}.body->items, {1}, sizeof({2}), {0}.body->size);", names_[variable],
         quoted(fn_.variables[variable].name), text_of(fn_.variables[variable].type.items[0]));
  if (options_.is_checked) line("ks_check_interval();");
  line("ks_parallel(ks, {}, {}, {}, [=](ks_i64 ks_chunk_index, ks_i64 ks_first, ks_i64 ks_end) mutable {{", n, chunk, cost_of(stmt.body));
  ++indent_, ++epoch_;
  if (options_.python_errors) line("int ks_zero = 0;");
  const std::map<int, std::string> renamed = declare_own(loop);
  if (loop.has_lanes()) {
    for (const Reduction& each : loop.reductions)
      if (each.has_order) line("{} ks_lane_{}[ks_loop_lanes];", text_of(fn_.variables[each.variable].type), names_[each.variable]);
    for (const Reduction& each : loop.reductions)
      if (each.has_order)
        line("for (int ks_l = 0; ks_l < ks_loop_lanes; ++ks_l) ks_lane_{}[ks_l] = {};", names_[each.variable],
             identity(each.kind, fn_.variables[each.variable].type));
    open("for (ks_i64 ks_run = ks_first, ks_stop; ks_run < ks_end; ks_run = ks_stop)");
    line("ks_stop = ks_strip_end(ks_run, ks_end, 1);");
    mark(stmt.place);
    open("for (ks_i64 ks_row = ks_run; ks_row < ks_stop; ks_row += ks_loop_lanes)");
    line("const int ks_here = ks_stop - ks_row < ks_loop_lanes ? (int)(ks_stop - ks_row) : ks_loop_lanes;");
    open("for (int ks_l = 0; ks_l < ks_here; ++ks_l)");
    line("const ks_i64 {} = ks_row + ks_l;", k);
    for (const Reduction& each : loop.reductions)
      if (each.has_order) line("{0}& {1} = ks_lane_{1}[ks_l];", text_of(fn_.variables[each.variable].type), names_[each.variable]);
    iteration(stmt, bounds, step, k, loop);
    close();
    close();
    leave_if_asked();
    close();
  } else {
    const bool draws = random_.element == whole_number(k);
    open("for (ks_i64 ks_run = ks_first, ks_stop; ks_run < ks_end; ks_run = ks_stop)");
    line("ks_stop = ks_end_of_run(ks_run, ks_end);");
    if (draws) share_upper_half("ks_run", k);
    mark(stmt.place);
    if (draws && cost_of(stmt.body) <= few_draws) line("KS_DRAWS");
    line("for (ks_i64 {0} = ks_run; {0} != ks_stop; ++{0}) {{", k);
    iteration(stmt, bounds, step, k, loop);
    line("}}");
    leave_if_asked();
    close();
  }
  check_zero();
  for (const Reduction& each : loop.reductions) {
    const std::string t = text_of(fn_.variables[each.variable].type);
    if (each.has_order)
      line("{0}[ks_chunk_index] = ks_fold_lanes(ks_lane_{1}, ks_end - ks_first, [](const {2}& a, const {2}& b) {{ return {3}; }});",
           each.parts, names_[each.variable], t, join_text(each, "a", "b"));
    else
      line("{}[ks_chunk_index] = {};", each.parts, names_[each.variable]);
  }
  if (!loop.last.empty()) {
    open(fmt::format("if (ks_end == {})", n));
    for (int variable : loop.last) line("*ks_last_{0} = {0};", names_[variable]);
    close();
  }
  --indent_, ++epoch_;
  line("}});");
  if (options_.is_checked) line("ks_check_interval();");
  for (int variable : lists) line("if ({0}.body) ks_check_freed({0}.body->items);", names_[variable]);
  for (const auto& [variable, name] : renamed) names_[variable] = name;
  defer_zero_ = outer_defer;
  has_zero_ = outer_zero;
  fail_ = outer_fail;
  if (effects_.may_fail) leave_if_failed();
  effects_.may_fail |= outer_may_fail;
}

/// Of a block's chunk what is whole pairs of rows, to `ks_whole`: a thread takes two iterations that share a call. Numbers of calls have
/// the same upper half in a run, as those of the pool's loop have.
void FunctionLowering::pairs_of_rows(const std::string& k, const std::function<void()>& turn) {
  line("const ks_i64 ks_whole = ks_chunk % (2 * ks_loop_lanes) ? ks_first : ks_end - (ks_end - ks_first) % (2 * ks_loop_lanes);");
  open("for (ks_i64 ks_run = ks_first, ks_stop; ks_run < ks_whole; ks_run = ks_stop)");
  line("ks_stop = ks_end_of_run(ks_run, ks_whole);");
  line("const ks_u64 ks_upper = (ks_u64)ks_run >> 33 << 32;");
  line("unsigned ks_call = (unsigned)((ks_u64)ks_run >> 1) + threadIdx.x;");
  open("for (unsigned ks_at = threadIdx.x, ks_n_at = (unsigned)(ks_stop - ks_run); ks_at < ks_n_at; ks_at += 2 * ks_loop_lanes, ks_call += ks_loop_lanes)");
  const std::string words = temp("w");
  line("const ks_words {} = ks_words_of({}, ks_upper | ks_call, 0);", words, random_.stream);
  line("#pragma unroll");
  open("for (int ks_half = 0; ks_half < 2; ++ks_half)");
  line("const ks_i64 {} = ks_run + (ks_at + ks_half * ks_loop_lanes);", k);
  share_call(words, "ks_half");
  turn();
  close();
  close();
  close();
}

/// The loop on a device: a thread takes an iteration, or a lane of a chunk if there are reductions.
void FunctionLowering::device_loop(const Stmt& stmt, const Val bounds[3], std::optional<int64_t> step, const Parallel& loop,
                                   const std::string& n, const std::string& chunk, const std::string& k) {
  Kernel kernel;
  const bool folds = !loop.reductions.empty();
  for (const Reduction& each : loop.reductions) {
    kernel.results.emplace_back(each.parts, text_of(fn_.variables[each.variable].type) + (loop.has_lanes() ? "[ks_max_chunks]" : "[ks_max_blocks]"));
    if (!each.starts_outside()) kernel.own.insert(names_[each.variable]);
  }
  for (int variable : loop.last) kernel.results.emplace_back(names_[variable], text_of(fn_.variables[variable].type));
  for (int variable : loop.own) kernel.own.insert(names_[variable]);
  launch_kernel(kernel, stmt.place, n, folds ? chunk : "0", [&] {
    if (options_.python_errors) line("int ks_zero = 0;");
    const std::map<int, std::string> renamed = declare_own(loop);
    for (const Reduction& each : loop.reductions)
      if (each.has_order)
        line("{} {} = {};", text_of(fn_.variables[each.variable].type), names_[each.variable],
             identity(each.kind, fn_.variables[each.variable].type));
    const auto turn = [&] {
      iteration(stmt, bounds, step, k, loop);
      if (loop.last.empty()) return;
      open(fmt::format("if ({} == ks_n - 1)", k));
      for (int variable : loop.last) line("ks_out->{0} = {0};", names_[variable]);
      close();
    };
    if (folds) {
      line("const ks_i64 ks_first = blockIdx.x * ks_chunk, ks_end = ks_first + ks_chunk < ks_n ? ks_first + ks_chunk : ks_n;");
      if (random_.shares_calls) pairs_of_rows(k, turn);
      line("for (ks_i64 {0} = {1} + threadIdx.x; {0} < ks_end; {0} += ks_loop_lanes) {{", k, random_.shares_calls ? "ks_whole" : "ks_first");
    } else {
      line("for (ks_i64 {0} = blockIdx.x * (ks_i64)ks_loop_lanes + threadIdx.x; {0} < ks_n; {0} += gridDim.x * (ks_i64)ks_loop_lanes) {{", k);
    }
    turn();
    line("}}");
    check_zero();
    for (const Reduction& each : loop.reductions) {
      const std::string shared = "ks_shared_" + names_[each.variable];
      line("__shared__ {} {}[ks_loop_lanes];", text_of(fn_.variables[each.variable].type), shared);
      line("{}[threadIdx.x] = {};", shared, names_[each.variable]);
      open("for (unsigned ks_w = ks_loop_lanes / 2; ks_w > 0; ks_w >>= 1)");
      line("__syncthreads();");
      line("if (threadIdx.x < ks_w) {0}[threadIdx.x] = {1};", shared,
           join_text(each, shared + "[threadIdx.x]", shared + "[threadIdx.x + ks_w]"));
      close();
      line("if (threadIdx.x == 0) ks_out->{}[blockIdx.x] = {}[0];", each.parts, shared);
    }
    for (const auto& [variable, name] : renamed) names_[variable] = name;
  });
  for (const Reduction& each : loop.reductions)
    line("{}* const {} = {}.{};", text_of(fn_.variables[each.variable].type), each.parts, kernel.returned, each.parts);
  if (!loop.last.empty()) {
    open(fmt::format("if ({} > 0)", n));
    for (int variable : loop.last) line("{0} = {1}.{0};", names_[variable], kernel.returned);
    close();
  }
}

void FunctionLowering::parallel_loop(const Stmt& stmt, const Val bounds[3], std::optional<int64_t> step) {
  const Parallel loop = variables_of(stmt);
  if (!loop.carried.empty()) {
    if (loop.joins_arrays) {
      remark(stmt.place, fmt::format("prange runs serially, in order: '{}' is a reduction of arrays", loop.carried));
    } else {
      remark(stmt.place, fmt::format("prange runs serially: '{}' carries a value from one iteration to the next", loop.carried));
      unit_.remarks.back().carried = loop.carried;
    }
    if (suits_one_thread(stmt, true)) return one_thread(stmt);
    range_loop_body(stmt, bounds, step);
    return;
  }
  const std::string n = temp("n"), chunk = temp("chunk"), k = temp("k");
  line("const ks_i64 {} = ks_length(ks_range{{{}, {}, {}}});", n, bounds[0].text, bounds[1].text, bounds[2].text);
  const bool joins_in_any_order = uses_graph() && !loop.reductions.empty() && !loop.has_lanes();
  line("const ks_i64 {} = {}({});", chunk, joins_in_any_order ? "ks_chunk_of_block" : "ks_chunk", n);
  const Random outer = random_;
  Random inner = enter_random(stmt.body, k);
  const int used_sites = random_.n_sites;
  draw_from(inner);
  if (uses_graph()) device_loop(stmt, bounds, step, loop, n, chunk, k);
  else pool_loop(stmt, bounds, step, loop, n, chunk, k);
  random_ = outer;
  random_.n_sites = used_sites;

  if (!loop.reductions.empty()) {
    const std::string chunks = temp("chunks");
    open(fmt::format("if ({} > 0)", n));
    line("const ks_i64 {0} = ({1} + {2} - 1) / {2};", chunks, n, chunk);
    if (joins_in_any_order) {
      open(fmt::format("for (ks_i64 ks_c = 1; ks_c < {}; ++ks_c)", chunks));
      for (const Reduction& each : loop.reductions) line("{0}[0] = {1};", each.parts, join_text(each, each.parts + "[0]", each.parts + "[ks_c]"));
    } else {
      open(fmt::format("for (ks_i64 ks_w = 1; ks_w < {}; ks_w *= 2)", chunks));
      open(fmt::format("for (ks_i64 ks_c = 0; ks_c + ks_w < {}; ks_c += 2 * ks_w)", chunks));
      for (const Reduction& each : loop.reductions)
        line("{0}[ks_c] = {1};", each.parts, join_text(each, each.parts + "[ks_c]", each.parts + "[ks_c + ks_w]"));
      close();
    }
    close();
    for (const Reduction& each : loop.reductions)
      line("{} = {};", names_[each.variable], join_text(each, names_[each.variable], each.parts + "[0]"));
    close();
  }
  std::string text = uses_graph() ? "parallel, on the device" : "parallel";
  for (const Reduction& each : loop.reductions)
    text += fmt::format("; '{}' is a {} reduction", fn_.variables[each.variable].name, name_of_kind(each.kind));
  remark(stmt.place, text);
}

}  // namespace kasoku::jit
