/// \file python/src/algorithm.h
/// Functions of Python that are rows of kasoku/array/algorithms/algorithms.def.
#pragma once

#include "arguments.h"
#include "kasoku/array/algorithms/algorithms.h"

#include <utility>

namespace kasoku {

/// Binds f under the row's name and with its reference line.
template <class F, class... Args>
void bind_algorithm(nb::module_& m, Algorithm row, F&& f, const Args&... args) {
  m.def(info(row).name.data(), std::forward<F>(f), args..., info(row).doc);
}

template <class F, class... Args>
void bind_algorithm_method(nb::module_& m, Algorithm row, F&& f, const Args&... args) {
  add_method(m.attr("Array"), info(row).name.data(), std::forward<F>(f), args..., info(row).doc);
}

}  // namespace kasoku
