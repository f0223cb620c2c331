/// \file kasoku/jit/lowered_parts.h
/// What lowering a unit works with: pieces of text, array expressions that are no memory yet, the two programs.
#pragma once

#include "kasoku/codegen/loop_text.h"
#include "kasoku/jit/element.h"
#include "kasoku/jit/infer.h"
#include "kasoku/jit/intrinsics.h"
#include "kasoku/jit/lower.h"

#include <functional>
#include <map>
#include <set>

namespace kasoku::jit {

/// A piece of kernel text and what it is. Arrays are always the name of a ks_array.
struct Val {
  std::string text;
  Type type;
};

/// What a function does to its caller: known in part before its text is written, in full afterwards.
struct Effects {
  bool may_fail = false;
  bool uses_random = false;
  bool is_recursive = false;
  bool writes = false;   ///< arrays or the outside world
  bool grows = false;    ///< a list, a dict or a set that it was given may change its length
  bool has_loops = false;
  bool has_arrays = false;  ///< statements over whole ones
  bool is_apart = false;    ///< too long to stand where it is called
  size_t length = 0;        ///< of its text, and of theirs that stand in it
  bool is_done = false;
};

class UnitLowering {
 public:
  /// `offloads`: arrays lie on a device; parallel loops are kernels of a second program.
  UnitLowering(const TypedUnit& unit, bool offloads);
  /// Writes function `index` and what it calls, callees first, for the host program or for kernels.
  void function(int index, bool on_device = false);

  /// The functions of one of the two programs.
  struct Side {
    std::map<int, Effects> effects;
    std::set<int> in_progress;
    std::string declarations, text;
  };
  Side& side(bool on_device) { return on_device ? device : host; }

  const TypedUnit& unit;
  const bool offloads;
  const bool has_try;                ///< a function of the unit catches exceptions
  Side host, device;
  std::string captures;              ///< structs of what kernels are given and give, in both programs
  std::string kernels;               ///< of the device program
  std::vector<std::string> kernel_names;
  std::vector<Remark> remarks;
};

/// A call of a function that draws, or sets a seed.
bool draws(const Expr& expr);
bool uses_random(const TypedUnit& unit, int index);
/// Whether the expression itself does what takes longer than a number's operation.
bool prints_or_computes_arrays(const Expr& e);
/// About what a pass over the statements costs, in operations; a call counts as 20, a loop as 2000.
int cost_of(const Block& body);
constexpr int few_draws = 100;  ///< so cheap a loop's draws are made four vectors at a time
/// Name in kernel text: keywords and our own names get a trailing underscore.
std::string safe_name(const std::string& name);
/// The name of a program's kernel: not that of a C function, which LLVM would take it for.
std::string entry_name(const std::string& name);
/// A C++ string literal.
std::string quoted(const std::string& text);
std::string number_text(double value);
/// `text` of dtype `from` as `to`.
std::string cast(const std::string& text, Dtype from, Dtype to);
/// a op b of operands that are already of `dtype`.
std::string arithmetic(Operator op, const std::string& a, const std::string& b, Dtype dtype);
/// int64 beside uint64: no dtype holds both, so they are compared as ordered() writes it.
bool have_two_signs(Dtype a, Dtype b);
std::string ordered(const std::string& symbol, const std::string& a, const std::string& b);

/// The element that a loop's body is about: place `j` in a row of it.
struct Index {
  const Loop* loop = nullptr;
  std::string j;
  /// The element of the operand of this name, or its number.
  std::string operator[](const std::string& operand) const;
};

/// How a reduction joins elements.
struct Fold {
  ReduceOp op;
  Dtype dtype;           ///< of the elements, converted, and of the result
  std::string type;      ///< of what is joined
  std::string identity;
  std::string joined;    ///< of values called a and b
  std::function<std::string(const Index&)> value;
};

/// An array expression that has not become memory.
struct Fused {
  /// How a loop uses an array. A fresh one is known to have the loop's shape and no gaps.
  enum class Use : uint8_t { read, written, fresh };
  struct Leaf {
    std::string name;  ///< a ks_array
    Type type;
    Use use = Use::read;
    bool is_number = false;  ///< without data: its elements are their own numbers in C order
  };
  using Element = std::function<std::string(const Index&)>;  ///< its text at a place
  Type type;
  std::vector<Leaf> leaves;
  std::vector<std::string> gathered;  ///< arrays that are read at other places than the loop's
  Element element;
  /// x[mask]: elements count where this holds; leaves and shape are the mask's.
  Element where;
  bool is_random = false;
};

Fold fold_of(ReduceOp op, Dtype dtype);

}  // namespace kasoku::jit
