#include "gil.h"

#include <unistd.h>
#include <unwind.h>

#include <exception>

void kasoku::sleep_until_exit() {
  for (;;) ::pause();
}

extern "C" {

using Personality = _Unwind_Reason_Code(int, _Unwind_Action, _Unwind_Exception_Class, _Unwind_Exception*, _Unwind_Context*);
Personality __real___gxx_personality_v0;

/// What the unwinder asks at each frame of the extension (the linker's --wrap): the end of a thread
/// goes no further than to the innermost.
_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                                                _Unwind_Exception* exception, _Unwind_Context* context) {
  if (actions & _UA_FORCE_UNWIND) kasoku::sleep_until_exit();
  return __real___gxx_personality_v0(version, actions, kind, exception, context);
}
}

namespace kasoku {

void bind_gil(nb::module_&) {
  // nanobind's own frames, of a library of its own, are noexcept where they call Python.
  static const std::terminate_handler before = std::set_terminate([] {
    if (!Py_IsInitialized() && !std::current_exception()) sleep_until_exit();
    before();
  });
}

}  // namespace kasoku
