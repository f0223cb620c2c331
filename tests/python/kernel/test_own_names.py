"""Names that a program defines for itself because NVRTC lacks them go before the CPU path's own."""

import warnings

import pytest

import kasoku as ks

# What the text defines, and what the kernel computes with it: always 7.
programs = {
    "spec_own_primary": (
        "namespace std { template <typename T> struct numeric_limits; template <> struct numeric_limits<float> { __device__ static constexpr float max() { return 7.f; } }; }\n",
        "y[0]=std::numeric_limits<float>::max();",
    ),
    "spec_only": (
        "namespace std { template <> struct numeric_limits<float> { __device__ static constexpr float max() { return 7.f; } }; }\n",
        "y[0]=std::numeric_limits<float>::max();",
    ),
    "spec_own_type": (
        "struct mine {}; namespace std { template <> struct numeric_limits<mine> { __device__ static constexpr float max() { return 7.f; } }; }\n",
        "y[0]=std::numeric_limits<mine>::max();",
    ),
    "primary_def": (
        "namespace std { template <typename T> struct numeric_limits { static __device__ T max() { return 7; } }; }\n",
        "y[0]=std::numeric_limits<float>::max();",
    ),
    "class_limits": (
        "namespace std { template <class T> class numeric_limits { public: static __device__ T infinity(); }; template<> inline __device__ float numeric_limits<float>::infinity() { return 7; } }\n",
        "y[0]=std::numeric_limits<float>::infinity();",
    ),
    "enable_if": (
        "namespace std { template <bool B, class T = void> struct enable_if {}; template <class T> struct enable_if<true, T> { using type = T; }; template<bool B, class T=void> using enable_if_t = typename enable_if<B,T>::type; template<class T> struct is_float { static constexpr bool value = false; }; template<> struct is_float<float> { static constexpr bool value = true; }; }\ntemplate<class T> __device__ std::enable_if_t<std::is_float<T>::value, float> f(T) { return 7; }\n",
        "y[0]=f(1.0f);",
    ),
    "max_ref": (
        "namespace std { template <class T> __device__ const T& max(const T& a, const T& b) { return a < b ? b : a; } }\n",
        "float a=3,b=7; y[0]=std::max(a, b);",
    ),
    "pair": (
        "namespace std { template <class A, class B> struct pair { A first; B second; }; }\n",
        "std::pair<int,float> p{1, 7.f}; y[0]=p.second;",
    ),
    "infinity": (
        "#define INFINITY 7.0f\n#define NAN __int_as_float(0x7fffffff)\n",
        "y[0]=INFINITY;",
    ),
    "inf_expr": (
        "#define INFINITY __int_as_float(0x7f800000)\n#define POS_INFINITY INFINITY\n",
        "y[0]=INFINITY > 3 ? 7 : 0;",
    ),
    "float_t": ("typedef unsigned short float_t;\n", "float_t a = 65536 + 7; y[0] = a;"),
    "const_nan": (
        "__device__ const float NAN = 7.0f;\n",
        "y[0]=NAN;",
    ),
    "const_inf": (
        "static const float INFINITY = 7.0f;\nconstexpr double M_PI = 3.0;",
        "y[0]=INFINITY;",
    ),
    "const_inf_paren": (
        "const float INFINITY(7.0f);\n",
        "y[0]=INFINITY;",
    ),
    "constexpr_brace": (
        "constexpr float INFINITY{7.0f};\n",
        "y[0]=INFINITY;",
    ),
    "uint_two": (
        "typedef unsigned int uint32_t, u32;\ntypedef unsigned long long int uint64_t;\ntypedef long long int64_t;\n",
        "uint64_t a = 7; y[0]=a;",
    ),
    "u64_ns": (
        "namespace std { typedef unsigned long long uint64_t; typedef unsigned int uint32_t; }\nusing std::uint64_t;\n",
        "uint64_t a = 7; y[0]=a;",
    ),
    "size": (
        "typedef unsigned long long size_t;\n",
        "size_t a = 7; y[0]=a;",
    ),
    "is_same": (
        "namespace std { template<class A, class B> struct is_same { enum { value = 0 }; }; template<class A> struct is_same<A,A> { enum { value = 1 }; }; }\n",
        "y[0]=std::is_same<int,int>::value ? 7 : 0;",
    ),
    "swap_std": (
        "namespace std { template<class T> __device__ void swap(T& a, T& b) { T c = a; a = b; b = c; } }\n",
        "float a=1,b=7; std::swap(a,b); y[0]=a;",
    ),
    "complexT": (
        "namespace std { template <class T> struct complex { T r, i; }; }\n",
        "std::complex<float> z{7,1}; y[0]=z.r;",
    ),
    "using_std": (
        "namespace std { template <typename T> struct numeric_limits { static __device__ T max() { return 7; } }; }\nusing namespace std;\n",
        "y[0]=numeric_limits<float>::max();",
    ),
    "array": (
        "namespace std { template <class T, size_t n> struct array { T d[n]; __device__ T& operator[](size_t i) { return d[i]; } }; }\n",
        "std::array<float,2> a; a[1]=7; y[0]=a[1];",
    ),
    "abs_fn": (
        "namespace std { __device__ float abs(float x) { return x < 0 ? -x : x; } __device__ float sqrt(float x) { return ::sqrtf(x);} }\n",
        "y[0]=std::abs(-std::sqrt(49.0f));",
    ),
    "move": (
        "namespace std { template<class T> struct remove_reference { typedef T type; }; template<class T> struct remove_reference<T&> { typedef T type; }; template<class T> __device__ typename remove_reference<T>::type&& move(T&& t) { return static_cast<typename remove_reference<T>::type&&>(t); } }\n",
        "float a = 7; y[0]=std::move(a);",
    ),
    "nullptr_t": (
        "namespace std { typedef decltype(nullptr) nullptr_t; typedef unsigned long size_t; typedef long ptrdiff_t; }\n",
        "std::size_t n = 7; y[0]=n;",
    ),
    "integral": (
        "namespace std { template<class T, T v> struct integral_constant { static constexpr T value = v; }; using true_type = integral_constant<bool,true>; using false_type = integral_constant<bool,false>; template<class T> struct is_integral : false_type {}; template<> struct is_integral<int> : true_type {}; }\n",
        "y[0]=std::is_integral<int>::value ? 7 : 0;",
    ),
    "float16": (
        "typedef unsigned short half;\nstruct complex64 { float r, i; };\n",
        "half h = 7; y[0]=h;",
    ),
    "limits_macros": (
        "#define FLT_MAX 7.0f\n#define INT_MAX 2147483647\n#define DBL_EPSILON 1e-16\n#define M_PI 3.14\n#define UINT32_MAX 1u\n",
        "y[0]=FLT_MAX;",
    ),
    "enum_member": ("enum { INT_MAX = 7 };\n", "y[0]=INT_MAX;"),
    "enum_class": ("enum class limits : int { M_PI_2, M_PI_4 = 7 };\n", "y[0]=int(limits::M_PI_4);"),
    "member": (
        "struct limits { int INT_MAX; float DBL_MAX, NAN; };\n",
        "limits one{1, 2, 7}; y[0]=one.NAN;",
    ),
    "parameter": (
        "__device__ float f(float INFINITY, const float *NAN, int &CHAR_BIT) { return INFINITY + *NAN + CHAR_BIT; }\n",
        "float a = 4; int b = 2; y[0]=f(1, &a, b);",
    ),
    "function": ("__device__ float UINT_MAX() { return 7; }\n", "y[0]=UINT_MAX();"),
    "template_parameter": (
        "template <int CHAR_BIT, typename FP_NAN> __device__ FP_NAN f() { return CHAR_BIT; }\n",
        "y[0]=f<7, float>();",
    ),
    "local": ("", "float M_E = 3, M_PI = 7; y[0]=M_PI;"),
    "local_pointer": ("struct box { float x; };\n", "box b{7}; box *NAN = &b; y[0]=NAN->x;"),
    "class": ("struct NAN { float x; };\n", "y[0]=NAN{7}.x;"),
    "mentioned": (
        '// a NAN, or the INFINITY; /* float DBL_MAX; */ "int FLT_MAX;"\n/* enum { INT_MAX, UINT_MAX } */\n',
        "float a[] = {INFINITY, FLT_MAX}; double b = a[0] * DBL_MAX, c = NAN; y[0]=b > INT_MAX && a[1] < UINT_MAX ? 1 : 7;",
    ),
    "asked_for": (
        "#ifndef INT_MAX\n#define INT_MAX 1\n#endif\n#ifdef FLT_MAX\n#define SEVEN 7\n#endif\n#if UINT_MAX != 4294967295U\n#error\n#endif\n",
        "y[0]=SEVEN;",
    ),
}


@pytest.mark.parametrize("what", programs)
def test_a_programs_own_names_are_taken(what):
    own, body = programs[what]
    text = f'{own}\nextern "C" __global__ void k(float *y) {{ {body} }}\n'
    y = ks.zeros(1, dtype="float32", device="cpu")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ks.RawModule(code=text).get_function("k")((1,), (1,), (y,))
    assert y.numpy()[0] == 7
    assert not [one for one in said if "redefin" in str(one.message)]


def test_a_loop_without_a_body_is_no_reason_to_warn():
    text = """
__global__ void wait(volatile int *flag, int *out) {
  if (threadIdx.x == 0) *flag = 7;
  while (!*flag);
  out[threadIdx.x] = *flag;
}"""
    out = ks.zeros(4, dtype="int32", device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ks.RawModule(code=text).get_function("wait")((1,), (4,), (ks.zeros(1, dtype="int32", device="cpu"), out))
    assert out.numpy().tolist() == [7] * 4


def test_what_a_program_does_not_define_is_there():
    text = """
#include <limits>
namespace std {
template <class T> struct numeric_limits;
template <> struct numeric_limits<float> { __device__ static float max() { return 1; } };
template <class T> __host__ __device__ T max(T a, T b) { return a < b ? 2 * b : 2 * a; }
}
struct pair { float first, second; };
template <class T> struct array { T at[2]; };
extern "C" __global__ void k(float *y) {
  pair mine{1, 2};
  array<float> two{{1, 2}};
  std::pair<float, int> p(3.0f, 4);
  std::array<int, 2> a{{5, 6}};
  float_t s = 1, t = 2;
  static_assert(sizeof(double_t) == 8 && sizeof(float_t) == 4, "");
  std::swap(s, t);
  y[0] = std::numeric_limits<float>::max() + std::max(1.0f, 2.0f) + std::min(1, 2) + max(3, 4) + mine.second + two.at[1];
  y[1] = p.second + a[1] + s + std::clamp(7, 1, 5) + std::is_same<int, int>::value + std::move(t);
}
"""
    y = ks.zeros(2, dtype="float32", device="cpu")
    ks.RawModule(code=text).get_function("k")((1,), (1,), (y,))
    assert y.numpy().tolist() == [1 + 4 + 1 + 4 + 2 + 2, 4 + 6 + 2 + 5 + 1 + 1]
