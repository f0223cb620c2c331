/// \file python/src/jit_lists.cpp
#include "jit_lists.h"

#include "jit_read.h"
#include "kasoku/base/error.h"
#include "kasoku/jit/lower.h"

#include <algorithm>
#include <cstring>

namespace kasoku {

using namespace jit;

namespace {

struct Held {
  nb::object python;
  List* list;
  Type type;
};
thread_local std::vector<Held> held;

size_t words_of_item(const Type& type) { return static_cast<size_t>(words_of(type)); }

/// What an item takes in a list's memory, as the compiler of kernel text lays it out.
struct Layout {
  size_t size, alignment;
};
Layout layout_of(const Type& type);

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

Layout layout_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::scalar: {
      const size_t size = info(type.dtype).size;
      return {size, jit::is_complex(type.dtype) ? size / 2 : size};
    }
    case TypeKind::array: return {8 * (2 + 2 * size_t{type.ndim}), 8};
    case TypeKind::tuple: {
      size_t alignment = 1;
      const size_t end = each_part(type, [&](const Type& item, size_t, size_t) {
        alignment = std::max(alignment, layout_of(item).alignment);
      });
      return {(end + alignment - 1) / alignment * alignment, alignment};
    }
    default: return {8, 8};
  }
}

/// Words of a call, as pack() writes them, into memory; to_words is its inverse.
void to_memory(const uint64_t* words, const Type& type, char* at) {
  if (type.is_tuple()) {
    each_part(type, [&](const Type& item, size_t offset, size_t word) { to_memory(words + word, item, at + offset); });
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

char* item_at(const List& list, size_t itemsize, int64_t i) { return static_cast<char*>(list.items) + itemsize * static_cast<size_t>(i); }

void drop(List* list, const Type& type) {
  if (!list || __atomic_sub_fetch(&list->count, 1, __ATOMIC_ACQ_REL) != 0) return;
  const Type& item = type.items[0];
  const size_t size = layout_of(item).size;
  for (int64_t i = 0; i < list->size; ++i) {
    const auto* words = reinterpret_cast<const uint64_t*>(item_at(*list, size, i));
    if (item.is_list()) drop(reinterpret_cast<List*>(words[0]), item);
    if (item.is_array()) release(reinterpret_cast<Memory*>(words[1 + 2 * item.ndim]));
  }
  free_list(list);
}

List* copy_of(PyObject* python, const Type& type) {
  const Type& item = type.items[0];
  const size_t size = layout_of(item).size;
  List* list = new_list(PyList_Size(python), static_cast<int64_t>(size));
  if (!list) throw Error(ErrorKind::memory, "a list does not fit into memory");
  std::vector<uint64_t> words(words_of_item(item));
  for (Py_ssize_t i = 0; i < PyList_Size(python); ++i) {
    PyObject* value = PyList_GetItem(python, i);
    uint64_t* at = words.data();
    const bool fits = item.is_list() ? pack_list(value, item, at) : pack(value, item, at);
    if (!fits) return drop(list, type), nullptr;
    if (item.is_list()) ++reinterpret_cast<List*>(words[0])->count;  // the outer list is an owner too
    to_memory(words.data(), item, item_at(*list, size, i));
    ++list->size;
  }
  return list;
}

/// One type for all: exactly, since a number's type is seen when the list comes back.
Type type_of_list(PyObject* list, int depth) {
  const Py_ssize_t n = PyList_Size(list);
  if (n == 0 || depth > 4) return {};
  Type all;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PyList_GetItem(list, i);
    if (all == float64_type && PyFloat_CheckExact(item)) continue;
    Type type;
    if (PyList_Check(item)) type = type_of_list(item, depth + 1);
    else type = type_of_value(item);
    const bool holds = type.is_scalar() || type.is_list() || (type.is_array() && type.ndim > 0) ||
                       (type.is_tuple() && !type.items.empty() && std::ranges::all_of(type.items, &Type::is_scalar));
    if (!holds) return {};
    if (i > 0 && type != all && !(type.is_array() && all.is_array() && join(type, all) == all)) return {};
    if (i == 0) all = type;
    if (all.is_array()) all.is_contiguous = all.is_contiguous && type.is_contiguous;
  }
  return Type::list(all);
}

}  // namespace

Type argument_type(nb::handle value) {
  if (!PyList_Check(value.ptr())) return type_of_value(value);
  if (PyList_Size(value.ptr()) == 0 && nb::hasattr(value, "_kasoku_item")) {  // a typed list says what it holds
    nb::object item = value.attr("_kasoku_item");
    if (!item.is_none()) return Type::list(type_of_description(item));
  }
  return type_of_list(value.ptr(), 0);
}

bool pack_list(PyObject* python, const Type& type, uint64_t* word, bool is_offloaded) {
  if (is_offloaded && type.items[0].is_array()) throw Error(ErrorKind::type, "a list of arrays has no compiled form on a device");
  if (!PyList_Check(python)) return false;
  for (const Held& other : held)  // one list given twice is one list
    if (other.python.ptr() == python && other.type == type) return *word = reinterpret_cast<uint64_t>(other.list), true;
  List* list = copy_of(python, type);
  if (!list) return false;
  held.push_back({nb::borrow(python), list, type});
  *word = reinterpret_cast<uint64_t>(list);
  return true;
}

namespace {

nb::object item_of(const List& list, const Type& item, int64_t i, PyObject* const* arguments, size_t n) {
  std::vector<uint64_t> words(words_of_item(item));
  to_words(item_at(list, layout_of(item).size, i), item, words.data());
  if (item.is_list()) {
    ++reinterpret_cast<List*>(words[0])->count;
    return unpack_list(item, words[0], arguments, n);
  }
  if (item.is_array())
    if (auto* memory = reinterpret_cast<Memory*>(words.back())) __atomic_fetch_add(&memory->count, 1, __ATOMIC_RELAXED);
  const uint64_t* at = words.data();
  return unpack(item, at, arguments, n);
}

}  // namespace

nb::object unpack_list(const Type& type, uint64_t word, PyObject* const* arguments, size_t n) {
  auto* const list = reinterpret_cast<List*>(word);
  for (const Held& other : held)
    if (other.list == list) return drop(list, type), other.python;
  nb::list result;
  for (int64_t i = 0; list && i < list->size; ++i) result.append(item_of(*list, type.items[0], i, arguments, n));
  drop(list, type);
  return result;
}

ListScope::ListScope() : begin_(held.size()) {}

ListScope::~ListScope() {
  while (held.size() > begin_) {
    drop(held.back().list, held.back().type);
    held.pop_back();
  }
}

void ListScope::write_back(PyObject* const* arguments, size_t n) {
  for (size_t k = begin_; k < held.size(); ++k) {
    const Held& each = held[k];
    if (!each.list->is_changed) continue;
    nb::list items;
    for (int64_t i = 0; i < each.list->size; ++i) items.append(item_of(*each.list, each.type.items[0], i, arguments, n));
    if (PyList_SetSlice(each.python.ptr(), 0, PyList_Size(each.python.ptr()), items.ptr())) throw nb::python_error();
  }
}

}  // namespace kasoku
