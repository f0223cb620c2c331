/// \file python/src/task_layers.cpp
/// Graphs as current Dask has them: layers of Task, Alias and DataNode objects. `spec` is the module whose classes they
/// are, Dask's own `_task_spec` or the face's, so that any scheduler that takes Dask's graphs runs ours.
#include "task.h"

#include "kasoku/base/error.h"

namespace kasoku {

namespace {

using namespace nb::literals;

class Writer {
 public:
  explicit Writer(nb::handle spec)
      : task_(spec.attr("Task")),
        reference_(spec.attr("TaskRef")),
        alias_(spec.attr("Alias")),
        data_(spec.attr("DataNode")),
        list_(spec.attr("List")),
        tuple_(spec.attr("Tuple")),
        set_(spec.attr("Set")),
        dict_(spec.attr("Dict")),
        node_(spec.attr("GraphNode")),
        result_(nb::module_::import_("kasoku._token").attr("result_of")) {}

  /// What stands for a task in the graph; `keys` are those of its inputs.
  nb::object node(const Task& task, const nb::object& key, const std::vector<nb::object>& keys) const {
    if (const auto* held = dynamic_cast<const ValueTask*>(&task)) return data_(key, held->value());
    const auto* call = dynamic_cast<const CallTask*>(&task);
    if (!call) throw Error(ErrorKind::type, "a task of another language has no form in a Python graph");
    const nb::object called = call->function();
    const nb::tuple given = call->args();
    if (nb::isinstance(called, node_)) return called;  // read from such a graph
    if (called.is(result_)) return given[0];           // a future: a cluster has the value
    if (called.is(identity_function())) {
      nb::object made = argument(given[0], keys);
      if (nb::isinstance(made, reference_)) return alias_(key, made.attr("key"));
      if (!nb::isinstance(made, node_)) return data_(key, made);
      made.attr("key") = key;
      return made;
    }
    nb::list args;
    args.append(key);
    nb::object function = argument(called, keys);
    if (!function.is(called)) args.append(nb::module_::import_("operator").attr("call"));
    args.append(function);
    for (nb::handle item : given) args.append(argument(item, keys));
    nb::dict words;
    for (auto [name, item] : call->kwargs()) words[name] = argument(item, keys);
    return task_(*args, **words);
  }

 private:
  /// A stored argument with references for its inputs, and nodes for containers of them.
  nb::object argument(nb::handle object, const std::vector<nb::object>& keys) const {
    const OneDeeper level;
    if (const auto input = index_of_input(object)) return reference_(keys[*input]);
    if (const RebuiltObject* rebuilt = nullptr; nb::try_cast(object, rebuilt) && rebuilt) {
      nb::dict fields;
      for (auto [name, item] : rebuilt->fields) fields[name] = argument(item, keys);
      return task_(nb::none(), nb::module_::import_("dataclasses").attr("replace"), rebuilt->original, **fields);
    }
    bool has_inputs = false;
    put_values(object, [&](size_t) { return has_inputs = true, nb::none(); });
    if (!has_inputs) return nb::borrow(object);
    const auto parts = [&](nb::handle items) {
      nb::list out;
      for (nb::handle item : items) out.append(argument(item, keys));
      return out;
    };
    PyObject* p = object.ptr();
    if (PyList_CheckExact(p)) return list_(*parts(object));
    if (PyTuple_CheckExact(p)) return tuple_(*parts(object));
    if (PyAnySet_Check(p)) return set_(*parts(object));
    if (PyDict_Check(p)) {
      nb::list pairs;
      for (auto [name, item] : nb::borrow<nb::dict>(object)) {
        nb::list pair;
        pair.append(argument(name, keys));
        pair.append(argument(item, keys));
        pairs.append(pair);
      }
      return dict_(pairs);
    }
    if (PySlice_Check(p))
      return task_(nb::none(), nb::handle(reinterpret_cast<PyObject*>(&PySlice_Type)),
                   argument(object.attr("start"), keys), argument(object.attr("stop"), keys),
                   argument(object.attr("step"), keys));
    return task_(nb::none(), object.type(), *parts(object));  // a named tuple
  }

  nb::object task_, reference_, alias_, data_, list_, tuple_, set_, dict_, node_, result_;
};

/// {key: {key: task}} and {key: keys of its inputs}: a layer for each task, inputs first.
nb::tuple layers_of(nb::handle roots, nb::handle spec) {
  const TaskGraph graph(tasks_of(roots));
  const Writer writer(spec);
  std::vector<nb::object> keys;
  nb::dict layers, dependencies;
  for (size_t i = 0; i < graph.size(); ++i) {
    keys.push_back(key_of(graph.task(i)));
    std::vector<nb::object> inputs;
    nb::set names;
    for (uint32_t from : graph.inputs(i)) {
      inputs.push_back(keys[from]);
      names.add(keys[from]);
    }
    nb::dict layer;
    layer[keys.back()] = writer.node(graph.task(i), keys.back(), inputs);
    layers[keys.back()] = layer;
    dependencies[keys.back()] = names;
  }
  return nb::make_tuple(layers, dependencies);
}

}  // namespace

void bind_task_layers(nb::module_& m) { m.def("_task_layers", &layers_of, "roots"_a, "spec"_a); }

}  // namespace kasoku
