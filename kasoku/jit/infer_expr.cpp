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
  if (expr.kind == ExprKind::global && expr.binding.kind == Binding::Kind::value)
    return number(expr.binding.value);
  if (expr.kind == ExprKind::unary && (expr.op == Operator::negative || expr.op == Operator::positive)) {
    const auto inner = constant_int(*expr.items[0]);
    if (inner) return expr.op == Operator::negative ? -*inner : *inner;
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

Dtype common_dtype(const Type& a, const Type& b) {
  if (a.is_array() && b.is_array()) return element_dtype(a.dtype, b.dtype);
  if (a.is_array()) return weak_dtype(a.dtype, b.dtype);
  if (b.is_array()) return weak_dtype(b.dtype, a.dtype);
  return scalar_dtype(a.dtype, b.dtype);
}

bool is_numeric(const Type& type) { return type.is_scalar() || type.is_array(); }

}  // namespace

std::optional<Type> binary_type(Operator op, const Type& a, const Type& b, const Expr* right) {
  if (a.is_tuple() && b.is_tuple() && op == Operator::add) {
    Type both = a;
    both.items.insert(both.items.end(), b.items.begin(), b.items.end());
    return both;
  }
  if (!is_numeric(a) || !is_numeric(b)) return std::nullopt;
  const Dtype dtype = common_dtype(a, b);
  const bool is_array = a.is_array() || b.is_array();
  switch (op) {
    case Operator::divide: return elementwise_type(floating_dtype(dtype), {a, b});
    case Operator::power: {
      const auto exponent = right ? constant_int(*right) : std::nullopt;
      if (exponent && *exponent < 0 && is_integer(dtype) && !is_array) return float64_type;
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
      Dtype result = dtype;
      if (dtype == Dtype::bool_) result = is_array ? (op == Operator::add || op == Operator::multiply
                                                          ? Dtype::bool_ : Dtype::int8)
                                                   : Dtype::int64;
      return elementwise_type(result, {a, b});
    }
  }
}

Type Inference::visit(Expr& expr) {
  expr.type = type_of(expr);
  if (is_last_ && expr.type.kind == TypeKind::unknown && expr.kind == ExprKind::name)
    fail(expr.place, fmt::format("'{}' is used before it is assigned", expr.text));
  if (is_last_ && !expr.type.is_known())
    fail(expr.place, "the type of this expression cannot be known",
         "what it depends on has no value that ends: a recursion without another way out");
  return expr.type;
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
    case Binding::Kind::array: return binding.type;
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
  return binding_type(binding);
}

Type Inference::type_of(Expr& expr) {
  switch (expr.kind) {
    case ExprKind::constant: return constant(expr);
    case ExprKind::name: return function_->variables[expr.variable].type;
    case ExprKind::global: return global(expr);
    case ExprKind::attribute: return attribute(expr);
    case ExprKind::subscript: return subscript(expr);
    case ExprKind::call: return call(expr);
    case ExprKind::tuple:
    case ExprKind::list: {
      std::vector<Type> items;
      for (ExprPtr& item : expr.items) {
        items.push_back(visit(*item));
        if (!items.back().is_known()) return {};
      }
      return Type::tuple(std::move(items));
    }
    case ExprKind::unary: {
      const Type type = visit(*expr.items[0]);
      if (!type.is_known()) return {};
      if (expr.op == Operator::not_) {
        if (type.is_array()) fail(expr.place, "the truth of an array is ambiguous", "", "use ~x");
        return bool_type;
      }
      if (!is_numeric(type))
        fail(expr.place, fmt::format("{}{} has no meaning", str(expr.op), str(type)));
      if (expr.op == Operator::invert) {
        if (is_floating(type.dtype) || is_complex(type.dtype))
          fail(expr.place, fmt::format("~{} has no meaning", str(type)));
        if (type.is_array()) return Type::array(type.dtype, type.ndim, true);
        return Type::scalar(type.dtype == Dtype::bool_ ? Dtype::int64
                                                       : scalar_dtype(type.dtype, type.dtype));
      }
      if (type.is_array()) return Type::array(type.dtype, type.ndim, true);
      return Type::scalar(scalar_dtype(type.dtype, type.dtype) == Dtype::bool_
                              ? Dtype::int64 : scalar_dtype(type.dtype, type.dtype));
    }
    case ExprKind::binary: {
      const Type a = visit(*expr.items[0]), b = visit(*expr.items[1]);
      if (!a.is_known() || !b.is_known()) return {};
      const auto type = binary_type(expr.op, a, b, expr.items[1].get());
      if (!type)
        fail(expr.place, fmt::format("{} {} {} has no meaning", str(a), str(expr.op), str(b)));
      return *type;
    }
    case ExprKind::compare: {
      std::vector<Type> types;
      for (ExprPtr& item : expr.items) types.push_back(visit(*item));
      for (const Type& type : types)
        if (!type.is_known()) return {};
      bool is_array = false;
      for (size_t i = 0; i + 1 < types.size(); ++i) {
        const Operator op = expr.ops[i];
        if (op == Operator::is || op == Operator::is_not) {
          if (types[i].is_array() && types[i + 1].is_array())
            fail(expr.place, fmt::format("'{}' of two arrays cannot be compiled", str(op)), "", "compare their elements");
          continue;
        }
        if (op == Operator::in || op == Operator::not_in) {
          if (!types[i + 1].is_tuple())
            fail(expr.place, fmt::format("'in' {} cannot be compiled", str(types[i + 1])));
          continue;
        }
        if (types[i].kind == TypeKind::text && types[i + 1].kind == TypeKind::text) continue;
        if (types[i].kind == TypeKind::none || types[i + 1].kind == TypeKind::none) continue;
        if (types[i].kind == TypeKind::dtype && types[i + 1].kind == TypeKind::dtype) continue;
        if (types[i].is_tuple() && types[i + 1].is_tuple()) continue;
        if (!is_numeric(types[i]) || !is_numeric(types[i + 1]))
          fail(expr.place,
               fmt::format("{} {} {} has no meaning", str(types[i]), str(op), str(types[i + 1])));
        is_array |= types[i].is_array() || types[i + 1].is_array();
      }
      if (is_array && types.size() > 2)
        fail(expr.place, "a chained comparison of arrays is ambiguous", "", "use (a < b) & (b < c)");
      return is_array ? elementwise_type(Dtype::bool_, types) : bool_type;
    }
    case ExprKind::logic: {
      Type all;
      for (ExprPtr& item : expr.items) {
        const Type type = visit(*item);
        if (!type.is_known()) return {};
        if (type.is_array())
          fail(item->place, "the truth of an array is ambiguous", "", "use & and | on arrays");
        const auto both = join(all, type);
        if (!both)
          fail(expr.place, fmt::format("'{}' gives {} or {}", str(expr.op), str(all), str(type)));
        all = *both;
      }
      return all;
    }
    case ExprKind::conditional: {
      visit(*expr.items[0]);
      const Type a = visit(*expr.items[1]), b = visit(*expr.items[2]);
      if (!a.is_known() || !b.is_known()) return a.is_known() ? a : b;  // a recursion's other branch
      const auto both = join(a, b);
      if (!both || both->kind == TypeKind::optional)
        fail(expr.place, fmt::format("the expression gives {} or {}", str(a), str(b)));
      return *both;
    }
    case ExprKind::walrus: {
      const Type type = visit(*expr.items[1]);
      assign(*expr.items[0], type);
      return function_->variables[expr.items[0]->variable].type;
    }
    case ExprKind::slice:
      for (ExprPtr& item : expr.items)
        if (item && visit(*item).is_known() && !(item->type.is_integer() || item->type.is_boolean()) &&
            item->type.kind != TypeKind::none)
          fail(item->place, fmt::format("a slice needs integers, not {}", str(item->type)));
      return Type::of(TypeKind::range);
    case ExprKind::ellipsis: return Type::none();
    case ExprKind::comprehension:
      fail(expr.place, "a list comprehension cannot be compiled yet", "",
           "fill an array made with np.empty in a loop");
  }
  return {};
}

Type Inference::attribute(Expr& expr) {
  const Type object = visit(*expr.items[0]);
  const std::string& name = expr.text;
  if (!object.is_known()) return {};
  if (object.is_array()) {
    if (name == "size" || name == "ndim" || name == "nbytes" || name == "itemsize") return int64_type;
    if (name == "shape" || name == "strides")
      return Type::tuple(std::vector<Type>(object.ndim, int64_type));
    if (name == "T") return object.view(object.dtype, object.ndim, object.is_contiguous && object.ndim < 2);
    if (name == "dtype") {
      Type type = Type::of(TypeKind::dtype);
      type.dtype = object.dtype;
      return type;
    }
    if (name == "real" && !is_complex(object.dtype)) return object;
    if (name == "real" || name == "imag") {
      if (!is_complex(object.dtype)) fail(expr.place, "the imaginary part of a real array is zero");
      return Type::array(object.dtype == Dtype::complex64 ? Dtype::float32 : Dtype::float64,
                         object.ndim, true);
    }
  }
  if (object.is_scalar() && name == "dtype") {
    Type type = Type::of(TypeKind::dtype);
    type.dtype = object.dtype;
    return type;
  }
  if (object.kind == TypeKind::dtype && name == "type") return object;
  if (object.is_scalar() && (name == "real" || name == "imag"))
    return Type::scalar(object.dtype == Dtype::complex64    ? Dtype::float32
                        : object.dtype == Dtype::complex128 ? Dtype::float64
                                                            : object.dtype);
  fail(expr.place, fmt::format("{} has no attribute '{}' in compiled code", str(object), name));
}

Type Inference::subscript(Expr& expr) {
  const Type object = visit(*expr.items[0]);
  Expr& index = *expr.items[1];
  if (!object.is_known()) return {};
  if (object.is_tuple()) {
    visit(index);
    const auto at = constant_int(index);
    const auto n = static_cast<int64_t>(object.items.size());
    if (!at) {
      Type all;
      for (const Type& item : object.items) {
        const auto both = join(all, item);
        if (!both) fail(expr.place, "a tuple of several types needs a constant index",
                        fmt::format("the tuple is {}", str(object)));
        all = *both;
      }
      return all;
    }
    if (*at >= n || *at < -n)
      fail(expr.place, fmt::format("index {} is out of range for a tuple of {}", *at, n));
    return object.items[*at < 0 ? *at + n : *at];
  }
  if (!object.is_array()) fail(expr.place, fmt::format("{} cannot be indexed", str(object)));

  std::vector<Expr*> items;
  if (index.kind == ExprKind::tuple)
    for (ExprPtr& item : index.items) items.push_back(item.get());
  else
    items.push_back(&index);
  int used = 0, result = 0;
  bool is_contiguous = object.is_contiguous;
  bool has_ellipsis = false, has_mask = false, slice_seen = false;
  int n_fancy = 0;
  for (Expr* item : items) {
    if (item->kind == ExprKind::ellipsis) {
      has_ellipsis = true;
      item->type = Type::none();
      continue;
    }
    const Type type = visit(*item);
    if (!type.is_known()) return {};
    if (item->kind == ExprKind::slice) {
      ++used, ++result;
      const bool is_whole = !item->items[0] && !item->items[1] && !item->items[2];
      const bool has_step = item->items[2] && constant_int(*item->items[2]) != 1;
      if (has_step || (!is_whole && result > 1) || (used > 1 && !is_whole && slice_seen))
        is_contiguous = false;
      slice_seen = true;
    } else if (type.kind == TypeKind::none) {
      ++result;
      is_contiguous = false;
    } else if (type.is_integer() || type.is_boolean()) {
      ++used;
      if (slice_seen) is_contiguous = false;
    } else if (type.is_array() && type.dtype == Dtype::bool_) {
      if (items.size() != 1)
        fail(item->place, "a mask must be the only index in compiled code");
      if (type.ndim != object.ndim)
        fail(item->place, fmt::format("a mask of {} axes does not fit an array of {}", type.ndim,
                                      object.ndim));
      has_mask = true;
    } else if (type.is_array() && is_integer(type.dtype)) {
      if (items.size() != 1 || object.ndim != 1)
        fail(item->place, "an index array must be the only index of a 1-d array in compiled code");
      ++n_fancy;
      used = 1;
      result += type.ndim;
    } else if (type.is_tuple() && items.size() == 1 &&
               std::ranges::all_of(type.items, [](const Type& t) { return t.is_integer(); })) {
      used += static_cast<int>(type.items.size());
    } else {
      fail(item->place, fmt::format("an index must be an integer, not {}", str(type)), "",
           type.is_floating() ? "write int(…) around it" : "");
    }
  }
  if (has_mask) return Type::array(object.dtype, 1, true);
  if (used > object.ndim)
    fail(expr.place, fmt::format("{} indices for {}", used, str(object)));
  if (n_fancy) return Type::array(object.dtype, result, true);
  const int rest = object.ndim - used;
  if (has_ellipsis) {
    if (!items.empty() && items.back()->kind != ExprKind::ellipsis) is_contiguous = false;
    slice_seen = true;
  }
  result += rest;
  if (result == 0) return Type::scalar(object.dtype);
  return object.view(object.dtype, result, is_contiguous);
}

}  // namespace kasoku::jit
