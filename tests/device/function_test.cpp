/// Laws of kasoku/device/cpu/function.cpp: launches of machine code.
#include "kasoku/device/module.h"

#include "objects.h"

#include "kasoku/base/error.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/cpu/runtime.h"
#include "kasoku/device/device.h"
#include "kasoku/device/print.h"
#include "kasoku/device/stream.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

using namespace kasoku;
using kasoku::test::object;

namespace {

std::atomic<int> made_variants{0};
std::atomic<int> made_generic{0};

/// A module of one kernel whose machine code `text` is.
std::shared_ptr<Module> module_of(const std::string& text, KernelInfo info = {},
                                  std::vector<GlobalInfo> globals = {}) {
  info.name = "kernel";
  info.symbol = "kernel";
  Code code;
  code.info.kernels = {info};
  code.info.globals = std::move(globals);
  code.initial_values["ks_global"] = std::string("\x07\0\0\0", 4);
  code.specialise = [bytes = object(text)](const KernelInfo&, const uint32_t block[3]) {
    ++made_variants;
    if (!block[0]) ++made_generic;
    KernelCode code;
    code.object = bytes;
    code.symbol = "entry";
    code.scratch_bytes = 64;
    code.scratch_bytes_per_thread = 8;
    code.static_shared_bytes = 100;
    return code;
  };
  return device("cpu").load(std::move(code));
}

void launch(Module& module, LaunchShape shape, std::vector<void*> args) {
  module.function("kernel").launch(shape, args.data(), device("cpu").current_stream());
}

const char* count_text = R"(
  ENTRY { int* seen = ARG(int*, 0); for (uint64_t b = first; b < last; ++b) seen[b] += launch->block[0]; })";

std::string message(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::mutex print_mutex;
std::string printed;

}  // namespace

TEST_CASE("launch: every block runs once, however many there are") {
  const auto module = module_of(count_text);
  for (const uint32_t blocks : {1u, 2u, 3u, 7u, 100u, 1023u, 50000u}) {
    std::vector<int> seen(blocks);
    int* pointer = seen.data();
    for (int repeat = 1; repeat <= 3; ++repeat) {
      launch(*module, {{blocks, 1, 1}, {3, 1, 1}}, {&pointer});
      CHECK(std::count(seen.begin(), seen.end(), 3 * repeat) == blocks);
    }
  }
}

TEST_CASE("launch: an empty grid does nothing, whatever else is wrong") {
  const auto module = module_of(count_text);
  CHECK_NOTHROW(launch(*module, {{0, 1, 1}, {1, 1, 1}}, {nullptr}));
  CHECK_NOTHROW(launch(*module, {{5, 0, 1}, {1, 1, 1}}, {nullptr}));
}

TEST_CASE("launch: the pool shares slow blocks, and each of its workers has neighbours in increasing order") {
  const auto module = module_of(R"(
    ENTRY { int* order = ARG(int*, 0); int* next = ARG(int*, 1);
      for (uint64_t b = first; b < last; ++b) {
        order[b] = __atomic_fetch_add(next, 1, __ATOMIC_SEQ_CST);
        volatile double x = 1; for (int i = 0; i < 20000; ++i) x = x * 1.000001;
      } })");
  std::vector<int> order(500, -1);
  int next = 0;
  int *order_pointer = order.data(), *next_pointer = &next;
  launch(*module, {{500, 1, 1}, {1, 1, 1}}, {&order_pointer, &next_pointer});
  CHECK(next == 500);
  int steps_back = 0;  // where one share ends and the next has begun long ago, and where two work at one
  for (int i = 1; i < 500; ++i) steps_back += order[i] < order[i - 1];
  CHECK(steps_back < 100);
}

TEST_CASE("launch: eight block shapes get code of their own, the others share generic code") {
  const auto module = module_of(count_text);
  made_variants = made_generic = 0;
  std::vector<int> seen(1);
  int* pointer = seen.data();
  for (int repeat = 0; repeat < 2; ++repeat)
    for (uint32_t threads = 1; threads <= 20; ++threads)
      launch(*module, {{1, 1, 1}, {threads, 1, 1}}, {&pointer});
  CHECK(seen[0] == 2 * 210);
  CHECK(made_variants == 9);
  CHECK(made_generic == 1);
}

TEST_CASE("launch: threads that meet new shapes at once get right results") {
  const auto module = module_of(count_text);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < 300; ++i) {
        const uint32_t size = 1 + (i * 7 + static_cast<uint32_t>(t)) % 30;
        std::vector<int> seen(50);
        int* pointer = seen.data();
        launch(*module, {{50, 1, 1}, {size, 1, 1}}, {&pointer});
        wrong += std::count(seen.begin(), seen.end(), static_cast<int>(size)) != 50;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("launch: shared memory and scratch are the worker's own and large enough") {
  const auto module = module_of(R"(
    ENTRY { int* bad = ARG(int*, 0);
      for (uint64_t b = first; b < last; ++b) {
        if ((size_t)launch->shared % 256 || (size_t)launch->scratch % 256) ++*bad;
        size_t shared = 112 + launch->shared_bytes, scratch = 64 + 8 * launch->block[0];
        for (size_t i = 0; i < shared; ++i) launch->shared[i] = (char)b;
        for (size_t i = 0; i < scratch; ++i) launch->scratch[i] = (char)(b + 1);
        for (size_t i = 0; i < shared; ++i) if (launch->shared[i] != (char)b) ++*bad;
        for (size_t i = 0; i < scratch; ++i) if (launch->scratch[i] != (char)(b + 1)) ++*bad;
      } })");
  int bad = 0;
  int* pointer = &bad;
  launch(*module, {{300, 1, 1}, {1024, 1, 1}, 40000}, {&pointer});
  launch(*module, {{300, 1, 1}, {1, 1, 1}, 0}, {&pointer});
  CHECK(bad == 0);
}

TEST_CASE("launch: a wrong shape is one sentence with the remedy") {
  KernelInfo bounded;
  bounded.max_threads = 128;
  bounded.static_shared_bytes = 1000;
  const auto module = module_of(count_text);
  const auto small = module_of(count_text, bounded);
  CHECK(message([&] { launch(*module, {{1, 1, 1}, {2000, 1, 1}}, {nullptr}); }) ==
        "the block (2000, 1, 1) of kernel 'kernel' has 2000 threads, and 1024 is the most\n"
        "  fix  use smaller blocks and a larger grid");
  CHECK(message([&] { launch(*small, {{1, 1, 1}, {256, 1, 1}}, {nullptr}); }) ==
        "the block (256, 1, 1) of kernel 'kernel' has 256 threads, and 128 is the most\n"
        "  why  __launch_bounds__ of the kernel says so\n"
        "  fix  use smaller blocks and a larger grid");
  CHECK(message([&] { launch(*module, {{1, 1, 1}, {1, 1, 65}}, {nullptr}); }) ==
        "the block (1, 1, 65) of kernel 'kernel' is too long: z has 65 threads, and 64 is the most");
  CHECK(message([&] { launch(*module, {{1, 1, 1}, {4, 0, 1}}, {nullptr}); }).find("is empty") !=
        std::string::npos);
  CHECK(message([&] { launch(*module, {{1, 70000, 1}, {1, 1, 1}}, {nullptr}); }) ==
        "the grid (1, 70000, 1) of kernel 'kernel' is too large: y has 70000 blocks, and 65535 is "
        "the most");
  CHECK(message([&] { launch(*small, {{1, 1, 1}, {1, 1, 1}, 600000}, {nullptr}); }) ==
        "kernel 'kernel' asks for 586.9 KiB of shared memory, and a block has 227.0 KiB\n"
        "  why  1000 bytes static, 585.9 KiB dynamic\n"
        "  fix  use less shared memory in a block");
  std::vector<int> seen(1);
  int* pointer = seen.data();
  CHECK_NOTHROW(launch(*small, {{1, 1, 1}, {1, 1, 1}, 60000}, {&pointer}));
  CHECK_THROWS_AS(small->function("kernel").set_attribute("max_dynamic_shared_size_bytes", 300000),
                  Error);
  CHECK_THROWS_AS(small->function("kernel").attribute("nonsense"), Error);
}

TEST_CASE("launch: an assertion ends it with its text, and the next launch runs") {
  const auto module = module_of(R"(
    ENTRY { int fail = ARG(int, 0);
      for (uint64_t b = first; b < last && !*launch->status; ++b)
        if ((int)b == fail) ks_rt_assert_fail("x > 0", "user.cu", 12, "kernel"); })");
  int fail = 17;
  CHECK(message([&] { launch(*module, {{1000, 1, 1}, {1, 1, 1}}, {&fail}); }) ==
        "kernel 'kernel' failed: assertion `x > 0` failed at user.cu:12 in kernel");
  fail = -1;
  CHECK_NOTHROW(launch(*module, {{1000, 1, 1}, {1, 1, 1}}, {&fail}));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("launch: a fault names the kernel and what helps, and the process lives") {
  const auto wild = module_of("ENTRY { *ARG(int*, 0) = 1; }");
  const auto divide = module_of("ENTRY { volatile int zero = 0; ARG(int*, 0)[0] = 7 / zero; }");
  const auto deep = module_of(
      "static int fall(volatile int n) { volatile char room[4096]; room[0] = n; return fall(n + 1) + room[0]; }"
      "ENTRY { ARG(int*, 0)[0] = fall(0); }");
  int value = 0;
  int *bad = reinterpret_cast<int*>(0x10), *good = &value;
  for (int repeat = 0; repeat < 3; ++repeat) {
    CHECK(message([&] { launch(*wild, {{4, 1, 1}, {1, 1, 1}}, {&bad}); }) ==
          "kernel 'kernel' failed: it read or wrote memory that is not its own (address 0x10)\n"
          "  fix  KASOKU_CHECK=bounds names the array and the line");
    CHECK(message([&] { launch(*divide, {{1, 1, 1}, {1, 1, 1}}, {&good}); }) ==
          "kernel 'kernel' failed: it divided an integer by zero (or the least integer by -1)");
    // On a thread, whose stack is bounded; compilers lift the limit of the main one.
    std::thread([&] {
      CHECK(message([&] { launch(*deep, {{1, 1, 1}, {1, 1, 1}}, {&good}); }).find("its call stack is full") !=
            std::string::npos);
    }).join();
    launch(*wild, {{1, 1, 1}, {1, 1, 1}}, {&good});
    CHECK(value == 1);
  }
}
#endif

TEST_CASE("launch: printf reaches the hook in whole pieces") {
  const auto module = module_of(R"(
    ENTRY { for (uint64_t b = first; b < last; ++b) {
      const uint64_t slots[] = {b, uint64_t("grid"), __builtin_bit_cast(uint64_t, b + 0.25), 1ull << 40};
      ks_rt_printf("block %d of %s: %.2f %lld\n", slots); } })");
  printed.clear();
  set_print_hook([](std::string_view text) {
    std::lock_guard lock(print_mutex);
    printed += text;
  });
  launch(*module, {{3, 1, 1}, {1, 1, 1}}, {});
  set_print_hook(nullptr);
  CHECK(printed.find("block 2 of grid: 2.25 1099511627776\n") != std::string::npos);
  CHECK(std::count(printed.begin(), printed.end(), '\n') == 3);
}

TEST_CASE("launch: a module's globals have their values, and live once for all shapes") {
  GlobalInfo global;
  global.name = "counter";
  global.symbol = "ks_global";
  global.size = 4;
  const auto module =
      module_of("extern \"C\" int ks_global; ENTRY { ks_global += launch->block[0]; }", {}, {global});
  int value = 0;
  const GlobalMemory memory = module->global("counter");
  REQUIRE(memory.bytes == 4);
  launch(*module, {{1, 1, 1}, {1, 1, 1}}, {});
  launch(*module, {{1, 1, 1}, {2, 1, 1}}, {});
  std::memcpy(&value, memory.memory, 4);
  CHECK(value == 7 + 1 + 2);
  CHECK(message([&] { module->global("countre"); }).find("did you mean 'counter'") !=
        std::string::npos);
  CHECK(message([&] { module->function("kernle"); }).find("did you mean 'kernel'") !=
        std::string::npos);
}

TEST_CASE("launch: denormals are kept and rounding is to nearest, whatever the caller set") {
  const auto module = module_of(
      "ENTRY { volatile double tiny = 1e-310; ARG(double*, 0)[0] = tiny * 0.5; }");
  double result = 0;
  double* pointer = &result;
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x8040);  // flush to zero, denormals are zero
  launch(*module, {{1, 1, 1}, {1, 1, 1}}, {&pointer});
  const unsigned after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before);
  CHECK(result > 0);
  CHECK((after & 0x8040) == 0x8040);
}

TEST_CASE("launch: an interrupt ends a long one") {
  const auto module = module_of(R"(
    ENTRY { for (uint64_t b = first; b < last; ++b) {
      volatile double x = 1; for (int i = 0; i < 1000000; ++i) x = x * 1.000001; } })");
  const auto start = std::chrono::steady_clock::now();
  std::thread other([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    request_interrupt();
  });
  std::string text = message([&] { launch(*module, {{1000000, 1, 1}, {1, 1, 1}}, {}); });
  other.join();
  CHECK(text == "interrupted");
#ifndef __SANITIZE_THREAD__  // there a signal waits until its thread calls the system
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
#else
  (void)start;
#endif
  CHECK_NOTHROW(launch(*module, {{2, 1, 1}, {1, 1, 1}}, {}));
}

TEST_CASE("launch: blocks of a cooperative grid wait for each other") {
  KernelInfo info;
  info.uses_grid_sync = true;
  const auto module = module_of(R"(
    extern "C" void ks_rt_grid_barrier();
    ENTRY { int* values = ARG(int*, 0); int n = launch->grid[0];
      values[first] = (int)first + 1; ks_rt_grid_barrier();
      int sum = 0; for (int i = 0; i < n; ++i) sum += values[i];
      ks_rt_grid_barrier(); values[first] = sum; })", info);
  std::vector<int> values(16);
  int* pointer = values.data();
  LaunchShape shape{{16, 1, 1}, {1, 1, 1}};
  shape.cooperative = true;
  launch(*module, shape, {&pointer});
  CHECK(std::count(values.begin(), values.end(), 136) == 16);
}
