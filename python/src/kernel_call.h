/// \file kernel_call.h
/// What the bindings of kernels share: keyword arguments as written in Python, streams, errors
/// on the way out of a type slot.
#pragma once

#include "bindings.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace kasoku {

/// Arguments bound to names as Python binds them, where one class has several spellings.
class BoundArguments {
 public:
  /// `names` in positional order; those behind "*" are keywords only. Unknown keywords, doubles
  /// and too many positions are TypeErrors that name `function`.
  BoundArguments(const char* function, std::initializer_list<std::string_view> names,
                 const nb::args& args, const nb::kwargs& kwargs);

  bool knows(std::string_view name) const;  ///< one of `names`
  bool has(std::string_view name) const;  ///< given, and not None
  nb::object get(std::string_view name) const;  ///< None if not given
  nb::object need(std::string_view name) const;
  std::string text(std::string_view name, std::string_view missing = "") const;
  /// The text of a program: str or bytes, and nothing that str() would make into one.
  std::string source(std::string_view name) const;
  bool flag(std::string_view name, bool missing = false) const;
  /// A string, a sequence of strings, or None.
  std::vector<std::string> texts(std::string_view name) const;

 private:
  size_t index_of(std::string_view name) const;
  const char* function_;
  std::vector<std::string_view> names_;
  std::vector<nb::object> values_;
};

/// Runs `f`, which returns a new reference; C++ exceptions become Python's as nanobind's own.
template <class F>
PyObject* guarded(F&& f) noexcept;

/// Sets the Python exception for the C++ one in flight.
void raise_current() noexcept;

template <class F>
PyObject* guarded(F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    raise_current();
    return nullptr;
  }
}

/// Calls visit(name, value) for each keyword argument.
template <class F>
void each_keyword(PyObject* kwargs, F&& visit) {
  if (!kwargs) return;
  Py_ssize_t at = 0;
  PyObject *key, *value;
  while (PyDict_Next(kwargs, &at, &key, &value)) {
    Py_ssize_t size;
    const char* text = PyUnicode_AsUTF8AndSize(key, &size);
    if (!text) throw nb::python_error();
    visit(std::string_view(text, static_cast<size_t>(size)), nb::handle(value));
  }
}

/// A class's constructor, `construct(Kernel*, args, kwargs)`, and pickles of what it makes: by these arguments.
template <class Kernel, class... Bases, class Construct>
void bind_construct(nb::class_<Kernel, Bases...>& cls, Construct construct) {
  cls.def("__init__", [construct](nb::pointer_and_handle<Kernel> self, nb::args args, nb::kwargs kwargs) {
    construct(self.p, args, kwargs);
    self.h.attr("_made_of") = nb::make_tuple(nb::type<Kernel>(), args, kwargs);
  });
  cls.def("__reduce__", [](nb::handle self) { return nb::module_::import_("kasoku._content").attr("reduce_kernel")(self); });
}

/// Throws TypeError: f() got an unexpected keyword argument, and what there is.
[[noreturn]] void unknown_keyword(std::string_view function, std::string_view keyword, const std::vector<std::string>& known);

}  // namespace kasoku
