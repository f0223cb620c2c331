/// Types of attributes and subscripts.
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kasoku::jit {

Type Inference::attribute(Expr& expr) {
  const Type object = visit(*expr.items[0]);
  const std::string& name = expr.text;
  if (!object.is_known()) return {};
  if (!expr.binding.overloaded.empty()) {  // read by a call of the function, if there is one for this type
    auto call = expr.clone();
    call->kind = ExprKind::call;
    call->items.insert(call->items.begin(), global_expr(expr.binding, name, expr.place));
    if (const auto result = call_overload(*call)) return expr = std::move(*call), *result;
    expr.binding.overloaded.clear();
  }
  if (object.is_record() && !object.is_generator()) return field(expr, object, name);
  if (object.is_instance()) return instance_attribute(expr, object);
  if (object.is_tuple() && !object.text.empty()) return named_item(expr, object);
  if (object.is_array()) {
    if (name == "size" || name == "ndim" || name == "nbytes" || name == "itemsize") return int64_type;
    if (name == "shape" || name == "strides")
      return Type::tuple(std::vector<Type>(object.ndim, int64_type));
    if (name == "T") return object.view(object.dtype, object.ndim, object.is_contiguous && object.ndim < 2);
    if (name == "flat") {
      if (object.ndim == 1) return expr = std::move(*std::exchange(expr.items[0], nullptr)), object;
      if (object.is_contiguous && !object.has_records()) return object.view(object.dtype, 1, true);
      fail(expr.place, fmt::format("the elements of {} do not lie one after the other", str(object)), "", "ravel()");
    }
    if (name == "dtype" && !object.has_records()) {
      Type type = Type::of(TypeKind::dtype);
      type.dtype = object.dtype;
      return type;
    }
    if (name == "real" && !is_complex(object.dtype) && !object.has_records()) return object;
    if ((name == "real" || name == "imag") && !object.has_records()) {
      if (!is_complex(object.dtype)) fail(expr.place, "the imaginary part of a real array is zero");
      return object.view(real_dtype(object.dtype), object.ndim, object.ndim == 0);
    }
  }
  if (object.has_records()) return field(expr, object, name);
  if (object.is_scalar() && name == "ndim") return int64_type;
  if (object.is_scalar() && name == "dtype") {
    Type type = Type::of(TypeKind::dtype);
    type.dtype = object.dtype;
    return type;
  }
  if (object.kind == TypeKind::dtype && name == "type") return object;
  if (object.kind == TypeKind::range && (name == "start" || name == "stop" || name == "step")) return int64_type;
  if (object.is_scalar() && (name == "real" || name == "imag"))
    return Type::scalar(real_dtype(object.dtype));
  fail(expr.place, fmt::format("{} has no attribute '{}' in compiled code", str(object), name));
}

Type Inference::tuple_subscript(Expr& expr, const Type& object) {
  Expr& index = *expr.items[1];
  visit(index);
  if (index.kind == ExprKind::slice) {
    const auto part = tuple_slice(index, static_cast<int64_t>(object.items.size()));
    if (!part) fail(expr.place, "a slice of a tuple needs constants");
    std::vector<Type> items;
    for (const int64_t k : part.value()) items.push_back(object.items[static_cast<size_t>(k)]);
    return Type::tuple(std::move(items));
  }
  if (index.type.is_known() && !index.type.is_integer() && !index.type.is_boolean())
    fail(index.place, fmt::format("a tuple's index is an integer, not {}", str(index.type)));
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

Type Inference::array_subscript(Expr& expr, const Type& object) {
  Expr& index = *expr.items[1];
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
    } else if (type.is_boolean()) {
      fail(item->place, "a bool is a mask of the whole array to NumPy, which has no compiled form", "", "write int(…) around it for an index");
    } else if (type.is_integer()) {
      ++used;
      if (slice_seen) is_contiguous = false;
    } else if (type.is_array() && (type.dtype == Dtype::bool_ || is_integer(type.dtype)) && needs_library(object, items.size(), type) &&
               expr.binding.kind == Binding::Kind::function && !object.has_records()) {
      return index_call(expr, items.size() > 1 ? 2 : 1), call(expr);
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
  if ((has_mask || n_fancy) && object.has_records()) fail(expr.place, "records cannot be chosen by an array in compiled code", "", "loop over them");
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
  if (result == 0) return object.element();
  return object.view(object.dtype, result, is_contiguous);
}

Type Inference::subscript(Expr& expr) {
  const Type object = visit(*expr.items[0]);
  Expr& index = *expr.items[1];
  if (!object.is_known()) return {};
  if (object.is_instance()) {
    if (index.kind != ExprKind::slice && instance_operator(expr, object, "__getitem__", 0)) return call(expr);
    fail(expr.place, fmt::format("{} cannot be indexed in compiled code", str(object)));
  }
  if ((object.is_record() && !object.is_generator()) || object.has_records()) {
    const Type named = visit(index);
    if (named.kind == TypeKind::text) return field(expr, object, named.text);
    if (object.is_record()) fail(expr.place, "the field of a record must be known when compiling", "", "write its name");
  }
  if (object.is_tuple()) return tuple_subscript(expr, object);
  if (object.is_list()) return list_subscript(expr, object);
  if (object.is_words()) return list_subscript(expr, Type::list(string_type)).is_known() ? string_type : Type{};
  if (object.is_dict()) return dict_subscript(expr, object);
  if (object.kind == TypeKind::range && index.kind != ExprKind::slice) return list_subscript(expr, Type::list(int64_type));
  if (object.is_scalar() && index.kind == ExprKind::tuple && index.items.empty()) return expr = std::move(*std::exchange(expr.items[0], nullptr)), object;
  if (!object.is_array()) fail(expr.place, fmt::format("{} cannot be indexed", str(object)));
  return array_subscript(expr, object);
}

}  // namespace kasoku::jit
