#include "kasoku/kernel/pending_operands.h"

#include "kasoku/array/elementwise.h"
#include "kasoku/array/first_sight.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/run.h"
#include "kasoku/base/trace.h"
#include "kasoku/base/words.h"
#include "kasoku/codegen/emit.h"
#include "kasoku/codegen/helpers.h"
#include "kasoku/compile/stats.h"
#include "kasoku/device/buffer.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

namespace {

/// A kernel's key holds the number of a value in 8 bits.
constexpr size_t most_values = 255;

/// Functions of a library, of which a user's kernel may have vectors with other last bits.
constexpr std::string_view library[] = {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "exp2",
                                        "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt", "hypot", "fmod", "nextafter", "sincos"};

/// Whether the values have the same bits in a user's text. On a CPU the text forbids to contract them, and only a library's functions
/// differ; for a GPU nothing in a text forbids it, so that products of floats have to be plain rows, which are written as such.
bool keeps_bits(const Group& group, bool is_simt) {
  for (const Instruction& x : group.values) {
    const bool is_number = is_floating(x.dtype) || is_complex(x.dtype) || (x.kind == Instruction::apply && (is_floating(x.compute) || is_complex(x.compute)));
    if (!is_number) continue;
    if (is_simt && (x.kind == Instruction::arange || x.kind == Instruction::random)) return false;
    if (x.kind != Instruction::apply) continue;
    const std::string text(info(x.op).text[text_column(x.compute)]);
    const std::string all = text + helper_text(text);
    if (std::ranges::any_of(library, [&](std::string_view name) { return find_word(all, name) != all.npos; })) return false;
    if (is_simt && all.find('*') != all.npos && !codegen::has_plain_product(x)) return false;
  }
  return true;
}

/// What add_operands() of array/run.h writes to.
struct Packer {
  PackedArguments& packed;
  void add(const void* address) { packed.add_value(address); }
  void add(int64_t number) { packed.add_value(number); }
  void add(const Scalar& value, Dtype dtype) { value.store(register_dtype(dtype), packed.add(16, 16)); }
  void add_rounded(const Scalar& value, Dtype dtype) { store_rounded(value, dtype, packed.add(16, 16)); }
};

}  // namespace

PendingOperands::PendingOperands(std::span<Argument> arguments, std::span<const size_t> pending, const Shape& shape, std::span<const size_t> order,
                                 Device& device, Arithmetic arithmetic, SeenOperands& seen)
    : device_(&device), arithmetic_(arithmetic) {
  std::vector<Input> inputs;
  Shape domain;
  for (size_t axis : order) domain.push_back(shape[axis]);
  const bool is_worth_it = product(shape) > 0 && !KernelsThatAreThere::stand();
  for (size_t k : pending) {
    const Array& array = *arguments[k].pending;
    Input input = array.input();
    if (!is_worth_it || input.node->is_done()) {
      arguments[k] = Argument::to_read(array, true);
      continue;
    }
    const View view = stretched(input.view, shape);
    input.view = {domain, {}, view.offset};
    for (size_t axis : order) input.view.strides.push_back(view.strides[axis]);
    inputs.push_back(std::move(input));
    arguments_.push_back(k);
    arrays_.push_back(array);
  }
  const auto leave_out = [&](size_t k) {
    arguments[arguments_[k]] = Argument::to_read(arrays_[k], true);
    const auto erase = [k](auto& row) { row.erase(row.begin() + static_cast<std::ptrdiff_t>(k)); };
    erase(inputs);
    erase(arguments_);
    erase(arrays_);
  };
  // What is to be stored is, before anything counts as computed: an operand that is stored itself is one as any other.
  for (bool again = !inputs.empty(); again;) {
    std::vector<Stored> stored;
    fuse_part(inputs, domain, device, numbers_, &stored);
    again = false;
    for (size_t k = inputs.size(); k-- > 0;)
      if (std::ranges::find(stored, inputs[k].node, &Stored::node) != stored.end()) {
        leave_out(k);
        again = !inputs.empty();
      }
  }
  if (inputs.empty()) return;
  {
    std::vector<Stored> stored;
    const Fused look = fuse_part(inputs, domain, device, numbers_, &stored);
    const bool keeps = arithmetic == Arithmetic::ours || keeps_bits(look.group, device.is_simt());
    if (!keeps || look.group.values.size() > most_values) {
      settle(arguments);
      return;
    }
    const Hash128 key = structure(look.group, device);
    if (are_few(product(shape), device) && !seen.find(key)) {
      seen.find_or(key, [] { return true; });
      settle(arguments);
      return;
    }
    for (const Stored& before : stored) evaluate(before.node);
  }
  fused_ = fuse_part(inputs, domain, device, numbers_);
  if (*std::ranges::max_element(numbers_) > most_values) {
    settle(arguments);
    return;
  }
  fused_.group.has_plain_products = arithmetic == Arithmetic::users && device.is_simt();
}

std::optional<uint16_t> PendingOperands::value_of(size_t argument) const {
  const auto at = std::ranges::find(arguments_, argument);
  if (at == arguments_.end()) return std::nullopt;
  return numbers_[static_cast<size_t>(at - arguments_.begin())];
}

bool PendingOperands::read(const ArrayRef& written) const {
  const auto* low = static_cast<const char*>(written.data);
  const char* high = low + written.itemsize;
  for (int d = 0; d < written.ndim; ++d) {
    const int64_t reach = (written.shape[d] - 1) * written.strides[d];
    if (reach < 0) low += reach;
    else high += reach;
  }
  return std::ranges::any_of(fused_.loads, [&](const NodePtr& load) {
    const Buffer& buffer = *load->storage->buffer;
    const auto* first = static_cast<const char*>(buffer.memory());
    return low < first + buffer.bytes() && first < high;
  });
}

void PendingOperands::settle(std::span<Argument> arguments) {
  for (size_t k = 0; k < arguments_.size(); ++k) arguments[arguments_[k]] = Argument::to_read(arrays_[k], true);
  arguments_.clear();
  fused_ = {};
}

void PendingOperands::add_walks(IterationSpace& space) const { std::ranges::copy(fused_.space.walks, std::back_inserter(space.walks)); }

void PendingOperands::lay_out(const IterationSpace& space, size_t first, bool is_narrow) {
  if (!*this) return;
  Group& group = fused_.group;
  for (size_t k = 0; k < fused_.space.walks.size(); ++k) {
    fused_.space.walks[k] = space.walks[first + k];
    group.inner.push_back(space.walks[first + k].inner);
  }
  group.kept_rank = static_cast<uint8_t>(space.lengths.size());
  group.along = static_cast<uint8_t>(space.inner);
  group.wide_index = !group.is_simt || !is_narrow;
}

Hash128 PendingOperands::key() const { return *this ? structure(fused_.group, *device_) : Hash128{}; }

std::string PendingOperands::summary() const { return kasoku::summary(fused_, *device_); }

void PendingOperands::add_operands(Loop& loop) const {
  if (!*this) return;
  const Loop own = fused_.group;
  std::ranges::copy(own.operands, std::back_inserter(loop.operands));
}

std::string PendingOperands::helpers(std::string_view around) const {
  if (!*this) return helper_text(around);
  const std::string text = std::string(around) + parameters() + before() + values({"0"}, "") + "ks_bits_as";
  const char* const lanes = fused_.group.is_simt ? "" : "#define KS_IN_LANES 1\n";
  if (arithmetic_ == Arithmetic::ours) return lanes + helper_text(text);
  // A GPU's compiler does not know the pragma.
  const bool is_clang = !device_->is_simt();
  return fmt::format("#define ks_helper __device__ __forceinline__\n{}{}{}{}", lanes, is_clang ? "#pragma clang fp contract(off)\n" : "", helper_text(text),
                     is_clang ? "#pragma clang fp contract(fast)\n" : "");
}

std::string PendingOperands::parameters() const { return *this ? codegen::operand_parameters(fused_.group) : ""; }

std::string PendingOperands::before() const { return *this ? codegen::divisors_text(fused_.group) : ""; }

std::string PendingOperands::values(const Place& place, const std::string& indent) const {
  if (!*this) return "";
  const Group& group = fused_.group;
  std::vector<uint16_t> used = numbers_;
  std::ranges::sort(used);
  used.erase(std::ranges::unique(used).begin(), used.end());
  std::string text, results;
  for (uint16_t k : used) {
    const Dtype dtype = group.values[k].dtype;
    text += fmt::format("{}{} _zo{};\n", indent, codegen::memory_text(dtype), k);
    results += fmt::format("{}  _zo{} = {};\n", indent, k, codegen::store_text(dtype, codegen::name_of_value(group, k)));
  }
  // The pragma stands first in its block, or nowhere.
  const char* const pragma = arithmetic_ == Arithmetic::users && !device_->is_simt() ? "#pragma clang fp contract(off)\n" : "";
  return text + indent + "{\n" + pragma + codegen::values_text(group, place, indent + "  ", 0, group.values.size()) + results + indent + "}\n";
}

std::string PendingOperands::element(uint16_t value, const std::string& type) { return fmt::format("ks_bits_as<{}>(_zo{})", type, value); }

void PendingOperands::pack(PackedArguments& packed, Stream& stream) const {
  if (!*this) return;
  Packer packer{packed};
  kasoku::add_operands(packer, fused_, stream);
  stats().operands_fused.fetch_add(arguments_.size(), std::memory_order_relaxed);
  if (is_traced(Station::plan)) trace(Station::plan, "operands of a kernel: " + summary());
}

}  // namespace kasoku
