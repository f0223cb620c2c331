/// \file kasoku/array/fuse.h
/// A node's expression as one Group: what is computed in registers, what is read
/// from memory, and where it lies.
#pragma once

#include "kasoku/array/graph.h"
#include "kasoku/codegen/group.h"
#include "kasoku/codegen/loop.h"

#include <atomic>
#include <memory>
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
};

/// Groups take the form that they have on a GPU, whatever the device: one kernel
/// language, so a CPU runs that text too, and a test without a GPU reads its results.
/// Only such tests set it.
extern std::atomic<bool> use_gpu_form;

/// Whether texts for `device` take the form for GPUs.
bool takes_gpu_form(const Device& device);

/// Whether `view` covers a C-order array of that shape from its start.
bool is_whole(const View& view, const Shape& shape, size_t itemsize);

/// An elementwise group that computes `value` as `dtype` into `target`. Nodes that
/// have to be stored on the way are evaluated; the value's own not if it is the
/// root, which the caller is computing.
Fused fuse_map(const Input& value, const View& target, Dtype dtype, bool is_root);

/// A group that reduces the input of `expression` over its axes.
Fused fuse_reduce(const Expression& expression);

/// Rows of partial results, `length` in each.
Fused fuse_partials(const Expression& expression, const NodePtr& values, const NodePtr& indices,
                    int64_t rows, int64_t length);

}  // namespace kasoku
