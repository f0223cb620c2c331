/// Types of what only kernels call.
#include "kasoku/base/error.h"
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku::jit {

Type Inference::call_cuda(Expr& expr, Handler handler) {
  if (!function_->function->options.is_cuda && handler != Handler::cuda_popc &&
      handler != Handler::cuda_clz && handler != Handler::cuda_fma)
    fail(expr.place, "this belongs in a kernel", "", "decorate the function with @cuda.jit");
  const Type first = argument(expr, 0);
  const auto tuple_or_int = [&]() -> Type {
    const auto n = has(expr, 0) ? constant_int(*expr.items[1]) : std::nullopt;
    if (!n || *n < 1 || *n > 3)
      fail(expr.place, "the number of axes must be 1, 2 or 3, and known when compiling");
    return *n == 1 ? int64_type : Type::tuple(std::vector<Type>(static_cast<size_t>(*n), int64_type));
  };
  switch (handler) {
    case Handler::cuda_grid:
    case Handler::cuda_gridsize: return tuple_or_int();
    case Handler::cuda_syncthreads:
    case Handler::cuda_syncwarp:
    case Handler::cuda_threadfence:
    case Handler::cuda_threadfence_block:
    case Handler::cuda_threadfence_system:
    case Handler::cuda_sync_grid:
    case Handler::cuda_nanosleep: return Type::none();
    case Handler::cuda_this_grid: return Type::of(TypeKind::group);
    case Handler::cuda_match_any: return int64_type;
    case Handler::cuda_match_all: return Type::tuple({int64_type, bool_type});
    case Handler::cuda_brev:
      if (!first.is_integer()) fail(expr.place, fmt::format("brev of {} has no meaning", str(first)));
      return first;
    case Handler::cuda_eq:
    case Handler::cuda_syncthreads_count:
    case Handler::cuda_syncthreads_and:
    case Handler::cuda_syncthreads_or:
    case Handler::cuda_ballot:
    case Handler::cuda_activemask:
    case Handler::cuda_popc:
    case Handler::cuda_clz:
    case Handler::cuda_ffs: return int64_type;
    case Handler::cuda_any:
    case Handler::cuda_all: return bool_type;
    case Handler::cuda_shfl:
    case Handler::cuda_shfl_up:
    case Handler::cuda_shfl_down:
    case Handler::cuda_shfl_xor:
      want_scalar(expr, 1);
      return argument(expr, 1);
    case Handler::cuda_fma: return Type::scalar(floating_dtype(scalar_dtype(
        scalar_dtype(first.dtype, argument(expr, 1).dtype), argument(expr, 2).dtype)));
    case Handler::cuda_selp:
      return Type::scalar(scalar_dtype(argument(expr, 1).dtype, argument(expr, 2).dtype));
    case Handler::cuda_shared_memory:  // shared.array's arguments the other way round; None is the length that a launch gives
      std::swap(expr.items[1], expr.items[2]);
      if (argument(expr, 0).kind == TypeKind::none) {
        expr.items[1] = std::make_unique<Expr>();
        expr.items[1]->value = int64_t{0};
        visit(*expr.items[1]);
      }
      expr.items[0]->binding.name = "kasoku.cuda.shared.array";
      return call_cuda(expr, Handler::cuda_shared);
    case Handler::cuda_shared:
    case Handler::cuda_local: {
      const int ndim = shape_ndim(expr, 0);
      if (const Type records = records_argument(expr, 1, ndim); records.is_known()) return records;
      return Type::array(dtype_argument(expr, 1, Dtype::float64), ndim, true);
    }
    case Handler::atomic_add: case Handler::atomic_sub: case Handler::atomic_max:
    case Handler::atomic_min: case Handler::atomic_nanmax: case Handler::atomic_nanmin: case Handler::atomic_and: case Handler::atomic_or:
    case Handler::atomic_xor: case Handler::atomic_inc: case Handler::atomic_dec:
    case Handler::atomic_exch: case Handler::atomic_cas: case Handler::atomic_cas_first:
      if (!first.is_array()) fail(expr.place, fmt::format("an atomic needs an array, not {}", str(first)));
      want_writable(*expr.items[1]);
      return Type::scalar(first.dtype);
    case Handler::xoroshiro_next: return Type::scalar(Dtype::uint64);
    case Handler::xoroshiro_uniform32:
    case Handler::xoroshiro_normal32: return Type::scalar(Dtype::float32);
    case Handler::xoroshiro_uniform64:
    case Handler::xoroshiro_normal64: return float64_type;
    default: break;
  }
  fail(expr.place, "this call cannot be compiled yet");
}

}  // namespace kasoku::jit
