/// \file python/src/jit_layout.h
/// Items of lists, dicts and sets as they lie in memory, which the compiler of kernel text lays out, and as words of a call.
#pragma once

#include "kasoku/jit/type.h"

#include <cstddef>
#include <cstdint>

namespace kasoku {

struct Layout {
  size_t size, alignment;
};
Layout layout_of(const jit::Type& type);
size_t words_of_item(const jit::Type& type);

/// Words of a call, as pack() writes them, into memory; to_words is its inverse.
void to_memory(const uint64_t* words, const jit::Type& type, char* at);
void to_words(const char* at, const jit::Type& type, uint64_t* words);

/// The offsets of the key and the value in an entry of a dict, behind its hash, and the entry's size. A set has no
/// values.
struct EntryLayout {
  size_t key, value, size;
};
EntryLayout entry_layout(const jit::Type& container);

/// Where an item of a tuple is in its memory.
size_t offset_of_item(const jit::Type& tuple, size_t item);

/// The hash that generated code (ks_hash of support_dict.inc) has for a key in memory.
uint64_t hash_of(const jit::Type& type, const char* at);

}  // namespace kasoku
