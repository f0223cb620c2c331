/// \file python/src/jit_numpy_draws.cpp
/// Generators of NumPy as arguments of compiled functions: the addresses of their bit generators. What draws from those is in NumPy's
/// own extension, whose functions are made known to the loader of compiled code.
#include "jit_records.h"

#include "kasoku/device/cpu/runtime.h"

#include <dlfcn.h>

namespace kasoku {

using namespace jit;

namespace {

/// The class, once a program has loaded it and its functions for C are there; else nothing.
nb::handle generator_class() {
  static nb::object& known = *new nb::object;
  if (known.is_valid()) return known;
  nb::dict modules = nb::borrow<nb::dict>(nb::module_::import_("sys").attr("modules"));
  if (!modules.contains("numpy.random._generator")) return {};
  nb::object module = modules["numpy.random._generator"];
  void* const library = dlopen(nb::cast<std::string>(module.attr("__file__")).c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (!library) return {};
  for (nb::handle each : nb::object(nb::module_::import_("kasoku._library").attr("generators").attr("functions"))) {
    const auto name = nb::cast<std::string>(each);
    void* const function = dlsym(library, name.c_str());
    if (!function) return {};
    cpu::register_runtime_function(name.c_str(), function);
  }
  known = module.attr("Generator");
  return known;
}

}  // namespace

Type type_of_generator(PyObject* value) {
  const nb::handle generators = generator_class();
  if (!generators.is_valid() || !nb::handle(value).type().is(generators)) return {};
  Type type = Type::of(TypeKind::record);
  type.text = Type::generator_text;
  return type;
}

void* generator_address(PyObject* value) {
  nb::object capsule = nb::handle(value).attr("bit_generator").attr("capsule");
  void* const address = PyCapsule_GetPointer(capsule.ptr(), "BitGenerator");
  if (!address) throw nb::python_error();
  return address;
}

}  // namespace kasoku
