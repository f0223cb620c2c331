/// Array expressions: an elementwise tree becomes one loop (two texts: everything contiguous and
/// of one shape, and the general one with strides and broadcasting). Nothing is stored between.
#include "kasoku/jit/lowering.h"

#include <algorithm>
#include <utility>

namespace kasoku::jit {

/// A tuple's item has a name with a dot.
static std::string operand_name(std::string array) {
  std::ranges::replace(array, '.', '_');
  return array;
}

std::string Index::operator[](const std::string& operand) const {
  return value_at(*loop, *std::ranges::find(loop->operands, operand_name(operand), &LoopOperand::name), {j});
}

Fused FunctionLowering::array_element(const Val& array) {
  Fused fused;
  fused.type = array.type;
  fused.leaves.push_back({array.text, array.type});
  fused.element = [name = array.text](const Index& at) { return at[name]; };
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

Loop FunctionLowering::loop_over(const std::vector<Fused::Leaf>& leaves, const std::string& shape, bool is_flat, int axis) {
  int ndim = 1;
  for (const Fused::Leaf& leaf : leaves) ndim = std::max<int>(ndim, leaf.type.ndim);
  Loop loop;
  loop.schedule = Schedule::range;
  loop.rank = is_flat ? 1 : ndim;
  loop.inner = loop.rank - 1;
  const auto own = [&](int d) { return axis < 0 || d < axis ? d : d < loop.inner ? d + 1 : axis; };
  line("const ks_index _total = ks_size({});", shape);
  for (int d = 0; d < loop.rank && loop.rank > 1; ++d) line("const ks_index _n{} = {}.n[{}];", d, shape, own(d));
  for (const Fused::Leaf& leaf : leaves) {
    const std::string name = operand_name(leaf.name), type = memory_text(leaf.type.dtype);
    loop.operands.push_back({name, type, is_flat || leaf.use == Fused::Use::fresh ? Inner::unit : Inner::strided,
                             leaf.is_number ? kasoku::Walk::index : kasoku::Walk::memory, leaf.use != Fused::Use::read, true});
    if (!leaf.is_number) line("{}* const _m_{} = {}.data;", type, name, leaf.name);
    for (int d = 0; d < loop.rank && !is_flat; ++d) line("const ks_index _s{}_{} = ks_step<{}>({}, {});", d, name, ndim, leaf.name, own(d));
  }
  return loop;
}

void FunctionLowering::by_layout(const std::vector<Fused::Leaf>& leaves, const std::string& shape,
                                 const std::function<void(const Loop&)>& write) {
  std::string flat;
  int n_free = 0;
  bool is_contiguous = true;
  for (const Fused::Leaf& leaf : leaves) {
    if (leaf.use == Fused::Use::fresh) continue;
    ++n_free;
    is_contiguous &= leaf.type.is_contiguous;
    flat += (flat.empty() ? "" : " && ") + fmt::format("ks_is_flat({}, {})", shape, leaf.name);
  }
  const bool is_known = n_free == 0 || (n_free == 1 && is_contiguous);
  open(is_known ? "" : fmt::format("if ({})", flat));
  write(loop_over(leaves, shape, true));
  close();
  if (is_known) return;
  open("else");
  write(loop_over(leaves, shape, false));
  close();
}

void FunctionLowering::elements(const Fused& fused, const std::string& shape, const std::vector<Fused::Leaf>& more,
                                const std::function<void(const Index&)>& body, bool may_run_parallel) {
  std::vector<Fused::Leaf> leaves = more;
  leaves.insert(leaves.end(), fused.leaves.begin(), fused.leaves.end());
  by_layout(distinct(leaves), shape, [&](const Loop& loop) {
    Body text;
    text.element = [&](const kasoku::Place& place, const std::string& indent) {
      return written(static_cast<int>(indent.size()) / 2, [&] {
        Named here{true};
        Named* const around = std::exchange(named_, &here);
        body({&loop, place.j});
        named_ = around;
      });
    };
    text.is_vector = !options_.is_cuda && !on_device_;
    text.assigns_first = std::ranges::none_of(leaves, [](const Fused::Leaf& leaf) { return leaf.use == Fused::Use::written; });
    const bool has_rows = loop.rank > 1;
    line("const ks_index _rows = {}, _width = {};", has_rows ? fmt::format("ks_rows({})", shape) : "_total", has_rows ? row_length(loop) : "1");
    if (may_run_parallel && options_.parallel && !is_parallel_) {
      text.before = "  ks_parallel(ks, _rows, ks_row_chunk(_rows, _width), 2 * _width, [=](ks_i64, ks_i64 _at, ks_i64 _end) {\n";
      text.after = "  });\n";
    } else {
      text.before = written(1, [&] {
        line("for (ks_index _at = 0, _end; _at < _rows; _at = _end) {{");
        leave_if_asked();
        line("_end = {};", has_rows ? "_at + 1" : options_.is_cuda ? "_rows" : "ks_strip_end(_at, _rows, 1)");
      });
      text.after = "  }\n";
    }
    lines(loop_text(loop, text));
  });
}

Val FunctionLowering::new_array(const Type& type, const std::string& shape, bool zeroed, Place place) {
  if (options_.is_cuda) error(place, "arrays cannot be made in a kernel", "use cuda.local.array or cuda.shared.array");
  if (uses_graph() && type.has_records()) error(place, "structured arrays have no compiled form on a device", "use an array for each field");
  const std::string name = temp("array");
  declare(name, type);
  allocate(name, type, shape, zeroed, place);
  return {name, type};
}

void FunctionLowering::allocate(const std::string& name, const Type& type, const std::string& shape, bool zeroed, Place place) {
  fail_if(fmt::format("!ks_allocate({}, {}, {})", name, shape, zeroed ? 1 : 0),
          fmt::format("ks_jit_fail(ks, ks_memory_error, {}, \"\", ks_size_asked({}), {}, 0)", place.line, shape,
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
    elements(fused, s, {{result.text, result.type, Fused::Use::fresh}}, [&](const Index& at) {
      line("{} = {};", at[result.text], fused.element(at));
    }, true);
  });
  return result;
}

Val FunctionLowering::in_dtype(const Val& array, Dtype dtype, Place place) {
  if (array.type.dtype == dtype) return array;
  Fused converted = array_element(array);
  converted.type = Type::array(dtype, array.type.ndim, true);
  converted.element = [element = converted.element, from = array.type.dtype, dtype](const Index& at) { return cast(element(at), from, dtype); };
  return materialise(converted, place);
}

std::string FunctionLowering::overlaps(const Val& target, const Fused& value) {
  std::string text;
  const auto add = [&](const char* test, const std::string& name) {
    text += fmt::format("{}{}({}, {})", text.empty() ? "" : " || ", test, target.text, name);
  };
  for (const Fused::Leaf& leaf : distinct(value.leaves))
    if (leaf.name != target.text && !leaf.is_number) add("ks_overlaps", leaf.name);
  for (const std::string& name : value.gathered) add("ks_meets", name);
  return text;
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
  std::string fits;
  for (const Fused::Leaf& leaf : distinct(value.leaves))
    for (int k = 0; k < leaf.type.ndim && leaf.name != target.text; ++k)
      fits += fmt::format("{}({}.shape[{}] == 1 || {}.shape[{}] == {}.n[{}])", fits.empty() ? "" : " && ", leaf.name, k,
                          leaf.name, k, s, type.ndim - leaf.type.ndim + k);
  if (!fits.empty()) {
    const Fused::Leaf& leaf = value.leaves.back();
    fail_if(fmt::format("!({})", fits),
            fmt::format("ks_jit_fail(ks, ks_shape_error, {}, \"\", {}, {}.n[{}], 0)", place.line,
                        leaf.type.ndim ? fmt::format("{}.shape[{}]", leaf.name, leaf.type.ndim - 1) : "1", s, type.ndim - 1));
  }
  const auto write = [&](const Fused& from) {
    elements(from, s, {{target.text, type, Fused::Use::written}}, [&](const Index& at) {
      line("{} = {};", at[target.text], from.element(at));
    }, true);
  };
  const std::string test = overlaps(target, value);
  // What is read may be what is written, shifted: then all values come before the first store. A kernel has no memory for them.
  if (test.empty() || options_.is_cuda) return write(value);
  open(fmt::format("if (KS_RARELY({}))", test));
  Fused stretched = value;
  stretched.leaves.push_back({target.text, type});
  stretched.type = Type::array(type.dtype, type.ndim, true);
  const Val stored = new_array(stretched.type, s, false, place);
  elements(stretched, s, {{stored.text, stored.type, Fused::Use::fresh}}, [&](const Index& at) {
    line("{} = {};", at[stored.text], value.element(at));
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
