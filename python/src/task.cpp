/// \file python/src/task.cpp
/// Delayed values in Python: a node of a task graph whose function and arguments
/// are Python objects. The graph and its running are kasoku/task.
#include "kasoku/task/task.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <optional>

#include "bindings.h"
#include "kasoku/base/draws.h"
#include "kasoku/base/error.h"
#include "kasoku/task/arena.h"
#include "python_value.h"

namespace kasoku {

namespace {

using namespace nb::literals;

struct Delayed {
  TaskPointer task;
  nb::object leaf;             ///< the object itself, if delayed(obj) did nothing with it
  Py_ssize_t length = -1;      ///< nout
};

std::string fresh_key(const std::string& name) {
  static std::atomic<uint64_t> count{0};
  return name + "-" + std::to_string(count.fetch_add(1));
}

std::string name_of(nb::handle object) {
  nb::object name = nb::getattr(object, "__name__", nb::none());
  if (!nb::isinstance<nb::str>(name)) name = object.type().attr("__name__");
  return nb::str(name).c_str();
}

/// A placeholder for input i inside a stored argument.
struct Input {
  size_t index;
};

bool is_named_tuple(nb::handle object) {
  return nb::isinstance<nb::tuple>(object) && nb::hasattr(object, "_fields") && nb::hasattr(object, "_make");
}

/// A slice or a named tuple of what `change` makes of its parts; the object itself if nothing changed.
template <class Change>
nb::object rebuilt(nb::handle object, Change change) {
  const bool is_slice = PySlice_Check(object.ptr());
  nb::list parts;
  bool changed = false;
  const auto add = [&](nb::handle part) {
    nb::object made = change(part);
    changed |= !made.is(part);
    parts.append(made);
  };
  if (is_slice)
    for (const char* name : {"start", "stop", "step"}) add(object.attr(name));
  else
    for (nb::handle part : nb::borrow<nb::tuple>(object)) add(part);
  if (!changed) return nb::borrow(object);
  return is_slice ? nb::object(nb::handle(reinterpret_cast<PyObject*>(&PySlice_Type))(*nb::tuple(parts)))
                  : nb::object(object.type().attr("_make")(parts));
}

/// Replaces each Delayed in lists, tuples, dicts and sets by its place among
/// `inputs`; returns the object itself where there is none in it.
nb::object take_inputs(nb::handle object, std::vector<TaskPointer>& inputs, bool traverse) {
  Delayed* delayed = nullptr;
  if (nb::try_cast(object, delayed) && delayed) {
    if (delayed->leaf.is_valid()) return delayed->leaf;
    inputs.push_back(delayed->task);
    return nb::cast(Input{inputs.size() - 1});
  }
  if (!traverse) return nb::borrow(object);
  const size_t before = inputs.size();
  nb::handle type = object.type();
  if (type.is(nb::handle((PyObject*)&PyList_Type)) || type.is(nb::handle((PyObject*)&PyTuple_Type)) ||
      type.is(nb::handle((PyObject*)&PySet_Type))) {
    nb::list items;
    bool changed = false;
    for (nb::handle item : object) {
      nb::object kept = take_inputs(item, inputs, traverse);
      changed |= !kept.is(item);
      items.append(kept);
    }
    if (!changed && inputs.size() == before) return nb::borrow(object);
    return nb::object(type(items));
  }
  if (type.is(nb::handle((PyObject*)&PyDict_Type))) {
    nb::dict items;
    bool changed = false;
    for (auto [key, item] : nb::borrow<nb::dict>(object)) {
      nb::object kept_key = take_inputs(key, inputs, traverse), kept = take_inputs(item, inputs, traverse);
      changed |= !kept.is(item) || !kept_key.is(key);
      items[kept_key] = kept;
    }
    if (!changed && inputs.size() == before) return nb::borrow(object);
    return items;
  }
  if (PySlice_Check(object.ptr()) || is_named_tuple(object))
    return rebuilt(object, [&](nb::handle item) { return take_inputs(item, inputs, traverse); });
  return nb::borrow(object);
}

/// The reverse, with the values in place.
nb::object put_values(nb::handle object, std::span<const Value> values) {
  Input* input = nullptr;
  if (nb::try_cast(object, input) && input) return object_of(values[input->index]);
  nb::handle type = object.type();
  if (type.is(nb::handle((PyObject*)&PyList_Type)) || type.is(nb::handle((PyObject*)&PyTuple_Type)) ||
      type.is(nb::handle((PyObject*)&PySet_Type))) {
    nb::list items;
    bool changed = false;
    for (nb::handle item : object) {
      nb::object value = put_values(item, values);
      changed |= !value.is(item);
      items.append(value);
    }
    return changed ? nb::object(type(items)) : nb::borrow(object);
  }
  if (type.is(nb::handle((PyObject*)&PyDict_Type))) {
    nb::dict items;
    bool changed = false;
    for (auto [key, item] : nb::borrow<nb::dict>(object)) {
      nb::object found = put_values(key, values), value = put_values(item, values);
      changed |= !value.is(item) || !found.is(key);
      items[found] = value;
    }
    return changed ? nb::object(std::move(items)) : nb::borrow(object);
  }
  if (PySlice_Check(object.ptr()) || is_named_tuple(object))
    return rebuilt(object, [&](nb::handle item) { return put_values(item, values); });
  return nb::borrow(object);
}

/// While alive on this thread, calls go through `around(index, function, args, kwargs)`.
struct WatchScope {
  WatchScope(nb::object around, size_t index) : around(std::move(around)), index(index) { current = this; }
  ~WatchScope() { current = nullptr; }
  nb::object around;
  size_t index;
  static thread_local WatchScope* current;
};
thread_local WatchScope* WatchScope::current = nullptr;

nb::object invoke(const nb::object& function, const nb::object& args, const nb::object& kwargs) {
  if (WatchScope::current) return WatchScope::current->around(WatchScope::current->index, function, args, kwargs);
  return function(*args, **kwargs);
}

/// A call that waits for its arguments. Holds Python objects: destroyed under the GIL.
struct Call {
  nb::object function, args, kwargs;
  bool has_inputs;
  ~Call() {
    nb::gil_scoped_acquire gil;
    function.reset();
    args.reset();
    kwargs.reset();
  }
};

Delayed delay_call(nb::object function, nb::handle args, nb::handle kwargs, std::string name,
                   std::string key, bool traverse = true) {
  std::vector<TaskPointer> inputs;
  Delayed* delayed_function = nullptr;
  if (nb::try_cast(function, delayed_function) && delayed_function)
    function = take_inputs(function, inputs, true);
  nb::list taken;
  for (nb::handle argument : args) taken.append(take_inputs(argument, inputs, traverse));
  nb::dict taken_kwargs;
  if (kwargs.is_valid())
    for (auto [name, argument] : nb::borrow<nb::dict>(kwargs))
      taken_kwargs[name] = take_inputs(argument, inputs, traverse);
  const bool has_inputs = !inputs.empty();
  auto call = std::make_shared<Call>(std::move(function), nb::tuple(taken), std::move(taken_kwargs),
                                     has_inputs);
  auto work = [call](std::span<const Value> values) -> Value {
    nb::gil_scoped_acquire gil;
    if (!call->has_inputs) return value_of(invoke(call->function, call->args, call->kwargs));
    nb::object function = put_values(call->function, values);
    nb::object args = put_values(call->args, values);
    nb::object kwargs = put_values(call->kwargs, values);
    return value_of(invoke(function, args, kwargs));
  };
  if (key.empty()) key = fresh_key(name);
  return {std::make_shared<Task>(std::move(name), std::move(key), std::move(work), std::move(inputs)), {}, -1};
}

/// The graph node of any Delayed; a leaf gets one that returns the object.
TaskPointer task_of(const Delayed& delayed) {
  if (!delayed.leaf.is_valid()) return delayed.task;
  auto value = value_of(delayed.leaf);
  const std::string name = name_of(delayed.leaf);
  return std::make_shared<Task>(name, fresh_key(name), [value](std::span<const Value>) { return value; },
                                std::vector<TaskPointer>{});
}

nb::object identity(nb::object value) { return value; }

Delayed make_delayed(nb::object object, nb::object name, nb::object pure, nb::object nout, bool traverse) {
  Delayed* already = nullptr;
  if (nb::try_cast(object, already) && already) return *already;
  Py_ssize_t length = -1;
  if (!nout.is_none()) {
    if (!nb::isinstance<nb::int_>(nout) || nb::cast<Py_ssize_t>(nout) < 0)
      throw Error(ErrorKind::value, "delayed: nout is a non-negative integer or None, not " +
                                        nb::cast<std::string>(nb::repr(nout)));
    length = nb::cast<Py_ssize_t>(nout);
  }
  std::vector<TaskPointer> inputs;
  nb::object taken = traverse ? take_inputs(object, inputs, true) : object;
  if (inputs.empty()) return {nullptr, object, length};
  static nb::object* pass = new nb::object(nb::cpp_function(identity));
  const std::string label = name_of(object);
  Delayed result = delay_call(*pass, nb::make_tuple(object), {}, label,
                              name.is_none() ? "" : nb::cast<std::string>(name));
  result.length = length;
  return result;
}

Delayed call_delayed(const Delayed& self, nb::args args, nb::kwargs kwargs) {
  std::string key;
  nb::dict kept;
  for (auto [name, value] : kwargs) {
    const std::string word = nb::cast<std::string>(name);
    if (word == "dask_key_name")
      key = nb::cast<std::string>(value);
    else if (word != "pure")
      kept[name] = value;
  }
  nb::object function = self.leaf.is_valid() ? self.leaf : nb::cast(self);
  const std::string name = self.leaf.is_valid() ? name_of(self.leaf) : self.task->name + "()";
  Delayed result = delay_call(std::move(function), args, kept, name, std::move(key));
  result.length = self.length;
  return result;
}

/// Runs the roots; Python sees signals about twenty times a second.
nb::list compute(const std::vector<Delayed>& roots, int workers, nb::object progress,
                 std::vector<TaskTime>* times) {
  std::vector<TaskPointer> tasks;
  for (const Delayed& root : roots) tasks.push_back(task_of(root));
  std::vector<Value> values;
  {
    nb::gil_scoped_release released;
    TaskGraph graph(tasks);
    RunOptions options;
    options.workers = workers;
    options.times = times;
    options.on_progress = [&](size_t done, size_t all) {
      nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!progress.is_none()) progress(done, all);
    };
    values = run(graph, options);
  }
  nb::list results;
  for (const Value& value : values) results.append(object_of(value));
  return results;
}

std::string draw(const std::vector<Delayed>& roots, bool with_times, int workers, bool as_svg) {
  const auto text_of = as_svg ? svg_text : dot_text;
  std::vector<TaskPointer> tasks;
  for (const Delayed& root : roots) tasks.push_back(task_of(root));
  TaskGraph graph(tasks);
  if (!with_times) return text_of(graph, nullptr);
  std::vector<TaskTime> times;
  RunOptions options;
  options.workers = workers;
  options.times = &times;
  nb::gil_scoped_release released;
  run(graph, options);
  return text_of(graph, &times);
}

/// Threads for concurrent.futures-shaped use; the Future is Python's own.
class PoolCore {
 public:
  explicit PoolCore(int workers) : arena_(std::make_unique<Arena>(workers)) {}
  ~PoolCore() {
    nb::gil_scoped_release released;  // the threads may want the GIL to end
    arena_.reset();
  }

  void submit(nb::object future, nb::object function, nb::object args, nb::object kwargs) {
    struct Job {
      nb::object future, function, args, kwargs;
    };
    auto* job = new Job{std::move(future), std::move(function), std::move(args), std::move(kwargs)};
    arena_->enqueue([job] {
      nb::gil_scoped_acquire gil;
      std::unique_ptr<Job> owned(job);
      try {
        if (!nb::cast<bool>(job->future.attr("set_running_or_notify_cancel")())) return;
        nb::object result;
        try {
          result = job->function(*job->args, **job->kwargs);
        } catch (nb::python_error& error) {
          job->future.attr("set_exception")(error.value());
          return;
        }
        job->future.attr("set_result")(result);
      } catch (nb::python_error& error) {
        error.discard_as_unraisable("kasoku.Pool");
      }
    });
  }

  int workers() const { return arena_->workers(); }

 private:
  std::unique_ptr<Arena> arena_;
};

/// The tasks in an order that respects their inputs: (name, function, args,
/// kwargs, input indices), for check; a place in args is a TaskInput.
nb::list describe(const std::vector<Delayed>& roots) {
  std::vector<TaskPointer> tasks;
  for (const Delayed& root : roots) tasks.push_back(task_of(root));
  TaskGraph graph(tasks);
  nb::list result;
  for (const auto& entry : graph.entries()) result.append(nb::make_tuple(entry.task->name, entry.task->key, entry.inputs));
  return result;
}

/// Runs one task after another on the calling thread, with `around(index, call)`
/// called in place of each: check looks over the tasks' shoulders.
nb::list compute_watched(const std::vector<Delayed>& roots, nb::object around) {
  std::vector<TaskPointer> tasks;
  for (const Delayed& root : roots) tasks.push_back(task_of(root));
  TaskGraph graph(tasks);
  std::vector<Value> values(graph.entries().size());
  GraphDraws draws;
  for (size_t i = 0; i < values.size(); ++i) {
    const GraphDraws::Task place(draws, i);
    std::vector<Value> inputs;
    for (uint32_t from : graph.entries()[i].inputs) inputs.push_back(values[from]);
    const Task& task = *graph.entries()[i].task;
    WatchScope watched(around, i);
    values[i] = task.work(inputs);
  }
  nb::list results;
  for (uint32_t root : graph.roots()) results.append(object_of(values[root]));
  return results;
}

using BinaryNames = const char* const[];
constexpr BinaryNames binary_operators = {"add", "sub", "mul", "truediv", "floordiv", "mod", "pow",
                                          "matmul", "lshift", "rshift", "and", "or", "xor"};
constexpr BinaryNames comparisons = {"lt", "le", "eq", "ne", "gt", "ge"};
constexpr BinaryNames unary_operators = {"neg", "pos", "abs", "invert"};

/// A node that applies operator.NAME.
Delayed apply_operator(const std::string& name, nb::tuple args) {
  std::string function = name;
  if (name == "and" || name == "or") function += '_';
  return delay_call(nb::module_::import_("operator").attr(function.c_str()), args, {}, name, "");
}

[[noreturn]] void refuse(const char* what, const char* fix) {
  throw Error(ErrorKind::type, what).fix(fix);
}

void bind_operators(nb::class_<Delayed>& type) {
  for (const char* name : binary_operators) {
    const std::string word = name;
    type.def(("__" + word + "__").c_str(), [word](nb::object a, nb::object b) {
      return apply_operator(word, nb::make_tuple(a, b));
    }, nb::is_operator());
    type.def(("__r" + word + "__").c_str(), [word](nb::object a, nb::object b) {
      return apply_operator(word, nb::make_tuple(b, a));
    }, nb::is_operator());
  }
  for (const char* name : comparisons) {
    const std::string word = name;
    type.def(("__" + word + "__").c_str(), [word](nb::object a, nb::object b) {
      return apply_operator(word, nb::make_tuple(a, b));
    }, nb::is_operator());
  }
  for (const char* name : unary_operators) {
    const std::string word = name;
    type.def(("__" + word + "__").c_str(), [word](nb::object a) { return apply_operator(word, nb::make_tuple(a)); });
  }
  type.def("__getitem__", [](nb::object self, nb::object key) {
    return apply_operator("getitem", nb::make_tuple(self, key));
  });
}

}  // namespace

void bind_task(nb::module_& m) {
  nb::class_<Input>(m, "_TaskInput").def_ro("index", &Input::index);

  auto type = nb::class_<Delayed>(m, "Delayed", nb::is_weak_referenceable(),
                                  "A value that is computed later: a node of a task graph.\n\n"
                                  "Made by kasoku.delayed. Immutable; calling it, indexing it, reading an\n"
                                  "attribute and arithmetic make further nodes.");
  type.def("__call__", &call_delayed)
      .def("__getattr__", [](nb::object self, const std::string& name) -> nb::object {
        const nb::object& leaf = nb::cast<Delayed&>(self).leaf;
        if (leaf.is_valid() && (name == "__name__" || name == "__qualname__" || name == "__wrapped__"))
          return name == "__wrapped__" ? leaf : nb::object(nb::getattr(leaf, name.c_str()));
        if (name.starts_with("_") || name.starts_with("dask"))
          throw nb::attribute_error(("Delayed has no attribute '" + name + "'").c_str());
        return nb::cast(delay_call(nb::module_::import_("builtins").attr("getattr"),
                                   nb::make_tuple(self, name), {}, name, ""));
      })
      .def("__bool__", [](const Delayed&) -> bool {
        refuse("a Delayed value has no truth yet", "call .compute() first");
      })
      .def("__len__", [](const Delayed& self) -> Py_ssize_t {
        if (self.length < 0) refuse("a Delayed value has no length yet", "give delayed(..., nout=n), or call .compute() first");
        return self.length;
      })
      .def("__iter__", [](nb::object self) -> nb::object {
        const Py_ssize_t length = nb::cast<Delayed&>(self).length;
        if (length < 0) refuse("a Delayed value of unknown length cannot be iterated", "give delayed(..., nout=n), or call .compute() first");
        nb::list items;
        for (Py_ssize_t i = 0; i < length; ++i) items.append(self.attr("__getitem__")(i));
        return items.attr("__iter__")();
      })
      .def("__setitem__", [](const Delayed&, nb::handle, nb::handle) { refuse("Delayed objects are immutable", "compute it first, or do this in a delayed function"); })
      .def("__hash__", [](nb::handle self) { return reinterpret_cast<Py_ssize_t>(self.ptr()) >> 4; })
      .def("__repr__", [](const Delayed& self) {
        return self.leaf.is_valid() ? "Delayed(" + name_of(self.leaf) + ")" : "Delayed('" + self.task->key + "')";
      })
      .def_prop_ro("key", [](const Delayed& self) { return self.leaf.is_valid() ? name_of(self.leaf) : self.task->key; })
      .def_prop_ro("_leaf", [](const Delayed& self) -> nb::object { return self.leaf.is_valid() ? self.leaf : nb::none(); });
  bind_operators(type);

  m.def("_delayed", &make_delayed, "object"_a, "name"_a.none(), "pure"_a.none(), "nout"_a.none(), "traverse"_a);
  m.def("_compute", [](const std::vector<Delayed>& roots, int workers, nb::object progress) {
    return compute(roots, workers, progress, nullptr);
  }, "roots"_a, "workers"_a, "progress"_a.none());
  m.def("_dot_text", &draw, "roots"_a, "with_times"_a, "workers"_a, "as_svg"_a = false);
  m.def("_describe_tasks", &describe, "roots"_a);
  m.def("_compute_watched", &compute_watched, "roots"_a, "around"_a);
  nb::class_<PoolCore>(m, "_PoolCore")
      .def(nb::init<int>())
      .def("submit", &PoolCore::submit)
      .def_prop_ro("workers", &PoolCore::workers);
}

}  // namespace kasoku
