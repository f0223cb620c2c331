/// Array expressions: an elementwise tree becomes one loop (two texts: everything contiguous and
/// of one shape, and the general one with strides and broadcasting). Nothing is stored between.
#include "kasoku/jit/lowering.h"

#include <algorithm>
#include <utility>

namespace kasoku::jit {

std::string offset_text(const std::string& name, int ndim, const Index& at) {
  if (at.is_flat) return at.linear;
  std::string text;
  const int skip = static_cast<int>(at.at.size()) - ndim;
  for (int k = 0; k < ndim; ++k)
    text += fmt::format("{}{} * {}_step{}", k ? " + " : "", at.at[static_cast<size_t>(skip + k)], name, skip + k);
  return text.empty() ? "0" : text;
}

Fused FunctionLowering::array_element(const Val& array) {
  Fused fused;
  fused.type = array.type;
  fused.leaves.push_back({array.text, array.type});
  fused.element = [name = array.text, ndim = array.type.ndim](const Index& at) {
    return fmt::format("{}.data[{}]", name, offset_text(name, ndim, at));
  };
  return fused;
}

Fused FunctionLowering::number_element(const Val& number) {
  Fused fused;
  fused.type = number.type;
  fused.element = [text = number.text](const Index&) { return text; };
  return fused;
}

std::string FunctionLowering::shape(const Fused& fused, Place place) {
  const int ndim = fused.leaves.empty() ? fused.type.ndim
                                        : std::ranges::max_element(fused.leaves, {}, [](const auto& l) { return l.type.ndim; })->type.ndim;
  const std::string name = temp("shape");
  if (fused.leaves.size() == 1) {
    std::string text;
    for (int k = 0; k < ndim; ++k) text += fmt::format("{}{}.shape[{}]", k ? ", " : "", fused.leaves[0].name, k);
    line("const ks_shape<{}> {} = {{{{{}}}}};", ndim, name, text);
    return name;
  }
  std::string ones;
  for (int k = 0; k < ndim; ++k) ones += k ? ", 1" : "1";
  line("ks_shape<{}> {} = {{{{{}}}}};", ndim, name, ones);
  std::string fits;
  std::set<std::string> seen;
  for (const Fused::Leaf& leaf : fused.leaves)
    if (seen.insert(leaf.name).second) fits += (fits.empty() ? "" : " && ") + fmt::format("ks_broadcast({}, {})", name, leaf.name);
  const std::string a = fused.leaves[0].name, b = fused.leaves.back().name;
  const auto length = [&](const Fused::Leaf& leaf) {
    return leaf.type.ndim ? fmt::format("{}.shape[{}]", leaf.name, leaf.type.ndim - 1) : std::string("1");
  };
  fail_if(fmt::format("!({})", fits), fmt::format("ks_jit_fail(ks, ks_shape_error, {}, \"\", {}, {}, 0)", place.line,
                                                   length(fused.leaves[0]), length(fused.leaves.back())));
  return name;
}

std::vector<Fused::Leaf> FunctionLowering::distinct(const std::vector<Fused::Leaf>& leaves) {
  std::vector<Fused::Leaf> all;
  std::set<std::string> seen;
  for (const Fused::Leaf& leaf : leaves)
    if (seen.insert(leaf.name).second) all.push_back(leaf);
  return all;
}

void FunctionLowering::by_layout(const std::vector<Fused::Leaf>& leaves, const std::string& shape,
                                 const std::function<void(bool is_flat)>& write) {
  if (leaves.size() == 1 && leaves[0].type.is_contiguous) return write(true);
  std::string flat;
  for (const Fused::Leaf& leaf : leaves)
    flat += (flat.empty() ? "" : " && ") + fmt::format("ks_is_flat({}, {})", shape, leaf.name);
  if (flat.empty()) return write(true);
  open(fmt::format("if ({})", flat));
  write(true);
  --indent_;
  line("}} else {{");
  ++indent_;
  write(false);
  close();
}

Rows FunctionLowering::rows_of(const std::vector<Fused::Leaf>& leaves, const std::string& shape) {
  size_t ndim = 0;
  for (const Fused::Leaf& leaf : leaves) ndim = std::max(ndim, size_t{leaf.type.ndim});
  for (const Fused::Leaf& leaf : leaves)
    for (size_t k = ndim - leaf.type.ndim; k < ndim; ++k)
      line("const ks_i64 {0}_step{1} = ks_step<{2}>({0}, {1});", leaf.name, k, ndim);
  Rows rows;
  const std::string stem = temp("e");
  rows.row = stem + "_row";
  rows.column = stem;
  rows.count = temp("rows"), rows.width = temp("width");
  line("const ks_i64 {} = {};", rows.width, ndim ? fmt::format("{}.n[{}]", shape, ndim - 1) : "1");
  line("const ks_i64 {} = ks_rows({});", rows.count, shape);
  rows.at.is_flat = false;
  rows.at.linear = fmt::format("({} * {} + {})", rows.row, rows.width, rows.column);
  // The row's number gives the outer indices, the innermost of them first.
  std::string rest = rows.row;
  for (size_t k = ndim; k-- > 0;) {
    if (k + 1 == ndim) {
      rows.at.at.insert(rows.at.at.begin(), rows.column);
      continue;
    }
    const std::string index = fmt::format("{}_{}", stem, k);
    rows.at.at.insert(rows.at.at.begin(), index);
    if (k == 0) {
      rows.unravel += fmt::format("const ks_i64 {} = {}; ", index, rest);
    } else {
      rows.unravel += fmt::format("const ks_i64 {0}_q = {1} / {2}.n[{3}], {0} = {1} - {0}_q * {2}.n[{3}]; ", index, rest, shape, k);
      rest = index + "_q";
    }
  }
  return rows;
}

void FunctionLowering::elements(const Fused& fused, const std::string& shape, const std::vector<Fused::Leaf>& more,
                                const std::function<void(const Index&)>& body, bool may_run_parallel) {
  std::vector<Fused::Leaf> leaves = fused.leaves;
  leaves.insert(leaves.end(), more.begin(), more.end());
  leaves = distinct(leaves);
  const bool pool = may_run_parallel && options_.parallel && !is_parallel_;
  const auto write = [&](const Index& at) {
    Named here{true};
    Named* const around = std::exchange(named_, &here);
    body(at);
    named_ = around;
  };
  by_layout(leaves, shape, [&](bool is_flat) {
    if (is_flat) {
      const std::string i = temp("e"), n = temp("n");
      line("const ks_i64 {} = ks_size({});", n, shape);
      std::string first = "ks_first", end = "ks_end";
      if (pool) {
        line("ks_parallel(ks, {0}, ks_element_chunk({0}), 2, [=](ks_i64, ks_i64 ks_first, ks_i64 ks_end) {{", n),
            ++indent_;
      } else {
        first = temp("strip"), end = temp("end");
        open(fmt::format("for (ks_i64 {0} = 0, {1}; {0} < {2}; {0} = {1})", first, end, n));
        leave_if_asked();
        line("{} = ks_strip_end({}, {}, 1);", end, first, n);
      }
      open(fmt::format("for (ks_i64 {0} = {1}; {0} < {2}; ++{0})", i, first, end));
      write({true, i, {}});
      close();
      if (pool) --indent_, line("}});");
      else
        close();
      return;
    }
    const Rows rows = rows_of(leaves, shape);
    if (pool) line("ks_parallel(ks, {0}, ks_row_chunk({0}, {1}), 2 * {1}, [=](ks_i64, ks_i64 ks_first, ks_i64 ks_end) {{", rows.count, rows.width), ++indent_;
    open(fmt::format("for (ks_i64 {0} = {1}; {0} < {2}; ++{0})", rows.row, pool ? "ks_first" : "0", pool ? "ks_end" : rows.count));
    if (!pool) leave_if_asked();
    if (!rows.unravel.empty()) line("{}", rows.unravel);
    open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}; ++{0})", rows.column, rows.width));
    write(rows.at);
    close();
    close();
    if (pool) --indent_, line("}});");
  });
}

Val FunctionLowering::new_array(const Type& type, const std::string& shape, bool zeroed, Place place) {
  if (options_.is_cuda) error(place, "arrays cannot be made in a kernel", "use cuda.local.array or cuda.shared.array");
  const std::string name = temp("array");
  declare(name, type);
  allocate(name, type, shape, zeroed, place);
  return {name, type};
}

void FunctionLowering::allocate(const std::string& name, const Type& type, const std::string& shape, bool zeroed, Place place) {
  fail_if(fmt::format("!ks_allocate({}, {}, {})", name, shape, zeroed ? 1 : 0),
          fmt::format("ks_jit_fail(ks, ks_memory_error, {}, \"\", ks_size({}), {}, 0)", place.line, shape,
                      info(type.dtype).size));
}

void FunctionLowering::apart(const std::string& result, const std::function<void()>& write) {
  if (!is_long_ || on_device_ || is_parallel_ || options_.is_cuda) return write();
  const std::string outer_fail = std::exchange(fail_, "return true;");
  const bool may_fail = std::exchange(effects_.may_fail, false);
  const std::string before = std::exchange(out_, "");
  ++indent_;
  write();
  --indent_;
  fail_ = outer_fail;
  const std::string text = std::exchange(out_, before);
  const std::string run = fmt::format("ks_apart([=, &{}]() -> bool {{", result);
  if (effects_.may_fail) line("if ({}", run);
  else line("{}", run);
  out_ += text;
  line("  return false;");
  if (effects_.may_fail) line("}})) {}", fail_return());
  else line("}});");
  effects_.may_fail |= may_fail;
}

Val FunctionLowering::computed(const Expr& e) {
  return uses_graph() ? graph_array(e) : materialise(fuse(e), e.place);
}

Val FunctionLowering::materialise(const Fused& fused, Place place) {
  if (fused.where) return masked(fused, place);
  if (options_.is_cuda) error(place, "array expressions cannot be used in a kernel", "write the elements in a loop");
  remark(place, is_parallel_ || on_device_ ? "array expression: one loop inside the iteration"
                : options_.parallel        ? "array expression: one loop, shared among the workers if it is long"
                                           : "array expression: one loop");
  const Val result{temp("array"), fused.type};
  declare(result.text, result.type);
  apart(result.text, [&] {
    const std::string s = shape(fused, place);
    allocate(result.text, result.type, s, false, place);
    elements(fused, s, {{result.text, result.type}}, [&](const Index& at) {
      line("{}.data[{}] = {};", result.text, at.linear, fused.element(at));
    }, true);
  });
  return result;
}

Val FunctionLowering::in_dtype(const Val& array, Dtype dtype, Place place) {
  if (array.type.dtype == dtype) return array;
  const Val named{temp("item"), array.type};  // elements are named after their array
  line("const {} {} = {};", text_of(named.type), named.text, array.text);
  Fused converted = array_element(named);
  converted.type = Type::array(dtype, array.type.ndim, true);
  converted.element = [element = converted.element, from = array.type.dtype, dtype](const Index& at) { return cast(element(at), from, dtype); };
  return materialise(converted, place);
}

void FunctionLowering::store_fused(const Val& target, const Fused& value, Place place) {
  const Type& type = target.type;
  const int wide = value.leaves.empty() ? 0 : std::ranges::max_element(value.leaves, {}, [](const auto& l) { return l.type.ndim; })->type.ndim;
  if (wide > type.ndim) error(place, fmt::format("an array of {} axes cannot be stored into one of {}", wide, type.ndim));
  const std::string s = temp("shape");
  std::string text;
  for (int k = 0; k < type.ndim; ++k) text += fmt::format("{}{}.shape[{}]", k ? ", " : "", target.text, k);
  line("ks_shape<{}> {} = {{{{{}}}}};", type.ndim, s, text);
  // The value must fit into the target as it is; the target does not stretch.
  std::string fits, overlaps;
  std::set<std::string> seen{target.text};
  for (const Fused::Leaf& leaf : value.leaves) {
    if (!seen.insert(leaf.name).second) continue;
    for (int k = 0; k < leaf.type.ndim; ++k)
      fits += fmt::format("{}({}.shape[{}] == 1 || {}.shape[{}] == {}.n[{}])", fits.empty() ? "" : " && ", leaf.name, k,
                          leaf.name, k, s, type.ndim - leaf.type.ndim + k);
    if (leaf.name.find("ks_made") != 0)
      overlaps += fmt::format("{}ks_overlaps({}, {})", overlaps.empty() ? "" : " || ", target.text, leaf.name);
  }
  if (!fits.empty()) {
    const Fused::Leaf& leaf = value.leaves.back();
    fail_if(fmt::format("!({})", fits),
            fmt::format("ks_jit_fail(ks, ks_shape_error, {}, \"\", {}, {}.n[{}], 0)", place.line,
                        leaf.type.ndim ? fmt::format("{}.shape[{}]", leaf.name, leaf.type.ndim - 1) : "1", s, type.ndim - 1));
  }
  const auto write = [&](const Fused& from) {
    elements(from, s, {{target.text, type}}, [&](const Index& at) {
      line("{}.data[{}] = {};", target.text, offset_text(target.text, type.ndim, at), from.element(at));
    }, true);
  };
  if (overlaps.empty()) return write(value);
  // What is read may be what is written, shifted: then all values come before the first store.
  open(fmt::format("if (KS_RARELY({}))", overlaps));
  Fused stretched = value;
  stretched.leaves.push_back({target.text, type});
  stretched.type = Type::array(type.dtype, type.ndim, true);
  const Val stored = new_array(stretched.type, s, false, place);
  elements(stretched, s, {{stored.text, stored.type}}, [&](const Index& at) {
    line("{}.data[{}] = {};", stored.text, at.linear, value.element(at));
  }, true);
  write(array_element(stored));
  --indent_;
  line("}} else {{");
  ++indent_;
  write(value);
  close();
}

void FunctionLowering::store_array(const Val& target, const Expr& value, Place place) {
  if (uses_graph()) return graph_store(target, value, place);
  Fused fused = fuse(value);
  if (fused.where) fused = array_element(masked(fused, place));
  if (value.type.is_scalar()) want_fit_stored(value, fused.element({}), target.type.dtype);
  const auto element = fused.element;
  const Dtype from = value.type.dtype, to = target.type.dtype;
  fused.element = [=](const Index& at) { return cast(element(at), from, to); };
  store_fused(target, fused, place);
}

}  // namespace kasoku::jit
