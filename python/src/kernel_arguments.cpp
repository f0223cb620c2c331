#include "kernel_arguments.h"

#include "array_object.h"

#include "device_memory.h"
#include "foreign.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/stream.h"

#include <cstring>
#include <new>
#include <string>

namespace kasoku {

struct CallArguments::HostView {
  Py_buffer view{};
  ~HostView() {
    if (view.obj) PyBuffer_Release(&view);
  }
};

namespace {

/// An attribute, or nothing, without an exception in between.
nb::object attribute(nb::handle object, nb::handle name) {
  PyObject* value = PyObject_GetAttr(object.ptr(), name.ptr());
  if (!value) PyErr_Clear();
  return nb::steal(value);
}

nb::handle interned(const char* text) { return PyUnicode_InternFromString(text); }

/// NumPy's scalar types, filled when one of them is met (NumPy is then imported).
struct NumpyTypes {
  struct Scalar {
    PyTypeObject* type;
    Dtype dtype;
  };
  std::vector<Scalar> scalars;
  PyTypeObject* generic = nullptr;
  PyTypeObject* ndarray = nullptr;
};

const NumpyTypes& numpy_types() {
  static const NumpyTypes* types = [] {
    auto* found = new NumpyTypes;
    nb::object modules = nb::module_::import_("sys").attr("modules");
    if (!nb::cast<bool>(modules.attr("__contains__")("numpy"))) return found;
    nb::object numpy = nb::module_::import_("numpy");
    const auto type = [&](nb::object object) {
      return reinterpret_cast<PyTypeObject*>(object.release().ptr());
    };
    found->generic = type(numpy.attr("generic"));
    found->ndarray = type(numpy.attr("ndarray"));
    for (size_t i = 0; i + 1 < std::size(dtype_table); ++i) {
      if (dtype_table[i].code.empty()) continue;
      const std::string code(dtype_table[i].code);
      found->scalars.push_back(
          {type(numpy.attr("dtype")(code.c_str()).attr("type")), static_cast<Dtype>(i)});
    }
    // `long` and `long long` are two types of one size.
    found->scalars.push_back({type(numpy.attr("dtype")("l").attr("type")), Dtype::int64});
    found->scalars.push_back({type(numpy.attr("dtype")("L").attr("type")), Dtype::uint64});
    return found;
  }();
  return *types;
}

/// A typed scalar from the bytes of its value.
Argument scalar_of(Dtype dtype, const void* bytes) {
  const auto load = [bytes](auto value) {
    std::memcpy(&value, bytes, sizeof value);
    return Argument(value);
  };
  Argument argument;
  switch (dtype) {
    case Dtype::bool_: argument = load(bool{}); break;
    case Dtype::int8: argument = load(int8_t{}); break;
    case Dtype::int16: argument = load(int16_t{}); break;
    case Dtype::int32: argument = load(int32_t{}); break;
    case Dtype::int64: argument = load(int64_t{}); break;
    case Dtype::uint8: argument = load(uint8_t{}); break;
    case Dtype::uint16: argument = load(uint16_t{}); break;
    case Dtype::uint32: argument = load(uint32_t{}); break;
    case Dtype::uint64: argument = load(uint64_t{}); break;
    case Dtype::float32: argument = load(float{}); break;
    case Dtype::float64: argument = load(double{}); break;
    case Dtype::complex64: argument = load(std::complex<float>{}); break;
    case Dtype::complex128: argument = load(std::complex<double>{}); break;
    case Dtype::float16: {
      _Float16 half;
      std::memcpy(&half, bytes, sizeof half);
      argument = Argument(static_cast<float>(half));
      argument.dtype = Dtype::float16;
      break;
    }
    default: break;
  }
  return argument;
}

/// The dtype of a struct-module format; opaque for records.
std::optional<Dtype> dtype_of_format(const char* format, int64_t itemsize) {
  if (!format) return Dtype::uint8;
  std::string_view code(format);
  if (!code.empty() && std::string_view("@=<").find(code[0]) != code.npos) code.remove_prefix(1);
  if (code.starts_with('>') || code.starts_with('!')) return std::nullopt;
  if (code == "l") return itemsize == 8 ? Dtype::int64 : Dtype::int32;
  if (code == "L") return itemsize == 8 ? Dtype::uint64 : Dtype::uint32;
  if (code == "c") return Dtype::int8;
  if (code == "Zf") return Dtype::complex64;
  if (code == "Zd") return Dtype::complex128;
  if (code.size() == 1)
    for (size_t i = 0; i + 1 < std::size(dtype_table); ++i)
      if (dtype_table[i].code == code) return static_cast<Dtype>(i);
  return Dtype::opaque;
}

[[noreturn]] void refuse(nb::handle object) {
  throw Error(ErrorKind::type, "a " + class_name(object) + " cannot be a kernel's argument")
      .why("arguments are arrays, numbers, NumPy scalars and records, addresses and None");
}

Argument integer_argument(nb::handle object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  Argument argument(static_cast<int64_t>(value));
  if (overflow != 0) {
    argument.u = PyLong_AsUnsignedLongLong(object.ptr());
    if (PyErr_Occurred()) {
      PyErr_Clear();
      throw Error(ErrorKind::value, "the integer " + nb::cast<std::string>(nb::str(object)) +
                                        " does not fit into 64 bits");
    }
    argument.is_big = true;
  }
  argument.is_typed = false;
  return argument;
}

}  // namespace

std::optional<Dtype> numpy_scalar_dtype(PyTypeObject* type) {
  for (const NumpyTypes::Scalar& scalar : numpy_types().scalars)
    if (scalar.type == type) return scalar.dtype;
  return std::nullopt;
}

CallArguments::CallArguments() = default;
CallArguments::~CallArguments() = default;

Argument& CallArguments::next() {
  if (count_ == capacity_) {
    std::unique_ptr<Argument[]> larger(new Argument[capacity_ * 2]);
    std::copy(arguments_, arguments_ + count_, larger.get());
    more_ = std::move(larger);
    arguments_ = more_.get();
    capacity_ *= 2;
  }
  return *new (&arguments_[count_++]) Argument;
}

const Array* array_in(nb::handle object) {
  if (const Array* array = array_of(object)) return array;
  static const nb::handle name = interned("__kasoku_array__");
  const nb::object inner = attribute(object, name);
  // The object that stands for the array holds it.
  return inner ? array_of(inner) : nullptr;
}

ArrayRef CallArguments::host_ref(nb::handle object) {
  HostView& view = *views_.emplace_back(std::make_unique<HostView>());
  const nb::object column = PyObject_CheckBuffer(object.ptr()) ? nb::object() : stand_in(object);
  if (PyObject_GetBuffer(column.is_valid() ? column.ptr() : object.ptr(), &view.view, PyBUF_FULL_RO) != 0) throw nb::python_error();
  const Py_buffer& buffer = view.view;
  const std::optional<Dtype> dtype = dtype_of_format(buffer.format, buffer.itemsize);
  if (!dtype)
    throw Error(ErrorKind::type, "an array with swapped bytes cannot be a kernel's argument")
        .fix("pass x.astype(x.dtype.newbyteorder('='))");
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  ArrayRef ref;
  ref.data = buffer.buf;
  ref.shape = reinterpret_cast<const int64_t*>(buffer.shape);
  ref.strides = reinterpret_cast<const int64_t*>(buffer.strides);
  ref.ndim = buffer.ndim;
  ref.dtype = *dtype;
  ref.is_read_only = buffer.readonly;
  ref.is_host = true;
  ref.itemsize = static_cast<uint32_t>(buffer.itemsize);
  return ref;
}

bool CallArguments::add_foreign(nb::handle object) {
  std::optional<Array> array = array_of_interface(object);
  if (!array) return false;
  next() = Argument(foreign_.emplace_front(std::move(*array)));
  return true;
}

void CallArguments::add(nb::handle object, bool is_read) {
  PyObject* p = object.ptr();
  PyTypeObject* type = Py_TYPE(p);
  if (type == array_type() || type == face_array_type) {
    const Array& array = *array_inside(object);
    next() = is_read ? Argument::to_read(array) : Argument(array);
  } else if (PyFloat_CheckExact(p)) {
    Argument& argument = next() = Argument(PyFloat_AsDouble(p));
    argument.is_typed = false;
  } else if (PyBool_Check(p)) {
    Argument& argument = next() = Argument(p == Py_True);
    argument.is_typed = false;
  } else if (PyLong_Check(p)) {
    next() = integer_argument(object);
  } else if (p == Py_None) {
    next();
  } else if (const std::optional<Dtype> dtype = numpy_scalar_dtype(type)) {
    // A NumPy scalar is its value behind the object's head, as numpy/arrayscalars.h has it.
    next() = scalar_of(*dtype, reinterpret_cast<const char*>(p) + sizeof(PyObject));
  } else if (PyFloat_Check(p)) {
    Argument& argument = next() = Argument(PyFloat_AsDouble(p));
    argument.is_typed = false;
  } else if (PyComplex_Check(p)) {
    Argument& argument = next() = Argument(
        std::complex<double>(PyComplex_RealAsDouble(p), PyComplex_ImagAsDouble(p)));
    argument.is_typed = false;
  } else if (type == numpy_types().ndarray) {
    const ArrayRef ref = host_ref(object);
    next() = Argument(ref);
  } else if (const Array* array = array_in(object)) {
    next() = is_read ? Argument::to_read(*array) : Argument(*array);
  } else if (nb::isinstance<HostArgument>(object)) {
    const HostArgument& wanted = *nb::inst_ptr<HostArgument>(object);
    if (const Array* inner = array_in(wanted.array)) {
      next() = Argument(*inner);
      return;
    }
    const ArrayRef ref = host_ref(wanted.array);
    if (wanted.copy_out && ref.is_read_only)
      throw Error(ErrorKind::value, "the result of a launch cannot go to a read-only array");
    transfers_.push_back({count_, wanted.copy_in, wanted.copy_out, Array(), ref});
    next() = Argument(ref);
  } else if (PyBytes_Check(p)) {
    char* data;
    Py_ssize_t size;
    PyBytes_AsStringAndSize(p, &data, &size);
    next() = Argument::of_bytes(data, static_cast<size_t>(size));
  } else if (add_foreign(object)) {
    return;
  } else if (numpy_types().generic &&
             PyType_IsSubtype(type, numpy_types().generic)) {  // a record
    const ArrayRef ref = host_ref(object);
    next() = Argument::of_bytes(ref.data, ref.itemsize);
  } else if (PyObject_CheckBuffer(p)) {
    const ArrayRef ref = host_ref(object);
    next() = Argument(ref);
  } else if (nb::isinstance<Memory>(object)) {
    const Memory& memory = *nb::inst_ptr<Memory>(object);
    Argument& argument = next() = Argument(memory.get().memory());
    argument.array.buffer = memory.buffer.get();
    argument.array.device = memory.device;
  } else if (const nb::object shown = stand_in(object); shown.is_valid()) {
    if (const Array* array = array_in(shown)) {
      next() = Argument(foreign_.emplace_front(*array));
      return;
    }
    const ArrayRef ref = host_ref(shown);
    next() = Argument(ref);
  } else if (!add_address(object)) {
    refuse(object);
  }
}

bool CallArguments::add_address(nb::handle object) {
  const auto add = [&](nb::handle number) {
    const nb::object index = nb::steal(PyNumber_Index(number.ptr()));
    if (!index) throw nb::python_error();
    Argument& argument = next() = integer_argument(index);
    argument.kind = Argument::Kind::pointer;
    return true;
  };
  if (PyIndex_Check(object.ptr())) return add(object);
  for (const char* holder : {"gpudata", "data_ptr", "ptr"}) {
    nb::object inner = attribute(object, nb::str(holder));
    if (!inner) continue;
    if (PyCallable_Check(inner.ptr())) inner = inner();
    if (PyIndex_Check(inner.ptr())) return add(inner);
  }
  return false;
}

namespace {
/// What 1,024 threads have at eight bytes each.
constexpr size_t copied_bytes = 8192;
}  // namespace

void CallArguments::copy_in(Device& device, Stream& stream) {
  const CopyScope reason(CopyReason::argument);
  for (Transfer& transfer : transfers_) {
    const ArrayRef& host = transfer.host;
    const bool is_contiguous = host.is_c_contiguous() || host.is_f_contiguous(), is_cpu = device.is_host();
    const size_t bytes = static_cast<size_t>(host.size()) * host.itemsize;
    // A CPU's kernel uses the host's memory, unless that is so little that a block can run past it.
    if (is_cpu && (!is_contiguous || bytes > copied_bytes)) continue;
    if (!is_contiguous)
      throw Error(ErrorKind::value, "a host array must be contiguous to be copied to a device")
          .fix("pass numpy.ascontiguousarray(x)");
    const Shape shape(host.shape, host.shape + host.ndim);
    transfer.on_device = Array::empty(shape, host.dtype, device, host.itemsize);
    if ((transfer.in || is_cpu) && bytes) device.copy(transfer.on_device.data(), host.data, bytes, stream);
    arguments_[transfer.index] = Argument(transfer.on_device);
  }
}

void CallArguments::copy_out(Stream& stream) {
  const CopyScope reason(CopyReason::argument);
  for (Transfer& transfer : transfers_) {
    if (!transfer.out || transfer.on_device.is_null()) continue;
    const size_t bytes = static_cast<size_t>(transfer.host.size()) * transfer.host.itemsize;
    if (bytes) stream.device().copy(transfer.host.data, transfer.on_device.data(), bytes, stream);
  }
}

Stream* stream_from(nb::handle object) {
  if (!object.is_valid() || object.is_none()) return nullptr;
  if (nb::isinstance<Stream>(object)) return nb::inst_ptr<Stream>(object);
  static const nb::handle name = interned("__kasoku_stream__");
  const nb::object inner = attribute(object, name);
  if (inner) {
    if (inner.is_none()) return nullptr;
    if (nb::isinstance<Stream>(inner)) return nb::inst_ptr<Stream>(inner);
  }
  if (PyLong_Check(object.ptr()) && PyLong_AsLongLong(object.ptr()) == 0) return nullptr;
  throw Error(ErrorKind::type, "a " + class_name(object) + " is no stream");
}

namespace {

/// What an index holds; nothing if 32 bits do not.
std::optional<uint32_t> word_in(const nb::object& index) {
  const long long value = PyLong_AsLongLong(index.ptr());
  if (!PyErr_Occurred() && value >= 0 && value <= 0xffffffffLL) return static_cast<uint32_t>(value);
  PyErr_Clear();
  return std::nullopt;
}

}  // namespace

uint32_t bytes_from(nb::handle object) {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (const auto bytes = index ? word_in(index) : std::nullopt) return *bytes;
  PyErr_Clear();
  throw Error(index ? ErrorKind::value : ErrorKind::type,
              "a block cannot have " + nb::cast<std::string>(nb::repr(object)) + " bytes of shared memory");
}

void dims_from(nb::handle object, const char* what, uint32_t dims[3]) {
  const auto one = [&](nb::handle length) {
    const nb::object index = nb::steal(PyNumber_Index(length.ptr()));
    if (!index) {
      PyErr_Clear();
      // 4.0 comes from math.ceil under old habits, and is no mistake.
      if (PyFloat_Check(length.ptr())) {
        const double value = PyFloat_AsDouble(length.ptr());
        if (value == static_cast<double>(static_cast<uint32_t>(value)))
          return static_cast<uint32_t>(value);
      }
      throw Error(ErrorKind::type, std::string("a ") + what + " has lengths that are integers, got a " +
                                       class_name(length));
    }
    if (const auto word = word_in(index)) return *word;
    throw Error(ErrorKind::value, std::string("a ") + what + " cannot have the length " +
                                      nb::cast<std::string>(nb::str(length)));
  };
  dims[0] = dims[1] = dims[2] = 1;
  if (PyTuple_Check(object.ptr())) {
    const Py_ssize_t count = PyTuple_Size(object.ptr());
    if (count < 1 || count > 3)
      throw Error(ErrorKind::value, std::string("a ") + what + " has 1 to 3 lengths, got " +
                                        std::to_string(count));
    for (Py_ssize_t i = 0; i < count; ++i) dims[i] = one(PyTuple_GetItem(object.ptr(), i));
  } else if ((PyIndex_Check(object.ptr()) || PyFloat_Check(object.ptr())) && !nb::hasattr(object, "__len__")) {
    dims[0] = one(object);
  } else {
    dims_from(nb::tuple(nb::borrow(object)), what, dims);
  }
}

}  // namespace kasoku
