// The build's tool: writes the precompiled prelude to the file it is given.
#include "kasoku/compile/clang/parse.h"

#include <cstdio>
#include <exception>
#include <fstream>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const std::string pch = kasoku::embedded::make_pch();
    std::ofstream file(argv[1], std::ios::binary);
    file.write(pch.data(), static_cast<std::streamsize>(pch.size()));
    return file.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
