/// Arrays that are made, and views of arrays under another shape or dtype.
#include "kasoku/jit/lowering.h"

namespace kasoku::jit {

/// A number becomes an array of no axes.
Val FunctionLowering::as_array(const Expr& e, Place place) {
  const Val value = expr(e);
  if (value.type.is_array()) return value;
  const std::string s = temp("shape");
  line("const ks_shape<0> {} = {{}};", s);
  const Val array = new_array(Type::array(value.type.dtype, 0, true), s, false, place);
  line("{}.data[0] = {};", array.text, value.text);
  return array;
}

Val FunctionLowering::array_like(const Expr& e, Handler handler) {
  const Val like = expr(*e.items[1]);
  const std::string s = temp("shape");
  std::string text;
  for (int k = 0; k < e.type.ndim; ++k) text += fmt::format("{}{}.shape[{}]", k ? ", " : "", like.text, k);
  line("const ks_shape<{}> {} = {{{{{}}}}};", e.type.ndim, s, text);
  return new_array(e.type, s, handler == Handler::zeros_like, e.place);
}

Val FunctionLowering::transposed(const Expr& e) {
  Expr attribute;
  attribute.kind = ExprKind::attribute;
  attribute.text = "T";
  attribute.place = e.place;
  attribute.type = e.type;
  attribute.items.push_back(e.items[1]->clone());
  return expr(attribute);
}

/// The array with two axes, known when it runs, in each other's place.
Val FunctionLowering::with_axes(const Expr& e) {
  const Val array = expr(*e.items[1]);
  const std::string view = temp("view"), first = text_as(*e.items[2], Dtype::int64), second = text_as(*e.items[3], Dtype::int64);
  line("{} {} = {};", text_of(e.type), view, array.text);
  line("ks_swap_axes({}, {}, {});", view, first, second);
  return {view, e.type};
}

/// The array's memory with lengths and strides, in bytes, that the call gives.
Val FunctionLowering::strided(const Expr& e) {
  const Val array = expr(*e.items[1]);
  const std::string view = temp("view"), lengths = shape_of(*e.items[2], e.type.ndim), strides = shape_of(*e.items[3], e.type.ndim);
  const int64_t itemsize = e.type.has_records() ? record_size(e.type.items[0]) : static_cast<int64_t>(info(e.type.dtype).size);
  line("{} {};", text_of(e.type), view);
  line("{0}.data = {1}.data, {0}.memory = {1}.memory;", view, array.text);
  std::string wrong;
  for (int k = 0; k < e.type.ndim; ++k) {
    wrong += fmt::format("{0}{1}.n[{2}] < 0 || {3}.n[{2}] % {4}", k ? " || " : "", lengths, k, strides, itemsize);
    line("{0}.shape[{1}] = {2}.n[{1}], {0}.stride[{1}] = {3}.n[{1}] / {4};", view, k, lengths, strides, itemsize);
  }
  fail_if(wrong, fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"lengths are not negative, and strides are multiples of an element's size\", 0, 0, 0)", e.place.line));
  return {view, e.type};
}

/// np.array(): of an array, a copy in the dtype; of a tuple of numbers, one axis; of a tuple of such tuples, two.
Val FunctionLowering::array_of_values(const Expr& e) {
  if (e.items[1]->type.is_array()) {
    Expr converted;
    converted.kind = ExprKind::call;
    converted.place = e.place;
    converted.type = e.type;
    for (const ExprPtr& item : e.items) converted.items.push_back(item ? item->clone() : nullptr);
    converted.items[0]->binding.name = "array.astype";
    return computed(converted);
  }
  const Val tuple = pin(expr(*e.items[1]));
  const auto rows = tuple.type.items.size();
  const std::string s = temp("shape");
  const size_t columns = e.type.ndim == 2 ? tuple.type.items[0].items.size() : 0;
  if (e.type.ndim == 2) line("const ks_shape<2> {} = {{{{{}, {}}}}};", s, rows, columns);
  else line("const ks_shape<1> {} = {{{{{}}}}};", s, rows);
  const Val result = new_array(e.type, s, false, e.place);
  for (size_t i = 0; i < rows; ++i) {
    if (e.type.ndim == 1)
      line("{}.data[{}] = {};", result.text, i, cast(fmt::format("{}._{}", tuple.text, i), tuple.type.items[i].dtype, e.type.dtype));
    for (size_t j = 0; j < columns; ++j)
      line("{}.data[{}] = {};", result.text, i * columns + j,
           cast(fmt::format("{}._{}._{}", tuple.text, i, j), tuple.type.items[i].items[j].dtype, e.type.dtype));
  }
  return result;
}

/// The same memory under another dtype.
Val FunctionLowering::viewed(const Expr& e) {
  const Val array = expr(*e.items[1]);
  if (array.type == e.type) return array;
  const size_t from = info(array.type.dtype).size, to = info(e.type.dtype).size;
  const std::string view = temp("view");
  const int last = e.type.ndim - 1;
  line("{} {};", text_of(e.type), view);
  line("{}.data = ({}*)({}*){}.data;", view, element_text(e.type), element_text(array.type), array.text);
  if (!options_.is_cuda) line("{}.memory = {}.memory;", view, array.text);
  for (int k = 0; k <= last; ++k) line("{0}.shape[{2}] = {1}.shape[{2}]; {0}.stride[{2}] = {1}.stride[{2}];", view, array.text, k);
  if (from == to) return {view, e.type};
  line("{}.shape[{}] = {}.shape[{}] * {} / {};", view, last, array.text, last, from, to);
  if (!options_.is_cuda)
    fail_if(fmt::format("{}.shape[{}] * {} % {}", array.text, last, from, to),
            fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"the last axis of {{}} elements has no whole number of {}\", {}.shape[{}], 0, 0)",
                        e.place.line, info(e.type.dtype).name, array.text, last));
  line("ks_set_strides({});", view);
  return {view, e.type};
}

Val FunctionLowering::filled(const Expr& e) {
  const Val target = expr(*e.items[1]);
  effects_.writes = true;
  if (uses_graph()) return graph_store(target, *e.items[2], e.place), Val{"", Type::none()};
  const std::string value = filled_value(*e.items[2], target.type.dtype);
  store_fused(target, number_element({value, Type::scalar(target.type.dtype)}), e.place);
  return {"", Type::none()};
}

Val FunctionLowering::broadcast_view(const Expr& e) {
  const Val array = as_array(*e.items[1], e.place);
  const std::string view = temp("view"), s = shape_of(*e.items[2], e.type.ndim);
  line("{} {};", text_of(e.type), view);
  fail_if(fmt::format("!ks_stretch({}, {}, {})", view, array.text, s),
          fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"an array cannot be broadcast to a shape that it does not fit\", 0, 0, 0)", e.place.line));
  return {view, e.type};
}

/// `array`, the value of `e`, in memory of its own and in C order.
Val FunctionLowering::copied(const Expr& e, const Val& array, Place place) {
  const Type own = Type::array(array.type.dtype, array.type.ndim, true);
  if (!uses_graph()) {
    Fused copy = leaf(e);
    copy.type = own;
    return materialise(copy, place);
  }
  std::string name;
  with_graph(place, [&] {
    name = temp("copy");
    line("{0} {1} = ks_graph_run<{2}, {3}>({4}, {5});", text_of(own), name, element_text(own), own.ndim, leaf_node(array),
         static_cast<int>(own.dtype));
    keep(name, own);
  });
  return {name, own};
}

/// Gives `view` the lengths that reshape() is called with; one of them may be -1.
void FunctionLowering::set_shape(const Expr& e, const std::string& view, const std::string& array) {
  std::vector<std::string> lengths;
  if (e.items.size() == 3 && e.items[2]->type.is_tuple()) {
    const Val tuple = pin(expr(*e.items[2]));
    for (size_t k = 0; k < tuple.type.items.size(); ++k) lengths.push_back(fmt::format("{}._{}", tuple.text, k));
  } else {
    for (size_t k = 2; k < e.items.size(); ++k) lengths.push_back(text_as(*e.items[k], Dtype::int64));
  }
  const std::string known = temp("known"), open_axis = temp("axis");
  line("ks_i64 {} = 1; int {} = -1;", known, open_axis);
  for (size_t k = 0; k < lengths.size(); ++k) {
    line("{}.shape[{}] = {};", view, k, lengths[k]);
    line("if ({0}.shape[{1}] == -1) {2} = {1}; else {3} *= {0}.shape[{1}];", view, k, open_axis, known);
  }
  line("if ({0} >= 0) {1}.shape[{0}] = {2} ? ks_size({3}) / {2} : 0;", open_axis, view, known, array);
  if (raises_)
    fail_if(fmt::format("ks_size({}) != ks_size({})", view, array),
            fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"an array of {{}} elements cannot be reshaped into {{}}\", ks_size({}), ks_size({}), 0)",
                        e.place.line, array, view));
}

/// reshape, ravel and flatten, and C order without gaps: a view where the elements lie so, else a view of a copy.
Val FunctionLowering::reshaped(const Expr& e, Handler handler) {
  Val array = as_array(*e.items[1], e.place);
  if (handler == Handler::flatten || !array.type.is_contiguous) array = copied(*e.items[1], array, e.place);
  if (handler == Handler::ascontiguous && array.type.ndim > 0) return array;
  const std::string view = temp("view");
  line("{} {};", text_of(e.type), view);
  line("{}.data = {}.data;", view, array.text);
  if (!options_.is_cuda) line("{}.memory = {}.memory;", view, array.text);
  if (handler == Handler::reshape) set_shape(e, view, array.text);
  else line("{}.shape[0] = ks_size({});", view, array.text);
  line("ks_set_strides({});", view);
  return {view, e.type};
}

Val FunctionLowering::creation(const Expr& e, Handler handler) {
  switch (handler) {
    case Handler::zeros: return new_array(e.type, shape_of(*e.items[1], e.type.ndim), true, e.place);
    case Handler::empty: return new_array(e.type, shape_of(*e.items[1], e.type.ndim), false, e.place);
    case Handler::empty_like:
    case Handler::zeros_like: return array_like(e, handler);
    case Handler::asarray:
      if (e.items[1]->type.is_array() && e.items[1]->type.dtype == e.type.dtype) return expr(*e.items[1]);
      return creation(e, Handler::make_array);
    case Handler::transpose: return transposed(e);
    case Handler::with_axes: return with_axes(e);
    case Handler::strided: return strided(e);
    case Handler::make_array: return array_of_values(e);
    case Handler::view: return viewed(e);
    case Handler::fill: return filled(e);
    case Handler::broadcast_to: return broadcast_view(e);
    case Handler::ravel:
    case Handler::ascontiguous:
    case Handler::reshape:
    case Handler::flatten: return reshaped(e, handler);
    default: return computed(e);
  }
}

}  // namespace kasoku::jit
