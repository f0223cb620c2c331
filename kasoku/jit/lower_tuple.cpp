/// Text of tuples' comparisons.
#include "kasoku/jit/lowering.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku::jit {

namespace {

Val item_of(const Val& tuple, size_t k) { return {fmt::format("{}._{}", tuple.text, k), tuple.type.items[k]}; }

/// Two numbers, compared as numbers.
std::string compared(const char* symbol, const Val& a, const Val& b) {
  if (have_two_signs(a.type.dtype, b.type.dtype)) return ordered(symbol, a.text, b.text);
  const Dtype dtype = scalar_dtype(a.type.dtype, b.type.dtype);
  return fmt::format("({} {} {})", cast(a.text, a.type.dtype, dtype), symbol, cast(b.text, b.type.dtype, dtype));
}

}  // namespace

/// Of all items, and of theirs; tuples of two lengths differ.
std::string FunctionLowering::tuple_equality(const Val& a, const Val& b, Place place) {
  if (a.type.items.size() != b.type.items.size()) return "(false)";
  std::string text = "(true";
  for (size_t k = 0; k < a.type.items.size(); ++k) {
    const Val x = item_of(a, k), y = item_of(b, k);
    if (x.type.is_array() || x.type.is_counted() || y.type.is_array() || y.type.is_counted())
      error(place, fmt::format("tuples with a {} are not compared in compiled code", str(x.type.is_scalar() ? y.type : x.type)));
    text += " && ";
    if (x.type.is_words() && y.type.is_words()) text += string_compared(Operator::equal, x, y);
    else if (x.type.is_scalar() && y.type.is_scalar()) text += compared("==", x, y);
    else if (x.type.is_tuple() && y.type.is_tuple()) text += tuple_equality(x, y, place);
    else text += x.type == y.type ? "true" : "false";  // None, texts: their types say all
  }
  return text + ")";
}

/// The first items that differ decide; else the longer tuple is the greater.
std::string FunctionLowering::tuple_order(Operator op, const Val& a, const Val& b, Place place) {
  const size_t n = std::min(a.type.items.size(), b.type.items.size());
  const bool is_less = op == Operator::less || op == Operator::less_equal, takes_equal = op == Operator::less_equal || op == Operator::greater_equal;
  const auto na = a.type.items.size(), nb = b.type.items.size();
  std::string text = na == nb ? (takes_equal ? "true" : "false") : (na < nb) == is_less ? "true" : "false";
  for (size_t k = n; k-- > 0;) {
    const Val x = item_of(a, k), y = item_of(b, k);
    if (x.type.is_words() && y.type.is_words()) {
      text = fmt::format("({} ? {} : {})", string_compared(Operator::not_equal, x, y), string_compared(is_less ? Operator::less : Operator::greater, x, y), text);
    } else if (x.type.is_scalar() && y.type.is_scalar()) {
      text = fmt::format("({} ? {} : {})", compared("!=", x, y), compared(is_less ? "<" : ">", x, y), text);
    } else if (x.type.is_tuple() && y.type.is_tuple()) {
      const Operator strictly = is_less ? Operator::less : Operator::greater;
      text = fmt::format("({} ? {} : {})", tuple_equality(x, y, place), text, tuple_order(strictly, x, y, place));
    } else {
      error(place, fmt::format("tuples with a {} beside a {} have no order in compiled code", str(x.type), str(y.type)));
    }
  }
  return text;
}

}  // namespace kasoku::jit
