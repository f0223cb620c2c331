#include "kasoku/jit/type.h"

#include "kasoku/array/promote.h"
#include "kasoku/base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku::jit {

bool Type::is_integer() const { return is_scalar() && kasoku::is_integer(dtype); }
bool Type::is_floating() const { return is_scalar() && kasoku::is_floating(dtype); }
bool Type::is_complex() const { return is_scalar() && kasoku::is_complex(dtype); }

namespace {

/// The lines of a record's text: its size and whether it is aligned; a field's name, offset and shape. Of an
/// instance's: its class' number and name; a field's name.
std::vector<std::vector<std::string>> record_lines(const Type& record) {
  std::vector<std::vector<std::string>> lines(1);
  lines.back().emplace_back();
  for (const char c : record.text) {
    if (c == '\n') lines.emplace_back(1);
    else if (c == '\t') lines.back().emplace_back();
    else lines.back().back() += c;
  }
  return lines;
}

std::string record_text(const Type& record) {
  const auto lines = record_lines(record);
  std::string text = "Record(";
  for (size_t i = 1; i < lines.size(); ++i) text += fmt::format("{}{}: {}", i > 1 ? ", " : "", lines[i][0], str(record.items[i - 1]));
  return text + ")";
}

}  // namespace

int64_t record_size(const Type& record) { return std::stoll(record_lines(record)[0][0]); }
bool is_aligned(const Type& record) { return record_lines(record)[0][1] == "1"; }

std::optional<Field> field_of(const Type& record, const std::string& name) {
  const auto lines = record_lines(record);
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i][0] != name) continue;
    Field field{record.items[i - 1], std::stoll(lines[i][1]), {}};
    for (size_t k = 2; k < lines[i].size(); ++k) field.shape.push_back(std::stoll(lines[i][k]));
    field.type.is_read_only = record.is_read_only;
    return field;
  }
  return std::nullopt;
}

std::optional<size_t> field_index(const Type& instance, const std::string& name) {
  const auto lines = record_lines(instance);
  for (size_t i = 1; i < lines.size(); ++i)
    if (lines[i][0] == name) return i - 1;
  return std::nullopt;
}

std::string str(const Type& type) {
  switch (type.kind) {
    case TypeKind::unknown: return "undefined";
    case TypeKind::none: return "none";
    case TypeKind::scalar: return fmt::format("{}{}", info(type.dtype).name, type.enumeration ? " of an Enum" : "");
    case TypeKind::array:
      if (type.is_bytes()) return type.text;
      return fmt::format("{}array({}, {}d, {})", type.is_read_only ? "readonly " : "",
                         type.has_records() ? str(type.items[0]) : std::string(info(type.dtype).name), type.ndim,
                         type.is_contiguous ? "C" : "A");
    case TypeKind::tuple: {
      std::string text = "(";
      for (size_t i = 0; i < type.items.size(); ++i)
        text += (i ? ", " : "") + str(type.items[i]);
      return text + (type.items.size() == 1 ? ",)" : ")");
    }
    case TypeKind::list: return "list(" + str(type.items.at(0)) + ")";
    case TypeKind::dict: return "dict(" + str(type.items.at(0)) + ", " + str(type.items.at(1)) + ")";
    case TypeKind::set: return "set(" + str(type.items.at(0)) + ")";
    case TypeKind::record: return type.is_generator() ? type.text : record_text(type);
    case TypeKind::instance: return "an instance of " + record_lines(type)[0][1];
    case TypeKind::range: return "range";
    case TypeKind::text: return "the text '" + excerpt(type.text, 60) + "'";
    case TypeKind::string: return "str";
    case TypeKind::member: return type.text;
    case TypeKind::function: return "function";
    case TypeKind::group: return "the threads of a grid";
    case TypeKind::dtype: return fmt::format("dtype({})", info(type.dtype).name);
    case TypeKind::optional: return "optional(" + str(type.items.at(0)) + ")";
  }
  return "?";
}

Dtype element_dtype(Dtype a, Dtype b) { return promote(a, b); }

Dtype scalar_dtype(Dtype a, Dtype b) {
  const auto wide = [](Dtype d) {
    switch (info(d).kind) {
      case DtypeKind::boolean:
      case DtypeKind::signed_: return Dtype::int64;
      case DtypeKind::unsigned_: return Dtype::uint64;
      default: return d;
    }
  };
  if (is_integer(a) && is_integer(b) && info(a).kind != info(b).kind) {
    // uint8 + int64 fits int64; only uint64 against a signed one does not.
    if (a != Dtype::uint64 && b != Dtype::uint64) return Dtype::int64;
    // A Python int is signed; NumPy would go to float64 and lose the low bits.
    return Dtype::uint64;
  }
  const bool integers = !is_floating(a) && !is_floating(b) && !is_complex(a) && !is_complex(b);
  if (integers) {
    if (a == Dtype::bool_) return wide(b);
    if (b == Dtype::bool_) return wide(a);
  }
  return element_dtype(wide(a), wide(b));
}

Dtype weak_dtype(Dtype array, Dtype scalar) {
  const Weak weak = is_complex(scalar) ? Weak::complex_ : is_floating(scalar) ? Weak::floating : Weak::integer;
  const Typed operands[] = {{array, Weak::none}, {scalar, weak}};
  return scalar == Dtype::bool_ ? array : promote(operands);
}

Dtype common_dtype(const Type& a, const Type& b) {
  if (a.is_array() && b.is_array()) return element_dtype(a.dtype, b.dtype);
  if (a.is_array()) return weak_dtype(a.dtype, b.dtype);
  if (b.is_array()) return weak_dtype(b.dtype, a.dtype);
  return scalar_dtype(a.dtype, b.dtype);
}

Dtype floating_dtype(Dtype dtype) {
  return is_floating(dtype) || is_complex(dtype) ? dtype : Dtype::float64;
}

Dtype real_dtype(Dtype dtype) {
  return real_part(dtype);
}

Type at_run_time(Type type) {
  if (type.kind == TypeKind::text) return string_type;
  if (type.is_tuple())
    for (Type& item : type.items) item = at_run_time(std::move(item));
  return type;
}

bool can_be_item(const Type& type) {
  switch (type.kind) {
    case TypeKind::unknown:
    case TypeKind::string:
    case TypeKind::instance:
    case TypeKind::scalar: return true;
    case TypeKind::array: return type.ndim > 0 && !type.is_bytes();
    case TypeKind::list: return can_be_item(type.items[0]);
    case TypeKind::dict: return can_be_key(type.items[0]) && can_be_item(type.items[1]);
    case TypeKind::set: return can_be_key(type.items[0]);
    case TypeKind::tuple:
      return !type.items.empty() && std::ranges::all_of(type.items, [](const Type& t) {
        return t.is_scalar() || t.is_string() || (t.is_tuple() && can_be_item(t));
      });
    default: return false;
  }
}

bool can_be_key(const Type& type) {
  if (type.is_tuple()) return !type.items.empty() && std::ranges::all_of(type.items, can_be_key);
  return (type.is_scalar() && type.dtype != Dtype::float16) || type.is_string() || !type.is_known();
}

bool can_be_absent(const Type& type) {
  if (type.is_tuple()) return type.text.empty() && std::ranges::all_of(type.items, can_be_absent);
  return type.is_scalar() || type.is_string() || (type.is_array() && !type.has_records());
}

/// Keys of one kind: 2**53 + 1 as a float would be another key.
static std::optional<Type> join_keys(const Type& a, const Type& b) {
  if (!a.is_known() || !b.is_known()) return a.is_known() ? a : b;
  if (a == b) return a;
  if (a.is_tuple() && b.is_tuple() && a.items.size() == b.items.size()) {
    Type both = a;
    for (size_t i = 0; i < a.items.size(); ++i) {
      const auto item = join_keys(a.items[i], b.items[i]);
      if (!item) return std::nullopt;
      both.items[i] = *item;
    }
    return both;
  }
  if (!a.is_scalar() || !b.is_scalar()) return std::nullopt;
  const auto is_whole = [](const Type& t) { return t.is_integer() || t.is_boolean(); };
  const bool is_wide = a.dtype == Dtype::uint64 || b.dtype == Dtype::uint64;
  if (is_whole(a) != is_whole(b) || a.is_complex() != b.is_complex() || (is_wide && a.dtype != b.dtype)) return std::nullopt;
  return join(a, b);
}

std::optional<Type> join(const Type& a, const Type& b) {
  if (a == b || !b.is_known()) return a;
  if (!a.is_known()) return b;
  if (a.kind == TypeKind::optional || b.kind == TypeKind::optional ||
      a.kind == TypeKind::none || b.kind == TypeKind::none) {
    const auto inner = [](const Type& t) {
      return t.kind == TypeKind::optional ? t.items[0] : t.kind == TypeKind::none ? Type{} : t;
    };
    const auto both = join(inner(a), inner(b));
    if (!both) return std::nullopt;
    Type optional = Type::of(TypeKind::optional);
    optional.items = {*both};
    return optional;
  }
  if (a.is_words() && b.is_words()) return string_type;
  if (a.kind != b.kind) return std::nullopt;
  switch (a.kind) {
    case TypeKind::scalar: {
      if (a.enumeration != b.enumeration) return std::nullopt;  // a member is no plain number
      if (a.dtype == Dtype::bool_ || b.dtype == Dtype::bool_)
        return Type::scalar(a.dtype == Dtype::bool_ ? b.dtype : a.dtype);
      return Type::scalar(element_dtype(a.dtype, b.dtype) == Dtype::float64 && a.is_integer() &&
                                  b.is_integer()
                              ? Dtype::int64
                              : element_dtype(a.dtype, b.dtype));
    }
    case TypeKind::array:
      if (a.dtype != b.dtype || a.ndim != b.ndim || a.items != b.items || a.text != b.text)
        return std::nullopt;
    {
      Type both = Type::array(a.dtype, a.ndim, a.is_contiguous && b.is_contiguous);
      both.items = a.items;
      both.text = a.text;
      both.is_read_only = a.is_read_only || b.is_read_only;
      return both;
    }
    case TypeKind::tuple: {
      if (a.items.size() != b.items.size()) return std::nullopt;
      Type both = a;
      if (a.text != b.text) both.text.clear();
      for (size_t i = 0; i < a.items.size(); ++i) {
        const auto item = join(a.items[i], b.items[i]);
        if (!item) return std::nullopt;
        both.items[i] = *item;
      }
      return both;
    }
    case TypeKind::list: {
      const auto item = join(a.items[0], b.items[0]);
      return item && item->kind != TypeKind::optional ? std::optional(Type::list(*item)) : std::nullopt;
    }
    case TypeKind::dict:
    case TypeKind::set: {
      const auto key = join_keys(a.items[0], b.items[0]);
      if (!key) return std::nullopt;
      if (a.is_set()) return Type::set(*key);
      const auto value = join(a.items[1], b.items[1]);
      return value && value->kind != TypeKind::optional ? std::optional(Type::dict(*key, *value)) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

std::string text_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16: return "ks_half";
    case Dtype::complex64: return "ks_cx<float>";
    case Dtype::complex128: return "ks_cx<double>";
    default: return std::string(info(dtype).text);
  }
}

std::string memory_text(Dtype dtype) { return dtype == Dtype::bool_ ? "ks_flag" : text_of(dtype); }

std::string element_text(const Type& array) {
  return array.has_records() ? fmt::format("ks_record<{}>", record_size(array.items[0])) : memory_text(array.dtype);
}

std::string text_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::scalar: return text_of(type.dtype);
    case TypeKind::array: return fmt::format("ks_array<{}, {}>", element_text(type), type.ndim);
    case TypeKind::record: return "char*";
    case TypeKind::string: return "ks_string";
    case TypeKind::tuple: {
      std::string text = "ks_tuple<";
      for (size_t i = 0; i < type.items.size(); ++i)
        text += (i ? ", " : "") + text_of(type.items[i]);
      return text + ">";
    }
    case TypeKind::list: return "ks_list<" + text_of(type.items[0]) + ">";
    case TypeKind::dict: return "ks_dict<" + text_of(type.items[0]) + ", " + text_of(type.items[1]) + ">";
    case TypeKind::set: return "ks_dict<" + text_of(type.items[0]) + ", ks_none>";
    case TypeKind::instance: {
      std::string text = "ks_object<ks_tuple<";
      for (size_t i = 0; i < type.items.size(); ++i) text += (i ? ", " : "") + text_of(type.items[i]);
      return text + ">>";
    }
    case TypeKind::range: return "ks_range";
    case TypeKind::optional: return "ks_optional<" + text_of(type.items[0]) + ">";
    default: return "ks_none";
  }
}

}  // namespace kasoku::jit
