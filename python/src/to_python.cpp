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

#include <nanobind/ndarray.h>

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

nb::object with_numpys_integers(nb::object array, Dtype dtype) {
  if (dtype != Dtype::int64 && dtype != Dtype::uint64) return array;
  static PyObject* const is_signed = numpy().attr("dtype")("int64").release().ptr();
  static PyObject* const is_unsigned = numpy().attr("dtype")("uint64").release().ptr();
  return array.attr("view")(nb::handle(dtype == Dtype::int64 ? is_signed : is_unsigned));
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
  size_t n = array.shape().size();
  std::vector<size_t> shape(array.shape().begin(), array.shape().end());
  const auto size = static_cast<int64_t>(array.itemsize());
  const bool has_whole_strides =
      std::ranges::all_of(array.strides(), [&](int64_t stride) { return stride % size == 0; });
  std::vector<int64_t> strides;
  for (const int64_t stride : array.strides()) strides.push_back(has_whole_strides ? stride / size : stride);
  const DtypeInfo& row = info(array.dtype());
  nb::dlpack::dtype type{};
  switch (row.kind) {
    case DtypeKind::boolean: type.code = static_cast<uint8_t>(nb::dlpack::dtype_code::Bool); break;
    case DtypeKind::signed_: type.code = static_cast<uint8_t>(nb::dlpack::dtype_code::Int); break;
    case DtypeKind::unsigned_: type.code = static_cast<uint8_t>(nb::dlpack::dtype_code::UInt); break;
    case DtypeKind::complex_: type.code = static_cast<uint8_t>(nb::dlpack::dtype_code::Complex); break;
    default: type.code = static_cast<uint8_t>(nb::dlpack::dtype_code::Float);
  }
  type.bits = static_cast<uint8_t>(8 * row.size);
  type.lanes = 1;
  if (!has_whole_strides) {  // a field of packed records: along a last axis go the bytes of an element
    type = {static_cast<uint8_t>(nb::dlpack::dtype_code::UInt), 8, 1};
    shape.push_back(array.itemsize());
    strides.push_back(1);
    ++n;
  }
  const nb::object shown =
      array.is_read_only()
          ? nb::cast(nb::ndarray<nb::numpy, nb::ro>(first, n, shape.data(), owner, strides.data(), type))
          : nb::cast(nb::ndarray<nb::numpy>(first, n, shape.data(), owner, strides.data(), type));
  if (has_whole_strides) return with_numpys_integers(shown, array.dtype());
  return shown.attr("view")(numpy_dtype(array.dtype()))[nb::make_tuple(nb::ellipsis(), 0)];
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
