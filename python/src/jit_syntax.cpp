/// \file python/src/jit_syntax.cpp
/// Nodes of Python's ast as expressions and statements.
#include "jit_reader.h"
#include "kasoku/base/error.h"
#include "kasoku/jit/infer.h"
#include "kasoku/jit/intrinsics.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kasoku {

using namespace jit;

Operator Reader::operator_of(nb::handle op) {
  static const std::map<std::string, Operator> names = {
      {"Add", Operator::add}, {"Sub", Operator::subtract}, {"Mult", Operator::multiply},
      {"Div", Operator::divide}, {"FloorDiv", Operator::floor_divide}, {"Mod", Operator::modulo},
      {"Pow", Operator::power}, {"MatMult", Operator::matmul}, {"LShift", Operator::left_shift},
      {"RShift", Operator::right_shift}, {"BitAnd", Operator::bit_and}, {"BitOr", Operator::bit_or},
      {"BitXor", Operator::bit_xor}, {"USub", Operator::negative}, {"UAdd", Operator::positive},
      {"Invert", Operator::invert}, {"Not", Operator::not_}, {"And", Operator::and_}, {"Or", Operator::or_},
      {"Lt", Operator::less}, {"LtE", Operator::less_equal}, {"Gt", Operator::greater},
      {"GtE", Operator::greater_equal}, {"Eq", Operator::equal}, {"NotEq", Operator::not_equal},
      {"Is", Operator::is}, {"IsNot", Operator::is_not}, {"In", Operator::in}, {"NotIn", Operator::not_in}};
  return names.at(class_name(op));
}

ExprPtr Reader::constant(nb::handle node) {
  ExprPtr e = make_expr(ExprKind::constant, place(node));
  nb::object value = node.attr("value");
  if (value.is(nb::handle(Py_Ellipsis))) {
    e->kind = ExprKind::ellipsis;
    return e;
  }
  Binding binding = classify(value, "constant");
  if (binding.kind != Binding::Kind::value) fail(node, fmt::format("{} cannot be used in compiled code", binding.name));
  e->value = binding.value;
  return e;
}

ExprPtr Reader::name_or_global(nb::handle node) {
  ExprPtr e = make_expr(ExprKind::name, place(node));
  const std::string name = nb::cast<std::string>(node.attr("id"));
  if (std::ranges::find(frame_->caught, name) != frame_->caught.end())
    fail(node, fmt::format("the exception '{}' can only be raised again in compiled code", name), "catch its class, and say what is to be known of it when it is raised");
  std::vector<std::string> names;
  if (ExprPtr inside = inner_value(node, name, false, names)) return inside;
  if (!frame_->locals.contains(name)) return global(look_up(name, node), name, node);
  e->text = frame_->prefix + name;
  return e;
}

ExprPtr Reader::subscript(nb::handle node) {
  ExprPtr e = make_expr(ExprKind::subscript, place(node));
  if (nb::object member = resolve(node); member.is_valid()) return global(member, "member", node);
  e->items.push_back(expr(node.attr("value")));
  e->items.push_back(expr(node.attr("slice")));
  const auto array_of_list = [](ExprPtr& index) {
    if (index->kind == ExprKind::list) index = row_of(std::move(index));
  };
  array_of_list(e->items[1]);
  if (e->items[1]->kind == ExprKind::tuple)
    for (ExprPtr& item : e->items[1]->items) array_of_list(item);
  if (const char* name = index_function(node)) {
    e->binding.kind = Binding::Kind::function;
    e->binding.function = read({library().attr("indices").attr(name), options_, {}}, false);
  }
  return e;
}

ExprPtr Reader::unary(nb::handle node) {
  ExprPtr e = make_expr(ExprKind::unary, place(node));
  e->op = operator_of(node.attr("op"));
  e->items.push_back(expr(node.attr("operand")));
  const uint64_t* magnitude = e->items[0]->kind == ExprKind::constant ? std::get_if<uint64_t>(&e->items[0]->value) : nullptr;
  if (e->op == Operator::negative && magnitude && *magnitude == uint64_t{1} << 63) {  // the least int64
    e = std::move(e->items[0]);
    e->value = std::numeric_limits<int64_t>::min();
  }
  return e;
}

ExprPtr Reader::dict_display(nb::handle node) {
  ExprPtr e = make_expr(ExprKind::dict, place(node));
  size_t i = 0;
  for (nb::handle key : node.attr("keys")) {
    if (key.is_none()) fail(node, "**d in a dict cannot be compiled", "use update");
    e->items.push_back(expr(key));
    e->items.push_back(expr(node.attr("values")[i++]));
  }
  return e;
}

ExprPtr Reader::starred_argument(nb::handle node) {
  ExprPtr starred = make_expr(ExprKind::starred, place(node));
  ExprPtr value = expr(node.attr("value"));
  if (class_name(node.attr("value")) != "Name") {
    ExprPtr named = make_expr(ExprKind::walrus, starred->place);
    named->items.push_back(make_name(fmt::format("ks_given_{}", n_given_++), starred->place));
    named->items.push_back(std::move(value));
    value = std::move(named);
  }
  starred->items.push_back(std::move(value));
  return starred;
}

ExprPtr Reader::call(nb::handle node) {
  if (nb::object called = node.attr("func"); class_name(called) == "Name" && nb::cast<std::string_view>(called.attr("id")) == "ks_as_it_is") {
    ExprPtr name = expr(nb::object(node.attr("args")[0]));  // what a generator keeps (_generator_steps.py)
    name->may_be_unset = true;
    return name;
  }
  ExprPtr e = make_expr(ExprKind::call, place(node));
  if (nb::object text = scopes().attr("as_f_string")(node); !text.is_none()) return keep_.push_back(text), text_of_parts(text);
  if (nb::object made = scopes().attr("as_sort_by_key")(node); !made.is_none())
    return keep_.push_back(made), made_call(nb::borrow<nb::tuple>(made), node);
  if (ExprPtr made = list_call(node)) return made;
  if (ExprPtr made = folded_call(node)) return made;
  if (ExprPtr made = dict_call(node)) return made;
  if (ExprPtr made = isinstance_call(node)) return made;
  if (ExprPtr made = issubdtype_call(node)) return made;
  if (ExprPtr made = call_with_generators(node)) return made;
  if (ExprPtr made = library_call(node)) return made;
  if (ExprPtr made = dtype_call(node)) return made;
  std::vector<std::string> names;  // of variables that a function inside is given
  nb::object called = node.attr("func");
  ExprPtr inside = called.type().is(ast_class("Name")) ? inner_value(called, nb::cast<std::string>(called.attr("id")), true, names) : nullptr;
  if (inside) e->items.push_back(std::move(inside));
  else e->items.push_back(expr(called));
  if (Expr& method = *e->items[0]; method.kind == ExprKind::attribute) {
    nb::object written = library().attr("method")(method.text);
    if (!written.is_none()) {
      method.binding.kind = Binding::Kind::function;
      method.binding.function = read({written, options_, {}}, false);
    }
    method.binding.overloaded = overloaded(nb::str(("." + method.text).c_str()));
  }
  for (nb::handle argument : node.attr("args"))
    e->items.push_back(class_name(argument) == "Starred" ? starred_argument(argument) : expr(argument));
  for (nb::handle keyword : node.attr("keywords")) {
    if (keyword.attr("arg").is_none()) fail(node, "**arguments cannot be compiled");
    e->items.push_back(expr(keyword.attr("value")));
    e->keywords.push_back(nb::cast<std::string>(keyword.attr("arg")));
  }
  give(*e, names, node);
  const Intrinsic* const row = intrinsic_of(*e);
  const bool is_of_names = row && row->handler == Handler::make_array && e->items.size() == 2 && (e->items[1]->kind == ExprKind::list || e->items[1]->kind == ExprKind::tuple) &&
                           !e->items[1]->items.empty() && e->items[1]->items[0]->kind != ExprKind::constant;
  if (is_of_names) e->binding = written("shapes", "stack", node)->binding;  // of arrays
  return e;
}

ExprPtr Reader::written(const char* module, const std::string& name, nb::handle node) {
  Binding binding;
  binding.kind = Binding::Kind::function;
  binding.name = name;
  binding.function = read({library().attr(module).attr(name.c_str()), options_, {}}, false);
  return global_expr(binding, name, place(node));
}

ExprPtr Reader::attribute_call(nb::handle node) {
  nb::object made = library().attr("attribute")(node, nb::cpp_function([this](nb::handle each) {
    nb::object found = resolve(each);
    return found.is_valid() ? found : nb::none();
  }));
  if (made.is_none()) return nullptr;
  ExprPtr e = make_expr(ExprKind::call, place(node));
  e->items.push_back(written("attributes", nb::cast<std::string>(made[0]), node));
  e->items.push_back(expr(made[1]));
  return e;
}

ExprPtr Reader::expr(nb::handle node) {
  auto e = std::make_unique<Expr>();
  e->place = place(node);
  const std::string kind = class_name(node);
  const auto add = [&](const char* name) { e->items.push_back(expr(node.attr(name))); };
  const auto all = [&](const char* name) {
    for (nb::handle item : node.attr(name)) e->items.push_back(expr(item));
  };
  if (kind == "Constant") return constant(node);
  if (kind == "Name") return name_or_global(node);
  if (kind == "Subscript") return subscript(node);
  if (kind == "UnaryOp") return unary(node);
  if (kind == "Call") return call(node);
  if (kind == "Dict") return dict_display(node);
  if (kind == "JoinedStr") return text_of_parts(node);
  if (kind == "ListComp" || kind == "DictComp" || kind == "SetComp") return comprehension(node);
  if (kind == "Attribute") {
    nb::object object = resolve(node);
    const std::string name = nb::cast<std::string>(node.attr("attr"));
    if (object.is_valid()) return global(object, name, node);
    if (ExprPtr made = attribute_call(node)) return made;
    e->kind = ExprKind::attribute;
    e->text = name;
    e->binding.overloaded = overloaded(nb::str(("=" + name).c_str()));
    add("value");
  } else if (kind == "Slice") {
    e->kind = ExprKind::slice;
    for (const char* part : {"lower", "upper", "step"}) e->items.push_back(optional(node.attr(part)));
  } else if (kind == "BinOp") {
    if (nb::object text = scopes().attr("as_f_string")(node); !text.is_none()) return keep_.push_back(text), text_of_parts(text);
    e->kind = ExprKind::binary;
    e->op = operator_of(node.attr("op"));
    add("left"), add("right");
  } else if (kind == "Compare") {
    e->kind = ExprKind::compare;
    add("left"), all("comparators");
    for (nb::handle op : node.attr("ops")) e->ops.push_back(operator_of(op));
  } else if (kind == "BoolOp") {
    e->kind = ExprKind::logic;
    e->op = operator_of(node.attr("op"));
    all("values");
  } else if (kind == "IfExp") {
    e->kind = ExprKind::conditional;
    add("test"), add("body"), add("orelse");
  } else if (kind == "Tuple" || kind == "List") {
    e->kind = kind == "Tuple" ? ExprKind::tuple : ExprKind::list;
    all("elts");
  } else if (kind == "Set") {
    e->kind = ExprKind::set;
    all("elts");
  } else if (kind == "NamedExpr") {
    e->kind = ExprKind::walrus;
    add("target"), add("value");
  } else if (kind == "Yield" || kind == "YieldFrom") {
    fail(node, "a generator is compiled only as what a for loop runs over, by its name", "write for … in f(…)");
  } else if (kind == "Lambda") {
    keep_.push_back(nb::borrow(node));
    std::vector<std::string> names;
    return function_value(node, "lambda_", node, frame_, false, names);
  } else {
    fail(node, fmt::format("{} cannot be compiled yet", describe_syntax(kind)));
  }
  return e;
}

ExprPtr Reader::text_of_part(nb::handle node) {
  if (class_name(node) != "FormattedValue") return expr(node);
  const auto call = [&](const char* name, ExprPtr value) {
    Binding binding;
    binding.kind = Binding::Kind::intrinsic;
    binding.name = name;
    ExprPtr made = make_expr(ExprKind::call, place(node));
    made->items.push_back(global_expr(binding, name + std::string_view("builtins.").size(), made->place));
    made->items.push_back(std::move(value));
    return made;
  };
  ExprPtr value = expr(node.attr("value"));
  const int conversion = nb::cast<int>(node.attr("conversion"));
  if (conversion == 'a') fail(node, "!a cannot be compiled");
  if (conversion >= 0) value = call(conversion == 'r' ? "builtins.repr" : conversion == 'd' ? "builtins.int" : "builtins.str", std::move(value));
  ExprPtr made = call("builtins.format", std::move(value));
  if (nb::object spec = node.attr("format_spec"); !spec.is_none()) made->items.push_back(text_of_parts(spec));
  return made;
}

ExprPtr Reader::text_of_parts(nb::handle node) {
  ExprPtr all;
  for (nb::handle part : node.attr("values")) {
    ExprPtr next = text_of_part(part);
    if (!all) {
      all = std::move(next);
      continue;
    }
    ExprPtr sum = make_expr(ExprKind::binary, place(node));
    sum->items.push_back(std::move(all)), sum->items.push_back(std::move(next));
    all = std::move(sum);
  }
  return all ? std::move(all) : make_constant(std::string(), place(node));
}

/// What does the work if an index is an array and the other axes are more: see kasoku/_library/indices.py.
const char* Reader::index_function(nb::handle subscript) {
  if (options_.is_cuda) return nullptr;
  nb::object index = subscript.attr("slice");
  const auto may_be_array = [](nb::handle node) {
    for (const char* kind : {"Name", "Compare", "Call", "BinOp", "BoolOp", "UnaryOp", "Attribute", "Subscript", "List"})
      if (class_name(node) == kind) return true;
    return false;
  };
  const bool is_store = class_name(nb::object(subscript.attr("ctx"))) == "Store";
  if (class_name(index) == "Slice" && is_store) return "store_slice";
  if (class_name(index) != "Tuple") return may_be_array(index) ? is_store ? "scatter_1" : "gather_1" : nullptr;
  nb::object items = index.attr("elts");
  if (nb::len(items) != 2) return nullptr;
  bool any = false;
  for (nb::handle item : items) {
    const bool is_whole = class_name(item) == "Slice" && item.attr("lower").is_none() && item.attr("upper").is_none() && item.attr("step").is_none();
    if (!is_whole && !may_be_array(item) && (class_name(item) != "Constant" || !PyLong_CheckExact(nb::object(item.attr("value")).ptr()))) return nullptr;
    any |= may_be_array(item);
  }
  return any ? is_store ? "scatter_2" : "gather_2" : nullptr;
}

std::string Reader::describe_syntax(const std::string& kind) {
  static const std::map<std::string, std::string> names = {{"GeneratorExp", "a generator expression"},
                                                           {"Starred", "a starred expression"},
                                                           {"TryStar", "except*"},
                                                           {"With", "with"},
                                                           {"FunctionDef", "a function inside a compiled function"},
                                                           {"ClassDef", "a class"},
                                                           {"Delete", "del"},
                                                           {"Global", "global"},
                                                           {"Nonlocal", "nonlocal"},
                                                           {"Import", "import"},
                                                           {"ImportFrom", "import"},
                                                           {"Await", "await"}};
  const auto found = names.find(kind);
  return found == names.end() ? kind : found->second;
}

Block Reader::block(nb::handle nodes) {
  Block statements;
  for (nb::handle node : nodes) {
    if (class_name(node) == "For" && generator_loop(node, statements)) continue;
    if (class_name(node) == "Match") {
      match(node, statements);
      continue;
    }
    if (frame_->yields && class_name(node) == "Expr") {
      nb::object value = node.attr("value");
      if (class_name(value) == "YieldFrom") {
        nb::object loop = scopes().attr("yield_from")(value);
        keep_.push_back(loop);
        frame_->locals.insert("ks_item");
        if (!generator_loop(loop, statements)) statements.push_back(statement(loop));
        continue;
      }
      if (class_name(value) == "Yield") {
        yield(value.attr("value"), statements);
        continue;
      }
    }
    StmtPtr stmt = statement(node);
    if (stmt) statements.push_back(std::move(stmt));
  }
  return statements;
}

/// A match as the `if` statements that it is.
void Reader::match(nb::handle node, Block& out) {
  nb::object made = scopes().attr("match_statement")(node, n_given_++);
  if (nb::isinstance<nb::str>(made)) fail(node, nb::cast<std::string>(made));
  keep_.push_back(made);
  for (nb::handle name : nb::object(made[1])) frame_->locals.insert(nb::cast<std::string>(name));
  Block statements = block(made[0]);
  std::move(statements.begin(), statements.end(), std::back_inserter(out));
}

/// `a, *b = x`: the items of a tuple that a function gives; null if there is no star.
StmtPtr Reader::starred_assignment(nb::handle node) {
  const std::string target = class_name(nb::object(node.attr("targets")[0]));
  if (target != "Tuple" && target != "List") return nullptr;
  nb::object made = scopes().attr("starred_assignment")(node);
  if (made.is_none()) return nullptr;
  keep_.push_back(made);
  StmtPtr stmt = make_stmt(StmtKind::assign, place(node));
  stmt->expr = made_call(nb::make_tuple(made[1], made[2]), node);
  stmt->targets.push_back(expr(made[0]));
  return stmt;
}

namespace {

/// Whether the names of an import mean what `imported()` of kasoku/_scopes.py has found.
bool are_read(nb::handle import, const std::map<std::string, nb::object>& cells, const std::set<std::string>& locals) {
  for (nb::handle alias : import.attr("names")) {
    const nb::object given = alias.attr("asname"), whole = alias.attr("name");
    std::string name = nb::cast<std::string>(given.is_none() ? whole : given);
    if (given.is_none()) name = name.substr(0, name.find('.'));
    if (!cells.contains(name) || locals.contains(name)) return false;
  }
  return true;
}

}  // namespace

/// `assert x, "why"`: the exception with its message is raised.
StmtPtr Reader::assertion(nb::handle node) {
  nb::object raised = scopes().attr("assertion")(node);
  keep_.push_back(raised);
  StmtPtr stmt = make_stmt(StmtKind::if_, place(node));
  stmt->expr = make_expr(ExprKind::unary, stmt->place);
  stmt->expr->op = Operator::not_;
  stmt->expr->items.push_back(expr(node.attr("test")));
  stmt->body.push_back(make_stmt(StmtKind::raise, stmt->place));
  raise(*stmt->body[0], raised);
  return stmt;
}

/// A name has no value from here on, an item is taken out.
StmtPtr Reader::deletion(nb::handle node) {
  nb::object targets = node.attr("targets");
  if (nb::len(targets) != 1) fail(node, "del of several things cannot be compiled", "write one del for each");
  nb::object target = targets[0];
  if (class_name(target) == "Name") {
    StmtPtr stmt = make_stmt(StmtKind::del_, place(node));
    stmt->targets.push_back(expr(target));
    return stmt;
  }
  if (class_name(target) != "Subscript") fail(node, "this del cannot be compiled");
  StmtPtr stmt = make_stmt(StmtKind::expr, place(node));
  stmt->expr = make_expr(ExprKind::call, place(node));
  if (nb::object slice = target.attr("slice"); class_name(slice) == "Slice") {
    stmt->expr->items.push_back(written("indices", "delete_slice", node));
    stmt->expr->items.push_back(expr(target.attr("value")));
    for (const char* part : {"lower", "upper", "step"}) {
      ExprPtr given = optional(slice.attr(part));
      stmt->expr->items.push_back(given ? std::move(given) : make_constant(None{}, stmt->place));
    }
    return stmt;
  }
  ExprPtr method = make_expr(ExprKind::attribute, place(node));
  method->text = "pop";
  method->items.push_back(expr(target.attr("value")));
  stmt->expr->items.push_back(std::move(method));
  stmt->expr->items.push_back(expr(target.attr("slice")));
  return stmt;
}

void Reader::augmented_assignment(Stmt& stmt, nb::handle node) {
  stmt.kind = StmtKind::augment;
  stmt.op = operator_of(node.attr("op"));
  stmt.targets.push_back(expr(node.attr("target")));
  stmt.expr = expr(node.attr("value"));
  if (Expr& target = *stmt.targets[0]; target.binding.kind == Binding::Kind::function && target.kind == ExprKind::subscript) {
    const bool has_two = class_name(nb::object(node.attr("target").attr("slice"))) == "Tuple";
    target.binding.function = read({library().attr("indices").attr(has_two ? "augment_2" : "augment_1"), options_, {}}, false);
  }
}

StmtPtr Reader::statement(nb::handle node) {
  auto stmt = std::make_unique<Stmt>();
  stmt->place = place(node);
  const std::string kind = class_name(node);
  const auto value = [&](const char* name) { stmt->expr = expr(node.attr(name)); };
  const auto bodies = [&] {
    if (kind != "If") frame_->loops.emplace_back();
    stmt->body = block(node.attr("body"));
    if (kind != "If") frame_->loops.pop_back();
    stmt->orelse = block(node.attr("orelse"));
  };
  if (kind == "FunctionDef") return nullptr;  // read where it is called
  if (kind == "Try") return try_statement(node);
  if (kind == "Assert" && !node.attr("msg").is_none()) return assertion(node);
  if (kind == "Delete") return deletion(node);
  if (kind == "Assign" && class_name(node.attr("value")) == "Lambda" && nb::len(nb::object(node.attr("targets"))) == 1) {
    nb::object target = node.attr("targets")[0];
    if (class_name(target) == "Name" && frame_->inner.contains(nb::cast<std::string>(target.attr("id")))) return nullptr;
  }
  if (kind == "Assign") {
    if (StmtPtr starred = starred_assignment(node)) return starred;
    stmt->kind = StmtKind::assign;
    value("value");
    for (nb::handle target : node.attr("targets")) stmt->targets.push_back(expr(target));
  } else if (kind == "AnnAssign") {
    if (node.attr("value").is_none()) return nullptr;
    stmt->kind = StmtKind::assign;
    value("value");
    stmt->targets.push_back(expr(node.attr("target")));
  } else if (kind == "AugAssign") {
    augmented_assignment(*stmt, node);
  } else if (kind == "Expr") {
    if (class_name(node.attr("value")) == "Constant") return nullptr;  // a docstring
    stmt->kind = StmtKind::expr;
    value("value");
  } else if (kind == "If" || kind == "While") {
    stmt->kind = kind == "If" ? StmtKind::if_ : StmtKind::while_;
    value("test");
    bodies();
  } else if (kind == "For") {
    stmt->kind = StmtKind::for_;
    stmt->targets.push_back(expr(node.attr("target")));
    value("iter");
    bodies();
  } else if (kind == "Break") {
    stmt->kind = StmtKind::break_;
    if (frame_->loops.back().whole >= 0) leave(*stmt, frame_->loops.back().whole);
  } else if (kind == "Continue") {
    stmt->kind = StmtKind::continue_;
    if (frame_->loops.back().turn >= 0) leave(*stmt, frame_->loops.back().turn);
  } else if (kind == "Return") {
    if (frame_->yields) {
      leave(*stmt, frame_->end);
      return stmt;
    }
    stmt->kind = StmtKind::return_;
    if (!node.attr("value").is_none()) value("value");
  } else if (kind == "Pass" || (kind.starts_with("Import") && are_read(node, frame_->cells, frame_->locals))) {
    stmt->kind = StmtKind::pass;
  } else if (kind == "Assert") {
    stmt->kind = StmtKind::assert_;
    value("test");
  } else if (kind == "Raise") {
    stmt->kind = StmtKind::raise;
    raise_statement(*stmt, node);
  } else {
    fail(node, fmt::format("{} cannot be compiled yet", describe_syntax(kind)));
  }
  return stmt;
}

}  // namespace kasoku
