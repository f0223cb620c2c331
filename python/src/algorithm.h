/// \file python/src/algorithm.h
/// Functions of Python that are rows of kasoku/array/algorithms/algorithms.def.
#pragma once

#include "arguments.h"
#include "described.h"

#include <utility>

namespace kasoku {

/// Binds f under the row's name, with what the row says of it.
template <class F, class... Args>
void bind_algorithm(nb::module_& m, Algorithm row, F&& f, const Args&... args) {
  m.def(info(row).name.data(), std::forward<F>(f), args..., described(row).c_str());
}

template <class F, class... Args>
void bind_algorithm_method(nb::module_& m, Algorithm row, F&& f, const Args&... args) {
  add_method(m.attr("Array"), info(row).name.data(), std::forward<F>(f), args..., described_method(info(row).name, info(row).doc, row == Algorithm::sort || row == Algorithm::partition).c_str());
}

}  // namespace kasoku
