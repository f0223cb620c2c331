#include "kasoku/compile/clang/passes/passes.h"

#include "kasoku/base/error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <iterator>
#include <optional>

namespace kasoku::embedded {

using namespace llvm;

namespace {

#ifdef NDEBUG
constexpr bool is_debug_build = false;
#else
constexpr bool is_debug_build = true;
#endif

struct Row {
  StringRef name;
  bool may_be_left_out;
};
constexpr size_t n_passes = 0
#define PASS(...) +1
#include "kasoku/compile/clang/passes/passes.def"
#undef PASS
    ;
static_assert(n_passes <= 96);

const Row (&rows())[n_passes] {
  static const Row rows[] = {
#define PASS(id, name, may_be_left_out, text) {name, may_be_left_out},
#include "kasoku/compile/clang/passes/passes.def"
#undef PASS
  };
  return rows;
}

const Module* module_of(Any ir) {
  if (const auto* module = any_cast<const Module*>(&ir)) return *module;
  if (const auto* function = any_cast<const Function*>(&ir)) return (*function)->getParent();
  if (const auto* loop = any_cast<const Loop*>(&ir)) return (*loop)->getHeader()->getModule();
  return nullptr;
}

// The table's name of a pass of LLVM's pass manager: its own, or that of our class.
StringRef name_of(PassInstrumentationCallbacks& callbacks, StringRef class_name) {
  return callbacks.getPassNameForClassName(class_name);
}

}  // namespace

Passes::Passes(std::string_view words, std::function<void(std::string_view)> dump)
    : verifies_(is_debug_build), dump_(std::move(dump)) {
  SmallVector<StringRef> all;
  StringRef(words.data(), words.size()).split(all, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : all) {
    word = word.trim();
    if (word.empty()) continue;
    if (word == "verify") {
      verifies_ = true;
    } else if (StringRef number = word; number.consume_front("lanes=") && !number.getAsInteger(10, lanes_) &&
               (lanes_ == 4 || lanes_ == 8 || lanes_ == 16)) {
    } else {
      const auto row = find_if(rows(), [&](const Row& at) { return word.drop_front() == at.name; });
      const bool is_known = word.front() == '-' && row != std::end(rows());
      if (is_known && row->may_be_left_out) {
        left_out_.set(row - std::begin(rows()));
        continue;
      }
      throw Error(ErrorKind::value, "KASOKU_PASSES has the word '" + word.str() + "'")
          .why(is_known ? "kernels cannot be compiled without this pass"
                        : "it takes -name of a pass, lanes=4, 8 or 16, and verify");
    }
  }
}

void Passes::ran(PassId pass, const Module& module) {
  if (!is_plain()) ran(rows()[static_cast<size_t>(pass)].name, module);
}

void Passes::ran(std::string_view name, const Module& module) {
  if (dump_) {
    std::string text;
    raw_string_ostream(text) << module;
    dump_("after " + std::string(name) + (text == last_text_ ? ": no change" : ":\n" + text));
    last_text_ = std::move(text);
  }
  if (verifies_) {
    std::string reason;
    raw_string_ostream stream(reason);
    if (verifyModule(module, &stream))
      throw Error(ErrorKind::internal, "the pass '" + std::string(name) + "' made an invalid module").why(reason);
  }
}

void Passes::observe(PassInstrumentationCallbacks& callbacks) {
  constexpr std::pair<const char*, PassId> ours[] = {
      {"kasoku::embedded::LateFailuresPass", PassId::late_failures},
      {"kasoku::embedded::StepOverPass", PassId::strided_index_set},
      {"kasoku::embedded::FetchAheadPass", PassId::prefetch},
      {"kasoku::embedded::SideBySidePass", PassId::interleaved_access},
      {"kasoku::embedded::SpeculateDivisionPass", PassId::speculate_division},
      {"kasoku::embedded::WidenThreadsPass", PassId::widen},
      {"kasoku::embedded::WholeStoresPass", PassId::store_predication},
      {"kasoku::embedded::WholeRowsPass", PassId::whole_rows},
      {"kasoku::embedded::RareCallsPass", PassId::rare_calls},
      {"kasoku::embedded::ShortNumbersPass", PassId::short_numbers},
      {"kasoku::embedded::UnrollScalarsPass", PassId::unroll_scalars},
      {"kasoku::embedded::LaneMemoryPass", PassId::forward_lanes},
      {"kasoku::embedded::IdiomsPass", PassId::x86_idioms},
      {"kasoku::embedded::ScalarizeVectorsPass", PassId::scalarizer}};
  for (const auto& [name, pass] : ours) callbacks.addClassToPassName(name, rows()[static_cast<size_t>(pass)].name);
  callbacks.registerShouldRunOptionalPassCallback([this, &callbacks](StringRef pass, Any) {
    const StringRef name = name_of(callbacks, pass);
    const auto row = find_if(rows(), [&](const Row& at) { return at.name == name; });
    return row == std::end(rows()) || !left_out_.test(row - std::begin(rows()));
  });
  callbacks.registerAfterPassCallback([this, &callbacks](StringRef pass, Any ir, const PreservedAnalyses&) {
    const StringRef name = name_of(callbacks, pass);
    if (const Module* module = module_of(ir); module && !name.empty()) ran(name, *module);
  });
}

}  // namespace kasoku::embedded
