#include "kasoku/compile/background.h"

#include "kasoku/device/cpu/pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace kasoku {
namespace {

struct Work {
  std::function<void()> compile;
  bool is_running = false;
};

struct Background {
  std::mutex mutex;
  std::condition_variable changed;
  std::list<Work> work;  ///< what is running stays among it: a child of this process does it again
  int64_t threads = 0;
  bool is_held = false;  ///< nothing more begins

  auto next() {
    return std::ranges::find(work, false, &Work::is_running);
  }

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !is_held && next() != work.end(); });
      const auto own = next();
      own->is_running = true;
      lock.unlock();
      try {
        own->compile();
      } catch (...) {
      }
      end_background_first();  // before the destructors of what the compiler made on its way
      lock.lock();
      work.erase(own);
      changed.notify_all();
    }
  }

  bool is_idle() const {
    return std::ranges::none_of(work, &Work::is_running);
  }

  /// With the mutex. Without a thread what is there stays to be done; nobody depends on it.
  void start() {
    // One of eight cores compiles: the program, which runs meanwhile, has the others.
    static const auto most = std::clamp<int64_t>(cpu::worker_count() / 8, 1, 8);
    const auto running = std::ranges::count(work, true, &Work::is_running), waiting = std::ssize(work) - running;
    if (threads == most || waiting <= threads - running) return;
    sigset_t all, before;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals go to the program's threads
    try {
      std::thread([this] { run(); }).detach();
      ++threads;
      end_background_first();  // it may be at loading the library
    } catch (const std::system_error&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
};

Background& background() {
  static Background* const all = [] {
    static Background* const made = new Background;
    // A child would have the locks that a compile held, and nobody to give them back.
    pthread_atfork(
        [] {
          std::unique_lock lock(made->mutex);
          made->is_held = true;
          // Not for ever: what it is at may wait for something that the forking thread holds.
          made->changed.wait_for(lock, std::chrono::seconds(2), [&] { return made->is_idle(); });
          lock.release();
        },
        [] {
          made->is_held = false;
          made->changed.notify_all();
          made->mutex.unlock();
        },
        [] {
          made->threads = 0;
          made->is_held = false;
          for (Work& each : made->work) each.is_running = false;
          new (&made->changed) std::condition_variable;  // the parent's thread waits at the old one
          made->mutex.unlock();
        });
    return made;
  }();
  return *all;
}

}  // namespace

void in_background(std::function<void()> work) {
  Background& all = background();
  const std::lock_guard lock(all.mutex);
  all.work.push_back({std::move(work)});
  all.start();
  all.changed.notify_all();
}

void go_on_in_background() {
  Background& all = background();
  const std::lock_guard lock(all.mutex);
  all.start();
}

void finish_background() {
  Background& all = background();
  std::unique_lock lock(all.mutex);
  all.start();
  all.changed.wait(lock, [&] { return all.work.empty() || all.threads == 0; });
}

void end_background() {
  Background& all = background();
  std::unique_lock lock(all.mutex);
  all.is_held = true;
  all.changed.wait(lock, [&] { return all.is_idle(); });
}

void end_background_first() { std::atexit(end_background); }

}  // namespace kasoku
