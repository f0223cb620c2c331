#include "kasoku/compile/background.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace kasoku {
namespace {

struct Background {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> work;
  bool has_thread = false;
  bool is_running = false;  ///< the first one
  bool is_held = false;     ///< the next one does not begin

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !work.empty() && !is_held; });
      const std::function<void()> next = work.front();
      is_running = true;
      lock.unlock();
      try {
        next();
      } catch (...) {
      }
      end_background_first();  // before the destructors of what the compiler made on its way
      lock.lock();
      is_running = false;
      work.pop_front();
      changed.notify_all();
    }
  }

  /// With the mutex: nothing more begins.
  void hold() { is_held = true; }
  bool is_idle() const { return !is_running; }

  /// With the mutex. Without a thread what is there stays to be done; nobody depends on it.
  void start() {
    if (has_thread || work.empty()) return;
    sigset_t all, before;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals go to the program's threads
    try {
      std::thread([this] { run(); }).detach();
      has_thread = true;
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
          made->hold();
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
          made->has_thread = made->is_running = made->is_held = false;
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
  all.work.push_back(std::move(work));
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
  all.changed.wait(lock, [&] { return all.work.empty() || !all.has_thread; });
}

void end_background() {
  Background& all = background();
  std::unique_lock lock(all.mutex);
  all.hold();
  all.changed.wait(lock, [&] { return all.is_idle(); });
}

void end_background_first() { std::atexit(end_background); }

}  // namespace kasoku
