/// \file kasoku/compile/clang/inline_asm.h
/// PTX in a text: `asm("bfe.u32 %0, %1, %2, %3;" …)`. The common instructions -
/// special registers, integer and bit arithmetic, approximate mathematics, loads and
/// stores, barriers and fences - become what they mean; any other is an error that
/// names it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace llvm {
class Module;
}

namespace kasoku::embedded {

/// The text with PTX's register classes spelled as this machine's, so that Clang
/// lets the statements pass. Columns outside of asm statements stay.
std::string with_known_constraints(std::string_view text);

/// Replaces every asm statement of the module. `report` gets the instruction that
/// is not known and Clang's encoding of its place.
void lower_inline_asm(llvm::Module& module,
                      const std::function<void(const std::string&, unsigned)>& report);

}  // namespace kasoku::embedded
