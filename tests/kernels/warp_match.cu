extern "C" __global__ void match(const int* key, unsigned* any, unsigned* all, int* pred) {
  int t = threadIdx.x;
  any[t] = __match_any_sync(0xffffffffu, key[t]);
  int p;
  all[t] = __match_all_sync(0xffffffffu, key[t & ~31], &p);
  pred[t] = p;
}
