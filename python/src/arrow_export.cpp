/// \file arrow_export.cpp
/// Arrays as Arrow's columns, and matrices as its tables.
#include "arguments.h"
#include "arrow_structs.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "to_python.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kasoku {

namespace {

using namespace nb::literals;

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

}  // namespace

void bind_arrow_export(nb::module_& m) {
  nb::object cls = m.attr("Array");
  add_method(cls, "__arrow_c_array__", &arrow_array, "requested_schema"_a = nb::none(),
             "The array as a column of Arrow's, in its own memory if it lies in C order; bools become bits. A matrix is a table "
             "of its columns, without a copy if it lies in columns; of more axes, those after the first are lists of fixed size.");
  add_method(cls, "__arrow_c_stream__", &arrow_stream, "requested_schema"_a = nb::none(),
             "The same as a stream of one chunk.");
}

}  // namespace kasoku
