"""What kernels take of cuda::std beside algorithms and tuples: variants, durations, views by several indices, orderings, pointers with a property."""

import numpy as np
import pytest

import kasoku as ks


def run(text, blocks, threads, *args, standard="c++17"):
    ks.RawModule(code=text, options=(f"-std={standard}",)).get_function("k")((blocks,), threads, args)


def test_a_variant_is_what_it_was_given_last():
    text = """
    #include <cuda/std/variant>
    struct Square { float side; __device__ float area() const { return side * side; } };
    struct Box { float x, y; __device__ float area() const { return x * y; } };
    using Shape = cuda::std::variant<cuda::std::monostate, Square, Box, int>;
    template <class... F> struct all_of : F... { using F::operator()...; };
    template <class... F> all_of(F...) -> all_of<F...>;
    extern "C" __global__ void k(float* out) {
      const int i = threadIdx.x;
      Shape s;
      if (i % 4 == 1) s = Square{(float)i};
      else if (i % 4 == 2) s = Shape(Box{(float)i, 2.f});
      else if (i % 4 == 3) s = i;
      float v = cuda::std::visit(all_of{[](cuda::std::monostate) { return -1.f; }, [](const Square& a) { return a.area(); },
                                        [](const Box& a) { return a.area(); }, [](int n) { return n * 0.5f; }}, s);
      if (auto* box = cuda::std::get_if<Box>(&s)) v += box->x;
      if (cuda::std::holds_alternative<int>(s)) v += 1000 * cuda::std::get<int>(s) + cuda::std::get<3>(s);
      cuda::std::variant<int, double> a = i, b = 2.5, c = i;
      v += cuda::std::visit([](auto x, auto y) { return float(x * y); }, a, b) + (a == c) + 2 * (a != b);
      out[i] = v + 100000 * s.index();
    }"""
    out, i = ks.zeros(64, dtype="float32"), np.arange(64.0)
    run(text, 1, (64,), out)
    kinds = [i % 4 == n for n in range(4)]
    want = np.select(kinds, [-1 + 0 * i, i * i, 3 * i, 1001.5 * i]) + 2.5 * i + 3 + 100000 * (i % 4)
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-6)


def test_another_alternative_than_the_one_that_is_there_ends_the_launch():
    text = """
    #include <cuda/std/variant>
    extern "C" __global__ void k(int* out) { cuda::std::variant<int, float> v = out[0]; out[1] = cuda::std::get<float>(v); }"""
    try:
        run(text, 1, (1,), ks.zeros(2, dtype="int32"))
    except ks.errors.DeviceError as error:
        assert "__trap()" in str(error)
    else:
        raise AssertionError("the launch went on")


def test_views_by_several_indices_are_numpys_arrays():
    text = """
    #include <cuda/std/mdspan>
    using namespace cuda::std;
    extern "C" __global__ void k(float* x, float* out, int n, int m) {
      mdspan<float, dextents<int, 2>> rows(x, n, m);
      mdspan<const float, extents<int, dynamic_extent, 6>> known(x, n);
      mdspan<float, dextents<size_t, 2>, layout_left> columns(out, n, m);
      mdspan found(x, n, m);
      layout_stride::mapping<dextents<int, 2>> turned(dextents<int, 2>(m, n), array<int, 2>{1, m});
      mdspan<float, dextents<int, 2>, layout_stride> other(x, turned);
      const int i = threadIdx.x, j = threadIdx.y;
      if (i < rows.extent(0) && j < rows.extent(1))
        columns(i, j) = rows(i, j) + 10 * known(i, j) + 100 * found(i, j) + 1000 * other(j, i) + (float)rows.size() +
                        known.static_extent(1) + columns.stride(1) + turned.required_span_size();
    }"""
    x, out = np.arange(24, dtype="f4").reshape(4, 6), ks.zeros((6, 4), dtype="float32")
    run(text, 1, (8, 8), ks.array(x), out, 4, 6)
    np.testing.assert_array_equal(out.numpy().T, x * 1111 + 24 + 6 + 4 + 24)


def test_orderings_of_c_plus_plus_20():
    text = """
    #include <compare>
    struct P { int a; float b; auto operator<=>(const P&) const = default; };
    struct Q { int a, b; auto operator<=>(const Q&) const = default; };
    extern "C" __global__ void k(int* out) {
      const int i = threadIdx.x;
      P p{i / 4, (float)(i % 4)}, q{3, 2.f};
      Q u{i, 2}, v{5, 2};
      const auto order = p <=> q;
      out[i] = (p < q) + 2 * (p == q) + 4 * (u >= v) + 8 * ((u <=> v) == std::strong_ordering::equal) + 16 * std::is_gt(order) +
               32 * ((1.f <=> __int_as_float(0x7fc00000)) == std::partial_ordering::unordered) + 64 * (order < 0);
    }"""
    out, i = ks.zeros(32, dtype="int32"), np.arange(32)
    run(text, 1, (32,), out, standard="c++20")
    np.testing.assert_array_equal(
        out.numpy(), 65 * (i < 14) + 2 * (i == 14) + 4 * (i >= 5) + 8 * (i == 5) + 16 * (i > 14) + 32
    )


def test_pointers_with_a_property_are_pointers():
    text = """
    #include <cuda/annotated_ptr>
    extern "C" __global__ void k(int* x, int* out) {
      cuda::annotated_ptr<const int, cuda::access_property::persisting> p(x);
      cuda::annotated_ptr<int, cuda::access_property> q(out, cuda::access_property(cuda::access_property::streaming{}, 0.5f));
      const int* same = cuda::associate_access_property(x, cuda::access_property::normal{});
      cuda::apply_access_property(x, 4, cuda::access_property::persisting{});
      q[threadIdx.x] = 2 * p[threadIdx.x] + *p + same[1];
    }"""
    x, out = np.arange(3, 11, dtype="i4"), ks.zeros(8, dtype="int32")
    run(text, 1, (8,), ks.array(x), out)
    np.testing.assert_array_equal(out.numpy(), 2 * x + x[0] + x[1])


def test_numbers_are_packed_with_saturation():
    text = """
    extern "C" __global__ void k(const int* a, const int* b, const unsigned* c, unsigned* out) {
      const int t = threadIdx.x;
      unsigned r[4];
      asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(r[0]) : "r"(a[t]), "r"(b[t]), "r"(c[t]));
      asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(r[1]) : "r"(a[t]), "r"(b[t]), "r"(c[t]));
      asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(r[2]) : "r"(a[t]), "r"(b[t]));
      asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(r[3]) : "r"(a[t]), "r"(b[t]));
      for (int i = 0; i < 4; i++) out[4 * t + i] = r[i];
    }"""
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-(10 ** rng.integers(1, 10, 64)), 10 ** rng.integers(1, 10, 64)) for _ in range(2))
    c, out = rng.integers(0, 2**32, 64), ks.zeros((64, 4), dtype="uint32")
    run(text, 1, (64,), ks.array(a.astype("i4")), ks.array(b.astype("i4")), ks.array(c.astype("u4")), out)

    def pack(bits, low):
        part = [np.clip(v, low, low + 2**bits - 1) % 2**bits for v in (a, b)]
        return part[0] << bits | part[1]

    want = [c << 16 | pack(8, 0), c << 16 | pack(8, -128), pack(16, 0), pack(16, -(2**15))]
    np.testing.assert_array_equal(out.numpy(), (np.stack(want, 1) % 2**32).astype("u4"))


def test_words_of_ptx_that_saturate_or_take_a_sign():
    text = """
    extern "C" __global__ void k(const int* a, const int* b, int* out) {
      const int t = threadIdx.x;
      int r[3];
      float f;
      asm volatile("griddepcontrol.wait;" ::: "memory");
      asm("add.sat.s32 %0, %1, %2;" : "=r"(r[0]) : "r"(a[t]), "r"(b[t]));
      asm("sub.sat.s32 %0, %1, %2;" : "=r"(r[1]) : "r"(a[t]), "r"(b[t]));
      asm("cnot.b32 %0, %1;" : "=r"(r[2]) : "r"(a[t]));
      asm("copysign.f32 %0, %1, %2;" : "=f"(f) : "f"((float)a[t]), "f"((float)b[t]));
      for (int i = 0; i < 3; i++) out[4 * t + i] = r[i];
      out[4 * t + 3] = f < 0;
    }"""
    a, b = (np.random.default_rng(seed).integers(-(2**31), 2**31, 64) for seed in (2, 3))
    a[:2], out = 0, ks.zeros((64, 4), dtype="int32")
    run(text, 1, (64,), ks.array(a.astype("i4")), ks.array(b.astype("i4")), out)
    want = [np.clip(a + b, -(2**31), 2**31 - 1), np.clip(a - b, -(2**31), 2**31 - 1), a == 0, a < 0]
    np.testing.assert_array_equal(out.numpy(), np.stack(want, 1))


@pytest.mark.parametrize(
    "statement", ["max.bf16x2 %0, %0, %1", "fma.rn.bf16x2 %0, %1, %1, %1", "tanh.approx.bf16x2 %0, %1"]
)
def test_types_that_are_not_known_are_no_others(statement):
    text = f'extern "C" __global__ void k(unsigned* x) {{ asm("{statement};" : "+r"(x[0]) : "r"(x[1])); }}'
    with pytest.raises(ks.CompileError, match="cannot be used on a CPU"):
        run(text, 1, (1,), ks.zeros(2, dtype="uint32"))


def test_durations_and_clocks():
    text = """
    #include <chrono>
    #include <cuda/std/chrono>
    #include <cuda/std/ratio>
    namespace chrono = cuda::std::chrono;
    using namespace cuda::std::chrono_literals;
    inline double host() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
    extern "C" __global__ void k(long long* out, double* real) {
      auto a = chrono::duration_cast<chrono::milliseconds>(chrono::seconds(3) + chrono::nanoseconds(2500000));
      out[0] = a.count();
      out[1] = chrono::hours(2) > chrono::minutes(119);
      out[2] = chrono::floor<chrono::seconds>(-1500ms).count();
      out[3] = chrono::ceil<chrono::seconds>(1500ms).count();
      out[4] = chrono::round<chrono::seconds>(2500ms).count() * 10 + chrono::round<chrono::seconds>(3500ms).count();
      out[5] = (7s % 3s).count() + (1min + 30s) / 15s;
      chrono::nanoseconds n = 1us;
      n += 3ns;
      n *= 2;
      out[6] = n.count() + (n * 2 - 6ns).count() + (n / 2).count() + abs(-5s).count();
      auto begin = chrono::system_clock::now();
      out[7] = chrono::time_point_cast<chrono::seconds>(begin).time_since_epoch().count() > 1000000000;
      out[8] = chrono::high_resolution_clock::now() - begin >= 0ns;
      out[9] = cuda::std::ratio_multiply<cuda::std::milli, cuda::std::kilo>::num + cuda::std::ratio<6, -4>::num;
      chrono::duration<double> s = 1500ms;
      real[0] = s.count();
      real[1] = chrono::duration<double, cuda::std::ratio<60>>(90s).count();
      static_assert((1h).count() == 1 && 2h == 120min, "durations are constants");
    }"""
    out, real = ks.zeros(10, dtype="int64"), ks.zeros(2)
    ks.RawModule(code=text).get_function("k")((1,), (1,), (out, real))
    assert out.tolist() == [3002, 1, -2, 2, 24, 7, 2006 + 4006 + 1003 + 5, 1, 1, 1 - 3]
    assert real.tolist() == [1.5, 1.5]
