/// \file kasoku/compile/clang/includes.h
/// What `#include <name>` gives in kernel text: THE table of the headers that
/// programs name. Most are empty, because the prelude has their words already.
#pragma once

#include <string>
#include <vector>

namespace kasoku::embedded {

struct Include {
  const char* name;  ///< as users write it: "cuda_fp16.h"
  std::string text;
};

const std::vector<Include>& includes();

}  // namespace kasoku::embedded
