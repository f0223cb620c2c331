/// \file kasoku/compile/clang/passes/scratch.h
/// Arrays over a block's threads in launch->scratch, where values wait while
/// other threads catch up.
///
/// Each array has 32 elements of room on either side, so that a shuffle may load
/// beyond the block without a branch. It is indexed by the linear thread number;
/// what no other warp needs is indexed by lane, on the stack, from where it mostly
/// moves to vector registers (forward_lanes.h).
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/thread_nest.h"

#include <cstdint>
#include <vector>

namespace llvm {
class IRBuilderBase;
class Instruction;
class Type;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

struct EntryFrame;

class Scratch {
 public:
  Scratch(const EntryFrame& frame, const BlockShape& shape);

  /// Room for a value of `type` per thread; the array's number. `of_all_blocks`: of each of those
  /// that take turns, which set_turns said before.
  unsigned add(llvm::Type* type, uint64_t alignment = 1, bool of_all_blocks = false);
  /// Adds room for a value of `type` per lane of the warp that runs, and returns the array's number.
  unsigned add_lanes(llvm::Type* type);
  /// From now on, an array that is added has room for a row of so many blocks.
  void set_row(unsigned blocks) { row_ = blocks; }
  /// From now on, such an array stands for the part of one block: number `which` of the row, 64 bits.
  void narrow(llvm::IRBuilderBase& build, llvm::Value* which);
  /// Says that so many blocks take turns, of which number `which` runs; 64 bits.
  void set_turns(unsigned blocks, llvm::Instruction* which) { turns_ = blocks, which_ = which; }
  /// The index into `array` that belongs to a thread.
  llvm::Value* index(unsigned array, const ThreadIndex& thread) const {
    return arrays_[array].is_by_lane ? thread.lane : thread.linear;
  }

  /// The address of element 0, for use anywhere in the body.
  llvm::Value* base(unsigned array) const { return arrays_[array].base; }
  llvm::Type* element_type(unsigned array) const { return arrays_[array].memory_type; }
  uint64_t element_bytes(unsigned array) const { return arrays_[array].bytes; }
  llvm::Value* element(llvm::IRBuilderBase& build, unsigned array, llvm::Value* thread) const;
  llvm::Value* load(llvm::IRBuilderBase& build, unsigned array, llvm::Value* thread) const;
  void store(llvm::IRBuilderBase& build, unsigned array, llvm::Value* thread,
             llvm::Value* value) const;

  uint64_t bytes() const;             ///< in all, or what does not grow with the block
  uint64_t bytes_per_thread() const;  ///< 0 for a known shape

 private:
  struct Array {
    llvm::Type* type;
    llvm::Type* memory_type;
    uint64_t bytes;
    llvm::Value* base;
    bool is_by_lane;
    bool is_of_row = false;
  };
  const EntryFrame& frame_;
  BlockShape shape_;
  llvm::Value* length_ = nullptr;  ///< elements of an array; null for a known shape
  uint64_t known_length_ = 0;
  uint64_t sum_ = 0;  ///< bytes per element of all arrays
  uint64_t on_stack_ = 0;
  unsigned row_ = 1;
  unsigned turns_ = 1;
  llvm::Instruction* which_ = nullptr;
  std::vector<Array> arrays_;
};

}  // namespace kasoku::embedded
