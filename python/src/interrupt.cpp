/// \file interrupt.cpp
/// What the engine asks and says while it works: whether Ctrl-C was pressed, what
/// a warning becomes, where a kernel's printf goes. All three may be called with
/// the GIL released and take it.
#include "bindings.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/base/warning.h"
#include "kasoku/device/print.h"


namespace kasoku {
namespace {

/// Never true: a handler's own exception goes up instead, KeyboardInterrupt mostly.
/// On other threads than Python's main one there is nothing to see.
bool poll_signals() {
  if (!Py_IsInitialized()) return false;
  const GilHeld gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  return false;
}

const char* category(WarningKind kind) {
  switch (kind) {
    case WarningKind::cache: return "CacheWarning";
    case WarningKind::compile: return "CompileWarning";
    case WarningKind::swapped_arguments: return "SwappedArgumentsWarning";
    default: return "Warning";
  }
}

/// With `-W error` a warning is an exception of the call that caused it, where
/// there is such a call.
void warn_in_python(const Warning& warning) {
  if (!Py_IsInitialized()) return;
  const bool is_python_thread = PyGILState_GetThisThreadState() != nullptr;
  const GilHeld gil;
  try {
    nb::object errors = nb::module_::import_("kasoku.errors");
    errors.attr("_warn")(errors.attr(category(warning.kind)), warning.text);
  } catch (nb::python_error& error) {
    if (is_python_thread) throw;
    error.discard_as_unraisable("a warning of kasoku");
  }
}

/// sys.stdout and not the file descriptor, so that Jupyter and pytest see it, in
/// order with the program's own output.
void print_in_python(std::string_view text) {
  if (!Py_IsInitialized()) return;
  const GilHeld gil;
  try {
    nb::object out = nb::module_::import_("sys").attr("stdout");
    if (out.is_none()) return;
    nb::object words = nb::steal(PyUnicode_DecodeUTF8(text.data(), text.size(), "replace"));
    out.attr("write")(words);
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("printf of a kernel");
  }
}

}  // namespace

void bind_interrupt(nb::module_&) {
  set_interrupt_poll(poll_signals);
  set_warning_hook(warn_in_python);
  set_print_hook(print_in_python);
}

}  // namespace kasoku
