/// \file kasoku/device/cuda/driver.h
/// The CUDA driver's functions, found at run time: no header or library of CUDA
/// is needed to build. Types and constants bear the driver's own names and values.
#pragma once

#include "kasoku/base/error.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace kasoku::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;

/// CUmemPoolProps.
struct MemoryPoolProperties {
  int allocation_type = 1;  // pinned to its place
  int handle_types = 0;
  int location_type = 1;  // a device
  int location_id = 0;
  void* security = nullptr;
  size_t max_size = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

/// CUmemAccessDesc.
struct MemoryAccess {
  int location_type = 1;  // a device
  int location_id = 0;
  int flags = 3;  // reading and writing
};

/// Results that are treated apart from "it failed".
enum Result : CUresult {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  deinitialized = 4,
  no_device = 100,
  no_binary_for_gpu = 209,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  launch_out_of_resources = 701,
  peer_access_already_enabled = 704,
  cooperative_launch_too_large = 720,
};

struct Driver {
#define FUNCTION(name, exported, needed, arguments) CUresult(*name) arguments = nullptr;
#include "kasoku/device/cuda/driver.def"
#undef FUNCTION
  int version = 0;  ///< 13000
};

/// The driver, loaded and initialised at the first call; nullptr if there is none.
const Driver* try_driver();
/// Why not; "" if there is one.
const std::string& driver_missing();
/// The driver of a process that has one (every CudaDevice's): an error after a fork.
const Driver& driver();

/// The Error of a failed call: what was asked for, the driver's name for the
/// failure and, after a fault, that CUDA is gone for this process.
[[nodiscard]] Error failure(CUresult result, const std::string& asked);
/// After this no CUDA call of the process succeeds.
bool is_fault(CUresult result);

/// Throws unless `result` is success. `asked` makes the words: "copy 12 bytes to cuda:0".
template <class Asked>
void check(CUresult result, const Asked& asked) {
  if (result != success) [[unlikely]]
    throw failure(result, asked());
}

}  // namespace kasoku::cuda
