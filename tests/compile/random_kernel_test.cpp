// Random kernels on the CPU against an interpreter: what decides how a block runs
// (who goes together, which values are shared, which threads need no mask) fails silently.
#include "tests/compile/random_kernel.h"

#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/module.h"
#include "kasoku/device/stream.h"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace kasoku;

namespace {

std::vector<uint32_t> computed(const std::string& text, random_kernel::Shape shape,
                               uint32_t blocks, uint32_t argument) {
  Program program;
  program.text = text;
  Device& cpu = device("cpu");
  const auto module = compile(program, cpu);
  std::vector<uint32_t> out(blocks * shape.threads() * random_kernel::n_variables, 0xdeadbeef);
  void* memory = out.data();
  void* args[] = {&argument, &memory};
  LaunchShape launch;
  launch.grid[0] = blocks;
  launch.block[0] = shape.x, launch.block[1] = shape.y, launch.block[2] = shape.z;
  module->function("kernel").launch(launch, args, cpu.current_stream());
  cpu.synchronize();
  return out;
}

}  // namespace

// KASOKU_FUZZ_SEEDS=from:to runs others than the few that are always run.
TEST_CASE("random kernels compute what an interpreter of their statements computes") {
  uint32_t from = 0, to = 36;
  if (const char* seeds = std::getenv("KASOKU_FUZZ_SEEDS")) {
    char* rest = nullptr;
    from = static_cast<uint32_t>(std::strtoul(seeds, &rest, 10));
    to = *rest == ':' ? static_cast<uint32_t>(std::strtoul(rest + 1, nullptr, 10)) : from + 1;
  }
  for (uint32_t seed = from; seed < to; ++seed) {
    const random_kernel::Shape shape = random_kernel::shape_for(seed);
    const auto kernel = random_kernel::Generator(seed, shape).make();
    const auto want = random_kernel::expected(kernel, shape, 2, seed % 5);
    const auto got = computed(kernel.text, shape, 2, seed % 5);
    CHECK_MESSAGE(got == want, "seed " << seed << ":\n" << kernel.text);
  }
}
