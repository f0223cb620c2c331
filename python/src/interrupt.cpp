/// \file interrupt.cpp
/// See interrupt.h.
#include "interrupt.h"

#include "bindings.h"

namespace kasoku {
namespace {

// The handler's exception waits here while the engine unwinds.
thread_local PyObject *raised_type, *raised_value, *raised_traceback;

}  // namespace

bool restore_interrupt() {
  if (!raised_type) return false;
  PyErr_Restore(raised_type, raised_value, raised_traceback);
  raised_type = raised_value = raised_traceback = nullptr;
  return true;
}

void bind_interrupt(nb::module_&) {}

}  // namespace kasoku
