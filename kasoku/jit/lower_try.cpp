/// Text of try statements, and of what they catch.
///
///   ks_call ks_try1 = ks_try(ks);
///   { ks_call* const ks = &ks_try1; … a failure: goto ks_except2; … }
///   ks_except2:;
///   if (ks_try1.status) { if (ks_jit_catches(&ks_try1, ",ValueError,")) {…} else {pass it on} } else {…}
///
/// A finally is written once: a return, break or continue in the body says in `ks_way` what comes after it, and goes there.
#include "kasoku/jit/lowering.h"

namespace kasoku::jit {

void FunctionLowering::tried_block(const Block& body, const std::string& tried, const std::string& label) {
  line("ks_call {} = ks_try(ks);", tried);
  open("");
  line("ks_call* const ks = &{};", tried);
  const std::string outer_fail = std::exchange(fail_, fmt::format("goto {};", label));
  block(body);
  fail_ = outer_fail;
  close();
  line("{}:;", label);
  if (options_.python_errors) line("ks_zero = 0;");
}

void FunctionLowering::pass_on(const std::string& tried) {
  effects_.may_fail = true;
  line("ks_pass_on(ks, {});", tried);
  line("{}", fail_return());
}

void FunctionLowering::try_statement(const Stmt& stmt) {
  if (unit_.offloads) error(stmt.place, "try cannot be compiled for arrays that lie on a device", "call the function with NumPy's arrays");
  const std::string tried = temp("try"), label = temp("except");
  tried_block(stmt.body, tried, label);
  open(fmt::format("if (KS_RARELY({}.status))", tried));
  caught_.push_back(tried);
  for (const StmtPtr& each : stmt.orelse) {
    if (each->kind == StmtKind::else_) continue;
    mark(each->place);
    open(fmt::format("if (ks_jit_catches(&{}, {}))", tried, quoted(each->text)));
    block(each->body);
    --indent_;
    line("}} else {{");
    ++indent_;
  }
  caught_.pop_back();
  pass_on(tried);
  for (const StmtPtr& each : stmt.orelse)
    if (each->kind == StmtKind::except_) close();
  if (stmt.orelse.back()->kind == StmtKind::else_) {
    --indent_;
    line("}} else {{");
    ++indent_;
    block(stmt.orelse.back()->body);
  }
  close();
}

void FunctionLowering::finally_statement(const Stmt& stmt) {
  if (unit_.offloads) error(stmt.place, "try cannot be compiled for arrays that lie on a device", "call the function with NumPy's arrays");
  const std::string tried = temp("try");
  finals_.push_back({temp("finally"), temp("way"), breaks_.size(), 0});
  line("int {} = 0;", finals_.back().way);
  const std::string label = finals_.back().label;  // nested ones move it
  tried_block(stmt.body, tried, label);
  const Final final = std::move(finals_.back());
  finals_.pop_back();
  open("");
  block(stmt.orelse);
  close();
  open(fmt::format("if (KS_RARELY({}.status))", tried));
  pass_on(tried);
  close();
  const auto after = [&](Way way, const auto& write) {
    if (!(final.ways & way)) return;
    open(fmt::format("if ({} == {})", final.way, static_cast<int>(way)));
    write();
    close();
  };
  after(way_return, [&] { return_pending(); });
  after(way_break, [&] { jump(StmtKind::break_, stmt.place); });
  after(way_continue, [&] { jump(StmtKind::continue_, stmt.place); });
}

void FunctionLowering::leave(Final& final, Way way) {
  final.ways |= way;
  line("{} = {};", final.way, static_cast<int>(way));
  line("goto {};", final.label);
}

void FunctionLowering::jump(StmtKind kind, Place place) {
  const bool is_break = kind == StmtKind::break_;
  if (is_break && breaks_.back() == "!") error(place, "break inside a parallel loop cannot be compiled", "use range");
  if (!finals_.empty() && finals_.back().n_loops == breaks_.size()) return leave(finals_.back(), is_break ? way_break : way_continue);
  if (is_break && !breaks_.back().empty()) line("{} = true;", breaks_.back());
  line("{};", is_break ? "break" : "continue");
}

void FunctionLowering::return_through(const Val& value) {
  if (!fn_.result.is_symbol()) {
    const std::string result = temp("result"), old = temp("old");
    open("");
    line("{} {} = {};", text_of(fn_.result), result, value.type.kind == TypeKind::none && fn_.result.kind != TypeKind::optional ? "{}" : convert(value, fn_.result));
    retain(result, fn_.result);
    line("{} {} = ks_pending;", text_of(fn_.result), old);
    keep(old, fn_.result);
    line("ks_pending = {};", result);
    close();
  }
  leave(finals_.back(), way_return);
}

void FunctionLowering::return_pending() {
  if (!finals_.empty()) return leave(finals_.back(), way_return);
  if (fn_.result.is_symbol()) return line("return;");
  const std::string result = temp("result");
  line("{} {} = ks_pending;", text_of(fn_.result), result);
  retain(result, fn_.result);
  line("return {};", result);
}

void FunctionLowering::raise_statement(const Stmt& stmt) {
  if (!raises_) return line("{}", fail_);  // nobody is told
  if (stmt.level >= 0) return pass_on(caught_[caught_.size() - 1 - static_cast<size_t>(stmt.level)]);
  std::string message = stmt.text + ":", texts, words;
  int n_words = 0;
  for (const ExprPtr& value : stmt.message->items) {
    const Val part = expr(*value);
    if (part.type.kind == TypeKind::text) {
      message += 't', texts += part.type.text + '\x1f';
      continue;
    }
    if (!part.type.is_scalar() || part.type.enumeration) error(stmt.place, fmt::format("an exception with {} cannot be compiled", str(part.type)));
    const bool is_real = part.type.is_floating();
    message += is_real ? 'f' : part.type.is_boolean() ? 'b' : info(part.type.dtype).kind == DtypeKind::unsigned_ ? 'u' : 'i';
    words += is_real ? fmt::format(", __double_as_longlong((double)({}))", part.text) : fmt::format(", (ks_i64)({})", part.text);
    ++n_words;
  }
  if (n_words > 3) error(stmt.place, "an exception takes up to three numbers in compiled code");
  while (n_words++ < 3) words += ", 0";
  check_zero();
  effects_.may_fail = true;
  line("ks_jit_fail(ks, ks_raised, {}, {}{});", stmt.place.line, quoted(message + "\n" + texts), words);
  line("{}", fail_return());
}

}  // namespace kasoku::jit
