/// Laws of devices: memory, copies, fills, streams, the table of backends.
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/cpu/allocator.h"
#include "kasoku/device/cpu/processor.h"
#include "kasoku/device/device.h"
#include "kasoku/device/null/device.h"
#include "kasoku/device/stream.h"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

using namespace kasoku;

TEST_CASE("device: the processor has a name, an architecture and memory") {
  Device& cpu = device("cpu");
  CHECK(cpu.str() == "cpu");
  CHECK(cpu.properties().name != "");
  CHECK(cpu.properties().architecture.starts_with("x86-64-v"));
  CHECK(cpu.properties().multiprocessors >= 1);
  const MemoryUse use = cpu.memory_use();
  CHECK(use.total > 0);
  CHECK(use.free <= use.total);
}

TEST_CASE("device: names are matched freely, and an unknown one is met with the list") {
  CHECK(&device("CPU") == &device(" cpu "));
  CHECK(&device("cpu:0") == &device("cpu"));
  CHECK(&device("null") != &device("cpu"));
  CHECK(devices().front() == &device("cpu"));
  CHECK_THROWS_WITH_AS(device("cqu"),
                       "there is no device 'cqu'\n  why  did you mean 'cpu'? The devices are: cpu, "
                       "cuda, null", Error);
  CHECK_THROWS_WITH_AS(device("cpu:1"),
                       "there is no device 'cpu:1'\n  why  this machine has 1, counted from 0: cpu",
                       Error);
  for (const char* wrong : {"", "cpu:", "cpu:x", "cpu:-1", ":0"}) CHECK_FALSE(has_device(wrong));
  if (!has_device("cuda")) CHECK_THROWS_AS(device("cuda"), Error);
}

TEST_CASE("device: the innermost scope of a thread decides its default") {
  Device& before = default_device();
  {
    const DefaultDeviceScope outer(device("null"));
    CHECK(&default_device() == &device("null"));
    {
      const DefaultDeviceScope inner(device("cpu"));
      CHECK(&default_device() == &device("cpu"));
    }
    CHECK(&default_device() == &device("null"));
    std::thread([&] { CHECK(&default_device() == &before); }).join();
  }
  set_default_device(device("null"));
  CHECK(&default_device() == &device("null"));
  set_default_device(before);
}

TEST_CASE("memory: a size class wastes at most a quarter and comes back to itself") {
  for (size_t bytes = 0; bytes < 100000; bytes += 37) {
    const size_t got = cpu::class_bytes(bytes);
    CHECK(got >= bytes);
    CHECK(got <= bytes + bytes / 4 + 512);
    CHECK(cpu::class_bytes(got) == got);
  }
  for (size_t bytes = 100000; bytes < size_t{1} << 40; bytes += bytes / 7) {
    const size_t got = cpu::class_bytes(bytes);
    CHECK(got >= bytes);
    CHECK(got <= bytes + bytes / 4 + 4096);
  }
}

TEST_CASE("memory: blocks are aligned, distinct and their own") {
  Device& cpu = device("cpu");
  std::mt19937 random(7);
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (int i = 0; i < 500; ++i) {
    const size_t bytes = i % 50 ? random() % 5000 : random() % (8 << 20);
    auto buffer = Buffer::allocate(cpu, bytes);
    CHECK(buffer->memory() != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(buffer->memory()) % std::min<size_t>(std::bit_ceil(std::max<size_t>(bytes, 64)), 256) == 0);
    std::memset(buffer->memory(), i & 0xff, bytes);
    buffers.push_back(std::move(buffer));
    if (i % 3 == 0) buffers.erase(buffers.begin() + static_cast<long>(random() % buffers.size()));
  }
  const MemoryUse use = cpu.memory_use();
  CHECK(use.used > 0);
  buffers.clear();
  cpu.trim();
  CHECK(cpu.memory_use().cached < size_t{4} << 20);  // small pieces whose neighbours are in use
}

TEST_CASE("memory: what is written behind an array is found, once, and damages nothing of ours") {
  Device& cpu = device("cpu");
  cpu.throw_overruns();
  for (const size_t bytes : {size_t{0}, size_t{40}, size_t{256}, size_t{5000}, size_t{100'000}, size_t{1} << 20, size_t{3'000'001}}) {
    CAPTURE(bytes);
    auto buffer = Buffer::allocate(cpu, bytes);
    char* const end = static_cast<char*>(buffer->memory()) + bytes;
    std::memset(buffer->memory(), 1, bytes);
    CHECK_NOTHROW(buffer->check_end("fill", "x"));
    end[0] ^= 1;
    CHECK_THROWS_WITH_AS(buffer->check_end("fill", "x"), doctest::Contains("kernel 'fill' wrote past the end of 'x', which has "), Error);
    CHECK_NOTHROW(buffer->check_end("fill", "x"));
    end[63] ^= 1;
    buffer.reset();
    CHECK_THROWS_WITH_AS(cpu.synchronize(), doctest::Contains((std::to_string(bytes) + " bytes was written past its end").c_str()), Error);
    CHECK_NOTHROW(cpu.current_stream().synchronize());
  }
  // The last piece of a chunk, the only one of a large class, and free ones in between.
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (int i = 0; i < 400; ++i) buffers.push_back(Buffer::allocate(cpu, i % 2 ? 40 : 4000));
  for (int i = 0; i < 400; i += 3) buffers[i].reset();
  for (const auto& buffer : buffers)
    if (buffer) std::memset(buffer->memory(), 0, buffer->bytes() + 8192);
  buffers.clear();
  cpu.trim();
  CHECK_THROWS_AS(cpu.synchronize(), Error);
  for (int i = 0; i < 400; ++i) buffers.push_back(Buffer::allocate(cpu, 40));
  for (const auto& buffer : buffers) CHECK_NOTHROW(buffer->check_end("fill", "x"));
}

TEST_CASE("memory: what cannot be had is an error with size and device, and nothing else happens") {
  Device& cpu = device("cpu");
  for (const size_t bytes : {size_t{1} << 50, size_t{1} << 45, ~size_t{0}, ~size_t{0} - 4096})
    CHECK_THROWS_WITH_AS(Buffer::allocate(cpu, bytes), doctest::Contains("cannot allocate "), Error);
  try {
    Buffer::allocate(cpu, size_t{1} << 50);
  } catch (const Error& error) {
    CHECK(error.kind == ErrorKind::memory);
    CHECK(std::string(error.what()).find("1.0 PiB on cpu") != std::string::npos);
  }
  const uint64_t more = cpu::available_memory() + (uint64_t{1} << 30);  // promised, but not there
  CHECK_THROWS_AS(Buffer::allocate(cpu, more), Error);
  CHECK_NOTHROW(Buffer::allocate(cpu, 100));
}

TEST_CASE("memory: threads allocate and free at once") {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < 2000; ++i) {
        const size_t bytes = random() % 20000 + 1;
        auto buffer = Buffer::allocate(device("cpu"), bytes);
        auto* memory = static_cast<unsigned char*>(buffer->memory());
        memory[0] = memory[bytes - 1] = static_cast<unsigned char>(t);
        std::this_thread::yield();
        wrong += memory[0] != t || memory[bytes - 1] != t;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("memory: a forked child allocates and frees") {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    for (int i = 0; i < 100; ++i) Buffer::allocate(device("cpu"), 1000);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("copy: small, large and overlapping ranges arrive whole") {
  Device& cpu = device("cpu");
  Stream& stream = cpu.current_stream();
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{1000}, (size_t{5} << 20) + 13}) {
    std::vector<unsigned char> from(bytes + 1), to(bytes + 1);
    for (size_t i = 0; i < bytes; ++i) from[i] = static_cast<unsigned char>(i * 7 + i / 256);
    cpu.copy(to.data(), from.data(), bytes, stream);
    CHECK(std::memcmp(to.data(), from.data(), bytes) == 0);
    if (bytes > 10) {
      cpu.copy(to.data() + 3, to.data(), bytes - 3, stream);
      CHECK(std::memcmp(to.data() + 3, from.data(), bytes - 3) == 0);
    }
  }
}

TEST_CASE("fill: every element size, few and many") {
  for (Device* device : {&device("cpu"), &device("null")})
    for (const size_t size : {1u, 2u, 4u, 8u})
      for (const size_t count : {size_t{0}, size_t{1}, size_t{1001}, size_t{700001}}) {
        std::vector<unsigned char> memory(size * count + 8, 0xee);
        const uint64_t value = 0x1122334455667788;
        device->fill(memory.data(), value, size, count, device->current_stream());
        bool right = true;
        for (size_t i = 0; i < size * count; ++i)
          right &= memory[i] == reinterpret_cast<const unsigned char*>(&value)[i % size];
        CHECK(right);
        CHECK(memory[size * count] == 0xee);
      }
}

TEST_CASE("stream: a scope makes its stream current on its thread and device only") {
  Device& cpu = device("cpu");
  Stream& usual = cpu.current_stream();
  const auto stream = cpu.make_stream();
  {
    const StreamScope scope(*stream);
    CHECK(&cpu.current_stream() == stream.get());
    CHECK(&device("null").current_stream() != stream.get());
    std::thread([&] { CHECK(&cpu.current_stream() == &usual); }).join();
    {
      const StreamScope inner(usual);
      CHECK(&cpu.current_stream() == &usual);
    }
    CHECK(&cpu.current_stream() == stream.get());
  }
  CHECK(&cpu.current_stream() == &usual);
}

TEST_CASE("event: time goes forward, and needs both events recorded") {
  Device& cpu = device("cpu");
  const auto first = cpu.make_event(), second = cpu.make_event();
  CHECK_THROWS_AS(second->milliseconds_since(*first), Error);
  first->record(cpu.current_stream());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  second->record(cpu.current_stream());
  CHECK(second->milliseconds_since(*first) >= 4.9);
}

TEST_CASE("null: launches are recorded and nothing runs") {
  Code code;
  KernelInfo& kernel = code.info.kernels.emplace_back();
  kernel.name = kernel.symbol = "add";
  const auto module = device("null").load(std::move(code));
  null::take_launches();
  module->function("add").launch({{4, 1, 1}, {32, 1, 1}}, nullptr, device("null").current_stream());
  module->function("add").launch({{0, 1, 1}, {32, 1, 1}}, nullptr, device("null").current_stream());
  const auto launches = null::take_launches();
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].kernel == "add");
  CHECK(launches[0].shape.grid[0] == 4);
}
