/// The call of a ReductionKernel over elements: which axes go, then a plan as for element kernels.
#include "kasoku/array/fuse.h"
#include "kasoku/array/shape.h"
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
#include <span>

namespace kasoku {
namespace {

constexpr int64_t narrow_limit = int64_t{1} << 31;

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

/// The kept axes first, then the others, each in C order.
IterationSpace kept_first(const IterationSpace& whole, const std::vector<bool>& reduced) {
  IterationSpace space{.lengths = {}, .kept = 0, .walks = whole.walks};
  for (Walk& walk : space.walks) walk.strides = {};
  for (const bool is_reduced : {false, true})
    for (size_t d = 0; d < reduced.size(); ++d) {
      if (reduced[d] != is_reduced) continue;
      space.kept += !is_reduced;
      space.lengths.push_back(whole.lengths[d]);
      for (size_t k = 0; k < space.walks.size(); ++k) space.walks[k].strides.push_back(whole.walks[k].strides[d]);
    }
  return space;
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

  std::vector<size_t> walked;
  std::vector<const ArrayRef*> pointers;
  std::vector<std::string_view> names;
  for (size_t k = 0; k < inputs; ++k) {
    const Argument& argument = args[k];
    if (argument.kind == Argument::Kind::array && argument.array.is_host &&
        !device->is_host())
      throw Error(ErrorKind::type, fmt::format("{}: '{}' is in host memory, the kernel runs on {}",
                                               name, state.in[k].name, device->str()));
    if (argument.kind == Argument::Kind::array && !state.in[k].is_raw) {
      walked.push_back(k);
      names.push_back(state.in[k].name);
    } else if (argument.kind != Argument::Kind::array &&
               (!argument.is_scalar() || state.in[k].is_raw)) {
      throw Error(ErrorKind::type, fmt::format("{}: '{}' must be an array, got {}", name,
                                               state.in[k].name, argument.str()));
    }
  }
  for (size_t k : walked) pointers.push_back(&args[k].array);
  if (walked.empty())
    throw Error(ErrorKind::value, name + ": Loop size is undecided.")
        .why("no argument is an array that is reduced");
  const Shape shape = broadcast_shape(name, pointers, names);
  const std::vector<bool> reduced = reduced_axes(call.axes, static_cast<int>(shape.size()), name);
  Shape out_shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!reduced[axis] || call.keepdims) out_shape.push_back(reduced[axis] ? 1 : shape[axis]);
  }
  std::vector<size_t> pending, order;
  for (const bool is_reduced : {false, true})
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (reduced[axis] == is_reduced) order.push_back(axis);
  for (size_t k = 0; k < inputs; ++k) {
    if (!args[k].pending) continue;
    if (state.options.options.empty() && !state.options.is_checked && !state.in[k].is_raw && types.dtype_of(state.in[k], args[k]) == args[k].dtype && args[k].dtype != Dtype::opaque) pending.push_back(k);
    else args[k] = Argument::to_read(*args[k].pending, true);
  }
  PendingOperands computed(args, pending, shape, order, *device, Arithmetic::ours, state_->seen);
  for (size_t k = 0; k < inputs && computed; ++k)
    if (state.in[k].is_raw && args[k].kind == Argument::Kind::array && computed.read(args[k].array)) computed.settle(args);
  pointers.clear();
  for (size_t k : walked)
    if (!args[k].pending) pointers.push_back(&args[k].array);
  IterationSpace space = kept_first(space_over(shape, pointers), reduced);
  computed.add_walks(space);
  space.arrange(AxisOrder::merged);
  const int64_t n_outputs = product(out_shape);

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
  if (space.size() == 0 && state.neutral.empty() && n_outputs > 0) throw nothing_to_reduce(name);

  // A dtype's name, or a type or placeholder of the text.
  Dtype reduce_dtype = types.dtype_of(state.out[0], {});
  std::string reduce_type = types.type_of(state.out[0], {});
  if (!state.reduce_type.empty()) {
    const std::optional<Dtype> dtype = dtype_from_name(state.reduce_type);
    reduce_dtype = dtype.value_or(dtype_from_c(state.reduce_type).value_or(Dtype::opaque));
    reduce_type = reduce_dtype == Dtype::opaque || !dtype ? state.reduce_type : c_type(reduce_dtype);
  }
  const size_t value_bytes = reduce_dtype == Dtype::opaque ? 0 : info(reduce_dtype).size;
  const bool is_simt = takes_gpu_form(*device);
  const ReduceForm form = reduce_form(space, value_bytes, is_simt);

  ElementKey key;
  key.device = device;
  bool is_narrow = space.is_narrow;
  for (const Argument& argument : args)
    if (argument.kind == Argument::Kind::array) is_narrow &= argument.array.size() < narrow_limit;
  const size_t rank = space.lengths.size(), kept_rank = std::min(space.kept, rank);
  key.is_narrow = is_narrow;
  key.ndim = static_cast<uint8_t>(rank);
  key.index = static_cast<uint8_t>(kept_rank);
  key.form = static_cast<uint8_t>(unsigned(form) * 2 + is_simt);
  key.along = static_cast<uint8_t>(space.inner);
  computed.lay_out(space, pointers.size(), is_narrow);
  key.computed = computed.key();
  key.count = static_cast<uint8_t>(inputs + outputs);
  for (size_t k = 0, walk = 0; k < inputs + outputs; ++k) {
    const Parameter& param = k < inputs ? state.in[k] : state.out[k - inputs];
    const Argument none;
    const Dtype dtype = types.dtype_of(param, none);
    unsigned class_ = 0;
    ParamUse use = k < inputs ? ParamUse::scalar : ParamUse::output;
    if (const auto value = computed.value_of(k)) {
      use = ParamUse::computed;
      class_ = *value;
    } else if (k < inputs && args[k].kind == Argument::Kind::array) {
      use = param.is_raw ? ParamUse::raw : ParamUse::input;
      class_ = param.is_raw ? unsigned(args[k].array.ndim) * 2 + args[k].array.is_c_contiguous() : unsigned(space.walks[walk].inner);
      walk += !param.is_raw;
    }
    key.params[k] = ElementKey::param(use, dtype, class_);
  }

  // `_in_ind.size()` and `_out_ind.size()`: how many elements there are, and how many results.
  const auto counts = [&](const char* word) { return mentions_word(state.post_map_expr, word) || mentions_word(state.map_expr, word); };
  const bool sees_sizes = counts("_in_ind") || counts("_out_ind");
  ReductionLaunch& launch = state_->element_plans.find_or(key, [&] {
    ReductionText text;
    text.options = &state.options;
    text.is_narrow = is_narrow;
    text.is_simt = is_simt;
    text.map_expr = state.map_expr;
    text.reduce_expr = state.reduce_expr;
    text.identity = state.neutral;
    Reduction& reduction = text.reduction;
    reduction.kept_rank = static_cast<int>(kept_rank);
    reduction.form = form;
    reduction.value_bytes = value_bytes;
    Loop& loop = reduction.loop;
    loop.rank = static_cast<int>(rank);
    loop.inner = static_cast<int>(space.inner);
    loop.is_reduction = true;
    bool has_complex = is_complex_type(reduce_type), has_raw = false;
    std::string of_computed;
    for (size_t k = 0, walk = 0; k < inputs; ++k) {
      const Parameter& param = state.in[k];
      const std::string type = types.type_of(param, args[k]);
      has_complex |= is_complex_type(type);
      if (const auto value = computed.value_of(k)) {
        of_computed += fmt::format("const {} {} = {};\n", type, param.name, PendingOperands::element(*value, type));
      } else if (args[k].kind != Argument::Kind::array) {
        text.others += fmt::format("const {} {}, ", type, param.name);
      } else if (param.is_raw) {
        has_raw = true;
        std::string declared;
        text.before += raw_array({&param, ParamUse::raw, type, Inner::unit, args[k].array.ndim, args[k].array.is_c_contiguous()}, is_narrow, declared);
        text.others += declared + ", ";
      } else {
        text.inputs += fmt::format("const {}* _m_{}, ", type, param.name);
        loop.operands.push_back({param.name, type, space.walks[walk++].inner});
      }
    }
    const size_t own = loop.operands.size();
    if (computed) {
      text.computed = &computed;
      computed.add_operands(loop);
      text.inputs += computed.parameters().substr(1) + ", ";
      text.before_inputs = computed.before();
    }
    std::string refs;
    for (const Parameter& param : state.out) {
      const std::string type = types.type_of(param, {});
      has_complex |= is_complex_type(type);
      text.others += fmt::format("{}* _m_{}, ", type, param.name);
      refs += fmt::format("{0} &{1} = _m_{1}[_o];", type, param.name);
    }
    if (sees_sizes) {
      has_raw = true;  // their class is in the same header
      text.others += "ptrdiff_t _in_size, ptrdiff_t _out_size, ";
      text.before += "  const CIndexer<1> _in_ind(_in_size), _out_ind(_out_size);\n";
    }
    text.post = fmt::format("{}\n#line 1 \"{} post_map_expr\"\n{};\n#line 1 \"kasoku\"\n", refs, name, state.post_map_expr);
    const auto says = [&](const char* word) { return mentions_word(state.map_expr, word); };
    text.element = [of_output = says("_o") || says("i"), of_number = says("_j") || says("i"), has_index = says("i"), own, of_computed, &computed](const Loop& loop, const Place& place, const std::string& number, const std::string& output) {
      std::string all = computed.values(place, "") + of_computed;
      for (const LoopOperand& x : std::span(loop.operands).first(own)) all += fmt::format("const {} {} = {};\n", x.type, x.name, value_at(loop, x, place));
      if (of_output && output != "_o") all += fmt::format("const ptrdiff_t _o = {};\n", output);
      if (of_number) all += fmt::format("const ptrdiff_t _j = {};\n", number);
      return all + (has_index ? "const ptrdiff_t i = (ptrdiff_t)_o * _length + _j;\n" : "");
    };
    text.head = start_of_reduction(state.options, has_complex, has_raw, types.typedefs()) +
                fmt::format("typedef {} _type_reduce;\n", reduce_type);
    return ReductionLaunch(*device, std::move(text));
  });

  if (n_outputs > 0) {
    for (const Argument& argument : args)
      if (argument.kind == Argument::Kind::array && argument.array.buffer)
        argument.array.buffer->use_on(*stream);
    launch.run(
        *device, *stream, space, form,
        [&](PackedArguments& packed) {
          for (const ArrayRef* array : pointers) packed.add_value(array->data);
          computed.pack(packed, *stream);
        },
        [&](PackedArguments& packed) {
          for (size_t k = 0; k < inputs; ++k) {
            const ArrayRef& array = args[k].array;
            if (args[k].kind != Argument::Kind::array) {
              types.pack_scalar(state.in[k], args[k], packed);
            } else if (state.in[k].is_raw) {
              packed.add_value(array.data);
              packed.add_value(array.size());
              for (int axis = 0; axis < array.ndim; ++axis) {
                packed.add_value(array.shape[axis]);
                packed.add_value(array.strides[axis]);
              }
            }
          }
          for (const Array& result : results) packed.add_value(result.data());
          if (sees_sizes) packed.add_value(space.size()), packed.add_value(n_outputs);
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
