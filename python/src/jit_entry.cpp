/// \file python/src/jit_entry.cpp
/// A function of ks.jit for one list of argument types: where it runs, its compilation, a call, what a failure raises.
#include "jit_lists.h"
#include "jit_state.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/jit/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace kasoku {

using namespace jit;

bool still_holds(const JitState& state) {
  for (const Dependency& dependency : state.dependencies)
    if (!dependency.holds()) return false;
  return true;
}

void forget(JitState& state) {
  state.is_read = false;
  state.entries.clear();
  state.dependencies.clear();
  state.refused.clear();
  state.unit.reset();
}

namespace {

bool cannot_be_read(const JitState& state) {
  if (state.is_read) return false;
  try {
    read_function({state.function, state.options, state.declared});
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

bool means_no_form(const Error& error) {
  if (dynamic_cast<const SignatureError*>(&error)) return false;
  return error.kind == ErrorKind::type || error.kind == ErrorKind::unsupported || error.kind == ErrorKind::compile;
}

void refuse(JitState& state, const std::string& signature, const Error& error) {
  if (state.nopython) throw_typing_error(error);
  const Options& o = state.options;
  if (!state.interpreted.is_valid())
    state.interpreted = nb::module_::import_("kasoku._jit")
                          .attr("_Interpreted")(state.function, error.what(), o.parallel, o.fastmath, o.boundscheck, o.python_errors);
  if (state.hidden.empty()) state.refused.insert(signature);
  state.is_unreadable = cannot_be_read(state);
}

namespace {

bool offloads_to_cpu = false;

/// Where a call without arrays runs: nullptr is the host itself.
Device* default_place() {
  if (offloads_to_cpu) return &device("cpu");
  Device& wanted = default_device();
  return wanted.kind == DeviceKind::cuda ? &wanted : nullptr;
}

/// Where a call with these arrays runs. An error names what lies elsewhere.
Device* place_of(const Where& where) {
  if (where.other)
    throw Error(ErrorKind::type, fmt::format("arrays of one call lie on {} and {}", where.device->str(), where.other->str()))
        .fix(fmt::format("move them: x.to_device(\"{}\")", where.device->str()));
  if (where.device && where.device->kind == DeviceKind::cuda) {
    if (where.has_numpy)
      throw Error(ErrorKind::type, fmt::format("arrays of one call lie on {} and in host memory", where.device->str()))
          .fix(fmt::format("ks.asarray(x, device=\"{}\")", where.device->str()));
    return where.device;
  }
  if (offloads_to_cpu) return &device("cpu");
  return where.device || where.has_numpy ? nullptr : default_place();
}

}  // namespace

bool set_offloads_to_cpu(bool on) { return std::exchange(offloads_to_cpu, on); }

std::shared_ptr<JitEntry> compile_for(JitState& state, std::vector<Type> types, Where& where) {
  if (!state.is_read) {
    ReadFunction read = read_function({state.function, state.options, state.declared});
    state.unit = std::move(read.unit);
    state.dependencies = std::move(read.dependencies);
    state.hidden = std::move(read.arrays);
    state.raised = std::move(read.raised);
    state.is_read = true;
  }
  for (const nb::object& array : state.hidden) where.look(array.ptr());
  Device* const place = state.options.is_cuda ? nullptr : place_of(where);
  const auto is_half = [](const Type& type, const auto& self) -> bool {
    return type.dtype == Dtype::float16 || std::ranges::any_of(type.items, [&](const Type& item) { return self(item, self); });
  };
  if (!state.options.is_cuda)
    for (const Type& type : types)
      if (is_half(type, is_half)) throw Error(ErrorKind::type, "float16 is compiled in kernels of cuda.jit alone").fix("convert to float32");
  if (place)
    for (const Type& type : types)
      if (type.is_record() || type.has_records()) throw Error(ErrorKind::type, "structured arrays have no compiled form on a device").fix("pass the fields as arrays of their own");
  for (const auto& entry : state.entries)  // another thread may have been faster
    if (entry->arguments == types && entry->compiled.device() == place) return entry;
  std::vector<Type> hidden;
  for (const nb::object& array : state.hidden) hidden.push_back(type_of_value(array));
  const std::shared_ptr<const Unit> unit = state.unit;
  auto entry = [&] {
    nb::gil_scoped_release released;
    return std::shared_ptr<JitEntry>(new JitEntry{Compiled(unit, types, hidden, place), types, {}, {}},
                                  [](JitEntry* p) { delete p; });
  }();
  entry->hidden = state.hidden;
  entry->raised = state.raised;
  entry->is_placed = where.device || where.has_numpy;
  state.entries.insert(state.entries.begin(), entry);
  return entry;
}

namespace {

/// A number of a failure's words.
nb::object value_of(char letter, int64_t word) {
  double x;
  std::memcpy(&x, &word, sizeof x);
  if (letter == 'f') return nb::float_(x);
  if (letter == 'b') return nb::bool_(word != 0);
  if (letter == 'u') return nb::cast(static_cast<uint64_t>(word));
  return nb::cast(word);
}

/// The key as a Python object: a letter of `name` for each part (lower_dict.cpp).
nb::object key_of(const CallRecord& record) {
  const std::string letters(record.name);
  const int64_t words[3] = {record.a, record.b, record.c};
  nb::list parts;
  for (const char letter : letters) {
    if (letter == '(' || letter == '?') continue;
    parts.append(value_of(letter, words[nb::len(parts)]));
  }
  if (letters.starts_with('(')) return nb::tuple(parts);
  return nb::len(parts) ? nb::object(parts[0]) : nb::object(nb::str("the key is not there"));
}

/// KeyError has the key itself; where it was missed stands in a note.
[[noreturn]] void raise_key_error(const CallRecord& record, const std::string& place) {
  nb::object error = nb::module_::import_("builtins").attr("KeyError")(key_of(record));
  if (!place.empty()) error.attr("add_note")(place.substr(place.find_first_not_of('\n')));
  PyErr_SetObject(PyExc_KeyError, error.ptr());
  throw nb::python_error();
}

/// The exception that the raise statement says, with the values that it had; where it was raised stands in a note.
[[noreturn]] void raise_made(const JitEntry& entry, const CallRecord& record, const std::string& place) {
  const std::string name(record.name + 1);
  const size_t colon = name.find(':'), end = name.find('\n');
  const int64_t words[3] = {record.a, record.b, record.c};
  size_t n = 0, at = end + 1;
  nb::list values;
  for (const char letter : name.substr(colon + 1, end - colon - 1)) {
    if (letter == 't') {
      const size_t stop = name.find('\x1f', at);
      values.append(nb::str(name.substr(at, stop - at).c_str()));
      at = stop + 1;
      continue;
    }
    values.append(value_of(letter, words[n++]));
  }
  nb::object error = entry.raised.at(std::stoul(name.substr(0, colon)))(*values);
  if (nb::hasattr(error, "add_note") && !place.empty()) error.attr("add_note")(place);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

void raise_failure(const JitEntry& entry, const CallRecord& record) {
  const std::string text = entry.compiled.failure_text(record);
  nb::object builtins = nb::module_::import_("builtins");
  const auto set = [&](const char* name) { PyErr_SetString(nb::object(builtins.attr(name)).ptr(), text.c_str()); };
  switch (static_cast<Failure>(record.status)) {
    case Failure::index: throw Error(ErrorKind::index, text);
    case Failure::zero_division: set("ZeroDivisionError"); break;
    case Failure::memory:
      throw Error(record.a < 0 ? ErrorKind::value : ErrorKind::memory, text);
    case Failure::assertion: set("AssertionError"); break;
    case Failure::overflow:
    case Failure::unbound:
    case Failure::recursion: set(std::string(failure_name(record)).c_str()); break;
    case Failure::raised: {
      if (*record.name == '#') raise_made(entry, record, text);
      const std::string name(failure_name(record));
      if (nb::hasattr(builtins, name.c_str())) set(name.c_str());
      else PyErr_SetString(PyExc_RuntimeError, (name + ": " + text).c_str());
      break;
    }
    case Failure::key: raise_key_error(record, text);
    case Failure::value:
    case Failure::shape: throw Error(ErrorKind::value, text);
    default:
      if (record.is_placed_error) entry.compiled.rethrow_placed(record);
      if (record.interruption) std::rethrow_exception(record.interruption);
      throw Error(ErrorKind::interrupted, text);
  }
  throw nb::python_error();
}

PyObject* run(const JitEntry& entry, uint64_t* words, PyObject* const* arguments, size_t n, Offloaded* offloaded, ListScope& lists) {
  CallRecord record;
  record.words = words;
  if (offloaded || entry.compiled.lowered().has_loops || entry.compiled.result_words() > 4) {
    nb::gil_scoped_release released;
    entry.compiled.call(record);
  } else {
    entry.compiled.call(record);
  }
  if (record.status) {
    if (!record.interruption) lists.write_back(arguments, n);  // Ctrl-C waits for nothing
    raise_failure(entry, record);
  }
  const Type& result = entry.compiled.lowered().result;
  const uint64_t* at = words;
  nb::object value = result.kind == TypeKind::none ? nb::none() : unpack(result, at, arguments, n, offloaded);
  lists.write_back(arguments, n);
  return value.release().ptr();
}

bool fill(const JitEntry& entry, PyObject* const* arguments, size_t n, uint64_t* words, Offloaded* offloaded,
          const std::vector<Type>* given) {
  for (size_t i = 0; i < n; ++i)
    if (given ? !pack_converted(arguments[i], (*given)[i], entry.arguments[i], words, offloaded)
              : !pack(arguments[i], entry.arguments[i], words, offloaded))
      return false;
  for (size_t i = 0; i < entry.hidden.size(); ++i)
    if (!pack(entry.hidden[i].ptr(), entry.compiled.lowered().arguments[n + i], words, offloaded)) return false;
  return true;
}

constexpr int words_at_hand = 96;

PyObject* call_with_words(const JitEntry& entry, PyObject* const* arguments, size_t n, uint64_t* words,
                          const std::vector<Type>* given) {
  Device* const place = entry.compiled.device();
  if (!entry.is_placed && place != default_place()) return nullptr;
  if (offloads_to_cpu != (place && place->kind == DeviceKind::cpu)) return nullptr;
  ListScope lists;
  if (Device* device = entry.compiled.device()) {
    Offloaded offloaded(*device);
    return fill(entry, arguments, n, words, &offloaded, given) ? run(entry, words, arguments, n, &offloaded, lists) : nullptr;
  }
  return fill(entry, arguments, n, words, nullptr, given) ? run(entry, words, arguments, n, nullptr, lists) : nullptr;
}

}  // namespace

PyObject* call_entry(const std::shared_ptr<JitEntry>& entry, PyObject* const* arguments, size_t n,
                     const std::vector<Type>* given) {
  const int need = std::max(entry->compiled.argument_words(), entry->compiled.result_words());
  if (need <= words_at_hand) {
    uint64_t words[words_at_hand];
    return call_with_words(*entry, arguments, n, words, given);
  }
  std::vector<uint64_t> words(static_cast<size_t>(need));
  return call_with_words(*entry, arguments, n, words.data(), given);
}

}  // namespace kasoku
