/// \file kasoku/device/cuda/libraries.h
/// Where NVIDIA's libraries are: the system's, a toolkit's, or those that PyPI's
/// nvidia wheels carry.
#pragma once

#include "kasoku/base/error.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace kasoku::cuda {

/// A folder such as Python's site-packages: `nvidia/*/lib` below it is searched
/// for libraries and `nvidia/*/include` for headers. Also takes a folder that
/// holds the libraries themselves. To be called before the first use.
void add_search_folder(const std::string& folder);

/// The file of the first of `names` ("libnvrtc.so.13") that exists, by full path
/// where it is known, by name where only the dynamic linker knows it; "" if none.
std::string find_library(std::initializer_list<std::string_view> names);

/// What errors say where a library is missing.
struct LibraryWords {
  const char* refused;         ///< "matrices cannot be multiplied on CUDA"
  const char* name;            ///< "cuBLAS"
  const char* files;           ///< "libcublas.so.13, .12 or .11"
  const char* how_to_install;  ///< what can be typed
};

/// A library that find_library() gave. It is never unloaded. Whatever is missing is an Error: the file, what the
/// file needs, or a function, which an older version does not have.
class Library {
 public:
  Library(const LibraryWords& words, std::string file);

  template <class Function>
  void find(Function& function, const std::string& name) const {
    function = reinterpret_cast<Function>(address(name));
  }
  void* address(const std::string& name) const;

  /// The error of a library that `what` ("is too old"), for that reason.
  Error refusal(const std::string& what, const std::string& why) const;

  void* handle = nullptr;  ///< of dlopen

 private:
  LibraryWords words_;
  std::string file_;
};

/// The folder with cuda_fp16.h and the like that fits `library` (a file of the
/// same toolkit or wheel) best; "" if none is installed.
std::string find_headers(const std::string& library);

/// The folders beside a folder of headers: wheels of CUDA 12 spread their headers over several.
std::vector<std::string> neighbours_of_headers(const std::string& folder);

}  // namespace kasoku::cuda
