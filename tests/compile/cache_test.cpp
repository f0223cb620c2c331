/// Laws of kasoku/compile/cache.cpp and key.cpp: what decides a key, who compiles.
#include "kasoku/compile/cache.h"

#include "kasoku/base/error.h"
#include "kasoku/base/file.h"
#include "kasoku/compile/key.h"
#include "kasoku/compile/serial.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <random>
#include <set>
#include <thread>

using namespace kasoku;

namespace {

Hash128 number(uint64_t i) { return {i, i * 0x9e3779b97f4a7c15u}; }

Compiler::Unit sample_unit() {
  Compiler::Unit unit;
  KernelInfo kernel;
  kernel.name = "add";
  kernel.symbol = "_Z3add";
  kernel.line = 7;
  ParamInfo param;
  param.name = "x";
  param.type = "const float *";
  param.kind = ParamKind::pointer;
  param.dtype = Dtype::float32;
  param.size = 8;
  param.is_const = true;
  param.is_written = false;
  kernel.params = {param, param};
  kernel.uses_grid_sync = true;
  unit.info.kernels = {kernel, kernel};
  unit.info.globals = {{"counter", "counter", 4, 4, true}};
  unit.info.expressions = {{"add<float>", "_Z3add"}};
  unit.info.includes = {{"/a/b.h", "00"}};
  unit.info.warnings = "warned";
  unit.initial_values = {{"counter", std::string("\0\1\2\3", 4)}};
  unit.payload = std::string("bit\0code", 8);
  return unit;
}

}  // namespace

TEST_CASE("key: whatever decides the code decides the key") {
  Program base;
  base.text = "text";
  base.options = {"-DA", "-DB"};
  base.name_expressions = {"f<int>"};
  base.headers = {{"a.h", "int a;"}};
  std::vector<Program> others(9, base);
  others[0].text = "text ";
  others[1].file = "other.cu";
  others[2].options = {"-DB", "-DA"};
  others[3].options = {"-DA-DB"};
  others[4].name_expressions = {};
  others[5].headers = {{"a.h", "int b;"}};
  others[6].headers = {{"a.hi", "nt a;"}};
  others[7].is_generated = true;
  others[8].options = {"-DA"}, others[8].name_expressions = {"-DB", "f<int>"};
  std::set<Hash128> seen{program_key(base, "clang 19").hash};
  CHECK(program_key(base, "clang 19").hash == *seen.begin());
  for (const Program& other : others) CHECK(seen.insert(program_key(other, "clang 19").hash).second);
  CHECK(seen.insert(program_key(base, "clang 20").hash).second);
  KernelInfo kernel;
  kernel.symbol = "k";
  const uint32_t one[3] = {256, 1, 1}, two[3] = {1, 256, 1};
  CHECK(kernel_key({1, 2}, kernel, one, "c").hash != kernel_key({1, 2}, kernel, two, "c").hash);
  CHECK(kernel_key({1, 2}, kernel, one, "c").hash != kernel_key({2, 1}, kernel, one, "c").hash);
}

TEST_CASE("entry: a unit goes to bytes and back, and no damage does more than be refused") {
  const std::string bytes = to_bytes(sample_unit());
  Compiler::Unit unit;
  REQUIRE(from_bytes(bytes, unit));
  CHECK(to_bytes(unit) == bytes);
  CHECK(unit.info.kernels[1].params[0].is_const);
  CHECK_FALSE(unit.info.kernels[1].params[0].is_written);
  CHECK(unit.initial_values.at("counter").size() == 4);
  for (size_t size = 0; size < bytes.size(); ++size) {
    Compiler::Unit cut;
    CHECK_FALSE(from_bytes(bytes.substr(0, size), cut));
  }
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = bytes;
    for (int j = 0; j < 4; ++j) damaged[random() % damaged.size()] = static_cast<char>(random());
    Compiler::Unit any;
    from_bytes(damaged, any);
    KernelCode code;
    from_bytes(damaged, code);
  }
}

TEST_CASE("module table: what was inserted is found while others insert, and nothing else") {
  ModuleTable table;
  CHECK(table.find(number(1)) == nullptr);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::atomic<uint64_t> inserted{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t)
    readers.emplace_back([&] {
      while (!stop) {
        const uint64_t known = inserted.load();
        for (uint64_t i = 0; i < known; i += 17) wrong += table.find(number(i + 1)) == nullptr;
        wrong += table.find(number(~known)) != nullptr;
      }
    });
  // Hashes that are not there, whose places others take soon.
  readers.emplace_back([&] {
    while (!stop)
      for (uint64_t next = inserted.load() + 1, k = 0; k < 4; ++k) wrong += table.find({next + k, 1}) != nullptr;
  });
  for (uint64_t i = 0; i < 300000; ++i) {
    table.insert({number(i + 1), nullptr, {}});
    inserted = i + 1;
  }
  stop = true;
  for (auto& reader : readers) reader.join();
  CHECK(wrong == 0);
  table.insert({number(1), nullptr, {FileStamp{}}});
  CHECK(table.find(number(1))->includes.size() == 1);
}

TEST_CASE("once per key: one works, all get the result; an error reaches each as its own") {
  OncePerKey<int> once;
  std::atomic<int> works{0}, sum{0}, errors{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&] {
      sum += once.run(number(1), [&] {
        ++works;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return 5;
      });
      try {
        once.run(number(2), [&]() -> int {
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
          throw Error(ErrorKind::compile, "no");
        });
      } catch (Error& error) {
        error.at("a line of this thread");
        errors += std::string(error.what()) == "no\n  at   a line of this thread";
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(works == 1);
  CHECK(sum == 16 * 5);
  CHECK(errors == 16);
  CHECK(once.run(number(1), [] { return 6; }) == 6);
}

TEST_CASE("include stamps: a touched file holds, a changed one does not") {
  const std::string file = "/tmp/kasoku_stamp_" + std::to_string(getpid());
  REQUIRE(write_file_atomically(file, "int a;"));
  const auto stamp = cache::stamp(file);
  REQUIRE(stamp);
  CHECK(cache::holds(*stamp));
  REQUIRE(write_file_atomically(file, "int a;"));  // another file with the same content
  CHECK(cache::holds(*stamp));
  REQUIRE(write_file_atomically(file, "int b;"));
  CHECK_FALSE(cache::holds(*stamp));
  unlink(file.c_str());
  CHECK_FALSE(cache::holds(*stamp));
  CHECK_FALSE(cache::stamp(file));
}
