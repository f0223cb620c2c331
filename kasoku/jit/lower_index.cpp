/// Subscripts: elements, views, masks. An index that was not proved to be inside is tested where
/// it is used, negative ones count from the end.
#include "kasoku/jit/lowering.h"

namespace kasoku::jit {

namespace {

std::vector<const Expr*> index_items(const Expr& subscript) {
  const Expr& index = *subscript.items[1];
  std::vector<const Expr*> items;
  if (index.kind == ExprKind::tuple)
    for (const ExprPtr& item : index.items) items.push_back(item.get());
  else
    items.push_back(&index);
  return items;
}

}  // namespace

std::string FunctionLowering::checked_index(const std::string& index, const std::string& array, int axis,
                                            const Expr& at, bool is_proven) {
  if (is_proven) return index;
  const std::string n = fmt::format("{}.shape[{}]", array, axis);
  const bool is_nonnegative = jit::is_nonnegative(at, nonnegative_);
  if (options_.is_cuda && options_.is_checked)
    return fmt::format(
        "ks_check_index({}, {}, {}, {}, {}, {}, (((ks_u64)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x), "
        "(((ks_u64)threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x))",
        is_nonnegative ? index : fmt::format("ks_wrap({}, {})", index, n), n, axis, quoted(user_name(array)),
        quoted(source_.file), source_.first_line + at.place.line - 1);
  if (!options_.boundscheck)
    return is_nonnegative ? index : constant_int(at) ? fmt::format("({} + {})", index, n) : fmt::format("ks_wrap({}, {})", index, n);
  return tested_index(index, n, at, user_name(array), axis);
}

std::string FunctionLowering::tested_index(const std::string& index, const std::string& n, const Expr& at,
                                           const std::string& of, int axis) {
  const std::string raw = temp("i");
  line("const ks_i64 {} = {};", raw, index);
  const auto fail_outside = [&](const std::string& where) {
    fail_if(fmt::format("(ks_u64){} >= (ks_u64){}", where, n),
            fmt::format("ks_jit_fail(ks, ks_index_error, {}, {}, {}, {}, {})", at.place.line, quoted(of), raw, n, axis));
  };
  if (jit::is_nonnegative(at, nonnegative_)) return fail_outside(raw), raw;
  const std::string wrapped = temp("i");
  if (constant_int(at)) {
    line("const ks_i64 {} = ks_plus({}, {});", wrapped, raw, n);
    return fail_outside(wrapped), wrapped;
  }
  // One comparison where nothing is unusual; an index that counts from the end is looked at aside.
  const int epoch = epoch_;
  line("ks_i64 {} = {};", wrapped, raw);
  open(fmt::format("if (KS_RARELY((ks_u64){} >= (ks_u64){}))", raw, n));
  line("{} = ks_plus({}, {});", wrapped, raw, n);
  fail_outside(wrapped);
  close();
  epoch_ = epoch;
  return wrapped;
}

std::string FunctionLowering::element_of(const Expr& subscript, bool) {
  const Val object = object_of(subscript);
  const Type& type = object.type;
  std::vector<const Expr*> items = index_items(subscript);
  std::vector<std::string> indices;
  const bool is_proven = proven_.contains(&subscript);
  if (items.size() == 1 && items[0]->type.is_tuple()) {
    const Val index = pin(expr(*items[0]));
    for (size_t k = 0; k < items[0]->type.items.size(); ++k) {
      Expr at;
      at.kind = ExprKind::name;
      at.place = items[0]->place;
      at.type = items[0]->type.items[k];
      indices.push_back(checked_index(
          cast(fmt::format("{}._{}", index.text, k), at.type.dtype, Dtype::int64), object.text,
          static_cast<int>(k), at, false));
    }
  } else {
    int axis = 0;
    for (const Expr* item : items)
      if (item->kind != ExprKind::ellipsis)
        indices.push_back(checked_index(index_text(*item), object.text, axis++, *item, is_proven));
  }
  if (indices.empty()) return fmt::format("{}.data[0]", object.text);
  std::string offset;
  for (size_t k = 0; k < indices.size(); ++k) {
    const bool is_last = k + 1 == indices.size();
    const std::string stride =
        type.is_contiguous && is_last ? "" : fmt::format(" * {}.stride[{}]", object.text, k);
    offset += (k ? " + " : "") + indices[k] + stride;
  }
  return fmt::format("{}.data[{}]", object.text, offset);
}

Val FunctionLowering::range_subscript(const Expr& e) {
  const std::string range = expr(*e.items[0]).text, index = pin({text_as(*e.items[1], Dtype::int64), int64_type}).text;
  const std::string n = pin({fmt::format("ks_length({})", range), int64_type}).text, at = pin({fmt::format("ks_wrap({}, {})", index, n), int64_type}).text;
  if (raises_)
    fail_if(fmt::format("(ks_u64){} >= (ks_u64){}", at, n),
            fmt::format("ks_jit_fail(ks, ks_index_error, {}, \"range object\", {}, {}, -4)", e.place.line, index, n));
  return {fmt::format("ks_plus({}.start, (ks_i64)((ks_u64){} * (ks_u64){}.step))", range, at, range), int64_type};
}

Val FunctionLowering::subscript(const Expr& e) {
  const Type& object = e.items[0]->type;
  if (object.is_list()) return list_subscript(e);
  if (object.is_words()) return string_subscript(e);
  if (object.is_dict()) return dict_subscript(e);
  if (object.kind == TypeKind::range) return range_subscript(e);
  if (object.is_tuple()) {
    const Val tuple = pin(expr(*e.items[0]));
    const auto n = static_cast<int64_t>(object.items.size());
    if (e.items[1]->kind == ExprKind::slice) {
      std::string text = text_of(e.type) + "{";
      const std::vector<int64_t> part = *tuple_slice(*e.items[1], n);
      for (const int64_t k : part) text += fmt::format("{}{}._{}", text.back() == '{' ? "" : ", ", tuple.text, k);
      return {text + "}", e.type};
    }
    if (const auto at = constant_int(*e.items[1]))
      return {fmt::format("{}._{}", tuple.text, *at < 0 ? *at + n : *at), e.type};
    const std::string index = pin({text_as(*e.items[1], Dtype::int64), int64_type}).text;
    const std::string wrapped = temp("i");
    line("const ks_i64 {} = ks_wrap({}, {});", wrapped, index, n);
    if (raises_)
      fail_if(fmt::format("(ks_u64){} >= {}u", wrapped, n),
              fmt::format("ks_jit_fail(ks, ks_index_error, {}, \"tuple\", {}, {}, -1)", e.place.line, index, n));
    std::string text = convert({fmt::format("{}._{}", tuple.text, n - 1), object.items.back()}, e.type);
    for (int64_t k = n - 2; k >= 0; --k)
      text = fmt::format("({} == {} ? {} : {})", wrapped, k,
                         convert({fmt::format("{}._{}", tuple.text, k), object.items[static_cast<size_t>(k)]}, e.type), text);
    if (!e.type.is_array()) return {text, e.type};
    const std::string name = temp("item");  // what reads an array names it
    line("{} {} = {};", text_of(e.type), name, text);
    return {name, e.type};
  }
  if (const std::string name = field_name(e); !name.empty()) return field(e, name);
  if (e.type.is_record()) return {fmt::format("((char*)&{})", element_of(e, false)), e.type};
  if (object.is_bytes() && e.type.is_scalar()) return {fmt::format("(ks_i64){}", element_of(e, false)), e.type};
  if (e.type.is_scalar()) return {loaded(element_of(e, false), e.type.dtype), e.type};
  if (e.items[1]->type.is_array()) return computed(e);
  return view(e);
}

Val FunctionLowering::view(const Expr& e) {
  const Val object = object_of(e);
  const Type& type = object.type;
  std::vector<const Expr*> items = index_items(e);
  if (items.size() == 1 && items[0]->type.is_tuple() && items[0]->kind != ExprKind::tuple) {
    error(e.place, "a tuple variable as index must name every axis", "write the indices out");
  }
  int used = 0;
  for (const Expr* item : items)
    if (item->kind != ExprKind::ellipsis && item->type.kind != TypeKind::none) ++used;
  const std::string result = temp("view");
  line("{} {};", text_of(e.type), result);
  line("{}.data = {}.data;", result, object.text);
  if (!options_.is_cuda) line("{}.memory = {}.memory;", result, object.text);
  int axis = 0, to = 0;
  const auto copy_axis = [&] {
    line("{0}.shape[{1}] = {2}.shape[{3}]; {0}.stride[{1}] = {2}.stride[{3}];", result, to++, object.text, axis++);
  };
  bool may_be_empty = false;
  for (const Expr* item : items) {
    if (item->kind == ExprKind::ellipsis) {
      for (int k = 0; k < type.ndim - used; ++k) copy_axis();
    } else if (item->type.kind == TypeKind::none) {
      line("{0}.shape[{1}] = 1; {0}.stride[{1}] = 0;", result, to++);
    } else if (item->kind == ExprKind::slice) {
      int has_bits = 0;
      std::string bound[3] = {"0", "0", "1"};
      for (int k = 0; k < 3; ++k) {
        const Expr* part = item->items[static_cast<size_t>(k)].get();
        if (!part || part->type.kind == TypeKind::none) continue;
        if (k < 2) has_bits |= 1 << k;
        bound[k] = text_as(*part, Dtype::int64);
      }
      if (has_bits == 0 && bound[2] == "1") {
        copy_axis();
        continue;
      }
      if (bound[2] != "1" && raises_ && !constant_int(*item->items[2])) {
        bound[2] = pin({bound[2], int64_type}).text;
        fail_if(bound[2] + " == 0", fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"slice step cannot be zero\", 0, 0, 0)",
                                                e.place.line));
      }
      const std::string slice = temp("slice");
      line("const ks_slice {} = ks_make_slice({}, {}, {}, {}, {}.shape[{}]);", slice, has_bits, bound[0], bound[1],
           bound[2], object.text, axis);
      line("{}.data += {}.start * {}.stride[{}];", result, slice, object.text, axis);
      line("{0}.shape[{1}] = {2}.n; {0}.stride[{1}] = {3}.stride[{4}] * {2}.step;", result, to++, slice, object.text,
           axis++);
      may_be_empty = true;
    } else {
      const std::string index = checked_index(index_text(*item), object.text, axis, *item, false);
      line("{}.data += {} * {}.stride[{}];", result, index, object.text, axis++);
    }
  }
  while (axis < type.ndim) copy_axis();
  (void)may_be_empty;
  return {result, e.type};
}

}  // namespace kasoku::jit
