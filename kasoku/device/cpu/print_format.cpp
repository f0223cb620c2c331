/// \file kasoku/device/cpu/print_format.cpp
#include "kasoku/device/cpu/print_format.h"

#include <cstdio>
#include <cstring>

namespace kasoku::cpu {

namespace {

/// One conversion: "%-*.*ld" is flags "-", two slots for the stars, length 'l'.
struct Conversion {
  std::string spec = "%";  ///< with numbers for the stars, without the length
  int length = 0;          ///< bytes of an integer
  char letter = 0;
};

/// Reads from behind the '%'; `at` ends behind the letter.
Conversion parse(const char*& at, const uint64_t*& slots) {
  Conversion found;
  const auto copy = [&](const char* set) {
    while (*at && std::strchr(set, *at)) found.spec += *at++;
  };
  const auto number = [&] {
    if (*at == '*') {
      found.spec += std::to_string(static_cast<int32_t>(*slots++));
      ++at;
    } else {
      copy("0123456789");
    }
  };
  copy("-+ #0");
  number();
  if (*at == '.') {
    found.spec += *at++;
    number();
  }
  int n_l = 0, n_h = 0;
  for (; *at && std::strchr("lhzjtLq", *at); ++at) {
    n_h += *at == 'h';
    n_l += *at != 'h';
  }
  found.length = n_l ? 8 : n_h == 1 ? 2 : n_h ? 1 : 4;
  if (*at) found.letter = *at++;
  return found;
}

template <class T>
void append(std::string& out, const std::string& spec, T value) {
  char line[256];
  const int size = std::snprintf(line, sizeof line, spec.c_str(), value);
  if (size < 0) return;
  if (size < static_cast<int>(sizeof line)) {
    out.append(line, static_cast<size_t>(size));
    return;
  }
  const size_t before = out.size();
  out.resize(before + static_cast<size_t>(size) + 1);
  std::snprintf(out.data() + before, static_cast<size_t>(size) + 1, spec.c_str(), value);
  out.pop_back();
}

long long as_signed(uint64_t slot, int bytes) {
  const int unused = 64 - 8 * bytes;
  return static_cast<long long>(slot << unused) >> unused;
}

unsigned long long as_unsigned(uint64_t slot, int bytes) {
  const int unused = 64 - 8 * bytes;
  return slot << unused >> unused;
}

}  // namespace

void read_strings(const char* format, const uint64_t* slots) {
  for (const char* at = format ? format : ""; *at;) {
    if (*at++ != '%') continue;
    const char letter = parse(at, slots).letter;
    if (letter && !std::strchr("diuxXocspeEfFgGaA", letter)) continue;
    const auto* text = reinterpret_cast<const volatile char*>(*slots++);
    while (letter == 's' && text && *text) ++text;
  }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
std::string format_packed(const char* format, const uint64_t* slots) {
  std::string out;
  for (const char* at = format ? format : "(null)"; *at;) {
    if (*at != '%') {
      out += *at++;
      continue;
    }
    const char* start = at++;
    const Conversion c = parse(at, slots);
    switch (c.letter) {
      case '%':
        out += '%';
        break;
      case 'd':
      case 'i':
        append(out, c.spec + "lld", as_signed(*slots++, c.length));
        break;
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        append(out, c.spec + "ll" + c.letter, as_unsigned(*slots++, c.length));
        break;
      case 'c':
        append(out, c.spec + "c", static_cast<int>(*slots++));
        break;
      case 's': {
        const char* text = reinterpret_cast<const char*>(*slots++);
        append(out, c.spec + "s", text ? text : "(null)");
        break;
      }
      case 'p':
        append(out, c.spec + "p", reinterpret_cast<const void*>(*slots++));
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': {
        double value;
        std::memcpy(&value, slots++, sizeof value);
        append(out, c.spec + c.letter, value);
        break;
      }
      default:  // not C's: shown as it stands
        out.append(start, at);
    }
  }
  return out;
}
#pragma GCC diagnostic pop

}  // namespace kasoku::cpu
