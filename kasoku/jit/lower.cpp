/// The text of a unit.
///
///   static __device__ R name_2(ks_call* ks, ks_stream ks_random, ks_i64 ks_at, unsigned ks_site, A a)
///   extern "C" __global__ void name(ks_call* ks)      one thread: words -> arguments, result -> words
///
/// Names of the user stay as they are; ours begin with ks_. A failure is written into *ks and
/// the function returns at once (`return {};`); whoever called it tests ks->status. Arrays are
/// plain structs; a variable that holds one has a ks_keep beside it, which gives the memory back
/// when the scope ends. A parallel loop is a lambda over [first, last) that copies what it
/// uses; ks_parallel runs it chunk by chunk.
#include "kasoku/jit/lowering.h"
#include "kasoku/jit/walk.h"

#include <algorithm>
#include <utility>

namespace kasoku::jit {

namespace {

bool has_loop(const Block& block) {
  return std::ranges::any_of(block, [](const StmtPtr& stmt) {
    return stmt->kind == StmtKind::for_ || stmt->kind == StmtKind::while_ || has_loop(stmt->body) ||
           has_loop(stmt->orelse);
  });
}

/// Statements that make arrays or look at whole ones.
int array_statements(const Block& block) {
  int n = 0;
  each_stmt(block, [&](const Stmt& stmt) {
    bool has_array = false;
    if (stmt.expr)
      each_expr(*stmt.expr, [&](const Expr& e) {
        const auto is_array = [](const ExprPtr& item) { return item && item->type.is_array(); };
        has_array |= e.kind != ExprKind::subscript && e.kind != ExprKind::attribute && std::ranges::any_of(e.items, is_array);
      });
    n += has_array;
  });
  return n;
}

bool uses_random(const TypedUnit& unit, int index, std::set<int>& seen) {
  if (!seen.insert(index).second) return false;
  bool found = false;
  each_expr(unit.functions[index]->body, [&](const Expr& expr) {
    if (draws(expr)) found = true;
    if (expr.callee >= 0 && !found) found = uses_random(unit, expr.callee, seen);
  });
  return found;
}

}  // namespace

bool draws(const Expr& expr) {
  const Intrinsic* row = intrinsic_of(expr);
  if (!row) return false;
  switch (row->handler) {
    case Handler::random: case Handler::rand: case Handler::randn: case Handler::standard_normal:
    case Handler::uniform: case Handler::normal: case Handler::expovariate: case Handler::exponential:
    case Handler::randint: case Handler::randint_inclusive: case Handler::seed: return true;
    default: return false;
  }
}

bool uses_random(const TypedUnit& unit, int index) {
  std::set<int> seen;
  return uses_random(unit, index, seen);
}

UnitLowering::UnitLowering(const TypedUnit& unit, bool offloads)
    : unit(unit), offloads(offloads), has_try(std::ranges::any_of(unit.functions, [](const auto& function) {
        bool found = false;
        if (function) each_stmt(function->body, [&](const Stmt& stmt) { found |= stmt.kind == StmtKind::try_ || stmt.kind == StmtKind::finally_; });
        return found;
      })) {}

void UnitLowering::function(int index, bool on_device) {
  Side& own = side(on_device);
  Effects& effect = own.effects[index];
  if (effect.is_done) return;
  if (own.in_progress.contains(index)) {
    effect.is_recursive = effect.may_fail = effect.writes = true;
    return;
  }
  own.in_progress.insert(index);
  effect.uses_random = uses_random(unit, index);
  each_expr(unit.functions[index]->body, [&](const Expr& expr) {
    if (expr.callee >= 0) function(expr.callee, on_device);
  });
  FunctionLowering(*this, index, on_device).run();
  effect.is_done = true;
  own.in_progress.erase(index);
}

FunctionLowering::FunctionLowering(UnitLowering& unit, int index, bool on_device)
    : unit_(unit), index_(index), fn_(*unit.unit.functions[index]), source_(*fn_.function),
      options_(source_.options), raises_(!options_.is_cuda || options_.python_errors), effects_(unit.side(on_device).effects[index]), nonnegative_(nonnegative_variables(fn_)),
      is_kernel_code_(on_device), on_device_(on_device) {
  std::set<std::string> used;
  for (const Variable& variable : fn_.variables) {
    std::string name = safe_name(variable.name);
    for (int n = 2; used.contains(name); ++n) name = fmt::format("{}_{}", safe_name(variable.name), n);
    used.insert(name);
    names_.push_back(name);
  }
}

void FunctionLowering::write_line(fmt::string_view format, fmt::format_args args) {
  out_ += line_mark_;
  out_.append(static_cast<size_t>(indent_) * 2, ' ');
  const size_t begin = out_.size();
  fmt::vformat_to(std::back_inserter(out_), format, args);
  if (unit_.offloads && !on_device_) note_definition(std::string_view(out_).substr(begin));
  out_ += '\n';
}

void FunctionLowering::lines(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t begin = text.starts_with("  ") ? 2 : 0;
    line("{}", text.substr(begin, end - begin));
    text.remove_prefix(end + 1);
  }
}

std::string FunctionLowering::written(int indent, const std::function<void()>& write) {
  const std::string before = std::exchange(out_, ""), mark = std::exchange(line_mark_, "");
  std::swap(indent_, indent);
  write();
  std::swap(indent_, indent);
  line_mark_ = mark;
  return std::exchange(out_, before);
}

void FunctionLowering::remark(Place place, const std::string& text) {
  unit_.remarks.push_back({source_.name, place.line, text});
}

void FunctionLowering::error(Place place, const std::string& what, const std::string& fix) {
  Error failure(ErrorKind::type, what);
  failure.at(place_text(source_, place));
  if (!fix.empty()) failure.fix(fix);
  throw failure;
}

std::string FunctionLowering::parameter_list() const {
  std::string text = raises_ ? "ks_call* ks" : "";
  if (effects_.uses_random) text += ", ks_stream ks_random, ks_u64 ks_at, unsigned ks_site";
  for (size_t i = 0; i < fn_.parameters.size(); ++i) {
    if (fn_.parameters[i].is_symbol()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", text_of(fn_.parameters[i]),
                        names_[fn_.parameter_variables[i]]);
  }
  if (options_.is_cuda && index_ == 0)  // arrays outside are a kernel's last arguments
    for (size_t i = 0; i < unit_.unit.hidden.size(); ++i)
      text += fmt::format("{}{} ks_outside{}", text.empty() ? "" : ", ", text_of(unit_.unit.hidden[i]), i);
  return text;
}

void FunctionLowering::keep(const std::string& name, const Type& type) {
  if (options_.is_cuda) return;
  if (type.is_array()) line("ks_keep {}{{{}.memory}};", temp("keep"), name);
  if (type.is_counted()) line("ks_keep_item<{}> {}{{{}}};", text_of(type), temp("keep"), name);
  if (type.kind == TypeKind::optional) keep(name + ".value", type.items[0]);
  if (type.is_tuple())
    for (size_t i = 0; i < type.items.size(); ++i) keep(fmt::format("{}._{}", name, i), type.items[i]);
}

void FunctionLowering::retain(const std::string& name, const Type& type) {
  if (options_.is_cuda) return;
  if (type.is_array()) line("ks_retain({}.memory);", name);
  if (type.is_counted()) line("ks_own({});", name);
  if (type.kind == TypeKind::optional) retain(name + ".value", type.items[0]);
  if (type.is_tuple())
    for (size_t i = 0; i < type.items.size(); ++i) retain(fmt::format("{}._{}", name, i), type.items[i]);
}

void FunctionLowering::declare(const std::string& name, const Type& type) {
  switch (type.kind) {
    case TypeKind::scalar: line("{} {}{{}};", text_of(type), name); break;
    case TypeKind::array:
      if (options_.is_cuda) line("{} {}{{}};", text_of(type), name);
      else line("{} {} = ks_no_array<{}, {}>();", text_of(type), name, element_text(type), type.ndim);
      keep(name, type);
      break;
    case TypeKind::tuple:
    case TypeKind::optional:
    case TypeKind::instance:
    case TypeKind::list:
    case TypeKind::dict:
    case TypeKind::set:
      line("{} {}{{}};", text_of(type), name);
      keep(name, type);
      break;
    case TypeKind::string: line("ks_string {}{{}};", name); break;
    case TypeKind::record: line("char* {}{{}};", name); break;
    case TypeKind::range: line("ks_range {}{{}};", name); break;
    default: break;
  }
}

std::string FunctionLowering::convert(const Val& value, const Type& type) {
  if (value.type == type || !type.is_known()) return value.text;
  if (type.is_string()) return string_of(value).text;
  if (type.is_scalar() && value.type.is_scalar()) return cast(value.text, value.type.dtype, type.dtype);
  if (type.is_tuple() && value.type.is_tuple()) {
    if (text_of(type) == text_of(value.type)) return value.text;
    const Val pinned = pin(value);
    std::string text = text_of(type) + "{";
    for (size_t i = 0; i < type.items.size(); ++i)
      text += (i ? ", " : "") +
              convert({fmt::format("{}._{}", pinned.text, i), value.type.items[i]}, type.items[i]);
    return text + "}";
  }
  if (type.kind == TypeKind::optional) {
    if (value.type.kind == TypeKind::none) return text_of(type) + "{}";
    if (value.type.kind == TypeKind::optional) {
      const Val pinned = pin(value);
      return fmt::format("{}{{{}, {}.is_some}}", text_of(type), convert({pinned.text + ".value", value.type.items[0]}, type.items[0]), pinned.text);
    }
    return fmt::format("{}{{{}, true}}", text_of(type), convert(value, type.items[0]));
  }
  return value.text;
}

std::string FunctionLowering::user_name(const std::string& text) const {
  const auto found = std::ranges::find(names_, text);
  return found == names_.end() ? text : fn_.variables[static_cast<size_t>(found - names_.begin())].name;
}

void FunctionLowering::assign(const std::string& to, const Type& type, const Val& from) {
  if (type.is_array() && !options_.is_cuda) {
    if (from.text != to) line("ks_share({}, {});", to, from.text);
    if (options_.is_checked)
      line("ks_check_array({0}.data, {1}, sizeof({2}), {3}, {0}.shape, {0}.stride);", to, quoted(user_name(to)),
           text_of(type.dtype), type.ndim);
    return;
  }
  if (type.is_counted()) {
    if (from.text != to) line("ks_share({}, {});", to, from.text);
    return;
  }
  if (type.is_tuple()) {
    const bool has_array = std::ranges::any_of(type.items, [](const Type& t) {
      return t.is_array() || t.is_tuple() || t.is_counted() || t.kind == TypeKind::optional;
    });
    if (has_array && !options_.is_cuda) {
      const Val pinned = pin(from);
      for (size_t i = 0; i < type.items.size(); ++i)
        assign(fmt::format("{}._{}", to, i), type.items[i],
               {fmt::format("{}._{}", pinned.text, i), from.type.items[i]});
      return;
    }
  }
  if (type.kind == TypeKind::optional) {
    const bool may_lack = from.type.kind == TypeKind::optional;
    if (from.type.kind == TypeKind::none) return line("{}.is_some = false;", to);
    const Val pinned = pin(from);
    assign(to + ".value", type.items[0], may_lack ? Val{pinned.text + ".value", from.type.items[0]} : pinned);
    return line("{}.is_some = {};", to, may_lack ? pinned.text + ".is_some" : "true");
  }
  if (type.is_symbol()) return;
  const std::string text = convert(from, type);
  line("{} = {};", to, text);
}

void FunctionLowering::fail_if(const std::string& condition, const std::string& call) {
  effects_.may_fail = true;
  const int epoch = epoch_;
  open(fmt::format("if (KS_RARELY({}))", condition));
  if (raises_) line("{};", call);
  line("{}", fail_return());
  close();
  epoch_ = epoch;
}

void FunctionLowering::test_zero(const std::string& divisor, Place place) {
  if (unit_.has_try)  // what a handler sees afterwards is as the statement found it
    return fail_if(divisor + " == 0", fmt::format("ks_jit_fail(ks, ks_zero_division, {}, 0, 0, 0, 0)", place.line));
  effects_.may_fail = has_zero_ = true;
  line("ks_zero = ks_max(ks_zero, {} == 0 ? {} : 0);", divisor, place.line);
}

void FunctionLowering::check_zero() {
  if (!has_zero_ || defer_zero_) return;
  has_zero_ = false;
  open("if (KS_RARELY(ks_zero))");
  line("ks_jit_fail(ks, ks_zero_division, ks_zero, 0, 0, 0, 0);");
  line("{}", fail_return());
  close();
}

void FunctionLowering::run() {
  const bool is_void = fn_.result.is_symbol();
  const std::string result = is_void ? "void" : text_of(fn_.result);
  fail_ = is_void ? "return;" : "return {};";
  random_ = {.stream = "ks_random", .element = "ks_at", .site = "ks_site"};

  std::set<int> parameters(fn_.parameter_variables.begin(), fn_.parameter_variables.end());
  const auto head = [&, parameters = parameter_list()] {  // as they are called before one is widened
    const char* const form = effects_.is_recursive ? "KS_RECURSIVE " : effects_.is_apart ? "__noinline__ " : "__forceinline__ ";
    return fmt::format("static __device__ {}{} ks_fn_{}({})", form, result, fn_.symbol, parameters);
  };
  if (effects_.is_recursive) unit_.side(is_kernel_code_).declarations += head() + ";\n";
  for (size_t i = 0; i < fn_.variables.size(); ++i)
    if (fn_.variables[i].type.is_known()) scope_[names_[i]] = text_of(fn_.variables[i].type);
  scope_["ks_random"] = "ks_stream", scope_["ks_at"] = "ks_u64", scope_["ks_site"] = "unsigned";
  // A parameter that is assigned again owns what it holds.
  for (int parameter : fn_.parameter_variables) {
    const Variable& variable = fn_.variables[parameter];
    const Type& given = fn_.parameters[parameter];
    if (variable.type != given && variable.type.is_scalar() && given.is_scalar() && variable.type.dtype != given.dtype) {
      // Widened by an assignment: the argument moves into a variable of the wider type.
      line("{} ks_wide_{} = {};", text_of(variable.type), names_[parameter],
           cast(names_[parameter], given.dtype, variable.type.dtype));
      names_[parameter] = "ks_wide_" + names_[parameter];
      scope_[names_[parameter]] = text_of(variable.type);
    } else if (variable.type.kind == TypeKind::optional && given.kind != TypeKind::optional) {  // it is assigned None, or was None
      const Val argument{given.is_symbol() ? "" : names_[parameter], given};
      names_[parameter] = "ks_wide_" + names_[parameter];
      scope_[names_[parameter]] = text_of(variable.type);
      declare(names_[parameter], variable.type);
      assign(names_[parameter], variable.type, argument);
    } else if (variable.type.is_string() && given.kind == TypeKind::text) {
      line("ks_string {} = {};", names_[parameter], string_of({"", given}).text);
    } else if (variable.n_assignments > 1 &&
               (variable.type.is_array() || variable.type.is_counted() || variable.type.kind == TypeKind::optional)) {
      retain(names_[parameter], variable.type);
      keep(names_[parameter], variable.type);
    }
  }
  for (size_t i = 0; i < fn_.variables.size(); ++i)
    if (!parameters.contains(static_cast<int>(i)) && fn_.variables[i].type.is_known())
      declare(names_[i], fn_.variables[i].type);
  if (raises_) line("constexpr int ks_function = {};", index_);
  if (options_.python_errors) line("int ks_zero = 0;");
  const int n_array_statements = array_statements(fn_.body);
  is_long_ = n_array_statements > 12;
  bool has_finally = false;
  each_stmt(fn_.body, [&](const Stmt& stmt) { has_finally |= stmt.kind == StmtKind::finally_; });
  if (has_finally && !is_void) declare("ks_pending", fn_.result);
  effects_.has_loops = has_loop(fn_.body);
  effects_.has_arrays = n_array_statements > 0;
  if (effects_.is_recursive) leave_if_asked();
  block(fn_.body);
  if (!is_void) line("return {{}};");

  // Functions that call each other at several places would grow by the product of those.
  constexpr size_t longest_within_others = 40'000;
  effects_.length += out_.size();
  effects_.is_apart = !is_kernel_code_ && !options_.is_cuda && effects_.length > longest_within_others;
  unit_.side(is_kernel_code_).text += fmt::format("\n{} {{\n{}}}\n", head(), out_);
}

}  // namespace kasoku::jit
