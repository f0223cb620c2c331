#include "kasoku/compile/clang/passes/target.h"

#include "kasoku/base/error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr const char* triple = "x86_64-unknown-linux-gnu";

const Target& x86() {
  static std::once_flag once;
  static const Target* found = nullptr;
  static std::string reason;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    found = TargetRegistry::lookupTarget(triple, reason);
  });
  if (!found) throw Error(ErrorKind::internal, "the compiler has no x86 target").why(reason);
  return *found;
}

}  // namespace

std::unique_ptr<TargetMachine> make_target(std::string_view cpu, bool contracts) {
  TargetOptions options;
  options.AllowFPOpFusion = contracts ? FPOpFusion::Fast : FPOpFusion::Strict;
  options.ExceptionModel = ExceptionHandling::None;
  std::string name(cpu), features;
  if (cpu == "native") {
    name = sys::getHostCPUName().str();
    SubtargetFeatures host;
    for (const auto& feature : sys::getHostCPUFeatures())
      host.AddFeature(feature.getKey(), feature.getValue());
    features = host.getString();
  }
  std::unique_ptr<TargetMachine> target(
      x86().createTargetMachine(triple, name, features, options, Reloc::PIC_, CodeModel::Small,
                                CodeGenOptLevel::Default));
  if (!target) throw Error(ErrorKind::internal, "the compiler has no x86 target machine");
  return target;
}

void set_target_attributes(Module& module, const TargetMachine& target) {
  module.setTargetTriple(triple);
  module.setDataLayout(target.createDataLayout());
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", target.getTargetCPU());
    function.addFnAttr("target-features", target.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", "512");
    function.removeFnAttr("min-legal-vector-width");
    function.removeFnAttr("tune-cpu");
    // Generated code is loaded without tables for unwinding.
    function.removeFnAttr(Attribute::UWTable);
    function.addFnAttr(Attribute::NoUnwind);
    for (const char* word : {"stack-protector-buffer-size", "frame-pointer"})
      function.removeFnAttr(word);
  }
}

std::string emit_machine_code(Module& module, TargetMachine& target, bool as_text) {
  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  const auto kind = as_text ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  if (target.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true))
    throw Error(ErrorKind::internal, "the compiler cannot write x86 code");
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace kasoku::embedded
