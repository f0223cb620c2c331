/// Laws of kasoku/base/extents.h and small_mutex.h.
#include "kasoku/base/extents.h"
#include "kasoku/base/small_mutex.h"

#include <doctest/doctest.h>

#include <mutex>
#include <random>
#include <thread>
#include <vector>

using namespace kasoku;

TEST_CASE("extents: what is done to them is as with a vector, whether they lie inside or not") {
  std::mt19937 random(3);
  const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
  Extents ours;
  std::vector<int64_t> want;
  for (int turn = 0; turn < 20000; ++turn) {
    const auto value = static_cast<int64_t>(random());
    const size_t at = pick(want.size() + 1);
    switch (pick(10)) {
      case 0: ours.push_back(value), want.push_back(value); break;
      case 1: ours.insert(ours.begin() + at, value), want.insert(want.begin() + static_cast<long>(at), value); break;
      case 2:
        if (at == want.size()) break;
        ours.erase(ours.begin() + at), want.erase(want.begin() + static_cast<long>(at));
        break;
      case 3:
        if (!want.empty()) ours.pop_back(), want.pop_back();
        break;
      case 4: {
        const size_t n = pick(9);
        ours.resize(n, value), want.resize(n, value);
        break;
      }
      case 5: ours = Extents(ours); break;
      case 6: {
        Extents other(std::move(ours));
        CHECK(ours.empty());
        ours = std::move(other);
        break;
      }
      case 7: {
        const Extents other{1, value, 3};
        ours.insert(ours.begin() + at, other.begin(), other.end());
        want.insert(want.begin() + static_cast<long>(at), other.begin(), other.end());
        break;
      }
      case 8: ours.assign(pick(7), value), want.assign(ours.size(), value); break;
      default: ours = Extents(want.begin(), want.end());
    }
    REQUIRE(std::vector<int64_t>(ours.begin(), ours.end()) == want);
    CHECK(ours == Extents(want));
    CHECK((ours < Extents{5, 5}) == (want < std::vector<int64_t>{5, 5}));
  }
}

TEST_CASE("small mutex: one at a time") {
  SmallMutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(count == 80000);
}
