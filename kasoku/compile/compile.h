/// \file kasoku/compile/compile.h
/// The one road down: Program in, Module out, mostly from the cache.
#pragma once

#include "kasoku/compile/program.h"
#include "kasoku/device/module.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

namespace kasoku {

/// The Module of `program` on `device`. From memory by one lock-free look-up,
/// from disk without a compiler, else compiled once, however many threads and
/// processes ask. Throws ErrorKind::compile with the compiler's text: the user's
/// own lines, the source line and a caret.
std::shared_ptr<Module> compile(const Program& program, Device& device);

/// Set, what is compiled for GPUs is for the pack that the library brings along: its keys name no compiler, and no headers
/// of this machine are seen.
extern std::atomic<bool> compiles_for_pack;

/// A module of one kernel that the library brings along, by the name that it was kept by; null if there is none. That takes
/// no text, which costs more to write and to look up than small arrays to compute.
std::shared_ptr<Module> brought_module(std::string_view name, Device& device);
/// Keeps the program's only kernel, for blocks of this shape, by a name too. For the tool that makes a pack.
void keep_by_name(std::string_view name, const Program& program, const uint32_t block[3], Device& device);

/// Whether compile() would find it, in memory or on disk.
bool is_compiled(const Program& program, Device& device);

/// loops: what the vectorizer says of each, see KS_LOOPS in clang/clang_api.h.
enum class CodeForm { text, llvm_ir, assembly, ptx, loops };

/// The code that `kernel` of the program becomes, to read: the text with what was added to it, LLVM IR and assembly
/// (CPU), PTX (CUDA). `block` as for a launch; zeros for code for any block. ErrorKind::unsupported if the device has
/// no such form.
std::string code_text(const Program& program, Device& device, const std::string& kernel,
                      CodeForm form, const uint32_t block[3]);

}  // namespace kasoku
