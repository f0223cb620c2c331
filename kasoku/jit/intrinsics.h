/// \file kasoku/jit/intrinsics.h
/// The functions that compiled code knows: what intrinsics.def lists, and the rows of ops.def and reductions.def.
#pragma once

#include "kasoku/base/dtype.h"
#include "kasoku/codegen/reductions.h"

#include <optional>
#include <string_view>
#include <vector>

namespace kasoku::jit {

struct Expr;

enum class Handler : uint8_t {
  elementwise, word,
  range, prange, len, to_int, to_float, to_bool, to_complex, abs, round, min, max, reduce, pow,
  print, enumerate, zip, ndindex, ndenumerate, isinstance, result_type, log, hypot, add, subtract, multiply, divide, floor_divide, modulo, where,
  clip, mean, var, std, dot, zeros, ones,
  empty, full, zeros_like, ones_like, empty_like, full_like, arange, linspace, copy, ascontiguous, broadcast_to,
  asarray, make_array, astype, view, fill, frexp, ldexp, reshape, ravel, flatten, item, transpose, with_axes, strided, random, rand, randn,
  standard_normal, uniform, normal, expovariate, exponential, randint, randint_inclusive, seed, lapack, reaches, algorithm, drawn,
  thread_limit, thread_number, text_method, to_str, formatted, ord, chr,
  list_append, list_extend, list_insert, list_pop, list_remove, list_clear, list_index, list_count,
  list_reverse, list_sort, list_sort_by, list_copy,
  dict_get, dict_pop, dict_popitem, dict_setdefault, dict_update, dict_clear, dict_copy, dict_keys, dict_values, dict_items,
  set_add, set_remove, set_discard, set_pop, set_clear, set_copy, set_update, set_intersection_update, set_difference_update,
  set_symmetric_difference_update, set_union, set_intersection, set_difference, set_symmetric_difference, set_isdisjoint,
  set_issubset, set_issuperset,
  cuda_grid, cuda_gridsize, cuda_syncthreads, cuda_syncthreads_count, cuda_syncthreads_and,
  cuda_syncthreads_or, cuda_syncwarp, cuda_threadfence, cuda_threadfence_block, cuda_threadfence_system, cuda_nanosleep, cuda_match_any, cuda_match_all,
  cuda_eq, cuda_brev, cuda_shfl, cuda_shfl_up, cuda_shfl_down,
  cuda_shfl_xor, cuda_ballot, cuda_any, cuda_all, cuda_activemask, cuda_popc, cuda_clz, cuda_ffs,
  cuda_fma, cuda_selp, cuda_this_grid, cuda_sync_grid, cuda_shared, cuda_shared_memory, cuda_local, atomic_add, atomic_sub, atomic_max, atomic_min, atomic_nanmax, atomic_nanmin,
  atomic_and, atomic_or, atomic_xor, atomic_inc, atomic_dec, atomic_exch, atomic_cas,
  atomic_cas_first, xoroshiro_next, xoroshiro_uniform32, xoroshiro_uniform64, xoroshiro_normal32,
  xoroshiro_normal64,
};

/// The result of a function that has no row in ops.def. It is computed in floats, or in the operand's own type (part).
enum class Result : uint8_t {
  floating,  ///< the same
  integer,   ///< int64
  part,      ///< the real dtype of a complex operand
};

struct Intrinsic {
  std::string_view name;        ///< "numpy.sqrt"
  Handler handler;
  std::string_view parameters;  ///< "x,y"; "*": any number
  std::optional<Op> op;         ///< elementwise: its row, or nothing (a FUNCTION)
  Result result;                ///< FUNCTION
  std::string_view text;        ///< FUNCTION, word
  Dtype dtype;                  ///< word
  bool in_floats = false;       ///< math.pow(2, 3) is a float, whatever the row says
  ReduceOp reduction = ReduceOp::sum;  ///< what reduces; of mean a sum

  bool is_builtin() const { return name.starts_with("builtins."); }
};

/// A method of a list, a dict or a set.
constexpr bool is_container_method(Handler handler) { return handler >= Handler::list_append && handler <= Handler::set_issuperset; }
constexpr bool is_dict_method(Handler handler) { return handler >= Handler::dict_get && handler <= Handler::dict_items; }
constexpr bool is_set_method(Handler handler) { return handler >= Handler::set_add && handler <= Handler::set_issuperset; }

/// All of them.
const std::vector<const Intrinsic*>& intrinsics();
/// By name, or nullptr.
const Intrinsic* find_intrinsic(std::string_view name);
/// The intrinsic that a call calls; nullptr if it calls something else.
const Intrinsic* intrinsic_of(const Expr& call);

}  // namespace kasoku::jit
