/// The call of an ElementwiseKernel over elements: types, shapes, outputs, then a plan.
#include "kasoku/array/fuse.h"
#include "kasoku/base/text.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/element_loop.h"
#include "kasoku/kernel/element_state.h"
#include "kasoku/kernel/typed.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace kasoku {
namespace {


/// Whether two arrays that are not the same elements share memory.
bool overlaps(const ArrayRef& a, const ArrayRef& b) {
  const auto extent = [](const ArrayRef& array, const char*& low, const char*& high) {
    low = high = static_cast<const char*>(array.data);
    for (int i = 0; i < array.ndim; ++i) {
      const int64_t reach = (array.shape[i] - 1) * array.strides[i];
      (reach < 0 ? low : high) += reach;
    }
    high += array.itemsize;
  };
  const char *a_low, *a_high, *b_low, *b_high;
  extent(a, a_low, a_high);
  extent(b, b_low, b_high);
  if (a_high <= b_low || b_high <= a_low) return false;
  const bool is_same = a.data == b.data && a.ndim == b.ndim && a.itemsize == b.itemsize &&
                       std::equal(a.shape, a.shape + a.ndim, b.shape) &&
                       std::equal(a.strides, a.strides + a.ndim, b.strides);
  return !is_same;
}

/// The inputs that are pending, of which the kernel computes what it can; the others are computed now.
PendingOperands operands_computed_there(const ElementParts& kernel, std::span<Argument> args, const PlaceholderTypes& types, const Shape& shape,
                                        Device& device, SeenOperands& seen) {
  std::vector<size_t> pending;
  const bool may_be = kernel.options.options.empty() && !kernel.options.is_checked;  // options may be of arithmetic
  for (size_t k = 0; k < kernel.in.size(); ++k) {
    if (!args[k].pending) continue;
    if (may_be && !kernel.in[k].is_raw && types.dtype_of(kernel.in[k], args[k]) == args[k].dtype && args[k].dtype != Dtype::opaque) pending.push_back(k);
    else args[k] = Argument::to_read(*args[k].pending, true);
  }
  if (pending.empty()) return {};
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  PendingOperands computed(args, pending, shape, order, device, Arithmetic::users, seen);
  for (size_t k = 0; k < args.size() && computed; ++k) {
    const bool may_be_written = k >= kernel.in.size() || kernel.in[k].is_raw;
    if (may_be_written && args[k].kind == Argument::Kind::array && computed.read(args[k].array)) computed.settle(args);
  }
  return computed;
}

}  // namespace

std::vector<Array> ElementwiseKernel::call_over_elements(std::span<const Argument> given,
                                                         const ElementwiseCall& call) const {
  const State& state = *state_;
  const std::string& name = state.options.name;
  const size_t inputs = state.in.size(), outputs = state.out.size(), count = inputs + outputs;
  check_count(name, inputs, outputs, given.size());
  if (state.options.no_return && outputs && given.size() != count)
    throw Error(ErrorKind::value, name + " returns nothing, so its outputs must be passed");
  const auto param = [&](size_t k) -> const Parameter& {
    return k < inputs ? state.in[k] : state.out[k - inputs];
  };
  const auto is_handle = [](const Argument& a) { return a.kind == Argument::Kind::pointer; };
  if (std::ranges::any_of(given.first(inputs), is_handle)) {  // of a texture, say: to a kernel of elements it is a number
    std::vector<Argument> numbers(given.begin(), given.end());
    for (size_t k = 0; k < inputs; ++k)
      if (is_handle(numbers[k]) && !param(k).is_raw) numbers[k] = Argument(reinterpret_cast<uint64_t>(given[k].pointer));
      else if (is_handle(numbers[k])) throw Error(ErrorKind::type, fmt::format("{}: '{}' must be an array, got {}", name, param(k).name, given[k].str()));
    return call_over_elements(numbers, call);
  }
  Device* const device = &device_for(given, call);

  PlaceholderTypes types(name);
  types.resolve(state.in, state.out, given);

  // The shape of the loop.
  const ArrayRef* walked[max_parameters];
  std::string_view names[max_parameters];
  size_t arrays = 0;
  for (size_t k = 0; k < given.size(); ++k) {
    if (given[k].kind != Argument::Kind::array) {
      if (k >= inputs || param(k).is_raw)
        throw Error(ErrorKind::type, fmt::format("{}: '{}' must be an array, got {}", name,
                                                 param(k).name, given[k].str()));
      if (!given[k].is_scalar())
        throw Error(ErrorKind::type,
                    fmt::format("{}: Unsupported type for '{}': {}", name, param(k).name,
                                given[k].str()));
      continue;
    }
    if (given[k].array.is_host && !device->is_host())
      throw Error(ErrorKind::type, fmt::format("{}: '{}' is in host memory, the kernel runs on {}",
                                               name, param(k).name, device->str()))
          .fix("copy it there first: ks.array(x, device='" + device->str() + "')");
    if (k >= inputs && given[k].array.is_read_only)
      throw Error(ErrorKind::value,
                  fmt::format("{}: the output '{}' is read-only", name, param(k).name));
    if (param(k).is_raw) continue;
    walked[arrays] = &given[k].array;
    names[arrays++] = param(k).name;
  }
  size_t input_arrays = 0;
  for (size_t k = 0; k < std::min(inputs, given.size()); ++k)
    input_arrays += given[k].kind == Argument::Kind::array && !param(k).is_raw;
  Shape shape;
  if (call.size >= 0) {
    if (arrays)
      throw Error(ErrorKind::value,
                  "Specified 'size' can be used only if all of the ndarray are 'raw'.")
          .why(name + ": " + quote(names[0]) + " is not raw, so its shape is the loop's");
    shape = {call.size};
  } else if (arrays == 0) {
    throw Error(ErrorKind::value, "Loop size is undecided.")
        .why(name + ": no argument is an array that the loop runs over")
        .fix("give size=n");
  } else {
    shape = broadcast_shape(name, {walked, arrays}, {names, arrays});
    for (size_t k = input_arrays; k < arrays; ++k)
      if (!std::equal(shape.begin(), shape.end(), walked[k]->shape,
                      walked[k]->shape + walked[k]->ndim))
        throw Error(ErrorKind::value, name + ": Out shape is mismatched")
            .why(fmt::format("'{}' does not have the shape of the loop", names[k]))
            .fix("pass an output of the inputs' common shape");
  }

  // Outputs, and all references in parameter order.
  std::vector<Array> results;
  std::vector<Array> copies;  // of inputs that an output would overwrite while they are read
  std::array<Argument, max_parameters> args;
  std::copy(given.begin(), given.end(), args.begin());
  if (given.size() == inputs) {
    results.reserve(outputs);
    for (size_t k = 0; k < outputs; ++k) {
      results.push_back(Array::empty(shape, types.dtype_of_output(state.out[k]), *device));
      args[inputs + k] = Argument(results.back());
    }
  }
  Stream* stream = call.stream ? call.stream : &device->current_stream();
  PendingOperands computed = operands_computed_there(state, {args.data(), count}, types, shape, *device, state_->seen);
  for (size_t k = 0; k < inputs && given.size() == count; ++k)
    for (size_t o = inputs; o < count; ++o)
      if (args[k].kind == Argument::Kind::array && !args[k].pending && !param(k).is_raw && !param(o).is_raw &&
          overlaps(args[k].array, args[o].array)) {
        copies.push_back(contiguous_copy(args[k].array, *device, stream));
        args[k] = Argument(copies.back());
      }

  arrays = 0;
  for (size_t k = 0; k < count; ++k)
    if (args[k].kind == Argument::Kind::array && !param(k).is_raw && !args[k].pending) walked[arrays++] = &args[k].array;
  IterationSpace space = space_over(shape, {walked, arrays});
  const bool is_given = state.traits.sees_axes && !state.options.reduce_dims;
  if (state.has_index) space.walks.push_back({0, contiguous_strides(shape, 1), 1, Walk::index});
  computed.add_walks(space);
  space.arrange(is_given ? AxisOrder::given : state.traits.sees_axes ? AxisOrder::merged : AxisOrder::free);
  if (space.size() == 0) return results;

  ElementKey key;
  key.device = device;
  key.ndim = static_cast<uint8_t>(space.lengths.size());
  key.is_narrow = space.is_narrow;
  key.count = static_cast<uint8_t>(count);
  key.index = static_cast<uint8_t>(state.has_index ? space.walks[arrays].inner : Inner::unit);
  computed.lay_out(space, arrays + state.has_index, space.is_narrow);
  key.computed = computed.key();
  // Along a single axis the threads of a block are vectors too, and of doubles better ones.
  BodyTraits traits = state.traits;
  traits.is_vector &= space.lengths.size() > 1;
  for (size_t k = 0, walk = 0; k < count; ++k) {
    const Parameter& p = param(k);
    const Dtype dtype = types.dtype_of(p, args[k]);
    unsigned class_ = 0;
    ParamUse use = ParamUse::scalar;
    if (p.is_raw) {
      use = ParamUse::raw;
      traits.is_straight = traits.is_vector = false;
      const bool is_contiguous = args[k].array.is_c_contiguous();
      key.is_narrow &= args[k].array.size() < (int64_t{1} << 31);
      class_ = static_cast<unsigned>(args[k].array.ndim) * 2 + is_contiguous;
    } else if (const auto value = computed.value_of(k)) {
      use = ParamUse::computed;
      class_ = *value;
    } else if (args[k].kind == Argument::Kind::array) {
      use = k < inputs ? ParamUse::input : ParamUse::output;
      class_ = static_cast<unsigned>(space.walks[walk++].inner);
    }
    key.params[k] = ElementKey::param(use, dtype, class_);
  }
  const bool is_simt = takes_gpu_form(*device);
  const Schedule schedule = choose_schedule(space, traits, is_simt);
  key.form = static_cast<uint8_t>(schedule);

  ElementLaunch& launch = state_->element_plans.find_or(key, [&] {
    ElementText text;
    text.options = &state.options;
    text.operation = &state.operation;
    const int rank = static_cast<int>(space.lengths.size());
    text.loop = {.operands = {}, .rank = rank, .inner = rank - 1, .schedule = schedule};
    text.index = static_cast<Inner>(key.index);
    text.is_narrow = key.is_narrow;
    text.is_simt = is_simt;
    text.computed = &computed;
    text.typedefs = types.typedefs();
    for (size_t k = 0, walk = 0; k < count; ++k) {
      ElementParam element{&param(k), key.use(k), types.type_of(param(k), args[k])};
      if (element.use == ParamUse::raw) {
        element.ndim = args[k].array.ndim;
        element.is_contiguous = args[k].array.is_c_contiguous();
      } else if (element.use == ParamUse::computed) {
        element.value = *computed.value_of(k);
      } else if (element.use != ParamUse::scalar) {
        element.inner = space.walks[walk++].inner;
      }
      text.params.push_back(std::move(element));
    }
    return ElementLaunch(*device, element_program(text), state.options);
  });

  PackedArguments packed;
  for (size_t k = 0; k < count; ++k) {
    const Parameter& p = param(k);
    const ParamUse use = key.use(k);
    if (use == ParamUse::computed) continue;
    if (use == ParamUse::scalar) {
      types.pack_scalar(p, args[k], packed);
      continue;
    }
    const ArrayRef& array = args[k].array;
    packed.add_value(array.data);
    if (use == ParamUse::raw) {
      packed.add_value(array.size());
      for (int axis = 0; axis < array.ndim; ++axis) {
        packed.add_value(array.shape[axis]);
        packed.add_value(array.strides[axis]);
      }
    }
    if (Buffer* buffer = array.buffer) {
      buffer->use_on(*stream);
      if (k >= inputs) {
        buffer->history.written_by_kernel.store(true, std::memory_order_relaxed);
        buffer->history.zeroed.store(false, std::memory_order_relaxed);
      }
    }
  }
  computed.pack(packed, *stream);
  const auto add = [&](int64_t number) { packed.add_value(number); };
  add_numbers(space, add);
  const LaunchShape launch_shape = add_launch(space, schedule, call.block_size ? call.block_size : launch.block, 1, add);
  launch.function->launch(launch_shape, packed.pointers(), *stream);
  for (size_t k = 0; k < count; ++k)
    if (const Buffer* buffer = args[k].array.buffer) buffer->check_end(state.options.name, param(k).name);
  return results;
}

}  // namespace kasoku
