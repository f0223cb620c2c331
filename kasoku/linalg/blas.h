/// \file kasoku/linalg/blas.h
/// The common face of CPU libraries with the C interface of BLAS, found at run time.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace kasoku::linalg {

struct Blas {
  std::string name;  ///< "openblas"
  std::string file;  ///< of the library
  bool has_64_bit_integers = false;
  void* library = nullptr;     ///< of dlopen
  std::string prefix, suffix;  ///< of its functions' names
  /// cblas_?gemm by type: float, double, complex float, complex double.
  void* gemm[4] = {};
  void* gemv[4] = {};
  /// Whether it works on the threads that call it: those of its own spin for each other, and stand still where a
  /// neighbour has one of their cores. Not so a library that others of the process use too, if it has one number of
  /// threads for all who call it.
  bool is_on_callers = false;
  void (*set_threads)(int) = nullptr;       ///< for all who call it; nothing if those are not only we
  int (*set_own_threads)(int) = nullptr;    ///< of the calling thread: what was set, 0: as for all

  /// Whether `length` can be passed.
  bool takes(int64_t length) const { return has_64_bit_integers || length <= INT32_MAX; }
};

/// The library that is used; nullptr if there is none. Found at the first call.
const Blas* blas();
/// Why there is none.
const std::string& blas_missing();

/// While one lives, the library takes `n` threads for calls of this one.
class LibraryThreads {
 public:
  LibraryThreads(const Blas& blas, uint32_t n);
  ~LibraryThreads();
  LibraryThreads(const LibraryThreads&) = delete;
  LibraryThreads& operator=(const LibraryThreads&) = delete;

 private:
  const Blas& blas_;
  const bool has_raised_;
  const int own_before_;
};

/// Each file looks for its library: openblas.cpp, mkl.cpp. `loaded_only`: take it
/// only if the process has it already.
bool find_openblas(Blas& blas, bool loaded_only);
bool find_mkl(Blas& blas, bool loaded_only);

/// Fills in the functions from an open library; false if some are missing.
bool take_functions(Blas& blas, void* library, const std::string& prefix,
                    const std::string& suffix);
/// Whether somebody has opened this file in the process.
bool is_loaded(const std::string& file);
/// The path of a library of the process whose file name contains `part`; "" if none.
std::string loaded_library(const std::string& part);
/// Folders from add_search_folder.
const std::vector<std::string>& search_folders();

}  // namespace kasoku::linalg
