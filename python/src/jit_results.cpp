/// \file python/src/jit_results.cpp
/// Results of compiled calls as Python values.
#include "convert.h"
#include "jit_lists.h"
#include "jit_records.h"
#include "kasoku/array/array.h"
#include "kasoku/base/half.h"
#include "kasoku/jit/lower.h"
#include "kasoku/jit/offload.h"
#include "to_python.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace kasoku {

using namespace jit;

namespace {

/// Whether an element stands at several places: nobody writes to one of them alone.
template <class Length, class Stride>
bool is_stretched(const Length* shape, const Stride* strides, size_t ndim) {
  for (size_t k = 0; k < ndim; ++k)
    if (shape[k] > 1 && strides[k] == 0) return true;
  return false;
}

/// An argument that is an array.
struct Given {
  PyObject* object;
  const Array* array;  ///< null for NumPy's
  const char* data;
  Dtype dtype;
  Extents shape, strides;  ///< strides in bytes
};

std::optional<Given> given_array(PyObject* value) {
  Dtype dtype;
  if (const NumpyArray* numpy = as_numpy(value, dtype))
    return Given{value, nullptr, numpy->data, dtype, {numpy->shape, numpy->shape + numpy->ndim}, {numpy->strides, numpy->strides + numpy->ndim}};
  const Array* array = as_array(value);
  if (!array) return std::nullopt;
  return Given{value, array, static_cast<const char*>(array->data_for_read()), array->dtype(),
               {array->shape().begin(), array->shape().end()}, array->strides()};
}

/// Gives memory that a call made back when nobody has it.
static nb::object owner_of(Memory* memory) {
  return nb::capsule(memory, [](void* p) noexcept { release(static_cast<Memory*>(p)); });
}

/// The argument that an array of records is, or a view of the one that it is a part of, or of what the call made.
nb::object records_result(const Type& type, const uint64_t* w, PyObject* const* arguments, size_t n) {
  const int64_t size = record_size(type.items[0]);
  nb::list shape, strides;
  for (int k = 0; k < type.ndim; ++k) {
    shape.append(static_cast<int64_t>(w[1 + k]));
    strides.append(static_cast<int64_t>(w[1 + type.ndim + k]) * size);
  }
  nb::object owner = nb::none();
  const auto find = [&](PyObject* value, const auto& self) -> bool {
    if (PyTuple_Check(value)) {
      for (Py_ssize_t i = 0; i < PyTuple_Size(value); ++i)
        if (self(PyTuple_GetItem(value, i), self)) return true;
      return false;
    }
    const Type given = type_of_records(value);
    if (!given.is_array()) return false;
    const auto* array = reinterpret_cast<const NumpyArray*>(value);
    const char *low = array->data, *high = array->data;
    bool is_same = array->data == reinterpret_cast<const char*>(w[0]) && array->ndim == type.ndim;
    for (int k = 0; k < array->ndim; ++k) {
      (array->strides[k] < 0 ? low : high) += array->shape[k] ? (array->shape[k] - 1) * array->strides[k] : 0;
      is_same = is_same && array->shape[k] == static_cast<Py_ssize_t>(w[1 + k]) &&
                array->strides[k] == static_cast<Py_ssize_t>(w[1 + type.ndim + k]) * size;
    }
    const auto* const at = reinterpret_cast<const char*>(w[0]);
    if (at < low || at > high) return false;
    owner = nb::borrow(value);
    return is_same;
  };
  if (auto* const made = reinterpret_cast<Memory*>(w[1 + 2 * type.ndim])) {
    owner = owner_of(made);
  } else {
    for (size_t i = 0; i < n; ++i)
      if (find(arguments[i], find)) return owner;
  }
  nb::dict memory;
  memory["data"] = nb::make_tuple(static_cast<uint64_t>(w[0]), type.is_read_only);
  memory["shape"] = nb::tuple(shape);
  memory["strides"] = nb::tuple(strides);
  memory["typestr"] = "|V" + std::to_string(size);
  memory["version"] = 3;
  nb::object shown = nb::module_::import_("types").attr("SimpleNamespace")();
  shown.attr("__array_interface__") = memory;
  shown.attr("owner") = owner;
  return nb::module_::import_("numpy").attr("asarray")(shown).attr("view")(dtype_of_record(type.items[0]));
}

nb::object array_result(const Type& type, const uint64_t* w, PyObject* const* arguments, size_t n) {
  if (type.has_records()) return records_result(type, w, arguments, n);
  auto* const data = reinterpret_cast<char*>(w[0]);
  auto* const memory = reinterpret_cast<Memory*>(w[1 + 2 * type.ndim]);
  const auto size = static_cast<int64_t>(info(type.dtype).size);
  Extents shape, strides;  // in bytes
  for (int k = 0; k < type.ndim; ++k) {
    shape.push_back(static_cast<int64_t>(w[1 + k]));
    strides.push_back(static_cast<int64_t>(w[1 + type.ndim + k]) * size);
  }
  nb::object owner;
  if (memory) {
    owner = owner_of(memory);
  } else {
    // A view of an argument, or of an item of one: find whose, and give the array itself if it is all of it.
    const auto find = [&](PyObject* value, const auto& self) -> nb::object {
      if (PyTuple_Check(value))
        for (Py_ssize_t i = 0; i < PyTuple_Size(value); ++i)
          if (nb::object whole = self(PyTuple_GetItem(value, i), self); whole.is_valid()) return whole;
      if (PyList_Check(value))
        for (Py_ssize_t i = 0; i < PyList_Size(value); ++i)
          if (nb::object whole = self(PyList_GetItem(value, i), self); whole.is_valid()) return whole;
      const std::optional<Given> given = given_array(value);
      if (!given) return {};
      const char *low = given->data, *high = given->data;
      for (size_t k = 0; k < given->shape.size(); ++k)
        (given->strides[k] < 0 ? low : high) += given->shape[k] ? (given->shape[k] - 1) * given->strides[k] : 0;
      if (given->data == data && given->dtype == type.dtype && given->shape == shape && given->strides == strides) return nb::borrow(given->object);
      if (owner.is_valid() || data < low || data > high) return {};
      owner = nb::borrow(given->object);
      if (given->array) given->array->buffer()->is_shared = true;  // NumPy's array writes there too
      return {};
    };
    for (size_t i = 0; i < n; ++i)
      if (nb::object whole = find(arguments[i], find); whole.is_valid()) return whole;
  }
  // A view of what may not be written; a fresh array of the same type may be.
  const bool stays_read_only = type.is_read_only && (!memory || is_stretched(shape.begin(), strides.begin(), shape.size()));
  return numpy_over(data, type.dtype, shape, strides, std::move(owner), stays_read_only);
}

}  // namespace

/// An array that a call on a device gives: an Array if one was given, else NumPy's.
static nb::object device_result(const Type& type, const uint64_t* w, PyObject* const* arguments, size_t n, Offloaded& call) {
  auto* const memory = reinterpret_cast<Memory*>(w[1 + 2 * type.ndim]);
  Shape shape;
  Strides strides;
  for (int k = 0; k < type.ndim; ++k) {
    shape.push_back(static_cast<int64_t>(w[1 + k]));
    strides.push_back(static_cast<int64_t>(w[1 + type.ndim + k]) * static_cast<int64_t>(info(type.dtype).size));
  }
  if (!memory) {
    const Array none = Array::empty(shape, type.dtype, call.device);
    return call.has_array ? nb::cast(none) : to_numpy(none);
  }
  const bool is_given = std::find(call.held.begin(), call.held.end(), memory) != call.held.end();
  if (is_given && !call.has_array) {  // a view of a NumPy argument
    std::vector<uint64_t> words(w, w + 2 + 2 * type.ndim);
    words.back() = 0;
    release(memory);
    return array_result(type, words.data(), arguments, n);
  }
  const std::shared_ptr<Buffer> buffer = buffer_of(memory);
  const int64_t offset = product(shape) ? reinterpret_cast<char*>(w[0]) - static_cast<char*>(buffer->memory()) : 0;
  release(memory);
  if (is_given)
    for (size_t i = 0; i < n; ++i)
      if (const Array* array = as_array(arguments[i]))
        if (array->buffer() == buffer && array->offset() == offset && array->shape() == shape && array->strides() == strides)
          return nb::borrow(arguments[i]);
  Array result = Array::view(buffer, offset, shape, strides, type.dtype);
  if (type.is_read_only && (is_given || is_stretched(shape.data(), strides.data(), shape.size()))) result = result.read_only();
  return call.has_array ? nb::cast(result) : to_numpy(result);
}

nb::object unpack(const Type& type, const uint64_t*& words, PyObject* const* arguments, size_t n, Offloaded* offloaded) {
  switch (type.kind) {
    case TypeKind::scalar: {
      if (type.enumeration) return member_of(type.enumeration, unpack(Type::scalar(type.dtype), words, arguments, n, offloaded));
      const uint64_t* w = words;
      words += is_complex(type.dtype) ? 2 : 1;
      double x, y;
      float f;
      std::memcpy(&x, w, 8);
      switch (type.dtype) {
        case Dtype::float64: return nb::steal(PyFloat_FromDouble(x));
        case Dtype::float32: std::memcpy(&f, w, 4); return nb::steal(PyFloat_FromDouble(f));
        case Dtype::float16: return nb::steal(PyFloat_FromDouble(half_to_float(static_cast<uint16_t>(*w))));
        case Dtype::bool_: return nb::steal(PyBool_FromLong(static_cast<long>(*w & 1)));
        case Dtype::int64: return nb::steal(PyLong_FromLongLong(static_cast<long long>(*w)));
        case Dtype::uint64: return nb::steal(PyLong_FromUnsignedLongLong(*w));
        case Dtype::int32: return nb::steal(PyLong_FromLong(static_cast<int32_t>(*w)));
        case Dtype::int16: return nb::steal(PyLong_FromLong(static_cast<int16_t>(*w)));
        case Dtype::int8: return nb::steal(PyLong_FromLong(static_cast<int8_t>(*w)));
        case Dtype::uint32: return nb::steal(PyLong_FromUnsignedLong(static_cast<uint32_t>(*w)));
        case Dtype::uint16: return nb::steal(PyLong_FromUnsignedLong(static_cast<uint16_t>(*w)));
        case Dtype::uint8: return nb::steal(PyLong_FromUnsignedLong(static_cast<uint8_t>(*w)));
        case Dtype::complex64:
        case Dtype::complex128:
          std::memcpy(&y, w + 1, 8);
          return nb::steal(PyComplex_FromDoubles(x, y));
        default: return nb::none();
      }
    }
    case TypeKind::array: {
      const uint64_t* w = words;
      words += 2 + 2 * type.ndim;
      return offloaded ? device_result(type, w, arguments, n, *offloaded) : array_result(type, w, arguments, n);
    }
    case TypeKind::tuple: {
      nb::object items = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(type.items.size())));
      if (!items.is_valid()) throw nb::python_error();
      for (size_t i = 0; i < type.items.size(); ++i)
        PyTuple_SetItem(items.ptr(), static_cast<Py_ssize_t>(i), unpack(type.items[i], words, arguments, n, offloaded).release().ptr());
      return type.text.empty() ? items : nb::object(class_of_names(type.text).attr("_make")(items));
    }
    case TypeKind::list:
    case TypeKind::dict:
    case TypeKind::instance:
    case TypeKind::set: return unpack_container(type, *words++, arguments, n);
    case TypeKind::optional: {
      const bool is_some = *words++;
      if (is_some) return unpack(type.items[0], words, arguments, n, offloaded);
      words += words_of(type.items[0]);
      return nb::none();
    }
    case TypeKind::text: return nb::str(type.text.c_str(), type.text.size());
    case TypeKind::string: {
      const String text{reinterpret_cast<const uint32_t*>(words[0]), static_cast<int64_t>(words[1])};
      words += 2;
      return python_string(text);
    }
    default: return nb::none();
  }
}

}  // namespace kasoku
