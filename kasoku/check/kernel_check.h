/// \file kasoku/check/kernel_check.h
/// A CUDA kernel, run with every access watched.
#pragma once

#include "kasoku/check/finding.h"
#include "kasoku/check/shadow.h"
#include "kasoku/kernel/raw_module.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kasoku {

/// Checks the launches that `call` makes; `arrays` are their parameters, `name` is for messages.
std::vector<Finding> call_watched(const std::string& name, std::vector<KnownArray> arrays, const Locator& locate,
                                  const std::function<void()>& call);

/// Launches a function of a checked program; `arrays` are its parameters.
std::vector<Finding> launch_watched(Function& function, const LaunchShape& shape, void* const* args,
                                    std::vector<KnownArray> arrays, const Locator& locate = {});

/// Runs `kernel` on the CPU, thread after thread, on copies of its arrays and of
/// its module's globals, and returns the conflicts, the accesses out of bounds and the reads of
/// unwritten shared memory. Exact for these arguments. Arguments are checked as at
/// a launch.
std::vector<Finding> check_kernel(const RawKernel& kernel, const LaunchShape& shape, std::span<const Argument> args);

/// Receives what was found in a launch of `kernel`, or why the launch was not checked.
using LaunchReport = std::function<void(const std::string& kernel, const std::vector<Finding>& findings, const std::string& why_not)>;

/// Says once who receives what check_launches() finds.
void report_launches(LaunchReport report);

/// From now on, whether each launch of a user's kernel is checked before it runs, and reported;
/// otherwise launches are looked at as the environment asks for it.
void check_launches(bool are_checked);

}  // namespace kasoku
