// The first stage of the embedded compiler, through its C interface: texts, what is
// known of their kernels, and messages in the user's lines.
#include "kasoku/compile/clang.h"
#include "kasoku/compile/clang/clang_api.h"
#include "kasoku/compile/module_json.h"

#include <doctest/doctest.h>
#include <dlfcn.h>

#include <string>
#include <vector>

using namespace kasoku;

namespace {

struct Parsed {
  int status = 0;
  ModuleInfo info;
  std::map<std::string, std::string> initial_values;
  std::string diagnostics;
  std::string bitcode;

  const KernelInfo& kernel(const std::string& name) const {
    for (const KernelInfo& kernel : info.kernels)
      if (kernel.name == name) return kernel;
    FAIL("no kernel " << name);
    return info.kernels.front();
  }
};

struct Library {
  decltype(&ks_clang_parse) parse;
  decltype(&ks_clang_get) get;
  decltype(&ks_clang_free) free;
};

const Library& library() {
  static const Library found = [] {
    void* handle = dlopen(clang_library().c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(handle, dlerror());
    return Library{reinterpret_cast<decltype(&ks_clang_parse)>(dlsym(handle, "ks_clang_parse")),
                   reinterpret_cast<decltype(&ks_clang_get)>(dlsym(handle, "ks_clang_get")),
                   reinterpret_cast<decltype(&ks_clang_free)>(dlsym(handle, "ks_clang_free"))};
  }();
  return found;
}

struct Extra {
  std::vector<std::string> options = {}, names = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool for_cuda = false;
};

ks_text view(const std::string& text) { return {text.data(), text.size()}; }

Parsed parse(const std::string& text, const Extra& extra = {}) {
  std::vector<ks_text> options, names;
  std::vector<ks_header> headers;
  for (const auto& option : extra.options) options.push_back(view(option));
  for (const auto& name : extra.names) names.push_back(view(name));
  for (const auto& [name, content] : extra.headers) headers.push_back({view(name), view(content)});
  const std::string file = "kernel.cu";
  ks_parse_request request{};
  request.text = view(text);
  request.file = view(file);
  request.options = options.data(), request.n_options = options.size();
  request.name_expressions = names.data(), request.n_name_expressions = names.size();
  request.headers = headers.data(), request.n_headers = headers.size();
  request.for_cuda = extra.for_cuda;
  ks_clang_result* result = nullptr;
  Parsed parsed;
  parsed.status = library().parse(&request, &result);
  const auto part = [&](int which) {
    const ks_text found = library().get(result, which);
    return std::string(found.data ? found.data : "", found.size);
  };
  parsed.diagnostics = part(KS_DIAGNOSTICS);
  parsed.bitcode = part(KS_MAIN);
  if (parsed.status == 0) parsed.info = module_info_from_json(part(KS_INFO), &parsed.initial_values);
  library().free(result);
  return parsed;
}

std::string error_of(const std::string& text, const Extra& extra = {}) {
  const Parsed parsed = parse(text, extra);
  CHECK(parsed.status == 1);
  return parsed.diagnostics;
}

bool contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  MESSAGE(text);
  return false;
}

void accepts(const std::string& text, const Extra& extra = {}) {
  const Parsed parsed = parse(text, extra);
  CHECK_MESSAGE(parsed.status == 0, parsed.diagnostics);
  CHECK(parsed.diagnostics == "");
}

}  // namespace

TEST_CASE("a kernel's parameters have the names, types and sizes of its text") {
  const Parsed parsed = parse(
      "struct P { float a; double b[3]; };\n"
      "__global__ void f(const float* __restrict__ x, int n, P p, double* y, void* v, bool b,\n"
      "                  float4* q, unsigned long long k) { if (n) y[0] = x[0] + p.a; }\n");
  REQUIRE(parsed.status == 0);
  const KernelInfo& kernel = parsed.kernel("f");
  CHECK(kernel.line == 2);
  CHECK(kernel.symbol != "f");
  REQUIRE(kernel.params.size() == 8);
  CHECK(kernel.params[0].name == "x");
  CHECK(kernel.params[0].type == "const float *__restrict");
  CHECK(kernel.params[0].kind == ParamKind::pointer);
  CHECK(kernel.params[0].dtype == Dtype::float32);
  CHECK(kernel.params[0].is_const);
  CHECK(kernel.params[0].is_restrict);
  CHECK(kernel.params[1].kind == ParamKind::scalar);
  CHECK(kernel.params[1].dtype == Dtype::int32);
  CHECK(kernel.params[2].kind == ParamKind::record);
  CHECK(kernel.params[2].size == 32);
  CHECK(kernel.params[2].align == 8);
  CHECK(kernel.params[3].element_size == 8);
  CHECK(kernel.params[4].element_size == 0);
  CHECK(kernel.params[5].dtype == Dtype::bool_);
  CHECK(kernel.params[6].dtype == Dtype::opaque);
  CHECK(kernel.params[6].element_size == 16);
  CHECK(kernel.params[7].dtype == Dtype::uint64);
}

TEST_CASE("what a kernel reads and writes is seen through calls and pointer arithmetic") {
  const Parsed parsed = parse(
      "__device__ void put(float* p, float v) { *p = v; }\n"
      "__device__ float get(const float* p, int i) { return p[i]; }\n"
      "__global__ void f(float* in, float* out, float* both, float* none, int n) {\n"
      "  int i = threadIdx.x;\n"
      "  float* p = out + n;\n"
      "  for (int k = 0; k < n; ++k) put(p++, get(in + 2, i));\n"
      "  atomicAdd(&both[i], 1.0f);\n"
      "}\n");
  const auto& params = parsed.kernel("f").params;
  CHECK((params[0].is_read && !params[0].is_written));
  CHECK((!params[1].is_read && params[1].is_written));
  CHECK((params[2].is_read && params[2].is_written));
  CHECK((!params[3].is_read && !params[3].is_written));
}

TEST_CASE("half, bfloat16 and complex parameters have their dtypes") {
  const Parsed parsed = parse(
      "#include <cuComplex.h>\n#include <thrust/complex.h>\n"
      "__global__ void f(__half* a, __nv_bfloat16 b, ks_complex64* c, thrust::complex<double> d,\n"
      "                  cuFloatComplex* e) {}\n");
  const auto& params = parsed.kernel("f").params;
  CHECK(params[0].dtype == Dtype::float16);
  CHECK(params[1].dtype == Dtype::bfloat16);
  CHECK(params[1].kind == ParamKind::scalar);
  CHECK(params[2].dtype == Dtype::complex64);
  CHECK(params[3].dtype == Dtype::complex128);
  CHECK(params[4].dtype == Dtype::complex64);
}

TEST_CASE("launch bounds, shared memory and barriers are known") {
  const Parsed parsed = parse(
      "__global__ void __launch_bounds__(128, 2) f(float* x) {\n"
      "  __shared__ float s[64];\n"
      "  s[threadIdx.x] = x[0]; __syncthreads(); x[0] = s[1];\n"
      "}\n"
      "__global__ void g(float* x) { x[0] = 1; }\n");
  CHECK(parsed.kernel("f").max_threads == 128);
  CHECK(parsed.kernel("f").static_shared_bytes == 256);
  CHECK(parsed.kernel("f").uses_barrier);
  CHECK(parsed.kernel("g").max_threads == 1024);
  CHECK_FALSE(parsed.kernel("g").uses_barrier);
}

TEST_CASE("name expressions instantiate templates and find variables") {
  const Parsed parsed = parse(
      "namespace ns { template <class T> __global__ void scale(T* x, T a) { x[0] *= a; }\n"
      "__constant__ float c[4]; }\n",
      {.names = {"ns::scale<float>", "&ns::scale<double>", "&ns::c"}});
  REQUIRE(parsed.status == 0);
  CHECK(parsed.info.kernels.size() == 2);
  CHECK(parsed.kernel("ns::scale<float>").symbol == parsed.info.expressions.at("ns::scale<float>"));
  CHECK(parsed.kernel("ns::scale<double>").params[1].dtype == Dtype::float64);
  CHECK(parsed.info.expressions.at("&ns::c") == parsed.info.globals.at(0).symbol);
  CHECK(contains(error_of("template <class T> __global__ void f(T* x) {}", {.names = {"g<int>"}}),
                 "undeclared identifier 'g'"));
}

TEST_CASE("variables of the module come with size and first value") {
  const Parsed parsed = parse(
      "__device__ int counter = 5;\n__constant__ float table[3] = {1, 2, 3};\n"
      "static __device__ double zeros[8];\n"
      "__global__ void f(float* x) { x[0] = table[1] + counter + zeros[0]; }\n");
  REQUIRE(parsed.info.globals.size() == 3);
  CHECK(parsed.info.globals[0].name == "counter");
  CHECK(parsed.info.globals[1].is_constant);
  CHECK(parsed.info.globals[1].size == 12);
  CHECK(parsed.initial_values.at("counter") == std::string("\5\0\0\0", 4));
  CHECK(parsed.initial_values.count(parsed.info.globals[2].symbol) == 0);
}

TEST_CASE("an error shows the user's line, its text and a caret") {
  CHECK(error_of("__global__ void f(float *x) {\n  int i = threadIdx.x;\n  x[i] = undeclared;\n}\n")
            .starts_with("kernel.cu:3:10: error: use of undeclared identifier 'undeclared'\n"
                         "  x[i] = undeclared;\n         ^\n"));
  CHECK(error_of("#line 40 \"user.py\"\n__global__ void f() { int x = ; }\n")
            .starts_with("user.py:40:31: error: expected expression"));
}

TEST_CASE("what nvcc refuses is refused") {
  CHECK(contains(error_of("int g() { return 1; }\n__global__ void f(int* x) { x[0] = g(); }"),
                 "call to __host__ function from __global__ function"));
  CHECK(contains(error_of("__global__ int f(int* x) { return 0; }"), "must have void return type"));
  CHECK(contains(error_of("__global__ void f() { __shared__ float s[2] = {1}; }"),
                 "initialization is not supported for __shared__ variables"));
  CHECK(contains(error_of("__global__ void f(int d) { if (d) f(d - 1); }"), "call to global function 'f' not configured"));
  CHECK(contains(error_of("__device__ void g() {}\n__global__ void f() { g<<<1, 2>>>(); }"),
                 "kernel call to non-global function 'g'"));
  CHECK(contains(error_of("#include <cuda/ptx>\n"), "'cuda/ptx' cannot be used on a CPU"));
  CHECK(contains(error_of("#include \"none.h\"\n"), "'none.h' file not found"));
  CHECK(contains(error_of("__global__ void f() {}", {.options = {"--no-such-option"}}),
                 "'--no-such-option' is not understood"));
}

TEST_CASE("options that users pass are understood") {
  accepts("#if N != 4 || defined(M)\n#error\n#endif\n__global__ void f() {}",
          {.options = {"-DN=4", "-D", "M=1", "-UM", "-std=c++14", "--use_fast_math", "-arch=sm_80", "-lineinfo",
                       "-maxrregcount=32", "-O3", "-Xcompiler", "-fPIC", "-w", "-ccbin", "/usr/bin/gcc",
                       "-allow-unsupported-compiler"}});
  accepts("static_assert(__CUDA_ARCH__ == 900, \"\");", {.options = {"-arch=compute_90"}});
  accepts("int g() { return 1; }\n__global__ void f(int* x) { x[0] = g(); }",
          {.options = {"-default-device"}});
  for (const char* standard : {"-std=c++11", "-std=c++14", "-std=c++17", "--std=c++20"})
    accepts("__global__ void f(float* x) { x[0] = sqrtf(2.0f); }", {.options = {standard}});
}

TEST_CASE("headers come from memory") {
  accepts("#include \"sub/mine.h\"\n__global__ void f(int* x) { x[0] = mine; }",
          {.headers = {{"sub/mine.h", "constexpr int mine = 3;\n"}}});
  accepts("#include <stdio.h>\n#include <cuda_fp16.h>\n#include <cmath>\n#include <curand_kernel.h>\n"
          "#include <cooperative_groups.h>\n#include <cub/cub.cuh>\n#include <cuda/std/limits>\n");
}

TEST_CASE("a text may define names that the prelude has too") {
  accepts("typedef long long int64_t;\ntypedef unsigned long long uint64_t;\ntypedef float real;\n"
          "const float M_PI = 3.14f;\n"
          "__device__ float norm(float x) { return x; }\n"
          "__device__ float atomicMax(float* p, float v) { return v; }\n"
          "__global__ void f(int64_t* x, real* y) { x[0] = 1; y[0] = norm(M_PI) + atomicMax(y, 1.0); }");
  CHECK(parse("typedef long long int64_t;\n__global__ void f(int64_t* x) { *x = 1; }")
            .kernel("f").params[0].type == "int64_t *");
}

TEST_CASE("a text for CUDA is read for its signatures even if its headers are unknown") {
  const Parsed parsed = parse("#include <mma.h>\n#include <some/library.h>\n"
                              "__global__ void f(const float* x, float* y) { y[0] = x[0]; }\n",
                              {.for_cuda = true});
  REQUIRE(parsed.status == 0);
  CHECK(parsed.kernel("f").params[1].is_written);
}
