/// \file kasoku/codegen/group.h
/// A fused group of array operations, as far as its kernel's text depends on it:
/// operations, dtypes, ranks after collapsing and how operands lie along the
/// innermost axis. Sizes, strides, addresses and numbers are parameters.
#pragma once

#include "kasoku/base/dtype.h"
#include "kasoku/codegen/reductions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kasoku {

enum class Inner : uint8_t;
enum class ReduceForm : uint8_t;
enum class Schedule : uint8_t;
struct Loop;
enum class Distribution : uint8_t { uniform, normal, integers };

/// One value of an element's computation, in order; inputs are earlier ones.
struct Instruction {
  enum Kind : uint8_t { load, scalar, arange, random, apply, cast, gather };
  Kind kind;
  Op op{};
  Dtype dtype;          ///< of the value
  Dtype compute{};      ///< op: what the operands are
  uint16_t index = 0;   ///< which load, scalar, arange or random; gather: which load, so many bytes away as its input says
  uint16_t in[3] = {0, 0, 0};
};

struct RandomSpec {
  Dtype dtype;
  Distribution distribution;
};

/// A map that stores at places which are computed. On a CPU those who share the work have places of their own, so that what
/// is stored at one place is stored in order; on a GPU only what may come in any order is left to it.
struct ScatterSpec {
  uint16_t distance = 0;              ///< the value that is the bytes from where the result walks
  std::optional<uint16_t> condition;  ///< the value without which nothing is stored
  std::optional<Op> join;             ///< of what is there and the last value; else the last value takes its place
  bool is_in_shared = false;          ///< a GPU's block first adds up what it has, for all places
};

/// How many counters a block has room for in shared memory. Without them all blocks would wait for each other at few
/// places.
inline constexpr int64_t shared_places = 4096;

/// A scan along the last axis, which is the only one that counts as reduced.
struct ScanSpec {
  Op join;
  bool gives_totals;  ///< of chunks, one for each; else elements, joined to what is before their chunk
};

/// A number: a parameter of the kernel, or part of its text.
struct ScalarSpec {
  Dtype dtype;
  int64_t fixed = 0;  ///< in the text, if not 0
};

struct Group {
  std::vector<Instruction> values;
  std::vector<Dtype> loads;
  std::vector<ScalarSpec> scalars;
  std::vector<Dtype> aranges;
  std::vector<RandomSpec> randoms;
  /// Of what moves: the result (elementwise), then loads, aranges, randoms and numbers of results.
  std::vector<Inner> inner;

  /// Axes of the domain: kept ones, then reduced ones (none: an elementwise group).
  uint8_t kept_rank = 1;
  uint8_t reduced_rank = 0;

  /// Elementwise: where the last value goes.
  Dtype store_dtype{};
  std::optional<ScatterSpec> scatter;

  std::optional<ScanSpec> scan;

  bool is_reduce = false;
  ReduceOp reduce_op{};
  Dtype accumulate{};
  /// Partial results of several numbers, one of them a position: the last values hold them.
  bool joins_results = false;
  ReduceForm form{};
  uint8_t along = 0;  ///< tiles, parts: the axis of the innermost loop
  bool walks_numbers = false;  ///< of results, as the last operand: they are computed in an order other than theirs

  /// All random leaves are read in order from a multiple of 4: one call of the
  /// generator serves four elements (float64: two).
  bool by_fours = false;
  /// Then: they are at the same place in their leaves, so what calls make of the block alone is made once.
  bool has_one_block = false;
  /// Four calls of the generator go side by side: so many chains keep 512-bit multipliers
  /// busy, and overflow the registers that narrower vectors have.
  bool by_chains = false;
  Schedule schedule{};  ///< of a map
  bool wide_index = true;
  bool is_simt = false;  ///< threads are cheap and run side by side, as a GPU's

  /// Not empty: its values are read by a user's text, whose loop has its operands among others and goes `along` an axis. All names
  /// begin with this.
  std::string prefix;

  bool has_plain_products = false;  ///< the compiler may contract others: products of floats are functions that stay as they are

  int rank() const { return kept_rank + reduced_rank; }
  bool is_part() const { return !prefix.empty(); }
  /// Whether the result is an operand of the loop; else it is one for each row, or for each of its chunks.
  bool walks_result() const { return !is_reduce && !is_part() && !(scan && scan->gives_totals); }
  /// Operands: y (of a map), loads x0 …, aranges a0 …, random leaves r0 …, numbers of results o
  operator Loop() const;
};


/// Whether joining elements of `stored` gives one result in any order, and a GPU's threads may do it side by side.
bool joins_in_any_order(Op join, Dtype compute, Dtype stored);

/// Name of the kernel in every group's text.
inline constexpr const char* group_entry = "ks_group";

/// The kernel of a group. Parameters, in order (all 8 bytes wide but scalars,
/// which have their register type):
///   y (and positions), each load's pointer,
///   each scalar that is not fixed, each arange's start and step (its register type),
///   each random's seed, stream, draw (int64), low, range,
///   what add_numbers() of loop_text.h gives, and add_launch() of a map;
///   scatter, on a CPU: total, then rows, rows_of_part, owners, from, span (see scatter.cpp)
///   scan: the numbers of scan_launch(), see scan_text.h; of elements also what is before chunks
///   reduce: the numbers of reduce_launch(), see reduce_text.h
std::string emit(const Group& group);

/// The register type of a dtype: float for the 16-bit floats.
Dtype register_dtype(Dtype dtype);

}  // namespace kasoku
