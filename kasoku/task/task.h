/// \file kasoku/task/task.h
/// Delayed work: a Task does something with the values of other tasks.
///
/// Tasks are immutable and shared; a TaskGraph is whatever can be reached from
/// the tasks that are asked for. A program holds a million of them, so a task is small: its
/// text is made when somebody asks.
#pragma once

#include "kasoku/task/value.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kasoku {

class Task;

/// A share in a task.
class TaskPointer {
 public:
  TaskPointer() = default;
  TaskPointer(std::nullptr_t) {}
  /// Takes over the share that a new task begins with.
  explicit TaskPointer(const Task* task) : task_(task) {}
  TaskPointer(const TaskPointer& other);
  TaskPointer(TaskPointer&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  TaskPointer& operator=(TaskPointer other) noexcept { return std::swap(task_, other.task_), *this; }
  ~TaskPointer();

  const Task* get() const { return task_; }
  const Task& operator*() const { return *task_; }
  const Task* operator->() const { return task_; }
  explicit operator bool() const { return task_; }
  /// Gives the share away.
  const Task* release() { return std::exchange(task_, nullptr); }

 private:
  const Task* task_ = nullptr;
};

/// The values that a task reads, in the order of its inputs.
class Inputs {
 public:
  Inputs() = default;
  Inputs(const TaskValue* values, std::span<const uint32_t> places) : values_(values), places_(places) {}
  size_t size() const { return places_.size(); }
  const TaskValue& operator[](size_t i) const { return values_[places_[i]]; }

 private:
  const TaskValue* values_ = nullptr;
  std::span<const uint32_t> places_;
};

class Task {
 public:
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  /// Under the front end's lock (RunOptions::lock).
  virtual TaskValue run(const Inputs& inputs) const = 0;
  /// A task whose inputs are there, and where its value is to lie.
  struct Ready {
    const Task* task;
    Inputs inputs;
    TaskValue* result;
  };
  /// Runs tasks that may_run_free(), this one the first, without that lock; returns how many of them ran. 0 if this one
  /// needs the lock after all, or if there are several and each takes longer than nanoseconds or draws random numbers.
  virtual size_t run_free(std::span<const Ready> ready) const {
    (void)ready;
    return 0;
  }
  virtual std::string name() const = 0;  ///< what a picture shows: "nogil_pi"
  virtual std::string key() const = 0;   ///< unique in the process: "nogil_pi-17"

  std::span<const TaskPointer> inputs() const { return {inputs_.get(), n_inputs_}; }
  bool is_pure() const { return is_pure_; }  ///< pure tasks of one key are one task
  bool may_run_free() const { return may_run_free_; }

 protected:
  struct Traits {
    bool is_pure = false, may_run_free = false;
  };
  Task(std::vector<TaskPointer> inputs, Traits traits);

 private:
  friend class TaskPointer;
  friend class TaskGraph;
  /// Chains of a million tasks end here without recursion.
  static void end(const Task* task);

  mutable std::atomic<uint32_t> shares_{1};
  uint32_t n_inputs_ = 0;
  std::unique_ptr<TaskPointer[]> inputs_;
  mutable uint32_t mark_ = 0;  ///< where the graph that is being made has it, if it has
  const bool is_pure_, may_run_free_;
};

inline TaskPointer::TaskPointer(const TaskPointer& other) : task_(other.task_) {
  if (task_) task_->shares_.fetch_add(1, std::memory_order_relaxed);
}
inline TaskPointer::~TaskPointer() {
  if (task_ && task_->shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) Task::end(task_);
}

/// A task that calls a C++ function.
TaskPointer make_task(std::string name, std::string key, std::function<TaskValue(const Inputs& inputs)> work,
                      std::vector<TaskPointer> inputs = {}, bool is_pure = false);

/// Everything that `roots` need, each task once, inputs before their readers.
/// Places in a graph. They are not written down as long as each is its own position, as those of a million
/// independent tasks are: fresh memory costs more than a small task does.
class Places {
 public:
  Places() = default;
  explicit Places(std::vector<uint32_t> all) : n_(all.size()), all_(std::move(all)) {}
  static Places all_of(size_t n);

  size_t size() const { return n_; }
  uint32_t operator[](size_t i) const { return all_.empty() ? static_cast<uint32_t>(i) : all_[i]; }
  /// Whether none is there twice, for all that can be told at once.
  bool are_different() const { return all_.empty(); }
  void push_back(uint32_t place);

 private:
  size_t n_ = 0;
  std::vector<uint32_t> all_;
};

class TaskGraph {
 public:
  explicit TaskGraph(std::vector<TaskPointer> roots);
  /// The graph of tasks that `holder` keeps alive.
  TaskGraph(std::vector<const Task*> roots, TaskValue holder);

  size_t size() const { return tasks_.size(); }
  const Task& task(size_t i) const { return *tasks_[i]; }
  /// Places of a task's inputs, in the order of task.inputs().
  std::span<const uint32_t> inputs(size_t i) const { return part(inputs_, first_input_, i); }
  /// Places of those that read it, once per use; the one with most tasks still behind it last.
  std::span<const uint32_t> readers(size_t i) const { return part(readers_, first_reader_, i); }
  /// Tasks without inputs, in the order in which they had best run.
  const Places& leaves() const { return leaves_; }
  const Places& roots() const { return roots_; }
  Places take_roots() { return std::move(roots_); }
  /// Whether any task reads another; if none does, all are roots.
  bool has_edges() const { return !inputs_.empty(); }
  bool has_free_tasks() const { return has_free_tasks_; }  ///< any that may_run_free()

 private:
  static std::span<const uint32_t> part(const std::vector<uint32_t>& all, const std::vector<uint32_t>& first,
                                        size_t i) {
    if (all.empty()) return {};
    return std::span(all).subspan(first[i], first[i + 1] - first[i]);
  }
  static constexpr uint32_t none = ~0u;
  void place_tasks();
  std::vector<const Task*> place_independent_roots();
  void find_readers();

  TaskValue holder_;  ///< of the roots, which hold all others
  std::vector<const Task*> tasks_;  ///< the roots until they are placed
  std::vector<uint32_t> inputs_, first_input_, readers_, first_reader_;  ///< first_: empty if none is read
  Places leaves_, roots_;
  bool has_free_tasks_ = false;
};

/// When and where a task ran, in seconds since the run began.
struct TaskTime {
  double begin = 0, end = 0;
  int worker = -1;     ///< -1: did not run
  int thread = 0;      ///< as timeline.h numbers them
  uint64_t bytes = 0;  ///< of its value, as RunOptions::bytes_of says
};

/// A lock of a front end's (Python's) that its tasks need. A worker holds it over a run of tasks: to hand
/// it to another thread takes longer than small tasks do.
class TaskLock {
 public:
  virtual ~TaskLock() = default;
  virtual void take() = 0;
  virtual void give() = 0;
  /// Whether what a task threw is the front end's interrupt.
  virtual bool is_interrupt(const std::exception_ptr& error) const {
    (void)error;
    return false;
  }
};

struct RunOptions {
  int workers = 0;  ///< at most so many tasks at once; 0: as many as the pool has
  /// Called on the waiting thread about twenty times a second and at the end;
  /// may throw, which ends the run.
  std::function<void(size_t done, size_t all)> on_progress;
  std::vector<TaskTime>* times = nullptr;                ///< by place
  std::function<uint64_t(const TaskValue& value)> bytes_of;  ///< asked where times are
  std::shared_ptr<TaskLock> lock;                        ///< for tasks that need it
};

/// The roots' values, in their order. A root that is asked for twice is one value.
struct Results {
  std::vector<TaskValue> values;
  Places places;
  size_t size() const { return places.size(); }
  const TaskValue& operator[](size_t i) const { return values[places[i]]; }
};

/// Runs the graph on threads of an Arena and returns the roots' values. A task's exception
/// stops what has not started and is thrown here when the others are done. A value is dropped as
/// soon as its last reader is done.
///
/// An interrupt does not wait: it is thrown at once, and tasks that run are told to stop, by the
/// InterruptScope that each of them is in. Whoever does not hear it goes on by itself.
Results run(TaskGraph graph, const RunOptions& options = {});

/// The graph in Graphviz' language; with times, each task carries its own.
std::string dot_text(const TaskGraph& graph, const std::vector<TaskTime>* times = nullptr);

/// The picture as SVG, for machines without Graphviz: tasks in layers, by their distance from the inputs.
std::string svg_text(const TaskGraph& graph, const std::vector<TaskTime>* times = nullptr);

}  // namespace kasoku
