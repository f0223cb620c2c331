/// Types of what instances of classes have: fields, properties and methods.
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

namespace kasoku::jit {

namespace {

ExprPtr function_expr(const std::string& name, const Function* function, Place place) {
  Binding binding;
  binding.kind = Binding::Kind::function;
  binding.name = name;
  binding.function = function;
  return global_expr(binding, name, place);
}

}  // namespace

const Class& Inference::class_of(const Type& instance, Place place) {
  const auto found = classes_.find(instance.text);
  if (found == classes_.end()) fail(place, fmt::format("{} has no compiled form here", str(instance)));
  return found->second;
}

Type Inference::instance_attribute(Expr& expr, const Type& object) {
  if (const auto field = field_index(object, expr.text)) return object.items[*field];
  const Class& of = class_of(object, expr.place);
  const auto getter = of.getters.find(expr.text);
  if (getter == of.getters.end()) fail(expr.place, fmt::format("{} has no attribute '{}' in compiled code", str(object), expr.text));
  // x.name is a call of the property's function from now on.
  expr.kind = ExprKind::call;
  expr.items.insert(expr.items.begin(), function_expr(expr.text, getter->second, expr.place));
  return call(expr);
}

Type Inference::instance_method(Expr& expr, const Type& object) {
  Expr& target = *expr.items[0];
  const Class& of = class_of(object, expr.place);
  const auto method = of.methods.find(target.text);
  if (method == of.methods.end()) fail(expr.place, fmt::format("{} has no method '{}' in compiled code", str(object), target.text));
  ExprPtr self = std::move(target.items[0]);
  expr.items[0] = function_expr(target.text, method->second, target.place);
  expr.items.insert(expr.items.begin() + 1, std::move(self));
  return call(expr);
}

const char* method_of(Operator op) {
  switch (op) {
    case Operator::add: return "__add__";
    case Operator::subtract: return "__sub__";
    case Operator::multiply: return "__mul__";
    case Operator::divide: return "__truediv__";
    case Operator::floor_divide: return "__floordiv__";
    case Operator::modulo: return "__mod__";
    case Operator::power: return "__pow__";
    case Operator::matmul: return "__matmul__";
    case Operator::left_shift: return "__lshift__";
    case Operator::right_shift: return "__rshift__";
    case Operator::bit_and: return "__and__";
    case Operator::bit_or: return "__or__";
    case Operator::bit_xor: return "__xor__";
    case Operator::less: return "__lt__";
    case Operator::less_equal: return "__le__";
    case Operator::greater: return "__gt__";
    case Operator::greater_equal: return "__ge__";
    case Operator::equal: return "__eq__";
    case Operator::not_equal: return "__ne__";
    default: return nullptr;
  }
}

bool Inference::instance_operator(Expr& expr, const Type& object, const char* name, size_t first) {
  const Class& of = class_of(object, expr.place);
  const auto method = of.methods.find(name);
  if (method == of.methods.end()) return false;
  expr.kind = ExprKind::call;
  if (first)
    expr.items[0] = function_expr(name, method->second, expr.place);
  else
    expr.items.insert(expr.items.begin(), function_expr(name, method->second, expr.place));
  return true;
}

bool can_be_read_twice(const Expr& e) {
  return e.kind == ExprKind::name || (e.kind == ExprKind::attribute && e.items[0]->kind == ExprKind::name);
}

void Inference::assign_attribute(Expr& target, const Type& type) {
  const Type object = target.items[0]->type;
  const auto field = field_index(object, target.text);
  if (!field) fail(target.place, fmt::format("{} has no field '{}' that compiled code assigns", str(object), target.text));
  const Type own = target.type = object.items[*field];
  if (!type.is_known()) return;
  bool fits = own == type || join(own, type) == own;
  const Type& number = own.kind == TypeKind::optional && type.is_scalar() ? own.items[0] : own;
  if (number.is_scalar()) fits = type.is_scalar() && !(type.is_complex() && !number.is_complex());
  if (own.is_string()) fits = type.is_words();
  if (own.is_array())
    fits = type.is_array() && type.dtype == own.dtype && type.ndim == own.ndim && type.items == own.items && type.text == own.text &&
           (type.is_contiguous || !own.is_contiguous) && (!type.is_read_only || own.is_read_only);
  if (!fits) fail(target.place, fmt::format("{} cannot be stored in the field '{}', which is {}", str(type), target.text, str(own)));
}

}  // namespace kasoku::jit
