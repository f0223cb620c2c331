/// Memory of lists, dicts, sets and texts; what their items own is known by the types of generated code.
#include "kasoku/jit/runtime.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace kasoku::jit {

List* new_list(int64_t capacity, int64_t itemsize) {
  if (capacity < 0 || capacity > std::numeric_limits<int64_t>::max() / 4 / itemsize) return nullptr;
  auto* const list = static_cast<List*>(std::malloc(sizeof(List)));
  if (!list) return nullptr;
  void* const items = capacity ? std::malloc(static_cast<size_t>(capacity * itemsize)) : nullptr;
  if (capacity && !items) return std::free(list), nullptr;
  *list = {1, 0, capacity, items, 0};
  return list;
}

void free_list(List* list) {
  std::free(list->items);
  std::free(list);
}

Dict* new_dict(int64_t entry_size) {
  auto* const dict = static_cast<Dict*>(std::calloc(1, sizeof(Dict)));
  if (!dict) return nullptr;
  dict->count = 1;
  dict->mask = -1;
  if (!grow(*dict, entry_size)) return std::free(dict), nullptr;
  return dict;
}

bool grow(Dict& dict, int64_t entry_size) {
  // Two thirds of the index are in use at most; half of the entries are live after it.
  int64_t slots = std::max<int64_t>(dict.mask + 1, 8);
  while (slots * 2 / 3 / 2 < dict.size + 1 && slots > 0) slots *= 2;
  const int64_t capacity = slots * 2 / 3;
  if (slots <= 0 || capacity > std::numeric_limits<int64_t>::max() / 4 / entry_size) return false;
  auto* const entries = static_cast<char*>(std::malloc(static_cast<size_t>(capacity * entry_size)));
  auto* const index = static_cast<int64_t*>(std::malloc(static_cast<size_t>(slots) * sizeof(int64_t)));
  if (!entries || !index) return std::free(entries), std::free(index), false;
  std::fill_n(index, slots, int64_t{-1});
  int64_t used = 0;
  for (int64_t i = 0; i < dict.used; ++i) {
    const char* from = dict.entries + i * entry_size;
    uint64_t hash;
    std::memcpy(&hash, from, sizeof hash);
    if (hash == no_entry) continue;
    std::memcpy(entries + used * entry_size, from, static_cast<size_t>(entry_size));
    while (index[hash & static_cast<uint64_t>(slots - 1)] >= 0) ++hash;
    index[hash & static_cast<uint64_t>(slots - 1)] = used++;
  }
  std::free(dict.entries);
  std::free(dict.index);
  dict.entries = entries, dict.index = index;
  dict.used = used, dict.capacity = capacity, dict.mask = slots - 1;
  return true;
}

uint32_t* Strings::take(Free& from, int64_t size) {
  if (!from.begin || from.end - from.begin < size) {
    const int64_t room = std::max<int64_t>(256, size * 2);  // for what grows
    std::unique_ptr<uint32_t[]> block(size < std::numeric_limits<int64_t>::max() / 16 ? new (std::nothrow) uint32_t[static_cast<size_t>(room)] : nullptr);
    if (!block) return nullptr;
    from = {block.get(), block.get() + room};
    blocks_.push_back(std::move(block));
  }
  return &from == &before_ ? from.end -= size : std::exchange(from.begin, from.begin + size);
}

uint32_t* Strings::room(int64_t size) {
  const std::lock_guard lock(mutex_);
  return take(behind_, size);
}

Strings::Free* Strings::free_behind(String text) {
  const uint32_t* const end = text.at + text.size;
  if (end == behind_.begin) return &behind_;
  if (!own_) return nullptr;
  Free* const found = std::find_if(own_.get(), own_.get() + n_own, [end](const Free& each) { return each.begin == end; });
  if (found == own_.get() + n_own) return nullptr;
  std::rotate(own_.get(), found, found + 1);
  return &own_[0];
}

Strings::Free& Strings::own_block(const Free* before) {
  if (!own_) own_ = std::make_unique<Free[]>(n_own);
  if (before != &own_[0]) std::rotate(own_.get(), own_.get() + n_own - 1, own_.get() + n_own);
  return own_[0] = {};
}

String Strings::joined(String a, String b) {
  constexpr int64_t long_text = 64;
  const std::lock_guard lock(mutex_);
  const int64_t size = a.size + b.size;
  Free* const behind = free_behind(a);
  if (behind && behind->end - behind->begin >= b.size) {
    std::copy_n(b.at, b.size, take(*behind, b.size));
    return {a.at, size};
  }
  const bool goes_back = b.at == before_.end && before_.end - before_.begin >= a.size;
  const bool is_before = goes_back || a.size < b.size;
  uint32_t* const to = take(is_before ? before_ : size < long_text ? behind_ : own_block(behind), goes_back ? a.size : size);
  if (!to) return {};
  std::copy_n(a.at, a.size, to);
  if (!goes_back) std::copy_n(b.at, b.size, to + a.size);
  return {to, size};
}

void free_dict(Dict* dict) {
  std::free(dict->entries);
  std::free(dict->index);
  std::free(dict);
}

}  // namespace kasoku::jit
