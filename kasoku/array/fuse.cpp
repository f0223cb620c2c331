#include "kasoku/array/fuse.h"

#include "kasoku/array/array.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/run.h"
#include "kasoku/array/seen_through.h"
#include "kasoku/base/error.h"
#include "kasoku/base/rounding.h"
#include "kasoku/codegen/emit.h"
#include "kasoku/codegen/scan_text.h"
#include "kasoku/codegen/scans.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace kasoku {

std::atomic<bool> use_gpu_form{false};

bool takes_gpu_form(const Device& device) {
  return device.is_simt() || use_gpu_form.load(std::memory_order_relaxed);
}

namespace {

thread_local int glances = 0;

constexpr size_t max_values = 96;
constexpr size_t max_loads = 20;

class Builder {
 public:
  Fused fused;

  explicit Builder(const Shape& domain, std::vector<Stored>* stored = nullptr) : domain_size_(product(domain)), stored_(stored) {
    fused.space.lengths = domain;
    constexpr size_t usual = 8;  // most groups have no more, whose lists grow once
    for (auto* walks : {&fused.space.walks, &load_walks_}) walks->reserve(usual);
    fused.group.values.reserve(2 * usual);
    known_.reserve(usual);
    fused.group.loads.reserve(usual);
    fused.group.inner.reserve(usual);
    fused.loads.reserve(usual);
  }

  /// The value that `view` shows of the node, as an instruction.
  uint16_t value(const NodePtr& node, const View& view, bool is_root) {
    for (const Known& known : known_)
      if (known.node == node.get() && known.offset == view.offset && known.strides == view.strides)
        return known.value;
    auto expression = is_stored(node) ? nullptr : node->expression.load();
    if (!expression && !node->is_done() && !is_stored(node)) evaluate(node);  // another thread is at it, in the memory of what it reads
    const auto store_it = [&](Cut why) {
      expression = nullptr;  // whoever computes it may take the memory of what nobody reads then
      store(node, why);
    };
    if (const Cut why = expression && !is_root ? cut(node, *expression) : Cut::none; why != Cut::none) store_it(why);
    const std::optional<uint16_t> computed = expression ? compute(node, expression, view, is_root) : std::nullopt;
    if (expression && !computed) store_it(Cut::view);
    const uint16_t result = computed ? *computed : load(node, view);
    // Numbers that happen to be equal stay two, so that the kernel is that of any two.
    if (!expression || expression->kind != Expression::constant) known_.push_back({node.get(), view.offset, view.strides, result});
    return result;
  }

  uint16_t convert(uint16_t value, Dtype to) {
    if (fused.group.values[value].dtype == to) return value;
    for (size_t i = 0; i < fused.group.values.size(); ++i) {
      const Instruction& known = fused.group.values[i];
      if (known.kind == Instruction::cast && known.in[0] == value && known.dtype == to) return static_cast<uint16_t>(i);
    }
    return add({.kind = Instruction::cast, .dtype = to, .in = {value, 0, 0}});
  }

  uint16_t distance(uint16_t value, uint16_t from) {
    const Dtype dtype = fused.group.values[value].dtype;
    return add({.kind = Instruction::apply, .op = Op::subtract, .dtype = dtype, .compute = dtype, .in = {value, from, 0}});
  }

  /// The last instruction must be the group's result.
  void finish(uint16_t value) {
    if (value + 1u != fused.group.values.size())
      add({.kind = Instruction::cast, .dtype = fused.group.values[value].dtype, .in = {value, 0, 0}});
  }

  void store(const View& target, Dtype dtype) {
    fused.group.store_dtype = dtype;
    fused.space.walks.push_back({target.offset, target.strides, static_cast<int64_t>(info(dtype).size)});
  }

  void scatter(const Placed& to) {
    ScatterSpec spec;
    spec.distance = value(to.distance.node, to.distance.view, false);
    if (to.condition) spec.condition = value(to.condition->node, to.condition->view, false);
    spec.join = to.join;
    constexpr int64_t few = 16384;  // elements, for which a block's counters would be cleared and read in vain
    const auto size = static_cast<int64_t>(info(to.dtype).size);
    bool stays = true;
    for (size_t d = 0; d < to.target.shape.size(); ++d) stays &= to.target.strides[d] == 0 || to.target.shape[d] == 1;
    spec.is_in_shared = to.join && (*to.join == Op::add || *to.join == Op::subtract) && stays && to.are_in_elements &&
                        (to.most - to.least) / size < shared_places && product(to.target.shape) > few;
    fused.group.scatter = spec;
  }

  void scan(const Expression& expression, bool gives_totals) {
    fused.group.scan = ScanSpec{expression.op, gives_totals};
    fused.group.accumulate = expression.compute;
    fused.space.kept = fused.space.lengths.size() - 1;
  }

  void reduce(const Expression& expression, size_t kept) {
    fused.group.is_reduce = true;
    fused.group.reduce_op = expression.reduce_op;
    fused.group.accumulate = expression.compute;
    fused.space.kept = kept;
  }

  /// Its walks are those of the operands alone, along the domain's axes.
  void be_part(Device& device) {
    gather_walks();
    fused.group.prefix = "_z";
    fused.group.is_simt = takes_gpu_form(device);
  }

  void lay_out(Device& device) {
    gather_walks();
    Group& group = fused.group;
    IterationSpace& space = fused.space;
    group.is_simt = takes_gpu_form(device);
    group.by_chains = !group.is_simt && device.properties().architecture == "x86-64-v4";
    constexpr int64_t large = 65536;  // what fits a core's cache may be walked in any order
    const bool is_large = group.is_reduce && space.size() >= large;
    if (is_large) group.walks_numbers = space.order_kept();
    if (is_large && joins_in_any_order(group.reduce_op, group.accumulate)) space.order_reduced();
    const bool has_order = group.is_reduce || group.scan || (group.scatter && !group.is_simt);
    space.arrange(has_order ? AxisOrder::merged : AxisOrder::free, group.is_simt);
    if (is_large && !group.walks_numbers && !group.joins_results && !info(group.reduce_op).keeps_position()) fused.parts = chunks_as_columns(space);
    group.kept_rank = static_cast<uint8_t>(std::min(space.kept, space.lengths.size()));
    group.reduced_rank = static_cast<uint8_t>(space.lengths.size() - group.kept_rank);
    // The CPU's loops lose nothing with 64 bits.
    group.wide_index = !group.is_simt || !space.is_narrow;
    if (group.scatter) {
      group.scatter->is_in_shared &= group.is_simt;
      group.schedule = group.is_simt ? choose_schedule(space, {.is_straight = false, .is_in_loop = group.scatter->is_in_shared}, true) : Schedule::range;
    }
    else if (!group.is_reduce && !group.scan) group.schedule = choose_schedule(space, {.is_long = is_long(), .is_alone = is_alone()}, group.is_simt);
    choose_form();
    for (const Walk& walk : space.walks) group.inner.push_back(walk.inner);
  }

 private:
  void gather_walks() {
    for (std::vector<Walk>* walks : {&load_walks_, &arange_walks_, &random_walks_})
      std::ranges::move(*walks, std::back_inserter(fused.space.walks));
  }

  /// Whether an element takes functions of many instructions.
  bool is_long() const {
    const auto& values = fused.group.values;
    return !fused.group.loads.empty() && std::ranges::any_of(values, [](const Instruction& x) { return x.kind == Instruction::apply && info(x.op).text[text_column(x.compute)].find("ks_") != std::string_view::npos; });
  }

  bool is_alone() const {
    return fused.randoms.empty() && std::ranges::none_of(fused.group.values, [](const Instruction& x) { return x.kind == Instruction::gather; });
  }

  struct Known {
    Node* node;
    int64_t offset;
    Strides strides;
    uint16_t value;
  };

  uint16_t add(Instruction instruction) {
    fused.group.values.push_back(instruction);
    return static_cast<uint16_t>(fused.group.values.size() - 1);
  }

  /// Whether to compute it costs no more than to read it: a few sums and products of one array that is computed, and of numbers.
  static bool is_light(const Expression& expression, int operations = 3) {
    if (expression.kind == Expression::elementwise) {
      if ((expression.op != Op::add && expression.op != Op::subtract && expression.op != Op::multiply) || is_complex(expression.compute)) return false;
    } else if (expression.kind != Expression::cast) {
      return false;
    }
    int n_computed = 0;
    for (const Input& input : expression.inputs) {
      const auto next = input.node->is_done() ? nullptr : input.node->expression.load();
      if (next && (next->kind == Expression::constant || next->kind == Expression::arange)) continue;
      if (++n_computed > 1 || (next && (operations == 1 || !is_light(*next, operations - 1)))) return false;
    }
    return true;
  }

  /// The cuts: what is stored although it could be computed again.
  Cut cut(const NodePtr& node, const Expression& expression) {
    switch (expression.kind) {
      case Expression::constant:
      case Expression::arange: return Cut::none;
      case Expression::reduce: return Cut::reduction;
      case Expression::scan: return Cut::scan;
      default: break;
    }
    const int64_t size = node->size();
    if (size > 1 && 2 * size <= domain_size_) return fits_in_budget(*node) && !is_light(expression) ? Cut::smaller : Cut::none;
    if (fused.group.values.size() > max_values || fused.loads.size() > max_loads) return expression.kind != Expression::random ? Cut::full : Cut::none;
    // Somebody holds it, or did when it was computed before: the second time it is kept. So a value that is made of the one
    // before it, and read each time, is not computed from the first one on again and again.
    if (size > 1 && (node->n_arrays.load() > 0 || node->times_fused.load() > 0)) {
      const int times = stored_ || glances > 0 ? node->times_fused.load() : node->times_fused.fetch_add(1);
      return times > 0 && fits_in_budget(*node) ? Cut::held : Cut::none;
    }
    return Cut::none;
  }

  bool is_stored(const NodePtr& node) const {
    return stored_ && std::ranges::find(*stored_, node, &Stored::node) != stored_->end();
  }

  void store(const NodePtr& node, Cut why) {
    if (stored_) stored_->push_back({node, why});
    else evaluate(node);
  }

  std::optional<uint16_t> compute(const NodePtr& node, const std::shared_ptr<const Expression>& expression,
                                  const View& view, bool is_root) {
    Group& group = fused.group;
    const int64_t itemsize = static_cast<int64_t>(node->itemsize);
    switch (expression->kind) {
      case Expression::constant:
        fused.scalars.push_back(expression->start);
        group.scalars.push_back({node->dtype});
        return add({.kind = Instruction::scalar, .dtype = node->dtype, .index = static_cast<uint16_t>(group.scalars.size() - 1)});
      case Expression::arange:
      case Expression::random: {
        const bool is_random = expression->kind == Expression::random;
        Walk walk{view.offset / itemsize, view.strides, 1, Walk::numbers};
        for (int64_t& stride : walk.strides) stride /= itemsize;
        std::vector<Walk>& walks = is_random ? random_walks_ : arange_walks_;
        walks.push_back(std::move(walk));
        if (is_random) {
          fused.randoms.push_back({node, expression});
          group.randoms.push_back({node->dtype, expression->random_leaf.distribution});
        } else {
          fused.aranges.push_back(expression);
          group.aranges.push_back(node->dtype);
        }
        return add({.kind = is_random ? Instruction::random : Instruction::arange, .dtype = node->dtype,
                    .index = static_cast<uint16_t>(walks.size() - 1)});
      }
      case Expression::cast:
      case Expression::elementwise:
      case Expression::gather: break;
      case Expression::reduce:
      case Expression::scan: return std::nullopt;
    }
    SeenThrough seen(view, *node);
    std::vector<View> views;
    views.reserve(expression->inputs.size());
    for (const Input& input : expression->inputs) {
      std::optional<View> composed = seen.input(input);
      if (!composed) {
        if (is_root) throw Error(ErrorKind::internal, "a whole array that is not whole");
        return std::nullopt;
      }
      views.push_back(std::move(*composed));
    }
    if (expression->kind == Expression::gather) {
      const Input& source = expression->inputs[0];
      if (!source.node->is_done() && !is_stored(source.node)) store(source.node, Cut::gathered);
      const uint16_t distance = value(expression->inputs[1].node, views[1], false);
      return add({.kind = Instruction::gather, .dtype = node->dtype, .index = load_of(source.node, views[0]), .in = {distance, 0, 0}});
    }
    Instruction result{.kind = Instruction::apply, .op = expression->op, .dtype = node->dtype, .compute = expression->compute};
    for (size_t i = 0; i < views.size(); ++i) {
      const uint16_t in = value(expression->inputs[i].node, views[i], false);
      if (expression->kind == Expression::cast) return convert(in, node->dtype);
      result.in[i] = convert(in, operand_dtype(expression->op, i, expression->compute));
    }
    if (expression->kind == Expression::elementwise && takes_gpu_form(*node->device)) fix_divisor(result);
    return add(result);
  }

  /// Processors divide integers slowly; by a number that the compiler knows they multiply or shift. Only usual divisors are
  /// fixed: each makes a kernel of its own. A CPU's kernel finds out about any number itself, before its loop (ks_divisor).
  void fix_divisor(const Instruction& division) {
    if (division.op != Op::floor_divide && division.op != Op::remainder) return;
    const Instruction& by = fused.group.values[division.in[1]];
    const DtypeKind kind = info(division.compute).kind;
    if (by.kind != Instruction::scalar || (kind != DtypeKind::signed_ && kind != DtypeKind::unsigned_)) return;
    const int64_t value = fused.scalars[by.index].as_int();
    if (value <= 0 || value >> (8 * info(by.dtype).size - 1)) return;
    int64_t tens = value;
    while (tens % 10 == 0) tens /= 10;
    if (value <= 16 || std::has_single_bit(static_cast<uint64_t>(value)) || tens == 1)
      fused.group.scalars[by.index].fixed = value;
  }

  uint16_t load(const NodePtr& node, const View& view) {
    return add({.kind = Instruction::load, .dtype = node->dtype, .index = load_of(node, view)});
  }

  /// Its number.
  uint16_t load_of(const NodePtr& node, const View& view) {
    Group& group = fused.group;
    if (node->dtype == Dtype::opaque) throw Error(ErrorKind::type, "records cannot be computed with");
    fused.loads.push_back(node);
    load_walks_.push_back({view.offset, view.strides, static_cast<int64_t>(node->itemsize)});
    group.loads.push_back(node->dtype);
    return static_cast<uint16_t>(group.loads.size() - 1);
  }

  void choose_form() {
    Group& group = fused.group;
    IterationSpace& space = fused.space;
    const size_t last = space.lengths.size() - 1;
    if (group.is_reduce || group.scan) {
      // Four columns of a thread are in registers.
      const bool is_small = group.is_reduce && !std::ranges::any_of(group.values, [](const Instruction& x) { return x.kind == Instruction::gather; }) && lane_bytes(group.reduce_op, group.accumulate) <= 4 && !info(group.reduce_op).keeps_position() && codegen::copies_of_element(group) >= 16;
      group.form = choose_reduce_form(space, group.is_simt, {.may_be_columns = !group.joins_results, .may_be_wide = is_small, .may_be_split = !group.walks_numbers, .may_be_tiles = group.is_reduce && !group.joins_results, .may_be_in_any_order = group.is_reduce && codegen::may_be_in_any_order(group)});
      if (fused.parts > 1) {
        space.go_along(space.kept - 1);
        group.form = ReduceForm::columns;
      }
      if (group.form == ReduceForm::tiles) group.along = static_cast<uint8_t>(space.inner);
    }
    group.by_fours = !fused.randoms.empty() && !group.scatter && !group.scan && !is_by_columns(group.form) && (group.is_reduce ? group.reduced_rank == 1 : group.rank() == 1);
    const Walk* const walks = space.walks.data() + space.walks.size() - group.walks_numbers - fused.randoms.size();
    group.has_one_block = fused.randoms.size() > 1;
    for (size_t k = 0; k < fused.randoms.size(); ++k) {
      const Walk& walk = walks[k];
      group.by_fours &= walk.inner == Inner::unit && walk.offset % 4 == 0;
      for (size_t d = 0; d < last; ++d) group.by_fours &= walk.strides[d] % 4 == 0;
      group.has_one_block &= walk.offset == walks[0].offset && std::ranges::equal(walk.strides, walks[0].strides);
    }
    group.has_one_block &= group.by_fours;
    constexpr int64_t tile = 32;  // fewer leave threads idle
    if (group.scan && group.is_simt && group.form != ReduceForm::columns) {
      const int64_t length = reduced_length(fused), rows = outputs(fused);
      const bool is_one = rows == 1 && length > scan_row && !group.scan->gives_totals && info(group.accumulate).size <= most_bytes_of_trip;
      const bool are_few = rows <= few_scanned_rows && length <= scan_row && 4 * length > scan_row;
      group.form = length < tile ? ReduceForm::threads : is_one ? ReduceForm::one_trip : are_few ? ReduceForm::few_rows : ReduceForm::rows;
    }
  }

  int64_t domain_size_;
  std::vector<Stored>* stored_;
  std::vector<Known> known_;
  std::vector<Walk> load_walks_, arange_walks_, random_walks_;
};

/// Random leaves that are not read in order cost a call of the generator each;
/// memory is cheaper while there is some.
bool store_scattered(Fused& fused, std::vector<Stored>* stored) {
  if (fused.randoms.empty() || fused.group.by_fours || fused.space.size() < 4096) return false;
  bool any = false;
  for (const auto& leaf : fused.randoms)
    if (leaf.node->size() > 1 && fits_in_budget(*leaf.node)) {
      if (stored) stored->push_back({leaf.node, Cut::scattered});
      else evaluate(leaf.node);
      any = true;
    }
  return any;
}

/// The first element of each row of `x`, whose kept axes come first, in the shape of `x`. What is pending is computed for them alone.
Input first_elements(const Input& x, size_t kept, std::vector<Stored>* stored) {
  Input first = x;
  if (x.node->expression.load()) {
    const auto n = static_cast<std::ptrdiff_t>(kept);
    const View& all = x.view;
    Expression expression;
    expression.kind = Expression::cast;
    expression.inputs = {{x.node, {Shape(all.shape.begin(), all.shape.begin() + n), Strides(all.strides.begin(), all.strides.begin() + n), all.offset}}};
    const Shape shape = expression.inputs[0].view.shape;
    const Strides strides = contiguous_strides(shape, x.node->itemsize);
    first.node = make_node(shape, x.node->dtype, *x.node->device, std::move(expression));
    first.view.offset = 0;
    std::ranges::copy(strides, first.view.strides.begin());
    const Glance glance;
    if (stored) stored->push_back({first.node, Cut::smaller});
    else evaluate(first.node);
  }
  std::fill(first.view.strides.begin() + static_cast<std::ptrdiff_t>(kept), first.view.strides.end(), 0);
  return first;
}

}  // namespace

Glance::Glance() { ++glances; }
Glance::~Glance() { --glances; }

Fused fuse_map(const Input& value, const View& target, Dtype dtype, bool is_root, std::vector<Stored>* stored) {
  for (;;) {
    Builder builder(target.shape, stored);
    Fused& fused = builder.fused;
    const uint16_t result = builder.value(value.node, value.view, is_root);
    builder.finish(builder.convert(result, dtype));
    builder.store(target, dtype);
    builder.lay_out(*value.node->device);
    const bool is_leaf = fused.randoms.size() == 1 && fused.randoms[0].node == value.node;
    if (is_leaf || !store_scattered(fused, stored)) return std::move(fused);
  }
}

Fused fuse_scatter(const Input& value, const Placed& to) {
  for (;;) {
    Builder builder(to.target.shape);
    Fused& fused = builder.fused;
    builder.scatter(to);
    builder.finish(builder.convert(builder.value(value.node, value.view, false), to.join ? to.compute : to.dtype));
    builder.store(to.target, to.dtype);
    builder.lay_out(*value.node->device);
    if (!store_scattered(fused, nullptr)) return std::move(fused);
  }
}

Fused fuse_reduce(const Expression& expression, std::vector<Stored>* stored) {
  const Input& input = expression.inputs[0];
  // Kept axes first, then the reduced ones in their logical order.
  View view{{}, {}, input.view.offset};
  size_t kept = 0;
  for (const bool reduced : {false, true})
    for (size_t d = 0; d < input.view.shape.size(); ++d)
      if (static_cast<bool>(expression.is_reduced[d]) == reduced) {
        view.shape.push_back(input.view.shape[d]);
        view.strides.push_back(input.view.strides[d]);
        kept += !reduced;
      }
  const bool has_moments = info(expression.reduce_op).result == ReductionInfo::moments;
  const Input first = has_moments ? first_elements({input.node, view}, kept, stored) : Input();
  for (;;) {
    Builder builder(view.shape, stored);
    Fused& fused = builder.fused;
    const uint16_t element = builder.convert(builder.value(input.node, view, false), expression.compute);
    builder.finish(has_moments ? builder.distance(element, builder.convert(builder.value(first.node, first.view, false), expression.compute)) : element);
    builder.reduce(expression, kept);
    builder.lay_out(*input.node->device);
    if (!store_scattered(fused, stored)) return std::move(fused);
  }
}

Fused fuse_scan(const Expression& expression, const Node& target, bool gives_totals, std::vector<Stored>* stored) {
  const Input& input = expression.inputs[0];
  const Strides whole = contiguous_strides(target.shape, target.itemsize);
  View from{{}, {}, input.view.offset}, to{{}, {}, 0};
  for (const bool is_scanned : {false, true})
    for (size_t d = 0; d < input.view.shape.size(); ++d)
      if (static_cast<bool>(expression.is_reduced[d]) == is_scanned) {
        from.shape.push_back(input.view.shape[d]);
        from.strides.push_back(input.view.strides[d]);
        to.strides.push_back(whole[d]);
      }
  to.shape = from.shape;
  for (;;) {
    Builder builder(from.shape, stored);
    Fused& fused = builder.fused;
    builder.finish(builder.convert(builder.value(input.node, from, false), expression.compute));
    if (!gives_totals) builder.store(to, target.dtype);
    builder.scan(expression, gives_totals);
    builder.lay_out(*input.node->device);
    if (!store_scattered(fused, stored)) return std::move(fused);
  }
}

Fused fuse_part(std::span<const Input> values, const Shape& domain, Device& device, std::vector<uint16_t>& numbers, std::vector<Stored>* stored) {
  Builder builder(domain, stored);
  numbers.clear();
  for (const Input& value : values) numbers.push_back(builder.value(value.node, value.view, false));
  builder.be_part(device);
  store_scattered(builder.fused, stored);
  return std::move(builder.fused);
}

Fused fuse_partials(const Expression& expression, const NodePtr& values, const NodePtr& indices, int64_t rows, int64_t length, PartialsOrder order) {
  const auto numbers = info(expression.reduce_op).n_numbers(), itemsize = static_cast<int>(values->itemsize);
  const Shape shape{rows, length};
  const auto strides = [&](int64_t size) { return order == PartialsOrder::of_a_result ? Strides{length * size, size} : Strides{size, rows * size}; };
  Builder builder(shape);
  Fused& fused = builder.fused;
  for (int k = 0; k < numbers; ++k) builder.value(values, {shape, strides(int64_t{numbers} * itemsize), int64_t{k} * itemsize}, false);
  if (indices) builder.value(indices, {shape, strides(static_cast<int64_t>(indices->itemsize)), 0}, false);
  fused.group.joins_results = indices || numbers > 1;
  builder.reduce(expression, 1);
  builder.lay_out(*values->device);
  return std::move(fused);
}

}  // namespace kasoku
