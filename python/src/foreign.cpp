/// \file python/src/foreign.cpp
#include "foreign.h"

#include "arrow.h"
#include "convert.h"
#include "dlpack.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/stream.h"
#include "to_python.h"

#include <string>

namespace kasoku {
namespace {

using namespace nb::literals;

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
  return where && (where->first == dlpack::cuda || where->first == dlpack::cuda_managed);
}

/// CUDA's default stream has the handle 0 in CUDA, and 1 where 0 would be ambiguous.
int64_t handle_of(const Stream& stream) { return stream.handle() ? static_cast<int64_t>(stream.handle()) : 1; }

/// The capsule of an array. On a GPU our current stream may read it: its library makes that stream wait.
nb::object capsule_for(nb::handle object, Device* device) {
  nb::kwargs asked;
  if (device) asked["stream"] = handle_of(device->current_stream());
  nb::kwargs versioned = nb::borrow<nb::kwargs>(asked.attr("copy")());
  versioned["max_version"] = nb::make_tuple(dlpack::version.major, dlpack::version.minor);
  try {
    return object.attr("__dlpack__")(**versioned);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;  // of a library before DLPack 1.0
  }
  return object.attr("__dlpack__")(**asked);
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

/// What a capsule held: its producer's until this lets go of it. The producer does not know when our work on it ends.
template <class Held>
struct Lent {
  Held* held;
  Stream* ours = nullptr;  ///< null: Buffer orders the streams
  ~Lent() {
    try {
      if (ours) {
        nb::gil_scoped_release released;
        ours->synchronize();
      }
    } catch (const Error&) {
      // After a fault there is nothing left to wait for.
    }
    if (held->deleter) held->deleter(held);
  }
};

/// Takes what a capsule of this name holds, which nobody can take again; null if it has another name.
template <class Held>
Held* taken_capsule(nb::handle capsule, const char* name, const char* name_when_used) {
  if (!PyCapsule_IsValid(capsule.ptr(), name)) return nullptr;
  auto* const held = static_cast<Held*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!held || PyCapsule_SetName(capsule.ptr(), name_when_used) != 0) throw nb::python_error();
  PyCapsule_SetDestructor(capsule.ptr(), nullptr);
  return held;
}

template <class Held>
Array array_over(Held* held, bool is_read_only, Stream* theirs, Stream* ours) {
  std::shared_ptr<Lent<Held>> owner(new Lent<Held>{held}, [](Lent<Held>* p) {
    if (is_python_gone()) return;
    const GilHeld gil;
    delete p;
  });
  const auto& tensor = held->tensor;
  const bool on_cuda = tensor.device.kind == dlpack::cuda || tensor.device.kind == dlpack::cuda_managed;
  if (!on_cuda && tensor.device.kind != dlpack::cpu && tensor.device.kind != dlpack::cuda_host)
    throw Error(ErrorKind::unsupported, "from_dlpack: memory of that device cannot be read");
  Device& where = device(on_cuda ? "cuda:" + std::to_string(tensor.device.index) : "cpu");
  const std::optional<Dtype> dtype = dlpack::dtype_of(tensor.dtype);
  if (!dtype) throw Error(ErrorKind::type, "from_dlpack: no kasoku array can hold that dtype");
  const size_t itemsize = info(*dtype).size;
  Shape shape;
  Strides strides;
  for (int32_t d = 0; d < tensor.ndim; ++d) shape.push_back(tensor.shape[d]);
  if (tensor.strides)
    for (int32_t d = 0; d < tensor.ndim; ++d) strides.push_back(tensor.strides[d] * static_cast<int64_t>(itemsize));
  else
    strides = contiguous_strides(shape, itemsize);
  owner->ours = ours;
  return adopted(where, static_cast<char*>(tensor.data) + tensor.byte_offset, shape, strides, *dtype, itemsize,
                 std::move(owner), is_read_only, theirs);
}

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
    if (!theirs) capsule_for(object, &on);  // for the order alone
  }
  return adopted(on, first, shape, strides, dtype, itemsize, keep(object),
                 nb::cast<bool>(data[1]), theirs);
}

Array array_of_dlpack(nb::handle object) {
  nb::object capsule = nb::borrow(object);
  Stream *theirs = nullptr, *ours = nullptr;
  if (!PyCapsule_CheckExact(object.ptr())) {
    const auto place = dlpack_device(object);
    if (!place && !nb::hasattr(object, "__dlpack__"))
      throw Error(ErrorKind::type, "from_dlpack: a " + class_name(object) + " has no __dlpack__");
    Device* const on = is_cuda(place) ? &device("cuda:" + std::to_string(place->second)) : nullptr;
    capsule = capsule_for(object, on);
    if (on) theirs = stream_of_torch(object, *on);
    if (on && !theirs) ours = &on->current_stream();
  }
  if (auto* const held = taken_capsule<dlpack::ManagedVersioned>(capsule, "dltensor_versioned", "used_dltensor_versioned")) {
    if (held->version.major == dlpack::version.major)
      return array_over(held, held->flags & dlpack::read_only, theirs, ours);
    const uint32_t major = held->version.major;
    if (held->deleter) held->deleter(held);
    throw nb::buffer_error(
        ("from_dlpack: the capsule is of DLPack " + std::to_string(major) + ", which is not known here").c_str());
  }
  if (auto* const held = taken_capsule<dlpack::Managed>(capsule, "dltensor", "used_dltensor"))
    return array_over(held, false, theirs, ours);
  const char* const name = PyCapsule_CheckExact(capsule.ptr()) ? PyCapsule_GetName(capsule.ptr()) : nullptr;
  PyErr_Clear();
  if (name && std::string_view(name).starts_with("used_dltensor"))
    throw Error(ErrorKind::value, "from_dlpack: a capsule is not consumed multiple times: its array belongs to who used it first")
        .fix("ask the array for a new one by __dlpack__()");
  throw Error(ErrorKind::type, "from_dlpack: what __dlpack__ gave is no capsule of DLPack");
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
  if (std::optional<Array> column = array_of_arrow(object)) return numpy_view(*column);
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
