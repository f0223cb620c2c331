/// \file kasoku/device/cpu/runtime.cpp
#include "kasoku/device/cpu/runtime.h"

#include "kasoku/device/cpu/helpers.h"
#include "kasoku/device/cpu/fault.h"
#include "kasoku/device/cpu/globals.h"
#include "kasoku/device/cpu/grid_barrier.h"
#include "kasoku/device/cpu/print_format.h"
#include "kasoku/device/cpu/schedule.h"
#include "kasoku/device/cpu/stack.h"
#include "kasoku/device/cpu/worker_memory.h"
#include "kasoku/device/print.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <time.h>
#include <x86intrin.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <unordered_map>

namespace kasoku::cpu {

namespace {

thread_local LaunchState* running = nullptr;

}  // namespace

LaunchState* current_launch() { return running; }

LaunchState* set_current_launch(LaunchState* launch) {
  LaunchState* before = running;
  running = launch;
  return before;
}

void LaunchState::fail(const std::string& text) {
  std::lock_guard lock(mutex);
  if (failure.empty()) failure = text;
  status = 1;
}

namespace {

/// Nothing may be thrown into generated code, so what a print hook throws ends
/// the launch.
int print_packed(const char* format, const void* slots) noexcept try {
  const std::string text = format_packed(format, static_cast<const uint64_t*>(slots));
  if (!text.empty()) print_text(text);
  return static_cast<int>(text.size());
} catch (const std::exception& error) {
  if (LaunchState* launch = current_launch())
    launch->fail(std::string("its printf could not be shown: ") + error.what());
  return -1;
}

extern "C" {

int ks_rt_printf(const char* format, const void* packed) {
  cpu::read_strings(format, static_cast<const uint64_t*>(packed));  // a fault here is still the kernel's own
  const OutsideKernel outside;
  return print_packed(format, packed);
}

void ks_rt_assert_fail(const char* expression, const char* file, unsigned line,
                       const char* function) {
  const OutsideKernel outside;
  if (LaunchState* launch = current_launch())
    launch->fail(fmt::format("assertion `{}` failed at {}:{} in {}", expression ? expression : "?",
                             file ? file : "?", line, function ? function : "?"));
}

void ks_rt_trap() {
  const OutsideKernel outside;
  if (LaunchState* launch = current_launch()) launch->fail("it executed __trap()");
}

// Before the memory stand its own address and a number, so that free() of another address ends the launch and no process.
namespace {
constexpr uint64_t head_bytes = 16, is_taken = 0x6b61736f6b752d31;
}

void* ks_rt_malloc(uint64_t bytes) {
  const OutsideKernel outside;
  char* const memory = bytes < UINT64_MAX - head_bytes ? static_cast<char*>(std::malloc(bytes + head_bytes)) : nullptr;
  if (!memory) return nullptr;
  const uint64_t head[] = {reinterpret_cast<uint64_t>(memory + head_bytes), is_taken};
  std::memcpy(memory, head, head_bytes);
  return memory + head_bytes;
}

void ks_rt_free(void* memory) {
  if (!memory) return;
  uint64_t head[2] = {};
  char* const whole = static_cast<char*>(memory) - head_bytes;
  if (reinterpret_cast<uint64_t>(memory) % head_bytes == 0) std::memcpy(head, whole, head_bytes);  // a fault is the kernel's
  const OutsideKernel outside;
  if (head[0] == reinterpret_cast<uint64_t>(memory) && head[1] == is_taken) {
    std::memset(whole, 0, head_bytes);
    std::free(whole);
  } else if (LaunchState* launch = current_launch()) {
    launch->fail("it gave an address to free() that no malloc() of a kernel had given it, or gave it twice");
  }
}

void ks_rt_grid_barrier() {
  // Not left while it arrives: a barrier that counted half an arrival never opens. Blocks that
  // are left arrive too, so whoever waits goes on, and is left then.
  const OutsideKernel outside;
  if (LaunchState* launch = current_launch(); launch && launch->grid_barrier)
    launch->grid_barrier->arrive_and_wait();
}

uint32_t ks_rt_place(const void* address) {
  const OutsideKernel outside;
  const auto at = reinterpret_cast<uintptr_t>(address);
  const Stack& stack = stack_of_thread();
  if ((at >= stack.low && at < stack.high) || is_worker_memory(address)) return 1;
  return is_constant_memory(address) ? 2 : 0;
}

uint64_t ks_rt_clock() { return __rdtsc(); }

uint64_t ks_rt_globaltimer() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // extern "C"

using Functions = std::unordered_map<std::string, void*>;

struct Registry {
  std::mutex mutex;
  Functions functions;

  Registry() {
    for (const auto& [name, function] : compiler_helpers()) functions[name] = function;
#define KS_ADD(name) functions[#name] = reinterpret_cast<void*>(&name)
    KS_ADD(ks_rt_printf);
    KS_ADD(ks_rt_assert_fail);
    KS_ADD(ks_rt_trap);
    KS_ADD(ks_rt_malloc);
    KS_ADD(ks_rt_free);
    KS_ADD(ks_rt_grid_barrier);
    KS_ADD(ks_rt_place);
    KS_ADD(ks_rt_clock);
    KS_ADD(ks_rt_globaltimer);
    KS_ADD(ks_rt_schedule);
    KS_ADD(ks_rt_configure);
    KS_ADD(ks_rt_launch);
    KS_ADD(ks_rt_last_error);
    KS_ADD(ks_rt_wait_for_children);
    KS_ADD(ks_rt_new_stream);
    KS_ADD(ks_rt_keep_order);
    KS_ADD(ks_rt_child_copy);
    KS_ADD(ks_rt_child_fill);
#undef KS_ADD
    // Compilers make calls of these out of loops; nothing else of libc is offered.
    for (const char* name : {"memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen", "strcmp",
                             "strncmp", "abort"})
      functions[name] = ::dlsym(RTLD_DEFAULT, name);
    for (const char* name : {"abort", "__cxa_pure_virtual", "__cxa_deleted_virtual"})
      functions[name] = reinterpret_cast<void*>(&ks_rt_trap);
  }
};

Registry& registry() {
  static Registry* registry = new Registry;
  return *registry;
}

/// Loaded when first needed: a cached kernel without mathematics does not pay for it.
void* libm() {
  static void* library = ::dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  return library;
}
void* libmvec() {
  static void* library = ::dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  return library;
}

/// A function of `library` itself; dlsym also looks in what it depends on.
void* find_in(void* library, const char* known, const std::string& name) {
  void* function = library ? ::dlsym(library, name.c_str()) : nullptr;
  Dl_info home, found;
  if (!function || !::dladdr(::dlsym(library, known), &home) || !::dladdr(function, &found))
    return nullptr;
  return home.dli_fbase == found.dli_fbase ? function : nullptr;
}

}  // namespace

void register_runtime_function(const char* name, void* function) {
  std::lock_guard lock(registry().mutex);
  registry().functions[name] = function;
}

void* find_runtime_function(const std::string& name) {
  Registry& all = registry();
  {
    std::lock_guard lock(all.mutex);
    if (const auto found = all.functions.find(name); found != all.functions.end())
      return found->second;
  }
  if (name == "signgam") return nullptr;  // a variable
  if (void* function = find_in(libm(), "sin", name)) return function;
  return find_in(libmvec(), "_ZGVbN2v_sin", name);
}

}  // namespace kasoku::cpu
