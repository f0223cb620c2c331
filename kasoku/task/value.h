/// \file kasoku/task/value.h
/// What a task gives: a number, or an object that counts who holds it.
///
/// Numbers lie in the value itself, so that tasks which compute with them touch no memory of
/// others and need nobody's lock. What an object is, its kind knows: one of Python's, or any C++ type.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>

namespace kasoku {

class TaskValue {
 public:
  /// Kinds are compared by their addresses. Without the two functions a value has nothing to hold.
  struct Kind {
    void (*keep)(void* object);
    void (*drop)(void* object);
  };
  static constexpr Kind nothing{nullptr, nullptr}, boolean{nullptr, nullptr}, integer{nullptr, nullptr},
      real{nullptr, nullptr};

  TaskValue() = default;
  /// Takes one hold of the object over.
  TaskValue(const Kind& kind, void* object) : kind_(&kind), bits_(reinterpret_cast<uint64_t>(object)) {}
  static TaskValue of_bool(bool value) { return {boolean, uint64_t{value}}; }
  static TaskValue of_integer(int64_t value) { return {integer, static_cast<uint64_t>(value)}; }
  static TaskValue of_real(double value) { return {real, std::bit_cast<uint64_t>(value)}; }

  /// A C++ object that all copies share.
  template <class T>
  static TaskValue of(T value) {
    return {Shared<T>::kind, new Shared<T>{std::move(value)}};
  }

  TaskValue(const TaskValue& other) : kind_(other.kind_), bits_(other.bits_) {
    if (kind_->keep) kind_->keep(object());
  }
  TaskValue(TaskValue&& other) noexcept : kind_(std::exchange(other.kind_, &nothing)), bits_(other.bits_) {}
  TaskValue& operator=(TaskValue other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(bits_, other.bits_);
    return *this;
  }
  ~TaskValue() {
    if (kind_->drop) kind_->drop(object());
  }

  const Kind& kind() const { return *kind_; }
  bool is(const Kind& kind) const { return kind_ == &kind; }
  void* object() const { return reinterpret_cast<void*>(bits_); }
  /// Gives the hold away; the value is nothing then.
  void* release() {
    kind_ = &nothing;
    return object();
  }
  bool as_bool() const { return bits_ != 0; }
  int64_t as_integer() const { return static_cast<int64_t>(bits_); }
  double as_real() const { return std::bit_cast<double>(bits_); }
  /// The number's 64 bits.
  uint64_t bits() const { return bits_; }
  /// The object that of() was called with; nullptr if the value has another type.
  template <class T>
  const T* as() const {
    return is(Shared<T>::kind) ? &static_cast<Shared<T>*>(object())->value : nullptr;
  }

 private:
  template <class T>
  struct Shared {
    T value;
    std::atomic<uint32_t> holders{1};
    static constexpr Kind kind{
        [](void* object) { static_cast<Shared*>(object)->holders.fetch_add(1, std::memory_order_relaxed); },
        [](void* object) {
          auto* shared = static_cast<Shared*>(object);
          if (shared->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared;
        }};
  };
  TaskValue(const Kind& kind, uint64_t bits) : kind_(&kind), bits_(bits) {}

  const Kind* kind_ = &nothing;
  uint64_t bits_ = 0;
};

}  // namespace kasoku
