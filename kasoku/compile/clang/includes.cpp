#include "kasoku/compile/clang/includes.h"

#include <string_view>

namespace kasoku::embedded {
namespace {

// The prelude has these.
constexpr const char* empty[] = {
    // C
    "assert.h", "ctype.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "memory.h",
    "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "strings.h",
    "time.h", "malloc.h", "unistd.h", "sys/types.h", "sys/time.h", "values.h", "stdalign.h",
    // C++
    "algorithm", "array", "bit", "cassert", "cctype", "cerrno", "cfloat", "cinttypes", "climits",
    "cmath", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "ctime", "functional",
    "initializer_list", "iterator", "limits", "memory", "new", "numeric", "type_traits", "utility",
    "complex", "concepts", "version", "exception", "stdexcept",
    // CUDA
    "builtin_types.h", "channel_descriptor.h", "common_functions.h", "cuda_runtime.h",
    "cuda_runtime_api.h", "cuda_device_runtime_api.h", "device_atomic_functions.h",
    "device_double_functions.h", "device_functions.h", "device_launch_parameters.h",
    "device_types.h", "driver_functions.h", "driver_types.h", "host_config.h", "host_defines.h",
    "math_constants.h", "math_functions.h", "sm_20_atomic_functions.h", "sm_20_intrinsics.h",
    "sm_30_intrinsics.h", "sm_32_atomic_functions.h", "sm_32_intrinsics.h",
    "sm_35_atomic_functions.h", "sm_35_intrinsics.h", "sm_60_atomic_functions.h",
    "sm_61_intrinsics.h", "vector_functions.h", "vector_functions.hpp", "vector_types.h",
    "crt/device_functions.h", "crt/host_defines.h", "crt/math_functions.h", "crt/host_config.h",
    "cuda_fp16.h", "cuda_fp16.hpp", "cuda_bf16.h", "cuda_bf16.hpp", "library_types.h", "nvrtc.h",
    "nv/target",
    "cuda_profiler_api.h", "cupy/carray.cuh", "cupy/atomics.cuh", "pycuda-helpers.hpp", "nvtx3/nvToolsExt.h",
    "cuda/std/array", "cuda/std/bit", "cuda/std/cassert", "cuda/std/cfloat", "cuda/std/climits",
    "cuda/std/cmath", "cuda/std/complex", "cuda/std/cstddef", "cuda/std/cstdint",
    "cuda/std/cstring", "cuda/std/functional", "cuda/std/limits", "cuda/std/numeric", "cuda/std/type_traits",
    "cuda/std/utility", "cuda/std/version", "cuda/std/algorithm", "cuda/functional", "cuda/cmath",
    "thrust/complex.h", "thrust/functional.h", "thrust/swap.h", "thrust/pair.h",
    "thrust/extrema.h", "thrust/execution_policy.h", "thrust/binary_search.h", "thrust/find.h",
    "thrust/sort.h", "thrust/reduce.h", "thrust/copy.h", "thrust/fill.h", "thrust/for_each.h",
    "thrust/count.h", "thrust/transform.h", "thrust/transform_reduce.h", "thrust/inner_product.h", "thrust/scan.h",
    "thrust/sequence.h", "thrust/unique.h", "thrust/remove.h", "thrust/partition.h", "thrust/gather.h",
    "thrust/scatter.h", "thrust/logical.h", "thrust/equal.h", "thrust/distance.h", "thrust/merge.h",
    "thrust/set_operations.h", "thrust/adjacent_difference.h", "thrust/replace.h", "thrust/tabulate.h",
    
    
    "thrust/iterator/iterator_traits.h",
    "texture_types.h", "texture_fetch_functions.h", "texture_indirect_functions.h", "surface_types.h",
    "surface_functions.h", "surface_indirect_functions.h",
    "cuda/std/span", "span", "cuda/std/initializer_list", "cuda/std/iterator", "cuda/std/cstdlib", "numbers",
};

// What only a host uses: declared, so that a whole program can be read.
constexpr const char* of_the_host[] = {
    "iostream", "fstream", "sstream", "iomanip", "ostream", "istream", "ios", "string", "vector", "list", "deque",
    "queue", "stack", "map", "set", "unordered_map", "unordered_set", "thread", "mutex", "condition_variable",
    "future", "chrono", "random", "string_view", "filesystem", "regex", "locale", "valarray", "bitset",
    "thrust/device_vector.h", "thrust/host_vector.h", "thrust/device_ptr.h", "thrust/device_malloc.h",
    "thrust/device_free.h", "thrust/generate.h", "thrust/system/cuda/execution_policy.h",
    "helper_cuda.h", "helper_functions.h", "helper_string.h", "helper_timer.h", "cuda.h", "getopt.h", "pthread.h", "sys/stat.h", "sys/resource.h", "fcntl.h", "signal.h", "libgen.h", "dirent.h",
    "omp.h", "cudaProfiler.h", "helper_image.h", "helper_cuda_drvapi.h", "nvrtc_helper.h", "exception.h",
    "typeinfo", "typeindex", "variant", "any", "cwchar", "cstdarg", "csignal", "csetjmp", "setjmp.h",
    "locale.h", "wchar.h", "execution", "ratio", "streambuf", "iosfwd", "forward_list", "scoped_allocator",
    "shared_mutex", "charconv", "sys/wait.h", "sys/mman.h", "sys/times.h", "sys/param.h", "helper_multiprocess.h",
    "cuda_gl_interop.h", "GL/glew.h", "GL/gl.h", "GL/glut.h", "GL/freeglut.h", "helper_gl.h", "rendercheck_gl.h", "curand_globals.h",
    "timer.h", "cuda_egl_interop.h", "cublas_v2.h", "cublas.h", "cublasLt.h", "cufft.h", "cufftXt.h", "cusparse.h",
    "cusolverDn.h", "cudnn.h", "nccl.h", "mpi.h",
};

struct Topic {
  const char* name;
  const char* file;  // of the prelude
};

constexpr Topic topics[] = {
    {"cooperative_groups.h", "cooperative_groups.h"},
    {"cooperative_groups/reduce.h", "cooperative_groups.h"},
    {"cooperative_groups/scan.h", "cooperative_groups.h"},
    {"cooperative_groups/memcpy_async.h", "cooperative_groups.h"},
    {"cooperative_groups/details/partitioning.h", "cooperative_groups.h"},
    {"curand.h", "curand.h"},
    {"curand_kernel.h", "curand.h"},
    {"curand_uniform.h", "curand.h"},
    {"curand_normal.h", "curand.h"},
    {"curand_philox4x32_x.h", "curand.h"},
    {"curand_mtgp32_kernel.h", "curand.h"},
    {"cuComplex.h", "cu_complex.h"},
    {"cub/cub.cuh", "cub.h"},
    {"cub/block/block_reduce.cuh", "cub.h"},
    {"cub/block/block_scan.cuh", "cub.h"},
    {"cub/block/block_load.cuh", "cub.h"},
    {"cub/block/block_store.cuh", "cub.h"},
    {"cub/block/block_exchange.cuh", "cub.h"},
    {"cub/block/block_radix_sort.cuh", "cub.h"},
    {"cub/block/block_histogram.cuh", "cub.h"},
    {"cub/block/block_shuffle.cuh", "cub.h"},
    {"cub/block/block_adjacent_difference.cuh", "cub.h"},
    {"cub/block/block_discontinuity.cuh", "cub.h"},
    {"cub/block/block_run_length_decode.cuh", "cub.h"},
    {"cub/warp/warp_exchange.cuh", "cub.h"},
    {"cub/warp/warp_load.cuh", "cub.h"},
    {"cub/warp/warp_store.cuh", "cub.h"},
    {"cub/warp/warp_reduce.cuh", "cub.h"},
    {"cub/warp/warp_scan.cuh", "cub.h"},
    {"cub/util_type.cuh", "cub.h"},
    {"cub/util_ptx.cuh", "cub.h"},
    {"cuda/std/atomic", "cuda_atomic.h"},
    {"cuda/atomic", "cuda_atomic.h"},
    {"atomic", "cuda_atomic.h"},
    {"cuda/barrier", "cuda_barrier.h"},
    {"cuda/std/barrier", "cuda_barrier.h"},
    {"cuda/latch", "cuda_barrier.h"},
    {"cuda/std/latch", "cuda_barrier.h"},
    {"cuda/semaphore", "cuda_barrier.h"},
    {"cuda/std/semaphore", "cuda_barrier.h"},
    {"cuda/pipeline", "cuda_barrier.h"},
    {"cuda_pipeline.h", "cuda_barrier.h"},
    {"cuda_pipeline_primitives.h", "cuda_barrier.h"},
    {"cuda_awbarrier.h", "cuda_barrier.h"},
    {"mma.h", "mma.h"},
    {"crt/mma.h", "mma.h"},
    {"cuda_fp8.h", "fp8.h"},
    {"cuda_fp8.hpp", "fp8.h"},
    {"tuple", "tuple.h"},
    {"cuda/std/tuple", "tuple.h"},
    {"thrust/tuple.h", "tuple.h"},
    {"thrust/random.h", "thrust_random.h"},
    {"thrust/random/linear_congruential_engine.h", "thrust_random.h"},
    {"thrust/random/uniform_real_distribution.h", "thrust_random.h"},
    {"thrust/random/uniform_int_distribution.h", "thrust_random.h"},
    {"thrust/iterator/zip_iterator.h", "tuple.h"},
    {"thrust/iterator/counting_iterator.h", "iterators.h"},
    {"thrust/iterator/constant_iterator.h", "iterators.h"},
    {"thrust/iterator/transform_iterator.h", "iterators.h"},
    {"thrust/iterator/permutation_iterator.h", "iterators.h"},
    {"cub/iterator/counting_input_iterator.cuh", "cub.h"},
    {"cub/iterator/constant_input_iterator.cuh", "cub.h"},
    {"cub/iterator/transform_input_iterator.cuh", "cub.h"},
    {"cub/warp/warp_merge_sort.cuh", "cub.h"},
    {"cub/block/block_merge_sort.cuh", "cub.h"},
    {"cuda/std/variant", "variant.h"},
    {"cuda/std/chrono", "chrono.h"},
    {"cuda/std/ratio", "chrono.h"},
    {"cuda/std/mdspan", "mdspan.h"},
    {"mdspan", "mdspan.h"},
    {"cuda/mdspan", "mdspan.h"},
    {"compare", "compare.h"},
    {"cuda/std/compare", "compare.h"},
    {"cuda/annotated_ptr", "annotated_ptr.h"},
    {"optional", "optional.h"},
    {"cuda/std/optional", "optional.h"},
    {"cupy/complex.cuh", "cupy_complex.h"},
    {"pycuda-complex.hpp", "pycuda_complex.h"},
    {"pycuda-complex-impl.hpp", "pycuda_complex.h"},
    {"helper_math.h", "helper_math.h"},
    {"cutil_math.h", "helper_math.h"},
};

// What only a GPU has: the name and the reason are the message.
struct Missing {
  const char* name;
  const char* reason;
};

constexpr Missing missing[] = {
    {"cuda/ptx", "PTX exists only on a GPU"},
    {"cute/tensor.hpp", "CUTLASS is written for a GPU's tensor cores"},
    {"cutlass/cutlass.h", "CUTLASS is written for a GPU's tensor cores"},
    {"cuda_fp4.h", "4-bit floating numbers are not supported yet"},
};

std::vector<Include> make() {
  std::vector<Include> out;
  for (const char* name : empty) out.push_back({name, "\n"});
  for (const Topic& topic : topics)
    out.push_back({topic.name, "#pragma once\n#include <kasoku/" + std::string(topic.file) + ">\n"});
  for (const char* name : of_the_host) out.push_back({name, "#include <kasoku/host.h>\n"});
  for (const Missing& row : missing)
    out.push_back({row.name, std::string("#error '") + row.name + "' cannot be used on a CPU: " +
                                 row.reason + "\n"});
  return out;
}

}  // namespace

const std::vector<Include>& includes() {
  static const auto* table = new std::vector<Include>(make());
  return *table;
}

}  // namespace kasoku::embedded
