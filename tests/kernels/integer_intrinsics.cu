extern "C" __global__ void all(const unsigned* x, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i], *o = out + i * 14;
  o[0] = __popc(v); o[1] = __clz(v); o[2] = __ffs(v); o[3] = __brev(v); o[4] = __umulhi(v, 0x9e3779b9u); o[5] = __mul24(v & 0x7fff, 3);
  o[6] = __byte_perm(v, 0x01820384, v >> 9); o[7] = __funnelshift_l(v, ~v, 5); o[8] = __popcll(((unsigned long long)v << 20) | v);
  o[9] = __clzll((unsigned long long)v + 1); o[10] = (unsigned)(__brevll(v) >> 32); o[11] = __sad((int)v, 5, 7u); o[12] = min(v, 1000u); o[13] = max((int)v, -5);
}
