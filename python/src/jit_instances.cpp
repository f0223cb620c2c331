/// \file python/src/jit_instances.cpp
#include "jit_instances.h"

#include "jit_read.h"
#include "kasoku/base/error.h"

#include <fmt/format.h>

#include <deque>

namespace kasoku {

using namespace jit;

namespace {

struct KnownClass {
  nb::object cls;
  Type type;
};

std::deque<KnownClass>& known_classes() {
  static std::deque<KnownClass>& all = *new std::deque<KnownClass>;
  return all;
}

Type field_type(nb::handle field) {
  if (PyType_Check(field.ptr())) return type_of_instances(field);
  if (nb::isinstance(field, nb::module_::import_("kasoku._signature").attr("Optional"))) {
    const Type inner = field_type(field.attr("type"));
    if (!inner.is_scalar()) return {};
    Type type = Type::of(TypeKind::optional);
    type.items = {inner};
    return type;
  }
  if (!nb::hasattr(field, "_describe")) return {};
  const Type type = at_run_time(type_of_description(field.attr("_describe")()));
  return type.is_scalar() || type.is_string() || type.is_array() || type.is_tuple() || type.is_container() ? type : Type{};
}

}  // namespace

Type type_of_instances(nb::handle cls) {
  for (const KnownClass& known : known_classes())
    if (known.cls.is(cls)) return known.type;
  if (!PyType_Check(cls.ptr()) || !nb::hasattr(cls, "__kasoku_forms__")) return {};
  const size_t number = known_classes().size();
  known_classes().push_back({nb::borrow(cls), {}});  // a class whose fields are its own instances has no compiled form
  Type type = Type::of(TypeKind::instance);
  type.text = fmt::format("{}\t{}", number, nb::cast<std::string>(cls.attr("__name__")));
  for (auto [name, field] : nb::borrow<nb::dict>(cls.attr("__kasoku_forms__").attr("fields"))) {
    type.text += "\n" + nb::cast<std::string>(name);
    try {
      type.items.push_back(field_type(field));
    } catch (const Error&) {
      return {};
    } catch (const nb::python_error&) {  // deferred
      return {};
    }
    if (!type.items.back().is_known()) return {};
  }
  if (type.items.size() > most_items) return {};
  return known_classes()[number].type = type;
}

nb::handle class_of_instances(const Type& type) {
  for (const KnownClass& known : known_classes())
    if (known.type == type) return known.cls;
  throw Error(ErrorKind::internal, "an instance without a class");
}

}  // namespace kasoku
