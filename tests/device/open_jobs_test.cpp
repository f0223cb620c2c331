/// Laws of kasoku/device/cpu/open_jobs.h.
#include "kasoku/device/cpu/open_jobs.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace kasoku::cpu;

namespace {

struct Job {
  std::atomic<bool> is_there{true};
  std::atomic<int> inside{0};
};

}  // namespace

TEST_CASE("open jobs: as many join as there are seats, and one who leaves gives his back") {
  OpenJobs<Job> jobs;
  Job job;
  CHECK(!jobs.any());
  CHECK(!jobs.join());
  const auto place = jobs.open(job, 2);
  REQUIRE(place);
  CHECK(jobs.any());
  CHECK(&jobs.at(*place) == &job);
  CHECK(jobs.are_gone(*place));
  CHECK(jobs.join() == place);
  CHECK(jobs.join() == place);
  CHECK(!jobs.join());
  CHECK(!jobs.leave(*place));
  CHECK(jobs.join() == place);
  CHECK(!jobs.are_gone(*place));
}

TEST_CASE("open jobs: the call inside of another is joined first; hidden and closed ones are not joined") {
  OpenJobs<Job> jobs;
  Job outer, inner;
  const auto below = jobs.open(outer, 1), above = jobs.open(inner, 2);
  REQUIRE((below && above));
  CHECK(jobs.join() == above);
  jobs.hide(*above);
  CHECK(jobs.join() == below);
  jobs.close(*above);
  CHECK(!jobs.leave(*above));  // nobody sleeps
  CHECK(jobs.are_gone(*above));
  jobs.free(*above);
  jobs.close(*below);
  jobs.sleep_until_gone(*below);
  CHECK(jobs.leave(*below));
  jobs.free(*below);
  CHECK(!jobs.any());
}

TEST_CASE("open jobs: a call that finds no place is told so, and places are used again") {
  OpenJobs<Job> jobs;
  std::vector<Job> many(OpenJobs<Job>::most);
  std::vector<uint32_t> places;
  for (Job& job : many) places.push_back(jobs.open(job, 1).value());
  Job one_more;
  CHECK(!jobs.open(one_more, 1));
  jobs.close(places[7]);
  jobs.free(places[7]);
  CHECK(jobs.open(one_more, 1) == places[7]);
}

TEST_CASE("open jobs: helpers of a forked parent are forgotten") {
  OpenJobs<Job> jobs;
  Job job;
  const auto place = jobs.open(job, 3);
  REQUIRE(jobs.join() == place);
  jobs.forget_helpers();
  CHECK(jobs.are_gone(*place));
}

TEST_CASE("open jobs: whoever has a seat finds the job there, however callers come and go") {
  OpenJobs<Job> jobs;
  constexpr int seats = 2;
  std::atomic<int> callers{3}, wrong{0};
  std::atomic<uint64_t> helped{0};
  std::vector<std::thread> threads;
  for (int i = callers; i > 0; --i)
    threads.emplace_back([&] {
      // Where others keep the cores busy, until a helper came in time.
      for (int repeat = 0; repeat < 3000 || (helped == 0 && repeat < 3'000'000); ++repeat) {
        Job job;
        const auto place = jobs.open(job, seats);
        if (repeat % 16 == 0) std::this_thread::yield();
        jobs.close(*place);
        while (!jobs.are_gone(*place)) std::this_thread::yield();
        wrong += job.inside != 0;
        job.is_there = false;
        jobs.free(*place);
      }
      --callers;
    });
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (callers > 0) {
        const auto place = jobs.join();
        if (!place) {
          std::this_thread::yield();
          continue;
        }
        Job& job = jobs.at(*place);
        wrong += ++job.inside > seats || !job.is_there;
        ++helped;
        --job.inside;
        jobs.leave(*place);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(helped > 0);
}
