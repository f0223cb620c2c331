#include "kasoku/task/arena.h"

#include "kasoku/device/cpu/pool.h"

namespace kasoku {

namespace {
thread_local int own_index = -1;
}

Arena::Arena(int workers)
    : workers_(workers > 0 ? workers : static_cast<int>(cpu::worker_count())) {}

Arena::~Arena() {
  {
    std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  work_came_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.get_id() == std::this_thread::get_id())
      thread.detach();  // the last reference went in a task of ours
    else
      thread.join();
}

void Arena::enqueue(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    if (queue_.size() > idle_ && threads_.size() < static_cast<size_t>(workers_)) {
      const int index = static_cast<int>(threads_.size());
      threads_.emplace_back([this, index] { serve(index); });
    }
  }
  work_came_.notify_one();
}

void Arena::serve(int index) {
  own_index = index;
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    work_came_.wait(lock, [&] { return is_ending_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) return;
    {
      std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
    }
    lock.lock();
  }
}

int Arena::worker_index() { return own_index; }

}  // namespace kasoku
