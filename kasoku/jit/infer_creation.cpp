/// Types of new arrays: creation, copies and other shapes, random draws.
#include "kasoku/base/error.h"
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kasoku::jit {

/// np.array(list), of numbers or of rows of numbers.
Type Inference::array_of_list(Expr& expr, const Type& first) {
  if (!first.items[0].is_known()) return {};
  Type item = first.items[0], all;
  const bool is_nested = item.is_list() || item.is_tuple();
  if (item.is_list()) all = item.items[0];
  for (const Type& part : item.is_tuple() ? item.items : std::vector{item.is_list() ? all : item})
    all = join(all, part).value_or(Type::none());
  if (!all.is_known()) return {};
  if (!all.is_scalar()) fail(expr.place, fmt::format("np.array({}) cannot be compiled", str(first)));
  return Type::array(dtype_argument(expr, 1, all.dtype), is_nested ? 2 : 1, true);
}

/// np.array(tuple), of numbers or of rows of numbers.
Type Inference::array_of_tuple(Expr& expr, const Type& first) {
  if (!first.is_tuple() || first.items.empty())
    fail(expr.place, fmt::format("np.array({}) cannot be compiled", str(first)));
  Type all;
  const bool is_nested = first.items[0].is_tuple();
  for (const Type& item : first.items) {
    const auto both = join(all, item);
    if (!both) fail(expr.place, "the items of an array need one type");
    all = *both;
  }
  if (is_nested) {
    Type row;
    for (const Type& item : all.items) row = join(row, item).value_or(Type{});
    all = row;
  }
  if (!all.is_scalar()) fail(expr.place, "np.array in compiled code takes numbers, or rows of numbers");
  return Type::array(dtype_argument(expr, 1, all.dtype), is_nested ? 2 : 1, true);
}

Type Inference::call_arange(Expr& expr) {
  if (!has(expr, 0)) fail(expr.place, "arange needs a stop");
  Dtype dtype = Dtype::int64;
  for (size_t i = 0; i < 3; ++i) {
    if (argument(expr, i).kind == TypeKind::none) continue;
    want_scalar(expr, i);
    if (is_complex(argument(expr, i).dtype)) fail(expr.place, "arange of complex numbers cannot be compiled");
    if (has(expr, i) && argument(expr, i).is_floating()) dtype = argument(expr, i).dtype;
  }
  return Type::array(dtype_argument(expr, 3, dtype), 1, true);
}

Type Inference::call_view(Expr& expr, const Type& first) {
  const Dtype dtype = dtype_argument(expr, 1, first.dtype);
  if (info(dtype).size != info(first.dtype).size && (!first.is_contiguous || first.ndim == 0))
    fail(expr.place, fmt::format("a view of {} as {} needs an array in C order", str(first), info(dtype).name), "", "copy it first");
  return first.view(dtype, first.ndim, first.is_contiguous);
}

Type Inference::call_reshape(Expr& expr, const Type& first) {
  int ndim = static_cast<int>(expr.items.size()) - 2;
  if (ndim == 1 && argument(expr, 1).is_tuple()) ndim = static_cast<int>(argument(expr, 1).items.size());
  if (ndim < 1) fail(expr.place, "reshape needs a shape");
  return first.view(first.dtype, ndim, true);
}

Type Inference::call_creation(Expr& expr, Handler handler) {
  const Type first = argument(expr, 0);
  const auto like = [&](size_t dtype_at) {
    if (!first.is_array()) fail(expr.place, fmt::format("an array is needed here, not {}", str(first)));
    return Type::array(dtype_argument(expr, dtype_at, first.dtype), first.ndim, true);
  };
  const auto array = [&] {
    if (!first.is_array()) fail(expr.place, fmt::format("an array is needed here, not {}", str(first)));
    return first;
  };
  switch (handler) {
    case Handler::zeros:
    case Handler::ones:
    case Handler::empty: {
      const int ndim = shape_ndim(expr, 0);
      if (const Type records = records_argument(expr, 1, ndim); records.is_known() && handler != Handler::ones) return records;
      return Type::array(dtype_argument(expr, 1, Dtype::float64), ndim, true);
    }
    case Handler::full: {
      const int ndim = shape_ndim(expr, 0);
      want_scalar(expr, 1);
      return Type::array(dtype_argument(expr, 2, argument(expr, 1).dtype), ndim, true);
    }
    case Handler::zeros_like:
    case Handler::ones_like:
    case Handler::empty_like:
      if (first.has_records() && !has(expr, 1) && handler != Handler::ones_like) {
        Type records = Type::array(first.dtype, first.ndim, true);
        records.items = first.items;
        return records;
      }
      return like(1);
    case Handler::full_like: return like(2);
    case Handler::arange: return call_arange(expr);
    case Handler::linspace:
      want_scalar(expr, 0), want_scalar(expr, 1);
      return Type::array(is_complex(first.dtype) || is_complex(argument(expr, 1).dtype) ? Dtype::complex128 : Dtype::float64, 1, true);
    case Handler::copy:
    case Handler::flatten: {
      const Type type = array();
      return Type::array(type.dtype, handler == Handler::flatten ? 1 : type.ndim, true);
    }
    case Handler::ascontiguous: {
      if (first.is_scalar()) return Type::array(first.dtype, 1, true);
      const Type type = array();
      return type.view(type.dtype, std::max<int>(type.ndim, 1), true);
    }
    case Handler::broadcast_to: {
      const int ndim = shape_ndim(expr, 1);
      if (!first.is_scalar() && array().ndim > ndim) fail(expr.place, fmt::format("{} cannot be broadcast to {} axes", str(first), ndim));
      Type type = Type::array(first.dtype, ndim, false);
      type.items = first.items;
      type.is_read_only = true;
      return type;
    }
    case Handler::asarray:
      if (first.is_array() && !(has(expr, 1) && argument(expr, 1).kind != TypeKind::none && dtype_argument(expr, 1, first.dtype) != first.dtype))
        return first;
      [[fallthrough]];
    case Handler::make_array:
      if (first.is_array()) return Type::array(dtype_argument(expr, 1, first.dtype), first.ndim, true);
      if (expr.binding.kind == Binding::Kind::function && first.is_tuple() && std::ranges::all_of(first.items, &Type::is_array)) {
        expr.items[0] = global_expr(std::exchange(expr.binding, {}), "stack", expr.place);
        expr.items.resize(2);
        return call(expr);
      }
      return first.is_list() ? array_of_list(expr, first) : array_of_tuple(expr, first);
    case Handler::astype: {
      const Dtype dtype = dtype_argument(expr, 1, first.dtype);
      if (first.is_scalar()) return Type::scalar(dtype);
      return Type::array(dtype, array().ndim, true);
    }
    case Handler::view: return call_view(expr, array());
    case Handler::fill:
      array();
      want_writable(*expr.items[1]);
      want_scalar(expr, 1);
      return Type::none();
    case Handler::reshape: return call_reshape(expr, array());
    case Handler::ravel: return array().view(first.dtype, 1, true);
    case Handler::with_axes:
      array();
      for (size_t i = 1; i < 3; ++i)
        if (!argument(expr, i).is_integer()) fail(expr.place, "an axis is an integer");
      return first.view(first.dtype, first.ndim, first.is_contiguous && first.ndim < 2);
    case Handler::strided: {
      const int ndim = shape_ndim(expr, 1);
      if (shape_ndim(expr, 2) != ndim) fail(expr.place, "a view has as many strides as lengths");
      return array().view(first.dtype, ndim, false);
    }
    case Handler::transpose: {
      const Type type = array();
      return type.view(type.dtype, type.ndim, type.is_contiguous && type.ndim < 2);
    }
    default: break;
  }
  fail(expr.place, "this call cannot be compiled yet");
}

Type Inference::call_random(Expr& expr, Handler handler) {
  const bool is_integer = handler == Handler::randint || handler == Handler::randint_inclusive;
  const Dtype dtype = is_integer ? Dtype::int64 : Dtype::float64;
  if (handler == Handler::rand || handler == Handler::randn) {
    for (size_t i = 0; i + 1 < expr.items.size(); ++i)
      if (!argument(expr, i).is_integer())
        fail(expr.place, fmt::format("a length is an integer, not {}", str(argument(expr, i))));
    const int ndim = static_cast<int>(expr.items.size()) - 1;
    return ndim == 0 ? Type::scalar(dtype) : Type::array(dtype, ndim, true);
  }
  const size_t size_at = handler == Handler::random || handler == Handler::standard_normal ? 0
                         : handler == Handler::exponential                                ? 1
                                                                                          : 2;
  for (size_t i = 0; i < size_at; ++i) want_scalar(expr, i);
  if (is_integer && !has(expr, 0)) fail(expr.place, "an integer draw needs its bounds");
  if (handler == Handler::randint_inclusive && !has(expr, 1)) fail(expr.place, "randint needs two bounds");
  if (!has(expr, size_at) || argument(expr, size_at).kind == TypeKind::none) return Type::scalar(dtype);
  return Type::array(dtype, shape_ndim(expr, size_at), true);
}

}  // namespace kasoku::jit
