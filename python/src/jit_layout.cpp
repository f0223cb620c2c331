/// \file python/src/jit_layout.cpp
#include "jit_layout.h"

#include "kasoku/jit/lower.h"
#include "kasoku/jit/runtime.h"

#include <algorithm>
#include <cstring>

namespace kasoku {

using namespace jit;

namespace {

/// act(item, where it is in the tuple's memory, which word of the call's it begins with) for each; the end of the last.
template <class Act>
size_t each_part(const Type& tuple, Act act) {
  size_t end = 0, word = 0;
  for (const Type& item : tuple.items) {
    const Layout part = layout_of(item);
    const size_t offset = (end + part.alignment - 1) / part.alignment * part.alignment;
    act(item, offset, word);
    end = offset + part.size;
    word += words_of_item(item);
  }
  return end;
}

uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return (z ^ (z >> 31)) & 0x7fffffffffffffffull;
}

uint64_t hash_of_float(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return mixed(x == 0 ? 1 : bits);
}

template <class T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
uint64_t hash_of_integer(const char* at) {
  return mixed(static_cast<uint64_t>(read<T>(at)) + 0x9E3779B97F4A7C15ull);
}

}  // namespace

size_t words_of_item(const Type& type) { return static_cast<size_t>(words_of(type)); }

Layout layout_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::scalar: {
      const size_t size = info(type.dtype).size;
      return {size, is_complex(type.dtype) ? size / 2 : size};
    }
    case TypeKind::array: return {8 * (2 + 2 * size_t{type.ndim}), 8};
    case TypeKind::string: return {sizeof(String), 8};
    case TypeKind::tuple: {
      size_t alignment = 1;
      const size_t end = each_part(type, [&](const Type& item, size_t, size_t) {
        alignment = std::max(alignment, layout_of(item).alignment);
      });
      return {(end + alignment - 1) / alignment * alignment, alignment};
    }
    case TypeKind::optional: {  // the value, and whether it is there
      const Layout value = layout_of(type.items[0]);
      return {value.size + value.alignment, value.alignment};
    }
    default: return {8, 8};
  }
}

void to_memory(const uint64_t* words, const Type& type, char* at) {
  if (type.is_tuple()) {
    each_part(type, [&](const Type& item, size_t offset, size_t word) { to_memory(words + word, item, at + offset); });
  } else if (type.kind == TypeKind::optional) {
    at[layout_of(type.items[0]).size] = words[0] != 0;
    to_memory(words + 1, type.items[0], at);
  } else if (type.dtype == Dtype::complex64 && type.is_scalar()) {
    double parts[2];
    std::memcpy(parts, words, sizeof parts);
    const float single[2] = {static_cast<float>(parts[0]), static_cast<float>(parts[1])};
    std::memcpy(at, single, sizeof single);
  } else {
    std::memcpy(at, words, layout_of(type).size);
  }
}

void to_words(const char* at, const Type& type, uint64_t* words) {
  if (type.is_tuple()) {
    each_part(type, [&](const Type& item, size_t offset, size_t word) { to_words(at + offset, item, words + word); });
  } else if (type.kind == TypeKind::optional) {
    words[0] = at[layout_of(type.items[0]).size] != 0;
    to_words(at, type.items[0], words + 1);
  } else if (type.dtype == Dtype::complex64 && type.is_scalar()) {
    float single[2];
    std::memcpy(single, at, sizeof single);
    const double parts[2] = {single[0], single[1]};
    std::memcpy(words, parts, sizeof parts);
  } else {
    std::memset(words, 0, 8 * words_of_item(type));
    std::memcpy(words, at, layout_of(type).size);
  }
}

EntryLayout entry_layout(const Type& container) {
  Type entry = Type::tuple({Type::scalar(Dtype::uint64), container.items[0]});
  if (container.is_dict()) entry.items.push_back(container.items[1]);
  EntryLayout layout{};
  size_t i = 0;
  each_part(entry, [&](const Type&, size_t offset, size_t) { (i == 1 ? layout.key : layout.value) = offset, ++i; });
  layout.size = layout_of(entry).size;
  return layout;
}

size_t offset_of_item(const Type& tuple, size_t item) {
  size_t found = 0, i = 0;
  each_part(tuple, [&](const Type&, size_t offset, size_t) {
    if (i++ == item) found = offset;
  });
  return found;
}

uint64_t hash_of(const Type& type, const char* at) {
  if (type.is_tuple()) {
    uint64_t hash = 7;
    each_part(type, [&](const Type& item, size_t offset, size_t) { hash = mixed(hash * 31 + hash_of(item, at + offset)); });
    return hash;
  }
  if (type.is_string()) {
    const auto text = read<String>(at);
    uint64_t hash = 0xcbf29ce484222325ull;
    for (int64_t i = 0; i < text.size; ++i) hash = (hash ^ text.at[i]) * 0x100000001b3ull;
    return mixed(hash);
  }
  switch (type.dtype) {
    case Dtype::float32: return hash_of_float(read<float>(at));
    case Dtype::float64: return hash_of_float(read<double>(at));
    case Dtype::complex64: return mixed(hash_of_float(read<float>(at)) * 31 + hash_of_float(read<float>(at + 4)));
    case Dtype::complex128: return mixed(hash_of_float(read<double>(at)) * 31 + hash_of_float(read<double>(at + 8)));
    case Dtype::int8: return hash_of_integer<int8_t>(at);
    case Dtype::int16: return hash_of_integer<int16_t>(at);
    case Dtype::int32: return hash_of_integer<int32_t>(at);
    case Dtype::uint8: return hash_of_integer<uint8_t>(at);
    case Dtype::uint16: return hash_of_integer<uint16_t>(at);
    case Dtype::uint32: return hash_of_integer<uint32_t>(at);
    case Dtype::bool_: return hash_of_integer<bool>(at);
    default: return hash_of_integer<uint64_t>(at);
  }
}

}  // namespace kasoku
