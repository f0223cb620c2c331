/// What a for loop runs over that is no range: how many turns it has, and the text of a turn's item.
#include "kasoku/jit/lowering.h"

namespace kasoku::jit {

namespace {

/// A tuple of numbers: the place of an element in C order that `count` others stand before.
Val element_place(const std::vector<std::string>& lengths, const std::string& count) {
  std::string text, inner;
  for (size_t k = lengths.size(); k-- > 0;) {
    const std::string rest = inner.empty() ? count : fmt::format("{} / ({})", count, inner);
    text = (k == 0 ? rest : fmt::format("{} % {}", rest, lengths[k])) + (text.empty() ? "" : ", ") + text;
    inner = lengths[k] + (inner.empty() ? "" : " * ") + inner;
  }
  const Type type = Type::tuple(std::vector<Type>(lengths.size(), int64_type));
  return {text_of(type) + "{" + text + "}", type};
}

}  // namespace

FunctionLowering::Iterable FunctionLowering::iterable(const Expr& e) {
  if (const Intrinsic* row = intrinsic_of(e)) switch (row->handler) {
      case Handler::enumerate: return enumerated(e);
      case Handler::zip: return zipped(e);
      case Handler::ndindex: return places_of_shape(e);
      case Handler::ndenumerate: return places_and_elements(e);
      case Handler::range:
      case Handler::prange: return numbers_of_range(e);
      case Handler::dict_keys: return entries(*e.items[1], "keys", e.place);
      case Handler::dict_values: return entries(*e.items[1], "values", e.place);
      case Handler::dict_items: return entries(*e.items[1], "items", e.place);
      default: break;
    }
  if (e.type.is_hashed()) return entries(e, "keys", e.place);
  const Val value = pin(expr(e));
  if (value.type.is_words()) return letters(value);
  if (value.type.is_tuple()) return items_of_tuple(value);
  if (value.type.is_list()) return items_of_list(value);
  return rows_of_array(value);
}

FunctionLowering::Iterable FunctionLowering::enumerated(const Expr& e) {
  const Iterable inner = iterable(*e.items[1]);
  const std::string start = has(e, 1) ? pin({text_as(*e.items[2], Dtype::int64), int64_type}).text : "0";
  return {inner.length,
          [inner, start](const std::string& i) -> Val {
            const Val item = inner.item(i);
            const Type type = Type::tuple({int64_type, item.type});
            return {fmt::format("{}{{{} + {}, {}}}", text_of(type), start, i, item.text), type};
          },
          inner.changes};
}

FunctionLowering::Iterable FunctionLowering::zipped(const Expr& e) {
  std::vector<Iterable> parts;
  Iterable all;
  for (size_t i = 1; i < e.items.size(); ++i) {
    const Iterable& part = parts.emplace_back(iterable(*e.items[i]));
    all.changes |= part.changes;
    all.length = all.length.empty() ? part.length : fmt::format("ks_min<ks_i64>({}, {})", all.length, part.length);
  }
  all.item = [parts](const std::string& i) -> Val {
    std::vector<Type> types;
    std::string text;
    for (const Iterable& part : parts) {
      const Val item = part.item(i);
      types.push_back(item.type);
      text += (text.empty() ? "" : ", ") + item.text;
    }
    const Type type = Type::tuple(types);
    return {text_of(type) + "{" + text + "}", type};
  };
  return all;
}

/// numpy.ndindex()
FunctionLowering::Iterable FunctionLowering::places_of_shape(const Expr& e) {
  std::vector<std::string> lengths;
  if (e.items.size() == 2 && e.items[1]->type.is_tuple()) {
    const Val shape = pin(expr(*e.items[1]));
    for (size_t k = 0; k < shape.type.items.size(); ++k) lengths.push_back(fmt::format("(ks_i64){}._{}", shape.text, k));
  } else {
    for (size_t k = 1; k < e.items.size(); ++k) lengths.push_back(pin({text_as(*e.items[k], Dtype::int64), int64_type}).text);
  }
  for (const std::string& length : lengths)
    fail_if(length + " < 0", fmt::format("ks_jit_fail(ks, ks_value_error, {}, \"negative dimensions are not allowed\", 0, 0, 0)", e.place.line));
  return {lengths.empty() ? "1" : fmt::format("{}", fmt::join(lengths, " * ")), [lengths](const std::string& i) { return element_place(lengths, i); }};
}

/// numpy.ndenumerate()
FunctionLowering::Iterable FunctionLowering::places_and_elements(const Expr& e) {
  const Val array = pin(expr(*e.items[1]));
  std::vector<std::string> lengths;
  for (int k = 0; k < array.type.ndim; ++k) lengths.push_back(fmt::format("{}.shape[{}]", array.text, k));
  return {fmt::format("{}", fmt::join(lengths, " * ")), [this, array, lengths](const std::string& i) -> Val {
            const Val place = pin(element_place(lengths, i));
            std::vector<std::string> terms;
            for (int k = 0; k < array.type.ndim; ++k) terms.push_back(fmt::format("{}._{} * {}.stride[{}]", place.text, k, array.text, k));
            const std::string at = array.type.is_contiguous ? i : fmt::format("{}", fmt::join(terms, " + "));
            const std::string element = loaded(fmt::format("{}.data[{}]", array.text, at), array.type.dtype);
            const Type type = Type::tuple({place.type, Type::scalar(array.type.dtype)});
            return {fmt::format("{}{{{}, {}}}", text_of(type), place.text, element), type};
          }};
}

FunctionLowering::Iterable FunctionLowering::numbers_of_range(const Expr& e) {
  const std::string range = range_value(e);
  return {fmt::format("ks_length({})", range),
          [range](const std::string& i) -> Val { return {fmt::format("({0}.start + {1} * {0}.step)", range, i), int64_type}; }};
}

FunctionLowering::Iterable FunctionLowering::letters(const Val& value) {
  const Val text = pin(string_of(value));
  return {text.text + ".size", [text](const std::string& i) -> Val { return {fmt::format("ks_string{{{}.at + {}, 1}}", text.text, i), string_type}; }};
}

FunctionLowering::Iterable FunctionLowering::items_of_tuple(const Val& tuple) {
  const size_t n = tuple.type.items.size();
  Type all;
  for (const Type& item : tuple.type.items) all = join(all, item).value_or(Type{});
  return {fmt::format("{}LL", n), [this, tuple, n, all](const std::string& i) -> Val {
            const auto item = [&](size_t k) { return convert({fmt::format("{}._{}", tuple.text, k), tuple.type.items[k]}, all); };
            std::string text = item(n - 1);
            for (size_t k = n - 1; k-- > 0;) text = fmt::format("({} == {} ? {} : {})", i, k, item(k), text);
            return {text, all};
          }};
}

/// Its length is asked for in each turn: the loop may change it.
FunctionLowering::Iterable FunctionLowering::items_of_list(const Val& value) {
  const Val list = owned_item(value.text, value.type);
  return {fmt::format("ks_length({})", list.text),
          [this, list](const std::string& i) -> Val { return owned_item(fmt::format("ks_item({}, {})", list.text, i), list.type.items[0]); }, true};
}

/// Elements of an array of one axis, views of the others' rows.
FunctionLowering::Iterable FunctionLowering::rows_of_array(const Val& array) {
  return {fmt::format("{}.shape[0]", array.text), [this, array = array.text, type = array.type](const std::string& i) -> Val {
            if (type.has_records() && type.ndim == 1) return {fmt::format("((char*)&{0}.data[{1} * {0}.stride[0]])", array, i), type.element()};
            if (type.ndim == 1) {
              const std::string element = fmt::format(fmt::runtime(type.is_contiguous ? "{0}.data[{1}]" : "{0}.data[{1} * {0}.stride[0]]"), array, i);
              return {loaded(element, type.dtype), Type::scalar(type.dtype)};
            }
            const Type row_type = type.view(type.dtype, type.ndim - 1, type.is_contiguous);
            const std::string view = temp("row");
            line("{} {};", text_of(row_type), view);
            line("{0}.data = {1}.data + {2} * {1}.stride[0];", view, array, i);
            if (!options_.is_cuda) line("{}.memory = {}.memory;", view, array);
            for (int k = 0; k + 1 < type.ndim; ++k)
              line("{0}.shape[{1}] = {2}.shape[{3}]; {0}.stride[{1}] = {2}.stride[{3}];", view, k, array, k + 1);
            return {view, row_type};
          }};
}

}  // namespace kasoku::jit
