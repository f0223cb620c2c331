// Kernels that launch kernels, and the part of CUDA's runtime that device code may call.
//
// `k<<<grid, block, bytes, stream>>>(args)` is a call of cudaConfigureCall, then one of k, which
// Clang writes side by side; the compiler makes ks_rt_launch of the second (child_launches.h).
#pragma once

#define KS_ERRORS(X)                                                                       \
  X(cudaSuccess, 0, "no error")                                                            \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                          \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                         \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                    \
  X(cudaErrorLaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches") \
  X(cudaErrorSyncDepthExceeded, 68, "cudaDeviceSynchronize is nested too deeply")          \
  X(cudaErrorLaunchPendingCountExceeded, 69, "too many pending launches")                  \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                         \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                        \
  X(cudaErrorNotReady, 600, "device not ready")                                            \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")         \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                             \
  X(cudaErrorNotSupported, 801, "operation not supported")                                 \
  X(cudaErrorUnknown, 999, "unknown error")
#define KS_ENUMERATOR(name, number, text) name = number,
enum cudaError { KS_ERRORS(KS_ENUMERATOR) };
#undef KS_ENUMERATOR
typedef cudaError cudaError_t;
#define KS_CASE(name, number, text) case number: return #name;
inline const char* cudaGetErrorName(cudaError_t error) {
  switch ((int)error) { KS_ERRORS(KS_CASE) }
  return "unrecognized error code";
}
#undef KS_CASE
#define KS_CASE(name, number, text) case number: return text;
inline const char* cudaGetErrorString(cudaError_t error) {
  switch ((int)error) { KS_ERRORS(KS_CASE) }
  return "unrecognized error code";
}
#undef KS_CASE
#undef KS_ERRORS

#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#define cudaEventDefault 0
#define cudaEventDisableTiming 2

// Layout as in device/cpu/children.h.
struct ks_child_shape {
  unsigned int grid[3], block[3];
  unsigned long long shared_bytes;
  cudaStream_t stream;
  unsigned long long from_block;
  unsigned int from_thread;
  int line;
  const char* file;
};
extern "C" {
void ks_rt_configure(const ks_child_shape* shape);
int ks_rt_last_error(unsigned long long block, unsigned int thread, int forgets);
int ks_rt_wait_for_children();
unsigned long long ks_rt_new_stream();
void ks_rt_keep_order();
void ks_rt_child_copy(void* to, const void* from, size_t bytes, cudaStream_t stream, unsigned long long block);
void ks_rt_child_fill(void* to, int value, size_t bytes, cudaStream_t stream, unsigned long long block);
}

// A launch asks for them too (child_launches.cpp).
extern "C" ks_inline unsigned long long ks_block_number() {
  return ks_bid_x() + (unsigned long long)ks_gdim_x() * (ks_bid_y() + (unsigned long long)ks_gdim_y() * ks_bid_z());
}
extern "C" ks_inline unsigned int ks_thread_number() { return ks_tid_x() + ks_bdim_x() * (ks_tid_y() + ks_bdim_y() * ks_tid_z()); }

struct ks_place { const char* file; int line; };
extern "C" ks_inline int cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = 0,
                                           ks_place place = {__builtin_FILE(), __builtin_LINE()}) {
  const ks_child_shape shape = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, stream,
                                ks_block_number(), ks_thread_number(), place.line, place.file};
  ks_rt_configure(&shape);
  return 0;
}

ks_inline cudaError_t cudaGetLastError() { return (cudaError_t)ks_rt_last_error(ks_block_number(), ks_thread_number(), 1); }
ks_inline cudaError_t cudaPeekAtLastError() { return (cudaError_t)ks_rt_last_error(ks_block_number(), ks_thread_number(), 0); }
ks_inline cudaError_t cudaDeviceSynchronize() { return (cudaError_t)ks_rt_wait_for_children(); }
ks_inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
  *stream = (cudaStream_t)ks_rt_new_stream();
  return cudaSuccess;
}
ks_inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
// Whoever waits for events has its launches run one after another: all that an event can ask for.
ks_inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
  *event = (cudaEvent_t)ks_rt_new_stream();
  return cudaSuccess;
}
ks_inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0) { return cudaSuccess; }
ks_inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
ks_inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0) { return ks_rt_keep_order(), cudaSuccess; }

template <class T>
ks_inline cudaError_t cudaMalloc(T** memory, size_t bytes) {
  *memory = (T*)malloc(bytes);
  return *memory || !bytes ? cudaSuccess : cudaErrorMemoryAllocation;
}
ks_inline cudaError_t cudaFree(void* memory) { return free(memory), cudaSuccess; }
ks_inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream = 0) {
  return ks_rt_child_copy(to, from, bytes, stream, ks_block_number()), cudaSuccess;
}
ks_inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                        size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0) {
  for (size_t row = 0; row < height; ++row)
    cudaMemcpyAsync((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, kind, stream);
  return cudaSuccess;
}
ks_inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = 0) {
  return ks_rt_child_fill(to, value, bytes, stream, ks_block_number()), cudaSuccess;
}
ks_inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
ks_inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }

// A grid begins when those before it have ended: nothing is left to wait for, and nobody waits.
ks_inline void cudaGridDependencySynchronize() {}
ks_inline void cudaTriggerProgrammaticLaunchCompletion() {}
