#include "kasoku/array/seen_through.h"

#include <algorithm>
#include <cstdlib>

namespace kasoku {

bool is_whole(const View& view, const Shape& shape, size_t itemsize) {
  return view.offset == 0 && product(view.shape) == product(shape) && is_contiguous(view, itemsize);
}

std::optional<SeenThrough::Steps> SeenThrough::take_apart() const {
  const Shape& shape = node_.shape;
  const Strides whole = contiguous_strides(shape, node_.itemsize);
  Steps steps;
  steps.origin.resize(shape.size());
  int64_t rest = view_.offset;
  for (size_t d = 0; d < shape.size(); ++d) {
    steps.origin[d] = rest / whole[d];
    rest %= whole[d];
  }
  Extents low = steps.origin, high = steps.origin;
  for (size_t a = 0; a < view_.shape.size(); ++a) {
    const int64_t stride = view_.strides[a];
    steps.axis.push_back(-1);
    steps.step.push_back(0);
    if (view_.shape[a] <= 1 || stride == 0) continue;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] <= 1 || stride % whole[d] != 0) continue;
      const int64_t step = stride / whole[d];
      if (std::abs(step) >= shape[d]) continue;
      steps.axis[a] = static_cast<int>(d);
      steps.step[a] = step;
      (step < 0 ? low : high)[d] += step * (view_.shape[a] - 1);
      break;
    }
    if (steps.axis[a] < 0) return std::nullopt;
  }
  for (size_t d = 0; d < shape.size(); ++d)
    if (low[d] < 0 || high[d] >= shape[d]) return std::nullopt;
  return steps;
}

std::optional<View> SeenThrough::input(const Input& input) {
  const bool is_constant = std::all_of(input.view.strides.begin(), input.view.strides.end(), [](int64_t s) { return s == 0; });
  if (is_constant) return View{view_.shape, Strides(view_.shape.size(), 0), input.view.offset};
  if (is_whole(view_, node_.shape, node_.itemsize) && view_.shape == node_.shape) return input.view;
  if (is_contiguous(input.view, input.node->itemsize)) {
    const int64_t from = static_cast<int64_t>(node_.itemsize), to = static_cast<int64_t>(input.node->itemsize);
    View result{view_.shape, view_.strides, input.view.offset + view_.offset / from * to};
    for (int64_t& stride : result.strides) stride = stride / from * to;
    return result;
  }
  if (!is_taken_apart_) steps_ = take_apart();
  is_taken_apart_ = true;
  if (!steps_) return std::nullopt;
  View result{view_.shape, Strides(view_.shape.size(), 0), input.view.offset};
  for (size_t d = 0; d < node_.shape.size(); ++d) result.offset += steps_->origin[d] * input.view.strides[d];
  for (size_t a = 0; a < view_.shape.size(); ++a)
    if (steps_->axis[a] >= 0) result.strides[a] = steps_->step[a] * input.view.strides[steps_->axis[a]];
  return result;
}

}  // namespace kasoku
