// <mma.h>: tensor core fragments (wmma) on a CPU. Each lane owns a run of a row of the result,
// and loads the row of A and the columns of B that this run needs: a product is then
// every lane's own, without a shuffle, and no multiplication is done twice.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
template <class T> struct ks_element { typedef T type; };
namespace precision {
struct tf32;
}
template <> struct ks_element<precision::tf32> { typedef float type; };

constexpr int ks_run(int m, int n) { return m * n / 32; }
// The lane's first place in the result.
ks_inline int ks_place(int m, int n) {
  return (int)((ks_tid_x() + ks_bdim_x() * (ks_tid_y() + ks_bdim_y() * ks_tid_z())) & 31u) * ks_run(m, n);
}

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;
#define KS_FRAGMENT(Use, elements, is_run)                                     \
  template <int m, int n, int k, class T, class Layout>                        \
  class fragment<Use, m, n, k, T, Layout> {                                    \
   public:                                                                     \
    typedef typename ks_element<T>::type element_type;                         \
    typedef element_type storage_element_type;                                 \
    static constexpr int num_elements = elements;                              \
    static constexpr int num_storage_elements = elements;                      \
    element_type x[num_elements];                                              \
  };
KS_FRAGMENT(matrix_a, k, false)
KS_FRAGMENT(matrix_b, k * ks_run(m, n), false)
KS_FRAGMENT(accumulator, ks_run(m, n), true)
#undef KS_FRAGMENT

template <class Use, int m, int n, int k, class T, class Layout, class V>
ks_inline void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const V& v) {
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = (typename ks_element<T>::type)v;
}

template <int m, int n, int k, class T, class Layout>
ks_inline void load_matrix_sync(fragment<matrix_a, m, n, k, T, Layout>& f, const typename ks_element<T>::type* p, unsigned stride) {
  ks_warp_barrier(0xffffffffu);
  const int row = ks_place(m, n) / n;
  for (int i = 0; i < k; ++i) f.x[i] = __is_same(Layout, row_major) ? p[row * stride + i] : p[i * stride + row];
}
template <int m, int n, int k, class T, class Layout>
ks_inline void load_matrix_sync(fragment<matrix_b, m, n, k, T, Layout>& f, const typename ks_element<T>::type* p, unsigned stride) {
  ks_warp_barrier(0xffffffffu);
  constexpr int run = ks_run(m, n);
  const int column = ks_place(m, n) % n;
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < run; ++j)
      f.x[i * run + j] = __is_same(Layout, row_major) ? p[i * stride + column + j] : p[(column + j) * stride + i];
}
template <int m, int n, int k, class T>
ks_inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* p, unsigned stride, layout_t layout) {
  ks_warp_barrier(0xffffffffu);
  const int row = ks_place(m, n) / n, column = ks_place(m, n) % n;
  for (int j = 0; j < f.num_elements; ++j)
    f.x[j] = layout == mem_row_major ? p[row * stride + column + j] : p[(column + j) * stride + row];
}
template <int m, int n, int k, class T>
ks_inline void store_matrix_sync(T* p, const fragment<accumulator, m, n, k, T>& f, unsigned stride, layout_t layout) {
  const int row = ks_place(m, n) / n, column = ks_place(m, n) % n;
  for (int j = 0; j < f.num_elements; ++j)
    (layout == mem_row_major ? p[row * stride + column + j] : p[(column + j) * stride + row]) = f.x[j];
  ks_warp_barrier(0xffffffffu);
}

// Products are summed as numbers of this type, as tensor cores do: float for the short
// formats, int for integers, double for double.
template <class T> struct ks_sum { typedef float type; };
template <> struct ks_sum<double> { typedef double type; };
template <> struct ks_sum<int> { typedef int type; };
template <int m, int n, int k, class D, class A, class B, class C, class LayoutA, class LayoutB>
ks_inline void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, A, LayoutA>& a,
                        const fragment<matrix_b, m, n, k, B, LayoutB>& b, const fragment<accumulator, m, n, k, C>& c,
                        bool saturates = false) {
  typedef typename ks_sum<C>::type S;
  constexpr int run = ks_run(m, n);
  S sum[run];
  for (int j = 0; j < run; ++j) sum[j] = (S)c.x[j];
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < run; ++j) sum[j] += (S)a.x[i] * (S)b.x[i * run + j];
  for (int j = 0; j < run; ++j) d.x[j] = (D)sum[j];
}

// Ten bits of fraction, to nearest, ties away from zero.
ks_inline float __float_to_tf32(float x) {
  const unsigned u = ks_bits<unsigned>(x);
  return x != x || __builtin_isinf(x) ? x : ks_bits<float>((u + 0x1000u) & ~0x1fffu);
}

namespace experimental {
using namespace wmma;
}
}  // namespace wmma
}  // namespace nvcuda

#pragma clang force_cuda_host_device end
