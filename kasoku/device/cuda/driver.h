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
using CUarray = struct CUarray_st*;

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

/// CUDA_ARRAY3D_DESCRIPTOR: elements along each axis, 0 for one that is not there.
struct ArrayDescription {
  size_t width = 0, height = 0, depth = 0;
  int format = 0;
  unsigned channels = 1;
  unsigned flags = 2;  // surfaces may write it
};

/// CUDA_MEMCPY3D. One side is an array, the other the device's memory.
struct Copy3d {
  struct Side {
    size_t x_in_bytes = 0, y = 0, z = 0, level = 0;
    int memory_type = 0;  // 2: the device's memory, 3: an array
    const void* host = nullptr;
    CUdeviceptr device = 0;
    CUarray array = nullptr;
    void* reserved = nullptr;
    size_t pitch = 0, height = 0;
  } from, to;
  size_t width_in_bytes = 0, height = 1, depth = 1;
};

/// CUDA_RESOURCE_DESC.
struct TextureResource {
  int type = 0;  // 0: an array, 2: a row, 3: rows
  union {
    CUarray array;
    struct {
      CUdeviceptr memory;
      int format;
      unsigned channels;
      size_t bytes;
    } row;
    struct {
      CUdeviceptr memory;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } rows;
    int reserved[32] = {};
  };
  unsigned flags = 0;
};

/// CUDA_TEXTURE_DESC.
struct TextureReading {
  int address[3] = {};
  int filter = 0;
  unsigned flags = 0;  // 1: integers as they are, 2: normalised coordinates
  unsigned max_anisotropy = 0;
  int mipmap_filter = 0;
  float mipmap_bias = 0, mipmap_least = 0, mipmap_most = 0;
  float border[4] = {};
  int reserved[12] = {};
};

/// CUlaunchAttribute.
struct LaunchAttribute {
  int number;
  int padding = 0;
  int value[16] = {};
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  CUstream stream;
  const LaunchAttribute* attributes;
  unsigned n_attributes;
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
