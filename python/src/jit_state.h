/// \file python/src/jit_state.h
/// What is behind a kasoku._core.JitFunction: the function as read, and what was compiled of it.
#pragma once

#include "jit_read.h"
#include "jit_values.h"
#include "kasoku/jit/compiled.h"
#include "kasoku/task/value.h"

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace kasoku {


/// One list of argument types.
struct JitEntry {
  jit::Compiled compiled;
  std::vector<jit::Type> arguments;
  std::vector<nb::object> hidden, raised;
  bool is_placed = false;  ///< an array says where it runs; else the default device does
};

struct JitState {
  nb::object function;
  jit::Options options;
  std::vector<jit::Signature> declared;  ///< if any, it is compiled for these alone and arguments convert
  bool nopython = true;
  std::vector<std::string> names;
  std::vector<nb::object> defaults;  ///< invalid where there is none
  bool is_read = false;
  std::shared_ptr<const jit::Unit> unit;
  std::vector<Dependency> dependencies;
  std::vector<nb::object> hidden, raised;
  std::vector<std::shared_ptr<JitEntry>> entries;  ///< the last used first
  nb::object interpreted;         ///< what runs without a compiled form, kasoku._jit._Interpreted; invalid if not needed yet
  std::optional<size_t> rest;     ///< which of the names is `*args`
  size_t n_positional = 0;        ///< names before it, or before those that are given by name alone
  size_t n_unnamed = 0;           ///< of these, what is given by place alone
  bool takes_kwargs = false;
  bool is_generator = false;
  bool is_unreadable = false;     ///< it has none for any arguments
  std::set<std::string> refused;  ///< signatures that it has none for
};

/// While alive, nobody else reads or changes what is behind compiled functions. Python's lock sees to it where
/// there is one.
class JitLock {
 public:
#ifdef Py_GIL_DISABLED
  JitLock() {
    if (!depth()++) mutex().lock();
  }
  ~JitLock() {
    if (!--depth()) mutex().unlock();
  }
  JitLock(const JitLock&) = delete;
  JitLock& operator=(const JitLock&) = delete;

 private:
  static int& depth() {
    static thread_local int depth = 0;
    return depth;
  }
  static nb::ft_mutex& mutex() {
    static auto& mutex = *new nb::ft_mutex;
    return mutex;
  }
#else
  JitLock() {}
#endif
};

/// Whether all that the function read from outside is what it was.
bool still_holds(const JitState& state);
/// Forgets what was compiled.
void forget(JitState& state);
/// The entry for these types where the call runs, compiled if there is none.
std::shared_ptr<JitEntry> compile_for(JitState& state, std::vector<jit::Type> types, Where& where);
/// The types in which texts that the function reads as letters are any texts.
std::vector<jit::Type> for_any_letters(JitState& state, std::vector<jit::Type> types);
/// Whether an error of compile_for says that there is no compiled form.
bool means_no_form(const Error& error);
/// Runs calls with these argument types in the interpreter from now on, because of `error`; all calls, if the function
/// cannot be read. Throws a TypingError if the function may not run there.
void refuse(JitState& state, const std::string& signature, const Error& error);
/// The result, or null if the arguments are not of the entry's types. `given`: their own types, if they
/// are to be converted.
PyObject* call_entry(const std::shared_ptr<JitEntry>& entry, PyObject* const* arguments, size_t n,
                     const std::vector<jit::Type>* given = nullptr);
/// Whether a call by the entry runs where one belongs now.
bool is_in_place(const JitEntry& entry);
/// The words of a call with these arguments and of the arrays outside, false if one is not of the entry's types. Room is
/// left between the two for the words of further arguments, `n_behind`. `given` as below.
bool fill(const JitEntry& entry, PyObject* const* arguments, size_t n, uint64_t* words, Offloaded* offloaded,
          const std::vector<jit::Type>* given = nullptr, size_t n_behind = 0);
/// Raises what ended a call.
[[noreturn]] void raise_of_call(const JitEntry& entry, const jit::CallRecord& record);
/// The entry that a function ran by last, if calls of it with numbers need nothing of Python: no arrays outside, one number
/// or None as its result, nobody who watches. Else null.
std::shared_ptr<JitEntry> free_entry(const JitState& state);
/// How many words of calls fit on the stack; memory is taken for more.
inline constexpr int words_at_hand = 96;

/// Calls of such an entry with numbers, one after another.
class FreeCalls {
 public:
  explicit FreeCalls(const JitEntry& entry);

  /// How many of `n` calls of so many arguments each there may be. One, or none if it takes another number of them, or a
  /// call belongs on another device; several if they are over in nanoseconds and draw no random numbers, else none of those.
  size_t room(size_t n, size_t n_arguments) const;
  /// The words of the next call, which count when it is added.
  uint64_t* next() { return words_ + n_ * stride_; }
  /// Argument `i`; false if it is of another type.
  bool take(uint64_t* words, size_t i, const TaskValue& number) const {
    if (!number.is(*kinds_[i])) return false;
    words[i] = number.bits();
    return true;
  }
  void add() { ++n_; }
  /// Without Python's lock, or with it if `has_lock`: it is given up where the function has loops. How many ran.
  size_t run(bool has_lock);
  TaskValue result(size_t i) const;
  /// The one that raised an exception.
  size_t last() const { return last_; }

 private:
  const JitEntry& entry_;
  const size_t stride_;
  const TaskValue::Kind* kinds_[words_at_hand];
  uint64_t words_[words_at_hand];
  size_t n_ = 0, last_ = 0;
};
/// Whether somebody is told of calls of functions that may run on several workers.
bool is_observed();
/// For tests: NumPy's arrays count as those of a device. Gives what it was.
bool set_offloads_to_cpu(bool on);

/// The state of a function of ks.jit; nullptr for any other object.
JitState* jit_state_of(PyObject* object);
/// Throws if `object` is not a function of ks.jit.
JitState& jit_state(nb::handle object);

}  // namespace kasoku
