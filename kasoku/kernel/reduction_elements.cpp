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

/// One call, stage by stage: each sets what the ones behind it read.
class ElementReduction {
 public:
  ElementReduction(const ReductionParts& kernel, SeenOperands& seen, const ReductionCall& call)
      : kernel_(kernel), name_(kernel.options.name), call_(call), inputs_(kernel.in.size()), outputs_(kernel.out.size()), seen_(seen), types_(name_) {}

  std::vector<Array> run(std::span<const Argument> given, GrowingList<ElementKey, ReductionLaunch>& plans) {
    take(given);
    check_inputs();
    find_shapes();
    lay_out();
    make_results();
    choose_form();
    const ElementKey key = key_of_plan();
    ReductionLaunch& plan = plans.find_or(key, [&] { return ReductionLaunch(*device_, text()); });
    if (product(out_shape_) > 0) launch(plan);
    if (args_.size() == inputs_) return results_;
    store_results();
    return passed_;
  }

 private:
  bool is_array(size_t k) const { return args_[k].kind == Argument::Kind::array; }

  void take(std::span<const Argument> given) {
    check_count(name_, inputs_, outputs_, given.size());
    if (call_.out && given.size() != inputs_) throw Error(ErrorKind::value, name_ + ": the output is given twice");
    args_.assign(given.begin(), given.end());
    if (call_.out) {
      passed_.push_back(*call_.out);
      args_.push_back(Argument(passed_[0]));
      if (outputs_ != 1) throw Error(ErrorKind::value, name_ + " has several outputs").fix("pass them by position");
    }
    device_ = &device_for(name_, args_, call_.stream, {call_.device, kernel_.options.device});
    stream_ = call_.stream ? call_.stream : &device_->current_stream();
    types_.resolve(kernel_.in, kernel_.out, args_);
  }

  void check_inputs() {
    for (size_t k = 0; k < inputs_; ++k) {
      if (is_array(k) && args_[k].array.is_host && !device_->is_host())
        throw Error(ErrorKind::type, fmt::format("{}: '{}' is in host memory, the kernel runs on {}", name_, kernel_.in[k].name, device_->str()));
      if (is_array(k) && !kernel_.in[k].is_raw)
        walked_.push_back(k);
      else if (!is_array(k) && (!args_[k].is_scalar() || kernel_.in[k].is_raw))
        throw Error(ErrorKind::type, fmt::format("{}: '{}' must be an array, got {}", name_, kernel_.in[k].name, args_[k].str()));
    }
    if (walked_.empty()) throw Error(ErrorKind::value, name_ + ": Loop size is undecided.").why("no argument is an array that is reduced");
  }

  void find_shapes() {
    std::vector<const ArrayRef*> arrays;
    std::vector<std::string_view> names;
    for (size_t k : walked_) {
      arrays.push_back(&args_[k].array);
      names.push_back(kernel_.in[k].name);
    }
    shape_ = broadcast_shape(name_, arrays, names);
    reduced_ = reduced_axes(call_.axes, static_cast<int>(shape_.size()), name_);
    for (size_t axis = 0; axis < shape_.size(); ++axis)
      if (!reduced_[axis] || call_.keepdims) out_shape_.push_back(reduced_[axis] ? 1 : shape_[axis]);
  }

  /// The loop's space, over what is in memory and what is computed in the kernel.
  void lay_out() {
    std::vector<size_t> pending, order;
    for (const bool is_reduced : {false, true})
      for (size_t axis = 0; axis < shape_.size(); ++axis)
        if (reduced_[axis] == is_reduced) order.push_back(axis);
    const bool may_be_computed = kernel_.options.options.empty() && !kernel_.options.is_checked;
    for (size_t k = 0; k < inputs_; ++k) {
      if (!args_[k].pending) continue;
      const bool has_own_dtype = types_.dtype_of(kernel_.in[k], args_[k]) == args_[k].dtype && args_[k].dtype != Dtype::opaque;
      if (may_be_computed && !kernel_.in[k].is_raw && has_own_dtype) pending.push_back(k);
      else args_[k] = Argument::to_read(*args_[k].pending, true);
    }
    computed_ = PendingOperands(args_, pending, shape_, order, *device_, Arithmetic::ours, seen_);
    for (size_t k = 0; k < inputs_ && computed_; ++k)
      if (kernel_.in[k].is_raw && is_array(k) && computed_.read(args_[k].array)) computed_.settle(args_);
    for (size_t k : walked_)
      if (!args_[k].pending) pointers_.push_back(&args_[k].array);
    space_ = kept_first(space_over(shape_, pointers_), reduced_);
    computed_.add_walks(space_);
    space_.arrange(AxisOrder::merged);
  }

  /// In C order: those that are passed may have other strides, and get copies.
  void make_results() {
    for (size_t k = 0; k < outputs_; ++k) {
      if (args_.size() > inputs_) {
        const ArrayRef& array = args_[inputs_ + k].array;
        if (!is_array(inputs_ + k) || !std::equal(out_shape_.begin(), out_shape_.end(), array.shape, array.shape + array.ndim))
          throw Error(ErrorKind::value, name_ + ": Out shape is mismatched").why(fmt::format("'{}' must have the shape of the result", kernel_.out[k].name));
      }
      results_.push_back(Array::empty(out_shape_, types_.dtype_of_output(kernel_.out[k]), *device_));
    }
    if (space_.size() == 0 && kernel_.neutral.empty() && product(out_shape_) > 0) throw nothing_to_reduce(name_);
  }

  void choose_form() {
    // A dtype's name, or a type or placeholder of the text.
    Dtype reduce_dtype = types_.dtype_of(kernel_.out[0], {});
    reduce_type_ = types_.type_of(kernel_.out[0], {});
    if (!kernel_.reduce_type.empty()) {
      const std::optional<Dtype> dtype = dtype_from_name(kernel_.reduce_type);
      reduce_dtype = dtype.value_or(dtype_from_c(kernel_.reduce_type).value_or(Dtype::opaque));
      reduce_type_ = reduce_dtype == Dtype::opaque || !dtype ? kernel_.reduce_type : c_type(reduce_dtype);
    }
    value_bytes_ = reduce_dtype == Dtype::opaque ? 0 : info(reduce_dtype).size;
    is_simt_ = takes_gpu_form(*device_);
    form_ = reduce_form(space_, value_bytes_, is_simt_);
    is_narrow_ = space_.is_narrow;
    for (const Argument& argument : args_)
      if (argument.kind == Argument::Kind::array) is_narrow_ &= argument.array.size() < narrow_limit;
    computed_.lay_out(space_, pointers_.size(), is_narrow_);
    // `_in_ind.size()` and `_out_ind.size()`: how many elements there are, and how many results.
    const auto says = [&](const char* word) { return mentions_word(kernel_.post_map_expr, word) || mentions_word(kernel_.map_expr, word); };
    sees_sizes_ = says("_in_ind") || says("_out_ind");
  }

  size_t rank() const { return space_.lengths.size(); }
  size_t kept_rank() const { return std::min(space_.kept, rank()); }

  ElementKey key_of_plan() const {
    ElementKey key;
    key.device = device_;
    key.is_narrow = is_narrow_;
    key.ndim = static_cast<uint8_t>(rank());
    key.index = static_cast<uint8_t>(kept_rank());
    key.form = static_cast<uint8_t>(unsigned(form_) * 2 + is_simt_);
    key.along = static_cast<uint8_t>(space_.inner);
    key.computed = computed_.key();
    key.count = static_cast<uint8_t>(inputs_ + outputs_);
    for (size_t k = 0, walk = 0; k < inputs_ + outputs_; ++k) {
      const Parameter& param = k < inputs_ ? kernel_.in[k] : kernel_.out[k - inputs_];
      unsigned class_ = 0;
      ParamUse use = k < inputs_ ? ParamUse::scalar : ParamUse::output;
      if (const auto value = computed_.value_of(k)) {
        use = ParamUse::computed;
        class_ = *value;
      } else if (k < inputs_ && is_array(k)) {
        use = param.is_raw ? ParamUse::raw : ParamUse::input;
        class_ = param.is_raw ? unsigned(args_[k].array.ndim) * 2 + args_[k].array.is_c_contiguous() : unsigned(space_.walks[walk].inner);
        walk += !param.is_raw;
      }
      key.params[k] = ElementKey::param(use, types_.dtype_of(param, {}), class_);
    }
    return key;
  }

  ReductionText text() {
    ReductionText text;
    text.options = &kernel_.options;
    text.is_narrow = is_narrow_;
    text.is_simt = is_simt_;
    text.map_expr = kernel_.map_expr;
    text.reduce_expr = kernel_.reduce_expr;
    text.identity = kernel_.neutral;
    text.reduction.kept_rank = static_cast<int>(kept_rank());
    text.reduction.form = form_;
    text.reduction.value_bytes = value_bytes_;
    Loop& loop = text.reduction.loop;
    loop.rank = static_cast<int>(rank());
    loop.inner = static_cast<int>(space_.inner);
    loop.is_reduction = true;
    bool has_complex = is_complex_type(reduce_type_), has_raw = sees_sizes_;  // their class is in the header of raw arrays
    std::string of_computed, refs;
    for (size_t k = 0, walk = 0; k < inputs_; ++k) {
      const Parameter& param = kernel_.in[k];
      const std::string type = types_.type_of(param, args_[k]);
      has_complex |= is_complex_type(type);
      if (const auto value = computed_.value_of(k)) {
        of_computed += fmt::format("const {} {} = {};\n", type, param.name, PendingOperands::element(*value, type));
      } else if (!is_array(k)) {
        text.others += fmt::format("const {} {}, ", type, param.name);
      } else if (param.is_raw) {
        has_raw = true;
        std::string declared;
        text.before += raw_array({&param, ParamUse::raw, type, Inner::unit, args_[k].array.ndim, args_[k].array.is_c_contiguous()}, is_narrow_, declared);
        text.others += declared + ", ";
      } else {
        text.inputs += fmt::format("const {}* _m_{}, ", type, param.name);
        loop.operands.push_back({param.name, type, space_.walks[walk++].inner});
      }
    }
    const size_t own = loop.operands.size();
    if (computed_) {
      text.computed = &computed_;
      computed_.add_operands(loop);
      text.inputs += computed_.parameters().substr(1) + ", ";
      text.before_inputs = computed_.before();
    }
    for (const Parameter& param : kernel_.out) {
      const std::string type = types_.type_of(param, {});
      has_complex |= is_complex_type(type);
      text.others += fmt::format("{}* _m_{}, ", type, param.name);
      refs += fmt::format("{0} &{1} = _m_{1}[_o];", type, param.name);
    }
    if (sees_sizes_) {
      text.others += "ptrdiff_t _in_size, ptrdiff_t _out_size, ";
      text.before += "  const CIndexer<1> _in_ind(_in_size), _out_ind(_out_size);\n";
    }
    text.post = fmt::format("{}\n#line 1 \"{} post_map_expr\"\n{};\n#line 1 \"kasoku\"\n", refs, name_, kernel_.post_map_expr);
    const auto says = [&](const char* word) { return mentions_word(kernel_.map_expr, word); };
    text.element = [of_output = says("_o") || says("i"), of_number = says("_j") || says("i"), has_index = says("i"), own, of_computed, this](const Loop& loop, const Place& place, const std::string& number, const std::string& output) {
      std::string all = computed_.values(place, "") + of_computed;
      for (const LoopOperand& x : std::span(loop.operands).first(own)) all += fmt::format("const {} {} = {};\n", x.type, x.name, value_at(loop, x, place));
      if (of_output && output != "_o") all += fmt::format("const ptrdiff_t _o = {};\n", output);
      if (of_number) all += fmt::format("const ptrdiff_t _j = {};\n", number);
      return all + (has_index ? "const ptrdiff_t i = (ptrdiff_t)_o * _length + _j;\n" : "");
    };
    text.head = start_of_reduction(kernel_.options, has_complex, has_raw, types_.typedefs()) + fmt::format("typedef {} _type_reduce;\n", reduce_type_);
    return text;
  }

  void launch(const ReductionLaunch& plan) {
    for (const Argument& argument : args_)
      if (argument.kind == Argument::Kind::array && argument.array.buffer) argument.array.buffer->use_on(*stream_);
    plan.run(
        *device_, *stream_, space_, form_,
        [&](PackedArguments& packed) {
          for (const ArrayRef* array : pointers_) packed.add_value(array->data);
          computed_.pack(packed, *stream_);
        },
        [&](PackedArguments& packed) {
          for (size_t k = 0; k < inputs_; ++k) {
            const ArrayRef& array = args_[k].array;
            if (!is_array(k)) {
              types_.pack_scalar(kernel_.in[k], args_[k], packed);
            } else if (kernel_.in[k].is_raw) {
              packed.add_value(array.data);
              packed.add_value(array.size());
              for (int axis = 0; axis < array.ndim; ++axis) {
                packed.add_value(array.shape[axis]);
                packed.add_value(array.strides[axis]);
              }
            }
          }
          for (const Array& result : results_) packed.add_value(result.data());
          if (sees_sizes_) packed.add_value(space_.size()), packed.add_value(product(out_shape_));
        });
  }

  void store_results() const {
    static const ElementwiseKernel copy("T x", "T y", "y = x");
    ElementwiseCall call;
    call.stream = stream_;
    for (size_t k = 0; k < outputs_; ++k) copy({Argument(results_[k]), args_[inputs_ + k]}, call);
  }

  const ReductionParts& kernel_;
  const std::string& name_;
  const ReductionCall& call_;
  const size_t inputs_, outputs_;
  SeenOperands& seen_;
  PlaceholderTypes types_;
  std::vector<Argument> args_;
  std::vector<Array> passed_, results_;
  Device* device_ = nullptr;
  Stream* stream_ = nullptr;
  std::vector<size_t> walked_;  ///< inputs that the loop runs over
  Shape shape_, out_shape_;
  std::vector<bool> reduced_;
  PendingOperands computed_;
  std::vector<const ArrayRef*> pointers_;  ///< of `walked_` those in memory
  IterationSpace space_;
  std::string reduce_type_;
  size_t value_bytes_ = 0;
  ReduceForm form_{};
  bool is_simt_ = false, is_narrow_ = false, sees_sizes_ = false;
};

}  // namespace

std::vector<Array> ReductionKernel::reduce_elements(std::span<const Argument> given, const ReductionCall& call) const {
  return ElementReduction(*state_, state_->seen, call).run(given, state_->element_plans);
}

}  // namespace kasoku
