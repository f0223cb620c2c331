/// \file kasoku/check/bounds.cpp
/// Every kernel of a user runs on copies first: KASOKU_CHECK=bounds on a CPU, and check_launches() on every device.
#include "kasoku/base/env.h"
#include "kasoku/base/error.h"
#include "kasoku/check/kernel_check.h"
#include "kasoku/kernel/raw_module.h"

#include <utility>

namespace kasoku {

namespace {

void inspect(const RawKernel& kernel, const LaunchShape& shape, std::span<const Argument> args) {
  if (!kernel.device_for(args).is_host()) return;
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

/// The inspector that the environment asks for; null if it asks for none.
LaunchInspector of_environment() {
  const std::string asked = env(Env::KASOKU_CHECK);
  if (asked.empty() || asked == "0") return nullptr;
  return asked == "bounds" ? inspect : refuse;
}

const bool is_registered = (set_launch_inspector(of_environment()), true);

}  // namespace

void report_launches(LaunchReport report) { launch_report = std::move(report); }

void check_launches(bool are_checked) { set_launch_inspector(are_checked ? tell : of_environment()); }

}  // namespace kasoku
