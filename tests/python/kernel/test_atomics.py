"""Every atomic function exists for the types that CUDA has it for at compute capability 9.0, and for no others."""

import re

import numpy as np
import pytest

import kasoku as ks

every = """bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long long,
unsigned long long, float, double, float2, float4, half, half2, __nv_bfloat16, __nv_bfloat162, Wide, void*"""
every = re.split(r",\s*", every)
words = {"int", "unsigned"}
longer = words | {"long long", "unsigned long long"}
sums = words | {"unsigned long long", "float", "double", "float2", "float4"}
halves = {"half", "half2", "__nv_bfloat16", "__nv_bfloat162"}
moved = words | {"unsigned long long"}
wide = {"Wide", "float4"}  # any type of 16 aligned bytes

# Its types, those that it has without _block or _system, those that it has without _system, and 5 and 3 make.
table = {
    "atomicAdd": (sums, halves, set(), 8),
    "atomicSub": (words, set(), set(), 2),
    "atomicExch": (moved | {"float"}, set(), wide, 3),
    "atomicMin": (longer, set(), set(), 3),
    "atomicMax": (longer, set(), set(), 5),
    "atomicAnd": (longer, set(), set(), 1),
    "atomicOr": (longer, set(), set(), 7),
    "atomicXor": (longer, set(), set(), 6),
    "atomicInc": ({"unsigned"}, set(), set(), 0),
    "atomicDec": ({"unsigned"}, set(), set(), 3),
    "atomicCAS": (moved | {"unsigned short"}, set(), wide, 3),
}
head = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct alignas(16) Wide { long long x, y; };
template <class T> struct As { __device__ static T of(float x) { return T(x); } __device__ static float in(T v) { return v; } };
#define FIRST(T, first, ...) \\
  template <> struct As<T> { __device__ static T of(float x) { return __VA_ARGS__; } __device__ static float in(T v) { return first; } };
FIRST(float2, v.x, make_float2(x, x)) FIRST(float4, v.w, make_float4(x, x, x, x)) FIRST(Wide, (float)v.y, Wide{1, (long long)x})
FIRST(half2, __high2float(v), __float2half2_rn(x)) FIRST(__nv_bfloat162, __high2float(v), __float2bfloat162_rn(x))
#line 1 "calls"
"""


def types_of(name, scope):
    always, unscoped, not_system, _ = table[name]
    return always | (set() if scope else unscoped) | (set() if scope == "_system" else not_system)


def call(name, scope, value="v"):
    return f"{name}{scope}(p, {'As<T>::of(5), ' if name == 'atomicCAS' else ''}{value})"


@pytest.mark.parametrize("scope", ["", "_block", "_system"])
@pytest.mark.parametrize("name", table)
def test_a_type_that_cuda_lacks_is_refused_by_name(name, scope):
    refused = set()
    for part in (every[::2], every[1::2]):  # Clang tells twenty errors
        calls = [
            f"__global__ void f{i}({t}* p, {t} v) {{ typedef {t} T; {call(name, scope)}; }}" for i, t in enumerate(part)
        ]
        with pytest.raises(ks.CompileError) as error:
            ks.RawModule(code=head + "\n".join(calls)).get_function("f0")((1,), (1,), ())
        told = re.findall(r"calls:(\d+):\d+: error: (.*)", str(error.value))
        assert all(f"'{name}{scope}': CUDA has it for " in sentence for _, sentence in told)
        refused |= {part[int(line) - 1] for line, _ in told}
    assert refused == set(every) - types_of(name, scope)


@pytest.mark.parametrize("name", table)
def test_what_cuda_has_gives_what_was_there_and_leaves_what_comes_of_it(name, device):
    forms = [(t, scope) for scope in ("", "_block", "_system") for t in every if t in types_of(name, scope)]
    if device == "cuda":  # NVRTC lacks what nvcc has
        forms = [(t, scope) for t, scope in forms if t != "unsigned short" or not scope]
    lines = []
    for i, (t, scope) in enumerate(forms):
        # CUDA adds pairs and fours of floats in global memory alone.
        place = f"T* p = (T*)(memory + {i})" if t in ("float2", "float4") else "__shared__ T p[1]"
        lines.append(f"""  {{ typedef {t} T; {place}; p[0] = As<T>::of(5);
    out[{2 * i}] = As<T>::in({call(name, scope, "As<T>::of(3)")}); out[{2 * i + 1}] = As<T>::in(p[0]); }}""")
    text = head + f"__device__ Wide memory[{len(forms)}];\n"
    text += 'extern "C" __global__ void f(float* out) {\n' + "\n".join(lines) + "\n}"
    out = ks.zeros(2 * len(forms), dtype="f4", device=device)
    ks.RawModule(code=text).get_function("f")((1,), (1,), (out,))
    want = [5, table[name][3]] * len(forms)
    assert dict(zip(forms, out.numpy().reshape(-1, 2).tolist())) == dict(zip(forms, np.reshape(want, (-1, 2)).tolist()))


def test_a_value_of_another_type_is_converted_and_a_programs_own_overload_is_taken():
    text = """__device__ float atomicMax(float* p, float v) { return atomicExch(p, v); }
extern "C" __global__ void f(unsigned* u, float* x, double v) { atomicAdd(u, v); atomicAdd(x, 1); atomicMax(x, 7.5); }"""
    u, x = ks.ones(1, dtype="u4"), ks.ones(1, dtype="f4")
    ks.RawModule(code=text).get_function("f")((1,), (1,), (u, x, 2.9))
    assert u[0] == 3 and x[0] == 7.5


@pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
def test_kernels_of_elements_have_the_atomics_that_cupy_adds(dtype, device):
    name = "atomicAdd" if dtype == "int64" else "atomicMax"
    kernel = ks.ElementwiseKernel("T v", "raw T out", f"{name}(&out[i % 3], v)", "adding")
    values = np.arange(-10, 11).astype(dtype) * 2**40 + 1 if dtype != "float32" else np.arange(-10, 11, dtype="f4") / 8
    out = ks.zeros(3, dtype=dtype, device=device)
    kernel(ks.array(values, device=device), out)
    want = np.zeros(3, dtype)
    (np.add if dtype == "int64" else np.maximum).at(want, np.arange(21) % 3, values)
    np.testing.assert_array_equal(out.numpy(), want)


@pytest.mark.parametrize(
    "ctype, dtype", [("signed char", "i1"), ("unsigned short", "u2"), ("long", "i8"), ("float", "f4"), ("double", "f8")]
)
def test_an_atomic_ref_has_extremes_of_every_number(ctype, dtype):
    text = f"""#include <cuda/atomic>
extern "C" __global__ void f({ctype}* out, const {ctype}* x) {{
  cuda::atomic_ref<{ctype}, cuda::thread_scope_device> least(out[0]), most(out[1]);
  least.fetch_min(x[threadIdx.x]), most.fetch_max(x[threadIdx.x]);
}}"""
    x = np.array([7, 3, 120, 9], dtype)
    out = ks.full(2, 10, dtype=dtype)
    ks.RawModule(code=text).get_function("f")((1,), (4,), (out, ks.array(x)))
    assert out.numpy().tolist() == [3, 120]
