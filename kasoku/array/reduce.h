/// \file kasoku/array/reduce.h
/// Reductions over all or some axes, by the fixed tree (codegen/reduce_tree.cpp):
/// the same bits with any number of threads, on every device.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/array/scalar.h"

#include <optional>

namespace kasoku {

/// Which elements a reduction takes, and the shape of its result.
struct Over {
  std::optional<Extents> axes = std::nullopt;  ///< nothing: all
  bool keepdims = false;
  std::optional<Array> where = std::nullopt;   ///< a mask that stretches to the array: what it leaves out is not there
  std::optional<Scalar> initial = std::nullopt;  ///< joins each result
};

/// `dtype`: that of the result, which sums and products are computed in. Positions are along one axis or all. Where a row has several
/// numbers they lie along an axis behind the others.
Array reduce(ReduceOp op, const Array& array, const Over& over = {}, std::optional<Dtype> dtype = std::nullopt);

/// The sum of squares of the elements' distances from their mean; of complex numbers both parts'.
Array squares_about_mean(const Array& array, const Over& over = {});

Array mean(const Array& array, const Over& over = {}, std::optional<Dtype> dtype = std::nullopt);
Array var(const Array& array, const Over& over = {}, double ddof = 0, std::optional<Dtype> dtype = std::nullopt);
Array std_(const Array& array, const Over& over = {}, double ddof = 0, std::optional<Dtype> dtype = std::nullopt);

/// The value of a bool array of one element. Waits until it is computed, on any device. To test operands, see Glance.
bool is_true(const Array& element);
/// The value of an int64 array of one element.
int64_t number_in(const Array& element);
/// Any real number, as a double.
double real_in(const Array& element);
/// The greatest of some int64 as unsigned numbers, of which negative ones are the greatest; waits for it.
uint64_t greatest_unsigned(const Array& numbers);

/// An element that joins without a trace.
Scalar identity(ReduceOp op, Dtype dtype);

}  // namespace kasoku
