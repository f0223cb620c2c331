/// Laws of kasoku/device/cpu/pool.cpp.
#include "kasoku/device/cpu/pool.h"

#include "kasoku/base/error.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/device/cpu/shares.h"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

using namespace kasoku;
using namespace kasoku::cpu;

TEST_CASE("pool: every index is given once, in chunks of the grain") {
  for (const uint64_t n : {0u, 1u, 2u, 63u, 64u, 1000u, 100001u})
    for (const uint64_t grain : {1u, 7u, 64u, 1000000u}) {
      std::vector<std::atomic<int>> seen(n);
      std::atomic<int> wrong{0};
      parallel_blocks(n, grain, [&](uint64_t begin, uint64_t end) {
        wrong += begin % grain != 0 || end > n || end - begin > grain;
        for (uint64_t i = begin; i < end; ++i) ++seen[i];
      });
      for (const auto& count : seen) wrong += count != 1;
      CHECK(wrong == 0);
    }
}

TEST_CASE("pool: threads inside of a call have numbers below the limit, and no two the same at a time") {
  CHECK(thread_number() == 0);
  for (const uint32_t limit : {0u, 2u, 3u}) {
    set_thread_limit(limit);
    const uint32_t most = thread_limit();
    std::vector<std::atomic<int>> inside(most);
    std::atomic<int> wrong{0};
    for (int turn = 0; turn < 50; ++turn)
      parallel_blocks(200, 1, [&](uint64_t, uint64_t) {
        const uint32_t number = thread_number();
        wrong += number >= most || thread_limit() != most;
        if (number < most && inside[number].fetch_add(1)) ++wrong;
        std::this_thread::sleep_for(std::chrono::microseconds(10));
        parallel_blocks(4, 1, [&](uint64_t, uint64_t) { wrong += thread_number() >= most; });
        wrong += thread_number() != number;
        if (number < most) --inside[number];
      });
    CHECK(wrong == 0);
    CHECK(thread_number() == 0);
  }
  set_thread_limit(0);
}

TEST_CASE("pool: shares are all chunks once, neighbours in order, whoever takes them") {
  for (const uint64_t chunks : {1u, 2u, 7u, 64u, 1001u})
    for (const uint32_t workers : {1u, 2u, 3u, 16u, 500u}) {
      Shares alone(chunks, workers);
      uint32_t share = 0;
      for (uint64_t i = 0; i < chunks; ++i) CHECK(alone.take(share) == i);
      CHECK(!alone.are_taken());
      CHECK(!alone.take(share));
      CHECK(alone.are_taken());

      Shares all(chunks, workers);
      std::vector<std::atomic<int>> seen(chunks);
      std::vector<std::thread> threads;
      for (uint32_t number = 0; number < 4; ++number)
        threads.emplace_back([&, number] {
          uint32_t at = number;
          while (const auto chunk = all.take(at)) ++seen[*chunk];
        });
      for (std::thread& thread : threads) thread.join();
      for (const std::atomic<int>& times : seen) CHECK(times == 1);
    }
  Shares halves(10, 2);
  uint32_t first = 0, second = 1;
  CHECK(halves.take(first) == 0);
  CHECK(halves.take(second) == 5);
  CHECK(halves.take(first) == 1);
  for (uint64_t chunk = 6; chunk < 10; ++chunk) CHECK(halves.take(second) == chunk);
  CHECK(halves.take(second) == 2);  // helps
}

TEST_CASE("pool: calls nest, and many threads call at once") {
  std::atomic<uint64_t> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat)
        parallel_blocks(10, 1, [&](uint64_t begin, uint64_t) {
          parallel_blocks(100, 3, [&](uint64_t first, uint64_t last) {
            for (uint64_t i = first; i < last; ++i) sum += begin * 100 + i;
          });
        });
    });
  for (auto& thread : threads) thread.join();
  CHECK(sum == 6u * 20u * (999u * 1000u / 2));
}

TEST_CASE("pool: threads that call at once keep the cores to themselves") {
  const uint32_t n = worker_count();
  std::atomic<uint32_t> inside{0}, helped{0};
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < n; ++t)
    threads.emplace_back([&] {
      const auto caller = std::this_thread::get_id();
      bool has_arrived = false;
      parallel_blocks(300, 1, [&](uint64_t, uint64_t) {
        if (std::this_thread::get_id() != caller) {
          helped += inside == n && !is_over;
        } else if (!std::exchange(has_arrived, true)) {
          ++inside;
          while (inside < n) std::this_thread::yield();
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      });
      is_over = true;  // from here on there are cores for helpers again
    });
  for (auto& thread : threads) thread.join();
  CHECK(helped < n);  // a chunk each, begun before all had arrived
}

TEST_CASE("pool: where all workers are held elsewhere, a caller does its chunks alone and waits for nobody") {
  const uint32_t n = worker_count();
  std::atomic<uint32_t> held{0};
  std::atomic<bool> is_over{false};
  std::thread holder([&] {  // a chunk for each thread of the pool, of which none ends
    parallel_blocks(n, 1, [&](uint64_t, uint64_t) {
      ++held;
      while (!is_over) std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
  });
  for (int i = 0; i < 1000 && held < n; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::atomic<int> runs{0}, elsewhere{0};
  const auto caller = std::this_thread::get_id();
  for (int repeat = 0; repeat < 100; ++repeat)
    parallel_blocks(64, 1, [&](uint64_t, uint64_t) {
      ++runs;
      elsewhere += std::this_thread::get_id() != caller;
    });
  CHECK(runs == 6400);
  if (held == n) CHECK(elsewhere == 0);
  is_over = true;
  holder.join();
}

TEST_CASE("pool: many small calls in a row, with and without a pause between them") {
  std::atomic<uint64_t> sum{0};
  for (int repeat = 0; repeat < 3000; ++repeat) {
    parallel_blocks(64, 1, [&](uint64_t begin, uint64_t) { sum.fetch_add(begin, std::memory_order_relaxed); });
    if (repeat % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(repeat));
  }
  CHECK(sum == 3000u * (63u * 64u / 2));
}

TEST_CASE("pool: the first exception of a body reaches the caller, and the pool goes on") {
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::atomic<int> runs{0};
    CHECK_THROWS_WITH_AS(parallel_blocks(1 << 22, 1,
                                         [&](uint64_t begin, uint64_t) {
                                           ++runs;
                                           if (begin == 20) throw std::runtime_error("twenty");
                                         }),
                         "twenty", std::runtime_error);
    CHECK(runs < 1 << 22);
  }
  std::atomic<int> runs{0};
  parallel_blocks(100, 1, [&](uint64_t, uint64_t) { ++runs; });
  CHECK(runs == 100);
}

TEST_CASE("pool: an interrupt ends what runs") {
  std::atomic<int> runs{0};
  CHECK_THROWS_WITH_AS(parallel_blocks(1000000, 1,
                                       [&](uint64_t begin, uint64_t) {
                                         ++runs;
                                         if (begin == 100) request_interrupt();
                                       }),
                       "interrupted", Error);
  CHECK(runs < 1000000);
}

TEST_CASE("pool: the poll is asked on the calling thread and can end the work") {
  static std::thread::id caller;
  static std::atomic<int> asked, elsewhere;
  caller = std::this_thread::get_id();
  asked = elsewhere = 0;
  set_interrupt_poll([] {
    ++asked;
    elsewhere += std::this_thread::get_id() != caller;
    return true;
  });
  CHECK_THROWS_AS(parallel_blocks(100000, 1,
                                  [](uint64_t, uint64_t) {
                                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                  }),
                  Error);
  set_interrupt_poll(nullptr);
  CHECK(asked == 1);
  CHECK(elsewhere == 0);
}

TEST_CASE("pool: a forked child has workers of its own") {
  parallel_blocks(100, 1, [](uint64_t, uint64_t) {});
  for (int repeat = 0; repeat < 10; ++repeat) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      std::atomic<int> runs{0};
      for (int i = 0; i < 50; ++i) parallel_blocks(100, 1, [&](uint64_t, uint64_t) { ++runs; });
      _exit(runs == 5000 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    std::atomic<int> runs{0};
    parallel_blocks(100, 1, [&](uint64_t, uint64_t) { ++runs; });
    CHECK(runs == 100);
  }
}
