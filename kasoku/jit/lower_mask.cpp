/// x[mask]: read as the elements where it holds, stored and changed there.
#include "kasoku/jit/lowering.h"

namespace kasoku::jit {

void FunctionLowering::want_mask(const std::string& array_shape, const std::string& mask_shape, Place place) {
  if (array_shape == mask_shape || options_.is_cuda) return;
  fail_if(fmt::format("ks_differ({}, {})", array_shape, mask_shape),
          fmt::format("ks_jit_fail(ks, ks_raised, {}, \"IndexError\\nboolean index did not match the shape of the indexed array\", 0, 0, 0)", place.line));
}

Val FunctionLowering::masked(const Fused& fused, Place place) {
  const std::string s = shape(fused, place);
  const std::string n = temp("count"), one = temp("shape"), k = temp("k");
  line("ks_i64 {} = 0;", n);
  elements(fused, s, {}, [&](const Index& at) { line("{} += {};", n, fused.where(at)); }, false);
  line("const ks_shape<1> {} = {{{{{}}}}};", one, n);
  const Val result = new_array(Type::array(fused.type.dtype, 1, true), one, false, place);
  line("ks_i64 {} = 0;", k);
  elements(fused, s, {}, [&](const Index& at) {
    line("if ({}) {}.data[{}++] = {};", fused.where(at), result.text, k, fused.element(at));
  }, false);
  return result;
}

/// Calls `change` with the text of each element of the array where the mask holds.
void FunctionLowering::where_masked(const Val& array, const Expr& index, Place place, const std::function<void(const std::string&)>& change) {
  const Fused mask = fuse(index);
  const std::string s = shape(mask, place), own = temp("shape");
  std::string lengths;
  for (int k = 0; k < array.type.ndim; ++k) lengths += fmt::format("{}{}.shape[{}]", k ? ", " : "", array.text, k);
  line("const ks_shape<{}> {} = {{{{{}}}}};", array.type.ndim, own, lengths);
  want_mask(own, s, place);
  const auto write = [&](const Fused& where) {
    elements(where, s, {{array.text, array.type, Fused::Use::written}}, [&](const Index& at) {
      open(fmt::format("if ({})", where.element(at)));
      change(at[array.text]);
      close();
    }, false);
  };
  const std::string test = overlaps(array, mask);
  if (test.empty() || options_.is_cuda) return write(mask);
  // The mask may be made of what is written, shifted: then all of it comes before the first store.
  open(fmt::format("if (KS_RARELY({}))", test));
  const Val stored = materialise(mask, place);
  write(array_element(stored));
  --indent_;
  line("}} else {{");
  ++indent_;
  write(mask);
  close();
}

/// x[mask] = number
void FunctionLowering::masked_store(const Expr& target, const Expr& number) {
  const Expr& index = *target.items[1];
  const Val object = expr(*target.items[0]);
  if (index.type.dtype != Dtype::bool_) error(target.place, "a store through an index array cannot be compiled yet", "loop over the indices");
  if (!number.type.is_scalar()) error(target.place, "a masked store takes a number in compiled code", "use np.where");
  if (uses_graph()) return graph_masked_store(object, index, number, target.place);
  const Val value = pin(expr(number));
  want_fit_stored(number, value.text, object.type.dtype);
  where_masked(object, index, target.place, [&](const std::string& element) {
    line("{} = {};", element, cast(value.text, value.type.dtype, object.type.dtype));
  });
}

/// x[mask] op= number
void FunctionLowering::masked_augment(const Stmt& stmt) {
  const Expr& target = *stmt.targets[0];
  if (target.items[1]->type.dtype != Dtype::bool_)
    error(target.place, "a store through an index array cannot be compiled yet", "loop over the indices");
  if (!stmt.expr->type.is_scalar())
    error(target.place, "a masked store takes a number in compiled code", "use np.where");
  effects_.writes = true;
  const Val object = expr(*target.items[0]);
  if (uses_graph()) return graph_update(stmt.op, object, target.items[1].get(), *stmt.expr, target.place);
  const Val value = pin(expr(*stmt.expr));
  const Dtype own = object.type.dtype;
  const auto result = binary_type(stmt.op, object.type, value.type, stmt.expr.get());
  const Dtype dtype = stmt.op == Operator::divide ? floating_dtype(result->dtype) : result->dtype;
  want_operand(stmt.op, *stmt.expr, number_element(value), dtype);
  where_masked(object, *target.items[1], target.place, [&](const std::string& element) {
    const std::string a = cast(element, own, dtype), b = cast(value.text, value.type.dtype, dtype);
    line("{} = {};", element, cast(arithmetic(stmt.op, a, b, dtype), dtype, own));
  });
}

}  // namespace kasoku::jit
