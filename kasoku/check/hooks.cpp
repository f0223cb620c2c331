/// \file kasoku/check/hooks.cpp
/// What instrumented code calls: each tells the Shadow of its thread.
#include "kasoku/check/shadow.h"
#include "kasoku/device/cpu/fault.h"
#include "kasoku/device/cpu/nudge.h"
#include "kasoku/device/cpu/runtime.h"
#include "kasoku/jit/runtime.h"

#include <mutex>

namespace kasoku {

void register_check_functions() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto add = [](const char* name, auto* function) {
      cpu::register_runtime_function(name, reinterpret_cast<void*>(function));
    };
    add("ks_check_access", &ks_check_access);
    add("ks_check_within", &ks_check_within);
    add("ks_check_barrier", &ks_check_barrier);
    add("ks_check_part", &ks_check_part);
    add("ks_check_join", &ks_check_join);
    add("ks_check_exit", &ks_check_exit);
    add("ks_check_iteration", &ks_check_iteration);
    add("ks_check_interval", &ks_check_interval);
    add("ks_check_thread", &ks_check_thread);
    add("ks_check_fence", &ks_check_fence);
    add("ks_check_shared", &ks_check_shared);
    add("ks_check_list", &ks_check_list);
    add("ks_check_local", &ks_check_local);
    add("ks_check_local_access", &ks_check_local_access);
    add("ks_check_allocated", &ks_check_allocated);
    add("ks_check_freed", &ks_check_freed);
    add("ks_check_memory_of", &ks_check_memory_of);
    add("ks_check_array", &ks_check_array);
    add("ks_check_index", &ks_check_index);
    observe_grids();
  });
}

}  // namespace kasoku

extern "C" void* ks_check_access(void* address, uint64_t bytes, uint32_t flags,
                                 const ks_check_site* site, uint64_t block, uint64_t thread) {
  kasoku::Shadow* shadow = kasoku::Shadow::current();
  if (!shadow || !bytes) return address;
  void* const checked = shadow->access(static_cast<char*>(address), bytes, flags, *site, block, thread);
  if (shadow->is_stuck() && kasoku::cpu::is_inside_kernel()) kasoku::cpu::leave_kernel(kasoku::cpu::nudge_signal());
  return checked;
}

extern "C" void* ks_check_within(void* address, uint64_t bytes, uint32_t flags, const ks_check_site* site,
                                 uint64_t block, uint64_t thread, void* variable, uint64_t size) {
  kasoku::Shadow* shadow = kasoku::Shadow::current();
  if (!shadow || !bytes) return address;
  return shadow->within(static_cast<char*>(address), bytes, flags, *site, block, thread, static_cast<char*>(variable), size);
}

extern "C" void ks_check_barrier(uint64_t block, uint64_t thread, uint32_t lanes, const ks_check_site* site) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->barrier(block, thread, lanes, site);
}

extern "C" void ks_check_part(uint64_t block, uint64_t thread, uint32_t barrier, uint32_t threads, uint32_t only_arrives) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->part(block, thread, barrier % 16, threads, only_arrives != 0);
}

extern "C" void ks_check_join(uint64_t block, uint64_t thread, uint32_t join, const ks_check_site* site) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->rejoin(block, thread, join, *site);
}

extern "C" void ks_check_exit(uint64_t block, uint64_t thread) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->exit(block, thread);
}

extern "C" void ks_check_fence(uint64_t block, uint64_t thread, uint32_t is_of_block) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->fence(block, thread, is_of_block != 0);
}

extern "C" void ks_check_shared(void* variable, uint64_t bytes) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->shared(static_cast<char*>(variable), bytes);
}

extern "C" void ks_check_local(void* variable, uint64_t bytes) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->local(static_cast<char*>(variable), bytes);
}

extern "C" void ks_check_local_access(void* address, uint64_t bytes, uint32_t flags, const ks_check_site* site,
                                      uint64_t block, uint64_t thread, uint64_t bits) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current())
    shadow->local_access(static_cast<char*>(address), bytes, flags, *site, block, thread, bits);
}

extern "C" void ks_check_allocated(void* memory, uint64_t bytes, uint32_t is_unwritten) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current())
    shadow->allocated(static_cast<char*>(memory), bytes, is_unwritten != 0);
}

extern "C" void ks_check_freed(void* memory) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->freed(static_cast<char*>(memory));
}

extern "C" void* ks_check_memory_of(const void* record) {
  return record ? static_cast<const kasoku::jit::Memory*>(record)->data : nullptr;
}

extern "C" void ks_check_array(const void* data, const char* name, uint64_t element_bytes, int32_t ndim,
                               const int64_t* shape, const int64_t* strides) {
  kasoku::Shadow* shadow = kasoku::Shadow::current();
  if (!shadow || !data) return;
  const auto* first = static_cast<const char*>(data);
  shadow->named({first, 0, name, element_bytes, first, {shape, shape + ndim}, {strides, strides + ndim}});
}

extern "C" void ks_check_list(void* items, const char* name, uint64_t element_bytes, int64_t size) {
  kasoku::Shadow* shadow = kasoku::Shadow::current();
  if (!shadow || !items) return;
  const auto* first = static_cast<const char*>(items);
  shadow->allocated(static_cast<char*>(items), element_bytes * static_cast<uint64_t>(size), false);
  shadow->named({first, 0, name, element_bytes});
}

extern "C" int64_t ks_check_index(int64_t index, int64_t length, int32_t axis, const char* array, const char* file,
                                  int32_t line, uint64_t block, uint64_t thread) {
  kasoku::Shadow* shadow = kasoku::Shadow::current();
  return shadow ? shadow->index(index, length, axis, array, file, line, block, thread) : index;
}

extern "C" void ks_check_iteration(int64_t i) {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->iteration(static_cast<uint64_t>(i));
}

extern "C" int64_t ks_check_thread(int64_t n) {
  kasoku::Shadow* shadow = kasoku::Shadow::current();
  return shadow ? static_cast<int64_t>(shadow->thread_of_iteration(static_cast<uint64_t>(n))) : 0;
}

extern "C" void ks_check_interval() {
  if (kasoku::Shadow* shadow = kasoku::Shadow::current()) shadow->next_interval();
}
