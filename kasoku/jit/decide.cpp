/// What an expression is, where the types of names say it: the value of a part of a condition, and whether the condition is true.
#include "kasoku/jit/infer.h"
#include "kasoku/jit/typed_function.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <variant>

namespace kasoku::jit {

namespace {

std::optional<int> order(const Value& a, const Value& b) {
  const auto number = [](const Value& value) -> std::optional<int64_t> {
    if (const int64_t* n = std::get_if<int64_t>(&value)) return *n;
    if (const bool* yes = std::get_if<bool>(&value)) return *yes;
    return std::nullopt;
  };
  const auto x = number(a), y = number(b);
  if (x && y) return *x < *y ? -1 : *x > *y;
  const std::string *s = std::get_if<std::string>(&a), *t = std::get_if<std::string>(&b);
  const auto is_symbol = [](const std::string& text) { return text.starts_with('\n'); };
  if (s && t && is_symbol(*s) != is_symbol(*t)) return std::nullopt;  // a dtype may equal a text
  if (s && t) return *s < *t ? -1 : *s > *t;
  return std::nullopt;
}

Value dtype_value(Dtype dtype) { return fmt::format("\n{}", info(dtype).name); }

std::optional<Value> fold(const Expr& e, const Known& known) {
  if (e.kind == ExprKind::constant) return e.value;
  if (e.kind == ExprKind::global && e.binding.kind == Binding::Kind::value && e.binding.dtype == Dtype::opaque) return e.binding.value;
  if (e.kind == ExprKind::global && e.binding.kind == Binding::Kind::member) return "\n" + e.binding.name;  // no text is that
  if (e.kind == ExprKind::global && e.binding.kind == Binding::Kind::dtype) return dtype_value(e.binding.dtype);
  if (e.kind == ExprKind::attribute && e.text == "dtype") {
    const Type* type = known_type(*e.items[0], known);
    return type && (type->is_scalar() || (type->is_array() && !type->has_records())) ? std::optional<Value>(dtype_value(type->dtype)) : std::nullopt;
  }
  if (const Type* type = known_type(e, known)) {
    if (type->kind == TypeKind::dtype) return dtype_value(type->dtype);
    if (type->kind == TypeKind::none) return None{};
    if (type->kind == TypeKind::text) return type->text;
    if (type->kind == TypeKind::member) return "\n" + type->text;
    if ((type->is_integer() || type->is_boolean()) && !type->text.empty()) return static_cast<int64_t>(std::stoll(type->text));
    return std::nullopt;
  }
  if (e.kind == ExprKind::unary && e.op == Operator::negative)
    if (const auto inner = fold(*e.items[0], known))
      if (const int64_t* n = std::get_if<int64_t>(&*inner)) return -*n;
  if (e.kind == ExprKind::binary && (e.op == Operator::add || e.op == Operator::subtract)) {
    const auto a = fold(*e.items[0], known), b = fold(*e.items[1], known);
    const int64_t *x = a ? std::get_if<int64_t>(&*a) : nullptr, *y = b ? std::get_if<int64_t>(&*b) : nullptr;
    if (x && y) return e.op == Operator::add ? *x + *y : *x - *y;
  }
  if (e.kind == ExprKind::attribute && e.text == "ndim") {
    const Type* type = known_type(*e.items[0], known);
    if (type && (type->is_array() || type->is_scalar())) return static_cast<int64_t>(type->ndim);
  }
  if (const Intrinsic* row = intrinsic_of(e); row && e.items.size() >= 2) {
    const Type* type = known_type(*e.items[1], known);
    if (type && row->handler == Handler::len && type->is_tuple()) return static_cast<int64_t>(type->items.size());
    if (type && row->handler == Handler::isinstance && e.items.size() == 3)
      if (const auto answer = is_of(*type, std::get<std::string>(e.items[2]->value))) return *answer;
  }
  return std::nullopt;
}

}  // namespace

std::optional<bool> is_of(const Type& type, const std::string& classes) {
  const auto listed = [&](const std::string& name) { return ("," + classes + ",").find("," + name + ",") != std::string::npos; };
  const auto name = [&]() -> std::string {
    switch (type.kind) {
      case TypeKind::none: return "NoneType";
      case TypeKind::text:
      case TypeKind::string: return "str";
      case TypeKind::array: return "ndarray";
      case TypeKind::tuple: return "tuple";
      case TypeKind::list: return "list";
      case TypeKind::dict: return "dict";
      case TypeKind::set: return "set";
      case TypeKind::scalar: return std::string(info(type.dtype).name);
      default: return "";
    }
  }();
  if (name.empty() || listed("?" + name) || (type.enumeration && !listed(name))) return std::nullopt;
  return listed(name);
}

const Type* known_type(const Expr& e, const Known& known) {
  if (e.kind != ExprKind::name) return nullptr;
  const auto found = known.find(e.text);
  return found == known.end() ? nullptr : &found->second;
}

std::optional<bool> decided(const Expr& e, const Known& known) {
  if (e.kind == ExprKind::unary && e.op == Operator::not_) {
    const auto inner = decided(*e.items[0], known);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (e.kind == ExprKind::logic) {
    const bool ends = e.op == Operator::or_;
    bool all = true;
    for (const ExprPtr& item : e.items) {
      const auto one = decided(*item, known);
      if (one == ends && all) return ends;  // those before it have the other value
      all &= one.has_value();
    }
    return all ? std::optional(!ends) : std::nullopt;
  }
  if (e.kind != ExprKind::compare) {
    const auto value = fold(e, known);
    if (!value) return std::nullopt;
    if (const bool* yes = std::get_if<bool>(&*value)) return *yes;
    if (const int64_t* n = std::get_if<int64_t>(&*value)) return *n != 0;
    if (const std::string* text = std::get_if<std::string>(&*value)) return !text->empty();
    return std::holds_alternative<None>(*value) ? std::optional(false) : std::nullopt;
  }
  if (e.ops.size() != 1) return std::nullopt;
  const Operator op = e.ops[0];
  if (op == Operator::in || op == Operator::not_in) {
    const auto value = fold(*e.items[0], known);
    if (!value || (e.items[1]->kind != ExprKind::tuple && e.items[1]->kind != ExprKind::list)) return std::nullopt;
    bool found = false;
    for (const ExprPtr& item : e.items[1]->items) {
      const auto other = fold(*item, known);
      const auto difference = other ? order(*value, *other) : std::nullopt;
      if (!difference) return std::nullopt;
      found |= *difference == 0;
    }
    return found == (op == Operator::in);
  }
  const auto b = fold(*e.items[1], known);
  const bool is_identity = op == Operator::is || op == Operator::is_not;
  const bool is_equality = op == Operator::equal || op == Operator::not_equal;
  if (b && std::holds_alternative<None>(*b) && (is_identity || is_equality)) {
    // A value that is known only by its type is none or not.
    const Type* type = known_type(*e.items[0], known);
    const auto a = fold(*e.items[0], known);
    if (!type && !a) return std::nullopt;
    if (type && (type->kind == TypeKind::optional || (type->is_array() && is_equality))) return std::nullopt;
    return (type ? type->kind == TypeKind::none : std::holds_alternative<None>(*a)) == (op == Operator::is || op == Operator::equal);
  }
  const auto a = fold(*e.items[0], known);
  if (!a || !b) return std::nullopt;
  const auto difference = order(*a, *b);
  if (!difference) {
    const bool none = std::holds_alternative<None>(*a) || std::holds_alternative<None>(*b);
    return none && (is_identity || is_equality) ? std::optional(op == Operator::is_not || op == Operator::not_equal) : std::nullopt;
  }
  switch (op) {
    case Operator::is:
    case Operator::equal: return *difference == 0;
    case Operator::is_not:
    case Operator::not_equal: return *difference != 0;
    case Operator::less: return *difference < 0;
    case Operator::less_equal: return *difference <= 0;
    case Operator::greater: return *difference > 0;
    case Operator::greater_equal: return *difference >= 0;
    default: return std::nullopt;
  }
}

}  // namespace kasoku::jit
