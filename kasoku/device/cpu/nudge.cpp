/// \file kasoku/device/cpu/nudge.cpp
/// Only generated code is ever left, and what it calls of the C library is without locks and
/// state (memcpy, mathematics): run-time functions that are not have an OutsideKernel.
#include "kasoku/device/cpu/nudge.h"

#include "kasoku/base/error.h"
#include "kasoku/device/cpu/fault.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <mutex>
#include <utility>

namespace kasoku::cpu {

namespace {

/// Ignored where nobody handles it, so a late one does no harm.
constexpr int the_signal = SIGURG;
constexpr long interval_nanoseconds = 50'000'000;
struct sigaction previous_action;

// The handler reads these: no allocation at the first access of a thread.
#define KS_STATIC_TLS __attribute__((tls_model("initial-exec")))
thread_local const LaunchWatch* watch_now KS_STATIC_TLS = nullptr;
thread_local std::atomic<int>* flag_now KS_STATIC_TLS = nullptr;
thread_local const std::atomic<bool>* stop_now KS_STATIC_TLS = nullptr;
thread_local timer_t timer KS_STATIC_TLS = nullptr;
thread_local bool has_timer KS_STATIC_TLS = false;
thread_local bool is_ticking KS_STATIC_TLS = false;
#undef KS_STATIC_TLS
thread_local std::exception_ptr interruption;

}  // namespace

bool is_told_to_stop() { return stop_now && stop_now->load(std::memory_order_relaxed); }

namespace {

/// Processor time and not the clock's: a thread that waits in a system call is left alone.
void tick() {
  itimerspec once{};
  once.it_value.tv_nsec = interval_nanoseconds;
  is_ticking = ::timer_settime(timer, 0, &once, nullptr) == 0;
}

/// Whether the kernel of this thread is to be left.
bool asks_to_stop() {
  if (is_told_to_stop()) return true;
  if (!watch_now) return false;
  const OutsideKernel outside;
  try {
    if (!watch_now->asks_to_stop()) return false;
    throw Error(ErrorKind::interrupted, "interrupted");
  } catch (...) {
    interruption = std::current_exception();
    return true;
  }
}

void on_nudge(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool is_ours = info->si_code == SI_TIMER || info->si_code == SI_TKILL;
  if (info->si_code == SI_TIMER && has_timer) {
    is_ticking = false;
    if (watch_now) tick();
  }
  if (is_ours && flag_now)
    flag_now->store(1, std::memory_order_relaxed);
  else if (is_ours && is_inside_kernel() && asks_to_stop())
    leave_kernel(signal);
  errno = error;
  if (is_ours) return;
  if (previous_action.sa_flags & SA_SIGINFO)
    previous_action.sa_sigaction(signal, info, context);
  else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN)
    previous_action.sa_handler(signal);
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_nudge;
    // On the thread's own stack, where the poll may run a program's handler; not deferred,
    // because a kernel that is left never returns from the handler.
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    ::sigaction(the_signal, &action, &previous_action);
    pthread_atfork(nullptr, nullptr, [] { has_timer = is_ticking = false; });  // a child has none
  });
}

/// A thread's own timer, made when it launches for the first time.
class Timer {
 public:
  Timer() { install_handler(); }
  ~Timer() {
    if (has_timer) ::timer_delete(timer);
    has_timer = false;
  }

  void start() {
    if (!has_timer) {
      sigevent event{};
      event.sigev_notify = SIGEV_THREAD_ID;
      event.sigev_signo = the_signal;
      event._sigev_un._tid = ::gettid();
      has_timer = ::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0;
    }
    if (has_timer) tick();
  }
};

}  // namespace

int nudge_signal() { return the_signal; }

LaunchWatch::LaunchWatch() : before_(std::exchange(watch_now, this)) {
  if (is_ticking) return;
  thread_local Timer own;
  own.start();
}
LaunchWatch::~LaunchWatch() { watch_now = before_; }

StopScope::StopScope(const std::atomic<bool>& stop) : before_(std::exchange(stop_now, &stop)) {}
StopScope::~StopScope() { stop_now = before_; }

NudgeFlag::NudgeFlag(std::atomic<int>& flag) : before_(std::exchange(flag_now, &flag)) {}
NudgeFlag::~NudgeFlag() { flag_now = before_; }

void nudge(pthread_t thread) {
  install_handler();
  ::pthread_kill(thread, the_signal);
}

void throw_interruption() {
  if (interruption) std::rethrow_exception(std::exchange(interruption, nullptr));
  throw Error(ErrorKind::interrupted, "interrupted");
}

}  // namespace kasoku::cpu
