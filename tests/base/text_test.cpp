/// Laws of kasoku/base/text.cpp and hash.cpp.
#include "kasoku/base/error.h"
#include "kasoku/base/hash.h"
#include "kasoku/base/text.h"

#include <doctest/doctest.h>

using namespace kasoku;

TEST_CASE("text: bytes are said in the unit that a person would choose") {
  CHECK(bytes_text(0) == "0 bytes");
  CHECK(bytes_text(1023) == "1023 bytes");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(uint64_t{1} << 50) == "1.0 PiB");
  CHECK(bytes_text((uint64_t{1} << 20) - 1) == "1.0 MiB");
}

TEST_CASE("text: an excerpt ends before the letter that does not fit") {
  CHECK(excerpt("abc", 3) == "abc");
  CHECK(excerpt("abcd", 3) == "abc…");
  CHECK(excerpt("ab€d", 4) == "ab…");
}

TEST_CASE("text: a swap of neighbours is one edit") {
  CHECK(edit_distance("kernel", "kernel") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kenrel", "kernel") == 1);
}

TEST_CASE("text: an unknown name is met with the nearest one, and with the list") {
  CHECK(known_names("ad", {"add", "sub"}, "kernels") == "did you mean 'add'? The kernels are: add, sub");
  CHECK(known_names("zzzzz", {"add", "sub"}, "kernels") == "the kernels are: add, sub");
  CHECK(known_names("x", {}, "kernels") == "there are no kernels");
}

TEST_CASE("text: hexadecimal goes there and back, and refuses what is not") {
  const std::string bytes("\0\x7f\xff ok", 6);
  CHECK(from_hex(to_hex(bytes)) == bytes);
  CHECK_THROWS_AS(from_hex("abc"), Error);
  CHECK_THROWS_AS(from_hex("zz"), Error);
}

TEST_CASE("text: split and join are inverse") {
  CHECK(split("a,b,,c", ',') == std::vector<std::string>{"a", "b", "", "c"});
  CHECK(join(split("a,b,,c", ','), ",") == "a,b,,c");
  CHECK(strip("  a b\n") == "a b");
  CHECK(strip(" \t\n").empty());
}

TEST_CASE("hash: the same content has the same 32 digits, another has others") {
  CHECK(hash128("abc") == hash128(std::string("abc")));
  CHECK(hash128("abc") != hash128("abd"));
  CHECK(hash128("").hex().size() == 32);
  CHECK(hash128("").hex() == "99aa06d3014798d86001c324468d497f");  // XXH3's published value
}
