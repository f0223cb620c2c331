/// Laws of kasoku/device/cpu/grid_barrier.cpp.
#include "kasoku/device/cpu/grid_barrier.h"
#include "kasoku/device/cpu/pool.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

using namespace kasoku::cpu;

namespace {

/// What blocks write down, each `steps[block]` times with a barrier between.
std::string told(const std::vector<int>& steps) {
  std::string text;
  const SerialScope turns({}, [&] { text += "|"; });
  GridBarrier barrier(steps.size(), SerialScope::current());
  std::vector<std::thread> threads;
  for (size_t block = steps.size(); block-- > 0;)  // begun in no order
    threads.emplace_back([&, block] {
      barrier.begin(block);
      for (int k = 0; k < steps[block]; ++k) {
        if (k) barrier.arrive_and_wait();
        text += static_cast<char>('a' + block);
      }
      barrier.arrive_and_drop(block);
    });
  for (std::thread& thread : threads) thread.join();
  return text;
}

}  // namespace

TEST_CASE("grid barrier: in turns, blocks run in order and nobody goes on before all have met") {
  CHECK(told({3, 3, 3}) == "abc|abc|abc");
  CHECK(told({2}) == "a|a");
}

TEST_CASE("grid barrier: nobody waits for a block that has ended") { CHECK(told({2, 1, 3}) == "abc|ac|c"); }
