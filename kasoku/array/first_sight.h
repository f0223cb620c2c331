/// \file kasoku/array/first_sight.h
/// Few elements do not wait for a compiler. A group that is new runs operation by operation, by the kernels of single
/// operations: the library brings them along for the host, and for a GPU those that were met before are in the cache. The
/// texts are those of the group, so the bits are.
#pragma once

#include "kasoku/array/fuse.h"

#include <atomic>

namespace kasoku {

/// Which small groups run operation by operation. Programs have `without_kernel`: those whose kernel is not compiled
/// yet. `never` and `always` are for tests, which compare the two ways.
enum class FirstSight : uint8_t { without_kernel, never, always };
extern std::atomic<FirstSight> first_sight;

/// Dtypes whose operations the library brings along; those of 16-bit floats are float32's.
inline constexpr Dtype carried_dtypes[] = {Dtype::bool_, Dtype::uint8, Dtype::int32, Dtype::int64, Dtype::float32, Dtype::float64, Dtype::complex128};

/// Whether so many elements on `device` do not wait for a compiler.
bool are_few(int64_t elements, const Device& device);
/// Why a group on `device` has to have its kernel, also at first sight, as the end of a sentence; null: it has not.
const char* needs_kernel(const Fused& fused, Device& device);

/// Whether it does without this time. Each call counts as a sight of the group.
bool is_for_operations(const Fused& fused, Device& device);
/// Computes such a group: a map to where its first walk says, a reduction's results, positions where it gives those, in C
/// order from the start of `to`. False: a kernel is not there, and will be after some time.
bool run_by_operations(const Fused& fused, Buffer& to);

}  // namespace kasoku
