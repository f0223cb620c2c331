/// \file kasoku/compile/clang/passes/parameters.h
/// Where a kernel's IR arguments lie in the parameters of its source.
#pragma once

#include <cstdint>
#include <vector>

namespace llvm {
class Function;
}

namespace kasoku::embedded {

struct SourcePlace {
  unsigned parameter;  ///< of the source
  uint64_t offset;     ///< bytes in it
};

/// The bytes of each parameter of the source, as stage 1 wrote them down ("ks-param-sizes"); 0 if it is not passed.
std::vector<uint32_t> parameter_sizes(const llvm::Function& kernel);

/// Of each IR argument: x86's convention passes classes up to 16 bytes as one or two arguments
/// of at most 8 bytes.
std::vector<SourcePlace> argument_places(const llvm::Function& kernel, const std::vector<uint32_t>& sizes);

}  // namespace kasoku::embedded
