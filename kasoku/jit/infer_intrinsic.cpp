/// Types of what the rows of intrinsics.def give: Python, math, elementwise operations, reductions.
#include "kasoku/base/error.h"
#include "kasoku/jit/element.h"
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

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
      dtype = real_dtype(dtype);
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
  const bool is_pythons = intrinsic.name.starts_with("builtins.");
  if (intrinsic.name.starts_with("math."))
    for (size_t i = 0; i + 1 < expr.items.size(); ++i)
      if (has(expr, i) && !(argument(expr, i).is_scalar() && !argument(expr, i).is_complex()))
        fail(expr.items[i + 1]->place, fmt::format("{} takes real numbers, not {}", intrinsic.name, str(argument(expr, i))));
  const auto want_items = [&] {
    if (is_pythons && first.is_scalar()) fail(expr.place, fmt::format("{} is not iterable", str(first)));
  };
  const auto want_order = [&](const Type& type) {
    if (type.is_complex()) fail(expr.place, fmt::format("{} of complex numbers has no meaning", intrinsic.name));
  };
  const auto want_same = [&](const Type& all, const Type& next) {  // which of them comes out, only the interpreter knows
    if (all.is_known() && all.enumeration != next.enumeration) fail(expr.place, fmt::format("{} of {} and {} cannot be compiled", intrinsic.name, str(all), str(next)));
  };
  const auto convert = [&](Dtype dtype) {
    if (!has(expr, 0)) return Type::scalar(dtype);
    if (first.kind == TypeKind::text && dtype != Dtype::bool_) return want_number_text(expr, first.text, dtype), Type::scalar(dtype);
    if ((first.is_array() && first.ndim == 0) || first.is_string() || (first.kind == TypeKind::text && dtype == Dtype::bool_)) return Type::scalar(dtype);
    if (!first.is_scalar()) fail(expr.place, fmt::format("{}({}) has no meaning", intrinsic.name, str(first)));
    if (first.is_complex() && dtype != Dtype::bool_)
      fail(expr.place, fmt::format("{} of a complex number has no meaning", intrinsic.name), "",
           "use abs(x) or x.real");
    return Type::scalar(dtype);
  };
  if (first.is_container() && is_pythons) switch (intrinsic.handler) {
      case Handler::reduce: case Handler::min: case Handler::max: case Handler::to_bool:
        if (expr.items.size() == 2) return list_method(expr, intrinsic.handler);
        break;
      default: break;
    }
  switch (intrinsic.handler) {
    case Handler::elementwise: return call_elementwise(expr, intrinsic);
    case Handler::word: return Type::scalar(intrinsic.dtype);  // cuda.lanemask_lt()
    case Handler::range:
    case Handler::prange:
      need(1);
      for (size_t i = 0; i < 3; ++i)
        if (has(expr, i) && !argument(expr, i).is_integer() && !argument(expr, i).is_boolean())
          fail(expr.items[i + 1]->place, fmt::format("range needs integers, not {}", str(argument(expr, i))));
      return Type::of(TypeKind::range);
    case Handler::len:
      need(1);
      if ((first.is_array() && first.ndim > 0) || first.is_tuple() || first.is_container() || first.kind == TypeKind::range) return int64_type;
      if (first.is_words()) return int64_type;
      fail(expr.place, fmt::format("{} has no len()", str(first)));
    case Handler::isinstance:
      need(2);
      if (!is_of(first, argument(expr, 1).text)) fail(expr.place, fmt::format("isinstance of {} cannot be compiled", str(first)),
             first.is_scalar() ? "compiled code does not tell Python's numbers from NumPy's of 64 bits" : "");
      return bool_type;
    case Handler::result_type: {
      Dtype dtype = Dtype::bool_;
      const auto add = [&](const Type& type, const auto& self) -> void {
        if (type.is_tuple() || type.is_list()) {
          for (const Type& item : type.items) self(item, self);
        } else if (type.is_array() || type.is_scalar() || type.kind == TypeKind::dtype) {
          dtype = element_dtype(dtype, type.dtype);
        } else {
          fail(expr.place, fmt::format("{} has no dtype", str(type)));
        }
      };
      for (size_t i = 0; i + 1 < expr.items.size(); ++i) add(argument(expr, i), add);
      return Type::of_dtype(dtype);
    }
    case Handler::text_method: return string_method(expr, intrinsic);
    case Handler::to_str:
    case Handler::formatted:
    case Handler::ord:
    case Handler::chr: return string_call(expr, intrinsic);
    case Handler::to_int: return convert(Dtype::int64);
    case Handler::to_float: return convert(Dtype::float64);
    case Handler::to_bool: return convert(Dtype::bool_);
    case Handler::to_complex:
      for (size_t i = 0; i < 2; ++i) want_scalar(expr, i);
      if (has(expr, 1) && (first.is_complex() || argument(expr, 1).is_complex())) fail(expr.place, "complex() of two numbers takes real ones in compiled code", "", "write x + 1j * y");
      return Type::scalar(Dtype::complex128);
    case Handler::abs: {
      need(1);
      const Dtype dtype = real_dtype(first.dtype);
      if (first.is_array()) return Type::array(dtype, first.ndim, true);
      if (!first.is_scalar()) fail(expr.place, fmt::format("abs of {} has no meaning", str(first)));
      return Type::scalar(first.is_integer() || first.is_boolean() ? scalar_dtype(dtype, dtype) == Dtype::bool_
                              ? Dtype::int64 : scalar_dtype(dtype, dtype) : dtype);
    }
    case Handler::round:
      need(1);
      if (is_complex(first.dtype)) fail(expr.place, "complex numbers cannot be rounded in compiled code");
      if (!is_floating(first.dtype) && has(expr, 1) && constant_int(*expr.items[2]).value_or(-1) < 0)
        fail(expr.place, "integers cannot be rounded to tens in compiled code");
      if (has(expr, 1) && !argument(expr, 1).is_integer() && !argument(expr, 1).is_boolean())
        fail(expr.items[2]->place, fmt::format("the number of digits is an integer, not {}", str(argument(expr, 1))));
      if (is_pythons && first.is_array()) fail(expr.place, fmt::format("round() of {} has no meaning", str(first)), "", "use np.round");
      if (first.is_array()) return Type::array(first.dtype, first.ndim, true);
      want_scalar(expr, 0);
      if (has(expr, 1) || std::string_view(intrinsic.name).starts_with("numpy.")) return Type::scalar(first.dtype);
      return first.is_floating() || first.is_boolean() ? int64_type : Type::scalar(first.dtype);
    case Handler::min:
    case Handler::max: {
      if (expr.items.size() == 2) {
        if (first.is_array()) return call_reduction(expr, intrinsic);
        if (first.is_tuple() && !first.items.empty()) {
          Type all;
          for (const Type& item : first.items) {
            want_same(all, item);
            all = join(all, item).value_or(Type{});
          }
          want_order(all);
          if (all.is_scalar()) return all;
        }
        fail(expr.place, fmt::format("{} of {} has no meaning", intrinsic.name, str(first)));
      }
      need(2);
      Type all;
      for (size_t i = 0; i + 1 < expr.items.size(); ++i) {
        want_scalar(expr, i);
        want_same(all, argument(expr, i));
        all = join(all, argument(expr, i)).value_or(float64_type);
      }
      want_order(all);
      return all;
    }
    case Handler::reduce:
      want_items();
      if (first.is_tuple() && intrinsic.reduction == ReduceOp::sum) {
        Type all = int64_type;
        for (Type item : first.items) item.enumeration = 0, all = join(all, item).value_or(float64_type);
        return all;
      }
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
    case Handler::log:
      need(1);
      return Type::scalar(floating_dtype(first.dtype));
    case Handler::ldexp:
      need(2);
      if (!argument(expr, 1).is_integer() && !argument(expr, 1).is_boolean()) fail(expr.place, fmt::format("math.ldexp takes an integer second, not {}", str(argument(expr, 1))));
      return Type::scalar(floating_dtype(first.dtype));
    case Handler::frexp:
      need(1);
      return Type::tuple({Type::scalar(floating_dtype(first.dtype)), int64_type});
    case Handler::hypot: {
      need(1);
      Dtype dtype = first.dtype;
      for (size_t i = 1; i + 1 < expr.items.size(); ++i) dtype = scalar_dtype(dtype, argument(expr, i).dtype);
      return Type::scalar(floating_dtype(dtype));
    }
    case Handler::where: {
      need(3);
      const Type a = argument(expr, 1), b = argument(expr, 2);
      const auto type = binary_type(Operator::add, a, b, nullptr);
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
    case Handler::lapack:
    case Handler::thread_limit:
    case Handler::thread_number: return int64_type;
    case Handler::reaches: return need(1), bool_type;
    case Handler::drawn: {
      if (!argument(expr, 2).is_generator()) fail(expr.place, fmt::format("a generator is needed here, not {}", str(argument(expr, 2))));
      for (size_t i = 3; i + 1 < expr.items.size(); ++i)
        if (const Type given = argument(expr, i); !given.is_scalar() && given.kind != TypeKind::none)
          fail(expr.place, fmt::format("a draw of a generator takes numbers, not {}", str(given)));
      return Type::scalar(dtype_argument(expr, 1, Dtype::float64));
    }
    case Handler::algorithm: {
      const auto own = [](const Type& like) { return like.is_array() ? Type::array(like.dtype, like.ndim, true) : Type::scalar(like.dtype); };
      const Type like = argument(expr, 1);
      if (!like.is_tuple()) return own(like);
      std::vector<Type> types;
      for (const Type& item : like.items) types.push_back(own(item));
      return Type::tuple(types);
    }
    case Handler::item:
      need(1);
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
