// Products of numbers of 256 bits, by PTX's carries, in a macro as arithmetic libraries have them.
typedef unsigned int word;

#define MULTIPLY_ADD(sum, carry, a, b)                                     \
  asm("{\n\t.reg .u32 low, high;\n\tmad.lo.cc.u32 low, %2, %3, %0;\n\t"    \
      "madc.hi.u32 high, %2, %3, 0;\n\tadd.cc.u32 %0, low, %1;\n\t"        \
      "addc.u32 %1, high, 0;\n\t}" : "+r"(sum), "+r"(carry) : "r"(a), "r"(b))

extern "C" __global__ void product(const word *a, const word *b, word *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  word r[16] = {};
  for (int i = 0; i < 8; ++i) {
    word carry = 0;
    for (int j = 0; j < 8; ++j) MULTIPLY_ADD(r[i + j], carry, a[8 * t + i], b[8 * t + j]);
    r[i + 8] = carry;
  }
  for (int i = 0; i < 16; ++i) out[16 * t + i] = r[i];
}
