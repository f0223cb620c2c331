#include "kasoku/base/draws.h"

#include "kasoku/base/hash.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <string_view>

namespace kasoku {

namespace {

thread_local GraphDraws::Task* current_task = nullptr;

/// The first of so many that nobody else gets.
uint64_t fresh_ids(uint64_t count) {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(count, std::memory_order_relaxed) + 1;
}

Draw step(Draw& now) {
  const Draw result = now;
  if (++now.number == uint64_t{1} << 32) {  // a counter has 32 bits for it: on to the next stream
    now.number = 0;
    ++now.stream;
  }
  return result;
}

}  // namespace

uint64_t entropy() {
  std::random_device source;
  return uint64_t{source()} << 32 | source();
}

DrawSource::DrawSource(uint64_t key, Owner owner)
    : id_(fresh_ids(1)),
      home_(owner == Owner::maker && current_task ? current_task->id_ : 0),
      now_{key, 0, 0} {}

Draw DrawSource::take() {
  const std::lock_guard lock(mutex_);
  return step(now_);
}

Draw DrawSource::next() {
  GraphDraws::Task* const task = current_task;
  return task && task->id_ != home_ ? step(task->of(*this).now) : take();
}

void DrawSource::seed(uint64_t key) {
  GraphDraws::Task* const task = current_task;
  if (task && task->id_ != home_) {
    const auto known = std::ranges::find(task->counters_, id_, &GraphDraws::Task::Counter::source);
    if (known != task->counters_.end())
      known->now = {key, 0, 0};
    else  // without a draw from outside
      task->counters_.push_back({id_, {key, 0, 0}});
    return;
  }
  restart(key);
}

void DrawSource::restart(uint64_t key) {
  const std::lock_guard lock(mutex_);
  now_ = {key, 0, 0};
}

uint64_t DrawSource::key() const {
  const std::lock_guard lock(mutex_);
  return now_.key;
}

GraphDraws::GraphDraws(uint64_t tasks) : parent_(current_task), first_id_(fresh_ids(tasks)) {}

/// What the run draws from the source: asked for once, however many tasks want it.
Draw GraphDraws::base(DrawSource& source) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(bases_, source.id_, &Base::source);
  if (known != bases_.end()) return known->draw;
  // As the thread that waits for this run would draw.
  const bool is_foreign = parent_ && parent_->id_ != source.home_;
  const Draw draw = is_foreign ? step(parent_->of(source).now) : source.take();
  bases_.push_back({source.id_, draw});
  return draw;
}

GraphDraws::Task::Task(GraphDraws& graph, uint64_t place)
    : graph_(graph), place_(place), id_(graph.first_id_ + place), before_(current_task) {
  current_task = this;
}

GraphDraws::Task::~Task() { current_task = before_; }

GraphDraws::Task::Counter& GraphDraws::Task::of(DrawSource& source) {
  const auto known = std::ranges::find(counters_, source.id_, &Counter::source);
  if (known != counters_.end()) return *known;
  const Draw base = graph_.base(source);
  const uint64_t words[] = {base.key, base.stream, base.number, place_};
  const uint64_t key = hash64({reinterpret_cast<const char*>(words), sizeof words});
  counters_.push_back({source.id_, {key, 0, 0}});
  return counters_.back();
}

}  // namespace kasoku
