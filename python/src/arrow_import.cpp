/// \file arrow_import.cpp
/// Columns of Arrow as arrays: in the column's own memory where it lies as ours would.
#include "arguments.h"
#include "arrow.h"
#include "arrow_structs.h"
#include "foreign.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "to_python.h"

#include <string>
#include <string_view>

namespace kasoku {

namespace {

using namespace nb::literals;

std::optional<Dtype> dtype_of_letter(std::string_view letter) {
  for (size_t i = 0; i < std::size(dtype_table); ++i)
    if (!letter.empty() && letter_of(static_cast<Dtype>(i)) == letter) return static_cast<Dtype>(i);
  return std::nullopt;
}

bool bit(const void* bits, int64_t at) { return static_cast<const uint8_t*>(bits)[at / 8] >> (at % 8) & 1; }

template <class T>
struct Release {
  void operator()(T* held) const {
    if (held->release) held->release(held);
    delete held;
  }
};
template <class T>
using Owned = std::unique_ptr<T, Release<T>>;

/// Takes what a capsule holds.
template <class T>
Owned<T> take(nb::handle capsule, const char* name) {
  auto* const held = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!held) throw nb::python_error();
  if (!held->release)
    throw Error(ErrorKind::value, "this capsule of Arrow was used before, and its memory belongs to who used it");
  Owned<T> owned(new T(*held));
  held->release = nullptr;
  return owned;
}

/// The innermost of fixed-size lists: what an array of several axes is in Arrow.
struct Elements {
  const ArrowSchema* schema;
  const ArrowArray* array;
  int64_t first, length;  ///< in elements of `array`, its offset included
  Shape shape;
};

void refuse_nulls_in(const ArrowArray& list) {
  if (list.null_count != 0 && list.buffers[0])
    throw Error(ErrorKind::value, "a column of lists has nulls in place of whole lists")
        .fix("drop them in the library that has the column");
}

Elements elements_of(const ArrowSchema& schema, const ArrowArray& array) {
  Elements e{&schema, &array, array.offset, array.length, {array.length}};
  while (std::string_view(e.schema->format).starts_with("+w:")) {
    refuse_nulls_in(*e.array);
    const int64_t width = std::stoll(e.schema->format + 3);
    e.shape.push_back(width);
    e.schema = e.schema->children[0];
    e.array = e.array->children[0];
    e.first = e.first * width + e.array->offset;
    e.length *= width;
  }
  return e;
}

Array mask_of(const void* bits, const Elements& e, bool when) {
  Array mask = Array::empty(e.shape, Dtype::bool_, device("cpu"));
  if (e.length == 0) return mask;
  auto* const to = static_cast<bool*>(mask.data());
  for (int64_t i = 0; i < e.length; ++i) to[i] = bit(bits, e.first + i) == when;
  return mask;
}

bool has_nulls(const Elements& e) {
  if (e.array->null_count == 0 || e.array->n_buffers == 0 || !e.array->buffers[0]) return false;
  for (int64_t i = 0; i < e.length; ++i)
    if (!bit(e.array->buffers[0], e.first + i)) return true;
  return false;
}

Column column_of(const ArrowSchema& schema, std::shared_ptr<ArrowArray> array) {
  const Elements e = elements_of(schema, *array);
  const std::string_view format = e.schema->format;
  const std::optional<Dtype> dtype = e.schema->dictionary ? std::nullopt : dtype_of_letter(format);
  if (!dtype)
    throw Error(ErrorKind::type, "no kasoku array can hold " +
                                     std::string(e.schema->dictionary ? "categories of a dictionary"
                                                                      : "Arrow's type '" + std::string(format) + "'"))
        .why("arrays hold numbers and bools")
        .fix("convert the column where it is, or x.to_numpy()");
  Column column;
  if (has_nulls(e)) column.is_null = mask_of(e.array->buffers[0], e, false);
  const auto itemsize = static_cast<int64_t>(info(*dtype).size);
  const void* const memory = e.array->buffers[1];
  if (e.length == 0)
    column.values = Array::empty(e.shape, *dtype, device("cpu"));
  else if (*dtype == Dtype::bool_)
    column.values = mask_of(memory, e, true);
  else
    column.values = adopted(device("cpu"), const_cast<char*>(static_cast<const char*>(memory)) + e.first * itemsize,
                            e.shape, contiguous_strides(e.shape, static_cast<size_t>(itemsize)), *dtype,
                            static_cast<size_t>(itemsize), array, true);
  return column;
}

/// Foreign releases may want Python's lock, which a thread of ours that lets an array go does not have.
std::shared_ptr<ArrowArray> shared(Owned<ArrowArray> array) {
  return {array.release(), [](ArrowArray* held) {
            if (is_python_gone()) return;
            const GilHeld gil;
            Release<ArrowArray>()(held);
          }};
}

Column joined(std::vector<Column> chunks) {
  if (chunks.size() == 1) return std::move(chunks[0]);
  const bool any_null = std::ranges::any_of(chunks, [](const Column& c) { return c.is_null.has_value(); });
  std::vector<Array> values, masks;
  for (const Column& chunk : chunks) {
    values.push_back(chunk.values);
    if (any_null)
      masks.push_back(chunk.is_null ? *chunk.is_null
                                    : Array::zeros(chunk.values.shape(), Dtype::bool_, chunk.values.device()));
  }
  const GilReleased release;
  Column whole{concatenate(values, 0), std::nullopt};
  if (any_null) whole.is_null = concatenate(masks, 0);
  whole.values.data_for_read();  // the chunks' memory is not ours
  return whole;
}

bool is_table(const ArrowSchema& schema);

/// The columns of a table side by side; nothing where they are of several dtypes.
std::optional<Column> matrix_of(const ArrowSchema& schema, const std::shared_ptr<ArrowArray>& table) {
  std::vector<Column> columns;
  for (int64_t i = 0; i < schema.n_children; ++i) {
    if (!dtype_of_letter(schema.children[i]->format) || schema.children[i]->dictionary) return std::nullopt;
    // An address within the table, which stays as long as a column does.
    Column column = column_of(*schema.children[i], std::shared_ptr<ArrowArray>(table, table->children[i]));
    if (table->offset != 0 || column.values.shape()[0] != table->length || column.is_null) return std::nullopt;
    if (i > 0 && column.values.dtype() != columns[0].values.dtype()) return std::nullopt;
    columns.push_back(std::move(column));
  }
  if (columns.empty()) return std::nullopt;
  std::vector<Array> values;
  for (const Column& column : columns) values.push_back(column.values);
  const GilReleased release;
  Column matrix{stack(values, 1), std::nullopt};
  matrix.values.data_for_read();  // the columns' memory is not ours
  return matrix;
}

bool is_table(const ArrowSchema& schema) { return std::string_view(schema.format).starts_with("+s"); }

std::optional<Column> column_of_stream(nb::handle object) {
  const auto stream = take<ArrowArrayStream>(nb::object(object.attr("__arrow_c_stream__")()), "arrow_array_stream");
  const auto must = [&](int error) {
    const char* const text = error ? stream->get_last_error(stream.get()) : nullptr;
    if (error) throw Error(ErrorKind::value, "Arrow's stream failed").why(text ? text : "it does not say why");
  };
  Owned<ArrowSchema> schema(new ArrowSchema{});
  must(stream->get_schema(stream.get(), schema.get()));
  if (is_table(*schema)) return std::nullopt;
  std::vector<Column> chunks;
  while (true) {
    Owned<ArrowArray> array(new ArrowArray{});
    must(stream->get_next(stream.get(), array.get()));
    if (!array->release) break;
    chunks.push_back(column_of(*schema, shared(std::move(array))));
  }
  if (chunks.empty()) {
    const std::optional<Dtype> dtype = dtype_of_letter(schema->format);
    if (!dtype)
      throw Error(ErrorKind::type, "no kasoku array can hold Arrow's type '" + std::string(schema->format) + "'");
    return Column{Array::empty({0}, *dtype, device("cpu")), std::nullopt};
  }
  return joined(std::move(chunks));
}

/// Whether its own dtype says that it is an array of NumPy's under another class.
bool has_numpys_dtype(nb::handle object) {
  PyObject* const dtype = PyObject_GetAttrString(object.ptr(), "dtype");
  if (!dtype) {
    PyErr_Clear();
    return false;
  }
  const nb::object held = nb::steal(dtype);
  return PyObject_IsInstance(dtype, nb::object(numpy().attr("dtype")).ptr()) == 1;
}

nb::object from_arrow(nb::handle object, bool mask) {
  std::optional<Column> column = column_of_arrow(object);
  if (!column)
    throw Error(ErrorKind::type, "from_arrow: a " + class_name(object) + " is no column of Arrow")
        .why("a column has __arrow_c_array__ or __arrow_c_stream__, and no columns of its own");
  if (mask) {
    if (!column->is_null) column->is_null = Array::zeros(column->values.shape(), Dtype::bool_, column->values.device());
    return nb::make_tuple(column->values, *column->is_null);
  }
  return nb::cast(*array_of_arrow(object));
}

}  // namespace

std::optional<Column> column_of_arrow(nb::handle object) {
  const bool has_array = nb::hasattr(object.type(), "__arrow_c_array__"),
             has_stream = nb::hasattr(object.type(), "__arrow_c_stream__");
  if (!has_array && !has_stream) return std::nullopt;
  if (nb::hasattr(object.type(), "__array_interface__") || has_numpys_dtype(object)) return std::nullopt;
  if (!has_array) return column_of_stream(object);
  const nb::object pair = object.attr("__arrow_c_array__")();
  const auto schema = take<ArrowSchema>(nb::object(pair[0]), "arrow_schema");
  auto array = take<ArrowArray>(nb::object(pair[1]), "arrow_array");
  if (is_table(*schema)) return matrix_of(*schema, shared(std::move(array)));
  return column_of(*schema, shared(std::move(array)));
}

std::optional<Array> array_of_arrow(nb::handle object) {
  std::optional<Column> column = column_of_arrow(object);
  if (!column) return std::nullopt;
  if (column->is_null) {
    const int64_t n = nb::cast<int64_t>(item_of(reduce(ReduceOp::count_nonzero, *column->is_null)));
    throw Error(ErrorKind::value,
                "the column has " + std::to_string(n) + (n == 1 ? " null" : " nulls") + ", and arrays have no mask")
        .fix("values, is_null = ks.from_arrow(x, mask=True)");
  }
  return column->values;
}

void bind_arrow_import(nb::module_& m) {
  m.def("from_arrow", &from_arrow, "x"_a, "mask"_a = false,
        R"(The values of a column of Arrow's (pyarrow, Polars, pandas): read-only in the column's own memory, or a copy
of bools and of several chunks.

With mask=True a pair: values, of which those at nulls mean nothing, and a mask that is true at nulls.
Returns an Array, or the pair. TypeError for elements that are no numbers or bools; ValueError for nulls without
mask=True.

>>> ks.from_arrow(pyarrow.array([1, 2]))  # doctest: +SKIP
array([1, 2]))");
}

}  // namespace kasoku
