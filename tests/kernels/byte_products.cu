// Products of four bytes, or of two halves and two bytes, of words and of vectors.
template <class To> __device__ To of(int x) { return *(To*)&x; }
extern "C" __global__ void products(const int* x, const int* y, const int* z, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = x[i], b = y[i], c = z[i], *o = out + 12 * i;
  unsigned ua = a, ub = b, uc = c;
  o[0] = __dp4a(a, b, c), o[1] = __dp4a(of<char4>(a), of<char4>(b), c);
  o[2] = __dp2a_lo(a, b, c), o[3] = __dp2a_lo(of<short2>(a), of<char4>(b), c);
  o[4] = __dp2a_hi(a, b, c), o[5] = __dp2a_hi(of<short2>(a), of<char4>(b), c);
  o[6] = __dp4a(ua, ub, uc), o[7] = __dp4a(of<uchar4>(a), of<uchar4>(b), uc);
  o[8] = __dp2a_lo(ua, ub, uc), o[9] = __dp2a_lo(of<ushort2>(a), of<uchar4>(b), uc);
  o[10] = __dp2a_hi(ua, ub, uc), o[11] = __dp2a_hi(of<ushort2>(a), of<uchar4>(b), uc);
}
