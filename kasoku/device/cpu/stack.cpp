/// \file kasoku/device/cpu/stack.cpp
#include "kasoku/device/cpu/stack.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace kasoku::cpu {

namespace {

/// The end of a main thread's stack that has no limit (`ulimit -s unlimited`): behind it is a page of ours. 0 for others.
uintptr_t end_of_unlimited_stack() {
  constexpr uintptr_t most = uintptr_t{1} << 30, page = 4096, gap = 2 << 20;  // it keeps away from the next mapping
  rlimit limit;
  if (::gettid() != ::getpid() || ::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur <= most) return 0;
  const uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  void* const end = reinterpret_cast<void*>((here - most) & ~(page - 1));
  void* const mapped =
      ::mmap(end, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  return mapped == end ? reinterpret_cast<uintptr_t>(end) + page + gap : 0;
}

Stack find() {
  thread_local const uintptr_t end = end_of_unlimited_stack();
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  const uintptr_t first = reinterpret_cast<uintptr_t>(low);
  return {end ? end : first, first + bytes};
}

}  // namespace

const Stack& stack_of_thread(bool anew) {
  thread_local Stack stack = find();
  if (anew) stack = find();
  return stack;
}

}  // namespace kasoku::cpu
