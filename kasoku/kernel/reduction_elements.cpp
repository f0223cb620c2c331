/// The call of a ReductionKernel over elements: which axes go, then a plan as for element kernels.
#include "kasoku/base/axis_error.h"
#include "kasoku/base/text.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/element_loop.h"
#include "kasoku/kernel/reduction_state.h"
#include "kasoku/kernel/typed.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {
namespace {

constexpr int64_t narrow_limit = int64_t{1} << 31;
/// See reduction.h: from here on an output has a thread of its own.
constexpr int64_t short_length = 64, many_outputs = 1024;

/// Which axes are reduced; negative ones count from the end.
std::vector<bool> reduced_axes(const std::optional<std::vector<int>>& axes, int ndim,
                               const std::string& name) {
  std::vector<bool> reduced(ndim, !axes);
  if (!axes) return reduced;
  for (int axis : *axes) {
    const int place = axis < 0 ? axis + ndim : axis;
    if (place < 0 || place >= ndim) throw AxisError(axis, ndim, name + ": ");
    if (reduced[place])
      throw Error(ErrorKind::value, fmt::format("{}: axis {} is named twice", name, axis));
    reduced[place] = true;
  }
  return reduced;
}

/// The axes of the reduction's space for which `wanted` holds, in C order.
IterationSpace part_of(const IterationSpace& whole, const std::vector<bool>& reduced, bool wanted) {
  IterationSpace part;
  part.walks.resize(whole.walks.size());
  for (size_t d = 0; d < reduced.size(); ++d) {
    if (reduced[d] != wanted) continue;
    part.lengths.push_back(whole.lengths[d]);
    for (size_t k = 0; k < part.walks.size(); ++k) {
      part.walks[k].unit = whole.walks[k].unit;
      part.walks[k].strides.push_back(whole.walks[k].strides[d]);
    }
  }
  part.arrange(AxisOrder::merged);
  return part;
}

/// Adds the shape of a loop as parameters, and statements that split `index` into its axes.
std::string split_index(const IterationSpace& space, const char* axis_name, const char* index,
                        std::string& params) {
  const size_t rank = space.lengths.size();
  for (size_t axis = 0; axis < rank; ++axis)
    params += fmt::format("_index_t _{}shape{}, ", axis_name, axis);
  if (rank == 1) return fmt::format("const ptrdiff_t _{}0 = {};", axis_name, index);
  std::string out = fmt::format("_index_t _{}rest = {};", axis_name, index);
  for (size_t axis = rank - 1; axis > 0; --axis)
    out += fmt::format("const _index_t _{0}{1} = _{0}rest % _{0}shape{1}; _{0}rest /= _{0}shape{1};",
                       axis_name, axis);
  return out + fmt::format("const _index_t _{0}0 = _{0}rest;", axis_name);
}

}  // namespace

std::vector<Array> ReductionKernel::reduce_elements(std::span<const Argument> given,
                                                    const ReductionCall& call) const {
  const State& state = *state_;
  const std::string& name = state.options.name;
  const size_t inputs = state.in.size(), outputs = state.out.size();
  if (given.size() != inputs && given.size() != inputs + outputs)
    throw Error(ErrorKind::type, "Wrong number of arguments for " + quote(name))
        .why(fmt::format("it takes {} inputs, got {}", inputs, given.size()));
  if (call.out && given.size() != inputs)
    throw Error(ErrorKind::value, name + ": the output is given twice");
  std::vector<Argument> args(given.begin(), given.end());
  std::vector<Array> passed;
  if (call.out) {
    passed.push_back(*call.out);
    args.push_back(Argument(passed[0]));
    if (outputs != 1)
      throw Error(ErrorKind::value, name + " has several outputs").fix("pass them by position");
  }
  Device* device = device_of(name, args);
  if (!device) device = call.stream ? &call.stream->device() : call.device;
  if (!device) device = state.options.device ? state.options.device : &default_device();
  Stream* stream = call.stream ? call.stream : &device->current_stream();
  PlaceholderTypes types(name);
  types.resolve(state.in, state.out, args);

  std::vector<ArrayRef> walked;
  std::vector<const ArrayRef*> pointers;
  std::vector<std::string_view> names;
  for (size_t k = 0; k < inputs; ++k) {
    const Argument& argument = args[k];
    if (argument.kind == Argument::Kind::array && argument.array.is_host &&
        !device->is_host())
      throw Error(ErrorKind::type, fmt::format("{}: '{}' is in host memory, the kernel runs on {}",
                                               name, state.in[k].name, device->str()));
    if (argument.kind == Argument::Kind::array && !state.in[k].is_raw) {
      walked.push_back(argument.array);
      names.push_back(state.in[k].name);
    } else if (argument.kind != Argument::Kind::array &&
               (!argument.is_scalar() || state.in[k].is_raw)) {
      throw Error(ErrorKind::type, fmt::format("{}: '{}' must be an array, got {}", name,
                                               state.in[k].name, argument.str()));
    }
  }
  for (const ArrayRef& array : walked) pointers.push_back(&array);
  if (walked.empty())
    throw Error(ErrorKind::value, name + ": Loop size is undecided.")
        .why("no argument is an array that is reduced");
  const Shape shape = broadcast_shape(name, pointers, names);
  const std::vector<bool> reduced = reduced_axes(call.axes, static_cast<int>(shape.size()), name);
  Shape kept, out_shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!reduced[axis]) kept.push_back(shape[axis]);
    if (!reduced[axis] || call.keepdims) out_shape.push_back(reduced[axis] ? 1 : shape[axis]);
  }
  const IterationSpace whole = space_over(shape, pointers);
  const IterationSpace inner = part_of(whole, reduced, true), outer = part_of(whole, reduced, false);
  const int64_t length = inner.size(), n_outputs = outer.size();
  const size_t inner_rank = inner.lengths.size(), outer_rank = outer.lengths.size();

  // Outputs are computed in C order; one that is passed with other strides gets a copy.
  std::vector<Array> results;
  for (size_t k = 0; k < outputs; ++k) {
    if (args.size() > inputs) {
      const ArrayRef& array = args[inputs + k].array;
      if (args[inputs + k].kind != Argument::Kind::array ||
          !std::equal(out_shape.begin(), out_shape.end(), array.shape, array.shape + array.ndim))
        throw Error(ErrorKind::value, name + ": Out shape is mismatched")
            .why(fmt::format("'{}' must have the shape of the result", state.out[k].name));
    }
    results.push_back(Array::empty(out_shape, types.dtype_of_output(state.out[k]), *device));
  }
  if (length == 0 && state.neutral.empty() && n_outputs > 0) throw nothing_to_reduce(name);

  ElementKey key;
  key.device = device;
  bool is_narrow = inner.is_narrow && outer.is_narrow && length * n_outputs < narrow_limit;
  for (const Argument& argument : args)
    if (argument.kind == Argument::Kind::array) is_narrow &= argument.array.size() < narrow_limit;
  key.is_narrow = is_narrow;
  key.ndim = static_cast<uint8_t>(inner_rank);
  key.form = static_cast<uint8_t>(outer_rank);
  key.count = static_cast<uint8_t>(inputs + outputs);
  // Outputs side by side in memory, in one axis: a row of them is read at a time.
  const bool last_is_kept = !reduced.empty() && !reduced.back();
  bool has_columns = last_is_kept && outer_rank == 1;
  for (size_t walk = 0; walk < walked.size(); ++walk)
    has_columns &= outer.walks[walk].inner != Inner::strided && inner.walks[walk].inner != Inner::unit;
  for (size_t k = 0; k < inputs; ++k)
    has_columns &= args[k].kind != Argument::Kind::array || !state.in[k].is_raw;
  if (has_columns) key.form |= 0x80;
  for (size_t k = 0, walk = 0; k < inputs + outputs; ++k) {
    const Parameter& param = k < inputs ? state.in[k] : state.out[k - inputs];
    const Argument none;
    const Dtype dtype = types.dtype_of(param, none);
    unsigned class_ = 0;
    ParamUse use = k < inputs ? ParamUse::scalar : ParamUse::output;
    if (k < inputs && args[k].kind == Argument::Kind::array) {
      use = param.is_raw ? ParamUse::raw : ParamUse::input;
      class_ = param.is_raw ? unsigned(args[k].array.ndim) * 2 + args[k].array.is_c_contiguous()
                            : unsigned(inner.walks[walk].inner) + 3 * unsigned(outer.walks[walk].inner);
      walk += !param.is_raw;
    }
    key.params[k] = static_cast<uint16_t>(unsigned(use) | unsigned(dtype) << 2 | class_ << 7);
  }

  ReductionLaunch& launch = state_->element_plans.find_or(key, [&] {
    ReductionText text;
    text.options = &state.options;
    text.is_narrow = is_narrow;
    text.has_columns = has_columns;
    text.reduce_expr = state.reduce_expr;
    text.identity = state.neutral;
    bool has_complex = false, has_raw = false;
    std::string elements;
    text.of_output = split_index(outer, "o", "_o", text.in_params);
    text.of_element = split_index(inner, "i", "_j", text.in_params);
    if (mentions_word(state.map_expr, "i"))
      text.of_element += "const ptrdiff_t i = (ptrdiff_t)_o * _length + _j;";
    for (size_t k = 0, walk = 0; k < inputs; ++k) {
      const Parameter& param = state.in[k];
      const std::string type = types.type_of(param, args[k]);
      has_complex |= is_complex_type(type);
      if (args[k].kind != Argument::Kind::array) {
        text.in_params += fmt::format("const {} {}, ", type, param.name);
        continue;
      }
      text.in_params += fmt::format("{}{}* _data_{}, ", param.is_raw ? "" : "const ", type, param.name);
      if (param.is_raw) {
        has_raw = true;
        text.in_params += fmt::format("ptrdiff_t _size_{}, ", param.name);
        text.of_output += fmt::format("CArray<{0}, {1}, {2}, {3}> {4}(_data_{4}, _size_{4});", type,
                                      args[k].array.ndim, args[k].array.is_c_contiguous(),
                                      is_narrow, param.name);
        for (int axis = 0; axis < args[k].array.ndim; ++axis) {
          text.in_params += fmt::format("ptrdiff_t _{0}_d{1}, ptrdiff_t _{0}_s{1}, ", param.name, axis);
          text.of_output += fmt::format("{0}.set_axis({1}, _{0}_d{1}, _{0}_s{1});", param.name, axis);
        }
        continue;
      }
      std::string at = fmt::format("const char* _row_{0} = (const char*)_data_{0}", param.name);
      for (size_t axis = 0; axis < outer_rank; ++axis) {
        text.in_params += fmt::format("ptrdiff_t _{}_o{}, ", param.name, axis);
        const bool is_plain = axis + 1 == outer_rank && outer.walks[walk].inner == Inner::unit;
        at += is_plain ? fmt::format(" + (ptrdiff_t)_o{} * sizeof({})", axis, type)
                       : fmt::format(" + (ptrdiff_t)_o{0} * _{1}_o{0}", axis, param.name);
      }
      text.of_output += at + ";";
      std::string place = fmt::format("_row_{}", param.name);
      for (size_t axis = 0; axis < inner_rank; ++axis) {
        text.in_params += fmt::format("ptrdiff_t _{}_i{}, ", param.name, axis);
        const bool is_plain = axis + 1 == inner_rank && inner.walks[walk].inner == Inner::unit;
        place += is_plain ? fmt::format(" + (ptrdiff_t)_i{} * sizeof({})", axis, type)
                          : fmt::format(" + (ptrdiff_t)_i{0} * _{1}_i{0}", axis, param.name);
      }
      elements += fmt::format("const {0} {1} = *(const {0}*)({2});", type, param.name, place);
      ++walk;
    }
    text.of_element += elements;
    std::string refs;
    for (const Parameter& param : state.out) {
      const std::string type = types.type_of(param, {});
      has_complex |= is_complex_type(type);
      text.out_params += fmt::format("{}* _data_{}, ", type, param.name);
      refs += fmt::format("{0} &{1} = _data_{1}[_o];", type, param.name);
    }
    text.map_expr = fmt::format("\n#line 1 \"{} map_expr\"\n{}\n#line 1 \"kasoku\"\n", name,
                                state.map_expr);
    text.post = fmt::format("{}\n#line 1 \"{} post_map_expr\"\n{};\n#line 1 \"kasoku\"\n", refs, name,
                            state.post_map_expr);
    // A dtype's name, or a type or placeholder of the text.
    std::string reduce_type = state.reduce_type.empty() ? types.type_of(state.out[0], {})
                                                        : state.reduce_type;
    if (const auto dtype = dtype_from_name(reduce_type); dtype && *dtype != Dtype::opaque)
      reduce_type = c_type(*dtype);
    has_complex |= is_complex_type(reduce_type);
    text.head = start_of_reduction(state.options, has_complex, has_raw, types.typedefs()) +
                fmt::format("typedef {} _type_reduce;\n", reduce_type);
    return ReductionLaunch(*device, text);
  });

  if (n_outputs > 0) {
    const auto add_index = [&](PackedArguments& packed, int64_t value) {
      if (is_narrow) packed.add_value(static_cast<uint32_t>(value));
      else packed.add_value(static_cast<uint64_t>(value));
    };
    const bool one_each = length <= short_length ||
                          (last_is_kept && n_outputs >= many_outputs) ||
                          n_outputs * ((length + chunk_elements - 1) / chunk_elements) >=
                              narrow_limit;
    for (const Argument& argument : args)
      if (argument.kind == Argument::Kind::array && argument.array.buffer)
        argument.array.buffer->use_on(*stream);
    launch.run(
        *device, *stream, n_outputs, length, one_each, is_narrow,
        [&](PackedArguments& packed) {
          for (size_t axis = 0; axis < outer_rank; ++axis) add_index(packed, outer.lengths[axis]);
          for (size_t axis = 0; axis < inner_rank; ++axis) add_index(packed, inner.lengths[axis]);
          for (size_t k = 0, walk = 0; k < inputs; ++k) {
            if (args[k].kind != Argument::Kind::array) {
              types.pack_scalar(state.in[k], args[k], packed);
              continue;
            }
            packed.add_value(args[k].array.data);
            if (state.in[k].is_raw) {
              packed.add_value(args[k].array.size());
              for (int axis = 0; axis < args[k].array.ndim; ++axis) {
                packed.add_value(args[k].array.shape[axis]);
                packed.add_value(args[k].array.strides[axis]);
              }
              continue;
            }
            for (size_t axis = 0; axis < outer_rank; ++axis) packed.add_value(outer.walks[walk].strides[axis]);
            for (size_t axis = 0; axis < inner_rank; ++axis) packed.add_value(inner.walks[walk].strides[axis]);
            ++walk;
          }
        },
        [&](PackedArguments& packed) {
          for (const Array& result : results) packed.add_value(result.data());
        });
  }
  if (args.size() == inputs) return results;
  static const ElementwiseKernel copy("T x", "T y", "y = x");
  for (size_t k = 0; k < outputs; ++k) {
    ElementwiseCall copy_call;
    copy_call.stream = stream;
    copy({Argument(results[k]), args[inputs + k]}, copy_call);
  }
  return passed;
}

}  // namespace kasoku
