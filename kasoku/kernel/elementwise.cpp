#include "kasoku/kernel/elementwise.h"

#include "kasoku/array/fuse.h"
#include "kasoku/base/text.h"
#include "kasoku/base/words.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/element_state.h"
#include "kasoku/kernel/swapped.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

bool is_walked(const std::string& text, const std::string& name) {
  bool is_used = false;
  for (size_t at = find_word(text, name); at != text.npos; at = find_word(text, name, at + 1)) {
    std::string following;
    for (size_t end = at + name.size(); end < text.size() && following.size() < 3; ++end)
      if (!isspace(static_cast<unsigned char>(text[end]))) following += text[end];
    if (following != "[i]") return false;
    is_used = true;
  }
  return is_used;
}

namespace {

ElementwiseOptions checked(ElementwiseOptions options) {
  check_kernel_name(options.name);
  return options;
}

}  // namespace

ResolvedRange resolve_range(const ElementRange& range, int64_t n, const std::string& name) {
  const int64_t step = range.step.value_or(1);
  if (step == 0) throw Error(ErrorKind::value, name + ": the step of a range cannot be 0");
  int64_t start, stop;
  if (range.is_slice) {
    const int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
    const auto bound = [&](std::optional<int64_t> value, int64_t missing) {
      if (!value) return missing;
      return std::clamp(*value < 0 ? *value + n : *value, low, high);
    };
    start = bound(range.start, step < 0 ? high : low);
    stop = bound(range.stop, step < 0 ? low : high);
  } else {
    if (!range.stop) throw Error(ErrorKind::value, name + ": a range needs its stop");
    start = range.start.value_or(0);
    stop = *range.stop;
  }
  const int64_t distance = step > 0 ? stop - start : start - stop;
  const int64_t stride = step > 0 ? step : -step;
  return {start, step, distance <= 0 ? 0 : (distance + stride - 1) / stride};
}

void ElementLaunch::prepare(Device& on, const Program& program, const ElementwiseOptions& options) {
  device = &on;
  module = with_users_lines(options.locate, [&] { return compile(program, on); });
  function = &module->function(options.name);
  block = function->suggested_block();
  text = program.text;
}

ElementwiseKernel::ElementwiseKernel(std::string_view arguments, std::string operation,
                                     ElementwiseOptions options)
    : ElementwiseKernel(parse_pointer_parameters(arguments), std::move(operation),
                        std::move(options)) {}

ElementwiseKernel::ElementwiseKernel(std::vector<Parameter> arguments, std::string operation,
                                     ElementwiseOptions options)
    : state_(std::make_shared<State>()) {
  state_->in = std::move(arguments);
  state_->operation = std::move(operation);
  state_->options = checked(std::move(options));
  state_->is_over_pointers = true;
  const std::string all = state_->options.loop_prep + "\n" + state_->operation + "\n" +
                          state_->options.after_loop;
  bool has_array = false;
  for (const Parameter& param : state_->in) {
    has_array |= param.is_pointer;
    state_->walked.push_back(param.is_pointer && is_walked(all, param.name));
  }
  if (!has_array)
    throw Error(ErrorKind::value, state_->options.name + " has no array among its arguments")
        .why("the loop runs over the elements of an array")
        .fix("declare one as a pointer: \"float *x\"");
}

ElementwiseKernel::ElementwiseKernel(std::string_view in_params, std::string_view out_params,
                                     std::string operation, ElementwiseOptions options)
    : state_(std::make_shared<State>()) {
  state_->in = parse_element_parameters(in_params);
  state_->out = parse_element_parameters(out_params);
  state_->operation = std::move(operation);
  state_->options = checked(std::move(options));
  for (const Parameter& out : state_->out) {
    if (out.is_const)
      throw Error(ErrorKind::value, "the output " + quote(out.name) + " cannot be const");
    for (const Parameter& in : state_->in)
      if (in.name == out.name)
        throw Error(ErrorKind::value, "two parameters are named " + quote(in.name));
  }
  state_->has_index = mentions(state_->options, state_->operation, "i") || mentions(state_->options, state_->operation, "_ind");
  state_->traits = traits_of(state_->options, state_->operation, state_->out);
}

void ElementwiseKernel::watch() {
  auto watched = std::make_shared<State>();
  static_cast<ElementParts&>(*watched) = *state_;
  watched->options.is_checked = true;
  watched->traits = traits_of(watched->options, watched->operation, watched->out);
  watched->options.device = &device("cpu");
  state_ = std::move(watched);
}

std::vector<Array> ElementwiseKernel::operator()(std::span<const Argument> args,
                                                 const ElementwiseCall& call) const {
  if (call.block_size < 0 || call.block_size > 1024)
    throw Error(ErrorKind::value, fmt::format("{}: block_size is {}", state_->options.name,
                                              call.block_size))
        .why("a block has 1 to 1024 threads");
  if (!state_->is_over_pointers) return call_over_elements(args, call);
  call_over_pointers(args, call);
  return {};
}

void ElementwiseKernel::call_over_pointers(std::span<const Argument> args,
                                           const ElementwiseCall& call) const {
  const State& state = *state_;
  const std::string& name = state.options.name;
  check_count(name, state.in, args.size());
  // The arrays that say how many elements there are, and agree in it.
  const ArrayRef* leader = nullptr;
  size_t leader_index = 0;
  const ArrayRef* first = nullptr;
  for (size_t k = 0; k < args.size(); ++k) {
    const Argument& argument = args[k];
    if (argument.kind != Argument::Kind::array || !state.in[k].is_pointer) continue;
    const ArrayRef& array = argument.array;
    if (!first) first = &array;
    if (!state.walked[k]) continue;
    if (!leader) {
      leader = &array;
      leader_index = k;
    } else if (array.size() != leader->size() && !call.range) {
      throw Error(ErrorKind::value,
                  fmt::format("{}: '{}' has {} elements, '{}' has {}", name, state.in[k].name,
                              array.size(), state.in[leader_index].name, leader->size()))
          .why("the operation takes element i of both")
          .fix("pass arrays of one length, or say which elements: range=slice(0, n)");
    } else if (array.ndim > 1 && leader->ndim > 1 &&
               array.is_c_contiguous() != leader->is_c_contiguous()) {
      throw Error(ErrorKind::value,
                  fmt::format("{}: '{}' and '{}' have their elements in different orders (C and "
                              "Fortran)", name, state.in[leader_index].name, state.in[k].name))
          .fix("copy one of them to the order of the other");
    }
  }
  const ArrayRef* counted = leader ? leader : first;
  if (!counted && !(call.range && !call.range->is_slice))
    throw Error(ErrorKind::value, name + ": how many elements is not known")
        .why("no array is among the arguments, only addresses")
        .fix("give range=slice(0, n)");
  const int64_t n = counted ? counted->size() : 0;
  ResolvedRange range{0, 1, n};
  if (call.range) range = resolve_range(*call.range, n, name);

  Device* const device = &device_for(args, call);
  // Positions are computed in 32 bits where the largest of them fits.
  const int64_t last = range.start + range.step * std::max<int64_t>(range.count - 1, 0);
  const bool is_wide = !takes_gpu_form(*device) || std::max({n, range.count, range.start, last}) >= (int64_t{1} << 31) - 4096;
  const PointerKey key{device, is_wide, call.range.has_value()};
  ElementLaunch& launch = state_->pointer_plans.find_or(key, [&] {
    return ElementLaunch(*device,
                         pointer_program(state.in, state.options, state.operation, is_wide,
                                         key.is_range),
                         state.options);
  });

  const KernelInfo& kernel = launch.function->info();
  PackedArguments packed;
  pack_values(kernel, args, *device, packed);
  if (call.range) {
    packed.add_value(static_cast<int64_t>(range.start));
    packed.add_value(static_cast<int64_t>(range.step));
  }
  if (range.count == 0) return;
  IterationSpace space;
  space.lengths = {range.count};
  const LaunchShape shape = add_launch(space, Schedule::each, call.block_size ? call.block_size : launch.block, 1,
                                       [&](int64_t number) { packed.add_value(number); });
  Stream* stream = call.stream ? call.stream : &device->current_stream();
  for (const Argument& argument : args)
    if (argument.array.buffer) argument.array.buffer->use_on(*stream);
  launch.function->launch(shape, packed.pointers(), *stream);
  check_ends(kernel, args);
  note_launch(kernel, args);
}

Device& ElementwiseKernel::device_for(std::span<const Argument> args,
                                      const ElementwiseCall& call) const {
  return kasoku::device_for(state_->options.name, args, call.stream, {call.device, state_->options.device});
}

bool ElementwiseKernel::is_over_pointers() const { return state_->is_over_pointers; }
const ElementwiseOptions& ElementwiseKernel::options() const { return state_->options; }
const std::vector<Parameter>& ElementwiseKernel::in_params() const { return state_->in; }
const std::vector<Parameter>& ElementwiseKernel::out_params() const { return state_->out; }
const std::string& ElementwiseKernel::operation() const { return state_->operation; }

std::vector<std::string> ElementwiseKernel::texts() const {
  std::vector<std::string> texts;
  state_->pointer_plans.for_each([&](const ElementLaunch& plan) { texts.push_back(plan.text); });
  state_->element_plans.for_each([&](const ElementLaunch& plan) { texts.push_back(plan.text); });
  return texts;
}

}  // namespace kasoku
