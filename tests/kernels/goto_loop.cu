extern "C" __global__ void gcd(const int* a, const int* b, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x, y;
  if (i >= n) goto done;
  x = a[i]; y = b[i];
again:
  if (y) { int t = x % y; x = y; y = t; goto again; }
  out[i] = x;
done:;
}
