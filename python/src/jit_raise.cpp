/// \file python/src/jit_raise.cpp
/// The exception of a compiled call that failed: its class, its arguments, where it was raised.
#include "jit_raise.h"

#include "jit_lists.h"
#include "kasoku/base/error.h"

#include <cstring>

namespace kasoku {

using namespace jit;

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
  if (letters == "t") return python_string({reinterpret_cast<const uint32_t*>(record.a), record.b});
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
[[noreturn]] void raise_made(std::span<const nb::object> raised, const CallRecord& record, const std::string& place) {
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
  nb::object error = raised[std::stoul(name.substr(0, colon))](*values);
  if (nb::hasattr(error, "add_note") && !place.empty()) error.attr("add_note")(place);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

}  // namespace

void raise_failure(const CallRecord& record, const std::string& text, std::span<const nb::object> raised) {
  nb::object builtins = nb::module_::import_("builtins");
  // The message is Python's; where it was raised is a note.
  const auto set = [&](const char* name) {
    const size_t at = text.starts_with("  at ") ? 0 : text.find("\n  at ");
    const nb::object kind = builtins.attr(name);
    const nb::object error = at == 0 ? kind() : kind(text.substr(0, at));
    if (at != std::string::npos) error.attr("add_note")(text.substr(at == 0 ? 0 : at + 1));
    PyErr_SetObject(kind.ptr(), error.ptr());
  };
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
      if (*record.name == '#') raise_made(raised, record, text);
      const std::string name(failure_name(record));
      if (nb::hasattr(builtins, name.c_str())) set(name.c_str());
      else PyErr_SetString(PyExc_RuntimeError, (name + ": " + text).c_str());
      break;
    }
    case Failure::key: raise_key_error(record, text);
    case Failure::value:
    case Failure::shape: throw Error(ErrorKind::value, text);
    default: throw Error(ErrorKind::interrupted, text);
  }
  throw nb::python_error();
}

}  // namespace kasoku
