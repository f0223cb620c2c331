// <helper_math.h> of CUDA's samples: arithmetic of vectors, member by member.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

ks_inline float2 operator+(float2 a, float2 b) { return float2{a.x + b.x, a.y + b.y}; }
ks_inline float2 operator+(float2 a, float b) { return float2{a.x + b, a.y + b}; }
ks_inline float2 operator+(float a, float2 b) { return float2{a + b.x, a + b.y}; }
ks_inline void operator+=(float2& a, float2 b) { a = a + b; }
ks_inline void operator+=(float2& a, float b) { a = a + b; }
ks_inline float2 operator-(float2 a, float2 b) { return float2{a.x - b.x, a.y - b.y}; }
ks_inline float2 operator-(float2 a, float b) { return float2{a.x - b, a.y - b}; }
ks_inline float2 operator-(float a, float2 b) { return float2{a - b.x, a - b.y}; }
ks_inline void operator-=(float2& a, float2 b) { a = a - b; }
ks_inline void operator-=(float2& a, float b) { a = a - b; }
ks_inline float2 operator*(float2 a, float2 b) { return float2{a.x * b.x, a.y * b.y}; }
ks_inline float2 operator*(float2 a, float b) { return float2{a.x * b, a.y * b}; }
ks_inline float2 operator*(float a, float2 b) { return float2{a * b.x, a * b.y}; }
ks_inline void operator*=(float2& a, float2 b) { a = a * b; }
ks_inline void operator*=(float2& a, float b) { a = a * b; }
ks_inline float2 operator/(float2 a, float2 b) { return float2{a.x / b.x, a.y / b.y}; }
ks_inline float2 operator/(float2 a, float b) { return float2{a.x / b, a.y / b}; }
ks_inline float2 operator/(float a, float2 b) { return float2{a / b.x, a / b.y}; }
ks_inline void operator/=(float2& a, float2 b) { a = a / b; }
ks_inline void operator/=(float2& a, float b) { a = a / b; }
ks_inline float2 operator-(float2 a) { return float2{-a.x, -a.y}; }
ks_inline float2 min(float2 a, float2 b) { return float2{min(a.x, b.x), min(a.y, b.y)}; }
ks_inline float2 max(float2 a, float2 b) { return float2{max(a.x, b.x), max(a.y, b.y)}; }
ks_inline float2 clamp(float2 v, float a, float b) { return float2{max(a, min(v.x, b)), max(a, min(v.y, b))}; }
ks_inline float2 clamp(float2 v, float2 a, float2 b) { return max(a, min(v, b)); }
ks_inline float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
ks_inline float2 make_float2(float v) { return float2{v, v}; }
ks_inline float3 operator+(float3 a, float3 b) { return float3{a.x + b.x, a.y + b.y, a.z + b.z}; }
ks_inline float3 operator+(float3 a, float b) { return float3{a.x + b, a.y + b, a.z + b}; }
ks_inline float3 operator+(float a, float3 b) { return float3{a + b.x, a + b.y, a + b.z}; }
ks_inline void operator+=(float3& a, float3 b) { a = a + b; }
ks_inline void operator+=(float3& a, float b) { a = a + b; }
ks_inline float3 operator-(float3 a, float3 b) { return float3{a.x - b.x, a.y - b.y, a.z - b.z}; }
ks_inline float3 operator-(float3 a, float b) { return float3{a.x - b, a.y - b, a.z - b}; }
ks_inline float3 operator-(float a, float3 b) { return float3{a - b.x, a - b.y, a - b.z}; }
ks_inline void operator-=(float3& a, float3 b) { a = a - b; }
ks_inline void operator-=(float3& a, float b) { a = a - b; }
ks_inline float3 operator*(float3 a, float3 b) { return float3{a.x * b.x, a.y * b.y, a.z * b.z}; }
ks_inline float3 operator*(float3 a, float b) { return float3{a.x * b, a.y * b, a.z * b}; }
ks_inline float3 operator*(float a, float3 b) { return float3{a * b.x, a * b.y, a * b.z}; }
ks_inline void operator*=(float3& a, float3 b) { a = a * b; }
ks_inline void operator*=(float3& a, float b) { a = a * b; }
ks_inline float3 operator/(float3 a, float3 b) { return float3{a.x / b.x, a.y / b.y, a.z / b.z}; }
ks_inline float3 operator/(float3 a, float b) { return float3{a.x / b, a.y / b, a.z / b}; }
ks_inline float3 operator/(float a, float3 b) { return float3{a / b.x, a / b.y, a / b.z}; }
ks_inline void operator/=(float3& a, float3 b) { a = a / b; }
ks_inline void operator/=(float3& a, float b) { a = a / b; }
ks_inline float3 operator-(float3 a) { return float3{-a.x, -a.y, -a.z}; }
ks_inline float3 min(float3 a, float3 b) { return float3{min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)}; }
ks_inline float3 max(float3 a, float3 b) { return float3{max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)}; }
ks_inline float3 clamp(float3 v, float a, float b) { return float3{max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b))}; }
ks_inline float3 clamp(float3 v, float3 a, float3 b) { return max(a, min(v, b)); }
ks_inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ks_inline float3 make_float3(float v) { return float3{v, v, v}; }
ks_inline float4 operator+(float4 a, float4 b) { return float4{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
ks_inline float4 operator+(float4 a, float b) { return float4{a.x + b, a.y + b, a.z + b, a.w + b}; }
ks_inline float4 operator+(float a, float4 b) { return float4{a + b.x, a + b.y, a + b.z, a + b.w}; }
ks_inline void operator+=(float4& a, float4 b) { a = a + b; }
ks_inline void operator+=(float4& a, float b) { a = a + b; }
ks_inline float4 operator-(float4 a, float4 b) { return float4{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
ks_inline float4 operator-(float4 a, float b) { return float4{a.x - b, a.y - b, a.z - b, a.w - b}; }
ks_inline float4 operator-(float a, float4 b) { return float4{a - b.x, a - b.y, a - b.z, a - b.w}; }
ks_inline void operator-=(float4& a, float4 b) { a = a - b; }
ks_inline void operator-=(float4& a, float b) { a = a - b; }
ks_inline float4 operator*(float4 a, float4 b) { return float4{a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
ks_inline float4 operator*(float4 a, float b) { return float4{a.x * b, a.y * b, a.z * b, a.w * b}; }
ks_inline float4 operator*(float a, float4 b) { return float4{a * b.x, a * b.y, a * b.z, a * b.w}; }
ks_inline void operator*=(float4& a, float4 b) { a = a * b; }
ks_inline void operator*=(float4& a, float b) { a = a * b; }
ks_inline float4 operator/(float4 a, float4 b) { return float4{a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
ks_inline float4 operator/(float4 a, float b) { return float4{a.x / b, a.y / b, a.z / b, a.w / b}; }
ks_inline float4 operator/(float a, float4 b) { return float4{a / b.x, a / b.y, a / b.z, a / b.w}; }
ks_inline void operator/=(float4& a, float4 b) { a = a / b; }
ks_inline void operator/=(float4& a, float b) { a = a / b; }
ks_inline float4 operator-(float4 a) { return float4{-a.x, -a.y, -a.z, -a.w}; }
ks_inline float4 min(float4 a, float4 b) { return float4{min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)}; }
ks_inline float4 max(float4 a, float4 b) { return float4{max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w)}; }
ks_inline float4 clamp(float4 v, float a, float b) { return float4{max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b)), max(a, min(v.w, b))}; }
ks_inline float4 clamp(float4 v, float4 a, float4 b) { return max(a, min(v, b)); }
ks_inline float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
ks_inline float4 make_float4(float v) { return float4{v, v, v, v}; }
ks_inline float clamp(float v, float a, float b) { return max(a, min(v, b)); }
ks_inline float2 make_float2(float3 v) { return float2{v.x, v.y}; }
ks_inline float2 make_float2(float4 v) { return float2{v.x, v.y}; }
ks_inline float3 make_float3(float2 v, float z = 0) { return float3{v.x, v.y, z}; }
ks_inline float3 make_float3(float4 v) { return float3{v.x, v.y, v.z}; }
ks_inline float4 make_float4(float3 v, float w = 0) { return float4{v.x, v.y, v.z, w}; }
ks_inline int2 operator+(int2 a, int2 b) { return int2{a.x + b.x, a.y + b.y}; }
ks_inline int2 operator+(int2 a, int b) { return int2{a.x + b, a.y + b}; }
ks_inline int2 operator+(int a, int2 b) { return int2{a + b.x, a + b.y}; }
ks_inline void operator+=(int2& a, int2 b) { a = a + b; }
ks_inline void operator+=(int2& a, int b) { a = a + b; }
ks_inline int2 operator-(int2 a, int2 b) { return int2{a.x - b.x, a.y - b.y}; }
ks_inline int2 operator-(int2 a, int b) { return int2{a.x - b, a.y - b}; }
ks_inline int2 operator-(int a, int2 b) { return int2{a - b.x, a - b.y}; }
ks_inline void operator-=(int2& a, int2 b) { a = a - b; }
ks_inline void operator-=(int2& a, int b) { a = a - b; }
ks_inline int2 operator*(int2 a, int2 b) { return int2{a.x * b.x, a.y * b.y}; }
ks_inline int2 operator*(int2 a, int b) { return int2{a.x * b, a.y * b}; }
ks_inline int2 operator*(int a, int2 b) { return int2{a * b.x, a * b.y}; }
ks_inline void operator*=(int2& a, int2 b) { a = a * b; }
ks_inline void operator*=(int2& a, int b) { a = a * b; }
ks_inline int2 operator/(int2 a, int2 b) { return int2{a.x / b.x, a.y / b.y}; }
ks_inline int2 operator/(int2 a, int b) { return int2{a.x / b, a.y / b}; }
ks_inline int2 operator/(int a, int2 b) { return int2{a / b.x, a / b.y}; }
ks_inline void operator/=(int2& a, int2 b) { a = a / b; }
ks_inline void operator/=(int2& a, int b) { a = a / b; }
ks_inline int2 operator-(int2 a) { return int2{-a.x, -a.y}; }
ks_inline int2 min(int2 a, int2 b) { return int2{min(a.x, b.x), min(a.y, b.y)}; }
ks_inline int2 max(int2 a, int2 b) { return int2{max(a.x, b.x), max(a.y, b.y)}; }
ks_inline int2 clamp(int2 v, int a, int b) { return int2{max(a, min(v.x, b)), max(a, min(v.y, b))}; }
ks_inline int2 clamp(int2 v, int2 a, int2 b) { return max(a, min(v, b)); }
ks_inline int dot(int2 a, int2 b) { return a.x * b.x + a.y * b.y; }
ks_inline int2 make_int2(int v) { return int2{v, v}; }
ks_inline int3 operator+(int3 a, int3 b) { return int3{a.x + b.x, a.y + b.y, a.z + b.z}; }
ks_inline int3 operator+(int3 a, int b) { return int3{a.x + b, a.y + b, a.z + b}; }
ks_inline int3 operator+(int a, int3 b) { return int3{a + b.x, a + b.y, a + b.z}; }
ks_inline void operator+=(int3& a, int3 b) { a = a + b; }
ks_inline void operator+=(int3& a, int b) { a = a + b; }
ks_inline int3 operator-(int3 a, int3 b) { return int3{a.x - b.x, a.y - b.y, a.z - b.z}; }
ks_inline int3 operator-(int3 a, int b) { return int3{a.x - b, a.y - b, a.z - b}; }
ks_inline int3 operator-(int a, int3 b) { return int3{a - b.x, a - b.y, a - b.z}; }
ks_inline void operator-=(int3& a, int3 b) { a = a - b; }
ks_inline void operator-=(int3& a, int b) { a = a - b; }
ks_inline int3 operator*(int3 a, int3 b) { return int3{a.x * b.x, a.y * b.y, a.z * b.z}; }
ks_inline int3 operator*(int3 a, int b) { return int3{a.x * b, a.y * b, a.z * b}; }
ks_inline int3 operator*(int a, int3 b) { return int3{a * b.x, a * b.y, a * b.z}; }
ks_inline void operator*=(int3& a, int3 b) { a = a * b; }
ks_inline void operator*=(int3& a, int b) { a = a * b; }
ks_inline int3 operator/(int3 a, int3 b) { return int3{a.x / b.x, a.y / b.y, a.z / b.z}; }
ks_inline int3 operator/(int3 a, int b) { return int3{a.x / b, a.y / b, a.z / b}; }
ks_inline int3 operator/(int a, int3 b) { return int3{a / b.x, a / b.y, a / b.z}; }
ks_inline void operator/=(int3& a, int3 b) { a = a / b; }
ks_inline void operator/=(int3& a, int b) { a = a / b; }
ks_inline int3 operator-(int3 a) { return int3{-a.x, -a.y, -a.z}; }
ks_inline int3 min(int3 a, int3 b) { return int3{min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)}; }
ks_inline int3 max(int3 a, int3 b) { return int3{max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)}; }
ks_inline int3 clamp(int3 v, int a, int b) { return int3{max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b))}; }
ks_inline int3 clamp(int3 v, int3 a, int3 b) { return max(a, min(v, b)); }
ks_inline int dot(int3 a, int3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ks_inline int3 make_int3(int v) { return int3{v, v, v}; }
ks_inline int4 operator+(int4 a, int4 b) { return int4{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
ks_inline int4 operator+(int4 a, int b) { return int4{a.x + b, a.y + b, a.z + b, a.w + b}; }
ks_inline int4 operator+(int a, int4 b) { return int4{a + b.x, a + b.y, a + b.z, a + b.w}; }
ks_inline void operator+=(int4& a, int4 b) { a = a + b; }
ks_inline void operator+=(int4& a, int b) { a = a + b; }
ks_inline int4 operator-(int4 a, int4 b) { return int4{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
ks_inline int4 operator-(int4 a, int b) { return int4{a.x - b, a.y - b, a.z - b, a.w - b}; }
ks_inline int4 operator-(int a, int4 b) { return int4{a - b.x, a - b.y, a - b.z, a - b.w}; }
ks_inline void operator-=(int4& a, int4 b) { a = a - b; }
ks_inline void operator-=(int4& a, int b) { a = a - b; }
ks_inline int4 operator*(int4 a, int4 b) { return int4{a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
ks_inline int4 operator*(int4 a, int b) { return int4{a.x * b, a.y * b, a.z * b, a.w * b}; }
ks_inline int4 operator*(int a, int4 b) { return int4{a * b.x, a * b.y, a * b.z, a * b.w}; }
ks_inline void operator*=(int4& a, int4 b) { a = a * b; }
ks_inline void operator*=(int4& a, int b) { a = a * b; }
ks_inline int4 operator/(int4 a, int4 b) { return int4{a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
ks_inline int4 operator/(int4 a, int b) { return int4{a.x / b, a.y / b, a.z / b, a.w / b}; }
ks_inline int4 operator/(int a, int4 b) { return int4{a / b.x, a / b.y, a / b.z, a / b.w}; }
ks_inline void operator/=(int4& a, int4 b) { a = a / b; }
ks_inline void operator/=(int4& a, int b) { a = a / b; }
ks_inline int4 operator-(int4 a) { return int4{-a.x, -a.y, -a.z, -a.w}; }
ks_inline int4 min(int4 a, int4 b) { return int4{min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)}; }
ks_inline int4 max(int4 a, int4 b) { return int4{max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w)}; }
ks_inline int4 clamp(int4 v, int a, int b) { return int4{max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b)), max(a, min(v.w, b))}; }
ks_inline int4 clamp(int4 v, int4 a, int4 b) { return max(a, min(v, b)); }
ks_inline int dot(int4 a, int4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
ks_inline int4 make_int4(int v) { return int4{v, v, v, v}; }
ks_inline int clamp(int v, int a, int b) { return max(a, min(v, b)); }
ks_inline int2 make_int2(int3 v) { return int2{v.x, v.y}; }
ks_inline int2 make_int2(int4 v) { return int2{v.x, v.y}; }
ks_inline int3 make_int3(int2 v, int z = 0) { return int3{v.x, v.y, z}; }
ks_inline int3 make_int3(int4 v) { return int3{v.x, v.y, v.z}; }
ks_inline int4 make_int4(int3 v, int w = 0) { return int4{v.x, v.y, v.z, w}; }
ks_inline uint2 operator+(uint2 a, uint2 b) { return uint2{a.x + b.x, a.y + b.y}; }
ks_inline uint2 operator+(uint2 a, unsigned b) { return uint2{a.x + b, a.y + b}; }
ks_inline uint2 operator+(unsigned a, uint2 b) { return uint2{a + b.x, a + b.y}; }
ks_inline void operator+=(uint2& a, uint2 b) { a = a + b; }
ks_inline void operator+=(uint2& a, unsigned b) { a = a + b; }
ks_inline uint2 operator-(uint2 a, uint2 b) { return uint2{a.x - b.x, a.y - b.y}; }
ks_inline uint2 operator-(uint2 a, unsigned b) { return uint2{a.x - b, a.y - b}; }
ks_inline uint2 operator-(unsigned a, uint2 b) { return uint2{a - b.x, a - b.y}; }
ks_inline void operator-=(uint2& a, uint2 b) { a = a - b; }
ks_inline void operator-=(uint2& a, unsigned b) { a = a - b; }
ks_inline uint2 operator*(uint2 a, uint2 b) { return uint2{a.x * b.x, a.y * b.y}; }
ks_inline uint2 operator*(uint2 a, unsigned b) { return uint2{a.x * b, a.y * b}; }
ks_inline uint2 operator*(unsigned a, uint2 b) { return uint2{a * b.x, a * b.y}; }
ks_inline void operator*=(uint2& a, uint2 b) { a = a * b; }
ks_inline void operator*=(uint2& a, unsigned b) { a = a * b; }
ks_inline uint2 operator/(uint2 a, uint2 b) { return uint2{a.x / b.x, a.y / b.y}; }
ks_inline uint2 operator/(uint2 a, unsigned b) { return uint2{a.x / b, a.y / b}; }
ks_inline uint2 operator/(unsigned a, uint2 b) { return uint2{a / b.x, a / b.y}; }
ks_inline void operator/=(uint2& a, uint2 b) { a = a / b; }
ks_inline void operator/=(uint2& a, unsigned b) { a = a / b; }
ks_inline uint2 min(uint2 a, uint2 b) { return uint2{min(a.x, b.x), min(a.y, b.y)}; }
ks_inline uint2 max(uint2 a, uint2 b) { return uint2{max(a.x, b.x), max(a.y, b.y)}; }
ks_inline uint2 clamp(uint2 v, unsigned a, unsigned b) { return uint2{max(a, min(v.x, b)), max(a, min(v.y, b))}; }
ks_inline uint2 clamp(uint2 v, uint2 a, uint2 b) { return max(a, min(v, b)); }
ks_inline unsigned dot(uint2 a, uint2 b) { return a.x * b.x + a.y * b.y; }
ks_inline uint2 make_uint2(unsigned v) { return uint2{v, v}; }
ks_inline uint3 operator+(uint3 a, uint3 b) { return uint3{a.x + b.x, a.y + b.y, a.z + b.z}; }
ks_inline uint3 operator+(uint3 a, unsigned b) { return uint3{a.x + b, a.y + b, a.z + b}; }
ks_inline uint3 operator+(unsigned a, uint3 b) { return uint3{a + b.x, a + b.y, a + b.z}; }
ks_inline void operator+=(uint3& a, uint3 b) { a = a + b; }
ks_inline void operator+=(uint3& a, unsigned b) { a = a + b; }
ks_inline uint3 operator-(uint3 a, uint3 b) { return uint3{a.x - b.x, a.y - b.y, a.z - b.z}; }
ks_inline uint3 operator-(uint3 a, unsigned b) { return uint3{a.x - b, a.y - b, a.z - b}; }
ks_inline uint3 operator-(unsigned a, uint3 b) { return uint3{a - b.x, a - b.y, a - b.z}; }
ks_inline void operator-=(uint3& a, uint3 b) { a = a - b; }
ks_inline void operator-=(uint3& a, unsigned b) { a = a - b; }
ks_inline uint3 operator*(uint3 a, uint3 b) { return uint3{a.x * b.x, a.y * b.y, a.z * b.z}; }
ks_inline uint3 operator*(uint3 a, unsigned b) { return uint3{a.x * b, a.y * b, a.z * b}; }
ks_inline uint3 operator*(unsigned a, uint3 b) { return uint3{a * b.x, a * b.y, a * b.z}; }
ks_inline void operator*=(uint3& a, uint3 b) { a = a * b; }
ks_inline void operator*=(uint3& a, unsigned b) { a = a * b; }
ks_inline uint3 operator/(uint3 a, uint3 b) { return uint3{a.x / b.x, a.y / b.y, a.z / b.z}; }
ks_inline uint3 operator/(uint3 a, unsigned b) { return uint3{a.x / b, a.y / b, a.z / b}; }
ks_inline uint3 operator/(unsigned a, uint3 b) { return uint3{a / b.x, a / b.y, a / b.z}; }
ks_inline void operator/=(uint3& a, uint3 b) { a = a / b; }
ks_inline void operator/=(uint3& a, unsigned b) { a = a / b; }
ks_inline uint3 min(uint3 a, uint3 b) { return uint3{min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)}; }
ks_inline uint3 max(uint3 a, uint3 b) { return uint3{max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)}; }
ks_inline uint3 clamp(uint3 v, unsigned a, unsigned b) { return uint3{max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b))}; }
ks_inline uint3 clamp(uint3 v, uint3 a, uint3 b) { return max(a, min(v, b)); }
ks_inline unsigned dot(uint3 a, uint3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ks_inline uint3 make_uint3(unsigned v) { return uint3{v, v, v}; }
ks_inline uint4 operator+(uint4 a, uint4 b) { return uint4{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
ks_inline uint4 operator+(uint4 a, unsigned b) { return uint4{a.x + b, a.y + b, a.z + b, a.w + b}; }
ks_inline uint4 operator+(unsigned a, uint4 b) { return uint4{a + b.x, a + b.y, a + b.z, a + b.w}; }
ks_inline void operator+=(uint4& a, uint4 b) { a = a + b; }
ks_inline void operator+=(uint4& a, unsigned b) { a = a + b; }
ks_inline uint4 operator-(uint4 a, uint4 b) { return uint4{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
ks_inline uint4 operator-(uint4 a, unsigned b) { return uint4{a.x - b, a.y - b, a.z - b, a.w - b}; }
ks_inline uint4 operator-(unsigned a, uint4 b) { return uint4{a - b.x, a - b.y, a - b.z, a - b.w}; }
ks_inline void operator-=(uint4& a, uint4 b) { a = a - b; }
ks_inline void operator-=(uint4& a, unsigned b) { a = a - b; }
ks_inline uint4 operator*(uint4 a, uint4 b) { return uint4{a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
ks_inline uint4 operator*(uint4 a, unsigned b) { return uint4{a.x * b, a.y * b, a.z * b, a.w * b}; }
ks_inline uint4 operator*(unsigned a, uint4 b) { return uint4{a * b.x, a * b.y, a * b.z, a * b.w}; }
ks_inline void operator*=(uint4& a, uint4 b) { a = a * b; }
ks_inline void operator*=(uint4& a, unsigned b) { a = a * b; }
ks_inline uint4 operator/(uint4 a, uint4 b) { return uint4{a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
ks_inline uint4 operator/(uint4 a, unsigned b) { return uint4{a.x / b, a.y / b, a.z / b, a.w / b}; }
ks_inline uint4 operator/(unsigned a, uint4 b) { return uint4{a / b.x, a / b.y, a / b.z, a / b.w}; }
ks_inline void operator/=(uint4& a, uint4 b) { a = a / b; }
ks_inline void operator/=(uint4& a, unsigned b) { a = a / b; }
ks_inline uint4 min(uint4 a, uint4 b) { return uint4{min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)}; }
ks_inline uint4 max(uint4 a, uint4 b) { return uint4{max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w)}; }
ks_inline uint4 clamp(uint4 v, unsigned a, unsigned b) { return uint4{max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b)), max(a, min(v.w, b))}; }
ks_inline uint4 clamp(uint4 v, uint4 a, uint4 b) { return max(a, min(v, b)); }
ks_inline unsigned dot(uint4 a, uint4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
ks_inline uint4 make_uint4(unsigned v) { return uint4{v, v, v, v}; }
ks_inline unsigned clamp(unsigned v, unsigned a, unsigned b) { return max(a, min(v, b)); }
ks_inline uint2 make_uint2(uint3 v) { return uint2{v.x, v.y}; }
ks_inline uint2 make_uint2(uint4 v) { return uint2{v.x, v.y}; }
ks_inline uint3 make_uint3(uint2 v, unsigned z = 0) { return uint3{v.x, v.y, z}; }
ks_inline uint3 make_uint3(uint4 v) { return uint3{v.x, v.y, v.z}; }
ks_inline uint4 make_uint4(uint3 v, unsigned w = 0) { return uint4{v.x, v.y, v.z, w}; }
ks_inline double2 operator+(double2 a, double2 b) { return double2{a.x + b.x, a.y + b.y}; }
ks_inline double2 operator+(double2 a, double b) { return double2{a.x + b, a.y + b}; }
ks_inline double2 operator+(double a, double2 b) { return double2{a + b.x, a + b.y}; }
ks_inline void operator+=(double2& a, double2 b) { a = a + b; }
ks_inline void operator+=(double2& a, double b) { a = a + b; }
ks_inline double2 operator-(double2 a, double2 b) { return double2{a.x - b.x, a.y - b.y}; }
ks_inline double2 operator-(double2 a, double b) { return double2{a.x - b, a.y - b}; }
ks_inline double2 operator-(double a, double2 b) { return double2{a - b.x, a - b.y}; }
ks_inline void operator-=(double2& a, double2 b) { a = a - b; }
ks_inline void operator-=(double2& a, double b) { a = a - b; }
ks_inline double2 operator*(double2 a, double2 b) { return double2{a.x * b.x, a.y * b.y}; }
ks_inline double2 operator*(double2 a, double b) { return double2{a.x * b, a.y * b}; }
ks_inline double2 operator*(double a, double2 b) { return double2{a * b.x, a * b.y}; }
ks_inline void operator*=(double2& a, double2 b) { a = a * b; }
ks_inline void operator*=(double2& a, double b) { a = a * b; }
ks_inline double2 operator/(double2 a, double2 b) { return double2{a.x / b.x, a.y / b.y}; }
ks_inline double2 operator/(double2 a, double b) { return double2{a.x / b, a.y / b}; }
ks_inline double2 operator/(double a, double2 b) { return double2{a / b.x, a / b.y}; }
ks_inline void operator/=(double2& a, double2 b) { a = a / b; }
ks_inline void operator/=(double2& a, double b) { a = a / b; }
ks_inline double2 operator-(double2 a) { return double2{-a.x, -a.y}; }
ks_inline double2 min(double2 a, double2 b) { return double2{min(a.x, b.x), min(a.y, b.y)}; }
ks_inline double2 max(double2 a, double2 b) { return double2{max(a.x, b.x), max(a.y, b.y)}; }
ks_inline double2 clamp(double2 v, double a, double b) { return double2{max(a, min(v.x, b)), max(a, min(v.y, b))}; }
ks_inline double2 clamp(double2 v, double2 a, double2 b) { return max(a, min(v, b)); }
ks_inline double dot(double2 a, double2 b) { return a.x * b.x + a.y * b.y; }
ks_inline double2 make_double2(double v) { return double2{v, v}; }
ks_inline double3 operator+(double3 a, double3 b) { return double3{a.x + b.x, a.y + b.y, a.z + b.z}; }
ks_inline double3 operator+(double3 a, double b) { return double3{a.x + b, a.y + b, a.z + b}; }
ks_inline double3 operator+(double a, double3 b) { return double3{a + b.x, a + b.y, a + b.z}; }
ks_inline void operator+=(double3& a, double3 b) { a = a + b; }
ks_inline void operator+=(double3& a, double b) { a = a + b; }
ks_inline double3 operator-(double3 a, double3 b) { return double3{a.x - b.x, a.y - b.y, a.z - b.z}; }
ks_inline double3 operator-(double3 a, double b) { return double3{a.x - b, a.y - b, a.z - b}; }
ks_inline double3 operator-(double a, double3 b) { return double3{a - b.x, a - b.y, a - b.z}; }
ks_inline void operator-=(double3& a, double3 b) { a = a - b; }
ks_inline void operator-=(double3& a, double b) { a = a - b; }
ks_inline double3 operator*(double3 a, double3 b) { return double3{a.x * b.x, a.y * b.y, a.z * b.z}; }
ks_inline double3 operator*(double3 a, double b) { return double3{a.x * b, a.y * b, a.z * b}; }
ks_inline double3 operator*(double a, double3 b) { return double3{a * b.x, a * b.y, a * b.z}; }
ks_inline void operator*=(double3& a, double3 b) { a = a * b; }
ks_inline void operator*=(double3& a, double b) { a = a * b; }
ks_inline double3 operator/(double3 a, double3 b) { return double3{a.x / b.x, a.y / b.y, a.z / b.z}; }
ks_inline double3 operator/(double3 a, double b) { return double3{a.x / b, a.y / b, a.z / b}; }
ks_inline double3 operator/(double a, double3 b) { return double3{a / b.x, a / b.y, a / b.z}; }
ks_inline void operator/=(double3& a, double3 b) { a = a / b; }
ks_inline void operator/=(double3& a, double b) { a = a / b; }
ks_inline double3 operator-(double3 a) { return double3{-a.x, -a.y, -a.z}; }
ks_inline double3 min(double3 a, double3 b) { return double3{min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)}; }
ks_inline double3 max(double3 a, double3 b) { return double3{max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)}; }
ks_inline double3 clamp(double3 v, double a, double b) { return double3{max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b))}; }
ks_inline double3 clamp(double3 v, double3 a, double3 b) { return max(a, min(v, b)); }
ks_inline double dot(double3 a, double3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ks_inline double3 make_double3(double v) { return double3{v, v, v}; }
ks_inline double4 operator+(double4 a, double4 b) { return double4{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
ks_inline double4 operator+(double4 a, double b) { return double4{a.x + b, a.y + b, a.z + b, a.w + b}; }
ks_inline double4 operator+(double a, double4 b) { return double4{a + b.x, a + b.y, a + b.z, a + b.w}; }
ks_inline void operator+=(double4& a, double4 b) { a = a + b; }
ks_inline void operator+=(double4& a, double b) { a = a + b; }
ks_inline double4 operator-(double4 a, double4 b) { return double4{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
ks_inline double4 operator-(double4 a, double b) { return double4{a.x - b, a.y - b, a.z - b, a.w - b}; }
ks_inline double4 operator-(double a, double4 b) { return double4{a - b.x, a - b.y, a - b.z, a - b.w}; }
ks_inline void operator-=(double4& a, double4 b) { a = a - b; }
ks_inline void operator-=(double4& a, double b) { a = a - b; }
ks_inline double4 operator*(double4 a, double4 b) { return double4{a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
ks_inline double4 operator*(double4 a, double b) { return double4{a.x * b, a.y * b, a.z * b, a.w * b}; }
ks_inline double4 operator*(double a, double4 b) { return double4{a * b.x, a * b.y, a * b.z, a * b.w}; }
ks_inline void operator*=(double4& a, double4 b) { a = a * b; }
ks_inline void operator*=(double4& a, double b) { a = a * b; }
ks_inline double4 operator/(double4 a, double4 b) { return double4{a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
ks_inline double4 operator/(double4 a, double b) { return double4{a.x / b, a.y / b, a.z / b, a.w / b}; }
ks_inline double4 operator/(double a, double4 b) { return double4{a / b.x, a / b.y, a / b.z, a / b.w}; }
ks_inline void operator/=(double4& a, double4 b) { a = a / b; }
ks_inline void operator/=(double4& a, double b) { a = a / b; }
ks_inline double4 operator-(double4 a) { return double4{-a.x, -a.y, -a.z, -a.w}; }
ks_inline double4 min(double4 a, double4 b) { return double4{min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)}; }
ks_inline double4 max(double4 a, double4 b) { return double4{max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w)}; }
ks_inline double4 clamp(double4 v, double a, double b) { return double4{max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b)), max(a, min(v.w, b))}; }
ks_inline double4 clamp(double4 v, double4 a, double4 b) { return max(a, min(v, b)); }
ks_inline double dot(double4 a, double4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
ks_inline double4 make_double4(double v) { return double4{v, v, v, v}; }
ks_inline double clamp(double v, double a, double b) { return max(a, min(v, b)); }
ks_inline double2 make_double2(double3 v) { return double2{v.x, v.y}; }
ks_inline double2 make_double2(double4 v) { return double2{v.x, v.y}; }
ks_inline double3 make_double3(double2 v, double z = 0) { return double3{v.x, v.y, z}; }
ks_inline double3 make_double3(double4 v) { return double3{v.x, v.y, v.z}; }
ks_inline double4 make_double4(double3 v, double w = 0) { return double4{v.x, v.y, v.z, w}; }
ks_inline float length(float2 v) { return sqrtf(dot(v, v)); }
ks_inline float2 normalize(float2 v) { return v * rsqrtf(dot(v, v)); }
ks_inline float2 lerp(float2 a, float2 b, float t) { return a + t * (b - a); }
ks_inline float2 floorf(float2 v) { return float2{floorf(v.x), floorf(v.y)}; }
ks_inline float2 fracf(float2 v) { return v - floorf(v); }
ks_inline float2 fabs(float2 v) { return float2{fabsf(v.x), fabsf(v.y)}; }
ks_inline float2 fminf(float2 a, float2 b) { return min(a, b); }
ks_inline float2 fmaxf(float2 a, float2 b) { return max(a, b); }
ks_inline float2 fmodf(float2 a, float2 b) { return float2{fmodf(a.x, b.x), fmodf(a.y, b.y)}; }
ks_inline float2 reflect(float2 i, float2 n) { return i - 2.0f * n * dot(n, i); }
ks_inline float2 make_float2(int2 v) { return float2{(float)v.x, (float)v.y}; }
ks_inline float2 make_float2(uint2 v) { return float2{(float)v.x, (float)v.y}; }
ks_inline int2 make_int2(float2 v) { return int2{(int)v.x, (int)v.y}; }
ks_inline float length(float3 v) { return sqrtf(dot(v, v)); }
ks_inline float3 normalize(float3 v) { return v * rsqrtf(dot(v, v)); }
ks_inline float3 lerp(float3 a, float3 b, float t) { return a + t * (b - a); }
ks_inline float3 floorf(float3 v) { return float3{floorf(v.x), floorf(v.y), floorf(v.z)}; }
ks_inline float3 fracf(float3 v) { return v - floorf(v); }
ks_inline float3 fabs(float3 v) { return float3{fabsf(v.x), fabsf(v.y), fabsf(v.z)}; }
ks_inline float3 fminf(float3 a, float3 b) { return min(a, b); }
ks_inline float3 fmaxf(float3 a, float3 b) { return max(a, b); }
ks_inline float3 fmodf(float3 a, float3 b) { return float3{fmodf(a.x, b.x), fmodf(a.y, b.y), fmodf(a.z, b.z)}; }
ks_inline float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
ks_inline float3 make_float3(int3 v) { return float3{(float)v.x, (float)v.y, (float)v.z}; }
ks_inline float3 make_float3(uint3 v) { return float3{(float)v.x, (float)v.y, (float)v.z}; }
ks_inline int3 make_int3(float3 v) { return int3{(int)v.x, (int)v.y, (int)v.z}; }
ks_inline float length(float4 v) { return sqrtf(dot(v, v)); }
ks_inline float4 normalize(float4 v) { return v * rsqrtf(dot(v, v)); }
ks_inline float4 lerp(float4 a, float4 b, float t) { return a + t * (b - a); }
ks_inline float4 floorf(float4 v) { return float4{floorf(v.x), floorf(v.y), floorf(v.z), floorf(v.w)}; }
ks_inline float4 fracf(float4 v) { return v - floorf(v); }
ks_inline float4 fabs(float4 v) { return float4{fabsf(v.x), fabsf(v.y), fabsf(v.z), fabsf(v.w)}; }
ks_inline float4 fminf(float4 a, float4 b) { return min(a, b); }
ks_inline float4 fmaxf(float4 a, float4 b) { return max(a, b); }
ks_inline float4 fmodf(float4 a, float4 b) { return float4{fmodf(a.x, b.x), fmodf(a.y, b.y), fmodf(a.z, b.z), fmodf(a.w, b.w)}; }
ks_inline float4 reflect(float4 i, float4 n) { return i - 2.0f * n * dot(n, i); }
ks_inline float4 make_float4(int4 v) { return float4{(float)v.x, (float)v.y, (float)v.z, (float)v.w}; }
ks_inline float4 make_float4(uint4 v) { return float4{(float)v.x, (float)v.y, (float)v.z, (float)v.w}; }
ks_inline int4 make_int4(float4 v) { return int4{(int)v.x, (int)v.y, (int)v.z, (int)v.w}; }
ks_inline float3 cross(float3 a, float3 b) {
  return float3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ks_inline float lerp(float a, float b, float t) { return a + t * (b - a); }
ks_inline float fracf(float v) { return v - floorf(v); }
ks_inline float smoothstep(float a, float b, float x) {
  const float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}

#pragma clang force_cuda_host_device end
