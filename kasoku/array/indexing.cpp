#include "kasoku/array/indexing.h"

#include "kasoku/array/advanced_index.h"
#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/basic_index.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/few_places.h"
#include "kasoku/array/places.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/elements.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/replay.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

namespace kasoku {

namespace {

/// In C order where the host reads it.
Array positions_on_host(const Array& indices, const Shape& shape) {
  Array at = indices.dtype() == Dtype::int64 ? indices : astype(indices, Dtype::int64);
  if (at.shape() != shape) at = broadcast_to(at, shape);
  at = contiguous(at);
  return at.device().is_host() ? at : to_device(at, device("cpu"));
}

/// On a host: what an array of indices holds, all of which lie within its axis, in C order.
class Positions {
 public:
  Positions(const AdvancedIndex& basic, const AdvancedIndex::Entry& x, const Shape& shape)
      : at_(positions_on_host(x.array, shape)),
        places_{static_cast<const int64_t*>(at_.data_for_read()), product(shape), basic.view.shape()[x.axis], basic.view.strides()[x.axis]} {
    if (const int64_t* const k = places_.outside()) throw not_in_axis(*k, places_.length, x.axis);
  }
  template <class One>
  void each(One one) const { places_.each(one); }

 private:
  const Array at_;
  const PlacesAlong places_;
};

/// The elements that indices name, between an array and memory in C order: on a host, where they are few.
class FewPlaces {
 public:
  FewPlaces(const AdvancedIndex& basic, const Places& part) : view_(part.view), front_(part.front), behind_(part.behind()), n_(product(part.together)) {
    if (basic.arrays.size() == 1 && front_ == 0) {
      alone_.emplace(basic, basic.arrays[0], part.together);
    } else {
      offsets_.resize(static_cast<size_t>(n_));
      for (const auto& x : basic.arrays) Positions(basic, x, part.together).each([offsets = offsets_.data()](int64_t offset, int64_t i) { offsets[i] += offset; });
    }
    const size_t first = view_.shape.size() - behind_;
    block_ = {view_.shape.data() + first, behind_, basic.view.itemsize()};
    steps_ = view_.strides.data() + first;
    block_steps_ = contiguous_strides(Shape(view_.shape.begin() + static_cast<int64_t>(first), view_.shape.end()), block_.itemsize);
  }
  /// `array` is where the view begins.
  void read(const char* array, char* to) const {
    if (behind_ == 0 && with_size(block_.itemsize, [&]<size_t size>() {
          each([=](int64_t offset, int64_t i) { std::memcpy(to + i * int64_t{size}, array + offset, size); });
        }))
      return;
    each([&, bytes = static_cast<int64_t>(block_.bytes())](int64_t offset, int64_t i) { block_.copy(to + i * bytes, block_steps_.data(), array + offset, steps_); });
  }
  void write(char* array, const char* from) const {
    if (behind_ == 0 && with_size(block_.itemsize, [&]<size_t size>() {
          each([=](int64_t offset, int64_t i) { std::memcpy(array + offset, from + i * int64_t{size}, size); });
        }))
      return;
    each([&, bytes = static_cast<int64_t>(block_.bytes())](int64_t offset, int64_t i) { block_.copy(array + offset, steps_, from + i * bytes, block_steps_.data()); });
  }
  /// one(offset, i) of each place, in order: for each along the axes in front and each index.
  template <class One>
  void each(One one) const {
    if (alone_) return alone_->each(one);
    int64_t done = 0;
    each(0, 0, done, one);
  }

 private:
  template <class One>
  void each(size_t axis, int64_t from, int64_t& done, One one) const {
    if (axis == front_) {
      const int64_t *const offsets = offsets_.data(), n = n_, start = done;
      for (int64_t i = 0; i < n; ++i) one(from + offsets[i], start + i);
      done += n;
      return;
    }
    for (int64_t i = 0; i < view_.shape[axis]; ++i) each(axis + 1, from + i * view_.strides[axis], done, one);
  }

  const View& view_;
  const size_t front_, behind_;
  const int64_t n_;
  std::optional<Positions> alone_;  ///< one array of indices along the first axis
  std::vector<int64_t> offsets_;    ///< of others: bytes from the view's first element, one after the other
  Elements block_;
  const int64_t* steps_;
  Strides block_steps_;
};

/// On a host so few elements are copied by the time that a kernel needs to be found.
constexpr int64_t few_indexed = 16384;

/// Whether elements are read and written by a kernel. Records have none.
bool are_for_kernel(const Array& array, const Places& part) {
  return array.dtype() != Dtype::opaque && (!array.device().is_host() || product(part.view.shape) > few_indexed ||
                                            !few_at_once.load(std::memory_order_relaxed) || Recorder::current());
}

std::vector<Index> on_host(std::vector<Index> index) {
  for (Index& x : index)
    if (x.array_value) x.array_value = to_device(*x.array_value, device("cpu"));
  return index;
}

bool is_at_hand(const Array& array) {
  return array.device().is_host() && array.dtype() != Dtype::opaque && !array.is_pending();
}

/// The only element, if it is known without a kernel.
std::optional<Scalar> number_at_hand(const Array& array) {
  if (array.size() != 1) return std::nullopt;
  if (std::optional<Scalar> number = array.number()) return number;
  return is_at_hand(array) && !Recorder::current() ? std::optional(Scalar::load(array.dtype(), array.data_for_read())) : std::nullopt;
}

/// What the element holds now. One that is at hand is read; else a pending copy stands for the value, which runs before
/// the array is written.
Array value_of(const Array& element) {
  if (!is_at_hand(element) || Recorder::current()) return copy(element).read_only();
  return value(Scalar::load(element.dtype(), element.data_for_read()), element.dtype(), element.device());
}

bool is_whole_mask(const Array& array, const std::vector<Index>& index) {
  return index.size() == 1 && is_mask(index[0]) && array.ndim() > 0 && index[0].array_value->shape() == array.shape();
}

Array elements_at(const AdvancedIndex& basic, const Places& from) {
  const Array& view = basic.view;
  if (are_for_kernel(view, from)) return gather(view, with_positions(from, basic));
  const FewPlaces places(basic, from);
  Array result = Array::empty(from.view.shape, view.dtype(), view.device(), view.itemsize());
  places.read(static_cast<const char*>(view.data_for_read()), static_cast<char*>(result.data()));
  return result;
}

bool is_in_order(const Extents& order) { return std::ranges::is_sorted(order); }

/// Axes of the indices, outer ones in memory first: the order in which all of them lie.
Extents order_of_indices(const AdvancedIndex& basic, size_t ndim) {
  std::vector<Strides> strides;
  for (const auto& x : basic.arrays) {
    strides.emplace_back(ndim, 0);
    const size_t missing = ndim - x.array.shape().size();
    for (size_t d = missing; d < ndim; ++d)
      if (x.array.shape()[d - missing] != 1) strides.back()[d] = std::abs(x.array.strides()[d - missing]);
  }
  // Above 0: `a` is the outer one though `b` comes first. 0: no array moves along both.
  const auto belongs_outside = [&](int64_t a, int64_t b) {
    int verdict = 0;
    for (const Strides& x : strides) {
      const int64_t inner = x[static_cast<size_t>(a)], outer = x[static_cast<size_t>(b)];
      if (inner != 0 && outer != 0) verdict = inner <= outer ? -1 : verdict == 0 ? 1 : verdict;
    }
    return verdict;
  };
  Extents from_inside;
  for (auto d = static_cast<int64_t>(ndim); d-- > 0;) {
    auto at = static_cast<int64_t>(from_inside.size());
    for (int64_t k = at; k-- > 0;) {
      const int verdict = belongs_outside(from_inside[static_cast<size_t>(k)], d);
      if (verdict < 0) break;
      if (verdict > 0) at = k;
    }
    from_inside.insert(from_inside.begin() + at, d);
  }
  std::reverse(from_inside.begin(), from_inside.end());
  return from_inside;
}

/// Axes of the result, outer ones in memory first, as NumPy has it: those of the indices, in C order, and then what is left
/// by the array's strides. Where at most one element is left at each index, in the order of the indices.
Extents memory_order(const AdvancedIndex& basic, const Places& places) {
  const size_t n_together = places.together.size(), ndim = places.view.shape.size();
  Extents order;
  if (product(places.view.shape) == product(places.together))
    order = order_of_indices(basic, n_together);
  else
    for (size_t d = 0; d < n_together; ++d) order.push_back(static_cast<int64_t>(d));
  for (int64_t& d : order) d += static_cast<int64_t>(places.front);
  for (size_t d = 0; d < ndim; ++d)
    if (d < places.front || d >= places.front + n_together) order.push_back(static_cast<int64_t>(d));
  std::stable_sort(order.begin() + static_cast<int64_t>(n_together), order.end(), [&](int64_t a, int64_t b) {
    return std::abs(places.view.strides[static_cast<size_t>(a)]) > std::abs(places.view.strides[static_cast<size_t>(b)]);
  });
  return order;
}

/// Puts the axes of the places in that order.
void reorder(AdvancedIndex& basic, Places& places, const Extents& order) {
  const View view = places.view;
  for (size_t d = 0; d < order.size(); ++d) {
    places.view.shape[d] = view.shape[static_cast<size_t>(order[d])];
    places.view.strides[d] = view.strides[static_cast<size_t>(order[d])];
  }
  const auto n = static_cast<int64_t>(places.together.size());
  Extents of_indices(order.begin(), order.begin() + n);
  for (int64_t& d : of_indices) d -= static_cast<int64_t>(places.front);
  places.front = 0;
  if (is_in_order(of_indices)) return;
  places.together = Shape(places.view.shape.begin(), places.view.shape.begin() + n);
  for (auto& x : basic.arrays) {
    Extents missing;
    for (int64_t d = x.array.ndim(); d < n; ++d) missing.push_back(d - x.array.ndim());
    x.array = transpose(missing.empty() ? x.array : expand_dims(x.array, missing), of_indices);
  }
}

enum class ResultOrder : uint8_t { c, numpy };

Array indexed(const Array& array, const std::vector<Index>& index, ResultOrder result_order) {
  if (is_whole_mask(array, index) && (array.dtype() != Dtype::opaque || array.device().is_host()))
    return compress(to_device(*index[0].array_value, array.device()), array);
  AdvancedIndex basic = advanced_index(array, index);
  if (basic.arrays.empty()) return basic.view;
  if (array.dtype() == Dtype::opaque && !array.device().is_host())
    return to_device(indexed(to_device(array, device("cpu")), on_host(index), result_order), array.device());
  Places from = places_of(basic);
  if (result_order == ResultOrder::c || from.view.shape.size() < 2) return elements_at(basic, from);
  const Extents order = memory_order(basic, from);
  if (is_in_order(order)) return elements_at(basic, from);
  reorder(basic, from, order);
  Extents back(order.size());
  for (size_t d = 0; d < order.size(); ++d) back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  return transpose(elements_at(basic, from), back);
}

}  // namespace

Array get_item(const Array& array, const std::vector<Index>& index) {
  const Array part = indexed(array, index, ResultOrder::numpy);
  const bool is_element = static_cast<int>(index.size()) == array.ndim() &&
                          std::all_of(index.begin(), index.end(), [](const Index& x) { return x.kind == Index::number; });
  return is_element ? value_of(part) : part;
}

Array get_view(const Array& array, const std::vector<Index>& index) { return indexed(array, index, ResultOrder::c); }

namespace {

/// Leading axes of length 1 vanish where there are too many, as in NumPy.
Array without_leading(Array value, int ndim) {
  while (value.ndim() > ndim && value.shape()[0] == 1) value = squeeze(value, Extents{0});
  return value;
}

/// Whether a mask alone says where elements, or rows, take a value that is the same for all of them: then nothing is counted.
bool is_chosen_by_mask(const Array& array, const std::vector<Index>& index, const Array& value) {
  if (index.size() != 1 || !is_mask(index[0]) || array.dtype() == Dtype::opaque) return false;
  const Shape& mask = index[0].array_value->shape();
  if (mask.empty() || mask.size() > array.shape().size() || !std::equal(mask.begin(), mask.end(), array.shape().begin())) return false;
  return (value.size() == 1 && value.ndim() <= 1) || value.ndim() <= array.ndim() - static_cast<int>(mask.size());
}

}  // namespace

void set_view(const Array& view, Array&& value) {
  if (value.shape() != view.shape() || &value.device() != &view.device()) return set_view(view, value);
  must_be_writable(view);
  view.assign(std::move(value));
}

void set_view(const Array& view, const Array& value) {
  must_be_writable(view);
  Array source = &value.device() == &view.device() ? value : to_device(value, view.device());
  if (source.shape() != view.shape()) {
    source = without_leading(std::move(source), view.ndim());
    if (source.ndim() > view.ndim() || broadcast(source.shape(), view.shape()) != view.shape())
      throw Error(ErrorKind::value, "could not broadcast input array from shape " + str(value.shape()) + " into shape " + str(view.shape()));
    source = broadcast_to(source, view.shape());
  }
  view.assign(source);
}

void set_item(const Array& array, const std::vector<Index>& index, const Array& value) {
  must_be_writable(array);
  if (is_chosen_by_mask(array, index, value)) {
    if (const std::optional<Scalar> number = number_at_hand(value); number && fill_few(array, *index[0].array_value, *number)) return;
    const Array& mask = *index[0].array_value;
    Shape shape = mask.shape();
    shape.resize(array.shape().size(), 1);
    const Array given = astype(to_device(value, array.device()), array.dtype());
    const Array one = given.size() == 1 ? reshape(given, {}) : given;
    if (broadcast(one.shape(), array.shape()) != array.shape()) throw Error(ErrorKind::value, "could not broadcast input array from shape " + str(value.shape()) + " into rows of an array of shape " + str(array.shape()));
    return array.assign(apply(Op::where, {reshape(to_device(mask, array.device()), shape), one, array}));
  }
  if (index.size() == 1 && is_mask(index[0]) && index[0].array_value->shape() == array.shape() && value.ndim() == 1 &&
      array.is_contiguous() && array.dtype() != Dtype::opaque &&
      place(array, to_device(*index[0].array_value, array.device()),
            astype(to_device(value, array.device()), array.dtype())))
    return;
  AdvancedIndex basic = advanced_index(array, index);
  if (basic.arrays.empty()) return set_view(basic.view, value);
  if (array.dtype() == Dtype::opaque && !array.device().is_host()) {
    Array there = to_device(copy(array), device("cpu"));
    set_item(there, on_host(index), to_device(value, device("cpu")));
    return array.assign(to_device(there, array.device()));
  }
  const Places to = places_of(basic);
  const bool is_whole_mask = index.size() == 1 && is_mask(index[0]) && index[0].array_value->ndim() == array.ndim();
  const Array given = is_whole_mask ? value : without_leading(to_device(value, array.device()), static_cast<int>(to.view.shape.size()));
  if (is_whole_mask && given.ndim() > 1)
    throw Error(ErrorKind::type, "boolean array indexing assignment requires a 0 or 1-dimensional input, input has " + std::to_string(given.ndim()) + " dimensions");
  if (are_for_kernel(array, to)) return scatter(basic.view, with_positions(to, basic), broadcast_to(given, to.view.shape));
  keep_positions(basic);
  const Array source = contiguous(broadcast_to(astype(given, array.dtype()), to.view.shape));
  const void* const from = source.data_for_read();
  FewPlaces(basic, to).write(static_cast<char*>(basic.view.data()), static_cast<const char*>(from));
}

namespace {

/// On a host, where elements are few, without a kernel; false if it is not done.
bool join_few(AdvancedIndex& basic, const Places& to, const Array& given, Op join, Dtype compute) {
  const Array& view = basic.view;
  if (are_for_kernel(view, to) || to.behind() > 0 || compute != view.dtype() || given.ndim() > static_cast<int>(to.view.shape.size())) return false;
  bool is_done = false;
  of_joined_type(compute, [&]<class T>(T) {
    is_done = with_join<T>(join, [](auto) {});
  });
  if (!is_done) return false;
  const bool is_one = given.size() == 1;
  Array values = is_one ? astype(given, compute) : contiguous(astype(broadcast_to(given, to.view.shape), compute));
  if (values.buffer() == view.buffer()) values = copy(values);
  const void* const from = values.data_for_read();
  keep_positions(basic);
  const FewPlaces places(basic, to);
  char* const begin = static_cast<char*>(view.data());
  of_joined_type(compute, [&]<class T>(T) {
    with_join<T>(join, [&](auto joined) { join_places(places, begin, static_cast<const T*>(from), is_one ? 0 : 1, joined); });
  });
  return true;
}

}  // namespace

void join_item(const Array& array, const std::vector<Index>& index, const Operand& value, Op join) {
  must_be_writable(array);
  const Typed operands[] = {{array.dtype()}, {value.dtype(), value.weak}};
  const OpTypes types = op_types(join, operands);
  AdvancedIndex basic = advanced_index(array, index);
  if (basic.arrays.empty()) {  // as in NumPy, whose ufunc.at casts anything
    const Operand both[] = {basic.view, value};
    return store_result(basic.view, astype(apply(join, both), array.dtype()), info(join).name);
  }
  if (value.weak == Weak::integer) must_fit(value.scalar, types.compute);
  const Places named = places_of(basic);
  const Array given = value.array ? to_device(*value.array, array.device()) : full({}, value.scalar, types.compute, array.device());
  if (join_few(basic, named, given, join, types.compute)) return;
  const Places to = with_positions(named, basic);
  if (given.ndim() > static_cast<int>(to.view.shape.size()) || broadcast(given.shape(), to.view.shape) != to.view.shape)
    throw Error(ErrorKind::value, "could not broadcast values of shape " + str(given.shape()) + " to the indexed elements, of shape " + str(to.view.shape));
  scatter(basic.view, to, broadcast_to(given, to.view.shape), join);
}

Array take(const Array& array, const Array& positions, std::optional<int64_t> axis) {
  if (!axis) return take(ravel(array), positions, 0);
  std::vector<Index> index(normal_axis(*axis, array.ndim()));
  for (Index& x : index) x.kind = Index::slice;
  Index last;
  last.kind = Index::array;
  last.array_value = positions;
  index.push_back(last);
  return get_view(array, index);
}

}  // namespace kasoku
