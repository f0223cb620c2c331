/// \file face_array.cpp
/// The class of CuPy's face among the engine's arrays (array_object.h).
#include "array_object.h"
#include "kasoku/array/state.h"

namespace kasoku {

using namespace nb::literals;

PyTypeObject* face_array_type = nullptr;

bool& InFace::current() {
  static constinit thread_local bool is_in = false;
  return is_in;
}

void know_view(nb::handle result, nb::handle of, bool also_whole) {
  // The slot `_viewed` of the face's class, which lies behind what the engine's has.
  static const auto viewed = [](nb::handle array) -> PyObject*& {
    static const nb::handle engines(reinterpret_cast<PyObject*>(array_type()));
    static const Py_ssize_t at = nb::cast<Py_ssize_t>(engines.attr("__basicsize__"));
    return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(array.ptr()) + at);
  };
  if (PyTuple_CheckExact(result.ptr()) || PyList_CheckExact(result.ptr())) {
    for (const nb::handle part : result) {
      if (!is_of_face(part)) return;  // numbers may be many
      know_view(part, of, also_whole);
    }
    return;
  }
  const bool is_new = Py_REFCNT(result.ptr()) == 1;
  if (!is_new || !is_of_face(result) || !is_of_face(of) || viewed(result)) return;
  const Array::State &made = array_inside(result)->state(), &given = array_inside(of)->state();
  if (made.number || given.number || made.current() != given.current()) return;
  if (!also_whole && made.view == given.view && made.dtype == given.dtype) return;
  viewed(result) = Py_NewRef(viewed(of) ? viewed(of) : of.ptr());
}

PyObject* as_derived(nb::handle x, nb::handle y, PyObject* result) {
  const nb::object given = nb::steal(result);
  const nb::handle like = is_of_face(x) && Py_TYPE(x.ptr()) != face_array_type ? x : y;
  return guarded([&] { return nb::object(like.attr("_of_my_class")(given)).release().ptr(); });
}

void bind_face_array(nb::module_& m) {
  m.def("_face_class", [](nb::handle cls) { face_array_type = reinterpret_cast<PyTypeObject*>(nb::borrow(cls).release().ptr()); }, "cls"_a, "The class of what functions in the face give (_in_face).");
}

}  // namespace kasoku
