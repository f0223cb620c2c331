extern "C" __global__ void reduce(const int* x, int* add, int* mn, int* mx, unsigned* bits) {
  int t = threadIdx.x;
  add[t] = __reduce_add_sync(0xffffffff, x[t]);
  mn[t] = __reduce_min_sync(0xffffffff, x[t]);
  mx[t] = __reduce_max_sync(0xffffffff, x[t]);
  bits[t] = __reduce_or_sync(0xffffffff, 1u << (x[t] & 31));
}
