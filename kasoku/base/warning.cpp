/// \file kasoku/base/warning.cpp
#include "kasoku/base/warning.h"

#include <mutex>
#include <utility>

namespace kasoku {

namespace {

struct State {
  std::mutex mutex;
  WarningHook hook;
  std::vector<Warning> collected;
};

State& state() {
  static State* state = new State;
  return *state;
}

}  // namespace

void set_warning_hook(WarningHook hook) {
  std::lock_guard lock(state().mutex);
  state().hook = std::move(hook);
}

void warn(WarningKind kind, const std::string& text) {
  WarningHook hook;
  {
    std::lock_guard lock(state().mutex);
    hook = state().hook;
    if (!hook) {
      auto& collected = state().collected;
      if (collected.size() >= 100) collected.erase(collected.begin());
      collected.push_back({kind, text});
    }
  }
  if (hook) hook({kind, text});
}

std::vector<Warning> take_warnings() {
  std::lock_guard lock(state().mutex);
  return std::exchange(state().collected, {});
}

}  // namespace kasoku
