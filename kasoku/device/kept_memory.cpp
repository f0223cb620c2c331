#include "kasoku/device/kept_memory.h"

#include "kasoku/device/buffer.h"
#include "kasoku/device/device.h"
#include "kasoku/device/stream.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace kasoku {

struct KeptMemory::Own {
  struct Piece {
    Device* device;
    void* memory;
    size_t bytes;
    std::shared_ptr<void> owner;  ///< null: the device's own memory
  };

  Device& device;
  std::set<uintptr_t> addresses = {};
  std::set<Buffer*> buffers = {};
  std::vector<Piece> pieces = {};
  Stream* last_stream = nullptr;

  bool has_address_in(const void* memory, size_t bytes) const {
    const auto first = reinterpret_cast<uintptr_t>(memory);
    const auto found = addresses.lower_bound(first);
    return found != addresses.end() && *found < first + std::max<size_t>(bytes, 1);
  }
};

/// Those of all recordings that live.
struct KeptMemory::All {
  std::mutex mutex;
  std::vector<Own*> kept;
  std::atomic<size_t> count{0};

  static All& get() {
    static auto* const all = new All;  // buffers may go after our statics
    return *all;
  }
};

KeptMemory::KeptMemory(Device& device) : own_(new Own{device}) {
  All& all = All::get();
  const std::lock_guard lock(all.mutex);
  all.kept.push_back(own_.get());
  all.count = all.kept.size();
}

KeptMemory::~KeptMemory() {
  std::vector<Own::Piece> free;
  {
    All& all = All::get();
    const std::lock_guard lock(all.mutex);
    std::erase(all.kept, own_.get());
    all.count = all.kept.size();
    for (Own::Piece& piece : own_->pieces) {
      const auto other = std::ranges::find_if(
          all.kept, [&](const Own* each) { return each->has_address_in(piece.memory, piece.bytes); });
      (other == all.kept.end() ? free : (*other)->pieces).push_back(std::move(piece));
    }
  }
  for (const Own::Piece& piece : free)
    if (!piece.owner)
      piece.device->deallocate(piece.memory, piece.bytes,
                               own_->last_stream ? *own_->last_stream : piece.device->current_stream());
}

void KeptMemory::add(const void* address) {
  const std::lock_guard lock(All::get().mutex);
  own_->addresses.insert(reinterpret_cast<uintptr_t>(address));
}

void KeptMemory::add(const KernelInfo& kernel, void* const* args) {
  const std::lock_guard lock(All::get().mutex);
  for (size_t i = 0; i < kernel.params.size(); ++i)
    for (size_t at = 0; at + sizeof(uintptr_t) <= kernel.params[i].size; at += sizeof(uintptr_t)) {
      uintptr_t word;  // structs hold addresses too
      std::memcpy(&word, static_cast<const char*>(args[i]) + at, sizeof word);
      own_->addresses.insert(word);
    }
}

void KeptMemory::add(Buffer& buffer) {
  const std::lock_guard lock(All::get().mutex);
  own_->buffers.insert(&buffer);
}

void KeptMemory::use_on(Stream& stream) {
  Stream* const last = std::exchange(own_->last_stream, &stream);
  if (last && last != &stream) own_->device.order(*last, stream);
  const std::lock_guard lock(All::get().mutex);  // a buffer that goes waits
  for (Buffer* buffer : own_->buffers) buffer->use_on(stream);
}

bool KeptMemory::take(Device& device, void* memory, size_t bytes, std::shared_ptr<void> owner) {
  All& all = All::get();
  const std::lock_guard lock(all.mutex);
  const auto found =
      std::ranges::find_if(all.kept, [&](const Own* each) { return each->has_address_in(memory, bytes); });
  if (found == all.kept.end()) return false;
  (*found)->pieces.push_back({&device, memory, bytes, std::move(owner)});
  return true;
}

void KeptMemory::forget(Buffer& buffer) {
  All& all = All::get();
  const std::lock_guard lock(all.mutex);
  for (Own* each : all.kept) each->buffers.erase(&buffer);
}

bool KeptMemory::keeps(const Buffer& buffer) {
  if (!is_any_alive()) return false;
  All& all = All::get();
  const std::lock_guard lock(all.mutex);
  return std::ranges::any_of(all.kept,
                             [&](const Own* each) { return each->has_address_in(buffer.memory(), buffer.bytes()); });
}

bool KeptMemory::is_any_alive() { return All::get().count.load(std::memory_order_relaxed); }

}  // namespace kasoku
