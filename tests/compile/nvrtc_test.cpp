/// The CUDA compiler without a GPU: NVRTC compiles for any architecture.
#include "kasoku/compile/absent.h"
#include "kasoku/compile/nvrtc.h"
#include "kasoku/base/error.h"
#include "kasoku/codegen/helpers.h"
#include "kasoku/compile/nvrtc_link.h"
#include "kasoku/compile/nvrtc_log.h"
#include "kasoku/compile/nvrtc_ptx.h"
#include "kasoku/compile/nvrtc_text.h"
#include "kasoku/device/module.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace kasoku;

namespace {

bool has_nvrtc() {
  if (nvrtc_missing().empty()) return true;
  MESSAGE("skipped: ", nvrtc_missing());
  return false;
}

Compiler::Unit compile_text(const std::string& text, std::vector<std::string> options = {},
                            std::vector<std::string> expressions = {}) {
  Program program;
  program.text = text;
  program.options = std::move(options);
  program.name_expressions = std::move(expressions);
  return nvrtc_compile(program, "sm_90");
}

std::string error_of(const std::string& text, std::vector<std::string> options = {},
                     std::vector<std::string> expressions = {}) {
  try {
    compile_text(text, std::move(options), std::move(expressions));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("nvrtc: a kernel becomes machine code, its parameters' sizes are known") {
  if (!has_nvrtc()) return;
  const auto unit = compile_text(R"(
    struct S { int a; double b; };
    extern "C" __global__ void __launch_bounds__(128) k(S s, const float* x, float4 v, bool b, short n) {
      if (b) ((float*)x)[0] = s.a + v.x + n;
    })");
  CHECK(unit.payload.substr(1, 3) == "ELF");
  REQUIRE(unit.info.kernels.size() == 1);
  const KernelInfo& k = unit.info.kernels[0];
  CHECK(k.name == "k");
  CHECK(k.max_threads == 128);
  REQUIRE(k.params.size() == 5);
  const uint32_t sizes[] = {16, 8, 16, 1, 2};
  for (int i = 0; i < 5; ++i) CHECK(k.params[i].size == sizes[i]);
}

TEST_CASE("nvrtc: name expressions lead to symbols, namespaces are kept") {
  if (!has_nvrtc()) return;
  const auto unit = compile_text(R"(
    namespace ns { template <class T> __global__ void scale(T* x, T s) { x[threadIdx.x] *= s; }
                   __device__ int counter; __constant__ float table[4];
                   __global__ void count(float* x) { atomicAdd(&counter, 1); x[0] = table[1]; } })",
                                 {}, {"ns::scale<float>", "ns::scale<double>"});
  CHECK(find_kernel(unit.info, "ns::scale<double>").symbol == "_ZN2ns5scaleIdEEvPT_S1_");
  CHECK(find_kernel(unit.info, "ns::count").symbol == "_ZN2ns5countEPf");
  CHECK(find_global(unit.info, "ns::counter").size == 4);
  CHECK(find_global(unit.info, "ns::table").size == 16);
  CHECK(find_global(unit.info, "ns::table").is_constant);
}

TEST_CASE("nvrtc: an error has the user's file, line, column, source and caret") {
  if (!has_nvrtc()) return;
  CHECK(error_of("__global__ void k(float* x) {\n  x[0] = nothing + 1;\n}\n") ==
        "kernel.cu does not compile\n"
        "kernel.cu:2:10: error: identifier \"nothing\" is undefined\n"
        "    2 |   x[0] = nothing + 1;\n"
        "      |          ^");
  CHECK(error_of("#line 12 \"train.py\"\n__global__ void k(float* x) { x = nothing; }")
            .find("\ntrain.py:12:35: error: ") != std::string::npos);
  CHECK(error_of("#include <no_such_header.h>\n").find("no_such_header.h") != std::string::npos);
}

TEST_CASE("nvrtc: a template's error says where it was instantiated") {
  if (!has_nvrtc()) return;
  const std::string text = error_of(
      "template <class T> __device__ T f(T v) { return v.size(); }\n"
      "__global__ void k(int* p) { p[0] = f(3); }\n");
  CHECK(text.find("kernel.cu:1:") != std::string::npos);
  CHECK(text.find("kernel.cu:2: note: in instantiation of \"T f(T) [with T=int]\"") !=
        std::string::npos);
}

TEST_CASE("nvrtc: text of integers gives no warning, whether they have a sign or not") {
  if (!has_nvrtc()) return;
  for (const std::string type : {"unsigned char", "unsigned int", "unsigned long long", "int"}) {
    const std::string kernel = "extern \"C\" __global__ void k(" + type + "* x) {\n" + R"(
      x[0] = ks_floor_divide(x[1], x[2]), x[3] = ks_remainder(x[4], x[5]), x[6] = ks_absolute(x[7]), x[8] = ks_reciprocal(x[9]);
      x[0] += ks_left_shift(x[1], x[2]), x[3] += ks_right_shift(x[4], x[5]), x[6] += ks_bitwise_count(x[7]);
    })";
    CHECK(compile_text("#define ks_helper __device__ __forceinline__\n" + helper_text(kernel) + kernel).info.warnings == "");
  }
}

TEST_CASE("nvrtc: warnings are kept, but unused variables are not worth one") {
  if (!has_nvrtc()) return;
  CHECK(compile_text("__global__ void k(int* x) { int unused = 3; x[0] = 1; }").info.warnings ==
        "");
  const std::string text =
      compile_text("__global__ void k(int* x) {\n  x[0] == 1;\n}").info.warnings;
  CHECK(text.find("kernel.cu:2:3: warning: expression has no effect") == 0);
}

TEST_CASE("nvrtc: a name expression that names nothing is named") {
  if (!has_nvrtc()) return;
  const std::string text =
      error_of("template <class T> __global__ void f(T* x) {}\n", {}, {"g<float>"});
  CHECK(text.find("names nothing in the text") != std::string::npos);
  CHECK(text.find("g") != std::string::npos);
}

TEST_CASE("nvrtc: an option that is not understood is refused by name") {
  if (!has_nvrtc()) return;
  CHECK(error_of("__global__ void k() {}", {"--no-such-option"}).find("--no-such-option") !=
        std::string::npos);
  CHECK(error_of("__global__ void k(int* x) { x[0] = N; }", {"-DN=3", "-std=c++14", "-lineinfo"}) ==
        "");
}

TEST_CASE("nvrtc: macros may have any name, parameters and no value") {
  if (!has_nvrtc()) return;
  CHECK(error_of("__global__ void k(T* x) {\n#if defined(FLAG) && FLAG == 1 && !defined(GONE)\n  "
                 "x[0] = ADD(x[1], M_PI) + N;\n#endif\n}",
                 {"-DT=float", "-DADD(a,b)=((a)+(b))", "-D", "N=3", "-DFLAG", "-DGONE", "-UGONE",
                  "-DM_PI=3"}) == "");
  CHECK(error_of("__global__ void k(int* x) { x[0] = A; }", {"-DA=1", "-DA=2"}) == "");
}

TEST_CASE("nvrtc: names that it lacks are there, unless the text declares them") {
  if (!has_nvrtc()) return;
  CHECK(error_of(R"(
    __global__ void k(int32_t* i, double* d, float* f, uchar* u) {
      i[0] = std::min(3, 4) + INT_MAX + std::numeric_limits<short>::max();
      d[0] = M_PI + DBL_MAX + std::max(1.0, d[1]); f[0] = FLT_MAX; f[1] = INFINITY + std::sqrt(f[2]);
      constexpr float inf = std::numeric_limits<float>::infinity(); f[2] = inf; u[0] = UINT8_MAX;
    })") == "");
  CHECK(error_of(
            "#define M_PI 3.0f\ntypedef long int64_t;\nusing uint = unsigned int;\n"
            "typedef struct { float x; } uchar;\nconst float INFINITY = 3;\n"
            "namespace cg { struct A {}; }\n"
            "__global__ void k(int64_t* x, uchar u, cg::A a) { x[0] = M_PI + u.x + INFINITY; }") ==
        "");
  CHECK(error_of(
            "#include <stdint.h>\n#include <cmath>\n#include <cuda_runtime.h>\n#include <stdio.h>\n"
            "__global__ void k(uint8_t* x) { printf(\"%d\", x[0]); }") == "");
  for (const char* standard : {"-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"})
    CHECK(error_of("__global__ void k(float* x) { x[0] = std::max(x[1], x[2]); }", {standard}) ==
          "");
}

TEST_CASE("nvrtc: complex numbers of generated text") {
  if (!has_nvrtc()) return;
  CHECK(error_of("__global__ void k(ks_complex64* x, ks_complex128* y) { x[0] = x[1] * x[2] / x[3] "
                 "+ 2.0f; "
                 "y[0] = exp(y[1]) * y[2] + sqrt(y[3]); y[1] = pow(y[2], 3) - conj(y[0]); }") ==
        "");
}

TEST_CASE("nvrtc: the C++ library beyond our own names is NVIDIA's") {
  if (!has_nvrtc() || nvrtc_headers().empty()) return;
  CHECK(error_of("#include <utility>\n#include <array>\n#include <functional>\n"
                 "template <class Op> __device__ float apply(Op op, float a, float b) { return "
                 "op(a, b); }\n"
                 "__global__ void k(float* x) { std::pair<int, float> p{1, 2.f}; std::array<float, "
                 "3> a{1, 2, 3};\n"
                 "  x[0] = p.second + a[threadIdx.x] + std::max(x[1], x[2]) + "
                 "apply(std::plus<float>(), x[3], x[4]);\n"
                 "  x[5] = std::numeric_limits<float>::max(); "
                 "static_assert(std::is_same<std::decay_t<const int&>, int>::value, \"\");\n"
                 "  int64_t i = INT64_MAX; x[6] = i; x[7] = std::bit_cast<float>(3); }") == "");
  CHECK(error_of("#include <complex>\n__global__ void k(std::complex<float>* z) { z[0] = z[1] * "
                 "z[2]; }") == "");
}

TEST_CASE("nvrtc: CUDA's own headers are found, and pulled in where only their names are used") {
  if (!has_nvrtc() || nvrtc_headers().empty()) return;
  CHECK(error_of("__global__ void k(__half* x) { x[0] = __hadd(x[1], x[2]); }") == "");
  CHECK(error_of("__global__ void k(float* x) { cg::thread_block b = cg::this_thread_block(); "
                 "b.sync(); x[b.thread_rank()] = 1; }") == "");
  CHECK(error_of("#include <curand_kernel.h>\n__global__ void k(float* x) { curandState s; "
                 "curand_init(1, 2, 3, &s); x[0] = curand_uniform(&s); }") == "");
  CHECK(error_of("#include <cub/block/block_reduce.cuh>\n__global__ void k(int* x) { using R = "
                 "cub::BlockReduce<int, 128>; "
                 "__shared__ R::TempStorage t; int s = R(t).Sum(x[threadIdx.x]); if (threadIdx.x "
                 "== 0) x[0] = s; }") == "");
}

TEST_CASE("nvrtc: files that the text includes are found, hashed and listed") {
  if (!has_nvrtc()) return;
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "kasoku_nvrtc_test";
  fs::create_directories(folder / "sub");
  std::ofstream(folder / "a.h") << "#include \"sub/b.h\"\n";
  std::ofstream(folder / "sub/b.h") << "#define N 7\n";
  const auto unit = compile_text("#include \"a.h\"\n__global__ void k(int* x) { x[0] = N; }",
                                 {"-I" + folder.string()});
  std::vector<IncludedFile> files = unit.info.includes;  // without those that were only looked for
  std::erase_if(files, [](const IncludedFile& file) { return file.hash == absent_file; });
  REQUIRE(files.size() == 2);
  CHECK(files[0].path == (folder / "a.h").string());
  CHECK(files[1].hash.size() == 32);
  fs::remove_all(folder);
}

TEST_CASE("nvrtc: headers given in memory are used") {
  if (!has_nvrtc()) return;
  Program program;
  program.text = "#include \"mine.h\"\n__global__ void k(int* x) { x[0] = MINE; }";
  program.headers = {{"mine.h", "#define MINE 3\n"}};
  CHECK(nvrtc_compile(program, "sm_90").info.kernels.size() == 1);
}

TEST_CASE("nvrtc: a GPU that it does not know gets PTX") {
  if (!has_nvrtc()) return;
  Program program;
  program.text = "__global__ void k(int* x) { x[0] = 1; }";
  CHECK(nvrtc_compile(program, "sm_199").payload.find(".visible .entry") != std::string::npos);
}

TEST_CASE("nvrtc: a macro that is defined again behind our names is no warning") {
  const std::string again =
      "x.h(42): warning #47-D: incompatible redefinition of macro \"INT_MIN\" (declared at line 63 "
      "of kasoku_names.h)\n"
      "  #define INT_MIN 3\n          ^\n\n";
  CHECK(read_nvrtc_log(again).warnings == "");
  CHECK(read_nvrtc_log("k.cu(2): warning #47-D: incompatible redefinition of macro \"A\" (declared "
                       "at line 1)\n  #define A 3\n          ^\n")
            .warnings ==
        "k.cu:2:9: warning: incompatible redefinition of macro \"A\" (declared at line 1) "
        "[#47-D]\n    2 | #define A 3\n      |         ^\n");
}

TEST_CASE("nvrtc: shared arrays that no block has room for are told as a launch tells them") {
  const auto error = shared_memory_error(
      "ptxas error   : Entry function '_Z5tilesPf' uses too much shared data (0x800000 bytes, 0xc000 max)\n");
  REQUIRE(error);
  CHECK(std::string(error->what()).find("kernel 'tiles' declares 8.0 MiB of shared memory, and a block has 48.0 KiB") == 0);
  CHECK_FALSE(shared_memory_error("k.cu(2): error: too much shared data"));
}

TEST_CASE("ptx: symbols become the source's names") {
  CHECK(source_name("add") == "add");
  CHECK(source_name("_Z3addPfi") == "add");
  CHECK(source_name("_ZN2ns5scaleIfEEvPT_S1_") == "ns::scale<float>");
  CHECK(source_name("_ZN2ns7counterE") == "ns::counter");
}

TEST_CASE("nvrtc: launches are found in code alone") {
  CHECK(launches_kernels("k<<<1, 2>>>();"));
  CHECK(launches_kernels("f(\"\\\"//\"); k <<<1, 2>>>();"));
  CHECK_FALSE(launches_kernels("// k<<<1, 2>>>();\n/* k<<<1, 2>>>() */ x << < y; printf(\"<<<\"); /* open"));
  CHECK_FALSE(launches_kernels(""));
}

TEST_CASE("nvrtc: kernels that launch kernels are linked with CUDA's device runtime") {
  if (!has_nvrtc()) return;
  const std::string text = "__global__ void k(int* x) { *x = 1; } __global__ void p(int* x) { k<<<1, 1>>>(x); }";
  const std::string error = error_of(text);
  if (error.find("is not installed") != error.npos) {
    MESSAGE("skipped: ", error);
    return;
  }
  REQUIRE(error == "");
  const auto unit = compile_text(text);
  CHECK(unit.payload.substr(1, 3) == "ELF");
  CHECK(unit.payload[16] == 2);  // not to be linked any more
  REQUIRE(unit.info.kernels.size() == 2);
  CHECK(unit.info.kernels[1].params[0].is_written);
}

TEST_CASE("nvrtc: the corpus compiles for a GPU") {
  if (!has_nvrtc() || nvrtc_headers().empty()) return;
  int compiled = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(KASOKU_TESTS_DIR) + "/kernels")) {
    if (entry.path().extension() != ".cu") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    if (text.str().find("helper_math.h") != std::string::npos) continue;  // of NVIDIA's samples; the CPU's prelude has its own
    const bool needs_macros = text.str().find("SCALE") != std::string::npos;
    CAPTURE(entry.path().string());
    const std::string error =
        error_of(text.str(), needs_macros ? std::vector<std::string>{"-DSCALE=3", "-DN=4"}
                                          : std::vector<std::string>{});
    CHECK(error == "");
    ++compiled;
  }
  MESSAGE(compiled, " files of the corpus compiled by NVRTC");
}
