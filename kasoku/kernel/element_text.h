/// \file kasoku/kernel/element_text.h
/// The text around one element: parameters, index arithmetic, the loop or its guard.
#pragma once

#include "kasoku/codegen/loop_text.h"
#include "kasoku/compile/program.h"
#include "kasoku/kernel/elementwise.h"
#include "kasoku/kernel/pending_operands.h"

namespace kasoku {

/// How one parameter arrives in the kernel.
enum class ParamUse : uint8_t { scalar, input, output, raw, computed };

struct ElementParam {
  const Parameter* declared;
  ParamUse use;
  std::string type;     ///< of an element, with placeholders resolved
  Inner inner = Inner::unit;  ///< inputs and outputs
  int ndim = 0;         ///< of raw
  bool is_contiguous = true;  ///< of raw
  uint16_t value = 0;   ///< computed: which value it is
};

struct ElementText {
  const ElementwiseOptions* options;
  const std::string* operation;
  std::vector<ElementParam> params;
  const PendingOperands* computed;
  std::string typedefs;  ///< of the placeholders
  Loop loop;             ///< its operands are left out
  Inner index{};         ///< how `i` moves, if the operation asks for it
  bool is_narrow = true;
  bool is_simt = false;
};

/// What the text of the operation allows the loop to do; `outputs` are those whose old elements it may read.
BodyTraits traits_of(const ElementwiseOptions& options, const std::string& operation, const std::vector<Parameter>& outputs);

/// Adds a raw array's kernel parameters, each after a ", " if it is not the first; what makes the user's name of them.
std::string raw_array(const ElementParam& param, bool is_narrow, std::string& params);

/// Whether the text says `word` in the kernel.
bool mentions(const ElementwiseOptions& options, const std::string& operation, std::string_view word);

Program element_program(const ElementText& text);

/// Over pointers: the user's parameters, then start and step if `is_range`, then the loop's.
Program pointer_program(const std::vector<Parameter>& params, const ElementwiseOptions& options,
                        const std::string& operation, bool is_wide, bool is_range);

}  // namespace kasoku
