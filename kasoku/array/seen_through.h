/// \file kasoku/array/seen_through.h
/// What a view of a node sees of the node's inputs: a node that is not computed has no memory, so whoever reads it as a view reads
/// its inputs as views.
#pragma once

#include "kasoku/array/graph.h"

#include <optional>
#include <vector>

namespace kasoku {

/// Whether `view` covers a C-order array of that shape from its start.
bool is_whole(const View& view, const Shape& shape, size_t itemsize);

class SeenThrough {
 public:
  SeenThrough(const View& view, const Node& node) : view_(view), node_(node) {}
  /// The input as the view sees it; nothing where no strides say that.
  std::optional<View> input(const Input& input);

 private:
  /// The view's positions over the node's C-order layout, taken apart into numbers along its axes.
  struct Steps {
    Extents origin;         ///< per axis of the node
    std::vector<int> axis;  ///< per axis of the view: which of the node's, or -1
    Extents step;           ///< and how far along it
  };
  std::optional<Steps> take_apart() const;

  const View& view_;
  const Node& node_;
  std::optional<Steps> steps_;
  bool is_taken_apart_ = false;
};

}  // namespace kasoku
