/// \file kasoku/compile/options.h
/// Compiler options as users write them for nvcc and NVRTC: THE table of those
/// that are understood, those that mean nothing here, and those that are refused.
///
/// Values are joined (-DN=4, -std=c++17) or the next option (-D N=4), as users
/// write both. An option that is not in the table is an error that names it.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kasoku {

struct CompileOptions {
  /// -D and -U in their order, spelled joined: "-DN=4", "-UN".
  std::vector<std::string> macros;
  std::vector<std::string> include_dirs;   ///< -I, --include-path, -isystem
  std::vector<std::string> include_files;  ///< -include, --pre-include
  std::string standard = "c++17";          ///< c++11, c++14, c++17, c++20
  int architecture = 0;                    ///< 80 of -arch=sm_80; 0 if none was named
  bool fast_math = false;                  ///< also sets what follows
  bool flush_denormals = false;            ///< -ftz=true
  bool contract = true;                    ///< -fmad
  bool precise_division = true;            ///< -prec-div
  bool precise_root = true;                ///< -prec-sqrt
  bool default_device = false;             ///< functions without a word are __device__
  bool no_warnings = false;                ///< -w
  bool warnings_are_errors = false;        ///< -Werror all-warnings
  bool line_info = false;                  ///< -lineinfo, -g, -G
  /// The options for NVRTC, in its own spelling and without those that only nvcc knows. The caller adds the
  /// architecture.
  std::vector<std::string> nvrtc;
};

/// ErrorKind::value names the option that is not understood, or its wrong value.
CompileOptions read_options(std::span<const std::string> options);

}  // namespace kasoku
