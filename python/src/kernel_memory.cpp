/// \file kernel_memory.cpp
/// Device memory by address, for faces whose programs handle it so: allocations, copies, fills,
/// and arrays over any of them.
#include "convert.h"
#include "device.h"
#include "device_memory.h"
#include "foreign.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/swapped.h"
#include "kernel_arguments.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <new>

namespace kasoku {
namespace {

struct HostBytes {
  Py_buffer view{};
  HostBytes(nb::handle object, bool is_written) {
    if (PyObject_GetBuffer(object.ptr(), &view,
                           (is_written ? PyBUF_WRITABLE : 0) | PyBUF_ANY_CONTIGUOUS) != 0) {
      PyErr_Clear();
      throw Error(ErrorKind::value, is_written
                                        ? "the host array must be contiguous and writable"
                                        : "the host array must be contiguous")
          .fix("use numpy.ascontiguousarray(x)");
    }
  }
  ~HostBytes() {
    if (is_python_gone()) return;
    const GilHeld gil;
    PyBuffer_Release(&view);
  }
  HostBytes(const HostBytes&) = delete;
  size_t size() const { return static_cast<size_t>(view.len); }
};

/// An address, an allocation, an array, or whatever has an address.
void* address_of(nb::handle object) {
  if (nb::isinstance<Memory>(object))
    return reinterpret_cast<void*>(nb::cast<Memory&>(object).address());
  CallArguments arguments;
  arguments.add(object);
  const Argument& argument = arguments.span()[0];
  if (argument.kind == Argument::Kind::array && !argument.array.is_host) return argument.array.data;
  if (argument.kind == Argument::Kind::pointer || argument.kind == Argument::Kind::integer)
    return reinterpret_cast<void*>(argument.u);
  throw Error(ErrorKind::type, "device memory is needed, got " + argument.str());
}

Stream& stream_of(nb::handle stream, Device& device) {
  Stream* given = stream_from(stream);
  return given ? *given : device.current_stream();
}

Buffer* buffer_of(nb::handle object) {
  if (nb::isinstance<Memory>(object)) return nb::cast<Memory&>(object).buffer.get();
  const Array* array = array_in(object);
  return array ? array->buffer().get() : nullptr;
}

/// Of memory whose size is known; that of a plain address is not.
void must_hold(nb::handle object, const void* address, size_t bytes) {
  const Buffer* buffer = buffer_of(object);
  if (!buffer) return;
  const auto offset = static_cast<size_t>(static_cast<const char*>(address) - static_cast<const char*>(buffer->memory()));
  if (offset <= buffer->bytes() && bytes <= buffer->bytes() - offset) return;
  throw Error(ErrorKind::value, std::to_string(bytes) + " bytes are asked for, and the device memory has " +
                                    std::to_string(offset <= buffer->bytes() ? buffer->bytes() - offset : 0))
      .fix("allocate as many bytes as the host array has: x.nbytes");
}

/// The stream of a piece of work, behind whatever other stream used its memory last.
Stream& ordered_stream(nb::handle stream, Device& device, std::initializer_list<nb::handle> memory) {
  Stream& in = stream_of(stream, device);
  for (const nb::handle object : memory)
    if (Buffer* buffer = buffer_of(object)) buffer->use_on(in);
  return in;
}

Array view_of(nb::handle base, int64_t offset, nb::handle shape, nb::handle strides,
              nb::handle dtype, size_t itemsize, nb::handle device) {
  const Dtype element = dtype.is_none() ? Dtype::opaque : dtype_from(dtype);
  const size_t size = element == Dtype::opaque ? itemsize : info(element).size;
  const Shape lengths = shape_from(shape);
  const Strides steps = strides.is_none() ? contiguous_strides(lengths, size) : shape_from(strides);
  std::shared_ptr<Buffer> buffer;
  if (nb::isinstance<Memory>(base)) {
    buffer = nb::cast<Memory&>(base).buffer;
    if (!buffer) throw Error(ErrorKind::value, "the memory was freed");
  } else if (const Array* array = array_in(base)) {
    // Offsets count from the array's first element.
    buffer = (void(array->data()), array->buffer());
    offset += array->offset();
  } else {
    char* const first = static_cast<char*>(address_of(base)) + offset;
    return adopted(to_device(device), first, lengths, steps, element, size, keep(base), false);
  }
  return Array::view(std::move(buffer), offset, lengths, steps, element, itemsize);
}

nb::object pinned_array(nb::handle shape, nb::handle dtype, nb::handle device) {
  Device& on = to_device(device);
  const nb::object element = numpy().attr("dtype")(dtype);
  size_t bytes = nb::cast<size_t>(element.attr("itemsize"));
  for (int64_t length : shape_from(shape)) bytes *= static_cast<size_t>(length);
  struct Pinned {
    Device* device;
    void* memory;
  };
  auto* pinned = new Pinned{&on, on.allocate_pinned(std::max<size_t>(bytes, 1))};
  nb::capsule owner(pinned, [](void* p) noexcept {
    auto* pinned = static_cast<Pinned*>(p);
    pinned->device->deallocate_pinned(pinned->memory);
    delete pinned;
  });
  const size_t length[] = {bytes};
  nb::object raw = nb::cast(
      nb::ndarray<nb::numpy, uint8_t>(static_cast<uint8_t*>(pinned->memory), 1, length, owner));
  return raw.attr("view")(element).attr("reshape")(tuple_from(shape_from(shape)));
}

/// Whether it is no view of a part of its memory.
bool shows_all(const Array& x) {
  const NodePtr node = x.state().current();
  return x.is_contiguous() && x.nbytes() == static_cast<size_t>(product(node->shape)) * node->itemsize;
}

}  // namespace

void bind_kernel_memory(nb::module_& m) {
  nb::class_<Memory>(m, "_Memory", "Device memory by address.", nb::dynamic_attr(),
                     nb::is_weak_referenceable())
      .def("__init__",
           [](Memory* self, size_t bytes, nb::handle device) {
             Device& on = to_device(device);
             const GilReleased release;
             new (self) Memory{Buffer::allocate(on, bytes), &on, bytes};
           },
           nb::arg("bytes"), nb::arg("device") = nb::none())
      .def_prop_ro("ptr", &Memory::address)
      .def_prop_ro("size", [](const Memory& x) { return x.bytes; })
      .def_prop_ro("device", [](const Memory& x) { return x.device; }, nb::rv_policy::reference)
      .def("__int__", &Memory::address)
      .def("__index__", &Memory::address)
      .def("__hash__", &Memory::address)
      .def("free", [](Memory& x) {
        x.get();
        x.buffer.reset();
        x.device->throw_overruns();
      })
      .def("as_buffer", [](Memory& x, size_t size, int64_t offset) {
        return nb::steal(PyMemoryView_FromMemory(
            reinterpret_cast<char*>(x.address()) + offset, static_cast<Py_ssize_t>(size), PyBUF_WRITE));
      }, nb::arg("size"), nb::arg("offset") = 0);
  m.def("_view", &view_of, nb::arg("base"), nb::arg("offset"), nb::arg("shape"),
        nb::arg("strides").none(), nb::arg("dtype").none(), nb::arg("itemsize") = 0,
        nb::arg("device") = nb::none(), "An array over memory: an allocation, an array, an address.");
  m.def("_buffer_of", [](nb::handle object) {
    const Array* array = array_in(object);
    if (!array) throw Error(ErrorKind::type, "an array is needed");
    void* const first = array->data();
    (void)first;
    std::shared_ptr<Buffer> buffer = array->buffer();
    return Memory{buffer, &array->device(), buffer->bytes()};
  }, "The memory that an array shows.");
  m.def("_is_read_only", [](const Array& x) { return x.is_read_only(); }, nb::arg("x"));
  m.def(
      "_replace", [](Array& x, const Array& other) { x = other; }, nb::arg("x"), nb::arg("other"),
      "The object is another array from now on.");
  m.def(
      "_make_writable",
      [](Array& x) {
        if (!x.is_read_only()) return true;
        if (x.ndim() == 0 || x.buffer()->is_read_only()) return false;  // an element that was read is a value
        if (shows_all(x)) x.state().current()->storage->is_kept = false;
        if (x.state().current()->storage->is_kept) return false;
        x = Array::of(x.state().current(), x.state().view, x.dtype(), x.itemsize(), false);
        return true;
      },
      nb::arg("x"),
      "Whether its elements may be written from now on: where it was made read-only, and its memory is not.");
  m.def(
      "_make_read_only",
      [](Array& x) {
        if (shows_all(x)) x.state().current()->storage->is_kept = true;
        x = x.read_only();
      },
      nb::arg("x"),
      "Its elements are not written by its name from now on; if they are all of their memory, no view of it becomes "
      "writable again.");
  m.def("_address", [](nb::handle object) { return reinterpret_cast<uintptr_t>(address_of(object)); });
  m.def("_htod",
        [](nb::handle to, nb::handle from, nb::handle device, nb::handle stream) {
          HostBytes host(from, false);
          void* const address = address_of(to);
          must_hold(to, address, host.size());
          if (Buffer* buffer = buffer_of(to)) {
            buffer->history.filled_by_host = true;
            buffer->history.zeroed = false;
          }
          Device& on = to_device(device);
          Stream& in = ordered_stream(stream, on, {to});
          const GilReleased release;
          if (host.size()) on.copy(address, host.view.buf, host.size(), in);
        },
        nb::arg("to"), nb::arg("from"), nb::arg("device").none(), nb::arg("stream").none());
  m.def("_dtoh",
        [](nb::handle to, nb::handle from, nb::handle device, nb::handle stream) {
          HostBytes host(to, true);
          void* const address = address_of(from);
          must_hold(from, address, host.size());
          if (Buffer* buffer = buffer_of(from)) note_read_back(*buffer);
          Device& on = to_device(device);
          Stream& in = ordered_stream(stream, on, {from});
          const GilReleased release;
          if (host.size()) on.copy(host.view.buf, address, host.size(), in);
        },
        nb::arg("to"), nb::arg("from"), nb::arg("device").none(), nb::arg("stream").none());
  m.def("_dtod",
        [](nb::handle to, nb::handle from, size_t bytes, nb::handle device, nb::handle stream) {
          void* const target = address_of(to);
          const void* const source = address_of(from);
          must_hold(to, target, bytes);
          must_hold(from, source, bytes);
          Device& on = to_device(device);
          Stream& in = ordered_stream(stream, on, {to, from});
          const GilReleased release;
          if (bytes) on.copy(target, source, bytes, in);
        },
        nb::arg("to"), nb::arg("from"), nb::arg("bytes"), nb::arg("device").none(), nb::arg("stream").none());
  m.def("_fill",
        [](nb::handle to, uint64_t value, size_t size, size_t count, nb::handle device,
           nb::handle stream) {
          void* const target = address_of(to);
          must_hold(to, target, size * count);
          Device& on = to_device(device);
          Stream& in = ordered_stream(stream, on, {to});
          const GilReleased release;
          if (count) on.fill(target, value, size, count, in);
        },
        nb::arg("to"), nb::arg("value"), nb::arg("size"), nb::arg("count"), nb::arg("device").none(), nb::arg("stream").none());
  m.def("_pinned", &pinned_array, nb::arg("shape"), nb::arg("dtype"),
        nb::arg("device") = nb::none(), "A NumPy array in memory that the device copies directly.");
  m.def("_mark_zeroed", [](nb::handle object) {
    if (Buffer* buffer = buffer_of(object)) buffer->history.zeroed = true;
  });
  m.def("_note_read_back", [](nb::handle object) {
    if (Buffer* buffer = buffer_of(object)) note_read_back(*buffer);
  }, "Warns if the array was zeroed and only ever read, see SwappedArgumentsWarning.");
}

}  // namespace kasoku
