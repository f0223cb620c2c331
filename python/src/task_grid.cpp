/// \file python/src/task_grid.cpp
/// The tasks of a grid of chunks: one call at each place, whose arguments are the same everywhere, are chunks of other grids
/// that belong to the place, or values that do.
#include <vector>

#include "task.h"

namespace kasoku {

namespace {

using namespace nb::literals;

using Place = std::vector<size_t>;

/// Goes to the next place in C order; false behind the last one.
bool advance_place(Place& at, const Place& counts) {
  for (size_t axis = counts.size(); axis-- > 0;) {
    if (++at[axis] < counts[axis]) return true;
    at[axis] = 0;
  }
  return false;
}

/// Makes objects of kasoku._task_spec without calling them: their fields are what Task.__init__ would set.
class GridNodes {
 public:
  explicit GridNodes(nb::handle spec)
      : task_(spec.attr("Task")),
        reference_(spec.attr("TaskRef")),
        list_(spec.attr("List")),
        as_list_(spec.attr("container_functions")[nb::handle(reinterpret_cast<PyObject*>(&PyList_Type))]) {}

  nb::object reference(const nb::object& key) const {
    nb::object made = allocated(reference_);
    set(made, key_, key);
    return made;
  }
  nb::object task(const nb::object& key, const nb::object& function, nb::handle args, nb::handle needs) const {
    return filled(task_, key, function, args, needs);
  }
  nb::object list(nb::handle items, nb::handle needs) const { return filled(list_, nb::none(), as_list_, items, needs); }

 private:
  static nb::object allocated(const nb::object& type) {
    PyObject* made = PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type.ptr()), 0);
    if (!made) throw nb::python_error();
    return nb::steal(made);
  }
  static void set(const nb::object& made, const nb::str& name, nb::handle value) {
    if (PyObject_SetAttr(made.ptr(), name.ptr(), value.ptr())) throw nb::python_error();
  }
  nb::object filled(const nb::object& type, const nb::object& key, const nb::object& function, nb::handle args,
                    nb::handle needs) const {
    nb::object made = allocated(type);
    set(made, key_, key);
    set(made, func_, function);
    set(made, args_, nb::steal(PySequence_Tuple(args.ptr())));
    set(made, kwargs_, nb::dict());
    set(made, dependencies_, nb::steal(PyFrozenSet_New(needs.ptr())));
    set(made, data_producer_, nb::bool_(false));
    for (const nb::str* name : {&token_, &is_coro_, &repr_}) set(made, *name, nb::none());
    return made;
  }

  nb::object task_, reference_, list_, as_list_;
  nb::str key_{"key"}, func_{"func"}, args_{"args"}, kwargs_{"kwargs"}, dependencies_{"_dependencies"},
      data_producer_{"_data_producer"}, token_{"_token"}, is_coro_{"_is_coro"}, repr_{"_repr"};
};

nb::object key_at(nb::handle name, const std::vector<nb::object>& place) {
  PyObject* key = PyTuple_New(static_cast<Py_ssize_t>(place.size()) + 1);
  if (!key) throw nb::python_error();
  PyTuple_SetItem(key, 0, nb::borrow(name).release().ptr());
  for (size_t k = 0; k < place.size(); ++k)
    PyTuple_SetItem(key, static_cast<Py_ssize_t>(k) + 1, nb::object(place[k]).release().ptr());
  return nb::steal(key);
}

/// An argument of chunks of another grid. Each axis of that one goes along one of ours, or has one chunk for all places (-1);
/// `chosen` has for each place along it the chunk, or a list of chunks, else they have the place's number. Lists are lists of
/// chunks, nested, or one list of all.
struct PlaceChunks {
  size_t position;
  nb::object name;
  std::vector<int> axes;
  nb::list chosen;
  bool is_flat;

  nb::object at(const Place& place, const GridNodes& make, nb::list& needs) const {
    nb::list all, keys;
    std::vector<nb::object> before;
    nb::object found = below(place, make, keys, before, all);
    needs.extend(keys);
    return is_flat ? make.list(all, keys) : found;
  }

 private:
  nb::object below(const Place& place, const GridNodes& make, nb::list& needs, std::vector<nb::object>& before,
                   nb::list& all) const {
    const size_t axis = before.size();
    if (axis == axes.size()) {
      const nb::object key = key_at(name, before);
      needs.append(key);
      nb::object made = make.reference(key);
      if (is_flat) all.append(made);
      return made;
    }
    const size_t i = axes[axis] < 0 ? 0 : place[static_cast<size_t>(axes[axis])];
    const auto with = [&](nb::object chunk, nb::list& keys) {
      before.push_back(std::move(chunk));
      nb::object made = below(place, make, keys, before, all);
      before.pop_back();
      return made;
    };
    const nb::object told = chosen[axis];
    if (told.is_none()) return with(nb::int_(i), needs);
    const nb::object mine = told[i];
    if (!PyList_CheckExact(mine.ptr())) return with(mine, needs);
    nb::list items, keys;
    for (nb::handle chunk : mine) items.append(with(nb::borrow(chunk), keys));
    needs.extend(keys);
    return is_flat ? nb::none() : make.list(items, keys);
  }
};

/// An argument that is a value for each place along an axis, or a tuple of those along all axes.
struct PlaceValues {
  size_t position;
  int axis;
  nb::list values;

  nb::object at(const Place& place) const {
    if (axis >= 0) return nb::object(values[place[static_cast<size_t>(axis)]]);
    nb::list found;
    for (size_t k = 0; k < place.size(); ++k) found.append(values[k][place[k]]);
    return nb::tuple(found);
  }
};

/// {(name, i, j, …): Task(key, function, *args)} for each place of a grid with so many chunks along each axis. needs: keys that
/// arguments refer to at every place. chunks: (position among args, name, axes, chosen, is_flat) of each argument of chunks;
/// values: (position, axis or -1, values) of each that is a value of the place.
nb::dict grid_tasks(nb::handle spec, nb::handle name, const Place& counts, nb::object function, nb::tuple args,
                    nb::handle needs, nb::list chunks, nb::list values) {
  const GridNodes make(spec);
  std::vector<PlaceChunks> parts;
  for (nb::handle one : chunks)
    parts.push_back({nb::cast<size_t>(one[0]), nb::borrow(one[1]), nb::cast<std::vector<int>>(one[2]),
                     nb::cast<nb::list>(one[3]), nb::cast<bool>(one[4])});
  std::vector<PlaceValues> told;
  for (nb::handle one : values)
    told.push_back({nb::cast<size_t>(one[0]), nb::cast<int>(one[1]), nb::cast<nb::list>(one[2])});
  nb::dict layer;
  for (size_t count : counts)
    if (!count) return layer;
  Place at(counts.size());
  std::vector<nb::object> place(counts.size());
  do {
    for (size_t k = 0; k < at.size(); ++k) place[k] = nb::int_(at[k]);
    nb::list filled(args), keys(needs);
    for (const PlaceChunks& one : parts) filled[one.position] = one.at(at, make, keys);
    for (const PlaceValues& one : told) filled[one.position] = one.at(at);
    const nb::object key = key_at(name, place);
    layer[key] = make.task(key, function, filled, keys);
  } while (advance_place(at, counts));
  return layer;
}

}  // namespace

void bind_task_grid(nb::module_& m) {
  m.def("_grid_tasks", &grid_tasks, "spec"_a, "name"_a, "counts"_a, "function"_a, "args"_a, "needs"_a, "chunks"_a,
        "values"_a);
}

}  // namespace kasoku
