/// Types of lists, and what all containers share. What is put into a list decides the type of its items; expect() takes that back to where the list
/// is made, so that `x = []; x.append(1.5)` makes a list of floats.
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku::jit {

namespace {

bool is_index(const Type& type) { return type.is_integer() || type.is_boolean(); }

}  // namespace

Type Inference::display(Expr& expr) {
  std::vector<Type> items;
  for (ExprPtr& item : expr.items) {
    items.push_back(visit(*item));
    if (!items.back().is_known()) return {};
  }
  Type all;
  for (const Type& item : items) {
    const auto both = join(all, at_run_time(item));
    if (!both || !can_be_item(*both)) return Type::tuple(std::move(items));  // of several types: as long as it is written
    all = *both;
  }
  if (all.is_container())
    for (ExprPtr& item : expr.items) expect(*item, all);
  return Type::list(all);
}

void Inference::expect(Expr& expr, const Type& type) {
  if (!type.is_container()) {
    if (type.is_tuple() && expr.kind == ExprKind::tuple && expr.items.size() == type.items.size())
      for (size_t i = 0; i < type.items.size(); ++i)
        if (type.items[i].is_container()) expect(*expr.items[i], type.items[i]);
    return;
  }
  if (expr.type.kind != type.kind) return;
  const auto both = join(expr.type, type);
  if (!both || !can_be_item(*both)) {
    const std::string part = type.is_dict() ? fmt::format("{} -> {}", str(type.items[0]), str(type.items[1])) : str(type.items[0]);
    fail(expr.place, fmt::format("a {} gets {}", str(expr.type), part),
         fmt::format("the items of a {} have one type in compiled code", type.is_list() ? "list" : type.is_set() ? "set" : "dict"));
  }
  if (expr.kind == ExprKind::name) set(expr.variable, *both, expr.place);
  if (*both == expr.type) return;
  expr.type = *both;
  changed_ = true;
  switch (expr.kind) {
    case ExprKind::list:
      for (ExprPtr& item : expr.items) expect(*item, both->items[0]);
      break;
    case ExprKind::dict:
      for (size_t i = 1; i < expr.items.size(); i += 2) expect(*expr.items[i], both->items[1]);
      break;
    case ExprKind::subscript:
      if (expr.items[0]->type.is_dict()) expect(*expr.items[0], Type::dict({}, *both));
      else if (expr.items[1]->kind == ExprKind::slice) expect(*expr.items[0], *both);
      else expect(*expr.items[0], Type::list(*both));
      break;
    case ExprKind::binary:
      for (ExprPtr& item : expr.items) expect(*item, *both);
      break;
    case ExprKind::conditional: expect(*expr.items[1], *both), expect(*expr.items[2], *both); break;
    case ExprKind::walrus: expect(*expr.items[0], *both), expect(*expr.items[1], *both); break;
    case ExprKind::call:
      if (expr.callee >= 0) {
        TypedFunction& callee = *unit_.functions[static_cast<size_t>(expr.callee)];
        if (const auto result = join(callee.result, *both)) callee.result = *result;
      } else if (const Intrinsic* row = intrinsic_of(expr)) {
        switch (row->handler) {
          case Handler::list_copy: case Handler::dict_copy: case Handler::set_copy: case Handler::set_union:
          case Handler::set_intersection: case Handler::set_difference: case Handler::set_symmetric_difference:
            expect(*expr.items[1], *both);
            break;
          case Handler::list_pop: expect(*expr.items[1], Type::list(*both)); break;
          case Handler::dict_get: case Handler::dict_pop: case Handler::dict_setdefault:
            expect(*expr.items[1], Type::dict({}, *both));
            if (has(expr, 2)) expect(*expr.items[3], *both);
            break;
          default: break;
        }
      }
      break;
    default: break;
  }
}

void Inference::close_lists() {
  const auto close = [&](Type& type, const auto& self) -> void {
    if (type.is_container())
      for (Type& item : type.items)
        if (!item.is_known()) item = int64_type, changed_ = true;
    for (Type& item : type.items) self(item, self);
  };
  for (auto& typed : unit_.functions) {
    if (is_open(*typed)) continue;
    for (Variable& variable : typed->variables) close(variable.type, close);
    close(typed->result, close);
  }
}

Type Inference::list_subscript(Expr& expr, const Type& object) {
  const Type index = visit(*expr.items[1]);
  if (!index.is_known()) return {};
  if (expr.items[1]->kind == ExprKind::slice) return object;
  if (!is_index(index))
    fail(expr.items[1]->place, fmt::format("an index must be an integer, not {}", str(index)), "",
         index.is_floating() ? "write int(…) around it" : "");
  return object.items[0];
}

Type Inference::list_binary(Expr& expr, const Type& a, const Type& b) {
  if (expr.op == Operator::add && a.is_list() && b.is_list()) {
    const auto both = join(a, b);
    if (both) {
      expect(*expr.items[0], *both), expect(*expr.items[1], *both);
      return *both;
    }
  }
  if (expr.op == Operator::multiply && a.is_list() && is_index(b)) return a;
  if (expr.op == Operator::multiply && b.is_list() && is_index(a)) return b;
  fail(expr.place, fmt::format("{} {} {} has no meaning", str(a), str(expr.op), str(b)));
}

Type Inference::list_method(Expr& expr, Handler handler) {
  Expr& list = *expr.items[1];
  const Type object = argument(expr, 0);
  const Type item = object.items[0];
  const auto put = [&](size_t i) {
    const Type given = at_run_time(argument(expr, i));
    if (!can_be_item(given)) fail(expr.items[i + 1]->place, fmt::format("a list of compiled code cannot hold {}", str(given)));
    expect(list, Type::list(given));
    if (given.is_container()) expect(*expr.items[i + 1], list.type.items[0]);
    if (is_last_ && given.is_container() && given != list.type.items[0])
      fail(expr.items[i + 1]->place, fmt::format("{} cannot be put into {}", str(given), str(list.type)));
  };
  const auto want_comparable = [&](const Type& item) {
    const bool suits = item.is_scalar() || item.is_string() || item.is_container() || item.is_tuple();
    if (item.is_known() && !suits)
      fail(expr.place, fmt::format("items of {} cannot be compared in compiled code", str(object)));
  };
  const auto want_ordered = [&](const Type& item) {
    want_comparable(item);
    if (item.is_complex() || item.is_container())
      fail(expr.place, fmt::format("items of {} have no order", str(object)));
  };
  switch (handler) {
    case Handler::list_append: put(1); return Type::none();
    case Handler::list_insert:
      if (!is_index(argument(expr, 1))) fail(expr.place, "an index must be an integer");
      put(2);
      return Type::none();
    case Handler::list_extend: {
      const Type other = argument(expr, 1);
      if (!other.is_list()) fail(expr.place, fmt::format("a list cannot be extended by {} in compiled code", str(other)), "", "append in a loop");
      expect(list, other);
      expect(*expr.items[2], list.type);
      return Type::none();
    }
    case Handler::list_pop:
      if (has(expr, 1) && !is_index(argument(expr, 1))) fail(expr.place, "an index must be an integer");
      return item;
    case Handler::list_clear:
    case Handler::list_reverse: return Type::none();
    case Handler::list_sort: want_ordered(item); return Type::none();
    case Handler::list_sort_by: want_ordered(argument(expr, 1).items[0]); return Type::none();
    case Handler::list_copy: return object;
    case Handler::list_index:
    case Handler::list_count: want_comparable(item); return int64_type;
    case Handler::list_remove: want_comparable(item); return Type::none();
    case Handler::reduce:
      if (intrinsic_of(expr)->reduction != ReduceOp::sum) {
        if (item.is_known() && !item.is_scalar()) fail(expr.place, fmt::format("any and all of {} cannot be compiled", str(object)));
        return bool_type;
      }
      if (item.is_known() && !item.is_scalar()) fail(expr.place, fmt::format("sum of {} has no meaning", str(object)));
      if (!item.is_known() || item.is_floating() || item.is_complex()) return item;
      return Type::scalar(scalar_dtype(item.dtype, Dtype::int64));
    case Handler::min:
    case Handler::max: want_ordered(item); return item;
    default: return bool_type;  // bool()
  }
}

}  // namespace kasoku::jit
