/// Laws of kasoku/device/cpu/print_format.cpp.
#include "kasoku/device/cpu/print_format.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

using kasoku::cpu::format_packed;

namespace {
std::string format(const char* text, std::vector<uint64_t> slots = {}) {
  slots.push_back(0);
  return format_packed(text, slots.data());
}
uint64_t bits(double value) { return std::bit_cast<uint64_t>(value); }
uint64_t slot(int64_t value) { return static_cast<uint64_t>(value); }
}  // namespace

TEST_CASE("printf: an integer has the width that its length modifier says") {
  CHECK(format("%d %u %x", {slot(-1), slot(-1), slot(-1)}) == "-1 4294967295 ffffffff");
  CHECK(format("%ld %llu", {slot(-1), slot(-1)}) == "-1 18446744073709551615");
  CHECK(format("%hd %hhu %zu", {70000, 511, 5}) == "4464 255 5");
}

TEST_CASE("printf: flags, width and precision, also from arguments") {
  CHECK(format("[%5d|%-5d|%05d|%+d]", {42, 42, 42, 42}) == "[   42|42   |00042|+42]");
  CHECK(format("[%*d|%-*d|%.*f]", {4, 7, 4, 7, 2, bits(3.14159)}) == "[   7|7   |3.14]");
  CHECK(format("%8.3e %g", {bits(12345.678), bits(0.5)}) == "1.235e+04 0.5");
}

TEST_CASE("printf: characters, strings, pointers, per cent") {
  const char* text = "word";
  CHECK(format("%c%s%%", {'a', reinterpret_cast<uint64_t>(text)}) == "aword%");
  CHECK(format("%s", {0}) == "(null)");
  CHECK(format("%p", {0x10}) == "0x10");
}

TEST_CASE("printf: what is no conversion is shown as it stands") {
  CHECK(format("%y %") == "%y %");
  CHECK(format("") == "");
}

TEST_CASE("printf: a line longer than any buffer is whole") {
  const std::string word(5000, 'x');
  CHECK(format("%s", {reinterpret_cast<uint64_t>(word.c_str())}) == word);
  CHECK(format("%3000d", {1}).size() == 3000);
}
