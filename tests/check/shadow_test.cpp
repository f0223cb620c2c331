/// Laws of kasoku/check/shadow.cpp.
#include "kasoku/check/shadow.h"

#include <doctest/doctest.h>

using namespace kasoku;

namespace {

const ks_check_site write_site{"x", "k.cu", 3, 0}, read_site{"x", "k.cu", 5, 0};
int memory[64];

struct Watched {
  Shadow shadow{{{reinterpret_cast<const char*>(memory), sizeof memory, "x", 4}},
                Shadow::Agents::threads};
  void write(int i, uint64_t block, uint64_t thread, uint32_t more = 0) {
    shadow.access(reinterpret_cast<char*>(memory + i), 4, ks_access_write | more, write_site, block,
                  thread);
  }
  void read(int i, uint64_t block, uint64_t thread, uint32_t more = 0) {
    shadow.access(reinterpret_cast<char*>(memory + i), 4, ks_access_read | more, read_site, block,
                  thread);
  }
  size_t found() { return shadow.findings().size(); }
};

}  // namespace

TEST_CASE("shadow: threads that keep to their own elements are clean") {
  Watched w;
  for (int t = 0; t < 32; ++t) w.read(t, 0, t), w.write(t, 0, t);
  CHECK(w.found() == 0);
}

TEST_CASE("shadow: a read and a write without a barrier are a race, in either order") {
  Watched a, b;
  a.write(1, 0, 0), a.read(1, 0, 1);
  b.read(1, 0, 0), b.write(1, 0, 1);
  REQUIRE(a.found() == 1);
  REQUIRE(b.found() == 1);
  CHECK(a.shadow.findings()[0].kind == "race");
  CHECK(a.shadow.findings()[0].text.find("thread 1 of block 0 reads x[1] (line 5)") == 0);
}

TEST_CASE("shadow: a barrier orders the threads of a block, and no others") {
  Watched w;
  w.write(1, 0, 0);
  w.shadow.barrier(0, 0, 0), w.shadow.barrier(0, 1, 0);
  w.read(1, 0, 1);
  CHECK(w.found() == 0);
  w.read(1, 1, 0);
  CHECK(w.found() == 1);
}

TEST_CASE("shadow: threads that come together have passed as many barriers, each time") {
  const ks_check_site there{"barrier", "k.cu", 7, -1}, elsewhere{"barrier", "k.cu", 9, -1};
  Watched even, around, apart;
  for (uint64_t turn = 0; turn < 3; ++turn) {
    for (uint64_t t : {0, 1}) even.shadow.barrier(0, t, 0, &there);
    for (uint64_t t : {1, 0}) even.shadow.rejoin(0, t, 0, there);
  }
  even.shadow.rejoin(1, 0, 0, there);  // another block
  CHECK(even.found() == 0);
  around.shadow.barrier(0, 0, 0, &there);
  for (uint64_t t : {0, 1}) around.shadow.rejoin(0, t, 0, there);
  REQUIRE(around.found() == 1);
  CHECK(around.shadow.findings()[0].kind == "divergence");
  CHECK(around.shadow.findings()[0].text.find("thread 1 of block 0 goes around the barrier (line 7) at which thread 0") == 0);
  apart.shadow.barrier(0, 0, 0, &there), apart.shadow.barrier(0, 1, 0, &elsewhere);
  REQUIRE(apart.found() == 1);
  CHECK(apart.shadow.findings()[0].other_line == 7);
}

TEST_CASE("shadow: a barrier of the warp orders its 32 threads only") {
  Watched w;
  w.write(1, 0, 0), w.write(2, 0, 0);
  for (int t : {0, 1, 40}) w.shadow.barrier(0, t, ~0u);
  w.read(1, 0, 1);
  CHECK(w.found() == 0);
  w.read(2, 0, 40);
  CHECK(w.found() == 1);
}

TEST_CASE("shadow: atomics conflict with plain accesses, not with each other") {
  Watched w;
  w.write(1, 0, 0, ks_access_atomic), w.write(1, 3, 7, ks_access_atomic);
  CHECK(w.found() == 0);
  w.read(1, 0, 1);
  CHECK(w.found() == 1);
}

TEST_CASE("shadow: a writer meets readers of other blocks, however many there were") {
  Watched w;
  for (int block = 0; block < 3; ++block)
    for (int t = 0; t < 4; ++t) w.read(1, block, t);
  w.write(1, 2, 3);
  CHECK(w.found() == 1);
}

TEST_CASE("shadow: bytes beside each other are not the same element") {
  Watched w;
  auto* bytes = reinterpret_cast<char*>(memory);
  w.write(0, 0, 0);
  w.shadow.access(bytes + 8, 1, ks_access_write, write_site, 0, 1);
  w.shadow.access(bytes + 9, 1, ks_access_write, write_site, 0, 2);
  CHECK(w.found() == 0);
  w.shadow.access(bytes + 3, 1, ks_access_write, write_site, 0, 2);
  CHECK(w.found() == 1);
}

TEST_CASE("shadow: an access outside its array goes to harmless memory and is named") {
  Watched w;
  char* past = reinterpret_cast<char*>(memory + 64);
  CHECK(w.shadow.access(past, 4, ks_access_read, read_site, 0, 9) != past);
  REQUIRE(w.found() == 1);
  CHECK(w.shadow.findings()[0].kind == "bounds");
  CHECK(w.shadow.findings()[0].text.find(
            "thread 9 of block 0 reads x[64], which has 64 elements") == 0);
  w.shadow.access(reinterpret_cast<char*>(memory) - 4, 4, ks_access_write, write_site, 0, 0);
  CHECK(w.shadow.findings()[1].text.find("writes x[-1]") != std::string::npos);
}

TEST_CASE("shadow: shared memory is fresh in every block, and reading it unwritten is said") {
  Watched w;
  w.write(5, 0, 0, ks_access_shared);
  w.write(5, 1, 1, ks_access_shared);
  CHECK(w.found() == 0);
  w.read(6, 1, 1, ks_access_shared);
  REQUIRE(w.found() == 1);
  CHECK(w.shadow.findings()[0].kind == "uninitialised");
}

TEST_CASE("shadow: the same pair of lines is said once") {
  Watched w;
  for (int i = 0; i < 10; ++i) w.write(i, 0, 0), w.write(i, 0, 1);
  CHECK(w.found() == 1);
}
