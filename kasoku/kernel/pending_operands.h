/// \file kasoku/kernel/pending_operands.h
/// Operands of a user's kernel that are pending expressions: the kernel computes their elements where it reads them, and
/// nothing of them is stored. What is computed, and what is stored on the way, is the array planner's to say (array/fuse.h).
#pragma once

#include "kasoku/array/fuse.h"
#include "kasoku/base/hash.h"
#include "kasoku/codegen/loop_text.h"
#include "kasoku/kernel/arguments.h"
#include "kasoku/kernel/growing_list.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kasoku {

/// The floating-point rules of the kernel around the values: they decide whether the values have the bits of array
/// expressions.
enum class Arithmetic : uint8_t {
  ours,    ///< as array expressions: products stay products, functions are ours
  users,   ///< a product and a sum may become one instruction, and a library's functions vectors
};

/// Structures of operands that a kernel was called with.
using SeenOperands = GrowingList<Hash128, bool>;

class PendingOperands {
 public:
  PendingOperands() = default;
  /// Of arguments those that are pending, by their numbers; `order` are the axes of `shape` in the loop's order. Whatever cannot be
  /// computed in the kernel is computed here, and its argument then shows the memory. So are few elements that are new to the kernel,
  /// which do not wait for a compiler.
  PendingOperands(std::span<Argument> arguments, std::span<const size_t> pending, const Shape& shape, std::span<const size_t> order,
                  Device& device, Arithmetic arithmetic, SeenOperands& seen);

  explicit operator bool() const { return !arguments_.empty(); }
  /// The number of the value that the argument is, if it is one.
  std::optional<uint16_t> value_of(size_t argument) const;
  /// Whether the kernel may write, in the order of its elements, memory of which the values are made.
  bool read(const ArrayRef& written) const;
  /// Computes them after all: their arguments show memory.
  void settle(std::span<Argument> arguments);

  /// Its walks are those of the space from number `first` on, once the space is arranged.
  void add_walks(IterationSpace& space) const;
  void lay_out(const IterationSpace& space, size_t first, bool is_narrow);
  Hash128 key() const;
  /// "multiply:float32, add:float32"
  std::string summary() const;

  void add_operands(Loop& loop) const;
  std::string helpers(std::string_view around) const;   ///< before the kernel, with what it needs around them
  std::string parameters() const;    ///< each after a comma
  std::string before() const;        ///< statements before the loop
  /// Statements of one element; then `element(k)` is the value of an operand.
  std::string values(const Place& place, const std::string& indent) const;
  static std::string element(uint16_t value, const std::string& type);

  void pack(PackedArguments& packed, Stream& stream) const;

 private:
  Fused fused_;
  Device* device_ = nullptr;
  Arithmetic arithmetic_{};
  std::vector<size_t> arguments_;
  std::vector<Array> arrays_;
  std::vector<uint16_t> numbers_;  ///< of their values
};

}  // namespace kasoku
