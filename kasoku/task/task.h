/// \file kasoku/task/task.h
/// Delayed work: a Task names a function and the tasks whose values it takes.
///
/// Tasks are immutable and shared; a TaskGraph is whatever can be reached from
/// the tasks that are asked for. What a value is, the front end knows (a Python
/// object, an Array); tasks only hand it on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kasoku {

using Value = std::shared_ptr<void>;

class Task;
using TaskPointer = std::shared_ptr<const Task>;

class Task {
 public:
  using Function = std::function<Value(std::span<const Value> inputs)>;

  Task(std::string name, std::string key, Function work, std::vector<TaskPointer> inputs, bool is_pure = false)
      : name(std::move(name)), key(std::move(key)), work(std::move(work)), is_pure(is_pure), inputs_(std::move(inputs)) {}
  /// Chains of a million tasks end here without recursion.
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const std::string name;  ///< what a picture shows: "nogil_pi"
  const std::string key;   ///< unique in the process: "nogil_pi-17"
  const Function work;
  const bool is_pure;     ///< pure tasks of one key are one task
  const std::vector<TaskPointer>& inputs() const { return inputs_; }

 private:
  std::vector<TaskPointer> inputs_;
};

/// Everything that `roots` need, each task once, inputs before their readers.
class TaskGraph {
 public:
  explicit TaskGraph(std::span<const TaskPointer> roots);

  struct Entry {
    TaskPointer task;
    std::vector<uint32_t> inputs;   ///< indices of entries, in the order of task->inputs()
    std::vector<uint32_t> readers;  ///< once per use
  };
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<uint32_t>& roots() const { return roots_; }

 private:
  std::vector<Entry> entries_;
  std::vector<uint32_t> roots_;
};

/// When and where a task ran, in seconds since the run began.
struct TaskTime {
  double begin = 0, end = 0;
  int worker = -1;  ///< -1: did not run
};

struct RunOptions {
  int workers = 0;  ///< at most so many tasks at once; 0: as many as the pool has
  /// Called on the waiting thread about twenty times a second and at the end;
  /// may throw, which ends the run.
  std::function<void(size_t done, size_t all)> on_progress;
  std::vector<TaskTime>* times = nullptr;  ///< by entry
  /// Runs a task, on whatever thread: by itself, or in surroundings of the front end's.
  std::function<Value(const Task& task, std::span<const Value> inputs)> work =
      [](const Task& task, std::span<const Value> inputs) { return task.work(inputs); };
};

/// Runs the graph on threads of an Arena and returns the roots' values. A task's exception
/// stops what has not started and is thrown here when the others are done. A value is dropped as
/// soon as its last reader is done.
///
/// An interrupt does not wait: it is thrown at once, and tasks that run are told to stop, by the
/// InterruptScope that each of them is in. Whoever does not hear it goes on by itself.
std::vector<Value> run(TaskGraph graph, const RunOptions& options = {});

/// The graph in Graphviz' language; with times, each task carries its own.
std::string dot_text(const TaskGraph& graph, const std::vector<TaskTime>* times = nullptr);

/// The same picture as SVG, in plain layers: for machines without Graphviz.
std::string svg_text(const TaskGraph& graph, const std::vector<TaskTime>* times = nullptr);

}  // namespace kasoku
