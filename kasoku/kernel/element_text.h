/// \file kasoku/kernel/element_text.h
/// The text around one element: parameters, index arithmetic, the loop or its guard.
#pragma once

#include "kasoku/compile/program.h"
#include "kasoku/kernel/element_loop.h"
#include "kasoku/kernel/elementwise.h"

namespace kasoku {

/// How one parameter arrives in the kernel.
enum class ParamUse : uint8_t { scalar, input, output, raw };

struct ElementParam {
  const Parameter* declared;
  ParamUse use;
  std::string type;     ///< of an element, with placeholders resolved
  Step step = Step::contiguous;  ///< inputs and outputs
  int ndim = 0;         ///< of raw
  bool is_contiguous = true;  ///< of raw
};

struct ElementText {
  const ElementwiseOptions* options;
  const std::string* operation;
  std::vector<ElementParam> params;
  std::string typedefs;  ///< of the placeholders
  int ndim = 1;          ///< of the loop, innermost last
  bool is_narrow = true;
  bool is_rows = false;  ///< a block stays within one innermost row
  bool is_fours = false;  ///< a thread takes four elements in a row
};

/// Whether the operation must stand in a real loop: it has parts around the loop, or says
/// `continue` or `break`.
bool needs_loop(const ElementwiseOptions& options, const std::string& operation);

Program element_program(const ElementText& text);

/// Over pointers: the user's parameters, then the count, then start and step if `is_range`.
Program pointer_program(const std::vector<Parameter>& params, const ElementwiseOptions& options,
                        const std::string& operation, bool is_narrow, bool is_range);

/// "T name", the declaration of a parameter over pointers.
std::string declaration(const Parameter& param);

}  // namespace kasoku
