/// \file python/src/task.h
/// Delayed values in Python: nodes of a task graph whose functions and arguments are Python objects.
/// task.cpp makes and runs them, task_arguments.cpp finds them inside of arguments, task_graph.cpp reads
/// graphs as dictionaries, as Dask's specification has them, and task_layers.cpp writes them.
#pragma once

#include "kasoku/task/task.h"

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

struct Delayed {
  TaskPointer task;
  nb::object leaf;             ///< the object itself, if delayed(obj) did nothing with it
  Py_ssize_t length = -1;      ///< nout
  std::shared_ptr<const Delayed> owner;  ///< of an attribute x.name: x …
  std::string attribute;       ///< … and name
  int pure = -1;               ///< what delayed(pure=) said: 0, 1, or -1 for nothing
  nb::object graph;            ///< the graph that Delayed(key, graph) was made from
  nb::object layer;            ///< its layer in that graph

  Delayed() = default;
  Delayed(const Delayed&) = default;
  Delayed(Delayed&&) = default;
  /// A chain of attributes ends here without recursion.
  ~Delayed();
};

/// A placeholder for input i inside a stored argument.
struct TaskInput {
  size_t index;
};

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

/// A call that waits for its arguments. Holds Python objects: destroyed under the GIL.
struct Call {
  nb::object function, args, kwargs;
  nb::object key;  ///< if it is no string
  bool has_inputs;
  ~Call();
};

/// What a task does: the call, with the inputs' values in their places.
struct CallWork {
  std::shared_ptr<Call> call;
  Value operator()(std::span<const Value> values) const;
};

/// Or a value that is there already.
struct ValueWork {
  Value value, key;
  Value operator()(std::span<const Value>) const { return value; }
};

/// A function's name, or that of the object's type.
std::string name_of(nb::handle object);
std::string fresh_key(const std::string& name);

/// The same text for the same arguments. Objects other than numbers, texts and containers are asked
/// for theirs (kasoku._token) if `deep`; else there is none, and the result is empty.
std::string fingerprint(std::initializer_list<nb::handle> objects, const std::vector<TaskPointer>& inputs, bool deep);

/// How a call's key is found.
enum class KeyRule {
  fresh,   ///< its own
  simple,  ///< by its arguments where they are simple, else its own
  content  ///< by its arguments: equal ones are one task
};

/// A task that calls `function`, which may itself be delayed.
TaskPointer call_task(nb::object function, nb::handle args, nb::handle kwargs, std::string name, std::string key,
                      KeyRule rule, nb::object key_object = {}, bool traverse = true);
/// A task that is a value.
TaskPointer value_task(nb::object value, std::string name, std::string key, bool is_pure, nb::object key_object = {});
/// The function of a task that hands a container on.
nb::object identity_function();

/// Tasks for `keys` of a graph as a dictionary: (function, argument, …) tuples, keys, lists, values.
std::vector<TaskPointer> tasks_of_graph(nb::handle graph, nb::handle keys);
/// The key of a task as its graph has it.
nb::object key_of(const Task& task);
/// Keys by nested lists of them; each adds its task to `inputs`.
nb::object take_keys(nb::handle keys, nb::handle graph, std::vector<TaskPointer>& inputs);
/// A task that computes what a collection of Dask's protocol stands for; null if `object` is none.
TaskPointer collection_task(nb::handle object);

}  // namespace kasoku
