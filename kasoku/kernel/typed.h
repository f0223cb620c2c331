/// \file kasoku/kernel/typed.h
/// Placeholders of element kernels ("T x, T y -> T z") and the dtypes they stand for in a call.
#pragma once

#include "kasoku/kernel/arguments.h"
#include "kasoku/kernel/signature.h"

#include <array>
#include <span>
#include <string>

namespace kasoku {

class PlaceholderTypes {
 public:
  /// `kernel` is named in errors and must outlive this.
  explicit PlaceholderTypes(std::string_view kernel) : kernel_(kernel) { types_.fill(Dtype::opaque); }

  /// Outputs that are passed decide first, then input arrays and typed scalars, then Python's
  /// scalars (int64, float64, complex128, bool). A dtype that differs from the declared or
  /// decided one is an error.
  void resolve(std::span<const Parameter> in, std::span<const Parameter> out,
               std::span<const Argument> args);

  Dtype dtype_of(const Parameter& param, const Argument& argument) const;
  Dtype dtype_of_output(const Parameter& param) const;
  std::string type_of(const Parameter& param, const Argument& argument) const;
  /// A typedef for each placeholder. They stand before the user's preamble, which may use them.
  std::string typedefs() const;
  void pack_scalar(const Parameter& param, const Argument& argument, PackedArguments& packed) const;

 private:
  void take(const Parameter& param, const Argument& argument);
  Dtype& slot(const Parameter& param) { return types_[param.type[0] - 'A']; }
  Dtype slot(const Parameter& param) const { return types_[param.type[0] - 'A']; }

  std::string_view kernel_;
  std::array<Dtype, 26> types_;
};

/// `array` in C order in new memory of `device`.
Array contiguous_copy(const ArrayRef& array, Device& device, Stream* stream);

}  // namespace kasoku
