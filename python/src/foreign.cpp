/// \file python/src/foreign.cpp
#include "foreign.h"

#include "convert.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/stream.h"

#include <nanobind/ndarray.h>

#include <string>

namespace kasoku {
namespace {

using namespace nb::literals;

constexpr int dlpack_cuda = 2, dlpack_cuda_managed = 13;

nb::object attribute(nb::handle object, const char* name) {
  PyObject* value = PyObject_GetAttrString(object.ptr(), name);
  if (!value) PyErr_Clear();  // PyTorch's tensors on the host raise where they have none
  return nb::steal(value);
}

/// Objects of Python's, NumPy's and ours show nothing that is another library's.
bool is_known(nb::handle object) {
  PyObject* p = object.ptr();
  if (PyFloat_Check(p) || PyLong_Check(p) || PyComplex_Check(p) || PyUnicode_Check(p) || PyBytes_Check(p) || PyTuple_Check(p) ||
      PyList_Check(p) || PyDict_Check(p) || PyType_Check(p) || object.is_none() || nb::isinstance<Array>(object))
    return true;
  const nb::object numpys = nb::make_tuple(numpy().attr("ndarray"), numpy().attr("generic"));
  return PyObject_IsInstance(p, numpys.ptr()) == 1 || attribute(object, "__kasoku_array__").is_valid();
}

/// (kind, index) of DLPack's device, if the object has one.
std::optional<std::pair<int, int>> dlpack_device(nb::handle object) {
  if (!nb::hasattr(object.type(), "__dlpack_device__") || !nb::hasattr(object.type(), "__dlpack__")) return std::nullopt;
  const nb::object found = object.attr("__dlpack_device__")();
  return std::pair{nb::cast<int>(nb::int_(nb::object(found[0]))), nb::cast<int>(nb::int_(nb::object(found[1])))};
}

bool is_cuda(const std::optional<std::pair<int, int>>& where) {
  return where && (where->first == dlpack_cuda || where->first == dlpack_cuda_managed);
}

/// CUDA's default stream has the handle 0 in CUDA, and 1 where 0 would be ambiguous.
int64_t handle_of(const Stream& stream) { return stream.handle() ? static_cast<int64_t>(stream.handle()) : 1; }

/// The capsule of an array on a GPU, which our current stream may read: its library makes that stream wait.
nb::object capsule_for(nb::handle object, Device& device) {
  const int64_t ours = handle_of(device.current_stream());
  try {
    return object.attr("__dlpack__")("stream"_a = ours, "max_version"_a = nb::make_tuple(1, 0));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;  // of a library before DLPack 1.0
  }
  return object.attr("__dlpack__")("stream"_a = ours);
}

/// The stream in which PyTorch works now; its interface does not say it.
Stream* stream_of_torch(nb::handle object, Device& device) {
  const nb::object home = attribute(object.type(), "__module__");
  if (!home.is_valid() || !nb::isinstance<nb::str>(home) || !nb::cast<std::string>(home).starts_with("torch")) return nullptr;
  nb::object torch = nb::module_::import_("torch");
  nb::object stream = torch.attr("cuda").attr("current_stream")(device.index).attr("cuda_stream");
  const auto handle = nb::cast<uintptr_t>(stream);
  return &device.foreign_stream(handle ? handle : 1);
}

/// Lets go of a capsule's array, whose library does not know when our work on it ends.
struct Lent {
  nb::ndarray<nb::ro> array;
  Stream* ours;  ///< null: Buffer orders the streams
  ~Lent() {
    try {
      if (ours) {
        nb::gil_scoped_release released;
        ours->synchronize();
      }
    } catch (const Error&) {
      // After a fault there is nothing left to wait for.
    }
  }
};

}  // namespace

Array adopted(Device& device, void* first, const Shape& shape, const Strides& strides, Dtype dtype, size_t itemsize,
              std::shared_ptr<void> owner, bool is_read_only, Stream* theirs) {
  int64_t low = 0, high = static_cast<int64_t>(itemsize);
  for (size_t i = 0; i < shape.size(); ++i) (strides[i] < 0 ? low : high) += shape[i] ? strides[i] * (shape[i] - 1) : 0;
  auto buffer = Buffer::adopt(device, static_cast<char*>(first) + low, static_cast<size_t>(high - low), std::move(owner), is_read_only, theirs);
  return Array::view(std::move(buffer), -low, shape, strides, dtype, itemsize);
}

std::shared_ptr<void> keep(nb::handle object) {
  return {new nb::object(nb::borrow(object)), [](void* p) {
            if (is_python_gone()) return;
            const GilHeld gil;
            delete static_cast<nb::object*>(p);
          }};
}

std::optional<Array> array_of_interface(nb::handle object) {
  const nb::object found = attribute(object, "__cuda_array_interface__");
  if (!found.is_valid() || !nb::isinstance<nb::dict>(found)) return std::nullopt;
  const nb::dict face = nb::cast<nb::dict>(found);
  const auto type = nb::cast<std::string>(face["typestr"]);  // "<f4"
  const auto itemsize = static_cast<size_t>(std::stoul(type.substr(2)));
  if (type[0] == '>' && itemsize > 1) throw Error(ErrorKind::value, "the array's bytes are in the other order: " + type);
  Dtype dtype = Dtype::opaque;
  for (size_t i = 0; i + 1 < std::size(dtype_table); ++i) {
    const DtypeInfo& row = dtype_table[i];
    const char code = row.kind == DtypeKind::boolean ? 'b' : row.kind == DtypeKind::signed_ ? 'i' : row.kind == DtypeKind::unsigned_ ? 'u'
                      : row.kind == DtypeKind::floating ? 'f' : 'c';
    if (code == type[1] && row.size == itemsize && !row.code.empty()) dtype = static_cast<Dtype>(i);
  }
  const Shape shape = shape_from(face["shape"]);
  const bool has_strides = face.contains("strides") && !nb::object(face["strides"]).is_none();
  const Strides strides = has_strides ? shape_from(face["strides"]) : contiguous_strides(shape, itemsize);
  const nb::tuple data = nb::cast<nb::tuple>(face["data"]);
  void* const first = reinterpret_cast<void*>(nb::cast<uintptr_t>(data[0]));
  const auto where = dlpack_device(object);
  Device& on = is_cuda(where) && has_device("cuda") ? device("cuda:" + std::to_string(where->second))
               : first                              ? device_that_holds(first)  // of a face on a CPU it is the host's
                                                    : device(has_device("cuda") ? "cuda" : "cpu");
  for (const int64_t length : shape)
    if (length == 0) return Array::empty(shape, dtype, on, itemsize);
  Stream* theirs = nullptr;
  if (face.contains("stream") && !nb::object(face["stream"]).is_none()) {
    const auto handle = nb::cast<int64_t>(nb::int_(nb::object(face["stream"])));
    if (handle == 0) throw Error(ErrorKind::value, "__cuda_array_interface__ names the stream 0").why("1 is the legacy default stream, 2 the thread's");
    theirs = &on.foreign_stream(static_cast<uintptr_t>(handle));
  } else if (is_cuda(where)) {
    theirs = stream_of_torch(object, on);
    if (!theirs) capsule_for(object, on);  // for the order alone
  }
  return adopted(on, first, shape, strides, dtype, itemsize, keep(object),
                 nb::cast<bool>(data[1]), theirs);
}

Array array_of_dlpack(nb::handle object) {
  nb::object shown = nb::borrow(object);
  Stream *theirs = nullptr, *ours = nullptr;
  if (const auto place = dlpack_device(object); is_cuda(place)) {
    Device& on = device("cuda:" + std::to_string(place->second));
    shown = capsule_for(object, on);
    theirs = stream_of_torch(object, on);
    if (!theirs) ours = &on.current_stream();
  }
  auto source = nb::cast<nb::ndarray<nb::ro>>(shown);
  const int kind = source.device_type();
  const bool on_cuda = kind == dlpack_cuda || kind == dlpack_cuda_managed;
  if (!on_cuda && kind != nb::device::cpu::value) throw Error(ErrorKind::unsupported, "from_dlpack: memory of that device cannot be read");
  Device& where = device(on_cuda ? "cuda:" + std::to_string(source.device_id()) : "cpu");
  const auto type = source.dtype();
  std::optional<Dtype> dtype;
  for (size_t i = 0; i < std::size(dtype_table); ++i) {
    const DtypeInfo& row = dtype_table[i];
    using Code = nb::dlpack::dtype_code;
    const Code code = row.kind == DtypeKind::boolean ? Code::Bool : row.kind == DtypeKind::signed_ ? Code::Int : row.kind == DtypeKind::unsigned_ ? Code::UInt
                      : row.kind == DtypeKind::complex_ ? Code::Complex : static_cast<Dtype>(i) == Dtype::bfloat16 ? Code::Bfloat : Code::Float;
    if (row.kind != DtypeKind::opaque && static_cast<uint8_t>(code) == type.code && type.bits == 8 * row.size && type.lanes == 1) dtype = static_cast<Dtype>(i);
  }
  if (!dtype) throw Error(ErrorKind::type, "from_dlpack: no kasoku array can hold that dtype");
  const auto itemsize = static_cast<int64_t>(info(*dtype).size);
  Shape shape;
  Strides strides;
  for (size_t d = 0; d < source.ndim(); ++d) {
    shape.push_back(static_cast<int64_t>(source.shape(d)));
    strides.push_back(source.stride(d) * itemsize);
  }
  void* const first = const_cast<void*>(source.data());
  std::shared_ptr<void> owner(new Lent{std::move(source), ours}, [](void* p) {
    if (is_python_gone()) return;
    const GilHeld gil;
    delete static_cast<Lent*>(p);
  });
  return adopted(where, first, shape, strides, *dtype, static_cast<size_t>(itemsize), std::move(owner), false, theirs);
}

void give_to(const Array& array, std::optional<int64_t> handle) {
  const nb::gil_scoped_release released;
  array.data();
  if (handle == -1) return;
  if (handle == 0) throw Error(ErrorKind::value, "a stream of 0 is ambiguous").why("1 is the legacy default stream, 2 the thread's");
  array.buffer()->use_on(array.device().foreign_stream(static_cast<uintptr_t>(handle.value_or(1))));
}

std::optional<Array> foreign_array(nb::handle object) {
  if (is_known(object)) return std::nullopt;
  const bool is_readable = PyObject_CheckBuffer(object.ptr()) || nb::hasattr(object.type(), "__array__") ||
                           nb::hasattr(object.type(), "__array_interface__") || PySequence_Check(object.ptr());
  const auto where = dlpack_device(object);
  if (is_cuda(where) || (where && !is_readable)) return array_of_dlpack(object);
  if (has_device("cuda") || !is_readable) return array_of_interface(object);
  return std::nullopt;
}

nb::object stand_in(nb::handle object) {
  if (is_known(object)) return {};
  if (std::optional<Array> array = foreign_array(object)) return array->device().is_host() ? numpy_view(*array) : nb::cast(*array);
  if (!nb::hasattr(object.type(), "__array__")) return {};
  try {
    const bool is_array = dlpack_device(object).has_value();  // a table of several columns is none
    const nb::object ndim = nb::getattr(object, "ndim", nb::int_(1));
    if (!is_array && (!PyLong_Check(ndim.ptr()) || nb::cast<int64_t>(ndim) != 1)) return {};
    nb::object values = numpy().attr("asarray")(object);
    return is_array || nb::cast<int64_t>(values.attr("ndim")) == 1 ? values : nb::object();
  } catch (const nb::python_error&) {
    return {};
  }
}

}  // namespace kasoku
