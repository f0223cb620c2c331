extern "C" __global__ void primes(int* out, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  char* composite = (char*)malloc(i + 2);
  memset(composite, 0, i + 2);
  int count = 0;
  for (int p = 2; p <= i + 1; ++p) {
    if (composite[p]) continue;
    ++count;
    for (int k = 2 * p; k <= i + 1; k += p) composite[k] = 1;
  }
  free(composite);
  out[i] = count;
}
