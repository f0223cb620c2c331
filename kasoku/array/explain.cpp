#include "kasoku/array/explain.h"

#include "kasoku/array/first_sight.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/run.h"
#include "kasoku/base/text.h"
#include "kasoku/codegen/loop_text.h"
#include "kasoku/compile/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kasoku {
namespace {

const char* reason(Cut cut) {
  switch (cut) {
    case Cut::none: return "it is what was asked for";
    case Cut::reduction: return "a reduction ends a group";
    case Cut::scan: return "a scan ends a group";
    case Cut::smaller: return "what reads it has at least twice as many elements, and would compute each again";
    case Cut::full: return "the group that reads it is as long as a kernel should be";
    case Cut::held: return "an array shows it or did, and it was computed before without being stored";
    case Cut::view: return "what reads it sees its elements in an order of their own";
    case Cut::gathered: return "its elements are read at indices";
    case Cut::scattered: return "random numbers are drawn four at a time, and what reads them takes them in another order";
  }
  return "";
}

std::string named(Dtype dtype, const Shape& shape) { return fmt::format("{} {}", info(dtype).name, str(shape)); }

std::string counted(size_t n, const char* one, const char* many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

/// "sqrt, add twice": what a group computes, in its order.
std::string operations(const Group& group) {
  std::vector<std::pair<std::string, int>> rows;
  const auto add = [&](std::string name) {
    const auto known = std::ranges::find(rows, name, &std::pair<std::string, int>::first);
    if (known == rows.end()) rows.emplace_back(std::move(name), 1);
    else ++known->second;
  };
  for (const Instruction& x : group.values) {
    if (x.kind == Instruction::apply) add(std::string(info(x.op).name));
    if (x.kind == Instruction::cast && x.dtype != group.values[x.in[0]].dtype) add(fmt::format("conversion to {}", info(x.dtype).name));
    if (x.kind == Instruction::gather) add("elements at indices");
    if (x.kind == Instruction::arange) add("a range");
    if (x.kind == Instruction::random) add("random numbers");
  }
  if (group.is_reduce) add(std::string(info(group.reduce_op).name));
  if (group.scan) add(fmt::format("{} of the elements up to each", info(group.scan->join).name));
  std::vector<std::string> words;
  for (const auto& [name, times] : rows) words.push_back(times == 1 ? name : fmt::format("{} ({} times)", name, times));
  return words.empty() ? "copy" : join(words);
}

std::string how(const Fused& fused, Device& device) {
  const KernelState state = kernel_state(fused, device);
  if (state == KernelState::ready) return "its kernel is there";
  const char* const why = needs_kernel(fused, device);
  if (!why) {
    const std::string so_far = device.is_host() ? "operation by operation, by kernels that the library brings along" : "operation by operation, if their kernels are in the cache";
    if (state == KernelState::unknown) return so_far + ": the group is new, and its kernel is compiled when it is met again";
    if (state == KernelState::seen) return so_far + ", while its kernel is compiled in the background";
    if (state == KernelState::wanted) return so_far + ": its kernel is still being compiled";
  }
  const std::string text = is_compiled(group_program(fused.group), device) ? "its kernel is taken from the cache" : "its kernel is compiled first";
  return why ? fmt::format("{}: {}", text, why) : text + ": it failed in the background";
}

/// Groups of an array in the order in which they would run.
class Groups {
 public:
  void add(const NodePtr& node, Cut cut) {
    const auto expression = node->expression.load();
    if (!expression || std::ranges::find(seen_, node.get()) != seen_.end()) return;
    seen_.push_back(node.get());
    const View whole{node->shape, contiguous_strides(node->shape, node->itemsize), 0};
    std::vector<Stored> stored;
    const bool is_reduce = expression->kind == Expression::reduce;
    const Fused fused = is_reduce ? fuse_reduce(*expression, &stored) : expression->kind == Expression::scan ? fuse_scan(*expression, *node, false, &stored) : fuse_map({node, whole}, whole, node->dtype, true, &stored);
    for (const Stored& before : stored) add(before.node, before.why);
    ++size;
    const size_t reads = fused.loads.size(), numbers = fused.scalars.size();
    std::string of = reads ? counted(reads, "array", "arrays") : "";
    if (numbers) of += (reads ? " and " : "") + counted(numbers, "number", "numbers");
    text += fmt::format("{}. {}: {}{}, over {}.\n   Stored, because {}.\n   ", size, named(node->dtype, node->shape), operations(fused.group),
                        of.empty() ? "" : " of " + of, counted(static_cast<size_t>(fused.space.size()), "element", "elements"), reason(cut));
    if (product(node->shape) == 0) text += "Nothing runs: it has no elements.\n";
    else if (expression->kind == Expression::constant) text += "Runs as a fill of memory.\n";
    else text += fmt::format("Runs thus: {}.\n", how(fused, *node->device));
  }

  size_t size = 0;
  std::string text;

 private:
  std::vector<const Node*> seen_;
};

}  // namespace

std::string explain(const Array& array) {
  const std::string title = fmt::format("{} on {}", named(array.dtype(), array.shape()), array.device().str());
  if (!array.is_pending()) return title + " is computed: nothing runs for it.\n";
  Groups groups;
  const NodePtr node = array.input().node;
  groups.add(node, Cut::none);
  const int times = node->times_fused.load();
  const std::string before = times ? fmt::format("It was computed in what read it, {}, without being stored: the next time it is.\n", times == 1 ? "once" : fmt::format("{} times", times)) : "";
  return fmt::format("{} is pending: {}.\n", title, counted(groups.size, "group runs for it", "groups run for it")) + before + groups.text;
}

}  // namespace kasoku
