/// \file kasoku/array/direct.h
/// Small operations on values that are there, in memory that the host reaches: they run at once. To
/// remember one in a graph and to look up a kernel for its group costs more than to compute it.
///
/// The kernels are those of groups of one operation (codegen/group.h), found by operation and dtype
/// instead of by a hash; so the bits are those of any fused group.
#pragma once

#include "kasoku/array/elementwise.h"

#include <atomic>
#include <optional>
#include <span>

namespace kasoku {

/// Arrays of at most so many elements: a group of several operations on more of them saves passes
/// over memory that are worth a graph.
inline constexpr int64_t few_elements = 2048;

/// So many elements are not worth a second thread.
inline constexpr int64_t most_alone = 32768;

/// A copy of at most so many bytes costs less than the launch of a kernel; and elements are few if they take no more.
inline constexpr size_t few_bytes = 8 * few_elements;

/// Cleared, all operations are for the graph. Only tests do it, which compare the two ways.
extern std::atomic<bool> few_at_once;
/// Whether few elements on `device` are computed by the call, without a graph: on a host, and while nothing is recorded.
bool runs_at_once(const Device& device);
/// Whether what an evaluation computes may be found without its group: not while somebody keeps, shows or only looks for groups.
bool runs_without_group();

/// An operand that its owner keeps meanwhile: an array, or a float or integer of Python's.
struct Plain {
  const Array* array = nullptr;
  Scalar number;
};

/// A result of numbers alone: it needs no memory.
struct Value {
  Scalar number;
  Dtype dtype{};
  Device* device = nullptr;
  bool is_element = true;  ///< of elements that were read; else a new array of no axes holds it

  Array array() const;
};

/// Computes `op` of numbers, elements that were read and arrays of no axes, without memory for the result. As for
/// apply_again(), all have one dtype. False, and nothing done, if apply_again() has to compute it.
bool compute_again(Op op, std::span<const Plain> operands, Value& y);
/// The result of `op` for operands of one dtype (and numbers) if apply() has computed it for such before: then nothing is left to
/// find out but where shapes meet. Null if it is for apply(), or all are numbers.
Array apply_again(Op op, std::span<const Plain> operands);
/// apply_again() with its result in `out`, which has the result's dtype and shape and may share memory with operands.
/// False, and nothing done, if apply() has to compute it.
bool apply_again_into(const Array& out, Op op, std::span<const Plain> operands);
/// apply() has computed `op` at once for these operands, in the dtypes that it has for them.
void expect_again(Op op, const OpTypes& types, std::span<const Operand* const> operands);

/// The result of `op` for operands whose arrays stretch to `shape`; nothing if it is for the graph:
/// many elements, operands that are pending, another device's memory.
std::optional<Array> apply_directly(Op op, const OpTypes& types, std::span<const Operand* const> operands, const Shape& shape, Device& device);

/// Whether a pending operation was computed into `to`, memory of its node's size: one alone of arrays that are computed and lie in
/// C order, and of numbers, of no more elements than one thread takes. Its kernel needs no group to be found, and it runs on this thread.
bool compute_alone(const Expression& expression, const Node& node, Buffer& to);

/// A new array of start, start + step and so on in C order; nothing as above, and for steps of dtypes that are not int64 or float64.
std::optional<Array> count_directly(const Shape& shape, const Scalar& start, const Scalar& step, Dtype dtype, Device& device);

/// A new array of the same elements as another dtype, or the same; nothing as above.
std::optional<Array> convert_directly(const Array& array, Dtype dtype);

/// The elements of an array that is computed, few and in C order, as another dtype in memory of the host. False, and nothing
/// done, for any other.
bool convert_into(void* to, const Array& array, Dtype dtype);

/// A new array of `shape` whose elements in C order are those that `view`, of the array's node, shows; nothing as above.
std::optional<Array> spread_directly(const Array& array, const View& view, const Shape& shape);

/// A reduction, computed in `compute`, over the axes with a mark; `shape` is that of its results.
std::optional<Array> reduce_directly(ReduceOp op, Dtype compute, const Array& array, std::span<const uint8_t> is_reduced, const Shape& shape);

/// What the chunks of one row gave, `n` values of `compute` in memory of the host, as the reduction's one result. False, and nothing
/// done, if it is for the graph.
bool join_directly(ReduceOp op, Dtype compute, const Buffer& values, int64_t n, Buffer& result);

/// Whether a reduction takes bools in the place of elements, for results that are none.
bool is_of_truth(ReduceOp op, Dtype compute);
/// The reduction of all elements, which lie in C order, if reduce() has computed it for their dtype before without converting one
/// but to its truth:
/// stored in 16 bytes of the host, with its dtype. False, and nothing done, if it is for reduce().
bool reduce_again(ReduceOp op, const Array& array, void* result, Dtype& dtype);
/// The same as an array of no axes; a null array if reduce() has to compute it.
Array reduce_again(ReduceOp op, const Array& array);
/// reduce() has computed it so.
void expect_again(ReduceOp op, Dtype dtype, Dtype compute);

/// A scan, which joins by `join`, along one axis with rows that are joined one element after the other; nothing as above.
std::optional<Array> scan_directly(Op join, const OpTypes& types, const Array& array, size_t axis);

/// Copies the elements of `from`, which has the shape of `to` and its dtype, also where the two
/// overlap, or writes one number to all of `to`. False, and nothing done, if that is for a kernel.
/// The caller has run all pending nodes that read `to`.
bool write_directly(const View& to, Buffer& buffer, Dtype dtype, const Input& from);
/// Copies few_bytes at most, in memory that the host reaches. The views have one shape and may overlap.
void copy_few(Dtype dtype, Buffer& buffer, const View& to, const Buffer& source, const View& from);

}  // namespace kasoku
