/* A driver of two GPUs whose memory is the host's, for tests of what goes where: libcuda.so.1 in a folder
   of LD_LIBRARY_PATH. As with a true one, cuMemcpyAsync refuses two GPUs until the pool lets the other in,
   and a pointer, stream or context of the wrong GPU is an error. It has no kernels, or with TWO_GPUS_KERNELS=N those that
   do nothing, of all modules but the first N. TWO_GPUS_CAPABILITY=86 says what GPUs they are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;
enum { n_gpus = 2, invalid_value = 1, no_binary_for_gpu = 209, no_such_thing = 500 };
typedef struct thing { int gpu; struct thing *stream; } thing; /* context, stream, event or pool */
static thing contexts[n_gpus];
static int may_reach[n_gpus][n_gpus]; /* [whose pool][who] */
static __thread thing *current;
static struct { char *begin; size_t bytes; int gpu; } pieces[1 << 16];
static int n_pieces;

static int gpu_of(address at) { /* -1: the host's */
  for (int i = 0; i < n_pieces; ++i)
    if ((char *)at >= pieces[i].begin && (char *)at < pieces[i].begin + pieces[i].bytes) return pieces[i].gpu;
  return -1;
}
static thing *make(int gpu) {
  thing *made = malloc(sizeof *made);
  made->gpu = gpu;
  return made;
}
static void log_call(const char *text, int a, int b) {
  if (getenv("TWO_GPUS_LOG")) fprintf(stderr, "%s %d %d\n", text, a, b);
}

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuGetErrorName(int result, const char **text) { return *text = result == invalid_value ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_ERROR", 0; }
int cuGetErrorString(int result, const char **text) { return *text = "an error", 0; }
int cuDeviceGetCount(int *count) { return *count = n_gpus, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char *name, int size, int device) { return snprintf(name, size, "GPU %d", device), 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = (size_t)1 << 34, 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  const int capability = getenv("TWO_GPUS_CAPABILITY") ? atoi(getenv("TWO_GPUS_CAPABILITY")) : 90;
  *value = attribute == 10 ? 32 : attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : attribute == 115 ? 1 : attribute >= 5 && attribute <= 7 ? 1 << 30 : 1024;
  return 0;
}
int cuDeviceCanAccessPeer(int *can, int device, int peer) { return *can = device != peer, 0; }
int cuDevicePrimaryCtxRetain(thing **context, int device) {
  contexts[device].gpu = device;
  return *context = &contexts[device], 0;
}
int cuCtxGetCurrent(thing **context) { return *context = current, 0; }
int cuCtxSetCurrent(thing *context) { return current = context, 0; }
int cuCtxSynchronize(void) { return 0; }
int cuCtxEnablePeerAccess(thing *peer, unsigned flags) { return current == peer ? invalid_value : 0; }
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) { return *free_bytes = *total = (size_t)1 << 34, 0; }
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) { return *memory = malloc(bytes), 0; }
int cuMemFreeHost(void *memory) { return free(memory), 0; }
int cuMemPoolCreate(thing **pool, const int *properties) { return *pool = make(properties[3]), 0; }
int cuMemPoolSetAttribute(thing *pool, int attribute, void *value) { return 0; }
int cuMemPoolGetAttribute(thing *pool, int attribute, uint64_t *value) { return *value = 0, 0; }
int cuMemPoolTrimTo(thing *pool, size_t keep) { return 0; }
int cuMemPoolSetAccess(thing *pool, const int *access, size_t count) {
  if (access[1] == pool->gpu) return invalid_value;
  return may_reach[pool->gpu][access[1]] = access[2] == 3, 0;
}
static int allocate(address *memory, size_t bytes, int gpu) {
  log_call("allocate", gpu, bytes);
  *memory = (address)(uintptr_t)calloc(bytes, 1);
  pieces[n_pieces].begin = (char *)(uintptr_t)*memory;
  pieces[n_pieces].bytes = bytes;
  pieces[n_pieces++].gpu = gpu;
  return 0;
}
int cuMemAllocFromPoolAsync(address *memory, size_t bytes, thing *pool, thing *stream) {
  return pool->gpu != stream->gpu ? invalid_value : allocate(memory, bytes, pool->gpu);
}
int cuMemAlloc_v2(address *memory, size_t bytes) { return allocate(memory, bytes, current->gpu); }
int cuMemFreeAsync(address memory, thing *stream) {
  log_call("free", gpu_of(memory), stream->gpu);
  return gpu_of(memory) != stream->gpu ? invalid_value : 0; /* it stays where it is */
}
int cuMemFree_v2(address memory) { return 0; }
int cuPointerGetAttribute(void *value, int attribute, address memory) {
  const int gpu = gpu_of(memory);
  if (gpu < 0) return invalid_value;
  return *(int *)value = attribute == 2 ? 2 : gpu, 0;
}
int cuMemcpyAsync(address to, address from, size_t bytes, thing *stream) {
  const int a = gpu_of(to), b = gpu_of(from);
  if (a >= 0 && b >= 0 && a != b && !(may_reach[a][b] && may_reach[b][a])) return invalid_value;
  return memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes), 0;
}
int cuMemcpyPeerAsync(address to, thing *there, address from, thing *here, size_t bytes, thing *stream) {
  log_call("copy", here->gpu, there->gpu);
  if (gpu_of(to) != there->gpu || gpu_of(from) != here->gpu) return invalid_value;
  return memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes), 0;
}
#define MEMSET(name, type)                                                          \
  int name(address to, type value, size_t count, thing *stream) {                   \
    for (size_t i = 0; i < count; ++i) ((type *)(uintptr_t)to)[i] = value;          \
    return 0;                                                                       \
  }
MEMSET(cuMemsetD8Async, unsigned char)
MEMSET(cuMemsetD16Async, unsigned short)
MEMSET(cuMemsetD32Async, unsigned)
int cuStreamCreate(thing **stream, unsigned flags) { return *stream = make(current->gpu), 0; }
int cuStreamQuery(thing *stream) { return 0; }
int cuStreamSynchronize(thing *stream) { return 0; }
int cuStreamWaitEvent(thing *stream, thing *event, unsigned flags) {
  if (getenv("TWO_GPUS_LOG")) fprintf(stderr, "after %p %p\n", stream, event->stream);
  return log_call("wait", event->gpu, stream->gpu), 0;
}
int cuEventCreate(thing **event, unsigned flags) { return *event = make(current->gpu), 0; }
int cuEventDestroy_v2(thing *event) { return free(event), 0; }
int cuEventRecord(thing *event, thing *stream) {
  event->stream = stream;
  if (!stream) log_call("mark", event->gpu, 0);
  return stream && event->gpu != stream->gpu ? invalid_value : 0;
}
int cuEventQuery(thing *event) { return 0; }
int cuEventSynchronize(thing *event) { return 0; }
int cuEventElapsedTime(float *milliseconds, thing *first, thing *last) { return *milliseconds = 0, 0; }

int cuModuleLoadDataEx(thing **module, const void *image, unsigned n, int *options, void **values) {
  static int asked;
  if (!getenv("TWO_GPUS_KERNELS")) return no_such_thing;
  return asked++ < atoi(getenv("TWO_GPUS_KERNELS")) ? no_binary_for_gpu : (*module = make(current->gpu), 0);
}
int cuModuleUnload(thing *module) { return 0; }
int cuModuleGetFunction(thing **function, thing *module, const char *symbol) { return *function = module, 0; }
int cuFuncGetAttribute(int *value, int attribute, thing *function) { return *value = 1024, 0; }
int cuStreamDestroy_v2(thing *stream) { return 0; }
int cuStreamBeginCapture_v2(thing *stream, int mode) { return 0; }
int cuStreamEndCapture(thing *stream, thing **graph) { return *graph = make(stream->gpu), 0; }
int cuGraphInstantiateWithFlags(thing **made, thing *graph, unsigned long long flags) { return *made = make(graph->gpu), 0; }
int cuGraphLaunch(thing *graph, thing *stream) { return log_call("graph", graph->gpu, stream->gpu), 0; }
int cuGraphExecDestroy(thing *graph) { return 0; }
int cuGraphDestroy(thing *graph) { return 0; }
int cuLaunchKernel(thing *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared_bytes, thing *stream, void **arguments, void **extra) {
  return function->gpu != stream->gpu ? invalid_value : 0;
}

#define NONE(name) int name(void) { return no_such_thing; }
NONE(cuModuleGetGlobal_v2)
NONE(cuFuncSetAttribute)
NONE(cuOccupancyMaxPotentialBlockSize)
NONE(cuOccupancyMaxActiveBlocksPerMultiprocessor)
