/// \file kasoku/device/print.cpp
#include "kasoku/device/print.h"

#include <atomic>
#include <cstdio>

namespace kasoku {

namespace {
std::atomic<PrintHook> print_hook{nullptr};
}

void set_print_hook(PrintHook hook) { print_hook.store(hook); }

void print_text(std::string_view text) {
  if (const PrintHook hook = print_hook.load())
    hook(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace kasoku
