/// Types of what structured arrays have: records and their fields, read and assigned; fields of named tuples.
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace kasoku::jit {

std::string field_name(const Expr& expr) {
  const Type& object = expr.items[0]->type;
  if ((!object.is_record() && !object.has_records()) || object.is_generator()) return "";
  if (expr.kind == ExprKind::attribute) return expr.text;
  return expr.kind == ExprKind::subscript && expr.items[1]->type.kind == TypeKind::text ? expr.items[1]->type.text : "";
}

Type Inference::field(Expr& expr, const Type& object, const std::string& name) {
  const Type record = object.is_record() ? object : object.element();
  const auto field = field_of(record, name);
  if (!field) fail(expr.place, fmt::format("{} has no field '{}'", str(record), name));
  if (!field->type.is_known()) fail(expr.place, fmt::format("the field '{}' is of a dtype that compiled code does not have", name));
  if (object.is_record()) return field->type;
  // The elements' fields as an array: as far apart as the records are.
  if (field->type.is_record()) fail(expr.place, "nested fields of all records at once cannot be compiled", "", "use those of an element: x[i]");
  if (!field->shape.empty()) fail(expr.place, "arrays in all records at once cannot be compiled", "", "use those of an element: x[i]");
  const int64_t size = static_cast<int64_t>(info(field->type.dtype).size);
  if (!is_aligned(record) || record_size(record) % size)
    fail(expr.place, fmt::format("the fields '{}' of packed records are no array in compiled code", name), "",
         fmt::format("use x[i].{}, or a dtype made with align=True", name));
  Type all = Type::array(field->type.dtype, object.ndim, false);
  all.is_read_only = object.is_read_only;
  return all;
}

void Inference::assign_field(Expr& target, const Type& type) {
  const Type own = visit(target);
  if (!own.is_known() || !type.is_known()) return;
  const std::string name = field_name(target);
  if (target.items[0]->type.has_records()) fail(target.place, "fields of all records at once cannot be assigned in compiled code", "", "assign x[i]." + name);
  want_writable(*target.items[0]);
  const bool fits = own.is_scalar()  ? type.is_scalar() && !(type.is_complex() && !own.is_complex())
                    : own.is_array() ? type.is_scalar() || (type.is_array() && type.ndim <= own.ndim)
                                     : type.is_record() && type.items == own.items && type.text == own.text;
  if (!fits) fail(target.place, fmt::format("{} cannot be stored in the field '{}', which is {}", str(type), name, str(own)));
}

Type Inference::named_item(Expr& expr, const Type& object) {
  std::istringstream names(object.text);
  std::string name;
  for (size_t i = 0; std::getline(names, name, ','); ++i) {
    if (name != expr.text) continue;
    // x.name is x[i] from now on.
    expr.kind = ExprKind::subscript;
    auto index = std::make_unique<Expr>();
    index->kind = ExprKind::constant;
    index->value = static_cast<int64_t>(i);
    index->place = expr.place;
    index->type = int64_type;
    expr.items.push_back(std::move(index));
    return object.items[i];
  }
  fail(expr.place, fmt::format("a tuple of ({}) has no field '{}'", object.text, expr.text));
}

}  // namespace kasoku::jit
