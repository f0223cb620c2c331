extern "C" __global__ void votes(const int* x, unsigned* ballot, int* any, int* all, int* rank, int* active) {
  int t = threadIdx.x, lane = t & 31;
  bool p = x[t] > 0;
  unsigned b = __ballot_sync(0xffffffff, p);
  ballot[t] = b;
  any[t] = __any_sync(0xffffffff, x[t] == 3);
  all[t] = __all_sync(0xffffffff, x[t] > -5);
  rank[t] = __popc(b & ((1u << lane) - 1));
  active[t] = __popc(__activemask());
}
