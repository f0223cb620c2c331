// The build's tool. `kasoku_make_pch PCH` writes the precompiled prelude; `kasoku_make_pch PCH
// ORDER` compiles with it and writes which functions that took, for the linker.
#include "kasoku/compile/clang/first_calls.h"
#include "kasoku/compile/clang/generate.h"
#include "kasoku/compile/clang/parse.h"
#include "kasoku/compile/clang/prelude_files.h"
#include "kasoku/compile/clang/usual_kernels.h"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace kasoku::embedded {
namespace {

std::string pch;

void compile_usual_kernels() {
  for (const char* cpu : {"x86-64-v3", "x86-64-v4"})
    for (const UsualKernel& kernel : usual_kernels) {
      ParseRequest parse;
      parse.text = kernel.text;
      parse.file = "kernel.cu";
      parse.is_generated = kernel.is_generated;
      const ParseResult parsed = parse_text(parse);
      if (!parsed.ok) throw std::runtime_error(parsed.diagnostics);
      GenerateRequest generate;
      generate.bitcode = parsed.bitcode;
      generate.symbol = kernel.symbol;
      std::copy(std::begin(kernel.block), std::end(kernel.block), generate.block);
      generate.cpu = cpu;
      generate.is_generated = kernel.is_generated;
      generate_kernel(generate);
    }
}

void write(const char* path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.flush()) throw std::runtime_error(std::string("cannot write ") + path);
}

}  // namespace

std::string_view embedded_pch() { return pch; }

}  // namespace kasoku::embedded

int main(int argc, char** argv) {
  using namespace kasoku::embedded;
  if (argc != 2 && argc != 3) return 2;
  try {
    if (argc == 2) {
      write(argv[1], make_pch());
      return 0;
    }
    std::ifstream file(argv[1], std::ios::binary);
    pch.assign(std::istreambuf_iterator<char>(file), {});
    compile_usual_kernels();
    std::string order;
    for (const std::string& name : first_calls()) order += name + '\n';
    write(argv[2], order);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
