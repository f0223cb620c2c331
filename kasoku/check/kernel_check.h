/// \file kasoku/check/kernel_check.h
/// A CUDA kernel, run with every access watched.
#pragma once

#include "kasoku/check/finding.h"
#include "kasoku/compile/program.h"
#include "kasoku/device/module.h"
#include "kasoku/kernel/raw_module.h"

#include <span>
#include <string>
#include <vector>

namespace kasoku {

/// Runs `kernel` of `program` on the CPU, thread after thread, on copies of its
/// arrays, and returns the conflicts, the accesses out of bounds and the reads of
/// unwritten shared memory. Exact for these arguments. Arguments are checked as at
/// a launch.
std::vector<Finding> check_kernel(Program program, const std::string& kernel,
                                  const LaunchShape& shape, std::span<const Argument> args);
/// The same; findings name the user's own file and lines where they are known.
std::vector<Finding> check_kernel(const RawKernel& kernel, const LaunchShape& shape,
                                  std::span<const Argument> args);

}  // namespace kasoku
