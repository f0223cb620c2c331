/// \file arrow.cpp
#include "arrow.h"

#include "arguments.h"
#include "foreign.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "to_python.h"

#include <cstring>
#include <string>
#include <string_view>

/// Arrow's structs, as its C data interface lays them out.
extern "C" {
struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace kasoku {

namespace {

using namespace nb::literals;

/// Arrow's letter for a dtype; empty if Arrow has none.
std::string_view letter_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::bool_: return "b";
    case Dtype::int8: return "c";
    case Dtype::uint8: return "C";
    case Dtype::int16: return "s";
    case Dtype::uint16: return "S";
    case Dtype::int32: return "i";
    case Dtype::uint32: return "I";
    case Dtype::int64: return "l";
    case Dtype::uint64: return "L";
    case Dtype::float16: return "e";
    case Dtype::float32: return "f";
    case Dtype::float64: return "g";
    default: return "";
  }
}

std::optional<Dtype> dtype_of_letter(std::string_view letter) {
  for (size_t i = 0; i < std::size(dtype_table); ++i)
    if (!letter.empty() && letter_of(static_cast<Dtype>(i)) == letter) return static_cast<Dtype>(i);
  return std::nullopt;
}

bool bit(const void* bits, int64_t at) { return static_cast<const uint8_t*>(bits)[at / 8] >> (at % 8) & 1; }

// ── from Arrow ──────────────────────────────────────────────────────────────────────────────

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

// ── to Arrow ────────────────────────────────────────────────────────────────────────────────

/// A node of an exported tree owns its children and, at the leaf, the memory.
struct Exported {
  std::vector<const void*> buffers;
  ArrowArray child{}, *children[1] = {&child};
  std::shared_ptr<Buffer> memory;
  std::vector<uint8_t> bits;
  std::vector<ArrowArray> columns;  ///< of a table
  std::vector<ArrowArray*> column_addresses;
};

template <class T>
void release_all(std::vector<T>& columns) {
  for (T& column : columns)
    if (column.release) column.release(&column);
}

void finish(ArrowArray& out, std::unique_ptr<Exported> own) {
  out.n_buffers = static_cast<int64_t>(own->buffers.size());
  out.buffers = own->buffers.data();
  out.private_data = own.release();
  out.release = [](ArrowArray* array) {
    auto* const own = static_cast<Exported*>(array->private_data);
    if (own->child.release) own->child.release(&own->child);
    release_all(own->columns);
    delete own;
    array->release = nullptr;
  };
}

/// `length` elements along an axis, from a place on that is counted in elements of memory.
void fill(ArrowArray& out, const Array& x, size_t axis, int64_t length, int64_t first = 0) {
  auto own = std::make_unique<Exported>();
  out = {};
  out.length = length;
  own->buffers.push_back(nullptr);  // no nulls
  if (axis + 1 < x.shape().size()) {
    fill(own->child, x, axis + 1, length * x.shape()[axis + 1]);
    out.n_children = 1;
    out.children = own->children;
  } else if (x.dtype() == Dtype::bool_) {
    const auto* const from = static_cast<const bool*>(x.address()) + first;
    own->bits.resize(static_cast<size_t>(length + 7) / 8 + 1);
    for (int64_t i = 0; i < length; ++i)
      own->bits[static_cast<size_t>(i / 8)] |= static_cast<uint8_t>(from[i] << (i % 8));
    own->buffers.push_back(own->bits.data());
  } else {
    own->memory = x.buffer();
    own->memory->is_shared = true;
    own->buffers.push_back(static_cast<const char*>(x.address()) + first * static_cast<int64_t>(x.itemsize()));
  }
  finish(out, std::move(own));
}

/// A matrix as a table: `columns` are its own, one after the other in memory.
void fill_table(ArrowArray& out, const Array& columns) {
  const int64_t n = columns.shape()[0], length = columns.shape()[1];
  auto own = std::make_unique<Exported>();
  own->columns.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    ArrowArray& column = own->columns[static_cast<size_t>(i)];
    fill(column, columns, 1, length, i * length);
    own->column_addresses.push_back(&column);
  }
  own->buffers.push_back(nullptr);  // no nulls
  out = {};
  out.length = length;
  out.n_children = n;
  out.children = own->column_addresses.data();
  finish(out, std::move(own));
}

struct ExportedSchema {
  std::string format, name;
  ArrowSchema child{}, *children[1] = {&child};
  std::vector<ArrowSchema> columns;  ///< of a table
  std::vector<ArrowSchema*> column_addresses;
};

void fill(ArrowSchema& out, const Array& x, size_t axis) {
  auto own = std::make_unique<ExportedSchema>();
  out = {};
  if (axis + 1 < x.shape().size()) {
    own->format = "+w:" + std::to_string(x.shape()[axis + 1]);
    fill(own->child, x, axis + 1);
    out.n_children = 1;
    out.children = own->children;
  } else {
    own->format = letter_of(x.dtype());
  }
  out.format = own->format.c_str();
  out.name = axis ? "item" : "";
  out.private_data = own.release();
  out.release = [](ArrowSchema* schema) {
    auto* const own = static_cast<ExportedSchema*>(schema->private_data);
    if (own->child.release) own->child.release(&own->child);
    release_all(own->columns);
    delete own;
    schema->release = nullptr;
  };
}

/// The columns are called as Polars calls those of a matrix.
void fill_table(ArrowSchema& out, const Array& columns) {
  fill(out, columns, columns.shape().size() - 1);
  auto* const own = static_cast<ExportedSchema*>(out.private_data);
  own->format = "+s";
  own->columns.resize(static_cast<size_t>(columns.shape()[0]));
  for (size_t i = 0; i < own->columns.size(); ++i) {
    fill(own->columns[i], columns, columns.shape().size() - 1);
    auto* const column = static_cast<ExportedSchema*>(own->columns[i].private_data);
    column->name = "column_" + std::to_string(i);
    own->columns[i].name = column->name.c_str();
    own->column_addresses.push_back(&own->columns[i]);
  }
  out.format = own->format.c_str();
  out.name = "";
  out.n_children = static_cast<int64_t>(own->columns.size());
  out.children = own->column_addresses.data();
}

/// A matrix is a table, anything else is a column.
template <class T>
void fill_any(T& out, const Array& x) {
  if (x.ndim() == 2) return fill_table(out, x);
  if constexpr (std::is_same_v<T, ArrowSchema>)
    fill(out, x, 0);
  else
    fill(out, x, 0, x.shape()[0]);
}

/// The array as one can be shown: rows in C order, of a matrix its columns, in memory of the host.
Array shown_as_column(const Array& x) {
  if (!x.device().is_host())
    throw Error(ErrorKind::type,
                "the array is on " + x.device().str() + ", and Arrow's C data interface shows memory of the host")
        .fix("x.to_device('cpu') copies it there");
  if (letter_of(x.dtype()).empty())
    throw Error(ErrorKind::type, "Arrow has no type for elements of " + std::string(info(x.dtype()).name));
  if (x.ndim() == 0) throw Error(ErrorKind::value, "an array of no axes is no column").fix("x.reshape(1)");
  const GilReleased release;
  Array flat = contiguous(x.ndim() == 2 ? transpose(x) : x);
  flat.data();
  return flat;
}

template <class T>
nb::object capsule_of(const char* name, std::unique_ptr<T> held, void (*forget)(PyObject*)) {
  PyObject* const capsule = PyCapsule_New(held.get(), name, forget);
  if (!capsule) throw nb::python_error();
  held.release();
  return nb::steal(capsule);
}

template <class T>
void forget(PyObject* capsule) {
  auto* const held = static_cast<T*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  if (held->release) held->release(held);
  delete held;
}

nb::object arrow_array(const Array& x, nb::handle) {
  const Array column = shown_as_column(x);
  auto schema = std::make_unique<ArrowSchema>();
  auto array = std::make_unique<ArrowArray>();
  fill_any(*schema, column);
  fill_any(*array, column);
  nb::object first = capsule_of("arrow_schema", std::move(schema), forget<ArrowSchema>);
  return nb::make_tuple(first, capsule_of("arrow_array", std::move(array), forget<ArrowArray>));
}

/// A stream of one chunk.
struct ColumnStream {
  Array column;
  bool is_over = false;
};

nb::object arrow_stream(const Array& x, nb::handle) {
  auto stream = std::make_unique<ArrowArrayStream>();
  stream->private_data = new ColumnStream{shown_as_column(x)};
  stream->get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    fill_any(*out, static_cast<ColumnStream*>(self->private_data)->column);
    return 0;
  };
  stream->get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    auto& own = *static_cast<ColumnStream*>(self->private_data);
    if (std::exchange(own.is_over, true))
      *out = {};
    else
      fill_any(*out, own.column);
    return 0;
  };
  stream->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  stream->release = [](ArrowArrayStream* self) {
    delete static_cast<ColumnStream*>(self->private_data);
    self->release = nullptr;
  };
  return capsule_of("arrow_array_stream", std::move(stream), forget<ArrowArrayStream>);
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

void bind_arrow(nb::module_& m) {
  nb::object cls = m.attr("Array");
  add_method(cls, "__arrow_c_array__", &arrow_array, "requested_schema"_a = nb::none(),
             "The array as a column of Arrow's, in its own memory if it lies in C order; bools become bits. A matrix is a table "
             "of its columns, without a copy if it lies in columns; of more axes, those after the first are lists of fixed size.");
  add_method(cls, "__arrow_c_stream__", &arrow_stream, "requested_schema"_a = nb::none(),
             "The same as a stream of one chunk.");
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
