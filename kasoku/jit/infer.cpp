#include "kasoku/jit/infer.h"
#include "kasoku/jit/signature.h"
#include "kasoku/jit/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kasoku::jit {

Error Inference::error(Place place, const std::string& what, const std::string& why, const std::string& fix) const {
  Error error(ErrorKind::type, what);
  error.at(place_text(*function_->function, place));
  if (!why.empty()) error.why(why);
  if (!fix.empty()) error.fix(fix);
  return error;
}

void Inference::fail(Place place, const std::string& what, const std::string& why, const std::string& fix) {
  throw error(place, what, why, fix);
}

void Inference::want_writable(const Expr& array) {
  if (!(array.type.is_array() || array.type.is_record()) || !array.type.is_read_only) return;
  const Expr* named = &array;
  while (named->kind != ExprKind::name && named->kind != ExprKind::global && !named->items.empty() && named->items[0]) {
    const bool is_method = named->kind == ExprKind::call && named->items.size() > 1 && named->items[1];
    named = named->items[is_method ? 1 : 0].get();
  }
  const bool has_name = named->kind == ExprKind::name || named->kind == ExprKind::global;
  fail(array.place, fmt::format("{} is read-only", has_name ? "'" + named->text + "'" : "this array"),
       fmt::format("it is {}", str(array.type)), "pass a copy");
}

namespace {

/// Scalars, arrays and tuples in it: a recursion that nests its argument twice doubles them.
size_t parts(const Type& type) {
  size_t n = 1;
  for (const Type& item : type.items) n += parts(item);
  return n;
}

/// Records are where they are; an array of them is an argument or a part of one.
bool has_record(const Type& type) {
  return type.is_record() || (!type.is_array() && std::ranges::any_of(type.items, has_record));
}

/// Whether a container holds instances of classes: in Python it would hold others.
bool holds_instance(const Type& type) {
  const auto is_one = [](const Type& item) { return item.is_instance() || holds_instance(item); };
  return (type.is_container() || type.is_instance()) ? std::ranges::any_of(type.items, is_one)
                                                     : std::ranges::any_of(type.items, holds_instance);
}

bool has_named_tuple(const Type& type) {
  return (type.is_tuple() && !type.text.empty()) || std::ranges::any_of(type.items, has_named_tuple);
}

/// Whether a list or another container holds one, which would be without its names in Python.
bool holds_named_tuple(const Type& type) {
  return type.is_container() ? has_named_tuple(type) : std::ranges::any_of(type.items, holds_named_tuple);
}

/// Whether a value is, or holds, one of which no more is known than its type.
bool has_python_object(const Type& type) {
  return type.kind == TypeKind::range || type.kind == TypeKind::dtype || type.kind == TypeKind::function ||
         type.kind == TypeKind::member || type.is_bytes() || (type.is_tuple() && std::ranges::any_of(type.items, has_python_object));
}

/// Whether a list, or one in a tuple, is a tuple in compiled code.
bool has_list_of_several(const Expr& e) {
  if (e.kind == ExprKind::list && e.type.is_tuple()) return true;
  return (e.kind == ExprKind::list || e.kind == ExprKind::tuple) &&
         std::ranges::any_of(e.items, [](const ExprPtr& item) { return has_list_of_several(*item); });
}

}  // namespace

int Inference::instance(const Function& function, std::vector<Type> arguments) {
  for (size_t i = 0; i < unit_.functions.size(); ++i)
    if (unit_.functions[i]->function == &function && unit_.functions[i]->parameters == arguments)
      return static_cast<int>(i);
  for (const Type& type : arguments)
    if (parts(type) > 1000)
      throw Error(ErrorKind::unsupported,
                  fmt::format("an argument of {} is a tuple of more than 1000 parts", function.name))
          .why("a recursion whose argument types keep growing has no end");
  if (unit_.functions.size() > 400)
    throw Error(ErrorKind::unsupported,
                fmt::format("{} reaches more than 400 typed functions", function.name))
        .why("a recursion whose argument types keep changing has no end");
  auto typed = std::make_unique<TypedFunction>();
  typed->function = &function;
  typed->body = clone(function.body);
  prune(function, arguments, met_, typed->body);
  typed->variables = split_variables(function, typed->body);
  for (size_t i = 0; i < arguments.size(); ++i) {
    typed->parameter_variables.push_back(static_cast<int>(i));
    typed->variables[i].type = arguments[i];
  }
  for (const Signature& signature : function.declared)
    if (signature.arguments == arguments) typed->declared_result = typed->result = signature.result;
  typed->parameters = std::move(arguments);
  typed->symbol = unit_.functions.empty()
                      ? function.name
                      : fmt::format("{}_{}", function.name, unit_.functions.size());
  unit_.functions.push_back(std::move(typed));
  changed_ = true;
  return static_cast<int>(unit_.functions.size()) - 1;
}

namespace {

/// Whether control can leave the block's end.
bool falls_through(const Block& block) {
  for (const StmtPtr& stmt : block) {
    if (stmt->kind == StmtKind::return_ || stmt->kind == StmtKind::raise) return false;
    if (stmt->kind == StmtKind::if_ && !stmt->orelse.empty() && !falls_through(stmt->body) &&
        !falls_through(stmt->orelse))
      return false;
    if (stmt->kind == StmtKind::finally_ && (!falls_through(stmt->body) || !falls_through(stmt->orelse))) return false;
    if (stmt->kind == StmtKind::try_) {
      bool end = falls_through(stmt->body), handled = false;
      for (const StmtPtr& each : stmt->orelse)
        if (each->kind == StmtKind::else_) end &= falls_through(each->body);
        else handled |= falls_through(each->body);
      if (!end && !handled) return false;
    }
    if (stmt->kind == StmtKind::while_ && stmt->expr->kind == ExprKind::constant) {
      const bool* always = std::get_if<bool>(&stmt->expr->value);
      const int64_t* one = std::get_if<int64_t>(&stmt->expr->value);
      const auto breaks = [](const Block& inside, const auto& self) -> bool {
        return std::ranges::any_of(inside, [&](const StmtPtr& s) {
          const bool is_loop = s->kind == StmtKind::for_ || s->kind == StmtKind::while_;
          return s->kind == StmtKind::break_ || (!is_loop && self(s->body, self)) || self(s->orelse, self);
        });
      };
      if (((always && *always) || (one && *one)) && !breaks(stmt->body, breaks)) return false;
    }
  }
  return true;
}

}  // namespace

bool Inference::is_open(const TypedFunction& function) {
  return std::ranges::any_of(function.parameters, [](const Type& t) {
    return t.is_container() && std::ranges::any_of(t.items, [](const Type& item) { return !item.is_known(); });
  });
}

void Inference::run() {
  for (int pass = 0; pass < 100; ++pass) {
    changed_ = false;
    for (size_t i = 0; i < unit_.functions.size(); ++i) {
      function_ = unit_.functions[i].get();
      if (is_last_ && is_open(*function_)) continue;  // a caller that knew no more is there no more
      walk(function_->body);
      if (falls_through(function_->body)) {
        const auto result = join(function_->result, Type::none());
        if (!result || (function_->declared_result.is_known() && *result != function_->declared_result))
          fail({1, 0}, fmt::format("{} returns {} or nothing", function_->function->name,
                                   str(function_->result)));
        if (*result != function_->result) function_->result = *result, changed_ = true;
      }
    }
    if (is_last_) break;
    if (!changed_) changed_ = !std::exchange(knows_nones_, true);
    if (!changed_) close_lists();
    if (!changed_) is_last_ = true;
  }
  for (auto& typed : unit_.functions)
    if (!typed->result.is_known()) typed->result = Type::none();
}

void Inference::set(int index, const Type& type, Place place) {
  Variable& variable = function_->variables[index];
  if (type.kind == TypeKind::unknown) return;
  auto both = join(variable.type, type);
  if (both && both->kind == TypeKind::optional) both->items[0] = at_run_time(both->items[0]);
  const bool loses_names = both && type.is_tuple() && variable.type.is_tuple() && type.text != variable.type.text;
  if (!both || loses_names || (both->kind == TypeKind::optional && !can_be_absent(both->items[0])))
    fail(place, fmt::format("'{}' is {} here and {} elsewhere", variable.name, str(type),
                            str(variable.type)),
         "one variable of a compiled function has one type where its values meet",
         fmt::format("use another name than '{}' for one of them", variable.name));
  if (*both != variable.type) {
    variable.type = *both;
    changed_ = true;
  }
}

void Inference::assign(Expr& target, const Type& type) {
  switch (target.kind) {
    case ExprKind::name:
      set(target.variable, type, target.place);
      target.type = function_->variables[target.variable].type;
      if (is_last_ && target.type.is_container() && type != target.type)
        fail(target.place, fmt::format("'{}' is {} here and {} elsewhere", target.text, str(type), str(target.type)), "",
             "make its items of one type where the list is made");
      break;
    case ExprKind::tuple:
    case ExprKind::list: {
      if (!type.is_known()) return;
      if (type.has_records()) fail(target.place, fmt::format("{} cannot be unpacked", str(type)));
      if (type.is_array() && type.ndim >= 1) {
        for (ExprPtr& item : target.items)
          assign(*item, type.ndim == 1 ? type.element()
                                       : type.view(type.dtype, type.ndim - 1, type.is_contiguous));
        return;
      }
      if (type.is_list()) {
        for (ExprPtr& item : target.items) assign(*item, type.items[0]);
        return;
      }
      if (!type.is_tuple())
        fail(target.place, fmt::format("{} cannot be unpacked", str(type)));
      if (type.items.size() != target.items.size())
        fail(target.place, fmt::format("{} values are unpacked into {} names", type.items.size(),
                                       target.items.size()));
      for (size_t i = 0; i < target.items.size(); ++i) assign(*target.items[i], type.items[i]);
      break;
    }
    case ExprKind::subscript: {
      if (visit(*target.items[0]).is_dict()) return assign_to_dict(target, type);
      if (visit(*target.items[1]).is_known() && !field_name(target).empty()) return assign_field(target, type);
      const Type element = visit(target);
      if (!element.is_known() || !type.is_known()) return;
      const Type& object = target.items[0]->type;
      if (object.is_list() && target.items[1]->kind != ExprKind::slice) return expect(*target.items[0], Type::list(type));
      if (!object.is_array())
        fail(target.place, fmt::format("an item of {} cannot be assigned", str(object)));
      want_writable(*target.items[0]);
      if (element.is_record()) {
        if (type.is_record() && type.items == element.items && type.text == element.text) break;
        fail(target.place, fmt::format("{} cannot be stored in an element of {}", str(type), str(object)));
      }
      if (object.has_records()) fail(target.place, "a part of a structured array cannot be assigned in compiled code", "", "assign its elements in a loop");
      if (!(type.is_scalar() || type.is_array()) || (element.is_scalar() && type.is_array()))
        fail(target.place, fmt::format("{} cannot be stored in {}", str(type),
                                       element.is_scalar() ? "an element of " + str(object)
                                                           : str(element)));
      if (is_complex(type.dtype) && !is_complex(object.dtype))
        fail(target.place, fmt::format("{} cannot be stored in {}", str(type), str(object)),
             "the imaginary part would be lost", "store value.real");
      break;
    }
    case ExprKind::attribute:
      if (!visit(*target.items[0]).is_known()) return;
      if (target.items[0]->type.is_instance()) return assign_attribute(target, type);
      if (!field_name(target).empty()) return assign_field(target, type);
      fail(target.place, "an attribute cannot be assigned in compiled code");
    default: fail(target.place, "this cannot be assigned to");
  }
}

namespace {

/// `array op= value` keeps the array's dtype, which NumPy does only for numbers of its kind or a narrower one: the dtype of
/// the values if that is wider.
std::optional<Dtype> too_wide(const Stmt& stmt, const Type& array, const Type& value) {
  const auto result = binary_type(stmt.op, array, value, stmt.expr.get());
  if (!result) return std::nullopt;
  const Dtype from = stmt.op == Operator::divide ? floating_dtype(result->dtype) : result->dtype;
  const auto rank = [](Dtype dtype) {
    const DtypeKind kind = info(dtype).kind;  // of integers NumPy puts the unsigned ones first
    return kind == DtypeKind::unsigned_ ? 1 : kind == DtypeKind::signed_ ? 2 : static_cast<int>(kind);
  };
  return rank(from) > rank(array.dtype) ? std::optional<Dtype>(from) : std::nullopt;
}

}  // namespace

ExprPtr row_of(ExprPtr values) {
  Binding binding;
  binding.kind = Binding::Kind::intrinsic;
  binding.name = "numpy.array";
  auto call = std::make_unique<Expr>();
  call->kind = ExprKind::call;
  call->place = values->place;
  call->items.push_back(global_expr(binding, "array", call->place));
  call->items.push_back(std::move(values));
  return call;
}

bool Inference::is_row_for(Expr& target, const Type& values) {
  if (target.kind != ExprKind::subscript || !(values.is_tuple() || values.is_list())) return false;
  const Type object = visit(*target.items[0]);
  return object.is_array() && !object.has_records() && visit(target).is_array();
}

void Inference::walk(Block& block) {
  for (StmtPtr& stmt : block) walk(*stmt);
}

void Inference::assignment(Stmt& stmt) {
  const bool unpacks = stmt.targets[0]->kind == ExprKind::tuple || stmt.targets[0]->kind == ExprKind::list;
  if (unpacks && stmt.expr->kind == ExprKind::list) stmt.expr->kind = ExprKind::tuple;
  Type type = visit(*stmt.expr, std::ranges::all_of(stmt.targets, [](const ExprPtr& target) { return target->kind == ExprKind::name; }));
  if (stmt.level >= 0 && type.is_known() && (!type.is_tuple() || static_cast<int>(type.items.size()) != stmt.level))
    fail(stmt.place, "a loop over tuples of different lengths cannot be compiled");
  if (stmt.targets.size() == 1 && is_row_for(*stmt.targets[0], type)) {  // x[i] = a, b, c: a row of numbers
    stmt.expr = row_of(std::move(stmt.expr));
    type = visit(*stmt.expr);
  }
  if (stmt.targets.size() == 1 && is_slice_of_list(*stmt.targets[0])) {
    if (type.is_known()) slice_statement(stmt);
    return;
  }
  if (stmt.targets.size() == 1 && is_indexed_by_array(*stmt.targets[0], type.is_array() || !type.is_known())) {
    if (type.is_known()) index_statement(stmt);
    return;  // what is not known yet is asked for again
  }
  for (ExprPtr& target : stmt.targets) {
    assign(*target, kept(*target, *stmt.expr, type));
    if (!type.is_container()) continue;
    expect(*stmt.expr, target->type);
    if (target->kind == ExprKind::subscript && target->items[0]->type.is_container()) expect(*stmt.expr, target->items[0]->type.items.back());
  }
}

void Inference::augmented(Stmt& stmt) {
  Expr& target = *stmt.targets[0];
  const bool is_field = target.kind == ExprKind::attribute && can_be_read_twice(target) && visit(*target.items[0]).is_instance();
  const auto field = is_field ? field_index(target.items[0]->type, target.text) : std::nullopt;
  const Type kept = field ? target.items[0]->type.items[*field] : target.kind == ExprKind::name ? function_->variables[target.variable].type : Type{};
  if (kept.kind == TypeKind::optional) {
    auto value = std::make_unique<Expr>();
    value->kind = ExprKind::binary;
    value->op = stmt.op;
    value->place = stmt.place;
    value->items.push_back(target.clone()), value->items.push_back(std::move(stmt.expr));
    stmt.expr = std::move(value);
    stmt.kind = StmtKind::assign;
    return walk(stmt);
  }
  const Type right = visit(*stmt.expr);
  const bool by_array = is_indexed_by_array(target, right.is_array() || !right.is_known());
  if (by_array && !right.is_known()) return;
  const auto want_cast = [&](const Type& array) {
    if (const auto wide = too_wide(stmt, array, right))
      fail(stmt.place, fmt::format("{} {}= {} would have to be stored as {}", str(array), str(stmt.op), str(right), info(*wide).name), "",
           fmt::format("make the array of {}, or round and convert the values first", info(*wide).name));
  };
  if (by_array) {
    want_cast(target.items[0]->type);
    index_statement(stmt);
    return;
  }
  const Type left = visit(target);
  if (!left.is_known() || !right.is_known()) return;
  if (stmt.op == Operator::matmul) fail(stmt.place, "@= cannot be compiled", "", "write a[:] = a @ b");
  if (left.is_set() && right.is_set()) {
    if (stmt.op == Operator::add) fail(stmt.place, fmt::format("{} += {} has no meaning", str(left), str(right)));
    expect(target, right), expect(*stmt.expr, left);
    return;
  }
  if (left.is_list() && stmt.op == Operator::add && right.is_list()) {
    expect(target, right), expect(*stmt.expr, left);
    return;
  }
  const auto type = binary_type(stmt.op, left, right, stmt.expr.get());
  if (!type)
    fail(stmt.place, fmt::format("{} {}= {} has no meaning", str(left), str(stmt.op), str(right)));
  if (left.is_array()) {  // in place; the dtype stays
    want_writable(target.kind == ExprKind::subscript ? *target.items[0] : target);
    want_cast(left);
    return;
  }
  assign(target, *type);
}

void Inference::return_statement(Stmt& stmt) {
  is_result_ = stmt.expr && stmt.expr->kind == ExprKind::tuple;
  const Type type = stmt.expr ? visit(*stmt.expr, true) : Type::none();
  // What a kernel calls never comes back to Python.
  if (!function_->function->options.is_cuda &&
      (has_record(type) ||
       (function_ == unit_.functions[0].get() && (holds_named_tuple(type) || holds_instance(type)))))
    fail(stmt.place, fmt::format("{} cannot be returned from compiled code", str(type)), "", "return its parts");
  if (has_python_object(type) && !(type.is_tuple() && function_->function->options.is_cuda))
    fail(stmt.place, fmt::format("{} cannot be returned from compiled code", str(type)));
  if (stmt.expr && has_list_of_several(*stmt.expr) && !function_->function->options.is_cuda)
    fail(stmt.place, "a list of several types cannot be returned from compiled code", "", "return a tuple");
  if (function_->declared_result.is_known()) {
    if (type.is_known() && conversion(type, function_->declared_result) == Conversion::none)
      throw SignatureError(error(stmt.place, fmt::format("{} returns {}, and its signature says {}", function_->function->name,
                                                         str(type), str(function_->declared_result)), "", ""));
    return;
  }
  const auto result = join(function_->result, type);
  if (!result)
    fail(stmt.place, fmt::format("{} returns {} here and {} elsewhere", function_->function->name,
                                 str(type), str(function_->result)));
  if (type.is_tuple() && result->is_tuple() && result->text != type.text)
    fail(stmt.place, fmt::format("{} returns tuples with other names elsewhere", function_->function->name));
  if (*result != function_->result) function_->result = *result, changed_ = true;
  if (type.is_container()) expect(*stmt.expr, result->kind == TypeKind::optional ? result->items[0] : *result);
  if (type.is_tuple() && stmt.expr->kind == ExprKind::tuple && result->is_tuple())
    for (size_t i = 0; i < type.items.size(); ++i)
      if (type.items[i].is_container()) expect(*stmt.expr->items[i], result->items[i]);
}

void Inference::decide(const Expr& condition, Place place, const std::string& copy) {
  const auto has_loop = [](const Block& block, const auto& self) -> bool {
    return std::ranges::any_of(block, [&](const StmtPtr& stmt) {
      return stmt->kind == StmtKind::for_ || stmt->kind == StmtKind::while_ || self(stmt->body, self) || self(stmt->orelse, self);
    });
  };
  std::map<std::string, Type> known;
  bool asks_class = false;
  each_expr(condition, [&](const Expr& e) {
    const Intrinsic* row = intrinsic_of(e);
    asks_class |= row && row->handler == Handler::isinstance;
    if (e.kind != ExprKind::name || e.variable < 0) return;
    const Type& type = function_->variables[e.variable].type;
    // What these are stays as it is; a number may still become one of another kind, where a loop leads back here.
    const bool stays = type.is_array() || type.is_tuple() || type.is_container() ||
                       (type.is_scalar() && !has_loop(function_->body, has_loop));
    if (!stays) return;
    known[e.text] = type;
    if (type.is_scalar()) known[e.text].text.clear();  // a number that is known may be another one later
  });
  if (!asks_class || known.empty()) return;
  const auto taken = decided(condition, known);
  if (!taken) return;
  int n_here = 0;  // branches of a generator's body that is read into its loop all have the loop's place
  const auto count = [&](Place at, const std::string& of) { n_here += at.line == place.line && at.column == place.column && of == copy; };
  each_stmt(function_->body, [&](const Stmt& stmt) { if (stmt.kind == StmtKind::if_) count(stmt.place, stmt.text); });
  each_expr(function_->body, [&](const Expr& e) { if (e.kind == ExprKind::conditional) count(e.place, e.text); });
  if (n_here == 1)
    throw DecidedBranch{function_->function, function_->parameters, place, copy, *taken};
}

void Inference::walk(Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::assign: return assignment(stmt);
    case StmtKind::augment: return augmented(stmt);
    case StmtKind::for_:
      for_target(stmt);
      walk(stmt.body);
      walk(stmt.orelse);
      break;
    case StmtKind::if_: decide(*stmt.expr, stmt.place, stmt.text); [[fallthrough]];
    case StmtKind::while_:
      condition(*stmt.expr);
      walk(stmt.body);
      walk(stmt.orelse);
      break;
    case StmtKind::return_: return return_statement(stmt);
    case StmtKind::try_:
    case StmtKind::except_:
    case StmtKind::else_:
    case StmtKind::finally_:
    case StmtKind::block:
      walk(stmt.body);
      walk(stmt.orelse);
      break;
    case StmtKind::expr:
      visit(*stmt.expr, true);
      break;
    case StmtKind::assert_:
      condition(*stmt.expr);
      break;
    case StmtKind::raise:
      if (!stmt.message || (function_->function->options.is_cuda && !function_->function->options.python_errors)) break;
      for (ExprPtr& value : stmt.message->items) {
        const Type type = visit(*value);
        const bool fits = !type.is_known() || (type.is_scalar() && !type.is_complex()) || type.kind == TypeKind::text;
        if (!fits) fail(value->place, fmt::format("{} cannot be a part of an exception in compiled code", str(type)), "", "give it a number");
      }
      break;
    default: break;
  }
}

namespace {

/// The type of a variable that has one item of the tuple after the other, if there is one.
std::optional<Type> common_type(const Type& tuple) {
  Type all;
  for (const Type& item : tuple.items) {
    const auto both = join(all, item);
    if (!both) return std::nullopt;
    all = *both;
  }
  return all;
}

/// The place of an element of an array of so many axes.
Type place_of(int ndim) { return Type::tuple(std::vector<Type>(ndim, int64_type)); }

}  // namespace

Type Inference::iterated(Expr& iterable) {
  if (iterable.kind == ExprKind::list && !iterable.items.empty()) iterable.kind = ExprKind::tuple;
  if (const Intrinsic* intrinsic = intrinsic_of(iterable)) {
    if (intrinsic->handler == Handler::enumerate) {
      place_arguments(iterable, *intrinsic);
      return Type::tuple({int64_type, iterated(*iterable.items[1])});
    }
    if (intrinsic->handler == Handler::zip) {
      std::vector<Type> items;
      if (iterable.items.size() < 2) fail(iterable.place, "zip() of nothing cannot be compiled");
      for (size_t i = 1; i < iterable.items.size(); ++i) items.push_back(iterated(*iterable.items[i]));
      return Type::tuple(items);
    }
    if (intrinsic->handler == Handler::ndenumerate) {
      place_arguments(iterable, *intrinsic);
      const Type array = visit(*iterable.items[1]);
      if (!array.is_known()) return {};
      if (!array.is_array() || array.ndim == 0 || array.has_records())
        fail(iterable.place, fmt::format("np.ndenumerate of {} cannot be compiled", str(array)));
      return Type::tuple({place_of(array.ndim), Type::scalar(array.dtype)});
    }
    if (intrinsic->handler == Handler::ndindex) {
      if (!spread_starred(iterable)) return {};
      place_arguments(iterable, *intrinsic);
      for (size_t i = 1; i < iterable.items.size(); ++i)
        if (!visit(*iterable.items[i]).is_known()) return {};
      if (iterable.items.size() == 2) return place_of(shape_ndim(iterable, 0));
      for (size_t i = 1; i < iterable.items.size(); ++i)
        if (const Type& length = iterable.items[i]->type; !length.is_integer())
          fail(iterable.items[i]->place, fmt::format("a length is an integer, not {}", str(length)));
      return place_of(static_cast<int>(iterable.items.size()) - 1);
    }
  }
  const Type type = visit(iterable);
  switch (type.kind) {
    case TypeKind::unknown: return {};
    case TypeKind::range: return int64_type;
    case TypeKind::text:
    case TypeKind::string: return string_type;
    case TypeKind::list:
    case TypeKind::dict:
    case TypeKind::set: return type.items[0];
    case TypeKind::array:
      if (type.ndim == 0) break;
      return type.ndim == 1 ? type.element()
                            : type.view(type.dtype, type.ndim - 1, type.is_contiguous);
    case TypeKind::tuple:
      if (const auto all = common_type(type)) return *all;
      fail(iterable.place, "a loop over a tuple needs items of one type", fmt::format("the tuple is {}", str(type)));
    default: break;
  }
  fail(iterable.place, fmt::format("a loop over {} cannot be compiled", str(type)), "",
       "loop over range(…), prange(…), an array, a tuple, zip or enumerate of these");
}

void Inference::for_target(Stmt& stmt) {
  Expr& source = *stmt.expr;
  if (source.kind == ExprKind::list && !source.items.empty()) source.kind = ExprKind::tuple;
  if (!intrinsic_of(source) && visit(source).is_tuple() && !common_type(source.type))
    throw MixedLoop{function_->function, function_->parameters, stmt.place, stmt.text, source.type.items.size()};
  assign(*stmt.targets[0], iterated(source));
}

namespace {

/// Marks what the root reaches; the rest was typed before its argument types were final.
void keep_reachable(TypedUnit& unit) {
  std::set<int> seen;
  std::vector<int> work{0};
  const auto visit = [&](const Expr& expr, const auto& self) -> void {
    if (expr.callee >= 0 && !seen.contains(expr.callee)) work.push_back(expr.callee);
    for (const ExprPtr& item : expr.items)
      if (item) self(*item, self);
  };
  const auto walk = [&](const Block& block, const auto& self) -> void {
    for (const StmtPtr& stmt : block) {
      for (const ExprPtr& target : stmt->targets) visit(*target, visit);
      if (stmt->expr) visit(*stmt->expr, visit);
      self(stmt->body, self);
      self(stmt->orelse, self);
    }
  };
  while (!work.empty()) {
    const int index = work.back();
    work.pop_back();
    if (seen.insert(index).second) walk(unit.functions[index]->body, walk);
  }
  for (size_t i = 0; i < unit.functions.size(); ++i)
    if (!seen.contains(static_cast<int>(i))) unit.functions[i].reset();
}

}  // namespace

TypedUnit infer(const Unit& unit, const std::vector<Type>& arguments) {
  TypedUnit typed;
  Met met;
  for (bool is_done = false; !is_done;) try {
      typed = {};
      Inference inference(typed, unit, met);
      inference.instance(*unit.functions.at(0), arguments);
      inference.run();
      is_done = true;
    } catch (const MixedLoop& loop) {  // all anew, with the loop written out
      if (met.loops.size() > 100) throw Error(ErrorKind::unsupported, "more than 100 loops over tuples of several types cannot be compiled");
      met.loops.push_back(loop);
    } catch (const DecidedBranch& branch) {  // with the branch that is taken; there are no more of them than the text and its copies have
      met.branches.push_back(branch);
    }
  keep_reachable(typed);
  for (const auto& function : typed.functions)
    for (size_t i = 0; function && i < function->parameters.size(); ++i) {
      const Type &given = function->parameters[i], &used = function->variables[i].type;
      if (given.is_container() && given != used)
        throw Error(ErrorKind::type, fmt::format("'{}' is {} and gets items of {}", function->variables[i].name, str(given), str(used)))
            .at(place_text(*function->function, {1, 0}))
            .why("the items of a list, a dict or a set have one type in compiled code");
    }
  return typed;
}

}  // namespace kasoku::jit
