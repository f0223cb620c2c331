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

/// `cpu` is "x86-64-v3", "x86-64-v4" or "native". Without `contracts`, a*b+c is
/// rounded twice, as it is written.
std::unique_ptr<llvm::TargetMachine> make_target(std::string_view cpu, bool contracts);

/// Sets what each function must know of the target: features, vector width.
void set_target_attributes(llvm::Module& module, const llvm::TargetMachine& target);

std::string emit_machine_code(llvm::Module& module, llvm::TargetMachine& target, bool as_text);

}  // namespace kasoku::embedded
