/// \file kasoku/check/bounds.cpp
/// Every kernel of a user runs on copies first: KASOKU_CHECK=bounds, and check_launches().
#include "kasoku/base/env.h"
#include "kasoku/base/error.h"
#include "kasoku/check/kernel_check.h"
#include "kasoku/kernel/raw_module.h"

#include <utility>

namespace kasoku {

namespace {

void inspect(const RawKernel& kernel, const LaunchShape& shape, std::span<const Argument> args) {
  for (const Finding& finding : check_kernel(kernel, shape, args))
    if (finding.kind == "bounds")
      throw Error(ErrorKind::index, kernel.name() + ": " + finding.text)
          .at(finding.file + ":" + std::to_string(finding.line));
}

/// Who misspelt it wants a check, and must not take its silence for a verdict.
void refuse(const RawKernel&, const LaunchShape&, std::span<const Argument>) {
  throw Error(ErrorKind::value, "KASOKU_CHECK is '" + env(Env::KASOKU_CHECK) + "', and all that it can be is bounds")
      .fix("export KASOKU_CHECK=bounds");
}

LaunchReport launch_report;

void tell(const RawKernel& kernel, const LaunchShape& shape, std::span<const Argument> args) {
  std::vector<Finding> findings;
  std::string why_not;
  try {
    findings = check_kernel(kernel, shape, args);
  } catch (const Error& error) {
    if (error.kind == ErrorKind::interrupted) throw;
    why_not = error.what();  // if the launch is wrong, it says so itself
  }
  launch_report(kernel.name(), findings, why_not);
}

const bool is_registered = [] {
  if (const std::string asked = env(Env::KASOKU_CHECK); !asked.empty() && asked != "0")
    set_launch_inspector(asked == "bounds" ? inspect : refuse);
  return true;
}();

}  // namespace

void check_launches(LaunchReport report) {
  launch_report = std::move(report);
  set_launch_inspector(tell);
}

}  // namespace kasoku
