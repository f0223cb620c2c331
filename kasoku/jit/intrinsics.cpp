#include "kasoku/jit/intrinsics.h"

#include "kasoku/jit/tree.h"

#include <deque>
#include <string>
#include <unordered_map>

namespace kasoku::jit {

namespace {

constexpr Intrinsic intrinsic_rows[] = {
#define FUNCTION(name, parameters, result, text) \
  {name, Handler::elementwise, parameters, {}, Result::result, text, Dtype::opaque},
#define INTRINSIC(name, parameters, handler) \
  {name, Handler::handler, parameters, {}, Result::floating, "", Dtype::opaque},
#define REDUCING(name, parameters, handler, op) \
  {name, Handler::handler, parameters, {}, Result::floating, "", Dtype::opaque, false, ReduceOp::op},
#define WORD(name, text, dtype) {name, Handler::word, "", {}, Result::floating, text, Dtype::dtype},
#include "kasoku/jit/intrinsics.def"
#undef FUNCTION
#undef INTRINSIC
#undef REDUCING
#undef WORD
};

struct All {
  std::vector<const Intrinsic*> rows;
  std::unordered_map<std::string_view, const Intrinsic*> by_name;
};

const All& all() {
  static const All& made = *new All([] {
    All all;
    const auto put = [&](const Intrinsic& row) {
      if (all.by_name.emplace(row.name, &row).second) all.rows.push_back(&row);
    };
    for (const Intrinsic& row : intrinsic_rows) put(row);
    // The rows of ops.def and reductions.def, where the table above does not say otherwise. They live for good.
    static std::deque<std::string>& names = *new std::deque<std::string>;
    static std::deque<Intrinsic>& rows = *new std::deque<Intrinsic>;
    const auto add_reduction = [&](std::string_view name, ReduceOp op) {
      put(rows.emplace_back(Intrinsic{names.emplace_back("numpy." + std::string(name)), Handler::reduce, "a,axis", {}, Result::floating, "", Dtype::opaque, false, op}));
    };
    for (size_t i = 0; i < n_reductions; ++i) add_reduction(reduction_table[i].name, static_cast<ReduceOp>(i));
    for (const ReductionAlias& alias : reduction_aliases()) add_reduction(alias.name, alias.op);
    const auto add = [&](const std::string& home, std::string_view name, Op op) {
      if (home == "math." && (op == Op::gcd || op == Op::lcm)) return;  // kasoku/_library: they say what 64 bits do not hold
      const OpInfo& row = info(op);
      constexpr const char* parameters[] = {"x", "x1,x2", "x1,x2,x3"};
      const bool in_floats = home == "math." && !row.text[2].empty();
      names.push_back(home + std::string(name));
      put(rows.emplace_back(Intrinsic{names.back(), Handler::elementwise, parameters[row.arity - 1], op,
                                      Result::floating, "", Dtype::opaque, in_floats}));
    };
    for (const char* home : {"numpy.", "math.", "kasoku."}) {
      for (size_t i = 0; i < n_ops; ++i) add(home, op_table[i].name, static_cast<Op>(i));
      for (const OpAlias& alias : op_aliases()) add(home, alias.name, alias.op);
    }
    return all;
  }());
  return made;
}

}  // namespace

const std::vector<const Intrinsic*>& intrinsics() { return all().rows; }

const Intrinsic* find_intrinsic(std::string_view name) {
  const auto found = all().by_name.find(name);
  return found == all().by_name.end() ? nullptr : found->second;
}

const Intrinsic* intrinsic_of(const Expr& call) {
  if (call.kind != ExprKind::call || call.items[0]->kind != ExprKind::global ||
      call.items[0]->binding.kind != Binding::Kind::intrinsic)
    return nullptr;
  return find_intrinsic(call.items[0]->binding.name);
}

}  // namespace kasoku::jit
