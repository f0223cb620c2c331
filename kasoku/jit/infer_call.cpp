/// Types of calls: other functions, and the rows of intrinsics.def.
#include "kasoku/base/error.h"
#include "kasoku/jit/element.h"
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku::jit {

namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return parts;
}

ExprPtr global_expr(const Binding& binding, const std::string& text, Place place) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::global;
  expr->binding = binding;
  expr->text = text;
  expr->place = place;
  return expr;
}

/// array.NAME(…) -> NAME(array, …), where NAME is a method that compiled code knows.
const Intrinsic* method(const std::string& name) {
  for (const char* home : {"array.", "numpy.ndarray.", "numpy."})
    if (const Intrinsic* found = find_intrinsic(home + name)) return found;
  return nullptr;
}

}  // namespace

bool Inference::has(const Expr& call, size_t i) const {
  return i + 1 < call.items.size() && call.items[i + 1] != nullptr;
}

Type Inference::argument(const Expr& call, size_t i) const {
  return has(call, i) ? call.items[i + 1]->type : Type{};
}

void Inference::place_arguments(Expr& expr, const Intrinsic& intrinsic) {
  if (intrinsic.parameters == "*") {
    if (!expr.keywords.empty() && intrinsic.handler != Handler::print)
      fail(expr.place, fmt::format("{} takes no keyword '{}'", intrinsic.name, expr.keywords[0]));
    return;
  }
  const auto names = split(intrinsic.parameters);
  const size_t given = expr.items.size() - 1, by_name = expr.keywords.size();
  if (by_name == 0 && given == names.size()) return;
  std::vector<ExprPtr> placed(names.size());
  const size_t positional = given - by_name;
  if (positional > names.size())
    fail(expr.place, fmt::format("{} takes {} arguments, not {}", intrinsic.name, names.size(), given));
  for (size_t i = 0; i < positional; ++i) placed[i] = std::move(expr.items[i + 1]);
  for (size_t k = 0; k < by_name; ++k) {
    const auto found = std::ranges::find(names, expr.keywords[k]);
    if (found == names.end())
      fail(expr.place,
           fmt::format("{} has no argument '{}' in compiled code", intrinsic.name, expr.keywords[k]),
           fmt::format("it takes ({})", intrinsic.parameters));
    placed[found - names.begin()] = std::move(expr.items[positional + k + 1]);
  }
  expr.items.resize(1);
  for (ExprPtr& item : placed) expr.items.push_back(std::move(item));
  expr.keywords.clear();
}

Type Inference::call(Expr& expr) {
  Expr& target = *expr.items[0];
  if (target.kind == ExprKind::attribute) {
    const Type object = visit(*target.items[0]);
    if (!object.is_known()) return {};
    if (object.is_array()) {
      const Intrinsic* found = method(target.text);
      if (!found)
        fail(expr.place, fmt::format("the array method '{}' cannot be compiled", target.text));
      Binding binding;
      binding.kind = Binding::Kind::intrinsic;
      binding.name = found->name;
      ExprPtr self = std::move(target.items[0]);
      ExprPtr function = global_expr(binding, target.text, target.place);
      expr.items[0] = std::move(function);
      expr.items.insert(expr.items.begin() + 1, std::move(self));
      return call(expr);
    }
    if (object.is_scalar() && target.text == "conjugate") {
      Binding binding;
      binding.kind = Binding::Kind::intrinsic;
      binding.name = "numpy.conj";
      ExprPtr self = std::move(target.items[0]);
      expr.items[0] = global_expr(binding, target.text, target.place);
      expr.items.insert(expr.items.begin() + 1, std::move(self));
      return call(expr);
    }
    if (object.is_scalar() && target.text == "item" && expr.items.size() == 1) {
      Binding binding;
      binding.kind = Binding::Kind::intrinsic;
      binding.name = "array.item";
      ExprPtr self = std::move(target.items[0]);
      expr.items[0] = global_expr(binding, target.text, target.place);
      expr.items.insert(expr.items.begin() + 1, std::move(self));
      return call(expr);
    }
    fail(expr.place, fmt::format("the method '{}' of {} cannot be compiled", target.text, str(object)));
  }
  if (target.kind != ExprKind::global) {
    visit(target);
    fail(expr.place, "only functions known when compiling can be called");
  }
  const Binding& binding = target.binding;
  switch (binding.kind) {
    case Binding::Kind::function: return call_function(expr, *binding.function);
    case Binding::Kind::dtype: {
      if (expr.items.size() != 2 || !expr.keywords.empty())
        fail(expr.place, fmt::format("{} takes one argument", target.text));
      const Type type = visit(*expr.items[1]);
      if (!type.is_known()) return {};
      if (type.is_array()) return Type::array(binding.dtype, type.ndim, true);
      if (!type.is_scalar()) fail(expr.place, fmt::format("{}({}) has no meaning", target.text, str(type)));
      return Type::scalar(binding.dtype);
    }
    case Binding::Kind::intrinsic: {
      const Intrinsic* intrinsic = find_intrinsic(binding.name);
      if (!intrinsic) break;
      place_arguments(expr, *intrinsic);
      if (intrinsic->handler == Handler::enumerate || intrinsic->handler == Handler::zip)
        fail(expr.place, fmt::format("{} is only compiled as what a for loop runs over", target.text));
      for (size_t i = 1; i < expr.items.size(); ++i)
        if (expr.items[i] && !visit(*expr.items[i]).is_known()) return {};
      return call_intrinsic(expr, *intrinsic);
    }
    default: break;
  }
  fail(expr.place, fmt::format("'{}' cannot be called in compiled code", target.text),
       binding.kind == Binding::Kind::object ? "it is " + binding.name : "");
}

Type Inference::call_function(Expr& expr, const Function& callee) {
  // Arguments by name and defaults find their places once.
  const size_t n = callee.parameters.size();
  const size_t given = expr.items.size() - 1;
  if (given != n || !expr.keywords.empty()) {
    std::vector<ExprPtr> placed(n);
    const size_t positional = given - expr.keywords.size();
    if (positional > n)
      fail(expr.place, fmt::format("{} takes {} arguments, not {}", callee.name, n, given));
    for (size_t i = 0; i < positional; ++i) placed[i] = std::move(expr.items[i + 1]);
    for (size_t k = 0; k < expr.keywords.size(); ++k) {
      size_t i = 0;
      while (i < n && callee.parameters[i].name != expr.keywords[k]) ++i;
      if (i == n || placed[i])
        fail(expr.place, fmt::format("{} has no free argument '{}'", callee.name, expr.keywords[k]));
      placed[i] = std::move(expr.items[positional + k + 1]);
    }
    for (size_t i = 0; i < n; ++i) {
      if (placed[i]) continue;
      if (!callee.parameters[i].has_default)
        fail(expr.place, fmt::format("{} needs the argument '{}'", callee.name, callee.parameters[i].name));
      placed[i] = global_expr(callee.parameters[i].default_value, callee.parameters[i].name, expr.place);
    }
    expr.items.resize(1);
    for (ExprPtr& item : placed) expr.items.push_back(std::move(item));
    expr.keywords.clear();
  }
  std::vector<Type> types;
  bool all_known = true;
  for (size_t i = 1; i <= n; ++i) {
    types.push_back(visit(*expr.items[i]));
    all_known &= types.back().is_known();
    if (types.back().kind == TypeKind::range || types.back().kind == TypeKind::optional)
      fail(expr.items[i]->place, fmt::format("{} cannot be passed to a compiled function",
                                             str(types.back())));
  }
  if (!all_known) return {};
  TypedFunction* caller = function_;
  expr.callee = instance(callee, types);
  function_ = caller;
  return unit_.functions[expr.callee]->result;
}

void Inference::want_scalar(const Expr& call, size_t i) {
  const Type type = argument(call, i);
  if (type.is_known() && !type.is_scalar())
    fail(call.items[i + 1]->place, fmt::format("a number is needed here, not {}", str(type)));
}

int Inference::shape_ndim(Expr& call, size_t i) {
  const Type type = argument(call, i);
  if (type.is_integer() || type.is_boolean()) return 1;
  if (type.is_tuple() &&
      std::ranges::all_of(type.items, [](const Type& t) { return t.is_integer() || t.is_boolean(); }))
    return static_cast<int>(type.items.size());
  fail(call.place, fmt::format("a shape is an integer or a tuple of integers, not {}",
                               has(call, i) ? str(type) : "nothing"));
}

Dtype Inference::dtype_argument(Expr& call, size_t i, Dtype otherwise) {
  if (!has(call, i) || argument(call, i).kind == TypeKind::none) return otherwise;
  const Type type = argument(call, i);
  if (type.kind == TypeKind::dtype) return type.dtype;
  const Expr& given = *call.items[i + 1];
  const Value& value = given.kind == ExprKind::global ? given.binding.value : given.value;
  if (const std::string* name = std::get_if<std::string>(&value)) {
    if (const auto dtype = dtype_from_name(*name)) return *dtype;
    if (*name == "int") return Dtype::int64;
    if (*name == "float") return Dtype::float64;
  }
  fail(given.place, fmt::format("{} is not a dtype that can be compiled", str(type)));
}

Type Inference::call_elementwise(Expr& expr, const Intrinsic& intrinsic) {
  std::vector<Type> types;
  for (size_t i = 1; i < expr.items.size(); ++i) {
    if (!expr.items[i]) fail(expr.place, fmt::format("{} needs ({})", intrinsic.name, intrinsic.parameters));
    types.push_back(expr.items[i]->type);
    if (!types.back().is_scalar() && !types.back().is_array())
      fail(expr.items[i]->place, fmt::format("{} of {} has no meaning", intrinsic.name, str(types.back())));
  }
  Dtype dtype = types[0].dtype;
  if (types.size() == 2) {
    const Type& a = types[0];
    const Type& b = types[1];
    dtype = a.is_array() && b.is_array() ? element_dtype(a.dtype, b.dtype)
            : a.is_array()               ? weak_dtype(a.dtype, b.dtype)
            : b.is_array()               ? weak_dtype(b.dtype, a.dtype)
                                         : scalar_dtype(a.dtype, b.dtype);
  }
  if (intrinsic.op) {
    try {
      dtype = element_types(*intrinsic.op, dtype, intrinsic.in_floats).result;
    } catch (const Error& error) {
      fail(expr.place, std::string(error.what()));
    }
    return elementwise_type(dtype, types);
  }
  switch (intrinsic.result) {
    case Result::floating: dtype = floating_dtype(dtype); break;
    case Result::integer: dtype = Dtype::int64; break;
    case Result::part:
      if (is_complex(dtype)) dtype = dtype == Dtype::complex64 ? Dtype::float32 : Dtype::float64;
      break;
  }
  return elementwise_type(dtype, types);
}

Type Inference::call_intrinsic(Expr& expr, const Intrinsic& intrinsic) {
  const auto need = [&](size_t n) {
    for (size_t i = 0; i < n; ++i)
      if (!has(expr, i))
        fail(expr.place, fmt::format("{} needs ({})", intrinsic.name, intrinsic.parameters));
  };
  const auto binary = [&](Operator op) -> Type {
    need(2);
    const auto type = binary_type(op, argument(expr, 0), argument(expr, 1), expr.items[2].get());
    if (!type)
      fail(expr.place, fmt::format("{}({}, {}) has no meaning", intrinsic.name,
                                   str(argument(expr, 0)), str(argument(expr, 1))));
    return *type;
  };
  const Type first = argument(expr, 0);
  const auto convert = [&](Dtype dtype) {
    if (!has(expr, 0)) return Type::scalar(dtype);
    if (first.is_array() && first.ndim == 0) return Type::scalar(dtype);
    if (!first.is_scalar()) fail(expr.place, fmt::format("{}({}) has no meaning", intrinsic.name, str(first)));
    if (first.is_complex() && dtype != Dtype::bool_)
      fail(expr.place, fmt::format("{} of a complex number has no meaning", intrinsic.name), "",
           "use abs(x) or x.real");
    return Type::scalar(dtype);
  };
  switch (intrinsic.handler) {
    case Handler::elementwise: return call_elementwise(expr, intrinsic);
    case Handler::range:
    case Handler::prange:
      need(1);
      for (size_t i = 0; i < 3; ++i)
        if (has(expr, i) && !argument(expr, i).is_integer() && !argument(expr, i).is_boolean())
          fail(expr.items[i + 1]->place, fmt::format("range needs integers, not {}", str(argument(expr, i))));
      return Type::of(TypeKind::range);
    case Handler::len:
      need(1);
      if ((first.is_array() && first.ndim > 0) || first.is_tuple() || first.kind == TypeKind::range) return int64_type;
      fail(expr.place, fmt::format("{} has no len()", str(first)));
    case Handler::to_int: return convert(Dtype::int64);
    case Handler::to_float: return convert(Dtype::float64);
    case Handler::to_bool: return convert(Dtype::bool_);
    case Handler::to_complex:
      for (size_t i = 0; i < 2; ++i) want_scalar(expr, i);
      return Type::scalar(Dtype::complex128);
    case Handler::abs: {
      need(1);
      Dtype dtype = first.dtype;
      if (is_complex(dtype)) dtype = dtype == Dtype::complex64 ? Dtype::float32 : Dtype::float64;
      if (first.is_array()) return Type::array(dtype, first.ndim, true);
      if (!first.is_scalar()) fail(expr.place, fmt::format("abs of {} has no meaning", str(first)));
      return Type::scalar(first.is_integer() || first.is_boolean() ? scalar_dtype(dtype, dtype) == Dtype::bool_
                              ? Dtype::int64 : scalar_dtype(dtype, dtype) : dtype);
    }
    case Handler::round:
      need(1);
      if (first.is_array()) return Type::array(first.dtype, first.ndim, true);
      want_scalar(expr, 0);
      if (has(expr, 1) || intrinsic.name == "numpy.round") return first;
      return first.is_floating() ? int64_type : first;
    case Handler::min:
    case Handler::max: {
      if (expr.items.size() == 2) {
        if (first.is_array()) return call_reduction(expr, intrinsic.handler == Handler::min ? Handler::amin
                                                                                            : Handler::amax);
        if (first.is_tuple() && !first.items.empty()) {
          Type all;
          for (const Type& item : first.items) all = join(all, item).value_or(Type{});
          if (all.is_scalar()) return all;
        }
        fail(expr.place, fmt::format("{} of {} has no meaning", intrinsic.name, str(first)));
      }
      need(2);
      Type all;
      for (size_t i = 0; i + 1 < expr.items.size(); ++i) {
        want_scalar(expr, i);
        all = join(all, argument(expr, i)).value_or(float64_type);
      }
      return all;
    }
    case Handler::sum:
      if (first.is_tuple()) {
        Type all = int64_type;
        for (const Type& item : first.items) all = join(all, item).value_or(float64_type);
        return all;
      }
      [[fallthrough]];
    case Handler::prod:
    case Handler::mean:
    case Handler::var:
    case Handler::std:
    case Handler::amin:
    case Handler::amax:
    case Handler::any:
    case Handler::all:
    case Handler::count_nonzero:
    case Handler::argmin:
    case Handler::argmax: need(1); return call_reduction(expr, intrinsic.handler);
    case Handler::pow: return binary(Operator::power);
    case Handler::add: return binary(Operator::add);
    case Handler::subtract: return binary(Operator::subtract);
    case Handler::multiply: return binary(Operator::multiply);
    case Handler::divide: return binary(Operator::divide);
    case Handler::floor_divide: return binary(Operator::floor_divide);
    case Handler::modulo: return binary(Operator::modulo);
    case Handler::divmod: {
      const Type type = binary(Operator::floor_divide);
      return Type::tuple({type, type});
    }
    case Handler::print: return Type::none();
    case Handler::log:
      need(1);
      want_scalar(expr, 0), want_scalar(expr, 1);
      return Type::scalar(floating_dtype(first.dtype));
    case Handler::hypot:
      need(2);
      want_scalar(expr, 0), want_scalar(expr, 1);
      return Type::scalar(floating_dtype(scalar_dtype(first.dtype, argument(expr, 1).dtype)));
    case Handler::where: {
      need(3);
      const Type a = argument(expr, 1), b = argument(expr, 2);
      const auto type = binary_type(Operator::subtract, a, b, nullptr);
      if (!type) fail(expr.place, fmt::format("where of {} and {} has no meaning", str(a), str(b)));
      const bool both_bool = a.dtype == Dtype::bool_ && b.dtype == Dtype::bool_;
      return elementwise_type(both_bool ? Dtype::bool_ : type->dtype, {first, a, b});
    }
    case Handler::clip: {
      need(1);
      std::vector<Type> operands{first};
      Type all = first;
      for (size_t i : {1, 2})
        if (has(expr, i) && argument(expr, i).kind != TypeKind::none) {
          operands.push_back(argument(expr, i));
          const auto both = binary_type(Operator::add, all, argument(expr, i), nullptr);
          if (both) all = *both;
        }
      return elementwise_type(all.dtype, operands);
    }
    case Handler::dot: {
      need(2);
      const Type second = argument(expr, 1);
      if (first.is_scalar() || second.is_scalar()) return binary(Operator::multiply);
      return binary(Operator::matmul);
    }
    case Handler::item:
      if (first.is_scalar()) return first;
      return Type::scalar(first.dtype);
    case Handler::seed:
      need(1);
      want_scalar(expr, 0);
      return Type::none();
    case Handler::random: case Handler::rand: case Handler::randn: case Handler::standard_normal:
    case Handler::uniform: case Handler::normal: case Handler::expovariate: case Handler::exponential:
    case Handler::randint: case Handler::randint_inclusive:
      return call_random(expr, intrinsic.handler);
    default: break;
  }
  if (intrinsic.handler >= Handler::cuda_grid) return call_cuda(expr, intrinsic.handler);
  return call_creation(expr, intrinsic.handler);
}

Type Inference::call_reduction(Expr& expr, Handler handler) {
  const Type first = argument(expr, 0);
  if (!first.is_array() && !first.is_scalar())
    fail(expr.place, fmt::format("a reduction of {} has no meaning", str(first)));
  Dtype dtype = first.dtype;
  switch (handler) {
    case Handler::sum:
    case Handler::prod:
      if (dtype == Dtype::bool_ || info(dtype).kind == DtypeKind::signed_) dtype = Dtype::int64;
      else if (info(dtype).kind == DtypeKind::unsigned_) dtype = Dtype::uint64;
      break;
    case Handler::mean:
    case Handler::var:
    case Handler::std:
      dtype = floating_dtype(dtype);
      if (is_complex(dtype)) fail(expr.place, "the mean of complex numbers cannot be compiled yet");
      break;
    case Handler::any:
    case Handler::all: dtype = Dtype::bool_; break;
    case Handler::count_nonzero:
    case Handler::argmin:
    case Handler::argmax: dtype = Dtype::int64; break;
    default: break;
  }
  if (has(expr, 1) && argument(expr, 1).kind != TypeKind::none) {
    const auto axis = constant_int(*expr.items[2]);
    if (!axis)
      fail(expr.items[2]->place, "axis must be an integer known when compiling");
    if (!first.is_array() || *axis >= first.ndim || *axis < -first.ndim)
      fail(expr.items[2]->place, fmt::format("axis {} is out of range for {}", *axis, str(first)));
    if (handler == Handler::argmin || handler == Handler::argmax || handler == Handler::var ||
        handler == Handler::std)
      if (first.ndim > 1)
        fail(expr.place, "this reduction along an axis cannot be compiled yet", "", "loop over the axis");
    if (first.ndim > 1) return Type::array(dtype, first.ndim - 1, true);
  }
  return Type::scalar(dtype);
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
      return Type::array(dtype_argument(expr, 1, Dtype::float64), ndim, true);
    }
    case Handler::full: {
      const int ndim = shape_ndim(expr, 0);
      want_scalar(expr, 1);
      return Type::array(dtype_argument(expr, 2, argument(expr, 1).dtype), ndim, true);
    }
    case Handler::zeros_like:
    case Handler::ones_like:
    case Handler::empty_like: return like(1);
    case Handler::full_like: return like(2);
    case Handler::arange: {
      Dtype dtype = Dtype::int64;
      for (size_t i = 0; i < 3; ++i) {
        want_scalar(expr, i);
        if (has(expr, i) && argument(expr, i).is_floating()) dtype = argument(expr, i).dtype;
      }
      return Type::array(dtype_argument(expr, 3, dtype), 1, true);
    }
    case Handler::linspace: return Type::array(Dtype::float64, 1, true);
    case Handler::copy:
    case Handler::flatten: {
      const Type type = array();
      return Type::array(type.dtype, handler == Handler::flatten ? 1 : type.ndim, true);
    }
    case Handler::ascontiguous: {
      const Type type = array();
      return type.view(type.dtype, type.ndim, true);
    }
    case Handler::asarray: return array();
    case Handler::make_array: {
      if (first.is_array()) return Type::array(dtype_argument(expr, 1, first.dtype), first.ndim, true);
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
    case Handler::astype: {
      const Dtype dtype = dtype_argument(expr, 1, first.dtype);
      if (first.is_scalar()) return Type::scalar(dtype);
      return Type::array(dtype, array().ndim, true);
    }
    case Handler::fill:
      array();
      want_writable(*expr.items[1]);
      want_scalar(expr, 1);
      return Type::none();
    case Handler::reshape: {
      const Type type = array();
      int ndim = static_cast<int>(expr.items.size()) - 2;
      if (ndim == 1 && argument(expr, 1).is_tuple()) ndim = static_cast<int>(argument(expr, 1).items.size());
      if (ndim < 1) fail(expr.place, "reshape needs a shape");
      return type.view(type.dtype, ndim, true);
    }
    case Handler::ravel: return array().view(first.dtype, 1, true);
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

Type Inference::call_cuda(Expr& expr, Handler handler) {
  if (!function_->function->options.is_cuda && handler != Handler::cuda_popc &&
      handler != Handler::cuda_clz && handler != Handler::cuda_fma)
    fail(expr.place, "this belongs in a kernel", "", "decorate the function with @cuda.jit");
  const Type first = argument(expr, 0);
  const auto tuple_or_int = [&]() -> Type {
    const auto n = has(expr, 0) ? constant_int(*expr.items[1]) : std::nullopt;
    if (!n || *n < 1 || *n > 3)
      fail(expr.place, "the number of axes must be 1, 2 or 3, written as a constant");
    return *n == 1 ? int64_type : Type::tuple(std::vector<Type>(static_cast<size_t>(*n), int64_type));
  };
  switch (handler) {
    case Handler::cuda_grid:
    case Handler::cuda_gridsize: return tuple_or_int();
    case Handler::cuda_syncthreads:
    case Handler::cuda_syncwarp:
    case Handler::cuda_threadfence: return Type::none();
    case Handler::cuda_syncthreads_count:
    case Handler::cuda_syncthreads_and:
    case Handler::cuda_syncthreads_or:
    case Handler::cuda_ballot:
    case Handler::cuda_activemask:
    case Handler::cuda_popc:
    case Handler::cuda_clz:
    case Handler::cuda_ffs: return int64_type;
    case Handler::cuda_any:
    case Handler::cuda_all: return bool_type;
    case Handler::cuda_shfl:
    case Handler::cuda_shfl_up:
    case Handler::cuda_shfl_down:
    case Handler::cuda_shfl_xor:
      want_scalar(expr, 1);
      return argument(expr, 1);
    case Handler::cuda_fma: return Type::scalar(floating_dtype(scalar_dtype(
        scalar_dtype(first.dtype, argument(expr, 1).dtype), argument(expr, 2).dtype)));
    case Handler::cuda_selp:
      return Type::scalar(scalar_dtype(argument(expr, 1).dtype, argument(expr, 2).dtype));
    case Handler::cuda_shared:
    case Handler::cuda_local: {
      const int ndim = shape_ndim(expr, 0);
      Type type = Type::array(dtype_argument(expr, 1, Dtype::float64), ndim, true);
      return type;
    }
    case Handler::atomic_add: case Handler::atomic_sub: case Handler::atomic_max:
    case Handler::atomic_min: case Handler::atomic_and: case Handler::atomic_or:
    case Handler::atomic_xor: case Handler::atomic_inc: case Handler::atomic_dec:
    case Handler::atomic_exch: case Handler::atomic_cas: case Handler::atomic_cas_first:
      if (!first.is_array()) fail(expr.place, fmt::format("an atomic needs an array, not {}", str(first)));
      want_writable(*expr.items[1]);
      return Type::scalar(first.dtype);
    case Handler::xoroshiro_next: return Type::scalar(Dtype::uint64);
    case Handler::xoroshiro_uniform32:
    case Handler::xoroshiro_normal32: return Type::scalar(Dtype::float32);
    case Handler::xoroshiro_uniform64:
    case Handler::xoroshiro_normal64: return float64_type;
    default: break;
  }
  fail(expr.place, "this call cannot be compiled yet");
}

}  // namespace kasoku::jit
