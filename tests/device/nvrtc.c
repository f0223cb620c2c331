/* An NVRTC that compiles whatever it is given into a kernel of no parameters named ks_group, for tests on the driver of
   two_gpus.c: lib64/libnvrtc.so.13 in a folder that CUDA_HOME names. */
#include <stddef.h>
#include <string.h>

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry ks_group()\n{\n\tret;\n}\n";

int nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 0, 0; }
int nvrtcGetNumSupportedArchs(int *n) { return *n = 2, 0; }
int nvrtcGetSupportedArchs(int *list) { return list[0] = 70, list[1] = 90, 0; }
const char *nvrtcGetErrorString(int result) { return "an error"; }
int nvrtcCreateProgram(void **program, const char *text, const char *name, int n, const char **headers, const char **names) {
  return *program = (void *)ptx, 0;
}
int nvrtcDestroyProgram(void **program) { return 0; }
int nvrtcAddNameExpression(void *program, const char *expression) { return 0; }
int nvrtcCompileProgram(void *program, int n, const char **options) { return 0; }
int nvrtcGetLoweredName(void *program, const char *expression, const char **name) { return *name = expression, 0; }
int nvrtcGetProgramLogSize(void *program, size_t *bytes) { return *bytes = 0, 0; }
int nvrtcGetProgramLog(void *program, char *log) { return 0; }
int nvrtcGetPTXSize(void *program, size_t *bytes) { return *bytes = sizeof ptx, 0; }
int nvrtcGetPTX(void *program, char *to) { return memcpy(to, ptx, sizeof ptx), 0; }
int nvrtcGetCUBINSize(void *program, size_t *bytes) { return *bytes = sizeof ptx, 0; }
int nvrtcGetCUBIN(void *program, char *to) { return memcpy(to, ptx, sizeof ptx), 0; }
