/// \file python/src/jit_lists.cpp
#include "jit_lists.h"

#include "jit_instances.h"
#include "jit_layout.h"
#include "jit_read.h"
#include "kasoku/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace kasoku {

using namespace jit;

namespace {

/// A list, a dict or a set of Python's and its copy.
struct Held {
  nb::object python;
  void* body;  ///< a List or a Dict
  Type type;
};
thread_local std::vector<Held> held;
thread_local Strings* strings = nullptr;

char* item_at(const List& list, size_t itemsize, int64_t i) { return static_cast<char*>(list.items) + itemsize * static_cast<size_t>(i); }

void drop(void* body, const Type& type);

/// Fields stand behind the count of owners.
const char* field_at(void* body, const Type& type, size_t i) {
  Type fields = Type::tuple(type.items);
  return static_cast<const char*>(body) + sizeof(int64_t) + offset_of_item(fields, i);
}

/// Gives up what an item in memory owns.
void disown(const char* at, const Type& item) {
  uint64_t word;
  std::memcpy(&word, at + (item.is_array() ? 8 * (1 + 2 * size_t{item.ndim}) : 0), sizeof word);
  if (item.is_counted()) drop(reinterpret_cast<void*>(word), item);
  if (item.is_array()) release(reinterpret_cast<Memory*>(word));
}

/// act(entry) for each entry of a dict or a set.
template <class Act>
void each_entry(const Dict& dict, size_t size, Act act) {
  for (int64_t i = 0; i < dict.used; ++i) {
    char* const entry = dict.entries + size * static_cast<size_t>(i);
    uint64_t hash;
    std::memcpy(&hash, entry, sizeof hash);
    if (hash != no_entry) act(entry);
  }
}

/// A container's count of owners is its first word.
int64_t& owners(void* body) { return *static_cast<int64_t*>(body); }

void drop(void* body, const Type& type) {
  if (!body || __atomic_sub_fetch(&owners(body), 1, __ATOMIC_ACQ_REL) != 0) return;
  if (type.is_instance()) {
    for (size_t i = 0; i < type.items.size(); ++i)
      if (type.items[i].is_counted() || type.items[i].is_array()) disown(field_at(body, type, i), type.items[i]);
    return std::free(body);
  }
  if (type.is_list()) {
    auto* const list = static_cast<List*>(body);
    const size_t size = layout_of(type.items[0]).size;
    if (type.items[0].is_container() || type.items[0].is_array())
      for (int64_t i = 0; i < list->size; ++i) disown(item_at(*list, size, i), type.items[0]);
    return free_list(list);
  }
  auto* const dict = static_cast<Dict*>(body);
  const EntryLayout layout = entry_layout(type);
  if (type.is_dict()) each_entry(*dict, layout.size, [&](char* entry) { disown(entry + layout.value, type.items[1]); });
  free_dict(dict);
}

/// Which of the numbers it is that Python has itself, whose words are their bytes in memory: most items of most lists.
enum class Plain { no, integer, floating };
Plain plain(const Type& item) {
  if (!item.is_scalar() || item.enumeration) return Plain::no;
  return item.dtype == Dtype::float64 ? Plain::floating : item.dtype == Dtype::int64 ? Plain::integer : Plain::no;
}

bool put_plain(PyObject* value, Plain plain, char* to) {
  if (plain == Plain::floating && PyFloat_CheckExact(value)) {
    const double number = PyFloat_AsDouble(value);
    return std::memcpy(to, &number, sizeof number), true;
  }
  if (plain != Plain::integer || !PyLong_CheckExact(value)) return false;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  return std::memcpy(to, &number, sizeof number), overflow == 0;
}

/// Puts a Python value into memory; false if it is of another type. A typed container converts numbers to its own types,
/// and an array may lie closer than the type says of all of them.
bool put(PyObject* value, const Type& type, std::vector<uint64_t>& words, char* to, bool is_typed) {
  if (put_plain(value, plain(type), to)) return true;
  words.resize(words_of_item(type));
  uint64_t* at = words.data();
  if (type.is_container()) {
    if (!pack_container(value, type, at)) return false;
    ++owners(reinterpret_cast<void*>(words[0]));  // the outer one is an owner, too
  } else if (!pack(value, type, at)) {
    const Type given = type.is_array() || (is_typed && type.is_scalar()) ? type_of_value(value) : Type{};
    at = words.data();
    const bool fits = type.is_array() ? given.is_array() && join(given, type) == type && pack(value, given, at)
                                      : given.is_scalar() && pack_converted(value, given, type, at);
    if (!fits) return false;
  }
  to_memory(words.data(), type, to);
  return true;
}

void* copy_of_list(PyObject* python, const Type& type) {
  const size_t size = layout_of(type.items[0]).size;
  List* list = new_list(PyList_Size(python), static_cast<int64_t>(size));
  if (!list) throw Error(ErrorKind::memory, "a list does not fit into memory");
  std::vector<uint64_t> words;
  for (Py_ssize_t i = 0; i < PyList_Size(python); ++i, ++list->size)
    if (!put(PyList_GetItem(python, i), type.items[0], words, item_at(*list, size, i), false)) return drop(list, type), nullptr;
  return list;
}

void* copy_of_hashed(nb::handle python, const Type& type) {
  const EntryLayout layout = entry_layout(type);
  Dict* dict = new_dict(static_cast<int64_t>(layout.size));
  std::vector<uint64_t> words;
  const bool is_typed = nb::hasattr(python, "_kasoku_item");
  for (nb::handle key : python) {
    if (!dict || (dict->used == dict->capacity && !grow(*dict, static_cast<int64_t>(layout.size))))
      throw Error(ErrorKind::memory, "a dict or a set does not fit into memory");
    char* const entry = dict->entries + layout.size * static_cast<size_t>(dict->used);
    std::memset(entry, 0, layout.size);
    const bool fits = put(key.ptr(), type.items[0], words, entry + layout.key, is_typed) &&
                      (!type.is_dict() || put(PyDict_GetItem(python.ptr(), key.ptr()), type.items[1], words, entry + layout.value, is_typed));
    if (!fits) return drop(dict, type), nullptr;
    uint64_t hash = hash_of(type.items[0], entry + layout.key);
    std::memcpy(entry, &hash, sizeof hash);
    while (dict->index[hash & static_cast<uint64_t>(dict->mask)] >= 0) ++hash;
    dict->index[hash & static_cast<uint64_t>(dict->mask)] = dict->used++;
    ++dict->size;
  }
  if (!dict) throw Error(ErrorKind::memory, "a dict or a set does not fit into memory");
  return dict;
}

Type type_of_container(nb::handle value, int depth);

/// What is copied with a container: no instance of a class.
bool can_be_packed(const Type& type) {
  const auto is_plain = [](const Type& t) { return t.is_scalar() || t.is_string(); };
  return is_plain(type) || type.is_container() || (type.is_array() && type.ndim > 0) ||
         (type.is_tuple() && !type.items.empty() && std::ranges::all_of(type.items, is_plain));
}

/// Joins the type of one more item: exactly, since a number's type is seen when it comes back. False if there is none.
bool add_type(nb::handle item, Type& all, int depth) {
  if (all == float64_type && PyFloat_CheckExact(item.ptr())) return true;
  if (all.is_string() && PyUnicode_CheckExact(item.ptr())) return true;
  int overflow = 0;
  if (all == int64_type && PyLong_CheckExact(item.ptr()) && (PyLong_AsLongLongAndOverflow(item.ptr(), &overflow), overflow == 0)) return true;
  const Type type = is_container(item) ? type_of_container(item, depth + 1) : at_run_time(type_of_value(item));
  if (!can_be_packed(type)) return false;
  if (all.is_known() && type != all && !(type.is_array() && all.is_array() && join(type, all) == all)) return false;
  if (!all.is_known()) all = type;
  if (all.is_array()) all.is_contiguous = all.is_contiguous && type.is_contiguous;
  return true;
}

Type type_of_container(nb::handle value, int depth) {
  if (nb::hasattr(value, "_kasoku_item")) {  // a typed container says what it holds
    nb::object item = value.attr("_kasoku_item");
    try {
      if (!item.is_none() && PyDict_Check(value.ptr())) {
        const Type key = at_run_time(type_of_description(item[0])), mapped = at_run_time(type_of_description(item[1]));
        return can_be_packed(key) && can_be_packed(mapped) ? Type::dict(key, mapped) : Type{};
      }
      if (!item.is_none() && nb::len(value) == 0) {
        const Type type = at_run_time(type_of_description(item));
        if (PyList_Check(value.ptr())) return can_be_packed(type) ? Type::list(type) : Type{};
        return can_be_key(type) ? Type::set(type) : Type{};
      }
    } catch (const Error&) {
      return {};  // instances of classes
    }
  }
  if (depth > 4 || nb::len(value) == 0) return {};
  Type item, mapped;
  for (nb::handle each : value) {
    if (!add_type(each, item, depth)) return {};
    if (PyDict_Check(value.ptr()) && !add_type(nb::handle(PyDict_GetItem(value.ptr(), each.ptr())), mapped, depth)) return {};
  }
  if (PyList_Check(value.ptr())) return Type::list(item);
  if (!can_be_key(item)) return {};
  return PyDict_Check(value.ptr()) ? Type::dict(item, mapped) : Type::set(item);
}

}  // namespace

/// Subclasses of dict and set find keys in ways of their own, but for the typed ones.
bool is_container(nb::handle value) {
  return PyList_Check(value.ptr()) || PyDict_CheckExact(value.ptr()) || Py_TYPE(value.ptr()) == &PySet_Type ||
         (PyDict_Check(value.ptr()) && nb::hasattr(value, "__kasoku_dict__")) || (PySet_Check(value.ptr()) && nb::hasattr(value, "__kasoku_set__"));
}

Type argument_type(nb::handle value) {
  if (PyBytes_CheckExact(value.ptr()) || PyByteArray_CheckExact(value.ptr())) return Type::bytes();
  return is_container(value) ? type_of_container(value, 0) : type_of_value(value);
}

bool pack_container(PyObject* python, const Type& type, uint64_t* word, bool is_offloaded) {
  if (is_offloaded && type.items[0].is_array())
    throw Error(ErrorKind::type, fmt::format("a {} has no compiled form on a device", str(type)));
  const bool fits = type.is_list() ? PyList_Check(python) : type.is_dict() ? PyDict_Check(python) : PySet_Check(python);
  if (!fits || !is_container(python)) return false;
  for (const Held& other : held)  // one that is given twice is one
    if (other.python.ptr() == python && other.type == type) return *word = reinterpret_cast<uint64_t>(other.body), true;
  void* body = type.is_list() ? copy_of_list(python, type) : copy_of_hashed(python, type);
  if (!body) return false;
  held.push_back({nb::borrow(python), body, type});
  *word = reinterpret_cast<uint64_t>(body);
  return true;
}

namespace {

nb::object item_of(const char* at, const Type& item, PyObject* const* arguments, size_t n) {
  if (const Plain its = plain(item); its == Plain::floating) {
    double number;
    std::memcpy(&number, at, sizeof number);
    return nb::steal(PyFloat_FromDouble(number));
  } else if (its == Plain::integer) {
    long long number;
    std::memcpy(&number, at, sizeof number);
    return nb::steal(PyLong_FromLongLong(number));
  }
  constexpr size_t most_at_hand = 16;
  const size_t n_words = words_of_item(item);
  uint64_t at_hand[most_at_hand];
  std::vector<uint64_t> more(n_words > most_at_hand ? n_words : 0);
  uint64_t* const words = more.empty() ? at_hand : more.data();
  to_words(at, item, words);
  if (item.is_counted()) {
    if (!words[0]) return nb::none();
    ++owners(reinterpret_cast<void*>(words[0]));
    return unpack_container(item, words[0], arguments, n);
  }
  if (item.is_array())
    if (auto* memory = reinterpret_cast<Memory*>(words[n_words - 1])) __atomic_fetch_add(&memory->count, 1, __ATOMIC_RELAXED);
  const uint64_t* from = words;
  return unpack(item, from, arguments, n);
}

/// Its items as a new Python list, dict or set; its fields as a new instance.
nb::object to_python(void* body, const Type& type, PyObject* const* arguments, size_t n) {
  if (type.is_instance()) {
    nb::handle made = class_of_instances(type);
    nb::object object = made.attr("__new__")(made), fields = object.attr("__dict__");
    size_t i = 0;
    for (auto [name, field] : nb::borrow<nb::dict>(made.attr("__kasoku_forms__").attr("fields"))) {
      fields[name] = item_of(field_at(body, type, i), type.items[i], arguments, n);
      ++i;
    }
    return object;
  }
  if (type.is_list()) {
    const List& list = *static_cast<List*>(body);
    nb::object items = nb::steal(PyList_New(list.size));
    if (!items.is_valid()) throw nb::python_error();
    const size_t size = layout_of(type.items[0]).size;
    for (int64_t i = 0; i < list.size; ++i) PyList_SetItem(items.ptr(), i, item_of(item_at(list, size, i), type.items[0], arguments, n).release().ptr());
    return items;
  }
  const EntryLayout layout = entry_layout(type);
  nb::dict dict;
  nb::object set = nb::steal(PySet_New(nullptr));
  each_entry(*static_cast<Dict*>(body), layout.size, [&](char* entry) {
    nb::object key = item_of(entry + layout.key, type.items[0], arguments, n);
    if (type.is_dict()) dict[key] = item_of(entry + layout.value, type.items[1], arguments, n);
    else if (PySet_Add(set.ptr(), key.ptr())) throw nb::python_error();
  });
  return type.is_dict() ? nb::object(dict) : set;
}

}  // namespace

nb::object unpack_container(const Type& type, uint64_t word, PyObject* const* arguments, size_t n) {
  auto* const body = reinterpret_cast<void*>(word);
  for (const Held& other : held)
    if (other.body == body) return drop(body, type), other.python;
  nb::object result = to_python(body, type, arguments, n);
  if (type.is_instance())
    held.push_back({result, body, type});  // one that comes back twice is one
  else
    drop(body, type);
  return result;
}

void disown(const Type& type, const uint64_t*& words) {
  if (type.is_tuple()) {
    for (const Type& item : type.items) disown(item, words);
    return;
  }
  const uint64_t* const own = words + (type.kind == TypeKind::optional ? 1 : 0);
  words += words_of_item(type);
  if (type.is_counted() || type.is_array()) disown(reinterpret_cast<const char*>(own), type);
}

Strings& strings_of_call() { return *strings; }

ListScope::ListScope() : begin_(held.size()), outer_(std::exchange(strings, &strings_)) {}

ListScope::~ListScope() {
  strings = outer_;
  while (held.size() > begin_) {
    drop(held.back().body, held.back().type);
    held.pop_back();
  }
}

/// What makes a named tuple of its items, of the class of one that was there, which compiled code does not know; else
/// null.
static nb::object make_of(PyObject* before) {
  const bool is_named = before && PyTuple_Check(before) && !PyTuple_CheckExact(before);
  return is_named ? nb::handle(before).type().attr("_make") : nb::object();
}

void ListScope::write_back(PyObject* const* arguments, size_t n) {
  for (size_t k = begin_; k < held.size(); ++k) {
    const Held each = held[k];
    if (each.type.is_instance()) continue;
    const bool is_changed = each.type.is_list() ? static_cast<List*>(each.body)->is_changed : static_cast<Dict*>(each.body)->is_changed;
    if (!is_changed) continue;
    nb::object items = to_python(each.body, each.type, arguments, n);
    PyObject* const python = each.python.ptr();
    int failed = 0;
    if (each.type.is_list()) {
      if (const nb::object make = make_of(PyList_Size(python) ? PyList_GetItem(python, 0) : nullptr))
        for (size_t i = 0; i < nb::len(items); ++i) items[i] = make(items[i]);
      failed = PyList_SetSlice(python, 0, PyList_Size(python), items.ptr());
    } else if (each.type.is_dict()) {
      Py_ssize_t at = 0;
      PyObject *key, *value = nullptr;
      PyDict_Next(python, &at, &key, &value);
      if (const nb::object make = make_of(value))
        for (nb::handle each_key : nb::list(items)) items[each_key] = make(items[each_key]);
      PyDict_Clear(python);
      failed = PyDict_Update(python, items.ptr());
    } else {
      failed = PySet_Clear(python);
      for (nb::handle item : items) failed |= PySet_Add(python, item.ptr());
    }
    if (failed) throw nb::python_error();
  }
}

}  // namespace kasoku
