/// \file kasoku/base/tally.h
/// A number that all threads add to often and somebody reads seldom. Each thread adds to a part of its own, so that no
/// processor waits for another, and no instruction is a locked one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kasoku {

class Tally {
 public:
  Tally();
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  void add(uint64_t n) const;
  /// The sum over all threads, including those that have ended.
  uint64_t load() const;

 private:
  const size_t place_;  ///< in every thread's part
};

}  // namespace kasoku
