// Products of small matrices by PTX: a warp for each.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned u32;
__device__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

// C = A B of 16 x 16 and 16 x 8 through shared memory, B stored by rows.
extern "C" __global__ void half_tile(const __half* a, const __half* b, float* c, __half* short_c) {
  __shared__ alignas(16) __half sa[16][24];
  __shared__ alignas(16) __half sb[16][8];
  const int lane = threadIdx.x, group = lane / 4, pair = lane % 4 * 2;
  for (int i = lane; i < 256; i += 32) sa[i / 16][i % 16] = a[i];
  for (int i = lane; i < 128; i += 32) sb[i / 8][i % 8] = b[i];
  __syncwarp();
  u32 ra[4], rb[2], rc[2] = {};
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(shared_address(&sa[lane % 16][lane / 16 * 8])));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1])
               : "r"(shared_address(&sb[lane % 16][0])));
  float d[4] = {0, 1, 2, 3};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(rc[0]), "+r"(rc[1])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int r = 0; r < 4; ++r) c[(group + r / 2 * 8) * 8 + pair + r % 2] = d[r];
  for (int r = 0; r < 2; ++r) *(u32*)&short_c[(group + r * 8) * 8 + pair] = rc[r];
}

// The other formats, straight from memory: B stored by columns.
extern "C" __global__ void formats(const __nv_bfloat16* a16, const __nv_bfloat16* b16, float* c16, const float* a32,
                                   const float* b32, float* c32, const signed char* a8, const unsigned char* b8,
                                   int* c8, const double* a64, const double* b64, double* c64) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  float d[4] = {};
  asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(*(u32*)&a16[g * 8 + t * 2]), "r"(*(u32*)&a16[(g + 8) * 8 + t * 2]), "r"(*(u32*)&b16[g * 8 + t * 2]));
  for (int r = 0; r < 4; ++r) c16[(g + r / 2 * 8) * 8 + t * 2 + r % 2] = d[r], d[r] = 0;
  u32 ra[4], rb[2];
  for (int r = 0; r < 4; ++r) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ra[r]) : "f"(a32[(g + r % 2 * 8) * 8 + t + r / 2 * 4]));
  for (int r = 0; r < 2; ++r) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rb[r]) : "f"(b32[g * 8 + t + r * 4]));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int r = 0; r < 4; ++r) c32[(g + r / 2 * 8) * 8 + t * 2 + r % 2] = d[r];
  int s[4] = {5, 5, 5, 5};
  for (int r = 0; r < 4; ++r) ra[r] = *(u32*)&a8[(g + r % 2 * 8) * 32 + t * 4 + r / 2 * 16];
  for (int r = 0; r < 2; ++r) rb[r] = *(u32*)&b8[g * 32 + t * 4 + r * 16];
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int r = 0; r < 4; ++r) c8[(g + r / 2 * 8) * 8 + t * 2 + r % 2] = s[r];
  double e[2] = {};
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(e[0]), "+d"(e[1])
      : "d"(a64[g * 4 + t]), "d"(b64[g * 4 + t]));
  for (int r = 0; r < 2; ++r) c64[g * 8 + t * 2 + r] = e[r];
}

// A scan as hand-written ones have it, and what else goes between lanes.
extern "C" __global__ void lanes(const int* x, int* scanned, u32* out) {
  int v = x[threadIdx.x];
#pragma unroll
  for (int d = 1; d < 32; d *= 2)
    asm volatile("{ .reg .s32 r; .reg .pred p;"
                 "  shfl.sync.up.b32 r|p, %0, %1, 0, 0xffffffff;"
                 "  @p add.s32 r, r, %0;"
                 "  @!p mov.b32 r, %0;"
                 "  mov.b32 %0, r; }" : "+r"(v) : "r"(d));
  scanned[threadIdx.x] = v;
  const int mine = x[threadIdx.x];
  u32 r, w;
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 50; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(r) : "r"(mine));
  asm volatile("shfl.sync.bfly.b32 %0, %1, 3, 0x181f, 0xffffffff;" : "=r"(w) : "r"(mine));  // within eight lanes
  out[threadIdx.x] = r ^ w;
  asm volatile("redux.sync.max.s32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(mine));
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(w) : "r"(mine & 7));
  out[32 + threadIdx.x] = r + w;
  asm("mad24.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(mine - 50), "r"(0x1000003), "r"(7));
  asm("rem.s32 %0, %1, %2;" : "=r"(w) : "r"(mine - 50), "r"(mine % 5));
  out[64 + threadIdx.x] = mine % 5 ? r + w : r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(mine * 0.3f), "f"(mine * -1.7f));
  asm("{ .reg .b32 t; mul.rn.f16x2 t, %1, %1; add.rn.f16x2 %0, t, %1; }" : "=r"(w) : "r"(r));
  out[96 + threadIdx.x] = w;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(mine * 0.3f), "f"(mine * -1.7f));
  out[128 + threadIdx.x] = r;
}
