/// Laws of kasoku/base/env.cpp.
#include "kasoku/base/env.h"
#include "kasoku/base/error.h"

#include <doctest/doctest.h>

using namespace kasoku;

TEST_CASE("env: an empty override is the table's default") {
  const std::string before = env(Env::KASOKU_CACHE_SIZE);
  override_env(Env::KASOKU_CACHE_SIZE, "");
  CHECK(env(Env::KASOKU_CACHE_SIZE) == info(Env::KASOKU_CACHE_SIZE).default_value);
  CHECK(env_number(Env::KASOKU_CACHE_SIZE) == uint64_t{1} << 30);
  override_env(Env::KASOKU_CACHE_SIZE, before);
}

TEST_CASE("env: a word where a number belongs is an error that names the variable") {
  const std::string before = env(Env::KASOKU_CACHE_SIZE);
  for (const char* wrong : {"many", "12 GB", "-1", "1e9", "99999999999999999999999"}) {
    override_env(Env::KASOKU_CACHE_SIZE, wrong);
    CHECK_THROWS_WITH_AS(
        env_number(Env::KASOKU_CACHE_SIZE),
        doctest::Contains(("KASOKU_CACHE_SIZE is '" + std::string(wrong) + "'").c_str()), Error);
  }
  override_env(Env::KASOKU_CACHE_SIZE, before);
}

TEST_CASE("env: 0, no, off and false are false") {
  const std::string before = env(Env::KASOKU_EAGER);
  for (const char* word : {"0", "no", "OFF", "False"}) {
    override_env(Env::KASOKU_EAGER, word);
    CHECK_FALSE(env_flag(Env::KASOKU_EAGER));
  }
  override_env(Env::KASOKU_EAGER, "1");
  CHECK(env_flag(Env::KASOKU_EAGER));
  override_env(Env::KASOKU_EAGER, before);
}
