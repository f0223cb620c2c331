/// \file rows.cpp
/// The iterator of an array: its rows, or the numbers of an array of one axis.
#include "convert.h"
#include "kasoku/array/basic_index.h"
#include "kasoku/array/graph.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "numpy_functions.h"
#include "subscript.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kasoku {

namespace {

/// What loops over an array: each row is what it is when it is asked for. Python's own iterator of sequences would learn from an
/// error that there are no more, whose text takes longer than a few rows.
struct Rows {
  PyObject base;
  PyObject* array;  ///< null when all rows were given
  Py_ssize_t next;
  PyObject* numbers[2];  ///< NumPy's, the last ones: when one is asked for, a loop has the last and is done with the one before

  static Rows& of(PyObject* self) { return *reinterpret_cast<Rows*>(self); }
  Py_ssize_t left() const { return array ? std::max<Py_ssize_t>(array_inside(array)->state().view.shape[0] - next, 0) : 0; }

  static PyObject* give(PyObject* self) {
    Rows& rows = of(self);
    if (rows.left() > 0) {
      const Py_ssize_t at = rows.next++;
      if (!elements_are_numpys()) return subscript_by_number(rows.array, at);
      PyObject*& before = rows.numbers[at % 2];
      const Array& x = *array_inside(rows.array);
      if (before && is_read_again(before, x, at)) return Py_NewRef(before);
      PyObject* const row = subscript_by_number(rows.array, at);
      if (x.state().view.shape.size() == 1) Py_XDECREF(std::exchange(before, Py_XNewRef(row)));
      return row;
    }
    Py_CLEAR(rows.array);
    return nullptr;
  }
  /// Whether a number that nobody has any more is now the one at that place: to make an object takes most of the time of a read.
  static bool is_read_again(PyObject* object, const Array& x, int64_t at) {
    if (Py_REFCNT(object) != 1 || InFace::is_in()) return false;
    const Array::State& of = x.state();
    const HeldElement element(x, {&at, 1});
    if (!element) return false;
    const void* const number = of.dtype == Dtype::bool_ ? nullptr : memory_of_number(object, of.dtype);
    if (number) std::memcpy(const_cast<void*>(number), element.memory(), of.itemsize);
    return number;
  }
  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(of(self).array);
    for (PyObject* number : of(self).numbers) Py_VISIT(number);
    return 0;
  }
  static void destroy(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(of(self).array);
    for (PyObject*& number : of(self).numbers) Py_CLEAR(number);
    PyObject_GC_Del(self);
    Py_DECREF(type);
  }
  static PyObject* hint(PyObject* self, PyObject*) { return PyLong_FromSsize_t(of(self).left()); }
  static PyTypeObject* make_type() {
    static PyMethodDef methods[] = {{"__length_hint__", hint, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
    PyType_Slot slots[] = {{Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)}, {Py_tp_iternext, reinterpret_cast<void*>(give)},
                           {Py_tp_traverse, reinterpret_cast<void*>(traverse)},      {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                           {Py_tp_methods, methods},                                 {0, nullptr}};
    PyType_Spec spec = {"kasoku._core._Rows", sizeof(Rows), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    if (!type) throw nb::python_error();
    return type;
  }
};

}  // namespace

PyObject* rows_of(PyObject* self) {
  return guarded([=] {
    const Array& x = *array_inside(self);
    if (x.ndim() == 0) throw Error(ErrorKind::type, "iteration over a 0-d array");
    if (x.device().is_host() && !Recorder::current() && x.is_pending()) {  // once, and not a part of it for each row
      const GilUntilBlocked keep;
      x.buffer();
    }
    static PyTypeObject* const type = Rows::make_type();
    Rows* const rows = PyObject_GC_New(Rows, type);
    if (!rows) throw nb::python_error();
    rows->array = Py_NewRef(self);
    rows->next = 0;
    std::ranges::fill(rows->numbers, nullptr);
    PyObject_GC_Track(rows);
    return reinterpret_cast<PyObject*>(rows);
  });
}

}  // namespace kasoku
