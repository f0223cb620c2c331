/// \file python/src/task.cpp
/// Delayed values in Python: how calls become tasks of a graph, and its running.
#include "task.h"

#include "array_object.h"
#include "guarded.h"
#include "kasoku/base/draws.h"
#include "kasoku/base/error.h"
#include "kasoku/base/huge_pages.h"

namespace kasoku {

namespace {

using namespace nb::literals;

/// A dictionary of settings (dask.config's): its delayed_pure says whether calls are pure where nobody else says.
PyObject* settings = nullptr;

KeyRule rule_of(int pure) { return pure < 0 ? default_rule() : pure ? KeyRule::content : KeyRule::fresh; }

int purity(nb::handle pure) { return pure.is_none() ? -1 : PyObject_IsTrue(pure.ptr()); }

nb::object make_delayed(nb::object object, nb::object name, nb::object pure, nb::object nout, bool traverse) {
  if (is_delayed(object)) return object;
  if (const Array* array = array_of(object); array && array->waits_on_shared()) {  // the task may run after the statement
    const GilReleased release;
    array->buffer();
  }
  DelayedFacts facts;
  if (!nout.is_none()) {
    if (!PyLong_CheckExact(nout.ptr()) || nb::cast<Py_ssize_t>(nout) < 0)
      throw Error(ErrorKind::value,
                  "delayed: nout is a non-negative integer or None, not " + nb::cast<std::string>(nb::repr(nout)));
    facts.length = nb::cast<Py_ssize_t>(nout);
  }
  facts.pure = purity(pure);
  const KeyRule rule = rule_of(facts.pure);
  nb::object label = name_of(object), key = name.is_none() ? nb::object() : nb::object(nb::str(name));
  std::vector<TaskPointer> inputs;
  nb::object taken = traverse ? take_inputs(object, inputs, true) : object;
  if (!traverse)
    if (TaskPointer task = collection_task(object)) return delayed_object(std::move(task), std::move(facts));
  if (!inputs.empty()) {
    if (inputs.size() == 1 && index_of_input(taken)) return delayed_object(inputs[0], std::move(facts));
    return delayed_object(
        call_task(identity_function(), nb::make_tuple(object), {}, std::move(label), std::move(key), rule),
        std::move(facts));
  }
  // An iterator was made a list to look into it.
  facts.leaf = PyIter_Check(object.ptr()) && PyList_CheckExact(taken.ptr()) ? taken : object;
  TaskKey own = fresh_key();
  if (key.is_valid())
    own.said = std::move(key);
  else if (rule == KeyRule::content)
    own = said_key(std::string(nb::str(label).c_str()) + "-" + fingerprint({facts.leaf}, inputs, true));
  TaskPointer task = value_task(facts.leaf, std::move(label), std::move(own));
  return delayed_object(std::move(task), std::move(facts));
}

/// Whether this holds no delayed value, for all that can be seen at once.
bool is_plain(PyObject* object) {
  return PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyUnicode_CheckExact(object) || object == Py_None ||
         PyBool_Check(object) || PyBytes_CheckExact(object) || PyComplex_CheckExact(object) || is_delayed(object);
}

nb::object call_with_care(nb::object self, PyObject* const* args, size_t n, PyObject* names) {
  const DelayedFacts& facts = facts_of(self);
  nb::object key;
  int pure = facts.pure;
  nb::list given;
  for (size_t i = 0; i < n; ++i) given.append(nb::handle(args[i]));
  nb::dict kept;
  for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); ++i) {
    const nb::handle name = PyTuple_GetItem(names, i), value = args[n + static_cast<size_t>(i)];
    const std::string_view word = nb::cast<std::string_view>(name);
    if (word == "dask_key_name")
      key = nb::borrow(value);
    else if (word == "pure")
      pure = purity(value);
    else
      kept[name] = value;
  }
  const auto* task = dynamic_cast<const PythonTask*>(task_of(self).get());
  if (facts.owner.is_valid()) {
    nb::object method = nb::module_::import_("kasoku._token").attr("methodcaller")(facts.attribute);
    return delayed_object(call_task(std::move(method), nb::make_tuple(facts.owner) + nb::tuple(given), kept,
                                    facts.attribute, std::move(key), rule_of(pure)));
  }
  nb::object function = facts.leaf.is_valid() ? facts.leaf : self;
  nb::object name = nb::borrow(task->name_object());
  if (!facts.leaf.is_valid()) name = nb::str((task->name() + "()").c_str());
  DelayedFacts result;
  result.length = facts.length;
  TaskPointer made = call_task(std::move(function), given, kept, std::move(name), std::move(key), rule_of(pure));
  return result.length < 0 ? delayed_object(std::move(made)) : delayed_object(std::move(made), std::move(result));
}

nb::object call_or_plain(PyObject* self, PyObject* const* args, size_t n, PyObject* names) {
  const DelayedFacts& facts = facts_of(self);
  bool is_simple = facts.leaf.is_valid() && facts.length < 0 && !names && rule_of(facts.pure) == KeyRule::fresh;
  for (size_t i = 0; is_simple && i < n; ++i) is_simple = is_plain(args[i]);
  if (!is_simple) return call_with_care(nb::borrow(self), args, n, names);
  const auto& value = static_cast<const ValueTask&>(*task_of(self));
  return delayed_object(
      CallTask::make_plain(facts.leaf, args, n, nullptr, nb::borrow(value.name_object()), fresh_key()));
}

Results run_released(TaskGraph graph, const RunOptions& options) try {
  const GilReleased released;
  return run(std::move(graph), options);
} catch (...) {
  end_left_calls();
  throw;
}

RunOptions run_options(int workers) {
  RunOptions options;
  options.workers = workers;
  options.lock = python_lock();
  return options;
}

/// A tuple of nodes holds their tasks as well as a share in each does, at the cost of one.
TaskGraph graph_of(nb::handle nodes, bool traverse) {
  if (PyTuple_CheckExact(nodes.ptr())) {
    const auto n = static_cast<size_t>(PyTuple_Size(nodes.ptr()));
    std::vector<const Task*> tasks = room_in_huge_pages<const Task*>(n);
    for (size_t i = 0; i < n; ++i) {
      const nb::handle node = PyTuple_GetItem(nodes.ptr(), static_cast<Py_ssize_t>(i));
      if (!is_delayed(node)) break;
      tasks.push_back(task_of(node).get());
    }
    if (tasks.size() == n) return TaskGraph(std::move(tasks), value_of(nb::borrow(nodes)));
  }
  const OneTaskPerKey together;
  return TaskGraph(tasks_of(nodes, traverse));
}

nb::tuple compute(nb::handle nodes, int workers, nb::object progress, bool traverse) {
  RunOptions options = run_options(workers);
  if (!progress.is_none())
    options.on_progress = [&](size_t done, size_t all) {
      const GilHeld gil;
      progress(done, all);
    };
  Results values = run_released(graph_of(nodes, traverse), options);
  nb::object results = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  if (!results.is_valid()) throw nb::python_error();
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SetItem(results.ptr(), static_cast<Py_ssize_t>(i), values.places.are_different() ? object_of(std::move(values.values[i])).release().ptr()
                                                : object_of(values[i]).release().ptr());
  return nb::borrow<nb::tuple>(results);
}

PyObject* function_of_tuple = nullptr;

PyObject* compute_of_tuple(PyObject*, PyObject* args, PyObject* kwargs) {
  const nb::object all = nb::steal(PyTuple_Pack(1, args));
  return all.is_valid() ? PyObject_Call(function_of_tuple, all.ptr(), kwargs) : nullptr;
}

/// ks.compute(*args) of a function that takes args as a tuple. Python copies the tuple for a function of its own, which
/// takes a third of the time that a million small tasks do.
nb::object compute_function(const std::string& signature, nb::object function) {
  static const std::string text = "compute" + signature + "\n--\n\n" + nb::cast<std::string>(function.attr("__doc__"));
  static PyMethodDef definition{
      "compute", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(compute_of_tuple)),
      METH_VARARGS | METH_KEYWORDS, text.c_str()};
  nb::object made = nb::steal(PyCFunction_NewEx(&definition, nullptr, nb::object(function.attr("__module__")).ptr()));
  if (!made.is_valid()) throw nb::python_error();
  function_of_tuple = function.release().ptr();
  return made;
}

std::string draw(nb::handle nodes, bool with_times, int workers, bool as_svg) {
  const auto text_of = as_svg ? svg_text : dot_text;
  const std::vector<TaskPointer> roots = tasks_of(nodes);
  const TaskGraph graph(roots);
  if (!with_times) return text_of(graph, nullptr);
  std::vector<TaskTime> times;
  RunOptions options = run_options(workers);
  options.times = &times;
  options.bytes_of = [](const TaskValue& value) -> uint64_t {
    if (!value.is(python_kind)) return 0;
    const GilHeld gil;
    try {
      const nb::object object = object_of(value), bytes = nb::getattr(object, "nbytes", nb::none());
      return nb::cast<uint64_t>(bytes.is_none() ? nb::module_::import_("sys").attr("getsizeof")(object) : bytes);
    } catch (std::exception&) {  // an object that does not say: nothing is shown
      return 0;
    }
  };
  run_released(TaskGraph(roots), options);
  return text_of(graph, &times);
}

/// The tasks in an order that respects their inputs: (name, key, places of inputs), for check.
nb::list describe(nb::handle nodes) {
  const TaskGraph graph(tasks_of(nodes));
  nb::list result;
  for (size_t i = 0; i < graph.size(); ++i) {
    nb::list inputs;
    for (const uint32_t from : graph.inputs(i)) inputs.append(from);
    result.append(nb::make_tuple(graph.task(i).name(), graph.task(i).key(), inputs));
  }
  return result;
}

/// Runs one task after another on the calling thread, with `around(index, call)`
/// called in place of each: check looks over the tasks' shoulders.
nb::list compute_watched(nb::handle nodes, nb::object around) {
  const TaskGraph graph(tasks_of(nodes));
  std::vector<TaskValue> values(graph.size());
  GraphDraws draws(graph.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const GraphDraws::Task place(draws, i);
    const WatchScope watched(around, i);
    values[i] = graph.task(i).run(Inputs(values.data(), graph.inputs(i)));
  }
  nb::list results;
  for (size_t i = 0; i < graph.roots().size(); ++i) results.append(object_of(values[graph.roots()[i]]));
  return results;
}

}  // namespace

KeyRule default_rule() {
  if (!settings) return KeyRule::fresh;
  static PyObject* const name = PyUnicode_InternFromString("delayed_pure");
  PyObject* said = PyDict_GetItemWithError(settings, name);
  return said && PyObject_IsTrue(said) > 0 ? KeyRule::content : KeyRule::fresh;
}

std::vector<TaskPointer> tasks_of(nb::handle nodes, bool traverse) {
  std::vector<TaskPointer> tasks;
  tasks.reserve(nb::len(nodes));
  for (nb::handle node : nodes)
    tasks.push_back(is_delayed(node)
                        ? task_of(node)
                        : task_of(make_delayed(nb::borrow(node), nb::none(), nb::none(), nb::none(), traverse)));
  return tasks;
}

PyObject* call_delayed(PyObject* self, PyObject* const* args, size_t n_and_flag, PyObject* names) {
  return guarded(
      [&] { return call_or_plain(self, args, n_and_flag & ~NB_VECTORCALL_ARGUMENTS_OFFSET, names).release().ptr(); });
}

nb::object delayed_of_graph(nb::handle key, nb::handle graph, nb::handle length, nb::handle layer) {
  DelayedFacts facts;
  nb::list keys;
  keys.append(key);
  TaskPointer task = tasks_of_graph(graph, keys).front();
  if (!length.is_none()) facts.length = nb::cast<Py_ssize_t>(length);
  facts.layer = nb::borrow(layer.is_none() ? key : layer);
  facts.graph = nb::module_::import_("kasoku._token").attr("checked_layer")(graph, facts.layer);
  return delayed_object(std::move(task), std::move(facts));
}

nb::object name_of(nb::handle object) {
  nb::object name = nb::getattr(object, "__name__", nb::none());
  if (PyUnicode_Check(name.ptr())) return name;
  const nb::handle type = object.type();
  if (nb::hasattr(type, "func") && nb::hasattr(type, "keywords")) return name_of(object.attr("func"));  // a partial
  return nb::str(nb::object(type.attr("__name__")));
}

TaskPointer call_task(nb::object function, nb::handle args, nb::handle kwargs, nb::object name, nb::object key,
                      KeyRule rule, bool traverse) {
  const OneTaskPerKey together;
  std::vector<TaskPointer> inputs;
  if (is_delayed(function)) function = take_inputs(function, inputs, true);
  nb::list taken;
  for (nb::handle argument : args) taken.append(take_inputs(argument, inputs, traverse));
  nb::dict taken_kwargs;
  if (kwargs.is_valid())
    for (auto [word, argument] : nb::borrow<nb::dict>(kwargs))
      taken_kwargs[word] = take_inputs(argument, inputs, traverse);
  TaskKey own = fresh_key();
  bool is_pure = false;
  if (key.is_valid()) {
    own.said = std::move(key);
  } else if (rule != KeyRule::fresh) {
    const bool is_deep = rule == KeyRule::content;
    const bool is_named = is_deep && !function.is(identity_function());
    const std::string content =
        fingerprint({is_named ? nb::handle(function) : nb::handle(), taken, taken_kwargs}, inputs, is_deep);
    is_pure = !content.empty();
    if (is_pure) own = said_key(std::string(nb::str(name).c_str()) + "-" + content);
  }
  return CallTask::make(function, taken, taken_kwargs, std::move(name), std::move(own), std::move(inputs), is_pure);
}

void bind_task(nb::module_& m) {
  m.def("_delayed", &make_delayed, "object"_a.none(), "name"_a.none(), "pure"_a.none(), "nout"_a.none(), "traverse"_a);
  m.def("_compute", &compute, "nodes"_a, "workers"_a, "progress"_a.none(), "traverse"_a = true);
  m.def("_compute_function", &compute_function, "signature"_a, "function"_a);
  m.def(
      "_set_task_settings", [](nb::dict said) { settings = said.release().ptr(); }, "settings"_a);
  m.def("_dot_text", &draw, "roots"_a, "with_times"_a, "workers"_a, "as_svg"_a = false);
  m.def("_describe_tasks", &describe, "roots"_a);
  m.def("_compute_watched", &compute_watched, "roots"_a, "around"_a);
}

}  // namespace kasoku
