/// \file kasoku/base/draws.h
/// The numbers that draws of random numbers are keyed by: (key, stream, number) is
/// given out once. Inside a task of a graph they depend on the task's place in it,
/// not on which thread runs it when, so that a seeded graph repeats itself.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace kasoku {

struct Draw {
  uint64_t key = 0;
  uint32_t stream = 0;
  uint64_t number = 0;
};

/// 64 bits of the system's entropy.
uint64_t entropy();

/// Numbers the draws of one generator. Any thread may draw at any time.
class DrawSource {
 public:
  enum class Owner : uint8_t { maker, process };
  /// `maker`: the task that runs, if one does, draws from it as from its own.
  explicit DrawSource(uint64_t key, Owner owner = Owner::maker);
  DrawSource(const DrawSource&) = delete;
  DrawSource& operator=(const DrawSource&) = delete;

  Draw next();
  /// Starts again from `key`; in a task that did not make this source, for that task alone.
  void seed(uint64_t key);
  /// Starts again from `key` for everybody.
  void restart(uint64_t key);
  /// The key of the last seed.
  uint64_t key() const;

  /// Around a fork: no other thread is inside.
  std::mutex& mutex() { return mutex_; }

 private:
  friend class GraphDraws;
  Draw take();

  const uint64_t id_;    ///< unique in the process
  const uint64_t home_;  ///< the task that made it; 0: none
  mutable std::mutex mutex_;
  Draw now_;
};

/// The draws of one run of a graph. What the run takes from a source is one draw;
/// each task's own are made from that and its place.
class GraphDraws {
 public:
  /// Made in the thread that runs a graph of so many tasks; that thread may itself be in a task.
  explicit GraphDraws(uint64_t tasks);
  GraphDraws(const GraphDraws&) = delete;
  GraphDraws& operator=(const GraphDraws&) = delete;

  /// While alive the calling thread runs the task at `place`.
  class Task {
   public:
    Task(GraphDraws& graph, uint64_t place);
    ~Task();
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

   private:
    friend class DrawSource;
    friend class GraphDraws;
    struct Counter {
      uint64_t source;
      Draw now;
    };
    Counter& of(DrawSource& source);

    GraphDraws& graph_;
    const uint64_t place_, id_;
    Task* const before_;
    std::vector<Counter> counters_;
  };

 private:
  struct Base {
    uint64_t source;
    Draw draw;
  };
  Draw base(DrawSource& source);

  Task* const parent_;
  const uint64_t first_id_;  ///< of the task at place 0
  std::mutex mutex_;
  std::vector<Base> bases_;
};

}  // namespace kasoku
