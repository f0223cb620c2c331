// Warps take different arms with warp operations in both, a barrier behind: the second arm ran for every warp.
// seed 0; grid 2; block 64; shared 0
// zeros u4 384; data u4 128 1
// crc 3470f29a
extern "C" __global__ void k(unsigned* out, const unsigned* in) {
  unsigned gid = blockIdx.x * 64u + threadIdx.x, x = in[gid], a = 1u, b = 2u, c = 3u;
  if (threadIdx.x < 32u) { a ^= __ballot_sync(~0u, x & 1u); c += 7u; }
  else { b -= 4u; a ^= __reduce_add_sync(~0u, x) & (x < in[gid ^ 5u] ? 3u : x); }
  __syncthreads();
  out[3u * gid] = a; out[3u * gid + 1u] = b; out[3u * gid + 2u] = c;
}
