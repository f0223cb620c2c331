#include "kasoku/compile/clang/generate.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/clang/clang_api.h"
#include "kasoku/compile/clang/passes/entry_frame.h"
#include "kasoku/compile/clang/passes/passes.h"
#include "kasoku/compile/clang/passes/pipeline.h"
#include "kasoku/compile/clang/passes/plan.h"
#include "kasoku/compile/clang/passes/prepare.h"
#include "kasoku/compile/clang/passes/regions.h"
#include "kasoku/compile/clang/passes/target.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

/// LLVM's own handler would print and exit. With `loops`, what the vectorizer says goes there.
class Collector final : public DiagnosticHandler {
 public:
  Collector(std::string& errors, std::string* loops) : errors_(errors), loops_(loops) {}

  bool isPassedOptRemarkEnabled(StringRef pass) const override { return isAnalysisRemarkEnabled(pass); }
  bool isMissedOptRemarkEnabled(StringRef) const override { return false; }
  bool isAnalysisRemarkEnabled(StringRef pass) const override { return loops_ && pass == "loop-vectorize"; }
  bool isAnyRemarkEnabled() const override { return loops_; }

  bool handleDiagnostics(const DiagnosticInfo& info) override {
    if (info.getSeverity() == DS_Error) {
      raw_string_ostream stream(errors_);
      DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
      stream << '\n';
    } else if (const auto* remark = dyn_cast<DiagnosticInfoIROptimization>(&info); remark && loops_) {
      const DILocation* place = place_of(remark->getCodeRegion());
      if (!place || remark->getPassName() != "loop-vectorize") return true;
      raw_string_ostream stream(*loops_);
      stream << place->getFilename() << '\t' << place->getLine() << '\t' << (remark->isPassed() ? "passed" : "analysis")
             << '\t' << StringRef(remark->getMsg()).split('\n').first << '\n';
    }
    return true;
  }

 private:
  /// Where a loop with this header stands in the user's text, whichever of our helpers wrote it.
  static const DILocation* place_of(const Value* header) {
    const auto* block = dyn_cast_or_null<BasicBlock>(header);
    if (!block) return nullptr;
    const DILocation* place = nullptr;
    if (const MDNode* loop = block_loop(*block))
      for (const MDOperand& operand : loop->operands())
        if ((place = dyn_cast_or_null<DILocation>(operand))) break;
    for (auto at = block->begin(); !place && at != block->end(); ++at) place = at->getDebugLoc();
    while (place && place->getFilename().starts_with("/.kasoku")) place = place->getInlinedAt();
    return place;
  }
  /// The metadata of the loop that jumps back to its header.
  static const MDNode* block_loop(const BasicBlock& header) {
    for (const BasicBlock* before : predecessors(&header))
      if (const MDNode* loop = before->getTerminator()->getMetadata(LLVMContext::MD_loop)) return loop;
    return nullptr;
  }

  std::string& errors_;
  std::string* loops_;
};

void verify(const Module& module, const char* when) {
  std::string reason;
  raw_string_ostream stream(reason);
  if (verifyModule(module, &stream))
    throw Error(ErrorKind::internal, std::string("the compiler made an invalid module ") + when)
        .why(reason);
}

std::string info_json(const RegionBytes& bytes, const RegionPlan& plan) {
  const char* granules[] = {"blocks", "block", "warp", "turn", "thread"};
  const auto text = [](bool value) { return std::string(value ? "true" : "false"); };
  return std::string("{\"symbol\":\"") + entry_symbol + "\",\"scratch_bytes\":" + std::to_string(bytes.fixed) +
         ",\"scratch_bytes_per_thread\":" + std::to_string(bytes.per_thread) +
         ",\"static_shared_bytes\":" + std::to_string(bytes.shared) + ",\"granule\":\"" +
         granules[static_cast<int>(plan.granule)] + "\",\"spans_blocks\":" + text(plan.spans_blocks()) +
         ",\"blocks_in_turn\":" + std::to_string(plan.blocks_in_turn) +
         ",\"waits_in_memory\":" + text(plan.waits_in_memory) + "}";
}

}  // namespace

GenerateResult generate_kernel(const GenerateRequest& request) {
  const BlockShape shape{request.block[0], request.block[1], request.block[2]};
  const uint64_t threads = uint64_t{shape.x} * shape.y * shape.z;
  const bool is_any = shape.x == 0 && shape.y == 0 && shape.z == 0;
  if (!is_any && (threads == 0 || threads > 1024 * 1024))
    throw Error(ErrorKind::value, "a block of " + std::to_string(shape.x) + " x " +
                                      std::to_string(shape.y) + " x " + std::to_string(shape.z) +
                                      " threads cannot be compiled");

  GenerateResult result;
  LLVMContext context;
  std::string errors;
  context.setDiagnosticHandler(std::make_unique<Collector>(errors, request.want == KS_LOOPS ? &result.main : nullptr), true);
  Emitter emitter(request.cpu, /*contracts=*/!request.is_generated);
  auto parsed = parseBitcodeFile(
      MemoryBufferRef(StringRef(request.bitcode.data(), request.bitcode.size()), "kernel"),
      context);
  if (!parsed)
    throw Error(ErrorKind::internal, "the bitcode of a kernel cannot be read")
        .why(toString(parsed.takeError()));
  Module& module = **parsed;
  emitter.set_attributes(module);

  Passes passes(request.passes, request.after_pass);
  Pipeline pipeline(emitter.machine(), /*uses_vector_math=*/!request.is_generated, passes);
  PreparedKernel kernel = prepare(module, request.symbol, shape, request.is_generated, request.checked, pipeline);
  const RegionPlan plan = make_plan(kernel, shape, pipeline);
  EntryFrame frame = build_entry_frame(kernel, shape, !plan.has_own_block_loop(), plan.y_is_fast,
                                       plan.grid_stride ? &*plan.grid_stride : nullptr);
  const RegionBytes bytes = build_regions(kernel, shape, frame, plan);
  emitter.set_attributes(module);
  verify(module, "when it cut a kernel into regions");
  const bool reduces_strength = pipeline.optimize(module, shape.is_single_thread());

  result.info = info_json(bytes, plan);
  if (request.want == KS_IR) {
    raw_string_ostream stream(result.main);
    module.print(stream, nullptr);
  } else if (request.want != KS_LOOPS) {
    result.main = request.want == KS_ASSEMBLY ? emitter.assembly(module, reduces_strength)
                                              : emitter.machine_code(module, reduces_strength);
  }
  if (!errors.empty())
    throw Error(ErrorKind::compile, "kernel '" + std::string(request.symbol) +
                                        "' cannot be compiled for a CPU")
        .why(errors);
  return result;
}

}  // namespace kasoku::embedded
