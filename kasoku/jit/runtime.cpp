#include "kasoku/jit/runtime.h"
#include "kasoku/jit/algorithms.h"
#include "kasoku/jit/number_text.h"
#include "kasoku/jit/offload.h"

#include "kasoku/base/draws.h"
#include "kasoku/base/error.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/cpu/allocator.h"
#include "kasoku/device/cpu/nudge.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/cpu/runtime.h"
#include "kasoku/device/cpu/stack.h"
#include "kasoku/linalg/lapack.h"
#include "kasoku/linalg/provider.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace kasoku::jit {

namespace {

/// A loop below this many operations is over before a worker wakes.
constexpr int64_t worth_sharing = 60'000;
/// The status of a call that did not fail by itself.
constexpr int ended = 100;

std::atomic<Printer> printer{nullptr};
std::atomic<StringMethod> string_method{nullptr};
std::atomic<StringNumber> string_number{nullptr};
thread_local std::string printed;

DrawSource& draws() {
  static DrawSource& all = *new DrawSource(entropy(), DrawSource::Owner::process);
  static const bool registered = [] {
    // A child starts from entropy of its own.
    pthread_atfork([] { all.mutex().lock(); }, [] { all.mutex().unlock(); },
                   [] { all.mutex().unlock(), all.restart(entropy()); });
    return true;
  }();
  (void)registered;
  return all;
}

thread_local CallRecord* running_call = nullptr;

constexpr size_t header = 64;  ///< before an array's elements, which lie where vectors do

/// Of the block of an array of so many bytes: the header, the elements and a line of memory behind them.
size_t block_size(int64_t bytes) { return header + static_cast<size_t>(bytes) + 64; }

/// The thread's own part of the pool of small arrays (device/cpu/allocator.h): a loop that makes one in each turn has the same each
/// time, and many threads that do so do not wait for the pool's lock.
struct Spare {
  static constexpr size_t least = 256;
#if defined(__SANITIZE_ADDRESS__)
  static constexpr int n_kinds = 0;  // the sanitizer sees what is malloc's
#else
  static constexpr int n_kinds = 6;
#endif
  static constexpr int most = 16;

  static int kind_of(size_t size) {
    int kind = 0;
    while (kind < n_kinds && least << kind < size) ++kind;
    return kind < n_kinds ? kind : -1;
  }
  void* take(int kind) { return count[kind] ? blocks[kind][--count[kind]] : nullptr; }
  bool keep(void* block, int kind) {
    if (count[kind] == most) return false;
    blocks[kind][count[kind]++] = block;
    return true;
  }
  ~Spare() {
    for (int kind = 0; kind < n_kinds; ++kind)
      while (count[kind]) cpu::deallocate(take(kind), least << kind);
  }

  void* blocks[n_kinds + 1][most];
  int count[n_kinds + 1] = {};
};

thread_local bool is_over = false;  ///< the thread ends
struct Owner {
  Spare* spare = nullptr;  // behind a pointer: libraries share little memory that is a thread's own
  ~Owner() {
    is_over = true;
    delete std::exchange(spare, nullptr);
  }
};
thread_local Owner owner;

Spare* spare() {
  if (is_over) return nullptr;
  if (!owner.spare) owner.spare = new (std::nothrow) Spare;
  return owner.spare;
}

/// Of the pool of all; null if there is no memory, for nothing unwinds through generated code.
[[gnu::noinline]] void* from_pool(int kind) {
  try {
    return cpu::allocate(Spare::least << kind);
  } catch (const Error&) {
    return nullptr;
  }
}

extern "C" {

void ks_jit_fail_in(CallRecord* call, int function, int kind, int line, const char* name, int64_t a, int64_t b,
                    int64_t c) {
  // The first failure counts; workers may fail at once.
  int expected = 0;
  if (!__atomic_compare_exchange_n(&call->status, &expected, -1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
  call->function = function;
  call->line = line;
  call->name = name;
  call->a = a, call->b = b, call->c = c;
  __atomic_store_n(&call->status, kind, __ATOMIC_RELEASE);
  call->asked->store(1, std::memory_order_relaxed);  // other threads' loops of the call are to leave
}

/// Whether `names` (",ValueError,#2,") has the failure's.
int ks_jit_catches(const CallRecord* call, const char* names) {
  const std::string_view name = failure_name(*call);
  if (name.empty()) return 0;
  return std::string_view(names).find(fmt::format(",{},", name)) != std::string_view::npos;
}

/// In a handler of an exception: nothing unwinds through generated code, so the call ends as if
/// it had failed, and its front end throws the exception on.
static void end_call(CallRecord* call, int function = 0, int line = 0) {
  static std::mutex& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  CallRecord* root = call;
  for (; root->outer; root = root->outer) ks_jit_fail_in(root, 0, ended, 0, nullptr, 0, 0, 0);
  if (!root->interruption) {
    root->interruption = std::current_exception();
    root->is_placed_error = line > 0;
  }
  ks_jit_fail_in(root, function, ended, line, nullptr, 0, 0, 0);
}

Memory* ks_jit_allocate(int64_t bytes, int zeroed) {
  const size_t size = block_size(bytes);
  void* block = nullptr;
  if (const int kind = Spare::kind_of(size); kind >= 0) {
    Spare* const mine = spare();
    block = mine ? mine->take(kind) : nullptr;
    if (!block) [[unlikely]]
      if (block = from_pool(kind); !block) return nullptr;
  } else if (zeroed && size > (1u << 20)) {
    // Fresh pages are zero already: calloc knows.
    char* raw = static_cast<char*>(std::calloc(1, size + 64));
    if (!raw) return nullptr;
    auto* memory = reinterpret_cast<Memory*>(raw);
    *memory = {1, bytes, nullptr, nullptr};
    memory->data = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(raw) + sizeof(Memory) + 63) / 64 * 64);
    return memory;
  }
  if (!block && posix_memalign(&block, 64, size)) return nullptr;
  auto* memory = static_cast<Memory*>(block);
  *memory = {1, bytes, static_cast<char*>(block) + header, nullptr};
  if (zeroed) std::memset(memory->data, 0, static_cast<size_t>(bytes));
  return memory;
}

void ks_jit_free(Memory* memory) {
  if (memory->buffer) return release_buffer(memory);  // the array engine made it
  const int kind = Spare::kind_of(block_size(memory->bytes));
  if (kind < 0) return std::free(memory);
  Spare* const mine = spare();
  if (!mine || !mine->keep(memory, kind)) [[unlikely]] cpu::deallocate(memory, Spare::least << kind);
}

List* ks_jit_list_new(int64_t capacity, int64_t itemsize) { return new_list(capacity, itemsize); }

int ks_jit_list_grow(List* list, int64_t itemsize) {
  const int64_t capacity = std::max<int64_t>(8, list->capacity * 2);
  if (capacity > std::numeric_limits<int64_t>::max() / 4 / itemsize) return 0;
  void* const items = std::realloc(list->items, static_cast<size_t>(capacity * itemsize));
  if (!items) return 0;
  list->items = items;
  list->capacity = capacity;
  return 1;
}

void ks_jit_list_free(List* list) { free_list(list); }

void* ks_jit_object_new(uint64_t bytes) { return std::malloc(bytes); }
void ks_jit_object_free(void* object) { std::free(object); }

Dict* ks_jit_dict_new(int64_t entry_size) { return new_dict(entry_size); }
int ks_jit_dict_grow(Dict* dict, int64_t entry_size) { return grow(*dict, entry_size); }
void ks_jit_dict_free(Dict* dict) { free_dict(dict); }

static Strings& strings_of(CallRecord* call) {
  while (call->outer) call = call->outer;
  return call->strings;
}

uint32_t* ks_jit_string_room(CallRecord* call, int64_t size) { return strings_of(call).room(size); }
int ks_jit_string_joined(CallRecord* call, String* out, const String* a, const String* b) {
  *out = strings_of(call).joined(*a, *b);
  return out->at != nullptr;
}
void ks_jit_string_method(CallRecord* call, String* out, const char* name, const String* given, int64_t n) {
  *out = {};
  try {
    *out = string_method.load()(strings_of(call), name, given, n);
  } catch (...) {
    end_call(call);
  }
}
void ks_jit_string_format(CallRecord* call, String* out, String value, String spec) {
  const std::string text = formatted(value, spec);
  if (text.empty()) {  // Python knows
    const String given[] = {value, spec};
    return ks_jit_string_method(call, out, "__format__", given, 2);
  }
  uint32_t* const room = strings_of(call).room(static_cast<int64_t>(text.size()));
  if (!room) return ks_jit_fail_in(call, 0, static_cast<int>(Failure::memory), 0, nullptr, 0, 0, 0);
  *out = {room, std::ranges::copy(text, room).out - room};
}
void ks_jit_string_number(CallRecord* call, int function, int line, const String* text, int64_t* whole, double* real) {
  try {
    const std::string failure = string_number.load()(*text, whole, real);
    if (failure.empty()) return;
    auto* const kept = reinterpret_cast<char*>(strings_of(call).room(static_cast<int64_t>(failure.size() / 4 + 1)));
    if (!kept) throw std::bad_alloc();
    std::memcpy(kept, failure.c_str(), failure.size() + 1);
    ks_jit_fail_in(call, function, static_cast<int>(Failure::raised), line, kept, 0, 0, 0);
  } catch (...) {
    end_call(call);
  }
}

static bool has_failed(const CallRecord* call) { return __atomic_load_n(&call->status, __ATOMIC_RELAXED) != 0; }

/// Called by loops when somebody asks, on any thread. Workers learn from the calling one, which
/// may be waiting in the pool.
int ks_jit_poll(CallRecord* call) {
  CallRecord* root = call;
  bool has_ended = false;  // what is around a try statement has failed elsewhere
  for (; root->outer; root = root->outer) has_ended |= has_failed(root);
  const bool is_stopped = cpu::is_told_to_stop();
  if (has_ended || is_stopped || has_failed(root)) {
    for (CallRecord* each = call; each->outer; each = each->outer) ks_jit_fail_in(each, 0, ended, 0, nullptr, 0, 0, 0);
    if (is_stopped) ks_jit_fail_in(root, 0, ended, 0, nullptr, 0, 0, 0);
    return 1;
  }
  if (running_call != root) return 0;
  root->is_asked.store(0, std::memory_order_relaxed);
  try {
    root->interrupt->ask();
    return 0;
  } catch (...) {
    end_call(call);
    return 1;
  }
}

int ks_jit_is_deep() {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const auto has_room = [&](const cpu::Stack& stack) { return here >= stack.end() && here < stack.high; };
  if (has_room(cpu::stack_of_thread())) return 0;
  const cpu::Stack& now = cpu::stack_of_thread(true);
  return here >= now.low && here < now.end();  // elsewhere it is a stack that somebody else has made
}

void ks_jit_parallel(CallRecord* call, void (*body)(void*, int64_t, int64_t, int64_t), void* context, int64_t n,
                     int64_t chunk, int64_t cost) {
  const int64_t chunks = (n + chunk - 1) / chunk;
  const auto run = [&](int64_t c) { body(context, c, c * chunk, std::min(n, (c + 1) * chunk)); };
  const auto failed = [&] {
    return has_failed(call) || (call->asked->load(std::memory_order_relaxed) && ks_jit_poll(call));
  };
  if (chunks == 1 || n < worth_sharing / std::max<int64_t>(cost, 1) || cpu::worker_count() == 1) {
    for (int64_t c = 0; c < chunks && !failed(); ++c) run(c);
    return;
  }
  cpu::LaunchState* const launch = cpu::current_launch();
  // Small chunks are taken several at once, a 32nd of a worker's share at most; or an eighth, where a 32nd is over
  // before the clocks around it are read.
  const int64_t worth = worth_sharing / std::max<int64_t>(cost, 1) / chunk, workers = cpu::worker_count();
  const int64_t grain = std::min(worth, std::max(chunks / (32 * workers), std::min(worth / 2, chunks / (8 * workers))));
  try {
    cpu::parallel_blocks(static_cast<uint64_t>(chunks), static_cast<uint64_t>(grain), [&](uint64_t begin, uint64_t end) {
      cpu::LaunchState* const before = cpu::set_current_launch(launch);
      const cpu::NudgeFlag nudges(*call->asked);
      for (uint64_t c = begin; c < end && !failed(); ++c) run(static_cast<int64_t>(c));
      cpu::set_current_launch(before);
    });
  } catch (...) {
    end_call(call);
  }
}

int64_t ks_jit_thread_limit() { return cpu::thread_limit(); }
int64_t ks_jit_thread_number() { return cpu::thread_number(); }

void ks_jit_product(CallRecord* call, int dtype, const int64_t* n, void* a, void* b, void* c) {
  try {
    linalg::Matmul product;
    product.dtype = static_cast<Dtype>(dtype);
    product.m = n[0], product.n = n[1], product.k = n[2];
    const auto size = static_cast<int64_t>(info(product.dtype).size);
    product.a = {a, n[3] * size, n[4] * size, {}};
    product.b = {b, n[5] * size, n[6] * size, {}};
    product.c = {c, product.n * size, size, {}};
    static Device& host = device("cpu");
    linalg::matmul(product, host, host.current_stream());
  } catch (...) {
    end_call(call);
  }
}

int64_t ks_jit_lapack(CallRecord* call, int routine, int dtype, const linalg::Rows* operands, int64_t n) {
  try {
    return linalg::lapack(static_cast<linalg::Routine>(routine), static_cast<Dtype>(dtype), {operands, static_cast<size_t>(n)});
  } catch (...) {
    end_call(call);
    return 0;
  }
}

void ks_jit_algorithm(CallRecord* call, int function, int line, const char* name, const Given* given, int64_t n, const Made* made,
                      int64_t n_made) {
  cpu::LaunchState* const launch = cpu::current_launch();
  try {
    static Device& host = device("cpu");
    run_algorithm(name, {given, static_cast<size_t>(n)}, {made, static_cast<size_t>(n_made)}, host);
  } catch (const Error&) {
    end_call(call, function, line);
  } catch (...) {
    end_call(call);
  }
  cpu::set_current_launch(launch);
}

void ks_jit_draw(CallRecord* call) {
  const Draw draw = draws().next();
  call->key = draw.key;
  call->draw = uint64_t{draw.stream} << 32 | draw.number;
}

void ks_jit_seed(CallRecord*, int64_t value) { seed(value); }

void ks_jit_print_int(int64_t value) { printed += fmt::format("{}", value); }
void ks_jit_print_uint(uint64_t value) { printed += fmt::format("{}", value); }
void ks_jit_print_float(double value, int is_single) {
  printed += shown(value, is_single);
}
void ks_jit_print_complex(double re, double im) {
  const bool is_imaginary = re == 0 && !std::signbit(re);
  printed += is_imaginary ? fmt::format("{}j", im) : fmt::format("({}{:+}j)", re, im);
}
void ks_jit_print_bool(int value) { printed += value ? "True" : "False"; }
void ks_jit_print_text(const char* text, int64_t size) { printed.append(text, static_cast<size_t>(size)); }
void ks_jit_print_string(const String* text) {
  for (int64_t i = 0; i < text->size; ++i) {
    const uint32_t c = text->at[i];
    const auto put = [](uint32_t byte) { printed += static_cast<char>(byte); };
    if (c < 0x80) put(c);
    else if (c < 0x800) put(0xc0 | c >> 6), put(0x80 | (c & 0x3f));
    else if (c < 0x10000) put(0xe0 | c >> 12), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f));
    else put(0xf0 | c >> 18), put(0x80 | (c >> 12 & 0x3f)), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f));
  }
}
void ks_jit_print_flush() {
  const std::string text = std::move(printed);
  printed.clear();
  if (const Printer print = printer.load()) print(text.data(), text.size());
}

}  // extern "C"

}  // namespace

std::string_view failure_name(const CallRecord& record) {
  const std::string_view name = record.name ? record.name : "";
  switch (static_cast<Failure>(record.status)) {
    case Failure::index: return "IndexError";
    case Failure::zero_division: return "ZeroDivisionError";
    case Failure::value:
    case Failure::shape: return "ValueError";
    case Failure::memory: return record.a < 0 ? "ValueError" : "MemoryError";
    case Failure::assertion: return "AssertionError";
    case Failure::key: return "KeyError";
    case Failure::overflow: return "OverflowError";
    case Failure::unbound: return "UnboundLocalError";
    case Failure::recursion: return "RecursionError";
    case Failure::raised: return name.substr(0, name.find_first_of(":\n"));
    default: return "";
  }
}

RunningCall::RunningCall(CallRecord& record) : outer_(std::exchange(running_call, &record)) {}
RunningCall::~RunningCall() { running_call = outer_; }

void release(Memory* memory) {
  if (!memory || __atomic_sub_fetch(&memory->count, 1, __ATOMIC_ACQ_REL) != 0) return;
  ks_jit_free(memory);
}

void set_printer(Printer print) { printer = print; }
void set_string_functions(StringMethod method, StringNumber number) { string_method = method, string_number = number; }

void seed(int64_t value) {
  // Neighbouring seeds give unrelated keys (SplitMix64's finaliser).
  uint64_t z = static_cast<uint64_t>(value) + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  draws().seed(z ^ (z >> 31));
}

void register_functions() {
  static const bool done = [] {
    const std::pair<const char*, void*> functions[] = {
#define KS_ROW(name) {#name, reinterpret_cast<void*>(&name)}
        KS_ROW(ks_jit_fail_in),       KS_ROW(ks_jit_catches),       KS_ROW(ks_jit_allocate),
        KS_ROW(ks_jit_free),          KS_ROW(ks_jit_parallel),      KS_ROW(ks_jit_thread_limit),
        KS_ROW(ks_jit_thread_number), KS_ROW(ks_jit_product),       KS_ROW(ks_jit_lapack),
        KS_ROW(ks_jit_algorithm),     KS_ROW(ks_jit_draw),          KS_ROW(ks_jit_seed),
        KS_ROW(ks_jit_print_int),     KS_ROW(ks_jit_print_uint),    KS_ROW(ks_jit_print_float),
        KS_ROW(ks_jit_print_complex), KS_ROW(ks_jit_print_bool),    KS_ROW(ks_jit_print_text),
        KS_ROW(ks_jit_print_flush),   KS_ROW(ks_jit_poll),          KS_ROW(ks_jit_is_deep),
        KS_ROW(ks_jit_object_new),    KS_ROW(ks_jit_object_free),   KS_ROW(ks_jit_list_new),
        KS_ROW(ks_jit_list_grow),     KS_ROW(ks_jit_list_free),     KS_ROW(ks_jit_string_room),
        KS_ROW(ks_jit_string_joined), KS_ROW(ks_jit_string_method), KS_ROW(ks_jit_string_format),
        KS_ROW(ks_jit_string_number), KS_ROW(ks_jit_print_string),  KS_ROW(ks_jit_dict_new),
        KS_ROW(ks_jit_dict_grow),     KS_ROW(ks_jit_dict_free),
#undef KS_ROW
    };
    for (const auto& [name, function] : functions) cpu::register_runtime_function(name, function);
    return true;
  }();
  (void)done;
}

}  // namespace kasoku::jit
