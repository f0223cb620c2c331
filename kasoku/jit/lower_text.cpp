/// Names, literals, casts and arithmetic as kernel text.
#include "kasoku/jit/lowering.h"

#include <cmath>
#include <regex>

#include <dlfcn.h>

namespace kasoku::jit {

std::string safe_name(const std::string& name) {
  static const std::set<std::string> taken = {
      "alignas", "alignof", "asm", "auto", "bool", "case", "catch", "char", "class", "const",
      "constexpr", "char8_t", "char16_t", "char32_t", "wchar_t", "concept", "requires", "consteval", "constinit", "co_await",
      "co_return", "co_yield", "const_cast", "static_cast", "dynamic_cast", "reinterpret_cast", "decltype", "noexcept", "nullptr",
      "static_assert", "thread_local", "typeid", "and_eq", "or_eq", "xor_eq", "not_eq", "default", "delete", "do", "double", "enum", "explicit", "export", "extern",
      "float", "friend", "goto", "inline", "int", "long", "mutable", "namespace", "new", "operator",
      "private", "protected", "public", "register", "short", "signed", "sizeof", "static", "struct",
      "switch", "template", "this", "throw", "try", "typedef", "typename", "union", "unsigned",
      "using", "virtual", "void", "volatile", "threadIdx", "blockIdx", "blockDim", "gridDim", "sqrt",
      "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos",
      "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "tgamma", "lgamma",
      "fabs", "fabsf", "pow", "atan2", "fmod", "copysign", "hypot", "floor", "ceil", "trunc", "rint",
      "cbrt", "fma", "and", "or", "not", "xor", "compl", "bitand", "bitor", "true", "false", "min",
      "max", "abs", "round", "ks", "warpSize", "half", "M_PI", "INFINITY", "NAN", "assert", "signbit"};
  if (name.starts_with('_')) return "ks_" + name;  // loop_text.cpp's names begin with it
  if (taken.contains(name) || name.starts_with("ks_")) return name + "_";
  return name;
}

std::string entry_name(const std::string& name) {
  // What else a function of C++ cannot be called beside the prelude, but a variable can.
  static const std::regex taken("(u?(char|short|int|long|longlong)|float|double|half)[1-4]?|dim3|main|std|size_t|ssize_t|ptrdiff_t|u?int(8|16|32|64|ptr|max)_t");
  const std::string safe = safe_name(name);
  if (std::regex_match(safe, taken)) return safe + "_";
  return dlsym(RTLD_DEFAULT, safe.c_str()) ? safe + "_" : safe;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') out += '\\', out += static_cast<char>(c);
    else if (c == '\n') out += "\\n";
    else if (c < 32 || c > 126) out += fmt::format("\\{:03o}", c);
    else out += static_cast<char>(c);
  }
  return out + "\"";
}

std::string number_text(double value) {
  if (std::isnan(value)) return "__longlong_as_double(0x7ff8000000000000LL)";
  if (std::isinf(value))
    return value > 0 ? "__longlong_as_double(0x7ff0000000000000LL)"
                     : "__longlong_as_double((long long)0xfff0000000000000ULL)";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 || (value == 0 && std::signbit(value)) ? "(" + text + ")" : text;
}

std::string cast(const std::string& text, Dtype from, Dtype to) {
  if (from == to) return text;
  const std::string type = text_of(to);
  if (to == Dtype::bool_)
    return is_complex(from) ? fmt::format("({} != {}())", text, text_of(from))
                            : fmt::format("({} != 0)", text);
  if (is_complex(to)) {
    if (is_complex(from)) return fmt::format("{}({})", type, text);
    return fmt::format("{}(({})({}))", type, to == Dtype::complex64 ? "float" : "double", text);
  }
  if (is_complex(from)) return cast(text + ".re", from == Dtype::complex64 ? Dtype::float32 : Dtype::float64, to);
  if (is_floating(from) && is_integer(to)) return fmt::format("ks_to_integer<{}>({}({}))", type, from == Dtype::float16 ? "(float)" : "", text);
  return fmt::format("({})({})", type, text);
}

std::string arithmetic(Operator op, const std::string& a, const std::string& b, Dtype dtype) {
  const Op row = op_of(op);
  const OpTypes types = element_types(row, dtype);
  const Dtype compute = types.compute;  // a power of bools is one of int8
  const Dtype computed = types.result == Dtype::float16 ? compute : types.result;  // half precision is rounded after each operation
  return cast(op_text(row, compute, {cast(a, dtype, compute), cast(b, dtype, compute)}), computed, dtype);
}

bool have_two_signs(Dtype a, Dtype b) {
  return is_integer(a) && is_integer(b) && info(a).kind != info(b).kind && (a == Dtype::uint64 || b == Dtype::uint64);
}

std::string ordered(const std::string& symbol, const std::string& a, const std::string& b) {
  return fmt::format("(ks_order({}, {}) {} 0)", a, b, symbol);
}

}  // namespace kasoku::jit
