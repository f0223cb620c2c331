/// \file python/src/attribute.h
/// Properties of Array as quick as NumPy's: Python calls what reads one, with nothing of nanobind's between.
#pragma once

#include "array_object.h"

#include <functional>
#include <type_traits>

namespace kasoku {

using Reader = PyObject* (*)(PyObject* array);

/// The type of such properties.
nb::handle attribute_type();
/// Has a property of a class read by that function.
void read_by(nb::handle cls, const char* name, Reader reader);

/// A property that a function, or a method of Array's, of the array or of its object gives.
template <auto f, class... Extra>
void attribute(nb::class_<Array>& cls, const char* name, const Extra&... extra) {
  if constexpr (sizeof...(extra) == 1) cls.def_prop_ro(name, f, extra...);
  else cls.def_prop_rw(name, f, extra...);
  read_by(cls, name, [](PyObject* self) {
    return guarded([=] {
      if constexpr (std::is_invocable_v<decltype(f), nb::object>) return f(nb::borrow(self)).release().ptr();
      else return nb::cast(std::invoke(f, std::as_const(*array_inside(self)))).release().ptr();
    });
  });
}

}  // namespace kasoku
