// A thread did an addition, a maximum … on one number in another order.
// seed 0; grid 1; block 64; shared 0
// zeros u4 64; data u4 64 1
// crc c830a949
extern "C" __global__ void k(unsigned* out, const unsigned* in) {
  __shared__ unsigned s;
  const unsigned t = threadIdx.x;
  const unsigned m = in[t] % 8u + 3u;
  if (t == 0u) s = 4u;
  __syncthreads();
  if (t == 5u) {
    for (unsigned i = 0u; i < m; ++i) {
      atomicAdd(out, 1u);
      atomicOr(out, 1u);
    }
  }
  if (t == 3u) {
    if (m & 1u) atomicMax(&s, 7u * m);
    atomicAdd(&s, m);
    if (m != 4u) atomicOr(&s, 8u);
    atomicMin(&s, 9u);
    atomicXor(&s, 13u);
  }
  __syncthreads();
  if (t == 7u) out[t] = s;
}
