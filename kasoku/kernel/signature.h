/// \file kasoku/kernel/signature.h
/// Parameter lists as users write them: "const float *x, int n" (pointers, as in C)
/// and "T x, raw float32 y" (typed elements with placeholders).
#pragma once

#include "kasoku/base/dtype.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kasoku {

struct Parameter {
  std::string name;
  /// The type of one element, in kernel text: "float", "T", "pycuda::complex<float>", "my_struct".
  std::string type;
  /// The element's dtype. Nothing for a placeholder, or a type that only the kernel text knows.
  std::optional<Dtype> dtype;
  bool is_pointer = false;      ///< "float *x"
  bool is_const = false;
  bool is_raw = false;          ///< "raw T x": indexed by the operation itself
  bool is_placeholder = false;  ///< "T x"

  bool operator==(const Parameter&) const = default;
};

/// "int *x, const float y, size_t n". Throws ErrorKind::value with the part that is no
/// parameter.
std::vector<Parameter> parse_pointer_parameters(std::string_view text);

/// "T x, raw U y, float32 z": types are dtypes by NumPy's names, C's names, or one
/// capital letter as a placeholder.
std::vector<Parameter> parse_element_parameters(std::string_view text);

/// "const T *name", a parameter over pointers as it is declared.
std::string declaration(const Parameter& param);

/// The dtype of a C type: "unsigned int", "long", "uint8_t", "size_t", "__half", "pycuda::complex<float>" … Nothing if
/// it is no built-in type.
std::optional<Dtype> dtype_from_c(std::string_view type);

/// The type that stands for `dtype` in a user's kernel: dtype's own, and complex<float>
/// or complex<double>.
std::string_view c_type(Dtype dtype);

/// Whether `name` stands in `text` as a word of its own.
bool mentions_word(std::string_view text, std::string_view name);

/// A C identifier; anything else as a kernel's name is ErrorKind::value.
void check_kernel_name(std::string_view name);

}  // namespace kasoku
