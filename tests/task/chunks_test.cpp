/// Plans of chunks (kasoku/task/chunks.cpp), held against elements that are moved one by one.
#include "kasoku/task/chunks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "kasoku/base/error.h"

using namespace kasoku;
using chunks::Lengths;

namespace {

int64_t sum(const Lengths& lengths) { return std::accumulate(lengths.begin(), lengths.end(), int64_t{0}); }

std::mt19937 draw(7);

int64_t number(int64_t from, int64_t to) { return std::uniform_int_distribution<int64_t>(from, to)(draw); }

Lengths random_cut(int64_t length) {
  Lengths found;
  for (int64_t left = length; left > 0; left -= found.back()) found.push_back(number(1, left));
  return found;
}

/// For each element of an array in C order the number of its chunk, chunks in C order.
std::vector<size_t> owners(const std::vector<Lengths>& grid) {
  std::vector<size_t> found{0};
  for (const Lengths& axis : grid) {
    std::vector<size_t> next;
    for (size_t before : found)
      for (size_t k = 0; k < axis.size(); ++k) next.insert(next.end(), static_cast<size_t>(axis[k]), before * axis.size() + k);
    found = std::move(next);
  }
  return found;
}

}  // namespace

TEST_CASE("an axis is cut, evenly and together") {
  CHECK(chunks::cut(10, 4) == Lengths{4, 4, 2});
  CHECK(chunks::cut(10, -1) == Lengths{10});
  CHECK(chunks::cut(0, 4) == Lengths{0});
  CHECK_THROWS_AS(chunks::cut(3, 0), Error);
  CHECK(chunks::evenly(10, 4) == Lengths{3, 3, 2, 2});
  CHECK(chunks::gathered({1, 2, 3, 4, 9, 1}, 5) == Lengths{3, 3, 4, 9, 1});
  CHECK(chunks::balanced({10, 10, 10, 1}) == Lengths{11, 11, 9});
  CHECK_FALSE(chunks::balanced({100, 1, 1, 1, 1, 1}));
}

TEST_CASE("what is cut by itself has room") {
  CHECK(chunks::of_equal_sides({1000, 1000}, 10'000) == std::vector<Lengths>{Lengths(10, 100), Lengths(10, 100)});
  CHECK(chunks::of_equal_sides({4, 1000}, 400) == std::vector<Lengths>{{4}, Lengths(10, 100)});  // the short one leaves more
  CHECK(chunks::in_proportion({Lengths(10, 10), Lengths(10, 10)}, 400, 1.25) ==
        std::vector<Lengths>{Lengths(5, 20), Lengths(5, 20)});
  CHECK(chunks::in_proportion({Lengths(5, 20), Lengths(5, 20)}, 100, 1.25) ==
        std::vector<Lengths>{Lengths(10, 10), Lengths(10, 10)});
}

TEST_CASE("pieces of slices and of rows are where their elements are") {
  for (int round = 0; round < 300; ++round) {
    const int64_t length = number(1, 20), start = number(0, length), stop = number(start, length), step = number(1, 4);
    const Lengths axis = random_cut(length);
    const chunks::Pieces pieces = chunks::sliced(axis, start, stop, step);
    std::vector<int64_t> found, wanted;
    for (int64_t i = start; i < stop; i += step) wanted.push_back(i);
    for (size_t k = 0; k < pieces.ends.size(); ++k) {
      const auto [begin, end] = pieces.ends[k];
      int64_t count = 0;
      for (int64_t i = begin; i < end; i += step, ++count) found.push_back(i);
      CHECK(pieces.lengths[k] == count);
    }
    CHECK(found == wanted);
    found.clear();
    wanted.clear();
    for (int64_t i = start; i < stop; ++i) wanted.push_back(i);
    const auto parts = chunks::parts_of(axis, {{start, stop}, {0, length}});
    CHECK(parts[1].size() == axis.size());
    for (const chunks::Part& part : parts[0]) {
      const int64_t first = sum({axis.begin(), axis.begin() + part.chunk});
      for (int64_t i = part.begin; i < part.end; ++i) found.push_back(first + i);
    }
    CHECK(found == wanted);
  }
}

TEST_CASE("chunks that reshape() moves hold the same elements before and after") {
  const std::vector<std::pair<Lengths, Lengths>> shapes{
      {{6, 4}, {24}}, {{24}, {6, 4}}, {{4, 6, 5}, {4, 30}}, {{12, 10}, {3, 4, 10}}, {{6, 4}, {8, 3}}, {{2, 3, 4}, {4, 6}},
      {{1, 5}, {5}},  {{5}, {5, 1}},  {{3, 8, 2}, {3, 2, 8}}};
  for (int round = 0; round < 400; ++round) {
    const auto& [from, to] = shapes[static_cast<size_t>(round) % shapes.size()];
    std::vector<Lengths> own;
    for (int64_t n : from) own.push_back(random_cut(n));
    const double limit = number(0, 1) ? 1e9 : double(number(1, 8));
    const chunks::Reshaping plan = chunks::reshaping(from, to, own, limit, number(0, 1));
    std::vector<Lengths> before = own, after(to.size());
    for (const chunks::Run& run : plan.runs)
      if (run.before.size() == 1 && run.after.size() == 1) after[run.after[0]] = own[run.before[0]];
    for (size_t k = 0; k < from.size(); ++k)
      if (plan.before[k]) before[k] = *plan.before[k];
    for (size_t k = 0; k < to.size(); ++k)
      if (plan.after[k]) after[k] = *plan.after[k];
    for (size_t k = 0; k < from.size(); ++k) CHECK(sum(before[k]) == from[k]);
    for (size_t k = 0; k < to.size(); ++k) CHECK(sum(after[k]) == to[k]);
    CHECK(owners(before) == owners(after));
  }
  CHECK_THROWS_AS(chunks::reshaping({2, 3}, {4}, {{2}, {3}}, 1e9, true), Error);
}
