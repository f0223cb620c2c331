#include "kasoku/linalg/cublas_library.h"

#include "kasoku/device/cuda/cuda.h"
#include "kasoku/device/cuda/libraries.h"
#include "kasoku/linalg/blas.h"

#include <dlfcn.h>

#include <cstdlib>

namespace kasoku::linalg {
namespace {

constexpr cuda::LibraryWords words{"matrices cannot be multiplied on CUDA", "cuBLAS", "libcublas.so.13, .12 or .11", "pip install nvidia-cublas, or CUDA_HOME=/path/to/cuda"};

const Cublas& load() {
  const std::string& file = cublas_library_file();
  // Its other half is not always where the linker looks; loaded first, it is found.
  const size_t slash = file.rfind('/');
  if (slash != std::string::npos) {
    std::string other = file;
    other.replace(slash, other.find(".so") - slash, "/libcublasLt");
    dlopen(other.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  const cuda::Library library(words, file);
  Cublas& cublas = *new Cublas{};
  cublas.library = library.handle;
  library.find(cublas.create, "cublasCreate_v2");
  library.find(cublas.set_stream, "cublasSetStream_v2");
  library.find(cublas.set_workspace, "cublasSetWorkspace_v2");
  library.find(cublas.gemm, "cublasGemmEx");
  library.find(cublas.gemm_strided, "cublasGemmStridedBatchedEx");
  library.find(cublas.status_text, "cublasGetStatusString");
  return cublas;
}

}  // namespace

const std::string& cublas_library_file() {
  static const std::string& file = *new std::string([] {
    // One that the process has (torch's, say) is taken again, not beside another version.
    if (std::string loaded = loaded_library("libcublas.so"); !loaded.empty()) return loaded;
    const int driver = std::atoi(cuda_driver_version().c_str());
    if (driver == 12) return cuda::find_library({"libcublas.so.12", "libcublas.so.11"});
    if (driver == 11) return cuda::find_library({"libcublas.so.11"});
    return cuda::find_library({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"});
  }());
  return file;
}

const Cublas& cublas_library() {
  static const Cublas& cublas = load();
  return cublas;
}

}  // namespace kasoku::linalg
