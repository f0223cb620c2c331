// <cuda/std/mdspan>: extents, the three layouts, and views by several indices.
#pragma once
#pragma clang system_header
#if __cplusplus < 201703L
#error this header is written for C++17 and later (-std=c++17)
#endif
#pragma clang force_cuda_host_device begin

namespace std {

template <class I, size_t... n> class extents {
  I length_[sizeof...(n) ? sizeof...(n) : 1];
  static constexpr size_t fixed_[sizeof...(n) + 1] = {n..., 0};
  template <size_t given> constexpr void set(const I (&all)[given]) {
    static_assert(given == rank() || given == rank_dynamic(), "as many extents as there are, or as many as are dynamic");
    for (size_t i = 0, next = 0; i < rank(); ++i)
      length_[i] = given == rank() || fixed_[i] == dynamic_extent ? all[given == rank() ? i : next++] : (I)fixed_[i];
  }

 public:
  typedef I index_type;
  typedef make_unsigned_t<I> size_type;
  typedef size_t rank_type;
  static constexpr size_t rank() { return sizeof...(n); }
  static constexpr size_t rank_dynamic() { return ((n == dynamic_extent) + ... + 0); }
  static constexpr size_t static_extent(size_t i) { return fixed_[i]; }
  constexpr extents() : length_{n == dynamic_extent ? I(0) : I(n)...} {}
  template <class... J, enable_if_t<(sizeof...(J) > 0) && (is_convertible_v<J, I> && ...), int> = 0>
  constexpr explicit extents(J... j) : length_{} {
    const I all[] = {(I)j...};
    set(all);
  }
  template <class J, size_t given> constexpr extents(const array<J, given>& j) : length_{} {
    I all[given] = {};
    for (size_t i = 0; i < given; ++i) all[i] = (I)j[i];
    set(all);
  }
  template <class J, size_t... m, enable_if_t<sizeof...(m) == sizeof...(n), int> = 0> constexpr extents(const extents<J, m...>& o) : length_{} {
    for (size_t i = 0; i < rank(); ++i) length_[i] = (I)o.extent(i);
  }
  constexpr I extent(size_t i) const { return length_[i]; }
};
template <class... J> extents(J...) -> extents<size_t, (sizeof(J), dynamic_extent)...>;
template <class I, size_t... i> extents<I, (i, dynamic_extent)...> ks_dynamic(index_sequence<i...>);
template <class I, size_t rank> using dextents = decltype(ks_dynamic<I>(make_index_sequence<rank>()));
template <class A, size_t... n, class B, size_t... m> constexpr bool operator==(const extents<A, n...>& a, const extents<B, m...>& b) {
  if (sizeof...(n) != sizeof...(m)) return false;
  for (size_t i = 0; i < sizeof...(n); ++i)
    if ((size_t)a.extent(i) != (size_t)b.extent(i)) return false;
  return true;
}

// Rows or columns lie together.
template <class E, bool is_right> class ks_packed_mapping {
  E extents_;

 public:
  typedef E extents_type;
  typedef typename E::index_type index_type;
  constexpr ks_packed_mapping() = default;
  constexpr ks_packed_mapping(const E& e) : extents_(e) {}
  constexpr const E& extents() const { return extents_; }
  constexpr index_type stride(size_t r) const {
    index_type s = 1;
    for (size_t i = 0; i < E::rank(); ++i)
      if (is_right ? i > r : i < r) s *= extents_.extent(i);
    return s;
  }
  constexpr index_type required_span_size() const {
    index_type s = 1;
    for (size_t i = 0; i < E::rank(); ++i) s *= extents_.extent(i);
    return s;
  }
  template <class... J> constexpr index_type operator()(J... j) const {
    const index_type all[] = {(index_type)j..., 0};
    index_type at = 0;
    for (size_t i = 0; i < E::rank(); ++i) {
      const size_t axis = is_right ? i : E::rank() - 1 - i;
      at = at * extents_.extent(axis) + all[axis];
    }
    return at;
  }
  static constexpr bool is_exhaustive() { return true; }
  static constexpr bool is_unique() { return true; }
};
struct layout_right { template <class E> using mapping = ks_packed_mapping<E, true>; };
struct layout_left { template <class E> using mapping = ks_packed_mapping<E, false>; };
struct layout_stride {
  template <class E> class mapping {
    E extents_;
    typename E::index_type stride_[E::rank() ? E::rank() : 1] = {};

   public:
    typedef E extents_type;
    typedef typename E::index_type index_type;
    constexpr mapping() = default;
    template <class S> constexpr mapping(const E& e, const array<S, E::rank()>& s) : extents_(e) {
      for (size_t i = 0; i < E::rank(); ++i) stride_[i] = (index_type)s[i];
    }
    constexpr const E& extents() const { return extents_; }
    constexpr index_type stride(size_t r) const { return stride_[r]; }
    constexpr index_type required_span_size() const {
      index_type last = 1;
      for (size_t i = 0; i < E::rank(); ++i) {
        if (extents_.extent(i) == 0) return 0;
        last += (extents_.extent(i) - 1) * stride_[i];
      }
      return last;
    }
    template <class... J> constexpr index_type operator()(J... j) const {
      const index_type all[] = {(index_type)j..., 0};
      index_type at = 0;
      for (size_t i = 0; i < E::rank(); ++i) at += all[i] * stride_[i];
      return at;
    }
  };
};

template <class T> struct default_accessor {
  typedef T element_type;
  typedef T* data_handle_type;
  typedef T& reference;
  constexpr reference access(T* p, size_t i) const { return p[i]; }
  constexpr T* offset(T* p, size_t i) const { return p + i; }
};

template <class T, class E, class L = layout_right, class A = default_accessor<T>> class mdspan {
 public:
  typedef E extents_type;
  typedef L layout_type;
  typedef A accessor_type;
  typedef typename L::template mapping<E> mapping_type;
  typedef T element_type;
  typedef remove_cv_t<T> value_type;
  typedef typename E::index_type index_type;
  typedef typename E::size_type size_type;
  typedef typename A::data_handle_type data_handle_type;
  typedef typename A::reference reference;

  constexpr mdspan() = default;
  template <class... J, enable_if_t<(is_convertible_v<J, index_type> && ...), int> = 0>
  constexpr explicit mdspan(data_handle_type p, J... j) : data_(p), mapping_(E(j...)) {}
  constexpr mdspan(data_handle_type p) : data_(p), mapping_(E()) {}
  constexpr mdspan(data_handle_type p, const E& e) : data_(p), mapping_(e) {}
  template <class J, size_t n> constexpr mdspan(data_handle_type p, const array<J, n>& e) : data_(p), mapping_(E(e)) {}
  constexpr mdspan(data_handle_type p, const mapping_type& m) : data_(p), mapping_(m) {}
  constexpr mdspan(data_handle_type p, const mapping_type& m, const A& a) : data_(p), mapping_(m), accessor_(a) {}
  template <class U, class F, class B, enable_if_t<is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  constexpr mdspan(const mdspan<U, F, L, B>& o) : data_(o.data_handle()), mapping_(E(o.extents())) {}

  static constexpr size_t rank() { return E::rank(); }
  static constexpr size_t rank_dynamic() { return E::rank_dynamic(); }
  static constexpr size_t static_extent(size_t i) { return E::static_extent(i); }
  constexpr index_type extent(size_t i) const { return mapping_.extents().extent(i); }
  constexpr index_type stride(size_t i) const { return mapping_.stride(i); }
  constexpr const E& extents() const { return mapping_.extents(); }
  constexpr const mapping_type& mapping() const { return mapping_; }
  constexpr const A& accessor() const { return accessor_; }
  constexpr const data_handle_type& data_handle() const { return data_; }
  constexpr size_type size() const {
    size_type n = 1;
    for (size_t i = 0; i < rank(); ++i) n *= (size_type)extent(i);
    return n;
  }
  constexpr bool empty() const { return size() == 0; }
  template <class... J> constexpr reference operator()(J... j) const { return accessor_.access(data_, mapping_(j...)); }
#ifdef __cpp_multidimensional_subscript
  template <class... J> constexpr reference operator[](J... j) const { return accessor_.access(data_, mapping_(j...)); }
#else
  template <class J, enable_if_t<is_convertible_v<J, index_type>, int> = 0> constexpr reference operator[](J j) const {
    return accessor_.access(data_, mapping_(j));
  }
#endif
  template <class J> constexpr reference operator[](const array<J, E::rank()>& j) const { return at(j, make_index_sequence<E::rank()>()); }

 private:
  template <class J, size_t... i> constexpr reference at(const array<J, E::rank()>& j, index_sequence<i...>) const {
    return accessor_.access(data_, mapping_(j[i]...));
  }
  data_handle_type data_ = nullptr;
  mapping_type mapping_;
  A accessor_;
};
template <class T, class... J, enable_if_t<(sizeof...(J) > 0) && (is_convertible_v<J, size_t> && ...), int> = 0>
mdspan(T*, J...) -> mdspan<T, extents<size_t, (sizeof(J), dynamic_extent)...>>;
template <class T, class I, size_t... n> mdspan(T*, const extents<I, n...>&) -> mdspan<T, extents<I, n...>>;

}  // namespace std

#pragma clang force_cuda_host_device end
