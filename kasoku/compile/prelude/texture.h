// Textures and surfaces: an object's handle is the address of a ks_texture, which the host
// fills. A fetch follows the programming guide: filtering weights have eight bits.
#pragma once

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3, cudaTextureTypeCubemap = 12,
       cudaTextureType1DLayered = 241, cudaTextureType2DLayered = 242, cudaTextureTypeCubemapLayered = 252 };

// The same on the host: kasoku/device/texture.h.
struct ks_texture {
  char* data;
  long long pitch, slice;        // bytes from row to row, from layer to layer
  int extent[3];                 // width, height, depth or layers
  unsigned char kind, bytes;     // of a stored channel: 'i', 'u' or 'f', and its size
  unsigned char is_linear, is_normalized, is_unit;  // filter; coordinates; integers as [0, 1] or [-1, 1]
  unsigned char address[3];      // cudaTextureAddressMode of each axis
  unsigned char channels;        // of a texel
};

// The type of a fetch: its channels and how many.
template <class T> struct ks_channels { typedef T type; static constexpr int n = 1; };
#define KS_CHANNELS(name, T)                                                                     \
  template <> struct ks_channels<name##1> { typedef T type; static constexpr int n = 1; };       \
  template <> struct ks_channels<name##2> { typedef T type; static constexpr int n = 2; };       \
  template <> struct ks_channels<name##4> { typedef T type; static constexpr int n = 4; };
KS_CHANNELS(char, signed char) KS_CHANNELS(uchar, unsigned char)
KS_CHANNELS(short, short) KS_CHANNELS(ushort, unsigned short)
KS_CHANNELS(int, int) KS_CHANNELS(uint, unsigned)
KS_CHANNELS(long, long) KS_CHANNELS(ulong, unsigned long)
KS_CHANNELS(float, float)
#undef KS_CHANNELS

ks_inline float ks_channel(const ks_texture& t, const char* p) {
  switch (t.kind << 8 | t.bytes) {
    case 'u' << 8 | 1: return (float)*(const unsigned char*)p / 255.0f;
    case 'u' << 8 | 2: return (float)*(const unsigned short*)p / 65535.0f;
    case 'i' << 8 | 1: return __builtin_fmaxf((float)*(const signed char*)p / 127.0f, -1.0f);
    case 'i' << 8 | 2: return __builtin_fmaxf((float)*(const short*)p / 32767.0f, -1.0f);
    case 'f' << 8 | 2: return (float)*(const _Float16*)p;
    default: return *(const float*)p;
  }
}
template <class T> ks_inline T ks_texel(const ks_texture& t, const char* p) {
  typedef typename ks_channels<T>::type C;
  constexpr int n = ks_channels<T>::n;
  if (__is_same(C, float) && (t.kind != 'f' || t.bytes != 4)) {
    float v[n];
    for (int i = 0; i < n; ++i) v[i] = ks_channel(t, p + i * t.bytes);
    T r;
    __builtin_memcpy(&r, v, sizeof(T));
    return r;
  }
  T r;
  __builtin_memcpy(&r, p, sizeof(T));
  return r;
}
// The element of an axis, or -1 outside of a border.
ks_inline int ks_element(const ks_texture& t, int axis, int i) {
  const int n = t.extent[axis];
  if (i >= 0 && i < n) return i;
  switch (t.address[axis]) {
    case cudaAddressModeClamp: return i < 0 ? 0 : n - 1;
    case cudaAddressModeBorder: return -1;
    case cudaAddressModeWrap: i %= n; return i < 0 ? i + n : i;
    default: i %= 2 * n; i = i < 0 ? i + 2 * n : i; return i < n ? i : 2 * n - 1 - i;
  }
}
// A coordinate in elements; wrapping and mirroring need normalised coordinates.
ks_inline float ks_coordinate(const ks_texture& t, int axis, float x) {
  if (!t.is_normalized) return x;
  if (t.address[axis] == cudaAddressModeWrap) x -= __builtin_floorf(x);
  return x * (float)t.extent[axis];
}
template <class T> ks_inline T ks_at(const ks_texture& t, int x, int y, int z) {
  if (x < 0 || y < 0 || z < 0) return T{};
  return ks_texel<T>(t, t.data + z * t.slice + y * t.pitch + (long long)x * (ks_channels<T>::n * t.bytes));
}
template <class T> ks_inline void ks_blend(T& sum, const T& v, float weight) {
  float a[ks_channels<T>::n], b[ks_channels<T>::n];
  __builtin_memcpy(a, &sum, sizeof(T));
  __builtin_memcpy(b, &v, sizeof(T));
  for (int i = 0; i < ks_channels<T>::n; ++i) a[i] += weight * b[i];
  __builtin_memcpy(&sum, a, sizeof(T));
}
// `axes` dimensions are sampled; `layer` is counted in elements.
template <class T, int axes> ks_inline T ks_sample(cudaTextureObject_t o, float x, float y, float z, int layer = 0) {
  const ks_texture& t = *(const ks_texture*)o;
  float c[3] = {x, y, z};
  int low[3] = {0, 0, 0};
  float weight[3] = {0, 0, 0};
  const bool blends = t.is_linear && __is_same(typename ks_channels<T>::type, float);
  for (int a = 0; a < axes; ++a) {
    c[a] = ks_coordinate(t, a, c[a]) - (blends ? 0.5f : 0.0f);
    // Far outside is outside in every mode; nothing overflows on the way.
    c[a] = __builtin_fminf(__builtin_fmaxf(c[a], -1e9f), 1e9f);
    low[a] = (int)__builtin_floorf(c[a]);
    weight[a] = __builtin_rintf((c[a] - (float)low[a]) * 256.0f) / 256.0f;
  }
  if (axes < 3) low[2] = layer < 0 ? 0 : layer >= t.extent[2] && t.extent[2] > 0 ? t.extent[2] - 1 : layer;
  if (!blends)
    return ks_at<T>(t, ks_element(t, 0, low[0]), axes > 1 ? ks_element(t, 1, low[1]) : 0,
                    axes > 2 ? ks_element(t, 2, low[2]) : low[2]);
  T sum{};
  for (int k = 0; k < 1 << axes; ++k) {
    int at[3] = {0, 0, low[2]};
    float w = 1.0f;
    for (int a = 0; a < axes; ++a) {
      at[a] = ks_element(t, a, low[a] + (k >> a & 1));
      w *= k >> a & 1 ? weight[a] : 1.0f - weight[a];
    }
    ks_blend(sum, ks_at<T>(t, at[0], at[1], at[2]), w);
  }
  return sum;
}
// The face of a cube and the place on it, as OpenGL has them.
template <class T> ks_inline T ks_cube(cudaTextureObject_t o, float x, float y, float z, int layer) {
  const float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
  int face;
  float m, s, u;
  if (ax >= ay && ax >= az) face = x < 0, m = ax, s = x < 0 ? z : -z, u = -y;
  else if (ay >= az) face = 2 + (y < 0), m = ay, s = x, u = y < 0 ? -z : z;
  else face = 4 + (z < 0), m = az, s = z < 0 ? -x : x, u = -y;
  const ks_texture& t = *(const ks_texture*)o;
  const float scale = t.is_normalized ? 1.0f : (float)t.extent[0];
  return ks_sample<T, 2>(o, (s / m + 1.0f) * 0.5f * scale, (u / m + 1.0f) * 0.5f * scale, 0, layer * 6 + face);
}

// One channel of the four texels that filtering would blend, from below on the left against the clock.
template <class T> ks_inline T ks_gather(cudaTextureObject_t o, float x, float y, int channel) {
  const ks_texture& t = *(const ks_texture*)o;
  const int left = (int)__builtin_floorf(ks_coordinate(t, 0, x) - 0.5f), top = (int)__builtin_floorf(ks_coordinate(t, 1, y) - 0.5f);
  typedef typename ks_channels<T>::type C;
  C v[4] = {};
  for (int k = 0; k < 4; ++k) {
    const int column = ks_element(t, 0, left + (k == 1 || k == 2)), row = ks_element(t, 1, top + (k < 2));
    if (column < 0 || row < 0 || channel >= t.channels) continue;
    v[k] = ks_texel<C>(t, t.data + row * t.pitch + ((long long)column * t.channels + channel) * t.bytes);
  }
  T r;
  __builtin_memcpy(&r, v, sizeof(T));
  return r;
}

// Texture references of programs that are older than texture objects.
struct textureReference {
  cudaTextureObject_t ks_object;
};
template <class T, int kind = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {};
template <class T, cudaTextureReadMode mode> struct ks_fetched { typedef T type; };
template <class T, int n = ks_channels<T>::n> struct ks_floats { typedef float type; };
template <class T> struct ks_floats<T, 2> { typedef float2 type; };
template <class T> struct ks_floats<T, 4> { typedef float4 type; };
template <class T> struct ks_fetched<T, cudaReadModeNormalizedFloat> { typedef typename ks_floats<T>::type type; };

// Each fetch by an object, by an object into a variable, and by a reference.
#define KS_COMMA ,
#define KS_TEXTURE(name, parameters, result)                                                       \
  template <class T> ks_inline T name(cudaTextureObject_t o, parameters) { return result; }        \
  template <class T> ks_inline void name(T* v, cudaTextureObject_t o, parameters) { *v = result; } \
  template <class E, int kind, cudaTextureReadMode mode>                                           \
  ks_inline typename ks_fetched<E, mode>::type name(const texture<E, kind, mode>& r, parameters) { \
    typedef typename ks_fetched<E, mode>::type T;                                                  \
    const cudaTextureObject_t o = r.ks_object;                                                     \
    return result;                                                                                 \
  }
KS_TEXTURE(tex1Dfetch, int i, (ks_at<T>(*(const ks_texture*)o, i < ((const ks_texture*)o)->extent[0] ? i : -1, 0, 0)))
KS_TEXTURE(tex1D, float x, (ks_sample<T, 1>(o, x, 0, 0)))
KS_TEXTURE(tex1DLod, float x KS_COMMA float, (ks_sample<T, 1>(o, x, 0, 0)))
KS_TEXTURE(tex1DGrad, float x KS_COMMA float KS_COMMA float, (ks_sample<T, 1>(o, x, 0, 0)))
KS_TEXTURE(tex2D, float x KS_COMMA float y, (ks_sample<T, 2>(o, x, y, 0)))
KS_TEXTURE(tex2DLod, float x KS_COMMA float y KS_COMMA float, (ks_sample<T, 2>(o, x, y, 0)))
KS_TEXTURE(tex2DGrad, float x KS_COMMA float y KS_COMMA float2 KS_COMMA float2, (ks_sample<T, 2>(o, x, y, 0)))
KS_TEXTURE(tex3D, float x KS_COMMA float y KS_COMMA float z, (ks_sample<T, 3>(o, x, y, z)))
KS_TEXTURE(tex3DLod, float x KS_COMMA float y KS_COMMA float z KS_COMMA float, (ks_sample<T, 3>(o, x, y, z)))
KS_TEXTURE(tex1DLayered, float x KS_COMMA int layer, (ks_sample<T, 1>(o, x, 0, 0, layer)))
KS_TEXTURE(tex2DLayered, float x KS_COMMA float y KS_COMMA int layer, (ks_sample<T, 2>(o, x, y, 0, layer)))
KS_TEXTURE(texCubemap, float x KS_COMMA float y KS_COMMA float z, (ks_cube<T>(o, x, y, z, 0)))
KS_TEXTURE(texCubemapLayered, float x KS_COMMA float y KS_COMMA float z KS_COMMA int layer, (ks_cube<T>(o, x, y, z, layer)))
KS_TEXTURE(tex3DGrad, float x KS_COMMA float y KS_COMMA float z KS_COMMA float4 KS_COMMA float4, (ks_sample<T, 3>(o, x, y, z)))
KS_TEXTURE(tex1DLayeredLod, float x KS_COMMA int layer KS_COMMA float, (ks_sample<T, 1>(o, x, 0, 0, layer)))
KS_TEXTURE(tex2DLayeredLod, float x KS_COMMA float y KS_COMMA int layer KS_COMMA float, (ks_sample<T, 2>(o, x, y, 0, layer)))
KS_TEXTURE(texCubemapLod, float x KS_COMMA float y KS_COMMA float z KS_COMMA float, (ks_cube<T>(o, x, y, z, 0)))
KS_TEXTURE(tex2Dgather, float x KS_COMMA float y KS_COMMA int channel = 0, (ks_gather<T>(o, x, y, channel)))
#undef KS_TEXTURE

// Surfaces: x is in bytes.
ks_inline char* ks_surface_at(cudaSurfaceObject_t o, int x, int y, int z, int bytes, cudaSurfaceBoundaryMode mode) {
  const ks_texture& t = *(const ks_texture*)o;
  int at[3] = {x / bytes, y, z};
  for (int a = 0; a < 3; ++a) {
    const int n = t.extent[a] > 0 ? t.extent[a] : 1;
    if (at[a] >= 0 && at[a] < n) continue;
    if (mode == cudaBoundaryModeTrap) ks_rt_trap();
    if (mode != cudaBoundaryModeClamp) return nullptr;
    at[a] = at[a] < 0 ? 0 : n - 1;
  }
  return t.data + at[2] * t.slice + at[1] * t.pitch + (long long)at[0] * bytes;
}
#define KS_SURFACE(shape, parameters, y, z)                                                            \
  template <class T>                                                                                   \
  ks_inline T surf##shape##read(cudaSurfaceObject_t o, int x, parameters cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    T v{};                                                                                             \
    if (const char* p = ks_surface_at(o, x, y, z, sizeof(T), mode)) __builtin_memcpy(&v, p, sizeof(T)); \
    return v;                                                                                          \
  }                                                                                                    \
  template <class T>                                                                                   \
  ks_inline void surf##shape##read(T* v, cudaSurfaceObject_t o, int x, parameters cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    *v = surf##shape##read<T>(o, x, KS_ARGUMENTS_##shape mode);                                        \
  }                                                                                                    \
  template <class T>                                                                                   \
  ks_inline void surf##shape##write(T v, cudaSurfaceObject_t o, int x, parameters cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    if (char* p = ks_surface_at(o, x, y, z, sizeof(T), mode)) __builtin_memcpy(p, &v, sizeof(T));      \
  }
#define KS_ARGUMENTS_1D
#define KS_ARGUMENTS_2D y,
#define KS_ARGUMENTS_3D y, z,
#define KS_ARGUMENTS_Cubemap y, face,
#define KS_ARGUMENTS_CubemapLayered y, face,
#define KS_ARGUMENTS_1DLayered layer,
#define KS_ARGUMENTS_2DLayered y, layer,
KS_SURFACE(1D, , 0, 0)
KS_SURFACE(2D, int y KS_COMMA, y, 0)
KS_SURFACE(3D, int y KS_COMMA int z KS_COMMA, y, z)
KS_SURFACE(Cubemap, int y KS_COMMA int face KS_COMMA, y, face)
KS_SURFACE(CubemapLayered, int y KS_COMMA int face KS_COMMA, y, face)
KS_SURFACE(1DLayered, int layer KS_COMMA, 0, layer)
KS_SURFACE(2DLayered, int y KS_COMMA int layer KS_COMMA, y, layer)
#undef KS_SURFACE
#undef KS_ARGUMENTS_1D
#undef KS_ARGUMENTS_2D
#undef KS_ARGUMENTS_3D
#undef KS_ARGUMENTS_Cubemap
#undef KS_ARGUMENTS_CubemapLayered
#undef KS_ARGUMENTS_1DLayered
#undef KS_ARGUMENTS_2DLayered
#undef KS_COMMA
