/// \file tests/device/objects.h
/// Machine code for tests of the loader and of launches, made by the system's C++
/// compiler: entries as compile/clang/abi.h describes them, without the embedded one.
#pragma once

#include "kasoku/base/file.h"
#include "kasoku/base/hash.h"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace kasoku::test {

inline const char* entry_head = R"(
#include <stdint.h>
#include <stddef.h>
struct Launch { uint32_t grid[3], block[3], shared_bytes, reserved; char* shared; char* scratch;
                volatile int* status; void* runtime; };
extern "C" int ks_rt_printf(const char*, const void*);
extern "C" void ks_rt_assert_fail(const char*, const char*, unsigned, const char*);
extern "C" void ks_rt_trap();
#define ENTRY extern "C" void entry(void* const* args, const Launch* launch, uint64_t first, uint64_t last)
#define ARG(type, i) (*(type*)args[i])
)";

/// The object of `text` after entry_head; each text is compiled once a process.
inline std::string object(const std::string& text, const std::string& flags = "") {
  static std::mutex mutex;
  static std::map<std::string, std::string> made;
  std::lock_guard lock(mutex);
  std::string& bytes = made[text + flags];
  if (bytes.empty()) {
    const std::string base =
        "/tmp/kasoku_object_" + std::to_string(getpid()) + "_" + hash128(text + flags).hex();
    write_file_atomically(base + ".cpp", entry_head + text);
    const std::string command = "c++ -std=c++17 -O2 -fPIC -fno-exceptions -fno-stack-protector "
                                "-fno-asynchronous-unwind-tables -w " +
                                flags + " -c " + base + ".cpp -o " + base + ".o";
    const int status = std::system(command.c_str());
    bytes = read_file(base + ".o").value_or("");
    unlink((base + ".cpp").c_str());
    unlink((base + ".o").c_str());
    if (status != 0 || bytes.empty()) throw std::runtime_error("c++ failed: " + command);
  }
  return bytes;
}

}  // namespace kasoku::test
