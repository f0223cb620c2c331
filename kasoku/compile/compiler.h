/// \file kasoku/compile/compiler.h
/// What a compiler must do for compile() to use it. One file per compiler:
/// clang.cpp (CPU; loads libkasoku_clang.so at the first miss), nvrtc.cpp (CUDA).
#pragma once

#include "kasoku/compile/compile.h"
#include "kasoku/compile/key.h"
#include "kasoku/device/code.h"

#include <optional>
#include <string>

namespace kasoku {

class Compiler {
 public:
  virtual ~Compiler() = default;

  /// Everything of the compiler that decides its output: name, version, prelude,
  /// target. Part of the key; must not load the compiler.
  virtual std::string identity(Device& device) = 0;
  /// The key of the program's code in the pack for GPUs that the library brings along; nothing if that has none of its kind.
  virtual std::optional<Key> brought_key(const Program&, Device&) { return std::nullopt; }

  /// The first stage's cached payload: PTX or cubin on CUDA, bitcode on a CPU,
  /// with what is known of its kernels. Throws ErrorKind::compile.
  struct Unit {
    ModuleInfo info;
    std::string payload;
    std::map<std::string, std::string> initial_values;  ///< CPU: of globals, by symbol
  };
  virtual Unit compile(const Program& program, Device& device) = 0;

  /// CPU only: the second stage, machine code of one kernel for a block shape.
  virtual KernelCode specialise(const std::string& payload, const KernelInfo& kernel,
                                const uint32_t block[3], Device& device) = 0;
  virtual std::string code_text(const Program& program, Device& device, const std::string& kernel,
                                CodeForm form, const uint32_t block[3]) = 0;
};

}  // namespace kasoku
