/// \file kasoku/compile/program.h
/// Kernel text plus everything that decides what it compiles to.
///
/// A front end writes a Program; compile() turns it into a Module, mostly from
/// the cache. Two equal Programs are the same code: nothing outside this struct,
/// the compiler, the files it includes and the target may influence the result.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kasoku {

struct Program {
  std::string text;                  ///< CUDA C++; #line leads to the user's file
  std::string file = "kernel.cu";    ///< the text's own name in messages
  std::vector<std::string> options;  ///< as users write them: -D -I -std= --use_fast_math …
  std::vector<std::string> name_expressions;  ///< templates to instantiate: "scale<float>"
  /// Files that the text may include by name, without a disk.
  std::vector<std::pair<std::string, std::string>> headers;
  /// Written by kasoku (arrays, jit): contraction off, so that all devices give
  /// the same bits; fma is written out.
  bool is_generated = false;
  /// Every access tells the checker (check/shadow.h); CPU only.
  bool is_checked = false;

  bool operator==(const Program&) const = default;
};

}  // namespace kasoku
