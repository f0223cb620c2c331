/// Laws of kasoku/device/cpu/loader.cpp.
#include "kasoku/device/cpu/loader.h"

#include "objects.h"

#include "kasoku/base/error.h"
#include "kasoku/device/cpu/runtime.h"

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <cmath>
#include <fstream>
#include <random>
#include <vector>

using namespace kasoku;
using namespace kasoku::cpu;
using kasoku::test::object;

namespace {

using Entry = double (*)(double);

double plus_hundred(double x) { return x + 100; }

}  // namespace

TEST_CASE("loader: code, constants, tables, variables and calls find each other") {
  const std::string bytes = object(R"(
    extern "C" double sin(double); extern "C" double plus_hundred(double);
    extern "C" void* memcpy(void*, const void*, size_t);
    extern double outer; 
    static double counter = 3; static double zeros[1000];
    static const double table[] = {1.5, 2.5, 3.5};
    extern const char* const words[]; const char* const words[] = {"a", "bc"};
    double pick(int i) { switch (i) { case 0: return 10; case 1: return 20.5; case 2: return 31;
      case 3: return 42; case 4: return 55; case 5: return table[1]; default: return 0; } }
    extern "C" double run(double x) {
      counter += 1; zeros[999] += 1; char copy[200]; memcpy(copy, &x, (size_t)x);
      return sin(x) + plus_hundred(x) + outer + counter + zeros[999] + pick((int)x) + words[1][1];
    })");
  static double outer = 1000;
  const auto resolve = [](const std::string& name) -> void* {
    if (name == "plus_hundred") return reinterpret_cast<void*>(&plus_hundred);
    if (name == "outer") return &outer;
    return find_runtime_function(name);
  };
  const auto run = reinterpret_cast<Entry>(load_object(bytes, "run", resolve));
  CHECK(run(5) == doctest::Approx(std::sin(5.0) + 105 + 1000 + 4 + 1 + 2.5 + 'c'));
  CHECK(run(1) == doctest::Approx(std::sin(1.0) + 101 + 1000 + 5 + 2 + 20.5 + 'c'));
  const auto other = reinterpret_cast<Entry>(load_object(bytes, "run", resolve));
  CHECK((other != run));
  CHECK(other(2) == doctest::Approx(std::sin(2.0) + 102 + 1000 + 4 + 1 + 31 + 'c'));
}

TEST_CASE("loader: sections that want more than 64 bytes of alignment get it") {
  const std::string bytes = object(R"(
    alignas(4096) static char page[4096]; alignas(2048) static const char half[2048] = {1};
    extern "C" double run(double) { return (double)(((size_t)page % 4096) + ((size_t)half % 2048)); })");
  const auto run = reinterpret_cast<Entry>(load_object(bytes, "run", find_runtime_function));
  CHECK(run(0) == 0);
}

TEST_CASE("loader: an unknown symbol is named") {
  const std::string bytes =
      object("double nobody_has_this(double); extern \"C\" double run(double x) { "
             "return nobody_has_this(x) + 1; }");
  CHECK_THROWS_WITH_AS(load_object(bytes, "run", find_runtime_function),
                       "the kernel uses 'nobody_has_this(double)', which it does not define and kasoku does not have on a CPU",
                       Error);
  CHECK_THROWS_WITH_AS(load_object(bytes, "walk", [](const std::string&) -> void* {
                         return reinterpret_cast<void*>(&plus_hundred);
                       }), "compiled code cannot be loaded: it has no function 'walk'", Error);
}

TEST_CASE("loader: registered functions are found, and libc's others are not") {
  register_runtime_function("ks_test_function", reinterpret_cast<void*>(&plus_hundred));
  CHECK(find_runtime_function("ks_test_function") == reinterpret_cast<void*>(&plus_hundred));
  CHECK(find_runtime_function("sinf") != nullptr);
  CHECK(find_runtime_function("_ZGVdN4v_sin") != nullptr);
  CHECK(find_runtime_function("memset") != nullptr);
  CHECK(find_runtime_function("__udivti3") != nullptr);
  CHECK(find_runtime_function("system") == nullptr);
}

TEST_CASE("loader: whatever the bytes are, the outcome is an address or an error") {
  const std::string good = object(R"(
    extern "C" double cos(double); static double state[4] = {1}; static const double table[] = {1, 2};
    extern "C" double run(double x) { state[0] += table[(int)x & 1]; return cos(x) + state[0]; })");
  size_t loaded = 0, refused = 0;
  const auto attempt = [&](const std::string& bytes) {
    try {
      load_object(bytes, "run", find_runtime_function);
      ++loaded;
    } catch (const Error&) {
      ++refused;
    }
  };
  for (size_t size = 0; size < good.size(); size += 1) attempt(good.substr(0, size));
  CHECK(loaded == 0);
  for (size_t i = 0; i < good.size(); ++i)
    for (const unsigned char flip : {0xff, 0x01, 0x80}) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ flip);
      attempt(bytes);
    }
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = good;
    for (int j = 0; j < 8; ++j) bytes[random() % bytes.size()] = static_cast<char>(random());
    attempt(bytes);
  }
  attempt(std::string(1000, '\x7f'));
  attempt("");
  CHECK(refused > 1000);
}

TEST_CASE("loader: thousands of objects take few mappings") {
  const auto mappings = [] {
    std::ifstream maps("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
  };
  const std::string bytes = object("extern \"C\" double run(double x) { return x + 1; }");
  load_object(bytes, "run", find_runtime_function);
  const auto before = mappings();
  for (int i = 0; i < 5000; ++i) {
    const auto run = reinterpret_cast<Entry>(load_object(bytes, "run", find_runtime_function));
    REQUIRE(run(i) == i + 1);
  }
  CHECK(mappings() - before < 20);
}

TEST_CASE("loader: parent and child load code after a fork without disturbing each other") {
  const auto load = [](int add) {
    return reinterpret_cast<Entry>(load_object(
        object("extern \"C\" double run(double x) { return x + " + std::to_string(add) + "; }"),
        "run", find_runtime_function));
  };
  const Entry before = load(1);
  object("extern \"C\" double run(double x) { return x + 2; }");
  object("extern \"C\" double run(double x) { return x + 3; }");
  const pid_t child = fork();
  if (child == 0) {
    const Entry own = load(2);
    for (int i = 0; i < 200; ++i) usleep(100);
    _exit(own(1) == 3 && before(1) == 2 ? 0 : 1);
  }
  const Entry own = load(3);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(own(1) == 4);
  CHECK(before(1) == 2);
}
