#include "kasoku/compile/clang/passes/vector_math.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace kasoku::embedded {

using namespace llvm;

namespace {

struct VectorFunction {
  const char* name;
  int operands;
  const char* intrinsic;  ///< LLVM's name for the same function, if it has one
};

constexpr VectorFunction vector_functions[] = {
    {"sin", 1, "sin"},     {"cos", 1, "cos"},     {"exp", 1, "exp"},     {"log", 1, "log"},
    {"pow", 2, "pow"},     {"acos", 1, nullptr},  {"acosh", 1, nullptr}, {"asin", 1, nullptr},
    {"asinh", 1, nullptr}, {"atan", 1, nullptr},  {"atan2", 2, nullptr}, {"atanh", 1, nullptr},
    {"cbrt", 1, nullptr},  {"cosh", 1, nullptr},  {"erf", 1, nullptr},   {"erfc", 1, nullptr},
    {"exp10", 1, "exp10"}, {"exp2", 1, "exp2"},   {"expm1", 1, nullptr}, {"hypot", 2, nullptr},
    {"log10", 1, "log10"}, {"log1p", 1, nullptr}, {"log2", 1, "log2"},   {"sinh", 1, nullptr},
    {"tan", 1, nullptr},   {"tanh", 1, nullptr},
};

struct Table {
  std::deque<std::string> names;  ///< the descriptions refer to them
  std::vector<VecDesc> descriptions;

  StringRef keep(std::string name) { return names.emplace_back(std::move(name)); }

  void add(const VectorFunction& row, bool is_float, char isa, int lanes) {
    const std::string suffix = is_float ? "f" : "";
    const std::string parameters(row.operands, 'v');
    const StringRef vector = keep(std::string("_ZGV") + isa + 'N' + std::to_string(lanes) +
                                  parameters + '_' + row.name + suffix);
    const StringRef mangling =
        keep("_ZGV_LLVM_N" + std::to_string(lanes) + parameters);
    const auto count = ElementCount::getFixed(lanes);
    descriptions.emplace_back(keep(row.name + suffix), vector, count, false, mangling);
    if (row.intrinsic)
      descriptions.emplace_back(keep(std::string("llvm.") + row.intrinsic +
                                     (is_float ? ".f32" : ".f64")),
                                vector, count, false, mangling);
  }

  explicit Table(bool has_512_bits) {
    for (const VectorFunction& row : vector_functions)
      for (const bool is_float : {false, true}) {
        const int factor = is_float ? 2 : 1;
        add(row, is_float, 'b', 2 * factor);
        add(row, is_float, 'd', 4 * factor);
        if (has_512_bits) add(row, is_float, 'e', 8 * factor);
      }
  }
};

}  // namespace

ArrayRef<VecDesc> vector_math(bool has_512_bits) {
  static const Table narrow(false), wide(true);
  return (has_512_bits ? wide : narrow).descriptions;
}

}  // namespace kasoku::embedded
