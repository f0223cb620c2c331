#include "kasoku/task/task.h"

#include <algorithm>
#include <unordered_map>

namespace kasoku {

Task::~Task() {
  // Tasks that only this one holds are taken apart here, one by one: their own
  // destructors then find no inputs left.
  std::vector<TaskPointer> doomed = std::move(inputs_);
  while (!doomed.empty()) {
    TaskPointer task = std::move(doomed.back());
    doomed.pop_back();
    if (task.use_count() != 1) continue;
    auto& inputs = const_cast<Task&>(*task).inputs_;
    std::move(inputs.begin(), inputs.end(), std::back_inserter(doomed));
    inputs.clear();
  }
}

TaskGraph::TaskGraph(std::span<const TaskPointer> roots) {
  std::unordered_map<const Task*, uint32_t> place;
  struct Frame {
    const TaskPointer* task;
    size_t next;
  };
  std::vector<Frame> stack;
  auto visit = [&](const TaskPointer& task) {
    if (!place.contains(task.get())) stack.push_back({&task, 0});
  };
  for (const TaskPointer& root : roots) {
    visit(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      const Task& task = **top.task;
      if (place.contains(&task)) {
        stack.pop_back();
      } else if (top.next < task.inputs().size()) {
        visit(task.inputs()[top.next++]);
      } else {
        const auto index = static_cast<uint32_t>(entries_.size());
        entries_.push_back({*top.task, {}, {}});
        for (const TaskPointer& input : task.inputs()) {
          const uint32_t from = place.at(input.get());
          entries_[index].inputs.push_back(from);
          entries_[from].readers.push_back(index);
        }
        place.emplace(&task, index);
        stack.pop_back();
      }
    }
  }
  for (const TaskPointer& root : roots) roots_.push_back(place.at(root.get()));
}

}  // namespace kasoku
