// PTX beyond arithmetic: carries, bytes, vectors of registers, atomics, copies to shared memory.
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void words(const u32* a, const u32* b, u32* out, u32* total) {
  const int t = threadIdx.x;
  u32 low, high, r;
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, 0;" : "=r"(low), "=r"(high) : "r"(a[t]), "r"(b[t]), "r"(7));
  out[8 * t] = low;
  out[8 * t + 1] = high;
  asm("sub.cc.u32 %0, %2, %3;\n\tsubc.u32 %1, 10, 0;" : "=r"(low), "=r"(high) : "r"(a[t]), "r"(b[t]));
  out[8 * t + 2] = low ^ high;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a[t]), "r"(b[t]), "r"(0x4b16));
  out[8 * t + 3] = r;
  asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a[t]), "r"(b[t]), "r"(9));
  out[8 * t + 4] = r;
  u64 both;
  asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(a[t]), "r"(b[t]));
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(both + 1));
  out[8 * t + 5] = low;
  out[8 * t + 6] = high;
  asm volatile("atom.global.max.u32 %0, [%1], %2;" : "=r"(r) : "l"(total), "r"(a[t]) : "memory");
  asm volatile("red.global.add.u32 [%0], %1;" : : "l"(total + 1), "r"(b[t]) : "memory");
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a[t]), "r"(b[t]), "r"(1));
  out[8 * t + 7] = r;
}

extern "C" __global__ void copies(const float* in, float* out) {
  __shared__ float first[4];
  extern __shared__ float room[];
  const int t = threadIdx.x;
  const u32 place = static_cast<u32>(__cvta_generic_to_shared(room + 4 * t));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" : : "r"(place), "l"(in + 4 * t) : "memory");
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group %0;" : : "n"(0));
  if (t < 4) {
    const u32 to = static_cast<u32>(__cvta_generic_to_shared(first + t));
    asm volatile("st.shared.f32 [%0], %1;" : : "r"(to), "f"(in[t] * 2) : "memory");
  }
  __syncthreads();
  float x, y, z, w;
  const u32 other = static_cast<u32>(__cvta_generic_to_shared(room + 4 * (blockDim.x - 1 - t)));
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(other));
  asm volatile("st.global.v2.f32 [%0], {%1, %2};" : : "l"(out + 4 * t), "f"(x), "f"(y) : "memory");
  asm volatile("st.global.v2.f32 [%0+8], {%1, %2};" : : "l"(out + 4 * t), "f"(z), "f"(w + first[t % 4]) : "memory");
}
