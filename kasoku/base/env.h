/// \file kasoku/base/env.h
/// The KASOKU_ variables, by the rows of env.def. A variable is read at its
/// first use and then stays as it was, so that a program has one answer.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace kasoku {

enum class Env : uint8_t {
#define ENV(name, ...) name,
#include "kasoku/base/env.def"
#undef ENV
};

struct EnvInfo {
  std::string_view name;
  std::string_view default_value;
  std::string_view meaning;
};

inline constexpr EnvInfo env_table[] = {
#define ENV(name, default_value, meaning) {#name, default_value, meaning},
#include "kasoku/base/env.def"
#undef ENV
};

constexpr const EnvInfo& info(Env variable) { return env_table[static_cast<size_t>(variable)]; }

/// The variable's value; the table's default if it is not set or empty.
std::string env(Env variable);
/// "0", "false", "no" and "off" are false; the empty default too.
bool env_flag(Env variable);
/// The value as a number. Nothing if it is empty; an Error that names the variable if it is no number.
std::optional<uint64_t> env_number(Env variable);

/// Replaces the value from now on (command-line options, tests).
void override_env(Env variable, std::string value);

}  // namespace kasoku
