/// \file kasoku/compile/clang/access.h
/// What a kernel does with the memory that its pointers lead to: the warning
/// about swapped arguments and the direction of copies rest on it.
#pragma once

#include <map>
#include <vector>

namespace llvm {
class Argument;
class Function;
}  // namespace llvm

namespace kasoku::embedded {

struct Access {
  bool is_read = false;
  bool is_written = false;

  Access& operator|=(Access other) {
    is_read |= other.is_read;
    is_written |= other.is_written;
    return *this;
  }
};

/// Turns local variables that nobody takes the address of into values, so that a
/// pointer can be followed. Also makes the bitcode smaller.
void promote_locals(llvm::Function& function);

/// Follows pointer arguments through a module, calls included. Both true where
/// the pointer is lost sight of.
class AccessSummary {
 public:
  Access of(const llvm::Argument& argument);

 private:
  std::map<const llvm::Argument*, Access> known_;
};

/// What a kernel reaches: functions and variables, by direct and indirect calls.
struct Reach {
  bool uses_barrier = false;    ///< or any warp operation
  bool uses_grid_sync = false;
  unsigned static_shared_bytes = 0;
};
Reach reach_of(const llvm::Function& kernel);

}  // namespace kasoku::embedded
