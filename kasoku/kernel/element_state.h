/// \file kasoku/kernel/element_state.h
/// What an ElementwiseKernel keeps between calls: the parsed text, and a plan (a compiled
/// kernel) for each class of arguments met so far.
#pragma once

#include "kasoku/device/module.h"
#include "kasoku/kernel/element_text.h"
#include "kasoku/kernel/growing_list.h"
#include "kasoku/kernel/pending_operands.h"

#include <array>
#include <cstring>

namespace kasoku {

struct ElementLaunch {
  Device* device = nullptr;
  std::shared_ptr<Module> module;
  Function* function = nullptr;
  uint32_t block = 0;
  std::string text;

  ElementLaunch(Device& device, const Program& program, const ElementwiseOptions& options) {
    prepare(device, program, options);
  }

 private:
  void prepare(Device& device, const Program& program, const ElementwiseOptions& options);
};

/// Whether `name` stands in the text only as `name[i]`. Arrays that are indexed in another way
/// are the operation's own affair.
bool is_walked(const std::string& text, const std::string& name);

/// start + k * step for k below count.
struct ResolvedRange {
  int64_t start, step, count;
};
/// slice.indices() of Python for a slice; as given otherwise.
ResolvedRange resolve_range(const ElementRange& range, int64_t n, const std::string& name);

struct PointerKey {
  Device* device;
  bool is_wide, is_range;
  bool operator==(const PointerKey&) const = default;
};

/// Everything of the arguments that the text depends on.
struct ElementKey {
  Device* device = nullptr;
  uint8_t ndim = 0, is_narrow = 0, form = 0, along = 0, index = 0, count = 0;
  std::array<uint16_t, max_parameters> params{};  ///< use, dtype, step, rank or number of a value
  Hash128 computed;  ///< operands that are computed in the kernel

  /// One parameter of the key: its use in three bits, its dtype in five, the rest in eight.
  static uint16_t param(ParamUse use, Dtype dtype, unsigned rest) { return static_cast<uint16_t>(unsigned(use) | unsigned(dtype) << 3 | rest << 8); }
  ParamUse use(size_t k) const { return static_cast<ParamUse>(params[k] & 7); }

  bool operator==(const ElementKey& other) const {
    return device == other.device && ndim == other.ndim && is_narrow == other.is_narrow &&
           form == other.form && along == other.along && index == other.index && count == other.count && computed == other.computed &&
           std::memcmp(params.data(), other.params.data(), count * sizeof params[0]) == 0;
  }
};

/// The user's text, parsed.
struct ElementParts {
  std::vector<Parameter> in, out;
  std::string operation;
  ElementwiseOptions options;
  bool is_over_pointers = false;
  std::vector<bool> walked;   ///< over pointers: indexed by [i] alone
  bool has_index = false;     ///< over elements: the text says `i`, or `_ind`
  BodyTraits traits;          ///< over elements
};

struct ElementwiseKernel::State : ElementParts {
  GrowingList<PointerKey, ElementLaunch> pointer_plans;
  GrowingList<ElementKey, ElementLaunch> element_plans;
  SeenOperands seen;
};

}  // namespace kasoku
