/// A GPU through the device interface: memory, copies, streams, kernels, errors.
#include "kasoku/device/cuda/cuda.h"
#include "kasoku/base/error.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/compile/nvrtc.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/module.h"
#include "kasoku/device/stream.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

using namespace kasoku;

namespace {

Device* gpu() {
  if (!cuda_devices().empty()) return cuda_devices()[0];
  MESSAGE("skipped: ", cuda_missing());
  return nullptr;
}

std::shared_ptr<Module> load(Device& device, const std::string& text,
                             std::vector<std::string> expressions = {}) {
  Program program;
  program.text = text;
  program.name_expressions = std::move(expressions);
  auto unit = nvrtc_compile(program, device.properties().architecture);
  Code code;
  code.info = std::move(unit.info);
  code.bytes = std::move(unit.payload);
  return device.load(std::move(code));
}

struct Memory {
  Device& device;
  size_t bytes;
  void* data;
  Memory(Device& device, size_t bytes)
      : device(device), bytes(bytes), data(device.allocate(bytes, device.current_stream())) {}
  ~Memory() { device.deallocate(data, bytes, device.current_stream()); }
  void set(const void* from) { device.copy(data, from, bytes, device.current_stream()); }
  void get(void* to) { device.copy(to, data, bytes, device.current_stream()); }
};

template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<uint8_t> random_bytes(size_t n) {
  std::vector<uint8_t> bytes(n);
  std::mt19937_64 generator(n);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(generator());
  return bytes;
}

const char* const add_one =
    "extern \"C\" __global__ void add_one(float* x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] += 1;\n"
    "}\n";

}  // namespace

TEST_CASE("cuda: properties say what the GPU is") {
  Device* device = gpu();
  if (!device) return;
  const DeviceProperties& p = device->properties();
  CHECK(!p.name.empty());
  CHECK(p.architecture.starts_with("sm_"));
  CHECK(p.warp_size == 32);
  CHECK(p.max_threads_per_block == 1024);
  CHECK(p.max_block[2] == 64);
  CHECK(p.max_grid[1] == 65535);
  CHECK(p.max_shared_bytes_opt_in >= p.max_shared_bytes_per_block);
  CHECK(device->memory_use().total > 0);
}

TEST_CASE("cuda: what is copied to the device comes back, whatever its size and alignment") {
  Device* device = gpu();
  if (!device) return;
  for (const size_t n :
       {size_t{0}, size_t{1}, size_t{3}, size_t{4096}, (size_t{256} << 10), (size_t{256} << 10) + 1,
        size_t{2} << 20, (size_t{2} << 20) + 1, (size_t{3} << 20) + 7, size_t{64} << 20}) {
    CAPTURE(n);
    const auto in = random_bytes(n + 1);
    std::vector<uint8_t> out(n + 3, 0xee);
    Memory memory(*device, n);
    CHECK(memory.data != nullptr);
    memory.set(in.data() + 1);
    memory.get(out.data() + 1);
    CHECK(std::memcmp(out.data() + 1, in.data() + 1, n) == 0);
    CHECK(out[0] == 0xee);
    CHECK(out[n + 1] == 0xee);
  }
}

TEST_CASE("cuda: a pageable source may be changed as soon as the copy returns") {
  Device* device = gpu();
  if (!device) return;
  const size_t n = size_t{32} << 20;
  Memory memory(*device, n);
  for (int round = 0; round < 4; ++round) {
    auto in = random_bytes(n);
    const auto kept = in;
    memory.set(in.data());
    std::fill(in.begin(), in.end(), uint8_t{0});
    std::vector<uint8_t> out(n);
    memory.get(out.data());
    CHECK(out == kept);
  }
}

TEST_CASE("cuda: pinned memory is found and copied directly") {
  Device* device = gpu();
  if (!device) return;
  const size_t n = size_t{4} << 20;
  auto* pinned = static_cast<uint8_t*>(device->allocate_pinned(n));
  const auto in = random_bytes(n);
  std::memcpy(pinned, in.data(), n);
  Memory memory(*device, n);
  Stream& stream = device->current_stream();
  device->copy(memory.data, pinned, n, stream, true);
  stream.synchronize();
  std::memset(pinned, 0, n);
  device->copy(pinned, memory.data, n, stream, true);
  stream.synchronize();
  CHECK(std::memcmp(pinned, in.data(), n) == 0);
  std::memset(pinned, 0, n);
  device->copy(pinned, memory.data, n, stream);  // found to be pinned; there on return
  CHECK(std::memcmp(pinned, in.data(), n) == 0);
  device->deallocate_pinned(pinned);
}

TEST_CASE("cuda: copies within the device") {
  Device* device = gpu();
  if (!device) return;
  const auto in = random_bytes(1000);
  std::vector<uint8_t> out(1000);
  Memory a(*device, 1000), b(*device, 1000);
  a.set(in.data());
  device->copy(b.data, a.data, 1000, device->current_stream());
  b.get(out.data());
  CHECK(in == out);
}

TEST_CASE("cuda: fill writes every element of 1, 2, 4 and 8 bytes and nothing beyond") {
  Device* device = gpu();
  if (!device) return;
  for (const size_t size : {1, 2, 4, 8})
    for (const size_t count :
         {size_t{0}, size_t{1}, size_t{511}, size_t{512}, size_t{513}, size_t{100003}})
      for (const uint64_t value : {uint64_t{0}, uint64_t{0x0123456789abcdef}, ~uint64_t{0}}) {
        CAPTURE(size);
        CAPTURE(count);
        Memory memory(*device, size * count + 8);
        device->fill(memory.data, 0x55, 1, memory.bytes, device->current_stream());
        device->fill(memory.data, value, size, count, device->current_stream());
        std::vector<uint8_t> out(memory.bytes), want(memory.bytes, 0x55);
        for (size_t i = 0; i < count; ++i) std::memcpy(want.data() + i * size, &value, size);
        memory.get(out.data());
        CHECK(out == want);
      }
}

TEST_CASE("cuda: a kernel computes; an empty grid does nothing") {
  Device* device = gpu();
  if (!device) return;
  auto module = load(*device, add_one);
  Function& function = module->function("add_one");
  CHECK(&function == &module->function("add_one"));
  int n = 1000;
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 0.f);
  Memory memory(*device, 4000);
  memory.set(x.data());
  void* args[] = {&memory.data, &n};
  function.launch({{4, 1, 1}, {256, 1, 1}}, args, device->current_stream());
  function.launch({{0, 1, 1}, {256, 1, 1}}, args, device->current_stream());
  memory.get(x.data());
  for (int i = 0; i < 1000; ++i) REQUIRE(x[i] == static_cast<float>(i + 1));
  CHECK(function.suggested_block() == 256);
}

TEST_CASE("cuda: impossible launch shapes are refused with the number that is too large") {
  Device* device = gpu();
  if (!device) return;
  auto module = load(
      *device,
      std::string(add_one) +
          "extern \"C\" __global__ void __launch_bounds__(64) small(float* x) { x[threadIdx.x] = "
          "1; }\n"
          "extern \"C\" __global__ void wide(float* x) { __shared__ float t[1024]; t[threadIdx.x] "
          "= x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = t[threadIdx.x ^ 1]; }\n");
  Memory memory(*device, 4096);
  int n = 1;
  void* args[] = {&memory.data, &n};
  Stream& stream = device->current_stream();
  const auto launch = [&](const char* name, LaunchShape shape) {
    return error_of([&] { module->function(name).launch(shape, args, stream); });
  };
  CHECK(launch("add_one", {{1, 1, 1}, {2000, 1, 1}}) ==
        "the block (2000, 1, 1) of kernel 'add_one' has 2000 threads, and 1024 is the most\n"
        "  fix  use smaller blocks and a larger grid");
  CHECK(launch("add_one", {{1, 1, 1}, {0, 1, 1}}).find("is empty") != std::string::npos);
  CHECK(launch("add_one", {{1, 1, 1}, {1, 1, 128}}).find("z has 128 threads, and 64 is the most") != std::string::npos);
  CHECK(launch("add_one", {{1, 70000, 1}, {1, 1, 1}}).find("y has 70000 blocks, and 65535 is the most") != std::string::npos);
  CHECK(launch("small", {{1, 1, 1}, {128, 1, 1}}).find("and 64 is the most\n  why  its code allows") != std::string::npos);
  CHECK(launch("wide", {{1, 1, 1}, {32, 1, 1}, 1u << 20}).find("4.0 KiB static, 1.0 MiB dynamic") != std::string::npos);
  CHECK(launch("add_one", {{1, 1, 1}, {32, 1, 1}}) == "no error");
  CHECK(error_of([&] { module->function("nothing"); }).find("nothing") != std::string::npos);
}

TEST_CASE("cuda: more than 48 KB of dynamic shared memory needs no opting in by the user") {
  Device* device = gpu();
  if (!device) return;
  const uint32_t bytes = device->properties().max_shared_bytes_opt_in;
  if (bytes <= 48 * 1024) return;
  auto module = load(*device,
                     "extern \"C\" __global__ void k(int* out, int last) { extern __shared__ int "
                     "s[]; s[last] = 42; __syncthreads(); out[0] = s[last]; }");
  Memory memory(*device, 4);
  int last = static_cast<int>(bytes / 4) - 1, out = 0;
  void* args[] = {&memory.data, &last};
  Function& k = module->function("k");
  k.launch({{1, 1, 1}, {1, 1, 1}, bytes}, args, device->current_stream());
  memory.get(&out);
  CHECK(out == 42);
  CHECK(k.attribute("max_dynamic_shared_size_bytes") == bytes);
}

TEST_CASE("cuda: attributes by name; those that can be set, and an unknown one") {
  Device* device = gpu();
  if (!device) return;
  auto module = load(*device, add_one);
  Function& f = module->function("add_one");
  CHECK(f.attribute("max_threads_per_block") == 1024);
  CHECK(f.attribute("num_regs") > 0);
  CHECK(f.attribute("shared_size_bytes") == 0);
  f.set_attribute("max_dynamic_shared_size_bytes", 65536);
  CHECK(f.attribute("max_dynamic_shared_size_bytes") == 65536);
  CHECK(error_of([&] { f.attribute("colour"); }).find("no attribute 'colour'") !=
        std::string::npos);
  CHECK(error_of([&] { f.set_attribute("num_regs", 3); }).find("cannot be set") !=
        std::string::npos);
}

TEST_CASE("cuda: globals are read and written, templates are found by expression") {
  Device* device = gpu();
  if (!device) return;
  auto module = load(*device,
                     "__constant__ float table[4]; __device__ int counter;\n"
                     "template <class T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by "
                     "* T(table[threadIdx.x]); atomicAdd(&counter, 1); }\n",
                     {"scale<double>", "scale<int>"});
  const float table[4] = {1, 2, 3, 4};
  Stream& stream = device->current_stream();
  const GlobalMemory global = module->global("table");
  CHECK(global.bytes == 16);
  device->copy(global.memory, table, 16, stream);
  double x[4] = {1, 1, 1, 1}, by = 10;
  Memory memory(*device, 32);
  memory.set(x);
  void* args[] = {&memory.data, &by};
  module->function("scale<double>").launch({{1, 1, 1}, {4, 1, 1}}, args, stream);
  memory.get(x);
  CHECK(x[3] == 40);
  int counter = 0;
  device->copy(&counter, module->global("counter").memory, 4, stream);
  CHECK(counter == 4);
  CHECK(error_of([&] { module->global("tabel"); }).find("tabel") != std::string::npos);
}

TEST_CASE("cuda: PTX without its text is loaded, bad code is refused with the driver's words") {
  Device* device = gpu();
  if (!device) return;
  Program program;
  program.text = add_one;
  Code code;
  code.bytes = nvrtc_compiler().code_text(program, *device, "add_one", CodeForm::ptx, nullptr);
  auto module = device->load(std::move(code));
  CHECK(!module->function("add_one").info().params_known);
  Code bad;
  bad.bytes = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { nonsense; }\n";
  CHECK(error_of([&] { device->load(std::move(bad)); }).find("could not load a module on cuda:0") !=
        std::string::npos);
}

TEST_CASE("cuda: a cooperative launch that does not fit says how many blocks do") {
  Device* device = gpu();
  if (!device) return;
  auto module = load(*device, add_one);
  Memory memory(*device, 4);
  int n = 0;
  void* args[] = {&memory.data, &n};
  LaunchShape shape{{1, 1, 1}, {256, 1, 1}, 0, true};
  module->function("add_one").launch(shape, args, device->current_stream());
  shape.grid[0] = 1000000;
  CHECK(error_of([&] {
          module->function("add_one").launch(shape, args, device->current_stream());
        }).find("blocks of this shape fit") != std::string::npos);
  device->synchronize();
}

TEST_CASE("cuda: events measure time and streams wait for them") {
  Device* device = gpu();
  if (!device) return;
  auto first = device->make_event(), last = device->make_event();
  Stream& stream = device->current_stream();
  Memory memory(*device, size_t{256} << 20);
  first->record(stream);
  for (int i = 0; i < 10; ++i) device->fill(memory.data, 1, 4, memory.bytes / 4, stream);
  last->record(stream);
  auto other = device->make_stream();
  other->wait(*last);
  other->synchronize();
  CHECK(last->is_done());
  CHECK(stream.is_done());
  CHECK(last->milliseconds_since(*first) > 0);
  auto never = device->make_event();
  CHECK(error_of([&] { never->milliseconds_since(*first); }).find("never recorded") !=
        std::string::npos);
}

TEST_CASE("cuda: every thread has a stream; a buffer that goes from thread to thread is ordered") {
  Device* device = gpu();
  if (!device) return;
  auto module = load(*device,
                     "extern \"C\" __global__ void slow(int* x, int v) { long long t = clock64(); "
                     "while (clock64() - t < 20000000) {} x[0] = v; }\n"
                     "extern \"C\" __global__ void copy(int* y, const int* x) { y[0] = x[0]; }\n");
  auto x = Buffer::allocate(*device, 4), y = Buffer::allocate(*device, 4);
  Stream* mine = &device->current_stream();
  void *px = x->memory(), *py = y->memory();
  for (int v = 1; v < 5; ++v) {
    void* args[] = {&px, &v};
    x->use_on(*mine);
    module->function("slow").launch({}, args, *mine);
    std::thread([&] {
      Stream& stream = device->current_stream();
      CHECK(&stream != mine);
      x->use_on(stream);
      y->use_on(stream);
      void* args[] = {&py, &px};
      module->function("copy").launch({}, args, stream);
      int got = 0;
      device->copy(&got, py, 4, stream);
      CHECK(got == v);
    }).join();
  }
}

TEST_CASE(
    "cuda: a second GPU has its own memory, streams and kernels, and takes copies from the first") {
  if (cuda_devices().size() < 2) return;
  Device &first = *cuda_devices()[0], &second = *cuda_devices()[1];
  auto module = load(second, add_one);
  std::vector<float> x(1 << 20, 1);
  auto a = Buffer::allocate(first, x.size() * 4), b = Buffer::allocate(second, x.size() * 4);
  first.copy(a->memory(), x.data(), a->bytes(), first.current_stream());
  a->use_on(second.current_stream());
  second.copy(b->memory(), a->memory(), a->bytes(), second.current_stream());
  int n = 1 << 20;
  void* memory = b->memory();
  void* args[] = {&memory, &n};
  module->function("add_one").launch({{1 << 12, 1, 1}, {256, 1, 1}}, args, second.current_stream());
  a->use_on(first.current_stream());
  first.fill(a->memory(), 0, 4, x.size(), first.current_stream());
  second.copy(x.data(), b->memory(), b->bytes(), second.current_stream());
  CHECK(x.front() == 2);
  CHECK(x.back() == 2);
  CHECK(error_of([&] {
          module->function("add_one").launch({}, args, first.current_stream());
        }).find("a stream of cuda:0 was given where one of cuda:1 is needed") != std::string::npos);
}

TEST_CASE("cuda: many threads allocate, copy and launch at once") {
  Device* device = gpu();
  if (!device) return;
  auto module = load(*device, add_one);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 12; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round) {
        int n = 1000 * (t + 1) + round * 20000;
        std::vector<float> x(n, static_cast<float>(t));
        Memory memory(*device, n * 4ul);
        memory.set(x.data());
        void* args[] = {&memory.data, &n};
        for (int i = 0; i < 3; ++i)
          module->function("add_one").launch(
              {{static_cast<uint32_t>(n + 255) / 256, 1, 1}, {256, 1, 1}}, args,
              device->current_stream());
        memory.get(x.data());
        for (float v : x) wrong += v != static_cast<float>(t + 3);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("cuda: waiting ends on an interrupt, and the kernel's work is not lost") {
  Device* device = gpu();
  if (!device) return;
  auto module = load(*device,
                     "extern \"C\" __global__ void slow(int* x) { long long t = clock64(); while "
                     "(clock64() - t < 1000000000ll) {} x[0] = 7; }");
  Memory memory(*device, 4);
  void* args[] = {&memory.data};
  module->function("slow").launch({}, args, device->current_stream());
  std::thread interrupter([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    request_interrupt();
  });
  CHECK(error_of([&] { device->synchronize(); }) == "interrupted");
  interrupter.join();
  CHECK(!device->current_stream().is_done());
  int x = 0;
  memory.get(&x);
  CHECK(x == 7);
}

TEST_CASE("cuda: too large an allocation names size and device, and leaves the device usable") {
  Device* device = gpu();
  if (!device) return;
  const size_t bytes = device->memory_use().total * 2;
  const std::string text = error_of([&] { device->allocate(bytes, device->current_stream()); });
  CHECK(text.find("cannot allocate ") == 0);
  CHECK(text.find(" on cuda:0") != std::string::npos);
  CHECK(text.find("free") != std::string::npos);
  Memory memory(*device, 1000);
  CHECK(memory.data != nullptr);
}

TEST_CASE("cuda: memory that was freed is kept, and given back by trim") {
  Device* device = gpu();
  if (!device) return;
  { Memory memory(*device, size_t{1} << 30); }
  device->synchronize();
  CHECK(device->memory_use().cached >= size_t{1} << 30);
  device->trim();
  CHECK(device->memory_use().cached < size_t{1} << 30);
}

TEST_CASE("cuda: a forked child is told that it cannot use CUDA") {
  Device* device = gpu();
  if (!device) return;
  Memory memory(*device, 100);
  Stream& stream = device->current_stream();
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = error_of([&] { device->allocate(100, stream); });
    device->deallocate(memory.data, 100, stream);
    _exit(text.find("forked") != std::string::npos ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 7);
}

// Ends CUDA for the process, so it is run by itself: --no-skip --test-case=cuda-fault*
TEST_CASE("cuda-fault: after a fault every call says that only the CPU goes on" * doctest::skip()) {
  Device* device = gpu();
  if (!device) return;
  auto module = load(*device, "extern \"C\" __global__ void k(int* x) { x[threadIdx.x] = 1; }");
  void* wrong = reinterpret_cast<void*>(uintptr_t{64});
  void* args[] = {&wrong};
  module->function("k").launch({}, args, device->current_stream());
  const std::string text = error_of([&] { device->synchronize(); });
  CHECK(text.find("this process cannot use CUDA any more, only the CPU") != std::string::npos);
  CHECK(text.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
  CHECK(error_of([&] { device->allocate(100, device->current_stream()); }).find("only the CPU") !=
        std::string::npos);
}
