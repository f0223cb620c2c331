/// \file python/src/bindings.h
/// What every binding file includes: nanobind, and the contract that a file
/// NAME.cpp defines `void kasoku::bind_NAME(nb::module_&)`.
///
/// Conversions only, no logic. The GIL is released around everything that may
/// launch, copy, compile or wait (`no_gil`, `gil_until_blocked`).
#pragma once

#include <nanobind/nanobind.h>
// All of them here: a file that casts to std::string without its caster would
// change what that cast means in every other file.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "gil.h"
#include "kasoku/array/array.h"
#include "kasoku/base/blocking.h"

namespace kasoku {

using no_gil = nb::call_guard<GilReleased>;

/// Keeps the GIL until something is computed (kasoku/base/blocking.h): for what mostly makes a
/// node of a graph, in less time than the GIL takes to change hands.
class GilUntilBlocked final : public CallersLock {
 public:
  GilUntilBlocked() : before_(std::exchange(current(), this)) {}
  ~GilUntilBlocked() { current() = before_; }
  GilUntilBlocked(const GilUntilBlocked&) = delete;
  GilUntilBlocked& operator=(const GilUntilBlocked&) = delete;
  void give_up() override { thread_ = PyEval_SaveThread(); }
  void take() override { PyEval_RestoreThread(thread_); }

 private:
  CallersLock* const before_;
  PyThreadState* thread_ = nullptr;
};
using gil_until_blocked = nb::call_guard<GilUntilBlocked>;

/// Computes what the operation under way gives, unless its statement goes on with it (statement.cpp).
void settle(const Array& array);

/// Whether Python's statements decide how long the array may be pending: in eager mode, and if it reads memory that
/// others can write.
inline bool is_to_settle(const Array& array) {
  return is_eager() || (Node::any_reads_shared.load(std::memory_order_relaxed) && !array.is_null() && array.waits_on_shared());
}

/// A new object, not settled (array.cpp).
nb::object object_of(Array&& array);

/// The name of an object's class, as messages say it (convert.cpp).
std::string class_name(nb::handle object);

}  // namespace kasoku

/// Wherever an array becomes Python's: where that is due it is settled.
template <>
struct nanobind::detail::type_caster<kasoku::Array> : type_caster_base<kasoku::Array> {
  template <class T>
  static handle from_cpp(T&& value, rv_policy policy, cleanup_list* cleanup) {
    if constexpr (std::is_pointer_v<std::remove_reference_t<T>>) {
      if (kasoku::is_to_settle(*value)) kasoku::settle(*value);
    } else {
      if (kasoku::is_to_settle(value)) kasoku::settle(value);
    }
    if constexpr (std::is_pointer_v<std::remove_reference_t<T>>)
      return type_caster_base<kasoku::Array>::from_cpp(std::forward<T>(value), policy, cleanup);
    else
      return kasoku::object_of(kasoku::Array(std::forward<T>(value))).release();
  }
};
