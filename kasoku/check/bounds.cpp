/// \file kasoku/check/bounds.cpp
/// KASOKU_CHECK=bounds: every kernel of a user runs on copies first, with its indices checked.
#include "kasoku/base/env.h"
#include "kasoku/base/error.h"
#include "kasoku/check/kernel_check.h"
#include "kasoku/kernel/raw_module.h"

namespace kasoku {

namespace {

void inspect(const RawKernel& kernel, const LaunchShape& shape, std::span<const Argument> args) {
  for (const Finding& finding : check_kernel(kernel, shape, args))
    if (finding.kind == "bounds")
      throw Error(ErrorKind::index, kernel.name() + ": " + finding.text)
          .at(finding.file + ":" + std::to_string(finding.line));
}

const bool is_registered = [] {
  if (env(Env::KASOKU_CHECK) == "bounds") set_launch_inspector(inspect);
  return true;
}();

}  // namespace

}  // namespace kasoku
