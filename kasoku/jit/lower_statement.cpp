/// Text of statements: assignments and stores, returns, branches.
#include "kasoku/jit/lowering.h"

#include <algorithm>

namespace kasoku::jit {

/// `if reaches(...): return ...`. Where the answer is yes, nothing behind it is reached; loops that have no form there may stand in it.
static bool is_left_to_engine(const Stmt& stmt) {
  if (stmt.kind != StmtKind::if_ || stmt.body.empty() || stmt.body.back()->kind != StmtKind::return_) return false;
  const Intrinsic* row = intrinsic_of(*stmt.expr);
  return row && row->handler == Handler::reaches;
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
    if (uses_graph() && is_left_to_engine(stmt)) break;
  }
}

void FunctionLowering::mark(Place place) {
  if (options_.is_checked)  // a finding names the user's file and line, whichever of our lines it is in
    line_mark_ = fmt::format("#line {} {}\n", source_.first_line + place.line - 1, quoted(source_.file));
  else
    out_ += fmt::format("#line {} \"{}\"\n", place.line, source_.name);
}

void FunctionLowering::statement(const Stmt& stmt) {
  if (stmt.kind != StmtKind::pass && stmt.kind != StmtKind::break_ && stmt.kind != StmtKind::continue_ &&
      stmt.kind != StmtKind::leave)
    mark(stmt.place);
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
    case StmtKind::continue_: jump(stmt.kind, stmt.place); return;
    case StmtKind::block: block_statement(stmt); return;
    case StmtKind::leave: leave_statement(stmt); return;
    case StmtKind::try_: try_statement(stmt); return;
    case StmtKind::finally_: finally_statement(stmt); return;
    case StmtKind::except_:
    case StmtKind::else_: return;  // of their try
    case StmtKind::del_: return;   // see note_assignments() of variables.cpp
    case StmtKind::assert_: {
      if (!raises_) return;
      const std::string condition = truth(*stmt.expr);
      std::string message;
      if (stmt.message)
        if (const std::string* text = std::get_if<std::string>(&stmt.message->value)) message = *text;
      fail_if("!(" + condition + ")",
              fmt::format("ks_jit_fail(ks, ks_assertion_error, {}, {}, 0, 0, 0)", stmt.place.line, quoted(message)));
      break;
    }
    case StmtKind::raise: raise_statement(stmt); return;
  }
  check_zero();
}

void FunctionLowering::block_statement(const Stmt& stmt) {
  if (uses_graph())
    error(stmt.place, "a loop over a generator or a tuple of several types that is left cannot be compiled for arrays that lie on a device");
  const std::string label = temp("end");
  blocks_[stmt.level] = {label, finals_.size(), is_parallel_};
  open("");
  block(stmt.body);
  close();
  line("{}:;", label);
}

void FunctionLowering::leave_statement(const Stmt& stmt) {
  const Left& left = blocks_.at(stmt.level);
  if (finals_.size() > left.n_finals)
    error(stmt.place, "a loop over a generator or a tuple of several types that is left through finally cannot be compiled");
  if (is_parallel_ != left.is_parallel)
    error(stmt.place, "a generator that yields inside a parallel loop cannot be left there", "use range");
  line("goto {};", left.label);
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
  if (!finals_.empty()) {
    const Val value = stmt.expr ? expr(*stmt.expr) : Val{"", Type::none()};
    check_zero();
    return return_through(value);
  }
  if (!stmt.expr || fn_.result.is_symbol()) {
    if (stmt.expr) expr(*stmt.expr);
    check_zero();
    line("{}", fn_.result.is_symbol() ? "return;" : "return {};");
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

/// The items for as many targets, before the first is stored: a target may be where they come from.
std::vector<Val> FunctionLowering::unpacked(const Val& value, const Expr& target) {
  const Type& type = value.type;
  const Val pinned = type.is_list() ? owned_item(value.text, type) : pin(value);
  const size_t n = target.items.size();
  if (!type.is_tuple() && raises_) {
    const std::string length = type.is_list() ? fmt::format("ks_length({})", pinned.text) : pinned.text + ".shape[0]";
    fail_if(fmt::format("{} != {}", length, n), fmt::format("ks_jit_fail(ks, ks_value_error, {}, {}, {}, {}, 0)", target.place.line,
                                                            quoted("{} values are unpacked into {} names"), length, n));
  }
  std::vector<Val> items;
  for (size_t i = 0; i < n; ++i) {
    if (type.is_tuple()) {
      items.push_back({fmt::format("{}._{}", pinned.text, i), type.items[i]});
    } else if (type.is_list()) {
      items.push_back(pin(owned_item(fmt::format("ks_item({}, {})", pinned.text, i), type.items[0])));
    } else if (type.ndim == 1) {
      items.push_back(pin({loaded(fmt::format("{}.data[{} * {}.stride[0]]", pinned.text, i, pinned.text), type.dtype), Type::scalar(type.dtype)}));
    } else {
      const Type row_type = type.view(type.dtype, type.ndim - 1, type.is_contiguous);
      const std::string row = temp("row");
      line("{} {};", text_of(row_type), row);
      line("{0}.data = {1}.data + {2} * {1}.stride[0];", row, pinned.text, i);
      for (int k = 0; k < row_type.ndim; ++k) line("{0}.shape[{1}] = {2}.shape[{3}]; {0}.stride[{1}] = {2}.stride[{3}];", row, k, pinned.text, k + 1);
      if (!options_.is_cuda) line("{}.memory = {}.memory;", row, pinned.text);
      items.push_back({row, row_type});
    }
  }
  return items;
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
      const std::vector<Val> items = unpacked(value, target);
      for (size_t i = 0; i < items.size(); ++i) store(*target.items[i], items[i]);
      return;
    }
    case ExprKind::attribute:
      if (!target.items[0]->type.is_instance()) return field_store(target, value);
      effects_.writes = true;
      return assign(attribute_place(target), target.type, value);
    case ExprKind::subscript: {
      effects_.writes = true;
      if (!field_name(target).empty()) return field_store(target, value);
      if (target.type.is_record()) return record_store(target, value);
      const Type& object = target.items[0]->type;
      if (object.is_list()) return list_store(target, value);
      if (object.is_dict()) return dict_store(target, value);
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
  const bool is_field = (target.kind == ExprKind::subscript || target.kind == ExprKind::attribute) && !field_name(target).empty();
  if (is_field && target.type.is_array() && stmt.targets.size() == 1) {
    effects_.writes = true;
    return store_array(expr(target), *stmt.expr, stmt.place);
  }
  // Stores of whole arrays keep the right side unevaluated, so that it fuses with the store.
  if (stmt.targets.size() == 1 && target.kind == ExprKind::subscript && target.type.is_array() && target.items[0]->type.is_array()) {
    effects_.writes = true;
    const Expr& index = *target.items[1];
    if (index.type.is_array()) return masked_store(target, *stmt.expr);
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
      } else if ((value.type.is_array() || value.type.is_counted()) && !options_.is_cuda) {
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
  // An array that the expression made, under a name of ours: its owner changes without being counted.
  const bool is_made =
      value.type.is_array() && value.text.starts_with("ks_array") && value.text.find('<') == std::string::npos;
  if (is_made && stmt.targets.size() == 1 && target.kind == ExprKind::name &&
      fn_.variables[target.variable].type.is_array() && !options_.is_cuda && !options_.is_checked && !uses_graph())
    return line("ks_move({}, {});", name_of(target.variable), value.text);
  if (stmt.targets.size() > 1) value = pin(value);
  for (const ExprPtr& each : stmt.targets) store(*each, value);
}

void FunctionLowering::augmented_array(const Stmt& stmt, const Val& to) {
  effects_.writes = true;
  if (uses_graph()) return graph_update(stmt.op, to, nullptr, *stmt.expr, stmt.place);
  const Fused left = array_element(to);
  const Type type = to.type;
  Fused all = left;
  const auto result = binary_type(stmt.op, type, stmt.expr->type, stmt.expr.get());
  const Dtype dtype = stmt.op == Operator::divide ? floating_dtype(result->dtype) : result->dtype;
  std::function<std::string(const Index&)> right;
  Dtype right_dtype = stmt.expr->type.dtype;
  const Fused other = fuse(*stmt.expr);
  all.leaves.insert(all.leaves.end(), other.leaves.begin(), other.leaves.end());
  all.gathered = other.gathered;
  right = other.element;
  want_operand(stmt.op, *stmt.expr, other, dtype);
  const Operator op = stmt.op;
  all.element = [=, of = left.element](const Index& at) {
    const std::string a = cast(of(at), type.dtype, dtype), b = cast(right(at), right_dtype, dtype);
    return cast(arithmetic(op, a, b, dtype), dtype, type.dtype);
  };
  store_fused(to, all, stmt.place);
}

void FunctionLowering::augmented(const Stmt& stmt) {
  const Expr& target = *stmt.targets[0];
  want_value(target);
  if (target.type.is_scalar() && target.kind != ExprKind::name && !field_name(target).empty()) return field_augmented(stmt);
  if (target.kind == ExprKind::subscript && target.items[1]->type.is_array()) {
    masked_augment(stmt);
    return;
  }
  const bool is_held_array =
      target.type.is_array() && target.kind == ExprKind::subscript && target.items[0]->type.is_container();
  if (is_held_array) return augmented_array(stmt, expr(target));
  if (target.type.is_set() || (target.kind == ExprKind::subscript && target.items[0]->type.is_dict() && !target.type.is_container()))
    return dict_augmented(stmt);
  if (target.type.is_list() || (target.kind == ExprKind::subscript && target.items[0]->type.is_list())) {
    effects_.writes = true;
    if (target.type.is_list()) {
      want_own(target, stmt.place);
      const Val list = expr(target);
      return put(fmt::format("ks_extend({}, {})", list.text, expr(*stmt.expr).text), stmt.place);
    }
    const Val list = expr(*target.items[0]);
    const std::string i = list_index(*target.items[1], list);
    const Val right = pin(expr(*stmt.expr));
    const Val left = pin({fmt::format("ks_item({}, {})", list.text, i), target.type});
    const Type type = *binary_type(stmt.op, left.type, right.type, stmt.expr.get());
    const Val value = combine(stmt.op, left, right, type, stmt.expr.get(), stmt.place);
    line("ks_set_item({}, {}, ({}){});", list.text, i, text_of(list.type.items[0]), convert(value, list.type.items[0]));
    return;
  }
  if (target.type.is_array())
    return augmented_array(stmt, target.kind == ExprKind::name        ? Val{name_of(target.variable), target.type}
                                 : target.kind == ExprKind::attribute ? expr(target)
                                                                      : view(target));
  if (target.kind == ExprKind::attribute) {
    effects_.writes = true;
    const std::string place = attribute_place(target);
    const Val left = pin({place, target.type});
    const Val right = expr(*stmt.expr);
    const Type type = *binary_type(stmt.op, left.type, right.type, stmt.expr.get());
    return assign(place, target.type, combine(stmt.op, left, right, type, stmt.expr.get(), stmt.place));
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

}  // namespace kasoku::jit
