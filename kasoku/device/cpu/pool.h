/// \file kasoku/device/cpu/pool.h
/// The one pool of worker threads of the process, and the one way to use it.
///
/// The pool has KASOKU_NUM_THREADS workers, the calling thread counted; they
/// start at the first call that needs them. After fork() the child gets workers
/// of its own at its first call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

namespace kasoku::cpu {

/// A reference to something callable with (begin, end); no allocation.
class BlockBody {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, BlockBody>)
  BlockBody(F&& body)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(body)))),
        call_([](void* object, uint64_t begin, uint64_t end) {
          (*static_cast<std::remove_reference_t<F>*>(object))(begin, end);
        }) {}

  void operator()(uint64_t begin, uint64_t end) const { call_(object_, begin, end); }

 private:
  void* object_;
  void (*call_)(void*, uint64_t, uint64_t);
};

/// Runs `body` over [0, n) in chunks of `grain`, the last one shorter. Each worker
/// has a share of neighbouring chunks, taken in increasing order, and helps with the
/// others' when it is done; the caller has the first and returns when all are done.
/// Where several threads call at once, each has a core, and workers the rest. Calls
/// nest. The first exception of a body (or Error(interrupted) after an interrupt)
/// reaches the caller; chunks not begun by then are left out.
void parallel_blocks(uint64_t n, uint64_t grain, BlockBody body);

/// Whether the calling thread is in a body or a background task now: a library with threads of
/// its own should then use one.
bool is_inside_parallel();

/// While alive, this thread runs its parallel loops alone, in order. Blocks that meet at a barrier of
/// their grid have a thread each and run in turns.
class SerialScope {
 public:
  using Around = std::function<void(const std::function<void()>&)>;
  /// Such a thread runs its block inside of `around`; `meets` is called where all blocks have met.
  explicit SerialScope(Around around = {}, std::function<void()> meets = {});
  ~SerialScope();
  SerialScope(const SerialScope&) = delete;
  SerialScope& operator=(const SerialScope&) = delete;

  /// The innermost one of this thread; nullptr: none.
  static const SerialScope* current();
  const Around around;
  const std::function<void()> meets;

 private:
  const SerialScope* const outer_;
};
/// Whether such a scope is open on this thread.
bool is_serial();

/// Threads that take part in a call, the caller counted; at least 1.
uint32_t worker_count();

/// The calling thread's own limit: at most `n` threads take part in each of its calls, the caller
/// counted; 0: all (the start). Calls inside of them inherit it.
void set_thread_limit(uint32_t n);
/// How many workers take part in a call of this thread: worker_count(), unless it was limited to fewer.
uint32_t thread_limit();

/// The calling thread's number in the call whose body it runs, which no other thread inside has at that time: below
/// thread_limit(). 0 outside of bodies.
uint32_t thread_number();

/// A grain that gives every worker several chunks, at least `least` each.
uint64_t suggested_grain(uint64_t n, uint64_t least);

}  // namespace kasoku::cpu
