/// \file selection.cpp
/// Elements that masks and positions name: taken, counted, stored, joined to what is there.
#include "array_object.h"
#include "given.h"
#include "kasoku/array/algorithms/bits.h"
#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/algorithms/join_pieces.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/few_places.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

namespace {

using namespace nb::literals;

Array chosen_along(const Array& mask, const Array& x, std::optional<int64_t> axis) {
  if (mask.ndim() != 1) throw Error(ErrorKind::value, "condition must be a 1-d array");
  if (!axis) return chosen_along(mask, ravel(x), 0);
  const int64_t n = x.shape()[normal_axis(*axis, x.ndim())];
  const Array at = flatnonzero(mask);
  if (mask.size() > n && at.size() > 0) return take(x, at, axis);  // says which is outside
  if (x.ndim() == 1 && mask.size() == n) return compress(mask, x);
  return gather_along(x, *axis, at);
}

nb::object taken(nb::handle given, nb::handle indices, nb::handle axis, nb::handle out, nb::handle mode) {
  Device& device = device_among({given, indices});
  Array x = array_from(given, device);
  if (x.ndim() == 0) x = reshape(x, {1});  // a number is a row of one
  Array at = array_from(indices, device);
  if (at.size() == 0 && nb::isinstance<nb::list>(indices)) at = astype(at, Dtype::int64);
  const std::optional<int64_t> along = axis_from(axis);
  const OutOfRange outside = out_of_range_from(mode);
  const bool is_row = x.ndim() == 1 && along.value_or(0) == 0 && outside == OutOfRange::raise && at.dtype() == Dtype::int64;
  if (Array few = is_row ? get_few(x, at) : Array(); !few.is_null()) return stored("take", std::move(few), out);
  Array result = without_lock([&] {
    const int64_t length = along ? x.shape()[normal_axis(*along, x.ndim())] : x.size();
    if (length == 0 && at.size() > 0) throw Error(ErrorKind::index, "cannot do a non-empty take from an empty axes.");
    return take(x, positions_in(at, length, outside), along);
  });
  return stored("take", std::move(result), out);
}

void put_values(const Array& x, nb::handle indices, nb::handle values, nb::handle mode) {
  const Array *const places = array_of(indices), *const each = array_of(values);
  const bool is_of_one_axis = places && each && x.ndim() == 1 && out_of_range_from(mode) == OutOfRange::raise;
  if (is_of_one_axis && !x.is_read_only() && set_few(x, *places, *each)) return;
  const Array at = array_from(indices, x.device()), given = array_for(values, x);
  const OutOfRange outside = out_of_range_from(mode);
  without_lock([&] { put(x, at.size() == 0 ? astype(at, Dtype::int64) : at, astype(given, x.dtype()), outside); });
}

Array& must_be_array(nb::handle object, const char* name) {
  if (!nb::isinstance<Array>(object)) throw Error(ErrorKind::type, std::string(name) + " changes an array of kasoku, not a " + class_name(object));
  return nb::cast<Array&>(object);
}

/// NumPy's rule about what has a dtype of its own; Python's numbers have none.
void must_cast(nb::handle from, const Array& value, Dtype to, const std::string& casting) {
  if (!nb::hasattr(from, "dtype") || can_cast(value.dtype(), to, casting)) return;
  throw Error(ErrorKind::type, fmt::format("Cannot cast array data from dtype('{}') to dtype('{}') according to the rule '{}'",
                                           info(value.dtype()).name, info(to).name, casting));
}

void copy_to(nb::handle to, nb::handle from, nb::handle casting, nb::handle where) {
  const Array& x = must_be_array(to, "copyto");
  if (PyFloat_Check(from.ptr()) || PyLong_Check(from.ptr()) || PyComplex_Check(from.ptr()))
    numpy().attr("copyto")(numpy().attr("empty")(nb::make_tuple(), numpy_dtype(x.dtype())), from, casting);  // its word on the number
  const Array value = array_for(from, x);
  must_cast(from, value, x.dtype(), nb::cast<std::string>(casting));
  std::optional<Array> mask;
  if (where.ptr() != Py_True && !where.is_none()) mask = array_from(where, x.device());
  if (mask && mask->ndim() == 0) mask = astype(*mask, Dtype::bool_);
  if (mask && mask->dtype() != Dtype::bool_) throw Error(ErrorKind::type, "where= is a mask of bools, not of " + std::string(info(mask->dtype()).name));
  without_lock([&] {
    must_be_writable(x);
    Array result = astype(to_device(value, x.device()), x.dtype());
    while (result.ndim() > x.ndim() && result.shape()[0] == 1) result = squeeze(result, Extents{0});
    if (result.ndim() > x.ndim() || broadcast(result.shape(), x.shape()) != x.shape())
      throw Error(ErrorKind::value, "could not broadcast input array from shape " + str(value.shape()) + " into shape " + str(x.shape()));
    if (mask) result = apply(Op::where, {broadcast_to(*mask, x.shape()), result, x});
    x.assign(result.shape() == x.shape() ? result : broadcast_to(result, x.shape()));
  });
}

nb::object chosen(nb::handle numbers, nb::handle choices, nb::handle out, nb::handle mode) {
  const Array at = array_from(numbers, device_among({numbers, choices}));
  std::vector<Array> all;
  std::vector<Typed> dtypes;  // numbers of Python's take that of the arrays beside them
  for (nb::handle choice : nb::iter(choices)) {
    const std::optional<Operand> value = operand_from(choice, at.device());
    dtypes.push_back(value ? Typed{value->dtype(), value->weak} : Typed{});
    all.push_back(array_from(choice, at.device()));
  }
  if (std::ranges::any_of(dtypes, [](const Typed& one) { return one.weak != Weak::none; }))
    for (const Dtype dtype = promote(dtypes); Array & one : all) one = astype(one, dtype);
  const OutOfRange outside = out_of_range_from(mode);
  return stored("choose", without_lock([&] { return choose(at, all, outside); }), out);
}

Array selected(nb::handle conditions, nb::handle choices, nb::handle otherwise) {
  Device& device = device_among({conditions, choices});
  std::vector<Array> masks;
  std::vector<Operand> values;
  const auto add = [&](nb::handle object) {
    std::optional<Operand> value = operand_from(object, device);
    if (!value) throw Error(ErrorKind::type, "a choice is an array or a number");
    values.push_back(*std::move(value));
  };
  for (nb::handle x : nb::iter(conditions)) masks.push_back(array_from(x, device));
  for (nb::handle x : nb::iter(choices)) add(x);
  if (masks.size() != values.size()) throw Error(ErrorKind::value, "list of cases must be same length as list of conditions");
  if (masks.empty()) throw Error(ErrorKind::value, "select with an empty condition list is not possible");
  add(otherwise);
  return without_lock([&] {
    std::vector<Typed> dtypes;
    for (const Operand& x : values) dtypes.push_back({x.dtype(), x.weak});
    const Dtype dtype = promote(dtypes);
    const auto as_array = [&](const Operand& x) { return x.array ? astype(*x.array, dtype) : full({}, x.scalar, dtype, device); };
    Shape shape;
    Array result = as_array(values.back());
    for (size_t k = masks.size(); k-- > 0;) {
      if (masks[k].dtype() != Dtype::bool_) throw Error(ErrorKind::type, "invalid entry " + std::to_string(k) + " in condlist: should be boolean ndarray");
      result = apply(Op::where, {masks[k], as_array(values[k]), result});
      shape = broadcast(shape, result.shape());
    }
    return result;
  });
}

/// Whether a value, or one for each, was joined to few elements that an array of positions names.
bool join_at_once(const Array& x, nb::handle indices, nb::handle value, Op op) {
  const Array* const places = array_of(indices);
  if (!places || x.is_read_only()) return false;
  if (const Array* const array = array_of(value)) return join_few(x, *places, *array, op);
  Scalar number;
  const bool is_of_kind = get_plain_number(value, number) && (is_floating(x.dtype()) || (number.kind != DtypeKind::floating && fits(number, x.dtype())));
  return is_of_kind && join_few(x, *places, number, op);
}

void join_at(const Array& x, nb::handle indices, nb::handle value, Op op) {
  if (join_at_once(x, indices, value, op)) return;
  const std::vector<Index> index = index_from(indices, x.device());
  std::optional<Operand> operand = operand_from(value, x.device());
  if (!operand) throw Error(ErrorKind::type, "that is not a value for an array");
  const GilReleased release;
  join_item(x, index, *operand, op);
}

/// Rows of ops.def that join two values of a kind.
bool joins_in_place(const OpInfo& row) {
  return row.arity == 2 && (row.result == ResultRule::promoted || row.result == ResultRule::quotient || row.result == ResultRule::double_ || row.result == ResultRule::logical);
}

}  // namespace

nb::object nonzero_of(const Array& x) {
  if (x.ndim() == 0) throw Error(ErrorKind::value, "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.").fix("x.reshape(1)");
  return tuple_of(without_lock([&] { return nonzero(x); }));
}

void bind_selection(nb::module_& m) {
  const auto out = "out"_a = nb::none(), axis = "axis"_a = nb::none();
  bind_algorithm(m, Algorithm::nonzero, [](nb::handle x) { return nonzero_of(given_array(x)); }, "a"_a);
  add_method(m.attr("Array"), "nonzero", &nonzero_of, "Positions of the elements that are not zero: one array per axis.");
  bind_algorithm(m, Algorithm::flatnonzero, [](nb::handle x) {
    const Array array = given_array(x);
    return without_lock([&] { return flatnonzero(array); });
  }, "a"_a);
  bind_algorithm(m, Algorithm::argwhere, [](nb::handle x) {
    const Array array = given_array(x);
    return without_lock([&] { return argwhere(array); });
  }, "a"_a);
  const auto compressed = [](nb::handle condition, nb::handle x, nb::handle axis, nb::handle out) {
    Device& device = device_among({x, condition});
    const Array mask = array_from(condition, device), array = array_from(x, device);
    const std::optional<int64_t> along = axis_from(axis);
    return stored("compress", without_lock([&] { return chosen_along(mask, array, along); }), out);
  };
  bind_algorithm(m, Algorithm::compress, compressed, "condition"_a, "a"_a, axis, out);
  bind_algorithm_method(m, Algorithm::compress, [compressed](nb::handle self, nb::handle condition, nb::handle axis, nb::handle out) { return compressed(condition, self, axis, out); },
             "condition"_a, axis, out);
  bind_algorithm(m, Algorithm::extract, [](nb::handle condition, nb::handle x) {
    Device& device = device_among({x, condition});
    const Array mask = array_from(condition, device), array = array_from(x, device);
    return without_lock([&] { return chosen_along(ravel(mask), ravel(array), 0); });
  }, "condition"_a, "arr"_a);

  bind_algorithm(m, Algorithm::take, &taken, "a"_a, "indices"_a, axis, out, "mode"_a = "raise");
  bind_algorithm_method(m, Algorithm::take, &taken, "indices"_a, axis, out, "mode"_a = "raise");
  bind_algorithm(
      m, Algorithm::take_along_axis,
      [](nb::handle x, nb::handle indices, nb::handle axis) {
        Device& device = device_among({x, indices});
        const Array array = array_from(x, device), at = array_from(indices, device);
        const std::optional<int64_t> along = axis_from(axis);
        return without_lock([&] {
          if (!along && at.ndim() != 1)
            throw Error(ErrorKind::value, "when axis=None, `indices` must have a single dimension.");
          return along ? take_along_axis(array, at, *along) : take_along_axis(ravel(array), at, 0);
        });
      },
      "arr"_a, "indices"_a, "axis"_a.none() = -1);
  bind_algorithm(m, Algorithm::put_along_axis, [](nb::handle x, nb::handle indices, nb::handle values, nb::handle axis) {
    const Array& array = must_be_array(x, "put_along_axis");
    const Array at = array_from(indices, array.device()), given = array_for(values, array);
    const std::optional<int64_t> along = axis_from(axis);
    without_lock([&] {
      if (along) return put_along_axis(array, at, given, *along);
      if (at.ndim() != 1) throw Error(ErrorKind::value, "when axis=None, `indices` must have a single dimension.");
      put(array, at, broadcast_to(astype(given, array.dtype()), at.shape()));
    });
  }, "arr"_a, "indices"_a, "values"_a, "axis"_a.none());
  bind_algorithm(m, Algorithm::put, [](nb::handle x, nb::handle indices, nb::handle values, nb::handle mode) { put_values(must_be_array(x, "put"), indices, values, mode); },
        "a"_a, "ind"_a, "v"_a, "mode"_a = "raise");
  bind_algorithm_method(m, Algorithm::put, &put_values, "indices"_a, "values"_a, "mode"_a = "raise");
  bind_algorithm(m, Algorithm::place, [](nb::handle x, nb::handle mask, nb::handle values) {
    const Array& array = must_be_array(x, "place");
    const Array chosen = array_from(mask, array.device()), given = array_for(values, array);
    must_cast(values, given, array.dtype(), "safe");
    without_lock([&] {
      if (chosen.size() != array.size()) throw Error(ErrorKind::value, "place: mask and data must be the same size");
      const Array at = flatnonzero(chosen);
      if (at.size() > 0 && given.size() == 0) throw Error(ErrorKind::value, "Cannot insert from an empty array!");
      put(array, at, astype(given, array.dtype()));
    });
  }, "arr"_a, "mask"_a, "vals"_a);
  bind_algorithm(m, Algorithm::putmask, [](nb::handle x, nb::handle mask, nb::handle values) {
    const Array& array = must_be_array(x, "putmask");
    const Array chosen = array_from(mask, array.device()), given = array_for(values, array);
    must_cast(values, given, array.dtype(), "safe");
    without_lock([&] {
      must_be_writable(array);
      if (chosen.size() != array.size()) throw Error(ErrorKind::value, "putmask: mask and data must be the same size");
      if (given.size() == 0 || array.size() == 0) return;
      array.assign(apply(Op::where, {reshape(chosen, array.shape()), recycled(astype(given, array.dtype()), array.shape()), array}));
    });
  }, "a"_a, "mask"_a, "values"_a);
  bind_algorithm(m, Algorithm::copyto, &copy_to, "dst"_a, "src"_a, "casting"_a = "same_kind", "where"_a = true);
  bind_algorithm(m, Algorithm::choose, &chosen, "a"_a, "choices"_a, out, "mode"_a = "raise");
  bind_algorithm_method(m, Algorithm::choose, &chosen, "choices"_a, out, "mode"_a = "raise");
  bind_algorithm(m, Algorithm::select, &selected, "condlist"_a, "choicelist"_a, "default"_a = 0);

  for (size_t i = 0; i < n_ops; ++i) {
    if (!joins_in_place(op_table[i])) continue;
    const Op op = static_cast<Op>(i);
    const std::string name(op_table[i].name);
    m.def((name + "_at").c_str(), [op, name](nb::handle x, nb::handle indices, nb::handle values) { join_at(must_be_array(x, (name + "_at").c_str()), indices, values, op); },
          "a"_a, "indices"_a.none(), "b"_a, (name + "() of each indexed element and a value, stored there; where indices repeat, one value after the other.").c_str());
  }

  m.def("_reduceat", [](std::string_view name, nb::handle x, nb::handle indices, int64_t axis, bool may_move_brackets, nb::handle dtype) {
    const Array array = array_from(x, device_among({x})), starts = array_from(indices, array.device());
    const std::optional<Dtype> wanted = optional_dtype(dtype);
    const Pieces which = may_move_brackets ? Pieces::in_any_brackets : Pieces::in_order;
    return without_lock([&] { return join_pieces(array, starts, axis, op_from_name(name).value(), which, wanted); });
  }, "name"_a, "x"_a, "indices"_a, "axis"_a, "may_move_brackets"_a, "dtype"_a = nb::none());
  m.def("_accumulate", [](std::string_view name, const Array& x, int64_t axis, nb::handle dtype) {
    const std::optional<Dtype> wanted = optional_dtype(dtype);
    return without_lock([&] {
      const Array start = full({x.shape()[normal_axis(axis, x.ndim())] ? 1 : 0}, Scalar::of(0), Dtype::int64, x.device());
      return join_pieces(x, start, axis, op_from_name(name).value(), Pieces::with_each_step, wanted);
    });
  }, "name"_a, "x"_a, "axis"_a, "dtype"_a = nb::none());
  m.def("_packbits", [](const Array& x, std::optional<int64_t> axis, bool lowest_first) { return without_lock([&] { return pack_bits(x, axis, lowest_first); }); },
        "x"_a, "axis"_a.none(), "lowest_first"_a);
  m.def("_unpackbits", [](const Array& x, std::optional<int64_t> axis, std::optional<int64_t> count, bool lowest_first) { return without_lock([&] { return unpack_bits(x, axis, count, lowest_first); }); },
        "x"_a, "axis"_a.none(), "count"_a.none(), "lowest_first"_a);
}

}  // namespace kasoku
