/// Draws in tasks: by place, never twice (kasoku/base/draws.cpp, kasoku/task/run.cpp).
#include "kasoku/base/draws.h"
#include "kasoku/task/task.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <thread>
#include <tuple>

using namespace kasoku;

namespace {

using Key = std::tuple<uint64_t, uint32_t, uint64_t>;
using Drawn = std::vector<Key>;

Key key_of(const Draw& draw) { return {draw.key, draw.stream, draw.number}; }

/// A task that draws `count` times and takes some time over it.
TaskPointer drawing(DrawSource& source, int count, std::vector<TaskPointer> inputs = {}) {
  return make_task(
      "draws", "draws",
      [&source, count](const Inputs& given) -> TaskValue {
        Drawn drawn;
        for (size_t i = 0; i < given.size(); ++i) {
          const auto& before = *given[i].as<Drawn>();
          drawn.insert(drawn.end(), before.begin(), before.end());
        }
        for (int i = 0; i < count; ++i) {
          drawn.push_back(key_of(source.next()));
          std::this_thread::sleep_for(std::chrono::microseconds(std::random_device()() % 200));
        }
        return TaskValue::of(std::move(drawn));
      },
      std::move(inputs));
}

Drawn drawn_by(const std::vector<TaskPointer>& roots, int workers) {
  Drawn all;
  RunOptions options;
  options.workers = workers;
  const Results results = run(TaskGraph(roots), options);
  for (size_t i = 0; i < results.size(); ++i) {
    const auto& part = *results[i].as<Drawn>();
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<TaskPointer> wide(DrawSource& source) {
  std::vector<TaskPointer> leaves;
  for (int i = 0; i < 12; ++i) leaves.push_back(drawing(source, i % 4));
  return {drawing(source, 2, leaves), drawing(source, 3)};
}

bool is_distinct(const Drawn& drawn) { return std::set<Key>(drawn.begin(), drawn.end()).size() == drawn.size(); }

}  // namespace

TEST_CASE("draws: a source counts, and starts again from a seed") {
  DrawSource source(7);
  const Draw first = source.next(), second = source.next();
  CHECK(first.number == 0);
  CHECK(second.number == 1);
  CHECK(second.key == 7);
  source.seed(7);
  CHECK(key_of(source.next()) == key_of(first));
  CHECK(source.key() == 7);
}

TEST_CASE("draws: a graph with the same seed repeats itself with any number of workers") {
  DrawSource source(3);
  const auto tasks = wide(source);
  const Drawn want = drawn_by(tasks, 1);
  CHECK(is_distinct(want));
  for (const int workers : {1, 2, 3, 5, 8}) {
    source.seed(3);
    CHECK(drawn_by(tasks, workers) == want);
  }
}

TEST_CASE("draws: the next run of a graph draws anew, and moves the source by one draw") {
  DrawSource source(3), same(3);
  const auto tasks = wide(source);
  Drawn both = drawn_by(tasks, 4);
  const Drawn second = drawn_by(tasks, 4);
  both.insert(both.end(), second.begin(), second.end());
  CHECK(is_distinct(both));
  same.next(), same.next();
  CHECK(key_of(source.next()) == key_of(same.next()));
}

TEST_CASE("draws: a source that no task draws from stands still") {
  DrawSource source(3);
  drawn_by({drawing(source, 0)}, 2);
  CHECK(source.next().number == 0);
}

TEST_CASE("draws: a graph inside a task is keyed by both places") {
  DrawSource source(5);
  const auto nested = [&](int workers) {
    std::vector<TaskPointer> outer;
    for (int i = 0; i < 6; ++i)
      outer.push_back(make_task("outer", "outer", [&source, workers](const Inputs&) -> TaskValue {
        Drawn all = drawn_by(wide(source), workers);
        all.push_back(key_of(source.next()));
        const Drawn again = drawn_by(wide(source), workers);
        all.insert(all.end(), again.begin(), again.end());
        return TaskValue::of(std::move(all));
      }));
    return outer;
  };
  const Drawn want = drawn_by(nested(1), 1);
  CHECK(is_distinct(want));
  for (const int workers : {2, 4, 8}) {
    source.seed(5);
    CHECK(drawn_by(nested(3), workers) == want);
  }
}

TEST_CASE("draws: a source that a task makes or seeds is that task's own") {
  DrawSource shared(1);
  const auto seeding = [&] {
    return make_task("seeds", "seeds", [&shared](const Inputs&) -> TaskValue {
      DrawSource own(9);
      shared.seed(9);
      return TaskValue::of(Drawn{key_of(own.next()), key_of(shared.next())});
    });
  };
  for (const Key& key : drawn_by({seeding(), seeding()}, 2)) CHECK(key == Key{9, 0, 0});
  CHECK(shared.key() == 1);
}

TEST_CASE("draws: threads that draw from one source never share a draw") {
  DrawSource source(2);
  std::vector<Drawn> parts(8);
  {
    std::vector<std::jthread> threads;
    for (Drawn& part : parts)
      threads.emplace_back([&] {
        for (int i = 0; i < 2000; ++i) part.push_back(key_of(source.next()));
      });
  }
  Drawn all;
  for (const Drawn& part : parts) all.insert(all.end(), part.begin(), part.end());
  CHECK(is_distinct(all));
}

TEST_CASE("draws: an exception in a task leaves the thread outside of it") {
  DrawSource source(2);
  const auto failing = make_task("fails", "fails", [](const Inputs&) -> TaskValue { throw 1; });
  CHECK_THROWS(drawn_by({failing}, 1));
  CHECK(drawn_by({drawing(source, 1)}, 1).size() == 1);
  CHECK(source.next().number == 1);
}
