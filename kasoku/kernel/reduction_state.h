/// \file kasoku/kernel/reduction_state.h
/// What a ReductionKernel keeps between calls, and the launches that both spellings share.
#pragma once

#include "kasoku/device/module.h"
#include "kasoku/kernel/element_state.h"
#include "kasoku/kernel/growing_list.h"
#include "kasoku/kernel/reduction_text.h"

namespace kasoku {

struct ReductionLaunch {
  std::shared_ptr<Module> module;
  Function *chunks, *partials, *each, *columns;  ///< columns: nullptr if there is none
  size_t size;       ///< bytes of a _type_reduce
  std::string text;

  ReductionLaunch(Device& device, const ReductionText& text);
  /// Reduces `outputs` × `length` elements. The two callbacks add what in_params and out_params
  /// declare.
  template <class AddIn, class AddOut>
  void run(Device& device, Stream& stream, int64_t outputs, int64_t length, bool one_thread_each,
           bool is_narrow, const AddIn& add_in, const AddOut& add_out) const;
};

struct ReductionParts {
  bool is_over_pointers = false;
  KernelType type;                 ///< over pointers
  std::vector<Parameter> in, out;
  std::string neutral, reduce_expr, map_expr, post_map_expr, reduce_type;
  ReductionOptions options;
};

struct ReductionKernel::State : ReductionParts {
  GrowingList<PointerKey, ReductionLaunch> pointer_plans;
  GrowingList<ElementKey, ReductionLaunch> element_plans;
};

/// The start of the text: includes, types that the user's preamble may name, and the preamble
/// with its own line numbers.
std::string start_of_reduction(const ReductionOptions& options, bool has_complex, bool has_raw,
                               const std::string& typedefs = "");
bool is_complex_type(std::string_view type);
Error nothing_to_reduce(const std::string& name);

template <class AddIn, class AddOut>
void ReductionLaunch::run(Device& device, Stream& stream, int64_t outputs, int64_t length,
                          bool one_thread_each, bool is_narrow, const AddIn& add_in,
                          const AddOut& add_out) const {
  const auto add_index = [&](PackedArguments& packed, int64_t value) {
    if (is_narrow) packed.add_value(static_cast<uint32_t>(value));
    else packed.add_value(static_cast<uint64_t>(value));
  };
  LaunchShape shape;
  shape.block[0] = reduction_block;
  if (one_thread_each) {
    PackedArguments packed;
    add_in(packed);
    add_out(packed);
    add_index(packed, outputs);
    add_index(packed, length);
    shape.grid[0] = static_cast<uint32_t>((outputs + reduction_block - 1) / reduction_block);
    (columns && length > 0 ? columns : each)->launch(shape, packed.pointers(), stream);
    return;
  }
  Array from;  // what the pass before left
  for (bool is_first = true;; is_first = false) {
    const int64_t count = (length + chunk_elements - 1) / chunk_elements;
    const bool is_last = count <= 1;
    Array partial;
    if (!is_last)
      partial = Array::empty({outputs * count * static_cast<int64_t>(size)}, Dtype::uint8, device);
    PackedArguments packed;
    if (is_first) add_in(packed);
    else packed.add_value(from.data());
    add_out(packed);
    void* const memory = is_last ? nullptr : partial.data();
    packed.add_value(memory);
    add_index(packed, length);
    packed.add_value(static_cast<uint32_t>(count));
    packed.add_value(static_cast<uint32_t>(is_last));
    shape.grid[0] = static_cast<uint32_t>(outputs * count);
    (is_first ? chunks : partials)->launch(shape, packed.pointers(), stream);
    if (is_last) return;
    from = partial;
    length = count;
  }
}

}  // namespace kasoku
