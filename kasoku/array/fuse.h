/// \file kasoku/array/fuse.h
/// A node's expression as one Group: what is computed in registers, what is read
/// from memory, and where it lies.
#pragma once

#include "kasoku/array/graph.h"
#include "kasoku/codegen/group.h"
#include "kasoku/codegen/loop.h"

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kasoku {

struct Fused {
  Group group;
  /// Axes: kept, then reduced. Walks: as Group::inner has them.
  IterationSpace space;
  std::vector<NodePtr> loads;
  std::vector<Scalar> scalars;
  std::vector<std::shared_ptr<const Expression>> aranges;
  struct Random {
    NodePtr node;
    std::shared_ptr<const Expression> expression;
  };
  std::vector<Random> randoms;
  int64_t parts = 1;  ///< of a reduction's result, which its kept axes count as results of their own; see chunks_as_columns()
  mutable void* kernel = nullptr;  ///< of the whole group, once it was looked up; for run.cpp alone
};

/// Groups take the form that they have on a GPU, whatever the device: one kernel
/// language, so a CPU runs that text too, and a test without a GPU reads its results.
/// Only such tests set it.
extern std::atomic<bool> use_gpu_form;

/// Whether texts for `device` take the form for GPUs.
bool takes_gpu_form(const Device& device);

/// While it stands, values that this thread's groups compute without storing them count as not computed: a test of an operation's
/// operands looks at what the operation itself reads after it, and not the program twice.
class Glance {
 public:
  Glance();
  ~Glance();
};

/// Why a node is stored although whoever reads it could compute it again.
enum class Cut : uint8_t {
  none,
  reduction,  ///< it ends a group
  scan,       ///< likewise
  smaller,    ///< it has at most half the elements of what reads it
  full,       ///< the group that reads it has as many operations or operands as a kernel should
  held,       ///< an array shows it or did, and it was computed once already without being stored
  view,       ///< what reads it sees it in a way that its own operands cannot be seen in
  gathered,   ///< its elements are read at indices
  scattered,  ///< random numbers that are not read in order
};
struct Stored {
  NodePtr node;
  Cut why;
};

// Nodes that have to be stored on the way are evaluated, or listed in `stored`, if that is given.

/// An elementwise group that computes `value` as `dtype` into `target`. The value's own
/// node is not stored if it is the root, which the caller is computing.
Fused fuse_map(const Input& value, const View& target, Dtype dtype, bool is_root, std::vector<Stored>* stored = nullptr);

/// A store at computed places: each element of `value` goes to its own offset, in bytes, from the start of `target`.
struct Placed {
  View target;  ///< in the shape of the value; does not move along axes whose places are computed
  Dtype dtype;  ///< of the memory there
  Input distance;
  int64_t least, most;  ///< the distances lie between
  bool are_in_elements = false;  ///< distances are so many elements
  std::optional<Input> condition = std::nullopt;  ///< a bool for each element: whether it is stored
  std::optional<Op> join = std::nullopt;          ///< with what is there, both converted to `compute`
  Dtype compute{};
  bool are_different = false;                     ///< no two elements have one place
};
Fused fuse_scatter(const Input& value, const Placed& to);

/// A group that reduces the input of `expression` over its axes.
Fused fuse_reduce(const Expression& expression, std::vector<Stored>* stored = nullptr);

/// A group that scans the input of `expression`: to the whole of `target`, or to its chunks' totals.
Fused fuse_scan(const Expression& expression, const Node& target, bool gives_totals, std::vector<Stored>* stored = nullptr);

/// Values that a user's text reads, each as its view shows it over `domain`: a group that is part of that text, and the number of
/// each value in it. Its space is that of the domain as it stands; whoever writes the text has the walks among his own.
Fused fuse_part(std::span<const Input> values, const Shape& domain, Device& device, std::vector<uint16_t>& numbers,
                std::vector<Stored>* stored = nullptr);

/// Which partial results are neighbours in memory: all of one result, or the same part of every result.
enum class PartialsOrder : uint8_t { of_a_result, of_a_part };

/// Partial results of `rows` results, `length` of each.
Fused fuse_partials(const Expression& expression, const NodePtr& values, const NodePtr& indices,
                    int64_t rows, int64_t length, PartialsOrder order);

}  // namespace kasoku
