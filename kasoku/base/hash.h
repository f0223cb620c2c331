/// \file kasoku/base/hash.h
/// The 128-bit content hash (XXH3) behind keys and checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kasoku {

struct Hash128 {
  uint64_t high = 0, low = 0;

  bool operator==(const Hash128&) const = default;
  auto operator<=>(const Hash128&) const = default;
  /// 32 lower-case digits, high half first.
  std::string hex() const;
};

Hash128 hash128(std::string_view bytes);
uint64_t hash64(std::string_view bytes, uint64_t seed = 0);

/// For unordered containers.
struct Hash128Hasher {
  size_t operator()(const Hash128& hash) const noexcept { return hash.low; }
};

}  // namespace kasoku
