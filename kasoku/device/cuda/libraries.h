/// \file kasoku/device/cuda/libraries.h
/// Where NVIDIA's libraries are: the system's, a toolkit's, or those that PyPI's
/// nvidia wheels carry.
#pragma once

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

/// dlopen of a library that find_library gave; nullptr if it cannot be loaded,
/// with the linker's words in `*reason`.
void* open_library(const std::string& file, std::string* reason = nullptr);

/// The folder with cuda_fp16.h and the like that fits `library` (a file of the
/// same toolkit or wheel) best; "" if none is installed.
std::string find_headers(const std::string& library);

/// The folders beside a folder of headers: wheels of CUDA 12 spread their headers over several.
std::vector<std::string> neighbours_of_headers(const std::string& folder);

}  // namespace kasoku::cuda
