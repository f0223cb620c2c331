/// \file python/src/arguments.h
/// Arguments that many array functions share.
#pragma once

#include "convert.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/reduce.h"

#include <span>

namespace kasoku {

/// axis= as None, an int or a tuple of ints.
std::optional<Extents> axes_from(nb::handle axis);
/// axis= as None or an int.
std::optional<int64_t> axis_from(nb::handle axis);
/// Axes by the widths of their steps in memory, the widest first. Those without steps stay where they are, as in NumPy.
Extents axes_of_memory(std::span<const int64_t> shape, std::span<const int64_t> strides);
/// shape, or *shape as methods take it.
Shape shape_from_args(const nb::args& args);
/// The parts of the index between the brackets of x[...].
std::vector<Index> index_from(nb::handle key, Device& device);
std::vector<Array> arrays_from(nb::handle sequence);
Scalar scalar_from(nb::handle object);
/// A number that fills an array of the dtype; one of Python's must fit into it.
Scalar number_for(nb::handle object, Dtype dtype);
/// out=: None, an array, or a tuple with one.
std::optional<Array> out_from(nb::handle out);

/// The result of the function called `name`, or the array that is given for it by out=.
nb::object stored(const char* name, Array result, nb::handle out);
/// stored() in dtype= or in the output's dtype, if NumPy's rule casting= allows it.
nb::object stored(const char* name, Array result, nb::handle out, nb::handle dtype, const std::string& casting);
/// Whether NumPy's rule lets elements be cast; an unknown rule is an error.
bool can_cast(Dtype from, Dtype to, const std::string& casting);
/// The error of a function where the rule refuses that.
void must_cast(std::string_view name, Dtype from, Dtype to, const std::string& casting);

/// Adds a function or a method to a class that is bound already.
template <class F, class... Extra>
void add_method(nb::handle cls, const char* name, F&& f, const Extra&... extra) {
  nb::cpp_function_def(std::forward<F>(f), nb::scope(cls), nb::name(name), nb::is_method(), extra...);
}

}  // namespace kasoku
