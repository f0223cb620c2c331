/// \file huge_pages.h
/// Long vectors in huge pages, where the system has some: to clear and map small ones takes as long as a tenth of a
/// million small tasks do.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kasoku {

/// A vector without elements that has room for n.
template <class T>
std::vector<T> room_in_huge_pages(size_t n) {
  constexpr uintptr_t page = 4096, huge_page = 2 << 20;
  std::vector<T> room;
  room.reserve(n);
  const uintptr_t start = (reinterpret_cast<uintptr_t>(room.data()) + page - 1) / page * page;
  const size_t bytes = n * sizeof(T);
  if (bytes >= 2 * huge_page) ::madvise(reinterpret_cast<void*>(start), bytes - page, MADV_HUGEPAGE);
  return room;
}

template <class T>
std::vector<T> made_in_huge_pages(size_t n) {
  std::vector<T> all = room_in_huge_pages<T>(n);
  all.resize(n);
  return all;
}

}  // namespace kasoku
