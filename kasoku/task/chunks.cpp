#include "kasoku/task/chunks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <string>

#include "kasoku/base/error.h"

namespace kasoku::chunks {

namespace {

int64_t product(const Lengths& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), int64_t{1}, std::multiplies<>());
}

int64_t sum(const Lengths& lengths) { return std::accumulate(lengths.begin(), lengths.end(), int64_t{0}); }

int64_t longest(const Lengths& lengths) { return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end()); }

int64_t up(int64_t n, int64_t by) { return (n + by - 1) / by; }

double median(Lengths lengths) {
  std::sort(lengths.begin(), lengths.end());
  const size_t half = lengths.size() / 2;
  return lengths.size() % 2 ? double(lengths[half]) : (double(lengths[half - 1]) + double(lengths[half])) / 2;
}

/// Where each chunk begins, and where the last ends.
Lengths starts(const Lengths& lengths) {
  Lengths ends{0};
  for (int64_t n : lengths) ends.push_back(ends.back() + n);
  return ends;
}

/// The lengths between ends.
Lengths between(const Lengths& ends) {
  Lengths found;
  for (size_t k = 1; k < ends.size(); ++k) found.push_back(ends[k] - ends[k - 1]);
  return found.empty() ? Lengths{0} : found;
}

/// The length that most chunks have, if half of them have it, else all of the axis.
int64_t usual_length(const Lengths& lengths) {
  int64_t best = 0, most = 0;
  for (int64_t n : lengths) {
    const int64_t count = std::count(lengths.begin(), lengths.end(), n);
    if (count > most) best = n, most = count;
  }
  return best > 1 && 2 * most >= int64_t(lengths.size()) ? best : sum(lengths);
}

}  // namespace

Lengths cut(int64_t length, int64_t size) {
  if (size == -1 || size >= length) return {length};
  if (size < 1) throw Error(ErrorKind::value, "a chunk has at least 1 element, not " + std::to_string(size));
  Lengths found(static_cast<size_t>(length / size), size);
  if (length % size) found.push_back(length % size);
  return found;
}

Lengths evenly(int64_t length, int64_t parts) {
  Lengths found;
  for (int64_t k = 0; k < parts; ++k) found.push_back(length / parts + (k < length % parts));
  return found;
}

Lengths gathered(const Lengths& lengths, double size) {
  Lengths found{0};
  for (int64_t n : lengths) {
    if (found.back() && double(found.back() + n) > size) found.push_back(0);
    found.back() += n;
  }
  return found;
}

std::optional<Lengths> balanced(const Lengths& lengths) {
  if (lengths.empty()) return std::nullopt;
  const int64_t total = sum(lengths), middle = int64_t(median(lengths)), most = longest(lengths);
  const int64_t least = *std::min_element(lengths.begin(), lengths.end());
  const size_t count = lengths.size() - (2 * least <= most);
  std::optional<Lengths> best;
  int64_t narrowest = 0;
  for (int64_t n = std::max<int64_t>(1, middle - middle / 2); n <= middle + middle / 2; ++n) {
    Lengths found = cut(total, n);
    if (found.size() != count) continue;
    const int64_t spread = longest(found) - *std::min_element(found.begin(), found.end());
    if (best && spread >= narrowest) continue;
    best = std::move(found);
    narrowest = spread;
  }
  return best;
}

std::vector<Lengths> of_equal_sides(const Lengths& shape, double room) {
  Lengths sorted = shape;
  std::sort(sorted.begin(), sorted.end());
  int64_t side = sorted.empty() ? 1 : std::max<int64_t>(1, sorted.back());
  for (size_t k = 0; k < sorted.size(); ++k) {  // a shorter axis leaves the others more
    const int64_t each = std::max<int64_t>(1, int64_t(std::pow(room, 1.0 / double(sorted.size() - k)) + 1e-9));
    if (sorted[k] > each) {
      side = each;
      break;
    }
    room /= double(std::max<int64_t>(1, sorted[k]));
  }
  std::vector<Lengths> found;
  for (int64_t n : shape) found.push_back(cut(n, side));
  return found;
}

std::vector<Lengths> in_proportion(const std::vector<Lengths>& before, double room, double tolerance) {
  const size_t axes = before.size();
  std::vector<Lengths> made(axes);
  std::vector<double> sizes;
  std::vector<bool> is_left(axes, true), counts(axes, true);  // counts: its size takes room
  for (const Lengths& lengths : before) sizes.push_back(median(lengths));
  const auto taken = [&] {
    double all = 1;
    for (size_t k = 0; k < axes; ++k)
      if (counts[k] && sizes[k]) all *= sizes[k];
    return all;
  };
  double factor = room / taken(), spare = 1;
  const bool shrinks = factor < 1;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    const double share = 1.0 / double(std::max<ptrdiff_t>(1, std::count(is_left.begin(), is_left.end(), true)));
    for (size_t k = 0; k < axes; ++k) {
      if (!is_left[k]) continue;
      const int64_t length = sum(before[k]), usual = usual_length(before[k]);
      const double size = sizes[k] * std::pow(factor, share);
      if (size > double(length)) {
        made[k] = {length};
        spare *= double(length);
        goes_on = true;
        is_left[k] = counts[k] = false;
      } else if (shrinks || double(longest(before[k])) > size * std::pow(tolerance, share)) {
        const int64_t whole = size <= double(usual) ? int64_t(size) : int64_t(std::floor(size / double(usual))) * usual;
        const int64_t own = std::max<int64_t>(1, whole);
        made[k] = cut(length, own);
        if (shrinks) sizes[k] = double(own);
        if (size < 1) {
          goes_on = true;
          is_left[k] = false;
        }
      } else {
        made[k] = gathered(before[k], size);
      }
    }
    if (goes_on || shrinks) {
      const double last = factor;
      factor = room / spare / taken();
      goes_on = goes_on || factor != last;
    }
  }
  return made;
}

Pieces sliced(const Lengths& lengths, int64_t start, int64_t stop, int64_t step) {
  Pieces found;
  int64_t begin = 0;
  for (int64_t n : lengths) {
    int64_t first = std::max(start, begin);
    first += (step - (first - start) % step) % step;
    const int64_t last = std::min(stop, begin + n);
    if (first < last) {
      found.ends.emplace_back(first, last);
      found.lengths.push_back(up(last - first, step));
    }
    begin += n;
  }
  if (found.ends.empty()) return {{{0, 0}}, {0}};
  return found;
}

std::vector<std::vector<Part>> parts_of(const Lengths& lengths, const Ends& pieces) {
  const Lengths ends = starts(lengths);
  std::vector<std::vector<Part>> found;
  for (const auto& [begin, end] : pieces) {
    std::vector<Part> parts;
    size_t k = static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), begin) - ends.begin()) - 1;
    for (; k < lengths.size() && ends[k] < end; ++k) {
      const int64_t from = std::max(begin, ends[k]), to = std::min(end, ends[k + 1]);
      if (from < to) parts.push_back({int64_t(k), from - ends[k], to - ends[k]});
    }
    if (parts.empty()) parts.push_back({0, 0, 0});
    found.push_back(std::move(parts));
  }
  return found;
}

// ── reshape ───────────────────────────────────────────────────────────────────────────────

namespace {

/// As short as runs can be.
std::vector<Run> runs_of(const Lengths& old_shape, const Lengths& new_shape) {
  std::vector<Run> runs;
  size_t i = 0, j = 0;
  while (i < old_shape.size() || j < new_shape.size()) {
    Run run;
    int64_t left = 1, right = 1;
    const bool both = i < old_shape.size() && j < new_shape.size();
    const bool is_same = both && old_shape[i] == new_shape[j];
    if (i < old_shape.size()) left = old_shape[i], run.before.push_back(i++);
    if (j < new_shape.size()) right = new_shape[j], run.after.push_back(j++);
    while (!is_same && left != right) {
      if (left < right ? i == old_shape.size() : j == new_shape.size())
        throw Error(ErrorKind::value, "reshape: the shapes have not as many elements");
      if (left < right) {
        left *= old_shape[i];
        run.before.push_back(i++);
      } else {
        right *= new_shape[j];
        run.after.push_back(j++);
      }
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

using Grid = std::vector<Lengths>;

/// Chunks that are runs in C order, of about so many elements at most: ones along the first axes, pieces of the chunks along
/// one, all of the others.
Grid in_order(const Lengths& shape, const Grid& chunks, double limit) {
  Grid found;
  for (size_t k = 0; k < shape.size(); ++k) {
    const int64_t rest = product({shape.begin() + ptrdiff_t(k) + 1, shape.end()});
    if (double(rest) > limit && k + 1 < shape.size()) {
      found.emplace_back(static_cast<size_t>(shape[k]), 1);
      continue;
    }
    Lengths pieces;
    for (int64_t c : k ? Lengths{shape[k]} : chunks[k]) {  // behind ones the chunks' ends do not help
      const int64_t wanted = std::max<int64_t>(1, int64_t(std::ceil(double(c) * double(rest) / limit)));
      Lengths own = evenly(c, std::min(std::max<int64_t>(1, c), wanted));
      pieces.insert(pieces.end(), own.rbegin(), own.rend());
    }
    found.push_back(pieces);
    for (size_t i = k + 1; i < shape.size(); ++i) found.push_back({shape[i]});
    return found;
  }
  return found;
}

/// How many elements are in each of the chunks of a grid, in C order.
Lengths sizes_of(const Grid& chunks) {
  Lengths found{1};
  for (const Lengths& axis : chunks) {
    Lengths next;
    for (int64_t before : found)
      for (int64_t n : axis) next.push_back(before * n);
    found = std::move(next);
  }
  return found;
}

/// Chunks along the first axis, all of the others.
Grid rows_of(Lengths first, const Lengths& shape) {
  Grid found{std::move(first)};
  for (size_t k = 1; k < shape.size(); ++k) found.push_back({shape[k]});
  return found;
}

/// The chunks of a run of axes before and after.
std::pair<Grid, Grid> planned(const Lengths& from, const Lengths& to, const Grid& chunks, double limit, bool merges) {
  if (from.empty() || to.empty()) return {Grid(from.size(), {1}), Grid(to.size(), {1})};  // axes of length 1 come or go
  double size = 1;
  for (const Lengths& axis : chunks) size *= double(longest(axis));
  size = std::min(limit, size);
  if (to.size() == 1) {
    Grid before;
    if (merges) {
      before = in_order(from, chunks, size);
    } else {
      for (size_t k = 0; k + 1 < from.size(); ++k) before.emplace_back(static_cast<size_t>(from[k]), 1);
      before.push_back(chunks.back());
    }
    return {before, {sizes_of(before)}};
  }
  const int64_t mine = product({from.begin() + 1, from.end()}), theirs = product({to.begin() + 1, to.end()});
  if (from.size() == 1) {
    std::set<int64_t> ends{to[0]};
    for (int64_t end : starts(chunks[0])) ends.insert(end / std::max<int64_t>(1, theirs));
    const Grid after = in_order(to, rows_of(between({ends.begin(), ends.end()}), to), size);
    return {{sizes_of(after)}, after};
  }
  Lengths ends, rows;
  for (int64_t end : starts(chunks[0]))
    if (end * mine % theirs == 0) ends.push_back(end);
  const Lengths own = between(ends);
  for (int64_t n : own) rows.push_back(n * mine / theirs);
  return {rows_of(own, from), rows_of(rows, to)};
}

}  // namespace

Reshaping reshaping(const Lengths& old_shape, const Lengths& new_shape, const std::vector<Lengths>& chunks, double limit,
                    bool merges) {
  Reshaping plan{runs_of(old_shape, new_shape), {}, {}};
  plan.before.resize(old_shape.size());
  plan.after.resize(new_shape.size());
  for (const Run& run : plan.runs) {
    if (run.before.size() == 1 && run.after.size() == 1) continue;
    Lengths from, to;
    Grid own;
    for (size_t k : run.before) from.push_back(old_shape[k]), own.push_back(chunks[k]);
    for (size_t k : run.after) to.push_back(new_shape[k]);
    const auto [before, after] = planned(from, to, own, limit, merges);
    for (size_t k = 0; k < run.before.size(); ++k) plan.before[run.before[k]] = before[k];
    for (size_t k = 0; k < run.after.size(); ++k) plan.after[run.after[k]] = after[k];
  }
  return plan;
}

}  // namespace kasoku::chunks
