/// Calls of what a program overloads: which function it is for, its own Python says when the arguments' types are known.
#include "kasoku/base/error.h"
#include "kasoku/jit/infer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kasoku::jit {

namespace {

/// With its value, if the argument is a number that is known when compiling.
Type exact(const Expr& argument) {
  Type type = argument.type;
  if (const auto n = type.is_integer() || type.is_boolean() ? constant_int(argument) : std::nullopt) type.text = fmt::format("{}", *n);
  return type;
}

}  // namespace

std::optional<Type> Inference::call_overload(Expr& expr) {
  Expr& target = *expr.items[0];
  const bool is_method = target.kind == ExprKind::attribute;
  std::vector<Type> arguments, plain;
  for (size_t i = is_method ? 0 : 1; i < expr.items.size(); ++i) {
    const Expr& argument = i ? *expr.items[i] : *target.items[0];
    const Type type = visit(i ? *expr.items[i] : *target.items[0]);
    if (!type.is_known()) return Type{};
    if (type.kind == TypeKind::function)
      fail(argument.place, fmt::format("{} is overloaded and given a function, which has no compiled form yet", target.text));
    plain.push_back(type);
    arguments.push_back(exact(argument));
  }
  const auto result_of = [&](const Function& function) {
    const Type result = call_function(expr, function);
    Type& chosen_for = expr.items[0]->binding.type;  // arguments are in their places now
    chosen_for = Type::tuple({});
    for (size_t i = 1; i < expr.items.size(); ++i) chosen_for.items.push_back(expr.items[i]->type);
    return result;
  };
  if (target.binding.kind == Binding::Kind::function && target.binding.type == Type::tuple(plain)) return result_of(*target.binding.function);
  for (const Overload& known : overloads_) {
    if (known.of != target.binding.overloaded || known.by_name != expr.keywords) continue;
    if (known.arguments != arguments && known.arguments != plain) continue;
    if (!known.function) {
      const bool has_meaning = is_method || target.binding.kind != Binding::Kind::object;
      if (has_meaning) return target.binding.overloaded.clear(), std::nullopt;
      return is_last_ ? std::nullopt : std::optional(Type{});  // the types may not be the last ones
    }
    Binding binding;
    binding.kind = Binding::Kind::function;
    binding.name = target.text;
    binding.overloaded = known.of;
    binding.function = known.function;
    if (is_method) expr.items.insert(expr.items.begin() + 1, std::move(target.items[0]));
    expr.items[0] = global_expr(binding, target.text, target.place);
    return result_of(*known.function);
  }
  throw OverloadAsked(error(expr.place, fmt::format("{} is overloaded, which has no compiled form here", target.text), "", ""),
                      {target.binding.overloaded, std::move(arguments), expr.keywords, nullptr});
}

}  // namespace kasoku::jit
