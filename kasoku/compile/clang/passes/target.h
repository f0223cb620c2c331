/// \file kasoku/compile/clang/passes/target.h
/// The processor that code is made for, and the last step: IR to bytes or text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace kasoku::embedded {

/// What makes code for one processor. LLVM takes a tenth of a small kernel's compile to set it
/// up, so it is kept for the next compile; one compile at a time has it.
class Emitter {
 public:
  struct Kept;
  /// `cpu` is "x86-64-v3", "x86-64-v4" or "native". Without `contracts`, a*b+c is
  /// rounded twice, as it is written.
  Emitter(std::string_view cpu, bool contracts);
  ~Emitter();
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  llvm::TargetMachine& machine() const;
  /// Sets what each function must know of the target: features, vector width.
  void set_attributes(llvm::Module& module) const;
  /// With `reduces_strength`, LLVM's pass for the steps of loops runs, see strength_reduction.h.
  std::string machine_code(llvm::Module& module, bool reduces_strength);
  std::string assembly(llvm::Module& module, bool reduces_strength);

 private:
  std::unique_ptr<Kept> kept_;
  bool is_whole_ = true;  // nothing was left midway
};

}  // namespace kasoku::embedded
