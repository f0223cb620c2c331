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

String call_method(Strings& room, const char* name, const String* given, int64_t n) {
  const GilHeld gil;
  nb::list others;
  for (int64_t i = 1; i < n; ++i) others.append(given[i].at ? python_string(given[i]) : nb::object(nb::int_(given[i].size)));
  nb::object result = python_string(given[0]).attr(name)(*others);
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
