// How blocks run on the CPU: which threads form a granule is visible in the code's
// description, results are the corpus's business (tests/kernels).
#include "kasoku/compile/clang.h"
#include "kasoku/compile/clang/clang_api.h"

#include <doctest/doctest.h>
#include <dlfcn.h>

#include <string>

using namespace kasoku;

namespace {

struct Library {
  decltype(&ks_clang_parse) parse;
  decltype(&ks_clang_generate) generate;
  decltype(&ks_clang_get) get;
  decltype(&ks_clang_free) free;

  Library() {
    void* handle = dlopen(clang_library().c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(handle, dlerror());
    parse = reinterpret_cast<decltype(parse)>(dlsym(handle, "ks_clang_parse"));
    generate = reinterpret_cast<decltype(generate)>(dlsym(handle, "ks_clang_generate"));
    get = reinterpret_cast<decltype(get)>(dlsym(handle, "ks_clang_get"));
    free = reinterpret_cast<decltype(free)>(dlsym(handle, "ks_clang_free"));
  }
};

ks_text view(const std::string& text) { return {text.data(), text.size()}; }

struct Generated {
  int status = 0;
  std::string main, info, diagnostics;
};

Generated generate(const std::string& body, uint32_t x, uint32_t y = 1, int want = KS_OBJECT) {
  static const Library library;
  const std::string text =
      "extern \"C\" __global__ void kernel(int n, float* x, float* y) { int t = threadIdx.x; "
      "__shared__ float s[1024]; (void)s; (void)t;\n" + body + "\n}";
  const std::string file = "kernel.cu", symbol = "kernel", cpu = "x86-64-v3";
  ks_parse_request parse{};
  parse.text = view(text);
  parse.file = view(file);
  ks_clang_result* parsed = nullptr;
  REQUIRE(library.parse(&parse, &parsed) == 0);
  ks_generate_request request{};
  request.bitcode = library.get(parsed, KS_MAIN);
  request.symbol = view(symbol);
  request.block[0] = x, request.block[1] = y, request.block[2] = x ? 1 : 0;
  request.cpu = view(cpu);
  request.want = want;
  ks_clang_result* result = nullptr;
  Generated generated;
  generated.status = library.generate(&request, &result);
  const auto part = [&](int which) {
    const ks_text text = library.get(result, which);
    return std::string(text.data ? text.data : "", text.size);
  };
  generated.main = part(KS_MAIN);
  generated.info = part(KS_INFO);
  generated.diagnostics = part(KS_DIAGNOSTICS);
  library.free(result);
  library.free(parsed);
  return generated;
}

bool runs_by(const Generated& generated, const std::string& granule) {
  return generated.info.find("\"granule\":\"" + granule + "\"") != std::string::npos;
}

}  // namespace

TEST_CASE("generate: barriers that all threads reach keep the block together") {
  CHECK(runs_by(generate("for (int d = n; d > 0; d >>= 1) { if (t < d) s[t] += s[t + d]; "
                         "__syncthreads(); } x[t] = s[t];", 256), "block"));
  CHECK(runs_by(generate("if (n > 3) { s[t] = x[t]; __syncthreads(); x[t] = s[255 - t]; }", 256),
                "block"));
}

TEST_CASE("generate: warps that part company run one by one") {
  CHECK(runs_by(generate("if (t < 32) x[t] = __shfl_down_sync(~0u, x[t], 4);", 256), "warp"));
  CHECK(runs_by(generate("if (t / 32 == 1) { s[t] = x[t]; __syncwarp(); x[t] = s[t ^ 1]; }", 128),
                "warp"));
}

TEST_CASE("generate: what lanes hand each other stays in vector registers") {
  const char* sum = "float v = x[t + n]; for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d); ";
  const Generated text = generate(sum + std::string("if ((t & 31) == 0) s[t / 32] = v; __syncthreads(); "
                                                    "if (t == 0) y[0] = s[0] + s[1];"), 64, 1, KS_IR);
  CHECK(runs_by(text, "warp"));
  CHECK(text.info.find("\"scratch_bytes\":0,") != std::string::npos);
  CHECK(text.main.find("alloca") == std::string::npos);
  CHECK(text.main.find("shufflevector") != std::string::npos);
}

TEST_CASE("generate: threads that leave or wait come along without doing anything") {
  CHECK(runs_by(generate("if (t >= n) return; s[t] = x[t]; __syncthreads(); x[t] = s[n - 1 - t];",
                         256), "block"));
  CHECK(runs_by(generate("if (x[t] > 0) return; s[t] = x[t]; if (y[t] > 0) { y[t] = 1; return; } "
                         "for (int i = 0; i < n; ++i) { __syncthreads(); s[t] += s[t ^ i]; "
                         "__syncthreads(); } x[t] = s[t];", 64), "block"));
  CHECK(runs_by(generate("if (t >= 32) return; s[t] = x[t]; __syncthreads(); x[t] = s[31 - t];", 64),
                "block"));
  CHECK(runs_by(generate("if (x[t] > 0) y[t] = __shfl_xor_sync(__activemask(), x[t], 1);", 64),
                "warp"));
}

TEST_CASE("generate: barriers that threads reach differently keep a state for each") {
  CHECK(runs_by(generate("for (int i = 0; i < t; ++i) { s[t] = x[i]; __syncthreads(); }", 64),
                "thread"));
  CHECK(runs_by(generate("if (x[t] > 0) __syncthreads(); else { s[t] = 1; __syncthreads(); } "
                         "y[t] = s[t];", 64), "thread"));
}

TEST_CASE("generate: a block of one thread needs no scratch") {
  const Generated generated = generate("s[0] = x[0]; __syncthreads(); x[1] = s[0];", 1);
  CHECK(generated.info.find("\"scratch_bytes\":0,") != std::string::npos);
}

TEST_CASE("generate: guarded elementwise kernels come out as plain vectors, without masks") {
  const Generated text = generate("int i = blockIdx.x * blockDim.x + t; if (i < n) y[i] = 2 * x[i];",
                                  256, 1, KS_IR);
  CHECK(text.main.find("<8 x float>") != std::string::npos);
  CHECK(text.main.find("masked.store") == std::string::npos);
}

TEST_CASE("generate: no thread asks where guards one behind the other leave out what does nothing") {
  const std::string ij = "int i = blockIdx.x * blockDim.x + t, j = blockIdx.y * blockDim.y + threadIdx.y; ";
  const auto stores = [&](const std::string& body) {  // of one thread: what vectors leave of a row
    const std::string text = generate(ij + body, 32, 8, KS_IR).main;
    int count = 0;
    for (size_t at = 0; (at = text.find("store float ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  CHECK(stores("if (i > 0 && i < n - 1 && j > 0 && j < n - 1) y[j * n + i] = 2 * x[j * n + i];") == 1);
  CHECK(stores("if (i == 0 || j == 0 || i >= n - 1 || j >= n - 1) return; y[j * n + i] = 2 * x[j * n + i];") == 1);
}

TEST_CASE("generate: rows of neighbouring blocks are one row if the kernel cannot tell") {
  const auto loop_over_row = [](const std::string& body, uint32_t x, uint32_t y) {
    return generate(body, x, y, KS_IR).main.find("%row = ") != std::string::npos;
  };
  const std::string i = "int i = blockIdx.x * blockDim.x + t; ", guarded = "if (i < n) y[i] = 2 * x[i];";
  for (const auto& [x, y] : {std::pair{32u, 8u}, {256u, 1u}, {8u, 8u}, {16u, 64u}})
    CHECK(loop_over_row(i + guarded, x, y));
  CHECK(loop_over_row("size_t i = blockIdx.x * (size_t)blockDim.x + t; if (i < n) y[i] = x[i];", 64, 1));
  CHECK(loop_over_row("unsigned i = t + (blockIdx.x << 5); if (i > 0 && i < n - 1) y[i] = x[i - 1];", 32, 4));
  CHECK_FALSE(loop_over_row(i + "if (i < n) y[i] = x[t];", 32, 8));
  CHECK_FALSE(loop_over_row(i + "if (i < n) y[i] = x[i & 31];", 32, 8));
  CHECK_FALSE(loop_over_row(i + "if (i < n) y[i] = x[blockIdx.x];", 32, 8));
  CHECK_FALSE(loop_over_row("int i = blockIdx.x * 16 + t; y[i] = 2 * x[i];", 32, 8));
  CHECK_FALSE(loop_over_row(i + guarded, 96, 1));
  CHECK_FALSE(loop_over_row(i + "s[t] = x[i]; __syncthreads(); y[i] = s[t ^ 1];", 32, 8));
}

TEST_CASE("generate: numbers that threads have side by side are one row") {
  const std::string text =
      generate(
          "int i = blockIdx.x * 256 + t; float4 v = ((float4*)y)[i], u = ((float4*)x)[i]; v.x += u.x * n; "
          "v.y += u.y * n; v.z += u.z * n; v.w += u.w * n; ((float4*)y)[i] = v;",
          256, 1, KS_IR)
          .main;
  CHECK(text.find("store <8 x float>") != std::string::npos);
  CHECK(text.find("store <4 x float>") == std::string::npos);
}

TEST_CASE("generate: a grid-stride loop whose passes are apart has any grid") {
  const auto has_any_grid = [](const std::string& body) {
    const std::string loop = "for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) ";
    const std::string info = generate(loop + body, 128).info;
    CHECK(info.find("\"granule\":\"blocks\"") != std::string::npos);
    return info.find("\"spans_blocks\":false") != std::string::npos;
  };
  CHECK(has_any_grid("y[i] = 2 * x[i] + y[i];"));
  CHECK(has_any_grid("if (x[2 * i + 1] > 0) y[i] = x[2 * i] + x[0];"));
  CHECK_FALSE(has_any_grid("y[i] = y[i + 1];"));
  CHECK_FALSE(has_any_grid("y[0] = x[i];"));
  CHECK_FALSE(has_any_grid("y[i] = x[(int)x[i]];"));
  CHECK_FALSE(has_any_grid("y[i] = x[i] + t;"));
  CHECK_FALSE(has_any_grid("y[i] = x[i] + gridDim.x;"));
  CHECK_FALSE(has_any_grid("atomicAdd(y + i, x[i]);"));
}

TEST_CASE("generate: warps are vectors where one lane does more, where the last pass is not full, "
          "where loops are as long as the warp wants") {
  const auto sums_of_one = [](const std::string& body) {
    const std::string text = generate(body, 256, 1, KS_IR).main;
    int n = 0;
    for (size_t at = 0; (at = text.find("fadd contract float", at)) != std::string::npos; ++at) ++n;
    return n;
  };
  const std::string v = "float v = x[t]; v += __shfl_xor_sync(~0u, v, 16); ";
  CHECK(sums_of_one(v + "if ((t & 31) == 31) s[t >> 5] = v; __syncthreads(); y[t] = v + s[0];") == 0);
  CHECK(sums_of_one(v + "s[t] = v; __syncthreads(); float sum = 0; for (int w = 0; w < t >> 5; ++w) "
                        "sum += s[t + w]; y[t] = sum;") == 0);
  const std::string leader = generate("unsigned b = 0, v = __ballot_sync(~0u, x[t] > 0); if (t % 32 == 0) "
      "b = atomicAdd((unsigned*)y + blockIdx.x, __popc(v)); x[t] = __shfl_sync(~0u, b, 0) + t;", 32, 1, KS_IR).main;
  CHECK(leader.find("atomicrmw") == leader.rfind("atomicrmw"));
  CHECK(leader.find("store <8 x float>") != std::string::npos);
  CHECK(leader.find("store i32") == std::string::npos);
  CHECK(generate("float v = 0; for (int i = ((int*)y)[t / 32] + t % 32; i < n; i += 32) v += x[i]; "
                 "x[t] = v + __shfl_xor_sync(~0u, v, 16);", 256, 1, KS_IR)
            .main.find("llvm.masked.load.v8f32") != std::string::npos);
}

TEST_CASE("generate: blocks stop together where all of them add to one counter and use what it held") {
  const auto stops = [](const std::string& body, uint32_t block = 256, uint32_t rows = 1) {
    const std::string text = "unsigned* c = (unsigned*)y; int i = blockIdx.x * 256 + t; (void)i; (void)c;" + body;
    return generate(text, block, rows).info.find("\"blocks_in_turn\":0") == std::string::npos;
  };
  const std::string ballot = "unsigned v = __ballot_sync(~0u, x[i] > 0), b = 0; ";
  CHECK(stops("if (i < n && x[i] > 0) x[atomicAdd(c, 1u)] = i;"));
  CHECK(stops("if (x[i] > 0) x[atomicAdd(c, (unsigned)n)] = i;", 100));
  CHECK(stops("for (; i < n; i += gridDim.x * 256) if (x[i] > 0) x[atomicAdd(c + 3, 1u)] = i;"));
  CHECK(stops(ballot + "if (t % 32 == 0) b = atomicAdd(c, (unsigned)__popc(v)); x[i] = __shfl_sync(~0u, b, 0);"));
  CHECK(stops("s[t] = x[i]; __syncthreads(); if (t == 0) s[0] = atomicAdd(c, (unsigned)s[5]); __syncthreads(); x[i] = s[0];"));
  CHECK(stops("if (x[i] > 0) x[atomicAdd(c, 1u)] = i; else x[n - atomicAdd(c + 1, 1u)] = i;", 32, 8));
  CHECK(stops("if (atomicCAS((int*)x + i % n, 0, 1) == 0) x[atomicAdd(c, 1u)] = i;"));

  CHECK_FALSE(stops("if (x[i] > 0) atomicAdd(c, 1u);"));
  CHECK_FALSE(stops("x[i] = atomicAdd(y, 1.0f);"));
  CHECK_FALSE(stops("x[i] = atomicAdd(c + i, 1u);"));
  CHECK_FALSE(stops("x[i] = atomicAdd(c + blockIdx.y, 1u);"));
  CHECK_FALSE(stops("x[i] = atomicAdd((int*)s, 1);"));
  CHECK_FALSE(stops("x[i] = atomicAdd(c, (unsigned)i);"));
  CHECK_FALSE(stops("x[i] = atomicAdd(c, 1u);", 16, 16));
  CHECK_FALSE(stops("x[i] = atomicAdd(c, 1u);", 1));
  CHECK_FALSE(stops("while (atomicAdd(c, 1u) < n) x[i] += 1;"));
  CHECK_FALSE(stops("for (int k = 0; k < x[i]; ++k) x[atomicAdd(c, 1u)] = k;"));
  CHECK_FALSE(stops("x[atomicAdd(c, 1u)] = ((volatile float*)x)[i];"));
  CHECK_FALSE(stops("x[i] = 1; __threadfence(); s[0] = atomicAdd(c, 1u); if (s[0] == n) x[0] = 2;"));
  CHECK_FALSE(stops("while (atomicExch((int*)c + 1, 1)) {} x[atomicAdd(c, 1u)] = i; atomicExch((int*)c + 1, 0);", 32));
}

TEST_CASE("generate: what a function returns in vectors of two becomes vectors of threads") {
  const Generated text = generate(
      "int i = blockIdx.x * blockDim.x + t; float4 sum = make_float4(0, 0, 0, 0);"
      "for (int j = 0; j < n; ++j) { float4 a = ((float4*)x)[j]; sum.x += a.x * i; sum.y += sqrtf(a.y); }"
      "((float4*)y)[i] = make_float4(sum.x, sum.y, 0, 1);", 128, 1, KS_IR);
  CHECK(text.main.find("fmul contract <8 x float>") != std::string::npos);
}

TEST_CASE("generate: atomics on shared memory lock nothing") {
  const char* set = "s[t] = 0; __syncthreads(); ";
  for (const char* p : {"int* p = (int*)s;", "int* p = (int*)s + n;",
                        "__shared__ int b[256]; int* p = x[t] > 0 ? (int*)s : b; __syncthreads();"})
    CHECK(generate(p + std::string(set) + "atomicAdd(p + (int)x[t], 1); __syncthreads(); y[t] = s[t];",
                   256, 1, KS_IR).main.find("atomicrmw") == std::string::npos);
}

TEST_CASE("generate: a block that jumps through memory asks for its next rows") {
  const auto asks = [](const std::string& loop) {
    const std::string body = "s[t] = 0; __syncthreads(); " + loop + " __syncthreads(); y[t] = s[t];";
    const std::string text = generate(body, 256, 1, KS_IR).main;
    size_t lines = 0;
    for (size_t at = 0; (at = text.find("call void @llvm.prefetch", at)) != text.npos; ++at) ++lines;
    return lines;
  };
  const std::string first = "for (int i = blockIdx.x * blockDim.x + t; i < n; ", add = "atomicAdd((int*)s + ";
  CHECK(asks(first + "i += blockDim.x * gridDim.x) " + add + "((unsigned char*)x)[i], 1);") == 4);
  CHECK(asks(first + "i += blockDim.x * gridDim.x) " + add + "((unsigned char*)x)[i % n + i / n], 1);") == 0);
  CHECK(asks(first + "i += 256) " + add + "((unsigned char*)x)[i], 1);") == 0);  // the processor looks ahead itself
}

TEST_CASE("generate: threads that count by data, which no vector does, go four at a time") {
  const auto stores = [](const std::string& count) {
    const std::string text =
        generate("s[t] = 0; __syncthreads(); " + count + " __syncthreads(); y[t] = s[t];", 256, 1, KS_IR).main;
    size_t found = 0;
    for (size_t at = 0; (at = text.find("store i32 %", at)) != text.npos; ++at) ++found;
    return found;
  };
  CHECK(stores("atomicAdd((int*)s + ((unsigned char*)x)[t], n);") == 4);
  CHECK(stores("if (t < n) atomicAdd((int*)s + ((unsigned char*)x)[t], n);") == 5);  // and what four leave
  CHECK(stores("if (x[t] > 0) atomicAdd((int*)s + ((unsigned char*)x)[t], n);") == 1);
}

TEST_CASE("generate: integer atomics of all threads on one address are summed first") {
  CHECK(generate("if (x[t] > 0) atomicAdd((int*)y, 1);", 256, 1, KS_IR)
            .main.find("llvm.vector.reduce.add") != std::string::npos);
  CHECK(generate("if (x[t] > 0) { atomicAdd((int*)y, 1); x[t] = y[0]; }", 256, 1, KS_IR)
            .main.find("llvm.vector.reduce.add") == std::string::npos);
  CHECK(generate("atomicAdd(y, x[t]);", 256, 1, KS_IR).main.find("atomicrmw fadd") !=
        std::string::npos);
}

TEST_CASE("generate: any block shape and every form of output") {
  CHECK(generate("x[t] = n; __syncthreads(); y[t] = x[n - t];", 0, 0).status == 0);
  CHECK(generate("x[t] = n;", 64, 2, KS_ASSEMBLY).main.find("ks_entry") != std::string::npos);
}
