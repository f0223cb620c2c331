#include "kasoku/compile/nvrtc_library.h"

#include "kasoku/compile/background.h"
#include "kasoku/device/cuda/cuda.h"
#include "kasoku/device/cuda/libraries.h"

#include <algorithm>
#include <cstdlib>

namespace kasoku {
namespace {

constexpr cuda::LibraryWords words{"kernels cannot be compiled for CUDA", "NVRTC", "libnvrtc.so.13, .12 or .11.2", "pip install \"nvidia-cuda-nvrtc\", or CUDA_HOME=/path/to/cuda"};

const Nvrtc& load() {
  const cuda::Library library(words, nvrtc_library_file());
  Nvrtc& nvrtc = *new Nvrtc{};
  library.find(nvrtc.version, "nvrtcVersion");
  library.find(nvrtc.n_architectures, "nvrtcGetNumSupportedArchs");
  library.find(nvrtc.architectures, "nvrtcGetSupportedArchs");
  library.find(nvrtc.error_text, "nvrtcGetErrorString");
  library.find(nvrtc.create, "nvrtcCreateProgram");
  library.find(nvrtc.destroy, "nvrtcDestroyProgram");
  library.find(nvrtc.add_expression, "nvrtcAddNameExpression");
  library.find(nvrtc.compile, "nvrtcCompileProgram");
  library.find(nvrtc.lowered_name, "nvrtcGetLoweredName");
  library.find(nvrtc.log_size, "nvrtcGetProgramLogSize");
  library.find(nvrtc.log, "nvrtcGetProgramLog");
  library.find(nvrtc.ptx_size, "nvrtcGetPTXSize");
  library.find(nvrtc.ptx, "nvrtcGetPTX");
  library.find(nvrtc.cubin_size, "nvrtcGetCUBINSize");
  library.find(nvrtc.cubin, "nvrtcGetCUBIN");
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
