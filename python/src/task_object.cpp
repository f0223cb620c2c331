/// \file python/src/task_object.cpp
/// kasoku._core.Delayed: a node of a task graph. A type of its own and not a nanobind class, because programs
/// make a million of them: a node is 48 bytes, and a call of one goes by the vector protocol.
#include "guarded.h"
#include "kasoku/base/error.h"
#include "task.h"
#include "vectorcall.h"

#include <structmember.h>

#include <cstddef>

namespace kasoku {

namespace {

using namespace nb::literals;

struct DelayedObject {
  PyObject base;
  VectorCall vectorcall;
  PyObject* weak;
  TaskPointer task;
  DelayedFacts* facts;  ///< null: nothing special
};

PyTypeObject* delayed_type = nullptr;

DelayedObject& object_at(nb::handle object) { return *reinterpret_cast<DelayedObject*>(object.ptr()); }

PyObject* new_delayed(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* words[] = {"key", "dsk", "length", "layer", nullptr};
  PyObject *key, *graph, *length = Py_None, *layer = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|OO:Delayed", const_cast<char**>(words), &key, &graph, &length,
                                   &layer))
    return nullptr;
  return guarded([&] { return delayed_of_graph(key, graph, length, layer).release().ptr(); });
}

/// A chain of attributes ends here without recursion.
void destroy_delayed(PyObject* self) {
  static thread_local std::vector<PyObject*>* owners = nullptr;
  PyTypeObject* type = Py_TYPE(self);
  DelayedObject& object = object_at(self);
  if (object.weak) PyObject_ClearWeakRefs(self);
  PyObject* owner = nullptr;
  if (object.facts) {
    owner = object.facts->owner.release().ptr();
    delete object.facts;
  }
  object.task.~TaskPointer();
  PyObject_Free(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
  if (!owner) return;
  if (owners) {
    owners->push_back(owner);
    return;
  }
  std::vector<PyObject*> all = {owner};
  owners = &all;
  while (!all.empty()) {
    PyObject* const last = all.back();
    all.pop_back();
    Py_DECREF(last);
  }
  owners = nullptr;
}

/// A node that applies operator.NAME: the same to the same is one task.
nb::object apply_operator(const std::string& name, nb::tuple args) {
  std::string function = name;
  if (name == "and" || name == "or") function += '_';
  return delayed_object(call_task(nb::module_::import_("operator").attr(function.c_str()), args, {},
                                  nb::str(name.c_str()), {}, KeyRule::simple));
}

[[noreturn]] void refuse(const char* what, const char* fix) { throw Error(ErrorKind::type, what).fix(fix); }

using Names = const char* const[];
constexpr Names binary_operators = {"add",    "sub",    "mul",    "truediv", "floordiv", "mod", "pow",
                                    "matmul", "lshift", "rshift", "and",     "or",       "xor"};
constexpr Names comparisons = {"lt", "le", "eq", "ne", "gt", "ge"};
constexpr Names unary_operators = {"neg", "pos", "abs", "invert"};

template <class F>
void method(nb::handle type, const std::string& name, F&& f) {
  nb::cpp_function_def(std::forward<F>(f), nb::scope(type), nb::name(name.c_str()), nb::is_method());
}

template <class F>
void property(nb::handle type, const char* name, F&& f) {
  nb::setattr(type, name,
              nb::handle(reinterpret_cast<PyObject*>(&PyProperty_Type))(nb::cpp_function(std::forward<F>(f))));
}

void bind_operators(nb::handle type) {
  for (const char* name : binary_operators) {
    const std::string word = name;
    method(type, "__" + word + "__",
           [word](nb::object a, nb::object b) { return apply_operator(word, nb::make_tuple(a, b)); });
    method(type, "__r" + word + "__",
           [word](nb::object a, nb::object b) { return apply_operator(word, nb::make_tuple(b, a)); });
  }
  for (const char* name : comparisons) {
    const std::string word = name;
    method(type, "__" + word + "__",
           [word](nb::object a, nb::object b) { return apply_operator(word, nb::make_tuple(a, b)); });
  }
  for (const char* name : unary_operators) {
    const std::string word = name;
    method(type, "__" + word + "__", [word](nb::object a) { return apply_operator(word, nb::make_tuple(a)); });
  }
  method(type, "__getitem__",
         [](nb::object self, nb::object key) { return apply_operator("getitem", nb::make_tuple(self, key)); });
}

/// a.name of a delayed a, a task of its own only when its value is wanted.
nb::object attribute_of(nb::object self, nb::object name) {
  DelayedFacts facts;
  facts.owner = self;
  facts.attribute = name;
  return delayed_object(call_task(nb::module_::import_("builtins").attr("getattr"), nb::make_tuple(self, name), {},
                                  name, {}, KeyRule::content),
                        std::move(facts));
}

/// What asking for an attribute gives that the class does not have.
nb::object missing_attribute(nb::object self, nb::object name_object) {
  const std::string name = nb::cast<std::string>(name_object);
  const DelayedFacts& facts = facts_of(self);
  if (facts.leaf.is_valid() && (name == "__name__" || name == "__qualname__" || name == "__wrapped__"))
    return name == "__wrapped__" ? facts.leaf : nb::object(nb::getattr(facts.leaf, name.c_str()));
  // NumPy asks for the dtype of a dtype without end.
  if (name.starts_with("_") || (name == "dtype" && facts.attribute.is_valid() && facts.attribute.equal(name_object)))
    throw nb::attribute_error(("Delayed has no attribute '" + name + "'").c_str());
  if (name == "visualise")
    PyErr_WarnEx(PyExc_UserWarning,
                 "dask.delayed objects have no `visualise` method: a task that calls it is made. "
                 "Perhaps you meant `visualize`?",
                 1);
  return attribute_of(std::move(self), std::move(name_object));
}

nb::object or_none(const nb::object& object) { return object.is_valid() ? object : nb::none(); }

void bind_facts(nb::handle type) {
  const auto own_key = [](nb::handle self) { return key_of(*task_of(self)); };
  property(type, "key", own_key);
  property(type, "_key", own_key);
  property(type, "_leaf", [](nb::handle self) { return or_none(facts_of(self).leaf); });
  property(type, "_is_leaf", [](nb::handle self) { return facts_of(self).leaf.is_valid(); });
  property(type, "_obj", [](nb::handle self) {
    const DelayedFacts& facts = facts_of(self);
    return facts.owner.is_valid() ? facts.owner : or_none(facts.leaf);
  });
  property(type, "_attr", [](nb::handle self) { return or_none(facts_of(self).attribute); });
  property(type, "_length", [](nb::handle self) -> nb::object {
    const DelayedFacts& facts = facts_of(self);
    return facts.length < 0 || facts.leaf.is_valid() ? nb::none() : nb::cast(facts.length);
  });
  property(type, "_nout", [](nb::handle self) -> nb::object {
    const Py_ssize_t length = facts_of(self).length;
    return length < 0 ? nb::none() : nb::cast(length);
  });
  property(type, "_pure", [](nb::handle self) -> nb::object {
    const int pure = facts_of(self).pure;
    return pure < 0 ? nb::none() : nb::cast(pure != 0);
  });
  property(type, "_graph", [](nb::handle self) { return or_none(facts_of(self).graph); });
  property(type, "_layer", [](nb::handle self) {
    const DelayedFacts& facts = facts_of(self);
    return facts.graph.is_valid() ? facts.layer : key_of(*task_of(self));
  });
}

void bind_protocols(nb::handle type) {
  method(type, "__getattr__", &missing_attribute);
  method(type, "__bool__",
         [](nb::handle) -> bool { refuse("a Delayed value has no truth yet", "call .compute() first"); });
  method(type, "__len__", [](nb::handle self) -> Py_ssize_t {
    const Py_ssize_t length = facts_of(self).length;
    if (length < 0) refuse("a Delayed value has no length yet", "give delayed(..., nout=n), or call .compute() first");
    return length;
  });
  method(type, "__iter__", [](nb::object self) -> nb::object {
    const Py_ssize_t length = facts_of(self).length;
    if (length < 0)
      refuse("a Delayed value of unknown length cannot be iterated",
             "give delayed(..., nout=n), or call .compute() first");
    nb::list items;
    for (Py_ssize_t i = 0; i < length; ++i) items.append(self.attr("__getitem__")(i));
    return items.attr("__iter__")();
  });
  method(type, "__setitem__", [](nb::handle, nb::handle, nb::handle) {
    refuse("Delayed objects are immutable", "compute it first, or do this in a delayed function");
  });
  method(type, "__hash__", [](nb::handle self) { return reinterpret_cast<Py_ssize_t>(self.ptr()) >> 4; });
  method(type, "__repr__",
         [](nb::handle self) { return std::string("Delayed(") + nb::repr(key_of(*task_of(self))).c_str() + ")"; });
}

}  // namespace

bool is_delayed(nb::handle object) { return Py_TYPE(object.ptr()) == delayed_type; }
const TaskPointer& task_of(nb::handle object) { return object_at(object).task; }

const DelayedFacts& facts_of(nb::handle object) {
  static const DelayedFacts& usual = *new DelayedFacts;
  const DelayedFacts* own = object_at(object).facts;
  return own ? *own : usual;
}

nb::object delayed_object(TaskPointer task) {
  DelayedObject* object = PyObject_New(DelayedObject, delayed_type);
  if (!object) throw nb::python_error();
  object->vectorcall = call_delayed;
  object->weak = nullptr;
  new (&object->task) TaskPointer(std::move(task));
  object->facts = nullptr;
  return nb::steal(reinterpret_cast<PyObject*>(object));
}

nb::object delayed_object(TaskPointer task, DelayedFacts facts) {
  nb::object object = delayed_object(std::move(task));
  object_at(object).facts = new DelayedFacts(std::move(facts));
  return object;
}

void bind_task_object(nb::module_& m) {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", member_ssize, offsetof(DelayedObject, vectorcall), member_readonly, nullptr},
      {"__weaklistoffset__", member_ssize, offsetof(DelayedObject, weak), member_readonly, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void*>(call_with_tuple<call_delayed>)},
      {Py_tp_new, reinterpret_cast<void*>(new_delayed)},
      {Py_tp_dealloc, reinterpret_cast<void*>(destroy_delayed)},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char*>(R"(A value that is computed later: a node of a task graph.

Made by kasoku.delayed. Immutable; calling it, indexing it, reading an
attribute and arithmetic make further nodes.

>>> x = ks.delayed(sum)([1, 2, 3])
>>> (x * 10).compute()
60)")},
      {0, nullptr}};
  static PyType_Spec spec = {"kasoku._core.Delayed", sizeof(DelayedObject), 0, Py_TPFLAGS_DEFAULT | has_vectorcall, slots};
  delayed_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!delayed_type) throw nb::python_error();
  const nb::handle type = reinterpret_cast<PyObject*>(delayed_type);
  m.attr("Delayed") = nb::borrow(type);
  bind_protocols(type);
  bind_facts(type);
  bind_operators(type);
}

}  // namespace kasoku
