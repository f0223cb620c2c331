#include "kasoku/compile/nvrtc_library.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/background.h"
#include "kasoku/device/cuda/cuda.h"
#include "kasoku/device/cuda/libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace kasoku {
namespace {

constexpr const char* how_to_install =
    "pip install \"nvidia-cuda-nvrtc\", or CUDA_HOME=/path/to/cuda";

const Nvrtc& load() {
  const std::string& file = nvrtc_library_file();
  if (file.empty())
    throw Error(ErrorKind::unsupported,
                "kernels cannot be compiled for CUDA: NVRTC is not installed")
        .why(
            "libnvrtc.so.13, .12 or .11.2 is in no folder of the system, a CUDA toolkit or "
            "Python's packages")
        .fix(how_to_install);
  std::string reason;
  void* library = cuda::open_library(file, &reason);
  if (!library)
    throw Error(ErrorKind::unsupported, "kernels cannot be compiled for CUDA: NVRTC does not load")
        .why(reason)
        .fix(how_to_install);
  Nvrtc& nvrtc = *new Nvrtc{};
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    if (!function)
      throw Error(ErrorKind::unsupported, "kernels cannot be compiled for CUDA: NVRTC is too old")
          .why(fmt::format("{} has no {}", file, name))
          .fix(how_to_install);
  };
  find(nvrtc.version, "nvrtcVersion");
  find(nvrtc.n_architectures, "nvrtcGetNumSupportedArchs");
  find(nvrtc.architectures, "nvrtcGetSupportedArchs");
  find(nvrtc.error_text, "nvrtcGetErrorString");
  find(nvrtc.create, "nvrtcCreateProgram");
  find(nvrtc.destroy, "nvrtcDestroyProgram");
  find(nvrtc.add_expression, "nvrtcAddNameExpression");
  find(nvrtc.compile, "nvrtcCompileProgram");
  find(nvrtc.lowered_name, "nvrtcGetLoweredName");
  find(nvrtc.log_size, "nvrtcGetProgramLogSize");
  find(nvrtc.log, "nvrtcGetProgramLog");
  find(nvrtc.ptx_size, "nvrtcGetPTXSize");
  find(nvrtc.ptx, "nvrtcGetPTX");
  find(nvrtc.cubin_size, "nvrtcGetCUBINSize");
  find(nvrtc.cubin, "nvrtcGetCUBIN");
  nvrtc.version(&nvrtc.major, &nvrtc.minor);
  nvrtc.n_architectures(&nvrtc.n_supported);
  if (nvrtc.n_supported > 64) nvrtc.n_supported = 0;
  if (nvrtc.n_supported) nvrtc.architectures(nvrtc.supported);
  std::sort(nvrtc.supported, nvrtc.supported + nvrtc.n_supported);
  end_background_first();
  return nvrtc;
}

}  // namespace

std::string& nvrtc_library_file() {
  static std::string& file = *new std::string([] {
    // Code of a newer NVRTC than the driver's CUDA may not load, so the driver's own
    // major version goes first.
    const int driver = std::atoi(cuda_driver_version().c_str());
    if (driver == 12)
      return cuda::find_library({"libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so.13"});
    if (driver == 11)
      return cuda::find_library({"libnvrtc.so.11.2", "libnvrtc.so.12", "libnvrtc.so.13"});
    return cuda::find_library({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"});
  }());
  return file;
}

const Nvrtc& nvrtc_library() {
  static const Nvrtc& nvrtc = load();
  return nvrtc;
}

}  // namespace kasoku
