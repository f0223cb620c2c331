/// Text of records: a record is the address of its bytes, a field a load or a store at an offset.
#include "kasoku/jit/lowering.h"

namespace kasoku::jit {

std::string FunctionLowering::field_address(const Expr& e, const std::string& name) {
  const Val record = pin(expr(*e.items[0]));
  return fmt::format("({} + {})", record.text, field_of(record.type, name)->offset);
}

namespace {

std::string field_call(const char* what, const Type& record, Dtype dtype) {
  return fmt::format("ks_{}_field<{}, {}>", what, memory_text(dtype), is_aligned(record));
}

}  // namespace

Val FunctionLowering::field(const Expr& e, const std::string& name) {
  const Type& object = e.items[0]->type;
  if (object.is_record()) {
    const std::string address = field_address(e, name);
    if (e.type.is_record()) return {address, e.type};
    if (e.type.is_scalar()) return {fmt::format("{}({})", field_call("load", object, e.type.dtype), address), e.type};
    const std::string view = temp("field");
    line("{} {};", text_of(e.type), view);
    line("{}.data = ({}*){};", view, element_text(e.type), address);
    const std::vector<int64_t> shape = field_of(object, name)->shape;
    for (size_t k = 0; k < shape.size(); ++k) line("{}.shape[{}] = {};", view, k, shape[k]);
    line("ks_set_strides({});", view);
    if (!options_.is_cuda) line("{}.memory = nullptr;", view);
    return {view, e.type};
  }
  const Val array = expr(*e.items[0]);
  const Type record = object.element();
  const std::string view = temp("field"), element = element_text(e.type);
  line("{} {};", text_of(e.type), view);
  line("{}.data = ({}*)((char*){}.data + {});", view, element, array.text, field_of(record, name)->offset);
  const auto apart = record_size(record) / static_cast<int64_t>(info(e.type.dtype).size);
  for (int k = 0; k < object.ndim; ++k)
    line("{0}.shape[{1}] = {2}.shape[{1}]; {0}.stride[{1}] = {2}.stride[{1}] * {3};", view, k, array.text, apart);
  if (!options_.is_cuda) line("{}.memory = {}.memory;", view, array.text);
  return {view, e.type};
}

void FunctionLowering::field_store(const Expr& target, const Val& value) {
  effects_.writes = true;
  const Val pinned = pin(value);
  const Type& record = target.items[0]->type;
  const std::string address = field_address(target, field_name(target));
  if (target.type.is_scalar())
    line("{}({}, {});", field_call("store", record, target.type.dtype), address, cast(pinned.text, value.type.dtype, target.type.dtype));
  else if (target.type.is_record())
    line("ks_copy_record<{}>({}, {});", record_size(target.type), address, pinned.text);
  else
    error(target.place, "an array in a record is assigned by a statement of its own");
}

void FunctionLowering::field_augmented(const Stmt& stmt) {
  effects_.writes = true;
  const Expr& target = *stmt.targets[0];
  const Type& record = target.items[0]->type;
  const std::string address = temp("at");
  line("char* const {} = {};", address, field_address(target, field_name(target)));
  const Val left = pin({fmt::format("{}({})", field_call("load", record, target.type.dtype), address), target.type});
  const Val right = expr(*stmt.expr);
  const Type type = *binary_type(stmt.op, left.type, right.type, stmt.expr.get());
  const Val value = combine(stmt.op, left, right, type, stmt.expr.get(), stmt.place);
  line("{}({}, {});", field_call("store", record, target.type.dtype), address, cast(value.text, value.type.dtype, target.type.dtype));
}

void FunctionLowering::record_store(const Expr& target, const Val& value) {
  const Val pinned = pin(value);
  line("ks_copy_record<{}>((char*)&{}, {});", record_size(target.type), element_of(target, true), pinned.text);
}

}  // namespace kasoku::jit
