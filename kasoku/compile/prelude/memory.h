// Loads and stores with cache hints (hints only), copies, device-side malloc.
#pragma once

extern "C" {
void* ks_rt_malloc(unsigned long long bytes);
void ks_rt_free(void* memory);
void* memcpy(void* to, const void* from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
int memcmp(const void* a, const void* b, size_t bytes);
unsigned ks_rt_place(const void* p) ks_const;  // 0: global, 1: local, 2: constant memory; knows nothing of shared memory
}
ks_inline void* malloc(size_t bytes) { return ks_rt_malloc(bytes); }
ks_inline void free(void* memory) { ks_rt_free(memory); }
ks_inline void* calloc(size_t n, size_t size) {
  void* memory = ks_rt_malloc(n * size);
  if (memory) memset(memory, 0, n * size);
  return memory;
}
#define alloca(bytes) __builtin_alloca(bytes)
ks_inline void* operator new(size_t, void* place) noexcept { return place; }
ks_inline void* operator new[](size_t, void* place) noexcept { return place; }

#define KS_LOAD(name) template <class T> ks_inline T name(const T* p) { return *p; }
KS_LOAD(__ldg)
KS_LOAD(__ldcg)
KS_LOAD(__ldca)
KS_LOAD(__ldcs)
KS_LOAD(__ldlu)
KS_LOAD(__ldcv)
#undef KS_LOAD
#define KS_STORE(name) template <class T> ks_inline void name(T* p, typename ks_same<T>::type v) { *p = v; }
KS_STORE(__stwb)
KS_STORE(__stcg)
KS_STORE(__stcs)
KS_STORE(__stwt)
#undef KS_STORE

// Address spaces are one here, but a shared address must fit into 32 bits: it is a
// distance from where dynamic shared memory begins.
extern __shared__ char ks_shared_origin[];
__device__ ks_inline size_t __cvta_generic_to_shared(const void* p) { return (size_t)((const char*)p - ks_shared_origin); }
__device__ ks_inline void* __cvta_shared_to_generic(size_t p) { return ks_shared_origin + (int)p; }
extern __shared__ char ks_shared_begin[];  // of all of it, also what is not dynamic
__device__ ks_inline unsigned __isShared(const void* p) {
  const size_t bytes = (size_t)ks_shared_origin - (size_t)ks_shared_begin + ks_dynamic_shared_bytes();
  return (size_t)p - (size_t)ks_shared_begin < bytes;
}
__device__ ks_inline unsigned __isLocal(const void* p) { return !__isShared(p) && ks_rt_place(p) == 1; }
__device__ ks_inline unsigned __isConstant(const void* p) { return !__isShared(p) && ks_rt_place(p) == 2; }
__device__ ks_inline unsigned __isGlobal(const void* p) { return !__isShared(p) && ks_rt_place(p) == 0; }
ks_inline size_t __cvta_generic_to_global(const void* p) { return (size_t)p; }
ks_inline size_t __cvta_generic_to_local(const void* p) { return (size_t)p; }
ks_inline size_t __cvta_generic_to_constant(const void* p) { return (size_t)p; }
ks_inline void* __cvta_global_to_generic(size_t p) { return (void*)p; }
ks_inline void* __cvta_local_to_generic(size_t p) { return (void*)p; }
ks_inline void* __cvta_constant_to_generic(size_t p) { return (void*)p; }

ks_inline size_t strlen(const char* s) {
  size_t n = 0;
  while (s[n]) ++n;
  return n;
}
ks_inline int strcmp(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return (unsigned char)*a - (unsigned char)*b;
}
