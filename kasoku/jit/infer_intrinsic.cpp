/// Types of what the rows of intrinsics.def give: Python, math, elementwise operations, reductions.
#include "kasoku/base/error.h"
#include "kasoku/jit/element.h"
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <functional>

namespace kasoku::jit {

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

Type Inference::records_argument(const Expr& call, size_t i, int ndim) {
  const Expr* const given = i + 1 < call.items.size() ? call.items[i + 1].get() : nullptr;
  if (!given || given->kind != ExprKind::global || !given->binding.type.is_record()) return {};
  Type records = Type::array(Dtype::opaque, ndim, true);
  records.items = {given->binding.type};
  return records;
}

Dtype Inference::dtype_argument(Expr& call, size_t i, Dtype otherwise) {
  if (!has(call, i) || argument(call, i).kind == TypeKind::none) return otherwise;
  const Type type = argument(call, i);
  if (type.kind == TypeKind::dtype && type.dtype != Dtype::opaque) return type.dtype;
  const Expr& given = *call.items[i + 1];
  const Value& value = given.kind == ExprKind::global ? given.binding.value : given.value;
  if (const std::string* name = std::get_if<std::string>(&value)) {
    if (const auto dtype = dtype_from_name(*name)) return *dtype;
    const std::string_view code = name->starts_with('<') || name->starts_with('=') || name->starts_with('|')
                                      ? std::string_view(*name).substr(1) : std::string_view(*name);
    for (const auto& [short_name, dtype] : std::initializer_list<std::pair<std::string_view, Dtype>>{
             {"b1", Dtype::bool_}, {"?", Dtype::bool_}, {"i1", Dtype::int8}, {"i2", Dtype::int16}, {"i4", Dtype::int32},
             {"i8", Dtype::int64}, {"u1", Dtype::uint8}, {"u2", Dtype::uint16}, {"u4", Dtype::uint32}, {"u8", Dtype::uint64},
             {"f4", Dtype::float32}, {"f8", Dtype::float64}, {"c8", Dtype::complex64}, {"c16", Dtype::complex128},
             {"b", Dtype::int8}, {"h", Dtype::int16}, {"i", Dtype::int32}, {"l", Dtype::int64}, {"q", Dtype::int64},
             {"B", Dtype::uint8}, {"H", Dtype::uint16}, {"I", Dtype::uint32}, {"L", Dtype::uint64}, {"f", Dtype::float32},
             {"d", Dtype::float64}, {"F", Dtype::complex64}, {"D", Dtype::complex128}, {"double", Dtype::float64},
             {"single", Dtype::float32}})
      if (code == short_name) return dtype;
    if (*name == "int") return Dtype::int64;
    if (*name == "float") return Dtype::float64;
  }
  fail(given.place, fmt::format("{} is not a dtype that can be compiled", str(type)));
}

void Inference::want_number_text(const Expr& expr, const std::string& text, Dtype dtype) {
  char* end = nullptr;
  errno = 0;
  if (dtype == Dtype::int64) std::strtoll(text.c_str(), &end, 10);
  else std::strtod(text.c_str(), &end);
  if (dtype == Dtype::int64 && errno == ERANGE) fail(expr.place, fmt::format("'{}' does not fit into 64 bits", text));
  if (text.empty() || *end || text.find_first_of("xXpP ") != std::string::npos) fail(expr.place, fmt::format("'{}' is no number that compiled code reads", text));
}

Type Inference::call_elementwise(Expr& expr, const Intrinsic& intrinsic) {
  std::vector<Type> types;
  for (size_t i = 1; i < expr.items.size(); ++i) {
    if (!expr.items[i]) fail(expr.place, fmt::format("{} needs ({})", intrinsic.name, intrinsic.parameters));
    types.push_back(expr.items[i]->type);
    if (!types.back().is_scalar() && !types.back().is_array())
      fail(expr.items[i]->place, fmt::format("{} of {} has no meaning", intrinsic.name, str(types.back())));
  }
  Dtype dtype = types.size() == 2 ? common_dtype(types[0], types[1]) : types[0].dtype;
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
      dtype = real_dtype(dtype);
      break;
  }
  return elementwise_type(dtype, types);
}

void Inference::want_arguments(const Expr& expr, const Intrinsic& intrinsic, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (!has(expr, i)) fail(expr.place, fmt::format("{} needs ({})", intrinsic.name, intrinsic.parameters));
}

Type Inference::call_operator(Expr& expr, const Intrinsic& intrinsic, Operator op) {
  want_arguments(expr, intrinsic, 2);
  const Type a = argument(expr, 0), b = argument(expr, 1);
  if (const auto type = binary_type(op, a, b, expr.items[2].get())) return *type;
  fail(expr.place, fmt::format("{}({}, {}) has no meaning", intrinsic.name, str(a), str(b)));
}

Type Inference::call_conversion(Expr& expr, const Intrinsic& intrinsic, Dtype dtype) {
  if (!has(expr, 0)) return Type::scalar(dtype);
  const Type given = argument(expr, 0);
  const bool is_text = given.kind == TypeKind::text, is_truth = dtype == Dtype::bool_;
  if (is_text && !is_truth) return want_number_text(expr, given.text, dtype), Type::scalar(dtype);
  if ((given.is_array() && given.ndim == 0) || given.is_string() || is_text) return Type::scalar(dtype);
  if (!given.is_scalar()) fail(expr.place, fmt::format("{}({}) has no meaning", intrinsic.name, str(given)));
  if (given.is_complex() && !is_truth) fail(expr.place, fmt::format("{} of a complex number has no meaning", intrinsic.name), "", "use abs(x) or x.real");
  return Type::scalar(dtype);
}

Type Inference::call_complex(Expr& expr) {
  for (size_t i = 0; i < 2; ++i) want_scalar(expr, i);
  if (has(expr, 1) && (argument(expr, 0).is_complex() || argument(expr, 1).is_complex()))
    fail(expr.place, "complex() of two numbers takes real ones in compiled code", "", "write x + 1j * y");
  return Type::scalar(Dtype::complex128);
}

Type Inference::call_len(const Expr& expr) {
  const Type type = argument(expr, 0);
  const bool has_length = (type.is_array() && type.ndim > 0) || type.is_tuple() || type.is_container() || type.kind == TypeKind::range || type.is_words();
  if (!has_length) fail(expr.place, fmt::format("{} has no len()", str(type)));
  return int64_type;
}

/// numpy.result_type()
Type Inference::call_result_type(const Expr& expr) {
  Dtype dtype = Dtype::bool_;
  const std::function<void(const Type&)> add = [&](const Type& type) {
    if (type.is_tuple() || type.is_list()) {
      for (const Type& item : type.items) add(item);
      return;
    }
    if (!type.is_array() && !type.is_scalar() && type.kind != TypeKind::dtype) fail(expr.place, fmt::format("{} has no dtype", str(type)));
    dtype = element_dtype(dtype, type.dtype);
  };
  for (size_t i = 0; i + 1 < expr.items.size(); ++i) add(argument(expr, i));
  return Type::of_dtype(dtype);
}

Type Inference::call_abs(const Expr& expr) {
  const Type x = argument(expr, 0);
  const Dtype dtype = real_dtype(x.dtype);
  if (x.is_array()) return Type::array(dtype, x.ndim, true);
  if (!x.is_scalar()) fail(expr.place, fmt::format("abs of {} has no meaning", str(x)));
  if (!x.is_integer() && !x.is_boolean()) return Type::scalar(dtype);
  const Dtype wide = scalar_dtype(dtype, dtype);
  return Type::scalar(wide == Dtype::bool_ ? Dtype::int64 : wide);
}

Type Inference::call_round(Expr& expr, const Intrinsic& intrinsic) {
  const Type x = argument(expr, 0);
  const bool has_digits = has(expr, 1);
  if (is_complex(x.dtype)) fail(expr.place, "complex numbers cannot be rounded in compiled code");
  if (has_digits && !is_floating(x.dtype) && constant_int(*expr.items[2]).value_or(-1) < 0) fail(expr.place, "integers cannot be rounded to tens in compiled code");
  if (has_digits && !argument(expr, 1).is_integer() && !argument(expr, 1).is_boolean())
    fail(expr.items[2]->place, fmt::format("the number of digits is an integer, not {}", str(argument(expr, 1))));
  if (x.is_array() && intrinsic.is_builtin()) fail(expr.place, fmt::format("round() of {} has no meaning", str(x)), "", "use np.round");
  if (x.is_array()) return Type::array(x.dtype, x.ndim, true);
  want_scalar(expr, 0);
  if (has_digits || intrinsic.name.starts_with("numpy.")) return Type::scalar(x.dtype);
  return x.is_floating() || x.is_boolean() ? int64_type : Type::scalar(x.dtype);
}

/// min() and max()
Type Inference::call_extreme(Expr& expr, const Intrinsic& intrinsic) {
  Type all;
  const auto add = [&](const Type& next, Type otherwise) {
    if (all.is_known() && all.enumeration != next.enumeration)  // which of them comes out, only the interpreter knows
      fail(expr.place, fmt::format("{} of {} and {} cannot be compiled", intrinsic.name, str(all), str(next)));
    all = join(all, next).value_or(std::move(otherwise));
  };
  const auto ordered = [&] {
    if (all.is_complex()) fail(expr.place, fmt::format("{} of complex numbers has no meaning", intrinsic.name));
    return all;
  };
  const Type first = argument(expr, 0);
  if (expr.items.size() == 2) {
    if (first.is_array()) return call_reduction(expr, intrinsic);
    if (first.is_tuple())
      for (const Type& item : first.items) add(item, {});
    if (ordered().is_scalar()) return all;
    fail(expr.place, fmt::format("{} of {} has no meaning", intrinsic.name, str(first)));
  }
  want_arguments(expr, intrinsic, 2);
  for (size_t i = 0; i + 1 < expr.items.size(); ++i) {
    want_scalar(expr, i);
    add(argument(expr, i), float64_type);
  }
  return ordered();
}

Type Inference::call_where(const Expr& expr) {
  const Type a = argument(expr, 1), b = argument(expr, 2);
  const auto type = binary_type(Operator::add, a, b, nullptr);
  if (!type) fail(expr.place, fmt::format("where of {} and {} has no meaning", str(a), str(b)));
  const bool both_bool = a.dtype == Dtype::bool_ && b.dtype == Dtype::bool_;
  return elementwise_type(both_bool ? Dtype::bool_ : type->dtype, {argument(expr, 0), a, b});
}

Type Inference::call_clip(const Expr& expr) {
  std::vector<Type> operands{argument(expr, 0)};
  Type all = operands[0];
  for (size_t i : {1, 2}) {
    if (!has(expr, i) || argument(expr, i).kind == TypeKind::none) continue;
    operands.push_back(argument(expr, i));
    if (const auto both = binary_type(Operator::add, all, operands.back(), nullptr)) all = *both;
  }
  return elementwise_type(all.dtype, operands);
}

/// What a function of NumPy's for C draws.
Type Inference::call_drawn(Expr& expr) {
  const Type source = argument(expr, 2);
  const size_t n_given = expr.items.size() - 4;
  if (source.is_tuple() && source.items.size() != n_given)
    fail(expr.place, fmt::format("this function of C takes {} arguments, not {}", source.items.size(), n_given));
  if (!source.is_tuple() && !source.is_generator()) fail(expr.place, fmt::format("a generator is needed here, not {}", str(source)));
  for (size_t i = 3; i + 1 < expr.items.size(); ++i)
    if (const Type given = argument(expr, i); !given.is_scalar() && given.kind != TypeKind::none)
      fail(expr.place, fmt::format("a {} takes numbers, not {}", source.is_tuple() ? "function of C" : "draw of a generator", str(given)));
  return Type::scalar(dtype_argument(expr, 1, Dtype::float64));
}

/// What the engine computes: results of the types that the second argument has.
Type Inference::call_algorithm(const Expr& expr) {
  const auto own = [](const Type& like) { return like.is_array() ? Type::array(like.dtype, like.ndim, true) : Type::scalar(like.dtype); };
  const Type like = argument(expr, 1);
  if (!like.is_tuple()) return own(like);
  std::vector<Type> types;
  for (const Type& item : like.items) types.push_back(own(item));
  return Type::tuple(types);
}

void Inference::want_real_numbers(Expr& expr, const Intrinsic& row) {
  for (size_t i = 0; i + 1 < expr.items.size(); ++i)
    if (has(expr, i) && !(argument(expr, i).is_scalar() && !argument(expr, i).is_complex()))
      fail(expr.items[i + 1]->place, fmt::format("{} takes real numbers, not {}", row.name, str(argument(expr, i))));
}

Type Inference::call_isinstance(Expr& expr, const Type& first) {
  if (!is_of(first, argument(expr, 1).text)) fail(expr.place, fmt::format("isinstance of {} cannot be compiled", str(first)),
         first.is_scalar() ? "compiled code does not tell Python's numbers from NumPy's of 64 bits" : "");
  return bool_type;
}

/// sum(), any() and all() of a tuple's items.
Type Inference::reduced_items(Expr& expr, const Intrinsic& row, const Type& first) {
  const bool is_sum = row.reduction == ReduceOp::sum;
  Type all = is_sum ? int64_type : bool_type;
  for (Type item : first.items) {
    if (!item.is_known()) return {};
    if (item.is_array() || (is_sum && !item.is_scalar())) fail(expr.place, fmt::format("{}({}) has no meaning", row.name.substr(9), str(first)));
    if (is_sum) item.enumeration = 0, all = join(all, item).value_or(float64_type);
  }
  return all;
}

Type Inference::call_intrinsic(Expr& expr, const Intrinsic& intrinsic) {
  const auto need = [&](size_t n) { want_arguments(expr, intrinsic, n); };
  const auto binary = [&](Operator op) { return call_operator(expr, intrinsic, op); };
  const auto is_whole = [&](size_t i) { return argument(expr, i).is_integer() || argument(expr, i).is_boolean(); };
  const Type first = argument(expr, 0);
  if (intrinsic.name.starts_with("math.")) want_real_numbers(expr, intrinsic);
  const auto want_items = [&] {
    if (intrinsic.is_builtin() && first.is_scalar()) fail(expr.place, fmt::format("{} is not iterable", str(first)));
  };
  if (first.is_container() && intrinsic.is_builtin() && expr.items.size() == 2) switch (intrinsic.handler) {
      case Handler::reduce: case Handler::min: case Handler::max: case Handler::to_bool: return list_method(expr, intrinsic.handler);
      default: break;
    }
  switch (intrinsic.handler) {
    case Handler::elementwise: return call_elementwise(expr, intrinsic);
    case Handler::word: return Type::scalar(intrinsic.dtype);  // cuda.lanemask_lt()
    case Handler::range:
    case Handler::prange:
      need(1);
      for (size_t i = 0; i < 3; ++i)
        if (has(expr, i) && !is_whole(i)) fail(expr.items[i + 1]->place, fmt::format("range needs integers, not {}", str(argument(expr, i))));
      return Type::of(TypeKind::range);
    case Handler::len: return need(1), call_len(expr);
    case Handler::isinstance: return need(2), call_isinstance(expr, first);
    case Handler::result_type: return call_result_type(expr);
    case Handler::text_method: return string_method(expr, intrinsic);
    case Handler::to_str:
    case Handler::formatted:
    case Handler::ord:
    case Handler::chr: return string_call(expr, intrinsic);
    case Handler::to_int: return call_conversion(expr, intrinsic, Dtype::int64);
    case Handler::to_float: return call_conversion(expr, intrinsic, Dtype::float64);
    case Handler::to_bool: return call_conversion(expr, intrinsic, Dtype::bool_);
    case Handler::to_complex: return call_complex(expr);
    case Handler::abs: return need(1), call_abs(expr);
    case Handler::round: return need(1), call_round(expr, intrinsic);
    case Handler::min:
    case Handler::max: return call_extreme(expr, intrinsic);
    case Handler::reduce:
      want_items();
      if (first.is_tuple() && intrinsic.is_builtin() && expr.items.size() == 2) return reduced_items(expr, intrinsic, first);
      [[fallthrough]];
    case Handler::mean:
    case Handler::var:
    case Handler::std: need(1), want_items(); return call_reduction(expr, intrinsic);
    case Handler::pow: return binary(Operator::power);
    case Handler::add: return binary(Operator::add);
    case Handler::subtract: return binary(Operator::subtract);
    case Handler::multiply: return binary(Operator::multiply);
    case Handler::divide: return binary(Operator::divide);
    case Handler::floor_divide: return binary(Operator::floor_divide);
    case Handler::modulo: return binary(Operator::modulo);
    case Handler::print: return Type::none();
    case Handler::log: return need(1), Type::scalar(floating_dtype(first.dtype));
    case Handler::ldexp:
      need(2);
      if (!is_whole(1)) fail(expr.place, fmt::format("math.ldexp takes an integer second, not {}", str(argument(expr, 1))));
      return Type::scalar(floating_dtype(first.dtype));
    case Handler::frexp: return need(1), Type::tuple({Type::scalar(floating_dtype(first.dtype)), int64_type});
    case Handler::hypot: {
      need(1);
      Dtype dtype = first.dtype;
      for (size_t i = 1; i + 1 < expr.items.size(); ++i) dtype = scalar_dtype(dtype, argument(expr, i).dtype);
      return Type::scalar(floating_dtype(dtype));
    }
    case Handler::where: return need(3), call_where(expr);
    case Handler::clip: return need(1), call_clip(expr);
    case Handler::dot:
      need(2);
      return binary(first.is_scalar() || argument(expr, 1).is_scalar() ? Operator::multiply : Operator::matmul);
    case Handler::lapack:
    case Handler::thread_limit:
    case Handler::thread_number: return int64_type;
    case Handler::reaches: return need(1), bool_type;
    case Handler::drawn: return call_drawn(expr);
    case Handler::algorithm: return call_algorithm(expr);
    case Handler::item: return need(1), first.is_scalar() ? first : Type::scalar(first.dtype);
    case Handler::seed: return need(1), want_scalar(expr, 0), Type::none();
    case Handler::random: case Handler::rand: case Handler::randn: case Handler::standard_normal:
    case Handler::uniform: case Handler::normal: case Handler::expovariate: case Handler::exponential:
    case Handler::randint: case Handler::randint_inclusive:
      return call_random(expr, intrinsic.handler);
    default: break;
  }
  if (intrinsic.handler >= Handler::cuda_grid) return call_cuda(expr, intrinsic.handler);
  return call_creation(expr, intrinsic.handler);
}

Type Inference::call_reduction(Expr& expr, const Intrinsic& row) {
  const Type first = argument(expr, 0);
  if (!first.is_array() && !first.is_scalar())
    fail(expr.place, fmt::format("a reduction of {} has no meaning", str(first)));
  Dtype dtype = first.dtype;
  switch (row.handler) {
    case Handler::mean: dtype = floating_dtype(dtype); break;
    case Handler::var:
    case Handler::std: dtype = real_dtype(floating_dtype(dtype)); break;
    default:
      try {
        dtype = reduction_types(row.reduction, dtype).result;
      } catch (const Error& error) {
        fail(expr.place, std::string(error.what()));
      }
  }
  if (has(expr, 1) && argument(expr, 1).kind != TypeKind::none) {
    const auto axis = constant_int(*expr.items[2]);
    if (!axis)
      fail(expr.items[2]->place, "axis must be an integer known when compiling");
    if (!first.is_array() || *axis >= first.ndim || *axis < -first.ndim)
      fail(expr.items[2]->place, fmt::format("axis {} is out of range for {}", *axis, str(first)));
    if (info(row.reduction).keeps_position() || row.reduction == ReduceOp::var)
      if (first.ndim > 1)
        fail(expr.place, "this reduction along an axis cannot be compiled yet", "", "loop over the axis");
    if (first.ndim > 1) return Type::array(dtype, first.ndim - 1, true);
  }
  return Type::scalar(dtype);
}

}  // namespace kasoku::jit
