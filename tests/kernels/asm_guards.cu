// Comparisons that are joined or know NaN, what is cut to a type, and accesses that a predicate allows.
extern "C" __global__ void guards(const signed char* small, const float* f, int* out, int n) {
  const int t = threadIdx.x;
  int within, less, above;
  asm("{ .reg .pred p, q; setp.gt.s32 p, %1, 4; setp.lt.and.s32 q, %1, 9, p; @q mov.s32 %0, 1; @!q mov.s32 %0, 0; }" : "=r"(within) : "r"(t));
  asm("{ .reg .pred p, q; setp.num.f32 p, %1, %1; setp.ltu.or.f32 q, %1, 0f40000000, !p; selp.s32 %0, 1, 0, q; }" : "=r"(less) : "f"(f[t]));
  asm("{ .reg .pred p; setp.hi.u32 p, %1, 5; selp.s32 %0, 1, 0, p; }" : "=r"(above) : "r"(t - 3));
  int cut, sign, byte;
  float unit;
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(cut) : "r"(t * 20 - 100));
  asm("cvt.sat.s8.s32 %0, %1;" : "=r"(sign) : "r"(t * 20 - 300));
  asm("cvt.sat.f32.f32 %0, %1;" : "=f"(unit) : "f"(f[t]));
  asm("ld.global.s8 %0, [%1];" : "=r"(byte) : "l"(small + t));
  int read = -1;  // nothing lies behind the arrays
  asm("{ .reg .pred p; setp.lt.s32 p, %2, %3; mov.s32 %0, -1; @p ld.global.s32 %0, [%1]; }" : "=r"(read) : "l"(t < n ? (const int*)f + t : nullptr), "r"(t), "r"(n));
  int* to = out + 6 * 32 + t;
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, %2; @p st.global.s32 [%0], %3; }" :: "l"(t < n ? to : nullptr), "r"(t), "r"(n), "r"(t + 1) : "memory");
  out[t] = within + 2 * less + 4 * above, out[32 + t] = cut, out[64 + t] = sign, out[96 + t] = __float_as_int(unit), out[128 + t] = byte;
  out[160 + t] = read;
}
