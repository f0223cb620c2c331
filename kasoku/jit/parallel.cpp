/// prange: which variables are an iteration's own, which are reductions, and the loop as a lambda
/// that the pool runs chunk by chunk. Chunks are cut by the trip count and partial results meet in
/// a tree, so the result has the same bits with any number of workers.
#include "kasoku/jit/lowering.h"
#include "kasoku/jit/walk.h"

#include <algorithm>

namespace kasoku::jit {

namespace {

bool is_variable(const Expr& e, int variable) {
  return e.kind == ExprKind::name && e.variable == variable;
}

int count_reads(const Expr& e, int variable) {
  int n = 0;
  each_expr(e, [&](const Expr& inner) { n += is_variable(inner, variable); });
  return n;
}

/// v op= e, v = v op e, v = e op v, v = max(v, e): the operator, and nothing else reads v.
struct Update {
  enum Kind { none, sum, product, bit_and, bit_or, bit_xor, maximum, minimum } kind = none;
};

Update update_of(const Stmt& stmt, int variable) {
  const auto of = [](Operator op) {
    switch (op) {
      case Operator::add:
      case Operator::subtract: return Update{Update::sum};
      case Operator::multiply:
      case Operator::divide: return Update{Update::product};
      case Operator::bit_and: return Update{Update::bit_and};
      case Operator::bit_or: return Update{Update::bit_or};
      case Operator::bit_xor: return Update{Update::bit_xor};
      default: return Update{};
    }
  };
  if (stmt.targets.size() != 1 || !is_variable(*stmt.targets[0], variable)) return {};
  if (stmt.kind == StmtKind::augment)
    return count_reads(*stmt.expr, variable) ? Update{} : of(stmt.op);
  if (stmt.kind != StmtKind::assign || count_reads(*stmt.expr, variable) != 1) return {};
  const Expr& e = *stmt.expr;
  if (e.kind == ExprKind::binary) {
    if (is_variable(*e.items[0], variable)) return of(e.op);
    const bool commutes = e.op != Operator::subtract && e.op != Operator::divide;
    if (commutes && is_variable(*e.items[1], variable)) return of(e.op);
  }
  if (e.kind == ExprKind::call && e.items[0]->kind == ExprKind::global && e.items.size() == 3 &&
      (is_variable(*e.items[1], variable) || is_variable(*e.items[2], variable))) {
    const std::string& name = e.items[0]->binding.name;
    if (name == "builtins.max" || name == "numpy.maximum" || name == "numpy.fmax") return {Update::maximum};
    if (name == "builtins.min" || name == "numpy.minimum" || name == "numpy.fmin") return {Update::minimum};
  }
  return {};
}

/// Whether an iteration may read the variable before it has written it.
enum class First { neither, read, written };
First first_access(const Block& block, int variable) {
  for (const StmtPtr& stmt : block) {
    bool read = false;
    const auto look = [&](const Expr& e) { read |= is_variable(e, variable); };
    if (stmt->expr) each_expr(*stmt->expr, look);
    for (const ExprPtr& target : stmt->targets)
      if (target->kind == ExprKind::subscript || target->kind == ExprKind::attribute) each_expr(*target, look);
    if (stmt->kind == StmtKind::augment && is_variable(*stmt->targets[0], variable)) read = true;
    if (read) return First::read;
    if (stmt->kind == StmtKind::assign)
      for (const ExprPtr& target : stmt->targets) {
        bool written = false;
        each_expr(*target, [&](const Expr& e) { written |= is_variable(e, variable); });
        if (written) return First::written;
      }
    if (stmt->kind == StmtKind::if_) {
      const First a = first_access(stmt->body, variable), b = first_access(stmt->orelse, variable);
      if (a == First::read || b == First::read) return First::read;
      if (a == First::written && b == First::written) return First::written;
    }
    if (stmt->kind == StmtKind::for_) {
      bool is_target = false;
      each_expr(*stmt->targets[0], [&](const Expr& e) { is_target |= is_variable(e, variable); });
      if (is_target) return First::written;  // an empty loop leaves it alone, and then nothing reads it
    }
    if (stmt->kind == StmtKind::for_ || stmt->kind == StmtKind::while_) {
      if (first_access(stmt->body, variable) == First::read) return First::read;
      if (first_access(stmt->orelse, variable) == First::read) return First::read;
    }
  }
  return First::neither;
}

std::string identity(Update::Kind kind, const Type& type) {
  const std::string t = text_of(type);
  switch (kind) {
    case Update::product: return fmt::format("{}(1)", t == "long long" ? "ks_i64" : t);
    case Update::bit_and: return type.is_boolean() ? "true" : fmt::format("({})-1", t);
    default: return "{}";
  }
}

std::string combined(Update::Kind kind, const std::string& a, const std::string& b, const Type& type) {
  switch (kind) {
    case Update::sum: return arithmetic(Operator::add, a, b, type.dtype);
    case Update::product: return arithmetic(Operator::multiply, a, b, type.dtype);
    case Update::bit_and: return fmt::format("{} & {}", a, b);
    case Update::bit_or: return fmt::format("{} | {}", a, b);
    case Update::bit_xor: return fmt::format("{} ^ {}", a, b);
    case Update::maximum: return fmt::format("ks_maximum({}, {})", a, b);
    default: return fmt::format("ks_minimum({}, {})", a, b);
  }
}

const char* name_of_kind(Update::Kind kind) {
  constexpr const char* names[] = {"", "sum", "product", "and", "or", "xor", "max", "min"};
  return names[kind];
}

int cost_of(const Block& body) {
  int64_t n = 0;
  each_expr(body, [&](const Expr& e) { n += e.kind == ExprKind::call ? 20 : 1; });
  each_stmt(body, [&](const Stmt& stmt) {
    if (stmt.kind == StmtKind::for_ || stmt.kind == StmtKind::while_) n += 2000;
  });
  return static_cast<int>(std::min<int64_t>(n, 1000000));
}

}  // namespace

void FunctionLowering::parallel_loop(const Stmt& stmt, const Val bounds[3], std::optional<int64_t> step) {
  struct Reduction {
    int variable;
    Update::Kind kind;
    std::string parts;
  };
  std::vector<Reduction> reductions;
  std::vector<int> own, last;
  std::map<int, std::vector<const Stmt*>> assigned;
  each_assigned(stmt.body, [&](int variable, const Stmt& by) { assigned[variable].push_back(&by); });
  std::string carried;
  each_expr(*stmt.targets[0], [&](const Expr& e) {
    if (e.kind == ExprKind::name) own.push_back(e.variable), assigned.erase(e.variable);
  });
  const auto reads_in = [&](const Block& block, int variable) {
    int n = 0;
    each_expr(block, [&](const Expr& e) { n += is_variable(e, variable); });
    return n;
  };
  for (const auto& [variable, statements] : assigned) {
    const Type& type = fn_.variables[variable].type;
    Update::Kind kind = update_of(*statements[0], variable).kind;
    int expected = 0;
    for (const Stmt* each : statements) {
      const Update::Kind other = update_of(*each, variable).kind;
      if (other != kind) kind = Update::none;
      expected += each->kind == StmtKind::augment ? 1 : 2;  // the target, and the read in v = v + e
    }
    const int inside = reads_in(stmt.body, variable), everywhere = reads_in(fn_.body, variable);
    const bool is_parameter = std::ranges::find(fn_.parameter_variables, variable) != fn_.parameter_variables.end();
    if (kind != Update::none && inside == expected && type.is_scalar() && (inside < everywhere || is_parameter)) {
      reductions.push_back({variable, kind, temp("parts")});
    } else if (first_access(stmt.body, variable) == First::read && (inside < everywhere || is_parameter)) {
      if (carried.empty()) carried = fn_.variables[variable].name;
    } else {
      own.push_back(variable);
      if (inside < everywhere && type.is_scalar()) last.push_back(variable);
    }
  }
  each_stmt(stmt.body, [&](const Stmt& inner) {
    if (inner.kind == StmtKind::augment && inner.targets[0]->kind == ExprKind::name &&
        inner.targets[0]->type.is_array() && std::ranges::find(own, inner.targets[0]->variable) == own.end())
      carried = inner.targets[0]->text;
  });
  if (!carried.empty()) {
    remark(stmt.place, fmt::format("prange runs serially: '{}' carries a value from one iteration to the next", carried));
    unit_.remarks.back().carried = carried;
    range_loop_body(stmt, bounds, step);
    return;
  }

  const std::string n = temp("n"), chunk = temp("chunk"), k = temp("k");
  line("const ks_i64 {} = ks_length(ks_range{{{}, {}, {}}});", n, bounds[0].text, bounds[1].text, bounds[2].text);
  line("const ks_i64 {} = ks_chunk({});", chunk, n);
  for (const Reduction& reduction : reductions) {
    const std::string type = text_of(fn_.variables[reduction.variable].type);
    line("{} {}_of[ks_max_chunks];", type, reduction.parts);
    line("{}* const {} = {}_of;", type, reduction.parts, reduction.parts);
  }
  for (int variable : last)
    line("{}* const ks_last_{} = &{};", text_of(fn_.variables[variable].type), names_[variable], names_[variable]);

  const Random outer = random_;
  Random inner = enter_random(stmt.body, "(ks_u64)" + k);
  const int used_sites = random_.n_sites;
  if (!inner.stream.empty()) random_ = inner;
  const std::string outer_fail = std::exchange(fail_, "return;");
  const bool outer_may_fail = std::exchange(effects_.may_fail, false);
  const bool outer_zero = std::exchange(has_zero_, false);
  const int outer_defer = std::exchange(defer_zero_, 0);
  const std::set<int> outer_sums = sums_;

  if (options_.is_checked) line("ks_check_interval();");
  line("ks_parallel(ks, {}, {}, {}, [=](ks_i64 ks_chunk_index, ks_i64 ks_first, ks_i64 ks_end) mutable {{", n, chunk,
       cost_of(stmt.body));
  ++indent_, ++epoch_;
  if (options_.python_errors) line("int ks_zero = 0;");
  for (int variable : own) declare(names_[variable], fn_.variables[variable].type);
  bool has_float_sum = false;
  for (const Reduction& reduction : reductions) {
    const Type& type = fn_.variables[reduction.variable].type;
    const std::string& name = names_[reduction.variable];
    if (reduction.kind == Update::maximum || reduction.kind == Update::minimum) {
      // No identity for every type: start from the outer value, which max and min may meet twice.
      line("const {} ks_from_{} = {};", text_of(type), name, name);
      line("{} {}_ = ks_from_{};", text_of(type), name, name);
    } else {
      line("{} {} = {};", text_of(type), name, identity(reduction.kind, type));
    }
    if (reduction.kind == Update::sum && type.is_floating()) {
      sums_.insert(reduction.variable);
      has_float_sum = true;
    }
  }
  std::map<int, std::string> renamed;
  for (const Reduction& reduction : reductions)
    if (reduction.kind == Update::maximum || reduction.kind == Update::minimum) {
      renamed[reduction.variable] = names_[reduction.variable];
      names_[reduction.variable] += "_";
    }
  const bool is_plain = [&] {
    bool plain = true;
    each_stmt(stmt.body, [&](const Stmt& s) { plain &= s.kind != StmtKind::for_ && s.kind != StmtKind::while_; });
    return plain;
  }();
  if (has_float_sum && is_plain) line("#pragma clang loop vectorize_width(16) interleave_count(1)");
  line("for (ks_i64 {0} = ks_first; {0} < ks_end; ++{0}) {{", k);
  if (is_plain && options_.python_errors) ++defer_zero_;
  is_parallel_ = true;
  breaks_.push_back("!");
  loop_body(stmt, [&] {
    if (options_.is_checked) line("ks_check_iteration({});", k);
    const std::string value = bounds[0].text == "0LL" && step == 1 ? k
                              : fmt::format("({} + {} * {})", bounds[0].text, k, bounds[2].text);
    store(*stmt.targets[0], {value, int64_type});
  });
  breaks_.pop_back();
  is_parallel_ = false;
  if (is_plain && options_.python_errors) --defer_zero_;
  line("}}");
  check_zero();
  for (const Reduction& reduction : reductions)
    line("{}[ks_chunk_index] = {};", reduction.parts, names_[reduction.variable]);
  if (!last.empty()) {
    open(fmt::format("if (ks_end == {})", n));
    for (int variable : last) line("*ks_last_{0} = {0};", names_[variable]);
    close();
  }
  --indent_, ++epoch_;
  line("}});");
  if (options_.is_checked) line("ks_check_interval();");
  for (const auto& [variable, name] : renamed) names_[variable] = name;

  sums_ = outer_sums;
  defer_zero_ = outer_defer;
  has_zero_ = outer_zero;
  fail_ = outer_fail;
  if (effects_.may_fail) line("if (KS_RARELY(ks->status)) {}", fail_return());
  effects_.may_fail |= outer_may_fail;
  random_ = outer;
  random_.n_sites = used_sites;
  if (!reductions.empty()) {
    const std::string chunks = temp("chunks");
    open(fmt::format("if ({} > 0)", n));
    line("const ks_i64 {0} = ({1} + {2} - 1) / {2};", chunks, n, chunk);
    open(fmt::format("for (ks_i64 ks_w = 1; ks_w < {}; ks_w *= 2)", chunks));
    open(fmt::format("for (ks_i64 ks_c = 0; ks_c + ks_w < {}; ks_c += 2 * ks_w)", chunks));
    for (const Reduction& reduction : reductions) {
      const Type& type = fn_.variables[reduction.variable].type;
      line("{0}[ks_c] = {1};", reduction.parts,
           combined(reduction.kind, reduction.parts + "[ks_c]", reduction.parts + "[ks_c + ks_w]", type));
    }
    close();
    close();
    for (const Reduction& reduction : reductions) {
      const std::string& name = names_[reduction.variable];
      line("{} = {};", name, combined(reduction.kind, name, reduction.parts + "[0]", fn_.variables[reduction.variable].type));
    }
    close();
  }
  std::string text = "parallel";
  for (const Reduction& reduction : reductions)
    text += fmt::format("; '{}' is a {} reduction", fn_.variables[reduction.variable].name, name_of_kind(reduction.kind));
  remark(stmt.place, text);
}

}  // namespace kasoku::jit
