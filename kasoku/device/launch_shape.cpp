#include "kasoku/base/launch_error.h"
#include "kasoku/base/text.h"
#include "kasoku/device/device.h"
#include "kasoku/device/module.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {
namespace {

std::string triple(const uint32_t v[3]) { return fmt::format("({}, {}, {})", v[0], v[1], v[2]); }

}  // namespace

Error too_much_shared_memory(std::string_view kernel, uint64_t declared, uint64_t most) {
  return Error(ErrorKind::value, fmt::format("kernel {} declares {} of shared memory, and a block has {}",
                                             quote(kernel), bytes_text(declared), bytes_text(most)))
      .fix("extern __shared__, and shared_mem in the launch");
}

void check_launch(const KernelInfo& kernel, const LaunchShape& shape, const DeviceProperties& limits,
                  uint64_t most_threads, std::string_view why_threads, uint64_t own_shared_bytes) {
  const auto who = [&] { return "kernel " + quote(kernel.name); };  // only for errors
  const uint64_t threads = shape.threads();
  if (!threads)
    throw LaunchError(Error(ErrorKind::value, "the block " + triple(shape.block) + " of " + who() + " is empty")
                          .fix("give every dimension at least one thread"));
  const uint64_t most = std::min<uint64_t>(most_threads, limits.max_threads_per_block);
  if (threads > most) {
    Error error(ErrorKind::value, fmt::format("the block {} of {} has {} threads, and {} is the most",
                                              triple(shape.block), who(), threads, most));
    if (most < limits.max_threads_per_block) error.why(std::string(why_threads));
    throw LaunchError(error.fix("use smaller blocks and a larger grid"));
  }
  for (int i = 0; i < 3; ++i) {
    if (shape.block[i] > limits.max_block[i])
      throw LaunchError(Error(ErrorKind::value,
                              fmt::format("the block {} of {} is too long: {} has {} threads, and {} is the most",
                                          triple(shape.block), who(), "xyz"[i], shape.block[i], limits.max_block[i])));
    if (shape.grid[i] > limits.max_grid[i])
      throw LaunchError(
          Error(ErrorKind::value, fmt::format("the grid {} of {} is too large: {} has {} blocks, and {} is the most",
                                              triple(shape.grid), who(), "xyz"[i], shape.grid[i], limits.max_grid[i])));
  }
  if (own_shared_bytes > limits.max_shared_bytes_per_block)
    throw too_much_shared_memory(kernel.name, own_shared_bytes, limits.max_shared_bytes_per_block);
  if (own_shared_bytes + shape.shared_bytes > limits.max_shared_bytes_opt_in)
    throw LaunchError(
        Error(ErrorKind::value, fmt::format("{} asks for {} of shared memory, and a block has {}", who(),
                                            bytes_text(own_shared_bytes + shape.shared_bytes),
                                            bytes_text(limits.max_shared_bytes_opt_in)))
            .why(fmt::format("{} static, {} dynamic", bytes_text(own_shared_bytes), bytes_text(shape.shared_bytes)))
            .fix("use less shared memory in a block"));
}

}  // namespace kasoku
