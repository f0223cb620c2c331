/// \file kasoku/compile/clang/passes/passes.h
/// Which passes run, by the rows of passes.def and the words of KASOKU_PASSES; a check and a dump
/// after each.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace llvm {
class Function;
class Module;
class PassInstrumentationCallbacks;
}  // namespace llvm

namespace kasoku::embedded {

enum class PassId : uint8_t {
#define PASS(id, ...) id,
#include "kasoku/compile/clang/passes/passes.def"
#undef PASS
};

class Passes {
 public:
  /// Words between commas: `-name` leaves a pass out, `lanes=16` is the length of vectors of threads
  /// where the target's own would be another, `verify` checks the module after each pass. Throws an
  /// Error that names a word it does not know. `dump`, if any, is told what each pass left behind.
  Passes(std::string_view words, std::function<void(std::string_view)> dump);

  bool runs(PassId pass) const { return !left_out_.test(static_cast<size_t>(pass)); }
  /// The threads of a vector; 0 for as many as the target's registers hold.
  unsigned lanes() const { return lanes_; }

  /// Said after each pass that is no pass of LLVM's: verifies and dumps. Throws an Error that names
  /// the pass if the module is not valid any more.
  void ran(PassId pass, const llvm::Module& module);

  /// Makes LLVM's pass manager obey and report. No call is needed where `is_plain`.
  void observe(llvm::PassInstrumentationCallbacks& callbacks);
  bool is_plain() const { return left_out_.none() && !verifies_ && !dump_; }

 private:
  void ran(std::string_view name, const llvm::Module& module);

  std::bitset<96> left_out_;
  unsigned lanes_ = 0;
  bool verifies_ = false;
  std::function<void(std::string_view)> dump_;
  std::string last_text_;
};

}  // namespace kasoku::embedded
