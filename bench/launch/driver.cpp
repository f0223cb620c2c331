// The launch itself: cuLaunchKernel from C++ with nothing around it. The driver is found at run
// time, and declared here as far as it is used, so that no CUDA toolkit is needed.
#include <dlfcn.h>

#include <chrono>
#include <cstddef>

static const char* const ptx = R"(
.version 6.4
.target sm_75
.address_size 64
.visible .entry plus_one(.param .u64 x, .param .u64 y, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [y];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p, %r1, %r0;
  @%p bra DONE;
  cvta.to.global.u64 %d0, %d0;
  cvta.to.global.u64 %d1, %d1;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d0, %d0, %d2;
  add.u64 %d1, %d1, %d2;
  ld.global.u32 %r2, [%d0];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%d1], %r2;
DONE:
  ret;
}
)";

/// Microseconds of a submitted launch, the best of `rounds` trains of `length`; negative where
/// there is no GPU.
extern "C" double bare_launch(int rounds, int length) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return -1;
  const auto call = [&](const char* name, auto... arguments) {
    using Function = int (*)(decltype(arguments)...);
    return reinterpret_cast<Function>(dlsym(driver, name))(arguments...);
  };
  int device = 0;
  void *context = nullptr, *module = nullptr, *function = nullptr, *stream = nullptr;
  unsigned long long x = 0, y = 0;
  if (call("cuInit", 0u) || call("cuDeviceGet", &device, 0) || call("cuDevicePrimaryCtxRetain", &context, device) ||
      call("cuCtxSetCurrent", context) || call("cuModuleLoadData", &module, static_cast<const void*>(ptx)) ||
      call("cuModuleGetFunction", &function, module, "plus_one") || call("cuStreamCreate", &stream, 1u) ||
      call("cuMemAlloc_v2", &x, std::size_t{40}) || call("cuMemAlloc_v2", &y, std::size_t{40}))
    return -1;
  unsigned n = 10;
  void* parameters[] = {&x, &y, &n};
  using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  const auto launch = reinterpret_cast<Launch>(dlsym(driver, "cuLaunchKernel"));
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < length; ++i)
      if (launch(function, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr)) return -1;
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    call("cuStreamSynchronize", stream);
    if (time.count() / length < best) best = time.count() / length;
  }
  return best;
}
