#include "kasoku/kernel/typed.h"

#include "kasoku/base/text.h"
#include "kasoku/kernel/elementwise.h"

#include <fmt/format.h>

namespace kasoku {
namespace {

Dtype dtype_of_scalar(const Argument& argument) {
  if (argument.is_typed) return argument.dtype;
  switch (argument.kind) {
    case Argument::Kind::boolean: return Dtype::bool_;
    case Argument::Kind::integer: return argument.is_big ? Dtype::uint64 : Dtype::int64;
    case Argument::Kind::complex: return Dtype::complex128;
    default: return Dtype::float64;
  }
}

}  // namespace

void PlaceholderTypes::take(const Parameter& param, const Argument& argument) {
  const Dtype have = argument.kind == Argument::Kind::array ? argument.array.dtype
                                                            : dtype_of_scalar(argument);
  if (have == Dtype::opaque && (param.is_placeholder || param.dtype))
    throw Error(ErrorKind::type,
                fmt::format("{}: '{}' cannot be {}", kernel_, param.name, argument.str()))
        .why("records have no type in kernel text unless the parameter names one");
  Dtype want;
  if (param.is_placeholder) {
    if (slot(param) == Dtype::opaque) slot(param) = have;
    want = slot(param);
  } else if (param.dtype) {
    want = *param.dtype;
  } else {
    return;  // a type that only the text knows
  }
  if (have == want || argument.kind != Argument::Kind::array) return;
  Error error(ErrorKind::type,
              fmt::format("{}: Type is mismatched. '{}' is {}, got {}", kernel_, param.name,
                          info(want).name, argument.str()));
  if (param.is_placeholder)
    error.why(fmt::format("'{}' stands for {} in this call", param.type, info(want).name));
  throw error.fix(fmt::format("pass {}.astype('{}')", param.name, info(want).name));
}

void PlaceholderTypes::resolve(std::span<const Parameter> in, std::span<const Parameter> out,
                               std::span<const Argument> args) {
  for (size_t k = in.size(); k < args.size(); ++k) take(out[k - in.size()], args[k]);
  for (size_t k = 0; k < in.size(); ++k)
    if (args[k].kind == Argument::Kind::array) take(in[k], args[k]);
  for (const bool typed : {true, false})
    for (size_t k = 0; k < in.size(); ++k)
      if (args[k].is_scalar() && args[k].is_typed == typed) take(in[k], args[k]);
  for (const Parameter& param : out)
    if (args.size() == in.size()) (void)dtype_of_output(param);
}

Dtype PlaceholderTypes::dtype_of(const Parameter& param, const Argument& argument) const {
  if (param.is_placeholder) return slot(param);
  if (param.dtype) return *param.dtype;
  (void)argument;
  return Dtype::opaque;
}

Dtype PlaceholderTypes::dtype_of_output(const Parameter& param) const {
  const Dtype dtype = dtype_of(param, {});
  if (dtype == Dtype::opaque)
    throw Error(ErrorKind::type, fmt::format("{}: the dtype of the output '{}' is not known",
                                             kernel_, param.name))
        .why(fmt::format("no input decides what '{}' is", param.type))
        .fix("pass the output, or declare its dtype");
  return dtype;
}

std::string PlaceholderTypes::type_of(const Parameter& param, const Argument& argument) const {
  const Dtype dtype = dtype_of(param, argument);
  return dtype == Dtype::opaque ? param.type : std::string(c_type(dtype));
}

std::string PlaceholderTypes::typedefs() const {
  std::string text;
  for (size_t letter = 0; letter < types_.size(); ++letter)
    if (types_[letter] != Dtype::opaque)
      text += fmt::format("typedef {} {};\n", c_type(types_[letter]), static_cast<char>('A' + letter));
  return text;
}

void PlaceholderTypes::pack_scalar(const Parameter& param, const Argument& argument,
                                   PackedArguments& packed) const {
  const Dtype dtype = dtype_of(param, argument);
  if (dtype == Dtype::opaque)
    throw Error(ErrorKind::type, fmt::format("{}: '{}' has the type {}, and a scalar cannot be "
                                             "converted to it", kernel_, param.name, param.type));
  // A placeholder takes its type from the arrays beside it; integers wrap as C's do.
  const Overflow overflow = param.is_placeholder ? Overflow::wrap : Overflow::error;
  void* to = packed.add(info(dtype).size, info(dtype).size);
  if (const char* why = convert_scalar(argument, dtype, to, overflow))
    throw Error(ErrorKind::type, fmt::format("{}: '{}' is {}, got {}", kernel_, param.name,
                                             info(dtype).name, argument.str()))
        .why(std::string("the value ") + why);
}

Array contiguous_copy(const ArrayRef& array, Device& device, Stream* stream) {
  static const ElementwiseKernel copy("T x", "T y", "y = x", [] {
    ElementwiseOptions options;
    options.name = "copy";
    return options;
  }());
  ElementwiseCall call;
  call.stream = stream;
  call.device = &device;
  return copy({Argument(array)}, call)[0];
}

}  // namespace kasoku
