#include "kasoku/device/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>

#include <atomic>

namespace kasoku::cuda {
namespace {

std::atomic<bool> is_forked{false};

struct Loaded {
  Driver driver;
  std::string missing;

  Loaded() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      missing = fmt::format("no NVIDIA driver on this machine: {}", dlerror());
      return;
    }
    enum Needed { required, optional };
#define FUNCTION(name, exported, needed, arguments)                                \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, exported)); \
  if (!driver.name && needed == required && missing.empty())                       \
    missing = "the NVIDIA driver is too old (it has no " exported "; CUDA 11.2 is the oldest)";
#include "kasoku/device/cuda/driver.def"
#undef FUNCTION
    if (!missing.empty()) return;
    if (const CUresult result = driver.cuInit(0)) {
      missing = result == no_device
                    ? "the NVIDIA driver sees no GPU (CUDA_VISIBLE_DEVICES may hide it)"
                    : "the NVIDIA driver does not start: " + text(result);
      return;
    }
    driver.cuDriverGetVersion(&driver.version);
    pthread_atfork(nullptr, nullptr, [] { is_forked.store(true, std::memory_order_relaxed); });
  }

  std::string text(CUresult result) const {
    const char *name = nullptr, *words = nullptr;
    driver.cuGetErrorName(result, &name);
    driver.cuGetErrorString(result, &words);
    if (!name) return fmt::format("CUDA error {}", result);
    return fmt::format("{}: {}", name, words ? words : "no description");
  }
};

const Loaded& loaded() {
  static const Loaded& loaded = *new Loaded;  // the driver is never unloaded
  return loaded;
}

}  // namespace

const Driver* try_driver() { return loaded().missing.empty() ? &loaded().driver : nullptr; }

const std::string& driver_missing() { return loaded().missing; }

const Driver& driver() {
  if (is_forked.load(std::memory_order_relaxed)) [[unlikely]]
    throw Error(ErrorKind::device,
                "CUDA cannot be used in this process: it was forked from one that had used CUDA")
        .why("the driver does not survive fork()")
        .fix("multiprocessing.set_start_method(\"spawn\"), or fork before the first use of a GPU");
  return loaded().driver;
}

bool is_fault(CUresult result) {
  switch (result) {
    case 700:  // illegal address
    case 702:  // launch timed out
    case 710:  // assert
    case 714:  // hardware stack error
    case 715:  // illegal instruction
    case 716:  // misaligned address
    case 717:  // invalid address space
    case 718:  // invalid program counter
    case 719:  // launch failed
    case 214:  // uncorrectable memory error
    case 709:  // context is destroyed
      return true;
    default:
      return false;
  }
}

Error failure(CUresult result, const std::string& asked) {
  const std::string text = loaded().text(result);
  if (is_fault(result)) {
    Error error(ErrorKind::device,
                result == 710
                    ? "an assert in a CUDA kernel failed: this process cannot use CUDA any more, "
                      "only the CPU"
                    : "a CUDA kernel faulted: this process cannot use CUDA any more, only the CPU");
    error.why(fmt::format("{}; noticed on the way to {}", text, asked));
    return error.fix(
        "start the program again; KASOKU_DEVICE=cpu KASOKU_CHECK=bounds names the kernel and line");
  }
  if (result == deinitialized)
    return Error(ErrorKind::device, "could not " + asked)
        .why("the process is ending (" + text + ")");
  return Error(result == out_of_memory ? ErrorKind::memory : ErrorKind::device,
               "could not " + asked)
      .why(text);
}

}  // namespace kasoku::cuda
