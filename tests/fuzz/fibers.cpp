/// \file tests/fuzz/fibers.cpp
/// Runs kernels of a batch: each thread of a block on a stack of its own, each run of a kernel in a
/// process of its own, so that a fault is one kernel's.
///
/// Usage: batch INPUT OUTPUT SECONDS; oracle.py writes and reads the files, a run may take so many seconds.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

// After the system's headers, which use names that CUDA has as macros.
#define FIBER_RUNTIME
#include "fibers.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
char* fibers::dynamic_shared;
extern const int fiber_kernels;
extern const fibers::Entry fiber_entries[];
// The linker's bounds of what `__shared__` names, if a kernel has any.
extern "C" char __start_fiber_shared[] __attribute__((weak));
extern "C" char __stop_fiber_shared[] __attribute__((weak));

#ifndef __x86_64__
#error "the switch between fibers is written for x86-64"
#endif
extern "C" void fiber_switch(void** from, void* to);
asm(R"(
.text
.globl fiber_switch
fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

namespace {
using namespace fibers;

enum class State { runs, meets, meets_block, ended };

struct Fiber {
  void* stack_pointer;
  State state;
  uint3 index;
  Operation operation;
  fiber_u32 mask, by, width;
  fiber_u64 value, result;
  const void* place;
};

constexpr size_t stack_size = 128 << 10;
constexpr int max_threads = 1024;
Fiber all_fibers[max_threads];
char* stacks;
int n_threads, current;
void* scheduler;
bool is_reverse;
const Entry* entry_now;
void** arguments_now;

[[noreturn]] void defect(const char* what) {
  std::fprintf(stderr, "%s (thread %d of block %u,%u)\n", what, current, blockIdx.x, blockIdx.y);
  _exit(3);
}

void run_fiber() {
  entry_now->call(entry_now->kernel, arguments_now);
  all_fibers[current].state = State::ended;
  void* unused;
  fiber_switch(&unused, scheduler);
}

void wait_here() { fiber_switch(&all_fibers[current].stack_pointer, scheduler); }

/// What nobody may look at.
fiber_u64 poison() { return is_reverse ? 0x5a5a5a5a5a5a5a5a : 0; }  // as a condition too, both ways

bool is_there(int warp, int lane) { return warp * 32 + lane < n_threads; }

fiber_u64 result_of(Fiber* warp, fiber_u32 mask, int lane) {
  const Fiber& f = warp[lane];
  const fiber_u32 inside = f.width - 1;
  int source = lane;
  switch (f.operation) {
    case sync_warp: return 0;
    case shfl: source = f.width > 32 ? int(f.by) : int((lane & ~inside) | (f.by & inside)); break;
    case shfl_up: if (fiber_u32(lane & inside) >= (f.by & 31)) source = lane - (f.by & 31); break;
    case shfl_down: if ((lane & inside) + (f.by & 31) < f.width) source = lane + (f.by & 31); break;
    case shfl_xor: if ((lane ^ (f.by & 31)) <= (lane | inside)) source = lane ^ (f.by & 31); break;
    default: source = -1;
  }
  if (source >= 0) return source < 32 && (mask >> source & 1) ? warp[source].value : poison();
  fiber_u64 r = 0;
  bool is_first = true;
  for (int i = 0; i < 32; ++i) {
    if (!(mask >> i & 1)) continue;
    const fiber_u64 v = warp[i].value;
    const fiber_u32 x = fiber_u32(r), y = fiber_u32(v);
    const bool is_same = v == f.value;
    switch (f.operation) {
      case ballot: r |= (v & 1) << i; break;
      case any: r |= v; break;
      case all: r = is_first ? v : r & v; break;
      case match_any: r |= fiber_u64(is_same) << i; break;
      case match_all: r = is_first ? is_same : r & is_same; break;
      case add_u32: r = fiber_u32(x + y); break;
      case min_u32: r = is_first || y < x ? y : x; break;
      case max_u32: r = is_first || y > x ? y : x; break;
      case min_i32: r = is_first || int(y) < int(x) ? y : x; break;
      case max_i32: r = is_first || int(y) > int(x) ? y : x; break;
      case and_u32: r = is_first ? y : x & y; break;
      case or_u32: r = x | y; break;
      case xor_u32: r = x ^ y; break;
      default: defect("an operation that the fibers do not know");
    }
    is_first = false;
  }
  return f.operation == match_all && r ? mask : r;
}

/// Lets lanes go on that wait for no one else.
void meet_if_complete(int number) {
  Fiber* warp = all_fibers + number * 32;
  for (int first = 0; first < 32; ++first) {
    if (!is_there(number, first) || warp[first].state != State::meets) continue;
    const fiber_u32 mask = warp[first].mask;
    fiber_u32 here = 0;
    bool is_complete = true;
    for (int i = 0; i < 32; ++i) {
      if (!(mask >> i & 1) || !is_there(number, i)) continue;
      if (warp[i].state == State::ended) {
        if (!entry_now->may_return) defect("a lane of the mask has gone by");
        continue;
      }
      if (warp[i].state == State::meets && warp[i].mask == mask && warp[i].operation == warp[first].operation)
        here |= 1u << i;
      else
        is_complete = false;
    }
    if (!is_complete) continue;
    for (int i = 0; i < 32; ++i) {
      if (!(here >> i & 1)) continue;
      if (warp[i].place != warp[first].place) defect("lanes meet at two places");
      warp[i].result = result_of(warp, here, i);
    }
    for (int i = 0; i < 32; ++i)
      if (here >> i & 1) warp[i].state = State::runs;
  }
}

void meet_block_if_complete() {
  int waiting = 0, yes = 0, first = -1;
  bool has_gone_by = false;
  for (int i = 0; i < n_threads; ++i) {
    if (all_fibers[i].state == State::ended) {
      has_gone_by = true;
      continue;
    }
    if (all_fibers[i].state != State::meets_block) return;
    if (first < 0) first = i;
    if (all_fibers[i].place != all_fibers[first].place) defect("threads wait at two barriers");
    ++waiting;
    yes += all_fibers[i].value != 0;
  }
  if (!waiting) return;
  if (has_gone_by && !entry_now->may_return) defect("a thread has gone by a barrier");
  for (int i = 0; i < n_threads; ++i) {
    Fiber& f = all_fibers[i];
    if (f.state == State::ended) continue;
    f.result = f.operation == barrier_count ? yes : f.operation == barrier_and ? yes == waiting : yes != 0;
    f.state = State::runs;
  }
}

void run_block(size_t dynamic_bytes) {
  if (__start_fiber_shared) std::memset(__start_fiber_shared, int(poison() & 255), __stop_fiber_shared - __start_fiber_shared);
  std::memset(dynamic_shared, int(poison() & 255), dynamic_bytes);
  for (int t = 0; t < n_threads; ++t) {
    char* top = stacks + (t + 1) * stack_size;
    std::memset(top - 6144, int(poison() & 255), 6144);  // variables that nobody wrote
    void** sp = reinterpret_cast<void**>(top) - 2;
    sp[0] = reinterpret_cast<void*>(run_fiber);
    Fiber& f = all_fibers[t];
    f.stack_pointer = sp - 6;
    f.state = State::runs;
    f.index = {t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
  }
  for (int left = n_threads; left;) {
    bool has_run = false;
    for (int i = 0; i < n_threads; ++i) {
      current = is_reverse ? n_threads - 1 - i : i;
      Fiber& f = all_fibers[current];
      if (f.state != State::runs) continue;
      has_run = true;
      threadIdx = f.index;
      fiber_switch(&scheduler, f.stack_pointer);
      if (f.state == State::ended) --left;
      meet_if_complete(current / 32);
    }
    meet_block_if_complete();
    if (!has_run && left) {
      for (current = 0; all_fibers[current].state == State::ended;) ++current;
      defect("threads wait for each other");
    }
  }
}
}  // namespace

fiber_u32 fibers::rank() { return current; }
fiber_u32 fibers::warp_mask() {
  const int n = n_threads - current / 32 * 32;
  return n >= 32 ? ~0u : (1u << n) - 1;
}

fiber_u64 fibers::meet(Operation operation, fiber_u32 mask, fiber_u64 value, fiber_u32 by, fiber_u32 width, const void* place) {
  Fiber& f = all_fibers[current];
  if (!(mask >> current % 32 & 1)) defect("a lane is not in its own mask");
  if (width & (width - 1) || width == 0) defect("a width that is no power of two");
  f.operation = operation, f.mask = mask, f.value = value, f.by = by, f.width = width, f.place = place;
  f.state = State::meets;
  wait_here();
  return f.result;
}

int fibers::meet_block(Operation operation, int predicate, const void* place) {
  Fiber& f = all_fibers[current];
  f.operation = operation, f.value = predicate != 0, f.place = place;
  f.state = State::meets_block;
  wait_here();
  return int(f.result);
}

namespace {
struct Launch {
  unsigned grid[3], block[3], dynamic_bytes, n_arguments;
};
struct Argument {
  unsigned is_buffer, bytes;
  std::vector<char> data;
};

/// A buffer that ends where memory ends (or begins where it begins), so that no one passes it.
char* guarded(const Argument& a) {
  const size_t page = 4096, size = (a.bytes + page - 1) / page * page;
  char* p = static_cast<char*>(mmap(nullptr, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(p + page, size, PROT_READ | PROT_WRITE);
  char* data = p + page + (is_reverse ? 0 : (size - a.bytes) / 16 * 16);
  std::memcpy(data, a.data.data(), a.bytes);
  return data;
}

void run(const Launch& launch, std::vector<Argument>& arguments, const Entry& entry, int fd) {
  gridDim = {launch.grid[0], launch.grid[1], launch.grid[2]};
  blockDim = {launch.block[0], launch.block[1], launch.block[2]};
  n_threads = blockDim.x * blockDim.y * blockDim.z;
  std::vector<void*> pointers;
  for (Argument& a : arguments) {
    pointers.push_back(a.data.data());
    if (a.is_buffer) pointers.back() = new void*(guarded(a));
  }
  dynamic_shared = static_cast<char*>(aligned_alloc(64, (launch.dynamic_bytes + 127) / 64 * 64));
  entry_now = &entry, arguments_now = pointers.data();
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  for (unsigned i = 0; i < blocks; ++i) {
    const unsigned b = is_reverse ? blocks - 1 - i : i;
    blockIdx = {b % gridDim.x, b / gridDim.x % gridDim.y, b / gridDim.x / gridDim.y};
    run_block(launch.dynamic_bytes);
  }
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].is_buffer && write(fd, *static_cast<void**>(pointers[i]), arguments[i].bytes) < 0) _exit(4);
}

/// Of the processor, not of the clock: the machine may be busy.
void limit_time(int seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = seconds;
  setitimer(ITIMER_VIRTUAL, &limit, nullptr);
}

template <typename T>
T take(FILE* file) {
  T x;
  if (std::fread(&x, sizeof x, 1, file) != 1) _exit(5);
  return x;
}
}  // namespace

int main(int, char** argv) {
  FILE* input = std::fopen(argv[1], "rb");
  FILE* output = std::fopen(argv[2], "wb");
  stacks = static_cast<char*>(mmap(nullptr, max_threads * stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  for (int k = 0; k < fiber_kernels; ++k) {
    const Launch launch = take<Launch>(input);
    std::vector<Argument> arguments(launch.n_arguments);
    size_t bytes = 0;
    for (Argument& a : arguments) {
      a.is_buffer = take<unsigned>(input), a.bytes = take<unsigned>(input);
      a.data.resize(a.bytes);
      if (std::fread(a.data.data(), 1, a.bytes, input) != a.bytes) return 5;
      if (a.is_buffer) bytes += a.bytes;
    }
    for (const bool reverse : {false, true}) {
      int pipe_of[2], errors[2];
      if (pipe(pipe_of) || pipe(errors)) return 6;
      const pid_t child = fork();
      if (child == 0) {
        dup2(errors[1], 2);
        is_reverse = reverse;
        limit_time(std::atoi(argv[3]));
        run(launch, arguments, fiber_entries[k], pipe_of[1]);
        _exit(0);
      }
      close(pipe_of[1]), close(errors[1]);
      std::vector<char> got(bytes);
      size_t n = 0;
      for (ssize_t r; n < bytes && (r = read(pipe_of[0], got.data() + n, bytes - n)) > 0;) n += r;
      char message[4096];
      size_t length = 0;
      for (ssize_t r; length < sizeof message && (r = read(errors[0], message + length, sizeof message - length)) > 0;) length += r;
      close(pipe_of[0]), close(errors[0]);
      int status;
      waitpid(child, &status, 0);
      const int header[] = {status, int(length), status ? 0 : int(n)};
      std::fwrite(header, sizeof header, 1, output);
      std::fwrite(message, 1, length, output);
      if (status == 0) std::fwrite(got.data(), 1, n, output);
    }
  }
  return std::fclose(output);
}
