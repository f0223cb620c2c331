#include "kasoku/array/advanced_index.h"

#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/basic_index.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/compile/backends.h"

#include <algorithm>
#include <limits>
#include <string>

namespace kasoku {

bool is_mask(const Index& x) { return x.kind == Index::array && x.array_value->dtype() == Dtype::bool_; }

namespace {

/// Axes of the array that an entry of the index uses up.
int64_t axes_of(const Index& x) {
  if (x.kind == Index::newaxis || x.kind == Index::ellipsis) return 0;
  return is_mask(x) ? x.array_value->ndim() : 1;
}

/// With whole slices before an ellipsis, so that every axis has its entry.
std::vector<Index> spelled_out(const Array& array, const std::vector<Index>& index) {
  int64_t used = 0;
  int n_ellipses = 0;
  for (const Index& x : index) {
    used += axes_of(x);
    n_ellipses += x.kind == Index::ellipsis;
  }
  if (n_ellipses > 1) throw Error(ErrorKind::index, "an index can only have a single ellipsis ('...')");
  if (used > array.ndim())
    throw Error(ErrorKind::index, "too many indices for array: array is " + std::to_string(array.ndim()) +
                                      "-dimensional, but " + std::to_string(used) + " were indexed");
  Index whole;
  whole.kind = Index::slice;
  std::vector<Index> result;
  for (const Index& x : index) {
    if (x.kind == Index::ellipsis) result.insert(result.end(), static_cast<size_t>(array.ndim() - used), whole);
    result.push_back(x);  // an ellipsis too: one of no axes still stands between arrays
  }
  if (n_ellipses == 0) result.insert(result.end(), static_cast<size_t>(array.ndim() - used), whole);
  return result;
}

BasicIndex slice_of(const Index& x) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  return {.is_number = false,
          .start = x.start.value_or(x.step > 0 ? 0 : most),
          .stop = x.stop.value_or(x.step > 0 ? most : least),
          .step = x.step};
}

/// The positions that an array's indices mean, all of which lie within the axis.
Array checked_positions(const AdvancedIndex::Entry& x, int64_t length) {
  const auto are_inside = [&](const Array& positions) { return greatest_unsigned(positions) < static_cast<uint64_t>(length); };
  const Array at = astype(x.array, Dtype::int64);
  if (at.size() == 0 || are_inside(at)) return at;  // what gathers them reads memory then, and computes nothing
  const Array from_first = apply(Op::where, {apply(Op::less, {at, 0}), apply(Op::add, {at, length}), at});
  if (are_inside(from_first)) return from_first;
  const Array host = to_device(contiguous(at), device("cpu"));
  const auto* all = static_cast<const int64_t*>(host.data_for_read());
  throw not_in_axis(*std::find_if(all, all + host.size(), [&](int64_t k) { return k < -length || k >= length; }), length, x.axis);
}

}  // namespace

AdvancedIndex advanced_index(const Array& array, const std::vector<Index>& index) {
  const View from = array.input().view;
  View view{{}, {}, from.offset};
  std::vector<AdvancedIndex::Entry> arrays;
  size_t d = 0, place = 0;
  const bool has_arrays = std::any_of(index.begin(), index.end(), [](const Index& x) { return x.kind == Index::array; });
  for (const Index& x : spelled_out(array, index)) {
    ++place;
    switch (x.kind) {
      case Index::newaxis:
        view.shape.push_back(1);
        view.strides.push_back(0);
        break;
      case Index::number: {
        const int64_t length = from.shape[d], at = x.number_value < 0 ? x.number_value + length : x.number_value;
        if (at < 0 || at >= length)
          throw not_in_axis(x.number_value, length, d);
        if (has_arrays) {  // beside arrays a number is one of them, NumPy says
          arrays.push_back({view.shape.size(), place, full({}, Scalar::of(at), Dtype::int64, array.device())});
          view.shape.push_back(length);
          view.strides.push_back(from.strides[d++]);
        } else {
          view.offset += at * from.strides[d++];
        }
        break;
      }
      case Index::slice: {
        const SlicedAxis axis = axis_of_slice(slice_of(x), from.shape[d], from.strides[d]);
        view.shape.push_back(axis.length);
        view.strides.push_back(axis.stride);
        view.offset += axis.first * from.strides[d++];
        break;
      }
      case Index::array: {
        const int64_t n = axes_of(x);
        if (is_mask(x)) {
          for (int64_t k = 0; k < n; ++k)
            if (x.array_value->shape()[static_cast<size_t>(k)] != from.shape[d + static_cast<size_t>(k)] &&
                x.array_value->shape()[static_cast<size_t>(k)] != 0)  // an empty mask fits everywhere, NumPy says
              throw Error(ErrorKind::index, "boolean index did not match indexed array along axis " + std::to_string(d + static_cast<size_t>(k)) +
                                                "; size of axis is " + std::to_string(from.shape[d + static_cast<size_t>(k)]) +
                                                " but size of corresponding boolean axis is " + std::to_string(x.array_value->shape()[static_cast<size_t>(k)]));
          if (n == 0) {  // a bool is an axis more, with the array once or not at all
            arrays.push_back({view.shape.size(), place, full({is_true(*x.array_value) ? 1 : 0}, Scalar::of(int64_t{0}), Dtype::int64, array.device())});
            view.shape.push_back(1);
            view.strides.push_back(0);
          }
          for (const Array& positions : nonzero(*x.array_value)) {
            arrays.push_back({view.shape.size(), place, positions, true, true});
            view.shape.push_back(from.shape[d]);
            view.strides.push_back(from.strides[d++]);
          }
        } else {
          if (!is_integer(x.array_value->dtype()))
            throw Error(ErrorKind::index, "arrays used as indices must be of integer (or boolean) type");
          arrays.push_back({view.shape.size(), place, *x.array_value, x.is_inside});
          view.shape.push_back(from.shape[d]);
          view.strides.push_back(from.strides[d++]);
        }
        break;
      }
      case Index::ellipsis: break;
    }
  }
  return {array.with_view(view), std::move(arrays)};
}

Places places_of(const AdvancedIndex& index) {
  const View view = index.view.input().view;
  Places result;
  result.view.offset = view.offset;
  Shape& together = result.together;
  for (const auto& x : index.arrays) {
    try {
      together = broadcast(together, x.array.shape());
    } catch (const Error&) {
      throw Error(ErrorKind::index, "shape mismatch: indexing arrays could not be broadcast together with shapes " + str(together) + " " + str(x.array.shape()));
    }
  }
  bool adjacent = true;
  for (size_t k = 1; k < index.arrays.size(); ++k) adjacent &= index.arrays[k].place <= index.arrays[k - 1].place + 1;
  const size_t first = adjacent ? index.arrays[0].axis : 0;
  const auto add_axes = [&](size_t from, size_t to) {
    for (size_t d = from; d < to; ++d) {
      if (std::ranges::any_of(index.arrays, [&](const auto& x) { return x.axis == d; })) continue;
      result.view.shape.push_back(view.shape[d]);
      result.view.strides.push_back(view.strides[d]);
    }
  };
  add_axes(0, first);
  result.front = result.view.shape.size();
  result.view.shape.insert(result.view.shape.end(), together.begin(), together.end());
  result.view.strides.resize(result.view.shape.size());
  add_axes(first, view.shape.size());
  return result;
}

Error not_in_axis(int64_t at, int64_t length, size_t axis) {
  return Error(ErrorKind::index, "index " + std::to_string(at) + " is out of bounds for axis " + std::to_string(axis) + " with size " + std::to_string(length));
}

void keep_positions(AdvancedIndex& index) {
  const auto to = index.view.buffer_if_computed();
  for (AdvancedIndex::Entry& x : index.arrays)
    if (const auto at = x.array.buffer_if_computed(); to && at && at->overlaps(*to)) x.array = copy(x.array);
}

Places with_positions(Places places, const AdvancedIndex& index) {
  const View view = index.view.input().view;
  for (AdvancedIndex::Entry x : index.arrays) {
    x.array = to_device(x.array, index.view.device());
    places.along.push_back({x.is_inside ? x.array : checked_positions(x, view.shape[x.axis]), view.shape[x.axis], view.strides[x.axis]});
  }
  const auto& arrays = index.arrays;
  places.are_different = std::ranges::all_of(arrays, [&](const auto& x) { return x.is_of_mask && x.place == arrays[0].place; });
  return places;
}

}  // namespace kasoku
