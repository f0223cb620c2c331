#include "to_python.h"

#include "convert.h"
#include "host_buffer.h"
#include "kasoku/array/basic_index.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/replay.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/swapped.h"

#include <cstring>
#include <string>

namespace kasoku {

nb::object to_numpy(const Array& array) {
  if (array.dtype() == Dtype::bfloat16) return to_numpy(astype(array, Dtype::float32));
  nb::object host = numpy().attr("empty")(tuple_from(array.shape()), numpy_dtype(array.dtype()));
  if (array.size() == 0) return host;
  HostBuffer buffer(host);
  const CopyScope reason(CopyReason::numpy);
  const GilReleased release;
  const Array flat = contiguous(array);
  const void* from = flat.data_for_read();
  flat.device().copy(buffer.view.buf, from, flat.nbytes(), flat.device().current_stream());
  note_read_back(*array.buffer());
  return host;
}

namespace {

/// The functions that NumPy gives to extensions; their places have been the same since NumPy 1.7.
struct NumpyFunctions {
  using New = PyObject* (*)(PyTypeObject* type, PyObject* descr, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, void* memory, int flags, PyObject* like);
  using SetBase = int (*)(PyObject* array, PyObject* base);
  PyTypeObject* array;
  New make;
  SetBase set_base;
};

const NumpyFunctions& numpy_functions() {
  static const NumpyFunctions functions = [] {
    const char* const package = nb::hasattr(numpy(), "_core") ? "numpy._core._multiarray_umath" : "numpy.core._multiarray_umath";
    const nb::object shown = nb::module_::import_(package).attr("_ARRAY_API");
    auto* const table = static_cast<void**>(PyCapsule_GetPointer(shown.ptr(), nullptr));
    if (!table) throw nb::python_error();
    return NumpyFunctions{static_cast<PyTypeObject*>(table[2]), reinterpret_cast<NumpyFunctions::New>(table[94]), reinterpret_cast<NumpyFunctions::SetBase>(table[282])};
  }();
  return functions;
}

}  // namespace

nb::object numpy_over(void* memory, Dtype dtype, std::span<const int64_t> shape, std::span<const int64_t> strides, nb::object owner, bool is_read_only) {
  constexpr int writeable = 0x400;
  const NumpyFunctions& functions = numpy_functions();
  static char nothing[16];  // NumPy would take memory of its own in the place of none
  nb::object array = nb::steal(functions.make(functions.array, numpy_dtype(dtype).release().ptr(), static_cast<int>(shape.size()), reinterpret_cast<const Py_ssize_t*>(shape.data()),
                                              reinterpret_cast<const Py_ssize_t*>(strides.data()), memory ? memory : nothing, is_read_only ? 0 : writeable, nullptr));
  if (!array.is_valid() || (owner.is_valid() && !owner.is_none() && functions.set_base(array.ptr(), owner.release().ptr()) != 0)) throw nb::python_error();
  return array;
}

nb::object numpy_view(const Array& array) {
  if (!array.device().is_host())
    throw Error(ErrorKind::type, "the array is on " + array.device().str() + ", NumPy cannot show it")
        .fix("x.numpy() copies it to the host");
  if (info(array.dtype()).code.empty())
    throw Error(ErrorKind::type, "NumPy has no " + std::string(info(array.dtype()).name) + " that could show the array's memory")
        .fix("x.astype('float32')");
  void* first;
  {
    const GilReleased release;
    first = array.data();
  }
  auto* keep = new std::shared_ptr<Buffer>(array.buffer());
  (*keep)->is_shared = true;
  nb::capsule owner(keep, [](void* p) noexcept { delete static_cast<std::shared_ptr<Buffer>*>(p); });
  const std::vector<int64_t> shape(array.shape().begin(), array.shape().end()), strides(array.strides().begin(), array.strides().end());
  return numpy_over(first, array.dtype(), shape, strides, owner, array.is_read_only());
}

namespace {

/// The element's bytes, if nothing has to be waited for.
bool is_read_at_hand(const Array& array, void* bytes) {
  if (Recorder::current()) return false;
  const Held held(array);
  if (held) std::memcpy(bytes, held.memory(), array.itemsize());
  return static_cast<bool>(held);
}

}  // namespace

Scalar number_of(const Array& array) {
  if (array.size() != 1)
    throw Error(ErrorKind::value, "only an array of one element becomes a Python number")
        .why("this one has shape " + str(array.shape()));
  alignas(16) char bytes[16];
  if (is_read_at_hand(array, bytes)) return Scalar::load(array.dtype(), bytes);
  const GilReleased release;
  const CopyScope reason(CopyReason::item);
  return array.item();
}

namespace {

nb::object pythons_number(const Scalar& value) {
  switch (value.kind) {
    case DtypeKind::boolean: return nb::bool_(value.b);
    case DtypeKind::signed_: return nb::int_(value.i);
    case DtypeKind::unsigned_: return nb::int_(value.u);
    case DtypeKind::complex_:
      return nb::steal(PyComplex_FromDoubles(value.f, value.imaginary));
    default: return nb::float_(value.f);
  }
}

nb::object listed(const char* memory, const View& view, size_t axis, Dtype dtype) {
  if (axis == view.shape.size()) return pythons_number(Scalar::load(dtype, memory));
  const Py_ssize_t length = static_cast<Py_ssize_t>(view.shape[axis]);
  nb::object list = nb::steal(PyList_New(length));
  if (!list) throw nb::python_error();
  const int64_t step = view.strides[axis];
  const bool is_row = axis + 1 == view.shape.size();
  const auto fill = [&](PyObject* (*number)(const char*)) {
    for (Py_ssize_t i = 0; i < length; ++i) PyList_SetItem(list.ptr(), i, number(memory + i * step));
    return list;
  };
  // The usual ones, without a look at the dtype for each.
  if (is_row && dtype == Dtype::float64) return fill([](const char* x) { return PyFloat_FromDouble(*reinterpret_cast<const double*>(x)); });
  if (is_row && dtype == Dtype::float32) return fill([](const char* x) { return PyFloat_FromDouble(*reinterpret_cast<const float*>(x)); });
  if (is_row && dtype == Dtype::bool_) return fill([](const char* x) { return Py_NewRef(*x ? Py_True : Py_False); });
  if (is_row && dtype == Dtype::int64) return fill([](const char* x) { return PyLong_FromLongLong(*reinterpret_cast<const int64_t*>(x)); });
  if (is_row && dtype == Dtype::int32) return fill([](const char* x) { return PyLong_FromLong(*reinterpret_cast<const int32_t*>(x)); });
  for (Py_ssize_t i = 0; i < length; ++i) PyList_SetItem(list.ptr(), i, listed(memory + i * view.strides[axis], view, axis + 1, dtype).release().ptr());
  return list;
}

}  // namespace

nb::object item_of(const Array& array) { return pythons_number(number_of(array)); }

nb::object item_at(const Array& array, std::span<const int64_t> place) {
  const HeldElement element(array, place);
  return element ? pythons_number(Scalar::load(array.dtype(), element.memory())) : nb::object();
}

nb::object list_of(const Array& array) {
  if (!array.device().is_host() || array.dtype() == Dtype::opaque || Recorder::current()) return to_numpy(array).attr("tolist")();
  std::shared_ptr<Buffer> buffer = array.buffer_if_computed();
  if (!buffer) {
    const GilUntilBlocked keep;
    buffer = array.buffer();
  }
  return listed(static_cast<const char*>(buffer->memory()) + array.offset(), array.state().view, 0, array.dtype());
}

}  // namespace kasoku
