/// Text of lists (support_list.inc). A list that an expression makes, and an item that owns memory, get a name with a
/// keeper beside it, as arrays do.
#include "kasoku/jit/lowering.h"

#include <algorithm>

namespace kasoku::jit {

void FunctionLowering::put(const std::string& call, Place place) {
  effects_.writes = effects_.grows = true;
  fail_if("!" + call, fmt::format("ks_jit_fail(ks, ks_memory_error, {}, \"\", 0, 0, 0)", place.line));
}

void FunctionLowering::want_own(const Expr& list, Place place) {
  if (!is_parallel_ || list.kind != ExprKind::name || std::ranges::find(own_lists_, list.variable) != own_lists_.end()) return;
  error(place, fmt::format("'{}' is a {} outside of the parallel loop, and all its iterations change its length", list.text,
                           list.type.is_list() ? "list" : list.type.is_dict() ? "dict" : "set"),
        "store into an array by the iteration's index, or use range");
}

Val FunctionLowering::made_list(const Type& type, const std::string& text, Place place) {
  if (on_device_) error(place, "a list has no form on a device", "use an array");
  const std::string name = temp("list");
  line("{} {} = {};", text_of(type), name, text);
  keep(name, type);
  fail_if(fmt::format("!{}.body", name), fmt::format("ks_jit_fail(ks, ks_memory_error, {}, \"\", 0, 0, 0)", place.line));
  return {name, type};
}

Val FunctionLowering::owned_item(const std::string& text, const Type& type) {
  if (type.is_scalar()) return {text, type};
  const std::string name = temp("item");
  line("{} {} = {};", text_of(type), name, text);
  retain(name, type);
  keep(name, type);
  return {name, type};
}

Val FunctionLowering::list_display(const Expr& e) {
  std::vector<Val> values;
  for (const ExprPtr& item : e.items) {
    const Val value = pin(expr(*item));
    values.push_back(value);
  }
  const Type& item = e.type.items[0];
  const Val list = made_list(e.type, fmt::format("ks_new_list<{}>({})", text_of(item), values.size()), e.place);
  for (const Val& value : values) line("ks_append({}, ({})({}));", list.text, text_of(item), convert(value, item));
  return list;
}

Val FunctionLowering::list_binary(const Expr& e) {
  const Val a = pin(expr(*e.items[0])), b = pin(expr(*e.items[1]));
  if (e.op == Operator::add) return made_list(e.type, fmt::format("ks_joined({}, {})", a.text, b.text), e.place);
  const Val &list = a.type.is_list() ? a : b, &times = a.type.is_list() ? b : a;
  return made_list(e.type, fmt::format("ks_repeated({}, {})", list.text, cast(times.text, times.type.dtype, Dtype::int64)), e.place);
}

std::string FunctionLowering::list_index(const Expr& at, const Val& list, bool is_popped) {
  return tested_index(index_text(at), fmt::format("ks_length({})", list.text), at, user_name(list.text), is_popped ? -3 : 0);
}

Val FunctionLowering::list_subscript(const Expr& e) {
  const Val list = expr(*e.items[0]);
  const Expr& at = *e.items[1];
  if (at.kind != ExprKind::slice) {
    const std::string i = list_index(at, list);
    const Val item{fmt::format("ks_item({}, {})", list.text, i), e.type};
    return e.type.is_scalar() ? pin(item) : owned_item(item.text, e.type);
  }
  return made_list(e.type, fmt::format("ks_slice_of({}, {})", list.text, slice_of(at, fmt::format("ks_length({})", list.text), e.place)), e.place);
}

std::string FunctionLowering::slice_of(const Expr& slice, const std::string& length, Place place) {
  int has_bits = 0;
  std::string bound[3] = {"0", "0", "1"};
  for (size_t k = 0; k < 3; ++k) {
    const Expr* part = slice.items[k].get();
    if (!part || part->type.kind == TypeKind::none) continue;
    if (k < 2) has_bits |= 1 << k;
    bound[k] = pin({text_as(*part, Dtype::int64), int64_type}).text;
  }
  if (bound[2] != "1")
    fail_if(bound[2] + " == 0", fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"slice step cannot be zero\", 0, 0, 0)", place.line));
  const std::string name = temp("slice");
  line("const ks_slice {} = ks_make_slice({}, {}, {}, {}, {});", name, has_bits, bound[0], bound[1], bound[2], length);
  return name;
}

void FunctionLowering::list_store(const Expr& target, const Val& value) {
  const Val pinned = pin(value), list = expr(*target.items[0]);
  const std::string i = list_index(*target.items[1], list);
  const Type& item = list.type.items[0];
  line("ks_set_item({}, {}, ({})({}));", list.text, i, text_of(item), convert(pinned, item));
}

Val FunctionLowering::array_of_list(const Expr& e) {
  const Val list = expr(*e.items[1]);
  const Type& item = list.type.items[0];
  const std::string to = text_of(e.type.dtype), shape = temp("shape"), i = temp("i"), k = temp("k");
  if (e.type.ndim == 1) {
    line("const ks_shape<1> {} = {{{{ks_length({})}}}};", shape, list.text);
  } else if (item.is_tuple()) {
    line("const ks_shape<2> {} = {{{{ks_length({}), {}}}}};", shape, list.text, item.items.size());
  } else {
    line("const ks_shape<2> {0} = {{{{ks_length({1}), ks_length({1}) ? ks_length(ks_item({1}, 0)) : 0}}}};", shape, list.text);
  }
  const Val array = new_array(e.type, shape, false, e.place);
  open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}.n[0]; ++{0})", i, shape));
  const std::string from = fmt::format("ks_item({}, {})", list.text, i);
  if (e.type.ndim == 1) {
    line("{}.data[{}] = {};", array.text, i, cast(from, item.dtype, e.type.dtype));
  } else if (item.is_tuple()) {
    for (size_t n = 0; n < item.items.size(); ++n)
      line("{0}.data[{1} * {2} + {3}] = {4};", array.text, i, item.items.size(), n,
           cast(fmt::format("{}._{}", from, n), item.items[n].dtype, e.type.dtype));
  } else {
    fail_if(fmt::format("ks_length({}) != {}.n[1]", from, shape),
            fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"the rows of an array have one length, not {{}} and {{}}\", {}.n[1], ks_length({}), 0)",
                        e.place.line, shape, from));
    open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}.n[1]; ++{0})", k, shape));
    line("{0}.data[{1} * {2}.n[1] + {3}] = {4};", array.text, i, shape, k,
         cast(fmt::format("ks_item({}, {})", from, k), item.items[0].dtype, e.type.dtype));
    close();
  }
  close();
  return array;
}

Val FunctionLowering::list_call(const Expr& e, Handler handler) {
  Val list = expr(*e.items[1]);
  if (list.type.is_hashed() && handler != Handler::to_bool) list = listed(list, "keys", e.place);  // sum, min, any …
  const Type& item = list.type.items[0];
  const auto given = [&](size_t i) {
    const Val value = pin(expr(*e.items[i + 1]));
    return fmt::format("({})({})", text_of(item), convert(value, item));
  };
  const auto value_error = [&](const std::string& condition, const char* what) {
    fail_if(condition, fmt::format("ks_jit_fail(ks, ks_value_error, {}, {}, 0, 0, 0)", e.place.line, quoted(what)));
  };
  const auto none = [] { return Val{"", Type::none()}; };
  switch (handler) {
    case Handler::list_append:
    case Handler::list_insert: case Handler::list_extend: case Handler::list_pop: case Handler::list_remove:
    case Handler::list_clear:
    case Handler::list_sort:
    case Handler::list_sort_by:
    case Handler::list_reverse: want_own(*e.items[1], e.place); break;
    default: break;
  }
  switch (handler) {
    case Handler::list_append: put(fmt::format("ks_append({}, {})", list.text, given(1)), e.place); return none();
    case Handler::list_insert: {
      const std::string at = pin({text_as(*e.items[2], Dtype::int64), int64_type}).text;
      put(fmt::format("ks_insert({}, {}, {})", list.text, at, given(2)), e.place);
      return none();
    }
    case Handler::list_extend: put(fmt::format("ks_extend({}, {})", list.text, expr(*e.items[2]).text), e.place); return none();
    case Handler::list_pop: {
      effects_.writes = effects_.grows = true;
      Expr last;
      last.kind = ExprKind::constant;
      last.value = int64_t{-1};
      last.type = int64_type;
      last.place = e.place;
      const std::string i = list_index(has(e, 1) ? *e.items[2] : last, list, true), name = temp("item");
      line("{} {} = ks_pop({}, {});", text_of(item), name, list.text, i);
      keep(name, item);
      return {name, item};
    }
    case Handler::list_remove: {
      const std::string at = temp("at");
      line("const ks_i64 {} = ks_find({}, {});", at, list.text, given(1));
      value_error(at + " < 0", "list.remove(x): x not in list");
      effects_.writes = effects_.grows = true;
      line("ks_disown(ks_pop({}, {}));", list.text, at);
      return none();
    }
    case Handler::list_clear: effects_.writes = effects_.grows = true; line("ks_clear({});", list.text); return none();
    case Handler::list_reverse: effects_.writes = true; line("ks_reverse({});", list.text); return none();
    case Handler::list_sort:
      put(fmt::format("ks_sort({}, {})", list.text, has(e, 1) ? truth(*e.items[2]) : "false"), e.place);
      return none();
    case Handler::list_sort_by:
      put(fmt::format("ks_sort_by({}, {}, {})", list.text, expr(*e.items[2]).text, truth(*e.items[3])), e.place);
      return none();
    case Handler::list_copy: return made_list(e.type, fmt::format("ks_slice_of({0}, ks_slice{{0, ks_length({0}), 1}})", list.text), e.place);
    case Handler::list_index: {
      const std::string at = temp("at");
      line("const ks_i64 {} = ks_find({}, {});", at, list.text, given(1));
      value_error(at + " < 0", "the item is not in the list");
      return {at, int64_type};
    }
    case Handler::list_count: return pin({fmt::format("ks_count({}, {})", list.text, given(1)), int64_type});
    case Handler::min:
    case Handler::max: {
      const bool least = handler == Handler::min;
      value_error(fmt::format("ks_length({}) == 0", list.text), least ? "min() arg is an empty sequence" : "max() arg is an empty sequence");
      return pin({fmt::format("{}({})", least ? "ks_least" : "ks_greatest", list.text), e.type});
    }
    case Handler::reduce: {
      const ReduceOp op = intrinsic_of(e)->reduction;
      if (op == ReduceOp::sum) return pin({fmt::format("ks_sum_of<{}>({})", text_of(e.type), list.text), e.type});
      const bool any = op == ReduceOp::any;
      const std::string found = temp("found"), i = temp("i");
      line("bool {} = {};", found, !any);
      line("for (ks_i64 {0} = 0; {0} < ks_length({1}) && {2}{3}; ++{0}) {3} = {4};", i, list.text, any ? "!" : "", found,
           cast(fmt::format("ks_item({}, {})", list.text, i), item.dtype, Dtype::bool_));
      return {found, bool_type};
    }
    case Handler::to_bool: return {truth_of(list), bool_type};
    default: break;
  }
  error(e.place, fmt::format("this call with {} cannot be compiled", str(list.type)));
}

}  // namespace kasoku::jit
