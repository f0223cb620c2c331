/// Types of dicts and sets: like a list's, the types of their items come from what is put into them.
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

namespace kasoku::jit {

void Inference::want_key(Expr& container, const Type& key, Place place, bool is_put) {
  if (!key.is_known()) return;
  const Type given = at_run_time(key);
  if (!can_be_key(given)) fail(place, fmt::format("{} cannot be a key in compiled code", str(given)));
  const bool is_dict = container.type.is_dict();
  const Type wanted = is_dict ? Type::dict(given, {}) : Type::set(given);
  const Type own = container.type.items[0];
  const auto both = join(container.type, wanted);
  if (is_put || !own.is_known()) {
    if (!both) fail(place, fmt::format("a {} gets the key {}", str(container.type), str(given)), "keys have one type in compiled code");
    expect(container, wanted);
  } else if (!both || both->items[0] != own) {
    fail(place, fmt::format("a {} is asked for {}", str(container.type), str(given)), "keys have one type in compiled code",
         "convert the key");
  }
}

Type Inference::dict_display(Expr& expr) {
  if (function_->function->options.is_cuda) fail(expr.place, "a dict or a set cannot be used in a kernel", "", "use arrays");
  const bool is_dict = expr.kind == ExprKind::dict;
  Type all = is_dict ? Type::dict({}, {}) : Type::set({});
  if (expr.binding.type.is_dict() || expr.binding.type.is_set()) all = expr.binding.type;
  const size_t step = is_dict ? 2 : 1;
  for (size_t i = 0; i < expr.items.size(); i += step) {
    const Type key = at_run_time(visit(*expr.items[i])), value = is_dict ? at_run_time(visit(*expr.items[i + 1])) : Type{};
    if (!key.is_known() || (is_dict && !value.is_known())) return {};
    if (!can_be_key(key)) fail(expr.items[i]->place, fmt::format("{} cannot be a key in compiled code", str(key)));
    if (!can_be_item(value)) fail(expr.items[i + 1]->place, fmt::format("a dict of compiled code cannot hold {}", str(value)));
    const auto both = join(all, is_dict ? Type::dict(key, value) : Type::set(key));
    if (!both) fail(expr.items[i]->place, fmt::format("a {} gets {}{}", str(all), str(key), is_dict ? fmt::format(" -> {}", str(value)) : ""),
                    "its items have one type in compiled code");
    all = *both;
  }
  if (is_dict && all.items[1].is_container())
    for (size_t i = 1; i < expr.items.size(); i += 2) expect(*expr.items[i], all.items[1]);
  return all;
}

Type Inference::dict_subscript(Expr& expr, const Type& object) {
  if (expr.items[1]->kind == ExprKind::slice) fail(expr.place, "a slice cannot be a key");
  const Type key = visit(*expr.items[1]);
  if (!key.is_known()) return {};
  want_key(*expr.items[0], key, expr.items[1]->place, !object.items[0].is_known());
  return expr.items[0]->type.items[1];
}

void Inference::assign_to_dict(Expr& target, const Type& value) {
  const Type type = at_run_time(value);
  Expr& dict = *target.items[0];
  if (target.items[1]->kind == ExprKind::slice) fail(target.place, "a slice cannot be a key");
  const Type key = visit(*target.items[1]);
  if (!key.is_known() || !type.is_known()) return;
  if (!can_be_item(type)) fail(target.place, fmt::format("a dict of compiled code cannot hold {}", str(type)));
  want_key(dict, key, target.place, true);
  expect(dict, Type::dict({}, type));
  target.type = dict.type.items[1];
}

Type Inference::dict_method(Expr& expr, Handler handler) {
  Expr& dict = *expr.items[1];
  const Type key = dict.type.items[0], value = dict.type.items[1];
  const auto with_default = [&](bool is_put) -> Type {
    want_key(dict, argument(expr, 1), expr.place, is_put);
    if (!has(expr, 2)) return dict.type.items[1];
    const Type given = at_run_time(argument(expr, 2));
    if (!can_be_item(given)) fail(expr.items[3]->place, fmt::format("a default of {} cannot be compiled", str(given)), "", "write: if key in d");
    if (is_put || given.is_container()) {
      expect(dict, Type::dict({}, given));
      expect(*expr.items[3], dict.type.items[1]);
    }
    const auto both = join(dict.type.items[1], given);
    if (!both || !(both->is_scalar() || *both == dict.type.items[1] || !dict.type.items[1].is_known()))
      fail(expr.place, fmt::format("the value is {} or {}", str(dict.type.items[1]), str(given)));
    return *both;
  };
  switch (handler) {
    case Handler::dict_get:
      if (!has(expr, 2)) {
        want_key(dict, argument(expr, 1), expr.place, false);
        if (!value.is_known()) return {};
        if (!can_be_absent(value)) fail(expr.place, fmt::format("None or {} cannot be compiled", str(value)), "", "write: if key in d");
        Type found = Type::of(TypeKind::optional);
        found.items = {value};
        return found;
      }
      return with_default(false);
    case Handler::dict_pop: return with_default(false);
    case Handler::dict_setdefault: return with_default(true);
    case Handler::dict_popitem: return key.is_known() && value.is_known() ? Type::tuple({key, value}) : Type{};
    case Handler::dict_update: {
      const Type other = argument(expr, 1);
      if (!other.is_dict()) fail(expr.place, fmt::format("a dict cannot be updated by {} in compiled code", str(other)), "", "assign in a loop");
      expect(dict, other);
      expect(*expr.items[2], dict.type);
      return Type::none();
    }
    case Handler::dict_copy: return dict.type;
    case Handler::dict_keys: return Type::list(key);
    case Handler::dict_values: return Type::list(value);
    case Handler::dict_items: return key.is_known() && value.is_known() ? Type::list(Type::tuple({key, value})) : Type{};
    default: return Type::none();  // clear
  }
}

Type Inference::set_binary(Expr& expr, const Type& a, const Type& b) {
  switch (expr.op) {
    case Operator::bit_and: case Operator::bit_or: case Operator::bit_xor: case Operator::subtract: {
      const auto both = join(a, b);
      if (!both) break;
      expect(*expr.items[0], *both), expect(*expr.items[1], *both);
      return *both;
    }
    default: break;
  }
  fail(expr.place, fmt::format("{} {} {} has no meaning", str(a), str(expr.op), str(b)));
}

Type Inference::set_method(Expr& expr, Handler handler) {
  Expr& set = *expr.items[1];
  if (has(expr, 1) && handler > Handler::set_pop) {  // another set
    const Type other = argument(expr, 1);
    if (!other.is_set()) fail(expr.place, fmt::format("a set is wanted here, not {}", str(other)), "", "write set(…) around it");
    expect(set, other);
    expect(*expr.items[2], set.type);
  }
  switch (handler) {
    case Handler::set_add: want_key(set, argument(expr, 1), expr.place, true); return Type::none();
    case Handler::set_remove:
    case Handler::set_discard: want_key(set, argument(expr, 1), expr.place, false); return Type::none();
    case Handler::set_pop: return set.type.items[0];
    case Handler::set_isdisjoint: case Handler::set_issubset: case Handler::set_issuperset: return bool_type;
    case Handler::set_copy: case Handler::set_union: case Handler::set_intersection: case Handler::set_difference:
    case Handler::set_symmetric_difference: return set.type;
    default: return Type::none();
  }
}

}  // namespace kasoku::jit
