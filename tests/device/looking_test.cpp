/// Laws of kasoku/device/cpu/looking.h.
#include "kasoku/device/cpu/looking.h"

#include <doctest/doctest.h>

#include <thread>

using namespace kasoku::cpu;
using namespace std::chrono_literals;

TEST_CASE("looking: what comes true is found, and what does not ends in time") {
  int looks = 0;
  const auto never = [] { return false; };
  CHECK(look_until([&] { return ++looks == 3; }, Clock::now() + 10s, never));
  CHECK(looks == 3);
  CHECK(!look_until([] { return false; }, Clock::now() + 1ms, never));
  CHECK(!look_until([] { return false; }, Clock::now(), never));
}

TEST_CASE("looking: who loses his core looks no longer") {
  int looks = 0;
  const auto while_away = [&] {
    std::this_thread::sleep_for(2 * a_switch);
    return ++looks == 100;
  };
  CHECK(!look_until(while_away, Clock::now() + 10s, [] { return false; }));
}

TEST_CASE("looking: who is in another's way yields and goes on looking, until it is time") {
  int asked = 0;
  const auto in_the_way = [&] { return ++asked > 0; };
  CHECK(!look_until([] { return false; }, Clock::now() + 1ms, in_the_way));
  CHECK(asked > 0);
  const int before = asked;
  CHECK(look_until([&] { return asked > before; }, Clock::now() + 10s, in_the_way));
}

TEST_CASE("looking: nobody is woken for a small job, but for a row of them, and for long ones at once") {
  Alone alone;
  Clock::time_point now{1h};
  const auto job = [&](Clock::duration length) {  // whether somebody was woken: -1 no, 0 at once, 1 meanwhile
    const bool at_once = alone.begin(now);
    now += length;
    const bool meanwhile = alone.is_long(now);
    CHECK(!alone.is_long(now));  // once
    alone.end(now);
    return at_once ? 0 : meanwhile ? 1 : -1;
  };
  const auto pause = [&] { now += 2 * long_look; };
  for (int i = 0; i < 100; ++i) {
    CHECK(job(a_wake / 3) == -1);
    pause();
  }
  CHECK(job(2 * a_wake) == 1);
  pause();
  CHECK(job(2 * a_wake) == 0);
  CHECK(job(a_wake / 3) == -1);  // a row: the last one had its helper
  CHECK(job(a_wake / 3) == -1);
  CHECK(job(a_wake / 2) == 1);
  CHECK(job(a_wake / 2) == -1);
}
