/// Laws of kasoku/base/interrupt.cpp and warning.cpp.
#include "kasoku/base/error.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/base/warning.h"

#include <doctest/doctest.h>

using namespace kasoku;

TEST_CASE("interrupt: a request ends what runs, not what starts later") {
  InterruptCheck running;
  CHECK_NOTHROW(running.look());
  request_interrupt();
  CHECK(running.is_requested());
  CHECK_THROWS_AS(running.look(), Error);
  InterruptCheck later;
  CHECK_NOTHROW(later.look());
}

TEST_CASE("warning: without a hook they are collected, with one they go there") {
  take_warnings();
  warn(WarningKind::general, "one");
  const auto collected = take_warnings();
  REQUIRE(collected.size() == 1);
  CHECK(collected[0].text == "one");
  std::string heard;
  set_warning_hook([&](const Warning& warning) { heard = warning.text; });
  warn(WarningKind::cache, "two");
  set_warning_hook({});
  CHECK(heard == "two");
  CHECK(take_warnings().empty());
}
