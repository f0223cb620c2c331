/// Calls: other compiled functions, and the rows of intrinsics.def on scalars.
#include "kasoku/jit/lowering.h"

namespace kasoku::jit {

Val FunctionLowering::call(const Expr& e) {
  if (e.callee >= 0) return call_function(e);
  const Binding& binding = e.items[0]->binding;
  if (binding.kind == Binding::Kind::dtype) {
    if (e.type.is_array()) return computed(e);
    if (is_float_draw(e)) return {uniform_float(), e.type};
    return scalar(*e.items[1], e.type.dtype);
  }
  return call_intrinsic(e, *find_intrinsic(binding.name));
}

Val FunctionLowering::call_function(const Expr& e) {
  const TypedFunction& callee = *unit_.unit.functions[e.callee];
  if (on_device_) unit_.function(e.callee, true);
  const Effects& effects = unit_.side(on_device_).effects[e.callee];
  const bool may_fail = (effects.may_fail || !effects.is_done) && raises_;
  std::vector<std::string> arguments;
  if (raises_) arguments.push_back("ks");
  if (effects.uses_random) {
    // A stream of its own for each call: (this iteration, this place).
    const std::string stream = temp("random");
    line("const ks_stream {} = ks_split({}, {}, {} + {});", stream, random_.stream, random_.element, random_.site,
         random_.n_sites++);
    arguments.push_back(stream);
    arguments.push_back("0");
    arguments.push_back("0");
  }
  for (size_t i = 1; i < e.items.size(); ++i) {
    const Val value = expr(*e.items[i]);
    if (callee.parameters[i - 1].is_symbol()) continue;
    if (value.type.is_container() && effects.grows) want_own(*e.items[i], e.place), effects_.grows = true;
    const Type& wanted = callee.parameters[i - 1];
    arguments.push_back(pin(value.type == wanted ? value : Val{convert(value, wanted), wanted}).text);
  }
  effects_.writes = true;
  if (!effects.is_apart && !effects.is_recursive) effects_.length += effects.length;
  check_zero();
  if (effects.is_recursive && !options_.is_cuda && !on_device_) fail_if("ks_is_deep(ks)", fmt::format("ks_jit_fail(ks, ks_recursion_error, {}, \"\", 0, 0, 0)", e.place.line));
  const std::string text = fmt::format("ks_fn_{}({})", callee.symbol, fmt::join(arguments, ", "));
  const auto test = [&] {
    if (may_fail) leave_if_failed();
  };
  if (callee.result.is_symbol()) {
    line("{};", text);
    test();
    return {callee.result.kind == TypeKind::text ? quoted(callee.result.text) : "", callee.result};
  }
  const std::string name = temp("result");
  line("{} {} = {};", text_of(callee.result), name, text);
  keep(name, callee.result);
  test();
  return {name, callee.result};
}

Val FunctionLowering::call_intrinsic(const Expr& e, const Intrinsic& intrinsic) {
  const Handler handler = intrinsic.handler;
  if (handler >= Handler::cuda_grid) return call_cuda(e, handler);
  if (is_dict_method(handler)) return dict_call(e, handler);
  if (handler == Handler::text_method) return string_method(e, intrinsic);
  if (is_set_method(handler)) return set_call(e, handler);
  const bool has_list = e.items.size() > 1 && e.items[1] && e.items[1]->type.is_container();
  if (has_list && handler != Handler::len && handler != Handler::print && handler != Handler::isinstance) return handler == Handler::make_array || handler == Handler::asarray ? array_of_list(e) : list_call(e, handler);
  switch (handler) {
    case Handler::reduce:
      if (e.items[1]->type.is_tuple()) return reduce_tuple(e, intrinsic.reduction);
      [[fallthrough]];
    case Handler::mean: case Handler::var: case Handler::std: return reduction(e, intrinsic);
    case Handler::zeros: case Handler::ones: case Handler::empty: case Handler::full:
    case Handler::zeros_like: case Handler::ones_like: case Handler::empty_like: case Handler::full_like:
    case Handler::arange: case Handler::linspace: case Handler::copy: case Handler::flatten:
    case Handler::ascontiguous: case Handler::broadcast_to: case Handler::asarray: case Handler::make_array: case Handler::astype:
    case Handler::view: case Handler::fill: case Handler::reshape: case Handler::ravel: case Handler::transpose: case Handler::with_axes: case Handler::strided:
      return creation(e, handler);
    case Handler::random: case Handler::rand: case Handler::randn: case Handler::standard_normal:
    case Handler::uniform: case Handler::normal: case Handler::expovariate: case Handler::exponential:
    case Handler::randint: case Handler::randint_inclusive:
      return call_random(e, handler);
    case Handler::word: return {fmt::format("({})({})", text_of(intrinsic.dtype), intrinsic.text), e.type};
    case Handler::print: return print(e);
    case Handler::lapack: return lapack(e);
    case Handler::thread_limit:
    case Handler::thread_number: return thread_count_or_number(e, handler);
    case Handler::reaches: return {uses_graph() ? "true" : on_device_ || options_.is_checked ? "false" : truth(*e.items[1]), bool_type};
    case Handler::algorithm: return algorithm(e);
    case Handler::drawn: return drawn(e);
    case Handler::dot:
      if (e.items[1]->type.is_array() && e.items[2]->type.is_array())
        return matmul(*e.items[1], *e.items[2], e.type, e.place);
      break;
    default: break;
  }
  return e.type.is_array() ? computed(e) : call_scalar(e, intrinsic);
}

Val FunctionLowering::call_scalar(const Expr& e, const Intrinsic& intrinsic) {
  const Handler handler = intrinsic.handler;
  switch (handler) {
    case Handler::elementwise: return elementwise_call(e, intrinsic);
    case Handler::to_str: case Handler::formatted: case Handler::ord: case Handler::chr: return e.type.kind == TypeKind::text ? argument(e, 0) : string_call(e, handler);
    case Handler::isinstance: return {is_of(e.items[1]->type, e.items[2]->type.text).value_or(false) ? "true" : "false", bool_type};
    case Handler::result_type: return {"", e.type};
    case Handler::len: return length(e);
    case Handler::range:
    case Handler::prange: return {range_value(e), e.type};
    case Handler::to_int:
    case Handler::to_float:
    case Handler::to_bool: return to_number(e, handler);
    case Handler::to_complex: return complex_number(e);
    case Handler::abs: return absolute(e);
    case Handler::round: return rounded(e);
    case Handler::min:
    case Handler::max: return extreme(e, intrinsic);
    case Handler::pow: case Handler::add: case Handler::subtract: case Handler::multiply:
    case Handler::divide: case Handler::floor_divide: case Handler::modulo: case Handler::dot: return operator_call(e, intrinsic);
    case Handler::log: return logarithm(e);
    case Handler::ldexp:
      return {fmt::format("ldexp({}, (int)({}))", text_as(*e.items[1], e.type.dtype), text_as(*e.items[2], Dtype::int64)), e.type};
    case Handler::frexp: return mantissa_and_exponent(e);
    case Handler::hypot: return hypotenuse(e);
    case Handler::where: return selected(e);
    case Handler::clip: return clipped(e);
    case Handler::item: return only_element(e);
    case Handler::seed: return seed(e);
    default: break;
  }
  error(e.place, fmt::format("{} cannot be compiled here yet", intrinsic.name));
}

}  // namespace kasoku::jit
