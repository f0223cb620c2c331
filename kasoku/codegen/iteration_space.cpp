#include "kasoku/codegen/loop.h"

#include <algorithm>
#include <cstdlib>

namespace kasoku {
namespace {

/// A shorter innermost axis makes short loops.
constexpr int64_t short_axis = 16;
/// Threads of a GPU count a little past the last element.
constexpr int64_t narrow_limit = (int64_t{1} << 31) - 4096;

}  // namespace

int64_t IterationSpace::size() const {
  int64_t n = 1;
  for (int64_t length : lengths) n *= length;
  return n;
}

void IterationSpace::swap(size_t a, size_t b) {
  std::swap(lengths[a], lengths[b]);
  for (Walk& walk : walks) std::swap(walk.strides[a], walk.strides[b]);
}

void IterationSpace::insert_axis(size_t at) {
  lengths.insert(lengths.begin() + at, 1);
  for (Walk& walk : walks) walk.strides.insert(walk.strides.begin() + at, 0);
}

void IterationSpace::erase_axis(size_t at) {
  lengths.erase(lengths.begin() + at);
  for (Walk& walk : walks) walk.strides.erase(walk.strides.begin() + at);
  if (kept != all && at < kept) --kept;
}

/// An axis goes inside another if some operand has smaller steps along it and none has larger ones.
bool IterationSpace::sort(size_t first, size_t last) {
  const auto belongs_inside = [&](size_t a, size_t b) {
    bool is_smaller = false;
    for (const Walk& walk : walks) {
      if (is_reduction() && walk.kind != Walk::memory) continue;
      const int64_t x = std::abs(walk.strides[a]), y = std::abs(walk.strides[b]);
      if (x == 0 || y == 0) continue;
      if (x > y) return false;
      is_smaller |= x < y;
    }
    return is_smaller;
  };
  bool moved = false;
  for (size_t i = first + 1; i < last; ++i)
    for (size_t j = i; j > first && belongs_inside(j - 1, j); --j, moved = true) swap(j - 1, j);
  return moved;
}

bool IterationSpace::order_kept() {
  Walk results{.offset = 0, .strides = Extents(lengths.size(), 0), .unit = 1, .kind = Walk::numbers};
  int64_t step = 1;
  for (size_t d = kept; d-- > 0; step *= lengths[d]) results.strides[d] = lengths[d] == 1 ? 0 : step;
  walks.push_back(std::move(results));
  if (sort(0, kept)) return true;
  walks.pop_back();
  return false;
}

void IterationSpace::keep_outer(int64_t inner) {
  const size_t axis = kept++;
  if (inner == 1) return;
  insert_axis(axis);
  lengths[axis] = lengths[axis + 1] / inner;
  lengths[axis + 1] = inner;
  for (Walk& walk : walks) walk.strides[axis] = inner * walk.strides[axis + 1];
}

void IterationSpace::merge() {
  for (size_t d = lengths.size(); d-- > 0;) {
    if (lengths[d] == 1) {
      erase_axis(d);
      continue;
    }
    const bool has_next = d + 1 < lengths.size() && d + 1 != kept;
    if (!has_next || !std::ranges::all_of(walks, [&](const Walk& walk) {
          return walk.strides[d] == walk.strides[d + 1] * lengths[d + 1];
        }))
      continue;
    lengths[d + 1] *= lengths[d];
    erase_axis(d);
  }
}

void IterationSpace::arrange(AxisOrder order, bool by_threads) {
  if (order == AxisOrder::free) sort(0, lengths.size());
  if (order != AxisOrder::given) merge();
  if (lengths.size() == (kept == all ? 0 : kept)) insert_axis(lengths.size());
  const size_t last = lengths.size() - 1;
  // Threads side by side store neighbours at once, in however short rows.
  const auto stays = [&] { return by_threads && std::abs(walks[0].strides[last]) == walks[0].unit; };
  if (order == AxisOrder::free && lengths[last] < short_axis && !stays()) {
    const auto longest = static_cast<size_t>(std::ranges::max_element(lengths) - lengths.begin());
    if (lengths[longest] >= 4 * lengths[last]) swap(longest, last);
  }
  go_along(last);
  is_narrow = size() < narrow_limit;
  for (const Walk& walk : walks) {
    int64_t reach = walk.kind == Walk::memory ? 0 : std::abs(walk.offset);
    for (size_t d = 0; d < lengths.size(); ++d)
      if (walk.kind != Walk::memory || d != last || walk.inner != Inner::unit)  // neighbours are counted in elements
        reach += std::abs(walk.strides[d]) * std::max<int64_t>(lengths[d] - 1, 0);
    is_narrow &= reach < narrow_limit;
  }
}

void IterationSpace::go_along(size_t axis) {
  inner = axis;
  for (Walk& walk : walks) {
    const int64_t stride = walk.strides[axis];
    walk.inner = lengths[axis] == 1 || stride == walk.unit ? Inner::unit : stride == 0 ? Inner::broadcast : Inner::strided;
  }
}

}  // namespace kasoku
