// The part of C++'s library that kernels use: type traits, moving, limits, and
// mathematics under its std:: names. cuda::std is the same; std_algorithm.h has the rest.
#pragma once

namespace std {

using ::size_t;
using ::ptrdiff_t;
using ::nullptr_t;
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;

// --- type traits ---
template <class T, T v> struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  typedef integral_constant type;
  constexpr operator T() const { return v; }
  constexpr T operator()() const { return v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <bool v> using bool_constant = integral_constant<bool, v>;
template <class...> using void_t = void;
template <bool c, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool c, class T = void> using enable_if_t = typename enable_if<c, T>::type;
template <bool c, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool c, class A, class B> using conditional_t = typename conditional<c, A, B>::type;
#define KS_TRANSFORM(name, from, to)                    \
  template <class T> struct name { typedef T type; };   \
  template <class T> struct name<from> { typedef to type; };
KS_TRANSFORM(remove_const, const T, T)
KS_TRANSFORM(remove_volatile, volatile T, T)
KS_TRANSFORM(remove_pointer, T*, T)
#undef KS_TRANSFORM
template <class T> struct remove_pointer<T* const> { typedef T type; };
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T> struct remove_cv { typedef typename remove_const<typename remove_volatile<T>::type>::type type; };
template <class T> struct remove_cvref { typedef typename remove_cv<typename remove_reference<T>::type>::type type; };
template <class T> struct remove_extent { typedef T type; };
template <class T> struct remove_extent<T[]> { typedef T type; };
template <class T, size_t n> struct remove_extent<T[n]> { typedef T type; };
template <class T> struct add_const { typedef const T type; };
template <class T> struct add_volatile { typedef volatile T type; };
template <class T> struct add_pointer { typedef typename remove_reference<T>::type* type; };
template <class T> struct add_lvalue_reference { typedef T& type; };
template <class T> struct add_rvalue_reference { typedef T&& type; };
template <> struct add_lvalue_reference<void> { typedef void type; };
template <> struct add_rvalue_reference<void> { typedef void type; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_cvref_t = typename remove_cvref<T>::type;
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> using add_pointer_t = typename add_pointer<T>::type;
template <class T> struct decay {
  typedef remove_reference_t<T> bare;
  typedef conditional_t<__is_array(bare), add_pointer_t<remove_extent_t<bare>>,
                        conditional_t<__is_function(bare), add_pointer_t<bare>, remove_cv_t<bare>>> type;
};
template <class T> using decay_t = typename decay<T>::type;
template <class A, class B> struct is_same : bool_constant<__is_same(A, B)> {};
#if __cplusplus >= 201402L
template <class A, class B> constexpr bool is_same_v = __is_same(A, B);
#endif
#if __cplusplus >= 201402L
#define KS_TRAIT(name, expression)                                 \
  template <class T> struct name : bool_constant<(expression)> {}; \
  template <class T> constexpr bool name##_v = (expression);
#else
#define KS_TRAIT(name, expression) template <class T> struct name : bool_constant<(expression)> {};
#endif
KS_TRAIT(is_void, __is_void(T))
KS_TRAIT(is_integral, __is_integral(T))
KS_TRAIT(is_floating_point, __is_floating_point(T))
KS_TRAIT(is_arithmetic, __is_arithmetic(T))
KS_TRAIT(is_fundamental, __is_fundamental(T))
KS_TRAIT(is_signed, __is_signed(T))
KS_TRAIT(is_unsigned, __is_unsigned(T))
KS_TRAIT(is_pointer, __is_pointer(T))
KS_TRAIT(is_array, __is_array(T))
KS_TRAIT(is_reference, __is_reference(T))
KS_TRAIT(is_lvalue_reference, __is_lvalue_reference(T))
KS_TRAIT(is_rvalue_reference, __is_rvalue_reference(T))
KS_TRAIT(is_const, __is_const(T))
KS_TRAIT(is_volatile, __is_volatile(T))
KS_TRAIT(is_enum, __is_enum(T))
KS_TRAIT(is_class, __is_class(T))
KS_TRAIT(is_union, __is_union(T))
KS_TRAIT(is_empty, __is_empty(T))
KS_TRAIT(is_pod, __is_pod(T))
KS_TRAIT(is_trivial, __is_trivial(T))
KS_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
KS_TRAIT(is_standard_layout, __is_standard_layout(T))
KS_TRAIT(is_scalar, __is_scalar(T))
KS_TRAIT(is_object, __is_object(T))
KS_TRAIT(is_function, __is_function(T))
KS_TRAIT(is_compound, __is_compound(T))
KS_TRAIT(is_member_pointer, __is_member_pointer(T))
KS_TRAIT(is_null_pointer, __is_nullptr(T))
KS_TRAIT(is_abstract, __is_abstract(T))
KS_TRAIT(is_final, __is_final(T))
KS_TRAIT(is_polymorphic, __is_polymorphic(T))
KS_TRAIT(is_default_constructible, __is_constructible(T))
KS_TRAIT(is_copy_constructible, __is_constructible(T, const T&))
KS_TRAIT(is_move_constructible, __is_constructible(T, T&&))
KS_TRAIT(is_trivially_destructible, __is_trivially_destructible(T))
KS_TRAIT(is_trivially_copy_constructible, __is_trivially_constructible(T, const T&))
KS_TRAIT(is_trivially_default_constructible, __is_trivially_constructible(T))
KS_TRAIT(is_bounded_array, __is_bounded_array(T))
#undef KS_TRAIT
template <class B, class D> struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <class A, class B> struct is_convertible : bool_constant<__is_convertible(A, B)> {};
#if __cplusplus >= 201402L
template <class B, class D> constexpr bool is_base_of_v = __is_base_of(B, D);
template <class A, class B> constexpr bool is_convertible_v = __is_convertible(A, B);
#endif
template <class T> struct make_unsigned { typedef __make_unsigned(T) type; };
template <class T> struct make_signed { typedef __make_signed(T) type; };
template <class T> using make_unsigned_t = __make_unsigned(T);
template <class T> using make_signed_t = __make_signed(T);
template <class T> struct underlying_type { typedef __underlying_type(T) type; };
template <class T> using underlying_type_t = __underlying_type(T);
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T> typename add_rvalue_reference<T>::type declval() noexcept;
template <class... T> struct common_type {};
template <class T> struct common_type<T> { typedef decay_t<T> type; };
template <class A, class B> struct common_type<A, B> {
  typedef decay_t<decltype(true ? declval<A>() : declval<B>())> type;
};
template <class A, class B, class C, class... R> struct common_type<A, B, C, R...> {
  typedef typename common_type<typename common_type<A, B>::type, C, R...>::type type;
};
template <class... T> using common_type_t = typename common_type<T...>::type;
template <class F, class... A> struct invoke_result { typedef decltype(declval<F>()(declval<A>()...)) type; };
template <class F, class... A> using invoke_result_t = typename invoke_result<F, A...>::type;
template <class> struct result_of;
template <class F, class... A> struct result_of<F(A...)> : invoke_result<F, A...> {};
template <class F> using result_of_t = typename result_of<F>::type;
template <class... B> struct conjunction : true_type {};
template <class B, class... R> struct conjunction<B, R...> : bool_constant<B::value && conjunction<R...>::value> {};
template <class... B> struct disjunction : false_type {};
template <class B, class... R> struct disjunction<B, R...> : bool_constant<B::value || disjunction<R...>::value> {};
template <class B> struct negation : bool_constant<!B::value> {};
template <class T> struct type_identity { typedef T type; };
template <class T> using type_identity_t = T;
template <class T> struct remove_all_extents { typedef T type; };
template <class T> struct remove_all_extents<T[]> : remove_all_extents<T> {};
template <class T, size_t n> struct remove_all_extents<T[n]> : remove_all_extents<T> {};
template <class T> struct rank : integral_constant<size_t, 0> {};
template <class T> struct rank<T[]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T, size_t n> struct rank<T[n]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T, unsigned i = 0> struct extent : integral_constant<size_t, 0> {};
template <class T, size_t n> struct extent<T[n], 0> : integral_constant<size_t, n> {};
template <class T, size_t n, unsigned i> struct extent<T[n], i> : extent<T, i - 1> {};
template <class T, class... A> struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <class T, class U> struct is_assignable : bool_constant<__is_assignable(T, U)> {};
template <class F, class... A> struct is_invocable {
  template <class G> static auto test(int) -> decltype(declval<G>()(declval<A>()...), true_type());
  template <class G> static false_type test(...);
  static constexpr bool value = decltype(test<F>(0))::value;
};
template <class T, T... v> struct integer_sequence {
  typedef T value_type;
  static constexpr size_t size() { return sizeof...(v); }
};
template <class T, T n> using make_integer_sequence = __make_integer_seq<integer_sequence, T, n>;
template <size_t... v> using index_sequence = integer_sequence<size_t, v...>;
template <size_t n> using make_index_sequence = make_integer_sequence<size_t, n>;
template <class... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;
template <class T> struct tuple_size;
template <size_t i, class T> struct tuple_element;
template <class T> struct tuple_size<const T> : tuple_size<T> {};
template <size_t i, class T> struct tuple_element<i, const T> { typedef const typename tuple_element<i, T>::type type; };
template <size_t i, class T> using tuple_element_t = typename tuple_element<i, T>::type;
#if __cplusplus >= 201402L
template <class T> constexpr size_t tuple_size_v = tuple_size<T>::value;
template <class T, class... A> constexpr bool is_constructible_v = __is_constructible(T, A...);
template <class F, class... A> constexpr bool is_invocable_v = is_invocable<F, A...>::value;
template <class T, unsigned i = 0> constexpr size_t extent_v = extent<T, i>::value;
template <class... B> constexpr bool conjunction_v = conjunction<B...>::value;
template <class... B> constexpr bool disjunction_v = disjunction<B...>::value;
template <class B> constexpr bool negation_v = !B::value;
#endif
template <size_t bytes, size_t align = 16> struct aligned_storage {
  struct type { alignas(align) unsigned char data[bytes]; };
};

}  // namespace std

// Programs for NVRTC bring these functions themselves: whoever asks for std::move finds what stands in std first.
namespace ks_std {
// --- moving ---
template <class T> constexpr std::remove_reference_t<T>&& move(T&& v) noexcept {
  return static_cast<std::remove_reference_t<T>&&>(v);
}
template <class T> constexpr T&& forward(std::remove_reference_t<T>& v) noexcept { return static_cast<T&&>(v); }
template <class T> constexpr T&& forward(std::remove_reference_t<T>&& v) noexcept { return static_cast<T&&>(v); }
template <class T> constexpr void swap(T& a, T& b) {
  T t = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(t);
}
template <class T, class U = T> constexpr T exchange(T& v, U&& to) {
  T old = static_cast<T&&>(v);
  v = static_cast<U&&>(to);
  return old;
}
template <class T> constexpr T* addressof(T& v) noexcept { return __builtin_addressof(v); }
}  // namespace ks_std

namespace std {
using namespace ::ks_std;
template <class T> class initializer_list {
  const T* begin_;
  size_t size_;
 public:
  constexpr initializer_list() noexcept : begin_(nullptr), size_(0) {}
  constexpr initializer_list(const T* b, size_t n) noexcept : begin_(b), size_(n) {}
  constexpr size_t size() const noexcept { return size_; }
  constexpr const T* begin() const noexcept { return begin_; }
  constexpr const T* end() const noexcept { return begin_ + size_; }
};

// --- limits ---
enum float_round_style { round_to_nearest = 1 };
template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };
template <class T> struct numeric_limits<const T> : numeric_limits<T> {};
#define KS_INTEGER_LIMITS(T, low, high)                                      \
  template <> struct numeric_limits<T> {                                     \
    static constexpr bool is_specialized = true, is_integer = true, is_exact = true; \
    static constexpr bool is_signed = (T)-1 < (T)1, has_infinity = false, has_quiet_NaN = false; \
    static constexpr int digits = sizeof(T) * 8 - is_signed, digits10 = digits * 3 / 10, radix = 2; \
    static constexpr T min() { return low; }                                 \
    static constexpr T max() { return high; }                                \
    static constexpr T lowest() { return low; }                              \
    static constexpr T epsilon() { return 0; }                               \
    static constexpr T infinity() { return 0; }                              \
    static constexpr T quiet_NaN() { return 0; }                             \
  };
KS_INTEGER_LIMITS(bool, false, true)
KS_INTEGER_LIMITS(char, CHAR_MIN, CHAR_MAX)
KS_INTEGER_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX)
KS_INTEGER_LIMITS(unsigned char, 0, UCHAR_MAX)
KS_INTEGER_LIMITS(short, SHRT_MIN, SHRT_MAX)
KS_INTEGER_LIMITS(unsigned short, 0, USHRT_MAX)
KS_INTEGER_LIMITS(int, INT_MIN, INT_MAX)
KS_INTEGER_LIMITS(unsigned, 0, UINT_MAX)
KS_INTEGER_LIMITS(long, LONG_MIN, LONG_MAX)
KS_INTEGER_LIMITS(unsigned long, 0, ULONG_MAX)
KS_INTEGER_LIMITS(long long, LLONG_MIN, LLONG_MAX)
KS_INTEGER_LIMITS(unsigned long long, 0, ULLONG_MAX)
#undef KS_INTEGER_LIMITS
#define KS_FLOAT_LIMITS(T, P, inf, nan)                                      \
  template <> struct numeric_limits<T> {                                     \
    static constexpr bool is_specialized = true, is_integer = false, is_exact = false; \
    static constexpr bool is_signed = true, has_infinity = true, has_quiet_NaN = true; \
    static constexpr bool is_iec559 = true;                                  \
    static constexpr int digits = P##_MANT_DIG, digits10 = P##_DIG, radix = 2; \
    static constexpr int max_digits10 = P##_MANT_DIG * 3 / 10 + 2;           \
    static constexpr int min_exponent = P##_MIN_EXP, max_exponent = P##_MAX_EXP; \
    static constexpr T min() { return P##_MIN; }                             \
    static constexpr T max() { return P##_MAX; }                             \
    static constexpr T lowest() { return -P##_MAX; }                         \
    static constexpr T epsilon() { return P##_EPSILON; }                     \
    static constexpr T round_error() { return (T)0.5; }                      \
    static constexpr T denorm_min() { return P##_TRUE_MIN; }                 \
    static constexpr T infinity() { return inf; }                            \
    static constexpr T quiet_NaN() { return nan; }                           \
    static constexpr T signaling_NaN() { return nan; }                       \
  };
KS_FLOAT_LIMITS(float, FLT, __builtin_inff(), __builtin_nanf(""))
KS_FLOAT_LIMITS(double, DBL, __builtin_inf(), __builtin_nan(""))
#undef KS_FLOAT_LIMITS

// --- mathematics ---
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2;
using ::sinh; using ::cosh; using ::tanh; using ::asinh; using ::acosh; using ::atanh;
using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p;
using ::pow; using ::sqrt; using ::cbrt; using ::hypot; using ::erf; using ::erfc; using ::tgamma; using ::lgamma;
using ::floor; using ::ceil; using ::trunc; using ::round; using ::rint; using ::nearbyint;
using ::lround; using ::llround; using ::lrint; using ::llrint;
using ::fabs; using ::fmod; using ::remainder; using ::remquo; using ::copysign; using ::nextafter;
using ::fmax; using ::fmin; using ::fdim; using ::fma; using ::ldexp; using ::scalbn; using ::frexp; using ::modf;
using ::ilogb; using ::logb; using ::abs; using ::nan;
using ::isnan; using ::isinf; using ::isfinite; using ::isnormal; using ::signbit;
using ::sinf; using ::cosf; using ::tanf; using ::expf; using ::logf; using ::powf; using ::sqrtf; using ::fabsf;
using ::floorf; using ::ceilf; using ::fmaf; using ::fmaxf; using ::fminf; using ::fmodf; using ::atan2f;
using ::memcpy; using ::memmove; using ::memset; using ::memcmp; using ::strlen; using ::printf; using ::malloc; using ::free;
template <class T> constexpr T midpoint(T a, T b) { return a + (b - a) / 2; }
#if __cplusplus >= 201402L
template <class To, class From> constexpr To bit_cast(const From& v) { return __builtin_bit_cast(To, v); }
#endif

}  // namespace std
