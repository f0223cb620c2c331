#include "kasoku/compile/clang/passes/pipeline.h"

#include "kasoku/compile/clang/passes/prefetch.h"
#include "kasoku/compile/clang/passes/whole_rows.h"
#include "kasoku/compile/clang/passes/x86_idioms.h"
#include "kasoku/compile/clang/passes/forward_lanes.h"
#include "kasoku/compile/clang/passes/late_failures.h"
#include "kasoku/compile/clang/passes/passes.h"
#include "kasoku/compile/clang/passes/interleaved_access.h"
#include "kasoku/compile/clang/passes/rare_calls.h"
#include "kasoku/compile/clang/passes/speculate_division.h"
#include "kasoku/compile/clang/passes/strided_index_set.h"
#include "kasoku/compile/clang/passes/strength_reduction.h"
#include "kasoku/compile/clang/passes/unroll_scalars.h"
#include "kasoku/compile/clang/passes/short_numbers.h"
#include "kasoku/compile/clang/passes/vector_math.h"
#include "kasoku/compile/clang/passes/store_predication.h"
#include "kasoku/compile/clang/passes/widen.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/LoopExtractor.h"
#include "llvm/Transforms/IPO/MergeFunctions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"
#include "llvm/Transforms/Scalar/MemCpyOptimizer.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/InjectTLIMappings.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

namespace kasoku::embedded {

using namespace llvm;

struct Pipeline::Impl {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  TargetLibraryInfoImpl library;
  Passes& passes;
  PassInstrumentationCallbacks callbacks;
  PassBuilder builder;
  bool has_masks;

  Impl(TargetMachine& target, bool uses_vector_math, Passes& passes)
      : library(target.getTargetTriple()), passes(passes),
        builder(&target, PipelineTuningOptions(), std::nullopt, passes.is_plain() ? nullptr : &callbacks),
        has_masks(target.getMCSubtargetInfo()->checkFeatures("+avx512f")) {
    if (!passes.is_plain()) passes.observe(callbacks);
    if (uses_vector_math) library.addVectorizableFunctions(vector_math(has_masks));
    functions.registerPass([&] { return TargetLibraryAnalysis(library); });
    functions.registerPass([&] { return builder.buildDefaultAAPipeline(); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  void run(Module& module, FunctionPassManager passes) {
    ModulePassManager all;
    all.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
    all.run(module, modules);
  }
};

namespace {

SimplifyCFGOptions early_cfg() {
  return SimplifyCFGOptions().convertSwitchRangeToICmp(true).hoistCommonInsts(true);
}

SimplifyCFGOptions late_cfg() {
  return SimplifyCFGOptions()
      .forwardSwitchCondToPhi(true)
      .convertSwitchRangeToICmp(true)
      .convertSwitchToLookupTable(true)
      .needCanonicalLoops(false)
      .hoistCommonInsts(true)
      .sinkCommonInsts(true);
}

// Loops by constants (shuffles over 16, 8, 4, 2, 1; small filters) become
// straight text before barriers are looked at.
void add_early_loops(FunctionPassManager& passes, bool moves_accesses) {
  LoopPassManager rotate;
  rotate.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true));
  if (moves_accesses) rotate.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(rotate), /*UseMemorySSA=*/true));
  if (moves_accesses) passes.addPass(SimplifyCFGPass(early_cfg()));
  LoopPassManager unroll;
  unroll.addPass(IndVarSimplifyPass(/*WidenIndVars=*/false));
  unroll.addPass(LoopDeletionPass());
  unroll.addPass(LoopFullUnrollPass(3, /*OnlyWhenForced=*/false));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(unroll)));
}

// A float4 that a function returned came in two vectors of two, as x86 hands them over:
// vectors of threads cannot be made of those.
class ScalarizeVectorsPass : public PassInfoMixin<ScalarizeVectorsPass> {
 public:
  static StringRef name() { return "kasoku::embedded::ScalarizeVectorsPass"; }
  PreservedAnalyses run(Function& function, FunctionAnalysisManager& analyses) {
    const auto is_vector = [](const Value* value) { return value->getType()->isVectorTy(); };
    if (none_of(instructions(function), [&](const Instruction& instruction) {
          return is_vector(&instruction) || any_of(instruction.operand_values(), is_vector);
        }))
      return PreservedAnalyses::all();
    ScalarizerPassOptions options;
    options.ScalarizeLoadStore = true;
    ScalarizerPass pass(options);
    return pass.run(function, analyses);
  }
};

// Registers for locals, and text without what the front end wrote twice.
void add_simplification(FunctionPassManager& passes, bool is_serial) {
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass(early_cfg()));
  passes.addPass(InstCombinePass());
  if (!is_serial) return;
  passes.addPass(CorrelatedValuePropagationPass());
  passes.addPass(ReassociatePass());
}

// Loops in the form that the passes after these look for.
void add_canonical_loops(FunctionPassManager& passes, bool is_serial) {
  LoopPassManager rotate;
  rotate.addPass(LoopRotatePass());
  rotate.addPass(LICMPass(LICMOptions()));
  rotate.addPass(SimpleLoopUnswitchPass(/*NonTrivial=*/is_serial));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(rotate), /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass(early_cfg()));
  passes.addPass(InstCombinePass());
  LoopPassManager canonical;
  if (is_serial) canonical.addPass(LoopIdiomRecognizePass());
  canonical.addPass(IndVarSimplifyPass());
  canonical.addPass(LoopDeletionPass());
  canonical.addPass(LoopFullUnrollPass(3));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(canonical)));
}

// Kernels of one thread are long functions, in which more is computed, loaded and stored twice.
void add_redundancy_elimination(FunctionPassManager& passes) {
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(GVNPass());
  passes.addPass(BDCEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(DSEPass());
  LoopPassManager again;
  again.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(again), /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass(early_cfg()));
}

void add_vectorization(FunctionPassManager& passes, bool is_serial, unsigned lanes) {
  passes.addPass(EarlyCSEPass());
  if (!is_serial) passes.addPass(LateFailuresPass());
  if (!is_serial) passes.addPass(StepOverPass());
  if (!is_serial) passes.addPass(FetchAheadPass());
  passes.addPass(SideBySidePass());
  passes.addPass(SpeculateDivisionPass());
  passes.addPass(InjectTLIMappings());
  passes.addPass(WidenThreadsPass(lanes));
  passes.addPass(WholeStoresPass());
  // Where it gives up on checks at run time, LLVM's vectoriser (19) removes the phis of closed loops that
  // it made for them, and their users, also those in other loops, are left with poison.
  passes.addPass(LCSSAPass());
  passes.addPass(OfferMaskedFormsPass());
  passes.addPass(LoopVectorizePass());
  passes.addPass(WholeRowsPass());
  passes.addPass(RareCallsPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass(late_cfg()));
  passes.addPass(ShortNumbersPass());
  passes.addPass(SLPVectorizerPass());
  passes.addPass(VectorCombinePass());
}

void add_final_loops(FunctionPassManager& passes, bool is_serial) {
  if (!is_serial) passes.addPass(UnrollScalarsPass());
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(3)));
  passes.addPass(LaneMemoryPass());
  LoopPassManager last;
  last.addPass(LICMPass(LICMOptions()));
  last.addPass(LoopDeletionPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(last), /*UseMemorySSA=*/true));
}

void add_idioms(FunctionPassManager& passes, bool has_masks) {
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass(late_cfg()));
  passes.addPass(IdiomsPass(has_masks));
  passes.addPass(EarlyCSEPass());
}

bool has_loop_that_gains(const LoopInfo& loops) {
  return any_of(loops.getLoopsInPreorder(),
                [&](const Loop* loop) { return loop->isInnermost() && gains_by_strength_reduction(*loop, loops); });
}

}  // namespace

Pipeline::Pipeline(TargetMachine& target, bool uses_vector_math, Passes& passes)
    : impl_(std::make_unique<Impl>(target, uses_vector_math, passes)) {}
Pipeline::~Pipeline() = default;

Passes& Pipeline::passes() { return impl_->passes; }

void Pipeline::inline_all(Module& module, bool is_serial) {
  ModulePassManager inlining;
  inlining.addPass(GlobalDCEPass());
  inlining.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  inlining.addPass(GlobalDCEPass());
  if (is_serial) inlining.addPass(MergeFunctionsPass());  // sums of arrays alike, say
  inlining.run(module, impl_->modules);
}

void Pipeline::promote_locals(Module& module) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(ScalarizeVectorsPass());
  add_early_loops(passes, /*moves_accesses=*/false);
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  impl_->run(module, std::move(passes));
}

void Pipeline::simplify_early(Module& module) {
  bool has_loops = false;
  FunctionPassManager passes;
  passes.addPass(LowerExpectIntrinsicPass());
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(ScalarizeVectorsPass());
  passes.addPass(SimplifyCFGPass(early_cfg()));
  passes.addPass(InstCombinePass());
  impl_->run(module, std::move(passes));
  for (Function& function : module)
    if (!function.isDeclaration())
      has_loops |= !impl_->functions.getResult<LoopAnalysis>(function).empty();
  if (!has_loops) return;
  FunctionPassManager with_loops;
  add_early_loops(with_loops, /*moves_accesses=*/true);
  with_loops.addPass(SROAPass(SROAOptions::ModifyCFG));
  with_loops.addPass(EarlyCSEPass());
  with_loops.addPass(InstCombinePass());
  with_loops.addPass(SimplifyCFGPass(early_cfg()));
  impl_->run(module, std::move(with_loops));
}

void Pipeline::clean(Function& function) {
  impl_->functions.invalidate(function, PreservedAnalyses::none());
  FunctionPassManager passes;
  passes.addPass(DCEPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass(early_cfg()));
  passes.run(function, impl_->functions);
}

void Pipeline::take_loops_apart(Module& module) {
  // Of what compiles a function, much takes more than twice the time for one that is twice as long.
  constexpr unsigned longest = 2000;
  if (none_of(module, [](const Function& function) { return function.getInstructionCount() > longest; })) return;
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(LoopSimplifyPass()));
  passes.addPass(LoopExtractorPass());
  passes.run(module, impl_->modules);
}

bool Pipeline::optimize(Module& module, bool is_serial) {
  const auto defined = make_filter_range(module, [](const Function& function) { return !function.isDeclaration(); });
  impl_->modules.invalidate(module, PreservedAnalyses::none());
  for (Function& function : defined) impl_->functions.invalidate(function, PreservedAnalyses::none());

  FunctionPassManager passes;
  add_simplification(passes, is_serial);
  add_canonical_loops(passes, is_serial);
  if (is_serial) add_redundancy_elimination(passes);
  add_vectorization(passes, is_serial, impl_->passes.lanes());
  add_final_loops(passes, is_serial);
  add_idioms(passes, impl_->has_masks);
  impl_->run(module, std::move(passes));

  const bool gains = impl_->passes.runs(PassId::strength_reduction) && any_of(defined, [&](Function& function) {
    return has_loop_that_gains(impl_->functions.getResult<LoopAnalysis>(function));
  });
  if (gains)
    for (Function& function : defined) cut_sums(function);
  return gains;
}

}  // namespace kasoku::embedded
