#include "kasoku/array/shape.h"

#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/state.h"
#include "kasoku/base/axis_error.h"
#include "kasoku/base/elements.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/replay.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

namespace kasoku {

namespace {

Shape known_shape(const Array& array, Shape shape) {
  const auto unknown = std::find(shape.begin(), shape.end(), -1);
  int64_t known = 1;
  bool is_too_large = false;
  for (int64_t length : shape)
    if (length != -1) is_too_large |= __builtin_mul_overflow(known, length, &known);
  const auto mismatch = [&] {
    return Error(ErrorKind::value,
                 "cannot reshape array of size " + std::to_string(array.size()) + " into shape " + str(shape));
  };
  if (unknown != shape.end()) {
    if (std::count(shape.begin(), shape.end(), -1) > 1) throw Error(ErrorKind::value, "can only specify one unknown dimension");
    if (is_too_large || known == 0 || array.size() % known != 0) throw mismatch();
    *unknown = array.size() / known;
    return shape;
  }
  if (is_too_large || known != array.size() || std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n < 0; }))
    throw mismatch();
  return shape;
}

/// Strides of the same elements in another shape, if there are any.
std::optional<Strides> strides_in(const View& view, const Shape& shape) {
  Strides result(shape.size());
  // Groups of axes with equal products, from the front, axes of length 1 left out.
  std::vector<size_t> old;
  for (size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] != 1) old.push_back(d);
  size_t i = 0, j = 0;
  while (i < old.size() && j < shape.size()) {
    size_t i_end = i + 1, j_end = j + 1;
    int64_t a = view.shape[old[i]], b = shape[j];
    while (a != b) {
      if (a < b) a *= view.shape[old[i_end++]];
      else b *= shape[j_end++];
    }
    for (size_t k = i; k + 1 < i_end; ++k)
      if (view.strides[old[k]] != view.strides[old[k + 1]] * view.shape[old[k + 1]]) return std::nullopt;
    int64_t stride = view.strides[old[i_end - 1]];
    for (size_t k = j_end; k-- > j;) {
      result[k] = stride;
      stride *= shape[k];
    }
    i = i_end;
    j = j_end;
  }
  for (; j < shape.size(); ++j) result[j] = 0;  // trailing axes of length 1
  return result;
}

std::vector<size_t> normal_axes(const Extents& axes, int64_t ndim) {
  std::vector<size_t> result;
  for (int64_t axis : axes) {
    const size_t d = normal_axis(axis, ndim);
    if (std::count(result.begin(), result.end(), d)) throw Error(ErrorKind::value, "repeated axis");
    result.push_back(d);
  }
  return result;
}

}  // namespace

size_t normal_axis(int64_t axis, int64_t ndim) {
  const int64_t d = axis < 0 ? axis + ndim : axis;
  if (d < 0 || d >= ndim)
    throw AxisError(axis, ndim);
  return static_cast<size_t>(d);
}

Array reshape(const Array& array, Shape shape) {
  shape = known_shape(array, std::move(shape));
  const View& view = array.state().view;
  if (array.size() == 0 || array.is_contiguous())
    return array.with_view({shape, contiguous_strides(shape, array.itemsize()), view.offset});
  if (auto strides = strides_in(view, shape)) return array.with_view({shape, *strides, view.offset});
  return reshape(copy(array), std::move(shape));
}

Array ravel(const Array& array) {
  if (!array.is_contiguous()) return reshape(copy(array), {array.size()});
  return array.with_view({{array.size()}, {static_cast<int64_t>(array.itemsize())}, array.offset()});
}

Array transpose(const Array& array, const std::optional<Extents>& axes) {
  const View& view = array.state().view;
  View result = view;
  if (!axes) {
    std::ranges::reverse(result.shape);
    std::ranges::reverse(result.strides);
    return array.with_view(result);
  }
  const std::vector<size_t> order = normal_axes(*axes, array.ndim());
  if (order.size() != view.shape.size()) throw Error(ErrorKind::value, "axes don't match array");
  result.shape.clear();
  result.strides.clear();
  for (size_t d : order) {
    result.shape.push_back(view.shape[d]);
    result.strides.push_back(view.strides[d]);
  }
  return array.with_view(result);
}

Array swapaxes(const Array& array, int64_t a, int64_t b) {
  View view = array.state().view;
  const size_t i = normal_axis(a, array.ndim()), j = normal_axis(b, array.ndim());
  std::swap(view.shape[i], view.shape[j]);
  std::swap(view.strides[i], view.strides[j]);
  return array.with_view(view);
}

Array moveaxis(const Array& array, const Extents& from, const Extents& to) {
  const bool is_one = from.size() == 1 && to.size() == 1;
  if (is_one && normal_axis(from[0], array.ndim()) == normal_axis(to[0], array.ndim())) return array;
  const auto a = normal_axes(from, array.ndim()), b = normal_axes(to, array.ndim());
  if (a.size() != b.size()) throw Error(ErrorKind::value, "`source` and `destination` arguments must have the same number of elements");
  Extents order;
  for (size_t d = 0; d < static_cast<size_t>(array.ndim()); ++d)
    if (!std::count(a.begin(), a.end(), d)) order.push_back(static_cast<int64_t>(d));
  std::vector<size_t> by_place(a.size());
  std::iota(by_place.begin(), by_place.end(), size_t{0});
  std::sort(by_place.begin(), by_place.end(), [&](size_t x, size_t y) { return b[x] < b[y]; });
  for (size_t k : by_place) order.insert(order.begin() + static_cast<long>(b[k]), static_cast<int64_t>(a[k]));
  return transpose(array, order);
}

Array squeeze(const Array& array, const std::optional<Extents>& axes) {
  const View& view = array.state().view;
  std::vector<size_t> out;
  if (axes) out = normal_axes(*axes, std::max(array.ndim(), 1));  // what has no axes may be asked for its only one
  View result{{}, {}, view.offset};
  for (size_t d = 0; d < view.shape.size(); ++d) {
    const bool wanted = axes ? std::count(out.begin(), out.end(), d) > 0 : view.shape[d] == 1;
    if (wanted && view.shape[d] != 1)
      throw Error(ErrorKind::value, "cannot select an axis to squeeze out which has size not equal to one");
    if (wanted) continue;
    result.shape.push_back(view.shape[d]);
    result.strides.push_back(view.strides[d]);
  }
  return array.with_view(result);
}

Array expand_dims(const Array& array, const Extents& axes) {
  View view = array.state().view;
  auto places = normal_axes(axes, array.ndim() + static_cast<int64_t>(axes.size()));
  std::sort(places.begin(), places.end());
  for (size_t d : places) {
    view.shape.insert(view.shape.begin() + static_cast<long>(d), 1);
    view.strides.insert(view.strides.begin() + static_cast<long>(d), 0);
  }
  return array.with_view(view);
}

Array flip(const Array& array, const std::optional<Extents>& axes) {
  View view = array.state().view;
  std::vector<size_t> turned(view.shape.size());
  std::iota(turned.begin(), turned.end(), size_t{0});
  if (axes) turned = normal_axes(*axes, array.ndim());
  for (size_t d : turned) {
    if (view.shape[d] > 0) view.offset += (view.shape[d] - 1) * view.strides[d];
    view.strides[d] = -view.strides[d];
  }
  return array.with_view(view);
}

Array roll(const Array& array, std::span<const int64_t> shifts, const std::optional<Extents>& axes) {
  if (!axes) return reshape(roll(ravel(array), shifts, Extents{0}), array.shape());  // by all shifts, one after the other
  if (shifts.size() != axes->size() && shifts.size() != 1 && axes->size() != 1)
    throw Error(ErrorKind::value, "roll has " + std::to_string(shifts.size()) + " shifts for " + std::to_string(axes->size()) + " axes");
  const Shape& shape = array.shape();
  Extents by(shape.size(), 0);
  const size_t n_moves = shifts.size() == 1 ? axes->size() : shifts.size();
  for (size_t i = 0; i < n_moves; ++i) {
    const size_t d = normal_axis((*axes)[axes->size() == 1 ? 0 : i], array.ndim());
    if (shape[d]) by[d] = (by[d] + shifts[shifts.size() == 1 ? 0 : i] % shape[d] + shape[d]) % shape[d];
  }
  Array result = Array::empty(shape, array.dtype(), array.device(), array.itemsize());
  struct Block {
    View from, to;
  };
  std::vector<Block> blocks{{array.input().view, {shape, result.strides(), 0}}};
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!by[d]) continue;
    const int64_t stays = shape[d] - by[d];
    for (size_t i = 0, n = blocks.size(); i < n; ++i) {
      Block comes_in = blocks[i];
      comes_in.from.offset += stays * comes_in.from.strides[d];
      comes_in.from.shape[d] = comes_in.to.shape[d] = by[d];
      blocks[i].to.offset += by[d] * blocks[i].to.strides[d];
      blocks[i].from.shape[d] = blocks[i].to.shape[d] = stays;
      blocks.push_back(std::move(comes_in));
    }
  }
  for (const Block& block : blocks) result.with_view(block.to).assign(array.with_view(block.from));
  return result;
}

namespace {

/// Rows of bytes between memory with gaps.
void copy_rows(char* to, size_t to_step, const char* from, size_t from_step, size_t bytes, int64_t n) {
  const auto step = [](size_t by, int64_t i) { return by * static_cast<size_t>(i); };
  const bool is_element = with_size(bytes, [&]<size_t size>() {
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + step(to_step, i), from + step(from_step, i), size);
  });
  for (int64_t i = 0; i < n && !is_element; ++i) std::memcpy(to + step(to_step, i), from + step(from_step, i), bytes);
}

/// Parts that are there in memory of the host, in C order and of the result's dtype, are copied by rows: a row of a kernel's
/// loop costs more than a short one's bytes. False if it is not done: long rows are for kernels, which share them out.
bool copy_parts(const Array& result, std::span<const Array> parts, size_t axis) {
  constexpr size_t long_row = size_t{1} << 18, bytes_of_share = size_t{1} << 17;
  if (!few_at_once.load(std::memory_order_relaxed) || Recorder::current() || !result.device().is_host() || result.dtype() == Dtype::opaque) return false;
  const Shape& shape = result.shape();
  const int64_t rows = std::accumulate(shape.begin(), shape.begin() + static_cast<int64_t>(axis), int64_t{1}, std::multiplies<>());
  size_t below = result.itemsize();
  for (size_t d = axis + 1; d < shape.size(); ++d) below *= static_cast<size_t>(shape[d]);
  const auto row_of = [&](const Array& x) { return below * static_cast<size_t>(x.shape()[axis]); };
  for (const Array& part : parts)
    if (part.dtype() != result.dtype() || &part.device() != &result.device() || part.is_pending() || !part.is_contiguous() || row_of(part) > long_row) return false;
  if (result.size() == 0) return true;
  char* to = static_cast<char*>(result.data());
  const size_t whole = row_of(result);
  for (const Array& part : parts) {
    const size_t row = row_of(part);
    if (row == 0) continue;
    const char* const from = static_cast<const char*>(part.data_for_read());
    if (static_cast<size_t>(rows) * row <= bytes_of_share)
      copy_rows(to, whole, from, row, row, rows);
    else
      cpu::parallel_blocks(static_cast<uint64_t>(rows), bytes_of_share / row + 1, [&](uint64_t begin, uint64_t end) {
        copy_rows(to + begin * whole, whole, from + begin * row, row, row, static_cast<int64_t>(end - begin));
      });
    to += row;
  }
  return true;
}

/// A view with at least so many axes, as NumPy's atleast_1d, _2d and _3d give them.
Array at_least(const Array& x, int axes) {
  if (x.ndim() >= axes) return x;
  if (axes == 3 && x.ndim() == 2) return expand_dims(x, {-1});
  return reshape(x, axes == 1 ? Shape{1} : axes == 2 ? Shape{1, x.size()} : Shape{1, x.size(), 1});
}

}  // namespace

Array concatenate(std::span<const Array> arrays, std::optional<int64_t> axis, std::optional<Dtype> dtype) {
  if (arrays.empty()) throw Error(ErrorKind::value, "need at least one array to concatenate");
  std::vector<Array> rows;
  if (!axis)
    for (const Array& each : arrays) rows.push_back(ravel(each));
  const std::span<const Array> parts = axis ? arrays : rows;
  if (parts[0].ndim() == 0) throw Error(ErrorKind::value, "zero-dimensional arrays cannot be concatenated");
  const size_t d = normal_axis(axis.value_or(0), parts[0].ndim());
  Shape shape = parts[0].shape();
  std::vector<Typed> dtypes;
  shape[d] = 0;
  for (const Array& part : parts) {
    Shape other = part.shape();
    if (other.size() == shape.size()) {
      shape[d] += other[d];
      other[d] = shape[d];
    }
    if (other != shape)
      throw Error(ErrorKind::value, "all the input array dimensions except for the concatenation axis must match exactly")
          .why("shapes " + str(parts[0].shape()) + " and " + str(part.shape()) + " along axis " + std::to_string(d));
    dtypes.push_back({part.dtype()});
  }
  Array result = Array::empty(shape, dtype.value_or(promote(dtypes)), parts[0].device());
  if (copy_parts(result, parts, d)) return result;
  View view{shape, result.strides(), 0};
  for (const Array& part : parts) {
    view.shape[d] = part.shape()[d];
    result.with_view(view).assign(part);
    view.offset += part.shape()[d] * view.strides[d];
  }
  return result;
}

Array stack(std::span<const Array> arrays, int64_t axis) {
  if (arrays.empty()) throw Error(ErrorKind::value, "need at least one array to stack");
  std::vector<Array> parts;
  for (const Array& array : arrays) {
    if (array.shape() != arrays[0].shape()) throw Error(ErrorKind::value, "all input arrays must have the same shape");
    parts.push_back(expand_dims(array, {axis}));
  }
  return concatenate(parts, axis);
}

Array stack_as(Stack form, std::span<const Array> arrays) {
  if (arrays.empty()) throw Error(ErrorKind::value, "need at least one array to stack");
  std::vector<Array> parts;
  for (const Array& x : arrays) {
    if (form == Stack::columns) parts.push_back(x.ndim() > 1 ? x : reshape(x, {x.size(), 1}));
    else parts.push_back(at_least(x, form == Stack::horizontal ? 1 : form == Stack::vertical ? 2 : 3));
  }
  const int64_t axis = form == Stack::vertical || (form == Stack::horizontal && parts[0].ndim() == 1) ? 0 : form == Stack::deep ? 2 : 1;
  return concatenate(parts, axis);
}

}  // namespace kasoku
