// Which memory an address is of; memory of a thread's own by alloca.
__constant__ int fixed[5];
__device__ int of_module[5];
__device__ int kinds(const void* p) {
  return (__isGlobal(p) != 0) + 2 * (__isShared(p) != 0) + 4 * (__isLocal(p) != 0) + 8 * (__isConstant(p) != 0);
}
struct Pair { int a[3]; };
extern "C" __global__ void spaces(int* out, const int* global, int n, Pair pair) {
  __shared__ int shared[64];
  extern __shared__ char dynamic[];
  int own[9], t = threadIdx.x, *o = out + 16 * t;
  for (int i = 0; i < 9; ++i) own[i] = i * t;
  shared[t] = t;
  __syncthreads();
  o[0] = kinds(global), o[1] = kinds(&global[n - 1]), o[2] = kinds(&shared[t]), o[3] = kinds(dynamic + t);
  o[4] = kinds(&own[t % 9]), o[5] = kinds(&own[8]), o[6] = kinds(&fixed[t % 5]), o[7] = kinds(&fixed[4]);
  o[8] = kinds(&of_module[t % 5]), o[9] = kinds(out + t), o[10] = kinds(&t), o[11] = kinds(&pair.a[t % 3]);
  int* made = new int[3];
  o[12] = kinds(made);
  delete[] made;
  const void* some = t % 4 == 0 ? (const void*)own : t % 4 == 1 ? (const void*)shared : t % 4 == 2 ? (const void*)fixed : (const void*)global;
  o[13] = kinds(some);
  void* again = __cvta_local_to_generic(__cvta_generic_to_local(own));
  o[14] = again == own, o[15] = own[t % 9] + shared[63 - t];
}
