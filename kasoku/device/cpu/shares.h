/// \file kasoku/device/cpu/shares.h
/// Which worker does which chunk of a job: a share of neighbouring ones each, the same in every
/// job of as many chunks, so that a worker finds in its cache what it left there; whoever is done
/// goes on with the others' shares.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace kasoku::cpu {

class Shares {
 public:
  Shares(uint64_t chunks, uint32_t workers)
      : size_(static_cast<uint32_t>(std::min<uint64_t>({chunks, workers, most}))) {
    const uint64_t each = chunks / size_, more = chunks % size_;
    uint64_t begin = 0;
    for (uint32_t i = 0; i < size_; ++i) {
      shares_[i].next.store(begin, std::memory_order_relaxed);
      shares_[i].end = begin += each + (i < more);
    }
  }

  bool are_taken() const { return are_taken_.load(std::memory_order_relaxed); }

  /// The next chunk for whoever is at `share` (any number to begin with), which moves on when
  /// there is none.
  std::optional<uint64_t> take(uint32_t& share) {
    for (uint32_t tries = 0; tries < size_; ++tries) {
      Share& here = shares_[share %= size_];
      if (here.next.load(std::memory_order_relaxed) < here.end)
        if (const uint64_t chunk = here.next.fetch_add(1, std::memory_order_relaxed); chunk < here.end) return chunk;
      ++share;
    }
    are_taken_.store(true, std::memory_order_relaxed);
    return std::nullopt;
  }

 private:
  static constexpr uint64_t most = 64;  ///< more workers have one between them

  struct alignas(64) Share {
    std::atomic<uint64_t> next;
    uint64_t end;
  };

  const uint32_t size_;
  std::atomic<bool> are_taken_{false};
  std::array<Share, most> shares_;  // of which only size_ are touched
};

}  // namespace kasoku::cpu
