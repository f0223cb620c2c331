#include "kasoku/array/algorithms/contraction.h"

#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/matmul.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace kasoku {

namespace {

/// An array whose axes have labels.
struct Labelled {
  Array array;
  std::string labels;
};

int64_t lengths_of(const Labelled& x, const std::string& labels) {
  int64_t n = 1;
  for (char label : labels) n *= x.array.shape()[x.labels.find(label)];
  return n;
}

/// With the axes in that order.
Array ordered(const Labelled& x, const std::string& labels) {
  if (labels == x.labels) return x.array;
  Extents axes;
  for (char label : labels) axes.push_back(static_cast<int64_t>(x.labels.find(label)));
  return transpose(x.array, axes);
}

/// Axes of one label become one: a diagonal.
Labelled without_repeats(const Array& array, const std::string& labels) {
  const View& from = array.state().view;
  View view{{}, {}, from.offset};
  std::string kept;
  for (size_t d = 0; d < labels.size(); ++d) {
    const size_t known = kept.find(labels[d]);
    if (known == std::string::npos) {
      kept += labels[d];
      view.shape.push_back(from.shape[d]);
      view.strides.push_back(from.strides[d]);
    } else {
      if (view.shape[known] != from.shape[d])
        throw Error(ErrorKind::value, std::string("einsum: dimensions of the repeated label '") + labels[d] + "' differ: " + std::to_string(view.shape[known]) + " and " + std::to_string(from.shape[d]));
      view.strides[known] += from.strides[d];
    }
  }
  return {kept.size() == labels.size() ? array : array.with_view(view), kept};
}

/// Axes of length 1 whose label is longer elsewhere go: they stretch.
Labelled without_stretched(Labelled x, const std::map<char, int64_t>& lengths) {
  for (size_t d = x.labels.size(); d-- > 0;)
    if (x.array.shape()[d] == 1 && lengths.at(x.labels[d]) != 1) {
      x.array = squeeze(x.array, Extents{static_cast<int64_t>(d)});
      x.labels.erase(d, 1);
    }
  return x;
}

/// Sums over what nobody else has.
Labelled summed(const Labelled& x, const std::string& kept, Dtype dtype) {
  Extents axes;
  std::string labels;
  for (size_t d = 0; d < x.labels.size(); ++d) {
    if (kept.find(x.labels[d]) == std::string::npos) axes.push_back(static_cast<int64_t>(d));
    else labels += x.labels[d];
  }
  if (axes.empty()) return x;
  const Array of = as_dtype(x.array, dtype);
  return {dtype == Dtype::bool_ ? reduce(ReduceOp::any, of, {axes}) : reduce(ReduceOp::sum, of, {axes}, dtype), labels};
}

/// The product of two, summed over the labels that are not kept.
Labelled contracted(Labelled a, Labelled b, const std::string& kept, Dtype dtype) {
  a = summed(a, kept + b.labels, dtype);
  b = summed(b, kept + a.labels, dtype);
  std::string batch, common, of_a, of_b;
  for (char label : a.labels) {
    const bool is_in_b = b.labels.find(label) != std::string::npos, is_kept = kept.find(label) != std::string::npos;
    (is_in_b ? is_kept ? batch : common : of_a) += label;
  }
  for (char label : b.labels)
    if (a.labels.find(label) == std::string::npos) of_b += label;
  const std::string labels = batch + of_a + of_b;
  if (common.empty() || (of_a.empty() && of_b.empty())) {  // nothing for a matrix product: one kernel multiplies, and sums
    const std::string all = batch + of_a + of_b + common;
    const auto stretched = [&](const Labelled& x) {
      std::string own;
      Shape shape;
      for (char label : all) {
        const bool has = x.labels.find(label) != std::string::npos;
        if (has) own += label;
        shape.push_back(has ? x.array.shape()[x.labels.find(label)] : 1);
      }
      const Array in_order = ordered(x, own);
      return own == all ? in_order : reshape(in_order, shape);
    };
    return summed({apply(Op::multiply, {as_dtype(stretched(a), dtype), as_dtype(stretched(b), dtype)}), all}, labels, dtype);
  }
  Shape shape;
  for (char label : labels) {
    const Labelled& from = a.labels.find(label) != std::string::npos ? a : b;
    shape.push_back(from.array.shape()[from.labels.find(label)]);
  }
  const int64_t n = lengths_of(a, batch), k = lengths_of(a, common), rows = lengths_of(a, of_a), columns = lengths_of(b, of_b);
  const Array of_left = as_dtype(ordered(a, batch + of_a + common), dtype), of_right = as_dtype(ordered(b, batch + common + of_b), dtype);
  const Array left = reshape(of_left, batch.empty() ? Shape{rows, k} : Shape{n, rows, k});
  const Array right = reshape(of_right, batch.empty() ? Shape{k, columns} : Shape{n, k, columns});
  return {reshape(matmul(left, right), shape), labels};
}

}  // namespace

Array tensordot(const Array& a, const Array& b, const Extents& axes_of_a, const Extents& axes_of_b) {
  const auto mismatch = [] { return Error(ErrorKind::value, "shape-mismatch for sum"); };
  if (axes_of_a.size() != axes_of_b.size()) throw mismatch();
  const auto parts = [](const Array& x, const Extents& axes) {
    std::vector<size_t> taken;
    for (int64_t axis : axes) taken.push_back(normal_axis(axis, x.ndim()));
    std::vector<size_t> left;
    for (size_t d = 0; d < x.shape().size(); ++d)
      if (!std::ranges::count(taken, d)) left.push_back(d);
    return std::pair(taken, left);
  };
  const auto [over_a, left_a] = parts(a, axes_of_a);
  const auto [over_b, left_b] = parts(b, axes_of_b);
  Shape shape;
  int64_t k = 1;
  for (size_t i = 0; i < over_a.size(); ++i) {
    if (a.shape()[over_a[i]] != b.shape()[over_b[i]]) throw mismatch();
    k *= a.shape()[over_a[i]];
  }
  Extents order_a, order_b;
  int64_t rows = 1, columns = 1;
  const auto add = [](Extents& order, const std::vector<size_t>& axes) { for (size_t d : axes) order.push_back(static_cast<int64_t>(d)); };
  add(order_a, left_a);
  add(order_a, over_a);
  add(order_b, over_b);
  add(order_b, left_b);
  for (size_t d : left_a) shape.push_back(a.shape()[d]), rows *= a.shape()[d];
  for (size_t d : left_b) shape.push_back(b.shape()[d]), columns *= b.shape()[d];
  return reshape(matmul(reshape(transpose(a, order_a), {rows, k}), reshape(transpose(b, order_b), {k, columns})), shape);
}

Array inner(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return apply(Op::multiply, {a, b});
  if (a.shape().back() != b.shape().back())
    throw Error(ErrorKind::value, "shapes " + str(a.shape()) + " and " + str(b.shape()) + " not aligned: " + std::to_string(a.shape().back()) + " (dim " + std::to_string(a.ndim() - 1) + ") != " + std::to_string(b.shape().back()) + " (dim " + std::to_string(b.ndim() - 1) + ")");
  return b.ndim() == 1 ? matmul(a, b) : tensordot(a, b, {-1}, {-1});
}

Array kron(const Array& a, const Array& b) {
  const size_t ndim = std::max(a.shape().size(), b.shape().size());
  const auto spread = [&](const Array& x, bool is_first) {
    Shape shape;
    for (size_t d = 0; d < ndim; ++d) {
      const size_t more = ndim - x.shape().size();
      const int64_t n = d < more ? 1 : x.shape()[d - more];
      shape.push_back(is_first ? n : 1);
      shape.push_back(is_first ? 1 : n);
    }
    return std::pair(reshape(x, shape), shape);
  };
  const auto [x, x_shape] = spread(a, true);
  const auto [y, y_shape] = spread(b, false);
  Shape shape;
  for (size_t d = 0; d < ndim; ++d) shape.push_back(x_shape[2 * d] * y_shape[2 * d + 1]);
  return reshape(apply(Op::multiply, {x, y}), shape);
}

Array vdot(const Array& a, const Array& b) {
  if (a.size() != b.size()) throw Error(ErrorKind::value, "vdot of arrays of " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " elements");
  const Array x = ravel(a);
  return dot(is_complex(a.dtype()) ? apply(Op::conjugate, {x}) : x, ravel(b));
}

Subscripts parse_subscripts(std::string_view text, std::span<const int> ranks) {
  std::string plain;
  for (char c : text)
    if (c != ' ') plain += c;
  const auto wrong = [&](const std::string& why) { return Error(ErrorKind::value, "einsum: '" + std::string(text) + "' is no list of subscripts").why(why); };
  const size_t arrow = plain.find("->");
  const bool has_result = arrow != std::string::npos;
  const std::string left = plain.substr(0, arrow), right = has_result ? plain.substr(arrow + 2) : "";
  std::vector<std::string> terms(1);
  for (char c : left) {
    if (c == ',') terms.emplace_back();
    else terms.back() += c;
  }
  if (terms.size() != ranks.size()) throw wrong("it has " + std::to_string(terms.size()) + " terms for " + std::to_string(ranks.size()) + " operands");
  // Labels of ellipses are bytes that no letter has: the last axis is \1, the one before it \2.
  const auto expanded = [&](const std::string& term, size_t n_axes) {
    const size_t dots = term.find("...");
    std::string result = term;
    if (dots != std::string::npos) {
      std::string of_dots;
      for (size_t k = n_axes; k > 0; --k) of_dots += static_cast<char>(k);
      result = term.substr(0, dots) + of_dots + term.substr(dots + 3);
    }
    for (char c : result)
      if (!std::isalpha(static_cast<unsigned char>(c)) && c > 32) throw wrong(std::string("'") + c + "' is no letter");
    return result;
  };
  Subscripts subscripts;
  size_t most = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const bool has_dots = terms[i].find("...") != std::string::npos;
    const size_t letters = terms[i].size() - (has_dots ? 3 : 0), rank = static_cast<size_t>(ranks[i]);
    if (has_dots ? letters > rank : letters != rank)
      throw wrong("operand " + std::to_string(i) + " has " + std::to_string(rank) + " axes, '" + terms[i] + "' stands for " + std::to_string(letters));
    const size_t n_axes = has_dots ? rank - letters : 0;
    if (n_axes > 31) throw wrong("an ellipsis stands for 31 axes at most");
    most = std::max(most, n_axes);
    subscripts.operands.push_back(expanded(terms[i], n_axes));
  }
  if (has_result) {
    if (most > 0 && right.find("...") == std::string::npos) throw wrong("the axes of the ellipsis are not in the result");
    subscripts.result = expanded(right, most);
  } else {
    for (size_t k = most; k > 0; --k) subscripts.result += static_cast<char>(k);
    std::map<char, int> times;
    for (const std::string& term : subscripts.operands)
      for (char c : term) ++times[c];
    for (const auto& [label, n] : times)
      if (n == 1 && label > 32) subscripts.result += label;
  }
  for (size_t i = 0; i < subscripts.result.size(); ++i) {
    const char label = subscripts.result[i];
    if (subscripts.result.find(label, i + 1) != std::string::npos) throw wrong(std::string("'") + label + "' stands twice in the result");
    if (std::ranges::none_of(subscripts.operands, [&](const std::string& x) { return x.find(label) != std::string::npos; })) throw wrong(std::string("'") + label + "' of the result is in no operand");
  }
  return subscripts;
}

Array einsum(const Subscripts& subscripts, std::span<const Array> operands, std::span<const std::vector<size_t>> path) {
  std::vector<Labelled> parts;
  std::vector<Typed> dtypes;
  std::map<char, int64_t> lengths;
  for (size_t i = 0; i < operands.size(); ++i) {
    parts.push_back(without_repeats(operands[i], subscripts.operands[i]));
    dtypes.push_back({operands[i].dtype()});
    for (size_t d = 0; d < parts[i].labels.size(); ++d) {
      const int64_t n = parts[i].array.shape()[d];
      int64_t& known = lengths.try_emplace(parts[i].labels[d], n).first->second;
      if (known != n && known != 1 && n != 1)
        throw Error(ErrorKind::value, std::string("einsum: the label '") + parts[i].labels[d] + "' stands for axes of lengths " + std::to_string(known) + " and " + std::to_string(n));
      if (known == 1) known = n;
    }
  }
  const Dtype dtype = promote(dtypes);
  for (Labelled& part : parts) part = without_stretched(part, lengths);
  const auto labels_but = [&](std::span<const size_t> taken) {
    std::string kept = subscripts.result;
    for (size_t i = 0; i < parts.size(); ++i)
      if (std::ranges::find(taken, i) == taken.end()) kept += parts[i].labels;
    return kept;
  };
  for (std::vector<size_t> step : path) {
    std::ranges::sort(step);
    const std::string kept = labels_but(step);
    Labelled joined = parts[step[0]];
    for (size_t k = 1; k < step.size(); ++k) {
      std::string later = kept;
      for (size_t j = k + 1; j < step.size(); ++j) later += parts[step[j]].labels;
      joined = contracted(joined, parts[step[k]], later, dtype);
    }
    for (size_t k = step.size(); k-- > 0;) parts.erase(parts.begin() + static_cast<long>(step[k]));
    parts.push_back(joined);
  }
  while (parts.size() > 1) {
    const size_t last[] = {parts.size() - 2, parts.size() - 1};
    Labelled joined = contracted(parts[last[0]], parts[last[1]], labels_but(last), dtype);
    parts.resize(parts.size() - 2);
    parts.push_back(joined);
  }
  Labelled result = summed(parts[0], subscripts.result, dtype);
  return ordered({as_dtype(result.array, dtype), result.labels}, subscripts.result);
}

}  // namespace kasoku
