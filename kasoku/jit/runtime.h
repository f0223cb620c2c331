/// \file kasoku/jit/runtime.h
/// What compiled functions call while they run, and the record of one call.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kasoku {
class InterruptCheck;
}

namespace kasoku::jit {

/// ks_string of ks_jit.h: code points. Of what Python is given, and gives, one whose address is a NumberKind is a number, whose bits
/// are `size`.
struct String {
  const uint32_t* at;
  int64_t size;
};

enum class NumberKind : uintptr_t { whole, real, single, unsigned_, truth, last = truth };

/// The memory of texts that a call makes, on one or several threads. It is freed when the call ends.
class Strings {
 public:
  /// Room for so many code points; null if there is no memory.
  uint32_t* room(int64_t size);
  /// a and b, one behind the other; in the place of one of them where nothing stands beside it, so that a text may grow letter by
  /// letter at its end or at its beginning. Without an address if there is no memory.
  String joined(String a, String b);

 private:
  struct Free {
    uint32_t *begin = nullptr, *end = nullptr;
  };
  uint32_t* take(Free& from, int64_t size);
  /// What is free directly behind a text, or null.
  Free* free_behind(String text);
  /// Nothing yet, for a text that shall have a block of its own; in the place of `before` if that is one.
  Free& own_block(const Free* before);
  std::mutex mutex_;
  std::vector<std::unique_ptr<uint32_t[]>> blocks_;
  Free behind_, before_;  ///< what is free of the last block that is filled from its beginning, and from its end
  static constexpr size_t n_own = 8;
  std::unique_ptr<Free[]> own_;  ///< null or n_own: what is free behind long texts, the last one that grew first: texts that are made in between are elsewhere
};

/// ks_call of ks_jit.h; the layouts must agree.
struct CallRecord {
  int status = 0;
  int function = 0, line = 0;
  int reserved = 0;
  const char* name = nullptr;
  int64_t a = 0, b = 0, c = 0;
  uint64_t* words = nullptr;
  uint64_t key = 0, draw = 0;
  std::atomic<int>* asked = &is_asked;  ///< set: loops call ks_jit_poll
  CallRecord* outer = nullptr;  ///< of a try statement
  uintptr_t stack_end = 0, stack_room = 0;  ///< of the calling thread's stack, if functions call themselves; the record ends here
  // From here on nothing that generated code knows.
  std::atomic<int> is_asked{0};
  InterruptCheck* interrupt = nullptr;  ///< of the calling thread
  std::exception_ptr interruption;      ///< what ended the call, if that was no failure of its own
  char device_name[160];                ///< where `name` points if a kernel gave it
  bool is_placed_error = false;         ///< it is an Error that `function` and `line` belong to
  Strings strings;
};

/// While it lives, this thread is the one that made the call: it looks for Ctrl-C.
class RunningCall {
 public:
  explicit RunningCall(CallRecord& record);
  ~RunningCall();
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

 private:
  CallRecord* outer_;
};

enum class Failure { none, index, zero_division, value, memory, assertion, shape, raised, key, overflow, unbound, recursion };

/// The name of the exception's class, of a raise statement "#" and its number; "" if nothing may catch it.
std::string_view failure_name(const CallRecord& record);

/// ks_memory of ks_jit.h: an array made in compiled code.
struct Memory {
  int64_t count;
  int64_t bytes;
  void* data;
  void* buffer;  ///< device memory: see offload.h; null for memory of the host
};

void release(Memory* memory);

/// ks_list_body of ks_jit.h: a list of compiled code. What its items own is known by their type.
struct List {
  int64_t count, size, capacity;
  void* items;
  int64_t is_changed;
};

/// One owner, no items; null if there is no memory.
List* new_list(int64_t capacity, int64_t itemsize);
void free_list(List* list);

/// ks_dict_body of ks_jit.h: a dict or a set. Entries (a hash, the key, the value) stand in the order in which they
/// came; `index` has their numbers by hash, -1 where there is none.
struct Dict {
  int64_t count, size, used, capacity;  ///< used: entries with those that were taken out
  char* entries;
  int64_t* index;
  int64_t mask;
  int64_t is_changed;
};
constexpr uint64_t no_entry = ~uint64_t{0};  ///< the hash of an entry that was taken out

/// One owner, no entries; null if there is no memory.
Dict* new_dict(int64_t entry_size);
/// Room for another entry; those that were taken out go.
bool grow(Dict& dict, int64_t entry_size);
void free_dict(Dict* dict);

/// Makes the functions known to generated code; once.
void register_functions();

/// Receives each whole line that print() makes. Without a printer the lines are dropped.
using Printer = void (*)(const char* text, uint64_t size);
void set_printer(Printer printer);

/// Calls a method of Python's str: the first text's, with the others as arguments. What it throws ends the call.
using StringMethod = String (*)(Strings& room, const char* name, const String* given, int64_t n);
/// int() or float() of a text, whichever has a place; "" or the exception that it is instead: its class, a line's end, its text.
using StringNumber = std::string (*)(String text, int64_t* whole, double* real);
void set_string_functions(StringMethod method, StringNumber number);

/// The seed of the draws of compiled functions; unseeded they start from the system's entropy.
void seed(int64_t seed);

}  // namespace kasoku::jit
