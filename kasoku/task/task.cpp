#include "kasoku/task/task.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_map>

namespace kasoku {

namespace {

class FunctionTask final : public Task {
 public:
  FunctionTask(std::string name, std::string key, std::function<TaskValue(const Inputs&)> work,
               std::vector<TaskPointer> inputs, bool is_pure)
      : Task(std::move(inputs), {.is_pure = is_pure}),
        name_(std::move(name)),
        key_(std::move(key)),
        work_(std::move(work)) {}

  TaskValue run(const Inputs& inputs) const override { return work_(inputs); }
  std::string name() const override { return name_; }
  std::string key() const override { return key_; }

 private:
  const std::string name_, key_;
  const std::function<TaskValue(const Inputs&)> work_;
};

}  // namespace

Task::Task(std::vector<TaskPointer> inputs, Traits traits)
    : n_inputs_(static_cast<uint32_t>(inputs.size())), is_pure_(traits.is_pure), may_run_free_(traits.may_run_free) {
  if (!n_inputs_) return;
  inputs_ = std::make_unique<TaskPointer[]>(n_inputs_);
  std::ranges::move(inputs, inputs_.get());
}

void Task::end(const Task* task) {
  if (!task->n_inputs_) {
    delete task;
    return;
  }
  // Tasks that only this one holds are taken apart here, one by one: their own destructors then find no inputs left.
  std::vector<const Task*> doomed = {task};
  while (!doomed.empty()) {
    auto* last = const_cast<Task*>(doomed.back());
    doomed.pop_back();
    for (size_t i = 0; i < last->n_inputs_; ++i) {
      const Task* input = last->inputs_[i].release();
      if (input && input->shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) doomed.push_back(input);
    }
    delete last;
  }
}

TaskPointer make_task(std::string name, std::string key, std::function<TaskValue(const Inputs&)> work,
                      std::vector<TaskPointer> inputs, bool is_pure) {
  return TaskPointer(new FunctionTask(std::move(name), std::move(key), std::move(work), std::move(inputs), is_pure));
}

Places Places::all_of(size_t n) {
  Places all;
  all.n_ = n;
  return all;
}

void Places::push_back(uint32_t place) {
  const bool is_position = all_.empty() && place == n_;
  if (!is_position) {
    if (all_.empty()) {
      all_.resize(n_);
      std::iota(all_.begin(), all_.end(), 0u);
    }
    all_.push_back(place);
  }
  ++n_;
}

TaskGraph::TaskGraph(std::vector<TaskPointer> roots) {
  tasks_.reserve(roots.size());
  for (const TaskPointer& root : roots) tasks_.push_back(root.get());
  holder_ = TaskValue::of(std::move(roots));
  place_tasks();
  find_readers();
}

TaskGraph::TaskGraph(std::vector<const Task*> roots, TaskValue holder)
    : holder_(std::move(holder)), tasks_(std::move(roots)) {
  place_tasks();
  find_readers();
}

/// The first roots that need nothing and stand here once lie where they are. Returns the others.
std::vector<const Task*> TaskGraph::place_independent_roots() {
  uint32_t n = 0;
  for (; n < tasks_.size(); ++n) {
    const Task& task = *tasks_[n];
    const bool is_placed = task.mark_ < n && tasks_[task.mark_] == &task;
    if (is_placed || task.n_inputs_ || task.is_pure_) break;
    task.mark_ = n;
    has_free_tasks_ |= task.may_run_free_;
  }
  roots_ = Places::all_of(n);
  std::vector<const Task*> others(tasks_.begin() + n, tasks_.end());
  tasks_.resize(n);
  return others;
}

void TaskGraph::place_tasks() {
  static std::mutex& marking = *new std::mutex;  // tasks have one mark, so one graph is made at a time
  const std::lock_guard lock(marking);
  const std::vector<const Task*> others = place_independent_roots();
  std::unordered_map<std::string, uint32_t> place_of_key;  // of pure tasks
  struct Frame {
    const Task* task;
    size_t next;
  };
  std::vector<Frame> stack;
  const auto found = [&](const Task& task) {
    if (!task.is_pure()) return task.mark_ < tasks_.size() && tasks_[task.mark_] == &task ? task.mark_ : none;
    const auto same = place_of_key.find(task.key());
    return same == place_of_key.end() ? none : same->second;
  };
  const auto place = [&](const Task& task) {
    const auto index = static_cast<uint32_t>(tasks_.size());
    if (!task.inputs().empty() && inputs_.empty()) first_input_.assign(index, 0);  // those before have none
    if (!task.inputs().empty() || !inputs_.empty()) first_input_.push_back(static_cast<uint32_t>(inputs_.size()));
    for (const TaskPointer& input : task.inputs()) inputs_.push_back(found(*input));
    tasks_.push_back(&task);
    task.mark_ = index;
    has_free_tasks_ |= task.may_run_free_;
    if (task.is_pure()) place_of_key.emplace(task.key(), index);
    return index;
  };
  /// The place of a task that has one, or needs nothing to get it; else it comes onto the stack.
  const auto visit = [&](const Task& task) {
    const uint32_t known = found(task);
    if (known != none) return known;
    if (task.inputs().empty()) return place(task);
    stack.push_back({&task, 0});
    return none;
  };
  for (const Task* root : others) {
    uint32_t last = visit(*root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.task->inputs().size()) {
        visit(*top.task->inputs()[top.next++]);
        continue;
      }
      const Task& task = *top.task;
      stack.pop_back();
      last = place(task);
    }
    roots_.push_back(last);
  }
  if (!inputs_.empty()) first_input_.push_back(static_cast<uint32_t>(inputs_.size()));
}

void TaskGraph::find_readers() {
  const size_t n = tasks_.size();
  if (!has_edges()) {
    leaves_ = Places::all_of(n);
    return;
  }
  first_reader_.assign(n + 1, 0);
  // How many tasks follow one another from here to the end.
  std::vector<uint32_t> height(n, 0);
  for (size_t i = n; i-- > 0;)
    for (const uint32_t from : inputs(i)) {
      height[from] = std::max(height[from], height[i] + 1);
      ++first_reader_[from + 1];
    }
  for (size_t i = 0; i < n; ++i) first_reader_[i + 1] += first_reader_[i];
  readers_.resize(inputs_.size());
  std::vector<uint32_t> filled(first_reader_.begin(), first_reader_.end() - 1);
  for (size_t i = n; i-- > 0;)
    for (const uint32_t from : inputs(i)) readers_[filled[from]++] = static_cast<uint32_t>(i);
  const auto is_lower = [&](uint32_t a, uint32_t b) { return height[a] < height[b]; };
  for (size_t i = 0; i < n; ++i)
    if (first_reader_[i + 1] - first_reader_[i] > 1)
      std::stable_sort(readers_.begin() + first_reader_[i], readers_.begin() + first_reader_[i + 1], is_lower);
  std::vector<uint32_t> leaves;
  for (size_t i = 0; i < n; ++i)
    if (inputs(i).empty()) leaves.push_back(static_cast<uint32_t>(i));
  // What is deepest first, and of the same depth what the first roots need, so that few values live at a time.
  std::ranges::stable_sort(leaves, [&](uint32_t a, uint32_t b) { return height[a] > height[b]; });
  leaves_ = Places(std::move(leaves));
}

}  // namespace kasoku
