/// \file python/src/host_buffer.h
/// The memory that an object of Python shows by the buffer protocol, held while it is used.
#pragma once

#include "bindings.h"
#include "gil.h"

namespace kasoku {

/// A buffer exported by Python, released with the GIL.
struct HostBuffer {
  Py_buffer view{};
  explicit HostBuffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_FULL_RO) != 0) throw nb::python_error();
  }
  ~HostBuffer() {
    if (is_python_gone()) return;
    const GilHeld gil;
    PyBuffer_Release(&view);
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
};

}  // namespace kasoku
