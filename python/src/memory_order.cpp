#include "memory_order.h"

#include "kasoku/base/error.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>

namespace kasoku {

char memory_order_from(nb::handle order, std::string_view known) {
  if (order.is_none()) return 'C';
  if (!PyUnicode_Check(order.ptr())) throw Error(ErrorKind::type, "order must be a text, not " + class_name(order));
  const std::string text = nb::cast<std::string>(order);
  const char letter = text.size() == 1 ? static_cast<char>(std::toupper(static_cast<unsigned char>(text[0]))) : '\0';
  if (letter != '\0' && known.find(letter) != known.npos) return letter;
  const char* letters = known == "CF" ? "'C' or 'F'" : known == "CFA" ? "'C', 'F', or 'A'" : "'C', 'F', 'A', or 'K'";
  throw Error(ErrorKind::value, std::string("order must be one of ") + letters + " (got '" + text + "')");
}

bool goes_by_columns(const Array& x, char order) { return order == 'F' || (order == 'A' && !x.is_contiguous() && transpose(x).is_contiguous()); }

Array transposed_back(const Array& x, const Extents& axes) {
  Extents places(axes.size());
  for (size_t k = 0; k < axes.size(); ++k) places[static_cast<size_t>(axes[k])] = static_cast<int64_t>(k);
  return transpose(x, places);
}

Array copied_in_order(const Array& x, char order) {
  return remade_in_order(x, order, [](const Array& rows) { return copy(rows); });
}

bool lies_in_order(const Array& x, char order) {
  return order == 'K' || order == 'A' || (order == 'F' ? transpose(x) : x).is_contiguous();
}

Extents axes_in_order(char order, int ndim, const Array* like) {
  if (order == 'K' && like->ndim() == ndim) return axes_of_memory(like->shape(), like->strides());
  Extents axes(static_cast<size_t>(ndim));
  std::iota(axes.begin(), axes.end(), 0);
  if (order == 'F' || (order == 'A' && goes_by_columns(*like, order))) std::ranges::reverse(axes);
  return axes;
}

}  // namespace kasoku
