/// \file kasoku/jit/type.h
/// What a value of a compiled function is: the types that inference works with.
#pragma once

#include "kasoku/base/dtype.h"

#include <optional>
#include <string>
#include <vector>

namespace kasoku::jit {

struct Function;
struct Intrinsic;

enum class TypeKind : uint8_t {
  unknown,   ///< not inferred yet; joins with anything
  none,      ///< Python's None
  scalar,    ///< one number of `dtype`
  array,     ///< `ndim` axes of `dtype`
  tuple,     ///< of `items`
  list,      ///< a list of items[0], which is unknown until something is put into it
  dict,      ///< from items[0] to items[1], unknown like a list's
  set,       ///< of items[0]
  record,    ///< an element of a structured array, where it is: fields of `items`, whose places `text` has
  range,     ///< range(…) as a value
  text,      ///< a string known at compile time
  string,    ///< one that is not: its code points
  member,    ///< a member of an Enum, known at compile time: `text` is its name
  dtype,     ///< a dtype as a value: np.float64
  function,  ///< a function as a value: `function`, or a row of intrinsics.def
  group,     ///< all threads of a launch (cuda.cg.this_grid())
  optional,  ///< None or items[0]
  instance,  ///< an object of a class with typed fields, `items`: a reference; `text` has its class and their names
};

struct Type {
  TypeKind kind = TypeKind::unknown;
  Dtype dtype = Dtype::opaque;
  uint8_t ndim = 0;
  bool is_contiguous = false;  ///< array: C order is known when compiling
  bool is_read_only = false;   ///< array, record: a store to it is an error when compiling
  std::vector<Type> items;               ///< of an array, if its elements are no numbers: the record
  const Function* function = nullptr;    ///< function
  const Intrinsic* intrinsic = nullptr;  ///< function, if it is none of the unit's
  std::string text;                      ///< text: which one; scalar: an integer known when compiling, in digits
  int enumeration = 0;                   ///< scalar: number of the IntEnum that it is a member of, of an IntFlag below zero

  bool operator==(const Type&) const = default;

  static Type of(TypeKind kind) {
    Type type;
    type.kind = kind;
    return type;
  }
  static Type scalar(Dtype dtype) {
    Type type = of(TypeKind::scalar);
    type.dtype = dtype;
    return type;
  }
  static Type array(Dtype dtype, int ndim, bool is_contiguous) {
    Type type = of(TypeKind::array);
    type.dtype = dtype;
    type.ndim = static_cast<uint8_t>(ndim);
    type.is_contiguous = is_contiguous;
    return type;
  }
  static Type bytes() {
    Type type = array(Dtype::uint8, 1, true);
    type.is_read_only = true;
    type.text = "bytes";
    return type;
  }
  /// The type of an array's elements; those of bytes are Python's integers.
  Type element() const {
    if (is_bytes()) return scalar(Dtype::int64);
    if (items.empty()) return scalar(dtype);
    Type record = items[0];
    record.is_read_only = is_read_only;
    return record;
  }
  /// A view of an array of this type: what may not be written stays so.
  Type view(Dtype element, int n_axes, bool contiguous) const {
    Type type = array(element, n_axes, contiguous);
    type.is_read_only = is_read_only;
    if (element == dtype) type.items = items, type.text = text;
    return type;
  }
  static Type tuple(std::vector<Type> items) {
    Type type = of(TypeKind::tuple);
    type.items = std::move(items);
    return type;
  }
  static Type list(Type item) {
    Type type = of(TypeKind::list);
    type.items = {std::move(item)};
    return type;
  }
  static Type dict(Type key, Type value) {
    Type type = of(TypeKind::dict);
    type.items = {std::move(key), std::move(value)};
    return type;
  }
  static Type set(Type item) {
    Type type = of(TypeKind::set);
    type.items = {std::move(item)};
    return type;
  }
  static Type of_text(std::string text) {
    Type type = of(TypeKind::text);
    type.text = std::move(text);
    return type;
  }
  static Type of_dtype(Dtype dtype) {
    Type type = of(TypeKind::dtype);
    type.dtype = dtype;
    return type;
  }
  static Type none() { return of(TypeKind::none); }

  bool is_scalar() const { return kind == TypeKind::scalar; }
  bool is_array() const { return kind == TypeKind::array; }
  /// bytes or a bytearray of Python, which are read and no more.
  bool is_bytes() const { return is_array() && !text.empty(); }
  bool is_tuple() const { return kind == TypeKind::tuple; }
  bool is_string() const { return kind == TypeKind::string; }
  /// A text, known when compiling or not.
  bool is_words() const { return kind == TypeKind::text || is_string(); }
  bool is_record() const { return kind == TypeKind::record; }
  /// A numpy.random.Generator: the address of its bit generator.
  bool is_generator() const { return is_record() && text == generator_text; }
  static constexpr const char* generator_text = "numpy.random.Generator";
  /// An array of records.
  bool has_records() const { return is_array() && !items.empty(); }
  bool is_list() const { return kind == TypeKind::list; }
  bool is_dict() const { return kind == TypeKind::dict; }
  bool is_set() const { return kind == TypeKind::set; }
  bool is_hashed() const { return is_dict() || is_set(); }
  bool is_container() const { return is_list() || is_hashed(); }
  bool is_instance() const { return kind == TypeKind::instance; }
  /// What counts its owners: the last one frees it.
  bool is_counted() const { return is_container() || is_instance(); }
  /// Known when compiling: nothing of it is in kernel text.
  bool is_symbol() const {
    return kind == TypeKind::none || kind == TypeKind::text || kind == TypeKind::member || kind == TypeKind::dtype || kind == TypeKind::function ||
           kind == TypeKind::group;
  }
  bool is_known() const { return kind != TypeKind::unknown; }
  bool is_boolean() const { return is_scalar() && dtype == Dtype::bool_; }
  bool is_integer() const;   ///< scalar, booleans not counted
  bool is_floating() const;
  bool is_complex() const;
  bool is_number() const { return is_scalar(); }
};

inline const Type int64_type = Type::scalar(Dtype::int64);
inline const Type float64_type = Type::scalar(Dtype::float64);
inline const Type bool_type = Type::scalar(Dtype::bool_);
inline const Type string_type = Type::of(TypeKind::string);

/// "int64", "array(float64, 2d, C)", "(int64, float64)": as messages and signatures show it.
std::string str(const Type& type);

/// The type that holds values of both, or nothing if there is none.
std::optional<Type> join(const Type& a, const Type& b);

/// A field of a record: where it is, and its lengths if it is an array itself.
struct Field {
  Type type;
  int64_t offset = 0;
  std::vector<int64_t> shape;
};
std::optional<Field> field_of(const Type& record, const std::string& name);
/// Bytes of a record, and whether all of its fields are where C would place them.
int64_t record_size(const Type& record);
bool is_aligned(const Type& record);

/// Which of an instance's items a field is; nothing if the class has no such field.
std::optional<size_t> field_index(const Type& instance, const std::string& name);

/// The type of a value of which nothing but its type is known: a text is a string, in a tuple too.
Type at_run_time(Type type);

/// Whether a list, or a dict as a value, can hold such items; whether a dict or a set can have such keys.
bool can_be_item(const Type& type);
bool can_be_key(const Type& type);
/// Whether a variable can have such values and None.
bool can_be_absent(const Type& type);

/// The dtype of `a op b` for two scalars (integers widen to 64 bits, as Python's
/// int is the model), or with NumPy's rule for elements of arrays.
Dtype scalar_dtype(Dtype a, Dtype b);
Dtype element_dtype(Dtype a, Dtype b);
/// NumPy's dtype for an array element against a Python scalar: the array's own
/// unless the scalar's kind is higher.
Dtype weak_dtype(Dtype array, Dtype scalar);
/// The one of these that two operands have by their types.
Dtype common_dtype(const Type& a, const Type& b);

/// float64 for integers and bool, else itself: what sqrt, `/` and mean give.
Dtype floating_dtype(Dtype dtype);
/// The dtype of a complex dtype's parts; any other dtype itself.
Dtype real_dtype(Dtype dtype);

constexpr size_t most_items = 128;  ///< of a tuple

/// The name in kernel text: "long long", "ks_array<double, 2>".
std::string text_of(Dtype dtype);
std::string text_of(const Type& type);
/// The type of an array's element in memory, as kernel text: "ks_flag" for a bool.
std::string memory_text(Dtype dtype);
std::string element_text(const Type& array);

}  // namespace kasoku::jit
