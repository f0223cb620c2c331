/// \file error.cpp
/// kasoku::Error becomes the Python exception of its kind (kasoku/errors.py).
#include "guarded.h"
#include "kasoku/base/axis_error.h"
#include "kasoku/base/linalg_error.h"
#include "kasoku/base/overflow_error.h"

namespace kasoku {
namespace {

/// One reference per kind, held for the life of the process: errors are raised
/// until the very end of it.
PyObject* exceptions[static_cast<int>(ErrorKind::internal) + 1];
PyObject *axis_exception, *linalg_exception, *overflow_exception;

}  // namespace

void set_python_error(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const AxisError& error) {
    PyErr_SetString(axis_exception, error.what());
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
  linalg_exception = nb::object(errors.attr("LinAlgError")).release().ptr();
  overflow_exception = nb::object(errors.attr("OverflowError")).release().ptr();
  nb::register_exception_translator([](const std::exception_ptr& exception, void*) { set_python_error(exception); });
}

}  // namespace kasoku
