/// Laws of kasoku/base/tally.h.
#include "kasoku/base/tally.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using namespace kasoku;

TEST_CASE("tally: what threads added is there when they are gone, and each number is its own") {
  static const Tally first, second;
  for (int round = 1; round <= 3; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([] {
        for (int k = 0; k < 1000; ++k) first.add(1), second.add(3);
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(first.load() == 4000u * round);
    CHECK(second.load() == 12000u * round);
  }
}
