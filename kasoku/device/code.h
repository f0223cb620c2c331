/// \file kasoku/device/code.h
/// What a compiler hands to a device: bytes to load and what is known of them.
///
/// Filled by compile (from Clang's syntax tree and the compiled body), read by
/// devices, by the argument checks of the front ends, and kept in the cache.
#pragma once

#include "kasoku/base/dtype.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kasoku {

enum class ParamKind : uint8_t { scalar, pointer, record };

/// One parameter of a kernel, by the names of the user's source.
struct ParamInfo {
  std::string name;      ///< "x"; empty if the source gives none
  std::string type;      ///< as written: "const float *"
  ParamKind kind = ParamKind::scalar;
  Dtype dtype = Dtype::opaque;  ///< of the scalar, or of what the pointer points to
  uint32_t size = 0;     ///< bytes of the parameter itself
  uint32_t align = 0;    ///< bytes
  uint32_t element_size = 0;  ///< bytes of what a pointer points to; 0 if unknown (void*)
  bool is_const = false; ///< pointer to const
  bool is_restrict = false;
  /// Pointers, from the compiled body (transitively through calls). Both true
  /// where it could not be known.
  bool is_read = true;
  bool is_written = true;
};

struct KernelInfo {
  std::string name;    ///< as the source has it: "add", "ns::scale<float>"
  std::string symbol;  ///< in the compiled code
  int line = 0;        ///< of its definition in the user's text
  bool params_known = true;  ///< false: only PTX was there to look at; params then have sizes only
  std::vector<ParamInfo> params;
  uint32_t max_threads = 1024;      ///< of __launch_bounds__, or the device's limit
  uint32_t static_shared_bytes = 0;
  bool uses_barrier = false;        ///< CPU: barrier or warp operation in it
  bool uses_grid_sync = false;

  /// Whether kasoku wrote the kernel, not a user.
  bool is_ours() const { return name.starts_with("ks_"); }
};

/// A __device__ or __constant__ variable.
struct GlobalInfo {
  std::string name;    ///< as the source has it
  std::string symbol;
  uint64_t size = 0;   ///< bytes
  uint32_t align = 1;
  bool is_constant = false;
};

/// A file that the text included from disk; its content decides whether a
/// cached entry still holds.
struct IncludedFile {
  std::string path;
  std::string hash;  ///< hex of the content's 128-bit hash
};

struct ModuleInfo {
  std::vector<KernelInfo> kernels;
  std::vector<GlobalInfo> globals;
  std::map<std::string, std::string> expressions;  ///< name_expressions -> symbol
  std::vector<IncludedFile> includes;
  std::string warnings;  ///< the compiler's, ready to show; mostly empty
};

/// Machine code of one kernel for one block shape, on a CPU.
struct KernelCode {
  std::string object;            ///< ELF relocatable object, see compile/clang/abi.h
  std::string symbol;            ///< entry in it
  uint64_t scratch_bytes = 0;    ///< per worker
  uint64_t scratch_bytes_per_thread = 0;  ///< more per thread of the block (generic block shape)
  uint64_t static_shared_bytes = 0;
  bool spans_blocks = false;  ///< runs the faster the more blocks it is given at a time
  bool waits_in_memory = false;  ///< a block may wait for what another writes: all must get on
};

struct Code {
  ModuleInfo info;
  /// CUDA: PTX or cubin. CPU: empty, code comes kernel by kernel from `specialise`.
  std::string bytes;
  /// CPU: machine code of a kernel for a block shape, {0,0,0} for any shape. Set
  /// by compile; served from the cache mostly. Safe to call from any thread.
  std::function<KernelCode(const KernelInfo&, const uint32_t block[3])> specialise;
  /// CPU: values of the module's globals at load, by symbol; missing means zeros.
  std::map<std::string, std::string> initial_values;
};

}  // namespace kasoku
