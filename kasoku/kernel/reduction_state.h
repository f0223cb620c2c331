/// \file kasoku/kernel/reduction_state.h
/// What a ReductionKernel keeps between calls, and the launches that both spellings share.
#pragma once

#include "kasoku/base/rounding.h"
#include "kasoku/codegen/reductions.h"
#include "kasoku/device/module.h"
#include "kasoku/kernel/element_state.h"
#include "kasoku/kernel/growing_list.h"
#include "kasoku/kernel/reduction_text.h"

namespace kasoku {

struct ReductionLaunch {
  std::shared_ptr<Module> module;
  Function *chunks, *partials;
  bool is_simt;
  size_t size;       ///< bytes of a _type_reduce
  size_t value_bytes;  ///< as far as the text's form was chosen by it
  std::string text;

  ReductionLaunch(Device& device, ReductionText text);
  /// Reduces a space. The two callbacks add what inputs and others declare.
  template <class AddInputs, class AddOthers>
  void run(Device& device, Stream& stream, const IterationSpace& space, ReduceForm form, const AddInputs& add_inputs,
           const AddOthers& add_others) const;
};

struct ReductionParts {
  bool is_over_pointers = false;
  KernelType type;                 ///< over pointers
  std::vector<Parameter> in, out;
  std::string neutral, reduce_expr, map_expr, post_map_expr, reduce_type;
  ReductionOptions options;
};

struct FlatReductionKey {
  Device* device;
  bool is_narrow, is_range, is_simt;
  bool operator==(const FlatReductionKey&) const = default;
};

struct ReductionKernel::State : ReductionParts {
  GrowingList<FlatReductionKey, ReductionLaunch> pointer_plans;
  GrowingList<ElementKey, ReductionLaunch> element_plans;
  SeenOperands seen;
};

/// The start of the text: includes, types that the user's preamble may name, and the preamble
/// with its own line numbers.
std::string start_of_reduction(const ReductionOptions& options, bool has_complex, bool has_raw,
                               const std::string& typedefs = "");
bool is_complex_type(std::string_view type);
Error nothing_to_reduce(const std::string& name);

template <class AddInputs, class AddOthers>
void ReductionLaunch::run(Device& device, Stream& stream, const IterationSpace& space, ReduceForm form, const AddInputs& add_inputs,
                          const AddOthers& add_others) const {
  const int workers = device.properties().multiprocessors;
  const size_t kept = std::min(space.kept, space.lengths.size());
  int64_t outputs = 1;
  for (size_t d = 0; d < kept; ++d) outputs *= space.lengths[d];
  int64_t length = space.size() / outputs;
  Array left;  // by the pass before
  for (bool is_first = true;; is_first = false) {
    const int64_t chunks = std::max(divide_up(length, chunk_elements), int64_t{1});
    Array partial;
    if (chunks > 1) partial = Array::empty({outputs * chunks * static_cast<int64_t>(size)}, Dtype::uint8, device);
    PackedArguments packed;
    const auto add = [&](int64_t number) { packed.add_value(number); };
    if (is_first) add_inputs(packed);
    else packed.add_value(left.data());
    add_others(packed);
    void* const memory = chunks > 1 ? partial.data() : nullptr;
    packed.add_value(memory);
    ReduceLaunch launch;
    if (is_first) {
      add_numbers(space, add);
      launch = reduce_launch(space, kept, form, is_simt, value_bytes, {0, chunks}, workers);
    } else {
      const auto bytes = static_cast<int64_t>(size);
      IterationSpace rows{.lengths = {outputs, length}, .kept = 1, .inner = 1, .walks = {{.strides = {length * bytes, bytes}, .unit = bytes}}};
      add_numbers(rows, add);
      launch = reduce_launch(rows, 1, ReduceForm::rows, is_simt, value_bytes, {0, chunks}, workers);
    }
    for (int k = 0; k < launch.count; ++k) add(launch.numbers[k]);
    (is_first ? *this->chunks : *partials).launch(launch.shape, packed.pointers(), stream);
    if (chunks == 1) return;
    left = partial;
    length = chunks;
  }
}

}  // namespace kasoku
