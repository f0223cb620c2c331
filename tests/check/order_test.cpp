/// Laws of kasoku/check/order.cpp: fences and atomics, as Shadow uses them.
#include "kasoku/check/shadow.h"

#include <doctest/doctest.h>

using namespace kasoku;

namespace {

const ks_check_site site{"x", "k.cu", 3, 0};
int data[8];

struct Run {
  Shadow shadow{{{reinterpret_cast<const char*>(data), sizeof data, "x", 4}}, Shadow::Agents::threads};
  void touch(int i, uint32_t flags, uint64_t block, uint64_t thread = 0) {
    shadow.access(reinterpret_cast<char*>(data + i), 4, flags, site, block, thread);
  }
  void update(int i, uint64_t block, uint64_t thread = 0) {
    touch(i, ks_access_read | ks_access_write | ks_access_atomic, block, thread);
  }
  size_t found() { return shadow.findings().size(); }
};

}  // namespace

TEST_CASE("order: what a block did before its fence and atomic is seen behind another's atomic") {
  Run with, without;
  for (Run* run : {&with, &without}) {
    run->touch(0, ks_access_write, 0);
    if (run == &with) run->shadow.fence(0, 0);
    run->update(1, 0), run->update(1, 1);
    run->touch(0, ks_access_read, 1);
  }
  CHECK(with.found() == 0);
  CHECK(without.found() == 1);
}

TEST_CASE("order: what a relaxed read finds counts from the next fence on") {
  const uint32_t read = ks_access_read | ks_access_atomic, write = ks_access_write | ks_access_atomic;
  for (const bool has_fence : {false, true}) {
    Run run;
    run.touch(0, ks_access_write, 0);
    run.touch(1, write | ks_access_ordered, 0);
    run.touch(1, read | ks_access_relaxed, 1);
    if (has_fence) run.shadow.fence(1, 0);
    run.touch(0, ks_access_read, 1);
    CHECK(run.found() == (has_fence ? 0 : 1));
  }
}

TEST_CASE("order: what comes after the fence is not released by it") {
  Run run;
  run.shadow.fence(0, 0);
  run.touch(0, ks_access_write, 0);
  run.update(1, 0), run.update(1, 1);
  run.touch(0, ks_access_read, 1);
  CHECK(run.found() == 1);
}

TEST_CASE("order: a fence releases the block's earlier intervals, and a barrier spreads what was acquired") {
  Run run;
  run.touch(0, ks_access_write, 0, 5);
  for (int t : {0, 5}) run.shadow.barrier(0, t, 0);
  run.shadow.fence(0, 0);
  run.update(1, 0);
  run.update(1, 1);
  for (int t : {0, 7}) run.shadow.barrier(1, t, 0);
  run.touch(0, ks_access_read, 1, 7);
  CHECK(run.found() == 0);
}

TEST_CASE("order: other threads of the same interval are not released, nor do they acquire") {
  Run writes, reads;
  writes.touch(0, ks_access_write, 0, 5);
  writes.shadow.fence(0, 0), writes.update(1, 0), writes.update(1, 1);
  writes.touch(0, ks_access_read, 1);
  CHECK(writes.found() == 1);
  reads.touch(0, ks_access_write, 0);
  reads.shadow.fence(0, 0), reads.update(1, 0), reads.update(1, 1);
  reads.touch(0, ks_access_read, 1, 7);
  CHECK(reads.found() == 1);
}

TEST_CASE("order: a volatile flag behind a fence is waited for; one without is a race") {
  Run with, without;
  for (Run* run : {&with, &without}) {
    run->touch(0, ks_access_write, 0);
    if (run == &with) run->shadow.fence(0, 0);
    run->touch(1, ks_access_write | ks_access_volatile, 0);
    run->touch(1, ks_access_read | ks_access_volatile, 1);
    run->touch(0, ks_access_read, 1);
  }
  CHECK(with.found() == 0);
  CHECK(without.found() > 0);
}

TEST_CASE("order: a plain read is right where a compare and exchange tests it") {
  Run tested, untested;
  for (Run* run : {&tested, &untested}) {
    run->update(0, 0);
    run->touch(0, ks_access_read, 1);
  }
  tested.touch(0, ks_access_read | ks_access_write | ks_access_atomic | ks_access_exchange, 1);
  CHECK(tested.found() == 0);
  CHECK(untested.found() == 1);
}

TEST_CASE("order: an atomic after a plain write of the same thread hides nothing") {
  Run run;
  run.touch(0, ks_access_write, 0, 0);
  run.update(0, 0, 0);
  run.update(0, 0, 1);
  CHECK(run.found() == 1);
}

TEST_CASE("order: what threads did before their own fences and a barrier is released behind it by any of them") {
  Run all, some;
  for (Run* run : {&all, &some}) {
    for (uint64_t t : {0, 5}) {
      run->touch(static_cast<int>(t), ks_access_write, 0, t);
      if (run == &all || t == 0) run->shadow.fence(0, t);
    }
    for (uint64_t t : {0, 5}) run->shadow.barrier(0, t, 0);
    run->update(7, 0), run->update(7, 1);
    run->touch(5, ks_access_read, 1);
  }
  CHECK(all.found() == 0);
  CHECK(some.found() == 1);
}

TEST_CASE("order: fences and atomics of a block order its own threads and no others") {
  for (const uint64_t reader : {0, 1}) {
    Run fence, atomic;
    fence.touch(0, ks_access_write, 0), fence.shadow.fence(0, 0, true);
    fence.update(1, 0), fence.update(1, reader, 5);
    fence.touch(0, ks_access_read, reader, 5);
    CHECK(fence.found() == (reader ? 1 : 0));
    const uint32_t of_block = ks_access_read | ks_access_write | ks_access_atomic | ks_access_block;
    atomic.touch(0, of_block, 0), atomic.touch(0, of_block, reader, 5);
    CHECK(atomic.found() == (reader ? 1 : 0));
  }
}
