/// print: a line is put together piece by piece (runtime.cpp), a kernel's by printf.
#include "kasoku/jit/lowering.h"

#include <algorithm>

namespace kasoku::jit {

Val FunctionLowering::print(const Expr& e) {
  if (options_.is_cuda || on_device_) {
    std::string format, arguments;
    for (size_t i = 1; i < e.items.size(); ++i) {
      const Val value = pin(expr(*e.items[i]));
      format += i > 1 ? " " : "";
      if (value.type.kind == TypeKind::text) format += "%s", arguments += ", " + value.text;
      else if (value.type.is_floating()) format += "%f", arguments += ", (double)" + value.text;
      else if (value.type.is_scalar()) format += "%lld", arguments += ", (long long)" + value.text;
      else error(e.items[i]->place, fmt::format("print of {} cannot be compiled", str(value.type)));
    }
    line("printf({}{});", quoted(format + "\n"), arguments);
    return {"", Type::none()};
  }
  std::string separator = " ", end = "\n";
  size_t n = e.items.size() - e.keywords.size();
  for (size_t k = 0; k < e.keywords.size(); ++k) {
    const Expr& given = *e.items[n + k];
    const std::string* text = std::get_if<std::string>(given.kind == ExprKind::global ? &given.binding.value : &given.value);
    if (e.keywords[k] == "sep" && text) separator = *text;
    else if (e.keywords[k] == "end" && text) end = *text;
    else error(given.place, fmt::format("print in compiled code takes sep and end as constants, not '{}'", e.keywords[k]));
  }
  effects_.writes = true;
  const auto text_call = [&](const std::string& text) {
    if (!text.empty()) line("ks_jit_print_text({}, {});", quoted(text), text.size());
  };
  const std::function<void(const Val&, Place)> show = [&](const Val& value, Place place) {
    const Type& type = value.type;
    if (type.kind == TypeKind::text) text_call(type.text);
    else if (type.is_string()) line("ks_jit_print_string(&{});", value.text);
    else if (type.is_boolean()) line("ks_jit_print_bool({});", value.text);
    else if (type.is_scalar() && info(type.dtype).kind == DtypeKind::unsigned_) line("ks_jit_print_uint({});", value.text);
    else if (type.is_integer()) line("ks_jit_print_int({});", value.text);
    else if (type.is_floating()) line("ks_jit_print_float({}, {});", value.text, type.dtype == Dtype::float32 ? 1 : 0);
    else if (type.is_complex()) line("ks_jit_print_complex({0}.re, {0}.im);", value.text);
    else if (type.kind == TypeKind::none) text_call("None");
    else if (type.is_tuple()) {
      text_call("(");
      for (size_t k = 0; k < type.items.size(); ++k) {
        if (k) text_call(", ");
        show({fmt::format("{}._{}", value.text, k), type.items[k]}, place);
      }
      text_call(type.items.size() == 1 ? ",)" : ")");
    } else if (type.is_list()) {
      text_call("[");
      const std::string i = temp("i");
      open(fmt::format("for (ks_i64 {0} = 0; {0} < ks_length({1}); ++{0})", i, value.text));
      line("if ({}) ks_jit_print_text(\", \", 2);", i);
      show({fmt::format("ks_item({}, {})", value.text, i), type.items[0]}, place);
      close();
      text_call("]");
    } else if (type.is_hashed()) {
      line("if (ks_length({0}) == 0 && {1}) ks_jit_print_text(\"set()\", 5); else ks_jit_print_text(\"{{\", 1);", value.text, type.is_set());
      const std::string at = temp("at"), first = temp("first");
      line("bool {} = true;", first);
      open(fmt::format("KS_EACH_ENTRY({}, {})", value.text, at));
      line("if (!{}) ks_jit_print_text(\", \", 2);", first);
      line("{} = false;", first);
      show({fmt::format("ks_entry_at({}, {}).key", value.text, at), type.items[0]}, place);
      if (type.is_dict()) {
        text_call(": ");
        show({fmt::format("ks_entry_at({}, {}).value", value.text, at), type.items[1]}, place);
      }
      close();
      line("if (!(ks_length({0}) == 0 && {1})) ks_jit_print_text(\"}}\", 1);", value.text, type.is_set());
    } else if (type.is_array() && type.ndim == 1) {
      text_call("[");
      const std::string i = temp("i");
      open(fmt::format("for (ks_i64 {0} = 0; {0} < {1}.shape[0]; ++{0})", i, value.text));
      line("if ({}) ks_jit_print_text(\" \", 1);", i);
      show({loaded(fmt::format("{0}.data[{1} * {0}.stride[0]]", value.text, i), type.dtype), Type::scalar(type.dtype)}, place);
      close();
      text_call("]");
    } else {
      error(place, fmt::format("print of {} cannot be compiled", str(type)));
    }
  };
  for (size_t i = 1; i < n; ++i) {
    const Val value = pin(expr(*e.items[i]));
    if (i > 1) text_call(separator);
    if (std::ranges::any_of(value.type.items, &Type::is_words)) error(e.items[i]->place, fmt::format("print of {} cannot be compiled", str(value.type)));  // with quotes
    show(value, e.items[i]->place);
  }
  text_call(end);
  line("ks_jit_print_flush();");
  return {"", Type::none()};
}

}  // namespace kasoku::jit
