#include "kasoku/compile/clang/passes/target.h"

#include "kasoku/base/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>
#include <vector>

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

std::unique_ptr<TargetMachine> make_machine(std::string_view cpu, bool contracts) {
  TargetOptions options;
  // Each instruction says whether it may be contracted: a kernel may have parts that may not.
  options.AllowFPOpFusion = contracts ? FPOpFusion::Standard : FPOpFusion::Strict;
  options.ExceptionModel = ExceptionHandling::None;
  std::string name(cpu), features;
  if (cpu == "native") {
    name = sys::getHostCPUName().str();
    SubtargetFeatures host;
    for (const auto& feature : sys::getHostCPUFeatures())
      host.AddFeature(feature.getKey(), feature.getValue());
    features = host.getString();
  }
  std::unique_ptr<TargetMachine> machine(
      x86().createTargetMachine(triple, name, features, options, Reloc::PIC_, CodeModel::Small,
                                CodeGenOptLevel::Default));
  if (!machine) throw Error(ErrorKind::internal, "the compiler has no x86 target machine");
  return machine;
}

/// Hands on all passes but LLVM's strength reduction of loops.
class WithoutReduction : public legacy::PassManagerBase {
 public:
  explicit WithoutReduction(legacy::PassManager& passes) : passes_(passes) {}
  void add(Pass* pass) override {
    const StringRef name = pass->getPassName();
    if (name == "Loop Strength Reduction" || name == "Canonicalize Freeze Instructions in Loops") delete pass;
    else passes_.add(pass);
  }

 private:
  legacy::PassManager& passes_;
};

void add_passes(legacy::PassManager& all, bool reduces_strength, TargetMachine& machine, raw_pwrite_stream& stream,
                CodeGenFileType kind) {
  WithoutReduction fewer(all);
  legacy::PassManagerBase& passes = reduces_strength ? static_cast<legacy::PassManagerBase&>(all) : fewer;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true))
    throw Error(ErrorKind::internal, "the compiler cannot write x86 code");
}

}  // namespace

struct Emitter::Kept {
  Kept(std::string_view cpu, bool contracts)
      : cpu(cpu), contracts(contracts), machine(make_machine(cpu, contracts)), stream(bytes) {}
  std::string cpu;
  bool contracts;
  std::unique_ptr<TargetMachine> machine;
  SmallString<0> bytes;
  raw_svector_ostream stream;
  std::unique_ptr<legacy::PassManager> passes[2];  // write an object to the stream: without and with strength reduction
};

namespace {

/// Those that no compile has now; never destroyed, as threads may compile until the end. Nobody
/// waits for it: another is made, and in a forked child the lock may never be free again.
struct Pool {
  static constexpr size_t most = 8;
  std::mutex mutex;
  std::vector<std::unique_ptr<Emitter::Kept>> idle;
};
Pool& pool() {
  static auto* pool = new Pool;
  return *pool;
}

}  // namespace

Emitter::Emitter(std::string_view cpu, bool contracts) {
  if (std::unique_lock lock(pool().mutex, std::try_to_lock); lock) {
    auto& idle = pool().idle;
    const auto same = find_if(idle, [&](const auto& kept) { return kept->cpu == cpu && kept->contracts == contracts; });
    if (same != idle.end()) {
      kept_ = std::move(*same);
      idle.erase(same);
    }
  }
  if (!kept_) kept_ = std::make_unique<Kept>(cpu, contracts);
}

Emitter::~Emitter() {
  if (!is_whole_) {
    static_cast<void>(kept_.release());  // it cannot even be taken down
    return;
  }
  std::unique_lock lock(pool().mutex, std::try_to_lock);
  if (lock && pool().idle.size() < Pool::most) pool().idle.push_back(std::move(kept_));
}

TargetMachine& Emitter::machine() const { return *kept_->machine; }

void Emitter::set_attributes(Module& module) const {
  module.setTargetTriple(triple);
  module.setDataLayout(machine().createDataLayout());
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", machine().getTargetCPU());
    function.addFnAttr("target-features", machine().getTargetFeatureString());
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

std::string Emitter::machine_code(Module& module, bool reduces_strength) {
  kept_->bytes.clear();
  is_whole_ = false;
  auto& passes = kept_->passes[reduces_strength];
  if (!passes) {
    passes = std::make_unique<legacy::PassManager>();
    add_passes(*passes, reduces_strength, machine(), kept_->stream, CodeGenFileType::ObjectFile);
  }
  passes->run(module);
  is_whole_ = true;
  return std::string(kept_->bytes.data(), kept_->bytes.size());
}

std::string Emitter::assembly(Module& module, bool reduces_strength) {
  SmallString<0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  add_passes(passes, reduces_strength, machine(), stream, CodeGenFileType::AssemblyFile);
  passes.run(module);
  return std::string(text.data(), text.size());
}

}  // namespace kasoku::embedded
