/// \file kasoku/task/chunks.h
/// How arrays in chunks are cut: plans of lengths along axes. Nothing here has the chunks themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace kasoku::chunks {

/// The lengths of the chunks along an axis, one after the other.
using Lengths = std::vector<int64_t>;

/// An axis in chunks of one length, the last as long as what is left; -1: one chunk.
Lengths cut(int64_t length, int64_t size);

/// An axis in parts that differ by one at most, the longer ones first.
Lengths evenly(int64_t length, int64_t parts);

/// Neighbours together, as many as are not longer than `size`.
Lengths gathered(const Lengths& lengths, double size);

/// Chunks of nearly one length, of as many as there are, or one less if the shortest is at most half of the longest; none if
/// no length gives so many.
std::optional<Lengths> balanced(const Lengths& lengths);

/// Chunks along axes that are free to be cut, where those of `shape` may hold `room` elements: of equal sides.
std::vector<Lengths> of_equal_sides(const Lengths& shape, double room);

/// Chunks for axes that are in chunks already, longer or shorter by one factor. Longer chunks are made of whole old
/// ones, where those are not too long (`tolerance` says by how much they may be); shorter ones divide the usual length.
std::vector<Lengths> in_proportion(const std::vector<Lengths>& before, double room, double tolerance);

/// The part of a slice that lies in each chunk of an axis; the step is positive. {[begin, end) in the axis, elements}.
struct Pieces {
  std::vector<std::pair<int64_t, int64_t>> ends;
  Lengths lengths;
};
Pieces sliced(const Lengths& lengths, int64_t start, int64_t stop, int64_t step);

/// For each [begin, end) the chunks of an axis that it lies in: (chunk, from, to), the latter within the chunk.
struct Part {
  int64_t chunk, begin, end;
};
using Ends = std::vector<std::pair<int64_t, int64_t>>;
std::vector<std::vector<Part>> parts_of(const Lengths& lengths, const Ends& pieces);

/// A run of axes that becomes another: the axes of the old and of the new shape.
struct Run {
  std::vector<size_t> before, after;
};

/// What reshape() needs: chunks of the old axes that are chunks of the new ones too, run by run, as many before and after in C
/// order. Chunks have `limit` elements at most. merges: axes that become one are put together in chunks that are not larger than
/// before, else their chunks are cut until they lie in order. A length of -1 is unknown, and the same unknown before and after.
struct Reshaping {
  std::vector<Run> runs;
  std::vector<std::optional<Lengths>> before, after;  // none: as it is
};
Reshaping reshaping(const Lengths& old_shape, const Lengths& new_shape, const std::vector<Lengths>& chunks, double limit,
                    bool merges);

}  // namespace kasoku::chunks
