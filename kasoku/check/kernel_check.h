/// \file kasoku/check/kernel_check.h
/// A CUDA kernel, run with every access watched.
#pragma once

#include "kasoku/check/finding.h"
#include "kasoku/check/shadow.h"
#include "kasoku/kernel/raw_module.h"

#include <span>
#include <vector>

namespace kasoku {

/// Launches a function of a checked program; `arrays` are its parameters.
std::vector<Finding> launch_watched(Function& function, const LaunchShape& shape, void* const* args, std::vector<KnownArray> arrays);

/// Runs `kernel` on the CPU, thread after thread, on copies of its arrays and of
/// its module's globals, and returns the conflicts, the accesses out of bounds and the reads of
/// unwritten shared memory. Exact for these arguments. Arguments are checked as at
/// a launch.
std::vector<Finding> check_kernel(const RawKernel& kernel, const LaunchShape& shape, std::span<const Argument> args);

}  // namespace kasoku
