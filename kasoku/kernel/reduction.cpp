#include "kasoku/kernel/reduction.h"

#include "kasoku/array/fuse.h"
#include "kasoku/base/text.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/reduction_state.h"
#include "kasoku/kernel/typed.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {
namespace {

ReductionOptions checked(ReductionOptions options) {
  check_kernel_name(options.name);
  return options;
}

/// The array whose elements are counted: the first that the map takes by [i] alone, else the first that there is. All that
/// it takes so have the same length, unless a range says which elements are meant.
const ArrayRef& counted_array(const ReductionParts& parts, std::span<const Argument> args, bool is_range) {
  const ArrayRef* first = nullptr;
  const Parameter* leader = nullptr;
  for (size_t k = 0; k < args.size(); ++k) {
    if (args[k].kind != Argument::Kind::array || !parts.in[k].is_pointer) continue;
    const bool is_counted = is_walked(parts.map_expr, parts.in[k].name);
    if (!first || (is_counted && !leader)) first = &args[k].array;
    if (!is_counted) continue;
    if (!leader) {
      leader = &parts.in[k];
    } else if (args[k].array.size() != first->size() && !is_range) {
      throw Error(ErrorKind::value, fmt::format("{}: '{}' has {} elements, '{}' has {}", parts.options.name, parts.in[k].name,
                                                args[k].array.size(), leader->name, first->size()))
          .why("the map takes element i of both");
    }
  }
  if (!first)
    throw Error(ErrorKind::value, parts.options.name + ": how many elements is not known")
        .why("no array is among the arguments, only addresses");
  return *first;
}

size_t value_bytes_of(const ReductionParts& parts) {
  return parts.type.dtype == Dtype::opaque ? 0 : info(parts.type.dtype).size;
}

/// What is reduced over arrays by i, which counts all elements or those of a range.
ReductionText text_over_pointers(const ReductionParts& parts, bool is_range, bool is_narrow, bool is_simt) {
  ReductionText text;
  text.options = &parts.options;
  bool has_complex = is_complex_type(parts.type.text);
  for (const Parameter& param : parts.in) {
    has_complex |= is_complex_type(param.type);
    text.inputs += declaration(param) + ", ";
  }
  if (is_range) text.inputs += "long _range_start, long _range_step, ";
  text.head = start_of_reduction(parts.options, has_complex, false) +
              fmt::format("typedef {} _type_reduce;\n", parts.type.text);
  text.map_expr = parts.map_expr;
  text.reduce_expr = parts.reduce_expr;
  text.identity = parts.neutral;
  text.others = "_type_reduce* _out, ";
  text.element = [is_range](const Loop&, const Place&, const std::string& number, const std::string&) {
    return is_range ? fmt::format("const long i = _range_start + (long)({}) * _range_step; (void)i;\n", number)
                    : fmt::format("const size_t i = (size_t)({}); (void)i;\n", number);
  };
  text.post = "_out[_o] = a";
  text.is_narrow = is_narrow;
  text.is_simt = is_simt;
  text.reduction.loop.is_reduction = true;
  text.reduction.value_bytes = value_bytes_of(parts);
  return text;
}

}  // namespace

std::string start_of_reduction(const ReductionOptions& options, bool has_complex, bool has_raw,
                               const std::string& typedefs) {
  std::string head;
  if (has_complex) head += "#include <pycuda-complex.hpp>\n";
  if (has_raw) head += "#include <cupy/carray.cuh>\n#include <cupy/atomics.cuh>\n";
  head += typedefs;
  if (!options.preamble.empty())
    head += fmt::format("#line 1 \"{} preamble\"\n{}\n#line 1 \"kasoku\"\n", options.name,
                        options.preamble);
  return head;
}

bool is_complex_type(std::string_view type) { return type.find("complex") != type.npos; }

Error nothing_to_reduce(const std::string& name) {
  return Error(ErrorKind::value, name + ": there are no elements to reduce")
      .why("the reduction has no identity that could be the result");
}

ReductionLaunch::ReductionLaunch(Device& device, ReductionText reduction) {
  const std::string& name = reduction.options->name;
  const Locator& locate = reduction.options->locate;
  is_simt = reduction.is_simt;
  value_bytes = reduction.reduction.value_bytes;
  const Program program = reduction_program(std::move(reduction));
  module = with_users_lines(locate, [&] { return compile(program, device); });
  chunks = &module->function(name);
  partials = &module->function(name + "_partials");
  size = partials->info().params.empty() ? 0 : partials->info().params[0].element_size;
  text = program.text;
}

ReductionKernel::ReductionKernel(KernelType out, std::string neutral, std::string reduce_expr,
                                 std::string map_expr, std::vector<Parameter> arguments,
                                 ReductionOptions options)
    : state_(std::make_shared<State>()) {
  State& state = *state_;
  state.is_over_pointers = true;
  state.type = std::move(out);
  state.in = std::move(arguments);
  state.neutral = std::move(neutral);
  state.reduce_expr = std::move(reduce_expr);
  state.options = checked(std::move(options));
  const auto first = std::find_if(state.in.begin(), state.in.end(),
                                  [](const Parameter& p) { return p.is_pointer; });
  if (first == state.in.end())
    throw Error(ErrorKind::value, state.options.name + " has no array among its arguments")
        .fix("declare one as a pointer: \"float *x\"");
  state.map_expr = map_expr.empty() ? first->name + "[i]" : std::move(map_expr);
}

ReductionKernel::ReductionKernel(std::string_view in_params, std::string_view out_params,
                                 std::string map_expr, std::string reduce_expr,
                                 std::string post_map_expr, std::string identity,
                                 std::string reduce_type, ReductionOptions options)
    : state_(std::make_shared<State>()) {
  State& state = *state_;
  state.in = parse_element_parameters(in_params);
  state.out = parse_element_parameters(out_params);
  state.map_expr = std::move(map_expr);
  state.reduce_expr = std::move(reduce_expr);
  state.post_map_expr = std::move(post_map_expr);
  state.neutral = std::move(identity);
  state.reduce_type = std::move(reduce_type);
  state.options = checked(std::move(options));
  if (state.out.empty())
    throw Error(ErrorKind::value, state.options.name + " has no output")
        .fix("declare one: \"T y\"");
}

bool ReductionKernel::is_over_pointers() const { return state_->is_over_pointers; }
const std::string& ReductionKernel::name() const { return state_->options.name; }
size_t ReductionKernel::inputs() const { return state_->in.size(); }
const ReductionOptions& ReductionKernel::options() const { return state_->options; }
const std::vector<Parameter>& ReductionKernel::in_params() const { return state_->in; }
const std::vector<Parameter>& ReductionKernel::out_params() const { return state_->out; }

void ReductionKernel::watch() {
  auto watched = std::make_shared<State>();
  static_cast<ReductionParts&>(*watched) = *state_;
  watched->options.is_checked = true;
  watched->options.device = &device("cpu");
  state_ = std::move(watched);
}

std::vector<std::string> ReductionKernel::texts() const {
  std::vector<std::string> texts;
  state_->pointer_plans.for_each([&](const ReductionLaunch& plan) { texts.push_back(plan.text); });
  state_->element_plans.for_each([&](const ReductionLaunch& plan) { texts.push_back(plan.text); });
  return texts;
}

std::vector<Array> ReductionKernel::operator()(std::span<const Argument> args,
                                               const ReductionCall& call) const {
  return state_->is_over_pointers ? reduce_pointers(args, call) : reduce_elements(args, call);
}

std::vector<Array> ReductionKernel::reduce_pointers(std::span<const Argument> args,
                                                    const ReductionCall& call) const {
  const State& state = *state_;
  const std::string& name = state.options.name;
  check_count(name, state.in, args.size());
  const ArrayRef& counted = counted_array(state, args, call.range.has_value());
  Device* device = &device_for(name, args, call.stream, {call.device, state.options.device});
  Stream* stream = call.stream ? call.stream : &device->current_stream();
  ResolvedRange range{0, 1, counted.size()};
  if (call.range) range = resolve_range(*call.range, counted.size(), name);
  IterationSpace space{.lengths = {range.count}, .kept = 0, .walks = {}};
  const bool is_simt = takes_gpu_form(*device);
  const ReduceForm form = reduce_form(space, value_bytes_of(state), is_simt);
  const bool is_narrow = std::max(range.count, counted.size()) < (int64_t{1} << 31);

  ReductionLaunch& launch = state_->pointer_plans.find_or({device, is_narrow, call.range.has_value(), is_simt}, [&] {
    return ReductionLaunch(*device, text_over_pointers(state, call.range.has_value(), is_narrow, is_simt));
  });

  Array out = call.out ? *call.out
                       : Array::empty({}, state.type.dtype, *device,
                                      state.type.dtype == Dtype::opaque ? state.type.size : 0);
  if (out.size() != 1 || out.itemsize() != launch.size)
    throw Error(ErrorKind::value, name + ": out must have one element of the result's dtype");
  if (range.count == 0 && state.neutral.empty()) throw nothing_to_reduce(name);
  PackedArguments checked_values;
  pack_values(launch.chunks->info(), args, *device, checked_values);
  for (const Argument& argument : args)
    if (argument.kind == Argument::Kind::array && argument.array.buffer)
      argument.array.buffer->use_on(*stream);
  launch.run(
      *device, *stream, space, form,
      [&](PackedArguments& packed) {
        for (size_t k = 0; k < checked_values.count(); ++k)
          packed.add_outside(checked_values.pointers()[k]);
        if (!call.range) return;
        packed.add_value(range.start);
        packed.add_value(range.step);
      },
      [&](PackedArguments& packed) { packed.add_value(out.data()); });
  return {out};
}

}  // namespace kasoku
