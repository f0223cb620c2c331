/// \file kasoku/compile/clang/generate.h
/// Stage 2: bitcode of a module -> machine code of one kernel for one block shape.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kasoku::embedded {

struct GenerateRequest {
  std::string_view bitcode;      ///< as parse_text() wrote it
  std::string_view symbol;       ///< mangled name of the kernel
  uint32_t block[3] = {0, 0, 0}; ///< zeros: read from the launch at run time
  std::string_view cpu;          ///< "x86-64-v3", "x86-64-v4" or "native"
  bool is_generated = false;     ///< text written by kasoku: contraction off
  int want = 0;                  ///< KS_OBJECT, KS_IR, KS_ASSEMBLY or KS_LOOPS
  int checked = 0;
  std::string_view passes;       ///< words of KASOKU_PASSES, see passes/passes.h
  std::function<void(std::string_view)> after_pass;  ///< if any, told what each left behind
};

struct GenerateResult {
  std::string main;         ///< what `want` asked for
  std::string info;         ///< JSON, see abi.h
};

/// Throws kasoku::Error, or any std::exception for an internal error.
GenerateResult generate_kernel(const GenerateRequest& request);

}  // namespace kasoku::embedded
