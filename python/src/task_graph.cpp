/// \file python/src/task_graph.cpp
/// Reads graphs as dictionaries, key → (function, argument, …) or an object of Dask's specification, so that its
/// collections run here; task_layers.cpp writes ours.
#include <optional>
#include <utility>

#include "kasoku/base/error.h"
#include "task.h"

namespace kasoku {

namespace {

using namespace nb::literals;

nb::object helper(const char* name) { return nb::module_::import_("kasoku._token").attr(name); }

bool is_task(nb::handle value) {
  return PyTuple_CheckExact(value.ptr()) && nb::len(value) > 0 && PyCallable_Check(value[0].ptr());
}

/// A task as Dask itself writes it since 2025: it tells the keys that it needs, and is called with their values.
bool is_node(nb::handle value) {
  const nb::handle type = value.type();
  return PyCallable_Check(value.ptr()) && nb::hasattr(type, "dependencies") && nb::hasattr(type, "substitute");
}

/// A key as Dask marks it, its TaskRef, in a place where any value may stand.
bool is_reference(nb::handle value) {
  const nb::handle type = value.type();
  return nb::hasattr(type, "substitute") && nb::hasattr(value, "key") && !PyCallable_Check(value.ptr());
}

/// What threads of this process compute for somebody; it gives its value when it is asked.
bool is_own_future(nb::handle value) { return nb::hasattr(value.type(), "__kasoku_value__"); }

/// A reference to what a cluster, or this process, computes or has computed.
bool is_future(nb::handle value) {
  return is_own_future(value) || (nb::hasattr(value.type(), "result") && is_reference(value));
}

bool is_key(nb::handle value, nb::handle graph) {
  const int found = PySequence_Contains(graph.ptr(), value.ptr());
  if (found < 0) PyErr_Clear();  // not hashable
  return found > 0;
}

/// The tasks that were read, by their keys.
struct KnownTasks {
  nb::dict places;
  std::vector<TaskPointer> tasks;
};

thread_local std::optional<KnownTasks>* known_together = nullptr;

KnownTasks& known_or(KnownTasks& own) {
  if (!known_together) return own;
  return *known_together ? **known_together : known_together->emplace();
}

class Reader {
 public:
  explicit Reader(nb::handle graph) : graph_(graph), known_(known_or(own_)) {}

  TaskPointer task(nb::handle key) {
    if (TaskPointer* made = find(key)) return *made;
    struct Frame {
      nb::object key;
      std::vector<nb::object> needs;
      size_t next = 0;
    };
    std::vector<Frame> stack;
    const auto open = [&](nb::handle name) {
      Frame frame{nb::borrow(name), {}};
      collect(graph_[name], frame.needs);
      open_.add(name);
      stack.push_back(std::move(frame));
    };
    open(key);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.needs.size()) {
        nb::object need = top.needs[top.next++];
        if (find(need)) continue;
        if (open_.contains(need))
          throw Error(ErrorKind::value, std::string("the graph has a cycle through the key ") + nb::repr(need).c_str());
        open(need);
      } else {
        known_.places[top.key] = known_.tasks.size();
        known_.tasks.push_back(build(graph_[top.key], top.key));
        stack.pop_back();
      }
    }
    return *find(key);
  }

 private:
  TaskPointer* find(nb::handle key) {
    nb::handle place = PyDict_GetItem(known_.places.ptr(), key.ptr());
    return place.is_valid() ? &known_.tasks[nb::cast<size_t>(place)] : nullptr;
  }

  /// The keys that a value of the graph refers to.
  void collect(nb::handle value, std::vector<nb::object>& needs) {
    const OneDeeper level;
    if (is_future(value)) return;
    if (is_node(value)) {
      for (nb::handle key : needs_of(value)) needs.push_back(nb::borrow(key));
    } else if (is_task(value) || PyList_CheckExact(value.ptr())) {
      for (nb::handle item : value) collect(item, needs);
    } else if (is_key(value, graph_)) {
      needs.push_back(nb::borrow(value));
    } else if (PyTuple_CheckExact(value.ptr())) {
      for (nb::handle item : value) collect(item, needs);
    } else if (PyDict_CheckExact(value.ptr())) {
      for (nb::handle item : nb::borrow<nb::dict>(value).values()) collect(item, needs);
    } else if (is_reference(value)) {
      needs.push_back(value.attr("key"));
    }
  }

  /// The value with tasks' places for keys; tasks inside of tasks are tasks without a key of the graph.
  nb::object take(nb::handle value, std::vector<TaskPointer>& inputs) {
    const OneDeeper level;
    const auto input = [&](TaskPointer task) {
      inputs.push_back(std::move(task));
      return task_input(inputs.size() - 1);
    };
    if (is_task(value) || is_node(value) || is_future(value)) return input(build(value, {}));
    if (PyList_CheckExact(value.ptr())) {
      nb::list items;
      for (nb::handle item : value) items.append(take(item, inputs));
      return items;
    }
    if (is_key(value, graph_)) return input(*find(value));
    const size_t before = inputs.size();
    if (PyTuple_CheckExact(value.ptr())) {
      nb::list items;
      for (nb::handle item : value) items.append(take(item, inputs));
      return inputs.size() > before ? nb::object(nb::tuple(items)) : nb::borrow(value);
    }
    if (PyDict_CheckExact(value.ptr())) {
      nb::dict items;
      for (auto [name, item] : nb::borrow<nb::dict>(value)) items[name] = take(item, inputs);
      return inputs.size() > before ? nb::object(items) : nb::borrow(value);
    }
    return is_reference(value) ? input(*find(value.attr("key"))) : nb::borrow(value);
  }

  nb::object needs_of(nb::handle node) const {
    nb::object needs = node.attr("dependencies");
    for (nb::handle key : needs)
      if (!is_key(key, graph_))
        throw nb::key_error((std::string("the graph has no key ") + nb::repr(key).c_str()).c_str());
    return needs;
  }

  /// node({key: its value, …})
  TaskPointer build_node(nb::handle node, nb::object key) {
    std::vector<TaskPointer> inputs;
    nb::dict values;
    for (nb::handle need : needs_of(node)) {
      values[need] = task_input(inputs.size());
      inputs.push_back(*find(need));
    }
    return CallTask::make(node, nb::make_tuple(values), {}, name_of(nb::getattr(node, "func", node)),
                          key_in_graph(std::move(key)), std::move(inputs), false);
  }

  static TaskKey key_in_graph(nb::object key) { return key.is_valid() ? TaskKey{0, std::move(key)} : fresh_key(); }

  TaskPointer build(nb::handle value, nb::object key) {
    if (is_node(value)) return build_node(value, std::move(key));
    std::vector<TaskPointer> inputs;
    nb::object function = identity_function();
    nb::list args;
    if (is_future(value)) {
      function = helper("result_of");
      args.append(value);
    } else if (is_task(value)) {
      function = value[0];
      for (size_t i = 1; i < nb::len(value); ++i) args.append(take(value[i], inputs));
    } else {
      args.append(take(value, inputs));
    }
    nb::object name = name_of(is_task(value) ? value[0] : value);
    if (!is_task(value) && !is_future(value) && inputs.empty())
      return value_task(nb::borrow(value), std::move(name), key_in_graph(std::move(key)));
    return CallTask::make(function, args, {}, std::move(name), key_in_graph(std::move(key)), std::move(inputs), false);
  }

  nb::handle graph_;
  KnownTasks own_;
  KnownTasks& known_;
  nb::set open_;
};

nb::object take_with(Reader& reader, nb::handle keys, nb::handle graph, std::vector<TaskPointer>& inputs) {
  const OneDeeper level;
  if (!PyList_CheckExact(keys.ptr())) {
    if (!is_key(keys, graph))
      throw nb::key_error((std::string("the graph has no key ") + nb::repr(keys).c_str()).c_str());
    inputs.push_back(reader.task(keys));
    return task_input(inputs.size() - 1);
  }
  nb::list items;
  for (nb::handle key : keys) items.append(take_with(reader, key, graph, inputs));
  return items;
}

/// A Delayed for `keys` of a graph: nested lists of keys are nested lists of values.
nb::object delayed_keys(nb::handle graph, nb::handle keys) {
  Reader reader(graph);
  std::vector<TaskPointer> inputs;
  nb::object places = take_with(reader, keys, graph, inputs);
  return delayed_object(CallTask::make(identity_function(), nb::make_tuple(places), {}, nb::str("keys"), fresh_key(),
                                       std::move(inputs), false));
}

}  // namespace

struct OneTaskPerKey::Known {
  std::optional<KnownTasks> tasks;
};
OneTaskPerKey::OneTaskPerKey() {
  if (known_together) return;
  known_ = std::make_unique<Known>();
  known_together = &known_->tasks;
}
OneTaskPerKey::~OneTaskPerKey() {
  if (known_) known_together = nullptr;
}

std::vector<TaskPointer> tasks_of_graph(nb::handle graph, nb::handle keys) {
  Reader reader(graph);
  std::vector<TaskPointer> tasks;
  for (nb::handle key : keys) {
    if (!is_key(key, graph))
      throw nb::key_error((std::string("the graph has no key ") + nb::repr(key).c_str()).c_str());
    tasks.push_back(reader.task(key));
  }
  return tasks;
}

nb::object take_keys(nb::handle keys, nb::handle graph, std::vector<TaskPointer>& inputs) {
  Reader reader(graph);
  return take_with(reader, keys, graph, inputs);
}

TaskPointer collection_task(nb::handle object) {
  if (PyType_Check(object.ptr())) return nullptr;
  if (is_own_future(object))
    return CallTask::make(helper("result_of"), nb::make_tuple(object), {}, nb::str("result"), fresh_key(), {}, false);
  if (!nb::hasattr(object, "__dask_graph__")) return nullptr;
  nb::object graph = object.attr("__dask_graph__")();
  if (graph.is_none()) return nullptr;
  std::vector<TaskPointer> inputs;
  nb::object keys = object.attr("__dask_keys__")();
  nb::object places = take_keys(keys, graph, inputs);
  nb::tuple finish = nb::borrow<nb::tuple>(object.attr("__dask_postcompute__")());
  nb::object function = finish[0];
  nb::tuple args = nb::borrow<nb::tuple>(nb::make_tuple(places) + finish[1]);
  const std::string key = "finalize-" + nb::cast<std::string>(helper("tokenize")(object));
  return CallTask::make(function, args, {}, nb::str("finalize"), said_key(key), std::move(inputs), true);
}

void bind_task_graph(nb::module_& m) { m.def("_delayed_keys", &delayed_keys, "graph"_a, "keys"_a); }

}  // namespace kasoku
