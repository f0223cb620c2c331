/// \file python/src/arrow.h
/// Arrow's C data interface: columns of pyarrow, pandas, Polars and others, without a copy where their memory is an
/// array's. arrow_import.cpp reads them, arrow_export.cpp shows arrays as such.
#pragma once

#include "bindings.h"
#include "kasoku/array/array.h"

#include <optional>

namespace kasoku {

/// The values of a column, and where it has nulls: a mask that is true there.
struct Column {
  Array values;
  std::optional<Array> is_null;  ///< none if there are no nulls
};

/// What __arrow_c_array__ or __arrow_c_stream__ shows, in memory of the host; nothing for an object that has neither,
/// that has an array of NumPy's (an image, a pandas Series of floats, whose NaN are numbers), or for a table of
/// columns. TypeError for elements that no array of ours holds.
std::optional<Column> column_of_arrow(nb::handle object);

/// column_of_arrow() as an array. ValueError for a column with nulls.
std::optional<Array> array_of_arrow(nb::handle object);

}  // namespace kasoku
