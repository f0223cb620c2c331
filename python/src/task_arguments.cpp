/// \file python/src/task_arguments.cpp
/// Delayed values inside of arguments: taken out when a task is made, put back when it runs.
#include <fmt/format.h>

#include "kasoku/base/error.h"
#include "kasoku/base/hash.h"
#include "task.h"

namespace kasoku {

namespace {

struct TaskInput {
  PyObject base;
  size_t index;
};

PyTypeObject* task_input_type = nullptr;

void destroy_input(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

bool is(nb::handle type, const PyTypeObject& builtin) {
  return type.ptr() == reinterpret_cast<const PyObject*>(&builtin);
}

bool is_sequence_type(nb::handle type) {
  return is(type, PyList_Type) || is(type, PyTuple_Type) || is(type, PySet_Type);
}

bool is_iterator_type(nb::handle type) {
  return is(type, PyListIter_Type) || is(type, PyTupleIter_Type) || is(type, PySetIter_Type);
}

bool is_named_tuple(nb::handle object) {
  return PyTuple_Check(object.ptr()) && !PyTuple_CheckExact(object.ptr()) && nb::hasattr(object, "_fields") &&
         nb::hasattr(object, "_make");
}

/// Only classes written in Python may be dataclasses or collections: a cheap question comes first.
bool is_of_python_class(nb::handle object) {
  return (PyType_GetFlags(Py_TYPE(object.ptr())) & Py_TPFLAGS_HEAPTYPE) != 0;
}

bool is_dataclass(nb::handle object) {
  return is_of_python_class(object) && nb::hasattr(object.type(), "__dataclass_fields__");
}

nb::object replace(nb::handle object, const nb::dict& fields) {
  return nb::module_::import_("dataclasses").attr("replace")(object, **fields);
}

/// The object with `change` applied to its parts; itself if nothing changed.
nb::object changed(nb::handle object, const std::function<nb::object(nb::handle)>& change) {
  const OneDeeper level;
  nb::handle type = object.type();
  bool is_changed = false;
  const auto part = [&](nb::handle item) {
    nb::object made = change(item);
    is_changed |= !made.is(item);
    return made;
  };
  if (is_sequence_type(type)) {
    nb::list items;
    for (nb::handle item : object) items.append(part(item));
    return is_changed ? nb::object(type(items)) : nb::borrow(object);
  }
  if (is(type, PyDict_Type)) {
    nb::dict items;
    for (auto [key, item] : nb::borrow<nb::dict>(object)) {
      nb::object kept = part(key);
      items[kept] = part(item);
    }
    return is_changed ? nb::object(std::move(items)) : nb::borrow(object);
  }
  if (PySlice_Check(object.ptr())) {
    nb::object start = part(object.attr("start")), stop = part(object.attr("stop")), step = part(object.attr("step"));
    if (!is_changed) return nb::borrow(object);
    return nb::handle(reinterpret_cast<PyObject*>(&PySlice_Type))(start, stop, step);
  }
  if (is_named_tuple(object)) {
    nb::list items;
    for (nb::handle item : nb::borrow<nb::tuple>(object)) items.append(part(item));
    return is_changed ? nb::object(type.attr("_make")(items)) : nb::borrow(object);
  }
  return nb::borrow(object);
}

/// A dataclass is made anew when the values are there; whether it can be is asked now.
nb::object take_from_dataclass(nb::handle object, std::vector<TaskPointer>& inputs) {
  const OneDeeper level;
  const size_t before = inputs.size();
  nb::dict fields, same;
  for (nb::handle name : object.type().attr("__dataclass_fields__")) {
    if (!nb::hasattr(object, name)) continue;
    nb::object value = object.attr(name);
    same[name] = value;
    fields[name] = take_inputs(value, inputs, true);
  }
  if (inputs.size() == before) return nb::borrow(object);
  const auto refuse = [&](ErrorKind kind, const char* what) {
    PyErr_Clear();
    throw Error(kind, fmt::format("delayed: a {} that holds delayed values cannot be made anew: {}",
                                  nb::str(name_of(object.type())).c_str(), what))
        .fix("make it in a delayed function");
  };
  try {
    replace(object, same);
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_TypeError)) refuse(ErrorKind::type, "a custom __init__ is not supported");
    if (error.matches(PyExc_ValueError)) refuse(ErrorKind::value, "fields with `init=False` are not supported");
    throw;
  }
  return nb::cast(RebuiltObject{nb::borrow(object), std::move(fields)});
}

bool add_fingerprint(std::string& text, nb::handle object, const std::vector<TaskPointer>& inputs, bool deep) {
  const OneDeeper level;
  PyObject* p = object.ptr();
  nb::handle type = object.type();
  if (p == Py_None || PyBool_Check(p) || PyLong_CheckExact(p) || PyFloat_CheckExact(p) || PyUnicode_CheckExact(p)) {
    text += nb::repr(object).c_str();
  } else if (const auto input = index_of_input(object)) {
    (text += '<') += inputs[*input]->key();
  } else if (is(type, PyList_Type) || is(type, PyTuple_Type)) {
    text += is(type, PyList_Type) ? "[" : "(";
    for (nb::handle item : object) {
      if (!add_fingerprint(text, item, inputs, deep)) return false;
      text += ',';
    }
    text += ')';
  } else if (is(type, PyDict_Type)) {
    text += '{';
    for (auto [key, item] : nb::borrow<nb::dict>(object)) {
      if (!add_fingerprint(text, key, inputs, deep)) return false;
      text += ':';
      if (!add_fingerprint(text, item, inputs, deep)) return false;
      text += ',';
    }
    text += '}';
  } else if (PySlice_Check(p)) {
    text += "slice";
    for (const char* part : {"start", "stop", "step"})
      if (!add_fingerprint(text, object.attr(part), inputs, deep)) return false;
  } else if (!deep) {
    return false;
  } else {
    text += nb::cast<std::string>(nb::module_::import_("kasoku._token").attr("tokenize")(object));
  }
  text += ' ';
  return true;
}

}  // namespace

nb::object task_input(size_t index) {
  TaskInput* const made = PyObject_New(TaskInput, task_input_type);
  if (!made) throw nb::python_error();
  made->index = index;
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

std::optional<size_t> index_of_input(nb::handle object) {
  if (Py_TYPE(object.ptr()) != task_input_type) return std::nullopt;
  return reinterpret_cast<const TaskInput*>(object.ptr())->index;
}

nb::object take_inputs(nb::handle object, std::vector<TaskPointer>& inputs, bool traverse) {
  const auto input = [&](TaskPointer task) {
    inputs.push_back(std::move(task));
    return task_input(inputs.size() - 1);
  };
  if (is_delayed(object)) return input(task_of(object));
  if (is_of_python_class(object))
    if (TaskPointer task = collection_task(object)) return input(std::move(task));
  if (!traverse) return nb::borrow(object);
  if (is_iterator_type(object.type())) return take_inputs(nb::list(object), inputs, traverse);
  if (is_dataclass(object)) return take_from_dataclass(object, inputs);
  return changed(object, [&](nb::handle item) { return take_inputs(item, inputs, traverse); });
}

bool may_hold_inputs(nb::handle object) {
  PyObject* const p = object.ptr();
  return PyTuple_Check(p) || PyList_CheckExact(p) || PyDict_CheckExact(p) || PySet_Check(p) || PySlice_Check(p) ||
         index_of_input(object) || nb::isinstance<RebuiltObject>(object);
}

nb::object put_values(nb::handle object, const std::function<nb::object(size_t)>& value) {
  if (const auto input = index_of_input(object)) return value(*input);
  RebuiltObject* rebuilt = nullptr;
  const auto put = [&](nb::handle item) { return put_values(item, value); };
  if (nb::try_cast(object, rebuilt) && rebuilt)
    return replace(rebuilt->original, nb::borrow<nb::dict>(changed(rebuilt->fields, put)));
  return changed(object, put);
}

std::string fingerprint(std::initializer_list<nb::handle> objects, const std::vector<TaskPointer>& inputs, bool deep) {
  std::string text;
  for (nb::handle object : objects)
    if (object.is_valid() && !add_fingerprint(text, object, inputs, deep)) return {};
  return hash128(text).hex();
}

void bind_task_arguments(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(destroy_input)}, {0, nullptr}};
  static PyType_Spec spec = {"kasoku._core._TaskInput", sizeof(TaskInput), 0, Py_TPFLAGS_DEFAULT, slots};
  task_input_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!task_input_type) throw nb::python_error();
  m.attr("_TaskInput") = nb::borrow(reinterpret_cast<PyObject*>(task_input_type));
  nb::class_<RebuiltObject>(m, "_TaskObject");
}

}  // namespace kasoku
