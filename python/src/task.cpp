/// \file python/src/task.cpp
/// Delayed values in Python: a node of a task graph whose function and arguments
/// are Python objects. The graph and its running are kasoku/task.
#include "task.h"

#include "array_object.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>

#include "kasoku/base/draws.h"
#include "kasoku/base/error.h"
#include "kasoku/base/interrupt.h"

namespace kasoku {

namespace {

using namespace nb::literals;

/// While alive on this thread, calls go through `around(index, function, args, kwargs)`.
struct WatchScope {
  WatchScope(nb::object around, size_t index) : around(std::move(around)), index(index) { current = this; }
  ~WatchScope() { current = nullptr; }
  nb::object around;
  size_t index;
  static thread_local WatchScope* current;
};
thread_local WatchScope* WatchScope::current = nullptr;

/// While alive on this thread, a call runs in a copy of these context variables: those of whoever computes.
struct ContextScope {
  explicit ContextScope(nb::handle context) { current = context; }
  ~ContextScope() { current = nb::handle(); }
  static thread_local nb::handle current;
};
thread_local nb::handle ContextScope::current;

nb::object invoke(const nb::object& function, const nb::object& args, const nb::object& kwargs) {
  if (const nb::handle context = std::exchange(ContextScope::current, nb::handle()); context.is_valid())
    return context.attr("copy")().attr("run")(function, *args, **kwargs);
  if (WatchScope::current) return WatchScope::current->around(WatchScope::current->index, function, args, kwargs);
  return function(*args, **kwargs);
}

/// While alive, this thread runs a program's function in a task. If the run was left, by Ctrl-C mostly,
/// such functions end between two of their instructions.
class RunningCall {
 public:
  RunningCall() {
    const std::lock_guard lock(mutex());
    all().push_back(this);
  }
  ~RunningCall() {
    const std::lock_guard lock(mutex());
    std::erase(all(), this);
    if (is_told_) PyThreadState_SetAsyncExc(thread_, nullptr);  // it ended before it heard
  }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

  bool is_left() const { return run_is_left_ && *run_is_left_; }

  static void end_left() {
    const std::lock_guard lock(mutex());
    for (RunningCall* call : all())
      if (call->is_left()) call->is_told_ = PyThreadState_SetAsyncExc(call->thread_, PyExc_KeyboardInterrupt) > 0;
  }

 private:
  static std::mutex& mutex() {
    static auto* mutex = new std::mutex;  // threads may hold it at the process's end
    return *mutex;
  }
  static std::vector<RunningCall*>& all() {
    static auto* all = new std::vector<RunningCall*>;
    return *all;
  }

  const std::atomic<bool>* const run_is_left_ = InterruptScope::current();
  const unsigned long thread_ = PyThread_get_thread_ident();
  bool is_told_ = false;
};

nb::object identity(nb::object value) { return value; }

/// Whether calls are pure where nobody says (dask.config's delayed_pure).
std::atomic<bool> is_pure_by_default{false};

KeyRule rule_of(int pure) {
  return pure < 0 ? (is_pure_by_default ? KeyRule::content : KeyRule::fresh) : pure ? KeyRule::content : KeyRule::fresh;
}

int purity(nb::handle pure) { return pure.is_none() ? -1 : PyObject_IsTrue(pure.ptr()); }

Delayed make_delayed(nb::object object, nb::object name, nb::object pure, nb::object nout, bool traverse) {
  if (const Array* array = array_of(object);
      array && array->waits_on_shared()) {  // the task may run after the statement
    const GilReleased release;
    array->data_for_read();
  }
  Delayed result;
  if (!nout.is_none()) {
    if (!PyLong_CheckExact(nout.ptr()) || nb::cast<Py_ssize_t>(nout) < 0)
      throw Error(ErrorKind::value, "delayed: nout is a non-negative integer or None, not " +
                                        nb::cast<std::string>(nb::repr(nout)));
    result.length = nb::cast<Py_ssize_t>(nout);
  }
  result.pure = purity(pure);
  const KeyRule rule = rule_of(result.pure);
  const std::string label = name_of(object), key = name.is_none() ? "" : nb::cast<std::string>(name);
  std::vector<TaskPointer> inputs;
  nb::object taken = traverse ? take_inputs(object, inputs, true) : object;
  if (!traverse) {
    result.task = collection_task(object);
    if (result.task) return result;
  }
  if (!inputs.empty()) {
    nb::object content = traverse && inputs.size() == 1 && nb::isinstance<TaskInput>(taken) ? nb::object() : taken;
    result.task = content.is_valid() ? call_task(identity_function(), nb::make_tuple(object), {}, label, key, rule)
                                     : inputs[0];
    return result;
  }
  // An iterator was made a list to look into it.
  result.leaf = PyIter_Check(object.ptr()) && PyList_CheckExact(taken.ptr()) ? taken : object;
  const bool is_pure = rule == KeyRule::content;
  const std::string own =
      !key.empty() ? key : is_pure ? label + "-" + fingerprint({result.leaf}, inputs, true) : fresh_key(label);
  result.task = value_task(result.leaf, label, own, false);
  return result;
}

/// a.name of a delayed a, a task of its own only when its value is wanted.
Delayed attribute_of(nb::object self, const std::string& name) {
  Delayed result;
  result.task = call_task(nb::module_::import_("builtins").attr("getattr"), nb::make_tuple(self, name), {}, name, "",
                          KeyRule::content);
  result.owner = std::make_shared<const Delayed>(nb::cast<const Delayed&>(self));
  result.attribute = name;
  return result;
}

Delayed call_delayed(nb::object self_object, nb::args args, nb::kwargs kwargs) {
  const auto& self = nb::cast<const Delayed&>(self_object);
  nb::object key_object;
  int pure = self.pure;
  nb::dict kept;
  for (auto [name, value] : kwargs) {
    const std::string_view word = nb::cast<std::string_view>(name);
    if (word == "dask_key_name")
      key_object = nb::borrow(value);
    else if (word == "pure")
      pure = purity(value);
    else
      kept[name] = value;
  }
  const std::string key = key_object.is_valid() ? nb::str(key_object).c_str() : "";
  if (key_object.is_valid() && nb::isinstance<nb::str>(key_object)) key_object.reset();
  Delayed result;
  if (self.owner) {
    nb::object method = nb::module_::import_("kasoku._token").attr("methodcaller")(self.attribute);
    result.task = call_task(std::move(method), nb::make_tuple(*self.owner) + args, kept, self.attribute, key,
                            rule_of(pure), std::move(key_object));
    return result;
  }
  nb::object function = self.leaf.is_valid() ? self.leaf : self_object;
  const std::string name = self.leaf.is_valid() ? self.task->name : self.task->name + "()";
  result.task = call_task(std::move(function), args, kept, name, key, rule_of(pure), std::move(key_object));
  result.length = self.length;
  return result;
}

/// Delayed(key, graph): what `key` stands for in a graph as a dictionary.
Delayed from_graph(nb::object key, nb::object graph, nb::object length, nb::object layer) {
  Delayed result;
  nb::list keys;
  keys.append(key);
  result.task = tasks_of_graph(graph, keys).front();
  if (!length.is_none()) result.length = nb::cast<Py_ssize_t>(length);
  result.layer = layer.is_none() ? key : layer;
  result.graph = nb::module_::import_("kasoku._token").attr("checked_layer")(graph, result.layer);
  return result;
}

std::vector<Value> run_released(TaskGraph graph, const RunOptions& options) try {
  const GilReleased released;
  return run(std::move(graph), options);
} catch (...) {
  RunningCall::end_left();
  throw;
}

TaskGraph graph_of(const std::vector<Delayed>& roots) {
  std::vector<TaskPointer> tasks;
  for (const Delayed& root : roots) tasks.push_back(root.task);
  return TaskGraph(tasks);
}

/// Tasks see the context variables that the caller has now, also those that he does not wait for.
RunOptions run_options(int workers) {
  RunOptions options;
  options.workers = workers;
  options.work = [context = value_of(nb::module_::import_("contextvars").attr("copy_context")())](
                     const Task& task, std::span<const Value> inputs) {
    const ContextScope scope(static_cast<PyObject*>(context.get()));
    return task.work(inputs);
  };
  return options;
}

nb::list compute(const std::vector<Delayed>& roots, int workers, nb::object progress) {
  RunOptions options = run_options(workers);
  if (!progress.is_none())
    options.on_progress = [&](size_t done, size_t all) {
      const GilHeld gil;
      progress(done, all);
    };
  nb::list results;
  for (const Value& value : run_released(graph_of(roots), options)) results.append(object_of(value));
  return results;
}

std::string draw(const std::vector<Delayed>& roots, bool with_times, int workers, bool as_svg) {
  const auto text_of = as_svg ? svg_text : dot_text;
  const TaskGraph graph = graph_of(roots);
  if (!with_times) return text_of(graph, nullptr);
  std::vector<TaskTime> times;
  RunOptions options = run_options(workers);
  options.times = &times;
  run_released(graph, options);
  return text_of(graph, &times);
}

/// The tasks in an order that respects their inputs: (name, function, args,
/// kwargs, input indices), for check; a place in args is a TaskInput.
nb::list describe(const std::vector<Delayed>& roots) {
  const TaskGraph graph = graph_of(roots);
  nb::list result;
  for (const auto& entry : graph.entries()) result.append(nb::make_tuple(entry.task->name, entry.task->key, entry.inputs));
  return result;
}

/// Runs one task after another on the calling thread, with `around(index, call)`
/// called in place of each: check looks over the tasks' shoulders.
nb::list compute_watched(const std::vector<Delayed>& roots, nb::object around) {
  const TaskGraph graph = graph_of(roots);
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

/// A node that applies operator.NAME: the same to the same is one task.
Delayed apply_operator(const std::string& name, nb::tuple args) {
  std::string function = name;
  if (name == "and" || name == "or") function += '_';
  Delayed result;
  result.task = call_task(nb::module_::import_("operator").attr(function.c_str()), args, {}, name, "", KeyRule::simple);
  return result;
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

/// What asking for an attribute gives that the class does not have.
nb::object attribute(nb::object self, const std::string& name) {
  const auto& delayed = nb::cast<const Delayed&>(self);
  const nb::object& leaf = delayed.leaf;
  if (leaf.is_valid() && (name == "__name__" || name == "__qualname__" || name == "__wrapped__"))
    return name == "__wrapped__" ? leaf : nb::object(nb::getattr(leaf, name.c_str()));
  // NumPy asks for the dtype of a dtype without end.
  if (name.starts_with("_") || (name == "dtype" && delayed.attribute == name))
    throw nb::attribute_error(("Delayed has no attribute '" + name + "'").c_str());
  if (name == "visualise")
    PyErr_WarnEx(PyExc_UserWarning,
                 "dask.delayed objects have no `visualise` method: a task that calls it is made. "
                 "Perhaps you meant `visualize`?", 1);
  return nb::cast(attribute_of(std::move(self), name));
}

nb::object own_key(const Delayed& self) { return key_of(*self.task); }

void bind_facts(nb::class_<Delayed>& type) {
  type.def_prop_ro("key", &own_key)
      .def_prop_ro("_key", &own_key)
      .def_prop_ro("_leaf",
                   [](const Delayed& self) -> nb::object { return self.leaf.is_valid() ? self.leaf : nb::none(); })
      .def_prop_ro("_is_leaf", [](const Delayed& self) { return self.leaf.is_valid(); })
      .def_prop_ro("_obj",
                   [](const Delayed& self) -> nb::object {
                     return self.owner ? nb::cast(*self.owner) : self.leaf.is_valid() ? self.leaf : nb::none();
                   })
      .def_prop_ro("_attr",
                   [](const Delayed& self) -> nb::object { return self.owner ? nb::cast(self.attribute) : nb::none(); })
      .def_prop_ro("_length",
                   [](const Delayed& self) -> nb::object {
                     return self.length < 0 || self.leaf.is_valid() ? nb::none() : nb::cast(self.length);
                   })
      .def_prop_ro(
          "_nout",
          [](const Delayed& self) -> nb::object { return self.length < 0 ? nb::none() : nb::cast(self.length); })
      .def_prop_ro(
          "_pure",
          [](const Delayed& self) -> nb::object { return self.pure < 0 ? nb::none() : nb::cast(self.pure != 0); })
      .def_prop_ro("_graph",
                   [](const Delayed& self) -> nb::object { return self.graph.is_valid() ? self.graph : nb::none(); })
      .def_prop_ro("_layer",
                   [](const Delayed& self) { return self.graph.is_valid() ? self.layer : key_of(*self.task); });
}

}  // namespace

Call::~Call() {
  if (is_python_gone()) {
    for (nb::object* left : {&function, &args, &kwargs, &key}) left->release();
    return;
  }
  const GilHeld gil;
  function.reset();
  args.reset();
  kwargs.reset();
  key.reset();
}

Delayed::~Delayed() {
  for (std::shared_ptr<const Delayed> next = std::move(owner); next && next.use_count() == 1;)
    next = std::move(const_cast<Delayed&>(*next).owner);
}

Value CallWork::operator()(std::span<const Value> values) const {
  const GilHeld gil;
  const RunningCall running;
  try {
    if (!call->has_inputs) return value_of(invoke(call->function, call->args, call->kwargs));
    const auto value = [&](size_t index) { return object_of(values[index]); };
    nb::object function = put_values(call->function, value);
    nb::object args = put_values(call->args, value);
    nb::object kwargs = put_values(call->kwargs, value);
    return value_of(invoke(function, args, kwargs));
  } catch (nb::python_error&) {
    if (!running.is_left()) throw;
    throw Error(ErrorKind::interrupted, "interrupted");  // Python's own goes while the GIL is held
  }
}

std::string fresh_key(const std::string& name) {
  // Odd multiples of a number never repeat; where they begin differs between processes, also between
  // forked ones, for graphs that travel.
  static std::atomic<uint64_t> count{0}, start{0};
  static const int at_fork = [] {
    const auto begin = [] { start = std::random_device{}() * uint64_t{0x9e3779b97f4a7c15}; };
    begin();
    return pthread_atfork(nullptr, nullptr, begin);
  }();
  static_cast<void>(at_fork);
  const uint64_t number = start + count.fetch_add(1) * 0xbf58476d1ce4e5b9;
  char digits[] = "-0000000000000000";
  for (int i = 0; i < 16; ++i) digits[16 - i] = "0123456789abcdef"[number >> 4 * i & 15];
  return name + std::string(digits);
}

std::string name_of(nb::handle object) {
  const nb::handle type = object.type();
  if (nb::hasattr(type, "func") && nb::hasattr(type, "keywords")) return name_of(object.attr("func"));  // a partial
  nb::object name = nb::getattr(object, "__name__", nb::none());
  if (!nb::isinstance<nb::str>(name)) name = object.type().attr("__name__");
  return nb::str(name).c_str();
}

nb::object identity_function() {
  static auto* function = new nb::object(nb::cpp_function(identity, nb::arg().none()));
  return *function;
}

TaskPointer value_task(nb::object value, std::string name, std::string key, bool is_pure, nb::object key_object) {
  ValueWork work{value_of(std::move(value)), key_object.is_valid() ? value_of(std::move(key_object)) : nullptr};
  return std::make_shared<Task>(std::move(name), std::move(key), std::move(work), std::vector<TaskPointer>{}, is_pure);
}

TaskPointer call_task(nb::object function, nb::handle args, nb::handle kwargs, std::string name, std::string key,
                      KeyRule rule, nb::object key_object, bool traverse) {
  std::vector<TaskPointer> inputs;
  if (nb::isinstance<Delayed>(function)) function = take_inputs(function, inputs, true);
  nb::list taken;
  for (nb::handle argument : args) taken.append(take_inputs(argument, inputs, traverse));
  nb::dict taken_kwargs;
  if (kwargs.is_valid())
    for (auto [word, argument] : nb::borrow<nb::dict>(kwargs))
      taken_kwargs[word] = take_inputs(argument, inputs, traverse);
  bool is_pure = false;
  if (key.empty() && rule != KeyRule::fresh) {
    const bool is_deep = rule == KeyRule::content;
    const bool is_named = is_deep && !function.is(identity_function());
    const std::string content = fingerprint({is_named ? nb::handle(function) : nb::handle(), taken, taken_kwargs}, inputs, is_deep);
    is_pure = !content.empty();
    if (is_pure) key = name + "-" + content;
  }
  if (key.empty()) key = fresh_key(name);
  const bool has_inputs = !inputs.empty();
  auto call = std::make_shared<Call>(std::move(function), nb::tuple(taken), std::move(taken_kwargs),
                                     std::move(key_object), has_inputs);
  return std::make_shared<Task>(std::move(name), std::move(key), CallWork{std::move(call)}, std::move(inputs), is_pure);
}

void bind_task(nb::module_& m) {
  auto type = nb::class_<Delayed>(m, "Delayed", nb::is_weak_referenceable(),
                                  "A value that is computed later: a node of a task graph.\n\n"
                                  "Made by kasoku.delayed. Immutable; calling it, indexing it, reading an\n"
                                  "attribute and arithmetic make further nodes.");
  type.def(nb::new_(&from_graph), "key"_a, "dsk"_a, "length"_a.none() = nb::none(), "layer"_a.none() = nb::none())
      .def("__call__", &call_delayed)
      .def("__getattr__", &attribute)
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
      .def("__repr__", [](const Delayed& self) { return std::string("Delayed(") + nb::repr(key_of(*self.task)).c_str() + ")"; });
  bind_facts(type);
  bind_operators(type);

  m.def("_delayed", [](nb::object object, nb::object name, nb::object pure, nb::object nout, bool traverse) -> nb::object {
    if (nb::isinstance<Delayed>(object)) return object;
    return nb::cast(make_delayed(std::move(object), name, pure, nout, traverse));
  }, "object"_a.none(), "name"_a.none(), "pure"_a.none(), "nout"_a.none(), "traverse"_a);
  m.def(
      "_compute",
      [](const std::vector<Delayed>& roots, int workers, nb::object progress) {
        return compute(roots, workers, progress);
      },
      "roots"_a, "workers"_a, "progress"_a.none());
  m.def("_set_pure_by_default", [](bool pure) { is_pure_by_default = pure; }, "pure"_a);
  m.def("_dot_text", &draw, "roots"_a, "with_times"_a, "workers"_a, "as_svg"_a = false);
  m.def("_describe_tasks", &describe, "roots"_a);
  m.def("_compute_watched", &compute_watched, "roots"_a, "around"_a);
}

}  // namespace kasoku
