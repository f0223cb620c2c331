/// \file kasoku/compile/nvrtc_library.h
/// NVRTC's functions, loaded at the first compile.
#pragma once

#include <cstddef>
#include <string>

namespace kasoku {

using nvrtcProgram = struct _nvrtcProgram*;

struct Nvrtc {
  int (*version)(int* major, int* minor);
  int (*n_architectures)(int* count);
  int (*architectures)(int* list);
  const char* (*error_text)(int result);
  int (*create)(nvrtcProgram*, const char* text, const char* name, int n_headers,
                const char* const* headers, const char* const* header_names);
  int (*destroy)(nvrtcProgram*);
  int (*add_expression)(nvrtcProgram, const char* expression);
  int (*compile)(nvrtcProgram, int n_options, const char* const* options);
  int (*lowered_name)(nvrtcProgram, const char* expression, const char** lowered);
  int (*log_size)(nvrtcProgram, size_t*);
  int (*log)(nvrtcProgram, char*);
  int (*ptx_size)(nvrtcProgram, size_t*);
  int (*ptx)(nvrtcProgram, char*);
  int (*cubin_size)(nvrtcProgram, size_t*);
  int (*cubin)(nvrtcProgram, char*);

  int major = 0, minor = 0;
  /// 90 of sm_90: what it makes machine code for, ascending.
  int supported[64] = {};
  int n_supported = 0;
};

/// The library's file, found once; "" if there is none.
std::string& nvrtc_library_file();

/// Loads it; ErrorKind::unsupported says what to install.
const Nvrtc& nvrtc_library();

}  // namespace kasoku
