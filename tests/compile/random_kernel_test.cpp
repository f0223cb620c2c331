// Random kernels on the CPU against an interpreter: what decides how a block runs
// (who goes together, which values are shared, which threads need no mask) fails silently.
#include "tests/compile/random_kernel.h"
#include "tests/compile/random_loops.h"

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

// KASOKU_FUZZ_SEEDS=from:to runs others than the few that are always run.
std::pair<uint32_t, uint32_t> seeds_or(uint32_t from, uint32_t to) {
  if (const char* seeds = std::getenv("KASOKU_FUZZ_SEEDS")) {
    char* rest = nullptr;
    from = static_cast<uint32_t>(std::strtoul(seeds, &rest, 10));
    to = *rest == ':' ? static_cast<uint32_t>(std::strtoul(rest + 1, nullptr, 10)) : from + 1;
  }
  return {from, to};
}

}  // namespace

TEST_CASE("random kernels compute what an interpreter of their statements computes") {
  const auto [from, to] = seeds_or(0, 36);
  for (uint32_t seed = from; seed < to; ++seed) {
    const random_kernel::Shape shape = random_kernel::shape_for(seed);
    const auto kernel = random_kernel::Generator(seed, shape).make();
    const auto want = random_kernel::expected(kernel, shape, 2, seed % 5);
    const auto got = computed(kernel.text, shape, 2, seed % 5);
    CHECK_MESSAGE(got == want, "seed " << seed << ":\n" << kernel.text);
  }
}

TEST_CASE("random kernels without barriers compute what their threads compute one by one") {
  const auto [from, to] = seeds_or(0, 40);
  for (uint32_t seed = from; seed < to; ++seed) {
    const random_loops::Shape shape = random_loops::shape_for(seed);
    const auto kernel = random_loops::Generator(seed, shape).make();
    const uint32_t a = seed % 7, n = seed % 3 ? shape.width() : shape.width() / 2 + 3;
    random_loops::Memory want(shape), got(shape);
    for (uint32_t y = 0; y < shape.height(); ++y)
      for (uint32_t x = 0; x < shape.width(); ++x) {
        random_loops::Thread thread{want, shape, x % shape.x, y % shape.y, x / shape.x, y / shape.y,
                                    a, n, {}};
        kernel.run(thread);
      }
    Program program;
    program.text = kernel.text;
    Device& cpu = device("cpu");
    const auto module = compile(program, cpu);
    void *in = got.in.data(), *out = got.out.data(), *strided = got.strided.data();
    uint32_t a_argument = a, n_argument = n;
    void* args[] = {&in, &out, &strided, &a_argument, &n_argument};
    LaunchShape launch;
    launch.grid[0] = shape.grid_x, launch.grid[1] = shape.grid_y;
    launch.block[0] = shape.x, launch.block[1] = shape.y;
    module->function("kernel").launch(launch, args, cpu.current_stream());
    cpu.synchronize();
    CHECK_MESSAGE(got.out == want.out, "seed " << seed << ":\n" << kernel.text);
    CHECK_MESSAGE(got.strided == want.strided, "seed " << seed << ":\n" << kernel.text);
  }
}
