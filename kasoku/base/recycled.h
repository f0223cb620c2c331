/// \file kasoku/base/recycled.h
/// An allocator for what comes and goes by the million: a thread keeps the memory of the last ones for its next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace kasoku {

template <class T>
class Recycled {
 public:
  using value_type = T;

  Recycled() = default;
  template <class U>
  Recycled(const Recycled<U>&) {}
  bool operator==(const Recycled&) const = default;

  T* allocate(size_t n) {
    Free* const free = list.first;
    if (n != 1 || !free) return static_cast<T*>(::operator new(n * sizeof(T)));
    list.first = free->next;
    --list.count;
    return reinterpret_cast<T*>(free);
  }

  void deallocate(T* memory, size_t n) noexcept {
    if (n != 1 || list.count >= most || !is_open()) return ::operator delete(memory);
    list.first = new (memory) Free{list.first};
    ++list.count;
  }

 private:
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  struct Free {
    Free* next;
  };
  enum State : uint8_t { untouched, open, closed };
  struct List {
    Free* first;
    uint32_t count;
    State state;
  };
  static inline constinit thread_local List list __attribute__((tls_model("initial-exec"))) = {};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr uint32_t most = 0;  // the sanitizer looks at what is malloc's
#else
  static constexpr uint32_t most = (1 << 19) / sizeof(T);
#endif

  static bool is_open() {
    if (list.state == untouched) [[unlikely]] {
      list.state = open;
      thread_local const struct Closing {
        ~Closing() {
          list.state = closed;
          while (Free* const free = list.first) {
            list.first = free->next;
            ::operator delete(free);
          }
        }
      } at_end;
      (void)at_end;
    }
    return list.state == open;
  }
};

}  // namespace kasoku
