/// \file kasoku/base/trace.cpp
#include "kasoku/base/trace.h"

#include "kasoku/base/env.h"
#include "kasoku/base/text.h"
#include "kasoku/base/warning.h"

#include <atomic>
#include <cstdio>
#include <string>

namespace kasoku {

namespace {

constexpr std::string_view station_names[] = {"plan", "text", "cache", "passes", "launch"};
constexpr uint32_t is_read = 1u << 31;
std::atomic<uint32_t> traced_stations{0};

uint32_t read_stations() {
  uint32_t bits = is_read;
  for (const std::string& word : split(env(Env::KASOKU_TRACE), ',')) {
    bool is_known = strip(word).empty();
    for (size_t i = 0; i < std::size(station_names); ++i)
      if (strip(word) == station_names[i] || (strip(word) == "all" && i != size_t(Station::passes))) bits |= 1u << i, is_known = true;
    if (!is_known)
      warn(WarningKind::general, "KASOKU_TRACE has no station '" + std::string(strip(word)) + "'; they are plan, text, cache, passes, launch and all (but passes)");
  }
  traced_stations.store(bits, std::memory_order_relaxed);
  return bits;
}

}  // namespace

bool is_traced(Station station) {
  uint32_t bits = traced_stations.load(std::memory_order_relaxed);
  if (!bits) bits = read_stations();
  return bits >> static_cast<int>(station) & 1;
}

void trace(Station station, std::string_view text) {
  if (!is_traced(station)) return;
  std::string line = "kasoku " + std::string(station_names[static_cast<int>(station)]) + ": ";
  for (const char c : text) {
    line += c;
    if (c == '\n') line += "    ";
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace kasoku
