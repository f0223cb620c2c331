#include "kasoku/kernel/swapped.h"

#include "kasoku/base/text.h"
#include "kasoku/base/warning.h"
#include "kasoku/device/buffer.h"

#include <fmt/format.h>

namespace kasoku {
namespace {

bool get(const std::atomic<bool>& flag) { return flag.load(std::memory_order_relaxed); }

void set(std::atomic<bool>& flag, bool value) {
  if (get(flag) != value) flag.store(value, std::memory_order_relaxed);
}

}  // namespace

void note_launch(const KernelInfo& kernel, std::span<const Argument> args) {
  const size_t count = std::min(args.size(), kernel.params.size());
  const ParamInfo* wrote_filled = nullptr;
  bool read_zeroed = false;
  for (size_t i = 0; i < count; ++i) {
    Buffer* buffer = args[i].kind == Argument::Kind::array ? args[i].array.buffer : nullptr;
    if (!buffer) continue;
    Buffer::History& history = buffer->history;
    const ParamInfo& param = kernel.params[i];
    if (param.is_written && !param.is_const) {
      if (get(history.filled_by_host)) wrote_filled = &param;
      set(history.written_by_kernel, true);
      set(history.zeroed, false);
    } else if (param.is_read && get(history.zeroed)) {
      read_zeroed |= history.read_by_kernel.load(std::memory_order_relaxed) == nullptr;
    }
  }
  if (!wrote_filled || !read_zeroed) return;
  for (size_t i = 0; i < count; ++i) {
    Buffer* buffer = args[i].kind == Argument::Kind::array ? args[i].array.buffer : nullptr;
    if (!buffer || !get(buffer->history.zeroed)) continue;
    buffer->history.read_by_kernel.store(lasting(fmt::format(
        "{0} only read this array of zeros, as its parameter '{1}', and wrote the array that the "
        "host had filled, as its parameter '{2}': are '{1}' and '{2}' swapped in the call?",
        kernel.name, kernel.params[i].name, wrote_filled->name)));
  }
}

void note_read_back(Buffer& buffer) {
  Buffer::History& history = buffer.history;
  if (!history.read_by_kernel.load(std::memory_order_relaxed) || !get(history.zeroed)) return;
  if (const char* sentence = history.read_by_kernel.exchange(nullptr)) {
    set(history.zeroed, false);
    warn(WarningKind::swapped_arguments, sentence);
  }
}

}  // namespace kasoku
