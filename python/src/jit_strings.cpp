/// \file python/src/jit_strings.cpp
/// Python's texts as code points of compiled calls, and back.
#include "gil.h"
#include "jit_lists.h"

namespace kasoku {

using namespace jit;

String string_of(nb::handle text, Strings& room) {
  const Py_ssize_t size = PyUnicode_GetLength(text.ptr());
  uint32_t* const at = room.room(size);
  if (!at || (size && !PyUnicode_AsUCS4(text.ptr(), at, size, 0))) throw std::bad_alloc();
  return {at, size};
}

nb::object python_string(String text) {
  int order = -1;  // little endian; and no byte order mark is looked for
  nb::object made = nb::steal(PyUnicode_DecodeUTF32(reinterpret_cast<const char*>(text.at), text.size * 4, "surrogatepass", &order));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

namespace {

nb::object python_value(String given) {
  const auto kind = reinterpret_cast<uintptr_t>(given.at);
  if (kind > static_cast<uintptr_t>(NumberKind::last)) return python_string(given);
  const double real = std::bit_cast<double>(given.size);
  switch (static_cast<NumberKind>(kind)) {
    case NumberKind::whole: return nb::int_(given.size);
    case NumberKind::real: return nb::float_(real);
    case NumberKind::single: return nb::module_::import_("numpy").attr("float32")(real);
    case NumberKind::unsigned_: return nb::int_(static_cast<uint64_t>(given.size));
    default: return nb::bool_(given.size != 0);
  }
}

String call_method(Strings& room, const char* name, const String* given, int64_t n) {
  const GilHeld gil;
  nb::list others;
  for (int64_t i = 1; i < n; ++i) others.append(python_value(given[i]));
  nb::object result = python_value(given[0]).attr(name)(*others);
  return PyUnicode_Check(result.ptr()) ? string_of(result, room) : String{nullptr, nb::cast<int64_t>(nb::int_(result))};
}

std::string read_number(String text, int64_t* whole, double* real) {
  const GilHeld gil;
  try {
    nb::object number = nb::module_::import_("builtins").attr(whole ? "int" : "float")(python_string(text));
    if (real) return *real = nb::cast<double>(number), "";
    int overflow = 0;
    *whole = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    return overflow ? "OverflowError\nthe integer of a text does not fit into 64 bits" : "";
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_ValueError)) throw;
    std::string message = "ValueError\n";
    for (const char c : nb::cast<std::string>(nb::str(error.value()))) message.append(c == '{' || c == '}' ? 2 : 1, c);  // no place of a number
    return message;
  }
}

}  // namespace

void bind_jit_strings(nb::module_&) { set_string_functions(call_method, read_number); }

}  // namespace kasoku
