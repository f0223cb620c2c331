/// \file described.cpp
/// The rules that docstrings state are asked of what computes by them, so a changed column is a changed sentence.
#include "described.h"

#include "kasoku/base/error.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace kasoku {

namespace {

constexpr size_t width = 100;

/// Sentences as lines that an editor shows without breaking them.
std::string wrapped(std::string_view sentences) {
  constexpr std::string_view between = " \n";
  std::string text;
  size_t line = 0;
  for (size_t at = sentences.find_first_not_of(between); at != sentences.npos;) {
    const size_t end = std::min(sentences.find_first_of(between, at), sentences.size()), size = end - at;
    const bool is_first = text.empty(), fits = line + 1 + size <= width;
    if (!is_first) text += fits ? ' ' : '\n';
    line = is_first || !fits ? size : line + 1 + size;
    text += sentences.substr(at, size);
    at = sentences.find_first_not_of(between, end);
  }
  return text;
}

/// The parts that are not empty, as paragraphs.
std::string paragraphs(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : "\n\n") + part;
  return text;
}

/// One dtype of each kind that rules tell apart, narrow where width counts.
constexpr Dtype kinds[] = {Dtype::bool_, Dtype::int64, Dtype::float32, Dtype::complex64};
constexpr const char* kind_names[] = {"bools", "integers", "floats", "complex numbers"};

using Rule = std::function<OpTypes(Dtype)>;

std::optional<Dtype> result_of(const Rule& rule, Dtype dtype) {
  try {
    return rule(dtype).result;
  } catch (const Error&) {
    return {};
  }
}

/// "Raises TypeError for …", or nothing.
std::string refusal(const Rule& rule) {
  std::vector<std::string> refused;
  for (size_t i = 0; i < std::size(kinds); ++i)
    if (!result_of(rule, kinds[i])) refused.push_back(kind_names[i]);
  std::string text;
  for (size_t i = 0; i < refused.size(); ++i) text += (i == 0 ? "" : i + 1 < refused.size() ? ", " : " and ") + refused[i];
  return text.empty() ? text : "Raises TypeError for " + text + ".";
}

/// What dtype results; `own` is whose dtype stays where one does ("their common dtype").
std::string result_dtype(const Rule& rule, const std::string& own) {
  const auto of = [&](Dtype dtype) { return result_of(rule, dtype); };
  std::optional<Dtype> always;
  bool is_one = true;
  for (Dtype kind : kinds)
    if (const auto result = of(kind)) is_one = is_one && (!always || *always == *result), always = result;
  if (is_one && always && !(of(Dtype::int64) == Dtype::int64 && of(Dtype::int8) == Dtype::int8))
    return *always == Dtype::bool_ ? "bools" : std::string(info(*always).name);
  if (of(Dtype::float32) == Dtype::float64) return "float64, for complex numbers complex128";
  std::string text = own;
  if (of(Dtype::int64) == Dtype::float64 && !of(Dtype::int8))
    text += "; integers become floats (16 bits float32, others float64)";
  else if (of(Dtype::int64) == Dtype::float64)
    text += of(Dtype::int8) == Dtype::float64 ? "; integers and bools become float64"
                                              : "; integers and bools become floats (8 bits float16, 16 bits float32, others float64)";
  else if (of(Dtype::bool_) == Dtype::float16) text += "; bools become float16";
  else if (of(Dtype::bool_) == Dtype::int64) text += "; bools and integers become int64, unsigned ones uint64";
  else if (of(Dtype::bool_) == Dtype::int8) text += "; bools become int8";
  if (of(Dtype::complex64) == Dtype::float32) text += "; of complex numbers that of their parts";
  return text;
}

const std::string any_axis_error = "An axis that there is not raises AxisError, which is a ValueError and an IndexError.";

}  // namespace

std::string example(const char* call, const char* result) {
  std::istringstream lines(call);
  std::string text;
  for (std::string line; std::getline(lines, line);) text += ">>> " + line + "\n";
  return text + result;
}

std::string described(Op op) {
  const OpInfo& row = info(op);
  const Rule rule = [op](Dtype dtype) { return op_types(op, dtype); };
  const std::string shown = example(row.call, row.shown);
  const bool is_unary = row.arity == 1;
  if (op == Op::where)
    return paragraphs({row.doc, wrapped("condition is an array of bools, or of numbers, of which 0 is false. The shapes of the three broadcast, else it is a "
                                        "ValueError. Returns an array of the broadcast shape in the common dtype of x and y. Without x and y it "
                                        "returns what nonzero(condition) gives; one alone is a ValueError."), shown});
  if (op == Op::clip)
    return paragraphs({row.doc, wrapped("The shapes of x, min and max broadcast, else it is a ValueError. Returns an array of the broadcast shape in their common dtype. " +
                                        refusal(rule) + " out= is an array that takes the result and is returned."), shown});
  const std::string operands = is_unary ? "x is an array, a number or nested lists of numbers. Returns an array of its shape in "
                                        : "x and y are arrays, numbers or nested lists of numbers; their shapes broadcast, else it is a ValueError. "
                                          "Returns an array of the broadcast shape in ";
  return paragraphs(
      {row.doc,
       wrapped(operands + result_dtype(rule, is_unary ? "its dtype" : "their common dtype") + ". " + refusal(rule)),
       wrapped("out= is an array that takes the result and is returned. dtype= asks for another dtype of the result. "
               "where= is a mask of "
               "bools: elsewhere elements of out= stay as they are, and are 0 without out=. casting= is NumPy's rule "
               "for what may be cast "
               "to dtype= and out=; order=\"F\" has the result lie by columns."),
       shown});
}

std::string described(ReduceOp op, std::string_view name, ReductionWords words) {
  const ReductionInfo& row = info(op);
  const Rule rule = [op](Dtype dtype) { return reduction_types(op, dtype); };
  std::string text = row.keeps_position() ? "axis= is the axis along which to look, or None for the ravelled array; keepdims=True leaves it with length 1. "
                                          : "axis= is an axis, a tuple of axes, or None for all of them; keepdims=True leaves them with length 1. ";
  text += "Returns an array of " + result_dtype(rule, "the elements' dtype") + ". " + refusal(rule);
  text += row.has_identity() ? std::string(" Of no elements it is ") +
                                   (row.takes == ReductionInfo::truth && row.result == ReductionInfo::own ? row.identity[0] == ReductionInfo::zero ? "False" : "True"
                                    : row.identity[0] == ReductionInfo::zero                               ? "0"
                                                                                                            : "1") + "."
                             : std::string(" Of no elements it raises ValueError") + (words.initial ? ", unless initial= is given." : ".");
  std::string more = any_axis_error + " out= is an array that takes the result and is returned.";
  if (words.dtype) more += " dtype= is the dtype that is computed in and returned.";
  if (words.initial) more += " initial= counts as one more element.";
  if (words.where) more += std::string(" where= is a mask of bools: other elements do not count") + (row.has_identity() ? "." : "; it needs initial=.");
  const std::string alias = name == row.name ? "" : "Alias of " + std::string(row.name) + ".";
  return paragraphs({alias, row.doc, wrapped(text), wrapped(more), example(row.call, row.shown)});
}

std::string described(ScanOp op) {
  const ScanInfo& row = info(op);
  const Rule rule = [op](Dtype dtype) { return scan_types(op, dtype); };
  return paragraphs({row.doc, wrapped("axis= is an axis, or None for the ravelled array. Returns an array of as many elements, of " + result_dtype(rule, "the elements' dtype") +
                                      ". " + refusal(rule) + " dtype= is the dtype that is computed in and returned. out= is an array that takes the result and is returned. " +
                                      any_axis_error),
                     example(row.call, row.shown)});
}

std::string described(Algorithm name) {
  const AlgorithmInfo& row = info(name);
  const std::string details = row.details;
  std::string text;
  if (row.axis == AlgorithmInfo::along) text += "axis= is the axis, the last one unless told; None is for the ravelled array. ";
  if (row.axis == AlgorithmInfo::over) text += "axis= is an axis, a tuple of axes, or None for all of them; keepdims=True leaves them with length 1. ";
  if (row.axis == AlgorithmInfo::flat && details.find("avel") == std::string::npos) text += "Arrays are ravelled. ";
  text += details;
  if (details.find("Returns") == std::string::npos) switch (row.result) {
      case AlgorithmInfo::own: text += " Returns an array of the elements' dtype."; break;
      case AlgorithmInfo::position: text += " Returns an array of int64."; break;
      case AlgorithmInfo::quotient: text += " Returns an array of the elements' dtype; integers and bools become float64."; break;
      case AlgorithmInfo::boolean: text += " Returns an array of bools."; break;
      case AlgorithmInfo::several: text += " Returns a tuple of arrays."; break;
      case AlgorithmInfo::nothing: text += " Returns None: the array that is given is changed."; break;
    }
  if (row.axis == AlgorithmInfo::along || row.axis == AlgorithmInfo::over) text += " " + any_axis_error;
  return paragraphs({row.doc, wrapped(text), example(row.call, row.shown)});
}

std::string described_method(std::string_view function, const char* doc, bool in_place) {
  return paragraphs({doc, (in_place ? "Changes this array, and returns None; else as ks." : "As ks.") + std::string(function) + "() of this array, which says what the arguments are."});
}

}  // namespace kasoku
