/// OpenBLAS: the wheel scipy-openblas64, one that NumPy brought along, or the system's.
#include "kasoku/linalg/blas.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace kasoku::linalg {
namespace {

struct Naming {
  const char* prefix;
  const char* suffix;
  bool has_64_bit_integers;
};
constexpr Naming namings[] = {
    {"scipy_", "64_", true}, {"", "64_", true}, {"scipy_", "", false}, {"", "", false}};

bool take(Blas& blas, const std::string& file) {
  const bool is_of_others = is_loaded(file);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  for (const Naming& naming : namings) {
    if (!take_functions(blas, library, naming.prefix, naming.suffix)) continue;
    blas.name = "openblas";
    blas.file = file;
    blas.has_64_bit_integers = naming.has_64_bit_integers;
    // Its threads are counted once for the process: openblas_set_num_threads_local of builds without OpenMP is
    // the same number. A library that NumPy has too is left as it is.
    if (!is_of_others) blas.set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, fmt::format("{}openblas_set_num_threads{}", naming.prefix, naming.suffix).c_str()));
    blas.is_on_callers = blas.set_threads;
    if (blas.set_threads) blas.set_threads(1);
    return true;
  }
  dlclose(library);
  return false;
}

}  // namespace

bool find_openblas(Blas& blas, bool loaded_only) {
  if (!loaded_only) {
    for (const std::string& folder : search_folders())
      for (const char* file :
           {"/scipy_openblas64/lib/libscipy_openblas64_.so", "/libscipy_openblas64_.so",
            "/scipy_openblas32/lib/libscipy_openblas.so", "/libopenblas.so.0"})
        if (take(blas, folder + file)) return true;
  }
  if (const std::string file = loaded_library("openblas"); !file.empty() && take(blas, file))
    return true;
  if (loaded_only) return false;
  for (const char* file : {"libopenblas.so.0", "libopenblas64.so.0", "libopenblas.so"})
    if (take(blas, file)) return true;
  return false;
}

}  // namespace kasoku::linalg
