/// \file python/src/jit.cpp
/// kasoku._core.JitFunction: what @ks.jit makes of a function. A type of its own and not a
/// nanobind class, because a call goes by the vector protocol straight to the machine code.
#include "convert.h"
#include "foreign.h"
#include "guarded.h"
#include "jit_lists.h"
#include "jit_state.h"
#include "kasoku/base/error.h"
#include "kasoku/device/cpu/runtime.h"
#include "kasoku/jit/runtime.h"
#include "kasoku/jit/signature.h"
#include "vectorcall.h"

#include <fmt/format.h>
#include <structmember.h>

#include <algorithm>
#include <cstddef>

namespace kasoku {

using namespace jit;
using namespace nb::literals;

namespace {

constexpr size_t most_texts = 64;  ///< entries of one function

struct Object {
  PyObject base;
  VectorCall vectorcall;
  PyObject* dict;
  PyObject* weak;
  JitState* state;
};

PyTypeObject* jit_type = nullptr;
PyObject* typing_error = nullptr;
PyObject* observer = nullptr;  ///< called before each function that may run on several workers

JitState& state_of(PyObject* self) { return *reinterpret_cast<Object*>(self)->state; }

std::string signature_text(PyObject* const* arguments, const Type* types, size_t n) {
  std::string text = "(";
  for (size_t i = 0; i < n; ++i)
    text += (i ? ", " : "") + (types[i].is_known() ? str(types[i]) : nb::cast<std::string>(nb::handle((PyObject*)Py_TYPE(arguments[i])).attr("__name__")));
  return text + ")";
}

/// Arguments by name and defaults into their places, what else is given by place into a tuple, `rest`.
bool place(JitState& state, PyObject* const* arguments, size_t n, PyObject* names, std::vector<PyObject*>& placed, nb::object& rest) {
  const size_t wanted = state.names.size();
  placed.assign(wanted, nullptr);
  if (n > state.n_positional && !state.rest) return false;
  for (size_t i = 0; i < std::min(n, state.n_positional); ++i) placed[i] = arguments[i];
  if (state.rest) {
    nb::list more;
    for (size_t i = state.n_positional; i < n; ++i) more.append(nb::handle(arguments[i]));
    rest = nb::tuple(more);
    placed[*state.rest] = rest.ptr();
  }
  const Py_ssize_t n_names = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t k = 0; k < n_names; ++k) {
    const std::string name = nb::cast<std::string>(nb::handle(PyTuple_GetItem(names, k)));
    size_t i = state.n_unnamed;
    while (i < wanted && state.names[i] != name) ++i;
    if (i == wanted || placed[i]) return false;
    placed[i] = arguments[n + static_cast<size_t>(k)];
  }
  for (size_t i = 0; i < wanted; ++i) {
    if (placed[i]) continue;
    if (!state.defaults[i].is_valid()) return false;
    placed[i] = state.defaults[i].ptr();
  }
  return true;
}

PyObject* interpret(nb::handle function, PyObject* const* arguments, size_t n, PyObject* names) {
  nb::list positional;
  for (size_t i = 0; i < n; ++i) positional.append(nb::borrow(arguments[i]));
  nb::dict by_name;
  const Py_ssize_t n_names = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t k = 0; k < n_names; ++k)
    by_name[nb::handle(PyTuple_GetItem(names, k))] = nb::borrow(arguments[n + static_cast<size_t>(k)]);
  return function(*positional, **by_name).release().ptr();
}

PyObject* interpret(const JitState& state, PyObject* const* arguments, size_t n, PyObject* names) {
  return interpret(nb::object(state.interpreted.attr("run")), arguments, n, names);
}

/// Null behind the last one.
std::shared_ptr<JitEntry> entry_at(const JitState& state, size_t i) {
  const JitLock alone;
  return i < state.entries.size() ? state.entries[i] : nullptr;
}

bool is_refused(const JitState& state, const std::string& signature) {
  const JitLock alone;
  return state.refused.contains(signature);
}

void forget_if_changed(JitState& state) {
  const JitLock alone;
  if (!still_holds(state)) forget(state);
}

void bring_to_front(JitState& state, size_t i) {
  const JitLock alone;
  if (i < state.entries.size()) std::swap(state.entries[0], state.entries[i]);
}

void read_anew(JitState& state) {
  const JitLock alone;
  state.is_read = false;
  state.entries.clear();
}

/// The copy that goes in place of a badly placed array, which is one argument or several.
nb::object copy_of(PyObject* array, std::vector<std::pair<PyObject*, nb::object>>& copies) {
  for (const auto& [original, copy] : copies)
    if (original == array) return copy;
  nb::object copy = well_placed_copy(array);
  if (copy.is_valid()) copies.emplace_back(array, copy);
  return copy;
}

/// What the call wrote into copies, to where it belongs.
void give_back(const std::vector<std::pair<PyObject*, nb::object>>& copies) {
  for (const auto& [original, copy] : copies)
    if (nb::cast<bool>(copy.attr("flags").attr("writeable"))) numpy().attr("copyto")(nb::handle(original), copy);
}

/// Whether a function is compiled for the argument itself: it is a compiled function, a tuple of such, or a slice, whose parts
/// are arguments then.
bool is_written_into(PyObject* value) {
  if (PySlice_Check(value) || jit_state_of(value)) return true;
  if (!PyTuple_CheckExact(value) || PyTuple_Size(value) == 0) return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(value); ++i)
    if (!jit_state_of(PyTuple_GetItem(value, i))) return false;
  return true;
}

/// The function in which parameters that are given compiled functions mean these (`_jit._given_functions`), called with
/// the other arguments; null if it has none.
PyObject* call_with_functions(PyObject* self, const std::vector<PyObject*>& placed) {
  nb::list given;
  for (PyObject* value : placed) given.append(nb::handle(value));
  nb::object bound = nb::module_::import_("kasoku._jit").attr("_given_functions")(nb::handle(self), given);
  if (bound.is_none()) return nullptr;
  nb::list others;
  for (PyObject* value : placed)
    if (PySlice_Check(value)) {
      for (const char* part : {"start", "stop", "step"}) others.append(nb::handle(value).attr(part));
    } else if (!is_written_into(value)) {
      others.append(nb::handle(value));
    }
  return bound(*others).release().ptr();
}

/// Whether it is an instance of a face's class, which has fields of known types.
bool has_fields(PyObject* value) { return nb::hasattr(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(value))), "__kasoku_of_fields__"); }

/// What the call gives where instances are given by their fields; null if the function has no such form.
PyObject* call_with_fields(PyObject* self, const std::vector<PyObject*>& placed) {
  nb::list given;
  for (PyObject* value : placed) given.append(nb::handle(value));
  nb::object made = nb::module_::import_("kasoku._jit").attr("_given_instances")(nb::handle(self), given);
  return made.is_none() ? nullptr : nb::object(made[0]).release().ptr();
}

bool is_of_a_text(const std::vector<Type>& types) {
  const auto is = [](const Type& type, const auto& self) -> bool {
    return type.kind == TypeKind::text || std::ranges::any_of(type.items, [&](const Type& item) { return self(item, self); });
  };
  return std::ranges::any_of(types, [&](const Type& type) { return is(type, is); });
}

/// The types that the function is compiled for: a text among its arguments is any text where it reads the letters of it, or has no
/// form else; a word that chooses is known when compiling.
std::vector<Type> compiled_types(JitState& state, const std::vector<Type>& types, const std::vector<Type>& loose, Where& where) {
  if (loose == types || !state.declared.empty() || !std::ranges::all_of(types, &Type::is_known)) return types;
  for (const std::vector<Type>& wanted : {for_any_letters(state, types), types, loose}) {
    if (state.entries.size() >= most_texts && is_of_a_text(wanted)) continue;
    try {
      compile_for(state, wanted, where);
      return wanted;
    } catch (const Error& error) {
      if (!means_no_form(error)) throw;
    }
  }
  return types;
}

PyObject* call_slowly(PyObject* self, PyObject* const* arguments, size_t n, PyObject* names) {
  JitState& state = state_of(self);
  std::vector<PyObject*> placed;
  nb::object rest;
  if (state.takes_kwargs) {
    refuse(state, "(…)", Error(ErrorKind::type, "a compiled function cannot take **kwargs"));
    return interpret(state, arguments, n, names);
  }
  if (!place(state, arguments, n, names, placed, rest))
    return interpret(state.function, arguments, n, names);  // Python's own words for a wrong call
  if (state.declared.empty() && std::ranges::any_of(placed, is_written_into))
    if (PyObject* result = call_with_functions(self, placed)) return result;
  if (state.declared.empty() && std::ranges::any_of(placed, has_fields))
    if (PyObject* result = call_with_fields(self, placed)) return result;
  std::vector<Type> types;
  std::vector<nb::object> columns;
  std::vector<std::pair<PyObject*, nb::object>> copies;
  Where where;
  for (PyObject*& value : placed) {
    types.push_back(argument_type(value));
    if (!types.back().is_known()) {
      if (nb::object column = stand_in(value); column.is_valid() && argument_type(column).is_array()) {
        types.back() = argument_type(column);
        value = column.ptr();
        columns.push_back(std::move(column));
      } else if (nb::object copy = copy_of(value, copies); copy.is_valid()) {
        types.back() = argument_type(copy);
        value = copy.ptr();
      }
    }
    if (types.back().is_known()) where.look(value);
  }
  std::vector<Type> loose = types;
  for (Type& type : loose) type = at_run_time(type);
  const std::string signature = signature_text(placed.data(), types.data(), placed.size()), loose_signature = signature_text(placed.data(), loose.data(), placed.size());
  if (is_refused(state, signature) || is_refused(state, loose_signature)) return interpret(state, arguments, n, names);
  try {
    types = compiled_types(state, types, loose, where);
    std::vector<Type> wanted = types;
    if (!state.declared.empty())
      wanted = choose(state.declared, types, nb::cast<std::string>(nb::repr(state.function))).arguments;
    for (size_t i = 0; i < placed.size(); ++i)
      if (!types[i].is_known())
        throw Error(ErrorKind::type, fmt::format("argument '{}' of {} is {}, which compiled code does not take", state.names[i],
                                                 nb::cast<std::string>(nb::str(state.function.attr("__name__"))),
                                                 signature_text(&placed[i], &types[i], 1)));
    if (state.entries.size() >= most_texts && std::ranges::any_of(wanted, [](const Type& type) { return type.kind == TypeKind::text; }))
      throw Error(ErrorKind::type, fmt::format("{} was given more than {} different texts", nb::cast<std::string>(nb::str(state.function.attr("__name__"))), most_texts))
          .why("it is compiled for each text that is an argument");
    for (int attempt = 0; attempt < 2; ++attempt) {
      const std::shared_ptr<JitEntry> entry = compile_for(state, wanted, where);
      PyObject* result = nullptr;
      try {
        result = call_entry(entry, placed.data(), placed.size(), wanted == types ? nullptr : &types);
      } catch (...) {
        give_back(copies);
        throw;
      }
      if (result) return give_back(copies), result;
      // An array outside has changed in place (its flags, its shape): read everything anew.
      read_anew(state);
    }
    throw Error(ErrorKind::internal, "the arguments do not fit the types made of them");
  } catch (const Error& error) {
    if (!state.hidden.empty()) state.is_read = false;  // an array outside may be another at the next call
    if (!means_no_form(error)) {
      if (error.kind != ErrorKind::type) throw;
      throw_typing_error(error);
    }
    if (where.is_mixed()) throw_typing_error(error);
    refuse(state, signature, error);
    if (state.refused.size() > most_texts && loose_signature != signature) refuse(state, loose_signature, error);
  }
  return interpret(state, arguments, n, names);
}

/// By what is compiled for such arguments, one for each parameter; null if nothing is.
PyObject* call_known(JitState& state, PyObject* const* arguments) {
  size_t i = 0;
  while (const std::shared_ptr<JitEntry> entry = entry_at(state, i)) {
    if (PyObject* result = call_entry(entry, arguments, state.names.size())) {
      if (i) bring_to_front(state, i);
      return result;
    }
    ++i;
  }
  return nullptr;
}

/// What a call gives, by place and by name.
std::pair<nb::list, nb::dict> given_to(PyObject* const* arguments, size_t n, PyObject* names) {
  nb::list given;
  nb::dict by_name;
  for (size_t i = 0; i < n; ++i) given.append(nb::handle(arguments[i]));
  for (size_t i = 0; names && i < static_cast<size_t>(PyTuple_Size(names)); ++i)
    by_name[nb::handle(PyTuple_GetItem(names, static_cast<Py_ssize_t>(i)))] = nb::handle(arguments[n + i]);
  return {given, by_name};
}

/// The iterator of a generator function whose steps are compiled (_generator_steps.py); null if they have no compiled form.
PyObject* generate(PyObject* self, PyObject* const* arguments, size_t n, PyObject* names) {
  const auto [given, by_name] = given_to(arguments, n, names);
  nb::object made = nb::module_::import_("kasoku._generator_steps").attr("called")(nb::handle(self), given, by_name);
  return made.is_none() ? nullptr : made.release().ptr();
}

PyObject* call(PyObject* self, PyObject* const* arguments, size_t n_and_flag, PyObject* names) {
  const size_t n = n_and_flag & ~NB_VECTORCALL_ARGUMENTS_OFFSET;
  return guarded([&]() -> PyObject* {
    JitState& state = state_of(self);
    if (observer && state.options.parallel) {
      const auto [given, by_name] = given_to(arguments, n, names);
      const nb::handle observe = observer, function = self;
      observe(function, *given, **by_name);
    }
    if (state.is_generator && state.declared.empty())
      if (PyObject* made = generate(self, arguments, n, names)) return made;
    if (state.is_unreadable) return interpret(state, arguments, n, names);
    forget_if_changed(state);
    if (!state.rest && !state.takes_kwargs) {
      std::vector<PyObject*> placed;
      nb::object rest;
      const bool is_in_place = !names && n == state.names.size() && n == state.n_positional;
      if (is_in_place || place(state, arguments, n, names, placed, rest))
        if (PyObject* result = call_known(state, is_in_place ? arguments : placed.data())) return result;
    }
    return call_slowly(self, arguments, n, names);
  });
}

PyObject* descriptor_get(PyObject* self, PyObject* instance, PyObject*) {
  if (!instance || instance == Py_None) {
    Py_INCREF(self);
    return self;
  }
  return guarded([&] { return nb::object(nb::module_::import_("types").attr("MethodType")(nb::handle(self), nb::handle(instance))).release().ptr(); });
}

void destroy(PyObject* self) {
  auto* object = reinterpret_cast<Object*>(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (object->weak) PyObject_ClearWeakRefs(self);
  delete object->state;
  object->state = nullptr;
  Py_CLEAR(object->dict);
  PyObject_GC_Del(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  auto* object = reinterpret_cast<Object*>(self);
  Py_VISIT(object->dict);
  if (object->state) Py_VISIT(object->state->function.ptr());
  Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
  return 0;
}

int clear(PyObject* self) {
  auto* object = reinterpret_cast<Object*>(self);
  Py_CLEAR(object->dict);
  return 0;
}

nb::object make(nb::object function, bool parallel, bool fastmath, bool boundscheck, bool python_errors, bool nopython,
                bool is_cuda) {
  auto* object = PyObject_GC_New(Object, jit_type);
  if (!object) throw nb::python_error();
  object->vectorcall = call;
  object->dict = nullptr;
  object->weak = nullptr;
  object->state = new JitState;
  JitState& state = *object->state;
  state.function = function;
  state.options = {parallel, fastmath, boundscheck, python_errors, is_cuda};
  state.nopython = nopython;
  nb::object code = function.attr("__code__");
  const int n = nb::cast<int>(code.attr("co_argcount")) + nb::cast<int>(code.attr("co_kwonlyargcount"));
  const int flags = nb::cast<int>(code.attr("co_flags"));
  state.takes_kwargs = flags & 0x8;
  state.is_generator = flags & 0x20;
  const int n_positional = nb::cast<int>(code.attr("co_argcount"));
  state.n_positional = static_cast<size_t>(n_positional);
  state.n_unnamed = nb::cast<size_t>(code.attr("co_posonlyargcount"));
  nb::object defaults = function.attr("__defaults__"), keyword_defaults = function.attr("__kwdefaults__");
  const int n_defaults = defaults.is_none() ? 0 : static_cast<int>(nb::len(defaults));
  for (int i = 0; i <= n; ++i) {
    if (i == n_positional && flags & 0x4) {  // its name stands behind those that are given by name
      state.rest = state.names.size();
      state.names.push_back(nb::cast<std::string>(code.attr("co_varnames")[n]));
      state.defaults.emplace_back();
    }
    if (i == n) break;
    state.names.push_back(nb::cast<std::string>(code.attr("co_varnames")[i]));
    nb::object value;
    if (i < n_positional && i + n_defaults >= n_positional) value = nb::borrow(defaults[i + n_defaults - n_positional]);
    if (i >= n_positional && !keyword_defaults.is_none()) {
      nb::dict all = nb::borrow<nb::dict>(keyword_defaults);
      if (all.contains(state.names.back().c_str())) value = nb::borrow(all[state.names.back().c_str()]);
    }
    state.defaults.push_back(value);
  }
  PyObject_GC_Track(reinterpret_cast<PyObject*>(object));
  return nb::steal(reinterpret_cast<PyObject*>(object));
}

void print_to_python(const char* text, uint64_t size) {
  const GilHeld acquired;
  try {
    nb::module_::import_("sys").attr("stdout").attr("write")(nb::str(text, size));
  } catch (nb::python_error&) {
  }
}

}  // namespace

void throw_typing_error(const Error& error) {
  PyErr_SetString(typing_error, error.what());
  throw nb::python_error();
}

bool is_observed() { return observer != nullptr; }

JitState* jit_state_of(PyObject* object) { return Py_TYPE(object) == jit_type ? &state_of(object) : nullptr; }

JitState& jit_state(nb::handle object) {
  if (Py_TYPE(object.ptr()) != jit_type) throw Error(ErrorKind::type, "this is not a function of ks.jit");
  return state_of(object.ptr());
}

bool as_jit_object(nb::handle object, JitObject& out) {
  if (Py_TYPE(object.ptr()) == jit_type) {
    const JitState& state = state_of(object.ptr());
    out = {state.function, state.options, state.declared};
    return true;
  }
  // A wrapper of ours: a ks.cuda kernel or device function.
  if (nb::hasattr(object, "__kasoku_jit__")) return as_jit_object(nb::object(object.attr("__kasoku_jit__")), out);
  return false;
}

void bind_jit(nb::module_& m) {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", member_ssize, offsetof(Object, vectorcall), member_readonly, nullptr},
      {"__dictoffset__", member_ssize, offsetof(Object, dict), member_readonly, nullptr},
      {"__weaklistoffset__", member_ssize, offsetof(Object, weak), member_readonly, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void*>(call_with_tuple<call>)},
      {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {Py_tp_members, members},
      {Py_tp_getset, getset},
      {Py_tp_descr_get, reinterpret_cast<void*>(descriptor_get)},
      {Py_tp_doc, const_cast<char*>(R"(A Python function that is compiled at its first call, for each list of argument types.

>>> @ks.jit
... def square(x):
...     return x * x
>>> square(3)
9
>>> type(square) is ks.JitFunction
True)")},
      {0, nullptr}};
  static PyType_Spec spec = {"kasoku._core.JitFunction", sizeof(Object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | has_vectorcall, slots};
  jit_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!jit_type) throw nb::python_error();
  m.attr("JitFunction") = nb::borrow(reinterpret_cast<PyObject*>(jit_type));

  m.def("_jit_make", &make, "function"_a, "parallel"_a, "fastmath"_a, "boundscheck"_a, "python_errors"_a, "nopython"_a,
        "is_cuda"_a);
  m.def("_jit_observe", [](nb::object called) { observer = called.is_none() ? nullptr : called.release().ptr(); },
        "called"_a.none(),
        "Calls called(function, *arguments) before each call of a function that may run on several workers; nothing for None.");
  m.def("_register_function", [](const char* name, uintptr_t address) { cpu::register_runtime_function(name, reinterpret_cast<void*>(address)); },
        "name"_a, "address"_a, "Compiled code calls what is at this address by this name.");
  m.def("_jit_typing_error", [](nb::object type) { typing_error = type.release().ptr(); });
  set_printer(print_to_python);
}

}  // namespace kasoku