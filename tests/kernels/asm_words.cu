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

// What each block's numbers and those of all blocks before it give, told from block to block: in one word with its flag, and behind a flag.
extern "C" __global__ void chain(const u32* in, u64* out, u64* told, u32* flags, u32* ticket) {
  __shared__ u32 drawn, sum;
  if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u), sum = 0;
  __syncthreads();
  const u32 block = drawn;
  atomicAdd(&sum, in[block * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 2) {  // lanes that wait beside each other
    u64 before = 0, is_there = block == 0;
    const u32 from = block == 0 ? 0 : block - 1;
    if (threadIdx.x == 0) {
      while (!is_there) asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(before), "=l"(is_there) : "l"(told + 2 * from) : "memory");
      before += sum;
      asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" : : "l"(told + 2 * block), "l"(before), "l"(1ull) : "memory");
    } else {
      u32 flag = block == 0;
      while (!flag) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(flag) : "l"(flags + from) : "memory");
      before = (block == 0 ? 0 : out[2 * from + 1]) + sum;
    }
    out[2 * block + threadIdx.x] = before;
    if (threadIdx.x == 1) asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(flags + block), "r"(1u) : "memory");
  }
}
