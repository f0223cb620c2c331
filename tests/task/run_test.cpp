/// Running graphs (kasoku/task/run.cpp) and the deques that their workers have (ready_tasks.h).
#include "kasoku/device/cpu/computing.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/task/ready_tasks.h"
#include "kasoku/task/task.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

using namespace kasoku;

namespace {

/// Adds its inputs and `own`.
TaskPointer sum_of(int64_t own, std::vector<TaskPointer> inputs = {}) {
  return make_task(
      "sum", "sum",
      [own](const Inputs& given) {
        int64_t sum = own;
        for (size_t i = 0; i < given.size(); ++i) sum = (sum * 31 + given[i].as_integer()) % 1'000'003;
        return TaskValue::of_integer(sum);
      },
      std::move(inputs));
}

int64_t one_value(const TaskPointer& task, int workers) {
  RunOptions options;
  options.workers = workers;
  return run(TaskGraph({task}), options)[0].as_integer();
}

class CountingLock final : public TaskLock {
 public:
  void take() override { ++taken, mutex.lock(); }
  void give() override { mutex.unlock(); }
  std::mutex mutex;
  std::atomic<int> taken{0};
};

}  // namespace

TEST_CASE("run: a random graph gives what its tasks give one after the other") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    std::vector<TaskPointer> tasks;
    std::vector<int64_t> want;
    const int n = round % 2 ? 200 : 700;  // few, and so many that the first worker begins alone
    for (int i = 0; i < n; ++i) {
      std::vector<TaskPointer> inputs;
      int64_t sum = i;
      for (size_t k = random() % 4; k && i; --k) {
        const size_t from = random() % tasks.size();
        inputs.push_back(tasks[from]);
        sum = (sum * 31 + want[from]) % 1'000'003;
      }
      tasks.push_back(sum_of(i, std::move(inputs)));
      want.push_back(sum);
    }
    RunOptions options;
    options.workers = 1 + round % 6;
    const Results got = run(TaskGraph(tasks), options);
    for (size_t i = 0; i < want.size(); ++i) CHECK(got[i].as_integer() == want[i]);
  }
}

TEST_CASE("run: a chain of a million tasks needs no stack, and goes without it too") {
  TaskPointer last = sum_of(1);
  for (int i = 0; i < 1'000'000; ++i) last = sum_of(1, {last});
  CHECK(one_value(last, 2) > 0);
}

TEST_CASE("run: a task asked for twice, and read twice by one, is one") {
  std::atomic<int> runs{0};
  const TaskPointer one = make_task("one", "one", [&](const Inputs&) { return ++runs, TaskValue::of_integer(7); });
  const Results got = run(TaskGraph({one, sum_of(0, {one, one}), one}));
  CHECK(runs == 1);
  CHECK(got[0].as_integer() == 7);
  CHECK(got[2].as_integer() == 7);
}

TEST_CASE("run: pure tasks of one key are one") {
  std::atomic<int> runs{0};
  const auto pure = [&] {
    return make_task(
        "pure", "pure-1", [&](const Inputs&) { return ++runs, TaskValue::of_integer(3); }, {}, true);
  };
  const Results got = run(TaskGraph({sum_of(0, {pure(), pure()}), pure()}));
  CHECK(runs == 1);
  CHECK(got[0].as_integer() == 3 * 31 + 3);
  CHECK(got[1].as_integer() == 3);
}

TEST_CASE("graph: independent roots lie where they are, whatever follows them") {
  const auto values_of = [](const std::vector<TaskPointer>& roots) {
    const Results got = run(TaskGraph(roots));
    std::vector<int64_t> values;
    for (size_t i = 0; i < got.size(); ++i) values.push_back(got[i].as_integer());
    return values;
  };
  const TaskPointer a = sum_of(1), b = sum_of(2), c = sum_of(3);
  for (int round = 0; round < 2; ++round) {  // marks of the round before are nobody's place
    CHECK(values_of({a, b, c}) == std::vector<int64_t>{1, 2, 3});
    CHECK(values_of({c, b, a}) == std::vector<int64_t>{3, 2, 1});
    CHECK(values_of({a, b, a, c, c}) == std::vector<int64_t>{1, 2, 1, 3, 3});
    CHECK(values_of({a, b, sum_of(0, {a, c}), c}) == std::vector<int64_t>{1, 2, 34, 3});
    CHECK(values_of({sum_of(0, {a, c}), c, a}) == std::vector<int64_t>{34, 3, 1});
  }
  const TaskGraph graph({a, b, a, c});
  CHECK(graph.size() == 3);
  CHECK(graph.roots()[2] == 0);
  CHECK(graph.roots()[3] == 2);
}

TEST_CASE("run: as many tasks run at once as there are workers") {
  for (int round = 0; round < 200; ++round) {
    std::barrier<> meet(5);
    std::vector<TaskPointer> tasks;
    for (int i = 0; i < 5; ++i)
      tasks.push_back(make_task("meets", "meets", [&](const Inputs&) { return meet.arrive_and_wait(), TaskValue(); }));
    RunOptions options;
    options.workers = 5;
    CHECK(run(TaskGraph(tasks), options).size() == 5);
  }
}

TEST_CASE("run: of many tasks any two may wait for each other") {
  for (int round = 0; round < 100; ++round) {
    std::barrier<> meet(2);
    std::vector<TaskPointer> tasks;
    const int n = 1000, first = round % 3 * 400, second = n - 1 - round % 7;
    for (int i = 0; i < n; ++i)
      if (i == first || i == second)
        tasks.push_back(make_task("meets", "meets", [&](const Inputs&) { return meet.arrive_and_wait(), TaskValue(); }));
      else
        tasks.push_back(sum_of(i));
    RunOptions options;
    options.workers = 2;
    CHECK(run(TaskGraph(tasks), options).size() == n);
  }
}

TEST_CASE("run: tasks side by side share the threads that a library may take") {
  for (const int workers : {1, 2, 3}) {
    std::barrier meeting(workers);
    const auto share = [&](const Inputs&) {
      meeting.arrive_and_wait();
      const int64_t found = cpu::thread_share();
      meeting.arrive_and_wait();
      return TaskValue::of_integer(found);
    };
    RunOptions options;
    options.workers = workers;
    std::vector<TaskPointer> tasks;
    for (int i = 0; i < workers; ++i) tasks.push_back(make_task("share", "share", share));
    const Results found = run(TaskGraph(tasks), options);
    // Less where a worker of a run before is on its way to sleep.
    const int64_t most = std::max<int64_t>(1, cpu::thread_limit() / static_cast<uint32_t>(workers));
    for (size_t i = 0; i < found.size(); ++i) CHECK((1 <= found[i].as_integer() && found[i].as_integer() <= most));
  }
  while (cpu::thread_share() != cpu::thread_limit()) std::this_thread::yield();  // and all are for who computes alone
  cpu::parallel_blocks(4, 1, [](uint64_t, uint64_t) { CHECK(cpu::thread_share() == 1); });
}

TEST_CASE("run: an exception stops what has not started") {
  std::atomic<int> late{0};
  std::vector<TaskPointer> tasks = {
      make_task("fails", "fails", [](const Inputs&) -> TaskValue { throw std::runtime_error("no"); })};
  for (int i = 0; i < 100; ++i)
    tasks.push_back(make_task("late", "late", [&](const Inputs&) { return ++late, TaskValue(); }, {tasks[0]}));
  CHECK_THROWS_WITH_AS(run(TaskGraph(tasks)), "no", std::runtime_error);
  CHECK(late == 0);
}

TEST_CASE("run: a value goes with its last reader") {
  struct Counted {
    explicit Counted(std::atomic<int>& alive) : alive(&alive) { ++alive; }
    Counted(Counted&& other) noexcept : alive(std::exchange(other.alive, nullptr)) {}
    ~Counted() {
      if (alive) --*alive;
    }
    std::atomic<int>* alive;
  };
  std::atomic<int> alive{0}, most{0};
  TaskPointer last;
  for (int i = 0; i < 100; ++i) {
    const TaskPointer made = make_task("makes", "makes", [&](const Inputs&) { return TaskValue::of(Counted(alive)); });
    std::vector<TaskPointer> inputs = {made};
    if (last) inputs.push_back(last);
    last = make_task(
        "reads", "reads", [&](const Inputs&) { return most = std::max(most.load(), alive.load()), TaskValue(); }, inputs);
  }
  RunOptions options;
  options.workers = 1;
  run(TaskGraph({last}), options);
  CHECK(alive == 0);
  CHECK(most <= 2);
}

TEST_CASE("run: a worker holds the front end's lock over a run of tasks") {
  const auto lock = std::make_shared<CountingLock>();
  int64_t unguarded = 0;  // the lock guards it
  std::vector<TaskPointer> tasks;
  for (int i = 0; i < 10'000; ++i)
    tasks.push_back(make_task("adds", "adds", [&](const Inputs&) { return ++unguarded, TaskValue(); }));
  RunOptions options;
  options.workers = 4;
  options.lock = lock;
  run(TaskGraph(tasks), options);
  CHECK(unguarded == 10'000);
  CHECK(lock->taken < 200);
}

TEST_CASE("run: tasks that run together run once each, as many as go") {
  static std::atomic<int> together, alone, locked;
  /// Runs with up to four more of its kind, unless it `stays`, which needs the lock.
  class Short final : public Task {
   public:
    Short(int64_t number, bool stays) : Task({}, {.may_run_free = true}), number_(number), stays_(stays) {}
    TaskValue run(const Inputs&) const override { return ++locked, TaskValue::of_integer(number_); }
    size_t run_free(std::span<const Ready> ready) const override {
      size_t n = 0;
      for (; n < std::min<size_t>(ready.size(), 5); ++n) {
        const auto& task = static_cast<const Short&>(*ready[n].task);
        if (task.stays_) break;
        if (task.number_ < 0) throw std::runtime_error("a negative number");
        *ready[n].result = TaskValue::of_integer(task.number_);
      }
      (ready.size() > 1 ? together : alone) += static_cast<int>(n);
      return n;
    }
    std::string name() const override { return "short"; }
    std::string key() const override { return name(); }

   private:
    const int64_t number_;
    const bool stays_;
  };
  for (const int workers : {1, 2, 5}) {
    for (const int64_t n : {40, 3000}) {
      together = alone = locked = 0;
      std::vector<TaskPointer> tasks;
      int64_t want = 0, n_stay = 0;
      for (int64_t i = 0; i < n; ++i) {
        const bool stays = i % 11 == 3 || i % 17 == 0;
        n_stay += stays;
        want = (want * 31 + i) % 1'000'003;
        tasks.emplace_back(new Short(i, stays));
      }
      RunOptions options;
      options.workers = workers;
      options.lock = std::make_shared<CountingLock>();
      const Results results = run(TaskGraph(tasks), options);
      for (int64_t i = 0; i < n; ++i) CHECK(results[static_cast<size_t>(i)].as_integer() == i);
      CHECK(together + alone + locked == n);
      CHECK(locked == n_stay);
      if (n > 40) CHECK(together > 0);
      CHECK(run(TaskGraph({sum_of(0, tasks)}), options)[0].as_integer() == want);
      tasks.emplace_back(new Short(-1, false));
      CHECK_THROWS_WITH(run(TaskGraph({sum_of(0, tasks)}), options), "a negative number");
    }
  }
}

TEST_CASE("ready tasks: thieves and the worker take each task once") {
  ReadyTasks ready;
  constexpr uint32_t n = 200'000;
  std::vector<std::atomic<int>> taken(n);
  std::atomic<bool> is_done{false};
  std::vector<std::jthread> thieves;
  for (int k = 0; k < 3; ++k)
    thieves.emplace_back([&] {
      while (!is_done || !ready.is_empty())
        if (const uint32_t task = ready.steal(); task != ReadyTasks::none) ++taken[task];
    });
  std::mt19937 random(1);
  for (uint32_t next = 0; next < n;) {
    for (uint32_t k = random() % 200; k && next < n; --k) ready.push(next++);
    for (uint32_t k = random() % 200; k; --k)
      if (const uint32_t task = ready.take(); task != ReadyTasks::none) ++taken[task];
  }
  for (uint32_t task; (task = ready.take()) != ReadyTasks::none;) ++taken[task];
  is_done = true;
  thieves.clear();
  CHECK(std::ranges::all_of(taken, [](const std::atomic<int>& times) { return times == 1; }));
}
