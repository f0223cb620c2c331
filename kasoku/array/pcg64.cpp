#include "kasoku/array/pcg64.h"

#include "kasoku/device/cpu/pool.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace kasoku {

namespace {

constexpr unsigned __int128 multiplier = static_cast<unsigned __int128>(0x2360ed051fc65da4u) << 64 | 0x4385df649fccf645u;
/// Words of the generator that one thread takes at a time.
constexpr int64_t piece = 4096;

/// What came of a run of words.
struct Parsed {
  int64_t words = 0, numbers = 0;
};

/// Standard normal numbers from `g`, until a number begins at or behind `words` words, or there are as many as `numbers`.
Parsed parse(Pcg64 g, const Ziggurat& layers, int64_t words, int64_t numbers, double* out) {
  constexpr double tail = 3.6541528853610087963519472518, inverse_tail = 0.27366123732975827203338247596;
  Parsed done;
  while (done.words < words && done.numbers < numbers) {
    const uint64_t word = g.next();
    ++done.words;
    const size_t layer = word & 0xff;
    const bool is_negative = word >> 8 & 1;
    const uint64_t place = word >> 9 & ((uint64_t{1} << 52) - 1);
    double x = static_cast<double>(static_cast<int64_t>(place)) * layers.width[layer];
    if (place >= layers.inside[layer]) [[unlikely]] {
      if (layer == 0) {
        double beyond, y;
        do {
          beyond = -inverse_tail * std::log1p(-g.next_double());
          y = -std::log1p(-g.next_double());
          done.words += 2;
        } while (y + y <= beyond * beyond);
        out[done.numbers++] = place >> 8 & 1 ? -(tail + beyond) : tail + beyond;
        continue;
      }
      ++done.words;
      if ((layers.height[layer - 1] - layers.height[layer]) * g.next_double() + layers.height[layer] >= std::exp(-0.5 * x * x)) continue;
    }
    out[done.numbers++] = is_negative ? -x : x;
  }
  return done;
}

}  // namespace

uint64_t Pcg64::next() {
  state = state * multiplier + increment;
  return std::rotr(static_cast<uint64_t>(state >> 64) ^ static_cast<uint64_t>(state), static_cast<int>(state >> 122));
}

void Pcg64::advance(uint64_t words) {
  unsigned __int128 factor = 1, sum = 0, times = multiplier, plus = increment;  // of 1, 2, 4, … steps at once
  for (; words; words >>= 1) {
    if (words & 1) {
      factor *= times;
      sum = sum * times + plus;
    }
    plus *= times + 1;
    times *= times;
  }
  state = factor * state + sum;
}

Ziggurat::Ziggurat(const std::array<double, 256>& widths) : width(widths) {
  const auto end = [&](size_t i) { return width[i] * 0x1p52; };
  for (size_t i = 0; i < 256; ++i) {
    height[i] = i == 0 ? 1 : std::exp(-0.5 * end(i) * end(i));
    inside[i] = i == 1 ? 0 : static_cast<uint64_t>(width[i == 0 ? 255 : i - 1] / width[i] * 0x1p52);
  }
}

void draw_uniform(Pcg64& g, double begin, double width, double* out, int64_t n) {
  cpu::parallel_blocks(static_cast<uint64_t>(n), piece, [&](uint64_t from, uint64_t to) {
    Pcg64 mine = g;
    mine.advance(from);
    for (uint64_t i = from; i < to; ++i) out[i] = begin + width * mine.next_double();
  });
  g.advance(static_cast<uint64_t>(n));
}

/// How many words a number takes is known when it is drawn. So each piece of words begins as if a number began with it, which is so 99
/// times out of a hundred; a piece in whose first words a number of the one before ends is drawn again from where it ends.
void draw_normal(Pcg64& g, const Ziggurat& layers, double mean, double deviation, double* out, int64_t n) {
  struct Piece {
    Pcg64 start;
    Parsed parsed;
    int64_t at;
  };
  const auto most = static_cast<int64_t>(16 * cpu::thread_limit());
  std::vector<double> drawn(static_cast<size_t>(std::min(most, n / piece + 1) * piece));
  std::vector<Piece> pieces;
  for (int64_t done = 0; done < n;) {
    pieces.assign(static_cast<size_t>(std::min(most, (n - done) / piece + 1)), {g, {}, 0});
    const auto each = [&](auto body) {
      cpu::parallel_blocks(pieces.size(), 2, [&](uint64_t from, uint64_t to) {
        for (uint64_t i = from; i < to; ++i) body(pieces[i], drawn.data() + i * piece, static_cast<int64_t>(i) * piece);
      });
    };
    each([&](Piece& one, double* numbers, int64_t words) {
      one.start.advance(static_cast<uint64_t>(words));
      one.parsed = parse(one.start, layers, piece, piece, numbers);
    });
    int64_t over = 0;  // words of a piece that belong to a number of the one before
    for (size_t i = 0; i < pieces.size(); ++i) {
      Piece& one = pieces[i];
      const bool is_drawn_again = one.parsed.numbers + done >= n || over > 0;
      one.start.advance(static_cast<uint64_t>(over));
      if (is_drawn_again) one.parsed = parse(one.start, layers, piece - over, std::min(piece, n - done), drawn.data() + i * piece);
      one.at = done;
      done += one.parsed.numbers;
      g = one.start;
      g.advance(static_cast<uint64_t>(one.parsed.words));
      over += one.parsed.words - piece;
      if (done >= n) pieces.resize(i + 1);
    }
    each([&](const Piece& one, const double* numbers, int64_t) {
      for (int64_t i = 0; i < one.parsed.numbers; ++i) out[one.at + i] = mean + deviation * numbers[i];
    });
  }
}

}  // namespace kasoku
