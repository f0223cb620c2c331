/// \file kasoku/base/env.cpp
#include "kasoku/base/env.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"
#include "kasoku/base/warning.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <mutex>

namespace kasoku {

namespace {

struct Values {
  std::mutex mutex;
  std::array<std::optional<std::string>, std::size(env_table)> values;
};

Values& values() {
  static Values* values = new Values;  // used until the last static is gone
  return *values;
}

}  // namespace

std::string env(Env variable) {
  Values& all = values();
  std::lock_guard lock(all.mutex);
  std::optional<std::string>& value = all.values[static_cast<size_t>(variable)];
  if (!value) {
    const char* set = std::getenv(info(variable).name.data());
    value = set && *set ? std::string(set) : std::string(info(variable).default_value);
  }
  return *value;
}

bool env_flag(Env variable) {
  constexpr std::string_view answers[] = {"0", "1", "false", "true", "no", "yes", "off", "on"};
  const std::string value = lower(env(variable));
  if (!value.empty() && std::ranges::none_of(answers, [&](std::string_view answer) { return value == answer; }))
    warn(WarningKind::general, std::string(info(variable).name) + " is '" + value + "', which is neither 0 nor 1, and is taken for 1");
  return !(value.empty() || value == "0" || value == "false" || value == "no" || value == "off");
}

std::optional<uint64_t> env_number(Env variable) {
  const std::string value = env(variable);
  if (value.empty()) return std::nullopt;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    throw Error(ErrorKind::value, std::string(info(variable).name) + " is '" + value +
                                      "', which is not a whole number")
        .fix("export " + std::string(info(variable).name) + "=" +
             (info(variable).default_value.empty() ? "4" : std::string(info(variable).default_value)));
  return number;
}

void override_env(Env variable, std::string value) {
  Values& all = values();
  std::lock_guard lock(all.mutex);
  all.values[static_cast<size_t>(variable)] =
      value.empty() ? std::string(info(variable).default_value) : std::move(value);
}

}  // namespace kasoku
