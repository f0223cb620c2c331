/// \file kasoku/jit/compiled.h
/// A function compiled for one list of argument types, ready to be called.
#pragma once

#include "kasoku/device/module.h"
#include "kasoku/jit/lower.h"
#include "kasoku/jit/runtime.h"

#include <algorithm>
#include <memory>
#include <span>

namespace kasoku::jit {

/// The error message for a failed call of one of these functions, with the user's line.
std::string failure_text(const CallRecord& record, std::span<const jit::Function* const> functions);

class Compiled {
 public:
  /// Types, text and machine code of the unit's root for `arguments`. `hidden` are the types of
  /// the arrays outside. With `device`, arrays lie there: their words hold a Memory (offload.h).
  /// Throws Error with the user's line.
  Compiled(std::shared_ptr<const Unit> unit, const std::vector<Type>& arguments,
           const std::vector<Type>& hidden, Device* device = nullptr);

  /// Runs it: words of the arguments in, words of the result out. `record.status` tells.
  void call(CallRecord& record) const;
  /// Calls a function that is_short() `n` times, each time with the next `call_words()` words. Ends at a call that
  /// fails; the record's words are then that call's.
  void call_each(CallRecord& record, size_t n) const;
  /// Calls it up to `n` times in one go: before call `i`, `next` gets the pointers to the record and to `context`, puts the words
  /// in place and says whether there is another call. None on a device.
  void call_in_turn(CallRecord& record, size_t n, kasoku::Function::NextArgs next, void* context) const;
  /// Whether a call is over in nanoseconds: what is around it costs more.
  bool is_short() const { return !device_ && !lowered_.has_loops && !lowered_.has_arrays; }
  int call_words() const { return std::max(argument_words_, result_words_); }

  Device* device() const { return device_; }
  const Lowered& lowered() const { return lowered_; }
  const Unit& unit() const { return *unit_; }
  int argument_words() const { return argument_words_; }
  int result_words() const { return result_words_; }
  std::string failure_text(const CallRecord& record) const { return jit::failure_text(record, functions_); }
  /// Throws what ended an array expression, with the user's line.
  [[noreturn]] void rethrow_placed(const CallRecord& record) const;
  /// Loops and array expressions, what became of them. Compiles again to ask the vectorizer.
  std::string report() const;

 private:
  std::vector<Remark> vectorized() const;

  std::shared_ptr<const Unit> unit_;
  std::vector<const jit::Function*> functions_;  ///< by index in the text
  Lowered lowered_;
  Device* device_ = nullptr;
  std::shared_ptr<Module> module_, device_module_;
  std::vector<kasoku::Function*> kernels_;
  kasoku::Function* entry_ = nullptr;
  int argument_words_ = 0, result_words_ = 0;
};

}  // namespace kasoku::jit
