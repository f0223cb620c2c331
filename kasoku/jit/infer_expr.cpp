/// Types of expressions.
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku::jit {

std::optional<int64_t> constant_int(const Expr& expr) {
  const auto number = [](const Value& value) -> std::optional<int64_t> {
    if (const int64_t* n = std::get_if<int64_t>(&value)) return *n;
    if (const bool* b = std::get_if<bool>(&value)) return *b;
    return std::nullopt;
  };
  if (expr.kind == ExprKind::constant) return number(expr.value);
  if (expr.type.is_scalar() && !expr.type.text.empty()) return std::stoll(expr.type.text);
  if (expr.kind == ExprKind::global && expr.binding.kind == Binding::Kind::value)
    return number(expr.binding.value);
  if (expr.kind == ExprKind::unary && (expr.op == Operator::negative || expr.op == Operator::positive)) {
    const auto inner = constant_int(*expr.items[0]);
    if (inner) return expr.op == Operator::negative ? -*inner : *inner;
  }
  if (expr.kind == ExprKind::binary && expr.type == int64_type) {
    const auto a = constant_int(*expr.items[0]), b = constant_int(*expr.items[1]);
    int64_t n = 0;
    if (!a || !b) return std::nullopt;
    switch (expr.op) {
      case Operator::add: return __builtin_add_overflow(*a, *b, &n) ? std::nullopt : std::optional(n);
      case Operator::subtract: return __builtin_sub_overflow(*a, *b, &n) ? std::nullopt : std::optional(n);
      case Operator::multiply: return __builtin_mul_overflow(*a, *b, &n) ? std::nullopt : std::optional(n);
      case Operator::floor_divide: if (*a >= 0 && *b > 0) return *a / *b; break;
      case Operator::modulo: if (*a >= 0 && *b > 0) return *a % *b; break;
      default: break;
    }
  }
  return std::nullopt;
}

Type elementwise_type(Dtype dtype, const std::vector<Type>& operands) {
  int ndim = -1;
  for (const Type& type : operands)
    if (type.is_array()) ndim = std::max(ndim, int{type.ndim});
  return ndim < 0 ? Type::scalar(dtype) : Type::array(dtype, ndim, true);
}

namespace {

/// An element without a sign stays in its width, where 64 bits would set bits that it does not have.
Dtype unary_dtype(Dtype dtype) {
  if (dtype == Dtype::bool_) return Dtype::int64;
  return info(dtype).kind == DtypeKind::unsigned_ ? dtype : scalar_dtype(dtype, dtype);
}

bool is_numeric(const Type& type) { return type.is_scalar() || (type.is_array() && !type.has_records()); }

/// What is done with bytes: a letter or a part of them, their length, loops, calls of the program's functions.
bool takes_bytes(const Expr& expr, size_t at) {
  if (expr.kind == ExprKind::subscript) return at == 0 && (expr.type.is_bytes() || !expr.type.is_array());
  if (expr.kind != ExprKind::call) return false;
  const Intrinsic* row = intrinsic_of(expr);
  return !row || row->handler == Handler::len || row->handler == Handler::enumerate || row->handler == Handler::zip;
}

}  // namespace

std::optional<Type> binary_type(Operator op, const Type& a, const Type& b, const Expr* right) {
  if (a.is_tuple() && b.is_tuple() && op == Operator::add) {
    Type both = a;
    both.items.insert(both.items.end(), b.items.begin(), b.items.end());
    return both;
  }
  if (a.kind == TypeKind::text && b.kind == TypeKind::text && op == Operator::add) return Type::of_text(a.text + b.text);
  const auto is_whole = [](const Type& type) { return type.is_integer() || type.is_boolean(); };
  if (a.is_words() && b.is_words() && op == Operator::add) return string_type;
  if (((a.is_words() && is_whole(b)) || (is_whole(a) && b.is_words())) && op == Operator::multiply) return string_type;
  if (!is_numeric(a) || !is_numeric(b)) return std::nullopt;
  const Dtype dtype = common_dtype(a, b);
  const bool is_array = a.is_array() || b.is_array();
  switch (op) {
    case Operator::divide: return elementwise_type(floating_dtype(dtype), {a, b});
    case Operator::power: {
      const auto exponent = right ? constant_int(*right) : std::nullopt;
      if (exponent && *exponent < 0 && is_integer(dtype) && !is_array) return float64_type;
      if (exponent == 2 && a.is_array() && a.dtype == Dtype::bool_ && b.is_scalar()) return elementwise_type(Dtype::int8, {a, a});  // NumPy squares
      return elementwise_type(dtype == Dtype::bool_ ? (is_array ? Dtype::int8 : Dtype::int64) : dtype,
                              {a, b});
    }
    case Operator::left_shift:
    case Operator::right_shift:
    case Operator::bit_and:
    case Operator::bit_or:
    case Operator::bit_xor: {
      if (is_floating(dtype) || is_complex(dtype)) return std::nullopt;
      const bool is_shift = op == Operator::left_shift || op == Operator::right_shift;
      if (!is_array && a.dtype == Dtype::bool_ && b.dtype == Dtype::bool_)
        return is_shift ? int64_type : bool_type;
      if (!is_shift && (a.enumeration < 0 || b.enumeration < 0)) {  // flags together are flags
        Type flags = elementwise_type(dtype, {a, b});
        flags.enumeration = a.enumeration < 0 ? a.enumeration : b.enumeration;
        return flags;
      }
      return elementwise_type(dtype, {a, b});
    }
    case Operator::matmul:
      if (!a.is_array() || !b.is_array() || a.ndim == 0 || b.ndim == 0 || a.ndim > 2 || b.ndim > 2)
        return std::nullopt;
      if (a.ndim == 1 && b.ndim == 1) return Type::scalar(dtype);
      return Type::array(dtype, a.ndim + b.ndim - 2, true);
    case Operator::floor_divide:
    case Operator::modulo:
      if (is_complex(dtype)) return std::nullopt;
      [[fallthrough]];
    default: {
      if (dtype != Dtype::bool_) return elementwise_type(dtype, {a, b});
      if (!is_array) return int64_type;
      if (op == Operator::subtract) return std::nullopt;  // NumPy refuses it
      return elementwise_type(op == Operator::add || op == Operator::multiply ? Dtype::bool_ : Dtype::int8, {a, b});
    }
  }
}

Type Inference::visit(Expr& expr, bool takes_none) {
  const Type before = std::move(expr.type);
  expr.type = type_of(expr);
  if (before.is_container() && expr.type.kind == before.kind) expr.type = join(before, expr.type).value_or(expr.type);  // see expect()
  for (size_t i = 0; i < expr.items.size(); ++i)
    if (expr.items[i] && expr.items[i]->type.is_bytes() && !takes_bytes(expr, i))
      fail(expr.place, "compiled code reads bytes one by one: this has no compiled form");
  if (is_last_ && expr.type.kind == TypeKind::unknown && expr.kind == ExprKind::name)
    fail(expr.place, fmt::format("'{}' is used before it is assigned", expr.text));
  if (is_last_ && !expr.type.is_known())
    fail(expr.place, "the type of this expression cannot be known",
         "what it depends on has no value that ends: a recursion without another way out");
  if (expr.type.kind == TypeKind::optional && !takes_none) {
    auto value = std::make_unique<Expr>(std::move(expr));
    expr = Expr{};
    expr.kind = ExprKind::present;
    expr.place = value->place;
    expr.type = value->type.items[0];
    expr.items.push_back(std::move(value));
  }
  return expr.type;
}

Type Inference::condition(Expr& expr) {
  const Type type = visit(expr, true);
  if (type.is_array() || (type.kind == TypeKind::optional && type.items[0].is_array()))
    fail(expr.place, "the truth of an array with more than one element is ambiguous", "", "use .any() or .all(), or & | ~ on its elements");
  return type;
}

namespace {

Type constant_type(const Value& value) {
  return std::visit(
      [](const auto& value) -> Type {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, None>) return Type::none();
        else if constexpr (std::is_same_v<T, bool>) return bool_type;
        else if constexpr (std::is_same_v<T, int64_t>) return int64_type;
        else if constexpr (std::is_same_v<T, uint64_t>) return Type::scalar(Dtype::uint64);
        else if constexpr (std::is_same_v<T, double>) return float64_type;
        else if constexpr (std::is_same_v<T, std::string>) return Type::of_text(value);
        else return Type::scalar(Dtype::complex128);
      },
      value);
}

}  // namespace

Type Inference::constant(const Expr& expr) {
  return constant_type(expr.kind == ExprKind::global ? expr.binding.value : expr.value);
}

namespace {

Type binding_type(const Binding& binding) {
  switch (binding.kind) {
    case Binding::Kind::dtype: {
      Type type = Type::of(TypeKind::dtype);
      type.dtype = binding.dtype;
      return type;
    }
    case Binding::Kind::instance:
    case Binding::Kind::array: return binding.type;
    case Binding::Kind::member: {
      Type type = Type::of(TypeKind::member);
      type.text = binding.name;
      return type;
    }
    case Binding::Kind::function:
    case Binding::Kind::intrinsic: {
      Type type = Type::of(TypeKind::function);
      type.function = binding.function;
      if (!type.function) type.intrinsic = find_intrinsic(binding.name);
      return type;
    }
    case Binding::Kind::tuple: {
      std::vector<Type> items;
      for (const Binding& item : binding.items) items.push_back(binding_type(item));
      return Type::tuple(items);
    }
    case Binding::Kind::value:
      if (binding.type.enumeration) return binding.type;
      if (binding.dtype != Dtype::opaque) return Type::scalar(binding.dtype);
      return constant_type(binding.value);
    default: return {};
  }
}

}  // namespace

Type Inference::global(const Expr& expr) {
  const Binding& binding = expr.binding;
  if (binding.kind == Binding::Kind::object)
    fail(expr.place, fmt::format("'{}' cannot be used in compiled code", expr.text),
         fmt::format("it is {}", binding.name));
  if (binding.kind == Binding::Kind::intrinsic) {
    const Intrinsic* intrinsic = find_intrinsic(binding.name);
    if (intrinsic && intrinsic->handler == Handler::word) return Type::scalar(intrinsic->dtype);
    // Python's own number types as a dtype: np.zeros(n, int).
    if (intrinsic) {
      Type type = Type::of(TypeKind::dtype);
      switch (intrinsic->handler) {
        case Handler::to_int: type.dtype = Dtype::int64; return type;
        case Handler::to_float: type.dtype = Dtype::float64; return type;
        case Handler::to_bool: type.dtype = Dtype::bool_; return type;
        case Handler::to_complex: type.dtype = Dtype::complex128; return type;
        default: break;
      }
    }
  }
  if (binding.kind == Binding::Kind::instance && function_->function->options.is_cuda)
    fail(expr.place, "an instance of a class has no compiled form in kernels");
  return binding_type(binding);
}

std::optional<Type> Inference::compare_absent(Expr& expr, const std::vector<Type>& types) {
  const auto is_absent = [&](size_t i) { return types[i].kind == TypeKind::optional; };
  const auto asks_for_it = [](Operator op) { return op == Operator::is || op == Operator::is_not || op == Operator::equal || op == Operator::not_equal; };
  bool asks = false, asks_none = true;
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    if (!is_absent(i) && !is_absent(i + 1)) continue;
    const bool is_in = expr.ops[i] == Operator::in || expr.ops[i] == Operator::not_in;
    if (is_in && is_absent(i)) fail(expr.items[i]->place, fmt::format("'in' for {} cannot be compiled", str(types[i])), "", "test it with 'is None' first");
    asks |= asks_for_it(expr.ops[i]);
    asks_none &= types[i].kind == TypeKind::none || types[i + 1].kind == TypeKind::none;
  }
  if (!asks) return std::nullopt;
  const bool is_single = expr.ops.size() == 1;
  if (is_single && asks_none) return bool_type;
  // x == y, where x may be None: x is not None and x == y.
  const size_t at = is_absent(0) ? 0 : 1;
  if (!is_single || is_absent(1 - at) || !can_be_read_twice(*expr.items[at]))
    fail(expr.place, fmt::format("{} {} {} cannot be compiled", str(types[0]), str(expr.ops[0]), str(types[1])), "", "test it with 'is None' first");
  const bool is_equal = expr.ops[0] == Operator::equal || expr.ops[0] == Operator::is;
  auto asked = expr.clone(), value = expr.clone();
  asked->ops[0] = is_equal ? Operator::is_not : Operator::is;
  auto none = std::make_unique<Expr>();
  none->place = expr.place;
  if (at == 1) std::swap(asked->items[0], asked->items[1]);
  asked->items[1] = std::move(none);
  visit(*value->items[at]);
  expr = Expr{};
  expr.kind = ExprKind::logic;
  expr.op = is_equal ? Operator::and_ : Operator::or_;
  expr.place = value->place;
  expr.items.push_back(std::move(asked)), expr.items.push_back(std::move(value));
  return type_of(expr);
}

Type Inference::variable(const Expr& expr) {
  const Variable& variable = function_->variables[expr.variable];
  // None at first, and what comes later is not seen yet.
  return variable.type.kind == TypeKind::none && variable.n_assignments > 1 && !knows_nones_ ? Type{} : variable.type;
}

Type Inference::tuple(Expr& expr) {
  std::vector<Type> items;
  const bool is_result = std::exchange(is_result_, false);
  for (ExprPtr& item : expr.items) {
    items.push_back(visit(*item, true));
    if (!items.back().is_known()) return {};
    if (items.back().kind == TypeKind::optional && !is_result)
      fail(item->place, fmt::format("a tuple of compiled code cannot hold {}", str(items.back())), "", "test it with 'is None' and make two tuples");
  }
  Type made = Type::tuple(std::move(items));
  if (expr.text.find(',') != std::string::npos) made.text = expr.text;  // names of a named tuple's items
  return made;
}

Type Inference::unary(Expr& expr) {
  const Type type = expr.op == Operator::not_ ? condition(*expr.items[0]) : visit(*expr.items[0]);
  if (!type.is_known()) return {};
  if (expr.op == Operator::not_) return bool_type;
  if (!is_numeric(type))
    fail(expr.place, fmt::format("{}{} has no meaning", str(expr.op), str(type)));
  if (expr.op == Operator::invert) {
    if (is_floating(type.dtype) || type.enumeration < 0 || is_complex(type.dtype))
      fail(expr.place, fmt::format("~{} has no meaning", str(type)));
    if (type.is_array()) return Type::array(type.dtype, type.ndim, true);
    // ~ of a truth value is NumPy's: those of arrays and Python's are one type here.
    return type.is_boolean() ? bool_type : Type::scalar(unary_dtype(type.dtype));
  }
  if (type.is_array() && type.dtype == Dtype::bool_) fail(expr.place, fmt::format("{}{} has no meaning", str(expr.op), str(type)), "", "use ~ or logical_not");
  if (type.is_array()) return Type::array(type.dtype, type.ndim, true);
  return Type::scalar(unary_dtype(type.dtype));
}

Type Inference::binary(Expr& expr) {
  const Type a = visit(*expr.items[0]), b = visit(*expr.items[1]);
  if (!a.is_known() || !b.is_known()) return {};
  if (a.is_instance() || b.is_instance()) {
    const char* const name = method_of(expr.op);
    if (name && a.is_instance() && instance_operator(expr, a, name, 0)) return call(expr);
    fail(expr.place, fmt::format("{} {} {} cannot be compiled", str(a), str(expr.op), str(b)));
  }
  if (a.is_set() && b.is_set()) return set_binary(expr, a, b);
  if (a.is_list() || b.is_list()) return list_binary(expr, a, b);
  const auto type = binary_type(expr.op, a, b, expr.items[1].get());
  if (!type)
    fail(expr.place, fmt::format("{} {} {} has no meaning", str(a), str(expr.op), str(b)));
  return *type;
}

bool Inference::compare_pair(Expr& expr, size_t i, const Type& a, const Type& b) {
  const Operator op = expr.ops[i];
  if (op == Operator::is || op == Operator::is_not) {
    if ((a.is_array() && b.is_array()) || (a.is_tuple() && b.is_tuple()))
      fail(expr.place, fmt::format("'{}' of two {}s cannot be compiled", str(op), a.is_array() ? "array" : "tuple"), "", "compare their elements");
    if (a.is_words() && b.is_words() && (a.is_string() || b.is_string()))
      fail(expr.place, fmt::format("'{}' of two texts cannot be compiled", str(op)), "which texts are one object is the interpreter's matter");
    return false;
  }
  const auto has_instance = [](const Type& type, const auto& self) -> bool {
    return type.is_instance() || std::ranges::any_of(type.items, [&](const Type& item) { return self(item, self); });
  };
  if (has_instance(a, has_instance) || has_instance(b, has_instance))  // the class says what is equal
    fail(expr.place, fmt::format("{} {} {} cannot be compiled", str(a), str(op), str(b)));
  if (op == Operator::in || op == Operator::not_in) {
    if (a.is_words() && b.is_words()) return false;
    if (b.is_hashed()) want_key(*expr.items[i + 1], a, expr.place, false);
    else if (!b.is_tuple() && !b.is_list())
      fail(expr.place, fmt::format("'in' {} cannot be compiled", str(b)));
    for (const Type& item : b.items)
      if ((a.kind == TypeKind::dtype) != (item.kind == TypeKind::dtype) && item.kind != TypeKind::none) fail(expr.place, "dtypes are compared with dtypes alone in compiled code", "", item.kind == TypeKind::text ? "name the dtype: np." + item.text : "");
    return false;
  }
  const bool is_equality = op == Operator::equal || op == Operator::not_equal;
  const auto are = [&](TypeKind kind) { return a.kind == kind && b.kind == kind; };
  if ((a.is_words() && b.is_words()) || are(TypeKind::tuple)) return false;
  if (is_equality && (are(TypeKind::dtype) || are(TypeKind::member))) return false;
  if (is_equality && ((a.is_words() && b.is_scalar()) || (a.is_scalar() && b.is_words()))) return false;
  const bool has_none = a.kind == TypeKind::none || b.kind == TypeKind::none;
  if (is_equality && has_none && !a.is_array() && !b.is_array()) return false;
  if (a.is_container() && b.kind == a.kind && (is_equality || a.is_set())) {
    if (!a.is_list()) expect(*expr.items[i], b), expect(*expr.items[i + 1], a);
    return false;
  }
  if (!is_numeric(a) || !is_numeric(b))
    fail(expr.place,
         fmt::format("{} {} {} has no meaning", str(a), str(op), str(b)));
  const bool are_arrays = a.is_array() || b.is_array();
  if (!are_arrays && !is_equality && (a.is_complex() || b.is_complex()))
    fail(expr.place, fmt::format("'{}' of complex numbers has no meaning", str(op)), "", "compare their real parts or abs()");
  return are_arrays;
}

Type Inference::compare(Expr& expr) {
  std::vector<Type> types;
  for (size_t i = 1; i < expr.items.size(); ++i)
    if ((expr.ops[i - 1] == Operator::in || expr.ops[i - 1] == Operator::not_in) && expr.items[i]->kind == ExprKind::list)
      expr.items[i]->kind = ExprKind::tuple;
  for (ExprPtr& item : expr.items) types.push_back(visit(*item, true));
  for (const Type& type : types)
    if (!type.is_known()) return {};
  if (std::ranges::any_of(types, [](const Type& type) { return type.kind == TypeKind::optional; })) {
    if (const auto type = compare_absent(expr, types)) return *type;
    types.clear();
    for (ExprPtr& item : expr.items) types.push_back(visit(*item));
  }
  if (types.size() == 2 && types[0].is_instance())
    if (const char* const name = method_of(expr.ops[0]); name && instance_operator(expr, types[0], name, 0))
      return call(expr);
  bool is_array = false;
  for (size_t i = 0; i + 1 < types.size(); ++i) is_array |= compare_pair(expr, i, types[i], types[i + 1]);
  if (is_array && types.size() > 2)
    fail(expr.place, "a chained comparison of arrays is ambiguous", "", "use (a < b) & (b < c)");
  return is_array ? elementwise_type(Dtype::bool_, types) : bool_type;
}

Type Inference::logic(Expr& expr) {
  Type all;
  for (ExprPtr& item : expr.items) {
    const Type type = condition(*item);
    if (!type.is_known()) return {};
    const auto both = join(all, type);
    if (!both)
      fail(expr.place, fmt::format("'{}' gives {} or {}", str(expr.op), str(all), str(type)));
    all = *both;
  }
  return all;
}

Type Inference::conditional(Expr& expr) {
  decide(*expr.items[0], expr.place, expr.text);
  condition(*expr.items[0]);
  const Type a = visit(*expr.items[1], true), b = visit(*expr.items[2], true);
  if (!a.is_known() || !b.is_known()) return a.is_known() ? a : b;  // a recursion's other branch
  const auto both = join(a, b);
  const bool loses_names = a.is_tuple() && b.is_tuple() && a.text != b.text;
  if (!both || loses_names || (both->kind == TypeKind::optional && !can_be_absent(both->items[0])))
    fail(expr.place, fmt::format("the expression gives {} or {}", str(a), str(b)));
  return *both;
}

Type Inference::type_of(Expr& expr) {
  switch (expr.kind) {
    case ExprKind::constant: return constant(expr);
    case ExprKind::name: return variable(expr);
    case ExprKind::global: return global(expr);
    case ExprKind::attribute: return attribute(expr);
    case ExprKind::subscript: return subscript(expr);
    case ExprKind::call: return call(expr);
    case ExprKind::list:
      if (!function_->function->options.is_cuda) return display(expr);
      [[fallthrough]];
    case ExprKind::tuple: return tuple(expr);
    case ExprKind::unary: return unary(expr);
    case ExprKind::binary: return binary(expr);
    case ExprKind::compare: return compare(expr);
    case ExprKind::logic: return logic(expr);
    case ExprKind::conditional: return conditional(expr);
    case ExprKind::walrus: {
      const Type type = visit(*expr.items[1], true);
      assign(*expr.items[0], type);
      return function_->variables[expr.items[0]->variable].type;
    }
    case ExprKind::dict:
    case ExprKind::set: return dict_display(expr);
    case ExprKind::slice:
      for (ExprPtr& item : expr.items)
        if (item && visit(*item).is_known() && !(item->type.is_integer() || item->type.is_boolean()) &&
            item->type.kind != TypeKind::none)
          fail(item->place, fmt::format("a slice needs integers, not {}", str(item->type)));
      return Type::of(TypeKind::range);
    case ExprKind::ellipsis: return Type::none();
    case ExprKind::starred: return visit(*expr.items[0]);
    case ExprKind::present: {
      const Type type = visit(*expr.items[0], true);
      return type.kind == TypeKind::optional ? type.items[0] : type;
    }
    case ExprKind::comprehension:
      fail(expr.place, "a list comprehension cannot be compiled yet", "",
           "fill an array made with np.empty in a loop");
  }
  return {};
}

}  // namespace kasoku::jit
