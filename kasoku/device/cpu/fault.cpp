/// \file kasoku/device/cpu/fault.cpp
#include "kasoku/device/cpu/fault.h"

#include "kasoku/device/cpu/overrun.h"
#include "kasoku/device/cpu/stack.h"

#include <fmt/core.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

namespace kasoku::cpu {

namespace {

constexpr std::array fault_signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
std::array<struct sigaction, fault_signals.size()> previous_actions;

// Signal handlers read these: no allocation at the first access of a thread.
#define KS_STATIC_TLS __attribute__((tls_model("initial-exec")))
thread_local sigjmp_buf* way_out KS_STATIC_TLS = nullptr;
thread_local volatile int fault_signal KS_STATIC_TLS = 0;
thread_local volatile uintptr_t fault_address KS_STATIC_TLS = 0, fault_stack KS_STATIC_TLS = 0;
thread_local bool is_prepared KS_STATIC_TLS = false;
#undef KS_STATIC_TLS

/// A fault of nobody's kernel may be the damage that one did. The process is about to end, and this
/// is all that can be said.
void say_last_kernel() {
  const char* const name = last_kernel();
  if (!name) return;
  const auto say = [](std::string_view text) { return ::write(STDERR_FILENO, text.data(), text.size()) >= 0; };
  (void)(say("kasoku: a fault outside of kernels; the last kernel that ran is '") && say(name) &&
         say("'. KASOKU_CHECK=bounds says whether kernels leave their arrays.\n"));
}

void pass_on(size_t i, int signal, siginfo_t* info, void* context) {
  const struct sigaction& previous = previous_actions[i];
  if (previous.sa_flags & SA_SIGINFO) return previous.sa_sigaction(signal, info, context);
  if (signal == SIGSEGV || signal == SIGBUS) say_last_kernel();
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    return previous.sa_handler(signal);
  ::signal(signal, SIG_DFL);  // the instruction faults again, and the process ends as it would have
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (way_out) {
    fault_signal = signal;
    fault_address = info->si_code == SI_KERNEL ? Fault::unnamed : reinterpret_cast<uintptr_t>(info->si_addr);
    fault_stack = static_cast<uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
    siglongjmp(*way_out, 1);
  }
  for (size_t i = 0; i < fault_signals.size(); ++i)
    if (fault_signals[i] == signal) pass_on(i, signal, info, context);
}

void install_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (size_t i = 0; i < fault_signals.size(); ++i) {
      struct sigaction action = {};
      action.sa_sigaction = on_fault;
      // Not deferred: after the jump the next fault of this thread must come too.
      action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigemptyset(&action.sa_mask);
      ::sigaction(fault_signals[i], &action, &previous_actions[i]);
    }
  });
}

/// Whether the stack pointer has left this thread's stack, or is about to.
bool is_stack_full(uintptr_t pointer) {
  constexpr uintptr_t margin = 64 * 1024;
  return pointer < stack_of_thread(true).low + margin;
}

/// A kernel that overflows its stack needs another one for the handler.
class AlternateStack {
 public:
  AlternateStack() {
    stack_t current;
    if (::sigaltstack(nullptr, &current) != 0 || !(current.ss_flags & SS_DISABLE)) return;
    memory_ = std::make_unique_for_overwrite<char[]>(bytes);  // pages that nobody touches cost nothing
    stack_t own = {};
    own.ss_sp = memory_.get();
    own.ss_size = bytes;
    if (::sigaltstack(&own, nullptr) != 0) memory_.reset();
  }
  ~AlternateStack() {
    stack_t current;
    if (!memory_ || ::sigaltstack(nullptr, &current) != 0 || current.ss_sp != memory_.get()) return;
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }

 private:
  static constexpr size_t bytes = 64 * 1024;
  std::unique_ptr<char[]> memory_;
};

/// What a thread needs before its first run.
void prepare_thread() {
  install_handlers();
  thread_local const AlternateStack stack;
  (void)stack;
  stack_of_thread();
  is_prepared = true;
}

}  // namespace

std::string Fault::str() const {
  if (is_stack_full)
    return "its call stack is full: a recursion without an end, or local arrays that are too large";
  if (address == unnamed && (signal == SIGSEGV || signal == SIGBUS))
    return "it read or wrote memory that is not its own, or at an address that is not a multiple of its type's alignment";
  switch (signal) {
    case SIGFPE: return "it divided an integer by zero (or the least integer by -1)";
    case SIGILL: return "it executed an instruction that this processor does not have";
    default: return fmt::format("it read or wrote memory that is not its own (address {:#x})", address);
  }
}

Fault run_guarded(KernelEntry entry, void* const* args, const LaunchContext& context,
                  uint64_t first, uint64_t last) {
  if (!is_prepared) prepare_thread();
  sigjmp_buf here;
  sigjmp_buf* const before = way_out;
  if (sigsetjmp(here, 0) == 0) {
    way_out = &here;
    entry(args, &context, first, last);
    way_out = before;
    return {};
  }
  way_out = before;
  return {fault_signal, fault_address, fault_signal == SIGSEGV && is_stack_full(fault_stack)};
}

bool is_inside_kernel() { return way_out; }

void leave_kernel(int signal) {
  fault_signal = signal;
  siglongjmp(*way_out, 1);
}

OutsideKernel::OutsideKernel() : before_(way_out) { way_out = nullptr; }
OutsideKernel::~OutsideKernel() { way_out = before_; }

}  // namespace kasoku::cpu
