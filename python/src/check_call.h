/// \file check_call.h
/// _check_call(args, kwargs) of kernels that are made from expressions: the same call, watched.
#pragma once

#include "bindings.h"
#include "kasoku/check/kernel_check.h"
#include "kasoku/kernel/signature.h"

namespace kasoku {

/// The arrays among `args` under the names of `parameters`.
std::vector<KnownArray> known_arrays(nb::tuple args, const std::vector<std::string>& parameters);

template <class... Lists>
std::vector<std::string> names_of(const Lists&... lists) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  };
  (add(lists), ...);
  return names;
}

template <class Kernel, class Names>
void bind_check_call(nb::class_<Kernel>& bound, Names names) {
  bound.def("_check_call", [names](const Kernel& kernel, nb::tuple args, nb::dict kwargs) {
    Kernel watched(kernel);
    watched.watch();
    const nb::object call = nb::cast(std::move(watched));
    return call_watched(kernel.options().name, known_arrays(args, names(kernel)), kernel.options().locate,
                        [&] { call(*args, **kwargs); });
  });
}

}  // namespace kasoku
