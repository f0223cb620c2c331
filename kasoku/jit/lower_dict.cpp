/// Text of dicts and sets (support_dict.inc); they are owned as lists are.
#include "kasoku/jit/lowering.h"

#include <algorithm>

namespace kasoku::jit {

Val FunctionLowering::made_dict(const Type& type, const std::string& text, Place place) {
  if (on_device_) error(place, fmt::format("a {} has no form on a device", type.is_dict() ? "dict" : "set"), "use an array");
  return made_list(type, text, place);
}

Val FunctionLowering::dict_display(const Expr& e) {
  const size_t step = e.type.is_dict() ? 2 : 1;
  const Val made = made_dict(e.type, fmt::format("ks_new_dict<{}, {}>()", text_of(e.type.items[0]), e.type.is_dict() ? text_of(e.type.items[1]) : "ks_none"), e.place);
  std::vector<Val> values;
  for (const ExprPtr& item : e.items) values.push_back(pin(expr(*item)));
  for (size_t i = 0; i < values.size(); i += step) {
    const std::string key = key_of(values[i], e.type);
    if (step == 1) put(fmt::format("ks_add({}, {})", made.text, key), e.place);
    else put(fmt::format("ks_put({}, {}, {})", made.text, key, typed(values[i + 1], e.type.items[1])), e.place);
  }
  return made;
}

std::string FunctionLowering::typed(const Val& value, const Type& type) {
  return fmt::format("({})({})", text_of(type), convert(value, type));
}

std::string FunctionLowering::key_of(const Val& key, const Type& container) { return typed(key, container.items[0]); }

std::string FunctionLowering::found_key(const Val& container, const Val& key) {
  const std::string at = temp("at");
  line("const ks_i64 {} = ks_find({}, {});", at, container.text, key_of(key, container.type));
  return at;
}

void FunctionLowering::want_found(const std::string& at, const Val& key, const Type& container, Place place) {
  // The message's words: a letter for each part of the key, in "()" if it is a tuple.
  std::string letters, words;
  int n = 0;
  const auto add = [&](const std::string& text, const Type& type) {
    if (n++ >= 3 || !type.is_scalar() || type.is_complex() || type.enumeration) return letters = "?", void();
    letters += type.is_floating() ? 'f' : type.is_boolean() ? 'b' : info(type.dtype).kind == DtypeKind::unsigned_ ? 'u' : 'i';
    words += fmt::format(", ks_key_word({})", text);
  };
  const Type& type = container.items[0];
  const std::string name = temp("key");
  line("const {} {} = {};", text_of(type), name, key_of(key, container));
  if (type.is_tuple()) {
    letters = "(";
    for (size_t i = 0; i < type.items.size() && letters != "?"; ++i) add(fmt::format("{}._{}", name, i), type.items[i]);
  } else if (type.is_string()) {
    letters = "t", words = fmt::format(", (ks_i64){0}.at, {0}.size", name), n = 2;
  } else {
    add(name, type);
  }
  if (letters == "?") words.clear(), n = 0;
  for (; n < 3; ++n) words += ", 0";
  fail_if(at + " < 0", fmt::format("ks_jit_fail(ks, ks_key_error, {}, {}{})", place.line, quoted(letters), words));
}

Val FunctionLowering::dict_subscript(const Expr& e) {
  const Val dict = expr(*e.items[0]), key = pin(expr(*e.items[1]));
  const std::string at = found_key(dict, key);
  want_found(at, key, dict.type, e.place);
  const Val value{fmt::format("ks_entry_at({}, {}).value", dict.text, at), dict.type.items[1]};
  return value.type.is_scalar() ? pin(value) : owned_item(value.text, value.type);
}

void FunctionLowering::dict_store(const Expr& target, const Val& value) {
  const Val pinned = pin(value);
  want_own(*target.items[0], target.place);
  const Val dict = expr(*target.items[0]), key = pin(expr(*target.items[1]));
  put(fmt::format("ks_put({}, {}, {})", dict.text, key_of(key, dict.type), typed(pinned, dict.type.items[1])), target.place);
}

/// d[key] op= value, and set op= set.
void FunctionLowering::dict_augmented(const Stmt& stmt) {
  const Expr& target = *stmt.targets[0];
  if (target.type.is_set()) {
    want_own(target, stmt.place);
    const Val set = expr(target);
    const std::string other = expr(*stmt.expr).text;
    effects_.writes = effects_.grows = true;
    switch (stmt.op) {
      case Operator::bit_or: return put(fmt::format("ks_update({}, {})", set.text, other), stmt.place);
      case Operator::bit_xor: return put(fmt::format("ks_keep_either({}, {})", set.text, other), stmt.place);
      default: return line("ks_keep_chosen({}, {}, {});", set.text, other, stmt.op == Operator::bit_and);
    }
  }
  want_own(*target.items[0], stmt.place);
  const Val dict = expr(*target.items[0]), key = pin(expr(*target.items[1]));
  const std::string at = found_key(dict, key);
  want_found(at, key, dict.type, target.place);
  const Val left = pin({fmt::format("ks_entry_at({}, {}).value", dict.text, at), target.type});
  const Val right = pin(expr(*stmt.expr));
  const Type type = *binary_type(stmt.op, left.type, right.type, stmt.expr.get());
  const Val value = combine(stmt.op, left, right, type, stmt.expr.get(), stmt.place);
  put(fmt::format("ks_put({}, {}, {})", dict.text, key_of(key, dict.type), typed(value, dict.type.items[1])), stmt.place);
}

Val FunctionLowering::listed(const Val& container, const std::string& what, Place place) {
  Type type = Type::list(container.type.items[what == "values" ? 1 : 0]);
  if (what == "items") {
    type = Type::list(Type::tuple(container.type.items));
    if (!can_be_item(type.items[0])) error(place, fmt::format("a list of {} cannot be made", str(type.items[0])), "loop over items()");
  }
  return made_list(type, fmt::format("ks_{}({})", what, container.text), place);
}

FunctionLowering::Iterable FunctionLowering::entries(const Expr& container, const std::string& what, Place place) {
  const Val pinned = expr(container);
  if (on_device_) error(place, "a loop over a dict or a set has no form on a device");
  const Val dict = owned_item(pinned.text, pinned.type);
  const std::string size = temp("size"), cursor = temp("at");
  line("const ks_i64 {} = ks_length({});", size, dict.text);
  line("ks_i64 {} = -1;", cursor);
  return {fmt::format("ks_turns({}, {})", dict.text, size), [=, this](const std::string&) -> Val {
            const std::string message = dict.type.is_dict() ? "RuntimeError\ndictionary changed size during iteration"
                                                            : "RuntimeError\nSet changed size during iteration";
            const auto raise = [&](const std::string& condition, const std::string& text) {
              fail_if(condition, fmt::format("ks_jit_fail(ks, ks_raised, {}, {}, 0, 0, 0)", place.line, quoted(text)));
            };
            raise(fmt::format("ks_length({}) != {}", dict.text, size), message);
            line("{} = ks_next({}, {} + 1);", cursor, dict.text, cursor);
            raise(fmt::format("{} >= {}.body->used", cursor, dict.text), "RuntimeError\ndictionary keys changed during iteration");
            const std::string entry = fmt::format("ks_entry_at({}, {})", dict.text, cursor);
            if (what == "keys") return pin({entry + ".key", dict.type.items[0]});
            const Type& type = dict.type.items[1];
            const Val value = type.is_scalar() ? pin({entry + ".value", type}) : owned_item(entry + ".value", type);
            if (what == "values") return value;
            const Val key = pin({entry + ".key", dict.type.items[0]});
            const Type both = Type::tuple(dict.type.items);
            return {fmt::format("{}{{{}, {}}}", text_of(both), key.text, value.text), both};
          }, true};
}

Val FunctionLowering::dict_call(const Expr& e, Handler handler) {
  const Val dict = expr(*e.items[1]);
  const Type &key_type = dict.type.items[0], &value_type = dict.type.items[1];
  const auto none = [] { return Val{"", Type::none()}; };
  switch (handler) {
    case Handler::dict_pop: case Handler::dict_popitem: case Handler::dict_setdefault: case Handler::dict_update: case Handler::dict_clear:
      want_own(*e.items[1], e.place);
      effects_.writes = effects_.grows = true;
      break;
    default: break;
  }
  switch (handler) {
    case Handler::dict_get:
    case Handler::dict_pop: {
      const Val key = pin(expr(*e.items[2]));
      Val otherwise;
      if (has(e, 2)) otherwise = pin(expr(*e.items[3]));
      const bool pops = handler == Handler::dict_pop;
      const std::string at = found_key(dict, key), name = temp("value"), entry = fmt::format("ks_entry_at({}, {}).value", dict.text, at);
      const bool may_lack = has(e, 2) || !pops;
      if (!has(e, 2)) otherwise.type = Type::none();
      if (!may_lack) want_found(at, key, dict.type, e.place);
      declare(name, e.type);
      if (may_lack) {
        open(fmt::format("if ({} < 0)", at));
        assign(name, e.type, otherwise);
        --indent_;
        line("}} else {{");
        ++indent_;
      } else {
        open("");
      }
      assign(name, e.type, {entry, value_type});
      if (pops) line("ks_remove({}, {});", dict.text, at);
      close();
      return {name, e.type};
    }
    case Handler::dict_popitem: {
      fail_if(fmt::format("ks_length({}) == 0", dict.text),
              fmt::format("ks_jit_fail(ks, ks_raised, {}, {}, 0, 0, 0)", e.place.line, quoted("KeyError\npopitem(): dictionary is empty")));
      const std::string entry = temp("entry");
      line("const auto {0} = ks_take({1}, ks_last({1}));", entry, dict.text);
      const std::string value = temp("value");
      line("{} {} = {}.value;", text_of(value_type), value, entry);
      keep(value, value_type);
      return {fmt::format("{}{{{}.key, {}}}", text_of(e.type), entry, value), e.type};
    }
    case Handler::dict_setdefault: {
      const Val key = pin(expr(*e.items[2])), otherwise = pin(expr(*e.items[3]));
      open(fmt::format("if (ks_find({}, {}) < 0)", dict.text, key_of(key, dict.type)));
      put(fmt::format("ks_put({}, {}, {})", dict.text, key_of(key, dict.type), typed(otherwise, value_type)), e.place);
      close();
      const std::string text = fmt::format("ks_entry_at({0}, ks_find({0}, {1})).value", dict.text, key_of(key, dict.type));
      return value_type.is_scalar() ? pin({text, value_type}) : owned_item(text, value_type);
    }
    case Handler::dict_update: put(fmt::format("ks_update({}, {})", dict.text, expr(*e.items[2]).text), e.place); return none();
    case Handler::dict_clear: line("ks_clear({});", dict.text); return none();
    case Handler::dict_copy: return made_dict(e.type, fmt::format("ks_dict_copy({})", dict.text), e.place);
    case Handler::dict_keys: return listed(dict, "keys", e.place);
    case Handler::dict_values: return listed(dict, "values", e.place);
    case Handler::dict_items: return listed(dict, "items", e.place);
    default: break;
  }
  error(e.place, fmt::format("this call with {} cannot be compiled", str(Type::dict(key_type, value_type))));
}

namespace {

const char* function_of(Operator op) {
  return op == Operator::bit_or ? "ks_union" : op == Operator::bit_xor ? "ks_either" : "ks_chosen";
}

}  // namespace

Val FunctionLowering::set_binary(const Type& type, Operator op, const Val& a, const Val& b, Place place) {
  const char* last = op == Operator::bit_and ? ", true" : op == Operator::subtract ? ", false" : "";
  return made_dict(type, fmt::format("{}({}, {}{})", function_of(op), a.text, b.text, last), place);
}

Val FunctionLowering::set_call(const Expr& e, Handler handler) {
  const Val set = expr(*e.items[1]);
  const Type& item = set.type.items[0];
  const auto none = [] { return Val{"", Type::none()}; };
  const auto other = [&] { return expr(*e.items[2]); };
  const auto test = [&](const char* function, const Val& a, const Val& b) {
    return pin({fmt::format("{}({}, {})", function, a.text, b.text), bool_type});
  };
  if ((handler >= Handler::set_add && handler <= Handler::set_clear) ||
      (handler >= Handler::set_update && handler <= Handler::set_symmetric_difference_update)) {
    want_own(*e.items[1], e.place);
    effects_.writes = effects_.grows = true;
  }
  switch (handler) {
    case Handler::set_add: put(fmt::format("ks_add({}, {})", set.text, key_of(pin(other()), set.type)), e.place); return none();
    case Handler::set_remove:
    case Handler::set_discard: {
      const Val key = pin(other());
      const std::string at = found_key(set, key);
      if (handler == Handler::set_remove) want_found(at, key, set.type, e.place);
      line("if ({0} >= 0) ks_remove({1}, {0});", at, set.text);
      return none();
    }
    case Handler::set_pop: {
      fail_if(fmt::format("ks_length({}) == 0", set.text),
              fmt::format("ks_jit_fail(ks, ks_raised, {}, {}, 0, 0, 0)", e.place.line, quoted("KeyError\npop from an empty set")));
      return pin({fmt::format("ks_take({0}, ks_last({0})).key", set.text), item});
    }
    case Handler::set_clear: line("ks_clear({});", set.text); return none();
    case Handler::set_copy: return made_dict(e.type, fmt::format("ks_dict_copy({})", set.text), e.place);
    case Handler::set_update: put(fmt::format("ks_update({}, {})", set.text, other().text), e.place); return none();
    case Handler::set_symmetric_difference_update: put(fmt::format("ks_keep_either({}, {})", set.text, other().text), e.place); return none();
    case Handler::set_intersection_update:
    case Handler::set_difference_update:
      line("ks_keep_chosen({}, {}, {});", set.text, other().text, handler == Handler::set_intersection_update);
      return none();
    case Handler::set_union: return set_binary(e.type, Operator::bit_or, set, other(), e.place);
    case Handler::set_intersection: return set_binary(e.type, Operator::bit_and, set, other(), e.place);
    case Handler::set_difference: return set_binary(e.type, Operator::subtract, set, other(), e.place);
    case Handler::set_symmetric_difference: return set_binary(e.type, Operator::bit_xor, set, other(), e.place);
    case Handler::set_isdisjoint: return test("ks_is_apart", set, other());
    case Handler::set_issubset: return test("ks_is_within", set, other());
    case Handler::set_issuperset: return test("ks_is_within", other(), set);
    default: break;
  }
  error(e.place, fmt::format("this call with {} cannot be compiled", str(set.type)));
}

std::string FunctionLowering::container_compared(Operator op, const Val& a, const Val& b) {
  std::string text;
  switch (op) {
    case Operator::is:
    case Operator::is_not: text = fmt::format("({}.body == {}.body)", a.text, b.text); break;
    case Operator::less_equal: return fmt::format("ks_is_within({}, {})", a.text, b.text);
    case Operator::greater_equal: return fmt::format("ks_is_within({}, {})", b.text, a.text);
    case Operator::less: return fmt::format("(ks_length({0}) < ks_length({1}) && ks_is_within({0}, {1}))", a.text, b.text);
    case Operator::greater: return fmt::format("(ks_length({1}) < ks_length({0}) && ks_is_within({1}, {0}))", a.text, b.text);
    default: text = fmt::format("ks_equal({}, {})", a.text, b.text);
  }
  return op == Operator::not_equal || op == Operator::is_not ? "!" + text : text;
}

}  // namespace kasoku::jit
