#include "kasoku/task/task.h"

#include <algorithm>
#include <string_view>
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
  std::unordered_map<std::string_view, uint32_t> place_of_key;  // of pure tasks
  const auto is_placed = [&](const Task* task) {
    if (place.contains(task)) return true;
    if (!task->is_pure) return false;
    const auto same = place_of_key.find(task->key);
    if (same == place_of_key.end()) return false;
    place.emplace(task, same->second);
    return true;
  };
  auto visit = [&](const TaskPointer& task) {
    if (!is_placed(task.get())) stack.push_back({&task, 0});
  };
  for (const TaskPointer& root : roots) {
    visit(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      const Task& task = **top.task;
      if (is_placed(&task)) {
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
        if (task.is_pure) place_of_key.emplace(task.key, index);
        stack.pop_back();
      }
    }
  }
  for (const TaskPointer& root : roots) roots_.push_back(place.at(root.get()));
}

}  // namespace kasoku
