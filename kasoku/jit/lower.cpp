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
#include "kasoku/codegen/helpers.h"
#include "kasoku/jit/lowering.h"
#include "kasoku/jit/text.h"
#include "kasoku/jit/walk.h"

#include <algorithm>
#include <cmath>

namespace kasoku::jit {

int words_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::scalar: return is_complex(type.dtype) ? 2 : 1;
    case TypeKind::array: return 2 + 2 * type.ndim;
    case TypeKind::tuple: {
      int n = 0;
      for (const Type& item : type.items) n += words_of(item);
      return n;
    }
    case TypeKind::optional: return 1 + words_of(type.items[0]);
    default: return 0;
  }
}

std::string safe_name(const std::string& name) {
  static const std::set<std::string> taken = {
      "alignas", "alignof", "asm", "auto", "bool", "case", "catch", "char", "class", "const",
      "constexpr", "default", "delete", "do", "double", "enum", "explicit", "export", "extern",
      "float", "friend", "goto", "inline", "int", "long", "mutable", "namespace", "new", "operator",
      "private", "protected", "public", "register", "short", "signed", "sizeof", "static", "struct",
      "switch", "template", "this", "throw", "try", "typedef", "typename", "union", "unsigned",
      "using", "virtual", "void", "volatile", "threadIdx", "blockIdx", "blockDim", "gridDim", "sqrt",
      "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos",
      "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "tgamma", "lgamma",
      "fabs", "fabsf", "pow", "atan2", "fmod", "copysign", "hypot", "floor", "ceil", "trunc", "rint",
      "cbrt", "fma", "and", "or", "not", "xor", "compl", "bitand", "bitor", "true", "false", "min",
      "max", "abs", "round", "warpSize", "half", "M_PI", "INFINITY", "NAN", "assert", "signbit"};
  if (taken.contains(name) || name.starts_with("ks_") || name.starts_with("__")) return name + "_";
  return name;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') out += '\\', out += static_cast<char>(c);
    else if (c == '\n') out += "\\n";
    else if (c < 32 || c > 126) out += fmt::format("\\{:03o}", c);
    else out += static_cast<char>(c);
  }
  return out + "\"";
}

std::string number_text(double value) {
  if (std::isnan(value)) return "__longlong_as_double(0x7ff8000000000000LL)";
  if (std::isinf(value))
    return value > 0 ? "__longlong_as_double(0x7ff0000000000000LL)"
                     : "__longlong_as_double((long long)0xfff0000000000000ULL)";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 || (value == 0 && std::signbit(value)) ? "(" + text + ")" : text;
}

std::string cast(const std::string& text, Dtype from, Dtype to) {
  if (from == to) return text;
  const std::string type = text_of(to);
  if (to == Dtype::bool_)
    return is_complex(from) ? fmt::format("({} != {}())", text, text_of(from))
                            : fmt::format("({} != 0)", text);
  if (is_complex(to)) {
    if (is_complex(from)) return fmt::format("{}({})", type, text);
    return fmt::format("{}(({})({}))", type, to == Dtype::complex64 ? "float" : "double", text);
  }
  if (is_complex(from)) return cast(text + ".re", from == Dtype::complex64 ? Dtype::float32 : Dtype::float64, to);
  if (is_floating(from) && is_integer(to)) return fmt::format("ks_saturate<{}>({})", type, text);
  return fmt::format("({})({})", type, text);
}

std::string arithmetic(Operator op, const std::string& a, const std::string& b, Dtype dtype) {
  const Op row = op_of(op);
  const Dtype compute = element_types(row, dtype).compute;  // a power of bools is one of int8
  return cast(op_text(row, compute, {cast(a, dtype, compute), cast(b, dtype, compute)}), element_types(row, dtype).result, dtype);
}

namespace {

bool has_loop(const Block& block) {
  return std::ranges::any_of(block, [](const StmtPtr& stmt) {
    return stmt->kind == StmtKind::for_ || stmt->kind == StmtKind::while_ || has_loop(stmt->body) ||
           has_loop(stmt->orelse);
  });
}

bool draws(const Expr& expr) {
  if (expr.kind != ExprKind::call || expr.items[0]->kind != ExprKind::global) return false;
  const Intrinsic* row = find_intrinsic(expr.items[0]->binding.name);
  if (!row || expr.items[0]->binding.kind != Binding::Kind::intrinsic) return false;
  switch (row->handler) {
    case Handler::random: case Handler::rand: case Handler::randn: case Handler::standard_normal:
    case Handler::uniform: case Handler::normal: case Handler::expovariate: case Handler::exponential:
    case Handler::randint: case Handler::randint_inclusive: case Handler::seed: return true;
    default: return false;
  }
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

bool uses_random(const TypedUnit& unit, int index) {
  std::set<int> seen;
  return uses_random(unit, index, seen);
}

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
      options_(source_.options), effects_(unit.side(on_device).effects[index]), is_kernel_code_(on_device), on_device_(on_device) {
  std::set<std::string> used;
  for (const Variable& variable : fn_.variables) {
    std::string name = safe_name(variable.name);
    for (int n = 2; used.contains(name); ++n) name = fmt::format("{}_{}", safe_name(variable.name), n);
    used.insert(name);
    names_.push_back(name);
  }
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
  std::string text = options_.is_cuda ? "" : "ks_call* ks";
  if (effects_.uses_random) text += ", ks_stream ks_random, ks_u64 ks_at, unsigned ks_site";
  for (size_t i = 0; i < fn_.parameters.size(); ++i) {
    if (fn_.parameters[i].kind == TypeKind::none || fn_.parameters[i].kind == TypeKind::text ||
        fn_.parameters[i].kind == TypeKind::dtype)
      continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", text_of(fn_.parameters[i]),
                        names_[fn_.parameter_variables[i]]);
  }
  return text;
}

void FunctionLowering::keep(const std::string& name, const Type& type) {
  if (options_.is_cuda) return;
  if (type.is_array()) line("ks_keep {}{{{}.memory}};", temp("keep"), name);
  if (type.is_tuple())
    for (size_t i = 0; i < type.items.size(); ++i) keep(fmt::format("{}._{}", name, i), type.items[i]);
}

void FunctionLowering::retain(const std::string& name, const Type& type) {
  if (options_.is_cuda) return;
  if (type.is_array()) line("ks_retain({}.memory);", name);
  if (type.kind == TypeKind::optional) retain(name + ".value", type.items[0]);
  if (type.is_tuple())
    for (size_t i = 0; i < type.items.size(); ++i) retain(fmt::format("{}._{}", name, i), type.items[i]);
}

void FunctionLowering::declare(const std::string& name, const Type& type) {
  switch (type.kind) {
    case TypeKind::scalar: line("{} {}{{}};", text_of(type), name); break;
    case TypeKind::array:
      if (options_.is_cuda) line("{} {}{{}};", text_of(type), name);
      else line("{} {} = ks_no_array<{}, {}>();", text_of(type), name, text_of(type.dtype), type.ndim);
      keep(name, type);
      break;
    case TypeKind::tuple:
      line("{} {}{{}};", text_of(type), name);
      keep(name, type);
      break;
    case TypeKind::range: line("ks_range {}{{}};", name); break;
    default: break;
  }
}

std::string FunctionLowering::convert(const Val& value, const Type& type) {
  if (value.type == type || !type.is_known()) return value.text;
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
  if (type.is_tuple()) {
    const bool has_array = std::ranges::any_of(type.items, [](const Type& t) { return t.is_array() || t.is_tuple(); });
    if (has_array && !options_.is_cuda) {
      const Val pinned = pin(from);
      for (size_t i = 0; i < type.items.size(); ++i)
        assign(fmt::format("{}._{}", to, i), type.items[i],
               {fmt::format("{}._{}", pinned.text, i), from.type.items[i]});
      return;
    }
  }
  if (type.kind == TypeKind::none || type.kind == TypeKind::text || type.kind == TypeKind::dtype) return;
  const std::string text = convert(from, type);
  line("{} = {};", to, text);
}

void FunctionLowering::fail_if(const std::string& condition, const std::string& call) {
  effects_.may_fail = true;
  const int epoch = epoch_;
  open(fmt::format("if (KS_RARELY({}))", condition));
  line("{};", call);
  line("{}", fail_return());
  close();
  epoch_ = epoch;
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
  const bool is_void = fn_.result.kind == TypeKind::none;
  const std::string result = is_void ? "void" : text_of(fn_.result);
  fail_ = is_void ? "return;" : "return {};";
  random_ = {"ks_random", "ks_at", "ks_site", 0, {}, -1};

  std::set<int> parameters(fn_.parameter_variables.begin(), fn_.parameter_variables.end());
  const std::string head = fmt::format("static __device__ {} {} {}({})",
                                       effects_.is_recursive ? "" : "__forceinline__", result,
                                       "ks_fn_" + fn_.symbol, parameter_list());
  if (effects_.is_recursive) unit_.side(is_kernel_code_).declarations += head + ";\n";
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
    } else if (variable.n_assignments > 1 && variable.type.is_array()) {
      retain(names_[parameter], variable.type);
      keep(names_[parameter], variable.type);
    }
  }
  for (size_t i = 0; i < fn_.variables.size(); ++i)
    if (!parameters.contains(static_cast<int>(i)) && fn_.variables[i].type.is_known())
      declare(names_[i], fn_.variables[i].type);
  if (!options_.is_cuda) line("constexpr int ks_function = {};", index_);
  if (!options_.is_cuda && options_.python_errors) line("int ks_zero = 0;");
  effects_.has_loops = has_loop(fn_.body);
  block(fn_.body);
  if (!is_void) line("return {{}};");

  unit_.side(is_kernel_code_).text += fmt::format("\n{} {{\n{}}}\n", head, out_);
}

void FunctionLowering::block(const Block& statements) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const Stmt& stmt = *statements[i];
    if (defers(statements, i)) {
      deferred_[stmt.targets[0]->variable] = stmt.expr.get();
      deferred_fused_.erase(stmt.targets[0]->variable);  // of another copy of the loop
      remark(stmt.place, fmt::format("'{}' is made inside the expression that reads it, never stored", stmt.targets[0]->text));
      continue;
    }
    statement(stmt);
  }
}

void FunctionLowering::statement(const Stmt& stmt) {
  if (stmt.kind != StmtKind::pass && stmt.kind != StmtKind::break_ && stmt.kind != StmtKind::continue_)
    if (options_.is_checked)  // a finding names the user's file and line, whichever of our lines it is in
      line_mark_ = fmt::format("#line {} {}\n", source_.first_line + stmt.place.line - 1, quoted(source_.file));
    else
      out_ += fmt::format("#line {} \"{}\"\n", stmt.place.line, source_.name);
  switch (stmt.kind) {
    case StmtKind::pass: return;
    case StmtKind::expr:
      if (stmt.expr->kind != ExprKind::constant) {
        const Val value = expr(*stmt.expr);
        if (!value.text.empty() && !value.type.is_array()) line("(void)({});", value.text);
      }
      break;
    case StmtKind::assign: assignment(stmt); break;
    case StmtKind::augment: augmented(stmt); break;
    case StmtKind::return_: return_statement(stmt); return;
    case StmtKind::if_: {
      const std::string condition = truth(*stmt.expr);
      check_zero();
      open(fmt::format("if ({})", condition));
      block(stmt.body);
      if (!stmt.orelse.empty()) {
        --indent_;
        line("}} else {{");
        ++indent_;
        block(stmt.orelse);
      }
      close();
      return;
    }
    case StmtKind::for_: for_loop(stmt); break;
    case StmtKind::while_: while_loop(stmt); break;
    case StmtKind::break_:
      if (breaks_.back() == "!") error(stmt.place, "break inside a parallel loop cannot be compiled", "use range");
      if (!breaks_.back().empty()) line("{} = true;", breaks_.back());
      line("break;");
      return;
    case StmtKind::continue_: line("continue;"); return;
    case StmtKind::assert_: {
      if (options_.is_cuda) return;
      const std::string condition = truth(*stmt.expr);
      std::string message;
      if (stmt.message)
        if (const std::string* text = std::get_if<std::string>(&stmt.message->value)) message = *text;
      fail_if("!(" + condition + ")",
              fmt::format("ks_jit_fail(ks, ks_assertion_error, {}, {}, 0, 0, 0)", stmt.place.line, quoted(message)));
      break;
    }
    case StmtKind::raise: {
      if (options_.is_cuda) return;
      std::string message = stmt.text;
      if (stmt.message)
        if (const std::string* text = std::get_if<std::string>(&stmt.message->value)) message += "\n" + *text;
      effects_.may_fail = true;
      line("ks_jit_fail(ks, ks_raised, {}, {}, 0, 0, 0);", stmt.place.line, quoted(message));
      line("{}", fail_return());
      return;
    }
  }
  check_zero();
}

void FunctionLowering::return_statement(const Stmt& stmt) {
  if (in_one_thread_) {  // the host returns it
    if (stmt.expr && fn_.result.is_scalar()) line("ks_out->ks_result = {};", convert(expr(*stmt.expr), fn_.result));
    check_zero();
    line("ks_out->ks_returned = true;");
    line("return;");
    return;
  }
  if (is_parallel_) error(stmt.place, "return inside a parallel loop cannot be compiled");
  if (!stmt.expr || fn_.result.kind == TypeKind::none) {
    if (stmt.expr) expr(*stmt.expr);
    check_zero();
    line("{}", fn_.result.kind == TypeKind::none ? "return;" : "return {};");
    return;
  }
  const Val value = expr(*stmt.expr);
  if (fn_.result.is_scalar()) {
    const std::string text = convert(value, fn_.result);
    if (has_zero_ && !defer_zero_) {
      const std::string name = temp("result");
      line("const {} {} = {};", text_of(fn_.result), name, text);
      check_zero();
      line("return {};", name);
    } else {
      line("return {};", text);
    }
    return;
  }
  check_zero();
  const std::string name = temp("result");
  line("{} {} = {};", text_of(fn_.result), name, convert(value, fn_.result));
  retain(name, fn_.result);
  line("return {};", name);
}

void FunctionLowering::store(const Expr& target, const Val& value) {
  switch (target.kind) {
    case ExprKind::name: {
      const Type& type = fn_.variables[target.variable].type;
      assign(name_of(target.variable), type, value);
      return;
    }
    case ExprKind::tuple:
    case ExprKind::list: {
      const Val pinned = pin(value);
      for (size_t i = 0; i < target.items.size(); ++i) {
        if (value.type.is_array()) {
          const std::string at = loaded(fmt::format("{}.data[{} * {}.stride[0]]", pinned.text, i, pinned.text), value.type.dtype);
          if (i == 0 && !options_.is_cuda)
            fail_if(fmt::format("{}.shape[0] != {}", pinned.text, target.items.size()),
                    fmt::format("ks_jit_fail(ks, ks_value_error, {}, {}, {}.shape[0], {}, 0)",
                                target.place.line, quoted("{} values are unpacked into {} names"),
                                pinned.text, target.items.size()));
          store(*target.items[i], {at, Type::scalar(value.type.dtype)});
        } else {
          store(*target.items[i], {fmt::format("{}._{}", pinned.text, i), value.type.items[i]});
        }
      }
      return;
    }
    case ExprKind::subscript: {
      effects_.writes = true;
      const Type& object = target.items[0]->type;
      if (target.type.is_scalar()) {
        const Val pinned = pin(value);
        const std::string element = element_of(target, true);
        line("{} = {};", element, cast(pinned.text, value.type.dtype, object.dtype));
        return;
      }
      break;
    }
    default: break;
  }
  error(target.place, "this cannot be assigned to");
}

void FunctionLowering::assignment(const Stmt& stmt) {
  const Expr& target = *stmt.targets[0];
  // Stores of whole arrays keep the right side unevaluated, so that it fuses with the store.
  if (stmt.targets.size() == 1 && target.kind == ExprKind::subscript && target.type.is_array()) {
    effects_.writes = true;
    const Expr& index = *target.items[1];
    if (index.type.is_array()) {
      const Val object = expr(*target.items[0]);
      if (index.type.dtype != Dtype::bool_) error(target.place, "a store through an index array cannot be compiled yet",
                                                  "loop over the indices");
      if (!stmt.expr->type.is_scalar()) error(target.place, "a masked store takes a number in compiled code",
                                              "use np.where");
      if (uses_graph()) return graph_masked_store(object, index, *stmt.expr, target.place);
      const Val value = pin(expr(*stmt.expr));
      const Fused mask = fuse(index);
      const std::string s = shape(mask, target.place);
      elements(mask, s, {{object.text, object.type}}, [&](const Index& at) {
        const std::string offset = offset_text(object.text, object.type.ndim, at);
        line("if ({}) {}.data[{}] = {};", mask.element(at), object.text, offset,
             cast(value.text, value.type.dtype, object.type.dtype));
      }, false);
      return;
    }
    const Val to = view(target);
    store_array(to, *stmt.expr, stmt.place);
    return;
  }
  // (a, b) = (b, a): all values before the first store.
  if (stmt.targets.size() == 1 && target.kind == ExprKind::tuple && stmt.expr->kind == ExprKind::tuple &&
      target.items.size() == stmt.expr->items.size()) {
    std::vector<Val> values;
    for (const ExprPtr& item : stmt.expr->items) {
      Val value = expr(*item);
      if (value.type.is_scalar()) {
        const std::string name = temp();
        line("const {} {} = {};", text_of(value.type), name, value.text);
        value.text = name;
      } else if (value.type.is_array() && !options_.is_cuda) {
        const std::string name = temp();
        line("{} {} = {};", text_of(value.type), name, value.text);
        retain(name, value.type);
        keep(name, value.type);
        value.text = name;
      }
      values.push_back(value);
    }
    for (size_t i = 0; i < values.size(); ++i) store(*target.items[i], values[i]);
    return;
  }
  Val value = expr(*stmt.expr);
  if (stmt.targets.size() > 1) value = pin(value);
  for (const ExprPtr& each : stmt.targets) store(*each, value);
}

/// x[mask] op= number
void FunctionLowering::masked_augment(const Stmt& stmt) {
  const Expr& target = *stmt.targets[0];
  if (target.items[1]->type.dtype != Dtype::bool_)
    error(target.place, "a store through an index array cannot be compiled yet", "loop over the indices");
  if (!stmt.expr->type.is_scalar())
    error(target.place, "a masked store takes a number in compiled code", "use np.where");
  effects_.writes = true;
  const Val object = expr(*target.items[0]);
  if (uses_graph()) return graph_update(stmt.op, object, target.items[1].get(), *stmt.expr, target.place);
  const Val value = pin(expr(*stmt.expr));
  const Dtype own = object.type.dtype;
  const auto result = binary_type(stmt.op, object.type, value.type, stmt.expr.get());
  const Dtype dtype = stmt.op == Operator::divide ? floating_dtype(result->dtype) : result->dtype;
  const Fused mask = fuse(*target.items[1]);
  const std::string s = shape(mask, target.place);
  elements(mask, s, {{object.text, object.type}}, [&](const Index& at) {
    const std::string element = fmt::format("{}.data[{}]", object.text, offset_text(object.text, object.type.ndim, at));
    const std::string a = cast(element, own, dtype), b = cast(value.text, value.type.dtype, dtype);
    line("if ({}) {} = {};", mask.element(at), element, cast(arithmetic(stmt.op, a, b, dtype), dtype, own));
  }, false);
}

void FunctionLowering::augmented(const Stmt& stmt) {
  const Expr& target = *stmt.targets[0];
  if (target.kind == ExprKind::subscript && target.items[1]->type.is_array()) {
    masked_augment(stmt);
    return;
  }
  if (target.type.is_array()) {
    effects_.writes = true;
    const Val to = target.kind == ExprKind::name ? Val{name_of(target.variable), target.type} : view(target);
    if (uses_graph()) return graph_update(stmt.op, to, nullptr, *stmt.expr, stmt.place);
    Fused left;
    left.type = to.type;
    left.leaves.push_back({to.text, to.type});
    const std::string name = to.text;
    const Type type = to.type;
    left.element = [name, type](const Index& at) {
      return fmt::format("{}.data[{}]", name, offset_text(name, type.ndim, at));
    };
    Fused all = left;
    const auto result = binary_type(stmt.op, type, stmt.expr->type, stmt.expr.get());
    const Dtype dtype = stmt.op == Operator::divide ? floating_dtype(result->dtype) : result->dtype;
    std::function<std::string(const Index&)> right;
    Dtype right_dtype = stmt.expr->type.dtype;
    if (stmt.expr->type.is_array()) {
      const Fused other = fuse(*stmt.expr);
      for (const Fused::Leaf& leaf : other.leaves) all.leaves.push_back(leaf);
      right = other.element;
    } else {
      const Val value = pin(expr(*stmt.expr));
      right = [value](const Index&) { return value.text; };
    }
    const Operator op = stmt.op;
    all.element = [=, of = left.element](const Index& at) {
      const std::string a = cast(of(at), type.dtype, dtype), b = cast(right(at), right_dtype, dtype);
      return cast(arithmetic(op, a, b, dtype), dtype, type.dtype);
    };
    store_fused(to, all, stmt.place);
    return;
  }
  if (target.kind == ExprKind::name) {
    const Val left = {name_of(target.variable), fn_.variables[target.variable].type};
    const Val right = expr(*stmt.expr);
    const Type type = *binary_type(stmt.op, left.type, right.type, stmt.expr.get());
    const bool is_free = options_.fastmath && loop_depth_ > 0;
    if (is_free && stmt.op == Operator::add && type.is_floating() && type == left.type) {
      line("{} = ks_sum({}, {});", left.text, left.text, convert(right, type));
      return;
    }
    const Val value = combine(stmt.op, left, right, type, stmt.expr.get(), stmt.place);
    assign(left.text, left.type, value);
    return;
  }
  // x[i] op= v: the index is evaluated once.
  effects_.writes = true;
  const Type& object = target.items[0]->type;
  const std::string place = element_of(target, true);
  const std::string at = temp("at");
  line("auto&& {} = {};", at, place);
  const Val right = expr(*stmt.expr);
  const Val left = {loaded(at, object.dtype), Type::scalar(object.dtype)};
  const Type type = *binary_type(stmt.op, left.type, right.type, stmt.expr.get());
  const Val value = combine(stmt.op, left, right, type, stmt.expr.get(), stmt.place);
  line("{} = {};", at, cast(value.text, value.type.dtype, object.dtype));
}

namespace {

/// Text that fills `name` from words starting at `at`.
void unpack(std::string& out, const std::string& name, const Type& type, int& at, bool offloads) {
  switch (type.kind) {
    case TypeKind::scalar:
      if (is_complex(type.dtype)) {
        out += fmt::format("  {} = {}(*(const double*)(w + {}), *(const double*)(w + {}));\n", name,
                           text_of(type.dtype), at, at + 1);
        at += 2;
      } else {
        out += fmt::format("  {} = *(const {}*)(w + {});\n", name, text_of(type.dtype), at++);
      }
      break;
    case TypeKind::array:
      out += fmt::format("  {}.data = *({}* const*)(w + {});\n", name, text_of(type.dtype), at++);
      for (int k = 0; k < type.ndim; ++k)
        out += fmt::format("  {}.shape[{}] = (ks_i64)w[{}];\n", name, k, at++);
      if (type.is_contiguous) {
        out += fmt::format("  ks_set_strides({});\n", name);
        at += type.ndim;
      } else {
        for (int k = 0; k < type.ndim; ++k)
          out += fmt::format("  {}.stride[{}] = (ks_i64)w[{}];\n", name, k, at++);
      }
      if (offloads) out += fmt::format("  {}.memory = (ks_memory*)w[{}];\n", name, at);
      else out += fmt::format("  {}.memory = nullptr;\n", name);
      ++at;
      break;
    case TypeKind::tuple:
      for (size_t i = 0; i < type.items.size(); ++i)
        unpack(out, fmt::format("{}._{}", name, i), type.items[i], at, offloads);
      break;
    default: break;
  }
}

void pack(std::string& out, const std::string& name, const Type& type, int& at) {
  switch (type.kind) {
    case TypeKind::scalar:
      if (is_complex(type.dtype)) {
        out += fmt::format("  *(double*)(w + {}) = {}.re;\n  *(double*)(w + {}) = {}.im;\n", at, name, at + 1, name);
        at += 2;
      } else {
        out += fmt::format("  *({}*)(w + {}) = {};\n", text_of(type.dtype), at++, name);
      }
      break;
    case TypeKind::array:
      out += fmt::format("  w[{}] = (ks_u64)({}*){}.data;\n", at++, text_of(type.dtype), name);
      for (const char* field : {"shape", "stride"})
        for (int k = 0; k < type.ndim; ++k)
          out += fmt::format("  w[{}] = (ks_u64){}.{}[{}];\n", at++, name, field, k);
      out += fmt::format("  w[{}] = (ks_u64){}.memory;\n", at++, name);
      break;
    case TypeKind::tuple:
      for (size_t i = 0; i < type.items.size(); ++i) pack(out, fmt::format("{}._{}", name, i), type.items[i], at);
      break;
    case TypeKind::optional:
      out += fmt::format("  w[{}] = {}.is_some;\n", at++, name);
      pack(out, name + ".value", type.items[0], at);
      break;
    default: break;
  }
}

bool has_text(const Type& type) {
  return type.kind == TypeKind::none || type.kind == TypeKind::text || type.kind == TypeKind::dtype;
}

}  // namespace

/// The whole text: ks_jit.h with the helpers that it calls, those that only this text calls,
/// functions of ops.def's rows, and what was written.
static void set_text(Program& program, const char* defines, const std::string& text) {
  const std::string support(support_text()), functions = op_functions(text);
  program.text = fmt::format("{}#include \"ks_jit.h\"\n{}{}{}", defines, helper_text(functions + text, support), functions, text);
  program.headers.emplace_back("ks_jit.h", "#define ks_helper __device__ __forceinline__\n" + helper_text(support) + support);
  program.is_generated = true;
}

Lowered lower(const TypedUnit& unit, bool offloads) {
  UnitLowering lowering(unit, offloads);
  lowering.function(0);
  const TypedFunction& root = *unit.functions[0];
  const Effects& effects = lowering.host.effects[0];

  std::string entry;
  int at = 0;
  std::string arguments = "ks";
  if (effects.uses_random) arguments += ", ks_stream_of(ks), 0, 0";
  for (size_t i = 0; i < root.parameters.size(); ++i) {
    const Type& type = root.parameters[i];
    if (has_text(type)) continue;
    const std::string name = fmt::format("a{}", i);
    entry += fmt::format("  {} {};\n", text_of(type), name);
    unpack(entry, name, type, at, offloads);
    arguments += ", " + name;
  }
  if (root.result.kind == TypeKind::none) {
    entry += fmt::format("  ks_fn_{}({});\n", root.symbol, arguments);
  } else {
    entry += fmt::format("  const {} result = ks_fn_{}({});\n", text_of(root.result), root.symbol, arguments);
    int result_at = 0;
    entry += "  if (ks->status) return;\n";
    pack(entry, "result", root.result, result_at);
  }
  Lowered lowered;
  lowered.entry = safe_name(root.symbol);
  const std::string checks = root.function->options.is_checked ? "extern \"C\" __device__ void ks_check_iteration(ks_i64);\n"
                                                                 "extern \"C\" __device__ void ks_check_interval();\n"
                                                                 "extern \"C\" __device__ void ks_check_array(const void*, const char*, ks_u64, int, const ks_i64*, const ks_i64*);\n"
                                                               : "";
  if (offloads) {
    lowered.kernels = lowering.kernel_names;
    lowered.device_words = (lowering.device.text + lowering.kernels).find("ks->words") != std::string::npos;
    set_text(lowered.device_program, "#define KS_JIT_DEVICE 1\n",
             fmt::format("{}{}{}{}", lowering.device.declarations, lowering.captures, lowering.device.text, lowering.kernels));
    lowered.device_program.file = root.function->name;
  }
  set_text(lowered.program, offloads ? "#define KS_JIT_HOST 1\n#define KS_JIT_OFFLOAD 1\n" : "#define KS_JIT_HOST 1\n",
           fmt::format("{}{}{}{}\nextern \"C\" __global__ void {}(ks_call* ks) {{\n  ks_u64* const w = ks->words;\n{}}}\n", checks,
                       lowering.captures, lowering.host.declarations, lowering.host.text, lowered.entry, entry));
  lowered.program.is_checked = root.function->options.is_checked;
  lowered.program.file = root.function->name;
  lowered.arguments = root.parameters;
  for (const Type& type : unit.hidden) lowered.arguments.push_back(type);
  lowered.result = root.result;
  lowered.uses_random = effects.uses_random;
  for (const auto& [index, effect] : lowering.host.effects) lowered.has_loops |= effect.has_loops || effect.is_recursive;
  lowered.remarks = std::move(lowering.remarks);
  return lowered;
}

Lowered lower_kernel(const TypedUnit& unit) {
  UnitLowering lowering(unit, false);
  lowering.function(0);
  const TypedFunction& root = *unit.functions[0];
  std::string parameters, arguments;
  for (size_t i = 0; i < root.parameters.size(); ++i) {
    const Type& type = root.parameters[i];
    if (has_text(type)) continue;
    const std::string name = safe_name(root.function->parameters[i].name);
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", text_of(type), name);
    arguments += (arguments.empty() ? "" : ", ") + name;
  }
  Lowered lowered;
  lowered.entry = safe_name(root.symbol);
  const bool is_checked = root.function->options.is_checked;
  set_text(lowered.program, "",
           fmt::format("{}{}{}\nextern \"C\" __global__ void {}({}) {{\n  ks_fn_{}({});\n}}\n",
                       is_checked ? "extern \"C\" __device__ ks_i64 ks_check_index(ks_i64, ks_i64, int, const char*, const char*, int, ks_u64, ks_u64);\n" : "",
                       lowering.host.declarations, lowering.host.text, lowered.entry, parameters, root.symbol, arguments));
  lowered.program.file = root.function->name;
  lowered.program.is_generated = !is_checked;  // the checker asks for its threads
  if (is_checked) lowered.program.options.push_back("-w");
  lowered.program.is_checked = is_checked;
  lowered.arguments = root.parameters;
  lowered.result = root.result;
  lowered.remarks = std::move(lowering.remarks);
  return lowered;
}

}  // namespace kasoku::jit
