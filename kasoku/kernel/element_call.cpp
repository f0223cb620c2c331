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
#include <array>
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

bool is_handle(const Argument& a) { return a.kind == Argument::Kind::pointer; }

/// One call over elements, from the arguments to the launch.
class OverElements {
 public:
  OverElements(const ElementParts& kernel, std::span<const Argument> given, const ElementwiseCall& call, Device& device)
      : kernel_(kernel), name_(kernel.options.name), call_(call), device_(device), stream_(call.stream ? call.stream : &device.current_stream()),
        inputs_(kernel.in.size()), count_(kernel.in.size() + kernel.out.size()), given_(given.size()), types_(name_) {
    types_.resolve(kernel.in, kernel.out, given);
    std::copy(given.begin(), given.end(), args_.begin());
  }

  std::vector<Array> run(GrowingList<ElementKey, ElementLaunch>& plans, SeenOperands& seen) {
    check_arguments();
    shape_ = shape_of_loop();
    std::vector<Array> results = make_outputs();
    PendingOperands computed = operands_computed_there(kernel_, {args_.data(), count_}, types_, shape_, device_, seen);
    copy_what_is_overwritten();
    IterationSpace space = space_of_loop(computed);
    if (space.size() == 0) return results;

    BodyTraits traits = kernel_.traits;
    ElementKey key = key_of(space, computed, traits);
    const bool is_simt = takes_gpu_form(device_);
    const Schedule schedule = choose_schedule(space, traits, is_simt);
    key.form = static_cast<uint8_t>(schedule);
    ElementLaunch& launch = plans.find_or(key, [&] { return ElementLaunch(device_, element_program(text_of(key, space, computed, schedule, is_simt)), kernel_.options); });

    PackedArguments packed;
    pack(key, packed);
    computed.pack(packed, *stream_);
    const auto add = [&](int64_t number) { packed.add_value(number); };
    add_numbers(space, add);
    const LaunchShape shape = add_launch(space, schedule, call_.block_size ? call_.block_size : launch.block, 1, add);
    launch.function->launch(shape, packed.pointers(), *stream_);
    for (size_t k = 0; k < count_; ++k)
      if (const Buffer* buffer = args_[k].array.buffer) buffer->check_end(name_, param(k).name);
    return results;
  }

 private:
  const Parameter& param(size_t k) const { return k < inputs_ ? kernel_.in[k] : kernel_.out[k - inputs_]; }
  bool is_array(size_t k) const { return args_[k].kind == Argument::Kind::array; }
  /// Whether the loop goes over its elements.
  bool is_walked(size_t k) const { return is_array(k) && !param(k).is_raw; }

  void check_arguments() const {
    for (size_t k = 0; k < given_; ++k) {
      const Argument& argument = args_[k];
      const std::string& name = param(k).name;
      if (!is_array(k) && (k >= inputs_ || param(k).is_raw))
        throw Error(ErrorKind::type, fmt::format("{}: '{}' must be an array, got {}", name_, name, argument.str()));
      if (!is_array(k) && !argument.is_scalar())
        throw Error(ErrorKind::type, fmt::format("{}: Unsupported type for '{}': {}", name_, name, argument.str()));
      if (!is_array(k)) continue;
      if (argument.array.is_host && !device_.is_host())
        throw Error(ErrorKind::type, fmt::format("{}: '{}' is in host memory, the kernel runs on {}", name_, name, device_.str()))
            .fix("copy it there first: ks.array(x, device='" + device_.str() + "')");
      if (k >= inputs_ && argument.array.is_read_only)
        throw Error(ErrorKind::value, fmt::format("{}: the output '{}' is read-only", name_, name));
    }
  }

  Shape shape_of_loop() const {
    const ArrayRef* walked[max_parameters];
    std::string_view names[max_parameters];
    size_t arrays = 0, input_arrays = 0;
    for (size_t k = 0; k < given_; ++k) {
      if (!is_walked(k)) continue;
      walked[arrays] = &args_[k].array;
      names[arrays++] = param(k).name;
      input_arrays += k < inputs_;
    }
    if (call_.size >= 0) {
      if (arrays)
        throw Error(ErrorKind::value, "Specified 'size' can be used only if all of the ndarray are 'raw'.")
            .why(name_ + ": " + quote(names[0]) + " is not raw, so its shape is the loop's");
      return {call_.size};
    }
    if (arrays == 0)
      throw Error(ErrorKind::value, "Loop size is undecided.").why(name_ + ": no argument is an array that the loop runs over").fix("give size=n");
    Shape shape = broadcast_shape(name_, {walked, arrays}, {names, arrays});
    for (size_t k = input_arrays; k < arrays; ++k)
      if (!std::equal(shape.begin(), shape.end(), walked[k]->shape, walked[k]->shape + walked[k]->ndim))
        throw Error(ErrorKind::value, name_ + ": Out shape is mismatched")
            .why(fmt::format("'{}' does not have the shape of the loop", names[k]))
            .fix("pass an output of the inputs' common shape");
    return shape;
  }

  /// Where none were passed.
  std::vector<Array> make_outputs() {
    std::vector<Array> made;
    if (given_ != inputs_) return made;
    made.reserve(count_ - inputs_);
    for (size_t k = inputs_; k < count_; ++k) {
      made.push_back(Array::empty(shape_, types_.dtype_of_output(param(k)), device_));
      args_[k] = Argument(made.back());
    }
    return made;
  }

  /// Inputs that an output would overwrite while they are read are read elsewhere.
  void copy_what_is_overwritten() {
    for (size_t k = 0; k < inputs_ && given_ == count_; ++k)
      for (size_t o = inputs_; o < count_; ++o)
        if (is_walked(k) && !args_[k].pending && !param(o).is_raw && overlaps(args_[k].array, args_[o].array)) {
          copies_.push_back(contiguous_copy(args_[k].array, device_, stream_));
          args_[k] = Argument(copies_.back());
        }
  }

  IterationSpace space_of_loop(PendingOperands& computed) const {
    const ArrayRef* walked[max_parameters];
    size_t arrays = 0;
    for (size_t k = 0; k < count_; ++k)
      if (is_walked(k) && !args_[k].pending) walked[arrays++] = &args_[k].array;
    IterationSpace space = space_over(shape_, {walked, arrays});
    const bool is_given = kernel_.traits.sees_axes && !kernel_.options.reduce_dims;
    if (kernel_.has_index) space.walks.push_back({0, contiguous_strides(shape_, 1), 1, Walk::index});
    computed.add_walks(space);
    space.arrange(is_given ? AxisOrder::given : kernel_.traits.sees_axes ? AxisOrder::merged : AxisOrder::free);
    if (space.size() > 0) computed.lay_out(space, arrays + kernel_.has_index, space.is_narrow);
    return space;
  }

  /// All of it but the form of the loop, which depends on the traits that are found here.
  ElementKey key_of(const IterationSpace& space, PendingOperands& computed, BodyTraits& traits) const {
    ElementKey key;
    key.device = &device_;
    key.ndim = static_cast<uint8_t>(space.lengths.size());
    key.is_narrow = space.is_narrow;
    key.count = static_cast<uint8_t>(count_);
    key.computed = computed.key();
    size_t walk = 0;
    int64_t bytes = 0;  // of one element of each array
    for (size_t k = 0; k < count_; ++k) {
      unsigned class_ = 0;
      ParamUse use = ParamUse::scalar;
      if (param(k).is_raw) {
        use = ParamUse::raw;
        traits.is_straight = traits.is_vector = false;
        key.is_narrow &= args_[k].array.size() < (int64_t{1} << 31);
        class_ = static_cast<unsigned>(args_[k].array.ndim) * 2 + args_[k].array.is_c_contiguous();
      } else if (const auto value = computed.value_of(k)) {
        use = ParamUse::computed;
        class_ = *value;
      } else if (is_array(k)) {
        use = k < inputs_ ? ParamUse::input : ParamUse::output;
        class_ = static_cast<unsigned>(space.walks[walk++].inner);
        bytes += static_cast<int64_t>(args_[k].array.itemsize);
      }
      key.params[k] = ElementKey::param(use, types_.dtype_of(param(k), args_[k]), class_);
    }
    // Along a single axis the threads of a block are vectors too, and of doubles better ones; chunks alone pass the caches.
    traits.is_vector &= space.lengths.size() > 1 || (traits.assigns_first && bytes * space.size() >= bytes_past_caches);
    key.index = static_cast<uint8_t>(kernel_.has_index ? space.walks[walk].inner : Inner::unit);
    return key;
  }

  ElementText text_of(const ElementKey& key, const IterationSpace& space, PendingOperands& computed, Schedule schedule, bool is_simt) const {
    ElementText text;
    text.options = &kernel_.options;
    text.operation = &kernel_.operation;
    const int rank = static_cast<int>(space.lengths.size());
    text.loop = {.operands = {}, .rank = rank, .inner = rank - 1, .schedule = schedule};
    text.index = static_cast<Inner>(key.index);
    text.is_narrow = key.is_narrow;
    text.is_simt = is_simt;
    text.computed = &computed;
    text.typedefs = types_.typedefs();
    for (size_t k = 0, walk = 0; k < count_; ++k) {
      ElementParam element{&param(k), key.use(k), types_.type_of(param(k), args_[k])};
      if (element.use == ParamUse::raw) {
        element.ndim = args_[k].array.ndim;
        element.is_contiguous = args_[k].array.is_c_contiguous();
      } else if (element.use == ParamUse::computed) {
        element.value = *computed.value_of(k);
      } else if (element.use != ParamUse::scalar) {
        element.inner = space.walks[walk++].inner;
      }
      text.params.push_back(std::move(element));
    }
    return text;
  }

  void pack(const ElementKey& key, PackedArguments& packed) const {
    for (size_t k = 0; k < count_; ++k) {
      const ParamUse use = key.use(k);
      if (use == ParamUse::computed) continue;
      if (use == ParamUse::scalar) {
        types_.pack_scalar(param(k), args_[k], packed);
        continue;
      }
      const ArrayRef& array = args_[k].array;
      packed.add_value(array.data);
      if (use == ParamUse::raw) {
        packed.add_value(array.size());
        for (int axis = 0; axis < array.ndim; ++axis) {
          packed.add_value(array.shape[axis]);
          packed.add_value(array.strides[axis]);
        }
      }
      if (Buffer* buffer = array.buffer) {
        buffer->use_on(*stream_);
        if (k >= inputs_) {
          buffer->history.written_by_kernel.store(true, std::memory_order_relaxed);
          buffer->history.zeroed.store(false, std::memory_order_relaxed);
        }
      }
    }
  }

  const ElementParts& kernel_;
  const std::string& name_;
  const ElementwiseCall& call_;
  Device& device_;
  Stream* const stream_;
  const size_t inputs_, count_, given_;  ///< parameters that are read, all of them, and arguments
  PlaceholderTypes types_;
  std::array<Argument, max_parameters> args_;
  Shape shape_;
  std::vector<Array> copies_;
};

}  // namespace

std::vector<Array> ElementwiseKernel::call_over_elements(std::span<const Argument> given,
                                                         const ElementwiseCall& call) const {
  const ElementParts& kernel = *state_;
  const std::string& name = kernel.options.name;
  const size_t inputs = kernel.in.size(), outputs = kernel.out.size();
  check_count(name, inputs, outputs, given.size());
  if (kernel.options.no_return && outputs && given.size() != inputs + outputs)
    throw Error(ErrorKind::value, name + " returns nothing, so its outputs must be passed");
  std::vector<Argument> numbers;
  if (std::ranges::any_of(given.first(inputs), is_handle)) {  // of a texture, say: to a kernel of elements it is a number
    numbers.assign(given.begin(), given.end());
    for (size_t k = 0; k < inputs; ++k)
      if (is_handle(numbers[k]) && !kernel.in[k].is_raw) numbers[k] = Argument(reinterpret_cast<uint64_t>(given[k].pointer));
      else if (is_handle(numbers[k])) throw Error(ErrorKind::type, fmt::format("{}: '{}' must be an array, got {}", name, kernel.in[k].name, given[k].str()));
    given = numbers;
  }
  return OverElements(kernel, given, call, device_for(given, call)).run(state_->element_plans, state_->seen);
}

}  // namespace kasoku
