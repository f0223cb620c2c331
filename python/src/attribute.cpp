#include "attribute.h"

#include <structmember.h>

namespace kasoku {

namespace {

/// Behind what Python's property has.
struct Quick {
  Reader reader;
  PyObject* dict;  ///< where a class derived from property keeps its text
};

size_t size_of_property = 0;  ///< as make_attribute_type() finds it

Quick& quick(PyObject* property) { return *reinterpret_cast<Quick*>(reinterpret_cast<char*>(property) + size_of_property); }

PyObject* read_attribute(PyObject* property, PyObject* object, PyObject*) {
  if (!object || object == Py_None) return Py_NewRef(property);
  return is_array(object) ? quick(property).reader(object) : PyErr_Format(PyExc_TypeError, "an attribute of arrays is asked of another object");
}

PyObject* make_attribute_type() {
  size_of_property = nb::cast<size_t>(nb::handle(reinterpret_cast<PyObject*>(&PyProperty_Type)).attr("__basicsize__"));
  static PyMemberDef members[] = {{"__dictoffset__", T_PYSSIZET, static_cast<Py_ssize_t>(size_of_property + offsetof(Quick, dict)), READONLY, nullptr}, {}};
  PyType_Slot slots[] = {{Py_tp_descr_get, reinterpret_cast<void*>(read_attribute)}, {Py_tp_members, members}, {0, nullptr}};
  PyType_Spec spec = {"kasoku._core._Attribute", static_cast<int>(size_of_property + sizeof(Quick)), 0, Py_TPFLAGS_DEFAULT, slots};
  PyObject* const type = PyType_FromSpecWithBases(&spec, nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(&PyProperty_Type))).ptr());
  if (!type) throw nb::python_error();
  return type;
}

}  // namespace

nb::handle attribute_type() {
  static const nb::handle type(make_attribute_type());
  return type;
}

void read_by(nb::handle cls, const char* name, Reader reader) {
  const nb::object plain = cls.attr(name), made = attribute_type()(plain.attr("fget"), plain.attr("fset"));
  made.attr("__doc__") = plain.attr("__doc__");
  quick(made.ptr()).reader = reader;
  cls.attr(name) = made;
}

}  // namespace kasoku
