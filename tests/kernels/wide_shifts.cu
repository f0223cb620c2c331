// A shift by all bits or more: 0, or the sign; masks of `n` low bits count on it.
extern "C" __global__ void shift(const int* x, const int* n, unsigned* out, unsigned long long* wide) {
  const int i = threadIdx.x;
  const unsigned u = x[i];
  out[4 * i] = u << n[i];
  out[4 * i + 1] = u >> n[i];
  out[4 * i + 2] = x[i] >> n[i];
  out[4 * i + 3] = (1u << n[i]) - 1;
  wide[i] = (unsigned long long)u << n[i];
}
