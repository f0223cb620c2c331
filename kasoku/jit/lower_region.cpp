/// Kernels of a host program: a parallel loop, or a serial one that walks over arrays, whose arrays
/// lie on a device.
///
///   struct ks_captures_N { …what the loop uses of its function… };        in both programs
///   struct ks_results_N  { …what the function uses of the loop… };
///   extern "C" __global__ void ks_kernel_N(ks_captures_N, ks_call*, ks_results_N*, ks_i64 n, ks_i64 chunk)
///
/// The host program fills the captures and calls ks_jit_launch (offload.cpp), which copies the
/// results back. A kernel that finds a failure in the call's record does nothing.
#include "kasoku/jit/lowering.h"
#include "kasoku/jit/walk.h"

#include <algorithm>

namespace kasoku::jit {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 128; }

/// f(word) for each identifier in the text.
template <class F>
void each_word(std::string_view text, const F& f) {
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '"') {  // a literal
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    const bool is_member = at > 0 && text[at - 1] == '.';
    if (!is_member && !std::isdigit(static_cast<unsigned char>(text[at]))) f(std::string(text.substr(at, end - at)));
    at = end;
  }
}

}  // namespace

bool prints_or_computes_arrays(const Expr& e) {
  if (const Intrinsic* row = intrinsic_of(e)) {
    if (row->handler == Handler::print || row->handler == Handler::prange || row->handler == Handler::seed) return true;
    for (size_t i = 1; i < e.items.size(); ++i)
      if (e.items[i] && e.items[i]->type.is_array() && row->handler != Handler::len &&
          row->handler != Handler::enumerate && row->handler != Handler::zip && row->handler != Handler::ndenumerate &&
          row->handler != Handler::item)
        return true;
    return e.type.is_array();
  }
  if (!e.type.is_array()) return false;
  return e.kind == ExprKind::binary || e.kind == ExprKind::unary || e.kind == ExprKind::compare ||
         (e.kind == ExprKind::subscript && e.items[1]->type.is_array());
}

void FunctionLowering::note_definition(std::string_view text) {
  // TYPE NAME = …  TYPE NAME{…  TYPE NAME;  where NAME is one of ours.
  if (text.starts_with("const ")) text.remove_prefix(6);
  const size_t end = text.find_first_of("=;{");
  if (end == text.npos || end == 0) return;
  std::string_view head = text.substr(0, end);
  while (!head.empty() && head.back() == ' ') head.remove_suffix(1);
  size_t begin = head.size();
  while (begin > 0 && is_word(head[begin - 1])) --begin;
  const std::string_view name = head.substr(begin);
  std::string_view type = head.substr(0, begin);
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  if (!name.starts_with("ks_") || name == "ks_zero" || type.empty()) return;  // each kernel has a ks_zero of its own
  if (type.back() == '.' || type.back() == '&' || type.back() == '*' || type == "auto" || type == "return" || type.find('(') != type.npos) return;
  scope_[std::string(name)] = std::string(type);
}

void FunctionLowering::launch_kernel(Kernel& kernel, Place place, const std::string& n, const std::string& chunk,
                                     const std::function<void()>& write) {
  const size_t number = unit_.kernel_names.size();
  kernel.name = fmt::format("ks_kernel_{}", number);
  unit_.kernel_names.push_back(kernel.name);

  // The body, as the device program has it.
  const std::map<std::string, std::string> outside = scope_;
  const std::string host_text = std::exchange(out_, "");
  const int host_indent = std::exchange(indent_, 1);
  const bool was_parallel = std::exchange(is_parallel_, true);
  const std::string outer_fail = std::exchange(fail_, "return;");
  const bool outer_may_fail = std::exchange(effects_.may_fail, false);
  const bool outer_zero = std::exchange(has_zero_, false);
  const int outer_defer = std::exchange(defer_zero_, 0);
  on_device_ = true;
  ++epoch_;
  write();
  ++epoch_;
  on_device_ = false;
  defer_zero_ = outer_defer;
  has_zero_ = outer_zero;
  effects_.may_fail = outer_may_fail;
  fail_ = outer_fail;
  is_parallel_ = was_parallel;
  indent_ = host_indent;
  const std::string body = std::exchange(out_, host_text);

  std::vector<std::pair<std::string, std::string>> captured;
  std::set<std::string> seen = kernel.own;
  bool uses_call = false;  // else nothing of it can fail
  each_word(body, [&](const std::string& word) {
    uses_call |= word == "ks";
    const auto found = outside.find(word);
    if (found != outside.end() && seen.insert(word).second) captured.emplace_back(word, found->second);
  });
  std::string given = fmt::format("struct ks_captures_{} {{ ", number), results = fmt::format("struct ks_results_{} {{ ", number);
  std::string unpacked;
  for (const auto& [name, type] : captured) {
    given += fmt::format("{} {}; ", type, name);
    unpacked += fmt::format("  {} {} = ks_given.{};\n", type, name, name);
  }
  for (const auto& [name, type] : kernel.results) {
    const size_t bracket = type.find('[');
    results += fmt::format("{} {}{}; ", type.substr(0, bracket), name, bracket == type.npos ? "" : type.substr(bracket));
  }
  unit_.captures += given + (captured.empty() ? "char ks_none; };\n" : "};\n") + results + (kernel.results.empty() ? "char ks_none; };\n" : "};\n");
  unit_.kernels += fmt::format(
      "\nextern \"C\" __global__ void {0}(ks_captures_{1} ks_given, ks_call* ks, ks_results_{1}* ks_out, ks_i64 ks_n, ks_i64 ks_chunk) {{\n"
      "{5}{2}  constexpr int ks_function = {3};\n{4}}}\n",
      kernel.name, number, unpacked, index_, body, uses_call ? "  if (ks->status) return;\n" : "");

  kernel.captured = temp("captures"), kernel.returned = temp("results");
  line("ks_captures_{} {};", number, kernel.captured);
  for (const auto& [name, type] : captured) {
    line("{}.{} = {};", kernel.captured, name, name);
    if (type.starts_with("ks_array<")) line("{}.{}.memory = nullptr;", kernel.captured, name);
  }
  line("ks_results_{} {};", number, kernel.returned);
  // Of an array alone what its blocks have written.
  const bool is_array = kernel.results.size() == 1 && kernel.results[0].second.ends_with(']');
  const std::string result_bytes = kernel.results.empty() ? "0"
                                   : is_array ? fmt::format("(({0} + {1} - 1) / {1}) * (ks_i64)sizeof({2}.{3}[0])", n, chunk, kernel.returned, kernel.results[0].first)
                                              : "sizeof(" + kernel.returned + ")";
  line("ks_jit_launch(ks, {0}, {1}, {7}, &{2}, sizeof({2}), &{3}, {4}, {5}, {6});", number, place.line, kernel.captured, kernel.returned, result_bytes, n, chunk, uses_call ? 1 : 0);
  leave_if_failed();
}

bool FunctionLowering::suits_one_thread(const Stmt& loop, bool is_serial_prange) const {
  if (!uses_graph() || loop.orelse.size() || is_parallel_) return false;
  bool touches = false, suits = true;
  std::set<int> seen;
  const std::function<void(const Expr&)> look = [&](const Expr& e) {
    if (e.type.is_counted()) suits = false;
    if (e.kind == ExprKind::subscript && e.items[0]->type.is_array() && e.type.is_scalar()) touches = true;
    if (prints_or_computes_arrays(e)) suits = false;
    if (e.kind == ExprKind::name && deferred_.contains(e.variable)) suits = false;
    if (e.callee >= 0 && seen.insert(e.callee).second) {
      if (unit_.unit.functions[static_cast<size_t>(e.callee)]->result.is_array()) suits = false;
      each_expr(unit_.unit.functions[static_cast<size_t>(e.callee)]->body, look);
    }
  };
  const auto look_at = [&](const Stmt& stmt) {
    for (const ExprPtr& target : stmt.targets) each_expr(*target, look);
    if (stmt.expr) each_expr(*stmt.expr, look);
    if (stmt.kind == StmtKind::for_ && stmt.expr->type.is_array()) touches = true;
    if (stmt.kind == StmtKind::augment && stmt.targets[0]->type.is_array()) suits = false;
    if (stmt.kind == StmtKind::assign && stmt.targets[0]->kind == ExprKind::subscript && stmt.targets[0]->type.is_array()) suits = false;
    if (stmt.kind == StmtKind::return_ && stmt.expr && !fn_.result.is_scalar() && fn_.result.kind != TypeKind::none) suits = false;
  };
  if (!is_serial_prange) look_at(loop);
  each_stmt(loop.body, look_at);
  // An array variable of the loop must end with it.
  each_assigned(loop.body, [&](int variable, const Stmt&) {
    const Type& type = fn_.variables[static_cast<size_t>(variable)].type;
    if (type.is_scalar()) return;
    const auto reads = [&](const Block& block) {
      int n = 0;
      each_expr(block, [&](const Expr& e) { n += e.kind == ExprKind::name && e.variable == variable; });
      return n;
    };
    if (reads(loop.body) != reads(fn_.body)) suits = false;
  });
  return touches && suits;
}

void FunctionLowering::one_thread(const Stmt& loop) {
  remark(loop.place, "runs on the device as one thread, in order; prange gives each iteration a thread");
  std::set<int> variables;
  const auto note = [&](int variable, const Stmt&) {
    if (fn_.variables[static_cast<size_t>(variable)].type.is_scalar()) variables.insert(variable);
  };
  each_assigned(loop.body, note);
  for (const ExprPtr& target : loop.targets)
    each_expr(*target, [&](const Expr& e) { if (e.kind == ExprKind::name) note(e.variable, loop); });
  Kernel kernel;
  std::set<std::string> returns;
  for (int variable : variables) kernel.results.emplace_back(names_[static_cast<size_t>(variable)], text_of(fn_.variables[static_cast<size_t>(variable)].type));
  bool has_return = false;
  each_stmt(loop.body, [&](const Stmt& stmt) { has_return |= stmt.kind == StmtKind::return_; });
  if (has_return) {
    kernel.results.emplace_back("ks_returned", "bool");
    if (fn_.result.is_scalar()) kernel.results.emplace_back("ks_result", text_of(fn_.result));
  }
  // Views made in the loop are its own.
  std::set<int> arrays;
  each_assigned(loop.body, [&](int variable, const Stmt&) {
    if (!fn_.variables[static_cast<size_t>(variable)].type.is_scalar()) arrays.insert(variable);
  });
  for (int variable : arrays) kernel.own.insert(names_[static_cast<size_t>(variable)]);
  launch_kernel(kernel, loop.place, "1", "-1", [&] {
    in_one_thread_ = true;
    if (options_.python_errors) line("int ks_zero = 0;");
    if (has_return) line("ks_out->ks_returned = false;");
    for (int variable : arrays) declare(names_[static_cast<size_t>(variable)], fn_.variables[static_cast<size_t>(variable)].type);
    if (loop.kind == StmtKind::for_) for_loop(loop);
    else while_loop(loop);
    check_zero();
    for (int variable : variables) line("ks_out->{0} = {0};", names_[static_cast<size_t>(variable)]);
    in_one_thread_ = false;
  });
  if (has_return) {
    if (fn_.result.is_scalar()) line("if ({0}.ks_returned) return {0}.ks_result;", kernel.returned);
    else line("if ({}.ks_returned) return;", kernel.returned);
  }
  for (int variable : variables) line("{0} = {1}.{0};", names_[static_cast<size_t>(variable)], kernel.returned);
}

}  // namespace kasoku::jit
