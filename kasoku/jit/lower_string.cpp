/// Text of texts that are not known when compiling (support_string.inc): values of an address and a length. What a call makes of
/// them lives as long as the call, so nobody owns them; a part of one is a view.
#include "kasoku/jit/lowering.h"

#include <algorithm>

namespace kasoku::jit {

namespace {

/// The code points of UTF-8 as a literal of kernel text.
std::string literal(const std::string& utf8) {
  std::string points;
  size_t n = 0;
  for (size_t i = 0; i < utf8.size(); ++n) {
    const auto first = static_cast<unsigned char>(utf8[i++]);
    unsigned point = first < 0x80 ? first : first < 0xe0 ? first & 0x1f : first < 0xf0 ? first & 0xf : first & 0x7;
    while (i < utf8.size() && (static_cast<unsigned char>(utf8[i]) & 0xc0) == 0x80) point = point << 6 | (static_cast<unsigned char>(utf8[i++]) & 0x3f);
    points += fmt::format("\\x{:x}", point);
  }
  return fmt::format("ks_string{{(const unsigned*)U\"{}\", {}}}", points, n);
}

/// What all or some characters of an ASCII text must be, and what none may be, that a method says yes: bits of ks_kind_of.
struct Asked { std::string_view method; int all, some, none; };
constexpr Asked asked[] = {{"isdigit", 1, 0, 0}, {"isdecimal", 1, 0, 0}, {"isnumeric", 1, 0, 0}, {"isalpha", 6, 0, 0},
                           {"isalnum", 7, 0, 0}, {"isspace", 8, 0, 0}, {"islower", 0, 2, 4}, {"isupper", 0, 4, 2}};

}  // namespace

Val FunctionLowering::string_of(const Val& value) {
  return value.type.kind == TypeKind::text ? Val{literal(value.type.text), string_type} : value;
}

Val FunctionLowering::made_string(const std::string& function, const std::string& arguments, Place place) {
  const std::string name = temp("string");
  line("ks_string {};", name);
  fail_if(fmt::format("!{}(ks, {}, {})", function, name, arguments), fmt::format("ks_jit_fail(ks, ks_memory_error, {}, \"\", 0, 0, 0)", place.line));
  return {name, string_type};
}

Val FunctionLowering::string_combined(Operator op, const Val& a, const Val& b, Place place) {
  const Val left = pin(string_of(a)), right = pin(string_of(b));
  if (op == Operator::add) return made_string("ks_joined", left.text + ", " + right.text, place);
  const auto [text, times] = left.type.is_string() ? std::pair(left, right) : std::pair(right, left);
  return made_string("ks_repeated", fmt::format("{}, {}", text.text, cast(times.text, times.type.dtype, Dtype::int64)), place);
}

std::string FunctionLowering::string_compared(Operator op, const Val& a, const Val& b) {
  const std::string left = pin(string_of(a)).text, right = pin(string_of(b)).text;
  switch (op) {
    case Operator::in: return fmt::format("(ks_found({}, {}) >= 0)", right, left);
    case Operator::not_in: return fmt::format("(ks_found({}, {}) < 0)", right, left);
    case Operator::equal: return fmt::format("({} == {})", left, right);
    case Operator::not_equal: return fmt::format("(!({} == {}))", left, right);
    default: return fmt::format("(ks_compared({}, {}) {} 0)", left, right, str(op));
  }
}

Val FunctionLowering::string_subscript(const Expr& e) {
  const Val text = pin(string_of(expr(*e.items[0])));
  const Expr& at = *e.items[1];
  if (at.kind != ExprKind::slice) {
    const std::string i = tested_index(index_text(at), text.text + ".size", at, user_name(text.text), string_axis);
    return {fmt::format("ks_string{{{}.at + {}, 1}}", text.text, i), string_type};
  }
  const std::string slice = slice_of(at, text.text + ".size", e.place);
  if (!at.items[2] || at.items[2]->type.kind == TypeKind::none)
    return {fmt::format("ks_string{{{0}.at + {1}.start, {1}.n}}", text.text, slice), string_type};
  return made_string("ks_chosen", text.text + ", " + slice, e.place);
}

/// A text or a number as a ks_string says it.
static std::string given_text(const Val& value) {
  if (value.type.is_string() || value.type.is_boolean()) return fmt::format("ks_as_part({})", value.text);
  const Dtype dtype = value.type.dtype;
  const Dtype wide = is_floating(dtype) ? dtype == Dtype::float16 ? Dtype::float32 : dtype : dtype == Dtype::uint64 ? dtype : Dtype::int64;
  return fmt::format("ks_as_part({})", cast(value.text, dtype, wide));
}

/// What Python's own method of the first gives with the others.
Val FunctionLowering::asked_of_python(const std::string& method, const std::vector<Val>& given) {
  const std::string arguments = temp("given"), result = temp("string");
  std::string all;
  for (const Val& each : given) all += (all.empty() ? "" : ", ") + given_text(each);
  line("ks_string {};", result);
  line("const ks_string {}[] = {{{}}};", arguments, all);
  line("ks_jit_string_method(ks, &{}, {}, {}, {});", result, quoted(method), arguments, given.size());
  effects_.may_fail = true;
  leave_if_failed();
  return {result, string_type};
}

Val FunctionLowering::formatted(const Val& value, const Val& spec, Place place) {
  const bool is_bare = spec.type.kind == TypeKind::none || (spec.type.kind == TypeKind::text && spec.type.text.empty());
  if (is_bare && value.type.is_string()) return value;
  if (is_bare && value.type.is_integer())
    return made_string("ks_digits", info(value.type.dtype).kind == DtypeKind::unsigned_ ? fmt::format("(ks_u64){}, false", value.text)
                                                                                        : fmt::format("ks_without_sign({0}), {0} < 0", value.text), place);
  const std::string result = temp("string");
  line("ks_string {};", result);
  const std::string how = pin(string_of(is_bare ? Val{"", Type::of_text("")} : spec)).text;
  line("ks_jit_string_format(ks, &{}, {}, {});", result, given_text(value), how);
  effects_.may_fail = true;
  leave_if_failed();
  return {result, string_type};
}

Val FunctionLowering::string_call(const Expr& e, Handler handler) {
  const Val given = pin(string_of(expr(*e.items[1])));
  if (handler == Handler::ord) {
    const auto complaint = "TypeError\nord() expected a character, but string of length {} found";
    fail_if(given.text + ".size != 1", fmt::format("ks_jit_fail(ks, ks_raised, {}, {}, {}.size, 0, 0)", e.place.line, quoted(complaint), given.text));
    return pin({fmt::format("(ks_i64){}.at[0]", given.text), int64_type});
  }
  if (handler == Handler::to_str || handler == Handler::formatted) {
    const bool is_repr = e.items[0]->binding.name == "builtins.repr";
    if (is_repr && given.type.is_string()) return asked_of_python("__repr__", {given});
    const bool is_single = handler == Handler::formatted && given.type.is_floating();  // whose format() is that of a float of Python's
    return formatted(is_single ? Val{cast(given.text, given.type.dtype, Dtype::float64), float64_type} : given, has(e, 1) ? expr(*e.items[2]) : Val{"", Type::none()}, e.place);
  }
  fail_if(fmt::format("(ks_u64){} >= 0x110000", given.text),
          fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"chr() arg not in range(0x110000)\", 0, 0, 0)", e.place.line));
  return made_string("ks_character", fmt::format("(unsigned){}", given.text), e.place);
}

Val FunctionLowering::number_of(const Val& text, const Type& type, Place place) {
  const std::string given = pin(text).text, number = temp("number");
  const bool is_whole = type.is_integer();
  line("{} {} = 0;", text_of(type), number);
  if (is_whole) open(fmt::format("if (!ks_read_whole({}, {}))", given, number));
  line("ks_jit_string_number(ks, ks_function, {}, &{}, {});", place.line, given, is_whole ? "&" + number + ", nullptr" : "nullptr, &" + number);
  leave_if_failed();
  if (is_whole) close();
  return {number, type};
}

Val FunctionLowering::string_method(const Expr& e, const Intrinsic& row) {
  const std::string_view name = row.name.substr(4);
  std::vector<Val> values;
  for (size_t i = 1; i < e.items.size(); ++i) values.push_back(e.items[i] ? pin(string_of(expr(*e.items[i]))) : Val{"", Type::none()});
  const std::string& text = values[0].text;
  const auto given = [&](size_t i) { return i < values.size() && values[i].type.kind != TypeKind::none; };
  const auto number = [&](size_t i, const char* otherwise) { return given(i) ? cast(values[i].text, values[i].type.dtype, Dtype::int64) : otherwise; };
  const auto want_separator = [&] {
    fail_if(values[1].text + ".size == 0", fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"empty separator\", 0, 0, 0)", e.place.line));
  };
  if (name == "join" || name.ends_with("split")) {
    if (name == "join") return made_string("ks_join", text + ", " + values[1].text, e.place);
    if (given(1)) want_separator();
    return made_list(e.type, fmt::format("ks_{}({}{}, {})", name, text, given(1) ? ", " + values[1].text : "", number(2, "-1")), e.place);
  }
  if (name.ends_with("partition")) {
    want_separator();
    return pin({fmt::format("ks_parted({}, {}, {})", text, values[1].text, name == "rpartition"), e.type});
  }
  if (values.size() > 2 && row.parameters.starts_with("a,sub")) {  // find and its like: in a part of the text
    const std::string part = temp("part");
    line("const ks_bounds {} = ks_bounds_of({}, {}, {});", part, text, number(2, "0"), number(3, "0x7fffffffffffffffLL"));
    const bool is_index = name == "index" || name == "rindex";
    const Val found = pin({fmt::format("ks_{}({}, {}, {})", is_index ? name == "index" ? "find" : "rfind" : name, text, values[1].text, part), e.type});
    if (is_index) fail_if(found.text + " < 0", fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"substring not found\", 0, 0, 0)", e.place.line));
    return found;
  }
  if (name.ends_with("strip")) return pin({fmt::format("ks_stripped({}, {}, {}{})", text, name != "rstrip", name != "lstrip", given(1) ? ", " + values[1].text : ""), e.type});
  if (name == "isascii") return {fmt::format("ks_is_ascii({})", text), e.type};
  if (row.parameters.ends_with("fill") && given(2))
    fail_if(values[2].text + ".size != 1", fmt::format("ks_jit_fail(ks, ks_raised, {}, {}, 0, 0, 0)", e.place.line,
                                                       quoted("TypeError\nThe fill character must be exactly one character long")));
  // Python's own method does the rest, and tells ASCII from all other letters.
  const auto row_of = std::ranges::find(asked, name, &Asked::method);
  const bool is_known = row_of != std::end(asked), is_cased = name == "upper" || name == "lower";
  values.resize(static_cast<size_t>(std::ranges::find(values, TypeKind::none, [](const Val& value) { return value.type.kind; }) - values.begin()));
  const std::string result = temp("string");
  line("ks_string {};", result);
  if (is_known) open(fmt::format("if (!ks_asked({}, {}, {}, {}, {}))", text, result, row_of->all, row_of->some, row_of->none));
  if (is_cased) open(fmt::format("if (!ks_cased(ks, {}, {}, {}))", text, result, name == "upper"));
  line("{} = {};", result, asked_of_python(std::string(name), values).text);
  if (is_known || is_cased) close();
  return e.type.is_boolean() ? Val{fmt::format("({}.size != 0)", result), e.type} : Val{result, e.type};
}

}  // namespace kasoku::jit
