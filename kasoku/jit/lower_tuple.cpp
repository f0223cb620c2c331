/// Text of tuples' order.
#include "kasoku/jit/lowering.h"

#include <algorithm>

namespace kasoku::jit {

/// The first items that differ decide; else the longer tuple is the greater.
std::string FunctionLowering::tuple_order(Operator op, const Val& a, const Val& b, Place place) {
  const size_t n = std::min(a.type.items.size(), b.type.items.size());
  const bool is_less = op == Operator::less || op == Operator::less_equal, takes_equal = op == Operator::less_equal || op == Operator::greater_equal;
  const auto na = a.type.items.size(), nb = b.type.items.size();
  std::string text = na == nb ? (takes_equal ? "true" : "false") : (na < nb) == is_less ? "true" : "false";
  for (size_t k = n; k-- > 0;) {
    const Type &x = a.type.items[k], &y = b.type.items[k];
    if (!x.is_scalar() || !y.is_scalar()) error(place, "tuples of tuples are only compared for equality in compiled code");
    const Dtype dtype = scalar_dtype(x.dtype, y.dtype);
    const std::string left = cast(fmt::format("{}._{}", a.text, k), x.dtype, dtype), right = cast(fmt::format("{}._{}", b.text, k), y.dtype, dtype);
    text = fmt::format("({} != {} ? {} {} {} : {})", left, right, left, is_less ? "<" : ">", right, text);
  }
  return text;
}

}  // namespace kasoku::jit
