/// \file python/src/task.h
/// Delayed values in Python: nodes of a task graph whose functions and arguments are Python objects.
/// task_call.cpp is what a task does, task_object.cpp the type of the nodes and their operators, task.cpp makes
/// and runs them, task_arguments.cpp finds them inside of arguments, task_graph.cpp reads graphs as dictionaries, as
/// Dask's specification has them, task_layers.cpp writes them, and task_grid.cpp makes those of arrays in chunks.
#pragma once

#include "kasoku/task/task.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings.h"
#include "python_value.h"

namespace kasoku {

/// A level down in a program's containers, which may hold themselves: where Python's own recursion
/// ends, RecursionError and not the end of the stack.
class OneDeeper {
 public:
  OneDeeper() {
    if (Py_EnterRecursiveCall(" in a container that holds itself or is nested too deeply")) throw nb::python_error();
  }
  ~OneDeeper() { Py_LeaveRecursiveCall(); }
  OneDeeper(const OneDeeper&) = delete;
  OneDeeper& operator=(const OneDeeper&) = delete;
};

/// Facts that only few nodes have: those that stand for a value, an attribute or an item of a graph.
struct DelayedFacts {
  nb::object leaf;         ///< the object itself, if delayed(obj) did nothing with it
  Py_ssize_t length = -1;  ///< nout
  nb::object owner;        ///< of an attribute x.name: x …
  nb::object attribute;    ///< … and name
  int pure = -1;           ///< what delayed(pure=) said: 0, 1, or -1 for nothing
  nb::object graph;        ///< the graph that Delayed(key, graph) was made from
  nb::object layer;        ///< its layer in that graph
};

bool is_delayed(nb::handle object);
/// The task of an object that is_delayed().
const TaskPointer& task_of(nb::handle object);
/// The facts of a node; a common default for those that have none of their own.
const DelayedFacts& facts_of(nb::handle object);
nb::object delayed_object(TaskPointer task);
nb::object delayed_object(TaskPointer task, DelayedFacts facts);

/// A placeholder for input i inside a stored argument. A type of its own and not a nanobind class, because lists of a
/// million nodes are made and each has one.
nb::object task_input(size_t index);
/// The number of the input that a placeholder stands for; nothing for any other object.
std::optional<size_t> index_of_input(nb::handle object);

/// A placeholder for a dataclass's instance with inputs among its fields.
struct RebuiltObject {
  nb::object original;
  nb::dict fields;
};

/// Replaces each Delayed in lists, tuples, dicts, sets, slices, named tuples and dataclasses, and each
/// collection of Dask's protocol, by its place among `inputs`; returns the object itself where there
/// is none in it.
nb::object take_inputs(nb::handle object, std::vector<TaskPointer>& inputs, bool traverse);

/// The reverse, with `value(index)` in the places.
nb::object put_values(nb::handle object, const std::function<nb::object(size_t)>& value);

/// Whether put_values() may change the object.
bool may_hold_inputs(nb::handle object);

/// The key of a task in graphs: its name and a number, or an object that the program chose, mostly a text.
struct TaskKey {
  uint64_t number = 0;
  nb::object said;
};
TaskKey fresh_key();
TaskKey said_key(const std::string& text);
std::string text_of(const TaskKey& key, const std::string& name);

/// A task of Python's. Made and gone under the GIL.
class PythonTask : public Task {
 public:
  ~PythonTask() override;
  std::string name() const override;
  std::string key() const override;
  nb::handle name_object() const { return name_; }
  /// The key as its graph has it.
  nb::object key_object() const;

 protected:
  PythonTask(nb::object name, TaskKey key, std::vector<TaskPointer> inputs, Traits traits);

 private:
  const bool is_key_said_;
  PyObject* const name_;
  const uint64_t key_;  ///< the number, or the object
};

class FreeCalls;

/// A value that is there already.
class ValueTask final : public PythonTask {
 public:
  ValueTask(nb::object value, nb::object name, TaskKey key, bool is_pure);
  ~ValueTask() override;
  TaskValue run(const Inputs& inputs) const override;
  nb::object value() const { return nb::borrow(value_); }

 private:
  PyObject* const value_;
};

/// A call that waits for its arguments. They lie behind it: the function, what is given by position, what is given by
/// name; each is an object, one that may have placeholders inside, or the number of an input, as its last bits say.
class CallTask final : public PythonTask {
 public:
  static TaskPointer make(nb::handle function, nb::handle args, nb::handle kwargs, nb::object name, TaskKey key,
                          std::vector<TaskPointer> inputs, bool is_pure);
  /// The same of a function that is there, and `n` arguments: those that are nodes become inputs, others are kept as
  /// they are.
  static TaskPointer make_plain(nb::handle function, PyObject* const* args, size_t n, PyObject* names, nb::object name,
                                TaskKey key);
  ~CallTask() override;

  TaskValue run(const Inputs& inputs) const override;
  size_t run_free(std::span<const Ready> ready) const override;

  /// The function and arguments as they were given, with a task_input() in the place of each input.
  nb::object function() const { return part(0); }
  nb::tuple args() const;
  nb::dict kwargs() const;

 private:
  CallTask(nb::object name, TaskKey key, std::vector<TaskPointer> inputs, Traits traits, PyObject* names,
           size_t n_slots);
  static CallTask* allocate(size_t n_slots, nb::object name, TaskKey key, std::vector<TaskPointer> inputs,
                            Traits traits, PyObject* names);
  PyObject** slots() { return reinterpret_cast<PyObject**>(this + 1); }
  PyObject* const* slots() const { return reinterpret_cast<PyObject* const*>(this + 1); }
  static bool is_input(PyObject* slot) { return reinterpret_cast<uintptr_t>(slot) & 1; }
  static size_t input(PyObject* slot) { return reinterpret_cast<uintptr_t>(slot) >> 1; }
  static PyObject* as_slot(size_t input) { return reinterpret_cast<PyObject*>(input << 1 | 1); }
  static bool is_nested(PyObject* slot) { return reinterpret_cast<uintptr_t>(slot) & 2; }
  static PyObject* as_nested(PyObject* object) {
    return reinterpret_cast<PyObject*>(reinterpret_cast<uintptr_t>(object) | 2);
  }
  static PyObject* object_in(PyObject* slot) {
    return reinterpret_cast<PyObject*>(reinterpret_cast<uintptr_t>(slot) & ~uintptr_t{3});
  }
  nb::object part(size_t i) const;
  bool give_numbers(const Inputs& inputs, FreeCalls& calls) const;
  PyObject* names() const { return has_names_ ? slots()[n_slots_] : nullptr; }
  size_t n_named() const { return has_names_ ? static_cast<size_t>(PyTuple_Size(names())) : 0; }

  const bool has_names_;  ///< a tuple behind the last slot: names of arguments
  const uint32_t n_slots_;
};

/// A function's name, or that of the object's type: a str.
nb::object name_of(nb::handle object);

/// A text that is equal for equal arguments. Objects other than numbers, texts and containers are asked for theirs
/// (kasoku._token) if `deep`; otherwise the result is empty.
std::string fingerprint(std::initializer_list<nb::handle> objects, const std::vector<TaskPointer>& inputs, bool deep);

/// How a call's key is found.
enum class KeyRule {
  fresh,   ///< its own
  simple,  ///< by its arguments where they are simple, else its own
  content  ///< by its arguments: equal ones are one task
};
/// The rule for calls that do not choose one: fresh, or content if the program wants that (dask.config's delayed_pure).
KeyRule default_rule();

/// A task that calls `function`, which may itself be delayed. `key`: what somebody said.
TaskPointer call_task(nb::object function, nb::handle args, nb::handle kwargs, nb::object name, nb::object key,
                      KeyRule rule, bool traverse = true);
/// A task that is a value.
TaskPointer value_task(nb::object value, nb::object name, TaskKey key, bool is_pure = false);
/// The function of a task that hands a container on.
nb::object identity_function();

/// A delayed(function) is called: the vector protocol.
PyObject* call_delayed(PyObject* self, PyObject* const* args, size_t n_and_flag, PyObject* names);
/// Delayed(key, dsk, length, layer).
nb::object delayed_of_graph(nb::handle key, nb::handle graph, nb::handle length, nb::handle layer);
/// The tasks of nodes, and of what delayed() makes of others.
std::vector<TaskPointer> tasks_of(nb::handle nodes, bool traverse = true);

/// While alive on this thread, calls go through `around(index, function, args, kwargs)`.
class WatchScope {
 public:
  WatchScope(nb::object around, size_t index);
  ~WatchScope();
  WatchScope(const WatchScope&) = delete;
  WatchScope& operator=(const WatchScope&) = delete;

 private:
  friend class CallTask;
  const nb::object around_;
  const size_t index_;
};

/// Python's lock, for a run. Tasks see the context variables that its maker has now, also those that he does not wait
/// for.
std::shared_ptr<TaskLock> python_lock();
/// Python code of runs that were left ends between two of its instructions.
void end_left_calls();

/// Tasks for `keys` of a graph as a dictionary: (function, argument, …) tuples, keys, lists, values.
std::vector<TaskPointer> tasks_of_graph(nb::handle graph, nb::handle keys);
/// While alive on this thread, a key that several collections have is one task.
class OneTaskPerKey {
 public:
  OneTaskPerKey();
  ~OneTaskPerKey();
  OneTaskPerKey(const OneTaskPerKey&) = delete;
  OneTaskPerKey& operator=(const OneTaskPerKey&) = delete;

 private:
  struct Known;
  std::unique_ptr<Known> known_;
};
/// The key of a task as its graph has it.
nb::object key_of(const Task& task);
/// Keys by nested lists of them; each adds its task to `inputs`.
nb::object take_keys(nb::handle keys, nb::handle graph, std::vector<TaskPointer>& inputs);
/// A task that computes what a collection of Dask's protocol stands for, or waits for a future of this process; null if
/// `object` is neither.
TaskPointer collection_task(nb::handle object);

}  // namespace kasoku
