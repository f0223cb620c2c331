/// \file error.cpp
/// kasoku::Error becomes the Python exception of its kind (kasoku/errors.py).
#include "guarded.h"
#include "kasoku/base/axis_error.h"
#include "kasoku/base/launch_error.h"
#include "kasoku/base/linalg_error.h"
#include "kasoku/base/overflow_error.h"

namespace kasoku {
namespace {

/// One reference per kind, held for the life of the process: errors are raised
/// until the very end of it.
PyObject* exceptions[static_cast<int>(ErrorKind::internal) + 1];
PyObject *axis_exception, *launch_exception, *linalg_exception, *overflow_exception;

PyObject* type_of(nb::exception_type type) {
  switch (type) {
    case nb::exception_type::stop_iteration: return PyExc_StopIteration;
    case nb::exception_type::index_error: return PyExc_IndexError;
    case nb::exception_type::key_error: return PyExc_KeyError;
    case nb::exception_type::value_error: return PyExc_ValueError;
    case nb::exception_type::type_error:
    case nb::exception_type::next_overload: return PyExc_TypeError;
    case nb::exception_type::buffer_error: return PyExc_BufferError;
    case nb::exception_type::import_error: return PyExc_ImportError;
    case nb::exception_type::attribute_error: return PyExc_AttributeError;
    default: return PyExc_RuntimeError;
  }
}

/// The engine's exceptions; another is thrown on, for nanobind to translate.
void translate(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const AxisError& error) {
    PyErr_SetString(axis_exception, error.what());
  } catch (const LaunchError& error) {
    PyErr_SetString(launch_exception, error.what());
  } catch (const LinAlgError& error) {
    PyErr_SetString(linalg_exception, error.what());
  } catch (const OverflowError& error) {
    PyErr_SetString(overflow_exception, error.what());
  } catch (const Error& error) {
    PyErr_SetString(exceptions[static_cast<int>(error.kind)], error.what());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(exceptions[static_cast<int>(ErrorKind::memory)], "kasoku: the host has no memory left for what this call works out there");
  } catch (const std::bad_cast&) {  // nanobind says no more; Python's own, as of any call that does not fit
    PyErr_SetString(PyExc_TypeError, "an argument has a type or a value that cannot be used here");
  }
}

}  // namespace

void set_python_error(const std::exception_ptr& exception) {
  try {
    translate(exception);
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(type_of(error.type()), error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "an exception that says nothing");
  }
}

void bind_error(nb::module_& m) {
  const std::pair<ErrorKind, const char*> names[] = {
      {ErrorKind::value, "ValueError"},          {ErrorKind::type, "TypeError"},
      {ErrorKind::index, "IndexError"},          {ErrorKind::compile, "CompileError"},
      {ErrorKind::memory, "MemoryError"},        {ErrorKind::unsupported, "UnsupportedError"},
      {ErrorKind::io, "OSError"},                {ErrorKind::device, "DeviceError"},
      {ErrorKind::interrupted, "Interrupted"},   {ErrorKind::internal, "InternalError"},
  };
  nb::object errors = nb::module_::import_("kasoku.errors");
  for (const auto& [kind, name] : names)
    exceptions[static_cast<int>(kind)] = nb::object(errors.attr(name)).release().ptr();
  axis_exception = nb::object(errors.attr("AxisError")).release().ptr();
  launch_exception = nb::object(errors.attr("LaunchError")).release().ptr();
  linalg_exception = nb::object(errors.attr("LinAlgError")).release().ptr();
  overflow_exception = nb::object(errors.attr("OverflowError")).release().ptr();
  nb::register_exception_translator([](const std::exception_ptr& exception, void*) { translate(exception); });
}

}  // namespace kasoku
