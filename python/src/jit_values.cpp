/// \file python/src/jit_values.cpp
#include "jit_values.h"

#include "convert.h"
#include "jit_lists.h"
#include "jit_read.h"
#include "jit_records.h"
#include "kasoku/array/array.h"
#include "kasoku/array/creation.h"
#include "kasoku/base/error.h"
#include "kasoku/jit/offload.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace kasoku {

using namespace jit;

namespace {

/// PyArray_Descr, as far as NumPy 1 and 2 agree on it.
struct NumpyDescr {
  PyObject base_object;
  PyObject* type_object;
  char kind, type, byteorder, flags;
};

constexpr int contiguous_flag = 0x1, aligned_flag = 0x100;

PyTypeObject* array_type = nullptr;  // numpy.ndarray, once NumPy is imported
PyTypeObject* numpy_array_type() {
  if (!array_type) {
    nb::dict modules = nb::borrow<nb::dict>(nb::module_::import_("sys").attr("modules"));
    if (modules.contains("numpy"))
      array_type = reinterpret_cast<PyTypeObject*>(nb::object(modules["numpy"].attr("ndarray")).release().ptr());
  }
  return array_type;
}

bool dtype_from_char(char code, Dtype& out) {
  switch (code) {
    case '?': out = Dtype::bool_; return true;
    case 'b': out = Dtype::int8; return true;
    case 'h': out = Dtype::int16; return true;
    case 'i': out = Dtype::int32; return true;
    case 'l':
    case 'q': out = Dtype::int64; return true;
    case 'B': out = Dtype::uint8; return true;
    case 'H': out = Dtype::uint16; return true;
    case 'I': out = Dtype::uint32; return true;
    case 'L':
    case 'Q': out = Dtype::uint64; return true;
    case 'e': out = Dtype::float16; return true;
    case 'f': out = Dtype::float32; return true;
    case 'd': out = Dtype::float64; return true;
    case 'F': out = Dtype::complex64; return true;
    case 'D': out = Dtype::complex128; return true;
    default: return false;
  }
}

/// Dtype of a NumPy scalar's class, opaque for anything else. Remembered by class.
Dtype numpy_scalar_dtype(PyObject* value) {
  static std::unordered_map<PyTypeObject*, Dtype>& known = *new std::unordered_map<PyTypeObject*, Dtype>;
  PyTypeObject* type = Py_TYPE(value);
  const auto found = known.find(type);
  if (found != known.end()) return found->second;
  Dtype dtype = Dtype::opaque;
  nb::dict modules = nb::borrow<nb::dict>(nb::module_::import_("sys").attr("modules"));
  if (!modules.contains("numpy")) return dtype;
  if (PyObject_IsInstance(value, nb::object(modules["numpy"].attr("generic")).ptr()) == 1) {
    const auto code = nb::cast<std::string>(nb::handle(value).attr("dtype").attr("char"));
    if (!dtype_from_char(code[0], dtype)) dtype = Dtype::opaque;
  }
  Py_INCREF(reinterpret_cast<PyObject*>(type));
  known[type] = dtype;
  return dtype;
}

template <class T>
void put(uint64_t* word, T value) {
  *word = 0;
  std::memcpy(word, &value, sizeof value);
}

void put_integer(uint64_t* word, Dtype dtype, uint64_t value) {
  *word = 0;
  std::memcpy(word, &value, info(dtype).size);
}

Type array_type_of(Dtype dtype, int ndim, bool is_contiguous, bool is_read_only) {
  Type type = Type::array(dtype, ndim, is_contiguous);
  type.is_read_only = is_read_only;
  return type;
}

uint64_t nothing[8];  // where arrays without elements point

}  // namespace

const Array* as_array(PyObject* object) {
  if (!nb::isinstance<Array>(nb::handle(object))) return nullptr;
  return &nb::cast<const Array&>(nb::handle(object));
}

/// The array of NumPy, if it is of a dtype and byte order that compiled code reads, wherever its elements lie.
static const NumpyArray* numpy_of_known_dtype(PyObject* object, Dtype& dtype) {
  PyTypeObject* type = numpy_array_type();
  if (!type || !(Py_TYPE(object) == type || PyObject_TypeCheck(object, type))) return nullptr;
  const auto* array = reinterpret_cast<const NumpyArray*>(object);
  const auto* descr = reinterpret_cast<const NumpyDescr*>(array->descr);
  return dtype_from_char(descr->type, dtype) && descr->byteorder != '>' ? array : nullptr;
}

static bool is_well_placed(const NumpyArray& array, Dtype dtype) {
  const auto size = static_cast<Py_ssize_t>(info(dtype).size);
  for (int k = 0; k < array.ndim; ++k)
    if (array.strides[k] % size) return false;
  return array.flags & aligned_flag;
}

static bool is_well_placed(const Array& array) {
  const auto size = static_cast<int64_t>(array.itemsize());
  return array.is_contiguous() ||
         std::ranges::all_of(array.strides(), [=](int64_t stride) { return stride % size == 0; });
}

const NumpyArray* as_numpy(PyObject* object, Dtype& dtype) {
  const NumpyArray* array = numpy_of_known_dtype(object, dtype);
  return array && is_well_placed(*array, dtype) ? array : nullptr;
}

nb::object well_placed_copy(PyObject* object) {
  if (const Array* ours = as_array(object))
    return is_well_placed(*ours) ? nb::object()
                                 : nb::cast(ours->is_read_only() ? copy(*ours).read_only() : copy(*ours));
  Dtype dtype;
  const NumpyArray* array = numpy_of_known_dtype(object, dtype);
  if (!array || is_well_placed(*array, dtype)) return {};
  nb::object copy = nb::handle(object).attr("copy")();
  if (is_read_only(*array)) copy.attr("flags").attr("writeable") = false;
  return copy;
}

namespace {

struct NamedTuple {
  nb::object named, home, name;
  std::string names;
};

std::vector<NamedTuple>& named_tuples() {
  static std::vector<NamedTuple>& all = *new std::vector<NamedTuple>;
  return all;
}

}  // namespace

std::string names_of_tuple(nb::handle named) {
  for (const NamedTuple& each : named_tuples())
    if (each.named.is(named)) return each.names;
  std::string names;
  for (nb::handle name : nb::object(named.attr("_fields"))) names += nb::cast<std::string>(name) + ",";
  nb::object home = named.attr("__module__"), name = named.attr("__qualname__");
  for (NamedTuple& each : named_tuples()) {
    if (each.names.substr(0, names.size()) != names || each.names.find_first_not_of(' ', names.size()) != std::string::npos) continue;
    if (each.home.equal(home) && each.name.equal(name)) return each.named = nb::borrow(named), each.names;  // made anew
    names += ' ';
  }
  named_tuples().push_back({nb::borrow(named), home, name, names});
  return names;
}

nb::handle class_of_names(const std::string& names) {
  return std::ranges::find(named_tuples(), names, &NamedTuple::names)->named;
}

/// `parts`: how many more a nest of tuples may have; a tuple twice in one doubles them.
static Type type_of_value(nb::handle value, int& parts) {
  PyObject* p = value.ptr();
  if (PyFloat_CheckExact(p)) return float64_type;
  if (PyBool_Check(p)) return bool_type;
  if (PyLong_CheckExact(p)) {
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(p, &overflow);
    if (overflow) {
      PyLong_AsUnsignedLongLong(p);
      if (PyErr_Occurred()) return PyErr_Clear(), Type{};
      return Type::scalar(Dtype::uint64);
    }
    return int64_type;
  }
  if (value.is_none()) return Type::none();
  if (PyComplex_CheckExact(p)) return Type::scalar(Dtype::complex128);
  Dtype dtype;
  if (const NumpyArray* array = as_numpy(p, dtype))
    return array_type_of(dtype, array->ndim, array->flags & contiguous_flag, is_read_only(*array));
  const bool has_names = PyTuple_Check(p) && !PyTuple_CheckExact(p) && nb::hasattr(value, "_fields");
  if (PyTuple_CheckExact(p) || has_names) {
    std::vector<Type> items;
    for (nb::handle item : nb::borrow<nb::tuple>(value)) {
      if (--parts < 0) return {};
      items.push_back(type_of_value(item, parts));
      if (!items.back().is_known()) return {};
    }
    if (items.size() > most_items) return {};
    Type tuple = Type::tuple(std::move(items));
    if (has_names) tuple.text = names_of_tuple(value.type());
    return tuple;
  }
  if (Type records = type_of_records(p); records.is_known()) return records;
  const Dtype scalar = numpy_scalar_dtype(p);
  if (scalar != Dtype::opaque) return Type::scalar(scalar);
  if (PyLong_Check(p)) {
    Type type = int64_type;
    const std::optional<int> enumeration = enumeration_of(value);
    if (!enumeration) return {};
    type.enumeration = *enumeration;
    return type;
  }
  if (Type symbol = type_of_symbol(value); symbol.is_known()) return symbol;
  if (Type generator = type_of_generator(p); generator.is_known()) return generator;
  if (PyFloat_Check(p)) return float64_type;
  if (const Array* array = as_array(p)) {
    if (array->dtype() == Dtype::opaque || array->dtype() == Dtype::bfloat16 || !is_well_placed(*array)) return {};
    return array_type_of(array->dtype(), array->ndim(), array->is_contiguous(), array->is_read_only());
  }
  return {};
}

Type type_of_value(nb::handle value) {
  int parts = 1000;
  return type_of_value(value, parts);
}

namespace {

/// Memory of a NumPy array as a buffer, from its lowest byte on.
std::shared_ptr<Buffer> adopt(const NumpyArray& array, Device& device, size_t itemsize) {
  char *low = array.data, *high = array.data + itemsize;
  for (int k = 0; k < array.ndim; ++k) {
    if (array.shape[k] == 0) return Buffer::allocate(device, 0);
    const Py_ssize_t reach = (array.shape[k] - 1) * array.strides[k];
    (reach < 0 ? low : high) += reach;
  }
  return Buffer::adopt(device, low, static_cast<size_t>(high - low), nullptr, is_read_only(array));
}

/// The word of an array's memory, for a call on a device.
uint64_t held_memory(Offloaded& call, std::shared_ptr<Buffer> buffer) {
  buffer->use_on(call.device.current_stream());
  call.held.push_back(hold(std::move(buffer)));
  return reinterpret_cast<uint64_t>(call.held.back());
}

}  // namespace

Offloaded::~Offloaded() {
  for (Memory* memory : held) release(memory);
}

void Where::look(PyObject* value) {
  Dtype dtype;
  if (const Array* array = as_array(value)) {
    if (!device) device = &array->device();
    else if (device != &array->device()) other = &array->device();
  } else if (as_numpy(value, dtype)) {
    has_numpy = true;
  } else if (PyTuple_Check(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(value); ++i) look(PyTuple_GetItem(value, i));
  }
}

namespace {

/// A number of NumPy's, or one of Python's that pack() has no quick way for.
bool pack_number(PyObject* value, const Type& type, uint64_t*& words) {
  if (PyBool_Check(value) || PyFloat_CheckExact(value)) return false;
  const Dtype dtype = PyLong_CheckExact(value) ? Dtype::opaque : numpy_scalar_dtype(value);
  const bool is_plain = dtype == Dtype::opaque;
  if (is_plain) {
    if (type_of_value(value) != type) return false;
  } else if (dtype != type.dtype) {
    return false;
  }
  if (is_complex(type.dtype)) {
    nb::object z = PyComplex_Check(value) ? nb::borrow(value)
                                          : nb::object(nb::module_::import_("builtins").attr("complex")(nb::handle(value)));
    put(words++, PyComplex_RealAsDouble(z.ptr()));
    put(words++, PyComplex_ImagAsDouble(z.ptr()));
    return true;
  }
  if (is_floating(type.dtype)) {
    const double x = nb::cast<double>(nb::float_(nb::handle(value)));
    if (type.dtype == Dtype::float16) put(words++, nb::cast<uint16_t>(nb::handle(value).attr("view")("uint16").attr("item")()));
    else if (type.dtype == Dtype::float32) put(words++, static_cast<float>(x));
    else put(words++, x);
    return true;
  }
  if (type.dtype == Dtype::bool_) return put(words++, PyObject_IsTrue(value) == 1), true;
  nb::object number = nb::int_(nb::handle(value));
  const uint64_t bits = info(type.dtype).kind == DtypeKind::unsigned_
                            ? PyLong_AsUnsignedLongLong(number.ptr())
                            : static_cast<uint64_t>(PyLong_AsLongLong(number.ptr()));
  if (PyErr_Occurred()) return PyErr_Clear(), false;
  put_integer(words++, type.dtype, bits);
  return true;
}

// The words of an array: its address, lengths, strides in elements, and its memory where a call on a device holds that.

bool pack_bytes(PyObject* value, uint64_t* w) {
  const bool is_bytes = PyBytes_CheckExact(value), is_writable = PyByteArray_CheckExact(value);
  if (!is_bytes && !is_writable) return false;
  w[0] = reinterpret_cast<uint64_t>(is_bytes ? PyBytes_AsString(value) : PyByteArray_AsString(value));
  w[1] = static_cast<uint64_t>(is_bytes ? PyBytes_Size(value) : PyByteArray_Size(value));
  w[2] = 1, w[3] = 0;
  return true;
}

bool pack_records(PyObject* value, const Type& type, uint64_t* w) {
  if (type_of_records(value) != type) return false;
  const auto* array = reinterpret_cast<const NumpyArray*>(value);
  w[0] = reinterpret_cast<uint64_t>(array->data);
  for (int k = 0; k < type.ndim; ++k) {
    w[1 + k] = static_cast<uint64_t>(array->shape[k]);
    w[1 + type.ndim + k] = static_cast<uint64_t>(array->strides[k] / record_size(type.items[0]));
  }
  w[1 + 2 * type.ndim] = 0;
  return true;
}

bool pack_numpy(const NumpyArray& array, Dtype dtype, const Type& type, uint64_t* w, Offloaded* offloaded) {
  const bool is_contiguous = array.flags & contiguous_flag;
  if (offloaded && !offloaded->device.is_host()) return false;
  if (dtype != type.dtype || array.ndim != type.ndim || is_contiguous != type.is_contiguous ||
      is_read_only(array) != type.is_read_only)
    return false;
  const auto size = static_cast<Py_ssize_t>(info(dtype).size);
  bool is_empty = false;
  for (int k = 0; k < type.ndim; ++k) {
    w[1 + k] = static_cast<uint64_t>(array.shape[k]);
    w[1 + type.ndim + k] = static_cast<uint64_t>(array.strides[k] / size);
    is_empty |= array.shape[k] == 0;
  }
  w[0] = is_empty ? reinterpret_cast<uint64_t>(nothing) : reinterpret_cast<uint64_t>(array.data);
  w[1 + 2 * type.ndim] = offloaded ? held_memory(*offloaded, adopt(array, offloaded->device, info(dtype).size)) : 0;
  return true;
}

bool pack_array(PyObject* value, const Type& type, uint64_t*& words, Offloaded* offloaded) {
  uint64_t* w = words;
  words += 2 + 2 * type.ndim;
  if (type.is_bytes()) return !offloaded && pack_bytes(value, w);
  if (type.has_records()) return !offloaded && pack_records(value, type, w);
  Dtype dtype;
  if (const NumpyArray* array = as_numpy(value, dtype)) return pack_numpy(*array, dtype, type, w, offloaded);
  const Array* array = as_array(value);
  if (!array || (offloaded ? &array->device() != &offloaded->device : !array->device().is_host()) ||
      array->dtype() != type.dtype || array->ndim() != type.ndim || array->is_contiguous() != type.is_contiguous ||
      array->is_read_only() != type.is_read_only || !is_well_placed(*array))
    return false;
  if (offloaded) offloaded->has_array = true;
  w[0] = reinterpret_cast<uint64_t>(array->size() ? array->data() : nothing);
  for (int k = 0; k < type.ndim; ++k) {
    w[1 + k] = static_cast<uint64_t>(array->shape()[static_cast<size_t>(k)]);
    w[1 + type.ndim + k] =
        static_cast<uint64_t>(array->strides()[static_cast<size_t>(k)] / static_cast<int64_t>(array->itemsize()));
  }
  w[1 + 2 * type.ndim] = offloaded ? held_memory(*offloaded, array->buffer()) : 0;
  return true;
}

}  // namespace

bool pack(PyObject* value, const Type& type, uint64_t*& words, Offloaded* offloaded) {
  switch (type.kind) {
    case TypeKind::scalar:
      switch (type.dtype) {
        case Dtype::float64:
          if (PyFloat_CheckExact(value)) return put(words++, PyFloat_AsDouble(value)), true;
          if (PyFloat_Check(value) && (numpy_scalar_dtype(value) == Dtype::float64 || numpy_scalar_dtype(value) == Dtype::opaque))
            return put(words++, PyFloat_AsDouble(value)), true;
          return false;
        case Dtype::int64:
          if (PyLong_CheckExact(value) && !type.enumeration) {
            int overflow = 0;
            const long long n = PyLong_AsLongLongAndOverflow(value, &overflow);
            return put(words++, n), overflow == 0;
          }
          break;
        case Dtype::bool_:
          if (PyBool_Check(value)) return put(words++, value == Py_True), true;
          break;
        default: break;
      }
      return pack_number(value, type, words);
    case TypeKind::record:
      if (type.is_generator()) return type_of_generator(value) == type && (put(words++, generator_address(value)), true);
      if (offloaded || type_of_records(value) != type) return false;
      return put(words++, record_address(value)), true;
    case TypeKind::array: return pack_array(value, type, words, offloaded);
    case TypeKind::tuple:
      if (!PyTuple_Check(value) || PyTuple_CheckExact(value) != type.text.empty() || static_cast<size_t>(PyTuple_Size(value)) != type.items.size()) return false;
      if (!type.text.empty() && type_of_value(value) != type) return false;
      for (size_t i = 0; i < type.items.size(); ++i)
        if (!pack(PyTuple_GetItem(value, static_cast<Py_ssize_t>(i)), type.items[i], words, offloaded)) return false;
      return true;
    case TypeKind::none: return value == Py_None;
    case TypeKind::string: {
      if (!PyUnicode_CheckExact(value)) return false;
      const String text = string_of(value, strings_of_call());
      *words++ = reinterpret_cast<uint64_t>(text.at);
      *words++ = static_cast<uint64_t>(text.size);
      return true;
    }
    case TypeKind::text:
    case TypeKind::dtype:
    case TypeKind::member: return type_of_symbol(value) == type;
    case TypeKind::list:
    case TypeKind::dict:
    case TypeKind::set: return pack_container(value, type, words++, offloaded != nullptr);
    default: return false;
  }
}

}  // namespace kasoku
