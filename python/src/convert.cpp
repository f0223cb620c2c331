#include "convert.h"

#include "array_object.h"
#include "arrow.h"
#include "device.h"
#include "foreign.h"
#include "host_buffer.h"
#include "kasoku/array/creation.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/replay.h"
#include "kasoku/device/stream.h"
#include "kernel_arguments.h"

#include <cstring>
#include <string>

namespace kasoku {

namespace {

int64_t length_from(nb::handle object) {
  if (const auto length = index_from(object)) return *length;
  throw Error(ErrorKind::value, "a length of " + nb::cast<std::string>(nb::str(object)) + " is more than 64 bits hold");
}

}  // namespace

std::optional<int64_t> index_from(nb::handle object) {
  const nb::object index = PyLong_CheckExact(object.ptr()) ? nb::borrow(object) : nb::steal(PyNumber_Index(object.ptr()));
  if (!index) throw nb::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return overflow ? std::nullopt : std::optional<int64_t>(value);
}

int64_t integer_from(nb::handle object) {
  if (const auto value = index_from(object)) return *value;
  PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C long");
  throw nb::python_error();
}

nb::handle numpy() {
  static nb::object* module = new nb::object(nb::module_::import_("numpy"));
  return *module;
}

bool is_plain_numpys(nb::handle object) {
  static PyTypeObject* const ndarray = reinterpret_cast<PyTypeObject*>(nb::object(numpy().attr("ndarray")).release().ptr());
  return Py_TYPE(object.ptr()) == ndarray;
}

namespace {

PyTypeObject* dtype_class() {
  static auto* const type = reinterpret_cast<PyTypeObject*>(nb::object(numpy().attr("dtype")).release().ptr());
  return type;
}

}  // namespace

std::optional<Dtype> dtype_of_numpys(nb::handle dtype) {
  // NumPy makes a type's name anew each time, in microseconds: types are looked up by themselves.
  static nb::dict* const answered = new nb::dict;
  PyObject* answer = PyDict_GetItemWithError(answered->ptr(), dtype.ptr());
  if (!answer) {
    const auto known = nb::cast<bool>(dtype.attr("isnative")) ? dtype_from_name(nb::cast<std::string>(dtype.attr("name"))) : std::nullopt;
    const nb::object number = known && *known != Dtype::opaque ? nb::object(nb::int_(static_cast<int>(*known))) : nb::none();
    (*answered)[dtype] = number;
    answer = number.ptr();  // which the dictionary holds
  }
  return answer == Py_None ? std::nullopt : std::optional(static_cast<Dtype>(PyLong_AsLong(answer)));
}

bool is_of_other_elements(nb::handle object) {
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  if (!PyType_IsSubtype(Py_TYPE(dtype.ptr()), dtype_class())) return false;
  const std::optional<Dtype> known = dtype_of_numpys(dtype);
  return !known || info(*known).code.empty();
}

bool is_other_dtype(nb::handle object) {
  if (PyType_IsSubtype(Py_TYPE(object.ptr()), dtype_class())) return !dtype_of_numpys(object);
  if (!PyUnicode_CheckExact(object.ptr())) return false;
  static nb::dict* const answered = new nb::dict;
  PyObject* answer = PyDict_GetItemWithError(answered->ptr(), object.ptr());
  if (!answer) {
    PyObject* const dtype = dtype_from_name(nb::cast<std::string>(object)) ? nullptr : PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(dtype_class()), object.ptr(), nullptr);
    PyErr_Clear();  // no dtype's name
    answer = dtype && !dtype_of_numpys(nb::steal(dtype)) ? Py_True : Py_False;
    (*answered)[object] = nb::handle(answer);
  }
  return answer == Py_True;
}

Dtype dtype_from(nb::handle object) {
  static nb::dict* const names = new nb::dict;  // types and texts, as for dtypes
  const bool is_name = PyType_Check(object.ptr()) || PyUnicode_CheckExact(object.ptr());
  if (PyObject* const known = is_name ? PyDict_GetItemWithError(names->ptr(), object.ptr()) : nullptr)
    return static_cast<Dtype>(PyLong_AsLong(known));
  const auto remembered = [&](Dtype dtype) {
    if (is_name) (*names)[object] = static_cast<int>(dtype);
    return dtype;
  };
  if (nb::isinstance<nb::str>(object))
    if (const auto known = dtype_from_name(nb::cast<std::string>(object))) return remembered(*known);
  const bool is_dtype = PyType_IsSubtype(Py_TYPE(object.ptr()), dtype_class());
  const nb::object dtype = is_dtype ? nb::borrow(object) : numpy().attr("dtype")(object);
  const std::optional<Dtype> known = dtype_of_numpys(dtype);
  if (!known) throw Error(ErrorKind::type, "no kasoku array can hold dtype " + nb::cast<std::string>(nb::str(dtype)));
  return remembered(*known);
}

std::optional<Dtype> optional_dtype(nb::handle object) {
  if (!object.is_valid() || object.is_none()) return std::nullopt;
  return dtype_from(object);
}

nb::object numpy_dtype(Dtype dtype) {
  static nb::object* const all = [] {
    auto* const made = new nb::object[std::size(dtype_table)];
    for (size_t i = 0; i < std::size(dtype_table); ++i) {
      const DtypeInfo& row = dtype_table[i];
      nb::str name(row.name.data(), row.name.size());
      made[i] = row.code.empty() || row.kind == DtypeKind::opaque ? nb::object(name) : numpy().attr("dtype")(name);
    }
    return made;
  }();
  return all[static_cast<size_t>(dtype)];
}

Device& device_from(nb::handle object) {
  return object.is_valid() ? to_device(object) : default_device();
}

bool has_length(nb::handle object) {
  if (!PySequence_Check(object.ptr())) return false;
  const bool is_sized = PySequence_Size(object.ptr()) >= 0;
  PyErr_Clear();
  return is_sized;
}

Shape shape_from(nb::handle object) {
  if (PyIndex_Check(object.ptr()) && !has_length(object)) return {length_from(object)};
  const bool is_sequence =
      PyTuple_CheckExact(object.ptr()) || PyList_CheckExact(object.ptr());  // mostly; to ask for a name costs more
  if (!is_sequence && !PyIter_Check(object.ptr()) && !nb::hasattr(object, "__iter__"))
    throw Error(ErrorKind::type, "a shape is an integer or a tuple of them, got a " + class_name(object));
  Shape shape;
  if (PyTuple_CheckExact(object.ptr()))
    for (Py_ssize_t i = 0; i < PyTuple_Size(object.ptr()); ++i) shape.push_back(length_from(PyTuple_GetItem(object.ptr(), i)));
  else
    for (nb::handle length : nb::iter(object)) shape.push_back(length_from(length));
  return shape;
}

nb::tuple tuple_from(const Shape& shape) {
  nb::object lengths = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  if (!lengths) throw nb::python_error();
  for (size_t i = 0; i < shape.size(); ++i)
    PyTuple_SetItem(lengths.ptr(), static_cast<Py_ssize_t>(i), nb::int_(shape[i]).release().ptr());
  return nb::borrow<nb::tuple>(lengths);
}

std::string class_name(nb::handle object) { return nb::cast<std::string>(nb::str(object.type().attr("__name__"))); }

bool get_plain_number(nb::handle object, Scalar& number) {
  if (PyFloat_CheckExact(object.ptr())) {
    number.kind = DtypeKind::floating;
    number.f = PyFloat_AsDouble(object.ptr());
    return true;
  }
  if (!PyLong_CheckExact(object.ptr())) return false;
  int overflow = 0;
  number.kind = DtypeKind::signed_;
  number.i = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  return overflow == 0;
}

std::optional<Scalar> plain_number(nb::handle object) {
  Scalar number;
  return get_plain_number(object, number) ? std::optional(number) : std::nullopt;
}

namespace {

/// Where one of NumPy's numbers has its value, as numpy/arrayscalars.h has it.
char* behind_head(nb::handle object) { return reinterpret_cast<char*>(object.ptr()) + sizeof(PyObject); }

}  // namespace

std::optional<NumpysNumber> numpys_number(nb::handle object) {
  const std::optional<Dtype> dtype = numpy_scalar_dtype(Py_TYPE(object.ptr()));
  return dtype ? std::optional(NumpysNumber{Scalar::load(*dtype, behind_head(object)), *dtype}) : std::nullopt;
}

const void* memory_of_number(nb::handle object, Dtype dtype) {
  return numpy_scalar_dtype(Py_TYPE(object.ptr())) == dtype ? behind_head(object) : nullptr;
}

nb::object as_numpys_number(const void* element, Dtype dtype) {
  struct Type {
    PyTypeObject* type;
    allocfunc allocate;
    PyObject* truths[2];  ///< of bool there are two objects
  };
  static const auto* const types = [] {  // NumPy's live as long as the process
    auto* const all = new Type[std::size(dtype_table)]{};
    for (size_t i = 0; i < std::size(dtype_table); ++i) {
      if (dtype_table[i].code.empty() || dtype_table[i].kind == DtypeKind::opaque) continue;
      all[i].type = reinterpret_cast<PyTypeObject*>(nb::object(numpy_dtype(static_cast<Dtype>(i)).attr("type")).release().ptr());
      all[i].allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(all[i].type, Py_tp_alloc));
      for (bool truth : {false, true})
        if (dtype_table[i].kind == DtypeKind::boolean) all[i].truths[truth] = nb::handle(reinterpret_cast<PyObject*>(all[i].type))(nb::bool_(truth)).release().ptr();
    }
    return all;
  }();
  const Type& its = types[static_cast<size_t>(dtype)];
  if (dtype == Dtype::bool_) return nb::borrow(its.truths[*static_cast<const char*>(element) != 0]);
  PyObject* const number = its.allocate(its.type, 0);
  if (!number) throw nb::python_error();
  std::memcpy(behind_head(number), element, info(dtype).size);
  return nb::steal(number);
}

namespace {

/// A list or a tuple as Python's own classes are, which has no protocol of other libraries.
bool is_sequence(nb::handle object) { return PyList_CheckExact(object.ptr()) || PyTuple_CheckExact(object.ptr()); }

/// A number as Python's own classes are.
bool is_number(nb::handle object) { return PyFloat_CheckExact(object.ptr()) || PyLong_CheckExact(object.ptr()) || PyBool_Check(object.ptr()); }

Py_ssize_t length_of(nb::handle sequence) { return PyList_Check(sequence.ptr()) ? PyList_Size(sequence.ptr()) : PyTuple_Size(sequence.ptr()); }

nb::handle item_at(nb::handle sequence, Py_ssize_t i) { return PyList_Check(sequence.ptr()) ? PyList_GetItem(sequence.ptr(), i) : PyTuple_GetItem(sequence.ptr(), i); }

/// Numbers of one kind of Python's, in rows of one length or a single one: what most arrays are made of, in a fraction of the
/// time that the general way takes.
class Numbers {
 public:
  /// Nothing (null) for what is not that, and for dtypes that take more than a look.
  static Array array_of(nb::handle object, std::optional<Dtype> dtype, Device& device) {
    if (!(is_sequence(object) || is_number(object)) || !device.is_host() || Recorder::current()) return {};
    Numbers numbers(object, device);
    nb::handle first = object;
    for (; is_sequence(first) && numbers.shape_.size() < 2; first = item_at(first, 0)) {
      if (length_of(first) == 0) return {};
      numbers.shape_.push_back(length_of(first));
    }
    if (PyBool_Check(first.ptr())) return dtype.value_or(Dtype::bool_) == Dtype::bool_ ? numbers.as<bool>(Dtype::bool_) : Array();
    Array whole = dtype.value_or(Dtype::int64) == Dtype::int64 && !PyFloat_CheckExact(first.ptr()) ? numbers.as<int64_t>(Dtype::int64) : Array();
    return whole.is_null() && dtype.value_or(Dtype::float64) == Dtype::float64 ? numbers.as<double>(Dtype::float64) : whole;
  }

 private:
  Numbers(nb::handle object, Device& device) : object_(object), device_(device) {}

  template <class T>
  Array as(Dtype dtype) const {
    auto storage = Storage::allocate(device_, static_cast<size_t>(product(shape_)) * sizeof(T));
    T* const first = static_cast<T*>(storage->buffer->memory());
    if (!(shape_.empty() ? get(object_, *first) : read(object_, 0, first) != nullptr)) return {};
    storage->buffer->history.filled_by_host = true;
    return Array::of(std::move(storage), shape_, dtype, sizeof(T));
  }

  /// Behind what was read; null if it is something else.
  template <class T>
  T* read(nb::handle sequence, size_t depth, T* to) const {
    const Py_ssize_t length = length_of(sequence);
    if (length != shape_[depth]) return nullptr;
    const bool has_rows = depth + 1 < shape_.size();
    for (Py_ssize_t i = 0; i < length && to; ++i) {
      const nb::handle item = item_at(sequence, i);
      if (!has_rows) to = get(item, *to) ? to + 1 : nullptr;
      else to = is_sequence(item) ? read(item, depth + 1, to) : nullptr;
    }
    return to;
  }

  static bool get(nb::handle item, bool& to) {
    to = item.ptr() == Py_True;
    return PyBool_Check(item.ptr());
  }
  static bool get(nb::handle item, int64_t& to) {
    int overflow = 0;
    if (PyLong_CheckExact(item.ptr())) to = PyLong_AsLongLongAndOverflow(item.ptr(), &overflow);
    else if (const void* const numpys = memory_of_number(item, Dtype::int64)) std::memcpy(&to, numpys, sizeof to);
    else return false;
    return !overflow;
  }
  static bool get(nb::handle item, double& to) {
    if (PyFloat_CheckExact(item.ptr())) to = PyFloat_AsDouble(item.ptr());
    else if (const void* const numpys = memory_of_number(item, Dtype::float64)) std::memcpy(&to, numpys, sizeof to);
    else if (int64_t whole; get(item, whole)) to = static_cast<double>(whole);
    else return false;
    return true;
  }

  nb::handle object_;
  Device& device_;
  Shape shape_;
};

}  // namespace

Array array_of_numbers(nb::handle object, std::optional<Dtype> dtype, Device& device) { return Numbers::array_of(object, dtype, device); }

std::optional<Operand> operand_from(nb::handle object, Device& device) {
  Operand operand;
  PyObject* p = object.ptr();
  if (const Array* array = array_of(object)) {
    operand.array = *array;
    return operand;
  }
  if (const std::optional<Scalar> number = plain_number(object)) {
    operand.scalar = *number;
    operand.weak = number->kind == DtypeKind::floating ? Weak::floating : Weak::integer;
    return operand;
  }
  if (const std::optional<NumpysNumber> number = numpys_number(object)) {
    operand.array = full({}, number->value, number->dtype, device);
    return operand;
  }
  if (PyBool_Check(p)) {  // a bool, but one with a dtype: it does not adapt
    operand.array = full({}, Scalar::of(p == Py_True), Dtype::bool_, device);
    return operand;
  }
  if (PyLong_CheckExact(p)) {
    operand.weak = Weak::integer;
    const unsigned long long large = PyLong_AsUnsignedLongLong(p);
    operand.scalar = Scalar::of(uint64_t{large});
    if (PyErr_Occurred()) {  // beyond 64 bits: a number for floats alone
      PyErr_Clear();
      operand.scalar = Scalar::of(PyLong_AsDouble(p));
      if (PyErr_Occurred()) throw nb::python_error();
    }
    return operand;
  }
  if (PyComplex_CheckExact(p)) {
    operand.weak = Weak::complex_;
    operand.scalar = Scalar::of(std::complex<double>(PyComplex_RealAsDouble(p), PyComplex_ImagAsDouble(p)));
    return operand;
  }
  if (object.is_none() || nb::isinstance<nb::str>(object) || nb::isinstance<nb::bytes>(object) ||
      nb::isinstance<nb::dict>(object))
    return std::nullopt;
  if (PyLong_Check(p)) {  // numpy bools and ints are none; int subclasses (enums) are
    operand.weak = Weak::integer;
    const long long value = PyLong_AsLongLong(p);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    operand.scalar = Scalar::of(int64_t{value});
    return operand;
  }
  if (is_sequence(object)) {
    operand.array = import_host(object, std::nullopt, device, true);
    return operand;
  }
  if (const std::optional<Array> column = array_of_arrow(object)) {
    operand.array = to_device(*column, device);
    return operand;
  }
  if ((operand.array = foreign_array(object))) return operand;
  if (PyObject_CheckBuffer(p) || nb::hasattr(object, "__array__") ||
      nb::isinstance<nb::sequence>(object)) {
    operand.array = import_host(object, std::nullopt, device, true);
    return operand;
  }
  return std::nullopt;
}

Operand value_from(nb::handle value, const Array& x) {
  std::optional<Operand> operand = operand_from(value, x.device());
  if (!operand) operand.emplace().array = import_host(value, x.dtype(), x.device(), true);
  return *operand;
}

Array array_for(nb::handle value, const Array& x) {
  const Operand operand = value_from(value, x);
  if (operand.array && !is_complex(operand.array->dtype())) return *operand.array;
  // What has a dtype is cast as NumPy casts it; NumPy makes real elements of no complex number else.
  if (!operand.array || !nb::hasattr(value, "dtype"))
    must_fit(operand.array ? Scalar::of(std::complex<double>(0, 1)) : operand.scalar, x.dtype());
  return operand.array ? *operand.array : full({}, operand.scalar, x.dtype(), x.device());
}

Array array_from(nb::handle object, Device& device) {
  std::optional<Operand> operand = operand_from(object, device);
  if (!operand)
    throw Error(ErrorKind::type,
                "no array can be made of a " + class_name(object));
  if (operand->array) return *operand->array;
  if (operand->weak == Weak::integer) must_fit(operand->scalar, operand->scalar.kind == DtypeKind::signed_ ? Dtype::int64 : Dtype::uint64);
  const Dtype dtype = operand->weak == Weak::integer
                          ? (operand->scalar.kind == DtypeKind::unsigned_ ? Dtype::uint64
                                                                          : Dtype::int64)
                      : operand->weak == Weak::floating ? Dtype::float64
                                                        : Dtype::complex128;
  return full({}, operand->scalar, dtype, device);
}

Array mask_from(nb::handle where, Device& device) {
  const Array mask = array_from(where, device);
  return PyList_CheckExact(where.ptr()) || PyTuple_CheckExact(where.ptr()) ? astype(mask, Dtype::bool_) : mask;
}

Array import_host(nb::handle object, std::optional<Dtype> dtype, Device& device, bool copy) {
  if (Array numbers = Numbers::array_of(object, dtype, device); !numbers.is_null()) return numbers;
  if (dtype && info(*dtype).code.empty()) return astype(import_host(object, std::nullopt, device, copy), *dtype);  // NumPy has none
  if (!PyObject_CheckBuffer(object.ptr()) && !is_sequence(object) && nb::hasattr(object, "__array__"))
    if (const nb::object given = object.attr("__array__")(); is_array(given)) {  // which NumPy refuses
      const Array x = to_device(*array_of(given), device);
      return dtype && *dtype != x.dtype() ? astype(x, *dtype) : copy ? kasoku::copy(x) : x;
    }
  nb::object array = dtype                     ? numpy().attr("asarray")(object, numpy_dtype(*dtype))
                     : is_plain_numpys(object) ? nb::borrow(object)
                                               : numpy().attr("asarray")(object);
  const nb::object its_dtype = array.attr("dtype");
  if (!nb::cast<bool>(its_dtype.attr("isnative")))
    array = array.attr("astype")(its_dtype.attr("newbyteorder")("="));
  const Dtype element = dtype_from(array.attr("dtype"));
  const bool can_share = !copy && device.is_host();
  auto host = std::make_shared<HostBuffer>(array);
  if (!can_share && !PyBuffer_IsContiguous(&host->view, 'C'))
    host = std::make_shared<HostBuffer>(numpy().attr("ascontiguousarray")(array).attr("reshape")(array.attr("shape")));
  const Py_buffer& view = host->view;
  const Shape shape(view.shape, view.shape + view.ndim);
  if (can_share) {
    const Strides strides(view.strides, view.strides + view.ndim);
    return adopted(device, view.buf, shape, strides, element, info(element).size, host, view.readonly);
  }
  Array result = Array::empty(shape, element, device);
  if (view.len > 0) {
    void* to = result.data();
    const CopyScope reason(CopyReason::array);
    const GilReleased release;
    device.copy(to, view.buf, static_cast<size_t>(view.len), device.current_stream());
  }
  result.buffer()->history.filled_by_host = true;
  return result;
}

}  // namespace kasoku
