/// Intel's MKL through its single run-time library.
#include "kasoku/linalg/blas.h"

#include <dlfcn.h>

namespace kasoku::linalg {
namespace {

bool take(Blas& blas, const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  // The names with _64 have 64-bit integers whatever interface layer is chosen.
  blas.has_64_bit_integers = take_functions(blas, library, "", "_64");
  if (!blas.has_64_bit_integers && !take_functions(blas, library, "", "")) {
    dlclose(library);
    return false;
  }
  blas.name = "mkl";
  blas.file = file;
  blas.set_own_threads = reinterpret_cast<int (*)(int)>(dlsym(library, "MKL_Set_Num_Threads_Local"));
  blas.is_on_callers = blas.set_own_threads;
  return true;
}

}  // namespace

bool find_mkl(Blas& blas, bool loaded_only) {
  if (const std::string file = loaded_library("libmkl_rt"); !file.empty() && take(blas, file))
    return true;
  if (loaded_only) return false;
  for (const char* file : {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"})
    if (take(blas, file)) return true;
  return false;
}

}  // namespace kasoku::linalg
