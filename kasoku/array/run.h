/// \file kasoku/array/run.h
/// A fused group's launch: its compiled kernel by one structural hash, its
/// parameters from where the operands lie.
#pragma once

#include "kasoku/array/fuse.h"

namespace kasoku {

class Function;

/// The compiled kernel of a group; it stays for good.
Function& group_kernel(const Fused& fused, Device& device);
/// A number as a kernel holds it: of the register type of `dtype`, a 16-bit float rounded. Takes 16 bytes.
void store_rounded(const Scalar& value, Dtype dtype, void* to);

/// Computes an elementwise group into `buffer`.
void run_map(const Fused& fused, Buffer& buffer);

/// Chunks of a reduction that one launch computes, from `first_chunk` on; results
/// (and positions, of argmin and argmax) lie as [outputs][chunks].
struct Chunks {
  int64_t first_chunk, chunks;
};
void run_reduce(const Fused& fused, const Chunks& part, void* results, void* positions, Device& device);

/// Outputs and reduced elements of a reducing group.
int64_t outputs(const Fused& fused);
int64_t reduced_length(const Fused& fused);

/// (k0, k1) of a random leaf.
struct RandomKey {
  uint32_t k0, k1;
};
RandomKey random_key(uint64_t seed, uint32_t stream);

}  // namespace kasoku
